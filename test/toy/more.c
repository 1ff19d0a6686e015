/* more.c - what a room may have besides: files, an import, a prompt, a topic of the help, findings of doctor, a
 * command.
 *
 *     .conclave/jars/plums.jar                 a number, put there by anybody: taken in by the next operation
 *     .conclave/jars/plums.label               what is in it, written from the feed
 */
#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "kit/invoke.h"
#include "kit/projection.h"
#include "toy/toy.h"

#define FOLDER ".conclave/jars"

/* ---- files that are taken in ------------------------------------------------------------------------------------- */

/* "plums.jar" holds a number. */
cv_import_fit toy_fits(cv_arena *a, cv_where path)
{
    (void)a;
    return cv_str_ends(cv_str_of(path.path), CV_STR(".jar")) ? CV_FIT_OWN : CV_FIT_NONE;
}

typedef struct {
    int64_t sum;
} counted;

#define CV_THIS_TYPE counted
const cv_shape toy_counts[] = {CV_FIELD_AS(ALWAYS, "in_jars", sum, ""), {0}};
#undef CV_THIS_TYPE

bool toy_import(cv_import *im)
{
    cv_arena *a = im->call->arena;
    counted *counts = CV_NEW(a, counted);
    for (size_t i = 0; i < im->count; i++) {
        cv_err err = {.arena = a};
        cv_str text, name = cv_str_of(cv_where_name(im->paths[i])), id = cv_str_head(name, name.n - 4);
        cv_reply reply;
        if (!cv_file_read_text_at(a, im->paths[i], &text, &err))
            return cv_call_fail(im->call, &err);
        cv_import_file(im, im->paths[i], toy_fill,
                       cv_arena_printf(a, "{\"jar_id\":\"%.*s\",\"count\":%.*s}", CV_FMT(id), CV_FMT(text)), &reply);
        counts->sum += reply.done ? cv_json_get_int(&reply.json, "count", 0) : 0;
    }
    im->counted = counts;
    return true;
}

/* The same file, put into the room's folder by anybody, is taken in by the next operation. Before it is read it gets a
 * name of its own, which is the op_id: a process killed in between fills nothing twice. */
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
    cv_invoke_handler(call, a, call->record, CV_ABSENT, toy_fill,
                      cv_arena_printf(a, "{\"jar_id\":\"%.*s\",\"count\":%.*s,\"op_id\":\"%.*s\"}",
                                      CV_FMT(cv_str_head(id, id.n - 4)), CV_FMT(text), CV_FMT(op_id)),
                      &reply);
    if (reply.done)
        return cv_where_unlink(own) || errno == ENOENT || cv_system_fail(err, own.path, "remove it", errno);
    cv_err_copy(err, &reply.errs.items[0]);
    return (cv_err_is_refusal(err->code) || err->code == CV_ERR_JSON) && /* it is kept for people to see */
           cv_file_move(own, cv_where_printf(a, folder, "%.*s.refused", CV_FMT(cv_str_from(op_id, 1))), err);
}

/* ---- files that are written -------------------------------------------------------------------------------------- */

static bool write_label(cv_projection *p, cv_scope_id scope, cv_err *err)
{
    cv_reply reply;
    if (!cv_str_eq(scope.room, CV_STR("jar")) || cv_str_find_char(scope.name, '/') != SIZE_MAX)
        return true;
    cv_invoke_handler(p->ctx, p->arena, p->record, CV_ABSENT, toy_look,
                      cv_arena_printf(p->arena, "{\"jar_id\":\"%.*s\"}", CV_FMT(scope.name)), &reply);
    if (!reply.done) {
        cv_err_copy(err, &reply.errs.items[0]);
        return false;
    }
    return cv_file_write_at(cv_where_printf(p->arena, p->folder, "%.*s.label", CV_FMT(scope.name)),
                            cv_arena_printf(p->arena, "%lld\n", (long long)cv_json_get_int(&reply.json, "count", 0)),
                            NULL, err);
}

static bool write_labels(cv_projection *p, const cv_feed_entries *commits, cv_err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < commits->count; i++)
        ok = write_label(p, commits->items[i].scope, err);
    return ok;
}

static bool write_all_labels(cv_projection *p, bool anew, cv_err *err)
{
    cv_scope_list all;
    bool ok = cv_record_scopes(p->record, p->arena, CV_STR("jar"), &all, err);
    (void)anew;
    for (size_t i = 0; ok && i < all.count; i++)
        ok = write_label(p, all.items[i].scope, err);
    return ok;
}

bool toy_intake(cv_call *call, cv_err *err)
{
    cv_projection labels = {.record = call->record,
                            .arena = call->arena,
                            .folder = {call->root, FOLDER},
                            .write = write_labels,
                            .write_all = write_all_labels,
                            .ctx = call};
    const cv_json *kept;
    cv_folder_entries files;
    int lock;
    bool ok = cv_folder_list(call->arena, labels.folder, &files, err);
    for (size_t i = 0; ok && i < files.count; i++)
        if (cv_str_ends(cv_str_of(files.items[i].name), CV_STR(".jar")) && files.items[i].is_regular)
            ok = take_file(call, labels.folder, files.items[i].name, err);
    if (!ok || !cv_folder_lock(labels.folder, false, true, &lock, err))
        return false;
    cv_projection_open(&labels, &kept);
    ok = cv_projection_catch_up(&labels, err);
    close(lock);
    return ok;
}

/* ---- for people and agents --------------------------------------------------------------------------------------- */

void toy_examine(cv_doctor *d)
{
    cv_folder_entries files;
    cv_err err = {.arena = d->call.arena};
    size_t labels = 0;
    if (!cv_folder_list(d->call.arena, (cv_where){d->call.root, FOLDER}, &files, &err)) {
        cv_doctor_fail(d, "jars", CV_DOCTOR_ERROR, &err);
        return;
    }
    for (size_t i = 0; i < files.count; i++)
        labels += cv_str_ends(cv_str_of(files.items[i].name), CV_STR(".label"));
    cv_doctor_say(d, "jars", CV_DOCTOR_OK, "%zu labels", labels);
}

static bool cook(const cv_asker *asker, const cv_json *arguments, cv_prompt_texts *ret_texts, cv_err *err)
{
    cv_str jar_id = cv_json_get_text(arguments, "jar_id"), text;
    if (!cv_ask(asker, "jar look", cv_arena_printf(asker->arena, "{\"jar_id\":\"%.*s\"}", CV_FMT(jar_id)), &text, err))
        return false;
    *CV_PUSH(asker->arena, ret_texts) = cv_arena_printf(asker->arena, "Cook with what is here: %.*s", CV_FMT(text));
    return true;
}

static const cv_prompt_argument arguments[] = {{"jar_id", "which jar", true}, {0}};
const cv_room_prompt toy_prompts[] = {{"cook", "Cook", "Cook with a jar", arguments, cook}, {0}};

static void print_topic(cv_buf *out)
{
    cv_buf_add_z(out, "A jar holds 10.\n");
}
const cv_topic toy_topics[] = {{"jars", print_topic}, {0}};

/* ---- a command on files ------------------------------------------------------------------------------------------ */

static int weigh(cv_cli *cli)
{
    cv_err err = {.arena = cli->arena};
    cv_buf out = cv_cli_stdout();
    cv_str text;
    for (size_t i = 0; i < cli->argument_count; i++) {
        if (!cv_file_read_text(cli->arena, cli->arguments[i], &text, &err))
            return cv_cli_fail(cli, &err);
        cv_buf_printf(&out, "%s: %.*s\n", cli->arguments[i], CV_FMT(cv_str_trim(text)));
    }
    return cv_cli_finish(cli, &out, 0);
}

static const cv_cli_command weighing = {.name = "weigh",
                                        .summary = "print what is in files of jars",
                                        .arguments = "FILE...",
                                        .details = "Needs no project.\n",
                                        .examples = "  conclave weigh plums.jar\n",
                                        .run = weigh};
const cv_cli_command *const toy_commands[] = {&weighing, NULL};
