/* str.c - views of text; see str.h. */
#include "base/str.h"

#include <assert.h>

bool cv_str_has_control(cv_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return true;
    return false;
}

bool cv_str_starts_nocase(cv_str s, cv_str prefix)
{
    if (s.n < prefix.n)
        return false;
    for (size_t i = 0; i < prefix.n; i++)
        if (cv_lower(s.p[i]) != cv_lower(prefix.p[i]))
            return false;
    return true;
}

bool cv_str_eq_nocase(cv_str a, cv_str b)
{
    return a.n == b.n && cv_str_starts_nocase(a, b);
}

int cv_str_order(cv_str a, cv_str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

size_t cv_str_find_char(cv_str s, char c)
{
    assert(s.p || s.n == 0);
    const char *hit = s.n ? memchr(s.p, c, s.n) : NULL;
    return hit ? (size_t)(hit - s.p) : SIZE_MAX;
}

size_t cv_str_find_nocase(cv_str s, cv_str needle)
{
    for (size_t at = 0; at + needle.n <= s.n; at++)
        if (cv_str_starts_nocase(cv_str_from(s, at), needle))
            return at;
    return SIZE_MAX;
}

size_t cv_str_find(cv_str s, cv_str needle)
{
    if (needle.n == 0)
        return 0;
    for (size_t at = 0; at + needle.n <= s.n; at++) {
        const char *hit = memchr(s.p + at, needle.p[0], s.n - at - needle.n + 1);
        if (!hit)
            break;
        at = (size_t)(hit - s.p);
        if (memcmp(hit, needle.p, needle.n) == 0)
            return at;
    }
    return SIZE_MAX;
}

bool cv_str_split(cv_str *rest, char sep, cv_str *ret_piece)
{
    if (!rest->p)
        return false;
    size_t at = cv_str_find_char(*rest, sep);
    if (at == SIZE_MAX) {
        *ret_piece = *rest;
        *rest = (cv_str){NULL, 0};
    } else {
        *ret_piece = cv_str_head(*rest, at);
        *rest = cv_str_from(*rest, at + 1);
    }
    return true;
}

cv_str cv_str_of_int(int64_t value, char room[CV_INT_DIGITS])
{
    char *end = room + CV_INT_DIGITS, *p = end;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        *--p = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        *--p = '-';
    assert(p >= room && "the longest number has CV_INT_DIGITS");
    return cv_str_range(p, end);
}

bool cv_str_to_int(cv_str s, int *ret_value)
{
    if (s.n == 0 || s.n > 9)
        return false;
    int value = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (!cv_is_digit(s.p[i]))
            return false;
        value = value * 10 + (s.p[i] - '0');
    }
    *ret_value = value;
    return true;
}

uint64_t cv_str_hash(cv_str s)
{
    uint64_t h = 0xcbf29ce484222325u; /* FNV-1a, then mixed so that the low bits are good enough for a mask */
    for (size_t i = 0; i < s.n; i++)
        h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
    h ^= h >> 32;
    return h * 0x9e3779b97f4a7c15u;
}

enum { DISTANCE_MAX_LEN = 64 };

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

size_t cv_str_distance(cv_str a, cv_str b, size_t max)
{
    size_t gap = a.n > b.n ? a.n - b.n : b.n - a.n;
    if (gap > max || a.n > DISTANCE_MAX_LEN || b.n > DISTANCE_MAX_LEN)
        return max + 1;
    /* Three rows of the table: a swap of neighbours looks two rows back. */
    size_t rows[3][DISTANCE_MAX_LEN + 1];
    for (size_t j = 0; j <= b.n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            char x = cv_lower(a.p[i - 1]), y = cv_lower(b.p[j - 1]);
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == cv_lower(b.p[j - 2]) && cv_lower(a.p[i - 2]) == y && above2[j - 2] + 1 < row[j])
                row[j] = above2[j - 2] + 1;
        }
    }
    size_t d = rows[a.n % 3][b.n];
    assert(d >= gap && d <= (a.n > b.n ? a.n : b.n));
    return d <= max ? d : max + 1;
}

cv_str cv_str_nearest(cv_str s, const cv_str *words, size_t count)
{
    cv_str best = {NULL, 0};
    size_t allowed = s.n < 2 ? 0 : s.n < 6 ? 1 : s.n / 3;
    for (size_t i = 0; i < count; i++) {
        size_t d = cv_str_distance(s, words[i], allowed);
        if (d <= allowed) {
            best = words[i];
            if (d == 0)
                break;
            allowed = d - 1;
        }
    }
    return best;
}

int cv_words_find(cv_words words, cv_str s)
{
    for (size_t i = 0; i < words.count; i++)
        if (cv_str_eq_nocase(words.items[i], s))
            return (int)i;
    return -1;
}
