#!/bin/sh
# lengths.sh - labels, titles and roles have a ceiling: who writes more is told how much it was and how much is allowed,
# and what comes from files is cut, which is told, too.
. "$(dirname "$0")/lib.sh"
project
# text COUNT: so many letters; wide COUNT: … of two bytes each.
text() { head -c "$1" /dev/zero | tr '\0' a; }
wide() { printf 'ü%.0s' $(seq "$1"); }

# round LABEL TITLE: a request to round-register.
round() {
    jq -n --rawfile text "$1" --rawfile title "$2" '{dialogue_id: "bread", round: 0, score: 3, title: $title,
        perspectives: [{local_id: "MUFFIN-P0001", "label": $text, content: "c", contributors: ["muffin"]}]}'
}

"$conclave" dialogue create Bread --expert-pool '{"domain": "d", "experts": [{"role": "Muffin", "tier": "Core", "relevance": 1}]}' >/dev/null
wide 500 >fits
wide 501 >one-more
text 1000000 >million
round one-more fits >request.json
run "a label that is too long" 1 dialogue round-register --data @request.json --json
is '.errors[0] | .error_code == "invalid_value" and .field == "perspectives[0].label" and .constraint == "maxLength" and .message == "expected at most 500 characters, found 501"'
round fits million >request.json
run "a title of a megabyte" 1 dialogue round-register --data @request.json
has "title: expected at most 500 characters, found 1000000" err
[ "$(wc -c <"$err")" -lt 1000 ]
ok $? "the error does not repeat all of it"
round fits fits >request.json
run "both fit" 0 dialogue round-register --data @request.json
command jq -n --rawfile text million '{dialogue_id: "bread", updates: [{id: "P0001", "label": $text, reason: "r"}], summaries: [{round: 0, title: $text}]}' >request.json
run "a correction that is too long" 1 dialogue update --data @request.json --json
is '[.errors[].field] == ["updates[0].label", "summaries[0].title"]'
jq -n '{dialogue_id: "bread", summaries: [{round: 0, title: "two\nlines"}]}' >request.json
run "a title on two lines" 1 dialogue update --data @request.json
has "control characters or line breaks" err
run "a role that is too long" 1 dialogue expert-create bread --role "$(text 1001)" --tier Core --reason r
has "role: expected at most 1000 characters, found 1001" err

# ---- the largest score is kept, and read again; one that is larger by one is refused ----
"$conclave" dialogue create Salt --expert-pool '{"domain": "d", "experts": [{"role": "Muffin", "tier": "Core", "relevance": 1}]}' >/dev/null
run "a score that is too large" 1 dialogue round-register --data '{"dialogue_id": "salt", "round": 0, "expert_scores": {"muffin": 9007199254740993}}'
run "the largest score" 0 dialogue round-register --data '{"dialogue_id": "salt", "round": 0, "expert_scores": {"muffin": 9007199254740992}}'
run "the largest score is read" 0 dialogue scoreboard salt --json
is '.rounds[0].score == 9007199254740992'
run "a total that is too large" 1 dialogue round-register --data '{"dialogue_id": "salt", "round": 1, "expert_scores": {"muffin": 1}}'
run "a correction of it" 0 dialogue update --data '{"dialogue_id": "salt", "scores": [{"round": 0, "expert": "muffin", "score": -9007199254740992}]}'
run "the smallest score is read" 0 dialogue get salt --json

# ---- what an expert writes is cut, and kept as a whole ----
{ printf '[MUFFIN-P0101: '; cat million; printf ']\nThe text.\n'; } >response.md
run "a response with a label of a megabyte" 0 dialogue respond bread --expert muffin --content @response.md --json
is '[.diagnostics[].type] == ["long_label"]'
is '.diagnostics[0].message == "the label of MUFFIN-P0101 has 1000000 characters: it is cut, and the text has all of it"'
run "its draft" 0 dialogue draft bread --json
is '.payload.perspectives[0] | (.label | length) == 500 and (.content | length) == 1000011'
command jq '.payload + {score: 1}' "$out" >request.json
run "can be registered" 0 dialogue round-register --data @request.json

# ---- what files say, too ----
mkdir -p d/round-0
cp response.md d/round-0/muffin.md
jq -n --rawfile role million '{domain: $role, experts: [{role: $role, tier: "Core", relevance: 1, focus: $role}]}' >d/expert-pool.json
{ printf '| ID | Tension | Status |\n|---|---|---|\n| T01 | '; cat million; printf ' | Open |\n'; } >d/tensions.md
{ printf '# A\n\n## Round 0: '; cat million; printf '\n\n### Muffin\n\nText.\n'; } >e.dialogue.md
run "files with long lines" 0 import d e.dialogue.md --json
is '[.dialogues[].decided[].why | select(test("is longer than|it is cut"))] | length == 6'
run "all of it is there" 0 verify
finish
