/* relevance.h - which of the things said so far concern an expert who is new.
 *
 *     reason "T0003 requires geopolitics"     -> T0003, what refers to it, what it refers to
 *     else role and focus against labels      -> items whose label shares a word with them
 *     else                                    -> the open tensions
 *
 * A fixed rule, so that the same record gives the same brief.
 */
#ifndef CV_DIALOGUE_BRIEF_RELEVANCE_H
#define CV_DIALOGUE_BRIEF_RELEVANCE_H

#include "dialogue/brief/view.h"

typedef enum { CV_RELEVANT_NAMED, CV_RELEVANT_BY_WORDS, CV_RELEVANT_OPEN } cv_relevant_why;

typedef struct {
    cv_relevant_why why;
    CV_STATE_LIST(uint32_t) subjects; /* what the expert is here for; tensions first */
    CV_STATE_LIST(uint32_t) related;  /* what else was said about it, in the order of the items */
} cv_relevance;

void cv_relevance_find(const cv_view *v, const cv_view_member *member, cv_relevance *ret_relevance);

#endif
