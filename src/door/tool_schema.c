/* tool_schema.c - the schema of an operation as models are shown it; see tool_schema.h. */
#include "door/tool_schema.h"

#include "base/map.h"
#include "ops/op.h"

typedef struct {
    cv_arena *arena;
    cv_json_writer *w;
    bool whole;
    bool bare;    /* without descriptions, and everything every time: to compare */
    cv_map told;  /* descriptions */
    cv_map shown; /* items of lists, bare -> const cv_str *: the property that showed them first */
    cv_str property;
    bool required; /* the property, in a request */
} shower;

static void show(shower *s, const cv_json *schema);

/* What few requests have is left to those who ask for everything. */
static bool is_left_out(const shower *s, const cv_json *schema)
{
    return !s->whole && cv_json_get(schema, CV_STR("x-rare"));
}

/* Of several types a list, which says what a single one does, or the first, which is the usual one. */
static cv_str one_type(const cv_json *schema)
{
    static const cv_str list = CV_STR_INIT("array"), none = CV_STR_INIT("null");
    const cv_json *type = cv_json_get(schema, CV_STR("type"));
    cv_str first = CV_STR("string");
    if (!type)
        return cv_json_get(schema, CV_STR("enum")) ? first : CV_STR("object");
    if (type->type == CV_JSON_STRING)
        return type->text;
    for (uint32_t i = type->count; i-- > 0;) {
        if (cv_str_eq(type->items[i].text, list))
            return list;
        first = cv_str_eq(type->items[i].text, none) ? first : type->items[i].text;
    }
    return first;
}

static bool allows_null(const cv_json *schema)
{
    const cv_json *type = cv_json_get(schema, CV_STR("type"));
    for (uint32_t i = 0; type && type->type == CV_JSON_ARRAY && i < type->count; i++)
        if (cv_str_eq(type->items[i].text, CV_STR("null")))
            return true;
    return false;
}

static void show_type(shower *s, const cv_json *schema, cv_str type)
{
    cv_json_key(s->w, CV_STR("type"));
    if (!allows_null(schema)) {
        cv_json_str(s->w, type);
        return;
    }
    cv_json_begin_array(s->w);
    cv_json_str(s->w, type);
    cv_json_str(s->w, CV_STR("null"));
    cv_json_end_array(s->w);
}

/* Words that an operation takes in any case, or checks itself, are not checked as an enum: "x-enum". Their
 * description lists them for people. */
static void show_choices(shower *s, const cv_json *schema)
{
    const cv_json *choices = cv_json_get(schema, CV_STR("enum"));
    if (!choices && !s->bare)
        choices = cv_json_get(schema, CV_STR("x-enum"));
    if (!choices)
        return;
    cv_json_key(s->w, CV_STR("enum"));
    cv_json_begin_array(s->w);
    for (uint32_t i = 0; i < choices->count; i++)
        if (choices->items[i].type != CV_JSON_NULL)
            cv_json_value(s->w, &choices->items[i]);
    if (allows_null(schema))
        cv_json_null(s->w);
    cv_json_end_array(s->w);
}

/* The name of such a field says what it is. */
static bool names_scope(cv_str property)
{
    for (size_t i = 0; i < cv_room_count(); i++)
        if (cv_room_names_scope(cv_room_at(i), property))
            return true;
    return false;
}

/* What a request must have is always explained, and "x-says" does it in fewer words than people get. */
static void show_description(shower *s, const cv_json *schema)
{
    cv_str says = cv_json_get_text(schema, "x-says"), text = says.n ? says : cv_json_get_text(schema, "description");
    bool is_new = false;
    bool known = cv_json_get(schema, CV_STR("x-enum")) || (cv_json_get(schema, CV_STR("x-known")) && !s->whole) ||
                 names_scope(s->property);
    if (text.n && !s->bare && (!known || s->required))
        cv_map_put(&s->told, s->arena, text, &is_new);
    if (is_new || (s->required && !s->bare && text.n))
        cv_json_key_str(s->w, "description", text);
    s->required = false; /* what is in it is not asked for */
}

static bool is_among(const cv_json *names, cv_str name)
{
    for (uint32_t i = 0; names && i < names->count; i++)
        if (cv_str_eq(names->items[i].text, name))
            return true;
    return false;
}

/* Only of the request itself: what it must have is explained. */
static void show_properties(shower *s, const cv_json *properties, const cv_json *required)
{
    cv_str outer = s->property;
    cv_json_key(s->w, CV_STR("properties"));
    cv_json_begin_object(s->w);
    for (uint32_t i = 0; properties && i < properties->count; i++) {
        if (is_left_out(s, &properties->members[i].value))
            continue;
        s->property = properties->members[i].key;
        s->required = !outer.n && is_among(required, s->property);
        cv_json_key(s->w, s->property);
        show(s, &properties->members[i].value);
    }
    s->property = outer;
    cv_json_end_object(s->w);
}

/* Is anything of it shown? Where nothing is, the description has the names. */
static bool has_shown(const shower *s, const cv_json *properties)
{
    for (uint32_t i = 0; properties && i < properties->count; i++)
        if (!is_left_out(s, &properties->members[i].value))
            return true;
    return false;
}

static void show_object(shower *s, const cv_json *schema)
{
    const cv_json *properties = cv_json_get(schema, CV_STR("properties"));
    const cv_json *others = cv_json_get(schema, CV_STR("additionalProperties"));
    const cv_json *required = cv_json_get(schema, CV_STR("required"));
    if (has_shown(s, properties))
        show_properties(s, properties, required);
    if (others && others->type == CV_JSON_OBJECT) {
        cv_json_key(s->w, CV_STR("additionalProperties"));
        show(s, others);
    }
    if (required && required->count > 0) {
        cv_json_key(s->w, CV_STR("required"));
        cv_json_value(s->w, required);
    }
}

static void show_named(shower *s, cv_str what)
{
    cv_json_begin_object(s->w);
    cv_json_key_str(s->w, "type", CV_STR("object"));
    if (what.n)
        cv_json_key_str(s->w, "description", what);
    cv_json_end_object(s->w);
}

/* Lists of the same things: the first one shows what they are, the others name it; those that are nearly the same say
 * in what they differ ("x-like"). */
static bool show_same(shower *s, const cv_json *items)
{
    cv_str like = cv_json_get_text(items, "x-like");
    if (like.n && !s->whole && !s->bare) {
        show_named(s, like);
        return true;
    }
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    shower compare = {.arena = s->arena, .w = &w, .whole = s->whole, .bare = true};
    bool is_new;
    if (s->bare || !cv_json_get(items, CV_STR("properties")))
        return false;
    show(&compare, items);
    uintptr_t *place = cv_map_put(&s->shown, s->arena, cv_buf_take(&text, s->arena), &is_new);
    if (is_new) {
        *place = (uintptr_t)cv_arena_dup(s->arena, &s->property, sizeof s->property);
        return false;
    }
    const cv_str *first = (const cv_str *)*place;
    show_named(s, cv_str_eq(*first, s->property) ? CV_STR("") : cv_arena_printf(s->arena, "like %.*s", CV_FMT(*first)));
    return true;
}

static void show(shower *s, const cv_json *schema)
{
    static const cv_json any = {.type = CV_JSON_OBJECT};
    const cv_json *items = cv_json_get(schema, CV_STR("items"));
    cv_str type = one_type(schema);
    cv_json_begin_object(s->w);
    show_type(s, schema, type);
    show_description(s, schema);
    if (cv_str_eq(type, CV_STR("object")))
        show_object(s, schema);
    if (cv_str_eq(type, CV_STR("array"))) {
        cv_json_key(s->w, CV_STR("items"));
        if (!items || !show_same(s, items))
            show(s, items ? items : &any);
    }
    show_choices(s, schema);
    cv_json_end_object(s->w);
}

void cv_tool_schema_print(cv_arena *a, const cv_json *input, bool whole, cv_json_writer *w)
{
    shower s = {.arena = a, .w = w, .whole = whole};
    show(&s, input);
}
