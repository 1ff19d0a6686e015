#!/bin/sh
# words.sh - what serves every room has no word of one: identifiers and strings in base/, record/, kit/, project/, ops/
# and door/; strings in the frame of the dashboard.
# The words come from the rooms' own tables: their names, the verbs of their operations, their kinds, the fields of their
# schemas and of their shapes, their types of rows with their fields, their error codes, and the words of their
# specifications. Comments are free: they are English. TAP on stdout.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Words of tables that are everybody's: English, or terms of programs and protocols.
plain="
accept acknowledged act action actions active add added address after age agent agent_id agent_name agree all also
among answer answered as asked at before begins body broadcast by bytes came chain changed changed_at changes check
clear close closed code color column command commit compare complete conditions content context count counts create
created created_at current cursor cut data date db depth description details digest dir display done drop dropped dry
dry_run emoji encoding end end_column entry error error_code errors event event_count event_type events exclude
excluded expect expect_rev export extra fail failed fetch field fields file files findings first fix fixable fixed
flag folder for force foreign form format found framing free from get gone handed hash head header hint history
holders hook how html id ids ignored import imported imports in include install instructions intent is it items join
json keep kept key kind kinds known large last last_event last_number leave left left_out limit line line_end
line_starts lines links lint list local locked log logged lost made marks match max mean meanings message messages
minute missing more move ms name names need needs new newest next no node not note number of ok old oldest on only op
op_id open or origin original origins other out outcome output owner pair pairs paragraphs params parent partial path
paths peek pending place plain pointer position prev proceed progress prompt prompts protocol purpose query question
queue queued range re read ready reason recent recursive ref reference refs refused registered registers remove
removed rename render repair replace replaced replayed reply report request requested resolve restore restored result
results rev rgb role rule rules run says scan scope search seconds seen selected send sent seq session set shared show
since since_rev size source split standing start state status statuses step steps stopped strict strong suggestion
summary supported tag tagged tags take taken target template text texts thread time timed timeout timestamp title to
token tokens too too_large top total turn type unlock unreadable until update updated updates use value values
verified verify version wait waiting waits warning warnings warnings_left_out watch what why with without words write
writing written wrong your
"

# Words that a room gives a meaning of its own and others need as plain English, in these files alone.
elsewhere="
accepted: project/verify.c
alert: door/mcp/era.c door/mcp/mcp.h door/mcp/server.c
archived: kit/room.h project/search.c
averages: record/sqlite/search_check.c
blocked: record/postgres/examine.c
claimed: door/cmd_mcp.c kit/who.c project/redact.c
completed: door/cmd_completion.c door/http/http.c door/layout.c door/resources.c
decisions: project/ops.c
delivery: door/api/metrics.c
final: base/base64.c
forced: kit/destination.c kit/destination.h project/backup.c project/scope_file.c
gate: door/http/http.c door/http/parts.h
holder: base/file.c base/folder.c base/where.c
mailbox: kit/reach/reach.c kit/reach/reach.h project/agents.c project/registry.c
merge: project/doctor_place.c
merged: project/scope_file.c
moves: door/http/turns.c kit/room.h kit/settings.c project/project.c record/record.c
notes: door/cli_edit.c project/doctor.c
plan: door/cmd_install.c project/redact.c record/postgres/connect.c
questions: door/mcp/host.h
raised: record/sqlite/watermark.c
ranks: record/postgres/words.c
references: record/sqlite/connection.h record/sqlite/engine.c record/sqlite/maintenance.c
renamed: kit/schema.c
repaired: kit/doctor.c kit/doctor.h project/doctor.c
request_id: door/mcp/dispatch.c
response: door/http/http.c door/http/library.h
review: project/actors.c
score: project/search.c record/postgres/search.c record/record.h record/sqlite/search.c
settled: kit/request.c record/sqlite/frozen.c
severity: kit/findings.c kit/findings.h kit/sarif.c
signals: base/child.c base/child.h base/signals.c base/signals.h door/cli.c door/cmd_mcp.c door/live.c door/mcp/stdio.c
silent: door/conditions.c door/http/exchange.c record/postgres/connection.c
slot: base/map.c base/map.h project/phrases.c
slots: base/map.c base/map.h kit/valid_part.c project/phrases.c project/phrases.h record/postgres/known_revs.c
stale: door/mcp/streams.c
subject: kit/writing.c kit/writing.h record/type.c record/type.h
supports: record/postgres/errors.c
ticket: project/ops.c record/sqlite/engine.c record/sqlite/engine.h record/sqlite/turns.c
unmarked: base/file.h kit/intent.c project/scope_file.c
unread: door/cli_edit.c project/redact_files.c project/scope_file.c project/scope_input.c project/traces.c record/record.c
"

# What still has words of a room, and why; the list may only become shorter.
#   a file of agents says which of them sits where on a panel, for 'run'
#   OpenAPI has words of its own
#   a filter of templates has the name that Jinja gives it
#   servers of models have paths with words of their own
exceptions="
src/door/api/openapi.c: components parameters responses
src/kit/reach/agents_file.c: seats
src/kit/reach/agents_file.h: seats
src/project/actors.c: seats
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
    for room in $rooms; do
        files "src/$room/*types.c" | xargs sed -n 's/^CV_TYPE_TABLE([a-z_]*, "\([a-z_]*\)", "\([a-z_]*\)".*/\1\n\2/p'
        files "src/$room/*types.h" | xargs grep -ohE 'F\([A-Z]+, [A-Z]+, [a-z_]+\)' | sed 's/.*, \(.*\))/\1/'
    done
    cat src/*/words/consult.def src/*/words/states.def src/*/words/fields.def src/dialogue/words/marks.def src/dialogue/words/words.def |
        sed -n 's/^[A-Z_]*([^"]*"\([A-Za-z_]*\)".*/\1/p' | tr 'A-Z' 'a-z'
} >"$work/fields"
{
    cat "$work/fields"
    tr -c 'a-z\n' '\n' <"$work/fields"
    for room in $rooms; do sed -n 's/^ERR([A-Z_]*, *"\([a-z]*_[a-z_]*\)".*/\1/p' "src/$room/words/err.def"; done
} | grep -E '..' | sort -u >"$work/tables"
echo "$plain" | tr ' ' '\n' | sort -u >"$work/plain"
# There may be more than one of what a word names.
comm -23 "$work/tables" "$work/plain" | sed 'p; s/x$/xe/; s/$/s/' | sort -u >"$work/many"
comm -23 "$work/many" "$work/plain" >"$work/words"

# "file word" of every name of a file, identifier and string, as it is and in its parts; includes name files.
files 'src/base/*' 'src/record/*' 'src/kit/*' 'src/project/*' 'src/ops/*' 'src/door/*' | xargs awk '
    function words_of(text,    whole, part, n, k, i, j) {
        while (match(text, /[a-z][A-Z]/)) text = substr(text, 1, RSTART) "_" tolower(substr(text, RSTART + 1, 1)) substr(text, RSTART + 2)
        n = split(tolower(text), whole, /[^a-z_]+/)
        for (i = 1; i <= n; i++) {
            print FILENAME, whole[i]
            k = split(whole[i], part, "_")
            for (j = 1; j <= k; j++) print FILENAME, part[j]
            for (j = 2; j <= k; j++) print FILENAME, part[j - 1] "_" part[j]
        }
    }
    FNR == 1 { inside = 0; words_of(substr(FILENAME, index(FILENAME, "/") + 1)) }
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
        words_of(out)
    }' | sort -u >"$work/there"
sort -u "$work/tables" "$work/many" | awk 'NR == FNR { word[$1] = 1; next } $2 in word' - "$work/there" >"$work/used"
awk 'NR == FNR { word[$1] = 1; next } $2 in word' "$work/words" "$work/used" >"$work/found"
cut -d ' ' -f 2 "$work/used" | sort -u | comm -13 - "$work/plain" | grep . >"$work/idle"

{
    echo "$exceptions" | awk 'NF { sub(/:$/, "", $1); for (i = 2; i <= NF; i++) print $1, $i }'
    echo "$elsewhere" | awk 'NF { sub(/:$/, "", $1); for (i = 2; i <= NF; i++) print "src/" $i, $1 }'
} | sort -u >"$work/allowed"

# result NUMBER NAME FILE: passes when the file is empty.
result() {
    if [ -s "$3" ]; then echo "not ok $1 - $2"; sed 's/^/#   /' "$3"; else echo "ok $1 - $2"; fi
}
for word in dialogue verdict dialogue_id mail_deliveries lease_until lease_lost blocker; do grep -qx $word "$work/words" || break; done
[ $? -eq 0 ] && : >"$work/none" || echo "the tables have no words: were they moved?" >"$work/none"
comm -23 "$work/found" "$work/allowed" >"$work/new"
comm -13 "$work/found" "$work/allowed" >"$work/gone"
result 1 "there are words to look for" "$work/none"
result 2 "what serves every room has no word of one" "$work/new"
result 3 "no exception is left over" "$work/gone"
result 4 "every plain word is one that a room has too, and is used" "$work/idle"
# The dashboard's frame: the table of rooms alone knows their modules, and nothing else names a room, an operation of one
# or a kind. Comments are free.
names=$(echo $rooms $(sed -n 's/^KIND([^"]*"\([a-z]*\)".*/\1/p' src/dialogue/words/kinds.def) | tr ' ' '|')
files 'web/src/*.ts' 'web/src/*.tsx' | grep -v -e '^web/src/rooms/' -e '^web/src/rooms\.ts$' >"$work/frame"
xargs grep -nE "rooms/[a-z]|[\"'\`]($names)s?[\"'\`/]" <"$work/frame" | grep -vE '^[^:]*:[0-9]*: *(//|/?\*)' >"$work/web"
result 5 "the frame of the dashboard names no room" "$work/web"
grep -qE "[\"']dialogue/" web/src/rooms/dialogue/view.tsx && [ "$(wc -l <"$work/frame")" -gt 15 ] && : >"$work/none" || echo "nothing was looked at" >"$work/none"
result 6 "there are files to look at" "$work/none"
echo "1..6"
