#!/bin/sh
# feed.sh - every commit once, in order: pages, positions, rooms, waiting, and a reader that follows two writers.
. "$(dirname "$0")/lib.sh"
project
run "an empty record" 0 feed --json
is '. == {"entries": [], "position": "start", "more": false}'
run "from the start" 0 feed --after start --json
is '.entries == []'
nvidia
run "all" 0 feed --json
is '[.entries[].rev] == [range(1; 11)] and (.more | not)'
is '[.entries[].position] | unique | length == 10'
is '.position == .entries[9].position'
is '.entries[0] | .room == "dialogue" and .scope == "nvidia-decision" and .operation == "dialogue create" and .who == ["judge"]'
is 'all(.entries[]; (.head | length) == 64)'
cp "$out" all.json

# ---- pages give the same, whatever their size
for size in 1 3 4 9 10 11; do
    at=start
    : >pages
    while :; do
        "$conclave" feed --after "$at" --limit "$size" --json >page 2>"$err" || break
        command jq -c '.entries[]' page >>pages
        at=$(jq -r .position page)
        [ "$(jq .more page)" = true ] || break
    done
    command jq -c '.entries[]' all.json | cmp -s - pages
    ok $? "pages of $size are the whole feed"
done
run "the present position" 0 feed --limit 0 --json
is '.entries == [] and (.more | not)'
[ "$(jq -r .position "$out")" = "$(jq -r .position all.json)" ]
ok $? "the present position: that of the last commit"
last=$(jq -r .position all.json)
run "nothing new" 0 feed --after "$last"
has "nothing new"
has "next: --after $last"

# ---- for people
run "lines" 0 feed --limit 2
has "dialogue nvidia-decision         1 create           judge"
has "more: --after "
[ "$(LC_ALL=C.UTF-8 wc -L <"$out")" -le 80 ]
ok $? "lines: at most 80 columns"

# ---- rooms and scopes
run "of a room" 0 feed --room dialogue --scope nvidia-decision --limit 2 --json
is '(.entries | length) == 2 and .more'
run "of a scope that is not there" 1 feed --room dialogue --scope nvidia-decison --json
is '.error_code == "scope_not_found" and .field == "scope" and (.suggestion | contains("nvidia-decision"))'
run "of a scope like no other" 1 feed --room dialogue --scope later --last 5
has "nothing was committed yet in a scope 'later' of dialogue; to wait for it, give --wait, or --after with a position" err
run "of a scope that is not there yet" 0 feed --room dialogue --scope later --after start --json
is '.entries == [] and (.more | not) and .warnings[0].type == "unknown_scope"'
[ "$(jq -r .position "$out")" = "$last" ]
ok $? "of a scope that is not there yet: the position moves on behind the others"
run "of no room" 1 feed --room kitchen --json
is '.field == "room" and (.valid_options | contains(["dialogue", "project"]))'
run "a scope without its room" 1 feed --scope later --json
is '.error_code == "missing_field" and .field == "room"'

# ---- positions that are none
for at in 0 1 11-abc 999999999999-000000000000 99999999999999999999999999-000000000000 -1 10-0000000000 START " start" "$last "; do
    run "the position '$at'" 1 feed --after "$at" --json
    is '.field == "after" and .error_code == "invalid_value"'
done
run "an empty position" 1 feed --after "" --json
is '.field == "after" and .error_code == "invalid_value"'
run "… with --limit 0" 1 feed --after 3-nothing --limit 0 --json
is '.field == "after"'
mkdir ../other && (cd ../other && "$conclave" init >/dev/null && "$conclave" dialogue create Another >/dev/null)
foreign=$(cd ../other && "$conclave" feed --limit 0 --json | jq -r .position)
run "a position of another record" 1 feed --after "$foreign" --json
is '.suggestion == "read the feed again from its beginning"'

# ---- waiting
run "nothing comes" 0 feed --after "$last" --wait 1 --json
is '.entries == []'
"$conclave" feed --after "$last" --wait 60 --json >waited 2>"$err" &
waiting=$!
"$conclave" dialogue create "Something new" --json >/dev/null
wait $waiting
ok $? "waiting ends"
jq -e '[.entries[].scope] == ["something-new"]' waited >/dev/null
ok $? "waiting: what has come"
"$conclave" feed --after "$last" --room dialogue --scope later --wait 60 --json >waited 2>"$err" &
waiting=$!
"$conclave" dialogue create "In between" --json >/dev/null
"$conclave" dialogue create Later --json >/dev/null
wait $waiting
jq -e '[.entries[].scope] == ["later"]' waited >/dev/null
ok $? "waiting for one scope: others do not end it"

# ---- a reader in a loop, two writers: each commit once, in the order of the feed
at=$("$conclave" feed --limit 0 --json | jq -r .position)
from=$at
for writer in a b; do
    (for i in 1 2 3 4 5 6; do "$conclave" dialogue create "$writer $i" --json >/dev/null 2>&1; done) &
done
: >followed
for _ in $(seq 100); do
    "$conclave" feed --after "$at" --wait 10 --limit 5 --json >page 2>"$err" || break
    command jq -c '.entries[]' page >>followed
    at=$(jq -r .position page)
    [ "$(wc -l <followed)" -lt 12 ] || break
done
wait
"$conclave" feed --after "$from" --json | command jq -c '.entries[]' | cmp -s - followed
ok $? "who follows sees each commit once, in order"
[ "$(jq -r .scope followed | sort -u | wc -l)" = 12 ]
ok $? "… all of them"

# ---- watch ----
project watched
"$conclave" dialogue create "Before" >/dev/null
"$conclave" dialogue create "Other" --as ada >/dev/null
run "watch from the start" 0 watch --after start --count 2
has "dialogue create  before"
grep -qE '^[0-9-]{10} [0-9:]{8}  dialogue create' "$out"
ok $? "watch from the start: times as the feed prints them"
has "dialogue create  other"
run "watch one scope" 0 watch --after start --count 1 --room dialogue --scope other --json
is '.scope == "other" and .room == "dialogue"'
run "watch one agent" 0 watch --after start --count 1 --agent ada --json
is '.scope == "other"'
run "watch nobody" 2 watch --after start --agent aba
has "--agent: nobody here is called 'aba'; did you mean 'ada'?" err
run "watch nobody like anybody" 2 watch --after start --agent zzz
has "'conclave agent list' shows the agents" err
run "watch a room that is not there" 1 watch --after start --room dialouge
has "--room: there is no room 'dialouge'" err
has "did you mean 'dialogue'?" err
run "a scope that is not there" 1 feed --room dialogue --scope ohter
has "did you mean 'other'?" err
COLUMNS=40 run "watch at 40 columns" 0 watch --after start --count 2
awk 'length > 40 { long = 1 } END { exit long }' "$out"
ok $? "$name: no line is longer"
run "watch runs a command" 0 watch --after start --count 2 --exec 'echo "$CONCLAVE_EVENT" >>told; [ "$(wc -l <told)" -ne 1 ]'
has "the command ended with status 1" err
jq -r .scope told | tr '\n' ' ' >"$out"
has "before other"
run "watch without a project's position" 1 watch --after 7-another
has "is not one of this record's feed" err
run "a webhook that is no address" 2 watch --webhook ftp://x
has "--webhook: a webhook is an address like" err
run "a command that is none" 2 watch --exec "" --count 0
has "--exec: the command is empty" err
has "--count: expected a number from 1" err
run "a webhook elsewhere" 2 watch --webhook http://example.org/
has "--remote" err
run "a webhook with a port that is none" 2 watch --webhook http://localhost:99999/
: >"$work/live"
"$conclave" watch --count 1 >"$work/live" 2>"$err" &
watching=$!
# One commit after the other, until the watcher has begun and tells of one.
told_of_one_more() { n=$((n + 1)) && "$conclave" dialogue create "$1 $n" >/dev/null && [ -s "$work/live" ]; }
n=0 && await told_of_one_more "Live"
wait $watching
ok $? "what another process commits is told at once"
# The first try is answered with 503, the second is taken.
python3 - "$work/hook" <<'PY' &
import http.server, sys
class Hook(http.server.BaseHTTPRequestHandler):
    tries = 0
    def do_POST(self):
        Hook.tries += 1
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(503 if Hook.tries == 1 else 204)
        self.end_headers()
        if Hook.tries == 2:
            open(sys.argv[1], "wb").write(body)
    def log_message(self, *a): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Hook)
open(sys.argv[1] + ".port", "w").write(str(server.server_port) + "\n")
server.handle_request(); server.handle_request()
PY
hook=$!
until [ -s "$work/hook.port" ]; do sleep 0.1; done
run "a webhook is tried again" 0 watch --after start --count 1 --webhook "http://127.0.0.1:$(cat "$work/hook.port")/told"
wait $hook
cp "$work/hook" "$out"
is '.scope == "before"'
run "a webhook that nobody listens to" 0 watch --after start --count 1 --webhook "http://127.0.0.1:$(cat "$work/hook.port")/told"
has "the webhook was not called: nothing listens there" err
# What is slow holds up nobody: every line is there while the first command still runs, and each has its turn.
: >"$work/turns"
: >"$work/live"
"$conclave" watch --after start --count 3 --exec "until [ -e '$work/go' ]; do sleep 0.05; done; echo \"\$CONCLAVE_MESSAGE\" >>'$work/turns'" \
    --webhook "http://127.0.0.1:$(cat "$work/hook.port")/" >"$work/live" 2>"$err" &
watching=$!
await has_lines "$work/live" 3
[ "$(wc -l <"$work/live")" -eq 3 ] && [ ! -s "$work/turns" ]
ok $? "a slow command holds up no line"
touch "$work/go"
wait $watching
cmp -s "$work/live" "$work/turns"
ok $? "and runs for each, in their order"
[ "$(grep -c "the webhook was not called" "$err")" -eq 3 ]
ok $? "a dead webhook is tried for each, too"

# ---- watch: a position that lasts ----
project lasting
for n in 1 2 3 4 5 6; do "$conclave" dialogue create "Number $n" >/dev/null; done
passed() { jq -r .scope passed | tr '\n' ' '; }
pass='echo "$CONCLAVE_EVENT" >>passed'
run "a reader begins where it is told" 0 watch --reader bot --after start --count 2 --exec "$pass"
run "and goes on from there" 0 watch --reader bot --count 1 --exec "$pass"
[ "$(passed)" = "number-1 number-2 number-3 " ]
ok $? "$name: each commit once"
run "a command that fails" 2 watch --reader bot --count 3 --exec "$pass; exit 3"
has "the command ended with status 3" err
has "the reader 'bot' stays before this commit: " err
has "the same command tries it again; to leave it out, add once: --after " err
run "it is tried again" 0 watch --reader bot --count 1 --exec "$pass"
[ "$(passed)" = "number-1 number-2 number-3 number-4 number-4 " ]
ok $? "$name: at least once, none is left out"
run "a webhook that fails" 2 watch --reader bot --count 1 --webhook "http://127.0.0.1:$(cat "$work/hook.port")/"
has "the webhook was not called" err
at=$(sed -n 's/.*--after \([^ ]*\).*/\1/p' "$err")
run "leaving one out" 0 watch --reader bot --after "$at" --count 1 --exec "$pass"
[ "$(passed)" = "number-1 number-2 number-3 number-4 number-4 number-6 " ]
ok $? "$name: the next is 6"
run "another reader has another position" 0 watch --reader other --after start --count 1 --json
is '.scope == "number-1"'
run "a reader without a name" 2 watch --reader "" --when mail
has "--reader: expected a name" err
has "leave --reader or --when out" err
# A reader that was never told where begins now, also where nothing was ever committed.
project empty
: >"$work/live"
"$conclave" watch --reader early --exec true >"$work/live" 2>"$err" &
watching=$!
n=0 && await told_of_one_more "First"
kill -9 $watching
wait $watching 2>/dev/null
name="a reader without a position" && has "the reader 'early' is new: it begins with the next commit" err
run "what came after a kill" 0 dialogue create "Second"
: >"$work/live"
timeout 60 "$conclave" watch --reader early --json >"$work/live" 2>"$err" &
watching=$!
await grep -q '"second"' "$work/live"
ok $? "$name: is told by the next watcher"
! grep -q "is new" "$err"
ok $? "$name: who continues is not new"
kill -9 $watching
wait $watching 2>/dev/null
# Killed between any two events, and while a command runs: every commit is passed on, in order.
project killed
for n in $(seq 12); do "$conclave" dialogue create "Event $n" >/dev/null; done
: >passed
"$conclave" watch --reader k --after start --count 1 --exec "$pass" >/dev/null 2>&1
for _ in $(seq 60); do
    "$conclave" watch --reader k --exec "$pass" >/dev/null 2>&1 &
    watching=$!
    before=$(wc -l <passed)
    await has_lines passed $((before + 1))
    kill -9 $watching
    wait $watching 2>/dev/null
    ! grep -q '"event-12"' passed || break
done
[ "$(jq -r .scope passed | uniq | tr '\n' ' ')" = "$(seq -f 'event-%g' 12 | tr '\n' ' ')" ]
ok $? "a watcher that is killed again and again loses nothing, and keeps the order"

# ---- watch: conditions ----
# begins NAME COUNT OPTION...: what is told first; every line is in $out.
begins() {
    name=$1 wanted=$2
    shift 2
    timeout 60 "$conclave" watch --json --count "$wanted" "$@" >"$out" 2>"$err" # one that is not told would be waited for
    ok $? "$name: exit 0"
}
project conditions
"$conclave" agent add ada --kind human >/dev/null && "$conclave" agent add bob >/dev/null
"$conclave" dialogue create "Rye" --expert "Baker: dough" --expert "Miller: flour" >/dev/null
experts=$("$conclave" dialogue get rye --json | jq -r '.experts[].expert_slug' | tr '\n' ' ')
first=${experts%% *} second=${experts#* } second=${second% }
upper() { echo "$1" | tr a-z A-Z; }
answers() { # ROUND TEXT: both experts
    for expert in $first $second; do
        "$conclave" dialogue respond rye --round "$1" --expert "$expert" --content "$2" >/dev/null 2>&1
    done
}
register() { # ROUND
    "$conclave" dialogue draft rye --round "$1" --payload-only --json 2>/dev/null | command jq ". + {score: 5}" | "$conclave" dialogue round-register --data - >/dev/null 2>&1
}
begins "experts are missing" 2 --when expert-missing --patience 0
jq -s -c 'map([.condition, .room, .scope, .who])' "$out" >"$work/told" && cp "$work/told" "$out"
is "sort == ([[\"expert-missing\",\"dialogue\",\"rye\",\"$first\"],[\"expert-missing\",\"dialogue\",\"rye\",\"$second\"]] | sort)"
begins "one expert is missing" 1 --when expert-missing --patience 0 --agent "$second"
is ".who == \"$second\" and (.message | contains(\"$second\"))"
answers 0 "[$(upper "$first")-T0001: Slow dough] It takes a day."
begins "a round is complete" 1 --when expert-missing,round-complete --patience 0
is '.condition == "round-complete" and (.message | startswith("round 0 is complete"))'
register 0
: >"$work/live"
timeout 60 "$conclave" watch --when round-complete,blocked --room dialogue --scope rye --count 3 --json >"$work/live" 2>"$err" &
watching=$!
for round in 1 2; do
    answers "$round" "Nothing new."
    await has_lines "$work/live" "$round"
    register "$round"
done
wait $watching
ok $? "conditions that begin to hold are told while it watches"
jq -s -c 'map([.condition, (.message | split(":")[0])])' "$work/live" >"$out"
is '. == [["round-complete","round 1 is complete"],["round-complete","round 2 is complete"],["blocked","nobody has answered T0001 for 2 rounds"]]'
"$conclave" dialogue verdict-register rye --verdict-id final --verdict-type final --recommendation "Bake slowly" --description "It tastes better." --force --warning "early" >/dev/null
begins "converged and decided" 2 --when converged,decided
jq -s -c 'map(.condition)' "$out" >"$work/told" && cp "$work/told" "$out"
is '. == ["converged","decided"]'
"$conclave" mail send --from bob --to ada "The oven is free" >/dev/null && "$conclave" mail send --from ada --to bob "Thanks" >/dev/null
run "who acted in mail" 0 feed --room mail --json
is '[.entries[] | select(.operation == "mail send") | .who] == [["bob"], ["ada"]]'
begins "mail for me" 1 --when mail --agent ada --exec 'echo "$CONCLAVE_MESSAGE" >said; echo "$CONCLAVE_EVENT" | jq -r .condition >>said'
is '.who == "ada" and (.message | contains("The oven is free"))'
tail -n 1 said >"$out" && grep -q 'mail for ada from bob: The oven is free' said
ok $? "the command has the sentence"
has mail
claimed=$("$conclave" mail claim bob --json)
"$conclave" mail fail bob --message-id "$(echo "$claimed" | jq -r .message.message_id)" --token "$(echo "$claimed" | jq .token)" --error-details none --final >/dev/null
begins "a dead letter" 1 --when dead-letter
is '.who == "bob"'
"$conclave" chat open "baking" --participants Baker@ada,Consultant@bob --id baking >/dev/null
"$conclave" chat send baking --from Consultant@bob --type CONSULT_BLOCKER --tag @Baker --body "CONSULT_DOMAIN: flour
what_is_wrong: it is wet
why_it_matters: it rots
next_steps: dry it" >/dev/null
begins "a chat blocks" 2 --when blocked,unread --room chat --agent ada
jq -s -c 'map([.condition, .who])' "$out" >"$work/told" && cp "$work/told" "$out"
is '. == [["blocked","ada"],["unread","ada"]]'
"$conclave" dialogue create "Stands still" --expert "Baker: dough" >/dev/null
"$conclave" run stands-still --agent "sh -c 'exit 3'" --judge mechanical --rounds 1 >/dev/null 2>&1
begins "a run blocks" 1 --when blocked --room run
is '.condition == "blocked" and .scope == "stands-still" and (.message | contains("stopped: too few experts have answered"))'
run "a condition that no room has" 2 watch --when mail,ready
has "there is no condition 'ready'" err
has "round-complete" err
for room in mail notes project; do
    run "a condition of other rooms than $room" 2 watch --when blocked --room $room
    has "--when: the condition 'blocked' never holds in $room: it belongs to dialogue, chat, run" err
done
run "all faults of the options" 2 watch --when blokced,mail --room mail --count 0 --patience soon extra --webhook ftp://x --json
is '[.errors[].field] == ["--count", null, "--patience", "--when", "--webhook"] and (.errors[3].suggestion == "did you mean '"'blocked'"'?")'
run "conditions of the past" 2 watch --when mail --after start
run "patience without conditions" 2 watch --patience 5
run "patience that is no number" 2 watch --when mail --patience soon
run "the help has their names" 0 help conditions
has "expert-missing"
finish
