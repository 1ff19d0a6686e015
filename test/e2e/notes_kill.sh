#!/bin/sh
# notes_kill.sh - `notes header`, `notes add` and `notes create` killed before every call that changes something: after
# `notes repair` file and log agree, both old or both new, and nothing else is left.
. "$(dirname "$0")/lib.sh"
[ -x "$root/build/kill_at" ] || skip_all "kills" "build/kill_at is not built"
on_sqlite && conclave=$root/build/conclave # hundreds of runs: the optimised program
export ASAN_OPTIONS=detect_leaks=0
project
bad=0 new=0 old=0
printf '%s\n' '---' 'wolfie.headers.version: 4.0.1' 'dialog:' '  speaker: A' '  target: @everyone' '  message: "old"' '---' '' 'body' >original
"$conclave" notes log original >/dev/null

say() { bad=$((bad + 1)); echo "#   $*"; }

# What must hold: the file is one of two, and the log's current messages of it are those that it has.
agree() {
    "$conclave" notes repair --json >"$work/repair" 2>&1 || say "point $1: repair fails: $(cat "$work/repair")"
    in_file=$("$conclave" notes scan "$3" --json | jq -c '[.notes[] | [.kind, .speaker, .message]] | sort')
    in_log=$("$conclave" notes list --path "$3" --json | jq -c '[.notes[] | [.kind, .speaker, .message]] | sort')
    case $in_file in *'"new"'*) new=$((new + 1)) ;; *) old=$((old + 1)) ;; esac
    # a file that nobody has logged yet says more than the log
    [ "$in_file" = "$in_log" ] || { [ "$in_log" = "[]" ] && ! grep -q new "$3"; } || say "point $1: file $in_file, log $in_log"
    [ "$2" -eq 137 ] || grep -q new "$3" || say "point $1: it ended and did nothing: $(cat "$err")"
    find . -name '.*.tmp*' -o -name '*.before-*' | grep . && say "point $1: something is left over"
}


# The name of the file is a part of the command, so each point has a command of its own.
each() {
    kill_status=137 at=1 points=0
    while [ "$kill_status" -eq 137 ]; do
        case $1 in create) rm -f "f$at.md" ;; *) cp original "f$at.md" ;; esac
        case $at in *1 | *7) "$conclave" notes log . >/dev/null ;; esac # the log knows some of them already
        case $1 in
        header) "$root/build/kill_at" "$at" "$conclave" notes header "f$at.md" --speaker B --target @everyone --message new --force ;;
        add) "$root/build/kill_at" "$at" "$conclave" notes add "f$at.md" --line 9 --speaker B --target @everyone --message new ;;
        create) "$root/build/kill_at" "$at" "$conclave" notes create "f$at.md" --speaker B --target @everyone --message new ;;
        esac >"$out" 2>"$err"
        kill_status=$?
        [ "$kill_status" -ne 137 ] || points=$((points + 1))
        [ -e "f$at.md" ] || : >"f$at.md"
        agree "$at" "$kill_status" "f$at.md"
        at=$((at + step))
    done
}

step=1
[ -n "${CV_SOAK-}" ] || step=5
for what in header add create; do
    bad=0 new=0 old=0
    each $what
    echo "# $what: $points kill points, $old old, $new new"
    [ $bad -eq 0 ]
    ok $? "$what: file and log agree after every kill"
    [ $points -ge $((30 / step)) ] && [ $old -gt 0 ] && [ $new -gt 1 ]
    ok $? "$what: killed before and after the change"
    rm -f f*.md
done
"$conclave" verify >/dev/null
ok $? "the record agrees with its history"
finish
