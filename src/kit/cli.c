/* cli.c - what a command is given, what it prints and how it ends; see cli.h. */
#include "kit/cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err_json.h"
#include "base/terminal.h"
#include "kit/room.h"

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* Behind its own, every command has these. */
static const cv_cli_option common[] = {
    {"json", NULL, "print JSON on standard output, errors too", NULL},
    {"help", NULL, "show this help", NULL},
};

size_t cv_cli_option_count(const cv_cli_command *c)
{
    return c->option_count + CV_COUNT(common);
}

const cv_cli_option *cv_cli_option_at(const cv_cli_command *c, size_t i)
{
    return i < c->option_count ? &c->options[i] : &common[i - c->option_count];
}

size_t cv_cli_option_find(const cv_cli_command *c, cv_str name)
{
    for (size_t i = 0; i < cv_cli_option_count(c); i++)
        if (cv_str_eq(name, cv_str_of(cv_cli_option_at(c, i)->name)))
            return i;
    return SIZE_MAX;
}

const char *cv_cli_get(const cv_cli *cli, const char *option)
{
    size_t i = cli->command ? cv_cli_option_find(cli->command, cv_str_of(option)) : SIZE_MAX;
    return i == SIZE_MAX ? NULL : cli->values[i];
}

/* ---- how it ends ------------------------------------------------------------------------------------------------ */

void cv_cli_say(cv_str text)
{
    static const char name[] = "conclave: ";
    enum { HANG = sizeof name - 1 };
    cv_buf line = {.sink = cv_buf_to_stream, .sink_to = stderr};
    cv_buf_add_z(&line, name);
    cv_plain_wrap(&line, text, isatty(STDERR_FILENO) ? cv_terminal_width(STDERR_FILENO) : SIZE_MAX, HANG, HANG);
    cv_buf_add_char(&line, '\n');
    cv_buf_flush(&line);
    cv_buf_release(&line);
}

void cv_cli_report(const cv_cli *cli, const cv_err *err)
{
    bool request = cli->command && cli->command->op && err->code != CV_ERR_USAGE;
    cv_str code = cv_err_word(err->code), text = cv_err_text(err);
    if (request)
        text = cv_arena_printf(cli->arena, "%.*s [%.*s]", CV_FMT(text), CV_FMT(code));
    cv_cli_say(text);
}

int cv_cli_fail_all(cv_cli *cli, const cv_err *errs, size_t count)
{
    bool batch = cli->command && cli->command->op && (cli->command->op->flags & CV_OP_BATCH);
    bool usage = errs[0].code == CV_ERR_USAGE; /* several of them are still no request that was refused */
    int status = cv_err_exit(usage ? CV_ERR_USAGE : cv_errs_code(errs, count, batch));
    if (cli->json) {
        cv_buf out = cv_cli_stdout_json(cli);
        bool lines = cli->command && cli->command->op && (cli->command->op->flags & CV_OP_STARTS);
        cv_json_writer w = {.out = &out, .indent = lines ? 0 : 2}; /* behind lines of events it is one, too */
        cv_errs_print_json(errs, count, batch, &w);
        cv_buf_add_char(&out, '\n');
        if (cv_cli_flush(&out) == 0)
            return status;
    }
    for (size_t i = 0; i < count; i++)
        cv_cli_report(cli, &errs[i]);
    return status;
}

int cv_cli_fail(cv_cli *cli, const cv_err *err)
{
    return cv_cli_fail_all(cli, err, 1);
}

cv_buf cv_cli_stdout(void)
{
    return (cv_buf){.sink = cv_buf_to_stream, .sink_to = stdout};
}

static cv_buf through_flow(cv_cli *cli, bool json)
{
    cli->flow = (cv_plain_flow){.json = json, .sink = cv_buf_to_stream, .to = stdout};
    return (cv_buf){.sink = cv_plain_sink, .sink_to = &cli->flow};
}

cv_buf cv_cli_stdout_json(cv_cli *cli)
{
    return through_flow(cli, true);
}

cv_buf cv_cli_stdout_text(cv_cli *cli)
{
    return isatty(STDOUT_FILENO) ? through_flow(cli, false) : cv_cli_stdout();
}

int cv_cli_flush(cv_buf *out)
{
    int number = 0;
    if (!cv_buf_flush(out))
        number = out->error ? out->error : EIO;
    else if (fflush(stdout) != 0)
        number = errno;
    cv_buf_release(out);
    return number;
}

int cv_cli_finish(cv_cli *cli, cv_buf *out, int status)
{
    int number = cv_cli_flush(out);
    return number == 0 ? status : cv_cli_unwritten(cli, number);
}

int cv_cli_unwritten(cv_cli *cli, int number)
{
    if (number == EPIPE && cli->done.n == 0)
        return 128 + SIGPIPE; /* the reader has enough, and nothing was changed */
    cv_err err = {.arena = cli->arena};
    const char *why = cv_system_reason(number);
    if (cli->done.n > 0)
        cv_err_set(&err, CV_ERR_IO, "%.*s, but its answer could not be written: %s", CV_FMT(cli->done), why);
    else
        cv_err_set(&err, CV_ERR_IO, "cannot write to standard output: %s", why);
    cv_err_suggest(&err, cli->done_hint.n ? cli->done_hint : cv_str_of(cv_system_advice(number)));
    cv_cli_report(cli, &err);
    return cv_err_exit(err.code);
}
