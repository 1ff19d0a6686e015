// links.mjs - links in every place of a project: nothing outside of it is read or written.
//
//   node links.mjs PROGRAM FOLDER
//
// Makes projects in FOLDER, puts a link in the place of one component of a path, and lets the command line and both
// servers do what they can. One line of TAP per layout and race. CV_SOAK: all layouts, longer races; CV_SEED: others.
import fs from 'node:fs';
import path from 'node:path';
import crypto from 'node:crypto';
import { spawn, spawnSync } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import readline from 'node:readline';

const [program, work] = process.argv.slice(2);
const soak = Boolean(process.env.CV_SOAK);
let seed = Number(process.env.CV_SEED ?? 7);
const below = (n) => (seed = (seed * 48271) % 2147483647) % n;
let number = 0;
let failed = false;
const ok = (holds, what, more = '') => {
    console.log(`${holds ? 'ok' : 'not ok'} ${++number} - ${what}`);
    if (!holds && more) console.log(more.replace(/^/gm, '#   '));
    failed ||= !holds;
};
const SECRET = 'SECRET of somebody else\n';
const cli = (root, ...args) => spawnSync(program, args, { cwd: root, encoding: 'utf8' });
const must = (root, ...args) => {
    const done = cli(root, ...args);
    if (done.status !== 0) throw new Error(`${args.join(' ')}: ${done.stdout}${done.stderr}`);
    return done.stdout;
};

// ---- servers ----
const toolOf = (name) => (['doctor', 'import', 'backup'].includes(name) ? `conclave_${name}` : `blue_dialogue_${name}`);
const requestOf = (id, name, args) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: toolOf(name), arguments: args } });
const stdio = (root) => {
    const child = spawn(program, ['mcp', '--tools', 'all'], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
    const waiting = new Map();
    let last = 0;
    readline.createInterface({ input: child.stdout }).on('line', (line) => {
        const { id } = JSON.parse(line);
        waiting.get(id)?.(line);
        waiting.delete(id);
    });
    return {
        call: (name, args) => new Promise((done) => {
            waiting.set(++last, done);
            child.stdin.write(requestOf(last, name, args) + '\n');
        }),
        end: () => new Promise((done) => {
            child.on('exit', done);
            child.stdin.end();
        }),
    };
};
const http = async (root) => {
    const child = spawn(program, ['serve', '--port', '0', '--tools', 'all', '--json'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
    const url = await new Promise((done) => child.stdout.once('data', (text) => done(JSON.parse(text).mcp)));
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
    return {
        call: async (name, args) => {
            const tool = toolOf(name);
            const headers = { 'Content-Type': 'application/json', 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': tool };
            const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args, _meta: meta } });
            return (await fetch(url, { method: 'POST', headers, body })).text();
        },
        end: () => new Promise((done) => {
            child.on('exit', done);
            child.kill('SIGTERM');
        }),
    };
};

// ---- a project, and the same paths outside of it ----
const model = path.join(work, 'model');
const home = '.conclave/dialogues/bread';
const experts = ['muffin', 'cupcake'];
const pool = JSON.stringify({ domain: 'Bread', question: 'Rye?', experts: experts.map((slug) => ({ slug, role: `Baker of ${slug}s`, tier: 'Core', relevance: 0.9 })) });
const prepare = () => {
    fs.mkdirSync(model, { recursive: true });
    must(model, 'init');
    must(model, 'dialogue', 'create', 'Bread', '--expert-pool', pool, '--json');
    must(model, 'dialogue', 'create', 'Rye', '--expert-pool', pool, '--output-dir', 'out/rye', '--json');
    for (const id of ['bread', 'rye']) {
        must(model, 'dialogue', 'round-prompts', id, '--round', '0', '--json');
        must(model, 'dialogue', 'transcript', id, '--write', '--json');
        must(model, 'dialogue', 'export', id, '--json');
    }
    fs.mkdirSync(path.join(model, 'notes'));
    fs.mkdirSync(path.join(model, 'files'));
    fs.writeFileSync(path.join(model, 'notes/answer.md'), 'inside\n');
    fs.writeFileSync(path.join(model, 'files/a.dialogue.md'), '# A\n\n## Round 0\n\n### Muffin 🧁\n\n[PERSPECTIVE P01: Inside]\nText.\n');
};
const walk = (folder, found = []) => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
        const whole = path.join(folder, entry.name);
        found.push(whole);
        if (entry.isDirectory()) walk(whole, found);
    }
    return found;
};
const digest = (folder) => walk(folder).sort().map((p) => {
    const st = fs.lstatSync(p);
    return `${p} ${st.mtimeMs} ${st.ino} ${st.isFile() ? crypto.createHash('sha256').update(fs.readFileSync(p)).digest('hex') : ''}`;
});

// The outside: every file of the project by the same name, with a secret in it; the record as it is.
const layOut = (name, component, kind) => {
    const root = path.join(work, name), outside = path.join(work, `${name}-outside`);
    fs.cpSync(model, root, { recursive: true });
    fs.cpSync(model, outside, { recursive: true });
    for (const p of walk(outside)) if (fs.statSync(p).isFile() && !/conclave\.db/.test(p)) fs.writeFileSync(p, SECRET);
    const at = path.join(root, component), other = path.join(outside, component);
    if (fs.existsSync(at)) fs.renameSync(at, `${at}.real`);
    else fs.mkdirSync(path.dirname(at), { recursive: true });
    const target = { outside: other, upwards: path.relative(path.dirname(at), other), inside: `${path.basename(at)}.real`, dangling: `${outside}/new-${number}`, loop: path.basename(at) }[kind];
    fs.symlinkSync(target, at);
    return { root, outside };
};
const kinds = ['outside', 'upwards', 'inside', 'dangling', 'loop'];
const deeds = (names) => [
    ['round_prompts', { dialogue_id: 'bread', round: 0 }],
    ['round_prompts', { dialogue_id: 'rye', round: 0 }],
    ['respond', { dialogue_id: 'bread', round: 0, expert: names[0], content: 'Ours.', replace: true }],
    ['respond', { dialogue_id: 'rye', round: 0, expert: names[0], content: 'Ours.', replace: true }],
    ['export', { dialogue_id: 'bread' }],
    ['export', { dialogue_id: 'rye' }],
    ['transcript', { dialogue_id: 'bread', write: true }],
    ['transcript', { dialogue_id: 'rye', write: true }],
    ['round_verify', { dialogue_id: 'bread', round: 0 }],
    ['doctor', { repair: true }],
];
const namedDeeds = (names) => [
    ['respond', { dialogue_id: 'bread', round: 0, expert: names[1], content_path: 'notes/answer.md', replace: true }],
    ['export', { dialogue_id: 'bread', output_path: 'notes/x.json' }],
    ['transcript', { dialogue_id: 'bread', output_dir: 'notes/t' }],
    ['import', { path: 'files' }],
    ['create', { title: 'New', output_dir: 'notes/new' }],
    ['backup', { path: 'notes/b.db' }],
];
const flags = (args) => Object.entries(args).filter(([k]) => k !== 'dialogue_id').flatMap(([k, v]) => (v === true ? [`--${k.replace('_', '-')}`] : [`--${k.replace('_', '-')}`, String(v)]));
const byCommand = (root, [name, args]) => {
    const verb = name.replace('_', '-');
    return name === 'doctor' ? cli(root, 'doctor', '--repair', '--json') : cli(root, 'dialogue', verb, args.dialogue_id, ...flags(args), '--json');
};

const tryLayout = async (component, kind, names) => {
    const name = `p${number}`, { root, outside } = layOut(name, component, kind);
    const before = digest(outside).join('\n');
    let said = '';
    for (const deed of deeds(names)) {
        const done = byCommand(root, deed);
        said += done.stdout + done.stderr;
    }
    for (const server of [stdio(root), await http(root)]) {
        for (const [tool, args] of [...deeds(names), ...namedDeeds(names)]) said += await server.call(tool, args);
        await server.end();
    }
    const record = fs.existsSync(path.join(root, '.conclave')) ? cli(root, 'dialogue', 'export', 'bread', '--output-path', '-').stdout : '';
    const after = digest(outside).join('\n'), changed = digest(outside).filter((line) => !before.includes(line));
    const leaks = (said + record).includes('SECRET');
    ok(before === after && !leaks, `${component} is a link (${kind}): nothing outside is read or written`, before === after ? 'a secret was told' : `changed: ${changed.join('\n')}`);
    fs.rmSync(root, { recursive: true });
    fs.rmSync(outside, { recursive: true });
};

// ---- races ----
// Folder and link change places: in one step where perl can call renameat2(), else in four.
const exchange = 'my ($x, $y) = @ARGV; while (getppid() > 1) { syscall(316, -100, $x, -100, $y, 2) == 0 or exit 1 }';
const steps = `
const fs = require('node:fs'), [real, link] = process.argv.slice(1), aside = real + '.aside';
for (;;) {
    fs.renameSync(real, aside); fs.renameSync(link, real);
    fs.renameSync(real, link); fs.renameSync(aside, real);
}`;
const swap = (real, link) => {
    const perl = process.arch === 'x64' && spawnSync('perl', ['-e', '1']).status === 0;
    return perl ? spawn('perl', ['-e', exchange, real, link]) : spawn(process.execPath, ['-e', steps, real, link]);
};
const raceReads = async (names) => {
    const { root, outside } = layOut('race', 'notes2', 'dangling');
    const link = path.join(root, 'l');
    fs.symlinkSync(path.join(outside, 'notes'), link);
    const swapping = swap(path.join(root, 'notes'), link);
    const server = stdio(root), sha = (text) => crypto.createHash('sha256').update(text).digest('hex');
    const inside = sha('inside\n'), secret = sha(SECRET), rounds = soak ? 150000 : 1500;
    let read = 0, leaked = 0;
    for (let i = 0; i < rounds; i += 10) {
        const calls = Array.from({ length: 10 }, () => server.call('respond', { dialogue_id: 'bread', round: 0, expert: names[1], content_path: 'notes/answer.md', dry_run: true }));
        for (const answer of await Promise.all(calls)) {
            read += answer.includes(inside);
            leaked += answer.includes(secret) || answer.includes('SECRET');
        }
    }
    swapping.kill('SIGKILL');
    await server.end();
    ok(leaked === 0 && read > 0, `content_path while its folder is swapped for a link: ${rounds} calls, none read outside`, `${leaked} read outside, ${read} inside`);
};

const raceBackups = async () => {
    const { root, outside } = layOut('copies', 'notes2', 'dangling');
    const link = path.join(root, 'l');
    fs.symlinkSync(path.join(outside, 'notes'), link);
    const before = digest(outside).join('\n');
    const swapping = swap(path.join(root, 'notes'), link);
    const server = stdio(root), rounds = soak ? 3000 : 100;
    let made = 0;
    for (let i = 0; i < rounds; i++) made += (await server.call('backup', { path: `notes/b${i}.db` })).includes('success');
    swapping.kill('SIGKILL');
    const after = (await server.call('backup', { path: 'after.db' })).includes('success');
    await server.end();
    const left = digest(outside).join('\n') === before;
    ok(left && after, `backup while its folder is swapped for a link: ${rounds} calls, none wrote outside`, `${made} made, outside ${left ? 'as before' : 'changed'}`);
};

const expert = `
const fs = require('node:fs'), { workerData: d } = require('node:worker_threads');
const stop = new Int32Array(d.stop);
const ino = () => { try { return fs.statSync(d.path).ino; } catch { return 0; } };
for (let i = 0; i < d.texts; i++) {
    fs.writeFileSync(d.own, 'expert ' + i + ' end\\n');
    fs.renameSync(d.own, d.path);
    const mine = ino();
    while (ino() === mine && !Atomics.load(stop, 0)) Atomics.wait(stop, 0, 0, 1);
}
Atomics.store(stop, 0, 1);`;
const raceReplace = async (names) => {
    const { root } = layOut('replace', 'unused', 'dangling');
    const stop = new SharedArrayBuffer(4), flag = new Int32Array(stop), texts = soak ? 900 : 20;
    const file = path.join(root, home, 'round-0', `response-${names[0]}.md`);
    const server = stdio(root);
    await server.call('respond', { dialogue_id: 'bread', round: 0, expert: names[0], content: 'first', replace: true });
    const worker = new Worker(expert, { eval: true, workerData: { stop, path: file, own: `${file}.own`, texts } });
    let calls = 0, gone = false;
    worker.on('exit', () => (gone = true));
    while (!Atomics.load(flag, 0)) await server.call('respond', { dialogue_id: 'bread', round: 0, expert: names[0], content: `ours ${calls++}`, replace: true });
    while (!gone) await new Promise((done) => setTimeout(done, 5));
    await server.end();
    const folder = path.dirname(file);
    const held = new Set(fs.readdirSync(folder).map((name) => fs.readFileSync(path.join(folder, name), 'utf8')));
    const lost = Array.from({ length: texts }, (_, i) => `expert ${i} end\n`).filter((text) => !held.has(text));
    ok(lost.length === 0, `respond with replace against an expert who renames: ${texts} texts, none lost`, `${lost.length} lost in ${calls} calls`);
};

prepare();
const names = experts;
const round = (folder) => [`${folder}/round-0`, ...['prompt', 'response'].map((kind) => `${folder}/round-0/${kind}-${names[0]}.md`), `${folder}/round-0/context-${names[0]}.json`, `${folder}/dialogue.json`, `${folder}/scoreboard.md`];
const components = ['.conclave', '.conclave/dialogues', home, ...round(home), `${home}/bread.dialogue.md`, 'out', 'out/rye', ...round('out/rye'), 'notes', 'notes/answer.md', 'notes/x.json', 'notes/t', 'notes/new', 'notes/b.db', 'files', 'files/a.dialogue.md', '.conclave/conclave.db'];
const all = components.flatMap((component) => kinds.map((kind) => [component, kind]));
const usual = ['outside', 'upwards', ...kinds];
const chosen = soak ? all : Array.from({ length: 10 }, () => [components[below(components.length)], usual[below(usual.length)]]);
for (const [component, kind] of chosen) await tryLayout(component, kind, names);
await raceReads(names);
await raceBackups();
await raceReplace(names);
process.exit(failed ? 1 : 0);
