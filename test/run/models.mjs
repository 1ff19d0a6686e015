#!/usr/bin/env node
// models.mjs - a server that speaks as model servers do, well or badly, for tests.
//
//   node test/run/models.mjs [--answer COMMAND] [--key KEY] [--log FILE] [--tls FOLDER]
//
// With --tls it speaks HTTPS, with the key.pem and cert.pem of that folder (test/run/tls has some for 127.0.0.1).
//
// prints "PORT\n" once it listens on 127.0.0.1, and ends when its standard input does. The end of a path is the protocol
// (…/chat/completions, …/messages, …/api/chat), its first part the behaviour:
//
//   ok          answers in pieces: with the output of COMMAND, which gets the prompt on standard input, or "You said: …"
//   bytes       the same, one byte at a time, with CR LF at the ends of lines
//   document    the same in one document, though a stream was asked for; mistyped: as a stream that calls itself a document or text
//   open        the same, and the connection stays open behind the end
//   N           a status: 429, 503, 529, 500, 401, 400, 404, 301; "429x2" is for the first two requests, then ok
//   429-date    with the date instead of the seconds; 429-ms: with retry-after-ms; quota: 429, but nothing to wait for
//   hang        takes the request and says nothing; stall: begins and goes silent
//   cut         closes the connection in the middle of an event; end: between two, properly, without the end event
//   drop        closes the connection without a word; half: in the middle of the first event
//   broken      an event that is not JSON; html: a page; error: an event that tells of an error
//   refuse      declines; length: stops at the limit of tokens; empty: ends without a word; not-text: bytes that are not UTF-8
//   big-N       an answer of N bytes
//   key         wants KEY, else 401 with whatever it was given, as careless servers do
//   wait-N      ok after N milliseconds
//
// GET /count tells how often each behaviour was asked for.
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import http_server from "node:http";
import https_server from "node:https";

const options = {};
for (let i = 2; i < process.argv.length; i += 2) options[process.argv[i].slice(2)] = process.argv[i + 1];
const counts = {};
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function answer(prompt, request) {
    if (!options.answer) return Promise.resolve(`You said: ${prompt.split("\n")[0]} ✓`);
    return new Promise((done) => {
        const child = spawn("/bin/sh", ["-c", options.answer], { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, MODEL: request.model } });
        let text = "";
        child.stdout.on("data", (piece) => (text += piece));
        child.on("close", () => done(text));
        child.stdin.on("error", () => {});
        child.stdin.end(prompt);
    });
}

// How each protocol writes pieces, ends, errors and whole answers.
const protocols = {
    "/chat/completions": {
        type: "text/event-stream",
        key: (headers) => (headers.authorization ?? "").replace("Bearer ", ""),
        first: (r) => [{ model: r.model + "-0613", choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] }],
        piece: (r, text) => ({ model: r.model + "-0613", choices: [{ index: 0, delta: { content: text }, finish_reason: null }] }),
        last: (r, stop) => [
            { model: r.model + "-0613", choices: [{ index: 0, delta: {}, finish_reason: { stop: "stop", refuse: "content_filter", length: "length" }[stop] }] },
            { model: r.model + "-0613", choices: [], usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } },
            "[DONE]",
        ],
        error: (message, type) => ({ error: { message, type } }),
        whole: (r, text) => ({ model: r.model + "-0613", choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }], usage: { prompt_tokens: 11, completion_tokens: 7 } }),
        write: (event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`,
    },
    "/messages": {
        type: "text/event-stream; charset=utf-8",
        key: (headers) => headers["x-api-key"] ?? "",
        first: (r) => [
            { type: "message_start", message: { model: r.model + "-20250101", content: [], usage: { input_tokens: 5, cache_read_input_tokens: 6, output_tokens: 1 } } },
            { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
            { type: "ping" },
        ],
        piece: (r, text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
        last: (r, stop) => [
            { type: "content_block_stop", index: 0 },
            { type: "message_delta", delta: { stop_reason: { stop: "end_turn", refuse: "refusal", length: "max_tokens" }[stop] }, usage: { output_tokens: 7 } },
            { type: "message_stop" },
        ],
        error: (message, type) => ({ type: "error", error: { type, message } }),
        whole: (r, text) => ({ type: "message", model: r.model + "-20250101", content: [{ type: "text", text }], stop_reason: "end_turn", usage: { input_tokens: 11, output_tokens: 7 } }),
        write: (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
    },
    "/api/chat": {
        type: "application/x-ndjson",
        key: (headers) => (headers.authorization ?? "").replace("Bearer ", ""),
        first: () => [],
        piece: (r, text) => ({ model: r.model, message: { role: "assistant", content: text }, done: false }),
        last: (r, stop) => [{ model: r.model, message: { role: "assistant", content: "" }, done: true, done_reason: stop === "length" ? "length" : stop === "refuse" ? "safety" : "stop", prompt_eval_count: 11, eval_count: 7 }],
        error: (message) => ({ error: message }),
        whole: (r, text) => ({ model: r.model, message: { role: "assistant", content: text }, done: true, done_reason: "stop", prompt_eval_count: 11, eval_count: 7 }),
        write: (event) => JSON.stringify(event) + "\n",
    },
};

// In pieces of seven characters, so that words and lines are cut.
function pieces(text) {
    const letters = [...text];
    const all = [];
    for (let i = 0; i < letters.length; i += 7) all.push(letters.slice(i, i + 7).join(""));
    return all;
}

async function stream(reply, p, request, text, stop, { bytes, end = true, type = p.type, open } = {}) {
    const events = [...p.first(request), ...pieces(text).map((t) => p.piece(request, t)), ...(end ? p.last(request, stop) : [])];
    reply.writeHead(200, { "content-type": type });
    if (!bytes) {
        for (const event of events) reply.write(p.write(event));
        return open ? undefined : reply.end();
    }
    for (const byte of Buffer.from(events.map(p.write).join("").replaceAll("\n", "\r\n"))) {
        reply.write(Buffer.of(byte));
        if (byte === 10) await sleep(0);
    }
    reply.end();
}

function refuse(reply, p, status, headers = {}, message = `status ${status} was asked for`, type = "api_error") {
    reply.writeHead(status, { "content-type": "application/json", ...headers });
    reply.end(JSON.stringify(p.error(message, type)));
}

async function serve(reply, http, p, behaviour, request, prompt) {
    const [, status, times] = /^(\d{3})(?:x(\d+))?$/.exec(behaviour) ?? [];
    const begin = () => {
        reply.writeHead(200, { "content-type": p.type });
        for (const event of [...p.first(request), p.piece(request, "It begins")]) reply.write(p.write(event));
    };
    if (status && (!times || counts[behaviour] <= Number(times)))
        return refuse(reply, p, Number(status), status === "301" ? { location: "http://127.0.0.1:1/elsewhere" } : { "retry-after": "2" });
    const wait = /^wait-(\d+)$/.exec(behaviour), big = /^big-(\d+)$/.exec(behaviour);
    if (wait) await sleep(Number(wait[1]));
    if (big) return stream(reply, p, request, "x".repeat(Number(big[1])), "stop");
    switch (status || wait ? "ok" : behaviour) {
        case "ok":
            return stream(reply, p, request, await answer(prompt, request), "stop");
        case "bytes":
            return stream(reply, p, request, await answer(prompt, request), "stop", { bytes: true });
        case "mistyped":
            return stream(reply, p, request, await answer(prompt, request), "stop", { type: counts.mistyped % 2 ? "application/json" : "text/plain" });
        case "open":
            return stream(reply, p, request, await answer(prompt, request), "stop", { open: true });
        case "document":
            reply.writeHead(200, { "content-type": "application/json" });
            return reply.end(JSON.stringify(p.whole(request, await answer(prompt, request))));
        case "429-date":
            return refuse(reply, p, 429, { "retry-after": new Date(Date.now() + 5000).toUTCString() });
        case "429-ms":
            return refuse(reply, p, 429, { "retry-after-ms": "1500", "retry-after": "2" });
        case "quota":
            return refuse(reply, p, 429, {}, "You exceeded your current quota", "insufficient_quota");
        case "key": {
            const key = p.key(http.headers);
            if (key !== options.key) return refuse(reply, p, 401, {}, `Incorrect API key provided: ${key}`, "authentication_error");
            return stream(reply, p, request, `Your key is ${key}.`, "stop");
        }
        case "hang":
            return undefined;
        case "stall":
            return begin();
        case "cut":
            begin();
            reply.write(p.write(p.piece(request, "It goes on")).slice(0, 20));
            return setTimeout(() => reply.destroy(), 20);
        case "half":
            reply.writeHead(200, { "content-type": p.type });
            reply.write(p.write(p.piece(request, "It begins")).slice(0, 20));
            return setTimeout(() => reply.destroy(), 20);
        case "end":
            return stream(reply, p, request, "It begins and ends", "stop", { end: false });
        case "drop":
            return http.socket.destroy();
        case "broken":
            reply.writeHead(200, { "content-type": p.type });
            return reply.end(p.type.includes("event") ? "data: {not json}\n\n" : "{not json}\n");
        case "html":
            reply.writeHead(200, { "content-type": "text/html" });
            return reply.end("<html><body>Sign in</body></html>");
        case "error":
            begin();
            return reply.end(p.write(p.error("Overloaded", "overloaded_error")));
        case "refuse":
        case "length":
            return stream(reply, p, request, "I ca", behaviour);
        case "empty":
            return stream(reply, p, request, "", "stop");
        case "not-text":
            reply.writeHead(200, { "content-type": p.type });
            return reply.end(Buffer.concat([Buffer.from(p.type.includes("event") ? "data: \"" : "{\""), Buffer.of(0xff), Buffer.from("\"\n\n")]));
        default:
            return refuse(reply, p, 404, {}, `there is no behaviour '${behaviour}'`);
    }
}

const secure = options.tls && { key: readFileSync(`${options.tls}/key.pem`), cert: readFileSync(`${options.tls}/cert.pem`) };
const server = (secure ? https_server : http_server).createServer(secure || {}, async (http, reply) => {
    if (http.url === "/count") return reply.end(JSON.stringify(counts));
    const behaviour = http.url.split("/")[1];
    const name = Object.keys(protocols).find((end) => http.url.endsWith(end));
    counts[behaviour] = (counts[behaviour] ?? 0) + 1;
    let body = "";
    http.setEncoding("utf8");
    for await (const piece of http) body += piece;
    if (options.log) appendFileSync(options.log, JSON.stringify({ url: http.url, headers: http.headers, body: JSON.parse(body) }) + "\n");
    if (!name) return refuse(reply, protocols["/chat/completions"], 404, {}, "no such path");
    const request = JSON.parse(body);
    const prompt = request.messages.map((m) => m.content).join("\n");
    return serve(reply, http, protocols[name], behaviour, request, prompt);
});
server.keepAliveTimeout = 1000;
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
