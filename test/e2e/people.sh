#!/bin/sh
# people.sh - the command line for those who type: labels of dialogues, ids that are shortened or left out, and the width of
# the terminal in pages, help and errors.
. "$(dirname "$0")/lib.sh"
project
run "a dialogue" 0 dialogue create "Rye or wheat" --question "Which flour should we buy?" --expert "Baker: taste" --expert "Buyer: price" --json
run "another" 0 dialogue create "Oven" --question "Repair the oven or buy one?" --json

# ---- labels --------------------------------------------------------------------------------------------

run "tags" 0 dialogue tag rye Flour "#budget" --json
is '.dialogue_id == "rye-or-wheat" and .tags == ["budget", "flour"] and .rev == 2'
run "a tag that is none, and one that is twice" 1 dialogue tag rye "two words" --remove flour --add flour
has "'two words' is not a tag" err
has "'flour' is both added and removed" err
run "archive" 0 dialogue archive oven --reason "paid" --json
is '.archived and .title == "Oven"'
run "the list" 0 dialogue list --json
is '[.dialogues[].dialogue_id] == ["rye-or-wheat"] and .dialogues[0].tags == ["budget", "flour"]'
run "the list of what is archived" 0 dialogue list --archived --json
is '[.dialogues[] | [.dialogue_id, .archived]] == [["oven", true]]'
run "the list of all" 0 dialogue list --all --json
is '.count == 2'
run "the list of a tag" 0 dialogue list --tag FLOUR --tag budget --json
is '.count == 1'
run "the list of another tag" 0 dialogue list --tag flour,oven --json
is '.count == 0'
run "a search" 0 dialogue search oven --json
is '.count == 0'
run "a search there" 0 dialogue search oven --archived --json
is '.count == 1'
run "a search in all rooms" 0 search oven --json
is '.count == 0'
run "a kind that is none" 0 search oven --kind x --archived --json
is '.count == 0 and .warnings[0].type == "filtered_out"'
run "… asked for what is archived" 0 search oven --archived --json
is '.count == 1'
run "… or for the dialogue" 0 search oven --room dialogue --scope oven --json
is '.count == 1'
run "… or for one that is not there" 1 search oven --room dialogue --scope ovn --json
is '.error_code == "scope_not_found" and .suggestion == "did you mean '"'oven'"'?"'
run "rename" 0 dialogue rename rye "Flour for the winter" --json
is '.dialogue_id == "rye-or-wheat" and .title == "Flour for the winter" and .old_title == "Rye or wheat"'
run "the list has the title that the id does not say" 0 dialogue list
has "  Title: Flour for the winter"
ok "$([ "$(grep -c Title: "$out")" = 1 ]; echo $?)" "… and no other"
run "its page" 0 dialogue show rye
has "Flour for the winter"
has "tags: budget, flour"
run "its transcript" 0 dialogue transcript rye
has "# Flour for the winter"
run "labels go with an export" 0 dialogue export oven --output-path oven.json
run "what is archived is verified" 0 verify --json
is '[.scopes[] | .name] | index("oven") != null'
mkdir other && cd other || exit 1
run "another project" 0 init
run "… takes the export" 0 import ../oven.json --json
run "… which is archived there, too" 0 dialogue list --archived --json
is '[.dialogues[].dialogue_id] == ["oven"]'
cd .. || exit 1
run "unarchive" 0 dialogue unarchive oven --json
is '.archived == false'
mcp() { printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' "$1" | "$conclave" mcp --tools all 2>/dev/null | tail -n 1 >"$out"; }
name="labels over MCP"
mcp '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_tag","arguments":{"dialogue_id":"rye-or-wheat","remove":["budget"]}}}'
is '.result.content[0].text | fromjson | .tags == ["flour"]'
name="the beginning of an id over MCP"
mcp '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_archive","arguments":{"dialogue_id":"rye"}}}'
is '.result.isError and (.result.content[0].text | fromjson | .error_code == "dialogue_not_found")'

# ---- ids that are shortened or left out ----------------------------------------------------------------

run "compare" 0 dialogue compare rye ov --json
is '[.dialogues[].dialogue_id] == ["rye-or-wheat", "oven"]'
run "the dialogue of a search" 0 dialogue search flour --dialogue-id ry --json
is '.results[0].dialogue_id == "rye-or-wheat"'
run "what is like a question, without one" 0 dialogue similar "oven" --exclude ov --json
is '.count == 0'
run "a scope beside its room" 0 verify --room dialogue --scope ov --json
is '[.scopes[].name] == ["oven"]'
run "one that is like two" 0 dialogue create "Oven door" --json
run "compare with it" 1 dialogue compare rye ove --json
is '.field == "dialogue_ids[1]" and (.message | contains("oven, oven-door"))'
run "none of several" 1 dialogue show
has "name one of 3 dialogues" err
export CONCLAVE_DIALOGUE=ry
run "… named by the variable" 0 dialogue show --json
unset CONCLAVE_DIALOGUE
is '.dialogue_id == "rye-or-wheat"'
run "not in --data" 1 dialogue compare --data '{"dialogue_ids": ["rye", "oven"]}' --json
is '.error_code == "dialogue_not_found"'

run "a verb in two words, without its room" 0 panel show hiring --json
is '.name == "hiring"'
run "its help" 0 panel list --help
has "conclave dialogue panel-list - "
run "two words that are no verb" 2 panel sing
has "unknown command 'panel'" err

# ---- a draft in an editor -------------------------------------------------------------------------------

folder=$PWD/.conclave/dialogues/rye-or-wheat
run "a response" 0 dialogue respond rye --expert muffin --content "[PERSPECTIVE P01: Rye keeps]
A week and longer."
# edits NAME STATUS SCRIPT: `draft --edit` with an editor that is this script; $1 is the file, $n counts its calls.
edits() {
    rm -f "$work/turns" "$work"/seen-*
    printf '#!/bin/sh\necho >>"%s/turns"\nn=$(wc -l <"%s/turns")\ncp "$1" "%s/seen-$n"\n%s\n' "$work" "$work" "$work" "$3" >"$work/editor"
    chmod +x "$work/editor"
    EDITOR=$work/editor
    export EDITOR
    run "$1" "$2" dialogue draft rye --edit
    unset EDITOR
}
# kept COUNT: so many files lie beside the rounds.
kept() {
    [ "$(find "$folder" -maxdepth 1 -name 'round-register-edit*' | wc -l)" -eq "$1" ]
    ok $? "$name: $1 files are kept"
}
unset VISUAL
edits "an editor that changes nothing" 0 true
has "nothing was sent: the file is as it was" err
grep -q '"muffin": null' "$work/seen-1" && ! grep -q cupcake "$work/seen-1"
ok $? "$name: it was shown who is to be scored"
kept 0
edits "a file that is emptied" 0 ': >"$1"'
has "nothing was sent: the file is empty" err
kept 0
edits "an editor that fails" 2 'exit 3'
has "failed, so nothing was sent" err
kept 0
edits "an editor that fails when it has written" 2 'echo "# mine" >>"$1"; kill -9 $$'
has "what you wrote is in $folder/round-register-edit.json" err
kept 1
edits "faults, and then nobody goes on" 1 '[ $n -gt 1 ] || sed -i "s/\"muffin\": null/\"muffin\": \"many\"/; s/\"summary\": \"\"/\"summary\": \"my words\"/" "$1"'
has "what you wrote is in $folder/round-register-edit-2.json" err
has "expert_scores.muffin: expected a whole number" err
kept 2
grep -q "my words" "$folder/round-register-edit-2.json" && grep -q "^#! expert_scores.muffin: expected a whole number" "$work/seen-2"
ok $? "$name: what was written is there, with the faults above it"
edits "faults, and then the file is emptied" 1 'if [ $n -gt 1 ]; then : >"$1"; else sed -i "s/\"summary\": \"\"/\"summary\": \"her words\"/" "$1"; fi'
has "nothing was sent: the file is empty" err
grep -q "her words" "$folder/round-register-edit-3.json"
ok $? "$name: what was written before is there"
edits "a file that is not JSON" 1 '[ $n -gt 1 ] || sed -i "s/\"title\": \"\",/\"title\": \"a\" \"b\",/" "$1"'
line=$(sed -n 's/^#! line \([0-9]*\):.*/\1/p' "$work/seen-2")
sed -n "${line:-1}p" "$work/seen-2" | grep -q '"title": "a" "b"'
ok $? "$name: the fault names its line"
edits "the same broken text, saved again and again" 1 'printf "{\"title\":\n" >"$1"'
[ "$(wc -l <"$work/turns")" -eq 2 ]
ok $? "$name: the editor is not started for ever"
rm "$folder/round-register-edit-5.json"
edits "an editor that takes the file away" 2 'rm "$1"'
has "the editor removed the file, so nothing was sent" err
! grep -q "what you wrote is in" "$err"
ok $? "$name: nothing is said to be where it is not"
kept 4
edits "no score is filled in" 1 '[ $n -gt 1 ] || sed -i "s/\"title\": \"\"/\"title\": \"Mine\"/" "$1"'
has "'expert_scores' has none" err
has "to send it: conclave dialogue round-register --data @$folder/round-register-edit-5.json" err
run "what was kept can be sent" 0 dialogue round-register --data @"$folder/round-register-edit-5.json" --expert-scores '{"muffin": 3}' --dry-run --json
is '.dry_run and .round == 0'
run "… and its faults are told" 1 dialogue round-register --data @"$folder/round-register-edit-5.json"
has "'expert_scores' has none" err
rm "$folder/round-register-edit-5.json"
EDITOR=true run "with --payload-only" 0 dialogue draft rye --edit --payload-only
has "nothing was sent: the file is as it was" err
edits "somebody writes meanwhile" 0 'sed -i "s/\"muffin\": null/\"muffin\": 7/" "$1"
if [ $n -gt 1 ]; then sed -i /expect_rev/d "$1"; else "'"$conclave"'" dialogue tag rye-or-wheat meanwhile >/dev/null; fi'
has "Round 0 of rye-or-wheat is registered"
grep -q "^#! .*rev" "$work/seen-2"
ok $? "$name: it was told"
kept 4
run "what was saved is registered" 0 dialogue get rye --json
is '.rounds[0].score == 7 and .counts.perspectives == 1'
run "another response" 0 dialogue respond rye --expert cupcake --content "[MOVE:CONVERGE]"
VISUAL="sed -i -e s/null/4/"
export VISUAL
EDITOR=false run "an editor with options, VISUAL first" 0 dialogue draft rye --edit --json
is '.round == 1 and .replayed == null'
unset VISUAL
mkdir -p "$folder/round-2" && printf '[MOVE:CONVERGE]\n' >"$folder/round-2/response-muffin.md"
run "progress sees a response file" 0 dialogue progress rye --json
is '[.files_not_handed_in[].expert] == ["muffin"] and (.next_step.command | test("round-verify"))'
run "… and says so" 0 dialogue progress rye
has "Response files that were not sent: muffin"
run "nothing to edit" 1 dialogue draft rye --edit
has "round 2 has no response yet" err
run "… and the draft says the same" 0 dialogue draft rye
has "round 2 has no response yet"
! grep -q "Next:" "$out"
ok $? "$name: nobody is told to register it"
run "a dialogue that is given up" 0 dialogue create "Given up" --expert Baker --json
"$conclave" dialogue abandon given-up --reason r >/dev/null
run "a draft of it" 0 dialogue draft given-up
has "the dialogue is closed"
! grep -q "Next:" "$out"
ok $? "$name: nobody is told to register it"
run "… and --edit says the same" 1 dialogue draft given-up --edit
has "dialogue_closed" err
"$conclave" dialogue archive given-up >/dev/null

run "a tag that it never had" 0 dialogue tag rye --remove unknown
has "Nothing has changed."
has "the dialogue has no tag 'unknown'"
! grep -q "this was done before" "$out"
ok $? "$name: nobody says that it was done"

# ---- the width of the terminal -------------------------------------------------------------------------
wide=$(printf '漢字かな交じりの長い文%.0s' 1 2 3 4 5 6 7 8)
"$conclave" dialogue create "Wide" --question "$wide" --expert "Kritiker: $wide" --expert "B" >/dev/null
for page in show get round-context progress; do
    COLUMNS=80 "$conclave" dialogue $page wide >"$out" 2>&1
    jq -Rrse 'split("\n") | all([explode[] | if . >= 12288 then 2 else 1 end] | add // 0 | . <= 80)' "$out" >/dev/null
    ok $? "$page: a text without blanks is broken before column 80"
done
"$conclave" dialogue archive wide >/dev/null

# narrow WIDTH: no line of $out is wider, but for commands, which are to be copied, and single long words.
narrow() {
    grep -E "^.{$(($1 + 1)),}" "$out" | grep -v '^ *conclave ' | grep ' *[^ ] ' >"$work/wide"
    [ ! -s "$work/wide" ]
    ok $? "$name: no line above $1 columns"
    sed 's/^/#   /' "$work/wide" | head -n 3
}
export LC_ALL=C.UTF-8
for width in 40 60 80 120 200; do
    for words in "help" "help dialogue" "dialogue round-register --help" "help errors" "dialogue show oven" "dialogue list --all" \
        "dialogue progress rye" "dialogue get rye" "dialogue panel-list"; do
        name="$words"
        COLUMNS=$width "$conclave" $words >"$out" 2>&1
        narrow $width
    done
done
name="help in a pipe"
"$conclave" help dialogue >"$out" 2>&1
narrow 80
for bad in 0 -5 wide "" 99999999999; do
    COLUMNS=$bad "$conclave" help dialogue >"$work/again" 2>&1
    cmp -s "$out" "$work/again"
    ok $? "COLUMNS=$bad is not a width"
done
if command -v script >/dev/null; then
    name="an error on a terminal"
    script -qec "stty cols 40; '$conclave' dialogue shwo; '$conclave' dialogue show" /dev/null 2>&1 </dev/null | tr -d '\r' >"$out"
    narrow 40
    grep -q '^          ' "$out"
    ok $? "$name goes on below its beginning"
    name="what an answer lacks, on a terminal"
    script -qec "stty cols 40; '$conclave' dialogue expand rye @muffin T0999" /dev/null 2>&1 </dev/null | tr -d '\r' >"$out"
    grep -q '^conclave: there is no tension' "$out"
    ok $? "$name: is told"
    narrow 40
    name="help on a terminal"
    script -qec "stty cols 52; '$conclave' help dialogue" /dev/null 2>&1 </dev/null | tr -d '\r' >"$out"
    narrow 52
fi
run "an error in a pipe" 1 dialogue show
[ "$(wc -l <"$err")" -eq 1 ]
ok $? "$name: is one line"
finish
