/* diagnosis.h - what in a response will not be understood, for the one who wrote it.
 *
 *     {"type": "untyped_reference", "line": 7, "message": "…", "suggestion": "…"}
 *
 * Types with underscores are notes of the hearing (hearing.h); those with dashes are rules of the parser, each with a
 * page in docs/rules/. Ids of others who have not been heard yet are no matter of the writer's.
 */
#ifndef CV_DIALOGUE_INTAKE_DIAGNOSIS_H
#define CV_DIALOGUE_INTAKE_DIAGNOSIS_H

#include "dialogue/intake/hearing.h"

/* Everything about one of the voices, by line, as items of an open list; `named`: with the expert's name. */
void cv_diagnosis_print(cv_arena *a, const cv_hearing *h, size_t voice, bool named, cv_json_writer *w);

/* Only what could not be read in it: what the parser found, and what looks like a mark (lookalike.h); with the
 * expert's name. */
void cv_diagnosis_print_unread(cv_arena *a, const cv_hearing *h, size_t voice, cv_json_writer *w);

/* What one voice brings, in the specification's words: {"perspectives": ["MUFFIN-P0101"], …, "references": [{"type",
 * "from", "target"}], "moves": [{"type", "targets"}], "verdicts": ["dissent"]}. */
void cv_summary_print(cv_arena *a, const cv_hearing *h, cv_str expert, cv_json_writer *w);

#endif
