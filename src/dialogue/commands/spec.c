/* spec.c - conclave spec: the format as markdown. */
#include "dialogue/text/spec.h"
#include "dialogue/room.h"

static int run_spec(cv_cli *cli)
{
    if (cli->argument_count > 0) {
        cv_err err = {.arena = cli->arena};
        cv_err_set(&err, CV_ERR_USAGE, "spec takes no arguments, found '%s'", cli->arguments[0]);
        return cv_cli_fail(cli, &err);
    }
    cv_buf out = cv_cli_stdout();
    cv_buf text = {0};
    bool markers = cv_cli_get(cli, "markers") != NULL;
    cv_buf *to = cv_cli_get(cli, "json") ? &text : &out;
    if (cv_cli_get(cli, "skill"))
        cv_skill_print_expert(to);
    else if (markers)
        cv_spec_print_marks(to);
    else
        cv_spec_print(to);
    if (to == &text) {
        cv_json_writer w = {.out = &out, .indent = 2};
        cv_json_begin_object(&w);
        cv_json_key_str(&w, "specification", cv_buf_str(&text));
        cv_json_end_object(&w);
        cv_buf_add_char(&out, '\n');
    }
    cv_buf_release(&text);
    return cv_cli_finish(cli, &out, 0);
}

static const cv_cli_option options[] = {
    {"markers", NULL, "only the markers: what an expert needs for a response", NULL},
    {"skill", NULL, "the markers and the rules of a response, as a skill for agents (SKILL.md)", NULL},
};

const cv_cli_command cv_cmd_spec = {
    .name = "spec",
    .summary = "print the dialogue format as instructions for agents",
    .arguments = "",
    .details = "The text is generated from the tables that parse, render and lint use, so it cannot drift from them.\n",
    .examples = "  conclave spec > dialogue-format.md\n"
                "  conclave spec --markers\n"
                "  conclave spec --skill\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run_spec,
};
