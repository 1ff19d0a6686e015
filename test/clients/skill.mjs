// skill.mjs - what a skill says, for an agent that knows nothing else.
//
//     blue_dialogue_draft   {"dialogue_id": "<dialogue_id>"}
//     a tool                its arguments; <name> stands for what an earlier answer has under that name
//
// Such calls stand in code blocks, one after the other, and may go on over several lines. A line that begins with "conclave " is
// a command.

const blocks = (skill) => [...skill.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map((block) => block[1]);

/* The end of the JSON object that begins at this place. */
function object_end(text, from) {
    let depth = 0;
    for (let i = from; i < text.length; i++)
        if (text[i] === '"') while (text[++i] !== '"') i += text[i] === '\\' ? 1 : 0;
        else if (text[i] === '{') depth++;
        else if (text[i] === '}' && --depth === 0) return i + 1;
    throw new Error(`an object without an end: ${text.slice(from, from + 60)}`);
}

/* The calls of all examples of a skill, in order: [{tool, args} or {command}, …]. */
export function calls_of(skill) {
    const calls = [];
    for (const block of blocks(skill))
        for (const call of block.matchAll(/^(?:((?:blue_dialogue|conclave)_[a-z_]+) +(?=\{)|conclave (.*)$)/gm)) {
            const from = call.index + call[0].length;
            calls.push(call[2] ? { command: call[2] } : { tool: call[1], args: JSON.parse(block.slice(from, object_end(block, from))) });
        }
    return calls;
}

/* What the points of a section say, in order: what each begins with, and what it has in backticks, sentence by sentence.
 *
 *     4. **Collect**: … with `blue_dialogue_respond`. Nothing to say: `no_contribution: true`.
 *
 * is {title: 'Collect', sentences: [{text, quoted: ['blue_dialogue_respond']}, {text, quoted: ['no_contribution: true']}]}. */
export function points_of(skill, section) {
    const text = skill.match(new RegExp(`^## ${section}\\n([^]*?)^## `, 'm'))?.[1] ?? '';
    return [...text.matchAll(/^(?:\d+\.|-) ([^]*?)(?=^(?:\d+\.|-) |^$)/gm)].map(([, point]) => ({
        title: point.match(/^\*\*(.*?)\*\*/)?.[1] ?? '',
        sentences: point
            .replace(/\s+/g, ' ')
            .split(/(?<=[.;])\s+(?=[A-Za-z`])/)
            .map((sentence) => ({ text: sentence, quoted: [...sentence.matchAll(/`([^`]+)`/g)].map(([, quoted]) => quoted) })),
    }));
}

/* The last value under this name in the answers, however deep. */
export function find_in(answers, name) {
    const look = (value) => {
        if (value === null || typeof value !== 'object') return undefined;
        if (!Array.isArray(value) && value[name] !== undefined) return value[name];
        for (const inner of Object.values(value)) {
            const found = look(inner);
            if (found !== undefined) return found;
        }
        return undefined;
    };
    return answers.map(look).findLast((found) => found !== undefined);
}

/* The same arguments with every <name> filled in. */
export function fill(args, answers) {
    if (Array.isArray(args)) return args.map((item) => fill(item, answers));
    if (args !== null && typeof args === 'object') return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, fill(value, answers)]));
    const name = typeof args === 'string' && args.match(/^<(\w+)>$/)?.[1];
    if (!name) return args;
    const found = find_in(answers, name);
    if (found === undefined) throw new Error(`no answer so far has '${name}'`);
    return found;
}

/* A marker as the rules show it, those of the experts' skill or of a prompt: marker_of(rules, 'perspective', 'scone', 1, 1, 'Label'). */
export function marker_of(rules, kind, slug, round, number, label) {
    const shown = '`\\[[A-Z]+-([A-Z])\\d{4}: label\\]`';
    const form = rules.match(new RegExp(`^\\| ${kind} \\| ${shown}|^- ${shown} ${kind}$`, 'm'));
    const two = (n) => String(n).padStart(2, '0');
    return `[${slug.toUpperCase()}-${form[1] ?? form[2]}${two(round)}${two(number)}: ${label}]`;
}

/* A reference or a move: sign_of(rules, 'RE:RESOLVE', 'T0001'), sign_of(rules, 'MOVE:CONVERGE'). A list of words goes with an example. */
export function sign_of(rules, word, id) {
    const form = rules.match(new RegExp(`\`(\\[${word}(?: \\{id\\})?\\])\``));
    if (form) return form[1].replace('{id}', id);
    const [, family, verb] = word.match(/^(\w+):(\w+)$/);
    const [, example, verbs] = rules.match(new RegExp(`\`(\\[${family}:[A-Z]+ P0001\\])\`.*?with one of ([A-Z ]+)`));
    if (!verbs.split(' ').includes(verb)) throw new Error(`the rules have no ${word}`);
    return example.replace(/:[A-Z]+ P0001/, `:${verb} ${id}`);
}
