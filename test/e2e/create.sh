#!/bin/sh
# create.sh - dialogues and who takes part in them: create, list, get, expert-create, panel-sample, evolve-panel, abandon.
. "$(dirname "$0")/lib.sh"
export CV_CHECK_REPLIES=1

# op NAME STATUS VERB JSON: an operation with its request as JSON.
op() {
    op_name=$1 op_status=$2 op_verb=$3
    printf '%s' "$4" >"$work/request.json"
    run "$op_name" "$op_status" dialogue "$op_verb" --data "@$work/request.json" --json
}

# same NAME A B
same() {
    [ "$2" = "$3" ] || printf '#   %s\n#   %s\n' "$2" "$3"
    [ "$2" = "$3" ]
    ok $? "$1"
}

pool='{"domain": "Investment", "question": "Swap?", "experts": [
    {"role": "Value Analyst", "tier": "core", "relevance": 0.95, "focus": "Intrinsic value"},
    {"role": "Risk Manager", "tier": "CORE", "relevance": 0.9},
    {"role": "Options Strategist", "tier": "Adjacent", "relevance": 0.7, "color": "#10B981"},
    {"role": "Tax Lawyer", "tier": "adjacent", "relevance": 0.6, "slug": "Scone"},
    {"role": "Historian", "tier": "wildcard", "relevance": 0.3},
    {"role": "Poet", "tier": "Wildcard", "relevance": 0.2}]}'

project

# Errors speak of options where options were given, and of fields where JSON was.
run "a required option" 1 dialogue expand
has "conclave: --dialogue-id is required" err
run "options in an advice" 1 mail claim
has "give --agent, or act as an agent" err
run "a second response" 1 dialogue respond
has "conclave: --expert is required" err
run "fields for programs" 1 dialogue expand --json
is '[.errors[]?, .] | any(.field == "dialogue_id" and .message == "\u0027dialogue_id\u0027 is required: which dialogue")'


# ---- create ------------------------------------------------------------------------------------------

op "create" 0 create '{"title": "NVIDIA Investment Analysis", "question": "Swap NVAI for NVDA?", "seed": 7,
    "background": {"subject": "Acme Family Trust", "constraints": {"income": "4%"}}, "panel_size": 4, "expert_pool": '"$pool"'}'
golden_json create/create.json
is '.dialogue.output_dir == ".conclave/dialogues/nvidia-investment-analysis"'
is '[.panel[].tier] == ["Core", "Adjacent", "Adjacent", "Wildcard"]'
is '.judge_protocol.instructions | contains("[MOVE:CONVERGE]") and contains("round-register")'
is '.rev == 1'
is 'has("text") | not'
printf '{"title": "Files", "question": "Where do\\n generated files go?", "op_id": "f", "seed": 7, "panel_size": 4, "expert_pool": %s}' "$pool" >"$work/request.json"
run "create, for people" 0 dialogue create --data "@$work/request.json"
golden create/create.txt
cp "$out" "$work/first"
run "create, for people, once more" 0 dialogue create --data "@$work/request.json"
{ cat "$work/first" && echo "nothing was written now: the record has this already (replayed)"; } | cmp -s "$out" -
ok $? "$name: the same, and that it is"
run "create, once more as JSON" 0 dialogue create --data "@$work/request.json" --json
is '.replayed and (has("text") | not)'
run "create without a pool, for people" 0 dialogue create "Alone"
golden create/alone.txt

run "a pool without a panel, for people" 0 dialogue create "Unseated" --panel-size 0 --expert "Brewer: malt" --expert Cooper
has "next:     conclave dialogue evolve-panel unseated --round 0 --add Brewer,Cooper"
run "… progress says the same" 0 dialogue progress unseated
has "There is no panel: seat it."
has "conclave dialogue evolve-panel unseated --round 0 --add Brewer,Cooper"
run "… prompts, too" 1 dialogue round-prompts unseated
has "'conclave dialogue evolve-panel' seats a panel" err
run "… and so does a run" 1 run unseated --agent cat
has "round 0 has no panel; 'conclave dialogue progress' names the command that seats one" err
run "… and round-verify" 0 dialogue round-verify unseated
has "Round 0 of unseated has no panel."
has "progress unseated"
run "… which is a command that works" 0 dialogue evolve-panel unseated --round 0 --add Brewer,Cooper --json
is '[.panel[].role] == ["Brewer", "Cooper"]'
run "an expert without a seat" 0 dialogue expert-create unseated --role Eater --tier Core --reason "somebody must"
has "--round 0 --add scone"

op "only a title" 0 create '{"title": "Plain"}'
is '.panel == [] and .warnings[0].type == "no_pool" and .dialogue.rotation == "graduated"'
op "a small pool" 0 create '{"title": "Small", "expert_pool": {"domain": "d", "experts": [
    {"role": "A", "tier": "Core", "relevance": 1}]}}'
is '.warnings[0].type == "small_pool" and .panel[0].slug == "muffin" and .selection.draws[0].probability == 1'
op "no wildcard" 0 create '{"title": "Tame", "expert_pool": {"domain": "d", "experts": [{"role": "A", "tier": "Core", "relevance": 0},
    {"role": "B", "tier": "Core", "relevance": 0}, {"role": "C", "tier": "Core", "relevance": 0}]}}'
is '.warnings[0].type == "no_wildcard" and (.panel | length) == 3'
op "twenty-five experts" 0 create "$(jq -n '{title: "Crowd", panel_size: 25, expert_pool: {domain: "d", experts:
    [range(25) | {role: "Expert \(.)", tier: (["Core", "Adjacent", "Wildcard"][. % 3]), relevance: 0.5}]}}')"
is '[.panel[].slug] | .[19:] == ["religieuse", "pastry21", "pastry22", "pastry23", "pastry24", "pastry25"]'
op "the usual size" 0 create "$(jq -n '{title: "Usual", expert_pool: {domain: "d", experts:
    [range(30) | {role: "Expert \(.)", tier: (["Core", "Adjacent", "Wildcard"][. % 3]), relevance: 0.5}]}}')"
is '.dialogue.panel_size == 12 and .selection.tier_split == {"Core": 4, "Adjacent": 5, "Wildcard": 3}'

op "calibrated" 0 create '{"title": "Calibrated", "convergence_target": 0.8, "strict_convergence": true, "rotation": "wildcards",
    "calibration": {"domain": "Fiduciary", "ethos_id": "ethos-1", "rules": [{"seq": 1, "label": "Cite"}], "prompt_injection": "## Rules"}}'
is '.dialogue | .calibrated and .ethos_id == "ethos-1" and .convergence_target == 0.8 and .strict_convergence'
is '.judge_protocol | .convergence.target == 0.8 and .convergence.strict and (.instructions | contains("## Calibration"))'

# The same seed gives the same panel under another id; an id of its own gives the seed when there is none.
op "the same seed" 0 create '{"title": "Another", "seed": 7, "panel_size": 4, "expert_pool": '"$pool"'}'
same "the same seed gives the same panel" "$(jq -c '[.panel[].role]' "$out")" \
    "$(jq -c '[.panel[].role]' "$root/test/golden/create/create.json")"
op "no seed" 0 create '{"title": "Seedless", "expert_pool": '"$pool"'}'
is '.dialogue.seed == .selection.seed and .dialogue.seed > 0'

# ---- ids ---------------------------------------------------------------------------------------------

op "a taken title" 0 create '{"title": "NVIDIA: investment analysis!"}'
is '.dialogue_id == "nvidia-investment-analysis-2"'
op "insisting on a taken id" 1 create '{"title": "NVIDIA investment analysis", "expect_rev": 0}'
golden_json create/taken.json
op "insisting on a free id" 0 create '{"title": "Free", "expect_rev": 0}'
op "with an op_id" 0 create '{"title": "Once", "op_id": "op-1"}'
op "the same op_id again" 0 create '{"title": "Once", "op_id": "op-1"}'
is '.dialogue_id == "once" and .replayed and .rev == 1'
op "the same op_id for something else" 1 create '{"title": "Once", "question": "Why?", "op_id": "op-1"}'
is '.error_code == "op_id_conflict"'
own=rev-2-$(printf '%064d' 0)
op "an op_id of the form that writes without one get" 1 create '{"title": "Ahead", "op_id": "'"$own"'"}'
is '.error_code == "invalid_value" and .field == "op_id"'
op "one that only begins like it" 0 create '{"title": "Ahead", "op_id": "rev-2"}'
is '.dialogue_id == "ahead"'
op "another op_id" 0 create '{"title": "Once", "op_id": "op-2"}'
is '.dialogue_id == "once-2"'
op "the first op_id is still known" 0 create '{"title": "Once", "op_id": "op-1"}'
is '.dialogue_id == "once" and .replayed'

for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    "$conclave" dialogue create "At once" --question "Who? $i" --json >"$work/parallel-$i" 2>&1 &
done
wait
same "16 at once get 16 ids" "$(cat "$work"/parallel-* | jq -r .dialogue_id | sort -t- -k3n | tr '\n' ' ')" \
    "at-once at-once-2 at-once-3 at-once-4 at-once-5 at-once-6 at-once-7 at-once-8 at-once-9 at-once-10 at-once-11 at-once-12 at-once-13 at-once-14 at-once-15 at-once-16 "
for i in 1 2 3 4 5 6 7 8; do
    "$conclave" dialogue create "One op" --op-id one --json >"$work/one-$i" 2>&1 &
done
wait
same "8 at once with one op_id are one dialogue" "$(cat "$work"/one-* | jq -r .dialogue_id | sort | uniq -c | tr -s ' ')" " 8 one-op"
for i in 1 2 3 4 5 6 7 8; do
    "$conclave" dialogue create "Just now" --json >"$work/now-$i" 2>&1 &
done
wait
same "8 at once with the same content are one dialogue" "$(cat "$work"/now-* | jq -r '"\(.dialogue_id) \(.replayed // false)"' | sort | uniq -c | tr -s ' ' | tr '\n' ',')" \
    " 1 just-now false, 7 just-now true,"

seq 83 | xargs -P 2 -I '{}' "$conclave" dialogue create "At once" --question "Who else? {}" >/dev/null 2>&1
run "the hundredth of a title" 1 dialogue create "At once" --json
golden_json create/similar.json

# ---- titles of all kinds -----------------------------------------------------------------------------

op "emoji only" 0 create '{"title": "🧁💙"}'
is '.dialogue_id == "dialogue" and .title == "🧁💙"'
op "right to left" 0 create '{"title": "האם לעבור?"}'
is '.dialogue_id == "האם-לעבור"'
op "a path as a title" 0 create '{"title": "../../etc/passwd"}'
is '.dialogue_id == "etc-passwd"'
op "SQL and HTML" 0 create '{"title": "x'"'"'); DROP TABLE dialogues;--", "question": "<script>alert(1)</script>",
    "background": {"'"'"'; DROP TABLE experts": "<b>"}, "expert_pool": {"domain": "\"; --", "experts": [{"role": "Robert'"'"'); DROP TABLE",
    "tier": "Core", "relevance": 1, "focus": "<img src=x>", "description": "\\\"; SELECT 1"}]}}'
is '.dialogue_id == "x-drop-table-dialogues" and .panel[0].focus == "<img src=x>"'
run "they are only texts" 0 dialogue get x-drop-table-dialogues --json
is '.dialogue.question == "<script>alert(1)</script>" and .experts[0].description == "\\\"; SELECT 1"'
long=$(head -c 500 /dev/zero | tr '\0' 'a')
op "500 characters" 0 create '{"title": "'"$long"'"}'
is '.dialogue_id | length == 80'
op "500 characters again" 0 create '{"title": "'"$long"'", "question": "And now?"}'
is '.dialogue_id | length == 80 and endswith("a-2")'
op "10,000 characters" 1 create '{"title": "'"$(head -c 10000 /dev/zero | tr '\0' 'a')"'"}'
is '.error_code == "invalid_value" and .message == "expected at most 500 characters, found 10000"'
op "500 wide characters" 0 create '{"title": "'"$(printf '漢%.0s' $(seq 500))"'"}'
op "a blank title" 1 create '{"title": "  \t "}'
is '.error_code == "invalid_value" and .field == "title"'
op "a title of two lines" 1 create '{"title": "a\nb"}'
is '.field == "title"'
op "NUL" 1 create '{"title": "a\u0000b", "background": {"x": "\u0000"}}'
is '[.errors[].field] == ["title", "background.x"]'
op "numbers as strings, unknown fields" 1 create '{"title": "t", "panel_size": "4", "seed": "1", "colour": 1, "expert_pool": {"domain": "d",
    "experts": [{"role": "A", "tier": "Core", "relevance": "0.5"}, {"role": "B", "tier": "Core", "relevance": 0.5, "focs": "x"}]}}'
golden_json create/types.json

op "faults of a pool, all at once" 1 create '{"title": "t", "panel_size": 9, "expert_pool": {"domain": " ", "experts": [
    {"role": "Value Analyst", "tier": "cor", "relevance": 0.5}, {"role": "value analyst", "tier": "Core", "relevance": 0.5},
    {"role": "C", "tier": "Core", "relevance": 0.5, "slug": "../x"}, {"role": "D", "tier": "Core", "relevance": 0.5, "slug": "Judge"},
    {"role": "E", "tier": "Core", "relevance": 0.5, "slug": "one", "color": "red"}, {"role": "", "tier": "", "relevance": 0.5, "slug": "ONE"}]}}'
golden_json create/pool-faults.json
op "relevance above 1" 1 create '{"title": "t", "expert_pool": {"domain": "d", "experts": [{"role": "A", "tier": "Core", "relevance": 1.5}]}}'
is '.field == "expert_pool.experts[0].relevance"'
op "a panel larger than its pool" 1 create '{"title": "t", "panel_size": 7, "expert_pool": '"$pool"'}'
is '.field == "panel_size" and .message == "the pool has 6 experts"'
op "two ethos ids" 1 create '{"title": "t", "ethos_id": "a", "calibration": {"ethos_id": "b"}}'
is '.field == "calibration.ethos_id"'
op "calibrated and not" 1 create '{"title": "t", "calibrated": false, "calibration": {"domain": "d"}}'
is '.field == "calibrated"'
op "too many experts" 2 create "$(jq -n '{title: "t", expert_pool: {domain: "d", experts:
    [range(501) | {role: "Expert \(.)", tier: "Core", relevance: 0.5}]}}')"
is '.error_code == "limit_exceeded" and .field == "expert_pool.experts"'
op "a deep background" 2 create "$(jq -n '{title: "t", background: (reduce range(33) as $i (1; {a: .}))}')"
is '.error_code == "limit_exceeded" and .field == "background"'
op "a large background" 2 create "$(jq -n '{title: "t", background: {a: ("x" * 1048576)}}')"
is '.error_code == "limit_exceeded" and .field == "background"'
op "nothing of that was written" 1 get '{"dialogue_id": "t"}'

op "a folder elsewhere, from the command line" 0 create '{"title": "Elsewhere", "output_dir": "../out/"}'
is '.dialogue.output_dir == "../out"'

# ---- expert-create -----------------------------------------------------------------------------------

d=nvidia-investment-analysis
op "expert-create" 0 expert-create '{"dialogue_id": "'$d'", "expert_slug": "Palmier", "role": "Geopolitical Risk Analyst", "tier": "adjacent",
    "description": "You look at supply chains.", "focus": "Taiwan", "creation_reason": "T0003 needs it", "color": "#3B82F6"}'
golden_json create/expert.json
op "the same again" 0 expert-create '{"dialogue_id": "'$d'", "expert_slug": "Palmier", "role": "Geopolitical Risk Analyst", "tier": "adjacent",
    "description": "You look at supply chains.", "focus": "Taiwan", "creation_reason": "T0003 needs it", "color": "#3B82F6"}'
is '.replayed and .rev == 2'
op "the next free name" 0 expert-create '{"dialogue_id": "'$d'", "role": "Ethicist", "tier": "Wildcard", "reason": "r", "relevance": 0.5}'
is '.expert | .expert_slug == "donut" and .relevance == 0.5 and .first_round == 0'
op "faults of an expert" 1 expert-create '{"dialogue_id": "'$d'", "slug": "MUFFIN", "role": "x\ny", "tier": "Wild", "reason": "r", "color": "blue"}'
golden_json create/expert-faults.json
op "a slug with a path" 1 expert-create '{"dialogue_id": "'$d'", "expert_slug": "../muffin", "role": "r", "tier": "Core", "reason": "r"}'
is '.field == "expert_slug"'
op "the judge" 1 expert-create '{"dialogue_id": "'$d'", "expert_slug": "JUDGE", "role": "r", "tier": "Core", "reason": "r"}'
is '.message | contains("reserved")'
op "without a reason" 1 expert-create '{"dialogue_id": "'$d'", "role": "r", "tier": "Core"}'
is '.error_code == "missing_field" and .field == "reason"'
op "an old rev" 1 expert-create '{"dialogue_id": "'$d'", "role": "r", "tier": "Core", "reason": "r", "expect_rev": 1}'
is '.error_code == "rev_conflict"'
op "no such dialogue" 1 expert-create '{"dialogue_id": "nvidia-investment-analysi", "role": "r", "tier": "Core", "reason": "r"}'
is '.error_code == "dialogue_not_found" and (.suggestion | contains("nvidia-investment-analysis"))'

# ---- panels ------------------------------------------------------------------------------------------

op "a dialogue of four" 0 create '{"title": "Four", "expert": ["Baker: dough", "Seller: price", "Miller: flour", "Eater: taste"]}'
op "its panel is replaced" 0 evolve-panel '{"dialogue_id": "four", "round": 0, "drop": ["cupcake"]}'
is '.unseated == ["cupcake"] and [.panel[].slug] == ["muffin", "scone", "eclair"] and [.panel[].focus] == ["dough", "flour", "taste"] and .from_pool == 3'
op "and once more" 0 evolve-panel '{"dialogue_id": "four", "round": 0, "drop": ["scone", "muffin"], "add": ["Seller"]}'
is '.unseated == ["muffin", "scone"] and [.panel[].slug] == ["eclair", "cupcake"]'
op "it is seen" 0 get '{"dialogue_id": "four"}'
is '[.panel[].slug] == ["eclair", "cupcake"] and .convergence.missing_experts == ["eclair", "cupcake"]'
for way in respond:expert round-prompts:experts verdict-register:author_expert evolve-panel:drop search:expert; do
    case $way in
    respond*) rest='"content": "x", "expert": "Miller"' ;;
    round-prompts*) rest='"experts": ["miller"]' ;;
    verdict*) rest='"verdict_id": "m", "verdict_type": "dissent", "recommendation": "r", "description": "d", "author_expert": "MILLER"' ;;
    evolve*) rest='"round": 0, "drop": ["Millar"]' ;;
    search*) rest='"query": "flour", "expert": "miller"' ;;
    esac
    op "${way%:*}: a role is no name" 1 ${way%:*} '{"dialogue_id": "four", '"$rest"'}'
    is '[.errors[]?, .] | any(.suggestion // "" | ascii_downcase | contains("did you mean '"'scone'"', the miller?"))'
done
op "in a round: a role is no name" 1 round-register '{"dialogue_id": "four", "round": 0, "score": 1, "expert_scores": {"miller": 1},
    "moves": [{"expert": "Eater", "type": "converge"}], "perspectives": [{"local_id": "ECLAIR-P0001", "label": "l", "content": "c", "contributors": ["Seller"]}]}'
is '[.errors[] | select(.error_code == "unknown_expert").suggestion] == ["Did you mean '"'cupcake'"', the Seller?", "Did you mean '"'eclair'"', the Eater?", "Did you mean '"'scone'"', the Miller?"]'
run "a role is no name in all dialogues" 1 dialogue search flour --expert miller --json
is '.error_code == "unknown_expert" and (.suggestion | ascii_downcase | contains("did you mean '"'scone'"', the miller?"))'
run "nor of an expert" 1 dialogue experts --expert miller --json
is '.error_code == "unknown_expert" and (.suggestion | ascii_downcase | contains("did you mean '"'scone'"', the miller?"))'
op "who sits now has to agree" 0 create '{"title": "Change", "expert": ["Baker: dough", "Seller: price"]}'
op "the first panel agrees" 0 round-register '{"dialogue_id": "change", "round": 0, "score": 1, "moves": [{"expert": "muffin", "type": "converge"}, {"expert": "cupcake", "type": "converge"}]}'
is '.convergence.percentage == 100 and .convergence.converged'
op "an expert joins" 0 expert-create '{"dialogue_id": "change", "expert_slug": "scone", "role": "Miller", "tier": "Core", "creation_reason": "flour"}'
op "and gets a seat" 0 evolve-panel '{"dialogue_id": "change", "round": 1, "add": ["scone"]}'
for way in get progress show; do
    op "$way: a new expert has not agreed" 0 $way '{"dialogue_id": "change"}'
    is '.convergence.percentage == 66 and (.convergence.converged | not)'
done
op "somebody answers" 0 respond '{"dialogue_id": "four", "expert": "eclair", "no_contribution": true}'
op "then it stands" 1 evolve-panel '{"dialogue_id": "four", "round": 0, "add": ["muffin"]}'
golden_json create/panel-exists.json
run "replaced panels verify" 0 verify --room dialogue --scope four --json
run "they are exported" 0 export-scope dialogue four --output four.json
jq '.. | objects | select(has("seat")) | .seat' four.json >"$out"
name="the seats of a replaced panel"
is '.fields == ["rev", "round", "expert_slug", "position", "source", "focus"] and ([.rows[] | .[1:4]] == [[0, "cupcake", 2], [0, "eclair", 1], [0, "muffin", null], [0, "scone", null]])'
run "as a document, too" 0 dialogue export four --output-path four-document.json
(mkdir four-scope four-document && cd four-scope && "$conclave" init . && "$conclave" import-scope ../four.json && "$conclave" export-scope dialogue four --output four.json &&
    cd ../four-document && "$conclave" init . && "$conclave" import ../four-document.json && "$conclave" dialogue export four --output-path four-document.json) >/dev/null 2>&1
for copy in four-scope/four.json four-document/four-document.json; do
    cmp -s "${copy#*/}" $copy
    ok $? "${copy%/*}: a copy of it is equal"
    (cd "${copy%/*}" && "$conclave" verify --json && "$conclave" dialogue get four --json) >"$out" 2>&1
    name=${copy%/*}
    is 'select(.panel) | [.panel[].slug] == ["eclair", "cupcake"]'
done
op "a round too early" 1 evolve-panel '{"dialogue_id": "'$d'", "round": 1, "panel": [{"slug": "muffin", "source": "retained"}]}'
is '.error_code == "round_out_of_order"'
op "round 0 is registered" 0 round-register '{"dialogue_id": "'$d'", "round": 0, "score": 5, "expert_scores": {"muffin": 5}}'

op "the last panel stands" 0 panel-sample '{"dialogue_id": "'$d'"}'
is '.round == 1 and [.panel[].source] == ["retained", "retained", "retained", "retained"] and .selection.draws == []'
op "a sample" 0 panel-sample '{"dialogue_id": "'$d'", "round": 1, "retain": ["Muffin", "tax lawyer"], "exclude": ["donut"], "panel_size": 5, "seed": 3}'
golden_json create/sample.json
jq -c '{dialogue_id: "'$d'", round: 1, panel}' "$out" >"$work/proposal"
op "the same sample again" 0 panel-sample '{"dialogue_id": "'$d'", "round": 1, "retain": ["Muffin", "tax lawyer"], "exclude": ["donut"], "panel_size": 5, "seed": 3}'
golden_json create/sample.json
op "faults of a sample" 1 panel-sample '{"dialogue_id": "'$d'", "retain": ["mufin"], "exclude": ["nobody at all"]}'
golden_json create/sample-faults.json
op "retained and excluded" 1 panel-sample '{"dialogue_id": "'$d'", "retain": ["muffin"], "exclude": ["MUFFIN"]}'
op "fewer seats than stay" 1 panel-sample '{"dialogue_id": "'$d'", "panel_size": 2}'
is '.field == "panel_size"'
op "a sample of a registered round" 1 panel-sample '{"dialogue_id": "'$d'", "round": 0}'
is '.error_code == "round_already_registered"'

run "names with commas are a panel" 1 dialogue evolve-panel $d --round 1 --panel "muffin, nobody" --json
is '[.errors[]?, .] | map(select(.field == "panel[1].slug")) | any(.error_code == "unknown_expert")'
is '[.errors[]?, .] | all(.field != "panel[0].slug")'
op "faults of a panel, all at once" 1 evolve-panel '{"dialogue_id": "'$d'", "round": 1, "panel": [
    {"slug": "Muffin", "source": "retained"},
    {"slug": "scone", "role": "Poet", "source": "retained"},
    {"slug": "muffn", "source": "retained"},
    {"slug": "palmier", "source": "retained"},
    {"slug": "muffin", "source": "retained"},
    {"role": "Philosopher", "source": "pool"},
    {"slug": "palmier", "source": "pool"},
    {"slug": "churro", "source": "created"},
    {"slug": "muffin", "source": "created"},
    {"slug": "muffin", "tier": "Wildcard", "source": "retained"},
    {"name": "judge", "source": "created", "role": "r", "tier": "Core", "reason": "r"},
    {"source": "retained"}]}'
golden_json create/panel-faults.json
op "an empty panel" 1 evolve-panel '{"dialogue_id": "'$d'", "round": 1, "panel": []}'
op "an unknown source" 1 evolve-panel '{"dialogue_id": "'$d'", "round": 1, "panel": [{"slug": "muffin", "source": "retaind"}]}'
is '.suggestion == "did you mean '"'retained'"'?"'
op "the same member of the pool twice" 1 evolve-panel '{"dialogue_id": "'$d'", "round": 1, "panel": [{"role": "Poet", "source": "pool"},
    {"role": "poet", "source": "pool"}, {"role": "Historian", "source": "pool"}]}'
is '.message | contains("sits twice")'

op "the proposal is taken as it is" 0 evolve-panel "$(cat "$work/proposal")"
is '.rev == 5 and .panel_size == 5'
op "round 1 is registered" 0 round-register '{"dialogue_id": "'$d'", "round": 1, "score": 3, "expert_scores": {"muffin": 3}}'
op "who sat, who comes, who is new" 0 evolve-panel '{"dialogue_id": "'$d'", "round": 2, "panel": [
    {"name": "Muffin", "source": "retained", "focus": "Cash flow"}, {"slug": "scone", "source": "pool"},
    {"slug": "donut", "source": "created"}, {"role": "Jurist", "tier": "wildcard", "reason": "T0101", "source": "created"}]}'
golden_json create/panel.json
op "the same panel again" 0 evolve-panel '{"dialogue_id": "'$d'", "round": 2, "panel": [
    {"name": "Muffin", "source": "retained", "focus": "Cash flow"}, {"slug": "scone", "source": "pool"},
    {"slug": "donut", "source": "created"}, {"role": "Jurist", "tier": "wildcard", "reason": "T0101", "source": "created"}]}'
is '.replayed'
op "round 2 is registered" 0 round-register '{"dialogue_id": "'$d'", "round": 2, "score": 0}'
op "who leaves must sit, who comes must be known and not sit" 1 evolve-panel '{"dialogue_id": "'$d'", "round": 3, "drop": ["poet", "cupcake"],
    "add": ["Jurists", "scone"]}'
is '[.errors[].field] == ["drop[0]", "drop[1]", "add[0]", "add[1]"]'
op "not beside a whole panel" 1 evolve-panel '{"dialogue_id": "'$d'", "round": 3, "drop": ["muffin"], "panel": [{"slug": "scone", "source": "retained"}]}'
is '.field == "panel"'
op "somebody must sit" 1 evolve-panel '{"dialogue_id": "'$d'", "round": 3}'
is '.field == "panel" and .error_code == "missing_field"'
op "and stay" 1 evolve-panel '{"dialogue_id": "'$d'", "round": 3, "drop": ["muffin", "scone", "donut", "eclair", "brioche", "croissant"]}'
run "names with commas between them" 0 dialogue evolve-panel $d --round 3 --drop "Muffin, donut" --add "cupcake,poet" --json
is '.unseated == ["muffin", "donut"] and ([.panel[].slug] | index("muffin") | not) and ([.panel[].slug] | contains(["scone", "cupcake"])) and
    ([.panel[] | select(.role == "Poet")] | length == 1) and .panel_size == 4'

run "a dialogue without experts" 0 dialogue create Alone-yet --json
run "an expert without a seat" 0 dialogue expert-create alone-yet --role Poet --tier Core --reason r --json
slug=$(jq -r .expert.expert_slug "$out")
run "the next step gives a seat" 0 dialogue progress alone-yet --json
is '.next_step.command == "conclave dialogue evolve-panel alone-yet --round 0 --add '"$slug"'"'
run "it can be typed" 0 dialogue evolve-panel alone-yet --round 0 --add "$slug"

op "a dialogue without a first panel" 0 create '{"title": "Judge decides", "panel_size": 0, "expert_pool": '"$pool"'}'
is '.panel == [] and (.judge_protocol.instructions | contains("There is no panel yet"))'
op "its panel is the judge's" 0 evolve-panel '{"dialogue_id": "judge-decides", "round": 0, "panel": [
    {"role": "poet", "source": "pool", "slug": "Churro"}, {"role": "Tax Lawyer", "source": "pool"}, {"role": "Historian", "source": "pool"}]}'
is '[.panel[] | [.slug, .role]] == [["churro", "Poet"], ["scone", "Tax Lawyer"], ["muffin", "Historian"]]'

for mode in none wildcards full; do
    op "rotation $mode" 0 create '{"title": "Rotation '$mode'", "rotation": "'$mode'", "seed": 1, "panel_size": 4, "expert_pool": '"$pool"'}'
    first=$(jq -c '[.panel[] | select(.tier != "Wildcard").slug]' "$out")
    wild=$(jq -c '[.panel[] | select(.tier == "Wildcard").role]' "$out")
    op "rotation $mode: round 0" 0 round-register '{"dialogue_id": "rotation-'$mode'", "round": 0, "score": 1}'
    op "rotation $mode: sample" 0 panel-sample '{"dialogue_id": "rotation-'$mode'"}'
    case $mode in
    none) is '.selection.draws == [] and (.panel | length) == 4' ;;
    wildcards)
        is "[.panel[] | select(.tier != \"Wildcard\").slug] == $first"
        is "[.panel[] | select(.tier == \"Wildcard\").role] != $wild and (.panel | length) == 4"
        ;;
    full) is '(.selection.draws | length) == 4' ;;
    esac
done

# ---- get, list, abandon --------------------------------------------------------------------------------

run "get" 0 dialogue get $d --json
command jq 'del(.position.head)' "$out" >"$work/laid" && mv "$work/laid" "$out"
golden_json create/get.json
run "get, nothing new" 0 dialogue get $d --since-rev 9 --json
is '. == {"status": "success", "dialogue_id": "nvidia-investment-analysis", "rev": 9, "changed": false}'
run "get, something new" 0 dialogue get $d --since-rev 3 --json
is '.changed and .counts.events > 0'

op "abandon" 0 abandon '{"dialogue_id": "plain", "reason": "leads nowhere"}'
is '.dialogue_status == "abandoned" and .rev == 2'
op "abandon again" 0 abandon '{"dialogue_id": "plain", "reason": "leads nowhere"}'
is '.replayed'
op "abandon for another reason" 1 abandon '{"dialogue_id": "plain", "reason": "really"}'
is '.error_code == "dialogue_closed"'
for verb in expert-create evolve-panel panel-sample respond; do
    case $verb in
    respond) rest='"round": 0, "expert": "nobody", "content": "x"' ;;
    expert-create) rest='"role": "r", "tier": "Core", "reason": "r"' ;;
    evolve-panel) rest='"round": 0, "panel": [{"source": "created", "role": "r", "tier": "Core", "reason": "r"}]' ;;
    panel-sample) rest='"round": 0' ;;
    esac
    op "$verb on an abandoned dialogue" 1 $verb '{"dialogue_id": "plain", '"$rest"'}'
    is '.error_code == "dialogue_closed"'
done

run "list" 0 dialogue list --status abandoned --json
is '[.dialogues[].dialogue_id] == ["plain"] and .count == 1 and (has("next") | not)'
run "a page" 0 dialogue list --limit 3 --json
is '.count == 3 and .next == .dialogues[2].dialogue_id'
after=$(jq -r .next "$out")
run "a page for people" 0 dialogue list --limit 3
has "more: --after $after"
run "the next page" 0 dialogue list --limit 1000 --after "$after" --json
is ".dialogues[0].dialogue_id > \"$after\" and (has(\"next\") | not)"

run "the record holds" 0 verify
run "a dialogue for two of a role" 0 dialogue create "Two lawyers" --json
run "the first" 0 dialogue expert-create two-lawyers --role "Tax Lawyer" --tier Core --reason "taxes" --json
is '.seated == false and [.warnings[].type] == ["no_seat"]'
run "another of the same role" 0 dialogue expert-create two-lawyers --role "tax  lawyer" --tier Core --reason "more taxes" --json
is '[.warnings[].type] == ["no_seat", "similar_role"]'

# ---- panel templates --------------------------------------------------------------------------------------

project panels
run "our panels" 0 dialogue panel-list
golden create/panel-list.txt
run "one of them" 0 dialogue panel-show architecture-review
golden create/panel-show.txt
if command -v script >/dev/null; then
    script -qec "stty cols 120; TERM=dumb '$conclave' dialogue panel-show architecture-review" /dev/null </dev/null 2>&1 | tr -d '\r' >"$out"
    golden create/panel-show-120.txt
fi
for panel in "$root"/panels/*.json; do
    panel=$(basename "$panel" .json)
    run "begun with $panel" 0 dialogue create "With $panel" --panel "$panel" --json
    is '.warnings == [] and (.panel | length) >= 6'
done
run "with more experts" 0 dialogue create "More" --panel hiring --expert "DBA: locks, and more" --expert Poet --json
is '[.panel[] | select(.role == "DBA" or .role == "Poet") | .focus] | sort == [null, "locks, and more"]'
run "experts alone" 0 dialogue create "Alone" --expert "Baker: crust" --expert "Miller: flour" --expert "Guest: taste" --json
is '[.panel[].role] | sort == ["Baker", "Guest", "Miller"]'
run "panel alone" 2 panel
has "try 'conclave panel sample', 'conclave panel list', 'conclave panel show'" err
run "in three words" 0 dialogue panel show hiring --json
is '.name == "hiring"'
run "an unknown panel" 1 dialogue create "No" --panel hirin
has "did you mean 'hiring'?" err
run "a panel and a pool" 1 dialogue create "No" --panel hiring --expert-pool "$pool" --json
is '.field == "panel"'
mkdir .conclave/panels
command jq '.domain = "Our own"' "$root/panels/hiring.json" >.conclave/panels/hiring.json
run "a panel of the project" 0 dialogue panel-show hiring --json
is '.domain == "Our own" and .source == ".conclave/panels/hiring.json" and .expert_count == 6'
printf '{"domain": "x",\n "experts": [{"role": "a", "tier": "Core", "relevance": 2}]}\n' >.conclave/panels/bad.json
run "a panel that is not sound" 1 dialogue create "No" --panel bad
has ".conclave/panels/bad.json:2:" err
has "relevance" err
printf '{"domain": ' >.conclave/panels/cut.json
printf '\377\000' >.conclave/panels/bytes.json
run "the others are listed" 0 panel list --json
is '[.panels[].name] == '"$(for f in "$root"/panels/*.json; do basename "$f" .json; done | jq -Rnc '[inputs] | sort')"
is '[.warnings[] | [.type, .id]] == [["broken_panel", "bad"], ["broken_panel", "bytes"], ["broken_panel", "cut"]] and all(.warnings[]; .message | startswith(".conclave/panels/"))'
run "the page" 0 panel list
has "warning: .conclave/panels/bad.json:2:"
has "architecture-review"
run "beside files that are none" 0 dialogue create "Beside" --panel architecture-review --json
for file in cut bytes; do
    run "$file is no panel" 2 panel show $file
    has ".conclave/panels/$file.json" err
done
finish
