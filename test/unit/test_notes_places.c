/* test_notes_places.c - where a note may not go, in each language: into strings that go on over lines, templates, data,
 * documents, tags and markup. Where it may go it is put.
 */
#include "testing.h"

#include "notes/text/write.h"
#include "notes/words/errors.h"

static const struct {
    const char *name, *text;
    size_t line;
    bool refused;
} cases[] = {
    {"a.js", "const a = `x ${ f(`y\nz`) }\nq`;\nlet b;\n", 2, true},
    {"a.js", "const a = `x ${ f(`y\nz`) }\nq`;\nlet b;\n", 3, true},
    {"a.js", "const a = `x ${ f(`y\nz`) }\nq`;\nlet b;\n", 4, false},
    {"a.js", "const a = `x ${ {a:1}\n.a } y`;\nlet b;\n", 2, false},
    {"a.rs", "let a = \"one\ntwo\";\nlet b = 1;\n", 2, true},
    {"a.rs", "let a = \"one\ntwo\";\nlet b = 1;\n", 3, false},
    {"a.rs", "let a = r#\"one \"x\"\ntwo\"#;\nlet b = 1;\n", 2, true},
    {"a.cpp", "auto a = R\"(one \"\ntwo)\";\nint b;\n", 2, true},
    {"a.cpp", "auto a = R\"(one \"\ntwo)\";\nint b;\n", 3, false},
    {"a.cs", "var a = @\"one\ntwo\";\nint b;\n", 2, true},
    {"a.yaml", "a: \"first\n  note: second\"\nb: 1\n", 2, true},
    {"a.yaml", "a: \"first\n  note: second\"\nb: 1\n", 3, false},
    {"a.yaml", "a: text\n  more\n\n  more2\nb: 1\n", 3, true},
    {"a.html", "<p>x</p>\n<a title=\"x > y\"\n href=\"b\">c</a>\n", 3, true},
    {"a.html", "<p>x</p>\n<a title=\"x > y\"\n href=\"b\">c</a>\n", 2, false},
    {"a.sql", "COPY t (a) FROM stdin;\n1\n2\n\\.\nSELECT 1;\n", 3, true},
    {"a.sql", "COPY t (a) FROM stdin;\n1\n2\n\\.\nSELECT 1;\n", 5, false},
    {"a.pl", "my $x = 1;\n__END__\ndata\n", 3, true},
    {"a.pl", "my $x = 1;\n=pod\n\ntext\n\n=cut\n\nmy $y;\n", 4, true},
    {"a.pl", "my $x = 1;\n=pod\n\ntext\n\n=cut\n\nmy $y;\n", 8, false},
    {"a.jsx", "const a = (\n  <div>\n    text\n  </div>\n);\n", 3, true},
    {"a.vue", "<template>\n<p>a</p>\n</template>\n<script>\nlet a;\n</script>\n", 5, true},
    {"a.py", "x = \"\"\"a\nb\"\"\"\ny = 1\n", 2, true},
    {"a.py", "s = f\"\"\"a {\nb}\n\"\"\"\n", 2, true},
    {"a.sh", "cat <<A <<B\na\nA\nb\nB\necho\n", 4, true},
    {"a.sh", "cat <<A <<B\na\nA\nb\nB\necho\n", 6, false},
    {"a.rb", "x = %q(a\nb)\ny = 1\n", 2, true},
    {"a.go", "var a = `x\ny`\n", 2, true},
    {"a.kt", "val a = \"\"\"x\ny\"\"\"\n", 2, true},
    {"a.c", "#define A \\\n  1\n", 2, true},
    {"a.php", "<?php\n$a = <<<\"X\"\na\nX;\n$b=1;\n", 3, true},
    {"a.php", "<?php\n$a = \"x {$b[\"k\"]}\ny\";\n$c=1;\n", 3, true},
    {"a.mk", "a:\n	echo \\\n	b\n", 3, true},
    {"a.md", "<script>\nlet a\n\nlet b;\n</script>\n", 3, true},
    {"a.css", "a { content: \"x\\\ny\"; }\n", 2, true},
    {"a.ts", "const a = /[`]/;\nconst b = 1;\n", 2, false},
    {"a.js", "if (a) /`/.test(b);\nlet c;\n", 2, true},
    {"a.swift", "let a = \"\"\"\nx\n\"\"\"\nlet b = 1\n", 2, true},
    {"a.toml", "a = \"\"\"\nx\n\"\"\"\nb = 1\n", 2, true},
    {"a.toml", "a = [\n  1,\n  2,\n]\n", 3, false},
    {"a.dart", "var a = r\"\"\"\nx\n\"\"\";\n", 2, true},
    {"a.lua", "local a = [==[\nx\n]==]\nlocal b = 1\n", 2, true},
    {"a.lua", "local a = [==[\nx\n]==]\nlocal b = 1\n", 4, false},
    {"a.java", "int a; // it's \"fine\nint b;\n", 2, false},
    {"a.html", "<textarea>\nx\n</textarea>\n<xmp>\ny\n</xmp>\n", 5, true},
    {"a.yaml", "a:\n  - \"x\n    - y\"\n  - z\n", 3, true},
    {"a.md", "$$\na\n\nb\n$$\n", 3, false},
    {"a.md", "a\n\n    code\n\n    code2\n", 4, false},
    {"a.tsx", "function f() {\n  return <p>\n    {a}\n  </p>;\n}\nconst b = 1;\n", 6, false},
};

static bool put(cv_arena *a, const char *name, cv_str text, size_t line, const char *message, cv_str *ret, cv_err *err)
{
    cv_notes_file file;
    cv_note_insertion note = {.line = line};
    size_t bad;
    note.values.of[CV_NOTE_SPEAKER] = CV_STR("KIRO");
    note.values.of[CV_NOTE_TARGET] = CV_STR("@everyone");
    note.values.of[CV_NOTE_MESSAGE] = cv_str_of(message);
    cv_notes_read(a, text, cv_notes_language_of(cv_str_of(name)), 0, &file);
    return cv_notes_insert(a, &file, &note, 1, ret, &bad, err);
}

static void test_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_str text;
        bool ok = put(&a, cases[i].name, cv_str_of(cases[i].text), cases[i].line, "hello", &text, &err);
        if (ok == cases[i].refused)
            fail_msg("case %zu, %s line %zu: %s", i, cases[i].name, cases[i].line, ok ? text.p : err.message.p);
        if (!ok)
            assert_ptr_equal(err.code, CV_ERR_NOTES_PLACE);
        cv_arena_release(&a);
    }
}

/* ---- messages that try to leave their comment ----------------------------------------------------------------------
 */

static const struct {
    const char *name, *message;
    bool refused;
} messages[] = {
    {"a.php", "x */ system('id'); /*", true},
    {"a.php", "x ?> <b>", true},
    {"a.php", "<?php echo 1;", true},
    {"a.js", "x */ alert(1)", true},
    {"a.rs", "see /* there", true}, /* comments nest */
    {"a.css", "*/ body { }", true},
    {"a.html", "x --> <script>", true},
    {"a.html", "x --!> <script>", true},
    {"a.html", "<!-- x", true},
    {"a.md", "---", true},
    {"a.sql", "x\nDROP TABLE t;", true},
    {"a.sql", "x\rDROP TABLE t;", true},
    {"a.py", "x\nimport os", true},
    {"a.js", "x\xe2\x80\xa8y", true}, /* U+2028 ends a line of JavaScript */
    {"a.sh", "x\n rm -rf /", true},
    {"a.md", "<x>", true}, /* would be read as a placeholder */
    {"a.sql", "it's; DROP TABLE t; --", false},
    {"a.py", "\"\"\" in a comment", false},
    {"a.js", "// and <script> are harmless", false},
    {"a.md", "ends in a backslash\\", false},
    {"a.md", "*/ --> \"\"\"", false},
};

static void test_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < CV_COUNT(messages); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_notes_file file;
        cv_note_values v = {0};
        bool is_php = cv_str_ends(cv_str_of(messages[i].name), CV_STR(".php"));
        cv_str before = is_php ? CV_STR("<?php\n\n\n") : CV_STR("\n\n\n"), text;
        v.of[CV_NOTE_SPEAKER] = CV_STR("KIRO");
        v.of[CV_NOTE_TARGET] = CV_STR("@everyone");
        v.of[CV_NOTE_MESSAGE] = cv_str_of(messages[i].message);
        bool note = put(&a, messages[i].name, before, 3, messages[i].message, &text, &err);
        cv_notes_read(&a, before, cv_notes_language_of(cv_str_of(messages[i].name)), 0, &file);
        bool header = cv_notes_set_header(&a, &file, &v, &text, &err);
        if (note == messages[i].refused || header == messages[i].refused)
            fail_msg("case %zu, %s: note %d, header %d: %s", i, messages[i].name, note, header, messages[i].message);
        cv_arena_release(&a);
    }
}

/* A value that ends in a backslash stands in quotes: as it is, it would join the next line to the comment. */
static void test_backslash(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_notes_file file;
    cv_note_values v = {0};
    cv_str text;
    v.of[CV_NOTE_SPEAKER] = CV_STR("A\\");
    v.of[CV_NOTE_TARGET] = CV_STR("@b");
    v.of[CV_NOTE_MESSAGE] = CV_STR("m\\");
    cv_notes_read(
        &a, CV_STR("// wolfie.headers: x\n// dialog:\n//   speaker: A\n//   target: @b\n//   message: m\nint x;\n"),
        CV_LANG_C, 0, &file);
    assert_ok(cv_notes_set_header(&a, &file, &v, &text, &err), &err);
    assert_true(cv_str_find(text, CV_STR("\\\n")) == SIZE_MAX);
    cv_arena_release(&a);
}

/* A header in a comment that SQL does not know: a quote in it would make a string of the note below. */
static void test_quote_outside_of_comments(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_notes_file file;
    cv_note_values v = {0};
    cv_str text;
    v.of[CV_NOTE_SPEAKER] = CV_STR("it's");
    v.of[CV_NOTE_TARGET] = CV_STR("@b");
    v.of[CV_NOTE_MESSAGE] = CV_STR("m");
    cv_notes_read(&a,
                  CV_STR("<!--\n---\ndialog:\n  speaker: A\n  target: @B\n  message: m\n---\n"
                         "---\nDIALOG:\n  speaker: A\n  target: @B\n  message: m\n---\n-->\n"),
                  CV_LANG_SQL, 0, &file);
    assert_false(cv_notes_set_header(&a, &file, &v, &text, &err));
    assert_ptr_equal(err.code, CV_ERR_NOTES_HEADER);
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quote_outside_of_comments),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_backslash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
