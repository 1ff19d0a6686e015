/* plain_frame.c - what stands around an answer, and fences in it; see plain.h. */
#include "dialogue/intake/plain_parts.h"
#include "dialogue/text/line.h"

static bool opens(const cv_plain_reader *r, cv_str s, cv_opening *ret)
{
    const cv_opening_reader reader = cv_plain_opening(r);
    return cv_opening_read(&reader, s, ret);
}

static void drop_rows(cv_plain_reader *r, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        r->rows.items[i].dropped = true;
}

/* ---- the frame --------------------------------------------------------------------------------------------------- */

static void trim_rows(cv_plain_reader *r)
{
    while (r->first < r->last && cv_plain_row_text(r, r->first).n == 0)
        r->first++;
    while (r->first < r->last && cv_plain_row_text(r, r->last - 1).n == 0)
        r->last--;
}

/* A line that only a client writes: "[Subagent hand-back]", "agentId: 4711 (for resuming)". */
static bool is_head_line(cv_str s)
{
    static const cv_str words[] = {CV_STR_INIT("hand-back"),    CV_STR_INIT("handback"),
                                   CV_STR_INIT("hand back"),    CV_STR_INIT("subagent"),
                                   CV_STR_INIT("sub-agent"),    CV_STR_INIT("agent result"),
                                   CV_STR_INIT("agent output"), CV_STR_INIT("agent response")};
    bool framed = s.n > 2 && ((s.p[0] == '[' && s.p[s.n - 1] == ']') || (s.p[0] == '<' && s.p[s.n - 1] == '>') ||
                              (s.p[0] == '=' && s.p[s.n - 1] == '=') || (s.p[0] == '-' && s.p[s.n - 1] == '-'));
    for (size_t i = 0; framed && s.n < 120 && i < CV_COUNT(words); i++)
        if (cv_str_find_nocase(s, words[i]) != SIZE_MAX)
            return true;
    return false;
}

/* "4711", "a1b2-c3": an id as clients give them, alone or with something in parentheses behind it. */
static bool is_client_id(cv_str s)
{
    size_t n = 0;
    bool digit = false;
    s = cv_str_trim(s);
    for (; n < s.n && (cv_is_alnum(s.p[n]) || s.p[n] == '-' || s.p[n] == '_'); n++)
        digit = digit || cv_is_digit(s.p[n]);
    cv_str rest = cv_str_trim(cv_str_from(s, n));
    return digit && (rest.n == 0 || (rest.p[0] == '(' && rest.p[rest.n - 1] == ')'));
}

/* Names and their numbers, not a sentence. */
static bool is_count(size_t words, size_t numbers)
{
    return numbers > 0 && words <= 2 * numbers;
}

static void count_words(cv_str s, size_t *words, size_t *numbers)
{
    for (size_t i = 0; i < s.n;) {
        size_t *kind = cv_is_digit(s.p[i]) ? numbers : cv_is_alpha(s.p[i]) ? words : NULL;
        if (!kind) {
            i++;
            continue;
        }
        ++*kind;
        while (i < s.n && (cv_is_alnum(s.p[i]) || strchr("_.,", s.p[i])))
            i++;
    }
}

static bool is_tail_line(cv_str s)
{
    static const cv_str ids[] = {CV_STR_INIT("agentId:"), CV_STR_INIT("agent_id:"), CV_STR_INIT("agent id:")};
    static const cv_str counts[] = {CV_STR_INIT("total_tokens:"), CV_STR_INIT("tool_uses:"),
                                    CV_STR_INIT("duration_ms:"), CV_STR_INIT("subagent_tokens:")};
    for (size_t i = 0; i < CV_COUNT(ids); i++)
        if (cv_str_starts_nocase(s, ids[i]))
            return is_client_id(cv_str_from(s, ids[i].n));
    for (size_t i = 0; i < CV_COUNT(counts); i++)
        if (cv_str_starts_nocase(s, counts[i])) {
            size_t words = 1, numbers = 0;
            count_words(cv_str_from(s, counts[i].n), &words, &numbers);
            return is_count(words, numbers);
        }
    return is_head_line(s);
}

/* "<usage>" with its end on this line or some lines above, and numbers in it; how many rows, 0: none. */
static size_t usage_rows(const cv_plain_reader *r)
{
    enum { MOST = 12 };
    size_t words = 0, numbers = 0;
    cv_str end = cv_plain_row_text(r, r->last - 1);
    if (!cv_str_ends(end, CV_STR("</usage>")))
        return 0;
    for (size_t n = 1; n <= MOST && n <= r->last - r->first; n++) {
        cv_str row = cv_plain_row_text(r, r->last - n);
        bool opens_here = cv_str_starts(row, CV_STR("<usage>"));
        if (n == 1)
            row = cv_str_head(row, row.n - strlen("</usage>"));
        count_words(opens_here && row.n >= strlen("<usage>") ? cv_str_from(row, strlen("<usage>")) : row, &words,
                    &numbers);
        if (opens_here)
            return is_count(words, numbers) ? n : 0;
    }
    return 0;
}

/* <think> … </think> before the answer: what a model tells itself. Answers how many rows it has; 0: there is none, or
 * it is the whole answer. `ret_rest`: what follows it on its last row. */
static size_t thinking_rows(const cv_plain_reader *r, cv_str *ret_rest)
{
    static const cv_str open[] = {CV_STR_INIT("<think>"), CV_STR_INIT("<thinking>"), CV_STR_INIT("<reasoning>")},
                        close[] = {CV_STR_INIT("</think>"), CV_STR_INIT("</thinking>"), CV_STR_INIT("</reasoning>")};
    cv_str top = cv_plain_row_text(r, r->first);
    for (size_t i = 0; i < CV_COUNT(open); i++)
        for (size_t k = r->first; cv_str_starts_nocase(top, open[i]) && k < r->last; k++) {
            cv_str row = r->rows.items[k].text;
            size_t at = cv_str_find_nocase(row, close[i]);
            if (at == SIZE_MAX)
                continue;
            *ret_rest = cv_str_trim_left(cv_str_from(row, at + close[i].n));
            return ret_rest->n || k + 1 < r->last ? k + 1 - r->first : 0;
        }
    return 0;
}

static void drop_thinking(cv_plain_reader *r, size_t rows, cv_str rest)
{
    r->first += rest.n ? rows - 1 : rows;
    if (!rest.n)
        return;
    r->rows.items[r->first].text = rest;
    cv_plain_tell(r, CV_FATE_NOTE, CV_STR("framed"), r->first, r->first,
                  CV_STR("this is what a client puts around an answer: it is left out"), (cv_str){NULL, 0});
}

/* The name of a tag that stands alone on its line: <result>, </result>. */
static cv_str tag_of(cv_str s, bool closing)
{
    size_t from = closing ? 2 : 1, n = from;
    if (s.n < 4 || s.p[0] != '<' || s.p[s.n - 1] != '>' || (s.p[1] == '/') != closing)
        return (cv_str){NULL, 0};
    while (n < s.n && (cv_is_alnum(s.p[n]) || s.p[n] == '-' || s.p[n] == '_'))
        n++;
    bool ends = closing ? n == s.n - 1 : n == s.n - 1 || s.p[n] == ' ';
    return ends ? (cv_str){s.p + from, n - from} : (cv_str){NULL, 0};
}

static bool is_plain_info(cv_str fence)
{
    static const cv_str words[] = {CV_STR_INIT("markdown"), CV_STR_INIT("md"),       CV_STR_INIT("text"),
                                   CV_STR_INIT("txt"),      CV_STR_INIT("plain"),    CV_STR_INIT("plaintext"),
                                   CV_STR_INIT("dialogue"), CV_STR_INIT("response"), CV_STR_INIT("marks")};
    while (fence.n && (fence.p[0] == '`' || fence.p[0] == '~'))
        fence = cv_str_from(fence, 1);
    fence = cv_str_trim(fence);
    return fence.n == 0 || cv_words_find((cv_words){words, CV_COUNT(words)}, fence) >= 0;
}

/* A fence around everything: the first row opens one, the last row closes one. */
static bool is_fenced_whole(const cv_plain_reader *r)
{
    size_t open, close;
    cv_str first = cv_plain_row_text(r, r->first), last = cv_plain_row_text(r, r->last - 1);
    char c = cv_line_fence(first, false, &open);
    return c && r->last - r->first > 1 && is_plain_info(first) && cv_line_fence(last, true, &close) == c &&
           close >= open;
}

/* One layer less; how many rows went at the front and at the end. */
static bool peel(cv_plain_reader *r, bool *ret_fence)
{
    size_t first = r->first, last = r->last;
    *ret_fence = false;
    if (r->first >= r->last)
        return false;
    cv_str top = cv_plain_row_text(r, r->first), bottom = cv_plain_row_text(r, r->last - 1), tag = tag_of(top, false);
    cv_str rest = {NULL, 0};
    size_t usage = usage_rows(r), thinking = thinking_rows(r, &rest);
    if (is_head_line(top)) {
        r->first++;
    } else if (thinking) {
        drop_thinking(r, thinking, rest);
    } else if (usage) {
        r->last -= usage;
    } else if (is_tail_line(bottom)) {
        r->last--;
    } else if (tag.n && r->last - r->first > 1 && cv_str_eq(tag, tag_of(bottom, true))) {
        r->first++;
        r->last--;
    } else if (is_fenced_whole(r)) {
        *ret_fence = true;
        r->first++;
        r->last--;
    }
    drop_rows(r, first, r->first);
    drop_rows(r, r->last, last);
    return r->first > first || r->last < last || thinking;
}

static void find_frame(cv_plain_reader *r)
{
    enum { MOST_LAYERS = 32 };
    size_t rows = r->rows.count;
    bool fence, framed = false;
    trim_rows(r);
    for (int i = 0; i < MOST_LAYERS; i++, trim_rows(r)) {
        size_t first = r->first, last = r->last;
        if (!peel(r, &fence))
            break;
        if (fence)
            cv_plain_tell(r, CV_FATE_REPAIRED, CV_STR("in_code_block"), first, last - 1,
                          CV_STR("everything stands in a code block: it is read without its fence"),
                          CV_STR("hand the response in without the fence around it"));
        framed = framed || !fence;
    }
    for (size_t i = 0; framed && i < rows; i++) {
        size_t first = i;
        cv_str text = cv_plain_row_text(r, i);
        size_t length;
        if (!r->rows.items[i].dropped || cv_line_fence(text, false, &length))
            continue;
        while (i + 1 < rows && r->rows.items[i + 1].dropped &&
               !cv_line_fence(cv_plain_row_text(r, i + 1), false, &length))
            i++;
        cv_plain_tell(r, CV_FATE_NOTE, CV_STR("framed"), first, i,
                      CV_STR("this is what a client puts around an answer: it is left out"), (cv_str){NULL, 0});
    }
}

static size_t indent_of(cv_str s)
{
    size_t n = 0;
    while (n < s.n && (s.p[n] == ' ' || s.p[n] == '\t'))
        n++;
    return n;
}

static void drop_indent(cv_plain_reader *r)
{
    cv_str common = {NULL, 0};
    for (size_t i = r->first; i < r->last; i++) {
        cv_str s = r->rows.items[i].text;
        size_t n = indent_of(s), k = 0;
        if (n == s.n)
            continue;
        if (!common.p)
            common = cv_str_head(s, n);
        while (k < common.n && k < n && common.p[k] == s.p[k])
            k++;
        common.n = k;
    }
    if (common.n == 0)
        return;
    for (size_t i = r->first; i < r->last; i++) {
        size_t n = indent_of(r->rows.items[i].text);
        r->rows.items[i].text = cv_str_from(r->rows.items[i].text, n < common.n ? n : common.n);
    }
    if (r->last - r->first > 1)
        cv_plain_tell(r, CV_FATE_NOTE, CV_STR("indented"), r->first, r->last - 1,
                      CV_STR("every line is indented: it is read without the common indent"), (cv_str){NULL, 0});
}

/* ---- fences ------------------------------------------------------------------------------------------------------ */

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
        line->mark = opens(r, cv_unquoted(line->text), &st) && !st.words.n && st.form != CV_OPENING_TICKED &&
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

/* Rows that hold fences: all of them, or what stands in a fence that is dropped. */
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
        fence f = {.first = i, .last = in->end, .plain = is_plain_info(cv_plain_row_text(r, i))};
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

/* The fence goes, what stands in it is read. What stands in it may have fences of its own. */
static void drop_fence(cv_plain_reader *r, const fence_range *in, const fence *f)
{
    enum { DEEPEST = 4 };
    bool open = f->last == in->end;
    r->rows.items[f->first].dropped = true;
    if (!open)
        r->rows.items[f->last].dropped = true;
    cv_plain_tell(r, CV_FATE_REPAIRED, open ? CV_STR("open_code_block") : CV_STR("in_code_block"), f->first,
                  open ? f->first : f->last,
                  !open      ? CV_STR("marks stand in a code block: it is read without its fence")
                  : f->marks ? CV_STR("the code fence is never closed and has marks below it: it is read without the "
                                      "fence")
                             : CV_STR("the code fence is not closed where it should be: it is read without the fence"),
                  CV_STR("marks stand outside of code blocks"));
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
            cv_plain_tell(r, CV_FATE_NOTE, CV_STR("mark_in_code"), f->first, last,
                          CV_STR("a mark stands in a code block: it is read as code, not as a mark"),
                          CV_STR("write it outside of the code block if it is meant to count"));
    }
}

void cv_plain_frame(cv_plain_reader *r)
{
    find_frame(r);
    drop_indent(r);
}

void cv_plain_fences(cv_plain_reader *r)
{
    find_marks(r);
    settle_fences(r, (fence_range){r->first, r->last, count_marks(r), 0});
}
