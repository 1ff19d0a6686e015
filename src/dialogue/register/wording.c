/* wording.c - other words than the experts'; see wording.h. */
#include "dialogue/register/wording.h"

#include "dialogue/people.h"

typedef struct {
    cv_batch *batch;
    cv_arena *a;
    const cv_extract *extract;
    const cv_map *responded, *differing;
    cv_map entity_at; /* local id -> const cv_extracted_entity * */
    cv_map ref_at;    /* source, type, target -> const cv_extracted_ref * */
    cv_map move_at;   /* expert, type, how many of these before -> const cv_extracted_move * */
} comparing;

static void warn(comparing *c, cv_str id, cv_str field, cv_str expert, cv_str message)
{
    cv_notice *warning = cv_notice_add(&c->batch->warnings, c->a, CV_STR("changed_by_judge"), "%.*s", CV_FMT(message));
    warning->id = id;
    warning->field = field;
    cv_notice_expert(warning, expert);
}

static bool same(comparing *c, cv_str x, cv_str y)
{
    x = cv_str_trim(x);
    y = cv_str_trim(y);
    return cv_str_eq(x, y) || cv_same_words(c->a, x, y);
}

static const void *at(const cv_map *map, cv_str key)
{
    const uintptr_t *place = cv_map_get(map, key);
    return place ? (const void *)*place : NULL;
}

static bool speaks(const comparing *c, cv_str expert)
{
    return cv_map_get(c->responded, expert) != NULL;
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

/* Did the expert send the response? One that comes with the request is of the same hand as the item. */
static bool was_handed_in(const comparing *c, cv_str expert)
{
    const cv_batch *b = c->batch;
    for (size_t i = 0; i < b->responses.count; i++)
        if (cv_str_eq(b->responses.items[i].expert, expert))
            return b->responses.items[i].stored;
    return true;
}

/* Everything that shows the item says that the words are the judge's. */
static void mark_worded(comparing *c, const cv_draft *draft, cv_str expert)
{
    if (!was_handed_in(c, expert))
        return;
    draft->subject->row->correction = cv_arena_printf(
        c->a, "{\"by\":[\"judge\"],\"reason\":\"registered with other words than those of the response\"}");
}

/* A merged item may have the words of any of those that it was merged from. */
static bool is_worded_by(comparing *c, const cv_draft *draft, cv_str text, bool label)
{
    for (size_t i = 0; i <= draft->also_count; i++) {
        const cv_extracted_entity *e = at(&c->entity_at, i ? draft->also[i - 1] : draft->local_id);
        if (e && same(c, text, label ? e->label : e->content))
            return true;
    }
    return false;
}

static void compare_text(comparing *c, const cv_draft *draft, const cv_extracted_entity *e, bool label)
{
    cv_str field = label ? CV_STR("label") : CV_STR("content");
    if (is_worded_by(c, draft, label ? draft->label : draft->content, label))
        return;
    mark_worded(c, draft, e->expert);
    warn(c, draft->local_id, field, e->expert,
         cv_arena_printf(c->a, "the %.*s of %.*s is not what the response of %.*s says", CV_FMT(field),
                         CV_FMT(draft->local_id), CV_FMT(e->expert)));
}

static bool contributed(comparing *c, const cv_draft *draft, cv_str who)
{
    for (size_t i = 0; i <= draft->also_count; i++) {
        const cv_extracted_entity *e = at(&c->entity_at, i ? draft->also[i - 1] : draft->local_id);
        if (e && cv_str_eq(e->expert, who))
            return true;
        for (size_t k = 0; e && k < e->others.count; k++)
            if (cv_str_eq(e->others.items[k], who))
                return true;
    }
    return false;
}

static void compare_contributors(comparing *c, const cv_draft *draft, const cv_extracted_entity *e)
{
    bool own = false;
    for (size_t i = 0; i < draft->by.count; i++) {
        cv_str who = draft->by.items[i];
        own = own || cv_str_eq(who, e->expert);
        if (!contributed(c, draft, who))
            warn(c, draft->local_id, CV_STR("contributors"), who,
                 cv_arena_printf(c->a, "%.*s is named as a contributor of %.*s: the response of %.*s does not say so",
                                 CV_FMT(who), CV_FMT(draft->local_id), CV_FMT(e->expert)));
    }
    if (!own)
        warn(c, draft->local_id, CV_STR("contributors"), e->expert,
             cv_arena_printf(c->a, "%.*s wrote %.*s and is not among its contributors", CV_FMT(e->expert),
                             CV_FMT(draft->local_id)));
}

static void compare_items(comparing *c)
{
    for (size_t i = 0; i < c->batch->drafts.count; i++) {
        const cv_draft *draft = &c->batch->drafts.items[i];
        const cv_extracted_entity *e = at(&c->entity_at, draft->local_id);
        if (!e)
            continue;
        if (cv_map_get(c->differing, draft->local_id)) {
            mark_worded(c, draft, e->expert);
        } else {
            compare_text(c, draft, e, true);
            compare_text(c, draft, e, false);
        }
        compare_contributors(c, draft, e);
    }
}

/* ---- references -------------------------------------------------------------------------------------------------- */

static cv_str reference_key(comparing *c, cv_str source, int type, cv_str target)
{
    return cv_arena_printf(c->a, "%.*s %d %.*s", CV_FMT(source), type, CV_FMT(target));
}

static void know_reference(comparing *c, cv_str source, const cv_extracted_ref *ref)
{
    cv_target target = {.text = ref->target};
    bool is_new;
    cv_target_resolve(c->batch, &target);
    uintptr_t *place = cv_map_put(&c->ref_at, c->a, reference_key(c, source, (int)ref->type, target.id), &is_new);
    if (is_new)
        *place = (uintptr_t)ref;
}

static void know_references(comparing *c)
{
    const cv_extract *h = c->extract;
    for (size_t i = 0; i < h->entities.count; i++) {
        const cv_draft *draft = at(&c->batch->local_at, h->entities.items[i].local_id);
        for (size_t k = 0; draft && k < h->entities.items[i].refs.count; k++)
            know_reference(c, draft->subject->id, &h->entities.items[i].refs.items[k]);
    }
    for (size_t i = 0; i < h->links.count; i++)
        know_reference(c, cv_arena_join(c->a, CV_STR("@"), h->links.items[i].expert), &h->links.items[i].ref);
}

static void compare_reference(comparing *c, cv_str source, cv_str name, cv_str expert, const cv_draft_ref *ref)
{
    const cv_extracted_ref *extracted = at(&c->ref_at, reference_key(c, source, ref->type, ref->target.id));
    cv_str word = cv_ref_words.items[ref->type];
    if (!extracted)
        warn(c, name, CV_STR("references"), expert,
             cv_arena_printf(c->a, "%.*s %.*s %.*s: the response of %.*s does not say so", CV_FMT(name), CV_FMT(word),
                             CV_FMT(ref->target.text), CV_FMT(expert)));
    else if (!same(c, ref->reason, extracted->reason))
        warn(c, name, CV_STR("reason"), expert,
             cv_arena_printf(c->a, "%.*s %.*s %.*s: the reason is not that of the response of %.*s", CV_FMT(name),
                             CV_FMT(word), CV_FMT(ref->target.text), CV_FMT(expert)));
}

static void compare_references(comparing *c)
{
    const cv_batch *b = c->batch;
    know_references(c);
    for (size_t i = 0; i < b->drafts.count; i++) {
        const cv_draft *draft = &b->drafts.items[i];
        const cv_extracted_entity *e = at(&c->entity_at, draft->local_id);
        for (size_t k = 0; e && k < draft->ref_count; k++)
            compare_reference(c, draft->subject->id, draft->local_id, e->expert, &draft->refs[k]);
    }
    for (size_t i = 0; i < b->links.count; i++) {
        const cv_draft_link *link = &b->links.items[i];
        cv_str expert = link->source.letter == '@' ? cv_str_from(link->source.id, 1) : (cv_str){NULL, 0};
        if (expert.n && speaks(c, expert))
            compare_reference(c, link->source.id, link->source.id, expert, &link->ref);
    }
}

/* ---- moves ------------------------------------------------------------------------------------------------------- */

/* "concede/muffin/2": the second of this kind. */
static cv_str move_key(comparing *c, cv_map *counts, cv_str expert, int type)
{
    cv_str kind = cv_arena_printf(c->a, "%d/%.*s", type, CV_FMT(expert));
    uintptr_t *count = cv_map_put(counts, c->a, kind, NULL);
    return cv_arena_printf(c->a, "%.*s/%llu", CV_FMT(kind), (unsigned long long)++*count);
}

static bool same_targets(comparing *c, const cv_draft_move *move, const cv_extracted_move *extracted)
{
    cv_map known_ids = {0};
    for (size_t i = 0; i < extracted->targets.count; i++) {
        cv_target target = {.text = extracted->targets.items[i]};
        cv_target_resolve(c->batch, &target);
        cv_map_put(&known_ids, c->a, target.id, NULL);
    }
    size_t known = 0;
    for (size_t i = 0; i < move->target_count; i++)
        known += cv_map_get(&known_ids, move->targets[i].id) != NULL;
    return known == move->target_count && known >= known_ids.count;
}

static void compare_move(comparing *c, const cv_draft_move *move, const cv_extracted_move *extracted)
{
    cv_str word = cv_move_words.items[move->type];
    if (!extracted)
        warn(c, (cv_str){NULL, 0}, CV_STR("moves"), move->expert,
             cv_arena_printf(c->a, "%.*s does not make the move '%.*s' in the response", CV_FMT(move->expert),
                             CV_FMT(word)));
    else if (!same_targets(c, move, extracted))
        warn(c, (cv_str){NULL, 0}, CV_STR("targets"), move->expert,
             cv_arena_printf(c->a, "the move '%.*s' of %.*s has other targets in the response", CV_FMT(word),
                             CV_FMT(move->expert)));
    if (extracted && !same(c, move->context, extracted->context))
        warn(c, (cv_str){NULL, 0}, CV_STR("context"), move->expert,
             cv_arena_printf(c->a, "the context of the move '%.*s' is not what %.*s says in the response", CV_FMT(word),
                             CV_FMT(move->expert)));
}

static void compare_moves(comparing *c)
{
    cv_map extracted = {0}, given = {0};
    for (size_t i = 0; i < c->extract->moves.count; i++) {
        const cv_extracted_move *move = &c->extract->moves.items[i];
        if (!move->pending)
            *cv_map_put(&c->move_at, c->a, move_key(c, &extracted, move->expert, (int)move->type), NULL) =
                (uintptr_t)move;
    }
    for (size_t i = 0; i < c->batch->moves.count; i++) {
        const cv_draft_move *move = &c->batch->moves.items[i];
        if (speaks(c, move->expert))
            compare_move(c, move, at(&c->move_at, move_key(c, &given, move->expert, move->type)));
    }
}

/* ---- positions --------------------------------------------------------------------------------------------------- */

static void compare_positions(comparing *c)
{
    const cv_batch *b = c->batch;
    cv_map given = {0}, spoke = {0};
    for (size_t i = 0; i < b->positions.count; i++)
        *cv_map_put(&given, c->a, b->positions.items[i].expert, NULL) = (uintptr_t)&b->positions.items[i];
    for (size_t i = 0; i < c->extract->positions.count; i++) {
        const cv_extracted_position *extracted = &c->extract->positions.items[i];
        const cv_draft_position *position = at(&given, extracted->expert);
        cv_map_put(&spoke, c->a, extracted->expert, NULL);
        if (!position)
            warn(c, (cv_str){NULL, 0}, CV_STR("positions"), extracted->expert,
                 cv_arena_printf(c->a, "the position of %.*s is left out", CV_FMT(extracted->expert)));
        else if (!same(c, position->content, extracted->text))
            warn(
                c, (cv_str){NULL, 0}, CV_STR("positions"), extracted->expert,
                cv_arena_printf(c->a, "the position of %.*s is not what the response says", CV_FMT(extracted->expert)));
    }
    for (size_t i = 0; i < b->positions.count; i++) {
        cv_str expert = b->positions.items[i].expert;
        if (!cv_map_get(&spoke, expert) && speaks(c, expert))
            warn(c, (cv_str){NULL, 0}, CV_STR("positions"), expert,
                 cv_arena_printf(c->a, "the response of %.*s has no position", CV_FMT(expert)));
    }
}

void cv_wording_warn(cv_batch *b, const cv_extract *extract, const cv_map *responded, const cv_map *differing)
{
    comparing c = {.batch = b, .a = b->call->arena, .extract = extract, .responded = responded, .differing = differing};
    for (size_t i = 0; i < extract->entities.count; i++)
        *cv_map_put(&c.entity_at, c.a, extract->entities.items[i].local_id, NULL) =
            (uintptr_t)&extract->entities.items[i];
    compare_items(&c);
    compare_references(&c);
    compare_moves(&c);
    if (b->positions_given)
        compare_positions(&c);
}
