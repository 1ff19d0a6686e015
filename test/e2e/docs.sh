#!/bin/sh
# docs.sh - every ```console example of the documentation is run, and must print what it shows.
# A line "$ command" is run from the repository's root with `conclave` on the path; the lines below it are its output.
# What a line "$ export …" sets holds for the rest of its page.
#   test/e2e/docs.sh [PAGE...]   default: all
set -u
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- README.md SECURITY.md CHANGELOG.md docs/*.md
if [ -n "${CONCLAVE_TEST_STORE-}" ]; then # the pages show a project whose record is a file
    echo "ok 1 - documentation # SKIP not with this engine"
    echo "1..1"
    exit 0
fi
# The pages name folders below /tmp: of several runs on one machine one at a time has them.
exec 8>"/tmp/conclave-docs-$(id -u).lock"
flock 8
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
    sh "$command" > "$base.got" 2>&1 < /dev/null 8>&-
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

# A command in backticks, `conclave ROOM VERB … --option`, is one that there is, and has these options.
# unknown PAGE...: the commands and options that the program does not have
conclave help --json | jq -r '.commands[] | "\(.room // "") \(.verb // "")" as $name | "\($name)", (.options[] | "\($name) --\(.name)")' |
    sed 's/^ *//' >"$work/known"
unknown() {
    awk '
        NR == FNR { known[$0] = 1; split($0, w, " "); begins[w[1]] = 1; if (w[2] != "" && w[2] !~ /^-/) room[w[1]] = 1; next }
        FNR == 1 { inside = 0 }
        /^```/ { inside = !inside }
        inside { next }
        {
            parts = split($0, piece, "`")
            for (i = 2; i <= parts; i += 2) {
                n = split(piece[i], w, " ")
                if (w[1] != "conclave" || w[2] !~ /^[a-z][a-z-]*$/ || w[2] == "help" || w[2] == "panel") continue
                name = w[2]
                if (w[3] ~ /^[a-z][a-z-]*$/ && (w[2] " " w[3]) in known) name = w[2] " " w[3]
                else if (!(name in begins) || (!(name in known) && w[3] ~ /^[a-z][a-z-]*$/)) { print FILENAME ":" FNR ": " piece[i]; continue }
                if (!(name in known)) continue
                for (j = 3; j <= n; j++) {
                    if (!match(w[j], /^--[a-z][a-z-]*/)) continue
                    option = substr(w[j], RSTART, RLENGTH); plain = option; sub(/^--no-/, "--", plain)
                    if (!((name " " option) in known) && !((name " " plain) in known)) print FILENAME ":" FNR ": " name " " option
                }
            }
        }' "$work/known" "$@"
}
found=$(unknown "$@")
count=$((count + 1))
if [ -s "$work/known" ] && [ -z "$found" ]; then echo "ok $count - commands and options in sentences exist"; else
    echo "not ok $count - commands and options in sentences exist"
    echo "$found" | sed 's/^/#   /'
fi
printf 'Run `conclave mail sent`, `conclave mail send --too x` or `conclave verifi`; `conclave chat send --no-dry-run` is fine.\n' >"$work/page.md"
count=$((count + 1))
[ "$(unknown "$work/page.md" | wc -l)" -eq 3 ] && echo "ok $count - others are found" || echo "not ok $count - others are found"
echo "1..$count"
