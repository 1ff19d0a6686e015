/* json_check.c - is a text one JSON value? Without a tree and without memory; see json.h.
 *
 * For JSON that is kept as text and passed on as text: columns of the record. Each function moves the cursor behind
 * what it has read; the same rules as json.c, except that a key may come twice.
 */
#include "base/json.h"
#include "base/utf8.h"

typedef struct {
    const char *p, *end;
    size_t depth; /* that is left */
} cursor;

static bool next_is(cursor *c, char wanted)
{
    if (c->p == c->end || *c->p != wanted)
        return false;
    c->p++;
    return true;
}

static void skip_blanks(cursor *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' || *c->p == '\n' || *c->p == '\r'))
        c->p++;
}

/* \uXXXX behind its backslash and u: the code, or -1. */
static int32_t hex4(cursor *c)
{
    int32_t code = 0;
    for (int i = 0; i < 4; i++, c->p++) {
        char digit = c->p < c->end ? cv_lower(*c->p) : '\0';
        if (!cv_is_digit(digit) && !(digit >= 'a' && digit <= 'f'))
            return -1;
        code = code * 16 + (cv_is_digit(digit) ? digit - '0' : digit - 'a' + 10);
    }
    return code;
}

/* Behind the backslash. */
static bool escape(cursor *c)
{
    char kind = c->p < c->end ? *c->p++ : '\0';
    if (kind != 'u')
        return kind && strchr("\"\\/bfnrt", kind);
    int32_t code = hex4(c);
    if (code < 0xD800 || code > 0xDFFF)
        return code >= 0;
    if (code > 0xDBFF || !next_is(c, '\\') || !next_is(c, 'u'))
        return false;
    code = hex4(c);
    return code >= 0xDC00 && code <= 0xDFFF;
}

static bool string(cursor *c)
{
    if (!next_is(c, '"'))
        return false;
    while (c->p < c->end && *c->p != '"') {
        if ((unsigned char)*c->p < 0x20)
            return false;
        if (*c->p++ == '\\' && !escape(c))
            return false;
    }
    return next_is(c, '"');
}

static bool digits(cursor *c)
{
    const char *from = c->p;
    while (c->p < c->end && cv_is_digit(*c->p))
        c->p++;
    return c->p > from;
}

static bool number(cursor *c)
{
    next_is(c, '-');
    if (!next_is(c, '0') && !digits(c))
        return false;
    if (next_is(c, '.') && !digits(c))
        return false;
    if (!next_is(c, 'e') && !next_is(c, 'E'))
        return true;
    if (!next_is(c, '+'))
        next_is(c, '-');
    return digits(c);
}

static bool word(cursor *c, cv_str wanted)
{
    if (!cv_str_starts(cv_str_range(c->p, c->end), wanted))
        return false;
    c->p += wanted.n;
    return true;
}

static bool value(cursor *c);

/* The items of an array, or the members of an object, behind its bracket. */
static bool items(cursor *c, bool object)
{
    char close = object ? '}' : ']';
    if (c->depth-- == 0)
        return false;
    skip_blanks(c);
    for (bool first = true; !(first && next_is(c, close)); first = false) {
        skip_blanks(c);
        if (object && !string(c))
            return false;
        skip_blanks(c);
        if ((object && !next_is(c, ':')) || !value(c))
            return false;
        if (next_is(c, close))
            break;
        if (!next_is(c, ','))
            return false;
    }
    c->depth++;
    return true;
}

/* With the blanks around it. */
static bool value(cursor *c)
{
    bool ok;
    skip_blanks(c);
    if (next_is(c, '{'))
        ok = items(c, true);
    else if (next_is(c, '['))
        ok = items(c, false);
    else if (c->p < c->end && *c->p == '"')
        ok = string(c);
    else
        ok = word(c, CV_STR("true")) || word(c, CV_STR("false")) || word(c, CV_STR("null")) || number(c);
    skip_blanks(c);
    return ok;
}

bool cv_json_is_valid(cv_str text, size_t depth)
{
    cursor c = {text.p, cv_str_end(text), depth};
    return text.n > 0 && cv_utf8_valid(text) == text.n && value(&c) && c.p == c.end;
}
