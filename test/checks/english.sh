#!/bin/sh
# english - help, errors, schemas, skills and documentation hold to plain English: no turn that newcomers stumbled over. TAP.
# It reads the string literals of src/, schemas/, skills/, pages/ and all documentation. Comments are free. The second list holds for the
# documentation only.
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
(^|[.;] |\\n)What (stands|was|comes|cannot) 	name the thing: the text, the record …
who comes late	an agent that is late
(^|[.;] )[Ww]hatever (ends|else|is)	name the thing
will do([.;,: ]|$)	is enough
so long as	while
(as|like) .conclave spec. teaches	'conclave spec' shows
END
}

# The same, for the documentation.
page_turns() {
    cat <<'END'
(^|[.:;(] )Who [a-z]+(s|ed)? 	an agent that …, a user who …, you …
(^|[.;] )What (is|has|does|else) [^?]*\.	name the thing
whichever	any
[Ww]hatever [a-z]+ (is|was|has|stands)	any …
passed over	skipped
hand(s|ed)? (it |them )?in([ .,;)]|$)	send
held against	compared with
vouch	cover
but for 	except
END
}

strings() { grep -noE '"([^"\\]|\\.)*"' "$@" /dev/null; }
texts() {
    find src -name '*.[ch]' -o -name '*.def' | sort | while read -r f; do strings "$f"; done
    for f in schemas/*.json pages/*.page; do grep -n '' "$f" /dev/null; done
}
# What the program prints in an example is its own text, which stands in src/.
documentation() {
    for f in *.md docs/*.md docs/*/*.md skills/*/SKILL.md; do
        [ "$f" = CHANGELOG.md ] || awk -v f="$f" '/^```/ { shown = !shown } !shown { print f ":" FNR ":" $0 }' "$f"
    done
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
documentation >"$work/pages"
{ texts; cat "$work/pages"; } >"$work/all"
turns >"$work/turns"
page_turns >"$work/page_turns"
number=0
# nobody_writes TURNS TEXTS
nobody_writes() {
    while IFS='	' read -r turn instead; do
        number=$((number + 1))
        found=$(sed -E 's/^([^:]*:[0-9]*:)(.*)$/\1 \2/' "$2" | grep -E -- "$(echo "$turn" | sed 's/(^|/(:[0-9]+: |/')" |
            grep -vE '[Tt]here (is|are) no |[Tt]here being no ' | cut -c 1-180)
        if [ -z "$found" ]; then echo "ok $number - nobody writes: $turn"; else
            echo "not ok $number - nobody writes: $turn (write: $instead)"
            echo "$found" | sed 's/^/#   /'
        fi
    done <"$1"
}
nobody_writes "$work/turns" "$work/all"
nobody_writes "$work/page_turns" "$work/pages"
# It can fail: a line with a turn is found.
echo 'page.md:1:Who waits for mail gets it.' >"$work/bad"
before=$number
case $(nobody_writes "$work/page_turns" "$work/bad") in *"not ok"*) status=ok ;; *) status="not ok" ;; esac
number=$((before + 1))
echo "$status $number - a turn that is there is found"
echo "1..$number"
