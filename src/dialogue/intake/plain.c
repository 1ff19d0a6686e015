/* plain.c - a response as it is read; see plain.h.
 *
 *     rows       the lines of the source
 *     frame      what a client put around them is marked as dropped, the common indent is found
 *     fences     which rows are code; fences that hold the answer are dropped
 *     made       the ids that some row makes: others may refer to them in any way
 *     put        row by row into the text: quotations and tables opened, marks spelt as they should be
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "dialogue/intake/plain_parts.h"
#include "dialogue/text/line.h"
#include "dialogue/words/limits.h"

static const cv_str severity_words[] = {CV_STR_INIT("lost"), CV_STR_INIT("repaired"), CV_STR_INIT("note")};
_Static_assert(CV_COUNT(severity_words) == CV_DIAGNOSIS_COUNT, "a word per severity");
const cv_words cv_diagnosis_words = {severity_words, CV_DIAGNOSIS_COUNT};

void cv_plain_tell(cv_plain_reader *r, cv_diagnosis_severity severity, cv_str type, size_t first, size_t last,
                   cv_str message, cv_str suggestion)
{
    *CV_PUSH(r->who->a, &r->plain->remarks) =
        (cv_plain_remark){severity, type, message, suggestion, first + 1, last + 1};
}

bool cv_plain_opens(const cv_plain_reader *r, cv_str s, cv_opening *ret)
{
    const cv_opening_reader reader = cv_plain_opening(r);
    return cv_opening_read(&reader, s, ret);
}

bool cv_plain_made(const cv_plain_reader *r, cv_str id)
{
    const cv_opening_reader reader = cv_plain_opening(r);
    return cv_is_made(&reader, id);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The length of the line end here; 0: there is none. Carriage returns alone, form feeds and the separators
 * of Unicode end lines, too. */
static size_t line_end_at(cv_str s)
{
    static const cv_str separators[] = {CV_STR_INIT("\xE2\x80\xA8"), CV_STR_INIT("\xE2\x80\xA9"),
                                        CV_STR_INIT("\xC2\x85"), CV_STR_INIT("\f")};
    size_t returns = 0;
    while (returns < s.n && s.p[returns] == '\r')
        returns++;
    if (returns < s.n && s.p[returns] == '\n')
        return returns + 1;
    for (size_t i = 0; !returns && i < CV_COUNT(separators); i++)
        if (cv_str_starts(s, separators[i]))
            return separators[i].n;
    return returns ? 1 : 0;
}

/* A byte order mark does not belong to the first one. */
static void find_rows(cv_plain_reader *r, cv_str source)
{
    static const cv_str order_mark = CV_STR_INIT("\xEF\xBB\xBF");
    for (size_t at = cv_str_starts(source, order_mark) ? order_mark.n : 0; at < source.n;) {
        size_t end = at, length = 0;
        while (end < source.n && !(length = line_end_at(cv_str_from(source, end))))
            end++;
        *CV_PUSH(r->who->a, &r->rows) = (cv_plain_row){.text = cv_str_range(source.p + at, source.p + end)};
        at = end + length;
    }
    r->last = r->rows.count;
}

cv_str cv_plain_row_text(const cv_plain_reader *r, size_t i)
{
    return cv_str_trim(r->rows.items[i].text);
}

/* ---- what the rows make ------------------------------------------------------------------------------------------ */

/* T08 and T8 are one. */
static cv_str short_key(cv_arena *a, const cv_id *id)
{
    return cv_arena_printf(a, "%c%d", cv_kinds[id->kind].letter, id->number);
}

bool cv_plain_made_short(const cv_plain_reader *r, cv_str written)
{
    cv_id id;
    return cv_id_parse(written, &id) && id.form == CV_ID_SHORT && cv_map_get(&r->made, short_key(r->who->a, &id));
}

/* [TENSION T08: …] */
static void find_short(cv_plain_reader *r, cv_str written)
{
    cv_id id;
    if (cv_id_parse(written, &id) && id.form == CV_ID_SHORT)
        cv_map_put(&r->made, r->who->a, short_key(r->who->a, &id), NULL);
}

static void find_made(cv_plain_reader *r)
{
    for (size_t i = r->first; i < r->last; i++) {
        cv_opening st;
        if (r->rows.items[i].fenced || r->rows.items[i].dropped || !cv_plain_opens(r, r->rows.items[i].text, &st))
            continue;
        if (st.form == CV_OPENING_NATIVE && !st.own)
            find_short(r, st.mark.id);
        if (!st.own)
            continue;
        bool labelled = st.form == CV_OPENING_NATIVE
                            ? st.mark.label.n || cv_only_signs(cv_str_from(r->rows.items[i].text, st.end))
                            : st.label.n > 0;
        if (labelled && (st.form == CV_OPENING_NATIVE || st.form == CV_OPENING_BRACKETED) && !st.led)
            cv_map_put(&r->made, r->who->a, st.id, NULL);
    }
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

static size_t offset(const cv_plain_reader *r, const char *at)
{
    return (size_t)(at - r->plain->inner.p);
}

void cv_plain_put_source(cv_plain_reader *r, cv_str s)
{
    if (s.n == 0)
        return;
    *CV_PUSH(r->who->a, &r->plain->runs) = (cv_plain_run){r->out.n, offset(r, s.p), offset(r, s.p) + s.n, true};
    cv_buf_add(&r->out, s);
}

/* Something that stands for a piece of the source. */
void cv_plain_put_text(cv_plain_reader *r, cv_str text, cv_str source)
{
    if (text.n == 0)
        return;
    *CV_PUSH(r->who->a, &r->plain->runs) =
        (cv_plain_run){r->out.n, offset(r, source.p), offset(r, source.p) + source.n, false};
    cv_buf_add(&r->out, text);
}

void cv_plain_put_line_end(cv_plain_reader *r, cv_str source)
{
    cv_plain_put_text(r, CV_STR("\n"), source);
    *CV_PUSH(r->who->a, &r->plain->lines) = r->at + 1;
}

/* A label between square brackets; one from elsewhere may have any in it. */
cv_str cv_plain_bracketed(cv_plain_reader *r, const cv_opening *st)
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
static cv_str type_of(const cv_opening *st, cv_str written)
{
    static const struct {
        cv_opening_form form;
        cv_str type;
    } types[] = {{CV_OPENING_BARE, CV_STR_INIT("no_brackets")},
                 {CV_OPENING_TICKED, CV_STR_INIT("in_backticks")},
                 {CV_OPENING_ESCAPED, CV_STR_INIT("escaped")}};
    for (size_t i = 0; i < CV_COUNT(types); i++)
        if (types[i].form == st->form)
            return types[i].type;
    if (st->unclosed)
        return CV_STR("unclosed");
    if (st->beyond)
        return CV_STR("closed_too_early");
    if (written.p[0] != '[' || (written.n > 1 && written.p[1] == '['))
        return CV_STR("other_brackets");
    if (has_upper_head(written, st->head.head) && !cv_str_starts(cv_str_from(written, 1), st->head.head))
        return CV_STR("lower_case");
    if (st->head.type == CV_MARK_MOVE && !cv_str_starts_nocase(written, CV_STR("[MOVE")))
        return CV_STR("move_without_word");
    if (st->head.type < (cv_mark_type)CV_KIND_COUNT && !st->head.id.n && written.n > 2 && cv_is_digit(written.p[2]))
        return CV_STR("short_id");
    return CV_STR("misspelt");
}

static void remark_spelling(cv_plain_reader *r, cv_str type, cv_str written, cv_str meant, size_t last)
{
    cv_arena *a = r->who->a;
    if (cv_str_eq(written, meant))
        return;
    cv_plain_tell(r, CV_DIAGNOSIS_REPAIRED, type, r->at, last,
                  cv_arena_printf(a, "%.*s is read as %.*s", CV_FMT(cv_excerpt(a, cv_one_line(a, written))),
                                  CV_FMT(cv_excerpt(a, cv_one_line(a, meant)))),
                  cv_arena_printf(a, "write %.*s", CV_FMT(cv_excerpt(a, cv_one_line(a, meant)))));
}

/* A label goes on over the next rows up to its bracket; how many rows more, 0: it does not. */
static size_t label_rows(const cv_plain_reader *r, size_t *ret_end)
{
    enum { MOST = 4 };
    cv_opening st;
    for (size_t n = 1; n <= MOST && r->at + n < r->last; n++) {
        const cv_plain_row *next = &r->rows.items[r->at + n];
        cv_str text = cv_str_trim_left(next->text);
        if (next->fenced || next->dropped || text.n == 0 || text.p[0] == '#' || text.p[0] == '|' ||
            cv_plain_opens(r, next->text, &st))
            return 0;
        size_t close = cv_str_find_char(next->text, ']'), open = cv_str_find_char(next->text, '[');
        if (close != SIZE_MAX && (open == SIZE_MAX || close < open)) {
            *ret_end = close + 1;
            return n;
        }
        if (open != SIZE_MAX)
            return 0;
    }
    return 0;
}

/* Marks in the middle of a line that only need capitals. */
static void put_rest(cv_plain_reader *r, cv_str s)
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
        bool strong = entity ? head.own && head.colon && !cv_plain_made(r, head.id)
                             : (head.type == CV_MARK_REFERENCE && head.targets) ||
                                   (head.type == CV_MARK_MOVE && cv_str_starts_nocase(here, CV_STR("[MOVE")));
        if (!strong)
            continue;
        cv_bracket_at(here, &close, &length);
        if (close == SIZE_MAX || head.rest + 1 > close + 1)
            continue;
        cv_opening st = {
            .form = CV_OPENING_BRACKETED, .head = head, .label = cv_take_label(here, head.rest + 1, close)};
        cv_str written = cv_str_head(here, close + 1), meant = cv_plain_bracketed(r, &st);
        cv_plain_put_source(r, cv_str_range(s.p + from, here.p));
        cv_plain_put_text(r, meant, written);
        remark_spelling(r, type_of(&st, written), written, meant, r->at);
        from = i + close + 1;
        i = from - 1;
    }
    cv_plain_put_source(r, cv_str_from(s, from));
}

/* The label of a mark that goes on over `rows` more rows; what is written, and what follows it. */
static void join_label(cv_plain_reader *r, cv_opening *st, size_t rows, size_t end, cv_str *written, cv_str *behind)
{
    cv_buf label = {0};
    cv_buf_add(&label, st->label);
    for (size_t n = 1; n <= rows; n++) {
        cv_str more = cv_str_trim(cv_str_head(r->rows.items[r->at + n].text, n == rows ? end - 1 : SIZE_MAX));
        while (label.n == 0 && more.n && strchr(":- ", more.p[0]))
            more = cv_str_from(more, 1);
        cv_buf_printf(&label, "%s%.*s", label.n ? " " : "", CV_FMT(more));
    }
    cv_str closing = r->rows.items[r->at + rows].text;
    st->label = cv_buf_take(&label, r->who->a);
    *written = cv_str_range(written->p, closing.p + end);
    *behind = cv_str_from(closing, end);
}

/* [MUFFIN-P0101] Cheap: the bracket closes too early, the label is behind it. */
static void take_label_behind(cv_opening *st, cv_str *written, cv_str *behind)
{
    size_t close, length;
    cv_str label = cv_str_trim(*behind);
    while (label.n && strchr(":-*_ ", label.p[0]))
        label = cv_str_from(label, 1);
    size_t end = cv_bare_end(label, 0);
    st->label = cv_str_trim(cv_str_head(label, end));
    st->escape = true;
    *behind = cv_str_from(label, end);
    *written = cv_str_range(written->p, st->label.n ? cv_str_end(st->label) : label.p);
    if (st->label.n && st->label.p[0] == '(' && cv_bracket_at(st->label, &close, &length) && close + 1 == st->label.n)
        st->label = cv_str_trim((cv_str){st->label.p + 1, st->label.n - 2}); /* [MUFFIN-P0101](Cheap) */
}

/* Does another mark begin here, in the label of one? RE:ADDRESS T0001; behind a comma OPPOSE R0001 as well. */
static bool begins_another(const cv_plain_reader *r, cv_str *s, cv_head *ret_head)
{
    bool listed = false;
    if (s->n == 0)
        return false;
    for (const char *before = s->p; !listed && strchr(" ,;|/+&", before[-1]); before--)
        listed = before[-1] != ' ';
    for (; s->n && strchr(" ,;|/+&", s->p[0]); *s = cv_str_from(*s, 1))
        listed = listed || s->p[0] != ' ';
    if (cv_str_starts_nocase(*s, CV_STR("and "))) {
        *s = cv_str_from(*s, 4);
        listed = true;
    }
    bool named = cv_str_starts_nocase(*s, CV_STR("RE:")) || cv_str_starts_nocase(*s, CV_STR("MOVE:"));
    return s->n && (named || listed) && cv_head_read(r->who, *s, ret_head) &&
           (ret_head->type == CV_MARK_REFERENCE || ret_head->type == CV_MARK_MOVE ||
            ret_head->type == CV_MARK_RESOLVED) &&
           (named || ret_head->targets);
}

/* The label of an item up to "| RE:SUPPORT P0001" or "; MUFFIN-P0102: Good", which is another mark; SIZE_MAX: all of
 * it. */
static size_t own_label(const cv_plain_reader *r, cv_str label)
{
    for (size_t i = 0; i < label.n && i < CV_MAX_LABEL; i++) {
        cv_head next;
        cv_str rest = cv_str_trim_left(cv_str_from(label, i + (i > 0)));
        if ((i > 0 && !strchr("|;,", label.p[i])) || !rest.n)
            continue;
        bool named = cv_str_starts(rest, CV_STR("RE:")) || cv_str_starts(rest, CV_STR("MOVE:"));
        if (cv_head_read(r->who, rest, &next) &&
            (next.type < (cv_mark_type)CV_KIND_COUNT
                 ? i > 0 && next.own && next.id.n && next.colon && next.rest < rest.n && !cv_plain_made(r, next.id)
                 : named && (next.type == CV_MARK_REFERENCE || next.type == CV_MARK_MOVE)))
            return i;
    }
    return SIZE_MAX;
}

/* [MUFFIN-P0101: Cheap | RE:SUPPORT P0001] */
static cv_str split_item(const cv_plain_reader *r, cv_str head, cv_str label)
{
    cv_buf text = {0};
    size_t end = own_label(r, label);
    if (end == SIZE_MAX)
        return (cv_str){NULL, 0};
    for (cv_head next; head.n; end = own_label(r, label)) {
        cv_str mine = cv_str_trim(cv_str_head(label, end));
        label = end == SIZE_MAX ? (cv_str){NULL, 0} : cv_str_from(label, end);
        cv_buf_printf(&text, "%s[%.*s%s%.*s]", text.n ? " " : "", CV_FMT(head), mine.n ? ": " : "", CV_FMT(mine));
        while (label.n && strchr(" |;,", label.p[0]))
            label = cv_str_from(label, 1);
        head = label.n && cv_head_read(r->who, label, &next) ? next.head : (cv_str){NULL, 0};
        label = head.n ? cv_str_from(label, next.rest) : label;
    }
    return cv_buf_take(&text, r->who->a);
}

/* [RE:SUPPORT P0001, RE:ADDRESS T0001] as two marks; empty: it is one. `head`: of the first, without brackets. */
static cv_str split_mark(const cv_plain_reader *r, cv_mark_type type, cv_str head, cv_str label)
{
    cv_buf text = {0};
    cv_head next;
    if (type < (cv_mark_type)CV_KIND_COUNT)
        return split_item(r, head, label);
    bool alone =
        cv_str_find_char(head, ' ') == SIZE_MAX && !cv_str_ends(head, CV_STR("CONVERGE")); /* SUPPORT/OPPOSE P1 */
    if ((type != CV_MARK_REFERENCE && type != CV_MARK_MOVE) || alone || !begins_another(r, &label, &next))
        return (cv_str){NULL, 0};
    cv_buf_printf(&text, "[%.*s]", CV_FMT(head));
    for (bool more = true; more;) {
        cv_buf_printf(&text, "[%.*s", CV_FMT(next.head));
        label = cv_str_from(label, next.rest);
        more = begins_another(r, &label, &next);
        if (!more && label.n)
            cv_buf_printf(&text, ": %.*s", CV_FMT(label));
        cv_buf_add_char(&text, ']');
    }
    return cv_buf_take(&text, r->who->a);
}

/* The mark with its label, spelt as it should be, and what follows it on its row. */
static void put_spelt(cv_plain_reader *r, cv_str s, cv_opening *st)
{
    cv_str written = cv_str_range(s.p + st->lead, s.p + st->end), behind = cv_str_from(s, st->end);
    size_t end, n;
    bool entity = st->head.type < (cv_mark_type)CV_KIND_COUNT;
    cv_str type = type_of(st, written), parts = {NULL, 0};
    if (!entity || !st->escape)
        parts = split_mark(r, st->head.type, st->head.head, st->label);
    size_t rows = st->unclosed && s.n < CV_MAX_LABEL ? label_rows(r, &end) : 0;
    if (rows) {
        join_label(r, st, rows, end, &written, &behind);
        parts.n = 0;
        type = CV_STR("broken_line");
    } else if (st->form == CV_OPENING_BRACKETED && !st->label.n && entity && st->own && cv_has_word(behind) &&
               !cv_plain_made(r, st->id)) {
        take_label_behind(st, &written, &behind);
        type = CV_STR("closed_too_early");
    }
    bool long_label = st->escape && entity && cv_utf8_count(st->label) > CV_LONG_LABEL;
    cv_str text = st->label;
    if (long_label)
        st->label.n = 0;
    cv_str meant = parts.n ? parts : cv_plain_bracketed(r, st);
    cv_plain_put_text(r, meant, long_label ? cv_str_range(written.p, text.p) : written);
    remark_spelling(r, type, written, meant, r->at + rows);
    if (long_label) {
        cv_plain_put_line_end(r, cv_str_range(text.p, text.p));
        cv_plain_put_source(r, text);
    }
    while (behind.n && (strchr("*_", behind.p[0]) ||
                        (st->form == CV_OPENING_TICKED && (behind.p[0] == '`' || cv_sign_at(behind, &n)))))
        behind = cv_str_from(behind, 1);
    r->at += rows;
    if (cv_has_word(behind))
        put_rest(r, behind);
}

/* The row directly below a mark may underline it. */
static void drop_underline(cv_plain_reader *r)
{
    size_t next = r->at + 1;
    cv_str s = next < r->last ? cv_plain_row_text(r, next) : (cv_str){NULL, 0};
    if (s.n < 2 || !strchr("=-*_", s.p[0]) || (strchr("*_", s.p[0]) && s.n < 3))
        return;
    for (size_t i = 1; i < s.n; i++)
        if (s.p[i] != s.p[0])
            return;
    r->rows.items[next].dropped = true;
    cv_plain_tell(r, CV_DIAGNOSIS_REPAIRED, CV_STR("underlined"), next, next,
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

static void put_native(cv_plain_reader *r, cv_str written, const cv_mark *m)
{
    cv_str head = cv_str_from(written, 1);
    if (m->label.n)
        head = cv_str_range(head.p, m->label.p);
    while (head.n && strchr(" ,;:-/", head.p[head.n - 1]))
        head.n--;
    cv_str parts = split_mark(r, m->type, head, m->label);
    if (parts.n) {
        cv_plain_put_text(r, parts, written);
        remark_spelling(r, CV_STR("two_in_one"), written, parts, r->at);
    } else {
        cv_plain_put_source(r, written);
    }
}

/* "[MUFFIN-" and "P0101: Cheap]" on the next row: a mark that is broken before its label. */
static bool put_broken(cv_plain_reader *r, cv_str s)
{
    bool heading;
    cv_opening st;
    cv_str here = cv_str_from(s, cv_lead_of(s, &heading));
    if (here.n == 0 || here.n >= CV_MAX_HEAD || here.p[0] != '[' || cv_str_find_char(here, ']') != SIZE_MAX ||
        !cv_plain_is_row(r, r->at + 1))
        return false;
    cv_str next = cv_str_trim(r->rows.items[r->at + 1].text);
    size_t close = cv_str_find_char(cv_str_head(next, CV_MAX_LABEL), ']');
    if (close == SIZE_MAX || cv_str_find_char(cv_str_head(next, close), '[') != SIZE_MAX)
        return false;
    here = cv_str_trim_right(here);
    cv_str joined = cv_arena_printf(r->who->a, "%.*s%s%.*s", CV_FMT(here), strchr("-_:", here.p[here.n - 1]) ? "" : " ",
                                    CV_FMT(cv_str_head(next, close + 1)));
    if (!cv_plain_opens(r, joined, &st) || st.end != joined.n)
        return false;
    cv_str written = cv_str_range(here.p, next.p + close + 1),
           meant = st.form == CV_OPENING_NATIVE ? joined : cv_plain_bracketed(r, &st);
    cv_plain_put_text(r, meant, written);
    remark_spelling(r, CV_STR("broken_line"), written, meant, r->at + 1);
    r->at++;
    put_rest(r, cv_str_from(next, close + 1));
    return true;
}

static bool has_mark(cv_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '[' && cv_mark_begins(cv_str_from(s, i)))
            return true;
    return false;
}

/* "**Why:** It is cheap." below a mark, "**Signal:** [MOVE:CONVERGE]": above the first section a key in bold and its
 * value would be metadata of the document. Here they are text, which a backslash says. */
static bool put_keyed(cv_plain_reader *r, cv_str s)
{
    cv_line line;
    cv_line_classify(s, NULL, &line);
    if (line.kind != CV_LINE_METADATA || r->sections || !(r->below_mark || has_mark(line.value)))
        return false;
    cv_plain_put_source(r, cv_str_range(s.p, line.trimmed.p));
    cv_plain_put_text(r, CV_STR("\\"), (cv_str){line.trimmed.p, 0});
    put_rest(r, cv_str_range(line.trimmed.p, cv_str_end(s)));
    return true;
}

void cv_plain_put_row(cv_plain_reader *r, cv_str s)
{
    cv_opening st;
    if (!cv_plain_opens(r, s, &st) || (st.foreign && cv_is_quotation(s))) {
        if (!put_broken(r, s) && !put_keyed(r, s))
            put_rest(r, s);
        return;
    }
    r->below_mark = true;
    if (st.form != CV_OPENING_NATIVE) {
        put_spelt(r, s, &st);
        drop_underline(r);
        return;
    }
    cv_line line;
    cv_line_classify(s, NULL, &line);
    bool as_it_is = line.kind == CV_LINE_MARKER && line.mark_at == st.lead;
    cv_str mark = cv_str_range(s.p + st.lead, s.p + st.end);
    if (as_it_is) {
        cv_plain_put_source(r, cv_str_head(s, st.lead));
        put_native(r, mark, &st.mark);
    } else {
        if (st.words.n) {
            cv_plain_put_source(r, st.words);
            cv_plain_put_line_end(r, st.words);
        }
        put_native(r, mark, &st.mark);
        cv_plain_tell(r, CV_DIAGNOSIS_REPAIRED, CV_STR("lead_in"), r->at, r->at,
                      CV_STR("the mark does not begin its line: it is read as if it did"),
                      CV_STR("begin the line with the mark"));
    }
    cv_str behind = skip_tags(cv_str_from(s, st.end));
    if (as_it_is || !cv_only_signs(behind))
        put_rest(r, behind);
    if (cv_only_signs(behind))
        drop_underline(r);
}

bool cv_plain_is_row(const cv_plain_reader *r, size_t i)
{
    return i < r->last && !r->rows.items[i].dropped && !r->rows.items[i].fenced;
}

/* "— Donut" in the last row of a quotation: it is somebody else's. */
static bool is_signed_by_another(const cv_plain_reader *r, cv_str row)
{
    static const cv_str dashes[] = {CV_STR_INIT("—"), CV_STR_INIT("–"), CV_STR_INIT("--"), CV_STR_INIT("-")};
    cv_str s = cv_str_trim(cv_unquoted(row)), name;
    bool alone;
    for (size_t i = 0; i < CV_COUNT(dashes); i++)
        if (cv_str_starts(s, dashes[i]))
            return cv_utf8_next_word(&s, &name, &alone) && !cv_str_eq_nocase(name, r->who->expert) &&
                   cv_state_expert(r->who->s, cv_arena_lower(r->who->a, name));
    return false;
}

/* Quotations that hold a mark of the expert's own are opened; what is quoted of others stays a quotation. */
static void open_quotations(cv_plain_reader *r)
{
    for (size_t i = r->first; i < r->last; i++) {
        size_t first = i, end = i;
        bool own = false;
        for (; cv_plain_is_row(r, end) && cv_is_quotation(r->rows.items[end].text); end++) {
            cv_opening st;
            own = own || (cv_plain_opens(r, cv_unquoted(r->rows.items[end].text), &st) && !st.foreign);
        }
        bool signed_off = own && is_signed_by_another(r, r->rows.items[end - 1].text);
        for (size_t k = first; signed_off && k < end; k++)
            r->rows.items[k].fenced = true; /* it stays as it is */
        if (signed_off)
            *CV_PUSH(r->who->a, &r->plain->quoted) =
                (cv_plain_run){.source = offset(r, r->rows.items[first].text.p),
                               .source_end = offset(r, cv_str_end(r->rows.items[end - 1].text))};
        own = own && !signed_off;
        for (size_t k = first; own && k < end; k++)
            r->rows.items[k].text = cv_unquoted(r->rows.items[k].text);
        if (own)
            cv_plain_tell(r, CV_DIAGNOSIS_REPAIRED, CV_STR("in_quotation"), first, end - 1,
                          CV_STR("there are marks in a quotation: it is read without its signs"),
                          CV_STR("write marks outside of quotations"));
        i = end > i ? end - 1 : i;
    }
}

/* The rows [first, last] are one comment: the signs go, when an item of the expert's own is in it. */
static void open_comment(cv_plain_reader *r, size_t first, size_t last)
{
    cv_str begin = cv_str_from(cv_plain_row_text(r, first), strlen("<!--")), end = cv_plain_row_text(r, last);
    bool own = false;
    cv_opening st;
    if (first == last)
        begin = cv_str_head(begin, begin.n - strlen("-->"));
    else
        end = cv_str_head(end, end.n - strlen("-->"));
    for (size_t i = first; i <= last && !own; i++)
        own = cv_plain_opens(r,
                             cv_str_trim(i == first  ? begin
                                         : i == last ? end
                                                     : r->rows.items[i].text),
                             &st) &&
              st.own;
    if (!own)
        return;
    if (first < last)
        r->rows.items[last].text = cv_str_trim(end);
    r->rows.items[first].text = cv_str_trim(begin);
    cv_plain_tell(r, CV_DIAGNOSIS_REPAIRED, CV_STR("in_comment"), first, last,
                  CV_STR("the mark is in a comment: it is read without its signs"),
                  CV_STR("write marks outside of comments"));
}

/* <!-- [MUFFIN-P0101: Cheap] --> on one row or on several. */
static void open_comments(cv_plain_reader *r)
{
    for (size_t i = r->first; i < r->last; i++) {
        size_t last = i;
        if (!cv_plain_is_row(r, i) || !cv_str_starts(cv_plain_row_text(r, i), CV_STR("<!--")))
            continue;
        while (cv_plain_is_row(r, last) && cv_str_find(cv_plain_row_text(r, last), CV_STR("-->")) == SIZE_MAX)
            last++;
        if (cv_plain_is_row(r, last) && cv_str_ends(cv_plain_row_text(r, last), CV_STR("-->")))
            open_comment(r, i, last);
        i = last;
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Headings and rules end what belongs to a mark. */
static void note_structure(cv_plain_reader *r, const cv_plain_row *row)
{
    cv_line line;
    if (row->fenced)
        return;
    cv_line_classify(row->text, NULL, &line);
    r->sections = r->sections || line.level == 2;
    r->below_mark = r->below_mark && line.level == 0 && !line.rule;
}

static void put_all(cv_plain_reader *r)
{
    *CV_PUSH(r->who->a, &r->plain->lines) = r->first + 1;
    for (r->at = 0; r->at < r->rows.count; r->at++) {
        const cv_plain_row *line = &r->rows.items[r->at];
        size_t end = r->at;
        if (line->dropped || r->at < r->first || r->at >= r->last)
            continue;
        if (r->plain->lines.count)
            r->plain->lines.items[r->plain->lines.count - 1] = r->at + 1;
        while (cv_plain_is_table_row(r, end))
            end++;
        if (end > r->at && cv_plain_table_has_marks(r, r->at, end)) {
            cv_plain_put_table(r, end);
            continue;
        }
        if (end > r->at) { /* a table without marks */
            for (; r->at < end; r->at++) {
                put_rest(r, r->rows.items[r->at].text);
                cv_plain_put_line_end(r, (cv_str){cv_str_end(r->rows.items[r->at].text), 0});
                r->plain->lines.items[r->plain->lines.count - 1] = r->at + 2;
            }
            r->at--;
            continue;
        }
        note_structure(r, line);
        if (line->fenced)
            cv_plain_put_source(r, line->text);
        else
            cv_plain_put_row(r, line->text);
        cv_plain_put_line_end(r, (cv_str){cv_str_end(r->rows.items[r->at].text), 0});
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

static size_t count_lines(cv_str text)
{
    size_t n = 1;
    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    return n;
}

/* Lines in the text of a JSON value become lines of the JSON. */
static void lead_lines_out(const cv_speaker *who, cv_plain *p)
{
    if (p->lines.count == 0)
        for (size_t i = 1; i <= p->outer.lines.count; i++)
            *CV_PUSH(who->a, &p->lines) = i;
    for (size_t i = 0; i < p->lines.count; i++)
        p->lines.items[i] = cv_unwrapped_line(&p->outer, p->lines.items[i]);
    for (size_t i = 0; i < p->remarks.count; i++) {
        p->remarks.items[i].line = cv_unwrapped_line(&p->outer, p->remarks.items[i].line);
        p->remarks.items[i].last = cv_unwrapped_line(&p->outer, p->remarks.items[i].last);
    }
    p->begins.count = 0;
}

static void tell_wrapping(cv_plain_reader *r, cv_unwrap_result result)
{
    size_t last = count_lines(cv_str_trim_right(r->plain->source)) - 1;
    if (result == CV_UNWRAP_TEXT)
        cv_plain_tell(r, CV_DIAGNOSIS_NOTE, CV_STR("in_json"), 0, last,
                      CV_STR("the answer is JSON: the text in it is read"), (cv_str){NULL, 0});
    else if (result == CV_UNWRAP_BROKEN)
        cv_plain_tell(r, CV_DIAGNOSIS_LOST, CV_STR("broken_json"), 0, last,
                      CV_STR("this begins like JSON, but is not valid JSON: it is read as text"),
                      CV_STR("send the text itself, without JSON around it"));
}

void cv_plain_read(const cv_speaker *who, cv_str source, cv_plain *ret_plain)
{
    cv_plain_reader r = {.who = who, .plain = ret_plain};
    *ret_plain = (cv_plain){.source = source};
    cv_unwrap_result result = cv_unwrap(who, source, &ret_plain->outer);
    cv_str inner = ret_plain->inner = result == CV_UNWRAP_TEXT ? ret_plain->outer.text : source;
    find_rows(&r, inner);
    cv_plain_frame(&r);
    cv_plain_fences(&r);
    open_quotations(&r);
    open_comments(&r);
    find_made(&r);
    put_all(&r);
    for (size_t i = 0; i < r.rows.count; i++)
        *CV_PUSH(who->a, &ret_plain->begins) = offset(&r, r.rows.items[i].text.p);
    ret_plain->text = cv_buf_take(&r.out, who->a);
    if (same_text(inner, ret_plain->text)) {
        ret_plain->text = inner;
        ret_plain->runs.count = ret_plain->lines.count = ret_plain->begins.count = 0;
    }
    if (result == CV_UNWRAP_TEXT)
        lead_lines_out(who, ret_plain);
    tell_wrapping(&r, result);
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

size_t cv_plain_begin(const cv_plain *p, size_t line)
{
    return line && line <= p->begins.count ? p->begins.items[line - 1] : 0;
}

size_t cv_plain_source(const cv_plain *p, size_t inner)
{
    return p->outer.runs.count && p->inner.p != p->source.p ? cv_unwrapped_place(&p->outer, inner) : inner;
}

bool cv_plain_is_quoted(const cv_plain *p, size_t inner)
{
    size_t low = 0, high = p->quoted.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->quoted.items[middle].source_end <= inner)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->quoted.count && p->quoted.items[low].source <= inner;
}
