// hostile.mjs - clients that mean no good, or have no luck: the server stays up, small and right.
//
//   node hostile.mjs SERVER-URL PID FIXTURE-URL PROGRAM FOLDER
//
// SERVER is `conclave serve` in a project (PID its process), FIXTURE a server with short patience, PROGRAM for standard
// input, FOLDER examples/deliberation. One line of TAP per thing that must hold.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { spawn } from 'node:child_process';

const [server, pid, fixture, program, folder] = process.argv.slice(2);
let number = 0;
let failed = false;
const ok = (holds, what) => {
    console.log(`${holds ? 'ok' : 'not ok'} ${++number} - ${what}`);
    failed ||= !holds;
};
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const memory = (of) => Number(/VmRSS:\s*(\d+)/.exec(fs.readFileSync(`/proc/${of}/status`, 'utf8'))[1]) / 1024;
const where = (url) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) });

let last = 0;
const request = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: ++last, method, params: { ...params, _meta: meta } });
const headers = (method, name) => ({
    'Content-Type': 'application/json',
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': method,
    ...(name ? { 'Mcp-Name': name } : {}),
});
const tool = async (verb, args) => {
    const name = verb === 'verify' ? 'conclave_verify' : `blue_dialogue_${verb}`;
    const answer = await fetch(server, { method: 'POST', headers: headers('tools/call', name), body: request('tools/call', { name, arguments: args }) });
    const { result } = await answer.json();
    return { failed: result.isError === true, ...JSON.parse(result.content[0].text) };
};
const alive = async (what) => ok((await tool('list', {})).status === 'success', `${what}: still served`);
const open = (url) =>
    new Promise((done) => {
        const socket = net.connect(where(url), () => done(socket));
        socket.on('error', () => done(socket));
    });

// ---- too much ----
const body = (text, more = {}) => fetch(server, { method: 'POST', headers: { ...headers('tools/list'), ...more }, body: text }).catch((e) => ({ status: 0, e }));
await alive('at first');
const before = memory(pid);
ok([413, 0].includes((await body('x'.repeat(100 << 20))).status), '100 MB are refused');
const endless = await open(server);
endless.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
let cut = false;
let told = '';
endless.on('close', () => (cut = true));
endless.on('data', (d) => (told += d));
const megabyte = `100000\r\n${'x'.repeat(1 << 20)}\r\n`;
for (let i = 0; i < 100 && !cut; i++) if (!endless.write(megabyte)) await Promise.race([new Promise((r) => endless.once('drain', r)), sleep(500)]);
const until = async (holds) => {
    for (let end = Date.now() + 60000; !holds() && Date.now() < end; ) await sleep(20);
    return holds();
};
ok(await until(() => cut), 'a body without an end is cut off');
ok(/^HTTP\/1\.1 413 [^]*too large/.test(told), 'and its client is told why');
endless.destroy();
ok((await body('['.repeat(10000) + ']'.repeat(10000))).status === 400, '10,000 nested arrays are no message');
ok((await body(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]))).status === 400, 'neither is invalid UTF-8');
const big = await open(server);
big.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'y'.repeat(200000)}\r\n\r\n`);
ok(/^HTTP\/1\.1 4/.test(String(await Promise.race([new Promise((r) => big.once('data', r)), sleep(60000)]))), 'headers that are too long are refused');
big.destroy();
await alive('after all of that');
ok(memory(pid) - before < 64, `memory grew by ${Math.round(memory(pid) - before)} MB`);

// ---- too much together: 60 × 30 MB, of which none is ever whole ----
const uploads = await Promise.all(Array.from({ length: 60 }, () => open(server)));
const answers = uploads.map((s) => ({ s, said: '' }));
answers.forEach((a) => a.s.on('data', (d) => (a.said += d)));
uploads.forEach((s) => s.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 32000000\r\n\r\n'));
const piece = Buffer.alloc(1 << 20, 'x');
for (let i = 0; i < 30; i++) {
    const waits = answers.filter((a) => !a.said && a.s.writable && !a.s.write(piece)).map((a) => new Promise((r) => a.s.once('drain', r)));
    await Promise.race([Promise.all(waits), sleep(300)]);
}
const refused = () => answers.filter((a) => /^HTTP\/1\.1 503 [^]*\r\nRetry-After: /.test(a.said)).length;
await until(() => refused() >= 50); // what is written may still be on its way
const turned = refused();
ok(turned >= 50, `of 60 unfinished bodies of 30 MB ${turned} are refused: 503 and Retry-After`);
const held = memory(pid) - before;
ok(held < 200, `memory grew by ${Math.round(held)} MB, not by 1,800`);
await alive('beside those that are left');
uploads.forEach((s) => s.destroy());

// ---- too many, too slow ----
const idle = await Promise.all(Array.from({ length: 1000 }, () => open(server)));
await alive('beside 1,000 idle connections');
idle.forEach((s) => s.destroy());
const slow = await Promise.all(Array.from({ length: 20 }, () => open(fixture)));
const ended = slow.map((s) => new Promise((done) => s.on('close', done)));
slow.forEach((s) => s.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: '));
const dripping = setInterval(() => slow.forEach((s) => s.writable && s.write('x')), 200);
const all = await Promise.race([Promise.all(ended).then(() => true), sleep(60000)]);
clearInterval(dripping);
ok(all === true, 'who sends a byte now and then is cut off all the same');

// ---- beside slow calls: of which each takes two seconds, and four have all workers ----
const ask = async (method, name) => {
    const params = name ? { name, arguments: {} } : {};
    const answer = await fetch(fixture, { method: 'POST', headers: headers(method, name), body: request(method, params) });
    return answer.text();
};
let over = 0;
const slowly = () => [1, 2].map(() => ask('tools/call', 'slow').then(() => over++));
const first = slowly();
ok((await ask('tools/call', 'test_simple_text')).includes('"result"') && over === 0, 'a quick call passes by slow ones');
const second = slowly();
await sleep(200);
ok((await ask('tools/list')).includes('"tools"') && over === 0, 'and what needs no worker by as many as there are workers');
await Promise.all([...first, ...second]);
ok(over === 4, 'which are all answered');

// ---- gone in the middle ----
await tool('create', { ...JSON.parse(fs.readFileSync(path.join(folder, 'dialogue.json'))), title: 'Hostile' });
for (let i = 0; i < 200; i++) {
    const s = await open(server);
    const text = request('tools/call', { name: 'blue_dialogue_get', arguments: { dialogue_id: 'hostile' } });
    s.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: blue_dialogue_get\r\nContent-Length: ${text.length}\r\n\r\n${text.slice(0, i % 3 ? undefined : 40)}`);
    s.destroy();
}
await alive('after 200 clients that left');

// ---- two at once ----
const round = (score) => ({ dialogue_id: 'hostile', round: 0, score, perspectives: [{ local_id: 'MUFFIN-P0001', label: 'One', content: 'Said once.', contributors: ['muffin'] }] });
const both = await Promise.all([tool('round_register', round(1)), tool('round_register', round(2))]);
ok(both.filter((b) => !b.failed).length === 1, 'of two who register the same round one succeeds');
ok(both.some((b) => b.errors?.[0].error_code === 'round_already_registered'), 'and the other is told so');
const same = await Promise.all(Array.from({ length: 8 }, () => tool('round_register', { dialogue_id: 'hostile', round: 1, score: 3 })));
ok(same.every((b) => !b.failed) && same.filter((b) => !b.replayed).length === 1, 'the same request from eight is done once');
ok((await tool('verify', {})).status === 'success', 'the record is whole');

// ---- standard input ----
const child = spawn(program, ['mcp'], { stdio: ['pipe', 'pipe', 'ignore'] });
let said = '';
child.stdout.on('data', (d) => (said += d));
const chunk = 'z'.repeat(1 << 20);
for (let i = 0; i < 100; i++) if (!child.stdin.write(chunk)) await new Promise((r) => child.stdin.once('drain', r));
child.stdin.write('\n');
child.stdin.write(`${'['.repeat(10000)}\n`);
child.stdin.write(`${request('server/discover', {})}\n`);
await until(() => said);
ok(said.includes('supportedVersions'), 'a line of 100 MB is passed over, the next is answered');
const resident = memory(child.pid);
ok(resident < 48, `and ${Math.round(resident)} MB are resident`);
child.stdin.end();
ok((await new Promise((r) => child.on('close', r))) === 0, 'it ends at the end of its input');

console.log(`1..${number}`);
process.exit(failed ? 1 : 0);
