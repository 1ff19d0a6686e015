/* streams.h - what legacy HTTP clients come back for: sessions and the streams in them; see http.h.
 *
 *     session   Mcp-Session-Id: 32 hex digits that nobody can guess
 *       stream  the events of one answer, numbered: "7:3" is the third event of stream 7
 *
 * A session is that of the token that began it: with another one it is not found.
 *
 * The latest streams of a session keep their events, so that a client whose connection broke can ask for the rest.
 * Sessions that nobody uses go after a while. When there are too many, one that is quiet gives up its place; while none
 * is, a client that asks for a new one has to wait: a client that opens many cannot end those of others.
 */
#ifndef CV_DOOR_MCP_STREAMS_H
#define CV_DOOR_MCP_STREAMS_H

#include "door/http/http.h"
#include "door/mcp/host.h"

enum { CV_MCP_MAX_SESSIONS = 1000 };

#define CV_MCP_STREAM_BEAT ": still here\n\n" /* a comment: clients pass over it */

typedef struct cv_mcp_stream {
    uint64_t number;
    size_t events;
    cv_buf kept; /* all of them, as they are sent */
    bool cut;    /* … but there were too many bytes: nobody can go on with it */
    cv_arena arena;
    struct {
        size_t *items;
        size_t count, capacity;
    } ends;              /* of each event in `kept` */
    cv_http_exchange *x; /* who reads it now; NULL: nobody */
    bool finished;
    struct cv_mcp_stream *next;
} cv_mcp_stream;

typedef struct cv_mcp_http_session {
    cv_mcp_session base; /* first */
    char id[33];
    atomic_uint holders;
    int64_t used_ms;
    bool found; /* something was asked in it since it was opened */
    uint64_t last_stream;
    cv_mcp_stream *streams;
    cv_http_exchange *open; /* the GET that waits for news; NULL: none */
    pthread_mutex_t lock;   /* of the streams and of `open` */
    struct cv_mcp_http_session *next;
} cv_mcp_http_session;

typedef struct {
    pthread_mutex_t lock;
    cv_mcp_http_session *first;
    size_t count;
    cv_mcp_host *host;
} cv_mcp_sessions;

/* ---- sessions: each one found is held until it is let go ---- */

/* NULL: there are too many, and all are in use; try again after so many milliseconds. */
cv_mcp_http_session *cv_mcp_sessions_new(cv_mcp_sessions *all, cv_str bearer, int64_t *ret_wait_ms);
cv_mcp_http_session *cv_mcp_sessions_find(cv_mcp_sessions *all, cv_str id, cv_str bearer); /* NULL: it has none */
void cv_mcp_sessions_let_go(cv_mcp_http_session *session);
void cv_mcp_sessions_remove(cv_mcp_sessions *all, cv_mcp_http_session *session);
void cv_mcp_sessions_end(cv_mcp_sessions *all);
void cv_mcp_sessions_detach(cv_mcp_sessions *all, const cv_http_exchange *x); /* the reader of a stream has gone */

/* ---- streams ---- */
cv_mcp_stream *cv_mcp_stream_begin(cv_mcp_http_session *session, cv_http_exchange *x);
void cv_mcp_stream_put(cv_mcp_http_session *session, cv_mcp_stream *stream, cv_str message, bool last);
void cv_mcp_stream_hang_up(cv_mcp_http_session *session, cv_mcp_stream *stream);

/* Goes on after the event "7:3" with this exchange. False: there is no such stream, or it is not kept any more. */
bool cv_mcp_stream_resume(cv_mcp_http_session *session, cv_str last_event, cv_http_exchange *x);

/* The exchange waits for news of the session; false: another one does already. */
bool cv_mcp_session_open(cv_mcp_http_session *session, cv_http_exchange *x);

#endif
