/* lint_op.c - `notes lint`: files are found (found.h), each is read, perhaps fixed, judged and told.
 *
 *     answer    findings with path, line, column; or SARIF; for people each with its line, as compilers do
 *     baseline  what is known already is not told
 *     fix       the file is replaced if it still is what was read
 *
 * The exit status is 1 when there are errors or warnings, or files that cannot be read.
 */
#include "base/file.h"
#include "kit/destination.h"
#include "kit/diff.h"
#include "kit/fault.h"
#include "kit/sarif.h"
#include "notes/found.h"
#include "notes/lint.h"
#include "notes/lint_baseline.h"
#include "notes/operations.h"

enum { MOST_TOLD = 10000 }; /* findings of an answer; more are counted */

static const cv_words severities = {cv_severity_words, CV_SEVERITY_COUNT};

typedef struct {
    cv_str path, rule, severity, message, hint;
    size_t line, column, end_column;
    bool fixable;
} told;

typedef struct {
    cv_str path, message;
} unread;

typedef struct {
    cv_call *call;
    cv_notes_profile profile;
    bool fix, dry_run, sarif;
    const void *as_findings, *as_sarif; /* which of both the answer is */
    cv_where baseline;
    bool has_baseline, writes_baseline;
    cv_notes_baseline known;
    cv_json_writer json; /* SARIF */
    cv_buf report;       /* for people */
    cv_str text, profile_word;
    size_t files, counts[CV_SEVERITY_COUNT], fixable, fixed, known_count, left_out;
    struct {
        told *items;
        size_t count, capacity;
    } findings;
    struct {
        unread *items;
        size_t count, capacity;
    } unreadable;
    cv_errs errs;
} linting;

/* ---- the answer -------------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE told
static const cv_shape told_shape[] = {
    CV_FIELD(ALWAYS, path, ""),
    CV_NUMBER(ALWAYS, "line", line, 1, CV_NO_LIMIT, ""),
    CV_NUMBER(ALWAYS, "column", column, 1, CV_NO_LIMIT, "in characters"),
    CV_NUMBER(ALWAYS, "end_column", end_column, 1, CV_NO_LIMIT, ""),
    CV_WORD(ALWAYS, "severity", severity, &severities, ""),
    CV_FIELD(ALWAYS, rule, ""),
    CV_FIELD(ALWAYS, fixable, "with --fix"),
    CV_FIELD(ALWAYS, message, ""),
    CV_FIELD(IF_ANY, hint, "what to do"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE unread
static const cv_shape unread_shape[] = {CV_FIELD(ALWAYS, path, ""), CV_FIELD(ALWAYS, message, ""), {0}};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE linting
static const cv_shape findings_shape[] = {
    CV_WORD(ALWAYS, "profile", profile_word, &cv_notes_profiles, ""),
    CV_FIELD(ALWAYS, files, "that were checked"),
    CV_FIELD_AS(ALWAYS, "errors", counts[CV_ERROR], ""),
    CV_FIELD_AS(ALWAYS, "warnings", counts[CV_WARNING], ""),
    CV_FIELD_AS(ALWAYS, "notes", counts[CV_NOTE], ""),
    CV_FIELD(ALWAYS, fixable, "of them, with --fix"),
    CV_FIELD(IF_ANY, fixed, "places that were fixed; with dry_run: that would be"),
    CV_FIELD_AS(IF_ANY, "known", known_count, "findings that the baseline has"),
    CV_LIST("findings", findings.items, findings.count, told_shape, "in the order of paths and places"),
    CV_FIELD_AS(IF_ANY, "findings_left_out", left_out, "beyond the first 10,000"),
    CV_LIST_WHEN(CV_IF_ANY, "unreadable", unreadable.items, unreadable.count, unread_shape, ""),
    CV_DOCUMENT(text, "the findings for people"),
    {0},
};
static const cv_shape sarif_shape[] = {
    CV_LATER(ALWAYS, "$schema", TEXT, CV_NO_LIMIT, "format sarif: the document, SARIF 2.1.0"),
    CV_LATER(ALWAYS, "version", TEXT, CV_NO_LIMIT, ""),
    CV_LATER(ALWAYS, "runs", ANY, CV_NO_LIMIT, ""),
    {0},
};
const cv_shape cv_notes_lint_shape[] = {CV_CASE(as_findings, findings_shape), CV_CASE(as_sarif, sarif_shape), {0}};
#undef CV_THIS_TYPE

/* ---- one file ---------------------------------------------------------------------------------------------------- */

static void keep_trouble(linting *l, cv_str path, cv_str message)
{
    cv_arena *a = l->call->arena;
    cv_err err = {.arena = a};
    *CV_PUSH(a, &l->unreadable) = (unread){path, cv_arena_copy(a, message)};
    cv_err_set(&err, CV_ERR_IO, "%.*s", CV_FMT(message));
    cv_err_file(&err, path);
    cv_errs_keep(&l->errs, a, &err);
    if (l->call->for_people)
        cv_buf_printf(&l->report, "%.*s: %.*s\n", CV_FMT(path), CV_FMT(message));
}

static void keep_findings(linting *l, const cv_notes_file_found *f, cv_str text, const cv_findings *found)
{
    cv_arena *a = l->call->arena;
    for (size_t i = 0; i < found->count; i++) {
        const cv_finding *one = &found->items[i];
        const cv_rule_row *rule = &cv_notes_rules[one->rule];
        l->counts[rule->severity]++;
        l->fixable += one->has_fix;
        if (l->findings.count == MOST_TOLD) {
            l->left_out++;
            continue;
        }
        if (l->call->for_people)
            cv_finding_print(cv_notes_rules, &l->report, false, 0, f->path.p, text, one);
        if (!l->sarif)
            *CV_PUSH(a, &l->findings) = (told){.path = f->path,
                                               .rule = rule->word,
                                               .severity = cv_severity_words[rule->severity],
                                               .message = cv_arena_copy(a, one->message),
                                               .hint = cv_arena_copy(a, one->hint),
                                               .line = one->line,
                                               .column = one->column,
                                               .end_column = one->column + cv_finding_width(text, one),
                                               .fixable = one->has_fix};
    }
    if (l->sarif)
        cv_sarif_file(&l->json, a, cv_notes_rules, f->path.p, text, found);
}

static bool is_unchanged(void *ctx, cv_str bytes, bool unmarked)
{
    (void)unmarked;
    return cv_str_eq(bytes, *(const cv_str *)ctx);
}

static bool put_fixed(linting *l, cv_arena *a, const cv_notes_file_found *f, cv_str *text, cv_err *err)
{
    cv_str fixed;
    size_t count = cv_notes_lint_fix(a, *text, cv_notes_language_of(f->path), l->profile, &fixed);
    cv_file_rules rules = {.arena = a, .is_ours = is_unchanged, .ctx = text, .gives_way = true};
    if (!count)
        return true;
    if (l->dry_run) {
        if (l->call->for_people)
            cv_diff_print(&l->report, a, false, f->path.p, *text, fixed);
    } else if (!cv_file_write_at(f->where, fixed, &rules, err)) {
        return false;
    }
    l->fixed += count;
    *text = fixed;
    return true;
}

static void lint_one(linting *l, const cv_notes_file_found *f)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str text;
    cv_notes_file file;
    cv_findings found;
    if (f->trouble.p) {
        keep_trouble(l, f->path, f->trouble);
        return;
    }
    if (!cv_notes_load(&a, f->where, &text, &err) || (l->fix && !put_fixed(l, &a, f, &text, &err))) {
        keep_trouble(l, f->path, err.message);
    } else {
        l->files++;
        cv_notes_read(&a, text, cv_notes_language_of(f->path), 0, &file);
        cv_notes_lint(&a, &file, l->profile, &found);
        if (l->writes_baseline)
            cv_notes_baseline_add(&a, &l->known, cv_notes_rules, f->path, text, &found);
        else if (l->has_baseline)
            l->known_count += cv_notes_baseline_filter(&a, &l->known, cv_notes_rules, f->path, text, &found);
        keep_findings(l, f, text, &found);
    }
    cv_arena_release(&a);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static bool read_request(linting *l, cv_err *err)
{
    cv_call *call = l->call;
    cv_str profile = cv_json_get_text(call->input, "profile"), baseline = cv_json_get_text(call->input, "baseline");
    l->profile = profile.p ? (cv_notes_profile)cv_words_find(cv_notes_profiles, profile) : CV_NOTES_PROFILE_SPEC;
    l->profile_word = cv_notes_profiles.items[l->profile];
    l->fix = cv_json_get_true(call->input, "fix");
    l->dry_run = cv_json_get_true(call->input, "dry_run");
    l->sarif = cv_str_eq(cv_json_get_text(call->input, "format"), CV_STR("sarif"));
    l->writes_baseline = cv_json_get_true(call->input, "write_baseline");
    l->has_baseline = baseline.p != NULL;
    if (l->writes_baseline && !l->has_baseline) {
        cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "baseline", CV_STR(""),
                  "write_baseline needs the file: baseline");
        return false;
    }
    if (l->has_baseline &&
        (!cv_destination_where(call, baseline, &l->baseline, err) ||
         (!l->writes_baseline && !cv_notes_baseline_read(call->arena, l->baseline, &l->known, err)))) {
        cv_err_field(err, CV_STR("baseline"));
        if (err->code == CV_ERR_NOT_FOUND)
            cv_err_suggest(err, CV_STR("'write_baseline': true makes it"));
        return false;
    }
    return true;
}

static void print_count(cv_buf *out, const char *before, size_t count, const char *noun)
{
    cv_buf_printf(out, "%s%zu %s%s", before, count, noun, CV_PLURAL(count));
}

static void print_summary(linting *l)
{
    cv_buf *out = &l->report;
    print_count(out, "", l->files, "file");
    print_count(out, ": ", l->counts[CV_ERROR], "error");
    print_count(out, ", ", l->counts[CV_WARNING], "warning");
    print_count(out, ", ", l->counts[CV_NOTE], "note");
    if (l->fix)
        cv_buf_printf(out, " (%zu %s)", l->fixed, l->dry_run ? "would be fixed" : "fixed");
    else if (l->fixable)
        cv_buf_printf(out, " (%zu fixable with --fix)", l->fixable);
    if (l->known_count)
        cv_buf_printf(out, "; %zu known", l->known_count);
    if (l->left_out)
        cv_buf_printf(out, "; %zu not shown", l->left_out);
    if (l->unreadable.count)
        cv_buf_printf(out, "; %zu could not be processed", l->unreadable.count);
    cv_buf_add_char(out, '\n');
}

static void answer(linting *l)
{
    cv_call *call = l->call;
    call->unwell = !l->writes_baseline && (l->counts[CV_ERROR] || l->counts[CV_WARNING] || l->unreadable.count > 0);
    if (l->sarif) {
        cv_sarif_end(&l->json, l->errs.items, l->errs.count);
        call->verbatim = true;
        return;
    }
    if (call->for_people) {
        print_summary(l);
        l->text = cv_buf_take(&l->report, call->arena);
    }
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_notes_lint_shape, l);
}

bool cv_notes_op_lint(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    linting l = {.call = call, .json = {.out = call->out, .indent = 2}};
    cv_notes_found found;
    size_t faults = call->errs->count;
    if (!read_request(&l, &err))
        return call->errs->count > faults ? false : cv_call_fail(call, &err);
    if (!cv_notes_find(call, l.profile == CV_NOTES_PROFILE_STRICT ? CV_FIND_ALL : 0, &found, &err))
        return cv_call_fail(call, &err);
    l.as_findings = l.sarif ? NULL : &l;
    l.as_sarif = l.sarif ? &l : NULL;
    if (l.sarif)
        cv_sarif_begin(&l.json, CV_VERSION, cv_notes_rules, CV_NOTES_RULE_COUNT, "docs/notes-lint.md",
                       "conclave notes lint");
    for (size_t i = 0; i < found.count; i++)
        lint_one(&l, &found.items[i]);
    bool ok = !l.writes_baseline || cv_notes_baseline_write(call->arena, l.baseline, &l.known, &err);
    if (ok)
        answer(&l);
    cv_buf_release(&l.report);
    return ok || cv_call_fail(call, &err);
}
