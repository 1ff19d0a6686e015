/* tool_schema.c - the schema of an operation as models are shown it; see tool_schema.h. */
#include "door/tool_schema.h"

#include "base/map.h"

typedef struct {
    cv_arena *arena;
    cv_json_writer *w;
    cv_map told; /* descriptions */
} shower;

static void show(shower *s, const cv_json *schema);

/* Fields of every writing operation that are for programs: derived when absent. */
static bool is_for_programs(cv_str name)
{
    return cv_str_eq(name, CV_STR("op_id")) || cv_str_eq(name, CV_STR("expect_rev"));
}

/* Of several types the richest: it can say what the others can. */
static cv_str one_type(const cv_json *schema)
{
    static const cv_str richest[] = {CV_STR_INIT("array"), CV_STR_INIT("object")};
    const cv_json *type = cv_json_get(schema, CV_STR("type"));
    if (!type)
        return cv_json_get(schema, CV_STR("enum")) ? CV_STR("string") : CV_STR("object");
    if (type->type == CV_JSON_STRING)
        return type->text;
    for (size_t r = 0; r < CV_COUNT(richest); r++)
        for (uint32_t i = 0; i < type->count; i++)
            if (cv_str_eq(type->items[i].text, richest[r]))
                return richest[r];
    for (uint32_t i = 0; i < type->count; i++)
        if (!cv_str_eq(type->items[i].text, CV_STR("null")))
            return type->items[i].text;
    return CV_STR("string");
}

static void show_description(shower *s, const cv_json *schema)
{
    cv_str text = cv_json_get_text(schema, "description");
    bool is_new = false;
    if (text.n)
        cv_map_put(&s->told, s->arena, text, &is_new);
    if (is_new)
        cv_json_key_str(s->w, "description", text);
}

static void show_properties(shower *s, const cv_json *properties)
{
    cv_json_key(s->w, CV_STR("properties"));
    cv_json_begin_object(s->w);
    for (uint32_t i = 0; properties && i < properties->count; i++) {
        if (is_for_programs(properties->members[i].key))
            continue;
        cv_json_key(s->w, properties->members[i].key);
        show(s, &properties->members[i].value);
    }
    cv_json_end_object(s->w);
}

static void show_object(shower *s, const cv_json *schema)
{
    const cv_json *properties = cv_json_get(schema, CV_STR("properties"));
    const cv_json *others = cv_json_get(schema, CV_STR("additionalProperties"));
    const cv_json *required = cv_json_get(schema, CV_STR("required"));
    if (properties)
        show_properties(s, properties);
    if (others && others->type == CV_JSON_OBJECT) {
        cv_json_key(s->w, CV_STR("additionalProperties"));
        show(s, others);
    }
    if (required && required->count > 0) {
        cv_json_key(s->w, CV_STR("required"));
        cv_json_value(s->w, required);
    }
}

static void show(shower *s, const cv_json *schema)
{
    static const cv_json any = {.type = CV_JSON_OBJECT};
    const cv_json *items = cv_json_get(schema, CV_STR("items")), *choices = cv_json_get(schema, CV_STR("enum"));
    cv_str type = one_type(schema);
    cv_json_begin_object(s->w);
    cv_json_key_str(s->w, "type", type);
    show_description(s, schema);
    if (cv_str_eq(type, CV_STR("object")))
        show_object(s, schema);
    if (cv_str_eq(type, CV_STR("array"))) {
        cv_json_key(s->w, CV_STR("items"));
        show(s, items ? items : &any);
    }
    if (choices) {
        cv_json_key(s->w, CV_STR("enum"));
        cv_json_begin_array(s->w);
        for (uint32_t i = 0; i < choices->count; i++)
            if (choices->items[i].type != CV_JSON_NULL)
                cv_json_value(s->w, &choices->items[i]);
        cv_json_end_array(s->w);
    }
    cv_json_end_object(s->w);
}

void cv_tool_schema_print(cv_arena *a, const cv_json *input, cv_json_writer *w)
{
    shower s = {.arena = a, .w = w};
    show(&s, input);
}
