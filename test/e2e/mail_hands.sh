#!/bin/sh
# mail_hands.sh - 32 processes that send to one mailbox, 8 that claim from it, and 4 shells that have nothing but files:
# one drops them whole, one writes them slowly and sometimes dies, one claims and finishes by mv, one edits the mailbox
# file. Nothing is lost, nothing is done twice, and each sender's messages come in their order.
. "$(dirname "$0")/lib.sh"
conclave=$root/build/conclave
on_sqlite || conclave=${CONCLAVE:-$conclave}
each=3 drops=8
[ -z "${CV_SOAK-}" ] || { each=300; drops=200; }
mail=.conclave/mail

project
"$conclave" agent add hub >/dev/null && "$conclave" agent add dropper >/dev/null && "$conclave" agent add slow >/dev/null
"$conclave" mail watch 0 >/dev/null
box=$mail/runtime/hub
mkdir "$work/log"

# What a busy record refuses is sent again under the same id.
sender() {
    i=1 tries=0
    while [ $i -le $each ]; do
        "$conclave" mail send --from User --to hub --command work --params "{\"who\": \"s$1\", \"n\": $i}" --message-id "s$1-$i" \
            --json >"$work/log/s$1.out" 2>>"$work/log/s$1.err" || { tries=$((tries + 1)); [ $tries -gt 10 ] || continue; break; }
        echo "s$1-$i" >>"$work/log/sent.$1"
        i=$((i + 1))
    done
}
claimer() {
    until [ -f "$work/stop" ]; do
        "$conclave" mail claim hub --json --session "c$1" >"$work/log/c$1.out" 2>>"$work/log/c$1.err" || continue
        id=$(jq -r '.message.message_id // empty' "$work/log/c$1.out")
        [ -n "$id" ] || { sleep 0.1; continue; }
        "$conclave" mail done hub --message-id "$id" --token "$(jq .token "$work/log/c$1.out")" --session "c$1" \
            --json >/dev/null 2>>"$work/log/c$1.err" && echo "$id" >>"$work/log/done.$1"
    done
}
message() { printf '{"message_id": "%s-%s", "type": "work", "source_id": "%s", "target_id": "hub", "data": {"params": {"who": "%s", "n": %s}}}\n' "$1" "$2" "$3" "$1" "$2"; }
# Whole files, by a rename.
drop_whole() {
    i=1
    while [ $i -le $drops ]; do
        message d $i dropper >"$work/log/d.tmp" && mv "$work/log/d.tmp" $mail/runtime/dropper/outbox/d_$i.json
        echo "d-$i" >>"$work/log/sent.d"
        i=$((i + 1))
    done
}
# In pieces, straight into the folder; each third one dies in the middle.
drop_slowly() {
    i=1
    while [ $i -le $drops ]; do
        message w $i slow >"$work/log/w.text"
        if [ $((i % 3)) -eq 0 ]; then
            head -c 40 "$work/log/w.text" >$mail/runtime/slow/outbox/w_$i.json
            echo "w-$i" >>"$work/log/dead"
        else
            { head -c 40 "$work/log/w.text"; sleep 0.2; tail -c +41 "$work/log/w.text"; } >$mail/runtime/slow/outbox/w_$i.json
            echo "w-$i" >>"$work/log/sent.w"
        fi
        i=$((i + 1))
    done
}
# Claims and finishes by moving files; another may be quicker.
move_files() {
    until [ -f "$work/stop" ]; do
        first=$(ls $box/inbox 2>/dev/null | grep '^task_' | tail -1)
        [ -n "$first" ] || { sleep 0.1; continue; }
        mv "$box/inbox/$first" $box/claimed/ 2>/dev/null || continue
        sleep 0.05
        mv "$box/claimed/$first" $box/done/ 2>/dev/null
        sleep 0.1
    done
}
# Adds a message to mailbox_N.json, as an editor does: read, change, write in place.
edit_box() {
    i=1
    while [ $i -le $((drops / 4)) ]; do
        file=$(ls $mail/mailbox_*.json 2>/dev/null | head -1)
        jq --arg id "e-$i" --argjson n $i '.messages += [{message_id: $id, sender_agent_id: "User", command: "work", params: {who: "e", n: $n}}]' \
            "$file" >"$work/log/box" 2>/dev/null && [ -s "$work/log/box" ] && cat "$work/log/box" >"$file" && echo "e-$i" >>"$work/log/sent.e"
        sleep 0.3
        i=$((i + 1))
    done
}

senders=""
for s in $(seq 1 32); do sender "$s" & senders="$senders $!"; done
for c in $(seq 1 8); do claimer "$c" & done
move_files &
drop_whole & senders="$senders $!"
drop_slowly & senders="$senders $!"
edit_box & senders="$senders $!"
wait $senders
# What is left, until everything is done. Files of the dead need two quiet seconds.
i=0
while [ $i -lt 300 ]; do
    "$conclave" mail watch 0 >/dev/null 2>>"$err"
    open=$("$conclave" mail stats --json 2>/dev/null | jq '[.mailboxes[]? | select(.agent == "hub") | .waiting] | add // 0')
    files=$(ls $mail/runtime/dropper/outbox $mail/runtime/slow/outbox $mail/runtime/*/.taking $box/claimed $box/done 2>/dev/null | grep -c json)
    [ "$open" != 0 ] || [ "$files" != 0 ] || break
    sleep 0.5
    i=$((i + 1))
done
touch "$work/stop"
wait
"$conclave" mail watch 0 >/dev/null 2>>"$err"

after=0
: >"$work/all"
while :; do
    "$conclave" mail inbox hub --all --limit 1000 --after $after --json >"$out" 2>>"$err" || break
    jq -c '.messages[]' "$out" >>"$work/all"
    after=$(jq '.next // 0' "$out")
    [ "$after" != 0 ] || break
done
cat "$work"/log/sent.* | sort >"$work/sent"
jq -r .message_id "$work/all" | sort >"$work/got"
echo "# $(wc -l <"$work/sent") messages, $(cat "$work"/log/done.* 2>/dev/null | wc -l) done by commands, $(wc -l <$mail/completed_tasks.json) outcomes, $(wc -l <"$work/log/dead") files of the dead"
[ -s "$work/sent" ] && cmp -s "$work/sent" "$work/got"
ok $? "every message that was sent, dropped or edited in is there, once, and no other"
[ "$(wc -l <"$work/log/sent.1")" = $each ] && [ "$(cat "$work"/log/sent.[0-9]* | wc -l)" = $((32 * each)) ]
ok $? "every send of the 32 was acknowledged"
[ "$(jq -r .state "$work/all" | sort -u)" = done ]
ok $? "all are done"
[ "$(cat "$work"/log/done.* | sort | uniq -d | wc -l)" -eq 0 ]
ok $? "no two commands were told that they had done the same message"
[ "$(jq -r 'select(.status == "COMPLETED") | .message_id' $mail/completed_tasks.json | sort | uniq -d | wc -l)" -eq 0 ] &&
    [ "$(wc -l <$mail/completed_tasks.json)" = "$(wc -l <"$work/all")" ]
ok $? "each has one outcome in completed_tasks.json"
[ "$(cat "$work"/log/done.* | wc -l)" -lt "$(wc -l <"$work/all")" ]
ok $? "some were done by mv"
jq -s 'sort_by(.seq) | group_by(.params.who) | all(.[]; [.[].params.n] as $n | $n == ($n | sort))' "$work/all" | grep -qx true
ok $? "the messages of each sender come in their order"
[ "$(ls $mail/runtime/slow/quarantine | grep -c 'json$')" = "$(wc -l <"$work/log/dead")" ]
ok $? "what the dead left is in quarantine, each file"
! grep -q "was gone" $box/files.log 2>/dev/null
ok $? "no file is said to be gone: nobody has deleted one"
run "verify" 0 verify
finish
