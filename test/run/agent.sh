#!/bin/sh
# agent.sh - a quick agent for tests: two experts and a judge who makes a third, doubts in round 0, agreement in round 1.
case $CONCLAVE_TASK-$CONCLAVE_ROUND in
response-0) printf '[PERSPECTIVE P01: %s speaks]\nOne.\n\n[TENSION T01: %s doubts]\nIs it?\n' "$CONCLAVE_EXPERT" "$CONCLAVE_EXPERT" ;;
response-*) printf '[PERSPECTIVE P01: %s again]\nTwo.\n\n[MOVE:CONVERGE]\n' "$CONCLAVE_EXPERT" ;;
round-0) echo '{"expert_scores": {"muffin": 7, "cupcake": 6}, "summary": "They doubt.", "mandate": "Decide.", "panel": {"create": [{"role": "Tester", "tier": "Adjacent", "focus": "f", "reason": "r"}]}}' ;;
round-*) echo '{"expert_scores": {"muffin": 7, "cupcake": 6, "scone": 3}, "summary": "They agree.", "tension_updates": [{"id": "T0001", "status": "resolved", "reason": "r"}, {"id": "T0002", "status": "resolved", "reason": "r"}]}' ;;
verdict-*) echo '{"verdicts": [{"verdict_id": "final", "verdict_type": "final", "recommendation": "Do it", "description": "d"}]}' ;;
esac
