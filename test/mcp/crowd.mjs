// crowd.mjs - many agents at once through several servers: each makes a dialogue, looks at it through another server, and
// changes it there; what was acknowledged is there in the end, once.
//
//   node crowd.mjs AGENTS URL...
//
// Every agent has a connection of its own. Prints one line of JSON: what was acknowledged, what was refused.
import http from 'node:http';

const [agents, ...urls] = process.argv.slice(2);
const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const token = process.env.CROWD_TOKEN;

const call = (agent, url, name, args) =>
    new Promise((done, fail) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta: meta } });
        const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name };
        if (token) headers.Authorization = `Bearer ${token}`;
        const request = http.request(url, { method: 'POST', agent, headers }, (answer) => {
            let text = '';
            answer.on('data', (d) => (text += d));
            answer.on('end', () => {
                try {
                    done(JSON.parse(text.replace(/^(event:.*\n)?data: /, '')).result);
                } catch {
                    fail(new Error(`${answer.statusCode} ${text.slice(0, 200)}`));
                }
            });
        });
        request.on('error', fail);
        request.end(body);
    });

const told = { created: 0, seen: 0, changed: 0, refused: [] };
const act = async (i) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const here = urls[i % urls.length];
    const there = urls[(i + 1) % urls.length];
    try {
        const made = await call(agent, here, 'blue_dialogue_create', { title: `crowd ${i}`, op_id: `make-${i}` });
        if (made.isError) throw new Error(JSON.stringify(made.content).slice(0, 300));
        told.created++;
        const id = JSON.parse(made.content[0].text).dialogue_id;
        const got = await call(agent, there, 'blue_dialogue_progress', { dialogue_id: id });
        told.seen += !got.isError && JSON.parse(got.content[0].text).dialogue_id === id;
        const gone = await call(agent, there, 'blue_dialogue_abandon', { dialogue_id: id, reason: 'enough', op_id: `end-${i}` });
        if (gone.isError) throw new Error(JSON.stringify(gone.content).slice(0, 300));
        told.changed++;
    } catch (e) {
        told.refused.push(String(e));
    }
    agent.destroy();
};
await Promise.all(Array.from({ length: Number(agents) }, (_, i) => act(i)));
told.refused = [...new Set(told.refused)].slice(0, 5);
console.log(JSON.stringify(told));
