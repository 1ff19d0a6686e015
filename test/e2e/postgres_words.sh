#!/bin/sh
# postgres_words.sh - what a project on a server says to somebody who is new to it: addresses, joining, a config that is
# lost, a standby that does not answer, what is left after a failover.
. "$(dirname "$0")/lib.sh"
needs_sqlite "what is said about a server"
needs_postgres "what is said about a server"
unset PGPASSWORD PGSERVICE PGSSLMODE PGSERVICEFILE PGPASSFILE
fresh_store
base=${store%&schema=*} schema=${store##*schema=}
sql() { PGOPTIONS="-c client_min_messages=warning" psql -qAtX "$base" -c "$1"; }

# ---- addresses -------------------------------------------------------------------------------------------------------

mkdir "$work/bad" && cd "$work/bad" || exit 1
run "a folder for a server that does not answer" 2 init new/folder --store "postgresql://127.0.0.1:1/work"
[ ! -e new ]
ok $? "a folder for a server that does not answer: is not left"
mkdir there
run "a folder that was there" 2 init there/new --store "postgresql://127.0.0.1:1/work"
[ -d there ] && [ ! -e there/new ]
ok $? "a folder that was there: stays"
run "a time that is not a number" 2 init --store "$store&connect_timeout=abc"
has 'invalid connect_timeout value: "abc"' err
has "correct the address" err
run "no time at all" 0 init "$work/timeless" --store "$base&schema=${schema}_t&connect_timeout=-1"
run "the schema of everybody" 1 init --store "$base&schema=public"
has "schema=public" err
has "not 'public'" err
run "a service that is not there" 2 init --store "postgresql:///work?service=nowhere"
has "PGSERVICEFILE" err
echo "[other]" >services
PGSERVICEFILE=$PWD/services
export PGSERVICEFILE
run "a service that the file lacks" 2 init --store "postgresql:///work?service=nowhere"
has 'definition of service "nowhere" not found' err
has "check service= in the address" err
# One that is there names the rest, a password too: nothing of it is kept or shown.
printf '[other]\nhost=%s\ndbname=conclave\nuser=conclave\npassword=hunter2\n' "$(echo "$base" | sed 's/.*host=\([^&]*\).*/\1/')" >services
run "a service" 0 init "$work/service" --store "postgresql:///?service=other&schema=${schema}_t"
run "a service" 0 doctor --root "$work/service"
! grep -rq hunter2 "$work/service/.conclave" "$out" "$err"
ok $? "a service: its password is not kept and not shown"
unset PGSERVICEFILE
PGHOST=$(echo "$base" | sed 's/.*host=\([^&]*\).*/\1/') PGUSER=conclave PGDATABASE=conclave PGPASSWORD=hunter2
export PGHOST PGUSER PGDATABASE PGPASSWORD
run "variables" 0 init "$work/variables" --store "postgresql://?schema=${schema}_t"
run "variables" 0 dialogue list --root "$work/variables"
! grep -rq hunter2 "$work/variables/.conclave" "$out" "$err"
ok $? "variables: the password is not kept and not shown"
unset PGHOST PGUSER PGDATABASE PGPASSWORD
run "an empty address" 1 init --store ""
has "expected at least 1 character, found 0" err
[ ! -e .conclave ]
ok $? "what has failed leaves nothing"

# ---- other databases -------------------------------------------------------------------------------------------------

sql "CREATE DATABASE latin_$$ ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0" &&
    sql "CREATE DATABASE turkish_$$ TEMPLATE template0 ICU_LOCALE 'tr-TR'" || exit 1
in_database() { echo "$base" | sed "s|/conclave?|/$1_$$?|"; }
run "a database that is not in UTF-8" 2 init --store "$(in_database latin)"
has "the encoding LATIN1, a record needs UTF8" err
[ ! -e .conclave ]
ok $? "a database that is not in UTF-8: leaves nothing"
# Words that SQL knows, in a database that orders texts by the rules of another language.
run "a schema that is a word of SQL" 0 init "$work/word" --store "$(in_database turkish)&schema=order"
run "a schema that is a word of SQL" 0 dialogue create "Işık İstanbul" --root "$work/word" --json
run "a schema that is a word of SQL: search" 0 search ISTANBUL --root "$work/word" --json
is '.count == 1'
run "a schema that is a word of SQL: backup" 0 backup "$work/word.db" --root "$work/word"
run "a schema that is a word of SQL: restore" 0 restore "$work/word.db" --root "$work/word"
run "a schema that is a word of SQL: verify" 0 verify --root "$work/word" --json
run "a schema that is a word of SQL: doctor" 0 doctor --root "$work/word" --json
is '.healthy'
sql "DROP DATABASE latin_$$" && sql "DROP DATABASE turkish_$$ WITH (FORCE)"
ok $? "nobody is left in them"

# ---- the password file -----------------------------------------------------------------------------------------------

echo "*:*:*:*:none" >pass && chmod 644 pass
PGPASSFILE=$PWD/pass
export PGPASSFILE
run "a password file that others can read" 0 init "$work/pass" --store "$base&schema=${schema}_t"
run "a password file that others can read" 0 dialogue list --root "$work/pass"
[ "$(grep -c "has group or world access" "$err")" -le 1 ]
ok $? "a password file that others can read: is said once"
unset PGPASSFILE

# ---- a file by its name, joining, a config that is lost --------------------------------------------------------------

mkdir "$work/file" && cd "$work/file" || exit 1
run "a file" 0 init --store sqlite --json
is '.created and (.record | endswith("conclave.db"))'
run "… again" 0 init --store sqlite --json
is '.created == false'
run "… is not a server" 1 init --store "$store"
has "has its record elsewhere" err
mkdir "$work/a" "$work/b" && cd "$work/a" || exit 1
run "a record" 0 init --store "$store" --json
is '.created'
run "a write" 0 dialogue create "First"
run "… is not a file" 1 init --store sqlite
has "has its record elsewhere" err
cd "$work/b" || exit 1
run "another folder joins it" 0 init --store "$store" --json
is ".created == false and .record == \"$store\""
run "… and reads" 0 dialogue list --json
is '.dialogues | length == 1'
rm .conclave/config
run "a config that is gone" 2 dialogue list
has "was on a server, and the file that names it is gone" err
has "conclave init --store postgresql://HOST/DATABASE" err
run "a config that is gone, doctor" 1 doctor
has "was on a server"
run "a config that is gone, init" 2 init
has "was on a server" err
[ ! -e .conclave/conclave.db ]
ok $? "a config that is gone, init: makes no file"
: >.conclave/config
run "an empty config" 2 dialogue list
has "does not name it any more" err
run "named again" 0 init --store "$store"
run "named again" 0 dialogue list --json
is '.dialogues | length == 1'

# ---- the same record under another address ---------------------------------------------------------------------------

same="$base&application_name=other&schema=$schema"
run "copy to itself" 1 copy --to "$same"
has "this is the record itself, under another address" err
cp .conclave/seen seen.before
run "another address" 0 copy --to "$same" --switch --json
is '.switched and .added == 0 and (has("warnings") | not)'
cmp -s seen.before .conclave/seen
ok $? "another address: what was seen is still known"
run "another address: it is written" 0 dialogue create "Second"

# ---- rights ----------------------------------------------------------------------------------------------------------

sql "CREATE ROLE r_$schema LOGIN"
reader="postgresql://r_$schema@/${store#*@/}"
run "a user without rights" 2 init "$work/r" --store "$reader"
has "GRANT USAGE ON SCHEMA $schema" err
! grep -q DELETE "$err"
ok $? "a user without rights: is not given more than needed"
sql "GRANT USAGE ON SCHEMA $schema TO r_$schema; GRANT SELECT ON ALL TABLES IN SCHEMA $schema TO r_$schema"
mkdir -p "$work/r/.conclave" && echo "store = \"$reader\"" >"$work/r/.conclave/config"
chmod 700 "$work/r/.conclave" && chmod 600 "$work/r/.conclave/config"
run "a user who may only read" 1 doctor --root "$work/r" --json
remedy=$(jq -r '[.findings[] | select(.check == "rights" and .level == "error") | .do] | first' "$out")
echo "$remedy" | grep -q "GRANT SELECT, INSERT, UPDATE ON ALL TABLES" && echo "$remedy" | grep -q "GRANT DELETE ON $schema\..*$schema\.imports, .*$schema\.search_texts TO"
ok $? "a user who may only read: the remedy names what is needed"
sql "$(echo "$remedy" | sed 's/.*run: //')"
run "… with the remedy" 0 doctor --root "$work/r" --json
run "… with the remedy: it writes" 0 dialogue create "Third" --root "$work/r"
run "… with the remedy: it searches" 0 search Third --root "$work/r"

# Names that must be quoted, of a schema and of users: what is printed can be run as it is.
run "a schema called like a word of SQL" 0 init "$work/words" --store "$base&schema=analyse"
names() {
    awk -v seed="${CV_SEED:-1}" 'BEGIN {
        srand(seed); split("A|z|\"|$|\047|\\| |;|ü|-|%|_", letter, "|"); print "User"
        for (i = 0; i < 2; i++) { name = "r"; for (k = 0; k < 7; k++) name = name letter[1 + int(rand() * 12)]; print name }
    }'
}
names >"$work/names"
while IFS= read -r user; do
    sql "CREATE ROLE \"$(printf %s "$user" | sed 's/"/""/g')\" LOGIN"
    theirs="postgresql://$(jq -rn --arg user "$user" '$user | @uri')@/${base#*@/}&schema=analyse"
    rm -rf "$work/r" && mkdir -p "$work/r/.conclave"
    run "the user '$user', without rights" 2 init "$work/r" --store "$theirs" --json
    sql "$(jq -r .suggestion "$out" | sed 's/.*run: //; s/[;.] [Tt]hen .*//')"
    echo "store = \"$theirs\"" >"$work/r/.conclave/config"
    chmod 700 "$work/r/.conclave" && chmod 600 "$work/r/.conclave/config"
    run "the user '$user', with some" 1 doctor --root "$work/r" --json
    sql "$(jq -r '[.findings[] | select(.check == "rights" and .level == "error") | .do] | first' "$out" | sed 's/.*run: //')"
    run "the user '$user', with all" 0 doctor --root "$work/r" --json
    run "the user '$user' writes" 0 agent add "a" --root "$work/r"
    sql "DROP OWNED BY \"$(printf %s "$user" | sed 's/"/""/g')\"; DROP ROLE \"$(printf %s "$user" | sed 's/"/""/g')\""
done <"$work/names"
sql "DROP SCHEMA \"analyse\" CASCADE"

# ---- a standby that does not answer ----------------------------------------------------------------------------------

"$server" start "$work/primary" --memory --owner $$ && "$server" standby "$work/standby" "$work/primary" sync --memory --owner $$ || exit 1
primary=$("$server" address "$work/primary")
mkdir "$work/s" && cd "$work/s" || exit 1
run "a record with a synchronous standby" 0 init --store "$primary"
run "a write" 0 dialogue create "Before"
"$server" stall "$work/standby"
"$conclave" dialogue create "Waits" >"$work/waits.out" 2>"$work/waits.err" &
waits=$!
until grep -q "has not answered" "$work/waits.err"; do sleep 0.2; done
grep -q "a synchronous standby does not answer" "$work/waits.err"
ok $? "a write that waits says what for"
run "doctor" 0 doctor --json
is '[.findings[] | select(.check == "standbys" and .level == "warning") | .message] | any(test("has waited for a standby for"))'
"$server" resume "$work/standby"
wait "$waits"
ok $? "… and is done when the standby is back"
[ "$(grep -c "has not answered" "$work/waits.err")" = 1 ]
ok $? "… it says so once"

# ---- a standby as the store, asked for by name ---------------------------------------------------------------------

run "a standby" 0 init "$work/standing" --store "$("$server" address "$work/standby")&target_session_attrs=any"
run "a standby is read" 0 dialogue list --root "$work/standing" --json
is '[.dialogues[].title] | contains(["Before"])'
run "a standby is not written" 2 dialogue create "No" --root "$work/standing"
has "this server is a standby: name the primary in the address" err
run "a standby, doctor" 1 doctor --root "$work/standing" --json
is '[.findings[] | select(.check == "standbys" and .level == "error") | .message] | any(test("is a standby itself"))'

# ---- what is left after a failover to a standby that had less --------------------------------------------------------

psql -qAtX "$primary" -c "ALTER SYSTEM SET synchronous_standby_names = ''" -c "SELECT pg_reload_conf()" >/dev/null
run "a write" 0 dialogue create "Seen"
"$server" stall "$work/standby"
run "a write that the standby lacks" 0 dialogue create "Lost"
"$server" kill "$work/primary"
"$server" promote "$work/standby"
echo "store = \"$("$server" address "$work/standby")\"" >.conclave/config
run "a list" 2 dialogue list
has "store_regressed" err
has "the record has lost writes: rev 1 was seen of something that no longer exists" err
has "'conclave accept --commit 3'" err
run "what is left is read" 2 verify
has "store_regressed" err
run "what is left is kept" 0 backup left.db --json
is '[.warnings[].type] == ["store_regressed"]'
run "another commit" 1 accept --commit 2
has "the record ends at commit 3, not at 2" err
run "what is left is taken" 0 accept --commit 3
run "… and written" 0 dialogue create "After"
run "… and verifies" 0 verify --json
is '[.scopes[].name] | sort == ["after", "before", "seen", "waits"]'

finish
