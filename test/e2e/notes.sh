#!/bin/sh
# notes.sh - header dialogs and margin notes: every point of the specification, by the real program.
# A comment "point N" names the point of its list of capabilities that is shown.
. "$(dirname "$0")/lib.sh"
project
fixtures=$root/test/notes/fixtures
note() { printf '%s\n' '---' 'DIALOG:' "  speaker: $1" "  target: $2" "  message: \"$3\"" '---' ''; }
head_of() { printf '%s\n' '---' 'wolfie.headers.version: 4.0.1' 'dialog:' "  speaker: $1" "  target: $2" "  message: \"$3\"" '---' ''; }

# ---- reading: points 1-15, 19, 21, 23, 46, 47, 48, 54 --------------------------------------------------------------
mkdir tree && cp "$fixtures"/* tree
run "all fixtures" 0 notes scan tree --json # point 1, 14, 48
is '[.notes[] | .kind] | unique == ["header", "inline"]'
is '[.notes[] | select(.path | endswith("i01_inline.md"))] | map(.kind) == ["header", "inline", "inline", "inline"]'
is 'all(.notes[]; has("speaker") and has("target") and has("message") and has("mood_rgb") and has("created_ymdhis"))' # point 2
is '[.problems[] | .problem] | unique == ["incomplete", "not_closed", "unsafe_header"]' # points 3, 5, 7
is '[.problems[] | select(.problem == "incomplete") | .line] | length == 4 and all(. > 0)'
is '[.notes[] | select(.path | endswith("h05_flat_keys.php")) | .mood_rgb] == ["00FF00"]'
is '[.notes[] | select(.path | endswith("i01_inline.md")) | .fields // empty] == [{"severity": "low"}]' # point 13
is '[.notes[] | select(.path | endswith("v01_styles.md")) | .target] == ["@everyone"]' # point 6
is '[.notes[] | select(.path | endswith("v07_bad_values.md")) | .mood_rgb] | unique == ["666666"]' # point 12
is '[.notes[] | select(.path | endswith("v15_version_1_0.md"))] | length == 1' # point 54
run "twice the same" 0 notes scan tree/i11_equal_notes.md --json # point 23
is '.notes | length == 2 and (map(.line) == [1, 10])'
run "entries of dialog files" 0 notes scan tree/m01_entries.md --markdown --json
is '[.notes[] | select(.kind == "markdown") | .created_ymdhis] == [20260114153000, 20260112100500]'

# Each example of the specification as a file of its own (point 46), and all of them in fences.
mkdir examples
cat >examples/2.md <<'X'
---
DIALOG:
  speaker: <STRING>
  target: <STRING>
  message: <STRING, max 272 chars>
  date_ymdhis: <YYYYMMDDHHMMSS> (optional, auto-generated if missing)
  mood_RGB: <RRGGBB> (optional, Counting-in-Light mood color)
---
X
head_of CURSOR @everyone "Updated this file to clarify inline dialog behavior." >examples/4a.md
{ echo "## Section"; echo; printf '%s\n' '---' 'DIALOG:' '  speaker: LILITH' '  target: @everyone' \
    '  message: "Question: Should we document it here?"' '  date_ymdhis: 20260106120000' '---'; } >examples/4b.md
{ printf 'function f() {\n    // code\n}\n\n'; note THOTH @CURSOR "Question: zero?"; } >examples/7c.php
{ echo "# A"; echo; note WOLFIE @everyone "Note: examples."; echo "# B"; echo; note CURSOR @WOLFIE "Added."; } >examples/7e.md
run "the examples" 0 notes scan examples --json
is '[.notes[] | [.kind, .speaker, .target]] == [["header","CURSOR","@everyone"],["inline","LILITH","@everyone"],["inline","THOTH","@CURSOR"],["inline","WOLFIE","@everyone"],["inline","CURSOR","@WOLFIE"]]'
is '.notes[1].created_ymdhis == 20260106120000' # point 10
run "with placeholders" 0 notes scan examples/2.md --include-fenced --json
is '.notes | length == 1 and .[0].reason == "placeholder" and .[0].message == "<STRING, max 272 chars>"'
{ head_of KIRO @everyone "Its own header."; echo '```yaml'; cat examples/2.md; echo '```'; echo '```markdown'; cat examples/7e.md; echo '```'; } >fenced.md
run "fenced" 0 notes scan fenced.md --json # one dialog: its own header
is '.notes | length == 1 and .[0].kind == "header"'
run "fenced, shown" 0 notes scan fenced.md --include-fenced --json
is '[.notes[] | select(.fenced)] | length == 3'
[ -z "${CONCLAVE_NOTES_SPEC-}" ] || {
    cp "$CONCLAVE_NOTES_SPEC" spec.md
    run "the specification" 0 notes scan spec.md --json
    is '.notes | length == 1'
    run "its examples" 0 notes scan spec.md --include-fenced --json
    is '[.notes[] | select(.fenced)] | length == 9'
}

# ---- trees: what is passed over -------------------------------------------------------------------------------------
mkdir -p t/node_modules/x t/build t/deep t/sub && cd t || exit 1
printf 'build/\n*.log\n!keep.log\n/only-here.md\n' >.gitignore
for f in node_modules/x/a.md build/b.md c.log keep.log only-here.md sub/only-here.md d.md; do head_of A @everyone x >"$f"; done
printf 'deep/*\n' >deep/.gitignore && head_of A @everyone x >deep/e.md
printf '\377\376d\000i\000a\000' >utf16.md && printf 'dialog:\000' >binary.md && ln -s . loop && ln -s d.md link.md
run "a tree" 0 notes scan --json
is '[.notes[] | .path] == ["d.md", "deep/e.md", "keep.log", "sub/only-here.md"]'
is '.binary == 2 and .links == 2 and .ignored >= 4'
run "a binary file that is named" 0 notes scan utf16.md
has "error: utf16.md: it is binary or UTF-16"
run "… and logged" 0 notes log utf16.md --json
is '.unreadable == 1 and (has("replayed") | not)'
run "a link that is named" 1 notes log link.md
has "symbolic link" err
cd .. && rm -rf t

# ---- writing --------------------------------------------------------------------------------------------------------
mkdir docs
run "create" 0 notes create docs/a.md --speaker KIRO --target @everyone --message "Begins." --content "# A

## B

text
" --json # points 15, 28
is '.changed and .logged == 1'
grep -q '^wolfie.headers.version: 4.0.1$' docs/a.md && grep -q '^wolfie.headers: explicit' docs/a.md && grep -q '^dialog:$' docs/a.md
ok $? "a created file has both lines and the key dialog"
run "create for people" 0 notes create docs/made.md --speaker KIRO --target @everyone --message "Begins." --dry-run
has "docs/made.md could be made"
run "a note for people" 0 notes add docs/a.md --line 12 --speaker KIRO --target @everyone --message "Later." --dry-run
has "docs/a.md could be changed"
run "nobody's notes" 0 notes list --speaker nobody
has "Without --all, only those count that are in"
run "create again" 1 notes create docs/a.md --speaker KIRO --target @everyone --message "Begins."
has "file_exists" err
cp docs/a.md before
run "add" 0 notes add docs/a.md --before B --speaker LILITH --target @KIRO --message 'A "question"?' --json # points 17, 19, 22, 36
is '.logged == 1'
head -n 9 before >before-head
head -n 9 docs/a.md | cmp -s - before-head
ok $? "the header stays byte for byte"
run "add at the same place" 0 notes add docs/a.md --before B --speaker CARMEN --target @everyone --message "Another." --json # point 24
run "both are there, in order" 0 notes scan docs/a.md --json
is '[.notes[] | .speaker] == ["KIRO", "LILITH", "CARMEN"] and .notes[1].message == "A \"question\"?"'
grep -q '^DIALOG:$' docs/a.md # point 4
ok $? "inline the key is DIALOG"

run "header, nothing changed" 1 notes header docs/a.md --speaker KIRO --target @everyone --message "Lies." # spec 5.1
has "not_modified" err
echo "more" >>docs/a.md
cp docs/a.md before
run "header" 0 notes header docs/a.md --speaker CURSOR --target "@everyone @KIRO" --message "Adds more." --mood-rgb 00CC88 --json # points 16, 25, 34, 35, 50
is '.changed and .logged == 1 and .archived == 1'
diff before docs/a.md | grep -c '^[<>]' >count
[ "$(cat count)" -eq 9 ] || [ "$(cat count)" -eq 7 ] # within the same second the date is the same
ok $? "four values and the line of the mood are all that differs"
cp docs/a.md before
run "the same again" 0 notes header docs/a.md --speaker CURSOR --target "@everyone @KIRO" --message "Adds more." --mood-rgb 00CC88 --json # point 49
is '(.changed | not) and .logged == 0'
cmp -s before docs/a.md
ok $? "changes nothing"
run "a mood is not inherited" 0 notes header docs/a.md --speaker KIRO --target @everyone --message "No mood." --force --json
grep -q 'mood_RGB: "666666"' docs/a.md
ok $? "it is the default"

run "content and header in one step, with notes" 0 notes header docs/a.md --json --data '{"speaker": "CURSOR", "target": "@everyone", "message": "Rewrites.",
  "content": "# A\n\n---\nDIALOG:\n  speaker: LILITH\n  target: @KIRO\n  message: \"A \\\"question\\\"?\"\n  date_ymdhis: '"$(grep -A5 LILITH docs/a.md | sed -n 's/.*date_ymdhis: //p')"'\n---\n\n---\nDIALOG:\n  speaker: CARMEN\n  target: @everyone\n  message: \"Another.\"\n  date_ymdhis: '"$(grep -A5 CARMEN docs/a.md | sed -n 's/.*date_ymdhis: //p')"'\n---\n\nnew\n",
  "notes": [{"before": "new", "target": "@LILITH", "message": "First."}, {"before": "new", "target": "@CARMEN", "message": "Second."}]}' # points 26, 27
is '.logged == 3'
run "all are there" 0 notes scan docs/a.md --json
is '[.notes[] | .message] == ["Rewrites.", "A \"question\"?", "Another.", "First.", "Second."]'
cp docs/a.md before
run "content without the notes of others" 1 notes header docs/a.md --speaker X --target @everyone --message "Cleans up." --content "# A"
has "notes_lost" err
cmp -s before docs/a.md
ok $? "no byte is changed"
run "content without a line break at its end" 0 notes create docs/end.md --speaker K --target @e --message x --content "Hello" --json
[ "$(tail -c 6 docs/end.md | od -An -c | tr -d ' ')" = 'Hello\n' ]
ok $? "$name: gets one"
rm docs/end.md
run "create with notes" 0 notes create docs/n.php --json --data '{"speaker": "KIRO", "target": "@everyone", "message": "Has notes.",
  "content": "<?php\necho 1;\n", "notes": [{"line": 2, "target": "@X", "message": "In the code."}]}' # point 29
is '.logged == 2'

# ---- what is refused, and no byte changed ----------------------------------------------------------------------------
long=$(printf '%0272d' 0)
run "272 characters" 0 notes header docs/a.md --speaker K --target @everyone --message "$long" --force # points 8, 30
cp docs/a.md before
run "273 characters" 1 notes header docs/a.md --speaker K --target @everyone --message "${long}é" --force
has "273 characters" err
for bad in "--target everyone --message x" "--target @e --message x --mood-rgb #FF0000" "--target @e --message x --mood-rgb FFF" \
    "--target @e --message x --mood-rgb GGGGGG" "--target @e --message x --date-ymdhis 20261306120000" "--target @e --message ---"; do
    # shellcheck disable=SC2086
    run "refused: $bad" 1 notes header docs/a.md --speaker K --force $bad
done
for meant in "#FF0000 FF0000" "#0f8 00ff88" "FFF FFFFFF" "calm 00CC88"; do
    run "a mood as others write it: ${meant% *}" 1 notes header docs/a.md --speaker K --target @e --message x --force --mood-rgb "${meant% *}"
    has "--mood-rgb: '${meant% *}' is not a mood; did you mean '${meant#* }'?" err
done
run "all faults at once" 1 notes header docs/a.md --target everyone --message "" --mood-rgb x --force --json
is '[.errors[]? // .error | .field] | sort == ["message", "mood_rgb", "speaker", "target"]'
run "nobody speaks" 1 notes add docs/a.md --line 12 --target @e --message x # point 5
has "speaker" err
run "no place" 1 notes add docs/a.md --speaker K --target @e --message x
has "line" err
cmp -s before docs/a.md
ok $? "no byte is changed"
for f in h13_opening_missing h14_no_fences h15_two_dashes h16_tildes h17_never_closed h18_in_details h19_whole_in_fence h20_foreign i08_pasted_header v06_two_dialogs; do
    run "unsafe: $f" 1 notes header "tree/$f.md" --speaker K --target @e --message x --force
    has "unsafe_header" err
    cmp -s "tree/$f.md" "$fixtures/$f.md"
    ok $? "$f: no byte is changed"
done
awk 'BEGIN { for (i = 0; i < 600000; i++) printf "x"; print "" }' >long.md
run "a line of 600 KB" 0 notes add long.md --line 2 --speaker K --target @e --message x
printf '\377\376d\000' >utf16.md
run "UTF-16" 2 notes add utf16.md --line 1 --speaker K --target @e --message x
has "UTF-16" err
run "outside" 1 notes header /etc/hostname --speaker K --target @e --message x
has "outside_project" err
run "the record's own folder" 1 notes header .conclave/x.md --speaker K --target @e --message x
run "no such file" 2 notes header nowhere.md --speaker K --target @e --message x
run "JSON" 1 notes create x.json --speaker K --target @e --message x
has "no_comment_syntax" err
if [ "$(id -u)" -ne 0 ]; then
    cp docs/a.md ro.md && chmod 444 ro.md && cp ro.md before
    run "read-only" 2 notes header ro.md --speaker K --target @e --message x --force
    cmp -s ro.md before
    ok $? "no byte is changed"
else
    skip "read-only" "running as root"
fi

# ---- the log: points 11, 31-45, 55 -----------------------------------------------------------------------------------
project log
cp -r "$fixtures" tree
run "log" 0 notes log tree --json # point 33
is '.found == .logged and .logged > 40'
found=$(jq .found "$out")
run "log again" 0 notes log tree --json
is '.logged == 0 and .found == '"$found"
run "list" 0 notes list --all --limit 1000 --json
is '.notes | length == '"$found"
if on_sqlite; then
    sql() { sqlite3 .conclave/conclave.db "$1"; }
    [ "$(sql "SELECT count(*) FROM dialog_messages")" = "$found" ]
    ok $? "any tool of SQLite reads dialog_messages"
    row=$(sql "SELECT agent_name, target, message_text, created_ymdhis, mood_rgb, node_id, dialog_threads_id IS NULL, message_type, is_broadcast, ts_source
        FROM dialog_messages WHERE path = 'tree/i01_inline.md' AND agent_name = 'LILITH'") # points 37-45
    [ "$row" = "LILITH|@everyone|Question: and the migration path?|20260106120000|666666|1|1|text|1|dialog" ]
    ok $? "the columns of the specification: $row"
    [ "$(sql "SELECT is_broadcast FROM dialog_messages WHERE path = 'tree/v02_literal.md'")" = 1 ]
    ok $? "a broadcast with others is one, too"
    [ "$(sql "SELECT count(*) FROM dialog_messages WHERE length(created_ymdhis) <> 14")" = 0 ] # points 11, 40
    ok $? "each has a time"
    [ "$(sql "SELECT encoding FROM dialog_messages WHERE path = 'tree/v09_latin1.md'")" = escaped ]
    ok $? "bytes that are not UTF-8 are escaped and marked"
else
    skip "the table" "not with this engine"
fi
run "an invalid mood is told" 0 notes list --path tree/v07_bad_values.md --json
is '[.notes[] | .mood_rgb] | unique == ["666666"]' # point 41
head_of A @everyone "first" >aba.md
run "A" 0 notes log aba.md --json
head_of B @everyone "second" >aba.md
run "B" 0 notes log aba.md --json
is '.logged == 1 and .replaced == 1'
head_of A @everyone "first" >aba.md
run "A again" 0 notes log aba.md --json
run "three rows" 0 notes history aba.md --json # point 55
is '[.notes[] | [.speaker, .status]] == [["A", "replaced"], ["B", "replaced"], ["A", "current"]]'
{ note L @everyone same; echo text; echo; note L @everyone same; } >two.md
run "two equal notes" 0 notes log two.md --json
is '.logged == 2'
{ note L @everyone same; echo text; } >two.md
run "one less" 0 notes log two.md --json # a note that somebody deleted
is '.gone == 1 and .logged == 0'
{ note L @everyone altered; echo text; } >two.md
run "one altered" 0 notes log two.md --json
run "no history" 0 notes history nothing.md
! grep -q "Without --all" "$out"
ok $? "… it names no option that it does not have"
run "history tells" 0 notes history two.md --json
is '[.notes[] | .status] == ["gone", "gone", "current"] or [.notes[] | .status] == ["current", "gone", "gone"]'
is '[.notes[] | select(.altered_to)] | length == 1'
rm two.md
run "a file less" 0 notes log --json
is '.gone == 1'

# ---- who is addressed: points 31, 32, 43 -----------------------------------------------------------------------------
project people
"$conclave" agent add KIRO --aliases helper >/dev/null && "$conclave" agent add LILITH >/dev/null
printf '# A\n' >a.md
run "as somebody" 0 notes create b.md --as KIRO --target @LILITH --message "For you." --thread garden --json
is '.thread == 1'
run "a speaker who is somebody else" 1 notes header b.md --as KIRO --speaker LILITH --target @KIRO --message "Lies." --force
has "identity_mismatch" err
run "in the thread" 0 notes add b.md --as LILITH --line 10 --target @helper --message "Thanks." --thread garden --mood-rgb FF0000 --json
run "for an agent" 0 notes list --for kiro --json # by its alias
is '[.notes[] | .message] == ["Thanks."]'
run "for everyone" 0 notes create c.md --as KIRO --target "@everyone" --message "All." --json
run "for an agent and everyone" 0 notes list --for LILITH --json
is '[.notes[] | .message] == ["All.", "For you."]'
run "by path and speaker" 0 notes list --path b.md --speaker lilith --json
is '.notes | length == 1'
run "the thread" 0 notes threads garden --json
is '[.messages[] | .message] == ["For you.", "Thanks."] and .threads[0].mood_rgb == "B23333"'
run "history of a speaker" 0 notes history --speaker KIRO --json
is '[.notes[] | .path] == ["b.md", "c.md"]'
run "no such thread" 1 notes threads 99
has "thread_not_found" err
run "one message" 0 notes show 1 --json
is '.agent_name == "KIRO" and .node_id == 1 and .message_type == "text"'
run "no such message" 1 notes show 99
has "note_not_found" err
# Any name may speak and be addressed: an editor, a person, a subsystem. One that is nearly an agent's is warned of.
run "other names" 0 notes create d.md --speaker "Claude Code" --target "@billing @everyone" --message "Hello." --json
is 'has("warnings") | not'
run "nearly an agent" 0 notes create e.md --speaker LILTIH --target "@kir0 @helpr" --message "Hello." --json
is '[.warnings[] | [.type, .field]] == [["like_agent", "speaker"], ["like_agent", "target"], ["like_agent", "target"]]'
is '[.warnings[].message] == ["no agent is called '"'LILTIH'"': did you mean '"'LILITH'"'?", "no agent is called '"'kir0'"': did you mean '"'KIRO'"'?", "no agent is called '"'helpr'"': did you mean '"'helper'"'?"]'
run "asked for one that is nearly an agent" 0 notes list --for kir0 --json
is '.warnings[0].field == "for"'
# Two at once: one wins, the other is told or comes after it; nothing is lost.
for i in 1 2 3 4 5 6; do
    "$conclave" notes header c.md --speaker "S$i" --as "$([ $((i % 2)) = 0 ] && echo KIRO || echo LILITH)" --target @everyone --message "Number $i" --force --json >"r$i" 2>&1 &
done
wait
run "after the race" 0 notes scan c.md --json
now=$(jq -r '.notes[0].message' "$out")
run "the log agrees" 0 notes list --path c.md --json
is '[.notes[] | .message] == ["'"$now"'"]'
run "nothing is left over" 0 notes repair --json
is '.published == 0 and .withdrawn == 0'
run "and the record is whole" 0 verify

# ---- git: points 18, 53 ----------------------------------------------------------------------------------------------
if git --version >/dev/null 2>&1; then
    project git
    g() { git -c user.name=Ada -c user.email=ada@example.org "$@" >/dev/null 2>&1; }
    g init -q . && echo .conclave >.gitignore
    { head_of A @everyone first; echo body; echo; note L @everyone "to be deleted"; } >a.md
    head_of A @everyone first >b.md && echo plain >c.md
    g add . && g commit -qm one
    run "nothing is stale" 0 notes stale --json
    is '.stale == []'
    run "not modified since its commit" 1 notes header b.md --speaker X --target @everyone --message y
    has "not_modified" err
    sed -i s/body/changed/ a.md && { head_of B @everyone second; echo new; } >b.md && echo more >>c.md
    run "stale" 1 notes stale --json
    is '[.stale[] | [.path, .problem, .found_by]] == [["a.md", "dialog_unchanged", "git"], ["c.md", "dialog_missing", "git"]]'
    g commit -qam two
    run "since a commit" 1 notes stale --since HEAD~1 --json
    is '[.stale[] | .path] == ["a.md", "c.md"]'
    run "no commit" 1 notes stale --since nothing
    has "git_failed" err
    run "not an option" 1 notes stale --since=--output=x
    [ ! -e x ]
    ok $? "git takes no option from outside"
    "$conclave" notes log >/dev/null
    { head_of A @everyone first; echo changed; } >a.md
    g commit -qam "takes the note out" && "$conclave" notes log >/dev/null
    run "who deleted it" 0 notes history a.md --json
    is '[.notes[] | select(.status == "gone") | .commit_author] == ["Ada"]'
    project nogit
    head_of A @everyone first >a.md && "$conclave" notes log >/dev/null
    run "stale without git" 0 notes stale --json
    echo more >>a.md && "$conclave" notes log >/dev/null
    run "stale by the log" 1 notes stale --json # point 18
    is '[.stale[] | [.path, .found_by]] == [["a.md", "log"]]'
else
    skip "git" "no git"
fi

# ---- what is not a file ----------------------------------------------------------------------------------------------
mkfifo pipe.md
for verb in header create "add --line 1"; do
    # shellcheck disable=SC2086
    run "a pipe: $verb" 2 notes $verb pipe.md --speaker CURSOR --target @everyone --message x --json
    is '.error_code == "not_a_file" and (.file | endswith("pipe.md"))'
done
rm pipe.md

# ---- what is written is what lint asks for; a header that stays though the file has changed ---------------------------
run "create" 0 notes create own.md --speaker @bot --target @everyone --message "Begins." --content "# Own" --json
run "a note" 0 notes add own.md --before "# Own" --speaker "A: b" --target @bot --message "Notes." --mood-rgb 001122 --json
run "lint finds nothing in it" 0 notes lint own.md --json
is '.findings == []'
head_of KIRO @everyone "Plain." >plain.md && sed -i 's/^  message:/  mood_RGB: 00CC88\n  message:/' plain.md
run "the style of the file stays" 0 notes header plain.md --speaker "A: b" --target @bot --message "New." --mood-rgb 001122 --force
grep -qx '  target: @bot' plain.md && grep -qx '  mood_RGB: "001122"' plain.md && grep -qx '  speaker: "A: b"' plain.md
ok $? "… and gets quotes where the new value needs them and the old one did not"
run "the same header twice" 0 notes header own.md --speaker @bot --target @everyone --message "Begins." --json
is '.changed == false and (has("warnings") | not)'
echo more >>own.md
run "… though the text has changed" 0 notes header own.md --speaker @bot --target @everyone --message "Begins." --json
is '.changed == false and (.warnings[0] | .type == "header_unchanged" and (.message | test("'\''force'\'': true")))'
sed -i '0,/date_ymdhis: 2.../s//date_ymdhis: 1999/' own.md
run "forced" 0 notes header own.md --speaker @bot --target @everyone --message "Begins." --force --json
is '.changed and .archived == 1 and (has("warnings") | not)'
for again in 1 2 3; do
    echo "more $again" >>own.md
    before=$(grep date_ymdhis own.md)
    run "forced within the same second" 0 notes header own.md --speaker @bot --target @everyone --message "Begins." --force --json
    [ "$before" != "$(grep date_ymdhis own.md)" ]
    ok $? "it has a date of its own"
    run "others are stale, this file is not" 1 notes stale --json
    is '[.stale[] | select(.path == "own.md")] == []'
done
run "stale" 1 notes stale --json
is '[.stale[].path] | index("own.md") == null'

# ---- teaching: point 51 ----------------------------------------------------------------------------------------------
run "help" 0 help dialogs
has "at most 272 characters"
grep -qx '  DIALOG:' "$out" && grep -q '^  speaker  *required  who speaks' "$out"
ok $? "line by line, not as one paragraph"

# ---- the node, and what is not a file: point 42 ----------------------------------------------------------------------
CONCLAVE_NODE_ID=7 run "a node" 0 notes create node.md --speaker A --target @b --message "From node 7." --json
run "its number" 0 notes list --path node.md --json
run "… in the log" 0 notes show "$(jq '.notes[0].number' "$out")" --json
is '.node_id == 7'
CONCLAVE_NODE_ID=home run "not a node" 1 notes create other.md --speaker A --target @b --message m --json
is '.error_code == "invalid_value" and (.message | contains("CONCLAVE_NODE_ID"))'
[ ! -e other.md ]
ok $? "nothing is written"
mkfifo pipe.md
for op in header "add --line 1" create; do
    # shellcheck disable=SC2086 # an operation and its options
    run "$op: a pipe does not wait for its reader" 2 notes $op pipe.md --speaker A --target @b --message m --json
    is '.error_code == "not_a_file"'
done
rm pipe.md
# ---- a header that says the same again tells of the text as it is now: it differs by its date, and is not stale ----
mkdir same && cd same && "$conclave" init >/dev/null || exit 1
undated() { printf -- '---\ndialog:\n  speaker: K\n  target: "@all"\n  message: "Fix typos."\n---\n%s\n' "$1" >"$2"; }
undated one a.md && undated one b.md
run "two headers without a date" 0 notes log
echo two >new
run "the same message with other content" 0 notes header a.md --speaker K --target @all --message "Fix typos." --content @new --json
is '.changed and .logged == 1 and .archived == 1'
grep -q '^  date_ymdhis: 20' a.md
ok $? "it has a date now"
undated two b.md
run "a change by hand is stale" 1 notes stale --json
is '[.stale[].path] == ["b.md"]'
run "the same message, forced" 0 notes header b.md --speaker K --target @all --message "Fix typos." --force --json
is '.changed and .logged == 1'
echo x >c.md
run "a header with a date" 0 notes header c.md --speaker K --target @all --message M --date-ymdhis 20260101000000
echo y >>c.md
run "the same with the same date, forced" 0 notes header c.md --speaker K --target @all --message M --date-ymdhis 20260101000000 --force --json
is '.changed == false and .logged == 0'
run "nothing is stale" 0 notes stale --json
cd .. || exit 1

# ---- a folder whose files nobody may look at ----
# Names can be read there, files cannot; root needs the capabilities for it, so they are taken away.
mkdir "$work/closed" && cd "$work/closed" && "$conclave" init >/dev/null && mkdir sub
bare=$([ "$(id -u)" -ne 0 ] || echo "setpriv --bounding-set=-all")
run "a note" 0 notes create sub/a.md --speaker K --target @all --message "Still there." --content text
chmod 444 sub
name="scan" && $bare "$program" notes scan --json >"$out"
is '.problems[0].path == "sub" and .problems[0].problem == "unreadable" and (.links | not)'
name="log" && $bare "$program" notes log --json >"$out"
is '.gone == 0 and .unreadable > 0 and (.warnings[0] | .type == "unreadable" and (.message | startswith("sub")))'
chmod 755 sub
run "the note is still there" 0 notes list --all --json
is '[.notes[] | .status // "current"] == ["current"]'

finish
