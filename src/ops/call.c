/* call.c - one call of an operation: checked, run, and its promises kept; see op.h. */
#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/embedded.h"
#include "base/limits.h"
#include "base/log.h"
#include "kit/schema.h"
#include "kit/valid_part.h"
#include "kit/who.h"
#include "ops/op.h"
#include "ops/watch.h"
#include "project/project.h"

static _Noreturn void bad_build(const char *schema, const char *what)
{
    cv_log_line("schemas/%s.json %s", schema, what);
    abort();
}

/* The text of the schemas: in the row itself, or in the file that it names. */
static cv_str schema_text(const char *schema)
{
    for (size_t i = 0; *schema != '{' && i < cv_schema_files_count; i++)
        if (strcmp(cv_schema_files[i].name, schema) == 0)
            return cv_schema_files[i].text;
    if (*schema != '{')
        bad_build(schema, "is not in the program");
    return cv_str_of(schema);
}

/* A reading of schemas, with the memory that it lives in. */
typedef struct {
    cv_op_schemas schemas;
    cv_arena arena;
} reading;

/* The schema of the answer, from its shape. */
static const cv_json *schema_of(cv_arena *a, const cv_operation *op)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json *schema = CV_NEW(a, cv_json);
    cv_err err = {.arena = a};
    cv_shape_schema(&w, op->answer);
    if (!cv_json_parse(a, cv_buf_take(&text, a), schema, &err))
        bad_build(op->schema, "has a shape that gives no schema");
    return schema;
}

static reading *read_schemas(const cv_operation *op)
{
    const char *name = op->schema;
    cv_arena arena = {0};
    reading *r = CV_NEW(&arena, reading);
    cv_json *both = CV_NEW(&arena, cv_json);
    cv_err err = {.arena = &arena};
    if (!cv_json_parse(&arena, schema_text(name), both, &err))
        bad_build(name, "is not JSON");
    const cv_json *output = cv_json_get(both, CV_STR("output"));
    r->schemas.input = cv_json_get(both, CV_STR("input"));
    r->schemas.output = op->answer ? schema_of(&arena, op) : output;
    if (!r->schemas.input || !r->schemas.output || (op->answer && output))
        bad_build(name, "has no input, no output, or two of them");
    r->arena = arena;
    return r;
}

/* A server calls an operation a thousand times a second: its schemas are read once, and stay. Of threads that do so at
 * the same time the first wins. */
cv_op_schemas cv_op_schema(const cv_operation *op)
{
    static _Atomic(reading *) known[CV_MAX_OPERATIONS];
    size_t i = 0;
    while (i < cv_op_count() && strcmp(cv_op_at(i)->schema, op->schema) != 0)
        i++;
    if (i >= CV_MAX_OPERATIONS)
        bad_build(op->schema, "is one too many: see CV_MAX_OPERATIONS");
    reading *r = atomic_load(&known[i]), *other = NULL;
    if (!r) {
        r = read_schemas(op);
        if (!atomic_compare_exchange_strong(&known[i], &other, r)) {
            cv_arena mine = r->arena; /* the reading itself lies in it */
            cv_arena_release(&mine);
            r = other;
        }
    }
    return r->schemas;
}

/* Nothing is read from a record that has lost something, and nothing is written on top of it; a server may have it open
 * while that happens, so it is asked at every call. */
static bool has_all(const cv_operation *op, cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_watermark_state watermark;
    if (!call->record || call->record->calls->acknowledged(call->record, call->arena, &watermark, &err))
        return true;
    bool looks = op->flags & CV_OP_REGRESSED && (err.code == CV_ERR_REGRESSED || err.code == CV_ERR_CORRUPT);
    return looks || cv_call_fail(call, &err);
}

/* What kit/invoke.h promises to rooms. */
static bool invoke(cv_call *call, cv_str room, cv_str verb)
{
    const cv_operation *op = cv_op_find(room, verb);
    assert(op && "a room calls an operation that there is");
    return cv_op_call(op, call);
}

/* May the caller ask for this? The record knows. An operation that opens it itself, because it works on damaged ones,
 * too, is asked about in the record as it is, if it opens. */
static bool is_admitted(const cv_operation *op, cv_call *call)
{
    cv_str room = op->flags & CV_OP_OF_ROOM ? cv_json_get_text(call->input, "room") : cv_str_of(op->room);
    const cv_act act = {.room = room.p ? room : CV_STR(""),
                        .changes = op->flags & (CV_OP_WRITES | CV_OP_FILES),
                        .for_all = op->flags & CV_OP_FOR_ALL};
    cv_err unopened = {.arena = call->arena};
    bool named = call->who.name.p || call->who.token.p;
    bool opens = named && !call->record && op->flags & CV_OP_PROJECT &&
                 cv_project_open(call->arena, call->root, &call->record, &unopened);
    bool admitted = cv_admit(call, &act);
    if (opens) {
        cv_record_close(call->record);
        call->record = NULL;
    }
    return admitted;
}

/* The valid part as a dry run of its own. */
static const cv_json *as_dry_run(cv_arena *a, const cv_json *sound)
{
    cv_json *copy = CV_NEW(a, cv_json);
    cv_json_member *members = CV_NEW_ARRAY(a, sound->count + 1, cv_json_member);
    uint32_t count = 0;
    for (uint32_t i = 0; i < sound->count; i++)
        if (!cv_str_eq(sound->members[i].key, CV_STR("dry_run")) && !cv_str_eq(sound->members[i].key, CV_STR("op_id")))
            members[count++] = sound->members[i];
    members[count++] = (cv_json_member){CV_STR("dry_run"), {.type = CV_JSON_TRUE}};
    *copy = *sound;
    copy->members = members;
    copy->count = count;
    return copy;
}

/* Is there this fault only because a value of another form was taken out? */
static bool follows(const cv_map *faulty, const cv_err *err)
{
    return cv_valid_part_lacks(faulty, err->field) ||
           (err->code == CV_ERR_MISSING_FIELD && cv_valid_part_was_given(faulty, err->message));
}

/* A fault of form in one place does not hide what another one means: the valid part of a write is tried without being
 * written, and its faults are told as well. */
static void add_meanings(const cv_operation *op, cv_call *call)
{
    cv_map faulty;
    cv_errs errs = {0};
    cv_buf unused = {0};
    const cv_json *properties = cv_json_get(call->schema, CV_STR("properties"));
    if (!(op->flags & CV_OP_WRITES) || !call->record || !cv_json_get(properties, CV_STR("dry_run")) ||
        call->input->type != CV_JSON_OBJECT)
        return;
    const cv_json *sound = cv_valid_part(call->arena, call->schema, call->input, call->errs, &faulty);
    if (!sound)
        return;
    cv_call tried = *call;
    tried.errs = &errs;
    tried.out = &unused;
    tried.input = as_dry_run(call->arena, sound);
    if (has_all(op, &tried) && !op->run(&tried))
        for (size_t i = 0; i < errs.count; i++)
            if (errs.items[i].field.n && !follows(&faulty, &errs.items[i]))
                cv_errs_keep(call->errs, call->arena, &errs.items[i]);
    cv_buf_release(&unused);
}

/* Does the row list what the property wants: values of this name, or scopes of the room? */
static bool lists(const cv_room *room, const cv_completion *row, cv_str property, cv_str value)
{
    bool scopes = cv_room_names_scope(room, property) && strcmp(row->value, room->scope.value) == 0;
    return !row->in_scope && (scopes || cv_str_eq(value, cv_str_of(row->value)));
}

/* The error about a name that was left out says which operation lists the names. */
static void say_where_listed(const cv_json *properties, cv_err *err)
{
    const cv_json *property = cv_json_get(properties, err->field);
    cv_str value = property ? cv_json_get_text(property, "x-value") : CV_STR("");
    for (size_t i = 0; property && i < cv_room_count(); i++)
        for (const cv_completion *row = cv_room_at(i)->completions; row && row->value; row++)
            if (lists(cv_room_at(i), row, err->field, value)) {
                cv_err_operation(err, cv_str_of(row->operation));
                cv_err_suggest(err, cv_arena_printf(err->arena, "lists the %s", row->list));
                return;
            }
}

static bool is_formed(const cv_operation *op, cv_call *call)
{
    if (!cv_schema_check(call->arena, call->schema, call->input_text, call->input, call->errs)) {
        for (size_t i = 0; i < call->errs->count; i++)
            if (call->errs->items[i].code == CV_ERR_MISSING_FIELD && call->errs->items[i].suggestion.n == 0)
                say_where_listed(cv_json_get(call->schema, CV_STR("properties")), &call->errs->items[i]);
        add_meanings(op, call);
        return false;
    }
    call->input = cv_schema_named(call->arena, call->schema, call->input);
    return true;
}

/* The caller has put nothing into the room's folders: what is taken in is not done in the caller's name. */
static bool in_no_name(const cv_call *call, const cv_json *input, bool (*work)(cv_call *, cv_err *), cv_err *err)
{
    cv_errs errs = {0};
    cv_buf unused = {0};
    if (!work)
        return true;
    cv_call own = {.arena = call->arena,
                   .record = call->record,
                   .clock = call->clock,
                   .root = call->root,
                   .confined = true,
                   .input = input,
                   .input_text = CV_STR("{}"),
                   .out = &unused,
                   .errs = &errs,
                   .name = call->name,
                   .invoke = invoke,
                   .taking_in = true};
    bool done = work(&own, err);
    assert((done || err->code) && "what is not done has its reason");
    cv_buf_release(&unused);
    return done;
}

bool cv_room_intake(const cv_room *room, const cv_call *call, cv_err *err)
{
    static const cv_json nothing = {.type = CV_JSON_OBJECT};
    return in_no_name(call, &nothing, room ? room->intake : NULL, err);
}

bool cv_op_is_cacheable(const cv_operation *op)
{
    const cv_room *room = cv_room_find(cv_str_of(op->room));
    return op->flags & CV_OP_CACHEABLE && !(room && room->intake);
}

/* Not in the middle of a write, not in an intake itself, and not into a record that has lost something. */
static bool take_in(const cv_operation *op, cv_call *call)
{
    cv_err err = {.arena = call->arena};
    if (!call->record || call->holds || call->taking_in || op->flags & (CV_OP_REGRESSED | CV_OP_TAKES_IN) ||
        cv_room_intake(cv_room_find(cv_str_of(op->room)), call, &err))
        return true;
    if (op->flags & CV_OP_WRITES)
        return cv_call_fail(call, &err);
    cv_str why = cv_err_text(&err);
    cv_log_line("files were not read in: %.*s", CV_FMT(why));
    return true;
}

/* Who is registered stays so, whether the folders can be made now or not. */
static void make_places(const cv_operation *op, const cv_call *call)
{
    for (size_t i = 0; op->flags & CV_OP_AGENTS && i < cv_room_count(); i++) {
        cv_err err = {.arena = call->arena};
        if (!in_no_name(call, call->input, cv_room_at(i)->make_places, &err))
            cv_log_line("folders could not be made: %.*s", CV_FMT(cv_err_text(&err)));
    }
}

bool cv_op_call(const cv_operation *op, cv_call *call)
{
    call->invoke = invoke;
    call->schema = cv_op_schema(op).input;
    bool done = is_admitted(op, call) && is_formed(op, call) && has_all(op, call) && take_in(op, call) && op->run(call);
    if (done && !cv_buf_ok(call->out)) {
        cv_errs_add(call->errs, call->arena, CV_ERR_TOO_LARGE, "the answer is larger than %zu bytes",
                    call->out->ceiling ? call->out->ceiling : CV_MAX_BUF_BYTES);
        done = false;
    }
    assert(done == (call->errs->count == 0) && "a refusal has its reasons, a success none");
    if (done) {
        make_places(op, call);
        cv_watch_reply(op, call);
    } else {
        cv_buf_clear(call->out);
    }
    for (size_t i = 0; i < call->errs->count; i++)
        cv_err_advise(&call->errs->items[i], call->name);
    return done;
}
