/* value.c - values as Python has them: from JSON, in lists and dicts; when they are true, equal, less, in each other.
 */
#include <assert.h>
#include <math.h>

#include "kit/template/parts.h"

cv_str cv_tv_word(const cv_tv *v)
{
    static const cv_str words[] = {
        [CV_TV_UNDEFINED] = CV_STR_INIT("undefined"), [CV_TV_NONE] = CV_STR_INIT("none"),
        [CV_TV_BOOL] = CV_STR_INIT("bool"),           [CV_TV_INT] = CV_STR_INIT("int"),
        [CV_TV_FLOAT] = CV_STR_INIT("float"),         [CV_TV_STR] = CV_STR_INIT("str"),
        [CV_TV_LIST] = CV_STR_INIT("list"),           [CV_TV_TUPLE] = CV_STR_INIT("tuple"),
        [CV_TV_DICT] = CV_STR_INIT("dict"),           [CV_TV_VIEW] = CV_STR_INIT("view of a dict"),
        [CV_TV_RANGE] = CV_STR_INIT("range"),         [CV_TV_GENERATOR] = CV_STR_INIT("generator"),
        [CV_TV_LOOP] = CV_STR_INIT("loop"),           [CV_TV_SPACE] = CV_STR_INIT("namespace"),
        [CV_TV_TIME] = CV_STR_INIT("datetime"),       [CV_TV_CALLABLE] = CV_STR_INIT("function"),
    };
    _Static_assert(CV_COUNT(words) == CV_TV_CALLABLE + 1, "every kind of value has its word");
    return words[v->kind];
}

/* ---- lists and dicts --------------------------------------------------------------------------------- */

cv_tv cv_tv_new_list(cv_run *run, cv_tv_kind kind, size_t room)
{
    assert(kind == CV_TV_LIST || kind == CV_TV_TUPLE);
    cv_tlist *list = CV_NEW(&run->arena, cv_tlist);
    if (room > 0) {
        list->items = CV_NEW_ARRAY(&run->arena, room, cv_tv);
        list->capacity = room;
    }
    return (cv_tv){.kind = kind, .list = list};
}

void cv_tv_add(cv_run *run, cv_tv *list, cv_tv item)
{
    assert(list->kind == CV_TV_LIST || list->kind == CV_TV_TUPLE);
    *CV_PUSH(&run->arena, list->list) = item;
}

cv_tv cv_tv_pair(cv_run *run, cv_tv first, cv_tv second)
{
    cv_tv pair = cv_tv_new_list(run, CV_TV_TUPLE, 2);
    cv_tv_add(run, &pair, first);
    cv_tv_add(run, &pair, second);
    return pair;
}

cv_tv cv_tv_new_dict(cv_run *run)
{
    return (cv_tv){.kind = CV_TV_DICT, .dict = CV_NEW(&run->arena, cv_tdict)};
}

static void add_number(cv_buf *out, const cv_tv *v)
{
    /* 1, 1.0 and True are one key. */
    double real = cv_tv_real(v);
    if (v->kind == CV_TV_FLOAT && !(real == floor(real) && fabs(real) < 9e18))
        cv_buf_printf(out, "f%a;", real);
    else
        cv_buf_printf(out, "i%lld;", (long long)(v->kind == CV_TV_FLOAT ? (int64_t)real : cv_tv_whole(v)));
}

static bool add_key(cv_run *run, const cv_tv *v, cv_buf *out)
{
    if (cv_tv_is_number(v))
        add_number(out, v);
    else if (v->kind == CV_TV_STR)
        cv_buf_printf(out, "s%zu;%.*s", v->text.n, CV_FMT(v->text));
    else if (v->kind == CV_TV_NONE)
        cv_buf_add_char(out, 'n');
    else if (v->kind == CV_TV_UNDEFINED)
        cv_buf_add_char(out, 'u');
    else if (v->kind == CV_TV_RANGE && v->range->count > 0)
        cv_buf_printf(out, "r%lld;%lld;%lld;", (long long)v->range->start, (long long)v->range->count,
                      (long long)(v->range->count > 1 ? v->range->step : 0));
    else if (v->kind == CV_TV_RANGE)
        cv_buf_add_z(out, "r;");
    else if (v->kind == CV_TV_TUPLE) {
        if (!cv_run_deeper(run))
            return false;
        cv_buf_add_char(out, '(');
        bool good = true;
        for (size_t i = 0; good && i < v->list->count; i++)
            good = add_key(run, &v->list->items[i], out);
        cv_buf_add_char(out, ')');
        run->depth--;
        return good;
    } else
        return false;
    return true;
}

cv_str cv_tv_key(cv_run *run, const cv_tv *v)
{
    cv_buf out = {0};
    bool good = add_key(run, v, &out);
    cv_str key = cv_buf_take(&out, &run->arena);
    return good ? key : (cv_str){NULL, 0};
}

bool cv_tv_put(cv_run *run, cv_tdict *dict, cv_tv key, cv_tv value)
{
    cv_str text = key.kind == CV_TV_STR ? key.text : cv_tv_key(run, &key);
    if (!text.p && key.kind == CV_TV_STR)
        text = CV_STR("");
    if (!text.p)
        return false;
    bool new_;
    uintptr_t *index = cv_map_put(key.kind == CV_TV_STR ? &dict->texts : &dict->others, &run->arena, text, &new_);
    if (!new_) {
        dict->values.items[*index - 1] = value;
        return true;
    }
    *CV_PUSH(&run->arena, &dict->keys) = key;
    *CV_PUSH(&run->arena, &dict->values) = value;
    *index = dict->keys.count;
    return true;
}

const cv_tv *cv_tv_get(cv_run *run, const cv_tdict *dict, const cv_tv *key, bool *ret_hashable)
{
    cv_str text = key->kind == CV_TV_STR ? key->text : cv_tv_key(run, key);
    if (!text.p && key->kind == CV_TV_STR)
        text = CV_STR("");
    if (ret_hashable)
        *ret_hashable = text.p != NULL;
    if (!text.p)
        return NULL;
    const uintptr_t *index = cv_map_get(key->kind == CV_TV_STR ? &dict->texts : &dict->others, text);
    return index ? &dict->values.items[*index - 1] : NULL;
}

static bool of_number(cv_run *run, cv_str text, cv_tv *ret)
{
    bool whole = true;
    for (size_t i = 0; i < text.n; i++)
        whole = whole && text.p[i] != '.' && cv_lower(text.p[i]) != 'e';
    int64_t number;
    double real = 0;
    if (!whole) {
        cv_t_read_float(&run->arena, text, &real);
        *ret = cv_tv_float(real);
        return true;
    }
    if (cv_t_read_int(text, 10, &number) != CV_T_FINE)
        return cv_run_unsupported(run, "the whole number %.*s of the context, which is above 64 bits,",
                                  CV_FMT(cv_str_head(text, 40)));
    *ret = cv_tv_int(number);
    return true;
}

bool cv_tv_of_json(cv_run *run, const cv_json *json, cv_tv *ret)
{
    if (!cv_run_step(run, 1))
        return false;
    switch (json->type) {
    case CV_JSON_NULL:
        *ret = cv_tv_none();
        return true;
    case CV_JSON_FALSE:
    case CV_JSON_TRUE:
        *ret = cv_tv_bool(json->type == CV_JSON_TRUE);
        return true;
    case CV_JSON_NUMBER:
        return of_number(run, json->text, ret);
    case CV_JSON_STRING:
        *ret = cv_tv_str(json->text);
        return true;
    case CV_JSON_ARRAY: {
        *ret = cv_tv_new_list(run, CV_TV_LIST, json->count);
        cv_tv item;
        for (uint32_t i = 0; i < json->count; i++) {
            if (!cv_tv_of_json(run, &json->items[i], &item))
                return false;
            cv_tv_add(run, ret, item);
        }
        return true;
    }
    case CV_JSON_OBJECT: {
        *ret = cv_tv_new_dict(run);
        cv_tv item;
        for (uint32_t i = 0; i < json->count; i++) {
            if (!cv_tv_of_json(run, &json->members[i].value, &item))
                return false;
            cv_tv_put(run, ret->dict, cv_tv_str(json->members[i].key), item);
        }
        return true;
    }
    }
    return true;
}

/* ---- true, long, equal, less ------------------------------------------------------------------------- */

bool cv_tv_truth(cv_run *run, const cv_tv *v, bool *ret)
{
    *ret = true;
    switch (v->kind) {
    case CV_TV_UNDEFINED:
        *ret = false;
        return cv_run_missing(run, v, true);
    case CV_TV_NONE:
        *ret = false;
        return true;
    case CV_TV_BOOL:
    case CV_TV_INT:
        *ret = cv_tv_whole(v) != 0;
        return true;
    case CV_TV_FLOAT:
        *ret = v->real != 0;
        return true;
    case CV_TV_GENERATOR:
    case CV_TV_SPACE:
    case CV_TV_TIME:
    case CV_TV_CALLABLE:
        return true;
    default: {
        int64_t length = 0;
        bool good = cv_tv_length(run, v, &length);
        *ret = length > 0;
        return good;
    }
    }
}

bool cv_tv_length(cv_run *run, const cv_tv *v, int64_t *ret)
{
    *ret = 0;
    switch (v->kind) {
    case CV_TV_UNDEFINED:
        return cv_run_missing(run, v, true);
    case CV_TV_STR:
        for (size_t i = 0; i < v->text.n; i++)
            *ret += ((unsigned char)v->text.p[i] & 0xc0) != 0x80;
        return cv_run_step(run, v->text.n / CV_T_BYTES_A_STEP);
    case CV_TV_LIST:
    case CV_TV_TUPLE:
        *ret = (int64_t)v->list->count;
        return true;
    case CV_TV_DICT:
        *ret = (int64_t)v->dict->keys.count;
        return true;
    case CV_TV_VIEW:
        *ret = (int64_t)v->view->dict->keys.count;
        return true;
    case CV_TV_RANGE:
        *ret = v->range->count;
        return true;
    case CV_TV_LOOP:
        return cv_tloop_length(run, v->loop, ret);
    default:
        return cv_run_fail(run, "a value of type %.*s has no length", CV_FMT(cv_tv_word(v)));
    }
}

/* Exact, also where a double has fewer digits than the whole number. */
static int order_numbers(const cv_tv *x, const cv_tv *y, bool *ret_ordered)
{
    *ret_ordered = true;
    if (cv_tv_is_int(x) && cv_tv_is_int(y))
        return CV_ORDER(cv_tv_whole(x), cv_tv_whole(y));
    long double a = x->kind == CV_TV_FLOAT ? (long double)x->real : (long double)cv_tv_whole(x);
    long double b = y->kind == CV_TV_FLOAT ? (long double)y->real : (long double)cv_tv_whole(y);
    *ret_ordered = !isnan(a) && !isnan(b);
    return CV_ORDER(a, b);
}

static bool equal_lists(cv_run *run, const cv_tlist *x, const cv_tlist *y, bool *ret)
{
    *ret = x->count == y->count;
    for (size_t i = 0; *ret && i < x->count; i++)
        if (!cv_tv_equal(run, &x->items[i], &y->items[i], ret))
            return false;
    return true;
}

static bool equal_dicts(cv_run *run, const cv_tdict *x, const cv_tdict *y, bool *ret)
{
    *ret = x->keys.count == y->keys.count;
    for (size_t i = 0; *ret && i < x->keys.count; i++) {
        const cv_tv *other = cv_tv_get(run, y, &x->keys.items[i], NULL);
        *ret = other != NULL;
        if (other && !cv_tv_equal(run, &x->values.items[i], other, ret))
            return false;
    }
    return true;
}

static bool equal_kinds(cv_run *run, const cv_tv *x, const cv_tv *y, bool *ret)
{
    switch (x->kind) {
    case CV_TV_UNDEFINED:
        *ret = true;
        return cv_run_missing(run, x, true);
    case CV_TV_NONE:
        *ret = true;
        return true;
    case CV_TV_STR:
        *ret = cv_str_eq(x->text, y->text);
        return cv_run_step(run, x->text.n / CV_T_BYTES_A_STEP);
    case CV_TV_LIST:
    case CV_TV_TUPLE:
        return equal_lists(run, x->list, y->list, ret);
    case CV_TV_DICT:
        return equal_dicts(run, x->dict, y->dict, ret);
    case CV_TV_RANGE:
        *ret = x->range->count == y->range->count &&
               (x->range->count == 0 ||
                (x->range->start == y->range->start && (x->range->count == 1 || x->range->step == y->range->step)));
        return true;
    case CV_TV_TIME:
        *ret = x->number == y->number;
        return true;
    case CV_TV_VIEW:
        return cv_run_unsupported(run, "comparing views of dicts");
    default:
        *ret = x->generator == y->generator;
        return true;
    }
}

bool cv_tv_equal(cv_run *run, const cv_tv *x, const cv_tv *y, bool *ret)
{
    *ret = false;
    if (!cv_run_step(run, 1))
        return false;
    if (cv_tv_is_number(x) && cv_tv_is_number(y)) {
        bool ordered;
        *ret = order_numbers(x, y, &ordered) == 0 && ordered;
        return true;
    }
    if (x->kind != y->kind) {
        if (x->kind == CV_TV_UNDEFINED)
            return cv_run_missing(run, x, true);
        return y->kind != CV_TV_UNDEFINED || cv_run_missing(run, y, true);
    }
    if (!cv_run_deeper(run))
        return false;
    bool good = equal_kinds(run, x, y, ret);
    run->depth--;
    return good;
}

static bool incomparable(cv_run *run, const cv_tv *x, const cv_tv *y)
{
    if (x->kind == CV_TV_UNDEFINED)
        return cv_run_missing(run, x, false);
    if (y->kind == CV_TV_UNDEFINED)
        return cv_run_missing(run, y, false);
    return cv_run_fail(run, "values of type %.*s and %.*s have no order", CV_FMT(cv_tv_word(x)), CV_FMT(cv_tv_word(y)));
}

/* The first items that differ decide, else the shorter list is less. */
static bool order_lists(cv_run *run, const cv_tlist *x, const cv_tlist *y, int op, bool *ret)
{
    for (size_t i = 0; i < x->count && i < y->count; i++) {
        bool same;
        if (!cv_tv_equal(run, &x->items[i], &y->items[i], &same))
            return false;
        if (!same)
            return cv_tv_order(run, &x->items[i], &y->items[i], op, ret);
    }
    cv_tv a = cv_tv_int((int64_t)x->count), b = cv_tv_int((int64_t)y->count);
    return cv_tv_order(run, &a, &b, op, ret);
}

bool cv_tv_order(cv_run *run, const cv_tv *x, const cv_tv *y, int op, bool *ret)
{
    int order;
    bool ordered = true;
    *ret = false;
    if (!cv_run_step(run, 1))
        return false;
    if (cv_tv_is_number(x) && cv_tv_is_number(y))
        order = order_numbers(x, y, &ordered);
    else if (x->kind == CV_TV_STR && y->kind == CV_TV_STR)
        order = cv_str_order(x->text, y->text);
    else if (x->kind == CV_TV_TIME && y->kind == CV_TV_TIME)
        order = CV_ORDER(x->number, y->number);
    else if (x->kind == y->kind && (x->kind == CV_TV_LIST || x->kind == CV_TV_TUPLE)) {
        if (!cv_run_deeper(run))
            return false;
        bool good = order_lists(run, x->list, y->list, op, ret);
        run->depth--;
        return good;
    } else
        return incomparable(run, x, y);
    *ret = ordered && (op == CV_OP1('<')        ? order < 0
                       : op == CV_OP1('>')      ? order > 0
                       : op == CV_OP2('<', '=') ? order <= 0
                                                : order >= 0);
    return true;
}

bool cv_tv_less(cv_run *run, const cv_tv *x, const cv_tv *y, bool *ret)
{
    return cv_tv_order(run, x, y, CV_OP1('<'), ret);
}

bool cv_tv_in(cv_run *run, const cv_tv *item, const cv_tv *all, bool *ret)
{
    *ret = false;
    if (all->kind == CV_TV_STR) {
        if (item->kind == CV_TV_UNDEFINED)
            return cv_run_missing(run, item, false);
        if (item->kind != CV_TV_STR)
            return cv_run_fail(run, "'in' a text asks for a text, not for a value of type %.*s",
                               CV_FMT(cv_tv_word(item)));
        *ret = cv_str_find(all->text, item->text) != SIZE_MAX;
        return cv_run_step(run, all->text.n / CV_T_BYTES_A_STEP);
    }
    if (all->kind == CV_TV_DICT || (all->kind == CV_TV_VIEW && all->view->part == 'k')) {
        bool hashable;
        *ret = cv_tv_get(run, all->kind == CV_TV_DICT ? all->dict : all->view->dict, item, &hashable) != NULL;
        return hashable || cv_run_fail(run, "a value of type %.*s cannot be a key", CV_FMT(cv_tv_word(item)));
    }
    cv_titer iter;
    cv_tv one;
    bool more;
    if (!cv_t_iterate(run, all, &iter))
        return false;
    while (cv_t_next(run, &iter, &one, &more)) {
        if (!more)
            return true;
        if (!cv_tv_equal(run, item, &one, ret))
            return false;
        if (*ret)
            return true;
    }
    return false;
}
