/* json_write.c - JSON as a stream into a buffer; see json.h.
 *
 *     {                    depth 1
 *       "ids": [           depth 2; need_comma is off until something stands on this level
 *         1,
 *         2
 *       ],                 after an end, need_comma is on again for the level outside
 *       "none": []
 *     }
 */
#include "base/json.h"

#include <assert.h>
#include <inttypes.h>

#include "base/limits.h"

enum { LEVELS = sizeof((cv_json_writer *)0)->objects * 8 };

_Static_assert(LEVELS >= 2 * CV_MAX_JSON_DEPTH, "a whole tree fits inside a reply");

/* Only assertions ask. */
static __attribute__((unused)) bool in_object(const cv_json_writer *w)
{
    int level = w->depth - 1;
    return w->depth > 0 && (w->objects[level / 64] >> (level % 64) & 1);
}

static void new_line(cv_json_writer *w)
{
    if (w->indent == 0)
        return;
    cv_buf_add_char(w->out, '\n');
    for (int left = w->indent * w->depth; left > 0; left -= 16)
        cv_buf_add(w->out, cv_str_head(CV_STR("                "), (size_t)left));
}

/* Comma and line break before a key or an item. */
static void separate(cv_json_writer *w)
{
    if (w->need_comma)
        cv_buf_add_char(w->out, ',');
    if (w->depth > 0)
        new_line(w);
    w->need_comma = true;
}

/* Before any value. */
static void before_value(cv_json_writer *w)
{
    assert(w->after_key == in_object(w) && "in an object each value has a key, elsewhere none");
    assert((w->depth > 0 || !w->need_comma) && "a document is one value");
    if (!w->after_key)
        separate(w);
    w->after_key = false;
}

static void begin(cv_json_writer *w, char bracket)
{
    before_value(w);
    assert(w->depth < LEVELS);
    uint64_t bit = UINT64_C(1) << (w->depth % 64), *word = &w->objects[w->depth / 64];
    *word = bracket == '{' ? *word | bit : *word & ~bit;
    w->depth++;
    w->need_comma = false;
    cv_buf_add_char(w->out, bracket);
}

static void end(cv_json_writer *w, char bracket)
{
    assert(w->depth > 0 && !w->after_key && in_object(w) == (bracket == '}'));
    w->depth--;
    if (w->need_comma)
        new_line(w);
    w->need_comma = true;
    cv_buf_add_char(w->out, bracket);
}

void cv_json_begin_object(cv_json_writer *w)
{
    begin(w, '{');
}

void cv_json_end_object(cv_json_writer *w)
{
    end(w, '}');
}

void cv_json_begin_array(cv_json_writer *w)
{
    begin(w, '[');
}

void cv_json_end_array(cv_json_writer *w)
{
    end(w, ']');
}

static void add_escape(cv_buf *out, unsigned char c)
{
    static const char letters[0x20] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    static const char hex[] = "0123456789abcdef";
    char letter = c < 0x20 ? letters[c] : (char)c;
    char text[] = {'\\', letter ? letter : 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    cv_buf_add(out, (cv_str){text, letter ? 2 : 6});
}

static void add_quoted(cv_buf *out, cv_str s)
{
    size_t done = 0;
    cv_buf_add_char(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        cv_buf_add(out, (cv_str){s.p + done, i - done});
        add_escape(out, c);
        done = i + 1;
    }
    if (done < s.n)
        cv_buf_add(out, (cv_str){s.p + done, s.n - done});
    cv_buf_add_char(out, '"');
}

void cv_json_key(cv_json_writer *w, cv_str key)
{
    assert(in_object(w) && !w->after_key);
    separate(w);
    add_quoted(w->out, key);
    cv_buf_add_z(w->out, w->indent ? ": " : ":");
    w->after_key = true;
}

void cv_json_str(cv_json_writer *w, cv_str value)
{
    before_value(w);
    add_quoted(w->out, value);
}

void cv_json_int(cv_json_writer *w, int64_t value)
{
    before_value(w);
    cv_buf_printf(w->out, "%" PRId64, value);
}

void cv_json_bool(cv_json_writer *w, bool value)
{
    cv_json_raw(w, value ? CV_STR("true") : CV_STR("false"));
}

void cv_json_null(cv_json_writer *w)
{
    cv_json_raw(w, CV_STR("null"));
}

void cv_json_raw(cv_json_writer *w, cv_str text)
{
    assert(text.n > 0);
    before_value(w);
    cv_buf_add(w->out, text);
}

static void write_array(cv_json_writer *w, const cv_json *array)
{
    cv_json_begin_array(w);
    for (uint32_t i = 0; i < array->count; i++)
        cv_json_value(w, &array->items[i]);
    cv_json_end_array(w);
}

static void write_object(cv_json_writer *w, const cv_json *object)
{
    cv_json_begin_object(w);
    for (uint32_t i = 0; i < object->count; i++) {
        cv_json_key(w, object->members[i].key);
        cv_json_value(w, &object->members[i].value);
    }
    cv_json_end_object(w);
}

void cv_json_value(cv_json_writer *w, const cv_json *value)
{
    switch (value->type) {
    case CV_JSON_NULL:
        cv_json_null(w);
        break;
    case CV_JSON_FALSE:
    case CV_JSON_TRUE:
        cv_json_bool(w, value->type == CV_JSON_TRUE);
        break;
    case CV_JSON_NUMBER:
        cv_json_raw(w, value->text);
        break;
    case CV_JSON_STRING:
        cv_json_str(w, value->text);
        break;
    case CV_JSON_ARRAY:
        write_array(w, value);
        break;
    case CV_JSON_OBJECT:
        write_object(w, value);
        break;
    }
}

void cv_json_key_str(cv_json_writer *w, const char *key, cv_str value)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_str(w, value);
}

void cv_json_key_int(cv_json_writer *w, const char *key, int64_t value)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_int(w, value);
}

void cv_json_key_bool(cv_json_writer *w, const char *key, bool value)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_bool(w, value);
}

void cv_json_key_str_if(cv_json_writer *w, const char *key, cv_str text)
{
    if (text.n > 0)
        cv_json_key_str(w, key, text);
}

void cv_json_key_raw_if(cv_json_writer *w, const char *key, cv_str json)
{
    if (json.n == 0)
        return;
    cv_json_key(w, cv_str_of(key));
    cv_json_raw(w, json);
}
