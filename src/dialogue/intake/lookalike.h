/* lookalike.h - lines of a response that look like marks and are none, for the one who wrote them.
 *
 *     [re:support donut-p0001]        lower_case
 *     [CONVERGE]                      move_without_word: [MOVE:CONVERGE]
 *     ### [P01: Cheaper]              short_id: [PERSPECTIVE P01: Cheaper]
 *     [MUFFIN-P0001] Cheaper          closed_too_early: [MUFFIN-P0001: Cheaper]
 *     MUFFIN-P0001: Cheaper           no_brackets
 *     [ENDORSE P0001]                 unknown_mark: brackets, capitals and an id, but no word of the format
 *     CONVERGE                        only_word
 *     `[MOVE:CONVERGE]` is early      as_text: in backticks or behind a backslash, a mark is text
 *     **T0001**: resolved by rye      in_words: a sentence that says what a mark would say
 *     as MUFFIN-P0102 shows           unmade_id: an id of the expert's own that no mark of the response makes
 *     [MUFFIN-P0101: a [MOVE:…]]      mark_in_label
 *     ```json … ```                   in_code_block, around everything
 *
 * Most of what looks like a mark is read as one (plain.h); this is what is left.
 * The parser's own findings (marker-spelling, marker-unclosed) are about marks in any text, quotations included; these
 * here only hold where somebody speaks in a round.
 */
#ifndef CV_DIALOGUE_INTAKE_LOOKALIKE_H
#define CV_DIALOGUE_INTAKE_LOOKALIKE_H

#include "dialogue/intake/parse.h"

typedef struct {
    cv_str type, message, suggestion;
    cv_diagnosis_severity severity;
    size_t line;
} cv_lookalike;

typedef CV_STATE_LIST(cv_lookalike) cv_lookalikes;

/* By line. Lines with a mark on them are skipped. */
void cv_lookalikes_find(cv_arena *a, const cv_parsed_response *response, cv_lookalikes *ret_found);

#endif
