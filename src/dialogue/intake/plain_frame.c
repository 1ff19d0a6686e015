/* plain_frame.c - what is around an answer, and fences in it; see plain.h. */
#include "dialogue/intake/plain_parts.h"
#include "dialogue/text/line.h"

void cv_plain_tell_frame(cv_plain_reader *r, size_t first, size_t last)
{
    cv_plain_tell(r, CV_DIAGNOSIS_NOTE, CV_STR("framed"), first, last,
                  CV_STR("this is what a client puts around an answer: it is left out"), (cv_str){NULL, 0});
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

/* "tokens used: 4,210", "Total cost: $0.05", with a time before it or not. */
static bool is_total(cv_str s)
{
    static const cv_str names[] = {CV_STR_INIT("tokens used"), CV_STR_INIT("total cost"), CV_STR_INIT("total duration"),
                                   CV_STR_INIT("total tokens")};
    size_t words = 0, numbers = 0;
    if (s.n && s.p[0] == '[' && cv_str_find_char(s, ']') < 32)
        s = cv_str_trim(cv_str_from(s, cv_str_find_char(s, ']') + 1));
    for (size_t i = 0; i < CV_COUNT(names); i++)
        if (cv_str_starts_nocase(s, names[i])) {
            count_words(cv_str_from(s, names[i].n), &words, &numbers);
            return numbers == 1 && words <= 2;
        }
    return false;
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
    return is_total(s) || is_head_line(s);
}

/* "tokens used", and their number on the next row. */
static bool ends_in_count(const cv_plain_reader *r)
{
    size_t words = 0, numbers = 0;
    count_words(cv_plain_row_text(r, r->last - 1), &words, &numbers);
    return words == 0 && numbers == 1 && r->last - r->first > 2 &&
           cv_str_eq_nocase(cv_plain_row_text(r, r->last - 2), CV_STR("tokens used"));
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

/* <think> … </think> before the answer: what a model tells itself; and what is before the answer in the words of a
 * model's own template. Without an opening word the closing one is enough. */
static const struct {
    cv_str open, close;
} thoughts[] = {
    {CV_STR_INIT("<think>"), CV_STR_INIT("</think>")},
    {CV_STR_INIT("<thinking>"), CV_STR_INIT("</thinking>")},
    {CV_STR_INIT("<thought>"), CV_STR_INIT("</thought>")},
    {CV_STR_INIT("<thoughts>"), CV_STR_INIT("</thoughts>")},
    {CV_STR_INIT("<antThinking>"), CV_STR_INIT("</antThinking>")},
    {CV_STR_INIT("<reasoning>"), CV_STR_INIT("</reasoning>")},
    {CV_STR_INIT("<reflection>"), CV_STR_INIT("</reflection>")},
    {CV_STR_INIT("<scratchpad>"), CV_STR_INIT("</scratchpad>")},
    {CV_STR_INIT("[THINK]"), CV_STR_INIT("[/THINK]")},
    {CV_STR_INIT("◁think▷"), CV_STR_INIT("◁/think▷")},
    {CV_STR_INIT("<|channel|>"), CV_STR_INIT("<|channel|>final<|message|>")},
    {CV_STR_INIT("<|start_header_id|>"), CV_STR_INIT("<|end_header_id|>")},
    {CV_STR_INIT("<|im_start|>"), CV_STR_INIT("<|im_start|>assistant")},
    {CV_STR_INIT("<start_of_turn>"), CV_STR_INIT("<start_of_turn>model")},
    {CV_STR_INIT("<s>[INST]"), CV_STR_INIT("[/INST]")},
    {CV_STR_INIT("[INST]"), CV_STR_INIT("[/INST]")},
    {CV_STR_INIT(""), CV_STR_INIT("</think>")},
};

/* How many rows they have; 0: there are none, or they are the whole answer. `ret_rest`: what follows on the last row.
 */
static size_t thinking_rows(const cv_plain_reader *r, cv_str *ret_rest)
{
    cv_str top = cv_plain_row_text(r, r->first);
    for (size_t i = 0; i < CV_COUNT(thoughts); i++)
        for (size_t k = r->first; cv_str_starts_nocase(top, thoughts[i].open) && k < r->last; k++) {
            cv_str row = r->rows.items[k].text, close = thoughts[i].close;
            size_t at = thoughts[i].open.n                          ? cv_str_find_nocase(row, close)
                        : cv_str_eq_nocase(cv_str_trim(row), close) ? cv_str_find_nocase(row, close)
                                                                    : SIZE_MAX;
            if (at == SIZE_MAX)
                continue;
            *ret_rest = cv_str_trim_left(cv_str_from(row, at + close.n));
            return ret_rest->n || k + 1 < r->last ? k + 1 - r->first : 0;
        }
    return 0;
}

/* <|im_end|>, </s>: what a model's template puts behind an answer. Cuts it off the last row. */
static bool cut_end(cv_plain_reader *r)
{
    static const cv_str ends[] = {
        CV_STR_INIT("<|im_end|>"),           CV_STR_INIT("<|eot_id|>"), CV_STR_INIT("<|end|>"),
        CV_STR_INIT("<|return|>"),           CV_STR_INIT("</s>"),       CV_STR_INIT("<|endoftext|>"),
        CV_STR_INIT("<|end_of_text|>"),      CV_STR_INIT("<eos>"),      CV_STR_INIT("<end_of_turn>"),
        CV_STR_INIT("<｜end▁of▁sentence｜>")};
    cv_str *row = &r->rows.items[r->last - 1].text, s = cv_str_trim_right(*row);
    for (size_t i = 0; i < CV_COUNT(ends); i++)
        if (cv_str_ends(s, ends[i]) && cv_str_find(s, CV_STR("<s>")) == SIZE_MAX) {
            *row = cv_str_head(s, s.n - ends[i].n);
            cv_plain_tell_frame(r, r->last - 1, r->last - 1);
            return true;
        }
    return false;
}

static void drop_thinking(cv_plain_reader *r, size_t rows, cv_str rest)
{
    r->first += rest.n ? rows - 1 : rows;
    if (!rest.n)
        return;
    r->rows.items[r->first].text = rest;
    cv_plain_tell_frame(r, r->first, r->first);
}

/* The name of a tag that is alone on its line: <result>, </result>. */
cv_str cv_plain_tag(cv_str s, bool closing)
{
    size_t from = closing ? 2 : 1, n = from;
    if (s.n < 4 || s.p[0] != '<' || s.p[s.n - 1] != '>' || (s.p[1] == '/') != closing)
        return (cv_str){NULL, 0};
    while (n < s.n && (cv_is_alnum(s.p[n]) || s.p[n] == '-' || s.p[n] == '_'))
        n++;
    bool ends = closing ? n == s.n - 1 : n == s.n - 1 || s.p[n] == ' ';
    return ends ? (cv_str){s.p + from, n - from} : (cv_str){NULL, 0};
}

/* Does one block end at row i and another one begin with the next fence? Between two blocks nothing stands, or marks;
 * code that a block of markdown quotes is something else. */
static bool is_between_blocks(const cv_plain_reader *r, size_t i, bool named)
{
    size_t length;
    bool words = false, marks = false;
    for (i++; !cv_line_fence(cv_plain_row_text(r, i), false, &length); i++) { /* the last row is one */
        cv_opening st;
        words = words || cv_plain_row_text(r, i).n > 0;
        marks = marks || cv_plain_opens(r, r->rows.items[i].text, &st);
    }
    return i + 1 < r->last && (marks || !named || !words);
}

/* A fence around everything: the first row opens one, the last row closes it, not another one. */
static bool is_fenced_whole(const cv_plain_reader *r)
{
    size_t open, length;
    cv_str first = cv_plain_row_text(r, r->first), last = cv_plain_row_text(r, r->last - 1);
    char c = cv_line_fence(first, false, &open);
    if (!c || r->last - r->first < 2 || !cv_plain_is_info(first) || cv_line_fence(last, true, &length) != c ||
        length < open)
        return false;
    bool named = first.n > open, inside = false;
    for (size_t i = r->first + 1; i + 1 < r->last; i++) {
        cv_str s = cv_plain_row_text(r, i);
        if (cv_line_fence(s, false, &length) != c || length < open)
            continue;
        if (!inside && s.n == length && is_between_blocks(r, i, named))
            return false;
        inside = !inside;
    }
    return true;
}

/* "codex", "**Assistant:**", "ChatGPT said:": a first line that says who answers. */
static bool is_role_line(cv_str s)
{
    static const cv_str roles[] = {CV_STR_INIT("assistant"),   CV_STR_INIT("codex"),  CV_STR_INIT("chatgpt"),
                                   CV_STR_INIT("claude"),      CV_STR_INIT("gemini"), CV_STR_INIT("model"),
                                   CV_STR_INIT("response"),    CV_STR_INIT("answer"), CV_STR_INIT("output"),
                                   CV_STR_INIT("final answer")};
    static const cv_str verbs[] = {CV_STR_INIT(" said"), CV_STR_INIT(" responded"), CV_STR_INIT(" response")};
    while (s.n && strchr("#*_>: ", s.p[0]))
        s = cv_str_from(s, 1);
    while (s.n && strchr("*_: ", s.p[s.n - 1]))
        s.n--;
    for (size_t i = 0; i < CV_COUNT(verbs); i++)
        if (s.n > verbs[i].n && cv_str_eq_nocase(cv_str_from(s, s.n - verbs[i].n), verbs[i]))
            s.n -= verbs[i].n;
    for (size_t i = 0; i < CV_COUNT(roles); i++)
        if (cv_str_eq_nocase(s, roles[i]))
            return true;
    return false;
}

/* What Codex prints before an answer: its settings, the question, and a line "codex"; how many rows, 0: none. */
static size_t codex_rows(const cv_plain_reader *r)
{
    if (cv_str_find(cv_str_head(cv_plain_row_text(r, r->first), 80), CV_STR("OpenAI Codex v")) == SIZE_MAX)
        return 0;
    for (size_t i = r->last; i > r->first + 1; i--) {
        cv_str s = cv_plain_row_text(r, i - 1);
        if (cv_str_eq(s, CV_STR("codex")) || (s.p[0] == '[' && cv_str_ends(s, CV_STR("] codex"))))
            return i < r->last ? i - r->first : 0;
    }
    return 0;
}

/* One layer less; how many rows went at the front and at the end. */
static bool peel(cv_plain_reader *r, bool *ret_fence)
{
    size_t first = r->first, last = r->last;
    *ret_fence = false;
    if (r->first >= r->last)
        return false;
    cv_str top = cv_plain_row_text(r, r->first), bottom = cv_plain_row_text(r, r->last - 1),
           tag = cv_plain_tag(top, false);
    cv_str rest = {NULL, 0};
    size_t usage = usage_rows(r), thinking = thinking_rows(r, &rest), codex = codex_rows(r);
    if (is_head_line(top) || (is_role_line(top) && r->last - r->first > 1)) {
        r->first++;
    } else if (codex) {
        r->first += codex;
    } else if (ends_in_count(r)) {
        r->last -= 2;
    } else if (thinking) {
        drop_thinking(r, thinking, rest);
    } else if (usage) {
        r->last -= usage;
    } else if (is_tail_line(bottom)) {
        r->last--;
    } else if (tag.n && r->last - r->first > 1 && cv_str_eq(tag, cv_plain_tag(bottom, true))) {
        r->first++;
        r->last--;
    } else if (is_fenced_whole(r)) {
        *ret_fence = true;
        r->first++;
        r->last--;
    }
    drop_rows(r, first, r->first);
    drop_rows(r, r->last, last);
    return r->first > first || r->last < last || thinking || cut_end(r);
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
            cv_plain_tell(r, CV_DIAGNOSIS_REPAIRED, CV_STR("in_code_block"), first, last - 1,
                          CV_STR("everything is in a code block: it is read without its fence"),
                          CV_STR("send the response without the fence around it"));
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
        cv_plain_tell_frame(r, first, i);
    }
}

/* ---- what begins every line -------------------------------------------------------------------------------------- */

/* How many bytes at the beginning of a row are not its text; `at`: which row it is, from 0. SIZE_MAX: the row has other
 * words there. */
typedef size_t strip(cv_str s, size_t at);

static size_t blanks_of(cv_str s)
{
    size_t n = 0;
    while (n < s.n && (s.p[n] == ' ' || s.p[n] == '\t'))
        n++;
    return n;
}

/* "   12<tab>", "12→", "12: ", "12|": the number of the line, as programs print files. */
static size_t line_number(cv_str s, size_t at)
{
    static const cv_str joints[] = {CV_STR_INIT("\t"), CV_STR_INIT("→"), CV_STR_INIT(": "), CV_STR_INIT("|"),
                                    CV_STR_INIT(":")};
    size_t from = blanks_of(s), n = from;
    int number;
    while (n < s.n && cv_is_digit(s.p[n]))
        n++;
    if (!cv_str_to_int(cv_str_range(s.p + from, s.p + n), &number) || number != (int)at + 1)
        return SIZE_MAX;
    for (size_t i = 0; i < CV_COUNT(joints); i++)
        if (cv_str_starts(cv_str_from(s, n), joints[i]))
            return n + joints[i].n;
    return n == s.n ? n : SIZE_MAX;
}

/* A line at the left, as terminals draw it. */
static size_t border(cv_str s, size_t at)
{
    static const cv_str lines[] = {CV_STR_INIT("│"), CV_STR_INIT("┃"), CV_STR_INIT("║"),
                                   CV_STR_INIT("▌"), CV_STR_INIT("▎"), CV_STR_INIT("⎿")};
    size_t from = blanks_of(s);
    (void)at;
    for (size_t i = 0; i < CV_COUNT(lines); i++)
        if (cv_str_starts(cv_str_from(s, from), lines[i]))
            return from + lines[i].n;
    return from == s.n ? from : SIZE_MAX;
}

/* "+[MUFFIN-P0101: Cheap]": a file that is new in a difference. In a list a blank follows. */
static size_t plus(cv_str s, size_t at)
{
    (void)at;
    return s.n == 0 ? 0 : s.p[0] == '+' && (s.n == 1 || !cv_is_blank(s.p[1])) ? 1 : SIZE_MAX;
}

static bool strip_rows(cv_plain_reader *r, strip *length)
{
    if (r->last - r->first < 2)
        return false;
    for (size_t i = r->first; i < r->last; i++)
        if (length(r->rows.items[i].text, i - r->first) == SIZE_MAX)
            return false;
    for (size_t i = r->first; i < r->last; i++)
        r->rows.items[i].text = cv_str_from(r->rows.items[i].text, length(r->rows.items[i].text, i - r->first));
    return true;
}

/* \x1b[1m before a row, \x1b[0m behind it: colours of a terminal. */
static bool strip_colours(cv_plain_reader *r)
{
    bool any = false;
    for (size_t i = r->first; i < r->last; i++) {
        cv_str *s = &r->rows.items[i].text;
        for (size_t m; s->n > 2 && s->p[0] == '\x1b' && s->p[1] == '[' &&
                       (m = cv_str_find_char(cv_str_head(*s, 16), 'm')) != SIZE_MAX;
             any = true)
            *s = cv_str_from(*s, m + 1);
        for (size_t m = s->n; s->n > 2 && s->p[s->n - 1] == 'm'; m = s->n) {
            while (m > 0 && s->n - m < 16 && s->p[m - 1] != '\x1b')
                m--;
            if (m == 0 || s->p[m - 1] != '\x1b')
                break;
            s->n = m - 1;
            any = true;
        }
    }
    return any;
}

static void drop_beginnings(cv_plain_reader *r)
{
    static strip *const all[] = {line_number, border, plus};
    bool any = strip_colours(r);
    for (size_t i = 0; i < CV_COUNT(all); i++)
        any = strip_rows(r, all[i]) || any;
    if (any)
        cv_plain_tell(r, CV_DIAGNOSIS_NOTE, CV_STR("framed"), r->first, r->last - 1,
                      CV_STR("a program put numbers, lines or colours before every line: it is read without them"),
                      (cv_str){NULL, 0});
}

static void drop_indent(cv_plain_reader *r)
{
    cv_str common = {NULL, 0};
    for (size_t i = r->first; i < r->last; i++) {
        cv_str s = r->rows.items[i].text;
        size_t n = blanks_of(s), k = 0;
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
        size_t n = blanks_of(r->rows.items[i].text);
        r->rows.items[i].text = cv_str_from(r->rows.items[i].text, n < common.n ? n : common.n);
    }
    if (r->last - r->first > 1)
        cv_plain_tell(r, CV_DIAGNOSIS_NOTE, CV_STR("indented"), r->first, r->last - 1,
                      CV_STR("every line is indented: it is read without the common indent"), (cv_str){NULL, 0});
}

void cv_plain_frame(cv_plain_reader *r)
{
    trim_rows(r);
    drop_beginnings(r);
    find_frame(r);
    drop_indent(r);
}
