#!/bin/sh
# api.sh - every operation over HTTP: the same answers and faults as on the command line, who may come in, events as they
# happen, and the description of all of it.
. "$(dirname "$0")/lib.sh"
project
nvidia

# begin ARGUMENT...: serves until `end`; $url is where.
begin() {
    rm -f "$work/said"
    "$conclave" serve --port 0 --json "$@" >"$work/said" 2>"$work/log" &
    serving=$!
    await [ -s "$work/said" ]
    url=$(jq -r .url "$work/said")
}
end() {
    kill "$serving"
    wait "$serving"
    ok $? "$1: the server ends"
}
# ask NAME STATUS METHOD PATH CURL-ARGUMENT...: the body in $out, the headers in $work/headers.
ask() {
    name=$1 wanted=$2 method=$3 path=$4
    shift 4
    : >"$out"
    status=$(curl -s -m 20 -o "$out" -D "$work/headers" -w '%{http_code}' -X "$method" "$@" "$url$path")
    [ "$status" = "$wanted" ] || { echo "#   status $status, not $wanted"; head -c 600 "$out" | sed 's/^/#   /'; echo; }
    [ "$status" = "$wanted" ]
    ok $? "$name: status $wanted"
}
post() {
    body=$4
    set -- "$1" "$2" POST "/api/$3"
    ask "$@" -H 'Content-Type: application/json' --data-binary "$body"
}
get() { ask "$1" "$2" GET "/api/$3"; }
# opens CURL-ARGUMENT...: a stream, closed again when it is open; its status in $status. What is refused ends by itself.
opens() {
    : >"$work/headers"
    curl -s -N -m 60 -o /dev/null -D "$work/headers" "$@" &
    opening=$!
    await grep -q '^.$' "$work/headers" # the empty line at the end
    kill $opening 2>/dev/null
    wait $opening 2>/dev/null
    status=$(sed -n '1s/^[^ ]* \([0-9]*\).*/\1/p' "$work/headers")
}
header() { grep -qi "^$1: *$2" "$work/headers"; ok $? "$name: header $1"; }

begin
# ---- the same answers ----
for words in "dialogue list" "dialogue get nvidia-decision" "dialogue scoreboard nvidia-decision" "agent list" "verify" "feed"; do
    set -- $words
    case $1 in dialogue | agent) operation=$1/$2 && shift 2 ;; *) operation=$1 && shift ;; esac
    "$conclave" $words --json >"$work/wanted" 2>/dev/null
    get "GET $words" 200 "$operation${1:+?dialogue_id=$1}"
    jq -S . "$work/wanted" >"$work/a" && jq -S . "$out" >"$work/b"
    cmp -s "$work/a" "$work/b"
    ok $? "$name: as on the command line"
    post "POST $words" 200 "$operation" "{${1:+\"dialogue_id\":\"$1\"}}"
    jq -S . "$out" >"$work/b"
    cmp -s "$work/a" "$work/b"
    ok $? "$name: as on the command line"
done

# ---- parameters become what the schema wants ----
get "numbers and lists" 200 "dialogue/search?query=collar&limit=1&kinds=tension,recommendation"
is '.results | length == 1'
get "a list item by item" 200 "dialogue/search?query=collar&kinds=tension&kinds=recommendation"
get "a number that is none" 400 "dialogue/search?query=collar&limit=many"
is '.error_code == "invalid_value" and .field == "limit"'
get "an unknown parameter" 400 "dialogue/search?query=collar&lmit=1"
is '.error_code == "unknown_field"'
get "a name twice" 400 "dialogue/get?dialogue_id=a&dialogue_id=b"
is '.error_code == "duplicate_key"'
get "a name without a value, where a text is wanted" 400 "dialogue/search?query"
is '.field == "query"'
get "a name without a value, where a number is wanted" 400 "dialogue/search?query=collar&limit"
is '.field == "limit" and (has("value") | not)'
get "a name without a value, where a list is wanted" 400 "dialogue/search?query=collar&kinds"
is '.field == "kinds[0]"'
get "a name without a value, where a boolean is wanted" 200 "dialogue/list?all"
get "nothing between two signs" 200 "dialogue/list?&&limit=1&"
while read -r text code; do
    get "the parameter '$text'" 400 "dialogue/search?limit=1&query=a$text"
    is ".error_code == \"$code\" and .field == \"query\" and (.message | startswith(\"the parameter 'query' \"))"
    get "the same in a name" 400 "dialogue/search?query=a&na$text=1"
    is ".error_code == \"$code\""
    get "and in a stream of events" 400 "events?room=a$text"
    is ".error_code == \"$code\" and .field == \"room\""
    ask "and in a path" 400 GET "/api/dialogue/list$text"
    is '.message | startswith("the path ")'
done <<'EOF'
%00b not_text
%00 not_text
%ff%fe invalid_utf8
%c0%af invalid_utf8
%e2%82 invalid_utf8
%zz invalid_value
% invalid_value
%4 invalid_value
EOF
get "other control characters are what they are" 404 "dialogue/get?dialogue_id=a%01%0ab"
is '.field == "dialogue_id" and .value == "a\u0001\nb"'
get "so many parameters" 414 "dialogue/search?$(seq -f 'a%g=1' -s '&' 250)"
is '.error_code == "limit_exceeded" and (.message | contains("POST"))'
get "all faults at once" 400 "feed?limit=many&after=&wait=-1"
is '(.errors | length == 3) and .message == "the request has 3 faults"'

# ---- writes ----
post "a write" 200 dialogue/create '{"title":"Over HTTP"}'
is '.dialogue_id == "over-http"'
run "it is there" 0 dialogue get over-http --json
ask "a write is POST only" 405 GET "/api/dialogue/create?title=x"
header Allow POST
is '.error_code == "usage" and (.message | test("dialogue create.*POST"))'
post "a fault" 404 dialogue/progress '{"dialogue_id":"nowhere"}'
is '.status == "error" and .error_code == "dialogue_not_found"'
post "a conflict" 409 dialogue/abandon '{"dialogue_id":"over-http","expect_rev":77,"reason":"none"}'
post "no JSON" 400 dialogue/create '{"title":'
is '.error_code == "invalid_json" and .line == 1 and .column == 10'
ask "no body" 400 POST /api/dialogue/create -H 'Content-Type: application/json'
is '.error_code == "missing_field" and .field == "title"'
ask "another type" 415 POST /api/dialogue/create -H 'Content-Type: text/plain' --data '{"title":"x"}'
for path in dialogue/lst nothing dialogue/ dialogue/list/more ../x dialogue/list%01; do
    ask "no operation $path" 404 GET "/api/$path" --path-as-is
    is '.status == "error"'
done
get "a near name" 404 dialogue/lst
is '.message | contains("did you mean /api/dialogue/list? /api/openapi.json")'
get "a room that is there, and nothing like it in it" 404 mail/nope
is '.message == "there is no operation '"'mail/nope'"'; /api/openapi.json has all of them"'

# ---- files ----
mkdir folder
post "a folder for a file" 400 import-scope '{"path":"folder"}'
is '.error_code == "not_a_file" and .field == "path"'
post "a name that is too long" 400 import-scope "{\"path\":\"$(printf '%0300d' 0)\"}"
is '.error_code == "no_access"'
echo "not a record" >backup.db
post "a record is not restored through a server" 403 restore '{"path":"backup.db"}'
is '.error_code == "not_allowed"'
post "a scope from elsewhere" 400 import-scope '{"path":"/etc/passwd"}'
is '.field == "path" and (.message | contains("root:") | not)'
post "a project elsewhere" 403 init "{\"dir\":\"$work/elsewhere\"}"
is '.error_code == "not_allowed"'
[ ! -e "$work/elsewhere" ]
ok $? "$name: nothing was made"
post "another store" 403 init '{"store":"postgresql://127.0.0.1:1/x"}'
post "a copy in another store" 403 copy '{"to":"postgresql://127.0.0.1:1/x"}'
rm -r folder backup.db

# ---- methods ----
for path in /api/dialogue/list /api /api/openapi.json /healthz /metrics /; do
    name="HEAD $path"
    curl -s -I "$url$path" >"$work/headers"
    head -n 1 "$work/headers" | grep -q ' 200 ' && [ "$(sed -n 's/^Content-Length: *//Ip' "$work/headers" | tr -d '\r')" -gt 0 ]
    ok $? "$name: the headers of GET"
    for method in PUT DELETE OPTIONS PATCH; do
        ask "$method $path" 405 $method "$path"
        is '.status == "error" and .error_code == "usage"'
        header Allow GET
    done
done
for path in /api /api/openapi.json /healthz /metrics / /api/events; do
    ask "POST $path" 405 POST "$path" -H 'Content-Type: application/json' --data '{}'
done
curl -s -I "$url/api/dialogue/create" | head -n 1 | grep -q ' 405 '
ok $? "HEAD of a write is refused"

# ---- what a client has already ----
get "the description has a tag" 200 openapi.json
ask "the same again" 304 GET /api/openapi.json -H "If-None-Match: $(sed -n 's/^ETag: *//Ip' "$work/headers" | tr -d '\r')"
get "a read has a tag" 200 "dialogue/get?dialogue_id=nvidia-decision"
tag=$(sed -n 's/^ETag: *//Ip' "$work/headers" | tr -d '\r')
ask "the same again" 304 GET "/api/dialogue/get?dialogue_id=nvidia-decision" -H "If-None-Match: $tag"
[ ! -s "$out" ]
ok $? "$name: no bytes"
ask "one of several tags" 304 GET "/api/dialogue/get?dialogue_id=nvidia-decision" -H "If-None-Match: \"0\", W/$tag"
ask "any tag" 304 GET "/api/dialogue/get?dialogue_id=nvidia-decision" -H 'If-None-Match: *'
ask "another tag" 200 GET "/api/dialogue/get?dialogue_id=nvidia-decision" -H 'If-None-Match: "0"'
header X-Request-Id '[0-9]'
header Cache-Control no-cache
rev=$("$conclave" dialogue get nvidia-decision --json | jq .rev)
header ETag "\"$rev-[0-9a-f]\{16\}\""
get "one of many" 200 dialogue/list
header ETag '"[0-9a-f]\{16\}"'
# What was answered before is answered again until somebody commits, whoever that is.
get "before a commit" 200 "dialogue/progress?dialogue_id=over-http"
cp "$out" "$work/before"
get "the same again" 200 "dialogue/progress?dialogue_id=over-http"
cmp -s "$out" "$work/before"
ok $? "$name: the same bytes"
"$conclave" dialogue expert-create over-http --role Critic --creation-reason "nobody objects" --tier Core >/dev/null 2>&1 ||
    "$conclave" dialogue abandon over-http --reason "no experts" >/dev/null
get "after a commit of another process" 200 "dialogue/progress?dialogue_id=over-http"
[ "$(jq .rev "$out")" -gt "$(jq .rev "$work/before")" ]
ok $? "$name: what stands now"

# ---- other origins, each kind of request ----
for origin in http://evil.example "http://localhost:1" null "$url.evil.example" "http://evil.example@${url#http://}"; do
    ask "origin $origin" 403 POST /api/dialogue/create -H "Origin: $origin" -H 'Content-Type: application/json' --data '{"title":"evil"}'
    is '.error_code == "not_allowed"'
    for path in /api /api/dialogue/list /api/events /api/openapi.json /metrics; do
        ask "origin $origin, $path" 403 GET $path -H "Origin: $origin"
        ask "origin $origin, $path before it asks" 403 OPTIONS $path -H "Origin: $origin" -H 'Access-Control-Request-Method: GET'
    done
    for method in POST DELETE; do ask "origin $origin, $method session" 403 $method /api/session -H "Origin: $origin"; done
done
for site in cross-site same-site; do # an image or a link of another page has no origin
    for path in /api /api/dialogue/list /api/events /api/openapi.json /metrics; do
        ask "a page that is $site, $path" 403 GET $path -H "Sec-Fetch-Site: $site"
    done
done
for path in / /app.js /nothing /api /api/dialogue/list /api/nothing /api/openapi.json /api/dialogue/create /healthz /metrics /mcp; do
    curl -s -o /dev/null -D "$work/headers" "$url$path"
    [ "$(grep -ci "^Content-Security-Policy: default-src 'none'.*frame-ancestors 'none'" "$work/headers")" -eq 1 ] &&
        grep -qi '^Referrer-Policy: no-referrer' "$work/headers" && grep -qi '^X-Content-Type-Options: nosniff' "$work/headers"
    ok $? "nothing runs in $path when it is opened as a page"
done
! grep -qi '^Access-Control' "$work/headers"
ok $? "no page is invited"
ask "its own page" 200 GET /api/dialogue/list -H 'Sec-Fetch-Site: same-origin'
ask "an address that somebody typed" 200 GET /api/dialogue/list -H 'Sec-Fetch-Site: none'
ask "its own origin" 200 GET /api/dialogue/list -H "Origin: $url"
ask "another name" 403 GET /api/dialogue/list -H 'Host: evil.example'
run "nothing of it was written" 1 dialogue get evil

# ---- the description ----
for path in /api /api/; do
    ask "where everything is" 200 GET $path
    is '.openapi == "/api/openapi.json" and (.rooms | index("dialogue") != null)'
done
get "the description" 200 openapi.json
is '.openapi == "3.1.0" and (.paths | length) > 40'
is '[.paths[] | select(.post.requestBody) | .[] | select(.responses."200".content."application/json".schema | not)] | length == 0'
is '.paths."/api/dialogue/create" | has("post") and (has("get") | not)'
is '.paths."/api/dialogue/list".get.parameters | length > 0'
is '[.paths[][].operationId] | length == (unique | length)'
is '. as $all | [.. | objects | ."$ref"? // empty | split("/")[1:] as $path | select(($all | getpath($path)) == null)] == []'
is '[.paths[][] | .parameters // [] | .[] | select((.name and .in and .schema) | not)] == []'
is '[.paths[][] | .parameters // [] | (map(.in + .name) | length) == (map(.in + .name) | unique | length)] | all'
is '.paths | has("/api/events") and has("/api/session") and has("/healthz") and has("/metrics")'
cp "$out" "$work/openapi.json"
# Whatever writes, or takes something away from others, is never a GET: a link or an image could cause it.
jq -r '.paths | to_entries[] | select(.value.get) | .key' "$out" | sort >"$work/gets"
cp "$work/gets" "$out"
golden api/reads.txt
for path in init chat/read mail/fetch mail/wait mail/claim mail/take mail/state chat/check doctor dialogue/transcript; do
    ask "$path is POST only" 405 GET "/api/$path"
done
ask "alive" 200 GET /healthz
ask "metrics" 200 GET /metrics
has 'conclave_calls_total{operation="dialogue create",outcome="done"} 1'
has 'conclave_calls_total{operation="dialogue create",outcome="refused"}'
has 'conclave_request_seconds_bucket{le="+Inf"}'
[ "$(sed -n 's/.*le="+Inf"} //p' "$out")" = "$(sed -n 's/^conclave_request_seconds_count //p' "$out")" ]
ok $? "$name: every answer is in the histogram"
has 'conclave_mail_stuck_leases 0'
"$conclave" agent add oven >/dev/null && "$conclave" mail send --from User --to oven "bake" >/dev/null &&
    "$conclave" mail claim oven --lease-seconds 1 >/dev/null
measures() { curl -s "$url/metrics" >"$out" && grep -q "^$1" "$out"; }
await measures 'conclave_mail_stuck_leases 1'
has 'conclave_mail_stuck_leases 1'
has 'conclave_mail_waiting 1'
grep -q '^conclave_mail_oldest_unread_seconds [1-9]' "$out"
ok $? "the oldest unread message has an age"
"$conclave" agent add larder >/dev/null
get "who looks into a mailbox, and names nobody" 200 'mail/inbox?agent=larder'
run "… is not its agent" 0 mail stats --json
is '.mailboxes[] | select(.agent == "larder") | .status == "offline"'
ask "its agent looks" 200 GET '/api/mail/inbox?agent=larder' -H 'Conclave-As: larder'
run "… and is there" 0 mail stats --json
is '.mailboxes[] | select(.agent == "larder") | .status == "online"'

# ---- events ----
: >"$work/events"
curl -s -N -m 30 "$url/api/events" >"$work/events" &
listener=$!
curl -s -N -m 30 "$url/api/events?room=mail" >"$work/others" &
other=$!
# heard FILE N: waits until so many have come whole.
told() { [ "$(sed -n '/^data:/{n;/^$/p;}' "$1" | wc -l)" -ge "$2" ]; }
heard() { await told "$@"; }
name="events"
await measures 'conclave_event_streams 2'
"$conclave" dialogue create "Seen by others" >/dev/null
heard "$work/events" 1
ok $? "a commit of another process is told"
sed -n 's/^data: //p' "$work/events" >"$out"
is '.room == "dialogue" and .scope == "seen-by-others" and .operation == "dialogue create"'
position=$(sed -n 's/^id: //p' "$work/events" | tail -n 1)
for n in 1 2 3 4; do "$conclave" dialogue create "More $n" >/dev/null; done
heard "$work/events" 5
ok $? "and those that follow"
# A server that cannot run meanwhile tells late; otherwise it may be less than a millisecond.
kill -STOP "$serving"
"$conclave" dialogue create "More 5" >/dev/null
sleep 0.1
kill -CONT "$serving"
heard "$work/events" 6
ok $? "and one that it could not tell at once"
sed -n 's/^data: //p' "$work/events" | jq -r .scope | tr '\n' ' ' >"$out"
has "seen-by-others more-1 more-2 more-3 more-4 more-5"
curl -s "$url/metrics" | awk '/^conclave_feed_lag_seconds / { late = $2 >= 0.1 } END { exit !late }'
ok $? "how late they were told is measured"
[ "$(grep -c '^data:' "$work/others")" -eq 0 ]
ok $? "other rooms are not told of"
kill $listener $other
wait $listener $other 2>/dev/null
: >"$work/events"
curl -s -N -m 30 -H "Last-Event-ID: $position" "$url/api/events" >"$work/events" &
listener=$!
heard "$work/events" 5
ok $? "who comes back gets what was missed"
sed -n 's/^data: //p' "$work/events" | jq -r .scope | tr '\n' ' ' >"$out"
has "more-1 more-2 more-3 more-4 more-5"
kill $listener
wait $listener 2>/dev/null
get "a position that is none" 400 "events?after=nonsense"
get "no position" 400 "events?after="
get "an unknown parameter" 400 "events?aftr=start"
is '.error_code == "unknown_field" and (.message | contains("after, room, scope"))'
get "an unknown room" 400 "events?room=cellar"
is '.valid_options | index("dialogue") != null'
get "a scope without a room" 400 "events?scope=x"
future=$(jq -rn --arg p "$position" '$p | sub("^[0-9]+"; "999999")')
ask "a position of the future" 400 GET /api/events -H "Last-Event-ID: $future"
opens -H 'Last-Event-ID;' "$url/api/events"
[ "$status" = 200 ]
ok $? "a browser that has heard nothing yet"
for n in $(seq 100); do # who has left is noticed when there is something to say
    "$conclave" dialogue create "Unheard $n" >/dev/null && "$conclave" mail send --from oven --to oven "unheard" >/dev/null
    curl -s "$url/metrics" | grep -q '^conclave_event_streams 0' && break
done
ask "who has left is forgotten" 200 GET /metrics
has "conclave_event_streams 0"
curl -s -N "$url/api/events" >/dev/null &
end "with a listener"
wait

# ---- tokens ----
"$conclave" agent add ada >/dev/null && "$conclave" agent add bob --rooms dialogue >/dev/null
ada=$("$conclave" token add ada --json | jq -r .secret)
reader=$("$conclave" token add bob --read-only --json | jq -r .secret)
begin
: >"$work/events"
curl -s -N -m 30 -H "Last-Event-ID: $position" "$url/api/events" >"$work/events" &
listener=$!
heard "$work/events" 5
ok $? "a server that was started again knows where a client was"
sed -n 's/^data: //p' "$work/events" | jq -r .scope | tr '\n' ' ' >"$out"
has "more-1 more-2 more-3 more-4 more-5"
kill $listener
wait $listener 2>/dev/null
for claim in ada:200 nobody:404 'a b:400'; do
    ask "whoever says to be ${claim%:*}" "${claim#*:}" POST /api/agent/list -H "Conclave-As: ${claim%:*}" -H 'Content-Type: application/json' --data '{}'
done
ask "a claim acts" 200 POST /api/dialogue/create -H 'Conclave-As: ada' -H 'Content-Type: application/json' --data '{"title":"Claimed by ada"}'
run "the event names the agent" 0 feed --room dialogue --scope claimed-by-ada --json
is '.entries[0].who == ["ada"]'
ask "a token counts more than a claim" 200 POST /api/dialogue/create -H 'Conclave-As: bob' -H "Authorization: Bearer $ada" -H 'Content-Type: application/json' --data '{"title":"Not by bob"}'
run "the event names the agent" 0 feed --room dialogue --scope not-by-bob --json
is '.entries[0].who == ["ada"]'
# What is kept of a read is kept for whoever asked.
ask "a read of nobody" 200 GET /api/mail/stats
ask "the same of somebody who may act in dialogues alone" 403 GET /api/mail/stats -H 'Conclave-As: bob'
ask "the same of a token that is a name" 401 GET /api/mail/stats -H 'Authorization: Bearer wrong' -H 'Conclave-As: bob'
end "with claims"
CONCLAVE_TOKEN=0123456789abcdef0123456789abcdef begin
get "without a token" 401 dialogue/list
header WWW-Authenticate Bearer
ask "metrics are not for everybody" 401 GET /metrics
ask "the page where one signs in" 200 GET /
ask "alive" 200 GET /healthz
ask "a page of another name" 403 GET / -H 'Host: evil.example'
ask "with the server's" 200 GET /api/dialogue/list -H 'Authorization: Bearer 0123456789abcdef0123456789abcdef'
ask "with an agent's" 200 POST /api/dialogue/create -H "Authorization: Bearer $ada" -H 'Content-Type: application/json' --data '{"title":"By ada"}'
run "the event names the agent" 0 feed --room dialogue --scope by-ada --json
is '.entries[0].who == ["ada"]'
ask "one that may only read" 403 POST /api/dialogue/create -H "Authorization: Bearer $reader" -H 'Content-Type: application/json' --data '{"title":"No"}'
is '.error_code == "not_allowed"'
ask "the cookie" 204 POST /api/session -H "Authorization: Bearer $ada"
header Set-Cookie 'conclave_token=.*HttpOnly; SameSite=Strict'
ask "it opens" 200 GET /api/dialogue/list -b "conclave_token=$ada"
ask "a wrong one does not" 401 GET /api/dialogue/list -b "conclave_token=x$ada"
ask "a header counts more" 401 GET /api/dialogue/list -b "conclave_token=$ada" -H 'Authorization: Bearer wrong'
ask "it acts" 200 POST /api/dialogue/create -b "conclave_token=$ada" -H 'Content-Type: application/json' --data '{"title":"By cookie"}'
run "the event names the agent" 0 feed --room dialogue --scope by-cookie --json
is '.entries[0].who == ["ada"]'
# Of the operations on the whole project, a token of one room may use those that can be limited to it.
"$conclave" agent add carl >/dev/null
limited=$("$conclave" token add carl --rooms chat --json | jq -r .secret)
for operation in 'feed?limit=1' 'search?query=x'; do
    ask "$operation of everything" 403 GET "/api/$operation" -H "Authorization: Bearer $limited"
    ask "$operation of another room" 403 GET "/api/$operation&room=dialogue" -H "Authorization: Bearer $limited"
    ask "$operation of its room" 200 GET "/api/$operation&room=chat" -H "Authorization: Bearer $limited"
done
for room in '' '?room=dialogue' '?room=chat'; do
    opens -H "Authorization: Bearer $limited" "$url/api/events$room"
    [ "$status" = "$([ "$room" = '?room=chat' ] && echo 200 || echo 403)" ]
    ok $? "events$room for a token of the room chat"
done
ask "leaving" 204 DELETE /api/session -b "conclave_token=$ada"
header Set-Cookie '.*Max-Age=0'
: >"$work/events"
curl -s -N -m 30 -H "Authorization: Bearer $ada" "$url/api/events" >"$work/events" &
listener=$!
await [ -s "$work/events" ]
"$conclave" token revoke "$("$conclave" token list --json | jq -r '.tokens[] | select(.agent_id == "ada") | .token_id')" >/dev/null
"$conclave" dialogue create "After" >/dev/null
wait $listener
[ $? -ne 28 ]
ok $? "a stream ends when its token is revoked"
: >"$work/events"
curl -s -N -m 30 -H "Authorization: Bearer $("$conclave" token add carl --json | jq -r .secret)" "$url/api/events" >"$work/events" &
listener=$!
await [ -s "$work/events" ]
"$conclave" agent limit carl --rooms chat >/dev/null
"$conclave" dialogue create "Not for carl" >/dev/null
wait $listener
[ $? -ne 28 ] && ! grep -q not-for-carl "$work/events"
ok $? "and when its agent may not enter every room any more"
ask "and it opens no more" 401 GET /api/dialogue/list -b "conclave_token=$ada"
end "with tokens"
grep -q "$ada" "$work/log"
[ $? -ne 0 ]
ok $? "no token in the log"

# ---- the log ----
bob=$("$conclave" token add bob --json | jq -r .secret)
begin --log
get "a request" 200 dialogue/list
ask "a request of an agent" 200 GET "/api/dialogue/list?limit=1" -H "Authorization: Bearer $bob"
header X-Request-Id 2
ask "one that is refused" 403 GET /api/dialogue/list -H 'Host: evil.example'
header X-Request-Id 3
ask "a path with hostile bytes" 404 GET "/api/%1b%5bJ%22%5c$(printf '%03000d' 0)"
ask "a path that is no text" 400 GET "/api/%1b%5bJ%ff"
ask "a path that is too long" 414 GET "/api/secret?$(seq -f 'a%g=1' -s '&' 250)"
ask "a page" 200 GET /
end "with a log"
command jq -c . "$work/log" >"$out"
[ $? -eq 0 ] && [ "$(wc -l <"$out")" -eq 7 ]
ok $? "every line of the log is JSON"
cp "$out" "$work/lines"
jq -s . "$work/lines" >"$out"
is '.[0] | .path == "/api/dialogue/list" and .method == "GET" and .status == 200 and .request == 1 and (has("actor") | not) and (.at | test("^20.*Z$")) and .microseconds > 0'
is '.[1] | .actor == "bob" and .request == 2 and .path == "/api/dialogue/list"'
is '.[2] | .status == 403 and .request == 3'
is '.[3] | .status == 404 and (.path | startswith("/api/\u001b[J"))'
is '.[4] | .status == 400 and .path == "/api/%1b%5bJ%ff"'
is '.[5] | .status == 414 and .path == "/api/secret" and (has("method") | not)'
is '.[6] | .path == "/" and .status == 200'
# ---- who leaves before the answer ----
# What is given out once is not given out to a client that has left.
"$conclave" agent add waiter >/dev/null
begin
curl -s -m 1 "$url/api/mail/wait" -H 'Content-Type: application/json' -d '{"agent": "waiter", "timeout_seconds": 600}'
curl -s -m 1 "$url/api/mail/fetch" -H 'Content-Type: application/json' -d '{"timeout_seconds": 600}'
modern=io.modelcontextprotocol
curl -s -m 1 "$url/mcp" -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' \
    -H 'Mcp-Name: conclave_mail_wait' -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "conclave_mail_wait",
    "arguments": {"agent": "waiter", "timeout_seconds": 600}, "_meta": {"'$modern'/protocolVersion": "2026-07-28", "'$modern'/clientCapabilities": {}}}}'
"$conclave" mail stage --text "What now?" >/dev/null && "$conclave" mail take >/dev/null && "$conclave" mail answer '"Go on"' >/dev/null
"$conclave" mail send --from waiter --to waiter "Only once" >/dev/null
post "the message" 200 mail/wait '{"agent": "waiter", "timeout_seconds": 10}'
is '.count == 1 and .messages[0].message_id'
post "the answer" 200 mail/fetch '{"timeout_seconds": 10}'
is '.answer == "Go on"'
end "with clients that leave"
# ---- folders ----
# A read that looks into a folder is answered from memory as long as nothing has changed there.
"$conclave" dialogue create "By hand" --expert "Baker: dough" --expert "Miller: flour" >/dev/null
folder=.conclave/dialogues/by-hand/round-0
mkdir -p "$folder"
again() {
    get "$1" 200 "dialogue/progress?dialogue_id=by-hand"
    [ "$(jq -r '[.files_not_handed_in[]?.expert] | join(" ")' "$out")" = "$2" ]
    ok $? "$name: the files are '$2'"
}
calls=$CV_CALL_LOG
export CV_CALL_LOG="$work/calls"
begin
again "no file" ""
echo '[MUFFIN-P0001: By hand]' >"$folder/muffin.md"
again "a file that somebody has put there" muffin
sleep 2.1
again "files that are some seconds old" muffin
ran=$(grep -cx 'dialogue progress' "$CV_CALL_LOG")
again "nothing has changed" muffin
[ "$(grep -cx 'dialogue progress' "$CV_CALL_LOG")" -eq "$ran" ]
ok $? "$name: nobody had to look"
echo '[CUPCAKE-P0001: By hand]' >"$folder/cupcake.md"
again "one more" "cupcake muffin"
rm "$folder/muffin.md"
again "one less" cupcake
rm -r "$folder"
again "none" ""
end "with a folder"
export CV_CALL_LOG="$calls"

finish
