/* filters_items.c - filters over items. Those that Python writes as generators (map, select, unique, batch, items) take
 * an item when they are asked for one, and each item once. */
#include "kit/template/parts.h"

/* ---- attributes of items ----------------------------------------------------------------------------- */

static bool one_part(cv_run *run, const cv_tv *x, cv_str part, const cv_tv *other, cv_tv *ret)
{
    int64_t number;
    bool digits = part.n > 0;
    for (size_t i = 0; i < part.n; i++)
        digits = digits && cv_is_digit(part.p[i]);
    cv_tv key = cv_tv_str(part), value;
    if (digits && cv_t_read_int(part, 10, &number) == CV_T_FINE)
        key = cv_tv_int(number);
    if (!cv_t_item(run, x, &key, &value))
        return false;
    *ret = value.kind == CV_TV_UNDEFINED && other && other->kind != CV_TV_NONE ? *other : value;
    return true;
}

/* "a.b.0" of x; none: x itself. `other` stands for what is undefined on the way. */
static bool attribute_of(cv_run *run, const cv_tv *x, const cv_tv *attribute, const cv_tv *other, cv_tv *ret)
{
    *ret = *x;
    if (!cv_targ_given(attribute) || attribute->kind == CV_TV_NONE)
        return true;
    if (attribute->kind != CV_TV_STR) {
        cv_tv value;
        if (!cv_t_item(run, x, attribute, &value))
            return false;
        *ret = value.kind == CV_TV_UNDEFINED && other && other->kind != CV_TV_NONE ? *other : value;
        return true;
    }
    for (cv_str rest = attribute->text;;) {
        size_t dot = cv_str_find_char(rest, '.');
        cv_tv of = *ret;
        if (!one_part(run, &of, cv_str_head(rest, dot), other, ret))
            return false;
        if (dot == SIZE_MAX)
            return true;
        rest = cv_str_from(rest, dot + 1);
    }
}

static bool without_case(cv_run *run, bool case_sensitive, cv_tv *v)
{
    return case_sensitive || v->kind != CV_TV_STR || cv_t_recase(run, v->text, CV_T_LOWER, &v->text);
}

/* x, or its attribute ("a.b.0"), in lower case when it is a text and case does not matter. */
static bool key_of(cv_run *run, const cv_tv *x, const cv_tv *attribute, bool case_sensitive, cv_tv *ret)
{
    return attribute_of(run, x, attribute, NULL, ret) && without_case(run, case_sensitive, ret);
}

/* ---- generators -------------------------------------------------------------------------------------- */

static bool new_generator(cv_run *run, cv_g_kind kind, const cv_tv *from, cv_tgen **ret_gen, cv_tv *ret)
{
    cv_tgen *gen = CV_NEW(&run->arena, cv_tgen);
    *gen = (cv_tgen){.kind = kind};
    *ret = (cv_tv){.kind = CV_TV_GENERATOR, .generator = gen};
    *ret_gen = gen;
    gen->from.of = *from;
    return true;
}

/* What a generator takes from is looked at when the first item is asked for: only then it fails. */
static bool start(cv_run *run, cv_tgen *gen)
{
    cv_tv from = gen->from.of;
    bool truth = true;
    gen->started = true;
    if ((gen->kind == CV_G_FILTER || gen->kind == CV_G_ATTRIBUTE || gen->kind == CV_G_SELECT) &&
        !cv_tv_truth(run, &from, &truth))
        return false;
    gen->done = !truth;
    if (gen->done)
        return true;
    if (gen->trouble)
        return cv_run_fail(run, "%s", gen->trouble);
    return cv_t_iterate(run, &from, &gen->from);
}

static bool take_selected(cv_run *run, cv_tgen *gen, const cv_tv *item, bool *ret_taken)
{
    cv_tv asked = *item, answer;
    bool truth;
    if (gen->by_attribute && !attribute_of(run, item, &gen->attribute, NULL, &asked))
        return false;
    if (!gen->row)
        answer = asked;
    else if (!cv_tfilter_call(run, gen->row, "test", &asked, &gen->args, &answer))
        return false;
    if (!cv_tv_truth(run, &answer, &truth))
        return false;
    *ret_taken = truth != gen->reject;
    return true;
}

static bool take_unseen(cv_run *run, cv_tgen *gen, const cv_tv *item, bool *ret_taken)
{
    cv_tv key;
    if (!key_of(run, item, &gen->attribute, gen->case_sensitive, &key))
        return false;
    if (key.kind == CV_TV_UNDEFINED && !cv_run_missing(run, &key, true))
        return false;
    cv_str text = cv_tv_key(run, &key);
    if (!text.p)
        return cv_run_fail(run, "'unique' cannot compare values of type %.*s", CV_FMT(cv_tv_word(&key)));
    cv_map_put(&gen->seen, &run->arena, text, ret_taken);
    return true;
}

/* Up to `lines` items as one list. */
static bool take_batch(cv_run *run, cv_tgen *gen, cv_tv *ret, bool *ret_more)
{
    cv_tv item;
    bool more = true;
    *ret = cv_tv_new_list(run, CV_TV_LIST, 0);
    if (gen->has_pending)
        cv_tv_add(run, ret, gen->pending);
    gen->has_pending = false;
    for (;;) {
        if (!cv_t_next(run, &gen->from, &item, &more))
            return false;
        if (!more)
            break;
        if ((int64_t)ret->list->count == gen->lines) {
            gen->pending = item;
            gen->has_pending = true;
            *ret_more = true;
            return true;
        }
        cv_tv_add(run, ret, item);
    }
    gen->done = true;
    *ret_more = ret->list->count > 0;
    if (*ret_more && gen->other.kind != CV_TV_NONE && cv_targ_given(&gen->other))
        while ((int64_t)ret->list->count < gen->lines) {
            if (!cv_run_step(run, 1))
                return false;
            cv_tv_add(run, ret, gen->other);
        }
    return true;
}

static bool next_item(cv_run *run, cv_tgen *gen, cv_tv *ret, bool *ret_more)
{
    cv_tv item;
    if (gen->kind == CV_G_BATCH)
        return take_batch(run, gen, ret, ret_more);
    for (bool taken = false; !taken;) {
        if (!cv_t_next(run, &gen->from, &item, ret_more))
            return false;
        gen->done = !*ret_more;
        if (gen->done)
            return true;
        *ret = item;
        taken = true;
        if (gen->kind == CV_G_FILTER && !cv_tfilter_call(run, gen->row, "filter", &item, &gen->args, ret))
            return false;
        if (gen->kind == CV_G_ATTRIBUTE && !attribute_of(run, &item, &gen->attribute, &gen->other, ret))
            return false;
        if (gen->kind == CV_G_SELECT && !take_selected(run, gen, &item, &taken))
            return false;
        if (gen->kind == CV_G_UNIQUE && !take_unseen(run, gen, &item, &taken))
            return false;
    }
    return true;
}

bool cv_tgen_next(cv_run *run, cv_tgen *gen, cv_tv *ret, bool *ret_more)
{
    *ret_more = false;
    if (!gen->started && !start(run, gen))
        return false;
    if (gen->done)
        return true;
    if (!cv_run_deeper(run))
        return false;
    bool good = next_item(run, gen, ret, ret_more);
    run->depth--;
    return good;
}

/* ---- generators as filters --------------------------------------------------------------------------- */

static const cv_tv *named(const cv_targs *args, const char *name)
{
    for (size_t i = args->positional; i < args->count; i++)
        if (cv_str_eq(args->names[i - args->positional], cv_str_of(name)))
            return &args->items[i];
    return NULL;
}

/* The arguments behind the first `skip`. */
static cv_targs rest_of(const cv_targs *args, size_t skip)
{
    return (cv_targs){.items = args->items + skip,
                      .positional = args->positional - skip,
                      .count = args->count - skip,
                      .names = args->names};
}

/* The filter or test that an argument names. */
static void find_row(cv_tgen *gen, const cv_tv *name, bool test)
{
    if (name->kind != CV_TV_STR)
        gen->trouble = test ? "the name of a test is a text" : "the name of a filter is a text";
    else
        gen->row = test ? cv_ttest_find(name->text) : cv_tfilter_find(name->text);
    if (!gen->row && !gen->trouble)
        gen->trouble = test ? "there is no test of this name here" : "there is no filter of this name here";
}

static bool do_map(cv_run *run, const cv_tv *value, const cv_targs *args, cv_tv *ret)
{
    cv_tgen *gen;
    const cv_tv *attribute = args->positional == 0 ? named(args, "attribute") : NULL;
    const cv_tv *other = named(args, "default");
    new_generator(run, attribute ? CV_G_ATTRIBUTE : CV_G_FILTER, value, &gen, ret);
    if (attribute) {
        gen->attribute = *attribute;
        gen->other = other ? *other : cv_tv_none();
        if (args->count > (other ? 2u : 1u))
            gen->trouble = "map takes 'attribute' and 'default' and nothing else";
    } else if (args->positional == 0)
        gen->trouble = "map needs the name of a filter, or attribute=";
    else {
        find_row(gen, &args->items[0], false);
        gen->args = rest_of(args, 1);
    }
    return true;
}

static bool select_by(cv_run *run, const cv_tv *value, const cv_targs *args, bool by_attribute, bool reject, cv_tv *ret)
{
    cv_tgen *gen;
    size_t skip = by_attribute;
    new_generator(run, CV_G_SELECT, value, &gen, ret);
    gen->by_attribute = by_attribute;
    gen->reject = reject;
    if (by_attribute && args->positional == 0)
        gen->trouble = "the name of an attribute is missing";
    else if (by_attribute)
        gen->attribute = args->items[0];
    if (!gen->trouble && args->positional > skip) {
        find_row(gen, &args->items[skip], true);
        gen->args = rest_of(args, skip + 1);
    }
    return true;
}

static bool do_select(cv_run *run, const cv_tv *value, const cv_targs *args, cv_tv *ret)
{
    return select_by(run, value, args, false, false, ret);
}

static bool do_reject(cv_run *run, const cv_tv *value, const cv_targs *args, cv_tv *ret)
{
    return select_by(run, value, args, false, true, ret);
}

static bool do_selectattr(cv_run *run, const cv_tv *value, const cv_targs *args, cv_tv *ret)
{
    return select_by(run, value, args, true, false, ret);
}

static bool do_rejectattr(cv_run *run, const cv_tv *value, const cv_targs *args, cv_tv *ret)
{
    return select_by(run, value, args, true, true, ret);
}

static bool do_unique(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_tgen *gen;
    new_generator(run, CV_G_UNIQUE, &args[0], &gen, ret);
    gen->attribute = args[2];
    return cv_targ_truth(run, &args[1], &gen->case_sensitive);
}

static bool do_batch(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_tgen *gen;
    new_generator(run, CV_G_BATCH, &args[0], &gen, ret);
    gen->other = args[2];
    return cv_targ_int(run, &args[1], "linecount", 0, &gen->lines);
}

static bool do_items(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_tgen *gen;
    cv_tv from = args[0];
    if (args[0].kind == CV_TV_DICT) {
        cv_tview *view = CV_NEW(&run->arena, cv_tview);
        *view = (cv_tview){.dict = args[0].dict, .part = 'i'};
        from = (cv_tv){.kind = CV_TV_VIEW, .view = view};
    }
    new_generator(run, CV_G_PLAIN, &from, &gen, ret);
    if (args[0].kind != CV_TV_DICT && args[0].kind != CV_TV_UNDEFINED)
        gen->trouble = "'items' needs a dict";
    return true;
}

static bool do_reverse(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_tgen *gen;
    cv_tv turned;
    if (args[0].kind == CV_TV_STR)
        return cv_t_slice(run, &args[0], NULL, NULL, -1, ret);
    if (args[0].kind == CV_TV_GENERATOR) {
        cv_tv list;
        return cv_t_list(run, &args[0], &list) && cv_t_reversed(run, &list, ret);
    }
    if (!cv_t_reversed(run, &args[0], &turned))
        return false;
    return new_generator(run, CV_G_PLAIN, &turned, &gen, ret);
}

/* ---- lists and single items -------------------------------------------------------------------------- */

static bool do_length(cv_run *run, cv_tv *args, cv_tv *ret)
{
    int64_t length;
    if (!cv_tv_length(run, &args[0], &length))
        return false;
    *ret = cv_tv_int(length);
    return true;
}

static bool do_first(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_titer iter;
    bool more;
    const cv_tnode *node = run->at;
    if (!cv_t_iterate(run, &args[0], &iter) || !cv_t_next(run, &iter, ret, &more))
        return false;
    if (!more)
        *ret = cv_tv_undefined(node);
    return true;
}

static bool do_last(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_tv turned;
    return cv_t_reversed(run, &args[0], &turned) && do_first(run, &turned, ret);
}

static bool do_list(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return cv_t_list(run, &args[0], ret);
}

static bool do_join(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_str between = {NULL, 0};
    cv_titer iter;
    cv_tv item;
    cv_buf out = {0};
    bool more = true, good;
    if ((cv_targ_given(&args[1]) && !cv_tv_text(run, &args[1], &between)) || !cv_t_iterate(run, &args[0], &iter))
        return false;
    for (size_t i = 0;; i++) {
        good = cv_t_next(run, &iter, &item, &more);
        if (!good || !more)
            break;
        if (i > 0)
            cv_buf_add(&out, between);
        good = attribute_of(run, &item, &args[2], NULL, &item) && cv_tv_print(run, &item, &out) &&
               out.n <= run->limits.memory;
        if (!good)
            break;
    }
    *ret = cv_tv_str(cv_buf_take(&out, &run->arena));
    return good && cv_run_bytes(run, ret->text.n);
}

/* A list with one key, or with several ("age,name"): Python compares keys in lists, so that equal ones need no order.
 */
static bool sort_key(cv_run *run, const cv_tv *item, const cv_tv *attribute, bool case_sensitive, cv_tv *ret)
{
    cv_str rest = attribute->kind == CV_TV_STR ? attribute->text : CV_STR("");
    *ret = cv_tv_new_list(run, CV_TV_LIST, 1);
    for (;;) {
        size_t comma = cv_str_find_char(rest, ',');
        cv_tv part = attribute->kind == CV_TV_STR ? cv_tv_str(cv_str_head(rest, comma)) : *attribute, key;
        if (!key_of(run, item, &part, case_sensitive, &key))
            return false;
        cv_tv_add(run, ret, key);
        if (comma == SIZE_MAX)
            return true;
        rest = cv_str_from(rest, comma + 1);
    }
}

static bool do_sort(cv_run *run, cv_tv *args, cv_tv *ret)
{
    bool reverse, case_sensitive;
    cv_tv keys = cv_tv_new_list(run, CV_TV_LIST, 0), key;
    if (!cv_targ_truth(run, &args[1], &reverse) || !cv_targ_truth(run, &args[2], &case_sensitive) ||
        !cv_t_list(run, &args[0], ret))
        return false;
    for (size_t i = 0; i < ret->list->count; i++) {
        if (!sort_key(run, &ret->list->items[i], &args[3], case_sensitive, &key))
            return false;
        cv_tv_add(run, &keys, key);
    }
    return cv_t_sort(run, ret, keys.list, reverse);
}

static bool do_dictsort(cv_run *run, cv_tv *args, cv_tv *ret)
{
    bool reverse, case_sensitive, by_value = false;
    cv_tv keys = cv_tv_new_list(run, CV_TV_LIST, 0);
    if (cv_targ_given(&args[2])) {
        bool text = args[2].kind == CV_TV_STR;
        by_value = text && cv_str_eq(args[2].text, CV_STR("value"));
        if (!by_value && !(text && cv_str_eq(args[2].text, CV_STR("key"))))
            return cv_run_fail(run, "'by' is \"key\" or \"value\"");
    }
    if (args[0].kind != CV_TV_DICT) {
        *ret = cv_tv_noted(run->at);
        return args[0].kind == CV_TV_UNDEFINED ? cv_run_missing(run, &args[0], false)
                                               : cv_run_fail(run, "'dictsort' needs a dict");
    }
    if (!cv_targ_truth(run, &args[1], &case_sensitive) || !cv_targ_truth(run, &args[3], &reverse))
        return false;
    const cv_tdict *dict = args[0].dict;
    *ret = cv_tv_new_list(run, CV_TV_LIST, dict->keys.count);
    for (size_t i = 0; i < dict->keys.count; i++) {
        cv_tv key = by_value ? dict->values.items[i] : dict->keys.items[i];
        cv_tv_add(run, ret, cv_tv_pair(run, dict->keys.items[i], dict->values.items[i]));
        if (!without_case(run, case_sensitive, &key))
            return false;
        cv_tv_add(run, &keys, key);
    }
    return cv_t_sort(run, ret, keys.list, reverse);
}

static bool do_sum(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_titer iter;
    cv_tv item, sum = cv_targ_given(&args[2]) ? args[2] : cv_tv_int(0);
    bool more;
    if (!cv_t_iterate(run, &args[0], &iter))
        return false;
    if (sum.kind == CV_TV_STR)
        return cv_run_fail(run, "texts cannot be added up: use |join");
    for (;;) {
        if (!cv_t_next(run, &iter, &item, &more))
            return false;
        *ret = sum;
        if (!more)
            return true;
        if (!attribute_of(run, &item, &args[1], NULL, &item) || !cv_t_add(run, ret, &item, &sum))
            return false;
    }
}

static bool extreme(cv_run *run, cv_tv *args, bool most, cv_tv *ret)
{
    cv_titer iter;
    cv_tv item, key, best;
    bool more, case_sensitive, better;
    const cv_tnode *node = run->at;
    if (!cv_t_iterate(run, &args[0], &iter) || !cv_targ_truth(run, &args[1], &case_sensitive))
        return false;
    for (bool first = true;; first = false) {
        if (!cv_t_next(run, &iter, &item, &more))
            return false;
        if (!more) {
            if (first)
                *ret = cv_tv_undefined(node);
            return true;
        }
        if (!key_of(run, &item, &args[2], case_sensitive, &key))
            return false;
        if (!first && !cv_tv_order(run, &key, &best, most ? CV_OP1('>') : CV_OP1('<'), &better))
            return false;
        if (first || better) {
            best = key;
            *ret = item;
        }
    }
}

static bool do_min(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return extreme(run, args, false, ret);
}

static bool do_max(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return extreme(run, args, true, ret);
}

const cv_tfilter cv_tfilters_items[] = {
    {"length", {NULL}, 0, do_length, NULL},
    {"count", {NULL}, 0, do_length, NULL},
    {"first", {NULL}, 0, do_first, NULL},
    {"last", {NULL}, 0, do_last, NULL},
    {"list", {NULL}, 0, do_list, NULL},
    {"join", {"d", "attribute"}, 0, do_join, NULL},
    {"sort", {"reverse", "case_sensitive", "attribute"}, 0, do_sort, NULL},
    {"dictsort", {"case_sensitive", "by", "reverse"}, 0, do_dictsort, NULL},
    {"unique", {"case_sensitive", "attribute"}, 0, do_unique, NULL},
    {"map", {NULL}, 0, NULL, do_map},
    {"select", {NULL}, 0, NULL, do_select},
    {"reject", {NULL}, 0, NULL, do_reject},
    {"selectattr", {NULL}, 0, NULL, do_selectattr},
    {"rejectattr", {NULL}, 0, NULL, do_rejectattr},
    {"batch", {"linecount", "fill_with"}, 1, do_batch, NULL},
    {"items", {NULL}, 0, do_items, NULL},
    {"reverse", {NULL}, 0, do_reverse, NULL},
    {"sum", {"attribute", "start"}, 0, do_sum, NULL},
    {"min", {"case_sensitive", "attribute"}, 0, do_min, NULL},
    {"max", {"case_sensitive", "attribute"}, 0, do_max, NULL},
    {NULL, {NULL}, 0, NULL, NULL},
};
