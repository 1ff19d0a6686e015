#!/bin/sh
# search.sh - words across dialogues: what is found first, filters, pages, odd queries, likeness, and what people see.
. "$(dirname "$0")/lib.sh"
record=$root/test/golden/search/record.json
project

# ---- six dialogues -----------------------------------------------------------------------------------------------

experts='{"seed": 1, "panel_size": 3, "expert_pool": {"domain": "All", "experts": [
    {"role": "A", "tier": "Core", "relevance": 0.9}, {"role": "B", "tier": "Core", "relevance": 0.9},
    {"role": "C", "tier": "Wildcard", "relevance": 0.5}]}}'
register() {
    jq -c --argjson experts "$experts" '.[] |
        (.create + $experts | {verb: "create", data: .}),
        (.rounds // [] | to_entries[] | {verb: "round-register", data: (.value + {round: .key})}),
        (.verdicts // [] | .[] | {verb: "verdict-register", data: .})' "$record" |
        while read -r step; do
            verb=$(printf '%s' "$step" | jq -r .verb)
            printf '%s' "$step" | jq -c --arg id "${id-}" '.data + if .verb == "create" then {} else {dialogue_id: $id} end' \
                >request.json
            "$conclave" dialogue "$verb" --json --data @request.json >"$out" 2>"$err" || return 1
            [ "$verb" != create ] || id=$(jq -r .dialogue_id "$out")
        done
}
register
ok $? "six dialogues"
run "one of them is abandoned" 0 dialogue abandon выбор-поставщика-муки --reason "The mill has closed" --json
run "nothing was indexed by writing" 0 verify --json

# ---- what is found first -----------------------------------------------------------------------------------------

# first QUERY WANTED [OPTION...]: the first hit is "dialogue id"; "-" when there is none.
first() {
    query=$1 wanted=$2
    shift 2
    "$conclave" dialogue search --json "$@" -- "$query" >"$out" 2>"$err"
    found=$(jq -r 'if .results == [] then "-" else .results[0] | .dialogue_id + " " + .id end' "$out")
    [ "$found" = "$wanted" ] || { echo "#   found: $found"; jq -c . "$out" | head -c 1500 | sed 's/^/#   /'; sed 's/^/#   /' "$err"; }
    [ "$found" = "$wanted" ]
    ok $? "$query $*: $wanted"
}

cache=cache-eviction-for-the-catalogue fund=hedging-the-income-fund baker=offnungszeiten-der-backerei
cafe=resume-screening-at-the-cafe
# words, stems, titles before bodies
first "cache eviction" "$cache $cache"
first "segment" "$cache R0001"
first "caches evicting" "$cache $cache"
first "hedge" "$fund $fund"
first "hedges" "$fund $fund"
first "collaring losses" "$fund P0001"
first "trustee" "$fund T0002"
first "supervised option" "$fund T0002"
first "replay log" "$cache final"
first "thundering herd" "$cache muffin"
first "distribute" "$fund $fund"
first "month" "$cache final"
first "complexity" "$fund 0"
# marks and case
first "resume" "$cafe $cafe"
first "NAIVE" "$cafe P0001"
first "malaga" "$cafe P0001"
first "Offnungszeiten" "$baker $baker"
first "BÄCKEREI" "$baker $baker"
first "brotchen" "$baker P0001"
# phrases, prefixes, exclusions, alternatives
first '"income now"' "$fund T0001"
first '"now income"' "-"
first '"least recently used"' "$cache P0001"
first 'operat*' "$cafe P0002"
first 'apprec*' "$fund T0001"
first 'income -growth' "$fund $fund"
first 'income NOT fund NOT growth' "-"
first 'zebra OR sourdough OR Sauerteig' "$baker P0001"
first 'collar AND phased AND quarter' "$fund R0001"
# ids
first "T0002" "$fund T0002"
first "SCONE-E0101" "$fund E0101"
! on_sqlite || first "cupcake-p0001" "$fund P0002" # an id of several dialogues: the order is the engine's
first "CUPCAKE-P0001" "$fund P0002" --dialogue-id "$fund"
first "E0101" "$fund E0101"
# other scripts
first "поставщик" "выбор-поставщика-муки P0001"
first "качество муки" "выбор-поставщика-муки P0001"
first "データベース" "データベースの選定 データベースの選定"
first "不要" "データベースの選定 P0001"
first "运维成本" "データベースの選定 C0001"
first "SQLite" "データベースの選定 P0001"
# filters
first "options" "$cafe T0001" --kinds tension --statuses open --expert scone --dialogue-id $cafe
first "options" "$fund T0002" --kinds T --statuses open
first "simplicity" "$cache T0001" --statuses resolved
first "hedge" "$fund V01" --kinds verdict
first "the" "$cache final" --kinds verdict --statuses final
first "board" "$fund 1" --kinds round
first "cache" "$cache muffin" --kinds response
first "collar" "$fund E0101" --expert SCONE --kinds E
run "a filter that leaves nothing" 0 dialogue search hedge --kinds round --statuses dissent --json
is '.count == 0 and .warnings[0].type == "filtered_out" and (.warnings[0].message | test("^without .kinds., .statuses. there are hits: .*evidence [(]cited[)]"))'
run "a status that is none" 1 dialogue search options --statuses opne --expert nobody --dialogue-id "$fund" --json
is '[.errors[] | .field] == ["statuses", "expert"] and .errors[0].suggestion == "did you mean '"'open'"'?"'
run "statuses of rounds, dialogues and verdicts" 0 dialogue search hedge --statuses completed,converged,dissent
# typos and nonsense find nothing, and are not errors
first "zzzgarble" "-"
first "colalr" "-"
first "hedgign" "-"
first "🧁" "-"
first "..." "-"
first "-income" "-"

# ---- the answer --------------------------------------------------------------------------------------------------

run "nothing has all the words" 0 dialogue search "zebra collar" --json
is '.match == "any" and .query == "zebra collar" and .count > 0'
run "a page" 0 dialogue search collar --limit 2 --json
is '.count == 2 and .next == 2'
jq -c '[.results[] | [.dialogue_id, .id]]' "$out" >pages
run "there are more, for people" 0 dialogue search collar --limit 2
has "more: --after 2"
run "the next page" 0 dialogue search collar --limit 2 --after 2 --json
jq -c '[.results[] | [.dialogue_id, .id]]' "$out" >>pages
run "both pages at once" 0 dialogue search collar --limit 4 --json
[ "$(jq -c '[.results[] | [.dialogue_id, .id]]' "$out")" = "$(jq -cs 'add' pages)" ]
ok $? "pages follow each other"
run "behind the last page" 0 dialogue search collar --after 100 --json
is '.count == 0 and .match == "all" and has("next") == false'
run "the last page of any" 0 dialogue search "zebra collar" --after 2 --limit 1 --json
is '.count == 1 and .match == "any"'
run "all members of a hit" 0 dialogue search "thundering OR supervise" --json
! on_sqlite || golden search/hits.json # the scores are the engine's
run "for people" 0 dialogue search '"phased collar" OR nightly' --limit 3
! on_sqlite || golden search/hits.txt # the scores are the engine's
run "only exclusions" 0 dialogue search --json -- "-tax -collar"
is '.results == [] and .warnings[0].type == "nothing_to_search" and (.warnings[0].message | startswith("all words"))'
run "no word at all" 0 dialogue search "🧁 … !" --json
is '.results == [] and .query == "" and .warnings[0].type == "nothing_to_search"'
run "the text's own brackets" 0 dialogue search malaga --json
is '.results[0].snippet | contains("[brackets]") and contains("⟦Málaga⟧")'

# ---- odd queries -------------------------------------------------------------------------------------------------

run "an open quote" 0 dialogue search --json '"phased collar'
is '.query == "\"phased collar\"" and [.results[].id] == ["V01", "R0001"]'
for query in 'NEAR(collar fund)' 'title:collar' '^collar' 'collar AND' 'OR OR' 'AND' 'NOT' '(collar' 'collar)' '{title} : x' \
    'a + b' '"' '""' '*' '-' '--' '" * "' "'; DROP TABLE dialogues; --" 'col*lar' '\\' 'x NOT' '☃ ½ ²' 'eÌ'; do
    run "odd: $query" 0 dialogue search --json -- "$query"
done
run "a bell and an escape" 0 dialogue search --data '{"query": "\u0007collar\u001b \u007f"}' --json
is '.query == "collar" and .results != []'
awk 'BEGIN { for (i = 0; i < 10000; i++) printf "collar%d ", i }' | jq -Rs '{query: .}' >long.json
run "a hundred thousand bytes" 0 dialogue search --data @long.json --json
is '.warnings[0] == {"type": "query_shortened", "message": "only the first 64 words are searched; 9936 more are left out"}'
command jq -c '.query *= 3' long.json >longer.json
run "even longer" 1 dialogue search --data @longer.json --json
is '.error_code == "invalid_value" and .field == "query"'
run "no query" 1 dialogue search --json
is '.error_code == "missing_field" and .field == "query"'
run "an unknown kind" 1 dialogue search x --kinds tensio --json
is '.error_code == "invalid_value"'
run "an unknown dialogue" 1 dialogue search x --dialogue-id hedging-the-incom-fund --json
is '.error_code == "dialogue_not_found" and (.suggestion | contains("hedging-the-income-fund"))'
run "an unknown expert" 1 dialogue search x --dialogue-id "$fund" --expert cupcak --json
is '.error_code == "unknown_expert" and (.suggestion | contains("cupcake"))'
run "an expert of no dialogue" 1 dialogue search collar --expert nobody --json
is '.error_code == "unknown_expert" and .field == "expert"'
run "an expert who said nothing of it" 0 dialogue search nosuchword --expert cupcake --json
is '.count == 0'
run "the judge" 0 dialogue search collar --expert judge --json
is '[.results[].kind] == ["verdict"]'

# ---- what changes ------------------------------------------------------------------------------------------------

run "a label is corrected" 0 dialogue update "$fund" --json \
    --updates '[{"id": "R0001", "label": "Staggered collar", "content": "A quarter each season.", "reason": "clearer"}]'
first "staggered" "$fund R0001"
first "season" "$fund R0001"
first "quarter" "$fund R0001"
first "third limits" "-"
run "who corrected it, and why" 0 dialogue search season --json
is '.results[0].correction == {"by": ["judge"], "reason": "clearer"}'
run "others are as they were" 0 dialogue search "income" --json
is '[.results[] | select(.correction)] == []'
run "for people" 0 dialogue search season
has "corrected by judge: clearer" out
run "a search in all rooms says so, too" 0 search season --json
is '[.results[] | select(.id == "R0001")][0].changed == {"by": ["judge"], "reason": "clearer"}'
run "… and only of that" 0 search "income" --json
is '.count > 0 and [.results[] | select(.changed)] == []'
run "… and to people" 0 search season
has "corrected by judge: clearer" out

# ---- likeness ----------------------------------------------------------------------------------------------------

run "like a question" 0 dialogue similar "Should our pension trustees use options to protect the income?" --json
! on_sqlite || golden search/similar.json # the scores are the engine's
run "for people" 0 dialogue similar "Should our pension trustees use options to protect the income?"
! on_sqlite || golden search/similar.txt # the scores are the engine's
run "without the likest" 0 dialogue similar "Should our pension trustees use options to protect the income?" --exclude "$fund" --json
is '[.dialogues[].dialogue_id] | index("hedging-the-income-fund") == null'
run "in another script" 0 dialogue similar "注文データを保存するデータベースは？" --limit 1 --json
is '.dialogues[0].dialogue_id == "データベースの選定"'
run "an abandoned one counts too" 0 dialogue similar "поставщика муки менять" --json
is '.dialogues[0].status == "abandoned"'
run "one word in common is chance" 0 dialogue similar "How do trustees breed zebras in captivity?" --json
is '.dialogues == []'
run "a question of empty words" 0 dialogue similar "What is it?" --json
is '.words == [] and .dialogues == [] and .warnings[0].type == "nothing_to_search"'
run "no question" 1 dialogue similar --json
is '.error_code == "missing_field" and .field == "question"'

# ---- what experts said besides items -----------------------------------------------------------------------------

printf 'A walrus would not object.\n\n[MUFFIN-P0001: Cheap]\nIt is.\n' >walrus.md
run "a dialogue" 0 dialogue create "Of shoes and ships" --json --data "$experts"
run "a response with a position" 0 dialogue respond of-shoes-and-ships --expert muffin --content @walrus.md --json
run "its round" 0 dialogue round-register of-shoes-and-ships --round 0 --use-draft --score 1 --json
run "its position is a hit of its own" 0 dialogue search walrus --json
is '[.results[] | [.kind, .id, .round]] | sort == [["position", "muffin", 0], ["response", "muffin", 0]]'
first "walrus" "of-shoes-and-ships muffin" --kinds position --expert muffin
run "what is under a mark is not in it" 0 dialogue search cheap --kinds position --json
is '.results == []'

project empty
run "an empty record" 0 dialogue search anything --json
is '.results == [] and .count == 0 and .warnings == []'
run "like nothing" 0 dialogue similar "Has this been asked before?" --json
is '.dialogues == []'
finish
