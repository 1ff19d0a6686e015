/* toy.c - a whole room in one file, to show what a room is made of: jars that are filled and looked at.
 *
 *     conclave jar fill plums --count 3        writes; refuses more than fits (jar_full)
 *     conclave jar look plums                  reads
 *     conclave://jar/plums                     a resource; who subscribed hears of every filling
 *
 * A jar is a scope with one row that changes; its table is made by 900_toy.sql. Help, manual, completion, MCP tools,
 * resource and prompt come from the descriptor at the end, and search, feed, verify, redaction, backup, export and
 * import from the type; nothing else in the program knows of jars. What only some rooms have (files, an import, a
 * prompt, a topic of the help) is in more.c.
 */
#include "toy/toy.h"
#include "kit/request.h"

enum { MOST = 10 };

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

#define CV_THIS_TYPE jar
static const cv_index jar_indexes[] = {CV_INDEX("rev", SCOPE, CV_AT(jar, rev))};
CV_TYPE_TABLE(jar, "jar", "jars", JAR_FIELDS, REPLACED, search_jar, CV_INDEXES(jar_indexes));

static const cv_shape jar_shape[] = {
    CV_FIELD_AS(ALWAYS, "jar_id", id, "which jar"),
    CV_ROW(rev, &jar_type, KEY),
    CV_WRITTEN("jar"),
    {0},
};
#undef CV_THIS_TYPE

static const cv_type *const types[] = {&jar_type};
const cv_room_types cv_toy_records = {CV_STR_INIT("jar"), types, CV_COUNT(types)};

/* ---- operations ------------------------------------------------------------------------------------------------- */

static cv_scope_id scope_of(const cv_call *call)
{
    return (cv_scope_id){CV_STR("jar"), cv_json_get_text(call->input, "jar_id")};
}

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

bool toy_fill(cv_call *call)
{
    return cv_request_locked(call, CV_STR("jar fill"), scope_of(call), put_in, NULL);
}

bool toy_look(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    jar j = {.id = scope_of(call).name};
    bool found;
    if (!cv_record_get(call->record, call->arena, scope_of(call), &jar_type, &j, &found, &err))
        return cv_call_fail(call, &err);
    if (!found) {
        cv_err_set(&err, CV_ERR_NOT_FOUND, "there is no jar '%.*s'", CV_FMT(j.id));
        return cv_call_fail(call, &err);
    }
    cv_request_answer(call, &(cv_outcome){.rev = j.rev, .result = cv_shape_text(call->arena, jar_shape, &j)});
    return true;
}

#define CV_THIS_TYPE cv_scope_place
static const cv_shape name_shape[] = {CV_FIELD_AS(ALWAYS, "jar_id", scope.name, "which jar"), {0}};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_scope_list
static const cv_shape list_shape[] = {CV_LIST("jars", items, count, name_shape, ""), {0}};
#undef CV_THIS_TYPE

static bool list(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_scope_list all;
    if (!cv_record_scopes(call->record, call->arena, CV_STR("jar"), &all, &err))
        return cv_call_fail(call, &err);
    cv_shape_write(&(cv_json_writer){.out = call->out}, list_shape, &all);
    return true;
}

#define INPUT(more)                                                                                                    \
    "{\"input\":{\"type\":\"object\",\"required\":[\"jar_id\"],\"additionalProperties\":false,\"properties\":{"        \
    "\"jar_id\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":60,\"description\":\"which jar\"}" more "}}}"
#define COUNT                                                                                                          \
    ",\"count\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":1000,\"description\":\"how many\",\"default\":1}"
#define NOTE ",\"note\":{\"type\":\"string\",\"description\":\"what is in it\"}"

static const cv_operation ops[] = {
    {"jar", "fill", "toy_jar_fill", "put something into a jar", "A jar that is not there is made.\n",
     "  conclave jar fill plums --count 3\n", INPUT(COUNT NOTE ",\"op_id\":{\"type\":\"string\"}"),
     CV_OP_STORE | CV_OP_WRITES | CV_OP_UNASKED, toy_fill, jar_shape, NULL},
    {"jar", "look", "toy_jar_look", "see how much is in a jar", "Changes nothing.\n", "  conclave jar look plums\n",
     INPUT(""), CV_OP_STORE | CV_OP_CACHEABLE | CV_OP_UNASKED, toy_look, jar_shape, NULL},
    {"jar", "list", NULL, "list the jars", "All of them.\n", "  conclave jar list\n",
     "{\"input\":{\"type\":\"object\",\"additionalProperties\":false}}", CV_OP_STORE, list, list_shape, NULL},
    {0},
};

/* ---- the room --------------------------------------------------------------------------------------------------- */

static const cv_resource resources[] = {{.uri = "conclave://jar/{id}",
                                         .name = "jar",
                                         .about = "What is in a jar",
                                         .type = "application/json",
                                         .operation = "jar look",
                                         .field = "jar_id",
                                         .changes = CV_CHANGES_WITH_SCOPE},
                                        {0}};
static const cv_completion completions[] = {{"JAR", "jar_id id", "jar list", NULL, false, "jars", "jar_id", "jar_id"},
                                            {0}};

const cv_room cv_room_toy = {
    .name = "jar",
    .summary = "jars that are filled and looked at",
    .details = "A jar holds a few of something.\n",
    .instructions = "Jars: toy_jar_fill puts something in, toy_jar_look tells how much there is.",
    .examples = "  conclave jar fill plums\n"
                "  conclave search sweet --room jar\n",
    .ops = ops,
    .records = &cv_toy_records,
    .codes = codes,
    .resources = resources,
    .completions = completions,
    .scope = {.field = "jar_id", .value = "JAR", .show = "jar look", .one = "jar", .many = "jars"},
    .prompts = toy_prompts,
    .topics = toy_topics,
    .commands = toy_commands,
    .folder = "jars",
    .import = {.fit = toy_fits, .run = toy_import, .found = cv_import_file_shape, .counts = toy_counts},
    .intake = toy_intake,
    .doctor = toy_examine,
};
