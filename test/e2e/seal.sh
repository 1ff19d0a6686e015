#!/bin/sh
# seal.sh - a seal that is kept and shown again; a record that has lost writes, and what may still be done with it.
. "$(dirname "$0")/lib.sh"
project
run "nothing to seal" 1 seal
has "nothing to seal yet" err
"$conclave" dialogue create Bread >/dev/null
! on_sqlite || cp .conclave/conclave.db "$work/older.db"
run "a seal" 0 seal
grep -qE '^conclave-seal-1 1 [0-9a-f]{16} [0-9a-f]{64}$' "$out" && [ "$(wc -l <"$out")" -eq 1 ]
ok $? "it is one line"
cp "$out" "$work/seal"
run "the same as JSON" 0 seal --json
[ "$(jq -r .seal "$out")" = "$(cat "$work/seal")" ]
ok $? "it is the same line"
for title in Cake Tart Wine; do "$conclave" dialogue create "$title" >/dev/null; done

# ---- a seal that is shown again ----
run "a file" 0 verify --seal "$work/seal" --json
is '.sealed_until == 1 and .commits == 4 and .watermark == "agrees"'
run "a file, as other texts are given" 0 verify --seal "@$work/seal"
run "the line itself" 0 verify --seal "$(cat "$work/seal")"
(echo "Sealed today:" && cat "$work/seal" && echo "-- The clerk") >"$work/mail"
run "a mail that has it" 0 verify --seal "$work/mail"
"$conclave" verify --seal - <"$work/seal" >/dev/null
ok $? "standard input"
cat "$work/seal" "$work/seal" >"$work/two"
run "two of them" 1 verify --seal "$work/two"
has "more than one" err
fold -s -w 78 "$work/seal" >"$work/folded"
run "a mail that breaks its line" 0 verify --seal "$work/folded"
run "another text" 1 verify --seal "hello there"
has "this is not a seal" err
run "a file that is not there" 2 verify --seal nosuch.seal
has "there is no file 'nosuch.seal'" err
run "a later version" 1 verify --seal "$(sed 's/seal-1/seal-2/' "$work/seal")"
has "its first word must be" err
run "a number that is none" 1 verify --seal "$(sed 's/ 1 / 01 /' "$work/seal")"
has "the number of a commit" err
run "a hash that is cut" 1 verify --seal "$(cut -c 1-60 "$work/seal")"
has "64 hex digits" err
run "a seal that is newer" 1 verify --seal "$(sed 's/ 1 / 9 /' "$work/seal")"
has "made at commit 9, the record ends at commit 4" err
run "a seal of other content" 1 verify --seal "$(sed 's/ 1 / 2 /' "$work/seal")"
has "something before the seal was changed, added or removed" err
here=$PWD
project other
"$conclave" dialogue create Else >/dev/null
"$conclave" backup "$work/other.db" >/dev/null
run "a seal of another project" 1 verify --seal "$work/seal"
has "of another project" err
cd "$here" || exit 1

# ---- a record that has lost writes ----
needs_sqlite "an older file in the place of the record"
rm -f .conclave/conclave.db-wal .conclave/conclave.db-shm
cp "$work/older.db" .conclave/conclave.db
run "reading is refused" 2 dialogue list --json
is '.error_code == "store_regressed"'
has "commit 4 was acknowledged, the record ends at commit 1"
run "writing is refused" 2 dialogue create Pie
run "verify says so" 2 verify --json
is '.error_code == "store_regressed"'
run "doctor says so" 1 doctor --json
is '[.findings[] | select(.level == "error") | .check] == ["watermark"]'
run "what is left can be copied" 0 backup "$work/left.db"
run "… and exported" 0 dialogue export bread --output-path "$work/left.json"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_dialogue_list","arguments":{}}}' |
    "$conclave" mcp --tools all >"$out" 2>"$err"
name="a server"
is '.result.isError and (.result.content[0].text | contains("store_regressed"))'
run "nobody accepts what was not named" 2 accept
run "… nor by another number" 1 accept --commit 3
run "accepted by its name" 0 accept --commit 1
run "reading again" 0 dialogue list
run "the seal still holds" 0 verify --seal "$work/seal"

# ---- a watermark that is not one ----
echo "conclave-watermark-1" >.conclave/conclave.db-watermark
run "an unreadable watermark" 2 dialogue list --json
is '.error_code == "store_regressed"'
has "its watermark is unreadable"
has "the record ends at commit 1"
has "run 'conclave accept --commit 1'"
run "verify says what to do" 2 verify
has "run 'conclave accept --commit 1'" err
run "doctor says what to do" 1 doctor
has "run 'conclave accept --commit 1'"
run "is made again" 0 accept --commit 1
rm .conclave/conclave.db-watermark
run "a missing one is told" 0 verify --json
is '.watermark == "missing" and [.warnings[].type] == ["no_watermark"]'
[ ! -e .conclave/conclave.db-watermark ]
ok $? "reading does not make it"
run "the next write makes it" 0 dialogue create Pie
[ "$(stat -c %a .conclave/conclave.db-watermark)" = "$(stat -c %a .conclave/conclave.db)" ]
ok $? "it is as private as the record"
mv .conclave/conclave.db-watermark "$work/watermark" && mkdir .conclave/conclave.db-watermark
run "a folder in its place" 2 dialogue list
has "move it away" err
rmdir .conclave/conclave.db-watermark && mv "$work/watermark" .conclave/conclave.db-watermark
run "it is there" 0 verify --json
is '.watermark == "agrees" and .warnings == null'

# ---- a database that is gone ----
"$conclave" backup "$work/whole.db" >/dev/null
rm .conclave/conclave.db*[lm] .conclave/conclave.db
run "is not replaced by an empty one" 2 init
has "the database of this project is gone" err
run "comes back" 0 restore "$work/whole.db"
rm -f .conclave/conclave.db-wal .conclave/conclave.db-shm
cp "$work/older.db" .conclave/conclave.db
run "older than what was acknowledged" 0 restore "$work/older.db" --json
is '[.warnings[].type] | contains(["acknowledged_missing"])'
run "of another project" 0 restore "$work/other.db" --json
is '[.warnings[].type] | contains(["another_record"])'
run "standard output takes none" 1 backup -
has "a backup cannot be written to standard output" err
finish
