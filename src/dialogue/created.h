/* created.h - a new dialogue for the person who made it: what it is called, who sits, what comes next.
 *
 *     dialogue: files
 *     title:    Files
 *     question: Where do generated files go?
 *     panel:    muffin, Value Analyst (Core)
 *               cupcake, Risk Manager (Core)
 *     next:     conclave dialogue round-prompts files
 *
 * The judge's protocol and how the panel was drawn are for programs: the answer as JSON has them.
 */
#ifndef CV_DIALOGUE_CREATED_H
#define CV_DIALOGUE_CREATED_H

#include "base/json.h"
#include "kit/call.h"

/* `answer` is that of create, of now or of the first time. */
cv_str cv_created_text(const cv_call *call, const cv_json *answer);

#endif
