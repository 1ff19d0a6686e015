#!/bin/sh
# run_kills.sh - a runner that is killed right before any call that changes something, and started again: the record is that of
# an undisturbed run, every answer is registered once, and each second attempt can be seen. A sample; CV_SOAK=1 takes every point.
# CV_SLOW says who answers later than the others (nobody, muffin, cupcake, scone; drawn by CV_SEED): then some answers are handed
# in while others are under way.
. "$(dirname "$0")/lib.sh"
. "$root/test/run/record.sh"
needs_sqlite "a copy of a project on a server has no record of its own"
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
seed=${CV_SEED:-$(git -C "$root" rev-parse HEAD 2>/dev/null | cut -c 1-6 | sed 's/^/0x/')}
slow=${CV_SLOW:-$(echo nobody muffin cupcake scone | cut -d ' ' -f $((${seed:-1} / 4 % 4 + 1)))}
printf '[ "$CONCLAVE_TASK-$CONCLAVE_EXPERT" != response-%s ] || sleep 0.05\n. "%s/test/run/agent.sh"\n' "$slow" "$root" >"$work/agent.sh"
agent="sh $work/agent.sh"
# A campaign takes long: it is not to meet a program that is just built anew.
if [ -n "${CV_SOAK-}" ] && on_sqlite; then
    cp "$conclave" "$work/conclave" && cp "$root/build/kill_at" "$work/kill_at" && conclave=$work/conclave || exit 1
fi
kill_at=$root/build/kill_at
[ ! -x "$work/kill_at" ] || kill_at=$work/kill_at
id=kill
go() { "$conclave" run $id --agent "$agent" --parallel 2 --rounds 3 --json "$@" >"$out" 2>"$err"; }

project begun
"$conclave" dialogue create "Kill" --expert "One: a" --expert "Two: b" >/dev/null || ok 1 "the dialogue can be created"
# at NUMBER OPTION...: a copy of the project, in which the runner is killed before its call of that number.
at() {
    n=$1
    shift
    cd "$work" && rm -rf killed && cp -r begun killed && cd killed || exit 1
    "$kill_at" -1 "$@" "$n" "$conclave" run $id --agent "$agent" --parallel 2 --rounds 3 --json >"$out" 2>"$err"
}
at 0 -o "$work/points" -l "$work/calls"
ok $? "an undisturbed run"
record $id >"$work/wanted"
jq -e '.perspectives | length == 5' "$work/wanted" >/dev/null
ok $? "… has something to compare"
points=$(cat "$work/points")

# attempts: a line for each thing that was asked for: how often, and how it came out.
attempts() {
    "$conclave" run status $id --attempts --json |
        jq -r '.attempts | group_by([.round, .who, .task])[] | "\(.[0].round) \(.[0].who) \(.[0].task) \([.[].state] | join(","))"'
}
lost=0 taken=0 whole=0 killed=0
# resume NUMBER: goes on, and holds what has come of it against the undisturbed run.
resume() {
    killed=$((killed + 1))
    "$conclave" run status $id --attempts --json >"$work/interrupted" 2>/dev/null
    jq -r '.attempts[]? | select(.state == "started") | .output' "$work/interrupted" >"$work/under-way"
    earlier=$(jq -r '.attempts[]? | select(.state == "lost") | .output' "$work/interrupted" | wc -l) # of another kill
    before=0
    while read -r file; do [ ! -s "$file" ] || before=$((before + 1)); done <"$work/under-way"
    go
    status=$?
    attempts >"$work/attempts"
    record $id >"$work/found"
    bad=$(grep -vc ' \(lost,\)*answered$' "$work/attempts")
    again=$(($(grep -o 'lost,' "$work/attempts" | wc -l) - earlier))
    lost=$((lost + (again > 0))) whole=$((whole + (again == 0))) taken=$((taken + before))
    [ "$again" -eq $(($(wc -l <"$work/under-way") - before)) ] || bad="$bad; $again were asked again, $before of $(wc -l <"$work/under-way") had an answer"
    if [ $status -ne 0 ] || [ "$bad" != 0 ] || [ "$(wc -l <"$work/attempts")" -ne 8 ] || ! cmp -s "$work/wanted" "$work/found" ||
        ! "$conclave" verify >/dev/null 2>&1; then
        echo "# killed before call $1: status $status, bad $bad"
        sed 's/^/#   /' "$work/attempts" "$err" | head -n 20
        diff "$work/wanted" "$work/found" | sed 's/^/#   /' | head -n 10
        return 1
    fi
}

# Right before and behind the renames that put an answer in its place, and then anywhere.
failed=0
renames=$(grep -n '^renameat$' "$work/calls" | sed 's/:.*//')
step=$((points / 10))
[ -z "${CV_SOAK-}" ] || step=1
{
    [ -n "${CV_SOAK-}" ] || for n in $renames; do echo "$n"; done | awk -v pick=$((${seed:-1} % 4)) 'NR % 4 == pick {print; print $1 + 1}'
    seq $((${seed:-1} % step + 1)) $step "$points"
} >"$work/chosen"
while read -r n; do
    at "$n"
    [ $? -eq 137 ] || continue
    resume "$n" || failed=$((failed + 1))
done <"$work/chosen"
[ $failed -eq 0 ]
ok $? "killed at $killed of $points points and started again ($slow is slow): the same record, each answer once"
[ $killed -ge 12 ]
ok $? "at least 12 kills ($killed)"
[ $lost -gt 0 ] && [ $whole -gt 0 ]
ok $? "some lost an answer that was under way ($lost), others did not ($whole)"
[ $taken -gt 0 ]
ok $? "an answer that was whole is taken in, not asked for again ($taken)"

# ---- twice, and what is left behind ------------------------------------------------------------------------------------
at $((points / 3))
"$kill_at" -1 $((points / 4)) "$conclave" run $id --agent "$agent" --parallel 2 --rounds 3 --json >/dev/null 2>&1
resume "two of them"
ok $? "killed twice"
run "nothing is left to do" 0 run $id --agent "$agent" --rounds 3 --json
is '.reason == "decided" and .spent.calls >= 8'

# ---- mail ---------------------------------------------------------------------------------------------------------------
# Between the row of an attempt and its message: a prompt that was not mailed is mailed as attempt 2, one that was is answered.
project post
"$conclave" dialogue create "Kill" --expert "One: a" --expert "Two: b" >/dev/null
"$conclave" agent add mary >/dev/null
printf '[seats]\n"*" = "mary"\njudge = "mechanical"\n' >agents.toml
send="run $id --agents agents.toml --rounds 1 --json"
# answer MESSAGE: as mary.
answer() {
    "$conclave" mail done mary --message-id "$1" --token "$("$conclave" mail claim mary --message-id "$1" --json | jq .token)" \
        --output '{"body": "[PERSPECTIVE P01: By mail]\nIt came.\n\n[MOVE:CONVERGE]\n"}' >/dev/null
}
cd "$work" && rm -rf killed && cp -r post killed && cd killed || exit 1
timeout -s KILL 60 "$kill_at" -1 -l "$work/calls" 0 "$conclave" $send >"$out" 2>"$err" &
until [ "$("$conclave" mail inbox mary --json | jq '.messages | length')" = 2 ]; do sleep 0.05; done
"$conclave" run stop $id >/dev/null
wait $!
unsent=0 sent=0
for n in $(seq $(($(wc -l <"$work/calls") / 4)) $(($(wc -l <"$work/calls") / 5)) "$(wc -l <"$work/calls")"); do
    cd "$work" && rm -rf killed && cp -r post killed && cd killed || exit 1
    "$kill_at" -1 "$n" "$conclave" $send >"$out" 2>"$err"
    [ $? -eq 137 ] || continue
    "$conclave" mail inbox mary --json | jq -r '.messages[].message_id' >"$work/mailed"
    begun=$("$conclave" run status $id --attempts --json 2>/dev/null | jq '.attempts | length')
    "$conclave" $send >"$out" 2>"$err" &
    runner=$!
    until "$conclave" mail inbox mary --json | jq -r '.messages[].message_id' >"$work/inbox" && [ "$(wc -l <"$work/inbox")" -eq 2 ]; do
        kill -0 $runner 2>/dev/null || break
        sleep 0.05
    done
    while read -r message; do answer "$message"; done <"$work/inbox"
    wait $runner
    status=$?
    again=$(attempts | grep -c 'lost,answered$')
    [ $status -eq 0 ] && [ "$(attempts | grep -c ' \(lost,\)*answered$')" -eq 2 ] && [ "$again" -eq $((${begun:-0} - $(wc -l <"$work/mailed"))) ]
    ok $? "killed before call $n: a mailbox is asked again exactly if its prompt was not mailed ($again of ${begun:-0})"
    unsent=$((unsent + again)) sent=$((sent + $(wc -l <"$work/mailed")))
done
[ $unsent -gt 0 ] && [ $sent -gt 0 ]
ok $? "some prompts were mailed when the runner was killed ($sent), others were not ($unsent)"

# A message that its agent gives up is not waited for.
cd "$work" && rm -rf killed && cp -r post killed && cd killed || exit 1
"$conclave" $send --quorum 1 >"$out" 2>"$err" &
runner=$!
until "$conclave" mail inbox mary --json | jq -r '.messages[].message_id' >"$work/inbox" && [ "$(wc -l <"$work/inbox")" -eq 2 ]; do sleep 0.05; done
message=$(head -n 1 "$work/inbox")
"$conclave" mail fail mary --message-id "$message" --token "$("$conclave" mail claim mary --message-id "$message" --json | jq .token)" --final --error-details "no idea" >/dev/null
answer "$(tail -n 1 "$work/inbox")"
wait $runner
ok $? "a run goes on when an agent gives its message up"
run "$message is refused" 0 run status $id --attempts --json
is '[.attempts[] | [.state, .message]] | sort == [["answered", null], ["refused", "the message to it is dead: it failed, and is not to be tried again: no idea"]]'

project orphan
"$conclave" dialogue create "Kill" --expert "One: a" --expert "Two: b" >/dev/null
printf '#!/bin/sh\nsleep 600 &\necho $! >>pids\necho $$ >>pids\nwait\n' >agent.sh && chmod +x agent.sh
"$conclave" run $id --agent ./agent.sh --json >"$out" 2>"$err" &
runner=$!
until [ -f pids ] && [ "$(wc -l <pids)" -eq 4 ]; do sleep 0.05; done
run "another runner is refused" 1 run $id --agent ./agent.sh
has "run_busy" err
kill -9 $runner
wait $runner 2>/dev/null
none_is_left() {
    for pid in $(cat pids); do kill -0 "$pid" 2>/dev/null && return 1; done
    true
}
await none_is_left
ok $? "agents, and what they have started, end with a runner that was killed"
run "it says that it was interrupted" 0 run status $id --json
is '.state == "interrupted" and (.next | contains("conclave run kill --agent ./agent.sh"))'

# Somebody who only looks has the lock for a moment; so has what a killed runner had just started.
lock=.conclave/runs/$id/lock
sh -c 'flock -s 9 && exec sleep 60' 9>>$lock &
looker=$!
until ! flock -n -x $lock true; do sleep 0.02; done
run "while somebody looks" 0 run status $id --json
is '.state == "interrupted"'
"$conclave" run $id --agent "$agent" --judge mechanical --step --json >"$out" 2>"$err" &
runner=$!
printf '[PERSPECTIVE P01: By hand]\nText.\n' | "$conclave" dialogue respond $id --round 0 --expert muffin --content - >/dev/null
kill $looker
wait $runner
ok $? "a lock that nobody alive has is waited for"
run "what was written meanwhile is seen" 0 run status $id --attempts --json
is '[.attempts[] | select(.who == "muffin" and .state != "lost")] == []'

# A killed runner that nobody has waited for is still a process, but does not live: what has its lock for a moment is waited for.
project ended
"$conclave" dialogue create "Kill" --expert "One: a" >/dev/null
printf '#!/bin/sh\n: >asked\nexec sleep 600\n' >agent.sh && chmod +x agent.sh
sh -c '"$1" run kill --agent ./agent.sh --json >/dev/null 2>&1 & echo $! >pid; exec sleep 60' - "$conclave" &
keeper=$!
await [ -e asked ]
kill -9 "$(cat pid)"
sh -c 'flock -x 9 && : >held && sleep 1' 9>>$lock &
await [ -e held ]
[ "$(sed 's/.*) //; s/ .*//' "/proc/$(cat pid)/stat")" = Z ]
ok $? "it has ended, and is still there"
run "it is followed in the background" 0 run $id --agent "$agent" --judge mechanical --rounds 1 --background --json
kill $keeper

# What an agent has put into a session of its own outlives the runner; here it writes the files of attempt 1 while attempt 2 runs.
project outlived
"$conclave" dialogue create "Kill" --expert "One: a" >/dev/null
cat >agent.sh <<'END'
#!/bin/sh
say() { printf '[PERSPECTIVE P01: %s]\nText.\n' "$1" >"$2"; }
case $0-$CONCLAVE_ATTEMPT in
*late.sh*)
    until [ -e again ]; do sleep 0.02; done
    say Late "$1"
    cp "$1" "${1%.out}"
    : >late
    ;;
*2)
    say "In time" "$1"
    : >again
    until [ -e late ]; do sleep 0.02; done
    ;;
*)
    setsid ./late.sh "$1" >/dev/null 2>&1 &
    : >begun
    sleep 600
    ;;
esac
END
chmod +x agent.sh && ln -s agent.sh late.sh
"$conclave" run $id --agent './agent.sh {output_file}' --judge mechanical --rounds 1 --json >"$out" 2>"$err" &
runner=$!
await [ -e begun ]
kill -9 $runner
wait $runner 2>/dev/null
run "what outlives a killed runner" 0 run $id --agent './agent.sh {output_file}' --judge mechanical --rounds 1 --json
[ -e late ] && attempts | grep -qx '0 muffin response lost,answered' && [ "$(record $id | jq -c '[.perspectives[].label]')" = '["In time"]' ]
ok $? "$name: attempt 2 is taken, and nothing of what comes late"
finish
