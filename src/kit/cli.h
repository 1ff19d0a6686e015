/* cli.h - a command of the command line: what it is given, what it prints and how it ends.
 *
 *     conclave lint --fix decision.dialogue.md
 *              name  option  argument
 *
 * Most commands are operations (kit/room.h), and their rows are made from schemas. One that works on files takes
 * several of them, streams what it writes and needs no project: it is a row that a room writes itself. door/ has those
 * that serve others and those about the program.
 *
 * Data goes to standard output, words about it to standard error. Exit status: 0 fine, 1 findings or a refused request,
 * 2 it could not run, or its answer could not be written.
 */
#ifndef CV_KIT_CLI_H
#define CV_KIT_CLI_H

#include "base/err.h"
#include "base/json.h"
#include "base/plain.h"

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

/* Where a command is in the help. */
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
    const char *room; /* NULL or "": is at the top level */
    const struct cv_operation *op;
    const cv_json *input; /* the schema */
    const size_t
        *taken; /* properties that are taken without their flags, in this order; a list takes all that is left */
    size_t taken_count;
} cv_cli_command;

/* An option as it is on the command line. */
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
    char **before; /* options before the command, which takes them first */
    int before_count;
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

/* ---- options ---------------------------------------------------------------------------------------------------- */

/* The i-th option of a command, those of all commands included (--json, --help); how many there are. */
const cv_cli_option *cv_cli_option_at(const cv_cli_command *command, size_t i);
size_t cv_cli_option_count(const cv_cli_command *command);
size_t cv_cli_option_find(const cv_cli_command *command, cv_str name); /* SIZE_MAX: there is none */

/* The option's value, or NULL when it was not given. */
const char *cv_cli_get(const cv_cli *cli, const char *option);

/* ---- how it ends --------------------------------------------------------------------------------------------------
 */

/* One line on standard error, which a terminal shows as several when it is long. */
void cv_cli_say(cv_str text);

/* An error as such a line; a refused request says its code. */
void cv_cli_report(const cv_cli *cli, const cv_err *err);

/* Reports an error (with --json as JSON on stdout, else as one line on stderr) and returns its exit status. */
int cv_cli_fail(cv_cli *cli, const cv_err *err);
int cv_cli_fail_all(cv_cli *cli, const cv_err *errs, size_t count);

/* Buffers that flow to standard output: words of our own; JSON, without raw control characters; documents, byte for
 * byte into files and pipes and harmless on a terminal. Finish reports a full disk, and what was done before; a
 * reader who has left only if something was done. */
cv_buf cv_cli_stdout(void);
cv_buf cv_cli_stdout_json(cv_cli *cli);
cv_buf cv_cli_stdout_text(cv_cli *cli);
int cv_cli_finish(cv_cli *cli, cv_buf *out, int status);
int cv_cli_flush(cv_buf *out);                 /* gives the buffer up; 0, or the errno of what could not be written */
int cv_cli_unwritten(cv_cli *cli, int number); /* reports such an errno and returns the exit status */

#endif
