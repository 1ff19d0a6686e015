/* transcript.h - a dialogue as a document that people and agents read.
 *
 *     record -> cv_transcript      the rows, who said what in which round, how tensions got their statuses
 *            -> cv_doc             title, panel, boards, inventories, rounds, verdicts
 *            -> markdown           dialogue/text/render.c; what is written is read back as the same document
 *
 * Everything is shown as it is after the last round that is shown: a status is what the events up to then made of it.
 * Entities keep their ids and are in their round with the first of their contributors; the others are named behind the
 * mark. Each round ends with the judge: the summary, interim verdicts, and which tensions the round settled or opened
 * again.
 *
 * Pure except cv_transcript_load(). The document's texts are views into the transcript.
 */
#ifndef CV_DIALOGUE_TRANSCRIPT_TRANSCRIPT_H
#define CV_DIALOGUE_TRANSCRIPT_TRANSCRIPT_H

#include "dialogue/graph.h"
#include "dialogue/text/doc.h"

/* An entity as it is shown. */
typedef struct {
    const cv_rec_entity *row;
    cv_kind kind;
    uint32_t place;
    cv_str id;       /* P0101 */
    cv_str by;       /* "muffin, cupcake" */
    cv_str faces;    /* "🧁 Muffin, 🧁 Cupcake" */
    cv_str status;   /* after the last round that is shown */
    uint32_t became; /* the event that gave it this status + 1; 0: it has its first one */
} cv_written_entity;

typedef struct {
    cv_arena *arena;
    cv_state s; /* without events, references, origins, responses: those are in the graph */
    cv_graph g;
    cv_pace pace;
    int64_t last;            /* the last round that is shown; -1: there is none */
    bool whole;              /* nothing is left out */
    const uint8_t *happened; /* by event: the round in which it took effect */
    CV_STATE_LIST(cv_written_entity) told;

    /* Speakers: the experts in their order, then the judge. */
    size_t speakers;
    const cv_str *names, *faces;     /* "Muffin", "🧁 Muffin" */
    cv_groups told_by;               /* told, by round and speaker */
    cv_groups moves_by;              /* s.moves */
    cv_groups positions_by;          /* s.positions */
    cv_groups links_by;              /* g.links whose source is an expert */
    cv_groups settled_in;            /* settled, by round */
    CV_STATE_LIST(uint32_t) settled; /* events that gave a tension its standing at the end of a round */
} cv_transcript;

/* Reads a dialogue; `round`: only up to this one, CV_ABSENT: all of it. */
bool cv_transcript_load(cv_call *call, cv_str dialogue_id, int64_t round, cv_transcript *ret_transcript, cv_err *err);

/* The group of a speaker in a round: told_by, moves_by, links_by. */
static inline size_t cv_transcript_group(const cv_transcript *t, int64_t round, size_t speaker)
{
    return (size_t)round * t->speakers + speaker;
}

/* Who has this slug; an unknown one counts as the judge, who put it on record. */
size_t cv_transcript_speaker(const cv_transcript *t, cv_str slug);

/* Is it told with the round that a tension has this status at its end, and had that one before? Addressed is nearly
 * settled: that is for the tracker to say, unless it was settled before. */
bool cv_transcript_is_standing(int status, int before);

/* ---- documents -------------------------------------------------------------------------------------------------- */

void cv_transcript_doc(cv_transcript *t, cv_doc *ret_doc);

/* Its parts as documents of their own. */
void cv_transcript_scoreboard(cv_transcript *t, cv_doc *ret_doc);
void cv_transcript_tensions(cv_transcript *t, cv_doc *ret_doc);
void cv_transcript_summary(cv_transcript *t, int64_t round, cv_doc *ret_doc);
void cv_transcript_verdicts(cv_transcript *t, cv_doc *ret_doc);

/* Every document of ours has this in its head: which state of the record it tells. */
extern const cv_str cv_transcript_record_key;

/* The heading of the section that says which texts are not those of their experts any more. */
extern const cv_str cv_transcript_corrections;

/* ---- sections, each in its file --------------------------------------------------------------------------------- */

void cv_transcript_add_boards(cv_transcript *t, cv_doc *doc);
void cv_transcript_add_perspectives(cv_transcript *t, cv_doc *doc);
void cv_transcript_add_tensions(cv_transcript *t, cv_doc *doc);
void cv_transcript_add_others(cv_transcript *t, cv_doc *doc); /* recommendations, evidence, claims */
void cv_transcript_add_round(cv_transcript *t, cv_doc *doc, const cv_rec_round *round);
void cv_transcript_add_judge(cv_transcript *t, cv_doc *doc, const cv_rec_round *round);
void cv_transcript_add_corrections(cv_transcript *t, cv_doc *doc);
void cv_transcript_add_verdicts(cv_transcript *t, cv_doc *doc, bool all); /* or those that no round has told */

/* How an entity got its status: "Round 2, by muffin, via P0101: reason"; `whole` false: without the round. */
cv_str cv_transcript_how(cv_transcript *t, uint32_t event, bool whole);

#endif
