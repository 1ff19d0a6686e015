#!/bin/sh
# small.sh - the least that an agent of `conclave ask` does: it reads a prompt on standard input and prints its answer.
cat >/dev/null
expert=$(echo "$CONCLAVE_EXPERT" | tr a-z A-Z)
case $CONCLAVE_TASK in
response) printf '[%s-P%02d01: Less to run]\nOne server less.\n\n[MOVE:CONVERGE]\n' "$expert" "$CONCLAVE_ROUND" ;;
round) echo '{"expert_scores": {"muffin": 5, "cupcake": 5}, "summary": "Both want less to run."}' ;;
verdict) echo '{"verdicts": [{"verdict_id": "final", "verdict_type": "final",
    "recommendation": "Use PostgreSQL", "description": "It is there already."}]}' ;;
esac
