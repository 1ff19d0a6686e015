/* cli_op.c - an operation called from the command line: its input, its project, its reply; see cli_parts.h. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/plain.h"
#include "base/terminal.h"
#include "door/cli_parts.h"
#include "door/live.h"
#include "door/page.h"
#include "kit/schema.h"
#include "project/project.h"

enum { LEAST_WIDTH = 40 };

/* 0: there is none. */
static size_t width_of_reply(void)
{
    size_t width = cv_terminal_width(STDOUT_FILENO);
    return width > 0 && width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

const char *cv_cli_wanted_root(const char *option)
{
    const char *variable = getenv("CONCLAVE_ROOT");
    return option ? option : variable && *variable ? variable : NULL;
}

bool cv_cli_wrong_root(const char *option, cv_err *err)
{
    if (!option && cv_cli_wanted_root(NULL) && err->code == CV_ERR_NOT_FOUND)
        cv_err_suggest(err, CV_STR("CONCLAVE_ROOT names this folder: correct it, or 'unset CONCLAVE_ROOT'"));
    return false;
}

const char *cv_cli_wanted_agent(const char *option)
{
    const char *variable = getenv("CONCLAVE_AGENT");
    return option ? option : variable && *variable ? variable : NULL;
}

/* A person types and reads: nothing that only runs commands has both ends of a terminal. An operation that has an `as`
 * of its own, with values of its own, gets the option; then only the variable says who acts. */
static cv_who who_acts(const cv_cli *cli)
{
    const cv_json *all = cli->command->input ? cv_json_get(cli->command->input, CV_STR("properties")) : NULL;
    const cv_json *own = all ? cv_json_get(all, CV_STR("as")) : NULL;
    const char *as = own && cv_json_get(own, CV_STR("x-value")) ? NULL : cv_cli_get(cli, "as");
    return (cv_who){.name = cv_str_of(cv_cli_wanted_agent(as)),
                    .at_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)};
}

static bool enter_project(cv_cli *cli, cv_call *call, cv_err *err)
{
    const char *wanted = cv_cli_wanted_root(cv_cli_get(cli, "root"));
    unsigned flags = cli->command->op->flags;
    if (!(flags & (CV_OP_STORE | CV_OP_PROJECT))) {
        call->root = wanted ? wanted : ".";
        /* A user who makes files and names no folder should know that they are not in the current one. */
        if (flags & CV_OP_FILES && wanted && !cv_cli_get(cli, "root") && !cv_cli_get(cli, "dir") &&
            !cli->argument_count)
            cv_log_line("the folder is %s, because CONCLAVE_ROOT says so", wanted);
        return true;
    }
    if (!cv_project_find(cli->arena, wanted, &call->root, err))
        return cv_cli_wrong_root(cv_cli_get(cli, "root"), err);
    return !(flags & CV_OP_STORE) || cv_project_open(cli->arena, call->root, &call->record, err);
}

/* Lines and columns are told when the user has written them, with the file when there is one. What an operation found
 * in a file is in its place already. */
static void tell_places(const cv_cli_input *input, cv_errs *errs)
{
    for (size_t i = 0; i < errs->count; i++) {
        cv_err *err = &errs->items[i];
        if (err->file.n > 0)
            continue;
        if (!input->as_written)
            err->line = err->column = 0;
        else if (err->line > 0 && input->file)
            cv_err_file(err, cv_str_of(strcmp(input->file, "-") == 0 ? "<stdin>" : input->file));
    }
}

/* " (path backup.db, rev 9)": the short values of a reply, which say what was done; a secret is not among them. */
static void list_facts(const cv_json *reply, const cv_json *schema, cv_buf *out)
{
    enum { MOST_FACTS = 8, MOST_BYTES = 200 };
    size_t count = 0;
    for (uint32_t i = 0; i < reply->count && count < MOST_FACTS; i++) {
        const cv_json_member *m = &reply->members[i];
        bool text = m->value.type == CV_JSON_STRING || m->value.type == CV_JSON_NUMBER;
        const cv_json *said = cv_json_get(cv_json_get(schema, CV_STR("properties")), m->key);
        if (!text || cv_json_get(said, CV_STR("x-secret")) || m->value.text.n > MOST_BYTES ||
            cv_str_has_control(m->value.text) || cv_str_eq(m->key, CV_STR("status")))
            continue;
        cv_buf_printf(out, "%s%.*s %.*s", count++ ? ", " : " (", CV_FMT(m->key), CV_FMT(m->value.text));
    }
    cv_buf_add_z(out, count ? ")" : "");
}

/* "'conclave ROOM get ID' shows it": of a reply that names a scope; else nothing. */
static cv_str where_shown(const cv_call *call, const cv_json *reply)
{
    for (size_t i = 0; i < cv_room_count(); i++) {
        const cv_room *room = cv_room_at(i);
        cv_str id = room->scope.show ? cv_json_get_text(reply, room->scope.field) : CV_STR("");
        if (id.n)
            return cv_arena_printf(call->arena, "'%.*s' shows it",
                                   CV_FMT(cv_call_name(call, cv_str_of(room->scope.show), id, NULL, 0)));
    }
    return CV_STR("");
}

/* Should the answer get lost, nobody shall think that nothing was written. Asking again is safe with an op_id, and for
 * an operation of which the same call twice is one; others would be done once more. */
static void note_done(cv_cli *cli, const cv_call *call, const cv_json *reply)
{
    const cv_json *dry_run = cv_json_get(reply, CV_STR("dry_run"));
    unsigned flags = cli->command->op->flags;
    bool again = cv_json_get(call->input, CV_STR("op_id")) || flags & CV_OP_IDEMPOTENT;
    if (!(flags & (CV_OP_WRITES | CV_OP_FILES)) || (dry_run && dry_run->type == CV_JSON_TRUE))
        return;
    cv_buf what = {0};
    cv_buf_add_z(&what, "the request was carried out");
    list_facts(reply, cv_op_schema(cli->command->op).output, &what);
    cli->done = cv_buf_take(&what, cli->arena);
    if (!(flags & CV_OP_WRITES))
        return;
    cli->done_hint = again ? CV_STR("send the same request again to see the answer") : where_shown(call, reply);
}

/* What the reply is printed as. A document of its own (an export) reaches files and pipes byte for byte. */
static cv_buf way_out(cv_cli *cli, const cv_call *call, bool json, bool text)
{
    if (json && (!call->verbatim || isatty(STDOUT_FILENO)))
        return cv_cli_stdout_json(cli);
    return text ? cv_cli_stdout_text(cli) : cv_cli_stdout();
}

/* What an answer has and yet could not give, as errors are told. */
static void tell_errors(const cv_cli *cli, const cv_json *reply)
{
    const cv_json *list = cv_json_get(reply, CV_STR("errors"));
    for (uint32_t i = 0; list && list->type == CV_JSON_ARRAY && i < list->count; i++) {
        cv_str message = cv_json_get_text(&list->items[i], "message");
        cv_str hint = cv_json_get_text(&list->items[i], "suggestion"),
               code = cv_json_get_text(&list->items[i], "error_code");
        cv_cli_say(cv_arena_printf(cli->arena, "%.*s%s%.*s [%.*s]", CV_FMT(message), hint.n ? "; " : "", CV_FMT(hint),
                                   CV_FMT(code)));
    }
}

/* Warnings of an answer that is a document of its own, which has no place for them. */
static void tell_warnings(const cv_cli *cli, const cv_json *reply)
{
    const cv_json *list = cv_json_get(reply, CV_STR("warnings"));
    for (uint32_t i = 0; list && list->type == CV_JSON_ARRAY && i < list->count; i++)
        cv_cli_say(cv_arena_printf(cli->arena, "warning: %.*s", CV_FMT(cv_json_get_text(&list->items[i], "message"))));
}

/* A user who left out the name gets a list of what there is. */
static void tell_which(const cv_cli *cli, cv_errs *errs)
{
    for (size_t i = 0; cli->which.n && i < errs->count; i++)
        if (errs->items[i].code == CV_ERR_MISSING_FIELD && cv_str_eq(errs->items[i].field, cli->left_out))
            cv_err_suggest(&errs->items[i], cli->which);
}

static const cv_json *properties_of(const cv_cli *cli)
{
    return cv_json_get(cli->command->input, CV_STR("properties"));
}

int cv_cli_print_answer(cv_cli *cli, cv_str reply, const cv_call *call)
{
    cv_json tree;
    cv_err err = {.arena = cli->arena};
    bool needed = !call->verbatim && (!cli->json || (cli->command->op->flags & (CV_OP_WRITES | CV_OP_FILES)));
    bool parsed = needed && cv_json_parse(cli->arena, reply, &tree, &err);
    bool page = parsed && !cli->json, document;
    if (parsed)
        note_done(cli, call, &tree);
    cv_buf out = way_out(cli, call, !page, page && !cli->colour && cv_page_text(cli->command->op, &tree, &document));
    if (page) {
        cv_cli_tell_warnings(cli, properties_of(cli), &tree);
        cv_page_answer(&out, cli->arena, cli->command->op, &tree, call->width, cli->colour);
        if (cv_page_text(cli->command->op, &tree, &document) && document)
            tell_warnings(cli, &tree);
        if (call->unwell)
            tell_errors(cli, &tree);
    } else {
        cv_buf_add(&out, reply);
        cv_buf_add_char(&out, '\n');
    }
    return cv_cli_finish(cli, &out, call->exit ? call->exit : call->unwell ? 1 : 0);
}

/* What cannot be read, or has no project, is told of its option, too. */
static int refuse_input(cv_cli *cli, cv_errs *errs)
{
    if (!cli->json)
        cv_cli_tell_options(cli, properties_of(cli), errs);
    return cv_cli_fail_all(cli, errs->items, errs->count);
}

static bool read_input(cv_cli *cli, cv_cli_input *ret_input, cv_json *ret_tree, cv_errs *errs)
{
    cv_err err = {.arena = cli->arena};
    if (!cv_cli_read_input(cli, ret_input, errs))
        return false;
    if (cv_json_parse(cli->arena, ret_input->text, ret_tree, &err))
        return true;
    cv_errs_keep(errs, cli->arena, &err);
    return false;
}

/* Nothing is read from standard input for a request that is refused anyway. */
static bool reads_input(const cv_cli *cli)
{
    for (size_t i = 0; i < cli->given.count; i++)
        if (strcmp(cli->given.items[i].value, "-") == 0)
            return true;
    return false;
}

/* Only their form is looked at. What is missing was perhaps given with one of the wrong options. */
void cv_cli_add_faults_of_values(cv_cli *cli, cv_errs *errs)
{
    cv_errs found = {0}, kept = {0};
    cv_cli_input input;
    cv_json tree;
    if (reads_input(cli))
        return;
    bool read = read_input(cli, &input, &tree, &found);
    if (read && !cv_schema_check(cli->arena, cli->command->input, input.text, &tree, &found))
        tell_places(&input, &found);
    for (size_t i = 0; i < found.count; i++)
        if (found.items[i].code != CV_ERR_MISSING_FIELD)
            cv_errs_keep(&kept, cli->arena, &found.items[i]);
    if (!cli->json && !(read && input.as_written))
        cv_cli_tell_options(cli, properties_of(cli), &kept);
    for (size_t i = 0; i < kept.count; i++)
        cv_errs_keep(errs, cli->arena, &kept.items[i]);
}

int cv_cli_run_operation(cv_cli *cli)
{
    cv_err err = {.arena = cli->arena};
    cv_errs errs = {0};
    cv_cli_input input;
    cv_json tree;
    cv_buf reply = {0}, aside = {.sink = cv_buf_to_stream, .sink_to = stderr};
    cv_live live;
    cv_call call = {.arena = cli->arena,
                    .who = who_acts(cli),
                    .clock = cv_clock_system(),
                    .for_people = !cli->json,
                    .width = width_of_reply(),
                    .painted = cli->colour,
                    .input = &tree,
                    .out = &reply,
                    .aside = &aside,
                    .errs = &errs,
                    .name = cv_op_command};
    if (!read_input(cli, &input, &tree, &errs) || !(enter_project(cli, &call, &err) || cv_call_fail(&call, &err)))
        return refuse_input(cli, &errs);
    bool done = cv_cli_find_scope(cli, &call, &input, &tree, &err) || cv_call_fail(&call, &err);
    call.input_text = input.text;
    if (done && cv_cli_get(cli, "edit") && cv_cli_edit_of(cli->command->op))
        return cv_cli_edit(cli, &call);
    call.follower = cv_live_begin(&live, cli, cli->command->op->flags);
    done = done && cv_op_call(cli->command->op, &call);
    cv_live_end(&live);
    cv_buf_flush(&aside);
    cv_buf_release(&aside);
    cv_record_close(call.record);
    tell_places(&input, &errs);
    tell_which(cli, &errs);
    if (!cli->json && !input.as_written) /* programs, and people who wrote JSON, know the fields */
        cv_cli_tell_options(cli, properties_of(cli), &errs);
    int status =
        done ? cv_cli_print_answer(cli, cv_buf_str(&reply), &call) : cv_cli_fail_all(cli, errs.items, errs.count);
    cv_buf_release(&reply);
    return !done && call.exit ? call.exit : status;
}
