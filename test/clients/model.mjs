// model.mjs - a stand-in for the model behind Claude Code and Codex, on the loopback only.
//
//   node model.mjs FOLDER
//
// Writes its address into FOLDER/url once it listens, and every request with its answer as a line of FOLDER/log. It answers as the agents of
// agents.mjs do; a request that is none of the two APIs gets 404, and is in the log, too.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { answer } from './agents.mjs';
import { api_of, stream } from './wire.mjs';

const folder = process.argv[2];
const log = (entry) => fs.appendFileSync(path.join(folder, 'log'), JSON.stringify(entry) + '\n');

function serve(request, response, text) {
    const where = new URL(request.url, 'http://localhost');
    const api = request.method === 'POST' && api_of(where.pathname);
    if (!api) {
        log({ refused: `${request.method} ${request.url}` });
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"error": {"type": "not_found_error", "message": "not here"}}');
        return;
    }
    const body = JSON.parse(text);
    const conversation = { client: api.client, ...api.from(body) };
    const said = answer(conversation);
    log({ client: api.client, agent: said.agent, turn: conversation.turns, offered: conversation.turns ? undefined : conversation.tools, said: conversation.said, answer: said });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of stream(api, body, conversation.turns, said)) response.write(event);
    response.end();
}

const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
        try {
            serve(request, response, Buffer.concat(parts).toString());
        } catch (fault) {
            log({ fault: fault.stack });
            response.writeHead(500).end();
        }
    });
});
server.listen(0, '127.0.0.1', () => {
    fs.writeFileSync(path.join(folder, 'url.new'), `http://127.0.0.1:${server.address().port}`);
    fs.renameSync(path.join(folder, 'url.new'), path.join(folder, 'url'));
});
