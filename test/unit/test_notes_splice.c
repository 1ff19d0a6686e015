/* test_notes_splice.c - generated files, generated updates: only what was asked for changes.
 *
 * A file is put together from a header in one of the containers, with the forms, styles, keys and oddities that real
 * files have, and a body of notes, fences, rules and other lines; with LF or CRLF, a byte order mark, bytes that are
 * not UTF-8, no line break at the end. Then a header is set, or notes are put in:
 *
 *     set     bytes before and behind the dialog are as they were; in it, every line that is not of a changed field
 *             is; the values are read back; the same update again changes nothing; no note is lost
 *     insert  taking the new bytes out again gives the file as it was
 */
#include "testing.h"

#include "base/buf.h"
#include "notes/text/write.h"

static cv_test_random chance;

static size_t below(size_t n)
{
    return cv_test_below(&chance, n);
}

static bool maybe(size_t one_in)
{
    return below(one_in) == 0;
}

#define ONE_OF(list) list[below(CV_COUNT(list))]

/* ---- files ---------------------------------------------------------------------------------------------------------
 */

typedef struct {
    const char *name, *before, *open, *lead, *close;
    bool rules; /* lines "---" around it */
} container;

static const container containers[] = {
    {"a.md", "", "", "", "", true},
    {"a.yaml", "", "", "", "", true},
    {"a.php", "<?php\n", "/**\n", " * ", " */\n", false},
    {"a.php", "<?php\n", "/**\n", "", " */\n", true},
    {"a.php", "<?php\n\n", "/*\n", " * ", " */\n", true},
    {"a.js", "#!/usr/bin/env node\n", "/*\n", " * ", " */\n", true},
    {"a.sql", "-- ====\n", "", "-- ", "--\n", false},
    {"a.sql", "", "", "-- ", "", true},
    {"a.py", "#!/usr/bin/python3\n", "", "# ", "\n", true},
    {"a.py", "", "\"\"\"\n", "", "\"\"\"\n", true},
    {"a.sh", "#!/bin/sh\n", "", "# ", "\n", true},
    {"a.c", "", "", "// ", "\n", true},
    {"a.html", "<!DOCTYPE html>\n", "<!--\n", "", "-->\n", true},
};

static const char *const values[] = {"KIRO",
                                     "\"Captain Wolfie\"",
                                     "'it''s'",
                                     "\"a \\\"b\\\" c\"",
                                     "plain: colon",
                                     "caf\xe9",
                                     "\"\"",
                                     "# only a comment",
                                     "x  # comment",
                                     "\"x\" # comment",
                                     "\xf0\x9f\x90\xba",
                                     "\"\xe2\x80\x94\"",
                                     "@everyone @A",
                                     "\"@everyone\"",
                                     "<p>",
                                     "|\n@@    line one\n@@\n@@    line two"};

static void add_line(cv_buf *out, const char *lead, const char *text)
{
    cv_buf_add_z(out, lead);
    for (; *text; text++)
        if (text[0] == '@' && text[1] == '@') { /* "@@": the lead of the next line */
            cv_buf_add_z(out, lead);
            text++;
        } else {
            cv_buf_add_char(out, *text);
        }
    cv_buf_add_char(out, '\n');
}

static void add_field(cv_buf *out, const char *lead, const char *indent, const char *key)
{
    cv_buf line = {0};
    cv_buf_printf(&line, "%s%s:%s%s%s", indent, key, maybe(12) ? "  " : " ", ONE_OF(values), maybe(15) ? "  " : "");
    cv_buf_add_char(&line, '\0');
    add_line(out, lead, line.p);
    cv_buf_release(&line);
}

static void add_dialog(cv_buf *out, const char *lead)
{
    static const char *const keys[] = {"speaker", "target", "message", "mood_RGB", "mood", "date_ymdhis", "severity"};
    bool list = maybe(5);
    const char *dialog = maybe(6) ? "wolfie.header.dialog:" : "dialog:";
    size_t count = list ? 1 + below(3) : 1, start = below(3) ? 0 : below(CV_COUNT(keys));
    add_line(out, lead, dialog);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0, n = 3 + below(4); k < n; k++)
            add_field(out, lead, !list ? "  " : k == 0 ? "  - " : "    ", keys[(start + k) % CV_COUNT(keys)]);
    if (cv_str_starts(cv_str_of(dialog), CV_STR("w")) && maybe(2))
        add_line(out, lead, "wolfie.header.mood.rgb: \"00FF00\"");
}

static void add_keys(cv_buf *out, const char *lead)
{
    static const char *const lines[] = {"tags:\n@@  categories: [\"a\", \"b\"]",
                                        "file.version: 4.0.1",
                                        "header_atoms:\n@@  - X",
                                        "in_this_file_we_have:\n@@  - A: B",
                                        "# a comment",
                                        "",
                                        "prose in the header",
                                        "title: \"x: y\"",
                                        "tags: again"};
    for (size_t i = below(4); i > 0; i--)
        add_line(out, lead, ONE_OF(lines));
}

static void add_body(cv_buf *out, const container *c)
{
    static const char *const lines[] = {"text",
                                        "",
                                        "# Heading",
                                        "---",
                                        "```",
                                        "```yaml",
                                        "~~~",
                                        "| a | b |",
                                        "  indented",
                                        "\t tab",
                                        "=====",
                                        "caf\xe9 \xff",
                                        "dialog: 75",
                                        "DIALOG:",
                                        "---\nDIALOG:\n  speaker: A\n  target: @B\n  message: \"m\"\n---",
                                        "---\ndialog:\n  speaker: A\n  target: @B\n  message: m\n---",
                                        "---\nDIALOG:\n  speaker: A\n",
                                        "*/",
                                        "-->",
                                        "\"\"\"",
                                        "<?php",
                                        "?>",
                                        "<!--",
                                        "/* x",
                                        "'",
                                        "\"",
                                        "`",
                                        "<pre>",
                                        "\\",
                                        "$$",
                                        "key: |",
                                        "# x"};
    (void)c;
    for (size_t i = below(12); i > 0; i--) {
        cv_buf_add_z(out, ONE_OF(lines));
        cv_buf_add_char(out, '\n');
    }
}

/* Line ends, a byte order mark, an end without one. */
static cv_str dressed(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    bool crlf = maybe(4);
    if (maybe(8))
        cv_buf_add_z(&out, "\xEF\xBB\xBF");
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\n' && crlf && !maybe(50))
            cv_buf_add_char(&out, '\r');
        cv_buf_add_char(&out, text.p[i]);
    }
    cv_str made = cv_buf_take(&out, a);
    while (made.n && maybe(6) && (made.p[made.n - 1] == '\n' || made.p[made.n - 1] == '\r'))
        made.n--;
    return made;
}

static cv_str make_file(cv_arena *a, const container *c)
{
    cv_buf out = {0};
    if (!maybe(10)) {
        cv_buf_add_z(&out, c->before);
        cv_buf_add_z(&out, c->open);
        if (c->rules && !maybe(20))
            add_line(&out, c->lead, "---");
        if (!maybe(8))
            add_line(&out, c->lead, "wolfie.headers: explicit architecture with structured clarity for every file.");
        add_keys(&out, c->lead);
        if (!maybe(8))
            add_dialog(&out, c->lead);
        add_keys(&out, c->lead);
        if (c->rules && !maybe(20))
            add_line(&out, c->lead, "---");
        cv_buf_add_z(&out, c->close);
    }
    add_body(&out, c);
    return dressed(a, cv_buf_take(&out, a));
}

/* ---- updates -------------------------------------------------------------------------------------------------------
 */

static cv_note_values make_values(void)
{
    static const char *const speakers[] = {"KIRO", "Captain Wolfie", "a: b", "#x", " blank ", "it's", "x\\", "[x",
                                           "- y"};
    static const char *const targets[] = {"@everyone", "@A @B", "@captain-wolfie", "@A, @B"};
    static const char *const messages[] = {"Did it.",
                                           "\"quoted\" and 'single'",
                                           "a: b # c",
                                           "back\\slash\\",
                                           "*/",
                                           "--> x",
                                           "\"\"\"",
                                           "---",
                                           "ends in colon:",
                                           "| x",
                                           "> y",
                                           "# z",
                                           "caf\xc3\xa9",
                                           "\xf0\x9f\x90\xba",
                                           "?>",
                                           "x\ty",
                                           "",
                                           " ",
                                           "@all",
                                           "<tag>",
                                           "%TAG",
                                           "{a: b}",
                                           "- item",
                                           "it's",
                                           "\"",
                                           "'",
                                           "\\",
                                           "\\n",
                                           "\"\\\"",
                                           "/* open"};
    static const char *const moods[] = {"00CC88", "ff0000", "000000"};
    cv_note_values v = {0};
    v.of[CV_NOTE_SPEAKER] = cv_str_of(ONE_OF(speakers));
    v.of[CV_NOTE_TARGET] = cv_str_of(ONE_OF(targets));
    v.of[CV_NOTE_MESSAGE] = cv_str_of(ONE_OF(messages));
    if (maybe(2))
        v.of[CV_NOTE_MOOD] = cv_str_of(ONE_OF(moods));
    if (maybe(2))
        v.of[CV_NOTE_DATE] = CV_STR("20260106120000");
    return v;
}

/* ---- what must hold ------------------------------------------------------------------------------------------------
 */

static _Noreturn void broken(const char *what, cv_str before, cv_str after)
{
    fprintf(stderr, "== %s\n-- before\n%.*s\n-- after\n%.*s\n==\n", what, CV_FMT(before), CV_FMT(after));
    fail_msg("%s", what);
    abort();
}

static void need(bool holds, const char *what, cv_str before, cv_str after)
{
    if (!holds)
        broken(what, before, after);
}

static bool same_values(const cv_note *x, const cv_note *y)
{
    for (int i = 0; i < CV_NOTE_FIELDS; i++)
        if (!cv_str_eq(cv_note_value(x, (cv_note_field_id)i), cv_note_value(y, (cv_note_field_id)i)))
            return false;
    return x->kind == y->kind && x->reason == y->reason;
}

/* Each note of `x` that counts, but its header dialog, is in `y`, in the same order. */
static bool keeps_notes(const cv_notes_file *x, const cv_notes_file *y)
{
    const cv_note *own = cv_notes_header_dialog(x);
    size_t k = 0;
    for (size_t i = 0; i < x->count; i++) {
        if (&x->items[i] == own || x->items[i].reason != CV_COUNTS)
            continue;
        while (k < y->count && !same_values(&x->items[i], &y->items[k]))
            k++;
        if (k++ == y->count)
            return false;
    }
    return true;
}

/* The bytes that neither a field of the dialog nor its lines have, one after the other. */
static cv_str rest_of(cv_arena *a, const cv_notes_file *file)
{
    const cv_note *n = cv_notes_header_dialog(file);
    cv_buf out = {0};
    for (size_t at = 0; at < file->text.n;) {
        const cv_note_field *here = NULL;
        for (int i = 0; n && i < CV_NOTE_FIELDS; i++)
            if (n->of[i] && at >= n->of[i]->lines.start && at < n->of[i]->lines.end)
                here = n->of[i];
        if (here) {
            at = here->lines.end;
        } else {
            cv_buf_add_char(&out, file->text.p[at++]);
        }
    }
    cv_str rest = cv_buf_take(&out, a);
    while (rest.n && (rest.p[rest.n - 1] == '\n' || rest.p[rest.n - 1] == '\r'))
        rest.n--; /* a dialog at the very end gets a line break before a new line */
    return rest;
}

/* What is on the lines of the fields besides their values: leads, keys, comments, blanks. */
static void check_lines(const cv_notes_file *x, const cv_notes_file *y)
{
    const cv_note *p = cv_notes_header_dialog(x), *q = cv_notes_header_dialog(y);
    for (int i = 0; i < CV_NOTE_FIELDS; i++) {
        const cv_note_field *f = p->of[i], *g = q->of[i];
        if (!f)
            continue;
        need(g != NULL, "a field is lost", x->text, y->text);
        cv_str fore = cv_span_of(x->text, (cv_span){f->lines.start, f->value_at.start});
        cv_str fore2 = cv_span_of(y->text, (cv_span){g->lines.start, g->value_at.start});
        cv_str aft = cv_span_of(x->text, (cv_span){f->value_at.end, f->lines.end});
        cv_str aft2 = cv_span_of(y->text, (cv_span){g->value_at.end, g->lines.end});
        need(cv_str_eq(fore, fore2) || cv_str_starts(fore2, fore), "what stands before a value", x->text, y->text);
        need(cv_str_eq(cv_str_trim(aft), cv_str_trim(aft2)), "what stands behind a value", x->text, y->text);
    }
}

static void check_set(cv_arena *a, const cv_notes_file *file, size_t *set)
{
    cv_note_values v = make_values();
    cv_err err = {.arena = a};
    cv_notes_file now;
    cv_str text, again;
    if (!cv_notes_set_header(a, file, &v, &text, &err)) {
        need(err.code != NULL && err.message.n, "a refusal has its reason", file->text, CV_STR(""));
        return;
    }
    ++*set;
    cv_notes_read(a, text, file->language, 0, &now);
    const cv_note *dialog = cv_notes_header_dialog(&now), *old = cv_notes_header_dialog(file);
    need(dialog && dialog->reason == CV_COUNTS, "the dialog counts", file->text, text);
    for (int i = 0; i < CV_NOTE_FIELDS; i++)
        if (v.of[i].p && i != CV_NOTE_DATE)
            need(cv_str_eq(cv_note_value(dialog, (cv_note_field_id)i), v.of[i]), "a value is read back", file->text,
                 text);
    need(keeps_notes(file, &now), "every other note is kept", file->text, text);
    if (old) {
        need(cv_str_eq(rest_of(a, file), rest_of(a, &now)), "all other bytes are as they were", file->text, text);
        check_lines(file, &now);
    } else {
        size_t head = 0, tail = 0;
        while (head < file->text.n && head < text.n && file->text.p[head] == text.p[head])
            head++;
        while (tail < file->text.n - head && file->text.p[file->text.n - 1 - tail] == text.p[text.n - 1 - tail])
            tail++;
        need(head + tail == file->text.n || file->header.state == CV_HEADER_WHOLE, "a header is only put in",
             file->text, text);
    }
    need(cv_notes_set_header(a, &now, &v, &again, &err), "what was set can be set again", text, err.message);
    need(cv_str_eq(text, again), "the same update twice is one", text, again);
}

static void check_insert(cv_arena *a, const cv_notes_file *file, size_t *put)
{
    cv_err err = {.arena = a};
    cv_note_insertion note = {.line = 1 + below(30), .values = make_values()};
    cv_notes_file now;
    cv_str text, x = file->text;
    size_t bad, head = 0;
    if (!cv_notes_insert(a, file, &note, 1, &text, &bad, &err))
        return;
    ++*put;
    cv_notes_read(a, text, file->language, 0, &now);
    while (head < x.n && x.p[head] == text.p[head])
        head++;
    need(text.n > x.n && cv_str_eq(cv_str_from(x, head), cv_str_from(text, text.n - (x.n - head))),
         "a note is only put in", x, text);
    need(keeps_notes(file, &now), "every note is kept", x, text);
    need(cv_str_eq(cv_span_of(x, file->header.whole), cv_span_of(text, now.header.whole)), "the header is as it was", x,
         text);
}

static void test_updates(void **state)
{
    (void)state;
    size_t set = 0, put = 0, rounds = getenv("CV_SOAK") ? 2000000 : 20000;
    chance = (cv_test_random){cv_test_seed()};
    for (size_t i = 0; i < rounds; i++) {
        cv_arena a = {0};
        const container *c = &ONE_OF(containers);
        cv_notes_file file;
        cv_notes_read(&a, make_file(&a, c), cv_notes_language_of(cv_str_of(c->name)), 0, &file);
        check_set(&a, &file, &set);
        check_insert(&a, &file, &put);
        cv_arena_release(&a);
    }
    print_message("%zu headers set, %zu notes put in\n", set, put);
    assert_true(set > rounds / 10 && put > rounds / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_updates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
