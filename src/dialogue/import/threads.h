/* threads.h - what the numbers in a script mean: whose T01 it is.
 *
 *     every expert begins at T01       the numbers say little: T01 of a tracker is the tension that the tracker says,
 * by its agent or label, or one of the judge's own the document numbers through     T01 is the one tension that has it,
 * whoever speaks of it
 *
 * A tension that only the tracker knows is registered as the judge's, in the round in which it was raised. Later rounds
 * mean the tracker's tensions with their short ids, when a tracker numbers through; the round that raised one does not
 * yet.
 */
#ifndef CV_DIALOGUE_IMPORT_THREADS_H
#define CV_DIALOGUE_IMPORT_THREADS_H

#include "dialogue/import/script.h"
#include "dialogue/words/limits.h"

typedef struct {
    const cv_tracked_row *from;
    cv_str local_id;
    int raised, closed; /* rounds */
    bool by_judge;      /* nobody but the tracker has it */
} cv_thread;

typedef struct {
    cv_str written;
    cv_str meant; /* a local id */
    int since;    /* the first round that may mean it */
} cv_alias;

typedef struct {
    CV_STATE_LIST(cv_thread) threads;
    CV_STATE_LIST(cv_alias) aliases;
    bool in_full[CV_MAX_ROUND + 1]; /* the round's items are written as they are registered: [P0102: …] (muffin) */
} cv_threads;

void cv_threads_find(cv_script *s, cv_threads *ret_threads);

/* The names that hold in a round, as cv_hear takes them. */
void cv_threads_names(const cv_threads *threads, cv_arena *a, int round, cv_map *ret_names);

#endif
