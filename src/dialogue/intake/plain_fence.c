/* plain_fence.c - code fences in an answer: those that hold marks are dropped; see plain.h. */
#include "dialogue/intake/plain_parts.h"
#include "dialogue/text/line.h"

bool cv_plain_is_info(cv_str fence)
{
    static const cv_str words[] = {CV_STR_INIT("markdown"), CV_STR_INIT("md"),       CV_STR_INIT("text"),
                                   CV_STR_INIT("txt"),      CV_STR_INIT("plain"),    CV_STR_INIT("plaintext"),
                                   CV_STR_INIT("dialogue"), CV_STR_INIT("response"), CV_STR_INIT("marks"),
                                   CV_STR_INIT("markers"),  CV_STR_INIT("marker"),   CV_STR_INIT("responses"),
                                   CV_STR_INIT("answer"),   CV_STR_INIT("output"),   CV_STR_INIT("conclave")};
    while (fence.n && (fence.p[0] == '`' || fence.p[0] == '~'))
        fence = cv_str_from(fence, 1);
    fence = cv_str_trim(fence);
    return fence.n == 0 || cv_words_find((cv_words){words, CV_COUNT(words)}, fence) >= 0;
}

typedef struct {
    size_t longest[2]; /* the longest fence of ` and ~ that may close one, from here to the end */
} closers;

static size_t fence_kind(char c)
{
    return c == '~';
}

static void find_marks(cv_plain_reader *r)
{
    for (size_t i = r->first; i < r->last; i++) {
        cv_opening st;
        cv_plain_row *line = &r->rows.items[i];
        line->mark = cv_plain_opens(r, cv_unquoted(line->text), &st) && !st.words.n && st.form != CV_OPENING_TICKED &&
                     st.form != CV_OPENING_BARE;
        line->own = line->mark && st.own;
    }
}

typedef struct {
    size_t first, last; /* the rows of the fence; last == the row count: never closed */
    bool marks, own, plain;
} fence;

typedef CV_STATE_LIST(fence) fences;

/* The rows from here on that have a mark, and one of the expert's own. */
typedef struct {
    size_t marks, own;
} mark_counts;

static mark_counts *count_marks(const cv_plain_reader *r)
{
    mark_counts *counts = CV_NEW_ARRAY(r->who->a, r->last + 1, mark_counts);
    for (size_t i = r->last; i > r->first; i--) {
        counts[i - 1].marks = counts[i].marks + r->rows.items[i - 1].mark;
        counts[i - 1].own = counts[i].own + r->rows.items[i - 1].own;
    }
    return counts;
}

/* Rows that hold fences: all of them, or what is in a fence that is dropped. */
typedef struct {
    size_t first, end;
    const mark_counts *counts;
    int depth;
} fence_range;

/* Fences as they pair up; one that is never closed but has marks below it is none. */
static void find_fences(const cv_plain_reader *r, const fence_range *in, fences *ret)
{
    closers *after = CV_NEW_ARRAY(r->who->a, in->end - in->first + 1, closers);
    bool marks_outside = false, broken = false;
    size_t length;
    for (size_t i = in->end; i > in->first; i--) {
        char c = cv_line_fence(cv_plain_row_text(r, i - 1), true, &length);
        closers *here = &after[i - 1 - in->first];
        *here = after[i - in->first];
        if (c && length > here->longest[fence_kind(c)])
            here->longest[fence_kind(c)] = length;
    }
    for (size_t i = in->first; i < in->end; i++) {
        char c = cv_line_fence(cv_plain_row_text(r, i), false, &length);
        if (!c) {
            marks_outside = marks_outside || r->rows.items[i].mark;
            continue;
        }
        fence f = {.first = i, .last = in->end, .plain = cv_plain_is_info(cv_plain_row_text(r, i))};
        size_t other;
        if (after[i + 1 - in->first].longest[fence_kind(c)] >= length)
            for (f.last = i + 1; cv_line_fence(cv_plain_row_text(r, f.last), true, &other) != c || other < length;)
                f.last++;
        f.marks = in->counts[i].marks > in->counts[f.last].marks;
        f.own = in->counts[i].own > in->counts[f.last].own;
        broken = broken || f.last == in->end;
        *CV_PUSH(r->who->a, ret) = f;
        if (f.last < in->end || !f.marks)
            i = f.last;
    }
    for (size_t i = 0; i < ret->count; i++)
        ret->items[i].plain = ret->items[i].plain && (ret->items[i].own || !marks_outside || broken);
}

static void settle_fences(cv_plain_reader *r, fence_range in);

/* The fence goes, what is in it is read. What is in it may have fences of its own. */
static void drop_fence(cv_plain_reader *r, const fence_range *in, const fence *f)
{
    enum { DEEPEST = 4 };
    bool open = f->last == in->end;
    r->rows.items[f->first].dropped = true;
    if (!open)
        r->rows.items[f->last].dropped = true;
    cv_plain_tell(r, CV_DIAGNOSIS_REPAIRED, open ? CV_STR("open_code_block") : CV_STR("in_code_block"), f->first,
                  open ? f->first : f->last,
                  !open      ? CV_STR("there are marks in a code block: it is read without its fence")
                  : f->marks ? CV_STR("the code fence is never closed and has marks below it: it is read without the "
                                      "fence")
                             : CV_STR("the code fence is not closed where it should be: it is read without the fence"),
                  CV_STR("write marks outside of code blocks"));
    if (!open && in->depth < DEEPEST)
        settle_fences(r, (fence_range){f->first + 1, f->last, in->counts, in->depth + 1});
}

static void settle_fences(cv_plain_reader *r, fence_range in)
{
    fences all = {0};
    find_fences(r, &in, &all);
    for (size_t i = 0; i < all.count; i++) {
        const fence *f = &all.items[i];
        bool open = f->last == in.end;
        size_t last = open ? in.end - 1 : f->last;
        if ((f->marks && (open || f->plain)) || (open && in.end < r->last)) {
            drop_fence(r, &in, f);
            continue;
        }
        for (size_t k = f->first; k <= last; k++)
            r->rows.items[k].fenced = true;
        if (f->marks)
            cv_plain_tell(r, CV_DIAGNOSIS_NOTE, CV_STR("mark_in_code"), f->first, last,
                          CV_STR("a mark is in a code block: it is read as code, not as a mark"),
                          CV_STR("write it outside of the code block if it should count"));
    }
}

/* ---- tags -------------------------------------------------------------------------------------------------------- */

/* <answer> and </answer>, each alone on a row, with marks between them: the tags go. */
static void drop_tags(cv_plain_reader *r, const mark_counts *counts)
{
    CV_STATE_LIST(size_t) open = {0};
    for (size_t i = r->first; i < r->last; i++) {
        cv_str s = cv_plain_row_text(r, i), begins = cv_plain_tag(s, false), ends = cv_plain_tag(s, true);
        if (!cv_plain_is_row(r, i))
            continue;
        if (begins.n)
            *CV_PUSH(r->who->a, &open) = i;
        for (bool found = false; ends.n && !found && open.count;) {
            size_t first = open.items[--open.count];
            found = cv_str_eq(cv_plain_tag(cv_plain_row_text(r, first), false), ends);
            if (!found || counts[first].marks == counts[i].marks)
                continue;
            r->rows.items[first].dropped = r->rows.items[i].dropped = true;
            cv_plain_tell_frame(r, first, first);
            cv_plain_tell_frame(r, i, i);
        }
    }
}

void cv_plain_fences(cv_plain_reader *r)
{
    find_marks(r);
    const mark_counts *counts = count_marks(r);
    settle_fences(r, (fence_range){r->first, r->last, counts, 0});
    drop_tags(r, counts);
}
