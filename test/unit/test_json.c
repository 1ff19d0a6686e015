/* test_json.c - what is read, what is refused and where, agreement with jansson, and writing. */
#include "testing.h"

#include <dirent.h>
#include <jansson.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/utf8.h"

#define CORPUS "test/fuzz/corpus/json"

/* ---- helpers --------------------------------------------------------------------------------- */

static cv_str write_value(cv_arena *a, const cv_json *value, int indent)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out, .indent = indent};
    cv_json_value(&w, value);
    cv_str text = cv_arena_copy(a, cv_buf_str(&out));
    cv_buf_release(&out);
    return text;
}

/* `count` times `open`, then `middle`, then `count` times `close`. */
static cv_str nest(cv_arena *a, int count, const char *open, const char *middle, const char *close)
{
    cv_buf b = {0};
    for (int i = 0; i < count; i++)
        cv_buf_add_z(&b, open);
    cv_buf_add_z(&b, middle);
    for (int i = 0; i < count; i++)
        cv_buf_add_z(&b, close);
    cv_str text = cv_arena_copy(a, cv_buf_str(&b));
    cv_buf_release(&b);
    return text;
}

/* An exact copy on the heap, so that the sanitizer sees a read past the end. */
static bool parse_exact(cv_arena *a, cv_str text, cv_json *ret, cv_err *err, char **ret_copy)
{
    *ret_copy = malloc(text.n ? text.n : 1);
    assert_non_null(*ret_copy);
    if (text.n)
        memcpy(*ret_copy, text.p, text.n);
    return cv_json_parse(a, (cv_str){*ret_copy, text.n}, ret, err);
}

/* ---- accepted -------------------------------------------------------------------------------- */

/* What is read, written again without spaces. */
static const struct {
    cv_str text;
    const char *compact;
} accepted[] = {
    {CV_STR_INIT("null"), "null"},
    {CV_STR_INIT(" true "), "true"},
    {CV_STR_INIT("false\n"), "false"},
    {CV_STR_INIT("0"), "0"},
    {CV_STR_INIT("-0"), "-0"},
    {CV_STR_INIT("-12.50e+007"), "-12.50e+007"},
    {CV_STR_INIT("1E400"), "1E400"},
    {CV_STR_INIT("123456789012345678901234567890"), "123456789012345678901234567890"},
    {CV_STR_INIT("\"\""), "\"\""},
    {CV_STR_INIT("[]"), "[]"},
    {CV_STR_INIT("{ }"), "{}"},
    {CV_STR_INIT("\r\n\t [ 1 ,\t[ ] , { } ]\n        "), "[1,[],{}]"},
    {CV_STR_INIT("{\"a\":{\"a\":{\"a\":[]}},\"b\":[{\"a\":1},{\"a\":2}]}"),
     "{\"a\":{\"a\":{\"a\":[]}},\"b\":[{\"a\":1},{\"a\":2}]}"},
    {CV_STR_INIT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), "\"\\\"\\\\/\\b\\f\\n\\r\\t\""},
    {CV_STR_INIT("\"\\u0041\\u00e9\\u20AC\\uD83D\\ude00\""), "\"A\u00e9\u20ac\U0001f600\""},
    {CV_STR_INIT("\"\\u0000\\u001f\\u007f\""), "\"\\u0000\\u001f\x7f\""},
    {CV_STR_INIT("\"\u00e9\u20ac\U0001f600\ufeff\uffff\""), "\"\u00e9\u20ac\U0001f600\ufeff\uffff\""},
    {CV_STR_INIT("\"1234567\\n12345678\\\\1\u00e923456\\t\""), "\"1234567\\n12345678\\\\1\u00e923456\\t\""},
    {CV_STR_INIT("{\"\":1,\"a\":2,\"A\":3,\"aa\":4}"), "{\"\":1,\"a\":2,\"A\":3,\"aa\":4}"},
};

static void test_accepts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_json value;
        char *copy;
        assert_ok(parse_exact(&a, accepted[i].text, &value, &err, &copy), &err);
        assert_str_eq(write_value(&a, &value, 0), accepted[i].compact);
        free(copy);
        cv_arena_release(&a);
    }
}

/* ---- refused --------------------------------------------------------------------------------- */

static const struct {
    cv_str text;
    cv_err_code code;
    size_t line, column;
    const char *message;
    const char *suggestion;
} refused[] = {
    {CV_STR_INIT(""), CV_ERR_JSON, 1, 1, "expected a value, found an empty text", ""},
    {CV_STR_INIT(" \n "), CV_ERR_JSON, 2, 2, "expected a value, found an empty text", ""},
    {CV_STR_INIT("\xEF\xBB\xBF{}"), CV_ERR_JSON, 1, 1, "expected a value, found a byte order mark (U+FEFF)",
     "save the text as UTF-8 without a byte order mark"},
    {CV_STR_INIT("{\"a\": [1, 2}"), CV_ERR_JSON, 1, 12, "expected ',' or ']' after a value, found '}'", ""},
    {CV_STR_INIT("{\"a\": 1]"), CV_ERR_JSON, 1, 8, "expected ',' or '}' after a value, found ']'", ""},
    {CV_STR_INIT("[1,\n 2,\n]"), CV_ERR_JSON, 3, 1, "expected a value after ',', found ']'",
     "remove the trailing comma"},
    {CV_STR_INIT("{\"a\": 1, }"), CV_ERR_JSON, 1, 10, "expected a key in double quotes after ',', found '}'",
     "remove the trailing comma"},
    {CV_STR_INIT("[,1]"), CV_ERR_JSON, 1, 2, "expected a value, found ','", "remove the extra comma"},
    {CV_STR_INIT("[1,,2]"), CV_ERR_JSON, 1, 4, "expected a value after ',', found ','", "remove the extra comma"},
    {CV_STR_INIT("[\"\u00e9\" \"b\"]"), CV_ERR_JSON, 1, 6, "expected ',' or ']' after a value, found '\"'",
     "put a comma between them"},
    {CV_STR_INIT("[0x10]"), CV_ERR_JSON, 1, 3, "expected ',' or ']' after a value, found 'x10'", ""},
    {CV_STR_INIT("{\"a\" 1}"), CV_ERR_JSON, 1, 6, "expected ':' after a key, found '1'", ""},
    {CV_STR_INIT("{\"a\" = 1}"), CV_ERR_JSON, 1, 6, "expected ':' after a key, found '='",
     "use ':' between key and value"},
    {CV_STR_INIT("{a: 1}"), CV_ERR_JSON, 1, 2, "expected a key in double quotes or '}', found 'a'",
     "put the key in double quotes"},
    {CV_STR_INIT("{'a': 1}"), CV_ERR_JSON, 1, 2, "expected a key in double quotes or '}', found '''",
     "use double quotes"},
    {CV_STR_INIT("[\u201ca\u201d]"), CV_ERR_JSON, 1, 2, "expected a value, found '\u201c'",
     "use straight double quotes"},
    {CV_STR_INIT("// x\n{}"), CV_ERR_JSON, 1, 1, "expected a value, found '/'", "JSON has no comments"},
    {CV_STR_INIT("[1 /* x */]"), CV_ERR_JSON, 1, 4, "expected ',' or ']' after a value, found '/'",
     "JSON has no comments"},
    {CV_STR_INIT("[True]"), CV_ERR_JSON, 1, 2, "expected a value, found 'True'", "write true in lower case"},
    {CV_STR_INIT("nul"), CV_ERR_JSON, 1, 1, "expected a value, found 'nul'", ""},
    {CV_STR_INIT("truex"), CV_ERR_JSON, 1, 1, "expected a value, found 'truex'", ""},
    {CV_STR_INIT("NaN"), CV_ERR_JSON, 1, 1, "expected a value, found 'NaN'", "JSON has no NaN; write null"},
    {CV_STR_INIT("-Infinity"), CV_ERR_JSON, 1, 2, "expected a digit after '-', found 'Infinity'",
     "JSON has no infinity; write null"},
    {CV_STR_INIT("-"), CV_ERR_JSON, 1, 2, "expected a digit after '-', found the end of the text", ""},
    {CV_STR_INIT("+1"), CV_ERR_JSON, 1, 1, "expected a value, found '+'", "remove the plus sign"},
    {CV_STR_INIT("- a: 1\n"), CV_ERR_JSON, 1, 2, "expected a digit after '-', found ' '",
     "it looks like YAML: write JSON"},
    {CV_STR_INIT("---\na: 1\n"), CV_ERR_JSON, 1, 2, "expected a digit after '-', found '-'",
     "it looks like YAML: write JSON"},
    {CV_STR_INIT("\nagents:\n"), CV_ERR_JSON, 2, 1, "expected a value, found 'agents'",
     "it looks like YAML: write JSON"},
    {CV_STR_INIT("agents = 1"), CV_ERR_JSON, 1, 1, "expected a value, found 'agents'", NULL},
    {CV_STR_INIT(".5"), CV_ERR_JSON, 1, 1, "expected a value, found '.'", "write a digit before the point"},
    {CV_STR_INIT("[-007]"), CV_ERR_JSON, 1, 2, "expected a number without leading zeros, found '-007'",
     "remove the leading zeros, or write a string"},
    {CV_STR_INIT("[1.]"), CV_ERR_JSON, 1, 4, "expected a digit after '.', found ']'", ""},
    {CV_STR_INIT("[1e+]"), CV_ERR_JSON, 1, 5, "expected a digit in the exponent, found ']'", ""},
    {CV_STR_INIT("{} {}"), CV_ERR_JSON, 1, 4, "expected the end of the text after the value, found '{'", ""},
    {CV_STR_INIT("1\0"), CV_ERR_JSON, 1, 2,
     "expected the end of the text after the value, found the control character U+0000", ""},
    {CV_STR_INIT("[1\f]"), CV_ERR_JSON, 1, 3, "expected ',' or ']' after a value, found the control character U+000C",
     ""},
    {CV_STR_INIT("[1"), CV_ERR_JSON, 1, 3, "expected ',' or ']' after a value, found the end of the text", ""},
    {CV_STR_INIT("{\"a\""), CV_ERR_JSON, 1, 5, "expected ':' after a key, found the end of the text", ""},
    {CV_STR_INIT("{\"a\":"), CV_ERR_JSON, 1, 6, "expected a value, found the end of the text", ""},
    {CV_STR_INIT("[\"abc"), CV_ERR_JSON, 1, 2, "expected '\"' to close this string, found the end of the text", ""},
    {CV_STR_INIT("[\"a\\nbc"), CV_ERR_JSON, 1, 2, "expected '\"' to close this string, found the end of the text", ""},
    {CV_STR_INIT("[\"a\nb\"]"), CV_ERR_JSON, 1, 4,
     "expected an escape or '\"', found the control character U+000A in a string",
     "close the string, or write \\n for a line break in it"},
    {CV_STR_INIT("[\"\\n\x01\"]"), CV_ERR_JSON, 1, 5,
     "expected an escape or '\"', found the control character U+0001 in a string",
     "write it as \\u and four hex digits"},
    {CV_STR_INIT("[\"C:\\dir\"]"), CV_ERR_JSON, 1, 6, "expected one of \" \\ / b f n r t u after '\\', found 'dir'",
     "write \\\\ for a backslash"},
    {CV_STR_INIT("\"\\"), CV_ERR_JSON, 1, 3,
     "expected one of \" \\ / b f n r t u after '\\', found the end of the text", "write \\\\ for a backslash"},
    {CV_STR_INIT("\"\\u12G4\""), CV_ERR_JSON, 1, 4, "expected four hex digits after \\u, found '12G4'",
     "write \\\\ for a backslash"},
    {CV_STR_INIT("\"\\ud83d\""), CV_ERR_JSON, 1, 2, "expected a pair of surrogates, found only the first half \\ud83d",
     "write the character itself, or both halves as \\ud8..\\udc.."},
    {CV_STR_INIT("\"\\uD83D\\u0041\""), CV_ERR_JSON, 1, 2,
     "expected a pair of surrogates, found only the first half \\uD83D",
     "write the character itself, or both halves as \\ud8..\\udc.."},
    {CV_STR_INIT("\"\\uDE00\""), CV_ERR_JSON, 1, 2, "expected a pair of surrogates, found only the second half \\uDE00",
     "write the character itself, or both halves as \\ud8..\\udc.."},
    {CV_STR_INIT("[\"\u00e9\xff\"]"), CV_ERR_NOT_UTF8, 1, 4, "expected UTF-8, found the byte 0xff",
     "save the text as UTF-8"},
    {CV_STR_INIT("[\"\\n\xc0\xaf\"]"), CV_ERR_NOT_UTF8, 1, 5, "expected UTF-8, found the byte 0xc0",
     "save the text as UTF-8"},
    {CV_STR_INIT("\"\xed\xa0\x80\""), CV_ERR_NOT_UTF8, 1, 2, "expected UTF-8, found the byte 0xed",
     "save the text as UTF-8"},
    {CV_STR_INIT("\"\xf4\x90\x80\x80\""), CV_ERR_NOT_UTF8, 1, 2, "expected UTF-8, found the byte 0xf4",
     "save the text as UTF-8"},
    {CV_STR_INIT("\"\xe2\x82"), CV_ERR_NOT_UTF8, 1, 2, "expected UTF-8, found the byte 0xe2", "save the text as UTF-8"},
    {CV_STR_INIT("[\x80]"), CV_ERR_NOT_UTF8, 1, 2, "expected UTF-8, found the byte 0x80", "save the text as UTF-8"},
    {CV_STR_INIT("{\"a\": 1,\n \"b\": 2,\n \"a\": 3}"), CV_ERR_DUPLICATE_KEY, 3, 2,
     "expected each key once, found \"a\" again (first in line 1)", "remove one of the two"},
    {CV_STR_INIT("{\"\\\"\\u0061\":1, \"\\\"a\" : 2}"), CV_ERR_DUPLICATE_KEY, 1, 16,
     "expected each key once, found \"\\\"a\" again (first in line 1)", "remove one of the two"},
};

static void test_refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_json value = {.type = CV_JSON_TRUE};
        char *copy;
        assert_fails(parse_exact(&a, refused[i].text, &value, &err, &copy), &err, refused[i].code);
        assert_str_eq(err.message, refused[i].message);
        assert_str_eq(err.suggestion, refused[i].suggestion);
        if (err.line != refused[i].line || err.column != refused[i].column)
            fail_msg("%.*s: at %zu:%zu", CV_FMT(refused[i].text), err.line, err.column);
        assert_int_equal(value.type, CV_JSON_TRUE); /* untouched on failure */
        free(copy);
        cv_arena_release(&a);
    }
}

static void test_duplicate_names_the_key(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json value;
    assert_fails(cv_json_parse(&a, CV_STR("{\"a\\u0000b\":1,\"a\\u0000b\":2}"), &value, &err), &err,
                 CV_ERR_DUPLICATE_KEY);
    assert_view_eq(err.field, CV_STR("a\0b"));
    cv_arena_release(&a);
}

/* ---- ceilings -------------------------------------------------------------------------------- */

static void test_depth(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json value;
    assert_ok(cv_json_parse(&a, nest(&a, 128, "[", "", "]"), &value, &err), &err);
    assert_ok(cv_json_parse(&a, nest(&a, 128, "{\"a\":", "1", "}"), &value, &err), &err);
    assert_fails(cv_json_parse(&a, nest(&a, 129, "[", "", "]"), &value, &err), &err, CV_ERR_TOO_LARGE);
    assert_str_has(err.message, "128");
    assert_str_has(err.message, "deeper than 128 levels");
    assert_int_equal(err.line, 1);
    assert_int_equal(err.column, 129);
    assert_fails(cv_json_parse(&a, nest(&a, 100000, "{\"a\":[", "", ""), &value, &err), &err, CV_ERR_TOO_LARGE);
    assert_int_equal(err.column, 64 * 6 + 1);
    cv_arena_release(&a);
}

static void test_size(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json value;
    cv_str claimed = {"[]", CV_MAX_JSON_BYTES + 1}; /* refused before a byte is read */
    assert_fails(cv_json_parse(&a, claimed, &value, &err), &err, CV_ERR_TOO_LARGE);
    assert_str_has(err.message, "bytes of JSON");
    assert_int_equal(err.line, 1);
    cv_arena_release(&a);
}

/* ---- many keys ------------------------------------------------------------------------------- */

/* {"key0":0,"key1":1, …} and, when `last` is given, that key once more. */
static cv_str object_of(cv_arena *a, size_t count, const char *last)
{
    cv_buf b = {0};
    cv_json_writer w = {.out = &b};
    cv_json_begin_object(&w);
    for (size_t i = 0; i < count; i++) {
        char key[32];
        snprintf(key, sizeof key, "key%zu", i);
        cv_json_key_int(&w, key, (int64_t)i);
    }
    if (last)
        cv_json_key_int(&w, last, 0);
    cv_json_end_object(&w);
    cv_str text = cv_arena_copy(a, cv_buf_str(&b));
    cv_buf_release(&b);
    return text;
}

static size_t bytes_for(size_t count)
{
    cv_arena texts = {0}, a = {0};
    cv_err err = {.arena = &a};
    cv_json value;
    assert_ok(cv_json_parse(&a, object_of(&texts, count, NULL), &value, &err), &err);
    assert_int_equal(value.count, count);
    size_t bytes = a.bytes;
    cv_arena_release(&a);
    cv_arena_release(&texts);
    return bytes;
}

static void test_many_keys(void **state)
{
    (void)state;
    assert_true(bytes_for(100000) <= 11 * bytes_for(10000));
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json value;
    for (size_t count = 1; count < 40; count++) {
        assert_ok(cv_json_parse(&a, object_of(&a, count, NULL), &value, &err), &err);
        assert_fails(cv_json_parse(&a, object_of(&a, count, "key0"), &value, &err), &err, CV_ERR_DUPLICATE_KEY);
    }
    cv_str text = object_of(&a, 100000, "key77777");
    assert_fails(cv_json_parse(&a, text, &value, &err), &err, CV_ERR_DUPLICATE_KEY);
    assert_str_eq(err.field, "key77777");
    assert_int_equal(err.column, text.n - cv_str_of("\"key77777\":0}").n + 1);
    cv_arena_release(&a);
}

/* Keys chosen so that all of them fall into one bucket of the reader's 64. */
static void test_hostile_keys(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json value;
    for (int duplicate = 0; duplicate < 2; duplicate++) {
        cv_buf b = {0};
        cv_json_writer w = {.out = &b};
        cv_json_begin_object(&w);
        int found = 0;
        for (int i = 0; found < 60; i++) {
            char key[32];
            snprintf(key, sizeof key, "%d", i);
            if ((cv_str_hash(cv_str_of(key)) & 63) != 0)
                continue;
            cv_json_key_int(&w, key, found++);
            if (duplicate && found == 30)
                cv_json_key_int(&w, key, -1);
        }
        cv_json_end_object(&w);
        bool ok = cv_json_parse(&a, cv_buf_str(&b), &value, &err);
        assert_int_equal(ok, !duplicate);
        assert_true(ok || err.code == CV_ERR_DUPLICATE_KEY);
        cv_buf_release(&b);
    }
    cv_arena_release(&a);
}

/* The earliest repetition in the text is the one that is reported. */
static void test_first_repetition(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json value;
    cv_str many = object_of(&a, 50, "key9");
    cv_str text = cv_arena_join(&a, cv_str_head(many, many.n - 1), CV_STR(",\"key1\":0,\"key9\":0}"));
    assert_fails(cv_json_parse(&a, text, &value, &err), &err, CV_ERR_DUPLICATE_KEY);
    assert_str_eq(err.field, "key9");
    assert_int_equal(err.column, many.n - cv_str_of("\"key9\":0}").n + 1);
    cv_arena_release(&a);
}

/* A string with escapes that outgrows the reader's first scratch, alone and below open containers. */
static void test_long_strings(void **state)
{
    (void)state;
    for (size_t n = 1000; n <= 1000000; n *= 10) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_json value;
        cv_buf b = {0}, decoded = {0};
        cv_buf_add_z(&b, "{\"a\":[1,2,{\"b\":\"");
        for (size_t i = 0; i < n; i++) {
            char c = (char)('a' + i % 23);
            cv_buf_add(&b, i % 7 ? (cv_str){&c, 1} : CV_STR("\\n"));
            cv_buf_add(&decoded, i % 7 ? (cv_str){&c, 1} : CV_STR("\n"));
        }
        cv_buf_add_z(&b, "\"}]}");
        assert_ok(cv_json_parse(&a, cv_buf_str(&b), &value, &err), &err);
        const cv_json *items = cv_json_get(&value, CV_STR("a"))->items;
        assert_str_eq(items[0].text, "1");
        assert_true(cv_str_eq(cv_json_get(&items[2], CV_STR("b"))->text, cv_buf_str(&decoded)));
        cv_buf_release(&b);
        cv_buf_release(&decoded);
        cv_arena_release(&a);
    }
}

/* Many small values: the tree is in the arena once, and malloc is called a few dozen times. */
static void test_no_waste(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json value;
    cv_buf b = {0};
    cv_buf_add_z(&b, "[0");
    for (int i = 1; i < 100000; i++)
        cv_buf_add_z(&b, ",[1]");
    cv_buf_add_char(&b, ']');
    assert_ok(cv_json_parse(&a, cv_buf_str(&b), &value, &err), &err);
    assert_int_equal(value.count, 100000);
    assert_true(a.bytes <= 3 * 200000 * sizeof(cv_json));
    assert_true(a.chunks < 40);
    cv_buf_release(&b);
    cv_arena_release(&a);
}

/* ---- using the tree -------------------------------------------------------------------------- */

static void assert_place(cv_str text, const cv_json *value, size_t line, size_t column)
{
    size_t found_line = 1, found_column = 1;
    cv_utf8_advance(cv_str_head(text, value->offset), &found_line, &found_column);
    assert_int_equal(found_line, line);
    assert_int_equal(found_column, column);
}

static void test_places(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json value;
    cv_str text = CV_STR("{\n  \"\u00e9\u20ac\": [true,\n\"x\"]}");
    assert_ok(cv_json_parse(&a, text, &value, &err), &err);
    assert_place(text, &value, 1, 1);
    const cv_json *array = cv_json_get(&value, CV_STR("\u00e9\u20ac"));
    assert_non_null(array);
    assert_place(text, array, 2, 9);
    assert_place(text, &array->items[0], 2, 10);
    assert_place(text, &array->items[1], 3, 1);
    cv_arena_release(&a);
}

static void test_get(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json value;
    cv_str text = CV_STR("{\"round\": 1, \"a\\tb\": \"plain\", \"list\": []}");
    assert_ok(cv_json_parse(&a, text, &value, &err), &err);
    assert_int_equal(cv_json_get(&value, CV_STR("round"))->type, CV_JSON_NUMBER);
    const cv_json *plain = cv_json_get(&value, CV_STR("a\tb"));
    assert_str_eq(plain->text, "plain");
    assert_true(plain->text.p > text.p && plain->text.p < text.p + text.n); /* a view, not a copy */
    assert_null(cv_json_get(&value, CV_STR("roun")));
    assert_null(cv_json_get(cv_json_get(&value, CV_STR("list")), CV_STR("round")));
    assert_str_eq(cv_json_type_word(CV_JSON_OBJECT), "object");
    assert_str_eq(cv_json_type_word(CV_JSON_FALSE), "boolean");
    cv_arena_release(&a);
}

static const struct {
    const char *text;
    bool ok;
    int64_t value;
} integers[] = {
    {"0", true, 0},
    {"-0", true, 0},
    {"45", true, 45},
    {"-7", true, -7},
    {"9007199254740992", true, INT64_C(9007199254740992)},
    {"-9007199254740992", true, INT64_C(-9007199254740992)},
    {"9007199254740993", false, 0},
    {"-9007199254740993", false, 0},
    {"18446744073709551617", false, 0},
    {"100000000000000000000000000000000000000", false, 0},
    {"1.0", false, 0},
    {"1e2", false, 0},
    {"true", false, 0},
    {"\"1\"", false, 0},
};

static void test_integers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_json value;
        int64_t number = 42;
        assert_ok(cv_json_parse(&a, cv_str_of(integers[i].text), &value, &err), &err);
        assert_int_equal(cv_json_to_int(&value, &number), integers[i].ok);
        assert_true(number == (integers[i].ok ? integers[i].value : 42));
        cv_arena_release(&a);
    }
}

static void test_doubles(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json value;
    double number = 0;
    assert_ok(cv_json_parse(&a, CV_STR("-1.5e2"), &value, &err), &err);
    assert_true(cv_json_to_double(&value, &number) && number == -150.0);
    cv_str longer = cv_arena_join(&a, CV_STR("0."), nest(&a, 200, "0", "", "1"));
    assert_ok(cv_json_parse(&a, longer, &value, &err), &err);
    assert_true(cv_json_to_double(&value, &number) && number > 0 && number < 1e-199);
    assert_ok(cv_json_parse(&a, CV_STR("1e400"), &value, &err), &err);
    assert_false(cv_json_to_double(&value, &number));
    assert_ok(cv_json_parse(&a, CV_STR("\"1\""), &value, &err), &err);
    assert_false(cv_json_to_double(&value, &number));
    cv_arena_release(&a);
}

/* ---- agreement with jansson ------------------------------------------------------------------ */

/* Where the two differ, and why. Anything else is a failure. `ours` is CV_ERR_NONE when we accept. */
static const struct {
    cv_err_code ours;
    int theirs;      /* enum json_error_code, or -1 when jansson accepts */
    cv_str text_has; /* only in texts with this in it */
    const char *why;
} differences[] = {
    {CV_ERR_NONE, json_error_numeric_overflow, CV_STR_INIT(""), "beyond 64 bits or a double: we keep it as written"},
    {CV_ERR_NONE, json_error_null_byte_in_key, CV_STR_INIT("\\u0000"), "NUL in keys: our keys have a length"},
    {CV_ERR_TOO_LARGE, -1, CV_STR_INIT(""), "nesting between 129 and 2048: jansson goes deeper"},
    {CV_ERR_JSON, -1, CV_STR_INIT("\0"), "raw NUL bytes: jansson steps over them"},
};

static bool is_known_difference(cv_str text, cv_err_code ours, int theirs)
{
    for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++)
        if (differences[i].ours == ours && differences[i].theirs == theirs &&
            cv_str_find(text, differences[i].text_has) != SIZE_MAX)
            return true;
    return false;
}

static bool same_number(const cv_json *x, const json_t *y)
{
    double number;
    int64_t whole;
    if (json_is_real(y))
        return cv_json_to_double(x, &number) && number == json_real_value(y);
    if (!json_is_integer(y))
        return false;
    if (cv_json_to_int(x, &whole))
        return whole == json_integer_value(y);
    char z[64];
    snprintf(z, sizeof z, "%.*s", CV_FMT(x->text));
    return strtoll(z, NULL, 10) == json_integer_value(y);
}

static bool same_value(const cv_json *x, const json_t *y)
{
    switch (x->type) {
    case CV_JSON_NULL:
        return json_is_null(y);
    case CV_JSON_FALSE:
        return json_is_false(y);
    case CV_JSON_TRUE:
        return json_is_true(y);
    case CV_JSON_NUMBER:
        return same_number(x, y);
    case CV_JSON_STRING:
        return json_is_string(y) && cv_str_eq(x->text, (cv_str){json_string_value(y), json_string_length(y)});
    case CV_JSON_ARRAY:
        if (!json_is_array(y) || json_array_size(y) != x->count)
            return false;
        for (uint32_t i = 0; i < x->count; i++)
            if (!same_value(&x->items[i], json_array_get(y, i)))
                return false;
        return true;
    case CV_JSON_OBJECT:
        if (!json_is_object(y) || json_object_size(y) != x->count)
            return false;
        for (uint32_t i = 0; i < x->count; i++) {
            cv_str key = x->members[i].key;
            const json_t *value = json_object_getn(y, key.p, key.n);
            if (!value || !same_value(&x->members[i].value, value))
                return false;
        }
        return true;
    }
    return false;
}

/* Reads `text` with both. Returns whether we accept it; *known is raised for a difference of the table. */
static bool compare(cv_str text, const char *name, size_t *known)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json ours;
    json_error_t error;
    char *copy;
    bool ok = parse_exact(&a, text, &ours, &err, &copy);
    json_t *theirs =
        json_loadb(text.n ? text.p : "", text.n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (ok != (theirs != NULL)) {
        if (!is_known_difference(text, err.code, theirs ? -1 : (int)json_error_code(&error)))
            fail_msg("%s: we %s it, jansson does not (%.*s%s):\n%.*s", name, ok ? "accept" : "refuse",
                     CV_FMT(ok ? CV_STR("") : err.message), theirs ? "" : error.text, CV_FMT(text));
        ++*known;
    } else if (ok && !same_value(&ours, theirs)) {
        fail_msg("%s: jansson reads something else:\n%.*s", name, CV_FMT(text));
    }
    json_decref(theirs);
    free(copy);
    cv_arena_release(&a);
    return ok;
}

static void test_corpus(void **state)
{
    (void)state;
    cv_arena a = {0};
    size_t files = 0, accepts = 0, known = 0;
    DIR *dir = opendir(CORPUS);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        char path[512];
        snprintf(path, sizeof path, CORPUS "/%s", entry->d_name);
        accepts += compare(cv_test_read(&a, path), entry->d_name, &known);
        files++;
    }
    closedir(dir);
    assert_true(files >= 40 && accepts >= 10 && files - accepts >= 20);
    assert_true(known >= sizeof differences / sizeof differences[0]); /* the corpus shows each of the differences */
    cv_arena_release(&a);
}

/* ---- generated documents --------------------------------------------------------------------- */

static const char *const number_pool[] = {"0",
                                          "-0",
                                          "1",
                                          "-17",
                                          "3.25",
                                          "1e5",
                                          "-2E-3",
                                          "0.1e+2",
                                          "1e-400",
                                          "9007199254740993",
                                          "1e400",
                                          "4611686018427387904",
                                          "99999999999999999999"};
static const char *const string_pool[] = {
    "a",      "key",    "1234567",    "12345678", "\\n",     "\\u0041", "\\\"", "\\\\",     "\\ud83d\\ude00",
    "\u00e9", "\u20ac", "\U0001f600", " ",        "\\u00e9", "\\/",     "\x7f", "\\u0000x", "long and plain text"};
static const char *const space_pool[] = {"", "", "", "", " ", "\n", "\t", "\r\n  ", "             "};

#define PICK(random, pool) ((pool)[cv_test_below((random), sizeof(pool) / sizeof((pool)[0]))])

static void add_string(cv_buf *b, cv_test_random *random)
{
    cv_buf_add_char(b, '"');
    for (size_t left = cv_test_below(random, 6); left > 0; left--)
        cv_buf_add_z(b, PICK(random, string_pool));
    cv_buf_add_char(b, '"');
}

static void add_document(cv_buf *b, cv_test_random *random, int depth)
{
    static const char *const words[] = {"true", "false", "null"};
    size_t kind = cv_test_below(random, depth > 5 ? 3 : 6), left = cv_test_below(random, 5);
    cv_buf_add_z(b, PICK(random, space_pool));
    if (kind == 0)
        cv_buf_add_z(b, PICK(random, words));
    else if (kind == 1)
        cv_buf_add_z(b, PICK(random, number_pool));
    else if (kind == 2)
        add_string(b, random);
    else
        cv_buf_add_char(b, kind == 3 ? '[' : '{');
    for (size_t i = 0; kind >= 3 && i < left * (kind == 5 ? 5 : 1); i++) {
        cv_buf_add_z(b, i ? "," : "");
        cv_buf_add_z(b, PICK(random, space_pool));
        if (kind != 3) {
            add_string(b, random);
            cv_buf_add_z(b, PICK(random, space_pool));
            cv_buf_add_char(b, ':');
        }
        add_document(b, random, depth + 1 + (kind == 5));
    }
    if (kind >= 3)
        cv_buf_add_char(b, kind == 3 ? ']' : '}');
    cv_buf_add_z(b, PICK(random, space_pool));
}

/* Changes a few bytes: one is replaced, removed, doubled or put in, or the end is cut off. */
static void damage(cv_buf *b, cv_test_random *random)
{
    static const char bytes[] = "\"\\{}[]:,0123-+.eEu/ \n\t\x01\x7f\x80\xc3\xa9\xed\xa0\xf0\xff_atfn";
    for (size_t left = 1 + cv_test_below(random, 2); left > 0 && b->n > 0; left--) {
        size_t at = cv_test_below(random, b->n), kind = cv_test_below(random, 9);
        if (kind < 3) {
            b->p[at] = bytes[cv_test_below(random, sizeof bytes)];
        } else if (kind < 5) {
            memmove(b->p + at, b->p + at + 1, b->n - at - 1);
            b->n--;
        } else if (kind < 8) {
            char c = kind == 7 ? b->p[at] : bytes[cv_test_below(random, sizeof bytes)];
            cv_buf_add_char(b, 0);
            memmove(b->p + at + 1, b->p + at, b->n - at - 1);
            b->p[at] = c;
        } else {
            b->n = at;
        }
    }
}

static void test_generated(void **state)
{
    (void)state;
    cv_test_random random = {2024};
    size_t accepts = 0, refusals = 0, known = 0, rounds = cv_test_soak() ? 200000 : 3000;
    for (size_t i = 0; i < rounds; i++) {
        cv_buf b = {0};
        add_document(&b, &random, 0);
        compare(cv_buf_str(&b), "generated", &known);
        for (int j = 0; j < 3; j++) {
            cv_buf damaged = {0};
            cv_buf_add(&damaged, cv_buf_str(&b));
            damage(&damaged, &random);
            bool ok = compare(cv_buf_str(&damaged), "damaged", &known);
            accepts += ok;
            refusals += !ok;
            cv_buf_release(&damaged);
        }
        cv_buf_release(&b);
    }
    assert_true(accepts > rounds / 10 && refusals > rounds / 10); /* both ways are tried */
}

/* write -> read -> write gives the same bytes, in both styles. */
static void test_round_trip(void **state)
{
    (void)state;
    cv_test_random random = {7};
    size_t trips = 0;
    for (int i = 0; i < 2000; i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_json value, again;
        cv_buf b = {0};
        add_document(&b, &random, 0);
        for (int indent = 0; indent <= 2 && cv_json_parse(&a, cv_buf_str(&b), &value, &err); indent += 2) {
            cv_str once = write_value(&a, &value, indent);
            assert_ok(cv_json_parse(&a, once, &again, &err), &err);
            assert_view_eq(write_value(&a, &again, indent), once);
            trips++;
        }
        cv_buf_release(&b);
        cv_arena_release(&a);
    }
    assert_true(trips > 1000);
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_sample(cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "text", CV_STR("a \"b\" \\ /\b\f\n\r\t\x01\x1f\x7f \u00e9"));
    cv_json_key_int(w, "least", INT64_MIN);
    cv_json_key(w, CV_STR("nested"));
    cv_json_begin_array(w);
    cv_json_begin_object(w);
    cv_json_end_object(w);
    cv_json_begin_array(w);
    cv_json_end_array(w);
    cv_json_begin_array(w);
    cv_json_null(w);
    cv_json_raw(w, CV_STR("1.50"));
    cv_json_end_array(w);
    cv_json_int(w, 7);
    cv_json_end_array(w);
    cv_json_key_bool(w, "yes", true);
    cv_json_key_bool(w, "k\n", false);
    cv_json_end_object(w);
}

static void test_writes_compact(void **state)
{
    (void)state;
    cv_buf b = {0};
    cv_json_writer w = {.out = &b};
    write_sample(&w);
    assert_str_eq(cv_buf_str(&b), "{\"text\":\"a \\\"b\\\" \\\\ /\\b\\f\\n\\r\\t\\u0001\\u001f\x7f \u00e9\","
                                  "\"least\":-9223372036854775808,\"nested\":[{},[],[null,1.50],7],"
                                  "\"yes\":true,\"k\\n\":false}");
    assert_int_equal(w.depth, 0);
    cv_buf_release(&b);
}

static void test_writes_indented(void **state)
{
    (void)state;
    cv_buf b = {0};
    cv_json_writer w = {.out = &b, .indent = 2};
    write_sample(&w);
    assert_str_eq(cv_buf_str(&b), "{\n"
                                  "  \"text\": \"a \\\"b\\\" \\\\ /\\b\\f\\n\\r\\t\\u0001\\u001f\x7f \u00e9\",\n"
                                  "  \"least\": -9223372036854775808,\n"
                                  "  \"nested\": [\n"
                                  "    {},\n"
                                  "    [],\n"
                                  "    [\n"
                                  "      null,\n"
                                  "      1.50\n"
                                  "    ],\n"
                                  "    7\n"
                                  "  ],\n"
                                  "  \"yes\": true,\n"
                                  "  \"k\\n\": false\n"
                                  "}");
    cv_buf_release(&b);
}

static void test_writes_deep(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json value;
    cv_buf b = {0};
    cv_json_writer w = {.out = &b};
    assert_ok(cv_json_parse(&a, nest(&a, 128, "[", "", "]"), &value, &err), &err);
    for (int i = 0; i < 64; i++) {
        cv_json_begin_object(&w);
        cv_json_key(&w, CV_STR("a"));
        cv_json_begin_array(&w);
    }
    cv_json_value(&w, &value); /* the deepest tree that can be read, inside 128 levels of our own */
    for (int i = 0; i < 64; i++) {
        cv_json_end_array(&w);
        cv_json_end_object(&w);
    }
    cv_str inner = nest(&a, 128, "[", "", "]");
    assert_view_eq(cv_buf_str(&b), nest(&a, 64, "{\"a\":[", cv_arena_copy_z(&a, inner), "]}"));
    cv_buf_release(&b);
    cv_arena_release(&a);
}

static void test_writes_empty_views(void **state)
{
    (void)state;
    cv_buf b = {0};
    cv_json_writer w = {.out = &b};
    cv_json_str(&w, (cv_str){NULL, 0});
    assert_str_eq(cv_buf_str(&b), "\"\"");
    cv_buf_release(&b);
}

/* Every byte of ASCII at every place of texts around the eight bytes that are looked at together. */
static void test_writes_every_byte(void **state)
{
    (void)state;
    cv_arena a = {0};
    for (int c = 0; c < 0x80; c++)
        for (size_t n = 1; n <= 17; n++)
            for (size_t at = 0; at < n; at++) {
                char text[17];
                cv_buf out = {0};
                cv_json_writer w = {.out = &out};
                cv_json tree;
                cv_err err = {.arena = &a};
                memset(text, 'x', n);
                text[at] = (char)c;
                cv_json_str(&w, (cv_str){text, n});
                bool shown = (c >= 0x20 && c != '"' && c != '\\');
                bool lettered = c == '\b' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
                size_t width = shown ? 1 : c >= 0x20 || lettered ? 2 : 6;
                assert_int_equal(out.n, n + 1 + width);
                assert_ok(cv_json_parse(&a, cv_buf_str(&out), &tree, &err), &err);
                assert_true(cv_str_eq(tree.text, (cv_str){text, n}));
                cv_buf_release(&out);
                cv_arena_reset(&a);
            }
    cv_arena_release(&a);
}

static void test_writes_integers(void **state)
{
    static const struct {
        int64_t value;
        const char *text;
    } cases[] = {
        {0, "0"}, {-1, "-1"}, {10, "10"}, {INT64_MAX, "9223372036854775807"}, {INT64_MIN, "-9223372036854775808"}};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_buf out = {0};
        cv_json_writer w = {.out = &out};
        cv_json_int(&w, cases[i].value);
        assert_true(cv_str_eq(cv_buf_str(&out), cv_str_of(cases[i].text)));
        cv_buf_release(&out);
    }
}

static void test_leaves_out_what_is_not_there(void **state)
{
    (void)state;
    cv_buf b = {0};
    cv_json_writer w = {.out = &b};
    cv_json_begin_object(&w);
    cv_json_key_str_if(&w, "none", (cv_str){NULL, 0});
    cv_json_key_str_if(&w, "text", CV_STR("a"));
    cv_json_key_raw_if(&w, "nothing", CV_STR(""));
    cv_json_key_raw_if(&w, "list", CV_STR("[1]"));
    cv_json_end_object(&w);
    assert_str_eq(cv_buf_str(&b), "{\"text\":\"a\",\"list\":[1]}");
    cv_buf_release(&b);
}

static void key_in_array(cv_json_writer *w)
{
    cv_json_begin_array(w);
    cv_json_key(w, CV_STR("a"));
}

static void value_without_key(cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_int(w, 1);
}

static void key_without_value(cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key(w, CV_STR("a"));
    cv_json_end_object(w);
}

static void wrong_end(cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key(w, CV_STR("a"));
    cv_json_begin_array(w);
    cv_json_end_object(w);
}

static void end_too_many(cv_json_writer *w)
{
    cv_json_end_array(w);
}

static void two_documents(cv_json_writer *w)
{
    cv_json_int(w, 1);
    cv_json_int(w, 2);
}

/* Wrong order is a mistake of the programmer: the process stops. */
static void test_misuse_is_asserted(void **state)
{
    (void)state;
    static void (*const misuses[])(cv_json_writer *) = {key_in_array, value_without_key, key_without_value,
                                                        wrong_end,    end_too_many,      two_documents};
    for (size_t i = 0; i < sizeof misuses / sizeof misuses[0]; i++) {
        pid_t child = fork();
        if (child == 0) {
            cv_buf b = {0};
            cv_json_writer w = {.out = &b};
            signal(SIGABRT, SIG_DFL);
            fclose(stderr);
            misuses[i](&w);
            _exit(0);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

/* The same members in any order are the same bytes: few of them, and many. */
static void test_canonical(void **state)
{
    cv_test_random random = {cv_test_seed()};
    (void)state;
    for (size_t count = 0; count < 40; count++) {
        cv_arena a = {0};
        cv_str first = {NULL, 0};
        cv_json_member *members = CV_NEW_ARRAY(&a, count + 1, cv_json_member);
        for (size_t i = 0; i < count; i++)
            members[i] = (cv_json_member){cv_arena_printf(&a, "%zu", i * 7919 % 1000),
                                          {.type = CV_JSON_NUMBER, .text = cv_arena_printf(&a, "%zu", i)}};
        for (int turn = 0; turn < 5; turn++) {
            cv_buf out = {0};
            cv_json_writer w = {.out = &out};
            cv_json_canonical(&w, &a, &(cv_json){.type = CV_JSON_OBJECT, .count = (uint32_t)count, .members = members});
            cv_str text = cv_buf_take(&out, &a);
            first = turn ? first : text;
            assert_view_eq(text, first);
            for (size_t i = count; i > 1; i--) {
                size_t k = cv_test_below(&random, i);
                cv_json_member one = members[k];
                members[k] = members[i - 1];
                members[i - 1] = one;
            }
        }
        cv_json tree;
        cv_err err = {.arena = &a};
        assert_ok(cv_json_parse(&a, first, &tree, &err), &err);
        for (uint32_t i = 1; i < tree.count; i++)
            assert_true(cv_str_order(tree.members[i - 1].key, tree.members[i].key) < 0);
        cv_arena_release(&a);
    }
}

static bool keep_piece(void *to, cv_str bytes)
{
    cv_buf_add(to, bytes);
    return true;
}

/* However much room a buffer has, the bytes are the same; one with a ceiling takes what fits exactly. */
static void test_writes_the_same_into_any_room(void **state)
{
    static const char bytes[] = "abc \"\\\n\t\x01\x1f\xc3\xa4";
    cv_test_random random = {cv_test_seed()};
    (void)state;
    for (int turn = 0; turn < 300; turn++) {
        char text[3000];
        size_t n = cv_test_below(&random, turn % 10 ? 100 : sizeof text), kinds = 1 + cv_test_below(&random, 11);
        for (size_t i = 0; i < n; i++)
            text[i] = bytes[cv_test_below(&random, kinds < 11 ? kinds : sizeof bytes - 1)];
        cv_buf wide = {0}, kept = {0}, flowing = {.sink = keep_piece, .sink_to = &kept};
        cv_buf_extend(&wide, 1 << 16);
        wide.n = 0;
        cv_json_str(&(cv_json_writer){.out = &wide}, (cv_str){text, n});
        cv_json_str(&(cv_json_writer){.out = &flowing}, (cv_str){text, n});
        assert_true(cv_buf_flush(&flowing));
        assert_view_eq(cv_buf_str(&kept), cv_buf_str(&wide));
        for (size_t less = 0; less < 2; less++) {
            cv_buf narrow = {.ceiling = wide.n - less};
            cv_json_str(&(cv_json_writer){.out = &narrow}, (cv_str){text, n});
            assert_int_equal(cv_buf_ok(&narrow), less == 0);
            if (less == 0)
                assert_view_eq(cv_buf_str(&narrow), cv_buf_str(&wide));
            cv_buf_release(&narrow);
        }
        cv_buf_release(&wide);
        cv_buf_release(&kept);
        cv_buf_release(&flowing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepts),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_duplicate_names_the_key),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_hostile_keys),
        cmocka_unit_test(test_first_repetition),
        cmocka_unit_test(test_long_strings),
        cmocka_unit_test(test_no_waste),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_generated),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_writes_compact),
        cmocka_unit_test(test_writes_indented),
        cmocka_unit_test(test_writes_deep),
        cmocka_unit_test(test_writes_empty_views),
        cmocka_unit_test(test_writes_every_byte),
        cmocka_unit_test(test_writes_integers),
        cmocka_unit_test(test_canonical),
        cmocka_unit_test(test_writes_the_same_into_any_room),
        cmocka_unit_test(test_leaves_out_what_is_not_there),
        cmocka_unit_test(test_misuse_is_asserted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
