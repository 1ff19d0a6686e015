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

static const char *path_of(cv_arena *a, cv_str jar)
{
    return cv_arena_printf(a, ".conclave/jars/%.*s", CV_FMT(jar)).p;
}

/* How much is in a jar; -1: there is none of this name. */
static int count_of(cv_arena *a, const char *root, cv_str jar)
{
    cv_err err = {.arena = a};
    cv_str text;
    int count;
    const char *path = cv_arena_printf(a, "%s/%s", root, path_of(a, jar)).p;
    return cv_file_read_text(a, path, &text, &err) && cv_str_to_int(text, &count) ? count : -1;
}

static void answer(cv_call *call, cv_str jar, int count)
{
    cv_json_writer w = {.out = call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "jar_id", jar);
    cv_json_key_int(&w, "count", count);
    cv_json_end_object(&w);
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

static bool fill(cv_call *call)
{
    cv_arena *a = call->arena;
    cv_err err = {.arena = a};
    cv_str jar = cv_json_get_text(call->input, "jar_id");
    const cv_json *given = cv_json_get(call->input, CV_STR("count"));
    int count = count_of(a, call->root, jar), more = 1;
    if (given && !cv_str_to_int(given->text, &more))
        more = MOST + 1;
    count = (count < 0 ? 0 : count) + more;
    if (count > MOST) {
        cv_err_set(&err, JAR_FULL, "the jar '%.*s' would have %d, %d fit", CV_FMT(jar), count, MOST);
        cv_err_operation(&err, CV_STR("jar look"));
        cv_err_suggest(&err, CV_STR("shows how much is in it"));
        return cv_call_fail(call, &err);
    }
    if (!cv_file_write_private((cv_where){call->root, path_of(a, jar)}, cv_arena_printf(a, "%d", count), &err))
        return cv_call_fail(call, &err);
    answer(call, jar, count);
    return true;
}

static bool look(cv_call *call)
{
    cv_str jar = cv_json_get_text(call->input, "jar_id");
    int count = count_of(call->arena, call->root, jar);
    if (count < 0) {
        cv_errs_add(call->errs, call->arena, CV_ERR_NOT_FOUND, "there is no jar '%.*s'", CV_FMT(jar));
        return false;
    }
    answer(call, jar, count);
    return true;
}

static bool list(cv_call *call)
{
    cv_json_writer w = {.out = call->out};
    DIR *jars = opendir(cv_arena_printf(call->arena, "%s/.conclave/jars", call->root).p);
    cv_json_begin_object(&w);
    cv_json_key(&w, CV_STR("jars"));
    cv_json_begin_array(&w);
    for (struct dirent *e; jars && (e = readdir(jars));)
        if (e->d_name[0] != '.') {
            cv_json_begin_object(&w);
            cv_json_key_str(&w, "jar_id", cv_str_of(e->d_name));
            cv_json_end_object(&w);
        }
    cv_json_end_array(&w);
    cv_json_end_object(&w);
    if (jars)
        closedir(jars);
    return true;
}

#define JAR "\"jar_id\":{\"type\":\"string\",\"minLength\":1,\"description\":\"which jar\"}"
#define ONE                                                                                                            \
    "\"output\":{\"type\":\"object\",\"required\":[\"jar_id\",\"count\"],\"properties\":{" JAR                         \
    ",\"count\":{\"type\":\"integer\"}}}"
#define INPUT(more)                                                                                                    \
    "\"input\":{\"type\":\"object\",\"required\":[\"jar_id\"],\"additionalProperties\":false,\"properties\":{" JAR     \
        more "}}"
#define LIST                                                                                                           \
    "{\"input\":{\"type\":\"object\",\"additionalProperties\":false},\"output\":{\"type\":\"object\",\"properties\":{" \
    "\"jars\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{" JAR "}}}}}}"

static const cv_operation ops[] = {
    {"jar", "fill", "toy_jar_fill", "put something into a jar", "A jar that is not there is made.\n",
     "  conclave jar fill plums --count 3\n",
     "{" INPUT(",\"count\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"how many\",\"default\":1}") "," ONE
                                                                                                             "}",
     CV_OP_PROJECT | CV_OP_FILES | CV_OP_UNASKED, fill},
    {"jar", "look", "toy_jar_look", "see how much is in a jar", "Changes nothing.\n", "  conclave jar look plums\n",
     "{" INPUT("") "," ONE "}", CV_OP_PROJECT | CV_OP_UNASKED, look},
    {"jar", "list", NULL, "list the jars", "All of them.\n", "  conclave jar list\n", LIST, CV_OP_PROJECT, list},
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
    cv_str jar = cv_json_get_text(arguments, "jar_id"), text;
    if (!read_jar(asker, &jar, &text, err))
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
    cv_folder_entries jars;
    cv_err err = {.arena = a};
    (void)record;
    return cv_folder_list(a, (cv_where){root, ".conclave/jars"}, &jars, &err) && jars.count > 0;
}

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
        cv_str text, name = cv_str_of(cv_where_name(im->paths[i])), jar = cv_str_head(name, name.n - 4);
        int count = 0;
        bool ok = cv_file_read_text_at(a, im->paths[i], &text, &err) && cv_str_to_int(cv_str_trim(text), &count);
        if (ok && im->record == im->call->record)
            ok = cv_file_write_private((cv_where){im->call->root, path_of(a, jar)}, cv_str_trim(text), &err);
        cv_import_outcome outcome = ok ? CV_OUTCOME_IMPORTED : CV_OUTCOME_FAILED;
        im->outcomes[outcome]++;
        sum += count;
        cv_json_begin_object(im->w);
        cv_json_key_str(im->w, "name", jar);
        cv_json_key_str(im->w, "outcome", cv_import_outcomes.items[outcome]);
        cv_json_end_object(im->w);
        if (im->text)
            cv_buf_printf(im->text, "%.*s  %.*s\n", CV_FMT(cv_import_outcomes.items[outcome]), CV_FMT(jar));
    }
    cv_json_key_int(&im->counts, "in_jars", sum);
    return true;
}

static void examine(cv_doctor *d)
{
    cv_folder_entries jars;
    cv_err err = {.arena = d->call.arena};
    if (cv_folder_list(d->call.arena, (cv_where){d->call.root, ".conclave/jars"}, &jars, &err))
        cv_doctor_say(d, "jars", CV_DOCTOR_OK, "%zu on the shelf", jars.count);
    else
        cv_doctor_fail(d, "jars", CV_DOCTOR_ERROR, &err);
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
    .records = &cv_toy_records,
    .codes = codes,
    .resources = resources,
    .prompts = prompts,
    .completions = completions,
    .topics = topics,
    .scope = {.field = "jar_id", .value = "JAR", .show = "jar look", .one = "jar", .many = "jars"},
    .folder = "jars",
    .doctor = examine,
    .import = {.fit = fits, .run = import},
    .in_use = in_use,
};
