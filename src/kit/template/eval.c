/* eval.c - what an expression is worth, by Python's rules: numbers, texts and lists with operators, attributes and
 * items, calls, filters, tests. What Python refuses is a failure here, too. */
#include <assert.h>
#include <math.h>

#include "kit/template/parts.h"

/* ---- numbers ----------------------------------------------------------------------------------------- */

static bool beyond(cv_run *run)
{
    return cv_run_limit(run, "a whole number above 64 bits");
}

static bool by_zero(cv_run *run)
{
    return cv_run_fail(run, "division by zero");
}

static bool power_of_ints(cv_run *run, int64_t base, int64_t exponent, cv_tv *ret)
{
    assert(exponent >= 0);
    int64_t value = 1;
    for (bool first = true; exponent > 0; exponent >>= 1, first = false) {
        if (!first && (base > 1 || base < -1) && __builtin_mul_overflow(base, base, &base))
            return beyond(run);
        if (!first && base == -1)
            base = 1;
        if ((exponent & 1) && __builtin_mul_overflow(value, base, &value))
            return beyond(run);
    }
    *ret = cv_tv_int(value);
    return true;
}

static bool power_of_reals(cv_run *run, double base, double exponent, cv_tv *ret)
{
    if (base == 0 && exponent < 0)
        return by_zero(run);
    if (base < 0 && isfinite(base) && isfinite(exponent) && exponent != floor(exponent))
        return cv_run_unsupported(run, "a power that is a complex number");
    double real = pow(base, exponent);
    if (isinf(real) && isfinite(base) && isfinite(exponent))
        return cv_run_fail(run, "the result is too large");
    *ret = cv_tv_float(real);
    return true;
}

/* Rounded downwards, and what is left, which has the sign of y. */
static void divide_reals(double x, double y, double *ret_floor, double *ret_rest)
{
    assert(y != 0);
    double rest = fmod(x, y), quotient = (x - rest) / y;
    if (rest != 0) {
        if ((y < 0) != (rest < 0)) {
            rest += y;
            quotient -= 1;
        }
    } else
        rest = copysign(0, y);
    double down = quotient != 0 ? floor(quotient) : copysign(0, x / y);
    *ret_floor = quotient - down > 0.5 ? down + 1 : down;
    *ret_rest = rest;
}

static bool of_reals(cv_run *run, int op, double x, double y, cv_tv *ret)
{
    double down, rest;
    if (op == CV_OP2('*', '*'))
        return power_of_reals(run, x, y, ret);
    if (y == 0 && (op == CV_OP1('/') || op == CV_OP2('/', '/') || op == CV_OP1('%')))
        return by_zero(run);
    switch (op) {
    case CV_OP1('+'):
        *ret = cv_tv_float(x + y);
        return true;
    case CV_OP1('-'):
        *ret = cv_tv_float(x - y);
        return true;
    case CV_OP1('*'):
        *ret = cv_tv_float(x * y);
        return true;
    case CV_OP1('/'):
        *ret = cv_tv_float(x / y);
        return true;
    default:
        divide_reals(x, y, &down, &rest);
        *ret = cv_tv_float(op == CV_OP1('%') ? rest : down);
        return true;
    }
}

static bool of_ints(cv_run *run, int op, int64_t x, int64_t y, cv_tv *ret)
{
    int64_t value = 0;
    bool over = false;
    switch (op) {
    case CV_OP1('+'):
        over = __builtin_add_overflow(x, y, &value);
        break;
    case CV_OP1('-'):
        over = __builtin_sub_overflow(x, y, &value);
        break;
    case CV_OP1('*'):
        over = __builtin_mul_overflow(x, y, &value);
        break;
    case CV_OP2('*', '*'):
        return y < 0 ? power_of_reals(run, (double)x, (double)y, ret) : power_of_ints(run, x, y, ret);
    default:
        if (y == 0)
            return by_zero(run);
        if (op == CV_OP1('/')) {
            *ret = cv_tv_float((double)((long double)x / (long double)y));
            return true;
        }
        if (x == INT64_MIN && y == -1)
            return op == CV_OP1('%') ? (*ret = cv_tv_int(0), true) : beyond(run);
        value = op == CV_OP1('%') ? x % y : x / y;
        if (x % y != 0 && (x < 0) != (y < 0))
            value += op == CV_OP1('%') ? y : -1;
    }
    *ret = cv_tv_int(value);
    return !over || beyond(run);
}

/* ---- other operands ---------------------------------------------------------------------------------- */

/* What is escaped already makes the other one escaped, too. */
static bool add_texts(cv_run *run, const cv_tv *x, const cv_tv *y, cv_tv *ret)
{
    cv_str a = x->text, b = y->text;
    if (x->markup && !y->markup && !cv_t_escape(run, b, &b))
        return false;
    if (y->markup && !x->markup && !cv_t_escape(run, a, &a))
        return false;
    if (!cv_run_bytes(run, a.n + b.n))
        return false;
    *ret = cv_tv_str(cv_arena_join(&run->arena, a, b));
    ret->markup = x->markup || y->markup;
    return true;
}

static bool repeat(cv_run *run, const cv_tv *v, int64_t times, cv_tv *ret)
{
    size_t n = times > 0 ? (size_t)times : 0;
    size_t each = v->kind == CV_TV_STR ? v->text.n : v->list->count * sizeof(cv_tv), bytes;
    if (__builtin_mul_overflow(each, n, &bytes))
        bytes = SIZE_MAX;
    if (!cv_run_bytes(run, bytes))
        return false;
    if (each == 0)
        n = 0;
    if (v->kind == CV_TV_STR) {
        char *to = cv_arena_alloc(&run->arena, bytes);
        for (size_t i = 0; i < n; i++)
            memcpy(to + i * v->text.n, v->text.p, v->text.n);
        *ret = cv_tv_str((cv_str){to, v->text.n * n});
        ret->markup = v->markup;
        return true;
    }
    *ret = cv_tv_new_list(run, v->kind, v->list->count * n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < v->list->count; k++)
            cv_tv_add(run, ret, v->list->items[k]);
    return true;
}

static bool is_sequence(const cv_tv *v)
{
    return v->kind == CV_TV_STR || v->kind == CV_TV_LIST || v->kind == CV_TV_TUPLE;
}

static bool add_lists(cv_run *run, const cv_tv *x, const cv_tv *y, cv_tv *ret)
{
    size_t count = x->list->count + y->list->count;
    if (!cv_run_bytes(run, count * sizeof(cv_tv)))
        return false;
    *ret = cv_tv_new_list(run, x->kind, count);
    for (size_t i = 0; i < x->list->count; i++)
        cv_tv_add(run, ret, x->list->items[i]);
    for (size_t i = 0; i < y->list->count; i++)
        cv_tv_add(run, ret, y->list->items[i]);
    return true;
}

static bool maths(cv_run *run, int op, const cv_tv *x, const cv_tv *y, cv_tv *ret)
{
    if (op == CV_OP1('%') && x->kind == CV_TV_STR)
        return cv_run_unsupported(run, "formatting a text with %%");
    if (x->kind == CV_TV_UNDEFINED || y->kind == CV_TV_UNDEFINED) {
        *ret = cv_tv_noted(run->at);
        return cv_run_missing(run, x->kind == CV_TV_UNDEFINED ? x : y, false);
    }
    if (cv_tv_is_int(x) && cv_tv_is_int(y))
        return of_ints(run, op, cv_tv_whole(x), cv_tv_whole(y), ret);
    if (cv_tv_is_number(x) && cv_tv_is_number(y))
        return of_reals(run, op, cv_tv_real(x), cv_tv_real(y), ret);
    if (op == CV_OP1('+') && x->kind == CV_TV_STR && y->kind == CV_TV_STR)
        return add_texts(run, x, y, ret);
    if (op == CV_OP1('+') && x->kind == y->kind && is_sequence(x))
        return add_lists(run, x, y, ret);
    if (op == CV_OP1('-') && (x->kind == CV_TV_VIEW || y->kind == CV_TV_VIEW))
        return cv_run_unsupported(run, "'-' between views of dicts");
    if (op == CV_OP1('*') && is_sequence(x) && cv_tv_is_int(y))
        return repeat(run, x, cv_tv_whole(y), ret);
    if (op == CV_OP1('*') && cv_tv_is_int(x) && is_sequence(y))
        return repeat(run, y, cv_tv_whole(x), ret);
    char sign[3] = {(char)(op & 255), (char)(op >> 8 & 255), '\0'};
    cv_run_fail(run, "'%s' does not work on values of type %.*s and %.*s", sign, CV_FMT(cv_tv_word(x)),
                CV_FMT(cv_tv_word(y)));
    if (op == CV_OP1('+') && (x->kind == CV_TV_STR || y->kind == CV_TV_STR))
        cv_err_suggest(run->err, CV_STR("~ joins values of any type as text"));
    return false;
}

bool cv_t_add(cv_run *run, const cv_tv *x, const cv_tv *y, cv_tv *ret)
{
    return maths(run, CV_OP1('+'), x, y, ret);
}

bool cv_t_modulo(cv_run *run, const cv_tv *x, const cv_tv *y, cv_tv *ret)
{
    return maths(run, CV_OP1('%'), x, y, ret);
}

static bool signed_value(cv_run *run, int op, const cv_tv *x, cv_tv *ret)
{
    if (x->kind == CV_TV_UNDEFINED) {
        *ret = cv_tv_noted(run->at);
        return cv_run_missing(run, x, false);
    }
    if (!cv_tv_is_number(x))
        return cv_run_fail(run, "a value of type %.*s has no sign", CV_FMT(cv_tv_word(x)));
    if (x->kind == CV_TV_FLOAT)
        *ret = cv_tv_float(op == CV_OP1('-') ? -x->real : x->real);
    else if (op == CV_OP1('-') && cv_tv_whole(x) == INT64_MIN)
        return beyond(run);
    else
        *ret = cv_tv_int(op == CV_OP1('-') ? -cv_tv_whole(x) : cv_tv_whole(x));
    return true;
}

/* ---- parts of values --------------------------------------------------------------------------------- */

/* The method or attribute that Python's object has by itself; *ret_found false: none. */
static bool own_attribute(cv_run *run, const cv_tv *of, cv_str name, cv_tv *ret, bool *ret_found)
{
    *ret_found = true;
    if (of->kind == CV_TV_LOOP) {
        if (!cv_tloop_attribute(run, of->loop, name, run->at, ret, ret_found))
            return false;
        if (*ret_found)
            return true;
    }
    const cv_tmethod *row = cv_tmethod_find(of->kind, name);
    if (row) {
        cv_tcallable *callable = CV_NEW(&run->arena, cv_tcallable);
        *callable = (cv_tcallable){.row = row, .self = cv_arena_dup(&run->arena, of, sizeof *of)};
        *ret = (cv_tv){.kind = CV_TV_CALLABLE, .callable = callable};
        *ret_found = true;
        return true;
    }
    *ret_found = false;
    if (cv_t_python_has(of, name)) {
        cv_run_unsupported(run, "'%.*s' of a value of type %.*s", CV_FMT(name), CV_FMT(cv_tv_word(of)));
        if (of->kind == CV_TV_DICT)
            cv_err_suggest(run->err, CV_STR("to read a key of this name, write x[\"name\"]"));
        return false;
    }
    return true;
}

bool cv_t_attribute(cv_run *run, const cv_tv *of, cv_str name, cv_tv *ret)
{
    bool found;
    if (of->kind == CV_TV_UNDEFINED) {
        *ret = cv_tv_noted(run->at);
        return cv_run_missing(run, of, false);
    }
    if (!own_attribute(run, of, name, ret, &found))
        return false;
    if (found)
        return true;
    cv_tv key = cv_tv_str(name);
    const cv_tv *value =
        of->kind == CV_TV_DICT || of->kind == CV_TV_SPACE ? cv_tv_get(run, of->dict, &key, NULL) : NULL;
    *ret = value ? *value : cv_tv_undefined(run->at);
    return true;
}

static void item_at(cv_run *run, const cv_tv *of, int64_t index, cv_tv *ret)
{
    int64_t length = 0;
    *ret = cv_tv_undefined(run->at);
    if (!cv_tv_length(run, of, &length) || index >= length || index < -length)
        return;
    index += index < 0 ? length : 0;
    if (of->kind == CV_TV_RANGE)
        *ret = cv_tv_int(of->range->start + index * of->range->step);
    else if (of->kind == CV_TV_STR) {
        size_t from = cv_t_offset(of->text, index);
        cv_str rest = cv_str_from(of->text, from);
        *ret = cv_tv_str(cv_str_head(rest, cv_t_offset(rest, 1)));
        ret->markup = of->markup;
    } else
        *ret = of->list->items[index];
}

bool cv_t_item(cv_run *run, const cv_tv *of, const cv_tv *key, cv_tv *ret)
{
    if (of->kind == CV_TV_UNDEFINED) {
        *ret = cv_tv_noted(run->at);
        return cv_run_missing(run, of, false);
    }
    if ((is_sequence(of) || of->kind == CV_TV_RANGE) && cv_tv_is_int(key)) {
        item_at(run, of, cv_tv_whole(key), ret);
        return cv_run_step(run, of->kind == CV_TV_STR ? of->text.n / CV_T_BYTES_A_STEP : 0);
    }
    const cv_tv *value = of->kind == CV_TV_DICT ? cv_tv_get(run, of->dict, key, NULL) : NULL;
    bool found = false;
    if (value)
        *ret = *value;
    else if (key->kind == CV_TV_STR && of->kind == CV_TV_SPACE)
        return cv_t_attribute(run, of, key->text, ret);
    else if (key->kind == CV_TV_STR && !own_attribute(run, of, key->text, ret, &found))
        return false;
    if (!value && !found)
        *ret = cv_tv_undefined(run->at);
    return true;
}

/* The first index, how far to the next, and how many, as Python cuts bounds to the length. */
static int64_t cut(int64_t length, const int64_t *from, const int64_t *to, int64_t step, int64_t *ret_start)
{
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? length - 1 : length;
    int64_t start = from ? *from : step < 0 ? high : low, stop = to ? *to : step < 0 ? low : high;
    if (from)
        start = start < 0 ? (start + length < low ? low : start + length) : start > high ? high : start;
    if (to)
        stop = stop < 0 ? (stop + length < low ? low : stop + length) : stop > high ? high : stop;
    *ret_start = start;
    if (step > 0)
        return stop > start ? (stop - start - 1) / step + 1 : 0;
    return start > stop ? (start - stop - 1) / -step + 1 : 0;
}

static bool slice_text(cv_run *run, const cv_tv *of, int64_t start, int64_t step, int64_t count, cv_tv *ret)
{
    cv_buf out = {0};
    if (step == 1) {
        cv_str rest = cv_str_from(of->text, cv_t_offset(of->text, start));
        *ret = cv_tv_str(cv_str_head(rest, cv_t_offset(rest, count)));
    } else {
        cv_tv all;
        if (!cv_t_list(run, of, &all))
            return false;
        for (int64_t i = 0; i < count; i++)
            cv_buf_add(&out, all.list->items[start + i * step].text);
        *ret = cv_tv_str(cv_buf_take(&out, &run->arena));
    }
    ret->markup = of->markup;
    return cv_run_step(run, of->text.n / CV_T_BYTES_A_STEP);
}

bool cv_t_slice(cv_run *run, const cv_tv *of, const int64_t *from, const int64_t *to, int64_t step, cv_tv *ret)
{
    int64_t length = 0, start;
    if (of->kind == CV_TV_UNDEFINED) {
        *ret = cv_tv_noted(run->at);
        return cv_run_missing(run, of, false);
    }
    if (!is_sequence(of) && of->kind != CV_TV_RANGE)
        return cv_run_fail(run, "a value of type %.*s cannot be sliced", CV_FMT(cv_tv_word(of)));
    if (step == 0)
        return cv_run_fail(run, "the step of a slice is not zero");
    if (!cv_tv_length(run, of, &length))
        return false;
    int64_t count = cut(length, from, to, step, &start);
    if (of->kind == CV_TV_STR)
        return slice_text(run, of, start, step, count, ret);
    if (of->kind == CV_TV_RANGE)
        return cv_run_unsupported(run, "a slice of a range");
    if (!cv_run_step(run, (uint64_t)count))
        return false;
    *ret = cv_tv_new_list(run, of->kind, (size_t)count);
    for (int64_t i = 0; i < count; i++)
        cv_tv_add(run, ret, of->list->items[start + i * step]);
    return true;
}

/* A bound of a slice: none, or a whole number (larger ones are cut to the length anyway). */
static bool bound(cv_run *run, const cv_tnode *node, int64_t *room, const int64_t **ret)
{
    cv_tv value = cv_tv_none();
    *ret = NULL;
    if (node && !cv_t_eval(run, node, &value))
        return false;
    if (value.kind == CV_TV_NONE)
        return true;
    if (value.kind == CV_TV_UNDEFINED)
        return run->rules->strict ? cv_run_missing(run, &value, true)
                                  : cv_run_fail(run, "a bound of a slice is undefined");
    if (!cv_tv_is_int(&value))
        return cv_run_fail(run, "a bound of a slice is a whole number, not a value of type %.*s",
                           CV_FMT(cv_tv_word(&value)));
    int64_t most = INT64_MAX / 4;
    *room = cv_tv_whole(&value) > most ? most : cv_tv_whole(&value) < -most ? -most : cv_tv_whole(&value);
    *ret = room;
    return true;
}

static bool eval_slice(cv_run *run, const cv_tnode *node, cv_tv *ret)
{
    cv_tv of;
    int64_t rooms[3];
    const int64_t *bounds[3];
    if (!cv_t_eval(run, node->kids[0], &of))
        return false;
    for (size_t i = 0; i < 3; i++)
        if (!bound(run, node->kids[i + 1], &rooms[i], &bounds[i]))
            return false;
    run->at = node;
    return cv_t_slice(run, &of, bounds[0], bounds[1], bounds[2] ? *bounds[2] : 1, ret);
}

/* ---- nodes ------------------------------------------------------------------------------------------- */

static bool eval_list(cv_run *run, const cv_tnode *node, cv_tv *ret)
{
    cv_tv item = {0};
    *ret = cv_tv_new_list(run, node->kind == CV_N_LIST ? CV_TV_LIST : CV_TV_TUPLE, node->count);
    for (size_t i = 0; i < node->count; i++) {
        if (!cv_t_eval(run, node->kids[i], &item))
            return false;
        cv_tv_add(run, ret, item);
    }
    return true;
}

static bool eval_dict(cv_run *run, const cv_tnode *node, cv_tv *ret)
{
    cv_tv key = {0}, value = {0};
    *ret = cv_tv_new_dict(run);
    for (size_t i = 0; i < node->count; i += 2) {
        if (!cv_t_eval(run, node->kids[i], &key) || !cv_t_eval(run, node->kids[i + 1], &value))
            return false;
        if (!cv_tv_put(run, ret->dict, key, value))
            return cv_run_fail(run, "a value of type %.*s cannot be a key", CV_FMT(cv_tv_word(&key)));
    }
    return true;
}

static bool compare(cv_run *run, int op, const cv_tv *x, const cv_tv *y, bool *ret)
{
    if (op == CV_OP2('=', '=') || op == CV_OP2('!', '=')) {
        if (!cv_tv_equal(run, x, y, ret))
            return false;
        *ret = *ret == (op == CV_OP2('=', '='));
        return true;
    }
    if (op == CV_OP_IN || op == CV_OP_NOT_IN) {
        if (!cv_tv_in(run, x, y, ret))
            return false;
        *ret = *ret == (op == CV_OP_IN);
        return true;
    }
    return cv_tv_order(run, x, y, op, ret);
}

static bool eval_compare(cv_run *run, const cv_tnode *node, cv_tv *ret)
{
    cv_tv left, right;
    bool holds = true;
    if (!cv_t_eval(run, node->kids[0], &left))
        return false;
    for (size_t i = 1; holds && i < node->count; i++) {
        if (!cv_t_eval(run, node->kids[i], &right))
            return false;
        run->at = node;
        if (!compare(run, node->ops[i - 1], &left, &right, &holds))
            return false;
        left = right;
    }
    *ret = cv_tv_bool(holds);
    return true;
}

static bool eval_concat(cv_run *run, const cv_tnode *node, cv_tv *ret)
{
    cv_buf out = {0};
    bool good = true;
    for (size_t i = 0; good && i < node->count; i++) {
        cv_tv part;
        good = cv_t_eval(run, node->kids[i], &part);
        run->at = node;
        good = good && cv_tv_print(run, &part, &out);
    }
    *ret = cv_tv_str(cv_buf_take(&out, &run->arena));
    return good;
}

static bool eval_args(cv_run *run, const cv_tnode *node, cv_targs *ret)
{
    size_t count = node->count - 1;
    cv_tv *items = CV_NEW_ARRAY(&run->arena, count, cv_tv);
    for (size_t i = 0; i < count; i++)
        if (!cv_t_eval(run, node->kids[i + 1], &items[i]))
            return false;
    *ret = (cv_targs){.items = items, .positional = node->positional, .count = count, .names = node->names};
    return true;
}

static bool eval_call(cv_run *run, const cv_tnode *node, cv_tv *ret)
{
    cv_tv of = {0};
    cv_targs args;
    if (!cv_t_eval(run, node->kids[0], &of) || !eval_args(run, node, &args))
        return false;
    run->at = node;
    if (of.kind == CV_TV_UNDEFINED) {
        *ret = cv_tv_noted(node);
        return cv_run_missing(run, &of, false);
    }
    if (of.kind == CV_TV_LOOP)
        return cv_run_unsupported(run, "calling 'loop'");
    if (of.kind != CV_TV_CALLABLE)
        return cv_run_fail(run, "a value of type %.*s cannot be called", CV_FMT(cv_tv_word(&of)));
    return cv_tmethod_call(run, of.callable, &args, ret);
}

static bool eval_applied(cv_run *run, const cv_tnode *node, cv_tv *ret)
{
    cv_tv value = run->filtered;
    cv_targs args;
    if (node->kids[0] && !cv_t_eval(run, node->kids[0], &value))
        return false;
    if (!eval_args(run, node, &args))
        return false;
    run->at = node;
    return cv_tfilter_call(run, node->row, node->kind == CV_N_TEST ? "test" : "filter", &value, &args, ret);
}

static bool eval_logic(cv_run *run, const cv_tnode *node, cv_tv *ret)
{
    bool truth;
    if (!cv_t_eval(run, node->kids[0], ret))
        return false;
    run->at = node;
    if (!cv_tv_truth(run, ret, &truth))
        return false;
    if (node->kind == CV_N_NOT) {
        *ret = cv_tv_bool(!truth);
        return true;
    }
    return truth == (node->kind == CV_N_OR) || cv_t_eval(run, node->kids[1], ret);
}

static bool eval_choice(cv_run *run, const cv_tnode *node, cv_tv *ret)
{
    cv_tv condition;
    bool truth;
    if (!cv_t_eval(run, node->kids[1], &condition))
        return false;
    run->at = node;
    if (!cv_tv_truth(run, &condition, &truth))
        return false;
    if (truth)
        return cv_t_eval(run, node->kids[0], ret);
    *ret = cv_tv_undefined(node);
    return !node->kids[2] || cv_t_eval(run, node->kids[2], ret);
}

static bool eval_operands(cv_run *run, const cv_tnode *node, cv_tv *ret)
{
    cv_tv x, y;
    if (!cv_t_eval(run, node->kids[0], &x) || (node->count > 1 && !cv_t_eval(run, node->kids[1], &y)))
        return false;
    run->at = node;
    switch (node->kind) {
    case CV_N_ATTRIBUTE:
        return cv_t_attribute(run, &x, node->name, ret);
    case CV_N_ITEM:
        return cv_t_item(run, &x, &y, ret);
    case CV_N_SIGN:
        return signed_value(run, node->op, &x, ret);
    default:
        return maths(run, node->op, &x, &y, ret);
    }
}

bool cv_t_eval(cv_run *run, const cv_tnode *node, cv_tv *ret)
{
    run->at = node;
    if (!cv_run_step(run, 1))
        return false;
    switch (node->kind) {
    case CV_N_CONST:
        *ret = node->value;
        return true;
    case CV_N_NAME:
        return cv_run_lookup(run, node, ret);
    case CV_N_LIST:
    case CV_N_TUPLE:
        return eval_list(run, node, ret);
    case CV_N_DICT:
        return eval_dict(run, node, ret);
    case CV_N_SLICE:
        return eval_slice(run, node, ret);
    case CV_N_CALL:
        return eval_call(run, node, ret);
    case CV_N_FILTER:
    case CV_N_TEST:
        return eval_applied(run, node, ret);
    case CV_N_NOT:
    case CV_N_AND:
    case CV_N_OR:
        return eval_logic(run, node, ret);
    case CV_N_COMPARE:
        return eval_compare(run, node, ret);
    case CV_N_CONCAT:
        return eval_concat(run, node, ret);
    case CV_N_CHOICE:
        return eval_choice(run, node, ret);
    case CV_N_ATTRIBUTE:
    case CV_N_ITEM:
    case CV_N_SIGN:
    case CV_N_MATHS:
        return eval_operands(run, node, ret);
    }
    return true;
}
