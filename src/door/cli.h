/* cli.h - the command line.
 *
 * A command is a row of one table: name, summary, usage, options, examples, function. Help, suggestions for typos and
 * the parsing of options all come from the rows.
 *
 *     conclave COMMAND [OPTION…] [ARGUMENT…]
 *
 * Data goes to standard output, words about it to standard error. Exit status: 0 fine, 1 findings, 2 it could not run.
 */
#ifndef CV_DOOR_CLI_H
#define CV_DOOR_CLI_H

#include "base/err.h"
#include "base/json.h"

typedef struct {
    const char *name;  /* without the dashes */
    const char *value; /* name of its value in the help, NULL: a switch */
    const char *summary;
    const char *choices; /* valid values with blanks between, NULL: any */
} cv_cli_option;

typedef struct cv_cli cv_cli;

typedef struct {
    const char *name;
    const char *summary;   /* one line */
    const char *arguments; /* "FILE…" */
    const char *details;   /* paragraphs of the help */
    const char *examples;  /* lines; those that begin with "  conclave" run in the tests */
    const cv_cli_option *options;
    size_t option_count;
    int (*run)(cv_cli *cli); /* the exit status */
} cv_cli_command;

/* One call of the program. */
struct cv_cli {
    cv_arena *arena;
    const cv_cli_command *command;
    const char **values; /* per option: NULL when absent, "" for a switch */
    const char **arguments;
    size_t argument_count;
    bool colour;
};

int cv_cli_main(int argc, char **argv);

/* The option's value, or NULL when it was not given. */
const char *cv_cli_get(const cv_cli *cli, const char *option);

/* Reports an error (on stdout as JSON when --json was given, else one line on stderr) and returns its exit status. */
int cv_cli_fail(cv_cli *cli, const cv_err *err);
int cv_cli_fail_all(cv_cli *cli, const cv_err *errs, size_t count);

/* One error as a JSON object: error_code, message, field, value, valid_options, suggestion, file, line, column. */
void cv_cli_print_error(const cv_err *err, cv_json_writer *w);

/* A buffer that flows to standard output; finish reports a full disk or a closed pipe as exit status 2. */
cv_buf cv_cli_stdout(void);
int cv_cli_finish(cv_cli *cli, cv_buf *out, int status);

extern const cv_cli_command cv_cmd_lint, cv_cmd_parse, cv_cmd_render, cv_cmd_spec;

#endif
