/* graph.h - what connects the entities of a dialogue, packed: references, events, local ids.
 *
 *     P0101  --refine-->  P0001         a link, found from both ends
 *     T0001  addressed, resolved, …     events, by subject and by round
 *     MUFFIN-P0101  is  P0101           local ids, by round and expert
 *
 * For code that writes a whole dialogue at once. An id is a place (place.h), words and lists that come again and again
 * are one text each: about a hundred bytes per entity, most of it for its events.
 */
#ifndef CV_DIALOGUE_GRAPH_H
#define CV_DIALOGUE_GRAPH_H

#include "base/groups.h"
#include "dialogue/pace.h"
#include "dialogue/place.h"
#include "dialogue/state.h"
#include "dialogue/words/limits.h"

/* Whatever else than a place (place.h) an id or a word can be is a text of the graph, numbered from CV_PLACES on. */
#define CV_NO_NAME CV_NO_PLACE

typedef uint32_t cv_name; /* a place, CV_PLACES + a text, or CV_NO_NAME */

typedef struct {
    cv_name source, target; /* a place each, or a text like @muffin */
    cv_name reason;         /* a text */
    int32_t position;
    uint8_t type; /* cv_ref */
    uint8_t round;
} cv_link;

typedef struct {
    cv_name subject;                                       /* a place */
    cv_name type, actors, result, reference, reason, data; /* data: the old values of a correction */
    uint8_t round;                                         /* above CV_MAX_ROUND: none */
} cv_happening;

typedef struct {
    cv_str local_id;
    uint16_t place;
    uint16_t expert; /* index into the experts in the order of their slugs */
    uint8_t round;
} cv_local;

typedef struct {
    cv_str text;
    uint16_t *experts; /* of a list of actors: who of them takes part in the dialogue */
    size_t expert_count;
} cv_graph_text;

typedef struct {
    cv_arena *arena;
    CV_STATE_LIST(cv_link) links;
    CV_STATE_LIST(cv_happening) events;
    CV_STATE_LIST(cv_local) locals;
    CV_STATE_LIST(cv_graph_text) texts;
    cv_map text_at;
    const cv_rec_expert **experts; /* by slug */
    size_t expert_count;
    cv_groups links_from;     /* links by place of the source; the last group: sources that are not entities */
    cv_groups links_to;       /* links by place of the target; the last group: the rest */
    cv_groups events_of;      /* events by subject */
    cv_groups events_in;      /* events by round */
    cv_groups locals_of;      /* local ids by round and expert */
    uint8_t marks[CV_PLACES]; /* what else is known about a place */
} cv_graph;

enum {
    CV_MARK_REFINES = 1, /* it came to be by refining or amending another */
    CV_MARK_SOURCED = 2, /* it was found in an expert's response */
};

/* Reads it from the store; `s` has at least the experts, and outlives the graph. The position says at which rev. */
bool cv_graph_load(cv_call *call, const cv_state *s, cv_graph *ret_graph, cv_position *ret_position, cv_err *err);

cv_str cv_name_text(const cv_graph *g, cv_name name, char id[6]); /* `id` is used when the name is a place */
int cv_expert_index(const cv_graph *g, cv_str slug);              /* -1: none */

/* How each round moved. */
void cv_graph_pace(const cv_graph *g, cv_pace *ret_pace);

#endif
