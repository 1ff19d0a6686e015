/* cli.h - the command line.
 *
 *     conclave COMMAND [OPTION…] [ARGUMENT…]          lint, parse, init …
 *     conclave ROOM VERB [OPTION…] [ARGUMENT…]        dialogue create …
 *
 * A command is a row of one table (cli_table.c): name, summary, usage, options, examples, function (kit/cli.h). Those
 * that serve others and those about the program are written here (cmd_*.c); those on files are the rooms'; all others
 * are made from the operations of ops/, and their options from the schemas. Help, suggestions for typos and the parsing
 * of options all come from the rows.
 */
#ifndef CV_DOOR_CLI_H
#define CV_DOOR_CLI_H

#include "kit/cli.h"
#include "ops/op.h"

int cv_cli_main(int argc, char **argv);

extern const cv_cli_command cv_cmd_mcp, cv_cmd_serve, cv_cmd_open, cv_cmd_watch, cv_cmd_install, cv_cmd_completion,
    cv_cmd_man;

#endif
