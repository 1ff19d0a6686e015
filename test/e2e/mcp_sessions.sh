#!/bin/sh
# mcp_sessions.sh - streams and sessions over HTTP while clients come, go and come back: nothing is lost, nothing is left over.
. "$(dirname "$0")/lib.sh"
fixture=$root/${MCP_FIXTURE:-build/asan/mcp_fixture}
"$fixture" 0 >"$work/port" 2>"$work/server.err" &
server=$!
await [ -s "$work/port" ]
url=http://127.0.0.1:$(cat "$work/port")/mcp
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

# begin CAPABILITIES: a new session, its header in $session
begin() {
    curl -s -o /dev/null -D "$work/headers" -H "Content-Type: application/json" "$url" \
        -d '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{'"$1"'}}}'
    session="Mcp-Session-Id: $(sed -n 's/^[Mm]cp-[Ss]ession-[Ii]d: *//p' "$work/headers" | tr -d '\r')"
}
# post FILE BODY CURL-ARGUMENT...: in the session, to the end
post() {
    to=$1 body=$2
    shift 2
    curl -s -N -o "$to" -H "Content-Type: application/json" -H "$session" "$@" --data-binary "$body" "$url"
}
call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","_meta":{"progressToken":"p"}}}' "$1" "$2"; }
# until_has FILE TEXT: waits for it, and says whether it came
until_has() { await grep -qF -- "$2" "$1"; }
holds() { ok $? "$1"; }

# ---- two calls and a stream of news at once ----
begin ""
curl -s -N -o "$work/news" -H "$session" "$url" &
news=$!
until_has "$work/news" ": open"
holds "a stream of news is opened"
post "$work/one" "$(call 1 slow)" &
one=$!
post "$work/two" "$(call 2 slow)" &
two=$!
post "$work/change" "$(call 3 test_trigger_tool_change)"
wait $one $two
for n in 1:one 2:two; do
    [ "$(grep -c '"id":'"${n%:*}"',"result"' "$work/${n#*:}")" -eq 1 ]
    holds "call ${n%:*} is answered once, on its own stream"
    [ "$(grep -c notifications/progress "$work/${n#*:}")" -eq 40 ]
    holds "with all of its progress"
done
until_has "$work/news" notifications/tools/list_changed
holds "the change is among the news"
[ "$(curl -s -o /dev/null -w '%{http_code}' -H "$session" "$url")" = 409 ]
holds "a second stream of news is refused"
until_has "$work/news" ": still here"
holds "a stream on which nothing is said is kept alive"

# ---- resources ----
post "$work/answer" '{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"test://watched-resource"}}'
grep -q '"result":{}' "$work/answer"
holds "a subscription is answered"
post "$work/answer" "$(call 5 touch)"
until_has "$work/news" notifications/resources/updated
holds "what changes behind the server's back is told"
post "$work/answer" '{"jsonrpc":"2.0","id":6,"method":"resources/subscribe","params":{"uri":"'"$(head -c 3000 /dev/zero | tr '\0' u)"'"}}'
grep -q '"code":-32602' "$work/answer"
holds "a URI that is too long is refused"

# ---- the stream of news breaks, and is opened again ----
kill $news
wait $news 2>/dev/null
opens_again() {
    curl -s -N -m 1 -o "$work/again" -w '%{http_code}' -H "$session" "$url" >"$work/status"
    [ "$(cat "$work/status")" = 200 ]
}
await opens_again
[ "$(cat "$work/status")" = 200 ]
holds "a client whose stream broke may open another"

# ---- gone before the answer, and back for it ----
curl -s -N -o "$work/part" -H "Content-Type: application/json" -H "$session" -d "$(call 7 slow)" "$url" &
gone=$!
until_has "$work/part" notifications/progress
kill $gone
wait $gone 2>/dev/null
[ "$(grep -c '"id":7,"result"' "$work/part")" -eq 0 ]
holds "the client has gone before the answer"
last=$(sed -n 's/^id: //p' "$work/part" | tail -n 1)
curl -s -N -o "$work/rest" -H "$session" -H "Last-Event-ID: $last" "$url"
[ "$(grep -c '"id":7,"result"' "$work/rest")" -eq 1 ]
holds "it comes back for it"
[ "$(cat "$work/part" "$work/rest" | grep -c notifications/progress)" -eq 40 ]
holds "and no event is missing or told twice"

# ---- answers beyond what is kept ----
post "$work/large" "$(call 8 large)"
[ "$(grep -c '"id":8,"result"' "$work/large")" -eq 1 ] && [ "$(wc -c <"$work/large")" -gt 9437184 ]
holds "nine megabytes behind progress arrive whole"
last=$(sed -n 's/^id: //p' "$work/large" | head -n 1)
[ "$(curl -s -o /dev/null -w '%{http_code}' -H "$session" -H "Last-Event-ID: $last" "$url")" = 404 ]
holds "but are not kept for those who come back"

# ---- cancelled, in its session only ----
post "$work/cancelled" "$(call 9 slow)" &
pid=$!
until_has "$work/cancelled" notifications/progress
post "$work/answer" '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}'
wait $pid
[ "$(grep -c '"id":9,"result"' "$work/cancelled")" -eq 0 ] && ! grep -q '^data: $' <<END
$(sed 1,3d "$work/cancelled")
END
holds "what is cancelled has no answer, not even an empty one"
request='{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"slow",'${meta%\}}',"progressToken":"p"}}}'
modern() { curl -s -N -o "$1" -H "Content-Type: application/json" -H "MCP-Protocol-Version: 2026-07-28" -H "Mcp-Method: $2" -H "Mcp-Name: slow" -d "$3" "$url"; }
modern "$work/mine" tools/call "$request" &
pid=$!
until_has "$work/mine" notifications/progress
modern "$work/answer" notifications/cancelled '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":10,'"$meta"'}}'
wait $pid
grep -q '"id":10,"result"' "$work/mine"
holds "one client cannot cancel what another has asked"

# ---- questions ----
begin '"sampling":{}'
question='{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"hi"}}}'
post "$work/refused" "$question" -H "Accept: application/json"
grep -q '"error"' "$work/refused"
holds "who takes no stream cannot be asked, and is told at once"
post "$work/asked" "$question" &
pid=$!
until_has "$work/asked" sampling/createMessage
post "$work/answer" '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":11}}'
wait $pid
holds "a question that is cancelled is not waited for"

# ---- the end of a session ----
post "$work/running" "$(call 12 slow)" &
pid=$!
until_has "$work/running" notifications/progress
: >"$work/news"
curl -s -N -o "$work/news" -H "$session" "$url" &
news=$!
until_has "$work/news" ": open"
[ "$(curl -s -o /dev/null -w '%{http_code}' -X DELETE -H "$session" "$url")" = 200 ]
holds "a session can be ended in the middle of a call"
wait $pid
holds "which ends its stream"
wait $news
holds "and that of the news"

# ---- everything at once when the server ends ----
begin '"sampling":{}'
curl -s -N -o "$work/news" -H "$session" "$url" &
post "$work/last" "$(call 13 slow)" &
post "$work/unanswered" "$question" &
curl -s -N -o "$work/listen" -H "Content-Type: application/json" -H "MCP-Protocol-Version: 2026-07-28" -H "Mcp-Method: subscriptions/listen" \
    -d '{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["test://watched-resource"]},'"$meta"'}}' "$url" &
until_has "$work/listen" acknowledged
holds "a subscription is acknowledged"
until_has "$work/unanswered" sampling/createMessage
kill -TERM $server
wait $server
ok $? "the server ends beside open streams, calls and questions"
wait
[ ! -s "$work/server.err" ] || head -n 30 "$work/server.err" | sed 's/^/#   /'
[ ! -s "$work/server.err" ]
holds "and has nothing to complain about"

# ---- standard input ----
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}}}}' "$question" |
    "$fixture" >"$out" 2>"$err"
holds "stdio, a question that nobody can answer any more is not waited for"
[ "$(jq -s '[.[] | select(.id == 11 and .error)] | length' "$out")" -eq 1 ]
holds "stdio, and the call says so"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}' '{"id":2,"method":"ping"}' '{"id":"3"}' '{"jsonrpc":"2.0","id":4}' \
    '{"jsonrpc":"2.0","id":5,"method":7}' '{"jsonrpc":"2.0","id":6,"result":{},"error":{}}' '{"id":7,"result":{}}' '{"jsonrpc":"2.0"}' |
    "$fixture" 2>"$err" | jq -s . >"$out"
name="stdio, faulty requests are answered, faulty answers are not"
is '[.[] | .id, .error.code] == [1, -32602, 2, -32600, "3", -32600, 4, -32600, 5, -32600]'
[ "$(grep -c "was ignored" "$err")" -eq 3 ]
holds "stdio, and what is passed over is told"
finish
