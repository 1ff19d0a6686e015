#!/bin/sh
# picture.sh - the pictures of a terminal in docs/images show what the program prints today; only the times of a run may differ.
export TMPDIR=/tmp # pages are broken where the name of the folder ends
. "$(dirname "$0")/lib.sh"
if ! command -v script >/dev/null; then
    skip "the pictures of 'ask' and 'lint'" "no program 'script'"
    finish
fi
timeless() { sed 's/[0-9]*\.[0-9] s/0.0 s/' "$1"; }
for command in ask lint; do
    name="the picture of 'conclave $command'"
    CONCLAVE=$conclave "$root/tools/shot-$command" >"$out" 2>"$err"
    ok $? "$name is made"
    timeless "$root/docs/images/$command.svg" >"$work/wanted"
    timeless "$out" | diff "$work/wanted" - >"$work/diff"
    status=$?
    sed 's/^/#   /' "$work/diff" "$err"
    ok $status "$name is the one in the documentation; make images makes it anew"
done
finish
