#!/bin/sh
# What notes log remembers about files that it has read: they are not read again, and no change goes unseen.
. "$(dirname "$0")/lib.sh"
project
page() { printf -- '---\nwolfie.headers.version: 4.0.1\ndialog:\n  speaker: KIRO\n  target: "@everyone"\n  message: "%s"\n---\n# A\n' "$1"; }
page one >a.md
page two >b.md
printf 'no notes in here\n' >c.md
run "first" 0 notes log --json
is '.logged == 2 and .found == 2'
! grep -q a.md .conclave/notes.seen 2>/dev/null
ok $? "what has just been written is not remembered: another change could have the same time"
sleep 2.1
run "a moment later" 0 notes log --json
is '.logged == 0 and .found == 2 and .files == 3'
[ "$(grep -c '\.md$' .conclave/notes.seen)" = 3 ]
ok $? "it is remembered"
[ "$(stat -c %a .conclave/notes.seen)" = 600 ] && grep -qxF '*.seen' .conclave/.gitignore
ok $? "… for this user and this machine alone"
run "not read again, but counted" 0 notes log --json
is '.logged == 0 and .found == 2 and .files == 3'

touch -r a.md stamp
page six >a.md
touch -r stamp a.md && rm stamp
run "another text of the same size and time" 0 notes log --json
is '.logged == 1 and .replaced == 1'
mv b.md d.md
run "another name" 0 notes log --json
is '.logged == 1 and .found == 2'
page new >c.md
run "a file that had no notes" 0 notes log --json
is '.logged == 1 and .found == 3'
rm a.md
run "a file that is gone" 0 notes log --json
is '.found == 2'
run "… its dialog is not current any more" 0 notes list --path a.md --all --json
is '[.notes[].status] | index("current") == null'

sleep 2.1
run "remembered" 0 notes log --json
printf 'damaged' >>.conclave/notes.seen
run "a damaged memory is none" 0 notes log --json
is '.logged == 0 and .found == 2'
rm .conclave/notes.seen
run "nor is one that is gone" 0 notes log --json
is '.logged == 0 and .found == 2'
run "the doctor does not mind it" 0 doctor
finish
