#!/bin/sh
# story.sh - a whole deliberation through the command line: three rounds, an expert who joins late, tensions that are
# addressed, resolved, reopened and accepted, verdicts of all four types, and the export as a golden file.
. "$(dirname "$0")/lib.sh"
story=$root/test/golden/story
project

run "create" 0 dialogue create --json --data @"$story/create.request.json"
is '.dialogue_id == "nvidia-decision" and (.panel | length) == 8'

run "round 0" 0 dialogue round-register --json --data @"$story/round-0.request.json"
is '.id_mapping["DONUT-R0001"] == "R0001" and .id_mapping["SCONE-T0001"] == "T0003"'
is '[.warnings[] | select(.type == "unsourced")] == []'

run "round 1, the request of the specification as it stands" 0 \
    dialogue round-register --json --data @"$story/round-1.request.json"
is '.id_mapping == {"MUFFIN-P0101": "P0101", "CUPCAKE-P0101": "P0102", "DONUT-R0101": "R0101", "CROISSANT-T0101": "T0101", "MUFFIN-E0101": "E0101", "MUFFIN-C0101": "C0101"}'
is '.tension_updates == [{"id": "T0001", "status": "addressed", "via": "R0101"}, {"id": "T0002", "status": "resolved", "via": "P0102"}]'
run "round 1 again" 0 dialogue round-register --json --data @"$story/round-1.request.json"
is '.replayed == true and .id_mapping["DONUT-R0101"] == "R0101"'
run "round 1 with another score" 1 dialogue round-register --json --data @"$story/round-1.request.json" --score 46
is '.errors[0].error_code == "round_already_registered"'

run "interim verdict" 0 dialogue verdict-register nvidia-decision --json --verdict-id V01 --verdict-type interim --round 1 \
    --recommendation "Continue with options exploration" --description "The collar looks viable; timing is open."
run "a geopolitical expert" 0 dialogue expert-create nvidia-decision --json --expert-slug Palmier \
    --role "Geopolitical Risk Analyst" --tier adjacent --focus "Taiwan semiconductor concentration" \
    --reason "T0003 (supply chain concentration) requires geopolitical expertise"
run "takes a seat" 0 dialogue evolve-panel nvidia-decision --json --data @"$story/panel-2.request.json"
is '[.panel[] | select(.slug == "palmier") | .source] == ["created"]'

run "round 2" 0 dialogue round-register --json --data @"$story/round-2.request.json"
is '[.status_changes[] | select(.id == "T0002") | .to] == ["reopened"]'
is '[.status_changes[] | select(.id == "P0002") | .to] == ["conceded"]'
run "a correction between rounds" 0 dialogue update nvidia-decision --json \
    --updates '[{"id": "T0002", "status": "addressed", "reason": "phased entry covers it", "by": ["cupcake"], "via": "P0201"}]'

run "final verdict" 0 dialogue verdict-register --json --data @"$story/final.request.json"
run "minority verdict" 0 dialogue verdict-register nvidia-decision --json --verdict-id minority-esg --verdict-type minority \
    --author-expert brioche --supporting-experts brioche --supporting-experts croissant --round 2 \
    --recommendation "Reject any exposure" --description "Supply chain ethics were not weighed."
run "dissent" 0 dialogue verdict-register nvidia-decision --json --verdict-id dissent-scone --verdict-type dissent \
    --author-expert scone --round 2 --recommendation "Wait a quarter" --description "The refinancing window is unknown."
run "a misspelt type after the final verdict" 1 dialogue verdict-register nvidia-decision --json --verdict-id late \
    --verdict-type disent --author-expert scone --recommendation "Wait" --description "Too early."
is '.error_code == "invalid_value" and .field == "verdict_type" and (.suggestion | contains("dissent"))'
run "a second final verdict" 1 dialogue verdict-register --json --data @"$story/final.request.json" --verdict-id final-2
is '.error_code == "verdict_exists"'
run "a status after the final verdict" 1 dialogue update nvidia-decision --json \
    --updates '[{"id": "T0001", "status": "reopened", "reason": "second thoughts"}]'
is '.error_code == "dialogue_closed" and .field == "updates[0].status"'
run "a correction without a reason" 1 dialogue update nvidia-decision --json --updates '[{"id": "R0001", "label": "Collar"}]'
is '.error_code == "missing_field" and .field == "updates[0].reason"'
run "a correction with one" 0 dialogue update nvidia-decision --json \
    --updates '[{"id": "R0001", "label": "Income collar", "reason": "the usual name"}]'
run "another round" 1 dialogue round-register --json \
    --data '{"dialogue_id": "nvidia-decision", "round": 3, "score": 1}'
is '.errors[0].error_code == "dialogue_closed"'

run "export" 0 dialogue export nvidia-decision --json --output-path dialogue.json
is '.stats.rounds == 3 and .stats.verdicts == 4'
command jq "del(.record.head, .record.rows)" dialogue.json | sed 's/"date": "[-0-9]*"/"date": "DATE"/' >"$out"
name="the exported dialogue"
golden story/dialogue.json
run "export again" 0 dialogue export nvidia-decision --json --output-path again.json
cmp -s dialogue.json again.json
ok $? "the same record gives the same bytes"
run "export to standard output" 0 dialogue export nvidia-decision --output-path -
cmp -s dialogue.json "$out"
ok $? "standard output gets the bytes of the file"
run "export to standard output as JSON" 0 dialogue export nvidia-decision --json --output-path -
cmp -s dialogue.json "$out"
ok $? "--json changes nothing about them"

# Days and the head of the chain differ from run to run.
told() {
    sed -e 's/^\(\*\*\(Date\|Concluded\)\*\*:\) [-0-9]*$/\1 DATE/' -e 's/head [0-9a-f]\{64\}/head HASH/' "$1" >"$out"
    name="the told dialogue"
    golden "$2"
}
run "transcript" 0 dialogue transcript nvidia-decision
cp "$out" story.md
told story.md story/transcript.md
run "its lint" 0 lint --json story.md
is '.summary | .errors + .warnings + .notes == 0'
run "its lint of old" 0 lint --profile compat --json story.md
is '.files[0].score == 1'
run "up to round 1" 0 dialogue transcript nvidia-decision --round 1
cp "$out" one.md
told one.md story/transcript-1.md
run "its lint" 0 lint --json one.md
is '.summary | .errors + .warnings + .notes == 0'
run "transcript as files" 0 dialogue transcript nvidia-decision --output-dir told --json
is '.files == ["nvidia-decision.dialogue.md", "scoreboard.md", "tensions.md", "round-0.summary.md", "round-1.summary.md", "round-2.summary.md", "verdict.md"]'
cmp -s story.md told/nvidia-decision.dialogue.md
ok $? "the file is what is printed"
for part in scoreboard tensions round-1.summary verdict; do told told/$part.md story/$part.md; done
run "lint of the folder" 0 lint --json told
is '.summary | .errors + .warnings + .notes == 0'

run "verify" 0 verify --json
is '.status == "success" and .scopes[0].rev == 12'
run "backup" 0 backup copy.db --json
finish
