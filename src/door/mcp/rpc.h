/* rpc.h - JSON-RPC 2.0: one message, read and written.
 *
 *     {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {…}}     request
 *     {"jsonrpc": "2.0", "method": "notifications/…"}                        notification: no id
 *     {"jsonrpc": "2.0", "id": 7, "result": {…}}                             answer to a request of ours
 *
 * Whatever else comes is faulty: it has the code and the reason to answer with, and the id when one could be read. Ids
 * are integers or strings and are written back as they came. Batches are not part of MCP.
 */
#ifndef CV_DOOR_MCP_RPC_H
#define CV_DOOR_MCP_RPC_H

#include "base/json.h"

/* The codes of JSON-RPC, and those that MCP adds. */
enum {
    CV_RPC_PARSE = -32700,
    CV_RPC_INVALID = -32600,
    CV_RPC_METHOD = -32601,
    CV_RPC_PARAMS = -32602,
    CV_RPC_INTERNAL = -32603,
    CV_RPC_LEGACY = -32000,      /* what older revisions answer for transport faults */
    CV_RPC_SESSION = -32001,     /* … and for a session that is not there */
    CV_RPC_NO_RESOURCE = -32002, /* … and for a resource that is not there */
    CV_RPC_HEADER = -32020,      /* header and body disagree */
    CV_RPC_CAPABILITY = -32021,  /* the client did not declare what it takes */
    CV_RPC_VERSION = -32022,     /* a protocol version that is not spoken here */
};

typedef enum { CV_RPC_REQUEST, CV_RPC_NOTIFICATION, CV_RPC_ANSWER, CV_RPC_FAULTY } cv_rpc_kind;

typedef struct {
    cv_rpc_kind kind;
    cv_str id;                     /* as JSON: 7, "a"; empty: none */
    cv_str method;                 /* of a faulty one too, when it could be read */
    const cv_json *params;         /* an object; an empty one when there are none */
    const cv_json *result, *error; /* of an answer: one of them; of a faulty one, whatever it has */
    int code;                      /* of a faulty one */
    cv_str why;
} cv_rpc_message;

/* Reads any text; views point into it and into the arena. */
void cv_rpc_read(cv_arena *a, cv_str text, cv_rpc_message *ret_message);

/* The id that a text would have as a request if it could be read; empty: none is to be seen. */
cv_str cv_rpc_find_id(cv_arena *a, cv_str text);

/* {"jsonrpc":"2.0","id":ID,"result": — the caller writes the value and cv_rpc_end. */
void cv_rpc_begin_result(cv_json_writer *w, cv_str id);

/* {"jsonrpc":"2.0","method":METHOD,"params": — likewise; with an id it is a request of ours. */
void cv_rpc_begin_call(cv_json_writer *w, cv_str id, cv_str method);
void cv_rpc_end(cv_json_writer *w);

/* A whole error; an empty id is null, `data` is JSON or empty. */
void cv_rpc_error(cv_buf *out, cv_str id, int code, cv_str message, cv_str data);

#endif
