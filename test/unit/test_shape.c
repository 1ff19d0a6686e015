/* test_shape.c - answers and schemas from one table: the schema takes what is written, and nothing less. */
#include "testing.h"

#include "kit/schema.h"
#include "kit/shape.h"
#include "ops/op.h"

typedef struct {
    int64_t number;
    cv_str word;
} leaf;

#define PLANT(F)                                                                                                       \
    F(INT, KEY, id) F(TEXT, PLAIN, name) F(DECIMAL, PLAIN, height) F(JSON, PLAIN, parts) F(FLAG, PLAIN, eaten)
CV_TYPE_STRUCT(plant, PLANT)
#define CV_THIS_TYPE plant
CV_TYPE_TABLE(plant, "plant", "plants", PLANT, REPLACED, NULL, .indexes = NULL);
static const cv_shape plant_shape[] = {
    CV_ROW_SAYS(ALWAYS, TEXT, "name", NULL, "never absent"),
    CV_ROW(rev, &plant_type, NONE),
    {0},
};
static const cv_shape plant_brief[] = {
    CV_ROW(rev, &plant_type, BOTH),
    {0},
};
#undef CV_THIS_TYPE

typedef struct {
    leaf inner;
    const leaf *far, *other;
    cv_str text, json, list, map, decimal, below, printed;
    int64_t number;
    size_t count;
    int small;
    bool flag;
    cv_str *words;
    size_t word_count;
    leaf *items;
    size_t item_count;
    const leaf **pointers;
    size_t pointer_count;
    int64_t *numbers;
    size_t number_count;
} tree;

#define CV_THIS_TYPE leaf
static const cv_shape leaf_shape[] = {
    CV_FIELD(OR_NULL, number, "a \"number\""),
    CV_FIELD(ALWAYS, word, ""),
    {0},
};
static const cv_shape far_shape[] = {
    CV_FIELD_AS(OR_ZERO, "far_number", number, ""),
    CV_FIELD_AS(IF_ANY, "far_word", word, ""),
    {0},
};
#undef CV_THIS_TYPE

static void write_twice(cv_json_writer *w, const void *whole)
{
    cv_json_int(w, 2 * (int64_t)((const tree *)whole)->count);
}

#define CV_THIS_TYPE leaf
static const cv_shape afterwards[] = {
    CV_FIELD_AS(IF_ANY, "afterwards", word, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE tree
static const cv_shape low[] = {
    CV_FIELD_AS(IF_ANY, "low", text, ""),
    CV_LIST("low_items", items, item_count, leaf_shape, ""),
    {0},
};
static const cv_shape group[] = {
    CV_FIELD_AS(ALWAYS, "grouped", decimal, ""),
    {0},
};
static const cv_shape with_far[] = {
    CV_SPREAD_AT(far, far_shape),
    CV_FIELD_AS(ALWAYS, "either", flag, "the first"),
    CV_FIELD_AS(ALWAYS, "only_far", flag, ""),
    {0},
};
static const cv_shape with_other[] = {
    CV_FIELD_AS(ALWAYS, "either", flag, "the second"),
    CV_FIELD_OF_AS(OR_NULL, "of_other", other, number, ""),
    CV_NUMBER_OF(OR_ZERO, "zero_of_other", other, number, -1000, 1000, ""),
    CV_JSON_OF_AS(IF_ANY, ANY, "json_of_other", other, word, ""),
    {0},
};
static const cv_shape tree_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, text, "as it is"),
    CV_FIELD_AS(IF_ANY, "text_if", text, ""),
    CV_FIELD_AS(OR_NULL, "text_or_null", text, ""),
    CV_FIELD_AS(OR_NULL, "number_or_null", number, ""),
    CV_FIELD_AS(IF_ANY, "number_if", number, ""),
    CV_NUMBER(OR_ZERO, "number_or_zero", number, -1000, 1000, ""),
    CV_FIELD(ALWAYS, count, ""),
    CV_NUMBER(IF_ANY, "count_if", count, 1, CV_NO_LIMIT, ""),
    CV_FIELD(ALWAYS, small, ""),
    CV_FIELD(ALWAYS, flag, ""),
    CV_FIELD_AS(IF_ANY, "flag_if", flag, ""),
    CV_JSON_AS(IF_ANY, ANY, "json", json, ""),
    CV_JSON_AS(OR_EMPTY, NAMES, "list", list, ""),
    CV_JSON_AS(IF_ANY, MAP, "map", map, ""),
    CV_JSON_AS(OR_NULL, NUMBER, "decimal", decimal, ""),
    CV_TEXTS("words", words, word_count, ""),
    CV_LIST("items", items, item_count, leaf_shape, "all"),
    CV_LIST_AT("pointers", pointers, pointer_count, leaf_shape, ""),
    CV_OBJECT(ALWAYS, "inner", inner, leaf_shape, ""),
    CV_OBJECT_AT(IF_ANY, "far", far, leaf_shape, ""),
    CV_OBJECT_AT(OR_NULL, "far_or_null", far, leaf_shape, ""),
    CV_INTS("numbers", numbers, number_count, ""),
    CV_GROUP_IF(decimal, "group", group, ""),
    CV_CASE(far, with_far),
    CV_CASE(other, with_other),
    CV_BY_HAND("twice", write_twice, "{\"type\":\"integer\",\"minimum\":0}"),
    CV_MORE("next", number, "after", "the next page"),
    CV_LATER(IF_ANY, "later", BOOL, CV_NO_LIMIT, ""),
    CV_ALL_BELOW(low),
    CV_LATER_SECRET("secret", ""),
    CV_LATER_ALL(afterwards),
    CV_LONG_AS(IF_ANY, "long", list, 2, 5, ""),
    CV_BELOW(IF_ANY, below, ""),
    CV_PRINTED(printed, ""),
    {0},
};
#undef CV_THIS_TYPE

/* ---- generated values -------------------------------------------------------------------------------------------- */

static cv_str pick(cv_test_random *r, const char *const *texts, size_t count)
{
    const char *text = texts[cv_test_below(r, count)];
    return text ? cv_str_of(text) : (cv_str){NULL, 0};
}
#define PICK(r, ...)                                                                                                   \
    pick((r), (const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

static int64_t number(cv_test_random *r)
{
    return cv_test_below(r, 3) ? (int64_t)cv_test_below(r, 2000) - 1000 : CV_ABSENT;
}

static leaf a_leaf(cv_test_random *r)
{
    return (leaf){number(r), PICK(r, NULL, "", "7", "\"w\"")};
}

static tree *grow(cv_arena *a, cv_test_random *r)
{
    tree *t = CV_NEW(a, tree);
    leaf *leaves = CV_NEW_ARRAY(a, 8, leaf);
    const leaf **pointers = CV_NEW_ARRAY(a, 8, const leaf *);
    cv_str *words = CV_NEW_ARRAY(a, 8, cv_str);
    for (size_t i = 0; i < 8; i++) {
        leaves[i] = a_leaf(r);
        leaves[i].word = leaves[i].word.n ? leaves[i].word : CV_STR("1"); /* JSON, too */
        pointers[i] = &leaves[cv_test_below(r, 8)];
        words[i] = PICK(r, "", "a", "\xe2\x80\xa6");
    }
    bool is_far = cv_test_below(r, 2);
    *t = (tree){.inner = a_leaf(r),
                .far = is_far ? &leaves[0] : NULL,
                .other = is_far ? NULL : &leaves[1],
                .text = PICK(r, NULL, "", "\"quoted\"\n"),
                .json = PICK(r, NULL, "{}", "[1,null]", "7"),
                .list = PICK(r, NULL, "[]", "[\"x\"]"),
                .map = PICK(r, NULL, "{}", "{\"k\":1}"),
                .decimal = PICK(r, NULL, "0.5", "1"),
                .below = PICK(r, NULL, "", "far down"),
                .printed = PICK(r, NULL, "", "a line\n"),
                .number = number(r),
                .count = cv_test_below(r, 3),
                .small = (int)cv_test_below(r, 100) - 50,
                .flag = cv_test_below(r, 2),
                .words = words,
                .word_count = cv_test_below(r, 4),
                .items = leaves,
                .item_count = cv_test_below(r, 4),
                .pointers = pointers,
                .pointer_count = cv_test_below(r, 4),
                .numbers = cv_arena_dup(a, (int64_t[]){-1, 0, 1000}, 3 * sizeof(int64_t)),
                .number_count = cv_test_below(r, 4)};
    return t;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static cv_json schema_of(cv_arena *a, const cv_shape *shape)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json schema;
    cv_err err = {.arena = a};
    cv_shape_schema(&w, shape);
    assert_ok(cv_json_parse(a, cv_buf_take(&text, a), &schema, &err), &err);
    assert_ok(cv_schema_lint(&schema, &err), &err);
    return schema;
}

static bool fits(cv_arena *a, const cv_json *schema, const cv_json *value)
{
    cv_errs errs = {0};
    return cv_schema_check(a, schema, CV_STR(""), value, &errs);
}

static bool is_required(const cv_json *schema, cv_str name)
{
    const cv_json *required = cv_json_get(schema, CV_STR("required"));
    for (uint32_t i = 0; i < required->count; i++)
        if (cv_str_eq(required->items[i].text, name))
            return true;
    return false;
}

/* Whatever is written fits; without a required member it does not, without another it does, nor with one more. */
static void the_schema_takes_what_is_written(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_test_random r = {cv_test_seed()};
    const cv_json schema = schema_of(&a, tree_shape);
    for (int turn = 0; turn < 300; turn++) {
        cv_err err = {.arena = &a};
        cv_json value;
        cv_str text = cv_shape_text(&a, tree_shape, grow(&a, &r));
        assert_ok(cv_json_parse(&a, text, &value, &err), &err);
        if (!fits(&a, &schema, &value))
            fail_msg("does not fit: %.*s", CV_FMT(text));
        for (uint32_t i = 0; i < value.count; i++) {
            cv_json less = value;
            cv_json_member *members = cv_arena_dup(&a, value.members, value.count * sizeof *members);
            members[i] = members[value.count - 1];
            less.members = members;
            less.count--;
            assert_int_equal(fits(&a, &schema, &less), !is_required(&schema, value.members[i].key));
            members[i] = value.members[i];
            members[i].key = CV_STR("unheard_of");
            less.count = i + 1 == value.count ? value.count : value.count - 1;
            assert_false(fits(&a, &schema, &less));
        }
    }
    cv_arena_release(&a);
}

static void absent_values_are_told_as_the_rows_say(void **state)
{
    (void)state;
    cv_arena a = {0};
    const leaf other = {CV_ABSENT, {NULL, 0}};
    tree t = {.inner = other, .other = &other, .number = CV_ABSENT};
    assert_str_eq(cv_shape_text(&a, tree_shape, &t),
                  "{\"status\":\"success\",\"text\":\"\",\"text_or_null\":null,\"number_or_null\":null,"
                  "\"number_or_zero\":0,\"count\":0,\"small\":0,\"flag\":false,\"list\":[],\"decimal\":null,"
                  "\"words\":[],\"items\":[],\"pointers\":[],\"inner\":{\"number\":null,\"word\":\"\"},\"far_or_null\":"
                  "null,\"numbers\":[],"
                  "\"either\":false,\"of_other\":null,\"zero_of_other\":0,\"twice\":0,\"low_items\":[]}");
    cv_arena_release(&a);
}

/* A field of a record type is shown by being in its table. */
static void rows_are_told_by_their_types(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    const plant all = {1, 7, CV_STR("rye"), CV_STR("1.50"), CV_STR("[1]"), 1},
                few = {1, 8, CV_STR(""), {NULL, 0}, {NULL, 0}, CV_ABSENT};
    const struct {
        const cv_shape *shape;
        const plant *value;
        const char *text;
    } cases[] = {
        {plant_shape, &all, "{\"id\":7,\"name\":\"rye\",\"height\":1.50,\"parts\":[1],\"eaten\":true}"},
        {plant_shape, &few, "{\"id\":8,\"name\":\"\",\"height\":null,\"parts\":null,\"eaten\":null}"},
        {plant_brief, &all, "{\"name\":\"rye\",\"height\":1.50,\"eaten\":true}"},
    };
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_json value, schema = schema_of(&a, cases[i].shape);
        cv_str text = cv_shape_text(&a, cases[i].shape, cases[i].value);
        assert_str_eq(text, cases[i].text);
        assert_ok(cv_json_parse(&a, text, &value, &err), &err);
        assert_true(fits(&a, &schema, &value));
        assert_int_equal(cv_json_get(&schema, CV_STR("required"))->count, value.count);
    }
    const cv_json schema = schema_of(&a, plant_shape);
    cv_json value;
    assert_true(
        cv_json_parse(&a, CV_STR("{\"id\":8,\"name\":null,\"height\":1,\"parts\":0,\"eaten\":true}"), &value, &err));
    assert_false(fits(&a, &schema, &value));
    cv_arena_release(&a);
}

static void cases_require_what_all_have(void **state)
{
    (void)state;
    cv_arena a = {0};
    const cv_json schema = schema_of(&a, tree_shape);
    const cv_json *properties = cv_json_get(&schema, CV_STR("properties"));
    assert_true(is_required(&schema, CV_STR("either")));
    assert_false(is_required(&schema, CV_STR("only_far")));
    assert_false(is_required(&schema, CV_STR("far_number")));
    assert_str_eq(cv_json_get_text(cv_json_get(properties, CV_STR("either")), "description"), "the first");
    assert_str_eq(cv_json_get_text(cv_json_get(properties, CV_STR("next")), "x-more"), "after");
    assert_non_null(cv_json_get(properties, CV_STR("later")));
    assert_non_null(cv_json_get(properties, CV_STR("afterwards")));
    assert_int_equal(cv_json_get_int(cv_json_get(properties, CV_STR("long")), "minLength", 0), 2);
    assert_int_equal(cv_json_get_int(cv_json_get(properties, CV_STR("long")), "maxLength", 0), 5);
    cv_arena_release(&a);
}

static void marks_stand_in_the_schema(void **state)
{
    (void)state;
    static const char *const marks[][2] = {{"below", "x-below"}, {"printed", "x-print"}, {"secret", "x-secret"}};
    static const char *const low_names[] = {"low", "low_items"};
    cv_arena a = {0};
    const cv_json schema = schema_of(&a, tree_shape);
    const cv_json *properties = cv_json_get(&schema, CV_STR("properties"));
    for (size_t i = 0; i < CV_COUNT(marks); i++)
        for (size_t k = 0; k < CV_COUNT(marks); k++)
            assert_int_equal(cv_json_get_true(cv_json_get(properties, cv_str_of(marks[i][0])), marks[k][1]), i == k);
    for (size_t i = 0; i < CV_COUNT(low_names); i++)
        assert_true(cv_json_get_true(cv_json_get(properties, cv_str_of(low_names[i])), "x-below"));
    cv_arena_release(&a);
}

/* Names of a list of texts, or of members: each once. */
static void assert_once(const char *op, const cv_json *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        for (uint32_t k = 0; k < i; k++) {
            bool is_list = names->type == CV_JSON_ARRAY;
            cv_str one = is_list ? names->items[i].text : names->members[i].key;
            if (cv_str_eq(one, is_list ? names->items[k].text : names->members[k].key))
                fail_msg("%s: '%.*s' stands twice", op, CV_FMT(one));
        }
}

/* Objects have no members but those that are described; what is required is among them; lists say of what they are. */
static void assert_sound(const char *op, const cv_json *schema)
{
    const cv_json *properties = cv_json_get(schema, CV_STR("properties")),
                  *required = cv_json_get(schema, CV_STR("required")), *items = cv_json_get(schema, CV_STR("items")),
                  *others = cv_json_get(schema, CV_STR("additionalProperties"));
    if (cv_schema_allows(schema, CV_STR("array")) && cv_json_get(schema, CV_STR("type")) && !items)
        fail_msg("%s: a list of anything", op);
    if (properties && (!others || others->type != CV_JSON_FALSE))
        fail_msg("%s: an object with members that are not described", op);
    if (items)
        assert_sound(op, items);
    if (others && others->type == CV_JSON_OBJECT)
        assert_sound(op, others);
    if (properties)
        assert_once(op, properties);
    if (required)
        assert_once(op, required);
    for (uint32_t i = 0; required && i < required->count; i++)
        assert_non_null(cv_json_get(properties, required->items[i].text));
    for (uint32_t i = 0; properties && i < properties->count; i++)
        assert_sound(op, &properties->members[i].value);
}

static cv_str text_of(cv_arena *a, const cv_json *value)
{
    cv_buf text = {0};
    cv_json_value(&(cv_json_writer){.out = &text}, value);
    return cv_buf_take(&text, a);
}

/* What the operations of the program answer: sound, and what their replies are compared with (ops/watch.h). */
static void every_shape_gives_a_sound_schema(void **state)
{
    (void)state;
    cv_arena a = {0};
    size_t count = 0;
    for (size_t i = 0; i < cv_op_count(); i++) {
        const cv_operation *op = cv_op_at(i);
        if (!op->answer)
            continue;
        count++;
        cv_json schema = schema_of(&a, op->answer);
        assert_sound(op->schema, &schema);
        assert_true(cv_str_eq(text_of(&a, &schema), text_of(&a, cv_op_schema(op).output)));
    }
    assert_true(count > 20);
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_takes_what_is_written), cmocka_unit_test(absent_values_are_told_as_the_rows_say),
        cmocka_unit_test(rows_are_told_by_their_types),     cmocka_unit_test(cases_require_what_all_have),
        cmocka_unit_test(every_shape_gives_a_sound_schema), cmocka_unit_test(marks_stand_in_the_schema),
    };
    return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
