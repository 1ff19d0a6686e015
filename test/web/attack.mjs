// attack.mjs - generated requests against the HTTP API: whoever may not come in gets nothing, whatever is asked gets an
// answer that says what is wrong, and the server goes on. TAP.
//
//     node test/web/attack.mjs URL ADMIN READER LIMITED BESIDE
//
// The server was started with the token ADMIN; READER is the token of an agent that may only read, LIMITED that of one
// that may act in the room chat alone. BESIDE is a folder beside the project, whose files have the word SECRET; the link
// `outside` in the project leads there. CV_SEED repeats a run, CV_SOAK=1 makes a longer one.
import net from "node:net";
import { readdirSync, readFileSync } from "node:fs";

const [url, admin, reader, limited, beside] = process.argv.slice(2);
const { hostname: host, port } = new URL(url);
const MANY = process.env.CV_SOAK ? 20000 : 600;
let seed = Number(process.env.CV_SEED ?? 1);
const random = (n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return (seed >> 8) % n;
};
const pick = (list) => list[random(list.length)];
let number = 0;
const ok = (passed, name, more = "") => {
  console.log(`${passed ? "ok" : "not ok"} ${++number} - ${name}`);
  if (!passed && more) console.log(`#   ${String(more).slice(0, 1500).replaceAll("\n", "\n#   ")}`);
};

/** Sends bytes, and returns what came back until the connection was quiet, closed, or has answered. */
function send(text, patience = 5000) {
  return new Promise((done) => {
    let said = "";
    const socket = net.connect({ host, port }, () => socket.write(Buffer.from(text, "latin1")));
    const end = () => (clearTimeout(timer), socket.destroy(), done(said));
    const timer = setTimeout(end, patience);
    socket.on("error", end).on("close", end);
    socket.on("data", (bytes) => {
      said = (said + bytes.toString("latin1")).replace(/^HTTP\/1\.1 100 .*\r\n\r\n/, "");
      const [, length] = /\r\nContent-Length: (\d+)/i.exec(said) ?? [];
      const body = said.indexOf("\r\n\r\n");
      if (body > 0 && (said.startsWith("HTTP/1.1 204") || said.startsWith("HTTP/1.1 304") || (length && said.length >= body + 4 + Number(length)) || said.includes("text/event-stream"))) end();
    });
  });
}
const statusOf = (said) => Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1] ?? 0);
const bodyOf = (said) => said.slice(said.indexOf("\r\n\r\n") + 4);
const request = (method, path, headers = {}, body = "") => `${method} ${path} HTTP/1.1\r\n${Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
const bearer = (token) => ({ Authorization: `Bearer ${token}` });
const json = (body) => ({ "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });

// ---- every operation, as those who may not ----
const description = await (await fetch(`${url}/api/openapi.json`, { headers: bearer(admin) })).json();
const operations = Object.entries(description.paths).filter(([, methods]) => methods.post?.requestBody);
const writing = operations.filter(([, methods]) => methods.post && !methods.get).map(([path]) => path);
const wrong = { "without a token": [], "with the token of a reader": [], "by GET": [], "outside of its rooms": [], "from elsewhere": [] };
for (const [path, methods] of operations) {
  const body = "{}";
  const nobody = statusOf(await send(request("POST", path, json(body), body)));
  if (nobody !== 401) wrong["without a token"].push(`${path} ${nobody}`);
  const foreign = statusOf(await send(request("POST", path, { ...bearer(admin), ...json(body), Origin: "http://evil.example" }, body)));
  if (foreign !== 403) wrong["from elsewhere"].push(`${path} ${foreign}`);
  if (!methods.get) {
    const get = statusOf(await send(request("GET", path, bearer(admin))));
    if (get !== 405) wrong["by GET"].push(`${path} ${get}`);
  }
  const room = path.split("/").length > 3 ? path.split("/")[2] : "";
  if (["dialogue", "mail", "notes"].includes(room)) {
    const status = statusOf(await send(request("POST", path, { ...bearer(limited), ...json(body) }, body)));
    if (status !== 403) wrong["outside of its rooms"].push(`${path} ${status}`);
  }
}
const before = await (await fetch(`${url}/api/feed?limit=0`, { headers: bearer(admin) })).json();
for (const path of writing) {
  const said = await send(request("POST", path, { ...bearer(reader), ...json("{}") }, "{}"));
  const status = statusOf(said);
  if (status < 400 || status >= 500) wrong["with the token of a reader"].push(`${path} ${status} ${bodyOf(said).slice(0, 100)}`);
}
const after = await (await fetch(`${url}/api/feed?limit=0`, { headers: bearer(admin) })).json();
for (const [who, paths] of Object.entries(wrong)) ok(paths.length === 0, `no operation ${who} (${operations.length} operations, ${writing.length} of them write)`, paths.join("\n"));
ok(before.position === after.position, "and nothing was written");

// ---- requests that nobody would send ----
const methods = ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get", "G\x01T", "CONNECT", "A".repeat(300)];
const junk = () => Array.from({ length: random(30) }, () => String.fromCharCode(1 + random(254))).join("").replace(/[\r\n]/g, "?");
const encoded = () => pick(["%00", "%2e%2e", "%2f", "%ff", "%", "%zz", "..", "//", "?", "#", "&&==", "%0d%0aX:y", "\\", "+", ";"]);
const path = () => pick(["/", "/api", "/api/", "/api/events", "/api/session", "/metrics", "/healthz", "/mcp", "/app.js", "*", "", ...operations.map(([name]) => name)]) + Array.from({ length: random(3) }, () => pick([encoded(), junk().replaceAll(" ", ""), "/x".repeat(random(400)), `?after=${encoded()}`, "?dialogue_id=a&limit=9".repeat(random(40))])).join("");
const nested = (depth) => "[".repeat(depth) + "]".repeat(depth);
const bodies = () => pick(["", "{}", "[]", "null", "{", '{"a":', `{"title":"${"x".repeat(random(20000))}"}`, nested(random(3000)), `{"dialogue_id":${random(9)}}`, '{"title":"a","title":"b"}', '{"title":"\\ud800"}', "\xff\xfe{}", '{"title":1e999}', junk(), `{${Array.from({ length: 200 }, (_, i) => `"k${i}":${i}`).join(",")}}`]);
const header = () =>
  pick([
    () => ["Last-Event-ID", pick(["", "start", "-1", "9".repeat(400), junk(), "1-0", "\u00e9"])],
    () => ["Accept-Encoding", pick(["gzip", "br, gzip;q=0", junk()])],
    () => ["If-None-Match", pick(["*", '"x"', `"${"a".repeat(3000)}"`, junk()])],
    () => ["Cookie", `conclave_token=${pick([admin, reader, junk(), ""])}; x=${junk()}`],
    () => ["Content-Type", pick(["application/json", "text/plain", "application/json; charset=latin1", "multipart/form-data", junk()])],
    () => ["Sec-Fetch-Site", pick(["same-origin", "cross-site", "none", junk()])],
    () => ["Origin", pick(["null", "http://evil.example", `http://${host}:1`, `${url}.evil.example`, `http://evil@${host}`, "file://", junk()])],
    () => ["Range", "bytes=0-0,5-"],
    () => ["Expect", pick(["100-continue", "nothing"])],
    () => ["X-Long", "y".repeat(random(9000))],
    () => ["Authorization", pick([`Bearer ${admin}`, `bearer  ${reader}`, "Basic eDp5", "Bearer", `Bearer ${"z".repeat(5000)}`, junk()])],
  ])();
const strange = [];
let answered = 0;
async function one() {
  const method = random(3) ? pick(["GET", "POST"]) : pick(methods);
  const headers = Object.fromEntries(Array.from({ length: random(5) }, header));
  const body = bodies();
  const length = pick([Buffer.byteLength(body, "latin1"), Buffer.byteLength(body, "latin1"), 0, Buffer.byteLength(body, "latin1") + 1, "x", -1]);
  const framing = random(6) ? { "Content-Length": length } : { "Transfer-Encoding": "chunked" };
  const payload = framing["Transfer-Encoding"] ? pick([`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`, `${body}\r\n`, "0\r\n\r\n", "ffffffffffffffff\r\nx"]) : body;
  const text = request(method, path(), { ...(random(3) ? bearer(admin) : {}), ...headers, ...framing, Connection: "close" }, payload);
  const said = await send(text, 400);
  const status = statusOf(said);
  answered += status > 0;
  const outside = headers["Origin"] !== undefined || ["cross-site"].includes(headers["Sec-Fetch-Site"]);
  const fine = status === 0 || (status >= 200 && status < 500) || [501, 503, 505].includes(status);
  const refused = !outside || status !== 200 || !/^(GET|POST) \/api\/[a-z]/.test(text) || text.startsWith("GET /api/events");
  const told = !said.includes("application/json") || status < 400 || /"message"/.test(said) || method === "HEAD";
  const shown = said.replace(/^set-cookie: .*$/im, ""); // a session's cookie holds the token that asked for it
  if (!fine || !refused || !told || shown.includes(admin)) strange.push(`${JSON.stringify(text.slice(0, 400))}\n -> ${said.slice(0, 200)}`);
}
for (let i = 0; i < MANY; i += 60) await Promise.all(Array.from({ length: 60 }, one));
ok(strange.length === 0, `${MANY} generated requests: each is answered in words, or cut off`, strange.slice(0, 4).join("\n"));
ok(answered > MANY / 2, "most of them get an answer", `${answered} of ${MANY}`);

// ---- requests that fit the description, but for what they name ----
const files = ["", ".", "..", "/", "missing", "missing/deep/file", "folder", "folder/", "fifo", "text.md", "text.md/x", "binary", "loop", "not-utf8", "bad.json", "bad.toml", "empty", "a".repeat(300), "a/".repeat(3000), "/dev/null", "/proc/self/mem", "-", "\0", ".conclave", ".conclave/conclave.db"];
const away = [beside, `${beside}/secret.json`, `${beside}/secret.md`, "../beside", "../beside/secret.json", "../beside/secret.md", "../beside/new", `${beside}/new`, "outside", "outside/secret.json", "outside/secret.md", "outside/new", "./folder/../../beside/secret.json"];
const names = ["over-http", "nowhere", "reader", "talker", "Owner@reader", "T0001", "M0001", "0", "final", "start", "x".repeat(100), "\u202e", "a b", "\u00e9", "", "@everyone", "FF0000", "sqlite", "postgresql://127.0.0.1:1/x"];
const WAITS = /seconds|wait|timeout/;
/** A value that the schema allows, mostly. `texts`: what is where a text is wanted. */
function value(schema, name, texts, odd, depth = 0) {
  if (odd && random(25) === 0) return pick([null, 0, -1, 1e308, 2 ** 53, "", [], {}, true, "x", [[]], "\ud800"]);
  if (schema.enum) return pick(schema.enum);
  const one = schema.oneOf ?? schema.anyOf;
  if (one) return value(pick(one), name, texts, odd, depth);
  const inner = (part, key) => value(part, key, texts, odd, depth + 1);
  switch (Array.isArray(schema.type) ? pick(schema.type) : schema.type) {
    case "boolean":
      return Boolean(random(2));
    case "integer":
    case "number":
      return WAITS.test(name) ? (schema.minimum ?? 0) : pick([0, 1, 2, schema.minimum ?? 0, schema.maximum ?? 100, 99999999, -5, 0.5]);
    case "array":
      return Array.from({ length: 1 + random(3) }, () => inner(schema.items ?? {}, name));
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([key]) => depth < 5 && ((schema.required ?? []).includes(key) ? random(20) : random(3) === 0))
          .map(([key, part]) => [key, inner(part, key)]),
      );
    default:
      return pick(texts);
  }
}
// These wait for something to happen, and are tried elsewhere.
const prompt = operations.filter(([path]) => !/\/(watch|wait)$/.test(path));
const inputOf = (methods) => ({ ...methods.post.requestBody.content["application/json"].schema, type: "object" });
const said = [];
async function call(path, input) {
  const response = await fetch(url + path, { method: "POST", headers: { ...bearer(admin), "Content-Type": "application/json" }, body: JSON.stringify(input) });
  const text = await response.text();
  const fault = response.ok ? {} : JSON.parse(text);
  if (response.status >= 500 || (response.status >= 400 && !(fault.error_code && fault.message))) said.push(`${path} ${JSON.stringify(input).slice(0, 300)}\n -> ${response.status} ${text.slice(0, 300)}`);
  return text;
}
const TURNS = process.env.CV_SOAK ? 60 : 5;
for (let turn = 0; turn < TURNS; turn++)
  for (const [path, methods] of prompt) await call(path, value(inputOf(methods), "", random(2) ? files : [...files, ...names], true));
ok(said.length === 0, `${TURNS * prompt.length} requests made from the description: whatever is the caller's fault is told as one`, said.slice(0, 6).join("\n"));

// ---- paths that lead out of the project ----
const seen = () => readdirSync(beside, { recursive: true }).sort().map((name) => `${name} ${readFileSync(`${beside}/${name}`, "latin1")}`).join("\n");
const untouched = seen();
const told = [];
for (const [path, methods] of prompt)
  for (const [name, property] of Object.entries(inputOf(methods).properties ?? {}))
    if (/string|array/.test(String(property.type)))
      for (const place of process.env.CV_SOAK ? away : [pick(away), pick(away), pick(away)]) {
        const input = { ...value(inputOf(methods), "", names, false), [name]: String(property.type).includes("array") ? [place] : place };
        const text = await call(path, input);
        if (text.includes("SECRET")) told.push(`${path} ${JSON.stringify(input).slice(0, 300)}\n -> ${text.slice(0, 300)}`);
      }
ok(told.length === 0, "no operation tells what stands outside of the project", told.slice(0, 6).join("\n"));
ok(seen() === untouched, "or writes there", seen());
ok(said.length === 0, "and all of that is the caller's fault", said.slice(0, 6).join("\n"));

// ---- where others have been, and what is too much ----
for (const last of ["nonsense", "0-deadbeef", "9".repeat(250), "\u00e9", "start, start"]) {
  const said = await send(request("GET", "/api/events", { ...bearer(admin), "Last-Event-ID": last }));
  ok(statusOf(said) === 400 && bodyOf(said).includes('"message"'), `Last-Event-ID ${JSON.stringify(last.slice(0, 20))}: refused in words`, said.slice(0, 300));
}
const huge = await send(request("POST", "/api/dialogue/create", { ...bearer(admin), "Content-Type": "application/json", "Content-Length": 1 << 30 }, '{"title":"'));
ok(statusOf(huge) === 413, "a body of a gigabyte is refused before it is sent", huge.slice(0, 200));
const chunks = await send(`${request("POST", "/api/dialogue/create", { ...bearer(admin), "Content-Type": "application/json", "Transfer-Encoding": "chunked" })}${`10000\r\n${"x".repeat(0x10000)}\r\n`.repeat(400)}`, 10000);
ok([413, 0].includes(statusOf(chunks)), "so is one without a length, once it is too long", chunks.slice(0, 200));

// ---- first lines and headers up to what a connection has memory for, and beyond ----
// What is refused before the library gives up is told in JSON. It gives up by itself at 20 KB, or where it copies a cookie
// that it has no room for: then it says 414 or 431 in words of its own, or closes the connection.
const OWN = 19700;
const many = (n, item, by) => Array.from({ length: n }, (_, i) => item(i)).join(by);
const growing = {
  "a long path": (n) => [`/api/${"x".repeat(n)}`, ""],
  "a long parameter": (n) => [`/api/dialogue/list?a=${"x".repeat(n)}`, ""],
  "many parameters": (n) => [`/api/dialogue/list?${many(n / 40, (i) => `a${i}=1`, "&")}`, ""],
  "empty parameters": (n) => [`/api/dialogue/list?${"&".repeat(n / 40)}`, ""],
  "a long header": (n) => ["/api/dialogue/list", `X-Long: ${"x".repeat(n)}\r\n`],
  "many headers": (n) => ["/api/dialogue/list", many(n / 80, (i) => `X-${i}: 1\r\n`, "")],
  "a long token": (n) => ["/api/dialogue/list", `Authorization: Bearer ${"x".repeat(n)}\r\n`],
  "a long cookie": (n) => ["/api/dialogue/list", `Cookie: a=${"x".repeat(n / 2)}\r\n`],
  "many cookies": (n) => ["/api/dialogue/list", `Cookie: ${many(n / 80, (i) => `a${i}=1`, "; ")}\r\n`],
  "some of all": (n) => [`/api/dialogue/list?${many(25, (i) => `a${i}=1`, "&")}`, `Cookie: ${many(25, (i) => `a${i}=1`, "; ")}\r\nX-Long: ${"x".repeat(n / 2)}\r\n`],
};
for (const [what, make] of Object.entries(growing)) {
  const sizes = [...Array.from({ length: 60 }, () => 1 + random(OWN)), ...Array.from({ length: 15 }, () => OWN + random(70000)), 10, 8000, 15900, 16000, 16384];
  const odd = [];
  let refused = 0;
  await Promise.all(
    sizes.map(async (n) => {
      const [target, more] = make(n);
      const said = await send(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${more.startsWith("Authorization") ? "" : `Authorization: Bearer ${admin}\r\n`}${more}\r\n`, 8000);
      const told = statusOf(said);
      refused += told === 414 || told === 431;
      const fine = [200, 400, 401, 404].includes(told) || ((told === 414 || told === 431) && (n > OWN || /"error_code":"limit_exceeded"/.test(said)));
      if (!fine && !(told === 0 && n > OWN && what.includes("cookie"))) odd.push(`${n} bytes: ${JSON.stringify(said.slice(0, 200))}`);
      if (n <= 4000 && (told === 414 || told === 431)) odd.push(`${n} bytes are refused`);
    }),
  );
  ok(odd.length === 0 && refused > 0, `${what}: an answer at every length`, `${refused} refused\n${odd.join("\n")}`);
}
// The client leaves when it has read why, before the headers are there: nothing is left of its request (a sanitizer says so).
const leaving = await Promise.all(
  Array.from({ length: 20 }, () =>
    new Promise((done) => {
      const socket = net.connect({ host, port }, () => socket.write(`GET /api/dialogue/list?${"&".repeat(2500)} HTTP/1.1\r\n`));
      socket.on("error", () => done("")).once("data", (bytes) => setTimeout(() => (socket.resetAndDestroy(), done(String(bytes))), 100));
    }),
  ),
);
ok(leaving.every((said) => statusOf(said) === 414), "a first line that is too long is refused before there are headers", leaving[0].slice(0, 200));

// What docs/api.md promises: 8 KB, 64 parameters, headers and cookies, 4 KB of cookies.
const crowded = `GET /api/dialogue/list?${many(30, (i) => `a${i}=1`, "&")} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${admin}\r\nCookie: ${many(10, (i) => `c${i}=${"x".repeat(390)}`, "; ")}\r\n${many(20, (i) => `X-${i}: 1\r\n`, "")}`;
const promised = await send(`${crowded}X-Rest: ${"x".repeat(8192 - crowded.length - 12)}\r\n\r\n`, 8000);
ok(statusOf(promised) === 400 && promised.includes("unknown"), "what is promised to be taken is taken", promised.slice(0, 300));
const alive = await fetch(`${url}/healthz`);
ok(alive.status === 200, "the server is alive");
