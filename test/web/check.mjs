// check.mjs - the dashboard in a real browser: what people see, with hostile content, on every width, by keyboard. TAP.
//
//     node test/web/check.mjs URL CONCLAVE DIALOGUE     the project of test/e2e/web.sh; the dialogue is hostile in every field
import { createRequire } from "node:module";
import { spawnSync } from "node:child_process";

const need = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = need("playwright-core");
const axe = need.resolve("axe-core/axe.min.js");
const url = process.argv[2];
const conclave = process.argv[3];

let number = 0;
function ok(passed, name, more = "") {
  number++;
  console.log(`${passed ? "ok" : "not ok"} ${number} - ${name}`);
  if (!passed && more) console.log(String(more).replace(/^/gm, "#   "));
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const complaints = [];
async function open(hash, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  page.on("console", (m) => m.type() === "error" && complaints.push(`${hash}: ${m.text()}`));
  page.on("pageerror", (e) => complaints.push(`${hash}: ${e}`));
  page.on("dialog", (d) => complaints.push(`${hash}: a dialog: ${d.message()}`));
  await page.goto(`${url}/${hash}`);
  await page.waitForSelector("h1");
  return page;
}

// ---- every view ----
const views = {
  "#/": ["need attention", "1 dead letter of builder", "2 messages wait for ada", "Implementer@builder is blocked", "docs/cut-over.md was changed", "2 of 4 experts have answered", "NVIDIA Decision"],
  "#/dialogue": ["4 dialogues", "NVIDIA Decision"],
  "#/mail": ["1 dead letter.", "test/queue does not exist on this branch", "1 of 5 tasks completed", "Requeue"],
  "#/mail/ada": ["maintenance window", "2 waiting"],
  "#/chat": ["2 chats, 2 open."],
  "#/chat/cut-over": ["Implementer@builder is blocked", "Cleared by", "not read yet by all of: Owner@ada", "read by Consultant@tester"],
  "#/notes": ["5 notes in 3 files; 1 header is out of date.", "Who tells the customers?", "FF8800"],
  "#/sign-in": ["Nobody is signed in"],
  "#/dialogue/job-queue": ["round 1 waits for sam and ines", "Answer as an expert"],
  "#/dialogue/job-queue/rounds": ["Scoreboard", "my bias is known", "[KIM-P0001: One transaction is enough]"],
  "#/dialogue/nvidia-decision": ["Should Acme Trust swap", "Decided in round 2", "Scone disagrees", "Wait a quarter", "Growth vs income"],
  "#/dialogue/nvidia-decision/rounds": ["Round 0", "Opening Arguments", "Options Strategist"],
  "#/dialogue/nvidia-decision/graph": ["The same as a list", "Growth vs income"],
  "#/dialogue/nvidia-decision/tensions": ["4 closed, 0 open"],
  "#/dialogue/nvidia-decision/experts": ["Geopolitical Risk Analyst", "What became of it", "the row supports"],
  "#/dialogue/nvidia-decision/history": ["created", "resolved"],
  "#/dialogue/nvidia-decision/item/T0001": ["Growth vs income", "Referred to by"],
  "#/search?q=collar": ["where “collar” was said"],
};
for (const [hash, texts] of Object.entries(views)) {
  const page = await open(hash);
  for (const text of texts) {
    const seen = await page.getByText(text).locator("visible=true").first().waitFor({ timeout: 10000 }).then(() => true, () => false);
    ok(seen, `${hash}: ${text}`);
  }
  await page.close();
  const judged = await open(hash, { bypassCSP: true });
  await judged.getByText(texts[0]).locator("visible=true").first().waitFor();
  await judged.addScriptTag({ path: axe });
  const faults = await judged.evaluate(async () => {
    const { violations } = await window.axe.run();
    return violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => `${v.id}: ${v.nodes[0].html}`);
  });
  ok(faults.length === 0, `${hash}: axe finds nothing serious`, faults.join("\n"));
  await judged.close();
}

// ---- pixels: graph and charts are drawn ----
{
  const page = await open("#/dialogue/nvidia-decision/graph");
  const nodes = await page.locator(".graph .node").count();
  const paths = await page.locator(".graph .edge").count();
  ok(nodes === 16 && paths > 15, "the graph has its nodes and edges", `${nodes} nodes, ${paths} edges`);
  const shot = await page.locator(".graph").screenshot();
  await page.evaluate(() => document.querySelectorAll(".graph *").forEach((e) => e.remove()));
  const empty = await page.locator(".graph").screenshot();
  ok(shot.length > 2 * empty.length, "the graph is drawn", `${shot.length} and ${empty.length} bytes`);
  await page.close();
}

// ---- live: another process writes ----
{
  const page = await open("#/");
  await page.locator(".live.on").waitFor();
  spawnSync(conclave, ["dialogue", "create", "Appears by itself"]);
  const seen = await page.getByText("Appears by itself").first().waitFor({ timeout: 10000 }).then(() => true, () => false);
  ok(seen, "what another process writes appears without a reload");
  await page.close();
}

// ---- a person acts ----
// seen(page, text): shown within some seconds.
const seen = (page, text) => page.getByText(text).locator("visible=true").first().waitFor({ timeout: 10000 }).then(() => true, () => false);
{
  const page = await open("#/sign-in");
  await page.getByLabel("Name").fill("ada");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/#\/$/);
  ok(await seen(page, "need attention"), "who signs in is at home");
  await page.goto(`${url}/#/mail/planner`);
  await page.getByText("Write a message").click();
  const before = complaints.length; // a refusal is told in the console, too
  await page.getByLabel("To", { exact: true }).fill("plnner");
  await page.getByLabel("Message", { exact: true }).fill("x");
  await page.getByRole("button", { name: "Send" }).click();
  ok(await page.locator(".entry .red, .act .fault").first().waitFor({ timeout: 10000 }).then(() => true, () => false), "a message to nobody is refused at its field");
  complaints.splice(before);
  await page.getByLabel("To", { exact: true }).fill("planner");
  await page.getByLabel("Message", { exact: true }).fill("Sunday is fine <b>with me</b>.");
  ok(await seen(page, "conclave mail send --from ada"), "the command line for the same is shown");
  await page.getByRole("button", { name: "Send" }).click();
  ok(await seen(page, "Sunday is fine <b>with me</b>."), "mail of a person arrives, as text");
  await page.goto(`${url}/#/mail`);
  await page.getByRole("button", { name: "Requeue" }).click();
  ok(await seen(page, "None: nothing was given up."), "a dead letter is new again");
  await page.goto(`${url}/#/chat/cut-over`);
  await page.getByText("Say something").click();
  await page.getByLabel("Message", { exact: true }).fill("I decide on Friday.");
  await page.getByRole("button", { name: "Send" }).click();
  ok(await seen(page, "I decide on Friday."), "a chat message of a person arrives");
  await page.goto(`${url}/#/dialogue/job-queue`);
  for (const expert of ["sam", "ines"]) {
    if (expert === "sam") await page.getByText("Answer as an expert").click();
    await page.getByLabel("Expert", { exact: true }).selectOption(expert);
    await page.getByLabel("Response").fill(`[${expert.toUpperCase()}-P0101: Agreed by ${expert}]\nSo be it.\n[MOVE:CONVERGE]`);
    await page.getByRole("button", { name: "Hand in" }).click();
    if (expert === "sam") await seen(page, "round 1 waits for ines");
  }
  ok(await seen(page, "round 1 is complete"), "a person answers as an expert");
  await page.getByText("Register round 1").click();
  await page.getByLabel("Score of the round").fill("30");
  await page.getByLabel("Scores of the experts").fill("kim=10 noor=9 sam=6 ines=5");
  await page.getByRole("button", { name: "Register" }).click();
  ok(await seen(page, "round 2 waits for"), "a drafted round is registered", await page.locator(".fault").allInnerTexts());
  await page.getByText("Give a verdict").click();
  await page.getByLabel("Type", { exact: true }).selectOption("final");
  await page.getByLabel("Decision", { exact: true }).fill("Move, keys first");
  await page.getByLabel("Reasoning", { exact: true }).fill("Nobody objects any more.");
  await page.getByRole("button", { name: "Decide" }).click();
  ok(await seen(page, "Decided in round 1: Move, keys first"), "a verdict is given", await page.locator(".fault").allInnerTexts());
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "PNG" }).click()]);
  ok(download.suggestedFilename() === "job-queue.png", "a picture of a chart is saved");
  const [text] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Markdown" }).click()]);
  ok(text.suggestedFilename() === "job-queue.md", "the transcript is saved");
  await page.close();
}

// ---- hostile content stays text ----
{
  const evil = `#/dialogue/${encodeURIComponent(process.argv[4])}`;
  const page = await open("#/dialogue/hostile");
  for (const hash of ["#/", "#/dialogue", "#/mail", "#/mail/tester", "#/chat", "#/chat/hostile", "#/notes", "#/search?q=pwned", evil, `${evil}/rounds`, `${evil}/graph`, `${evil}/experts`, `${evil}/history`, `${evil}/item/P0001`]) {
    await page.goto(`${url}/${hash}`);
    const shown = await page.getByText("<img src=x").locator("visible=true").first().waitFor({ timeout: 5000 }).then(() => true, () => false);
    const safe = await page.evaluate(() => !window.pwned && !document.querySelector("main script, main img, main iframe, main [onload], main [onerror], main a[href^='javascript:']"));
    ok(safe, `${hash}: nothing hostile runs`);
    if (!/history|^#\/$|mail$|notes/.test(hash)) ok(shown, `${hash}: it is shown as text`);
    ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${hash}: it does not widen the page`);
  }
  await page.goto(`${url}/#/dialogue/hostile`);
  await page.waitForTimeout(300);
  ok(await page.evaluate(() => !window.pwned && !document.querySelector("main script, main img, main iframe, main svg[onload]")), "nothing of it runs");
  ok((await page.locator("a[href^='javascript:']").count()) === 0, "no link runs a script");
  ok(await page.getByText("<img src=x onerror=").first().isVisible(), "it is shown as text");
  ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "a giant word does not widen the page");
  await page.close();
}

// ---- keys, widths, colours ----
{
  const page = await open("#/dialogue");
  await page.locator("[data-row]").first().waitFor();
  await page.keyboard.press("j");
  ok(await page.evaluate(() => document.activeElement?.hasAttribute("data-row")), "j goes to a row");
  await page.keyboard.press("Enter");
  await page.waitForSelector("nav.tabs");
  ok(page.url().includes("#/dialogue/"), "Enter opens it");
  await page.keyboard.press("?");
  ok(await page.getByRole("dialog").isVisible(), "? shows the keys");
  await page.keyboard.press("Escape");
  ok((await page.getByRole("dialog").count()) === 0, "Esc closes them");
  await page.keyboard.press("/");
  await page.keyboard.type("collar");
  await page.keyboard.press("Enter");
  await page.getByText("was said").waitFor();
  ok(page.url().includes("search?q=collar"), "/ searches");
  await page.close();
}
for (const hash of ["#/", "#/dialogue/nvidia-decision", "#/mail", "#/chat/cut-over", "#/notes", "#/dialogue/nvidia-decision/rounds"]) {
  const page = await open(hash, { viewport: { width: 390, height: 844 } });
  await page.waitForTimeout(300);
  ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${hash}: fits a phone`);
  await page.close();
}
{
  const page = await open("#/", { colorScheme: "dark" });
  const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  ok(dark === "rgb(22, 24, 26)", "dark where the system is dark", dark);
  await page.close();
}
ok(complaints.length === 0, "no errors in the console", complaints.join("\n"));
await browser.close();
console.log(`1..${number}`);
