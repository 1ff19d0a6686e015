/* slow.h - where a dialogue stood after each round, recomputed in the most obvious way: for every tension and round all
 * events are looked at again. What the program folds in one pass must agree with it.
 */
#ifndef CV_TEST_SLOW_H
#define CV_TEST_SLOW_H

#include "testing.h"

#include "dialogue/state.h"

/* The status of an entity once `round` was registered, an absent view when it was not there yet. */
static inline cv_str cv_slow_status(cv_arena *a, const cv_state *s, const cv_rec_entity *entity, int64_t round)
{
    cv_str id = cv_entity_id(a, entity), status = {NULL, 0};
    for (size_t i = 0; i < s->events.count; i++) {
        const cv_rec_event *event = &s->events.items[i];
        if (!cv_str_eq(event->subject_id, id) || event->step < 0 || event->step > round)
            continue;
        if (cv_str_eq(event->event_type, CV_STR("created")))
            status = CV_STR("open");
        else if (cv_str_find(CV_STR(" open addressed resolved reopened accepted "),
                             cv_arena_printf(a, " %.*s ", CV_FMT(event->event_type))) != SIZE_MAX)
            status = event->event_type;
    }
    return status;
}

/* Tensions that had one of these statuses (words with blanks around each). */
static inline int64_t cv_slow_tensions(cv_arena *a, const cv_state *s, int64_t round, const char *statuses)
{
    int64_t count = 0;
    for (size_t i = 0; i < s->entities.count; i++) {
        if (s->entities.items[i].kind.p[0] != 'T')
            continue;
        cv_str status = cv_slow_status(a, s, &s->entities.items[i], round);
        count += status.p && cv_str_find(cv_str_of(statuses), cv_arena_printf(a, " %.*s ", CV_FMT(status))) != SIZE_MAX;
    }
    return count;
}

static inline int64_t cv_slow_open(cv_arena *a, const cv_state *s, int64_t round)
{
    return cv_slow_tensions(a, s, round, " open addressed reopened ");
}

static inline int64_t cv_slow_perspectives(const cv_state *s, int64_t round)
{
    int64_t count = 0;
    for (size_t i = 0; i < s->entities.count; i++)
        count += s->entities.items[i].kind.p[0] == 'P' && s->entities.items[i].round == round;
    return count;
}

static inline int64_t cv_slow_velocity(cv_arena *a, const cv_state *s, int64_t round)
{
    return cv_slow_open(a, s, round) + cv_slow_perspectives(s, round);
}

#endif
