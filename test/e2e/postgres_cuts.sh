#!/bin/sh
# postgres_cuts.sh - what is written and waited for while a connection, or the server, comes and goes.
#
# The connection to the server is cut before one message of a write, whichever room writes: the write is
# done, once, or it is refused and nothing of it is there: then the same command does it. A sample of the messages for each
# seed; all of them in the soak.
. "$(dirname "$0")/lib.sh"
needs_sqlite "cut connections" # it has a server of its own
needs_postgres "cut connections"
dir=$work/server && "$server" start "$dir" --memory --owner $$ >/dev/null || exit 1
proxy_to "$dir"
mkdir "$work/p" && cd "$work/p" || exit 1
run "a project behind a proxy" 0 init --store "$proxied"
quiet() { "$conclave" "$@" >"$out" 2>"$err" || ok 1 "before the cuts: $*"; }
quiet agent add hub
quiet chat open "cuts" --participants A@x,B@y --id c1
quiet dialogue create "Cut" --data '{"expert_pool": {"domain": "Baking", "experts": [{"role": "Baker", "tier": "Core", "relevance": 0.9}]}, "panel_size": 1}'
seed=${CV_SEED:-1}

# One write of a kind; each has a number of its own.
write() {
    case $1 in
    dialogue) "$conclave" dialogue create "D $2" --op-id "d$2" --json ;;
    mail) "$conclave" mail send --from User --to hub --message-id "m$2" "$2" --json ;;
    claim) "$conclave" mail claim hub --json ;;
    chat) "$conclave" chat send c1 --from A@x --type T --body "body $2." --op-id "c$2" --json ;;
    notes) printf -- '---\ndialog:\n  speaker: ada\n  target: "@everyone"\n  mood: "0000FF"\n  message: "header %s"\n---\n' "$2" >"n$2.md" &&
        "$conclave" notes log "n$2.md" --json ;;
    agent) "$conclave" agent add "a$2" --json ;;
    run) "$conclave" run cut --agent "echo NO CONTRIBUTION" --judge mechanical --step --json ;;
    esac >"$out" 2>"$err"
}

# Which of $1 messages: all, or three of them. Later writes send fewer than the first: one is in the first eighth.
some() {
    if [ -n "${CV_SOAK-}" ]; then seq "$1"; else awk -v n="$1" -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < 3; i++) print 1 + int(rand() * n / (i ? 1 : 8)) }'; fi
}

turn=0
for kind in dialogue mail claim chat notes agent run; do
    turn=$((turn + 1)) seed=$((seed + 1)) bad="" done=1 cuts=0 again=0
    proxy reset >/dev/null
    write $kind $turn || ok 1 "$kind: before the cuts"
    messages=$(proxy count | sed 's/.*messages \([0-9]*\).*/\1/')
    for at in $(some "$messages"); do
        turn=$((turn + 1)) done=$((done + 1))
        [ $kind != claim ] || quiet mail send --from User --to hub --message-id "for$turn" "to be claimed"
        proxy reset >/dev/null
        proxy "cut message $at" >/dev/null
        write $kind $turn || {
            jq -e '.error_code == "store_error"' "$out" >/dev/null 2>&1 || sed 's/^/#   /' "$out" "$err"
            jq -e '.error_code == "store_error"' "$out" >/dev/null 2>&1 && write $kind $turn && again=$((again + 1)) || bad="$bad $at"
        }
        # One that has seen more of the record may send fewer messages.
        case $(proxy count) in *"cuts 1"*) cuts=$((cuts + 1)) ;; esac
        proxy "cut never" >/dev/null
    done
    [ -z "$bad" ] && [ "$cuts" -gt 0 ]
    ok $? "$kind: done, though the connection was cut before one of $messages messages ($cuts cuts, $again sent again)$bad"
    eval "done_$kind=$done"
done

run "each dialogue is there once" 0 dialogue list --json
is "[.dialogues[] | select(.title | startswith(\"D \"))] | length == $done_dialogue and length == (unique_by(.title) | length)"
run "each message is there once" 0 mail inbox hub --all --limit 100 --json
is "[.messages[] | select(.message_id | test(\"^m[0-9]\"))] | length == $done_mail and length == (unique_by(.message_id) | length)"
is "[.messages[] | select(.state == \"claimed\")] | length == $done_claim"
run "each line of the chat is there once" 0 chat read c1 --as B@y --json
[ "$(grep -rho 'body [0-9]*\.' .conclave/chat/*c1* | sort | uniq -c | awk '{ print $1 }' | sort -u | tr -d '\n')" = 1 ]
ok $? "… in the file"
[ "$(grep -rho 'body [0-9]*\.' .conclave/chat/*c1* | sort -u | wc -l)" -eq "$done_chat" ]
ok $? "… all of them"
run "each header is there once" 0 notes list --limit 100 --json
is "[.notes[] | select(.message | startswith(\"header \"))] | length == $done_notes and length == (unique_by(.message) | length)"
run "each agent is there" 0 agent list --json
is "[.agents[] | select(.agent_id | test(\"^a[0-9]\"))] | length == $done_agent"
run "the record verifies" 0 verify

# ---- the server is killed and started again while others wait --------------------------------------------------------

echo "store = \"$("$server" address "$dir")\"" >.conclave/config && rm -f .conclave/seen
quiet agent add late
: >"$work/served"
"$conclave" serve --port 0 >"$work/served" 2>"$work/serve.err" &
serving=$!
"$conclave" mail wait late --timeout-seconds 600 --json >"$work/waited" 2>"$work/wait.err" &
waiting=$!
"$conclave" watch --after start --json >"$work/watched" 2>"$work/watch.err" &
watching=$!
await grep -q http "$work/served"
url=$(sed -n 's|.*\(http://[0-9.]*:[0-9]*\).*|\1|p' "$work/served" | head -n 1)
await curl -sf -o /dev/null "$url/healthz"
ok $? "a server of the project is well"
await grep -q '"rev"' "$work/watched"
ok $? "watch tells of commits"
"$server" kill "$dir" && "$server" restart "$dir"
run "a write after it" 0 mail send --from User --to late --message-id after "after the restart"
await curl -sf -o /dev/null "$url/healthz"
ok $? "a server of the project is well again"
curl -s "$url/metrics" | grep -qx "conclave_record_readable 1"
ok $? "… and says so"
wait $waiting
ok $? "who waited for mail: exit status 0"
jq -e '[.messages[].message_id] == ["after"]' "$work/waited" >/dev/null
ok $? "… has it"
await grep -q '"mail send"' "$work/watched"
ok $? "watch tells of it, too"
kill -TERM $watching $serving
wait $serving
ok $? "the server of the project ends when it is told to"

# ---- a server that takes a question and never answers ---------------------------------------------------------------------

echo "store = \"$proxied\"" >.conclave/config && rm -f .conclave/seen
: >"$work/served"
"$conclave" serve --port 0 >"$work/served" 2>"$work/serve.err" &
serving=$!
await grep -q http "$work/served"
url=$(sed -n 's|.*\(http://[0-9.]*:[0-9]*\).*|\1|p' "$work/served" | head -n 1)
health() { curl -s -m 30 -o /dev/null -w '%{http_code}' "$url/healthz"; }
is_well() { [ "$(health)" = 200 ]; }
await is_well
ok $? "behind the proxy it is well"
proxy pause >/dev/null
[ "$(health) $(health)" = "503 503" ]
ok $? "no answer of the database: /healthz answers, more than once"
proxy resume >/dev/null
await is_well
ok $? "well again when it answers"
proxy refuse >/dev/null && proxy "cut now" >/dev/null
[ "$(health)" = 503 ]
ok $? "the database is away: /healthz answers"
proxy accept >/dev/null
await is_well
ok $? "well again when it is back"
proxy pause >/dev/null
health >/dev/null
kill -TERM $serving
wait $serving
ok $? "the server of the project ends while a question is open"
finish
