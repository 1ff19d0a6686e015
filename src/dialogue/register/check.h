/* check.h - what the parts of the check share: where an item stands, and all references of a batch, wherever they are.
 */
#ifndef CV_DIALOGUE_REGISTER_CHECK_H
#define CV_DIALOGUE_REGISTER_CHECK_H

#include "dialogue/faults.h"
#include "dialogue/register/batch.h"

/* Places in the request: printed when something is wrong, not before. */
cv_spot cv_check_root(const cv_batch *b, cv_str item_type);
cv_spot cv_check_item(const cv_batch *b, cv_str item_type, cv_str list, size_t index);
cv_spot cv_check_member(cv_spot at, const char *member);
cv_spot cv_check_in_list(cv_spot at, const char *list, size_t index);
cv_spot cv_check_draft(const cv_batch *b, const cv_draft *draft);
cv_spot cv_check_update(const cv_batch *b, const cv_draft_update *update);

typedef struct {
    const cv_draft_ref *ref;
    const cv_draft *draft; /* its source; NULL: a link */
    const cv_draft_link *link;
    size_t index;
} cv_any_ref;

cv_spot cv_check_ref(const cv_batch *b, const cv_any_ref *any);
void cv_check_each_ref(cv_batch *b, void (*visit)(cv_batch *b, const cv_any_ref *any));

/* The first two steps of check.c. */
void cv_check_words(cv_batch *b);
void cv_check_consistency(cv_batch *b);

#endif
