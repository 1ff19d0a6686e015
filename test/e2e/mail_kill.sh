#!/bin/sh
# mail_kill.sh - kill -9 before every call that changes something, of send, claim, done, take-in and the moves of hands:
# what was acknowledged is there exactly once, what was not is absent or whole, and no half file is ever seen.
. "$(dirname "$0")/lib.sh"
[ -x "$root/build/kill_at" ] || skip_all "mail killed everywhere" "there is no kill_at"
conclave=$root/build/conclave
on_sqlite || conclave=${CONCLAVE:-$conclave}
mail=.conclave/mail
# A sample of the points, others in each commit; all of them with CV_SOAK.
kill_step=7
[ -z "${CV_SOAK-}" ] || kill_step=1
kill_first=$((${CV_SEED:-1} % kill_step + 1))

project
"$conclave" agent add muffin >/dev/null && "$conclave" agent add Planner-1 >/dev/null && "$conclave" mail watch 0 >/dev/null
box=$mail/runtime/Planner-1
outbox=$mail/runtime/muffin/outbox

nothing() { :; }
# Every file that a reader could see is whole, after each kill.
half=0
whole() {
    for f in $box/inbox/*.json $box/claimed/*.json $mail/mailbox_*.json; do
        [ ! -f "$f" ] || [ "$(tail -c 2 "$f")" = "}" ] || half=$((half + 1))
    done
}
# said NAME FLOOR ABSENT WHOLE: the number of kill points, and that both outcomes were seen.
said() {
    points=$kill_points
    floor=$(($2 / kill_step))
    echo "# $1: $points kill points (at least $floor), absent $3, whole $4"
    [ "$points" -ge "$floor" ]
    ok $? "$1: enough kill points"
    [ "$3" -gt 0 ] && [ "$4" -gt 0 ]
    ok $? "$1: both outcomes were seen"
}
all() { "$conclave" mail inbox Planner-1 --all --limit 1000 --json 2>/dev/null; }

# ---- send -----------------------------------------------------------------------------------------------------------
acked=$work/acked
: >"$acked"
# The command is told its number by a wrapper, for each try is another message.
cat >"$work/send" <<END
#!/bin/sh
read -r id <"$work/n"
exec "$conclave" mail send --from muffin --to Planner-1 --message-id "\$id" "body of \$id" --json
END
chmod +x "$work/send"
name_it() { echo "kill-$1" >"$work/n"; }
note_it() { echo "kill-$1 $2" >>"$acked"; whole; }
kills_everywhere name_it note_it "$work/send"
all >"$work/all"
jq -r '.messages[].message_id' "$work/all" | sort >"$work/ids"
absent=0 present=0 wrong=0
while read -r id status; do
    n=$(grep -cx "$id" "$work/ids")
    [ "$n" -le 1 ] || wrong=$((wrong + 1))
    [ "$status" -ne 0 ] || [ "$n" -eq 1 ] || wrong=$((wrong + 1))
    if [ "$n" -eq 1 ]; then present=$((present + 1)); else absent=$((absent + 1)); fi
done <"$acked"
[ $wrong -eq 0 ]
ok $? "send: acknowledged is there once, not acknowledged is absent or there once"
said send 60 $absent $present
[ "$(ls $box/inbox | wc -l)" = "$present" ]
ok $? "send: each message that is there has one file, and no other has"

# ---- claim ----------------------------------------------------------------------------------------------------------
claimed_by() { jq -r '.messages[] | select(.state == "claimed") | .message_id' "$work/all" | sort; }
for i in $(seq 1 $((140 / kill_step + 4))); do "$conclave" mail send --from muffin --to Planner-1 "work $i" >/dev/null; done
: >"$acked"
keep_claim() {
    [ "$2" -ne 0 ] || jq -r '.message.message_id' "$out" >>"$acked"
    whole
}
kills_everywhere nothing keep_claim "$conclave" mail claim Planner-1 --lease-seconds 3600 --json
all >"$work/all"
claims=$(claimed_by | wc -l)
[ "$(claimed_by | uniq -d | wc -l)" -eq 0 ] && [ -z "$(sort "$acked" | while read -r id; do claimed_by | grep -qx "$id" || echo lost; done)" ]
ok $? "claim: what was answered is claimed"
said claim 60 $((kill_points + 1 - claims)) "$claims"
[ "$(ls $box/claimed | wc -l)" = "$claims" ]
ok $? "claim: each claimed message has its file in claimed/"

# ---- done -----------------------------------------------------------------------------------------------------------
"$conclave" mail claim Planner-1 --lease-seconds 3600 --json >"$work/claimed"
id=$(jq -r .message.message_id "$work/claimed") token=$(jq .token "$work/claimed")
absent=0 present=0 wrong=0
look_done() {
    whole
    [ "$(all | jq -r ".messages[] | select(.message_id == \"$id\") | .state")" = done ]
    is_done=$?
    [ "$2" -ne 0 ] || [ $is_done -eq 0 ] || wrong=$((wrong + 1))
    if [ $is_done -eq 0 ]; then present=$((present + 1)); else absent=$((absent + 1)); fi
    [ $is_done -eq 0 ] || return 0
    # finished: the next try is about another message
    "$conclave" mail claim Planner-1 --lease-seconds 3600 --json >"$work/claimed"
    id=$(jq -r .message.message_id "$work/claimed") token=$(jq .token "$work/claimed")
    echo "$id $token" >"$work/n"
}
echo "$id $token" >"$work/n"
cat >"$work/done" <<END
#!/bin/sh
read -r id token <"$work/n"
exec "$conclave" mail done Planner-1 --message-id "\$id" --token "\$token" --output '{"n": 1}' --json
END
chmod +x "$work/done"
kills_everywhere nothing look_done "$work/done"
[ $wrong -eq 0 ]
ok $? "done: what was answered is done"
said "done" 60 $absent $present
all >"$work/all"
[ "$(jq '[.messages[] | select(.state == "done")] | length' "$work/all")" = "$(wc -l <$mail/completed_tasks.json)" ] &&
    jq -e . $mail/completed_tasks.json >/dev/null
ok $? "done: each outcome is one line, whole and once"

# ---- take-in --------------------------------------------------------------------------------------------------------
absent=0 present=0 dropped=0
drop() {
    dropped=$((dropped + 1))
    printf '{"command": "drop-%s", "sender_agent_id": "muffin", "target_id": "Planner-1", "params": {}}\n' $dropped >"$work/drop"
    mv "$work/drop" $outbox/drop-$dropped.json
}
drop_if_gone() { [ -n "$(ls $outbox | grep drop-)$(ls $mail/runtime/muffin/.taking)" ] || drop; }
count_taken() {
    whole
    if [ -n "$(ls $outbox | grep drop-)$(ls $mail/runtime/muffin/.taking)" ]; then absent=$((absent + 1)); else present=$((present + 1)); fi
}
kills_everywhere drop_if_gone count_taken "$conclave" mail watch 0
"$conclave" mail watch 0 >/dev/null
all >"$work/all"
[ "$(jq -r '.messages[].command | select(startswith("drop-"))' "$work/all" | sort | uniq -c | awk '$1 != 1' | wc -l)" -eq 0 ] &&
    [ "$(jq -r '.messages[].command | select(startswith("drop-"))' "$work/all" | sort -u | wc -l)" -eq $dropped ]
ok $? "take-in: each of $dropped dropped files is one message"
said take-in 60 $absent $present
[ "$(ls $mail/runtime/muffin/archive | grep -c drop-)" -eq $dropped ] && [ -z "$(ls $mail/runtime/muffin/quarantine)" ]
ok $? "take-in: each is in the archive"

# ---- moved by hand --------------------------------------------------------------------------------------------------
absent=0 present=0 moved=0
move_one() {
    [ -z "$(ls $box/done)" ] || return 0
    first=$(ls $box/inbox | head -1)
    [ -n "$first" ] || { "$conclave" mail send --from muffin --to Planner-1 "more" >/dev/null; first=$(ls $box/inbox | head -1); }
    mv "$box/inbox/$first" $box/done/ && moved=$((moved + 1))
}
count_moved() {
    whole
    if [ -n "$(ls $box/done)" ]; then absent=$((absent + 1)); else present=$((present + 1)); fi
}
before=$(jq '[.messages[] | select(.state == "done")] | length' "$work/all")
kills_everywhere move_one count_moved "$conclave" mail watch 0
"$conclave" mail watch 0 >/dev/null
all >"$work/all"
[ "$(jq '[.messages[] | select(.state == "done")] | length' "$work/all")" -eq $((before + moved)) ]
ok $? "done by hand: each of $moved moved files is done once"
said "done by hand" 60 $absent $present
[ "$(jq '[.messages[] | select(.state == "done")] | length' "$work/all")" = "$(wc -l <$mail/completed_tasks.json)" ]
ok $? "done by hand: each outcome is one line"

# ---- dropped at any moment ------------------------------------------------------------------------------------------
# A file is put into a folder right before a call of another process, which goes on, or is killed after the next call:
# the next process has it, however the other one has left the folders.
dropped=0 hidden=0 moments=0
# late WHERE COMMAND...: the command, once for each of its calls, with a file that is dropped there.
late() {
    echo "$1" >where
    shift
    for later in 0 1; do
        at=$kill_first
        while :; do
            dropped=$((dropped + 1))
            printf '{"command": "late-%s", "sender_agent_id": "muffin", "target_id": "Planner-1", "params": {}}\n' $dropped >late/late-$dropped.json
            "$root/build/kill_at" -r 'mv late/* "$(cat where)"' -k $later $at "$@" >"$out" 2>"$err"
            [ -z "$(ls late)" ] || break # it has no such call
            moments=$((moments + 1))
            "$conclave" mail inbox Planner-1 --all --after "$newest" --json >"$work/all"
            jq -e ".messages[] | select(.command == \"late-$dropped\")" "$work/all" >/dev/null ||
                { hidden=$((hidden + 1)); echo "# hidden: before call $at of $* ($later)"; }
            newest=$(jq "[$newest, .messages[].seq] | max" "$work/all")
            at=$((at + kill_step))
        done
        rm late/*
    done
}
mkdir late
newest=$(all | jq '[.messages[].seq] | max')
late $outbox "$conclave" mail send --from muffin --to Planner-1 "beside it"
late $box/inbox "$conclave" mail send --from muffin --to Planner-1 "beside it"
late $outbox "$conclave" mail watch 0
late $box/inbox "$conclave" mail claim Planner-1
echo "# dropped at $moments moments"
[ $hidden -eq 0 ]
ok $? "a file that was dropped at any moment is taken in by the next call of anyone"
[ $moments -ge $((200 / kill_step)) ]
ok $? "it was dropped at enough moments"

[ $half -eq 0 ]
ok $? "no half file was ever seen"
run "verify" 0 verify
finish
