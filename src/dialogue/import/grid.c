/* grid.c - the tables of a text; see grid.h. */
#include "dialogue/import/grid.h"

#include "dialogue/text/mark.h"

enum { MOST_COLUMNS = 64 }; /* of a board: wider tables are none, and reading stays linear */

const char *const cv_score_letters[] = {"W", "C", "T", "R"};
_Static_assert(CV_COUNT(cv_score_letters) == CV_SCORE_PARTS, "a letter per part");

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static cv_grid_row read_row(cv_arena *a, const cv_line *line, size_t number)
{
    cv_grid_row row = {.line = number, .raw = line->text};
    row.cells = cv_row_cells(a, line->trimmed, &row.count);
    return row;
}

cv_grids cv_grids_find(cv_arena *a, cv_str text, size_t line)
{
    cv_grids grids = {0};
    cv_lines lines = {.text = text};
    cv_line at;
    cv_grid *open = NULL;
    while (cv_lines_next(&lines, &at)) {
        if (at.kind != CV_LINE_TABLE_ROW) {
            open = NULL;
            continue;
        }
        if (cv_row_is_separator(at.trimmed))
            continue;
        cv_grid_row row = read_row(a, &at, line + at.number - 1);
        if (open) {
            *CV_PUSH(a, &open->rows) = row;
        } else {
            open = CV_PUSH(a, &grids);
            *open = (cv_grid){.head = row};
        }
    }
    return grids;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static cv_str without_bold(cv_str s)
{
    s = cv_str_trim(s);
    while (s.n > 0 && (s.p[0] == '*' || s.p[0] == '_'))
        s = cv_str_from(s, 1);
    while (s.n > 0 && (s.p[s.n - 1] == '*' || s.p[s.n - 1] == '_'))
        s.n--;
    return cv_str_trim(s);
}

cv_str cv_grid_cell(cv_arena *a, const cv_grid_row *row, int column)
{
    if (column < 0 || (size_t)column >= row->count)
        return CV_STR("");
    return cv_squeeze(a, without_bold(row->cells[column]));
}

int cv_grid_column(cv_arena *a, const cv_grid *grid, const char *const *words)
{
    for (; *words; words++)
        for (size_t i = 0; i < grid->head.count; i++)
            if (cv_str_eq_nocase(cv_grid_cell(a, &grid->head, (int)i), cv_str_of(*words)))
                return (int)i;
    return -1;
}

int64_t cv_grid_number(cv_arena *a, cv_str cell)
{
    cv_str s = cv_plain_name(a, without_bold(cell));
    bool negative = false;
    int value;
    while (s.n > 0 && (s.p[0] == '~' || s.p[0] == '+'))
        s = cv_str_from(s, 1);
    if (s.n > 1 && s.p[0] == '-') {
        negative = true;
        s = cv_str_from(s, 1);
    }
    if (s.n > 1 && s.p[s.n - 1] == '%')
        s.n--;
    return !cv_str_to_int(cv_str_trim(s), &value) ? CV_ABSENT : negative ? -(int64_t)value : value;
}

int cv_grid_round(cv_str cell)
{
    for (size_t i = 0; i + 1 < cell.n; i++) {
        size_t digits = 0;
        int round;
        if (cv_upper(cell.p[i]) != 'R' || (i > 0 && (cv_is_alnum(cell.p[i - 1]) || cell.p[i - 1] == '-')))
            continue;
        while (i + 1 + digits < cell.n && cv_is_digit(cell.p[i + 1 + digits]))
            digits++;
        bool ends = i + 1 + digits == cell.n || !cv_is_alnum(cell.p[i + 1 + digits]);
        if (digits > 0 && digits <= 2 && ends && cv_str_to_int((cv_str){cell.p + i + 1, digits}, &round))
            return round;
    }
    return -1;
}

/* ---- boards ------------------------------------------------------------------------------------------------------ */

static cv_board_row empty_row(size_t line)
{
    return (cv_board_row){.round = -1,
                          .points = {CV_ABSENT, {CV_ABSENT, CV_ABSENT, CV_ABSENT, CV_ABSENT}},
                          .sum = CV_ABSENT,
                          .open = CV_ABSENT,
                          .fresh = CV_ABSENT,
                          .velocity = CV_ABSENT,
                          .converge = CV_ABSENT,
                          .line = line};
}

/* Where a board has what; found once for each table. */
typedef struct {
    int agent, round, total, parts[CV_SCORE_PARTS], sum, open, fresh, velocity, converge;
} board_columns;

static board_columns find_columns(cv_arena *a, const cv_grid *grid)
{
    static const char *const agents[] = {"agent", "expert", "name", "participant", NULL};
    static const char *const rounds[] = {"round", NULL};
    static const char *const totals[] = {"total", "score", "alignment", "points", NULL};
    static const char *const words[CV_SCORE_PARTS][3] = {
        {"W", "wisdom", NULL}, {"C", "consistency", NULL}, {"T", "truth", NULL}, {"R", "relationships", NULL}};
    static const char *const sums[] = {"Σ", "S", "cumulative", "sum", NULL};
    static const char *const open[] = {"open t", "open tensions", "open", NULL};
    static const char *const fresh[] = {"new p", "new perspectives", "new", NULL};
    static const char *const velocity[] = {"velocity", NULL};
    static const char *const converge[] = {"converge %", "converge", "convergence", NULL};
    board_columns c = {.agent = cv_grid_column(a, grid, agents),
                       .round = cv_grid_column(a, grid, rounds),
                       .total = cv_grid_column(a, grid, totals),
                       .sum = cv_grid_column(a, grid, sums),
                       .open = cv_grid_column(a, grid, open),
                       .fresh = cv_grid_column(a, grid, fresh),
                       .velocity = cv_grid_column(a, grid, velocity),
                       .converge = cv_grid_column(a, grid, converge)};
    for (size_t i = 0; i < CV_SCORE_PARTS; i++)
        c.parts[i] = cv_grid_column(a, grid, words[i]);
    return c;
}

static bool has_parts(const board_columns *c)
{
    for (size_t i = 0; i < CV_SCORE_PARTS; i++)
        if (c->parts[i] < 0)
            return false;
    return true;
}

static int64_t number_in(cv_arena *a, const cv_grid_row *row, int column)
{
    return column < 0 || (size_t)column >= row->count ? CV_ABSENT : cv_grid_number(a, row->cells[column]);
}

static cv_points read_points(cv_arena *a, const board_columns *c, const cv_grid_row *row)
{
    cv_points points = {number_in(a, row, c->total), {0}};
    int64_t sum = 0;
    for (size_t i = 0; i < CV_SCORE_PARTS; i++) {
        points.parts[i] = number_in(a, row, c->parts[i]);
        sum = points.parts[i] == CV_ABSENT || sum == CV_ABSENT ? CV_ABSENT : sum + points.parts[i];
    }
    if (points.total == CV_ABSENT)
        points.total = sum;
    return points;
}

static void read_round_row(cv_arena *a, const board_columns *c, const cv_grid_row *row, cv_board_rows *to)
{
    cv_str cell = cv_grid_cell(a, row, c->round);
    int64_t number = cv_grid_number(a, cell);
    cv_board_row r = empty_row(row->line);
    r.round = number >= 0 && number <= 999 ? (int)number : cv_grid_round(cell);
    r.points = read_points(a, c, row);
    if (r.round < 0 || r.points.total == CV_ABSENT)
        return;
    r.sum = number_in(a, row, c->sum);
    r.open = number_in(a, row, c->open);
    r.fresh = number_in(a, row, c->fresh);
    r.velocity = number_in(a, row, c->velocity);
    r.converge = number_in(a, row, c->converge);
    *CV_PUSH(a, to) = r;
}

/* The round that a column is about ("R0", "Round 1"); -1: none. */
static int round_of_column(cv_arena *a, const cv_grid *grid, size_t column)
{
    cv_str head = cv_grid_cell(a, &grid->head, (int)column), before, after;
    int round;
    if (cv_find_round(head, &round, &before, &after))
        return before.n + after.n == 0 ? round : -1;
    return head.n <= 3 ? cv_grid_round(head) : -1;
}

static bool read_agent_rounds(cv_arena *a, const cv_grid *grid, int agent, cv_board_rows *to)
{
    bool found = false;
    for (size_t column = 0; column < grid->head.count; column++) {
        int round = round_of_column(a, grid, column);
        for (size_t i = 0; round >= 0 && i < grid->rows.count; i++) {
            const cv_grid_row *row = &grid->rows.items[i];
            cv_board_row r = empty_row(row->line);
            r.agent = cv_plain_name(a, cv_grid_cell(a, row, agent));
            r.round = round;
            r.points.total = cv_grid_number(a, cv_grid_cell(a, row, (int)column));
            if (r.points.total == CV_ABSENT || r.agent.n == 0)
                continue;
            *CV_PUSH(a, to) = r;
            found = true;
        }
    }
    return found;
}

static void read_agent_sums(cv_arena *a, const cv_grid *grid, const board_columns *c, cv_board_rows *to)
{
    for (size_t i = 0; i < grid->rows.count; i++) {
        const cv_grid_row *row = &grid->rows.items[i];
        cv_board_row r = empty_row(row->line);
        r.agent = cv_plain_name(a, cv_grid_cell(a, row, c->agent));
        r.points = read_points(a, c, row);
        if (r.agent.n && r.points.total != CV_ABSENT)
            *CV_PUSH(a, to) = r;
    }
}

bool cv_board_read(cv_arena *a, const cv_grid *grid, cv_board_rows *to)
{
    if (grid->head.count > MOST_COLUMNS)
        return false;
    board_columns c = find_columns(a, grid);
    if (c.agent < 0 && c.round >= 0 && (has_parts(&c) || c.total >= 0)) {
        size_t before = to->count;
        for (size_t i = 0; i < grid->rows.count; i++)
            read_round_row(a, &c, &grid->rows.items[i], to);
        return to->count > before;
    }
    if (c.agent < 0)
        return false;
    if (read_agent_rounds(a, grid, c.agent, to))
        return true;
    if (has_parts(&c))
        read_agent_sums(a, grid, &c, to);
    return has_parts(&c);
}

/* ---- trackers ---------------------------------------------------------------------------------------------------- */

typedef struct {
    int id, label, status, maker, raised, closed;
} tracker_columns;

static cv_tracked read_tracked(cv_arena *a, const tracker_columns *c, const cv_grid_row *row)
{
    cv_tracked t = {.label = cv_grid_cell(a, row, c->label),
                    .by = cv_grid_cell(a, row, c->maker),
                    .resolution = cv_grid_cell(a, row, c->closed),
                    .word = cv_grid_cell(a, row, c->status),
                    .line = row->line};
    cv_str since = cv_grid_cell(a, row, c->raised);
    int64_t number = cv_grid_number(a, since);
    size_t at;
    t.raised = number >= 0 && number <= 99 ? (int)number : cv_grid_round(since);
    const cv_tracked_word *known = cv_tracked_find(t.word, &at);
    t.status = known ? (int)known->status : -1;
    t.closed = cv_grid_round(t.word) >= 0 ? cv_grid_round(t.word) : cv_grid_round(cv_str_head(t.resolution, 8));
    return t;
}

bool cv_tracker_read(cv_arena *a, const cv_grid *grid, cv_tracker *tracker)
{
    static const char *const ids[] = {"id", "#", NULL};
    static const char *const labels[] = {"tension", "description", "label", "tensions", NULL};
    static const char *const statuses[] = {"status", "state", NULL};
    static const char *const makers[] = {"raised by", "agent", "origin", "expert", "surfaced by", "raised", NULL};
    static const char *const raised[] = {"raised", "round", "raised in", NULL};
    static const char *const closed[] = {"resolution", "resolved", "resolved in", "notes", NULL};
    tracker_columns c = {cv_grid_column(a, grid, ids),      cv_grid_column(a, grid, labels),
                         cv_grid_column(a, grid, statuses), cv_grid_column(a, grid, makers),
                         cv_grid_column(a, grid, raised),   cv_grid_column(a, grid, closed)};
    if (c.id < 0 || c.label < 0 || c.status < 0)
        return false;
    for (size_t i = 0; i < grid->rows.count; i++) {
        const cv_grid_row *row = &grid->rows.items[i];
        cv_id id;
        if (!cv_id_parse(cv_grid_cell(a, row, c.id), &id) || id.form == CV_ID_EXPERT || id.kind != CV_KIND_TENSION)
            continue;
        cv_tracked t = read_tracked(a, &c, row);
        t.id = cv_id_print(a, &id);
        *CV_PUSH(a, tracker) = t;
    }
    return true;
}

/* ---- panels ------------------------------------------------------------------------------------------------------ */

/* "0–2", "2", "0, 2": the first number and the last. */
static void read_span(cv_str cell, int *ret_first, int *ret_last)
{
    *ret_first = *ret_last = -1;
    for (size_t i = 0; i < cell.n; i++) {
        size_t digits = 0;
        int round;
        while (i + digits < cell.n && cv_is_digit(cell.p[i + digits]))
            digits++;
        if (digits > 0 && cv_str_to_int(cv_str_head(cv_str_from(cell, i), digits), &round)) {
            *ret_first = *ret_first < 0 ? round : *ret_first;
            *ret_last = round;
        }
        i += digits;
    }
}

bool cv_panel_read(cv_arena *a, const cv_grid *grid, cv_panelists *panel)
{
    static const char *const names[] = {"agent", "name", "id", "expert", "participant", "role", NULL};
    static const char *const roles[] = {"role", "domain", "expertise", "expert", "specialty", NULL};
    static const char *const tiers[] = {"tier", NULL};
    static const char *const relevances[] = {"relevance", NULL};
    static const char *const focuses[] = {"focus", "perspective", "lens", NULL};
    static const char *const rounds[] = {"rounds", NULL};
    int name = cv_grid_column(a, grid, names), role = cv_grid_column(a, grid, roles);
    int tier = cv_grid_column(a, grid, tiers), relevance = cv_grid_column(a, grid, relevances);
    int focus = cv_grid_column(a, grid, focuses), sits = cv_grid_column(a, grid, rounds);
    if (name < 0)
        return false;
    for (size_t i = 0; i < grid->rows.count; i++) {
        const cv_grid_row *row = &grid->rows.items[i];
        cv_panelist p = {.name = cv_plain_name(a, cv_grid_cell(a, row, name)),
                         .role = cv_grid_cell(a, row, role),
                         .tier = cv_grid_cell(a, row, tier),
                         .relevance = cv_grid_cell(a, row, relevance),
                         .focus = cv_grid_cell(a, row, focus),
                         .line = row->line};
        read_span(cv_grid_cell(a, row, sits), &p.first, &p.last);
        if (p.name.n > 0 && cv_is_alnum(p.name.p[0]))
            *CV_PUSH(a, panel) = p;
    }
    return panel->count > 0;
}
