/* schema.c - one walk over schema and value together; see schema.h.
 *
 *     schema  properties.perspectives.items.properties.label
 *     value   perspectives        [0]       label             <- a chain of steps on the stack: the path of a fault
 *
 * Faults come in the order of the text, so lines are counted once from fault to fault and never from the beginning.
 */
#include "kit/schema.h"

#include <assert.h>

#include "base/limits.h"
#include "base/utf8.h"

/* Where the walk stands: from the innermost step to the whole value. */
typedef struct step {
    const struct step *up;
    cv_str key;               /* of a member; a NULL view: an item */
    size_t index;             /* of an item */
    cv_str item_key, item_id; /* of the innermost item that has one (x-item) */
    int depth;
} step;

/* The keywords that are asked for at every value. */
typedef enum {
    TYPE,
    ENUM,
    PROPERTIES,
    REQUIRED,
    OTHERS,
    ITEMS,
    MINIMUM,
    MAXIMUM,
    MIN_LENGTH,
    MAX_LENGTH,
    MIN_ITEMS,
    MAX_ITEMS,
    ITEM_KEY,
    KEYWORDS
} keyword;

static const char *const words[KEYWORDS] = {"type",     "enum",     "properties", "required",  "additionalProperties",
                                            "items",    "minimum",  "maximum",    "minLength", "maxLength",
                                            "minItems", "maxItems", "x-item"};

_Static_assert(CV_COUNT(words) == KEYWORDS, "every keyword has its word");

/* A list has one schema for all its items: what it says is looked up once and kept, by its address. */
enum { SHAPES = 32 };
typedef struct {
    const cv_json *schema;
    const cv_json *parts[KEYWORDS];
} shape;

typedef struct {
    shape shapes[SHAPES];
    cv_arena *arena;
    cv_errs *errs;
    size_t most; /* of errs->count */
    cv_str text;
    size_t at, line, column; /* the last place: bytes, and what they are for a person */
    const cv_json *told;     /* the schema whose properties were listed last */
} walk;

static void check_value(walk *w, const cv_json *schema, const cv_json *value, const step *here);

/* ---- faults ----------------------------------------------------------------------------------------------------- */

static cv_str excerpt(cv_arena *a, cv_str s)
{
    return cv_utf8_excerpt(a, s, CV_MAX_EXCERPT);
}

static cv_str shown(cv_arena *a, const cv_json *value)
{
    switch (value->type) {
    case CV_JSON_NULL:
        return CV_STR("null");
    case CV_JSON_FALSE:
        return CV_STR("false");
    case CV_JSON_TRUE:
        return CV_STR("true");
    case CV_JSON_NUMBER:
    case CV_JSON_STRING:
        return excerpt(a, value->text);
    default:
        return (cv_str){NULL, 0};
    }
}

/* perspectives[0].references[1].target */
static cv_str path_of(cv_arena *a, const step *here, cv_str last)
{
    const step *steps[CV_MAX_JSON_DEPTH + 1];
    size_t count = 0;
    for (; here->up; here = here->up)
        steps[count++] = here;
    assert(count <= CV_MAX_JSON_DEPTH && !here->key.p && "the chain ends with the whole value");
    cv_buf b = {0};
    while (count-- > 0) {
        if (!steps[count]->key.p) {
            cv_buf_printf(&b, "[%zu]", steps[count]->index);
            continue;
        }
        cv_buf_add_z(&b, b.n ? "." : "");
        cv_buf_add(&b, excerpt(a, steps[count]->key));
    }
    if (last.p) {
        cv_buf_add_z(&b, b.n ? "." : "");
        cv_buf_add(&b, excerpt(a, last));
    }
    cv_str path = cv_arena_copy(a, cv_buf_str(&b));
    cv_buf_release(&b);
    return path;
}

/* Counts on from the last place; only a value before it makes the count begin again. */
static void place(walk *w, const cv_json *value, cv_err *err)
{
    if (w->text.n == 0 || value->offset > w->text.n)
        return;
    if (value->offset < w->at || w->line == 0) {
        w->at = 0;
        w->line = w->column = 1;
    }
    cv_utf8_advance(cv_str_range(w->text.p + w->at, w->text.p + value->offset), &w->line, &w->column);
    w->at = value->offset;
    assert(w->at <= w->text.n && w->line > 0);
    err->line = w->line;
    err->column = w->column;
}

static bool is_full(const walk *w)
{
    return w->errs->count >= w->most;
}

/* A fault about `value` or, with `name`, about its member of that name. NULL: there are too many already. */
static cv_err *fault(walk *w, cv_err_code code, const step *here, cv_str name, const cv_json *value,
                     const char *constraint, cv_str message)
{
    if (is_full(w))
        return NULL;
    cv_err *err = cv_errs_add(w->errs, w->arena, code, "%.*s", CV_FMT(message));
    cv_err_field(err, path_of(w->arena, here, name));
    cv_err_constraint(err, cv_str_of(constraint));
    cv_err_item(err, here->item_key, here->item_id);
    place(w, value, err);
    return err;
}

static cv_err *invalid(walk *w, const step *here, const cv_json *value, const char *constraint, cv_str message)
{
    cv_err *err = fault(w, CV_ERR_INVALID_VALUE, here, (cv_str){NULL, 0}, value, constraint, message);
    if (err)
        cv_err_value(err, shown(w->arena, value));
    return err;
}

static cv_str did_you_mean(cv_arena *a, cv_str near)
{
    return near.n ? cv_arena_printf(a, "did you mean '%.*s'?", CV_FMT(near)) : near;
}

/* ---- looking into schemas --------------------------------------------------------------------------------------- */

/* What a schema says by a keyword; NULL: nothing. `schema` may be NULL. */
static const cv_json *part(walk *w, const cv_json *schema, keyword which)
{
    shape *s = &w->shapes[(uintptr_t)schema / sizeof *schema % SHAPES];
    assert(which < KEYWORDS);
    if (!schema)
        return NULL;
    for (size_t i = 0; s->schema != schema && i < KEYWORDS; i++)
        s->parts[i] = cv_json_get(schema, cv_str_of(words[i]));
    s->schema = schema;
    return s->parts[which];
}

static bool has_string(const cv_json *list, cv_str word)
{
    for (uint32_t i = 0; list && list->type == CV_JSON_ARRAY && i < list->count; i++)
        if (cv_str_eq(list->items[i].text, word))
            return true;
    return false;
}

/* The other names of a property: a list, or NULL. */
static const cv_json *also(const cv_json_member *property)
{
    return cv_json_get(&property->value, CV_STR("x-also"));
}

/* The property that a member called `name` is, by its own name or by another one. */
static const cv_json_member *property_find(walk *w, const cv_json *schema, cv_str name)
{
    const cv_json *all = part(w, schema, PROPERTIES);
    for (uint32_t i = 0; all && i < all->count; i++)
        if (cv_str_eq(all->members[i].key, name))
            return &all->members[i];
    for (uint32_t i = 0; all && i < all->count; i++)
        if (has_string(also(&all->members[i]), name))
            return &all->members[i];
    return NULL;
}

/* The schema of a member: its property's, or that of all others; NULL: free. */
static const cv_json *member_schema(walk *w, const cv_json *schema, const cv_json_member *property)
{
    const cv_json *others = property ? NULL : part(w, schema, OTHERS);
    return property ? &property->value : others && others->type == CV_JSON_OBJECT ? others : NULL;
}

static bool allows(const cv_json *wanted, cv_str type)
{
    if (!wanted)
        return true;
    return wanted->type == CV_JSON_STRING ? cv_str_eq(wanted->text, type) : has_string(wanted, type);
}

bool cv_schema_allows(const cv_json *schema, cv_str type)
{
    return allows(cv_json_get(schema, CV_STR("type")), type);
}

cv_str cv_schema_argument(const cv_json *input)
{
    const cv_json *all = cv_json_get(input, CV_STR("properties")), *required = cv_json_get(input, CV_STR("required"));
    for (uint32_t i = 0; all && i < all->count; i++)
        if (cv_json_get(&all->members[i].value, CV_STR("x-argument")))
            return all->members[i].key;
    for (uint32_t i = 0; required && i < required->count; i++) {
        const cv_json *property = all ? cv_json_get(all, required->items[i].text) : NULL;
        if (property && cv_schema_allows(property, CV_STR("string")) && !cv_schema_allows(property, CV_STR("array")))
            return required->items[i].text;
    }
    return CV_STR("");
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

static bool has_type(const cv_json *wanted, const cv_json *value)
{
    int64_t whole;
    double number;
    if (value->type != CV_JSON_NUMBER)
        return allows(wanted, cv_json_type_word(value->type));
    return (allows(wanted, CV_STR("number")) && cv_json_to_double(value, &number)) ||
           (allows(wanted, CV_STR("integer")) && cv_json_to_int(value, &whole));
}

static cv_str with_article(cv_arena *a, cv_str type)
{
    const char *article = cv_str_eq(type, CV_STR("null")) ? "" : strchr("aeiou", type.p[0]) ? "an " : "a ";
    return cv_arena_printf(a, "%s%.*s", article, CV_FMT(type));
}

static bool is_number(const cv_json *schema)
{
    return cv_schema_allows(schema, CV_STR("integer")) || cv_schema_allows(schema, CV_STR("number"));
}

/* "an integer"; "a whole number" when a number or a text was found, which an integer is not to everybody. */
static cv_str wanted_type(cv_arena *a, cv_str type, const cv_json *value)
{
    bool whole = (value->type == CV_JSON_NUMBER || value->type == CV_JSON_STRING) && cv_str_eq(type, CV_STR("integer"));
    return whole ? CV_STR("a whole number") : with_article(a, type);
}

/* "a string or null". Without types any value will do, but a number that no double holds. */
static cv_str wanted_types(cv_arena *a, const cv_json *types, const cv_json *value)
{
    if (!types)
        return CV_STR("a number below 1.8e308");
    if (types->type == CV_JSON_STRING)
        return wanted_type(a, types->text, value);
    cv_str all = {NULL, 0};
    for (uint32_t i = 0; i < types->count; i++) {
        cv_str one = wanted_type(a, types->items[i].text, value);
        all = i ? cv_arena_printf(a, "%.*s or %.*s", CV_FMT(all), CV_FMT(one)) : one;
    }
    return all;
}

/* A string may hold what was wanted itself, put in quotes once too often. The type of that; else its own. */
static const cv_json *unquoted(cv_arena *a, const cv_json *value)
{
    cv_json *held = CV_NEW(a, cv_json);
    cv_err err = {.arena = a};
    bool quoted = value->type == CV_JSON_STRING && cv_json_parse(a, value->text, held, &err);
    return quoted ? held : value;
}

static const char *type_hint(cv_arena *a, const cv_json *schema, const cv_json *value)
{
    cv_json_type held = unquoted(a, value)->type;
    bool number = is_number(schema);
    bool string = cv_schema_allows(schema, CV_STR("string"));
    const cv_json *items = cv_json_get(schema, CV_STR("items"));
    if (value->type == CV_JSON_NULL)
        return "leave the field out";
    if (value->type == CV_JSON_STRING && number && held == CV_JSON_NUMBER)
        return "write the number without quotes";
    if (value->type == CV_JSON_NUMBER && number)
        return "write digits only, within ±2^53";
    if (value->type == CV_JSON_NUMBER && string)
        return "put it in double quotes";
    if (held != value->type && held >= CV_JSON_ARRAY && cv_schema_allows(schema, cv_json_type_word(held)))
        return held == CV_JSON_ARRAY ? "it is a string that holds JSON: send the array itself, without quotes"
                                     : "it is a string that holds JSON: send the object itself, without quotes";
    if (value->type == CV_JSON_STRING && cv_schema_allows(schema, CV_STR("array")))
        return "put it in a list: [\"…\"]";
    if (value->type == CV_JSON_OBJECT && items && cv_schema_allows(items, CV_STR("object")))
        return "put it in a list: [{…}]";
    return NULL;
}

static void wrong_type(walk *w, const cv_json *schema, const cv_json *value, const step *here)
{
    cv_str wanted = wanted_types(w->arena, part(w, schema, TYPE), value);
    bool part = value->type == CV_JSON_NUMBER && cv_schema_allows(schema, CV_STR("integer"));
    cv_str found = part ? shown(w->arena, value) : with_article(w->arena, cv_json_type_word(value->type));
    if (value->type == CV_JSON_STRING && is_number(schema))
        found = cv_arena_printf(w->arena, "the text '%.*s'", CV_FMT(shown(w->arena, value)));
    cv_err *err = invalid(w, here, value, "type",
                          cv_arena_printf(w->arena, "expected %.*s, found %.*s", CV_FMT(wanted), CV_FMT(found)));
    if (err)
        cv_err_suggest(err, cv_str_of(type_hint(w->arena, schema, value)));
}

/* ---- single values ---------------------------------------------------------------------------------------------- */

static bool same_scalar(const cv_json *a, const cv_json *b)
{
    return a->type == b->type && (a->type < CV_JSON_NUMBER || cv_str_eq(a->text, b->text));
}

static void offer_choices(walk *w, const cv_json *all, cv_err *err)
{
    cv_str *options = CV_NEW_ARRAY(w->arena, all->count, cv_str);
    for (uint32_t i = 0; i < all->count; i++)
        options[i] = shown(w->arena, &all->items[i]);
    cv_err_options(err, options, all->count);
}

static void check_enum(walk *w, const cv_json *all, const cv_json *value, const step *here)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (same_scalar(&all->items[i], value))
            return;
    cv_str text = shown(w->arena, value);
    cv_err *err =
        invalid(w, here, value, "enum", cv_arena_printf(w->arena, "'%.*s' is not a valid value", CV_FMT(text)));
    if (!err)
        return;
    offer_choices(w, all, err);
    cv_err_suggest(err, did_you_mean(w->arena, cv_str_nearest(text, err->options, err->option_count)));
}

/* Holds `found` against a lower keyword and the upper one, which comes next. */
static void check_range(walk *w, const cv_json *schema, const cv_json *value, const step *here, double found,
                        keyword lower, const char *unit)
{
    for (int upper = 0; upper < 2; upper++) {
        const cv_json *limit = part(w, schema, lower + (keyword)upper);
        double bound;
        if (!limit || !cv_json_to_double(limit, &bound) || (upper ? found <= bound : found >= bound))
            continue;
        int letters = (int)strlen(unit) - (*unit && bound == 1); /* 1 item, 2 items */
        cv_str message = cv_arena_printf(w->arena, "expected at %s %.*s%.*s, found %.15g", upper ? "most" : "least",
                                         CV_FMT(limit->text), letters, unit, found);
        invalid(w, here, value, words[lower + (keyword)upper], message);
    }
}

static bool has_nul(cv_str s)
{
    return cv_str_find_char(s, '\0') != SIZE_MAX;
}

static void check_string(walk *w, const cv_json *schema, const cv_json *value, const step *here)
{
    if (has_nul(value->text)) {
        cv_err *err = fault(w, CV_ERR_INVALID_VALUE, here, (cv_str){NULL, 0}, value, "text",
                            CV_STR("the text has a NUL character (\\u0000)"));
        if (err)
            cv_err_suggest(err, CV_STR("remove it"));
        return;
    }
    if (part(w, schema, MIN_LENGTH) || part(w, schema, MAX_LENGTH))
        check_range(w, schema, value, here, (double)cv_utf8_count(value->text), MIN_LENGTH, " characters");
}

/* ---- arrays and objects ----------------------------------------------------------------------------------------- */

static void check_array(walk *w, const cv_json *schema, const cv_json *value, const step *here)
{
    const cv_json *items = part(w, schema, ITEMS);
    check_range(w, schema, value, here, value->count, MIN_ITEMS, " items");
    for (uint32_t i = 0; i < value->count && !is_full(w); i++) {
        step item = {
            .up = here, .index = i, .item_key = here->item_key, .item_id = here->item_id, .depth = here->depth + 1};
        check_value(w, items, &value->items[i], &item);
    }
}

static bool has_property(walk *w, const cv_json *object, const cv_json *schema, cv_str name)
{
    if (cv_json_get(object, name))
        return true;
    const cv_json_member *property = property_find(w, schema, name);
    const cv_json *others = property ? also(property) : NULL;
    for (uint32_t i = 0; others && i < others->count; i++)
        if (cv_json_get(object, others->items[i].text))
            return true;
    return false;
}

/* A field that is missing is reported with its choices, or with what the schema says of it. */
static void miss(walk *w, const cv_json *schema, cv_str name, const cv_json *value, const step *here)
{
    const cv_json_member *property = property_find(w, schema, name);
    const cv_json *all = property ? part(w, &property->value, ENUM) : NULL;
    cv_str about = property && !all ? cv_json_get_text(&property->value, "description") : CV_STR("");
    cv_err *err =
        fault(w, CV_ERR_MISSING_FIELD, here, name, value, "required",
              cv_arena_printf(w->arena, "'%.*s' is required%s%.*s", CV_FMT(name), about.n ? ": " : "", CV_FMT(about)));
    if (err && all)
        offer_choices(w, all, err);
}

static void check_required(walk *w, const cv_json *schema, const cv_json *value, const step *here)
{
    const cv_json *names = part(w, schema, REQUIRED);
    for (uint32_t i = 0; names && i < names->count; i++)
        if (!has_property(w, value, schema, names->items[i].text))
            miss(w, schema, names->items[i].text, value, here);
}

/* The request itself, put into a field: {"payload": {…}}. */
static bool wraps_request(walk *w, const cv_json *schema, const cv_json *value)
{
    const cv_json *held = unquoted(w->arena, value);
    bool fits = held->type == CV_JSON_OBJECT && held->count > 0;
    for (uint32_t i = 0; fits && i < held->count; i++)
        fits = property_find(w, schema, held->members[i].key);
    return fits;
}

static void unknown_field(walk *w, const cv_json *schema, const cv_json_member *member, const step *here)
{
    cv_str name = excerpt(w->arena, member->key);
    cv_err *err = fault(w, CV_ERR_UNKNOWN_FIELD, here, member->key, &member->value, "additionalProperties",
                        cv_arena_printf(w->arena, "unknown field '%.*s'", CV_FMT(name)));
    const cv_json *all = part(w, schema, PROPERTIES);
    if (!err || !all)
        return;
    if (wraps_request(w, schema, &member->value)) {
        cv_err_suggest(err, CV_STR("send its members themselves, without this field around them"));
        return;
    }
    cv_str *options = CV_NEW_ARRAY(w->arena, all->count, cv_str);
    for (uint32_t i = 0; i < all->count; i++)
        options[i] = all->members[i].key;
    cv_err_suggest(err, did_you_mean(w->arena, cv_str_nearest(member->key, options, all->count)));
    if (err->suggestion.n || w->told == schema)
        return;
    cv_err_options(err, options, all->count);
    w->told = schema;
}

/* One property under two names: which of them is meant? */
static void check_twice(walk *w, const cv_json *object, const cv_json_member *member, cv_str name, const step *here)
{
    if (cv_str_eq(member->key, name) || !cv_json_get(object, name))
        return;
    cv_err *err = invalid(w, here, &member->value, "x-also",
                          cv_arena_printf(w->arena, "'%.*s' is another name of '%.*s', which is given too",
                                          CV_FMT(member->key), CV_FMT(name)));
    if (err)
        cv_err_suggest(err, CV_STR("give one of them"));
}

static void check_member(walk *w, const cv_json *schema, const cv_json *object, const cv_json_member *member,
                         const step *inside)
{
    const cv_json_member *property = property_find(w, schema, member->key);
    const cv_json *others = property ? NULL : part(w, schema, OTHERS);
    if (has_nul(member->key)) {
        fault(w, CV_ERR_INVALID_VALUE, inside->up, (cv_str){NULL, 0}, &member->value, "text",
              CV_STR("a name has a NUL character (\\u0000)"));
    } else if (property) {
        check_twice(w, object, member, property->key, inside);
        check_value(w, &property->value, &member->value, inside);
    } else if (others && others->type == CV_JSON_FALSE) {
        unknown_field(w, schema, member, inside->up);
    } else {
        check_value(w, member_schema(w, schema, NULL), &member->value, inside);
    }
}

static void check_object(walk *w, const cv_json *schema, const cv_json *value, const step *here)
{
    const cv_json *key = part(w, schema, ITEM_KEY), *id = key ? cv_json_get(value, key->text) : NULL;
    step named = *here;
    if (id && id->type == CV_JSON_STRING) {
        named.item_key = key->text;
        named.item_id = excerpt(w->arena, id->text);
    }
    check_required(w, schema, value, &named);
    for (uint32_t i = 0; i < value->count && !is_full(w); i++) {
        step inside = {.up = &named,
                       .key = value->members[i].key,
                       .item_key = named.item_key,
                       .item_id = named.item_id,
                       .depth = here->depth + 1};
        check_member(w, schema, value, &value->members[i], &inside);
    }
}

/* `schema` may be NULL: then only what no request may contain is looked for. */
static void check_value(walk *w, const cv_json *schema, const cv_json *value, const step *here)
{
    if (here->depth > CV_MAX_JSON_DEPTH) {
        invalid(w, here->up, value, "depth", CV_STR("nested too deeply"));
        return;
    }
    if (!has_type(part(w, schema, TYPE), value)) {
        wrong_type(w, schema, value, here);
        return;
    }
    const cv_json *all = part(w, schema, ENUM);
    double number;
    if (all)
        check_enum(w, all, value, here);
    if (value->type == CV_JSON_STRING)
        check_string(w, schema, value, here);
    else if (value->type == CV_JSON_NUMBER && cv_json_to_double(value, &number))
        check_range(w, schema, value, here, number, MINIMUM, "");
    else if (value->type == CV_JSON_ARRAY)
        check_array(w, schema, value, here);
    else if (value->type == CV_JSON_OBJECT)
        check_object(w, schema, value, here);
}

bool cv_schema_check(cv_arena *a, const cv_json *schema, cv_str text, const cv_json *value, cv_errs *errs)
{
    size_t before = errs->count;
    walk w = {.arena = a, .errs = errs, .most = before + CV_MAX_FAULTS, .text = text};
    check_value(&w, schema, value, &(step){0});
    if (is_full(&w))
        cv_err_suggest(cv_errs_add(errs, a, CV_ERR_TOO_LARGE, "there may be more faults than these %d", CV_MAX_FAULTS),
                       CV_STR("correct these, then try again"));
    return errs->count == before;
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static bool rename_in(walk *w, const cv_json *schema, cv_json *value);

static bool rename_items(walk *w, const cv_json *schema, cv_json *array)
{
    bool renamed = false;
    for (uint32_t i = 0; i < array->count; i++) {
        cv_json item = array->items[i];
        if (!rename_in(w, schema, &item))
            continue;
        if (!renamed)
            array->items = cv_arena_dup(w->arena, array->items, array->count * sizeof *array->items);
        array->items[i] = item;
        renamed = true;
    }
    return renamed;
}

static bool rename_members(walk *w, const cv_json *schema, cv_json *object)
{
    bool renamed = false;
    for (uint32_t i = 0; i < object->count; i++) {
        cv_json_member member = object->members[i];
        const cv_json_member *property = property_find(w, schema, member.key);
        bool other = property && !cv_str_eq(property->key, member.key);
        member.key = other ? property->key : member.key;
        if (!rename_in(w, member_schema(w, schema, property), &member.value) && !other)
            continue;
        if (!renamed)
            object->members = cv_arena_dup(w->arena, object->members, object->count * sizeof *object->members);
        object->members[i] = member;
        renamed = true;
    }
    return renamed;
}

/* What has another name in it is copied, and what it is in; the rest is shared. False: there was nothing. */
static bool rename_in(walk *w, const cv_json *schema, cv_json *value)
{
    if (!schema || value->type < CV_JSON_ARRAY)
        return false;
    return value->type == CV_JSON_ARRAY ? rename_items(w, part(w, schema, ITEMS), value)
                                        : rename_members(w, schema, value);
}

const cv_json *cv_schema_named(cv_arena *a, const cv_json *schema, const cv_json *value)
{
    walk w = {.arena = a};
    cv_json copy = *value;
    return rename_in(&w, schema, &copy) ? cv_arena_dup(a, &copy, sizeof copy) : value;
}
