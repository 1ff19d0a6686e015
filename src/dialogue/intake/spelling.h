/* spelling.h - what somebody meant who wrote nearly a mark.
 *
 *     written                              meant
 *     [sam-p0001: Cheap]                   [SAM-P0001: Cheap]
 *     [JÜRGEN-P0001: Cheap]                [JUERGEN-P0001: Cheap], where juergen is an expert
 *     [KIM-PERSPECTIVE-1: Cheap]           [KIM-P0101: Cheap] in round 1
 *     [PERSPECTVE #1: Cheap]               [PERSPECTIVE P01: Cheap]
 *     [SUPPORT P0001]  [RE-SUPPORT p1]     [RE:SUPPORT P0001]  [RE:SUPPORT P01]
 *     MOVE: CHALLENGE P0001 vs. T0002      [MOVE:CHALLENGE P0001, T0002]
 *
 * The beginning of the mark is read letter by letter without regard to case, kinds of dashes, blanks and brackets,
 * marks on letters and emphasis; what it means comes from the tables of words and the dialogue's experts. What the
 * text's own reader (text/mark.h) understands is left to it. Labels are never touched. At most CV_MAX_HEAD bytes are
 * looked at, so a line of openers stays linear.
 */
#ifndef CV_DIALOGUE_INTAKE_SPELLING_H
#define CV_DIALOGUE_INTAKE_SPELLING_H

#include "dialogue/state.h"
#include "dialogue/text/mark.h"

/* Whose text is read. */
typedef struct {
    cv_arena *a;
    const cv_state *s;
    cv_str expert;
    int round;
} cv_speaker;

typedef struct {
    cv_mark_type type;
    cv_str head;    /* as it should be, without brackets: "MUFFIN-P0101", "RE:SUPPORT P0001, T0002" */
    cv_str id;      /* its local id in full, or empty */
    bool own;       /* … is one that this expert may give in this round */
    bool numbered;  /* an entity with a number or an id */
    size_t targets; /* how many ids it is about */
    bool reversed;  /* the id was before the word */
    bool colon;     /* a colon or a dash follows */
    size_t rest;    /* where its label begins in the text */
} cv_head;

/* The head of a mark at the beginning of `s`: what is behind the bracket, or at the beginning of a line. */
bool cv_head_read(const cv_speaker *who, cv_str s, cv_head *ret_head);

/* The bracket of any kind that `s` begins with: its length and where the one that closes it is (SIZE_MAX: nowhere
 * in `s`); 0: there is none. */
size_t cv_bracket_at(cv_str s, size_t *ret_close, size_t *ret_close_length);

#endif
