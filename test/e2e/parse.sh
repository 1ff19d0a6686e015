#!/bin/sh
# parse.sh - conclave parse, render and spec from the outside: output, exit status, what bad input is told.
set -u
: "${CONCLAVE:=build/asan/conclave}"
case $CONCLAVE in /*) ;; *) CONCLAVE=$PWD/$CONCLAVE ;; esac
here=$PWD
tmp=$(mktemp -d "${TMPDIR:-/tmp}/conclave-parse-XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
n=0

# report NAME STATUS: one TAP line; what was printed follows when it is wrong.
report() {
    n=$((n + 1))
    if [ "$2" -eq 0 ]; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1"
        sed 's/^/#   /' "$tmp/out" "$tmp/err" 2>/dev/null | head -n 40
    fi
}

# run ARGUMENT…: the program, its output in $tmp/out and $tmp/err, its exit status in $status.
run() {
    "$CONCLAVE" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
}

# exits STATUS NAME [TEXT…]: the last run ended so, and every text stands in what it printed.
exits() {
    want=$1 name=$2 wrong=0
    shift 2
    [ "$status" -eq "$want" ] || { wrong=1; echo "# exit status $status, expected $want"; }
    for text in "$@"; do
        cat "$tmp/out" "$tmp/err" | grep -qF -e "$text" || { wrong=1; echo "# without: $text"; }
    done
    report "$name" "$wrong"
}

# ---- golden files: markdown -> JSON, and back to the same or to canonical markdown --------------------------------

for md in test/golden/doc/*.md test/golden/text/*.md; do
    json=${md%.md}.json
    run parse "$md"
    [ -z "${CV_UPDATE-}" ] || cp "$tmp/out" "$json"
    cmp -s "$tmp/out" "$json" || diff "$json" "$tmp/out" >"$tmp/err"
    cmp -s "$tmp/out" "$json" && [ "$status" -eq 0 ]
    report "parse $md" $?

    "$CONCLAVE" render "$json" >"$tmp/once.md" 2>"$tmp/err" &&
        "$CONCLAVE" parse "$tmp/once.md" 2>>"$tmp/err" | "$CONCLAVE" render - >"$tmp/out" 2>>"$tmp/err" &&
        cmp "$tmp/once.md" "$tmp/out" >>"$tmp/err" 2>&1
    report "render $json is stable" $?
done
"$CONCLAVE" render test/golden/doc/canonical.json >"$tmp/out" 2>"$tmp/err"
cmp "$tmp/out" test/golden/doc/canonical.md >"$tmp/err" 2>&1
report "the canonical document is rendered to itself" $?

run parse --markers test/golden/text/spec-response.md
exits 0 "parse --markers" '"mark": "perspective"' '"id": "MUFFIN-P0101"' '"range": [' '"type": "bridge"'
run parse --compact test/golden/doc/canonical.md test/golden/text/spec-response.md
[ "$(wc -l <"$tmp/out")" -eq 2 ]
report "parse --compact: one line per file" $?
"$CONCLAVE" parse - <test/golden/text/spec-response.md >"$tmp/out" 2>"$tmp/err"
status=$?
exits 0 "parse - reads standard input" '"file": "-"'
if command -v jq >/dev/null; then
    "$CONCLAVE" parse test/golden/doc/deviant.md | jq -e '.title and (.sections | length > 3)' >"$tmp/out" 2>"$tmp/err"
    report "the output is JSON for jq" $?
fi

# ---- bad input: named, placed, exit status 2 ------------------------------------------------------------------------

run parse
exits 2 "parse without a file" "needs a file"
run parse "$tmp/missing.md"
exits 2 "parse a missing file" "missing.md"
run parse "$tmp"
exits 2 "parse a folder"
printf '# T\nab\377c\n' >"$tmp/latin.md"
run parse "$tmp/latin.md"
exits 2 "parse what is not UTF-8" "latin.md:2:3"
printf '# T\n\000\n' >"$tmp/nul.md"
run parse "$tmp/nul.md"
exits 2 "parse a file with NUL" "nul.md:2:1"
: >"$tmp/empty.md"
run parse "$tmp/empty.md"
exits 0 "parse an empty file" '"title": ""'
truncate -s 257M "$tmp/huge.md"
run parse "$tmp/huge.md"
exits 2 "parse 257 MB" "huge.md"
rm -f "$tmp/huge.md"
run parse "$tmp/missing.md" test/golden/text/spec-response.md
exits 2 "one bad file does not keep the others" "missing.md" "MUFFIN-P0101"
run parse --json "$tmp/missing.md"
exits 2 "parse --json: the error as JSON" '"error_code"' '"status": "error"'

printf '{"title": \n "x",}' >"$tmp/broken.json"
run render "$tmp/broken.json"
exits 2 "render broken JSON" "broken.json:2:"
cat >"$tmp/faulty.json" <<'JSON'
{
 "title": 7,
 "titel": "x",
 "metadata": [{"value": "no key"}, {"key": "a[b]"}, 3],
 "intro": [
  {"text": ""},
  {"mark": "claims"},
  {"mark": "resolved", "targets": ["T01", "nobody"]},
  {"columns": ["a"]}
 ],
 "sections": [
  {"kind": "round"},
  {"kind": "other", "label": ""},
  {"kind": "round", "round": -4, "agents": [{"name": "🧁 x"}, {"emoji": "🧁"}]}
 ]
}
JSON
run render "$tmp/faulty.json"
exits 1 "render reports every fault with path, line and column" \
    "faulty.json:2:11" "titel" "metadata[0].key" "metadata[1]" "metadata[2]" "intro[0].text" "intro[1].mark" \
    "intro[2].targets[1]" "intro[3]" "sections[0].round" "sections[1].label" "sections[2].round" \
    "sections[2].agents[0]" "sections[2].agents[1].name"
[ ! -s "$tmp/out" ]
report "… and writes nothing" $?
run render "$tmp/faulty.json" --json
exits 1 "render --json: the faults as JSON" '"field": "metadata[0].key"' '"line": 4'
run render "$tmp/missing.json"
exits 2 "render a missing file" "missing.json"
run render a b
exits 2 "render takes one document" "one document"
cat >"$tmp/escape.json" <<'JSON'
{"sections": [{"kind": "round", "round": 0, "content": [{"text": "## Round 2\n---"}]}]}
JSON
run render "$tmp/escape.json"
exits 0 "what would be structure is escaped" '\## Round 2' '\---'
if [ -w /dev/full ]; then
    "$CONCLAVE" spec >/dev/full 2>"$tmp/err"
    status=$?
    : >"$tmp/out"
    exits 2 "a full disk is told"
fi

# ---- spec -------------------------------------------------------------------------------------------------------------

run spec
exits 0 "spec" "# Dialogue format" '[RE:SUPPORT' '[MOVE:CONVERGE]' "## Expert Panel"
awk '/^````markdown$/ { on = 1; next } /^````$/ { on = 0 } on' "$tmp/out" >"$tmp/example.md"
"$CONCLAVE" parse --compact "$tmp/example.md" >"$tmp/out" 2>"$tmp/err"
grep -q '"diagnostics": *\[\]' "$tmp/out" && [ -s "$tmp/example.md" ]
report "the example of the specification has no finding" $?
run spec --markers
exits 0 "spec --markers" '[MUFFIN-P0101: label]'
run spec --json
exits 0 "spec --json" '"specification"'
run spec x
exits 2 "spec takes no arguments" "'x'"

# ---- commands, options, help ---------------------------------------------------------------------------------------------

run
exits 2 "no command shows the help" "Usage:"
run --help
exits 0 "--help" "parse" "render" "spec" "Exit status"
run --version
exits 0 "--version" "conclave "
run prase x
exits 2 "an unknown command" "did you mean 'parse'?"
run zzz
exits 2 "a command like no other" "--help"
run parse --compct x
exits 2 "an unknown option" "did you mean '--compact'?"
run parse -x
exits 2 "a short option" "two dashes"
run parse --markers=yes x
exits 2 "a switch takes no value" "takes no value"

# Every command shows examples, and they run where a dialogue stands.
mkdir -p "$tmp/work/round-1"
cp test/golden/doc/canonical.md "$tmp/work/decision.dialogue.md"
cp test/golden/text/spec-response.md "$tmp/work/round-1/muffin.md"
mkdir -p "$tmp/bin"
ln -s "$CONCLAVE" "$tmp/bin/conclave"
for command in parse render spec; do
    run "$command" --help
    exits 0 "$command --help" "Usage: conclave $command" "Examples:" "conclave $command"
    sed -n '/^Examples:/,$ s/^  \(conclave .*\)/\1/p' "$tmp/out" >"$tmp/examples"
    while IFS= read -r example; do
        (cd "$tmp/work" && PATH="$tmp/bin:$PATH" sh -c "$example") >"$tmp/out" 2>"$tmp/err" </dev/null
        report "example: $example" $?
    done <"$tmp/examples"
done

cd "$here" || exit 2
echo "1..$n"
