#!/bin/sh
# field.sh - a field that is added to a type costs a line in its table and a migration for each engine: field.patch does
# it for the toy room, in at most three files. On both engines rows from before verify, rows from now on have it, and the
# answer shows it. TAP on stdout.
set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0
ok() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
# run NAME COMMAND...: succeeds; what it says is in $work/out.
run() {
    name=$1
    shift
    "$@" >"$work/out" 2>&1 || { sed 's/^/#   /' "$work/out" | head -n 20; ok 1 "$name"; return; }
    ok 0 "$name"
}
is() {
    jq -e "$1" "$work/out" >/dev/null 2>&1 || sed 's/^/#   /' "$work/out" | head -n 5
    jq -e "$1" "$work/out" >/dev/null 2>&1
    ok $? "$name: $1"
}

files=$(grep -c '^+++ ' test/checks/field.patch)
[ "$files" -le 3 ] && [ "$files" -ge 1 ]
ok $? "the patch touches at most three files: $files"

# Only what the patch touches is made again: the toy's own object, its SQL, and the link.
mkdir -p "$work/test" && cp -r test/toy "$work/test"
run "the patch fits" sh -c 'cd "$1" && git apply "$2"' - "$work" "$PWD/test/checks/field.patch"
tools/embed -n sqlite sql/sqlite/statements.sql sql/sqlite/[0-9]*.sql "$work"/test/toy/[0-9]*.sql >"$work/sql.c"
tools/embed -n postgres sql/postgres/statements.sql sql/postgres/[0-9]*.sql "$work"/test/toy/postgres/[0-9]*.sql >"$work/sql_postgres.c"
run "it builds without a warning" ${CC:-gcc} -std=c17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Isrc -I"$work/test" \
    -D_GNU_SOURCE -DCV_VERSION='"0.1.0"' -O0 -fno-pie -no-pie -fsanitize=address,undefined -o "$work/conclave" "$work"/test/toy/*.c "$work"/sql*.c \
    build/asan/main.o build/gen/commit.o build/asan/lib.a -lutf8proc -lsqlite3 -lnettle -ldl -lm -pthread

before=$PWD/build/asan/conclave_toy after=$work/conclave server=$PWD/test/postgres/server
unset CONCLAVE_ROOT
CV_CHECK_REPLIES=1
export CV_CHECK_REPLIES

# init PROGRAM: a project with a record of its own, on the engine that is tried.
init() {
    if [ "$engine" = SQLite ]; then "$1" init; else "$1" init --store "$store&schema=f_$(od -An -N8 -tx8 /dev/urandom | tr -d ' ')"; fi
}
# refuses PROGRAM ARGUMENT...: it does not work.
refuses() { ! "$@"; }

try_engine() {
    engine=$1
    mkdir -p "$work/$engine/project" "$work/$engine/other" "$work/$engine/third" && cd "$work/$engine/project" || exit 1
    run "$engine: a record of before" init "$before"
    run "$engine: a row of before" "$before" jar fill plums --count 2 --note "sweet and ripe plums" --json
    is '.count == 2'
    "$before" export-scope jar plums >before.json

    run "$engine: the row, read by the program with the field" "$after" jar look plums --json
    is '.count == 2 and .note == "sweet and ripe plums" and .label == null'
    "$after" export-scope jar plums >same.json
    jq -S '.scope | [.head, .rev, .events]' before.json >"$work/x"
    jq -S '.scope | [.head, .rev, .events]' same.json >"$work/y"
    [ -s "$work/x" ] && cmp -s "$work/x" "$work/y"
    ok $? "$engine: its history has the same hashes"
    run "$engine: the field is in the answer" "$after" jar fill plums --label "top shelf" --json
    is '.label == "top shelf" and .count == 3'
    run "$engine: … and in what is read" "$after" jar look plums --json
    is '.label == "top shelf"'
    run "$engine: … and in the row" "$after" export-scope jar plums
    is '.scope.types.jar | (.fields | index("label")) as $at | .rows[0][$at] == "top shelf"'
    cp "$work/out" after.json
    run "$engine: rows of both times verify" "$after" verify --json
    is '.status == "success"'
    run "$engine: the program without the field refuses the record" refuses "$before" jar look plums

    cd ../other || exit 1
    run "$engine: another project" init "$after"
    run "$engine: the export of before comes in and verifies" "$after" import-scope ../project/before.json --json
    is '.status == "restored" and .rev == 1'
    cd ../third || exit 1
    run "$engine: a third project" init "$after"
    run "$engine: so does the one with rows of both times" "$after" import-scope ../project/after.json --json
    is '.status == "restored" and .rev == 2'
    mkdir old && cd old || exit 1
    run "$engine: a project of the program without the field" init "$before"
    run "$engine: it refuses the export" refuses "$before" import-scope ../../project/after.json
}

try_engine SQLite
if "$server" available 2>/dev/null && store=$("$server" shared --owner $$); then
    try_engine PostgreSQL
else
    ok 0 "PostgreSQL # SKIP no PostgreSQL"
fi
echo "1..$number"
