/* cli.h - the command line.
 *
 *     conclave COMMAND [OPTION…] [ARGUMENT…]          lint, parse, init …
 *     conclave ROOM VERB [OPTION…] [ARGUMENT…]        dialogue create …
 *
 * A command is a row of one table (cli_table.c): name, summary, usage, options, examples, function. The commands that
 * work on files are written here (cmd_*.c); all others are made from the operations of ops/, and their options from the
 * schemas. Help, suggestions for typos and the parsing of options all come from the rows.
 *
 * Data goes to standard output, words about it to standard error. Exit status: 0 fine, 1 findings or a refused request,
 * 2 it could not run, or its answer could not be written.
 */
#ifndef CV_DOOR_CLI_H
#define CV_DOOR_CLI_H

#include "base/err.h"
#include "base/json.h"
#include "base/plain.h"
#include "ops/op.h"

typedef struct {
    const char *name;  /* without the dashes */
    const char *value; /* name of its value in the help, NULL: a switch */
    const char *summary;
    const char *choices; /* valid values with blanks between, NULL: any */
} cv_cli_option;

/* Names of values that completion knows something about; the rooms have others (cv_completion). */
#define CV_VALUE_FILE "FILE"
#define CV_VALUE_FOLDER "DIR"
#define CV_VALUE_JSON "JSON" /* or @FILE */
#define CV_VALUE_TEXT_OR_FILE "TEXT|@FILE"

typedef struct cv_cli cv_cli;

/* Where a command stands in the help. */
typedef enum { CV_GROUP_OPERATIONS, CV_GROUP_FILES, CV_GROUP_SERVERS, CV_GROUP_PROGRAM } cv_cli_group;

typedef struct {
    const char *name;
    const char *summary;   /* one line */
    const char *arguments; /* "FILE…" */
    const char *details;   /* paragraphs of the help */
    const char *examples;  /* lines; those that begin with "  conclave" run in the tests */
    const cv_cli_option *options;
    size_t option_count;
    int (*run)(cv_cli *cli); /* the exit status */
    cv_cli_group group;
    /* ---- of an operation; the first options are then the properties of its input, in their order ---- */
    const char *room; /* NULL or "": stands at the top level */
    const cv_operation *op;
    const cv_json *input; /* the schema */
    const size_t
        *taken; /* properties that are taken without their flags, in this order; a list takes all that is left */
    size_t taken_count;
} cv_cli_command;

/* An option as it stands on the command line. */
typedef struct {
    size_t option;
    const char *value; /* of a switch: "true", or "false" when it is turned off */
} cv_cli_given;

/* One call of the program. */
struct cv_cli {
    cv_arena *arena;
    const cv_cli_command *command;
    const char **values; /* per option: NULL when absent, "true" for a switch */
    const char **arguments;
    size_t argument_count;
    bool colour;
    cv_plain_flow flow;     /* of what is printed as JSON or as a document */
    bool json;              /* errors on standard output, as JSON */
    cv_str left_out, which; /* the scope's field, when it was left out and could be any; what to write there */
    cv_str done, done_hint; /* what has been written to the record, should the answer be lost; and what to do then */
    struct {
        cv_cli_given *items;
        size_t count, capacity;
    } given; /* all options in their order */
};

int cv_cli_main(int argc, char **argv);

/* The option's value, or NULL when it was not given. */
const char *cv_cli_get(const cv_cli *cli, const char *option);

/* Reports an error (with --json as JSON on stdout, else as one line on stderr) and returns its exit status. */
int cv_cli_fail(cv_cli *cli, const cv_err *err);
int cv_cli_fail_all(cv_cli *cli, const cv_err *errs, size_t count);

/* Buffers that flow to standard output: words of our own; JSON, without raw control characters; documents, byte for
 * byte into files and pipes and harmless on a terminal. Finish tells of a full disk, and what was done before; of a
 * reader who has left only if something was done. */
cv_buf cv_cli_stdout(void);
cv_buf cv_cli_stdout_json(cv_cli *cli);
cv_buf cv_cli_stdout_text(cv_cli *cli);
int cv_cli_finish(cv_cli *cli, cv_buf *out, int status);
int cv_cli_flush(cv_buf *out);                 /* gives the buffer up; 0, or the errno of what could not be written */
int cv_cli_unwritten(cv_cli *cli, int number); /* tells of such an errno; the exit status */

extern const cv_cli_command cv_cmd_lint, cv_cmd_parse, cv_cmd_render, cv_cmd_spec, cv_cmd_mcp, cv_cmd_serve,
    cv_cmd_watch, cv_cmd_open, cv_cmd_watch, cv_cmd_install, cv_cmd_completion, cv_cmd_man;

#endif
