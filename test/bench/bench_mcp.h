/* bench_mcp.h - the MCP servers against trivial ones on the official SDKs. */
#ifndef CV_BENCH_MCP_H
#define CV_BENCH_MCP_H

void bench_mcp(void);

#endif
