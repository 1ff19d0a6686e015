/* toy.c - a whole room in one file, to show what a room is made of: a shelf of jars that are filled and looked at.
 *
 *     conclave jar fill plums --count 3        writes; refuses more than fits (jar_full)
 *     conclave jar look plums                  reads
 *     conclave://jar/plums                     a resource; who subscribed hears of every filling
 *
 * What it keeps is one small file per jar, beside the record. Help, manual, completion, MCP tools, resource and prompt
 * come from the descriptor at the end; nothing else in the program knows of jars.
 */
#include <dirent.h>

#include "base/file.h"
#include "base/folder.h"
#include "toy/toy.h"

enum { MOST = 10 };

static const cv_err_kind JAR_FULL[1] = {{CV_STR_INIT("jar_full"), 1, CV_STR_INIT("more does not fit into the jar")}};
static const cv_err_code codes[] = {JAR_FULL, CV_ERR_NONE};

/* ---- what is kept ----------------------------------------------------------------------------------------------- */

static const char *path_of(cv_arena *a, cv_str id)
{
    return cv_arena_printf(a, ".conclave/jars/%.*s", CV_FMT(id)).p;
}

/* How much is in a jar; -1: there is none of this name. */
static int count_of(cv_arena *a, const char *root, cv_str id)
{
    cv_err err = {.arena = a};
    cv_str text;
    int count;
    const char *path = cv_arena_printf(a, "%s/%s", root, path_of(a, id)).p;
    return cv_file_read_text(a, path, &text, &err) && cv_str_to_int(text, &count) ? count : -1;
}

/* ---- what is answered -------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str jar_id;
    int count;
} jar;

typedef struct {
    struct {
        jar *items;
        size_t count, capacity;
    } jars;
} shelf;

#define CV_THIS_TYPE jar
static const cv_shape name_shape[] = {
    CV_FIELD(ALWAYS, jar_id, "which jar"),
    {0},
};
static const cv_shape jar_shape[] = {
    CV_SPREAD_SAME(name_shape),
    CV_FIELD(ALWAYS, count, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE shelf
static const cv_shape shelf_shape[] = {
    CV_LIST("jars", jars.items, jars.count, name_shape, ""),
    {0},
};
#undef CV_THIS_TYPE

static bool answer(cv_call *call, const cv_shape *shape, const void *value)
{
    cv_json_writer w = {.out = call->out};
    cv_shape_write(&w, shape, value);
    return true;
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

static bool fill(cv_call *call)
{
    cv_arena *a = call->arena;
    cv_err err = {.arena = a};
    cv_str id = cv_json_get_text(call->input, "jar_id");
    const cv_json *given = cv_json_get(call->input, CV_STR("count"));
    int count = count_of(a, call->root, id), more = 1;
    if (given && !cv_str_to_int(given->text, &more))
        more = MOST + 1;
    count = (count < 0 ? 0 : count) + more;
    if (count > MOST) {
        cv_err_set(&err, JAR_FULL, "the jar '%.*s' would have %d, %d fit", CV_FMT(id), count, MOST);
        cv_err_operation(&err, CV_STR("jar look"));
        cv_err_suggest(&err, CV_STR("shows how much is in it"));
        return cv_call_fail(call, &err);
    }
    if (!cv_folder_make_private((cv_where){call->root, ".conclave/jars"}, &err) ||
        !cv_file_write_private((cv_where){call->root, path_of(a, id)}, cv_arena_printf(a, "%d", count), &err))
        return cv_call_fail(call, &err);
    return answer(call, jar_shape, &(jar){id, count});
}

static bool look(cv_call *call)
{
    jar one = {.jar_id = cv_json_get_text(call->input, "jar_id")};
    one.count = count_of(call->arena, call->root, one.jar_id);
    if (one.count < 0) {
        cv_errs_add(call->errs, call->arena, CV_ERR_NOT_FOUND, "there is no jar '%.*s'", CV_FMT(one.jar_id));
        return false;
    }
    return answer(call, jar_shape, &one);
}

static bool list(cv_call *call)
{
    shelf all = {0};
    DIR *jars = opendir(cv_arena_printf(call->arena, "%s/.conclave/jars", call->root).p);
    for (struct dirent *e; jars && (e = readdir(jars));)
        if (e->d_name[0] != '.')
            *CV_PUSH(call->arena, &all.jars) = (jar){.jar_id = cv_arena_copy(call->arena, cv_str_of(e->d_name))};
    if (jars)
        closedir(jars);
    return answer(call, shelf_shape, &all);
}

#define INPUT(more)                                                                                                    \
    "{\"input\":{\"type\":\"object\",\"required\":[\"jar_id\"],\"additionalProperties\":false,\"properties\":{"        \
    "\"jar_id\":{\"type\":\"string\",\"minLength\":1,\"description\":\"which jar\"}" more "}}}"

static const cv_operation ops[] = {
    {"jar", "fill", "toy_jar_fill", "put something into a jar", "A jar that is not there is made.\n",
     "  conclave jar fill plums --count 3\n",
     INPUT(",\"count\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"how many\",\"default\":1}"),
     CV_OP_PROJECT | CV_OP_FILES | CV_OP_UNASKED, fill, jar_shape},
    {"jar", "look", "toy_jar_look", "see how much is in a jar", "Changes nothing.\n", "  conclave jar look plums\n",
     INPUT(""), CV_OP_PROJECT | CV_OP_UNASKED, look, jar_shape},
    {"jar", "list", NULL, "list the jars", "All of them.\n", "  conclave jar list\n",
     "{\"input\":{\"type\":\"object\",\"additionalProperties\":false}}", CV_OP_PROJECT, list, shelf_shape},
    {0},
};

/* ---- the other doors' parts ------------------------------------------------------------------------------------- */

static bool read_jar(const cv_asker *asker, const cv_str *values, cv_str *ret_text, cv_err *err)
{
    return cv_ask(asker, "jar look", cv_arena_printf(asker->arena, "{\"jar_id\":\"%.*s\"}", CV_FMT(values[0])),
                  ret_text, err);
}

static int64_t rev_of_jar(cv_record *record, cv_arena *a, const char *root, const cv_str *values)
{
    (void)record;
    return count_of(a, root, values[0]) + 1;
}

static bool cook(const cv_asker *asker, const cv_json *arguments, cv_prompt_texts *ret_texts, cv_err *err)
{
    cv_str id = cv_json_get_text(arguments, "jar_id"), text;
    if (!read_jar(asker, &id, &text, err))
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
    (void)record;
    return cv_file_is_folder(cv_arena_printf(a, "%s/.conclave/jars", root).p);
}

static const cv_resource resources[] = {
    {"conclave://jar/{id}", "jar", "What is in a jar", "application/json", read_jar, rev_of_jar, NULL}, {0}};
static const cv_prompt_argument arguments[] = {{"jar_id", "which jar", true}, {0}};
static const cv_room_prompt prompts[] = {{"cook", "Cook", "Cook with a jar", arguments, cook}, {0}};
static const cv_completion completions[] = {{"JAR", "jar_id id", "jar list", NULL, false, "jars", "jar_id", "jar_id"},
                                            {0}};
static const cv_topic topics[] = {{"jars", print_topic}, {0}};

const cv_room_types cv_toy_records = {.room = CV_STR_INIT("jar")};

const cv_room cv_room_toy = {
    .name = "jar",
    .summary = "jars that are filled and looked at",
    .details = "A jar holds a few of something.\n",
    .instructions = "Jars: toy_jar_fill puts something in, toy_jar_look tells how much there is.",
    .example = "  conclave jar fill plums\n",
    .ops = ops,
    .codes = codes,
    .resources = resources,
    .prompts = prompts,
    .completions = completions,
    .topics = topics,
    .scope = {.field = "jar_id", .value = "JAR", .show = "jar look"},
    .in_use = in_use,
};
