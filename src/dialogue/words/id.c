/* id.c - the names of things; see id.h. */
#include "dialogue/words/id.h"

#include <utf8proc.h>

#include "base/utf8.h"
#include "dialogue/words/limits.h"

static size_t digits_at(cv_str s)
{
    size_t n = 0;
    while (n < s.n && cv_is_digit(s.p[n]))
        n++;
    return n;
}

/* Dashes, quotes and ellipses of U+2000 to U+203F end a token too: T01—why, T01’s. */
static bool ends_token(cv_str s, size_t at)
{
    if (at >= s.n || cv_str_starts(cv_str_from(s, at), CV_STR("\xE2\x80")))
        return true;
    return !(cv_is_alnum(s.p[at]) || s.p[at] == '_' || (unsigned char)s.p[at] >= 0x80);
}

/* One letter and four digits: P0102. */
static bool display_at(cv_str s, cv_id *id)
{
    int kind = s.n >= 5 ? cv_kind_of_letter(s.p[0]) : -1;
    if (kind < 0 || digits_at(cv_str_from(s, 1)) != 4)
        return false;
    const char *d = s.p + 1;
    *id =
        (cv_id){CV_ID_DISPLAY, (cv_kind)kind, (d[0] - '0') * 10 + d[1] - '0', (d[2] - '0') * 10 + d[3] - '0', {0}, {0}};
    return true;
}

/* .1, -S, -R1, -RESPONSE behind a short id; a dot at the end of a sentence is none. */
static size_t suffix_at(cv_str s)
{
    size_t n = 0;
    while (n + 1 < s.n && (s.p[n] == '.' || s.p[n] == '-') && (cv_is_digit(s.p[n + 1]) || cv_is_upper(s.p[n + 1]))) {
        n += 2;
        while (n < s.n && (cv_is_digit(s.p[n]) || cv_is_upper(s.p[n])))
            n++;
    }
    return n;
}

static bool short_at(cv_str s, cv_id *id, size_t *length)
{
    int kind = s.n >= 2 ? cv_kind_of_letter(s.p[0]) : -1;
    size_t digits = kind >= 0 ? digits_at(cv_str_from(s, 1)) : 0;
    if (kind < 0 || digits > 3)
        return false;
    size_t suffix = suffix_at(cv_str_from(s, 1 + digits));
    if (digits == 0 && (suffix == 0 || s.p[1] != '-' || !cv_is_upper(s.p[2])))
        return false;
    *length = 1 + digits + suffix;
    *id = (cv_id){CV_ID_SHORT, (cv_kind)kind, -1, -1, {0}, {s.p + 1 + digits, suffix}};
    cv_str_to_int((cv_str){s.p + 1, digits}, &id->number);
    return ends_token(s, *length);
}

/* MUFFIN-P0101: the expert's slug in any case, a dash, a display id. */
static bool local_at(cv_str s, cv_id *id, size_t *length)
{
    size_t n = 0, dash = 0;
    while (n < s.n && n < CV_MAX_SLUG + 6 && (cv_is_alnum(s.p[n]) || s.p[n] == '-')) {
        if (s.p[n] == '-')
            dash = n;
        n++;
    }
    if (dash == 0 || dash > CV_MAX_SLUG || n != dash + 6 || !ends_token(s, n) ||
        !display_at(cv_str_from(s, dash + 1), id))
        return false;
    id->form = CV_ID_LOCAL;
    id->expert = cv_str_head(s, dash);
    *length = n;
    return cv_slug_ok(id->expert);
}

/* MUFFIN R1-T01: an upper-case name, the round, a short id. */
static bool spoken_at(cv_str s, cv_id *id, size_t *length)
{
    size_t n = 0;
    while (n < s.n && n < CV_MAX_SLUG && cv_is_upper(s.p[n]))
        n++;
    if (n < 2 || n + 2 >= s.n || s.p[n] != ' ' || s.p[n + 1] != 'R')
        return false;
    cv_str rest = cv_str_from(s, n + 2);
    size_t digits = digits_at(rest), used;
    int round;
    if (digits == 0 || digits > 2 || digits >= rest.n || rest.p[digits] != '-')
        return false;
    cv_str_to_int(cv_str_head(rest, digits), &round);
    if (!short_at(cv_str_from(rest, digits + 1), id, &used) || id->suffix.n > 0 || id->number < 0 ||
        id->number > CV_MAX_SEQ)
        return false;
    id->form = CV_ID_LOCAL;
    id->round = round;
    id->expert = cv_str_head(s, n);
    *length = n + 2 + digits + 1 + used;
    return true;
}

static bool expert_at(cv_str s, cv_id *id, size_t *length)
{
    size_t n = 1;
    if (s.n < 2 || s.p[0] != '@')
        return false;
    while (n < s.n && (cv_is_alnum(s.p[n]) || (s.p[n] == '-' && n + 1 < s.n && cv_is_alnum(s.p[n + 1]))))
        n++;
    *id = (cv_id){CV_ID_EXPERT, CV_KIND_PERSPECTIVE, -1, -1, {s.p + 1, n - 1}, {0}};
    *length = n;
    return cv_slug_ok(id->expert);
}

/* A letter and digits with nothing behind them: nearly all ids. */
static bool plain_at(cv_str s, cv_id *id, size_t *length)
{
    int kind = s.n >= 2 && cv_is_digit(s.p[1]) ? cv_kind_of_letter(s.p[0]) : -1;
    size_t digits = kind >= 0 ? digits_at(cv_str_from(s, 1)) : 0, end = 1 + digits;
    if (digits == 0 || digits > 4 || !ends_token(s, end) || (end < s.n && (s.p[end] == '-' || s.p[end] == '.')))
        return false;
    *length = end;
    if (digits == 4)
        return display_at(s, id);
    *id = (cv_id){CV_ID_SHORT, (cv_kind)kind, -1, -1, {NULL, 0}, {s.p + end, 0}};
    return cv_str_to_int(cv_str_range(s.p + 1, s.p + end), &id->number);
}

/* Ordinary words differ from ids at once: every id has a digit or a dash in its first word, except for MUFFIN
 * R1-T01. */
static bool is_ordinary(cv_str s)
{
    size_t n = 0;
    while (n < s.n && cv_is_alpha(s.p[n]))
        n++;
    if (n < s.n && (cv_is_digit(s.p[n]) || s.p[n] == '-'))
        return false;
    return n + 2 >= s.n || s.p[n] != ' ' || s.p[n + 1] != 'R' || !cv_is_digit(s.p[n + 2]);
}

bool cv_id_at(cv_str s, cv_id *ret_id, size_t *ret_length)
{
    if (s.n == 0 || !(cv_is_alnum(s.p[0]) || s.p[0] == '@'))
        return false;
    if (plain_at(s, ret_id, ret_length))
        return true;
    if (s.p[0] != '@' && is_ordinary(s))
        return false;
    if (display_at(s, ret_id) && ends_token(s, 5)) {
        *ret_length = 5;
        return true;
    }
    return local_at(s, ret_id, ret_length) || short_at(s, ret_id, ret_length) || spoken_at(s, ret_id, ret_length) ||
           expert_at(s, ret_id, ret_length);
}

bool cv_id_parse(cv_str s, cv_id *ret_id)
{
    size_t length;
    return cv_id_at(s, ret_id, &length) && length == s.n;
}

static char *put_digits(char *to, int value)
{
    if (value > 99)
        *to++ = (char)('0' + value / 100);
    *to++ = (char)('0' + value / 10 % 10);
    *to++ = (char)('0' + value % 10);
    return to;
}

static char *put_case(char *to, cv_str s, char (*fold)(char))
{
    for (size_t i = 0; i < s.n; i++)
        *to++ = fold(s.p[i]);
    return to;
}

cv_str cv_id_print(cv_arena *a, const cv_id *id)
{
    char *text = cv_arena_alloc(a, id->expert.n + id->suffix.n + 8), *to = text;
    if (id->form == CV_ID_NONE)
        return (cv_str){NULL, 0};
    if (id->form == CV_ID_EXPERT) {
        *to++ = '@';
        to = put_case(to, id->expert, cv_lower);
        return cv_str_range(text, to);
    }
    if (id->form == CV_ID_LOCAL) {
        to = put_case(to, id->expert, cv_upper);
        *to++ = '-';
    }
    *to++ = cv_kinds[id->kind].letter;
    if (id->form != CV_ID_SHORT)
        to = put_digits(to, id->round);
    if (id->number >= 0)
        to = put_digits(to, id->number);
    if (id->suffix.n)
        memcpy(to, id->suffix.p, id->suffix.n);
    return cv_str_range(text, to + id->suffix.n);
}

cv_str cv_id_normal(cv_arena *a, cv_str s)
{
    cv_id id;
    if (s.n == 0 || (s.n == 3 && cv_is_digit(s.p[1]) && cv_is_digit(s.p[2])) || (s.n == 5 && display_at(s, &id)))
        return s; /* nearly all ids */
    if (!cv_id_parse(s, &id) || id.form == CV_ID_DISPLAY)
        return s;
    if (id.form == CV_ID_SHORT && s.n - 1 - id.suffix.n == 2)
        return s;
    return cv_id_print(a, &id);
}

bool cv_slug_ok(cv_str s)
{
    if (s.n == 0 || s.n > CV_MAX_SLUG || s.p[0] == '-')
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (!cv_is_alnum(s.p[i]) && s.p[i] != '-')
            return false;
    return true;
}

static bool is_letter_or_digit(uint32_t code)
{
    switch (utf8proc_category((utf8proc_int32_t)code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
        return true;
    default:
        return false;
    }
}

static bool is_mark(uint32_t code)
{
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)code);
    return c == UTF8PROC_CATEGORY_MN || c == UTF8PROC_CATEGORY_MC || c == UTF8PROC_CATEGORY_ME;
}

/* Latin letters lose their marks (é -> e); a mark in another script is part of its letter and stays. Everything
 * that is neither becomes a gap (0), runs of gaps one, none at the ends. */
static utf8proc_ssize_t keep_slug_codes(utf8proc_int32_t *codes, utf8proc_ssize_t count)
{
    utf8proc_ssize_t n = 0;
    bool latin = true, gap = false;
    for (utf8proc_ssize_t i = 0; i < count; i++) {
        uint32_t code = (uint32_t)codes[i];
        bool letter = is_letter_or_digit(code);
        if (!letter && (!is_mark(code) || latin)) {
            gap = gap || (!is_mark(code) && n > 0);
            continue;
        }
        if (letter)
            latin = code < 0x250;
        if (gap)
            codes[n++] = '-';
        gap = false;
        codes[n++] = (utf8proc_int32_t)code;
    }
    return n;
}

cv_str cv_slug_of_title(cv_arena *a, cv_str title)
{
    const utf8proc_option_t fold = UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_STABLE;
    const utf8proc_uint8_t *bytes = (const utf8proc_uint8_t *)title.p;
    utf8proc_ssize_t count = utf8proc_decompose(bytes, (utf8proc_ssize_t)title.n, NULL, 0, fold);
    if (count <= 0)
        return CV_STR("dialogue");
    utf8proc_int32_t *codes = CV_NEW_ARRAY(a, (size_t)count, utf8proc_int32_t);
    utf8proc_decompose(bytes, (utf8proc_ssize_t)title.n, codes, count, fold);
    count = utf8proc_normalize_utf32(codes, keep_slug_codes(codes, count), UTF8PROC_COMPOSE | UTF8PROC_STABLE);
    char *slug = cv_arena_alloc(a, CV_MAX_DIALOGUE_ID + 4);
    size_t n = 0;
    for (utf8proc_ssize_t i = 0; i < count; i++) {
        size_t length = cv_utf8_put((uint32_t)codes[i], slug + n);
        if (n + length > CV_MAX_DIALOGUE_ID)
            break;
        n += length;
    }
    while (n > 0 && slug[n - 1] == '-')
        n--;
    return n ? (cv_str){slug, n} : CV_STR("dialogue");
}

cv_str cv_id_local_of(cv_arena *a, cv_str words)
{
    cv_id id;
    if (words.n > CV_MAX_SLUG + sizeof "-P0101")
        return (cv_str){NULL, 0};
    char *upper = cv_arena_copy_z(a, words);
    for (size_t i = 0; i < words.n; i++)
        upper[i] = cv_upper(upper[i]);
    bool is_local = cv_id_parse((cv_str){upper, words.n}, &id) && id.form == CV_ID_LOCAL;
    return is_local ? cv_id_print(a, &id) : (cv_str){NULL, 0};
}
