#!/bin/sh
# api_attack.sh - generated requests against the HTTP API (test/web/attack.mjs).
. "$(dirname "$0")/lib.sh"
needs_npm "requests that nobody would send"
project
mkdir "$work/beside" folder && mkfifo fifo && ln -s "$work/beside" outside && ln -s loop loop && : >empty
echo '{"SECRET": [{"agent_id": "SECRET"}]}' >"$work/beside/secret.json"
echo '[SECRET-P0001: SECRET] @dialog SECRET' >"$work/beside/secret.md"
echo '# A text' >text.md && printf '\000\001' >binary && printf '\377' >not-utf8 && echo '{' >bad.json && echo '[[' >bad.toml
"$conclave" dialogue create "Over HTTP" >/dev/null
"$conclave" agent add reader >/dev/null && "$conclave" agent add talker --rooms chat >/dev/null
reader=$("$conclave" token add reader --read-only --json | jq -r .secret)
talker=$("$conclave" token add talker --json | jq -r .secret)
admin=0123456789abcdef0123456789abcdef
CONCLAVE_TOKEN=$admin "$conclave" serve --port 0 --json >"$work/said" 2>"$work/log" &
serving=$!
await [ -s "$work/said" ]
timeout 600 "$node" "$root/test/web/attack.mjs" "$(jq -r .url "$work/said")" $admin "$reader" "$talker" "$work/beside" >"$out" 2>"$err"
ok $? "all requests were made"
sed 's/^/#   /' "$err" | head -n 20
sed -n -e 's/^ok [0-9]* - /ok /p' -e 's/^not ok [0-9]* - /not ok /p' -e '/^#/p' "$out" >"$work/lines"
while read -r line; do
    case $line in
    "not ok "*) ok 1 "${line#not ok }" ;;
    "ok "*) ok 0 "${line#ok }" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$work/lines"
kill $serving
wait $serving
ok $? "the server ends"
! grep -q "$admin\|$reader\|$talker\|Sanitizer" "$work/log"
ok $? "no token in the log, and nothing for a sanitizer"
[ "$number" -ge 20 ]
ok $? "all of it was looked at"
finish
