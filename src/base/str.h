/* str.h - text as a view: a pointer and a length, not owned, not terminated.
 *
 *     "## Round 2: Convergence"
 *      p............n=23
 *
 * A view points into somebody else's bytes and lives as long as they do. Functions here never
 * allocate and never look past the end. `char *` appears only at the edges (argv, libc).
 */
#ifndef CV_BASE_STR_H
#define CV_BASE_STR_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const char *p;
    size_t n;
} cv_str;

/* A view of a string literal; CV_STR_INIT is the same for static initialisers. */
#define CV_STR(lit) ((cv_str){(lit), sizeof(lit) - 1})
#define CV_STR_INIT(lit)                                                                                               \
    {                                                                                                                  \
        (lit), sizeof(lit) - 1                                                                                         \
    }

/* printf("%.*s", CV_FMT(s)) for short, trusted views (messages, not documents). */
#define CV_FMT(s) (int)(s).n, (s).p ? (s).p : ""

/* How many items an array has (not a pointer). */
#define CV_COUNT(array) (sizeof(array) / sizeof *(array))

/* "%zu message%s", count, CV_PLURAL(count): 1 message, 2 messages, 0 messages. */
#define CV_PLURAL(count) ((count) == 1 ? "" : "s")

/* Below, equal, above as -1, 0, 1: for qsort. */
#define CV_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static inline cv_str cv_str_of(const char *z)
{
    return (cv_str){z, z ? strlen(z) : 0};
}

static inline cv_str cv_str_range(const char *begin, const char *end)
{
    assert(begin <= end);
    return (cv_str){begin, (size_t)(end - begin)};
}

/* By the address: C adds nothing to the null pointer of an absent view, and a branch here is seen in `make bench`. */
static inline const char *cv_str_end(cv_str s)
{
    return (const char *)((uintptr_t)s.p + s.n);
}

static inline bool cv_str_eq(cv_str a, cv_str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool cv_str_starts(cv_str s, cv_str prefix)
{
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool cv_str_ends(cv_str s, cv_str suffix)
{
    return s.n >= suffix.n && (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

/* Everything from byte `from` on; empty when `from` lies past the end. */
static inline cv_str cv_str_from(cv_str s, size_t from)
{
    return from < s.n ? (cv_str){s.p + from, s.n - from} : (cv_str){cv_str_end(s), 0};
}

static inline cv_str cv_str_head(cv_str s, size_t n)
{
    return (cv_str){s.p, n < s.n ? n : s.n};
}

/* ASCII classes, independent of the locale. */
static inline bool cv_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r'); /* \t \n \v \f \r */
}
static inline bool cv_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}
static inline bool cv_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline bool cv_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}
static inline bool cv_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}
static inline bool cv_is_alpha(char c)
{
    return cv_is_upper(c) || cv_is_lower(c);
}
static inline bool cv_is_alnum(char c)
{
    return cv_is_alpha(c) || cv_is_digit(c);
}
static inline char cv_lower(char c)
{
    return cv_is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}
static inline char cv_upper(char c)
{
    return cv_is_lower(c) ? (char)(c - ('a' - 'A')) : c;
}

/* Without white space at the beginning, at the end, at both. */
static inline cv_str cv_str_trim_left(cv_str s)
{
    while (s.n > 0 && cv_is_space(s.p[0])) {
        s.p++;
        s.n--;
    }
    return s;
}
static inline cv_str cv_str_trim_right(cv_str s)
{
    while (s.n > 0 && cv_is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}
static inline cv_str cv_str_trim(cv_str s)
{
    return cv_str_trim_right(cv_str_trim_left(s));
}

/* Has it line breaks, tabs or other control characters? What has none is on one line. */
bool cv_str_has_control(cv_str s);

/* Equality and prefix without regard to ASCII case. */
bool cv_str_eq_nocase(cv_str a, cv_str b);
bool cv_str_starts_nocase(cv_str s, cv_str prefix);

/* Below, equal, above 0: by bytes, a beginning before what goes on. */
int cv_str_order(cv_str a, cv_str b);

/* Position of the first occurrence, or SIZE_MAX. */
size_t cv_str_find(cv_str s, cv_str needle);
size_t cv_str_find_nocase(cv_str s, cv_str needle); /* without regard to ASCII case */
size_t cv_str_find_char(cv_str s, char c);

/* Cuts the next piece of `*rest` off at `sep`; false when nothing is left. */
bool cv_str_split(cv_str *rest, char sep, cv_str *ret_piece);

/* A number in decimal digits, written into the caller's room. */
enum { CV_INT_DIGITS = 20 }; /* -9223372036854775808 */
cv_str cv_str_of_int(int64_t value, char room[CV_INT_DIGITS]);

/* Digits only, 1 to 9 of them: a non-negative int. False for anything else. */
bool cv_str_to_int(cv_str s, int *ret_value);

/* A stable 64-bit hash (not for hostile keys beyond the ceilings in limits.h). */
uint64_t cv_str_hash(cv_str s);

/* Damerau-Levenshtein distance without regard to ASCII case, up to `max`; max + 1 when farther apart. */
size_t cv_str_distance(cv_str a, cv_str b, size_t max);

/* The word of `words` nearest to `s` (at most a third of its letters apart), or an empty view. */
cv_str cv_str_nearest(cv_str s, const cv_str *words, size_t count);

/* ---- lists of words
 * -------------------------------------------------------------------------------------------------- */

typedef struct {
    const cv_str *items;
    size_t count;
} cv_words;

/* Index of the word equal to `s` without regard to case, or -1. */
int cv_words_find(cv_words words, cv_str s);

#endif
