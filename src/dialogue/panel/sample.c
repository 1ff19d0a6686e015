/* sample.c - who could sit in the next round: a proposal, nothing is written.
 *
 * The rotation says who stays, the judge may keep (`retain`) and leave out (`exclude`) more, and the rest is drawn.
 * What comes out can be sent to evolve-panel as it is, which records it. The same seed gives the same proposal.
 */
#include <assert.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "dialogue/answer.h"
#include "dialogue/journal.h"
#include "dialogue/operations.h"
#include "dialogue/panel/pool.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/errors.h"

/* A candidate and who it is: an expert already, a member of the pool, or both. */
typedef struct {
    const cv_rec_expert *expert;
    const cv_person *member;
} face;

typedef struct {
    cv_call *call;
    cv_state s;
    cv_pool pool;
    int64_t round, seed;
    size_t size;
    cv_rotation rotation;
    cv_candidates candidates;
    face *faces; /* one for each candidate */
    cv_draws draws;
    cv_shown_seat *seats; /* the proposal */
    size_t seat_count;
    cv_selection selection; /* … and how it came about */
} sampling;

/* ---- candidates -------------------------------------------------------------------------------------------------- */

static bool sits_in(const cv_state *s, cv_str slug, int64_t round)
{
    const cv_rec_seat *seats;
    size_t count = cv_state_panel(s, round, &seats);
    for (size_t i = 0; i < count; i++)
        if (cv_str_eq(seats[i].expert_slug, slug))
            return true;
    return false;
}

static void add_expert(sampling *p, const cv_rec_expert *expert)
{
    cv_str slug = expert->expert_slug;
    int tier = cv_words_find(cv_tier_words, expert->tier);
    p->faces[p->candidates.count].expert = expert;
    *CV_PUSH(p->call->arena, &p->candidates) = (cv_candidate){
        .role = expert->role,
        .relevance = expert->relevance,
        .tier = (cv_tier)tier,
        .weight = cv_person_weight(expert->relevance),
        .opened = sits_in(&p->s, slug, 0),
        .heard = cv_person_sat_before(&p->s, slug, p->round),
        .sits = sits_in(&p->s, slug, p->round > 0 ? p->round - 1 : 0),
    };
}

/* Everybody once: the experts in their order, then those of the pool who have not joined yet. */
static void gather(sampling *p)
{
    p->faces = CV_NEW_ARRAY(p->call->arena, p->s.experts.count + p->pool.count, face);
    for (size_t i = 0; i < p->s.experts.count; i++)
        add_expert(p, &p->s.experts.items[i]);
    for (size_t i = 0; i < p->pool.count; i++) {
        const cv_person *member = &p->pool.items[i];
        if (cv_pool_expert(&p->s, member))
            continue;
        p->faces[p->candidates.count].member = member;
        *CV_PUSH(p->call->arena, &p->candidates) = (cv_candidate){.role = member->role,
                                                                  .relevance = member->relevance,
                                                                  .tier = (cv_tier)member->tier,
                                                                  .weight = cv_person_weight(member->relevance)};
    }
}

/* ---- whom the judge named ---------------------------------------------------------------------------------------- */

static cv_str slug_of(const face *f)
{
    return f->expert ? f->expert->expert_slug : f->member->slug;
}

static cv_candidate *find(sampling *p, cv_str name)
{
    for (size_t i = 0; name.n && i < p->candidates.count; i++)
        if (cv_str_eq_nocase(slug_of(&p->faces[i]), name) || cv_str_eq_nocase(p->candidates.items[i].role, name))
            return &p->candidates.items[i];
    return NULL;
}

static void refuse_name(sampling *p, cv_str field, cv_str name)
{
    const cv_candidate *all = p->candidates.items;
    cv_str *names = CV_NEW_ARRAY(p->call->arena, 2 * p->candidates.count, cv_str);
    size_t count = 0;
    for (size_t i = 0; all && i < p->candidates.count; i++) {
        cv_str slug = slug_of(&p->faces[i]);
        if (slug.n)
            names[count++] = slug;
        names[count++] = all[i].role;
    }
    cv_err *err = cv_refuse(p->call, CV_ERR_UNKNOWN_EXPERT, CV_STR(""), "", name,
                            "'%.*s' is neither a name nor a role here", CV_FMT(cv_excerpt(p->call->arena, name)));
    cv_err_field(err, field);
    cv_refuse_words(err, names, count);
}

/* Reads `retain` or `exclude`: names or roles, in any case. */
static void read_names(sampling *p, const char *key, bool keep)
{
    const cv_json *given = cv_json_get(p->call->input, cv_str_of(key));
    for (uint32_t i = 0; given && i < given->count; i++) {
        cv_str field = cv_arena_printf(p->call->arena, "%s[%u]", key, (unsigned)i);
        cv_str name = cv_str_trim(given->items[i].text);
        cv_candidate *candidate = find(p, name);
        if (!candidate)
            refuse_name(p, field, name);
        else if (!keep && candidate->asked)
            cv_err_field(cv_refuse(p->call, CV_ERR_INVALID_VALUE, CV_STR(""), "exclude", name,
                                   "'%.*s' is retained and excluded", CV_FMT(cv_excerpt(p->call->arena, name))),
                         field);
        else if (keep)
            candidate->asked = true;
        else
            candidate->barred = true;
    }
}

/* ---- the panel --------------------------------------------------------------------------------------------------- */

/* As asked, otherwise as large as the panel before, otherwise as the dialogue was planned. */
static int64_t read_size(const sampling *p)
{
    const cv_rec_seat *seats;
    int64_t size = (int64_t)cv_state_panel(&p->s, p->round, &seats);
    if (size == 0 && p->s.dialogue.panel_size != CV_ABSENT)
        size = p->s.dialogue.panel_size;
    return cv_json_get_int(p->call->input, "panel_size", size);
}

static void choose(sampling *p)
{
    const cv_json *size = cv_json_get(p->call->input, CV_STR("panel_size"));
    p->seed = cv_panel_round_seed(p->s.dialogue.seed == CV_ABSENT ? 0 : p->s.dialogue.seed, p->round);
    p->seed = cv_json_get_int(p->call->input, "seed", p->seed);
    p->size = (size_t)read_size(p);
    size_t kept = cv_panel_keep(&p->candidates, p->rotation);
    if (kept > p->size && size)
        cv_err_suggest(cv_refuse(p->call, CV_ERR_INVALID_VALUE, CV_STR(""), "panel_size", size->text,
                                 "%zu expert%s cannot be left out", kept, CV_PLURAL(kept)),
                       CV_STR("exclude some of them or make the panel larger"));
    p->size = p->size > kept ? p->size : kept;
    if (p->call->errs->count == 0)
        cv_panel_draw(p->call->arena, &p->candidates, p->rotation, p->size, p->seed, &p->draws);
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static cv_shown_seat seat_of(sampling *p, size_t candidate, cv_map *taken)
{
    const face *f = &p->faces[candidate];
    cv_arena *a = p->call->arena;
    cv_source source = p->candidates.items[candidate].heard ? CV_SOURCE_RETAINED : CV_SOURCE_POOL;
    cv_rec_expert *expert = CV_NEW(a, cv_rec_expert);
    assert((f->expert != NULL) != (f->member != NULL) && "somebody is an expert, or not yet");
    if (f->expert) {
        *expert = *f->expert;
        if (source != CV_SOURCE_RETAINED && cv_str_eq(expert->source, cv_source_words.items[CV_SOURCE_CREATED]))
            source = CV_SOURCE_CREATED;
    } else {
        cv_str slug = f->member->slug.n ? f->member->slug : cv_panel_deal(a, taken);
        *expert = cv_person_row(f->member, slug, CV_SOURCE_POOL, 0, p->round, (cv_str){NULL, 0});
    }
    return cv_seat_shown(a, expert, &(cv_rec_seat){.source = cv_source_words.items[source]});
}

#define CV_THIS_TYPE sampling
const cv_shape cv_panel_sample_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", s.id, ""),
    CV_FIELD(ALWAYS, round, ""),
    CV_FIELD_AS(ALWAYS, "rotation", s.dialogue.rotation, ""),
    CV_FIELD_AS(ALWAYS, "panel_size", seat_count, ""),
    CV_LIST("panel", seats, seat_count, cv_seat_shape, "a proposal, ready for evolve-panel"),
    CV_OBJECT(ALWAYS, "selection", selection, cv_selection_shape, "how the panel was drawn"),
    CV_FIELD_AS(ALWAYS, "rev", s.position.rev, ""),
    {0},
};
#undef CV_THIS_TYPE

static void write_answer(sampling *p)
{
    cv_arena *a = p->call->arena;
    cv_map taken;
    size_t *order;
    p->seat_count = cv_panel_order(a, &p->candidates, &p->draws, &order);
    p->seats = CV_NEW_ARRAY(a, p->seat_count, cv_shown_seat);
    cv_pool_taken(a, &p->s, &p->pool, &taken);
    for (size_t i = 0; i < p->seat_count; i++)
        p->seats[i] = seat_of(p, order[i], &taken);
    p->selection = cv_selection_shown(a, p->seed, p->size, p->rotation, &p->candidates, &p->draws);
    cv_shape_write(&(cv_json_writer){.out = p->call->out}, cv_panel_sample_shape, p);
}

bool cv_dialogue_panel_sample(cv_call *call)
{
    const uint32_t kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) | CV_REC_BIT(ROUND);
    cv_wanted wanted = {.kinds = kinds, .no_content = true};
    sampling p = {.call = call};
    cv_err err = {.arena = call->arena};
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &wanted, &p.s, &err))
        return cv_call_fail(call, &err);
    p.round = cv_json_get_int(call->input, "round", cv_state_next_round(&p.s));
    int rotation = cv_words_find(cv_rotation_words, p.s.dialogue.rotation);
    p.rotation = rotation < 0 ? CV_ROTATION_GRADUATED : (cv_rotation)rotation;
    if (!cv_journal_open(call, &p.s, false) || !cv_require_next_round(call, &p.s, p.round) ||
        !cv_pool_load(call, p.s.dialogue.expert_pool, &p.pool))
        return false;
    gather(&p);
    read_names(&p, "retain", true);
    read_names(&p, "exclude", false);
    choose(&p);
    if (call->errs->count > 0)
        return false;
    write_answer(&p);
    return true;
}
