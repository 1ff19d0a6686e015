#!/bin/sh
# agents.sh - who acts, at every door: names on the command line and for an MCP client, tokens over HTTP.
. "$(dirname "$0")/lib.sh"
project

# ---- the command line ----
run "before anybody is registered any name is taken" 0 dialogue create Early --as Somebody --json
run "an agent" 0 agent add Muffin --summary "plans the work" --capabilities planning,review --aliases planner --json
is '.agent.agent_id == "Muffin" and .agent.capabilities == ["planning", "review"] and .agent.reach == "mailbox" and .agent.files'
run "a person" 0 agent add ada --kind human --json
is '.agent.reach == "human" and (.agent.files | not)'
run "an alias" 0 agent alias MUFFIN Agent-1
run "by its alias, in any case" 0 agent show AGENT-1 --json
is '.agent.agent_id == "Muffin" and .agent.aliases == ["Agent-1", "planner"]'
run "for people" 0 agent list
has "plans the work"
run "an address that is not encrypted" 1 agent add far --endpoint http://example.com --protocol ollama --model x
has "use https://, or allow it with --plain-http [invalid_value]" err
run "a name that is taken" 1 agent add PLANNER --json
is '.error_code == "agent_exists" and (.message | contains("an alias of the agent '"'Muffin'"'"))'
run "a list with a name that is taken" 1 agent import "$root/examples/agents.json" --json
is '.error_code == "agent_exists" and .field == "agents[0].aliases[0]"'
run "the name is free again" 0 agent alias muffin planner --remove
printf '' >nobody.json
run "a list with nobody" 0 agent import nobody.json
has "There is no agent in the list."
! grep -q replayed "$out"
ok $? "… was not imported before"
run "a list, tried" 0 agent import "$root/examples/agents.json" --dry-run --json
is '.dry_run and .added == 3'
run "a list" 0 agent import "$root/examples/agents.json" --json
is '.added == 3 and .rev == 5'
run "the same list" 0 agent import "$root/examples/agents.json" --json
is '.unchanged == 3 and .replayed and .rev == 5'
printf '{"agent_id": "a b"}\n{"agent_id": "ok", "kind": "robot"}\n{"agent\n' >faulty.jsonl
run "a list with faults, for people" 1 agent import faulty.jsonl
has "conclave: faulty.jsonl:3:" err
has " agents[2]: " err
run "a list with faults" 1 agent import faulty.jsonl --json
is '[.errors[] | [.error_code, .line]] == [["invalid_value", 2], ["invalid_json", 3]]'

run "a name that nobody has" 1 dialogue list --as mufin --json
is '.error_code == "unknown_agent" and .suggestion == "did you mean '"'Muffin'"'?"'
run "a name that is no name" 1 dialogue list --as "no name" --json
is '.error_code == "invalid_value" and .field == "as"'
run "an agent acts" 0 dialogue create Bread --as agent-1 --json
run "and is named" 0 dialogue history bread --json
is '[.events[] | [.agent, .standing]] | unique == [["Muffin", "claimed"]]'
CONCLAVE_AGENT=muffin run "the variable" 0 dialogue create Cake --json
CONCLAVE_AGENT=mufin run "the variable with a name that nobody has" 1 dialogue list
has "conclave: CONCLAVE_AGENT: no agent is called 'mufin'" err
CONCLAVE_AGENT=muffin run "the option goes before it" 0 dialogue create Pie --as ada --json
run "who made the cake" 0 dialogue history cake
has "as Muffin (claimed)"
run "who made the pie" 0 dialogue history pie --json
is '[.events[].agent] | unique == ["ada"]'
run "the first dialogue has the name that was claimed" 0 dialogue history early --json
is '[.events[] | [.agent, .standing]] | unique == [["Somebody", "claimed"]]'
name="a person at the terminal"
if command -v script >/dev/null; then
    script -qec "'$conclave' dialogue create Tart --as ada; '$conclave' dialogue create Torte --as muffin" /dev/null >"$out" 2>&1 </dev/null
    run "a person at the terminal" 0 dialogue history tart --json
    is '[.events[] | [.agent, .standing]] | unique == [["ada", "verified"]]'
    run "an agent at the terminal" 0 dialogue history torte --json
    is '[.events[] | [.agent, .standing]] | unique == [["Muffin", "claimed"]]'
else
    skip "$name" "there is no script"
fi
run "an op_id of somebody else" 0 dialogue create Op --op-id o --as ada --json
run "an op_id of somebody else" 1 dialogue create Op --op-id o --as muffin --json
is '.error_code == "op_id_conflict"'
run "limits" 0 agent limit reviewer --quota 100 --lift hops --json
is '.agent.limits == {"quota": 100, "send_rate": 30} and .agent.rooms == ["dialogue"]'
run "within its room" 0 dialogue list --as reviewer --json
run "outside of it" 1 verify --as reviewer --json
is '.error_code == "not_allowed" and (.message | contains("limited to dialogue"))'
for operation in "doctor" "doctor --repair" "restore copy.db"; do
    run "outside of it: $operation" 1 $operation --as reviewer --json
    is '.error_code == "not_allowed"'
    run "by nobody: $operation" 1 $operation --as nosuch --json
    is '.error_code == "unknown_agent"'
done
run "the record with its agents agrees with its history" 0 verify
run "and is well" 0 doctor
"$conclave" backup copy.db >/dev/null
"$conclave" agent add brief >/dev/null
run "a copy is put back" 0 restore copy.db --json
is '.lost == [{"room": "project", "name": "agents", "rev": 7, "restored_rev": 6}] and (.warnings[0].message | contains("had more of 1 registry: agents (rev 7, now 6)"))'
run "with the agents that it had" 1 agent show brief --json
"$conclave" dialogue export bread --output-path bread.json >/dev/null && mkdir other && "$conclave" init other >/dev/null
run "an export keeps who acted" 0 import bread.json --root other
run "an export keeps who acted" 0 dialogue history bread --root other --json
is '[.events[] | [.agent, .standing]] | unique == [["Muffin", "claimed"]]'
run "an export keeps who acted" 0 verify --root other

# ---- tokens ----
token() { "$conclave" token add "$@" --json | tee -a "$work/tokens" | jq -r .secret; }
muffin=$(token muffin)
reads=$(token muffin --read-only)
rooms=$(token reviewer --rooms dialogue)
person=$(token ada)
gone=$(token Planner-1)
lost=$(token muffin)
run "tokens" 0 token list --json
is '[.tokens[] | .agent_id] | sort == ["Muffin", "Muffin", "Muffin", "Planner-1", "ada", "reviewer"]'
run "a token cannot be shown again" 0 token list
! grep -q "cvt_" "$out"
ok $? "no secret is listed"
if on_sqlite; then
    ! grep -qaF "$(echo "$muffin" | cut -c 9-40)" .conclave/conclave.db .conclave/conclave.db-wal 2>/dev/null
    ok $? "no secret is in the record"
else
    skip "no secret is in the record" "not with this engine"
fi
run "asked twice" 0 token add muffin --op-id twice --json
is '.secret | startswith("cvt_")'
run "asked twice" 0 token add muffin --op-id twice --json
is '.replayed and (has("secret") | not) and (.note | contains("cannot be shown again"))'
run "an agent makes no tokens" 1 token add ada --as muffin --json
is '.error_code == "not_allowed"'
if [ -w /dev/full ]; then
    "$conclave" token add muffin --json >/dev/full 2>"$err"
    name="a lost answer"
    has "the request was carried out" err
    ! grep -q cvt_ "$err"
    ok $? "a lost answer: the secret is not among what is told"
fi

# ---- an MCP client ----
ask() {
    name=$1
    request=$2
    shift 2
    printf '{"jsonrpc":"2.0","id":1,%s}\n' "$request" | "$conclave" mcp "$@" >"$out" 2>"$err"
    ok $? "$name: exit status 0"
}
tool() { printf '"method":"tools/call","params":{"name":"%s","arguments":%s}' "$1" "$2"; }
text() { is ".result.content[0].text | fromjson | $1"; }
ask "unasked nothing of agents is offered" '"method":"tools/list"'
is '[.result.tools[].name | select(test("^conclave_(agent|token)_"))] == []'
[ "$(wc -c <"$out")" -le 12000 ]
ok $? "$name: at most 12,000 bytes, the whole reply ($(wc -c <"$out"))"
ask "all tools" '"method":"tools/list"' --tools all
is '[.result.tools[].name | select(test("^conclave_(agent|token)_"))] | length == 11'
ask "a tool that is not offered" "$(tool conclave_agent_list '{}')"
is '.error.message | endswith("this server offers it only when it is started with --tools all")'
ask "rooms do not hide them" "$(tool conclave_agent_list '{}')" --tools all --rooms dialogue
text '[.agents[].agent_id] | index("Muffin") != null'
ask "they are no rooms" '"method":"ping"' --rooms dialogue
"$conclave" mcp --rooms agent </dev/null >"$out" 2>"$err"
[ $? -eq 2 ]
ok $? "they cannot be named as rooms"
ask "who acts" "$(tool blue_dialogue_create '{"title":"Over MCP"}')" --as planner
text '.dialogue_id == "over-mcp"'
run "is named" 0 dialogue history over-mcp --json
is '[.events[] | [.agent, .standing]] | unique == [["Planner-1", "claimed"]]'
CONCLAVE_AGENT=muffin ask "the variable" "$(tool blue_dialogue_create '{"title":"Over env"}')"
run "is named" 0 dialogue history over-env --json
is '[.events[].agent] | unique == ["Muffin"]'
ask "an unknown name" "$(tool blue_dialogue_list '{}')" --as muffn
is '.result.isError'
text '.error_code == "unknown_agent" and .suggestion == "did you mean '"'Muffin'"'?"'
run "a name that is none" 1 mcp --as "a b" </dev/null
ask "a limited agent" "$(tool conclave_verify '{}')" --tools all --as reviewer
text '.error_code == "not_allowed"'
ask "an agent is added" "$(tool conclave_agent_add '{"agent_id":"new","capabilities":["x"]}')" --tools all
text '.agent.agent_id == "new"'
ask "no token without a person" "$(tool conclave_token_add '{"agent_id":"ada"}')" --tools all --as ada
text '.error_code == "not_verified"'
ask "a list from outside of the project" "$(tool conclave_agent_import '{"path":"/etc/passwd"}')" --tools all
is '.result.isError'

# ---- HTTP ----
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
# serve ARGUMENT...: begins; $url is where
serve() {
    rm -f "$work/served"
    "$conclave" serve --port 0 --json --tools all "$@" >"$work/served" 2>"$err" &
    server=$!
    await [ -s "$work/served" ]
    url=$(jq -r .mcp "$work/served")
}
end() {
    kill "$server"
    wait "$server"
    ok $? "the server ends"
}
# http NAME STATUS TOOL ARGUMENTS [AUTHORIZATION]: the text of the answer in $out
http() {
    name=$1
    status=$(curl -s -o "$work/body" -w '%{http_code}' -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: 2026-07-28' \
        -H 'Mcp-Method: tools/call' -H "Mcp-Name: $3" ${5:+-H "Authorization: $5"} "$url" \
        -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$3"'","arguments":'"$4"','"$meta"'}}')
    [ "$status" = "$2" ] || { echo "#   status $status"; head -c 600 "$work/body"; }
    [ "$status" = "$2" ]
    ok $? "$name: status $2"
    jq -r '.result.content[0].text // tojson' "$work/body" >"$out" 2>/dev/null
}
serve
http "nobody" 200 blue_dialogue_create '{"title":"By nobody"}'
run "nobody is named" 0 dialogue history by-nobody --json
is '[.events[] | has("agent")] | any | not'
http "an agent" 200 blue_dialogue_create '{"title":"By Muffin"}' "Bearer $muffin"
is '.dialogue_id == "by-muffin"'
run "is named" 0 dialogue history by-muffin --json
is '[.events[] | [.agent, .standing]] | unique == [["Muffin", "verified"]]'
http "a forged token" 401 blue_dialogue_list '{}' "Bearer ${muffin%?}X"
http "half a token" 401 blue_dialogue_list '{}' "Bearer cvt_"
http "a read-only token reads" 200 blue_dialogue_list '{}' "Bearer $reads"
is '.status == "success"'
http "a read-only token does not write" 200 blue_dialogue_create '{"title":"No"}' "Bearer $reads"
is '.error_code == "not_allowed" and (.message | contains("for reading only"))'
http "the right room" 200 blue_dialogue_list '{}' "Bearer $rooms"
is '.status == "success"'
http "the wrong room" 200 conclave_verify '{}' "Bearer $rooms"
is '.error_code == "not_allowed"'
# A tool whose answers are kept: the answer for one is not that for another.
for who in "$person" "$muffin"; do
    http "statistics for who may see them" 200 blue_dialogue_stats '{}' "Bearer $who"
    is '.status == "success"'
done
"$conclave" agent limit reviewer --data '{"agent_id":"reviewer","rooms":[]}' >/dev/null
for _ in 1 2; do
    http "statistics for who may see them" 200 blue_dialogue_stats '{}' "Bearer $person"
    is '.status == "success"'
    http "statistics for who may not" 200 blue_dialogue_stats '{}' "Bearer $rooms"
    is '.error_code == "not_allowed"'
done
# resource NAME TOKEN: what a resource says to whoever has this token
resource() {
    name=$1
    curl -s -o "$out" -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: resources/read' \
        -H 'Mcp-Name: conclave://dialogue/bread' -H "Authorization: Bearer $2" "$url" \
        -d '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"conclave://dialogue/bread",'"$meta"'}}'
}
resource "a resource for who may read it" "$reads"
is '.result.contents[0].text | length > 0'
resource "a resource for who may not" "$rooms"
is '.error.message | contains("limited to no room")'
http "an agent does not register others" 200 conclave_agent_add '{"agent_id":"sly","kind":"human"}' "Bearer $muffin"
is '.error_code == "not_allowed"'
http "nor makes tokens" 200 conclave_token_add '{"agent_id":"ada"}' "Bearer $muffin"
is '.error_code == "not_verified"'
http "nor does nobody" 200 conclave_token_add '{"agent_id":"ada"}'
is '.error_code == "not_verified"'
http "a person does" 200 conclave_token_add '{"agent_id":"muffin","rooms":["dialogue"]}' "Bearer $person"
is '.secret | startswith("cvt_")'
# Who may not read it does not hear of its changes either; who may not any more has no stream any more.
# with TOKEN [ARGUMENT]...: a request of either era
with() {
    token=$1
    shift
    curl -s -N -m 30 -H 'Content-Type: application/json' -H "Authorization: Bearer $token" "$@" "$url"
}
hears() {
    with "$1" -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: subscriptions/listen' -o "$2" \
        -d '{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["conclave://dialogue/bread"]},'"$meta"'}}' &
}
hears "$reads" "$work/told" && telling=$!
hears "$rooms" "$work/other" && other=$!
hears "$lost" "$work/lost" && losing=$!
session=$(with "$lost" -o "$out" -D - -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}' | tr -d '\r' | sed -n 's/^Mcp-Session-Id: //p')
with "$lost" -H "Mcp-Session-Id: $session" -o "$out" -d '{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"conclave://dialogue/bread"}}'
[ "$(with "$reads" -H "Mcp-Session-Id: $session" -o "$out" -w '%{http_code}' -d '{"jsonrpc":"2.0","id":3,"method":"ping"}')" = 404 ]
ok $? "a session is only that of its own token"
with "$lost" -H "Mcp-Session-Id: $session" -o "$work/session" &
listening=$!
for file in told other lost session; do await [ -s "$work/$file" ]; done
"$conclave" token revoke "$(jq -rs --arg s "$lost" '.[] | select(.secret == $s) | .token.token_id' "$work/tokens")" >/dev/null
"$conclave" dialogue tag bread --add told >/dev/null
await grep -q resources/updated "$work/told"
kill $telling
for pid in $other $losing $listening; do
    wait $pid
    [ $? -eq 0 ] || echo "$pid" >>"$work/open"
done
[ ! -e "$work/open" ] && ! grep -q resources/updated "$work/other" "$work/lost" "$work/session"
ok $? "streams end, untold, without the right to read"
http "a revoked token" 401 blue_dialogue_list '{}' "Bearer $lost"
http "the agent has others" 200 blue_dialogue_list '{}' "Bearer $muffin"
"$conclave" agent remove planner-1 >/dev/null
http "the token of an agent that was removed" 401 blue_dialogue_list '{}' "Bearer $gone"
http "another bearer, where none is needed" 401 blue_dialogue_list '{}' "Bearer whatever"
! grep -q "cvt_" "$err"
ok $? "the server tells no secret"
end

CONCLAVE_TOKEN=door serve
http "no token, where the server has one" 401 blue_dialogue_list '{}'
http "the server's" 200 blue_dialogue_create '{"title":"By the door"}' "Bearer door"
run "names nobody" 0 dialogue history by-the-door --json
is '[.events[] | has("agent")] | any | not'
http "an agent's" 200 blue_dialogue_create '{"title":"By an agent"}' "Bearer $muffin"
is '.dialogue_id == "by-an-agent"'
http "a forged one" 401 blue_dialogue_list '{}' "Bearer ${muffin%?}X"
http "another one" 401 blue_dialogue_list '{}' "Bearer whatever"
end
run "an agent's token is no server's" 2 serve --token "$muffin" --port 0
has "is one of an agent" err
run "the record agrees with its history at the end" 0 verify
run "a chat for the variable" 0 chat open Ovens --participants Baker@muffin --id ovens
CONCLAVE_AGENT=mufin run "… where --as says who reads" 1 chat read ovens --as Baker@muffin
has "conclave: CONCLAVE_AGENT: no agent is called 'mufin'" err
CONCLAVE_AGENT=muffin run "… where nobody is called so" 1 chat read ovens --as Bker@mufin
has "conclave: --as: 'Bker@mufin' does not take part" err
finish
