// follow.mjs - follows a skill to the letter, in the project of the current folder, without a client between.
//
//   node follow.mjs PROGRAM mcp|command example SKILL      the calls of the skill's examples, one after the other
//   node follow.mjs PROGRAM mcp|command play none|short|full
//
// The way is the server's tools (those that are offered unasked), or the same as commands, as the skills say. `play` is a judge with
// five experts: they hand in with the tool, with the command, by their file, or only answer; none: experts have the skill, else
// what their prompt says about markers. The answers are printed as JSON, one line each: {tool or command, answer}; what is refused ends it with
// status 1.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { expert, Failed, hand_in, judge, read } from './agents.mjs';
import { calls_of, fill } from './skill.mjs';

const [program, way, what, which] = process.argv.slice(2);
const skill_file = (name) => path.join('.claude', 'skills', name, 'SKILL.md');
const tell = (entry) => console.log(JSON.stringify(entry));

// ---- two ways to call --------------------------------------------------------------------------------------------------

function server() {
    const child = spawn(program, ['mcp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const waiting = new Map();
    readline.createInterface({ input: child.stdout }).on('line', (line) => {
        const reply = JSON.parse(line);
        waiting.get(reply.id)?.(reply);
    });
    child.on('exit', (status) => waiting.size && process.exit(status || 1));
    let id = 0;
    const ask = async (method, params) => {
        child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }) + '\n');
        const mine = id;
        const reply = await new Promise((resolve) => waiting.set(mine, resolve));
        waiting.delete(mine);
        return reply;
    };
    let offered = [];
    const begin = async () => {
        await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'follower', version: '1' } });
        offered = (await ask('tools/list')).result.tools.map((tool) => tool.name);
    };
    const call = async (tool, args) => {
        if (!offered.includes(tool)) return shell.call(tool, args);
        const { result } = await ask('tools/call', { name: tool, arguments: args });
        return { text: result.content[0].text, failed: result.isError === true };
    };
    return { begin, call, end: () => child.stdin.end() };
}

function run(words, input) {
    try {
        return { text: execFileSync(program, words, { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'inherit'] }), failed: false };
    } catch (fault) {
        return { text: fault.stdout, failed: true };
    }
}

/* "Where it is not offered, every tool is a command": blue_dialogue_round_prompts is conclave dialogue round-prompts. */
const command_of = (tool) => tool.replace(/^blue_dialogue_/, 'dialogue ').replace(/^conclave_([a-z]+)_/, '$1 ').replaceAll('_', '-').split(' ');
const shell = {
    begin: async () => {},
    call: async (tool, args) => run([...command_of(tool), '--data', '-', '--json'], JSON.stringify(args)),
    end: () => {},
};
const door = way === 'mcp' ? server() : shell;

/* The words of a command line, with quotes as a shell takes them. */
const words_of = (line) => [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c);

// ---- an example --------------------------------------------------------------------------------------------------------

async function follow_example(skill) {
    const answers = [];
    for (const { tool, args, command } of calls_of(fs.readFileSync(skill_file(skill), 'utf8'))) {
        const { text, failed } = command ? run([...words_of(command), '--json']) : await door.call(tool, fill(args, answers));
        const answer = JSON.parse(text);
        tell({ tool, command, answer });
        /* A gate that is not clear is an answer, too. */
        if (answer.error_code || (failed && answer.clear === undefined)) throw new Failed(`${tool ?? command} is refused`);
        answers.push(answer);
    }
}

// ---- a judge and its experts -------------------------------------------------------------------------------------------

const ways_in = {
    tool: hand_in,
    *command(hand, user, content) {
        const { dialogue_id, round, expert: slug } = JSON.parse(user.match(/`blue_dialogue_respond (\{.*?\})`/)?.[1] ?? 'null') ?? as_command(user);
        const file = `${slug}-${round}.txt`;
        fs.writeFileSync(file, content);
        return yield* read('conclave', { line: `dialogue respond ${dialogue_id} --round ${round} --expert ${slug} --content @${file}` });
    },
    *file(_, user, content) {
        fs.writeFileSync(user.match(/Write your response to `([^`]*)`/)[1], content);
        return '{"response_path": "as the prompt says"}';
    },
    *answer(_, user, content) {
        return content;
    },
};
const as_command = (user) => {
    const [, dialogue_id, round, slug] = user.match(/`conclave dialogue respond (\S+) --round (\d+) --expert (\S+)/);
    return { dialogue_id, round: Number(round), expert: slug };
};
const order = way === 'mcp' ? ['tool', 'command', 'file', 'answer', 'tool'] : ['command', 'file', 'answer', 'command', 'file'];

const hand = {
    tool: (name) => name,
    skill: (name) => read('skill', { name }),
    *load() {},
    *spawn(prompts) {
        return (yield prompts.map((prompt, seat) => ({ name: 'expert', args: { ...prompt, seat } }))).map((result) => result.text);
    },
    /* A call that an answer names: of a tool with its arguments, or a command line. */
    *do_as_told(call) {
        const [, tool, args] = call.match(/^([a-z_]+) (\{.*\})$/) ?? [];
        const [result] = yield [tool ? { name: tool, args: JSON.parse(args) } : { name: 'conclave', args: { line: call.replace(/^conclave /, '') } }];
        if (result.failed) throw new Failed(`${call}: ${result.text}`);
    },
};

async function perform({ name, args }) {
    if (name === 'skill') return { text: fs.readFileSync(skill_file(args.name), 'utf8'), failed: false };
    if (name === 'conclave') return run([...words_of(args.line), '--json']);
    if (name !== 'expert') {
        const result = await door.call(name, args);
        tell({ tool: name, answer: JSON.parse(result.text) });
        return result;
    }
    /* Without the skill an expert has nothing but its prompt. */
    const knows = which === 'none' ? hand.skill : function* () { return args.prompt; };
    const own = { ...hand, skill: knows, hand_in: ways_in[which === 'none' ? order[args.seat] : 'answer'] };
    return { text: await play(expert(own, { user: args.prompt, texts: [] })), failed: false };
}

async function play(agent) {
    let step = agent.next();
    while (!step.done) step = agent.next(await Promise.all(step.value.map(async (call) => ({ behind: '', ...(await perform(call)) }))));
    return step.value;
}

try {
    await door.begin();
    if (what === 'example') await follow_example(which);
    else tell({ said: await play(judge(hand, { user: 'Decide: Should we move our job queue to PostgreSQL?', texts: [], size: 5, spec: which === 'none' ? undefined : which })) });
} catch (fault) {
    if (!(fault instanceof Failed)) throw fault;
    tell({ failed: fault.message });
    process.exitCode = 1;
}
door.end();
