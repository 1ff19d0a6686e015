/* resolve.c - ids for all entities of a batch, then what every id in it means; see batch.h. */
#include "dialogue/register/batch.h"
#include "dialogue/words/limits.h"

static cv_draft *draft_of(const cv_batch *b, cv_str local_id)
{
    const uintptr_t *at = cv_map_get(&b->local_at, local_id);
    return at ? (cv_draft *)*at : NULL;
}

/* What lies above the ceiling is numbered as well, so that only the ceiling is reported. */
enum { MOST_NUMBERED = 999 };
_Static_assert((int)MOST_NUMBERED > (int)CV_MAX_SEQ, "all that may be registered is numbered");

/* ---- first pass: every entity gets its number, every local id its entity --------------------- */

static void number(cv_batch *b, cv_draft *draft)
{
    cv_arena *a = b->call->arena;
    cv_rec_entity *row = CV_NEW(a, cv_rec_entity);
    *row = (cv_rec_entity){.kind = {&cv_kinds[draft->kind].letter, 1},
                           .round = b->round,
                           .seq = (int64_t)draft->index + 1,
                           .label = draft->label,
                           .content = draft->content,
                           .contributors = draft->by.json,
                           .parameters = draft->parameters};
    draft->subject = cv_subjects_add(&b->subjects, draft->kind, row, &draft->by);
}

/* The first one to claim a local id has it; check.c reports the others. */
static void claim(cv_batch *b, cv_str local_id, cv_draft *draft)
{
    bool is_new;
    uintptr_t *place = cv_map_put(&b->local_at, b->call->arena, local_id, &is_new);
    if (is_new)
        *place = (uintptr_t)draft;
}

/* ---- second pass: what is meant -------------------------------------------------------------- */

static void mean(cv_target *target, cv_subject *subject)
{
    if (!subject)
        return;
    target->subject = subject;
    target->id = subject->id;
    target->letter = cv_kinds[subject->kind].letter;
}

static void mean_expert(cv_batch *b, cv_target *target, const cv_id *id)
{
    const cv_rec_expert *expert = cv_state_expert(b->state, id->expert);
    if (!expert)
        return;
    target->id = cv_arena_join(b->call->arena, CV_STR("@"), expert->expert_slug);
    target->letter = '@';
}

static void mean_local(cv_batch *b, cv_target *target, const cv_id *id)
{
    cv_str local_id = cv_id_print(b->call->arena, id);
    const cv_draft *draft = draft_of(b, local_id);
    const cv_rec_origin *origin = draft ? NULL : cv_state_origin(b->state, local_id);
    if (draft)
        mean(target, draft->subject);
    else if (origin)
        mean(target, cv_subjects_find(&b->subjects, origin->display_id));
}

void cv_target_resolve(cv_batch *b, cv_target *target)
{
    cv_id id;
    if (!cv_id_parse(target->text, &id))
        return;
    if (id.form == CV_ID_DISPLAY)
        mean(target, cv_subjects_find(&b->subjects, target->text));
    else if (id.form == CV_ID_LOCAL)
        mean_local(b, target, &id);
    else if (id.form == CV_ID_EXPERT)
        mean_expert(b, target, &id);
}

/* Who makes a reference that stands for itself: the expert, or those who made its source. */
static void resolve_link(cv_batch *b, cv_draft_link *link)
{
    cv_target_resolve(b, &link->source);
    cv_target_resolve(b, &link->ref.target);
    cv_str expert = cv_str_from(link->source.id, 1);
    if (link->source.letter == '@')
        link->by = cv_people_of(b->call->arena, &expert, 1);
    else if (link->source.subject && link->source.subject->by)
        link->by = *link->source.subject->by;
}

void cv_batch_resolve(cv_batch *b, const cv_state *state)
{
    b->state = state;
    b->subjects = (cv_subjects){.arena = b->call->arena, .state = state};
    b->local_at = (cv_map){0};
    b->warnings = (cv_notices){0};
    for (size_t i = 0; i < b->drafts.count; i++) {
        cv_draft *draft = &b->drafts.items[i];
        if (draft->index < MOST_NUMBERED)
            number(b, draft);
        claim(b, draft->local_id, draft);
        for (size_t k = 0; k < draft->also_count; k++)
            claim(b, draft->also[k], draft);
    }
    for (size_t i = 0; i < b->drafts.count; i++)
        for (size_t k = 0; k < b->drafts.items[i].ref_count; k++)
            cv_target_resolve(b, &b->drafts.items[i].refs[k].target);
    for (size_t i = 0; i < b->links.count; i++)
        resolve_link(b, &b->links.items[i]);
    for (size_t i = 0; i < b->moves.count; i++)
        for (size_t k = 0; k < b->moves.items[i].target_count; k++)
            cv_target_resolve(b, &b->moves.items[i].targets[k]);
    for (size_t i = 0; i < b->updates.count; i++) {
        cv_target_resolve(b, &b->updates.items[i].target);
        cv_target_resolve(b, &b->updates.items[i].via);
    }
}
