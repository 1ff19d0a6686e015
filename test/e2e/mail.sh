#!/bin/sh
# mail.sh - mail between agents at the command line: send, inbox, read, claim, done, fail. Numbers are those of the
# room's checklist; docs/mail.md has the table.
. "$(dirname "$0")/lib.sh"
project
for agent in muffin cupcake donut; do "$conclave" agent add "$agent" >/dev/null; done
"$conclave" agent alias cupcake Agent-3 Agent3 >/dev/null

# ---- send -----------------------------------------------------------------------------------------------------------
run "a text" 0 mail send --from muffin --to Agent3 "The oven is free" --json # checklist 46, 48
is '.receipts == [{"to": "cupcake", "state": "accepted", "seq": 1}] and (.message_id | test("^[0-9a-f]{8}-[0-9a-f]{4}-7"))'
is '.accepted_at | test("^20[0-9-]+T[0-9:.]+Z$")'
first=$(jq -r .message_id "$out")
run "the same again is a second message, and warned of" 0 mail send --from muffin --to Agent3 "The oven is free" --json
is '.receipts[0].seq == 2 and ([.warnings[].type] | contains(["equal_message"]))'
for text in "" " "; do
    run "an empty message" 1 mail send --from muffin --to cupcake "$text" --json
    is '.error_code == "invalid_value" and .field == "body"'
done
run "under an id" 0 mail send --from muffin --to cupcake --command run_test --params '{"a": 1.50}' --message-id m1 --json
run "the same id and content" 0 mail send --from muffin --to cupcake --command run_test --params '{"a": 1.50}' --message-id m1 --json
is '.replayed and .receipts == [{"to": "cupcake", "state": "accepted", "seq": 3}]' # checklist 46
run "the same id, other content" 1 mail send --from muffin --to cupcake --command run_test --params '{"a": 2}' --message-id m1 --json
is '.error_code == "message_conflict" and .field == "message_id"'
run "params are kept as they are written" 0 mail send --data '{"from": "muffin", "to": "cupcake", "command": "x", "params": {"n":  1.0e2, "s": "\u00e9\/"}, "message_id": "m2"}' --json
run "to read" 0 mail read m2 --json # checklist 50
[ "$(jq -c . "$out" >/dev/null && grep -c '"params":{"n":1.0e2,"s":"\\u00e9\\/"}' "$out")" -eq 1 ]
ok $? "every token as it was sent"
run "everybody" 0 mail send --from User --to broadcast --body "Stop at noon" --json # checklist 27, 47
is '[.receipts[].to] | sort == ["cupcake", "donut", "muffin"]'
run "unknown fields survive" 0 mail send --data '{"type": "ODD_TYPE", "source_id": "muffin", "target_id": "donut", "data": {"more": [1]}, "trace": {"b": 1}, "message_id": "m3"}' --json
run "unknown fields survive" 0 mail read m3 --json # checklist 26
is '.message.extra == {"trace": {"b": 1}} and .message.data == {"more": [1]} and .message.command == "ODD_TYPE"'

# ---- what is refused --------------------------------------------------------------------------------------------------
run "all faults at once" 1 mail send --from mufin --to cupcak,Agent3,../x --type A --priority soon --expires-at noon --json
is '[.errors[].field] == ["from", "to[0]", "to[2]", "data", "priority", "expires_at"]'
run "a priority that is none" 1 mail send --from muffin --to donut --body x --priority urgnt --json
is '.suggestion == "did you mean '"'urgent'"'?" and .valid_options == ["critical", "urgent", "high", "medium", "normal", "low"]'
run "a forged sender" 1 mail send --as muffin --from System --to donut --command x --json # checklist 47
is '.error_code == "identity_mismatch"'
run "an envelope without its data" 1 mail send --from muffin --to donut --type STATUS --data '{"n": 1}'
has "--data-value is missing" err
run "nobody sends" 1 mail send --to donut --command x --json
is '.error_code == "missing_field" and .field == "from"'
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"conclave_mail_claim","arguments":{}}}' | "$conclave" mcp 2>/dev/null >"$out"
name="nobody claims over MCP"
is '.result.content[0].text | fromjson | .field == "agent" and (.suggestion | contains("CONCLAVE_AGENT where the server starts"))'
run "nothing to send" 1 mail send --from muffin --to donut --json # checklist 49
is '.error_code == "missing_field" and .field == "command"'
run "what is there in another form is not missing" 1 mail send --data '{"from": "muffin", "to": "donut", "body": 5, "priority": "soon"}' --json
is '[.errors[].field] == ["body", "priority"]'
head -c 1100000 /dev/zero | tr '\0' a >large
run "a text that is too long" 2 mail send --from muffin --to donut @large --json
is '.error_code == "limit_exceeded" and .field == "body"'
for field in text details value answer; do
    case $field in
    text) set -- stage --text @large16 ;;
    details) set -- log X --agent-source User --details @object ;;
    value) set -- state set big @object ;;
    answer) set -- answer @object ;;
    esac
    head -c 17000000 /dev/zero | tr '\0' a >large16
    { printf '{"a": "'; cat large16; printf '"}'; } >object
    run "$field that is too long" 2 mail "$@" --json
    is ".error_code == \"limit_exceeded\" and .field == \"$field\" and (.message | contains(\"at most\"))"
done
rm large16 object
run "no such capability" 1 mail send --from muffin --to capability:flying x --json
is '.error_code == "no_recipient"'

# ---- inbox, claim, done, fail -----------------------------------------------------------------------------------------
run "the inbox" 0 mail inbox cupcake --json # checklist 20, 44
is '[.messages[].seq] == [1, 2, 3, 4, 5] and all(.messages[]; .state == "new" and .age_seconds >= 0)'
run "a page" 0 mail inbox cupcake --limit 2 --after 1 --json
is '[.messages[].seq] == [2, 3] and .next == 3'
run "claim" 0 mail claim cupcake --json
is '.message.seq == 1 and .message.params.body == "The oven is free" and .token > 0'
token=$(jq .token "$out")
run "a token that never was" 1 mail done cupcake --message-id "$first" --token 1 --json
is '.error_code == "lease_lost" and (.message | test("^1 is not a token of the message .* claimed until"))'
run "a token that is not there yet" 1 mail done cupcake --message-id "$first" --token 99 --json
is '.message | test("^99 is not a token")'
run "an output is an object" 1 mail done cupcake --message-id "$first" --token "$token" --output 5 --json # checklist 54, 55
is '.error_code == "invalid_value" and .field == "output"'
run "what is done has no error" 2 mail done cupcake --message-id "$first" --token "$token" --error-details '{}' --json
run "done" 0 mail done cupcake --message-id "$first" --token "$token" --output '{"n": 1}' --json
is '.state == "done"'
run "done twice is done once" 0 mail done cupcake --message-id "$first" --token "$token" --output '{"n": 1}' --json # checklist 24
is '.replayed'
run "another outcome" 1 mail done cupcake --message-id "$first" --token "$token" --json
is '.suggestion | contains("its output does not change")'
is '.error_code == "message_settled"'
run "it is not delivered again" 0 mail inbox cupcake --json # checklist 23
is '[.messages[].seq] == [2, 3, 4, 5]'
run "but kept" 0 mail inbox cupcake --all --json
is '.messages[0].state == "done"'
for n in 1 2 3; do
    run "claim m1" 0 mail claim cupcake --message-id m1 --json
    token=$(jq .token "$out")
    run "it fails" 0 mail fail cupcake --message-id m1 --token "$token" --error-details "no oven" --json
done
is '.state == "dead"'
run "a dead letter is not claimed" 1 mail claim cupcake --message-id m1 --json
is '.error_code == "message_settled"'
run "why" 0 mail read m1 --json
is '.message.receipts[0].state == "dead" and .message.error_details.message == "no oven" and .message.attempts == 3'
run "a lease that is over" 0 mail claim donut --lease-seconds 1 --json
token=$(jq .token "$out") id=$(jq -r .message.message_id "$out")
sleep 1.1
run "late" 1 mail done donut --message-id "$id" --token "$token" --json
is '.error_code == "lease_lost"'
run "taken over" 0 mail claim donut --json
is ".message.message_id == \"$id\" and .token > $token and .message.attempts == 2"
run "the token of the claim before" 1 mail done donut --message-id "$id" --token "$token" --json
is '.message | test("somebody has claimed the message since")'
run "one that had expired before" 0 mail send --from muffin --to muffin --expires-at 2020-01-01T00:00:00Z "Old" --json
is '.receipts[0].state == "expired" and [.warnings[].type] == ["expired"]'
run "an instruction that expires" 0 mail send --from muffin --to muffin --expires-in 1 "Quick" --json
run "claim what is left" 0 mail claim muffin --json
sleep 1.1
run "is shown as expired" 0 mail inbox muffin --json
is '.messages[1].state == "expired" and .waiting == 1'
run "is counted as expired" 0 mail stats --json
is '.mailboxes[] | select(.agent == "muffin") | .waiting == 1'
is '.expired == 2'
[ ! -e .conclave/mail/runtime/muffin/inbox/task_0000000003.json ] && [ -e .conclave/mail/runtime/muffin/archive/task_0000000003.json ]
ok $? "has left the inbox for agents that only have files"
run "and is not claimed" 0 mail claim muffin --json
is '.message == null and .settled == 1'
run "superseded" 0 mail send --from muffin --to donut --supersedes m3 --command y --json
run "superseded" 0 mail read m3 --json
is '.message.receipts[0].state == "superseded"'
run "by somebody else" 1 mail send --from donut --to cupcake --supersedes m2 --command y --json
is '.error_code == "not_allowed"'
run "dead letters for people say why, and what to do" 0 mail dead
has "it failed each time it was claimed: no oven"
has "   Next: conclave mail requeue m1"
run "its sender learns why" 0 mail outbox muffin --json
is '[.messages[] | select(.message_id == "m1") | .receipts[0] | [.state, .reason, .error_details.message]] == [["dead", "it failed each time it was claimed", "no oven"]]'
run "its sender reads why" 0 mail outbox muffin
has "     it failed each time it was claimed: no oven"
run "a message that is not there" 1 mail requeue mm1
has "there is no message 'mm1'; 'conclave mail dead' lists" err
run "an agent in the place of a message" 1 mail requeue donut
has "'donut' is an agent, not a message" err
run "an argument and its option" 2 mail requeue donut --message-id m1
has "'--message-id' is given twice: 'donut' was taken for it, too" err
run "dead letters" 0 mail dead --json
is '[.messages[] | [.agent, .message_id, .reason]] == [["cupcake", "m1", "it failed each time it was claimed"]]'
run "another chance" 0 mail requeue m1 --reason "a new oven" --json
is '.receipts == [{"to": "cupcake", "state": "accepted", "seq": 3}]'
run "it is no dead letter any more" 0 mail dead cupcake --json
is '.count == 0'
run "what is new is not requeued" 1 mail requeue m1 --json
is '.error_code == "message_settled"'
run "an answer" 0 mail send --from cupcake --to muffin --reply-to "$first" "Thanks" --json
is ".thread_id == \"$first\""
answer=$(jq -r .message_id "$out")
run "an answer to it" 0 mail send --from muffin --to cupcake --reply-to "$answer" "Welcome" --json
run "the thread" 0 mail thread "$answer" --json
is '[.messages[].params.body] == ["The oven is free", "Thanks", "Welcome"]'
run "in pages" 0 mail thread "$first" --limit 1 --json
is "[.messages[].params.body] == [\"The oven is free\", \"Thanks\"] and .next == \"$answer\""
run "in pages" 0 mail thread "$first" --limit 1 --after "$answer" --json
is '[.messages[].params.body] == ["Welcome"] and (has("next") | not)'
run "the outbox" 0 mail outbox muffin --limit 1 --json # checklist 6, 21
is '.messages[0].params.body == "Welcome" and .messages[0].receipts[0].state == "accepted" and .next'
run "what is new" 0 mail wait cupcake --json
is '.cursor == 6 and ([.messages[].seq] == [2, 3, 4, 5, 6]) and (has("timed_out") | not)'
run "nothing is returned twice" 0 mail wait cupcake --timeout-seconds 0 --json
is '.timed_out and .messages == [] and .claimable == 5'
run "who waits learns what can be claimed" 0 mail wait cupcake --timeout-seconds 0
has "Nothing new for cupcake; 5 messages can be claimed: conclave mail claim cupcake"
run "what is claimed" 0 mail claim cupcake --message-id m1 --json
token=$(jq -r .token "$out")
run "cannot be claimed" 0 mail wait cupcake --timeout-seconds 0 --json
is '.claimable == 4'
run "until it has failed" 0 mail fail cupcake --message-id m1 --token "$token" --error-details "still no oven" --json
run "until it has failed" 0 mail wait cupcake --timeout-seconds 0 --json
is '.claimable == 5 and .messages == []'
run "who claims it again reads of that" 0 mail claim cupcake --message-id m1 --lease-seconds 1
has ", attempt 2"
has "   failed before: still no oven"
has " --output RESULT"
run "JSON with a fault is not a text" 2 mail done cupcake --message-id m1 --token 1 --output '{"n": '
sleep 1.1
run "or its lease is over" 0 mail wait cupcake --timeout-seconds 0 --json
is '.claimable == 5 and .messages == []'
run "seen is delivered" 0 mail outbox muffin --limit 1 --json
is '.messages[0].receipts[0].state == "delivered"'
"$conclave" mail wait cupcake --timeout-seconds 60 --json >"$work/woken" &
sleep 0.3
run "a send wakes who waits" 0 mail send --from donut --to cupcake "Wake up" --json
wait
[ "$(jq -r '.messages[0].params.body' "$work/woken")" = "Wake up" ]
ok $? "with the message"
run "numbers" 0 mail stats --json # checklist 41
is '[.mailboxes[] | select(.agent == "cupcake") | [.done, .dead, .status, .slot]] == [[1, 0, "online", 2]]'
# ---- slots, signs of life, commands, limits ------------------------------------------------------------------------------
run "slots" 0 mail slot list --json # checklist 40
is '[.slots[] | [.slot, .agent]] == [[1, "muffin"], [2, "cupcake"], [3, "donut"]]'
run "a slot is one agent's" 1 mail slot claim donut --slot 2 --json # checklist 42
is '.error_code == "slot_taken"'
run "released" 0 mail slot release cupcake --json
is '.slots[0].agent == null'
run "an agent has one" 1 mail slot claim donut --slot 2 --json
is '.error_code == "slot_taken" and (.suggestion | contains("release it first"))'
run "claimed again" 0 mail slot claim cupcake --json
is '.slots[0].slot == 2 and .slots[0].agent == "cupcake"'
run "busy while it holds a lease" 0 mail claim cupcake --json # checklist 41, 43
run "busy while it holds a lease" 0 mail stats --json
is '[.mailboxes[] | select(.agent == "cupcake") | .status] == ["busy"] and (.mailboxes[] | select(.agent == "cupcake") | .last_seen) != null'
run "another session is warned" 0 mail claim cupcake --session one --json
run "another session is warned" 0 mail claim cupcake --session two --json
is '[.warnings[].type] == ["second_session"]'
run "no agent is called System or User" 1 agent add user --json # checklist 47
is '.error_code == "invalid_value"'
run "commands" 0 agent commands cupcake --set '[{"command": "run_test", "summary": "runs tests", "params": {"path": "which"}}]' --json # checklist 56
run "commands" 0 agent commands cupcake --json
is '.commands == [{"command": "run_test", "summary": "runs tests", "params": {"path": "which"}}]'
run "no more of it" 0 agent commands cupcake --remove run_test --json
is '.commands == []'
"$conclave" agent add limited --limits '{"send_rate": 2, "quota": 1, "hops": 3, "size": 100}' >/dev/null
run "within its rate" 0 mail send --from limited --to donut one
run "within its rate" 0 mail send --from limited --to donut two
run "above its rate" 1 mail send --from limited --to donut three --json
is '.error_code == "rate_exceeded" and (.suggestion | test("in [0-9]+ seconds?"))'
run "above its size" 2 mail send --from limited --to donut "$(printf %0200d 0)" --json
is '.error_code == "limit_exceeded"'
run "within its quota" 0 mail send --from donut --to limited one
run "above its quota" 1 mail send --from donut --to limited,muffin two --json
is '.error_code == "mailbox_full" and .value == "limited"'
"$conclave" agent add mute --limits '{"send_rate": 0, "quota": 0}' >/dev/null
run "may send nothing" 1 mail send --from mute --to donut one --json
is '.error_code == "rate_exceeded" and .suggestion == "\u0027conclave agent limit\u0027 changes that"'
run "may get nothing" 1 mail send --from donut --to mute one --json
is '.error_code == "mailbox_full" and .suggestion == "\u0027conclave agent limit\u0027 changes that"'
last=$("$conclave" mail send --from muffin --to donut "Ping" --json | jq -r .message_id)
"$conclave" agent limit muffin --hops 5 >/dev/null
"$conclave" agent limit donut --hops 5 >/dev/null
for n in 1 2 3 4 5 6; do
    [ $((n % 2)) -eq 1 ] && from=donut to=muffin || from=muffin to=donut
    "$conclave" mail send --from $from --to $to --reply-to "$last" "Pong $n" --json >"$out" 2>"$err"
    last=$(jq -r '.message_id // empty' "$out")
done
name="two who answer each other for ever"
is '.error_code == "too_many_hops" and (.message | contains("dead letter"))'
run "are listed" 0 mail dead --json
is '[.messages[] | [.agent, .params.body, .reason]] == [["donut", "Pong 6", "stopped: answer number 6 in a chain, 5 are allowed"]]'
run "what was stopped did not arrive" 0 mail inbox donut --json
is '[.messages[].params.body] | contains(["Pong 6"]) | not'
# Without a link: each answers what it has claimed.
for agent in ping pong; do "$conclave" agent add $agent --limits '{"hops": 3}' >/dev/null; done
"$conclave" mail send --from ping --to pong "Ping" >/dev/null
for n in 1 2 3 4; do
    [ $((n % 2)) -eq 1 ] && from=pong to=ping || from=ping to=pong
    "$conclave" mail claim $from >/dev/null
    "$conclave" mail send --from $from --to $to "Answer $n" --json >"$out" 2>"$err"
done
name="without a link they are stopped, too"
is '.error_code == "too_many_hops"'
run "a capability: whoever has the least to do" 0 agent add able --capabilities knead --json
"$conclave" agent add ready --capabilities Knead >/dev/null
"$conclave" mail send --from donut --to able busy >/dev/null
run "a capability" 0 mail send --from donut --to capability:knead dough --json
is '[.receipts[].to] == ["ready"]'
run "all who can" 0 mail send --from donut --to all:knead dough --json
is '[.receipts[].to] == ["able", "ready"]'
run "a name of 300 characters" 1 mail send --from donut --to "$(printf %0300d 0)" x --json
is '.error_code == "invalid_value" or .error_code == "batch_validation_failed"'
for name in ../up a/b . .. CON: "a b" "$(printf 'a\nb')"; do
    run "not a name: $name" 1 mail send --from donut --to "$name" x --json
done
run "look-alike case" 0 mail send --from DONUT --to ABLE x --json
is '.receipts[0].to == "able"'
head -c 70000000 /dev/zero | tr '\0' a >large
run "70 MB" 2 mail send --from donut --to able @large --json
is '.error_code == "limit_exceeded" and .field == "body"'
rm large

# ---- a resource with subscribers ----------------------------------------------------------------------------------------
mkfifo "$work/calls"
"$conclave" mcp <"$work/calls" >"$work/answers" 2>"$err" &
pid=$!
exec 7>"$work/calls"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
    '{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"conclave://mail/able/inbox"}}' \
    '{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"conclave://mail/able/inbox"}}' >&7
await grep -q '"id":3' "$work/answers"
"$conclave" mail send --from donut --to able "News" >/dev/null
await grep -q 'notifications/resources/updated.*conclave://mail/able/inbox' "$work/answers"
exec 7>&-
wait $pid
grep -q 'notifications/resources/updated.*conclave://mail/able/inbox' "$work/answers"
ok $? "who subscribed to an inbox hears of a send by another process"
[ "$(jq 'select(.id == 3) | .result.contents[0].text | fromjson | .messages | length > 0' "$work/answers")" = true ]
ok $? "and reads it"
# ---- what every room has: redaction, export, doctor ---------------------------------------------------------------------
run "a secret" 0 mail send --from donut --to able "The Avebury orchard" --message-id secret --json
run "redacted" 0 redact mail mail message secret --reason "private" --json
run "redacted" 0 mail read secret --json
is '.message.params | has("redacted_sha256")'
run "redacted, for people" 0 mail inbox able
has "(the text was redacted)"
! grep -q redacted_sha256 "$out"
ok $? "redacted, for people: without its hash"
jq -e '.params | has("redacted_sha256")' "$(grep -l '"secret"' .conclave/mail/runtime/able/inbox/*.json)" >/dev/null
ok $? "redacted, in its file: JSON still"
run "exported" 0 export-scope mail mail --output scope.json
mkdir other && "$conclave" init other >/dev/null
run "imported" 0 import-scope scope.json --root other
run "it agrees with its history there, too" 0 verify --root other
run "doctor" 0 doctor
has "2 dead letters"
run "idle while it waits" 0 mail slot claim ready --json
"$conclave" mail wait ready --timeout-seconds 0 >/dev/null
"$conclave" mail claim ready --json >"$out" && "$conclave" mail done ready --message-id "$(jq -r .message.message_id "$out")" --token "$(jq .token "$out")" >/dev/null
"$conclave" mail claim ready --json >"$out" && "$conclave" mail done ready --message-id "$(jq -r .message.message_id "$out")" --token "$(jq .token "$out")" >/dev/null
"$conclave" mail wait ready --timeout-seconds 0 >/dev/null
run "idle while it waits" 0 mail stats --json
is '[.mailboxes[] | select(.agent == "ready") | [.status, .waiting]] == [["idle", 0]]'
run "the record agrees with its history" 0 verify

# ---- whoever goes leaves nothing behind without a word --------------------------------------------------------------
project leaving
for id in muffin cupcake scone; do "$conclave" agent add $id >/dev/null; done
for id in m1 m2; do "$conclave" mail send --from muffin --to cupcake --message-id $id hello >/dev/null; done
"$conclave" mail claim cupcake --message-id m2 >/dev/null
run "finished without its name" 1 mail done cupcake --token 1
has "neither --message-id nor --task-id is given; 'conclave mail claim' answers with both: give one of them" err
run "an agent for whom messages wait is not removed" 1 agent remove cupcake --json
is '.error_code == "agent_needed" and (.message | test("2 messages in its mailbox are not finished")) and (.suggestion | test("force"))'
run "also not when it is only tried" 1 agent remove cupcake --dry-run --json
run "it can still be limited to other rooms" 0 agent limit cupcake --rooms dialogue --json
is '.warnings[0].type == "left_undone" and (.warnings[0].message | test("2 messages"))'
run "which is told once" 0 agent limit cupcake --quota 5 --json
is '.warnings == null'
run "and undone" 0 agent limit cupcake --all-rooms --json
run "with force it is removed" 0 agent remove cupcake --force --json
is '.agent.status == "removed" and (.warnings[0].message | test("2 messages"))'
run "what waits can be read" 0 mail inbox cupcake --json
is '[.messages[].message_id] == ["m1", "m2"]'
run "but not claimed" 1 mail claim cupcake --json
is '.error_code == "agent_removed"'
run "nor has it a state any more" 1 mail state set mood '"gone"' --agent cupcake --json
is '.error_code == "agent_removed"'
run "twice is once" 0 agent remove cupcake --json
is '.replayed and .warnings == null'
"$conclave" agent add cupcake --replace >/dev/null
run "whoever takes the id over gets it" 0 mail claim cupcake --json
is '.message.message_id == "m1"'
run "an agent without work goes" 0 agent remove scone --json
is '.warnings == null'
"$conclave" agent alias cupcake Cup-1 >/dev/null
mkdir -p .conclave/mail/runtime/Cup-1/outbox && "$conclave" mail watch 0 >/dev/null
run "an alias that is taken away" 0 agent alias cupcake Cup-1 --remove --json
echo '{"command": "c", "target_id": "muffin"}' >.conclave/mail/runtime/Cup-1/outbox/late.json
"$conclave" mail watch 0 >/dev/null
run "a file in its folder" 0 doctor --json
is '[.findings[] | .message] | any(test("Cup-1"))'
run "the record agrees with its history" 0 verify

# ---- rows that no write can have made ------------------------------------------------------------

# Of one that was changed by another program nothing is believed: every operation that meets it refuses, and none stops.
if on_sqlite; then
    cp -a .conclave "$work/whole"
    for change in "mail_deliveries SET state = 'zzz'" "mail_deliveries SET seq = -seq" "mail_deliveries SET attempts = 9223372036854775807" \
        "mail_deliveries SET lease_until = -1" "mail_mailboxes SET next_seq = -1" "mail_mailboxes SET done = 9223372036854775807"; do
        rm -rf .conclave && cp -a "$work/whole" .conclave
        sqlite3 .conclave/conclave.db "SELECT 'DROP TRIGGER \"' || name || '\";' FROM sqlite_master WHERE type = 'trigger'" >"$work/drop.sql"
        sqlite3 .conclave/conclave.db ".read $work/drop.sql" "UPDATE $change"
        refused=0 other=0
        for operation in "claim muffin" "send --from muffin --to donut x" "stats" "inbox muffin --all" "dead" "watch 0"; do
            # shellcheck disable=SC2086
            "$conclave" mail $operation --json >"$out" 2>"$err"
            status=$?
            if [ $status -eq 2 ] && jq -e '.error_code == "store_corrupt"' "$out" >/dev/null; then
                refused=$((refused + 1))
            elif [ $status -ne 0 ] && ! jq -e '.error_code' "$out" >/dev/null; then
                other=$((other + 1))
            fi
        done
        [ $refused -ge 1 ] && [ $other -eq 0 ]
        ok $? "$change: refused $refused times, and never stopped"
    done
    rm -rf .conclave && cp -a "$work/whole" .conclave
fi

# ---- the beginning of an id ----------------------------------------------------------------------

project begins
"$conclave" agent add muffin >/dev/null && "$conclave" agent add donut >/dev/null
for id in rye-bread rye-cake oat; do "$conclave" mail send --from muffin --to donut --message-id $id "Bake" >/dev/null; done
"$conclave" mail send --from muffin --to donut --message-id oat-cake "Bake" >/dev/null
run "the beginning of an id: read" 0 mail read rye-b --json
is '.message.message_id == "rye-bread"'
run "a whole id is not the beginning of another" 0 mail read oat --json
is '.message.message_id == "oat"'
run "the beginning of two ids" 1 mail read rye --json
is '.error_code == "invalid_value" and .field == "message_id" and .message == "several messages begin with '"'rye'"': rye-bread, rye-cake"'
run "the beginning of no id" 1 mail read r2 --json
is '.error_code == "message_not_found"'
run "the beginning of an id: thread" 0 mail thread rye-c --json
is '.thread_id == "rye-cake"'
run "the beginning of an id: claim" 0 mail claim donut --message-id rye-b --json
is '.message.message_id == "rye-bread"'
run "the beginning of an id: done" 0 mail done donut --message-id rye-b --token "$(jq .token "$out")" --json
is '.message_id == "rye-bread" and .state == "done"'
run "claimed" 0 mail claim donut --message-id rye-c --json
run "the beginning of an id: fail" 0 mail fail donut --message-id rye-c --token "$(jq .token "$out")" --final --error-details "no oven" --json
is '.message_id == "rye-cake"'
run "the beginning of an id: requeue" 0 mail requeue rye-c --json
is '.message_id == "rye-cake"'
run "the beginning of an id: an answer" 0 mail send --from donut --to muffin --reply-to rye-b "It is baked" --json
is '.thread_id == "rye-bread" and ([.warnings[]?.type] | index("unknown_reply_to") | not)'
run "the beginning of an id: a correction" 0 mail send --from muffin --to donut --supersedes rye-c "Bake two" --json
run "corrected" 0 mail read rye-cake --json
is '.message.receipts[0].state == "superseded"'
run "the beginning of two ids: an answer" 1 mail send --from donut --to muffin --reply-to rye "It is baked" --json
is '.error_code == "invalid_value" and .field == "reply_to"'
name="a program gives the whole id"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"conclave_mail_read","arguments":{"message_id":"rye-b"}}}' |
    "$conclave" mcp --tools all >"$out" 2>"$err"
is '.result.isError and (.result.content[0].text | fromjson | .error_code == "message_not_found")'

# ---- commands that are told ----------------------------------------------------------------------------------------------
# Who sends a message chooses its id; a command that is told for it is pasted into a shell.
id="it's; touch pasted"
name="a command that is told"
"$conclave" mail send --from muffin --to donut --message-id "$id" x >/dev/null
"$conclave" mail claim donut --message-id "$id" >"$out"
eval "set -- $(sed -n 's/^  conclave mail done //p' "$out")"
[ "$3" = "$id" ] && [ ! -e pasted ]
ok $? "$name has the id as one word"
"$conclave" mail fail donut --message-id "$id" --token "$5" --error-details no --final >"$out"
eval "set -- $(sed -n 's/^Next: conclave mail requeue //p' "$out")"
[ "$1" = "$id" ] && [ ! -e pasted ]
ok $? "$name, when it is dead"
"$conclave" mail dead >"$out"
eval "set -- $(sed -n 's/^ *Next: conclave mail requeue //p' "$out" | grep pasted)"
[ "$1" = "$id" ] && [ ! -e pasted ]
ok $? "$name, in a list"
# An id that looks like an option is one word, too, and not that option.
"$conclave" mail send --from muffin --to donut --message-id=--reason x >/dev/null
token=$("$conclave" mail claim donut --message-id=--reason --json | jq .token)
"$conclave" mail fail donut --message-id=--reason --token "$token" --error-details no --final >"$out"
has "Next: conclave mail requeue -- --reason"
eval "set -- $(sed -n 's/^Next: conclave //p' "$out")"
run "$name for an id that looks like an option" 0 "$@"
# Values that are no texts are shown as JSON, not as another language writes them.
"$conclave" agent add odd >/dev/null
for params in '{"body": ["a", {"b": null}, true]}' '{"body": "c", "d": true, "e": [["f"], null], "g": [1, "h"]}'; do
    "$conclave" mail send --from muffin --to odd --command show --params "$params" >/dev/null
done
run "a list of messages" 0 mail inbox odd
for line in '["a", {"b": null}, true]' 'd  true' 'e  [["f"], null]' 'g  [1, "h"]'; do has "   $line"; done
run "one whose text is a list" 0 mail read "$("$conclave" mail inbox odd --json | jq -r '.messages[0].message_id')"
has '  body  ["a", {"b": null}, true]'
run "one with lists" 0 mail read "$("$conclave" mail inbox odd --json | jq -r '.messages[1].message_id')"
for line in 'd     yes' 'e     [["f"], null]' 'g     1, h'; do has "  $line"; done
run "a state" 0 mail state set odd true
has "  true"
"$conclave" mail log ODD --agent-source User --details '{"hot": true}' >/dev/null
run "details of the log" 0 mail governance --limit 1
has "  hot true"

finish
