/* call.c - one call of an operation: checked, run, and its promises kept; see op.h. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "ops/op.h"
#include "ops/schema.h"
#include "ops/schemas.h"
#include "ops/watch.h"

static _Noreturn void bad_build(const char *schema, const char *what)
{
    fprintf(stderr, "conclave: schemas/%s.json %s\n", schema, what);
    abort();
}

static cv_str schema_text(const char *name)
{
    for (size_t i = 0; i < cv_schema_file_count; i++)
        if (strcmp(cv_schema_files[i].name, name) == 0)
            return cv_schema_files[i].text;
    bad_build(name, "is not in the program");
}

cv_op_schemas cv_op_schema(const cv_operation *op, cv_arena *a)
{
    cv_json *both = CV_NEW(a, cv_json);
    cv_err err = {.arena = a};
    if (!cv_json_parse(a, schema_text(op->schema), both, &err))
        bad_build(op->schema, "is no JSON");
    cv_op_schemas schemas = {cv_json_get(both, CV_STR("input")), cv_json_get(both, CV_STR("output"))};
    if (!schemas.input || !schemas.output)
        bad_build(op->schema, "has no input or no output");
    return schemas;
}

bool cv_op_call(const cv_operation *op, cv_call *call)
{
    const cv_json *schema = cv_op_schema(op, call->arena).input;
    if (!cv_schema_check(call->arena, schema, call->input_text, call->input, call->errs))
        return false;
    call->input = cv_schema_named(call->arena, schema, call->input);
    bool done = op->run(call);
    if (done && !cv_buf_ok(call->out)) {
        cv_errs_add(call->errs, call->arena, CV_ERR_TOO_LARGE, "the answer is larger than %zu bytes",
                    call->out->ceiling ? call->out->ceiling : CV_MAX_BUF_BYTES);
        done = false;
    }
    assert(done == (call->errs->count == 0) && "a refusal has its reasons, a success none");
    if (done)
        cv_watch_reply(op, call);
    else
        cv_buf_clear(call->out);
    return done;
}
