/* cli.c - the command line: which command; see cli.h. */
#include "door/cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/terminal.h"
#include "door/cli_parts.h"
#include "door/version.h"
#include "ops/watch.h"

/* ---- what is not there ------------------------------------------------------------------------------------------ */

/* Does one of the words begin with the other: "note" and "notes", "version" and "--version"? */
static bool is_same_word(cv_str known, cv_str word)
{
    known = cv_str_from(known, cv_str_starts(known, CV_STR("--")) ? 2 : 0);
    return cv_str_starts(known, word) || cv_str_starts(word, known);
}

/* Something unknown called `name`, with the nearest of `known`, or else where to look. `about` names what speaks of it
 * (empty: nothing does), and counts more than a command that is only spelt like it, as "ask" is like "task". */
static int unknown(cv_cli *cli, cv_str message, const char *name, const cv_texts *known, cv_str about, cv_str look)
{
    cv_err err = {.arena = cli->arena};
    cv_str near = cv_str_nearest(cv_str_of(name), known->items, known->count);
    cv_err_set(&err, CV_ERR_USAGE, "%.*s", CV_FMT(message));
    if (near.n && (!about.n || is_same_word(near, cv_str_of(name))))
        cv_err_nearest(&err, cv_str_of(name), &near, 1);
    else
        cv_err_suggest(&err, about.n ? about : look);
    return cv_cli_fail(cli, &err);
}

static cv_texts names_in(cv_arena *a, const cv_cli_table *table, const char *room)
{
    cv_texts all = {0};
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->items[i].room, room) == 0)
            *CV_PUSH(a, &all) = cv_str_of(table->items[i].name);
    return all;
}

static cv_texts names_at_top(cv_arena *a, const cv_cli_table *table)
{
    cv_texts all = names_in(a, table, "");
    *CV_PUSH(a, &all) = CV_STR("help");
    for (size_t i = 0; i < cv_room_count(); i++)
        *CV_PUSH(a, &all) = cv_str_of(cv_room_at(i)->name);
    return all;
}

static bool is_one_of(const cv_texts *all, const char *word)
{
    const cv_str name = {word, strlen(word)};
    for (size_t i = 0; i < all->count; i++)
        if (cv_str_eq(all->items[i], name))
            return true;
    return false;
}

/* "conclave export x": the verb of a room, without the room. NULL: it is none. */
static const cv_cli_command *without_room(const cv_cli_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (*table->items[i].room && strcmp(table->items[i].name, name) == 0)
            return &table->items[i];
    return NULL;
}

/* Is `word` one of the words of the text, in either number: "task" in "list tasks that can begin"? */
static bool has_word(cv_str text, cv_str word)
{
    size_t n = word.n > 1 && word.p[word.n - 1] == 's' ? word.n - 1 : word.n;
    for (size_t i = 0; i + n <= text.n; i++) {
        if ((i > 0 && cv_is_alpha(text.p[i - 1])) || !cv_str_starts_nocase(cv_str_from(text, i), cv_str_head(word, n)))
            continue;
        size_t end = i + n + (i + n < text.n && text.p[i + n] == 's');
        if (end == text.n || !cv_is_alpha(text.p[end]))
            return true;
    }
    return false;
}

/* Does a command have the word in its name or its summary; or else, in a `wide` search, in its help? */
static bool speaks_of(const cv_cli_command *c, cv_str word, bool wide)
{
    return wide ? has_word(cv_str_of(c->details), word)
                : has_word(cv_str_of(c->name), word) || has_word(cv_str_of(c->summary), word);
}

/* "try 'conclave serve', 'conclave open'": commands of a room (NULL: of all) that speak of what was typed. Empty: none
 * does. */
static cv_str about_this(cv_arena *a, const cv_cli_table *table, const char *room, const char *name)
{
    enum { SHORTEST = 4, MOST_NAMED = 4 };
    cv_buf out = {0};
    cv_str word = cv_str_of(name);
    size_t count = 0;
    for (int wide = 0; wide < 2 && !count; wide++)
        for (size_t i = 0; word.n >= SHORTEST && i < table->count; i++) {
            const cv_cli_command *c = &table->items[i];
            if ((!room || strcmp(c->room, room) == 0) && speaks_of(c, word, wide) && count++ < MOST_NAMED)
                cv_buf_printf(&out, "%s'conclave %s%s%s'", count > 1 ? ", " : "try ", c->room, *c->room ? " " : "",
                              c->name);
        }
    if (count > MOST_NAMED)
        cv_buf_add_z(&out, ", …");
    return cv_buf_take(&out, a);
}

/* "panel" alone: "try 'conclave panel list', 'conclave panel show'". Empty: no verb begins so. */
static cv_str second_words(cv_arena *a, const cv_cli_table *table, const char *first)
{
    cv_buf out = {0};
    cv_str before = cv_arena_printf(a, "%s-", first);
    for (size_t i = 0; i < table->count; i++)
        if (*table->items[i].room && cv_str_starts(cv_str_of(table->items[i].name), before))
            cv_buf_printf(&out, "%s'conclave %s %s'", out.n ? ", " : "try ", first, table->items[i].name + before.n);
    return cv_buf_take(&out, a);
}

static int unknown_at_top(cv_cli *cli, const cv_cli_table *table, const char *what, const char *name, cv_texts known,
                          cv_str look)
{
    const cv_cli_command *meant = without_room(table, name);
    cv_str message = cv_arena_printf(cli->arena, "unknown %s '%s'", what, name);
    cv_str verbs = second_words(cli->arena, table, name);
    cv_str about = verbs.n ? verbs : about_this(cli->arena, table, NULL, name);
    if (meant) {
        known = (cv_texts){0};
        about = cv_arena_printf(cli->arena, "did you mean '%s %s'?", meant->room, meant->name);
    }
    return unknown(cli, message, name, &known, about, look);
}

static int unknown_verb(cv_cli *cli, const cv_cli_table *table, const cv_room *room, const char *name)
{
    cv_texts all = names_in(cli->arena, table, room->name);
    cv_str about = about_this(cli->arena, table, room->name, name);
    cv_str look = cv_arena_printf(cli->arena, "'conclave %s --help' lists the verbs", room->name);
    if (about.n)
        about = cv_arena_printf(cli->arena, "%.*s; %.*s", CV_FMT(about), CV_FMT(look));
    return unknown(cli, cv_arena_printf(cli->arena, "'%s' has no verb '%s'", room->name, name), name, &all, about,
                   look);
}

/* "conclave --limit 3 dialogue list": an option at argv[at], where one of `known` is wanted; told with the line that
 * would be right when one of them follows. */
static int misplaced(cv_cli *cli, const cv_texts *known, int argc, char **argv, int at)
{
    cv_err err = {.arena = cli->arena};
    cv_buf line = {0};
    int word = at + 1;
    while (word < argc && !is_one_of(known, argv[word]))
        word++;
    cv_buf_add_z(&line, "write: conclave");
    for (int i = 1; i < at; i++)
        cv_buf_printf(&line, " %s", argv[i]);
    for (int i = word; i < argc; i++)
        cv_buf_printf(&line, " %s", argv[i]);
    for (int i = at; i < word; i++)
        cv_buf_printf(&line, " %s", argv[i]);
    cv_err_set(&err, CV_ERR_USAGE, "option '%s' goes after the %s", argv[at], at == 1 ? "command" : "verb");
    cv_err_suggest(&err, cv_arena_copy(cli->arena, cv_buf_str(&line)));
    cv_buf_release(&line);
    return cv_cli_fail(cli, &err);
}

/* Is argv[at] an option with one of `known` after it? */
static bool is_misplaced(const cv_texts *known, int argc, char **argv, int at)
{
    for (int i = at + 1; i < argc && cv_str_starts(cv_str_of(argv[at]), CV_STR("--")); i++)
        if (is_one_of(known, argv[i]))
            return true;
    return false;
}

/* "--jsno": an option where a command is wanted. False: it is not like one that may be there. */
static bool is_misspelt(cv_cli *cli, const char *word, int *ret_status)
{
    cv_texts options = {0};
    for (size_t i = 0; i < cv_cli_option_count(&cv_cli_any); i++)
        *CV_PUSH(cli->arena, &options) = cv_arena_printf(cli->arena, "--%s", cv_cli_option_at(&cv_cli_any, i)->name);
    *CV_PUSH(cli->arena, &options) = CV_STR("--version");
    if (!cv_str_starts(cv_str_of(word), CV_STR("--")) ||
        !cv_str_nearest(cv_str_of(word), options.items, options.count).n)
        return false;
    *ret_status =
        unknown(cli, cv_arena_printf(cli->arena, "unknown option '%s'", word), word, &options, CV_STR(""), CV_STR(""));
    return true;
}

static int unknown_command(cv_cli *cli, const cv_cli_table *table, int argc, char **argv)
{
    cv_texts known = names_at_top(cli->arena, table);
    int status;
    if (is_misspelt(cli, argv[1], &status))
        return status;
    if (is_misplaced(&known, argc, argv, 1))
        return misplaced(cli, &known, argc, argv, 1);
    *CV_PUSH(cli->arena, &known) = CV_STR("--version");
    return unknown_at_top(cli, table, argv[1][0] == '-' ? "option" : "command", argv[1], known,
                          CV_STR("'conclave --help' lists the commands"));
}

/* ---- help ------------------------------------------------------------------------------------------------------- */

static int unknown_topic(cv_cli *cli, const cv_cli_table *table, const char *topic)
{
    cv_texts all = names_at_top(cli->arena, table);
    for (size_t i = 0; cv_help_topic_at(i); i++)
        *CV_PUSH(cli->arena, &all) = cv_str_of(cv_help_topic_at(i)->name);
    return unknown_at_top(cli, table, "topic", topic, all, CV_STR("'conclave help' lists the topics"));
}

/* conclave help [TOPIC | ROOM [VERB]] */
static int run_help(cv_cli *cli, const cv_cli_table *table, char **words, int count)
{
    cv_buf out = cli->json ? cv_cli_stdout_json(cli) : cv_cli_stdout();
    const cv_room *room = count > 0 ? cv_room_find(cv_str_of(words[0])) : NULL;
    const cv_cli_command *command = NULL;
    size_t terminal = cv_terminal_width(STDOUT_FILENO);
    if (count == 1 && strcmp(words[0], "help") == 0)
        count = 0;
    if (room && count > 1) {
        command = cv_cli_find(table, cv_str_of(room->name), cv_str_of(words[1]));
        if (!command)
            return unknown_verb(cli, table, room, words[1]);
    } else if (count > 0) {
        command = cv_cli_find(table, CV_STR(""), cv_str_of(words[0]));
    }
    if (command)
        cv_help_command(&out, cli->arena, terminal, command);
    else if (room)
        cv_help_room(&out, cli->arena, terminal, table, room);
    else if (count == 0 && cli->json)
        cv_help_all_json(&out, cli->arena, table);
    else if (count == 0)
        cv_help_all(&out, terminal, table);
    else if (!cv_help_topic(&out, cli->arena, terminal, cv_str_of(words[0])))
        return unknown_topic(cli, table, words[0]);
    return cv_cli_finish(cli, &out, 0);
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

static int run_command(cv_cli *cli, const cv_cli_command *row, int argc, char **argv, int from)
{
    cv_cli_command command = cv_cli_complete(cli->arena, row);
    cli->command = &command;
    cli->values = CV_NEW_ARRAY(cli->arena, cv_cli_option_count(&command), const char *);
    cli->arguments = CV_NEW_ARRAY(cli->arena, (size_t)argc, const char *);
    cv_errs errs = {0};
    cv_cli_take(cli, cli->before_count, cli->before, 0, &errs);
    cv_cli_take(cli, argc, argv, from, &errs);
    if (errs.count > 0) {
        if (command.op)
            cv_cli_add_faults_of_values(cli, &errs);
        return cv_cli_fail_all(cli, errs.items, errs.count);
    }
    if (cv_cli_get(cli, "help")) {
        cv_buf out = cv_cli_stdout();
        cv_help_command(&out, cli->arena, cv_terminal_width(STDOUT_FILENO), row);
        return cv_cli_finish(cli, &out, 0);
    }
    if (command.op && cv_cli_get(cli, "schema")) {
        cv_buf out = cv_cli_stdout();
        cv_help_schema(&out, command.op);
        return cv_cli_finish(cli, &out, 0);
    }
    if (!command.op)
        cv_watch_call("", command.name);
    return command.run(cli);
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* "conclave panel list": the verb "panel-list" in two words, of this room, or of any when it is "". NULL: there is
 * none, or several rooms have it. */
static const cv_cli_command *in_two_words(cv_arena *a, const cv_cli_table *table, const char *room, char **words)
{
    const char *verb = cv_arena_printf(a, "%s-%s", words[0], words[1]).p;
    const cv_cli_command *found = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const cv_cli_command *row = &table->items[i];
        if (!*row->room || (*room && strcmp(row->room, room) != 0) || strcmp(row->name, verb) != 0)
            continue;
        if (found)
            return NULL;
        found = row;
    }
    return found;
}

/* conclave ROOM VERB …; without a verb the help, as a mistake. */
static int run_room(cv_cli *cli, const cv_cli_table *table, const cv_room *room, int argc, char **argv)
{
    if (argc > 2 && (is_help(argv[2]) || strcmp(argv[2], "help") == 0))
        return run_help(cli, table, argv + 1, 1);
    if (argc == 2) {
        cv_buf out = {.sink = cv_buf_to_stream, .sink_to = stderr};
        cv_help_room(&out, cli->arena, cv_terminal_width(STDERR_FILENO), table, room);
        cv_cli_finish(cli, &out, 0);
        return cv_err_exit(CV_ERR_USAGE);
    }
    const cv_cli_command *command = cv_cli_find(table, cv_str_of(room->name), cv_str_of(argv[2]));
    cv_texts verbs = names_in(cli->arena, table, room->name);
    if (!command && is_misplaced(&verbs, argc, argv, 2))
        return misplaced(cli, &verbs, argc, argv, 2);
    const cv_cli_command *joined = !command && argc > 3 ? in_two_words(cli->arena, table, room->name, argv + 2) : NULL;
    if (joined)
        return run_command(cli, joined, argc, argv, 4);
    return command ? run_command(cli, command, argc, argv, 3) : unknown_verb(cli, table, room, argv[2]);
}

static int no_command(cv_cli *cli)
{
    cv_err err = {.arena = cli->arena};
    cv_err_set(&err, CV_ERR_USAGE, "there is no command after '%s'", cli->before[cli->before_count - 1]);
    cv_err_suggest(&err, CV_STR("'conclave --help' lists the commands"));
    return cv_cli_fail(cli, &err);
}

static int run(cv_cli *cli, const cv_cli_table *table, int argc, char **argv)
{
    if (argc < 2 && cli->before_count)
        return no_command(cli);
    if (argc < 2) {
        cv_buf out = {.sink = cv_buf_to_stream, .sink_to = stderr};
        cv_help_first(&out, cv_terminal_width(STDERR_FILENO));
        cv_cli_finish(cli, &out, 0);
        return cv_err_exit(CV_ERR_USAGE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        cv_buf out = cv_cli_stdout();
        cv_version_print(&out, cli->json);
        return cv_cli_finish(cli, &out, 0);
    }
    if (is_help(argv[1]))
        return run_help(cli, table, NULL, 0);
    if (strcmp(argv[1], "help") == 0) {
        int count = 0; /* --json may stand anywhere */
        for (int i = 2; i < argc; i++)
            if (strcmp(argv[i], "--json") != 0 && !is_help(argv[i]))
                argv[2 + count++] = argv[i];
        return run_help(cli, table, argv + 2, count);
    }
    const cv_room *room = cv_room_find(cv_str_of(argv[1]));
    const cv_cli_command *command = cv_cli_find(table, CV_STR(""), cv_str_of(argv[1]));
    bool verb = argc > 2 && room && cv_cli_find(table, cv_str_of(argv[1]), cv_str_of(argv[2]));
    /* A command may have the name of a room: a word that is not a verb is its argument. */
    if (room && (verb || !command))
        return run_room(cli, table, room, argc, argv);
    const cv_cli_command *joined = !command && argc > 2 ? in_two_words(cli->arena, table, "", argv + 1) : NULL;
    if (joined)
        return run_command(cli, joined, argc, argv, 3);
    return command ? run_command(cli, command, argc, argv, 2) : unknown_command(cli, table, argc, argv);
}

/* Takes the options at argv[at] that may be before the command out of the line. */
static void set_aside(cv_cli *cli, int *argc, char **argv, int at)
{
    int count = cv_cli_before(*argc, (const char *const *)argv, at);
    for (int i = 0; i < count; i++)
        cli->before[cli->before_count++] = argv[at + i];
    for (int i = at; i + count < *argc; i++)
        argv[i] = argv[i + count];
    *argc -= count;
}

/* Known before the options are read, because they may be what is wrong. */
static bool wants_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

static bool wants_colour(void)
{
    const char *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !getenv("NO_COLOR") && !(term && strcmp(term, "dumb") == 0);
}

/* A closed standard stream would be the next file that is opened. In its place comes one that refuses, so that
 * writing to it fails. */
static void fill_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}

/* Does a client run this before one of its tools (kit/room.h)? */
static bool is_hook(cv_arena *a, int argc, char **argv)
{
    cv_buf words = {0};
    for (int i = 1; i < argc; i++)
        cv_buf_printf(&words, "%s%s", i > 1 ? " " : "", argv[i]);
    cv_str typed = cv_buf_take(&words, a);
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_room_hook *h = cv_rooms[i]->hooks; h && h->words; h++)
            if (cv_str_starts(typed, cv_str_of(h->words)))
                return true;
    return false;
}

int cv_cli_main(int argc, char **argv)
{
    fill_closed_streams();
    cv_signals_begin();
    cv_arena arena = {0};
    cv_cli cli = {.arena = &arena, .colour = wants_colour()};
    cli.json = wants_json(argc, argv);
    cli.before = CV_NEW_ARRAY(&arena, (size_t)argc, char *);
    set_aside(&cli, &argc, argv, 1);
    if (argc > 2 && cv_room_find(cv_str_of(argv[1])))
        set_aside(&cli, &argc, argv, 2);
    cv_cli_table table = cv_cli_commands(&arena);
    int status = run(&cli, &table, argc, argv);
    /* A client takes every other failure of a hook for a yes. */
    if (status != 0 && is_hook(&arena, argc, argv))
        status = cv_err_exit(CV_ERR_USAGE);
    cv_arena_release(&arena);
    return status;
}
