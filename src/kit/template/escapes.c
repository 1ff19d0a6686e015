/* escapes.c - what is between quotes, with Python's escapes as characters. */
#include "base/utf8.h"
#include "kit/template/parts.h"

static const char *put_code(uint32_t code, cv_buf *out)
{
    char bytes[4];
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return "an escape in the text is not a character";
    cv_buf_add(out, (cv_str){bytes, cv_utf8_put(code, bytes)});
    return NULL;
}

/* Up to `most` digits of a base behind the escape; `exactly`: fewer are an error. */
static const char *put_digits(cv_str *rest, int base, size_t most, bool exactly, cv_buf *out)
{
    uint32_t code = 0;
    size_t n = 0;
    for (; n < most && n < rest->n; n++) {
        char c = cv_lower(rest->p[n]);
        int digit = cv_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
        if (digit >= base)
            break;
        code = code * (uint32_t)base + (uint32_t)digit;
    }
    if (exactly && n < most)
        return "an escape in the text has too few digits";
    *rest = cv_str_from(*rest, n);
    return put_code(code, out);
}

/* A backslash before a character that is not ASCII: Jinja makes an escape of the character first, so that the
 * backslash escapes the backslash of that. */
static const char *put_foreign(cv_str *rest, cv_buf *out)
{
    uint32_t code;
    cv_utf8_next(rest, &code);
    cv_buf_printf(out, code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)code);
    return NULL;
}

static const char *put_escape(cv_str *rest, cv_buf *out)
{
    static const char from[] = "\\'\"abfnrtv\n", to[] = "\\'\"\a\b\f\n\r\t\v";
    char c = rest->p[0];
    const char *known = c ? strchr(from, c) : NULL;
    if (known) {
        *rest = cv_str_from(*rest, 1);
        if (*known != '\n') /* a line that goes on */
            cv_buf_add_char(out, to[known - from]);
        return NULL;
    }
    if (c >= '0' && c <= '7')
        return put_digits(rest, 8, 3, false, out);
    if (c == 'x' || c == 'u' || c == 'U') {
        *rest = cv_str_from(*rest, 1);
        return put_digits(rest, 16, c == 'x' ? 2 : c == 'u' ? 4 : 8, true, out);
    }
    if (c == 'N')
        return "the escape \\N{...} is not supported";
    if ((unsigned char)c >= 0x80)
        return put_foreign(rest, out);
    cv_buf_add_char(out, '\\');
    return NULL;
}

const char *cv_t_decode(cv_str raw, cv_buf *out)
{
    const char *trouble = NULL;
    while (raw.n > 0 && !trouble) {
        size_t plain = cv_str_find_char(raw, '\\');
        cv_buf_add(out, cv_str_head(raw, plain));
        if (plain == SIZE_MAX)
            break;
        raw = cv_str_from(raw, plain + 1);
        trouble = put_escape(&raw, out);
    }
    return trouble;
}
