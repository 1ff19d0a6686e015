// rival-v2.mjs - the least that a server on the official SDK 2.x can be: one tool that answers a short text. For `make bench`.
//
//   node rival-v2.mjs stdio      on standard input and output
//   node rival-v2.mjs http       prints {"mcp": URL} when it listens
import http from 'node:http';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const make = () => {
    const server = new McpServer({ name: 'rival', version: '1' });
    server.registerTool('read', { description: 'reads', inputSchema: z.object({ id: z.string().optional() }) }, () => ({
        content: [{ type: 'text', text: '{"status":"success"}' }],
    }));
    return server;
};

if (process.argv[2] === 'stdio') {
    serveStdio(make);
} else {
    const handler = createMcpHandler(make);
    const listener = http.createServer(async (request, response) => {
        const body = [];
        for await (const chunk of request) body.push(chunk);
        const answer = await handler.fetch(
            new Request(`http://${request.headers.host}${request.url}`, {
                method: request.method,
                headers: request.headers,
                body: Buffer.concat(body),
            }),
        );
        response.statusCode = answer.status;
        response.setHeaders(answer.headers);
        response.end(await answer.text());
    });
    listener.listen(0, '127.0.0.1', () =>
        console.log(JSON.stringify({ mcp: `http://127.0.0.1:${listener.address().port}/mcp` })),
    );
}
