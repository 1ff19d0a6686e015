/* plain.c - a response as it is read; see plain.h.
 *
 *     rows       the lines of the source
 *     frame      what a client put around them is marked as dropped, the common indent is found
 *     fences     which rows are code; fences that hold the answer are dropped
 *     made       the ids that some row makes: others may speak of them in any way
 *     put        row by row into the text: quotations and tables opened, marks spelt as they should be
 */
#include "dialogue/intake/plain.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "base/utf8.h"
#include "dialogue/text/line.h"
#include "dialogue/words/limits.h"

static const cv_str fate_words[] = {CV_STR_INIT("lost"), CV_STR_INIT("repaired"), CV_STR_INIT("note")};
_Static_assert(CV_COUNT(fate_words) == CV_FATE_COUNT, "a word per fate");
const cv_words cv_fate_words = {fate_words, CV_FATE_COUNT};

typedef struct {
    cv_str text;  /* without its end */
    size_t next;  /* where the next one begins in the source */
    bool dropped; /* not in the text */
    bool fenced;  /* code */
    bool mark;    /* it begins with a mark, seen from the outside */
    bool own;     /* … of the expert's own */
} row;

typedef struct {
    const cv_speaker *who;
    cv_plain *plain;
    CV_STATE_LIST(row) rows;
    size_t first, last; /* the answer, without its frame */
    cv_map made;
    cv_buf out;
    size_t at; /* the row that is put */
} reader;

static void remark(reader *r, cv_fate fate, cv_str type, size_t first, size_t last, cv_str message, cv_str suggestion)
{
    *CV_PUSH(r->who->a, &r->plain->remarks) = (cv_plain_remark){fate, type, message, suggestion, first + 1, last + 1};
}

static bool has_word(cv_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (cv_is_alnum(s.p[i]) || (unsigned char)s.p[i] >= 0x80)
            return true;
    return false;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void find_rows(reader *r, cv_str source)
{
    for (size_t at = 0; at < source.n;) {
        size_t n = cv_str_find_char(cv_str_from(source, at), '\n');
        size_t end = n == SIZE_MAX ? source.n : at + n, next = n == SIZE_MAX ? source.n : end + 1;
        while (end > at && source.p[end - 1] == '\r')
            end--;
        *CV_PUSH(r->who->a, &r->rows) = (row){.text = cv_str_range(source.p + at, source.p + end), .next = next};
        at = next;
    }
    r->last = r->rows.count;
}

static cv_str row_text(const reader *r, size_t i)
{
    return cv_str_trim(r->rows.items[i].text);
}

static void drop_rows(reader *r, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        r->rows.items[i].dropped = true;
}

/* ---- the frame --------------------------------------------------------------------------------------------------- */

static void trim_rows(reader *r)
{
    while (r->first < r->last && row_text(r, r->first).n == 0)
        r->first++;
    while (r->first < r->last && row_text(r, r->last - 1).n == 0)
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

static bool is_tail_line(cv_str s)
{
    static const cv_str keys[] = {CV_STR_INIT("agentId:"),        CV_STR_INIT("agent_id:"),
                                  CV_STR_INIT("agent id:"),       CV_STR_INIT("total_tokens:"),
                                  CV_STR_INIT("tool_uses:"),      CV_STR_INIT("duration_ms:"),
                                  CV_STR_INIT("subagent_tokens:")};
    for (size_t i = 0; i < CV_COUNT(keys); i++)
        if (cv_str_starts_nocase(s, keys[i]))
            return true;
    return is_head_line(s);
}

/* "<usage>" with its end on this line or some lines above; how many rows, 0: none. */
static size_t usage_rows(const reader *r)
{
    enum { MOST = 12 };
    cv_str end = row_text(r, r->last - 1);
    if (!cv_str_ends(end, CV_STR("</usage>")))
        return 0;
    for (size_t n = 1; n <= MOST && n <= r->last - r->first; n++)
        if (cv_str_starts(row_text(r, r->last - n), CV_STR("<usage>")))
            return n;
    return 0;
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
static bool is_fenced_whole(const reader *r)
{
    size_t open, close;
    cv_str first = row_text(r, r->first), last = row_text(r, r->last - 1);
    char c = cv_line_fence(first, false, &open);
    return c && r->last - r->first > 1 && is_plain_info(first) && cv_line_fence(last, true, &close) == c &&
           close >= open;
}

/* One layer less; how many rows went at the front and at the end. */
static bool peel(reader *r, bool *ret_fence)
{
    size_t first = r->first, last = r->last;
    *ret_fence = false;
    if (r->first >= r->last)
        return false;
    cv_str top = row_text(r, r->first), bottom = row_text(r, r->last - 1), tag = tag_of(top, false);
    size_t usage = usage_rows(r);
    if (is_head_line(top)) {
        r->first++;
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
    return r->first > first || r->last < last;
}

static void find_frame(reader *r)
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
            remark(r, CV_FATE_REPAIRED, CV_STR("in_code_block"), first, last - 1,
                   CV_STR("everything stands in a code block: it is read without its fence"),
                   CV_STR("hand the response in without the fence around it"));
        framed = framed || !fence;
    }
    for (size_t i = 0; framed && i < rows; i++) {
        size_t first = i;
        cv_str text = row_text(r, i);
        size_t length;
        if (!r->rows.items[i].dropped || cv_line_fence(text, false, &length))
            continue;
        while (i + 1 < rows && r->rows.items[i + 1].dropped && !cv_line_fence(row_text(r, i + 1), false, &length))
            i++;
        remark(r, CV_FATE_NOTE, CV_STR("framed"), first, i,
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

static void drop_indent(reader *r)
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
        remark(r, CV_FATE_NOTE, CV_STR("indented"), r->first, r->last - 1,
               CV_STR("every line is indented: it is read without the common indent"), (cv_str){NULL, 0});
}

/* ---- what a row begins with -------------------------------------------------------------------------------------- */

typedef enum { NOTHING, NATIVE, BRACKETED, BARE, TICKED } form;

/* A mark at the beginning of a row, or of a cell. */
typedef struct {
    form form;
    size_t lead;  /* what stands before it */
    size_t end;   /* the end of the mark in the row */
    cv_head head; /* all but NATIVE */
    cv_str label; /* … */
    bool escape;  /* the label is not the inside of brackets: those in it need a backslash */
    cv_mark mark; /* NATIVE */
    bool own;     /* it gives an id of this expert and round */
    bool foreign; /* it speaks of what somebody else said, or of what is registered */
    cv_str id;    /* its local id, or empty */
    cv_str words; /* a lead of words, which is text */
    bool unclosed;
    bool led;     /* words stand before it */
    bool heading; /* a heading or bold */
} start;

static bool is_sign(cv_str s, size_t *ret_length)
{
    uint32_t code;
    cv_str rest = s;
    if ((unsigned char)s.p[0] < 0x80 || !cv_utf8_next(&rest, &code))
        return false;
    *ret_length = s.n - rest.n;
    switch (utf8proc_category((utf8proc_int32_t)code)) {
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
        return false;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
        return code >= 0xff01 && code <= 0xff5e ? false : cv_utf8_is_emoji(code);
    default:
        return true;
    }
}

/* "12. ", "a) ", "(iv) ", "[ ] ", "[^1]: ", "<b>": what begins an item of a list; its length, or 0. */
static size_t item_lead(cv_str s)
{
    size_t n = 0, open = s.p[0] == '(' ? 1 : 0;
    while (open + n < s.n && n < 4 && cv_is_alnum(s.p[open + n]))
        n++;
    size_t end = open + n;
    bool closed = end < s.n && (s.p[end] == ')' || (!open && s.p[end] == '.'));
    if (n && closed && end + 1 < s.n && cv_is_blank(s.p[end + 1]) &&
        (cv_is_digit(s.p[open]) || n == 1 || s.p[open] == 'i' || s.p[open] == 'v' || s.p[open] == 'x'))
        return end + 2;
    if (s.n > 3 && s.p[0] == '[' && strchr(" xX", s.p[1]) && s.p[2] == ']' && cv_is_blank(s.p[3]))
        return 4;
    if (s.n > 4 && s.p[0] == '[' && s.p[1] == '^') {
        size_t close = cv_str_find(cv_str_head(s, 40), CV_STR("]:"));
        return close == SIZE_MAX ? 0 : close + 2;
    }
    if (s.p[0] == '<' && s.n > 2 && cv_is_alpha(s.p[1])) {
        size_t close = cv_str_find_char(cv_str_head(s, 24), '>');
        bool plain = close != SIZE_MAX;
        for (size_t i = 1; plain && i < close; i++)
            plain = cv_is_lower(s.p[i]) || cv_is_digit(s.p[i]);
        return plain ? close + 1 : 0;
    }
    return 0;
}

/* Bullets, quotation marks, headings, emphasis, emoji: what may stand before a mark. */
static size_t lead_of(cv_str s, bool *ret_heading)
{
    size_t i = 0, n;
    *ret_heading = false;
    while (i < s.n) {
        cv_str rest = cv_str_from(s, i);
        char c = s.p[i];
        if (c == '#' || c == '*')
            *ret_heading = true;
        if (cv_is_blank(c) || strchr(">#*_~\"", c) ||
            ((c == '-' || c == '+' || c == ':' || c == '=') && i + 1 < s.n && strchr(" \t>-=", s.p[i + 1])))
            i++;
        else if (is_sign(rest, &n) || (n = item_lead(rest)) > 0)
            i += n;
        else
            break;
    }
    return i;
}

static bool only_signs(cv_str s)
{
    size_t n;
    for (size_t i = 0; i < s.n; i += n) {
        n = 1;
        if (cv_is_alnum(s.p[i]) || ((unsigned char)s.p[i] >= 0x80 && !is_sign(cv_str_from(s, i), &n)))
            return false;
    }
    return true;
}

static bool is_upper_word(cv_str s)
{
    return s.n > 1 && cv_is_upper(s.p[0]) && cv_is_upper(s.p[1]);
}

static bool is_made(const reader *r, cv_str id)
{
    return id.n && cv_map_get(&r->made, id);
}

static void set_owner(const reader *r, start *st, cv_str id)
{
    cv_id parts;
    if (!cv_id_parse(id, &parts))
        return;
    if (parts.form == CV_ID_LOCAL) {
        bool mine = cv_str_eq_nocase(parts.expert, r->who->expert);
        st->id = cv_id_print(r->who->a, &parts);
        st->own = mine && parts.round == r->who->round;
        st->foreign = mine ? cv_state_origin(r->who->s, st->id) != NULL
                           : cv_state_expert(r->who->s, cv_arena_lower(r->who->a, parts.expert)) != NULL;
    } else if (parts.form == CV_ID_DISPLAY) {
        st->foreign = parts.round < r->who->round;
    }
}

static bool has_wide(cv_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] >= 0x80)
            return true;
    return false;
}

/* What the text's own reader understands as it stands. */
static bool is_sound(const reader *r, cv_str s, const cv_mark *m)
{
    cv_mark_shape shape = cv_marks_table[m->type].shape;
    cv_head head;
    if (m->type == CV_MARK_OTHER || m->unclosed)
        return false;
    bool nearly = cv_head_read(r->who, cv_str_from(s, 1), &head) && head.type == m->type;
    if (nearly && has_wide(cv_str_head(s, head.rest)))
        return false;
    if (shape == CV_SHAPE_ENTITY)
        return m->id.n || !nearly || !head.numbered;
    if (shape == CV_SHAPE_REF || shape == CV_SHAPE_MOVE) {
        if (m->sub < 0)
            return !nearly;
    } else if (shape != CV_SHAPE_TARGETS) {
        return true;
    }
    size_t count = 0;
    cv_str rest = m->targets;
    for (cv_id id; cv_target_next(&rest, &id);)
        count++;
    return !nearly || head.targets <= count;
}

static bool read_native(const reader *r, cv_str s, start *st)
{
    cv_line line;
    cv_line_classify(s, NULL, &line);
    if (line.kind != CV_LINE_MARKER || !is_sound(r, cv_str_from(line.text, line.mark_at), &line.mark))
        return false;
    st->form = NATIVE;
    st->lead = line.mark_at;
    st->end = line.mark_at + line.mark.end;
    st->mark = line.mark;
    set_owner(r, st, line.mark.id);
    return true;
}

static cv_str take_label(cv_str s, size_t from, size_t to)
{
    return from < to ? cv_str_trim(cv_str_range(s.p + from, s.p + to)) : (cv_str){NULL, 0};
}

/* Is what stands in brackets of any kind meant as a mark? */
static bool is_meant(const cv_head *h, cv_str s, size_t close, bool square)
{
    bool entity = h->type < (cv_mark_type)CV_KIND_COUNT;
    cv_str behind = close == SIZE_MAX ? (cv_str){NULL, 0} : cv_str_from(s, close + 1);
    bool link = behind.n && behind.p[0] == '(' && !h->own;
    bool inside = h->rest < close;
    if (link)
        return false;
    if (!square)
        return h->own || (!entity && (cv_str_find_char(cv_str_head(s, 8), ':') != SIZE_MAX || h->targets)) ||
               (s.p[0] == '{' && h->colon && inside);
    if (!entity)
        return true;
    if (h->id.n)
        return h->own || (h->colon && inside);
    return h->colon && inside;
}

static bool read_bracketed(const reader *r, cv_str s, size_t lead, start *st)
{
    cv_str here = cv_str_from(s, lead);
    size_t close, close_length = 1;
    bool known = here.n && strchr("[{(<", here.p[0]);
    if (!here.n || !(known || (unsigned char)here.p[0] >= 0x80))
        return false;
    static const cv_str wide[] = {CV_STR_INIT("【"), CV_STR_INIT("［"), CV_STR_INIT("〔"), CV_STR_INIT("「")};
    size_t open = 1;
    for (size_t i = 0; i < CV_COUNT(wide); i++)
        known = known || cv_str_starts(here, wide[i]);
    if (!known)
        return false;
    if (here.p[0] == '[' || here.p[0] == '{')
        open = here.n > 1 && here.p[1] == here.p[0] ? 2 : 1;
    else if ((unsigned char)here.p[0] >= 0x80)
        open = 3;
    cv_head head;
    if (!cv_head_read(r->who, cv_str_from(here, open), &head))
        return false;
    cv_bracket_at(here, &close, &close_length);
    if (close == SIZE_MAX && head.type == CV_MARK_MOVE)
        return false; /* what it would have said is not known */
    head.rest += open;
    if (!is_meant(&head, here, close, here.p[0] == '[' || open == 3))
        return false;
    if (is_made(r, head.id) && close != SIZE_MAX && head.rest >= close)
        return false; /* it is spoken of */
    st->form = BRACKETED;
    st->lead = lead;
    st->head = head;
    st->unclosed = close == SIZE_MAX;
    st->end = st->unclosed ? s.n : lead + close + close_length;
    st->label = take_label(here, head.rest, st->unclosed ? here.n : close);
    st->escape = here.p[0] != '[' || open == 2;
    set_owner(r, st, head.id);
    st->own = st->own || head.own;
    return true;
}

/* The end of a label without brackets: where a mark begins in it, or the end of the line. */
static size_t bare_end(cv_str s, size_t from)
{
    for (size_t i = from; i < s.n; i++)
        if (s.p[i] == '[' && cv_mark_begins(cv_str_from(s, i)))
            return i;
    while (s.n > from && strchr("*_ \t", s.p[s.n - 1]))
        s.n--;
    return s.n;
}

/* RE: SUPPORT, not RESOLVE. */
static bool is_named(cv_str s, cv_str word)
{
    return cv_str_starts_nocase(s, word) && s.n > word.n && !cv_is_alnum(s.p[word.n]);
}

static bool is_meant_bare(const reader *r, const cv_head *h, cv_str s, bool heading)
{
    bool ends = h->rest >= s.n || only_signs(cv_str_from(s, h->rest)), upper = is_upper_word(s);
    bool colon = h->colon && !ends;
    switch (h->type) {
    case CV_MARK_REFERENCE:
        return h->targets && (is_named(s, CV_STR("RE")) ? upper || colon || ends : upper && (colon || ends));
    case CV_MARK_MOVE:
        return is_named(s, CV_STR("MOVE")) ? upper || h->targets || ends : upper && h->targets && (colon || ends);
    default:
        break;
    }
    if (h->type >= (cv_mark_type)CV_KIND_COUNT)
        return upper && cv_marks_table[h->type].purpose.n && (h->targets ? colon || ends : colon);
    if (h->id.n)
        return h->own && !is_made(r, h->id) && (colon || ends);
    return h->numbered && colon && (heading || (upper && cv_is_upper(s.p[1])));
}

static bool read_bare(const reader *r, cv_str s, size_t lead, bool heading, start *st)
{
    cv_str here = cv_str_from(s, lead);
    cv_head head;
    if (!here.n || !(cv_is_alpha(here.p[0]) || (unsigned char)here.p[0] >= 0x80) ||
        !cv_head_read(r->who, here, &head) || !is_meant_bare(r, &head, here, heading))
        return false;
    size_t end = bare_end(here, head.rest < here.n ? head.rest : here.n);
    st->form = BARE;
    st->lead = lead;
    st->head = head;
    st->end = lead + end;
    st->label = take_label(here, head.rest, end);
    if (only_signs(st->label))
        st->label.n = 0;
    st->escape = true;
    set_owner(r, st, head.id);
    return true;
}

/* `[MUFFIN-P0101: Cheap]` alone on its line. */
static bool read_ticked(const reader *r, cv_str s, size_t lead, start *st)
{
    size_t ticks = 0, at = lead;
    while (at + ticks < s.n && s.p[at + ticks] == '`')
        ticks++;
    if (ticks == 0 || ticks > 2)
        return false;
    cv_str inside = cv_str_from(s, at + ticks);
    size_t close = cv_str_find_char(inside, '`');
    if (close == SIZE_MAX || !only_signs(cv_str_from(inside, close)))
        return false;
    inside = cv_str_head(inside, close);
    cv_mark m;
    cv_head head;
    if (inside.n < 3 || inside.p[0] != '[' || !cv_head_read(r->who, cv_str_from(inside, 1), &head))
        return false;
    size_t end, length;
    cv_bracket_at(inside, &end, &length);
    if (end == SIZE_MAX || !only_signs(cv_str_from(inside, end)))
        return false;
    bool entity = head.type < (cv_mark_type)CV_KIND_COUNT;
    if (entity && (!head.own || is_made(r, head.id)))
        return false;
    (void)m;
    st->form = TICKED;
    st->lead = lead;
    st->head = head;
    st->end = s.n;
    st->label = take_label(inside, head.rest + 1, end);
    set_owner(r, st, head.id);
    return true;
}

/* Words that only say that a mark follows: "Perspective 1:", "My marker:". */
static bool says_nothing(const reader *r, cv_str s)
{
    static const cv_str words[] = {CV_STR_INIT("marker"),    CV_STR_INIT("mark"),  CV_STR_INIT("id"),
                                   CV_STR_INIT("item"),      CV_STR_INIT("new"),   CV_STR_INIT("my"),
                                   CV_STR_INIT("no"),        CV_STR_INIT("nr"),    CV_STR_INIT("round"),
                                   CV_STR_INIT("move"),      CV_STR_INIT("moves"), CV_STR_INIT("reference"),
                                   CV_STR_INIT("references")};
    bool alone;
    for (cv_str word; cv_utf8_next_word(&s, &word, &alone);) {
        int number;
        bool known = cv_str_to_int(word, &number) || cv_str_eq_nocase(word, r->who->expert) ||
                     cv_words_find((cv_words){words, CV_COUNT(words)}, word) >= 0;
        for (int kind = 0; kind < CV_KIND_COUNT; kind++)
            known =
                known || cv_str_eq_nocase(word, cv_kinds[kind].word) || cv_str_eq_nocase(word, cv_kinds[kind].plural);
        if (!known)
            return false;
    }
    return true;
}

/* "My first point: [MUFFIN-P0101: Cheap]", with nothing behind the mark. */
static bool read_led(const reader *r, cv_str s, start *st)
{
    enum { LONGEST = 60 };
    size_t at = cv_str_find_char(cv_str_head(s, LONGEST), '[');
    cv_str before = at == SIZE_MAX ? (cv_str){NULL, 0} : cv_str_trim_right(cv_str_head(s, at));
    cv_mark m;
    if (before.n < 2 || cv_str_find_char(before, '`') != SIZE_MAX || !has_word(before))
        return false;
    while (before.n && strchr("*_ ", before.p[before.n - 1]))
        before.n--;
    bool joint = before.n && (strchr(":>=", before.p[before.n - 1]) || cv_str_ends(before, CV_STR("—")) ||
                              cv_str_ends(before, CV_STR("–")) || cv_str_ends(before, CV_STR("→")) ||
                              cv_str_ends(before, CV_STR(" -")));
    if (!joint || !cv_mark_at(cv_str_from(s, at), false, &m) || m.type >= (cv_mark_type)CV_KIND_COUNT ||
        !only_signs(cv_str_from(s, at + m.end)) || !is_sound(r, cv_str_from(s, at), &m))
        return false;
    start found = {.form = NATIVE, .lead = at, .end = at + m.end, .mark = m};
    set_owner(r, &found, m.id);
    if (!found.own || is_made(r, found.id))
        return false;
    *st = found;
    st->led = true;
    if (!says_nothing(r, before))
        st->words = before;
    return true;
}

static bool read_start(const reader *r, cv_str s, start *st)
{
    *st = (start){0};
    if (s.n == 0)
        return false;
    if (read_native(r, s, st))
        return true;
    bool heading;
    size_t lead = lead_of(s, &heading);
    cv_str here = cv_str_from(s, lead);
    st->heading = heading;
    if (here.n == 0)
        return false;
    if (lead && here.p[0] == '[' && read_native(r, here, st)) {
        st->lead += lead;
        st->end += lead;
        return true;
    }
    return read_ticked(r, s, lead, st) || read_bracketed(r, s, lead, st) || read_bare(r, s, lead, heading, st) ||
           read_led(r, s, st);
}

/* ---- quotations ---------------------------------------------------------------------------------------------- */

static bool is_quotation(cv_str s)
{
    s = cv_str_trim_left(s);
    return s.n && s.p[0] == '>';
}

static cv_str unquoted(cv_str s)
{
    while (is_quotation(s)) {
        s = cv_str_from(cv_str_trim_left(s), 1);
        if (s.n && s.p[0] == ' ')
            s = cv_str_from(s, 1);
    }
    return s;
}

/* ---- fences ------------------------------------------------------------------------------------------------------ */

typedef struct {
    size_t longest[2]; /* the longest fence of ` and ~ that may close one, from here to the end */
} closers;

static size_t fence_kind(char c)
{
    return c == '~';
}

static void find_marks(reader *r)
{
    for (size_t i = r->first; i < r->last; i++) {
        start st;
        row *line = &r->rows.items[i];
        line->mark = read_start(r, unquoted(line->text), &st) && !st.words.n && st.form != TICKED && st.form != BARE;
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

static mark_counts *count_marks(const reader *r)
{
    mark_counts *counts = CV_NEW_ARRAY(r->who->a, r->last + 1, mark_counts);
    for (size_t i = r->last; i > r->first; i--) {
        counts[i - 1].marks = counts[i].marks + r->rows.items[i - 1].mark;
        counts[i - 1].own = counts[i].own + r->rows.items[i - 1].own;
    }
    return counts;
}

/* Fences as they pair up; one that is never closed but has marks below it is none. */
static void find_fences(reader *r, fences *ret)
{
    closers *after = CV_NEW_ARRAY(r->who->a, r->last + 1, closers);
    const mark_counts *counts = count_marks(r);
    bool marks_outside = false, broken = false;
    size_t length;
    for (size_t i = r->last; i > r->first; i--) {
        char c = cv_line_fence(row_text(r, i - 1), true, &length);
        after[i - 1] = after[i];
        if (c && length > after[i - 1].longest[fence_kind(c)])
            after[i - 1].longest[fence_kind(c)] = length;
    }
    for (size_t i = r->first; i < r->last; i++) {
        char c = cv_line_fence(row_text(r, i), false, &length);
        if (!c) {
            marks_outside = marks_outside || r->rows.items[i].mark;
            continue;
        }
        fence f = {.first = i, .last = r->last, .plain = is_plain_info(row_text(r, i))};
        size_t other;
        if (after[i + 1].longest[fence_kind(c)] >= length)
            for (f.last = i + 1; cv_line_fence(row_text(r, f.last), true, &other) != c || other < length;)
                f.last++;
        f.marks = counts[i].marks > counts[f.last].marks;
        f.own = counts[i].own > counts[f.last].own;
        broken = broken || f.last == r->last;
        *CV_PUSH(r->who->a, ret) = f;
        if (f.last < r->last || !f.marks)
            i = f.last;
    }
    for (size_t i = 0; i < ret->count; i++)
        ret->items[i].plain = ret->items[i].plain && (ret->items[i].own || !marks_outside || broken);
}

static void settle_fences(reader *r)
{
    fences all = {0};
    find_marks(r);
    find_fences(r, &all);
    for (size_t i = 0; i < all.count; i++) {
        const fence *f = &all.items[i];
        bool open = f->last == r->last;
        size_t last = open ? r->last - 1 : f->last;
        if (f->marks && (open || f->plain)) {
            r->rows.items[f->first].dropped = true;
            if (!open)
                r->rows.items[f->last].dropped = true;
            remark(r, CV_FATE_REPAIRED, open ? CV_STR("open_code_block") : CV_STR("in_code_block"), f->first,
                   open ? f->first : last,
                   open ? CV_STR("the code fence is never closed and has marks below it: it is read without the fence")
                        : CV_STR("marks stand in a code block: it is read without its fence"),
                   CV_STR("marks stand outside of code blocks"));
            continue;
        }
        for (size_t k = f->first; k <= last; k++)
            r->rows.items[k].fenced = true;
        if (f->marks)
            remark(r, CV_FATE_NOTE, CV_STR("mark_in_code"), f->first, last,
                   CV_STR("a mark stands in a code block: it is read as code, not as a mark"),
                   CV_STR("write it outside of the code block if it is meant to count"));
    }
}

/* ---- what the rows make ------------------------------------------------------------------------------------------ */

static void find_made(reader *r)
{
    for (size_t i = r->first; i < r->last; i++) {
        start st;
        if (r->rows.items[i].fenced || r->rows.items[i].dropped || !read_start(r, r->rows.items[i].text, &st) ||
            !st.own)
            continue;
        bool labelled = st.form == NATIVE ? st.mark.label.n || only_signs(cv_str_from(r->rows.items[i].text, st.end))
                                          : st.label.n > 0;
        if (labelled && st.form != BARE && st.form != TICKED && !st.led)
            cv_map_put(&r->made, r->who->a, st.id, NULL);
    }
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

static size_t offset(const reader *r, const char *at)
{
    return (size_t)(at - r->plain->source.p);
}

static void put_source(reader *r, cv_str s)
{
    if (s.n == 0)
        return;
    *CV_PUSH(r->who->a, &r->plain->runs) = (cv_plain_run){r->out.n, offset(r, s.p), offset(r, s.p) + s.n, true};
    cv_buf_add(&r->out, s);
}

/* Something that stands for a piece of the source. */
static void put_text(reader *r, cv_str text, cv_str source)
{
    if (text.n == 0)
        return;
    *CV_PUSH(r->who->a, &r->plain->runs) =
        (cv_plain_run){r->out.n, offset(r, source.p), offset(r, source.p) + source.n, false};
    cv_buf_add(&r->out, text);
}

static void put_line_end(reader *r, cv_str source)
{
    put_text(r, CV_STR("\n"), source);
    *CV_PUSH(r->who->a, &r->plain->lines) = r->at + 1;
}

/* A label between square brackets; one from elsewhere may have any in it. */
static cv_str bracketed(reader *r, const start *st)
{
    cv_buf text = {0};
    cv_buf_printf(&text, "[%.*s", CV_FMT(st->head.head));
    if (st->label.n)
        cv_buf_add_z(&text, ": ");
    for (size_t i = 0; i < st->label.n; i++) {
        if (st->escape && strchr("[]\\", st->label.p[i]))
            cv_buf_add_char(&text, '\\');
        cv_buf_add_char(&text, st->label.p[i]);
    }
    cv_buf_add_char(&text, ']');
    return cv_buf_take(&text, r->who->a);
}

static bool has_upper_head(cv_str written, cv_str head)
{
    return written.n >= head.n + 1 && cv_str_eq_nocase(cv_str_head(cv_str_from(written, 1), head.n), head);
}

/* What was odd about it, in a word. */
static cv_str type_of(const start *st, cv_str written)
{
    static const struct {
        form form;
        cv_str type;
    } types[] = {{BARE, CV_STR_INIT("no_brackets")}, {TICKED, CV_STR_INIT("in_backticks")}};
    for (size_t i = 0; i < CV_COUNT(types); i++)
        if (types[i].form == st->form)
            return types[i].type;
    if (st->unclosed)
        return CV_STR("unclosed");
    if (written.p[0] != '[' || (written.n > 1 && written.p[1] == '['))
        return CV_STR("other_brackets");
    if (has_upper_head(written, st->head.head))
        return CV_STR("lower_case");
    if (st->head.type == CV_MARK_MOVE && !cv_str_starts_nocase(written, CV_STR("[MOVE")))
        return CV_STR("move_without_word");
    if (st->head.type < (cv_mark_type)CV_KIND_COUNT && !st->head.id.n && written.n > 2 && cv_is_digit(written.p[2]))
        return CV_STR("short_id");
    return CV_STR("misspelt");
}

static void remark_spelling(reader *r, cv_str type, cv_str written, cv_str meant, size_t last)
{
    cv_arena *a = r->who->a;
    if (cv_str_eq(written, meant))
        return;
    remark(r, CV_FATE_REPAIRED, type, r->at, last,
           cv_arena_printf(a, "%.*s is read as %.*s", CV_FMT(cv_excerpt(a, cv_one_line(a, written))),
                           CV_FMT(cv_excerpt(a, cv_one_line(a, meant)))),
           cv_arena_printf(a, "write %.*s", CV_FMT(cv_excerpt(a, cv_one_line(a, meant)))));
}

/* A label goes on over the next rows up to its bracket; how many rows more, 0: it does not. */
static size_t label_rows(const reader *r, cv_str s, size_t *ret_end)
{
    enum { MOST = 4 };
    start st;
    for (size_t n = 1; n <= MOST && r->at + n < r->last; n++) {
        const row *next = &r->rows.items[r->at + n];
        cv_str text = cv_str_trim_left(next->text);
        if (next->fenced || next->dropped || text.n == 0 || text.p[0] == '#' || text.p[0] == '|' ||
            read_start(r, next->text, &st))
            return 0;
        size_t close = cv_str_find_char(next->text, ']'), open = cv_str_find_char(next->text, '[');
        if (close != SIZE_MAX && (open == SIZE_MAX || close < open)) {
            *ret_end = close + 1;
            return n;
        }
        if (open != SIZE_MAX)
            return 0;
    }
    (void)s;
    return 0;
}

static void put_row(reader *r, cv_str s);

/* Marks in the middle of a line that only need capitals. */
static void put_rest(reader *r, cv_str s)
{
    size_t from = 0, ticks = 0;
    for (size_t i = 0; i < s.n; i++) {
        cv_head head;
        size_t close, length;
        if (s.p[i] == '`')
            ticks++;
        if (s.p[i] == '\\') {
            i++;
            continue;
        }
        if (s.p[i] != '[' || ticks % 2 || i + 2 >= s.n)
            continue;
        cv_str here = cv_str_from(s, i);
        if (cv_mark_begins(here) || !cv_head_read(r->who, cv_str_from(here, 1), &head))
            continue;
        bool entity = head.type < (cv_mark_type)CV_KIND_COUNT;
        bool strong = entity ? head.own && head.colon && !is_made(r, head.id)
                             : (head.type == CV_MARK_REFERENCE && head.targets) ||
                                   (head.type == CV_MARK_MOVE && cv_str_starts_nocase(here, CV_STR("[MOVE")));
        if (!strong)
            continue;
        cv_bracket_at(here, &close, &length);
        if (close == SIZE_MAX || head.rest + 1 > close + 1)
            continue;
        start st = {.form = BRACKETED, .head = head, .label = take_label(here, head.rest + 1, close)};
        cv_str written = cv_str_head(here, close + 1), meant = bracketed(r, &st);
        put_source(r, cv_str_range(s.p + from, here.p));
        put_text(r, meant, written);
        remark_spelling(r, type_of(&st, written), written, meant, r->at);
        from = i + close + 1;
        i = from - 1;
    }
    put_source(r, cv_str_from(s, from));
}

/* The mark with its label, spelt as it should be, and what follows it on its row. */
static void put_spelt(reader *r, cv_str s, start *st)
{
    cv_arena *a = r->who->a;
    cv_str written = cv_str_range(s.p + st->lead, s.p + st->end), behind = cv_str_from(s, st->end);
    size_t last = r->at, end;
    bool entity = st->head.type < (cv_mark_type)CV_KIND_COUNT;
    cv_str type = type_of(st, written);
    size_t rows = st->unclosed && s.n < CV_MAX_LABEL ? label_rows(r, s, &end) : 0;
    if (rows) {
        cv_buf label = {0};
        cv_buf_add(&label, st->label);
        for (size_t n = 1; n <= rows; n++) {
            cv_str more = r->rows.items[r->at + n].text;
            cv_buf_printf(&label, " %.*s", CV_FMT(cv_str_trim(n == rows ? cv_str_head(more, end - 1) : more)));
        }
        last = r->at + rows;
        cv_str closing = r->rows.items[last].text;
        st->label = cv_buf_take(&label, a);
        written = cv_str_range(written.p, closing.p + end);
        behind = cv_str_from(closing, end);
        type = CV_STR("broken_line");
    } else if (st->form == BRACKETED && !st->label.n && entity && st->own && has_word(behind) && !is_made(r, st->id)) {
        /* [MUFFIN-P0101] Cheap: the bracket closes too early */
        cv_str label = cv_str_trim(behind);
        while (label.n && strchr(":-*_ ", label.p[0]))
            label = cv_str_from(label, 1);
        size_t length = bare_end(label, 0);
        st->label = cv_str_trim(cv_str_head(label, length));
        st->escape = true;
        behind = cv_str_from(label, length);
        written = cv_str_range(written.p, st->label.n ? cv_str_end(st->label) : label.p);
        type = CV_STR("closed_too_early");
    }
    bool long_label = st->escape && entity && cv_utf8_count(st->label) > CV_LONG_LABEL;
    cv_str text = st->label;
    if (long_label)
        st->label.n = 0;
    cv_str meant = bracketed(r, st);
    put_text(r, meant, long_label ? cv_str_range(written.p, text.p) : written);
    remark_spelling(r, type, written, meant, last);
    if (long_label) {
        put_line_end(r, cv_str_range(text.p, text.p));
        put_source(r, text);
    }
    size_t n;
    while (behind.n &&
           (strchr("*_", behind.p[0]) || (st->form == TICKED && (behind.p[0] == '`' || is_sign(behind, &n)))))
        behind = cv_str_from(behind, 1);
    r->at = last;
    if (has_word(behind))
        put_rest(r, behind);
}

/* The row directly below a mark may underline it. */
static void drop_underline(reader *r)
{
    size_t next = r->at + 1;
    cv_str s = next < r->last ? row_text(r, next) : (cv_str){NULL, 0};
    if (s.n < 2 || (s.p[0] != '=' && s.p[0] != '-'))
        return;
    for (size_t i = 1; i < s.n; i++)
        if (s.p[i] != s.p[0])
            return;
    r->rows.items[next].dropped = true;
    remark(r, CV_FATE_REPAIRED, CV_STR("underlined"), next, next,
           CV_STR("the mark is underlined: the line is left out, what follows belongs to the mark"),
           CV_STR("leave the line out"));
}

/* </b>: the ends of tags behind a mark. */
static cv_str skip_tags(cv_str s)
{
    for (cv_str rest; (rest = cv_str_trim_left(s), cv_str_starts(rest, CV_STR("</")));) {
        size_t close = cv_str_find_char(cv_str_head(rest, 24), '>');
        if (close == SIZE_MAX)
            break;
        s = cv_str_from(rest, close + 1);
    }
    return s;
}

static void put_row(reader *r, cv_str s)
{
    start st;
    if (!read_start(r, s, &st) || (st.foreign && is_quotation(s))) {
        put_rest(r, s);
        return;
    }
    if (st.form != NATIVE) {
        put_spelt(r, s, &st);
        drop_underline(r);
        return;
    }
    cv_line line;
    cv_line_classify(s, NULL, &line);
    bool as_it_is = line.kind == CV_LINE_MARKER && line.mark_at == st.lead;
    if (as_it_is) {
        put_source(r, cv_str_head(s, st.end));
    } else {
        if (st.words.n) {
            put_source(r, st.words);
            put_line_end(r, st.words);
        }
        cv_str mark = cv_str_range(s.p + st.lead, s.p + st.end);
        put_source(r, mark);
        remark(r, CV_FATE_REPAIRED, CV_STR("lead_in"), r->at, r->at,
               CV_STR("the mark does not begin its line: it is read as if it did"),
               CV_STR("begin the line with the mark"));
    }
    cv_str behind = skip_tags(cv_str_from(s, st.end));
    put_rest(r, behind);
    if (only_signs(behind))
        drop_underline(r);
}

static bool is_row(const reader *r, size_t i)
{
    return i < r->last && !r->rows.items[i].dropped && !r->rows.items[i].fenced;
}

/* Quotations that hold a mark of the expert's own are opened; what is quoted of others stays a quotation. */
static void open_quotations(reader *r)
{
    for (size_t i = r->first; i < r->last; i++) {
        size_t first = i, end = i;
        bool own = false;
        for (; is_row(r, end) && is_quotation(r->rows.items[end].text); end++) {
            start st;
            own = own || (read_start(r, unquoted(r->rows.items[end].text), &st) && !st.foreign);
        }
        for (size_t k = first; own && k < end; k++)
            r->rows.items[k].text = unquoted(r->rows.items[k].text);
        if (own)
            remark(r, CV_FATE_REPAIRED, CV_STR("in_quotation"), first, end - 1,
                   CV_STR("marks stand in a quotation: it is read without its signs"),
                   CV_STR("write marks outside of quotations"));
        i = end > i ? end - 1 : i;
    }
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static bool is_table_row(const reader *r, size_t i)
{
    return is_row(r, i) && row_text(r, i).n > 1 && row_text(r, i).p[0] == '|';
}

/* A cell that is only an id of the expert's own: the next one is its label. */
static bool is_id_cell(const reader *r, cv_str cell, cv_head *ret_head)
{
    bool heading;
    cell = cv_str_from(cell, lead_of(cell, &heading));
    return cell.n && cv_head_read(r->who, cell, ret_head) && ret_head->own && !is_made(r, ret_head->id) &&
           (ret_head->rest >= cell.n || only_signs(cv_str_from(cell, ret_head->rest)));
}

static bool cell_has_mark(const reader *r, cv_str cell)
{
    start st;
    cv_head head;
    return is_id_cell(r, cell, &head) || (read_start(r, cell, &st) && st.form != BARE && !st.foreign);
}

static bool table_has_marks(const reader *r, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        cv_str rest = cv_row_inside(row_text(r, i)), cell;
        while (cv_cell_next(&rest, &cell))
            if (cell_has_mark(r, cell))
                return true;
    }
    return false;
}

/* '\|' of a cell is '|'. */
static void put_cell(reader *r, cv_str cell)
{
    size_t at;
    while ((at = cv_str_find(cell, CV_STR("\\|"))) != SIZE_MAX) {
        put_source(r, cv_str_head(cell, at));
        put_source(r, (cv_str){cell.p + at + 1, 1});
        cell = cv_str_from(cell, at + 2);
    }
    put_source(r, cell);
}

static void put_table_row(reader *r, cv_str text, const cv_str *head, size_t head_count)
{
    cv_arena *a = r->who->a;
    size_t count;
    cv_str *cells = cv_row_cells(a, text, &count);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        cv_head id;
        cv_str name = i < head_count ? head[i] : (cv_str){NULL, 0};
        if (is_id_cell(r, cells[i], &id)) {
            start st = {.form = BRACKETED, .head = id, .escape = true};
            cv_str written = cells[i];
            if (i + 1 < count && !cell_has_mark(r, cells[i + 1])) {
                st.label = cells[++i];
                written = cv_str_range(written.p, cv_str_end(st.label));
            }
            put_text(r, bracketed(r, &st), written);
            any = true;
        } else if (cell_has_mark(r, cells[i])) {
            put_row(r, cells[i]);
            any = true;
        } else if (has_word(cells[i])) {
            if (any && name.n && has_word(name) && count > 2) {
                put_source(r, name);
                put_text(r, CV_STR(": "), name);
            }
            put_cell(r, cells[i]);
        } else {
            continue;
        }
        put_line_end(r, cells[i]);
    }
}

/* Each row with a mark is that mark, and its other cells are the text below it. */
static void put_table(reader *r, size_t end)
{
    size_t first = r->at, head_count = 0;
    cv_str *head = NULL;
    if (first + 1 < end && cv_row_is_separator(row_text(r, first + 1)) && !table_has_marks(r, first, first + 1))
        head = cv_row_cells(r->who->a, row_text(r, first), &head_count);
    remark(r, CV_FATE_REPAIRED, CV_STR("in_table"), first, end - 1,
           CV_STR("marks stand in a table: each is read with the other cells of its row as its text"),
           CV_STR("write each mark on a line of its own, and its text below it"));
    for (size_t i = first; i < end; i++) {
        r->at = i;
        cv_str text = row_text(r, i);
        if (cv_row_is_separator(text) || (head && i == first))
            continue;
        if (table_has_marks(r, i, i + 1)) {
            put_table_row(r, text, head, head_count);
        } else {
            put_source(r, text);
            put_line_end(r, text);
        }
    }
    r->at = end - 1;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void put_all(reader *r)
{
    *CV_PUSH(r->who->a, &r->plain->lines) = r->first + 1;
    for (r->at = 0; r->at < r->rows.count; r->at++) {
        const row *line = &r->rows.items[r->at];
        size_t end = r->at;
        if (line->dropped || r->at < r->first || r->at >= r->last)
            continue;
        if (r->plain->lines.count)
            r->plain->lines.items[r->plain->lines.count - 1] = r->at + 1;
        while (is_table_row(r, end))
            end++;
        if (end > r->at && table_has_marks(r, r->at, end)) {
            put_table(r, end);
            continue;
        }
        if (end > r->at) { /* a table without marks */
            for (; r->at < end; r->at++) {
                put_rest(r, r->rows.items[r->at].text);
                put_line_end(r, (cv_str){cv_str_end(r->rows.items[r->at].text), 0});
                r->plain->lines.items[r->plain->lines.count - 1] = r->at + 2;
            }
            r->at--;
            continue;
        }
        if (line->fenced)
            put_source(r, line->text);
        else
            put_row(r, line->text);
        put_line_end(r, (cv_str){cv_str_end(r->rows.items[r->at].text), 0});
    }
}

static int by_line(const void *x, const void *y)
{
    const cv_plain_remark *a = x, *b = y;
    return CV_ORDER(a->line, b->line);
}

static bool same_text(cv_str source, cv_str text)
{
    return cv_str_eq(cv_str_trim_right(source), cv_str_trim_right(text));
}

void cv_plain_read(const cv_speaker *who, cv_str source, cv_plain *ret_plain)
{
    reader r = {.who = who, .plain = ret_plain};
    *ret_plain = (cv_plain){.source = source};
    find_rows(&r, source);
    find_frame(&r);
    drop_indent(&r);
    settle_fences(&r);
    open_quotations(&r);
    find_made(&r);
    put_all(&r);
    ret_plain->text = cv_buf_take(&r.out, who->a);
    if (same_text(source, ret_plain->text)) {
        ret_plain->text = source;
        ret_plain->runs.count = ret_plain->lines.count = 0;
    }
    if (ret_plain->remarks.count > 1)
        qsort(ret_plain->remarks.items, ret_plain->remarks.count, sizeof *ret_plain->remarks.items, by_line);
}

/* The run that has the byte `at`, or NULL. */
static const cv_plain_run *run_at(const cv_plain *p, size_t at)
{
    size_t low = 0, high = p->runs.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->runs.items[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &p->runs.items[low - 1] : NULL;
}

size_t cv_plain_start(const cv_plain *p, size_t at)
{
    const cv_plain_run *run = run_at(p, at);
    if (!run)
        return at;
    size_t place = run->source + (run->exact ? at - run->at : 0);
    return place < run->source_end ? place : run->source_end;
}

size_t cv_plain_end(const cv_plain *p, size_t at)
{
    const cv_plain_run *run = at ? run_at(p, at - 1) : NULL;
    if (!run)
        return at;
    size_t place = run->exact ? run->source + (at - run->at) : run->source_end;
    return place < run->source_end ? place : run->source_end;
}

size_t cv_plain_line(const cv_plain *p, size_t line)
{
    if (p->lines.count == 0 || line == 0)
        return line;
    return p->lines.items[line <= p->lines.count ? line - 1 : p->lines.count - 1];
}
