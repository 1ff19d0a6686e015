/* grid.c - the tables of a text; see grid.h. */
#include "dialogue/import/grid.h"

#include "dialogue/text/mark.h"

enum { MOST_COLUMNS = 64 }; /* of a board: wider tables are none, and reading stays linear */

const char *const cv_score_letters[] = {"W", "C", "T", "R"};
_Static_assert(CV_COUNT(cv_score_letters) == CV_SCORE_PARTS, "a letter per part");

void cv_points_write(cv_json_writer *w, const cv_points *points)
{
    bool any = false;
    for (size_t i = 0; i < CV_SCORE_PARTS; i++)
        any |= points->parts[i] != CV_ABSENT;
    if (!any)
        return;
    cv_json_key(w, CV_STR("score_components"));
    cv_json_begin_object(w);
    for (size_t i = 0; i < CV_SCORE_PARTS; i++)
        if (points->parts[i] != CV_ABSENT)
            cv_json_key_int(w, cv_score_letters[i], points->parts[i]);
    cv_json_end_object(w);
}

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
    cv_str title = {NULL, 0};
    while (cv_lines_next(&lines, &at)) {
        if (at.kind != CV_LINE_TABLE_ROW) {
            open = NULL;
            if (at.level > 0 || (at.trimmed.n > 4 && cv_str_starts(at.trimmed, CV_STR("**"))))
                title = at.trimmed;
            continue;
        }
        if (cv_row_is_separator(at.trimmed))
            continue;
        cv_grid_row row = read_row(a, &at, line + at.number - 1);
        if (open) {
            *CV_PUSH(a, &open->rows) = row;
        } else {
            open = CV_PUSH(a, &grids);
            *open = (cv_grid){.head = row, .title = title};
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

/* "**Open-Tensions** (R2)" -> "open tensions r2": the words of a head. */
static cv_str words_of(cv_arena *a, cv_str cell)
{
    char *to = cv_arena_alloc(a, cell.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < cell.n; i++) {
        bool kept = cv_is_alnum(cell.p[i]) || (unsigned char)cell.p[i] >= 0x80 || cell.p[i] == '#' || cell.p[i] == '%';
        if (kept)
            to[n++] = cv_lower(cell.p[i]);
        else if (n > 0 && to[n - 1] != ' ')
            to[n++] = ' ';
    }
    return cv_str_trim((cv_str){to, n});
}

/* Is the word the first or the last one of the head? Short ones mean too many things. */
static bool has_word(cv_str head, cv_str word)
{
    enum { LEAST = 4, MOST_MORE = 16 };
    if (word.n < LEAST || head.n <= word.n || head.n > word.n + MOST_MORE)
        return false;
    return (cv_str_starts(head, word) && head.p[word.n] == ' ') ||
           (cv_str_ends(head, word) && head.p[head.n - word.n - 1] == ' ');
}

int cv_grid_column(cv_arena *a, const cv_grid *grid, const char *const *words)
{
    if (grid->head.count > MOST_COLUMNS)
        return -1;
    for (int loose = 0; loose < 2; loose++)
        for (const char *const *word = words; *word; word++)
            for (size_t i = 0; i < grid->head.count; i++) {
                cv_str head = words_of(a, cv_grid_cell(a, &grid->head, (int)i)), known = cv_str_of(*word);
                if (loose ? has_word(head, known) : cv_str_eq_nocase(head, known))
                    return (int)i;
            }
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

cv_board_row cv_board_row_empty(size_t line)
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

static const char *const agent_words[] = {"agent",   "pastry",   "expert",    "name",      "participant", "member",
                                          "persona", "who",      "panelist",  "speaker",   "reviewer",    "contributor",
                                          "voice",   "codename", "character", "panellist", NULL};
static const char *const role_words[] = {"role",       "domain", "expertise", "specialty", "speciality", "discipline",
                                         "profession", "field",  "hat",       "title",     "area",       NULL};

/* Where a board has what; found once for each table. */
typedef struct {
    int agent, role, round, total, bonus, parts[CV_SCORE_PARTS], sum, open, fresh, velocity, converge;
} board_columns;

static board_columns find_columns(cv_arena *a, const cv_grid *grid)
{
    static const char *const rounds[] = {"round", "rd", NULL};
    static const char *const totals[] = {"total", "score", "alignment", "points", "total alignment", "final", NULL};
    static const char *const bonuses[] = {"bonus", NULL};
    static const char *const words[CV_SCORE_PARTS][4] = {{"w", "wisdom", "wisdom w", NULL},
                                                         {"c", "consistency", "consistency c", NULL},
                                                         {"t", "truth", "truth t", NULL},
                                                         {"r", "relationships", "relationship", NULL}};
    static const char *const sums[] = {"Σ", "s", "cumulative", "sum", "running total", "so far", NULL};
    static const char *const open[] = {"open t", "open tensions", "open", NULL};
    static const char *const fresh[] = {"new p", "new perspectives", "new", NULL};
    static const char *const velocity[] = {"velocity", NULL};
    static const char *const converge[] = {"converge %", "converge", "convergence", "convergence %", NULL};
    board_columns c = {.agent = cv_grid_column(a, grid, agent_words),
                       .role = cv_grid_column(a, grid, role_words),
                       .round = cv_grid_column(a, grid, rounds),
                       .total = cv_grid_column(a, grid, totals),
                       .bonus = cv_grid_column(a, grid, bonuses),
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

/* The total as it is there, else what the parts and the bonus come to. */
static cv_points read_points(cv_arena *a, const board_columns *c, const cv_grid_row *row)
{
    cv_points points = {number_in(a, row, c->total), {0}};
    int64_t sum = 0, bonus = number_in(a, row, c->bonus);
    for (size_t i = 0; i < CV_SCORE_PARTS; i++) {
        points.parts[i] = number_in(a, row, c->parts[i]);
        sum = points.parts[i] == CV_ABSENT || sum == CV_ABSENT ? CV_ABSENT : sum + points.parts[i];
    }
    if (points.total == CV_ABSENT && sum != CV_ABSENT)
        points.total = sum + (bonus == CV_ABSENT ? 0 : bonus);
    return points;
}

cv_round_numbers cv_grid_pairs(cv_arena *a, cv_str cell)
{
    cv_round_numbers pairs = {0};
    for (size_t i = 0; i < cell.n; i++) {
        size_t at = i + 1, digits = 0, end;
        int round, number;
        if (cv_upper(cell.p[i]) != 'R' || (i > 0 && cv_is_alnum(cell.p[i - 1])))
            continue;
        at += cv_str_starts_nocase(cv_str_from(cell, at), CV_STR("ound ")) ? 5 : 0;
        while (at + digits < cell.n && cv_is_digit(cell.p[at + digits]))
            digits++;
        if (digits == 0 || digits > 2 || !cv_str_to_int(cv_str_head(cv_str_from(cell, at), digits), &round))
            continue;
        for (at += digits; at < cell.n && strchr(" :=*(+", cell.p[at]);)
            at++;
        for (end = at; end < cell.n && cv_is_digit(cell.p[end]);)
            end++;
        if (end > at && cv_str_to_int(cv_str_head(cv_str_from(cell, at), end - at), &number))
            *CV_PUSH(a, &pairs) = (cv_round_number){round, number};
        i = end > i ? end - 1 : i;
    }
    return pairs;
}

static bool is_total(cv_str name)
{
    static const cv_str words[] = {
        CV_STR_INIT("total"), CV_STR_INIT("totals"), CV_STR_INIT("sum"),   CV_STR_INIT("overall"),
        CV_STR_INIT("all"),   CV_STR_INIT("Σ"),      CV_STR_INIT("panel"), CV_STR_INIT("total alignment")};
    return cv_words_find((cv_words){words, CV_COUNT(words)}, name) >= 0;
}

/* "99 → 202" below "Score (R0 → R1)": the rounds of the head, the numbers of the cell. */
static cv_round_numbers pairs_by_place(cv_arena *a, cv_str head, cv_str cell)
{
    cv_round_numbers pairs = {0}, none = {0};
    size_t at = 0;
    for (size_t i = 0; i < head.n; i++) {
        int round = cv_grid_round(cv_str_head(cv_str_from(head, i), 3));
        if (cv_upper(head.p[i]) == 'R' && round >= 0 && (i == 0 || !cv_is_alnum(head.p[i - 1])))
            *CV_PUSH(a, &pairs) = (cv_round_number){round, CV_ABSENT};
    }
    for (size_t i = 0; i < cell.n; i++) {
        size_t digits = 0;
        int number;
        while (i + digits < cell.n && cv_is_digit(cell.p[i + digits]))
            digits++;
        if (digits && (at >= pairs.count || !cv_str_to_int(cv_str_head(cv_str_from(cell, i), digits), &number)))
            return none;
        if (digits)
            pairs.items[at++].number = number;
        i += digits;
    }
    return at > 1 && at == pairs.count ? pairs : none;
}

/* "R0: 99 → R1: 202" in the column of the totals says what each round has. */
static bool read_pairs(cv_arena *a, const cv_grid *grid, const board_columns *c, const cv_grid_row *row,
                       const cv_board_row *from, cv_board_rows *to)
{
    cv_round_numbers pairs = cv_grid_pairs(a, cv_grid_cell(a, row, c->total));
    if (pairs.count == 0 && c->total >= 0)
        pairs = pairs_by_place(a, cv_grid_cell(a, &grid->head, c->total), cv_grid_cell(a, row, c->total));
    for (size_t i = 0; i < pairs.count; i++) {
        cv_board_row r = *from;
        r.round = pairs.items[i].round;
        r.points.total = pairs.items[i].number;
        if (r.total)
            r.agent = (cv_str){NULL, 0};
        *CV_PUSH(a, to) = r;
    }
    return pairs.count > 0;
}

static void read_round_row(cv_arena *a, const board_columns *c, const cv_grid_row *row, cv_board_rows *to)
{
    cv_str cell = cv_grid_cell(a, row, c->round), before, after;
    int64_t number = cv_grid_number(a, cell);
    cv_board_row r = cv_board_row_empty(row->line);
    r.round = number >= 0 && number <= 999 ? (int)number : cv_grid_round(cell);
    if (r.round < 0 && !cv_find_round(cell, &r.round, &before, &after))
        r.round = -1;
    r.total = r.round < 0 && is_total(cv_plain_name(a, cell));
    r.points = read_points(a, c, row);
    if ((r.round < 0 && !r.total) || r.points.total == CV_ABSENT)
        return;
    r.sum = r.total ? CV_ABSENT : number_in(a, row, c->sum);
    r.open = number_in(a, row, c->open);
    r.fresh = number_in(a, row, c->fresh);
    r.velocity = number_in(a, row, c->velocity);
    r.converge = number_in(a, row, c->converge);
    *CV_PUSH(a, to) = r;
}

/* The round that a column is about ("R0", "Round 1", "R1 Bonus", "R1 Score"); -1: none. */
static int round_of_column(cv_arena *a, const cv_grid *grid, size_t column)
{
    static const char *const with[] = {"bonus", "score", "total", "points", "pts", NULL};
    cv_str head = words_of(a, cv_grid_cell(a, &grid->head, (int)column));
    for (const char *const *word = with; *word; word++) {
        cv_str known = cv_str_of(*word);
        if (head.n > known.n && cv_str_ends(head, known))
            head = cv_str_trim(cv_str_head(head, head.n - known.n));
        else if (head.n > known.n && cv_str_starts(head, known))
            head = cv_str_trim(cv_str_from(head, known.n));
    }
    int round;
    if (cv_str_starts(head, CV_STR("round ")) && cv_str_to_int(cv_str_trim(cv_str_from(head, 6)), &round))
        return round;
    return head.n <= 3 ? cv_grid_round(head) : -1;
}

/* The columns that are about rounds: `rounds` has one for each. */
static size_t round_columns(cv_arena *a, const cv_grid *grid, int *rounds, int *ret_last)
{
    size_t count = 0;
    *ret_last = -1;
    for (size_t i = 0; i < grid->head.count; i++) {
        rounds[i] = round_of_column(a, grid, i);
        count += rounds[i] >= 0;
        *ret_last = rounds[i] > *ret_last ? rounds[i] : *ret_last;
    }
    return count;
}

/* A column that only gives a bonus of its round, and what is left for the round before: W, C, T, R. */
static bool is_bonus(cv_arena *a, const cv_grid *grid, size_t column)
{
    cv_str head = words_of(a, cv_grid_cell(a, &grid->head, (int)column));
    return cv_str_find(head, CV_STR("bonus")) != SIZE_MAX;
}

static bool has_round(cv_arena *a, const cv_grid *grid, const int *rounds, int round)
{
    for (size_t i = 0; i < grid->head.count; i++)
        if (rounds[i] == round && !is_bonus(a, grid, i))
            return true;
    return false;
}

static void read_row_by_round(cv_arena *a, const cv_grid *grid, const board_columns *c, const int *rounds, int last,
                              const cv_grid_row *row, cv_board_row r, cv_board_rows *to)
{
    for (int round = 0; round <= last; round++) {
        int64_t total = CV_ABSENT;
        for (size_t i = 0; i < grid->head.count && i < row->count; i++) {
            int64_t number = rounds[i] == round ? cv_grid_number(a, row->cells[i]) : CV_ABSENT;
            if (number != CV_ABSENT)
                total = (total == CV_ABSENT ? 0 : total) + number;
        }
        r.round = round;
        r.points = (cv_points){total, {CV_ABSENT, CV_ABSENT, CV_ABSENT, CV_ABSENT}};
        if (round == 0 && has_parts(c) && !has_round(a, grid, rounds, 0)) {
            board_columns own = *c; /* the parts are those of the first round: bonuses come on top of it */
            own.total = -1;
            own.bonus = -1;
            r.points = read_points(a, &own, row);
        }
        if (r.points.total != CV_ABSENT)
            *CV_PUSH(a, to) = r;
    }
    int64_t sum = number_in(a, row, c->total);
    if (c->total >= 0 && rounds[c->total] < 0 && sum != CV_ABSENT) {
        r.round = -1;
        r.points = (cv_points){sum, {CV_ABSENT, CV_ABSENT, CV_ABSENT, CV_ABSENT}};
        *CV_PUSH(a, to) = r;
    }
}

/* A cell of scores with digits that are not a whole number: "7.5", "8 or 9". */
static bool is_odd(cv_arena *a, const cv_grid_row *row, int column)
{
    bool digits = false;
    cv_str cell = cv_grid_cell(a, row, column);
    for (size_t i = 0; i < cell.n; i++)
        digits |= cv_is_digit(cell.p[i]);
    return digits && cv_grid_number(a, cell) == CV_ABSENT && cv_grid_pairs(a, cell).count == 0;
}

static void add_odd(cv_arena *a, const cv_grid_row *row, int column, cv_board_rows *to)
{
    if (!is_odd(a, row, column))
        return;
    cv_board_row r = cv_board_row_empty(row->line);
    r.odd = cv_grid_cell(a, row, column);
    *CV_PUSH(a, to) = r;
}

static void read_agent_row(cv_arena *a, const cv_grid *grid, const board_columns *c, const int *rounds, int last,
                           const cv_grid_row *row, cv_board_rows *to)
{
    cv_board_row r = cv_board_row_empty(row->line);
    cv_str in = cv_grid_cell(a, row, c->round);
    int64_t number = cv_grid_number(a, in);
    r.agent = cv_plain_name(a, cv_grid_cell(a, row, c->agent));
    r.role = cv_grid_cell(a, row, c->role);
    r.total = is_total(r.agent);
    if (r.agent.n == 0)
        return;
    if (r.total)
        r.agent = (cv_str){NULL, 0};
    if (last < 0 && read_pairs(a, grid, c, row, &r, to))
        return;
    add_odd(a, row, c->total, to);
    if (last >= 0) {
        for (size_t i = 0; i < grid->head.count; i++)
            if (rounds[i] >= 0)
                add_odd(a, row, (int)i, to);
        read_row_by_round(a, grid, c, rounds, last, row, r, to);
        return;
    }
    r.round = c->round < 0 ? -1 : number >= 0 && number <= 99 ? (int)number : cv_grid_round(in);
    r.points = read_points(a, c, row);
    if (r.points.total != CV_ABSENT)
        *CV_PUSH(a, to) = r;
}

bool cv_board_read(cv_arena *a, const cv_grid *grid, cv_board_rows *to)
{
    int rounds[MOST_COLUMNS], last;
    size_t before = to->count;
    if (grid->head.count > MOST_COLUMNS)
        return false;
    board_columns c = find_columns(a, grid);
    if (c.agent < 0 && c.round >= 0 && (has_parts(&c) || c.total >= 0)) {
        for (size_t i = 0; i < grid->rows.count; i++)
            read_round_row(a, &c, &grid->rows.items[i], to);
        return to->count > before;
    }
    if (c.agent < 0)
        return false;
    round_columns(a, grid, rounds, &last);
    if (last < 0 && !has_parts(&c) && c.total < 0)
        return false;
    for (size_t i = 0; i < grid->rows.count; i++)
        read_agent_row(a, grid, &c, rounds, last, &grid->rows.items[i], to);
    for (size_t i = before; i < to->count; i++)
        if (!to->items[i].odd.n)
            return true;
    to->count = before; /* not a number in it: no board */
    return false;
}

/* ---- trackers ---------------------------------------------------------------------------------------------------- */

typedef struct {
    int id, label, status, maker, raised, closed;
    cv_str implied; /* the status of all rows: "Resolved" in the title */
    bool tensions;  /* it is certain that they are tensions */
} tracker_columns;

static cv_tracked read_tracked(cv_arena *a, const tracker_columns *c, const cv_grid_row *row)
{
    cv_tracked t = {.label = cv_grid_cell(a, row, c->label),
                    .by = cv_grid_cell(a, row, c->maker),
                    .resolution = cv_grid_cell(a, row, c->closed),
                    .word = c->status >= 0 ? cv_grid_cell(a, row, c->status) : c->implied,
                    .line = row->line};
    cv_str since = cv_grid_cell(a, row, c->raised);
    int64_t number = cv_grid_number(a, since);
    size_t at;
    t.raised = number >= 0 && number <= 99 ? (int)number : cv_grid_round(since);
    if (t.raised < 0)
        t.raised = cv_grid_round(t.by); /* "Muffin (R1)" */
    const cv_tracked_word *known = cv_tracked_find(t.word, &at);
    t.status = known ? (int)known->status : -1;
    t.closed = cv_grid_round(t.word) >= 0 ? cv_grid_round(t.word) : cv_grid_round(cv_str_head(t.resolution, 8));
    if (t.by.n > 0)
        t.by = cv_str_trim(cv_str_head(t.by, cv_str_find_char(t.by, '(')));
    return t;
}

static bool is_of_tensions(cv_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (cv_str_starts_nocase(cv_str_from(text, i), CV_STR("tension")))
            return true;
    return false;
}

/* "Tensions Resolved", "Open tensions": what a title says of all rows below it. Without the word only above a column of
 * tensions: "Resolved". */
static cv_str implied_status(cv_arena *a, const cv_grid *grid, int label)
{
    size_t at;
    const cv_tracked_word *known = cv_tracked_find(grid->title, &at);
    bool tensions = is_of_tensions(grid->title) || (label >= 0 && is_of_tensions(cv_grid_cell(a, &grid->head, label)));
    return known && tensions ? cv_statuses[known->status].word : (cv_str){NULL, 0};
}

static bool find_tracker(cv_arena *a, const cv_grid *grid, tracker_columns *ret)
{
    static const char *const ids[] = {"id", "#", "tension id", "no", "nr", NULL};
    static const char *const labels[] = {"tension", "description", "label",   "tensions",
                                         "issue",   "conflict",    "concern", NULL};
    static const char *const titles[] = {"headline", "title", "topic", "subject", "summary", "name", NULL};
    static const char *const statuses[] = {"status", "state", "final status", NULL};
    static const char *const makers[] = {"raised by", "agent",  "origin", "expert", "surfaced by", "owner",
                                         "author",    "raiser", "pastry", "member", "raised",      NULL};
    static const char *const raised[] = {"raised", "round", "raised in", "opened", "opened in", "since", NULL};
    static const char *const closed[] = {"resolution", "resolved", "resolved in", "notes", "resolved by",
                                         "closed",     "how",      "outcome",     NULL};
    *ret = (tracker_columns){cv_grid_column(a, grid, ids),
                             cv_grid_column(a, grid, labels),
                             cv_grid_column(a, grid, statuses),
                             cv_grid_column(a, grid, makers),
                             cv_grid_column(a, grid, raised),
                             cv_grid_column(a, grid, closed),
                             {NULL, 0},
                             is_of_tensions(grid->title)};
    ret->implied = implied_status(a, grid, ret->label);
    ret->tensions |= ret->label >= 0 && is_of_tensions(cv_grid_cell(a, &grid->head, ret->label));
    if (ret->label < 0 && ret->tensions)
        ret->label = cv_grid_column(a, grid, titles);
    bool named = ret->id >= 0 || ret->label >= 0;
    if (ret->label < 0 || !named)
        return ret->id >= 0 && ret->implied.n > 0 && ret->status < 0;
    return ret->status >= 0 || (ret->implied.n > 0 && (ret->id >= 0 || ret->closed >= 0));
}

/* "T1/T4", "T3, T6": nothing but ids of tensions. */
static bool are_ids(cv_arena *a, cv_str cell)
{
    cv_str rest = cell;
    cv_id id;
    bool any = false;
    for (; cv_target_next(&rest, &id); any = true)
        if (id.form == CV_ID_EXPERT || id.kind != CV_KIND_TENSION)
            return false;
    return any && cv_squeeze(a, rest).n == 0;
}

/* "Containment (T02)": the id behind a label, which is cut off. */
static cv_str id_behind(cv_str *label)
{
    size_t open = label->n;
    cv_id id;
    if (label->n < 4 || label->p[label->n - 1] != ')')
        return (cv_str){NULL, 0};
    while (open > 0 && label->p[open - 1] != '(')
        open--;
    cv_str inside = open ? cv_str_range(label->p + open, label->p + label->n - 1) : (cv_str){NULL, 0};
    if (!inside.n || !cv_id_parse(inside, &id) || id.form == CV_ID_EXPERT || id.kind != CV_KIND_TENSION)
        return (cv_str){NULL, 0};
    *label = cv_str_trim(cv_str_head(*label, open - 1));
    return inside;
}

static void add_tracked(cv_arena *a, cv_tracked t, const cv_id *id, cv_str cell, cv_tracker *to)
{
    t.id = cv_id_print(a, id);
    t.raised = t.raised >= 0 ? t.raised : id->form != CV_ID_SHORT ? id->round : cv_grid_round(cell);
    t.by = t.by.n ? t.by : id->expert;
    *CV_PUSH(a, to) = t;
}

static bool has_letter(cv_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (cv_is_alpha(s.p[i]))
            return true;
    return false;
}

/* One row may be about several tensions. */
static void read_tracker_row(cv_arena *a, const tracker_columns *c, const cv_grid_row *row, cv_tracker *to)
{
    cv_tracked t = read_tracked(a, c, row);
    cv_str cell = c->id >= 0 ? cv_grid_cell(a, row, c->id) : t.label, rest;
    cv_str bare = cv_str_trim(cv_str_head(cell, cv_str_find_char(cell, '(')));
    cv_id id;
    if (c->id >= 0 && cv_id_parse(bare, &id)) {
        if (id.form != CV_ID_EXPERT && id.kind == CV_KIND_TENSION)
            add_tracked(a, t, &id, cell, to);
        return;
    }
    if (are_ids(a, cell)) {
        t.label = c->id >= 0 ? t.label : (cv_str){NULL, 0};
        for (rest = cell; cv_target_next(&rest, &id);)
            add_tracked(a, t, &id, cell, to);
        return;
    }
    bool number = cv_grid_number(a, cell) != CV_ABSENT; /* of the row: its label says which it is */
    bool said = t.status >= 0 || (c->tensions && has_letter(t.word));
    if ((c->id >= 0 && !number) || t.label.n == 0 || !said)
        return; /* a row below "—" says nothing */
    cv_str behind = id_behind(&t.label);
    if (behind.n && cv_id_parse(behind, &id))
        add_tracked(a, t, &id, behind, to);
    else
        *CV_PUSH(a, to) = t;
}

bool cv_tracker_read(cv_arena *a, const cv_grid *grid, cv_tracker *tracker)
{
    tracker_columns c;
    size_t before = tracker->count;
    if (!find_tracker(a, grid, &c))
        return false;
    for (size_t i = 0; i < grid->rows.count; i++)
        read_tracker_row(a, &c, &grid->rows.items[i], tracker);
    return tracker->count > before || c.id >= 0;
}

bool cv_tracker_has_more(cv_arena *a, const cv_grid *grid)
{
    tracker_columns c;
    if (!find_tracker(a, grid, &c))
        return false;
    for (size_t i = 0; i < grid->rows.count; i++) {
        const cv_grid_row *row = &grid->rows.items[i];
        cv_tracked t = read_tracked(a, &c, row);
        cv_str maker = cv_grid_cell(a, row, c.maker);
        if ((t.status < 0 && has_letter(t.resolution)) || cv_str_find_char(maker, '&') != SIZE_MAX ||
            cv_str_find_char(maker, ',') != SIZE_MAX || cv_str_find_char(maker, '/') != SIZE_MAX)
            return true;
        for (int k = 0; k < (int)row->count && k < MOST_COLUMNS; k++)
            if (k != c.id && k != c.label && k != c.status && k != c.maker && k != c.raised && k != c.closed &&
                has_letter(cv_grid_cell(a, row, k)))
                return true;
        if (c.closed >= 0 && t.status == (int)cv_status_first(CV_KIND_TENSION) && has_letter(t.resolution))
            return true; /* an open one has nothing that its text could be the reason of */
    }
    return false;
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

typedef struct {
    int name, role, tier, relevance, focus, sits;
} panel_columns;

/* Are these initials or names, not numbers? "DS" and "Muffin" are, "3" and "E3" are not. */
static bool are_names(cv_arena *a, const cv_grid *grid, int column)
{
    for (size_t i = 0; i < grid->rows.count; i++) {
        cv_str cell = cv_plain_name(a, cv_grid_cell(a, &grid->rows.items[i], column));
        for (size_t k = 0; k < cell.n; k++)
            if (cv_is_digit(cell.p[k]))
                return false;
        if (cell.n == 0)
            return false;
    }
    return grid->rows.count > 0;
}

/* Does the column have a head that says nothing else? */
static bool is_unknown_head(const panel_columns *c, int column)
{
    return c->tier != column && c->relevance != column && c->focus != column && c->sits != column;
}

/* "@Muffin" is Muffin. */
static cv_str name_in(cv_arena *a, const cv_grid_row *row, int column)
{
    cv_str name = cv_plain_name(a, cv_grid_cell(a, row, column));
    return name.n > 1 && name.p[0] == '@' ? cv_str_from(name, 1) : name;
}

/* How many cells of the column are names of those who speak? */
static size_t count_speakers(cv_arena *a, const cv_grid *grid, int column, const cv_map *speakers)
{
    size_t count = 0;
    for (size_t i = 0; speakers && column >= 0 && i < grid->rows.count; i++) {
        cv_str name = name_in(a, &grid->rows.items[i], column);
        name = cv_str_head(name, cv_str_find(name, CV_STR(" (")));
        count += name.n && cv_map_get(speakers, cv_agent_key(a, name)) != NULL;
    }
    return count;
}

/* The column with the most names of speakers, if it has more of them than the one that its head makes that of the
 * names.
 */
static void prefer_speakers(cv_arena *a, const cv_grid *grid, const cv_map *speakers, panel_columns *c)
{
    size_t most = count_speakers(a, grid, c->name, speakers);
    for (size_t i = 0; speakers && i < grid->head.count && i < MOST_COLUMNS; i++) {
        size_t count = count_speakers(a, grid, (int)i, speakers);
        if (count > most) {
            most = count;
            c->name = (int)i;
        }
    }
}

static panel_columns find_panel(cv_arena *a, const cv_grid *grid, const cv_map *speakers)
{
    static const char *const own[] = {"agent", "pastry",      "name",      "member",    "persona",
                                      "who",   "participant", "panelist",  "speaker",   "codename",
                                      "voice", "reviewer",    "character", "panellist", NULL};
    static const char *const ids[] = {"id", "initials", "slug", "handle", NULL};
    static const char *const experts[] = {"expert", NULL};
    static const char *const tiers[] = {"tier", NULL};
    static const char *const relevances[] = {"relevance", NULL};
    static const char *const focuses[] = {"focus", "perspective", "lens", "mandate", NULL};
    static const char *const rounds[] = {"rounds", NULL};
    panel_columns c = {cv_grid_column(a, grid, own),     cv_grid_column(a, grid, role_words),
                       cv_grid_column(a, grid, tiers),   cv_grid_column(a, grid, relevances),
                       cv_grid_column(a, grid, focuses), cv_grid_column(a, grid, rounds)};
    int id = cv_grid_column(a, grid, ids), expert = cv_grid_column(a, grid, experts);
    if (c.name < 0 && id >= 0 && are_names(a, grid, id) && (expert >= 0 || c.role >= 0))
        c.name = id;
    if (c.name < 0)
        c.name = expert;
    for (int i = 0; c.name < 0 && i < c.role; i++)
        if (is_unknown_head(&c, i) && are_names(a, grid, i))
            c.name = i; /* whatever it is called: the first column that is not a number says whose role it is */
    if (c.name < 0)
        c.name = c.role;
    prefer_speakers(a, grid, speakers, &c);
    if (c.role < 0 && expert >= 0 && expert != c.name)
        c.role = expert;
    if (c.role < 0 && c.name >= 0 && c.name == expert)
        c.role = -1;
    return c;
}

bool cv_panel_fits(cv_arena *a, const cv_grid *grid, const cv_map *speakers)
{
    panel_columns c = find_panel(a, grid, speakers);
    return c.name >= 0 && c.role >= 0 && c.name != c.role &&
           (c.tier >= 0 || c.relevance >= 0 ||
            (grid->rows.count > 1 && count_speakers(a, grid, c.name, speakers) == grid->rows.count));
}

/* What is in columns that have no place of their own: "Stance: against". Numbers are those of a seat or a board. */
static cv_str focus_in(cv_arena *a, const cv_grid *grid, const cv_grid_row *row, const panel_columns *c)
{
    cv_str focus = cv_grid_cell(a, row, c->focus);
    for (size_t i = 0; i < row->count && i < grid->head.count && i < MOST_COLUMNS; i++) {
        cv_str cell = cv_grid_cell(a, row, (int)i);
        bool letters = false;
        for (size_t k = 0; k < cell.n; k++)
            letters |= cv_is_alpha(cell.p[k]) || ((unsigned char)cell.p[k] >= 0x80 && !cv_str_eq(cell, CV_STR("—")));
        if ((int)i == c->name || (int)i == c->role || !is_unknown_head(c, (int)i) || !letters ||
            cv_grid_pairs(a, cell).count)
            continue;
        focus = cv_arena_printf(a, "%.*s%s%.*s: %.*s", CV_FMT(focus), focus.n ? "; " : "",
                                CV_FMT(cv_grid_cell(a, &grid->head, (int)i)), CV_FMT(cell));
    }
    return focus;
}

bool cv_panel_read(cv_arena *a, const cv_grid *grid, const cv_map *speakers, cv_panelists *panel)
{
    panel_columns c = find_panel(a, grid, speakers);
    if (c.name < 0)
        return false;
    for (size_t i = 0; i < grid->rows.count; i++) {
        const cv_grid_row *row = &grid->rows.items[i];
        cv_panelist p = {.name = name_in(a, row, c.name),
                         .role = cv_grid_cell(a, row, c.role),
                         .tier = cv_grid_cell(a, row, c.tier),
                         .relevance = cv_grid_cell(a, row, c.relevance),
                         .focus = focus_in(a, grid, row, &c),
                         .line = row->line};
        size_t open = cv_str_find(p.name, CV_STR(" (")); /* "Muffin (Platform Architect)" */
        if (open != SIZE_MAX && open > 0) {
            cv_str role = cv_str_from(p.name, open + 2);
            p.role = p.role.n && c.role != c.name ? p.role : cv_str_head(role, cv_str_find_char(role, ')'));
            p.name = cv_str_head(p.name, open);
        }
        read_span(cv_grid_cell(a, row, c.sits), &p.first, &p.last);
        bool name = p.name.n > 0 && (cv_is_alnum(p.name.p[0]) ||
                                     ((unsigned char)p.name.p[0] >= 0x80 && !cv_str_eq(p.name, CV_STR("—"))));
        if (name && !is_total(p.name))
            *CV_PUSH(a, panel) = p;
    }
    return panel->count > 0;
}
