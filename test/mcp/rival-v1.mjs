// rival-v1.mjs - the least that a server on the official SDK 1.x can be: one tool that answers a short text. For `make bench`.
//
//   node rival-v1.mjs stdio      on standard input and output
//   node rival-v1.mjs http       prints {"mcp": URL} when it listens
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as z from 'zod';

const make = () => {
    const server = new McpServer({ name: 'rival', version: '1' });
    server.registerTool('read', { description: 'reads', inputSchema: { id: z.string().optional() } }, () => ({
        content: [{ type: 'text', text: '{"status":"success"}' }],
    }));
    return server;
};

if (process.argv[2] === 'stdio') {
    await make().connect(new StdioServerTransport());
} else {
    const sessions = new Map();
    const listener = http.createServer(async (request, response) => {
        let transport = sessions.get(request.headers['mcp-session-id']);
        if (!transport) {
            transport = new StreamableHTTPServerTransport({
                sessionIdGenerator: randomUUID,
                enableJsonResponse: true,
                onsessioninitialized: (id) => sessions.set(id, transport),
            });
            await make().connect(transport);
        }
        await transport.handleRequest(request, response);
    });
    listener.listen(0, '127.0.0.1', () =>
        console.log(JSON.stringify({ mcp: `http://127.0.0.1:${listener.address().port}/mcp` })),
    );
}
