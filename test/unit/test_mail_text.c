/* test_mail_text.c - what agents, editors and crashes make of JSON: repaired, or refused with its reason. */
#include "testing.h"

#include "base/utf8.h"
#include "mail/text/lines.h"
#include "mail/text/mailbox.h"
#include "mail/text/repair.h"

/* ---- the classes of damage --------------------------------------------------------------------------------------- */

/* Look-alikes of every class that was found in real files. `json`: what it means, or NULL; `tells`: a repair that must
 * be noted, or a part of the reason. `at`: line and column of it; 0: not looked at. */
static const struct {
    const char *name, *text;
    cv_mtext_state state;
    const char *json, *tells;
    size_t line, column;
} classes[] = {
    /* doubled braces, as for a format string */
    {"an extra line of braces", "{{\n  \"type\": \"ALERT\",\n  \"n\": 1\n}}\n", CV_MTEXT_REPAIRED,
     "{\"type\":\"ALERT\",\"n\":1}", "doubled_brace", 1, 2},
    {"all braces doubled", "{{\"a\": {{\"b\": [{{}}, {{\"c\": 1}}]}}, \"d\": {{}}}}", CV_MTEXT_REPAIRED,
     "{\"a\":{\"b\":[{},{\"c\":1}]},\"d\":{}}", "doubled_brace", 1, 2},
    {"only the first brace doubled", "{{\"a\": {\"b\": 1}}", CV_MTEXT_REPAIRED, "{\"a\":{\"b\":1}}", "doubled_brace", 1,
     2},
    {"three of them", "{{\n{\"a\": 1}\n", CV_MTEXT_REPAIRED, "{\"a\":1}", "doubled_brace", 1, 2},
    {"doubled and not closed", "{{\n\"a\": [1, 2", CV_MTEXT_TORN, NULL, "ends inside", 2, 6},
    /* comments */
    {"a comment behind a value", "{\"source_id\": \"A\",  // the initiator\n \"n\": 1}", CV_MTEXT_REPAIRED,
     "{\"source_id\":\"A\",\"n\":1}", "comment", 1, 21},
    {"a block of one", "/* a\n b */ {\"n\": 1}", CV_MTEXT_REPAIRED, "{\"n\":1}", "comment", 1, 1},
    {"as in Python", "# written by agent 5\n{\"n\": 1}", CV_MTEXT_REPAIRED, "{\"n\":1}", "comment", 1, 1},
    {"two slashes in a text are none", "{\"u\": \"http://x\",}", CV_MTEXT_REPAIRED, "{\"u\":\"http://x\"}",
     "trailing_comma", 1, 17},
    {"an editor left text out", "[{\"task_id\": \"t1\"},\n// ... existing JSON objects ...\n{\"task_id\": \"t9\"}]",
     CV_MTEXT_DAMAGED, NULL, "left out text", 2, 1},
    {"three points", "[{\"task_id\": \"t1\"},\n...\n]", CV_MTEXT_DAMAGED, NULL, "left out text", 2, 1},
    {"an ellipsis as a member", "{\"a\": 1, …}", CV_MTEXT_DAMAGED, NULL, "left out text", 1, 10},
    {"a comment without an end", "{\"a\": 1 /* and", CV_MTEXT_TORN, NULL, "inside this comment", 1, 9},
    {"comments alone", "// nothing yet\n", CV_MTEXT_EMPTY, NULL, "only comments", 1, 1},
    /* commas */
    {"a trailing comma", "{\"a\": [1, 2,],\n}", CV_MTEXT_REPAIRED, "{\"a\":[1,2]}", "trailing_comma", 1, 12},
    {"two commas", "[1,, 2]", CV_MTEXT_REPAIRED, "[1,2]", "extra_comma", 1, 4},
    {"a comma first", "{, \"a\": 1}", CV_MTEXT_REPAIRED, "{\"a\":1}", "extra_comma", 1, 2},
    {"a missing one", "{\"a\": 1\n \"b\": 2}", CV_MTEXT_REPAIRED, "{\"a\":1,\"b\":2}", "missing_comma", 2, 2},
    {"a missing one on the same line", "{\"a\": 1 \"b\": 2}", CV_MTEXT_DAMAGED, NULL, "expected ','", 1, 9},
    {"a comma behind it all", "{\"a\": 1},\n", CV_MTEXT_REPAIRED, "{\"a\":1}", "trailing_comma", 1, 9},
    /* encodings */
    {"a byte order mark", "\xEF\xBB\xBF{\"a\": 1}", CV_MTEXT_REPAIRED, "{\"a\":1}", "bom", 1, 1},
    {"another byte than UTF-8", "{\"a\": \"caf\xe9\"}", CV_MTEXT_DAMAGED, NULL, "UTF-8", 1, 11},
    {"a space that is none", "{\"a\":\u00a01}", CV_MTEXT_REPAIRED, "{\"a\":1}", "space", 1, 6},
    {"carriage returns alone", "{\r\"a\": 1, // one\r\"b\": 2}", CV_MTEXT_REPAIRED, "{\"a\":1,\"b\":2}", "comment", 1,
     0},
    /* quotes */
    {"quotes of a shell", "{\"a\": `x\ny`}", CV_MTEXT_REPAIRED, "{\"a\":\"x\\ny\"}", "quotes", 1, 7},
    {"three quotes", "{\"a\": \"\"\"one\ntwo \"x\" \"\"\", \"b\": \"\"}", CV_MTEXT_REPAIRED,
     "{\"a\":\"one\\ntwo \\\"x\\\" \",\"b\":\"\"}", "quotes", 1, 7},
    {"quotes of French", "{\u00aba\u00bb: \u00abb\u00bb}", CV_MTEXT_REPAIRED, "{\"a\":\"b\"}", "quotes", 1, 2},
    {"wide quotes", "{\uff02a\uff02: 1}", CV_MTEXT_REPAIRED, "{\"a\":1}", "quotes", 1, 2},
    {"smart quotes", "{\u201ca\u201d: \u201csays \"hi\u201d}", CV_MTEXT_DAMAGED, NULL, "expected", 1, 0},
    {"smart quotes, plainly", "{\u201ca\u201d: \u201cb\u201d}", CV_MTEXT_REPAIRED, "{\"a\":\"b\"}", "quotes", 1, 2},
    {"smart quotes in a text stay", "{\"a\": \"\u201cb\u201d\",}", CV_MTEXT_REPAIRED, "{\"a\":\"\u201cb\u201d\"}",
     "trailing_comma", 1, 12},
    {"a dict of Python", "{'a': True, 'b': None, 'c': 'it\\'s \"x\"'}", CV_MTEXT_REPAIRED,
     "{\"a\":true,\"b\":null,\"c\":\"it's \\\"x\\\"\"}", "word", 1, 7},
    {"keys without quotes", "{type: \"x\", due_date: null}", CV_MTEXT_REPAIRED, "{\"type\":\"x\",\"due_date\":null}",
     "unquoted_key", 1, 2},
    {"a word without quotes", "{\"status\": PENDING}", CV_MTEXT_REPAIRED, "{\"status\":\"PENDING\"}", "bare_word", 1,
     12},
    {"two words without quotes", "{\"status\": not yet}", CV_MTEXT_DAMAGED, NULL, "a value", 1, 12},
    {"quotes in a text", "{\"a\": \"he said \"hi\" to me\"}", CV_MTEXT_DAMAGED, NULL, "expected ','", 1, 17},
    /* placeholders that nobody filled in */
    {"a placeholder without quotes", "{\"message_id\": {{uuid()}}, \"at\": {{NOW_ISO}}}", CV_MTEXT_REPAIRED,
     "{\"message_id\":\"{{uuid()}}\",\"at\":\"{{NOW_ISO}}\"}", "placeholder", 1, 16},
    {"of a shell", "{\"at\": $(date --iso-8601=seconds)}", CV_MTEXT_REPAIRED, "{\"at\":\"$(date --iso-8601=seconds)\"}",
     "placeholder", 1, 8},
    {"in brackets", "{\"at\": [AUTO_TIMESTAMP]}", CV_MTEXT_REPAIRED, "{\"at\":\"[AUTO_TIMESTAMP]\"}", "placeholder", 1,
     8},
    {"of the specification", "{\"id\": <unique_uuid>}", CV_MTEXT_REPAIRED, "{\"id\":\"<unique_uuid>\"}", "placeholder",
     1, 8},
    {"a call that nobody made", "{\"id\": str(uuid.uuid4()), \"at\": datetime.now().isoformat()\n}", CV_MTEXT_REPAIRED,
     "{\"id\":\"str(uuid.uuid4())\",\"at\":\"datetime.now().isoformat()\"}", "placeholder", 1, 8},
    {"one of JavaScript", "{\"at\": new Date()}", CV_MTEXT_REPAIRED, "{\"at\":\"new Date()\"}", "placeholder", 1, 8},
    {"a call that does not end", "{\"at\": now(\n}", CV_MTEXT_DAMAGED, NULL, "expected a value", 1, 8},
    {"a prefix of Python", "{\"a\": f\"x\"}", CV_MTEXT_DAMAGED, NULL, "expected a value", 1, 7},
    {"in quotes it is a text", "{\"id\": \"{{uuid}}\"}", CV_MTEXT_VALID, "{\"id\":\"{{uuid}}\"}", NULL, 0, 0},
    {"a list of words is none", "{\"a\": [true], \"b\": [null],}", CV_MTEXT_REPAIRED, "{\"a\":[true],\"b\":[null]}",
     "trailing_comma", 1, 26},
    {"a block of a template", "{% if x %}{\"a\": 1}{% endif %}", CV_MTEXT_FOREIGN, NULL, "never rendered", 1, 2},
    /* escapes */
    {"a path of Windows", "{\"p\": \"D:\\Agent\\x\"}", CV_MTEXT_REPAIRED, "{\"p\":\"D:\\\\Agent\\\\x\"}", "escape", 1,
     10},
    {"half a character", "{\"a\": \"\\ud83d\"}", CV_MTEXT_REPAIRED, "{\"a\":\"\\ufffd\"}", "surrogate", 1, 8},
    {"a whole one stays", "{\"a\": \"\\ud83d\\ude80\",}", CV_MTEXT_REPAIRED, "{\"a\":\"\\ud83d\\ude80\"}",
     "trailing_comma", 1, 21},
    {"a line break in a text", "{\"a\": \"one\ntwo\"}", CV_MTEXT_REPAIRED, "{\"a\":\"one\\ntwo\"}", "control", 1, 11},
    {"an escape of a terminal", "{\"a\": \"\x1b[2J\"}", CV_MTEXT_REPAIRED, "{\"a\":\"\\u001b[2J\"}", "control", 1, 8},
    /* numbers */
    {"leading zeros", "{\"id\": 007}", CV_MTEXT_REPAIRED, "{\"id\":\"007\"}", "number", 1, 8},
    {"a plus sign", "{\"n\": +5, \"m\": .5, \"o\": 5.}", CV_MTEXT_REPAIRED, "{\"n\":5,\"m\":0.5,\"o\":5.0}", "number",
     1, 7},
    {"a date", "{\"at\": 2025-04-23T21:07:59Z}", CV_MTEXT_REPAIRED, "{\"at\":\"2025-04-23T21:07:59Z\"}", "number", 1,
     8},
    {"a large one stays", "{\"n\": 12345678901234567890123,}", CV_MTEXT_REPAIRED, "{\"n\":12345678901234567890123}",
     "trailing_comma", 1, 30},
    {"no number", "{\"n\": NaN}", CV_MTEXT_REPAIRED, "{\"n\":null}", "word", 1, 7},
    {"less than any number", "{\"n\": -Infinity}", CV_MTEXT_REPAIRED, "{\"n\":null}", "word", 1, 7},
    /* around the value */
    {"a fenced block", "Here is the message:\n```json\n{\"a\": 1}\n```\nDone.\n", CV_MTEXT_REPAIRED, "{\"a\":1}",
     "fence", 2, 1},
    {"one that is indented", "- say this:\n  ```json\n  {\"a\": 1}\n  ```\n", CV_MTEXT_REPAIRED, "{\"a\":1}", "fence",
     2, 3},
    {"one of other marks", "~~~\n{\"a\": \"```\"}\n~~~", CV_MTEXT_REPAIRED, "{\"a\":\"```\"}", "fence", 1, 1},
    {"what a model thought", "<think>{\"b\": 1}?</think>\n{\"a\": 1}", CV_MTEXT_REPAIRED, "{\"a\":1}", "text_before", 1,
     1},
    {"thoughts without an end", "<think>\n{\"a\": 1}", CV_MTEXT_FOREIGN, NULL, "HTML", 1, 1},
    {"prose before it", "Sure, here it is:\n\n  {\"a\": 1}\n", CV_MTEXT_REPAIRED, "{\"a\":1}", "text_before", 1, 1},
    {"prose with braces before it", "Use {this}:\n{\"a\": 1}\n", CV_MTEXT_FOREIGN, NULL, "text", 1, 1},
    {"an object on a line of prose", "Send {\"a\": 1}", CV_MTEXT_FOREIGN, NULL, "text", 1, 1},
    {"the inside of a string", "{\\\"a\\\": \\\"b\\\"}", CV_MTEXT_REPAIRED, "{\"a\":\"b\"}", "escape", 1, 1},
    {"two of them", "```\n{\"a\": 1}\n```\n\n```\n{\"b\": 1}\n```\n", CV_MTEXT_DAMAGED, NULL, "second fenced block", 5,
     1},
    {"one without an end", "```json\n{\"a\": 1}\n", CV_MTEXT_TORN, NULL, "not closed", 1, 1},
    {"prose behind it", "{\"a\": 1}\n\nLet me know.\n", CV_MTEXT_REPAIRED, "{\"a\":1}", "text_after", 3, 1},
    {"brackets behind it", "{\"a\": 1}\n}\n", CV_MTEXT_REPAIRED, "{\"a\":1}", "extra_close", 2, 1},
    {"a second value", "{\"a\": 1}{\"b\": 2}", CV_MTEXT_DAMAGED, NULL, "second value", 1, 9},
    {"a short write over a longer one", "{\"a\": 1}\n\"tail\": 3}\n", CV_MTEXT_DAMAGED, NULL, "second value", 2, 1},
    {"Python behind it", "[{\"task_id\": \"t\"}]\n# The new task\nnew_task = {\"task_id\": \"u\"}\n", CV_MTEXT_FOREIGN,
     NULL, "Python follows", 3, 1},
    {"NULs behind it", "{\"a\": 1}\n%%%%", CV_MTEXT_REPAIRED, "{\"a\":1}", "nuls", 1, 9},
    {"a NUL in the middle", "{\"a%\": 1}", CV_MTEXT_DAMAGED, NULL, "NUL byte", 1, 4},
    /* nothing, or something else */
    {"nothing", "", CV_MTEXT_EMPTY, NULL, "empty", 1, 1},
    {"white space", " \n\t\n", CV_MTEXT_EMPTY, NULL, "empty", 1, 1},
    {"two NUL bytes", "%%", CV_MTEXT_NULS, NULL, "NUL bytes only", 1, 1},
    {"YAML", "tasks:\n  - task_id: t1\n    status: PENDING\n", CV_MTEXT_FOREIGN, NULL, "YAML", 1, 1},
    {"YAML with its mark", "---\na: 1\n", CV_MTEXT_FOREIGN, NULL, "YAML", 1, 1},
    {"Python", "import json\nprint(json.dumps({}))\n", CV_MTEXT_FOREIGN, NULL, "Python", 1, 1},
    {"an assignment", "task = {\"a\": 1}\n", CV_MTEXT_FOREIGN, NULL, "Python", 1, 1},
    {"Markdown", "# Status\n\nAll is well.\n", CV_MTEXT_FOREIGN, NULL, "Markdown", 1, 1},
    {"prose", "All is well.\n", CV_MTEXT_FOREIGN, NULL, "text", 1, 1},
    {"a page", "<html><body>404</body></html>", CV_MTEXT_FOREIGN, NULL, "HTML", 1, 1},
    /* torn */
    {"in a key", "{\"typ", CV_MTEXT_TORN, NULL, "this string", 1, 2},
    {"behind a key", "{\"type\"", CV_MTEXT_TORN, NULL, "the end of the text", 1, 8},
    {"behind a colon", "{\"type\":", CV_MTEXT_TORN, NULL, "the end of the text", 1, 9},
    {"behind a comma", "{\"a\": 1,\n", CV_MTEXT_TORN, NULL, "this object", 1, 1},
    {"in an array", "{\"a\": [1", CV_MTEXT_TORN, NULL, "this array", 1, 7},
    {"in a word", "{\"a\": tr", CV_MTEXT_TORN, NULL, "this word", 1, 7},
    {"behind a backslash", "{\"a\": \"\\", CV_MTEXT_TORN, NULL, "this string", 1, 7},
    /* keys twice: nobody knows which counts */
    {"a key twice", "{\"a\": 1, \"a\": 2,}", CV_MTEXT_DAMAGED, NULL, "each key once", 1, 10},
};

/* % stands for a NUL. */
static cv_str with_nuls(cv_arena *a, const char *z)
{
    char *text = cv_arena_copy_z(a, cv_str_of(z));
    size_t n = strlen(text);
    bool template = strstr(z, "{%") != NULL;
    for (size_t i = 0; i < n && !template; i++)
        text[i] = text[i] == '%' ? 0 : text[i];
    return (cv_str){text, n};
}

static cv_str compact(cv_arena *a, const cv_json *value)
{
    cv_buf out = {0};
    cv_json_value(&(cv_json_writer){.out = &out}, value);
    return cv_buf_take(&out, a);
}

static const cv_mtext_note *find_note(const cv_mtext_notes *notes, const char *word)
{
    for (size_t i = 0; i < notes->count; i++)
        if (cv_str_eq(cv_mtext_repairs[notes->items[i].kind].word, cv_str_of(word)))
            return &notes->items[i];
    return NULL;
}

static void every_class_of_damage_has_its_outcome(void **state)
{
    (void)state;
    size_t count[CV_MTEXT_STATE_COUNT] = {0}, wrong = 0;
    for (size_t i = 0; i < CV_COUNT(classes); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_mtext text;
        cv_str bytes = with_nuls(&a, classes[i].text);
        bool ok = cv_mtext_read(&a, bytes, &text, &err);
        if (text.state != classes[i].state)
            print_error("%s: %.*s, %.*s\n", classes[i].name, CV_FMT(cv_mtext_states.items[text.state]),
                        CV_FMT(ok ? text.text : err.message));
        assert_int_equal(text.state, classes[i].state);
        assert_int_equal(ok, classes[i].json != NULL);
        count[text.state]++;
        if (classes[i].json) {
            cv_json wanted;
            assert_ok(cv_json_parse(&a, cv_str_of(classes[i].json), &wanted, &err), &err);
            assert_view_eq(compact(&a, &text.value), compact(&a, &wanted));
        } else {
            assert_str_has(err.message, classes[i].tells);
            assert_true(err.suggestion.n > 0);
        }
        const cv_mtext_note *note = ok && classes[i].tells ? find_note(&text.notes, classes[i].tells) : NULL;
        if (ok && classes[i].tells)
            assert_non_null(note);
        size_t line = note ? note->line : err.line, column = note ? note->column : err.column;
        if (classes[i].line && classes[i].column && (line != classes[i].line || column != classes[i].column)) {
            print_error("%s: at %zu:%zu, not %zu:%zu\n", classes[i].name, line, column, classes[i].line,
                        classes[i].column);
            wrong++;
        }
        cv_arena_release(&a);
    }
    assert_int_equal(wrong, 0);
    for (size_t i = 0; i < CV_MTEXT_STATE_COUNT; i++)
        assert_true(count[i] > 0);
}

static void utf16_becomes_utf8(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_mtext text;
    static const char little[] = "\xff\xfe{\0\"\0a\0\"\0:\0\"\0=\xd8\x80\xde\"\0}\0";
    static const char big[] = "\0{\0\"\0a\0\"\0:\0\x31\0}";
    assert_ok(cv_mtext_read(&a, (cv_str){little, sizeof little - 1}, &text, &err), &err);
    assert_view_eq(compact(&a, &text.value), CV_STR("{\"a\":\"\U0001F680\"}"));
    assert_int_equal(text.state, CV_MTEXT_REPAIRED);
    assert_ok(cv_mtext_read(&a, (cv_str){big, sizeof big - 1}, &text, &err), &err);
    assert_view_eq(compact(&a, &text.value), CV_STR("{\"a\":1}"));
    cv_arena_release(&a);
}

/* ---- properties -------------------------------------------------------------------------------------------------- */

static void put_random(cv_test_random *r, cv_buf *out, int depth);

static void put_text(cv_test_random *r, cv_buf *out)
{
    static const char *const pieces[] = {
        "a",      "B7", " ",   "//", "#",    "{{", "}}", ",", "'",   "\\n", "\\\"", "\\u00e9", "\\ud83d\\ude80",
        "\u201c", "ü",  "...", "/*", "True", ":",  "[",  "}", "\\\\"};
    cv_buf_add_char(out, '"');
    for (size_t n = cv_test_below(r, 5); n > 0; n--)
        cv_buf_add_z(out, pieces[cv_test_below(r, CV_COUNT(pieces))]);
    cv_buf_add_char(out, '"');
}

static void put_space(cv_test_random *r, cv_buf *out)
{
    static const char *const spaces[] = {"", "", " ", "\n  ", "\t", "\r\n"};
    cv_buf_add_z(out, spaces[cv_test_below(r, CV_COUNT(spaces))]);
}

static void put_members(cv_test_random *r, cv_buf *out, int depth, bool object)
{
    size_t count = cv_test_below(r, 5);
    cv_buf_add_char(out, object ? '{' : '[');
    for (size_t i = 0; i < count; i++) {
        put_space(r, out);
        if (object) {
            cv_buf_printf(out, "\"k%zu\"", i);
            put_space(r, out);
            cv_buf_add_char(out, ':');
            put_space(r, out);
        }
        put_random(r, out, depth + 1);
        put_space(r, out);
        if (i + 1 < count)
            cv_buf_add_char(out, ',');
    }
    cv_buf_add_char(out, object ? '}' : ']');
}

static void put_random(cv_test_random *r, cv_buf *out, int depth)
{
    static const char *const plain[] = {"true", "false", "null", "0", "-1.5e+3", "12345678901234567890", "1.0"};
    switch (cv_test_below(r, depth > 4 ? 2 : 4)) {
    case 0:
        cv_buf_add_z(out, plain[cv_test_below(r, CV_COUNT(plain))]);
        break;
    case 1:
        put_text(r, out);
        break;
    default:
        put_members(r, out, depth, depth == 0 || cv_test_below(r, 2));
    }
}

/* A valid text is handed back untouched; with one thing broken that a repair knows, it means the same. */
static void what_is_valid_stays_and_repairs_mean_the_same(void **state)
{
    (void)state;
    cv_test_random r = {cv_test_seed()};
    for (int turn = 0; turn < (cv_test_soak() ? 100000 : 2000); turn++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_buf out = {0}, broken = {0};
        cv_mtext text, again;
        put_members(&r, &out, 0, true);
        cv_str valid = cv_buf_str(&out);
        assert_ok(cv_mtext_read(&a, valid, &text, &err), &err);
        assert_int_equal(text.state, CV_MTEXT_VALID);
        assert_ptr_equal(text.text.p, valid.p);
        assert_int_equal(text.notes.count, 0);
        static const char *const before[] = {"\xEF\xBB\xBF", "// note\n", "{", "```json\n", "", ""};
        static const char *const behind[] = {"", "\n/* end */", "}", "\n```\n", "\n}\n]", "\nThat is all."};
        size_t how = cv_test_below(&r, CV_COUNT(before));
        cv_buf_add_z(&broken, before[how]);
        cv_buf_add(&broken, valid);
        cv_buf_add_z(&broken, behind[how]);
        assert_ok(cv_mtext_read(&a, cv_buf_str(&broken), &again, &err), &err);
        assert_int_equal(again.state, CV_MTEXT_REPAIRED);
        assert_true(again.notes.count > 0);
        assert_view_eq(compact(&a, &again.value), compact(&a, &text.value));
        cv_buf_release(&out);
        cv_buf_release(&broken);
        cv_arena_release(&a);
    }
}

/* A beginning of a text is never taken for the whole: a file that still grows is not read. */
static void no_beginning_of_a_message_is_one(void **state)
{
    (void)state;
    cv_test_random r = {cv_test_seed()};
    for (int turn = 0; turn < (cv_test_soak() ? 5000 : 200); turn++) {
        cv_arena a = {0};
        cv_buf out = {0};
        put_members(&r, &out, 0, true);
        for (size_t n = 0; n < out.n; n++) {
            cv_err err = {.arena = &a};
            cv_mtext text;
            assert_false(cv_mtext_read(&a, cv_str_head(cv_buf_str(&out), n), &text, &err));
        }
        cv_buf_release(&out);
        cv_arena_release(&a);
    }
}

/* One pass: hostile texts of twice the length take about twice the memory, and none takes for ever. */
/* They are read, or refused with a reason. */
static void hostile_texts_end(void **state)
{
    (void)state;
    static const char *const openers[] = {"{",  "[",     "{{",        "{\"a\":{", "//",  "/*",        "\"",   "\\",
                                          "'",  "}",     ",",         "#",        "{{x", "\u201c",    "[A_B", "<abc",
                                          "$(", "```\n", "\"\\ud83d", "-",        "...", "{\"a\":1\n"};
    for (size_t i = 0; i < CV_COUNT(openers); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_buf out = {0};
        cv_mtext text;
        while (out.n < 300000)
            cv_buf_add_z(&out, openers[i]);
        assert_true(cv_mtext_read(&a, cv_buf_str(&out), &text, &err) || err.message.n > 0);
        cv_buf_add_char(&out, '}');
        cv_err_clear(&err);
        assert_true(cv_mtext_read(&a, cv_buf_str(&out), &text, &err) || err.message.n > 0);
        cv_buf_release(&out);
        cv_arena_release(&a);
    }
}

static void notes_have_a_ceiling(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_buf out = {0};
    cv_mtext text;
    cv_buf_add_char(&out, '[');
    for (int i = 0; i < 3000; i++)
        cv_buf_add_z(&out, "True,\n");
    cv_buf_add_z(&out, "1]");
    assert_ok(cv_mtext_read(&a, cv_buf_str(&out), &text, &err), &err);
    assert_int_equal(text.notes.count, CV_MTEXT_MAX_NOTES);
    assert_int_equal(text.notes.left_out, 2000);
    assert_str_has(cv_mtext_notes_text(&a, &text.notes), "word 'True' at 2:1");
    assert_str_has(cv_mtext_notes_text(&a, &text.notes), "and 2000 more");
    cv_buf_release(&out);
    cv_arena_release(&a);
}

static void the_bytes_of_a_value_are_found_again(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json v;
    cv_str text = CV_STR("{\"a\": {\"x\": \"}\\\"{\", \"y\": [1, 2]}, \"b\": -1.50, \"c\": \"\\\\\", \"d\": null}");
    assert_ok(cv_json_parse(&a, text, &v, &err), &err);
    assert_str_eq(cv_mtext_raw(text, &v), text.p);
    assert_str_eq(cv_mtext_raw(text, &v.members[0].value), "{\"x\": \"}\\\"{\", \"y\": [1, 2]}");
    assert_str_eq(cv_mtext_raw(text, &v.members[1].value), "-1.50");
    assert_str_eq(cv_mtext_raw(text, &v.members[2].value), "\"\\\\\"");
    assert_str_eq(cv_mtext_raw(text, &v.members[3].value), "null");
    cv_arena_release(&a);
}

static void placeholders_are_known(void **state)
{
    (void)state;
    static const char *const are[] = {"{{uuid}}",        " {{ uuid() }} ", "$(date --iso-8601=seconds)",
                                      "${NOW}",          "<unique_uuid>",  "<agent_id>",
                                      "[AUTO_TIMESTAMP]"};
    static const char *const are_not[] = {"",    "m1",     "{}",  "{{}}",    "[]",
                                          "[1]", "[true]", "<b>", "a {{b}}", "{{\"a\": 1}}"};
    for (size_t i = 0; i < CV_COUNT(are); i++)
        assert_true(cv_mtext_is_placeholder(cv_str_of(are[i])));
    for (size_t i = 0; i < CV_COUNT(are_not); i++)
        assert_false(cv_mtext_is_placeholder(cv_str_of(are_not[i])));
    assert_true(cv_mtext_has_placeholder(CV_STR("ALERT_AGENT8_{{uuid}}.json")));
    assert_true(cv_mtext_has_placeholder(CV_STR("status_[AUTO_TIMESTAMP].json")));
    assert_false(cv_mtext_has_placeholder(CV_STR("task_7.json")));
}

/* ---- JSON Lines -------------------------------------------------------------------------------------------------- */

/* checklist 52, 53: the printed lines are read verbatim, a torn last line is told and the rest kept */
static void lines_are_read_with_a_torn_end(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        cv_mtext_lines_form form;
        size_t count, bad, sound;
    } cases[] = {
        {"{\"message_id\": \"m1\"}\n{\"message_id\": \"m2\"}\n", CV_MTEXT_LINES_WHOLE, 2, 0, 42},
        {"{\"message_id\": \"m1\"}\n{\"message_id\": \"m2\"}", CV_MTEXT_LINES_UNFINISHED, 2, 0, 21},
        {"{\"message_id\": \"m1\"}\n{\"message_id\": \"m", CV_MTEXT_LINES_TORN, 2, 1, 21},
        {"{\"a\": 1}\n\n{\"b\": \n{\"c\": 1}\n", CV_MTEXT_LINES_WHOLE, 3, 1, 26},
        {"[]", CV_MTEXT_LINES_ARRAY, 0, 0, 0},
        {"[\n  {\"task_id\": \"t1\",\n   \"n\": 1},\n  {\"task_id\": \"t2\"}\n]\n", CV_MTEXT_LINES_ARRAY, 2, 0, 0},
        {"", CV_MTEXT_LINES_EMPTY, 0, 0, 0},
        {"%%", CV_MTEXT_LINES_NULS, 0, 0, 0},
        {"{\"a\": 1}\n%%%", CV_MTEXT_LINES_WHOLE, 1, 0, 9},
        {"// Line 1\n{\"message_id\": \"m1\", \"output\": {\"files_changed\": 1}, \"error_details\": null}\n",
         CV_MTEXT_LINES_WHOLE, 1, 0, 86},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_mtext_lines lines;
        size_t bad = 0;
        cv_mtext_lines_read(&a, with_nuls(&a, cases[i].bytes), &lines);
        for (size_t n = 0; n < lines.lines.count; n++)
            bad += lines.lines.items[n].reason.n > 0;
        assert_int_equal(lines.form, cases[i].form);
        assert_int_equal(lines.lines.count, cases[i].count);
        assert_int_equal(bad, cases[i].bad);
        assert_int_equal(lines.sound, cases[i].sound);
        cv_arena_release(&a);
    }
}

/* ---- mailbox_N.json ---------------------------------------------------------------------------------------------- */

static void mailboxes_of_every_shape_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *status, *agent;
        size_t messages, processed;
    } cases[] = {
        {"{\"status\":\"idle\",\"assigned_agent_id\":\"A\",\"last_seen_utc\":\"x\",\"messages\":[{}],"
         "\"processed_message_ids\":[\"m\"]}",
         "idle", "A", 1, 1},
        {"[{\"message_id\":\"m\"}]", "", "", 1, 0},
        {"{\"status\":\"CLAIMED\",\"assigned_agent_id\":4,\"messages\":[],\"mailbox_id\":3}", "CLAIMED", "4", 0, 0},
        {"{\"incoming\":[{},{}],\"outgoing\":[],\"processed_ids\":[1]}", "", "", 2, 1},
        {"{\"assigned_agent_id\":null,\"status\":\"offline\",\"owner\":\"B\"}", "offline", "B", 0, 0},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_json v;
        cv_mtext_mailbox box;
        assert_ok(cv_json_parse(&a, cv_str_of(cases[i].text), &v, &err), &err);
        assert_ok(cv_mtext_mailbox_read(&v, &box, &err), &err);
        assert_str_eq(box.status, cases[i].status);
        assert_str_eq(box.agent, cases[i].agent);
        assert_int_equal(box.messages ? box.messages->count : 0, cases[i].messages);
        assert_int_equal(box.processed ? box.processed->count : 0, cases[i].processed);
        cv_arena_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_class_of_damage_has_its_outcome),
        cmocka_unit_test(utf16_becomes_utf8),
        cmocka_unit_test(what_is_valid_stays_and_repairs_mean_the_same),
        cmocka_unit_test(no_beginning_of_a_message_is_one),
        cmocka_unit_test(hostile_texts_end),
        cmocka_unit_test(notes_have_a_ceiling),
        cmocka_unit_test(the_bytes_of_a_value_are_found_again),
        cmocka_unit_test(placeholders_are_known),
        cmocka_unit_test(lines_are_read_with_a_torn_end),
        cmocka_unit_test(mailboxes_of_every_shape_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
