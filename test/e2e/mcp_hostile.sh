#!/bin/sh
# mcp_hostile.sh - hostile and unlucky clients against the product's server (test/mcp/hostile.mjs).
. "$(dirname "$0")/lib.sh"
needs_npm "hostile clients"
project
# The optimised program: its memory is measured. Its replies are watched elsewhere.
"$root/build/conclave" serve --port 0 --tools all --json >"$work/served" 2>"$work/serve.err" &
server=$!
"$root/${MCP_FIXTURE:-build/asan/mcp_fixture}" 0 >"$work/port" 2>"$work/fixture.err" &
fixture=$!
await [ -s "$work/served" ] && await [ -s "$work/port" ]
"$node" "$root/test/mcp/hostile.mjs" "$(jq -r .mcp "$work/served")" $server "http://localhost:$(cat "$work/port")/mcp" "$root/build/conclave" \
    "$root/examples/deliberation" >"$out" 2>"$err"
status=$?
grep -E '^(not )?ok ' "$out"
[ "$status" -eq 0 ] || sed 's/^/#   /' "$err" | head -n 20
number=$(grep -cE '^(not )?ok ' "$out")
ok "$status" "all of it"
kill -TERM $server $fixture
wait $server
ok $? "the server ends when it is told to"
wait $fixture
ok $? "the fixture too"
[ ! -s "$work/serve.err" ] && [ ! -s "$work/fixture.err" ]
ok $? "neither complained"
cat "$work/serve.err" "$work/fixture.err" | head -n 20 | sed 's/^/#   /'
finish
