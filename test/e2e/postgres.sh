#!/bin/sh
# postgres.sh - the operations of the project on a record that is on a PostgreSQL server: doctor, restore, redact,
# backup, verify, and what is said when something is wrong.
. "$(dirname "$0")/lib.sh"
needs_postgres "a project on PostgreSQL"
unset PGPASSWORD PGSERVICE PGSSLMODE
fresh_store
base=${store%&schema=*} schema=${store##*schema=}
sql() { psql -qAtX "$base" -c "$1"; }
elsewhere() { echo "store = \"$1\"" >.conclave/config; }

# ---- bad input -------------------------------------------------------------------------------------------------------

mkdir "$work/bad" && cd "$work/bad" || exit 1
run "a password" 1 init --store "postgresql://ann:secret@db/work"
has "it has a password" err
has "~/.pgpass" err
! grep -q secret "$err"
ok $? "a password: is not repeated"
run "no address" 1 init --store "db.example"
has "does not begin with postgresql://" err
run "an unknown setting" 2 init --store "$store&colour=red"
has 'invalid URI query parameter: "colour"' err
has "its settings are those of libpq" err
run "a host that does not answer" 2 init --store "postgresql://127.0.0.1:1/work"
has "Connection refused" err
run "a database that is not there" 2 init --store "postgresql://conclave@/nowhere?${base#*\?}"
has "have the database made" err
sql "CREATE SCHEMA s_other_$$; CREATE TABLE s_other_$$.things (a int)"
run "a schema of another program" 2 init --store "$base&schema=s_other_$$"
has "belongs to another program" err
[ ! -e .conclave ]
ok $? "what has failed leaves nothing"

# ---- a project -------------------------------------------------------------------------------------------------------

mkdir "$work/p" && cd "$work/p" || exit 1
run "init" 0 init --store "$store" --json
is ".created and .record == \"$store\""
run "init again" 0 init --json
is ".created == false and .record == \"$store\""
run "init with the same address" 0 init --store "$store"
run "init with another address" 1 init --store "$base&schema=s_elsewhere"
has "keeps its record elsewhere" err
nvidia
run "doctor" 0 doctor --json
is '.healthy and ([.findings[] | select(.check == "engine") | .message] | any(startswith("PostgreSQL")))'
is '[.findings[] | select(.level == "error")] == []'
is '[.findings[].check] | contains(["rights", "durable", "standbys", "feed", "watermark", "history"])'
is '[.findings[].check] | contains(["disk"]) | not'
! grep -q "conclave.db" "$out"
ok $? "doctor: speaks of no database file"

# ---- what doctor finds about the server ------------------------------------------------------------------------------

level() { jq -r "[.findings[] | select(.check == \"$1\" and .level == \"$2\") | .message] | join(\"; \")" "$out"; }
finds() {
    level "$1" "$2" | grep -qF -- "$3" || { echo "#   $1, $2: no \"$3\" in: $(level "$1" "$2")"; false; }
    ok $? "$name: $1, $2: $3"
}

sql "CREATE ROLE u_$schema LOGIN; GRANT USAGE ON SCHEMA $schema TO u_$schema;
     GRANT SELECT ON ALL TABLES IN SCHEMA $schema TO u_$schema;
     ALTER ROLE u_$schema SET synchronous_commit = off"
mkdir -p "$work/q/.conclave" && cd "$work/q" || exit 1
chmod 700 .conclave
elsewhere "postgresql://u_$schema@/${store#*@/}"
chmod 600 .conclave/config
run "a user who may only read" 1 doctor --json
finds rights error "agents (INSERT, UPDATE)"
finds rights note "belongs to conclave, not to u_$schema"
finds durable error "synchronous_commit=off"
run "a write by a user who may only read" 2 dialogue create "No"
has "permission denied for table scopes" err
has "'conclave doctor' names it" err
sql "ALTER ROLE u_$schema RESET synchronous_commit; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA $schema TO u_$schema"
run "… who may write" 0 doctor --json
finds rights ok "u_$schema can read and write"
chmod 666 .conclave/config
run "a config file that others can write" 0 doctor --json
finds rights warning "config (666)"
chmod 600 .conclave/config

cd "$work/p" || exit 1
mkfifo "$work/in"
psql -qAtX "$base&application_name=lazy" <"$work/in" >/dev/null 2>&1 &
exec 6>"$work/in"
echo "BEGIN; SELECT pg_current_xact_id();" >&6
until [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'lazy' AND backend_xid IS NOT NULL
               AND clock_timestamp() - xact_start > '1 s'")" = 1 ]; do sleep 0.1; done
run "a transaction that was left open" 0 doctor --json
finds feed note "lazy of conclave in conclave, idle in transaction"
exec 6>&-
wait

# ---- what doctor says when it cannot be opened -----------------------------------------------------------------------

mkdir -p "$work/r/.conclave" && cd "$work/r" || exit 1
closed() { # NAME ADDRESS MESSAGE REMEDY
    elsewhere "$2"
    run "$1" 1 doctor
    has "$3"
    has "$4"
}
closed "no such host" "postgresql://nobody.invalid/x" "nobody.invalid" "check the name of the host"
closed "no such user" "postgresql://nobody@/${store#*@/}" 'role "nobody" does not exist' "check user and password"
closed "no such database" "postgresql://conclave@/nowhere?${base#*\?}" '"nowhere" does not exist' "createdb"
closed "no such schema" "$base&schema=s_nothing" "no record in the schema s_nothing" "conclave init"
closed "a bad sslmode" "$store&sslmode=maybe" 'invalid sslmode value: "maybe"' "correct the address"
closed "a password in the config" "postgresql://ann:secret@db/work" ".conclave/config: the address of the store is not valid" "~/.pgpass"
echo "store: here" >.conclave/config
run "a damaged config" 1 doctor
has ".conclave/config: line 1"
run "a damaged config" 1 verify
has ".conclave/config: line 1" err
has 'write it as: store = "postgresql://' err

finish
