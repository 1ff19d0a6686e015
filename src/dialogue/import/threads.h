/* threads.h - what the numbers in a script mean: whose T01 it is.
 *
 *     | T01 | Space | Muffin | R0 | Resolved |     muffin's tension of round 0, whatever it is called there
 *     | T01 | Space | Resolved |                   the one that is called so; else the one with this number, if only
 *                                                  one expert uses it
 *     [RESOLVED T01: …]                            the writer's own latest open T01; else the tracker's; else the one
 *                                                  with this number
 *
 * A number that two experts use says nothing of itself; the others do. A tension that only a tracker knows is
 * registered with the judge's id, in the round in which it was raised. Several rows may be about one tension: each says
 * how it was at its time.
 */
#ifndef CV_DIALOGUE_IMPORT_THREADS_H
#define CV_DIALOGUE_IMPORT_THREADS_H

#include "dialogue/import/script.h"
#include "dialogue/words/limits.h"

/* A row of a tracker and the tension that it is about. */
typedef struct {
    const cv_tracked_row *from;
    cv_str local_id;
    int raised, closed; /* rounds */
    bool by_judge;      /* it makes the tension: nobody else has it */
    bool rules;         /* its status is given to the tension: no better row says another one */
    bool given;         /* … and was */
} cv_thread;

/* An item that an expert marked. */
typedef struct {
    cv_str written, local_id; /* written: its id in its one spelling */
    cv_str label;             /* as a key */
    size_t participant;
    int round;
    cv_kind kind;
    cv_id_form form;
} cv_numbered;

typedef struct {
    CV_STATE_LIST(cv_thread) threads;
    CV_STATE_LIST(cv_numbered) items;
    cv_map users;  /* a short id -> the participant who uses it, plus one; SIZE_MAX: several */
    cv_map called; /* an id of a tracker -> the one tension that has it, a const cv_str *; NULL: several */
    bool in_full[CV_MAX_ROUND + 1]; /* the round's items are written as they are registered: [P0102: …] (muffin) */
} cv_threads;

void cv_threads_find(cv_script *s, cv_threads *ret_threads);

/* The names that hold in a round, as cv_extract_files takes them; `state` is the dialogue before the round. */
void cv_threads_names(const cv_threads *threads, const cv_script *s, const cv_state *state, int round,
                      cv_map *ret_names);

#endif
