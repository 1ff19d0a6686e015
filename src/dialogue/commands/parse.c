/* parse.c - conclave parse and conclave render: a dialogue as JSON and back. */
#include <stdio.h>

#include "base/file.h"
#include "base/limits.h"
#include "dialogue/lint/lint.h"
#include "dialogue/room.h"

/* ---- parse ------------------------------------------------------------------------------------------------------ */

static void print_findings(const cv_findings *findings, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("diagnostics"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < findings->count; i++) {
        const cv_finding *f = &findings->items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "rule", cv_rules[f->rule].word);
        cv_json_key_str(w, "severity", cv_severity_words[cv_rules[f->rule].severity]);
        cv_json_key_int(w, "line", (int64_t)f->line);
        cv_json_key_int(w, "column", (int64_t)f->column);
        cv_json_key_str(w, "message", f->message);
        cv_json_key_str_if(w, "hint", f->hint);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
    if (findings->dropped)
        cv_json_key_int(w, "dropped_diagnostics", (int64_t)findings->dropped);
}

static void print_document(cv_arena *a, cv_str text, const char *file, bool markers, cv_json_writer *w)
{
    cv_doc doc;
    cv_findings findings = {0};
    cv_lint_parse(a, text, &doc, &findings);
    cv_json_begin_object(w);
    cv_json_key_str(w, "file", cv_str_of(file));
    if (markers) {
        cv_marks marks = cv_doc_marks(a, &doc);
        cv_json_key(w, CV_STR("marks"));
        cv_json_begin_array(w);
        for (size_t i = 0; i < marks.count; i++)
            cv_mark_print_json(&marks.items[i], true, w);
        cv_json_end_array(w);
    } else {
        cv_doc_print_json(&doc, true, w);
    }
    print_findings(&findings, w);
    cv_json_end_object(w);
}

static int run_parse(cv_cli *cli)
{
    cv_err err = {.arena = cli->arena};
    if (cli->argument_count == 0) {
        cv_err_set(&err, CV_ERR_USAGE, "parse needs a file");
        cv_err_suggest(&err, CV_STR("name one, or '-' for standard input"));
        return cv_cli_fail(cli, &err);
    }
    int status = 0;
    cv_buf out = cv_cli_stdout_json(cli);
    cv_arena a = {0};
    err.arena = &a;
    for (size_t i = 0; i < cli->argument_count; i++) {
        cv_str text;
        if (cv_file_read_text(&a, cli->arguments[i], &text, &err)) {
            cv_json_writer w = {.out = &out, .indent = cv_cli_get(cli, "compact") ? 0 : 2};
            print_document(&a, text, cli->arguments[i], cv_cli_get(cli, "markers") != NULL, &w);
            cv_buf_add_char(&out, '\n');
        } else {
            cv_buf_flush(&out);
            status = cv_cli_fail(cli, &err);
        }
        cv_arena_reset(&a);
    }
    cv_arena_release(&a);
    return cv_cli_finish(cli, &out, status);
}

static const cv_cli_option parse_options[] = {
    {"markers", NULL, "only the marks, in the order of the text", NULL},
    {"compact", NULL, "each document on one line", NULL},
};

const cv_cli_command cv_cmd_parse = {
    .name = "parse",
    .summary = "turn dialogue files into JSON",
    .arguments = "FILE...",
    .details = "Prints one JSON document per file: title, metadata, sections with their blocks, agents and marks,\n"
               "and diagnostics with lines. Any text parses; its faults are in the diagnostics, and the\n"
               "exit status is 0. A file that cannot be read gives 2. The keys are described in docs/parse.md.\n",
    .examples = "  conclave parse decision.dialogue.md\n"
                "  conclave parse --markers round-1/muffin.md\n"
                "  conclave parse - < decision.dialogue.md\n",
    .options = parse_options,
    .option_count = sizeof parse_options / sizeof *parse_options,
    .run = run_parse,
};

/* ---- render ------------------------------------------------------------------------------------------------------ */

static int run_render(cv_cli *cli)
{
    cv_err err = {.arena = cli->arena};
    cv_str text;
    cv_json json;
    cv_doc doc;
    cv_errs errs = {0};
    const char *file = cli->argument_count ? cli->arguments[0] : "-";
    if (cli->argument_count > 1) {
        cv_err_set(&err, CV_ERR_USAGE, "render takes one document at a time");
        return cv_cli_fail(cli, &err);
    }
    if (!cv_file_read(cli->arena, file, CV_MAX_JSON_BYTES, &text, &err))
        return cv_cli_fail(cli, &err);
    if (!cv_json_parse(cli->arena, text, &json, &err)) {
        cv_err_file(&err, cv_str_of(file));
        return cv_cli_fail(cli, &err);
    }
    if (!cv_doc_read_json(cli->arena, text, &json, &doc, &errs)) {
        for (size_t i = 0; i < errs.count; i++)
            cv_err_file(&errs.items[i], cv_str_of(file));
        return cv_cli_fail_all(cli, errs.items, errs.count);
    }
    cv_buf out = cv_cli_stdout_text(cli);
    cv_doc_render(cli->arena, &doc, &out);
    return cv_cli_finish(cli, &out, 0);
}

const cv_cli_command cv_cmd_render = {
    .name = "render",
    .summary = "turn the JSON of parse into canonical markdown",
    .arguments = "[FILE]",
    .details = "Reads one document from the file or from standard input and writes markdown. Every fault in the JSON\n"
               "is reported with its path, line and column, and then nothing is written.\n",
    .examples = "  conclave parse decision.dialogue.md | conclave render\n",
    .run = run_render,
};
