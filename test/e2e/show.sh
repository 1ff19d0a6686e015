#!/bin/sh
# show.sh - what `make run` shows: the tour and the server; a second one, a port that is taken, the end.
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 1

# begin FOLDER: shows it in the background, until it says where it listens.
begin() {
    rm -f "$out"
    BROWSER=$work/browser tools/show "$work/$1" >"$out" 2>"$err" &
    show=$!
    await grep -q "listens on" "$out"
}

printf '#!/bin/sh\necho "$1" >"%s/shown"\n' "$work" >"$work/browser"
chmod +x "$work/browser"
begin one
name="the tour"
has "== round 2"
has "The sample is in $work/one"
has "Conclave listens on http://127.0.0.1:"
silent err
first=$show
url=$(sed -n 's/.*listens on \(http[^ ]*\).*/\1/p' "$out")
await [ -s "$work/shown" ]
[ "$(cat "$work/shown")" = "$url" ]
ok $? "$name: the browser is shown the address"
# Every room has something that wants attention.
for filter in 'dialogue/list|[.dialogues[].status] | sort == ["converged","open"]' 'mail/stats|.dead == 1 and .waiting > 2' \
    'mail/graph?plan=queue-move|[.tasks[].status] | unique | length == 3' \
    'chat/list|.chats | length == 1' 'notes/stale|.changed == 1'; do
    curl -s "$url/api/${filter%%|*}" | jq -e "${filter#*|}" >/dev/null
    ok $? "the sample: ${filter%%|*}"
done
before=$(find "$work/one" -type f -exec md5sum {} + | sort | md5sum)
tools/show "$work/one" >"$out" 2>"$err"
ok $? "a second one ends at once"
name="a second one"
has "'make run' is running already"
has "$url"
silent err
[ "$(find "$work/one" -type f -exec md5sum {} + | sort | md5sum)" = "$before" ]
ok $? "$name: it leaves the first one's sample alone"

begin two
name="the usual port is taken"
has "8417"
has "so a port that is free is taken"
silent err
for show in "$first" "$show"; do
    kill "$show"
    wait "$show"
    ok $? "it ends quietly when it is told to"
done
[ ! -e "$work/one.address" ] && [ ! -e "$work/two.address" ]
ok $? "no address is left over"
finish
