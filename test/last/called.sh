#!/bin/sh
# called.sh - every command and operation was called by some test. Runs after all others: tools/test keeps the list of
# calls in the file CV_CALL_LOG. TAP on stdout.
set -u
cd "$(dirname "$0")/../.." || exit 1
conclave=${CONCLAVE:-build/asan/conclave}
number=0

"$conclave" help --json | jq -r '.commands[] | if .room == "" then .verb else .room + " " + .verb end' >"$CV_CALL_LOG.all"
while read -r name; do
    number=$((number + 1))
    if grep -qxF "$name" "$CV_CALL_LOG"; then
        echo "ok $number - conclave $name is called by a test"
    else
        echo "not ok $number - conclave $name is called by no test"
    fi
done <"$CV_CALL_LOG.all"
[ "$number" -gt 0 ] || echo "Bail out! the program lists no commands"
echo "1..$number"
