/* test_notes_text.c - reading and writing dialogs in every container, form and style, and what only looks like one.
 *
 * The files in test/notes/fixtures are the containers, field variants and traps that real trees have: h.. headers, i..
 * inline dialogs, v.. values, t.. traps, m.. entries in Markdown. What is read from each is in
 * test/golden/notes/fixtures.txt.
 */
#include "testing.h"

#include <dirent.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/folder.h"
#include "notes/text/write.h"
#include "notes/words/errors.h"

#define FIXTURES "test/notes/fixtures"
#define GOLDEN "test/golden/notes/fixtures.txt"

/* ---- fixtures -----------------------------------------------------------------------------------------------------
 */

typedef struct {
    cv_arena a;
    cv_folder_entries files;
} fixtures;

static int set_up(void **state)
{
    fixtures *f = calloc(1, sizeof *f);
    cv_err err = {.arena = &f->a};
    assert_ok(cv_folder_list(&f->a, cv_where_named(FIXTURES), &f->files, &err), &err);
    assert_true(f->files.count >= 50);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixtures *f = *state;
    cv_arena_release(&f->a);
    free(f);
    return 0;
}

static cv_str bytes_of(cv_arena *a, const char *name)
{
    cv_err err = {.arena = a};
    cv_str path = cv_arena_printf(a, FIXTURES "/%s", name), bytes;
    assert_ok(cv_file_read(a, path.p, CV_NOTES_MAX_FILE, &bytes, &err), &err);
    return bytes;
}

static cv_notes_file read_text(cv_arena *a, const char *name, cv_str text)
{
    cv_notes_file file;
    cv_notes_read(a, text, cv_notes_language_of(cv_str_of(name)), CV_NOTES_MARKDOWN, &file);
    return file;
}

static cv_notes_file read_fixture(cv_arena *a, const char *name)
{
    return read_text(a, name, bytes_of(a, name));
}

/* ---- what is read -------------------------------------------------------------------------------------------------
 */

static void print_note(cv_buf *out, const cv_note *n)
{
    cv_buf_printf(out, "  %zu-%zu %.*s %.*s %.*s%s%.*s", n->line, n->last_line, CV_FMT(cv_note_kind_list[n->kind]),
                  CV_FMT(cv_notes_containers[n->container].word), CV_FMT(cv_note_forms[n->form]),
                  n->reason == CV_COUNTS ? "" : " !", CV_FMT(cv_note_reasons[n->reason]));
    if (n->heading_date.p)
        cv_buf_printf(out, " heading %.*s", CV_FMT(n->heading_date));
    cv_buf_add_z(out, "\n");
    for (size_t i = 0; i < n->field_count; i++) {
        const cv_note_field *f = &n->fields[i];
        cv_buf_printf(out, "    %zu %.*s (%.*s%s%s) ", f->line, CV_FMT(f->key), CV_FMT(cv_note_styles[f->style]),
                      f->field < 0 ? ", further" : "", f->has_comment ? ", comment" : "");
        for (size_t k = 0; k < f->value.n; k++)
            if (f->value.p[k] == '\n')
                cv_buf_add_z(out, "\\n");
            else
                cv_buf_add_char(out, f->value.p[k]);
        cv_buf_add_z(out, "\n");
    }
}

static void test_fixtures(void **state)
{
    fixtures *f = *state;
    cv_buf out = {0};
    cv_err err = {.arena = &f->a};
    cv_str expected;
    for (size_t i = 0; i < f->files.count; i++) {
        cv_notes_file file = read_fixture(&f->a, f->files.items[i].name);
        cv_buf_printf(&out, "%s\n", f->files.items[i].name);
        if (file.header.state != CV_HEADER_NONE)
            cv_buf_printf(&out, "  header lines %zu-%zu %.*s, %zu keys, %zu dialogs%s%.*s\n", file.header.line,
                          file.header.last_line, CV_FMT(cv_notes_containers[file.header.container].word),
                          file.header.key_count, file.header.dialogs, file.header.state == CV_HEADER_WHOLE ? "" : ": ",
                          CV_FMT(cv_header_states[file.header.state]));
        for (size_t k = 0; k < file.count; k++)
            print_note(&out, &file.items[k]);
    }
    cv_str found = cv_buf_take(&out, &f->a);
    if (getenv("CV_UPDATE"))
        assert_ok(cv_file_write(GOLDEN, found, &err), &err);
    assert_ok(cv_file_read(&f->a, GOLDEN, CV_NOTES_MAX_FILE, &expected, &err), &err);
    assert_view_eq(found, expected);
}

/* ---- setting a header ----------------------------------------------------------------------------------------------
 */

static cv_note_values values(const char *speaker, const char *target, const char *message)
{
    cv_note_values v = {0};
    v.of[CV_NOTE_SPEAKER] = cv_str_of(speaker);
    v.of[CV_NOTE_TARGET] = cv_str_of(target);
    v.of[CV_NOTE_MESSAGE] = cv_str_of(message);
    return v;
}

/* A text of one line: letters, quotes, backslashes, colons, hashes, and characters of more than one byte. */
static cv_str random_text(cv_arena *a, cv_test_random *r, size_t most)
{
    static const char *const pieces[] = {
        "a", "B", " ", "\"", "'", "\\", ": ", " #", "#",  "-", "@x", "é", "\xf0\x9f\x90\xba",
        "{", "[", "|", ">",  "%", "*",  "/",  "``", "$1", "&", "?",  ",", "--"};
    cv_buf out = {0};
    for (size_t n = 1 + cv_test_below(r, most); n > 0; n--)
        cv_buf_add_z(&out, pieces[cv_test_below(r, CV_COUNT(pieces))]);
    cv_buf_add_z(&out, "z");
    return cv_buf_take(&out, a);
}

static cv_note_values random_values(cv_arena *a, cv_test_random *r)
{
    static const char *const targets[] = {"@everyone", "@CURSOR", "@everyone @FLEET @LILITH", "@captain-wolfie"};
    cv_note_values v = {0};
    v.of[CV_NOTE_SPEAKER] = random_text(a, r, 5);
    v.of[CV_NOTE_TARGET] = cv_str_of(targets[cv_test_below(r, CV_COUNT(targets))]);
    v.of[CV_NOTE_MESSAGE] = random_text(a, r, 60);
    if (cv_test_below(r, 2))
        v.of[CV_NOTE_MOOD] = CV_STR("00CC88");
    if (cv_test_below(r, 2))
        v.of[CV_NOTE_DATE] = CV_STR("20260203040506");
    return v;
}

/* Between two dialogs with the same fields only the values differ: they are cut out of both. */
static void check_values_only(const cv_notes_file *old, const cv_notes_file *now, size_t from)
{
    const cv_note *x = cv_notes_header_dialog(old), *y = cv_notes_header_dialog(now);
    cv_buf one = {0}, two = {0};
    size_t at_x = from, at_y = from;
    for (size_t i = 0; i < x->field_count; i++) {
        assert_view_eq(y->fields[i].key, x->fields[i].key);
        cv_buf_add(&one, cv_span_of(old->text, (cv_span){at_x, x->fields[i].value_at.start}));
        cv_buf_add(&two, cv_span_of(now->text, (cv_span){at_y, y->fields[i].value_at.start}));
        if (x->fields[i].value.n == 0) /* the blank behind the colon comes with the value */
            two.n--;
        at_x = x->fields[i].value_at.end;
        at_y = y->fields[i].value_at.end;
    }
    assert_view_eq(cv_str_from(now->text, at_y), cv_str_from(old->text, at_x));
    assert_view_eq(cv_buf_str(&two), cv_buf_str(&one));
    cv_buf_release(&one);
    cv_buf_release(&two);
}

/* All bytes but those of values and of lines that were added are those of the old text, in order. */
static void check_spliced(cv_arena *a, const char *name, const cv_notes_file *old, cv_str text)
{
    cv_notes_file now = read_text(a, name, text);
    const cv_note *x = cv_notes_header_dialog(old), *y = cv_notes_header_dialog(&now);
    assert_non_null(y);
    if (old->header.state == CV_HEADER_NONE)
        return;
    size_t from = x ? x->at.start : old->header.inside.start, to = x ? x->at.end : old->header.inside.end;
    for (int i = 0; x && i < CV_NOTE_FIELDS; i++) { /* a mood beside the map */
        from = x->of[i] && x->of[i]->lines.start < from ? x->of[i]->lines.start : from;
        to = x->of[i] && x->of[i]->lines.end > to ? x->of[i]->lines.end : to;
    }
    assert_view_eq(cv_str_head(text, from), cv_str_head(old->text, from));
    assert_true(cv_str_ends(text, cv_str_from(old->text, to)));
    if (x && x->field_count == y->field_count)
        check_values_only(old, &now, from);
}

/* Every other note is there as it was. */
static void check_others(cv_arena *a, const char *name, const cv_notes_file *old, cv_str text)
{
    cv_notes_file now = read_text(a, name, text);
    size_t x = cv_notes_header_dialog(old) ? 1 : 0, y = cv_notes_header_dialog(&now) ? 1 : 0;
    assert_int_equal(old->count - x, now.count - y);
    for (; x < old->count; x++, y++)
        assert_view_eq(cv_span_of(now.text, now.items[y].at), cv_span_of(old->text, old->items[x].at));
}

/* Random updates of all fixtures: only values change, the same update twice changes nothing, what is refused is
 * reported. */
static void test_set_header(void **state)
{
    fixtures *f = *state;
    cv_test_random r = {cv_test_seed()};
    size_t set = 0, refused = 0, escapes = 0;
    for (size_t round = cv_test_soak() ? 2000 : 40; round > 0; round--)
        for (size_t i = 0; i < f->files.count; i++) {
            cv_arena a = {0};
            const char *name = f->files.items[i].name;
            cv_notes_file file = read_fixture(&a, name);
            cv_note_values v = random_values(&a, &r);
            cv_err err = {.arena = &a};
            cv_str text, again;
            if (!cv_notes_set_header(&a, &file, &v, &text, &err)) {
                assert_true(err.code == CV_ERR_NOTES_HEADER || err.code == CV_ERR_NOTES_ESCAPE ||
                            err.code == CV_ERR_NOTES_NO_COMMENT);
                assert_true(err.suggestion.n > 0);
                escapes += err.code == CV_ERR_NOTES_ESCAPE;
                refused++;
            } else {
                check_spliced(&a, name, &file, text);
                check_others(&a, name, &file, text);
                cv_notes_file now = read_text(&a, name, text);
                assert_ok(cv_notes_set_header(&a, &now, &v, &again, &err), &err);
                assert_view_eq(again, text);
                set++;
            }
            cv_arena_release(&a);
        }
    assert_true(set > refused && refused > 0 && escapes > 0);
}

/* ---- what is refused
 * ------------------------------------------------------------------------------------------------- */

static void test_unsafe_headers(void **state)
{
    static const char *const unsafe[] = {"h13_opening_missing.md", "h14_no_fences.md",    "h15_two_dashes.md",
                                         "h16_tildes.md",          "h17_never_closed.md", "h18_in_details.md",
                                         "h19_whole_in_fence.md",  "h20_foreign.md",      "i08_pasted_header.md",
                                         "v05_doubled_key.md",     "v06_two_dialogs.md",  "v14_broken_quote.md"};
    cv_arena a = {0};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(unsafe); i++) {
        cv_notes_file file = read_fixture(&a, unsafe[i]);
        cv_note_values v = values("CURSOR", "@everyone", "Anything.");
        cv_err err = {.arena = &a};
        cv_str text;
        assert_false(cv_notes_set_header(&a, &file, &v, &text, &err));
        assert_ptr_equal(err.code, CV_ERR_NOTES_HEADER);
        assert_true(err.line > 0);
    }
    cv_arena_release(&a);
}

#define BARE_HEADER "---\nwolfie.headers: x\ndialog:\n  speaker: a\n  target: @b\n  message: c\n---\n"
#define DOCSTRING "\"\"\"\n" BARE_HEADER "\"\"\"\n"

/* In each language: a message that would leave its comment. */
static void test_escapes(void **state)
{
    static const struct {
        const char *name, *text, *message;
    } cases[] = {
        {"a.php", "<?php\necho 1;\n", "x */ system('id'); /*"},
        {"a.php", "<?php\necho 1;\n", "x ?><script>alert(1)</script>"},
        {"a.php", BARE_HEADER "<?php echo 1;\n", "x <?php system('id');"},
        {"a.js", "let a = 1;\n", "x */ alert(1) /*"},
        {"a.css", "a {}\n", "x */ b {} /*"},
        {"a.c", "int x;\n", "x */ int y; /*"},
        {"a.html", "<p>x</p>\n", "x --> <script>"},
        {"a.html", "<p>x</p>\n", "x --!> <script>"},
        {"a.sql", "SELECT 1;\n", "x\nDROP TABLE t;"},
        {"a.py", "x = 1\n", "x\nimport os"},
        {"a.py", "x = 1\n", "x\rimport os"},
        {"a.js", "let a = 1;\n", "x\xe2\x80\xa8 alert(1)"},
        {"a.py", DOCSTRING, "x\"\"\"\nimport os"},
        {"a.py", DOCSTRING, "x\"\"\" + y"},
        {"a.md", "text\n", "---"},
        {"a.md", "text\n", "x\n---\nDIALOG:"},
    };
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_notes_file file = read_text(&a, cases[i].name, cv_str_of(cases[i].text));
        cv_note_insertion note = {.line = 2, .values = values("X", "@everyone", cases[i].message)};
        cv_err err = {.arena = &a};
        cv_str text;
        size_t bad;
        assert_false(cv_notes_set_header(&a, &file, &note.values, &text, &err));
        assert_ptr_equal(err.code, CV_ERR_NOTES_ESCAPE);
        if (file.header.state == CV_HEADER_NONE) {
            assert_false(cv_notes_insert(&a, &file, &note, 1, &text, &bad, &err));
            assert_ptr_equal(err.code, CV_ERR_NOTES_ESCAPE);
        }
        cv_arena_release(&a);
    }
}

/* ---- adding notes
 * ---------------------------------------------------------------------------------------------------- */

static const cv_note *added(const cv_notes_file *file)
{
    for (size_t k = 0; k < file->count; k++)
        if (cv_str_eq(cv_note_value(&file->items[k], CV_NOTE_SPEAKER), CV_STR("ADDED")))
            return &file->items[k];
    return NULL;
}

/* Wherever a note may go, it is read back there, the header stays, and the rest is as it was. */
static void test_insert(void **state)
{
    fixtures *f = *state;
    cv_test_random r = {cv_test_seed() + 1};
    size_t put = 0, refused = 0;
    for (size_t i = 0; i < f->files.count; i++) {
        cv_arena a = {0};
        const char *name = f->files.items[i].name;
        cv_notes_file file = read_fixture(&a, name);
        size_t lines = cv_notes_line_of(file.text, file.text.n) + 1;
        for (size_t line = 1; line <= lines; line++) {
            cv_note_insertion note = {.line = line, .values = values("ADDED", "@everyone", "")};
            cv_err err = {.arena = &a};
            cv_str text;
            size_t bad;
            note.values.of[CV_NOTE_MESSAGE] = random_text(&a, &r, 30);
            if (!cv_notes_insert(&a, &file, &note, 1, &text, &bad, &err)) {
                assert_true(err.code == CV_ERR_NOTES_PLACE || err.code == CV_ERR_NOTES_ESCAPE ||
                            err.code == CV_ERR_NOTES_NO_COMMENT);
                refused++;
                continue;
            }
            cv_notes_file now = read_text(&a, name, text);
            const cv_note *found = added(&now);
            assert_non_null(found);
            assert_int_equal(found->reason, CV_COUNTS);
            assert_int_equal(found->kind, CV_NOTE_KIND_INLINE);
            assert_view_eq(cv_note_value(found, CV_NOTE_MESSAGE), note.values.of[CV_NOTE_MESSAGE]);
            assert_view_eq(cv_span_of(now.text, now.header.whole), cv_span_of(file.text, file.header.whole));
            assert_int_equal(now.count, file.count + 1);
            put++;
        }
        cv_arena_release(&a);
    }
    assert_true(put > 150 && refused > 150);
}

static void test_places(void **state)
{
    static const struct {
        const char *name, *text;
        size_t line;
        const char *before, *why; /* NULL: it is a place */
    } cases[] = {
        {"a.md", "# A\n\ntext\n", 2, NULL, NULL},
        {"a.md", "# A\n\ntext\n", 4, NULL, NULL},
        {"a.md", "# A\n\ntext\n", 5, NULL, "there is no line 5"},
        {"a.md", "# A\n\n## B\n", 0, "B", NULL},
        {"a.md", "# A\n\n## B\n", 0, "## B", NULL},
        {"a.md", "# A\n\n## B\n", 0, "C", "no line of the file"},
        {"a.md", "# A\n\n# A\n", 0, "A", "2 lines of the file"},
        {"a.md", "```\ncode\n```\n", 2, NULL, "code fence"},
        {"a.md", "```\ncode\n", 3, NULL, "code fence"},
        {"a.md", "| a |\n|---|\n| b |\n", 3, NULL, "table"},
        {"a.md", "Title\n=====\n", 2, NULL, "underlines"},
        {"a.php", "<p>\n<?php\n$x = 'a\nb';\n?>\n</p>\n", 2, NULL, "outside of PHP"},
        {"a.php", "<p>\n<?php\n$x = 'a\nb';\n?>\n</p>\n", 3, NULL, NULL},
        {"a.php", "<p>\n<?php\n$x = 'a\nb';\n?>\n</p>\n", 4, NULL, "string"},
        {"a.php", "<?php\n$x = <<<A\nb\nA;\n", 3, NULL, "string"},
        {"a.js", "let a = `\nb`;\nc();\n", 2, NULL, "string"},
        {"a.js", "let a = /`/;\nc();\n", 2, NULL, NULL},
        {"a.c", "#define A \\\n  1\n", 2, NULL, "continues"},
        {"a.py", "x = '''\na\n'''\n", 2, NULL, "string"},
        {"a.sql", "SELECT 'a\nb';\n", 2, NULL, "string"},
        {"a.sql", "SELECT 'a\\';\nSELECT 'b';\n", 2, NULL, "string"},
        {"a.sql", "DO $$\nBEGIN\nEND $$;\n", 2, NULL, "string"},
        {"a.sh", "cat <<EOF\nx\nEOF\n", 2, NULL, "string"},
        {"a.yaml", "a: |\n  text\nb: 1\n", 2, NULL, "string"},
        {"a.yaml", "a: one\n  two\n", 2, NULL, "continues"},
        {"a.html", "<a\nhref=x>\n", 2, NULL, "tag"},
        {"a.html", "<script>\nx\n</script>\n", 2, NULL, "tag"},
        {"a.js", "#!/usr/bin/env node\nx();\n", 1, NULL, "must stay first"},
        {"a.js", "#!/usr/bin/env node\nx();\n", 2, NULL, NULL},
        {"a.py", "#!/usr/bin/python\n# coding: x\ny = 1\n", 2, NULL, "must stay first"},
        {"a.css", "@charset \"utf-8\";\na {}\n", 1, NULL, "must stay first"},
        {"a.md", "\xef\xbb\xbf# A\n", 1, NULL, NULL},
        {"a.json", "{}\n", 1, NULL, "no comments"},
        {"a.xml", "<a/>\n", 2, NULL, "XML"},
    };
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_notes_file file = read_text(&a, cases[i].name, cv_str_of(cases[i].text));
        cv_note_insertion note = {
            .line = cases[i].line, .before = cv_str_of(cases[i].before), .values = values("A", "@b", "c")};
        cv_err err = {.arena = &a};
        cv_str text;
        size_t bad;
        bool ok = cv_notes_insert(&a, &file, &note, 1, &text, &bad, &err);
        if (ok == (cases[i].why != NULL))
            print_error("case %zu: %s\n", i, cases[i].text);
        if (cases[i].why) {
            assert_false(ok);
            assert_str_has(err.message, cases[i].why);
        } else {
            assert_ok(ok, &err);
        }
        cv_arena_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixtures), cmocka_unit_test(test_set_header), cmocka_unit_test(test_unsafe_headers),
        cmocka_unit_test(test_escapes),  cmocka_unit_test(test_insert),     cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
