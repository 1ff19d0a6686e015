#!/bin/sh
# toy.sh - a room is one descriptor: the toy of test/toy, one line in a list of rooms, is served by every door.
CONCLAVE=build/asan/conclave_toy
. "$(dirname "$0")/lib.sh"
ask() {
    name=$1
    request=$2
    shift 2
    printf '{"jsonrpc":"2.0","id":1,%s}\n' "$request" | "$conclave" mcp "$@" >"$out" 2>"$err"
    ok $? "$name: exit status 0"
}
project

# ---- the command line
run "help" 0 help
has "put something into a jar"
has "conclave jar fill plums"
has " jars,"
run "help on the room" 0 help jar
has "jars that are filled and looked at"
run "help on a verb" 0 help jar look
has "Usage: conclave jar look [OPTION...] [JAR_ID]"
has "--jar-id JAR"
run "its topic" 0 help jars
has "A jar holds 10."
run "its example of an operation of the project" 0 help search
has "conclave search sweet --room jar"
run "its command on files" 0 help
has "weigh             print what is in files of jars"
echo 4 >four.jar
run "the command" 0 weigh four.jar
has "four.jar: 4"
rm four.jar
run "a file that is not there" 2 weigh five.jar
run "its error code among the others" 0 help errors
has "jar_full                   1     more does not fit into the jar"
has "dialogue_not_found"
run "a manual page" 0 man jar fill
has "conclave\\-jar\\-fill"
run "write" 0 jar fill plums --count 3 --json
is '.count == 3'
run "read" 0 jar look plums
has "count:  3"
run "its own refusal" 1 jar fill plums --count 9 --json
is '.error_code == "jar_full" and .suggestion == "'"'conclave jar look'"' shows how much is in it"'
run "a fault of form" 1 jar fill --count 0 --json
is '[.errors[].error_code] == ["missing_field", "invalid_value"]'
run "a name that its file cannot have" 1 jar fill "$(printf 'plum%.0s' $(seq 16))" --json
is '.error_code == "invalid_value" and .constraint == "maxLength"'
run "a misspelt verb" 2 jar lok
has "did you mean 'look'?" err
run "completion of verbs" 0 completion words -- jar l
has "look	see how much is in a jar"
run "completion of a value" 0 completion words -- jar look ""
has "plums"

# ---- MCP: the rooms in use are offered, or those that are named
ask "the tools of the room in use" '"method":"tools/list"'
is '[.result.tools[].name] == ["toy_jar_fill", "toy_jar_look"]'
is '.result.tools[0].inputSchema.properties.jar_id == {"type":"string","description":"which jar"}'
ask "a tool of a room that is not in use" '"method":"tools/call","params":{"name":"blue_dialogue_create","arguments":{}}'
is '.error.message | endswith("(jar), it is in dialogue: start it with --rooms jar,dialogue")'
ask "both rooms" '"method":"tools/list"' --rooms jar,dialogue
is '[.result.tools[].name] | contains(["toy_jar_look", "blue_dialogue_create"])'
ask "another room alone" '"method":"tools/list"' --rooms dialogue
is '[.result.tools[].name | select(startswith("toy_"))] == []'
[ "$(wc -c <"$out")" -le 12000 ]
ok $? "$name: at most 12,000 bytes, the whole reply ($(wc -c <"$out"))"
ask "a call" '"method":"tools/call","params":{"name":"toy_jar_fill","arguments":{"jar_id":"plums"}}'
is '.result.content[0].text | fromjson | .count == 4'
ask "its own refusal" '"method":"tools/call","params":{"name":"toy_jar_fill","arguments":{"jar_id":"plums","count":9}}'
is '.result.isError and (.result.content[0].text | fromjson | .error_code == "jar_full" and (.suggestion | startswith("'"'toy_jar_look'"'")))'
ask "a tool without its prefix" '"method":"tools/call","params":{"name":"jar_look","arguments":{}}'
is '.error.message | endswith("did you mean '"'toy_jar_look'"'?")'
ask "the template" '"method":"resources/templates/list"'
is '[.result.resourceTemplates[].uriTemplate] == ["conclave://jar/{id}"]'
ask "the resource" '"method":"resources/read","params":{"uri":"conclave://jar/plums"}'
is '.result.contents[0].text | fromjson | .count == 4'
ask "a resource that is not there" '"method":"resources/read","params":{"uri":"conclave://jar/pears"}'
is '.error.message == "Resource not found: conclave://jar/pears: there is no jar '"'pears'"'"'
ask "the prompt" '"method":"prompts/get","params":{"name":"cook","arguments":{"jar_id":"plums"}}'
is '.result.messages[0].content.text | startswith("Cook with what is here: {")'
ask "the prompt without its argument" '"method":"prompts/get","params":{"name":"cook","arguments":{}}'
is '.error.message == "the argument jar_id is needed"'
ask "values for the prompt" '"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"cook"},"argument":{"name":"jar_id","value":"pl"}}'
is '.result.completion.values == ["plums"]'
ask "no values of another room" '"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"conclave://jar/{id}"},"argument":{"name":"id","value":""}}' --rooms jar,dialogue
is '.result.completion.values == ["plums"]'

# ---- a subscription
mkfifo "$work/calls"
"$conclave" mcp <"$work/calls" >"$work/answers" 2>"$err" &
pid=$!
exec 7>"$work/calls"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
    '{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"conclave://jar/plums"}}' >&7
await grep -q '"id":2' "$work/answers"
"$conclave" jar fill plums >/dev/null
await grep -q 'notifications/resources/updated.*conclave://jar/plums' "$work/answers"
exec 7>&-
wait $pid
grep -q 'notifications/resources/updated.*conclave://jar/plums' "$work/answers"
ok $? "a change by another process reaches who has subscribed"

# ---- what every room gets from its type: search, feed, redaction, export and import, verify, backup
run "a note" 0 jar fill pears --note "Sweet pears of the Avebury orchard, do not tell." --json
is '.count == 1 and .rev == 1'
run "search finds it" 0 search orchard --json
is '.results == [.results[0]] and (.results[0] | [.room, .scope, .kind, .id] == ["jar", "pears", "jar", "pears"])'
is '.results[0].snippet == "Sweet pears of the Avebury ⟦orchard⟧, do not tell."'
run "search in the room" 0 search pears --room jar --json
is '.count == 1'
run "search in another room" 0 search pears --room dialogue --json
is '.count == 0'
run "an id" 0 search plums --room jar --kind jar --json
is '.results[0].id == "plums"'
run "the feed" 0 feed --room jar --json
is '[.entries[] | [.scope, .rev]] == [["plums", 1], ["plums", 2], ["plums", 3], ["pears", 1]]'
is '.entries[0].operation == "jar fill" and (.more | not)'
ask "a tool that is not offered unasked" '"method":"tools/call","params":{"name":"conclave_search","arguments":{"query":"orchard"}}'
is '.error.message | endswith("this server offers it only when it is started with --tools all")'
ask "the search as a tool" '"method":"tools/call","params":{"name":"conclave_search","arguments":{"query":"orchard"}}' --tools all
is '.result.content[0].text | fromjson | .results[0].scope == "pears"'
ask "the feed as a tool" '"method":"tools/call","params":{"name":"conclave_feed","arguments":{"room":"jar","limit":2}}' --tools all
is '.result.content[0].text | fromjson | .more and (.entries | length) == 2'
run "the feed of one jar" 0 feed --room jar --scope pears
has "jar      pears                   1 fill"
run "replay" 0 jar fill figs --op-id one --json
run "replay" 0 jar fill figs --op-id one --json
is '.replayed and .rev == 1 and .count == 1'
run "an op_id that made another jar" 1 jar fill dates --op-id one --json
is '.error_code == "op_id_conflict"'

run "redact" 0 redact jar pears jar pears --reason "not ours to tell" --as ann --json
is '.texts[0] == "jar/pears/note" and .field == "note" and .rev == 2'
grep -rqa Avebury .conclave
[ $? -eq 1 ]
ok $? "redact: no file below .conclave has the text"
run "search does not find it" 0 search orchard --json
is '.count == 0'
run "the row stays" 0 jar look pears --json
is '.count == 1 and (.note | fromjson | keys == ["redacted_sha256"])'
run "and changes" 0 jar fill pears --json
is '.count == 2 and .rev == 3'
run "a field that is not a long text" 1 redact jar pears jar pears --field count --reason x --json
is '.error_code == "invalid_value" and .valid_options == ["note"]'

run "export" 0 export-scope jar pears --output pears.json --json
is '.rev == 3'
run "verify" 0 verify --json
is '.status == "success"'
run "backup" 0 backup jars.db --json
run "a write after it" 0 jar fill pears --json
run "restore" 0 restore jars.db --json
run "the jar as it was" 0 jar look pears --json
is '.count == 2 and .rev == 3'
"$conclave" export-scope jar pears >again.json
cmp -s pears.json again.json
ok $? "restore: the same bytes again"

project other
run "import" 0 import-scope ../project/pears.json --json
is '.status == "restored" and .rev == 3'
echo '- pears' >pears.md
run "what is no export" 1 import-scope pears.md
has "the file is not an exported scope; 'conclave export-scope' writes such files" err
run "import again" 0 import-scope ../project/pears.json --json
is '.status == "unchanged"'
run "what came in" 0 jar look pears --json
is '.count == 2 and .rev == 3'
run "verify it" 0 verify --json
is '.status == "success"'
"$conclave" export-scope jar pears >pears.json
cmp -s ../project/pears.json pears.json
ok $? "import: the same bytes again"
sed 's/Avebury/Avebary/; s/"filled"/"emptied"/' pears.json >changed.json
run "a changed file of what is here already" 1 import-scope changed.json --json
is '.error_code == "verify_failed"'
sed 's/"count",2/"count",3/; s/\["pears",2/["pears",3/; s/,2,"{/,3,"{/' pears.json >forged.json
project third
run "a changed file" 1 import-scope ../other/forged.json --json
is '.error_code == "verify_failed" and (.suggestion | startswith("the file was changed"))'
run "another history" 0 jar fill pears
run "another history" 1 import-scope ../other/pears.json --json
is '.error_code == "rev_conflict"'

# ---- what the project does for every room: folder, files, import
project fourth
"$conclave" jar fill plums >/dev/null
[ "$(stat -c %a .conclave/jars)" = 700 ] && [ "$(stat -c %a .conclave/dialogues)" = 700 ]
ok $? "init makes the folder of every room, its owner's alone"
run "its folder among the files" 0 help files
has ".conclave/dialogues/           files of the room 'dialogue'"
has ".conclave/jars/                files of the room 'jar'"
run "its files are examined" 0 doctor --json
is '[.findings[] | select(.check == "jars") | .message] == ["0 labels"]'
run "written below its folder" 0 backup .conclave/jars/copy.db
rm .conclave/jars/copy.db
run "not in another one" 1 backup .conclave/jam/copy.db
has "or .conclave/jars" err
run "not beside it" 1 backup .conclave/jars.db
mkdir shelf && echo 7 >shelf/pears.jar && echo many >shelf/figs.jar
"$conclave" init linked >/dev/null && rmdir linked/.conclave/jars && ln -s ../../shelf linked/.conclave/jars
run "nothing is taken in through a link" 1 jar fill plums --root linked
has ".conclave/jars" err
cp "$root/examples/decision.dialogue.md" bread.dialogue.md
sed 's/^# .*/# Notes/' bread.dialogue.md >shelf/notes.md
run "a path is taken by the room that it fits" 0 import shelf/pears.jar bread.dialogue.md --json
is '(.jars == [{"name": "pears.jar", "outcome": "imported"}]) and ([.dialogues[] | .name, .outcome] == ["bread", "imported"])'
id=$(jq -r '.dialogues[0].dialogue_id' "$out")
is '.counts.imported == 2 and .counts.in_jars == 7 and .counts.perspectives == .dialogues[0].perspectives and .status == "success"'
run "and is there" 0 jar look pears --json
is '.count == 7'
run "another room is not asked to" 1 import shelf/figs.jar --json
is '.jars[0].outcome == "failed" and (has("dialogues") | not) and .counts.failed == 1 and .status == "partial"'
run "what nobody knows is perhaps a dialogue" 0 import shelf/notes.md --dry-run
has "imported   notes -> "
has "1 imported, 0 continued"
"$conclave" dialogue export "$id" --output-path bread.json >/dev/null
run "an export is known by its room" 0 import bread.json --json
is '.dialogues[0].outcome == "unchanged" and (has("jars") | not)'
run "verify lists what is kept" 0 verify --json
is '[.scopes[] | .room, .name] == ["dialogue", "'"$id"'", "jar", "pears", "jar", "plums"]'
run "of one room" 0 verify --room jar --json
is '[.scopes[].name] == ["pears", "plums"]'

# ---- files that are put into its folder are taken in by its next operation; its own are written from the feed
project fifth
jars=.conclave/jars
echo 3 >$jars/plums.jar
run "a file is taken in" 0 jar look plums --json
is '.count == 3 and .rev == 1'
[ ! -e $jars/plums.jar ] && [ "$(cat $jars/plums.label)" = 3 ] && [ "$(ls -A $jars | tr '\n' ' ')" = ".position plums.label " ]
ok $? "it is gone, and the label is written"
echo 3 >$jars/plums.jar
run "equal bytes again are another filling" 0 jar fill plums --json
is '.count == 7 and .rev == 3'
run "nobody's act, whoever calls" 0 jar list --as ann
run "its history" 0 feed --room jar --json
is '[.entries[] | .operation] == ["jar fill", "jar fill", "jar fill"]'
"$conclave" export-scope jar plums | jq -e '[.. | strings | select(. == "ann")] == []' >/dev/null
ok $? "nobody's act: the caller's name is not in what was taken in"
printf 1 >$jars/.1-0-abc.figs.jar
run "what a killed process had begun" 0 jar look figs --json
is '.count == 1'
printf 1 >$jars/.1-0-abc.figs.jar
run "… and had done is not done twice" 0 jar look figs --json
is '.count == 1 and .rev == 1'
echo 90 >$jars/plums.jar && echo many >$jars/figs.jar
run "what is refused does not hinder" 0 jar look plums --json
is '.count == 7'
[ "$(cat $jars/*.plums.jar.refused)" = 90 ] && [ "$(cat $jars/*.figs.jar.refused)" = many ]
ok $? "it is kept"
ln -s /etc/hostname $jars/link.jar && mkdir $jars/folder.jar
run "what is not a file stays where it is" 0 jar fill figs --json
[ -L $jars/link.jar ] && [ -d $jars/folder.jar ] && rm $jars/link.jar && rmdir $jars/folder.jar
ok $? "what is not a file stays where it is: it does"
mv $jars aside
run "files that cannot be taken in: who reads gets what there is" 0 jar look plums --json
is '.count == 7'
has "files were not read in: " err
run "files that cannot be taken in: who writes is refused" 2 jar fill plums --json
is '.error_code == "not_found" and (.file | endswith(".conclave/jars"))'
run "files that cannot be taken in: other rooms work" 0 dialogue list
mv aside $jars
for i in 1 2 3 4 5 6; do
    echo 1 >$jars/many.jar
    for _ in 1 2 3 4; do "$conclave" jar look plums >/dev/null & done
    wait
done
run "several at the same time take each file once" 0 jar look many --json
is '.count == 6 and .rev == 6'
[ "$(cat $jars/many.label)" = 6 ] && [ "$(ls -A $jars | grep '^\.')" = .position ]
ok $? "… and leave nothing but the label"
mkfifo "$work/more"
: >"$work/answers"
"$conclave" mcp <"$work/more" >"$work/answers" 2>"$err" &
pid=$!
exec 7>"$work/more"
look='"method":"tools/call","params":{"name":"toy_jar_look","arguments":{"jar_id":"figs"}}'
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' "{\"jsonrpc\":\"2.0\",\"id\":2,$look}" >&7
await grep -q '"id":2' "$work/answers"
echo 2 >$jars/figs && mv $jars/figs $jars/figs.jar
printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":3,$look}" '{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"conclave://jar/figs"}}' >&7
await grep -q '"id":4' "$work/answers"
jq -se '.[] | select(.id == 3) | .result.content[0].text | fromjson | .count == 4' "$work/answers" >/dev/null
ok $? "a server asks the files before it gives an answer again"
echo 4 >$jars/figs && mv $jars/figs $jars/figs.jar
await grep -q 'notifications/resources/updated.*conclave://jar/figs' "$work/answers"
exec 7>&-
wait $pid
grep -q 'notifications/resources/updated.*conclave://jar/figs' "$work/answers"
ok $? "a file that somebody puts there reaches who has subscribed, though nobody calls"
[ ! -e $jars/figs.jar ] && [ "$(cat $jars/figs.label)" = 8 ]
ok $? "it was taken in"
labels() { cat $jars/figs.label $jars/many.label | tr '\n' ' '; }
cp -r . ../sixth && cd ../sixth && rm $jars/*.label $jars/.position
run "a folder without a position shows everything" 0 jar look figs --json
[ "$(labels)" = "8 6 " ]
ok $? "all labels are there again"
cp -r $jars older
run "a commit that the copy of the folder does not show" 0 jar fill figs
[ "$(labels)" = "8 6 " ] && "$conclave" jar look figs >/dev/null && [ "$(labels)" = "9 6 " ]
ok $? "what an operation writes is shown by the next one"
rm -r $jars && mv older $jars
run "an older copy of the folder catches up from its own position" 0 jar look figs
[ "$(labels)" = "9 6 " ]
ok $? "the label is the new one"
rm $jars/many.label && sed -i 's/"boot":"[^"]*"/"boot":"another"/' $jars/.position
run "after another start of the machine files may be lost" 0 jar look figs
[ "$(labels)" = "9 6 " ]
ok $? "what was lost is written again"
printf '{"position":"of another store","boot":"x"}' >$jars/.position && rm $jars/figs.label
run "a position of another store" 0 jar look figs
[ "$(labels)" = "9 6 " ]
ok $? "everything is shown anew"
finish
