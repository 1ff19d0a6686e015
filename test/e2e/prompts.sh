#!/bin/sh
# prompts.sh - what experts are given before a round: round-context and round-prompts on the NVIDIA story, with a
# retained expert, one from the pool and one that was created; overrides, budgets, increments, and everything wrong.
. "$(dirname "$0")/lib.sh"
story=$root/test/golden/story
project
files=.conclave/dialogues/nvidia-decision
listing() { find "$files" -type f 2>/dev/null | sort | xargs -r ls -l --time-style=full-iso; }
# part N TEXT...: these stand in the N-th prompt of the last answer, which becomes the last output.
part() {
    [ -f "$work/answer" ] && [ "$1" -gt 0 ] || cp "$out" "$work/answer"
    jq -r ".prompts[$1].prompt" "$work/answer" >"$out"
    shift
    for text in "$@"; do has "$text"; done
}
lacks() { ! grep -qF -- "$1" "$out"; ok $? "$name: does not say \"$1\""; }
untouched() { [ "$(listing)" = "$before" ]; ok $? "$1: no file was touched"; }

# ---- the opening round
run "no dialogue" 1 dialogue round-context nvidia-decison --json
is '.error_code == "dialogue_not_found"'
"$conclave" dialogue create --data @"$story/create.request.json" --panel-size 7 >/dev/null
run "context of the opening round" 0 dialogue round-context nvidia-decision --json
is '.round == 0 and .prior_rounds == [] and .active_tensions == [] and (.experts | length) == 7'
is '[.experts[] | .round_context] | all(. == null)'
run "prompts of the opening round" 0 dialogue round-prompts nvidia-decision --json
is '(.prompts | length) == 7 and .written'
cp "$files/round-0/prompt-muffin.md" "$out"
name="prompt of the opening round"
golden prompts/opening.md

# ---- two rounds later: a retained expert, one of the pool, one that was created
for round in 0 1; do
    "$conclave" dialogue round-register --data @"$story/round-$round.request.json" >/dev/null || ok 1 "round $round"
done
"$conclave" dialogue verdict-register nvidia-decision --verdict-id V01 --verdict-type interim --round 1 \
    --recommendation "Continue with options exploration" --description "The collar looks viable; timing is open." >/dev/null
rev_1=$("$conclave" dialogue get nvidia-decision --json | jq .rev)
"$conclave" dialogue round-context nvidia-decision --json >"$work/full-1"
"$conclave" dialogue expert-create nvidia-decision --expert-slug palmier --role "Geopolitical Risk Analyst" \
    --tier adjacent --focus "Taiwan semiconductor concentration" \
    --description "You analyze investments through the lens of geopolitical risk." \
    --reason "T0003 (supply chain concentration) requires geopolitical expertise" >/dev/null
newcomer=$("$conclave" dialogue get nvidia-decision --json | jq -r '[.dialogue.expert_pool.experts[].role] - [.experts[].role] | .[0]')
jq --arg role "$newcomer" '.panel += [{role: $role, source: "pool", slug: "tartlet", focus: "Execution and timing"}]' \
    "$story/panel-2.request.json" >panel.json
"$conclave" dialogue evolve-panel --data @panel.json >/dev/null || ok 1 "the panel of round 2"
run "context" 0 dialogue round-context nvidia-decision --json
command jq . "$out" >"$work/pretty" && cp "$work/pretty" "$out"
golden prompts/context.json
run "context for people" 0 dialogue round-context nvidia-decision
has "In round 0 you raised T0003 (Supply chain concentration), which is open."
run "an earlier round, as it was" 0 dialogue round-context nvidia-decision --round 1 --json
is '[.prior_rounds[].round] == [0] and .dialogue.current_round == 1 and .dialogue.total_alignment == 45'
is '[.active_tensions[] | .id + " " + .status] == ["T0001 addressed", "T0002 open", "T0003 open"]'
is '.experts.muffin.your_score == 12 and .experts.muffin.source == "retained" and (.experts | has("palmier") | not)'
run "a round that is far away" 1 dialogue round-context nvidia-decision --round 7 --json
is '.field == "round" and .suggestion == "the next round is 2"'

run "prompts" 0 dialogue round-prompts nvidia-decision --json
is '[.prompts[] | .slug + " " + .source] == ["muffin retained", "cupcake retained", "scone retained", "donut retained", "palmier created", "tartlet pool"]'
is '[.prompts[] | .estimated_tokens == ((.bytes + 3) / 4 | floor)] | all'
for slug in muffin tartlet palmier; do
    cp "$files/round-2/prompt-$slug.md" "$out"
    name="prompt of $slug"
    golden "prompts/$slug.md"
done
cp "$files/round-2/context-palmier.json" "$out"
name="context of palmier"
golden prompts/context-palmier.json
before=$(listing)
run "prompts again" 0 dialogue round-prompts nvidia-decision --json
untouched "the same record"
"$conclave" dialogue round-context nvidia-decision --json | jq -c '[.prior_rounds[] | (.expert_contributions[]
    | .perspectives[]?, .recommendations[]?, .evidence[]?, .claims[]?), .tensions[]] | map([.id, .label]) | sort' >items
for slug in muffin tartlet palmier; do
    run "prompt of $slug read by our own parser" 0 parse "$files/round-2/prompt-$slug.md"
    jq -c '[.sections[].content[] | select(.mark and .id)] | map([.id, .label]) | sort' "$out" | cmp -s - items
    ok $? "the marks of $slug's prompt are all items with their labels, and nothing else"
done

# ---- what the judge has to say
cat >overrides.json <<'X'
{"muffin": {"round_context": "Weigh R0101 against your own E0101.", "mandate": "One page."},
 "palmier": {"framing": "The panel is close; T0003 is what is left.", "mandate": "1. Quantify the risk of a disruption."},
 "tartlet": {"brief": "## Context Brief\n\nYou know why."}}
X
run "overrides" 0 dialogue round-prompts nvidia-decision --json --overrides @overrides.json --experts muffin \
    --experts palmier --experts Tartlet --no-write
is '(.prompts | length) == 3 and (.written | not)'
part 0 "### Your Task This Round" "Weigh R0101 against your own E0101." "### Your Mandate" "One page."
lacks "Your task this round:"
part 1 "### Why You're Here" "The panel is close; T0003 is what is left." "### Your Mandate" \
    "1. Quantify the risk of a disruption." "### Relevant Prior Work"
lacks "Say what the question looks like"
part 2 "## Background" "## Context Brief" "You know why." "## Prior Rounds"
lacks "### Why You're Here"
untouched "write is false"

# ---- a budget
run "a budget" 0 dialogue round-prompts nvidia-decision --json --experts cupcake --no-write
whole=$(jq '.prompts[0].estimated_tokens' "$out")
run "a budget that takes a little" 0 dialogue round-prompts nvidia-decision --json --experts cupcake --no-write \
    --token-budget $((whole - 10))
is '.prompts[0] | .left_out.texts == ["P0001", "P0003", "R0001"] and .left_out.items == [] and .estimated_tokens <= '$((whole - 10))
jq -r '.prompts[0].prompt' "$out" >"$work/short" && cp "$work/short" "$out"
golden prompts/short.md
run "a budget that nothing fits" 1 dialogue round-prompts nvidia-decision --json --token-budget 100
is '.error_code == "invalid_value" and .field == "token_budget" and (.suggestion | startswith("give at least "))'
least=$(jq -r '.suggestion | ltrimstr("give at least ")' "$out")
run "the least" 0 dialogue round-prompts nvidia-decision --json --no-write --token-budget "$least"
run "one below the least" 1 dialogue round-prompts nvidia-decision --json --no-write --token-budget $((least - 1))
untouched "budgets"

# ---- what is wrong
run "unknown experts" 1 dialogue round-prompts nvidia-decision --json --experts muffn --experts eclair \
    --overrides '{"donnut": {"brief": "x"}}'
is '[.errors[].field] == ["experts[0]", "experts[1]", "overrides.donnut"]'
is '.errors[0].suggestion == "did you mean '"'muffin'"'?" and .errors[2].suggestion == "did you mean '"'donut'"'?"'
run "a word that is none" 1 dialogue round-prompts nvidia-decision --json --overrides '{"muffin": {"breif": "x"}}'
is '.error_code == "unknown_field"'
run "prompts of a registered round" 1 dialogue round-prompts nvidia-decision --json --round 1
is '.field == "round"'
run "… shown again" 0 dialogue round-prompts nvidia-decision --json --round 1 --no-write --experts muffin
part 0 "| T0002 | Concentration | Cupcake | open | — |"
untouched "faults"

# ---- increments: the earlier answer with the increment laid over it is the new answer
"$conclave" dialogue round-register --data @"$story/round-2.request.json" >/dev/null || ok 1 "round 2"
"$conclave" dialogue update nvidia-decision --updates \
    '[{"id": "P0003", "label": "Overlay", "reason": "shorter"}, {"id": "T0003", "status": "accepted", "reason": "known"}]' >/dev/null
"$conclave" dialogue round-context nvidia-decision --json >"$work/full-2"
run "an increment" 0 dialogue round-context nvidia-decision --json --since-rev "$rev_1"
is '.increment == {"since_rev": '"$rev_1"', "replace": ["dialogue", "active_tensions", "experts"], "merge": ["prior_rounds"]}'
is '[.prior_rounds[] | select(.round == 0) | .expert_contributions[].perspectives[].id] == ["P0002", "P0003"]'
cat >"$work/merge.jq" <<'X'
def over(key): . as [$old, $new] | ($new | map({(.[key] | tostring): .}) | add // {}) as $by
    | [$old[] | (.[key] | tostring) as $k | $by[$k] // .] + [$new[] | select(.[key] as $k | all($old[]; .[key] != $k))];
def speaker: . as [$old, $new] | $old + $new
    + reduce ("perspectives", "recommendations", "evidence", "claims") as $k ({};
        if $old[$k] or $new[$k] then .[$k] = ([$old[$k] // [], $new[$k] // []] | over("id")) else . end)
    + reduce ("tensions_raised", "shared", "references", "moves") as $k ({};
        if $old[$k] or $new[$k] then .[$k] = (($old[$k] // []) + (($new[$k] // []) - ($old[$k] // []))) else . end);
def round: . as [$old, $new] | $old + $new
    + (if $old.verdicts or $new.verdicts then {verdicts: (($old.verdicts // []) + ($new.verdicts // []))} else {} end)
    + {tensions: ([$old.tensions, $new.tensions] | over("id")),
       expert_contributions: ($old.expert_contributions | map(. as $o
            | (first($new.expert_contributions[] | select(.expert == $o.expert)) // null) as $n
            | if $n then [$o, $n] | speaker else $o end))};
.[0] as $old | .[1] as $new | $old + $new
    + {dialogue: ($old.dialogue + $new.dialogue),
       prior_rounds: ([$old.prior_rounds[] | . as $o | (first($new.prior_rounds[] | select(.round == $o.round)) // null) as $n
            | if $n then [$o, $n] | round else $o end]
            + [$new.prior_rounds[] | select(.round as $r | all($old.prior_rounds[]; .round != $r))])}
    | del(.increment)
X
jq -S -s -f "$work/merge.jq" "$work/full-1" "$out" >"$work/merged"
jq -S . "$work/full-2" | diff "$work/merged" - | head -n 40 | sed 's/^/# /'
jq -S . "$work/full-2" | cmp -s "$work/merged" -
ok $? "an increment laid over the earlier answer gives the new one"
run "nothing new" 0 dialogue round-context nvidia-decision --json --since-rev "$(jq .rev "$work/full-2")"
is '(.changed | not) and (has("experts") | not)'
run "a rev that is not there yet" 1 dialogue round-context nvidia-decision --json --since-rev 1000
is '.field == "since_rev"'

# ---- dialogues that lack nearly everything
"$conclave" dialogue create "Bare" >/dev/null
run "nobody" 0 dialogue round-context bare --json
is '.experts == {} and .prior_rounds == [] and .dialogue.background == null'
run "prompts for nobody" 1 dialogue round-prompts bare --json
is '.message == "round 0 has no panel"'
"$conclave" dialogue expert-create bare --role "Baker" --tier Core --reason "bread" >/dev/null
run "one expert, no panel" 0 dialogue round-prompts bare --json --no-write
is '.prompts[0].source == "created"'
part 0 "No question was written down"
"$conclave" dialogue round-register --data '{"dialogue_id": "bare", "round": 0, "score": 0}' >/dev/null
run "a round in which nothing was said" 0 dialogue round-prompts bare --json --no-write
is '.prompts[0].source == "retained"'
part 0 "You have been on the panel and have not contributed yet."

# ---- calibration
"$conclave" dialogue create "Calibrated" --question "Which?" --calibration \
    '{"domain": "Duty", "rules": [{"seq": 1, "label": "Evidence must be citable"}], "prompt_injection": "## Calibration: Duty\n\nCite."}' >/dev/null
"$conclave" dialogue expert-create calibrated --role "Baker" --tier Core --reason "bread" >/dev/null
run "calibrated" 0 dialogue round-context calibrated --json
is '.calibration.rules[0].label == "Evidence must be citable"'
run "calibrated prompts" 0 dialogue round-prompts calibrated --json --no-write
part 0 "## Calibration: Duty" "Cite."
run "markers in the prompt, in short" 0 dialogue round-prompts calibrated --json --no-write --spec short
is '[.. | .prompt? // empty | strings | contains("-C0001: label]` claim") and contains("QUESTION DEPEND")] | length > 0 and all'
run "markers in the prompt, in full" 0 dialogue round-prompts calibrated --json --no-write --spec full
is '[.. | .prompt? // empty | strings | contains("| `[RE:SUPPORT {id}]` |")] | length > 0 and all'
run "no other" 1 dialogue round-prompts calibrated --json --no-write --spec long
is '.field == "spec"'

# ---- the end
"$conclave" dialogue abandon calibrated --reason "done" >/dev/null
run "prompts of an abandoned dialogue" 1 dialogue round-prompts calibrated --json
is '.error_code == "dialogue_closed"'
finish
