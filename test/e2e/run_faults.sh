#!/bin/sh
# run_faults.sh - agents that fail: one panel in which every expert fails in a way of its own, at commands (test/run/fault.sh)
# and at endpoints (test/run/models.mjs); partial panels; budgets, counted to the call; a panel of all four kinds.
. "$(dirname "$0")/lib.sh"
needs_npm "agents that fail"
models() {
    mkfifo "$work/models.in" 2>/dev/null
    "$node" "$root/test/run/models.mjs" --answer "printf '[PERSPECTIVE P01: From a server]\nIt works.\n\n[MOVE:CONVERGE]\n'" --key right <"$work/models.in" >"$work/port" &
    exec 9>"$work/models.in"
    until [ -s "$work/port" ]; do sleep 0.05; done
    url=http://127.0.0.1:$(cat "$work/port")
}
models
export FAULT_API_KEY=sk-very-secret-1234 ANOTHER_SECRET=do-not-pass-this-on

commands="sound flaky killed slow stubborn parent empty nothing plain mute binary huge leaky bare deaf missing"
endpoints="limited busy cut dropped garbled page stalled refusing short denied nokey unreachable whole local"
# seats NAME...: the pool of a dialogue whose experts have these names.
pool() {
    for one in "$@"; do printf '{"slug":"%s","role":"Role %s","tier":"Core","relevance":0.5,"focus":"f","description":"d"}\n' "$one" "$one"; done |
        jq -s '{title: "Faults", question: "Who answers?", panel_size: length, expert_pool: {domain: "tests", experts: .}}'
}
# endpoint NAME BEHAVIOUR PROTOCOL [LINE...]
endpoint() {
    printf '[agents.%s]\nendpoint = "%s/%s%s"\nprotocol = "%s"\nmodel = "m"\n' "$1" "$url" "$2" "$([ "$3" = ollama ] || echo /v1)" "$3"
    shift 3
    for line in "$@"; do echo "$line"; done
}

project faults
stage=$PWD/stage
# A long background makes the prompt larger than a pipe.
pool $commands $endpoints | jq '.background = {subject: "s", description: ("so much to read " * 6000)}' >dialogue.json
run "create" 0 dialogue create --data @dialogue.json
{
    for one in $commands; do
        echo "[agents.$one]"
        case $one in
        missing) echo "command = \"$PWD/no-such-agent\"" ;;
        *) echo "command = \"sh $root/test/run/fault.sh $stage\"" ;;
        esac
        case $one in
        slow | stubborn) echo 'timeout = 1' ;;
        huge) echo 'max_output = 1000' ;;
        leaky) echo 'env = ["FAULT_API_KEY"]' ;;
        esac
    done
    endpoint limited 429x1 openai
    endpoint busy 503x1 anthropic
    endpoint cut cut openai
    endpoint dropped drop ollama
    endpoint garbled broken openai
    endpoint page html anthropic
    endpoint stalled stall openai 'timeout = 1'
    endpoint refusing refuse anthropic
    endpoint short length openai
    endpoint denied key openai 'key_env = "FAULT_API_KEY"'
    endpoint nokey ok openai 'key_env = "NOT_SET_ANYWHERE"'
    endpoint unreachable ok openai | sed "s#$url#http://127.0.0.1:1#"
    endpoint whole document anthropic
    endpoint local ok ollama
    echo '[seats]'
    for one in $commands $endpoints; do echo "$one = \"$one\""; done
} >agents.toml
run "nothing runs that was not approved" 1 run faults --agents agents.toml --judge mechanical --rounds 1
has "not_approved" err
run "every fault at once" 0 run faults --agents agents.toml --judge mechanical --rounds 1 --quorum 5 --parallel 40 --yes --json
cp "$out" "$work/events"
run "attempts" 0 run status faults --attempts --json
cp "$out" "$work/attempts"
# ended EXPERT STATE...: the attempts of this expert ended so, and each was an event when it began and when it ended.
ended() {
    one=$1
    shift
    found=$(jq -r --arg who "$one" '[.attempts[] | select(.who == $who) | .state] | join(" ")' "$work/attempts")
    told=$(jq -r --arg who "$one" 'select(.event == "attempt" and .who == $who and .state != "started") | .state' "$work/events" | tr '\n' ' ')
    begun=$(jq -r --arg who "$one" 'select(.event == "attempt" and .who == $who and .state == "started") | .attempt' "$work/events" | wc -l)
    [ "$found" = "$*" ] && [ "$told" = "$* " ] && [ "$begun" -eq $# ]
    ok $? "$one: $*$([ "$found" = "$*" ] || echo ", not $found; told $told; begun $begun")"
}
# attempt EXPERT NUMBER FILTER: jq on one attempt.
attempt() {
    jq -e --arg who "$1" --argjson number "$2" ".attempts[] | select(.who == \$who and .attempt == \$number) | $3" "$work/attempts" >/dev/null
    ok $? "$1, attempt $2: $3"
}
ended sound answered
attempt sound 1 '.exit_status == 0 and .prompt_sha256 and .answer_sha256 and .duration_ms >= 0 and .markers == 2 and .agent == "sound" and .reach == "command"'
ended flaky failed answered
attempt flaky 1 '.exit_status == 3 and .tail == "disk is full" and (.answer_sha256 | not)'
ended killed failed answered
attempt killed 1 '.exit_status == 137'
ended slow timeout answered
attempt slow 1 '.message | endswith("after 1 second")'
ended stubborn timeout answered
attempt stubborn 1 '.exit_status == 137'
! kill -0 "$(cat "$stage/pids/stubborn")" 2>/dev/null
ok $? "who ignores SIGTERM is killed"
ended parent answered
! kill -0 "$(cat "$stage/pids/parent")" 2>/dev/null
ok $? "what an agent has started ends with it"
ended empty empty empty
ended nothing answered
ended plain unmarked answered
attempt plain 1 '.faults | length > 0'
grep -q "Your last answer could not be used" "$stage/prompts/plain-2.md" && grep -q "I think so." "$stage/prompts/plain-2.md" && ! grep -q "could not be taken" "$stage/prompts/plain-1.md"
ok $? "who answers without marks is asked again with the diagnostics"
ended mute unmarked unmarked
ended binary not_text answered
ended huge too_large
ended leaky answered
attempt leaky 1 '.tail == "my key is [FAULT_API_KEY]"'
ended bare answered
ended deaf answered
ended missing not_started
attempt missing 1 '.message | contains("no-such-agent")'
ended limited rate_limited answered
attempt limited 1 '.http_status == 429 and .retry_after_ms == 2000'
jq -e '[.attempts[] | select(.who == "limited")] | (.[1].started_at | sub("\\..*"; "Z") | fromdate) - (.[0].ended_at | sub("\\..*"; "Z") | fromdate) >= 2' "$work/attempts" >/dev/null
ok $? "Retry-After is waited for"
ended busy overloaded answered
attempt busy 2 '.tokens_in == 11 and .tokens_out == 7 and .model == "m-20250101" and .reach == "endpoint"'
ended cut cut cut cut
ended dropped cut cut cut
ended garbled garbage garbage garbage
ended page garbage garbage garbage
ended stalled timeout timeout timeout
ended refusing refused
ended short cut_short
ended denied denied
attempt denied 1 '.http_status == 401 and (.message | contains("[FAULT_API_KEY]"))'
ended nokey not_started
attempt nokey 1 '.message | contains("NOT_SET_ANYWHERE")'
ended unreachable unreachable unreachable unreachable
ended whole answered
ended local answered
run "who has answered, and nobody else" 0 dialogue round-verify faults --round 0 --json
for one in sound flaky killed slow stubborn parent nothing plain mute binary leaky bare deaf limited busy whole local; do echo $one; done | sort >"$work/wanted"
jq -r '.experts[] | select(.state != "missing") | .expert' "$out" | sort | diff "$work/wanted" - | sed 's/^/# /' >"$work/diff"
cat "$work/diff"
[ ! -s "$work/diff" ]
ok $? "an expert that failed is absent, never written for"
grep -q "Mine is \[FAULT_API_KEY\], yours" .conclave/runs/faults/round-0/leaky-1.md
ok $? "a secret in an answer is replaced by its name"
! grep -rqaF "$FAULT_API_KEY" .conclave stage "$work/events" "$work/attempts"
ok $? "secrets are in no record, file, prompt or event"
grep -q "^CONCLAVE_ATTEMPT CONCLAVE_DIALOGUE CONCLAVE_EXPERT CONCLAVE_ROLE CONCLAVE_ROUND CONCLAVE_TASK HOME" .conclave/runs/faults/round-0/bare-1.md &&
    ! grep -q "ANOTHER_SECRET\|FAULT_API_KEY\|XDG_CONFIG_HOME" .conclave/runs/faults/round-0/bare-1.md
ok $? "a command gets the variables that it should, and no others"
run "what it wrote verifies" 0 verify

# ---- too few ----------------------------------------------------------------------------------------------------------
project few
stage=$PWD/stage
pool sound missing | "$conclave" dialogue create --data @- >/dev/null
cat >agents.toml <<END
[agents.sound]
command = "sh $root/test/run/fault.sh $stage"
[agents.missing]
command = "./later.sh $stage"
[seats]
sound = "sound"
missing = "missing"
END
run "all must answer, unless it is said otherwise" 1 run faults --agents agents.toml --judge mechanical --rounds 1 --yes
has "too few experts have answered"
has "missing: there is no program './later.sh'"
has "conclave run faults --agents agents.toml --judge mechanical --rounds 1"
run "nothing is registered" 0 dialogue progress faults --json
is '.rounds == [] and .responses_waiting == 1'
printf '#!/bin/sh\nexec sh %s/test/run/fault.sh "$1"\n' "$root" >later.sh && chmod +x later.sh
run "the same command asks again who failed, and nobody else" 0 run faults --agents agents.toml --judge mechanical --rounds 1 --yes --json
tail -n 1 "$out" >"$work/last" && mv "$work/last" "$out"
is '.reason == "converged" or .reason == "rounds"'
is '[.rounds[0].experts[] | [.expert, .attempts]] == [["missing", 2], ["sound", 1]]'

# ---- one cause, told once -------------------------------------------------------------------------------------------------
project once
printf '#!/bin/sh\necho "no model banana-9" >&2\nexit 3\n' >failing.sh && chmod +x failing.sh
run "a panel that fails" 1 ask "Rye?" --expert "Baker" --expert "Miller" --expert "Farmer" --agent ./failing.sh --yes
[ "$(grep -c "banana-9" "$err")" -eq 1 ] && [ "$(grep -c "like muffin\|like cupcake\|like scone" "$err")" -eq 2 ]
ok $? "its cause is told once while it runs"
[ "$(grep -c "banana-9" "$out")" -eq 1 ] && [ "$(grep -c "3 attempts" "$out")" -eq 3 ]
ok $? "and once in the answer, with the number of attempts"
! grep -q "stopped\|^$" "$err"
ok $? "how it ended is in the answer alone"
run "another time" 1 run rye --agent ./failing.sh --yes
[ "$(grep -c "banana-9" "$err")" -eq 1 ]
ok $? "it is told again"
run "as events" 1 run rye --agent ./failing.sh --yes --json
[ "$(jq -c 'select(.event == "attempt" and .state == "failed" and (.message | test("banana-9")))' "$out" | wc -l)" -eq 9 ] &&
    [ "$(grep -c '"event":"run_ended"' "$out")" -eq 1 ]
ok $? "each attempt is one, with its cause"
project some
stage=$PWD/stage
pool sound missing | "$conclave" dialogue create --data @- >/dev/null
sed "s#$work/few#$work/some#" ../few/agents.toml >agents.toml
run "with a quorum the round goes on" 0 run faults --agents agents.toml --judge mechanical --rounds 1 --quorum 1 --yes --json
run "the absent one has said nothing" 0 dialogue round-verify faults --round 0 --json
is '[.experts[] | select(.state == "missing") | .expert] == ["missing"]'

# ---- budgets ----------------------------------------------------------------------------------------------------------
# Every call uses 18 tokens, which cost a dollar each.
asked() { curl -s "$url/count" | jq -r --arg of "$1" '.[$of] // 0'; }
# budget NAME REASON CALLS OPTION...: the run stops for that reason after so many calls.
budget() {
    project "budget-$1"
    pool a b c d e f | "$conclave" dialogue create --data @- >/dev/null
    { endpoint m "wait-$1" openai 'price_in = 1000000' 'price_out = 1000000'; printf '[seats]\n"*" = "m"\n'; } >agents.toml
    reason=$2 calls=$3 before=$(asked "wait-$1")
    shift 3
    run "budget: $*" 1 run faults --agents agents.toml --judge mechanical --rounds 2 --yes --json "$@"
    tail -n 1 "$out" >"$work/last" && mv "$work/last" "$out"
    is ".reason == \"$reason\" and .spent.calls == $calls and .state == \"stopped\""
    made=$(($(asked "wait-${PWD##*budget-}") - before))
    [ "$made" -eq "$calls" ]
    ok $? "budget: $*: $calls calls reach the server ($made)"
}
budget 1 max_tokens 3 --max-tokens 40
budget 2 max_cost 2 --max-cost 20
budget 1200 max_time 1 --max-time 1 --parallel 1
run "a higher limit goes on" 1 run faults --agents agents.toml --judge mechanical --rounds 2 --yes --json --max-tokens 36
tail -n 1 "$out" >"$work/last" && mv "$work/last" "$out"
is '.reason == "max_tokens" and .spent.calls == 2'

# ---- HTTPS ------------------------------------------------------------------------------------------------------------
mkfifo "$work/secure.in"
"$node" "$root/test/run/models.mjs" --tls "$root/test/run/tls" --answer "printf '[PERSPECTIVE P01: In secret]\nIt works.\n\n[MOVE:CONVERGE]\n'" <"$work/secure.in" >"$work/secure.port" &
exec 8>"$work/secure.in"
until [ -s "$work/secure.port" ]; do sleep 0.05; done
project secure
unset CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR
pool a b | "$conclave" dialogue create --data @- >/dev/null
{ endpoint m ok anthropic | sed "s#$url#https://127.0.0.1:$(cat "$work/secure.port")#"; printf '[seats]\n"*" = "m"\n'; } >agents.toml
run "a certificate that nobody vouches for" 1 run faults --agents agents.toml --judge mechanical --rounds 1 --yes --max-time 1 --json
tail -n 1 "$out" >"$work/last" && mv "$work/last" "$out"
is '.rounds[0].experts[0] | .state == "unreachable" and (.message | test("certificate"))'
export CURL_CA_BUNDLE="$root/test/run/tls/cert.pem"
run "… and one that the user trusts" 0 run faults --agents agents.toml --judge mechanical --rounds 1 --yes --json
unset CURL_CA_BUNDLE
exec 8>&-

# ---- the set-ups of the documentation ---------------------------------------------------------------------------------
# Word for word, but for the addresses; `claude` is a script that answers in the form of its preset.
cat >"$work/model.sh" <<'END'
prompt=$(cat)
if printf %s "$prompt" | grep -q '"verdict_type"'; then
    echo '{"verdicts": [{"verdict_id": "final", "verdict_type": "final", "recommendation": "Take one queue", "description": "Less to run."}]}'
elif printf %s "$prompt" | grep -q '"expert_scores"'; then
    echo '{"score": 5, "summary": "They agree."}'
else
    printf '[PERSPECTIVE P01: One queue]\nLess to run.\n\n[MOVE:CONVERGE]\n'
fi
END
mkdir -p "$work/bin"
printf '#!/bin/sh\nsh %s/model.sh | jq -Rs "{type: \\"result\\", subtype: \\"success\\", result: ., total_cost_usd: 0.01, usage: {input_tokens: 3, output_tokens: 4}}"\n' "$work" >"$work/bin/claude"
chmod +x "$work/bin/claude"
ln -s "$conclave" "$work/bin/conclave"
"$node" "$root/test/run/models.mjs" --answer "sh $work/model.sh" --log "$work/asked" <"$work/models.in" >"$work/port2" 9>&- &
until [ -s "$work/port2" ]; do sleep 0.05; done
# block KIND NUMBER: that block of the set-ups.
block() {
    awk -v kind="$1" -v number="$2" '/^## /{here = $0 == "## Three set-ups"} /^```/{n += inside = $0 == "```" kind && here; next} inside && n == number' "$root/docs/run.md" |
        sed "s#https://api.openai.com/v1#http://127.0.0.1:$(cat "$work/port2")/ok/v1#; s#http://127.0.0.1:11434#http://127.0.0.1:$(cat "$work/port2")/ok#"
}
# follow NUMBER WHERE TOML: the set-up with its command, and its file, if it has one.
follow() {
    project "setup-$1"
    name="set-up $1 of docs/run.md"
    [ -z "$2" ] || block toml "$3" >"$2"
    block sh "$1" >command
    [ "$(wc -l <command)" -eq 1 ] && sed 's/$/ --yes --json/' command >command.sh
    ok $? "$name: is one command"
    env PATH="$work/bin:$PATH" OPENAI_API_KEY=sk-nobody-1234 sh command.sh >"$out" 2>"$err"
    ok $? "$name: ends with a decision"
    tail -n 1 "$out" >"$work/last" && mv "$work/last" "$out"
    is '.reason == "decided" and .decision == "Take one queue" and .rounds[0].answered == 7'
}
follow 1 "" 0
is '[.rounds[].experts[].agent] | unique == ["claude -p"]'
follow 2 agents.toml 1
is '[.rounds[0].experts[] | .agent] | group_by(.) | map([.[0], length]) == [["gpt", 4], ["opus", 5]]'
jq -es 'all(.[]; .headers.authorization == "Bearer sk-nobody-1234" and .body.model == "gpt-5") and length == 4' "$work/asked" >/dev/null
ok $? "$name: the endpoint gets the key and the model"
follow 3 .conclave/agents.toml 2
is '[.rounds[].experts[].agent] | unique == ["local"]'

# ---- all kinds of agents ----------------------------------------------------------------------------------------------
project mixed
stage=$PWD/stage
pool sound local mail person | "$conclave" dialogue create --data @- >/dev/null
{
    printf '[agents.sound]\ncommand = "sh %s/test/run/fault.sh %s"\n' "$root" "$stage"
    endpoint local ok ollama
    printf '[agents.postie]\nreach = "mailbox"\n[agents.grace]\nkind = "human"\n[seats]\nsound = "sound"\nlocal = "local"\nmail = "postie"\nperson = "grace"\n'
} >agents.toml
run "agents of all kinds are registered" 0 agent import agents.toml
run "a mixed panel begins" 0 run faults --agents agents.toml --judge mechanical --rounds 1 --yes --background --json
# until_is FILTER NAME: waits until the run's status is so.
status_is() { "$conclave" run status faults --attempts --json >"$out" && jq -e "$1" "$out" >/dev/null; }
until_is() {
    await status_is "$1"
    name=$2
    is "$1"
}
until_is '[.attempts[] | select(.state == "started") | .reach] | sort == ["human", "mailbox"]' "it waits for the mailbox and the person"
until_is '.state == "waiting" and (.message | contains("dialogue respond faults"))' "it says what to type"
run "the mailbox has its prompt" 0 mail inbox postie --json
is '.messages | length == 1 and .[0].command == "respond"'
message=$(jq -r '.messages[0].message_id' "$out")
run "a reply" 0 mail send --from postie --to conclave-run --reply-to "$message" --body "[PERSPECTIVE P01: By mail]
It takes a day.

[MOVE:CONVERGE]"
run "the person answers" 0 dialogue respond faults --expert person --content "[PERSPECTIVE P01: By hand]
I typed this.

[MOVE:CONVERGE]"
until_is '.state == "ended"' "everybody has answered"
is '.reason == "converged" and .rounds[0].registered and .rounds[0].answered == 4'
is '[.attempts[] | [.who, .reach, .state]] == [["local", "endpoint", "answered"], ["mail", "mailbox", "answered"], ["person", "human", "answered"], ["sound", "command", "answered"]]'
run "a mixed panel verifies" 0 verify
exec 9>&-
finish
