/* compat_facts.c - the text as profile compat sees it: a string with patterns in it, matched by hand.
 *
 * White space is any run of it, line ends included; letters are compared without regard to case. Fences, levels of
 * headings and places do not matter: that is how the old checks read, and their scores are to be the same.
 */
#include "dialogue/lint/compat_facts.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/utf8.h"
#include "dialogue/words/words.h"

typedef cv_compat_facts facts;
typedef cv_compat_texts texts;

/* ---- matching --------------------------------------------------------------------------------------------------- */

static bool eat(cv_str *s, cv_str word)
{
    if (!cv_str_starts_nocase(*s, word))
        return false;
    *s = (cv_str){s->p + word.n, s->n - word.n};
    return true;
}

static bool eat_space(cv_str *s) /* true when there was some */
{
    cv_str rest = cv_str_trim_left(*s);
    bool any = rest.n < s->n;
    *s = rest;
    return any;
}

static cv_str eat_digits(cv_str *s)
{
    size_t n = 0;
    while (n < s->n && cv_is_digit(s->p[n]))
        n++;
    cv_str digits = cv_str_head(*s, n);
    *s = cv_str_from(*s, n);
    return digits;
}

/* Letters, digits and the underscore of any script; near enough for names in tables and headings. */
static bool is_word(uint32_t code)
{
    if (code < 0x80)
        return cv_is_alnum((char)code) || code == '_';
    return code >= 0xC0 && code != 0xD7 && code != 0xF7 && !(code >= 0x2000 && code <= 0x2BFF) &&
           !(code >= 0x3000 && code <= 0x303F) && !cv_utf8_is_emoji(code);
}

static cv_str eat_word(cv_str *s)
{
    cv_str word = *s, rest = *s;
    for (uint32_t code; cv_utf8_next(&rest, &code) && is_word(code);)
        *s = rest;
    word.n -= s->n;
    return word;
}

static bool eat_emoji(cv_str *s)
{
    return eat(s, cv_expert_emoji) || eat(s, cv_judge_emoji);
}

/* At most nine digits, which is far beyond any round or score; -1 for more. */
static int64_t to_number(cv_str digits)
{
    int value;
    while (digits.n > 1 && digits.p[0] == '0')
        digits = cv_str_from(digits, 1);
    return cv_str_to_int(digits, &value) ? value : -1;
}

bool cv_compat_next(cv_str *s, cv_str start)
{
    size_t at = cv_str_find(*s, start);
    if (at == SIZE_MAX)
        return false;
    at += start.n;
    *s = (cv_str){s->p + at, s->n - at};
    return true;
}

/* Two number signs, any space, and the words with space between, anywhere. */
static bool has_heading(cv_str text, const char *first, const char *second)
{
    for (cv_str s = text; cv_compat_next(&s, CV_STR("##"));) {
        cv_str t = s;
        eat_space(&t);
        if (eat(&t, cv_str_of(first)) && eat_space(&t) && eat(&t, cv_str_of(second)))
            return true;
        s = (cv_str){s.p - 1, s.n + 1}; /* the second sign may begin the next pair */
    }
    return false;
}

/* ---- facts ------------------------------------------------------------------------------------------------------ */

static int by_value(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return CV_ORDER(a, b);
}

static void read_rounds(facts *f)
{
    for (cv_str s = f->text; cv_compat_next(&s, CV_STR("##"));) {
        cv_str t = s;
        eat_space(&t);
        if (eat(&t, CV_STR("Round")) && eat_space(&t)) {
            cv_str digits = eat_digits(&t);
            if (digits.n > 0) {
                s = t;
                if (to_number(digits) >= 0)
                    *CV_PUSH(f->a, &f->rounds) = to_number(digits);
                continue;
            }
        }
        s = (cv_str){s.p - 1, s.n + 1};
    }
    if (f->rounds.count)
        qsort(f->rounds.items, f->rounds.count, sizeof *f->rounds.items, by_value);
}

static bool has_field(cv_str text, cv_str name, cv_str *ret_after)
{
    for (cv_str s = text; cv_compat_next(&s, CV_STR("**"));) {
        cv_str t = s;
        if (eat(&t, name) && eat(&t, CV_STR("**:"))) {
            *ret_after = t;
            return true;
        }
        s = (cv_str){s.p - 1, s.n + 1};
    }
    return false;
}

/* The value may stand on a later line; at the very end of the text blanks will do. */
static void read_status(facts *f)
{
    for (cv_str rest = f->text, after; has_field(rest, CV_STR("Status"), &after); rest = after) {
        cv_str value = cv_str_trim_left(after);
        if (value.n == 0 && (after.n == 0 || cv_str_ends(after, CV_STR("\n"))))
            continue;
        f->has_status = true;
        f->status = cv_str_trim(cv_str_head(value, cv_str_find_char(value, '\n')));
        return;
    }
}

/* [ WORD Xnn ids; `width` digits exactly, or any number when 0; a colon must follow when `colon`. */
static void read_ids(facts *f, cv_str word, char letter, size_t width, bool colon, texts *ids)
{
    for (cv_str s = f->text; cv_compat_next(&s, CV_STR("["));) {
        cv_str t = s;
        eat_space(&t);
        if (!eat(&t, word) || !eat_space(&t) || !eat(&t, (cv_str){&letter, 1}))
            continue;
        cv_str digits = eat_digits(&t);
        eat_space(&t);
        if (digits.n == 0 || (width && digits.n != width) || (colon && !eat(&t, CV_STR(":"))))
            continue;
        *CV_PUSH(f->a, ids) = cv_arena_printf(f->a, "%c%.*s", letter, CV_FMT(digits));
    }
}

/* ### Name and an emoji behind it. */
static void read_emoji(facts *f)
{
    cv_map names = {0};
    for (cv_str s = f->text; cv_compat_next(&s, CV_STR("###"));) {
        cv_str t = s;
        eat_space(&t);
        cv_str name = eat_word(&t);
        eat_space(&t);
        if (name.n > 0 && eat_emoji(&t))
            cv_map_put(&names, f->a, name, NULL);
        else if (name.n == 0)
            s = (cv_str){s.p - 2, s.n + 2};
    }
    f->emoji_agents = names.count;
}

/* Behind a bar: name | n | n | n | n | **n** |, where an emoji may precede the name. */
static bool eat_row(cv_str *s, cv_str *ret_name, int64_t *ret_sum, int64_t *ret_total)
{
    *ret_sum = 0;
    eat_space(s);
    const char *start = s->p;
    eat_emoji(s);
    eat_space(s);
    if (eat_word(s).n == 0)
        return false;
    *ret_name = cv_str_range(start, s->p);
    eat_space(s);
    for (int i = 0; i < 4; i++) {
        if (!eat(s, CV_STR("|")))
            return false;
        eat_space(s);
        cv_str digits = eat_digits(s);
        if (digits.n == 0)
            return false;
        int64_t value = to_number(digits);
        *ret_sum += value < 0 ? 0 : value;
        eat_space(s);
    }
    if (!eat(s, CV_STR("|")))
        return false;
    eat_space(s);
    if (!eat(s, CV_STR("**")))
        return false;
    cv_str digits = eat_digits(s);
    *ret_total = digits.n && to_number(digits) > 0 ? to_number(digits) : 0;
    if (digits.n == 0 || !eat(s, CV_STR("**")))
        return false;
    eat_space(s);
    return eat(s, CV_STR("|"));
}

/* A name that comes again replaces its sum. Without a line about the total, the last row's is taken for it. */
static void read_scores(facts *f)
{
    cv_map sums = {0};
    for (cv_str s = f->text; cv_compat_next(&s, CV_STR("|"));) {
        cv_str t = s, name;
        int64_t sum, total;
        if (!eat_row(&t, &name, &sum, &total))
            continue;
        uintptr_t *last = cv_map_put(&sums, f->a, name, NULL);
        f->score_sum += sum - (int64_t)*last;
        *last = (uintptr_t)sum;
        f->claimed = total;
        s = t;
    }
    f->score_rows = sums.count;
    for (cv_str s = f->text; cv_compat_next(&s, CV_STR("**"));) {
        cv_str t = s;
        if (eat(&t, CV_STR("Total")) && eat_space(&t) && eat(&t, CV_STR("ALIGNMENT**:"))) {
            eat_space(&t);
            cv_str digits = eat_digits(&t);
            if (digits.n > 0) {
                f->claimed = to_number(digits) < 0 ? 0 : to_number(digits);
                return;
            }
        }
        s = (cv_str){s.p - 1, s.n + 1};
    }
}

cv_compat_facts cv_compat_read(cv_arena *a, cv_str text)
{
    facts f = {.a = a, .text = text};
    cv_str after;
    f.draft = has_field(text, CV_STR("Draft"), &after);
    f.participants = has_field(text, CV_STR("Participants"), &after);
    f.scoreboard = has_heading(text, "Alignment", "Scoreboard");
    f.perspectives = has_heading(text, "Perspectives", "Inventory");
    f.tensions_tracker = has_heading(text, "Tensions", "Tracker");
    f.panel = has_heading(text, "Expert", "Panel");
    read_status(&f);
    read_rounds(&f);
    read_ids(&f, CV_STR("PERSPECTIVE"), 'P', 2, true, &f.perspective_ids);
    read_ids(&f, CV_STR("TENSION"), 'T', 0, true, &f.tension_ids);
    read_ids(&f, CV_STR("RESOLVED"), 'T', 0, false, &f.resolved_ids);
    read_emoji(&f);
    read_scores(&f);
    return f;
}
