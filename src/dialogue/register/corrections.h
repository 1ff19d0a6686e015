/* corrections.h - what an update changes: the request as drafts, and the rows that it works on. */
#ifndef CV_DIALOGUE_REGISTER_CORRECTIONS_H
#define CV_DIALOGUE_REGISTER_CORRECTIONS_H

#include "dialogue/register/batch.h"

typedef struct {
    cv_target target, via;
    cv_str status_word, label, content, reason;
    int status; /* a cv_status of the target's kind, or -1 */
    cv_people by;
} cv_edit;

typedef struct {
    int64_t round;
    cv_str expert; /* absent: the round's own score */
    int64_t score;
    cv_components components;
    cv_str reason;
} cv_score_edit;

typedef struct {
    int64_t round;
    cv_str title, summary, reason;
} cv_text_edit;

/* The rows that corrections change one after the other, copied from the state. */
typedef struct {
    cv_batch ids; /* no drafts: it resolves what is named */
    cv_state state;
    CV_STATE_LIST(cv_edit) edits;
    CV_STATE_LIST(cv_score_edit) scores;
    CV_STATE_LIST(cv_text_edit) texts;
    cv_rec_dialogue dialogue;
    cv_rec_round *rounds;
    cv_rec_expert *experts;
    cv_map score_at; /* "0/muffin" -> cv_rec_score * */
    cv_notices warnings;
    /* for the answer */
    CV_STATE_LIST(cv_str) updated; /* entities */
    cv_changes changes;
    size_t corrections;
} cv_update;

/* The score of an expert in a round; a new row without a score when there is none. */
cv_rec_score *cv_update_score(cv_update *u, int64_t round, cv_str expert);

/* Puts sound corrections into the journal, old values into the events. */
void cv_update_enter(cv_update *u, cv_journal *j);

#endif
