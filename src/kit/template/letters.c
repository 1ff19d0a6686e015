/* letters.c - texts as Python's str has them: characters are code points, letters have cases, white space is Unicode's.
 */
#include <utf8proc.h>

#include "base/utf8.h"
#include "kit/template/parts.h"

/* ---- classes ----------------------------------------------------------------------------------------- */

static bool is_letter(utf8proc_category_t c)
{
    return c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_LO;
}

bool cv_t_is_word(uint32_t code)
{
    if (code < 0x80)
        return cv_is_alnum((char)code) || code == '_';
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)code);
    return is_letter(c) || (c >= UTF8PROC_CATEGORY_ND && c <= UTF8PROC_CATEGORY_NO);
}

bool cv_t_is_printable(uint32_t code)
{
    if (code < 0x7f)
        return code >= ' ';
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)code);
    return c != UTF8PROC_CATEGORY_CN && c < UTF8PROC_CATEGORY_ZS;
}

static bool is_cased(uint32_t code)
{
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)code);
    return c == UTF8PROC_CATEGORY_LU || c == UTF8PROC_CATEGORY_LL || c == UTF8PROC_CATEGORY_LT;
}

/* What a word may have between its letters without being divided by it. */
static bool is_ignorable(uint32_t code)
{
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)code);
    return c == UTF8PROC_CATEGORY_MN || c == UTF8PROC_CATEGORY_ME || c == UTF8PROC_CATEGORY_CF ||
           c == UTF8PROC_CATEGORY_LM || c == UTF8PROC_CATEGORY_SK || code == '\'' || code == '.' || code == ':' ||
           code == 0xb7 || code == 0x2019;
}

bool cv_t_is_cased(cv_str text, bool upper)
{
    bool found = false;
    uint32_t code;
    while (cv_utf8_next(&text, &code)) {
        utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)code);
        if (c == (upper ? UTF8PROC_CATEGORY_LL : UTF8PROC_CATEGORY_LU) || c == UTF8PROC_CATEGORY_LT)
            return false;
        found = found || is_cased(code);
    }
    return found;
}

/* ---- cases ------------------------------------------------------------------------------------------- */

static const struct special {
    uint32_t code;
    const char *upper, *title;
} specials[] = {
#define CASE(code, upper, title) {code, upper, title},
#include "kit/template/special_case.def"
#undef CASE
};

static const struct special *special_of(uint32_t code)
{
    size_t low = 0, high = CV_COUNT(specials);
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (specials[mid].code == code)
            return &specials[mid];
        if (specials[mid].code < code)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

/* A sigma at the end of a word: a letter is before it and none behind it. */
static bool ends_word(cv_str before, cv_str behind)
{
    uint32_t code = 0;
    bool cased = false;
    while (before.n > 0) {
        size_t back = 1;
        while (back < before.n && back < 4 && cv_utf8_continues(before.p[before.n - back]))
            back++;
        cv_str one = cv_str_from(before, before.n - back);
        cv_utf8_next(&one, &code);
        before.n -= back;
        if (is_ignorable(code))
            continue;
        cased = is_cased(code);
        break;
    }
    while (cased && cv_utf8_next(&behind, &code))
        if (!is_ignorable(code))
            return !is_cased(code);
    return cased;
}

static void put(cv_buf *out, uint32_t code)
{
    char bytes[4];
    cv_buf_add(out, (cv_str){bytes, cv_utf8_put(code, bytes)});
}

static void put_case(cv_buf *out, uint32_t code, bool upper, bool title)
{
    const struct special *special = code >= 0x80 && (upper || title) ? special_of(code) : NULL;
    utf8proc_int32_t c = (utf8proc_int32_t)code;
    if (special)
        cv_buf_add_z(out, title ? special->title : special->upper);
    else if (code < 0x80)
        cv_buf_add_char(out, upper || title ? cv_upper((char)code) : cv_lower((char)code));
    else if (code == 0x130 && !upper && !title)
        cv_buf_add_z(out, "i\xcc\x87");
    else
        put(out, (uint32_t)(title ? utf8proc_totitle(c) : upper ? utf8proc_toupper(c) : utf8proc_tolower(c)));
}

bool cv_t_recase(cv_run *run, cv_str text, cv_t_case way, cv_str *ret)
{
    if (!cv_run_bytes(run, text.n * 2))
        return false;
    cv_buf out = {0};
    bool first = true, in_word = false;
    for (cv_str rest = text; rest.n > 0; first = false) {
        const char *from = rest.p;
        uint32_t code;
        cv_utf8_next(&rest, &code);
        bool title = (way == CV_T_CAPITAL && first) || (way == CV_T_TITLE && !in_word);
        if (code == 0x3a3 && way != CV_T_UPPER && !title)
            put(&out, ends_word(cv_str_range(text.p, from), rest) ? 0x3c2 : 0x3c3);
        else
            put_case(&out, code, way == CV_T_UPPER, title);
        in_word = is_cased(code);
    }
    *ret = cv_buf_take(&out, &run->arena);
    return true;
}

/* ---- cutting and changing ---------------------------------------------------------------------------- */

static bool is_in(cv_str one, cv_str set)
{
    return cv_str_find(set, one) != SIZE_MAX;
}

cv_str cv_t_strip(cv_str text, const cv_str *set, bool left, bool right)
{
    while (left && text.n > 0) {
        size_t n = set ? cv_utf8_first(text) : cv_t_space_first(text);
        if (n == 0 || (set && !is_in(cv_str_head(text, n), *set)))
            break;
        text = cv_str_from(text, n);
    }
    while (right && text.n > 0) {
        size_t n = 1;
        while (n < text.n && cv_utf8_continues(text.p[text.n - n]))
            n++;
        if (set ? !is_in(cv_str_from(text, text.n - n), *set) : cv_t_space_last(text) == 0)
            break;
        text.n -= n;
    }
    return text;
}

bool cv_t_escape(cv_run *run, cv_str text, cv_str *ret)
{
    if (!cv_run_bytes(run, text.n * 5))
        return false;
    cv_buf out = {0};
    for (size_t i = 0; i < text.n; i++)
        switch (text.p[i]) {
        case '&':
            cv_buf_add_z(&out, "&amp;");
            break;
        case '<':
            cv_buf_add_z(&out, "&lt;");
            break;
        case '>':
            cv_buf_add_z(&out, "&gt;");
            break;
        case '"':
            cv_buf_add_z(&out, "&#34;");
            break;
        case '\'':
            cv_buf_add_z(&out, "&#39;");
            break;
        default:
            cv_buf_add_char(&out, text.p[i]);
        }
    *ret = cv_buf_take(&out, &run->arena);
    return true;
}

/* An empty `old` is before every character and at the end. */
static bool replace_nothing(cv_run *run, cv_str text, cv_str new_, int64_t most, cv_buf *out)
{
    for (int64_t i = 0;; i++) {
        size_t from = out->n;
        if (i < most || most < 0)
            cv_buf_add(out, new_);
        if (!cv_run_grown(run, out, from))
            return false;
        if (text.n == 0)
            return true;
        size_t n = cv_utf8_first(text);
        cv_buf_add(out, cv_str_head(text, n));
        text = cv_str_from(text, n);
    }
}

bool cv_t_replace(cv_run *run, cv_str text, cv_str old, cv_str new_, int64_t most, cv_str *ret)
{
    cv_buf out = {0};
    bool good = true;
    if (old.n == 0)
        good = replace_nothing(run, text, new_, most, &out);
    else
        for (int64_t i = 0; good; i++) {
            size_t from = out.n;
            size_t found = i < most || most < 0 ? cv_str_find(text, old) : SIZE_MAX;
            cv_buf_add(&out, found == SIZE_MAX ? text : cv_str_head(text, found));
            if (found == SIZE_MAX)
                break;
            cv_buf_add(&out, new_);
            text = cv_str_from(text, found + old.n);
            good = cv_run_step(run, 1) && cv_run_grown(run, &out, from);
        }
    *ret = cv_buf_take(&out, &run->arena);
    return good && cv_run_bytes(run, ret->n);
}

static size_t break_at(cv_str s)
{
    if (s.p[0] == '\r')
        return s.n > 1 && s.p[1] == '\n' ? 2 : 1;
    if ((s.p[0] >= '\n' && s.p[0] <= '\f') || (s.p[0] >= 0x1c && s.p[0] <= 0x1e))
        return 1;
    if (cv_str_starts(s, CV_STR("\xc2\x85")))
        return 2;
    return cv_str_starts(s, CV_STR("\xe2\x80\xa8")) || cv_str_starts(s, CV_STR("\xe2\x80\xa9")) ? 3 : 0;
}

bool cv_t_next_line(cv_str *rest, cv_str *ret_line)
{
    if (rest->n == 0)
        return false;
    for (size_t i = 0; i < rest->n; i++) {
        size_t n = break_at(cv_str_from(*rest, i));
        if (n > 0) {
            *ret_line = cv_str_head(*rest, i);
            *rest = cv_str_from(*rest, i + n);
            return true;
        }
    }
    *ret_line = *rest;
    *rest = cv_str_from(*rest, rest->n);
    return true;
}

size_t cv_t_offset(cv_str text, int64_t characters)
{
    size_t at = 0;
    while (at < text.n && characters > 0) {
        at++;
        while (at < text.n && cv_utf8_continues(text.p[at]))
            at++;
        characters--;
    }
    return at;
}
