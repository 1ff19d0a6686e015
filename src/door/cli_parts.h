/* cli_parts.h - what the files of the command line share with each other; see cli.h.
 *
 *     argv -> cli_table   which command, with which options
 *          -> cli_args    options and arguments
 *          -> cli_input   options of an operation -> the JSON of its input
 *          -> cli_scope   what it is about, when that is shortened or left out
 *          -> cli_op      the call, in its project
 *          -> cli_edit    its answer edited by a person, and sent on
 *          -> cli_words   its errors and its help in the words of the command line
 *          -> cli_print   its reply for people
 *             cli_help    or what could have been called
 */
#ifndef CV_DOOR_CLI_PARTS_H
#define CV_DOOR_CLI_PARTS_H

#include "door/cli.h"

/* ---- cli_table.c ------------------------------------------------------------------------------------------------ */

/* All commands in the order of the help: those of the project, those of the rooms, those on files. Operations have no
 * options yet. */
typedef struct {
    cv_cli_command *items;
    size_t count, capacity;
} cv_cli_table;
cv_cli_table cv_cli_commands(cv_arena *a);

const cv_cli_command *cv_cli_find(const cv_cli_table *table, cv_str room, cv_str name); /* NULL: none */

/* Makes the options of an operation from its schema; others stay as they are. */
cv_cli_command cv_cli_complete(cv_arena *a, const cv_cli_command *command);

/* How a property of a schema is written on the command line. */
typedef enum {
    CV_FLAG_SWITCH, /* --strict, --no-strict */
    CV_FLAG_TEXT,
    CV_FLAG_NUMBER,
    CV_FLAG_TEXTS, /* as often as there are items */
    CV_FLAG_JSON,  /* as JSON, or @file */
} cv_flag_kind;
cv_flag_kind cv_flag_of(const cv_json *schema);

/* Can the command's i-th option be turned off: --no-strict? One that turns something off itself cannot. */
bool cv_flag_is_negatable(const cv_cli_command *command, size_t i);

bool cv_schema_requires(const cv_json *schema, cv_str name);
const char *cv_schema_choices(cv_arena *a, const cv_json *schema); /* of its enum, with blanks between; NULL: none */

/* "panel_size" is --panel-size. */
const char *cv_flag_name(cv_arena *a, cv_str property);

/* The option of a property of an operation: --data-value where every operation has an option of that name. */
const char *cv_cli_option_name(cv_arena *a, const cv_json *properties, cv_str property);

/* "conclave dialogue create", "conclave lint". */
const char *cv_cli_title(cv_arena *a, const cv_cli_command *command);

/* ---- cli_args.c ------------------------------------------------------------------------------------------------- */

/* The options that may be before the command, as those of a command without a name. */
extern const cv_cli_command cv_cli_any;

/* How many words from argv[at] on are such options and their values. */
int cv_cli_before(int argc, const char *const *argv, int at);

/* Fills values, given and arguments from argv[from] on; every option that is wrong is a fault. */
void cv_cli_take(cv_cli *cli, int argc, char **argv, int from, cv_errs *errs);

/* ---- cli_input.c ------------------------------------------------------------------------------------------------ */

typedef struct {
    cv_str text;      /* one JSON object */
    bool as_written;  /* places in the text are places that the user knows */
    const char *file; /* … in this file, or NULL */
} cv_cli_input;

/* The property that takes the argument at this place; SIZE_MAX: none does. */
size_t cv_cli_property_at(const cv_cli_command *command, size_t place);

/* Every value that cannot be read is a fault. */
bool cv_cli_read_input(cv_cli *cli, cv_cli_input *ret_input, cv_errs *errs);

/* Was the property given as an option or an argument, not in --data? */
bool cv_cli_is_given(const cv_cli *cli, cv_str property);

/* ---- cli_scope.c ------------------------------------------------------------------------------------------------ */

/* Completes the name of the scope that the input is about, where it is shortened or left out. */
bool cv_cli_find_scope(cv_cli *cli, const cv_call *call, cv_cli_input *input, cv_json *tree, cv_err *err);

/* ---- cli_op.c --------------------------------------------------------------------------------------------------- */

int cv_cli_run_operation(cv_cli *cli);

/* Adds what is wrong with values, where options beside them are wrong. */
void cv_cli_add_faults_of_values(cv_cli *cli, cv_errs *errs);
int cv_cli_print_answer(cv_cli *cli, cv_str reply, const cv_call *call);

/* ---- cli_edit.c ------------------------------------------------------------------------------------------------- */

/* What becomes of an operation's answer with --edit; NULL: it has no such option. */
const cv_room_edit *cv_cli_edit_of(const cv_operation *op);

/* The request in a file that --edit has left, whose first line is a comment: without comments, and without what nobody
 * filled in. Any other text stays as it is. */
bool cv_cli_edited(cv_arena *a, cv_str text, cv_str *ret_text, cv_err *err);

/* Lets a person edit the answer and sends it on; the call is ready to be made. The exit status. */
int cv_cli_edit(cv_cli *cli, cv_call *call);

/* ---- cli_print.c, cli_help.c ------------------------------------------------------------------------------------ */

/* The folder of the project that was asked for, by option (may be NULL) or variable; NULL: none. */
const char *cv_cli_wanted_root(const char *option);
/* The wanted folder is not right: if the variable names it, the error says so. Returns false. */
bool cv_cli_wrong_root(const char *option, cv_err *err);
/* Who acts, in the same way; NULL: nobody is named. */
const char *cv_cli_wanted_agent(const char *option);
#define CV_CLI_AS                                                                                                      \
    {                                                                                                                  \
        "as", "AGENT", "who acts: the id or alias of an agent (default: CONCLAVE_AGENT, else nobody)", NULL            \
    }
#define CV_CLI_ROOT                                                                                                    \
    {                                                                                                                  \
        "root", CV_VALUE_FOLDER,                                                                                       \
            "the project's folder; by default CONCLAVE_ROOT, else the nearest one upwards with .conclave", NULL        \
    }

/* A reply as lines, lists and tables of at most `width` columns; 0: no terminal, nothing is cut. */
void cv_cli_print_reply(cv_buf *out, cv_arena *a, const cv_json *reply, const cv_json *schema, bool colour,
                        size_t width);

/* For a terminal of so many columns; 0: there is none. */
void cv_help_all(cv_buf *out, size_t terminal, const cv_cli_table *table);
void cv_help_first(cv_buf *out, size_t terminal); /* of a call without arguments */
void cv_help_all_json(cv_buf *out, cv_arena *a, const cv_cli_table *table);
void cv_help_room(cv_buf *out, cv_arena *a, size_t terminal, const cv_cli_table *table, const cv_room *room);
void cv_help_command(cv_buf *out, cv_arena *a, size_t terminal, const cv_cli_command *command);
void cv_help_schema(cv_buf *out, const cv_operation *op); /* {"input": …, "output": …} */

/* Pieces of the help that man pages have, too: what an option does, with its choices; the object whose fields a
 * property's value has, one level deep (NULL: none), and the words before them; what a field is. */
cv_str cv_help_option(cv_arena *a, const cv_cli_option *option);
const cv_json *cv_help_fields(const cv_json *schema, const char **ret_title);
cv_str cv_help_field(cv_arena *a, const cv_json *object, const cv_json_member *field);

/* The topics that are no commands: our own and those of the rooms. NULL: there are no more. */
const cv_topic *cv_help_topic_at(size_t i);
bool cv_help_topic(cv_buf *out, cv_arena *a, size_t terminal, cv_str topic); /* false: there is no such topic */

/* ---- complete.c ------------------------------------------------------------------------------------------------- */

/* What can replace the last word, one line each: the word, a tab, what it means. Instead of words a line may say
 * ":files N PREFIX" or ":folders N PREFIX": after the first N bytes of the last word and the prefix comes the name of a
 * file. */
void cv_complete(cv_buf *out, cv_arena *a, const char *const *words, size_t count);

/* ---- cli_words.c ------------------------------------------------------------------------------------------------ */

/* Errors about fields become errors about options. */
void cv_cli_tell_options(const cv_cli *cli, const cv_json *properties, cv_errs *errs);

/* … and so do the warnings of a reply. */
void cv_cli_tell_warnings(const cv_cli *cli, const cv_json *properties, cv_json *reply);

/* … and what the schema or the help of an operation says. */
cv_str cv_cli_tell_help(cv_arena *a, const cv_cli_command *command, cv_str text);

#endif
