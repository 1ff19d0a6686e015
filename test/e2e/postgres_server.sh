#!/bin/sh
# postgres_server.sh - what the tests of the record on PostgreSQL stand on: servers that can be killed, failed over and
# stalled (test/postgres/server), and the proxy that delays and cuts (test/postgres/proxy.c).
. "$(dirname "$0")/lib.sh"
needs_postgres "servers for tests"
here() { "$server" "$@" </dev/null; }
# The answer of a server to some SQL; each argument is a transaction of its own.
ask() {
    asked=$1
    shift
    for sql in "$@"; do set -- "$@" -c "$sql" && shift; done
    psql -X -A -t -q "$asked" "$@" 2>&1 </dev/null
}
# equals FOUND WANTED NAME
equals() {
    [ "$1" = "$2" ] || echo "#   '$1', not '$2'"
    [ "$1" = "$2" ]
    ok $? "$3"
}
# gone FOLDER: within a few seconds.
is_gone() { [ ! -e "$1" ] && [ ! -L "$1" ]; }
gone() { await is_gone "$1"; }
# answers ADDRESS SQL WANTED
answers() { [ "$(ask "$1" "$2")" = "$3" ]; }

# ---- one server ----
a=$work/a
here start "$a" --memory --tcp -c work_mem=5MB
ok $? "a server starts"
url=$(here address "$a")
equals "$(ask "$url" "SHOW fsync" "SHOW work_mem")" "on
5MB" "it has its settings, and those that were asked for"
equals "$(ask "$(here address "$a" --tcp)" "SELECT current_database()")" conclave "it listens on loopback"
equals "$(ask "$(here address "$a" postgres)" "SELECT current_database()")" postgres "another database"
equals "$(ask "$url" "SELECT 'a' < 'B', 'a' < 'B' COLLATE \"C\"")" "t|f" "its order of text is not that of bytes"
if [ "$(id -u)" -eq 0 ]; then
    [ "$(stat -c %u "$a/data")" -ne 0 ]
    ok $? "it does not belong to root"
fi
here start "$a" 2>"$err"
equals "$?" 1 "a name is taken once"
ask "$url" "CREATE TABLE t (n int)" "INSERT INTO t SELECT generate_series(1, 1000)" >/dev/null
here kill "$a"
ask "$url" "SELECT 1" >/dev/null
equals "$?" 2 "a server that was killed does not answer"
here restart "$a"
equals "$(ask "$url" "SELECT count(*) FROM t")" 1000 "started again, it has what was acknowledged"
here set "$a" work_mem=6MB
await answers "$url" "SHOW work_mem" 6MB
ok $? "a setting changes while it runs"

# ---- failover ----
b=$work/b
here standby "$b" "$a" sync --memory
ok $? "a synchronous standby"
behind=$(here address "$b")
equals "$(ask "$behind" "SELECT pg_is_in_recovery(), current_setting('synchronous_standby_names')")" "t|" "it follows, and waits for nobody"
for n in 1 2 3 4 5; do echo "INSERT INTO t SELECT generate_series(1, 100);"; done | psql -X -q "$url"
here kill "$a"
here promote "$b"
equals "$(ask "$behind" "SELECT count(*) FROM t")" 1500 "promoted, it has all that was acknowledged"
equals "$(ask "$behind" "INSERT INTO t VALUES (1) RETURNING n")" 1 "it takes writes"
here remove "$a"

c=$work/c
here standby "$c" "$b" async --memory
ok $? "an asynchronous standby"
here stall "$c"
equals "$(ask "$behind" "INSERT INTO t SELECT generate_series(1, 100)" "SELECT count(*) FROM t")" 1601 "its primary goes on without it"
here resume "$c"
await answers "$(here address "$c")" "SELECT count(*) FROM t" 1601
ok $? "it catches up"
here stall "$c"
ask "$behind" "INSERT INTO t SELECT generate_series(1, 100)" >/dev/null
here kill "$b"
here promote "$c"
url=$(here address "$c")
equals "$(ask "$url" "SELECT count(*) FROM t")" 1601 "promoted while it was stalled, it has lost what was acknowledged"
here remove "$b"

# ---- pgbouncer ----
p=$work/p
here pgbouncer "$p" "$c" -c default_pool_size=2
ok $? "pgbouncer in front of it"
equals "$(ask "$(here address "$p")" "SELECT count(*) FROM t")" 1601 "pgbouncer answers"
equals "$(ask "$(here address "$p" pgbouncer)" "SHOW CONFIG" | grep -E '^(default_pool_size|pool_mode)\|' | cut -d '|' -f 1-2)" \
    "default_pool_size|2
pool_mode|transaction" "it gives connections to transactions"
here kill "$p" && here restart "$p"
equals "$(ask "$(here address "$p")" "SELECT count(*) FROM t")" 1601 "killed and started again"
here remove "$p"

# ---- the proxy ----
# counted N: waits until it has counted so many messages: a client ends before the proxy has read its last one.
has_counted() { proxy count | grep -q "messages $1 "; }
counted() { await has_counted "$1"; }
proxy_to "$c"
equals "$(ask "$proxied" "SELECT count(*) FROM t")" 1601 "the proxy passes on"
proxy delay 50 >/dev/null
before=$(date +%s%N)
ask "$proxied" "SELECT 1" >/dev/null
[ $(($(date +%s%N) - before)) -ge 200000000 ]
ok $? "two round trips, each direction delayed by 50 ms, take no less"
proxy delay 0 >/dev/null
counted 6
proxy reset >/dev/null
ask "$proxied" "SELECT 1" "SELECT 2" "BEGIN" "COMMIT" >/dev/null
counted 6
equals "$(proxy count | cut -d ' ' -f 1-13)" "ok connections 1 trips 6 messages 6 syncs 4 commits 1 cuts 0" \
    "it counts: login, four statements, the end"
ask "$url" "CREATE TABLE c (n int)" >/dev/null
for how in before at after; do
    proxy "cut $how commit" >/dev/null
    ask "$proxied" "BEGIN" "INSERT INTO c VALUES (1)" "COMMIT" | grep -q "connection to server was lost"
    ok $? "cut $how COMMIT: the connection is lost"
    [ $how != at ] || await answers "$url" "SELECT count(*) FROM c" 1 # it goes on without its client
    equals "$(ask "$url" "SELECT count(*) FROM c")" "$([ $how = before ] && echo 0 || { [ $how = at ] && echo 1 || echo 2; })" \
        "cut $how COMMIT: $([ $how = before ] && echo nothing || echo all) of it is there"
done
equals "$(ask "$proxied" "BEGIN" "INSERT INTO c VALUES (1)" "COMMIT" "SELECT count(*) FROM c")" 3 "a cut happens once"
proxy "cut before commit 2" >/dev/null
ask "$proxied" "BEGIN" "INSERT INTO c VALUES (1)" "COMMIT" "BEGIN" "INSERT INTO c VALUES (1)" "COMMIT" >/dev/null
equals "$(ask "$url" "SELECT count(*) FROM c")" 4 "at the second COMMIT"
printf '%s\n' '\startpipeline' 'BEGIN;' 'INSERT INTO c VALUES (1);' 'INSERT INTO c VALUES (2);' 'COMMIT;' '\endpipeline' >"$work/batch"
batch() { "$(dirname "$(readlink -f "$(find /usr/lib/postgresql/*/bin/pgbench | sort -V | tail -n 1)")")/pgbench" -n -t 1 -M extended -f "$work/batch" "$proxied" >"$out" 2>&1; }
proxy reset >/dev/null
batch
equals "$(ask "$url" "SELECT count(*) FROM c") $(proxy count | grep -o 'commits [0-9]*')" "6 commits 1" "COMMIT is found in a pipeline"
proxy "cut before commit" >/dev/null
batch
equals "$(ask "$url" "SELECT count(*) FROM c")" 6 "cut before it"
proxy "cut after commit" >/dev/null
batch
equals "$(ask "$url" "SELECT count(*) FROM c") $(proxy count | grep -o 'cuts [0-9]*')" "8 cuts 2" "cut after it"
proxy "cut byte 30" >/dev/null
equals "$(ask "$proxied" "SELECT 1" "SELECT 2" "SELECT 3" | head -n 1)" 1 "cut at a byte: what came before it was answered"
proxy "cut message 2" >/dev/null
equals "$(ask "$proxied" "SELECT 1" "SELECT 2" | head -n 2 | tr '\n' ' ' | cut -c 1-10)" "1 server c" "cut at a message"
seen=""
for _ in 1 2; do
    proxy "cut random 7 300" >/dev/null
    seen="$seen/$(for _ in 1 2 3 4 5 6; do ask "$proxied" "SELECT 1" "SELECT 2" | grep -c '^[12]$'; done | tr '\n' ' ')"
done
equals "${seen#/*/}" "$(echo "$seen" | cut -d / -f 2)" "cut by chance: the same seed, the same cuts"
proxy "cut never" >/dev/null
proxy refuse >/dev/null
ask "$proxied" "SELECT 1" >/dev/null
equals "$?" 2 "it refuses connections"
proxy accept >/dev/null
proxy pause >/dev/null
ask "$proxied" "SELECT 5" >"$work/late" &
late=$!
ask "$url" "SELECT pg_sleep(0.2)" >/dev/null
equals "$(cat "$work/late")" "" "paused, it passes nothing on"
proxy resume >/dev/null
wait $late
equals "$(cat "$work/late")" 5 "resumed, everything"
equals "$(proxy "cut after dinner")" "error 'cut after dinner' is not a command" "a command that it does not know"
exec 7>&- 8<&-

# ---- nothing stays ----
cp "$(readlink "$c")/keeper" "$work/keeper"
home=$(readlink "$c")
here remove "$c"
[ ! -e "$home" ] && [ ! -L "$c" ] && ! grep -q '^State:[^ZX]*$' "/proc/$(cat "$work/keeper")/status" 2>/dev/null
ok $? "what is removed is gone"
sh -c '"$1" start "$2" --memory; readlink "$2"; kill -9 $$' sh "$server" "$work/d" >"$work/home" 2>/dev/null
gone "$(cat "$work/home")" && gone "$work/d"
ok $? "a server ends with its owner, though that was killed"

# ---- the server of a run ----
(
    unset CV_POSTGRES_OWNER
    export CV_POSTGRES_SHARED="$work/shared"
    for n in 1 2 3; do here shared --owner $$ >"$work/shared.$n" & done
    wait
)
[ -s "$work/shared.1" ] && cmp -s "$work/shared.1" "$work/shared.2" && cmp -s "$work/shared.1" "$work/shared.3"
ok $? "who asks at the same time gets the same server"
here remove "$work/shared"

# ---- the program on a server ----
shim() { CONCLAVE_PROGRAM=echo CONCLAVE_TEST_STORE="postgresql:///x?host=/s" "$root/test/postgres/conclave" "$@" | sed 's/e_[0-9a-f]\{16\}/NEW/'; }
mkdir -p "$work/made/.conclave" && : >"$work/made/.conclave/config"
equals "$(shim init)" "init --store postgresql:///x?host=/s&schema=NEW" "init gets a store"
equals "$(shim init "$work/new" --json)" "init $work/new --json --store postgresql:///x?host=/s&schema=NEW" "init elsewhere"
equals "$(shim init "$work/made" --json)" "init $work/made --json" "a project keeps its own"
equals "$(shim init --root "$work/made" --as ada)" "init --root $work/made --as ada" "also when it is named by an option"
equals "$(CONCLAVE_ROOT=$work/made shim init)" "init" "or by the variable"
equals "$(shim init --store x)" "init --store x" "a store that is given stays"
equals "$(shim dialogue create "A  B")" "dialogue create A  B" "other commands are passed on"
finish
