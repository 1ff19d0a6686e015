/* pace.c - how a dialogue moved; see pace.h. */
#include "dialogue/pace.h"

#include "dialogue/state.h"
#include "dialogue/words/limits.h"

void cv_pace_begin(cv_pace *t, cv_arena *a)
{
    *t = (cv_pace){.arena = a};
}

static cv_pace_round *reach(cv_pace *t, size_t round)
{
    while (t->rounds.count <= round)
        *CV_PUSH(t->arena, &t->rounds) = (cv_pace_round){0};
    return &t->rounds.items[round];
}

/* The tension changes at this step from the status below it; `sign` -1 takes that back. */
static void count_step(cv_pace *t, const cv_pace_step *step, int sign)
{
    int64_t *change = reach(t, step->round)->tensions;
    change[step->status] += sign;
    if (step->below)
        change[t->steps.items[step->below - 1].status] -= sign;
}

static void put_step(cv_pace *t, uint32_t *top, uint8_t round, uint8_t status)
{
    while (*top && t->steps.items[*top - 1].round >= round) {
        count_step(t, &t->steps.items[*top - 1], -1);
        *top = t->steps.items[*top - 1].below;
    }
    cv_pace_step *step = CV_PUSH(t->arena, &t->steps);
    *step = (cv_pace_step){*top, round, status};
    *top = (uint32_t)t->steps.count;
    count_step(t, step, 1);
}

void cv_pace_tell(cv_pace *t, uint32_t place, cv_str event_type, int64_t round)
{
    if (place >= CV_PLACES || round < 0 || round > CV_MAX_ROUND)
        return;
    bool created = cv_str_eq(event_type, cv_event_words.items[CV_EVENT_CREATED]);
    uint32_t number = place % CV_PLACES_PER_KIND;
    cv_kind kind = cv_place_kind(place);
    if (kind == CV_KIND_PERSPECTIVE && created)
        reach(t, number / 100)->new_perspectives++;
    if (kind != CV_KIND_TENSION)
        return;
    int status = created ? (int)cv_status_first(kind) : cv_status_find(kind, event_type);
    if (status < 0)
        return;
    cv_pace_round *raised = reach(t, number / 100);
    if (!raised->top)
        raised->top = CV_NEW_ARRAY(t->arena, CV_MAX_SEQ + 1, uint32_t);
    put_step(t, &raised->top[number % 100], (uint8_t)round, (uint8_t)status);
}

void cv_pace_end(cv_pace *t)
{
    int64_t now[CV_STATUS_COUNT] = {0};
    reach(t, t->rounds.count);
    for (size_t i = 0; i < t->rounds.count; i++) {
        cv_pace_round *round = &t->rounds.items[i];
        for (int status = 0; status < CV_STATUS_COUNT; status++) {
            now[status] += round->tensions[status];
            round->tensions[status] = now[status];
            if (cv_tension_status_is_open((cv_status)status))
                round->open_tensions += now[status];
        }
    }
}

size_t cv_pace_tensions(const cv_pace_round *round)
{
    int64_t sum = 0;
    for (int status = 0; status < CV_STATUS_COUNT; status++)
        sum += round->tensions[status];
    return (size_t)sum;
}
