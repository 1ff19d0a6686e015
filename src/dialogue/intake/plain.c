/* plain.c - a response as it is read; see plain.h.
 *
 *     rows       the lines of the source
 *     frame      what a client put around them is marked as dropped, the common indent is found
 *     fences     which rows are code; fences that hold the answer are dropped
 *     made       the ids that some row makes: others may speak of them in any way
 *     put        row by row into the text: quotations and tables opened, marks spelt as they should be
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "dialogue/intake/plain_parts.h"
#include "dialogue/text/line.h"
#include "dialogue/words/limits.h"

static const cv_str fate_words[] = {CV_STR_INIT("lost"), CV_STR_INIT("repaired"), CV_STR_INIT("note")};
_Static_assert(CV_COUNT(fate_words) == CV_FATE_COUNT, "a word per fate");
const cv_words cv_fate_words = {fate_words, CV_FATE_COUNT};

void cv_plain_tell(cv_plain_reader *r, cv_fate fate, cv_str type, size_t first, size_t last, cv_str message,
                   cv_str suggestion)
{
    *CV_PUSH(r->who->a, &r->plain->remarks) = (cv_plain_remark){fate, type, message, suggestion, first + 1, last + 1};
}

static bool opens(const cv_plain_reader *r, cv_str s, cv_opening *ret)
{
    const cv_opening_reader reader = cv_plain_opening(r);
    return cv_opening_read(&reader, s, ret);
}

static bool made(const cv_plain_reader *r, cv_str id)
{
    const cv_opening_reader reader = cv_plain_opening(r);
    return cv_is_made(&reader, id);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* A byte order mark is no part of the first one. */
static void find_rows(cv_plain_reader *r, cv_str source)
{
    static const cv_str order_mark = CV_STR_INIT("\xEF\xBB\xBF");
    for (size_t at = cv_str_starts(source, order_mark) ? order_mark.n : 0; at < source.n;) {
        size_t n = cv_str_find_char(cv_str_from(source, at), '\n');
        size_t end = n == SIZE_MAX ? source.n : at + n, next = n == SIZE_MAX ? source.n : end + 1;
        while (end > at && source.p[end - 1] == '\r')
            end--;
        *CV_PUSH(r->who->a, &r->rows) =
            (cv_plain_row){.text = cv_str_range(source.p + at, source.p + end), .next = next};
        at = next;
    }
    r->last = r->rows.count;
}

cv_str cv_plain_row_text(const cv_plain_reader *r, size_t i)
{
    return cv_str_trim(r->rows.items[i].text);
}

/* ---- what the rows make ------------------------------------------------------------------------------------------ */

static void find_made(cv_plain_reader *r)
{
    for (size_t i = r->first; i < r->last; i++) {
        cv_opening st;
        if (r->rows.items[i].fenced || r->rows.items[i].dropped || !opens(r, r->rows.items[i].text, &st) || !st.own)
            continue;
        bool labelled = st.form == CV_OPENING_NATIVE
                            ? st.mark.label.n || cv_only_signs(cv_str_from(r->rows.items[i].text, st.end))
                            : st.label.n > 0;
        if (labelled && st.form != CV_OPENING_BARE && st.form != CV_OPENING_TICKED && !st.led)
            cv_map_put(&r->made, r->who->a, st.id, NULL);
    }
}

/* ---- the text ---------------------------------------------------------------------------------------------------- */

static size_t offset(const cv_plain_reader *r, const char *at)
{
    return (size_t)(at - r->plain->source.p);
}

static void put_source(cv_plain_reader *r, cv_str s)
{
    if (s.n == 0)
        return;
    *CV_PUSH(r->who->a, &r->plain->runs) = (cv_plain_run){r->out.n, offset(r, s.p), offset(r, s.p) + s.n, true};
    cv_buf_add(&r->out, s);
}

/* Something that stands for a piece of the source. */
static void put_text(cv_plain_reader *r, cv_str text, cv_str source)
{
    if (text.n == 0)
        return;
    *CV_PUSH(r->who->a, &r->plain->runs) =
        (cv_plain_run){r->out.n, offset(r, source.p), offset(r, source.p) + source.n, false};
    cv_buf_add(&r->out, text);
}

static void put_line_end(cv_plain_reader *r, cv_str source)
{
    put_text(r, CV_STR("\n"), source);
    *CV_PUSH(r->who->a, &r->plain->lines) = r->at + 1;
}

/* A label between square brackets; one from elsewhere may have any in it. */
static cv_str bracketed(cv_plain_reader *r, const cv_opening *st)
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
    } types[] = {{CV_OPENING_BARE, CV_STR_INIT("no_brackets")}, {CV_OPENING_TICKED, CV_STR_INIT("in_backticks")}};
    for (size_t i = 0; i < CV_COUNT(types); i++)
        if (types[i].form == st->form)
            return types[i].type;
    if (st->unclosed)
        return CV_STR("unclosed");
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
    cv_plain_tell(r, CV_FATE_REPAIRED, type, r->at, last,
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
            opens(r, next->text, &st))
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

static void put_row(cv_plain_reader *r, cv_str s);

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
        bool strong = entity ? head.own && head.colon && !made(r, head.id)
                             : (head.type == CV_MARK_REFERENCE && head.targets) ||
                                   (head.type == CV_MARK_MOVE && cv_str_starts_nocase(here, CV_STR("[MOVE")));
        if (!strong)
            continue;
        cv_bracket_at(here, &close, &length);
        if (close == SIZE_MAX || head.rest + 1 > close + 1)
            continue;
        cv_opening st = {
            .form = CV_OPENING_BRACKETED, .head = head, .label = cv_take_label(here, head.rest + 1, close)};
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
static void put_spelt(cv_plain_reader *r, cv_str s, cv_opening *st)
{
    cv_arena *a = r->who->a;
    cv_str written = cv_str_range(s.p + st->lead, s.p + st->end), behind = cv_str_from(s, st->end);
    size_t last = r->at, end;
    bool entity = st->head.type < (cv_mark_type)CV_KIND_COUNT;
    cv_str type = type_of(st, written);
    size_t rows = st->unclosed && s.n < CV_MAX_LABEL ? label_rows(r, &end) : 0;
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
    } else if (st->form == CV_OPENING_BRACKETED && !st->label.n && entity && st->own && cv_has_word(behind) &&
               !made(r, st->id)) {
        /* [MUFFIN-P0101] Cheap: the bracket closes too early */
        cv_str label = cv_str_trim(behind);
        while (label.n && strchr(":-*_ ", label.p[0]))
            label = cv_str_from(label, 1);
        size_t length = cv_bare_end(label, 0);
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
    while (behind.n && (strchr("*_", behind.p[0]) ||
                        (st->form == CV_OPENING_TICKED && (behind.p[0] == '`' || cv_sign_at(behind, &n)))))
        behind = cv_str_from(behind, 1);
    r->at = last;
    if (cv_has_word(behind))
        put_rest(r, behind);
}

/* The row directly below a mark may underline it. */
static void drop_underline(cv_plain_reader *r)
{
    size_t next = r->at + 1;
    cv_str s = next < r->last ? cv_plain_row_text(r, next) : (cv_str){NULL, 0};
    if (s.n < 2 || (s.p[0] != '=' && s.p[0] != '-'))
        return;
    for (size_t i = 1; i < s.n; i++)
        if (s.p[i] != s.p[0])
            return;
    r->rows.items[next].dropped = true;
    cv_plain_tell(r, CV_FATE_REPAIRED, CV_STR("underlined"), next, next,
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

static bool is_other_mark(cv_str s)
{
    return cv_str_starts_nocase(s, CV_STR("RE:")) || cv_str_starts_nocase(s, CV_STR("MOVE:"));
}

/* [RE:SUPPORT P0001, RE:ADDRESS T0001] as two marks; empty: it is one. */
static cv_str split_mark(cv_plain_reader *r, cv_str written, const cv_mark *m)
{
    cv_mark_shape shape = cv_marks_table[m->type].shape;
    cv_str rest = m->label, first;
    cv_buf text = {0};
    cv_head head;
    if ((shape != CV_SHAPE_REF && shape != CV_SHAPE_MOVE) || !is_other_mark(rest))
        return (cv_str){NULL, 0};
    first = cv_str_range(written.p, rest.p);
    while (first.n && strchr(" ,;:-/", first.p[first.n - 1]))
        first.n--;
    cv_buf_printf(&text, "%.*s]", CV_FMT(first));
    while (is_other_mark(rest) && cv_head_read(r->who, rest, &head)) {
        cv_buf_printf(&text, "[%.*s", CV_FMT(head.head));
        rest = cv_str_from(rest, head.rest);
        if (rest.n && !is_other_mark(rest)) {
            cv_buf_printf(&text, ": %.*s", CV_FMT(rest));
            rest.n = 0;
        }
        cv_buf_add_char(&text, ']');
    }
    if (rest.n) { /* what cannot be read stays in its label */
        cv_buf_release(&text);
        return (cv_str){NULL, 0};
    }
    return cv_buf_take(&text, r->who->a);
}

static void put_native(cv_plain_reader *r, cv_str written, const cv_mark *m)
{
    cv_str parts = split_mark(r, written, m);
    if (parts.n) {
        put_text(r, parts, written);
        remark_spelling(r, CV_STR("two_in_one"), written, parts, r->at);
    } else {
        put_source(r, written);
    }
}

static void put_row(cv_plain_reader *r, cv_str s)
{
    cv_opening st;
    if (!opens(r, s, &st) || (st.foreign && cv_is_quotation(s))) {
        put_rest(r, s);
        return;
    }
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
        put_source(r, cv_str_head(s, st.lead));
        put_native(r, mark, &st.mark);
    } else {
        if (st.words.n) {
            put_source(r, st.words);
            put_line_end(r, st.words);
        }
        put_native(r, mark, &st.mark);
        cv_plain_tell(r, CV_FATE_REPAIRED, CV_STR("lead_in"), r->at, r->at,
                      CV_STR("the mark does not begin its line: it is read as if it did"),
                      CV_STR("begin the line with the mark"));
    }
    cv_str behind = skip_tags(cv_str_from(s, st.end));
    if (as_it_is || !cv_only_signs(behind))
        put_rest(r, behind);
    if (cv_only_signs(behind))
        drop_underline(r);
}

static bool is_row(const cv_plain_reader *r, size_t i)
{
    return i < r->last && !r->rows.items[i].dropped && !r->rows.items[i].fenced;
}

/* Quotations that hold a mark of the expert's own are opened; what is quoted of others stays a quotation. */
static void open_quotations(cv_plain_reader *r)
{
    for (size_t i = r->first; i < r->last; i++) {
        size_t first = i, end = i;
        bool own = false;
        for (; is_row(r, end) && cv_is_quotation(r->rows.items[end].text); end++) {
            cv_opening st;
            own = own || (opens(r, cv_unquoted(r->rows.items[end].text), &st) && !st.foreign);
        }
        for (size_t k = first; own && k < end; k++)
            r->rows.items[k].text = cv_unquoted(r->rows.items[k].text);
        if (own)
            cv_plain_tell(r, CV_FATE_REPAIRED, CV_STR("in_quotation"), first, end - 1,
                          CV_STR("marks stand in a quotation: it is read without its signs"),
                          CV_STR("write marks outside of quotations"));
        i = end > i ? end - 1 : i;
    }
}

/* <!-- [MUFFIN-P0101: Cheap] --> on one row: an item of the expert's own without the signs of the comment. */
static void open_comments(cv_plain_reader *r)
{
    static const cv_str open = CV_STR_INIT("<!--"), close = CV_STR_INIT("-->");
    for (size_t i = r->first; i < r->last; i++) {
        cv_str s = cv_plain_row_text(r, i);
        cv_opening st;
        if (!is_row(r, i) || s.n < open.n + close.n || !cv_str_starts(s, open) || !cv_str_ends(s, close))
            continue;
        s = cv_str_trim(cv_str_range(s.p + open.n, cv_str_end(s) - close.n));
        if (!opens(r, s, &st) || !st.own)
            continue;
        r->rows.items[i].text = s;
        cv_plain_tell(r, CV_FATE_REPAIRED, CV_STR("in_comment"), i, i,
                      CV_STR("the mark stands in a comment: it is read without its signs"),
                      CV_STR("write marks outside of comments"));
    }
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static bool is_table_row(const cv_plain_reader *r, size_t i)
{
    return is_row(r, i) && cv_plain_row_text(r, i).n > 1 && cv_plain_row_text(r, i).p[0] == '|';
}

/* A cell that is only an id of the expert's own: the next one is its label. */
static bool is_id_cell(const cv_plain_reader *r, cv_str cell, cv_head *ret_head)
{
    bool heading;
    cell = cv_str_from(cell, cv_lead_of(cell, &heading));
    return cell.n && cv_head_read(r->who, cell, ret_head) && ret_head->own && !made(r, ret_head->id) &&
           (ret_head->rest >= cell.n || cv_only_signs(cv_str_from(cell, ret_head->rest)));
}

static bool cell_has_mark(const cv_plain_reader *r, cv_str cell)
{
    cv_opening st;
    cv_head head;
    return is_id_cell(r, cell, &head) || (opens(r, cell, &st) && st.form != CV_OPENING_BARE && !st.foreign);
}

static bool table_has_marks(const cv_plain_reader *r, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        cv_str rest = cv_row_inside(cv_plain_row_text(r, i)), cell;
        while (cv_cell_next(&rest, &cell))
            if (cell_has_mark(r, cell))
                return true;
    }
    return false;
}

/* '\|' of a cell is '|'. */
static void put_cell(cv_plain_reader *r, cv_str cell)
{
    size_t at;
    while ((at = cv_str_find(cell, CV_STR("\\|"))) != SIZE_MAX) {
        put_source(r, cv_str_head(cell, at));
        put_source(r, (cv_str){cell.p + at + 1, 1});
        cell = cv_str_from(cell, at + 2);
    }
    put_source(r, cell);
}

static bool is_column(cv_str name, cv_str words)
{
    name = cv_str_trim(name);
    while (name.n && strchr("*_ ", name.p[0]))
        name = cv_str_from(name, 1);
    while (name.n && strchr("*_ ", name.p[name.n - 1]))
        name.n--;
    for (cv_str one; cv_str_split(&words, ' ', &one);)
        if (cv_str_eq_nocase(one, name))
            return true;
    return false;
}

/* A cell of text, with the name of its column, unless it only says that this is the text. */
static void put_text_cell(cv_plain_reader *r, cv_str cell, cv_str name, bool named)
{
    const cv_opening_reader reader = cv_plain_opening(r);
    if (!cv_has_word(cell) || (is_column(name, CV_STR("type kind")) && cv_says_nothing(&reader, cell)))
        return;
    if (named && name.n && cv_has_word(name) && !is_column(name, CV_STR("text content description body"))) {
        put_source(r, name);
        put_text(r, CV_STR(": "), name);
    }
    put_cell(r, cell);
    put_line_end(r, cell);
}

/* What stands before the first mark of the row belongs to it, too, unless it only says what it is. */
static void put_table_row(cv_plain_reader *r, cv_str text, const cv_str *head, size_t head_count)
{
    cv_arena *a = r->who->a;
    size_t count, first = 0, label_at = 0;
    cv_str *cells = cv_row_cells(a, text, &count);
    while (label_at < head_count && !is_column(head[label_at], CV_STR("label title headline name")))
        label_at++;
    while (first < count && !cell_has_mark(r, cells[first]))
        first++;
    bool ordered = false; /* marks in the middle of cells keep their order */
    for (size_t k = 0; k < first; k++)
        ordered = ordered || cv_str_find_char(cells[k], '[') != SIZE_MAX;
    for (size_t k = 0; ordered && k < first; k++)
        put_text_cell(r, cells[k], k < head_count ? head[k] : (cv_str){NULL, 0}, count > 2);
    for (size_t i = first; i < count; i++) {
        cv_head id;
        bool begins = i == first;
        if (is_id_cell(r, cells[i], &id)) {
            cv_opening st = {.form = CV_OPENING_BRACKETED, .head = id, .escape = true};
            cv_str written = cells[i];
            if (label_at < head_count && label_at < count && label_at > i && !cell_has_mark(r, cells[label_at])) {
                st.label = cells[label_at];
                cells[label_at].n = 0;
            } else if (i + 1 < count && !cell_has_mark(r, cells[i + 1])) {
                st.label = cells[++i];
                written = cv_str_range(written.p, cv_str_end(st.label));
            }
            put_text(r, bracketed(r, &st), written);
            put_line_end(r, cells[i]);
        } else if (cell_has_mark(r, cells[i])) {
            put_row(r, cells[i]);
            put_line_end(r, cells[i]);
        } else {
            put_text_cell(r, cells[i], i < head_count ? head[i] : (cv_str){NULL, 0}, count > 2);
        }
        const cv_opening_reader reader = cv_plain_opening(r);
        for (size_t k = 0; begins && !ordered && k < first; k++)
            if (!cv_says_nothing(&reader, cells[k]))
                put_text_cell(r, cells[k], k < head_count ? head[k] : (cv_str){NULL, 0}, count > 2);
    }
}

/* Each row with a mark is that mark, and its other cells are the text below it. */
static void put_table(cv_plain_reader *r, size_t end)
{
    size_t first = r->at, head_count = 0;
    cv_str *head = NULL;
    if (first + 1 < end && cv_row_is_separator(cv_plain_row_text(r, first + 1)) &&
        !table_has_marks(r, first, first + 1))
        head = cv_row_cells(r->who->a, cv_plain_row_text(r, first), &head_count);
    cv_plain_tell(r, CV_FATE_REPAIRED, CV_STR("in_table"), first, end - 1,
                  CV_STR("marks stand in a table: each is read with the other cells of its row as its text"),
                  CV_STR("write each mark on a line of its own, and its text below it"));
    for (size_t i = first; i < end; i++) {
        r->at = i;
        cv_str text = cv_plain_row_text(r, i);
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
    cv_plain_reader r = {.who = who, .plain = ret_plain};
    *ret_plain = (cv_plain){.source = source};
    find_rows(&r, source);
    cv_plain_frame(&r);
    cv_plain_fences(&r);
    open_quotations(&r);
    open_comments(&r);
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
