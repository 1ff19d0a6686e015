#!/bin/sh
# progress.sh - where a dialogue stands, through the command line: the NVIDIA story as it goes on, as text and as JSON.
. "$(dirname "$0")/lib.sh"
story=$root/test/golden/story
project

# page NAME VERB ARGUMENT...: the text and the JSON of an answer as golden files.
page() {
    file=$1
    shift
    run "$file" 0 dialogue "$@"
    golden "progress/$file.txt"
    [ "$(grep -v '^  conclave ' "$out" | LC_ALL=C.UTF-8 wc -L)" -le 80 ] # a command is not cut
    ok $? "$file: not wider than 80 columns"
    run "$file as JSON" 0 dialogue "$@" --json
    is '.text == null'
    command jq 'del(.text)' "$out" >"$work/data" && mv "$work/data" "$out"
    golden "progress/$file.json"
}

# wide NAME VERB ARGUMENT...: the text on a terminal of 120 columns.
wide() {
    name="$1, 120 columns" file=$1
    shift
    command -v script >/dev/null || { skip "$name" "there is no script"; return; }
    script -qec "stty cols 120; TERM=dumb '$conclave' dialogue $*" /dev/null 2>&1 </dev/null | tr -d '\r' >"$out"
    [ "$(LC_ALL=C.UTF-8 wc -L <"$out")" -le 120 ]
    ok $? "$name: not wider"
    aged
    golden "progress/$file-120.txt"
}

# aged: ages in the last output are always the same.
aged() {
    sed -i -E 's/ *([a-z]+, [0-9]+ rounds?), ([0-9]+ [a-z]+ ago|now)$/ \1, AGE/' "$out"
}

run "create" 0 dialogue create --json --data @"$story/create.request.json"
page begun progress nvidia-decision
is '.current_round == null and .next_round == 0 and .estimate.rounds_left == null'
run "round 0" 0 dialogue round-register --json --data @"$story/round-0.request.json"
run "round 1" 0 dialogue round-register --json --data @"$story/round-1.request.json"
run "a geopolitical expert" 0 dialogue expert-create nvidia-decision --json --expert-slug Palmier \
    --role "Geopolitical Risk Analyst" --tier adjacent --reason "T0003"
run "takes a seat" 0 dialogue evolve-panel nvidia-decision --json --data @"$story/panel-2.request.json"
run "round 2" 0 dialogue round-register --json --data @"$story/round-2.request.json"
page show-under-way show nvidia-decision
is '.decision == null and (.convergence.blockers.tensions | length) == 3 and [.tensions[].since] == [2, 2, 2, 2]'
page under-way progress nvidia-decision
is '.convergence.converged == false and .convergence.blockers.experts == [] and (.convergence.blockers.tensions | length) == 3'
page scoreboard scoreboard nvidia-decision
is '[.rounds[].cumulative_score] == [45, 90, 147] and .warnings[0].type == "round_score_mismatch"'
page scoreboard-1 scoreboard nvidia-decision --round 1
is '.total_alignment == 90 and (.rounds | length) == 1'
run "final verdict" 0 dialogue verdict-register --json --data @"$story/final.request.json"
page decided progress nvidia-decision
is '.convergence.converged and .next_round == null and .estimate.rounds_left == 0'
COLUMNS=60 run "decided, 60 columns" 0 dialogue progress nvidia-decision
golden progress/decided-60.txt

# Across dialogues: a second one that goes on, a third that was given up.
for round in 0 1; do
    [ $round = 1 ] || run "another dialogue" 0 dialogue create --json --data @"$root/examples/bread/dialogue.json"
    run "its round $round" 0 dialogue round-register rye-or-wheat --json --data @"$root/examples/bread/round-$round.json"
done
COLUMNS=60 run "components, 60 columns" 0 dialogue scoreboard rye-or-wheat
golden progress/components-60.txt
run "a third one" 0 dialogue create "Given up" --json
run "is given up" 0 dialogue abandon given-up --reason "nobody came" --json
run "nobody waits for its round" 0 dialogue round-verify given-up
has "given-up was abandoned before round 0."
page compare compare nvidia-decision rye-or-wheat given-up
is '[.dialogues[].rounds_to_convergence] == [3, null, null] and .dialogues[0].verdict.vote == "5-0"'
is '[.shared_experts[].expert_slug] == ["cupcake", "muffin", "scone"]'
run "stats as JSON" 0 dialogue stats --json
is '.dialogues.by_status == {"open": 0, "converging": 1, "converged": 1, "abandoned": 1} and .open_tensions == 1'
is '.top_experts[0] == {"rank": 1, "expert_slug": "muffin", "dialogues": 2, "total_score": 54}'
is '[.recent[].dialogue_id] == ["given-up", "rye-or-wheat", "nvidia-decision"]'
run "stats" 0 dialogue stats
sed 's/^[0-9]\{4\}-[0-9][0-9]-[0-9][0-9] /YYYY-MM-DD /' "$out" >"$work/dated" && mv "$work/dated" "$out"
golden progress/stats.txt
run "stats of some" 0 dialogue stats --json --status converged --since 2026-01-01
is '.dialogues.total == 1 and .since == "2026-01-01T00:00:00.000Z" and .verdicts.by_type.final == 1'
run "stats of none" 0 dialogue stats --since 2999-12-31T23:59:59Z
golden progress/stats-none.txt
run "stats since no day" 1 dialogue stats --since 2026-02-30 --json
is '.error_code == "invalid_value" and .field == "since"'
run "unknown dialogues" 1 dialogue compare --json nvidia-decison rye-or-wheat nothing rye-or-wheat
is '[.errors[].field] == ["dialogue_ids[0]", "dialogue_ids[2]", "dialogue_ids[3]"]'
run "one is no comparison" 1 dialogue compare rye-or-wheat --json
is '.error_code == "invalid_value"'

run "an unknown dialogue" 1 dialogue progress nvidia-decison --json
is '.error_code == "dialogue_not_found" and (.suggestion | contains("nvidia-decision"))'
run "a round that is not there" 1 dialogue scoreboard nvidia-decision --round 3 --json
is '.error_code == "invalid_value" and .suggestion == "the last round is 2"'
run "a round that cannot be" 1 dialogue scoreboard nvidia-decision --round 100 --json
is '.error_code == "invalid_value" and .field == "round"'
# The page to look at, with a dissent; and a list that does not cut the longest id.
run "a dissent" 0 dialogue verdict-register nvidia-decision --verdict-id dissent-scone --verdict-type dissent --json \
    --author-expert scone --round 2 --recommendation "Wait a quarter" --description "The refinancing window is unknown."
page show show nvidia-decision
is '.decision.vote == "5-0" and .verdicts[0].author_expert == "scone" and .tensions[1].via == "verdict-final"'
is '[.experts[] | select(.expert_slug == "palmier") | .rounds] == [[2]]'
wide show show nvidia-decision
wide decided progress nvidia-decision
long=$(printf 'no-id-is-cut-%.0s' 1 2 3 4 5 6)en
run "a long title" 0 dialogue create "$long" --question "$(printf 'A long question %.0s' 1 2 3 4 5 6 7 8 9)" --json
run "show before the first round" 0 dialogue show "$long"
has "No decision yet"
wide list list
run "the list in a pipe" 0 dialogue list
aged
golden progress/list.txt
grep -qx "$long" "$out"
ok $? "a list does not cut ids"
run "progress of nothing" 1 dialogue progress --json
is '.error_code == "missing_field"'

# What 'verify' tells people.
run "verify" 0 verify
sed -i -E 's/, [0-9a-f]{12}$/, HEAD/' "$out"
golden progress/verify.txt
run "one dialogue verified" 0 verify --room dialogue --scope given-up
has "what was asked for is intact: 1 dialogue, 2 events"

# A verdict that did not wait for the target: people read "decided" everywhere, the stored status is "converged".
for verb in "get nvidia-decision" "scoreboard nvidia-decision" "progress nvidia-decision"; do
    # shellcheck disable=SC2086
    run "the word for people: $verb" 0 dialogue $verb
    has "nvidia-decision: decided"
done
run "the word for people: similar" 0 dialogue similar "swap its NVAI position for NVDA shares"
has "(decided, alignment"
run "the status for programs: similar" 0 dialogue similar "swap its NVAI position for NVDA shares" --json
is '.dialogues[0].status == "converged"'
run "the status for programs: get" 0 dialogue get nvidia-decision --json
is '.dialogue.status == "converged"'
run "a verdict before any round" 0 dialogue create "Early" --expert Baker --json
run "the word for people: verdict-register" 0 dialogue verdict-register early --force --warning "no round" --verdict-type final --verdict-id v --round 0 \
    --recommendation "Bake" --description "Nobody waits."
has "the dialogue is decided"
run "the list of those" 0 dialogue list --status decided --json
is '[.dialogues[] | .dialogue_id, .status] == ["early", "converged", "nvidia-decision", "converged"]'
run "the list of those, by pages" 0 dialogue list --status decided --limit 1 --json
is '.next == "early" and .count == 1'

# An expert whom the judge scores, and who said nothing in the round, is shown as absent.
project absent
"$conclave" dialogue create "Absent" --expert "Baker: dough" --expert "Miller: flour" >/dev/null
"$conclave" dialogue respond absent --round 0 --expert muffin --content '[PERSPECTIVE P01: One]
It works.' >/dev/null
"$conclave" dialogue draft absent --round 0 --payload-only --json | jq '. + {expert_scores: {muffin: 5, cupcake: 3}} | del(.score)' |
    "$conclave" dialogue round-register --data - >/dev/null
for view in progress show scoreboard; do
    run "$view: an absent expert with a score" 0 dialogue $view absent
    has "! cupcake was absent in round 0, and has a score of 3"
    run "$view: the same as JSON" 0 dialogue $view absent --json
    is '[.warnings[] | [.type, .expert, .round]] == [["score_without_response", "cupcake", 0]]'
done
finish
