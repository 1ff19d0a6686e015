/* batch.h - a round as the judge sends it, on its way into the record.
 *
 *     request   -> drafts      parse: what is written; nothing is believed yet
 *     drafts    -> ids         resolve: numbers for all entities first, then what every reference means
 *     drafts    -> sound       check: every fault at once, in the specification's order
 *     sound     -> journal     enter: rows, events, cascades, receipts
 *     journal   -> answer      answer: what became of every item
 *
 * References may point forward, across kinds, to local ids of the batch (merged ones included), to local and global ids
 * of earlier rounds, and to experts (@muffin).
 */
#ifndef CV_DIALOGUE_REGISTER_BATCH_H
#define CV_DIALOGUE_REGISTER_BATCH_H

#include "dialogue/components.h"
#include "dialogue/register/subject.h"

/* An id that the request names, and what it means. */
typedef struct {
    cv_str text;         /* as written */
    cv_str id;           /* "P0101", "@muffin"; empty: nothing in this dialogue */
    char letter;         /* of its kind, '@' for an expert, 0: neither */
    cv_subject *subject; /* the entity */
} cv_target;

typedef struct {
    cv_str word; /* as written */
    int type;    /* a cv_ref, or -1 */
    cv_target target;
    cv_str reason; /* may be absent */
} cv_draft_ref;

typedef struct {
    cv_kind kind;
    size_t index; /* in its list */
    cv_str list;  /* what the request calls the list */
    cv_str local_id;
    cv_id parts; /* form NONE: it is not a local id */
    cv_str label, content;
    cv_people by;
    cv_str parameters;
    cv_str *also; /* local ids of other experts that were merged into this one */
    size_t also_count;
    cv_draft_ref *refs;
    size_t ref_count;
    cv_subject *subject;
} cv_draft;

/* A reference that stands for itself: its source is an expert, or a draft. */
typedef struct {
    cv_target source;
    cv_people by;
    cv_draft_ref ref;
} cv_draft_link;

typedef struct {
    cv_str expert, word, context;
    int type; /* a cv_move, or -1 */
    cv_target *targets;
    size_t target_count;
} cv_draft_move;

typedef struct {
    cv_kind kind;
    cv_str list;
    size_t index;
    cv_target target, via;
    cv_str word; /* the status as written */
    int status;  /* a cv_status of `kind`, or -1 */
    cv_people by;
    cv_str reason;
} cv_draft_update;

typedef struct {
    cv_str expert;
    int64_t score;
    cv_components components;
} cv_draft_score;

typedef struct {
    cv_str expert, content;
    bool stored; /* the record has it already */
} cv_draft_response;

typedef struct {
    cv_str expert, content;
} cv_draft_position;

typedef struct {
    cv_call *call;
    const cv_state *state;
    cv_str dialogue_id, title, summary;
    int64_t round, score;
    cv_components components;
    bool dry_run, use_draft;
    CV_STATE_LIST(cv_draft) drafts; /* by kind, in the order of the lists */
    size_t counts[CV_KIND_COUNT];
    CV_STATE_LIST(cv_draft_link) links;
    CV_STATE_LIST(cv_draft_move) moves;
    CV_STATE_LIST(cv_draft_update) updates;
    CV_STATE_LIST(cv_draft_score) scores;
    CV_STATE_LIST(cv_draft_response) responses;
    CV_STATE_LIST(cv_draft_position) positions; /* none given: as the responses have them */
    bool positions_given;
    cv_map local_at; /* local id, `also` included -> cv_draft * */
    cv_subjects subjects;
    cv_notices warnings;
    CV_STATE_LIST(cv_rec_move) entered;     /* the moves as rows */
    CV_STATE_LIST(cv_rec_reference) linked; /* the references, likewise */
} cv_batch;

/* `input` is that of the call, or what became of it (from_draft.h). Without a score it is the sum of the experts'. */
void cv_batch_parse(cv_call *call, const cv_json *input, cv_batch *ret_batch);

/* Ids for every draft, then meanings for every reference, against this state. */
void cv_batch_resolve(cv_batch *batch, const cv_state *state);
void cv_target_resolve(cv_batch *batch, cv_target *target);

/* Adds every fault to the call; true when there is none. */
bool cv_batch_check(cv_batch *batch);

/* Puts the rows and events of the round into the journal, statuses changed by updates, references and moves included.
 */
void cv_batch_enter(cv_batch *batch, cv_journal *journal);

/* The answer as one JSON object; without rev. */
cv_str cv_batch_answer(cv_batch *batch);

/* ---- receipts: where in a response an entity came from --------------------------------------- */

/* Fills response_sha256 and the range of those origins that are found in the round's responses, given or stored. What
 * is not found becomes a warning, as does what differs from its response or is left out of the request (agreement.h).
 */
void cv_receipts_find(cv_batch *batch, cv_rec_origin *origins, size_t count);

#endif
