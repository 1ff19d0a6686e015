/* mark_print.c - one mark, made canonical and written; see mark.h. */
#include "base/utf8.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/limits.h"

/* Has the trimmed text a run of white space, or white space other than blanks? Seven bytes at a time: the eighth is
 * looked at again as the first of the next step, so that no pair falls between two steps. */
static bool has_runs(cv_str s)
{
    const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
    size_t i = 0;
    for (; i + 8 <= s.n; i += 7) {
        uint64_t x, blank;
        memcpy(&x, s.p + i, sizeof x);
        uint64_t control = (x - ones * 0x20) & ~x & high;
        blank = x ^ (ones * ' ');
        blank = (blank - ones) & ~blank & high;
        if (control || (blank & (blank >> 8)))
            return true;
    }
    for (; i < s.n; i++)
        if (cv_is_space(s.p[i]) && (s.p[i] != ' ' || cv_is_space(s.p[i + 1])))
            return true;
    return false;
}

cv_str cv_squeeze(cv_arena *a, cv_str s)
{
    s = cv_str_trim(s);
    if (!has_runs(s))
        return s;
    char *p = cv_arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        if (!cv_is_space(s.p[i]))
            p[n++] = s.p[i];
        else if (p[n - 1] != ' ')
            p[n++] = ' ';
    return (cv_str){p, n};
}

cv_str cv_one_line(cv_arena *a, cv_str s)
{
    if (!cv_str_has_control(s))
        return cv_squeeze(a, s);
    char *p = cv_arena_copy_z(a, s);
    for (size_t i = 0; i < s.n; i++)
        p[i] = cv_str_has_control((cv_str){&p[i], 1}) ? ' ' : p[i];
    return cv_squeeze(a, (cv_str){p, s.n});
}

/* ---- labels ------------------------------------------------------------------------------------
 * Inside a label a backslash takes the meaning from a bracket or brace, from another backslash, and, at the
 * very beginning, from anything. Brackets that balance need none. */

static bool is_special(char c)
{
    return c == '[' || c == ']' || c == '{' || c == '}' || c == '\\';
}

static cv_str unescape(cv_arena *a, cv_str s)
{
    if (cv_str_find_char(s, '\\') == SIZE_MAX)
        return s;
    char *p = cv_arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool escape = s.p[i] == '\\' && i + 1 < s.n && (i == 0 ? s.p[1] != ' ' : is_special(s.p[i + 1]));
        p[n++] = s.p[escape ? ++i : i];
    }
    return (cv_str){p, n};
}

static bool balanced(cv_str s, char open, char close)
{
    int depth = 0;
    for (size_t i = 0; i < s.n; i++) {
        depth += s.p[i] == open;
        depth -= s.p[i] == close;
        if (depth < 0 || depth >= CV_MAX_LABEL_DEPTH)
            return false;
    }
    return depth == 0;
}

static cv_str first_word(cv_str s)
{
    size_t n = 0;
    while (n < s.n && cv_is_alpha(s.p[n]))
        n++;
    return cv_str_head(s, n);
}

/* Would the label's beginning be read as something else: a separator, an escape, a target? */
static bool needs_guard(const cv_mark *m)
{
    cv_str s = m->label;
    if (s.p[0] == '\\' || strchr(":-/,", s.p[0]) || cv_str_starts(s, CV_STR("—")) || cv_str_starts(s, CV_STR("–")))
        return true;
    cv_mark_shape shape = cv_marks_table[m->type].shape;
    cv_id id;
    if (shape == CV_SHAPE_VERDICT && m->word.n == 0)
        return cv_words_find(cv_verdict_words, first_word(s)) >= 0;
    return (shape == CV_SHAPE_TARGETS || shape == CV_SHAPE_REF || shape == CV_SHAPE_MOVE) && cv_target_next(&s, &id);
}

static void print_label(cv_buf *out, const cv_mark *m)
{
    cv_str s = m->label;
    bool brace = m->style == CV_STYLE_BRACE;
    bool plain = balanced(s, brace ? '{' : '[', brace ? '}' : ']');
    bool guard = needs_guard(m);
    if (guard)
        cv_buf_add_char(out, '\\');
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i], next = i + 1 < s.n ? s.p[i + 1] : ']';
        bool bracket = is_special(c) && c != '\\';
        /* The guard is already in front of the first character. */
        if ((bracket && !plain && (i > 0 || !guard)) || (c == '\\' && i > 0 && is_special(next)))
            cv_buf_add_char(out, '\\');
        cv_buf_add_char(out, c);
    }
}

/* ---- canonical form ----------------------------------------------------------------------------- */

cv_words cv_mark_sub_words(cv_mark_type type)
{
    cv_mark_shape shape = cv_marks_table[type].shape;
    return shape == CV_SHAPE_REF ? cv_ref_words : shape == CV_SHAPE_MOVE ? cv_move_words : cv_verdict_words;
}

/* The type of a reference, move or verdict: the vocabulary's own word, else what was written in lower case. */
static cv_str settled_word(cv_arena *a, const cv_mark *m)
{
    if (m->style == CV_STYLE_BRACE || m->word.n == 0)
        return cv_squeeze(a, m->word);
    if (m->sub >= 0)
        return cv_mark_sub_words(m->type).items[m->sub];
    char *p = cv_arena_alloc(a, m->word.n + 1);
    for (size_t i = 0; i < m->word.n; i++)
        p[i] = cv_lower(m->word.p[i]);
    return (cv_str){p, m->word.n};
}

/* "T4/T5" -> "T04, T05". */
static cv_str settled_targets(cv_arena *a, cv_str targets)
{
    cv_id id;
    if (targets.n == 0 || cv_id_parse(targets, &id))
        return cv_id_normal(a, targets);
    /* An id has at least two bytes; made canonical it grows by one at most, and two are between it and the next. */
    char *p = cv_arena_alloc(a, 3 * targets.n + 2);
    size_t n = 0;
    for (cv_str rest = targets; cv_target_next(&rest, &id);) {
        cv_str target = cv_id_print(a, &id);
        if (n > 0) {
            memcpy(p + n, ", ", 2);
            n += 2;
        }
        if (target.n > 0)
            memcpy(p + n, target.p, target.n);
        n += target.n;
    }
    return (cv_str){p, n};
}

/* "muffin ,cupcake" -> "muffin, cupcake". */
static cv_str settled_by(cv_arena *a, cv_str by)
{
    cv_str rest = by, slug;
    if (cv_str_find_char(by, ',') == SIZE_MAX)
        return by;
    char *p = cv_arena_alloc(a, 2 * by.n + 2);
    size_t n = 0;
    while (cv_str_split(&rest, ',', &slug)) {
        slug = cv_str_trim(slug);
        memcpy(p + n, slug.p, slug.n);
        n += slug.n;
        if (rest.p) {
            memcpy(p + n, ", ", 2);
            n += 2;
        }
    }
    return (cv_str){p, n};
}

void cv_mark_settle(cv_arena *a, cv_mark *m)
{
    m->id = cv_id_normal(a, m->id);
    m->word = settled_word(a, m);
    if (m->by.n)
        m->by = settled_by(a, m->by);
    m->label = unescape(a, cv_squeeze(a, m->label));
    m->targets = settled_targets(a, m->targets);
}

/* The type of a reference, move or verdict in capitals; one that is none of ours stays as it is in a reference, because
 * in capitals it could read as an id: "tl R01-T0". */
static void print_type(cv_buf *out, const cv_mark *m)
{
    bool keep = m->type == CV_MARK_REFERENCE && m->sub < 0;
    for (size_t i = 0; i < m->word.n; i++)
        cv_buf_add_char(out, keep ? m->word.p[i] : cv_upper(m->word.p[i]));
}

/* References and moves list their targets with blanks, the others with commas. */
static void print_targets(cv_buf *out, const cv_mark *m, bool commas)
{
    for (size_t i = 0; i < m->targets.n; i++)
        if (commas || m->targets.p[i] != ',')
            cv_buf_add_char(out, m->targets.p[i]);
}

static void print_head(cv_buf *out, const cv_mark *m)
{
    const cv_mark_row *row = &cv_marks_table[m->type];
    if (m->style == CV_STYLE_LOCAL || m->style == CV_STYLE_GLOBAL) {
        cv_buf_add(out, m->id);
        return;
    }
    cv_buf_add(out, m->style == CV_STYLE_BRACE ? m->word : row->word);
    bool sub = row->shape == CV_SHAPE_REF || row->shape == CV_SHAPE_MOVE || row->shape == CV_SHAPE_VERDICT;
    if (row->shape == CV_SHAPE_REF || row->shape == CV_SHAPE_MOVE || (sub && m->word.n > 0))
        cv_buf_add_char(out, ':');
    if (sub)
        print_type(out, m);
    if (m->id.n + m->targets.n > 0)
        cv_buf_add_char(out, ' ');
    cv_buf_add(out, m->id);
    print_targets(out, m, !sub);
}

void cv_mark_print(cv_buf *out, const cv_mark *m)
{
    bool brace = m->style == CV_STYLE_BRACE;
    bool topic = m->type == CV_MARK_MOVE && m->sub == CV_MOVE_REQUEST;
    cv_buf_add_char(out, brace ? '{' : '[');
    print_head(out, m);
    /* A local or global mark needs its colon even without a label, or it would read as a citation. */
    if (m->label.n > 0 || m->style == CV_STYLE_LOCAL || m->style == CV_STYLE_GLOBAL || brace)
        cv_buf_add_z(out, topic ? " " : m->label.n ? ": " : ":");
    if (m->label.n > 0)
        print_label(out, m);
    cv_buf_add_char(out, brace ? '}' : ']');
    if (m->by.n > 0) {
        cv_buf_add_z(out, " (");
        cv_buf_add(out, m->by);
        cv_buf_add_char(out, ')');
    }
}
