#!/bin/sh
# picture.sh - docs/images/ask.svg shows what the program prints today; only the times of a run may differ.
. "$(dirname "$0")/lib.sh"
name="the picture of 'conclave ask'"
if ! command -v script >/dev/null; then
    skip "$name" "no program 'script'"
    finish
fi
timeless() { sed 's/[0-9]*\.[0-9] s/0.0 s/' "$1"; }
CONCLAVE=$conclave "$root/tools/shot-ask" >"$out" 2>"$err"
ok $? "$name is made"
timeless "$root/docs/images/ask.svg" >"$work/wanted"
timeless "$out" | diff "$work/wanted" - >"$work/diff"
status=$?
sed 's/^/#   /' "$work/diff" "$err"
ok $status "$name is the one in the documentation; make images makes it anew"
finish
