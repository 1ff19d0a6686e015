/* from_draft.h - a request that takes the draft of its round: what the responses say, and what the judge changes in it.
 *
 *     responses   MUFFIN-P0101  CUPCAKE-P0101  DONUT-T0101  DONUT-P0102
 *     request     use_draft, expert_scores, perspectives: [{local_id: MUFFIN-P0101, also: [CUPCAKE-P0101]}],
 *                 remove: [DONUT-P0102]
 *     together    MUFFIN-P0101 (with CUPCAKE-P0101's contributors and references)  DONUT-T0101
 *
 * An item of the request takes the place of the draft's with its local id, member by member; another one is added.
 * `also` merges, `remove` leaves out, and what refers to an item that is left out goes with it. Moves and references
 * that are given take the place of all of the draft's; updates and positions, of those about the same item or expert.
 */
#ifndef CV_DIALOGUE_REGISTER_FROM_DRAFT_H
#define CV_DIALOGUE_REGISTER_FROM_DRAFT_H

#include "dialogue/intake/extract.h"
#include "kit/call.h"

/* The whole request, as if the judge had written all of it. False: the request names what the draft does not have; the
 * faults are in the call. */
bool cv_request_with_draft(cv_call *call, const cv_state *s, int64_t round, const cv_json **ret_request);

#endif
