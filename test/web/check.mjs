// check.mjs - the dashboard in a real browser: what people see, with hostile content, on every width, by keyboard. TAP.
//
//     node test/web/check.mjs URL CONCLAVE TOY FOLDER      the project of test/e2e/web.sh, which is served at URL and stands
//                                                          in the current folder; TOY: a program with a room that no page knows
//
// One browser; a few pages at a time take the views from a list. What must be alone (people who act, servers that end)
// comes afterwards.
import { createRequire } from "node:module";
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:http";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { hostile, hostileFile, marks, plant } from "./hostile.mjs";
import { makeLarge } from "./large.mjs";

const need = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = need("playwright-core");
const axe = readFileSync(need.resolve("axe-core/axe.min.js"), "utf8");
const [url, conclave, toy, folder] = process.argv.slice(2);
const AT_ONCE = 3;
const PATIENCE = 60000; // on a busy machine

let number = 0;
function ok(passed, name, more = "") {
  number++;
  console.log(`${passed ? "ok" : "not ok"} ${number} - ${name}`);
  if (!passed && more) console.log(String(more).replace(/^/gm, "#   "));
}

// To start a process for each page costs a tenth of all of this.
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--renderer-process-limit=2"] });
const complaints = [];
const allowed = []; // complaints that a test is about
const watch = (page, where) => {
  const complain = (text) => allowed.some((word) => text.includes(word)) || complaints.push(`${where()}: ${text}`);
  page.on("console", (m) => m.type() === "error" && complain(m.text()));
  page.on("pageerror", (e) => complain(String(e)));
  page.on("dialog", (d) => complain(`a dialog: ${d.message()}`));
  page.on("request", (r) => /^(http:\/\/127\.0\.0\.1:|file:|data:|blob:)/.test(r.url()) || complaints.push(`${where()}: asks for ${r.url()}`));
};
async function open(hash, options = {}, base = url) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  watch(page, () => page.url());
  await page.goto(`${base}/${hash}`);
  return page;
}
/** Is it true now, or before our patience ends? */
const becomes = (page, condition) => page.waitForFunction(condition, undefined, { timeout: PATIENCE }).then(() => true, () => false);
/** Are all these texts on the page, now or before our patience ends? */
const shows = (page, ...texts) =>
  page
    .waitForFunction((all) => all.every((text) => document.body.innerText.includes(text)), texts, { timeout: PATIENCE, polling: 50 })
    .then(() => true, () => false);
const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
const run = (...words) => execFileSync(conclave, words, { encoding: "utf8" });

/** What axe finds serious. It stays on a page until the next load, and is asked for violations only. */
async function serious(page, rules) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe);
  return page.evaluate(async (only) => {
    const options = { resultTypes: ["violations"], selectors: false, ...(only && { runOnly: { type: "rule", values: only } }) };
    const { violations } = await window.axe.run(document, options);
    return violations.filter((v) => v.impact === "serious" || v.impact === "critical").map((v) => `${v.id}: ${v.nodes[0].html}`);
  }, rules);
}

/** Runs the tasks, a few at a time, each on one of as many pages. */
async function together(tasks) {
  const left = [...tasks];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const page = await open("#/");
      for (let task = left.shift(); task; task = left.shift()) await task(page);
      await page.context().close();
    }),
  );
}

// ---- every view: its words, axe, three widths, both colours ----
const decided = "#/dialogue/nvidia-investment-decision";
const views = {
  "#/": ["Five things need attention; one is under way.", "1 dead letter of builder", "2 messages wait for ada", "Implementer@builder is blocked", "docs/cut-over.md was changed", "Round 1 is waiting for sam and ines.", "Should Acme Trust swap", "tensions closed", "tester", "1 waiting, the oldest", "1 dead letter"],
  "#/?room=mail": ["planner handed in a plan to", "builder could not do a message in"],
  "#/dialogue": ["Two dialogues: one is running, one is decided.", "Ask a question"],
  "#/dialogue?show=decided": ["Decided: REJECT the full swap"],
  "#/mail": ["one dead letter.", "test/queue does not exist on this branch", "1 of 5 tasks completed. The end waits for keys", "critical", "Requeue"],
  "#/mail?plan=queue-move": ["Move the job queue", "waits for"],
  "#/mail/ada": ["maintenance window", "2 waiting", "sent by"],
  "#/chat": ["One chat, one is open."],
  "#/chat/cut-over": ["Implementer@builder is blocked", "Cleared by", "not read yet by Owner@ada", "read by Consultant@tester", "has read all"],
  "#/chat/cut-over/M0002": ["a refund was paid twice"],
  "#/notes": ["Four notes in two files; one header is out of date.", "Who tells the customers?", "#FF8800"],
  "#/notes/src%2Fdrain.py": ["Three attempts are too many", "return job.attempts < 3"],
  "#/agents": ["Three agents and one person can act here.", "2 waiting, the oldest"],
  "#/agents/builder": ["writes the code", "1 dead letter", "cutting over the job queue", "Lately"],
  "#/experts": ["Ten experts sat in the dialogues of this project.", "Recommendations adopted", "agree most"],
  "#/experts/muffin": ["Value Analyst", "Seven contributions in one dialogue, score 32", "The score fell from 12 to 8 in three rounds.", "Growth vs income", "As a table"],
  "#/sign-in": ["Nobody is signed in: what you do here is recorded without a name."],
  "#/nowhere": ["There is nothing at this address."],
  "#/feed/notes": ["What happened in the room Notes", "ada left a note in"],
  "#/dialogue/job-queue": ["Round 1 is waiting for sam and ines.", "Two tensions are open: One failure domain (sam) and Billed twice (noor).", "Answer as an expert", "noor answered round 1", "R1, now", "… waiting", "✓ answered", "△ open tension"],
  "#/dialogue/job-queue/rounds": ["Scoreboard", "my bias is known", "[KIM-P0001: One transaction is enough]", "without a marker"],
  [decided]: ["Should Acme Trust swap its NVAI position", "Decided in round 2: REJECT the full swap", "Brioche disagrees.", "Minority view: Brioche", "Begin after the refinancing closes", "Growth vs income", "joined in R2", "✗ dissents", "The score fell from 41 to 38."],
  [`${decided}?item=T0001`]: ["What became of it", "Where it was said", "[MUFFIN-T0001: Growth vs income]"],
  [`${decided}/rounds/1`]: ["Round 1", "Refinement", "The judge", "one expert silent", "Asked, and silent."],
  [`${decided}/rounds/all`]: ["Round 0", "Round 2", "relationships"],
  [`${decided}/graph`]: ["21 contributions, 16 references", "The same as a table"],
  [`${decided}/graph?kind=tension`]: ["4 contributions of 21"],
  [`${decided}/graph?expert=muffin&round=1`]: ["3 contributions of 21"],
  [`${decided}/graph?type=resolve`]: ["resolve"],
  [`${decided}/tensions`]: ["Four tensions were raised; all are closed.", "raised", "resolved", "not taken up"],
  [`${decided}/experts`]: ["Geopolitical Risk Analyst", "What became of it", "the row supports", "Muffin scored most (32)", "In round 2 palmier scored most (12) and brioche least (2)."],
  [`${decided}/history`]: ["chained by hash", "judge gave the verdict"],
  [`${decided}/item/T0001`]: ["Growth vs income", "Referred to by"],
  "#/search?q=collar": ["where “collar” was said"],
  "#/search?q=payments": ["Noor: response of round 1", "Consult blocker · message · M0002", "chat · cut-over"],
  "#/search?q=zzzz": ["Nobody has said “zzzz”."],
};
const dark = new Set(["#/", decided, `${decided}/rounds/1`, `${decided}/experts`, "#/mail", "#/chat/cut-over", "#/notes"]);
await together(
  Object.entries(views).map(([hash, texts]) => async (page) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${url}/${hash}`);
    const seen = await shows(page, ...texts);
    ok(seen, `${hash}: ${texts.join(" | ")}`, seen ? "" : (await page.locator("body").innerText()).slice(0, 3000));
    const faults = await serious(page);
    ok(faults.length === 0, `${hash}: axe finds nothing serious`, faults.join("\n"));
    const widths = [];
    for (const width of [1024, 390]) {
      await page.setViewportSize({ width, height: 844 });
      if (!(await fits(page))) widths.push(width);
    }
    ok(widths.length === 0, `${hash}: fits a narrow screen and a phone`, `too wide at ${widths}`);
    if (!dark.has(hash)) return;
    await page.emulateMedia({ colorScheme: "dark" });
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const pale = await serious(page, ["color-contrast"]);
    ok(paper === "rgb(21, 23, 26)" && pale.length === 0, `${hash}: dark, and to be read`, `${paper}\n${pale.join("\n")}`);
    await page.emulateMedia({ colorScheme: "light" });
  }),
);

// ---- pixels: graph and charts are drawn, and can be taken away ----
/** How many pixels of a picture are not of its commonest colour, and how many colours it has. */
const inked = (page, png) =>
  page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const colours = new Map();
    for (const pixel of new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)) colours.set(pixel, (colours.get(pixel) ?? 0) + 1);
    const all = [...colours.values()];
    return { ink: all.reduce((a, b) => a + b, 0) - Math.max(...all), colours: all.length, width: image.width };
  }, png.toString("base64"));
async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}
{
  const page = await open(decided);
  await shows(page, "How it got there");
  for (const [name, wanted] of [["score", 0], ["open tensions", 1]]) {
    const { ink, colours } = await inked(page, await page.locator(".chart canvas").nth(wanted).screenshot());
    ok(ink > 400 && colours > 3, `the chart of ${name} is drawn`, `${ink} pixels, ${colours} colours`);
  }
  const chart = await saved(page, page.locator(".chart .picture").first());
  const drawn = await inked(page, chart.bytes);
  ok(chart.name === "score.png" && drawn.ink > 400 && drawn.width > 400, "a chart is saved as a picture", JSON.stringify(drawn));
  await page.locator(".chart summary").first().click();
  ok(await shows(page, "Round\tscore"), "behind a chart stands its table");
  await page.goto(`${url}/${decided}/graph`);
  await page.locator(".graph .node").first().waitFor();
  const [nodes, edges] = [await page.locator(".graph .node").count(), await page.locator(".graph .edge").count()];
  ok(nodes === 21 && edges === 16, "the graph has its nodes and edges", `${nodes} nodes, ${edges} edges`);
  const graph = await inked(page, await page.locator(".graph").screenshot());
  ok(graph.ink > 4000 && graph.colours > 30, "the graph is drawn", JSON.stringify(graph));
  const picture = await saved(page, page.locator("section > .lead .picture"));
  const taken = await inked(page, picture.bytes);
  ok(picture.name === "nvidia-investment-decision-graph.png" && taken.ink > 4000 && taken.colours > 30, "the graph is saved as a picture", JSON.stringify(taken));
  await page.locator('.graph .node[data-id="T0001"]').hover();
  ok(await shows(page, "The proposal buys growth with income"), "hovering shows the citation");
  ok((await page.locator(".graph .near.node").count()) === 5, "what it is connected with stands out");
  // The middle of a curve, where no box is: a reference has its citation, too.
  const middle = await page.evaluate(() => {
    const svg = document.querySelector(".graph");
    const matrix = svg.getScreenCTM();
    for (const path of svg.querySelectorAll(".edge.oppose, .edge.support"))
      for (let part = 0.3; part < 0.7; part += 0.1) {
        const { x, y } = path.getPointAtLength(part * path.getTotalLength()).matrixTransform(matrix);
        if (!document.elementFromPoint(x, y)?.closest(".node") && y < innerHeight && x < innerWidth) return { x, y };
      }
  });
  await page.mouse.move(middle.x, middle.y + 2);
  const told = await page.locator(".tip").innerText().catch(() => "");
  ok(/[PRTEC]\d{4} [\s\S]*\b(support|oppose|depend|resolve|address|refine|question)\b[\s\S]*[PRTEC]\d{4} /.test(told), "hovering a reference shows its citation", told);
  ok((await page.locator(".graph .near.node").count()) === 2 && (await page.locator(".graph .near.edge").count()) === 1, "both of its ends stand out");
  await page.mouse.move(2, 2);
  ok((await page.locator(".tip").count()) === 0 && (await page.locator(".graph .near").count()) === 0, "nothing stays behind");
  await page.locator('.graph .node[data-id="T0001"]').click();
  ok((await shows(page, "Where it was said", "addressed by donut")) && page.url().endsWith("?item=T0001"), "a click opens history and source");
  await page.getByLabel("Reference").selectOption("support");
  ok((await shows(page, "4 references")) && page.url().includes("type=support"), "a choice is part of the address");
  await page.goBack();
  ok(await shows(page, "Where it was said"), "back goes back");
  await page.goto(`${url}/${decided}`);
  for (const [word, ending] of [["Markdown", "md"], ["JSON", "json"], ["Report", "html"]]) {
    const { name, bytes } = await saved(page, page.getByRole("button", { name: word, exact: true }));
    ok(name === `nvidia-investment-decision.${ending}` && bytes.length > 3000, `${word} is saved`, `${name}, ${bytes.length} bytes`);
  }
  await shows(page, "How it got there");
  await page.emulateMedia({ media: "print" });
  ok((await page.locator("header.top").isHidden()) && (await page.locator(".decision").isVisible()), "printing leaves the frame out");
  ok((await page.pdf()).length > 20000, "it can be printed");
  await page.context().close();
}

// ---- a graph of many: words come as one scrolls ----
{
  const page = await open(`#/dialogue/${await makeLarge(url, 16)}/graph`);
  await page.locator(".graph .node").first().waitFor();
  const words = (which) => page.locator(".graph .node")[which]().locator(".name");
  const counts = [await page.locator(".graph .node").count(), await page.locator(".graph .edge").count()];
  ok(counts.join() === "160,300", "a large graph has all its nodes and edges", counts.join());
  ok((await words("first").isVisible()) && (await words("last").isHidden()), "words out of sight are not laid out");
  await page.locator(".drawing .scroll").evaluate((box) => (box.scrollLeft = box.scrollWidth));
  ok(await words("last").waitFor({ timeout: PATIENCE }).then(() => true, () => false), "they are there where one looks");
  ok(await becomes(page, () => getComputedStyle(document.querySelector(".graph .name")).display === "none"), "and no more where one has been");
  await page.emulateMedia({ media: "print" });
  ok(await words("first").isVisible(), "all are printed");
  await page.context().close();
}

// ---- keys alone ----
{
  const page = await open("#/dialogue");
  await page.locator("[data-row]").first().waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  ok(await page.evaluate(() => document.activeElement?.hasAttribute("data-row")), "j and k go along the rows");
  ok(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle === "solid"), "the focus can be seen");
  await page.keyboard.press("Enter");
  await page.waitForSelector("nav.tabs");
  ok(page.url().includes("#/dialogue/"), "Enter opens a row");
  await page.keyboard.press("]");
  await page.waitForURL(/rounds/);
  ok(true, "] goes to the next view");
  await page.keyboard.press("?");
  ok(await page.getByRole("dialog").isVisible(), "? shows the keys");
  await page.keyboard.press("Escape");
  ok((await page.getByRole("dialog").count()) === 0 && page.url().includes("rounds"), "Esc closes them");
  await page.goto(`${url}/${decided}`);
  await page.locator(".lanes .cell a").first().focus();
  await page.keyboard.press("Enter");
  await page.locator(".side").waitFor();
  ok(await page.evaluate(() => document.activeElement?.classList.contains("side")), "Enter on a sign opens what it stands for");
  await page.keyboard.press("Escape");
  await page.locator(".side").waitFor({ state: "detached" });
  ok(await becomes(page, () => document.activeElement?.closest(".cell")), "Esc closes it, and the focus is where it was");
  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await page.waitForURL(/#\/mail/);
  ok(true, "g m goes to the mail");
  await page.keyboard.press("/");
  await becomes(page, () => document.activeElement?.tagName === "INPUT");
  await page.keyboard.type("collar");
  await page.keyboard.press("Enter");
  ok((await shows(page, "was said")) && page.url().includes("search?q=collar"), "/ searches");
  await page.keyboard.press("Escape"); // leaves the field
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.waitForURL(/#\/$/);
  ok(true, "g h goes home");
  await page.getByRole("button", { name: "Dark colours" }).click();
  ok(await becomes(page, () => getComputedStyle(document.body).backgroundColor === "rgb(21, 23, 26)"), "dark when somebody wants it");
  await page.emulateMedia({ media: "print" });
  ok(await becomes(page, () => getComputedStyle(document.body).color === "rgb(27, 29, 31)"), "paper is light all the same");
  await page.context().close();
}

// ---- live: other processes write ----
{
  const page = await open("#/");
  await page.locator(".live.on").waitFor();
  const id = JSON.parse(run("dialogue", "create", "Appears by itself", "--expert", "Watcher: what happens", "--json")).dialogue_id;
  ok(await shows(page, "Appears by itself"), "what another process writes appears without a reload");
  await page.goto(`${url}/#/dialogue/${id}`);
  await shows(page, "No round has been held yet");
  const slug = JSON.parse(run("dialogue", "get", id, "--json")).experts[0].expert_slug;
  run("dialogue", "round-register", id, "--round", "0", "--score", "5", "--data", JSON.stringify({ perspectives: [{ local_id: `${slug.toUpperCase()}-P0001`, label: "It was seen", content: "At once.", contributors: [slug] }] }));
  ok(await shows(page, "One round, one contribution"), "a round that another process registers appears without a reload");

  // What is put away is shown when it is asked for.
  run("dialogue", "tag", id, "seen");
  run("dialogue", "archive", id);
  await page.goto(`${url}/#/dialogue?show=archived`);
  ok(await shows(page, "Appears by itself", "#seen"), "archived dialogues are shown when they are asked for, with their tags");
  await page.goto(`${url}/#/dialogue`);
  ok((await shows(page, "Should Acme Trust swap")) && !(await page.locator("main").innerText()).includes("Appears by itself"), "and left out otherwise");

  // A run: the first attempt fails, the second waits until it may go on.
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/agent.sh`, `cat >/dev/null\n[ "$CONCLAVE_ATTEMPT" -gt 1 ] || { echo "no oven" >&2; exit 3; }\nuntil [ -e ${folder}/go ]; do sleep 0.05; done\necho "[$(echo "$CONCLAVE_EXPERT" | tr a-z A-Z)-P0001: Fine] It is."\n`);
  const running = JSON.parse(run("dialogue", "create", "Runs by itself", "--expert", "Baker: dough", "--expert", "Miller: flour", "--json")).dialogue_id;
  await page.goto(`${url}/#/dialogue/${running}`);
  await shows(page, "No round has been held yet");
  ok((await page.locator(".run").count()) === 0, "what never ran has no lines of a run");
  const runner = spawn(conclave, ["run", running, "--agent", `sh ${folder}/agent.sh`, "--judge", "mechanical", "--rounds", "1"], { stdio: "ignore" });
  const ended = new Promise((done) => runner.once("exit", done));
  ok(await shows(page, "Run running", "thinking · ", "attempt 2"), "each expert of a run has a live line: thinking, and the attempt", (await page.locator("main").innerText()).slice(0, 1500));
  writeFileSync(`${folder}/go`, "");
  await ended;
  ok((await shows(page, "answered · 1 marker · ")) && (await page.locator(".seat .green").count()) === 2, "then who has answered, and how long it took", (await page.locator("main").innerText()).slice(0, 1500));
  await page.context().close();
}

// ---- an address that changes while the page begins ----
{
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(() => {
    window.requestAnimationFrame = (f) => setTimeout(f, 500); // nothing is drawn yet
    addEventListener("load", () => (location.hash = "#/chat"));
  });
  await page.goto(`${url}/#/mail`);
  ok(await shows(page, "One chat, one is open."), "an address that changes while the page begins is followed");
  await page.context().close();
}

// ---- a person acts ----
{
  const page = await open("#/sign-in");
  allowed.push("404");
  await page.getByLabel("Name").fill("adda");
  await page.getByRole("button", { name: "Sign in" }).click();
  ok(await shows(page, "'adda'"), "nobody signs in under a name that the project does not know");
  await page.getByLabel("Name").fill("ada");
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Sign in" }).click()]);
  ok(await shows(page, "attention"), "who signs in is at home");
  await page.goto(`${url}/#/mail/planner`);
  await page.getByText("Write a message").click();
  allowed.push("404", "422", "400"); // a refusal is told in the console, too
  await page.getByLabel("To", { exact: true }).fill("plnner");
  await page.getByLabel("Message", { exact: true }).fill("x");
  await page.getByRole("button", { name: "Send" }).click();
  ok(await page.locator(".entry .red, .act .fault").first().waitFor({ timeout: PATIENCE }).then(() => true, () => false), "a message to nobody is refused at its field");
  await page.getByLabel("To", { exact: true }).fill("planner");
  await page.getByLabel("Message", { exact: true }).fill("Sunday is fine <b>with me</b>.");
  ok(await shows(page, "conclave mail send --from ada"), "the command line for the same is shown");
  await page.getByRole("button", { name: "Send" }).click();
  ok(await shows(page, "Sunday is fine <b>with me</b>."), "mail of a person arrives, as text");
  await page.goto(`${url}/#/mail`);
  await page.getByRole("button", { name: "Requeue" }).click();
  ok(await shows(page, "None: nothing was given up."), "a dead letter is new again");
  await page.goto(`${url}/#/chat/cut-over`);
  await page.getByText("Say something").click();
  await page.getByLabel("Message", { exact: true }).fill("I decide on Friday.");
  await page.getByRole("button", { name: "Send" }).click();
  ok(await shows(page, "I decide on Friday."), "a chat message of a person arrives");
  await page.goto(`${url}/#/dialogue/job-queue`);
  await page.getByText("Answer as an expert").click();
  for (const expert of ["sam", "ines"]) {
    await page.getByLabel("Expert", { exact: true }).selectOption(expert);
    await page.getByLabel("Response").fill(`[${expert.toUpperCase()}-P0101: Agreed by ${expert}]\nSo be it.\n[MOVE:CONVERGE]`);
    await page.getByRole("button", { name: "Hand in" }).click();
    if (expert === "sam") await shows(page, "Round 1 is waiting for ines");
  }
  ok(await shows(page, "Round 1 is complete: it can be registered."), "a person answers as an expert");
  const [answered] = JSON.parse(run("feed", "--last", "1", "--json")).entries;
  ok(answered.operation === "dialogue respond" && answered.who.join() === "ada", "the record says which person it was", JSON.stringify(answered));
  await page.getByText("Register round 1").click();
  await page.getByLabel("Score of the round").fill("30");
  await page.getByLabel("Scores of the experts").fill("kim=10 noor=9 sam=6 ines=5");
  await page.getByRole("button", { name: "Register" }).click();
  ok(await shows(page, "Round 2 is waiting for"), "a drafted round is registered", await page.locator(".fault").allInnerTexts());
  await page.getByText("Give a verdict").click();
  await page.getByLabel("Type", { exact: true }).selectOption("final");
  await page.getByLabel("Decision", { exact: true }).fill("Move, keys first");
  await page.getByRole("button", { name: "Decide" }).click();
  ok(await shows(page, "Decided in round 1: Move, keys first", "entered by ada, a person"), "a verdict is given, marked as a person's", await page.locator(".fault").allInnerTexts());
  await page.goto(`${url}/#/dialogue`);
  await page.getByText("Ask a question").click();
  await page.getByLabel("Title").fill("Where to eat");
  await page.getByLabel("Question").fill("Where do we eat today?");
  await page.getByLabel("Panel").selectOption("hiring");
  await page.getByRole("button", { name: "Begin" }).click();
  await page.waitForURL(/#\/dialogue\/where-to-eat$/, { timeout: PATIENCE });
  ok(await shows(page, "Where do we eat today?", "No round has been held yet."), "a question is asked");
  allowed.length = 0;
  await page.context().close();
}

// ---- hostile content stays text ----
const evil = await plant(url);
const trapped = () => !window.pwned && !document.querySelector("main script, main img, main iframe, main object, main [onload], main [onerror], main a[href^='javascript:'], main a[href^='data:']");
{
  const at = `#/dialogue/${encodeURIComponent(evil)}`;
  const ids = ["P0001", "R0001", "T0001", "E0001", "C0001"];
  const places = ["#/", "#/dialogue", "#/dialogue/hostile-and-running", "#/mail", "#/mail/tester", "#/mail?plan=evil", "#/chat", "#/chat/hostile", "#/notes", `#/notes/${encodeURIComponent(hostileFile)}`, "#/agents", "#/agents/eve", "#/experts", "#/experts/eve", "#/search?q=pwned", `#/search?q=${encodeURIComponent(hostile)}`, `#/${encodeURIComponent(hostile)}`, `#/feed/${encodeURIComponent(hostile)}`, at, `${at}/rounds`, `${at}/graph`, `${at}/tensions`, `${at}/experts`, `${at}/history`, ...ids.map((id) => `${at}?item=${id}`), ...ids.map((id) => `${at}/item/${id}`)];
  const silent = [/^#\/$/, /history/, /feed/, /^#\/(search.*)?%3C/, /^#\/mail$/]; // these show names and titles, if anything
  allowed.push("400", "404", "422"); // what is not there cannot be asked for
  await together(
    places.map((hash) => async (page) => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(`${url}/${hash}`);
      await page.locator("h1, .fault").first().waitFor({ timeout: PATIENCE });
      const shown = silent.some((one) => one.test(hash)) || (await shows(page, marks.slice(0, 30)));
      const safe = await page.evaluate(trapped);
      const wide = await fits(page);
      await page.setViewportSize({ width: 390, height: 844 });
      const narrow = await fits(page);
      ok(shown && safe && wide && narrow, `${hash.slice(0, 60)}: hostile content is text, and widens nothing`, JSON.stringify({ shown, safe, wide, narrow }));
    }),
  );
  allowed.length = 0;
}

// ---- markdown, of generated pieces: nothing but plain elements and harmless links comes of it ----
{
  const { text: code } = need("esbuild").buildSync({
    stdin: { contents: `export { htmlOf } from "./src/parts/show"; export { withIds } from "./src/rooms/dialogue/show";`, resolveDir: new URL("../../web", import.meta.url).pathname },
    bundle: true, write: false, format: "iife", globalName: "made", jsx: "automatic", jsxImportSource: "preact",
  }).outputFiles[0];
  const pieces = ["[a](", "![i](", ")", "](", "[", "]", "<", ">", "</a>", "<a href=", "<img src=x onerror=pwned()>", "<svg/onload=pwned()>", "<script>", "</script>", "<!--", "-->", "javascript:", "JaVaScRiPt:", "java\nscript:", "java&Tab;script:", "&#106;avascript:", "&#x6A;avascript&colon;", "\u0001javascript:", "data:text/html,<script>", "vbscript:", "https://example.org/", "//example.org", "file:///etc/passwd", "mailto:x", "pwned()", '"', "'", "`", "```\n", "\\", "&quot;", "&lt;", "&amp;", " onclick=", "onmouseover=\"", "P0001", "T0001", "\n", "\n\n", "\n> ", "\n- [ ] ", "\n# ", "\n|a|b|\n|-|-|\n|", "|", "*", "~~", "[^1]", "\n[^1]: ", "\n[r]: ", "[r]", "<javascript:pwned()>", "<https://example.org/\"onclick=pwned()>", "www.example.org/", "\u202e", "\u2028", "\0", "x".repeat(200), " "];
  let seed = Number(process.env.CV_SEED ?? 1);
  const random = (n) => ((seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) >> 8) % n;
  const texts = Array.from({ length: process.env.CV_SOAK ? 20000 : 1500 }, () => Array.from({ length: 2 + random(14) }, () => pieces[random(pieces.length)]).join(""));
  const page = await (await browser.newContext()).newPage();
  await page.evaluate(`document.body.append(Object.assign(document.createElement("div"), { id: "app" }))`);
  await page.evaluate(`${code}; window.made = made`);
  const found = await page.evaluate((all) => {
    const plain = new Set("P BR HR A CODE PRE EM STRONG DEL UL OL LI INPUT BLOCKQUOTE H1 H2 H3 H4 H5 H6 TABLE THEAD TBODY TR TH TD SECTION SUP".split(" "));
    const attributes = new Set("href title class align start id type disabled checked aria-describedby aria-label data-footnote-ref data-footnote-backref data-footnotes alt".split(" "));
    const harmless = new Set(["http:", "https:", "mailto:", "irc:", "ircs:", "xmpp:"]);
    const faults = [];
    for (const text of all) {
      const html = window.made.withIds(window.made.htmlOf(text), (id) => `#/dialogue/x?item=${id}&y`);
      const document = new DOMParser().parseFromString(html, "text/html");
      for (const element of document.body.querySelectorAll("*")) {
        const odd = [...element.attributes].filter((one) => !attributes.has(one.name));
        const address = element.getAttribute("href");
        const leads = address !== null && URL.canParse(address, "https://here/") ? new URL(address, "https://here/").protocol : "https:"; // others lead nowhere
        if (!plain.has(element.tagName) || odd.length || !harmless.has(leads)) faults.push(`${JSON.stringify(text)}: ${element.outerHTML.slice(0, 200)}`);
      }
      if (document.head.childElementCount) faults.push(`${JSON.stringify(text)}: something is in the head`);
    }
    return faults;
  }, texts);
  ok(found.length === 0, `${texts.length} generated texts: only plain elements and harmless links come of markdown`, found.slice(0, 5).join("\n"));
  await page.context().close();
}

// ---- a report: one file, no server ----
{
  mkdirSync(folder, { recursive: true });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const paper = await context.newPage();
  const asked = [];
  watch(paper, () => "the report");
  paper.on("request", (request) => asked.push(request.url()));
  for (const [id, wanted] of [["nvidia-investment-decision", "Decided in round 2: REJECT the full swap"], [evil, marks.slice(0, 30)]]) {
    run("dialogue", "export", id, "--format", "html", "--output-path", `${folder}/report.html`, "--force");
    const address = `file://${folder}/report.html`;
    await paper.goto(address);
    ok(await shows(paper, wanted), `${id}: a report opens without a server`);
    ok((await paper.locator(".acts, .exports, header.top").count()) === 0, `${id}: there is nothing to act with`);
    for (const view of ["rounds", "graph", "tensions", "experts"]) {
      await paper.locator(".tabs a", { hasText: new RegExp(view, "i") }).click();
      const here = await paper.locator(".tabs [aria-current]", { hasText: new RegExp(view, "i") }).waitFor().then(() => true, () => false);
      ok(here && (await paper.evaluate(trapped)) && (await fits(paper)), `${id}: the view ${view} of the report`);
    }
    await paper.goto(`${address}#/dialogue/${encodeURIComponent(id)}?item=P0001`);
    ok(await shows(paper, "Where it was said"), `${id}: an item of the report`);
    ok(await paper.evaluate(trapped), `${id}: nothing of the report runs`);
  }
  ok(asked.every((one) => one.startsWith(`file://${folder}/report.html`) || one.startsWith("data:")), "a report asks nobody for anything", asked.join("\n"));
  const faults = await serious(paper);
  ok(faults.length === 0, "axe finds nothing serious in a report", faults.join("\n"));
  await context.close();
}

// ---- pages of another origin ----
{
  const other = createServer((_, response) => response.end("<!doctype html><title>other</title><h1>other</h1>")).listen(0, "127.0.0.1");
  await new Promise((done) => other.once("listening", done));
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${other.address().port}/`);
  const got = await page.evaluate(async (target) => {
    const attempt = (path, options) => fetch(`${target}${path}`, options).then(async (r) => `${r.type} ${r.status} ${(await r.text()).length}`, () => "refused");
    const create = { method: "POST", body: '{"title":"From elsewhere"}' };
    const image = new Image();
    const loaded = await new Promise((done) => {
      image.onload = () => done("loaded");
      image.onerror = () => done("refused");
      image.src = `${target}/api/dialogue/list`;
    });
    return [
      await attempt("/api/dialogue/list"),
      await attempt("/api/dialogue/create", { ...create, headers: { "Content-Type": "application/json" } }),
      await attempt("/metrics"),
      await attempt("/api/dialogue/create", { ...create, mode: "no-cors", headers: { "Content-Type": "text/plain" } }),
      loaded,
    ];
  }, url);
  ok(got.slice(0, 3).every((one) => one === "refused") && got[3] === "opaque 0 0" && got[4] === "refused", "a page of another origin reads nothing", got.join(", "));
  ok(!run("dialogue", "list", "--json").includes("From elsewhere"), "and writes nothing");
  await context.close();
  other.close();
}

// ---- servers that end, want tokens, or have a room that no page knows ----
/** A server of its own; `port` 0: one that is free. */
async function serve(program, { port = 0, env = {}, cwd = process.cwd() } = {}) {
  const child = spawn(program, ["serve", "--port", String(port), "--json"], { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "ignore"] });
  process.once("exit", () => child.kill()); // also when a test throws
  const said = await new Promise((done) => child.stdout.once("data", (bytes) => done(JSON.parse(String(bytes)))));
  const end = () => new Promise((done) => (child.once("exit", done), child.kill()));
  return { base: said.url, end };
}
{
  const token = "0123456789abcdef0123456789abcdef";
  let server = await serve(conclave, { env: { CONCLAVE_TOKEN: token } });
  allowed.push("401", "ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY", "Failed to load");
  const page = await open("#/dialogue", {}, server.base);
  ok(await shows(page, "a token is needed"), "without a token a page shows what is needed");
  await page.locator("a.button", { hasText: "Sign in" }).click();
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  ok(await shows(page, "Where do we eat today?"), "with it, what it may see");
  const [cookie] = await page.context().cookies();
  ok(cookie?.httpOnly && cookie.sameSite === "Strict" && !page.url().includes(token) && !(await page.evaluate(() => document.cookie + JSON.stringify(localStorage))).includes(token), "the token is in a cookie that no script can read, and nowhere else", JSON.stringify(cookie));
  // Tokens of the project: what they may not see or do, the page says; what a person may see is all there.
  const secret = (...words) => JSON.parse(run("token", "add", ...words, "--json")).secret;
  const as = async (token) => {
    const one = await open("#/sign-in", {}, server.base);
    await one.getByLabel("Token").fill(token);
    await Promise.all([one.waitForEvent("load"), one.getByRole("button", { name: "Sign in" }).click()]); // it begins anew
    return one;
  };
  allowed.push("403");
  const reader = await as(secret("ada", "--read-only"));
  await reader.goto(`${server.base}/#/chat/cut-over`);
  ok(await shows(reader, "Implementer@builder is blocked", "I decide on Friday."), "a person with a token sees what holds up others", `${reader.url()}\n${(await reader.locator("body").innerText()).slice(0, 1500)}`);
  await reader.getByText("Say something").click();
  await reader.getByLabel("Message", { exact: true }).fill("Not with this token.");
  await reader.getByLabel("From", { exact: true }).selectOption("Owner@ada");
  await reader.getByRole("button", { name: "Send" }).click();
  ok(await shows(reader, "is for reading only"), "a token for reading only writes nothing, and the form says so");
  const limited = await as(secret("ada", "--rooms", "chat"));
  await limited.goto(`${server.base}/#/dialogue`);
  ok(await shows(limited, "is limited to chat"), "a token of one room shows nothing of another, and says why");
  await limited.goto(`${server.base}/#/chat/cut-over`);
  ok((await shows(limited, "I decide on Friday.")) && !run("chat", "show", "cut-over").includes("Not with this token."), "but all of its own");
  ok(await limited.locator(".live.on").waitFor({ timeout: PATIENCE }).then(() => true, () => false), "it hears of its own room");
  run("chat", "send", "cut-over", "--from", "Implementer@builder", "--type", "QUESTION", "--body", "Is Friday fine?");
  ok(await shows(limited, "Is Friday fine?"), "and sees what happens there");
  await Promise.all([reader, limited].map((one) => one.context().close()));
  await page.goto(`${server.base}/#/dialogue`);
  await page.locator(".live.on").waitFor();
  await server.end();
  ok(await shows(page, "○ reconnecting"), "a page tells that its server has gone");
  run("dialogue", "create", "While nobody served");
  server = await serve(conclave, { port: new URL(server.base).port, env: { CONCLAVE_TOKEN: token } });
  ok(await shows(page, "● live", "While nobody served"), "it comes back by itself, with what it has missed");
  await page.context().close();
  await server.end();
  allowed.length = 0;
}
{
  const cwd = `${folder}/jars`;
  mkdirSync(cwd);
  execFileSync(toy, ["init"], { cwd });
  execFileSync(toy, ["jar", "fill", "plums", "--count", "3"], { cwd });
  const server = await serve(toy, { cwd });
  allowed.push("404"); // it lacks rooms that the page knows
  const page = await open("#/", {}, server.base);
  ok(await shows(page, "plums", "Fill"), "commits of a room that no page knows stand in the feed");
  await page.locator(".menu a", { hasText: "jar" }).click();
  ok((await shows(page, "What happened in the room Jar.", "plums")) && page.url().includes("#/feed/jar"), "and the room is in the menu");
  execFileSync(toy, ["jar", "fill", "cherries", "--count", "2"], { cwd });
  ok(await shows(page, "cherries"), "live, as every room");
  await page.context().close();
  await server.end();
  allowed.length = 0;
}

ok(complaints.length === 0, "no errors in the console, and nothing is asked for elsewhere", complaints.join("\n"));
await browser.close();
ok(true, "the browser has looked at everything");
console.log(`1..${number}`);
