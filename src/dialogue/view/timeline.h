/* timeline.h - events as people read them: what happened when, who did it, what changed, by what.
 *
 *     #41  2026-02-02 10:07:00  round 2  T0002 resolved -> reopened, by cupcake, muffin, via P0201
 *
 * A moment is an event with the status before and after it; events are passed in their order, from the first one on,
 * because a status is what all events before have made of it.
 */
#ifndef CV_DIALOGUE_TIMELINE_H
#define CV_DIALOGUE_TIMELINE_H

#include "dialogue/place.h"
#include "dialogue/state.h"
#include "kit/shape.h"

typedef struct {
    cv_rec_event event;
    cv_str from, to; /* the subject's statuses; the first event has no `from`, subjects without statuses have neither */
    /* What answers tell besides, of a complete one: */
    cv_str id;                     /* of the subject, as it is cited */
    cv_str old_status, new_status; /* when it changed */
    cv_str expert, old;            /* a correction: whose score it was, and the old values as JSON */
    cv_str data;                   /* other data as it was noted */
} cv_moment;

typedef struct {
    uint8_t statuses[CV_PLACES]; /* of all subjects so far (place.h) */
} cv_timeline;

/* What the next event makes of its subject. */
cv_moment cv_timeline_next(cv_timeline *line, const cv_rec_event *event);

void cv_moment_complete(cv_arena *a, cv_moment *moment);
extern const cv_shape cv_moment_shape[];

/* The moment in words, without number and time: "resolved -> reopened, by cupcake, via P0201". */
void cv_moment_tell(cv_buf *out, cv_arena *a, const cv_moment *moment);

/* A text on one line, without control characters. */
void cv_tell_text(cv_buf *out, cv_arena *a, cv_str text);

/* "a, b" of a JSON list of texts. */
void cv_tell_list(cv_buf *out, cv_arena *a, cv_str json);

#endif
