// clients.mjs - a whole deliberation of three rounds through a real client of the protocol.
//
//   node clients.mjs SDK ERA TRANSPORT TARGET FOLDER
//
// SDK v1 or v2 (the official TypeScript ones), ERA legacy or modern, TRANSPORT stdio (TARGET: the program) or http
// (TARGET: the URL). FOLDER is examples/deliberation. One line of TAP per thing that must hold.
import fs from 'node:fs';
import path from 'node:path';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const [sdk, era, transport, target, folder] = process.argv.slice(2);
const name = `${sdk} ${era} ${transport}`;
let number = 0;
let failed = false;
const ok = (holds, what) => {
    console.log(`${holds ? 'ok' : 'not ok'} ${++number} - ${name}: ${what}`);
    failed ||= !holds;
};
const read = (file) => JSON.parse(fs.readFileSync(path.join(folder, file), 'utf8'));

const info = { name: 'conclave-test', version: '1' };
const negotiation = era === 'modern' ? { mode: { pin: '2026-07-28' } } : { mode: 'legacy' };
const client = sdk === 'v1' ? new Client1(info) : new Client2(info, { versionNegotiation: negotiation });
const Stdio = sdk === 'v1' ? Stdio1 : Stdio2;
const Http = sdk === 'v1' ? Http1 : Http2;
await client.connect(
    transport === 'stdio'
        ? new Stdio({ command: target, args: ['mcp', '--tools', 'all'], env: { ...process.env }, cwd: process.cwd() })
        : new Http(new URL(target)),
);

const tool = async (verb, args) => {
    const result = await client.callTool({ name: `blue_dialogue_${verb}`, arguments: args });
    const text = result.content[0].text;
    return { failed: result.isError === true, structured: result.structuredContent, ...JSON.parse(text) };
};

const { tools } = await client.listTools();
const names = tools.map((t) => t.name);
for (const verb of ['create', 'round_context', 'expert_create', 'round_register', 'verdict_register', 'export'])
    ok(names.includes(`blue_dialogue_${verb}`), `offers blue_dialogue_${verb}`);
ok(tools.every((t) => t.annotations && t.title && !t.outputSchema), 'every tool has annotations and a title, none an output schema');

const created = await tool('create', { ...read('dialogue.json'), title: `NVIDIA ${name}` });
const id = created.dialogue_id;
ok(!created.failed && id && created.structured === undefined, `creates ${id}, as text alone`);

for (let round = 0; round < 3; round++) {
    const at = (file) => `round-${round}/${file}`;
    const there = (file) => fs.existsSync(path.join(folder, at(file)));
    if (there('expert.json')) ok(!(await tool('expert_create', { dialogue_id: id, ...read(at('expert.json')) })).failed, 'an expert is created');
    if (there('panel.json')) ok(!(await tool('evolve_panel', { dialogue_id: id, round, ...read(at('panel.json')) })).failed, 'the panel changes');
    const context = await tool('round_context', { dialogue_id: id, round });
    ok(context.prior_rounds.length === round && Object.keys(context.experts).length >= 5, `the context of round ${round}`);
    const { prompts } = await tool('round_prompts', { dialogue_id: id, round });
    const answers = await Promise.all(
        prompts.map(({ slug }) =>
            tool('respond', {
                dialogue_id: id,
                round,
                expert: slug,
                ...(there(`${slug}.md`)
                    ? { content: fs.readFileSync(path.join(folder, at(`${slug}.md`)), 'utf8') }
                    : { no_contribution: true }),
            }),
        ),
    );
    ok(answers.every((a) => !a.failed && a.round === round), `${answers.length} responses at once`);
    const draft = await tool('draft', { dialogue_id: id, round });
    const registered = await tool('round_register', { ...draft.payload, ...read(at('judge.json')) });
    ok(!registered.failed && registered.id_mapping, `round ${round} is registered`);
    if (round === 2)
        for (const verdict of [{ dialogue_id: id, ...read('verdict.json') }, ...draft.notes.verdicts])
            ok(!(await tool('verdict_register', verdict)).failed, `the verdict ${verdict.verdict_id}`);
}

const refused = await tool('round_register', { dialogue_id: id, round: 7, score: 1 });
ok(refused.failed && refused.error_code && refused.errors.length > 0, 'a fault is an answer that says so');
const progress = await tool('progress', { dialogue_id: id });
ok(progress.convergence.converged === true, 'the dialogue has converged');
const exported = await tool('export', { dialogue_id: id });
ok(!exported.failed && fs.existsSync(exported.path), 'it is exported');

const { resources } = await client.listResources();
ok(resources.some((r) => r.uri === `conclave://dialogue/${id}/transcript`), 'its transcript is a resource');
const transcript = await client.readResource({ uri: `conclave://dialogue/${id}/transcript` });
ok(transcript.contents[0].text.includes('Income mandate mismatch'), 'which can be read');
const citation = await client.readResource({ uri: `conclave://dialogue/${id}/T0003` });
ok(citation.contents[0].text.includes('Supply chain concentration'), 'as can a citation');
const { prompts } = await client.listPrompts();
ok(prompts.map((p) => p.name).join() === 'judge,expert,reviewer', 'the prompts are offered');
const judge = await client.getPrompt({ name: 'judge', arguments: { dialogue_id: id } });
ok(judge.messages.length === 2, 'and the judge is told where the dialogue stands');

await client.close();
console.log(`1..${number}`);
process.exit(failed ? 1 : 0);
