#!/bin/sh
# mcp_edges.sh - the edge cases of the protocol, on both transports: what is refused, with which code, and what is not.
. "$(dirname "$0")/lib.sh"
fixture=$root/${MCP_FIXTURE:-build/asan/mcp_fixture}
"$fixture" 0 >"$work/port" 2>"$work/server.err" &
server=$!
await [ -s "$work/port" ]
url=http://127.0.0.1:$(cat "$work/port")/mcp
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
modern="MCP-Protocol-Version: 2026-07-28"

# http NAME STATUS FILTER CURL-ARGUMENT...: the status of the response, and jq on its body ("" when there must be none).
http() {
    name=$1 wanted=$2 filter=$3
    shift 3
    status=$(curl -s -o "$out" -D "$work/headers" -w '%{http_code}' "$@" "$url")
    [ "$status" = "$wanted" ] || { echo "#   status $status, not $wanted"; head -c 600 "$out" | sed 's/^/#   /'; }
    [ "$status" = "$wanted" ]
    ok $? "http, $name: $wanted"
    if [ -n "$filter" ]; then is "$filter"; else silent; fi
}
# post NAME STATUS FILTER BODY HEADER...
post() {
    what=$1 code=$2 test=$3 body=$4
    shift 4
    set -- "$@" "Content-Type: application/json"
    for header; do
        set -- "$@" -H "$header"
        shift
    done
    http "$what" "$code" "$test" -X POST --data-binary "$body" "$@"
}
# call NAME STATUS FILTER METHOD PARAMS HEADER...: a modern request with the right headers
call() {
    what=$1 code=$2 test=$3 method=$4 params=$5
    shift 5
    post "$what" "$code" "$test" "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"$method\",\"params\":{$params$meta}}" "$modern" \
        "Mcp-Method: $method" "$@"
}

# ---- modern, HTTP ----
call "discover" 200 '.id == 7 and (.result.supportedVersions | index("2026-07-28") != null) and .result.resultType == "complete" and .result.ttlMs >= 0' server/discover ""
call "a tool" 200 '.result.content[0].text | startswith("This is")' tools/call '"name":"test_simple_text",' "Mcp-Name: test_simple_text"
call "an unknown tool" 200 '.error.code == -32602 and .id == 7' tools/call '"name":"nope",' "Mcp-Name: nope"
call "a tool without a name" 200 '.error.code == -32602' tools/call ""
call "arguments that are no object" 200 '.error.code == -32602' tools/call '"name":"test_simple_text","arguments":[],' "Mcp-Name: test_simple_text"
call "an unknown method" 404 '.error.code == -32601 and .id == 7' no/such ""
for method in initialize ping logging/setLevel resources/subscribe resources/unsubscribe; do
    call "$method is gone" 404 '.error.code == -32601' $method ""
done
call "a page that is not there" 200 '.error.code == -32602' tools/list '"cursor":"x",'
call "a resource that is not there" 200 '.error.code == -32602' resources/read '"uri":"test://nope",' "Mcp-Name: test://nope"
call "a name in base64" 200 '.result.content' tools/call '"name":"test_simple_text",' "Mcp-Name: =?base64?dGVzdF9zaW1wbGVfdGV4dA==?="
call "a broken name in base64" 400 '.error.code == -32020' tools/call '"name":"test_simple_text",' "Mcp-Name: =?base64?dGVzd*==?="
call "another name" 400 '.error.code == -32020' tools/call '"name":"test_simple_text",' "Mcp-Name: other"
call "no name" 400 '.error.code == -32020' tools/call '"name":"test_simple_text",'
call "a capability that is not declared" 400 '.error.code == -32021 and (.error.data.requiredCapabilities.sampling | type) == "object"' tools/call '"name":"test_missing_capability",' "Mcp-Name: test_missing_capability"
request='{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{'$meta'}}'
post "another method in the header" 400 '.error.code == -32020' "$request" "$modern" "Mcp-Method: tools/call"
post "no method in the header" 400 '.error.code == -32020' "$request" "$modern"
post "no version in the header" 400 '.error.code == -32020' "$request" "Mcp-Method: tools/list"
post "an older version in the header" 400 '.error.code == -32020' "$request" "MCP-Protocol-Version: 2025-11-25" "Mcp-Method: tools/list"
post "headers in other cases, with blanks" 200 '.result.tools' "$request" "mcp-protocol-version:   2026-07-28  " "MCP-METHOD: tools/list"
post "no envelope" 400 '.error.code == -32602' '{"jsonrpc":"2.0","id":7,"method":"tools/list"}' "$modern" "Mcp-Method: tools/list"
post "no capabilities" 400 '.error.code == -32602' '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}' "$modern" "Mcp-Method: tools/list"
post "a bad level" 400 '.error.code == -32602' '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"loud"}}}' "$modern" "Mcp-Method: tools/list"
post "an unknown version" 400 '.error.code == -32022 and .error.data.requested == "2031-01-01" and (.error.data.supported | index("2026-07-28") != null)' '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}' "MCP-Protocol-Version: 2031-01-01" "Mcp-Method: tools/list"
post "a notification" 202 "" '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}' "$modern"
http "GET" 405 '.error' -H "$modern"
http "DELETE" 405 '.error' -X DELETE -H "$modern"

# ---- HTTP, any era ----
post "no JSON" 400 '.error.code == -32700 and .id == null' '{"jsonrpc":'
post "nothing" 400 '.error.code == -32700 and .id == null' ''
post "a number" 400 '.error.code == -32600' '7'
post "a batch" 400 '.error.code == -32600' '[{"jsonrpc":"2.0","id":1,"method":"ping"}]'
post "id null" 400 '.error.code == -32600' '{"jsonrpc":"2.0","id":null,"method":"ping"}'
post "id 1.5" 400 '.error.code == -32600' '{"jsonrpc":"2.0","id":1.5,"method":"ping"}'
post "no jsonrpc" 400 '.error.code == -32600' '{"id":1,"method":"ping"}'
http "another type" 415 '.error' -X POST -H "Content-Type: text/plain" -d '{}'
post "a foreign origin" 403 '.message' '{}' "Origin: http://evil.example.com"
post "the origin null" 403 '.message' '{}' "Origin: null"
post "a local origin" 200 '.result' "$request" "$modern" "Mcp-Method: tools/list" "Origin: http://localhost:9999"
post "a foreign host" 403 '.message' '{}' "Host: evil.example.com"
post "no host" 403 '.message' '{}' "Host:"
http "PUT" 405 '.error' -X PUT -H "Content-Type: application/json" -d '{}'
url=${url%/mcp}/other http "another path" 404 '.message' -X POST -d '{}'
head -c 1100000 /dev/zero | tr '\0' ' ' >"$work/large"
http "a body that is too large" 413 '.message' -X POST -H "Content-Type: application/json" --data-binary @"$work/large"

# ---- legacy, HTTP ----
begin() { post "$1" 200 "$3" '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"'"$2"'","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'; }
begin "initialize, an unknown version" 1999-01-01 '.result.protocolVersion == "2025-11-25"'
begin "initialize, the modern version" 2026-07-28 '.result.protocolVersion == "2025-11-25"'
for version in 2025-06-18 2025-03-26 2024-11-05; do begin "initialize" $version ".result.protocolVersion == \"$version\""; done
begin "initialize" 2025-11-25 '.result.serverInfo.name == "fixture"'
session="Mcp-Session-Id: $(sed -n 's/^[Mm]cp-[Ss]ession-[Ii]d: *//p' "$work/headers" | tr -d '\r')"
list='{"jsonrpc":"2.0","id":"x","method":"tools/list"}'
post "in the session" 200 '.id == "x" and .result.tools and (.result.resultType == null)' "$list" "$session" "MCP-Protocol-Version: 2025-11-25"
post "without the version's header" 200 '.result.tools' "$list" "$session"
post "a bad version's header" 400 '.error.code == -32000' "$list" "$session" "MCP-Protocol-Version: 1999-01-01"
post "an unknown method" 200 '.error.code == -32601' '{"jsonrpc":"2.0","id":1,"method":"no/such"}' "$session"
post "an unknown tool" 200 '.error.code == -32602' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}' "$session"
post "a resource that is not there" 200 '.error.code == -32002' '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://nope"}}' "$session"
post "without a session" 400 '.error.code == -32000' "$list"
post "an unknown session" 404 '.error.code == -32001' "$list" "Mcp-Session-Id: 0123"
post "initialized" 202 "" '{"jsonrpc":"2.0","method":"notifications/initialized"}' "$session"
http "an unknown event" 404 '.error' -H "$session" -H "Last-Event-ID: 99:0"
http "the end of the session" 200 "" -X DELETE -H "$session"
post "after its end" 404 '.error.code == -32001' "$list" "$session"
kill -TERM $server
wait $server
ok $? "http, the server ends when it is told to"
[ ! -s "$work/server.err" ]
ok $? "http, it has nothing to complain about"

# ---- standard input ----
# stdio NAME LINES FILTER: what is answered to these lines, as one list
stdio() {
    name="stdio, $1"
    printf '%b' "$2" | "$fixture" 2>"$err" | jq -s . >"$out"
    is "$3"
}
ask='{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{'$meta'}}'
stdio "modern, at once" "$ask\n" 'length == 1 and .[0].id == 7 and .[0].result.resultType == "complete"'
stdio "legacy before initialize" '{"jsonrpc":"2.0","id":0,"method":"ping"}\n' '. == [{"jsonrpc":"2.0","id":0,"result":{}}]'
stdio "both eras, one after the other" "$ask"'\n{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}\n'"$ask\n" '[.[] | .id] == [7, "i", 7] and .[1].result.protocolVersion == "2025-06-18"'
stdio "blank lines and carriage returns" "\n\r\n$ask\r\n\n" 'length == 1'
stdio "the last line without its end" "$ask" 'length == 1'
stdio "lines that are no messages are passed over" 'hello\n[]\n7\n{"jsonrpc":"2.0","id":null,"method":"ping"}\n[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n{"jsonrpc":"2.0","method":"no/such"}\n'"$ask\n" 'length == 1 and .[0].id == 7'
has "not JSON" err
has "batches are not supported" err
stdio "an unknown version" '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}}\n' '.[0].error.code == -32022 and .[0].error.data.requested == "2031-01-01"'
stdio "no capabilities" '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}\n' '.[0].error.code == -32602'
stdio "an unknown method" '{"jsonrpc":"2.0","id":1,"method":"no/such"}\n' '.[0].error.code == -32601'
stdio "a subscription does not keep it" '{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},'"$meta"'}}\n' 'length == 1 and .[0].method == "notifications/subscriptions/acknowledged" and .[0].params._meta["io.modelcontextprotocol/subscriptionId"] == "l"'
stdio "what is told carries its id" '{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},'"$meta"'}}\n{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_trigger_tool_change",'"$meta"'}}\n' '[.[] | select(.method == "notifications/tools/list_changed")] | length == 1 and .[0].params._meta["io.modelcontextprotocol/subscriptionId"] == "l"'
stdio "progress before the answer" '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_tool_with_progress","_meta":{"progressToken":"p"}}}\n' '[.[] | .params.progress] == [0, 50, 100, null] and .[3].id == 2'
stdio "what is cancelled is not answered, the rest is" '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_tool_with_progress"}}\n{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}\n{"jsonrpc":"2.0","id":3,"method":"ping"}\n' '[.[] | .id] == [3]'
stdio "quick ones pass by a slow one" '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_tool_with_progress"}}\n{"jsonrpc":"2.0","id":3,"method":"ping"}\n{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"test_simple_text"}}\n' '[.[] | .id] == [3, 4, 2]'

# A question to the client in the middle of a call, and its answer.
mkfifo "$work/in" "$work/answers"
"$fixture" <"$work/in" >"$work/answers" 2>"$err" &
pid=$!
exec 7>"$work/in" 8<"$work/answers"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}}}}' \
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"test_sampling","arguments":{"prompt":"hi"}}}' >&7
read -r line <&8
read -r line <&8
printf '%s' "$line" >"$out"
name="stdio, a question"
is '.method == "sampling/createMessage" and .params.messages[0].content.text == "hi"'
printf '{"jsonrpc":"2.0","id":%s,"result":{"role":"assistant","content":{"type":"text","text":"yes"},"model":"m"}}\n' "$(jq .id "$out")" >&7
read -r line <&8
printf '%s' "$line" >"$out"
name="stdio, its answer"
is '.id == 2 and (.result.content[0].text | contains("yes"))'
exec 7>&- 8<&-
wait $pid

# Signals: it ends at once, whatever it is doing.
for signal in INT TERM; do
    mkfifo "$work/in.$signal"
    : >"$out"
    ends_by_signals "$fixture" <"$work/in.$signal" >"$out" 2>"$err" &
    pid=$!
    exec 7>"$work/in.$signal"
    printf '%s\n' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow"}}' '{"jsonrpc":"2.0","id":3,"method":"ping"}' >&7
    await has_lines "$out" 1
    kill -$signal $pid
    wait $pid
    ok $? "stdio, SIG$signal ends it"
    exec 7>&-
done
finish
