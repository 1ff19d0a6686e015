// agents.mjs - scripted agents that know their skill, the tools that their client offers, and nothing else.
//
// An agent is a generator: it yields calls, gets their results, and returns its last words. Nothing is kept between two
// requests of a client, so it is played from the beginning each time, with the results that the conversation has:
//
//     answer(conversation)  ->  {agent, text} or {agent, calls}
//
// Who is asked follows from what the user said; what differs between clients is a table (`hands`). follow.mjs plays the
// same agents without a client.
import { calls_of, marker_of, sign_of } from './skill.mjs';

export class Failed extends Error {}

// ---- what clients offer ------------------------------------------------------------------------------------------------

export function* read(name, args) {
    const [{ text, behind }] = yield [{ name, args }];
    return text + behind;
}

const hands = {
    claude: {
        tool: (name) => `mcp__conclave__${name}`,
        *skill(name) {
            return yield* read('Skill', { skill: name });
        },
        /* Tools whose schemas are loaded on request. */
        *load(names) {
            yield [{ name: 'ToolSearch', args: { query: `select:${names.map(this.tool)}`, max_results: names.length } }];
        },
        *spawn(prompts) {
            const calls = prompts.map(({ slug, prompt }) => ({ name: 'Agent', args: { description: `expert ${slug}`, prompt, run_in_background: false } }));
            return (yield calls).map((result) => result.text);
        },
        hand_in,
    },
    codex: {
        tool: (name) => `mcp__conclave/${name}`,
        /* A skill that is mentioned as $name is in the conversation. */
        *skill(name, texts) {
            return texts.find((text) => text.includes(`name: ${name}\n`)) ?? (yield* read('exec_command', { cmd: `cat .agents/skills/${name}/SKILL.md` }));
        },
        *load() {},
        *spawn(prompts) {
            const agent = 'multi_agent_v1/';
            const started = yield prompts.map(({ prompt }) => ({ name: `${agent}spawn_agent`, args: { message: `Use $alignment-expert.\n\n${prompt}` } }));
            const told = [];
            for (const { text } of started) {
                const { agent_id } = JSON.parse(text);
                told.push((yield [{ name: `${agent}wait_agent`, args: { targets: [agent_id], timeout_ms: 60000 } }])[0].text);
                yield [{ name: `${agent}close_agent`, args: { target: agent_id } }];
            }
            return told;
        },
        hand_in,
    },
};

/* The answer of a tool of Conclave; a refusal, or what is not from Conclave, is the end of the agent. */
export function* use(hand, tool, args) {
    const [{ text, failed }] = yield [{ name: hand.tool(tool), args }];
    const json = text.slice(text.indexOf('{'));
    if (failed || !json.startsWith('{') || JSON.parse(json).error_code) throw new Failed(`${tool}: ${text}`);
    return JSON.parse(json);
}

// ---- the judge ---------------------------------------------------------------------------------------------------------

const roles = ['Database Engineer', 'Operator', 'Skeptic', 'Auditor', 'Newcomer'];
const pool = (size) =>
    roles.slice(0, size).map((role, i) => ({ role, tier: ['Core', 'Adjacent', 'Wildcard'][i % 3], relevance: 0.9 - i / 10, focus: `what concerns the ${role}` }));

/* What the judge says under each name that the skill's example uses; all else is as in the example. */
const words = {
    title: () => 'Job queue',
    question: (state) => state.question,
    background: () => ({ subject: 'The job queue', constraints: 'No downtime' }),
    expert_pool: (state) => ({ domain: 'Operations', experts: pool(state.size) }),
    dialogue_id: (state) => state.id,
    overrides: (state) => ({ [state.seats[0]]: { round_context: `What closes ${state.open}?` } }),
    expert_scores: (state) => Object.fromEntries(state.seats.map((slug, i) => [slug, 5 + i])),
    summary: (state) => `Round ${state.round}: the panel answered.`,
    recommendation: () => 'Move the queue to PostgreSQL',
    description: () => 'One store less to run. The load is far below what one table carries.',
    conditions: () => ['Latency stays below 50 ms'],
    vote: (state) => `${state.seats.length}-0`,
    tensions_resolved: (state) => state.ids.filter((id) => id.startsWith('T')),
    recommendations_adopted: (state) => state.ids.filter((id) => id.startsWith('R')),
    key_evidence: () => [],
    key_claims: () => [],
};

/* All experts at once. An expert that returned a response instead of a summary has not sent it, nor has one that only
 * wrote a file. */
function* hear(hand, state, prompts) {
    const told = yield* hand.spawn(prompts);
    for (const [i, { slug }] of prompts.entries())
        if (told[i].startsWith('#')) yield* use(hand, 'blue_dialogue_respond', { dialogue_id: state.id, expert: slug, content: told[i] });
    const { files } = yield* use(hand, 'blue_dialogue_round_verify', { dialogue_id: state.id });
    for (const { command } of files) yield* hand.do_as_told(command);
}

/* The skill's example, call by call, with the judge's own words; where it shows responses, experts are started. */
export function* judge(hand, { user, texts, size = 3, spec }) {
    const skill = yield* hand.skill('alignment-play', texts);
    const program = calls_of(skill);
    const state = { question: user.split('\n').at(-1).replace(/^.*?: /, ''), size, seats: [], ids: [], open: [], round: 0 };
    yield* hand.load([...new Set(program.map((call) => call.tool))]);
    let prompts = [];
    let converged = false;
    for (const { tool, args } of program) {
        const own = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, words[key] ? words[key](state) : value]));
        if (tool === 'blue_dialogue_respond') {
            if (prompts.length) yield* hear(hand, state, prompts);
            prompts = [];
            continue;
        }
        if (tool === 'blue_dialogue_round_prompts') Object.assign(own, { include_prompts: true }, spec && { spec });
        if (own.round !== undefined) state.round = own.round;
        const reply = yield* use(hand, tool, own);
        if (tool === 'blue_dialogue_create') Object.assign(state, { id: reply.dialogue_id, seats: reply.panel.map((seat) => seat.slug) });
        if (tool === 'blue_dialogue_round_prompts') prompts = reply.prompts;
        if (tool === 'blue_dialogue_round_verify' && !reply.complete) throw new Failed(`missing: ${reply.missing}`);
        if (tool === 'blue_dialogue_round_register') state.ids.push(...Object.values(reply.id_mapping));
        if (tool === 'blue_dialogue_progress') {
            converged = reply.convergence.converged;
            state.open = reply.convergence.blockers.tensions.map((tension) => tension.id ?? tension);
        }
        if (tool === 'blue_dialogue_verdict_register' && !converged) throw new Failed('not converged');
    }
    return `DECIDED in ${state.id}: ${words.recommendation()} (${words.vote(state)})`;
}

// ---- an expert ---------------------------------------------------------------------------------------------------------

/* One perspective; at first the tension that it sees, later the end of those that are open, and the wish to end. */
function response_for(rules, slug, round, open) {
    const item = (kind, label) => marker_of(rules, kind, slug, round, 1, label);
    const lines = [`# ${slug} (Round ${round})`, '', item('perspective', `The view of ${slug}`), `What ${slug} sees in round ${round}.`, ''];
    if (round === 0) lines.push(item('tension', `A doubt of ${slug}`), 'It must be answered.');
    else {
        lines.push(item('recommendation', `An answer of ${slug}`), 'It settles what was open.');
        lines.push(...open.map((id) => sign_of(rules, 'RE:RESOLVE', id)), '', sign_of(rules, 'MOVE:CONVERGE'));
    }
    return lines.join('\n') + '\n';
}

/* With the tool that the prompt names; what comes back is what the judge is to get. */
export function* hand_in(hand, user, content) {
    const call = user.match(/`blue_dialogue_respond (\{[^`]*"content"[^`]*\})`/);
    if (!call) return content;
    yield* hand.load(['blue_dialogue_respond']);
    const { expert_slug, round, response_path, summary, diagnostics } = yield* use(hand, 'blue_dialogue_respond', { ...JSON.parse(call[1]), content });
    if (diagnostics?.length) throw new Failed(JSON.stringify(diagnostics));
    return JSON.stringify({ expert_slug, round, response_path, summary });
}

export function* expert(hand, { user, texts }) {
    const rules = yield* hand.skill('alignment-expert', texts);
    const [, round] = user.match(/participating in round (\d+)/);
    const [, slug] = user.match(/local IDs: `([A-Z]+)-/);
    const open = [...new Set(user.split('## Instructions')[0].match(/(?<!-)\bT\d{4}\b/g) ?? [])];
    return yield* hand.hand_in(hand, user, response_for(rules, slug.toLowerCase(), Number(round), open));
}

// ---- one who writes a file ---------------------------------------------------------------------------------------------

/* Tries to write; where a hook refuses, does what the reason says, and tries again. */
function* writer(hand, { user }) {
    const write = { name: 'Write', args: { file_path: user.match(/Write (\S+)/)[1], content: 'written\n' } };
    const [first] = yield [write];
    if (!first.failed) return 'WRITTEN at once';
    const call = first.text.match(/conclave_chat_read (\{.*?\})/);
    if (!call) return `REFUSED: ${first.text}`;
    yield* hand.load(['conclave_chat_read']);
    const { messages } = yield* use(hand, 'conclave_chat_read', JSON.parse(call[1]));
    const [second] = yield [write];
    return `REFUSED: ${first.text}\nREAD: ${messages.map((message) => message.body)}\n${second.failed ? 'REFUSED again' : 'WRITTEN'}`;
}

// ---- those whom `conclave run` asks ------------------------------------------------------------------------------------

/* An expert who has the prompt and nothing else: it says how marks are written. Everybody agrees at once. */
function* panelist(hand, { user: prompt }) {
    const [, round] = prompt.match(/participating in round (\d+)/);
    const [, slug] = prompt.match(/local IDs: `([A-Z]+)-/);
    return [marker_of(prompt, 'perspective', slug.toLowerCase(), Number(round), 1, `The view of ${slug}`), 'One store is enough.', '', sign_of(prompt, 'MOVE:CONVERGE'), ''].join('\n');
}

/* The judge: scores for everybody in the draft, or the verdict; in the form that the prompt shows. */
function* arbiter(hand, { user: prompt }) {
    if (prompt.includes('## Your task: the verdicts'))
        return JSON.stringify({ verdicts: [{ verdict_id: 'final', verdict_type: 'final', recommendation: words.recommendation(), description: words.description(), vote: '2-0' }] });
    const slugs = new Set([...prompt.matchAll(/"contributors": \[\s*"([a-z]+)"/g)].map(([, slug]) => slug));
    return 'My part:\n```json\n' + JSON.stringify({ expert_scores: Object.fromEntries([...slugs].map((slug) => [slug, 5])), summary: 'They agree.' }) + '\n```';
}

function* anybody() {
    return 'Nothing to do.';
}

const agents = [
    { name: 'panelist', asked: /participating in round \d+ of this ALIGNMENT dialogue[^]*Your answer is your response, word for word/, play: panelist },
    { name: 'arbiter', asked: /^# You are the judge of a deliberation/, play: arbiter },
    { name: 'expert', asked: /participating in round \d+ of this ALIGNMENT dialogue/, play: expert },
    { name: 'judge', asked: /alignment-play/, play: judge },
    { name: 'writer', asked: /^Write \S+/, play: writer },
    { name: 'anybody', asked: /^/, play: anybody },
];

// ---- where a conversation stands ---------------------------------------------------------------------------------------

/* What came back for each call of a turn; what a client says behind the results is kept with the last of them. */
function results_of({ said }, turn) {
    const results = [];
    for (const item of said)
        if (item.result?.startsWith(`${turn}.`)) results[Number(item.result.split('.')[1])] = { text: item.text, failed: item.failed, behind: '' };
    const behind = said.slice(said.findLastIndex((item) => item.result?.startsWith(`${turn}.`)) + 1);
    for (const item of behind) {
        if (item.turn !== undefined || item.result) break;
        if (results.length) results.at(-1).behind += `${item.user}\n`;
    }
    return results;
}

export function answer(conversation) {
    const texts = conversation.said.filter((item) => item.user).map((item) => item.user);
    const user = texts.find((text) => !text.startsWith('<')) ?? '';
    const agent = agents.find(({ asked }) => asked.test(user));
    const played = agent.play(hands[conversation.client], { user, texts });
    try {
        let step = played.next();
        for (let turn = 0; !step.done && turn < conversation.turns; turn++) step = played.next(results_of(conversation, turn));
        return { agent: agent.name, ...(step.done ? { text: step.value } : { calls: step.value }) };
    } catch (fault) {
        if (!(fault instanceof Failed)) throw fault;
        return { agent: agent.name, text: `FAILED: ${fault.message}` };
    }
}
