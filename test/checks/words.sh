#!/bin/sh
# words.sh - what serves every room has no word of one: identifiers and strings in base/, record/, kit/, project/, ops/
# and door/; strings in the frame of the dashboard.
# The words come from the rooms' own tables: their names, the verbs of their operations, their kinds, the fields of their
# schemas and of their shapes. Comments are free: they are English. TAP on stdout.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Words of tables that are everybody's: English, or terms of programs and protocols.
plain="
accepted active after agent also among asked at by bytes changed changes closed code color command compare complete completed
conditions content context count counts create created current data decision depth description diagnostics dir drop dry emoji end
error errors event events exclude excluded expand expect export field files first folder force forced format framing from gate
get hash head history how html id ids in include instructions items kept key kind kinds last left limit line lines list local made markdown
marks match max message missing moves name names new next no node not notes old only op open out output paragraphs path plain position
progress prompt prompts protocol query question raised read reason recent references registered replace replaced replayed resolved
response result results rev role rules run score search selected severity sha shared signals silent since size snippet source spec split standing start
state status statuses step strict subject suggestion summary target text texts title to token tokens top total type unmarked unread update
updated updates tag tags hook added handed removed rename
action age all body claimed cursor failed for oldest on parent ready seen slot slots timed timeout wait cut details done extra fail final messages more params plan reply seconds send sent seq session settled stopped thread until waits writing
refused taken watch
agree came it lost mean other pair pairs
not verify waiting warning warnings why with without words write written
add all before broadcast commit date fields for form found gone header ignored is large last_number links log logged messages number outcome paths
repair rgb scan show stale thread time too too_large
column db document end_column file findings fix fixable fixed hint install known lint newest oldest profile recursive remove rule scope unreadable value
as begins body check clear close cursor digest findings flag for foreign hint holder import join keep leave locked messages more note of on
original outcome peek pending purpose queued reply restore restored send show ticket unlock verified wait watch
answer before event_type fetch log prev queue render repaired report reports request set slots take template timestamp value
version
derives meanings your says what left_out warnings_left_out created_at dry_run error_code event_count expect_rev last_event op_id since_rev use
"

# What still has words of a room, and why; the list may only become shorter.
#   OpenAPI has words of its own
#   a filter of templates has the name that Jinja gives it
#   servers of models have paths with words of their own
exceptions="
src/door/api/openapi.c: components parameters responses
src/kit/reach/url.c: chat
src/kit/template/filters_other.c: round
"

files() { git ls-files -co --exclude-standard -- "$@" | while read -r f; do [ ! -f "$f" ] || echo "$f"; done; }

# Every word of the rooms, whole fields included.
rooms=$(sed -n 's/^    \.name = "\([a-z]\{1,\}\)",.*/\1/p' src/*/room.c)
{
    echo "$rooms"
    for room in $rooms; do
        sed -n 's/.*\.verb = "\([a-z-]*\)",.*/\1/p' "src/$room/ops.c"
        cat schemas/"$room"_*.json | jq -r '.. | objects | .properties? // empty | objects | keys[]'
        files "src/$room/*.c" | xargs sed -nE \
            -e 's/^ *CV_(FIELD|NUMBER|JSON|LIST|TEXTS|OBJECT|GROUP|WORD|FIXED|MORE|ROW)[A-Z_]*\([^"]*"([a-z_]+)".*/\2/p' \
            -e 's/^ *CV_(FIELD|PRINTED)\(([A-Z_]+, )?([a-z_]+),.*/\3/p' \
            -e 's/^ *CV_FIELD_OF\([A-Z_]+, [a-z_]+, ([a-z_]+),.*/\1/p'
    done
    sed -n 's/^KIND([^"]*"\([a-z]*\)", *"\([a-z]*\)".*/\1\n\2/p' src/dialogue/words/kinds.def
} >"$work/fields"
{ cat "$work/fields"; tr -c 'a-z\n' '\n' <"$work/fields"; } | grep -E '..' | sort -u >"$work/tables"
echo "$plain" | tr ' ' '\n' | sort -u >"$work/plain"
comm -23 "$work/tables" "$work/plain" >"$work/words"

# "file word" of every identifier and string, as it is and in its parts; includes name files.
files 'src/base/*' 'src/record/*' 'src/kit/*' 'src/project/*' 'src/ops/*' 'src/door/*' | xargs awk '
    FNR == 1 { inside = 0 }
    /^[ \t]*#[ \t]*include/ { next }
    {
        line = $0; out = ""
        while (line != "") {
            if (inside) {
                at = index(line, "*/")
                if (!at) break
                line = substr(line, at + 2); inside = 0
            } else if (match(line, /^"([^"\\]|\\.)*"/)) {
                text = substr(line, 2, RLENGTH - 2); gsub(/\\./, " ", text)
                out = out " " text " "; line = substr(line, RLENGTH + 1)
            } else if (match(line, /^\047([^\047\\]|\\.)*\047/)) { line = substr(line, RLENGTH + 1)
            } else if (substr(line, 1, 2) == "/*") { inside = 1; line = substr(line, 3)
            } else if (substr(line, 1, 2) == "//") { break
            } else { out = out substr(line, 1, 1); line = substr(line, 2) }
        }
        n = split(tolower(out), whole, /[^a-z_]+/)
        for (i = 1; i <= n; i++) {
            print FILENAME, whole[i]
            k = split(whole[i], part, "_")
            for (j = 1; j <= k; j++) print FILENAME, part[j]
            for (j = 2; j <= k; j++) print FILENAME, part[j - 1] "_" part[j]
        }
    }' | sort -u | awk 'NR == FNR { word[$1] = 1; next } $2 in word' "$work/words" - >"$work/found"

echo "$exceptions" | awk 'NF { sub(/:$/, "", $1); for (i = 2; i <= NF; i++) print $1, $i }' | sort -u >"$work/allowed"

# result NUMBER NAME FILE: passes when the file is empty.
result() {
    if [ -s "$3" ]; then echo "not ok $1 - $2"; sed 's/^/#   /' "$3"; else echo "ok $1 - $2"; fi
}
grep -qx dialogue "$work/words" && grep -qx verdict "$work/words" && grep -qx dialogue_id "$work/words"
[ $? -eq 0 ] && : >"$work/none" || echo "the tables have no words: were they moved?" >"$work/none"
comm -23 "$work/found" "$work/allowed" >"$work/new"
comm -13 "$work/found" "$work/allowed" >"$work/gone"
result 1 "there are words to look for" "$work/none"
result 2 "what serves every room has no word of one" "$work/new"
result 3 "no exception is left over" "$work/gone"
# The dashboard's frame: the table of rooms alone knows their modules, and nothing else names a room, an operation of one
# or a kind. Comments are free.
names=$(echo $rooms $(sed -n 's/^KIND([^"]*"\([a-z]*\)".*/\1/p' src/dialogue/words/kinds.def) | tr ' ' '|')
files 'web/src/*.ts' 'web/src/*.tsx' | grep -v -e '^web/src/rooms/' -e '^web/src/rooms\.ts$' >"$work/frame"
xargs grep -nE "rooms/[a-z]|[\"'\`]($names)s?[\"'\`/]" <"$work/frame" | grep -vE '^[^:]*:[0-9]*: *(//|/?\*)' >"$work/web"
result 4 "the frame of the dashboard names no room" "$work/web"
grep -qE "[\"']dialogue/" web/src/rooms/dialogue/view.tsx && [ "$(wc -l <"$work/frame")" -gt 15 ] && : >"$work/none" || echo "nothing was looked at" >"$work/none"
result 5 "there are files to look at" "$work/none"
echo "1..5"
