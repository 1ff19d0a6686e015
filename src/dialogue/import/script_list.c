/* script_list.c - trackers that are not tables become part of a script; see script.h.
 *
 *     ### T01: Space                       - **T02** Gas is dear (Muffin, R0) — RESOLVED
 *     **Status**: Resolved in R1           - [x] T03: Heat
 *     **Raised by**: Muffin (R0)           ### T04 — Trust (Muffin) ⚪ DEFERRED
 *
 * Read only where no table says it. A tension without a status is not a row.
 */
#include "dialogue/import/script.h"
#include "dialogue/text/mark.h"

typedef struct {
    cv_script *s;
    size_t sheet;
    int round;
    cv_tracked row; /* id empty: none under way */
    bool any;
} listing;

static bool starts_with_mark(cv_str s)
{
    return s.n > 0 &&
           (strchr("#-*+_>~ ", s.p[0]) || (cv_is_digit(s.p[0]) && s.n > 1 && (s.p[1] == '.' || s.p[1] == ')')));
}

/* Without what may be before the id: list marks, bold, a box. */
static cv_str without_marks(cv_str s, bool *ret_done, bool *ret_box)
{
    *ret_done = *ret_box = false;
    for (;;) {
        if (cv_str_starts_nocase(s, CV_STR("[x]")) || cv_str_starts(s, CV_STR("[ ]"))) {
            *ret_box = true;
            *ret_done = s.p[1] != ' ';
            s = cv_str_from(s, 3);
        } else if (starts_with_mark(s)) {
            s = cv_str_from(s, cv_is_digit(s.p[0]) ? 2 : 1);
        } else {
            return s;
        }
    }
}

/* Cuts a status off the end of a label: behind a dash or in brackets. */
static void cut_status(cv_arena *a, cv_tracked *row)
{
    static const cv_str joints[] = {CV_STR_INIT(" — "), CV_STR_INIT(" – "), CV_STR_INIT(" - "), CV_STR_INIT(" → "),
                                    CV_STR_INIT(": "),  CV_STR_INIT(" ("),  CV_STR_INIT(" [")};
    enum { FAR = 120 }; /* bytes from the end: a status is said there, and a long line costs no more than its length */
    size_t least = row->label.n > FAR ? row->label.n - FAR : 0;
    for (size_t from = row->label.n; from-- > least;)
        for (size_t i = 0; i < CV_COUNT(joints); i++) {
            cv_str rest = cv_str_from(row->label, from);
            size_t at;
            if (!cv_str_starts(rest, joints[i]))
                continue;
            cv_str word = cv_str_trim(cv_str_from(rest, joints[i].n));
            while (word.n > 0 && strchr("*_ ", word.p[0]))
                word = cv_str_from(word, 1);
            const cv_tracked_word *known = cv_tracked_find(cv_str_head(word, 24), &at);
            if (!known || at > 4) /* "✅ Resolved" */
                continue;
            row->word = cv_squeeze(a, word);
            row->status = (int)known->status;
            row->closed = cv_grid_round(word);
            row->label = cv_str_trim(cv_str_head(row->label, from));
            return;
        }
}

/* "Trust (Muffin) ⚪ DEFERRED": a status in capitals that ends the label, with the sign before it. */
static void cut_last_word(cv_arena *a, cv_tracked *row)
{
    cv_str label = row->label;
    size_t from = label.n, at;
    while (from > 0 && (cv_is_upper(label.p[from - 1]) || label.p[from - 1] == '-'))
        from--;
    cv_str word = cv_str_from(label, from);
    const cv_tracked_word *known =
        word.n > 3 && from > 0 && label.p[from - 1] == ' ' ? cv_tracked_find(word, &at) : NULL;
    if (!known || at > 0)
        return;
    row->word = cv_squeeze(a, word);
    row->status = (int)known->status;
    row->label = cv_str_trim(cv_str_head(label, from));
    while (row->label.n > 0 && (unsigned char)row->label.p[row->label.n - 1] >= 0x80) /* the sign */
        row->label.n--;
    row->label = cv_str_trim(row->label);
}

static void flush(listing *l)
{
    if (l->row.id.n && l->row.status >= 0) {
        cv_script_track(l->s, &l->row, l->sheet, l->round);
        l->any = true;
    } else if (l->row.id.n && l->row.label.n) {
        cv_script_misunderstand(l->s, l->sheet, l->row.line, l->row.label, "%.*s: it does not say its status",
                                CV_FMT(l->row.id));
    }
    l->row = (cv_tracked){.status = -1, .raised = -1, .closed = -1};
}

/* "(Muffin, R0)" behind a label: who raised it, and when. */
static void cut_origin(const cv_script *s, cv_tracked *row)
{
    size_t open = row->label.n;
    if (row->label.n < 3 || row->label.p[row->label.n - 1] != ')')
        return;
    while (open > 0 && row->label.p[open - 1] != '(')
        open--;
    if (open == 0)
        return;
    cv_str inside = cv_str_range(row->label.p + open, row->label.p + row->label.n - 1);
    cv_str name = cv_str_trim(cv_str_head(inside, cv_str_find_char(inside, ',')));
    if (cv_script_known(s, name) == CV_NOBODY)
        return;
    row->by = name;
    row->raised = cv_grid_round(inside);
    row->label = cv_str_trim(cv_str_head(row->label, open - 1));
}

static bool begin_row(listing *l, const cv_line *line, size_t number)
{
    bool done, box;
    cv_str s = without_marks(line->trimmed, &done, &box);
    cv_id id;
    size_t length;
    if (!cv_id_at(s, &id, &length) || id.form == CV_ID_EXPERT || id.kind != CV_KIND_TENSION ||
        (length < s.n && (cv_is_alnum(s.p[length]) || s.p[length] == '/' || s.p[length] == ',')))
        return false;
    flush(l);
    cv_str rest = cv_str_from(s, length);
    while (rest.n > 0 &&
           (strchr("*_:)-] ", rest.p[0]) || cv_str_starts(rest, CV_STR("—")) || cv_str_starts(rest, CV_STR("–"))))
        rest = cv_str_from(rest, (unsigned char)rest.p[0] >= 0x80 ? 3 : 1);
    l->row.id = cv_id_print(l->s->arena, &id);
    l->row.by = id.expert;
    l->row.raised = id.form == CV_ID_SHORT ? -1 : id.round;
    l->row.label = cv_squeeze(l->s->arena, rest);
    l->row.line = number;
    cut_status(l->s->arena, &l->row);
    if (l->row.status < 0)
        cut_last_word(l->s->arena, &l->row);
    if (l->row.status < 0 && box) {
        l->row.status = done ? CV_STATUS_TENSION_RESOLVED : CV_STATUS_TENSION_OPEN;
        l->row.word = cv_statuses[l->row.status].word;
    }
    cut_origin(l->s, &l->row);
    while (l->row.label.n > 0 && strchr("*_ ", l->row.label.p[l->row.label.n - 1]))
        l->row.label.n--;
    return true;
}

/* "**Status**: Resolved in R1" below a tension. */
static void add_detail(listing *l, const cv_line *line)
{
    cv_str s = line->trimmed;
    bool done, box;
    s = without_marks(s, &done, &box);
    size_t colon = cv_str_find_char(cv_str_head(s, 24), ':'), at;
    if (colon == SIZE_MAX)
        return;
    cv_str key = cv_str_head(s, colon), value = cv_str_trim(cv_str_from(s, colon + 1));
    while (key.n > 0 && strchr("*_ ", key.p[key.n - 1]))
        key.n--;
    while (value.n > 0 && strchr("*_ ", value.p[0]))
        value = cv_str_from(value, 1);
    const cv_tracked_word *known = cv_tracked_find(value, &at);
    if (cv_str_eq_nocase(key, CV_STR("status")) || cv_str_eq_nocase(key, CV_STR("state"))) {
        l->row.word = value;
        l->row.status = known ? (int)known->status : -1;
        l->row.closed = cv_grid_round(value);
        if (!known)
            cv_script_misunderstand(l->s, l->sheet, l->row.line, value, "%.*s: this is not a known status",
                                    CV_FMT(l->row.id));
    } else if (cv_str_starts_nocase(key, CV_STR("raised")) || cv_str_eq_nocase(key, CV_STR("agent")) ||
               cv_str_eq_nocase(key, CV_STR("owner"))) {
        l->row.raised = cv_grid_round(value);
        l->row.by = cv_str_trim(cv_str_head(value, cv_str_find_char(value, '(')));
    } else if (cv_str_starts_nocase(key, CV_STR("resol"))) {
        l->row.resolution = cv_squeeze(l->s->arena, value);
    }
}

bool cv_script_list(cv_script *s, cv_str text, size_t sheet, size_t first, int round)
{
    listing l = {.s = s, .sheet = sheet, .round = round, .row = {.status = -1, .raised = -1, .closed = -1}};
    cv_lines lines = {.text = text};
    for (cv_line line; cv_lines_next(&lines, &line);) {
        if (line.fenced || line.trimmed.n == 0 || line.kind == CV_LINE_TABLE_ROW || line.kind == CV_LINE_MARKER)
            continue;
        if (begin_row(&l, &line, first + line.number - 1))
            continue;
        if (line.level > 0)
            flush(&l);
        else if (l.row.id.n)
            add_detail(&l, &line);
    }
    flush(&l);
    return l.any;
}
