#!/bin/sh
# web.sh - the dashboard: its pages over HTTP, and in a real browser (test/web/check.mjs).
. "$(dirname "$0")/lib.sh"
needs_npm "the dashboard"
[ -x "$root/web/node_modules/.bin/tsc" ] || skip_all "the dashboard" "npm has not installed its packages"
[ -x /usr/bin/chromium ] || skip_all "the dashboard" "no browser"
(cd "$root/web" && "$node" node_modules/typescript/bin/tsc --noEmit) >"$work/types" 2>&1 &
typing=$!
# What the sample does is tested elsewhere: the optimised program makes it in a moment.
project
mkdir "$work/bin" && ln -s "$root/build/conclave" "$work/bin/conclave"
PATH=$work/bin:$PATH "$root/tools/sample" >"$out" 2>&1
ok $? "a project with something in every room"

"$conclave" serve --port 0 --json >"$work/said" 2>"$work/log" &
serving=$!
await [ -s "$work/said" ]
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
grep -qi "^Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self';" "$work/headers"
ok $? "$name: nothing from elsewhere runs, and nothing that stands in a page"
page "compressed" 200 /app.js -H 'Accept-Encoding: gzip'
grep -qi '^Content-Encoding: gzip' "$work/headers" && gzip -dc <"$out" | cmp -s - "$root/build/web/app.js"
ok $? "$name: it is the same"
tag=$(sed -n 's/^ETag: *//Ip' "$work/headers" | tr -d '\r')
page "what a browser has already" 304 /app.js -H 'Accept-Encoding: gzip' -H "If-None-Match: $tag"
page "no such page" 404 /app.jsx
page "no such page, POST" 404 /nothing -X POST
page "POST" 405 / -X POST
page "above the pages" 404 /../Makefile --path-as-is
page "another name" 403 / -H 'Host: evil.example'
"$node" "$root/test/web/check.mjs" "$url" "$program" "$root/build/asan/conclave_toy" "$work/reports" 2>&1 |
    sed -n -e 's/^ok [0-9]* - /ok /p' -e 's/^not ok [0-9]* - /not ok /p' -e '/^#/p' -e '/^[^on#1]/s/^/# /p' >"$work/views"
while read -r line; do
    case $line in
    "not ok "*) ok 1 "in the browser: ${line#not ok }" ;;
    "ok "*) ok 0 "in the browser: ${line#ok }" ;;
    *) echo "$line" ;;
    esac
done <"$work/views"
grep -qx "ok the browser has looked at everything" "$work/views"
ok $? "the browser has looked at everything"
kill $serving
wait $serving
ok $? "the server ends"

wait $typing
[ ! -s "$work/types" ]
ok $? "the types of the pages agree"
sed 's/^/#   /' "$work/types"
grep -rnE '[:<,|&(]\s*any\b|\bas any\b|@ts-ignore|@ts-nocheck' "$root/web/src" >"$out"
[ $? -eq 1 ]
ok $? "nothing is of type any"
# The graph's layout: everything has a place of its own, in the column of its round, and the steps grow with their number.
"$node" --input-type=module -e '
import { createRequire } from "node:module";
const { buildSync } = createRequire(process.argv[1] + "/web/package.json")("esbuild");
const { text } = buildSync({ entryPoints: [process.argv[1] + "/web/src/layout.ts"], bundle: true, write: false, format: "esm" }).outputFiles[0];
const { layers } = await import("data:text/javascript," + encodeURIComponent(text));
const graph = (n) => ({
  nodes: Array.from({ length: n }, (_, i) => ({ id: "n" + i, rank: i % 10 })),
  links: Array.from({ length: 2 * n }, (_, i) => ({ from: "n" + (i % n), to: "n" + ((i * 7919 + 13) % n) })),
});
const steps = (n) => {
  const { nodes, links } = graph(n);
  const get = Map.prototype.get;
  let count = 0;
  Map.prototype.get = function (key) { count++; return get.call(this, key); };
  const points = layers(nodes, links, { x: 100, y: 50 });
  Map.prototype.get = get;
  const places = new Set([...points.values()].map((p) => p.x + " " + p.y));
  if (places.size !== n || nodes.some((one) => points.get(one.id).x !== 100 * one.rank)) console.log("two in one place, or in another column");
  return count;
};
const [small, large] = [steps(1000), steps(8000)];
if (large > 8 * 1.6 * small) console.log("more than linear:", small, large);
console.log(small, "steps");
' "$root" >"$out" 2>&1
grep -qx '[0-9]* steps' "$out" && [ "$(wc -l <"$out")" -eq 1 ]
ok $? "1,000 nodes and 2,000 edges are laid out in few steps, each in its own place"
sed 's/^/#   /' "$out"
[ "$(cat "$root"/build/web/*.gz | wc -c)" -le 120000 ]
ok $? "all pages together have at most 120 KB, compressed"
finish
