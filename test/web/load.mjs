// load.mjs - a server beside clients that are slow, mute or gone: does it go on, does it keep its memory? TAP.
//
//     node test/web/load.mjs URL PID SECONDS
//
// Streams that nobody reads, answers that are read byte by byte, bodies that never end, clients that hang up in the
// middle; beside them readers, and writers whose every acknowledged message must be in the record afterwards. The slow
// clients stay connected at the end: the server is to be stopped beside them. What is printed behind # are the figures.
import { readFileSync } from "node:fs";
import net from "node:net";

const [url, pid, seconds] = process.argv.slice(2);
const SPELL = Number(seconds) * 1000;
const { hostname: host, port } = new URL(url);
const until = Date.now() + SPELL;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
let seed = Number(process.env.CV_SEED ?? 1);
const random = (n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return (seed >> 8) % n;
};
let number = 0;
const ok = (passed, name, more = "") => {
  console.log(`${passed ? "ok" : "not ok"} ${++number} - ${name}`);
  if (!passed && more) console.log(`#   ${more}`);
};

const head = (line, headers = "") => `${line} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`;
const posted = (length) => `Content-Type: application/json\r\nContent-Length: ${length}\r\n`;
function connect(text) {
  const socket = net.connect({ host, port }, () => socket.write(text));
  socket.on("error", () => undefined);
  return socket;
}

// ---- the slow ones: again and again, for whoever is cut off comes back ----
const slow = {
  mute: () => connect(head("GET /api/events?after=start")).pause(),
  listening: () => connect(head("GET /api/events")).resume(),
  sipping: () => {
    const socket = connect(head("GET /api/openapi.json").repeat(8)).pause();
    const timer = setInterval(() => socket.read(1 + random(4)), 100);
    return socket.on("close", () => clearInterval(timer));
  },
  dictating: () => {
    const socket = connect(head("POST /api/mail/send", posted(5000)));
    const timer = setInterval(() => socket.write("{"), 200);
    return socket.resume().on("close", () => clearInterval(timer));
  },
  hanging: () => {
    const socket = connect(head("GET /api/mail/stats") + head("POST /api/mail/send", posted(5000)) + "{");
    setTimeout(() => socket.destroy(), random(300));
    return socket.resume();
  },
};
let reconnected = 0;
const ending = { now: false };
for (const [kind, count] of Object.entries({ mute: 30, listening: 10, sipping: 10, dictating: 10, hanging: 5 }))
  for (let i = 0; i < count; i++) {
    const again = () => {
      if (ending.now) return;
      reconnected++;
      slow[kind]().on("close", () => setTimeout(again, 50 + random(100)));
    };
    again();
  }

// ---- those who do nothing wrong ----
const ask = async (operation, input) => {
  const response = await fetch(`${url}/api/${operation}`, input ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(input) } : {});
  const answer = await response.json();
  if (!response.ok) throw new Error(`${operation}: ${JSON.stringify(answer).slice(0, 300)}`);
  return answer;
};
const faults = [];
let [reads, writes, longest] = [0, 0, 0];
const loop = async (step, pause) => {
  while (Date.now() < until) {
    await step().catch((error) => faults.push(String(error)));
    await sleep(pause);
  }
};
const write = async () => {
  const begin = performance.now();
  await ask("mail/send", { from: "User", to: ["oven"], body: `message ${writes}` });
  longest = Math.max(longest, performance.now() - begin);
  writes++;
};
const read = async () => {
  await ask(random(2) ? "mail/stats" : "dialogue/list");
  reads++;
};
const sizes = [];
const measure = async () => {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  sizes.push(Number(kb) / 1000);
};
await ask("agent/add", { agent_id: "oven" });
await Promise.all([loop(write, 5), loop(write, 5), loop(read, 5), loop(read, 5), loop(measure, SPELL / 60)]);
ending.now = true;

const most = (part) => Math.max(...part);
const third = Math.floor(sizes.length / 3); // on a busy machine it is measured less often
const [middle, last] = [sizes.slice(third, 2 * third), sizes.slice(2 * third)];
console.log(`# ${seconds} s: ${writes} writes, the longest ${longest.toFixed(0)} ms, ${reads} reads, ${reconnected} slow connections, memory ${sizes[0]?.toFixed(1)} MB, then at most ${most(middle).toFixed(1)} and ${most(last).toFixed(1)} MB`);
ok(faults.length === 0, "everybody who does nothing wrong is answered", faults.slice(0, 5).join("\n#   "));
const box = (await ask("mail/stats")).mailboxes.find((one) => one.agent === "oven");
ok(writes > 0 && box?.waiting === writes, "every write that was acknowledged is there, and no other", `${box?.waiting} of ${writes}`);
ok(third > 0 && most(last) <= most(middle) + 8, "the memory does not grow", sizes.map((mb) => mb.toFixed(1)).join(" "));
const metrics = await (await fetch(`${url}/metrics`)).text();
ok(/^conclave_calls_waiting [0-9]\n/m.test(metrics), "no calls pile up", /^conclave_calls_waiting.*/m.exec(metrics)?.[0]);
console.log("# connected"); // and stays so until it is ended
