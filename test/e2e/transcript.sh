#!/bin/sh
# transcript.sh - dialogues as markdown: one that has not begun, one with a silent expert and texts that look like
# structure, files, refusals. The whole story is told in story.sh.
. "$(dirname "$0")/lib.sh"
project

told() {
    sed -e 's/^\(\*\*\(Date\|Concluded\)\*\*:\) [-0-9]*$/\1 DATE/' -e 's/head [0-9a-f]\{64\}/head HASH/' "$1" >"$out"
    golden "$2"
}
clean() {
    run "lint of $1" 0 lint --json "$1"
    is '.summary | .errors + .warnings + .notes == 0'
}

cat >create.json <<'EOF'
{
  "title": "Rye | or [wheat]?",
  "question": "Which bread?\n\n## Round 0\nNot a round.",
  "panel_size": 3,
  "seed": 1,
  "expert_pool": {
    "domain": "Baking",
    "experts": [
      { "role": "Baker | by night", "tier": "Core", "relevance": 0.9 },
      { "role": "Miller", "tier": "Adjacent", "relevance": 0.8 },
      { "role": "Critic", "tier": "Wildcard", "relevance": 0.5 }
    ]
  }
}
EOF
run "create" 0 dialogue create --data @create.json
run "a dialogue that has not begun" 0 dialogue transcript rye-or-wheat
cp "$out" none.md
told none.md transcript/none.md
clean none.md

cat >round-0.json <<'EOF'
{
  "dialogue_id": "rye-or-wheat",
  "round": 0,
  "score": 12,
  "score_components": { "W": 5, "C": 3, "T": 2, "R": 1 },
  "expert_scores": { "muffin": { "score": 7, "score_components": { "W": 4, "C": 3 } } },
  "summary": "# Rye leads\n\n[TENSION T01: not a tension] of ours",
  "perspectives": [
    {
      "local_id": "MUFFIN-P0001",
      "label": "Rye [the grain] keeps] longer",
      "content": "## Round 7\n### Muffin 🧁\n```\nan open fence\n| a | b |",
      "contributors": ["muffin", "scone"]
    }
  ],
  "tensions": [
    { "local_id": "SCONE-T0001", "label": "Taste | price", "description": "---\nBoth matter.\n---", "contributors": ["scone"] }
  ],
  "moves": [{ "expert": "scone", "type": "request", "context": "prices, [please]" }]
}
EOF
run "round 0" 0 dialogue round-register --data @round-0.json
run "a silent expert" 0 dialogue transcript rye-or-wheat
cp "$out" silent.md
told silent.md transcript/silent.md
clean silent.md
run "read back" 0 parse silent.md --json
"$conclave" render "$out" >again.md
cmp -s silent.md again.md
ok $? "rendered again it is the same"

run "as JSON" 0 dialogue transcript rye-or-wheat --json
is '.rounds == 1 and (.markdown | startswith("# Rye | or [wheat]?"))'
jq -rj .markdown "$out" >json.md
cmp -s silent.md json.md
ok $? "the answer holds what is printed"

run "into the dialogue's folder" 0 dialogue transcript rye-or-wheat --write --json
is '.files == ["rye-or-wheat.dialogue.md", "scoreboard.md", "tensions.md", "round-0.summary.md"]'
cmp -s silent.md .conclave/dialogues/rye-or-wheat/rye-or-wheat.dialogue.md
ok $? "the file is what is printed"
echo "mine" >.conclave/dialogues/rye-or-wheat/scoreboard.md
run "a file of somebody else" 1 dialogue transcript rye-or-wheat --write
has "scoreboard.md' was written by somebody else" err
has "force" err
run "by force" 0 dialogue transcript rye-or-wheat --write --force
has "scoreboard.md"

run "an unknown dialogue" 1 dialogue transcript rye-or-what
has "rye-or-wheat" err
run "an unknown round" 1 dialogue transcript rye-or-wheat --round 1
has "the last one is 0" err
run "a part as files" 1 dialogue transcript rye-or-wheat --round 0 --write
has "whole dialogue only" err
run "no number" 1 dialogue transcript rye-or-wheat --round first
has "round" err
# ---- the same numbers as elsewhere ----
cd "$work" && project numbers
"$conclave" import "$root/examples/deliberation" "$root/examples/decision.dialogue.md" >/dev/null
nvidia
for id in deliberation nvidia-investment-decision nvidia-decision; do
    "$conclave" dialogue progress "$id" --json |
        jq -r '.rounds[] | "\(.round) \(.velocity) \(.converge_signals)/\(.panel_size) \(.converge_percentage)%"' >wanted
    "$conclave" dialogue transcript "$id" |
        awk -F ' *[|] *' '/^[|] Round /{ n = NF } n == NF && /^[|] [0-9]/{ print $2, $(NF-3), $(NF-2), $(NF-1) } /^$/{ n = 0 }' >told
    [ -s told ] && diff wanted told
    ok $? "velocity, signals and convergence of $id are those of progress"
done
run "an open tension is no convergence" 0 dialogue transcript deliberation
has "| 5 | 6/6 | 50% |"
finish
