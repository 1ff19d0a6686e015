/* schema_lint.c - are our own schemas written in the words that we know? See schema.h; only tests ask.
 *
 * A misspelt keyword would be ignored in silence and a fault let through, so every keyword must be a row of the table.
 */
#include "kit/schema.h"

typedef bool (*shape)(const cv_json *value, cv_err *err);

static bool is_any(const cv_json *value, cv_err *err)
{
    (void)value;
    (void)err;
    return true;
}

static bool is_text(const cv_json *value, cv_err *err)
{
    return value->type == CV_JSON_STRING || cv_err_set(err, CV_ERR_INVALID_VALUE, "expected a string");
}

static bool is_switch(const cv_json *value, cv_err *err)
{
    return value->type == CV_JSON_TRUE || cv_err_set(err, CV_ERR_INVALID_VALUE, "expected true");
}

static bool is_number(const cv_json *value, cv_err *err)
{
    return value->type == CV_JSON_NUMBER || cv_err_set(err, CV_ERR_INVALID_VALUE, "expected a number");
}

static bool is_count(const cv_json *value, cv_err *err)
{
    int64_t count;
    return (cv_json_to_int(value, &count) && count >= 0) ||
           cv_err_set(err, CV_ERR_INVALID_VALUE, "expected a whole number from 0 on");
}

static bool is_texts(const cv_json *value, cv_err *err)
{
    if (value->type != CV_JSON_ARRAY || value->count == 0)
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "expected a list of strings");
    for (uint32_t i = 0; i < value->count; i++)
        if (!is_text(&value->items[i], err))
            return false;
    return true;
}

static bool is_type_word(const cv_json *value, cv_err *err)
{
    static const cv_str words[] = {CV_STR_INIT("string"),  CV_STR_INIT("integer"), CV_STR_INIT("number"),
                                   CV_STR_INIT("boolean"), CV_STR_INIT("array"),   CV_STR_INIT("object"),
                                   CV_STR_INIT("null")};
    for (size_t i = 0; i < CV_COUNT(words); i++)
        if (value->type == CV_JSON_STRING && cv_str_eq(value->text, words[i]))
            return true;
    return cv_err_set(err, CV_ERR_INVALID_VALUE, "expected a type");
}

static bool is_type(const cv_json *value, cv_err *err)
{
    if (value->type != CV_JSON_ARRAY)
        return is_type_word(value, err);
    for (uint32_t i = 0; i < value->count; i++)
        if (!is_type_word(&value->items[i], err))
            return false;
    return value->count > 0 || cv_err_set(err, CV_ERR_INVALID_VALUE, "expected a type");
}

static bool is_scalars(const cv_json *value, cv_err *err)
{
    if (value->type != CV_JSON_ARRAY || value->count == 0)
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "expected a list of values");
    for (uint32_t i = 0; i < value->count; i++)
        if (value->items[i].type >= CV_JSON_ARRAY)
            return cv_err_set(err, CV_ERR_INVALID_VALUE, "expected plain values");
    return true;
}

static bool is_bound_or_schema(const cv_json *value, cv_err *err)
{
    return value->type == CV_JSON_FALSE || cv_schema_lint(value, err);
}

static void name_field(cv_err *err, cv_str name)
{
    cv_err_field(err, err->field.n ? cv_arena_printf(err->arena, "%.*s.%.*s", CV_FMT(name), CV_FMT(err->field)) : name);
}

static bool is_schemas(const cv_json *value, cv_err *err)
{
    if (value->type != CV_JSON_OBJECT)
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "expected an object of schemas");
    for (uint32_t i = 0; i < value->count; i++)
        if (!cv_schema_lint(&value->members[i].value, err)) {
            name_field(err, value->members[i].key);
            return false;
        }
    return true;
}

static const struct {
    const char *name;
    shape fits;
} keywords[] = {
    {"type", is_type},
    {"enum", is_scalars},
    {"properties", is_schemas},
    {"required", is_texts},
    {"additionalProperties", is_bound_or_schema},
    {"items", cv_schema_lint},
    {"minimum", is_number},
    {"maximum", is_number},
    {"minLength", is_count},
    {"maxLength", is_count},
    {"minItems", is_count},
    {"maxItems", is_count},
    {"description", is_text},
    {"default", is_any},
    {"x-also", is_texts},
    {"x-argument", is_switch},
    {"x-file", is_switch},
    {"x-value", is_text},
    {"x-print", is_switch},
    {"x-document", is_switch},
    {"x-rare", is_switch},
    {"x-known", is_switch},
    {"x-says", is_text},
    {"x-base", is_switch},
    {"x-secret", is_switch},
    {"x-below", is_switch},
    {"x-more", is_text},
    {"x-whole", is_switch},
    {"x-item", is_text},
    {"x-like", is_text},
    {"x-names", is_text},
    {"x-text", is_text},
    {"x-enum", is_texts},
};

static bool lint_keyword(const cv_json_member *member, cv_err *err)
{
    for (size_t i = 0; i < CV_COUNT(keywords); i++)
        if (cv_str_eq(member->key, cv_str_of(keywords[i].name)))
            return keywords[i].fits(&member->value, err);
    return cv_err_set(err, CV_ERR_UNKNOWN_FIELD, "unknown keyword '%.*s'", CV_FMT(member->key));
}

/* A required property that is not described could never be given where others are refused. */
static bool lint_required(const cv_json *schema, cv_err *err)
{
    const cv_json *names = cv_json_get(schema, CV_STR("required"));
    const cv_json *properties = cv_json_get(schema, CV_STR("properties"));
    for (uint32_t i = 0; names && i < names->count; i++)
        if (!properties || !cv_json_get(properties, names->items[i].text))
            return cv_err_set(err, CV_ERR_INVALID_VALUE, "'%.*s' is required but no property",
                              CV_FMT(names->items[i].text));
    return true;
}

bool cv_schema_lint(const cv_json *schema, cv_err *err)
{
    if (schema->type != CV_JSON_OBJECT)
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "expected a schema");
    for (uint32_t i = 0; i < schema->count; i++)
        if (!lint_keyword(&schema->members[i], err)) {
            name_field(err, schema->members[i].key);
            return false;
        }
    return lint_required(schema, err);
}
