/* pace.h - how a dialogue moved, round by round: folded from its events in one pass.
 *
 *     T0001   created (round 0)   addressed (1)   resolved (3)      open, addressed, addressed, resolved …
 *
 * What an event says holds from its round on, over everything that was said before it: a verdict about round 1 that is
 * registered after round 2 decides both. So each tension is a staircase of statuses over the rounds; an event cuts off
 * the steps from its round on and puts one in their place. Every step is put once and cut at most once, whatever the
 * order of the rounds.
 *
 * The caller passes events in their order, one by one; they need not be kept.
 */
#ifndef CV_DIALOGUE_PACE_H
#define CV_DIALOGUE_PACE_H

#include "base/arena.h"
#include "base/limits.h"
#include "dialogue/place.h"

typedef struct {
    uint32_t below; /* the step it is on, plus one; 0: none */
    uint8_t round, status;
} cv_pace_step;

typedef struct {
    int64_t open_tensions; /* once the round was registered */
    int64_t new_perspectives;
    int64_t tensions[CV_STATUS_COUNT]; /* by status; until the end: how many more than before */
    uint32_t *top; /* per tension that it raised: its last step, plus one; NULL: no event was passed */
} cv_pace_round;

typedef struct {
    cv_arena *arena;
    struct {
        cv_pace_round *items;
        size_t count, capacity;
    } rounds; /* up to the last round of an event; from the end on one more: how it stays afterwards */
    struct {
        cv_pace_step *items;
        size_t count, capacity;
    } steps;
} cv_pace;

void cv_pace_begin(cv_pace *t, cv_arena *a);

/* An event about an entity; those that belong to no round and those that say nothing about the pace are skipped.
 */
void cv_pace_tell(cv_pace *t, uint32_t place, cv_str event_type, int64_t round);

/* Now the numbers are final. */
void cv_pace_end(cv_pace *t);

/* All tensions there were then, whatever their status. */
size_t cv_pace_tensions(const cv_pace_round *round);

/* Any round from 0 on. */
static inline const cv_pace_round *cv_pace_at(const cv_pace *t, int64_t round)
{
    size_t last = t->rounds.count - 1;
    return &t->rounds.items[(size_t)round < last ? (size_t)round : last];
}

static inline int64_t cv_pace_velocity(const cv_pace_round *round)
{
    return round->open_tensions + round->new_perspectives;
}

#endif
