#!/bin/sh
# conclave notes lint: places, profiles, JSON, SARIF, baseline, fixes that change nothing else. The rules themselves are in
# test/unit/test_notes_lint.c.
. "$(dirname "$0")/lib.sh"
project

cat >bad.md <<'END'
---
wolfie.headers.version: 4.0.1
dialog:
  speaker: KIRO
  target: @everyone
  mood: "#FF0000"
  message: "Did it."
---
# Title
END
printf -- '---\r\nwolfie.headers.version: 4.0.1\r\ndialog:\r\n  speaker: KIRO\r\n  target: @all\r\n  message: "caf\351"\r\n---\r\ntext \351 without end' >crlf.md
cp crlf.md crlf.before
mkdir sub && printf 'plain\n' >sub/plain.md

# checklist 52: stable rules, place, hint, fix; JSON and SARIF; exit status for hooks
run "a finding has file, line, column, rule and hint" 1 notes lint bad.md
has "bad.md:6:9: error: the mood is not six hex digits [mood-form]"
has "hint: write RRGGBB"
has "1 file: 1 error, 0 warnings, 2 notes (3 fixable with --fix)"
run "as JSON" 1 notes lint bad.md --json
is '[.findings[] | [.line, .column, .rule, .severity]] == [[5,11,"target-quotes","note"],[6,3,"mood-key","note"],[6,9,"mood-form","error"]]'
is '.errors == 1 and .notes == 2 and .fixable == 3 and .profile == "spec"'
run "as SARIF" 1 notes lint bad.md --format sarif
is '.version == "2.1.0" and (.runs[0].results | length) == 3 and .runs[0].invocations[0].executionSuccessful'
is '.runs[0].results[0] | .ruleId == "target-quotes" and .locations[0].physicalLocation.region.startLine == 5'
is '.runs[0].results[2].fixes[0].artifactChanges[0].replacements[0].insertedContent.text == "\"FF0000\""'
is '.runs[0].tool.driver.rules[0].help.text == "See docs/notes-lint.md"'

run "core has fewer rules" 0 notes lint bad.md --profile core
run "strict has more, also about files without a header" 1 notes lint --profile strict --json
is '[.findings[] | select(.path == "sub/plain.md") | .rule] == ["header-missing"]'
is '[.findings[] | select(.path == "bad.md") | .rule] | index("header-signature") != null'
run "another profile is refused" 1 notes lint --profile lax
has "strict" err

run "a baseline that is not there" 2 notes lint --baseline known.txt
has "write-baseline" err
run "it is written" 0 notes lint --baseline known.txt --write-baseline
run "what it has is not told" 0 notes lint --baseline known.txt --json
is '.findings == [] and .known > 3'
sed 's/Did it/Did __that__/' bad.md >new.md && mv new.md bad.md
run "what is new is told" 1 notes lint --baseline known.txt --json # checklist 9: a message is plain text
is '[.findings[] | [.rule, .path]] == [["message-markup", "bad.md"]]'
echo "nonsense" >>known.txt
run "a line that is not of a baseline" 1 notes lint --baseline known.txt
has "this line is not of a baseline" err
mkdir folder
run "a baseline that cannot be written" 2 notes lint bad.md --baseline folder --write-baseline
has "folder" err

run "a dry run shows the difference" 0 notes lint crlf.md --fix --dry-run
has '+  target: "@all"'
cmp -s crlf.md crlf.before
ok $? "… and writes nothing"
run "fixed" 0 notes lint crlf.md --fix --json
is '.fixed == 1 and .findings == []'
sed 's/target: @all/target: "@all"/' crlf.before | cmp -s - crlf.md
ok $? "all other bytes are as they were: CRLF, Latin-1, no line break at the end"
cp crlf.md crlf.once
run "fixed again" 0 notes lint crlf.md --fix --json
cmp -s crlf.md crlf.once
ok $? "… changes nothing"

printf -- '---\nwolfie.headers: x\ndialog:\n  speaker: A\n  target: @b\n  message: m\n' >open.md
cp open.md open.before
run "a header that is not closed is not fixed" 1 notes lint open.md --fix
cmp -s open.md open.before
ok $? "… no byte of it"
run "a path that is not there" 2 notes lint bad.md missing.md
has "missing.md" err
printf '\377\376a\0b\0' >utf16.md
run "UTF-16" 1 notes lint utf16.md bad.md --json
is '.unreadable[0].path == "utf16.md" and .files == 1'
finish
