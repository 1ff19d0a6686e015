/* plain_table.c - marks in tables: each with the other cells of its row as its text; see plain.h. */
#include "dialogue/intake/plain_parts.h"
#include "dialogue/text/line.h"

bool cv_plain_is_table_row(const cv_plain_reader *r, size_t i)
{
    return cv_plain_is_row(r, i) && cv_plain_row_text(r, i).n > 1 && cv_plain_row_text(r, i).p[0] == '|';
}

/* One row while it is read. */
typedef struct {
    const cv_plain_reader *r;
    cv_str *cells;
    size_t count;
    int kind; /* what one of its cells calls it: a cv_kind, or -1 */
} row;

typedef enum {
    CELL_TEXT,
    CELL_MARK, /* it begins with a mark */
    CELL_ID,   /* nothing but an id of the expert's own: another cell is its label */
    CELL_PAIR  /* SUPPORT, and ids in the next one */
} cell_form;

static cv_str bare(cv_str cell)
{
    bool heading;
    cell = cv_str_trim(cv_str_from(cell, cv_lead_of(cell, &heading)));
    while (cell.n && strchr("*_` ", cell.p[cell.n - 1]))
        cell.n--;
    return cell;
}

static row read_row(const cv_plain_reader *r, cv_str text)
{
    row w = {.r = r, .kind = -1};
    w.cells = cv_row_cells(r->who->a, text, &w.count);
    for (size_t i = 0; i < w.count; i++)
        for (int kind = 0; kind < CV_KIND_COUNT; kind++)
            if (cv_str_eq_nocase(bare(w.cells[i]), cv_kinds[kind].word))
                w.kind = kind;
    return w;
}

static bool ends(cv_str cell, const cv_head *head)
{
    return head->rest >= cell.n || cv_only_signs(cv_str_from(cell, head->rest));
}

/* In full, or short where the row says of which kind it is. */
static bool is_id(const row *w, cv_str cell, cv_head *ret_head)
{
    bool heading;
    cell = cv_str_from(cell, cv_lead_of(cell, &heading));
    if (!cell.n || !cv_head_read(w->r->who, cell, ret_head) || !ends(cell, ret_head))
        return false;
    bool is_short = ret_head->numbered && !ret_head->id.n && (int)ret_head->type == w->kind;
    return (ret_head->own && !cv_plain_made(w->r, ret_head->id)) ||
           (is_short && cell.n < 4 && cv_is_alpha(cell.p[0]) && !cv_plain_made_short(w->r, cell));
}

static bool is_pair(const row *w, size_t i, cv_head *ret_head)
{
    cv_str word = bare(w->cells[i]);
    if (i + 1 >= w->count || word.n < 4 || word.n > 16)
        return false;
    for (size_t k = 0; k < word.n; k++)
        if (!cv_is_alpha(word.p[k]) && word.p[k] != ':')
            return false;
    cv_str joined = cv_arena_printf(w->r->who->a, "%.*s %.*s", CV_FMT(word), CV_FMT(bare(w->cells[i + 1])));
    return !cv_str_ends(word, CV_STR("CONVERGE")) && cv_head_read(w->r->who, joined, ret_head) && ret_head->targets &&
           ends(joined, ret_head) && (ret_head->type == CV_MARK_REFERENCE || ret_head->type == CV_MARK_MOVE);
}

static cell_form form_of(const row *w, size_t i, cv_head *ret_head)
{
    cv_opening st;
    if (is_id(w, w->cells[i], ret_head))
        return CELL_ID;
    if (cv_plain_opens(w->r, w->cells[i], &st) && st.form != CV_OPENING_BARE && !st.foreign)
        return CELL_MARK;
    return is_pair(w, i, ret_head) ? CELL_PAIR : CELL_TEXT;
}

bool cv_plain_table_has_marks(const cv_plain_reader *r, size_t first, size_t end)
{
    cv_head head;
    for (size_t i = first; i < end; i++) {
        row w = read_row(r, cv_plain_row_text(r, i));
        for (size_t k = 0; k < w.count; k++)
            if (form_of(&w, k, &head) != CELL_TEXT)
                return true;
    }
    return false;
}

/* '\|' of a cell is '|'. */
static void put_cell(cv_plain_reader *r, cv_str cell)
{
    size_t at;
    while ((at = cv_str_find(cell, CV_STR("\\|"))) != SIZE_MAX) {
        cv_plain_put_source(r, cv_str_head(cell, at));
        cv_plain_put_source(r, (cv_str){cell.p + at + 1, 1});
        cell = cv_str_from(cell, at + 2);
    }
    cv_plain_put_source(r, cell);
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

/* The names of the columns, and which of them is for labels. */
typedef struct {
    cv_str *names;
    size_t count, label_at;
} table_head;

/* A cell of text, with the name of its column, unless it only says that this is the text, or what the mark is. */
static void put_text_cell(cv_plain_reader *r, const row *w, size_t i, const table_head *head)
{
    const cv_opening_reader reader = cv_plain_opening(r);
    cv_str cell = w->cells[i], name = i < head->count ? head->names[i] : (cv_str){NULL, 0};
    bool says_kind = is_column(name, CV_STR("type kind")) && cv_says_nothing(&reader, cell);
    if (!cv_has_word(cell) || says_kind || (w->kind >= 0 && cv_str_eq_nocase(bare(cell), cv_kinds[w->kind].word)))
        return;
    if (w->count > 2 && cv_has_word(name) && !is_column(name, CV_STR("text content description body"))) {
        cv_plain_put_source(r, name);
        cv_plain_put_text(r, CV_STR(": "), name);
    }
    put_cell(r, cell);
    cv_plain_put_line_end(r, cell);
}

/* An id and its label: that of the column for labels, or the next cell. Returns the last cell that was used. */
static size_t put_id_cell(cv_plain_reader *r, row *w, size_t i, const cv_head *id, const table_head *head)
{
    cv_opening st = {.form = CV_OPENING_BRACKETED, .head = *id, .escape = true};
    cv_str written = w->cells[i];
    cv_head other;
    size_t at = head->label_at;
    if (at < head->count && at < w->count && at > i && form_of(w, at, &other) == CELL_TEXT) {
        st.label = w->cells[at];
        w->cells[at].n = 0;
    } else if (i + 1 < w->count && form_of(w, i + 1, &other) == CELL_TEXT) {
        st.label = w->cells[++i];
        written = cv_str_range(written.p, cv_str_end(st.label));
    }
    cv_plain_put_text(r, cv_plain_bracketed(r, &st), written);
    cv_plain_put_line_end(r, w->cells[i]);
    return i;
}

/* The mark of cell i with what belongs to it; the last cell that was used. */
static size_t put_mark_cell(cv_plain_reader *r, row *w, size_t i, const table_head *head)
{
    cv_head found;
    cell_form form = form_of(w, i, &found);
    if (form == CELL_ID)
        return put_id_cell(r, w, i, &found, head);
    if (form == CELL_PAIR) {
        cv_opening st = {.form = CV_OPENING_BRACKETED, .head = found};
        cv_plain_put_text(r, cv_plain_bracketed(r, &st), cv_str_range(w->cells[i].p, cv_str_end(w->cells[i + 1])));
        i++;
    } else {
        cv_plain_put_row(r, w->cells[i]);
    }
    cv_plain_put_line_end(r, w->cells[i]);
    return i;
}

/* What is before the first mark of the row belongs to it, too, unless it only says what it is. */
static void put_table_row(cv_plain_reader *r, cv_str text, const table_head *head)
{
    const cv_opening_reader reader = cv_plain_opening(r);
    row w = read_row(r, text);
    cv_head found;
    size_t first = 0;
    bool ordered = false; /* marks in the middle of cells keep their order */
    while (first < w.count && form_of(&w, first, &found) == CELL_TEXT)
        first++;
    for (size_t k = 0; k < first; k++)
        ordered = ordered || cv_str_find_char(w.cells[k], '[') != SIZE_MAX;
    for (size_t k = 0; ordered && k < first; k++)
        put_text_cell(r, &w, k, head);
    for (size_t i = first; i < w.count; i++) {
        bool begins = i == first;
        if (form_of(&w, i, &found) == CELL_TEXT)
            put_text_cell(r, &w, i, head);
        else
            i = put_mark_cell(r, &w, i, head);
        for (size_t k = 0; begins && !ordered && k < first; k++)
            if (!cv_says_nothing(&reader, w.cells[k]))
                put_text_cell(r, &w, k, head);
    }
}

/* Each row with a mark is that mark, and its other cells are the text below it. */
void cv_plain_put_table(cv_plain_reader *r, size_t end)
{
    size_t first = r->at;
    table_head head = {0};
    if (first + 1 < end && cv_row_is_separator(cv_plain_row_text(r, first + 1)) &&
        !cv_plain_table_has_marks(r, first, first + 1))
        head.names = cv_row_cells(r->who->a, cv_plain_row_text(r, first), &head.count);
    assert(head.names || head.count == 0);
    while (head.label_at < head.count && !is_column(head.names[head.label_at], CV_STR("label title headline name")))
        head.label_at++;
    cv_plain_tell(r, CV_DIAGNOSIS_REPAIRED, CV_STR("in_table"), first, end - 1,
                  CV_STR("there are marks in a table: each is read with the other cells of its row as its text"),
                  CV_STR("write each mark on a line of its own, and its text below it"));
    for (size_t i = first; i < end; i++) {
        r->at = i;
        cv_str text = cv_plain_row_text(r, i);
        if (cv_row_is_separator(text) || (head.names && i == first))
            continue;
        if (cv_plain_table_has_marks(r, i, i + 1)) {
            put_table_row(r, text, &head);
        } else {
            cv_plain_put_source(r, text);
            cv_plain_put_line_end(r, text);
        }
    }
    r->at = end - 1;
}
