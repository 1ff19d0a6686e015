/* op.h - every operation exactly once.
 *
 * A row says what an operation is called in each door, what it takes and gives (schemas/NAME.json, embedded), and which
 * function of a room does it. The command line, help, completion and later the servers are made from the rows; nothing
 * else is callable from outside.
 *
 *     {.room = "dialogue", .verb = "round-register", .tool = "blue_dialogue_round_register",
 *      .schema = "dialogue_round_register", .flags = CV_OP_STORE | CV_OP_WRITES, .run = cv_dialogue_round_register, …}
 *
 * cv_op_call() is the way in: it holds the input against the schema, runs the handler and keeps its promises (all
 * faults or one whole reply). When the test suite watches (watch.h), it also holds the reply against the schema.
 */
#ifndef CV_OPS_OP_H
#define CV_OPS_OP_H

#include "record/call.h"

enum {
    CV_OP_STORE = 1,         /* needs the project's record */
    CV_OP_WRITES = 2,        /* changes it */
    CV_OP_IDEMPOTENT = 4,    /* the same call twice is one */
    CV_OP_BATCH = 8,         /* its faults are always answered as those of a batch (err_json.h) */
    CV_OP_PROJECT = 16,      /* needs the project's folder; opens the record itself, if it can */
    CV_OP_FILES = 32,        /* writes files */
    CV_OP_LARGE = 64,        /* its answer may be long, and that is the point of it */
    CV_OP_STEADY = 256,      /* its answer follows from the record and the input alone: no files, no time, no chance */
    CV_OP_REGRESSED = 512,   /* looks at a record, or mends it, also when it has less than was acknowledged */
    CV_OP_EVERY_ROUND = 128, /* a judge or an expert needs it in every round: MCP clients are shown it unasked */
};

typedef struct {
    const char *room; /* "dialogue"; "": stands at the top level */
    const char *verb; /* "round-register" */
    const char *tool; /* its name for MCP clients, NULL: not offered */
    const char *summary;
    const char *details;  /* paragraphs for the help */
    const char *examples; /* lines; those that begin with "  conclave" run in the tests */
    const char *schema;   /* schemas/NAME.json: {"input": {...}, "output": {...}} */
    unsigned flags;
    cv_handler run;
} cv_operation;

enum { CV_MAX_OPERATIONS = 128 }; /* and so many schemas */

/* All rows, in the order of the help. */
size_t cv_op_count(void);
const cv_operation *cv_op_at(size_t i);
const cv_operation *cv_op_find(cv_str room, cv_str verb); /* NULL: none */

/* The operation of these words ("dialogue list", "verify") as a command line, as a tool, and as one of those tools that
 * are offered unasked: each a cv_naming. What is no such tool is named as a command. */
cv_str cv_op_command(cv_arena *a, cv_str operation, cv_str dialogue_id, const cv_argument *arguments, size_t count);
cv_str cv_op_tool(cv_arena *a, cv_str operation, cv_str dialogue_id, const cv_argument *arguments, size_t count);
cv_str cv_op_usual_tool(cv_arena *a, cv_str operation, cv_str dialogue_id, const cv_argument *arguments, size_t count);

/* A room, for the help. */
typedef struct {
    const char *name;
    const char *summary;
    const char *details;
} cv_room;
size_t cv_room_count(void);
const cv_room *cv_room_at(size_t i);

/* The schemas of what goes in and what comes out. */
typedef struct {
    const cv_json *input, *output;
} cv_op_schemas;

/* Read from the embedded text. A schema that is missing or no JSON is a fault of the build and ends the process. */
cv_op_schemas cv_op_schema(const cv_operation *op);

/* Checks the input against the schema and runs the operation. False: call->errs says why, call->out is empty. */
bool cv_op_call(const cv_operation *op, cv_call *call);

#endif
