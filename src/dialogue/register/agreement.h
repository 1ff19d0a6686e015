/* agreement.h - does the judge register what the experts said? Only warnings come of it: judges merge and shorten.
 *
 *     response   [MUFFIN-P0001: Do not deploy]  It will lose data.     [MUFFIN-T0001: Haste]     [MOVE:CONVERGE]
 *     request    MUFFIN-P0001 "Deploy now"      It is safe.            —                         —
 *     warnings   differs_from_response                                 not_registered            … and 1 move
 *
 * … and so for references, with the resolutions among them.
 *
 * An item agrees when its label is that of its response, or its text is there under its id; words count, their
 * case, blanks and markup do not. One that was merged from several agrees with one of them.
 */
#ifndef CV_DIALOGUE_REGISTER_AGREEMENT_H
#define CV_DIALOGUE_REGISTER_AGREEMENT_H

#include "dialogue/intake/extract.h"
#include "dialogue/register/batch.h"

/* Where a response says what became an item. */
typedef struct {
    cv_str sha256; /* of the response */
    const cv_parsed_response *response;
    const cv_parsed_mark *item;
} cv_receipt;

/* Have two texts the same words, whatever their case, blanks and markup? */
bool cv_same_words(cv_arena *a, cv_str x, cv_str y);

/* Warns of drafts that differ from all their sources; `sources`: local id -> const cv_receipt *. Their local ids are
 * added to `ret_differing`. */
void cv_agreement_warn(cv_batch *batch, const cv_map *sources, cv_map *ret_differing);

/* Warns of what the responses say and the request neither has nor merges into something else. */
/* … and of who is missing: members of the panel who said nothing, scores for them, dissent without a verdict.
 * `responded`: who has a response. */
void cv_agreement_warn_left_out(cv_batch *batch, const cv_extract *extract, const cv_map *responded);

#endif
