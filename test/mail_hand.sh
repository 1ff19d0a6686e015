#!/bin/sh
# mail_hand.sh - those who take part in the mail with files alone, for the crowds (e2e/mail_hands.sh, unit/test_mail_crowd.c).
#
#     test/mail_hand.sh WHAT MAIL LOG COUNT      MAIL: the folder of the mail; LOG: a folder for notes
#
# WHAT is one of the functions below. The agents are hub, who gets everything, dropper and slow. LOG/sent.* has the ids of
# what was sent, LOG/dead those of files that were never finished. Those without an end look for LOG/stop.
message() { printf '{"message_id": "%s-%s", "type": "work", "source_id": "%s", "target_id": "hub", "data": {"params": {"who": "%s", "n": %s}}}\n' "$1" "$2" "$3" "$1" "$2"; }
# Whole files, by a rename.
drop_whole() {
    i=1
    while [ $i -le "$count" ]; do
        message d $i dropper >"$log/d.tmp" && mv "$log/d.tmp" "$mail/runtime/dropper/outbox/d_$i.json" && echo "d-$i" >>"$log/sent.d"
        i=$((i + 1))
    done
}
# In pieces, straight into the folder; each third one dies in the middle.
drop_slowly() {
    i=1
    while [ $i -le "$count" ]; do
        message w $i slow >"$log/w.text"
        if [ $((i % 3)) -eq 0 ]; then
            head -c 40 "$log/w.text" >"$mail/runtime/slow/outbox/w_$i.json" && echo "w-$i" >>"$log/dead"
        else
            { head -c 40 "$log/w.text"; sleep 0.2; tail -c +41 "$log/w.text"; } >"$mail/runtime/slow/outbox/w_$i.json" && echo "w-$i" >>"$log/sent.w"
        fi
        i=$((i + 1))
    done
}
# Claims and finishes by moving files; another may be quicker.
move_files() {
    box=$mail/runtime/hub
    until [ -f "$log/stop" ]; do
        first=$(ls "$box/inbox" 2>/dev/null | grep '^task_' | tail -1)
        [ -n "$first" ] || { sleep 0.1; continue; }
        mv "$box/inbox/$first" "$box/claimed/" 2>/dev/null || continue
        sleep 0.05
        mv "$box/claimed/$first" "$box/done/" 2>/dev/null
        sleep 0.1
    done
}
# Adds a message to mailbox_1.json, as an editor does: read, change, write in place. While its last change is taken in, the
# file is not there; any other one would be somebody else's mailbox.
edit_box() {
    i=1 file=$mail/mailbox_1.json
    while [ $i -le $((count / 4)) ]; do
        jq --arg id "e-$i" --argjson n $i '.messages += [{message_id: $id, sender_agent_id: "User", command: "work", params: {who: "e", n: $n}}]' \
            "$file" >"$log/box" 2>/dev/null && [ -s "$log/box" ] && cat "$log/box" >"$file" && echo "e-$i" >>"$log/sent.e"
        sleep 0.3
        i=$((i + 1))
    done
}
what=$1 mail=$2 log=$3 count=$4
$what
