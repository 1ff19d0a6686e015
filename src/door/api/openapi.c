/* openapi.c - the API described in OpenAPI 3.1, from the rows of the operations and their schemas; see api.h. What is
 * not an operation is in schemas/api/openapi.json.
 */
#include <assert.h>

#include "base/embedded.h"
#include "door/api/parts.h"
#include "kit/schema.h"

static void print_text(cv_json_writer *w, const char *key, const char *text)
{
    cv_json_key_str(w, key, cv_str_of(text));
}

static void open(cv_json_writer *w, const char *key)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_object(w);
}

/* {"application/json": {"schema": …}} */
static void print_content(cv_json_writer *w, const cv_json *schema)
{
    open(w, "content");
    open(w, "application/json");
    cv_json_key(w, CV_STR("schema"));
    cv_json_value(w, schema);
    cv_json_end_object(w);
    cv_json_end_object(w);
}

static void print_responses(cv_json_writer *w, const cv_json *output)
{
    open(w, "responses");
    open(w, "200");
    print_text(w, "description", "done");
    print_content(w, output);
    cv_json_end_object(w);
    open(w, "default");
    print_text(w, "$ref", "#/components/responses/fault");
    cv_json_end_object(w);
    cv_json_end_object(w);
}

static bool is_required(const cv_json *input, cv_str name)
{
    const cv_json *required = cv_json_get(input, CV_STR("required"));
    for (uint32_t i = 0; required && i < required->count; i++)
        if (cv_str_eq(required->items[i].text, name))
            return true;
    return false;
}

static void print_parameters(cv_json_writer *w, const cv_json *input)
{
    const cv_json *properties = cv_json_get(input, CV_STR("properties"));
    cv_json_key(w, CV_STR("parameters"));
    cv_json_begin_array(w);
    for (uint32_t i = 0; properties && i < properties->count; i++) {
        const cv_json_member *m = &properties->members[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "name", m->key);
        print_text(w, "in", "query");
        cv_json_key_bool(w, "required", is_required(input, m->key));
        cv_json_key(w, CV_STR("schema"));
        cv_json_value(w, &m->value);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void print_method(cv_json_writer *w, cv_arena *a, const cv_operation *op, const char *method)
{
    cv_op_schemas schemas = cv_op_schema(op);
    bool get = strcmp(method, "get") == 0;
    open(w, method);
    cv_json_key_str(w, "operationId",
                    cv_arena_printf(a, "%s%s%s%s", op->room, *op->room ? "." : "", op->verb, get ? ".get" : ""));
    print_text(w, "summary", op->summary);
    cv_json_key_strs(w, "tags", &(cv_str){op->room, strlen(op->room)}, *op->room != '\0');
    if (get) {
        print_parameters(w, schemas.input);
    } else {
        open(w, "requestBody");
        cv_json_key_bool(w, "required", cv_json_get(schemas.input, CV_STR("required")));
        print_content(w, schemas.input);
        cv_json_end_object(w);
    }
    print_responses(w, schemas.output);
    cv_json_end_object(w);
}

static void print_paths(cv_json_writer *w, cv_arena *a, const cv_json *others)
{
    open(w, "paths");
    for (size_t i = 0; i < cv_op_count(); i++) {
        const cv_operation *op = cv_op_at(i);
        cv_json_key(w, cv_arena_printf(a, "/api/%s%s%s", op->room, *op->room ? "/" : "", op->verb));
        cv_json_begin_object(w);
        print_method(w, a, op, "post");
        if (!(op->flags & (CV_OP_WRITES | CV_OP_FILES)))
            print_method(w, a, op, "get");
        cv_json_end_object(w);
    }
    for (uint32_t i = 0; i < others->count; i++) {
        cv_json_key(w, others->members[i].key);
        cv_json_value(w, &others->members[i].value);
    }
    cv_json_end_object(w);
}

cv_str cv_api_describe(cv_arena *a)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json *frame = CV_NEW(a, cv_json);
    cv_err err = {.arena = a};
    bool parsed = cv_json_parse(a, cv_api_files[0].text, frame, &err);
    assert(parsed && "it is part of the program");
    (void)parsed;
    cv_json_begin_object(&w);
    print_text(&w, "openapi", "3.1.0");
    open(&w, "info");
    print_text(&w, "title", "Conclave");
    print_text(&w, "version", CV_VERSION);
    cv_json_end_object(&w);
    print_paths(&w, a, cv_json_get(frame, CV_STR("paths")));
    cv_json_key(&w, CV_STR("components"));
    cv_json_value(&w, cv_json_get(frame, CV_STR("components")));
    cv_json_key(&w, CV_STR("security"));
    cv_json_value(&w, cv_json_get(frame, CV_STR("security")));
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}
