/* tally.h - ids by expert, for warnings that name both: who, in the order in which they came up, and what. */
#ifndef CV_DIALOGUE_REGISTER_TALLY_H
#define CV_DIALOGUE_REGISTER_TALLY_H

#include "dialogue/state.h"

typedef struct {
    cv_str expert;
    CV_STATE_LIST(cv_str) ids;
} cv_tally_row;

typedef struct {
    CV_STATE_LIST(cv_tally_row) rows;
    cv_map at; /* expert -> index + 1 */
} cv_tally;

static inline void cv_tally_add(cv_arena *a, cv_tally *tally, cv_str expert, cv_str id)
{
    uintptr_t *place = cv_map_put(&tally->at, a, expert, NULL);
    if (*place == 0) {
        *CV_PUSH(a, &tally->rows) = (cv_tally_row){.expert = expert};
        *place = tally->rows.count;
    }
    *CV_PUSH(a, &tally->rows.items[*place - 1].ids) = id;
}

#endif
