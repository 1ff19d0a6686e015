/* experts.c - experts over all dialogues of a project: scores, what became of what they said, who agrees with whom.
 *
 *     every dialogue -> its rows, once, in their order -> sums of each expert
 *                                                      -> pairs: who supported and opposed whom
 *                                                      -> of one expert that is asked for: every dialogue, item by item
 *
 * The same name is the same expert. A reference counts for every contributor of its source and of its target.
 */
#include <stdlib.h>

#include "base/map.h"
#include "base/utf8.h"
#include "dialogue/faults.h"
#include "dialogue/operations.h"
#include "dialogue/people.h"

enum { USUAL_LIMIT = 100 };

#define LIST(type)                                                                                                     \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

typedef struct {
    cv_str slug;
    LIST(cv_str) roles;
    int64_t dialogues, rounds, score, contributions, raised, closed, made, adopted;
} expert;

typedef struct {
    cv_str from, to;
    int64_t support, oppose;
} pair;

typedef struct {
    int64_t round, score;
} score;

typedef struct {
    cv_str id, kind, label, status;
    int64_t round;
} item;

/* What one expert did in one dialogue. */
typedef struct {
    cv_str dialogue_id, title, status, role, tier, focus;
    int64_t total; /* CV_ABSENT: no score yet */
    LIST(score) scores;
    LIST(item) items;
} part;

typedef struct {
    cv_call *call;
    cv_str wanted; /* absent: all experts */
    LIST(expert) experts;
    LIST(pair) pairs;
    LIST(part) parts;
    cv_map expert_at, pair_at; /* slug, "from to" -> index + 1 */
    /* ---- the dialogue that is read now ---- */
    cv_arena scratch;
    cv_str id;
    cv_rec_dialogue row;
    bool sits; /* the one who is wanted: their part is the last one */
    cv_map by; /* display id -> contributors, as JSON: cv_str * */
} reading;

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static expert *expert_of(reading *r, cv_str slug)
{
    cv_arena *a = r->call->arena;
    uintptr_t *at = cv_map_get(&r->expert_at, slug);
    if (at)
        return &r->experts.items[*at - 1];
    cv_str name = cv_arena_copy(a, slug);
    at = cv_map_put(&r->expert_at, a, name, NULL);
    *CV_PUSH(a, &r->experts) = (expert){.slug = name};
    *at = r->experts.count;
    return &r->experts.items[*at - 1];
}

static pair *pair_of(reading *r, cv_str from, cv_str to)
{
    cv_arena *a = r->call->arena;
    cv_str key = cv_arena_printf(&r->scratch, "%.*s %.*s", CV_FMT(from), CV_FMT(to));
    uintptr_t *at = cv_map_get(&r->pair_at, key);
    if (!at) {
        at = cv_map_put(&r->pair_at, a, cv_arena_copy(a, key), NULL);
        *CV_PUSH(a, &r->pairs) = (pair){.from = cv_arena_copy(a, from), .to = cv_arena_copy(a, to)};
        *at = r->pairs.count;
    }
    return &r->pairs.items[*at - 1];
}

/* The part of the one who is wanted, if it is about them. NULL: it is not. */
static part *part_of(reading *r, cv_str slug)
{
    return r->sits && cv_str_eq(slug, r->wanted) ? &r->parts.items[r->parts.count - 1] : NULL;
}

/* ---- rows, in the order in which they are read --------------------------------------------------------------------
 */

static void take_expert(reading *r, const cv_rec_expert *row)
{
    cv_arena *a = r->call->arena;
    expert *e = expert_of(r, row->expert_slug);
    bool known = false;
    for (size_t i = 0; i < e->roles.count; i++)
        known |= cv_str_eq(e->roles.items[i], row->role);
    if (!known && row->role.n)
        *CV_PUSH(a, &e->roles) = cv_arena_copy(a, row->role);
    e->dialogues++;
    if (!cv_str_eq(row->expert_slug, r->wanted))
        return;
    r->sits = true;
    *CV_PUSH(a, &r->parts) = (part){.dialogue_id = cv_arena_copy(a, r->id),
                                    .title = cv_arena_copy(a, r->row.title),
                                    .status = cv_arena_copy(a, r->row.status),
                                    .role = cv_arena_copy(a, row->role),
                                    .tier = cv_arena_copy(a, row->tier),
                                    .focus = row->focus.p ? cv_arena_copy(a, row->focus) : row->focus,
                                    .total = CV_ABSENT};
}

static void take_score(reading *r, const cv_rec_score *row)
{
    expert *e = expert_of(r, row->expert_slug);
    part *p = part_of(r, row->expert_slug);
    e->rounds++;
    if (row->score == CV_ABSENT)
        return;
    e->score += row->score;
    if (p) {
        p->total = (p->total == CV_ABSENT ? 0 : p->total) + row->score;
        *CV_PUSH(r->call->arena, &p->scores) = (score){row->round, row->score};
    }
}

static void count_entity(expert *e, cv_kind kind, const cv_rec_entity *row)
{
    int status = cv_status_find(kind, row->status);
    e->contributions++;
    if (kind == CV_KIND_TENSION) {
        e->raised++;
        e->closed += status >= 0 && !cv_tension_status_is_open((cv_status)status);
    } else if (kind == CV_KIND_RECOMMENDATION) {
        e->made++;
        e->adopted += status == CV_STATUS_RECOMMENDATION_ADOPTED;
    }
}

static void take_entity(reading *r, const cv_rec_entity *row)
{
    cv_arena *a = r->call->arena;
    int kind = row->kind.n == 1 ? cv_kind_of_letter(row->kind.p[0]) : -1;
    cv_str id = cv_entity_id(&r->scratch, row), *kept = CV_NEW(&r->scratch, cv_str);
    cv_words by = cv_json_list(&r->scratch, row->contributors);
    *kept = cv_arena_copy(&r->scratch, row->contributors);
    *cv_map_put(&r->by, &r->scratch, id, NULL) = (uintptr_t)kept;
    for (size_t i = 0; kind >= 0 && i < by.count; i++) {
        part *p = part_of(r, by.items[i]);
        if (cv_str_eq(by.items[i], cv_judge_slug))
            continue;
        count_entity(expert_of(r, by.items[i]), (cv_kind)kind, row);
        if (p)
            *CV_PUSH(a, &p->items) = (item){.id = cv_arena_copy(a, id),
                                            .kind = cv_kinds[kind].word,
                                            .label = cv_arena_copy(a, row->label),
                                            .status = cv_arena_copy(a, row->status),
                                            .round = row->round};
    }
}

/* Whose it is: of a display id the contributors, of @muffin muffin. */
static cv_words owners_of(reading *r, cv_str id)
{
    if (cv_str_starts(id, CV_STR("@"))) {
        cv_str *slug = CV_NEW(&r->scratch, cv_str);
        *slug = cv_str_from(id, 1);
        return (cv_words){slug, 1};
    }
    const uintptr_t *at = cv_map_get(&r->by, id);
    return at ? cv_json_list(&r->scratch, *(const cv_str *)*at) : (cv_words){NULL, 0};
}

static void take_reference(reading *r, const cv_rec_reference *row)
{
    bool support = cv_str_eq(row->ref_type, CV_STR("support")), oppose = cv_str_eq(row->ref_type, CV_STR("oppose"));
    if (!support && !oppose)
        return;
    cv_words from = owners_of(r, row->source_id), to = owners_of(r, row->target_id);
    for (size_t i = 0; i < from.count; i++)
        for (size_t k = 0; k < to.count; k++) {
            bool about = !r->wanted.p || cv_str_eq(from.items[i], r->wanted) || cv_str_eq(to.items[k], r->wanted);
            if (!about || cv_str_eq(from.items[i], to.items[k]))
                continue;
            pair *p = pair_of(r, from.items[i], to.items[k]);
            p->support += support;
            p->oppose += oppose;
        }
}

static bool take_row(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    reading *r = ctx;
    (void)err;
    if (kind == CV_REC_EXPERT)
        take_expert(r, row);
    else if (kind == CV_REC_SCORE)
        take_score(r, row);
    else if (kind == CV_REC_ENTITY)
        take_entity(r, row);
    else if (kind == CV_REC_REFERENCE)
        take_reference(r, row);
    return true;
}

static bool read_dialogue(void *ctx, cv_str id, const cv_rec_dialogue *row, int64_t rev, cv_err *err)
{
    const uint32_t outlines = CV_REC_BIT(SCORE) | CV_REC_BIT(ENTITY) | CV_REC_BIT(REFERENCE);
    const cv_wanted wanted = {.kinds = outlines | CV_REC_BIT(EXPERT), .outline = outlines};
    reading *r = ctx;
    cv_position at;
    bool found;
    (void)rev;
    cv_arena_reset(&r->scratch);
    r->by = (cv_map){0};
    r->id = id;
    r->row = *row;
    r->sits = false;
    return cv_snapshot(r->call, id, &wanted, take_row, r, &at, &found, err);
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static int by_score(const void *x, const void *y)
{
    const expert *a = x, *b = y;
    int order = CV_ORDER(b->score, a->score);
    return order ? order : cv_str_order(a->slug, b->slug);
}

static int by_names(const void *x, const void *y)
{
    const pair *a = x, *b = y;
    int order = cv_str_order(a->from, b->from);
    return order ? order : cv_str_order(a->to, b->to);
}

#define CV_THIS_TYPE expert
static const cv_shape expert_shape[] = {
    CV_FIELD_AS(ALWAYS, "expert_slug", slug, ""),
    CV_TEXTS("roles", roles.items, roles.count, "in the order in which they began"),
    CV_FIELD(ALWAYS, dialogues, "in which they were on the panel"),
    CV_FIELD(ALWAYS, rounds, "in which they were scored"),
    CV_FIELD_AS(ALWAYS, "total_score", score, ""),
    CV_FIELD(ALWAYS, contributions, "of every kind"),
    CV_FIELD_AS(ALWAYS, "tensions_raised", raised, ""),
    CV_FIELD_AS(ALWAYS, "tensions_closed", closed, "of those that they raised: resolved or accepted"),
    CV_FIELD_AS(ALWAYS, "recommendations_made", made, ""),
    CV_FIELD_AS(ALWAYS, "recommendations_adopted", adopted, ""),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE pair
static const cv_shape pair_shape[] = {
    CV_FIELD(ALWAYS, from, ""),
    CV_FIELD(ALWAYS, to, ""),
    CV_FIELD(ALWAYS, support, "references from what the one said to what the other said"),
    CV_FIELD(ALWAYS, oppose, ""),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE score
static const cv_shape score_shape[] = {CV_FIELD(ALWAYS, round, ""), CV_FIELD(ALWAYS, score, ""), {0}};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE item
static const cv_shape item_shape[] = {
    CV_FIELD(ALWAYS, id, ""),    CV_FIELD(ALWAYS, kind, ""),   CV_FIELD(ALWAYS, label, ""),
    CV_FIELD(ALWAYS, round, ""), CV_FIELD(ALWAYS, status, ""), {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE part
static const cv_shape part_shape[] = {
    CV_FIELD(ALWAYS, dialogue_id, ""),
    CV_FIELD(ALWAYS, title, ""),
    CV_FIELD_AS(ALWAYS, "dialogue_status", status, ""),
    CV_FIELD(ALWAYS, role, ""),
    CV_FIELD(ALWAYS, tier, ""),
    CV_FIELD(IF_ANY, focus, ""),
    CV_FIELD_AS(OR_NULL, "total_score", total, "null: no score yet"),
    CV_LIST("scores", scores.items, scores.count, score_shape, "by round"),
    CV_LIST("items", items.items, items.count, item_shape, "what they said, and what became of it"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE reading
const cv_shape cv_experts_shape[] = {
    CV_SUCCESS,
    CV_LIST("experts", experts.items, experts.count, expert_shape,
            "by all their scores, then by name; the same name is the same expert"),
    CV_LIST("agreement", pairs.items, pairs.count, pair_shape, "who supported and opposed whom"),
    CV_LIST("dialogues", parts.items, parts.count, part_shape, "only of one expert: where they sat"),
    {0},
};
#undef CV_THIS_TYPE

/* Of one expert, or the first ones by score. False: nobody has that name. */
static bool cut(reading *r)
{
    size_t limit = (size_t)cv_json_get_int(r->call->input, "limit", USUAL_LIMIT);
    if (r->experts.count > 1)
        qsort(r->experts.items, r->experts.count, sizeof *r->experts.items, by_score);
    if (r->pairs.count > 1)
        qsort(r->pairs.items, r->pairs.count, sizeof *r->pairs.items, by_names);
    if (!r->wanted.p) {
        r->experts.count = r->experts.count < limit ? r->experts.count : limit;
        return true;
    }
    size_t at = 0;
    while (at < r->experts.count && !cv_str_eq(r->experts.items[at].slug, r->wanted))
        at++;
    if (at < r->experts.count)
        r->experts.items[0] = r->experts.items[at];
    r->experts.count = at < r->experts.count;
    return r->experts.count || cv_require_known(r->call, r->wanted);
}

bool cv_dialogue_experts(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_str wanted = cv_json_get_text(call->input, "expert");
    reading r = {.call = call, .wanted = wanted.p ? cv_arena_lower(call->arena, wanted) : wanted};
    const cv_list_query all = {0};
    bool read = cv_list_dialogues(call->record, call->arena, &all, read_dialogue, &r, &err);
    cv_arena_release(&r.scratch);
    if (!read)
        return cv_call_fail(call, &err);
    if (!cut(&r))
        return false;
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_experts_shape, &r);
    return true;
}
