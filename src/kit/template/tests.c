/* tests.c - what is behind `is`. */
#include "kit/template/parts.h"

#define TEST(name, condition)                                                                                          \
    static bool is_##name(cv_run *run, cv_tv *args, cv_tv *ret)                                                        \
    {                                                                                                                  \
        (void)run;                                                                                                     \
        const cv_tv *v = &args[0];                                                                                     \
        *ret = cv_tv_bool(condition);                                                                                  \
        return true;                                                                                                   \
    }

TEST(defined, v->kind != CV_TV_UNDEFINED)
TEST(undefined, v->kind == CV_TV_UNDEFINED)
TEST(none, v->kind == CV_TV_NONE)
TEST(boolean, v->kind == CV_TV_BOOL)
TEST(true, v->kind == CV_TV_BOOL && v->truth)
TEST(false, v->kind == CV_TV_BOOL && !v->truth)
TEST(integer, v->kind == CV_TV_INT)
TEST(float, v->kind == CV_TV_FLOAT)
TEST(number, cv_tv_is_number(v))
TEST(string, v->kind == CV_TV_STR)
TEST(mapping, v->kind == CV_TV_DICT)
TEST(iterable, cv_t_can_iterate(v))
TEST(escaped, v->kind == CV_TV_STR && v->markup)
TEST(callable, v->kind == CV_TV_CALLABLE || v->kind == CV_TV_LOOP || v->kind == CV_TV_UNDEFINED)

static bool is_sequence(cv_run *run, cv_tv *args, cv_tv *ret)
{
    (void)run;
    cv_tv_kind kind = args[0].kind;
    *ret = cv_tv_bool(kind == CV_TV_STR || kind == CV_TV_LIST || kind == CV_TV_TUPLE || kind == CV_TV_DICT ||
                      kind == CV_TV_RANGE || kind == CV_TV_UNDEFINED);
    return true;
}

static bool is_cased(cv_run *run, cv_tv *args, bool upper, cv_tv *ret)
{
    cv_str text;
    if (!cv_tv_text(run, &args[0], &text))
        return false;
    *ret = cv_tv_bool(cv_t_is_cased(text, upper));
    return cv_run_step(run, text.n / CV_T_BYTES_A_STEP);
}

static bool is_lower(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return is_cased(run, args, false, ret);
}

static bool is_upper(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return is_cased(run, args, true, ret);
}

/* x % by == 0, with whatever % is for these values. */
static bool divides(cv_run *run, const cv_tv *v, cv_tv by, cv_tv *ret)
{
    cv_tv rest, zero = cv_tv_int(0);
    bool equal;
    if (!cv_t_modulo(run, v, &by, &rest) || !cv_tv_equal(run, &rest, &zero, &equal))
        return false;
    *ret = cv_tv_bool(equal);
    return true;
}

static bool is_even(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return divides(run, &args[0], cv_tv_int(2), ret);
}

/* x % 2 == 1, which 2.5 is not either. */
static bool is_odd(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_tv rest, two = cv_tv_int(2), one = cv_tv_int(1);
    bool equal;
    if (!cv_t_modulo(run, &args[0], &two, &rest) || !cv_tv_equal(run, &rest, &one, &equal))
        return false;
    *ret = cv_tv_bool(equal);
    return true;
}

static bool is_divisibleby(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return divides(run, &args[0], args[1], ret);
}

static bool is_eq(cv_run *run, cv_tv *args, cv_tv *ret)
{
    bool equal;
    if (!cv_tv_equal(run, &args[0], &args[1], &equal))
        return false;
    *ret = cv_tv_bool(equal);
    return true;
}

static bool is_ne(cv_run *run, cv_tv *args, cv_tv *ret)
{
    if (!is_eq(run, args, ret))
        return false;
    ret->truth = !ret->truth;
    return true;
}

static bool order(cv_run *run, cv_tv *args, int op, cv_tv *ret)
{
    bool holds;
    if (!cv_tv_order(run, &args[0], &args[1], op, &holds))
        return false;
    *ret = cv_tv_bool(holds);
    return true;
}

static bool is_lt(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return order(run, args, CV_OP1('<'), ret);
}

static bool is_le(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return order(run, args, CV_OP2('<', '='), ret);
}

static bool is_gt(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return order(run, args, CV_OP1('>'), ret);
}

static bool is_ge(cv_run *run, cv_tv *args, cv_tv *ret)
{
    return order(run, args, CV_OP2('>', '='), ret);
}

static bool is_in(cv_run *run, cv_tv *args, cv_tv *ret)
{
    bool holds;
    if (!cv_tv_in(run, &args[0], &args[1], &holds))
        return false;
    *ret = cv_tv_bool(holds);
    return true;
}

/* The same object: what Python decides by address. For texts and numbers that depends on its memory, not on values. */
static bool is_sameas(cv_run *run, cv_tv *args, cv_tv *ret)
{
    const cv_tv *x = &args[0], *y = &args[1];
    bool same = x->kind == y->kind;
    if (same && (x->kind == CV_TV_INT || x->kind == CV_TV_FLOAT || x->kind == CV_TV_STR || x->kind == CV_TV_TUPLE))
        return cv_run_unsupported(run, "'sameas' for values of type %.*s", CV_FMT(cv_tv_word(x)));
    if (same && x->kind == CV_TV_BOOL)
        same = x->truth == y->truth;
    else if (same && x->kind != CV_TV_NONE)
        same = x->list == y->list;
    *ret = cv_tv_bool(same);
    return true;
}

const cv_tfilter cv_ttests[] = {
    {"defined", {NULL}, 0, is_defined, NULL},   {"undefined", {NULL}, 0, is_undefined, NULL},
    {"none", {NULL}, 0, is_none, NULL},         {"boolean", {NULL}, 0, is_boolean, NULL},
    {"true", {NULL}, 0, is_true, NULL},         {"false", {NULL}, 0, is_false, NULL},
    {"integer", {NULL}, 0, is_integer, NULL},   {"float", {NULL}, 0, is_float, NULL},
    {"number", {NULL}, 0, is_number, NULL},     {"string", {NULL}, 0, is_string, NULL},
    {"mapping", {NULL}, 0, is_mapping, NULL},   {"sequence", {NULL}, 0, is_sequence, NULL},
    {"iterable", {NULL}, 0, is_iterable, NULL}, {"callable", {NULL}, 0, is_callable, NULL},
    {"escaped", {NULL}, 0, is_escaped, NULL},   {"lower", {NULL}, 0, is_lower, NULL},
    {"upper", {NULL}, 0, is_upper, NULL},       {"odd", {NULL}, 0, is_odd, NULL},
    {"even", {NULL}, 0, is_even, NULL},         {"divisibleby", {"num"}, 1, is_divisibleby, NULL},
    {"sameas", {"other"}, 1, is_sameas, NULL},  {"in", {"seq"}, 1, is_in, NULL},
    {"eq", {"other"}, 1, is_eq, NULL},          {"equalto", {"other"}, 1, is_eq, NULL},
    {"==", {"other"}, 1, is_eq, NULL},          {"ne", {"other"}, 1, is_ne, NULL},
    {"!=", {"other"}, 1, is_ne, NULL},          {"lt", {"other"}, 1, is_lt, NULL},
    {"lessthan", {"other"}, 1, is_lt, NULL},    {"<", {"other"}, 1, is_lt, NULL},
    {"le", {"other"}, 1, is_le, NULL},          {"<=", {"other"}, 1, is_le, NULL},
    {"gt", {"other"}, 1, is_gt, NULL},          {"greaterthan", {"other"}, 1, is_gt, NULL},
    {">", {"other"}, 1, is_gt, NULL},           {"ge", {"other"}, 1, is_ge, NULL},
    {">=", {"other"}, 1, is_ge, NULL},          {NULL, {NULL}, 0, NULL, NULL},
};
