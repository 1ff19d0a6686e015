/* batch_answer.c - what became of a round: the answer of round-register; see batch.h. */
#include "dialogue/dynamics.h"
#include "dialogue/operations.h"
#include "dialogue/register/batch.h"
#include "dialogue/words/limits.h"

typedef struct {
    cv_str id, status, via;
} told_update;

typedef struct {
    const cv_batch *batch;
    cv_str dialogue_id;
    struct {
        const cv_draft *items;
        size_t count;
    } entities[CV_KIND_COUNT];
    CV_STATE_LIST(told_update) updates[CV_KIND_COUNT];
    cv_changes changes;
    int64_t velocity, score_delta;
    cv_convergence convergence;
    cv_notices warnings;
} told;

static void write_mapping(cv_json_writer *w, const void *value)
{
    const cv_batch *b = ((const told *)value)->batch;
    cv_json_begin_object(w);
    for (size_t i = 0; i < b->drafts.count; i++) {
        const cv_draft *draft = &b->drafts.items[i];
        cv_json_key(w, draft->local_id);
        cv_json_str(w, draft->subject->id);
        for (size_t k = 0; k < draft->also_count; k++) {
            cv_json_key(w, draft->also[k]);
            cv_json_str(w, draft->subject->id);
        }
    }
    cv_json_end_object(w);
}

static const char mapping_schema[] =
    "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},\"description\":\"local id to id\"}";

#define CV_THIS_TYPE cv_draft
static const cv_shape entity[] = {
    CV_FIELD(ALWAYS, local_id, ""),
    CV_FIELD_OF(ALWAYS, subject, id, ""),
    CV_FIELD(ALWAYS, label, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE told_update
static const cv_shape update[] = {
    CV_FIELD(ALWAYS, id, ""),
    CV_FIELD(ALWAYS, status, ""),
    CV_FIELD(IF_ANY, via, ""),
    {0},
};
#undef CV_THIS_TYPE

/* The lists of updates that were given, and tension_updates always, as the specification prints it. */
#define UPDATES_WHEN(kind) ((kind) == CV_KIND_TENSION ? CV_ALWAYS : CV_IF_ANY)

#define CV_THIS_TYPE told
const cv_shape cv_round_register_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, dialogue_id, ""),
    CV_NUMBER_OF(ALWAYS, "round", batch, round, 0, CV_MAX_ROUND, ""),
    CV_BY_HAND("id_mapping", write_mapping, mapping_schema),
#define KIND(id, letter, word, plural, purpose)                                                                        \
    CV_LIST(plural, entities[CV_KIND_##id].items, entities[CV_KIND_##id].count, entity, ""),
#include "dialogue/words/kinds.def"
#undef KIND
#define KIND(id, letter, word, plural, purpose)                                                                        \
    CV_LIST_WHEN(UPDATES_WHEN(CV_KIND_##id), word "_updates", updates[CV_KIND_##id].items,                             \
                 updates[CV_KIND_##id].count, update, ""),
#include "dialogue/words/kinds.def"
#undef KIND
    CV_SPREAD(changes, cv_changes_shape),
    CV_NUMBER(ALWAYS, "velocity", velocity, 0, CV_NO_LIMIT, "open tensions + new perspectives"),
    CV_FIELD(OR_NULL, score_delta, ""),
    CV_OBJECT(ALWAYS, "convergence", convergence, cv_convergence_shape, ""),
    CV_WARNINGS(warnings, CV_TO_BE_KNOWN),
    CV_WRITTEN("dialogue"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

static cv_state state_after(const cv_batch *b)
{
    cv_state after;
    cv_arena *a = b->call->arena;
    cv_subjects_after(&b->subjects, &after);
    for (size_t i = 0; i < b->entered.count; i++)
        *CV_PUSH(a, &after.moves) = b->entered.items[i];
    for (size_t i = 0; i < b->linked.count; i++)
        *CV_PUSH(a, &after.references) = b->linked.items[i];
    after.rounds.items = CV_NEW_ARRAY(a, after.rounds.count + 1, cv_rec_round);
    if (after.rounds.count)
        memcpy(after.rounds.items, b->state->rounds.items, after.rounds.count * sizeof *after.rounds.items);
    after.rounds.items[after.rounds.count++] = (cv_rec_round){.round = b->round, .score = b->score};
    return after;
}

cv_str cv_batch_answer(cv_batch *b)
{
    cv_arena *a = b->call->arena;
    cv_state after = state_after(b);
    told *t = CV_NEW(a, told);
    *t = (told){.batch = b,
                .dialogue_id = b->state->id,
                .changes = cv_subjects_changes(&b->subjects),
                .velocity = cv_state_velocity(&after),
                .score_delta = cv_round_score_delta(&after, b->round),
                .warnings = b->warnings};
    const cv_draft *draft = b->drafts.items;
    for (int kind = 0; kind < CV_KIND_COUNT; draft += b->counts[kind++]) {
        t->entities[kind].items = draft;
        t->entities[kind].count = b->counts[kind];
    }
    for (size_t i = 0; i < b->updates.count; i++) {
        const cv_draft_update *u = &b->updates.items[i];
        *CV_PUSH(a, &t->updates[u->kind]) = (told_update){u->target.id, cv_statuses[u->status].word, u->via.id};
    }
    cv_convergence_of(a, &after, &t->convergence);
    return cv_shape_text(a, cv_round_register_shape, t);
}
