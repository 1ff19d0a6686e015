/* test_corpus.c - real dialogues: every file parses, survives the round trip, and loses no marker.
 *
 * Without CONCLAVE_CORPUS (a folder with *.md files) all of it is skipped. test/golden/corpus/marks.tsv says how many
 * marks of each kind each file has, how many are inside other text, and how many findings the parser has.
 */
#include "document.h"
#include "testing.h"

#include "base/file.h"
#include "dialogue/lint/lint.h"

#define TABLE "test/golden/corpus/marks.tsv"

typedef struct {
    cv_arena *a;
    const char *root;
    void (*each)(cv_arena *a, cv_str name, cv_str text, void *ctx);
    void *ctx;
    size_t files;
} walk;

static bool visit(void *ctx, const char *file, cv_err *err)
{
    walk *w = ctx;
    cv_arena a = {0};
    cv_str text;
    err->arena = w->a;
    bool ok = cv_file_read_text(&a, file, &text, err);
    if (ok)
        w->each(&a, cv_str_from(cv_str_of(file), strlen(w->root)), text, w->ctx);
    w->files++;
    cv_arena_release(&a);
    return ok;
}

static void for_each(void (*each)(cv_arena *, cv_str, cv_str, void *), void *ctx)
{
    const char *root = cv_test_corpus();
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    walk w = {.a = &a, .root = root, .each = each, .ctx = ctx};
    assert_ok(cv_file_walk(&a, root, CV_STR(".md"), visit, &w, &err), &err);
    assert_true(w.files > 0);
    cv_arena_release(&a);
}

/* ---- the round trip ------------------------------------------------------------------------------ */

static void check_round_trip(cv_arena *a, cv_str name, cv_str text, void *ctx)
{
    (void)ctx;
    cv_doc doc, again, back;
    cv_err err = {.arena = a};
    cv_errs errs = {0};
    cv_json tree;
    cv_doc_parse(a, text, &doc, NULL);
    cv_str markdown = cv_document_rendered(a, &doc), json = cv_document_json(a, &doc, false);
    cv_doc_parse(a, markdown, &again, NULL);
    if (!cv_str_eq(json, cv_document_json(a, &again, false)) || !cv_str_eq(markdown, cv_document_rendered(a, &again)))
        fail_msg("%.*s does not survive the round trip", CV_FMT(name));
    assert_ok(cv_json_parse(a, json, &tree, &err), &err);
    assert_true(cv_doc_read_json(a, json, &tree, &back, &errs));
    assert_view_eq(cv_document_rendered(a, &back), markdown);
}

static void test_round_trip(void **state)
{
    (void)state;
    for_each(check_round_trip, NULL);
}

/* ---- no marker is lost ----------------------------------------------------------------------------- */

/* round-N/name.md is an expert's response; name.prompt.md and the judge's files are not. */
static bool is_fragment(cv_str name)
{
    size_t slash = name.n;
    while (slash > 0 && name.p[slash - 1] != '/')
        slash--;
    cv_str folder = cv_str_head(name, slash ? slash - 1 : 0);
    return cv_str_find(folder, CV_STR("/round-")) != SIZE_MAX && !cv_str_ends(name, CV_STR(".prompt.md"));
}

/* Found by plain search: the words of the format contract behind a bracket, outside backticks and fences. */
static bool is_searched(cv_str s)
{
    static const char *const words[] = {"[PERSPECTIVE", "[TENSION",    "[RESOLVED",
                                        "[CONCESSION",  "[REFINEMENT", "[MOVE:"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (cv_str_starts(s, cv_str_of(words[i])))
            return true;
    return false;
}

static void check_found(cv_arena *a, cv_str name, cv_str text, void *ctx)
{
    size_t *total = ctx;
    cv_doc doc;
    if (!is_fragment(name))
        return;
    cv_doc_parse(a, text, &doc, NULL);
    cv_marks marks = cv_doc_marks(a, &doc);
    cv_str rest = text, line;
    bool fenced = false;
    size_t next = 0;
    while (cv_str_split(&rest, '\n', &line)) {
        if (cv_str_starts(cv_str_trim(line), CV_STR("```"))) {
            fenced = !fenced;
            continue;
        }
        bool ticked = false;
        for (size_t i = 0; i < line.n && !fenced; i++) {
            ticked ^= line.p[i] == '`';
            if (ticked || !is_searched(cv_str_from(line, i)))
                continue;
            size_t at = (size_t)(line.p + i - text.p);
            while (next < marks.count && marks.items[next].start < at)
                next++;
            if (next >= marks.count || marks.items[next].start != at)
                fail_msg("%.*s: no mark at byte %zu: %.*s", CV_FMT(name), at, CV_FMT(line));
            ++*total;
        }
    }
}

static void test_no_marker_lost(void **state)
{
    (void)state;
    size_t total = 0;
    for_each(check_found, &total);
    assert_true(total > 100);
}

/* ---- the table ------------------------------------------------------------------------------------- */

static size_t inline_count(const cv_blocks *blocks)
{
    size_t n = 0;
    for (size_t i = 0; i < blocks->count; i++)
        n += blocks->items[i].inline_marks.count;
    return n;
}

/* The file and the two folders above it: the same wherever the corpus begins. */
static cv_str last_folders(cv_str name)
{
    size_t at = name.n;
    for (int slashes = 0; at > 0; at--)
        if (name.p[at - 1] == '/' && ++slashes == 3)
            break;
    return cv_str_from(name, at);
}

static void add_row(cv_arena *a, cv_str name, cv_str text, void *ctx)
{
    cv_buf *out = ctx;
    cv_doc doc;
    cv_findings findings = {0};
    cv_lint_parse(a, text, &doc, &findings);
    cv_marks marks = cv_doc_marks(a, &doc);
    size_t counts[CV_MARK_COUNT] = {0}, inside = inline_count(&doc.intro);
    for (size_t i = 0; i < marks.count; i++)
        counts[marks.items[i].type]++;
    for (size_t i = 0; i < doc.sections.count; i++) {
        const cv_section *s = &doc.sections.items[i];
        inside += inline_count(&s->content);
        for (size_t k = 0; k < s->agents.count; k++)
            inside += inline_count(&s->agents.items[k].content);
    }
    cv_buf_add(out, last_folders(name));
    cv_buf_printf(out, "\t%zu\t%zu\t%zu\t%zu\t", doc.sections.count, marks.count, inside, findings.count);
    bool any = false;
    for (size_t i = 0; i < CV_MARK_COUNT; i++)
        if (counts[i]) {
            cv_buf_printf(out, "%s%.*s %zu", any ? ", " : "", CV_FMT(cv_mark_names.items[i]), counts[i]);
            any = true;
        }
    cv_buf_add_char(out, '\n');
}

static void test_table(void **state)
{
    (void)state;
    cv_test_corpus(); /* skips before anything is made */
    cv_arena a = {0};
    cv_buf out = {0};
    cv_buf_add_z(&out, "file\tsections\tmarks\tinline\tfindings\tkinds\n");
    for_each(add_row, &out);
    if (cv_test_update()) {
        FILE *f = fopen(TABLE, "wb");
        assert_non_null(f);
        fwrite(out.p, 1, out.n, f);
        fclose(f);
    }
    cv_str expected = cv_test_read(&a, TABLE), found = cv_buf_str(&out), x, y;
    while (cv_str_split(&found, '\n', &x) && cv_str_split(&expected, '\n', &y))
        assert_view_eq(x, y);
    assert_true(!found.p && cv_str_trim(expected).n == 0);
    cv_buf_release(&out);
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_no_marker_lost),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
