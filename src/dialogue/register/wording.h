/* wording.h - where the judge registers other words than the experts', or words that they never said.
 *
 *     response   Never sell.          [RE:OPPOSE P0001] Unlawful.     [MOVE:CHALLENGE P0001] Why?
 *     request    position: "Sell."    reason: "I was mistaken."       {"type": "concede", "targets": ["P0001"]}
 *     warnings   changed_by_judge, each with the expert, the item if there is one, and the field
 *
 * Nothing is refused: judges merge and shorten. An item whose label or text is not its expert's keeps a correction
 * (types.h), so that everything that shows it says who worded it, when the expert has handed the response in. Only
 * experts with a response are asked about.
 */
#ifndef CV_DIALOGUE_REGISTER_WORDING_H
#define CV_DIALOGUE_REGISTER_WORDING_H

#include "dialogue/register/agreement.h"

/* `differing`: local ids of drafts that were reported as differing from their response, label and text alike. */
void cv_wording_warn(cv_batch *batch, const cv_extract *extract, const cv_map *responded, const cv_map *differing);

#endif
