/* tempo.c - how a dialogue moved; see tempo.h. */
#include "dialogue/tempo.h"

#include "dialogue/state.h"

void cv_tempo_begin(cv_tempo *t, cv_arena *a)
{
    *t = (cv_tempo){.arena = a, .top = CV_NEW_ARRAY(a, CV_PLACES_PER_KIND, uint32_t)};
}

/* The tension changes at this step from the status below it; `sign` -1 takes that back. */
static void count_step(cv_tempo *t, const cv_tempo_step *step, int sign)
{
    int64_t *change = t->tensions[step->round];
    change[step->status] += sign;
    if (step->below)
        change[t->steps.items[step->below - 1].status] -= sign;
}

static void put_step(cv_tempo *t, uint32_t *top, uint8_t round, uint8_t status)
{
    while (*top && t->steps.items[*top - 1].round >= round) {
        count_step(t, &t->steps.items[*top - 1], -1);
        *top = t->steps.items[*top - 1].below;
    }
    cv_tempo_step *step = CV_PUSH(t->arena, &t->steps);
    *step = (cv_tempo_step){*top, round, status};
    *top = (uint32_t)t->steps.count;
    count_step(t, step, 1);
}

void cv_tempo_tell(cv_tempo *t, uint32_t place, cv_str event_type, int64_t round)
{
    if (place >= CV_PLACES || round < 0 || round > CV_MAX_ROUND)
        return;
    bool created = cv_str_eq(event_type, cv_event_words.items[CV_EVENT_CREATED]);
    uint32_t number = place % CV_PLACES_PER_KIND;
    cv_kind kind = cv_place_kind(place);
    if (kind == CV_KIND_PERSPECTIVE)
        t->new_perspectives[number / 100] += created;
    if (kind != CV_KIND_TENSION)
        return;
    int status = created ? (int)cv_status_first(kind) : cv_status_find(kind, event_type);
    if (status >= 0)
        put_step(t, &t->top[number], (uint8_t)round, (uint8_t)status);
}

void cv_tempo_end(cv_tempo *t)
{
    int64_t now[CV_STATUS_COUNT] = {0};
    for (int round = 0; round <= CV_MAX_ROUND; round++)
        for (int status = 0; status < CV_STATUS_COUNT; status++) {
            now[status] += t->tensions[round][status];
            t->tensions[round][status] = now[status];
            if (cv_tension_status_is_open((cv_status)status))
                t->open_tensions[round] += now[status];
        }
}

size_t cv_tempo_tensions(const cv_tempo *t, int64_t round)
{
    int64_t sum = 0;
    for (int status = 0; status < CV_STATUS_COUNT; status++)
        sum += t->tensions[round][status];
    return (size_t)sum;
}
