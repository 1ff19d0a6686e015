// agents.mjs - scripted agents that know their skill, the tools that their client offers, and nothing else.
//
// An agent is a generator: it yields calls, gets their results, and returns its last words. Nothing is kept between two
// requests of a client, so it is played from the beginning each time, with the results that the conversation has:
//
//     answer(conversation)  ->  {agent, text} or {agent, calls}
//
// Who is asked follows from what the user said; what differs between clients is a table (`hands`). follow.mjs plays the
// same agents without a client.
import { calls_of, marker_of, points_of, sign_of } from './skill.mjs';

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

/* What the judge says under each name that the skill uses; all else is as in its example. */
const words = {
    title: () => 'Job queue',
    question: (state) => state.question,
    background: () => ({ subject: 'The job queue', constraints: 'No downtime' }),
    expert_pool: (state) => ({ domain: 'Operations', experts: pool(state.size) }),
    dialogue_id: (state) => state.id,
    round: (state) => state.round,
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

const is_tool = (quoted) => /^blue_dialogue_\w+$/.test(quoted);

/* What a sentence asks for only in a case that is not this one. */
const not_now = (state, sentence) =>
    /^(Nothing to say|Merge|Leave|Ask an agent that failed)/.test(sentence) ||
    (/^Frame those who need it/.test(sentence) && !state.open.length) ||
    (/^without the skill/.test(sentence) && !state.spec);

/* Arguments that a point names behind the tool: `use_draft: true` as it is written, `summary` in the judge's own words. */
function named_in(state, point, tool) {
    const args = {};
    let last;
    for (const { text, quoted } of point.sentences)
        for (const name of not_now(state, text) ? [] : quoted) {
            const [, key, value] = name.match(/^(\w+): (.*)$/) ?? [];
            if (is_tool(name)) last = name;
            else if (last === tool && key) args[key] = JSON.parse(value);
            else if (last === tool && words[name]) args[name] = words[name](state);
        }
    return args;
}

/* What the judge does with a tool besides calling it once, and what it learns from the answer. */
const acts = {
    *blue_dialogue_create(call, state) {
        const reply = yield* call();
        Object.assign(state, { id: reply.dialogue_id, seats: reply.panel.map((seat) => seat.slug) });
    },
    *blue_dialogue_round_prompts(call, state) {
        state.prompts = (yield* call(state.later)).prompts;
        if (!state.prompts.every(({ prompt }) => prompt)) throw new Failed('a prompt has no text');
    },
    /* An expert that returned a response instead of a summary has not sent it, … */
    *blue_dialogue_respond(call, state) {
        for (const [i, { slug }] of state.prompts.entries())
            if (state.told[i]?.startsWith('#')) yield* call({ expert: slug, content: state.told[i] });
    },
    /* … nor has one that only wrote a file: the answer has the call. */
    *blue_dialogue_round_verify(call, state, hand, point) {
        let reply = yield* call();
        if (!point.sentences.some(({ quoted }) => quoted.includes('files'))) reply.files = [];
        for (const { command } of reply.files) yield* hand.do_as_told(command);
        if (reply.files.length) reply = yield* call();
        if (!reply.complete) throw new Failed(`missing: ${reply.missing}`);
    },
    *blue_dialogue_round_register(call, state) {
        state.ids.push(...Object.values((yield* call()).id_mapping));
        state.round++;
    },
    *blue_dialogue_verdict_register(call, state) {
        state.verdict = (yield* call()).verdict_id;
    },
    *blue_dialogue_progress(call, state) {
        const { converged, blockers } = (yield* call()).convergence;
        state.converged = converged;
        state.open = blockers.tensions.map((tension) => tension.id ?? tension);
    },
};

/* One point: its tools one after the other, with the arguments that it names, and those that the example gives the tool. */
function* follow(hand, state, point) {
    if (/ if /.test(point.sentences[0].text.split('`')[0])) return; /* there is no gap */
    if (/^Spawn all experts/.test(point.title)) state.told = yield* hand.spawn(state.prompts);
    for (const tool of new Set(point.sentences.flatMap(({ quoted }) => quoted.filter(is_tool)))) {
        const call = (more) => {
            const like = state.example.find((one) => one.tool === tool)?.args ?? { dialogue_id: '' };
            const own = Object.entries(like).map(([key, value]) => [key, words[key] ? words[key](state) : value]);
            return use(hand, tool, { ...Object.fromEntries(own), ...named_in(state, point, tool), ...more });
        };
        yield* acts[tool] ? acts[tool](call, state, hand, point) : call();
    }
}

/* The skill, point by point: its rounds until they have converged, at most as many as it says; then its end. */
export function* judge(hand, { user, texts, size = 3, spec }) {
    const skill = yield* hand.skill('alignment-play', texts);
    const [begin, round, end] = ['Begin', 'Each round', 'End'].map((section) => points_of(skill, section));
    const state = { question: user.split('\n').at(-1).replace(/^.*?: /, ''), size, spec, seats: [], ids: [], open: [], round: 0, prompts: [], told: [] };
    state.example = calls_of(skill);
    const named = [...begin, ...round, ...end].flatMap(({ sentences }) => sentences.flatMap(({ quoted }) => quoted.filter(is_tool)));
    yield* hand.load([...new Set(named)]);
    const most = Number(skill.match(/at most (\d+) \|$/m)?.[1]);
    state.later = spec && { [skill.match(/`(\w+): "short"`/)?.[1]]: spec };
    for (const point of begin) yield* follow(hand, state, point);
    while (!state.converged) {
        const before = state.round;
        for (const point of round) yield* follow(hand, state, point);
        if (!state.converged && (state.round === before || !(state.round < most))) throw new Failed(`not converged in ${state.round} rounds`);
    }
    for (const point of end) yield* follow(hand, state, point);
    if (state.verdict !== 'final') throw new Failed('there is no verdict');
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
