#!/bin/sh
# postgres_rooms.sh - every room on a server: the record of a project with all of them moves from a file to a server and
# back, killed on the way; each scope has the same bytes everywhere; who has the least rights works in all of them.
. "$(dirname "$0")/lib.sh"
needs_sqlite "all rooms on PostgreSQL" # they begin in a file here
needs_postgres "all rooms on PostgreSQL"
fresh_store
base=${store%&schema=*} schema=${store##*schema=}
sql() { PGOPTIONS="-c client_min_messages=warning" psql -qAtX "$base" -c "$1"; }
quiet() { "$conclave" "$@" >"$out" 2>"$err" || ok 1 "the rooms: $*"; }

# ---- something in every room -----------------------------------------------------------------------------------------

project rooms
nvidia
quiet agent add hub
quiet agent add ada
quiet agent alias ada lovelace
quiet mail send --from User --to hub --message-id m1 "to be done" --json
quiet mail plan --from hub --plan p1 --tasks '[{"task_id": "t1", "action": "a", "target_agent": "ada"}, {"task_id": "t2", "action": "b", "target_agent": "ada", "depends_on": ["t1"]}]'
quiet chat open "rooms" --participants A@x,B@y --id c1
quiet chat send c1 --from A@x --type TASK --body "look at it"
quiet chat read c1 --as B@y
printf -- '---\ndialog:\n  speaker: ada\n  target: "@everyone"\n  mood: "0000FF"\n  message: "the first header"\n---\n# A file\n' >note.md
quiet notes log note.md
quiet run nvidia-decision --agent "echo NO CONTRIBUTION" --judge human --step
run "all rooms" 0 verify --json
jq -r '.scopes[] | "\(.room) \(.name)"' "$out" | sort >"$work/scopes"
[ "$(cut -d ' ' -f 1 "$work/scopes" | sort -u | tr '\n' ' ')" = "chat dialogue mail notes project run " ]
ok $? "they are in the record: $(tr '\n' ';' <"$work/scopes")"

# exports FOLDER: every scope as one file.
exports() {
    rm -rf "${work:?}/$1" && mkdir "$work/$1"
    place=0
    while read -r room scope; do
        place=$((place + 1))
        "$conclave" export-scope "$room" "$scope" --output "$work/$1/$place-$room.json" >/dev/null 2>"$err" </dev/null || ok 1 "export-scope $room $scope"
    done <"$work/scopes"
}
# same NAME FOLDER: those of now are the ones of the beginning.
same() {
    exports "$2"
    diff -rq "$work/before" "$work/$2" | sed 's/^/#   /'
    diff -rq "$work/before" "$work/$2" >/dev/null && [ "$(find "$work/$2" -type f | wc -l)" -eq "$(wc -l <"$work/scopes")" ]
    ok $? "$1: every scope of every room has the same bytes"
}
exports before

# ---- to the server, killed on the way --------------------------------------------------------------------------------

# Its connection is cut after so many messages to the server, and it is killed while it makes another one.
dir=$work/server && "$server" start "$dir" --memory --owner $$ >/dev/null || exit 1
proxy_to "$dir"
quiet init "$work/made" --store "$proxied&schema=all"
proxy reset >/dev/null
is_cut() { case $(proxy count) in *"cuts 0"*) ! kill -0 $pid ;; esac; }
for at in 80 160 240; do
    proxy "cut message $at" >/dev/null
    "$conclave" copy --to "$proxied&schema=all" >/dev/null 2>&1 &
    pid=$!
    await is_cut
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    proxy reset >/dev/null
done
proxy "cut never" >/dev/null
run "copied after that" 0 copy --to "$proxied&schema=all" --switch --json
is ".switched and .scopes == $(wc -l <"$work/scopes") and .added < .scopes"
same "on the server" there
run "it verifies there" 0 verify
run "doctor" 0 doctor --json
is '.healthy'
run "a backup" 0 backup "$work/all.db"

# ---- in another project, back in a file ------------------------------------------------------------------------------

mkdir "$work/other" && cd "$work/other" || exit 1
quiet init
run "the backup in another project" 0 restore "$work/all.db"
same "from the backup" restored
cd "$work/rooms" || exit 1
run "back into a file" 0 copy --to sqlite --switch --json
is '.switched and .added == 0'
same "in the file again" again
run "it verifies here" 0 verify
quiet mail send --from User --to hub --message-id m2 "after it"

# ---- a user with the least rights, as docs/postgres.md grants them ---------------------------------------------------

run "to the server of the run" 0 copy --to "$base&schema=$schema" --switch --json
sed -n "/^GRANT/,/;\$/p" "$root/docs/postgres.md" | sed "s/\\bconclave\\b/$schema/g; s/TO $schema;/TO u_$schema;/" >"$work/grants"
sql "CREATE ROLE u_$schema LOGIN; $(cat "$work/grants")"
ok $? "the grants of the page: $(grep -c GRANT "$work/grants")"
echo "store = \"postgresql://u_$schema@/${base#*@/}&schema=$schema\"" >.conclave/config
chmod 600 .conclave/config
run "with the least rights: doctor" 0 doctor --json
is '.healthy and ([.findings[] | select(.check == "rights" and .level == "ok")] | length == 1)'
run "… a dialogue" 0 dialogue create "By the user" --expert "Reader: what it says"
response='{"dialogue_id": "by-the-user", "expert": "muffin", "content": "[MUFFIN-P0001: Words] It says something.", "op_id": "r1"}'
run "… a response" 0 dialogue respond --data "$response" --json
jq -S 'del(.rev)' "$out" >"$work/answered"
run "… the same again" 0 dialogue respond --data "$response" --json
is '.replayed'
jq -S 'del(.rev, .replayed)' "$out" | cmp -s - "$work/answered"
ok $? "$name: the answer is as it was"
run "… mail" 0 mail send --from User --to ada --message-id m3 "by the user"
run "… a claim" 0 mail claim hub --json
run "… a chat" 0 chat send c1 --from B@y --type DONE --body "by the user"
run "… which is read" 0 chat read c1 --as A@x
sed 's/first/second/' note.md >note.new && mv note.new note.md
run "… notes" 0 notes log note.md --json
run "… a run" 0 run status nvidia-decision
run "… a search" 0 search "user" --json
is '.count >= 2'
run "… an agent" 0 agent add eve
run "… all of it verifies" 0 verify
finish
