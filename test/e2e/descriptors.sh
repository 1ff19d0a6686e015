#!/bin/sh
# descriptors.sh - operations of every room that may open too few files: each says so, or does all of its work.
# From the fewest descriptors that the program starts with up to those it needs.
. "$(dirname "$0")/lib.sh"
on_sqlite || skip_all "few descriptors" "not with this engine"
# The optimised program: a sanitizer opens files of its own.
program=$root/build/conclave
project seed
for agent in ada bob; do "$program" agent add $agent >/dev/null; done
"$program" dialogue create "A question" >/dev/null
"$program" mail send "hello there" --to bob --as ada --message-id first >/dev/null
"$program" chat open "what to bake" --participants Builder@ada,Judge@bob --id bake >/dev/null
"$program" chat send bake "Rye or wheat" --from Builder --type QUESTION >/dev/null
printf '#!/bin/sh\necho hello\n' >script.sh
"$program" notes header script.sh --speaker ada --target @everyone --message "said so" >/dev/null
[ "$("$program" search hello --json | jq .count)" -ge 1 ] && [ -n "$(ls .conclave/chat)" ] && grep -q "said so" script.sh
ok $? "a project with something in every room"
cat >"$work/operations" <<EOF
init
dialogue list
dialogue get a-question
dialogue create Another
dialogue export a-question
mail inbox bob
mail read first
mail send answer --to ada --as bob
mail claim bob
chat list
chat show bake
chat send bake Wheat --from Judge --type ANSWER
notes list
notes scan
notes header script.sh --speaker bob --target @everyone --message again --force
notes show 1
search hello
agent list
agent add carl
feed
verify
seal
doctor
backup $work/backup.db
export-scope dialogue a-question
EOF
advice="raise the limit (ulimit -n)"
while read -r operation; do
    most=0 few=3 hidden=
    while [ $most -eq 0 ] && [ $few -lt 40 ]; do
        few=$((few + 1))
        rm -rf "$work/now" "$work/backup.db"
        cp -r "$work/seed" "$work/now" && cd "$work/now" || exit 1
        # shellcheck disable=SC2086
        (exec </dev/null >"$out" 2>"$err" && ulimit -n $few && exec "$program" $operation)
        status=$?
        # A warning may say so, too, of what the next call does.
        if grep -qiF "too many open files" "$out" "$err"; then
            [ $status -eq 0 ] || grep -qF "$advice" "$out" "$err" || hidden=yes
        elif [ $status -eq 0 ]; then
            most=$few
        else
            hidden=yes
        fi
        if [ -n "$hidden" ]; then
            echo "#   $operation with $few descriptors: status $status"
            sed 's/^/#   /' "$err" "$out" | head -n 5
            most=-1
        fi
    done
    [ $most -gt 0 ]
    ok $? "$operation: too many open files, until there are enough"
done <"$work/operations"
finish
