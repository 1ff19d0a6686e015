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
    /* between tags, not beside text, nor in a tag; types are not tags */
    {"a.jsx", "const a = (\n  <ul>\n    <li>x</li>\n    {b}\n  </ul>\n);\n", 3, false},
    {"a.jsx", "const a = (\n  <ul>\n    <li>x</li>\n    {b}\n  </ul>\n);\n", 5, false},
    {"a.jsx", "const a = (\n  <p>\n    it's\n    text\n  </p>\n);\n", 4, true},
    {"a.jsx", "const a = (\n  <p\n    b=\"c\">\n  </p>\n);\n", 3, true},
    {"a.jsx", "const a = c => {\n  if (c < 1 && c > 0) {\n    return 1;\n  }\n};\n", 3, false},
    {"a.jsx", "const a = <ul>{b.map(c => {\n  const d = `{`;\n  return <li key={c}>{d}</li>;\n})}</ul>;\n", 3, false},
    {"a.jsx", "const a = <>\n  <br />\n  <b>x</b>\n</>;\n", 3, false},
    {"a.js", "const a = (\n  <ul>\n    <li>x</li>\n  </ul>\n);\n", 3, false},
    {"a.tsx", "const a = <T,>(x: T) => {\n  return x as Array<T>;\n};\n", 2, false},
    {"a.tsx", "type A = <T>(x: T) => T;\nfunction f() {\n  return 1;\n}\n", 3, true},
    {"a.jsx", "const a = <p>\n  <b>x</i>\n  <b>y</b>\n</p>;\n", 3, true},
    /* strings of many lines, in which a backslash or a quote is not what it seems to be */
    {"a.go", "a := `C:\\`\nb := 1\n", 2, false},
    {"a.go", "a := `C:\\`\nb := `x\ny`\n", 3, true},
    {"a.go", "a := `x ${y\nz`\n", 2, true},
    {"a.toml", "a = '''x\\'''\nb = '''\ny\n'''\n", 3, true},
    {"a.elm", "a = \"\"\"\nx\n\"\"\"\n", 2, true},
    {"a.hs", "f' x = x\ns = \"a\"\nt = 1\n", 3, false},
    {"a.ex", "@doc \"\"\"\nHe said \"hi.\n\"\"\"\n", 3, true},
    {"a.jl", "s = \"\"\"\na \"q b\n\"\"\"\n", 3, true},
    {"a.pl", "s/don't/do/;\n$x = 'a\nb';\n", 3, true},
    {"a.tcl", "set a {\n  x\n}\nputs $a\n", 2, true},
    {"a.tcl", "set a {\n  x\n}\nputs $a\n", 4, false},
    {"a.ps1", "$a = @\"\nx\n\"@\n$b = 1\n", 2, true},
    {"a.ps1", "$a = @\"\nx\n\"@\n$b = 1\n", 4, false},
    {"a.ps1", "$a = \"x `\"\ny\"\n$b = 1\n", 2, true},
    {"a.ps1", "Get-Item `\n  x\n", 2, true},
    {"a.el", "(message \"x\ny\")\n(b)\n", 2, true},
    {"a.el", "(message \"x\ny\")\n(b)\n", 3, false},
    {"a.nix", "''\n  x\n''\n", 2, true},
    {"a.tf", "a = <<EOT\nx\nEOT\n", 2, true},
    {"Dockerfile", "COPY <<E /x\ny\nE\nCMD a\n", 2, true},
    {"Dockerfile.dev", "COPY <<E /x\ny\nE\nCMD a\n", 4, false},
    {"Makefile", "define A\nx\nendef\nb:\n", 2, true},
    {"Makefile", "define A\nx\nendef\nb:\n", 4, false},
    {"CMakeLists.txt", "set(A \"x\ny\")\nset(B [[\nz\n]])\nset(C)\n", 2, true},
    {"CMakeLists.txt", "set(A \"x\ny\")\nset(B [[\nz\n]])\nset(C)\n", 4, true},
    {"CMakeLists.txt", "set(A \"x\ny\")\nset(B [[\nz\n]])\nset(C)\n", 6, false},
    {".env", "A=\"x\ny\"\nB=1\n", 2, true},
    {"a.tex", "\\begin{verbatim}\nx\n\\end{verbatim}\ny\n", 2, true},
    {"a.tex", "\\begin{verbatim}\nx\n\\end{verbatim}\ny\n", 4, false},
    {"run", "#!/usr/bin/env python3\na = '''\nb'''\nc = 1\n", 3, true},
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

/* ---- the language of a file ------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *text, *begins; /* how the new header begins; NULL: it is refused */
} kinds[] = {
    {"a.md", "x\n", "---\n"},
    {"README", "x\n", "---\n"},
    {"docs/README.de", "x\n", "---\n"},
    {"a.ini", "[x]\n", "; ---\n"},
    {"a.tex", "x\n", "% ---\n"},
    {"a.ps1", "x\n", "# ---\n"},
    {"CMakeLists.txt", "x()\n", "# ---\n"},
    {"requirements.txt", "x\n", "# ---\n"},
    {"Dockerfile.dev", "FROM x\n", "# ---\n"},
    {"Gemfile", "x\n", "# ---\n"},
    {".bashrc", "x\n", "# ---\n"},
    {".env.local", "A=1\n", "# ---\n"},
    {"bin/run", "#!/bin/sh\nx\n", "#!/bin/sh\n# ---\n"},
    {"bin/run", "#!/usr/bin/env -S python3.11 -u\nx\n", "#!/usr/bin/env -S python3.11 -u\n# ---\n"},
    {"bin/run", "#!/usr/bin/node\nx\n", "#!/usr/bin/node\n/*\n * ---\n"},
    {"a.inc", "<?php\nx();\n", "<?php\n/*\n"},
    /* what counts only where it comes first */
    {"a.html", "<!DOCTYPE html PUBLIC\n  \"x\">\n<p>\n", "<!DOCTYPE html PUBLIC\n  \"x\">\n<!--\n"},
    {"a.html", "<?xml version=\"1.0\"?>\n<!DOCTYPE html>\n<p>\n", "<?xml version=\"1.0\"?>\n<!DOCTYPE html>\n<!--\n"},
    {"a.py", "\n# coding: latin-1\nx = 1\n", "\n# coding: latin-1\n# ---\n"},
    {"a.rb", "#!/usr/bin/ruby\n# encoding: utf-8\nx\n", "#!/usr/bin/ruby\n# encoding: utf-8\n# ---\n"},
    {"a.el", ";;; a.el -*- lexical-binding: t -*-\n(x)\n", ";;; a.el -*- lexical-binding: t -*-\n; ---\n"},
    {"Dockerfile", "# syntax=x\n# escape=`\nFROM x\n", "# syntax=x\n# escape=`\n# ---\n"},
    {"a.zsh", "#compdef x\ny\n", "#compdef x\n# ---\n"},
    {"a.yaml", "#cloud-config\na: 1\n", "#cloud-config\n# ---\n"},
    {"a.py", "# not about coding\nx = 1\n", "# ---\n"},
    {"a.inc", "int x;\n", NULL},
    {"a.m", "x = 1;\n", NULL},
    {"a.vim", "set nu\n", NULL},
    {"a.bat", "echo x\n", NULL},
    {"a.json", "{}\n", NULL},
    {"LICENSES", "x\n", NULL},
    {"bin/run", "#!/usr/bin/unknown\nx\n", NULL},
};

static void test_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < CV_COUNT(kinds); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_notes_file file;
        cv_note_values v = {0};
        cv_str text = CV_STR("");
        v.of[CV_NOTE_SPEAKER] = CV_STR("KIRO");
        v.of[CV_NOTE_TARGET] = CV_STR("@everyone");
        v.of[CV_NOTE_MESSAGE] = CV_STR("m");
        cv_notes_read(&a, cv_str_of(kinds[i].text), cv_notes_language_of(cv_str_of(kinds[i].name)), 0, &file);
        bool ok = cv_notes_set_header(&a, &file, &v, &text, &err);
        if (ok != (kinds[i].begins != NULL) || (ok && !cv_str_starts(text, cv_str_of(kinds[i].begins))))
            fail_msg("case %zu, %s: %s", i, kinds[i].name, ok ? text.p : err.message.p);
        if (!ok)
            assert_ptr_equal(err.code, CV_ERR_NOTES_NO_COMMENT);
        cv_arena_release(&a);
    }
}

/* A header that a file of no known language has is changed where it stands. */
static void test_unknown_with_header(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_notes_file file;
    cv_note_values v = {0};
    cv_str text;
    v.of[CV_NOTE_SPEAKER] = CV_STR("B");
    v.of[CV_NOTE_TARGET] = CV_STR("@c");
    v.of[CV_NOTE_MESSAGE] = CV_STR("n");
    cv_notes_read(&a, CV_STR("---\ndialog:\n  speaker: A\n  target: \"@b\"\n  message: \"m\"\n---\nx\n"),
                  cv_notes_language_of(CV_STR("a.md.backup.2026")), 0, &file);
    assert_int_equal(file.language, CV_LANG_OTHER);
    assert_ok(cv_notes_set_header(&a, &file, &v, &text, &err), &err);
    assert_str_eq(text, "---\ndialog:\n  speaker: B\n  target: \"@c\"\n  message: \"n\"\n---\nx\n");
    cv_arena_release(&a);
}

/* A note between tags is in braces. */
static void test_jsx(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str text;
    assert_ok(put(&a, "a.jsx", CV_STR("const a = (\n  <ul>\n    <li>x</li>\n  </ul>\n);\n"), 3, "m", &text, &err),
              &err);
    assert_true(cv_str_find(text, CV_STR("  <ul>\n    {/*\n     * ---\n     * DIALOG:\n")) != SIZE_MAX);
    assert_true(cv_str_find(text, CV_STR("     * ---\n     */}\n    <li>x</li>\n")) != SIZE_MAX);
    cv_arena_release(&a);
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
    {"a.ini", "x\n[y]", true},
    {"a.tex", "x\n\\input{y}", true},
    {"a.ps1", "#> Remove-Item x", false},
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

/* A value that ends in a backslash is in quotes: as it is, it would join the next line to the comment. */
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
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_unknown_with_header),
        cmocka_unit_test(test_jsx),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_backslash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
