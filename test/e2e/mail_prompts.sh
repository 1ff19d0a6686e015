#!/bin/sh
# mail_prompts.sh - prompts from templates and their answers, the governance log, reports, states; stage and fetch killed
# everywhere. Numbers are those of the room's checklist; docs/mail.md has the table.
. "$(dirname "$0")/lib.sh"
project
for agent in muffin Planner-1; do "$conclave" agent add "$agent" >/dev/null; done
mail=.conclave/mail temp=.conclave/mail/temp
mkdir -p $mail/templates
printf 'Hello {{ name }}!\n{%% for t in tasks %%}\n- {{ t }}\n{%% endfor %%}\n{%% include "part.j2" %%}\n' >$mail/templates/greet.j2
printf 'focus: {{ supervisor_state.current_focus|default("none") }}\n' >$mail/templates/part.j2

# ---- render ---------------------------------------------------------------------------------------------------------
run "a template by its name" 0 mail render greet --context '{"name": "Ada", "tasks": ["x"]}' --json # checklist 3, 7
is '.text == "Hello Ada!\n- x\nfocus: none"'
run "a template by its path in old data" 0 mail render '/d:/Dream.os/templates/greet.j2' --context '{"name": "Ada", "tasks": ["x"]}' --json
is '.text == "Hello Ada!\n- x\nfocus: none"'
run "missing names, all at once" 1 mail render greet --strict --json
is '[.errors[] | [.error_code, .value, .file, .line, .column]] == [["missing_names", "name", "greet.j2", 1, 10], ["missing_names", "tasks", "greet.j2", 2, 13]]'
run "no such template" 2 mail render nope.j2 --json # checklist 7
is '.error_code == "not_found" and (.message | contains("\u0027nope.j2\u0027 in .conclave/mail/templates")) and .valid_options == ["greet.j2", "part.j2"]'
run "a text in the place of a template" 2 mail stage "What is 2+2?"
has "give --text for a prompt" err
for name in ../templates/greet.j2 /etc/passwd; do
    run "not a template: $name" 1 mail render $name --json
done
printf '{{ 1 +\n}}' >$mail/templates/bad.j2
run "a template that cannot be read" 1 mail render bad --json
is '.error_code == "invalid_template" and .file == "bad.j2" and .line == 2 and .column == 1'
printf '{%% for i in range(10**9) %%}{%% endfor %%}' >$mail/templates/endless.j2
run "a template without end" 2 mail render endless --json
is '.error_code == "limit_exceeded"'
printf '{%% include "self.j2" %%}' >$mail/templates/self.j2
run "a template in itself" 2 mail render self --json
is '.error_code == "limit_exceeded"'

# ---- the slot -------------------------------------------------------------------------------------------------------
run "stage" 0 mail stage greet --context '{"name": "Ada"}' --json # checklist 8, 15
is '.state == "staged" and .path == ".conclave/mail/temp/cursor_input.txt"'
first=$(jq -r .request_id "$out")
[ "$(cat $temp/cursor_input.txt)" = "Hello Ada!
focus: none" ] && [ "$(wc -c <$temp/cursor_input.txt)" -eq 22 ] && [ "$(cat $temp/cursor_input.id)" = "$first" ]
ok $? "the text and nothing more, and its id beside it"
run "never over an unread prompt" 1 mail stage --text two --json # checklist 18
is '.error_code == "prompt_waiting"'
run "not by --replace either" 1 mail stage --text two --replace --json
run "but behind it" 0 mail stage --text two --queue --json
is '.state == "queued"'
second=$(jq -r .request_id "$out")
run "a third one, in words" 0 mail stage --text three --queue --dry-run
[ "$(sed 's/request .*/request ID/; /^dry run/d' "$out")" = "The prompt could wait behind another one (5 bytes):
  request ID" ]
ok $? "it waits, and no path follows"
timeout 60 "$conclave" mail fetch --timeout-seconds 3600 --data '{"dry_run": "x"}' --json >"$out" 2>"$err"
[ $? -eq 1 ]
ok $? "a faulty request is refused at once: it does not wait for an answer first"
name="the fault" && is '.field == "dry_run"'
run "nothing yet" 0 mail fetch --json # checklist 17
is ".state == \"nothing\" and .waits_for == \"$first\""
run "take" 0 mail take --json
is '.state == "taken" and .text == "Hello Ada!\nfocus: none"'
run "once" 0 mail take --json
is '.state == "nothing"'
[ ! -e $temp/cursor_input.txt ] && [ -e "$mail/archive/cursor_input-$first.txt" ]
ok $? "what was taken lies in the archive"
run "an answer under another id" 1 mail answer "215 files" --request-id nope --json
is '.error_code == "prompt_not_found"'
run "a command as answer" 0 mail answer '{"command": "run_test", "target_id": "Planner-1", "params": {"n": 1.0}}' --json
run "fetch" 0 mail fetch --json # checklist 9, 17
is '.state == "answered" and .answer.command == "run_test" and .routed.receipts == [{"to": "Planner-1", "state": "accepted", "seq": 1}]'
run "it is in the mailbox of its target" 0 mail inbox Planner-1 --json
is '.messages[0].command == "run_test" and .messages[0].params == {"n": 1.0} and .messages[0].from == "System"'
run "never twice" 0 mail fetch --json
is '.state == "nothing"'
run "but by its id" 0 mail fetch "$first" --json
is '.answer.command == "run_test"'
[ "$(cat $temp/cursor_input.txt)" = two ] && [ "$(cat $temp/cursor_input.id)" = "$second" ]
ok $? "the next prompt of the queue is staged"
printf '{"late": [1], // said so\n' >$temp/cursor_output.json
run "an answer that is still being written" 0 mail fetch --json # checklist 25
is '.state == "nothing"'
printf '{"late": [1], // said so\n}' >$temp/cursor_output.json
run "a file, mended" 0 mail fetch --json
is '.answer == {"late": [1]} and (.repaired | contains("comment"))'
[ ! -e $temp/cursor_output.json ] && [ ! -e $temp/cursor_input.txt ] && grep -q "said so" "$mail/archive/cursor_output-$second.json"
ok $? "answer and prompt lie in the archive, as they were" # checklist 23
run "never twice" 0 mail fetch --json
is '.state == "nothing"'
printf '{"a": 1, "b' >$temp/cursor_output.json
touch -d '1 minute ago' $temp/cursor_output.json
run "what is no answer" 1 mail fetch --json # checklist 25
is '.error_code == "answer_damaged"'
[ "$(cat $mail/quarantine/cursor_output-*.json)" = '{"a": 1, "b' ] && [ -s "$(ls $mail/quarantine/*.reason.txt)" ]
ok $? "is kept in the quarantine, with its reason"
echo '{"request_id": "unasked", "x": 1}' >$temp/cursor_output.json
run "an answer that nobody asked for" 0 mail fetch --json
is '.answer.x == 1 and .warnings[0].type == "unknown_request_id"'
printf 'by hand' >$temp/cursor_input.txt
run "a prompt that somebody wrote there" 1 mail stage --text three --json
is '.error_code == "prompt_waiting"'
rm $temp/cursor_input.txt
run "stage" 0 mail stage --text three --json
rm $temp/cursor_input.txt
run "a reader that takes the file away has taken it" 1 mail stage --text four --json
has "was read, and is not answered yet" out
run "given up" 0 mail stage --text four --replace --json
is '.state == "staged"'
(sleep 1 && echo '{"ok": true}' >$temp/cursor_output.json) &
run "waiting for an answer" 0 mail fetch --timeout-seconds 20 --json
is '.answer == {"ok": true}'
wait
ln -s /etc/passwd $temp/cursor_output.json
run "a link in its place" 1 mail fetch --json
is '.error_code == "answer_damaged"'
[ ! -L $temp/cursor_output.json ] && [ -L "$(find $mail/quarantine -type l)" ]
ok $? "is moved away as a link"

# ---- states ---------------------------------------------------------------------------------------------------------
run "set" 0 mail state set focus '{"a": [1.50]}' --json # checklist 10
is '.version == 1 and .value == {"a": [1.50]}'
run "get" 0 mail state get focus --json
is '.value == {"a": [1.5]} and .path == ".conclave/mail/temp/focus.json"'
jq -e '. == {"a": [1.5]}' $temp/focus.json >/dev/null
ok $? "its file is JSON"
run "one that is not there" 1 mail state get fokus
has "there is no state 'fokus'; 'conclave mail state' shows all names when its action is 'list' [state_not_found]" err
run "of an agent" 0 mail state set focus 7 --agent muffin --json
[ "$(cat $mail/runtime/muffin/focus.json)" = 7 ]
ok $? "in the agent's folder"
run "the supervisor's" 0 mail state set supervisor_state '{"current_focus": "bread"}' --expect null --json # checklist 14
run "merged" 0 mail state set supervisor_state '{"goals": []}' --merge --expect-version 1 --json
is '.value == {"current_focus": "bread", "goals": []} and .version == 2'
run "compare and set" 1 mail state set supervisor_state 1 --expect '{"current_focus": "cake"}' --json
is '.error_code == "state_changed"'
run "templates see it" 0 mail render part --json
is '.text == "focus: bread"'
run "all" 0 mail state list --json
is '[.states[].name] == ["focus", "supervisor_state"]'
run "a text that is no JSON" 0 mail state set focus-in-words "so so" --json
run "… is a text" 0 mail state get focus-in-words --json
is '.value == "so so"'
run "JSON with a fault" 2 mail state set focus-in-words '{so' --json
is '.error_code == "invalid_json"'
for name in ../x cursor_output a/b .hidden; do
    run "not a name: $name" 1 mail state set $name 1 --json
done
# the same request again shows it again: one that was killed after the write has not
run "set with an op_id" 0 mail state set shown 1 --op-id shown-1 --json
rm $temp/shown.json
run "set again" 0 mail state set shown 1 --op-id shown-1 --json
[ "$(cat $temp/shown.json)" = 1 ]
ok $? "its file is there again"
# of many who set and get it at once, each makes one version: no file of ours is taken for one that a hand has written
for k in 1 2 3 4 5 6; do
    for i in 1 2 3 4 5 6 7 8; do
        "$conclave" mail state set crowded $k$i --json && "$conclave" mail state get crowded --json >/dev/null
    done >crowd-$k 2>&1 &
done
wait
run "after all of them" 0 mail state get crowded --json
is '.version == 48'
[ "$(cat crowd-* | jq .version | sort -n | uniq | wc -l)" = 48 ] && [ "$(cat $temp/crowded.json)" = "$(jq .value "$out")" ]
ok $? "each has got a version of its own, and the file shows the last one"
rm crowd-* $temp/crowded.json $temp/shown.json
# what a hand writes is the next value: in place, by a rename, in pieces
echo '{"by": "hand"}' >$temp/focus.json
run "written in place" 0 mail state get focus --json
is '.version == 2 and .value == {"by": "hand"}'
echo '{"by":    "editor"}' >$temp/focus.json~ && mv $temp/focus.json~ $temp/focus.json
run "written over it by a rename" 0 mail state set focus '{"c": 2}' --merge --json
is '.version == 4 and .value == {"by": "editor", "c": 2}'
[ "$(jq -c . $temp/focus.json)" = '{"by":"editor","c":2}' ] && ! ls $temp/focus.json.before-* >/dev/null 2>&1
ok $? "the file shows what was set, and nothing is left over"
echo '{"by":   "editor", "c": 2}' >$temp/focus.json
run "the same value in other words" 0 mail state get focus --json
is '.version == 4'
[ "$(cat $temp/focus.json)" = '{"by":   "editor", "c": 2}' ]
ok $? "stays as it was written"
printf '{"by": "pie' >$temp/focus.json
run "half of a file" 0 mail state get focus --json
is '.version == 4'
[ "$(cat $temp/focus.json)" = '{"by": "pie' ]
ok $? "waits"
run "set meanwhile" 0 mail state set focus 5 --json
printf 'ces"}\n' >>$temp/focus.json
run "its other half" 0 mail state get focus --json
is '.version == 6 and .value == {"by": "pieces"}'
printf '{"by": ' >$temp/focus.json && touch -d '10 seconds ago' $temp/focus.json
run "what never becomes whole" 0 mail state get focus --json
is '.version == 6 and .value == {"by": "pieces"}'
[ "$(cat $mail/quarantine/*-focus.json)" = '{"by": ' ] && [ -s $mail/quarantine/*-focus.json.reason.txt ] && [ "$(jq -c . $temp/focus.json)" = '{"by":"pieces"}' ]
ok $? "is in quarantine with its reason, and the state is shown again"
echo '{"new": true}' >$mail/runtime/muffin/mood.json && echo '{"current_focus": "bread", "goals": [1]}' >$mail/runtime/supervisor_state.json
run "a new one of an agent" 0 mail state get mood --agent muffin --json
is '.version == 1 and .value == {"new": true}'
run "the supervisor's, edited" 0 mail state get supervisor_state --json
is '.version == 3 and .value.goals == [1]'
i=0
while [ $i -lt 8 ]; do
    echo "{\"n\": $i}" >$temp/many.json~ && mv $temp/many.json~ $temp/many.json
    "$conclave" mail state set many "{\"m\": $i}" --merge --json >"$out" 2>>"$err"
    i=$((i + 1))
done
run "both, in turns" 0 mail state get many --json
is '.version == 16 and .value == {"n": 7, "m": 7}'
[ "$(ls $temp | grep -c before)" = 0 ]
ok $? "nothing was kept aside"
# Several set one state, and somebody takes files in meanwhile: the file of an older value is not the edit of a hand.
"$conclave" mail watch 60 >/dev/null 2>>"$err" &
watcher=$!
for i in 1 2 3 4 5 6; do
    setters=""
    for k in 1 2 3 4 5 6; do
        "$conclave" mail state set busy "{\"i\": $i, \"k\": $k}" --json >"$work/set.$k" 2>>"$err" &
        setters="$setters $!"
    done
    wait $setters
done
sleep 0.2
kill $watcher
wait $watcher
run "set by six at a time" 0 mail state get busy --json
is '.version == 36'
[ "$(jq -sc 'max_by(.version).value' "$work"/set.*)" = "$(jq -c .value "$out")" ] && [ "$(jq -c . $temp/busy.json)" = "$(jq -c .value "$out")" ]
ok $? "the last one stands, and its file shows it"

# ---- the governance log ---------------------------------------------------------------------------------------------
log=$mail/governance_memory.jsonl
run "an event" 0 mail log POLICY_CHANGED --agent-source User --details '{"quota": 100}' --json # checklist 12
is '.event_id == "event-0000000003"' # behind the two agents that were registered
jq -e 'keys_unsorted == ["event_id", "timestamp", "event_type", "agent_source", "details", "prev"]' $log >/dev/null
ok $? "a line as it was decided"
cp $log before
for n in 1 2 3 4 5 6 7 8; do
    for m in 1 2 3; do "$conclave" mail log "E$n-$m" --agent-source muffin --json || echo failed; done >log.$n 2>&1 &
done
wait
ok "$(cat log.* | grep -c failed)" "eight writers"
[ "$(wc -l <$log)" -eq 27 ] && cmp -s -n "$(wc -c <before)" before $log && [ "$(jq -r .event_id $log | sort -u | wc -l)" -eq 27 ]
ok $? "a line each, and those before stand as they were"
chain() {
    last=0000000000000000000000000000000000000000000000000000000000000000
    while IFS= read -r line; do
        [ "$(printf '%s' "$line" | jq -r .prev)" = $last ] || return 1
        last=$(printf '%s' "$line" | sha256sum | cut -d ' ' -f 1)
    done <$log
}
chain
ok $? "a chain of hashes"
cp $log before
truncate -s -20 $log
run "behind a torn line" 0 mail log AFTER --agent-source muffin --json
head -n 27 $log | cmp -s - before && [ "$(wc -l <$log)" -eq 28 ] && chain
ok $? "which is completed"
rm $log
run "a file that is lost" 0 mail log AGAIN --agent-source muffin --json
[ "$(wc -l <$log)" -eq 29 ] && chain
ok $? "is written again"
run "listed" 0 mail governance --limit 2 --json
is '[.events[].event_type] == ["AGAIN", "AFTER"] and .next == 28'
run "a page for people" 0 mail governance --limit 2
has "AGAIN"
# registrations and policies: once each, also when the folder is gone through from the beginning
run "an agent" 0 agent add logged --json
run "its limit" 0 agent limit logged --quota 7 --reason "it is slow" --json
run "its commands" 0 agent commands logged --set '[{"command": "bake"}]' --json
run "its other name" 0 agent alias logged Logged-1 --json
run "its end" 0 agent remove logged --json
for n in 1 2 3 4; do "$conclave" mail watch 0 >/dev/null 2>&1 & done
wait
rm $mail/.position
run "they are in the log" 0 mail governance --limit 1000 --json
is '[.events[] | select(.details.agent == "logged") | [.event_type, .details.change]] | reverse == [["AGENT_REGISTERED", "created"], ["POLICY_CHANGED", "limited"], ["AGENT_CHANGED", "alias_added"], ["AGENT_REMOVED", "removed"]]'
is '[.events[] | select(.event_type == "AGENT_REGISTERED") | .details.agent] | sort == ["Planner-1", "logged", "muffin"]'
is 'any(.events[]; .details.reason == "it is slow" and .agent_source == "System")'
[ "$(wc -l <$log)" = "$(jq '.events | length' "$out")" ] && chain
ok $? "and in its file"

# ---- reports --------------------------------------------------------------------------------------------------------
run "a report" 0 mail report week-46 --title "Week 46" --text "All ovens are free." --json # checklist 2, 11
[ "$(cat $mail/analysis/week-46.md)" = "# Week 46

All ovens are free." ]
ok $? "as markdown"
run "another text under its name" 1 mail report week-46 --text other --json
is '.error_code == "report_exists"'
run "from a template" 0 mail report focus --template part --json
run "a log" 0 mail report ovens --kind log --text "One is hot." --agent muffin --json
run "another entry" 0 mail report ovens --kind log --text "Two are hot." --json
[ "$(grep -c '^## 20' $mail/logs/ovens.md)" -eq 2 ]
ok $? "below the first"
for i in 1 2 3 4; do
    for k in 1 2 3 4 5 6 7 8; do "$conclave" mail report many-$i --kind log --text "entry $k" >/dev/null 2>>"$err" & done
    wait
done
[ "$(cat $mail/logs/many-*.md | grep -c '^entry')" -eq 32 ]
ok $? "of eight who add to it at a time, the file shows all"
rm $mail/logs/many-*.md
run "a reflection" 0 mail reflect "I asked too late." --agent muffin --json # checklist 13
is '.path | test("^.conclave/mail/_agent_coordination/muffin/reflection/20[0-9T-]+[.]md$")'
run "without a title, in words" 0 mail reports --limit 1000
[ "$(grep -cF analysis/focus.md "$out")" -eq 1 ]
ok $? "its path is there once"
run "listed" 0 mail reports --json
is '[.reports[] | select(.path | contains("many") | not) | .kind] == ["reflection", "analysis", "analysis", "log"]'
run "searched" 0 search ovens --json
is 'any(.results[]; .kind == "report" and .id == "analysis/week-46.md")'
run "not a name" 1 mail report ../x --text y --json

# a command in an answer keeps the limits of its sender: it is not sent, and the answer is handed out all the same
"$conclave" agent add limited >/dev/null && "$conclave" agent limit limited --send-rate 1 >/dev/null
for n in 1 2 3; do
    "$conclave" mail stage --text "again $n" --as limited >/dev/null
    "$conclave" mail answer '{"command": "again", "target_id": "Planner-1"}' >/dev/null
    "$conclave" mail fetch --json >"$work/fetched.$n"
done
jq -se 'all(.state == "answered") and ([.[] | select(.routed)] | length) <= 2 and any(.[].warnings[]?; .type == "not_routed" and (.message | contains("in a minute")))' "$work"/fetched.* >/dev/null
ok $? "a command beyond the rate of its sender is not sent, and told"
# What a routed command may be is what a sent one may be; its tasks are stored.
run "a limit" 0 agent limit muffin --size 2000 --send-rate 1000 --json
large=$(head -c 3000 /dev/zero | tr '\0' x)
printf '{"command": "note", "source_id": "muffin", "target_id": "Planner-1", "params": {"text": "%s"}}' "$large" >$temp/cursor_output.json
run "a command that is too large" 0 mail fetch --json
is '.state == "answered" and (.routed | not) and any(.warnings[]; .type == "not_routed" and (.message | contains("may send 2000")))'
run "a request for tasks" 0 mail send --data '{"type": "GENERATE_TASK_SEQUENCE", "source_id": "muffin", "target_id": "Planner-1", "data": {"task_id": "routed-plan", "params": {"goal": "Bake."}}}' --json
completed() { printf '{"type": "TASK_COMPLETED", "source_id": "Planner-1", "target_id": "muffin", "data": {"correlation_id": "%s", "task_id": "%s", "results": [{"task_id": "knead", "action": "KNEAD", "params": {"n": 1.50}, "target_agent": "%s", "status": "PENDING", "priority": 3, "depends_on": []}, {"task_id": "bake", "action": "BAKE", "params": {}, "target_agent": "muffin", "status": "PENDING", "priority": 2, "depends_on": ["knead"]}]}}' "$1" "$1" "$2" >$temp/cursor_output.json; }
completed routed-plan nobody
run "tasks for nobody" 0 mail fetch --json
is '.state == "answered" and (.routed | not) and any(.warnings[]; .type == "not_routed" and (.message | contains("nobody")))'
completed nothing muffin
run "tasks that nobody asked for" 0 mail fetch --json
is '.state == "answered" and (.routed | not) and any(.warnings[]; .type == "not_routed" and (.message | contains("no message and no task")))'
completed routed-plan muffin
run "tasks" 0 mail fetch --json
is '.routed.receipts[0].to == "muffin" and (.warnings | not)'
run "they are a plan" 0 mail graph routed-plan --json
is '[.tasks[] | [.task_id, .status, .waits_for]] == [["knead", "PENDING", 0], ["bake", "PENDING", 1]]'
run "the message as it was written" 0 mail inbox muffin --json
is 'any(.messages[]; .command == "TASK_COMPLETED" and .correlation_id == "routed-plan") and any(.messages[]; .command == "KNEAD")'
run "the record agrees with itself" 0 verify

# A command keeps what says how urgent it is, until when it is valid, and what it answers; and it may have several targets.
routed() { "$conclave" mail stage --text "question" >/dev/null && "$conclave" mail answer "$1" >/dev/null && run "$2" 0 mail fetch --json; }
routed '{"command": "late", "target_id": "muffin", "message": "x", "expires_at": "2020-01-01T00:00:00Z"}' "a command that has expired"
is '[.routed.receipts[] | [.to, .state]] == [["muffin", "expired"]]'
for at in '"tomorrow"' '{"hours": 2}'; do
    routed '{"command": "late", "target_id": "muffin", "expires_at": '"$at}" "an expiry that is not a time: $at"
    is '.state == "answered" and (.routed | not) and any(.warnings[]; .type == "not_routed" and (.message | contains("expires_at")))'
done
routed '{"command": "late", "target_id": "muffin", "priority": "soonish"}' "a priority that nobody knows"
is '.state == "answered" and (.routed | not) and any(.warnings[]; .type == "not_routed" and (.message | contains("priority")))'
routed '{"command": "pair", "target_id": ["muffin", "Planner-1"], "priority": "HIGH", "reply_to": "'"$("$conclave" mail inbox muffin --all --limit 1 --json | jq -r '.messages[0].message_id')"'"}' "several targets"
is '[.routed.receipts[].to] == ["muffin", "Planner-1"]'
run "urgent" 0 mail read "$(jq -r .routed.message_id "$out")" --json
is '.message.priority == 2 and .message.reply_to'

# Its own id, its time, and what it supersedes; the same command again is the same message.
routed '{"command": "first", "target_id": "muffin", "source_id": "Planner-1", "message_id": "own-1", "expires_in": 3600, "timestamp": "2026-01-02T03:04:05Z"}' "a command with an id"
is '.routed.message_id == "own-1" and (.warnings | not)'
run "as it was written" 0 mail read own-1 --json
is '.message.sent_at[:19] == "2026-01-02T03:04:05" and .message.expires_at != null'
routed '{"command": "first", "target_id": "muffin", "source_id": "Planner-1", "message_id": "own-1", "expires_in": 3600, "timestamp": "2026-01-02T03:04:05Z"}' "once more"
is '.routed.message_id == "own-1" and (.warnings | not)'
run "it is there once" 0 mail inbox muffin --all --limit 1000 --json
is '[.messages[] | select(.command == "first")] | length == 1'
routed '{"command": "other", "target_id": "muffin", "source_id": "Planner-1", "message_id": "own-1"}' "another command under this id"
is '.state == "answered" and (.routed | not) and any(.warnings[]; .type == "not_routed" and (.message | contains("own-1")))'
routed '{"command": "second", "target_id": "muffin", "source_id": "Planner-1", "message_id": "{{ID}}", "supersedes": "own-1"}' "a correction"
is '.routed.message_id != "{{ID}}" and (.warnings | not)'
run "what it corrects" 0 mail inbox muffin --all --limit 1000 --json
is '[.messages[] | select(.command == "first" or .command == "second") | [.command, .state]] | sort == [["first", "superseded"], ["second", "new"]]'
# What is not sent is told.
for answer in '{"command": "c", "target_id": "muffin", "supersedes": "nowhere"}' '{"command": "c", "target_id": "muffin", "source_id": "muffin", "supersedes": "own-1"}' \
    '[{"command": "c", "target_id": "muffin"}, {"command": "c", "to": "Planner-1"}]' '["first", {"type": "c", "to": "muffin"}]' '{"command": "c", "target_id": 7}' \
    '{"command": "c", "to": "muffin", "target_id": "Planner-1"}' '{"command": "c", "target_id": "muffin", "expires_in": "soon"}' '{"command": "c", "target_id": "muffin", "expires_in": 1e9}' \
    '{"command": "c", "target_id": "muffin", "expires_in": 60, "expires_at": "2150-01-01T00:00:00Z"}' '{"command": "c", "target_id": "muffin", "message_id": "'"$(printf '%0201d' 0)"'"}'; do
    routed "$answer" "told: $(echo "$answer" | cut -c1-100)"
    is '.state == "answered" and (.routed | not) and ([.warnings[].type] | unique == ["not_routed"])'
done
for answer in '[{"command": "alone", "target_id": "muffin"}]' '"{\"command\": \"alone\", \"to\": \"muffin\"}"'; do
    routed "$answer" "like a file: $answer"
    is '.routed.receipts[0].to == "muffin"'
done
for answer in '["first", {"note": 1}, []]' '"text"' '{"command": "c"}' '{"command": "c", "target_id": null}' '[]'; do
    routed "$answer" "an answer and no command: $answer"
    is '.state == "answered" and (.routed | not) and (.warnings | not)'
done

# ---- files that cannot be written -----------------------------------------------------------------------------------
# The record is the truth: what was done is told as done, and the file comes later.
blocked() { rm -f $temp/cursor_input.id && mkdir $temp/cursor_input.id; }
run "the slot is free" 0 mail fetch --json
is '.state == "nothing" and (.waits_for | not)'
blocked
run "stage" 0 mail stage --text "late" --op-id late --json
is '.state == "staged" and ([.warnings[].type] == ["file_not_written"])'
late=$(jq -r .request_id "$out")
run "the same request again" 0 mail stage --text "late" --op-id late --json
is ".replayed and .request_id == \"$late\""
run "the same text again" 1 mail stage --text "late" --json
is ".error_code == \"prompt_waiting\" and .value == \"$late\" and (.message | contains(\"is staged, but its file cannot be written\"))"
run "behind it" 0 mail stage --text "later" --queue --json
is '.state == "queued" and ([.warnings[].type] == ["file_not_written"])'
run "nobody takes it while its file cannot be moved" 2 mail take --json
rmdir $temp/cursor_input.id
run "take" 0 mail take --json
is ".request_id == \"$late\" and .text == \"late\" and (.warnings | not)"
"$conclave" mail answer '"yes"' >/dev/null
blocked
"$conclave" mail fetch --json >"$out" 2>"$err" || "$conclave" mail fetch --json >"$out" 2>"$err"
rmdir $temp/cursor_input.id
run "the next one" 0 mail take --json
is '.text == "later"'
"$conclave" mail answer '"no"' >/dev/null
run "and its answer" 0 mail fetch --json
is '.answer == "no"'

# A process that has locked a folder and was stopped keeps the lock; what is done waits for it for a while only.
flock --no-fork $mail/logs sleep 600 &
holder=$!
await sh -c "! flock -n $mail/logs true"
run "a log in a folder that another process has locked" 0 mail report ovens --kind log --text "Three are hot." --json
has "another process has kept it locked" err
kill $holder
wait $holder 2>/dev/null
run "when it is free" 0 mail inbox muffin
[ "$(grep -c '^## 20' $mail/logs/ovens.md)" -eq 3 ]
ok $? "the file shows it"

# ---- kill -9 --------------------------------------------------------------------------------------------------------
# The program itself is killed, without LeakSanitizer, which cannot be traced.
export ASAN_OPTIONS="detect_leaks=0"
kill_step=${CV_SOAK:+1}
kill_step=${kill_step:-7}
absent=0 whole=0 wrong=0
killed_stage() { # what was staged is there once, whole, or not at all; the next call shows it
    "$conclave" mail take --json >took 2>/dev/null || wrong=$((wrong + 1))
    case $(jq -r .state took) in
    taken)
        whole=$((whole + 1))
        [ "$(jq -r .text took)" = "prompt $1" ] || wrong=$((wrong + 1))
        "$conclave" mail answer '1' >/dev/null && "$conclave" mail fetch >/dev/null || wrong=$((wrong + 1))
        ;;
    *) absent=$((absent + 1)) && [ "$2" -ne 0 ] || wrong=$((wrong + 1)) ;;
    esac
    [ ! -e $temp/cursor_input.txt ] || wrong=$((wrong + 1))
}
stage_killed() {
    at=1 status=137 points=0
    while [ $status -eq 137 ]; do
        "$root/build/kill_at" $at "$program" mail stage --text "prompt $at" --json >"$out" 2>"$err"
        status=$?
        if [ -e $temp/cursor_input.txt ] && [ "$(cat $temp/cursor_input.txt)" != "prompt $at" ]; then wrong=$((wrong + 1)); fi
        killed_stage $at $status
        points=$((points + 1))
        at=$((at + kill_step))
    done
}
stage_killed # checklist 16, 22
echo "# stage: $points kill points, $absent absent, $whole whole"
[ $wrong -eq 0 ] && [ $points -ge 5 ] && [ $absent -ge 1 ] && [ $whole -ge 1 ]
ok $? "stage, killed at $points points: absent or whole"

again=0 first_time=0 wrong=0
fetch_killed() {
    at=1 status=137 points=0
    while [ $status -eq 137 ]; do
        "$conclave" mail stage --text "question $at" >/dev/null || wrong=$((wrong + 1))
        echo "{\"n\": $at, \"command\": \"note\", \"target_id\": \"muffin\"}" >$temp/cursor_output.json
        id=$(cat $temp/cursor_input.id)
        "$root/build/kill_at" $at "$program" mail fetch --json >"$out" 2>"$err"
        status=$?
        got=$([ $status -eq 0 ] && jq -r '.answer.n // empty' "$out")
        "$conclave" mail fetch --json >second || wrong=$((wrong + 1))
        then=$(jq -r '.answer.n // empty' second)
        # Whoever was answered is not answered again; the answer is in the record in any case.
        if [ -n "$got" ]; then
            first_time=$((first_time + 1))
            [ "$got" = $at ] && [ -z "$then" ] || wrong=$((wrong + 1))
        elif [ -n "$then" ]; then
            again=$((again + 1))
            [ "$then" = $at ] || wrong=$((wrong + 1))
        fi
        [ "$("$conclave" mail fetch "$id" --json | jq .answer.n)" = $at ] || wrong=$((wrong + 1))
        points=$((points + 1))
        at=$((at + kill_step))
    done
}
fetch_killed # checklist 22, 24
sent=$("$conclave" mail inbox muffin --limit 1000 --json | jq '[.messages[] | select(.command == "note")] | length')
echo "# fetch: $points kill points, $first_time answered at once, $again by the next fetch, $sent commands"
[ $wrong -eq 0 ] && [ $points -ge 5 ] && [ $first_time -ge 1 ] && [ $again -ge 1 ]
ok $? "fetch, killed at $points points: answered once"
[ "$sent" -eq $points ] && [ -z "$(ls -A $temp | grep -v cursor_input.id | grep -v -e focus -e many -e busy)" ]
ok $? "every command was sent once, and no file is left over"

absent=0 whole=0 wrong=0
report_killed() {
    at=1 status=137 points=0
    while [ $status -eq 137 ]; do
        "$root/build/kill_at" $at "$program" mail report killed-$at --text "text $at" --json >"$out" 2>"$err"
        status=$?
        "$root/build/kill_at" $at "$program" mail state set killed "{\"n\": $at}" --json >"$out" 2>"$err"
        set=$?
        "$conclave" mail watch 0 >/dev/null || wrong=$((wrong + 1))
        if "$conclave" mail reports --limit 1000 --json | jq -e "any(.reports[]; .path == \"analysis/killed-$at.md\")" >/dev/null; then
            whole=$((whole + 1))
            [ "$(cat $mail/analysis/killed-$at.md)" = "text $at" ] || wrong=$((wrong + 1))
        else
            absent=$((absent + 1))
            [ $status -ne 0 ] && [ ! -e $mail/analysis/killed-$at.md ] || wrong=$((wrong + 1))
        fi
        shown=$(jq -c . $temp/killed.json 2>/dev/null)
        value=$("$conclave" mail state get killed --json 2>/dev/null | jq -c 'select(.version).value')
        [ "$shown" = "$value" ] || wrong=$((wrong + 1))
        [ $set -ne 0 ] || [ "$value" = "{\"n\":$at}" ] || wrong=$((wrong + 1))
        points=$((points + 1))
        at=$((at + kill_step))
    done
}
report_killed # checklist 11, 22
echo "# report: $points kill points, $absent absent, $whole whole"
[ $wrong -eq 0 ] && [ $points -ge 5 ] && [ $absent -ge 1 ] && [ $whole -ge 1 ]
ok $? "report and state, killed at $points points: absent or whole, and the files show what is there"
finish
