/* lint.c - conclave lint: what is wrong in dialogues and responses, and what can be fixed.
 *
 * Every path is walked; every file is read, perhaps fixed, linted and printed before the next one, in an arena of its
 * own. What cannot be read is reported, the rest goes on, and the exit status is 2.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/err_json.h"
#include "base/file.h"
#include "base/plain.h"
#include "base/terminal.h"
#include "dialogue/lint/lint.h"
#include "dialogue/room.h"
#include "kit/diff.h"
#include "kit/sarif.h"

#ifndef CV_VERSION
#define CV_VERSION "development"
#endif

typedef enum { TEXT, JSON, SARIF } format;

/* One call of the command. */
typedef struct {
    cv_cli *cli;
    format format;
    cv_lint_kind as;
    bool compat, fix, dry_run, quiet;
    bool named; /* the file at hand was named; else it was found in a folder */
    cv_buf report;
    size_t terminal;    /* its columns, when one shows the report; else 0 */
    cv_plain_flow flow; /* of the report when it goes to standard error */
    cv_json_writer json;
    cv_errs errs;
    size_t files, skipped, counts[CV_SEVERITY_COUNT], dropped, fixable, fixed, failed;
} run;

/* ---- one file --------------------------------------------------------------------------------------------------- */

static void print_file_json(run *r, const char *file, cv_str text, const cv_lint *lint, size_t fixed)
{
    cv_json_writer *w = &r->json;
    cv_json_begin_object(w);
    cv_json_key_str(w, "file", cv_str_of(file));
    cv_json_key_str(w, "kind", cv_lint_kinds.items[lint->kind]);
    cv_json_key_str(w, "profile", CV_STR("default"));
    if (r->fix)
        cv_json_key_int(w, "fixed", (int64_t)fixed);
    cv_json_key(w, CV_STR("findings"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < lint->findings.count; i++)
        cv_finding_print_json(cv_rules, text, &lint->findings.items[i], w);
    cv_json_end_array(w);
    if (lint->findings.dropped)
        cv_json_key_int(w, "dropped_findings", (int64_t)lint->findings.dropped);
    cv_json_end_object(w);
}

static void print_file(run *r, cv_arena *a, const char *file, cv_str text, const cv_lint *lint, size_t fixed)
{
    const cv_findings *found = &lint->findings;
    const char *name = strcmp(file, "-") == 0 ? "<stdin>" : file;
    if (r->format == JSON)
        print_file_json(r, file, text, lint, fixed);
    else if (r->format == SARIF)
        cv_sarif_file(&r->json, a, cv_rules, file, text, found);
    for (size_t i = 0; r->format == TEXT && !r->quiet && i < found->count; i++)
        cv_finding_print(cv_rules, &r->report, r->cli->colour, r->terminal, name, text, &found->items[i]);
    if (r->format == TEXT && !r->quiet && found->dropped)
        cv_buf_printf(&r->report, "%s: not shown: %zu more finding%s\n", name, found->dropped,
                      CV_PLURAL(found->dropped));
}

static void count_file(run *r, const cv_lint *lint)
{
    r->files++;
    for (size_t i = 0; i < lint->findings.count; i++) {
        r->counts[cv_rules[lint->findings.items[i].rule].severity]++;
        r->fixable += cv_finding_fixable(&lint->findings.items[i]);
    }
    r->dropped += lint->findings.dropped;
}

/* The fixed text goes to the file, to standard output for "-", or is only shown as a diff. */
static bool put_fixed(run *r, cv_arena *a, const char *file, cv_str before, cv_str after, bool changed, cv_err *err)
{
    bool is_stdin = strcmp(file, "-") == 0;
    if (r->dry_run) {
        if (changed && r->format == TEXT && !r->quiet)
            cv_diff_print(&r->report, a, r->cli->colour, is_stdin ? "<stdin>" : file, before, after);
        return true;
    }
    if (is_stdin) {
        cv_buf out = cv_cli_stdout_text(r->cli);
        cv_buf_add(&out, after);
        int number = cv_cli_flush(&out);
        return number == 0 || cv_system_fail(err, NULL, "write to standard output", number);
    }
    return !changed || cv_file_write(file, after, err);
}

static bool lint_default(run *r, cv_arena *a, const char *file, cv_str text, cv_err *err)
{
    cv_str name = cv_str_of(file), fixed_text = text;
    size_t fixed = r->fix ? cv_lint_fix(a, text, name, r->as, &fixed_text) : 0;
    cv_lint lint;
    cv_lint_text(a, fixed_text, name, r->as, &lint);
    if (lint.kind == CV_LINT_NEITHER && !r->named) {
        r->skipped++;
        return true;
    }
    if (r->fix && !put_fixed(r, a, file, text, fixed_text, fixed > 0, err))
        return false;
    r->fixed += fixed;
    count_file(r, &lint);
    print_file(r, a, file, fixed_text, &lint, fixed);
    return true;
}

static void print_compat(run *r, const char *file, const cv_compat *c)
{
    cv_buf *out = &r->report;
    if (r->format == JSON) {
        cv_json_begin_object(&r->json);
        cv_json_key_str(&r->json, "file", cv_str_of(file));
        cv_json_key_str(&r->json, "profile", CV_STR("compat"));
        cv_compat_print_json(c, &r->json);
        cv_json_end_object(&r->json);
        return;
    }
    if (r->quiet)
        return;
    cv_plain_add(out, cv_str_of(strcmp(file, "-") == 0 ? "<stdin>" : file));
    cv_buf_printf(out, ": %.*s\n", CV_FMT(c->message));
    for (size_t i = 0; i < CV_COMPAT_CHECKS; i++) {
        const cv_compat_check_result *check = &c->checks[i];
        if (check->pass)
            continue;
        cv_str severity = cv_compat_severity(check->weight);
        cv_buf_printf(out, "  %.*s: %.*s: ", CV_FMT(severity), CV_FMT(check->name));
        cv_finding_print_text(out, check->message, r->terminal, severity.n + check->name.n + 6);
        cv_buf_add_z(out, "    hint: ");
        cv_finding_print_text(out, check->hint, r->terminal, 10);
    }
}

static bool lint_compat(run *r, cv_arena *a, const char *file, cv_str text)
{
    cv_lint lint;
    cv_compat compat;
    if (!r->named) {
        cv_lint_text(a, text, cv_str_of(file), r->as, &lint);
        if (lint.kind != CV_LINT_DIALOGUE) {
            r->skipped++;
            return true;
        }
    }
    cv_compat_check(a, text, &compat);
    r->files++;
    r->failed += !cv_compat_passes(&compat);
    print_compat(r, file, &compat);
    return true;
}

/* Keeps an error for the end; its texts move to the arena of the whole command. */
static void keep_error(run *r, const cv_err *err)
{
    const cv_err *kept = cv_errs_keep(&r->errs, r->cli->arena, err);
    cv_buf_flush(&r->report);
    fflush(stdout);
    if (r->format == JSON) /* they are in its 'errors' */
        return;
    cv_cli_report(r->cli, kept);
}

static bool visit(void *ctx, const char *file, cv_err *walk_err)
{
    run *r = ctx;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str text;
    (void)walk_err;
    bool ok = cv_file_read_text(&a, file, &text, &err) &&
              (r->compat ? lint_compat(r, &a, file, text) : lint_default(r, &a, file, text, &err));
    if (!ok)
        keep_error(r, &err);
    cv_arena_release(&a);
    return true;
}

/* ---- all files -------------------------------------------------------------------------------------------------- */

/* "2 errors", "1 error". */
static void print_count(cv_buf *out, size_t count, const char *noun)
{
    cv_buf_printf(out, "%zu %s%s", count, noun, CV_PLURAL(count));
}

static void print_summary(run *r)
{
    cv_buf *out = &r->report;
    print_count(out, r->files, "file");
    if (r->compat) {
        cv_buf_printf(out, ": %zu passed, %zu failed", r->files - r->failed, r->failed);
    } else {
        static const char *const nouns[3] = {"note", "warning", "error"};
        for (size_t i = 3; i-- > 0;) {
            cv_buf_add_z(out, i == 2 ? ": " : ", ");
            print_count(out, r->counts[i], nouns[i]);
        }
        if (r->dropped)
            cv_buf_printf(out, ", %zu more", r->dropped);
        if (r->fix)
            cv_buf_printf(out, " (%zu %s)", r->fixed, r->dry_run ? "would be fixed" : "fixed");
        else if (r->fixable)
            cv_buf_printf(out, " (%zu fixable with --fix)", r->fixable);
    }
    if (r->skipped)
        cv_buf_printf(out, "; %zu skipped", r->skipped);
    if (r->errs.count)
        cv_buf_printf(out, "; %zu could not be processed", r->errs.count);
    cv_buf_add_char(out, '\n');
}

static void begin(run *r)
{
    if (r->format == SARIF) {
        cv_sarif_begin(&r->json, CV_VERSION, cv_rules, CV_RULE_COUNT, "docs/rules/", "conclave lint");
    } else if (r->format == JSON) {
        cv_json_begin_object(&r->json);
        cv_json_key(&r->json, CV_STR("files"));
        cv_json_begin_array(&r->json);
    }
}

static void end_json(run *r)
{
    cv_json_writer *w = &r->json;
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("summary"));
    cv_json_begin_object(w);
    cv_json_key_int(w, "files", (int64_t)r->files);
    if (r->compat) {
        cv_json_key_int(w, "passed", (int64_t)(r->files - r->failed));
        cv_json_key_int(w, "failed", (int64_t)r->failed);
    } else {
        cv_json_key_int(w, "errors", (int64_t)r->counts[CV_ERROR]);
        cv_json_key_int(w, "warnings", (int64_t)r->counts[CV_WARNING]);
        cv_json_key_int(w, "notes", (int64_t)r->counts[CV_NOTE]);
        cv_json_key_int(w, "dropped", (int64_t)r->dropped);
        cv_json_key_int(w, "fixable", (int64_t)r->fixable);
    }
    cv_json_key_int(w, "skipped", (int64_t)r->skipped);
    cv_json_end_object(w);
    cv_json_key(w, CV_STR("errors"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < r->errs.count; i++)
        cv_err_print_json(&r->errs.items[i], w);
    cv_json_end_array(w);
    cv_json_end_object(w);
}

static void end(run *r)
{
    if (r->format == SARIF)
        cv_sarif_end(&r->json, r->errs.items, r->errs.count);
    else if (r->format == JSON)
        end_json(r);
    else
        print_summary(r);
    if (r->format != TEXT)
        cv_buf_add_char(&r->report, '\n');
}

static int status_of(const run *r)
{
    if (r->errs.count)
        return 2;
    return r->counts[CV_ERROR] || r->counts[CV_WARNING] || r->dropped || r->failed;
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static void print_rule_json(const cv_rule_row *rule, cv_json_writer *w)
{
    cv_buf page = {0};
    cv_buf_printf(&page, "docs/rules/%.*s.md", CV_FMT(rule->word));
    cv_json_begin_object(w);
    cv_json_key_str(w, "rule", rule->word);
    cv_json_key_str(w, "severity", cv_severity_words[rule->severity]);
    cv_json_key_bool(w, "fixable", rule->fixable);
    cv_json_key_str(w, "summary", rule->summary);
    cv_json_key_str(w, "page", cv_buf_str(&page));
    cv_json_end_object(w);
    cv_buf_release(&page);
}

/* A line, which a terminal gets as several when it is long. */
static void print_rule(const cv_rule_row *rule, size_t width, cv_buf *out)
{
    enum { BEFORE = 34 }; /* columns before the summary */
    cv_buf_printf(out, "%-20.*s %-8.*s %s ", CV_FMT(rule->word), CV_FMT(cv_severity_words[rule->severity]),
                  rule->fixable ? "fix" : "   ");
    cv_plain_wrap(out, rule->summary, width ? width : SIZE_MAX, BEFORE, BEFORE);
    cv_buf_add_char(out, '\n');
}

static int print_rules(run *r)
{
    size_t width = cv_terminal_width(STDOUT_FILENO);
    if (r->format == JSON)
        cv_json_begin_array(&r->json);
    for (size_t i = 0; i < CV_RULE_COUNT; i++) {
        const cv_rule_row *rule = &cv_rules[i];
        if (r->format == JSON)
            print_rule_json(rule, &r->json);
        else
            print_rule(rule, width, &r->report);
    }
    if (r->format == JSON) {
        cv_json_end_array(&r->json);
        cv_buf_add_char(&r->report, '\n');
    }
    return cv_cli_finish(r->cli, &r->report, 0);
}

static int explain(run *r, cv_str word)
{
    cv_str words[CV_RULE_COUNT];
    for (size_t i = 0; i < CV_RULE_COUNT; i++)
        words[i] = cv_rules[i].word;
    int found = cv_words_find((cv_words){words, CV_RULE_COUNT}, word);
    if (found < 0) {
        cv_err err = {.arena = r->cli->arena};
        cv_str near = cv_str_nearest(word, words, CV_RULE_COUNT);
        cv_err_set(&err, CV_ERR_USAGE, "there is no rule '%.*s'", CV_FMT(word));
        cv_err_suggest(&err, near.n ? cv_arena_printf(err.arena, "did you mean '%.*s'?", CV_FMT(near))
                                    : CV_STR("'conclave lint --rules' lists them"));
        return cv_cli_fail(r->cli, &err);
    }
    const cv_rule_row *rule = &cv_rules[found];
    if (r->format == JSON) {
        print_rule_json(rule, &r->json);
        cv_buf_add_char(&r->report, '\n');
    } else {
        cv_buf_printf(&r->report, "%.*s: %.*s\n\nSeverity: %.*s\nFixable:  %s\nPage:     docs/rules/%.*s.md\n",
                      CV_FMT(rule->word), CV_FMT(rule->summary), CV_FMT(cv_severity_words[rule->severity]),
                      rule->fixable ? "with --fix" : "by hand", CV_FMT(rule->word));
    }
    return cv_cli_finish(r->cli, &r->report, 0);
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static bool is_given(const cv_cli *cli, const char *option, const char *value)
{
    const char *given = cv_cli_get(cli, option);
    return given && (!value || strcmp(given, value) == 0);
}

static bool has_stdin(const cv_cli *cli)
{
    for (size_t i = 0; i < cli->argument_count; i++)
        if (strcmp(cli->arguments[i], "-") == 0)
            return true;
    return false;
}

static bool check_options(const run *r, cv_err *err)
{
    if (r->dry_run && !r->fix)
        return cv_err_set(err, CV_ERR_USAGE, "--dry-run goes with --fix");
    if (r->compat && r->fix)
        return cv_err_set(err, CV_ERR_USAGE, "profile compat has no fixes; use the default profile with --fix");
    if (r->compat && r->format == SARIF)
        return cv_err_set(err, CV_ERR_USAGE, "profile compat has no places; use --format text or json");
    if (r->fix && !r->dry_run && r->format != TEXT && has_stdin(r->cli))
        return cv_err_set(err, CV_ERR_USAGE, "--fix prints the text of '-' on standard output; use --format text");
    if (r->cli->argument_count > 0)
        return true;
    cv_err_set(err, CV_ERR_USAGE, "lint needs a file or folder");
    cv_err_suggest(err, CV_STR("name one, or '-' for standard input"));
    return false;
}

static void lint_all(run *r)
{
    cv_cli *cli = r->cli;
    for (size_t i = 0; i < cli->argument_count; i++) {
        cv_err err = {.arena = cli->arena};
        r->named = !cv_file_is_folder(cli->arguments[i]);
        if (!cv_file_walk(cli->arena, cli->arguments[i], CV_STR(".md"), visit, r, &err))
            keep_error(r, &err);
    }
}

static int run_lint(cv_cli *cli)
{
    run r = {.cli = cli};
    cv_err err = {.arena = cli->arena};
    const char *as = cv_cli_get(cli, "as"), *rule = cv_cli_get(cli, "explain");
    r.format = is_given(cli, "format", "sarif")                                 ? SARIF
               : is_given(cli, "json", NULL) || is_given(cli, "format", "json") ? JSON
                                                                                : TEXT;
    r.report = r.format == TEXT ? cv_cli_stdout() : cv_cli_stdout_json(cli);
    r.as = as ? (cv_lint_kind)cv_words_find(cv_lint_kinds, cv_str_of(as)) : CV_LINT_AUTO;
    r.terminal = isatty(STDOUT_FILENO) ? cv_terminal_width(STDOUT_FILENO) : 0;
    r.compat = is_given(cli, "profile", "compat");
    r.fix = is_given(cli, "fix", NULL);
    r.dry_run = is_given(cli, "dry-run", NULL);
    r.quiet = is_given(cli, "quiet", NULL);
    r.json = (cv_json_writer){.out = &r.report, .indent = 2};
    if (is_given(cli, "rules", NULL))
        return print_rules(&r);
    if (rule)
        return explain(&r, cv_str_of(rule));
    if (!check_options(&r, &err))
        return cv_cli_fail(cli, &err);
    if (r.fix && !r.dry_run && has_stdin(cli)) { /* standard output is for the fixed text */
        r.flow = (cv_plain_flow){.json = r.format != TEXT, .sink = cv_buf_to_stream, .to = stderr};
        r.report = (cv_buf){.sink = cv_plain_sink, .sink_to = &r.flow};
        r.terminal = isatty(STDERR_FILENO) ? cv_terminal_width(STDERR_FILENO) : 0;
        cli->colour = false;
    }
    begin(&r);
    lint_all(&r);
    end(&r);
    return cv_cli_finish(cli, &r.report, status_of(&r));
}

static const cv_cli_option lint_options[] = {
    {"profile", "NAME", "which rules", "default compat"},
    {"as", "KIND", "what the files are", "auto dialogue response"},
    {"format", "NAME", "how findings are printed", "text json sarif"},
    {"fix", NULL, "fix what can be fixed, then report the rest", NULL},
    {"dry-run", NULL, "with --fix: show what would change, write nothing", NULL},
    {"quiet", NULL, "print only the summary", NULL},
    {"rules", NULL, "list all rules", NULL},
    {"explain", "RULE", "say what a rule is about", NULL},
};

const cv_cli_command cv_cmd_lint = {
    .name = "lint",
    .summary = "say what is wrong in dialogues and responses, and fix what can be fixed",
    .arguments = "PATH...",
    .details =
        "Reports every finding with its place, its rule and what to do. Folders are searched for *.md; what is\n"
        "neither dialogue nor response there is skipped. '-' is standard input. Profile compat runs the\n"
        "twelve older checks and prints their score. Exit status: 0 nothing but notes, 1 errors or warnings (in\n"
        "compat: a score below 0.9 or a critical failure), 2 something could not be read. See docs/lint.md.\n",
    .examples = "  conclave lint decision.dialogue.md\n"
                "  conclave lint --fix --dry-run docs/dialogues\n"
                "  conclave lint --format sarif docs > findings.sarif\n"
                "  conclave lint --explain tracker-status\n",
    .options = lint_options,
    .option_count = sizeof lint_options / sizeof *lint_options,
    .run = run_lint,
};
