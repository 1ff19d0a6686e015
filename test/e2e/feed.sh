#!/bin/sh
# feed.sh - every commit once, in order: pages, positions, rooms, waiting, and a reader that follows two writers.
. "$(dirname "$0")/lib.sh"
project
run "an empty record" 0 feed --json
is '. == {"entries": [], "position": "start", "more": false}'
run "from the start" 0 feed --after start --json
is '.entries == []'
nvidia
run "all" 0 feed --json
is '[.entries[].rev] == [range(1; 11)] and (.more | not)'
is '[.entries[].position] | unique | length == 10'
is '.position == .entries[9].position'
is '.entries[0] | .room == "dialogue" and .scope == "nvidia-decision" and .operation == "dialogue create" and .who == ["judge"]'
is 'all(.entries[]; (.head | length) == 64)'
cp "$out" all.json

# ---- pages give the same, whatever their size
for size in 1 3 4 9 10 11; do
    at=start
    : >pages
    while :; do
        "$conclave" feed --after "$at" --limit "$size" --json >page 2>"$err" || break
        jq -c '.entries[]' page >>pages
        at=$(jq -r .position page)
        [ "$(jq .more page)" = true ] || break
    done
    jq -c '.entries[]' all.json | cmp -s - pages
    ok $? "pages of $size are the whole feed"
done
run "the present position" 0 feed --limit 0 --json
is '.entries == [] and (.more | not)'
[ "$(jq -r .position "$out")" = "$(jq -r .position all.json)" ]
ok $? "the present position: that of the last commit"
last=$(jq -r .position all.json)
run "nothing new" 0 feed --after "$last"
has "nothing new"
has "next: --after $last"

# ---- for people
run "lines" 0 feed --limit 2
has "dialogue nvidia-decision         1 create           judge"
has "more: --after "
[ "$(LC_ALL=C.UTF-8 wc -L <"$out")" -le 80 ]
ok $? "lines: at most 80 columns"

# ---- rooms and scopes
run "of a room" 0 feed --room dialogue --scope nvidia-decision --limit 2 --json
is '(.entries | length) == 2 and .more'
run "of a scope that is not there yet" 0 feed --room dialogue --scope later --json
is '.entries == [] and (.more | not)'
[ "$(jq -r .position "$out")" = "$last" ]
ok $? "of a scope that is not there yet: the position moves on behind the others"
run "of no room" 1 feed --room kitchen --json
is '.field == "room" and (.valid_options | index("dialogue") and index("project"))'
run "a scope without its room" 1 feed --scope later --json
is '.error_code == "missing_field" and .field == "room"'

# ---- positions that are none
for at in 0 1 11-abc 999999999999-000000000000 99999999999999999999999999-000000000000 -1 10-0000000000 START " start" "$last "; do
    run "the position '$at'" 1 feed --after "$at" --json
    is '.field == "after" and .error_code == "invalid_value"'
done
run "an empty position" 1 feed --after "" --json
is '.field == "after" and .error_code == "invalid_value"'
run "… with --limit 0" 1 feed --after 3-nothing --limit 0 --json
is '.field == "after"'
mkdir ../other && (cd ../other && "$conclave" init >/dev/null && "$conclave" dialogue create Another >/dev/null)
foreign=$(cd ../other && "$conclave" feed --limit 0 --json | jq -r .position)
run "a position of another record" 1 feed --after "$foreign" --json
is '.suggestion == "read the feed again from its beginning"'

# ---- waiting
run "nothing comes" 0 feed --after "$last" --wait 1 --json
is '.entries == []'
"$conclave" feed --after "$last" --wait 60 --json >waited 2>"$err" &
waiting=$!
"$conclave" dialogue create "Something new" --json >/dev/null
wait $waiting
ok $? "waiting ends"
jq -e '[.entries[].scope] == ["something-new"]' waited >/dev/null
ok $? "waiting: what has come"
"$conclave" feed --after "$last" --room dialogue --scope later --wait 60 --json >waited 2>"$err" &
waiting=$!
"$conclave" dialogue create "In between" --json >/dev/null
"$conclave" dialogue create Later --json >/dev/null
wait $waiting
jq -e '[.entries[].scope] == ["later"]' waited >/dev/null
ok $? "waiting for one scope: others do not end it"

# ---- a reader in a loop, two writers: each commit once, in the order of the feed
at=$("$conclave" feed --limit 0 --json | jq -r .position)
from=$at
for writer in a b; do
    (for i in 1 2 3 4 5 6; do "$conclave" dialogue create "$writer $i" --json >/dev/null 2>&1; done) &
done
: >followed
for _ in $(seq 100); do
    "$conclave" feed --after "$at" --wait 10 --limit 5 --json >page 2>"$err" || break
    jq -c '.entries[]' page >>followed
    at=$(jq -r .position page)
    [ "$(wc -l <followed)" -lt 12 ] || break
done
wait
"$conclave" feed --after "$from" --json | jq -c '.entries[]' | cmp -s - followed
ok $? "who follows sees each commit once, in order"
[ "$(jq -r .scope followed | sort -u | wc -l)" = 12 ]
ok $? "… all of them"
finish
