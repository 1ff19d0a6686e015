#!/bin/sh
# redact.sh - a text goes from the record and the files beside it, by the command line; test_redact.c attacks it.
. "$(dirname "$0")/lib.sh"
project
nvidia
secret="NVIDIA's zero dividend directly conflicts"
"$conclave" dialogue export nvidia-decision >/dev/null
"$conclave" dialogue transcript nvidia-decision --write >/dev/null
"$conclave" search dividend --json >/dev/null
"$conclave" backup ../kept.db >/dev/null
"$conclave" backup kept.db >/dev/null && mv kept.db .conclave/old.db
grep -rqaF "$secret" .conclave
ok $? "the text is there"

before=$("$conclave" feed --limit 0 --json | jq -r .position)
run "a dry run" 0 redact dialogue nvidia-decision perspective P0001 --reason "not ours" --dry-run --json
is '.dry_run and (.texts | contains(["entity/P/0/1/content"])) and (.files | length) >= 2'
is '.backups == [".conclave/old.db"]'
is '.note | test("backups")'
cp "$out" dry.json
run "a dry run for people" 0 redact dialogue nvidia-decision perspective P0001 --reason "not ours" --dry-run
has "Backups that may have it"
if on_sqlite; then
    grep -rqaF "$secret" .conclave/conclave.db
    ok $? "a dry run changes nothing"
else
    skip "a dry run changes nothing" "not with this engine"
fi
[ "$("$conclave" feed --limit 0 --json | jq -r .position)" = "$before" ]
ok $? "… and commits nothing"

run "redact" 0 redact dialogue nvidia-decision perspective P0001 --reason "not ours" --json
is '.rev == 11 and (has("dry_run") | not)'
jq -S 'del(.dry_run, .rev)' dry.json >a.json && jq -S 'del(.rev)' "$out" >b.json
cmp -s a.json b.json
ok $? "redact: what the dry run said"
rm -f a.json b.json dry.json
find .conclave -type f ! -name old.db -exec grep -laF "$secret" {} + >found
[ ! -s found ]
ok $? "no file below .conclave has the text, but for the backup"
grep -qaF "$secret" ../kept.db
ok $? "a backup still has it"
find .conclave -name '*.json' -exec jq -e . {} + >/dev/null
ok $? "JSON files are JSON still"
run "verify" 0 verify --json
run "doctor" 0 doctor --json
run "the history says who, when and why" 0 dialogue history nvidia-decision --json
is '.events[-1] | .type == "redacted" and .reason == "not ours"'
run "once more" 0 redact dialogue nvidia-decision perspective P0001 --reason "not ours" --json
is '.rev == 11 and .texts == []'
run "the dialogue goes on" 0 dialogue update nvidia-decision --updates '[{"id": "P0001", "label": "Mandate", "reason": "shorter"}]' --json
run "its export" 0 dialogue export nvidia-decision --output-path out.json --json
run "its transcript" 0 dialogue transcript nvidia-decision
run "its context" 0 dialogue round-context nvidia-decision --json
project second
run "the export comes in" 0 import ../project/out.json --json
run "verify it" 0 verify --json
"$conclave" export-scope dialogue nvidia-decision >scope.json
grep -qaF "$secret" scope.json ../project/out.json
[ $? -eq 1 ]
ok $? "no export has the text"

cp ../kept.db .conclave/conclave.db.before-restore-1
run "again" 0 redact dialogue nvidia-decision perspective P0001 --field content --reason "not ours" --json
is '.backups == [".conclave/conclave.db.before-restore-1"]'
run "doctor, with files that were redacted" 0 doctor --json
is '[.findings[] | select(.level == "warning")] == []'

# ---- killed at any moment: the record verifies, and the same command again does the rest
for delay in 0 0.02 0.05 0.08 0.12; do
    rm -rf .conclave
    "$conclave" init >/dev/null
    nvidia
    "$conclave" dialogue transcript nvidia-decision --write >/dev/null
    "$conclave" redact dialogue nvidia-decision perspective P0001 --reason "not ours" >/dev/null 2>&1 &
    killed=$!
    sleep "$delay"
    kill -9 $killed 2>/dev/null
    wait $killed 2>/dev/null
    "$conclave" verify >/dev/null && "$conclave" redact dialogue nvidia-decision perspective P0001 --reason "not ours" >/dev/null &&
        "$conclave" verify >/dev/null && ! grep -rqaF "$secret" .conclave
    ok $? "killed after $delay s: verifies, and again it is gone"
done

run "no reason" 1 redact dialogue nvidia-decision perspective P0002 --json
is '.field == "reason" and .error_code == "missing_field"'
run "a field that is not a long text" 1 redact dialogue nvidia-decision perspective P0002 --field label --reason x --json
is '.valid_options == ["content", "correction"]'
run "an id that is none, of a kind that only rows have" 1 redact dialogue nvidia-decision perspective P9999 --reason x --json
is '.field == "id" and (has("valid_options") | not)'
run "a misspelt kind that only rows have" 1 redact dialogue nvidia-decision perspectiv P0002 --reason x
has "did you mean 'perspective'?" err
run "a kind that is none" 1 redact dialogue nvidia-decision opinion P0002 --reason x --json
is '.field == "kind" and (.valid_options | contains(["entity", "response", "event", "commit"]))'
run "expect_rev" 1 redact dialogue nvidia-decision perspective P0002 --reason x --expect-rev 3 --json
is '.error_code == "rev_conflict"'

# ---- in every room: what a search finds is redacted by the names that the search gives, and nothing holds it any more
project rooms
for agent in ada bob; do "$conclave" agent add $agent >/dev/null; done
# redact_found NAME WORD: redacts the text that a search for the word finds.
redact_found() {
    # shellcheck disable=SC2046
    set -- "$1" "$2" $("$conclave" search "$2" --json | jq -r '.results[0] | .room, .scope, .kind, .id')
    run "$1" 0 redact "$3" "$4" "$5" "$6" --reason "not ours" --json
    is '.left == []'
    ! grep -rqaF "$2" .
    ok $? "$1: no file of the project has the text"
    [ "$("$conclave" search "$2" --json | jq .count)" = 0 ] && "$conclave" verify >/dev/null
    ok $? "$1: no search finds it, and the record verifies"
}
"$conclave" mail send "the Avebury orchard is sold to nobody" --from ada --to bob >/dev/null
redact_found "a message" Avebury
run "a message: its mailbox goes on" 0 mail claim --agent bob --json
is '.message.params | has("redacted_sha256")'
"$conclave" mail report harvest --text "the Warminster farmer has sold his barley" >/dev/null
redact_found "a report" Warminster
"$conclave" mail inbox bob >"$out" 2>"$err" && [ ! -s "$err" ]
ok $? "a report: the files of the mail go on"
"$conclave" chat open orchard --participants Implementer@ada,Validator@bob --id 261118_0400 >/dev/null
"$conclave" chat send 261118_0400 "How deep is it?" --from Validator@bob --type QUESTION >/dev/null
printf 'the Wiltshire well is nine feet deep\nand nobody but Wiltshire people may know of it\n' >said
"$conclave" chat send 261118_0400 @said --from Implementer@ada --type ANSWER >/dev/null && rm said
redact_found "in a chat" Wiltshire
run "in a chat: the witness knows what was redacted" 0 chat check 261118_0400 --json
is '.errors == 0'
run "in a chat: it goes on" 0 chat send 261118_0400 "As you like." --from Validator@bob --type ANSWER --json
is '.message == "M0003"'
sed -i 's/redacted-sha256-/redacted-sha257-/' .conclave/chat/temp_chat_261118_0400.txt
run "in a chat: what only looks like it is a change" 1 chat check 261118_0400 --json
is '.errors >= 1'
"$conclave" mail send "the Trowbridge mill stands empty" --from ada --to bob --message-id empty >/dev/null
(flock 9 && touch ../locked && sleep 0.5 && touch ../unlocked) 9<.conclave/mail &
await [ -e ../locked ]
run "a message while its files are written" 0 redact mail mail message empty --reason "not ours" --json
[ -e ../unlocked ]
ok $? "a message while its files are written: it waits for its turn"
wait
run "a message that is none" 1 redact mail mail message M9 --reason "not ours"
has "the post office 'mail' has no message 'M9'" err
mkdir talks
"$conclave" chat open mill --participants Implementer@ada,Validator@bob --id mill --dir talks >/dev/null
"$conclave" chat send mill "the Marlborough miller has no money left" --from Implementer@ada --type ANSWER --dir talks >/dev/null
redact_found "in a chat elsewhere" Marlborough
run "in a chat elsewhere: the witness knows what was redacted" 0 chat check mill --dir talks --json
is '.errors == 0'
"$conclave" chat send mill "the Swindon miller has no money left" --from Implementer@ada --type ANSWER --dir talks >/dev/null
mv talks/temp_chat_mill.txt talks/temp_chat_mill_editing.txt
redact_found "in a chat that somebody edits" Swindon
mv talks/temp_chat_mill_editing.txt talks/temp_chat_mill.txt
run "in a chat that somebody edits: the witness knows what was redacted" 0 chat check mill --dir talks --json
is '.errors == 0'
"$conclave" chat send mill "the Malmesbury miller has no money left" --from Implementer@ada --type ANSWER --dir talks >/dev/null
(flock 9 && touch ../taken && sleep 0.5 && touch ../given) 9<>talks/.wf/mill.lock &
await [ -e ../taken ]
"$conclave" redact chat talks/temp_chat_mill.txt message M0003 --reason "not ours" --dry-run >/dev/null && [ ! -e ../given ]
ok $? "in a chat that another process writes to: a dry run does not wait"
redact_found "in a chat that another process writes to" Malmesbury
[ -e ../given ]
ok $? "in a chat that another process writes to: it waits for its turn"
wait
(for i in 1 2 3 4 5 6 7 8; do "$conclave" chat send mill "this stays, $i" --from Validator@bob --type ANSWER --dir talks >/dev/null || echo $i >>../lost; done) &
for i in 1 2 3; do
    "$conclave" chat send mill "the Tisbury miller number $i has none" --from Implementer@ada --type ANSWER --dir talks >/dev/null
    redact_found "in a chat while others send, $i" Tisbury
done
wait
run "in a chat while others send: nothing is lost" 0 chat check mill --dir talks --json
is '.errors == 0 and .findings == []'
[ ! -e ../lost ] && [ "$(grep -c 'this stays' talks/temp_chat_mill.txt)" = 8 ]
ok $? "in a chat while others send: nothing is lost"
"$conclave" dialogue create "Rye or wheat" --expert Baker >/dev/null
"$conclave" dialogue round-register rye-or-wheat --round 0 --score 9 --tensions '[{"local_id": "MUFFIN-T0001", "label": "Price", "content": "the Westbury horse is not for sale at all", "contributors": ["muffin"]}]' >/dev/null
for id in one two; do
    "$conclave" chat open horses --participants Implementer@ada,Validator@bob --id $id >/dev/null
    "$conclave" chat send $id "the Westbury horse is not for sale at all" --from Implementer@ada --type ANSWER >/dev/null
done
run "a text that a chat has, too" 0 redact dialogue rye-or-wheat tension T0001 --reason "not ours" --json
is '.files == [] and (.left | contains([".conclave/chat/temp_chat_one.txt", ".conclave/chat/temp_chat_two.txt"]))'
echo "- Implementer@ada: the Westbury horse is not for sale at all" >.conclave/chat/chat_digest_one.md
run "a text that two chats have" 0 redact chat .conclave/chat/temp_chat_one.txt message M0001 --reason "not ours" --json
is '(.files | sort == [".conclave/chat/chat_digest_one.md", ".conclave/chat/temp_chat_one.txt"]) and (.left | contains([".conclave/chat/temp_chat_two.txt"]))'
run "a text that two chats have: neither history was changed" 0 chat check one --json
run "a text that two chats have: neither history was changed" 0 chat check two --json
run "a text that two chats have: the other one" 0 redact chat .conclave/chat/temp_chat_two.txt message M0001 --reason "not ours" --json
is '.left == []'
run "a chat that is none" 1 redact chat talks message M0001 --reason "not ours" --json
is '.error_code == "scope_not_found" and (.valid_options | contains(["talks/temp_chat_mill.txt"]))'
for name in plan sold; do
    "$conclave" notes create $name.md --speaker ada --target @bob --message "the Calne weaver sold his loom" --content x >/dev/null
done
cp plan.md kept.md && rm sold.md
run "a note" 0 redact notes log note 1 --reason "not ours" --json
is '(.left | contains(["plan.md"])) and (.left | contains(["kept.md"]) or contains(["sold.md"]) | not) and .files == []'
cmp -s plan.md kept.md
ok $? "a note: its file is named, and stays as it is"
[ "$("$conclave" search Calne --json | jq .count)" = 0 ] && "$conclave" verify >/dev/null
ok $? "a note: no search finds it, and the record verifies"

# ---- no room for what remains to be done ----
if on_sqlite; then
    "$conclave" mail send "the Salisbury mill stands empty since Friday" --from ada --to bob --message-id mill >/dev/null
    (ulimit -f 600 && exec "$conclave" redact mail mail message mill --reason "not ours" --json) >"$out" 2>"$err"
    name="no room"
    is '.error_code == "store_error" and (.suggestion | startswith("the text is redacted") and endswith("give the same command again"))'
    run "no room: it is redacted all the same" 0 mail read mill --json
    is '.message.params | has("redacted_sha256")'
    run "no room: the same command does the rest" 0 redact mail mail message mill --reason "not ours" --json
    ! grep -rqaF Salisbury .
    ok $? "no room: then no file of the project has the text"
fi
finish
