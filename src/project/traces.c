/* traces.c - where a text is, apart from its own place; see traces.h. */
#include "project/traces.h"

#include <assert.h>
#include <stdlib.h>

#include "base/json.h"
#include "record/hash.h"

/* ---- the forms of a text ----------------------------------------------------------------------------------------- */

static cv_str in_json(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    cv_json_str(&(cv_json_writer){.out = &out}, text);
    cv_str quoted = cv_buf_take(&out, a);
    return cv_str_head(cv_str_from(quoted, 1), quoted.n - 2);
}

static cv_trace_text forms_of(cv_arena *a, cv_str text)
{
    cv_trace_text t = {.forms = {text}, .form_count = 1};
    while (t.form_count < CV_COUNT(t.forms)) {
        cv_str next = in_json(a, t.forms[t.form_count - 1]);
        if (cv_str_eq(next, t.forms[t.form_count - 1]))
            break;
        t.forms[t.form_count++] = next;
    }
    return t;
}

typedef struct {
    cv_arena *arena;
    cv_str *items;
    size_t count, capacity;
} pieces;

static void add_lines(pieces *p, cv_str text)
{
    cv_str line;
    while (cv_str_split(&text, '\n', &line)) {
        line = cv_str_trim(line);
        if (line.n > 0)
            *CV_PUSH(p->arena, p) = line;
    }
}

/* The texts in a JSON value. */
static void add_texts(pieces *p, const cv_json *value)
{
    if (value->type == CV_JSON_STRING)
        add_lines(p, value->text);
    for (uint32_t i = 0; value->type == CV_JSON_ARRAY && i < value->count; i++)
        add_texts(p, &value->items[i]);
    for (uint32_t i = 0; value->type == CV_JSON_OBJECT && i < value->count; i++)
        add_texts(p, &value->members[i].value);
}

static int longest_first(const void *x, const void *y)
{
    return CV_ORDER(((const cv_str *)y)->n, ((const cv_str *)x)->n);
}

/* A field of text can hold an object, too: the content of a message. */
cv_trace cv_trace_of(cv_arena *a, const cv_type_field *field, cv_str text)
{
    pieces p = {.arena = a};
    cv_json value;
    cv_err unread = {.arena = a};
    bool is_read = cv_json_parse(a, text, &value, &unread);
    cv_trace t = {.is_json = field->type == CV_JSON || (is_read && value.type == CV_JSON_OBJECT),
                  .whole = forms_of(a, cv_str_trim(text))};
    if (t.is_json && is_read)
        add_texts(&p, &value);
    else
        add_lines(&p, text);
    if (p.count)
        qsort(p.items, p.count, sizeof *p.items, longest_first);
    while (t.line_count < p.count && t.line_count < CV_TRACE_LINES && p.items[t.line_count].n >= CV_TRACE_SHORT)
        t.line_count++;
    t.lines = CV_NEW_ARRAY(a, t.line_count, cv_trace_text);
    for (size_t i = 0; i < t.line_count; i++)
        t.lines[i] = forms_of(a, p.items[i]);
    t.all = p.items;
    t.all_count = p.count;
    return t;
}

/* ---- finding ------------------------------------------------------------------------------------------------------
 */

/* Where the first form of it begins, and how long it is; SIZE_MAX: nowhere. */
static size_t find(const cv_trace_text *t, cv_str bytes, size_t *ret_length)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < t->form_count; i++) {
        size_t at = cv_str_find(bytes, t->forms[i]);
        if (at < first) {
            first = at;
            *ret_length = t->forms[i].n;
        }
    }
    return first;
}

/* A short text is a whole one, or a whole string of JSON. */
static bool is_whole(const cv_trace_text *t, cv_str bytes)
{
    size_t at;
    if (cv_str_eq(cv_str_trim(bytes), t->forms[0]))
        return true;
    cv_str form = t->forms[t->form_count > 1], rest = bytes;
    while ((at = cv_str_find(rest, form)) != SIZE_MAX) {
        const char *p = rest.p + at, *end = p + form.n;
        if (p > bytes.p && p[-1] == '"' && end < cv_str_end(bytes) && *end == '"')
            return true;
        rest = cv_str_from(rest, at + 1);
    }
    return false;
}

bool cv_trace_in(const cv_trace *t, cv_str bytes)
{
    size_t length, n = t->whole.forms[0].n;
    return n > 0 && (n < CV_TRACE_SHORT ? is_whole(&t->whole, bytes) : find(&t->whole, bytes, &length) != SIZE_MAX);
}

bool cv_trace_part_in(const cv_trace *t, cv_str bytes)
{
    size_t length;
    bool found = cv_trace_in(t, bytes);
    for (size_t i = 0; !found && i < t->line_count; i++)
        found = find(&t->lines[i], bytes, &length) != SIZE_MAX;
    return found;
}

bool cv_trace_has(const cv_trace *t, cv_str text)
{
    text = cv_str_trim(text);
    return text.n >= CV_TRACE_SHORT && cv_str_find(t->whole.forms[0], text) != SIZE_MAX;
}

/* ---- replacing ----------------------------------------------------------------------------------------------------
 */

static cv_str replaced(cv_arena *a, const cv_trace_text *t, cv_str bytes, cv_str mark)
{
    size_t length = 0, at = find(t, bytes, &length);
    cv_buf out = {0};
    if (at == SIZE_MAX)
        return bytes;
    for (; at != SIZE_MAX; at = find(t, bytes, &length)) {
        cv_buf_add(&out, cv_str_head(bytes, at));
        cv_buf_add(&out, mark);
        bytes = cv_str_from(bytes, at + length);
    }
    cv_buf_add(&out, bytes);
    return cv_buf_take(&out, a);
}

bool cv_trace_lines_in(cv_arena *a, const cv_trace *t, cv_str bytes)
{
    size_t length;
    bool found = false;
    if (t->whole.forms[0].n >= CV_TRACE_SHORT)
        bytes = replaced(a, &t->whole, bytes, CV_STR("\n"));
    for (size_t i = 0; !found && i < t->line_count; i++)
        found = find(&t->lines[i], bytes, &length) != SIZE_MAX;
    return found;
}

cv_str cv_trace_replaced(cv_arena *a, const cv_trace *t, cv_str bytes, cv_str whole)
{
    cv_str hash;
    bool marked = cv_is_redacted(whole, &hash);
    assert(marked);
    cv_str mark = cv_arena_printf(a, CV_REDACTED_WORD "%.*s", CV_FMT(hash));
    if (t->whole.forms[0].n > 0 && cv_str_eq(cv_str_trim(bytes), t->whole.forms[0]))
        return whole;
    if (t->whole.forms[0].n >= CV_TRACE_SHORT && t->is_json)
        bytes = replaced(a, &(cv_trace_text){{t->whole.forms[0]}, 1}, bytes, whole);
    if (t->whole.forms[0].n >= CV_TRACE_SHORT)
        bytes = replaced(a, &t->whole, bytes, mark);
    for (size_t i = 0; i < t->line_count; i++)
        bytes = replaced(a, &t->lines[i], bytes, mark);
    return bytes;
}
