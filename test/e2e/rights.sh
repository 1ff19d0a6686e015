#!/bin/sh
# rights.sh - the record is its owner's alone, whatever the umask; doctor names wider rights.
. "$(dirname "$0")/lib.sh"
needs_sqlite "the rights of the record's files"

# modes FILE...: their permissions, in one line
modes() { stat -c %a "$@" | tr '\n' ' '; }

for mask in 000 022 077 277 777; do
    mkdir "$work/u$mask" && cd "$work/u$mask" || exit 1
    (umask $mask && "$conclave" init >/dev/null && "$conclave" dialogue create Bread >/dev/null)
    [ "$(modes .conclave .conclave/conclave.db .conclave/conclave.db-watermark .conclave/.gitignore)" = "700 600 600 600 " ]
    ok $? "umask $mask: the folder and what is in it are private"
    (umask $mask && "$conclave" backup copy.db >/dev/null && "$conclave" restore copy.db >/dev/null)
    [ "$(modes copy.db .conclave/conclave.db .conclave/conclave.db.before-restore-*)" = "600 600 600 " ]
    ok $? "umask $mask: so is a backup, and what a restore keeps"
done

# SQLite's own files follow the database. A server that is stopped hard leaves them there.
cd "$work/u000" || exit 1
(
    umask 000
    printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
        '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"blue_dialogue_create","arguments":{"title":"Wine"}}}'
    await [ -e "$work/looked" ]
) | "$conclave" mcp >"$out" 2>"$err" &
await grep -q '"id":2' "$out"
[ "$(modes .conclave/conclave.db-wal .conclave/conclave.db-shm)" = "600 600 " ]
ok $? "the log and its index are private"
touch "$work/looked"
wait

run "a private project" 0 doctor --json
is '[.findings[] | select(.check == "rights")] == []'
chmod 755 .conclave
chmod 644 .conclave/conclave.db
run "others may read" 0 doctor --json
is '[.findings[] | select(.check == "rights") | .level] == ["note"]'
is '[.findings[] | select(.check == "rights") | .message][0] | contains(".conclave (755)") and contains("conclave.db (644)")'
is '[.findings[] | select(.check == "rights") | .do][0] | startswith("chmod -R go-rwx ")'
chmod 666 .conclave/conclave.db
run "others may write" 0 doctor --json
is '[.findings[] | select(.check == "rights") | .level] == ["warning", "note"]'
sh -c "$(jq -r '[.findings[] | select(.check == "rights") | .do][0]' "$out" | sed 's/;.*//')"
run "after the command that it names" 0 doctor --json
is '[.findings[] | select(.check == "rights")] == []'
chmod 755 .conclave
run "init changes no rights that were given" 0 init
[ "$(modes .conclave)" = "755 " ]
ok $? "init changes no rights that were given: 755"
if [ "$(id -u)" -eq 0 ]; then
    chown 65534 .conclave/conclave.db
    run "a file of another user" 0 doctor --json
    is '[.findings[] | select(.check == "rights") | .message] | any(contains("conclave.db (user 65534)"))'
fi

# A link in the place of any file of the record is refused, and nothing is made where it leads.
mkdir "$work/links" "$work/elsewhere" && cd "$work/links" && "$conclave" init >/dev/null || exit 1
for end in -wal -shm -watermark -turn -journal; do
    rm -f ".conclave/conclave.db$end"
    ln -s "$work/elsewhere/file" ".conclave/conclave.db$end"
    run "conclave.db$end is a link" 1 agent add "a$end"
    has "is a symbolic link" err
    [ -z "$(ls "$work/elsewhere")" ]
    ok $? "conclave.db$end is a link: nothing is made where it leads"
    rm ".conclave/conclave.db$end"
done

# Something else in the place of a room's folder fails only what needs that folder; doctor names it, and nothing is made
# where a link leads.
cd "$work/links" && "$conclave" agent add kim >/dev/null && "$conclave" agent add lee >/dev/null || exit 1
"$conclave" chat open first --participants A@lee --id first >/dev/null
"$conclave" dialogue create "First" --expert Baker >/dev/null

# replaced FORM FOLDER...: there is a link, or a file, in their places; put_back: the folders themselves
replaced() {
    form=$1
    shift
    mkdir "$work/kept"
    for folder in "$@"; do
        mv ".conclave/$folder" "$work/kept"
        if [ "$form" = link ]; then ln -s "$work/elsewhere" ".conclave/$folder"; else echo x >".conclave/$folder"; fi
    done
}
put_back() {
    [ -z "$(ls "$work/elsewhere")" ]
    ok $? "$form: nothing is made where it leads"
    for folder in $(ls "$work/kept"); do rm ".conclave/$folder" && mv "$work/kept/$folder" .conclave; done
    rmdir "$work/kept"
}
# unaffected COMMAND...: each is done, with words that have a colon between them
unaffected() {
    for command in "$@"; do
        # shellcheck disable=SC2046 # a command has several words
        "$conclave" $(echo "$command" | tr : ' ') >"$out" 2>"$err" || grep -q "run_not_found" "$err"
        ok $? "$form in the place of folders: $command"
    done
}
# fails FOLDER WORD...: a command that needs the folder names it, and says what to do
fails() {
    folder=$1
    shift
    "$conclave" "$@" >"$out" 2>"$err"
    [ $? -ne 0 ] && grep -q "\.conclave/$folder" "$err" && grep -qE "replace the link|move it away" "$err"
    ok $? ".conclave/$folder is a $form: $* fails, and says what to do"
}
for form in link file; do
    replaced $form mail chat dialogues runs
    unaffected agent:list search:first feed:--last:1 verify dialogue:list
    fails mail mail watch
    fails chat chat read first --as A
    fails dialogues dialogue round-prompts first
    run "all of them are a $form: doctor" 1 doctor --json
    is '[.findings[] | select(.check == "project" and .level == "error") | .what] | sort
        == [".conclave/chat", ".conclave/dialogues", ".conclave/mail", ".conclave/runs"]'
    put_back
done
replaced link chat dialogues runs
unaffected mail:inbox:kim
put_back
replaced file mail dialogues runs
unaffected chat:list run:status:first
put_back
for form in link file; do
    replaced $form runs
    fails runs run first --agent cat
    put_back
done

# Somebody who truncates the file of those who wait to write ends none of them.
mkdir "$work/cut" && cd "$work/cut" && "$conclave" init >/dev/null || exit 1
python3 -c 'while True: open(".conclave/conclave.db-turn", "w").close()' &
cutter=$!
for writer in a b c d; do
    (
        for n in 1 2 3 4 5 6 7 8; do "$program" agent add "$writer$n" >/dev/null 2>>"$work/cut.err" || echo "$writer$n: $?"; done
    ) >"$work/cut.$writer" &
    writers="${writers-} $!"
done
# shellcheck disable=SC2086
wait $writers
kill "$cutter"
wait "$cutter" 2>/dev/null
cat "$work"/cut.? >"$out"
[ ! -s "$out" ] || sed 's/^/# /' "$out" "$work/cut.err" | head -n 20
[ ! -s "$out" ] && [ "$("$conclave" agent list --json | jq '.agents | length')" -eq 32 ]
ok $? "a file of those who wait that is truncated all the time ends nobody"
finish
