/* filters.c - finding filters and tests by name, and calling them with arguments that fit. */
#include "base/utf8.h"
#include "kit/template/parts.h"

static const cv_tfilter *find(const cv_tfilter *rows, cv_str name)
{
    for (; rows->name; rows++)
        if (cv_str_eq(name, cv_str_of(rows->name)))
            return rows;
    return NULL;
}

const cv_tfilter *cv_tfilter_find(cv_str name)
{
    const cv_tfilter *row = find(cv_tfilters_text, name);
    row = row ? row : find(cv_tfilters_items, name);
    return row ? row : find(cv_tfilters_other, name);
}

const cv_tfilter *cv_ttest_find(cv_str name)
{
    return find(cv_ttests, name);
}

bool cv_t_jinja_has(cv_str name, bool test)
{
    static const char *const filters[] = {"attr",   "filesizeformat", "forceescape", "format",    "groupby",
                                          "pprint", "random",         "slice",       "striptags", "urlencode",
                                          "urlize", "wordwrap",       "xmlattr"};
    for (size_t i = 0; !test && i < CV_COUNT(filters); i++)
        if (cv_str_eq(name, cv_str_of(filters[i])))
            return true;
    return test && (cv_str_eq(name, CV_STR("filter")) || cv_str_eq(name, CV_STR("test")));
}

/* ---- arguments --------------------------------------------------------------------------------------- */

static size_t count_params(const char *const params[CV_T_PARAMS])
{
    size_t count = 0;
    while (count < CV_T_PARAMS && params[count])
        count++;
    return count;
}

/* Every argument in its place: `to` has room for all parameters. */
bool cv_t_fit(cv_run *run, const char *name, const char *const params[CV_T_PARAMS], size_t required,
              const cv_targs *args, cv_tv *to)
{
    size_t count = count_params(params);
    for (size_t i = 0; i < count; i++)
        to[i] = (cv_tv){.kind = CV_TV_UNDEFINED};
    if (args->positional > count)
        return cv_run_fail(run, "'%s' takes at most %zu arguments, not %zu", name, count, args->positional);
    bool given[CV_T_PARAMS] = {false};
    for (size_t i = 0; i < args->count; i++) {
        size_t at = i;
        if (i >= args->positional) {
            cv_str word = args->names[i - args->positional];
            for (at = 0; at < count && !cv_str_eq(word, cv_str_of(params[at]));)
                at++;
            if (at == count || given[at])
                return cv_run_fail(run, at == count ? "'%s' has no argument '%.*s'" : "'%s' has '%.*s' twice", name,
                                   CV_FMT(cv_excerpt(run->err->arena, word)));
        }
        to[at] = args->items[i];
        given[at] = true;
    }
    for (size_t i = 0; i < required; i++)
        if (!given[i])
            return cv_run_fail(run, "'%s' needs the argument '%s'", name, params[i]);
    return true;
}

bool cv_tfilter_call(cv_run *run, const cv_tfilter *row, const char *what, const cv_tv *value, const cv_targs *args,
                     cv_tv *ret)
{
    (void)what;
    if (row->raw)
        return row->raw(run, value, args, ret);
    cv_tv all[CV_T_PARAMS + 1] = {*value};
    return cv_t_fit(run, row->name, row->params, row->required, args, all + 1) && row->work(run, all, ret);
}

bool cv_targ_int(cv_run *run, const cv_tv *v, const char *name, int64_t otherwise, int64_t *ret)
{
    *ret = otherwise;
    if (!cv_targ_given(v))
        return true;
    if (v->kind == CV_TV_UNDEFINED)
        return cv_run_missing(run, v, false);
    if (!cv_tv_is_int(v))
        return cv_run_fail(run, "'%s' is a whole number, not a value of type %.*s", name, CV_FMT(cv_tv_word(v)));
    *ret = cv_tv_whole(v);
    return true;
}

bool cv_targ_truth(cv_run *run, const cv_tv *v, bool *ret)
{
    *ret = false;
    return !cv_targ_given(v) || cv_tv_truth(run, v, ret);
}
