#!/bin/sh
# judge.sh - the judge's whole workflow as docs/judge.sh shows it: three rounds, experts who answer at the same time, one who is
# created, one who dissents; until it has converged, is decided and written down.
. "$(dirname "$0")/lib.sh"
project
mkdir "$work/bin" && ln -s "$conclave" "$work/bin/conclave"
PATH=$work/bin:$PATH
for arguments in "" "$work" "$work none more"; do
    # shellcheck disable=SC2086
    "$root/docs/judge.sh" $arguments >"$out" 2>"$err"
    [ $? -eq 2 ] && grep -q "^usage:" "$err" && [ -z "$("$conclave" dialogue list --json | jq -r '.dialogues[]')" ]
    ok $? "with '$arguments' it says how it is called, and does nothing"
done
"$root/docs/judge.sh" "$root/examples/deliberation" >"$out" 2>"$err"
ok $? "the script runs to its end"
[ ! -s "$err" ] || sed 's/^/#   /' "$err" | head -n 20
name="what it prints"
golden judge/output.txt
transcript=.conclave/dialogues/nvidia-investment-decision/nvidia-investment-decision.dialogue.md
sed -e 's/head [0-9a-f]\{64\}/head HASH/' -e 's/: [0-9]\{4\}-[0-9][0-9]-[0-9][0-9]$/: DATE/' $transcript >"$out"
name="the transcript"
golden judge/transcript.md
run "the linter has nothing to say about it" 0 lint --quiet $transcript
run "the record is whole" 0 verify --json
run "the dialogue" 0 dialogue get nvidia-investment-decision --json
is '.dialogue.status == "converged"'
run "every response is there" 0 dialogue round-verify nvidia-investment-decision --round 2 --json
is '.complete == true'
run "the verdicts" 0 dialogue expand nvidia-investment-decision final minority-brioche --json
is '[.items[].id] | length == 2'
run "nothing is wrong with the project" 0 doctor --json
finish
