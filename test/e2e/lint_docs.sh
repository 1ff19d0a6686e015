#!/bin/sh
# lint_docs.sh - the examples in docs/rules: each `markdown bad` raises its rule, each `markdown good` does not; every rule has
# a page, every page a rule. In examples "␍" at the end of a line stands for a carriage return, <U+FEFF> for a byte order mark.
set -u
cd "$(dirname "$0")/../.." || exit 1
conclave=${CONCLAVE:-build/asan/conclave}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0

result() { # result STATUS NAME
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

# All examples as files: RULE.bad.N.md, RULE.good.N.md.
awk -v work="$work" '
    FNR == 1 { rule = FILENAME; sub(/.*\//, "", rule); sub(/\.md$/, "", rule); fence = "" }
    fence == "" && /^````*markdown (bad|good)$/ {
        kind = $2; fence = $1; sub(/markdown.*/, "", fence)
        file = sprintf("%s/%s.%s.%d.md", work, rule, kind, ++n); printf "" > file
        next
    }
    fence != "" && $0 == fence { close(file); fence = ""; next }
    fence != "" { gsub(/␍$/, "\r"); gsub(/<U\+FEFF>/, "\357\273\277"); print > file }
' docs/rules/[a-z]*.md

rules=$("$conclave" lint --rules --json | jq -r '.[].rule')
for rule in $rules; do
    as=dialogue
    [ "$rule" != not-a-dialogue ] || as=auto
    for kind in bad good; do
        wanted=true
        [ "$kind" = bad ] || wanted=false
        found=0
        for file in "$work/$rule.$kind".*.md; do
            [ -f "$file" ] || break
            found=$((found + 1))
            "$conclave" lint --as $as --json "$file" | jq -e --arg rule "$rule" --argjson wanted $wanted \
                '[.files[0].findings[].rule] | any(. == $rule) | . == $wanted' >"$work/jq" 2>&1 ||
                { echo "#   example $file:"; sed 's/^/#   /' "$file"; found=-1000; }
        done
        [ "$found" -gt 0 ]
        result $? "$rule: $kind"
    done
done

# Fixable rules: --fix makes the bad example one that does not raise the rule.
for rule in $("$conclave" lint --rules --json | jq -r '.[] | select(.fixable) | .rule'); do
    "$conclave" lint --as dialogue --fix - <"$(ls "$work/$rule".bad.*.md | head -n 1)" 2>"$work/err" |
        "$conclave" lint --as dialogue --json - |
        jq -e --arg rule "$rule" '[.files[0].findings[].rule] | all(. != $rule)' >"$work/jq" 2>&1
    result $? "$rule: fixed"
done

printf '%s\n' $rules | sort >"$work/rules"
ls docs/rules | sed -n 's/\.md$//p' | grep -v README | sort >"$work/pages"
diff "$work/rules" "$work/pages" | sed 's/^/# /'
cmp -s "$work/rules" "$work/pages"
result $? "a page for every rule"

for rule in $rules; do grep -q "^| \[$rule\]($rule.md) " docs/rules/README.md || echo "#   $rule"; done >"$work/index"
cat "$work/index"
[ ! -s "$work/index" ]
result $? "docs/rules/README.md lists every rule"
echo "1..$number"
