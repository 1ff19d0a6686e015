/* export_dynamics.c - how each round moved, from the packed events; see exporter.h.
 *
 * The same numbers as dynamics.h gives for one round, for all rounds at once: the events of a round are applied after
 * those of earlier rounds, and an event that a later one has overtaken is passed over.
 */
#include "dialogue/dynamics.h"
#include "dialogue/exporter.h"

/* Is a tension open after this event? -1: the event says nothing about it. */
static int open_after(const cv_graph *g, const cv_happening *event)
{
    char unused[6];
    cv_str type = cv_name_text(g, event->type, unused);
    if (cv_str_eq(type, cv_event_words.items[CV_EVENT_CREATED]))
        return 1;
    cv_rec_entity after = {.status = type};
    return cv_status_find(CV_KIND_TENSION, type) < 0 ? -1 : cv_tension_is_open(&after);
}

static void count_open(cv_export *x)
{
    cv_graph *g = &x->g;
    const uint32_t first = CV_KIND_TENSION * CV_PLACES_PER_KIND;
    uint32_t *last = CV_NEW_ARRAY(x->call->arena, CV_PLACES_PER_KIND, uint32_t); /* event + 1 that decided */
    uint8_t *open = CV_NEW_ARRAY(x->call->arena, CV_PLACES_PER_KIND, uint8_t);
    int64_t count = 0;
    for (int round = 0; round <= CV_MAX_ROUND; round++) {
        for (uint32_t i = g->events_in.starts[round]; i < g->events_in.starts[round + 1]; i++) {
            uint32_t at = g->events_in.order[i], tension = g->events.items[at].subject - first;
            int after = tension < CV_PLACES_PER_KIND ? open_after(g, &g->events.items[at]) : -1;
            if (after < 0 || at + 1 < last[tension])
                continue;
            count += after - open[tension];
            open[tension] = (uint8_t)after;
            last[tension] = at + 1;
        }
        x->open_tensions[round] = count;
    }
}

void cv_export_dynamics(cv_export *x)
{
    const uint32_t *starts = x->g.events_of.starts + CV_KIND_PERSPECTIVE * CV_PLACES_PER_KIND;
    for (uint32_t place = 0; place < CV_PLACES_PER_KIND; place++)
        if (starts[place] < starts[place + 1])
            x->new_perspectives[place / 100]++;
    count_open(x);
}

void cv_export_round_dynamics(cv_export *x, int64_t round)
{
    int64_t open = x->open_tensions[round], fresh = x->new_perspectives[round];
    cv_json_key_int(&x->w, "velocity", open + fresh);
    cv_json_key_int(&x->w, "openTensions", open);
    cv_json_key_int(&x->w, "newPerspectives", fresh);
    cv_export_key_int(x, "scoreDelta", cv_round_score_delta(&x->s, round));
}
