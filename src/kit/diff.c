/* diff.c - what changes between two texts; see diff.h. */
#include "kit/diff.h"

#include <assert.h>

#include "base/plain.h"

enum { AROUND = 3 };

typedef struct {
    cv_buf *out;
    bool colour;
    cv_texts before, after; /* lines with their ends */
} diff;

static cv_texts split(cv_arena *a, cv_str text)
{
    cv_texts list = {0};
    while (text.n > 0) {
        size_t end = cv_str_find_char(text, '\n');
        size_t n = end == SIZE_MAX ? text.n : end + 1;
        *CV_PUSH(a, &list) = cv_str_head(text, n);
        text = cv_str_from(text, n);
    }
    return list;
}

static void print_line(const diff *d, char sign, cv_str line)
{
    const char *colour = !d->colour ? "" : sign == '-' ? "\033[31m" : sign == '+' ? "\033[32m" : "";
    bool ended = cv_str_ends(line, CV_STR("\n"));
    if (ended)
        line.n--;
    bool returned = cv_str_ends(line, CV_STR("\r"));
    if (returned)
        line.n--;
    cv_buf_printf(d->out, "%s%c", colour, sign);
    cv_plain_add(d->out, line);
    cv_buf_printf(d->out, "%s%s\n", returned ? "\\r" : "", *colour ? "\033[0m" : "");
    if (!ended)
        cv_buf_add_z(d->out, "\\ No newline at end of file\n");
}

static bool differs(const diff *d, size_t i)
{
    return !cv_str_eq(d->before.items[i], d->after.items[i]);
}

/* Lines first to last - 1 differ. */
static void print_run(const diff *d, size_t first, size_t last, size_t new_last)
{
    for (size_t i = first; i < last; i++)
        print_line(d, '-', d->before.items[i]);
    for (size_t i = first; i < new_last; i++)
        print_line(d, '+', d->after.items[i]);
}

static void print_context(const diff *d, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        print_line(d, ' ', d->before.items[i]);
}

/* From the first line that differs: runs that are less than twice AROUND apart share a hunk. */
static size_t print_hunk(const diff *d, size_t first)
{
    size_t count = d->before.count, from = first > AROUND ? first - AROUND : 0, last = first + 1;
    for (size_t i = last; i < count && i <= last + 2 * AROUND; i++)
        if (differs(d, i))
            last = i + 1;
    size_t to = count - last < AROUND ? count : last + AROUND;
    assert(from <= first && first < last && last <= to && to <= count);
    cv_buf_printf(d->out, "@@ -%zu,%zu +%zu,%zu @@\n", from + 1, to - from, from + 1, to - from);
    print_context(d, from, first);
    for (size_t i = first; i < last;) {
        size_t run = i;
        while (run < last && differs(d, run))
            run++;
        print_run(d, i, run, run);
        for (i = run; i < last && !differs(d, i); i++)
            print_line(d, ' ', d->before.items[i]);
    }
    print_context(d, last, to);
    return to;
}

static void print_rest(const diff *d)
{
    size_t old_count = d->before.count, new_count = d->after.count, first = 0;
    while (first < old_count && first < new_count && !differs(d, first))
        first++;
    cv_buf_printf(d->out, "@@ -%zu,%zu +%zu,%zu @@\n", first + 1, old_count - first, first + 1, new_count - first);
    print_run(d, first, old_count, new_count);
}

void cv_diff_print(cv_buf *out, cv_arena *a, bool colour, const char *file, cv_str before, cv_str after)
{
    diff d = {out, colour, split(a, before), split(a, after)};
    cv_buf_add_z(out, "--- ");
    cv_plain_add(out, cv_str_of(file));
    cv_buf_add_z(out, "\n+++ ");
    cv_plain_add(out, cv_str_of(file));
    cv_buf_add_z(out, "\n");
    if (d.before.count != d.after.count) {
        print_rest(&d);
        return;
    }
    for (size_t i = 0; i < d.before.count;)
        i = differs(&d, i) ? print_hunk(&d, i) : i + 1;
}
