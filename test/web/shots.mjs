// shots.mjs - pictures of the main views, at three widths, light and dark: to be looked at, and for the documentation.
//
//     node test/web/shots.mjs URL FOLDER [WORD]      only pictures whose name has the word: home, 1440, home-390-dark
import { createRequire } from "node:module";

const need = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = need("playwright-core");
const [url, folder, word = ""] = process.argv.slice(2);
const decided = "#/dialogue/nvidia-investment-decision";
const views = {
  home: "#/",
  dialogues: "#/dialogue",
  decided,
  running: "#/dialogue/job-queue",
  item: `${decided}?item=T0001`,
  rounds: `${decided}/rounds/1`,
  graph: `${decided}/graph`,
  tensions: `${decided}/tensions`,
  panel: `${decided}/experts`,
  history: `${decided}/history`,
  experts: "#/experts",
  expert: "#/experts/muffin",
  mail: "#/mail",
  inbox: "#/mail/ada",
  chat: "#/chat/cut-over",
  notes: "#/notes",
  note: "#/notes/src%2Fdrain.py",
  agents: "#/agents",
  agent: "#/agents/builder",
  search: "#/search?q=payments",
  "sign-in": "#/sign-in",
};
const sizes = [
  [1440, 900],
  [1024, 800],
  [390, 844],
];
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const [width, height] of sizes)
  await Promise.all(
    ["light", "dark"].map(async (colorScheme) => {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      for (const [name, hash] of Object.entries(views)) {
        if (!`${name}-${width}-${colorScheme}`.includes(word)) continue;
        await page.goto(`${url}/${hash}`);
        await page.waitForSelector("h1");
        await page.waitForLoadState("networkidle").catch(() => undefined); // the stream of events never ends
        await page.waitForTimeout(250);
        await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
      }
      await page.close();
    }),
  );
await browser.close();
