/* valid_part.c - the valid part of a request; see valid_part.h. */
#include "kit/valid_part.h"

#include <assert.h>

#include "kit/schema.h"

typedef struct {
    cv_arena *a;
    const cv_map *faulty;
} walk;

static void take(const walk *w, cv_str path, cv_json *value);

/* Items keep their places: what is faulty becomes an empty one, of the type of its neighbours. */
static void take_items(const walk *w, cv_str path, cv_json *array)
{
    bool objects = false;
    cv_json *items = CV_NEW_ARRAY(w->a, array->count, cv_json);
    for (uint32_t i = 0; i < array->count; i++)
        objects = objects || array->items[i].type == CV_JSON_OBJECT;
    for (uint32_t i = 0; i < array->count; i++) {
        cv_str at = cv_arena_printf(w->a, "%.*s[%u]", CV_FMT(path), (unsigned)i);
        items[i] = array->items[i];
        if (cv_map_get(w->faulty, at))
            items[i] = (cv_json){.type = objects ? CV_JSON_OBJECT : CV_JSON_STRING};
        else
            take(w, at, &items[i]);
    }
    array->items = items;
}

static void take_members(const walk *w, cv_str path, cv_json *object)
{
    assert(object->type == CV_JSON_OBJECT);
    cv_json_member *members = CV_NEW_ARRAY(w->a, object->count, cv_json_member);
    uint32_t count = 0;
    for (uint32_t i = 0; i < object->count; i++) {
        cv_str at =
            cv_arena_printf(w->a, "%.*s%s%.*s", CV_FMT(path), path.n ? "." : "", CV_FMT(object->members[i].key));
        if (cv_map_get(w->faulty, at))
            continue;
        members[count] = object->members[i];
        take(w, at, &members[count++].value);
    }
    object->members = members;
    object->count = count;
}

static void take(const walk *w, cv_str path, cv_json *value)
{
    if (value->type == CV_JSON_ARRAY)
        take_items(w, path, value);
    else if (value->type == CV_JSON_OBJECT)
        take_members(w, path, value);
}

/* An empty value of the first type that the schema allows; without types, null. */
static cv_json empty_value(const cv_json *schema)
{
    static const cv_json_type empty[] = {CV_JSON_STRING, CV_JSON_ARRAY, CV_JSON_OBJECT, CV_JSON_FALSE};
    const cv_json *types = cv_json_get(schema, CV_STR("type"));
    cv_str first = !types ? CV_STR("null") : types->type == CV_JSON_STRING ? types->text : types->items[0].text;
    for (size_t i = 0; i < CV_COUNT(empty); i++)
        if (cv_str_eq(first, cv_json_type_word(empty[i])))
            return (cv_json){.type = empty[i]};
    return (cv_json){.type = CV_JSON_NULL};
}

static void fill(cv_arena *a, const cv_json *schema, cv_json *value);

/* Numbers have no empty value: the reader of one says what stands for it. */
static bool is_number(const cv_json *schema)
{
    return cv_json_get(schema, CV_STR("type")) &&
           (cv_schema_allows(schema, CV_STR("integer")) || cv_schema_allows(schema, CV_STR("number")));
}

static void fill_members(cv_arena *a, const cv_json *schema, cv_json *object)
{
    const cv_json *properties = cv_json_get(schema, CV_STR("properties"));
    const cv_json *required = cv_json_get(schema, CV_STR("required"));
    for (uint32_t i = 0; i < object->count; i++)
        fill(a, cv_json_get(properties, object->members[i].key), &object->members[i].value);
    cv_json_member *members = CV_NEW_ARRAY(a, object->count + (required ? required->count : 0), cv_json_member);
    for (uint32_t i = 0; i < object->count; i++)
        members[i] = object->members[i];
    object->members = members;
    for (uint32_t i = 0; required && i < required->count; i++) {
        cv_str name = required->items[i].text;
        const cv_json *property = cv_json_get(properties, name);
        if (!cv_json_get(object, name) && !is_number(property))
            members[object->count++] = (cv_json_member){name, empty_value(property)};
    }
}

/* What is required and missing is there, and empty: a reader of the valid part finds it. */
static void fill(cv_arena *a, const cv_json *schema, cv_json *value)
{
    const cv_json *items = cv_json_get(schema, CV_STR("items"));
    if (value->type == CV_JSON_OBJECT)
        fill_members(a, schema, value);
    for (uint32_t i = 0; value->type == CV_JSON_ARRAY && items && i < value->count; i++)
        fill(a, items, &value->items[i]);
}

/* Does everything depend on the property that the path begins with? A long text is an argument, and no base. */
static bool is_base(const cv_json *schema, cv_str path)
{
    size_t n = 0;
    while (n < path.n && path.p[n] != '.' && path.p[n] != '[')
        n++;
    const cv_json *property = cv_json_get(cv_json_get(schema, CV_STR("properties")), cv_str_head(path, n));
    bool names = cv_json_get(property, CV_STR("x-argument")) && !cv_json_get(property, CV_STR("x-file"));
    return path.n == 0 || names || cv_json_get(property, CV_STR("x-base"));
}

const cv_json *cv_valid_part(cv_arena *a, const cv_json *schema, const cv_json *value, const cv_errs *faults,
                             cv_map *ret_faulty)
{
    cv_errs left = {0};
    walk w = {a, ret_faulty};
    cv_json *sound = CV_NEW(a, cv_json);
    *ret_faulty = (cv_map){0};
    for (size_t i = 0; i < faults->count; i++) {
        if (is_base(schema, faults->items[i].field))
            return NULL;
        cv_map_put(ret_faulty, a, faults->items[i].field, NULL);
    }
    *sound = *value;
    take(&w, CV_STR(""), sound);
    cv_schema_check(a, schema, (cv_str){NULL, 0}, sound, &left);
    for (size_t i = 0; i < left.count; i++) {
        if (left.items[i].code != CV_ERR_MISSING_FIELD)
            return NULL;
        cv_map_put(ret_faulty, a, left.items[i].field, NULL);
    }
    *sound = *cv_schema_named(a, schema, sound);
    fill(a, schema, sound);
    return sound;
}

static bool is_below(cv_str path, cv_str above)
{
    return path.n > above.n && cv_str_starts(path, above) && (path.p[above.n] == '.' || path.p[above.n] == '[');
}

bool cv_valid_part_lacks(const cv_map *faulty, cv_str path)
{
    for (size_t i = 0; i < faulty->capacity; i++) {
        cv_str place = faulty->slots[i].key;
        if (place.p && (cv_str_eq(path, place) || is_below(path, place) || is_below(place, path)))
            return true;
    }
    return false;
}

bool cv_valid_part_was_given(const cv_map *faulty, cv_str message)
{
    for (size_t i = 0; i < faulty->capacity; i++) {
        cv_str name = faulty->slots[i].key;
        for (size_t n = 0; n < name.n; n++)
            if (name.p[n] == '.' || name.p[n] == '[')
                name = cv_str_head(name, n);
        for (size_t at = 1; name.n && at + name.n < message.n; at++)
            if (message.p[at - 1] == '\'' && message.p[at + name.n] == '\'' &&
                cv_str_starts(cv_str_from(message, at), name))
                return true;
    }
    return false;
}
