#!/bin/sh
# docs.sh - every ```console example of the documentation is run, and must print what it shows.
# A line "$ command" is run from the repository's root with `conclave` on the path; the lines below it are its output.
# What a line "$ export …" sets holds for the rest of its page.
#   test/e2e/docs.sh [PAGE...]   default: all
set -u
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- README.md docs/*.md
if [ -n "${CONCLAVE_TEST_STORE-}" ]; then # the pages show a project whose record is a file
    echo "ok 1 - documentation # SKIP not with this engine"
    echo "1..1"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$(realpath "${CONCLAVE:-build/asan/conclave}")" "$work/bin/conclave"
PATH="$work/bin:$PATH"
export PATH

awk -v work="$work" '
    FNR == 1 { inside = 0; exports = "" }
    /^```console$/ { inside = 1; next }
    /^```/ { inside = 0; next }
    inside && /^\$ export / { exports = exports substr($0, 3) "\n" }
    inside && /^\$ / {
        n++
        base = sprintf("%s/%03d", work, n)
        print FILENAME ":" FNR > (base ".where"); print exports substr($0, 3) > (base ".command"); printf "" > (base ".wanted")
        next
    }
    inside { print > (base ".wanted") }
' "$@"

count=0
for command in "$work"/*.command; do
    [ -e "$command" ] || continue # a page without examples
    base=${command%.command}
    count=$((count + 1))
    where=$(cat "$base.where")
    sh "$command" > "$base.got" 2>&1 < /dev/null
    if cmp -s "$base.wanted" "$base.got"; then
        echo "ok $count - $where"
    else
        echo "not ok $count - $where"
        sed 's/^/# $ /' "$command"
        diff "$base.wanted" "$base.got" | sed 's/^/# /'
    fi
done

# A page may be the first one that is tried: what it reads below /tmp it has made.
found=$(awk '
    FNR == 1 { split("", made); inside = 0 }
    /^```console$/ { inside = 1; next }
    /^```/ { inside = 0 }
    inside && /^\$ / && !/^\$ export / {
        rest = $0
        while (match(rest, /\/tmp\/[a-z]+/)) {
            folder = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
            if (!(folder in made) && $0 !~ "(rm -rf|mkdir -p|play.sh|>) *" folder) print FILENAME ":" FNR ": " folder
            made[folder] = 1
        }
    }' "$@")
count=$((count + 1))
if [ -z "$found" ]; then echo "ok $count - pages make the folders that they use"; else
    echo "not ok $count - pages make the folders that they use"
    echo "$found" | sed 's/^/#   /'
fi
echo "1..$count"
