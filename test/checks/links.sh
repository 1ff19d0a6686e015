#!/bin/sh
# links.sh - what the documentation points to is there: links between pages, files named in ARCHITECTURE.md, lines of code
# shown in CONTRIBUTING.md; and the index of docs/ has every page.
set -u
cd "$(dirname "$0")/../.." || exit 1
number=0
ok() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

for page in *.md docs/*.md docs/*/*.md; do
    missing=$(grep -o '](\([^)#]*\))' "$page" | sed 's/^](\(.*\))$/\1/' | grep -v '^[a-z]*:' | while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || echo "$link"
    done)
    [ -z "$missing" ] || echo "#   $page: no such file: $missing"
    [ -z "$missing" ]
    ok $? "links of $page"
done

# A link to a heading: page.md#the-heading, as GitHub names it.
anchors() { sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'; }
# dead PAGE: the links of the page to headings that are not there
dead() {
    grep -o ']([^):]*#[^)]*)' "$1" | sed 's/^](\(.*\))$/\1/' | while read -r link; do
        file=${link%%#*}
        anchors "${file:+$(dirname "$1")/}${file:-$1}" | grep -qx -e "${link#*#}" || echo "$1: $link"
    done
}
missing=$(for page in *.md docs/*.md docs/*/*.md; do dead "$page"; done)
[ -z "$missing" ] || echo "$missing" | sed 's/^/#   no such heading: /'
[ -z "$missing" ]
ok $? "links to headings"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf '# What `verify` proves\n[a](#what-verify-proves) [b](page.md#nothing)\n' >"$work/page.md"
[ "$(dead "$work/page.md")" = "$work/page.md: page.md#nothing" ]
ok $? "a link to a heading that is not there is found"

missing=$(for page in docs/*.md docs/*.sh; do
    [ "$page" = docs/README.md ] || grep -qF "](${page#docs/})" docs/README.md || echo "$page"
done)
[ -z "$missing" ] || echo "#   not in docs/README.md: $missing"
[ -z "$missing" ]
ok $? "docs/README.md has every page"

# `dialogue/brief/`, `base/limits.h`, `test/unit`: from the root or from src; patterns must match something. In the drawings a
# module stands without its ending: "-> dialogue/intake/plain".
missing=$({
    grep -o '`[a-z_]*/[a-zA-Z0-9_./*]*`' ARCHITECTURE.md | tr -d '`'
    awk '/^```/ { shown = !shown } shown' ARCHITECTURE.md | grep -oE '(^|[ (])[a-z]+/[a-z_/*]+(\.[a-z]+)?' | tr -d '( '
} | sort -u | while read -r path; do
    found=$(ls -d $path src/$path $path.[ch] src/$path.[ch] 2>/dev/null)
    [ -n "$found" ] || echo "$path"
done)
[ -z "$missing" ] || echo "#   named in ARCHITECTURE.md, but not there: $missing"
[ -z "$missing" ]
ok $? "the files that ARCHITECTURE.md names"

# What CONTRIBUTING.md walks through is the toy room, which test/e2e/toy.sh tries, and the model of an engine, which
# test/unit/test_record.c compares with the others: each block of code is a piece of one of these files, line by line.
# shown FILE...: the blocks that no file has.
shown() {
    awk '
        FILENAME == "CONTRIBUTING.md" {
            if (/^ *```(c|sql)$/) { inside = 1; block = "" }
            else if (/^ *```$/ && inside) { blocks[++count] = block; inside = 0 }
            else if (inside) { sub(/^   /, ""); block = block $0 "\n" }
            next
        }
        { files = files $0 "\n" }
        END {
            if (count < 5) print "no blocks"
            for (i = 1; i <= count; i++) if (!index(files, "\n" blocks[i])) print substr(blocks[i], 1, 70)
        }' CONTRIBUTING.md "$@"
}
missing=$(shown test/toy/toy.c test/toy/900_toy.sql test/record_model.h test/unit/test_record.c)
[ -z "$missing" ] || echo "#   shown in CONTRIBUTING.md, but not in the code: $missing"
[ -z "$missing" ]
ok $? "the code that CONTRIBUTING.md shows"
[ -n "$(shown test/toy/900_toy.sql)" ]
ok $? "code that is not there is found"
echo "1..$number"
