#!/bin/sh
# restore.sh - a backup put back: by hand, under a running server, and over what is left of a record.
. "$(dirname "$0")/lib.sh"
needs_sqlite "a backup in the place of the record"
project
"$conclave" dialogue create Bread >/dev/null
"$conclave" backup ../backup.db >/dev/null
"$conclave" dialogue create Wine >/dev/null
"$conclave" dialogue create Beer >/dev/null

run "restore" 0 restore ../backup.db --json
is '.scopes == 1 and .commits == 1 and .lost_count == 2'
is '[.lost[] | .room, .name, .rev, .restored_rev] == ["dialogue", "beer", 1, 0, "dialogue", "wine", 1, 0]'
is '[.warnings[].type] == ["newer_in_kept"]'
kept=$(jq -r .kept "$out")
run "the record is the backup" 0 dialogue list --json
is '[.dialogues[].dialogue_id] == ["bread"]'
watermark() { tr -s ' ' <.conclave/conclave.db-watermark | cut -d ' ' -f 2 | sed 's/^0*//'; }
[ "$(watermark)" = 1 ]
ok $? "the watermark is that of the backup"
run "nothing is missed" 0 verify --json
is '(.warnings // []) == []'
run "undone" 0 restore "$kept"
[ "$(watermark)" = 3 ]
ok $? "undone: the watermark, too"
cp .conclave/conclave.db-watermark ../watermark
"$conclave" restore ../backup.db >/dev/null
cp ../watermark .conclave/conclave.db-watermark
run "a record that has lost something" 2 verify --json
is '.error_code == "store_regressed"'
run "is mended by a restore" 0 restore "$kept"
run "and has everything then" 0 verify
run "as before" 0 restore "$kept"
has "3 dialogues, 3 commits"
run "all is there again" 0 verify --json
is '[.scopes[].name] == ["beer", "bread", "wine"]'
run "no such file" 2 restore nowhere.db
has "there is no such file" err

# With too few open files for the watermark alone, the restore is done and says that there is none. How few these are is
# found out: with fewer it fails, with more it sets one.
unmarked=0
for most in $(seq 8 40); do
    (ulimit -n "$most" && "$conclave" restore "$kept" --json) >"$out" 2>"$err" || continue
    [ ! -e .conclave/conclave.db-watermark ] || break
    unmarked=$((unmarked + 1))
    name="restore with $most open files"
    is '[.warnings[] | select(.type == "no_watermark") | .message | test("Too many open files|unable to open")] == [true]'
done
[ "$unmarked" -gt 0 ] && jq -e '[.warnings[] | select(.type == "no_watermark")] == []' "$out" >/dev/null
ok $? "restore with few open files: a watermark is missing only where that is said"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' |
    "$conclave" mcp --tools all >"$out" 2>"$err"
name="not over MCP"
has conclave_backup
! grep -q restore "$out"
ok $? "not over MCP: there is no such tool"

# ---- under a server ----
mkfifo "$work/in"
"$conclave" mcp <"$work/in" >"$work/answers" 2>"$work/trouble" &
server=$!
exec 3>"$work/in"
say() { printf '%s\n' "$1" >&3; }
answered() {
    await grep -q "\"id\":$1," "$work/answers"
    grep "\"id\":$1," "$work/answers" | jq -r '.result.content[0].text' >"$out"
}
list() {
    say "{\"jsonrpc\":\"2.0\",\"id\":$1,\"method\":\"tools/call\",\"params\":{\"name\":\"blue_dialogue_list\",\"arguments\":{}}}"
    answered "$1"
}
say '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
say '{"jsonrpc":"2.0","method":"notifications/initialized"}'
name="before a restore, twice"
list 2
list 3
is '[.dialogues[].dialogue_id] == ["beer", "bread", "wine"]'
"$conclave" restore ../backup.db >/dev/null
name="right after it"
list 4
is '[.dialogues[].dialogue_id] == ["bread"]'
list 5
mv .conclave/conclave.db ../moved.db && rm -f .conclave/conclave.db-*
cp "$kept" .conclave/new.db && mv .conclave/new.db .conclave/conclave.db
name="right after another file was put there by hand"
list 6
is '[.dialogues[].dialogue_id] == ["beer", "bread", "wine"]'
say '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"blue_dialogue_create","arguments":{"title":"Tea"}}}'
answered 7
exec 3>&-
wait "$server"
run "what the server wrote then" 0 dialogue get tea

# ---- over what is left ----
printf 'no database any more' >.conclave/conclave.db
printf 'a log that somebody may want' >.conclave/conclave.db-wal
for command in "init" "dialogue list" "verify" "backup ../never.db"; do
    # shellcheck disable=SC2086
    run "$command beside a log" 2 $command
    has "conclave restore FILE" err
done
[ "$(cat .conclave/conclave.db-wal)" = "a log that somebody may want" ]
ok $? "the log is still there"
run "over it" 0 restore ../backup.db --json
is '[.warnings[].type] == ["acknowledged_missing", "not_compared"]'
kept=$(jq -r .kept "$out")
[ "$(cat "$kept")$(cat "$kept-wal")" = "no database any morea log that somebody may want" ]
ok $? "over it: both files are kept"
rm -f .conclave/conclave.db*
run "where there is nothing" 0 restore ../backup.db --json
is '.kept == null and .lost == []'

# A token that was revoked after the backup opens again: that is said.
"$conclave" agent add muffin >/dev/null
"$conclave" token add muffin >/dev/null
"$conclave" backup ../open.db >/dev/null
"$conclave" token revoke t2 >/dev/null
run "a registry that is older" 0 restore ../open.db --json
is '[.warnings[].type] == ["newer_in_kept", "older_registry"]'
run "the same once more" 0 restore ../open.db --json
is '(.warnings // []) == []'
finish
