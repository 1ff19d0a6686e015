#!/bin/sh
# clients.sh - the agents that people use, Claude Code and Codex from npm, with a stand-in for the model (test/clients): each
# follows the skills that 'conclave install' gave it, starts experts of its own, and decides. Nothing leaves this machine.
. "$(dirname "$0")/lib.sh"
needs_clients "real agents"
HOME=$work/home
export HOME
mkdir -p "$HOME/.codex"
question="Should we move our job queue to PostgreSQL?"

# stand_in: a model for the next clients, at $url, with a log of its own in $work/log.
stand_in() {
    rm -f "$work/log" "$work/url"
    "$node" "$root/test/clients/model.mjs" "$work" 2>"$work/model.err" &
    model=$!
    await [ -s "$work/url" ]
    url=$(cat "$work/url")
}
trap 'kill "$model" 2>/dev/null; chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
stand_in

# Whatever a client wants from elsewhere meets a port that nobody listens on.
alone() {
    env -i PATH="$(dirname "$node"):/usr/bin:/bin" HOME="$HOME" LANG=C.UTF-8 HTTP_PROXY=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9 \
        NO_PROXY=127.0.0.1,localhost ASAN_OPTIONS="${ASAN_OPTIONS-}" CV_CHECK_REPLIES="${CV_CHECK_REPLIES-}" CV_CALL_LOG="${CV_CALL_LOG-}" \
        ${CONCLAVE_AGENT:+CONCLAVE_AGENT="$CONCLAVE_AGENT"} "$@" >"$out" 2>"$err" </dev/null
}
# claude NAME ARGUMENT..., codex NAME ARGUMENT...: one prompt, until the agent has said its last words.
claude() {
    name="claude: $1"
    shift
    : >"$work/log"
    alone ANTHROPIC_BASE_URL="$url" ANTHROPIC_API_KEY=none DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
        "$clients/claude" -p "$@"
    ended $?
}
codex() {
    name="codex: $1"
    shift
    : >"$work/log"
    alone NOBODYS_KEY=none "$node" "$clients/codex" exec --skip-git-repo-check "$@"
    ended $?
}
ended() {
    [ "$1" -eq 0 ] || sed 's/^/#   /' "$out" "$err" | tail -n 20
    ok "$1" "$name: ends"
}
# logged FILTER WHAT: true for the list of what the model was asked and answered.
logged() {
    jq -es "$1" "$work/log" >/dev/null || jq -c '[.agent, .turn, .answer, .refused, .fault]' "$work/log" | cut -c 1-300 | sed 's/^/#   /' | tail -n 20
    jq -es "$1" "$work/log" >/dev/null
    ok $? "$name: $2"
}
# accepted WHAT TOOL: the client called the tool for its model, the record has what the server did, the model saw success.
accepted() {
    logged '[.[].answer.calls[]?.name | select(endswith("'"$2"'"))] | length > 0' "$1: the model asks for $2"
    operation=$(echo "${2#blue_}" | sed 's/_/ /;s/_/-/')
    "$conclave" feed --json | jq -e 'any(.entries[]; .operation == "'"$operation"'")' >/dev/null
    ok $? "$name: $1: the record has a '$operation'"
    logged '[.[].said[] | select(.tool // "" | endswith("'"$2"'"))] | length > 0 and all((.failed | not) and (.text | contains("\"status\":\"success\"")))' "$1: every answer is a success"
}
trust() { printf '[projects."%s"]\ntrust_level = "trusted"\n' "$PWD" >>"$HOME/.codex/config.toml"; }
cat >"$HOME/.codex/config.toml" <<END
model = "stand-in"
model_provider = "stand-in"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.stand-in]
name = "stand-in"
base_url = "$url/v1"
wire_api = "responses"
env_key = "NOBODYS_KEY"
request_max_retries = 0
stream_max_retries = 0
END

# decided: the whole deliberation is in the record, and each expert answered for itself.
decided() {
    has "DECIDED in job-queue: Move the queue to PostgreSQL (3-0)"
    logged 'map(select(.fault or .refused)) == []' "the model was asked for nothing else"
    for act in create:create respond:respond register:round_register decide:verdict_register; do
        accepted "${act%:*}" "blue_dialogue_${act#*:}"
    done
    logged '[.[].said[] | select(.tool // "" | contains("conclave"))] | length > 20 and all(.text | contains("\"status\":\"success\""))' "no tool of ours was refused"
    ! grep -iE 'requires? approval|approval (was|is) |(deni|reject|cancell)ed|permission' "$out" "$err" | sed 's/^/#   /' | grep .
    ok $? "$name: nobody was asked for an approval"
    logged '[.[] | select(.agent == "judge") | .answer.calls[]?.name | select(endswith("blue_dialogue_respond"))] == []' "the judge wrote for nobody"
    logged '[.[] | select(.agent == "expert" and .answer.text) | .answer.text | fromjson | "\(.expert_slug) \(.round)"] | unique | length == 6' \
        "6 experts handed in, and returned a summary each"
    run "$name: the decision" 0 dialogue get job-queue --json
    is '.dialogue.status == "converged" and .dialogue.total_rounds == 2 and .dialogue.question == "'"$question"'"'
    run "$name: the page" 0 dialogue show job-queue
    has "Move the queue to PostgreSQL"
    has "T0003  resolved"
    [ -f .conclave/dialogues/job-queue/dialogue.json ]
    ok $? "$name: it is exported"
    cp .conclave/dialogues/job-queue/dialogue.json "$out"
    is '.title == "Job queue" and .status == "converged" and (.experts | length == 3)'
    is '[.rounds[] | .round, (.experts | length), ([.experts[] | select(.raw | contains("The view of"))] | length)] == [0, 3, 3, 1, 3, 3]'
    is '[.verdicts[] | [.id, .type, .recommendation]] == [["final", "final", "Move the queue to PostgreSQL"]]'
    run "$name: verify" 0 verify
    has "the record is intact"
}

# ---- Claude Code
project claude
"$conclave" install claude >/dev/null
claude "a deliberation" "Use the skill alignment-play: $question" --allowedTools mcp__conclave
decided
logged '[.[0].answer.calls[].name, .[1].answer.calls[].name] == ["Skill", "ToolSearch"]' "reads the skill, then loads the tools"
project refused
"$conclave" install claude >/dev/null
claude "tools that the user did not allow" "Use the skill alignment-play: $question"
has "permissions to use mcp__conclave__blue_dialogue_create"

# The prompt of the judge: the client cuts the question at blanks, and the agent still learns it.
claude "a prompt with blanks" "/mcp__conclave__judge Should we move to Postgres?"
logged '.[0].said | map(.user // "") | any(contains("You are the judge of an ALIGNMENT dialogue"))' "the prompt is ours"
logged ".[0].said | map(.user // \"\") | any(contains(\"begins 'Should we'. If your client cut it off, take the whole of it from what I typed\"))" "it says that it was cut"
logged '.[0].said | map(.user // "") | any(contains("Should we move to Postgres?"))' "and the whole question is there"

# The Chat Gate as a hook: a write waits until what is new was read.
project gate
"$conclave" install claude --hooks >/dev/null
"$conclave" chat open --id c1 --purpose "Schema" --participants Implementer@claude --participants Validator@eve >/dev/null
"$conclave" chat send c1 --from Validator@eve --type QUESTION --tag @Implementer --body "Is the schema frozen?" >/dev/null
CONCLAVE_AGENT=claude claude "the gate" "Write $PWD/note.txt" --allowedTools mcp__conclave --permission-mode acceptEdits
has "unread   c1 M0001  QUESTION of Validator@eve: Is the schema frozen?"
has "READ: Is the schema frozen?"
has "WRITTEN"
grep -qx written note.txt
ok $? "$name: the file is there"
rm note.txt
CONCLAVE_AGENT=claude claude "the gate, when nothing is new" "Write $PWD/note.txt" --permission-mode acceptEdits
has "WRITTEN at once"
# A client that has not heard from the server when it first asks tells it with a later request.
logged '[.[].said[] | .user // ""] | any(contains("nothing is in them yet: dialogue, mail, notes."))' "the agent is told which rooms it has no tools of"
rm note.txt
"$conclave" agent add eve >/dev/null
CONCLAVE_AGENT=ghost claude "the gate, for somebody who is not known" "Write $PWD/note.txt" --permission-mode acceptEdits
has "no agent is called 'ghost'"
[ ! -e note.txt ]
ok $? "$name: nothing is written"

# For all projects of a user.
project everywhere
"$conclave" install claude --scope user >/dev/null
claude "for all projects" "Say something."
logged '.[0].said | map(.user // "") | any(contains("mcp__conclave__blue_dialogue_create"))' "our tools are offered"

# ---- Codex
project codex
"$conclave" install codex >"$out"
name="codex"
has "only in a project that it trusts"
codex "a project that is not trusted" "Say something."
logged '.[0].offered | map(select(contains("blue_dialogue"))) == []' "none of our tools are offered"
trust
codex "a deliberation" "Use \$alignment-play to decide: $question"
decided
# Without the hint that our tools reach nobody else, Codex refuses every write, and this is how it looks.
project open-world
cat >"$work/stripped" <<END
#!/bin/sh
"$conclave" "\$@" | sed -u 's/,"openWorldHint":false//g'
END
chmod +x "$work/stripped"
"$conclave" install codex >/dev/null
sed -i "s#^command = .*#command = \"$work/stripped\"#" .codex/config.toml
trust
codex "tools that may reach others" "Use \$alignment-play to decide: $question"
logged '[.[].said[] | select(.tool // "" | endswith("blue_dialogue_create")).text] | length > 0 and all(contains("requires approval"))' "creating is refused"
run "$name: nothing is there" 0 dialogue list --json
is '.dialogues == []'
project everywhere-codex
"$conclave" install codex --scope user >/dev/null
codex "for all projects" "Say something."
logged '.[0].offered | index("mcp__conclave/blue_dialogue_create")' "our tools are offered without trust"

# ---- asked by 'conclave run', through the presets
# asked NAME COMMAND: a whole deliberation, with the client for everybody.
asked() {
    name="ask --agent '$2'"
    project "asked-$1"
    : >"$work/log"
    alone PATH="$work/bin:$(dirname "$node"):/usr/bin:/bin" ANTHROPIC_BASE_URL="$url" ANTHROPIC_API_KEY=sk-nobody-1 OPENAI_API_KEY=sk-nobody-2 \
        "$conclave" ask "$question" --expert "Operator: the night" --expert "Developer: the day" --agent "$2" --json
    ended $?
    tail -n 1 "$out" >"$work/last" && mv "$work/last" "$out"
    is '.reason == "decided" and .converged and .decision == "Move the queue to PostgreSQL" and .spent.calls == 4'
    is '.spent.tokens_in > 0 and .spent.tokens_out > 0 and .spent.estimated_tokens == 0'
    logged 'map(select(.fault or .refused)) == []' "the model was asked for nothing else"
    logged '[.[] | select(.agent == "panelist" or .agent == "arbiter")] | length == 4' "every prompt reached it"
    run "ask --agent '$2': verify" 0 verify
    run "ask --agent '$2': attempts" 0 run status --attempts --json
    is 'all(.attempts[]; .state == "answered" and .exit_status == 0 and .tokens_in > 0)'
    ! grep -rqaF -e sk-nobody-1 -e sk-nobody-2 .conclave
    ok $? "$name: no key is in the project"
}
mkdir -p "$work/bin"
ln -s "$clients/claude" "$work/bin/claude"
ln -s "$clients/codex" "$work/bin/codex"
sed -i 's/NOBODYS_KEY/OPENAI_API_KEY/' "$HOME/.codex/config.toml"
asked claude 'claude -p'
is 'all(.attempts[]; .cost != null and .model)'
asked codex 'codex exec'

kill "$model"
wait "$model" 2>/dev/null
[ ! -s "$work/model.err" ]
ok $? "the stand-in said nothing on standard error"
finish
