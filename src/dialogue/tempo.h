/* tempo.h - how a dialogue moved, round by round: folded from its events in one pass.
 *
 *     T0001   created (round 0)   addressed (1)   resolved (3)      open, addressed, addressed, resolved …
 *
 * What an event says holds from its round on, over everything that was said before it: a verdict about round 1 that is
 * registered after round 2 decides both. So each tension is a staircase of statuses over the rounds; an event cuts off
 * the steps from its round on and puts one in their place. Every step is put once and cut at most once, whatever the
 * order of the rounds.
 *
 * Events are told in their order, one by one, and need not be kept.
 */
#ifndef CV_DIALOGUE_TEMPO_H
#define CV_DIALOGUE_TEMPO_H

#include "base/arena.h"
#include "base/limits.h"
#include "dialogue/place.h"

typedef struct {
    uint32_t below; /* the step it stands on, plus one; 0: none */
    uint8_t round, status;
} cv_tempo_step;

typedef struct {
    int64_t open_tensions[CV_MAX_ROUND + 1]; /* once the round was registered */
    int64_t new_perspectives[CV_MAX_ROUND + 1];
    int64_t tensions[CV_MAX_ROUND + 1][CV_STATUS_COUNT]; /* by status; until the end: how many more than before */

    cv_arena *arena;
    uint32_t *top; /* per tension: its last step, plus one */
    struct {
        cv_tempo_step *items;
        size_t count, capacity;
    } steps;
} cv_tempo;

void cv_tempo_begin(cv_tempo *t, cv_arena *a);

/* An event about an entity; those that belong to no round and those that say nothing about the tempo are passed over.
 */
void cv_tempo_tell(cv_tempo *t, uint32_t place, cv_str event_type, int64_t round);

/* Now the numbers stand. */
void cv_tempo_end(cv_tempo *t);

/* All tensions there were then, whatever their status. */
size_t cv_tempo_tensions(const cv_tempo *t, int64_t round);

static inline int64_t cv_tempo_velocity(const cv_tempo *t, int64_t round)
{
    return t->open_tensions[round] + t->new_perspectives[round];
}

#endif
