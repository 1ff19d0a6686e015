/* cmd_watch.c - conclave watch: what happens, as it happens, in the terminal; by a command or a webhook, too.
 *
 *     feed --after POSITION --wait … -> entries -> those that are wanted ----------------------> a line, a command,
 *                                               -> scopes -> conditions that begin to hold ----> a webhook
 *
 * A command or a webhook that fails is reported on standard error, and watching goes on. One that is slow holds up
 * nothing but itself (relay.h).
 *
 * With --reader the record keeps the position, and each commit waits for the command and the webhook of the one before:
 *
 *     entry -> line -> command, webhook -> both have succeeded: the position moves behind the entry
 *                                       -> one has failed: watching ends, and the position stays before the entry
 *
 * So every commit is passed on at least once, also when this process is killed at any moment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/plain.h"
#include "base/terminal.h"
#include "door/cli_parts.h"
#include "door/conditions.h"
#include "door/relay.h"
#include "door/service.h"
#include "door/webhook.h"
#include "project/project.h"

extern char **environ;

enum {
    WAIT_SECONDS = 30,
    LOOK_SECONDS = 2, /* how often files are taken in that others have put there, for conditions */
    PATIENCE_SECONDS = 300,
    PAGE = 100,
    MAX_POSITION = 256,
    MAX_READER = 64,
    HANG = 21, /* behind the time */
};

#define VALUE_WHO "WHO" /* the rooms' word for those who can act (cv_completion) */

typedef struct {
    cv_cli *cli;
    cv_service service;
    cv_service_worker *mine;
    cv_str who;          /* only what this one did; absent: everybody */
    const char *command; /* NULL: none */
    cv_webhook hook;
    bool has_hook;
    cv_relay *to_command, *to_hook; /* NULL: there is none */
    cv_str reader;                  /* whose position the record keeps; absent: nobody's */
    char read[MAX_POSITION];        /* … as it is kept */
    bool refused;                   /* the command or the webhook has failed for the reader */
    int left;                       /* lines until it ends; below 0: it goes on */
    int unwritten;                  /* errno of the line that could not be written; 0: all were */
    cv_conditions conditions;       /* none is picked: commits are told */
    cv_errs faults;                 /* of the options */
    size_t width;                   /* of the terminal; 0: there is none, and no line is broken */
    cv_buf complaint;               /* why files were not taken in, as it was logged last */
} watch;

/* ---- asking ------------------------------------------------------------------------------------------------------ */

/* Runs an operation for a condition, or for ourselves; the reply lives in the asker's arena. */
typedef struct {
    watch *w;
    cv_arena *arena;
} caller;

static bool call_operation(void *ctx, cv_str operation, cv_str input_text, cv_str *ret_reply, cv_err *err)
{
    const caller *c = ctx;
    cv_json *input = CV_NEW(c->arena, cv_json);
    cv_errs errs = {0};
    const cv_service_call asked = {
        .op = cv_op_called(operation), .arena = c->arena, .input = input, .input_text = input_text};
    if (!cv_json_parse(c->arena, input_text, input, err))
        return false;
    if (cv_service_run(&c->w->service, c->w->mine, &asked, &errs, ret_reply))
        return true;
    cv_err_copy(err, &errs.items[0]);
    return false;
}

/* The input of one question: what comes after the position. */
static cv_str question(watch *w, cv_arena *a, cv_str after, int limit)
{
    cv_buf text = {0};
    cv_json_writer json = {.out = &text};
    const char *room = cv_cli_get(w->cli, "room"), *scope = cv_cli_get(w->cli, "scope");
    int64_t wait = !limit                ? 0
                   : w->conditions.count ? (cv_conditions_wait_ms(&w->conditions, LOOK_SECONDS * 1000) + 999) / 1000
                                         : WAIT_SECONDS;
    cv_json_begin_object(&json);
    if (after.p)
        cv_json_key_str(&json, "after", after);
    if (room)
        cv_json_key_str(&json, "room", cv_str_of(room));
    if (scope)
        cv_json_key_str(&json, "scope", cv_str_of(scope));
    cv_json_key_int(&json, "limit", limit);
    cv_json_key_int(&json, "wait", wait);
    cv_json_end_object(&json);
    return cv_buf_take(&text, a);
}

static bool ask(watch *w, cv_arena *a, cv_str after, int limit, cv_json *ret, cv_err *err)
{
    cv_str reply;
    return call_operation(&(caller){w, a}, CV_STR("feed"), question(w, a, after, limit), &reply, err) &&
           cv_json_parse(a, reply, ret, err);
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

/* "Role@name" acts in the name of the part behind the last '@'. */
static cv_str name_of(cv_str actor)
{
    size_t at = actor.n;
    while (at > 0 && actor.p[at - 1] != '@')
        at--;
    return cv_str_from(actor, at);
}

static bool is_wanted(const watch *w, const cv_json *entry)
{
    const cv_json *who = cv_json_get(entry, CV_STR("who"));
    bool wanted = !w->who.p;
    for (uint32_t i = 0; who && !wanted && i < who->count; i++)
        wanted = cv_str_eq_nocase(who->items[i].text, w->who) || cv_str_eq_nocase(name_of(who->items[i].text), w->who);
    return wanted;
}

/* The same line for people and in CONCLAVE_MESSAGE. */
static cv_str line_of(cv_arena *a, const cv_json *entry)
{
    const cv_json *who = cv_json_get(entry, CV_STR("who"));
    cv_buf out = {0};
    cv_buf_printf(&out, "%.*s  %.*s  %.*s", CV_FMT(cv_time_short(a, cv_json_get_text(entry, "created_at"))),
                  CV_FMT(cv_json_get_text(entry, "operation")), CV_FMT(cv_json_get_text(entry, "scope")));
    for (uint32_t i = 0; who && i < who->count; i++)
        cv_buf_printf(&out, "%s%.*s", i ? ", " : "  ", CV_FMT(who->items[i].text));
    return cv_buf_take(&out, a);
}

/* Our environment, and the entry. */
static char **environment_with(cv_arena *a, cv_str json, cv_str line)
{
    const cv_str event = CV_STR("CONCLAVE_EVENT="), message = CV_STR("CONCLAVE_MESSAGE=");
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **all = CV_NEW_ARRAY(a, count + 3, char *);
    for (size_t i = 0; i < count; i++)
        if (!cv_str_starts(cv_str_of(environ[i]), event) && !cv_str_starts(cv_str_of(environ[i]), message))
            all[kept++] = environ[i];
    all[kept++] = cv_arena_copy_z(a, cv_arena_join(a, event, json));
    all[kept++] = cv_arena_copy_z(a, cv_arena_join(a, message, line));
    all[kept] = NULL;
    return all;
}

/* What is told is in the environment: nothing of it becomes a part of the command. */
static bool run_command(const void *ctx, cv_str json, cv_str line)
{
    const watch *w = ctx;
    cv_arena a = {0};
    char *const arguments[] = {(char[]){"sh"}, (char[]){"-c"}, cv_arena_copy_z(&a, cv_str_of(w->command)), NULL};
    pid_t child;
    int status = 0;
    bool ran = cv_child_spawn(&child, "/bin/sh", NULL, arguments, environment_with(&a, json, line)) == 0 &&
               waitpid(child, &status, 0) == child;
    if (!ran)
        cv_log_line("the command could not be run");
    else if (status != 0)
        cv_log_line("the command ended with status %d",
                    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    cv_arena_release(&a);
    return ran && status == 0;
}

static bool call_hook(const void *ctx, cv_str json, cv_str line)
{
    const watch *w = ctx;
    const char *why;
    (void)line;
    bool taken = cv_webhook_post(&w->hook, json, &why);
    if (!taken)
        cv_log_line("the webhook was not called: %s", why);
    return taken;
}

/* False: nobody reads the lines any more, or it was the last one. */
static bool tell(watch *w, cv_str json, cv_str line)
{
    cv_buf out = w->cli->json ? cv_cli_stdout_json(w->cli) : cv_cli_stdout_text(w->cli);
    if (w->cli->json || !w->width)
        cv_buf_add(&out, w->cli->json ? json : line);
    else
        cv_plain_wrap(&out, line, w->width, 0, HANG);
    cv_buf_add_char(&out, '\n');
    w->unwritten = cv_cli_flush(&out);
    if (w->unwritten)
        w->left = 0;
    if (w->left == 0)
        return false;
    if (w->reader.p && ((w->command && !run_command(w, json, line)) || (w->has_hook && !call_hook(w, json, line)))) {
        w->refused = true;
        w->left = 0;
        return false;
    }
    if (w->to_command)
        cv_relay_add(w->to_command, json, line);
    if (w->to_hook)
        cv_relay_add(w->to_hook, json, line);
    w->left -= w->left > 0;
    return w->left != 0;
}

static bool tell_entry(watch *w, cv_arena *a, const cv_json *entry)
{
    cv_buf text = {0};
    cv_json_value(&(cv_json_writer){.out = &text}, entry);
    return tell(w, cv_buf_take(&text, a), line_of(a, entry));
}

static bool tell_news(watch *w, cv_arena *a, const cv_condition_news *news)
{
    cv_buf text = {0};
    cv_json_writer json = {.out = &text};
    cv_str message = news->held.text;
    char now[CV_TIME_LEN + 1];
    cv_time_print(cv_clock_system().now_ms(NULL), now);
    cv_json_begin_object(&json);
    cv_json_key_str(&json, "condition", cv_str_of(news->of.condition->name));
    cv_json_key_str(&json, "room", cv_str_of(news->of.room->name));
    cv_json_key_str(&json, "scope", news->scope);
    cv_json_key_str_if(&json, "who", news->held.who);
    cv_json_key_str(&json, "message", message);
    cv_json_key_str(&json, "created_at", cv_str_of(now));
    cv_json_end_object(&json);
    return tell(w, cv_buf_take(&text, a),
                cv_arena_printf(a, "%.19s  %s  %.*s  %.*s", now, news->of.condition->name, CV_FMT(news->scope),
                                CV_FMT(message)));
}

/* ---- the position of a reader ------------------------------------------------------------------------------------ */

static bool move_reader(watch *w, cv_str to, cv_err *err)
{
    cv_record *record = w->mine->handle.record;
    bool moved;
    if (!w->reader.p || cv_str_eq(to, cv_str_of(w->read)))
        return true;
    if (!record->calls->reader_move(record, w->reader, cv_str_of(w->read), to, &moved, err))
        return false;
    if (!moved) {
        cv_err_set(err, CV_ERR_REV_CONFLICT, "the position of the reader '%s' was moved by another 'watch'",
                   cv_cli_get(w->cli, "reader"));
        cv_err_suggest(err, CV_STR("let one process at a time use a reader"));
        return false;
    }
    snprintf(w->read, sizeof w->read, "%.*s", CV_FMT(to));
    return true;
}

/* The entry was not passed on: what it is, and how to go on. */
static bool stop_at(watch *w, cv_arena *a, const cv_json *entry, cv_err *err)
{
    cv_err_set(err, CV_ERR_IO, "the reader '%s' stays before this commit: %.*s", cv_cli_get(w->cli, "reader"),
               CV_FMT(line_of(a, entry)));
    cv_err_suggest(err, cv_arena_printf(a, "the same command tries it again; to leave it out, add once: --after %.*s",
                                        CV_FMT(cv_json_get_text(entry, "position"))));
    return false;
}

/* Where a reader begins: where it was, unless the caller says another place. */
static bool begin_reader(watch *w, bool given, char position[MAX_POSITION], cv_err *err)
{
    cv_record *record = w->mine->handle.record;
    cv_str kept;
    if (!w->reader.p)
        return true;
    if (!record->calls->reader_at(record, w->cli->arena, w->reader, &kept, err))
        return false;
    snprintf(w->read, sizeof w->read, "%.*s", CV_FMT(kept));
    if (kept.n && !given)
        snprintf(position, MAX_POSITION, "%.*s", CV_FMT(kept));
    else if (!given) /* a misspelt name, or another store, would pass over commits without a word */
        cv_log_line("the reader '%s' is new: it begins with the next commit", cv_cli_get(w->cli, "reader"));
    return move_reader(w, cv_str_of(position), err);
}

/* ---- going on ---------------------------------------------------------------------------------------------------- */

/* What was committed, or what holds because of it. */
static bool tell_page(watch *w, cv_arena *a, const cv_json *reply, cv_err *err)
{
    const cv_json *entries = cv_json_get(reply, CV_STR("entries"));
    caller c = {w, a};
    cv_condition_news_list news = {0};
    for (uint32_t i = 0; entries && i < entries->count; i++) {
        const cv_json *entry = &entries->items[i];
        if (w->conditions.count)
            cv_conditions_touch(&w->conditions,
                                (cv_scope_id){cv_json_get_text(entry, "room"), cv_json_get_text(entry, "scope")});
        else if (is_wanted(w, entry)) {
            bool last = !tell_entry(w, a, entry);
            if (w->refused)
                return stop_at(w, a, entry, err);
            if (!w->unwritten && !move_reader(w, cv_json_get_text(entry, "position"), err))
                return false;
            if (last)
                return true;
        }
    }
    if (w->conditions.count && !cv_json_get_true(reply, "more"))
        cv_conditions_look(&w->conditions, &(cv_asker){a, call_operation, &c}, &news);
    for (size_t i = 0; i < news.count && tell_news(w, a, &news.items[i]); i++)
        continue;
    return move_reader(w, cv_json_get_text(reply, "position"), err);
}

static bool follow(watch *w, char position[MAX_POSITION], cv_err *err)
{
    while (w->left != 0) {
        cv_arena a = {0};
        cv_json reply;
        cv_err fault = {.arena = &a};
        if (w->conditions.count)
            cv_service_take_in(&w->mine->handle, &w->complaint);
        bool fine = ask(w, &a, cv_str_of(position), PAGE, &reply, &fault) && tell_page(w, &a, &reply, &fault);
        if (fine)
            snprintf(position, MAX_POSITION, "%.*s", CV_FMT(cv_json_get_text(&reply, "position")));
        else
            cv_err_copy(err, &fault);
        cv_arena_release(&a);
        if (!fine)
            return false;
    }
    return true;
}

/* What holds already is told first: every scope that is wanted counts as touched. */
static bool touch_all(watch *w, cv_err *err)
{
    const char *room = cv_cli_get(w->cli, "room"), *scope = cv_cli_get(w->cli, "scope");
    cv_scope_list all;
    if (!w->conditions.count)
        return true;
    if (!cv_record_scopes(w->mine->handle.record, w->cli->arena, cv_str_of(room ? room : ""), &all, err))
        return false;
    for (size_t i = 0; i < all.count; i++)
        if (!scope || cv_str_eq(all.items[i].scope.name, cv_str_of(scope)))
            cv_conditions_touch(&w->conditions, all.items[i].scope);
    return true;
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static void refuse(watch *w, const char *option, cv_str value, const char *wanted)
{
    cv_err *err = cv_errs_add(&w->faults, w->cli->arena, CV_ERR_USAGE, "%s", wanted);
    cv_err_field(err, cv_str_of(option));
    cv_err_value(err, value);
}

static void read_conditions(watch *w)
{
    const char *when = cv_cli_get(w->cli, "when"), *patience = cv_cli_get(w->cli, "patience"),
               *room = cv_cli_get(w->cli, "room");
    cv_arena *a = w->cli->arena;
    int seconds = PATIENCE_SECONDS;
    if (patience && (!cv_str_to_int(cv_str_of(patience), &seconds) || seconds < 0))
        refuse(w, "--patience", cv_str_of(patience),
               cv_arena_printf(a, "expected a number of seconds from 0, found '%s'", patience).p);
    if (patience && !when)
        refuse(w, "--patience", cv_str_of(patience), "it is for conditions: add --when");
    if (when && cv_cli_get(w->cli, "after"))
        refuse(w, "--after", cv_str_of(cv_cli_get(w->cli, "after")),
               "it is for commits, and conditions hold now: leave --after or --when out");
    w->conditions = (cv_conditions){.patience_ms = (int64_t)seconds * 1000};
    if (when)
        cv_conditions_pick(&w->conditions, a, cv_str_of(when), room ? cv_str_of(room) : (cv_str){0}, &w->faults);
}

/* "bot" is kept as "watch bot": the record's own readers have other names. */
static void read_reader(watch *w)
{
    const char *name = cv_cli_get(w->cli, "reader");
    bool good = name && *name && strlen(name) <= MAX_READER;
    if (!name)
        return;
    for (const char *p = name; *p; p++)
        good = good && (cv_is_alnum(*p) || strchr("-_.", *p));
    if (!good)
        refuse(w, "--reader", cv_str_of(name), "expected a name of 1 to 64 letters, digits, '-', '_' and '.'");
    if (cv_cli_get(w->cli, "when"))
        refuse(w, "--reader", cv_str_of(name),
               "it is for commits, and conditions hold now: leave --reader or --when out");
    w->reader = cv_arena_printf(w->cli->arena, "watch %s", name);
}

/* All faults at once. */
static bool read_options(watch *w)
{
    const char *who = cv_cli_get(w->cli, "agent"), *hook = cv_cli_get(w->cli, "webhook"),
               *count = cv_cli_get(w->cli, "count");
    cv_err err = {.arena = w->cli->arena};
    w->who = who ? cv_str_of(who) : (cv_str){0};
    w->command = cv_cli_get(w->cli, "exec");
    if (w->command && !*w->command)
        refuse(w, "--exec", CV_STR(""), "the command is empty");
    w->has_hook = hook;
    w->left = -1;
    if (count && (!cv_str_to_int(cv_str_of(count), &w->left) || w->left < 1))
        refuse(w, "--count", cv_str_of(count),
               cv_arena_printf(w->cli->arena, "expected a number from 1, found '%s'", count).p);
    if (w->cli->argument_count)
        cv_errs_add(&w->faults, w->cli->arena, CV_ERR_USAGE, "watch takes no arguments, found '%s'",
                    w->cli->arguments[0]);
    read_conditions(w);
    read_reader(w);
    if (hook && !cv_webhook_parse(cv_str_of(hook), !cv_cli_get(w->cli, "remote"), &w->hook, &err)) {
        cv_err_field(&err, CV_STR("--webhook"));
        cv_errs_keep(&w->faults, w->cli->arena, &err);
    }
    return w->faults.count == 0;
}

/* ---- whom it is about -------------------------------------------------------------------------------------------- */

/* Those whom the rooms know (cv_completion). */
static void add_known(watch *w, const cv_completion *row, cv_texts *all)
{
    cv_arena *a = w->cli->arena;
    cv_err ignored = {.arena = a};
    cv_str reply;
    cv_json tree;
    if (!call_operation(&(caller){w, a}, cv_str_of(row->operation),
                        cv_arena_printf(a, "{%s}", row->input ? row->input : ""), &reply, &ignored) ||
        !cv_json_parse(a, reply, &tree, &ignored))
        return;
    const cv_json *list = cv_json_get(&tree, cv_str_of(row->list));
    for (uint32_t i = 0; list && i < list->count; i++)
        *CV_PUSH(a, all) = cv_json_get_text(&list->items[i], row->word);
}

/* Those who have acted of late. */
static void add_actors(watch *w, cv_texts *all)
{
    cv_arena *a = w->cli->arena;
    cv_err ignored = {.arena = a};
    cv_str reply;
    cv_json tree;
    if (!call_operation(&(caller){w, a}, CV_STR("feed"), CV_STR("{\"last\":1000,\"limit\":1000}"), &reply, &ignored) ||
        !cv_json_parse(a, reply, &tree, &ignored))
        return;
    const cv_json *entries = cv_json_get(&tree, CV_STR("entries"));
    for (uint32_t i = 0; entries && i < entries->count; i++) {
        const cv_json *who = cv_json_get(&entries->items[i], CV_STR("who"));
        for (uint32_t k = 0; who && k < who->count; k++) {
            *CV_PUSH(a, all) = who->items[k].text;
            *CV_PUSH(a, all) = name_of(who->items[k].text);
        }
    }
}

/* The id of the agent with this name. */
static bool is_agent(watch *w)
{
    cv_arena *a = w->cli->arena;
    cv_buf input = {0};
    cv_json_writer json = {.out = &input};
    cv_err ignored = {.arena = a};
    cv_str reply;
    cv_json tree;
    cv_json_begin_object(&json);
    cv_json_key_str(&json, "agent_id", w->who);
    cv_json_end_object(&json);
    bool found = call_operation(&(caller){w, a}, CV_STR("agent show"), cv_buf_take(&input, a), &reply, &ignored) &&
                 cv_json_parse(a, reply, &tree, &ignored);
    if (found)
        w->who = cv_json_get_text(cv_json_get(&tree, CV_STR("agent")), "agent_id");
    return found;
}

/* A name that nobody has would be waited for in vain. In a project where nobody is known yet, any name will do. */
static bool settle_who(watch *w, cv_err *err)
{
    cv_texts all = {0};
    if (!w->who.p || is_agent(w))
        return true;
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_completion *row = cv_rooms[i]->completions; row && row->value; row++)
            if (strcmp(row->value, VALUE_WHO) == 0)
                add_known(w, row, &all);
    add_actors(w, &all);
    if (!all.count || cv_words_find((cv_words){all.items, all.count}, w->who) >= 0)
        return true;
    cv_err_set(err, CV_ERR_USAGE, "nobody here is called '%.*s'", CV_FMT(w->who));
    cv_err_field(err, CV_STR("--agent"));
    cv_err_value(err, w->who);
    if (!cv_err_nearest(err, w->who, all.items, all.count))
        cv_err_suggest(err, CV_STR("'conclave agent list' shows the agents, 'conclave feed' who has acted"));
    return false;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static bool begin(watch *w, char position[MAX_POSITION], cv_err *err)
{
    const char *after = cv_cli_get(w->cli, "after");
    cv_json now;
    if (!ask(w, w->cli->arena, after ? cv_str_of(after) : (cv_str){0}, 0, &now, err)) {
        if (err->field.n)
            cv_err_field(err, cv_arena_printf(w->cli->arena, "--%.*s", CV_FMT(err->field)));
        return false;
    }
    const cv_json *warnings = cv_json_get(&now, CV_STR("warnings"));
    for (uint32_t i = 0; warnings && i < warnings->count; i++)
        cv_log_line("%.*s", CV_FMT(cv_json_get_text(&warnings->items[i], "message")));
    if (!settle_who(w, err))
        return false;
    w->conditions.who = w->who;
    snprintf(position, MAX_POSITION, "%.*s", CV_FMT(after ? cv_str_of(after) : cv_json_get_text(&now, "position")));
    return begin_reader(w, after, position, err) && touch_all(w, err);
}

/* A reader waits for its command and its webhook. */
static bool begin_relays(watch *w, cv_err *err)
{
    if (w->reader.p)
        return true;
    w->to_command = w->command ? cv_relay_new(run_command, w, err) : NULL;
    if (w->command && !w->to_command)
        return false;
    w->to_hook = w->has_hook ? cv_relay_new(call_hook, w, err) : NULL;
    return !w->has_hook || w->to_hook;
}

static int run_watch(cv_cli *cli)
{
    cv_err err = {.arena = cli->arena};
    watch w = {.cli = cli, .width = cv_terminal_width(STDOUT_FILENO)};
    char position[MAX_POSITION] = "";
    const char *option = cv_cli_get(cli, "root"), *root;
    if (!read_options(&w))
        return cv_cli_fail_all(cli, w.faults.items, w.faults.count);
    if (!cv_project_find(cli->arena, cv_cli_wanted_root(option), &root, &err)) {
        cv_cli_wrong_root(option, &err);
        return cv_cli_fail(cli, &err);
    }
    cv_service_init(&w.service, root, NULL);
    w.mine = cv_service_own.enter(NULL);
    bool fine = begin(&w, position, &err) && begin_relays(&w, &err) && follow(&w, position, &err);
    cv_relay_end(w.to_command);
    cv_relay_end(w.to_hook);
    cv_conditions_release(&w.conditions);
    cv_buf_release(&w.complaint);
    cv_service_own.leave(NULL, w.mine);
    cv_service_end(&w.service);
    if (!fine)
        return cv_cli_fail(cli, &err);
    return w.unwritten ? cv_cli_unwritten(cli, w.unwritten) : 0;
}

static const cv_cli_option watch_options[] = {
    {"room", "ROOM", "only commits of this room", NULL},
    {"scope", "SCOPE", "only of this scope of the room", NULL},
    {"agent", VALUE_WHO, "only commits of this agent; with --when: only what concerns it, or everybody", NULL},
    {"when", "CONDITIONS", "report these conditions instead of commits: names with commas between", NULL},
    {"patience", "SECONDS", "seconds of silence, for conditions that wait for silence (default: 300)", NULL},
    {"after", "POSITION", "where to begin, a position of 'feed', or start (default: now)", NULL},
    {"reader", "NAME",
     "keep the position under this name: begin where it is, and move it when the command and the webhook have "
     "succeeded",
     NULL},
    {"count", "N", "end after this many (default: watch until it is interrupted)", NULL},
    {"exec", "COMMAND", "run this in a shell for each; CONCLAVE_EVENT has it as JSON, CONCLAVE_MESSAGE as a line",
     NULL},
    {"webhook", "URL", "send each as JSON to http://…, and try again when that fails", NULL},
    {"remote", NULL, "the webhook may be on another machine", NULL},
    CV_CLI_ROOT,
};

const cv_cli_command cv_cmd_watch = {
    .name = "watch",
    .summary = "show every commit as it happens; run a command or call a webhook for each",
    .arguments = "",
    .details =
        "A line for each commit of any process: time, operation, scope and who acted; with --json the entry of the\n"
        "feed. With --when a line for each condition that holds or begins to hold: 'conclave help conditions' has\n"
        "their names. A command or webhook that fails is reported, and watching continues; with --reader it ends,\n"
        "and the same command tries that commit again. See docs/feed.md.\n",
    .examples = "  conclave watch --after start --count 1\n",
    .options = watch_options,
    .option_count = CV_COUNT(watch_options),
    .run = run_watch,
};
