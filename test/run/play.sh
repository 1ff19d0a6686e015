#!/bin/sh
# play.sh - an agent for tests: it says what examples/deliberation has for it, be it an expert or the judge.
#
#     sh play.sh EXAMPLES STAGE
#
# STAGE is a folder: every call is a line in STAGE/calls, every prompt a file in STAGE/prompts. A script
# STAGE/act/WHO-ROUND-ATTEMPT (or WHO-ROUND, or WHO) is run in the place of the part; it may fail, stall or talk nonsense.
set -u
examples=$1 stage=$2
who=$CONCLAVE_EXPERT round=$CONCLAVE_ROUND attempt=$CONCLAVE_ATTEMPT task=$CONCLAVE_TASK
mkdir -p "$stage/prompts"
cat >"$stage/prompts/$who-$task-$round-$attempt.md"
echo "$who $task $round $attempt" >>"$stage/calls"
part() {
    case $task in
    response) cat "$examples/round-$round/$who.md" 2>/dev/null || echo "NO CONTRIBUTION" ;;
    round)
        expert=$examples/round-$((round + 1))/expert.json
        [ -f "$expert" ] || expert=/dev/null
        echo "Here is what I think."
        echo '```json'
        jq --slurpfile new "$expert" '. + if $new == [] then {} else {panel: {create: $new}} end' "$examples/round-$round/judge.json"
        echo '```'
        ;;
    verdict) jq '{verdicts: [.]}' "$examples/verdict.json" ;;
    control) echo "I would swap a third, slowly." ;;
    esac
}
for act in "$who-$round-$attempt" "$who-$round" "$who"; do
    if [ -f "$stage/act/$act" ]; then
        . "$stage/act/$act"
        exit $?
    fi
done
part
