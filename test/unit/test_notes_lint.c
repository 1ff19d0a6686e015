/* test_notes_lint.c - each rule for headers and dialogs by an example; fixes change what they say they change, once.
 *
 * The fixtures of test/notes/fixtures are fixed, too: afterwards nothing is left to fix, and every dialog says what it
 * said before.
 */
#include "testing.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/folder.h"
#include "notes/lint.h"
#include "notes/text/write.h"

#define HEAD "---\nwolfie.headers.version: 4.0.1\ndialog:\n"
#define WHOLE HEAD "  speaker: KIRO\n  target: \"@everyone\"\n  message: \"Did it.\"\n"
#define NOTE "---\nDIALOG:\n  speaker: KIRO\n  target: \"@A\"\n  message: \"m\"\n"
#define LETTERS_68 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnop"
#define LETTERS_272 LETTERS_68 LETTERS_68 LETTERS_68 LETTERS_68

static const struct {
    const char *rule, *name, *text;
    size_t line, column;
    const char *fixed; /* NULL: it cannot be */
} cases[] = {
    /* what can be read and changed; checklist 3, 5, 6, 7 */
    {"header-unclosed", "a.md", WHOLE, 1, 1, NULL},
    {"header-unopened", "a.md",
     "wolfie.headers.version: 4.0.1\ndialog:\n  speaker: A\n  target: \"@B\"\n  message: m\n---\n", 1, 1, NULL},
    {"header-mistyped", "a.md",
     "--\nwolfie.headers.version: 4.0.1\ndialog:\n  speaker: A\n  target: \"@B\"\n  message: m\n---\n", 1, 1, NULL},
    {"header-unfenced", "a.md",
     "wolfie.headers.version: 4.0.1\ndialog:\n  speaker: A\n  target: \"@B\"\n  message: m\n\n# T\n", 1, 1, NULL},
    {"header-fenced", "a.md", "# T\n```yaml\n" WHOLE "---\n```\n", 6, 1, NULL},
    {"header-repeated", "a.md", WHOLE "---\n# T\n\n" WHOLE "---\n", 13, 1, NULL},
    {"header-breaks-file", "a.sql", WHOLE "---\nSELECT 1;\n", 1, 1, NULL},
    {"dialog-repeated", "a.md", WHOLE "dialog:\n  speaker: B\n  target: \"@C\"\n  message: \"x\"\n---\n", 7, 1, NULL},
    {"note-unclosed", "a.md", "# T\n\n" NOTE "\n# more\n", 3, 1, NULL},
    {"quote-unclosed", "a.md", HEAD "  speaker: A\n  target: \"@B\"\n  message: \"open\n---\n", 6, 12, NULL},
    {"speaker-missing", "a.md", HEAD "  target: \"@B\"\n  message: m\n---\n", 4, 1, NULL},
    {"target-missing", "a.md", HEAD "  speaker: A\n  message: m\n---\n", 4, 1, NULL},
    {"message-missing", "a.md", HEAD "  speaker: A\n  target: \"@B\"\n  message: \"\"\n---\n", 6, 1, NULL},
    /* the specification; checklist 6, 8, 9, 10, 12, 30 */
    {"dialog-missing", "a.md", "---\nwolfie.headers.version: 4.0.1\n---\n", 2, 1, NULL},
    {"target-form", "a.md", HEAD "  speaker: A\n  target: documentation\n  message: m\n---\n", 5, 11, NULL},
    {"target-quotes", "a.md", HEAD "  speaker: A\n  target: @all  # all\n  message: m\n---\n", 5, 11,
     HEAD "  speaker: A\n  target: \"@all\"  # all\n  message: m\n---\n"},
    {"target-quotes", "a.php",
     "<?php\n/**\n * wolfie.headers: x\n * dialog:\n *   speaker: A\n *   target: @all\r\n *   "
     "message: m\n */\n",
     6, 14,
     "<?php\n/**\n * wolfie.headers: x\n * dialog:\n *   speaker: A\n *   target: \"@all\"\r\n *   message: m\n */\n"},
    {"message-length", "a.md", HEAD "  speaker: A\n  target: \"@B\"\n  message: \"" LETTERS_272 "x\"\n---\n", 6, 12,
     NULL},
    {"message-lines", "a.md", HEAD "  speaker: A\n  target: \"@B\"\n  message: |\n    a\n    b\n---\n", 6, 12, NULL},
    {"message-markup", "a.md", HEAD "  speaker: A\n  target: \"@B\"\n  message: \"a `b` c\"\n---\n", 6, 12, NULL},
    {"message-markup", "a.md", HEAD "  speaker: A\n  target: \"@B\"\n  message: \"[a](b)\"\n---\n", 6, 12, NULL},
    {"value-quotes", "a.md", HEAD "  speaker: A\n  target: \"@B\"\n  message: a \"b\": c\n---\n", 6, 12,
     HEAD "  speaker: A\n  target: \"@B\"\n  message: \"a \\\"b\\\": c\"\n---\n"},
    {"value-quotes", "a.md", HEAD "  speaker: A\n  target: \"@B\"\n  message: m\n  mood_RGB: 000000\n---\n", 7, 13,
     HEAD "  speaker: A\n  target: \"@B\"\n  message: m\n  mood_RGB: \"000000\"\n---\n"},
    {"date-form", "a.md",
     HEAD "  speaker: A\n  target: \"@B\"\n  message: m\n  date_ymdhis: 2026-01-06T12:30:00Z\n---\n", 7, 16,
     HEAD "  speaker: A\n  target: \"@B\"\n  message: m\n  date_ymdhis: 20260106123000\n---\n"},
    {"date-form", "a.md", HEAD "  speaker: A\n  target: \"@B\"\n  message: m\n  date_ymdhis: 20261306000000\n---\n", 7,
     16, NULL},
    {"date-form", "a.md",
     HEAD "  speaker: A\n  target: \"@B\"\n  message: m\n  date_ymdhis: 2026-01-06T12:30:00+02:00\n---\n", 7, 16, NULL},
    {"mood-form", "a.md", HEAD "  speaker: A\n  target: \"@B\"\n  message: m\n  mood_RGB: '#FF0000'\n---\n", 7, 13,
     HEAD "  speaker: A\n  target: \"@B\"\n  message: m\n  mood_RGB: \"FF0000\"\n---\n"},
    {"mood-form", "a.md", HEAD "  speaker: A\n  target: \"@B\"\n  message: m\n  mood_RGB: GGGGGG\n---\n", 7, 13, NULL},
    {"mood-form", "a.md", HEAD "  speaker: A\n  target: \"@B\"\n  message: m\n  mood_RGB: FFF\n---\n", 7, 13, NULL},
    {"mood-key", "a.md", HEAD "  speaker: A\n  target: \"@B\"\n  message: m\n  mood: \"FF0000\"\n---\n", 7, 3,
     HEAD "  speaker: A\n  target: \"@B\"\n  message: m\n  mood_RGB: \"FF0000\"\n---\n"},
    {"note-key", "a.md", "# T\n\n---\ndialog:\n  speaker: A\n  target: \"@B\"\n  message: m\n---\n", 4, 1,
     "# T\n\n---\nDIALOG:\n  speaker: A\n  target: \"@B\"\n  message: m\n---\n"},
    {"placeholder", "a.md", "# T\n\n---\nDIALOG:\n  speaker: <STRING>\n  target: \"@B\"\n  message: m\n---\n", 3, 1,
     NULL},
    /* more than it demands */
    {"header-missing", "a.md", "# T\n", 1, 1, NULL},
    {"header-signature", "a.md", WHOLE "---\n", 2, 1, NULL},
    {"header-version", "a.md", "---\nfile.last_modified_system_version: GLOBAL_X\nwolfie.headers: x\n---\n", 2, 36,
     NULL},
    {"header-time", "a.md", "---\nfile.last_modified_utc: 2026\nwolfie.headers: x\n---\n", 2, 25, NULL},
    {"key-repeated", "a.md", "---\nwolfie.headers: x\nheader_atoms:\n  - A\nheader_atoms:\n  - B\n---\n", 5, 1, NULL},
    {"byte-order-mark", "a.md", "\xEF\xBB\xBF" WHOLE "---\n", 1, 1, NULL},
    {"target-several", "a.md", HEAD "  speaker: A\n  target: \"@B @C\"\n  message: m\n---\n", 5, 11, NULL},
    {"mood-missing", "a.md", WHOLE "---\n", 4, 1, NULL},
};

static const cv_finding *find(const cv_findings *all, const char *rule)
{
    for (size_t i = 0; i < all->count; i++)
        if (cv_str_eq(cv_notes_rules[all->items[i].rule].word, cv_str_of(rule)))
            return &all->items[i];
    return NULL;
}

static void test_rules(void **state)
{
    (void)state;
    bool shown[CV_NOTES_RULE_COUNT] = {false};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_notes_file file;
        cv_findings found;
        cv_str fixed, text = cv_str_of(cases[i].text);
        cv_notes_language language = cv_notes_language_of(cv_str_of(cases[i].name));
        cv_notes_read(&a, text, language, 0, &file);
        cv_notes_lint(&a, &file, CV_NOTES_PROFILE_STRICT, &found);
        const cv_finding *f = find(&found, cases[i].rule);
        if (!f || f->line != cases[i].line || f->column != cases[i].column || f->has_fix != (cases[i].fixed != NULL))
            fail_msg("case %zu, %s: %s %zu:%zu%s", i, cases[i].rule, f ? "found at" : "is not found", f ? f->line : 0,
                     f ? f->column : 0, f && f->has_fix ? ", with a fix" : "");
        shown[f->rule] = true;
        cv_notes_lint_fix(&a, text, language, CV_NOTES_PROFILE_SPEC, &fixed);
        if (cases[i].fixed)
            assert_view_eq(fixed, cv_str_of(cases[i].fixed));
        cv_arena_release(&a);
    }
    shown[CV_NOTES_RULE_HEADER_SIZE] = true; /* below */
    for (size_t i = 0; i < CV_NOTES_RULE_COUNT; i++)
        if (!shown[i])
            fail_msg("no case shows the rule %.*s", CV_FMT(cv_notes_rules[i].word));
}

/* A long header, with many keys and many fields: in time that grows with it. */
static void test_long_header(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_buf out = {0};
    cv_notes_file file;
    cv_findings found;
    cv_buf_add_z(&out, WHOLE);
    for (int i = 0; i < 100000; i++)
        cv_buf_printf(&out, "  field%d: x\n", i);
    for (int i = 0; i < 100000; i++)
        cv_buf_printf(&out, "key%d: x\n", i);
    cv_buf_add_z(&out, "---\n");
    cv_notes_read(&a, cv_buf_str(&out), CV_LANG_TEXT, 0, &file);
    cv_notes_lint(&a, &file, CV_NOTES_PROFILE_STRICT, &found);
    assert_non_null(find(&found, "header-size"));
    assert_null(find(&found, "key-repeated"));
    cv_buf_release(&out);
    cv_arena_release(&a);
}

/* The names of the specification, its longest message and its examples are not found fault with. */
static void test_what_is_right(void **state)
{
    (void)state;
    static const char *const speakers[] = {"CAPTAIN_WOLFIE", "CURSOR", "DEEPSEEK", "COPILOT", "PHP_AGENT",
                                           "LILITH",         "THOTH",  "CARMEN",   "WOLFIE"};
    for (size_t i = 0; i < CV_COUNT(speakers); i++) {
        cv_arena a = {0};
        cv_notes_file file;
        cv_findings found;
        cv_str text = cv_arena_printf(&a,
                                      HEAD "  speaker: %s\n  target: \"@everyone\"\n  message: \"" LETTERS_272
                                           "\"\n  date_ymdhis: 20260106120000\n  severity: high\n  mood_RGB: "
                                           "\"666666\"\n---\n",
                                      speakers[i]);
        cv_notes_read(&a, text, CV_LANG_TEXT, 0, &file);
        cv_notes_lint(&a, &file, CV_NOTES_PROFILE_SPEC, &found);
        assert_int_equal(found.count, 0);
        cv_arena_release(&a);
    }
}

/* ---- fixes ------------------------------------------------------------------------------------------------------- */

static void check_fix(cv_arena *a, const char *name, cv_str text)
{
    cv_str fixed, again;
    cv_notes_file before, after;
    cv_findings found;
    cv_notes_language language = cv_notes_language_of(cv_str_of(name));
    cv_notes_read(a, text, language, 0, &before);
    if (!cv_notes_lint_fix(a, text, language, CV_NOTES_PROFILE_STRICT, &fixed))
        return;
    cv_notes_read(a, fixed, language, 0, &after);
    assert_int_equal(before.count, after.count);
    assert_view_eq(cv_notes_body_digest(a, &before), cv_notes_body_digest(a, &after));
    for (size_t i = 0; i < before.count; i++)
        for (int k = 0; k < CV_NOTE_FIELDS; k++)
            if (k != CV_NOTE_DATE && k != CV_NOTE_MOOD)
                assert_view_eq(cv_note_value(&after.items[i], (cv_note_field_id)k),
                               cv_note_value(&before.items[i], (cv_note_field_id)k));
    cv_notes_lint(a, &after, CV_NOTES_PROFILE_STRICT, &found);
    for (size_t i = 0; i < found.count; i++)
        assert_false(found.items[i].has_fix);
    assert_int_equal(cv_notes_lint_fix(a, fixed, language, CV_NOTES_PROFILE_STRICT, &again), 0);
}

static void test_fixes_of_fixtures(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_folder_entries files;
    assert_ok(cv_folder_list(&a, cv_where_named("test/notes/fixtures"), &files, &err), &err);
    for (size_t i = 0; i < files.count; i++) {
        cv_str text;
        assert_ok(cv_file_read(&a, cv_arena_printf(&a, "test/notes/fixtures/%s", files.items[i].name).p,
                               CV_NOTES_MAX_FILE, &text, &err),
                  &err);
        check_fix(&a, files.items[i].name, text);
    }
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_long_header),
        cmocka_unit_test(test_what_is_right),
        cmocka_unit_test(test_fixes_of_fixtures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
