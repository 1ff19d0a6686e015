// pressed.mjs - a server under pressure, by raw sockets: what must be refused is refused with its status, the connection
// is closed where it must be, and those who do nothing wrong are served meanwhile.
//
//   node pressed.mjs FIXTURE-URL
//
// One line of TAP per thing that must hold. CV_SOAK=1 generates more, CV_SEED others.
import http from 'node:http';
import net from 'node:net';

const [url] = process.argv.slice(2);
const soak = process.env.CV_SOAK ? 40 : 1;
const port = Number(new URL(url).port);
let number = 0;
let failed = false;
const ok = (holds, what, more = '') => {
    console.log(`${holds ? 'ok' : 'not ok'} ${++number} - ${what}`);
    if (!holds && more) console.log(`#   ${String(more).slice(0, 600).replaceAll('\n', '\n#   ')}`);
    failed ||= !holds;
};
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
let seed = Number(process.env.CV_SEED ?? 1);
const random = (n) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed >> 8) % n;
};
const pick = (list) => list[random(list.length)];

// ---- raw requests ----

const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const message = (method, params = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
const body = message('server/discover');
const length = `Content-Length: ${body.length}`;
const chunks = (text) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
const usual = ['Host: localhost', 'Content-Type: application/json', 'MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: server/discover'];
const post = (headers, text = body, line = 'POST /mcp HTTP/1.1') => `${line}\r\n${headers.join('\r\n')}\r\n\r\n${text}`;

const connect = () =>
    new Promise((done) => {
        const socket = net.connect({ host: '127.0.0.1', port }, () => done(socket));
        socket.said = '';
        socket.gone = false;
        socket.setNoDelay(true);
        socket.on('data', (d) => (socket.said += d.toString('latin1')));
        socket.on('error', () => done(socket));
        socket.on('close', () => (socket.gone = true));
    });
const until = async (holds, ms = 60000) => {
    for (let end = Date.now() + ms; !holds() && Date.now() < end; ) await sleep(5);
    return holds();
};
const statuses = (socket) => [...socket.said.matchAll(/HTTP\/1\.1 (\d+)/g)].map((m) => Number(m[1]));
const send = async (text, answers = 1) => {
    const socket = await connect();
    for (let at = 0; at < text.length; ) {
        const n = random(3) ? text.length : 1 + random(80); // all at once, or in pieces
        socket.write(Buffer.from(text.slice(at, at + n), 'latin1'));
        at += n;
        if (at < text.length) await sleep(1);
    }
    await until(() => socket.gone || statuses(socket).filter((s) => s !== 100).length >= answers);
    return socket;
};

// What must be answered 400, and nothing behind it read as another request.
const evil = post(usual.map((h) => (h.startsWith('Mcp-Method') ? 'Mcp-Method: smuggled' : h)).concat(length));
const refused = async (what, text) => {
    const socket = await send(text + evil);
    const closed = await until(() => socket.gone);
    socket.destroy();
    const all = statuses(socket);
    ok(all.length > 0 && all.every((s) => s === 400) && closed && !socket.said.includes('smuggled'), `400 and closed: ${what}`, socket.said || '(no answer)');
};
const accepted = async (what, text, count = 1) => {
    const socket = await send(text, count);
    const all = statuses(socket).filter((s) => s !== 100);
    socket.destroy();
    ok(all.length === count && all.every((s) => s === 200), `200: ${what}`, socket.said || '(no answer)');
};

const chunked = 'Transfer-Encoding: chunked';
const faults = {
    'Content-Length twice, the same': [[length, length]],
    'Content-Length twice, another': [[length, 'Content-Length: 5']],
    'Content-Length as a list': [[`${length}, ${body.length}`]],
    'Content-Length with a plus': [[`Content-Length: +${body.length}`]],
    'Content-Length with a minus': [[`Content-Length: -${body.length}`]],
    'Content-Length in hex': [['Content-Length: 0x28']],
    'Content-Length with a fraction': [[`${length}.0`]],
    'Content-Length empty': [['Content-Length:']],
    'Content-Length with a NUL': [[`${length}\0`]],
    'Content-Length with a NUL and more': [[`${length}\x005`]],
    'a blank before the colon': [[length.replace(':', ' :')]],
    'a length that goes on in the next line': [['Content-Length: 1\r\n 7']],
    'a length in the next line': [[`Content-Length:\r\n\t${body.length}`]],
    'a header that goes on in the next line': [['X-Folded: a\r\n b', length]],
    'a first line that goes on': [[length], body, 'POST /mcp HTTP/1.1\r\n X: y'],
    'Content-Length and Transfer-Encoding': [[length, chunked], chunks(body)],
    'Transfer-Encoding and Content-Length': [[chunked, length], chunks(body)],
    'Transfer-Encoding and Content-Length 0': [[chunked, 'Content-Length: 0'], chunks(body)],
    'Transfer-Encoding twice': [[chunked, chunked], chunks(body)],
    'Transfer-Encoding identity': [['Transfer-Encoding: identity'], body],
    'Transfer-Encoding gzip, chunked': [['Transfer-Encoding: gzip, chunked'], chunks(body)],
    'Transfer-Encoding chunked, chunked': [['Transfer-Encoding: chunked, chunked'], chunks(body)],
    'Transfer-Encoding xchunked': [['Transfer-Encoding: xchunked'], chunks(body)],
    'Transfer-Encoding empty': [['Transfer-Encoding:'], body],
    'Transfer-Encoding with a vertical tab': [['Transfer-Encoding: \x0bchunked'], chunks(body)],
    'Transfer-Encoding with a blank before the colon': [['Transfer-Encoding : chunked', length]],
    'Transfer-Encoding behind a lone line feed': [[`X: y\nTransfer-Encoding: chunked`, length]],
    'Transfer-Encoding behind a lone carriage return': [[`X: y\r${chunked}`, length]],
    'chunks in HTTP/1.0': [[chunked], chunks(body), 'POST /mcp HTTP/1.0'],
    'a chunk of -1': [[chunked], `-1\r\n${body}\r\n0\r\n\r\n`],
    'a chunk of 0x28': [[chunked], `0x28\r\n${body}\r\n0\r\n\r\n`],
    'a chunk of zz': [[chunked], `zz\r\n${body}\r\n0\r\n\r\n`],
    'a chunk without a size': [[chunked], `\r\n${body}\r\n0\r\n\r\n`],
    'a chunk with a blank before its size': [[chunked], ` 28\r\n${body}\r\n0\r\n\r\n`],
    'a chunk that is longer than its size': [[chunked], `5\r\n${body}\r\n0\r\n\r\n`],
    'Host twice, the same': [['Host: localhost', length]],
    'Host twice, another': [['Host: evil.example.com', length]],
    'Origin twice': [['Origin: http://localhost', 'Origin: http://evil.example.com', length]],
    'Authorization twice': [['Authorization: Bearer a', 'Authorization: Bearer b', length]],
    'Content-Type twice': [['Content-Type: text/plain', length]],
    'a header without a name': [[': x', length]],
    'a header without a colon': [['Nothing', length]],
    'a name with a blank': [['X Y: z', length]],
    'a value with a NUL': [['X: a\0b', length]],
    'a value with a NUL in the middle of two': [['X: a\0', length]],
};
for (const [what, [headers, text, line]] of Object.entries(faults)) await refused(what, post([...usual, ...headers], text, line));

// Combinations: any number of harmless headers, and faults anywhere between them, in any order and any case.
const harmless = () => `X-${random(100)}:${' '.repeat(random(3))}${pick(['', 'a', 'b, c', '"d e"', 'é', 'y'.repeat(random(1500))])}${pick(['', ' ', '\t'])}`;
const shuffled = (list) => list.map((item) => [random(1 << 20), item]).sort((a, b) => a[0] - b[0]).map((pair) => pair[1]);
const anycase = (header) => header.replace(/^[^:]*/, (name) => [...name].map((c) => (random(2) ? c.toUpperCase() : c.toLowerCase())).join(''));
const mixed = (extra) => shuffled([...usual, ...Array.from({ length: random(6) }, harmless), ...extra]).map(anycase);
let wrong = [];
for (let i = 0; i < 60 * soak; i++) {
    const [what, [headers, text, line]] = pick(Object.entries(faults).filter(([name]) => !/first line|lone/.test(name)));
    const request = post(mixed(headers), text, line);
    const socket = await send(request + evil);
    const closed = await until(() => socket.gone);
    socket.destroy();
    const all = statuses(socket);
    if (!(all.length > 0 && all.every((s) => s === 400) && closed && !socket.said.includes('smuggled'))) wrong.push(what, request, socket.said);
}
ok(wrong.length === 0, `${60 * soak} faulty requests, their headers in any order: 400 and closed`, JSON.stringify(wrong));
wrong = [];
for (let i = 0; i < 60 * soak; i++) {
    const count = 1 + random(3);
    const pieces = () => {
        let out = '';
        for (let at = 0; at < body.length; ) {
            const n = Math.min(1 + random(90), body.length - at);
            out += `${n.toString(16)}${random(4) ? '' : ';a=b'}\r\n${body.slice(at, at + n)}\r\n`;
            at += n;
        }
        return `${out}0\r\n${random(4) ? '' : 'X-Trailer: y\r\n'}\r\n`;
    };
    const one = () => (random(2) ? post(mixed([length])) : post(mixed([chunked]), pieces()));
    const request = Array.from({ length: count }, one).join('');
    const socket = await send(request, count);
    const all = statuses(socket);
    socket.destroy();
    if (all.length !== count || !all.every((s) => s === 200)) wrong.push(request, socket.said);
}
ok(wrong.length === 0, `${60 * soak} times one to three requests at once, whole or in pieces: all answered`, JSON.stringify(wrong));
await accepted('blanks and leading zeros', post([...usual, `Content-Length: \t000${body.length}`]));
await accepted('a client that waits to be told to go on', post([...usual, length, 'Expect: 100-continue']));

// ---- too large ----

const big = async (headers, pieces) => {
    const socket = await connect();
    socket.write(post([...usual, ...headers], ''));
    for (const piece of pieces) {
        if (socket.gone || socket.said) break;
        socket.write(piece);
        await sleep(0);
    }
    await until(() => socket.said);
    return socket;
};
const kilobytes = (n) => 'x'.repeat(n << 10);
const chunk = (text) => `${text.length.toString(16)}\r\n${text}\r\n`;
for (const [what, headers, pieces] of [
    ['one chunk above the limit', [chunked], [chunk(kilobytes(1100)), '0\r\n\r\n']],
    ['many chunks above the limit', [chunked], [...Array.from({ length: 300 }, () => chunk(kilobytes(4))), '0\r\n\r\n']],
    ['one byte above the limit', [chunked], [chunk(kilobytes(1024)), chunk('x'), '0\r\n\r\n']],
    ['a message, whole, and blanks up to above the limit', [chunked], [chunk(body), chunk(' '.repeat(1 << 20)), '0\r\n\r\n']],
    ['a length above the limit', [`Content-Length: ${(1 << 20) + 1}`], Array.from({ length: 65 }, () => kilobytes(16))],
    ['a length of 10^19', ['Content-Length: 10000000000000000000'], [kilobytes(1)]],
    ['a length of 10^30', [`Content-Length: 1${'0'.repeat(30)}`], [kilobytes(1)]],
]) {
    const socket = await big(headers, pieces);
    const closed = await until(() => socket.gone);
    ok(statuses(socket).length > 0 && statuses(socket).every((s) => s === 413) && closed, `413 and closed: ${what}`, socket.said);
    socket.destroy();
}
await accepted('a chunked body that is just not too large', post([...usual, chunked], chunk(body) + chunk(' '.repeat((1 << 20) - body.length)) + '0\r\n\r\n'));

// ---- too much at once ----

const ask = async (name, args = {}) => {
    const answer = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name },
        body: message('tools/call', { name, arguments: args }),
    });
    return { status: answer.status, text: (await answer.json()).result?.content?.[0].text };
};
const uploads = await Promise.all(Array.from({ length: 60 }, connect)); // 60 × 900 KB, none of them whole; 4 MB are allowed together
for (const socket of uploads) socket.write(post([...usual, 'Content-Length: 1000000'], ''));
for (let i = 0; i < 9; i++) for (const socket of uploads) if (!socket.said && !socket.gone) socket.write(kilobytes(100));
const answered = () => uploads.filter((s) => s.said);
await until(() => answered().length >= 54);
ok(answered().length >= 54 && answered().length < 60, `of 60 unfinished bodies ${60 - answered().length} fit below the ceiling`);
ok(answered().every((s) => statuses(s)[0] === 503 && /\r\nRetry-After: \d+\r\n/.test(s.said)), 'the others are answered 503 with Retry-After', answered()[0]?.said);
ok((await ask('test_simple_text')).status === 200, 'a small request passes beside them');
const let_in = uploads.filter((s) => !s.said && !s.gone);
for (const socket of let_in) socket.write('x'.repeat(1000000 - 9 * 102400));
ok(await until(() => let_in.every((s) => s.said)), 'those that were let in are answered when they are whole');
ok(let_in.some((s) => statuses(s)[0] === 400 && s.said.includes('-32700')), 'for what they are: not messages', let_in[0]?.said);
for (const socket of uploads) socket.destroy();
const stalled = await Promise.all(Array.from({ length: 3 }, connect));
for (const socket of stalled) socket.write(post([...usual, 'Content-Length: 1000000'], kilobytes(500)));
ok(await until(() => stalled.every((s) => s.gone)), 'who does not finish is cut off');
await accepted('large bodies are taken again', post([...usual, chunked], chunk(body) + chunk(' '.repeat(1000000)) + '0\r\n\r\n'));

// ---- slow calls, and quick ones beside them ----

const agent = new http.Agent({ keepAlive: false, maxSockets: Infinity });
let over = 0;
const block = (name) =>
    new Promise((done) => {
        const request = http.request(url, { agent, method: 'POST', headers: { 'Content-Type': 'application/json', 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name } }, (answer) => {
            answer.resume();
            answer.on('end', () => (over++, done(answer.statusCode)));
        });
        request.on('error', () => done(0));
        request.end(message('tools/call', { name, arguments: {} }));
    });
const slow = Array.from({ length: 40 }, () => block('block'));
await sleep(50);
slow.push(...Array.from({ length: 40 }, () => block('block_too')));
let count = 0;
for (let i = 0; i < 20; i++) count += (await ask('test_simple_text')).status === 200;
ok(count === 20 && over === 0, '20 quick calls are answered while 80 slow ones are not');
const busy = Number((await ask('blocked')).text);
ok(busy >= 1 && busy <= 16 && over === 0, `of which ${busy} are being served, at most 16`);
ok((await ask('release')).text === 'released', 'a call can end them');
ok((await Promise.all(slow)).every((s) => s === 200) && over === 80, 'then all 80 are answered');

// ---- sessions ----

const initialize = () =>
    fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } }) });
const inSession = async (id, method) =>
    (await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json', 'Mcp-Session-Id': id }, body: JSON.stringify({ jsonrpc: '2.0', id: 2, method }) })).status;
const living = (await initialize()).headers.get('mcp-session-id');
await inSession(living, 'ping');
const others = [];
let turned = null;
for (let i = 0; i < 1100 && !turned; i++) {
    const answer = await initialize();
    await answer.text();
    if (answer.status === 200) others.push(answer.headers.get('mcp-session-id'));
    else turned = answer;
}
ok(others.length === 999 && turned?.status === 503, `after ${others.length} more sessions a new one is refused: ${turned?.status}`);
ok(Number(turned?.headers.get('retry-after')) > 0, `and told to come back in ${turned?.headers.get('retry-after')} seconds`);
ok((await inSession(living, 'ping')) === 200, 'the one that was there first is served');
ok((await inSession(others[0], 'ping')) === 200 && (await inSession(others.at(-1), 'ping')) === 200, 'and so are the others');
await fetch(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': others[0] } });
ok((await initialize()).status === 200, 'one that ends makes room for another');
ok((await inSession(others[0], 'ping')) === 404 && (await inSession(living, 'ping')) === 200, 'and nobody else has to go');

console.log(`1..${number}`);
process.exit(failed ? 1 : 0);
