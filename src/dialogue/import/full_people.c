/* full_people.c - who is in a full dialogue: its pool, its experts, who sat in which round; see full_importing.h. */
#include "dialogue/import/full_importing.h"
#include "dialogue/operations.h"

/* ---- create ------------------------------------------------------------------------------------------------------ */

static bool is_from_pool(const cv_full_expert *e)
{
    return cv_str_eq(e->source, cv_source_words.items[CV_SOURCE_POOL]);
}

/* Those of the pool as the file lists it, then the experts who came from it. */
static void write_pool(cv_full_importing *p, cv_json_writer *w)
{
    cv_script *s = p->t->s;
    cv_map roles = {0};
    size_t count = s->pool.count;
    bool is_new, ok;
    for (size_t i = 0; i < s->pool.count; i++)
        cv_map_put(&roles, s->arena, cv_agent_key(s->arena, s->pool.items[i].role), NULL);
    for (size_t i = 0; i < p->t->experts.count; i++) {
        const cv_full_expert *e = &p->t->experts.items[i];
        cv_map_put(&roles, s->arena, cv_agent_key(s->arena, e->role), &is_new);
        if (!is_from_pool(e) || !e->role.n || !is_new)
            continue;
        *CV_PUSH(s->arena, &s->pool) =
            (cv_member){e->role, cv_tier_or_usual(e->tier, &ok), cv_relevance_or_usual(e->relevance, &ok), e->focus};
    }
    cv_importing_pool(s, w);
    s->pool.count = count;
}

bool cv_full_create(cv_full_importing *p)
{
    cv_buf text;
    cv_script *s = p->t->s;
    cv_json_writer w = cv_importing_begin(&p->p, &text, "create");
    cv_json_key_str(&w, "title", s->title);
    cv_json_key_str_if(&w, "question", s->question);
    write_pool(p, &w);
    if (p->t->background.n) {
        cv_json_key(&w, CV_STR("background"));
        cv_json_raw(&w, p->t->background);
    }
    return cv_importing_create(&p->p, &w);
}

/* ---- people ------------------------------------------------------------------------------------------------------ */

static void write_newcomer(cv_full_importing *p, const cv_full_expert *e, cv_json_writer *w)
{
    bool ok;
    cv_str relevance = cv_relevance_or_usual(e->relevance, &ok);
    if (ok) {
        cv_json_key(w, CV_STR("relevance"));
        cv_json_raw(w, relevance);
    }
    cv_json_key_str(w, "role", e->role.n ? e->role : e->slug);
    cv_json_key_str(w, "tier", cv_tier_or_usual(e->tier, &ok));
    cv_json_key_str(w, "reason",
                    e->reason.n ? e->reason : cv_arena_printf(p->t->s->arena, "takes part in round %d", p->round));
    cv_json_key_str_if(w, "focus", e->focus);
    cv_json_key_str_if(w, "color", e->color);
}

/* Experts without a seat: made when all who are before them in the panel are there. */
void cv_full_create_unseated(cv_full_importing *p)
{
    for (size_t i = 0; i < p->t->experts.count && !p->p.failed; i++) {
        const cv_full_expert *e = &p->t->experts.items[i];
        cv_buf text;
        if (cv_state_expert(&p->state, e->slug))
            continue;
        if (e->sits_somewhere)
            return;
        const char *step = cv_arena_printf(p->t->s->arena, "expert-%.*s", CV_FMT(e->slug)).p;
        cv_json_writer w = cv_importing_begin(&p->p, &text, step);
        cv_json_key_str(&w, "expert_slug", e->slug);
        write_newcomer(p, e, &w);
        cv_json_key_int(&w, "first_round", p->round);
        if (cv_importing_send(&p->p, &w, step, cv_dialogue_expert_create, NULL))
            cv_importing_load(&p->p, p->round, &p->state);
    }
}

/* The place of an expert in the panel's table, when this round is its first; else -1. */
static int newcomer(const cv_full_importing *p, cv_str slug)
{
    for (size_t i = 0; i < p->t->experts.count; i++)
        if (cv_str_eq(p->t->experts.items[i].slug, slug))
            return cv_state_expert(&p->state, slug) ? -1 : (int)i;
    return -1;
}

static bool has_earlier_newcomer(const cv_full_importing *p, const cv_str *rest, size_t count, int than)
{
    for (size_t i = 0; i < count; i++) {
        int place = newcomer(p, rest[i]);
        if (place >= 0 && place < than)
            return true;
    }
    return false;
}

/* The seats: those who spoke and those who did not, each in their order, newcomers as the panel lists them. */
static void seat(cv_full_importing *p, cv_words *ret_seats)
{
    const cv_full_round *round = &p->t->rounds[p->round];
    cv_arena *a = p->t->s->arena;
    CV_STATE_LIST(cv_str) lists[3] = {{0}}, seats = {0};
    cv_map listed = {0};
    size_t at[3] = {0}, total = 0;
    for (size_t i = 0; i < round->spoke.count + round->silent.count; i++) {
        bool spoke = i < round->spoke.count, is_new;
        cv_str slug = spoke ? round->spoke.items[i] : round->silent.items[i - round->spoke.count];
        const cv_full_expert *e = cv_full_expert_at(p->t, slug);
        cv_map_put(&listed, a, slug, &is_new);
        if (is_new && e && e->sits[p->round])
            *CV_PUSH(a, &lists[spoke ? 0 : 1]) = slug;
    }
    for (size_t i = 0; i < p->t->experts.count; i++)
        if (p->t->experts.items[i].sits[p->round] && !cv_map_get(&listed, p->t->experts.items[i].slug))
            *CV_PUSH(a, &lists[2]) = p->t->experts.items[i].slug;
    for (size_t i = 0; i < CV_COUNT(lists); i++)
        total += lists[i].count;
    while (seats.count < total) {
        size_t choice = CV_COUNT(lists), any = CV_COUNT(lists);
        for (size_t i = CV_COUNT(lists); i-- > 0;) {
            int place = at[i] < lists[i].count ? newcomer(p, lists[i].items[at[i]]) : -1;
            bool waits = false;
            for (size_t k = 0; k < CV_COUNT(lists) && place >= 0; k++)
                waits |= has_earlier_newcomer(p, lists[k].items + at[k], lists[k].count - at[k], place);
            any = at[i] < lists[i].count ? i : any;
            choice = at[i] < lists[i].count && !waits ? i : choice;
        }
        choice = choice < CV_COUNT(lists) ? choice : any;
        *CV_PUSH(a, &seats) = lists[choice].items[at[choice]++];
    }
    *ret_seats = (cv_words){seats.items, seats.count};
}

static bool sits_already(const cv_full_importing *p, const cv_words *seats)
{
    const cv_rec_seat *sitting;
    if (cv_state_panel(&p->state, p->round, &sitting) != seats->count)
        return false;
    for (size_t i = 0; i < seats->count; i++)
        if (!cv_str_eq(sitting[i].expert_slug, seats->items[i]))
            return false;
    return true;
}

static void write_seat(cv_full_importing *p, cv_str slug, cv_json_writer *w)
{
    const cv_rec_expert *known = cv_state_expert(&p->state, slug);
    const cv_full_expert *e = cv_full_expert_at(p->t, slug);
    bool sat = false;
    for (size_t i = 0; i < p->state.seats.count; i++)
        sat |= p->state.seats.items[i].round < p->round && cv_str_eq(p->state.seats.items[i].expert_slug, slug);
    cv_json_begin_object(w);
    cv_json_key_str(w, "slug", slug);
    cv_json_key_str(w, "source",
                    sat               ? cv_source_words.items[CV_SOURCE_RETAINED]
                    : known           ? known->source
                    : is_from_pool(e) ? e->source
                                      : cv_source_words.items[CV_SOURCE_CREATED]);
    if (!known && is_from_pool(e))
        cv_json_key_str(w, "role", e->role);
    else if (!known)
        write_newcomer(p, e, w);
    cv_json_end_object(w);
}

void cv_full_evolve(cv_full_importing *p)
{
    cv_words seats;
    cv_buf text;
    const char *step = cv_arena_printf(p->t->s->arena, "panel-%d", p->round).p;
    seat(p, &seats);
    if (seats.count == 0 || p->round < cv_state_next_round(&p->state) || sits_already(p, &seats))
        return;
    cv_json_writer w = cv_importing_begin(&p->p, &text, step);
    cv_json_key_int(&w, "round", p->round);
    cv_json_key(&w, CV_STR("panel"));
    cv_json_begin_array(&w);
    for (size_t i = 0; i < seats.count; i++)
        write_seat(p, seats.items[i], &w);
    cv_json_end_array(&w);
    if (cv_importing_send(&p->p, &w, step, cv_dialogue_evolve_panel, NULL))
        cv_importing_load(&p->p, p->round, &p->state);
}
