// wire.mjs - what clients send to a model, and what they get back: the Anthropic Messages API and the OpenAI Responses
// API, both as one form of conversation.
//
//     { tools: ['Write', 'mcp__conclave__blue_dialogue_create', …],       what the client offers
//       said:  [{user: 'text'} | {turn: 0} | {result: '0.1', tool: 'Write', text, failed}, …] }
//
// The model's answer is {text} or {calls: [{name, args}, …]}. Call i of turn n has the id "n.i": a conversation says by
// itself where it stands, and nothing is kept between two requests.

const flat = (content) =>
    typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? part.tool_name ?? '').join('\n');
const id_of = (turn, index) => `call_${turn}_${index}`;
const place_of = (id) => id.replace(/^call_(\d+)_(\d+)$/, '$1.$2');

/* Items in the order of a request; calls of one answer stand together and are one turn. */
function conversation(tools, items) {
    const said = [];
    const tools_of = new Map();
    let turns = 0;
    for (const [index, item] of items.entries()) {
        if (item.call) {
            tools_of.set(item.call, item.tool);
            if (!items[index - 1]?.call) said.push({ turn: turns++ });
        } else if (item.result) said.push({ ...item, tool: tools_of.get(item.result), result: place_of(item.result) });
        else if (item.user) said.push(item);
    }
    return { tools, said, turns };
}

// ---- Anthropic Messages ------------------------------------------------------------------------------------------------

function from_messages(body) {
    const items = [];
    for (const { role, content } of body.messages)
        for (const part of typeof content === 'string' ? [{ type: 'text', text: content }] : content)
            if (part.type === 'tool_use') items.push({ call: part.id, tool: part.name });
            else if (part.type === 'tool_result')
                items.push({ result: part.tool_use_id, text: flat(part.content), failed: part.is_error === true });
            else if (part.type === 'text' && role !== 'assistant') items.push({ user: part.text });
    return conversation((body.tools ?? []).map((tool) => tool.name), items);
}

function message_events(model, turn, answer, usage) {
    const events = [];
    const add = (type, rest) => events.push([type, { type, ...rest }]);
    const block = (index, content_block, delta) => {
        add('content_block_start', { index, content_block });
        add('content_block_delta', { index, delta });
        add('content_block_stop', { index });
    };
    const message = { id: `msg_${turn}`, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null };
    add('message_start', { message: { ...message, usage: { input_tokens: usage.input, output_tokens: 1 } } });
    if (answer.text) block(0, { type: 'text', text: '' }, { type: 'text_delta', text: answer.text });
    for (const [i, call] of (answer.calls ?? []).entries())
        block(i, { type: 'tool_use', id: id_of(turn, i), name: call.name, input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(call.args) });
    add('message_delta', {
        delta: { stop_reason: answer.calls ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { output_tokens: usage.output },
    });
    add('message_stop', {});
    return events;
}

// ---- OpenAI Responses --------------------------------------------------------------------------------------------------

function from_responses(body) {
    const names = (body.tools ?? []).flatMap((tool) =>
        tool.type === 'namespace' ? tool.tools.map((inner) => `${tool.name}/${inner.name}`) : tool.name ? [tool.name] : [],
    );
    const items = [];
    for (const item of body.input)
        if (item.type === 'function_call') items.push({ call: item.call_id, tool: item.namespace ? `${item.namespace}/${item.name}` : item.name });
        else if (item.type === 'function_call_output') items.push({ result: item.call_id, text: flat(item.output), failed: false });
        else if (item.type === 'message' && item.role === 'user') items.push({ user: flat(item.content) });
    return conversation(names, items);
}

function response_events(model, turn, answer, usage) {
    const events = [];
    const add = (type, rest) => events.push([type, { type, sequence_number: events.length, ...rest }]);
    const response = { id: `resp_${turn}`, object: 'response', model, status: 'in_progress', output: [] };
    const output = answer.text
        ? [{ type: 'message', id: `msg_${turn}`, role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: answer.text, annotations: [] }] }]
        : answer.calls.map((call, i) => {
              const [name, namespace] = call.name.split('/').reverse();
              return { type: 'function_call', id: `fc_${turn}_${i}`, call_id: id_of(turn, i), name, ...(namespace && { namespace }), arguments: JSON.stringify(call.args), status: 'completed' };
          });
    add('response.created', { response });
    for (const [output_index, item] of output.entries()) {
        add('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } });
        if (answer.text) add('response.output_text.delta', { item_id: item.id, output_index, content_index: 0, delta: answer.text });
        add('response.output_item.done', { output_index, item });
    }
    const counted = {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: usage.input + usage.output,
    };
    add('response.completed', { response: { ...response, status: 'completed', output, usage: counted } });
    return events;
}

// ---- both --------------------------------------------------------------------------------------------------------------

const apis = {
    '/v1/messages': { client: 'claude', from: from_messages, events: message_events },
    '/v1/responses': { client: 'codex', from: from_responses, events: response_events },
};

export const api_of = (path) => apis[path];

/* The answer as a stream of server-sent events. A token is four characters here. */
export function stream(api, body, turn, answer) {
    const usage = { input: Math.ceil(JSON.stringify(body).length / 4), output: Math.ceil(JSON.stringify(answer).length / 4) };
    return api.events(body.model, turn, answer, usage).map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
