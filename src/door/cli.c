/* cli.c - the command line: commands, options, help, errors; see cli.h. */
#include "door/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/utf8.h"

#ifndef CV_VERSION
#define CV_VERSION "development"
#endif

static const cv_cli_command *const commands[] = {&cv_cmd_lint, &cv_cmd_parse, &cv_cmd_render, &cv_cmd_spec};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* Options that every command has. */
static const cv_cli_option common[] = {
    {"json", NULL, "print JSON on standard output, errors too", NULL},
    {"help", NULL, "show this help", NULL},
};
enum { COMMON = sizeof common / sizeof *common };

/* ---- help ------------------------------------------------------------------------------------------------------ */

static void help_all(FILE *to)
{
    fprintf(to, "Conclave: a place where AI agents deliberate, checked when it arrives.\n\n"
                "Usage: conclave COMMAND [OPTION...] [ARGUMENT...]\n\nCommands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to, "\nOptions:\n"
                "  --version  print the version\n"
                "  --help     show this help; 'conclave COMMAND --help' tells more about a command\n\n"
                "Examples:\n"
                "  conclave lint decision.dialogue.md\n"
                "  conclave parse decision.dialogue.md | jq .title\n"
                "  conclave spec\n\n"
                "Exit status: 0 fine, 1 findings, 2 the command could not run.\n");
}

static void help_option(FILE *to, const cv_cli_option *o)
{
    char left[40];
    snprintf(left, sizeof left, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    fprintf(to, "  %-18s %s", left, o->summary);
    if (o->choices) {
        fprintf(to, " (");
        for (const char *c = o->choices; *c; c++)
            fputs(*c == ' ' ? ", " : (char[]){*c, '\0'}, to);
        fprintf(to, ")");
    }
    fprintf(to, "\n");
}

static void help_command(FILE *to, const cv_cli_command *c)
{
    fprintf(to, "conclave %s - %s\n\nUsage: conclave %s [OPTION...]%s%s\n\n%s\nOptions:\n", c->name, c->summary,
            c->name, *c->arguments ? " " : "", c->arguments, c->details);
    for (size_t i = 0; i < c->option_count; i++)
        help_option(to, &c->options[i]);
    for (size_t i = 0; i < COMMON; i++)
        help_option(to, &common[i]);
    fprintf(to, "\nExamples:\n%s", c->examples);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void key_if(cv_json_writer *w, const char *key, cv_str value)
{
    if (value.n > 0)
        cv_json_key_str(w, key, value);
}

void cv_cli_print_error(const cv_err *err, cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "error_code", cv_err_word(err->code));
    cv_json_key_str(w, "message", err->message);
    key_if(w, "field", err->field);
    key_if(w, "value", err->value);
    if (err->option_count > 0) {
        cv_json_key(w, CV_STR("valid_options"));
        cv_json_begin_array(w);
        for (size_t i = 0; i < err->option_count; i++)
            cv_json_str(w, err->options[i]);
        cv_json_end_array(w);
    }
    key_if(w, "suggestion", err->suggestion);
    key_if(w, "file", err->file);
    if (err->line > 0) {
        cv_json_key_int(w, "line", (int64_t)err->line);
        cv_json_key_int(w, "column", (int64_t)err->column);
    }
    cv_json_end_object(w);
}

int cv_cli_fail_all(cv_cli *cli, const cv_err *errs, size_t count)
{
    if (cv_cli_get(cli, "json")) {
        cv_buf out = cv_cli_stdout();
        cv_json_writer w = {.out = &out, .indent = 2};
        cv_json_begin_object(&w);
        cv_json_key_str(&w, "status", CV_STR("error"));
        cv_json_key(&w, CV_STR("errors"));
        cv_json_begin_array(&w);
        for (size_t i = 0; i < count; i++)
            cv_cli_print_error(&errs[i], &w);
        cv_json_end_array(&w);
        cv_json_end_object(&w);
        cv_buf_add_char(&out, '\n');
        cv_cli_finish(cli, &out, 0);
    }
    for (size_t i = 0; i < count; i++) {
        cv_str text = cv_err_text(&errs[i]);
        fprintf(stderr, "conclave: %.*s\n", CV_FMT(text));
    }
    return cv_err_exit(errs[0].code);
}

int cv_cli_fail(cv_cli *cli, const cv_err *err)
{
    return cv_cli_fail_all(cli, err, 1);
}

cv_buf cv_cli_stdout(void)
{
    return (cv_buf){.sink = cv_buf_to_stream, .sink_to = stdout};
}

int cv_cli_finish(cv_cli *cli, cv_buf *out, int status)
{
    bool ok = cv_buf_flush(out) && fflush(stdout) == 0;
    cv_buf_release(out);
    if (!ok) {
        cv_err err = {.arena = cli->arena};
        cv_err_set(&err, CV_ERR_IO, "cannot write to standard output: %s", strerror(errno));
        cv_str text = cv_err_text(&err);
        fprintf(stderr, "conclave: %.*s\n", CV_FMT(text));
        return cv_err_exit(err.code);
    }
    return status;
}

/* ---- options
 * --------------------------------------------------------------------------------------------------------- */

static const cv_cli_option *option_at(const cv_cli_command *c, size_t i)
{
    return i < c->option_count ? &c->options[i] : &common[i - c->option_count];
}

static size_t option_find(const cv_cli_command *c, cv_str name)
{
    size_t count = c->option_count + COMMON;
    for (size_t i = 0; i < count; i++)
        if (cv_str_eq(name, cv_str_of(option_at(c, i)->name)))
            return i;
    return SIZE_MAX;
}

const char *cv_cli_get(const cv_cli *cli, const char *option)
{
    size_t i = option_find(cli->command, cv_str_of(option));
    return i == SIZE_MAX ? NULL : cli->values[i];
}

static bool unknown_option(const cv_cli_command *c, cv_str name, cv_err *err)
{
    cv_str names[32];
    size_t count = 0;
    for (; count < c->option_count + COMMON && count < 32; count++)
        names[count] = cv_str_of(option_at(c, count)->name);
    cv_str near = cv_str_nearest(name, names, count);
    cv_err_set(err, CV_ERR_USAGE, "unknown option '--%.*s'", CV_FMT(name));
    err->suggestion = near.n ? cv_arena_printf(err->arena, "did you mean '--%.*s'?", CV_FMT(near))
                             : cv_arena_printf(err->arena, "see 'conclave %s --help'", c->name);
    return false;
}

static bool is_choice(const char *choices, cv_str value)
{
    cv_str rest = cv_str_of(choices), choice;
    while (cv_str_split(&rest, ' ', &choice))
        if (cv_str_eq(choice, value))
            return true;
    return false;
}

/* One "--name", "--name=value" or "--name value" at argv[*at]. */
static bool take_option(cv_cli *cli, int argc, char **argv, int *at, cv_err *err)
{
    cv_str arg = cv_str_of(argv[*at] + 2);
    size_t equals = cv_str_find_char(arg, '=');
    cv_str name = cv_str_head(arg, equals);
    size_t i = option_find(cli->command, name);
    if (i == SIZE_MAX)
        return unknown_option(cli->command, name, err);
    const cv_cli_option *o = option_at(cli->command, i);
    const char *value = "";
    if (!o->value && equals != SIZE_MAX)
        return cv_err_set(err, CV_ERR_USAGE, "option '--%s' takes no value", o->name);
    if (o->value) {
        if (equals != SIZE_MAX)
            value = arg.p + equals + 1;
        else if (*at + 1 < argc)
            value = argv[++*at];
        else
            return cv_err_set(err, CV_ERR_USAGE, "option '--%s' needs a value: --%s %s", o->name, o->name, o->value);
        if (o->choices && !is_choice(o->choices, cv_str_of(value))) {
            cv_err_set(err, CV_ERR_USAGE, "'%s' is no valid value of '--%s'", value, o->name);
            err->suggestion = cv_arena_printf(err->arena, "use one of: %s", o->choices);
            return false;
        }
    }
    cli->values[i] = value;
    return true;
}

static bool take_arguments(cv_cli *cli, int argc, char **argv, cv_err *err)
{
    bool options = true;
    for (int i = 2; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0)
            options = false;
        else if (options && (strcmp(argv[i], "-h") == 0))
            cli->values[option_find(cli->command, CV_STR("help"))] = "";
        else if (options && argv[i][0] == '-' && argv[i][1] == '-') {
            if (!take_option(cli, argc, argv, &i, err))
                return false;
        } else if (options && argv[i][0] == '-' && argv[i][1] != '\0') {
            cv_err_set(err, CV_ERR_USAGE, "unknown option '%s'", argv[i]);
            err->suggestion = cv_arena_printf(err->arena, "options begin with two dashes: see 'conclave %s --help'",
                                              cli->command->name);
            return false;
        } else
            cli->arguments[cli->argument_count++] = argv[i];
    }
    return true;
}

/* ---- commands
 * ---------------------------------------------------------------------------------------------------------- */

static const cv_cli_command *command_find(cv_str name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (cv_str_eq(name, cv_str_of(commands[i]->name)))
            return commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    cv_str names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = cv_str_of(commands[i]->name);
    cv_str near = cv_str_nearest(cv_str_of(name), names, COMMANDS);
    fprintf(stderr, "conclave: unknown command '%s'", name);
    if (near.n)
        fprintf(stderr, "; did you mean '%.*s'?\n", CV_FMT(near));
    else
        fprintf(stderr, "; 'conclave --help' lists the commands\n");
    return cv_err_exit(CV_ERR_USAGE);
}

static int run_command(const cv_cli_command *command, int argc, char **argv)
{
    cv_arena arena = {0};
    cv_cli cli = {.arena = &arena, .command = command};
    cli.values = CV_NEW_ARRAY(&arena, command->option_count + COMMON, const char *);
    cli.arguments = CV_NEW_ARRAY(&arena, (size_t)argc, const char *);
    cli.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    cv_err err = {.arena = &arena};
    int status = 0;
    if (!take_arguments(&cli, argc, argv, &err))
        status = cv_cli_fail(&cli, &err);
    else if (cv_cli_get(&cli, "help"))
        help_command(stdout, command);
    else
        status = command->run(&cli);
    cv_arena_release(&arena);
    return status;
}

int cv_cli_main(int argc, char **argv)
{
    if (argc < 2) {
        help_all(stderr);
        return cv_err_exit(CV_ERR_USAGE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("conclave %s\n", CV_VERSION);
        return 0;
    }
    bool help = strcmp(argv[1], "help") == 0;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (help && argc == 2)) {
        help_all(stdout);
        return 0;
    }
    const cv_cli_command *command = command_find(cv_str_of(argv[help ? 2 : 1]));
    if (!command && argv[1][0] == '-') {
        fprintf(stderr, "conclave: unknown option '%s'; 'conclave --help' lists the commands\n", argv[1]);
        return cv_err_exit(CV_ERR_USAGE);
    }
    if (!command)
        return unknown_command(argv[help ? 2 : 1]);
    if (help) {
        help_command(stdout, command);
        return 0;
    }
    return run_command(command, argc, argv);
}
