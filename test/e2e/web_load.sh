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
for _ in $(seq 100); do
    [ -s "$work/said" ] && break
    sleep 0.1
done
: >"$work/load"
[ -n "${CV_SOAK-}" ] && spell=600 || spell=6
"$node" "$root/test/web/load.mjs" "$(jq -r .url "$work/said")" $serving ${CV_LOAD_SECONDS:-$spell} >"$work/load" 2>&1 &
loading=$!
for _ in $(seq 20000); do
    ! grep -q '^# connected' "$work/load" && kill -0 $loading 2>/dev/null || break
    sleep 0.1
done
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
grep -v '"slow":true' "$work/log" >"$out" # on a busy machine
sed 's/^/#   /' "$out" | head -n 20
[ ! -s "$out" ]
ok $? "the server has nothing to complain about"
finish
