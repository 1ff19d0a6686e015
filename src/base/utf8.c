/* utf8.c - UTF-8 checked, walked and measured; see utf8.h.
 *
 *     0xxxxxxx                              U+0000 - U+007F
 *     110xxxxx 10xxxxxx                     U+0080 - U+07FF     never C0, C1: overlong
 *     1110xxxx 10xxxxxx 10xxxxxx            U+0800 - U+FFFF     never D800 - DFFF: surrogates
 *     11110xxx 10xxxxxx 10xxxxxx 10xxxxxx  U+10000 - U+10FFFF   never F5 - FF: too large
 *
 * ASCII is skipped by the word: a byte is ASCII when its top bit is clear, and one mask asks that of eight at once.
 */
#include "base/utf8.h"

#include <assert.h>
#include <utf8proc.h>

enum { WORD = 8, STRIDE = 4 * WORD, REPLACEMENT = 0xfffd };

static const uint64_t ONES = 0x0101010101010101u;
static const uint64_t TOP_BITS = 0x8080808080808080u;

static inline uint64_t word_at(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* How many ASCII bytes `s` certainly begins with: all, or a multiple of eight. */
static size_t ascii_words(cv_str s)
{
    size_t i = 0;
    while (s.n - i >= STRIDE) {
        const char *p = s.p + i;
        uint64_t all = word_at(p) | word_at(p + WORD) | word_at(p + 2 * WORD) | word_at(p + 3 * WORD);
        if (all & TOP_BITS)
            break;
        i += STRIDE;
    }
    while (s.n - i >= WORD && (word_at(s.p + i) & TOP_BITS) == 0)
        i += WORD;
    if (s.n - i >= WORD) /* not ASCII */
        return i;
    if (s.n >= WORD)
        return (word_at(s.p + s.n - WORD) & TOP_BITS) == 0 ? s.n : i;
    unsigned all = 0;
    for (size_t k = 0; k < s.n; k++)
        all |= (unsigned char)s.p[k];
    return all < 0x80 ? s.n : 0;
}

static inline bool continues(unsigned char byte)
{
    return cv_utf8_continues((char)byte);
}

/* Bytes of the valid code point at `p`, of which `n` > 0 bytes are there; 0 when there is none. Overlong forms,
 * surrogates and what is too large all show in the second byte. */
static inline size_t valid_length(const unsigned char *p, size_t n)
{
    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xe0)
        return n >= 2 && p[0] >= 0xc2 && continues(p[1]) ? 2 : 0;
    if (p[0] < 0xf0) {
        bool whole = n >= 3 && continues(p[1]) && continues(p[2]);
        return whole && (p[0] != 0xe0 || p[1] >= 0xa0) && (p[0] != 0xed || p[1] < 0xa0) ? 3 : 0;
    }
    bool whole = n >= 4 && p[0] <= 0xf4 && continues(p[1]) && continues(p[2]) && continues(p[3]);
    return whole && (p[0] != 0xf0 || p[1] >= 0x90) && (p[0] != 0xf4 || p[1] < 0x90) ? 4 : 0;
}

size_t cv_utf8_first(cv_str s)
{
    return valid_length((const unsigned char *)s.p, s.n);
}

size_t cv_utf8_valid(cv_str s)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t i = 0;
    while (i < s.n) {
        i += ascii_words(cv_str_from(s, i));
        /* Then by the code point for a while, so that mixed text does not ask for words at every letter. */
        for (size_t end = s.n - i < STRIDE ? s.n : i + STRIDE; i < end;) {
            size_t length = valid_length(p + i, s.n - i);
            if (length == 0)
                return i;
            i += length;
        }
    }
    return s.n;
}

/* The code point in `length` valid bytes. */
static uint32_t decode(const unsigned char *p, size_t length)
{
    assert(length >= 1 && length <= 4);
    uint32_t code = length == 1 ? p[0] : p[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (p[i] & 0x3fu);
    return code;
}

bool cv_utf8_next(cv_str *rest, uint32_t *ret_code)
{
    if (rest->n == 0)
        return false;
    const unsigned char *p = (const unsigned char *)rest->p;
    size_t length = valid_length(p, rest->n);
    /* Without a valid code point the caller broke the promise: stay inside the text anyway. */
    *ret_code = length ? decode(p, length) : REPLACEMENT;
    *rest = cv_str_from(*rest, length ? length : 1);
    return true;
}

size_t cv_utf8_count(cv_str s)
{
    size_t continuations = 0, i = 0;
    for (; s.n - i >= WORD; i += WORD) {
        uint64_t word = word_at(s.p + i);
        uint64_t each = word >> 7 & ~(word >> 6) & ONES; /* 1 in every byte of the form 10xxxxxx */
        continuations += (size_t)(each * ONES >> 56);
    }
    for (; i < s.n; i++)
        continuations += cv_utf8_continues(s.p[i]);
    return s.n - continuations;
}

cv_str cv_utf8_head(cv_str s, size_t most)
{
    if (s.n <= most)
        return s;
    while (most > 0 && cv_utf8_continues(s.p[most]))
        most--;
    return cv_str_head(s, most);
}

cv_str cv_utf8_limit(cv_str s, size_t characters)
{
    size_t end = 0;
    if (s.n <= characters)
        return s;
    for (; end < s.n && (characters > 0 || cv_utf8_continues(s.p[end])); end++)
        characters -= !cv_utf8_continues(s.p[end]);
    return cv_str_head(s, end);
}

cv_str cv_utf8_excerpt(cv_arena *a, cv_str s, size_t most)
{
    return s.n <= most ? s : cv_arena_join(a, cv_utf8_head(s, most), CV_STR("…"));
}

void cv_utf8_advance(cv_str s, size_t *line, size_t *column)
{
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\n') {
            ++*line;
            *column = 1;
        } else {
            *column += !cv_utf8_continues(s.p[i]);
        }
    }
}

size_t cv_utf8_put(uint32_t code, char to[4])
{
    assert(code <= 0x10ffff && (code < 0xd800 || code > 0xdfff));
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        to[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    to[0] = (char)((0xf00u >> length & 0xff) | code);
    return length;
}

size_t cv_utf8_width(cv_str s)
{
    size_t width = 0;
    uint32_t code;
    while (cv_utf8_next(&s, &code)) {
        int columns = code < 0x7f ? code >= 0x20 : utf8proc_charwidth((utf8proc_int32_t)code);
        width += columns > 0 ? (size_t)columns : 0;
    }
    return width;
}

/* Letters, digits and private characters of any script: what words are made of. */
static bool is_word(uint32_t code)
{
    if (code < 0x80)
        return cv_is_alnum((char)code);
    utf8proc_category_t c = utf8proc_category((utf8proc_int32_t)code);
    return (c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_LO) ||
           (c >= UTF8PROC_CATEGORY_ND && c <= UTF8PROC_CATEGORY_NO) || c == UTF8PROC_CATEGORY_CO;
}

bool cv_utf8_is_unspaced(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x0e00, 0x0eff},   /* Thai, Lao */
        {0x1000, 0x109f},   /* Myanmar */
        {0x1780, 0x17ff},   /* Khmer */
        {0x3040, 0x30ff},   /* kana */
        {0x31f0, 0x31ff},   /* … and its small letters */
        {0x3400, 0x4dbf},   /* Han */
        {0x4e00, 0x9fff},   /* Han */
        {0xf900, 0xfaff},   /* Han for compatibility */
        {0xff66, 0xff9d},   /* narrow kana */
        {0x20000, 0x3ffff}, /* Han */
    };
    for (size_t i = 0; i < CV_COUNT(ranges) && code >= ranges[i].first; i++)
        if (code <= ranges[i].last)
            return true;
    return false;
}

bool cv_utf8_next_word(cv_str *rest, cv_str *ret_word, bool *ret_alone)
{
    uint32_t code = 0;
    cv_str at = *rest;
    while (at.n > 0 && !is_word(code)) {
        *rest = at;
        cv_utf8_next(&at, &code);
    }
    if (!is_word(code))
        return false;
    const char *from = rest->p;
    *ret_alone = cv_utf8_is_unspaced(code);
    cv_str after = at;
    while (!*ret_alone && cv_utf8_next(&at, &code)) {
        bool is_accent = code >= 0x300 && code < 0x370;
        if (!is_accent && (!is_word(code) || cv_utf8_is_unspaced(code)))
            break;
        after = at;
    }
    *ret_word = cv_str_range(from, after.p);
    *rest = after;
    return true;
}

bool cv_utf8_is_emoji(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x200d, 0x200d},   /* zero width joiner */
        {0x20e3, 0x20e3},   /* keycap */
        {0x2139, 0x2139},   /* information */
        {0x231a, 0x231b},   /* watch, hourglass */
        {0x2328, 0x2328},   /* keyboard */
        {0x23cf, 0x23cf},   /* eject */
        {0x23e9, 0x23fa},   /* media buttons, clocks */
        {0x25aa, 0x25ab},   /* small squares */
        {0x25b6, 0x25b6},   /* play */
        {0x25c0, 0x25c0},   /* reverse */
        {0x25fb, 0x25fe},   /* squares */
        {0x2600, 0x27bf},   /* miscellaneous symbols, dingbats */
        {0x2b05, 0x2b07},   /* heavy arrows */
        {0x2b1b, 0x2b1c},   /* large squares */
        {0x2b50, 0x2b50},   /* star */
        {0x2b55, 0x2b55},   /* circle */
        {0xfe0e, 0xfe0f},   /* variation selectors: as text, as emoji */
        {0x1f000, 0x1faff}, /* tiles, cards, flags, pictographs, skin tones, symbols */
        {0xe0020, 0xe007f}, /* tags of flag sequences */
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (code <= ranges[i].last)
            return code >= ranges[i].first;
    return false;
}

cv_str cv_excerpt(cv_arena *a, cv_str s)
{
    enum { MOST = 60 };
    return cv_utf8_excerpt(a, s, MOST);
}
