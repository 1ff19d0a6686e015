/* graph_tempo.c - how each round moved, from the packed events; see graph.h.
 *
 * The events of a round are applied after those of earlier rounds, and an event that a later one has overtaken is
 * passed over.
 */
#include "dialogue/graph.h"

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

static void count_open(const cv_graph *g, cv_tempo *tempo)
{
    const uint32_t first = CV_KIND_TENSION * CV_PLACES_PER_KIND;
    uint32_t *last = CV_NEW_ARRAY(g->arena, CV_PLACES_PER_KIND, uint32_t); /* event + 1 that decided */
    uint8_t *open = CV_NEW_ARRAY(g->arena, CV_PLACES_PER_KIND, uint8_t);
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
        tempo->open_tensions[round] = count;
    }
}

void cv_graph_tempo(const cv_graph *g, cv_tempo *ret_tempo)
{
    const uint32_t *starts = g->events_of.starts + CV_KIND_PERSPECTIVE * CV_PLACES_PER_KIND;
    *ret_tempo = (cv_tempo){0};
    for (uint32_t place = 0; place < CV_PLACES_PER_KIND; place++)
        if (starts[place] < starts[place + 1])
            ret_tempo->new_perspectives[place / 100]++;
    count_open(g, ret_tempo);
}
