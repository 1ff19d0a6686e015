/* filters_other.c - filters for any value and for numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kit/template/parts.h"

static bool do_default(cv_run *run, cv_tv *args, cv_tv *ret)
{
    bool also_false, truth = true;
    if (!cv_targ_truth(run, &args[2], &also_false))
        return false;
    bool undefined = args[0].kind == CV_TV_UNDEFINED;
    if (!undefined && also_false && !cv_tv_truth(run, &args[0], &truth))
        return false;
    if (!undefined && truth)
        *ret = args[0];
    else
        *ret = cv_targ_given(&args[1]) ? args[1] : cv_tv_str(CV_STR(""));
    return true;
}

static bool whole_of(cv_run *run, double real, cv_tv *ret)
{
    if (!(fabs(real) < 9.2233720368547758e18))
        return cv_run_limit(run, "a whole number above 64 bits");
    *ret = cv_tv_int((int64_t)real);
    return true;
}

static bool int_of_text(cv_run *run, const cv_tv *v, int64_t base, const cv_tv *otherwise, cv_tv *ret)
{
    int64_t number;
    double real;
    if (base != 0 && (base < 2 || base > 36))
        base = -1;
    cv_t_reading reading = base < 0 ? CV_T_OTHER : cv_t_read_int(v->text, base, &number);
    if (reading == CV_T_BEYOND)
        return cv_run_limit(run, "a whole number above 64 bits");
    *ret = reading == CV_T_FINE ? cv_tv_int(number) : *otherwise;
    if (reading == CV_T_FINE || cv_t_read_float(&run->arena, v->text, &real) != CV_T_FINE || isnan(real))
        return true;
    if (isinf(real))
        return cv_run_fail(run, "an infinite number is not a whole number");
    return whole_of(run, real, ret);
}

static bool do_int(cv_run *run, cv_tv *args, cv_tv *ret)
{
    cv_tv otherwise = cv_targ_given(&args[1]) ? args[1] : cv_tv_int(0);
    int64_t base;
    if (!cv_targ_int(run, &args[2], "base", 10, &base))
        return false;
    *ret = otherwise;
    if (args[0].kind == CV_TV_STR)
        return int_of_text(run, &args[0], base, &otherwise, ret);
    if (args[0].kind == CV_TV_UNDEFINED)
        return cv_run_missing(run, &args[0], false);
    if (cv_tv_is_int(&args[0]))
        *ret = cv_tv_int(cv_tv_whole(&args[0]));
    if (args[0].kind != CV_TV_FLOAT || isnan(args[0].real))
        return true;
    if (isinf(args[0].real))
        return cv_run_fail(run, "an infinite number is not a whole number");
    return whole_of(run, args[0].real, ret);
}

static bool do_float(cv_run *run, cv_tv *args, cv_tv *ret)
{
    double real;
    *ret = cv_targ_given(&args[1]) ? args[1] : cv_tv_float(0);
    if (args[0].kind == CV_TV_UNDEFINED)
        return cv_run_missing(run, &args[0], false);
    if (cv_tv_is_number(&args[0]))
        *ret = cv_tv_float(cv_tv_real(&args[0]));
    else if (args[0].kind == CV_TV_STR && cv_t_read_float(&run->arena, args[0].text, &real) == CV_T_FINE)
        *ret = cv_tv_float(real);
    return true;
}

/* Halves go to the even neighbour, as the number is in binary, not as it is printed. */
static double round_real(double real, int64_t digits)
{
    char text[400];
    if (!isfinite(real) || digits > 323)
        return real;
    if (digits >= 0) {
        snprintf(text, sizeof text, "%.*f", digits > 17 && fabs(real) > 1 ? 17 : (int)digits, real);
        return fabs(real) < 1e22 ? strtod(text, NULL) : real;
    }
    if (digits < -308)
        return copysign(0, real);
    long double unit = powl(10, (long double)-digits);
    return (double)(rintl((long double)real / unit) * unit);
}

static bool round_int(cv_run *run, int64_t number, int64_t digits, cv_tv *ret)
{
    int64_t unit = 1;
    *ret = cv_tv_int(number);
    for (int64_t i = digits; i < 0; i++)
        if (__builtin_mul_overflow(unit, 10, &unit)) {
            *ret = cv_tv_int(0);
            return true;
        }
    if (unit == 1)
        return true;
    int64_t rest = ((number % unit) + unit) % unit, down = number - rest;
    bool up = rest > unit - rest || (rest == unit - rest && (down / unit) % 2 != 0);
    if (up && __builtin_add_overflow(down, unit, &down))
        return cv_run_limit(run, "a whole number above 64 bits");
    *ret = cv_tv_int(down);
    return true;
}

/* ceil(x * 10**n) / 10**n */
static bool round_to(cv_run *run, const cv_tv *v, int64_t digits, bool up, cv_tv *ret)
{
    double scale = pow(10, (double)digits), scaled = cv_tv_real(v) * scale;
    if (!isfinite(scaled) || scale == 0)
        return cv_run_fail(run, "the number cannot be rounded to %lld digits", (long long)digits);
    *ret = cv_tv_float(((up ? ceil(scaled) : floor(scaled)) + 0.0) / scale); /* Python's are integers: without -0.0 */
    return true;
}

static bool do_round(cv_run *run, cv_tv *args, cv_tv *ret)
{
    static const cv_str words[] = {CV_STR_INIT("common"), CV_STR_INIT("ceil"), CV_STR_INIT("floor")};
    int64_t digits = 0;
    size_t way = 0;
    if (cv_targ_given(&args[2]))
        while (way < 3 && !(args[2].kind == CV_TV_STR && cv_str_eq(args[2].text, words[way])))
            way++;
    if (way == 3)
        return cv_run_fail(run, "'method' is \"common\", \"ceil\" or \"floor\"");
    *ret = cv_tv_noted(run->at);
    if (args[0].kind == CV_TV_UNDEFINED)
        return cv_run_missing(run, &args[0], false);
    if (!cv_tv_is_number(&args[0]))
        return cv_run_fail(run, "a value of type %.*s cannot be rounded", CV_FMT(cv_tv_word(&args[0])));
    if (way == 0 && cv_targ_given(&args[1]) && args[1].kind == CV_TV_NONE)
        return cv_run_unsupported(run, "rounding to none digits");
    if (!cv_targ_int(run, &args[1], "precision", 0, &digits))
        return false;
    if (way > 0)
        return round_to(run, &args[0], digits, way == 1, ret);
    if (args[0].kind != CV_TV_FLOAT)
        return round_int(run, cv_tv_whole(&args[0]), digits, ret);
    *ret = cv_tv_float(round_real(args[0].real, digits));
    return true;
}

static bool do_abs(cv_run *run, cv_tv *args, cv_tv *ret)
{
    if (args[0].kind == CV_TV_UNDEFINED) {
        *ret = cv_tv_noted(run->at);
        return cv_run_missing(run, &args[0], false);
    }
    if (args[0].kind == CV_TV_FLOAT)
        *ret = cv_tv_float(fabs(args[0].real));
    else if (!cv_tv_is_int(&args[0]))
        return cv_run_fail(run, "a value of type %.*s has no sign", CV_FMT(cv_tv_word(&args[0])));
    else if (cv_tv_whole(&args[0]) == INT64_MIN)
        return cv_run_limit(run, "a whole number above 64 bits");
    else
        *ret = cv_tv_int(cv_tv_whole(&args[0]) < 0 ? -cv_tv_whole(&args[0]) : cv_tv_whole(&args[0]));
    return true;
}

const cv_tfilter cv_tfilters_other[] = {
    {"default", {"default_value", "boolean"}, 0, do_default, NULL},
    {"d", {"default_value", "boolean"}, 0, do_default, NULL},
    {"int", {"default", "base"}, 0, do_int, NULL},
    {"float", {"default"}, 0, do_float, NULL},
    {"round", {"precision", "method"}, 0, do_round, NULL},
    {"abs", {NULL}, 0, do_abs, NULL},
    {NULL, {NULL}, 0, NULL, NULL},
};
