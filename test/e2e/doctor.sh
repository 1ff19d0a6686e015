#!/bin/sh
# doctor.sh - every finding of the doctor is produced once: on a copy of a healthy project, which is then damaged.
. "$(dirname "$0")/lib.sh"
needs_sqlite "what can be wrong with the record's file"
project healthy
folder=.conclave/dialogues/bread

# Sizes and versions differ from place to place.
checked() {
    sed -e 's/[0-9.]* [KMG]B free/ROOM free/' -e 's/conclave.db: [0-9.]* KB/conclave.db: SIZE/' \
        -e 's/SQLite [0-9.]*, schema [0-9]*, conclave [0-9.]*/SQLite V, schema N, conclave V/' "$out" >"$work/plain"
    cp "$work/plain" "$out"
    golden "doctor/$1"
}
# a copy of the healthy project, and the current folder
patient() {
    cd "$work" || exit 1
    rm -rf patient
    cp -r healthy patient
    cd patient || exit 1
}

run "an empty project" 0 doctor
checked empty.txt

"$conclave" dialogue create Bread --seed 1 --panel-size 2 --expert-pool '{"domain": "Baking", "experts": [
    {"role": "Baker", "tier": "Core", "relevance": 0.9}, {"role": "Miller", "tier": "Core", "relevance": 0.8}]}' >/dev/null
"$conclave" dialogue round-register bread --round 0 --score 3 --responses '{"muffin": "Rye."}' \
    --claims '[{"local_id": "MUFFIN-C0001", "label": "Rye keeps", "content": "A week.", "contributors": ["muffin"]}]' >/dev/null
run "a project" 0 doctor --json
is '.healthy and .errors == 0 and .warnings == 0'
is '[.findings[] | select(.level == "ok") | .check] == ["project", "record", "disk", "engine", "integrity", "watermark", "history", "search"]'

patient
run "repair" 0 doctor --repair --json
is '[.findings[] | select(.repaired) | .message] == ["1 response of the record has no file"]'
[ "$(cat "$folder/round-0/response-muffin.md")" = "Rye." ]
ok $? "the response is written again"
run "nothing is left to repair" 0 doctor --repair --json
is '[.findings[] | select(.repaired)] == []'

patient
mkdir -p $folder/round-0 $folder/round-1 $folder/round-7 .conclave/dialogues/ghost
echo "Wheat." >$folder/round-0/response-muffin.md
echo "I forgot." >$folder/round-0/response-cupcake.md
echo "Next." >$folder/round-1/muffin.md
echo "Hello." >$folder/round-1/prompt-nobody.md
echo "My own notes." >$folder/round-1/notes.txt
touch .conclave/.conclave-99999999-0.tmp $folder/round-1/.conclave-99999999-1.tmp $folder/.conclave-$$-0.tmp
rm .conclave/.gitignore
run "what lies around" 0 doctor
checked around.txt
run "is repaired" 0 doctor --repair --json
is '[.findings[] | select(.repaired) | .what] == [".conclave/dialogues/bread/round-1/.conclave-99999999-1.tmp", ".conclave/.conclave-99999999-0.tmp"]'
[ "$(ls -A .conclave $folder/round-1 | grep -c tmp)" -eq 0 ] && [ -e "$folder/.conclave-$$-0.tmp" ]
ok $? "leftovers are gone, a write that is under way is not"
[ "$(cat $folder/round-0/response-muffin.md)" = "Wheat." ]
ok $? "a response that differs is left alone"

patient
mkdir outside && "$conclave" dialogue create Wine --output-dir "$PWD/outside/wine" >/dev/null
run "an output_dir that is not there" 0 doctor --json
is '[.findings[] | select(.what == "outside/wine") | .message] == ["the output_dir of wine is not there"]'

patient
LC_ALL=C sed -i 's/Rye keeps/Rye kepts/' .conclave/conclave.db
run "a row that was changed" 1 doctor --json
is '.healthy == false and ([.findings[] | select(.level == "error") | .check, .what] == ["history", "bread"])'
is '[.findings[] | select(.level == "error") | .message | select(test("^dialogue .bread.: entity/C/0/1: the row was changed after event [0-9]+: expected digest [0-9a-f]{64}, found [0-9a-f]{64}$"))] | length == 1'
is '[.findings[] | select(.level == "error") | .do] == ["keep this copy, restore the last backup that verifies, and compare the two"]'

patient
printf 'XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX' | dd of=.conclave/conclave.db bs=1 seek=4096 conv=notrunc 2>/dev/null
run "a page that is damaged" 1 doctor
checked damaged.txt

patient
printf 'XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX' | dd of=.conclave/conclave.db bs=1 seek=20480 conv=notrunc 2>/dev/null
run "a page of a table that is damaged" 1 doctor --json
is '[.findings[] | select(.check == "integrity") | .message | test("^the database is damaged: [^*\n]+$")] == [true]'

patient
size=$(($(wc -c <.conclave/conclave.db) - 6000))
dd if=.conclave/conclave.db of=cut.db bs=1 count=$size 2>/dev/null && mv cut.db .conclave/conclave.db
run "a database that was cut off" 1 doctor --json
is '[.findings[] | select(.level == "error") | .message] | all(contains("damaged"))'
is '[.findings[] | select(.level == "error") | .do] | all(contains("backup"))'

patient
echo "This is no database, however you look at it." >.conclave/conclave.db
run "another file" 1 doctor --json
is '[.findings[] | select(.level == "error") | .message] | length == 1 and (.[0] | contains("not a database"))'

patient
: >.conclave/conclave.db
run "an empty file" 1 doctor --json
is '[.findings[] | select(.level == "error") | .do] == ["put a backup back with '"'conclave restore FILE'; 'conclave init'"' makes an empty record"]'

patient
rm .conclave/conclave.db
run "no database" 1 doctor
checked missing.txt
mkfifo .conclave/conclave.db-journal
run "a pipe beside the database" 2 verify --json
is '.error_code == "not_a_file" and (.file | endswith("conclave.db-journal"))'
rm .conclave/conclave.db-journal
echo "log" >.conclave/conclave.db-wal
run "a log without its database" 1 doctor --json
is '[.findings[] | select(.level == "error") | .do] == ["put a backup back with '"'conclave restore FILE'"', which keeps the log; do not remove the log"]'
rm .conclave/conclave.db-wal
mkdir .conclave/conclave.db
run "a folder in its place" 1 doctor --json
is '[.findings[] | select(.level == "error") | .message] == ["the database is not a regular file"]'

patient
echo "left over" >.conclave/conclave.db-wal
run "a log beside the database" 0 doctor --json
is '[.findings[] | select(.what == ".conclave/conclave.db-wal") | .level] == ["note"]'

# A search for a missing record says the same.
same_advice() {
    "$conclave" dialogue list --json >"$out" 2>"$err"
    listed=$(jq -r .suggestion "$out")
    "$conclave" doctor --json >"$out" 2>"$err"
    [ "$listed" = "$(jq -r '[.findings[] | select(.level == "error") | .do][0]' "$out")" ] || echo "#   $listed"
    [ -n "$listed" ] && [ "$listed" = "$(jq -r '[.findings[] | select(.level == "error") | .do][0]' "$out")" ]
    ok $? "$1: list and doctor give the same advice"
}
cd "$work" && mkdir -p bare/.conclave && cd bare || exit 1
same_advice "a folder without a database"
run "an empty folder" 2 dialogue list
has "'conclave init' makes an empty record" err
: >.conclave/conclave.db
same_advice "an empty database"
rm .conclave/conclave.db
echo "log" >.conclave/conclave.db-wal
same_advice "a log without its database"
run "the log is worth something" 2 dialogue list
has "do not remove the log" err

# What many dialogues lack is told once.
cd "$work" && project imported
for n in 1 2 3; do
    mkdir -p "d$n/round-0" "d$n/round-1"
    for who in muffin scone; do printf '[PERSPECTIVE P01: %s]\nText.\n' "$who" >"d$n/round-0/$who.md"; done
    printf '[MOVE:CONVERGE]\n' >"d$n/round-1/muffin.md"
    printf '[{"name": "Muffin", "role": "A"}, {"name": "Scone", "role": "B"}]' >"d$n/round-1/panel.json"
done
"$conclave" import d1 d2 d3 >/dev/null
run "dialogues of an import" 0 doctor --json
is '[.findings[] | select(.level == "note") | .message] == ["9 responses of 3 dialogues have no file", "3 responses of registered rounds of 3 dialogues are not kept: d1 (1), d2 (1), d3 (1)"]'
run "repairing them" 0 doctor --repair --json
is '[.findings[] | select(.repaired) | .check] == ["files"]'
[ "$(find .conclave/dialogues -name 'response-*.md' | wc -l)" -eq 9 ]
ok $? "all of them are written"
run "and after that" 0 doctor --json
is '[.findings[] | select(.level == "note") | .check] == ["responses"]'

cd "$work" && mkdir -p nowhere && cd nowhere || exit 1
run "no project" 2 doctor
has "conclave init" err

# Permissions bind everybody but root: as another user, if we are root and can be one.
patient
chmod 755 "$work"
as_user() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then
    chown -R 65534:65534 "$work/patient"
    as_user() { env -u CV_CALL_LOG setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
fi
if as_user "$conclave" doctor >/dev/null 2>&1; then
    chmod a-w .conclave/conclave.db
    as_user "$conclave" doctor --json >"$out" 2>"$err"
    [ $? -eq 1 ]
    ok $? "a database that cannot be written: exit status 1"
    name="a database that cannot be written"
    is '[.findings[] | select(.level == "error" and .check == "record") | .do][0] | startswith("chmod u+rw ")'
    chmod u+w .conclave/conclave.db
    chmod a-w .conclave
    as_user "$conclave" doctor --json >"$out" 2>"$err"
    name="a folder that cannot be written"
    is '[.findings[] | select(.level == "error" and .check == "project")] | length == 1'
    chmod u+w .conclave
    mkdir -p $folder && chown 65534 $folder 2>/dev/null
    chmod a-w $folder
    as_user "$conclave" doctor --json >"$out" 2>"$err"
    name="a dialogue's folder that cannot be written"
    is '[.findings[] | select(.level == "warning") | .what] == [".conclave/dialogues/bread"]'
fi
finish
