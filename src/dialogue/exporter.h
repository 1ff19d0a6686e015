/* exporter.h - one export on its way: what its parts share.
 *
 *     state     what is small: the dialogue, experts, panels, rounds, scores, moves, verdicts
 *     graph     what connects entities, packed: local ids, references, events          (export_graph.c)
 *     stream    what is long: responses and contents, seen once and written at once    (export_rounds.c, _entities.c)
 *
 * Three readings, each of other rows, at one rev: if the dialogue moves on in between, the export begins anew. Contents
 * are never all in memory; the graph takes about a hundred bytes per entity, most of it for its events.
 */
#ifndef CV_DIALOGUE_EXPORTER_H
#define CV_DIALOGUE_EXPORTER_H

#include "base/limits.h"
#include "dialogue/notice.h"
#include "dialogue/place.h"
#include "dialogue/state.h"

/* Whatever else than a place (place.h) an id or a word can be is a text of the graph, numbered from CV_PLACES on. */
#define CV_NO_NAME CV_NO_PLACE

typedef uint32_t cv_name; /* a place, CV_PLACES + a text, or CV_NO_NAME */

typedef struct {
    cv_name source, target; /* a place each, or a text like @muffin */
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

/* Numbers 0 … n-1 in groups, each group in its old order: group g is order[starts[g]] … order[starts[g + 1] - 1]. */
typedef struct {
    uint32_t *starts, *order;
} cv_groups;

typedef struct {
    cv_str text;
    uint16_t *experts; /* of a list of actors: who of them takes part in the dialogue */
    size_t expert_count;
} cv_graph_text;

typedef struct {
    CV_STATE_LIST(cv_link) links;
    CV_STATE_LIST(cv_happening) events;
    CV_STATE_LIST(cv_local) locals;
    CV_STATE_LIST(cv_graph_text) texts;
    cv_map text_at;
    const cv_rec_expert **experts; /* by slug */
    size_t expert_count;
    cv_groups links_from;     /* links by place of the source; the last group: sources that are no entities */
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

typedef struct {
    cv_call *call;
    cv_state s;
    cv_graph g;
    cv_notices warnings;
    cv_json_writer w;
    size_t counts[CV_KIND_COUNT];
    int64_t open_tensions[CV_MAX_ROUND + 1], new_perspectives[CV_MAX_ROUND + 1]; /* by round */
    size_t unsourced; /* entities that no response vouches for */
    size_t waiting;   /* responses of rounds that are not registered */
    size_t round_at;  /* export_rounds.c: the round that is being written */
    size_t expert_at; /*   and the next of its experts */
    bool round_open;
    int section;                /* export_entities.c: kinds that have been begun */
    CV_STATE_LIST(cv_name) ids; /*   and ids collected for one list */
} cv_export;

/* ---- export_graph.c ---- */
bool cv_graph_load(cv_export *x, cv_position *ret_position, cv_err *err);
cv_str cv_name_text(const cv_graph *g, cv_name name, char id[6]); /* `id` is used when the name is a place */
int cv_expert_index(const cv_graph *g, cv_str slug);              /* -1: none */

/* ---- export_head.c: everything short ---- */
void cv_export_head(cv_export *x);
void cv_export_tail(cv_export *x);
void cv_export_key_text(cv_export *x, const char *key, cv_str text); /* null when absent */
void cv_export_key_int(cv_export *x, const char *key, int64_t value);
void cv_export_line(cv_export *x, bool one); /* from here on: everything on one line, or not */

/* ---- export_rounds.c ---- */
void cv_export_rounds_begin(cv_export *x);
void cv_export_response(cv_export *x, const cv_rec_response *response);
void cv_export_rounds_end(cv_export *x);
int64_t cv_export_score(const cv_export *x, int64_t round, cv_str slug); /* CV_ABSENT: none */

/* ---- export_dynamics.c ---- */
void cv_export_dynamics(cv_export *x);
void cv_export_round_dynamics(cv_export *x, int64_t round);

/* ---- export_entities.c ---- */
void cv_export_entity(cv_export *x, const cv_rec_entity *entity);
void cv_export_entities_end(cv_export *x);
void cv_export_reference(cv_export *x, const cv_link *link, bool with_source);

/* ---- export_warnings.c ---- */
void cv_export_warn_entity(cv_export *x, const cv_rec_entity *entity, cv_str id);
void cv_export_warn_rest(cv_export *x);

#endif
