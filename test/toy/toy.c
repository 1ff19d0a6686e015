/* toy.c - a whole room in one file, to show what a room is made of: a shelf of jars that are filled and looked at.
 *
 *     conclave jar fill plums --count 3        writes; refuses more than fits (jar_full)
 *     conclave jar look plums                  reads
 *     conclave://jar/plums                     a resource; who subscribed hears of every filling
 *     .conclave/jars/plums.jar                 a number, put there by anybody: taken in by the next operation
 *     .conclave/jars/plums.label               what is in it, written from the feed
 *
 * A jar is a scope with one row that changes; its table is made by 900_toy.sql. Help, manual, completion, MCP tools,
 * resource and prompt come from the descriptor at the end, and search, feed, verify, redaction, backup, export and
 * import from the type; nothing else in the program knows of jars.
 */
#include "toy/toy.h"
#include "base/file.h"
#include "base/folder.h"
#include "kit/doctor.h"
#include "kit/import.h"
#include "kit/invoke.h"
#include "kit/projection.h"
#include "kit/request.h"

#include <errno.h>

enum { MOST = 10 };
#define FOLDER ".conclave/jars"

static const cv_err_kind JAR_FULL[1] = {{CV_STR_INIT("jar_full"), 1, CV_STR_INIT("more does not fit into the jar")}};
static const cv_err_code codes[] = {JAR_FULL, CV_ERR_NONE};

/* ---- what is kept ----------------------------------------------------------------------------------------------- */

#define JAR_FIELDS(F)                                                                                                  \
    F(TEXT, KEY, id)                                                                                                   \
    F(INT, OUTLINE, count)                                                                                             \
    F(TEXT, LONG, note)
CV_TYPE_STRUCT(jar, JAR_FIELDS)

static bool search_jar(cv_arena *a, const void *row, cv_search_text *ret)
{
    const jar *j = row;
    (void)a;
    *ret = (cv_search_text){.kind = CV_STR("jar"), .id = j->id, .ids = j->id, .title = j->id, .body = j->note};
    return true;
}

static const cv_index jar_indexes[] = {CV_INDEX("rev", SCOPE, CV_AT(jar, rev))};
#define CV_THIS_TYPE jar
CV_TYPE_TABLE(jar, "jar", "jars", JAR_FIELDS, REPLACED, search_jar, CV_INDEXES(jar_indexes));
#undef CV_THIS_TYPE

#define CV_THIS_TYPE jar
static const cv_shape name_shape[] = {CV_FIELD_AS(ALWAYS, "jar_id", id, "which jar"), {0}};
static const cv_shape jar_shape[] = {
    CV_SPREAD_SAME(name_shape),
    CV_ROW(rev, &jar_type, KEY),
    CV_WRITTEN("jar"),
    {0},
};
#undef CV_THIS_TYPE

static const cv_type *const types[] = {&jar_type};
const cv_room_types cv_toy_records = {CV_STR_INIT("jar"), types, CV_COUNT(types)};

static cv_scope_id scope_of(cv_str id)
{
    return (cv_scope_id){CV_STR("jar"), id};
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

static bool put_in(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    (void)ctx;
    cv_err err = {.arena = call->arena};
    jar j = {.id = w->scope.name};
    bool found;
    if (!cv_record_get(call->record, call->arena, w->scope, &jar_type, &j, &found, &err))
        return cv_call_fail(call, &err);
    j.count += cv_json_get_int(call->input, "count", 1);
    if (j.count > MOST) {
        cv_err_set(&err, JAR_FULL, "the jar '%.*s' would have %lld, %d fit", CV_FMT(j.id), (long long)j.count, MOST);
        cv_err_operation(&err, CV_STR("jar look"));
        cv_err_suggest(&err, CV_STR("shows how much is in it"));
        return cv_call_fail(call, &err);
    }
    if (cv_json_get(call->input, CV_STR("note")))
        j.note = cv_json_get_text(call->input, "note");
    cv_writing_put(w, &jar_type, &j);
    cv_writing_event(w, CV_STR("jar"), j.id, CV_STR("filled"));
    *ret_result = cv_shape_text(call->arena, jar_shape, &j);
    return true;
}

static bool fill(cv_call *call)
{
    return cv_request_locked(call, CV_STR("jar fill"), scope_of(cv_json_get_text(call->input, "jar_id")), put_in, NULL);
}

static bool look(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    jar j = {.id = cv_json_get_text(call->input, "jar_id")};
    bool found;
    if (!cv_record_get(call->record, call->arena, scope_of(j.id), &jar_type, &j, &found, &err))
        return cv_call_fail(call, &err);
    if (!found) {
        cv_err_set(&err, CV_ERR_NOT_FOUND, "there is no jar '%.*s'", CV_FMT(j.id));
        return cv_call_fail(call, &err);
    }
    cv_request_answer(call, &(cv_outcome){.rev = j.rev, .result = cv_shape_text(call->arena, jar_shape, &j)});
    return true;
}

typedef struct {
    cv_arena *arena;
    jar *items;
    size_t count, capacity;
} shelf;

static bool list_one(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    shelf *all = ctx;
    (void)at, (void)err;
    *CV_PUSH(all->arena, all) = (jar){.id = cv_arena_copy(all->arena, scope.name)};
    return true;
}

#define CV_THIS_TYPE shelf
static const cv_shape shelf_shape[] = {CV_LIST("jars", items, count, name_shape, ""), {0}};
#undef CV_THIS_TYPE

static bool list(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    shelf all = {.arena = call->arena};
    if (!call->record->calls->scopes(call->record, CV_STR("jar"), CV_STR(""), 0, list_one, &all, &err))
        return cv_call_fail(call, &err);
    cv_shape_write(&(cv_json_writer){.out = call->out}, shelf_shape, &all);
    return true;
}

#define INPUT(more)                                                                                                    \
    "{\"input\":{\"type\":\"object\",\"required\":[\"jar_id\"],\"additionalProperties\":false,\"properties\":{"        \
    "\"jar_id\":{\"type\":\"string\",\"minLength\":1,\"description\":\"which jar\"}" more "}}}"
#define COUNT                                                                                                          \
    ",\"count\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000,\"description\":\"how many\",\"default\":1}"
#define NOTE ",\"note\":{\"type\":\"string\",\"description\":\"what is in it\"}"

static const cv_operation ops[] = {
    {"jar", "fill", "toy_jar_fill", "put something into a jar", "A jar that is not there is made.\n",
     "  conclave jar fill plums --count 3\n", INPUT(COUNT NOTE ",\"op_id\":{\"type\":\"string\"}"),
     CV_OP_STORE | CV_OP_WRITES | CV_OP_UNASKED, fill, jar_shape},
    {"jar", "look", "toy_jar_look", "see how much is in a jar", "Changes nothing.\n", "  conclave jar look plums\n",
     INPUT(""), CV_OP_STORE | CV_OP_STEADY | CV_OP_UNASKED, look, jar_shape},
    {"jar", "list", NULL, "list the jars", "All of them.\n", "  conclave jar list\n",
     "{\"input\":{\"type\":\"object\",\"additionalProperties\":false}}", CV_OP_STORE, list, shelf_shape},
    {0},
};

/* ---- its files -------------------------------------------------------------------------------------------------- */

/* "plums.jar" holds a number. */
static cv_import_fit fits(cv_arena *a, cv_where path)
{
    (void)a;
    return cv_str_ends(cv_str_of(path.path), CV_STR(".jar")) ? CV_FIT_OWN : CV_FIT_NONE;
}

static bool import(cv_import *im)
{
    cv_arena *a = im->call->arena;
    int64_t sum = 0;
    for (size_t i = 0; i < im->count; i++) {
        cv_err err = {.arena = a};
        cv_str text, name = cv_str_of(cv_where_name(im->paths[i])), id = cv_str_head(name, name.n - 4);
        cv_reply reply = {0};
        if (cv_file_read_text_at(a, im->paths[i], &text, &err))
            cv_invoke_handler(im->call, a, im->record, CV_ABSENT, fill,
                              cv_arena_printf(a, "{\"jar_id\":\"%.*s\",\"count\":%.*s}", CV_FMT(id), CV_FMT(text)),
                              &reply);
        cv_import_outcome outcome = reply.done ? CV_OUTCOME_IMPORTED : CV_OUTCOME_FAILED;
        im->outcomes[outcome]++;
        sum += reply.done ? cv_json_get_int(&reply.json, "count", 0) : 0;
        cv_json_begin_object(im->w);
        cv_json_key_str(im->w, "name", id);
        cv_json_key_str(im->w, "outcome", cv_import_outcomes.items[outcome]);
        cv_json_end_object(im->w);
        if (im->text)
            cv_buf_printf(im->text, "%.*s  %.*s\n", CV_FMT(cv_import_outcomes.items[outcome]), CV_FMT(id));
    }
    cv_json_key_int(&im->counts, "in_jars", sum);
    return true;
}

/* The same file, put into the room's folder by anybody, is taken in by the next operation. Before it is read it gets a
 * name of its own, which is the op_id: whoever is killed in between fills nothing twice. */
static bool take_file(cv_call *call, cv_where folder, const char *name, cv_err *err)
{
    cv_arena *a = call->arena;
    cv_where own = cv_where_in(a, folder, name);
    if (*name != '.') {
        own = cv_where_printf(a, folder, ".%s.%s", cv_file_unique(a), name);
        if (!cv_file_move(cv_where_in(a, folder, name), own, err))
            return err->code == CV_ERR_NOT_FOUND; /* another has taken it */
    }
    cv_str op_id = cv_str_of(cv_where_name(own)), id = cv_str_from(op_id, 1), text;
    id = cv_str_from(id, cv_str_find_char(id, '.') + 1);
    if (!cv_file_read_text_at(a, own, &text, err))
        return err->code == CV_ERR_NOT_FOUND;
    cv_reply reply;
    cv_invoke_handler(call, a, call->record, CV_ABSENT, fill,
                      cv_arena_printf(a, "{\"jar_id\":\"%.*s\",\"count\":%.*s,\"op_id\":\"%.*s\"}",
                                      CV_FMT(cv_str_head(id, id.n - 4)), CV_FMT(text), CV_FMT(op_id)),
                      &reply);
    if (reply.done)
        return cv_where_unlink(own) || errno == ENOENT || cv_where_fail(err, own.path, "remove it", errno);
    cv_err_copy(err, &reply.errs.items[0]);
    return (cv_err_is_refusal(err->code) || err->code == CV_ERR_JSON) && /* it is kept for people to see */
           cv_file_move(own, cv_where_printf(a, folder, "%.*s.refused", CV_FMT(cv_str_from(op_id, 1))), err);
}

static bool write_labels(void *ctx, const cv_feed_entry *entries, size_t count, cv_err *err)
{
    const cv_call *call = ctx;
    bool ok = true, found;
    for (size_t i = 0; ok && i < count; i++) {
        jar j = {.id = entries[i].scope.name};
        if (cv_str_eq(entries[i].scope.room, CV_STR("jar")) && cv_str_find_char(j.id, '/') == SIZE_MAX)
            ok = cv_record_get(call->record, call->arena, entries[i].scope, &jar_type, &j, &found, err) &&
                 cv_file_write_at(
                     cv_where_printf(call->arena, (cv_where){call->root, FOLDER}, "%.*s.label", CV_FMT(j.id)),
                     cv_arena_printf(call->arena, "%lld\n", (long long)j.count), NULL, err);
    }
    return ok;
}

static bool intake(cv_call *call, cv_err *err)
{
    cv_where folder = {call->root, FOLDER};
    cv_folder_entries files;
    const cv_projection labels = {"jar labels", folder, write_labels, call};
    bool ok = cv_folder_list(call->arena, folder, &files, err);
    for (size_t i = 0; ok && i < files.count; i++)
        if (cv_str_ends(cv_str_of(files.items[i].name), CV_STR(".jar")) &&
            cv_where_is_regular(cv_where_in(call->arena, folder, files.items[i].name)))
            ok = take_file(call, folder, files.items[i].name, err);
    return ok && cv_projection_catch_up(call->record, call->arena, &labels, err);
}

static void examine(cv_doctor *d)
{
    cv_folder_entries files;
    cv_err err = {.arena = d->call.arena};
    if (cv_folder_list(d->call.arena, (cv_where){d->call.root, FOLDER}, &files, &err))
        cv_doctor_say(d, "jars", CV_DOCTOR_OK, "%zu labels", files.count);
    else
        cv_doctor_fail(d, "jars", CV_DOCTOR_ERROR, &err);
}

/* ---- the other doors' parts ------------------------------------------------------------------------------------- */

static bool read_jar(const cv_asker *asker, const cv_str *values, cv_str *ret_text, cv_err *err)
{
    return cv_ask(asker, "jar look", cv_arena_printf(asker->arena, "{\"jar_id\":\"%.*s\"}", CV_FMT(values[0])),
                  ret_text, err);
}

static int64_t rev_of_jar(cv_record *record, cv_arena *a, const char *root, const cv_str *values)
{
    cv_err err = {.arena = a};
    cv_scope_position at = {0};
    (void)root;
    bool ok = record->calls->begin(record, a, scope_of(values[0]), &at, &err);
    record->calls->end(record);
    return ok ? at.rev : -1;
}

static bool cook(const cv_asker *asker, const cv_json *arguments, cv_prompt_texts *ret_texts, cv_err *err)
{
    cv_str jar_id = cv_json_get_text(arguments, "jar_id"), text;
    if (!read_jar(asker, &jar_id, &text, err))
        return false;
    *CV_PUSH(asker->arena, ret_texts) = cv_arena_printf(asker->arena, "Cook with what is here: %.*s", CV_FMT(text));
    return true;
}

static void print_topic(cv_buf *out)
{
    cv_buf_printf(out, "A jar holds %d.\n", MOST);
}

static bool in_use(cv_record *record, cv_arena *a, const char *root)
{
    cv_err err = {.arena = a};
    shelf all = {.arena = a};
    (void)root;
    return record->calls->scopes(record, CV_STR("jar"), CV_STR(""), 1, list_one, &all, &err) && all.count > 0;
}

static const cv_resource resources[] = {
    {"conclave://jar/{id}", "jar", "What is in a jar", "application/json", read_jar, rev_of_jar, NULL}, {0}};
static const cv_prompt_argument arguments[] = {{"jar_id", "which jar", true}, {0}};
static const cv_room_prompt prompts[] = {{"cook", "Cook", "Cook with a jar", arguments, cook}, {0}};
static const cv_completion completions[] = {{"JAR", "jar_id id", "jar list", NULL, false, "jars", "jar_id", "jar_id"},
                                            {0}};
static const cv_topic topics[] = {{"jars", print_topic}, {0}};

const cv_room cv_room_toy = {
    .name = "jar",
    .summary = "jars that are filled and looked at",
    .details = "A jar holds a few of something.\n",
    .instructions = "Jars: toy_jar_fill puts something in, toy_jar_look tells how much there is.",
    .example = "  conclave jar fill plums\n",
    .ops = ops,
    .records = &cv_toy_records,
    .codes = codes,
    .resources = resources,
    .prompts = prompts,
    .completions = completions,
    .topics = topics,
    .scope = {.field = "jar_id", .value = "JAR", .show = "jar look", .one = "jar", .many = "jars"},
    .in_use = in_use,
    .folder = "jars",
    .doctor = examine,
    .import = {.fit = fits, .run = import},
    .intake = intake,
};
