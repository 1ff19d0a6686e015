#!/bin/sh
# on_postgres.sh - some of the end-to-end scripts once more, with their records on a server: two others for each
# seed. 'make soak' runs all of them so, and CONCLAVE_TEST_STORE=postgres make test.
. "$(dirname "$0")/lib.sh"
needs_sqlite "on a server"
needs_postgres "on a server"
# A server of its own: transactions that other scripts leave open on the shared one hold the feed back here.
"$server" start "$work/own" --memory --owner $$ && CONCLAVE_TEST_STORE=$("$server" address "$work/own") || exit 1
CONCLAVE_PROGRAM=$conclave
CONCLAVE=$root/test/postgres/conclave
export CONCLAVE_TEST_STORE CONCLAVE_PROGRAM CONCLAVE

# Those that make projects and look at records, and do not take long.
all="agents cite create feed import intake judge destination progress prompts redact seal search story toy transcript"
# shellcheck disable=SC2086
some=$(printf '%s\n' $all | awk -v seed="${CV_SEED:-1}" 'BEGIN { srand(seed) } { print rand(), $0 }' | sort -n | head -n 2 | cut -d ' ' -f 2)
for one in $some; do
    "$root/test/e2e/$one.sh" >"$work/told" 2>&1 </dev/null
    status=$?
    passed=$(grep -c '^ok ' "$work/told") failed=$(grep -c '^not ok ' "$work/told")
    [ "$status" -eq 0 ] && [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] || { status=1 && grep -v '^ok ' "$work/told" | sed 's/^/#   /' | head -n 60; }
    ok "$status" "$one.sh on a server ($passed checks)"
done
finish
