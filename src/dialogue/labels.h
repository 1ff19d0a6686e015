/* labels.h - what people put on a dialogue to find it again (labels.c), for lists and searches. */
#ifndef CV_DIALOGUE_LABELS_H
#define CV_DIALOGUE_LABELS_H

#include "dialogue/types.h"
#include "kit/call.h"

static inline bool cv_dialogue_is_archived(const cv_rec_dialogue *row)
{
    return row->archived == 1;
}

/* The tags that a list of the request names, each once, as they are kept: "#Queue" is queue, one word in lower case.
 * What is not one is a fault. */
cv_words cv_tags_read(cv_call *call, const char *list);

/* Writes the dialogues that are put away, each as "dialogue/ID". */
bool cv_archived_name(const cv_call *call, cv_json_writer *w, cv_err *err);

/* The dialogues that a search leaves out, as such a list: a list of ids (may be NULL) and, unless the request has
 * `archived`, all that are put away. Absent: none. */
bool cv_archived_left_out(cv_call *call, const cv_json *others, cv_str *ret_ids, cv_err *err);

#endif
