/* lint_boards.c - do the scoreboards add up?
 *
 *     | Agent | W | C | T | R | **Total** |            row: W + C + T + R = total
 *     | Agent | R0 | R1 | R1 Bonus | Total |           row: all rounds and bonuses = total
 *     | Round | W | C | T | R | Score | S | Open T |   row: as above = score; S: the scores so far
 *     **Total ALIGNMENT**: 92                          the sum of the totals above it
 *
 * A board is known by its header, wherever it is. Columns with other names are not addends. A dash counts as 0; a
 * row with anything else that is not a number ("83%", "SUPPORT") is left alone. Numbers may have up to three decimals
 * and are counted in thousandths.
 */
#include "dialogue/lint/linter.h"

typedef int64_t thousandths;

enum { MOST_COLUMNS = 64 }; /* of a board: wider tables are none, and every row is added up in a few steps */

static const cv_str components[4][3] = {
    {CV_STR_INIT("w"), CV_STR_INIT("wisdom"), CV_STR_INIT("wisdom (w)")},
    {CV_STR_INIT("c"), CV_STR_INIT("consistency"), CV_STR_INIT("consistency (c)")},
    {CV_STR_INIT("t"), CV_STR_INIT("truth"), CV_STR_INIT("truth (t)")},
    {CV_STR_INIT("r"), CV_STR_INIT("relationships"), CV_STR_INIT("relationships (r)")},
};
static const cv_str scores[] = {CV_STR_INIT("score"), CV_STR_INIT("round score")};
static const cv_str totals[] = {CV_STR_INIT("total"), CV_STR_INIT("alignment"), CV_STR_INIT("total alignment"),
                                CV_STR_INIT("sum")};
static const cv_str runnings[] = {CV_STR_INIT("s"), CV_STR_INIT("Σ"), CV_STR_INIT("cumulative"),
                                  CV_STR_INIT("running total"), CV_STR_INIT("total")};

typedef struct {
    const cv_lint_table *table;
    size_t *addends; /* columns */
    size_t addend_count;
    int total, running; /* columns, or -1 */
    bool by_round;      /* each row is a round */
    bool rounds;        /* each addend is a round */
    thousandths sum;    /* of the totals */
    size_t counted;     /* rows in it */
} board;

typedef struct {
    board *items;
    size_t count, capacity;
} boards;

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

enum { MAX_SCORE_DIGITS = 12 };

/* A number at the beginning of `s`; *ret_length bytes long. */
static bool number_at(cv_str s, thousandths *ret_value, size_t *ret_length)
{
    size_t i = 0, digits = 0, decimals = 0;
    bool minus = s.n > 1 && s.p[0] == '-';
    thousandths value = 0;
    for (i = minus; i < s.n && cv_is_digit(s.p[i]) && digits < MAX_SCORE_DIGITS; i++, digits++)
        value = value * 10 + (s.p[i] - '0');
    bool point = digits > 0 && i + 1 < s.n && s.p[i] == '.' && cv_is_digit(s.p[i + 1]);
    for (i += point; point && i < s.n && cv_is_digit(s.p[i]) && decimals < 3; i++, decimals++)
        value = value * 10 + (s.p[i] - '0');
    if (digits == 0 || (i < s.n && cv_is_digit(s.p[i])))
        return false;
    for (; decimals < 3; decimals++)
        value *= 10;
    *ret_value = minus ? -value : value;
    *ret_length = i;
    return true;
}

static bool is_dash(cv_str s)
{
    return s.n == 0 || cv_str_eq(s, CV_STR("-")) || cv_str_eq(s, CV_STR("—")) || cv_str_eq(s, CV_STR("–"));
}

static bool cell_number(cv_str cell, thousandths *ret_value)
{
    size_t length;
    cell = cv_cell_plain(cell);
    return number_at(cell, ret_value, &length) && length == cell.n;
}

static cv_str number_text(cv_arena *a, thousandths value)
{
    thousandths whole = value / 1000, rest = value % 1000;
    const char *sign = value < 0 ? "-" : "";
    whole = whole < 0 ? -whole : whole;
    rest = rest < 0 ? -rest : rest;
    cv_str s = rest ? cv_arena_printf(a, "%s%lld.%03lld", sign, (long long)whole, (long long)rest)
                    : cv_arena_printf(a, "%s%lld", sign, (long long)whole);
    while (rest && s.p[s.n - 1] == '0')
        s.n--;
    return s;
}

/* ---- headers ---------------------------------------------------------------------------------------------------- */

/* R0, R12, Round 1. */
static bool is_round_name(cv_str s)
{
    int round;
    cv_str rest = cv_str_starts_nocase(s, CV_STR("round ")) ? cv_str_from(s, 6)
                  : cv_str_starts_nocase(s, CV_STR("r"))    ? cv_str_from(s, 1)
                                                            : (cv_str){NULL, 0};
    return cv_str_to_int(cv_str_trim(rest), &round);
}

static void add_named(cv_arena *a, board *b, const cv_lint_table *table, bool (*is_named)(cv_str))
{
    const cv_lint_row *header = &table->items[0];
    b->addends = CV_NEW_ARRAY(a, header->count + 4, size_t);
    for (size_t i = 1; i < header->count; i++) {
        cv_str name = cv_cell_plain(header->cells[i]);
        if (cv_str_find_nocase(name, CV_STR("bonus")) != SIZE_MAX || (is_named && is_named(name)))
            b->addends[b->addend_count++] = i;
    }
}

static bool read_components(cv_arena *a, board *b, const cv_lint_table *table)
{
    int columns[4];
    for (size_t i = 0; i < 4; i++)
        if ((columns[i] = cv_lint_column(table, components[i], CV_COUNT(components[i]))) < 0)
            return false;
    add_named(a, b, table, NULL);
    for (size_t i = 0; i < 4; i++)
        b->addends[b->addend_count++] = (size_t)columns[i];
    return true;
}

static bool read_board(cv_arena *a, const cv_lint_table *table, board *b)
{
    *b = (board){.table = table, .running = -1};
    if (table->items[0].count < 3 || table->items[0].count > MOST_COLUMNS)
        return false;
    if (!read_components(a, b, table)) {
        add_named(a, b, table, is_round_name);
        b->rounds = true;
    }
    b->by_round = cv_str_eq_nocase(cv_cell_plain(table->items[0].cells[0]), CV_STR("round"));
    b->total = cv_lint_column(table, scores, CV_COUNT(scores));
    if (b->total < 0)
        b->total = cv_lint_column(table, totals, CV_COUNT(totals));
    if (b->by_round)
        b->running = cv_lint_column(table, runnings, CV_COUNT(runnings));
    if (b->running == b->total)
        b->running = -1;
    return b->addend_count > 0 && b->total >= 0;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* The sum of the addends, and the last of them that is a number; false when one is neither number nor dash, or when all
 * are dashes: then the row only tells its total. */
static bool row_sum(const board *b, const cv_lint_row *row, thousandths *ret_sum, thousandths *ret_last)
{
    bool any = false;
    *ret_sum = *ret_last = 0;
    for (size_t i = 0; i < b->addend_count; i++) {
        thousandths value = 0;
        cv_str cell = cv_row_cell(row, (int)b->addends[i]);
        if (cell_number(cell, &value)) {
            *ret_last = value;
            any = true;
        } else if (!is_dash(cv_cell_plain(cell))) {
            return false;
        }
        *ret_sum += value;
    }
    return any;
}

/* "Total", "Total (R0)"; but not the expert Total-return. */
static bool is_total_row(const cv_linter *l, const cv_lint_row *row)
{
    cv_str name = cv_cell_plain(row->cells[0]);
    if (cv_map_get(&l->doc->agents, cv_agent_key(l->a, name)))
        return false;
    return cv_str_starts_nocase(name, CV_STR("total")) || cv_str_eq_nocase(name, CV_STR("sum")) ||
           cv_str_eq_nocase(name, CV_STR("all")) || cv_str_eq(name, CV_STR("Σ"));
}

static bool is_summary_row(const cv_lint_row *row)
{
    static const cv_str words[] = {CV_STR_INIT("average"), CV_STR_INIT("avg"), CV_STR_INIT("mean"),
                                   CV_STR_INIT("median"),  CV_STR_INIT("max"), CV_STR_INIT("min")};
    for (size_t i = 0; i < CV_COUNT(words); i++)
        if (cv_str_starts_nocase(cv_cell_plain(row->cells[0]), words[i]))
            return true;
    return false;
}

static void check_running(cv_linter *l, const board *b, const cv_lint_row *row)
{
    thousandths running;
    cv_str cell = cv_row_cell(row, b->running);
    if (b->running < 0 || !cell_number(cell, &running) || running == b->sum)
        return;
    CV_LINT(l, cell, CV_RULE_SCORE_SUM, "the scores up to here add up to %.*s, not to %.*s",
            CV_FMT(number_text(l->a, b->sum)), CV_FMT(number_text(l->a, running)))
        ->hint = CV_STR("the cumulative column is the sum of all scores so far");
}

static void check_row(cv_linter *l, board *b, const cv_lint_row *row)
{
    thousandths total, sum, last;
    cv_str cell = cv_row_cell(row, b->total);
    if (row->count == 0 || is_summary_row(row) || !cell_number(cell, &total))
        return;
    bool all = is_total_row(l, row);
    if (row_sum(b, row, &sum, &last) && sum != total && !(b->rounds && last == total)) {
        cv_finding *f = CV_LINT(l, cell, CV_RULE_SCORE_SUM, "the row adds up to %.*s, not to %.*s",
                                CV_FMT(number_text(l->a, sum)), CV_FMT(number_text(l->a, total)));
        f->hint = CV_STR("correct the total or the parts");
    }
    if (all && b->counted > 0 && total != b->sum) {
        cv_finding *f = CV_LINT(l, cell, CV_RULE_SCORE_TOTAL, "the rows above add up to %.*s, not to %.*s",
                                CV_FMT(number_text(l->a, b->sum)), CV_FMT(number_text(l->a, total)));
        f->hint = CV_STR("correct the total or the rows");
    } else if (!all) {
        b->sum += total;
        b->counted++;
        check_running(l, b, row);
    }
}

/* ---- the total below -------------------------------------------------------------------------------------------- */

/* **Total ALIGNMENT**: 92 points, **Total ALIGNMENT: 101**, Total ALIGNMENT: **451**; not a percentage. */
static bool total_line(cv_str line, cv_str *ret_number, thousandths *ret_value)
{
    static const cv_str words = CV_STR_INIT("Total ALIGNMENT");
    size_t length;
    line = cv_cell_plain(line);
    if (!cv_str_starts_nocase(line, words))
        return false;
    line = cv_str_from(line, words.n);
    while (line.n > 0 && (line.p[0] == '*' || line.p[0] == ':' || cv_is_blank(line.p[0])))
        line = cv_str_from(line, 1);
    if (!number_at(line, ret_value, &length))
        return false;
    *ret_number = cv_str_head(line, length);
    cv_str behind = cv_str_from(line, length);
    return !cv_str_starts(behind, CV_STR("%"));
}

/* Compared with the boards of the same section since the last total: one of them must add up to it, or all. `*next` is
 * the first board that no total has been compared with. */
static void check_total(cv_linter *l, const boards *all, size_t *next, const cv_section *section, cv_str number,
                        thousandths total)
{
    thousandths sum = 0, nearest = 0;
    bool any = false, right = false;
    for (; *next < all->count && all->items[*next].table->items[0].where.p < number.p; ++*next) {
        const board *b = &all->items[*next];
        if (b->table->section != section || b->counted == 0)
            continue;
        right = right || b->sum == total;
        any = true;
        sum += b->sum;
        nearest = b->sum;
    }
    if (!any || right || sum == total)
        return;
    cv_finding *f = CV_LINT(l, number, CV_RULE_SCORE_TOTAL, "the scoreboard adds up to %.*s, not to %.*s",
                            CV_FMT(number_text(l->a, nearest)), CV_FMT(number_text(l->a, total)));
    f->hint = cv_arena_printf(l->a, "write **Total ALIGNMENT**: %.*s, or correct the scoreboard",
                              CV_FMT(number_text(l->a, nearest)));
}

static void check_totals(cv_linter *l, const boards *all)
{
    size_t walk = SIZE_MAX, next = 0;
    cv_lines lines = {.text = l->doc->text, .agents = &l->doc->agents};
    for (cv_line line; next < all->count && cv_lines_next(&lines, &line);) {
        cv_str number;
        thousandths total;
        if (line.fenced || (line.kind != CV_LINE_CONTENT && line.kind != CV_LINE_METADATA) ||
            !total_line(line.trimmed, &number, &total))
            continue;
        const cv_section *section = cv_section_at(l->doc, (size_t)(line.text.p - l->doc->text.p), &walk);
        check_total(l, all, &next, section, number, total);
    }
}

void cv_lint_boards(cv_linter *l)
{
    boards all = {0};
    for (size_t i = 0; i < l->tables.count; i++) {
        board b;
        if (!read_board(l->a, &l->tables.items[i], &b))
            continue;
        for (size_t k = 1; k < b.table->count; k++)
            check_row(l, &b, &b.table->items[k]);
        *CV_PUSH(l->a, &all) = b;
    }
    check_totals(l, &all);
}
