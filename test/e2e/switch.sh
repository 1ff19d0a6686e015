#!/bin/sh
# switch.sh - the record moves to another store and back while others write: what was acknowledged is where the record
# is in the end, and nobody writes to a store that it has left.
. "$(dirname "$0")/lib.sh"
needs_sqlite "moving the record"
needs_postgres "moving the record"
fresh_store
moves=4
[ -n "${CV_SOAK-}" ] && moves=30

# ---- writers beside it -----------------------------------------------------------------------------------------------

mkdir "$work/p" && cd "$work/p" || exit 1
run "init" 0 init
# writer NUMBER: dialogues of its own, until there is the file "stop"; "done" has the titles of those that were
# acknowledged, "refused" why others were not.
writer() {
    n=0
    while [ ! -e stop ]; do
        n=$((n + 1))
        if "$conclave" dialogue create "Writer $1 number $n" >/dev/null 2>"refused.$1.now"; then
            echo "Writer $1 number $n" >>"done.$1"
        else
            cat "refused.$1.now" >>"refused.$1"
        fi
    done
}
writers=""
for i in 1 2 3; do
    writer "$i" &
    writers="$writers $!"
done
moved=0 failed=0
while [ "$moved" -lt "$moves" ]; do
    to=$store
    [ $((moved % 2)) -eq 1 ] && to=sqlite
    "$conclave" copy --to "$to" --switch >>"moves" 2>>"moves" || failed=$((failed + 1))
    moved=$((moved + 1))
done
touch stop
# shellcheck disable=SC2086
wait $writers
[ "$failed" -eq 0 ] || tail -n 40 moves | sed 's/^/#   /'
ok "$failed" "every move is made"
# How many there are depends on how long the moves took: all pages of them.
page=$("$conclave" dialogue list --limit 1000 --json)
while echo "$page" | jq -r '.dialogues[].title' && next=$(echo "$page" | jq -r '.next // empty') && [ -n "$next" ]; do
    page=$("$conclave" dialogue list --limit 1000 --after "$next" --json)
done | sort >kept
cat done.* | sort >acknowledged
[ "$(wc -l <acknowledged)" -gt 3 ] && [ -z "$(comm -23 acknowledged kept)" ]
ok $? "what was acknowledged is where the record is ($(wc -l <acknowledged) of $(wc -l <kept))"
! cat refused.* 2>/dev/null | grep -v "The write waits for it$\|record was moved to\|locked\|busy\|held\|give the command again\|try again\|nothing was written" | sed 's/^/#   /' | grep .
ok $? "who was refused is told why"
cat refused.* 2>/dev/null | sort | uniq -c | sort -rn | sed 's/^/#   /' | head -n 5
run "it verifies" 0 verify

# ---- folders that know an old address --------------------------------------------------------------------------------

mkdir "$work/a" "$work/b"
there="$store" && fresh_store && second=$store && store=$there
cd "$work/a" && run "a project on a server" 0 init --store "${second}a"
run "… with a dialogue" 0 dialogue create "First"
cd "$work/b" && run "another folder joins it" 0 init --store "${second}a"
cd "$work/a" && run "the record moves" 0 copy --to "${second}b" --switch
run "… and goes on" 0 dialogue create "Second"
cd "$work/b" && run "the other folder writes" 2 dialogue create "Lost"
has "the record was moved to ${second}b: nothing was written here" err
has "conclave copy --to ADDRESS --switch" err
run "it reads what was there" 0 dialogue list --json
is '[.dialogues[].title] == ["First"]'
run "it goes there, too" 0 copy --to "${second}b" --switch --json
is '.switched and .added == 0 and .caught_up == 0'
run "it writes there" 0 dialogue create "Third"
run "it has all of it" 0 dialogue list --json
is '[.dialogues[].title] | sort == ["First", "Second", "Third"]'
mkdir "$work/c" && cd "$work/c" && run "a third project" 0 init
run "a store that the record has left" 1 copy --to "${second}a" --switch
has "the record was moved from this store to" err
cd "$work/b" || exit 1
elsewhere() { echo "store = \"$1\"" >.conclave/config; rm -f .conclave/seen; }
elsewhere "${second}a"
run "the old store as it stands" 1 accept --commit 7
run "… is taken when its end is named" 0 accept --commit 1
run "… and written" 0 dialogue create "Apart"

finish
