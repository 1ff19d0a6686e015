/* fault.c - what is wrong with a request; see fault.h. */
#include "kit/fault.h"

#include "base/limits.h"
#include "base/utf8.h"

/* What a request says, as far as a fault repeats it. */
static cv_str shown(const cv_call *call, cv_str value)
{
    return cv_utf8_excerpt(call->arena, value, CV_MAX_EXCERPT);
}

cv_spot cv_spot_in(const cv_spot *at, cv_str member)
{
    cv_spot in = *at;
    in.field = shown(at->call, member);
    if (at->field.n)
        in.field = cv_arena_printf(at->call->arena, "%.*s.%.*s", CV_FMT(at->field), CV_FMT(in.field));
    return in;
}

cv_spot cv_spot_at(const cv_spot *at, size_t index)
{
    cv_spot in = *at;
    in.field = cv_arena_printf(at->call->arena, "%.*s[%zu]", CV_FMT(at->field), index);
    return in;
}

static cv_err *add(const cv_spot *at, cv_err_code code, cv_str value, const char *format, va_list args)
{
    cv_call *call = at->call;
    cv_str message = cv_arena_vprintf(call->arena, format, args);
    cv_err *err = cv_errs_add(call->errs, call->arena, code, "%.*s", CV_FMT(message));
    cv_err_field(err, at->field);
    cv_err_value(err, shown(call, value));
    cv_err_item_type(err, at->item_type);
    cv_err_item(err, at->item_key, shown(call, at->item_id));
    return err;
}

cv_err *cv_fault(const cv_spot *at, cv_err_code code, cv_str constraint, cv_str value, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_err *err = add(at, code, value, format, args);
    va_end(args);
    cv_err_constraint(err, constraint);
    return err;
}

cv_err *cv_refuse(cv_call *call, cv_err_code code, cv_str at, const char *field, cv_str value, const char *format, ...)
{
    cv_spot thing = {.call = call, .field = at}, spot = cv_spot_in(&thing, cv_str_of(field));
    va_list args;
    va_start(args, format);
    cv_err *err = add(&spot, code, value, format, args);
    va_end(args);
    return err;
}

void cv_refuse_words(cv_err *fault, const cv_str *words, size_t count)
{
    cv_err_options(fault, words, count);
    cv_err_nearest(fault, fault->value, words, count);
}

void cv_fault_missing(const cv_spot *at)
{
    cv_err_suggest(cv_fault(at, CV_ERR_MISSING_FIELD, CV_STR("required"), (cv_str){0}, "%.*s is missing or empty",
                            CV_FMT(at->field)),
                   CV_STR("Give it a value that is not empty"));
}

void cv_fault_unless_line(const cv_spot *at, cv_str text, size_t most)
{
    size_t length = cv_utf8_count(text);
    if (length > most)
        cv_err_suggest(cv_fault(at, CV_ERR_INVALID_VALUE, CV_STR("maxLength"), text,
                                "expected at most %zu characters, found %zu", most, length),
                       CV_STR("Shorten it"));
    if (cv_str_has_control(text))
        cv_err_suggest(cv_fault(at, CV_ERR_INVALID_VALUE, CV_STR("one_line"), text,
                                "%.*s has control characters or line breaks", CV_FMT(at->field)),
                       CV_STR("Write it on one line"));
}

void cv_fault_word(const cv_spot *at, cv_err_code code, cv_str constraint, cv_str name, cv_str value, cv_words words)
{
    cv_arena *a = at->call->arena;
    cv_str all = cv_arena_list(a, words.items, words.count), near = cv_str_nearest(value, words.items, words.count);
    cv_err *err = cv_fault(at, code, constraint, value, "%.*s must be one of: %.*s (got '%.*s')", CV_FMT(name),
                           CV_FMT(all), CV_FMT(cv_excerpt(a, value)));
    cv_err_options(err, words.items, words.count);
    cv_err_suggest(err, near.n ? cv_arena_printf(a, "Did you mean '%.*s'?", CV_FMT(near))
                               : CV_STR("Use one of the valid options"));
}
