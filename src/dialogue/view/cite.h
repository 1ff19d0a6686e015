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

typedef struct {
    const cv_rec_verdict *verdict;
    cv_verdict_list list;
} cv_mention;

typedef struct {
    cv_verdict_list list;
    cv_str id;
} cv_named;

typedef struct {
    cv_address what;
    CV_STATE_LIST(cv_str) asked; /* the spellings that were asked for */
    /* one of these: */
    const cv_rec_entity *entity;
    const cv_rec_expert *expert;
    const cv_rec_verdict *verdict;
    const cv_rec_round *round;

    CV_STATE_LIST(const cv_rec_origin *) origins;
    CV_STATE_LIST(const cv_rec_reference *) from, to; /* references from it and to it */
    CV_STATE_LIST(const cv_rec_move *) moves;         /* that name it; of an expert or a round, their own too */
    CV_STATE_LIST(cv_mention) mentions;               /* verdicts that name it */
    CV_STATE_LIST(cv_named) names;                    /* of a verdict: what it names */
    CV_STATE_LIST(const cv_rec_entity *) raised;      /* of an expert or a round: in the order of their ids */
    CV_STATE_LIST(const cv_rec_score *) scores;       /* of an expert or a round */
    cv_moment last;                                   /* when event_count > 0 */
    size_t event_count;
} cv_citation;

typedef struct {
    cv_call *call;
    cv_state names, about, near;
    CV_STATE_LIST(cv_citation *) list;
    cv_errs errs; /* in the order of the ids, their values as they were asked for */
    cv_map at;    /* id -> cv_citation * */
} cv_citations;

/* False: nothing could be read. */
bool cv_citations_load(cv_call *call, cv_str dialogue_id, const cv_str *ids, size_t count, cv_citations *ret);

/* The label of an entity, of an expert ("@muffin": the role); empty when it is neither. */
cv_str cv_citations_label(const cv_citations *c, cv_str id);

/* Who is behind the source of a reference, as a JSON list. */
cv_str cv_citations_by(const cv_citations *c, cv_str id);

void cv_citation_print(const cv_citations *c, const cv_citation *one, cv_json_writer *w); /* an object */
void cv_citation_tell(const cv_citations *c, const cv_citation *one, cv_buf *out);        /* a card for people */

#endif
