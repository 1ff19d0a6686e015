#!/bin/sh
# chat_kill.sh - kill -9 before every call of send, read and close that changes something, then any other call: nothing
# that was acknowledged is lost, nothing is there twice, no chat stays locked, every file is whole. The number of kill
# points is printed.
CONCLAVE=${CONCLAVE_KILLED:-build/conclave} # the program as it is used: it takes fewer calls to start
. "$(dirname "$0")/lib.sh"
project
folder=.conclave/chat
trouble=$work/trouble
: >"$trouble"
total=0
bad() { echo "$*" >>"$trouble"; }
c() { "$conclave" chat "$@" --json >"$work/after" 2>"$work/after.err"; }

# settled ID N: one more call was made; the chat is whole and free.
settled() {
    [ ! -e "$folder/temp_chat_$1_editing.txt" ] || bad "$2: still locked"
    c check "$1" && jq -e '.findings == []' "$work/after" >/dev/null || bad "$2: $(cat "$work/after" "$work/after.err")"
}
count() { grep -cx "$2" "$folder/temp_chat_$1.txt"; }
tell() {
    total=$((total + kill_points))
    [ ! -s "$trouble" ] || sed 's/^/#   /' "$trouble" | head -n 20
    echo "# $kill_points kill points in $1"
    [ ! -s "$trouble" ] && [ "$kill_points" -ge "$2" ]
    ok $? "$1: killed at $kill_points points, at least $2"
    : >"$trouble"
}
# Every third point, another third for each commit; the soak takes all.
if [ -n "${CV_SOAK-}" ]; then step=1 first=1; else step=3 first=$((${CV_SEED:-1} % 3 + 1)); fi
kill_step=$step kill_first=$first

# ---- send ----
"$conclave" chat open send --participants A@x,B@y --id s1 >/dev/null
after_send() {
    c peek s1 --as B@y || bad "$1: $(cat "$work/after" "$work/after.err")"
    settled s1 "$1"
    found=$(count s1 "said $kill_at")
    [ "$found" -le 1 ] || bad "$1: there $found times"
    [ "$2" -ne 0 ] || [ "$found" -eq 1 ] || bad "$1: acknowledged and lost"
    [ "$2" -eq 0 ] || [ "$2" -eq 137 ] || bad "$1: status $2"
}
kill_points=0 kill_at=$first status=137
while [ $status -eq 137 ]; do # the body names the point, so the command differs from point to point
    "$root/build/kill_at" $kill_at "$conclave" chat send s1 --from A@x --type T --body "said $kill_at" --json >"$out" 2>"$err"
    status=$?
    [ $status -ne 137 ] || kill_points=$((kill_points + 1))
    after_send $kill_at $status
    kill_at=$((kill_at + step))
done
tell send 20

# ---- send, with an op_id: sent again it is there exactly once ----
kill_points=0 kill_at=$first status=137
while [ $status -eq 137 ]; do
    "$root/build/kill_at" $kill_at "$conclave" chat send s1 --from A@x --type T --body "once $kill_at" --op-id "o$kill_at" --json >"$out" 2>"$err"
    status=$?
    [ $status -ne 137 ] || kill_points=$((kill_points + 1))
    c send s1 --from A@x --type T --body "once $kill_at" --op-id "o$kill_at" || bad "$kill_at: $(cat "$work/after" "$work/after.err")"
    jq -e '.state == "sent"' "$work/after" >/dev/null || bad "$kill_at: $(cat "$work/after")"
    settled s1 $kill_at
    [ "$(count s1 "once $kill_at")" -eq 1 ] || bad "$kill_at: there $(count s1 "once $kill_at") times"
    kill_at=$((kill_at + step))
done
tell "send with an op_id" 15

# ---- read: who is killed gets it again, never not at all ----
"$conclave" chat open read --participants A@x,B@y --id r1 >/dev/null
before_read() { c send r1 --from A@x --type T --body "for you $1" || bad "$1: $(cat "$work/after.err")"; }
after_read() {
    got=$(jq -r '.messages[]?.body' "$out" 2>/dev/null | grep -cx "for you $1")
    c read r1 --as B@y || bad "$1: $(cat "$work/after" "$work/after.err")"
    again=$(jq -r '.messages[].body' "$work/after" | grep -cx "for you $1")
    [ $((got + again)) -ge 1 ] || bad "$1: the message was never given"
    settled r1 "$1"
    pointer=$(sed -n 's/^# - B@y: //p' "$folder/temp_chat_r1.txt")
    [ "$pointer" -eq "$(wc -l <"$folder/temp_chat_r1.txt")" ] || bad "$1: Last read is $pointer"
}
kills_everywhere before_read after_read "$conclave" chat read r1 --as B@y --json
# A read that was killed after its commit and before its answer: the pointer may have moved. With an op_id nothing is lost.
lost=$(grep -c 'never given' "$trouble")
grep -v 'never given' "$trouble" >"$trouble.rest"
mv "$trouble.rest" "$trouble"
echo "# $lost of them after the pointer had moved, before the answer was printed"
tell read 20
kill_points=0 kill_at=$first status=137
while [ $status -eq 137 ]; do
    before_read $kill_at
    "$root/build/kill_at" $kill_at "$conclave" chat read r1 --as B@y --op-id "r$kill_at" --json >"$out" 2>"$err"
    status=$?
    [ $status -ne 137 ] || kill_points=$((kill_points + 1))
    c read r1 --as B@y --op-id "r$kill_at" || bad "$kill_at: $(cat "$work/after" "$work/after.err")"
    jq -r '.messages[].body' "$work/after" | grep -qx "for you $kill_at" || bad "$kill_at: the message was not given again"
    settled r1 $kill_at
    kill_at=$((kill_at + step))
done
tell "read with an op_id" 12

# ---- close ----
before_close() {
    "$conclave" chat open close --participants A@x,B@y --id "k$1" >/dev/null
    "$conclave" chat close "k$1" --from A@x --step request >/dev/null
}
kill_points=0 kill_at=$first status=137
while [ $status -eq 137 ]; do
    before_close $kill_at
    "$root/build/kill_at" $kill_at "$conclave" chat close "k$kill_at" --from B@y --step ack --op-id "a$kill_at" --json >"$out" 2>"$err"
    status=$?
    [ $status -ne 137 ] || kill_points=$((kill_points + 1))
    c show "k$kill_at" || bad "$kill_at: $(cat "$work/after" "$work/after.err")"
    state=$(jq -r .status "$work/after")
    acks=$(grep -c 'TYPE:CLOSE_ACK' "$folder/temp_chat_k$kill_at.txt")
    case $state/$acks in
    OPEN/0 | CLOSED/1) ;;
    *) bad "$kill_at: $state with $acks acknowledgements" ;;
    esac
    c close "k$kill_at" --from B@y --step ack --op-id "a$kill_at" || bad "$kill_at: $(cat "$work/after" "$work/after.err")"
    jq -e '.status == "CLOSED"' "$work/after" >/dev/null || bad "$kill_at: $(cat "$work/after")"
    settled "k$kill_at" $kill_at
    kill_at=$((kill_at + step))
done
tell close 12

# ---- open: who watches hears of the chat, though its file is made after the commit ----
"$conclave" chat watch --duration 0 --json >"$work/watched"
kill_points=0 kill_at=$first status=137
while [ $status -eq 137 ]; do
    cursor=$(jq -r .cursor "$work/watched")
    "$root/build/kill_at" $kill_at "$conclave" chat open opened --participants A@x,B@y --id "n$kill_at" --json >"$out" 2>"$err"
    status=$?
    [ $status -ne 137 ] || kill_points=$((kill_points + 1))
    "$conclave" chat watch --since "$cursor" --duration 0 --json >"$work/watched"
    told=$(jq -r '.changed[] | .chat_id + " " + .kind' "$work/watched")
    c show "n$kill_at" && there="n$kill_at created" || there=
    [ "$told" = "$there" ] || bad "$kill_at: there is '$there', and the watcher heard of '$told'"
    kill_at=$((kill_at + step))
done
tell open 10
# ---- join and leave: asked again under the same op_id they have been done ----
"$conclave" chat open people --participants A@x,B@y --id p1 >/dev/null
for verb in join leave; do
    kill_points=0 kill_at=$first status=137
    while [ $status -eq 137 ]; do
        who="N@n$kill_at" there=1
        [ $verb = join ] || { there=0 && c join p1 --participant "$who"; }
        "$root/build/kill_at" $kill_at "$conclave" chat $verb p1 --participant "$who" --op-id "$verb$kill_at" --json >"$out" 2>"$err"
        status=$?
        [ $status -ne 137 ] || kill_points=$((kill_points + 1))
        c $verb p1 --participant "$who" --op-id "$verb$kill_at" || bad "$kill_at: $(cat "$work/after" "$work/after.err")"
        [ "$(grep -cxF "# - $who" "$folder/temp_chat_p1.txt")" -eq $there ] || bad "$kill_at: $verb is not done"
        settled p1 $kill_at
        [ $verb = leave ] || c leave p1 --participant "$who"
        kill_at=$((kill_at + step * 2))
    done
    tell $verb 5
done
"$conclave" verify >/dev/null
ok $? "the record verifies"
echo "# $total kill points in all"
finish
