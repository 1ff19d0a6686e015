/* diagnosis.h - what in a response will not be understood, for the one who wrote it.
 *
 *     {"type": "untyped_reference", "severity": "lost", "line": 7, "message": "…", "suggestion": "…"}
 *
 * Types with underscores are notes of the extract (extract.h); those with dashes are rules of the parser, each with a
 * page in docs/rules/. A remark says where a text was read as it was meant (plain.h). Ids of others who have not
 * responded yet are a note: they may still come.
 */
#ifndef CV_DIALOGUE_INTAKE_DIAGNOSIS_H
#define CV_DIALOGUE_INTAKE_DIAGNOSIS_H

#include "dialogue/intake/extract.h"
#include "dialogue/notices.h"
#include "kit/shape.h"

typedef struct {
    cv_str expert, type, severity, message, suggestion; /* suggestion may be empty */
    size_t line, last;                                  /* last: 0 when it is the same line */
} cv_diagnostic;

typedef CV_STATE_LIST(cv_diagnostic) cv_diagnostics;

extern const cv_shape cv_diagnostic_shape[], cv_named_diagnostic_shape[]; /* named: with the expert */

/* How much of a response is under no mark, and where: it is kept as the expert's position. */
typedef struct {
    cv_str expert;
    size_t paragraphs;
    struct cv_line_range {
        size_t line, last;
    } * ranges;
    size_t range_count;
} cv_unmarked;

extern const cv_shape cv_unmarked_shape[], cv_named_unmarked_shape[];
cv_unmarked cv_unmarked_of(cv_arena *a, const cv_extract *h, size_t index);

/* Warns of responses that bring nothing, and of how much was lost in the others; the same for one of which so much is
 * known. */
void cv_diagnostics_warn(cv_arena *a, const cv_extract *h, const cv_diagnostics *all, cv_notices *warnings);
void cv_warn_of_reading(cv_arena *a, cv_str expert, size_t understood, size_t lost, cv_notices *warnings);

/* Adds everything about one of the responses, by line. */
void cv_diagnose(cv_arena *a, const cv_extract *h, size_t index, cv_diagnostics *all);

/* Only what could not be read in it: what the parser found, and what looks like a mark (lookalike.h). */
void cv_diagnose_unread(cv_arena *a, const cv_extract *h, size_t index, cv_diagnostics *all);

/* What one response brings, in the specification's words: {"perspectives": ["MUFFIN-P0101"], …, "references": [{"type",
 * "from", "target"}], "moves": [{"type", "targets"}], "verdicts": ["dissent"]}. */
typedef struct {
    cv_str type, from, target;
} cv_told_reference;

typedef struct {
    cv_str type, *targets, *waiting;
    size_t target_count, waiting_count;
} cv_told_move;

typedef struct {
    CV_STATE_LIST(cv_str) ids[CV_KIND_COUNT];
    CV_STATE_LIST(cv_told_reference) references;
    CV_STATE_LIST(cv_told_move) moves;
    CV_STATE_LIST(cv_str) verdicts;
} cv_summary;

extern const cv_shape cv_summary_shape[];
void cv_summarize(cv_arena *a, const cv_extract *h, cv_str expert, cv_summary *ret);

#endif
