#!/bin/sh
# chat_lock.sh - the lock of a chat: hands and processes, the queue, dead owners, two files, forcing, watching.
. "$(dirname "$0")/lib.sh"
project
folder=.conclave/chat
run "a watcher before the first commit gets a cursor" 2 chat watch --duration 0 --json
cursor=$(jq -r .cursor "$out")
run "a chat" 0 chat open "locked" --participants A@x,B@y --id c1 --json
run "from there nothing is missed" 0 chat watch --since "$cursor" --duration 0 --json
is '.changed[0].chat_id == "c1" and .changed[0].kind == "created"'
file=$folder/temp_chat_c1.txt editing=$folder/temp_chat_c1_editing.txt lock=$folder/.wf/c1.lock
run "one message" 0 chat send c1 --from A@x --type T --body one --json
[ ! -s "$lock" ] && [ ! -e "$editing" ] && [ "$(ls "$folder/.wf")" = "c1.lock" ]
ok $? "nothing is left of a lock"

# ---- a hand holds it ---- checklist 40, 41
mv "$file" "$editing"
run "it can be read" 0 chat peek c1 --as B@y --json
is '[.messages[].body] == ["one"] and .locked and .warnings[0].type == "chat_locked"'
cp "$editing" before
run "a message waits in the record" 0 chat send c1 --from A@x --type T --body two --wait 0 --json
is '.state == "queued" and .ticket == 1 and .warnings[0].type == "chat_locked"'
run "and the next one behind it" 0 chat send c1 --from A@x --type T --body three --wait 0 --json
is '.ticket == 2'
run "with an op_id" 0 chat send c1 --from A@x --type T --body four --wait 0 --op-id o4 --json
is '.state == "queued" and .ticket == 3'
cmp -s before "$editing"
ok $? "nothing was written beside the hand"
run "reading waits, and gives up in time" 1 chat read c1 --as B@y --wait 1 --json
is '.error_code == "chat_locked" and (.message | contains("by hand since"))'
run "how many wait" 0 chat list --json
is '.chats[0].queued == 3 and .chats[0].locked'
run "unlock tells who has it" 1 chat unlock c1 --json
is '.error_code == "chat_locked" and (.suggestion | contains("force"))'
printf '[M0002] FROM:B@y | TYPE:T | FLAG:UNREAD\nby hand\n' >>"$editing"
mv "$editing" "$file"
run "the next call of anybody delivers" 0 chat peek c1 --as A@x --json
grep -A1 '^\[M' "$file" | grep -v '^\[M\|^--' | tr '\n' ' ' | grep -qx 'one by hand two three four '
ok $? "in the order in which they were sent, behind what the hand wrote"
run "the op_id tells what became of it" 0 chat send c1 --from A@x --type T --body four --wait 0 --op-id o4 --json
is '.state == "sent" and .message == "M0005" and .replayed'
run "nothing was sent twice" 0 chat show c1 --json
is '[.messages[].body] == ["one", "by hand", "two", "three", "four"]'
mv "$file" "$editing"
(sleep 1; mv "$editing" "$file") &
run "who waits long enough sends at once" 0 chat send c1 --from A@x --type T --body six --wait 30 --json
is '.state == "sent" and .message == "M0006"'
wait

# ---- forced ---- checklist 43
mv "$file" "$editing"
run "forced, with a trace" 0 chat unlock c1 --force --reason "the agent is gone" --json
is '.unlocked and .holder == "somebody, by hand"'
[ -e "$file" ] && [ ! -e "$editing" ]
ok $? "the file has its name again"
run "nobody has it" 0 chat unlock c1 --json
is '.unlocked == false and .holder == "nobody"'
run "the trace" 0 export-scope chat "$file" --json
grep -q '"unlocked"' "$out" && grep -q "the agent is gone" "$out"
ok $? "who, and why, is in the record"

mv "$file" "$editing"
"$conclave" chat read c1 --as B@y --wait 20 >/dev/null 2>&1 &
waiter=$!
sleep 1
run "also while others wait for it" 0 chat unlock c1 --force --json
is '.unlocked and .holder == "somebody, by hand"'
wait $waiter
ok $? "and who waited goes on"

# ---- a dead process of ours ----
boot=$(cat /proc/sys/kernel/random/boot_id)
dead() { echo "$1 999999 $(($(date +%s%3N) + ${2:-0})) $boot host/machine" >"$lock"; }
mv "$file" "$editing"
dead taken
printf 'half' >"$folder/.wf/c1.new"
run "taken by one that died: every call gives it back" 0 chat peek c1 --as B@y --json
is '.locked == null'
[ -e "$file" ] && [ ! -s "$lock" ] && [ ! -e "$folder/.wf/c1.new" ]
ok $? "nothing of it is left"
dead taking
mv "$file" "$editing"
run "died right after the rename" 0 chat send c1 --from A@x --type T --body seven --wait 0 --json
is '.state == "sent"'
dead taking -60000
mv "$file" "$editing"
run "died before it; a hand took the lock later" 0 chat send c1 --from A@x --type T --body eight --wait 0 --json
is '.state == "queued"'
mv "$editing" "$file"
dead releasing 60000
mv "$file" "$editing"
run "died while it gave it back" 0 chat peek c1 --as B@y --json
is '.locked == null'
dead releasing -60000
mv "$file" "$editing"
run "had given it back; a hand took it since" 0 chat peek c1 --as B@y --json
is '.locked'
mv "$editing" "$file"
: >"$lock"
mv "$file" "$editing"
echo "taken 1 $(($(date +%s) * 1000)) another-boot another-host/another-machine" >"$lock"
run "of another machine: not ours to judge" 0 chat send c1 --from A@x --type T --body nine --wait 0 --json
is '.state == "queued"'
run "but it can be forced" 0 chat unlock c1 --force --json
is '.unlocked and (.holder | contains("another-host"))'
run "delivered" 0 chat show c1 --json
is '[.messages[-2:][].body] == ["eight", "nine"]'
run "dense" 0 chat check c1 --json
is '.findings == []'

# ---- a file was made while it was locked ---- checklist 44
mv "$file" "$editing"
printf '# CHAT v3\nsomebody else\n' >"$file"
cp "$editing" before
run "both are kept, the message waits" 0 chat send c1 --from A@x --type T --body ten --wait 0 --json
is '.state == "queued" and .warnings[0].type == "chat_conflict"'
cmp -s before "$editing" && grep -q "somebody else" "$file"
ok $? "nothing was overwritten"
run "check tells it" 1 chat check c1 --json
is '[.findings[].code] | index("chat_conflict")'
run "somebody must decide" 1 chat unlock c1 --force --json
is '.error_code == "chat_conflict" and .field == "keep"'
run "decided" 0 chat unlock c1 --force --keep editing --json
is '.kept == ".wf/c1.kept-1.txt"'
grep -q "somebody else" "$folder/.wf/c1.kept-1.txt"
ok $? "the other one is kept"
run "and the message is delivered" 0 chat show c1 --json
is '.messages[-1].body == "ten"'

# ---- watching ----
run "nothing happens" 2 chat watch --duration 0
head -n 1 "$out" | grep -qE '^\[SESSION_WATCH\] no_change duration_expired at=[0-9T:-]+\+00:00 workflow=none$'
ok $? "the first of two lines"
sed -n 2p "$out" | jq -e '.event == "timeout" and .changed == [] and .cursor' >/dev/null
ok $? "the second one is JSON"
cursor=$(sed -n 2p "$out" | jq -r .cursor)
"$conclave" chat send c1 --from A@x --type T --body eleven >/dev/null
run "what was said before it started is not missed" 0 chat watch --since "$cursor" --duration 0
grep -q '^\[SESSION_WATCH\] changed=1 at=' "$out" && sed -n 2p "$out" | jq -e '.changed[0] | .kind == "modified" and (.messages | length == 1)' >/dev/null
ok $? "it says which message"
cursor=$(sed -n 2p "$out" | jq -r .cursor)
mv "$file" "$editing"
mv "$editing" "$file"
touch "$file"
run "a lock and a touched file are no change" 2 chat watch --since "$cursor" --duration 0
run "what is not read yet counts" 0 chat watch --as B@y --duration 0 --json
is '.event == "changed" and (.changed[0].messages | length) > 3'
"$conclave" chat read c1 --as B@y >/dev/null
run "what is read does not" 2 chat watch --as B@y --duration 0 --json
(
    sleep 1
    mv "$file" "$editing"
    printf '[M%04d] FROM:A@x | TYPE:T | FLAG:UNREAD\nwoken\n' "$(($(grep -c '^\[M' "$editing") + 1))" >>"$editing"
    sleep 1
    mv "$editing" "$file"
) &
run "woken by a hand, when it is done" 0 chat watch --as B@y --duration 30 --json
is '.changed[0].messages | length == 1'
wait
run "what cannot be watched" 3 chat watch --workflow nothing --duration 0
head -n 1 "$out" | grep -q '^\[SESSION_WATCH\] config_error at='
ok $? "says so"

# ---- resources ----
name="a subscription"
{
    echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    echo '{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"conclave://chat/c1"}}'
    echo '{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"conclave://chat/c1"}}'
    await grep -q '"id":3' "$out"
    printf '[M%04d] FROM:A@x | TYPE:T | FLAG:UNREAD\nnoticed\n' "$(($(grep -c '^\[M' "$file") + 1))" >>"$file"
    await grep -q resources/updated "$out"
} | "$conclave" mcp --rooms chat >"$out" 2>"$err"
grep -q '"method":"notifications/resources/updated","params":{"uri":"conclave://chat/c1"}' "$out"
ok $? "hears of what a hand has written"
grep '"id":3' "$out" | jq -e '.result.contents[0].text | fromjson | .chat_id == "c1"' >/dev/null
ok $? "$name: the resource is the chat"
# ---- something else where the locks are ----
wf=$folder/.wf
run "a chat beside it" 0 chat open "planted" --participants A@x,B@y --id pl --json
mkdir -p outside && rm -rf "$wf.away" && mv "$wf" "$wf.away" && ln -s "$PWD/outside" "$wf"
run "a link instead of the folder" 2 chat send pl --from A@x --type T --body x --json
is '.error_code == "not_a_file" and (.message | contains(".wf"))'
rm "$wf" && mkdir "$wf"
for plant in "mkfifo" "mkdir" "ln -s $PWD/outside/lock"; do
    $plant "$wf/pl.lock"
    run "planted with $plant" 2 chat send pl --from A@x --type T --body x --json
    is '.error_code == "not_a_file" and (.message | contains("pl.lock"))'
    rm -r "$wf/pl.lock"
done
ln -s "$PWD/outside/new" "$wf/pl.new"
run "a link where the new version is written" 0 chat send pl --from A@x --type T --body x --json
[ -z "$(ls -A outside)" ]
ok $? "nothing outside was touched"

# ---- a process that was stopped, when it had given the file back ---------------------------------------------------
flock "$wf/pl.lock" sh -c 'echo $$ >held && exec sleep 60' &
until [ -s held ]; do sleep 0.02; done
run "somebody has the turn, and nobody the file" 0 chat send pl --from A@x --type T --body y --json
is '.state == "queued"'
run "a reader" 1 chat read pl --as A@x --json
is '.error_code == "chat_locked" and (.message | contains("locked by another process"))'
kill "$(cat held)"

finish
