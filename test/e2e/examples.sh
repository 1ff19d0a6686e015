#!/bin/sh
# examples.sh - the examples in the help of every operation run, in the order of the help, in one project with the files
# of examples/.
. "$(dirname "$0")/lib.sh"
mkdir "$work/bin" && ln -s "$conclave" "$work/bin/conclave"
PATH=$work/bin:$PATH
export PATH
project
cp -r "$root"/examples/nvidia-decision/* "$root/examples/dialogues" "$root/examples/decision.dialogue.md" "$root/examples/agents.json" .
mkdir -p decisions docs
echo "# Readme" >README.md && printf '# Garden\n\n## Herbs\n\nMint.\n' >docs/garden.md
git init -q . 2>/dev/null

"$conclave" dialogue create --data @dialogue.json >"$out" 2>"$err"
ok $? "the dialogue of the examples"

# The project's commands: init first, then who can act, the others after all that is written.
"$conclave" help --json | jq -r '[.commands[] | select(.operation)] |
    (map(select(.verb == "init")) + map(select(.room == "agent")) + map(select(.room != "" and .room != "agent")) + map(select(.room == "" and .verb != "init")))[] | .examples | rtrimstr("\n")' \
    >"$work/examples"
# A server of the tests stands for the one of the examples; another schema for each project.
server=$root/test/postgres/server
! "$server" available 2>/dev/null || fresh_store
# What the examples take for granted: a template, a chat file from elsewhere, a token that a claim answered, a message
# that has failed for good.
mkdir -p .conclave/mail/templates old && echo "Hello {{ name }}" >.conclave/mail/templates/greeting
: >"$work/tokens"
token_of() { [ -n "$(awk -v id="$1" '$1 == id { print $2 }' "$work/tokens")" ] || claimed "mail claim Planner-1 --message-id $1"; awk -v id="$1" '$1 == id { t = $2 } END { print t }' "$work/tokens"; }
# claimed COMMAND: claims, and remembers the token of the message.
claimed() { sh -c "conclave $1 --json" 2>>"$err" | jq -r '"\(.message.message_id) \(.token)"' >>"$work/tokens"; }
prepared() {
    case $1 in
    *"mail done"* | *"mail fail"*) id=$(echo "$1" | sed 's/.*--message-id \([^ ]*\).*/\1/') ;;
    *"mail complete"*) id=$(conclave mail inbox Planner-1 --json | jq -r '.messages[] | select(.task_id == "t1").message_id') ;;
    *"mail requeue"*)
        conclave mail claim Planner-1 --message-id test-7 --json >"$out"
        conclave mail fail Planner-1 --message-id test-7 --token "$(jq .token "$out")" --error-details late --final >"$out"
        ;;
    *"token revoke"*) set -- "conclave token revoke $(conclave token list --json | jq -r '.tokens[0].token_id')" ;;
    *"chat import"*) cp .conclave/chat/temp_chat_primers.txt old/temp_chat_old.txt ;;
    esac
    case $1 in
    *--token*) echo "$1" | sed "s/--token [0-9]*/--token $(token_of "$id")/" ;;
    *) echo "$1" ;;
    esac
}
while read -r line; do
    case $line in # they start agents, or ask for a run that was started: test/e2e/run.sh tries them
    "conclave run "* | "conclave ask "*) case $line in *--dry-run*) ;; *) continue ;; esac ;;
    esac
    line=$(prepared "$line")
    case $line in
    *postgresql://*)
        [ -n "${store-}" ] || { skip "$line" "no PostgreSQL" && continue; }
        case $line in *init*) there=${store}_team ;; *) there=$store ;; esac
        line=$(echo "$line" | sed "s|postgresql://[^ ]*|'$(echo "$there" | sed 's/&/\\&/g')'|")
        ;;
    esac
    sh -c "$line" >"$out" 2>"$err" </dev/null
    status=$?
    case $line in
    "conclave mail claim"*) jq -r '"\(.message.message_id) \(.token)"' "$out" >>"$work/tokens" 2>/dev/null ||
        sed -n 's/^Claimed with token \([0-9]*\),.*/oven \1/p' "$out" >>"$work/tokens" ;;
    "conclave chat watch --duration 0") [ "$status" -ne 2 ] || status=0 ;; # the time is over
    esac
    [ "$status" -eq 0 ] || sed 's/^/#   /' "$out" "$err"
    ok "$status" "$line"
done <"$work/examples"
finish
