/* foreign.h - JSON beside a dialogue's files that is none of them, and what it is instead.
 *
 *     {"title": …, "expert_pool": …}    -> a request for 'conclave dialogue create' …
 *     {"experts": […]}                  -> an expert pool without a dialogue
 *
 * Only the names of members are looked at: the answer is told to people, nothing is decided by it.
 */
#ifndef CV_DIALOGUE_IMPORT_FOREIGN_H
#define CV_DIALOGUE_IMPORT_FOREIGN_H

#include "base/json.h"

/* Why nothing is taken from the document. */
cv_str cv_foreign_why(const cv_json *document);

#endif
