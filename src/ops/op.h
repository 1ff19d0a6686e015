/* op.h - every operation exactly once: the rows of all rooms joined, and the one way to call one.
 *
 * Which rooms there are, the program says (src/rooms.c): one line each. kit/room.h says what a descriptor has.
 *
 * cv_op_call() is the way in: it holds the input against the schema, lets the room take in its files, runs the handler
 * and keeps its promises (all faults or one whole reply). When the test suite watches (watch.h), it also holds the
 * reply against the schema.
 */
#ifndef CV_OPS_OP_H
#define CV_OPS_OP_H

#include "kit/room.h"

enum { CV_MAX_OPERATIONS = 256 };

/* All rows, in the order of the list of rooms. */
size_t cv_op_count(void);
const cv_operation *cv_op_at(size_t i);
const cv_operation *cv_op_find(cv_str room, cv_str verb); /* NULL: none */

/* The operation of these words ("dialogue list", "verify"); there is one. */
const cv_operation *cv_op_called(cv_str words);

/* What the names of tools begin with, before the verb; each once. Of operations with these flags. */
typedef cv_texts cv_op_prefixes;
cv_op_prefixes cv_op_tool_prefixes(cv_arena *a, unsigned flags);

/* The operation of these words ("dialogue list", "verify") as a command line, as a tool, and as one of those tools that
 * are offered unasked: each a cv_naming. Any other operation is named as a command. */
cv_str cv_op_command(cv_arena *a, cv_str operation, cv_str first, const cv_argument *arguments, size_t count);
cv_str cv_op_tool(cv_arena *a, cv_str operation, cv_str first, const cv_argument *arguments, size_t count);
cv_str cv_op_usual_tool(cv_arena *a, cv_str operation, cv_str first, const cv_argument *arguments, size_t count);

/* The rooms that have a name: those of the command line. */
size_t cv_room_count(void);
const cv_room *cv_room_at(size_t i);
const cv_room *cv_room_find(cv_str name);                    /* NULL: none */
bool cv_room_names_scope(const cv_room *room, cv_str field); /* is this the field that names one of its scopes? */

/* The schemas of what goes in and what comes out. */
typedef struct {
    const cv_json *input, *output;
} cv_op_schemas;

/* Read from the embedded text. A schema that is missing or no JSON is a fault of the build and ends the process. */
cv_op_schemas cv_op_schema(const cv_operation *op);

/* Checks the input against the schema and runs the operation. False: call->errs says why, call->out is empty. */
bool cv_op_call(const cv_operation *op, cv_call *call);

/* May a server give its answer again, as long as nothing has changed? Not in a room that takes files in: an answer that
 * is given again takes nothing in. */
bool cv_op_is_cacheable(const cv_operation *op);

/* Lets the room take its files in (kit/room.h), in the project and with the record of `call`. A room without such
 * files, or none at all (NULL), has nothing to do. cv_op_call() does so before an operation, servers while they wait.
 */
bool cv_room_intake(const cv_room *room, const cv_call *call, cv_err *err);

#endif
