#!/bin/sh
# postgres.sh - the operations of the project on a record that is on a PostgreSQL server: doctor, restore, redact,
# backup, copy, verify, and what is said when something is wrong.
. "$(dirname "$0")/lib.sh"
needs_postgres "a project on PostgreSQL"
unset PGPASSWORD PGSERVICE PGSSLMODE
fresh_store
base=${store%&schema=*} schema=${store##*schema=}
sql() { PGOPTIONS="-c client_min_messages=warning" psql -qAtX "$base" -c "$1"; }
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
has "create the database" err
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
is ".created == false and .record == \"$store\" and (has(\"joined\") | not)"
run "another folder joins it" 0 init ../joined --store "$store" --json
is ".created == false and .joined and .record == \"$store\""
run "… once" 0 init ../joined --store "$store" --json
is '.created == false and (has("joined") | not)'
rm -r ../joined
run "init with the same address" 0 init --store "$store"
run "init with another address" 1 init --store "$base&schema=s_elsewhere"
has "has its record elsewhere" err
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
sql "ALTER ROLE u_$schema RESET synchronous_commit; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA $schema TO u_$schema;
     GRANT DELETE ON $schema.imports, $schema.dialog_files, $schema.dialog_intents, $schema.chat_intents, $schema.chat_pointers, $schema.chat_seen, $schema.run_leases, $schema.mail_presence, $schema.search_texts TO u_$schema"
run "… who may write" 0 doctor --json
finds rights ok "u_$schema can read and write"
sql "REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA $schema FROM PUBLIC"
run "a write by a user who may not call the functions" 2 dialogue create "No"
has "permission denied for function lock_scope" err
run "… who asks the doctor" 1 doctor --json
finds rights error "lock_scope() (EXECUTE)"
has "; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA $schema TO u_$schema"
# Triggers call theirs for everybody.
sql "GRANT EXECUTE ON FUNCTION $schema.lock_scope, $schema.lock_scope_at, $schema.end_write, $schema.is_redaction TO u_$schema"
run "… who may call them" 0 doctor --json
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
mkdir "$work/behind" && cd "$work/behind" || exit 1
run "a project behind it" 0 init --store "$base&schema=b_$schema"
run "… with a dialogue" 0 dialogue create "Behind it" --json
run "verify counts what the feed does not show yet" 0 verify --json
is '.commits == ([.scopes[].rev] | add) and [.warnings[].type] == ["feed_delayed"]'
has "'conclave doctor' names it"
exec 6>&-
wait

# ---- backup and restore ----------------------------------------------------------------------------------------------

cd "$work/p" || exit 1
run "backup" 0 backup monday.db --json
is '.bytes > 0'
run "seal" 0 seal
cp "$out" "$work/seal"
run "verify with the seal" 0 verify --seal "$work/seal" --json
is '.watermark == "agrees" and .sealed_until == .commits'
run "a dialogue that the backup lacks" 0 dialogue create "Wine"
cd "$work/q" || exit 1
run "restore by a user who is not the owner" 2 restore "$work/p/monday.db"
has "belongs to conclave, and only its owner can replace it (this is u_$schema)" err
has "nothing was changed" err
cd "$work/p" || exit 1
[ "$(sql "SELECT count(*) FROM pg_namespace WHERE nspname = '${schema}_restoring'")" = 0 ]
ok $? "restore by a user who is not the owner: leaves nothing"
run "restore" 0 restore monday.db --json
is ".record == \"$store\" and .lost == [{\"room\": \"dialogue\", \"name\": \"wine\", \"rev\": 1, \"restored_rev\": 0}]"
is '[.warnings[].type] == ["newer_in_kept", "seen_elsewhere"]'
is '.warnings[1].message | endswith("accept --commit N\u0027, as that error says")'
is ".kept_address == (\"$base&schema=\" + .kept) and (.kept | startswith(\"$schema\" + \"_before_restore_\"))"
kept=$(jq -r .kept_address "$out")
run "the restored record" 0 verify --json
is '[.scopes[].name] == ["nvidia-decision"] and .watermark == "agrees"'
run "the restored record" 0 doctor --json
is '.healthy'
cd "$work/q" || exit 1
run "the other user's rights stay" 0 doctor --json
finds rights ok "u_$schema can read and write"
run "the kept record is a project elsewhere" 0 init "$work/kept" --store "$kept"
run "the kept record" 0 backup "$work/kept.db" --root "$work/kept"
cd "$work/p" || exit 1
run "undo" 0 restore "$work/kept.db" --json
is '.lost == [] and .scopes == 2'
run "a dialogue that the backup lacks" 0 dialogue create "Beer"
run "restore for people" 0 restore monday.db
has "What was there before is kept: ${schema}_before_restore_"
has "'conclave init DIR --store"
# An owner who gives the rights to call functions to nobody, and one user who has them. Others use this server meanwhile.
mkdir "$work/w" && cd "$work/w" || exit 1
sql "CREATE ROLE w_$schema LOGIN; GRANT CREATE ON DATABASE conclave TO w_$schema"
run "an owner of its own" 0 init --store "postgresql://w_$schema@/${base#*@/}&schema=w_$schema"
sql "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA w_$schema TO u_$schema"
sql "ALTER DEFAULT PRIVILEGES FOR ROLE w_$schema REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC"
run "… restores" 0 restore "$work/p/monday.db"
[ "$(sql "SELECT bool_and(has_function_privilege('u_$schema', p.oid, 'EXECUTE')), count(*) > 3 FROM pg_proc AS p
    WHERE pronamespace = 'w_$schema'::regnamespace")" = "t|t" ]
ok $? "the user may call the functions as before"
cd "$work/p" || exit 1
sql "REVOKE CREATE ON DATABASE conclave FROM PUBLIC; CREATE ROLE o_$schema LOGIN"
sql "CREATE SCHEMA o_$schema AUTHORIZATION o_$schema"
mkdir "$work/o" && cd "$work/o" || exit 1
run "an owner who may not make schemas" 0 init --store "postgresql://o_$schema@/${base#*@/}&schema=o_$schema"
run "… restores" 2 restore "$work/p/monday.db"
has "may not make schemas in the database conclave" err
has "GRANT CREATE ON DATABASE conclave TO o_$schema" err
head -c 5000 "$work/p/monday.db" >"$work/half.db"
cd "$work/p" || exit 1
run "half of a backup" 2 restore "$work/half.db"
run "a file that is not there" 2 restore nowhere.db
[ "$(sql "SELECT count(*) FROM pg_namespace WHERE nspname = '${schema}_restoring'")" = 0 ]
ok $? "what has failed leaves no schema"

# ---- redact: no file of the tables keeps the text --------------------------------------------------------------------

"$server" start "$work/own" --memory --owner $$ || exit 1
own=$("$server" address "$work/own")
own_sql() { psql -qAtX "$own" -c "$1" >/dev/null; }
mkdir "$work/secret" && cd "$work/secret" || exit 1
run "a record on a server of its own" 0 init --store "$own"
nvidia
secret="NVIDIA's zero dividend directly conflicts"
own_sql "ANALYZE"
own_sql "CHECKPOINT"
holds() { grep -rqaF "$secret" "$(readlink "$work/own")/data/base"; }
holds
ok $? "the text is in the files of the server"
own_sql "CREATE ROLE guest LOGIN"
own_sql "GRANT USAGE ON SCHEMA conclave TO guest"
own_sql "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA conclave TO guest"
elsewhere "postgresql://guest@/${own#*@/}"
run "redact by a user who is not the owner" 2 redact dialogue nvidia-decision perspective P0001 --reason "not ours"
has "the text is redacted, but the server's files still have it" err
has "ask conclave to give the same command again" err
run "the text is redacted" 0 dialogue export nvidia-decision --output-path -
! grep -qF "$secret" "$out"
ok $? "the text is redacted: nobody reads it"
elsewhere "$own"
mkfifo "$work/in2"
psql -qAtX "$own" <"$work/in2" >/dev/null 2>&1 &
exec 6>"$work/in2"
echo "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM conclave.entities; SELECT pg_current_xact_id();" >&6
until [ "$(psql -qAtX "$own" -c "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'")" = 1 ]; do sleep 0.1; done
run "redact while somebody may still read it" 2 redact dialogue nvidia-decision perspective P0001 --reason "not ours"
has "others read the record (process" err
has "store_busy" err
exec 6>&-
wait
run "redact by the owner" 0 redact dialogue nvidia-decision perspective P0001 --reason "not ours" --json
is '.note | test("logs of the server") and test("standbys")'
own_sql "CHECKPOINT"
! holds
ok $? "no file of the tables has the text (the server's log may)"
run "it verifies" 0 verify
"$server" remove "$work/own"
cd "$work/p" || exit 1

# ---- export, import --------------------------------------------------------------------------------------------------

run "export-scope" 0 export-scope dialogue nvidia-decision --output "$work/scope.json"
run "import-scope --dry-run of one that is there" 0 import-scope "$work/scope.json" --dry-run --json
is '.status == "unchanged" and .dry_run'
mkdir "$work/file" && cd "$work/file" || exit 1
"$conclave" init >/dev/null
run "import-scope into a file" 0 import-scope "$work/scope.json"
run "export-scope from the file" 0 export-scope dialogue nvidia-decision --output "$work/again.json"
cmp -s "$work/scope.json" "$work/again.json"
ok $? "export-scope from the file: the same bytes"
cd "$work/p" || exit 1
run "import --dry-run" 0 import "$root/examples/decision.dialogue.md" --dry-run --json
run "… has left nothing" 0 verify --json
is '[.scopes[].name] == ["nvidia-decision"]'
run "import" 0 import "$root/examples/decision.dialogue.md" --json

# ---- a record that has less than was seen ----------------------------------------------------------------------------

sql "ALTER SCHEMA $schema RENAME TO ${schema}_away"
run "a schema that is gone" 2 verify
has "no record in the schema $schema" err
run "a schema that is gone, doctor" 1 doctor
has "no record in the schema $schema"
run "init does not begin anew" 2 init
has "the record of this project is gone" err
has "conclave restore FILE" err
"$conclave" init "$work/new" --store "$store" >/dev/null
run "… which has lost everything" 2 dialogue list
has "store_regressed" err
has "conclave accept" err
run "accept without the commit" 2 accept
run "accept" 0 accept --commit 0
run "… and it goes on" 0 dialogue create "After"
sql "DROP SCHEMA $schema CASCADE; ALTER SCHEMA ${schema}_away RENAME TO $schema"

# ---- from a file to the server and back ------------------------------------------------------------------------------

rows() { "$conclave" dialogue export nvidia-decision --output-path "$1" --force >/dev/null; }
mkdir "$work/c" && cd "$work/c" || exit 1
CONCLAVE_TEST_STORE="" "${CONCLAVE_PROGRAM:-$conclave}" init >/dev/null
nvidia
rows before.json
to="$base&schema=${schema}_copied"
run "copy" 0 copy --to "$to" --json
is '.added == .scopes and .caught_up == 0 and .switched == false and .scopes > 0'
run "copy again" 0 copy --to "$to" --json
is '.added == 0 and .caught_up == 0'
[ ! -e .conclave/config ]
ok $? "copy: the project keeps its record where it was"
run "a write" 0 dialogue create "Meanwhile"
run "copy and go on there" 0 copy --to "$to" --switch --json
is '.added == 1 and .switched and ([.warnings[].type] | contains(["old_store_kept"]))'
rows after.json
cmp -s before.json after.json
ok $? "copy: an export has the same bytes"
run "a write there" 0 dialogue create "There"
run "copy to where it is" 1 copy --to "$to"
has "the project keeps its record there" err
run "copy to something else" 1 copy --to elsewhere.db
has "not the address of a server, or the word sqlite" err
run "copy to an address with a password" 1 copy --to "postgresql://ann:secret@db/work"
! grep -q secret "$err" "$out"
ok $? "copy: a password is not repeated"
run "copy back" 0 copy --to sqlite --switch --json
is '.added == 1 and .switched'
run "what was written there is here" 0 dialogue list --json
has '"There"'
run "copy: it verifies" 0 verify

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
