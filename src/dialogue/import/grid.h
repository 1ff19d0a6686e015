/* grid.h - the tables of a text, and what kind of table each one is.
 *
 *     | Round | W | C | T | R | Score |        a board of rounds
 *     | Agent | Wisdom | … | **Total** |       a board of agents: sums over the whole dialogue
 *     | Agent | R0 | R1 | Total |              a board of agents by round
 *     | ID | Tension | Status | Raised |       a tracker
 *     | Agent | Role | Tier | Relevance |      a panel
 *
 * Pure: text in, lists out. Real boards have some sixty different headers; columns are known by their words, whatever
 * their order. What is no number in a column of numbers is absent, never guessed.
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
} cv_grid;

typedef CV_STATE_LIST(cv_grid) cv_grids;

/* The tables of a text outside of code; its first line has the number `line`. */
cv_grids cv_grids_find(cv_arena *a, cv_str text, size_t line);

/* The column whose head is one of these words (any case, bold aside), or -1. */
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

/* What a board says of one agent or one round. */
typedef struct {
    cv_str agent; /* empty: it is about a round */
    int round;    /* as written; -1: the whole dialogue */
    cv_points points;
    int64_t sum, open, fresh, velocity, converge; /* of a round, as the board says */
    size_t line;
} cv_board_row;

typedef CV_STATE_LIST(cv_board_row) cv_board_rows;

/* Adds what the table says when it is a board of any shape; false when it is none. */
bool cv_board_read(cv_arena *a, const cv_grid *grid, cv_board_rows *rows);

/* ---- trackers ---------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str id; /* T01, in its one spelling */
    cv_str label, by, resolution;
    cv_str word;        /* its status as written */
    int status;         /* a cv_status, -1: the word says nothing */
    int raised, closed; /* rounds; -1: not said */
    size_t line;
} cv_tracked;

typedef CV_STATE_LIST(cv_tracked) cv_tracker;

bool cv_tracker_read(cv_arena *a, const cv_grid *grid, cv_tracker *tracker);

/* ---- panels ------------------------------------------------------------------------------------------------------ */

typedef struct {
    cv_str name, role, tier, relevance, focus;
    int first, last; /* rounds in which it sits; -1: not said */
    size_t line;
} cv_panelist;

typedef CV_STATE_LIST(cv_panelist) cv_panelists;

bool cv_panel_read(cv_arena *a, const cv_grid *grid, cv_panelists *panel);

#endif
