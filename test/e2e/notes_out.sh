#!/bin/sh
# conclave notes extract, export, atoms: dialogs taken out for others, and what the atoms of headers stand for.
. "$(dirname "$0")/lib.sh"
project
mkdir -p docs/sub config
cat >docs/a.md <<'END'
---
wolfie.headers.version: 4.0.1
header_atoms:
  - GLOBAL_CURRENT_VERSION
  - WHEELER_MODE
  - FILE_X
  - GLOBAL_LOOP
file_atoms:
  FILE_X: "own"
dialog:
  speaker: KIRO
  target: @everyone
  mood_RGB: "FF0000"
  message: "It's a \\ \"quote\"; DROP TABLE x; --"
  date_ymdhis: 20260106120000
file:
  author: GLOBAL_AUTHORS
---
# T

---
DIALOG:
  speaker: LILITH
  target: @KIRO
  message: "A note"
---

---
DIALOG:
  speaker: NOBODY
---
END
sed "s/speaker: KIRO/speaker: CURSOR/; s/20260106/20260206/" docs/a.md >docs/sub/b.md
cp docs/a.md "$work/a.before"

# ---- extract: the contract of the extraction specification
run "everything, the newest first" 0 notes extract --json
is '[.dialogs[].source] == ["docs/sub/b.md","docs/a.md","docs/a.md","docs/sub/b.md"] and .count == 4'
is '.dialogs[1] == {speaker:"KIRO",target:"@everyone",mood_RGB:"FF0000",message:"It'"'"'s a \\ \"quote\"; DROP TABLE x; --",date_ymdhis:20260106120000,source:"docs/a.md",source_lines:"11-15"}'
is '[.warnings[] | select(.type == "malformed_dialog")] | length == 2'
run "the oldest first" 0 notes extract --oldest-first --json
is '[.dialogs[] | select(.date_ymdhis) | .speaker] == ["KIRO","CURSOR"]'
run "a folder without those below it" 0 notes extract --dir docs --json
is '[.dialogs[].source] | unique == ["docs/a.md"]'
run "… and with them" 0 notes extract --dir docs --recursive --json
is '.count == 4'
run "one file, one speaker" 0 notes extract --file docs/a.md --speaker kiro --json
is '.count == 1'
run "whom it addresses" 0 notes extract --target @kiro --json
is '[.dialogs[].speaker] == ["LILITH","LILITH"]'
for verb in extract export list; do
    run "a time beyond all numbers: $verb" 1 notes $verb --since 99999999999999999999 --json
    is '.error_code == "invalid_value" and .field == "since"'
done
run "since" 0 notes extract --since 20260201000000 --json
is '[.dialogs[].speaker] == ["CURSOR"]'
run "a limit" 0 notes extract --limit 1 --json
is '.count == 1'
run "not a time" 1 notes extract --since yesterday
has "YYYYMMDDHHMMSS" err
run "a path that is missing is told and passed over" 0 notes extract docs nothing.md --json
is '.count == 4 and ([.warnings[].type] | index("missing_path") != null)'
run "a document, whose warnings are beside it" 0 notes extract nowhere.md
has "conclave: warning: nowhere.md: skipped: cannot find the file or folder" err
run "as Markdown" 0 notes extract --file docs/a.md
has "Source: docs/a.md (lines 11-15)"
run "as YAML" 0 notes extract --file docs/a.md --format yaml
has '  source_lines: "11-15"'
run "as JSON" 0 notes extract --file docs/a.md --format json
is '.[0].speaker == "KIRO"'

run "into the log it needs a thread" 1 notes extract docs --to-db
has "--thread-name" err
run "… and nothing was done" 0 notes list --json
is '.notes == []'
run "with one" 0 notes extract docs --to-db --thread-name review --json
is '.logged == 4 and .thread == 1'
run "again" 0 notes extract docs --to-db --thread-name review --json
is '(.logged // 0) == 0 and .thread == 1'
run "the thread has them" 0 notes threads review --json
is '.messages | length == 4'
run "out of the thread, to a folder" 0 notes extract --from-thread-name review --output docs --json
is '.count == 4 and (.output | endswith("dialog_thread_review.md"))'
run "what was extracted is not logged once more" 0 notes log --json
is '.logged == 0'
run "a thread that is not there" 1 notes extract --from-thread-id 9
has "there is no thread '9'" err
echo mine >docs/mine.md
run "a file of somebody else is not replaced" 1 notes extract --output docs/mine.md
[ "$(cat docs/mine.md)" = mine ]
ok $? "… it is as it was"
run "an earlier extract is" 0 notes extract --from-thread-id 1 --output docs/dialog_thread_review.md

# ---- export
run "as JSON" 0 notes export
is '.format == "conclave notes 1" and (.dialog_messages | length) == 4'
is '.dialog_messages[0] | .agent_name == "KIRO" and .is_broadcast == 1 and .node_id == 1 and .message_type == "text" and .dialog_threads_id == 1'
run "as Markdown" 0 notes export --format md --speaker lilith
has "Source: docs/a.md"
run "as SQL of the specification" 0 notes export --format sql
cp "$out" spec.sql
if command -v sqlite3 >/dev/null; then
    said=$(sqlite3 :memory: ".read spec.sql" "SELECT message_text FROM dialog_messages WHERE agent_name = 'KIRO'")
    [ "$said" = "It's a \\ \"quote\"; DROP TABLE x; --" ]
    ok $? "a database reads it back, byte for byte"
else
    skip "a database reads it back" "there is no sqlite3"
fi
run "as SQL of upstream" 0 notes export --format sql --dialect current
has "INSERT INTO lupo_dialog_messages"
has 'quote"; DROP TABLE x; --'
run "to a file" 0 notes export --format sql --output out.sql --json
is '.messages == 4'
run "… again" 0 notes export --format sql --output out.sql
run "not over another file" 1 notes export --output docs/mine.md
run "only one file's" 0 notes export --path docs/a.md
is '.dialog_messages | length == 2'

# ---- atoms: resolved on request, never expanded in the file (checklist 47)
cat >config/global_atoms.yaml <<'END'
---
wolfie.headers: x
GLOBAL_CURRENT_VERSION: "2026.1"
GLOBAL_LOOP: GLOBAL_LOOP2
GLOBAL_LOOP2: GLOBAL_LOOP
GLOBAL_AUTHORS:
  lead: Wolf
  others: B
END
run "atoms" 0 notes atoms docs/a.md --json
is '[.atoms[:4][] | [.name, .value, .scope, .problem]] == [["GLOBAL_CURRENT_VERSION","2026.1","global",null],["WHEELER_MODE",null,null,"not_found"],["FILE_X","own","file",null],["GLOBAL_LOOP",null,"global","cycle"]]'
is '.atoms[4] | .name == "GLOBAL_AUTHORS" and (.value | startswith("lead: Wolf") and endswith("others: B"))'
printf 'GLOBAL_CURRENT_VERSION: "2026.2"\n' >config/GLOBAL_IMPORTANT_ATOMS.yaml
printf 'DIRR_TEAM: above\n' >_dir_atoms.yaml
printf -- '---\nwolfie.headers: x\nheader_atoms: [DIRR_TEAM, DIR_TEAM, GLOBAL_CURRENT_VERSION, GLOBAL_AUTHORS.lead]\n---\n' >docs/sub/c.md
run "folders above, files that override, one member" 0 notes atoms docs/sub/c.md --json
is '[.atoms[] | .value] == ["above",null,"2026.2","Wolf"]'
cmp -s docs/a.md "$work/a.before"
ok $? "the file is as it was"
finish
