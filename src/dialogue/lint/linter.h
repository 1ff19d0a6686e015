/* linter.h - what the files of the linter share; nobody else includes it.
 *
 * The parser keeps tables only in the sections that are about one, and copies of cells. The linter wants every table
 * and the place of every cell, so it walks the lines once more: rows here are views into the text.
 */
#ifndef CV_DIALOGUE_LINT_LINTER_H
#define CV_DIALOGUE_LINT_LINTER_H

#include "dialogue/lint/lint.h"

typedef struct {
    cv_str *cells; /* trimmed, escapes kept */
    size_t count;
    cv_str where;
} cv_lint_row;

typedef struct {
    cv_lint_row *items; /* the first is the header; |---| is left out */
    size_t count, capacity;
    const cv_section *section; /* NULL: before the first */
} cv_lint_table;

typedef struct {
    cv_lint_table *items;
    size_t count, capacity;
} cv_lint_tables;

/* A mark and who left it where. */
typedef struct {
    const cv_mark *mark;
    cv_str agent; /* lower case; empty: outside an agent's part */
    int round;    /* -1: outside a round */
    bool leads;   /* it opens a block; else it is inside a text and may be a quotation */
} cv_lint_mark;

typedef struct {
    cv_lint_mark *items;
    size_t count, capacity;
} cv_lint_marks;

typedef struct {
    cv_arena *a;
    const cv_doc *doc;
    cv_findings *findings;
    cv_lint_tables tables;
    cv_lint_marks marks;
} cv_linter;

#define CV_LINT(l, where, rule, ...) cv_finding_add((l)->findings, (l)->a, (l)->doc->text, (where), (rule), __VA_ARGS__)

/* The groups of rules: structure and placeholders in lint_structure.c, ids and records in lint_records.c. */
void cv_lint_structure(cv_linter *l);    /* title, metadata, sections, rounds, agents */
void cv_lint_placeholders(cv_linter *l); /* what a scaffold left behind */
void cv_lint_ids(cv_linter *l);          /* ids used twice, marks without a label */
void cv_lint_boards(cv_linter *l);       /* arithmetic of the scoreboards */
void cv_lint_records(cv_linter *l);      /* tracker and inventory against the marks; converged with open tensions */

/* ---- lint_tables.c ------------------------------------------------------------------------------------------- */

cv_lint_tables cv_lint_read_tables(cv_arena *a, const cv_doc *doc);
cv_lint_marks cv_lint_read_marks(cv_arena *a, const cv_doc *doc);

/* A cell without bold marks, backticks and the emoji around it. */
cv_str cv_cell_plain(cv_str cell);
cv_str cv_row_cell(const cv_lint_row *row, int column); /* empty when there is none */

/* The column of the first of `names` that the header has, or -1. */
int cv_lint_column(const cv_lint_table *table, const cv_str *names, size_t count);

/* Moves a walk over the sections to the one that holds byte `at`; begin with SIZE_MAX. */
const cv_section *cv_section_at(const cv_doc *doc, size_t at, size_t *walk);

/* Who an agent is, in any case of letters: short even when the name is not, because every mark's key has a copy. */
cv_str cv_lint_agent(cv_arena *a, cv_str name);

/* The bytes of a mark, and its key "agent id" or "id" in the arena. */
cv_str cv_mark_where(const cv_linter *l, const cv_mark *m);
cv_str cv_lint_key(cv_arena *a, cv_str agent, cv_str id);

#endif
