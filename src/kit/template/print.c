/* print.c - values as text: str() and repr() as Python writes them, JSON as json.dumps() does; texts as numbers. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "kit/template/parts.h"

/* ---- numbers ----------------------------------------------------------------------------------------- */

/* The fewest digits that come back as the same number; an exponent from 1e16 on and below 1e-4. */
void cv_t_print_float(double real, cv_buf *out)
{
    char text[40];
    if (isnan(real) || isinf(real)) {
        cv_buf_add_z(out, isnan(real) ? "nan" : real < 0 ? "-inf" : "inf");
        return;
    }
    int precision = 0;
    do
        snprintf(text, sizeof text, "%.*e", precision, real);
    while (strtod(text, NULL) != real && ++precision < 17);
    int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    if (exponent >= 16 || exponent < -4) {
        char *e = strchr(text, 'e');
        cv_buf_add(out, cv_str_range(text, e));
        cv_buf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
        return;
    }
    int decimals = precision - exponent;
    cv_buf_printf(out, "%.*f", decimals > 1 ? decimals : 1, real);
}

/* Without white space around it and without single "_" between digits; absent: "_" stands elsewhere. */
static cv_str plain_digits(cv_arena *a, cv_str text)
{
    text = cv_t_strip(text, NULL, true, true);
    char *to = cv_arena_alloc(a, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        bool between = i > 0 && i + 1 < text.n && cv_is_alnum(text.p[i - 1]) && cv_is_alnum(text.p[i + 1]);
        if (text.p[i] == '_' && !between)
            return (cv_str){NULL, 0};
        if (text.p[i] != '_')
            to[n++] = text.p[i];
    }
    return (cv_str){to, n};
}

static int digit_of(char c)
{
    return cv_is_digit(c) ? c - '0' : cv_is_alpha(c) ? cv_lower(c) - 'a' + 10 : 99;
}

/* A prefix that goes with the base; with base 0 it decides, and a decimal number has no zero in front. */
static bool take_prefix(cv_str *s, int64_t *base)
{
    char letter = s->n > 1 && s->p[0] == '0' ? cv_lower(s->p[1]) : '\0';
    int64_t of = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (of && (*base == of || *base == 0)) {
        *s = cv_str_from(*s, 2);
        *base = of;
        if (s->n > 0 && s->p[0] == '_')
            *s = cv_str_from(*s, 1);
        return true;
    }
    if (*base != 0)
        return true;
    *base = 10;
    for (size_t i = 0; i < s->n && s->p[0] == '0'; i++)
        if (s->p[i] != '0' && s->p[i] != '_')
            return false;
    return true;
}

cv_t_reading cv_t_read_int(cv_str text, int64_t base, int64_t *ret)
{
    cv_str s = cv_t_strip(text, NULL, true, true);
    bool negative = s.n > 0 && s.p[0] == '-', beyond = false, digit_before = false;
    if (s.n > 0 && (s.p[0] == '-' || s.p[0] == '+'))
        s = cv_str_from(s, 1);
    if (!take_prefix(&s, &base) || s.n == 0)
        return CV_T_OTHER;
    int64_t value = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '_' && digit_before && i + 1 < s.n) {
            digit_before = false;
            continue;
        }
        int64_t digit = digit_of(s.p[i]);
        if (digit >= base)
            return CV_T_OTHER;
        digit_before = true;
        beyond = beyond || __builtin_mul_overflow(value, base, &value) ||
                 __builtin_sub_overflow(value, digit, &value); /* downwards: the least number has no opposite */
    }
    if (beyond || (!negative && value == INT64_MIN))
        return CV_T_BEYOND;
    *ret = negative ? value : -value;
    return CV_T_FINE;
}

cv_t_reading cv_t_read_float(cv_arena *a, cv_str text, double *ret)
{
    cv_str s = plain_digits(a, text), word = s;
    if (!s.p || s.n == 0)
        return CV_T_OTHER;
    if (word.p[0] == '-' || word.p[0] == '+')
        word = cv_str_from(word, 1);
    bool named = cv_str_eq_nocase(word, CV_STR("inf")) || cv_str_eq_nocase(word, CV_STR("infinity")) ||
                 cv_str_eq_nocase(word, CV_STR("nan"));
    for (size_t i = 0; !named && i < word.n; i++)
        if (!cv_is_digit(word.p[i]) && !strchr(".eE+-", word.p[i]))
            return CV_T_OTHER;
    char *z = cv_arena_copy_z(a, s), *end;
    *ret = strtod(z, &end);
    return *end == '\0' && end > z ? CV_T_FINE : CV_T_OTHER;
}

/* ---- repr -------------------------------------------------------------------------------------------- */

static void put_quoted(cv_str text, cv_buf *out)
{
    bool single = cv_str_find_char(text, '\'') != SIZE_MAX && cv_str_find_char(text, '"') == SIZE_MAX;
    char quote = single ? '"' : '\'';
    cv_buf_add_char(out, quote);
    while (text.n > 0) {
        const char *from = text.p;
        uint32_t code;
        cv_utf8_next(&text, &code);
        if (code == '\\' || code == (uint32_t)quote)
            cv_buf_printf(out, "\\%c", (char)code);
        else if (code == '\n' || code == '\r' || code == '\t')
            cv_buf_add_z(out, code == '\n' ? "\\n" : code == '\r' ? "\\r" : "\\t");
        else if (!cv_t_is_printable(code))
            cv_buf_printf(out, code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)code);
        else
            cv_buf_add(out, cv_str_range(from, text.p));
    }
    cv_buf_add_char(out, quote);
}

static bool put_items(cv_run *run, const cv_tlist *list, char begin, char end, cv_buf *out)
{
    if (begin)
        cv_buf_add_char(out, begin);
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0)
            cv_buf_add_z(out, ", ");
        if (!cv_tv_repr(run, &list->items[i], out))
            return false;
    }
    if (begin == '(' && list->count == 1)
        cv_buf_add_char(out, ',');
    if (end)
        cv_buf_add_char(out, end);
    return true;
}

static bool put_dict(cv_run *run, const cv_tdict *dict, cv_buf *out)
{
    cv_buf_add_char(out, '{');
    for (size_t i = 0; i < dict->keys.count; i++) {
        if (i > 0)
            cv_buf_add_z(out, ", ");
        if (!cv_tv_repr(run, &dict->keys.items[i], out))
            return false;
        cv_buf_add_z(out, ": ");
        if (!cv_tv_repr(run, &dict->values.items[i], out))
            return false;
    }
    cv_buf_add_char(out, '}');
    return true;
}

static bool put_view(cv_run *run, const cv_tv *v, cv_buf *out)
{
    cv_tv list;
    cv_buf_add_z(out, v->view->part == 'i' ? "dict_items(" : v->view->part == 'k' ? "dict_keys(" : "dict_values(");
    if (!cv_t_list(run, v, &list) || !put_items(run, list.list, '[', ']', out))
        return false;
    cv_buf_add_char(out, ')');
    return true;
}

static bool put_loop(cv_run *run, cv_tloop *loop, cv_buf *out)
{
    int64_t length;
    if (!cv_tloop_length(run, loop, &length))
        return false;
    cv_buf_printf(out, "<LoopContext %lld/%lld>", (long long)loop->index0 + 1, (long long)length);
    return true;
}

static bool put_compound(cv_run *run, const cv_tv *v, cv_buf *out)
{
    switch (v->kind) {
    case CV_TV_LIST:
        return put_items(run, v->list, '[', ']', out);
    case CV_TV_TUPLE:
        return put_items(run, v->list, '(', ')', out);
    case CV_TV_DICT:
        return put_dict(run, v->dict, out);
    case CV_TV_VIEW:
        return put_view(run, v, out);
    case CV_TV_LOOP:
        return put_loop(run, v->loop, out);
    case CV_TV_SPACE:
        cv_buf_add_z(out, "<Namespace ");
        if (!put_dict(run, v->dict, out))
            return false;
        cv_buf_add_char(out, '>');
        return true;
    case CV_TV_GENERATOR:
        cv_run_fail(run, "the items of a filter like map or select cannot be printed as they are");
        cv_err_suggest(run->err, CV_STR("add |list or |join"));
        return false;
    default:
        cv_run_fail(run, "a function cannot be printed: parentheses are missing after its name");
        return false;
    }
}

bool cv_tv_repr(cv_run *run, const cv_tv *v, cv_buf *out)
{
    if (!cv_run_step(run, 1))
        return false;
    size_t from = out->n;
    switch (v->kind) {
    case CV_TV_UNDEFINED:
        cv_buf_add_z(out, "Undefined");
        return cv_run_missing(run, v, true);
    case CV_TV_NONE:
        cv_buf_add_z(out, "None");
        return true;
    case CV_TV_BOOL:
        cv_buf_add_z(out, v->truth ? "True" : "False");
        return true;
    case CV_TV_INT:
        cv_buf_printf(out, "%lld", (long long)v->number);
        return true;
    case CV_TV_FLOAT:
        cv_t_print_float(v->real, out);
        return true;
    case CV_TV_STR:
        cv_buf_add_z(out, v->markup ? "Markup(" : "");
        put_quoted(v->text, out);
        cv_buf_add_z(out, v->markup ? ")" : "");
        return cv_run_grown(run, out, from);
    case CV_TV_RANGE:
        cv_buf_printf(out, "range(%lld, %lld", (long long)v->range->start, (long long)v->range->stop);
        if (v->range->step != 1)
            cv_buf_printf(out, ", %lld", (long long)v->range->step);
        cv_buf_add_char(out, ')');
        return true;
    case CV_TV_TIME:
        return cv_run_unsupported(run, "a time in a list or dict as text");
    default: {
        if (!cv_run_deeper(run))
            return false;
        bool good = put_compound(run, v, out);
        run->depth--;
        return good;
    }
    }
}

/* ---- str --------------------------------------------------------------------------------------------- */

static void put_time(int64_t ms, cv_buf *out)
{
    char text[CV_TIME_LEN + 1];
    cv_time_print(ms, text);
    text[10] = ' ';
    cv_buf_add(out, (cv_str){text, 19});
    if (ms % 1000 != 0)
        cv_buf_printf(out, ".%.3s000", text + 20);
    cv_buf_add_z(out, "+00:00");
}

bool cv_tv_print(cv_run *run, const cv_tv *v, cv_buf *out)
{
    if (v->kind == CV_TV_UNDEFINED)
        return cv_run_missing(run, v, true);
    if (v->kind == CV_TV_TIME) {
        put_time(v->number, out);
        return true;
    }
    if (v->kind != CV_TV_STR)
        return cv_tv_repr(run, v, out);
    cv_buf_add(out, v->text);
    return cv_run_grown(run, out, out->n - v->text.n);
}

bool cv_tv_text(cv_run *run, const cv_tv *v, cv_str *ret)
{
    if (v->kind == CV_TV_STR) {
        *ret = v->text;
        return true;
    }
    cv_buf out = {0};
    bool good = cv_tv_print(run, v, &out);
    *ret = cv_buf_take(&out, &run->arena);
    return good;
}

bool cv_tv_soft(cv_run *run, const cv_tv *v, cv_tv *ret)
{
    cv_str text;
    if (!cv_tv_text(run, v, &text))
        return false;
    *ret = cv_tv_str(text);
    ret->markup = v->kind == CV_TV_STR && v->markup;
    return true;
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

typedef struct {
    cv_run *run;
    cv_buf *out;
    cv_str indent; /* of one level */
    bool has_indent;
    unsigned level;
} json;

static bool put_json(json *w, const cv_tv *v);

/* ASCII alone, and nothing that HTML reads as a tag or an attribute's end. */
static void put_json_text(cv_str text, cv_buf *out)
{
    static const char plain[] = "\"\\\n\r\t\b\f", escaped[] = "\"\\nrtbf";
    cv_buf_add_char(out, '"');
    while (text.n > 0) {
        uint32_t code;
        cv_utf8_next(&text, &code);
        const char *known = code && code < 0x80 ? strchr(plain, (int)code) : NULL;
        if (known)
            cv_buf_printf(out, "\\%c", escaped[known - plain]);
        else if (code >= 0x10000)
            cv_buf_printf(out, "\\u%04x\\u%04x", (unsigned)(0xd800 + ((code - 0x10000) >> 10)),
                          (unsigned)(0xdc00 + ((code - 0x10000) & 0x3ff)));
        else if (code < ' ' || code >= 0x7f || strchr("<>&'", (int)code))
            cv_buf_printf(out, "\\u%04x", (unsigned)code);
        else
            cv_buf_add_char(out, (char)code);
    }
    cv_buf_add_char(out, '"');
}

static void put_break(json *w, bool comma)
{
    if (comma)
        cv_buf_add_z(w->out, w->has_indent ? "," : ", ");
    if (!w->has_indent)
        return;
    cv_buf_add_char(w->out, '\n');
    for (unsigned i = 0; i < w->level; i++)
        cv_buf_add(w->out, w->indent);
}

static bool put_json_list(json *w, const cv_tlist *list)
{
    if (list->count == 0) {
        cv_buf_add_z(w->out, "[]");
        return true;
    }
    cv_buf_add_char(w->out, '[');
    w->level++;
    for (size_t i = 0; i < list->count; i++) {
        put_break(w, i > 0);
        if (!put_json(w, &list->items[i]))
            return false;
    }
    w->level--;
    put_break(w, false);
    cv_buf_add_char(w->out, ']');
    return true;
}

static bool put_json_number(json *w, const cv_tv *v)
{
    if (v->kind == CV_TV_BOOL)
        cv_buf_add_z(w->out, v->truth ? "true" : "false");
    else if (v->kind == CV_TV_INT)
        cv_buf_printf(w->out, "%lld", (long long)v->number);
    else if (isnan(v->real) || isinf(v->real))
        cv_buf_add_z(w->out, isnan(v->real) ? "NaN" : v->real < 0 ? "-Infinity" : "Infinity");
    else
        cv_t_print_float(v->real, w->out);
    return true;
}

static bool put_json_key(json *w, const cv_tv *key)
{
    if (key->kind == CV_TV_STR) {
        put_json_text(key->text, w->out);
        return true;
    }
    if (!cv_tv_is_number(key) && key->kind != CV_TV_NONE)
        return cv_run_fail(w->run, "a key of type %.*s cannot be written as JSON", CV_FMT(cv_tv_word(key)));
    cv_buf_add_char(w->out, '"');
    if (key->kind == CV_TV_NONE)
        cv_buf_add_z(w->out, "null");
    else
        put_json_number(w, key);
    cv_buf_add_char(w->out, '"');
    return true;
}

static bool put_json_dict(json *w, const cv_tv *v)
{
    const cv_tdict *dict = v->dict;
    cv_tv pairs;
    if (dict->keys.count == 0) {
        cv_buf_add_z(w->out, "{}");
        return true;
    }
    if (!cv_t_sorted_items(w->run, v, &pairs))
        return false;
    cv_buf_add_char(w->out, '{');
    w->level++;
    for (size_t i = 0; i < pairs.list->count; i++) {
        const cv_tv *pair = pairs.list->items[i].list->items;
        put_break(w, i > 0);
        if (!put_json_key(w, &pair[0]))
            return false;
        cv_buf_add_z(w->out, ": ");
        if (!put_json(w, &pair[1]))
            return false;
    }
    w->level--;
    put_break(w, false);
    cv_buf_add_char(w->out, '}');
    return true;
}

static bool put_json(json *w, const cv_tv *v)
{
    size_t from = w->out->n;
    if (!cv_run_step(w->run, 1) || !cv_run_grown(w->run, w->out, from))
        return false;
    if (cv_tv_is_number(v))
        return put_json_number(w, v);
    if (v->kind == CV_TV_NONE || v->kind == CV_TV_STR) {
        if (v->kind == CV_TV_NONE)
            cv_buf_add_z(w->out, "null");
        else
            put_json_text(v->text, w->out);
        return cv_run_grown(w->run, w->out, from);
    }
    if (v->kind == CV_TV_UNDEFINED)
        return cv_run_missing(w->run, v, false);
    if (v->kind != CV_TV_LIST && v->kind != CV_TV_TUPLE && v->kind != CV_TV_DICT)
        return cv_run_fail(w->run, "a value of type %.*s cannot be written as JSON", CV_FMT(cv_tv_word(v)));
    if (!cv_run_deeper(w->run))
        return false;
    bool good = v->kind == CV_TV_DICT ? put_json_dict(w, v) : put_json_list(w, v->list);
    w->run->depth--;
    return good;
}

bool cv_tv_json(cv_run *run, const cv_tv *v, const cv_tv *indent, cv_buf *out)
{
    static const char blanks[] = "                                                                ";
    json w = {.run = run, .out = out};
    if (cv_targ_given(indent) && indent->kind != CV_TV_NONE) {
        w.has_indent = true;
        if (indent->kind == CV_TV_STR)
            w.indent = indent->text;
        else if (!cv_tv_is_int(indent))
            return cv_run_fail(run, "indent is a number or a text, not a value of type %.*s",
                               CV_FMT(cv_tv_word(indent)));
        else if (cv_tv_whole(indent) > (int64_t)sizeof blanks - 1)
            return cv_run_limit(run, "an indent above %zu blanks", sizeof blanks - 1);
        else
            w.indent = (cv_str){blanks, cv_tv_whole(indent) > 0 ? (size_t)cv_tv_whole(indent) : 0};
    }
    return put_json(&w, v);
}
