/* items.c - what can be iterated: texts by characters, dicts by keys, ranges without being made, generators when they
 * are asked; loops with what they know of themselves; sorting. */
#include "base/utf8.h"

#include "kit/template/parts.h"
#include <assert.h>

bool cv_t_can_iterate(const cv_tv *v)
{
    switch (v->kind) {
    case CV_TV_UNDEFINED:
    case CV_TV_STR:
    case CV_TV_LIST:
    case CV_TV_TUPLE:
    case CV_TV_DICT:
    case CV_TV_VIEW:
    case CV_TV_RANGE:
    case CV_TV_GENERATOR:
    case CV_TV_LOOP:
        return true;
    default:
        return false;
    }
}

bool cv_t_iterate(cv_run *run, const cv_tv *v, cv_titer *ret)
{
    *ret = (cv_titer){.of = *v};
    if (v->kind == CV_TV_STR)
        ret->rest = v->text;
    if (v->kind == CV_TV_UNDEFINED)
        return cv_run_missing(run, v, true);
    if (v->kind == CV_TV_LOOP)
        return cv_run_unsupported(run, "iterating over 'loop'");
    return cv_t_can_iterate(v) || cv_run_fail(run, "a value of type %.*s cannot be iterated", CV_FMT(cv_tv_word(v)));
}

static cv_tv of_view(cv_run *run, const cv_tview *view, size_t i)
{
    const cv_tdict *dict = view->dict;
    assert(i < dict->keys.count && dict->keys.count == dict->values.count);
    return view->part == 'k'   ? dict->keys.items[i]
           : view->part == 'v' ? dict->values.items[i]
                               : cv_tv_pair(run, dict->keys.items[i], dict->values.items[i]);
}

static bool next_character(cv_titer *iter, cv_tv *ret)
{
    size_t n = cv_t_offset(iter->rest, 1);
    *ret = cv_tv_str(cv_str_head(iter->rest, n));
    iter->rest = cv_str_from(iter->rest, n);
    return n > 0;
}

bool cv_t_next(cv_run *run, cv_titer *iter, cv_tv *ret, bool *ret_more)
{
    const cv_tv *of = &iter->of;
    size_t i = iter->index;
    if (!cv_run_step(run, 1))
        return false;
    iter->index++;
    switch (of->kind) {
    case CV_TV_STR:
        *ret_more = next_character(iter, ret);
        return true;
    case CV_TV_LIST:
    case CV_TV_TUPLE:
        *ret_more = i < of->list->count;
        if (*ret_more)
            *ret = of->list->items[i];
        return true;
    case CV_TV_DICT:
        *ret_more = i < of->dict->keys.count;
        if (*ret_more)
            *ret = of->dict->keys.items[i];
        return true;
    case CV_TV_VIEW:
        *ret_more = i < of->view->dict->keys.count;
        if (*ret_more)
            *ret = of_view(run, of->view, i);
        return true;
    case CV_TV_RANGE:
        *ret_more = (int64_t)i < of->range->count;
        if (*ret_more)
            *ret = cv_tv_int(of->range->start + (int64_t)i * of->range->step);
        return true;
    case CV_TV_GENERATOR:
        return cv_tgen_next(run, of->generator, ret, ret_more);
    default:
        *ret_more = false;
        return true;
    }
}

bool cv_t_list(cv_run *run, const cv_tv *v, cv_tv *ret)
{
    cv_titer iter;
    cv_tv item;
    bool more;
    *ret = cv_tv_new_list(run, CV_TV_LIST, 0);
    if (!cv_t_iterate(run, v, &iter))
        return false;
    for (;;) {
        if (!cv_t_next(run, &iter, &item, &more))
            return false;
        if (!more)
            return true;
        cv_tv_add(run, ret, item);
    }
}

/* What can be walked backwards; other things fail. */
bool cv_t_reversed(cv_run *run, const cv_tv *v, cv_tv *ret)
{
    if (v->kind == CV_TV_RANGE) {
        cv_trange *range = CV_NEW(&run->arena, cv_trange);
        const cv_trange *of = v->range;
        *range = (cv_trange){.start = of->start + (of->count - 1) * of->step, .step = -of->step, .count = of->count};
        *ret = (cv_tv){.kind = CV_TV_RANGE, .range = range};
        return true;
    }
    if (v->kind == CV_TV_GENERATOR || v->kind == CV_TV_LOOP)
        return cv_run_fail(run, "a value of type %.*s cannot be read from its end", CV_FMT(cv_tv_word(v)));
    cv_tv list;
    if (!cv_t_list(run, v, &list))
        return false;
    for (size_t i = 0, j = list.list->count; i + 1 < j; i++) {
        cv_tv swap = list.list->items[i];
        list.list->items[i] = list.list->items[--j];
        list.list->items[j] = swap;
    }
    *ret = list;
    return true;
}

/* ---- sorting ----------------------------------------------------------------------------------------- */

typedef struct {
    cv_tv key, item;
} entry;

/* Merges two sorted halves; equal entries keep their order. */
static bool join_halves(cv_run *run, entry *all, entry *spare, size_t low, size_t mid, size_t high, bool reverse)
{
    size_t i = low, j = mid, n = low;
    assert(low <= mid && mid <= high);
    while (i < mid && j < high) {
        bool second_first;
        if (!(reverse ? cv_tv_less(run, &all[i].key, &all[j].key, &second_first)
                      : cv_tv_less(run, &all[j].key, &all[i].key, &second_first)))
            return false;
        spare[n++] = second_first ? all[j++] : all[i++];
    }
    while (i < mid)
        spare[n++] = all[i++];
    while (j < high)
        spare[n++] = all[j++];
    memcpy(all + low, spare + low, (high - low) * sizeof *all);
    return true;
}

bool cv_t_sort(cv_run *run, cv_tv *list, const cv_tlist *keys, bool reverse)
{
    size_t count = list->list->count;
    entry *all = CV_NEW_ARRAY(&run->arena, count * 2, entry), *spare = all + count;
    for (size_t i = 0; i < count; i++)
        all[i] = (entry){keys->items[i], list->list->items[i]};
    for (size_t width = 1; width < count; width *= 2)
        for (size_t low = 0; low + width < count; low += width * 2) {
            size_t high = low + width * 2 < count ? low + width * 2 : count;
            if (!join_halves(run, all, spare, low, low + width, high, reverse))
                return false;
        }
    for (size_t i = 0; i < count; i++)
        list->list->items[i] = all[i].item;
    return true;
}

bool cv_t_sorted_items(cv_run *run, const cv_tv *dict, cv_tv *ret)
{
    const cv_tdict *of = dict->dict;
    *ret = cv_tv_new_list(run, CV_TV_LIST, of->keys.count);
    for (size_t i = 0; i < of->keys.count; i++)
        cv_tv_add(run, ret, cv_tv_pair(run, of->keys.items[i], of->values.items[i]));
    return cv_t_sort(run, ret, &of->keys, false);
}

/* ---- loops ------------------------------------------------------------------------------------------- */

static bool fetch(cv_run *run, cv_tloop *loop)
{
    if (loop->has_after || loop->at_end)
        return true;
    bool more;
    if (!cv_t_next(run, &loop->iter, &loop->after, &more))
        return false;
    loop->has_after = more;
    loop->at_end = !more;
    return true;
}

bool cv_tloop_next(cv_run *run, cv_tloop *loop, cv_tv *ret, bool *ret_more)
{
    if (!fetch(run, loop))
        return false;
    *ret_more = loop->has_after;
    if (!loop->has_after)
        return true;
    *ret = loop->after;
    loop->has_after = false;
    loop->index0++;
    loop->before = loop->current;
    loop->current = *ret;
    return true;
}

/* What has no length is read to its end. */
bool cv_tloop_length(cv_run *run, cv_tloop *loop, int64_t *ret)
{
    if (loop->length < 0 && loop->of.kind != CV_TV_GENERATOR) {
        if (!cv_tv_length(run, &loop->of, &loop->length))
            return false;
    } else if (loop->length < 0) {
        cv_tv rest = cv_tv_new_list(run, CV_TV_LIST, 0), item;
        bool more = true;
        while (more) {
            if (!cv_t_next(run, &loop->iter, &item, &more))
                return false;
            if (more)
                cv_tv_add(run, &rest, item);
        }
        loop->length = (int64_t)rest.list->count + loop->index0 + 1 + loop->has_after;
        loop->iter = (cv_titer){.of = rest};
    }
    *ret = loop->length;
    return true;
}

bool cv_tloop_attribute(cv_run *run, cv_tloop *loop, cv_str name, const cv_tnode *node, cv_tv *ret, bool *ret_found)
{
    static const char *const names[] = {"index",     "index0",   "first",    "last",  "length", "revindex",
                                        "revindex0", "previtem", "nextitem", "depth", "depth0"};
    size_t which = 0;
    while (which < CV_COUNT(names) && !cv_str_eq(name, cv_str_of(names[which])))
        which++;
    *ret_found = which < CV_COUNT(names);
    int64_t length = 0;
    if ((which == 3 || which == 8) && !fetch(run, loop))
        return false;
    if (which >= 4 && which <= 6 && !cv_tloop_length(run, loop, &length))
        return false;
    switch (which) {
    case 0:
    case 1:
        *ret = cv_tv_int(loop->index0 + (which == 0));
        return true;
    case 2:
        *ret = cv_tv_bool(loop->index0 == 0);
        return true;
    case 3:
        *ret = cv_tv_bool(!loop->has_after);
        return true;
    case 4:
        *ret = cv_tv_int(length);
        return true;
    case 5:
    case 6:
        *ret = cv_tv_int(length - loop->index0 - (which == 6));
        return true;
    case 7:
        *ret = loop->index0 == 0 ? cv_tv_undefined(node) : loop->before;
        return true;
    case 8:
        *ret = loop->has_after ? loop->after : cv_tv_undefined(node);
        return true;
    default:
        *ret = cv_tv_int(which == 9);
        return true;
    }
}
