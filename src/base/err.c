/* err.c - what went wrong; see err.h. */
#include "base/err.h"

#include <assert.h>

#include "base/buf.h"

#define CV_ERR_ROWS "base/err.def"
#define CV_ERR_LIST cv_err_codes
#include "base/err_table.def"

static void set(cv_err *err, cv_err_code code, const char *format, va_list args)
{
    assert(err->arena && code && "an error has memory and a code");
    assert(code->exit > 0 && "an error is not a success");
    *err = (cv_err){.arena = err->arena, .code = code, .message = cv_arena_vprintf(err->arena, format, args)};
}

bool cv_err_set(cv_err *err, cv_err_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(err, code, format, args);
    va_end(args);
    return false;
}

bool cv_err_at(cv_err *err, cv_err_code code, size_t line, size_t column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(err, code, format, args);
    va_end(args);
    err->line = line;
    err->column = column;
    return false;
}

cv_err *cv_errs_add(cv_errs *errs, cv_arena *a, cv_err_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_err *err = CV_PUSH(a, errs);
    err->arena = a;
    set(err, code, format, args);
    va_end(args);
    return err;
}

void cv_err_message(cv_err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    err->message = cv_arena_vprintf(err->arena, format, args);
    va_end(args);
}

#define SETTER(name, member)                                                                                           \
    void cv_err_##name(cv_err *err, cv_str text)                                                                       \
    {                                                                                                                  \
        err->member = cv_arena_copy(err->arena, text);                                                                 \
    }
SETTER(field, field)
SETTER(value, value)
SETTER(suggest, suggestion)
SETTER(operation, operation)
SETTER(file, file)
SETTER(item_type, item_type)
SETTER(constraint, constraint)
SETTER(context, context)
#undef SETTER

void cv_err_item(cv_err *err, cv_str key, cv_str id)
{
    err->item_key = cv_arena_copy(err->arena, key);
    err->item_id = cv_arena_copy(err->arena, id);
}

void cv_err_options(cv_err *err, const cv_str *options, size_t count)
{
    assert(options || count == 0);
    cv_str *copies = count ? CV_NEW_ARRAY(err->arena, count, cv_str) : NULL;
    for (size_t i = 0; i < count; i++)
        copies[i] = cv_arena_copy(err->arena, options[i]);
    err->options = copies;
    err->option_count = count;
}

void cv_err_clear(cv_err *err)
{
    *err = (cv_err){.arena = err->arena};
}

void cv_err_copy(cv_err *to, const cv_err *from)
{
    assert(to->arena && from->code && "an error is copied, not a success");
    cv_arena *a = to->arena;
    cv_err copy = {.arena = a,
                   .code = from->code,
                   .message = cv_arena_copy(a, from->message),
                   .field = cv_arena_copy(a, from->field),
                   .value = cv_arena_copy(a, from->value),
                   .suggestion = cv_arena_copy(a, from->suggestion),
                   .operation = cv_arena_copy(a, from->operation),
                   .file = cv_arena_copy(a, from->file),
                   .line = from->line,
                   .column = from->column,
                   .item_type = cv_arena_copy(a, from->item_type),
                   .item_key = cv_arena_copy(a, from->item_key),
                   .item_id = cv_arena_copy(a, from->item_id),
                   .constraint = cv_arena_copy(a, from->constraint),
                   .context = cv_arena_copy(a, from->context)};
    cv_err_options(&copy, from->options, from->option_count);
    *to = copy;
}

cv_err *cv_errs_keep(cv_errs *errs, cv_arena *a, const cv_err *err)
{
    cv_err *kept = CV_PUSH(a, errs);
    kept->arena = a;
    cv_err_copy(kept, err);
    return kept;
}

bool cv_err_nearest(cv_err *err, cv_str found, const cv_str *words, size_t count)
{
    cv_str near = cv_str_nearest(found, words, count);
    if (near.n)
        err->suggestion = cv_arena_printf(err->arena, "did you mean '%.*s'?", CV_FMT(near));
    return near.n > 0;
}

void cv_err_advise(cv_err *err, cv_naming name)
{
    if (err->operation.n == 0)
        return;
    cv_str called = cv_name_call(name, err->arena, err->operation, CV_STR(""), NULL, 0);
    err->suggestion = cv_arena_printf(err->arena, "'%.*s' %.*s", CV_FMT(called), CV_FMT(err->suggestion));
    err->operation = (cv_str){NULL, 0};
}

cv_str cv_err_word(cv_err_code code)
{
    return code ? code->word : CV_STR("ok");
}

int cv_err_exit(cv_err_code code)
{
    return code ? code->exit : 0;
}

bool cv_err_is_refusal(cv_err_code code)
{
    return cv_err_exit(code) == 1 || code == CV_ERR_TOO_LARGE;
}

cv_str cv_err_meaning(cv_err_code code)
{
    return code ? code->meaning : CV_STR("nothing is wrong");
}

/* A suggestion is a sentence of its own in JSON; behind the message it goes on. A name keeps its capital. */
static void add_suggestion(cv_buf *b, cv_str text)
{
    size_t end = 1;
    while (end < text.n && text.p[end] >= 'a' && text.p[end] <= 'z')
        end++;
    bool word = end > 1 && text.p[0] >= 'A' && text.p[0] <= 'Z' && (end == text.n || text.p[end] == ' ');
    cv_buf_add_z(b, "; ");
    if (word)
        cv_buf_add_char(b, (char)(text.p[0] | 0x20));
    cv_buf_add(b, cv_str_from(text, word));
}

/* " (valid: a, b)", unless the message lists them already. */
static void add_options(cv_buf *b, const cv_err *err)
{
    cv_buf list = {0};
    for (size_t i = 0; i < err->option_count; i++) {
        cv_buf_add_z(&list, i ? ", " : "");
        cv_buf_add(&list, err->options[i]);
    }
    cv_str options = cv_buf_str(&list);
    bool told = err->option_count > 1 && cv_str_find(err->message, options) != SIZE_MAX;
    if (options.n && !told)
        cv_buf_printf(b, " (valid: %.*s)", CV_FMT(options));
    cv_buf_release(&list);
}

cv_str cv_err_text(const cv_err *err)
{
    cv_buf b = {0};
    if (err->file.n)
        cv_buf_add(&b, err->file);
    if (err->line)
        cv_buf_printf(&b, "%s%zu:%zu", err->file.n ? ":" : "line ", err->line, err->column);
    if (b.n)
        cv_buf_add_z(&b, ": ");
    cv_str rest = cv_str_from(err->message, err->field.n);
    bool is_told =
        cv_str_starts(err->message, err->field) && cv_str_starts(rest, CV_STR(" ")); /* "tasks is required" */
    if (err->field.n && !is_told) {
        cv_buf_add(&b, err->field);
        cv_buf_add_z(&b, ": ");
    }
    cv_buf_add(&b, err->message);
    add_options(&b, err);
    if (err->operation.n)
        cv_buf_printf(&b, "; '%.*s' %.*s", CV_FMT(err->operation), CV_FMT(err->suggestion));
    else if (err->suggestion.n)
        add_suggestion(&b, err->suggestion);
    return cv_buf_take(&b, err->arena);
}
