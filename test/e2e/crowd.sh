#!/bin/sh
# crowd.sh - hundreds of agents (thousands in the soak) through two servers on one PostgreSQL database: every
# acknowledged write is there, and the database sees no more connections than the servers have workers.
. "$(dirname "$0")/lib.sh"
needs_npm "a crowd"
needs_postgres "a crowd"
agents=300
[ -z "${CV_SOAK-}" ] || agents=3000
fresh_store
cd "$work" && "$conclave" init crowd --store "$store" >"$out" 2>"$err"
ok $? "a project on a server"
cd crowd || exit 1

# begin NAME: a server in the background; its URL is added to $urls
urls="" pids=""
begin() {
    "$conclave" serve --port 0 --tools all >"$work/$1.out" 2>"$work/$1.err" &
    pids="$pids $!"
    await grep -q 'http://[0-9.]*:[0-9]' "$work/$1.out"
    urls="$urls $(sed -n 's|.*\(http://[0-9.]*:[0-9]*\).*|\1/mcp|p' "$work/$1.out" | head -n 1)"
}
begin one
begin two
# How many connections to the database there are, the most that was seen.
(
    most=0
    while :; do
        n=$(psql -XAtq "${store%&schema=*}" -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'conclave' AND query LIKE '%${store##*schema=}%'" 2>/dev/null) || break
        [ "$n" -le "$most" ] || { most=$n && echo "$most" >"$work/most"; }
        sleep 0.2
    done
) &
watcher=$!
# shellcheck disable=SC2086
"$node" "$root/test/mcp/crowd.mjs" "$agents" $urls >"$out" 2>"$err"
ok $? "$agents agents"
name="a crowd"
is ".created == $agents and .seen == $agents and .changed == $agents and .refused == []"
kill "$watcher" 2>/dev/null
most=$(cat "$work/most" 2>/dev/null || echo 0)
[ "$most" -ge 2 ] && [ "$most" -le 36 ]
ok $? "no more connections than workers: $most of 2 servers with 16 workers and 2 lookouts each"
run "all of it is there" 0 dialogue stats --json
is ".dialogues.total == $agents and .dialogues.by_status.abandoned == $agents"
run "and true" 0 verify --json
is "[.scopes[] | select(.rev == 2)] | length == $agents"
# shellcheck disable=SC2086
kill -TERM $pids
# shellcheck disable=SC2086
wait $pids
ok $? "the servers end when they are told to"
finish
