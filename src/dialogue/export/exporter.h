/* exporter.h - one export on its way: what its parts share.
 *
 *     state     what is small: the dialogue, experts, panels, rounds, scores, moves, verdicts
 *     graph     what connects entities, packed: local ids, references, events          (graph.h)
 *     stream    what is long: responses and contents, seen once and written at once    (export_rounds.c, _entities.c)
 *
 * Three readings, each of other rows, at one rev: if the dialogue moves on in between, the export begins again.
 * Contents are never all in memory; the graph takes about a hundred bytes per entity, most of it for its events.
 */
#ifndef CV_DIALOGUE_EXPORT_EXPORTER_H
#define CV_DIALOGUE_EXPORT_EXPORTER_H

#include "base/limits.h"
#include "dialogue/graph.h"
#include "dialogue/notices.h"

typedef struct {
    cv_call *call;
    cv_state s;
    cv_graph g;
    cv_notices warnings;
    cv_json_writer w;
    size_t counts[CV_KIND_COUNT];
    cv_pace pace;
    size_t unsourced; /* entities that no response covers */
    size_t waiting;   /* responses of rounds that are not registered */
    size_t round_at;  /* export_rounds.c: the round that is being written */
    size_t expert_at; /*   and the next of its experts */
    bool round_open;
    int section;                /* export_entities.c: kinds that have been begun */
    CV_STATE_LIST(cv_name) ids; /*   and ids collected for one list */
} cv_export;

/* ---- export_head.c: everything short ---- */
void cv_export_head(cv_export *x);
void cv_export_tail(cv_export *x);
void cv_export_key_text(cv_export *x, const char *key, cv_str text); /* null when absent */
void cv_export_key_int(cv_export *x, const char *key, int64_t value);
void cv_export_key_list(cv_export *x, const char *key, cv_str json); /* empty when absent */
void cv_export_line(cv_export *x, bool one);                         /* from here on: everything on one line, or not */

/* ---- export_rounds.c ---- */
void cv_export_rounds_begin(cv_export *x);
void cv_export_response(cv_export *x, const cv_rec_response *response);
void cv_export_rounds_end(cv_export *x);
int64_t cv_export_score(const cv_export *x, int64_t round, cv_str slug); /* CV_ABSENT: none */

/* ---- export_entities.c ---- */
void cv_export_entity(cv_export *x, const cv_rec_entity *entity);
void cv_export_entities_end(cv_export *x);
void cv_export_reference(cv_export *x, const cv_link *link, bool with_source);

/* ---- export_record.c: the state of the record, and its rows unless the export is plain ---- */
bool cv_export_record(cv_export *x, bool plain, cv_position *ret_position, cv_err *err);

/* ---- export_warnings.c ---- */
void cv_export_warn_entity(cv_export *x, const cv_rec_entity *entity, cv_str id);
void cv_export_warn_rest(cv_export *x);

/* The first member of every export, "format": what it is, by which our files are known, and its version. */
extern const cv_str cv_export_format;

#endif
