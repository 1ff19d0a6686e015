#!/bin/sh
# outlet.sh - no operation writes over the record or over somebody's file, by whatever path it is named.
. "$(dirname "$0")/lib.sh"
project
run "create" 0 dialogue create "A" --json
ln -s .conclave link
echo mine >mine.txt
for path in .conclave/conclave.db .conclave/conclave.db-wal link/conclave.db ./.conclave/../.conclave/new.json; do
    run "export to $path" 1 dialogue export a --output-path "$path"
    has "the record's own folder" err
    run "backup to $path" 1 backup "$path" --force
    has "the record's own folder" err
done
run "a dialogue's files in the record's folder" 1 dialogue create "B" --output-dir .conclave
has "output_dir" err
run "export over another file" 1 dialogue export a --output-path mine.txt
has "there is another file of this name" err
[ "$(cat mine.txt)" = mine ]
ok $? "the file is as it was"
run "with force" 0 dialogue export a --output-path mine.txt --force --json
run "its own export again" 0 dialogue export a --output-path mine.txt --json
run "below the dialogues" 0 dialogue export a --output-path .conclave/dialogues/a.json --json
run "verify" 0 verify --json
is '.status == "success"'
finish
