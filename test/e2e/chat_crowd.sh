#!/bin/sh
# chat_crowd.sh - one chat, many writers: 16 processes of ours and 4 hands that follow the protocol with mv, >> and sed -i;
# some hands die while they hold the lock, and a person forces it. Nothing is lost, numbers are dense, pointers and flags
# are right. Short here; the soak sends thousands.
CONCLAVE=${CONCLAVE_CROWD:-build/conclave}
. "$(dirname "$0")/lib.sh"
project
folder=.conclave/chat
file=$folder/temp_chat_c1.txt editing=$folder/temp_chat_c1_editing.txt
ours=16 hands=4 each=4 hand_each=4 hold=1
[ -z "${CV_SOAK-}" ] || each=100 hand_each=60 hold=3
people=$(for i in $(seq $ours); do printf 'Role%s@p%s,' "$i" "$i"; done; for i in $(seq $hands); do printf 'Hand@h%s,' "$i"; done)
"$conclave" chat open crowd --participants "${people%,}" --id c1 >/dev/null
ok $? "a chat for everybody"

# By the protocol, step by step, each status looked at; a hand that loses the rename tries again. `mv -n` would not do for
# taking the lock: it is silent, with status 0, when somebody else takes it between two of its looks. Every step is noted
# with its time, so that of a lost message it can be said who lost it.
step() { echo "$(date +%s.%N) $*" >>"$work/steps.$2"; }
hand() {
    said=0
    while [ $said -lt $hand_each ]; do
        [ ! -e "$editing" ] && mv -T "$file" "$editing" 2>/dev/null || { sleep 0.05; continue; }
        said=$((said + 1))
        step hand "$1" says $said: took the lock
        sleep "$(awk -v s="${CV_SEED:-1}$1$said" -v h="$hold" 'BEGIN { srand(s); print rand() * h * (rand() < 0.3) }')"
        next=$(sed -n 's/^\[M\([0-9]*\)\] FROM:.*/\1/p' "$editing" | tail -n 1 | sed 's/^0*//')
        printf '[M%04d] FROM:Hand@h%s | TYPE:T | FLAG:UNREAD | TAG:@All\nhand %s says %s\n' "$((${next:-0} + 1))" "$1" "$1" "$said" >"$work/hand.$1"
        if [ $((said % 2)) -eq 0 ]; then cat "$work/hand.$1" >>"$editing"; else sed -i "\$r $work/hand.$1" "$editing"; fi
        status=$?
        step hand "$1" says $said: wrote M$((${next:-0} + 1)), status $status
        [ $status -eq 0 ] && echo "hand $1 says $said" >>"$work/said.hand$1"
        if [ "$1" -eq 4 ] && [ $((said % 20)) -eq 2 ]; then # dies with the lock; another one comes in its place
            touch "$work/dead"
            while [ -e "$work/dead" ]; do sleep 0.1; done
            continue
        fi
        mv -n "$editing" "$file"
        step hand "$1" says $said: gave the lock back, status $?
    done
}
process() {
    for n in $(seq $each); do
        "$conclave" chat send c1 --from "Role$1@p$1" --type T --body "process $1 says $n" --wait 20 --json >"$work/answer.$1" 2>&1 &&
            echo "process $1 says $n" >>"$work/said.p$1" || sed 's/^/#   /' "$work/answer.$1"
        [ $((n % 3)) -ne 0 ] || "$conclave" chat read c1 --as "Role$1@p$1" --wait 20 >/dev/null 2>&1
    done
}
# Somebody finds that a hand has died, and a person forces its lock. A living one's is never forced.
person() {
    while [ ! -e "$work/done" ]; do
        if [ -e "$work/dead" ]; then
            sleep "$hold"
            step the person forces the lock
            "$conclave" chat unlock c1 --force >/dev/null 2>&1 && rm "$work/dead"
        fi
        sleep 0.2
    done
}
person &
person=$!
jobs=
for i in $(seq $ours); do process "$i" & jobs="$jobs $!"; done
for i in $(seq $hands); do hand "$i" & jobs="$jobs $!"; done
wait $jobs
sleep 0.2
[ ! -e "$editing" ] || "$conclave" chat unlock c1 --force >/dev/null 2>&1
touch "$work/done"
wait $person
run "all of it is in the file" 0 chat show c1 --json
cat "$work"/said.* | sort >"$work/wanted"
jq -r '.messages[].body' "$out" | sort >"$work/found"
comm -23 "$work/wanted" "$work/found" | head -n 20 | while read -r lost; do
    echo "#   lost: $lost"
    grep -h "$lost:" "$work"/steps.* | sed 's/^/#     /'
done
[ -z "$(comm -23 "$work/wanted" "$work/found")" ]
ok $? "none of $(wc -l <"$work/wanted" | tr -d ' ') messages that were acknowledged is lost"
[ -z "$(uniq -d "$work/found")" ]
ok $? "none is there twice"
is '[.messages[].id | ltrimstr("M") | tonumber] == [range(1; (.messages | length) + 1)]' # checklist 12
for i in $(seq $ours); do jq -r ".messages[] | select(.from == \"Role$i@p$i\") | .body" "$out" | cut -d ' ' -f 4 | sort -nc 2>/dev/null || echo "$i"; done >"$work/disorder"
[ ! -s "$work/disorder" ]
ok $? "each sender's messages in its order"
run "history is whole" 0 chat check c1 --json
is '.findings == []'
wrong=0
for i in $(seq $ours); do
    "$conclave" chat read c1 --as "Role$i@p$i" >/dev/null 2>&1
    [ "$(sed -n "s/^# - Role$i@p$i: //p" "$file")" = "$(wc -l <"$file" | tr -d ' ')" ] || wrong=$((wrong + 1))
done
[ $wrong -eq 0 ]
ok $? "every pointer is the line count"
for i in $(seq $hands); do "$conclave" chat read c1 --as "Hand@h$i" >/dev/null 2>&1; done
! grep -q '^\[M.*FLAG:UNREAD' "$file"
ok $? "every flag is READ when all have read"
run "the record verifies" 0 verify --json
finish
