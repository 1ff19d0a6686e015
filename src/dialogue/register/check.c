/* check.c - is a batch sound? All faults at once, in the order of the specification; see batch.h.
 *
 *     1  words        required fields, types of references and moves, statuses, letters, ceilings
 *     2  consistency  local ids fit their list, the round and each other; updates fit theirs
 *     3  existence    experts and targets are there
 *     4  meaning      this type of reference may go from here to there
 *     5  lifecycle    explicit updates are allowed changes
 */
#include "dialogue/register/check.h"

#include "base/utf8.h"
#include "dialogue/text/mark.h"

cv_spot cv_check_root(const cv_batch *b, cv_str item_type)
{
    return (cv_spot){.call = b->call, .item_type = item_type};
}

cv_spot cv_check_item(const cv_batch *b, cv_str item_type, cv_str list, size_t index)
{
    cv_spot at = cv_check_root(b, item_type);
    at.field = list;
    return cv_spot_at(&at, index);
}

cv_spot cv_check_draft(const cv_batch *b, const cv_draft *draft)
{
    cv_spot at = cv_check_item(b, cv_kinds[draft->kind].word, draft->list, draft->index);
    at.item_key = CV_STR("local_id");
    at.item_id = draft->local_id;
    return at;
}

cv_spot cv_check_member(cv_spot at, const char *member)
{
    return cv_spot_in(&at, cv_str_of(member));
}

cv_spot cv_check_in_list(cv_spot at, const char *list, size_t index)
{
    cv_spot in = cv_check_member(at, list);
    return cv_spot_at(&in, index);
}

/* ---- all references of a batch, wherever they stand ------------------------------------------ */

cv_spot cv_check_ref(const cv_batch *b, const cv_any_ref *any)
{
    cv_spot at = any->draft ? cv_check_in_list(cv_check_draft(b, any->draft), "references", any->index)
                            : cv_check_item(b, (cv_str){NULL, 0}, CV_STR("references"), any->index);
    at.item_type = CV_STR("reference");
    return at;
}

void cv_check_each_ref(cv_batch *b, void (*visit)(cv_batch *b, const cv_any_ref *any))
{
    for (size_t i = 0; i < b->drafts.count; i++) {
        const cv_draft *draft = &b->drafts.items[i];
        for (size_t k = 0; k < draft->ref_count; k++)
            visit(b, &(cv_any_ref){&draft->refs[k], draft, NULL, k});
    }
    for (size_t i = 0; i < b->links.count; i++)
        visit(b, &(cv_any_ref){&b->links.items[i].ref, NULL, &b->links.items[i], i});
}

cv_spot cv_check_update(const cv_batch *b, const cv_draft_update *update)
{
    return cv_check_item(b, cv_str_head(update->list, update->list.n - 1), update->list, update->index);
}

/* ---- 3: existence ---------------------------------------------------------------------------- */

static void person_there(cv_batch *b, cv_spot at, cv_str slug)
{
    if (slug.n > 0 && !cv_str_eq(slug, cv_judge_slug) && !cv_state_expert(b->state, slug))
        cv_fault_expert(&at, b->state, slug);
}

static void people_there(cv_batch *b, cv_spot at, const char *list, const cv_people *people)
{
    for (size_t i = 0; i < people->count; i++)
        if (!cv_str_eq(people->items[i], cv_judge_slug) && !cv_state_expert(b->state, people->items[i])) {
            cv_spot in = cv_check_in_list(at, list, i);
            cv_fault_expert(&in, b->state, people->items[i]);
        }
}

static void target_there(const cv_batch *b, cv_spot at, const cv_target *target)
{
    char letter;
    if (target->letter || target->text.n == 0 || cv_id_bad_letter(target->text, &letter))
        return;
    if (target->text.p[0] == '@')
        cv_fault_expert(&at, b->state, cv_str_from(target->text, 1));
    else
        cv_fault_not_found(&at, b->state, target->text);
}

static void local_expert_there(cv_batch *b, cv_spot at, cv_str local_id)
{
    cv_id id;
    if (cv_id_parse(local_id, &id) && id.form == CV_ID_LOCAL)
        person_there(b, at, cv_arena_lower(b->call->arena, id.expert));
}

static void existence_of_draft(cv_batch *b, const cv_draft *draft)
{
    bool known = draft->parts.form != CV_ID_LOCAL || cv_state_expert(b->state, draft->parts.expert);
    for (size_t i = 0; known && i < draft->by.count; i++)
        known = cv_state_expert(b->state, draft->by.items[i]);
    if (known && draft->also_count == 0)
        return;
    cv_spot at = cv_check_draft(b, draft);
    local_expert_there(b, cv_check_member(at, "local_id"), draft->local_id);
    for (size_t i = 0; i < draft->also_count; i++)
        local_expert_there(b, cv_check_in_list(at, "also", i), draft->also[i]);
    people_there(b, at, "contributors", &draft->by);
}

static void existence_of_ref(cv_batch *b, const cv_any_ref *any)
{
    if (!any->ref->target.letter)
        target_there(b, cv_check_member(cv_check_ref(b, any), "target"), &any->ref->target);
    if (!any->link || any->link->by.count > 0)
        return;
    cv_spot at = cv_check_member(cv_check_ref(b, any), "source");
    target_there(b, at, &any->link->source);
    if (any->link->source.subject)
        cv_err_suggest(cv_fault(&at, CV_ERR_INVALID_VALUE, CV_STR("referential"), any->link->source.text,
                                "source '%.*s' was registered before; a reference belongs to the round that makes it",
                                CV_FMT(any->link->source.text)),
                       CV_STR("Use @expert or a local id of this batch as source"));
}

static void existence_of_move(cv_batch *b, const cv_draft_move *move, size_t index)
{
    cv_spot at = cv_check_item(b, CV_STR("move"), CV_STR("moves"), index);
    person_there(b, cv_check_member(at, "expert"), move->expert);
    for (size_t i = 0; i < move->target_count; i++)
        target_there(b, cv_check_in_list(at, "targets", i), &move->targets[i]);
}

static void existence_of_update(cv_batch *b, const cv_draft_update *update)
{
    cv_spot at = cv_check_update(b, update);
    target_there(b, cv_check_member(at, "id"), &update->target);
    target_there(b, cv_check_member(at, "via"), &update->via);
    people_there(b, at, "by", &update->by);
}

/* Experts as keys: each known, each once without regard to case. */
static void existence_of_key(cv_batch *b, cv_str list, cv_str slug, cv_map *seen)
{
    bool is_new;
    cv_spot map = cv_check_root(b, cv_str_head(list, list.n - 1)), at = cv_spot_in(&map, list);
    at = cv_spot_in(&at, slug);
    cv_map_put(seen, b->call->arena, slug, &is_new);
    if (!is_new)
        cv_fault(&at, CV_ERR_DUPLICATE_KEY, CV_STR("unique"), slug, "expert '%.*s' stands twice in %.*s",
                 CV_FMT(cv_excerpt(b->call->arena, slug)), CV_FMT(list));
    if (!cv_state_expert(b->state, slug))
        cv_fault_expert(&at, b->state, slug);
}

/* What an expert has said stays: another text for the same round is refused. */
static void response_fits(cv_batch *b, cv_draft_response *response)
{
    for (size_t i = 0; i < b->state->responses.count; i++) {
        const cv_rec_response *stored = &b->state->responses.items[i];
        if (stored->round != b->round || !cv_str_eq(stored->expert_slug, response->expert))
            continue;
        response->stored = cv_str_eq(stored->content, response->content);
        if (response->stored)
            return;
        cv_spot map = cv_check_root(b, CV_STR("response")), at = cv_spot_in(&map, CV_STR("responses"));
        at = cv_spot_in(&at, response->expert);
        cv_err_suggest(cv_fault(&at, CV_ERR_INVALID_VALUE, CV_STR("immutable"), (cv_str){NULL, 0},
                                "%.*s has another response for round %lld in the record", CV_FMT(response->expert),
                                (long long)b->round),
                       CV_STR("Leave it out: the stored response is used"));
    }
}

static void existence(cv_batch *b)
{
    cv_map scored = {0}, heard = {0};
    for (size_t i = 0; i < b->drafts.count; i++)
        existence_of_draft(b, &b->drafts.items[i]);
    cv_check_each_ref(b, existence_of_ref);
    for (size_t i = 0; i < b->moves.count; i++)
        existence_of_move(b, &b->moves.items[i], i);
    for (size_t i = 0; i < b->updates.count; i++)
        existence_of_update(b, &b->updates.items[i]);
    for (size_t i = 0; i < b->scores.count; i++)
        existence_of_key(b, CV_STR("expert_scores"), b->scores.items[i].expert, &scored);
    for (size_t i = 0; i < b->responses.count; i++) {
        existence_of_key(b, CV_STR("responses"), b->responses.items[i].expert, &heard);
        response_fits(b, &b->responses.items[i]);
    }
}

/* ---- 4 and 5: meaning, lifecycle ------------------------------------------------------------- */

static void meaning_of_ref(cv_batch *b, const cv_any_ref *any)
{
    const cv_draft_ref *ref = any->ref;
    char source = any->draft ? cv_kinds[any->draft->kind].letter : any->link->source.letter;
    if (ref->type < 0 || !ref->target.letter || !source || cv_ref_joins((cv_ref)ref->type, source, ref->target.letter))
        return;
    const cv_subject *subject = any->draft ? any->draft->subject : any->link->source.subject;
    cv_spot at = cv_check_member(cv_check_ref(b, any), "type");
    cv_fault_reference(&at, (cv_ref)ref->type,
                       subject      ? subject->id
                       : any->draft ? (cv_str){NULL, 0}
                                    : any->link->source.id,
                       source, ref->target.id, ref->target.letter);
}

/* Several updates of one entity are taken one after the other. */
static void lifecycle_of_update(cv_batch *b, const cv_draft_update *update)
{
    cv_subject *subject = update->target.subject;
    if (!subject || update->status < 0 || subject->kind != update->kind)
        return;
    cv_status to = (cv_status)update->status;
    cv_spot at = cv_check_member(cv_check_update(b, update), "status");
    if (cv_status_may_become(subject->planned, to))
        subject->planned = to;
    else
        cv_fault_transition(&at, subject->id, subject->planned, to);
}

bool cv_batch_check(cv_batch *b)
{
    size_t before = b->call->errs->count;
    cv_check_words(b);
    cv_check_consistency(b);
    existence(b);
    cv_check_each_ref(b, meaning_of_ref);
    for (size_t i = 0; i < b->updates.count; i++)
        lifecycle_of_update(b, &b->updates.items[i]);
    return b->call->errs->count == before;
}
