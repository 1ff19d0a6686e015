#!/bin/sh
# intake.sh - responses: respond, round-verify, draft; several experts at once, files, merging, dissent.
. "$(dirname "$0")/lib.sh"
export CV_CHECK_REPLIES=1

# show NAME STATUS ARGUMENT...: a call with --json, laid out for reading.
show() {
    run "$@" --json
}

project
jq -n '{title: "NVIDIA decision", seed: 1, panel_size: 3, expert_pool: {domain: "Investment", experts: [
    {role: "Value Analyst", tier: "Core", relevance: 1, slug: "muffin"},
    {role: "Risk Manager", tier: "Core", relevance: 0.9, slug: "cupcake"},
    {role: "Options Strategist", tier: "Wildcard", relevance: 0.8, slug: "donut"}]}}' >create.json
run "create" 0 dialogue create --data @create.json --json

# ---- round 0: a file, standard input, JSON -------------------------------------------------------------

cat >muffin.md <<'END'
# Muffin - Value Analyst (Round 0)

[MUFFIN-P0001: Income mandate mismatch]
NVIDIA pays no dividend, and the trust must pay out four percent of its value each year.

[MUFFIN-T0001: Growth vs income]
What grows pays nothing, what pays does not grow.
END
cat >donut.md <<'END'
[DONUT-R0001: Options collar]
Sell calls 30 delta above the price, buy puts below it.

[RE:ADDRESS MUFFIN-T0001]
The premium pays the income.

[DONUT-P0001: Income mandate: mismatch!]
The trust must pay out four percent of its value each year, and NVIDIA pays no dividend.
END
show "a file" 0 dialogue respond nvidia-decision --expert muffin --content @muffin.md
golden_json intake/respond.json
cmp -s muffin.md .conclave/dialogues/nvidia-decision/round-0/response-muffin.md
ok $? "the file holds what was handed in"
run "standard input" 0 dialogue respond nvidia-decision --expert donut --content - --json <donut.md
is '.bytes > 0 and .round == 0 and (.summary.references | length) == 1'
run "for people" 0 dialogue respond nvidia-decision --expert donut --content @donut.md
golden intake/respond.txt
has "the record has this already"

show "not complete" 0 dialogue round-verify nvidia-decision
golden_json intake/verify-incomplete.json
run "as JSON" 0 dialogue respond --data '{"dialogue_id": "nvidia-decision", "expert": "cupcake", "no_contribution": true}' --json
is '.no_contribution and .response_path == null and (has("sha256") | not)'

# ---- what is refused ------------------------------------------------------------------------------------

run "another text" 1 dialogue respond nvidia-decision --expert muffin --content "other"
golden intake/refused-other.txt err
run "an unknown expert" 1 dialogue respond nvidia-decision --expert dount --content "x"
has "did you mean 'donut'?" err
printf '\n\n' >empty.md
run "an empty file" 1 dialogue respond nvidia-decision --expert muffin --content @empty.md
has "--no-contribution" err
printf 'a\377b' >bad.md
run "no text" 2 dialogue respond nvidia-decision --expert muffin --content @bad.md
has "bad.md:1:2" err
run "no such file" 2 dialogue respond nvidia-decision --expert muffin --content @nothing.md
has "nothing.md" err
run "a round to come" 1 dialogue respond nvidia-decision --expert muffin --round 3 --content "x"
has "round 3 has not begun" err
run "unknown dialogue" 1 dialogue draft nvidia-decisoin
has "nvidia-decision" err
run "verify knows no such round" 1 dialogue round-verify nvidia-decision --round 9

# ---- the draft, merged, registered ----------------------------------------------------------------------

show "draft" 0 dialogue draft nvidia-decision
golden_json intake/draft-0.json
is '.notes.merge_candidates[0].why == "same label" and .notes.no_contribution == ["cupcake"]'
jq '.notes.merge_candidates[0].merge as $m | .payload
    | .perspectives |= [.[] | select(.local_id as $id | $m.also | index($id) | not)
        | if .local_id == $m.local_id then . + $m else . end]' "$out" >round-0.json
run "a merged draft is taken" 0 dialogue round-register --data @round-0.json --score 12 --json
is '.id_mapping["MUFFIN-P0001"] == .id_mapping["DONUT-P0001"] and .warnings == []'
run "the draft of a registered round" 0 dialogue draft nvidia-decision --round 0 --json
is '.warnings[0].type == "round_registered"'

# ---- round 1: every kind of mark -------------------------------------------------------------------------

cat >muffin.md <<'END'
[RE:OPPOSE @donut]
[PERSPECTIVE P01: Options viability confirmed]
The strategy can generate income.

[RE:REFINE P0001]
My view of round 0 evolves.

[PERSPECTIVE P01: Another under the same id]
[TENSION T-NEW: Execution timing]
[RE: R0001]
The collar addresses my T0001 concern.

[RESOLVED T01: by the collar]
[MUFFIN-E0101: Premium data]
[RE:SUPPORT MUFFIN-P0101]
[MUFFIN-C0101: Mandate met]
[RE:DEPEND DONUT-E0101]
[MOVE:BRIDGE P0001 R0001]
Both can be had.
[P0001: Income mandate mismatch] (muffin)
[RE:RESOLVE P0001]
[RE:SUPPORT R0099]
[MOVE:DANCE P0001]
[Perspective P09: nearly a mark]
[DISSENT]
Not before the refinancing.
END
cat >donut.md <<'END'
[REFINEMENT R0001: Collar with 45 days]
Longer expiry.
[CONCESSION P0001: they are right]
[MINORITY VERDICT: Wait a quarter]
Then look again.
[MOVE:CONVERGE]
END
show "all kinds of marks" 0 dialogue respond nvidia-decision --expert muffin --content @muffin.md
golden_json intake/respond-marks.json
run "classic marks" 0 dialogue respond nvidia-decision --expert donut --content @donut.md
printf '[CUPCAKE-P0101: Never handed in]\n' >.conclave/dialogues/nvidia-decision/round-1/cupcake.md
printf 'changed\n' >.conclave/dialogues/nvidia-decision/round-1/response-donut.md
printf 'who?\n' >.conclave/dialogues/nvidia-decision/round-1/response-kettle.md
show "files that the record does not have" 0 dialogue round-verify nvidia-decision
golden_json intake/verify-files.json
run "for people" 0 dialogue round-verify nvidia-decision
golden intake/verify-files.txt
show "files that the record does not have, again" 0 dialogue round-verify nvidia-decision
sh -c "$(jq -r '.files[] | select(.state == "not_in_record").command' "$out" | sed "s#^conclave#'$conclave'#")" >/dev/null
ok $? "the command hands the file in"
run "donut's file holds something else" 1 dialogue respond nvidia-decision --expert donut --content @donut.md
golden intake/refused-file.txt err
run "with --replace it is kept" 0 dialogue respond nvidia-decision --expert donut --content @donut.md --replace --json
is '.replayed and .warnings[0].type == "file_kept_aside"'
grep -qx changed .conclave/dialogues/nvidia-decision/round-1/response-donut.md.before-1
ok $? "what the file held stands beside it"
run "a file by its path" 0 dialogue respond nvidia-decision --expert donut --content-path donut.md --json
is '.replayed and .warnings == []'
show "all is well" 0 dialogue round-verify nvidia-decision
is '.complete and ([.files[].state] == ["unknown_expert"])'
show "draft of all marks" 0 dialogue draft nvidia-decision
golden_json intake/draft-1.json
jq -c '.notes.verdicts[]' "$out" >verdicts.jsonl
run "draft for people" 0 dialogue draft nvidia-decision
golden intake/draft-1.txt
run "the payload alone" 0 dialogue draft nvidia-decision --payload-only
is '.round == 1 and (has("notes") | not)'
has "note: " err
cp "$out" round-1.json
run "a dry run" 0 dialogue round-register --data @round-1.json --score 9 --dry-run --json
is '.dry_run and ([.warnings[].type] | index("unsourced") | not)'
"$conclave" dialogue draft nvidia-decision --payload-only 2>/dev/null |
    "$conclave" dialogue round-register --data - --score 9 --json >"$out" 2>"$err"
ok $? "a draft goes into round-register as it is"
is '[.warnings[].type] | index("unsourced") | not'
run "an empty payload" 1 dialogue draft nvidia-decision --payload-only
has "round 2 has no response yet; 'conclave dialogue round-verify nvidia-decision' shows who is missing" err
silent
name="a draft goes into round-register as it is"
while read -r verdict; do
    run "a verdict from the notes" 0 dialogue verdict-register --data "$verdict" --json
done <verdicts.jsonl
is '.verdict_type == "minority"'

# ---- replacing and coming late ---------------------------------------------------------------------------

run "a first try" 0 dialogue respond nvidia-decision --expert muffin --content "first try" --json
run "a better one" 0 dialogue respond nvidia-decision --expert muffin --content "second try" --replace --json
is '.replaced and .diagnostics[0].type == "no_marks"'
run "too late to replace" 1 dialogue respond nvidia-decision --expert cupcake --round 0 --content "late" --replace
has "which is registered" err
run "the record is whole" 0 verify

# ---- what a judge who only drafts must not miss ----------------------------------------------------------

run "a dialogue of two" 0 dialogue create Missed --json --expert-pool '{"domain": "d", "experts": [{"role": "One", "tier": "Core", "relevance": 1, "slug": "one"}, {"role": "Two", "tier": "Core", "relevance": 1, "slug": "two"}]}'
printf 'not yet\n[MOVE:CONVERGE when we are done\n[one-p0001: lower]\n' >one.md
run "a move that has no end" 0 dialogue respond missed --expert one --content @one.md --json
mkdir -p .conclave/dialogues/missed/round-0
printf '[TWO-P0001: Written only]\nText.\n' >.conclave/dialogues/missed/round-0/response-two.md
run "the draft of it" 0 dialogue draft missed --json
is '.payload.moves == [] and [.notes.marks[].type] == ["unregistered_mark"]'
is '[.notes.unread[].type] | index("marker-unclosed") != null and index("lower_case") != null'
is '[.warnings[] | select(.type == "file_not_handed_in") | .expert] == ["two"]'
run "to register without it" 0 dialogue round-register missed --round 0 --score 1 --dry-run --json
is '[.warnings[] | select(.type == "file_not_handed_in") | .message][0] | test("response-two.md is not what the record has of two: nothing of it is registered; send it: conclave dialogue respond missed --round 0 --expert two --content @")'
jq -n --rawfile text .conclave/dialogues/missed/round-0/response-two.md '{dialogue_id: "missed", round: 0, score: 1, responses: {two: $text}}' >request.json
run "with its text in the request nothing is missed" 0 dialogue round-register --data @request.json --dry-run --json
is '[.warnings[].type] | index("file_not_handed_in") | not'
printf 'other text\n' >.conclave/dialogues/missed/round-0/response-one.md
run "registered without them" 0 dialogue round-register missed --round 0 --score 1 --json
is '[.warnings[] | select(.type == "file_not_handed_in") | [.expert, (.message | test("keep it anyway: conclave"))]] == [["one", false], ["two", true]]'
run "it can still be kept" 0 dialogue respond missed --round 0 --expert two --content @.conclave/dialogues/missed/round-0/response-two.md --json

# ---- a dialogue that is closed ---------------------------------------------------------------------------

run "the last word" 0 dialogue verdict-register missed --verdict-id final --verdict-type final --round 0 --recommendation r --description d
run "several checks find that it is over, and one says so" 1 dialogue respond missed --expert nobody --round 9 --content "" --json
is '[.errors[].error_code] == ["dialogue_closed", "missing_field"]'
for verb in "respond missed --expert one --content late" "draft missed" "round-verify missed"; do
    # shellcheck disable=SC2086
    run "a round that will never be: $verb" 1 dialogue $verb --round 7 --json
    is '.error_code == "dialogue_closed" and (.message | test("has its final verdict"))'
done
run "a round that was" 0 dialogue draft missed --round 0 --json
run "the round that was last" 0 dialogue round-verify missed --json
is '.round == 0 and .registered'
run "a day that is none" 1 dialogue stats --since yesterday
has "--since: this is not a date; write a day (2026-02-03) or a time in UTC" err

# ---- eight at once ---------------------------------------------------------------------------------------

jq -n '{title: "Crowd", panel_size: 8, expert_pool: {domain: "d", experts:
    [range(8) | {role: "Expert \(.)", tier: "Core", relevance: 0.5, slug: "x\(.)"}]}}' >crowd.json
run "a crowd" 0 dialogue create --data @crowd.json --json
for i in 0 1 2 3 4 5 6 7; do
    printf '[X%d-P0001: Mine]\nText %d.\n' $i $i >"x$i.md"
    "$conclave" dialogue respond crowd --expert "x$i" --content "@x$i.md" --json >"x$i.out" 2>&1 &
done
wait
run "all of them are there" 0 dialogue round-verify crowd --json
is '.complete and ([.experts[].state] | unique) == ["responded"] and .files == [] and .rev == 9'
run "and the record is whole" 0 verify

finish
