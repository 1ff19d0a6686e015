#!/bin/sh
# readonly.sh - a project in a folder that cannot be written: what is there can be read, and a user who wants to write
# sees which folder and which permission is in the way.
. "$(dirname "$0")/lib.sh"
needs_sqlite "a folder that cannot be written"
project
nvidia
"$conclave" dialogue export nvidia-decision --output-path ../before.json >/dev/null
"$conclave" agent add able >/dev/null && "$conclave" mail send --from User --to able "x" --message-id kept >/dev/null
chmod 755 "$work"
if [ "$(id -u)" -eq 0 ]; then
    chown -R 65534:65534 "$work"
    printf '#!/bin/sh\nexec env -u CV_CALL_LOG setpriv --reuid=65534 --regid=65534 --clear-groups "%s" "$@"\n' "$conclave" \
        >"$work/as-user"
    chmod 755 "$work/as-user"
    conclave=$work/as-user
fi
"$conclave" --version >/dev/null 2>&1 || skip_all "read-only" "there is no user without rights"
chmod a-w .conclave .conclave/conclave.db

# ---- reading ----
run "list" 0 dialogue list --json
is '[.dialogues[].dialogue_id] == ["nvidia-decision"]'
run "progress" 0 dialogue progress nvidia-decision
has "Convergence"
run "transcript" 0 dialogue transcript nvidia-decision
has "# NVIDIA"
run "export" 0 dialogue export nvidia-decision --output-path -
cmp -s "$out" ../before.json
ok $? "the export is what the owner exports"
run "a mailbox" 0 mail inbox able --json
is '[.messages[].message_id] == ["kept"]'
run "a send" 2 mail send --from User --to able "y" --json
is '.error_code == "store_error" and (.message | contains("read-only"))'
run "a claim" 2 mail claim able --json
run "search, though nobody has searched before" 0 dialogue search collar --json
is '.count > 0 and (.warnings // []) == []'
run "verify" 0 verify
run "what an import would do" 0 import "$root/examples/decision.dialogue.md" --dry-run --json
is '.counts.imported == 1'
run "backup" 0 backup "$work/copy.db"
run "doctor" 1 doctor --json
is '[.findings[] | select(.level == "error") | .check] == ["project", "record"]'
[ ! -e .conclave/conclave.db-wal ] && [ ! -e .conclave/conclave.db-shm ]
ok $? "reading leaves nothing behind"

# ---- writing ----
run "create" 2 dialogue create "Another one"
has "cannot write: the record is read-only; user" err
has "cannot write the folder '$work/project/.conclave': Permission denied" err
has "give yourself write permission for the folder" err
run "create, as JSON" 2 dialogue create "Another one" --json
is '.error_code == "store_error"'
chmod u+w .conclave
run "a database that cannot be written in a folder that can" 2 dialogue create "Another one"
has "cannot write the file '$work/project/.conclave/conclave.db': Permission denied" err
run "reading it" 0 dialogue list --json
is '.count == 1'
chmod u+w .conclave/conclave.db
run "with permission" 0 dialogue create "Another one"

# ---- a log that nobody has read ----
rm -f .conclave/conclave.db-shm .conclave/conclave.db-wal
head -c 5000 /dev/zero >.conclave/conclave.db-wal
chmod a-w .conclave .conclave/conclave.db*
run "a log without its index" 2 dialogue list
has "conclave.db-wal: cannot read the record: the log beside it has changes" err
has "ask the folder's owner to run 'conclave verify' once" err
chmod u+w .conclave
rm -f .conclave/conclave.db-wal
: >.conclave/conclave.db-wal
chmod a-w .conclave
run "an empty one is none" 0 dialogue list --json
is '.count == 2'

# ---- a file that is not a record: the error names the file ----
chmod u+w .conclave
mv .conclave/conclave.db ../ours.db
for database in "not a database" "another program's" "of a later version"; do
    rm -f .conclave/conclave.db*
    case $database in
    "not a database") printf 'This is no database, but a text of some length.' >.conclave/conclave.db ;;
    "another program's") sqlite3 .conclave/conclave.db 'CREATE TABLE t(x); PRAGMA user_version = 7' ;;
    *)
        cp ../ours.db .conclave/conclave.db
        chmod u+w .conclave/conclave.db
        sqlite3 .conclave/conclave.db "PRAGMA journal_mode = DELETE;
            INSERT INTO schema_migrations (version, name, checksum, program) VALUES (99, 'x', 'x', '9.9')" >/dev/null
        ;;
    esac
    [ "$(id -u)" -ne 0 ] || chown 65534:65534 .conclave/conclave.db
    chmod a-w .conclave/conclave.db .conclave
    run "$database" 2 dialogue list --json
    is ".file | endswith(\"conclave.db\")"
    run "$database, in a line" 2 dialogue list
    has "conclave/conclave.db: " err
    chmod u+w .conclave
done
rm -f .conclave/conclave.db*
mv ../ours.db .conclave/conclave.db
chmod 000 .conclave
run "a folder that cannot even be entered" 2 dialogue list
has "Permission denied" err
finish
