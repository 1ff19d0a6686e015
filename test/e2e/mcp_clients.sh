#!/bin/sh
# mcp_clients.sh - the product's server with real clients: the official SDKs of both generations and the Inspector, in both
# eras, on standard input and on HTTP. Each runs a whole deliberation.
. "$(dirname "$0")/lib.sh"
needs_npm "real clients"
inspector=$modules/.bin/mcp-inspector
project
HOME=$work
export HOME
"$conclave" serve --port 0 --tools all --json >"$work/served" 2>"$work/serve.err" &
server=$!
await [ -s "$work/served" ]
url=$(jq -r .mcp "$work/served")

# The clients print TAP of their own: it is counted on.
clients() {
    "$node" "$root/test/mcp/clients.mjs" "$@" "$root/examples/deliberation" >"$out" 2>"$err"
    status=$?
    grep -E '^(not )?ok ' "$out" | while read -r line; do echo "$line"; done | sed -E "s/^((not )?ok) [0-9]+/\1/"
    [ "$status" -eq 0 ] || sed 's/^/#   /' "$err" | head -n 20
    number=$((number + $(grep -cE '^(not )?ok ' "$out")))
    ok "$status" "$1 $2 $3: the deliberation"
}
clients v1 legacy stdio "$conclave"
clients v2 legacy stdio "$conclave"
clients v2 modern stdio "$conclave"
clients v1 legacy http "$url"
clients v2 legacy http "$url"
clients v2 modern http "$url"

# inspect NAME WANTED ARGUMENT...
inspect() {
    name=$1 wanted=$2
    shift 2
    PATH=$(dirname "$node"):$PATH "$node" "$inspector" --cli "$@" >"$out" 2>"$err" </dev/null
    status=$?
    [ "$status" -eq "$wanted" ] || sed 's/^/#   /' "$out" "$err" | head -n 20
    [ "$status" -eq "$wanted" ]
    ok $? "$name: exit status $wanted"
}
for era in legacy modern; do
    inspect "inspector $era stdio, tools" 0 --method tools/list --protocol-era $era --strict --format json -q -- "$program" mcp
    inspect "inspector $era http, all tools" 0 "$url" --method tools/list --protocol-era $era --strict --format json -q
    inspect "inspector $era http, a call" 0 "$url" --method tools/call --tool-name blue_dialogue_list --protocol-era $era --format json -q
    has nvidia
    inspect "inspector $era stdio, a resource" 0 --method resources/read --uri conclave://spec --protocol-era $era --format json -q -- "$program" mcp
    has RE:SUPPORT
    inspect "inspector $era http, a prompt" 0 "$url" --method prompts/get --prompt-name judge --protocol-era $era --format json -q
    inspect "inspector $era http, an unknown tool" 5 "$url" --method tools/call --tool-name nope --protocol-era $era --format json -q
done

kill -TERM $server
wait $server
ok $? "the server ends when it is told to"
[ ! -s "$work/serve.err" ]
ok $? "and said nothing on standard error"
finish
