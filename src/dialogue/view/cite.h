/* cite.h - what ids stand for, each with everything that is known about it.
 *
 *     "P0101", "MUFFIN-P0101", "@muffin", "final", "round-1"   ->   citations, and an error for each that is none
 *
 * Three readings at one rev, each as small as it can be:
 *
 *     names    experts, panels, rounds, verdicts; the origins of local ids
 *     about    the entities that are asked for, with their contents, origins, references and events; moves, scores
 *     near     without contents, who is on the other side of a reference; all entities when an expert or a round is
 *              asked for, or an id that is not there, to name one that is
 *
 * An id that comes twice, in whichever spelling, is one citation. Everything points into the states.
 */
#ifndef CV_DIALOGUE_CITE_H
#define CV_DIALOGUE_CITE_H

#include "dialogue/register/cascade.h"
#include "dialogue/view/address.h"
#include "dialogue/view/timeline.h"

/* A reference, as one of its ends sees it. */
typedef struct {
    cv_str type;
    cv_str id, label; /* of the other end */
    cv_str by;        /* who is behind it: a JSON list */
    int64_t round;
    cv_str reason; /* may be absent */
} cv_cite_link;

typedef struct {
    const cv_rec_verdict *verdict;
    cv_str list; /* "tensions_resolved" */
} cv_mention;

typedef struct {
    cv_str list;
    cv_str id, label;
} cv_named;

typedef struct {
    cv_str id;
    const cv_rec_entity *entity;
} cv_raised;

typedef struct {
    cv_address what;
    cv_str kind;
    CV_STATE_LIST(cv_str) asked; /* the spellings that were asked for */
    /* one of these: */
    const cv_rec_entity *entity;
    const cv_rec_expert *expert;
    const cv_rec_verdict *verdict;
    const cv_rec_round *round;

    cv_str author;               /* of a verdict: a JSON list */
    CV_STATE_LIST(cv_str) panel; /* of a round */
    CV_STATE_LIST(const cv_rec_origin *) origins;
    CV_STATE_LIST(cv_cite_link) from, to;             /* references from it and to it */
    CV_STATE_LIST(const cv_rec_move *) moves;         /* that name it; of an expert or a round, their own too */
    CV_STATE_LIST(cv_mention) mentions;               /* verdicts that name it */
    CV_STATE_LIST(cv_named) names;                    /* of a verdict: what it names */
    CV_STATE_LIST(cv_raised) raised;                  /* of an expert or a round: in the order of their ids */
    CV_STATE_LIST(const cv_rec_score *) scores;       /* of an expert or a round */
    CV_STATE_LIST(const cv_rec_position *) positions; /* likewise */
    cv_moment *last;                                  /* NULL: it has no events */
    size_t event_count;
} cv_citation;

typedef struct {
    cv_call *call;
    cv_state names, about, near;
    CV_STATE_LIST(cv_citation *) list;
    cv_errs errs; /* in the order of the ids, their values as they were asked for */
    cv_map at;    /* id -> cv_citation * */
    cv_str text;  /* for people, if they have asked */
} cv_citations;

/* False: nothing could be read. */
bool cv_citations_load(cv_call *call, cv_str dialogue_id, const cv_str *ids, size_t count, cv_citations *ret);

extern const cv_shape cv_citation_shape[];
void cv_citation_tell(const cv_citations *c, const cv_citation *one, cv_buf *out); /* a card for people */

#endif
