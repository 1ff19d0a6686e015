#!/bin/sh
# upgrade - records of earlier versions: opened, brought up to date, verified with the heads that they had, written to.
. "$(dirname "$0")/lib.sh"
needs_sqlite upgrade

# Every table of a new record has a row in one of the stored ones: a new table needs a new record (tools/keep-record).
# lacking TABLES STORED...: the tables that are empty, or not there, in all of them
lacking() {
    for table in $1; do
        found=0
        for db in $2; do
            [ "$(sqlite3 "$db" "SELECT count(*) FROM (SELECT 1 FROM $table LIMIT 1)" 2>/dev/null)" != 1 ] || found=1
        done
        [ $found = 1 ] || echo "$table"
    done
}
project
tables=$(sqlite3 .conclave/conclave.db "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1")
for stored in "$root"/test/upgrade/*.db.gz; do gunzip -c "$stored" >"$work/$(basename "$stored" .gz)"; done
empty=$(lacking "$tables" "$(echo "$work"/0*.db)")
[ -z "$empty" ] || echo "$empty" | sed 's/^/#   no stored row: /'
[ -n "$tables" ] && [ -z "$empty" ]
ok $? "the stored records have a row of every table"
[ "$(lacking "$tables" "$work/0.1.0.db" | grep -c '^runs$')" = 1 ] && [ "$(lacking no_such_table "$(echo "$work"/0*.db)")" = no_such_table ]
ok $? "a table without a stored row is found"

for stored in "$root"/test/upgrade/*.db.gz; do
    version=$(basename "$stored" .db.gz)
    rm -rf "$work/$version" && mkdir "$work/$version" && cd "$work/$version" || exit 1
    mkdir -m 700 .conclave && gunzip -c "$stored" >.conclave/conclave.db && chmod 600 .conclave/conclave.db
    run "$version: verify" 0 verify --json
    command jq '[.scopes[] | {room, name, rev, head}]' "$out" >heads
    diff -u "$root/test/upgrade/$version.json" heads | sed 's/^/#   /'
    cmp -s "$root/test/upgrade/$version.json" heads
    ok $? "$version: every scope has the head that it had"
    run "$version: search" 0 search "supply chain" --json
    is '.count > 0'
    # Every room that has something in it can still be read.
    for room in $(jq -r '[.[].room] | unique | .[]' "$root/test/upgrade/$version.json"); do
        case $room in
        dialogue) run "$version: dialogues" 0 dialogue show job-queue && has "Should we move our job queue from Redis into PostgreSQL?" ;;
        mail) run "$version: mail" 0 mail stats --json && is '.mailboxes | length > 0' ;;
        chat) run "$version: chats" 0 verify --room chat --json && is '.scopes | length > 0' ;;
        notes) run "$version: notes" 0 notes list --all --json && is '.notes | length > 0' ;;
        project) run "$version: agents" 0 agent list --json && is '.agents | length > 0' ;;
        run) run "$version: runs" 0 run status kept-run && has "the final verdict is registered" ;;
        *) ok 1 "$version: nobody knows how to read the room $room" ;;
        esac
    done
    # What was redacted stays so, and what was archived is out of the way.
    if jq -e 'any(.[]; .name == "put-away")' "$root/test/upgrade/$version.json" >/dev/null; then
        run "$version: a redacted text" 0 search Avebury --json && is '.count == 0'
        run "$version: an archived dialogue" 0 dialogue list --archived --json
        is '[.dialogues[] | [.dialogue_id, .title, .tags]] == [["put-away", "Put away and renamed", ["kept"]]]'
        run "$version: a revoked token" 0 token list --revoked --json && is '[.tokens[].status] == ["revoked"]'
    fi
    # What killed and waiting commands left behind is finished by the next command, and the rest is as it was.
    if jq -e 'any(.[]; .name == "from-elsewhere")' "$root/test/upgrade/$version.json" >/dev/null; then
        run "$version: commands of an agent" 0 agent commands ada --json && is '[.commands[].command] == ["run_test"]'
        run "$version: a state" 0 mail state get current_focus --json && is '.value == {"purpose": "bread"}'
        run "$version: reports" 0 mail reports --json && is '.reports | length == 1'
        run "$version: threads" 0 notes threads --json && is '[.threads[].name] | contains(["kept"])'
        run "$version: a run without its runner" 0 run status which-of-the-two-ovens
        run "$version: a killed chat" 0 chat show killed --json && is '.participants | length == 2'
    fi
    run "$version: a write" 0 dialogue create "After the upgrade" --json
    run "$version: verify again" 0 verify --json
    is '.status == "success"'
done
finish
