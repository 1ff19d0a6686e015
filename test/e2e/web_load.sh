#!/bin/sh
# web_load.sh - the server beside slow, mute and vanishing clients (test/web/load.mjs): writers go on, memory stays, and it
# ends in good order while they are still connected. A few seconds; CV_SOAK=1: ten minutes.
. "$(dirname "$0")/lib.sh"
needs_npm "clients that are slow"
# Memory is measured: the optimised program, for a sanitizer keeps what was given back.
conclave=$root/build/conclave
project
"$conclave" serve --port 0 --json >"$work/said" 2>"$work/log" &
serving=$!
await [ -s "$work/said" ]
: >"$work/load"
[ -n "${CV_SOAK-}" ] && spell=600 || spell=6
"$node" "$root/test/web/load.mjs" "$(jq -r .url "$work/said")" $serving ${CV_LOAD_SECONDS:-$spell} >"$work/load" 2>&1 &
loading=$!
until grep -q '^# connected' "$work/load" || ! kill -0 $loading 2>/dev/null; do sleep 0.1; done
kill $serving
wait $serving
ok $? "the server ends in good order beside clients that are connected"
kill $loading 2>/dev/null
wait $loading 2>/dev/null
number=1
sed -n -e 's/^\(not ok\|ok\) [0-9]* - \(.*\)/\1 - \2/p' -e '/^#/p' "$work/load" | while read -r line; do
    case $line in
    "ok - "* | "not ok - "*) number=$((number + 1)) && echo "${line%% - *} $number - ${line#* - }" ;;
    *) echo "$line" ;;
    esac
done
number=$((1 + $(grep -c '^\(not \)\{0,1\}ok' "$work/load")))
[ "$number" -eq 5 ]
ok $? "the clients have done their part"
# ---- who listens to events and reads nothing ----
rm "$work/said"
"$conclave" serve --port 0 --json --patience 3 >"$work/said" 2>>"$work/log" &
serving=$!
await [ -s "$work/said" ]
url=$(jq -r .url "$work/said")
sockets() { find /proc/$serving/fd -lname 'socket:*' | wc -l; }
before=$(sockets) # while nobody is connected: who leaves is noticed a moment later
streams() { curl -s "$url/metrics" | sed -n 's/^conclave_event_streams //p'; }
for n in $(seq 800); do
    [ "$n" -eq 1 ] || echo next
    printf 'url=%s/api/mail/send\nheader="Content-Type: application/json"\noutput=/dev/null\ndata=%s\n' "$url" \
        '"{\"from\":\"reader\",\"to\":[\"reader\"],\"body\":\"b\"}"'
done >"$work/many"
"$conclave" agent add reader >/dev/null
curl -s -K "$work/many"
# A client with little room: what the system does not keep for it waits in the server.
perl -e 'use Socket;
    socket(my $s, PF_INET, SOCK_STREAM, 0) or die "$!";
    setsockopt($s, SOL_SOCKET, SO_RCVBUF, 4096) && setsockopt($s, 6, 2, 536) or die "$!"; # TCP_MAXSEG
    connect($s, sockaddr_in($ARGV[0], INADDR_LOOPBACK)) or die "$!";
    syswrite($s, "GET /api/events?after=start HTTP/1.1\r\nHost: localhost\r\n\r\n");
    sysread($s, my $begin, 12) or die "$!";
    syswrite(STDOUT, $begin);
    sleep 600' "${url##*:}" >"$work/begin" &
mute=$!
is_closed() { [ "$(streams)" = 0 ] && [ "$(sockets)" -eq "$before" ]; }
await grep -q 'HTTP/1.1 200' "$work/begin"
ok $? "a client listens to events and reads nothing more than the first words"
await is_closed
ok $? "it is cut off: the server has forgotten it, and closed its connection"
curl -sN "$url/api/events?after=start" >"$work/whole" &
reading=$!
has_all() { [ "$(grep -c '^data:' "$work/whole")" -ge 800 ]; }
await has_all
ok $? "somebody who reads gets all of it"
kill $mute $reading $serving
wait $serving
ok $? "the server ends"
grep -v '"slow":true' "$work/log" >"$out" # on a busy machine
sed 's/^/#   /' "$out" | head -n 20
[ ! -s "$out" ]
ok $? "the server has nothing to complain about"
finish
