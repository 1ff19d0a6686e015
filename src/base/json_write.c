/* json_write.c - JSON as a stream into a buffer; see json.h.
 *
 *     {                    depth 1
 *       "ids": [           depth 2; need_comma is off until something is on this level
 *         1,
 *         2
 *       ],                 after an end, need_comma is on again for the level outside
 *       "none": []
 *     }
 */
#include "base/json.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"

enum { LEVELS = sizeof((cv_json_writer *)0)->objects * 8, BLOCK = 4096, MOST_ESCAPED = sizeof "\\u001f" - 1 };

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

/* What follows the backslash; 0: the byte stands as it is. */
static const char escapes[256] = {
    'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'b', 't', 'n', 'u', 'f', 'r', 'u', 'u',         'u',
    'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', ['"'] = '"', ['\\'] = '\\',
};

enum { WORD = sizeof(uint64_t) };

/* Eight bytes, the first one lowest. */
static inline uint64_t word_at(const char *p)
{
    uint64_t word;
    memcpy(&word, p, WORD);
    return le64toh(word);
}

static const uint64_t EACH = UINT64_C(0x0101010101010101);

/* Marks the highest bit of each byte that is escaped. A borrow spoils only bytes above such a one: the lowest mark is
 * exact, and there is one if and only if there is such a byte. */
static inline uint64_t mark_escapes(uint64_t word)
{
    uint64_t quote = word ^ EACH * '"', slash = word ^ EACH * '\\';
    uint64_t below = (word - EACH * 0x20) & ~word; /* … a space */
    return (below | ((quote - EACH) & ~quote) | ((slash - EACH) & ~slash)) & EACH * 0x80;
}

/* All of fewer than eight bytes, some of them twice, and letters in the place of the rest. */
static inline uint64_t short_word(const char *p, size_t n)
{
    uint32_t first, last;
    if (n >= sizeof first) {
        memcpy(&first, p, sizeof first);
        memcpy(&last, p + n - sizeof last, sizeof last);
        return first | (uint64_t)last << 32;
    }
    uint64_t word = EACH * 'a';
    for (size_t i = 0; i < n; i++)
        word = word << 8 | (unsigned char)p[i];
    return word;
}

/* Does every byte stand as it is? Those of `also`, a set of bits of a byte, count as if they did not. */
static inline bool stand_all(cv_str s, unsigned char also)
{
    const char *p = s.p, *end = s.p + s.n;
    for (; end - p >= WORD; p += WORD)
        if (mark_escapes(word_at(p)) | (word_at(p) & EACH * also))
            return false;
    uint64_t rest = s.n >= WORD ? word_at(end - WORD) : short_word(s.p, s.n); /* the last ones once more */
    return (mark_escapes(rest) | (rest & EACH * also)) == 0;
}

static bool is_plain(cv_str s)
{
    return stand_all(s, 0);
}

/* … and is UTF-8 without being looked at again. */
static bool is_plain_ascii(cv_str s)
{
    return stand_all(s, 0x80);
}

static size_t escaped_size(cv_str s)
{
    size_t size = s.n;
    for (size_t i = 0; i < s.n; i++) {
        char escape = escapes[(unsigned char)s.p[i]];
        size += escape == 0 ? 0 : escape == 'u' ? 5 : 1;
    }
    return size;
}

/* A byte that is escaped. Returns where it ends. */
static inline char *write_escape(char *to, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    to[0] = '\\';
    to[1] = escapes[c];
    if (to[1] != 'u')
        return to + 2;
    const char digits[] = {'0', '0', hex[c >> 4], hex[c & 15]};
    memcpy(to + 2, digits, sizeof digits);
    return to + 2 + sizeof digits;
}

/* A word is copied whole, also when a byte of it is escaped: then there is room for it. */
static char *write_escaped(char *to, cv_str s)
{
    const char *p = s.p, *end = s.p + s.n;
    while (end - p >= WORD) {
        uint64_t marks = mark_escapes(word_at(p));
        size_t plain = marks ? (size_t)__builtin_ctzll(marks) / 8 : WORD;
        memcpy(to, p, WORD);
        to += plain;
        p += plain;
        if (marks)
            to = write_escape(to, (unsigned char)*p++);
    }
    for (; p < end; p++)
        if (escapes[(unsigned char)*p])
            to = write_escape(to, (unsigned char)*p);
        else
            *to++ = *p;
    return to;
}

/* Keys and most values are short and have nothing to escape. */
static void add_plain(cv_buf *out, cv_str s)
{
    char *to = cv_buf_extend(out, s.n + 2);
    if (!to)
        return;
    to[0] = to[s.n + 1] = '"';
    if (s.n)
        memcpy(to + 1, s.p, s.n);
}

/* In blocks, so that what flows into a sink needs no more memory than they do. How much room a block needs is counted
 * only where there is not enough for any block of its length. */
static void add_escaped(cv_buf *out, cv_str s)
{
    while (s.n > 0) {
        cv_str block = cv_str_head(s, BLOCK);
        bool ample = MOST_ESCAPED * block.n <= out->capacity - out->n;
        char *to = cv_buf_extend(out, ample ? MOST_ESCAPED * block.n : escaped_size(block));
        if (!to)
            return;
        out->n = (size_t)(write_escaped(to, block) - out->p);
        s = cv_str_from(s, block.n);
    }
}

/* JSON is UTF-8, and the name of a file need not be: each byte that is not becomes U+FFFD. */
static void add_quoted(cv_buf *out, cv_str s)
{
    if (s.n <= BLOCK && is_plain_ascii(s)) {
        add_plain(out, s);
        return;
    }
    size_t valid = cv_utf8_valid(s);
    if (valid == s.n && s.n <= BLOCK && is_plain(s)) {
        add_plain(out, s);
        return;
    }
    cv_buf_add_char(out, '"');
    for (;; valid = cv_utf8_valid(s)) {
        add_escaped(out, cv_str_head(s, valid));
        if (valid == s.n)
            break;
        cv_buf_add_z(out, "\xEF\xBF\xBD");
        s = cv_str_from(s, valid + 1);
    }
    cv_buf_add_char(out, '"');
}

static void end_key(cv_json_writer *w)
{
    cv_buf_add_char(w->out, ':');
    if (w->indent)
        cv_buf_add_char(w->out, ' ');
    w->after_key = true;
}

void cv_json_key(cv_json_writer *w, cv_str key)
{
    assert(in_object(w) && !w->after_key);
    separate(w);
    add_quoted(w->out, key);
    end_key(w);
}

void cv_json_key_word(cv_json_writer *w, cv_str key)
{
    assert(in_object(w) && !w->after_key);
    separate(w);
    if (is_plain(key))
        add_plain(w->out, key);
    else
        add_quoted(w->out, key);
    end_key(w);
}

void cv_json_str(cv_json_writer *w, cv_str value)
{
    before_value(w);
    add_quoted(w->out, value);
}

void cv_json_int(cv_json_writer *w, int64_t value)
{
    char room[CV_INT_DIGITS];
    cv_json_raw(w, cv_str_of_int(value, room));
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

static int by_key(const void *x, const void *y)
{
    const cv_json_member *const *a = x, *const *b = y;
    return cv_str_order((*a)->key, (*b)->key);
}

/* Most objects are small. */
static void sort_members(const cv_json_member **members, size_t count)
{
    enum { SMALL = 16 };
    if (count > SMALL) {
        qsort(members, count, sizeof *members, by_key);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const cv_json_member *one = members[i];
        size_t at = i;
        for (; at > 0 && cv_str_order(members[at - 1]->key, one->key) > 0; at--)
            members[at] = members[at - 1];
        members[at] = one;
    }
}

void cv_json_canonical(cv_json_writer *w, cv_arena *a, const cv_json *value)
{
    if (value->type == CV_JSON_ARRAY) {
        cv_json_begin_array(w);
        for (uint32_t i = 0; i < value->count; i++)
            cv_json_canonical(w, a, &value->items[i]);
        cv_json_end_array(w);
    } else if (value->type == CV_JSON_OBJECT) {
        const cv_json_member **sorted = CV_NEW_ARRAY(a, value->count, const cv_json_member *);
        for (uint32_t i = 0; i < value->count; i++)
            sorted[i] = &value->members[i];
        sort_members(sorted, value->count);
        cv_json_begin_object(w);
        for (uint32_t i = 0; i < value->count; i++) {
            cv_json_key(w, sorted[i]->key);
            cv_json_canonical(w, a, &sorted[i]->value);
        }
        cv_json_end_object(w);
    } else
        cv_json_value(w, value);
}

static cv_str canonical(cv_arena *a, const cv_json *value)
{
    cv_buf text = {0};
    cv_json_canonical(&(cv_json_writer){.out = &text}, a, value);
    return cv_buf_take(&text, a);
}

bool cv_json_is_equal(cv_arena *a, const cv_json *x, const cv_json *y)
{
    return cv_str_eq(canonical(a, x), canonical(a, y));
}

void cv_json_strs(cv_json_writer *w, const cv_str *items, size_t count)
{
    cv_json_begin_array(w);
    for (size_t i = 0; i < count; i++)
        cv_json_str(w, items[i]);
    cv_json_end_array(w);
}

void cv_json_key_strs(cv_json_writer *w, const char *key, const cv_str *items, size_t count)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_strs(w, items, count);
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
