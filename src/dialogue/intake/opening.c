/* opening.c - what a line begins with; see opening.h. */
#include "dialogue/intake/opening.h"

#include <utf8proc.h>

#include "base/utf8.h"
#include "dialogue/text/line.h"
#include "dialogue/words/limits.h"

bool cv_has_word(cv_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (cv_is_alnum(s.p[i]) || (unsigned char)s.p[i] >= 0x80)
            return true;
    return false;
}

/* ---- leads -------------------------------------------------------------------------------------- */

bool cv_sign_at(cv_str s, size_t *ret_length)
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

/* Bullets, quotation marks, headings, emphasis, emoji: what may be before a mark. */
size_t cv_lead_of(cv_str s, bool *ret_heading)
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
        else if (cv_sign_at(rest, &n) || (n = item_lead(rest)) > 0)
            i += n;
        else
            break;
    }
    return i;
}

bool cv_only_signs(cv_str s)
{
    size_t n;
    for (size_t i = 0; i < s.n; i += n) {
        n = 1;
        if (cv_is_alnum(s.p[i]) || ((unsigned char)s.p[i] >= 0x80 && !cv_sign_at(cv_str_from(s, i), &n)))
            return false;
    }
    return true;
}

static bool is_upper_word(cv_str s)
{
    return s.n > 1 && cv_is_upper(s.p[0]) && cv_is_upper(s.p[1]);
}

bool cv_is_made(const cv_opening_reader *r, cv_str id)
{
    return id.n && cv_map_get(r->made, id);
}

static void set_owner(const cv_opening_reader *r, cv_opening *st, cv_str id)
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

/* What the text's own reader understands as it is. */
static bool is_sound(const cv_opening_reader *r, cv_str s, const cv_mark *m)
{
    cv_mark_shape shape = cv_marks_table[m->type].shape;
    cv_head head;
    if (m->type == CV_MARK_OTHER || m->unclosed)
        return false;
    bool read = cv_head_read(r->who, cv_str_from(s, 1), &head), nearly = read && head.type == m->type;
    if (read && shape == CV_SHAPE_ENTITY &&
        (head.reversed || (head.type == CV_MARK_RESOLVED && head.targets))) /* [T0001: RESOLVED] */
        return false;
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
    return !nearly || (head.targets <= count && !cv_str_starts_nocase(m->label, CV_STR("'s "))); /* @donut's R0001 */
}

static bool read_native(const cv_opening_reader *r, cv_str s, cv_opening *st)
{
    cv_line line;
    cv_line_classify(s, NULL, &line);
    if (line.kind != CV_LINE_MARKER || !is_sound(r, cv_str_from(line.text, line.mark_at), &line.mark))
        return false;
    st->form = CV_OPENING_NATIVE;
    st->lead = line.mark_at;
    st->end = line.mark_at + line.mark.end;
    st->mark = line.mark;
    set_owner(r, st, line.mark.id);
    return true;
}

cv_str cv_take_label(cv_str s, size_t from, size_t to)
{
    return from < to ? cv_str_trim(cv_str_range(s.p + from, s.p + to)) : (cv_str){NULL, 0};
}

/* [RE:SUPPORT] P0001, [PERSPECTIVE] P01: the head goes on behind the bracket. */
static bool is_beyond(const cv_head *h, cv_str s, size_t close)
{
    return s.p[0] == '[' && close != SIZE_MAX && h->rest > close + 1 && (h->targets || h->numbered);
}

/* Is what is in brackets of any kind meant as a mark? */
static bool is_meant(const cv_head *h, cv_str s, size_t close, bool square)
{
    bool entity = h->type < (cv_mark_type)CV_KIND_COUNT;
    cv_str behind = close == SIZE_MAX ? (cv_str){NULL, 0} : cv_str_from(s, close + 1);
    bool link = behind.n && behind.p[0] == '(' && !h->own;
    bool inside = h->rest < close || is_beyond(h, s, close);
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

static bool read_bracketed(const cv_opening_reader *r, cv_str s, size_t lead, cv_opening *st)
{
    cv_str here = cv_str_from(s, lead);
    size_t close, close_length, open = cv_bracket_at(here, &close, &close_length);
    cv_head head;
    if (!open || !cv_head_read(r->who, cv_str_from(here, open), &head))
        return false;
    head.rest += open;
    if (close == SIZE_MAX && head.type == CV_MARK_MOVE && cv_has_word(cv_str_from(here, head.rest)))
        return false; /* what it would have said is not known */
    if (!is_meant(&head, here, close, here.p[0] == '[' || (unsigned char)here.p[0] >= 0x80))
        return false;
    if (cv_is_made(r, head.id) && close != SIZE_MAX && head.rest >= close)
        return false; /* it is spoken of */
    st->form = CV_OPENING_BRACKETED;
    st->lead = lead;
    st->head = head;
    st->unclosed = close == SIZE_MAX;
    st->beyond = is_beyond(&head, here, close);
    size_t end = st->beyond ? cv_bare_end(here, head.rest) : st->unclosed ? here.n : close;
    st->end = lead + end + (st->beyond || st->unclosed ? 0 : close_length);
    st->label = cv_take_label(here, head.rest, end);
    st->escape = here.p[0] != '[' || open > 1 || st->beyond;
    set_owner(r, st, head.id);
    st->own = st->own || head.own;
    return true;
}

/* The end of a label without brackets: where a mark begins in it, or the end of the line. */
size_t cv_bare_end(cv_str s, size_t from)
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

/* Support: P0001 */
static bool has_colon(cv_str s)
{
    size_t n = 0;
    while (n < s.n && cv_is_alpha(s.p[n]))
        n++;
    while (n < s.n && s.p[n] == '*')
        n++;
    return n < s.n && s.p[n] == ':';
}

static bool is_meant_bare(const cv_opening_reader *r, const cv_head *h, cv_str s, bool heading)
{
    bool ends = h->rest >= s.n || cv_only_signs(cv_str_from(s, h->rest)), upper = is_upper_word(s);
    bool colon = h->colon && !ends, set_off = upper || heading || has_colon(s);
    if (h->reversed)
        return false;
    switch (h->type) {
    case CV_MARK_REFERENCE:
        return h->targets && (is_named(s, CV_STR("RE")) ? upper || colon || ends : set_off && (colon || ends));
    case CV_MARK_MOVE:
        return is_named(s, CV_STR("MOVE")) ? upper || h->targets || ends : set_off && h->targets && (colon || ends);
    default:
        break;
    }
    if (h->type >= (cv_mark_type)CV_KIND_COUNT)
        return upper && cv_marks_table[h->type].purpose.n && (h->targets ? colon || ends : colon);
    if (h->id.n)
        return h->own && !cv_is_made(r, h->id) && (colon || ends);
    if (h->own) /* P0101 of this round */
        return colon;
    return colon && (h->numbered ? heading || upper : upper);
}

/* Where a label in emphasis ends that begins before the head: **P1: Cheap.** It is. */
static size_t emphasis_end(cv_str s, size_t lead, size_t from, size_t end)
{
    size_t stars = 0;
    while (stars < lead && s.p[lead - 1 - stars] == '*')
        stars++;
    for (size_t i = lead + from; stars && i + stars <= lead + end; i++)
        if (memcmp(s.p + i, "***", stars < 3 ? stars : 3) == 0)
            return i - lead;
    return end;
}

/* "(Cheap): It is." behind an id: the label in parentheses; the text goes on behind them. */
static bool read_parentheses(cv_str s, const cv_head *head, cv_str *ret_label, size_t *ret_end)
{
    size_t open = head->rest;
    while (open > 0 && open < s.n && s.p[open] != '(' && head->rest - open < 3)
        open--;
    size_t close, length;
    cv_str here = cv_str_from(s, open);
    if (!here.n || here.p[0] != '(' || !cv_bracket_at(here, &close, &length) || close == SIZE_MAX)
        return false;
    cv_str behind = cv_str_from(here, close + 1);
    while (behind.n && behind.p[0] == '*')
        behind = cv_str_from(behind, 1);
    if (!cv_has_word(cv_str_head(here, close)) || !(cv_only_signs(behind) || strchr(":-", behind.p[0])))
        return false;
    *ret_label = cv_str_trim(cv_str_range(here.p + 1, here.p + close));
    *ret_end = (size_t)(behind.p - s.p);
    return true;
}

/* "## T0001: Growth - RESOLVED (by rye)": a heading, and the word in capitals behind a sign. The rest is why. */
static bool read_settled(const cv_opening_reader *r, cv_str s, size_t lead, cv_opening *st)
{
    cv_str here = cv_str_from(s, lead), word = cv_marks_table[CV_MARK_RESOLVED].word;
    cv_id id;
    size_t length, at = cv_str_find(here, word);
    if (at == SIZE_MAX || !cv_id_at(cv_str_head(here, CV_MAX_HEAD), &id, &length) || id.form == CV_ID_EXPERT ||
        id.kind != CV_KIND_TENSION || at < length || (at + word.n < here.n && cv_is_alnum(here.p[at + word.n])))
        return false;
    if (at + word.n < here.n && here.p[at + word.n] == '?')
        return false;
    bool bracketed = here.p[at - 1] == '[' && at + word.n < here.n && here.p[at + word.n] == ']';
    cv_str between = cv_str_trim_right(cv_str_range(here.p + length, here.p + at));
    cv_str last = cv_str_from(between, between.n - (between.n < 3 ? between.n : 3));
    bool joint = between.n == 0 || strchr(":-(>=*", between.p[between.n - 1]) || cv_str_eq(last, CV_STR("—")) ||
                 cv_str_eq(last, CV_STR("–")) || cv_str_eq(last, CV_STR("→"));
    size_t end = bracketed ? at - 1 : cv_bare_end(here, length);
    if (!bracketed && (!joint || at >= end))
        return false;
    st->head = (cv_head){.type = CV_MARK_RESOLVED, .targets = 1};
    st->head.head = cv_arena_printf(r->who->a, "%.*s %.*s", CV_FMT(word), CV_FMT(cv_id_print(r->who->a, &id)));
    for (size_t n = 0;
         length < here.n && (strchr(": *_-", here.p[length]) || cv_sign_at(cv_str_from(here, length), &n));)
        length += strchr(": *_-", here.p[length]) ? 1 : n;
    st->form = CV_OPENING_BARE;
    st->lead = lead;
    st->end = lead + (bracketed ? at + word.n + 1 : end);
    st->label = cv_take_label(here, length, end);
    st->escape = true;
    return true;
}

/* "Cheap</h3>", "Cheap`": a label without the end of the tag or the backticks that began before it. */
static cv_str without_ends(cv_str label, bool ticked)
{
    size_t open = label.n;
    if (ticked && label.n && label.p[label.n - 1] == '`' && cv_str_find_char(label, '`') == label.n - 1)
        label.n--;
    while (open > 0 && label.n - open < 24 && label.p[open - 1] != '<')
        open--;
    if (open > 1 && label.p[label.n - 1] == '>' && label.p[open - 1] == '<' && label.p[open] == '/')
        label.n = open - 1;
    return cv_str_trim_right(label);
}

/* "### Cheap (MUFFIN-P0101)", "## Perspective [MUFFIN-P0101]: Cheap": the id in a heading, behind its label or before.
 */
static bool read_behind(const cv_opening_reader *r, cv_str s, size_t lead, cv_opening *st)
{
    cv_str here = cv_str_head(cv_str_from(s, lead), CV_MAX_LABEL);
    for (size_t i = 0; i < here.n; i++) {
        size_t close, length;
        cv_head head;
        cv_str inside = cv_str_from(here, i);
        if (!strchr("([", here.p[i]) || !cv_bracket_at(inside, &close, &length) || close == SIZE_MAX)
            continue;
        if (!cv_head_read(r->who, cv_str_head(cv_str_from(inside, 1), close - 1), &head) || !head.own || !head.id.n ||
            head.rest + 1 < close || cv_is_made(r, head.id))
            continue;
        cv_str before = cv_str_trim(cv_str_head(here, i)), behind = cv_str_trim(cv_str_from(inside, close + length));
        bool bold = lead > 1 && s.p[lead - 1] == '*' && s.p[lead - 2] == '*' &&
                    (cv_str_ends(before, CV_STR("**")) || cv_str_ends(behind, CV_STR("**")));
        if (!bold && cv_str_trim_left(s).p[0] != '#')
            return false;
        while (before.n && strchr("*_:- ", before.p[before.n - 1]))
            before.n--;
        bool text = !cv_only_signs(behind);
        while (text && strchr("*_:- ", behind.p[0]))
            behind = cv_str_from(behind, 1);
        if (!cv_has_word(before) || text != cv_says_nothing(r, before) || cv_str_find_char(before, '[') != SIZE_MAX)
            return false;
        st->form = CV_OPENING_BARE;
        st->lead = lead;
        st->head = head;
        st->label = text ? cv_str_range(behind.p, here.p + cv_bare_end(here, (size_t)(behind.p - here.p))) : before;
        st->end = lead + (size_t)((text ? cv_str_end(st->label) : cv_str_end(behind)) - here.p);
        st->escape = true;
        set_owner(r, st, head.id);
        return true;
    }
    return false;
}

static bool read_bare(const cv_opening_reader *r, cv_str s, size_t lead, bool heading, cv_opening *st)
{
    cv_str here = cv_str_from(s, lead), label;
    cv_head head;
    size_t end;
    bool ticked = here.n > 1 && here.p[0] == '`' && cv_is_alpha(here.p[1]); /* `MUFFIN-P0101`: Cheap */
    if (!here.n || !(ticked || cv_is_alpha(here.p[0]) || (unsigned char)here.p[0] >= 0x80) ||
        cv_str_ends(cv_str_head(s, lead), CV_STR("~~")) || !cv_head_read(r->who, here, &head))
        return false;
    if (head.own && head.id.n && !cv_is_made(r, head.id) && read_parentheses(here, &head, &label, &end)) {
        st->label = label;
    } else if (!is_meant_bare(r, &head, here, heading) || (ticked && !head.own)) {
        return false;
    } else {
        end = cv_bare_end(here, head.rest < here.n ? head.rest : here.n);
        if (head.type < (cv_mark_type)CV_KIND_COUNT)
            end = emphasis_end(s, lead, head.rest, end);
        st->label = without_ends(cv_take_label(here, head.rest, end), ticked);
    }
    st->form = CV_OPENING_BARE;
    st->lead = lead;
    st->head = head;
    st->end = lead + end;
    if (cv_only_signs(st->label))
        st->label.n = 0;
    st->escape = true;
    set_owner(r, st, head.id);
    return true;
}

/* A mark that its writer made text of, alone on its line: it can only be meant. `inside`: from its bracket on. */
static bool read_quoted(const cv_opening_reader *r, cv_str inside, size_t label_end, cv_opening *st)
{
    cv_head head;
    if (inside.n < 3 || inside.p[0] != '[' || !cv_head_read(r->who, cv_str_from(inside, 1), &head))
        return false;
    if (head.type < (cv_mark_type)CV_KIND_COUNT && (!head.own || cv_is_made(r, head.id)))
        return false;
    st->head = head;
    st->label = cv_take_label(inside, head.rest + 1, label_end);
    set_owner(r, st, head.id);
    return true;
}

/* `[MUFFIN-P0101: Cheap]` */
static bool read_ticked(const cv_opening_reader *r, cv_str s, size_t lead, cv_opening *st)
{
    size_t ticks = 0, end, length;
    while (lead + ticks < s.n && s.p[lead + ticks] == '`')
        ticks++;
    if (ticks == 0 || ticks > 2)
        return false;
    cv_str inside = cv_str_from(s, lead + ticks);
    size_t close = cv_str_find_char(inside, '`');
    if (close == SIZE_MAX || !cv_only_signs(cv_str_from(inside, close)))
        return false;
    inside = cv_str_head(inside, close);
    if (!cv_bracket_at(inside, &end, &length) || end == SIZE_MAX || !cv_only_signs(cv_str_from(inside, end)) ||
        !read_quoted(r, inside, end, st))
        return false;
    st->form = CV_OPENING_TICKED;
    st->lead = lead;
    st->end = s.n;
    return true;
}

/* \[MUFFIN-P0101: Cheap\]: one backslash is how a mark is quoted, two are how programs print brackets. */
static bool read_escaped(const cv_opening_reader *r, cv_str s, size_t lead, cv_opening *st)
{
    cv_str here = cv_str_from(s, lead);
    size_t close = cv_str_starts(here, CV_STR("\\[")) ? cv_str_find(here, CV_STR("\\]")) : SIZE_MAX;
    if (close == SIZE_MAX || cv_str_find_char(here, ']') < close || !cv_only_signs(cv_str_from(here, close + 2)) ||
        !read_quoted(r, cv_str_from(here, 1), close - 1, st))
        return false;
    st->form = CV_OPENING_ESCAPED;
    st->lead = lead;
    st->end = s.n;
    return true;
}

/* Words that only say that a mark follows: "Perspective 1:", "My marker:". */
bool cv_says_nothing(const cv_opening_reader *r, cv_str s)
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

static bool has_letter(cv_str s)
{
    size_t n;
    for (size_t i = 0; i < s.n; i += n) {
        n = 1;
        if (cv_is_alpha(s.p[i]) || ((unsigned char)s.p[i] >= 0x80 && !cv_sign_at(cv_str_from(s, i), &n)))
            return true;
    }
    return false;
}

/* "My first point: [MUFFIN-P0101: Cheap]", "[10:32] [MUFFIN-P0101: Cheap]", with nothing behind the mark. */
static bool read_led(const cv_opening_reader *r, cv_str s, cv_opening *st)
{
    enum { LONGEST = 60 };
    cv_str front = cv_str_head(s, LONGEST);
    size_t at = cv_str_find_char(front, '[');
    while (at != SIZE_MAX && !has_letter(cv_str_head(cv_str_from(s, at), 2)) && !has_letter(cv_str_head(s, at))) {
        size_t next = cv_str_find_char(cv_str_from(front, at + 1), '[');
        at = next == SIZE_MAX ? SIZE_MAX : at + 1 + next;
    }
    cv_str before = at == SIZE_MAX ? (cv_str){NULL, 0} : cv_str_trim_right(cv_str_head(s, at));
    bool signs = !has_letter(before);
    cv_mark m;
    if (before.n < 2 - (size_t)signs || cv_str_find_char(before, '`') != SIZE_MAX ||
        (signs ? cv_str_find_char(before, '\\') != SIZE_MAX : !cv_has_word(before)))
        return false;
    while (before.n && strchr("*_ ", before.p[before.n - 1]))
        before.n--;
    bool joint = signs || (before.n && (strchr(":>=", before.p[before.n - 1]) || cv_str_ends(before, CV_STR("—")) ||
                                        cv_str_ends(before, CV_STR("–")) || cv_str_ends(before, CV_STR("→")) ||
                                        cv_str_ends(before, CV_STR(" -"))));
    if (!joint || !cv_mark_at(cv_str_from(s, at), false, &m) || m.type >= (cv_mark_type)CV_KIND_COUNT ||
        !cv_only_signs(cv_str_from(s, at + m.end)) || !is_sound(r, cv_str_from(s, at), &m))
        return false;
    cv_opening found = {.form = CV_OPENING_NATIVE, .lead = at, .end = at + m.end, .mark = m};
    set_owner(r, &found, m.id);
    if (!found.own || cv_is_made(r, found.id))
        return false;
    *st = found;
    st->led = true;
    if (!cv_says_nothing(r, before))
        st->words = before;
    return true;
}

bool cv_opening_read(const cv_opening_reader *r, cv_str s, cv_opening *st)
{
    *st = (cv_opening){0};
    if (s.n == 0)
        return false;
    if (read_native(r, s, st))
        return true;
    bool heading;
    size_t lead = cv_lead_of(s, &heading);
    cv_str here = cv_str_from(s, lead);
    st->heading = heading;
    if (here.n == 0)
        return false;
    if (lead && here.p[0] == '[' && read_native(r, here, st)) {
        st->lead += lead;
        st->end += lead;
        return true;
    }
    return read_ticked(r, s, lead, st) || read_escaped(r, s, lead, st) || read_bracketed(r, s, lead, st) ||
           (heading && read_settled(r, s, lead, st)) || read_bare(r, s, lead, heading, st) ||
           (heading && read_behind(r, s, lead, st)) || read_led(r, s, st);
}

/* ---- quotations ---------------------------------------------------------------------------------------------- */

bool cv_is_quotation(cv_str s)
{
    s = cv_str_trim_left(s);
    return s.n && s.p[0] == '>';
}

cv_str cv_unquoted(cv_str s)
{
    while (cv_is_quotation(s)) {
        s = cv_str_from(cv_str_trim_left(s), 1);
        if (s.n && s.p[0] == ' ')
            s = cv_str_from(s, 1);
    }
    return s;
}
