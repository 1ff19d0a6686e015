#!/bin/sh
# agent.sh - stands for a model in the documentation. `conclave ask` starts it once for each expert of a round, and once for
# the judge. A model reads the prompt on standard input; this script says what the files beside it have for that expert and
# round.
cat >/dev/null
cd "$(dirname "$(realpath "$0")")" || exit 1
case $CONCLAVE_TASK in
response) cat "round-$CONCLAVE_ROUND/$CONCLAVE_EXPERT.md" ;;
round) cat "round-$CONCLAVE_ROUND/judge.json" ;;
verdict) cat verdict.json ;;
control) echo "Move the queue to PostgreSQL: one store is less to run than two." ;;
esac
