#!/bin/sh
# mail_files.sh - the folders of the mail room: written from the record, and taken in from hands that have nothing but
# ls, cat, mv and an editor.
. "$(dirname "$0")/lib.sh"

mail=.conclave/mail
agent() { "$conclave" agent add "$@" >"$out" 2>"$err" || ok 1 "agent add $*"; }
look() { "$conclave" mail watch 0 >"$out" 2>"$err" || ok 1 "mail watch 0"; }
# put FILE TEXT: drops a file as an editor does, whole.
put() { printf '%s\n' "$2" >"$work/drop" && mv "$work/drop" "$1"; }
# aged FILE: nobody has changed it for a while.
aged() { touch -d '10 seconds ago' "$@"; }
messages() { "$conclave" mail inbox "$1" --all --limit 1000 --json 2>>"$err" | jq -r ".messages[] | $2"; }

project
agent muffin
agent Planner-1 --aliases Planner1

# checklist 19: registering an agent makes inbox and outbox
[ -d $mail/runtime/muffin/outbox ] && [ -d $mail/runtime/Planner-1/inbox ]
ok $? "an agent has an inbox and an outbox"
look

# ---- written from the record ----------------------------------------------------------------------------------------
run "send" 0 mail send --from muffin --to Planner-1 --command run_test --params '{"path": "test/", "n": 1.50}' --task-id t1 --json
id=$(jq -r .message_id "$out")
file=$mail/runtime/Planner-1/inbox/task_0000000001.json
# checklist 5, 20: a task sent to an agent is one such file
jq -e --arg id "$id" '.message_id == $id and .sender_agent_id == "muffin" and .command == "run_test" and .task_id == "t1"' \
    $file >/dev/null
ok $? "a message is a file in the inbox"
# checklist 50: params are kept byte-true
grep -q '1\.50' $file
ok $? "its numbers are as they were written"
# checklist 1: every file that is written is strict JSON
jq -e . $file $mail/mailbox_*.json >/dev/null
ok $? "the files are JSON"
# checklist 40, 44: the mailbox file is exactly the printed shape
box=$(grep -l '"Planner-1"' $mail/mailbox_*.json)
jq -e --arg id "$id" 'keys_unsorted == ["status", "assigned_agent_id", "last_seen_utc", "messages", "processed_message_ids"]
    and .assigned_agent_id == "Planner-1" and .messages[0].message_id == $id and .processed_message_ids == []' "$box" >/dev/null
ok $? "mailbox_N.json has the printed shape"

# ---- moved by hand --------------------------------------------------------------------------------------------------
agentdir=$mail/runtime/Planner-1
mv $file $agentdir/claimed/
[ "$(messages Planner-1 .state)" = claimed ]
ok $? "mv to claimed/ claims"
mv $agentdir/claimed/task_0000000001.json $agentdir/done/
command jq '. + {output: {files_changed: 1}}' $agentdir/done/task_0000000001.json >"$work/o" && cat "$work/o" >$agentdir/done/task_0000000001.json
[ "$(messages Planner-1 .state)" = done ]
ok $? "mv to done/ finishes"
[ -f $agentdir/archive/task_0000000001.json ] && [ -z "$(ls $agentdir/done)" ]
ok $? "what is finished goes to the archive"
# checklist 23, 45: processed once, in the list exactly once
jq -e --arg id "$id" '.messages == [] and .processed_message_ids == [$id]' "$box" >/dev/null
ok $? "its id is among the processed ones, once"
# checklist 52, 53, 54, 55
jq -e --arg id "$id" '.message_id == $id and .task_id == "t1" and .agent_id == "Planner-1" and .status == "COMPLETED"
    and .output == {files_changed: 1} and .error_details == null' $mail/completed_tasks.json >/dev/null
ok $? "the outcome is a line of completed_tasks.json, with the output that was added to the file"

run "send" 0 mail send --from muffin --to Planner-1 "again"
mv $agentdir/inbox/task_0000000002.json $agentdir/failed/
[ "$(messages Planner-1 'select(.seq == 2) | .state')" = failed ]
ok $? "mv to failed/ without a claim is both in one"
[ -f $agentdir/inbox/task_0000000002.json ]
ok $? "with tries left it is in the inbox again"
tail -1 $mail/completed_tasks.json | jq -e '.status == "FAILED" and .output == null and (.error_details | type) == "object"' >/dev/null
ok $? "a failure is a line with its details"

# A file of the inbox that was deleted is written again, with a note.
rm $agentdir/inbox/task_0000000002.json
look
[ -f $agentdir/inbox/task_0000000002.json ] && grep -q 'task_0000000002.json was removed' $agentdir/files.log
ok $? "a deleted file is written again, and that is told"

# What a command has claimed is not finished by a file.
run "claim" 0 mail claim Planner-1 --json
token=$(jq .token "$out")
mv $agentdir/claimed/task_0000000002.json $agentdir/done/
look
[ -f $agentdir/claimed/task_0000000002.json ] && grep -q 'went back to claimed/' $agentdir/files.log
ok $? "a claim with a token is not finished by a file"
run "done" 0 mail done Planner-1 --message-id "$(messages Planner-1 'select(.seq == 2) | .message_id')" --token "$token"
[ -f $agentdir/archive/task_0000000002.json ]
ok $? "… but by whoever has the token, and the file follows"

# A claim by hand whose time is over: the file goes back, and moving it again claims again.
run "send" 0 mail send --from muffin --to Planner-1 "leases"
mv $agentdir/inbox/task_0000000003.json $agentdir/claimed/
look
printf 'not a message\n' >$agentdir/claimed/mine.txt
aged $agentdir/claimed/mine.txt
look
[ -f $agentdir/quarantine/mine.txt ] && grep -q 'only files of the inbox' $agentdir/quarantine/mine.txt.reason.txt
ok $? "another file in claimed/ goes to the quarantine, with the reason"
mv $agentdir/claimed/task_0000000003.json $agentdir/done/
look
[ "$(messages Planner-1 'select(.seq == 3) | .state')" = done ]
ok $? "claimed and done by hand"
run "send" 0 mail send --from muffin --to muffin "lease"
own=$mail/runtime/muffin
run "a claim of one second" 0 mail claim muffin --lease-seconds 1
[ -f $own/claimed/task_0000000001.json ]
ok $? "its file is in claimed/"
sleep 2.5
look
[ -f $own/inbox/task_0000000001.json ] && grep -q 'the time of its claim is over' $own/files.log
ok $? "when its time is over the file goes back to the inbox"
mv $own/inbox/task_0000000001.json $own/claimed/
look
[ "$(messages muffin 'select(.seq == 1) | [.state, .attempts] | tojson')" = '["claimed",2]' ]
ok $? "moving it again claims it again"
mv $own/claimed/task_0000000001.json $own/done/
look

# ---- dropped --------------------------------------------------------------------------------------------------------
outbox=$mail/runtime/muffin/outbox
# What is still to be sent: not what shows a message that was.
dropped() { ls $outbox | grep -v '^msg_[0-9a-f]\{8\}-\|^msg_m-'; }
# checklist 6, 21, 26, 28: the printed envelope, put into an outbox, is sent; pickup moves it
put $outbox/msg_1.json '{"type": "GENERATE_TASK_SEQUENCE", "source_id": "muffin", "target_id": "Planner1",
  "data": {"task_id": "plan-001", "params": {"goal": "Refactor the legacy utils directory and remove unused code."}}, "colour": 7}'
look
[ "$(messages Planner-1 'select(.command == "GENERATE_TASK_SEQUENCE") | .params.goal')" = "Refactor the legacy utils directory and remove unused code." ]
ok $? "a file in the outbox is sent, to an alias too"
[ -f $mail/runtime/muffin/archive/msg_1.json ] && [ -z "$(dropped)" ]
ok $? "it goes to the archive"
grep -q '"colour": 7' $agentdir/inbox/task_0000000004.json && grep -q '"data": {"task_id": "plan-001"' $agentdir/inbox/task_0000000004.json
ok $? "it arrives in its own writing, unknown fields included"

# Equal bytes are two messages; with a message_id they are one, and other bytes under it are refused.
for i in 1 2; do put $outbox/same_$i.json '{"command": "ping", "sender_agent_id": "muffin", "target_id": "Planner-1", "params": {}}'; done
for i in 1 2; do put $outbox/named_$i.json '{"message_id": "m-77", "command": "pong", "sender_agent_id": "muffin", "target_id": "Planner-1", "params": {}}'; done
look
[ "$(messages Planner-1 .command | grep -c ping)" = 2 ] && [ "$(messages Planner-1 .command | grep -c pong)" = 1 ]
ok $? "equal bytes are two messages, unless they carry an id"
# checklist 46
put $outbox/named_3.json '{"message_id": "m-77", "command": "pong", "sender_agent_id": "muffin", "target_id": "Planner-1", "params": {"n": 1}}'
look
[ -f $mail/runtime/muffin/quarantine/named_3.json ] && grep -q 'm-77' $mail/runtime/muffin/quarantine/named_3.json.reason.txt
ok $? "another content under the same id is refused"

# What models write: repaired, with the original kept and a note; not before it is quiet.
printf '{{\n  "type": "ALERT", // to all\n  "from": "muffin",\n  "to": "broadcast",\n  "body": "oven",\n}}\n' >$outbox/alert_{{uuid}}.json
look
[ -f "$outbox/alert_{{uuid}}.json" ]
ok $? "what must be repaired waits until nobody has changed it for a while"
aged $outbox/*
look
[ "$(messages Planner-1 'select(.command == "ALERT") | .params.body')" = oven ]
ok $? "then it is sent as it was meant"
cmp -s "$mail/runtime/muffin/archive/alert_{{uuid}}.json" - <<END && grep -q 'doubled_brace at 1:2, comment at 2:20' $mail/runtime/muffin/files.log
{{
  "type": "ALERT", // to all
  "from": "muffin",
  "to": "broadcast",
  "body": "oven",
}}
END
ok $? "the original is kept, and every repair told with its place"

# checklist 25: what cannot be read is quarantined with its reason, never treated as empty
: >$outbox/empty.json
printf '\0\0' >$outbox/nuls.json
printf 'tasks:\n  - a\n' >$outbox/yaml.json
printf '{"type": "x", "source' >$outbox/torn.json
put $outbox/nobody.json '{"type": "x", "source_id": "muffin", "target_id": "Planer-1", "data": {}}'
put $outbox/forged.json '{"type": "x", "source_id": "Planner-1", "target_id": "muffin", "data": {}}'
put $outbox/untold.json '{"type": "x", "source_id": "muffin", "data": {}}'
aged $outbox/*
look
q=$mail/runtime/muffin/quarantine
grep -q 'is empty' $q/empty.json.reason.txt && grep -q 'NUL bytes only' $q/nuls.json.reason.txt
ok $? "an empty file and one of NULs are told apart"
grep -q 'found YAML' $q/yaml.json.reason.txt && grep -q 'ends inside this string' $q/torn.json.reason.txt
ok $? "YAML and a torn file, each with its reason"
grep -q 'Planner-1' $q/nobody.json.reason.txt
ok $? "an unknown recipient is refused with the nearest name"
grep -q "in the outbox of 'muffin'" $q/forged.json.reason.txt && grep -q 'to whom' $q/untold.json.reason.txt
ok $? "a forged sender, and a message to nobody"
[ -z "$(dropped)" ] && cmp -s $q/torn.json - <<END
{"type": "x", "source
END
[ "$(cat $q/torn.json)" = '{"type": "x", "source' ]
ok $? "the files are kept as they were"

grep -q '^target_id: ' $q/nobody.json.reason.txt
ok $? "reasons have the names of the file, not those of a command"

# What an agent may not send in this minute waits, in its order.
"$conclave" agent add eager --limits '{"send_rate": 1}' >/dev/null
for i in 1 2; do put $mail/runtime/eager/outbox/e_$i.json '{"type": "eager", "source_id": "eager", "target_id": "Planner-1", "data": {}}'; done
run "more than the rate of its sender" 0 mail watch 0 --json
if [ "$(jq .taken "$out")" = 1 ]; then # else a minute has just begun
    is '.refused == 0 and ([.files[] | [.file, .outcome]] | contains([["e_2.json", "waiting"]])) and (.files[] | select(.file == "e_2.json").reason | contains("in a minute"))'
fi
"$conclave" agent limit eager --send-rate 100 >/dev/null
look
[ "$(messages Planner-1 .command | grep -c eager)" = 2 ] && [ -z "$(ls $mail/runtime/eager/quarantine)" ]
ok $? "it is sent when it may be"

# A file that grows waits; what was finished before it is sent before it.
{ printf '{"type": "slow", "source_id": "muffin", '; await [ -e "$work/looked" ]; printf '"target_id": "Planner-1", "data": {}}'; } >$outbox/a_slow.json &
await [ -s $outbox/a_slow.json ]
put $outbox/b_quick.json '{"type": "quick", "source_id": "muffin", "target_id": "Planner-1", "data": {}}'
look
[ -f $outbox/a_slow.json ] && [ ! -f $outbox/b_quick.json ]
ok $? "a file that another process writes to waits, and holds up nobody"
touch "$work/looked"
wait
look
[ "$(messages Planner-1 .command | tail -2 | tr '\n' ' ')" = "quick slow " ]
ok $? "then it is sent: messages come in the order in which their files were finished"

# Dropped into somebody's inbox, as agents have always done.
put $agentdir/inbox/from_user.json '{"sender": "User", "content": "please stop", "timestamp": "2025-04-23T21:07:59.8024209+00:00Z"}'
put $agentdir/inbox/from_nobody.json '{"content": "psst", "type": "x"}'
aged $agentdir/inbox/from_*.json
look
[ "$(messages Planner-1 'select(.from == "User") | .params.body')" = "please stop" ]
ok $? "a file dropped into an inbox is a message to its owner"
[ "$(messages Planner-1 'select(.from == "User") | [.sent_at, .age_seconds > 86400] | tojson')" = '["2025-04-23T21:07:59.802Z",true]' ]
ok $? "what comes late is as old as it says"
grep -q 'from whom' $agentdir/quarantine/from_nobody.json.reason.txt
ok $? "… if it says from whom"
# A folder under an alias is the agent's, too.
mkdir -p $mail/runtime/Planner1/outbox
put $mail/runtime/Planner1/outbox/x.json '{"type": "from_alias", "source_id": "Planner1", "target_id": "muffin", "data": {}}'
look
[ "$(messages muffin 'select(.command == "from_alias") | .from')" = Planner-1 ]
ok $? "what is put into the folder of an alias is not lost"

# ---- mailbox_N.json edited ------------------------------------------------------------------------------------------
open=$(jq -r '.messages[0].message_id' "$box")
before=$(jq '.messages | length' "$box")
command jq '.messages += [{"sender_agent_id": "User", "command": "edited_in", "params": {"k": [1]}}]
    | .processed_message_ids += [.messages[0].message_id]' "$box" >"$work/box" && cat "$work/box" >"$box"
look
[ "$(messages Planner-1 'select(.command == "edited_in") | .state')" = new ]
ok $? "a message that was added to mailbox_N.json is sent"
[ "$(messages Planner-1 "select(.message_id == \"$open\") | .state")" = done ]
ok $? "an id that was added as processed is done"
jq -e --arg id "$open" --argjson n "$before" '(.messages | length) == $n and (.processed_message_ids | index($id)) != null' "$box" >/dev/null
ok $? "the file shows both afterwards"
printf '{"status": "online", "messages": [' >"$box"
aged "$box"
look
ls $agentdir/quarantine | grep -q mailbox_ && jq -e '.messages | length > 0' "$box" >/dev/null
ok $? "a mailbox file that was broken is quarantined and written again: no message is lost"

command jq '.messages = {"a": .messages[0]}' "$box" >"$work/box" && cat "$work/box" >"$box"
look
grep -q '"messages" is a list' $agentdir/quarantine/*mailbox_*.reason.txt && jq -e '.messages | length > 0' "$box" >/dev/null
ok $? "messages that are not a list are refused"
command jq '.processed_message_ids += ["never-sent", 7]' "$box" >"$work/box" && cat "$work/box" >"$box"
look
grep -q "processed 'never-sent': there is no such message" $agentdir/files.log && grep -q 'processed_message_ids\[[0-9]*\]: an id is a text' $agentdir/files.log
ok $? "ids of no message are told"

# ---- completed_tasks.json with a torn end ---------------------------------------------------------------------------
lines=$(wc -l <$mail/completed_tasks.json)
printf '{"message_id": "half' >>$mail/completed_tasks.json
mv $agentdir/inbox/task_0000000005.json $agentdir/done/
look
[ "$(wc -l <$mail/completed_tasks.json)" = $((lines + 1)) ] && jq -e . $mail/completed_tasks.json >/dev/null
ok $? "a torn last line is cut off and the next one is whole"
cat $mail/completed_tasks.json.torn-* | grep -q half
ok $? "what was cut off is kept"

# An expiry that cannot be read must not be left out: the message would be valid for ever.
for at in '"tomorrow"' '"{{EXPIRES}}"' '{"hours": 2}' true; do
    put $outbox/expiry.json '{"command": "bounded", "sender_agent_id": "muffin", "target_id": "Planner-1", "params": {}, "expires_at": '"$at}"
    aged $outbox/expiry.json
    look
    grep -q 'expires_at' $q/expiry.json.reason.txt
    ok $? "an expiry that is not a time: $at"
    rm -f $q/expiry*
done
put $outbox/expiry.json '{"command": "bounded", "sender_agent_id": "muffin", "target_id": "Planner-1", "params": {}, "expires": ""}'
look
[ "$(messages Planner-1 'select(.command == "bounded") | [.state, .expires_at] | tojson')" = '["new",null]' ]
ok $? "an empty one is none"
# Seconds count from the time at which the file is taken in; the same file dropped again is the same message.
for in in '"expires_in": 3600' '"expiresIn": 3600' '"expires": "2150-01-02T03:04:05Z"'; do
    command="bounded-$(echo "$in" | cut -d'"' -f2)"
    file='{"command": "'$command'", "sender_agent_id": "muffin", "target_id": "Planner-1", "params": {}, "message_id": "'$command'", '"$in}"
    put $outbox/expiry.json "$file"
    look
    put $outbox/expiry.json "$file"
    look
    [ ! -e $q/expiry.json ] && [ "$(messages Planner-1 'select(.command == "'$command'") | [.state, .expires_at != null] | tojson')" = '["new",true]' ]
    ok $? "a file twice with $in"
done
for in in 0 -1 1.5 '"1h"' '{}' '60, "expires_at": "2150-01-02T03:04:05Z"'; do
    put $outbox/expiry.json '{"command": "unbounded", "sender_agent_id": "muffin", "target_id": "Planner-1", "params": {}, "expires_in": '"$in}"
    aged $outbox/expiry.json
    look
    grep -q 'expires_in' $q/expiry.json.reason.txt
    ok $? "seconds that are none: $in"
    rm -f $q/expiry*
done

# Two names of the expiry that say different things; of the sender and the recipient, where the file has none of the two
# writings, in which other names are fields of its own.
refused_pair() {
    put $outbox/pair.json "{$1}"
    aged $outbox/pair.json
    look
    grep -q "mean the same field, and say different things" $q/pair.json.reason.txt
    ok $? "names that say different things: $1"
    rm -f $q/pair*
}
for pair in '"target_id": "Planner-1", "to": "muffin"' '"target_id": ["Planner-1"], "recipient": ["muffin"]' '"to": "muffin", "TO": "Planner-1"' '"target_id": "Planner-1", "from": "Planner-1"'; do
    refused_pair '"command": "torn", "sender": "muffin", '"$pair"
done
for pair in '"expires_at": "2150-01-02T03:04:05Z", "expires": "2150-01-02T03:04:06Z"' '"expires_in": 60, "expiresIn": 61'; do
    for rest in '"command": "torn", "sender_agent_id": "muffin", "params": {}' '"type": "torn", "source_id": "muffin", "data": {}' '"command": "torn", "sender": "muffin"'; do
        refused_pair "$rest, \"target_id\": \"Planner-1\", $pair"
    done
done
put $outbox/pair.json '{"command": "whole", "source_id": "muffin", "target_id": "Planner-1", "to": "planner_1", "from": "", "agent_id": "x", "target": "y", "expires_at": "2150-01-02T03:04:05Z", "expires": "2150-01-02 03:04:05+00:00"}'
look
[ "$(messages Planner-1 'select(.command == "whole" or .command == "torn") | [.command, .expires_at[:19]] | tojson')" = '["whole","2150-01-02T03:04:05"]' ]
ok $? "names that say the same"

# ---- moved, and not what it seems -----------------------------------------------------------------------------------
agent baker
agent miller
# An output that is written in pieces is not lost.
run "send" 0 mail send --from User --to baker --message-id pieces "in pieces"
own=$mail/runtime/baker
mv $own/inbox/task_0000000001.json $own/done/
printf '{"message_id": "pieces", "output": {"loaves"' >$own/done/task_0000000001.json
run "half of an output" 0 mail watch 0 --json
is '.waiting == 1 and (.files[0].reason | contains("may still be written"))'
[ "$(messages baker 'select(.message_id == "pieces") | .state')" = new ] && printf ': 12}}\n' >>$own/done/task_0000000001.json
run "the other half" 0 mail read pieces --json
is '.message.state == "done" and .message.output == {"loaves": 12}'
# One that stays damaged is finished without it, and nobody is left to think that it was kept.
run "send" 0 mail send --from User --to miller --message-id damaged "in pieces"
mv $mail/runtime/miller/inbox/task_0000000001.json $mail/runtime/miller/done/
printf '{"message_id": "damaged", "output": {"loaves"' >$mail/runtime/miller/done/task_0000000001.json
aged $mail/runtime/miller/done/task_0000000001.json
run "an output that stays damaged" 0 mail watch 0 --json
is '.files | length == 1 and (.[0] | .outcome == "taken" and (.reason | endswith("it is finished without an output")))'
# A file of another mailbox, which has the same number, finishes and claims nothing here.
for to in baker miller; do run "send" 0 mail send --from User --to $to --message-id for-$to "to $to"; done
for folder in done claimed; do
    mv $own/inbox/task_0000000002.json $work/moved && sed 's/"for-baker"/"for-miller"/' $work/moved >$own/$folder/task_0000000002.json
    look
    [ "$(messages baker 'select(.message_id == "for-baker") | .state')" = new ] && grep -q 'it is another message: number 2 of baker is for-baker' $own/quarantine/*task_0000000002.json.reason.txt
    ok $? "another message in $folder/ is refused"
    rm -f $own/quarantine/*
done
mv $own/inbox/task_0000000002.json $own/done/ && look
"$conclave" mail done miller --message-id for-miller --token "$("$conclave" mail claim miller --message-id for-miller --json | jq .token)" >/dev/null

# A folder of an agent that somebody has removed comes back with what waits, also while nobody writes to that agent.
run "send" 0 mail send --from User --to baker --message-id lost "found again"
rm -r $own
look
[ -f $own/inbox/task_0000000003.json ] && [ -d $own/outbox ]
ok $? "a removed folder of an agent is made again, with its inbox"
rm -r $mail/runtime
run "another agent's command" 0 mail inbox miller
[ -f $own/inbox/task_0000000003.json ] && [ -d $mail/runtime/miller/done ]
ok $? "so are the folders of all"

# ---- hostile --------------------------------------------------------------------------------------------------------
echo '{"secret": 1}' >"$work/secret"
ln -s "$work/secret" $outbox/link.json
ln -s "$work" $outbox/folder
mkfifo $outbox/pipe.json
look
[ -z "$(dropped)" ] && [ "$(cat "$work/secret")" = '{"secret": 1}' ] && grep -q 'link' $q/link.json.reason.txt
ok $? "planted links and pipes are quarantined, and not followed"
echo '{}' >$agentdir/done/task_99999999999999999999.json
run "a file named by a number beyond all others" 0 mail inbox muffin
rm -f $agentdir/done/task_99999999999999999999.json
mv $mail/completed_tasks.json "$work/completed" && mkfifo $mail/completed_tasks.json
run "a pipe in the place of a file that is added to" 0 mail send --from muffin --to Planner-1 "finished soon" --message-id piped --json
token=$("$conclave" mail claim Planner-1 --message-id piped --json | jq .token)
run "the work is recorded" 0 mail done Planner-1 --message-id piped --token "$token" --json
has "a pipe, socket or device" err
rm $mail/completed_tasks.json && mv "$work/completed" $mail/completed_tasks.json
look
mv $mail/runtime/muffin "$work/elsewhere" && ln -s "$work/elsewhere" $mail/runtime/muffin
before=$(ls -R "$work/elsewhere" | wc -l)
run "send to an agent whose folder is a link" 0 mail send --from Planner-1 --to muffin "hello"
[ "$(ls -R "$work/elsewhere" | wc -l)" = "$before" ] && has "link" err
ok $? "nothing is written through it: the message is in the record, and the log tells why"
rm $mail/runtime/muffin && mv "$work/elsewhere" $mail/runtime/muffin
look
ls $mail/runtime/muffin/inbox | grep -q task_
ok $? "the file is written once the folder is one again"
if [ "$(id -u)" -ne 0 ]; then
    chmod a-w $agentdir/inbox
    run "send with a folder that cannot be written" 0 mail send --from muffin --to Planner-1 "still sent"
    has "not up to date" err
    chmod u+w $agentdir/inbox
else
    chattr +i $agentdir/inbox 2>/dev/null && {
        run "send with a folder that cannot be written" 0 mail send --from muffin --to Planner-1 "still sent"
        has "not up to date" err
        chattr -i $agentdir/inbox
    } || skip "a folder that cannot be written" "running as root"
fi
mkdir -p $mail/runtime/..strange $mail/runtime/'a b' $mail/runtime/nobody/outbox
put $mail/runtime/nobody/outbox/x.json '{"type": "x", "source_id": "nobody", "target_id": "muffin", "data": {}}'
look
[ -f $mail/runtime/nobody/outbox/x.json ]
ok $? "folders of nobody are left alone"
"$conclave" doctor --json >"$out" 2>"$err"
jq -e '[.findings[] | select(.check == "mail files") | .message] | (any(test("1 file in runtime/nobody was not read in")))
    and any(test("files? of .muffin. could not be read in"))' "$out" >/dev/null
ok $? "… and doctor tells of them, and of what is in quarantine"
"$conclave" doctor >"$out" 2>"$err"
grep -q '^! mail files  ' "$out" && grep -q '^✓ project     ' "$out"
ok $? "… in columns"
name=$(printf 'n%0240d.json' 1)
put "$outbox/$name" '{"type": "long_name", "source_id": "muffin", "target_id": "Planner-1", "data": {}}'
look
[ "$(messages Planner-1 .command | grep -c long_name)" = 1 ]
ok $? "a name as long as the system allows"

# ---- what one look did ----------------------------------------------------------------------------------------------
# What cannot be read waits for two seconds, and holds up nobody; what is to be sent with repairs keeps its place.
put $outbox/a_prose.json 'not json'
touch -d '1 second' $outbox/a_prose.json # so that a slow machine has time to look
put $outbox/b_good.json '{"type": "behind", "source_id": "muffin", "target_id": "Planner-1", "data": {}}'
run "one look at a file that cannot be read and one that can" 0 mail watch 0 --json
is '.taken == 1 and .refused == 0 and .waiting == 1'
is '[.files[] | [.agent, .file, .outcome]] | sort == [["muffin", "a_prose.json", "waiting"], ["muffin", "b_good.json", "taken"]]'
is '.files[] | select(.file == "a_prose.json").reason | test("quarantine when nobody has changed it for 2 s: .*JSON")'
aged $outbox/a_prose.json
put $outbox/c_repair.json '{"type": "first", "source_id": "muffin", "target_id": "Planner-1", "data": {},}'
put $outbox/d_valid.json '{"type": "second", "source_id": "muffin", "target_id": "Planner-1", "data": {}}'
run "the next one" 0 mail watch 0
has "a_prose.json   refused"
has "c_repair.json  waiting"
aged $outbox/c_repair.json
run "and one more" 0 mail watch 0 --json
is '.taken == 2 and [.files[].file] == ["c_repair.json", "d_valid.json"]'
[ "$(messages Planner-1 .command | tail -3 | tr '\n' ' ')" = "behind first second " ]
ok $? "a file to be repaired is sent before those that came after it"

# ---- a full disk ------------------------------------------------------------------------------------------------------
# The folders on a disk of their own, which is full: what is sent is sent, no half file is seen, and once there is room
# the files are written.
cat >"$work/full" <<'END'
conclave=$1 mail=$2 out=$3 err=$4
mount -t tmpfs -o size=512k none $mail || exit 9
"$conclave" mail watch 0 >"$out" 2>"$err" || exit 1
dd if=/dev/zero of=$mail/ballast bs=4k count=1000 2>/dev/null
before=$(ls $mail/runtime/Planner-1/inbox | wc -l)
i=0
while [ $i -lt 3 ]; do "$conclave" mail send --from muffin --to Planner-1 "room $i" --json >"$out" 2>"$err" || exit 2; i=$((i + 1)); done
grep -q 'No space left' "$err" || exit 3
for f in $mail/runtime/*/inbox/*.json; do [ ! -f "$f" ] || jq -e . "$f" >/dev/null || exit 4; done
rm $mail/ballast
"$conclave" mail watch 0 >"$out" 2>"$err" || exit 5
[ "$(ls $mail/runtime/Planner-1/inbox | wc -l)" -eq $((before + 3)) ] || exit 6
END
if [ -n "${CV_SOAK-}" ] && on_sqlite; then
    unshare -rm sh "$work/full" "$conclave" $mail "$out" "$err"
    ok $? "a full disk: what is sent is sent, and the files follow when there is room"
else
    skip "a full disk" "only in the soak"
fi

# ---- at once --------------------------------------------------------------------------------------------------------
"$conclave" mail watch 120 --json >"$work/watched" 2>"$err" &
watcher=$!
i=0
while [ $i -lt 5 ]; do
    put $outbox/live_$i.json '{"type": "live", "source_id": "muffin", "target_id": "Planner-1", "data": {}}'
    i=$((i + 1))
done
all_are_taken() { [ -z "$(dropped)" ]; }
await all_are_taken
ok $? "while mail watch runs, files are taken in at once"
kill $watcher 2>/dev/null
wait $watcher 2>/dev/null

# checklist 6: what an agent sends by a command is a file of its outbox, and is not sent again, even if touched or copied
"$conclave" mail send --from muffin --to Planner-1 --command shown --message-id m-shown --json >/dev/null
jq -e '.message_id == "m-shown" and .target_id == ["Planner-1"]' $outbox/msg_m-shown.json >/dev/null
ok $? "a message sent by a command is a file of the outbox"
touch $outbox/msg_m-shown.json && "$conclave" mail watch 0 >/dev/null
[ -f $outbox/msg_m-shown.json ] && [ "$("$conclave" mail inbox Planner-1 --json | jq '[.messages[] | select(.command == "shown")] | length')" = 1 ]
ok $? "which is not sent again"
"$conclave" mail claim Planner-1 --message-id m-shown --json >"$out"
"$conclave" mail done Planner-1 --message-id m-shown --token "$(jq .token "$out")" >/dev/null
[ ! -f $outbox/msg_m-shown.json ] && [ -f $mail/runtime/muffin/archive/msg_m-shown.json ]
ok $? "and goes to the archive when all are finished with it"
# What a crash of the machine takes from completed_tasks.json is written again: the position is older than the lines.
"$conclave" mail send --from muffin --to Planner-1 --message-id m-crash hi >/dev/null
size=$(stat -c %s $mail/completed_tasks.json)
sed 's/"boot":"[^"]*"/"boot":"another"/' $mail/.position >"$work/position"
"$conclave" mail claim Planner-1 --message-id m-crash --json >"$out"
"$conclave" mail done Planner-1 --message-id m-crash --token "$(jq .token "$out")" >/dev/null
truncate -s $((size + 30)) $mail/completed_tasks.json && cp "$work/position" $mail/.position && "$conclave" mail watch 0 >/dev/null
[ "$(jq -r .message_id $mail/completed_tasks.json | grep -cx m-crash)" = 1 ] && jq -e . $mail/completed_tasks.json >/dev/null
ok $? "an outcome that a crash took away is written again, once"
run "verify" 0 verify
# ---- completed_tasks.json, written by hand ---- checklist 53-55: an agent with files alone reports what it has finished
project reports
lines=$mail/completed_tasks.json
for id in muffin cupcake scone; do "$conclave" agent add $id >/dev/null; done
"$conclave" mail plan --from muffin --plan bread --tasks '[{"task_id": "knead", "action": "K", "target_agent": "cupcake"},
    {"task_id": "bake", "action": "B", "target_agent": "cupcake", "depends_on": ["knead"]}]' >/dev/null
for id in r1 r2 r3 r4; do "$conclave" mail send --from muffin --to cupcake --message-id $id hello >/dev/null; done
state() { "$conclave" mail read "$1" --json | jq -r '.message.receipts[0].state'; }
echo '{"message_id": "r1", "task_id": null, "agent_id": "cupcake", "status": "COMPLETED", "timestamp": "2026-01-02T03:04:05Z", "output": {"files_changed": 1}, "error_details": null}' >>$lines
echo '{"taskId": "knead", "agent": "Cupcake", "status": "finished", "result": "two loaves"}' >>$lines
run "lines that a hand has appended" 0 mail watch 0 --json
jq -e '.taken == 2 and .refused == 0' "$out" >/dev/null && [ "$(state r1)" = done ] &&
    [ "$("$conclave" mail graph bread --json | jq -r '[.tasks[].status] | join(" ")')" = "COMPLETED PENDING" ]
ok $? "settle what they name, by the message or by the task, in whatever spelling"
"$conclave" mail read r1 --json | jq -e '[.. | objects | .output? // empty] | any(. == {files_changed: 1})' >/dev/null
ok $? "with their output"
"$conclave" mail ready cupcake --json | jq -e '.tasks[0].task_id == "bake"' >/dev/null
ok $? "and what waited for the task is delivered"
[ "$(wc -l <$lines)" = 2 ]
ok $? "the file has each outcome once: the line of the hand"
cp $mail/.position "$work/position"
sed -n 1p $lines >>$lines
echo '{"message_id": "r2", "agent_id": "cupcake", "status": "FAILED", "error_details": {"code": "oven"}}' >>$lines
"$conclave" mail watch 0 >/dev/null
cp "$work/position" $mail/.position && touch $lines && "$conclave" mail watch 0 >/dev/null
[ "$(wc -l <$lines)" = 4 ] && [ "$(state r2)" = failed ] &&
    [ "$("$conclave" mail inbox cupcake --json | jq '.messages[] | select(.message_id == "r2") | .attempts')" = 1 ]
ok $? "a line that is there twice, or is read twice after a kill, counts once"
cat >>$lines <<'EOF'
{"message_id": "r3", "agent_id": "scone", "status": "COMPLETED"}
{"message_id": "r3", "agent_id": "nobody", "status": "COMPLETED"}
{"message_id": "unknown", "agent_id": "cupcake", "status": "COMPLETED"}
{"message_id": "r3", "agent_id": "cupcake", "status": "RUNNING"}
{"message_id": "r1", "agent_id": "cupcake", "status": "FAILED"}
{"task_id": "nothing", "agent_id": "cupcake", "status": "COMPLETED"}
{"agent_id": "cupcake", "status": "COMPLETED"}
{"message_id": "r3", "status": "COMPLETED"}
["r3"]
r3 is done
EOF
run "lines that name somebody else's message, nobody, nothing" 0 mail watch 0 --json
jq -e '.taken == 0 and .refused == 10 and (.files | all(.reason | length > 20))' "$out" >/dev/null && [ "$(state r3)" = accepted ]
ok $? "are refused, each with its reason"
[ "$(ls $mail/quarantine | grep -c 'reason.txt$')" = 10 ] && [ "$(wc -l <$lines)" = 14 ]
ok $? "are kept in quarantine, and in the file"
run "they are told" 0 mail watch 0 --json
jq -e '.refused == 0' "$out" >/dev/null
ok $? "once"
printf '{{"message_id": "r3", "agent_id": "cupcake", // all of it' >>$lines
"$conclave" mail watch 0 >/dev/null && [ "$(state r3)" = accepted ]
ok $? "a line that is being written waits"
printf ' "status": "COMPLETED",}}\n' >>$lines
"$conclave" mail watch 0 >/dev/null
[ "$(state r3)" = accepted ] && ls $mail/quarantine | wc -l | grep -qx 22
ok $? "until it is whole; what a comment swallowed is not guessed"
printf '{"message_id": "r3", "agent_id": "cupcake", "status": "COMPLETED",}' >>$lines
"$conclave" mail watch 0 >/dev/null && [ "$(state r3)" = done ]
ok $? "damage is repaired, and an end of the line that is missing is written"
token=$("$conclave" mail claim cupcake --message-id r4 --json | jq .token)
echo '{"message_id": "r4", "agent_id": "cupcake", "status": "COMPLETED"}' >>$lines
run "a line about what a command has claimed" 0 mail watch 0 --json
jq -e '.refused == 1 and (.files[0].reason | test("token"))' "$out" >/dev/null
ok $? "is refused: the holder of the token finishes it"
"$conclave" mail done cupcake --message-id r4 --token "$token" >/dev/null
tail -n 1 $lines | jq -e '.message_id == "r4" and .agent_id == "cupcake"' >/dev/null
ok $? "and the program's own line follows"
sed -n 1,2p $lines | command jq -s . >"$work/array" && cp "$work/array" $lines
run "a file that was written anew, as one array" 0 mail watch 0 --json
jq -e '.taken == 0' "$out" >/dev/null && [ "$(state r1)" = done ]
ok $? "settles nothing twice"
run "the record" 0 verify

# ---- the numbers of mailboxes ---- checklist 40-43
project numbers
for id in zoe Bob anna; do "$conclave" agent add $id >/dev/null; done
run "sent to the last one" 0 mail send --from User --to anna --message-id n1 hello --json
mail=.conclave/mail
[ "$(jq -r .assigned_agent_id $mail/mailbox_[123].json | tr '\n' ' ')" = "zoe Bob anna " ]
ok $? "numbers in the order of registration"
[ "$(jq -c keys_unsorted $mail/mailbox_1.json)" = '["status","assigned_agent_id","last_seen_utc","messages","processed_message_ids"]' ]
ok $? "a mailbox without messages has its file"
run "released" 0 mail slot release anna --json
[ "$(jq -c '[.assigned_agent_id, .messages]' $mail/mailbox_3.json)" = '[null,[]]' ]
ok $? "nobody's mailbox"
run "another number" 0 mail slot claim anna --slot 9 --json
[ "$(jq -c '[.assigned_agent_id, .messages[].message_id]' $mail/mailbox_9.json)" = '["anna","n1"]' ]
ok $? "the messages are there"
run "taken" 1 mail slot claim Bob --slot 9 --json
is ".message | contains(\"'anna'\")"
"$conclave" agent add carl >/dev/null
run "the free number is used again" 0 mail slot list --json
is '[.slots[] | [.slot, .agent]] == [[1, "zoe"], [2, "Bob"], [3, "carl"], [9, "anna"]]'
run "verify" 0 verify

# ---- another place ---- checklist 4
project elsewhere
store=$(grep '^store' .conclave/config 2>/dev/null)
# set_config LINE...: these are the first lines; where the record is stays.
set_config() { printf '%s\n' "$@" ${store:+"$store"} >.conclave/config; }
set_config 'mail.root = "var/bus"'
"$conclave" agent add hub >/dev/null
run "sent" 0 mail send --from User --to hub --message-id e1 "elsewhere" --json
[ -f var/bus/runtime/hub/inbox/task_0000000001.json ] && [ ! -e .conclave/mail/runtime ]
ok $? "the folders are where the project wants them"
echo '{"command": "answer", "params": {}, "target_id": "User"}' >var/bus/runtime/hub/outbox/a.json
mv var/bus/runtime/hub/inbox/task_0000000001.json var/bus/runtime/hub/done/
run "files there are taken in" 0 mail inbox hub --all --json
is '.messages[0].state == "done"'
mkdir -p var/bus/templates && printf 'Hello {{ x }}' >var/bus/templates/h.j2
run "templates too" 0 mail stage h --context '{"x": "Ada"}' --json
is '.path == "var/bus/temp/cursor_input.txt"'
mv var/bus bus && set_config 'mail.root = "bus"'
run "moved along" 0 mail send --from User --to hub --message-id e2 "again" --json
[ "$(ls bus/runtime/hub/inbox)" = task_0000000002.json ] && [ ! -e var/bus ]
ok $? "nothing is written twice"
for bad in ../x /tmp/x "" a/../b a//b bus/ ./bus; do
    set_config "mail.root = \"$bad\""
    run "not below the project: '$bad'" 1 mail inbox hub --json
    is '.error_code == "invalid_value" and (.message | contains("line 1"))'
done
ln -s / link
set_config 'mail.root = "link"'
run "a link is not followed" 1 mail watch 0 --json
[ -z "$(ls -A link/runtime 2>/dev/null)" ]
ok $? "nothing was written behind it"
set_config 'mail.root = "bus"' 'notes.root = "x"'
run "an unknown setting" 1 mail inbox hub --json
is '(.message | contains("line 2")) and (.suggestion | contains("mail.root"))'

# ---- one bad place does not hold up the others ----------------------------------------------------------------------
set_config 'mail.root = "bus"'
agent alpha
agent zeta
long=$(printf 'x%.0s' $(seq 250)).json
mkdir elsewhere
for f in inbox claimed done failed outbox .taking; do
    : >bus/runtime/alpha/$f/"$long" && aged bus/runtime/alpha/$f/"$long"
    ln -s "$PWD/elsewhere" bus/runtime/alpha/$f/link.json && mkdir bus/runtime/alpha/$f/folder.json && mkfifo bus/runtime/alpha/$f/pipe.json
done
: >bus/runtime/alpha/quarantine/"$long"
mkdir bus/runtime/alpha/quarantine/link.json.reason.txt
put bus/runtime/zeta/outbox/z1.json '{"command": "z1", "target_id": "hub", "params": {}}'
run "names as long as they can be" 0 mail inbox hub --all --json
is 'any(.messages[]; .command == "z1")'
[ -z "$(ls bus/runtime/alpha/inbox bus/runtime/alpha/claimed bus/runtime/alpha/outbox bus/runtime/alpha/.taking | grep xxx)" ]
ok $? "are put into quarantine"
rm -r bus/runtime/alpha/inbox && ln -s "$PWD/elsewhere" bus/runtime/alpha/inbox
put bus/runtime/zeta/outbox/z2.json '{"command": "z2", "target_id": ["alpha", "zeta"], "params": {}}'
run "a link in the place of a folder" 0 mail inbox zeta --json
is 'any(.messages[]; .command == "z2")'
[ -n "$(ls bus/runtime/zeta/inbox)" ] && [ -z "$(ls elsewhere)" ]
ok $? "is not followed, and the others get their files"
rm bus/runtime/alpha/inbox
run "once it has gone" 0 mail inbox alpha --json
[ "$(ls bus/runtime/alpha/inbox)" = task_0000000001.json ]
ok $? "what was missing is written"
run "a message that expires" 0 mail send --from zeta --to alpha --expires-in 1 "soon"
for place in inbox archive quarantine; do
    rm -r bus/runtime/alpha/$place
    : >bus/runtime/alpha/$place
done
of_alpha=$(grep -l 'assigned.*"alpha"' bus/mailbox_*.json) of_zeta=$(grep -l 'assigned.*"zeta"' bus/mailbox_*.json)
rm "$of_alpha" && mkfifo "$of_alpha"
sleep 1.1
put bus/runtime/zeta/outbox/z3.json '{"command": "z3", "target_id": "zeta", "params": {}}'
touch -d 2400-01-01 bus/runtime/zeta/outbox/z3.json bus/runtime/zeta "$of_zeta"
run "a file in the place of a folder, a pipe in that of a file, times far away" 0 mail watch 0
jq -e 'any(.messages[]; .command == "z3")' "$of_zeta" >/dev/null
ok $? "hold up nobody's mailbox"
run "and doctor looks at all of it" 0 doctor
for place in inbox archive quarantine; do rm bus/runtime/alpha/$place; done
run "once the folders are free" 0 mail watch 0
[ -f "$of_alpha" ] && [ -p "bus/runtime/alpha/quarantine/$(basename "$of_alpha")" ]
ok $? "the mailbox is written again, and the pipe is in quarantine"

# ---- finished twice --------------------------------------------------------------------------------------------------
agent twicer
run "a message that failed for ever" 0 mail send --from zeta --to twicer --message-id twice "Do it" --json
once() { # once VERB …: claims it, and finishes it so
    run "claimed" 0 mail claim twicer --message-id twice --json
    verb=$1 && shift
    run "and $verb" 0 mail "$verb" twicer --message-id twice --token "$(jq -r .token "$out")" "$@" --json
}
once fail --final --error-details "no oven"
run "is requeued" 0 mail requeue twice --json
once done --output "215 files"
run "a text is an output" 0 mail read twice --json
is '.message.output == {"body": "215 files"}'
[ -z "$(ls bus/runtime/twicer/inbox bus/runtime/twicer/claimed | grep json)" ] && [ -f bus/runtime/twicer/archive/task_0000000001.json ]
ok $? "what was finished twice is in the archive alone"

# ---- the first file of a project -------------------------------------------------------------------------------------
project first
agent muffin
agent cupcake --no-files
put $mail/runtime/muffin/outbox/a.json '{"message_id": "m-1", "command": "ping", "sender_agent_id": "muffin", "target_id": "cupcake", "params": {}}'
look
[ "$(ls $mail/runtime/muffin/outbox)" = msg_m-1.json ] && [ -f $mail/runtime/muffin/archive/a.json ]
ok $? "the first file that is taken in is in the outbox as every later one"
rm $mail/runtime/muffin/outbox/msg_m-1.json $mail/.position
look
[ -z "$(ls $mail/runtime/muffin/outbox)" ]
ok $? "what its sender has picked up is not written again"

# ---- a process that was stopped --------------------------------------------------------------------------------------
# It has the lock of the folder, and does not go on.
flock $mail sh -c 'echo $$ >held && exec sleep 300' &
until [ -s held ]; do sleep 0.02; done
timeout 120 "$conclave" mail send --from muffin --to cupcake --message-id stopped "Do it" --json >"$out" 2>"$err"
is_status=$?
kill "$(cat held)"
[ $is_status -eq 0 ] && grep -q "not up to date: .*/mail: another process has kept it locked for 10 seconds" "$err"
ok $? "who has the lock of the folder, and was stopped, holds up nobody for long"
run "what was sent meanwhile is there" 0 mail inbox cupcake --json
is '[.messages[].message_id] | index("stopped") != null'

finish
