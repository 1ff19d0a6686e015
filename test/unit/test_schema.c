/* test_schema.c - requests against schemas: all faults, with their paths and places. */
#include "testing.h"

#include "base/json.h"
#include "base/limits.h"
#include "kit/schema.h"

static cv_json parse(cv_arena *a, cv_str text)
{
    cv_json value;
    cv_err err = {.arena = a};
    assert_ok(cv_json_parse(a, text, &value, &err), &err);
    return value;
}

/* "code field line:column", one per fault, with ", " between. */
static cv_str faults_of(cv_arena *a, cv_str schema_text, cv_str text, cv_errs *errs)
{
    cv_json schema = parse(a, schema_text), value = parse(a, text);
    cv_err err = {.arena = a};
    cv_str all = CV_STR("");
    assert_ok(cv_schema_lint(&schema, &err), &err);
    bool ok = cv_schema_check(a, &schema, text, &value, errs);
    assert_int_equal(ok, errs->count == 0);
    for (size_t i = 0; i < errs->count; i++) {
        const cv_err *e = &errs->items[i];
        all = cv_arena_printf(a, "%.*s%s%.*s %.*s %zu:%zu", CV_FMT(all), i ? ", " : "", CV_FMT(cv_err_word(e->code)),
                              CV_FMT(e->field.n ? e->field : CV_STR("-")), e->line, e->column);
    }
    return all;
}

#define OBJECT(properties) "{\"type\":\"object\",\"properties\":{" properties "},\"additionalProperties\":false}"
#define NEEDS(names, properties)                                                                                       \
    "{\"type\":\"object\",\"required\":[" names "],\"properties\":{" properties "},\"additionalProperties\":false}"

static const struct {
    const char *schema, *value, *faults;
} cases[] = {
    /* ---- types ---- */
    {"{}", "[1, {\"a\": null}]", ""},
    {"{}", "{\"a\": [1e999]}", "invalid_value a[0] 1:8"},
    {"{\"type\":\"object\"}", "{\"a\": -1e999}", "invalid_value a 1:7"},
    {"{\"type\":\"string\"}", "\"a\"", ""},
    {"{\"type\":\"string\"}", "1", "invalid_value - 1:1"},
    {"{\"type\":\"string\"}", "\n  null", "invalid_value - 2:3"},
    {"{\"type\":[\"string\",\"null\"]}", "null", ""},
    {"{\"type\":[\"string\",\"null\"]}", "true", "invalid_value - 1:1"},
    {"{\"type\":\"boolean\"}", "false", ""},
    {"{\"type\":\"boolean\"}", "0", "invalid_value - 1:1"},
    {"{\"type\":\"integer\"}", "-12", ""},
    {"{\"type\":\"integer\"}", "1.5", "invalid_value - 1:1"},
    {"{\"type\":\"integer\"}", "1e2", "invalid_value - 1:1"},
    {"{\"type\":\"integer\"}", "9007199254740993", "invalid_value - 1:1"},
    {"{\"type\":\"number\"}", "1.5e3", ""},
    {"{\"type\":\"number\"}", "1e999", "invalid_value - 1:1"},
    {"{\"type\":\"object\"}", "[]", "invalid_value - 1:1"},
    {"{\"type\":\"array\"}", "{}", "invalid_value - 1:1"},
    {"{\"type\":\"null\"}", "{}", "invalid_value - 1:1"},
    /* ---- enum ---- */
    {"{\"enum\":[\"a\",\"b\",null,3]}", "null", ""},
    {"{\"enum\":[\"a\",\"b\",null,3]}", "3", ""},
    {"{\"enum\":[\"a\",\"b\",null,3]}", "\"3\"", "invalid_value - 1:1"},
    {"{\"enum\":[\"Core\"]}", "\"core\"", "invalid_value - 1:1"},
    /* ---- ranges ---- */
    {"{\"minimum\":1,\"maximum\":20}", "1", ""},
    {"{\"minimum\":1,\"maximum\":20}", "0", "invalid_value - 1:1"},
    {"{\"minimum\":1,\"maximum\":20}", "20.5", "invalid_value - 1:1"},
    {"{\"minimum\":1,\"maximum\":20}", "\"no number\"", ""},
    {"{\"minLength\":1,\"maxLength\":3}", "\"\"", "invalid_value - 1:1"},
    {"{\"minLength\":1,\"maxLength\":3}", "\"äöü\"", ""},
    {"{\"minLength\":1,\"maxLength\":3}", "\"äöüß\"", "invalid_value - 1:1"},
    {"{\"minItems\":1,\"maxItems\":2}", "[]", "invalid_value - 1:1"},
    {"{\"minItems\":1,\"maxItems\":2}", "[1,2,3]", "invalid_value - 1:1"},
    /* ---- objects ---- */
    {NEEDS("\"a\"", "\"a\":{},\"b\":{}"), "{\"a\":1}", ""},
    {NEEDS("\"a\"", "\"a\":{},\"b\":{}"), "{\"b\":1}", "missing_field a 1:1"},
    {NEEDS("\"a\",\"b\"", "\"a\":{},\"b\":{}"), " {}", "missing_field a 1:2, missing_field b 1:2"},
    {OBJECT("\"title\":{}"), "{\n \"titel\": 1}", "unknown_field titel 2:11"},
    {"{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"b\":1,\"a\":2}", "invalid_value a 1:12"},
    {"{\"additionalProperties\":{\"type\":\"integer\"}}", "{\"x\":1,\"y\":\"2\"}", "invalid_value y 1:12"},
    /* ---- paths: all faults, in the order of the text ---- */
    {OBJECT("\"perspectives\":{\"items\":" OBJECT(
         "\"references\":{\"items\":" NEEDS("\"type\"", "\"target\":{\"type\":\"string\"},\"type\":{}") "}") "}"),
     "{\"perspectives\":[{\"references\":[{\"type\":1},{\n\"target\":7}],\"x\":0}],\"y\":0}",
     "missing_field perspectives[0].references[1].type 1:44, invalid_value perspectives[0].references[1].target 2:10, "
     "unknown_field perspectives[0].x 2:18, unknown_field y 2:26"},
    {"{\"items\":{\"items\":{\"type\":\"string\"}}}", "[[],[\"a\",2]]", "invalid_value [1][1] 1:10"},
    /* ---- other names ---- */
    {NEEDS("\"recommendations\"", "\"recommendations\":{\"type\":\"array\",\"x-also\":[\"proposals\"]}"),
     "{\"proposals\":[]}", ""},
    {OBJECT("\"recommendations\":{\"type\":\"array\",\"x-also\":[\"proposals\"]}"), "{\"proposals\":1}",
     "invalid_value proposals 1:14"},
    {OBJECT("\"recommendations\":{\"type\":\"array\",\"x-also\":[\"proposals\"]}"),
     "{\"recommendations\":[],\"proposals\":[]}", "invalid_value proposals 1:35"},
    /* ---- NUL, wherever it stands ---- */
    {"{}", "\"a\\u0000b\"", "invalid_value - 1:1"},
    {"{}", "[{\"deep\":[\"\\u0000\"]}]", "invalid_value [0].deep[0] 1:11"},
    {"{}", "{\"a\\u0000b\":1}", "invalid_value - 1:13"},
    {"{\"enum\":[\"a\"]}", "\"\\u0000\"", "invalid_value - 1:1, invalid_value - 1:1"},
};

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cv_arena a = {0};
        cv_errs errs = {0};
        cv_str found = faults_of(&a, cv_str_of(cases[i].schema), cv_str_of(cases[i].value), &errs);
        if (!cv_str_eq(found, cv_str_of(cases[i].faults)))
            print_error("case %zu: %s against %s\n", i, cases[i].value, cases[i].schema);
        assert_str_eq(found, cases[i].faults);
        cv_arena_release(&a);
    }
}

static const struct {
    const char *schema, *value, *text;
} words[] = {
    {"{\"type\":[\"integer\",\"null\"]}", "\"7\"",
     "line 1:1: expected a whole number or null, found the text '7'; write the number without quotes"},
    {"{\"type\":\"integer\"}", "\"1h\"", "line 1:1: expected a whole number, found the text '1h'"},
    {"{\"type\":\"number\"}", "\"1,50\"", "line 1:1: expected a number, found the text '1,50'"},
    {"{\"type\":\"integer\"}", "\"seven\"", "line 1:1: expected a whole number, found the text 'seven'"},
    {"{\"type\":\"string\"}", "null", "line 1:1: expected a string, found null; leave the field out"},
    {"{\"type\":\"array\"}", "\"a\"", "line 1:1: expected an array, found a string; put it in a list: [\"…\"]"},
    {"{\"type\":\"array\",\"items\":{\"type\":\"object\"}}", "{}",
     "line 1:1: expected an array, found an object; put it in a list: [{…}]"},
    {"{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "{}", "line 1:1: expected an array, found an object"},
    {"{\"type\":\"integer\"}", "1.5", "line 1:1: expected a whole number, found 1.5; write digits only, within ±2^53"},
    {"{\"enum\":[\"final\",\"interim\"]}", "\"finale\"",
     "line 1:1: 'finale' is not a valid value (valid: final, interim); did you mean 'final'?"},
    {"{\"minimum\":1}", "0", "line 1:1: expected at least 1, found 0"},
    {"{\"maxLength\":2}", "\"abc\"", "line 1:1: expected at most 2 characters, found 3"},
    {OBJECT("\"title\":{},\"round\":{}"), "{\"titel\":1}",
     "line 1:10: titel: unknown field 'titel'; did you mean 'title'?"},
    {OBJECT("\"title\":{},\"round\":{}"), "{\"quux\":1}", "line 1:9: quux: unknown field 'quux' (valid: title, round)"},
    {NEEDS("\"title\"", "\"title\":{}"), "{}", "line 1:1: title: 'title' is required"},
};

static void test_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        cv_arena a = {0};
        cv_errs errs = {0};
        faults_of(&a, cv_str_of(words[i].schema), cv_str_of(words[i].value), &errs);
        assert_int_equal(errs.count, 1);
        assert_str_eq(cv_err_text(&errs.items[0]), words[i].text);
        cv_arena_release(&a);
    }
}

static void test_rest_of_a_fault(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_errs errs = {0};
    faults_of(&a,
              CV_STR(OBJECT(
                  "\"claims\":{\"items\":{\"x-item\":\"local_id\",\"properties\":{\"status\":{\"enum\":[\"x\"]}}}}")),
              CV_STR("{\"claims\":[{\"status\":\"y\",\"local_id\":\"MUFFIN-C0101\"}]}"), &errs);
    assert_int_equal(errs.count, 1);
    assert_str_eq(errs.items[0].item_key, "local_id");
    assert_str_eq(errs.items[0].item_id, "MUFFIN-C0101");
    assert_str_eq(errs.items[0].value, "y");
    assert_str_eq(errs.items[0].constraint, "enum");
    assert_int_equal(errs.items[0].option_count, 1);
    cv_arena_release(&a);
}

static void test_named(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_json schema =
        parse(&a, CV_STR("{\"properties\":{\"r\":{\"x-also\":[\"p\"],\"items\":{\"properties\":{\"targets\":"
                         "{\"x-also\":[\"target\"]}}}}},\"additionalProperties\":{\"properties\":{\"W\":{\"x-also\":"
                         "[\"wisdom\"]}}}}"));
    cv_json plain = parse(&a, CV_STR("{\"r\":[{\"targets\":1}],\"z\":{\"W\":2}}"));
    cv_json other = parse(&a, CV_STR("{\"p\":[{\"target\":1}],\"z\":{\"wisdom\":2,\"x\":[]}}"));
    assert_ptr_equal(cv_schema_named(&a, &schema, &plain), &plain);
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_value(&w, cv_schema_named(&a, &schema, &other));
    assert_str_eq(cv_buf_str(&out), "{\"r\":[{\"targets\":1}],\"z\":{\"W\":2,\"x\":[]}}");
    assert_str_eq(other.members[0].key, "p");
    /* What has no other name in it is shared. */
    cv_json some = parse(&a, CV_STR("{\"z\":{\"W\":[1]},\"r\":[{\"targets\":1},{\"target\":2}]}"));
    const cv_json *named = cv_schema_named(&a, &schema, &some);
    assert_ptr_equal(named->members[0].value.members, some.members[0].value.members);
    assert_ptr_equal(named->members[1].value.items[0].members, some.members[1].value.items[0].members);
    assert_str_eq(named->members[1].value.items[1].members[0].key, "targets");
    assert_str_eq(some.members[1].value.items[1].members[0].key, "target");
    cv_buf_release(&out);
    cv_arena_release(&a);
}

/* A misspelt keyword must not go unnoticed. */
static void test_lint(void **state)
{
    (void)state;
    static const struct {
        const char *schema, *field;
    } bad[] = {
        {"[]", ""},
        {"{\"typ\":\"string\"}", "typ"},
        {"{\"type\":\"text\"}", "type"},
        {"{\"type\":[]}", "type"},
        {"{\"items\":[]}", "items"},
        {"{\"properties\":{\"a\":{\"minlength\":1}}}", "properties.a.minlength"},
        {"{\"required\":[\"a\"],\"properties\":{}}", ""},
        {"{\"additionalProperties\":true}", "additionalProperties"},
        {"{\"maxItems\":-1}", "maxItems"},
        {"{\"enum\":[[]]}", "enum"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_json schema = parse(&a, cv_str_of(bad[i].schema));
        assert_false(cv_schema_lint(&schema, &err));
        assert_str_eq(err.field, bad[i].field);
        cv_arena_release(&a);
    }
}

static void test_many_faults(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_errs errs = {0};
    cv_buf text = {0};
    cv_buf_add_char(&text, '[');
    for (int i = 0; i < 200000; i++)
        cv_buf_add_z(&text, i ? ",\n1" : "1");
    cv_buf_add_char(&text, ']');
    cv_json schema = parse(&a, CV_STR("{\"items\":{\"type\":\"string\"}}")), value = parse(&a, cv_buf_str(&text));
    assert_false(cv_schema_check(&a, &schema, cv_buf_str(&text), &value, &errs));
    assert_int_equal(errs.count, CV_MAX_FAULTS + 1);
    assert_int_equal(errs.items[CV_MAX_FAULTS - 1].line, CV_MAX_FAULTS);
    assert_int_equal(errs.items[CV_MAX_FAULTS].code, CV_ERR_TOO_LARGE);
    cv_buf_release(&text);
    cv_arena_release(&a);
}

/* Long keys and values are repeated in part, cut at a character. */
static void test_long_texts(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_errs errs = {0};
    cv_buf text = {0};
    cv_buf_add_z(&text, "{\"x");
    for (int i = 0; i < 100000; i++)
        cv_buf_add_z(&text, "ä");
    cv_buf_add_z(&text, "\":1}");
    cv_json schema = parse(&a, CV_STR(OBJECT("\"a\":{}"))), value = parse(&a, cv_buf_str(&text));
    assert_false(cv_schema_check(&a, &schema, cv_buf_str(&text), &value, &errs));
    assert_int_equal(errs.count, 1);
    assert_true(errs.items[0].field.n <= CV_MAX_EXCERPT + strlen("…"));
    assert_true(cv_str_ends(errs.items[0].field, CV_STR("ä…")));
    cv_buf_release(&text);
    cv_arena_release(&a);
}

/* Whatever parses is checked without a crash, and what has no faults also renames. */
static void test_mutations(void **state)
{
    (void)state;
    const char *seed =
        "{\"title\":\"A\",\"n\":[1,2.5,-3],\"r\":[{\"id\":\"P0101\",\"to\":null},{}],\"p\":{\"a\":true}}";
    const char *schema_text = NEEDS(
        "\"title\"", "\"title\":{\"type\":\"string\",\"maxLength\":9},\"n\":{\"items\":{\"type\":\"integer\","
                     "\"maximum\":2}},\"r\":{\"type\":\"array\",\"x-also\":[\"q\"],\"items\":" OBJECT(
                         "\"id\":{\"type\":\"string\"},\"to\":{\"enum\":[null,\"x\"]}") "},\"p\":{"
                                                                                        "\"additionalProperties\":"
                                                                                        "{\"type\":\"boolean\"}}");
    cv_test_random r = {7};
    size_t rounds = cv_test_soak() ? 2000000 : 20000, parsed = 0;
    for (size_t i = 0; i < rounds; i++) {
        cv_arena a = {0};
        char *text = cv_arena_copy_z(&a, cv_str_of(seed));
        size_t n = strlen(text), changes = 1 + cv_test_below(&r, 3);
        while (changes-- > 0)
            text[cv_test_below(&r, n)] = "{}[],:\"0a1. nqr\\-e"[cv_test_below(&r, 18)];
        cv_json schema = parse(&a, cv_str_of(schema_text)), value;
        cv_err err = {.arena = &a};
        cv_errs errs = {0};
        if (cv_json_parse(&a, (cv_str){text, n}, &value, &err)) {
            parsed++;
            if (cv_schema_check(&a, &schema, (cv_str){text, n}, &value, &errs))
                assert_int_equal(cv_schema_named(&a, &schema, &value)->count, value.count);
            for (size_t k = 0; k < errs.count; k++)
                assert_true(errs.items[k].line == 1 && errs.items[k].column <= n && errs.items[k].message.n > 0);
        }
        cv_arena_release(&a);
    }
    assert_true(parsed > rounds / 100);
}

static void test_depth(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_errs errs = {0};
    char text[2 * CV_MAX_JSON_DEPTH + 1];
    memset(text, '[', CV_MAX_JSON_DEPTH);
    memset(text + CV_MAX_JSON_DEPTH, ']', CV_MAX_JSON_DEPTH);
    cv_json schema = parse(&a, CV_STR("{}")), value = parse(&a, (cv_str){text, 2 * CV_MAX_JSON_DEPTH});
    assert_true(cv_schema_check(&a, &schema, (cv_str){text, sizeof text - 1}, &value, &errs));
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),     cmocka_unit_test(test_words),     cmocka_unit_test(test_rest_of_a_fault),
        cmocka_unit_test(test_named),      cmocka_unit_test(test_lint),      cmocka_unit_test(test_many_faults),
        cmocka_unit_test(test_long_texts), cmocka_unit_test(test_mutations), cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
