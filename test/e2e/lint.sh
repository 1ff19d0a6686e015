#!/bin/sh
# lint.sh - conclave lint from the outside: formats, fixes, folders, exit status, bad input. TAP on stdout.
# Outputs are compared with test/golden/lint/NAME; CV_UPDATE=1 writes them again.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
golden=$root/test/golden/lint
case ${CONCLAVE:-build/asan/conclave} in
/*) conclave=$CONCLAVE ;;
*) conclave=$root/${CONCLAVE:-build/asan/conclave} ;;
esac
work=$(mktemp -d)
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
number=0

result() { # result STATUS NAME
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

# run NAME STATUS ARGUMENT...: runs in the work folder, checks the exit status, keeps out and err.
run() {
    name=$1 wanted=$2
    shift 2
    (cd "$work/files" && "$conclave" lint "$@") >"$work/out" 2>"$work/err"
    status=$?
    [ "$status" -eq "$wanted" ] || { echo "#   exit status $status, not $wanted"; sed 's/^/#   /' "$work/err"; }
    [ "$status" -eq "$wanted" ]
    result $? "$name: exit status $wanted"
}

# same GOLDEN: the last run's output is the golden file.
same() {
    [ -z "${CV_UPDATE-}" ] || { mkdir -p "$golden" && cp "$work/out" "$golden/$1"; }
    diff -u "$golden/$1" "$work/out" | head -n 40 | sed 's/^/# /'
    cmp -s "$golden/$1" "$work/out"
    result $? "$name: as in $1"
}

# has TEXT FILE: the file has that text in it.
has() {
    grep -qF -- "$1" "$work/$2" || { echo "#   not in $2: $1"; sed 's/^/#   /' "$work/$2"; }
    grep -qF -- "$1" "$work/$2"
    result $? "$name: says \"$1\""
}

jq_is() { # jq_is NAME FILTER: true for the last run's output
    jq -e "$2" "$work/out" >"$work/jq" 2>&1 || sed 's/^/#   /' "$work/jq" | head -n 5
    jq -e "$2" "$work/out" >/dev/null 2>&1
    result $? "$name: $1"
}

state() { (cd "$work/files" && find . -type f -printf '%p %s %m %T@\n' | sort && find . -type f -size -1024k -exec sha256sum {} + | sort); }

# ---- files -------------------------------------------------------------------------------------------

mkdir -p "$work/files/folder/deep" "$work/files/folder/.hidden" "$work/files/none"
cd "$work/files" || exit 1
cp "$root/examples/draft.dialogue.md" draft.dialogue.md
cp "$root/examples/decision.dialogue.md" good.dialogue.md
printf '# Muffin\n\n[PERSPECTIVE P1: Rye]\n\n[TENSON T01: Flour]\n\n日本 [RE SUPPORT P0001]\n' >folder/muffin.md
printf '# Readme\n\nNothing of ours.\n' >folder/README.md
printf '# Deep\n\n**Status**: Open\n**Participants**: Muffin\n\n## Alignment Scoreboard\n\n## Round 0\n\n### Muffin 🧁\n\nRye.\n' >folder/deep/a\ b.dialogue.md
printf '## Round 0\n' >folder/.hidden/not-seen.md
printf '## Round 0\n' >folder/not-markdown.txt
printf '\357\273\277# Bread\r\n\r\n## Round 0\r\n\r\n### \360\237\247\201 Muffin\r\n\r\nRye.\r\n' >crlf.md
printf '## Round 0\n\nbad \377 byte\n' >latin.md
printf '## Round 0\n\nnul \000 byte\n' >nul.md
: >empty.md
printf ' \n\n' >blank.md
: >empty.dialogue.md
truncate -s 257M huge.md
ln -s nowhere dangling.md
cd "$root" || exit 1
state >"$work/before"

# ---- text --------------------------------------------------------------------------------------------

run "a draft" 1 draft.dialogue.md
same draft.txt
run "a good dialogue" 0 good.dialogue.md
same good.txt
run "a response" 1 folder/muffin.md
same response.txt
run "a folder" 1 folder
same folder.txt
run "a folder with a slash, quietly" 1 --quiet folder/
same folder-quiet.txt
run "a folder without files" 0 none
same none.txt
run "as a dialogue" 1 --as dialogue folder/README.md
same as-dialogue.txt
run "not a dialogue" 1 folder/README.md
same not-a-dialogue.txt
run "as a response" 1 --as response --quiet good.dialogue.md draft.dialogue.md
(cd "$work/files" && "$conclave" lint - <draft.dialogue.md) >"$work/out" 2>"$work/err"
name="standard input"
same stdin.txt

# ---- JSON and SARIF ----------------------------------------------------------------------------------

run "JSON" 1 --json draft.dialogue.md folder
same draft.json
jq_is "counts agree" '.summary as $s | [.files[].findings[].severity] |
    (map(select(. == "error")) | length) == $s.errors and (map(select(. == "warning")) | length) == $s.warnings'
run "JSON by format" 1 --format json draft.dialogue.md folder
same draft.json
run "SARIF" 1 --format sarif draft.dialogue.md folder crlf.md
jq '.runs[0].tool.driver.version |= (if test("^[0-9a-z.]+$") then "VERSION" else . end)' "$work/out" >"$work/sarif"
cp "$work/sarif" "$work/out"
same draft.sarif
jq_is "is SARIF 2.1.0" '.version == "2.1.0" and (."$schema" | test("sarif-2.1.0")) and (.runs | length) == 1'
jq_is "names the tool and its rules" '.runs[0].tool.driver | .name == "conclave" and (.version | length > 0) and
    (.rules | length > 30) and (.rules | all((.id | test("^[a-z-]+$")) and (.shortDescription.text | length > 0) and
    (.help.text | length > 0) and (.defaultConfiguration.level | IN("note", "warning", "error"))))'
jq_is "results fit the rules" '.runs[0] as $r | ($r.results | length) > 5 and ($r.results | all(
    $r.tool.driver.rules[.ruleIndex].id == .ruleId and $r.tool.driver.rules[.ruleIndex].defaultConfiguration.level == .level and
    (.message.text | length > 0) and (.locations | length) == 1))'
jq_is "regions are in order" '.runs[0] | .columnKind == "unicodeCodePoints" and (.results | all(.locations[0].physicalLocation |
    (.artifactLocation.uri | test("^[A-Za-z0-9._~/%-]+$")) and
    (.region | .startLine >= 1 and .startColumn >= 1 and .endColumn >= .startColumn)))'
jq_is "fixes replace bytes" '[.runs[0].results[] | select(.fixes)] | length > 3 and all(.fixes | length == 1 and all(
    (.artifactChanges | length) == 1 and (.artifactChanges[0] | (.artifactLocation.uri | length > 0) and
    (.replacements | all(.deletedRegion.byteOffset >= 0 and .deletedRegion.byteLength >= 1 and (.insertedContent.text | type) == "string")))))'
jq_is "percent-encodes paths" '[.runs[0].results[].locations[0].physicalLocation.artifactLocation.uri] | any(. == "folder/muffin.md")'
jq_is "says that all went well" '.runs[0].invocations[0].executionSuccessful == true'
cp "$work/files/folder/muffin.md" "$work/files/folder/a ü%.md"
run "SARIF with an odd name" 1 --format sarif "folder/a ü%.md"
jq_is "encodes it" '[.runs[0].results[].locations[0].physicalLocation.artifactLocation.uri] | unique == ["folder/a%20%C3%BC%25.md"]'
rm "$work/files/folder/a ü%.md"
run "SARIF with a file that cannot be read" 2 --format sarif latin.md
jq_is "says so" '.runs[0].invocations[0] | .executionSuccessful == false and (.toolExecutionNotifications | length) == 1'
run "SARIF of an absolute path" 1 --format sarif "$work/files/crlf.md"
jq_is "is a file URI" '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri | startswith("file:///")'

# ---- compat ------------------------------------------------------------------------------------------

run "compat of a draft" 1 --profile compat draft.dialogue.md
same compat-draft.txt
run "compat of a good dialogue" 0 --profile compat good.dialogue.md
same compat-good.txt
run "compat as JSON" 1 --profile compat --json draft.dialogue.md good.dialogue.md
same compat.json
jq_is "twelve checks" '.files | all((.details | length) == 12 and .checks_passed + .checks_failed == 12 and .score <= 1)'
run "compat of a folder" 1 --profile compat folder
same compat-folder.txt
run "compat does not fix" 2 --profile compat --fix draft.dialogue.md
run "compat has no SARIF" 2 --profile compat --format sarif draft.dialogue.md

# ---- bad input ---------------------------------------------------------------------------------------

run "invalid UTF-8, others go on" 2 latin.md good.dialogue.md
same latin.txt
has "latin.md:3:5:" err
run "NUL" 2 nul.md
has "nul.md:3:5:" err
run "above the ceiling" 2 huge.md
has "huge.md" err
run "a link to nothing" 2 dangling.md
run "no such file" 2 nowhere.md
has "nowhere.md" err
run "JSON with errors" 2 --json latin.md nul.md good.dialogue.md
jq_is "lists them" '(.errors | length) == 2 and .errors[0].file == "latin.md" and .errors[0].line == 3 and .summary.files == 1'
run "CR LF and a byte order mark" 1 crlf.md
same crlf.txt
run "empty files" 1 empty.md blank.md empty.dialogue.md
same empty.txt
if [ "$(id -u)" -ne 0 ]; then
    printf '## Round 0\n' >"$work/files/secret.md"
    chmod 000 "$work/files/secret.md"
    run "no permission" 2 secret.md
    rm -f "$work/files/secret.md"
else
    number=$((number + 1))
    echo "ok $number - no permission # SKIP running as root"
fi
run "no path" 2
has "lint needs a file or folder" err
run "an unknown option" 2 --fixx draft.dialogue.md
run "an unknown profile" 2 --profile strict draft.dialogue.md
run "--dry-run alone" 2 --dry-run draft.dialogue.md
state >"$work/after"
diff "$work/before" "$work/after" | sed 's/^/# /'
cmp -s "$work/before" "$work/after"
result $? "nothing on the disk has changed"

# ---- fixes -------------------------------------------------------------------------------------------

run "a dry run" 1 --fix --dry-run draft.dialogue.md crlf.md
same dry-run.txt
state >"$work/after"
cmp -s "$work/before" "$work/after"
result $? "a dry run: nothing on the disk has changed"
(cd "$work/files" && "$conclave" lint --fix - <draft.dialogue.md) >"$work/out" 2>"$work/err"
name="standard input, fixed"
same fixed.md
has "fixed)" err
run "standard input, fixed, as JSON" 2 --fix --json -
chmod 640 "$work/files/draft.dialogue.md"
run "a fix" 1 --fix draft.dialogue.md
same fix.txt
cp "$work/files/draft.dialogue.md" "$work/out"
same fixed.md
[ "$(stat -c %a "$work/files/draft.dialogue.md")" = 640 ]
result $? "a fix: permissions stay"
inode=$(stat -c '%i %Y' "$work/files/draft.dialogue.md")
run "a second fix" 1 --fix draft.dialogue.md
has "(0 fixed)" out
[ "$(stat -c '%i %Y' "$work/files/draft.dialogue.md")" = "$inode" ]
result $? "a second fix: the file is not written"
run "a fix of the rest" 1 --fix --quiet crlf.md folder good.dialogue.md
same fix-rest.txt
printf '# Bread\n\n## Round 0\n\n### Muffin 🧁\n\nRye.\n' | cmp -s - "$work/files/crlf.md"
result $? "a fix: byte order mark, line ends and heading"
cmp -s "$root/examples/decision.dialogue.md" "$work/files/good.dialogue.md"
result $? "a fix: the good one stays as it is"
printf '# Readme\n\nNothing of ours.\n' | cmp -s - "$work/files/folder/README.md"
result $? "a fix: other files stay as they are"
chmod 444 "$work/files/folder/muffin.md"
printf '[TENSON T01: a]\n' >"$work/files/folder/readonly.md"
chmod 444 "$work/files/folder/readonly.md"
if [ "$(id -u)" -ne 0 ]; then
    run "a file without write permission" 2 --fix folder/readonly.md
    has "readonly.md" err
fi
ls "$work/files" "$work/files/folder" | grep -v -e '\.md$' -e '\.txt$' -e '^deep$' -e '^folder$' -e '^none$' -e ':$' -e '^$' | sed 's/^/#   left: /' >"$work/left"
cat "$work/left"
[ ! -s "$work/left" ]
result $? "no temporary file is left"

# ---- rules -------------------------------------------------------------------------------------------

run "the rules" 0 --rules
same rules.txt
run "the rules as JSON" 0 --rules --json
jq_is "have all fields" 'all((.rule | length > 0) and (.summary | length > 0) and (.fixable | type == "boolean") and
    .page == "docs/rules/\(.rule).md" and (.severity | IN("note", "warning", "error")))'
run "a rule explained" 0 --explain tracker-status
same explain.txt
run "a rule explained as JSON" 0 --explain id-width --json
jq_is "is that rule" '.rule == "id-width" and .fixable'
run "a rule misspelt" 2 --explain tracker-statsu
has "did you mean 'tracker-status'?" err

echo "1..$number"
