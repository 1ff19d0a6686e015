#!/bin/sh
# judge.sh - a judge's whole workflow: from a question to a verdict, three rounds, with the answers of a sample panel.
#
#   docs/judge.sh FOLDER [DIALOGUE]   in a project (conclave init), with `conclave` and `jq` on the path
#
# FOLDER holds what agents would do (examples/deliberation is one): dialogue.json starts the dialogue, round-N/SLUG.md is what an expert answers to the
# prompt of that round, round-N/judge.json how the judge scores it. A DIALOGUE that has begun continues with its next round.
# With your own agents, replace ask() with the command that runs one of them: it gets the prompt on its standard input and
# answers on its standard output.
set -eu
if [ $# -lt 1 ] || [ $# -gt 2 ] || [ ! -f "$1/dialogue.json" ]; then
    echo "usage: judge.sh FOLDER [DIALOGUE]   FOLDER has dialogue.json and round-N/, as examples/deliberation has" >&2
    exit 2
fi
folder=$1

# What an expert says to a prompt; nothing at all: no contribution.
ask() { # SLUG ROUND <prompt
    cat >/dev/null
    cat "$folder/round-$2/$1.md" 2>/dev/null || true
}

# One expert: prompt in, response into the record. Runs beside the others.
hear() { # SLUG ROUND PROMPT
    answer=$(ask "$1" "$2" <"$3")
    if [ -n "$answer" ]; then
        printf '%s\n' "$answer" | conclave dialogue respond "$id" --round "$2" --expert "$1" --content - --json
    else
        conclave dialogue respond "$id" --round "$2" --expert "$1" --no-contribution --json
    fi >"$work/$1.json"
}

say() { printf '\n== %s\n' "$*"; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

id=${2:-$(conclave dialogue create --data @"$folder/dialogue.json" --json | jq -r .dialogue_id)}
[ -n "$id" ]
say "$id: $(jq -r .question "$folder/dialogue.json")"

round=$(conclave dialogue get "$id" --json | jq .next_round)
while :; do
    # 0. The panel: the judge brings in who is missing.
    [ ! -f "$folder/round-$round/expert.json" ] || conclave dialogue expert-create "$id" --data @"$folder/round-$round/expert.json" --json >"$work/expert"
    [ ! -f "$folder/round-$round/panel.json" ] || conclave dialogue evolve-panel "$id" --round "$round" --data @"$folder/round-$round/panel.json" --json >"$work/panel"

    # 1, 2. Context and prompts for the whole panel in one call.
    conclave dialogue round-prompts "$id" --round "$round" --json >"$work/prompts"

    # 3. All experts at once.
    jq -r '.prompts[] | "\(.slug) \(.prompt_path)"' "$work/prompts" >"$work/panel.txt"
    while read -r slug prompt; do
        hear "$slug" "$round" "$prompt" &
    done <"$work/panel.txt"
    wait
    conclave dialogue round-verify "$id" --round "$round" --json | jq -e .complete >/dev/null

    # 4, 5. What they said, as a request; the judge adds the scores and registers it.
    conclave dialogue draft "$id" --round "$round" --json >"$work/draft"
    jq -s '.[0].payload + .[1]' "$work/draft" "$folder/round-$round/judge.json" |
        conclave dialogue round-register --data - --json >"$work/registered"
    say "round $round: $(jq -r '[.id_mapping[]] | sort | join(" ")' "$work/registered")"

    # 6. Done?
    conclave dialogue progress "$id" --json >"$work/progress"
    jq -e .convergence.converged "$work/progress" >/dev/null && break
    round=$((round + 1))
done

conclave dialogue verdict-register "$id" --data @"$folder/verdict.json" --json >"$work/verdict"
jq -c '.notes.verdicts[]' "$work/draft" | while read -r verdict; do
    conclave dialogue verdict-register "$id" --data "$verdict" --json >"$work/minority"
done

say progress
conclave dialogue progress "$id"
say scoreboard
conclave dialogue scoreboard "$id"
conclave dialogue export "$id" --json | jq -r '"\n== everything: \(.path)"'
conclave dialogue transcript "$id" --write --json | jq -r '"== to read:    \(.folder)/\(.files[0])"'
