#!/bin/sh
# signals.sh - signals and closed streams: what programs inherit that we start, what ends us and with which status, and that
# a reader who leaves, a missing stream or a full one harms no write.
. "$(dirname "$0")/lib.sh"
project
"$conclave" dialogue create "Signals" --expert "One: a" >/dev/null
# Without a program of its own: while a shell starts one, it blocks signals.
cat >tell.sh <<'SCRIPT'
while read -r key value; do
    case $key in SigBlk: | SigIgn:) echo "$value" ;; esac
done </proc/self/status >"$1"
SCRIPT
cat >agent.sh <<'SCRIPT'
#!/bin/sh
set agent.signals
. ./tell.sh
ls -l /proc/$$/fd | cat >fds
printf '[PERSPECTIVE P01: A]\nText.\n'
SCRIPT
chmod +x agent.sh
[ -r /proc/self/status ] || skip_all "signals" "no /proc"
# usual FILE NAME: nothing is blocked or ignored there, but the two (32, 33) that posix_spawn() of the C library sets aside.
usual() {
    told=$(sed 's/^0000000180000000$/0000000000000000/' "$1" | tr '\n' ' ')
    [ "$told" = "0000000000000000 0000000000000000 " ] || echo "#   $told"
    [ "$told" = "0000000000000000 0000000000000000 " ]
    ok $? "$2 begins without ignored or blocked signals"
}

# ---- what others inherit: a caller that ignores much of it is not a reason ----
(
    trap '' PIPE USR1
    ends_by_signals "$conclave" run signals --agent ./agent.sh --judge mechanical --step >"$out" 2>"$err"
)
usual agent.signals "an agent"
grep -q 'pipe:' fds && ! grep -v 'pipe:\|agent.sh' fds | grep -q ' -> '
ok $? "an agent has pipes and its script open, and nothing of ours"
(
    trap '' PIPE USR1 USR2
    ends_by_signals "$conclave" watch --after start --count 1 --exec 'set watch.signals; . ./tell.sh' >"$out" 2>"$err"
)
usual watch.signals "a command of watch"
printf '#!/bin/sh\nset edit.signals\n. ./tell.sh\nexit 1\n' >editor && chmod +x editor
(EDITOR=./editor ends_by_signals "$conclave" dialogue draft signals --edit >"$out" 2>"$err")
usual edit.signals "an editor"
(
    trap '' HUP
    exec env --default-signal=INT,QUIT "$conclave" watch --after start --count 1 --exec 'set nohup.signals; . ./tell.sh' >"$out" 2>"$err"
)
grep -q '1$' nohup.signals
ok $? "a hangup that the caller ignores is ignored by whomever we start"

# ---- what ends us ----
printf '#!/bin/sh\necho $$ >>started\nexec sleep 600\n' >slow.sh && chmod +x slow.sh
# under_way: a run that waits for its agent; sets $runner.
under_way() {
    rm -f started
    "$@" "$conclave" run signals --agent ./slow.sh --judge mechanical >"$out" 2>"$err" &
    runner=$!
    await [ -s started ]
}
# ended NAME STATUS: so did $runner, and its agent with it.
ended() {
    wait $runner
    status=$?
    [ $status -eq "$2" ] || echo "#   status $status"
    [ $status -eq "$2" ] && ! kill -0 "$(cat started)" 2>/dev/null
    ok $? "$1: status $2, and the agent is gone"
}
for signal in HUP TERM; do
    under_way env
    kill -$signal $runner
    ended "run, SIG$signal" 130
    "$conclave" run status signals --json >"$out"
    name="run, SIG$signal"
    is '.state == "stopped" and .reason == "interrupted"'
done
under_way nohup
kill -HUP $runner
sleep 0.3
kill -0 $runner
ok $? "under nohup a hangup is nothing"
kill -TERM $runner
ended "… SIGTERM ends it" 130
for signal in HUP TERM; do
    : >"$out"
    "$conclave" serve --port 0 --json >"$out" 2>"$err" &
    server=$!
    await grep -q url "$out"
    kill -$signal $server
    wait $server
    ok $? "serve, SIG$signal: status 0"
    mkfifo "in-$signal"
    : >"$out" # what the server before has said is no sign that this one listens
    "$conclave" mcp <"in-$signal" >"$out" 2>"$err" &
    server=$!
    exec 5>"in-$signal"
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"ping"}' >&5
    await [ -s "$out" ]
    kill -$signal $server
    wait $server
    ok $? "mcp, SIG$signal: status 0"
    exec 5>&-
done

# ---- children whose end the caller does not want to hear of ----
"$conclave" dialogue create "Child" --expert "One: a" >/dev/null
sh -c 'trap "" CHLD; exec "$0" "$@"' "$conclave" run child --agent ./agent.sh --judge mechanical --rounds 1 >"$out" 2>"$err"
"$conclave" run status child --attempts --json >"$out"
name="the caller ignores SIGCHLD"
is '[.attempts[] | .exit_status] == [0]'

# ---- streams ----
"$conclave" dialogue create "Large" --expert "One: a" >/dev/null
yes 'A long line of a response.' | head -c 300000 >large.md
"$conclave" dialogue respond large --round 0 --expert muffin --content @large.md >/dev/null 2>&1
for command in "help --json" "spec" "dialogue export large --output-path -" "dialogue search long --json" "man"; do
    # shellcheck disable=SC2086
    { "$conclave" $command 2>"$err"; echo $? >status; } | head -c 1 >/dev/null
    case $(cat status) in 0 | 141) true ;; *) false ;; esac && [ ! -s "$err" ]
    ok $? "$command | head -c 1: quiet (status $(cat status))"
done
# A command that wrote something says that it was done.
{
    await [ -e left ]
    "$conclave" dialogue create "Piped" --expert "One: a" 2>"$err"
    echo $? >status
} | { exec <&- && : >left; }
[ "$(cat status)" -eq 2 ] && grep -q "the request was carried out" "$err"
ok $? "a write whose answer nobody reads says so (status $(cat status))"
"$conclave" dialogue get piped >/dev/null
ok $? "… and is there"
# A missing stream: nothing of the record takes its place.
faults=""
for streams in '<&-' '>&-' '2>&-' '<&- >&-' '>&- 2>&-' '<&- >&- 2>&-'; do
    made=$((${made:-0} + 1))
    sh -c "\"\$0\" dialogue create 'Closed $made' --expert 'One: a' $streams" "$conclave" >"$out" 2>"$err"
    "$conclave" dialogue get "closed-$made" >/dev/null 2>&1 || faults="$faults; $streams: not there"
    "$conclave" verify >/dev/null 2>&1 || faults="$faults; $streams: the record is damaged"
done
[ -z "$faults" ] || echo "#   $faults"
[ -z "$faults" ]
ok $? "closed streams: written, and the record is whole"
"$conclave" watch --after start --count 1 >/dev/full 2>"$err"
[ $? -eq 2 ] && grep -q "cannot write to standard output" "$err"
ok $? "watch tells of lines that cannot be written"
finish
