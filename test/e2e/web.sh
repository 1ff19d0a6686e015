#!/bin/sh
# web.sh - the dashboard: its pages over HTTP, and in a real browser (test/web/check.mjs).
. "$(dirname "$0")/lib.sh"
needs_npm "the dashboard"
[ -x "$root/web/node_modules/.bin/tsc" ] || skip_all "the dashboard" "npm has not installed its packages"
[ -x /usr/bin/chromium ] || skip_all "the dashboard" "no browser"
project
nvidia
mkdir "$work/bin" && ln -s "$conclave" "$work/bin/conclave"
PATH=$work/bin:$PATH "$root/tools/sample" rooms >"$out" 2>&1
ok $? "a project with something in every room"
hostile='<img src=x onerror="window.pwned=1"><script>window.pwned=1</script> [click](javascript:window.pwned=1) <svg onload=window.pwned=1>'
"$conclave" dialogue create "Hostile" --question "$hostile $(printf '\342\200\256')$(head -c 400 /dev/zero | tr '\0' x)" >/dev/null
ok $? "a dialogue with a hostile question"
"$conclave" mail send --from builder --to tester "$hostile" >/dev/null &&
    "$conclave" mail send --from builder --to tester --command "$hostile" --params "$(jq -cn --arg h "$hostile" '{($h): $h}')" >/dev/null
ok $? "hostile mail"
"$conclave" chat open "$hostile" --participants A@ada,B@tester --id hostile >/dev/null &&
    "$conclave" chat send hostile --from A@ada --type QUESTION --body "$hostile" >/dev/null
ok $? "a hostile chat"
mkdir -p hostile && printf 'a = 1\n' >hostile/a.py &&
    "$conclave" notes header hostile/a.py --speaker eve --target @everyone --message '[click](javascript:window.pwned=1)' >/dev/null
ok $? "a hostile note" # what has <tags> is taken for a placeholder, and refused
"$conclave" dialogue create "$hostile" --expert-pool "$(jq -cn --arg h "$hostile" '{domain: $h, experts: [{slug: "eve", role: ($h[0:90]), tier: "Core", relevance: 0.9, focus: $h, description: $h}]}')" --json | jq -r .dialogue_id >"$work/evil"
evil=$(cat "$work/evil")
jq -n --arg h "$hostile" --arg d "$evil" '{dialogue_id: $d, round: 0, score: 1, title: ($h[0:60]), summary: $h, expert_scores: {eve: 1},
    perspectives: [{local_id: "EVE-P0001", label: ($h[0:60]), content: $h, contributors: ["eve"]}]}' | "$conclave" dialogue round-register --data - >"$out" 2>&1
ok $? "a dialogue that is hostile in every field"

(cd "$root/web" && "$node" node_modules/typescript/bin/tsc --noEmit) >"$out" 2>&1
ok $? "the types of the pages agree"
grep -rnE ':\s*any\b|as any\b|<any>' "$root/web/src" >"$out"
[ $? -eq 1 ]
ok $? "nothing is of type any"
[ "$(cat "$root"/build/web/*.gz | wc -c)" -le 120000 ]
ok $? "all pages together have at most 120 KB"

"$conclave" serve --port 0 --json >"$work/said" 2>"$work/log" &
serving=$!
for _ in $(seq 100); do
    [ -s "$work/said" ] && break
    sleep 0.1
done
url=$(jq -r .url "$work/said")
# page NAME STATUS PATH CURL-ARGUMENT...
page() {
    name=$1 wanted=$2 path=$3
    shift 3
    status=$(curl -s -o "$out" -D "$work/headers" -w '%{http_code}' "$@" "$url$path")
    [ "$status" = "$wanted" ]
    ok $? "$name: status $wanted"
}
page "the first page" 200 /
has '<div id="app">'
grep -qi "^Content-Security-Policy: default-src 'none'; script-src 'self'" "$work/headers"
ok $? "$name: nothing from elsewhere runs"
page "compressed" 200 /app.js -H 'Accept-Encoding: gzip'
grep -qi '^Content-Encoding: gzip' "$work/headers" && gzip -dc <"$out" | cmp -s - "$root/build/web/app.js"
ok $? "$name: it is the same"
page "no such page" 404 /app.jsx
page "no such page, POST" 404 /nothing -X POST
page "POST" 405 / -X POST
page "above the pages" 404 /../Makefile --path-as-is
page "another name" 403 / -H 'Host: evil.example'
"$node" "$root/test/web/check.mjs" "$url" "$program" "$evil" 2>&1 | sed -n -e 's/^ok [0-9]* - /ok /p' -e 's/^not ok [0-9]* - /not ok /p' -e '/^#/p' -e '/^[^on#1]/s/^/# /p' >"$work/views"
while read -r line; do
    case $line in
    "not ok "*) ok 1 "in the browser: ${line#not ok }" ;;
    "ok "*) ok 0 "in the browser: ${line#ok }" ;;
    *) echo "$line" ;;
    esac
done <"$work/views"
[ "$(grep -c '^ok ' "$work/views")" -ge 130 ]
ok $? "the browser has looked"
kill $serving
wait $serving
ok $? "the server ends"
finish
