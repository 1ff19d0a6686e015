/* asking.h - inputs of operations on one dialogue, and texts of their replies: for resources and prompts. */
#ifndef CV_DIALOGUE_ASKING_H
#define CV_DIALOGUE_ASKING_H

#include "base/json.h"

/* {"dialogue_id": ID, MORE: VALUE}; `more` may be NULL, `value` is JSON. */
cv_str cv_dialogue_input(cv_arena *a, cv_str id, const char *more, cv_str value);

/* The text at reply.member, or at reply.list[0].member; the whole reply when there is none. */
cv_str cv_dialogue_text(cv_arena *a, cv_str reply, const char *list, const char *member);

#endif
