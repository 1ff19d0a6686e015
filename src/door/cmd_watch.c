/* cmd_watch.c - conclave watch: every commit as it happens, in the terminal; and whoever wants to be told is told.
 *
 *     feed --after POSITION --wait … -> entries -> those that are wanted -> a line, a command, a webhook
 *
 * A command or a webhook that fails is told on standard error, and the next commit is waited for.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/limits.h"
#include "base/log.h"
#include "door/cli_parts.h"
#include "door/service.h"
#include "door/webhook.h"

extern char **environ;

enum { WAIT_SECONDS = 30, PAGE = 100, MAX_POSITION = 256 };

typedef struct {
    cv_cli *cli;
    cv_service service;
    cv_service_worker *mine;
    cv_str who;          /* only what this one did; absent: everybody */
    const char *command; /* NULL: none */
    cv_webhook hook;
    bool has_hook;
    int left; /* entries until it ends; below 0: it goes on */
} watch;

/* ---- asking ------------------------------------------------------------------------------------------------------ */

/* The input of one question: what comes after the position. */
static cv_str question(watch *w, cv_arena *a, cv_str after, int limit)
{
    cv_buf text = {0};
    cv_json_writer json = {.out = &text};
    const char *room = cv_cli_get(w->cli, "room"), *scope = cv_cli_get(w->cli, "scope");
    cv_json_begin_object(&json);
    if (after.p)
        cv_json_key_str(&json, "after", after);
    if (room)
        cv_json_key_str(&json, "room", cv_str_of(room));
    if (scope)
        cv_json_key_str(&json, "scope", cv_str_of(scope));
    cv_json_key_int(&json, "limit", limit);
    cv_json_key_int(&json, "wait", limit ? WAIT_SECONDS : 0);
    cv_json_end_object(&json);
    return cv_buf_take(&text, a);
}

static bool ask(watch *w, cv_arena *a, cv_str after, int limit, cv_json *ret, cv_err *err)
{
    cv_json *input = CV_NEW(a, cv_json);
    cv_errs errs = {0};
    cv_str reply;
    const cv_service_call asked = {
        .op = cv_op_called(CV_STR("feed")), .arena = a, .input = input, .input_text = question(w, a, after, limit)};
    if (!cv_json_parse(a, asked.input_text, input, err))
        return false;
    if (cv_service_run(&w->service, w->mine, &asked, &errs, &reply))
        return cv_json_parse(a, reply, ret, err);
    cv_err_copy(err, &errs.items[0]);
    return false;
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

static bool is_wanted(const watch *w, const cv_json *entry)
{
    const cv_json *who = cv_json_get(entry, CV_STR("who"));
    bool wanted = !w->who.p;
    for (uint32_t i = 0; who && !wanted && i < who->count; i++)
        wanted = cv_str_eq(who->items[i].text, w->who);
    return wanted;
}

static void print_line(cv_buf *out, const cv_json *entry)
{
    const cv_json *who = cv_json_get(entry, CV_STR("who"));
    cv_str at = cv_json_get_text(entry, "created_at"), what = cv_json_get_text(entry, "operation");
    cv_buf_printf(out, "%.*s  %.*s  %.*s", CV_FMT(cv_str_head(at, 19)), CV_FMT(what),
                  CV_FMT(cv_json_get_text(entry, "scope")));
    for (uint32_t i = 0; who && i < who->count; i++)
        cv_buf_printf(out, "%s%.*s", i ? ", " : "  ", CV_FMT(who->items[i].text));
    cv_buf_add_z(out, "\n");
}

/* The entry is in the environment: nothing of it becomes a part of the command. */
static void run_command(const watch *w, cv_arena *a, cv_str json)
{
    char *const arguments[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)cv_arena_copy_z(a, cv_str_of(w->command)), NULL};
    pid_t child;
    int status = 0;
    setenv("CONCLAVE_EVENT", cv_arena_copy_z(a, json), 1);
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) != 0 || waitpid(child, &status, 0) != child)
        cv_log_line("the command could not be run");
    else if (status != 0)
        cv_log_line("the command ended with status %d",
                    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static bool tell(watch *w, cv_arena *a, const cv_json *entry)
{
    cv_buf out = w->cli->json ? cv_cli_stdout_json(w->cli) : cv_cli_stdout_text(w->cli), text = {0};
    const char *why;
    cv_json_value(&(cv_json_writer){.out = &text}, entry);
    cv_str json = cv_buf_take(&text, a);
    if (w->cli->json)
        cv_buf_printf(&out, "%.*s\n", CV_FMT(json));
    else
        print_line(&out, entry);
    if (cv_cli_flush(&out) != 0)
        return false;
    if (w->command)
        run_command(w, a, json);
    if (w->has_hook && !cv_webhook_post(&w->hook, json, &why))
        cv_log_line("the webhook was not told: %s", why);
    return true;
}

/* ---- going on ---------------------------------------------------------------------------------------------------- */

static bool follow(watch *w, char position[MAX_POSITION], cv_err *err)
{
    while (w->left != 0) {
        cv_arena a = {0};
        cv_json reply;
        cv_err fault = {.arena = &a};
        bool fine = ask(w, &a, cv_str_of(position), PAGE, &reply, &fault);
        if (!fine)
            cv_err_copy(err, &fault);
        const cv_json *entries = fine ? cv_json_get(&reply, CV_STR("entries")) : NULL;
        for (uint32_t i = 0; entries && i < entries->count && w->left != 0; i++)
            if (is_wanted(w, &entries->items[i])) {
                w->left -= w->left > 0;
                if (!tell(w, &a, &entries->items[i]))
                    w->left = 0;
            }
        if (fine)
            snprintf(position, MAX_POSITION, "%.*s", CV_FMT(cv_json_get_text(&reply, "position")));
        cv_arena_release(&a);
        if (!fine)
            return false;
    }
    return true;
}

static bool read_options(watch *w, cv_err *err)
{
    const char *who = cv_cli_get(w->cli, "agent"), *hook = cv_cli_get(w->cli, "webhook"),
               *count = cv_cli_get(w->cli, "count");
    w->who = who ? cv_str_of(who) : (cv_str){0};
    w->command = cv_cli_get(w->cli, "exec");
    w->has_hook = hook;
    w->left = -1;
    if (count && (!cv_str_to_int(cv_str_of(count), &w->left) || w->left < 1))
        return cv_err_set(err, CV_ERR_USAGE, "--count is a number from 1, not '%s'", count);
    if (w->cli->argument_count)
        return cv_err_set(err, CV_ERR_USAGE, "watch takes no arguments, found '%s'", w->cli->arguments[0]);
    return !hook || cv_webhook_parse(cv_str_of(hook), !cv_cli_get(w->cli, "remote"), &w->hook, err);
}

static int run_watch(cv_cli *cli)
{
    cv_err err = {.arena = cli->arena};
    watch w = {.cli = cli};
    char position[MAX_POSITION] = "";
    const char *after = cv_cli_get(cli, "after");
    cv_json now;
    if (!read_options(&w, &err))
        return cv_cli_fail(cli, &err);
    cv_service_init(&w.service, cv_cli_wanted_root(cv_cli_get(cli, "root")), NULL);
    w.mine = cv_service_own.enter(NULL);
    bool fine = ask(&w, cli->arena, after ? cv_str_of(after) : (cv_str){0}, 0, &now, &err);
    if (fine) {
        snprintf(position, sizeof position, "%.*s",
                 CV_FMT(after ? cv_str_of(after) : cv_json_get_text(&now, "position")));
        fine = follow(&w, position, &err);
    }
    cv_service_own.leave(NULL, w.mine);
    cv_service_end(&w.service);
    return fine ? 0 : cv_cli_fail(cli, &err);
}

static const cv_cli_option watch_options[] = {
    {"room", "ROOM", "only commits of this room", NULL},
    {"scope", "SCOPE", "only of this scope of the room", NULL},
    {"agent", "NAME", "only what this one did", NULL},
    {"after", "POSITION", "where to begin, as 'feed' tells it, or start (default: now)", NULL},
    {"count", "N", "end after so many (default: go on until it is interrupted)", NULL},
    {"exec", "COMMAND", "run this in a shell for each; CONCLAVE_EVENT has it as JSON", NULL},
    {"webhook", "URL", "send each as JSON to http://…, and try again when it is not taken", NULL},
    {"remote", NULL, "the webhook may be on another machine", NULL},
    CV_CLI_ROOT,
};

const cv_cli_command cv_cmd_watch = {
    .name = "watch",
    .summary = "show every commit as it happens; run a command or call a webhook for each",
    .arguments = "",
    .details =
        "A line for each commit of any process: time, operation, scope and who acted; with --json the entry of the\n"
        "feed. A command or webhook that fails is reported, and watching goes on. See docs/feed.md.\n",
    .examples = "  conclave watch --after start --count 1\n",
    .options = watch_options,
    .option_count = CV_COUNT(watch_options),
    .run = run_watch,
};
