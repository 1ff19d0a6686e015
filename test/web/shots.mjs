// shots.mjs - pictures of the main views, at three widths, light and dark: to be looked at, and for the documentation.
//
//     node test/web/shots.mjs URL FOLDER [WORD]      only views whose name has the word
import { createRequire } from "node:module";

const need = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = need("playwright-core");
const [url, folder, word = ""] = process.argv.slice(2);
const views = {
  home: "#/",
  dialogue: "#/dialogue/nvidia-investment-decision",
  running: "#/dialogue/job-queue",
  rounds: "#/dialogue/nvidia-investment-decision/rounds",
  graph: "#/dialogue/nvidia-investment-decision/graph",
  experts: "#/dialogue/nvidia-investment-decision/experts",
  mail: "#/mail",
  inbox: "#/mail/ada",
  chat: "#/chat/cut-over",
  notes: "#/notes",
  search: "#/search?q=payments",
};
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const width of [1440, 1024, 390])
  for (const colorScheme of width === 1440 ? ["light", "dark"] : ["light"]) {
    const page = await browser.newPage({ viewport: { width, height: width === 390 ? 844 : 900 }, colorScheme });
    for (const [name, hash] of Object.entries(views).filter(([n]) => n.includes(word))) {
      await page.goto(`${url}/${hash}`);
      await page.waitForSelector("h1");
      await page.waitForTimeout(400);
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` });
    }
    await page.close();
  }
await browser.close();
