/* mention.h - is a mark meant, or does its sentence only speak about it?
 *
 *     [MOVE:CONVERGE]                                     meant: nothing else is in its sentence
 *     - **Moves**: [MOVE:CONVERGE] - all is said          meant: a name before it, a reason behind it
 *     [RE:SUPPORT P0001] because it is cheap              meant
 *     It is cheap. [RE:SUPPORT P0001]                     meant: the sentence before it has ended
 *     Rye keeps longer ([RE:SUPPORT P0001]).              meant: a citation at the end of a sentence
 *     I signal [MOVE:CONVERGE].                           meant: the sentence says so
 *     I will not say [MOVE:CONVERGE] before the audit.    spoken of
 *     [MOVE:CONCEDE P0001] would be wrong.                spoken of: it is a part of the sentence
 *     [MOVE:CONVERGE: not yet]                            spoken of: it is taken back
 *     ~~[MOVE:CONVERGE]~~, - [ ] [MOVE:CONVERGE]          spoken of: struck out, not ticked
 *     Donut: [MOVE:CONVERGE]                              spoken of: somebody else says it
 *
 * What is in doubt is spoken of: a signal that nobody gave is worse than one that has to be given again. Pure.
 */
#ifndef CV_DIALOGUE_INTAKE_MENTION_H
#define CV_DIALOGUE_INTAKE_MENTION_H

#include "dialogue/intake/spelling.h"

/* A mark in its text. */
typedef struct {
    const cv_speaker *who; /* whose text it is */
    cv_mark_type type;
    cv_str label, body;
    size_t start, end;
    size_t line_start; /* nothing before this byte belongs to its line */
    bool hidden;       /* it is in a comment */
    size_t before;     /* the end of the mark that is before it; 0: there is none */
    bool is_mention;   /* … is only mentioned: of marks in a row all are what the first one is */
} cv_mark_place;

bool cv_is_mention(cv_str text, const cv_mark_place *place);

/* "none", "N/A": there is nothing to say. */
bool cv_says_none(cv_str text);

#endif
