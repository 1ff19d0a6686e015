#!/bin/sh
# agent.sh - stands for a model in the documentation and says the same every time. `conclave run` starts it once for each
# expert of a round, and once for the judge; the prompt is on standard input, the variables say who is asked for what.
cat >/dev/null
expert=$(echo "$CONCLAVE_EXPERT" | tr a-z A-Z)
case $CONCLAVE_TASK in
response)
    cat <<END
[$expert-P0${CONCLAVE_ROUND}01: One store is enough]
As $CONCLAVE_ROLE I would rather run one database than two.

[MOVE:CONVERGE]
END
    ;;
round) echo '{"expert_scores": {"muffin": 7, "cupcake": 6}, "summary": "Both want one store."}' ;;
control) echo "Move the queue to PostgreSQL: one store is less to run than two." ;;
verdict) echo '{"verdicts": [{"verdict_id": "final", "verdict_type": "final", "recommendation": "Move the queue to PostgreSQL", "description": "One store is less to run than two.", "vote": "2-0", "confidence": "strong"}]}' ;;
esac
