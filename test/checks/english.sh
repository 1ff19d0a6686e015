#!/bin/sh
# english - help, errors, schemas, pages, skills, documentation and comments hold to plain English: no turn that newcomers
# stumbled over. TAP.
# `turns` holds for all texts that users read, `page_turns` for the documentation, `comment_turns` for all comments.
set -u
export LC_ALL=C
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
[^a-z]hand(s|ed)? (it |them |[a-z]+ [a-z]+ )?in([ .,;:)]|$)	send
let it be your answer	answer with …
is found out	is found
No [a-z]+ is an error	every … is valid
what is meant	what you mean
for want of	because there is no …
(^|[.;] )What you [a-z ]+ (stays|goes|is|comes)	name the thing: everything that you …
never told by anyone	computed
(^|[.;] |\\n)What (stands|was|comes|cannot) 	name the thing: the text, the record …
who comes late	an agent that is late
(^|[.;] )[Ww]hatever (ends|else|is)	name the thing
will do([.;,: ]|$)	is enough
so long as	while
(as|like) .conclave spec. teaches	'conclave spec' shows
[^a-z](stands?|stood) (in|on|at|there|here|where|before|below|above|under|behind|inside|between|outside|without|twice|alone|beside|already)([ .,;:)]|$)	is in, is there
as (it|they) stands?([ .,;:)]|$)	as it is
[^a-z]anew	again
vouch	cover
passed over	skipped
[^a-z_A][Mm]end(s|ed)?[^a-z]	correct, fix, repair
(takes?|took) the place of	replaces
[^a-z]tells (who|what|how|where|whether|which|of|about) 	shows, says, reports
(is|are) wanted	is expected, is needed
that speaks with	the library for …
[^a-z]lies? (in|outside|ahead|beside) 	is in
[^a-z]comes? to (be|stand|its|their) 	becomes, gets
[^a-z][Ll]et (it|the|git|others|somebody|this|them) 	wait until …, ask … to …, make …
should be known	a warning
whose it is is	it does not say whose it is
at most so many	at most this many
[^a-z]must lie 	must be
(^|[.;] )Works also	it also works
END
}

# The same, for the documentation.
page_turns() {
    cat <<'END'
(^|[.:;(] )Who [a-z]+(s|ed)? 	an agent that …, a user who …, you …
(^|[.;] )What (is|has|does|else) [^?]*\.	name the thing
whichever	any
[Ww]hatever [a-z]+ (is|was|has|stands)	any …
held against	compared with
but for 	except
END
}

# The same, for the comments of the program, the dashboard and the tests.
comment_turns() {
    cat <<'END'
(^|[^e]) (is|are) no [a-z]	is not a …
[^rs] (is|are|was|were|be|been) told([.,;:]|$| (in|on|at|with|as|by|when|once|before|here) )	is reported
[Ww]hoever	the caller, the process that, a person who
[^a-z](stands?|stood) (in|on|at|there|here|where|before|below|above|under|behind|inside|between|outside|without|twice|alone|beside|already)([ .,;:)]|$)	is in, is there
as (it|they) stands?([ .,;:)]|$)	as it is
[Aa]nyone who (calls|asks|reads|opens|uses|shows|finds|needs|wants) 	the caller, a process that, a reader that
[^y] hand(s|ed)? (it |them )?in([ .,;:)]|$)	send
[^a-z]but for 	except
[^a-z]tells? (who|what|how|where|whether|of|about) 	shows, says, reports
(may|can|will|must|would|could|should) (not |only |also )?(are|is|was|were) 	be
(do|does|did) (not |only )(are|is|was) [^kw]	be
 to (are|is|was|were) 	be
vouch	cover
[^a-z]anew	again
passed over	skipped
held against	compared with
all the same	anyway; or leave it out
the very (one|same)	the same
END
}

sources() { find src -name '*.[ch]' -o -name '*.def' | sort; }
texts() {
    sources | xargs grep -noE '"([^"\\]|\\.)*"'
    grep -n '' schemas/*.json pages/*.page
}
# What the program prints in an example is its own text, which is in src/. Examples of skills are our own words.
documentation() {
    for f in *.md docs/*.md docs/*/*.md skills/*/SKILL.md; do
        awk -v f="$f" '/^```/ { shown = !shown } !shown || f ~ /^skills/ { print f ":" FNR ":" $0 }' "$f"
    done
}
comments() {
    { sources && find web/src -name '*.ts*' && find test -name node_modules -prune -o \( -name '*.[ch]' -o -name '*.mjs' \) -print; } | xargs awk '
        FNR == 1 { inside = 0 }
        {
            line = $0
            if (!inside && !sub(/^.*\/\*/, "", line)) next
            inside = line !~ /\*\//
            gsub(/"[^"]*"|`[^`]*`/, "", line)
            print FILENAME ":" FNR ":" line
        }'
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
documentation >"$work/pages"
{ texts; cat "$work/pages"; } >"$work/all"
comments >"$work/comments"
turns >"$work/turns"
page_turns >"$work/page_turns"
comment_turns >"$work/comment_turns"
number=0
# A line of a text is PLACE:NUMBER: and its words; ^ in a turn is the beginning of the words.
expression() { sed -e 's/(^|/(:[0-9]+: |/'; }
# nobody_writes TURNS TEXTS: first the lines with any of the turns, which are few, then turn by turn.
nobody_writes() {
    cut -f 1 "$1" | expression >"$work/any"
    sed -E 's/^([^:]*:[0-9]*:)/\1 /' "$2" | grep -E -f "$work/any" | grep -vE '[Tt]here (is|are|being) no ' >"$work/some"
    while IFS='	' read -r turn instead; do
        number=$((number + 1))
        found=$(grep -E -- "$(echo "$turn" | expression)" "$work/some" | cut -c 1-180)
        if [ -z "$found" ]; then echo "ok $number - nobody writes: $turn"; else
            echo "not ok $number - nobody writes: $turn (write: $instead)"
            echo "$found" | sed 's/^/#   /'
        fi
    done <"$1"
}
nobody_writes "$work/turns" "$work/all"
nobody_writes "$work/page_turns" "$work/pages"
nobody_writes "$work/comment_turns" "$work/comments"
# It can fail: a line with a turn is found, in each kind of text.
# finds TURNS TEXT
finds() {
    echo "$2" >"$work/bad"
    before=$number
    case $(nobody_writes "$1" "$work/bad") in *"not ok"*) status=ok ;; *) status="not ok" ;; esac
    number=$((before + 1))
    echo "$status $number - found: $2"
}
finds "$work/turns" 'src/x.c:1:"the file stands in the way, mend it"'
finds "$work/page_turns" 'page.md:1:Who waits for mail gets it.'
finds "$work/comment_turns" 'x.h:1: What a caller sent is told.'
finds "$work/comment_turns" 'x.c:1: What may are before a mark.'
echo "1..$number"
