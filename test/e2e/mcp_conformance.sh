#!/bin/sh
# mcp_conformance.sh - the protocol's own conformance suite against the library: all scenarios that a revision requires, and
# those that are pending. What the suite calls extensions (tasks) is not offered and not asked for.
. "$(dirname "$0")/lib.sh"
needs_npm "conformance"
PATH=$(dirname "$node"):$PATH
export PATH
"$root/${MCP_FIXTURE:-build/asan/mcp_fixture}" 0 >"$work/port" 2>"$work/server.err" &
server=$!
await [ -s "$work/port" ]
url=http://localhost:$(cat "$work/port")/mcp

# suite REVISION REQUIRED: one result per scenario, and as many required ones as the revision has.
suite() {
    node "$modules/.bin/conformance" server --url "$url" --requirements "$1" -o "$work/$1" >"$out" 2>&1
    status=$?
    sed -n '/=== SUMMARY/,$p' "$out" | grep -E '^[✓✗] ' | grep -v ' tasks-' >"$work/scenarios"
    while read -r mark scenario rest; do
        [ "$mark" = "✓" ]
        ok $? "$1 ${scenario%:} ($rest)"
    done <"$work/scenarios"
    [ "$(wc -l <"$work/scenarios")" -ge "$2" ]
    ok $? "$1: at least $2 scenarios"
    ok "$status" "$1: conforms"
    [ "$status" -eq 0 ] || tail -n 40 "$out" | sed 's/^/#   /'
}
suite 2026-07-28 40
suite 2025-11-25 33

kill -TERM $server
wait $server
ok $? "the server ends when it is told to"
[ ! -s "$work/server.err" ] || sed 's/^/#   /' "$work/server.err" | head -n 30
[ ! -s "$work/server.err" ]
ok $? "and has nothing to complain about"
finish
