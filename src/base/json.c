/* json.c - strict JSON into a tree in the arena; see json.h.
 *
 *     text    {"ids": [1, 2], "ok": true}
 *     scratch | "ids": . | 1 | 2 |            open containers push their children here …
 *     arena   [1, 2]  {ids, ok}               … and move them out in one piece when they close
 *
 * One pass, recursive down to CV_MAX_JSON_DEPTH. A string is scanned eight bytes at a time; it is copied only when
 * it has escapes. Keys are compared when their object closes: few of them each with each, many of them by the
 * bucket of their hash, and a crowded bucket by sorting, so that no choice of keys makes it quadratic.
 * Line and column are counted only for the error that is reported.
 */
#include "base/json.h"

#include <assert.h>
#include <limits.h>
#include <stdalign.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"

enum {
    FIRST_SCRATCH = 8 << 10, /* on the stack: small requests need no further memory */
    FEW_KEYS = 12,           /* up to here comparing each with each is quickest */
    WORD = 8,                /* bytes looked at in one step */
    EXCERPT = 40,            /* bytes of the text repeated in a message */
};

typedef struct {
    cv_arena *arena;
    cv_err *err;
    const char *begin;
    const char *p; /* the next byte */
    const char *end;
    int depth;
    char *scratch; /* children of the open containers, a stack */
    size_t top;
    size_t room;
    char *heap; /* the scratch once it has outgrown the first one */
} reader;

static bool read_value(reader *r, cv_json *ret);

/* ---- places and refusals --------------------------------------------------------------------- */

static void count_place(const char *begin, const char *at, size_t *ret_line, size_t *ret_column)
{
    assert(begin <= at);
    *ret_line = *ret_column = 1;
    cv_utf8_advance(cv_str_range(begin, at), ret_line, ret_column);
}

/* Completes the error just set with its place and what to do; always false. */
static bool refuse_at(reader *r, const char *at, const char *suggestion)
{
    assert(r->err->code && r->begin <= at && at <= r->end && "an error was set, and it is in the text");
    count_place(r->begin, at, &r->err->line, &r->err->column);
    cv_err_suggest(r->err, cv_str_of(suggestion));
    return false;
}

static bool refuse_utf8(reader *r, const char *at)
{
    cv_err_set(r->err, CV_ERR_NOT_UTF8, "expected UTF-8, found the byte 0x%02x", (unsigned)(unsigned char)*at);
    return refuse_at(r, at, "save the text as UTF-8");
}

/* A word or a single code point: what a message calls "found". Empty at the end of the text. */
static cv_str token_at(const reader *r, const char *at)
{
    const char *p = at;
    while (p < r->end && p - at < EXCERPT && (cv_is_alnum(*p) || *p == '_'))
        p++;
    if (p == at && p < r->end)
        p += (unsigned char)*p < 0x80 ? 1 : cv_utf8_first(cv_str_range(p, r->end));
    return cv_str_range(at, p);
}

/* The last byte before `at` that is not white space; 0 at the beginning. */
static char byte_before(const reader *r, const char *at)
{
    while (at > r->begin && cv_is_space(at[-1]))
        at--;
    return at > r->begin ? at[-1] : 0;
}

/* What people write when they mean JSON; words in any case. */
static const struct {
    cv_str found;
    const char *hint;
} slips[] = {
    {CV_STR_INIT("/"), "JSON has no comments"},
    {CV_STR_INIT("#"), "JSON has no comments"},
    {CV_STR_INIT("'"), "use double quotes"},
    {CV_STR_INIT("`"), "use double quotes"},
    {CV_STR_INIT("\u201c"), "use straight double quotes"},
    {CV_STR_INIT("\u201d"), "use straight double quotes"},
    {CV_STR_INIT("\u00a0"), "use a plain space"},
    {CV_STR_INIT("+"), "remove the plus sign"},
    {CV_STR_INIT("."), "write a digit before the point"},
    {CV_STR_INIT("="), "use ':' between key and value"},
    {CV_STR_INIT(";"), "use ',' between values"},
    {CV_STR_INIT("true"), "write true in lower case"},
    {CV_STR_INIT("false"), "write false in lower case"},
    {CV_STR_INIT("null"), "write null in lower case"},
    {CV_STR_INIT("none"), "write null"},
    {CV_STR_INIT("nil"), "write null"},
    {CV_STR_INIT("undefined"), "write null"},
    {CV_STR_INIT("nan"), "JSON has no NaN; write null"},
    {CV_STR_INIT("infinity"), "JSON has no infinity; write null"},
};

/* Does the text begin as YAML does: with "- ", "---" or "key:"? */
static bool begins_as_yaml(const reader *r, cv_str found)
{
    const char *behind = found.p + found.n;
    if (found.p > r->begin && found.p[-1] == '-')
        return byte_before(r, found.p - 1) == 0 && found.n && (*found.p == ' ' || *found.p == '-');
    return byte_before(r, found.p) == 0 && found.n && cv_is_alnum(*found.p) && behind < r->end && *behind == ':';
}

static const char *hint_for(const reader *r, const char *expected, cv_str found)
{
    char first = found.n ? found.p[0] : 0;
    char before = byte_before(r, found.p);
    bool wants_key = cv_str_starts(cv_str_of(expected), CV_STR("a key"));
    bool wants_comma = cv_str_starts(cv_str_of(expected), CV_STR("','"));
    if ((first == ']' || first == '}') && before == ',')
        return "remove the trailing comma";
    if (first == ',' && (before == ',' || before == '[' || before == '{'))
        return "remove the extra comma";
    if (wants_key && (cv_is_alnum(first) || first == '_'))
        return "put the key in double quotes";
    bool apart = found.p > r->begin && !cv_is_alnum(found.p[-1]); /* not the rest of something like 0x10 */
    if (wants_comma && apart && (first == '"' || first == '{' || first == '[' || first == '-' || cv_is_alnum(first)))
        return "put a comma between them";
    if (begins_as_yaml(r, found))
        return "it looks like YAML: write JSON";
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++)
        if (cv_str_eq_nocase(found, slips[i].found))
            return slips[i].hint;
    return NULL;
}

/* "expected …, found …" at the next byte. */
static bool refuse(reader *r, const char *expected)
{
    const char *at = r->p;
    unsigned char c = at < r->end ? (unsigned char)*at : 0;
    cv_str found = token_at(r, at);
    if (at == r->end)
        cv_err_set(r->err, CV_ERR_JSON, "expected %s, found the end of the text", expected);
    else if (c >= 0x80 && found.n == 0)
        return refuse_utf8(r, at);
    else if (c < 0x20 || c == 0x7F)
        cv_err_set(r->err, CV_ERR_JSON, "expected %s, found the control character U+%04X", expected, (unsigned)c);
    else
        cv_err_set(r->err, CV_ERR_JSON, "expected %s, found '%.*s'", expected, CV_FMT(found));
    return refuse_at(r, at, hint_for(r, expected, found));
}

/* ---- scratch --------------------------------------------------------------------------------- */

/* The top of the stack with room for `size` bytes; nothing is pushed yet. */
static void *scratch_reserve(reader *r, size_t size)
{
    assert(r->top <= r->room && r->room >= FIRST_SCRATCH);
    if (size <= r->room - r->top)
        return r->scratch + r->top;
    size_t room = r->room;
    while (room - r->top < size)
        room *= 2;
    char *grown = realloc(r->heap, room);
    if (!grown)
        cv_out_of_memory(room);
    if (!r->heap)
        memcpy(grown, r->scratch, r->room); /* all of it: a string may be growing above the top */
    r->heap = r->scratch = grown;
    r->room = room;
    return r->scratch + r->top;
}

static void scratch_push(reader *r, const void *thing, size_t size)
{
    memcpy(scratch_reserve(r, size), thing, size);
    r->top += size;
}

/* Moves everything above `mark` into the arena. */
static void *scratch_take(reader *r, size_t mark)
{
    assert(mark <= r->top && "a list closes above its own beginning");
    size_t size = r->top - mark;
    r->top = mark;
    return size ? memcpy(cv_arena_alloc(r->arena, size), r->scratch + mark, size) : NULL;
}

/* ---- strings --------------------------------------------------------------------------------- */

#define EACH_BYTE(c) (UINT64_C(0x0101010101010101) * (c))

/* Eight bytes, the first one lowest. */
static inline uint64_t load_word(const char *p)
{
    uint64_t word;
    memcpy(&word, p, WORD);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Marks the bytes a string does not simply contain: quotes, backslashes, control characters and what is not ASCII.
 * Each subtraction borrows into the top bit of a byte that is a hit; a borrow spoils only bytes above a hit, so the
 * lowest mark is exact. */
static inline uint64_t mark_stops(uint64_t w)
{
    uint64_t quote = (w ^ EACH_BYTE('"')) - EACH_BYTE(1);
    uint64_t backslash = (w ^ EACH_BYTE('\\')) - EACH_BYTE(1);
    return (quote | backslash | (w - EACH_BYTE(0x20)) | w) & EACH_BYTE(0x80);
}

static inline bool is_stop(char c)
{
    return (unsigned char)c < 0x20 || (unsigned char)c >= 0x80 || c == '"' || c == '\\';
}

static inline size_t lowest_mark(uint64_t marks)
{
    return (size_t)__builtin_ctzll(marks) / 8;
}

/* The first stop, or the end of the text. */
static inline const char *plain_end(const char *p, const char *end)
{
    for (; end - p >= WORD; p += WORD) {
        uint64_t stops = mark_stops(load_word(p));
        if (stops)
            return p + lowest_mark(stops);
    }
    while (p < end && !is_stop(*p))
        p++;
    return p;
}

/* Copies up to a word of what is before the next stop; fewer than a word: there it is. May write a whole word. */
static inline size_t copy_plain(const char *p, const char *end, char *to)
{
    if (end - p >= WORD) {
        uint64_t stops = mark_stops(load_word(p));
        memcpy(to, p, WORD);
        return stops ? lowest_mark(stops) : WORD;
    }
    size_t n = 0;
    for (; p + n < end && !is_stop(p[n]); n++)
        to[n] = p[n];
    return n;
}

/* Four hex digits, or -1. */
static int32_t hex4(const char *p, const char *end)
{
    if (end - p < 4)
        return -1;
    int32_t code = 0;
    for (int i = 0; i < 4; i++) {
        char c = cv_lower(p[i]);
        if (!cv_is_digit(c) && !(c >= 'a' && c <= 'f'))
            return -1;
        code = code * 16 + (cv_is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    return code;
}

/* The escape at `p` as bytes in `to`: how many, or 0 when it is none. *ret_used: its length in the text. */
static size_t read_escape(const char *p, const char *end, char to[4], size_t *ret_used)
{
    static const char bytes[UCHAR_MAX + 1] = {
        ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};
    if (end - p < 2)
        return 0;
    if (p[1] != 'u') {
        to[0] = bytes[(unsigned char)p[1]];
        *ret_used = 2;
        return to[0] != 0;
    }
    int32_t code = hex4(p + 2, end);
    *ret_used = 6;
    if (code >= 0xD800 && code <= 0xDBFF && end - p >= 12 && p[6] == '\\' && p[7] == 'u') {
        int32_t low = hex4(p + 8, end);
        if (low < 0xDC00 || low > 0xDFFF)
            return 0;
        *ret_used = 12;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    return code < 0 || (code >= 0xD800 && code <= 0xDFFF) ? 0 : cv_utf8_put((uint32_t)code, to);
}

size_t cv_json_escape(cv_str at, char to[4], size_t *ret_used)
{
    return read_escape(at.p, cv_str_end(at), to, ret_used);
}

static bool refuse_escape(reader *r, const char *at)
{
    bool is_hex = at + 1 < r->end && at[1] == 'u';
    r->p = at + (is_hex ? 2 : 1);
    if (!is_hex || hex4(r->p, r->end) < 0) {
        refuse(r, is_hex ? "four hex digits after \\u" : "one of \" \\ / b f n r t u after '\\'");
        if (r->err->code == CV_ERR_JSON)
            cv_err_suggest(r->err, CV_STR("write \\\\ for a backslash"));
        return false;
    }
    bool low = cv_lower(r->p[1]) >= 'c';
    cv_err_set(r->err, CV_ERR_JSON, "expected a pair of surrogates, found only the %s half \\u%.4s",
               low ? "second" : "first", r->p);
    return refuse_at(r, at, "write the character itself, or both halves as \\ud8..\\udc..");
}

static bool refuse_control(reader *r, const char *at)
{
    static const char *const hints[0x20] = {['\b'] = "write \\b instead",
                                            ['\f'] = "write \\f instead",
                                            ['\n'] = "close the string, or write \\n for a line break in it",
                                            ['\r'] = "write \\r instead",
                                            ['\t'] = "write \\t instead"};
    unsigned char c = (unsigned char)*at;
    cv_err_set(r->err, CV_ERR_JSON, "expected an escape or '\"', found the control character U+%04X in a string",
               (unsigned)c);
    return refuse_at(r, at, hints[c] ? hints[c] : "write it as \\u and four hex digits");
}

static bool refuse_unclosed(reader *r)
{
    cv_err_set(r->err, CV_ERR_JSON, "expected '\"' to close this string, found the end of the text");
    return refuse_at(r, r->p, NULL);
}

/* What stops at `p` inside a string, if it may be there: as bytes in `to`. Returns how many, or 0 for an error. */
static inline size_t read_stop(reader *r, const char *p, char to[4], size_t *ret_used)
{
    size_t n;
    if (*p == '\\') {
        n = read_escape(p, r->end, to, ret_used);
        return n ? n : refuse_escape(r, p);
    }
    if ((unsigned char)*p < 0x20)
        return refuse_control(r, p);
    *ret_used = n = cv_utf8_first(cv_str_range(p, r->end));
    memcpy(to, p, n);
    return n ? n : refuse_utf8(r, p);
}

/* A string whose first escape is at `p`: resolved above the top of the scratch, then copied into the arena. */
static bool read_escaped(reader *r, const char *p, cv_str *ret)
{
    const char *begin = r->p + 1, *end = r->end;
    size_t n = (size_t)(p - begin), used = 0;
    char *to = scratch_reserve(r, n + 2 * WORD);
    memcpy(to, begin, n);
    for (;;) {
        if (r->room - r->top - n < 2 * WORD)
            to = scratch_reserve(r, n + 2 * WORD);
        size_t plain = copy_plain(p, end, to + n);
        n += plain;
        p += plain;
        if (plain == WORD)
            continue;
        if (p == end)
            return refuse_unclosed(r);
        if (*p == '"')
            break;
        size_t bytes = read_stop(r, p, to + n, &used);
        if (bytes == 0)
            return false;
        n += bytes;
        p += used;
    }
    r->p = p + 1;
    *ret = cv_arena_copy(r->arena, (cv_str){to, n});
    return true;
}

/* From the opening quote to behind the closing one. */
static bool read_string(reader *r, cv_str *ret)
{
    const char *begin = r->p + 1, *p = begin, *end = r->end;
    while ((p = plain_end(p, end)) < end && *p != '"') {
        if (*p == '\\')
            return read_escaped(r, p, ret);
        if ((unsigned char)*p < 0x20)
            return refuse_control(r, p);
        for (size_t n; p < end && (unsigned char)*p >= 0x80; p += n)
            if ((n = cv_utf8_first(cv_str_range(p, end))) == 0)
                return refuse_utf8(r, p);
    }
    if (p == end)
        return refuse_unclosed(r);
    r->p = p + 1;
    *ret = cv_str_range(begin, p);
    return true;
}

/* ---- duplicate keys -------------------------------------------------------------------------- */

typedef const cv_json_member *member_ref;

/* The pair whose second half stands earliest in the text; all NULL: there is none. */
typedef struct {
    member_ref first, again;
} key_pair;

static void note_pair(key_pair *pair, member_ref first, member_ref again)
{
    if (cv_str_eq(first->key, again->key) && (!pair->again || again < pair->again))
        *pair = (key_pair){first, again};
}

/* By bytes; equal keys in the order of the text. */
static int compare_keys(const void *x, const void *y)
{
    member_ref a = *(const member_ref *)x, b = *(const member_ref *)y;
    size_t n = a->key.n < b->key.n ? a->key.n : b->key.n;
    int order = n ? memcmp(a->key.p, b->key.p, n) : 0;
    if (order == 0)
        order = (a->key.n > b->key.n) - (a->key.n < b->key.n);
    return order ? order : (a > b) - (a < b);
}

/* Keys of one bucket, in the order of the text. */
static void search_bucket(member_ref *refs, size_t count, key_pair *pair)
{
    if (count <= FEW_KEYS) {
        for (size_t j = 1; j < count; j++)
            for (size_t i = 0; i < j; i++)
                note_pair(pair, refs[i], refs[j]);
        return;
    }
    qsort(refs, count, sizeof *refs, compare_keys);
    for (size_t i = 1; i < count; i++)
        note_pair(pair, refs[i - 1], refs[i]);
}

/* Many keys: a counting sort by hash, then bucket by bucket. */
static key_pair search_many(reader *r, const cv_json *object)
{
    size_t n = object->count, buckets = 16;
    while (buckets < n)
        buckets *= 2;
    /* refs[n], then hashes[n], then ends[buckets + 1] */
    member_ref *refs = scratch_reserve(r, n * (sizeof *refs + sizeof(uint32_t)) + (buckets + 1) * sizeof(uint32_t));
    uint32_t *hashes = (uint32_t *)(void *)(refs + n), *ends = hashes + n;
    memset(ends, 0, (buckets + 1) * sizeof *ends);
    for (size_t i = 0; i < n; i++) {
        hashes[i] = (uint32_t)(cv_str_hash(object->members[i].key) & (buckets - 1));
        ends[hashes[i] + 1]++;
    }
    for (size_t b = 1; b <= buckets; b++)
        ends[b] += ends[b - 1];
    for (size_t i = 0; i < n; i++)
        refs[ends[hashes[i]]++] = &object->members[i];
    key_pair pair = {NULL, NULL};
    for (size_t b = 0, start = 0; b < buckets; start = ends[b++])
        search_bucket(refs + start, ends[b] - start, &pair);
    return pair;
}

/* The opening quote of a member's key. Inside a string every quote has a backslash before it, the opening one never. */
static const char *key_begin(const reader *r, member_ref member, const char **ret_end)
{
    const char *p = r->begin + member->value.offset;
    while (*--p != '"')
        continue;
    *ret_end = p;
    for (p--; *p != '"' || p[-1] == '\\'; p--)
        continue;
    return p;
}

static bool refuse_duplicate(reader *r, key_pair pair)
{
    const char *end, *at;
    size_t line, column;
    count_place(r->begin, key_begin(r, pair.first, &end), &line, &column);
    at = key_begin(r, pair.again, &end);
    cv_str raw = cv_str_range(at + 1, end); /* as written: no control characters in the message */
    cv_err_set(r->err, CV_ERR_DUPLICATE_KEY, "expected each key once, found \"%.*s\" again (first in line %zu)",
               CV_FMT(cv_utf8_excerpt(r->err->arena, raw, EXCERPT)), line);
    cv_err_field(r->err, pair.again->key);
    return refuse_at(r, at, "remove one of the two");
}

static bool check_keys(reader *r, const cv_json *object)
{
    key_pair pair = {NULL, NULL};
    if (object->count > FEW_KEYS)
        pair = search_many(r, object);
    else
        for (uint32_t j = 1; j < object->count; j++)
            for (uint32_t i = 0; i < j; i++)
                note_pair(&pair, &object->members[i], &object->members[j]);
    return !pair.again || refuse_duplicate(r, pair);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Line breaks and spaces come as one of the former and a run of the latter: the run goes by words. */
static inline void skip_space(reader *r)
{
    const char *p = r->p, *end = r->end;
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) {
        p++;
        if (end - p < WORD)
            continue;
        uint64_t others = load_word(p) ^ EACH_BYTE(' ');
        p += others ? lowest_mark(others) : WORD;
    }
    r->p = p;
}

/* White space, then `c`: steps over it when it is there. */
static inline bool accept(reader *r, char c)
{
    skip_space(r);
    if (r->p == r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

static bool read_array(reader *r, cv_json *ret)
{
    size_t mark = r->top;
    if (accept(r, ']'))
        return true;
    for (;;) {
        cv_json item;
        skip_space(r);
        if (!read_value(r, &item))
            return false;
        scratch_push(r, &item, sizeof item);
        if (accept(r, ']'))
            break;
        if (!accept(r, ','))
            return refuse(r, "',' or ']' after a value");
    }
    ret->count = (uint32_t)((r->top - mark) / sizeof(cv_json));
    ret->items = scratch_take(r, mark);
    return true;
}

static bool read_member(reader *r, const char *expected_key, cv_json_member *ret)
{
    skip_space(r);
    if (r->p == r->end || *r->p != '"')
        return refuse(r, expected_key);
    if (!read_string(r, &ret->key))
        return false;
    if (!accept(r, ':'))
        return refuse(r, "':' after a key");
    skip_space(r);
    return read_value(r, &ret->value);
}

static bool read_object(reader *r, cv_json *ret)
{
    size_t mark = r->top;
    const char *expected_key = "a key in double quotes or '}'";
    if (accept(r, '}'))
        return true;
    for (;;) {
        cv_json_member member;
        if (!read_member(r, expected_key, &member))
            return false;
        scratch_push(r, &member, sizeof member);
        if (accept(r, '}'))
            break;
        if (!accept(r, ','))
            return refuse(r, "',' or '}' after a value");
        expected_key = "a key in double quotes after ','";
    }
    ret->count = (uint32_t)((r->top - mark) / sizeof(cv_json_member));
    ret->members = scratch_take(r, mark);
    return check_keys(r, ret);
}

static bool read_nested(reader *r, cv_json *ret)
{
    if (r->depth == CV_MAX_JSON_DEPTH) {
        cv_err_set(r->err, CV_ERR_TOO_LARGE, "arrays and objects are nested deeper than %d levels",
                   (int)CV_MAX_JSON_DEPTH);
        return refuse_at(r, r->p, "nest less deeply");
    }
    r->depth++;
    bool ok = *r->p++ == '[' ? read_array(r, ret) : read_object(r, ret);
    r->depth--;
    return ok;
}

static bool read_digits(reader *r, const char *expected)
{
    if (r->p == r->end || !cv_is_digit(*r->p))
        return refuse(r, expected);
    while (r->p < r->end && cv_is_digit(*r->p))
        r->p++;
    return true;
}

static bool read_number(reader *r, cv_str *ret)
{
    const char *begin = r->p, *end = r->end;
    if (*r->p == '-')
        r->p++;
    const char *digits = r->p;
    if (!read_digits(r, "a digit after '-'"))
        return false;
    if (*digits == '0' && r->p - digits > 1) {
        cv_err_set(r->err, CV_ERR_JSON, "expected a number without leading zeros, found '%.*s'",
                   r->p - begin > EXCERPT ? (int)EXCERPT : (int)(r->p - begin), begin);
        return refuse_at(r, begin, "remove the leading zeros, or write a string");
    }
    if (r->p < end && *r->p == '.') {
        r->p++;
        if (!read_digits(r, "a digit after '.'"))
            return false;
    }
    if (r->p < end && (*r->p == 'e' || *r->p == 'E')) {
        r->p++;
        if (r->p < end && (*r->p == '+' || *r->p == '-'))
            r->p++;
        if (!read_digits(r, "a digit in the exponent"))
            return false;
    }
    *ret = cv_str_range(begin, r->p);
    return true;
}

static bool read_word(reader *r, cv_json *ret)
{
    static const cv_str words[] = {
        [CV_JSON_NULL] = CV_STR_INIT("null"),
        [CV_JSON_FALSE] = CV_STR_INIT("false"),
        [CV_JSON_TRUE] = CV_STR_INIT("true"),
    };
    cv_str found = token_at(r, r->p);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (cv_str_eq(found, words[i])) {
            ret->type = (cv_json_type)i;
            r->p += found.n;
            return true;
        }
    return refuse(r, byte_before(r, r->p) == ',' ? "a value after ','" : "a value");
}

/* The value at the next byte, which is not white space. */
static bool read_value(reader *r, cv_json *ret)
{
    *ret = (cv_json){.offset = (uint32_t)(r->p - r->begin)};
    char c = r->p < r->end ? *r->p : 0;
    switch (c) {
    case '"':
        ret->type = CV_JSON_STRING;
        return read_string(r, &ret->text);
    case '{':
        ret->type = CV_JSON_OBJECT;
        return read_nested(r, ret);
    case '[':
        ret->type = CV_JSON_ARRAY;
        return read_nested(r, ret);
    default:
        if (c != '-' && !cv_is_digit(c))
            return read_word(r, ret);
        ret->type = CV_JSON_NUMBER;
        return read_number(r, &ret->text);
    }
}

static bool read_document(reader *r, cv_json *ret)
{
    if (cv_str_starts(cv_str_range(r->begin, r->end), CV_STR("\xEF\xBB\xBF"))) {
        cv_err_set(r->err, CV_ERR_JSON, "expected a value, found a byte order mark (U+FEFF)");
        return refuse_at(r, r->p, "save the text as UTF-8 without a byte order mark");
    }
    skip_space(r);
    if (r->p == r->end) {
        cv_err_set(r->err, CV_ERR_JSON, "expected a value, found an empty text");
        return refuse_at(r, r->p, NULL);
    }
    if (!read_value(r, ret))
        return false;
    skip_space(r);
    return r->p == r->end || refuse(r, "the end of the text after the value");
}

bool cv_json_parse(cv_arena *a, cv_str text, cv_json *ret_value, cv_err *err)
{
    if (text.n > CV_MAX_JSON_BYTES)
        return cv_err_at(err, CV_ERR_TOO_LARGE, 1, 1, "expected at most %zu bytes of JSON, found %zu",
                         CV_MAX_JSON_BYTES, text.n);
    if (text.n == 0)
        text = CV_STR("");
    alignas(max_align_t) char first[FIRST_SCRATCH];
    reader r = {.arena = a,
                .err = err,
                .begin = text.p,
                .p = text.p,
                .end = text.p + text.n,
                .scratch = first,
                .room = sizeof first};
    cv_json value;
    bool ok = read_document(&r, &value);
    free(r.heap);
    if (ok)
        *ret_value = value;
    return ok;
}
