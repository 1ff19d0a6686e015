#!/bin/sh
# lint_corpus.sh - the linter over real dialogues (CONCLAVE_CORPUS): per file the kind, the numbers of errors, warnings and
# notes, and the score of profile compat, as in test/golden/corpus/lint.tsv; CV_UPDATE=1 writes it again. TAP on stdout.
set -u
cd "$(dirname "$0")/../.." || exit 1
table=$PWD/test/golden/corpus/lint.tsv
case ${CONCLAVE:-build/asan/conclave} in
/*) conclave=$CONCLAVE ;;
*) conclave=$PWD/${CONCLAVE:-build/asan/conclave} ;;
esac
if [ -z "${CONCLAVE_CORPUS-}" ]; then
    echo "ok 1 - corpus # SKIP no corpus"
    echo "1..1"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$CONCLAVE_CORPUS" || exit 1
find . -name '*.md' -type f | sed 's|^\./||' | LC_ALL=C sort >"$work/names"
tr '\n' '\0' <"$work/names" | xargs -0 "$conclave" lint --json -- >"$work/default.json"
tr '\n' '\0' <"$work/names" | xargs -0 "$conclave" lint --json --profile compat -- >"$work/compat.json"

{
    printf 'file\tkind\terrors\twarnings\tnotes\tcompat\n'
    jq -r -n --slurpfile d "$work/default.json" --slurpfile c "$work/compat.json" '
        def count(s): [.findings[] | select(.severity == s)] | length;
        ([$c[].files[]] | map({(.file): .score}) | add) as $score |
        $d[].files[] | [.file, .kind, count("error"), count("warning"), count("note"),
            ($score[.file] * 1000 | round / 1000)] | @tsv'
} >"$work/table"
[ -z "${CV_UPDATE-}" ] || { mkdir -p "$(dirname "$table")" && cp "$work/table" "$table"; }

if jq -e -n '[inputs.errors[]] == []' "$work/default.json" "$work/compat.json" >/dev/null; then
    echo "ok 1 - every file can be read"
else
    echo "not ok 1 - every file can be read"
fi
if diff -u "$table" "$work/table" >"$work/diff"; then
    echo "ok 2 - $(wc -l <"$work/names") files are judged as before"
else
    echo "not ok 2 - files are judged as before"
    sed 's/^/# /' "$work/diff"
fi
echo "1..2"
