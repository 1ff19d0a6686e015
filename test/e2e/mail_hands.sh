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
    until [ -f "$work/log/stop" ]; do
        "$conclave" mail claim hub --json --session "c$1" >"$work/log/c$1.out" 2>>"$work/log/c$1.err" || continue
        id=$(jq -r '.message.message_id // empty' "$work/log/c$1.out")
        [ -n "$id" ] || { sleep 0.1; continue; }
        "$conclave" mail done hub --message-id "$id" --token "$(jq .token "$work/log/c$1.out")" --session "c$1" \
            --json >/dev/null 2>>"$work/log/c$1.err" && echo "$id" >>"$work/log/done.$1"
    done
}
hand() { "$root/test/mail_hand.sh" "$1" "$mail" "$work/log" $drops; }

senders=""
for s in $(seq 1 32); do sender "$s" & senders="$senders $!"; done
for c in $(seq 1 8); do claimer "$c" & done
hand move_files &
for what in drop_whole drop_slowly edit_box; do hand $what & senders="$senders $!"; done
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
touch "$work/log/stop"
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
! grep -q "was removed" $box/files.log 2>/dev/null
ok $? "no file is said to be gone: nobody has deleted one"
run "verify" 0 verify
finish
