/* grid.h - the tables of a text, and what kind of table each one is.
 *
 *     | Round | W | C | T | R | Score |        a board of rounds
 *     | Agent | Wisdom | … | **Total** |       a board of agents: sums over the whole dialogue
 *     | Agent | R0 | R1 | R1 Bonus | Total |   a board of agents by round; a bonus is a part of its round's score
 *     | Agent | Round | W | C | T | R |        … one row for each
 *     | Agent | R0: 99 → R1: 202 |             … in one cell
 *     | ID | Tension | Status | Raised |       a tracker; below "Tensions Resolved" without the status
 *     | Pastry | Role | Tier | Relevance |     a panel
 *
 * Pure: text in, lists out. Real tables have some hundred different headers; columns are known by what their words
 * mean, whatever their order. A cell of a column of numbers that is not a number is absent, never guessed.
 */
#ifndef CV_DIALOGUE_IMPORT_GRID_H
#define CV_DIALOGUE_IMPORT_GRID_H

#include "dialogue/state.h"
#include "dialogue/text/line.h"

typedef struct {
    cv_str *cells; /* trimmed; escapes stay */
    size_t count;
    size_t line;
    cv_str raw;
} cv_grid_row;

typedef struct {
    cv_grid_row head;
    CV_STATE_LIST(cv_grid_row) rows;
    cv_str title; /* the heading or the bold line above it; empty: none */
} cv_grid;

typedef CV_STATE_LIST(cv_grid) cv_grids;

/* The tables of a text outside of code; its first line has the number `line`. */
cv_grids cv_grids_find(cv_arena *a, cv_str text, size_t line);

/* The column whose head is one of these words, or has it as its first or last one ("Agent Name"), or -1. Case, bold and
 * punctuation do not matter. */
int cv_grid_column(cv_arena *a, const cv_grid *grid, const char *const *words);

/* The cell of a row without bold marks; empty when the row is shorter. */
cv_str cv_grid_cell(cv_arena *a, const cv_grid_row *row, int column);

/* A whole number as boards write it ("**38**", "~83%", "+7"); CV_ABSENT: it is none. */
int64_t cv_grid_number(cv_arena *a, cv_str cell);

/* "R2" anywhere in a cell: 2; -1: none. */
int cv_grid_round(cv_str cell);

/* ---- boards ------------------------------------------------------------------------------------------------------ */

enum { CV_SCORE_PARTS = 4 }; /* W C T R */
extern const char *const cv_score_letters[CV_SCORE_PARTS];

typedef struct {
    int64_t total, parts[CV_SCORE_PARTS]; /* CV_ABSENT: not given */
} cv_points;

/* The member "score_components" of a request, if any part is known. */
void cv_points_write(cv_json_writer *w, const cv_points *points);

/* "R0: 99 → R1: 202", "R0 = 9, R1 = 12": what is said of each round. */
typedef struct {
    int round;
    int64_t number;
} cv_round_number;
typedef CV_STATE_LIST(cv_round_number) cv_round_numbers;
cv_round_numbers cv_grid_pairs(cv_arena *a, cv_str cell);

/* What a board says of one agent or one round. */
typedef struct {
    cv_str agent; /* empty: it is about a round, or about all */
    cv_str role;  /* when the board has them */
    int round;    /* as written; -1: the whole dialogue */
    bool total;   /* of the whole column: "Total", "Sum" */
    cv_str odd;   /* a cell of scores that is not a whole number, and nothing else; empty: none */
    cv_points points;
    int64_t sum, open, fresh, velocity, converge; /* of a round, as the board says */
    size_t line;
} cv_board_row;

/* Nothing is known of it but its line. */
cv_board_row cv_board_row_empty(size_t line);

typedef CV_STATE_LIST(cv_board_row) cv_board_rows;

/* Adds what the table says when it is a board of any shape; false when it is none. */
bool cv_board_read(cv_arena *a, const cv_grid *grid, cv_board_rows *rows);

/* ---- trackers ---------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str id; /* T01, in its one spelling; empty: the row has none */
    cv_str label, by, resolution;
    cv_str word;        /* its status as written */
    int status;         /* a cv_status, -1: the word says nothing */
    int raised, closed; /* rounds; -1: not said */
    size_t line;
} cv_tracked;

typedef CV_STATE_LIST(cv_tracked) cv_tracker;

bool cv_tracker_read(cv_arena *a, const cv_grid *grid, cv_tracker *tracker);

/* Does a tracker say more than its rows are read for: other columns with words, several owners, a status that nobody
 * knows? */
bool cv_tracker_has_more(cv_arena *a, const cv_grid *grid);

/* ---- panels ------------------------------------------------------------------------------------------------------ */

typedef struct {
    cv_str name, role, tier, relevance, focus;
    int first, last; /* rounds in which it sits; -1: not said */
    size_t line;
} cv_panelist;

typedef CV_STATE_LIST(cv_panelist) cv_panelists;

/* `speakers` (names in lower case -> anything) are those who are known to speak, or NULL: the column that has their
 * names is that of the names, whatever it is called. Columns without a place of their own are part of the focus. */
bool cv_panel_read(cv_arena *a, const cv_grid *grid, const cv_map *speakers, cv_panelists *panel);

/* Does it look like a panel wherever it is: names with roles, and tiers, or all of them speak? */
bool cv_panel_fits(cv_arena *a, const cv_grid *grid, const cv_map *speakers);

#endif
