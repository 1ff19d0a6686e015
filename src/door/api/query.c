/* query.c - the parameters of a GET as the input of an operation; see api.h.
 *
 *     ?dialogue_id=a&limit=5&kinds=tension,claim&strict
 *       ->  {"dialogue_id":"a","limit":5,"kinds":["tension","claim"],"strict":true}
 *
 * Nothing is judged here: a number that is none becomes a text, an unknown name stays what it is, so that the schema
 * can refuse it together with everything else that is wrong. A list is given with commas, or as often as it has items.
 * A name without a value is true where the schema wants a boolean, and an empty text everywhere else.
 */
#include "door/api/parts.h"
#include "kit/schema.h"

typedef struct {
    cv_str name, value;
} parameter;

typedef struct {
    cv_arena *arena;
    parameter *items;
    size_t count, capacity;
} pairs;

static void collect(void *ctx, cv_str name, cv_str value)
{
    pairs *all = ctx;
    *CV_PUSH(all->arena, all) = (parameter){name, value};
}

/* What JSON calls it, if the property may be that; else the text. */
static void write_scalar(cv_json_writer *w, cv_arena *a, const cv_json *property, cv_str value)
{
    static const struct {
        cv_json_type type;
        const char *word;
    } kinds[] = {{CV_JSON_NUMBER, "number"}, {CV_JSON_NUMBER, "integer"}, {CV_JSON_TRUE, "boolean"},
                 {CV_JSON_FALSE, "boolean"}, {CV_JSON_NULL, "null"},      {CV_JSON_OBJECT, "object"},
                 {CV_JSON_ARRAY, "array"}};
    cv_json tree;
    cv_err ignored = {.arena = a};
    bool parsed = property && !cv_schema_allows(property, CV_STR("string")) && cv_json_parse(a, value, &tree, &ignored);
    for (size_t i = 0; parsed && i < CV_COUNT(kinds); i++)
        if (tree.type == kinds[i].type && cv_schema_allows(property, cv_str_of(kinds[i].word))) {
            cv_json_value(w, &tree);
            return;
        }
    cv_json_str(w, value);
}

static bool is_list(const cv_json *property)
{
    const cv_json *items = property ? cv_json_get(property, CV_STR("items")) : NULL;
    return items && cv_schema_allows(property, CV_STR("array")) && !cv_schema_allows(property, CV_STR("string")) &&
           !cv_schema_allows(items, CV_STR("object"));
}

static void write_items(cv_json_writer *w, cv_arena *a, const cv_json *property, cv_str value)
{
    const cv_json *items = cv_json_get(property, CV_STR("items"));
    cv_str rest = value, item;
    if (!value.n || cv_json_get(property, CV_STR("x-whole")))
        write_scalar(w, a, items, value);
    else
        while (cv_str_split(&rest, ',', &item))
            write_scalar(w, a, items, cv_str_trim(item));
}

static void write_value(cv_json_writer *w, pairs *all, size_t at, const cv_json *property)
{
    cv_str name = all->items[at].name;
    if (!is_list(property)) {
        cv_str value = all->items[at].value;
        bool is_flag = property && cv_schema_allows(property, CV_STR("boolean"));
        write_scalar(w, all->arena, property, value.p ? value : is_flag ? CV_STR("true") : CV_STR(""));
        return;
    }
    cv_json_begin_array(w);
    for (size_t i = at; i < all->count; i++)
        if (cv_str_eq(all->items[i].name, name)) {
            write_items(w, all->arena, property, all->items[i].value);
            all->items[i].name.p = i > at ? NULL : all->items[i].name.p; /* it is written */
        }
    cv_json_end_array(w);
}

/* A name that is given twice is there twice: the reader refuses that. */
bool cv_api_query(const cv_http_exchange *x, const cv_json *schema, cv_arena *a, cv_buf *to, cv_err *err)
{
    pairs all = {.arena = a};
    cv_json_writer w = {.out = to};
    const cv_json *properties = cv_json_get(schema, CV_STR("properties"));
    if (!cv_http_each_parameter(x, a, collect, &all, err))
        return false;
    cv_json_begin_object(&w);
    for (size_t i = 0; i < all.count; i++) {
        if (!all.items[i].name.p)
            continue;
        cv_json_key(&w, all.items[i].name);
        write_value(&w, &all, i, properties ? cv_json_get(properties, all.items[i].name) : NULL);
    }
    cv_json_end_object(&w);
    return true;
}
