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
has "'flour' is to be added and removed" err
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
run "rename" 0 dialogue rename rye "Flour for the winter" --json
is '.dialogue_id == "rye-or-wheat" and .title == "Flour for the winter" and .old_title == "Rye or wheat"'
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

# ---- the width of the terminal -------------------------------------------------------------------------

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
    name="help on a terminal"
    script -qec "stty cols 52; '$conclave' help dialogue" /dev/null 2>&1 </dev/null | tr -d '\r' >"$out"
    narrow 52
fi
run "an error in a pipe" 1 dialogue show
[ "$(wc -l <"$err")" -eq 1 ]
ok $? "$name: is one line"
finish
