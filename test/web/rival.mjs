// rival.mjs - a Node HTTP server that sends the bytes of a file, whatever is asked: what our API is measured against.
//
//     node test/web/rival.mjs FILE      prints its port; ends with its standard input
import { createServer } from "node:http";
import { readFileSync } from "node:fs";

const body = readFileSync(process.argv[2]);
const server = createServer((_, response) => {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length });
  response.end(body);
});
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit(0));
