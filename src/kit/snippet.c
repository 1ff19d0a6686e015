/* snippet.c - the part of a text that shows why it was found; see snippet.h. */
#include "kit/snippet.h"

#include <assert.h>

#include "base/buf.h"
#include "base/utf8.h"

typedef struct {
    size_t start, end;
} range;

static const cv_str hit_begins = CV_STR_INIT("⟦"), hit_ends = CV_STR_INIT("⟧"), cut = CV_STR_INIT("…");

/* ---- where ---------------------------------------------------------------------------------------- */

/* Which terms the marks from `i` on meet within one snippet; *ret_count of them. Terms beyond the 64th share a bit. */
static uint64_t terms_from(const cv_search_marks *marks, size_t i, size_t *ret_count, size_t *ret_end)
{
    uint64_t terms = 0;
    *ret_count = 0;
    for (size_t k = i; k < marks->count && marks->items[k].end <= marks->items[i].start + CV_SNIPPET; k++) {
        terms |= UINT64_C(1) << marks->items[k].term % 64;
        ++*ret_count;
        *ret_end = marks->items[k].end;
    }
    return terms;
}

/* From the first to the last mark of the best place: most terms, then most marks, then the earliest. */
static range best_place(const cv_search_marks *marks)
{
    range best = {0, 0};
    int most_terms = -1;
    size_t most_marks = 0;
    for (size_t i = 0; i < marks->count; i++) {
        size_t count, end = marks->items[i].end;
        int terms = __builtin_popcountll(terms_from(marks, i, &count, &end));
        if (terms < most_terms || (terms == most_terms && count <= most_marks))
            continue;
        most_terms = terms;
        most_marks = count;
        best = (range){marks->items[i].start, end};
    }
    return best;
}

/* A place near `at` for a cut: behind white space in the next 24 bytes before `end`, else between characters. */
static size_t cut_after(cv_str text, size_t at, size_t end)
{
    for (size_t i = at; i < end && i < at + 24; i++)
        if (cv_is_space(text.p[i]))
            return i + 1;
    while (at < end && cv_utf8_continues(text.p[at]))
        at++;
    return at;
}

/* … and one before it, not before `start`. */
static size_t cut_before(cv_str text, size_t at, size_t start)
{
    for (size_t i = at; i > start && i + 24 > at; i--)
        if (cv_is_space(text.p[i]))
            return i;
    while (at > start && cv_utf8_continues(text.p[at]))
        at--;
    return at;
}

/* A third of what is free is before the hits, the rest behind them. */
static range widen(cv_str text, range place)
{
    assert(place.start <= place.end && place.end <= text.n);
    size_t taken = place.end - place.start;
    size_t spare = taken < CV_SNIPPET ? CV_SNIPPET - taken : 0;
    size_t before = spare / 3;
    if (place.start < before)
        before = place.start;
    size_t behind = spare - before;
    if (text.n - place.end < behind) {
        behind = text.n - place.end;
        before = spare - behind < place.start ? spare - behind : place.start;
    }
    range wide = {place.start - before, place.end + behind};
    if (wide.start > 0)
        wide.start = cut_after(text, wide.start, place.start);
    if (wide.end < text.n)
        wide.end = cut_before(text, wide.end, place.end);
    assert(wide.start <= place.start && place.end <= wide.end && "the hits stay in it");
    return wide;
}

/* ---- how ------------------------------------------------------------------------------------------ */

typedef struct {
    cv_buf out;
    bool gap; /* white space is owed */
} writer;

static void add_text(writer *w, cv_str text)
{
    while (text.n > 0) {
        const char *from = text.p;
        uint32_t code;
        cv_utf8_next(&text, &code);
        cv_str one = cv_str_range(from, text.p);
        if (code <= ' ' || (code >= 0x7f && code < 0xa0)) {
            w->gap = true;
            continue;
        }
        if (w->gap && w->out.n > 0)
            cv_buf_add_char(&w->out, ' ');
        w->gap = false;
        if (cv_str_eq(one, hit_begins) || cv_str_eq(one, hit_ends))
            cv_buf_add_char(&w->out, cv_str_eq(one, hit_begins) ? '[' : ']');
        else
            cv_buf_add(&w->out, one);
    }
}

static void add_hit(writer *w, cv_str text)
{
    if (w->gap && w->out.n > 0)
        cv_buf_add_char(&w->out, ' ');
    w->gap = false;
    cv_buf_add(&w->out, hit_begins);
    add_text(w, text);
    cv_buf_add(&w->out, hit_ends);
}

/* The next hit that begins at `at` or later, with all that overlap it; marks are in the order of their ends. */
static bool next_hit(const cv_search_marks *marks, size_t *i, size_t at, range *ret_hit)
{
    while (*i < marks->count && marks->items[*i].start < at)
        ++*i;
    if (*i == marks->count)
        return false;
    *ret_hit = (range){marks->items[*i].start, marks->items[*i].end};
    for (++*i; *i < marks->count && marks->items[*i].start < ret_hit->end; ++*i) {
        size_t start = marks->items[*i].start;
        ret_hit->start = start >= at && start < ret_hit->start ? start : ret_hit->start;
        ret_hit->end = marks->items[*i].end;
    }
    return true;
}

cv_str cv_snippet(cv_arena *a, cv_str text, const cv_search_marks *marks)
{
    range wide = widen(text, best_place(marks)), hit;
    writer w = {0};
    size_t at = wide.start, i = 0;
    if (wide.start > 0) {
        cv_buf_add(&w.out, cut);
        w.gap = true;
    }
    while (next_hit(marks, &i, at, &hit) && hit.end <= wide.end) {
        assert(at <= hit.start && hit.start <= hit.end);
        add_text(&w, cv_str_range(text.p + at, text.p + hit.start));
        add_hit(&w, cv_str_range(text.p + hit.start, text.p + hit.end));
        at = hit.end;
    }
    if (at < wide.end)
        add_text(&w, cv_str_range(text.p + at, text.p + wide.end));
    if (wide.end < text.n) {
        w.gap = true;
        add_text(&w, cut);
    }
    return cv_buf_take(&w.out, a);
}
