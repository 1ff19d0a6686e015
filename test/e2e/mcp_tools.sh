#!/bin/sh
# mcp_tools.sh - what the product's server shows to a client: tools, their size, rooms, skills, and a project that is not there.
export TMPDIR=/tmp # answers name the folder, and their bytes are counted
. "$(dirname "$0")/lib.sh"
# ask NAME REQUEST ARGUMENT...: one request on standard input
ask() {
    name=$1
    request=$2
    shift 2
    printf '%s\n' "$request" | "$conclave" mcp "$@" >"$out" 2>"$err"
    ok $? "$name: exit status 0"
}
list='{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
# explains: every parameter that a request must have is explained, and that of a dialogue or a chat says where it is from.
explains() {
    is '[.result.tools[] | . as $tool | .inputSchema | .properties as $all | (.required // [])[] | select(($all[.].description // "") == "") | "\($tool.name) \(.)"] == []'
    is '[.result.tools[] | .inputSchema | .properties as $all | (.required // [])[] | select(. == "dialogue_id" or . == "chat_id") | $all[.].description] - ["id: see list"] == []'
}
project
ask "the tools of chats" "$list" --rooms chat
[ "$(jq -c .result "$out" | wc -c)" -le 6000 ]
ok $? "the tools of chats: at most 6,000 bytes ($(jq -c .result "$out" | wc -c))"
ask "the tools of mail" "$list" --rooms mail
[ "$(jq -c .result "$out" | wc -c)" -le 8000 ]
ok $? "the tools of mail: at most 8,000 bytes ($(jq -c .result "$out" | wc -c))"
explains
is '[.result.tools[].name] | contains(["conclave_mail_send", "conclave_mail_inbox", "conclave_mail_wait", "conclave_mail_claim", "conclave_mail_done", "conclave_mail_fail"])'
is '[.result.tools[].inputSchema | .. | objects | .type | select(type == "array" and .[1:] != ["null"])] == []'
ask "the tools" "$list" --rooms dialogue
[ "$(wc -c <"$out")" -le 12000 ]
ok $? "the tools: at most 12,000 bytes, the whole reply ($(wc -c <"$out"))"
printf '%s\n' "$list" | "$conclave" mcp --rooms dialogue,mail,chat,notes >"$work/rooms" 2>"$err"
jq -e '[.result.tools[].name | split("_")[1]] | unique == ["chat", "dialogue", "mail", "notes"]' "$work/rooms" >/dev/null
ok $? "all rooms together have tools of each"
[ "$(wc -c <"$work/rooms")" -le 24000 ]
ok $? "all rooms together: at most 24,000 bytes, the whole reply ($(wc -c <"$work/rooms"))"
explains
is '[.result.tools[].name] | contains(["blue_dialogue_create", "blue_dialogue_round_context", "blue_dialogue_expert_create", "blue_dialogue_round_register", "blue_dialogue_verdict_register", "blue_dialogue_export", "blue_dialogue_evolve_panel"])'
is '[.result.tools[] | select(.annotations.openWorldHint != false)] == []'
is '[.result.tools[].inputSchema.properties] | add | .op_id and .dry_run and .references and .author_expert.type == ["string", "null"]'
is '[.result.tools[].inputSchema | .. | objects | .enum // empty] | contains([["interim", "final", "minority", "dissent"],
    ["unanimous", "strong", "split", "contested", null], ["Core", "Adjacent", "Wildcard"],
    ["support", "oppose", "refine", "address", "resolve", "reopen", "question", "depend"], ["open", "addressed", "resolved", "reopened", "accepted"]])'
is '[.result.tools[].inputSchema | .. | objects | .description? // empty | strings | select(test("[a-z]+-(create|register|prompts|panel|context)"))] == []'
is '[.result.tools[] | select(.annotations.readOnlyHint == null or .title == null or .outputSchema)] == []'
is '[.result.tools[] | select(.name == "blue_dialogue_progress" or .name == "blue_dialogue_round_context") | .annotations.readOnlyHint] == [true, true]'
is '[.result.tools[] | select(.name == "blue_dialogue_round_register") | .annotations.readOnlyHint, .annotations.idempotentHint, .annotations.destructiveHint] == [false, true, false]'
is '[.result.tools[] | select(._meta["anthropic/maxResultSizeChars"]) | .name] | contains(["blue_dialogue_round_context", "blue_dialogue_round_prompts"])'
is '[.result.tools[].inputSchema | .. | objects | .type | select(type == "array" and .[1:] != ["null"])] == []'
is '[.result.tools[] | select(.annotations.destructiveHint != false and .annotations.readOnlyHint == false)] == []'
is '.result.tools[] | select(.name == "blue_dialogue_create") | .annotations.idempotentHint != true'
is '.result.tools[] | select(.name == "blue_dialogue_round_prompts") | .inputSchema.properties | has("experts") and has("include_prompts")'
ask "all tools" "$list" --tools all --rooms all
explains
is '.result.tools[] | select(.name == "conclave_doctor") | .annotations.readOnlyHint == false'
is '[.result.tools[].name] | contains(["blue_dialogue_search", "conclave_verify", "blue_dialogue_update"])'
run "an unknown room" 2 mcp --rooms kitchen
has dialogue err
ask "a tool that is not offered" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_search","arguments":{"query":"x"}}}'
is '.error.code == -32602 and .error.message == "Tool blue_dialogue_search not found: this server offers it only when it is started with --tools all"'
ask "a misspelt tool" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialog_list"}}'
is '.error.code == -32602 and .error.message == "Tool blue_dialog_list not found: did you mean '"'blue_dialogue_list'"'?"'
for name in dialogue_list mcp__conclave__blue_dialogue_list list; do
    ask "a tool without its prefix: $name" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'$name'"}}'
    is '.error.message | endswith("not found: did you mean '"'blue_dialogue_list'"'?")'
done
ask "a tool that is not offered, without its prefix" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dialogue_abandon"}}'
is '.error.message == "Tool dialogue_abandon not found: this server offers blue_dialogue_abandon only when it is started with --tools all"'
ask "a tool with nothing but the prefix" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_foo"}}'
is '.error.message == "Tool blue_dialogue_foo not found: tools/list has all that are offered"'
ask "no such tool" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sing"}}'
is '.error.message == "Tool sing not found: tools/list has all that are offered"'
ask "one room" "$list" --rooms dialogue
is '.result.tools | length > 10'
call='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_export","arguments":{"dialogue_id":"x","output_path":"/tmp/outside.json"}}}'
"$conclave" dialogue create X --json >/dev/null
ask "the rooms in use" "$list"
is '[.result.tools[].name | select(startswith("conclave_chat"))] == []'
ask "all rooms" "$list" --rooms all
printf '%s\n' "$list" | "$conclave" mcp --rooms dialogue,mail,chat,notes >"$work/rooms" 2>"$err"
[ "$(jq -c '[.result.tools[].name]' "$work/rooms")" = "$(jq -c '[.result.tools[].name]' "$out")" ]
ok $? "all rooms: their tools are those of each"
is '[.result.tools[].name | select(startswith("conclave_chat"))] != []'
ask "a path outside the project" "$call"
is '.result.isError == true and (.result.content[0].text | fromjson | .field == "output_path")'
ask "an unknown field" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_list","arguments":{"limt":5}}}'
is '.result.isError == true and (.result.content[0].text | fromjson | .error_code == "unknown_field")'
printf 'mine\n' >README.md
ask "force over a file of somebody else" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_export","arguments":{"dialogue_id":"x","output_path":"README.md","force":true}}}'
is '.result.isError == true and (.result.content[0].text | contains("only the command line"))'
[ "$(cat README.md)" = mine ]
ok $? "force over a file of somebody else: it stays"
ask "a backup over it" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"conclave_backup","arguments":{"path":"README.md","force":true}}}' --tools all
is '.result.isError == true'
[ "$(cat README.md)" = mine ]
ok $? "a backup over it: it stays"

# What models get wrong often: JSON in quotes, the request in a field of its own.
refused() { # refused NAME TOOL ARGUMENTS: its faults as a list in $out
    ask "$1" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$2"'","arguments":'"$3"'}}'
    command jq '.result.content[0].text | fromjson | .errors // [.]' "$out" >"$work/text" && cp "$work/text" "$out"
}
refused "a list in quotes" blue_dialogue_round_register '{"dialogue_id":"x","round":0,"score":1,"perspectives":"[{\"label\":\"A\"}]"}'
is '.[0].suggestion == "it is a string that holds JSON: send the array itself, without quotes"'
refused "an object in quotes" blue_dialogue_create '{"title":"X","expert_pool":"{\"experts\":[]}"}'
is '.[0].suggestion == "it is a string that holds JSON: send the object itself, without quotes"'
refused "a string where a list is wanted" blue_dialogue_expand '{"dialogue_id":"x","ids":{"a":1}}'
is '.[0].message | startswith("expected")'
for request in '{"payload":{"dialogue_id":"x"}}' '{"arguments":"{\"dialogue_id\":\"x\"}"}'; do
    refused "the request in a field" blue_dialogue_progress "$request"
    is 'any(.[]; .error_code == "unknown_field" and .suggestion == "send its members themselves, without this field around them" and (has("valid_options") | not))'
done
refused "a field that is an object of something else" blue_dialogue_progress '{"dialogue_id":"x","payload":{"colour":"red"}}'
is '.[0].valid_options | index("dialogue_id")'
refused "many unknown fields" blue_dialogue_round_register '{"dialogue_id":"x","round":0,"score":1,"qqqqq":1,"wwwww":2,"zzzzz":3}'
is 'length == 3 and ([.[] | select(.valid_options)] | length) == 1'

# What helps is named as the caller can call it.
tool() { # tool NAME TOOL ARGUMENTS: a call, its text as JSON in $out
    ask "$1" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$2"'","arguments":'"$3"'}}' --tools all
    command jq '.result.content[0].text | fromjson' "$out" >"$work/text" && cp "$work/text" "$out"
}
tool "a dialogue that is not there" blue_dialogue_progress '{"dialogue_id":"qqqqq"}'
is '.suggestion == "'"'blue_dialogue_list'"' shows all dialogues"'
tool "the next step" blue_dialogue_progress '{"dialogue_id":"x"}'
is '.next_step.command == "blue_dialogue_expert_create {\"dialogue_id\":\"x\",\"role\":\"…\",\"tier\":\"Core\",\"reason\":\"…\"}"'
tool "nobody to prompt" blue_dialogue_round_prompts '{"dialogue_id":"x"}'
is '.suggestion == "'"'blue_dialogue_expert_create'"' adds experts"'
ask "what is no tool here is a command" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_expand","arguments":{"dialogue_id":"x","ids":["dialogue"]}}}'
is '.result.content[0].text | contains("'"'conclave dialogue history'"' shows")'
tool "what cannot be expanded" blue_dialogue_expand '{"dialogue_id":"x","ids":["dialogue"]}'
is '[.. | .suggestion? // empty] | any(contains("'"'blue_dialogue_history'"' shows"))'
run "the same on the command line" 1 dialogue get qqqqq --json
is '.suggestion == "'"'conclave dialogue list'"' shows all dialogues"'
run "the next step on the command line" 0 dialogue progress x --json
is '.next_step.command == "conclave dialogue expert-create x --tier Core"'
grep -rhoE '(operation = |cv_call_name\([a-z>-]+, |cv_ask\([a-z]+, |show = )(CV_STR\()?"[^"]*"' "$root/src" | sed 's/.*"\(.*\)"/\1/' | sort -u >"$work/helpers"
unknown=$(while read -r words; do "$conclave" help $words >/dev/null 2>&1 || echo "$words"; done <"$work/helpers")
[ -z "$unknown" ] && [ "$(wc -l <"$work/helpers")" -ge 5 ]
ok $? "every operation that an error names is one $unknown"
# What an answer says to call can be called as it stands.
tool "a dialogue with an expert" blue_dialogue_create '{"title":"Suggested","expert_pool":{"domain":"Baking","experts":[{"slug":"muffin","role":"Baker","tier":"Core","relevance":1}]}}'
is '.judge_protocol.instructions | contains("`blue_dialogue_round_context`") and contains("`blue_dialogue_abandon`") and (test("`(respond|draft|progress|panel-sample|abandon|round-(context|prompts|verify|register))`") | not)'
call_suggested() { # call_suggested CALL: "TOOL ARGUMENTS" as an answer gave it
    tool "$1" "${1%% *}" "${1#* }"
    is '.status == "success"'
}
mkdir -p .conclave/dialogues/suggested/round-0
printf '[MUFFIN-P0001: Rye]\nKeeps.\n' >.conclave/dialogues/suggested/round-0/response-muffin.md
tool "a file that nobody handed in" blue_dialogue_round_verify '{"dialogue_id":"suggested"}'
is '.files[0].command | startswith("blue_dialogue_respond {\"dialogue_id\":\"suggested\",\"round\":0,\"expert\":\"muffin\",\"content_path\":\"")'
call_suggested "$(jq -r '.files[0].command' "$out")"
tool "an expert's prompt" blue_dialogue_round_prompts '{"dialogue_id":"suggested","write":false}'
is '.prompts[0].prompt | contains("`blue_dialogue_respond {\"dialogue_id\":\"suggested\",\"round\":0,\"expert\":\"muffin\",\"content\":\"…\"}`") and contains("\"no_contribution\":true}`") and (contains("conclave dialogue") | not)'
awk 'BEGIN { for (i = 0; i < 7000; i++) print "Rye keeps longer than wheat does." }' >"$work/long.txt"
jq -n --rawfile w "$work/long.txt" '{"dialogue_id":"suggested","round":0,"score":1,"summary":"S","perspectives":[{"local_id":"MUFFIN-P0001","label":"A","content":$w},{"local_id":"MUFFIN-P0002","label":"B","content":$w}]}' >"$work/round.json"
"$conclave" dialogue round-register --data @"$work/round.json" --json >/dev/null
ask "prompts too long for an answer" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_round_prompts","arguments":{"dialogue_id":"suggested","include_prompts":true}}}'
[ "$(wc -c <"$out")" -lt 450000 ]
ok $? "prompts too long for an answer: the answer is short"
is '.result.content[0].text | fromjson | .prompts[0] | .prompt_left_out and .prompt_path and (has("prompt") | not)'
tool "a tool takes whole ids" blue_dialogue_progress '{"dialogue_id":"suggeste"}'
is '.error_code == "dialogue_not_found"'
tool "a tool takes whole ids" blue_dialogue_progress '{}'
is '.error_code == "missing_field"'
tool "the next step with responses" blue_dialogue_progress '{"dialogue_id":"suggested"}'
call_suggested "$(jq -r .next_step.command "$out")"
for uri in conclave://dialogues conclave://dialogue/x conclave://dialogue/x/transcript conclave://spec; do
    case $uri in */transcript | */spec) type=text/markdown ;; *) type=application/json ;; esac
    ask "$uri" '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"'$uri'"}}'
    is '.result.contents[0] | (.text | length > 0) and .mimeType == "'$type'"'
done
for uri in conclave://dialogue/y conclave://nothing conclave://dialogue/x/round/one conclave://dialogue/x/T0001/more; do
    ask "$uri" '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"'$uri'"}}'
    is '.error.code == -32002'
done
ask "completion" '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"conclave://dialogue/{id}"},"argument":{"name":"id","value":"X"}}}'
is '.result.completion.values == ["x"]'

# A request that cannot be read has somebody who waits for its answer all the same.
{
    printf '\357\273\277{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    printf '%s\n' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x\ud83e"}}' \
        '{"jsonrpc":"2.0","method":"notifications/x","params":{"name":"x\ud83e"}}'
    printf '{"jsonrpc":"2.0","id":"three","method":"tools/call","params":{"a":"\377"}}\n'
    printf '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"a":"'
    head -c 34000000 /dev/zero | tr '\0' x
    printf '"}}\n{"jsonrpc":"2.0","id":5,"method":"ping"}\n'
} | "$conclave" mcp >"$out" 2>"$err"
ok $? "unreadable requests: exit status 0"
jq -s -e -c '[.[] | [.id, .error.code]] == [[1, null], [2, -32700], ["three", -32700], [4, -32600], [5, null]]' "$out" >/dev/null
ok $? "unreadable requests: each has its answer"
[ "$(grep -c 'was ignored' "$err")" -eq 1 ]
ok $? "unreadable requests: what nobody waits for is told on standard error"

# Long work tells how far it is, to who wants to know.
ask "progress" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"conclave_verify","arguments":{},"_meta":{"progressToken":"p"}}}' --tools all
jq -s -e 'length == 2 and .[0].method == "notifications/progress" and (.[0].params | .progressToken == "p" and .progress == 0 and .total >= 1 and (.message | length) > 0) and (.[1].result | has("isError") | not)' "$out" >/dev/null
ok $? "progress: told before the answer"
ask "no progress" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"conclave_verify","arguments":{}}}' --tools all
[ "$(wc -l <"$out")" -eq 1 ]
ok $? "no progress: nothing but the answer"

# What was answered before is answered again, until anybody changes the record: then the next question sees it.
mkfifo "$work/asked"
: >"$out"
"$conclave" mcp <"$work/asked" >"$out" 2>"$err" &
pid=$!
exec 7>"$work/asked"
answered() { await has_lines "$out" "$1"; }
ask_list='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_list","arguments":{}}}'
for n in 1 2 3; do printf '%s\n' "$ask_list" >&7; answered $n; done
for n in 4 5 6; do
    "$conclave" dialogue create "Made $n" --json >/dev/null
    printf '%s\n' "$ask_list" "$ask_list" >&7
    answered $((2 * n - 3))
done
exec 7>&-
wait $pid
name="asked again"
jq -s -e '[.[].result.content[0].text | fromjson | .count] | . as $n | ([$n[] - $n[0]] == [0, 0, 0, 1, 1, 2, 2, 3, 3])' "$out" >/dev/null
ok $? "$name: every answer is that of its moment"

# A record that is replaced while the server runs: what is acknowledged is in the one that everybody finds.
mkdir "$work/replaced" && "$conclave" init --root "$work/replaced" --json >/dev/null
mkfifo "$work/told"
: >"$out"
"$conclave" mcp --root "$work/replaced" <"$work/told" >"$out" 2>"$err" &
pid=$!
exec 7>"$work/told"
create() { printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_create","arguments":{"title":"%s"}}}\n' "$1"; }
create Before >&7; answered 1
printf '%s\n' "$ask_list" >&7; answered 2
rm -rf "$work/replaced/.conclave"
create Between >&7; answered 3
"$conclave" init --root "$work/replaced" --json >/dev/null
create After >&7; answered 4
printf '%s\n' "$ask_list" >&7; answered 5
exec 7>&-
wait $pid
name="a replaced record"
jq -s -e '[.[].result.isError] == [null, null, true, null, null]' "$out" >/dev/null
ok $? "$name: nothing is acknowledged while there is none"
jq -s -e '.[4].result.content[0].text | fromjson | [.dialogues[].dialogue_id] == ["after"]' "$out" >/dev/null
ok $? "$name: the server sees the new one"
"$conclave" dialogue list --root "$work/replaced" --json | jq -e '[.dialogues[].dialogue_id] == ["after"]' >/dev/null
ok $? "$name: and so does everybody"

# A change by another process reaches who has subscribed, however soon after the acknowledgement it comes.
mkfifo "$work/in"
: >"$out"
"$conclave" mcp <"$work/in" >"$out" 2>"$err" &
pid=$!
exec 7>"$work/in"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}' \
    '{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"conclave://dialogue/x"}}' \
    '{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["conclave://dialogue/x"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' >&7
await has_lines "$out" 3
"$conclave" dialogue round-register x --round 0 --score 1 >/dev/null 2>&1
told_twice() { [ "$(grep -c resources/updated "$out")" -ge 2 ]; }
await told_twice
exec 7>&-
wait $pid
name="a change by another process"
[ "$(grep -c '"notifications/resources/updated"' "$out")" -eq 2 ]
ok $? "$name: told once in each era"
grep -q '"uri":"conclave://dialogue/x"' "$out"
ok $? "$name: with its URI"

# What a thousand calls leave behind, in the program as it is shipped.
mkfifo "$work/calls"
"$root/build/conclave" mcp <"$work/calls" >"$work/answers" 2>"$err" &
pid=$!
exec 7>"$work/calls"
for hundred in 1 2 3 4 5 6 7 8 9 10; do
    awk 'BEGIN { for (i = 0; i < 100; i++) printf "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"blue_dialogue_%s\",\"arguments\":{%s}}}\n", i, i % 2 ? "list" : "progress", i % 2 ? "" : "\"dialogue_id\":\"x\"" }' >&7
    await has_lines "$work/answers" "${hundred}00"
done
kilobytes=$(awk '/^VmRSS/ { print $2 }' /proc/$pid/status)
exec 7>&-
wait $pid
[ "$(grep -c '"result"' "$work/answers")" -eq 1000 ]
ok $? "a thousand calls are answered"
megabytes=12
[ -z "${CONCLAVE_TEST_STORE-}" ] || megabytes=16 # libpq, and what it needs
[ "$kilobytes" -lt $((megabytes * 1024)) ]
ok $? "and less than $megabytes MB are in use then ($kilobytes kB)"

# A folder that is not the current one, and the entries that editors get: they name it.
cd "$work" || exit 1
read='{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"conclave://dialogue/x"}}'
ask "another folder" "$read" --root "$work/project"
is '.result.contents[0].text | fromjson | .dialogue_id == "x"'
for client in cursor vscode; do
    "$conclave" install $client --root "$work/project" >/dev/null
    jq -r '(.mcpServers // .servers).conclave.args[]' "$work/project/.$client/mcp.json" |
        sed "s#\\\${workspaceFolder}#$work/project#" >"$work/arguments"
    printf '%s\n' "$read" | xargs -a "$work/arguments" "$conclave" >"$out" 2>"$err"
    name="the entry of $client"
    is '.result.contents[0].text | fromjson | .dialogue_id == "x"'
done

# Prompts are what people choose in their client: each is a text to begin with.
prompt() { # prompt NAME ARGUMENTS: what somebody gets who chooses it
    ask "the prompt $1" '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"'"$1"'","arguments":'"$2"'}}'
}
project prompts
"$conclave" dialogue create Y --data '{"expert_pool":{"domain":"Baking","experts":[{"slug":"muffin","role":"Baker","tier":"Core","relevance":1}]}}' --json >/dev/null
prompt judge '{"question":"Should","dialogue_id":"we"}'
is '.result.messages[-1].content.text | contains("begins '"'Should we'"'") and contains("from what I typed")'
for words in '"\"Should","dialogue_id":"we"' '"question=Should","dialogue_id":"we"' '"question=\"Should","dialogue_id":"dialogue_id=we"'; do
    prompt judge '{"question":'"$words"'}'
    is '.result.messages[-1].content.text | contains("begins '"'Should we'"'")'
done
prompt judge '{"question":"\"Should we move?\""}'
is '.result.messages[-1].content.text == "Begin a dialogue about this question: Should we move?"'
prompt judge '{"question":"dialogue_id=y"}'
is '.result.messages[-1].content.text | startswith("Continue the dialogue '"'y'"'. Its")'
prompt judge '{"question":"Should","dialogue_id":"y"}'
is '.result.messages[-1].content.text | startswith("Continue the dialogue '"'y'. If I typed a question that begins 'Should y'"'")'
prompt judge '{"question":"Which flour?","dialogue_id":"y"}'
is '.result.messages[-1].content.text | startswith("Continue the dialogue '"'y'"'. Its present state:")'
prompt judge '{"question":"y"}'
is '.result.messages[-1].content.text | startswith("Continue the dialogue '"'y'"'. Its present state:")'
prompt judge '{"question":"Which bread?"}'
is '.result.messages[1].content.text == "Begin a dialogue about this question: Which bread?"'
prompt expert '{"dialogue_id":"y","expert":"muffin"}'
is '.result.messages[0].content.text | startswith("# Dialogue: Y\n") and contains("Muffin") and contains("Baker")'
[ ! -e .conclave/dialogues/y/round-0 ]
ok $? "the prompt expert: is read, nothing is written"
prompt expert '{"dialogue_id":"y"}'
is '.error.code == -32602'
for bad in 'expert {"dialogue_id":"y","expert":"donut"}' 'expert {"dialogue_id":"z","expert":"muffin"}' 'judge {"dialogue_id":"z"}' 'reviewer {"dialogue_id":"z"}'; do
    prompt ${bad%% *} "${bad#* }"
    is '.error.code == -32602 and (.error.message | test("there is no|is not on|no dialogue") and (contains("{") | not))'
done
"$conclave" dialogue abandon y --reason "no oven" --json >/dev/null
prompt expert '{"dialogue_id":"y","expert":"muffin"}'
is '.error.code == -32602 and (.error.message | contains("abandoned"))'
prompt reviewer '{"dialogue_id":"y"}'
is '.result.messages[1].content.text | startswith("# Y\n")'

mkdir "$work/nowhere" && cd "$work/nowhere" || exit 1
ask "without a project the tools are listed" "$list"
is '.result.tools | length > 10'
ask "and a call says what is missing" '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_list"}}'
is '.result.isError == true and (.result.content[0].text | contains("conclave init"))'

# The documentation names every tool, and no others.
name="docs/mcp.md"
sed 's/[a-z_]*_…//g' "$root/docs/mcp.md" | grep -oE '(blue_dialogue|conclave)_[a-z][a-z_]*[a-z]' | sort -u >"$work/named"
printf '%s\n' "$list" | "$conclave" mcp --tools all | jq -r '.result.tools[].name' | sort >"$work/all"
diff "$work/named" "$work/all" | sed 's/^/#   /'
cmp -s "$work/named" "$work/all"
ok $? "$name names every tool, and no others"
sed -n '/^## The tools/,/^`--tools all`/s/^| \(`[a-z].*`\) | .*/\1/p' "$root/docs/mcp.md" | grep -oE '(blue|conclave)_[a-z_]*' | sort >"$work/named"
printf '%s\n' "$list" | "$conclave" mcp | jq -r '.result.tools[].name' | sort >"$work/usual"
diff "$work/named" "$work/usual" | sed 's/^/#   /'
cmp -s "$work/named" "$work/usual"
ok $? "$name says which of them are offered unasked"

# One port, one server; no token that is none.
"$conclave" serve --port 0 --json >"$work/served" 2>"$err" &
pid=$!
await [ -s "$work/served" ]
run "a port that is taken" 2 serve --port "$(jq -r .url "$work/served" | sed 's/.*://')"
has "cannot listen" err
kill -TERM $pid
wait $pid
run "an empty token" 2 serve --port 0 --token=
has "the token is empty" err
run "a folder that is not there" 2 install claude --root "$work/nothing"
[ ! -e "$work/nothing" ]
ok $? "and is not made"

# Texts send nobody to a tool that is not offered, unless they say how it is.
name="texts"
for file in "$root/src/door/prompts.c" "$root/src/door/tools.c"; do
    grep -v -- '--tools all' "$file" | grep -oE '(blue_dialogue|conclave)_[a-z][a-z_]*[a-z]' | grep -v 'blue_dialogue_dialog_list' | grep -vx conclave_mail | sort -u >"$work/named"
    astray=$(grep -vxF -f "$work/usual" "$work/named")
    [ -z "$astray" ] || echo "#   $file: $astray"
    [ -z "$astray" ]
    ok $? "$name: ${file##*/} names tools that are offered"
done
cd "$work/project" || exit 1
"$conclave" mcp >"$work/protocol" <<'END'
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_create","arguments":{"title":"Protocol"}}}
END
jq -r '.result.content[0].text | fromjson | .judge_protocol.instructions' "$work/protocol" | grep -oE '(blue_dialogue|conclave)_[a-z][a-z_]*[a-z]' | sort -u >"$work/named"
[ -s "$work/named" ] && ! grep -qvxF -f "$work/usual" "$work/named"
ok $? "$name: the protocol names tools that are offered"

# The skill of the experts is what the tables say.
"$conclave" spec --skill >"$out"
name="skills/alignment-expert/SKILL.md"
cmp -s "$out" "$root/skills/alignment-expert/SKILL.md"
ok $? "$name is what 'conclave spec --skill' prints"
# The bytes of a whole deliberation, 5 experts and 2 rounds: arguments and answers, with prompts as files and as texts.
whole=$work/whole
mkdir "$whole" && "$conclave" init --root "$whole" >/dev/null
from=$root/examples/deliberation
{
    jq -c '["create", .]' "$from/dialogue.json"
    for r in 0 1; do
        echo '["round_prompts", {}]'
        echo '["round_prompts", {"include_prompts": true}]'
        for e in muffin cupcake donut scone brioche; do
            [ -f "$from/round-$r/$e.md" ] || echo '["respond", {"expert": "'$e'", "no_contribution": true}]'
            [ ! -f "$from/round-$r/$e.md" ] || jq -Rsc --arg e $e '["respond", {expert: $e, content: .}]' "$from/round-$r/$e.md"
        done
        echo '["draft", {}]'
        jq -c --argjson r $r '["round_register", {round: $r, use_draft: true, summary, expert_scores: {muffin: 9, cupcake: 8, donut: 7, scone: 6, brioche: 5}}]' "$from/round-$r/judge.json"
        echo '["progress", {}]'
    done
    echo '["verdict_register", {"verdict_id": "final", "verdict_type": "final", "recommendation": "Swap half", "description": "It pays."}]'
} | jq -c '{jsonrpc: "2.0", id: 1, method: "tools/call", params: {name: ("blue_dialogue_" + .[0]),
    arguments: (.[1] + if .[0] == "create" then {} else {dialogue_id: "nvidia-investment-decision"} end)}}' >"$work/requests"
while IFS= read -r request; do
    printf '%s\n' "$request" | "$conclave" mcp --root "$whole" 2>>"$err"
done <"$work/requests" >"$work/answers"
[ "$(jq -c 'select(.result.isError == true or .error)' "$work/answers" | wc -l)" -eq 0 ]
ok $? "a whole deliberation: nothing is refused"
# counted NAME CEILING WITHOUT: without the prompts of the other way
counted() {
    bytes=$(jq -s --argjson texts "$3" --slurpfile asked "$work/requests" '[., $asked] | transpose | map(select(.[1].params |
        .name != "blue_dialogue_round_prompts" or (.arguments.include_prompts == true) != $texts)) |
        map((.[0].result.content | map(.text | utf8bytelength) | add) + (.[1].params.arguments | tojson | utf8bytelength)) | add' "$work/answers")
    [ "$bytes" -le "$2" ]
    ok $? "a whole deliberation, prompts as $1: at most $2 bytes ($bytes)"
}
counted files 38500 true
counted texts 76000 false
finish
