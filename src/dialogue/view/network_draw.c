/* network_draw.c - a network as a drawing of lines and corners, for a terminal; see network.h.
 *
 *     Round 0
 *     ╭─▶ T0001  Growth vs income (resolved)
 *     │ ╭▶ R0001  Income collar (amended)
 *     ├─●─  …
 *       │   address T0001
 *
 * Nodes are below each other, round by round. What others lead to has a lane on the left: a line from the first to
 * the last of the rows that have to do with it, with an arrow at the node itself and a joint at each of those that lead
 * to it. Lanes of which no row is the same share a column; the text below a node says what its edges are. Lanes that
 * find no column are not drawn; the text still has them.
 */
#include <stdlib.h>

#include "base/plain.h"
#include "dialogue/view/chart.h"
#include "dialogue/view/network.h"

enum { LEAST_TEXT = 44, LEAST_LABEL = 12, MOST_COLUMNS = CV_CHART_MOST / 2 };

/* Of the edges to one node. */
typedef struct {
    size_t first, last; /* rows */
    size_t column;      /* from the right; SIZE_MAX: it is not drawn */
    size_t next;        /* that begins in the same row; SIZE_MAX: none */
    size_t joined;      /* the last row, counted from 1, that has to do with it */
} lane;

typedef struct {
    const cv_network *n;
    cv_chart chart;
    const cv_node **rows; /* nodes in the order of the drawing */
    size_t *row_of;       /* by node */
    size_t *edges;        /* by the rows of their sources: those of row i from edges_from[i] to edges_from[i + 1] */
    size_t *edges_from;
    lane *lanes;       /* by node */
    size_t *beginning; /* by row: a lane; SIZE_MAX: none */
    const lane *active[MOST_COLUMNS];
    size_t columns;
} drawing;

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static int by_round(const void *a, const void *b)
{
    const cv_node *x = *(const cv_node *const *)a, *y = *(const cv_node *const *)b;
    bool no_x = x->round == CV_ABSENT, no_y = y->round == CV_ABSENT;
    if (no_x != no_y) /* experts have no round: they stand first */
        return no_x ? -1 : 1;
    return x->round != y->round ? CV_ORDER(x->round, y->round) : CV_ORDER(x, y);
}

static void order_rows(drawing *d)
{
    const cv_network *n = d->n;
    d->rows = CV_NEW_ARRAY(d->chart.arena, n->nodes.count, const cv_node *);
    d->row_of = CV_NEW_ARRAY(d->chart.arena, n->nodes.count, size_t);
    for (size_t i = 0; i < n->nodes.count; i++)
        d->rows[i] = &n->nodes.items[i];
    if (n->nodes.count > 0)
        qsort(d->rows, n->nodes.count, sizeof *d->rows, by_round);
    for (size_t i = 0; i < n->nodes.count; i++)
        d->row_of[d->rows[i] - n->nodes.items] = i;
}

static void order_edges(drawing *d)
{
    const cv_network *n = d->n;
    d->edges = CV_NEW_ARRAY(d->chart.arena, n->edges.count, size_t);
    d->edges_from = CV_NEW_ARRAY(d->chart.arena, n->nodes.count + 2, size_t);
    memset(d->edges_from, 0, (n->nodes.count + 2) * sizeof *d->edges_from);
    for (size_t i = 0; i < n->edges.count; i++)
        d->edges_from[d->row_of[n->edges.items[i].source] + 2]++;
    for (size_t row = 2; row < n->nodes.count + 2; row++)
        d->edges_from[row] += d->edges_from[row - 1];
    for (size_t i = 0; i < n->edges.count; i++) /* moves each beginning to the one behind it */
        d->edges[d->edges_from[d->row_of[n->edges.items[i].source] + 1]++] = i;
}

/* ---- lanes ------------------------------------------------------------------------------------------------------- */

static void measure_lanes(drawing *d)
{
    const cv_network *n = d->n;
    d->lanes = CV_NEW_ARRAY(d->chart.arena, n->nodes.count, lane);
    d->beginning = CV_NEW_ARRAY(d->chart.arena, n->nodes.count, size_t);
    for (size_t i = 0; i < n->nodes.count; i++) {
        d->lanes[i] = (lane){d->row_of[i], d->row_of[i], SIZE_MAX, SIZE_MAX, 0};
        d->beginning[i] = SIZE_MAX;
    }
    for (size_t i = 0; i < n->edges.count; i++) {
        lane *l = &d->lanes[n->edges.items[i].target];
        size_t row = d->row_of[n->edges.items[i].source];
        l->first = row < l->first ? row : l->first;
        l->last = row > l->last ? row : l->last;
    }
    for (size_t i = n->nodes.count; i-- > 0;) {
        d->lanes[i].next = d->beginning[d->lanes[i].first];
        d->beginning[d->lanes[i].first] = i;
    }
}

/* Each gets the first column that is free from its first row on. */
static void place_lanes(drawing *d)
{
    size_t width = cv_chart_width(&d->chart), free_from[MOST_COLUMNS] = {0};
    size_t most = width > LEAST_TEXT ? (width - LEAST_TEXT) / 2 : 0;
    for (size_t row = 0; row < d->n->nodes.count; row++)
        for (size_t i = d->beginning[row], column; i != SIZE_MAX; i = d->lanes[i].next) {
            for (column = 0; column < most && free_from[column] > row; column++)
                ;
            if (d->lanes[i].last == row || column == most)
                continue;
            free_from[column] = d->lanes[i].last + 1;
            d->lanes[i].column = column;
            d->columns = column + 1 > d->columns ? column + 1 : d->columns;
        }
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void begin_row(drawing *d, size_t row)
{
    for (size_t i = d->beginning[row]; i != SIZE_MAX; i = d->lanes[i].next)
        if (d->lanes[i].column != SIZE_MAX)
            d->active[d->lanes[i].column] = &d->lanes[i];
    d->lanes[d->rows[row] - d->n->nodes.items].joined = row + 1;
    for (size_t i = d->edges_from[row]; i < d->edges_from[row + 1]; i++)
        d->lanes[d->n->edges.items[d->edges[i]].target].joined = row + 1;
}

/* Lanes end with the line of the node that they lead to last; what is below it does not have them any more. */
static void end_lanes(drawing *d, size_t row)
{
    for (size_t k = 0; k < d->columns; k++)
        if (d->active[k] && d->active[k]->last == row)
            d->active[k] = NULL;
}

/* The line beside a node: from its leftmost joint to the node. */
static void draw_node_lanes(drawing *d, size_t row)
{
    bool running = false, target = false;
    for (size_t k = d->columns; k-- > 0;) {
        const lane *l = d->active[k];
        bool joined = l && l->joined == row + 1;
        const char *mark = !l ? (running ? "─" : " ") : running ? "┼" : "│";
        if (joined)
            mark = running ? "●" : l->first == row ? "╭" : l->last == row ? "╰" : "├";
        running = running || joined;
        target = target || (joined && d->row_of[l - d->lanes] == row);
        cv_buf_add_z(&d->chart.out, mark);
        cv_buf_add_z(&d->chart.out, k == 0 && target ? "▶" : running ? "─" : " ");
    }
    cv_buf_add_char(&d->chart.out, ' ');
}

/* … and between two nodes. */
static void draw_lanes(drawing *d)
{
    for (size_t k = d->columns; k-- > 0;)
        cv_buf_add_z(&d->chart.out, d->active[k] ? "│ " : "  ");
    cv_buf_add_char(&d->chart.out, ' ');
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static void say_node(drawing *d, const cv_node *node)
{
    size_t used = d->columns * 2 + 1 + cv_plain_width(node->id) + 2 + (node->status.n ? node->status.n + 3 : 0);
    size_t width = cv_chart_width(&d->chart);
    cv_chart_paint(&d->chart, CV_PAINT_BOLD);
    cv_plain_add(&d->chart.out, node->id);
    cv_chart_paint(&d->chart, CV_PAINT_END);
    cv_buf_add_z(&d->chart.out, "  ");
    cv_chart_text(&d->chart, node->label, width > used + LEAST_LABEL ? width - used : LEAST_LABEL);
    if (node->status.n > 0) {
        cv_buf_add_z(&d->chart.out, " (");
        cv_chart_paint(&d->chart, CV_PAINT_STATUS);
        cv_buf_add(&d->chart.out, node->status);
        cv_chart_paint(&d->chart, CV_PAINT_END);
        cv_buf_add_char(&d->chart.out, ')');
    }
    cv_chart_line(&d->chart);
}

/* "resolve T0001, T0002, support R0001": as many lines as they need. */
static void say_edges(drawing *d, size_t row)
{
    size_t indent = d->columns * 2 + 1 + 2, at = 0, width = cv_chart_width(&d->chart);
    cv_str type = CV_STR("");
    for (size_t i = d->edges_from[row]; i < d->edges_from[row + 1]; i++) {
        const cv_edge *e = &d->n->edges.items[d->edges[i]];
        cv_buf text = {0};
        for (size_t k = 0; k < e->type.n && !cv_str_eq(e->type, type); k++)
            cv_buf_add_char(&text, e->type.p[k] == '_' ? ' ' : e->type.p[k]);
        cv_buf_printf(&text, "%s%.*s", text.n ? " " : "", CV_FMT(d->n->nodes.items[e->target].id));
        size_t wide = cv_plain_width(cv_buf_str(&text));
        if (at == 0 || at + 2 + wide > width) {
            cv_buf_add_z(&d->chart.out, at ? ",\n" : "");
            draw_lanes(d);
            cv_buf_add_z(&d->chart.out, "  ");
            at = indent;
        } else {
            cv_buf_add_z(&d->chart.out, ", ");
            at += 2;
        }
        cv_plain_add(&d->chart.out, cv_buf_str(&text));
        cv_buf_release(&text);
        at += wide;
        type = e->type;
    }
    if (at > 0)
        cv_chart_line(&d->chart);
}

static void say_round(drawing *d, size_t row)
{
    int64_t round = d->rows[row]->round;
    if (round == CV_ABSENT || (row > 0 && d->rows[row - 1]->round == round))
        return;
    if (row > 0) {
        draw_lanes(d);
        cv_chart_line(&d->chart);
    }
    draw_lanes(d);
    cv_chart_paint(&d->chart, CV_PAINT_BOLD);
    cv_chart_say(&d->chart, "round %lld", (long long)round);
    cv_chart_paint(&d->chart, CV_PAINT_END);
    cv_chart_line(&d->chart);
}

cv_str cv_network_draw(const cv_network *n, cv_chart paper)
{
    drawing d = {.n = n, .chart = paper};
    assert(paper.width <= CV_CHART_MOST);
    order_rows(&d);
    order_edges(&d);
    measure_lanes(&d);
    place_lanes(&d);
    for (size_t row = 0; row < n->nodes.count; row++) {
        say_round(&d, row);
        begin_row(&d, row);
        draw_node_lanes(&d, row);
        say_node(&d, d.rows[row]);
        end_lanes(&d, row);
        say_edges(&d, row);
    }
    if (n->nodes.count == 0)
        cv_chart_say(&d.chart, "There is nothing to draw.\n");
    return cv_chart_take(&d.chart);
}
