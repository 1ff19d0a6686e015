#!/bin/sh
# notes_threads.sh - files that several threads read: nothing is lost or told twice, and the order is that of the paths.
# `make tsan` runs it with ThreadSanitizer; there are threads from 64 files on.
. "$(dirname "$0")/lib.sh"
project
mkdir tree
# 300 files of six languages: a header each, a note in every third, and some that are none of ours
awk 'BEGIN {
    split("md py sql js html yaml", ending)
    split(":# :-- : * ::# ", lead, ":")
    split("|||/*|<!--|", open, "|")
    split("||| */|-->|", close_, "|")
    for (i = 0; i < 300; i++) {
        k = i % 6 + 1
        file = sprintf("tree/f%03d.%s", i, ending[k])
        if (open[k]) print open[k] >file
        printf "%s---\n%sdialog:\n%s  speaker: A%d\n%s  target: \"@b\"\n%s  message: \"header %d\"\n%s---\n", lead[k], lead[k], lead[k], i, lead[k], lead[k], i, lead[k] >file
        if (close_[k]) print close_[k] >file
        if (i % 3 == 0) {
            if (open[k]) print open[k] >file
            printf "%s---\n%sDIALOG:\n%s  speaker: B%d\n%s  target: \"@c\"\n%s  message: \"note %d\"\n%s---\n", lead[k], lead[k], lead[k], i, lead[k], lead[k], i, lead[k] >file
            if (close_[k]) print close_[k] >file
        }
        close(file)
        if (i % 10 == 0) { file = sprintf("tree/none%03d.txt", i); print "nothing" >file; close(file) }
    }
}'
run "a scan" 0 notes scan tree --json
is '.files == 330 and (.notes | length) == 400'
is '[.notes[].path] == ([.notes[].path] | sort)'
is '([.notes[] | select(.kind == "header") | .message] | sort) == ([range(300) | "header \(.)"] | sort)'
jq -S .notes "$out" >"$work/first"
run "another one" 0 notes scan tree --json
jq -S .notes "$out" | cmp -s - "$work/first"
ok $? "says the same"
run "all are logged" 0 notes log tree --json
is '.found == 400 and .logged == 400'
run "once" 0 notes log tree --json
is '.found == 400 and .logged == 0'
run "and judged" 0 notes lint tree --profile core --json
is '.findings == []'
finish
