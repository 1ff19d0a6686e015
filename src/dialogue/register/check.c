/* check.c - is a batch sound? All faults at once, in the order of the specification; see batch.h.
 *
 *     1  words        required fields, types of references and moves, statuses, letters, ceilings
 *     2  consistency  local ids fit their list, the round and each other; updates fit theirs
 *     3  existence    experts and targets are there
 *     4  meaning      this type of reference may go from here to there
 *     5  lifecycle    explicit updates are allowed changes
 */
#include "base/utf8.h"
#include "dialogue/faults.h"
#include "dialogue/register/batch.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"

/* ---- places in the request: printed when something is wrong, not before ------------------------------------------ */

static cv_spot at_root(const cv_batch *b, cv_str item_type)
{
    return (cv_spot){.call = b->call, .item_type = item_type};
}

static cv_spot at_item(const cv_batch *b, cv_str item_type, cv_str list, size_t index)
{
    cv_spot at = at_root(b, item_type);
    at.field = list;
    return cv_spot_at(&at, index);
}

static cv_spot at_draft(const cv_batch *b, const cv_draft *draft)
{
    cv_spot at = at_item(b, cv_kinds[draft->kind].word, draft->list, draft->index);
    at.item_key = CV_STR("local_id");
    at.item_id = draft->local_id;
    return at;
}

static cv_spot at_member(cv_spot at, const char *member)
{
    return cv_spot_in(&at, cv_str_of(member));
}

static cv_spot at_place(cv_spot at, const char *list, size_t index)
{
    cv_spot in = at_member(at, list);
    return cv_spot_at(&in, index);
}

/* ---- all references of a batch, wherever they stand ------------------------------------------ */

typedef struct {
    const cv_draft_ref *ref;
    const cv_draft *draft; /* its source; NULL: a link */
    const cv_draft_link *link;
    size_t index;
} any_ref;

static cv_spot at_ref(const cv_batch *b, const any_ref *any)
{
    cv_spot at = any->draft ? at_place(at_draft(b, any->draft), "references", any->index)
                            : at_item(b, (cv_str){NULL, 0}, CV_STR("references"), any->index);
    at.item_type = CV_STR("reference");
    return at;
}

static void each_ref(cv_batch *b, void (*visit)(cv_batch *b, const any_ref *any))
{
    for (size_t i = 0; i < b->drafts.count; i++) {
        const cv_draft *draft = &b->drafts.items[i];
        for (size_t k = 0; k < draft->ref_count; k++)
            visit(b, &(any_ref){&draft->refs[k], draft, NULL, k});
    }
    for (size_t i = 0; i < b->links.count; i++)
        visit(b, &(any_ref){&b->links.items[i].ref, NULL, &b->links.items[i], i});
}

static cv_spot at_update(const cv_batch *b, const cv_draft_update *update)
{
    return at_item(b, cv_str_head(update->list, update->list.n - 1), update->list, update->index);
}

/* ---- 1: words -------------------------------------------------------------------------------- */

static void need(cv_spot at, const char *name, cv_str value)
{
    if (cv_str_trim(value).n > 0)
        return;
    cv_spot in = at_member(at, name);
    cv_fault_missing(&in);
}

static void letter_ok(cv_spot at, cv_str side, cv_str id)
{
    char letter;
    if (cv_id_bad_letter(id, &letter))
        cv_fault_letter(&at, side, letter);
}

static void words_of_draft(cv_batch *b, const cv_draft *draft)
{
    char letter;
    bool text_is_there = draft->local_id.n && draft->label.n && cv_str_trim(draft->content).n;
    if (text_is_there && draft->by.count && !cv_id_bad_letter(draft->local_id, &letter) &&
        !cv_str_has_control(draft->label) && draft->label.n <= CV_MAX_LABEL)
        return;
    cv_spot at = at_draft(b, draft), label = at_member(at, "label");
    need(at, "local_id", draft->local_id);
    letter_ok(at_member(at, "local_id"), CV_STR("source"), draft->local_id);
    need(at, "label", draft->label);
    cv_fault_unless_line(&label, draft->label, CV_MAX_LABEL);
    need(at, draft->kind == CV_KIND_TENSION ? "description" : "content", draft->content);
    if (draft->by.count == 0 && draft->by.json.p) /* without a local id nobody is assumed */
        need(at, "contributors", (cv_str){NULL, 0});
}

static void words_of_ref(cv_batch *b, const any_ref *any)
{
    const cv_draft_ref *ref = any->ref;
    if (ref->type >= 0 && ref->target.letter && !any->link)
        return;
    cv_spot at = at_ref(b, any), type = at_member(at, "type");
    if (any->link)
        need(at, "source", any->link->source.text);
    if (ref->word.n == 0)
        cv_fault_missing(&type);
    else if (ref->type < 0)
        cv_fault_word(&type, CV_ERR_REF_TYPE, CV_STR("ref_enum"), CV_STR("ref_type"), ref->word, cv_ref_words);
    need(at, "target", ref->target.text);
    letter_ok(at_member(at, "target"), CV_STR("target"), ref->target.text);
}

static void words_of_move(cv_batch *b, const cv_draft_move *move, size_t index)
{
    bool wants_id = move->type >= 0 && cv_str_starts(cv_moves[move->type].argument, CV_STR("{id"));
    cv_spot at = at_item(b, CV_STR("move"), CV_STR("moves"), index), type = at_member(at, "type");
    need(at, "expert", move->expert);
    if (move->word.n == 0)
        cv_fault_missing(&type);
    else if (move->type < 0)
        cv_fault_word(&type, CV_ERR_INVALID_VALUE, CV_STR("move_enum"), CV_STR("move_type"), move->word, cv_move_words);
    if (wants_id && move->target_count == 0)
        need(at, "targets", (cv_str){NULL, 0});
    for (size_t i = 0; i < move->target_count; i++)
        letter_ok(at_place(at, "targets", i), CV_STR("target"), move->targets[i].text);
}

static cv_words statuses_of(cv_arena *a, cv_kind kind)
{
    cv_str *words = CV_NEW_ARRAY(a, CV_STATUS_COUNT, cv_str);
    size_t count = 0;
    for (int status = 0; status < CV_STATUS_COUNT; status++)
        if (cv_statuses[status].kind == kind)
            words[count++] = cv_statuses[status].word;
    return (cv_words){words, count};
}

static void words_of_update(cv_batch *b, const cv_draft_update *update)
{
    cv_spot at = at_update(b, update), status = at_member(at, "status");
    need(at, "id", update->target.text);
    letter_ok(at_member(at, "id"), CV_STR("target"), update->target.text);
    if (update->word.n == 0)
        cv_fault_missing(&status);
    else if (update->status < 0)
        cv_fault_word(&status, CV_ERR_INVALID_VALUE, CV_STR("status_enum"), CV_STR("status"), update->word,
                      statuses_of(b->call->arena, update->kind));
    letter_ok(at_member(at, "via"), CV_STR("target"), update->via.text);
}

static void ceilings(cv_batch *b)
{
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        if (b->counts[kind] <= CV_MAX_SEQ)
            continue;
        cv_spot at = at_root(b, cv_kinds[kind].word);
        at.field = cv_kinds[kind].plural;
        cv_err_suggest(cv_fault(&at, CV_ERR_TOO_LARGE, CV_STR("limit"),
                                cv_arena_printf(b->call->arena, "%zu", b->counts[kind]),
                                "%zu %.*s in one round: ids have two digits, the limit is %d", b->counts[kind],
                                CV_FMT(cv_kinds[kind].plural), CV_MAX_SEQ),
                       CV_STR("Merge items that say the same, or leave the lesser ones out"));
    }
}

static void words(cv_batch *b)
{
    cv_spot title = at_member(at_root(b, CV_STR("round")), "title");
    ceilings(b);
    cv_fault_unless_line(&title, b->title, CV_MAX_TITLE);
    for (size_t i = 0; i < b->drafts.count; i++)
        words_of_draft(b, &b->drafts.items[i]);
    each_ref(b, words_of_ref);
    for (size_t i = 0; i < b->moves.count; i++)
        words_of_move(b, &b->moves.items[i], i);
    for (size_t i = 0; i < b->updates.count; i++)
        words_of_update(b, &b->updates.items[i]);
}

/* ---- 2: consistency -------------------------------------------------------------------------- */

static cv_err *bad_local_id(cv_spot at, cv_str found, cv_kind kind, int64_t round, cv_str expert, const char *why)
{
    cv_err *err = cv_fault(&at, CV_ERR_INVALID_VALUE, CV_STR("type_consistency"), found, "local_id '%.*s' %s",
                           CV_FMT(cv_excerpt(at.call->arena, found)), why);
    cv_err_suggest(err, cv_arena_printf(at.call->arena, "Write it as %.*s-%c%02d01", CV_FMT(expert),
                                        cv_kinds[kind].letter, (int)round));
    return err;
}

static void local_id_ok(cv_batch *b, cv_spot at, const cv_draft *draft, cv_str local_id)
{
    cv_id id;
    char letter;
    if (local_id.n == 0 || cv_id_bad_letter(local_id, &letter))
        return; /* told before */
    if (!cv_id_parse(local_id, &id) || id.form != CV_ID_LOCAL) {
        bad_local_id(at, local_id, draft->kind, b->round, CV_STR("EXPERT"), "is not a local id");
        return;
    }
    if (id.kind != draft->kind)
        cv_fault_kind(&at, CV_STR("source"), draft->kind, local_id);
    if (id.round != b->round)
        bad_local_id(at, local_id, draft->kind, b->round, id.expert, "names another round than the one registered");
    if (id.number == 0)
        bad_local_id(at, local_id, draft->kind, b->round, id.expert, "has the number 00; the first is 01");
}

/* The first item that claims an id has it. */
static void unique(cv_batch *b, cv_spot at, const cv_draft *draft, cv_str local_id, bool seen_here)
{
    const uintptr_t *owner = cv_map_get(&b->local_at, local_id);
    const cv_draft *first = owner ? (const cv_draft *)*owner : draft;
    if (local_id.n == 0 || (first == draft && !seen_here))
        return;
    cv_err_suggest(cv_fault(&at, CV_ERR_DUPLICATE_LOCAL, CV_STR("unique"), local_id,
                            "local_id '%.*s' is taken by %.*s[%zu]", CV_FMT(cv_excerpt(b->call->arena, local_id)),
                            CV_FMT(first->list), first->index),
                   CV_STR("Give every item a local id of its own; name merged ones once, in 'also'"));
}

static void consistency_of_draft(cv_batch *b, const cv_draft *draft)
{
    const uintptr_t *owner = cv_map_get(&b->local_at, draft->local_id);
    const cv_id *id = &draft->parts;
    if (id->form == CV_ID_LOCAL && id->kind == draft->kind && id->round == b->round && id->number > 0 &&
        draft->also_count == 0 && (const cv_draft *)*owner == draft)
        return;
    cv_spot at = at_draft(b, draft), in = at_member(at, "local_id");
    local_id_ok(b, in, draft, draft->local_id);
    unique(b, in, draft, draft->local_id, false);
    cv_map seen = {0};
    cv_map_put(&seen, b->call->arena, draft->local_id, NULL);
    for (size_t i = 0; i < draft->also_count; i++) {
        bool is_new;
        cv_map_put(&seen, b->call->arena, draft->also[i], &is_new);
        in = at_place(at, "also", i);
        local_id_ok(b, in, draft, draft->also[i]);
        unique(b, in, draft, draft->also[i], !is_new);
    }
}

/* `tension_updates` are about tensions: the id says so, whether or not it is there. */
static void consistency_of_update(cv_batch *b, const cv_draft_update *update)
{
    cv_id id;
    if (!cv_id_parse(update->target.text, &id) || (id.form != CV_ID_EXPERT && id.kind == update->kind))
        return;
    cv_spot at = at_member(at_update(b, update), "id");
    cv_fault_kind(&at, CV_STR("target"), update->kind, update->target.text);
}

static void consistency(cv_batch *b)
{
    for (size_t i = 0; i < b->drafts.count; i++)
        consistency_of_draft(b, &b->drafts.items[i]);
    for (size_t i = 0; i < b->updates.count; i++)
        consistency_of_update(b, &b->updates.items[i]);
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
            cv_spot in = at_place(at, list, i);
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
    cv_spot at = at_draft(b, draft);
    local_expert_there(b, at_member(at, "local_id"), draft->local_id);
    for (size_t i = 0; i < draft->also_count; i++)
        local_expert_there(b, at_place(at, "also", i), draft->also[i]);
    people_there(b, at, "contributors", &draft->by);
}

static void existence_of_ref(cv_batch *b, const any_ref *any)
{
    if (!any->ref->target.letter)
        target_there(b, at_member(at_ref(b, any), "target"), &any->ref->target);
    if (!any->link || any->link->by.count > 0)
        return;
    cv_spot at = at_member(at_ref(b, any), "source");
    target_there(b, at, &any->link->source);
    if (any->link->source.subject)
        cv_err_suggest(cv_fault(&at, CV_ERR_INVALID_VALUE, CV_STR("referential"), any->link->source.text,
                                "source '%.*s' was registered before; a reference belongs to the round that makes it",
                                CV_FMT(any->link->source.text)),
                       CV_STR("Use @expert or a local id of this batch as source"));
}

static void existence_of_move(cv_batch *b, const cv_draft_move *move, size_t index)
{
    cv_spot at = at_item(b, CV_STR("move"), CV_STR("moves"), index);
    person_there(b, at_member(at, "expert"), move->expert);
    for (size_t i = 0; i < move->target_count; i++)
        target_there(b, at_place(at, "targets", i), &move->targets[i]);
}

static void existence_of_update(cv_batch *b, const cv_draft_update *update)
{
    cv_spot at = at_update(b, update);
    target_there(b, at_member(at, "id"), &update->target);
    target_there(b, at_member(at, "via"), &update->via);
    people_there(b, at, "by", &update->by);
}

/* Experts as keys: each known, each once without regard to case. */
static void existence_of_key(cv_batch *b, cv_str list, cv_str slug, cv_map *seen)
{
    bool is_new;
    cv_spot map = at_root(b, cv_str_head(list, list.n - 1)), at = cv_spot_in(&map, list);
    at = cv_spot_in(&at, slug);
    cv_map_put(seen, b->call->arena, slug, &is_new);
    if (!is_new)
        cv_fault(&at, CV_ERR_DUPLICATE_KEY, CV_STR("unique"), slug, "expert '%.*s' is in %.*s twice",
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
        cv_spot map = at_root(b, CV_STR("response")), at = cv_spot_in(&map, CV_STR("responses"));
        at = cv_spot_in(&at, response->expert);
        cv_err_suggest(cv_fault(&at, CV_ERR_INVALID_VALUE, CV_STR("immutable"), (cv_str){NULL, 0},
                                "%.*s has another response for round %lld in the record", CV_FMT(response->expert),
                                (long long)b->round),
                       CV_STR("Leave it out: the stored response is used"));
    }
}

static void existence(cv_batch *b)
{
    cv_map scored = {0}, heard = {0}, placed = {0};
    for (size_t i = 0; i < b->drafts.count; i++)
        existence_of_draft(b, &b->drafts.items[i]);
    each_ref(b, existence_of_ref);
    for (size_t i = 0; i < b->moves.count; i++)
        existence_of_move(b, &b->moves.items[i], i);
    for (size_t i = 0; i < b->updates.count; i++)
        existence_of_update(b, &b->updates.items[i]);
    for (size_t i = 0; i < b->scores.count; i++)
        existence_of_key(b, CV_STR("expert_scores"), b->scores.items[i].expert, &scored);
    for (size_t i = 0; i < b->positions.count; i++)
        existence_of_key(b, CV_STR("positions"), b->positions.items[i].expert, &placed);
    for (size_t i = 0; i < b->responses.count; i++) {
        existence_of_key(b, CV_STR("responses"), b->responses.items[i].expert, &heard);
        response_fits(b, &b->responses.items[i]);
    }
}

/* ---- 4 and 5: meaning, lifecycle ------------------------------------------------------------- */

static void meaning_of_ref(cv_batch *b, const any_ref *any)
{
    const cv_draft_ref *ref = any->ref;
    char source = any->draft ? cv_kinds[any->draft->kind].letter : any->link->source.letter;
    if (ref->type < 0 || !ref->target.letter || !source || cv_ref_joins((cv_ref)ref->type, source, ref->target.letter))
        return;
    const cv_subject *subject = any->draft ? any->draft->subject : any->link->source.subject;
    cv_spot at = at_member(at_ref(b, any), "type");
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
    cv_spot at = at_member(at_update(b, update), "status");
    if (cv_status_may_become(subject->planned, to))
        subject->planned = to;
    else
        cv_fault_transition(&at, subject->id, subject->planned, to);
}

bool cv_batch_check(cv_batch *b)
{
    size_t before = b->call->errs->count;
    words(b);
    consistency(b);
    existence(b);
    each_ref(b, meaning_of_ref);
    for (size_t i = 0; i < b->updates.count; i++)
        lifecycle_of_update(b, &b->updates.items[i]);
    return b->call->errs->count == before;
}
