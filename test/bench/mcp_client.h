/* mcp_client.h - a client of the Model Context Protocol that wants to know how fast a server is and what it costs.
 *
 *     start   standard input: initialize, or server/discover in the modern era; until the first response
 *     call    one tool, again and again for a while, so many requests under way: on HTTP each on its own connection
 *     stop    the end of standard input, or a signal; until the server has ended
 *
 * Server and client stay on one processor each, two when there are two. Every response is looked at: one that is no
 * result, or none within half a minute, ends the process with a line that says so.
 */
#ifndef CV_BENCH_MCP_CLIENT_H
#define CV_BENCH_MCP_CLIENT_H

#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

enum { CV_PEER_MAX_ARGUMENTS = 8 };

typedef struct {
    const char *name;
    const char *program;
    const char *arguments[CV_PEER_MAX_ARGUMENTS];
    const char *tool, *input; /* what is called, with these arguments: JSON; # stands for the number of the call */
    bool http;                /* it prints where it listens: a line with http://127.0.0.1:PORT/mcp */
    bool modern;
} cv_peer_options;

typedef struct {
    cv_peer_options options;
    pid_t pid;
    int to, from; /* its standard input and output */
    cv_buf in;    /* of what it has said, what is not yet looked at */
    uint16_t port;
    char session[80]; /* legacy HTTP; empty: it wants none */
    int64_t last_id;
} cv_peer;

/* Runs the server and opens a session: seconds from its start to its first response. */
double cv_peer_start(cv_peer *peer, const cv_peer_options *options);

/* Calls the tool `width` at a time until `seconds` or, when they are not 0, `calls` are over: calls in a second. */
double cv_peer_call(cv_peer *peer, int width, double seconds, int64_t calls);

double cv_peer_cpu(const cv_peer *peer);    /* seconds of processor time that it has used */
double cv_peer_memory(const cv_peer *peer); /* megabytes that are resident */
double cv_peer_stop(cv_peer *peer);         /* seconds until it has ended */

#endif
