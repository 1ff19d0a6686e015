/* toml_word.c - numbers, times, true and false in TOML; see toml_word.h.
 *
 * Each reader takes what it knows from the front of the word and says whether that was there; a word is one when
 * nothing is left of it.
 */
#include "door/install/toml_word.h"

bool cv_toml_is_digit(char c, int base)
{
    static const char digits[] = "0123456789abcdef";
    char lower = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
    return c && memchr(digits, lower, (size_t)base);
}

static bool take(cv_str *word, char c)
{
    bool there = word->n > 0 && word->p[0] == c;
    *word = cv_str_from(*word, there);
    return there;
}

static bool take_any(cv_str *word, const char *chars)
{
    bool there = word->n > 0 && strchr(chars, word->p[0]);
    *word = cv_str_from(*word, there);
    return there;
}

/* Digits with single underscores between them. */
static bool take_digits(cv_str *word, int base)
{
    size_t n = 0;
    while (n < word->n &&
           (cv_toml_is_digit(word->p[n], base) || (n > 0 && word->p[n] == '_' && word->p[n - 1] != '_' &&
                                                   n + 1 < word->n && cv_toml_is_digit(word->p[n + 1], base))))
        n++;
    *word = cv_str_from(*word, n);
    return n > 0;
}

static bool is_based(cv_str word)
{
    static const struct {
        cv_str prefix;
        int base;
    } bases[] = {{CV_STR_INIT("0x"), 16}, {CV_STR_INIT("0o"), 8}, {CV_STR_INIT("0b"), 2}};
    for (size_t i = 0; i < CV_COUNT(bases); i++)
        if (cv_str_starts(word, bases[i].prefix)) {
            word = cv_str_from(word, bases[i].prefix.n);
            return take_digits(&word, bases[i].base) && word.n == 0;
        }
    return false;
}

/* Decimal, whole or not; no zero in front of other digits. */
static bool is_decimal(cv_str word)
{
    take_any(&word, "+-");
    if (cv_str_eq(word, CV_STR("inf")) || cv_str_eq(word, CV_STR("nan")))
        return true;
    bool padded = word.n > 1 && word.p[0] == '0' && (word.p[1] == '_' || cv_is_digit(word.p[1]));
    if (padded || !take_digits(&word, 10))
        return false;
    if (take(&word, '.') && !take_digits(&word, 10))
        return false;
    if (take_any(&word, "eE")) {
        take_any(&word, "+-");
        if (!take_digits(&word, 10))
            return false;
    }
    return word.n == 0;
}

/* `form` has 0 for any digit: 0000-00-00. */
static bool take_form(cv_str *word, const char *form)
{
    size_t n = strlen(form);
    for (size_t i = 0; i < n; i++)
        if (i >= word->n || (form[i] == '0' ? !cv_is_digit(word->p[i]) : form[i] != word->p[i]))
            return false;
    *word = cv_str_from(*word, n);
    return true;
}

bool cv_toml_is_date(cv_str word)
{
    return take_form(&word, "0000-00-00") && word.n == 0;
}

static bool take_time(cv_str *word)
{
    if (!take_form(word, "00:00"))
        return false;
    if (take_form(word, ":00") && take(word, '.'))
        return take_digits(word, 10);
    return true;
}

/* A date, a time, or both, then perhaps with how far it is from Greenwich. */
static bool is_time(cv_str word)
{
    if (cv_toml_is_date(word))
        return true;
    bool dated = take_form(&word, "0000-00-00");
    if ((dated && !take_any(&word, "Tt ")) || !take_time(&word))
        return false;
    if (dated && !take_any(&word, "Zz") && take_any(&word, "+-"))
        return take_form(&word, "00:00") && word.n == 0;
    return word.n == 0;
}

bool cv_toml_is_word(cv_str word)
{
    return cv_str_eq(word, CV_STR("true")) || cv_str_eq(word, CV_STR("false")) || is_based(word) || is_decimal(word) ||
           is_time(word);
}
