# record.sh - what run.sh and run_kills.sh compare. Not a test: it is sourced.

# record ID: a dialogue without what no two runs share: times, revs, hashes.
record() {
    "$conclave" dialogue export "$1" --output-path - | jq -S 'del(.record, .events, .meta) | .verdicts |= (sort_by(.id)? // .) |
        walk(if type == "object" then del(.created_at, .createdAt, .rev, .completed_at, .converged_at, .position, .completedAt, .convergedAt) else . end)'
}
