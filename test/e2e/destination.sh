#!/bin/sh
# destination.sh - no operation writes over the record or over somebody's file, by whatever path it is named.
. "$(dirname "$0")/lib.sh"
project
run "create" 0 dialogue create "A" --json
ln -s .conclave link
echo mine >mine.txt
for path in .conclave/conclave.db .conclave/conclave.db-wal link/conclave.db ./.conclave/../.conclave/new.json; do
    run "export to $path" 1 dialogue export a --output-path "$path"
    has "the record's own folder" err
    run "backup to $path" 1 backup "$path" --force
    has "the record's own folder" err
done
run "a dialogue's files in the record's folder" 1 dialogue create "B" --output-dir .conclave
has "--output-dir" err
run "export over another file" 1 dialogue export a --output-path mine.txt
has "there is another file of this name" err
[ "$(cat mine.txt)" = mine ]
ok $? "the file is as it was"
run "with force" 0 dialogue export a --output-path mine.txt --force --json
run "its own export again" 0 dialogue export a --output-path mine.txt --json
run "below the dialogues" 0 dialogue export a --output-path .conclave/dialogues/a.json --json
run "verify" 0 verify --json
is '.status == "success"'
# same FILE TEXT NAME: the file is as it was.
same() {
    [ "$(cat "$1")" = "$2" ]
    ok $? "$3"
}
# call NAME TOOL ARGUMENTS: one call of a server
call() {
    name=$1
    printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_%s","arguments":%s}}\n' "$2" "$3" |
        "$conclave" mcp --tools all >"$out" 2>"$err"
}

# ---- what looks like an export is not one
project signature
run "create" 0 dialogue create "A" --json
theirs=$(printf '{\n  "id": "my own file"\n}')
echo "$theirs" >config.json
run "export over a file that begins with an id" 1 dialogue export a --output-path config.json
has "there is another file of this name" err
same config.json "$theirs" "it is as it was"
call "the same through a server" export '{"dialogue_id":"a","output_path":"config.json"}'
is '.result.isError == true'
same config.json "$theirs" "it is as it was"
run "a dialogue in the project's folder" 0 dialogue create "B" --output-dir . --json
echo "$theirs" >dialogue.json
run "export to the default place, where another file stands" 1 dialogue export b
same dialogue.json "$theirs" "it is as it was"
call "the same through a server" export '{"dialogue_id":"b"}'
is '.result.isError == true'
same dialogue.json "$theirs" "it is as it was"
run "with force" 0 dialogue export b --force --json
run "again" 0 dialogue export b --json
is '.warnings | map(select(.type == "file_kept_aside")) == []'
run "an export names its format first" 0 dialogue export b --output-path - --json
is 'keys_unsorted[0] == "format" and .format == "conclave-dialogue 1"'

# ---- what a person edits is kept
run "create" 0 dialogue create "C" --expert-pool '{"domain":"d","question":"q","experts":[{"role":"Baker","tier":"Core","relevance":0.9}]}' --json
run "prompts" 0 dialogue round-prompts c --round 0 --json
is 'has("warnings") | not'
prompt=$(jq -r '.prompts[0].prompt_path' "$out")
run "prompts with other words" 0 dialogue round-prompts c --round 0 --overrides '{"muffin":{"mandate":"Be brief."}}' --json
has '"written"'
if [ ! -e "$prompt.before-1" ]; then # the file system has attributes
    ok 0 "a prompt that nobody edited is replaced"
    echo "My own words." >>"$prompt"
    edited=$(cat "$prompt")
    run "prompts after an edit" 0 dialogue round-prompts c --round 0 --json
    is '.warnings[0].type == "file_kept_aside" and (.warnings[0].message | endswith(".before-1"))'
    same "$prompt.before-1" "$edited" "the edited prompt is kept"
fi
run "transcript" 0 dialogue transcript c --write --json
board=.conclave/dialogues/c/scoreboard.md
echo "A note of mine." >>$board
edited=$(cat $board)
run "transcript after an edit" 0 dialogue transcript c --write --json
same $board.before-1 "$edited" "the edited scoreboard is kept"

# ---- an export does not say where this project writes
project origin
mkdir "$work/elsewhere"
run "create" 0 dialogue create "Far" --output-dir "$work/elsewhere" --expert-pool '{"domain":"d","question":"q","experts":[{"role":"Baker","tier":"Core","relevance":0.9}]}' --json
run "export" 0 dialogue export far --output-path far.json --json
project other
run "import" 0 import ../origin/far.json --json
is '.dialogues[0].decided[0].why | contains("is not used here: its files go to .conclave/dialogues/far")'
run "prompts of the imported dialogue" 0 dialogue round-prompts far --round 0 --json
is '.prompts[0].prompt_path | contains("/other/.conclave/dialogues/far/round-0/")'
[ -z "$(ls "$work/elsewhere")" ]
ok $? "nothing is written where the export says"
run "import again" 0 import ../origin/far.json --json
is '.dialogues[0].outcome == "unchanged"'
run "verify" 0 verify --json
run "export it from here" 0 dialogue export far --output-path - --json
cmp -s "$out" ../origin/far.json
ok $? "the export is the same as before"
sed '/"format": "conclave-dialogue 1",/d' ../origin/far.json >old.json
project third
run "an export of an earlier version" 0 import ../other/old.json --json
is '.dialogues[0].outcome == "imported"'
sed 's/conclave-dialogue 1/conclave-dialogue 2/' ../origin/far.json >new.json
run "an export of a later version" 1 import new.json --json
has "conclave-dialogue 2"

# ---- a project of somebody else
project theirs
mkdir below && cd below || exit 1
if [ "$(id -u)" -eq 0 ] && chown -R nobody ../.conclave; then
    run "a project of another owner above" 2 dialogue list
    has "belongs to nobody" err
    has "--root" err
    run "named with --root" 0 dialogue list --root ..
    CONCLAVE_ROOT=.. run "named with CONCLAVE_ROOT" 0 dialogue list
    call "a server that finds it" list '{}'
    is '.result.isError == true and (.result.content[0].text | contains("belongs to nobody"))'
    cd ..
    run "init does not adopt it" 2 init
    has "belongs to nobody" err
fi
finish
