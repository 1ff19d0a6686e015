// bench.mjs - the dashboard in a real browser, with a dialogue of 1,000 contributions: how long until people see something.
//
//     node test/web/bench.mjs URL make      makes the dialogue
//     node test/web/bench.mjs URL look      measures, and prints a line for each
import { createRequire } from "node:module";
import { makeLarge, post, ENTITIES } from "./large.mjs";

const TIMES = 5;
const [url, what] = process.argv.slice(2);
const median = (all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];
const say = (name, all, goal) => console.log(`  ${name.padEnd(46)} ${median(all).toFixed(0).padStart(6)} ms, at best ${Math.min(...all).toFixed(0)}${goal ? ` (goal: ${goal})` : ""}`);

if (what === "make") {
  await makeLarge(url);
  process.exit(0);
}

const need = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = need("playwright-core");
const { buildSync } = need("esbuild");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

// ---- first meaningful paint: the sentence stands there, and the browser has painted it ----
const paints = [];
for (let i = 0; i < TIMES; i++) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}/#/dialogue/large`);
  await page.waitForSelector(".lanes");
  paints.push(await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))));
  await page.close();
}
say("first meaningful paint, 1,000 items, 100 rounds", paints, "");

// ---- from a commit to the page ----
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.goto(`${url}/#/dialogue`);
await page.waitForSelector(".live.on");
const visible = [];
for (let i = 0; i < TIMES; i++) {
  const title = `Seen ${i} ${process.pid}`;
  const seen = page.waitForFunction((text) => document.body.innerText.includes(text), title, { polling: "raf" });
  const begin = performance.now();
  await post(url, "dialogue/create", { title });
  await seen;
  visible.push(performance.now() - begin);
}
say("from the request that registers to the page", visible, "");

// ---- the graph ----
const { outputFiles } = buildSync({ entryPoints: [new URL("../../web/src/layout.ts", import.meta.url).pathname], bundle: true, write: false, format: "iife", globalName: "layout" });
await page.addScriptTag({ content: outputFiles[0].text }).catch(() => undefined);
const free = await browser.newPage();
await free.addScriptTag({ content: outputFiles[0].text });
const placed = await free.evaluate(
  ([entities, times]) =>
    Array.from({ length: times }, () => {
      const nodes = Array.from({ length: entities }, (_, i) => ({ id: String(i), rank: Math.floor(i / 10) }));
      const links = Array.from({ length: 2 * entities }, (_, i) => ({ from: String(i % entities), to: String((i * 7919 + 13) % entities) }));
      const begin = performance.now();
      window.layout.layers(nodes, links, { x: 100, y: 50 });
      return performance.now() - begin;
    }),
  [ENTITIES, TIMES],
);
say("1,000 items and 2,000 references laid out", placed, "50 ms");
const drawn = [];
let counts = [];
for (let i = 0; i < TIMES; i++) {
  await page.goto(`${url}/#/dialogue/large`);
  await page.waitForSelector(".lanes");
  drawn.push(
    await page.evaluate(
      () =>
        new Promise((done) => {
          const begin = performance.now();
          location.hash = "#/dialogue/large/graph";
          const look = () => (document.querySelectorAll(".graph .node").length >= 1000 ? requestAnimationFrame(() => done(performance.now() - begin)) : requestAnimationFrame(look));
          look();
        }),
    ),
  );
  counts = await page.evaluate(() => [document.querySelectorAll(".graph .node").length, document.querySelectorAll(".graph .edge").length]);
}
say(`the graph drawn (${counts[0]} items, ${counts[1]} references)`, drawn, "300 ms");
await browser.close();
