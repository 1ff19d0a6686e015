#!/bin/sh
# english - help, errors, schemas, skills and pages hold to plain English: no turn that newcomers stumbled over. TAP.
# What people read is looked at: string literals of src/, schemas/, skills/, the README and docs/. Comments are free.
set -u
cd "$(dirname "$0")/../.." || exit 1

# A turn, and what to write instead.
turns() {
    cat <<'END'
(^|[^e]) (is|are) no [a-z]	is not a …
(is|are|be) told	… says, reports, names
all the same	anyway; or leave it out
the very (one|same)	the same
[Ww]hoever	the caller, the agent that, a person who
(^|[.:;] )Who [a-z]+s [a-z ]+ (needs|gets|can|may|must|has)	an agent that …, you …
is not believed	is refused, because …
does not wait any	has stopped waiting
hand it in	send it
let it be your answer	answer with …
is found out	is found
No [a-z]+ is an error	every … is valid
what is meant	what you mean
never told by anyone	computed
(as|like) .conclave spec. teaches	'conclave spec' shows
END
}

strings() { grep -noE '"([^"\\]|\\.)*"' "$@" /dev/null; }
texts() {
    find src -name '*.[ch]' -o -name '*.def' | sort | while read -r f; do strings "$f"; done
    for f in schemas/*.json skills/*/SKILL.md README.md docs/*.md SECURITY.md; do grep -n '' "$f" /dev/null; done | grep -v ':[0-9]*:\$ '
}

all=$(mktemp) && turns_file=$(mktemp) || exit 1
trap 'rm -f "$all" "$turns_file"' EXIT
texts >"$all"
turns >"$turns_file"
number=0
while IFS='	' read -r turn instead; do
    number=$((number + 1))
    found=$(grep -E -- "$turn" "$all" | grep -vE '[Tt]here (is|are) no |[Tt]here being no ' | cut -c 1-180)
    if [ -z "$found" ]; then echo "ok $number - nobody writes: $turn"; else
        echo "not ok $number - nobody writes: $turn (write: $instead)"
        echo "$found" | sed 's/^/#   /'
    fi
done <"$turns_file"
echo "1..$number"
