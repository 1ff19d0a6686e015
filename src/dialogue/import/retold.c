/* retold.c - a dialogue that a file tells in full becomes part of the record; see retold.h.
 *
 *     create -> for every round: expert-create, evolve-panel, round-register, interim verdicts, update -> verdicts
 *
 * References and moves have the same effects on statuses as they had before. What they do not explain was the judge's
 * word, and is given as such: with the round, or behind it when only then the record can say the same.
 */
#include "dialogue/import/retold.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "dialogue/operations.h"
#include "dialogue/register/cascade.h"
#include "dialogue/transcript/transcript.h"

typedef struct {
    cv_playing p;
    cv_retold *t;
    cv_state state; /* before the round */
    int round;
    CV_STATE_LIST(cv_str) seated; /* the panel as it was made last */
} playing;

/* ---- what is told ------------------------------------------------------------------------------------------------ */

cv_retold_round *cv_retold_round_at(cv_retold *t, int64_t round, size_t line)
{
    static const cv_points nothing = {CV_ABSENT, {CV_ABSENT, CV_ABSENT, CV_ABSENT, CV_ABSENT}};
    if (round < 0 || round > CV_MAX_ROUND) {
        cv_script_misunderstand(t->s, t->sheet, line, CV_STR(""), "round %lld: rounds go from 0 to %d",
                                (long long)round, CV_MAX_ROUND);
        return NULL;
    }
    for (; t->round_count <= (size_t)round; t->round_count++)
        t->rounds[t->round_count].points = nothing;
    t->rounds[round].told = true;
    return &t->rounds[round];
}

cv_retold_expert *cv_retold_expert_at(cv_retold *t, cv_str slug)
{
    for (size_t i = 0; i < t->experts.count; i++)
        if (cv_str_eq(t->experts.items[i].slug, slug))
            return &t->experts.items[i];
    if (!cv_slug_ok(slug) || cv_str_eq(slug, cv_judge_slug) || t->experts.count >= CV_MAX_EXPERTS) {
        cv_script_misunderstand(t->s, t->sheet, 0, slug, "this cannot be the name of an expert");
        return NULL;
    }
    cv_retold_expert *e = CV_PUSH(t->s->arena, &t->experts);
    *e = (cv_retold_expert){.slug = slug};
    return e;
}

cv_retold_item *cv_retold_find(const cv_retold *t, cv_str id)
{
    const uintptr_t *at = id.n ? cv_map_get(&t->item_at, id) : NULL;
    return at && *at ? &t->items.items[*at - 1] : NULL;
}

void cv_retold_turn_add(cv_retold *t, cv_retold_item *item, const cv_retold_turn *turn)
{
    size_t i = 0;
    while (i < item->turns.count && item->turns.items[i].round < turn->round)
        i++;
    if (i == item->turns.count || item->turns.items[i].round != turn->round) {
        CV_PUSH(t->s->arena, &item->turns);
        memmove(&item->turns.items[i + 1], &item->turns.items[i], (item->turns.count - i - 1) * sizeof *turn);
    }
    item->turns.items[i] = *turn;
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y)
{
    const cv_retold_item *a = x, *b = y;
    int order = CV_ORDER(a->round, b->round);
    order = order ? order : CV_ORDER(a->kind, b->kind);
    order = order ? order : CV_ORDER(a->number, b->number);
    return order ? order : cv_str_order(a->id, b->id);
}

/* Items are numbered through in each round, as the record will; an id that comes out otherwise is told. */
static void settle(cv_retold *t, cv_played *played)
{
    cv_arena *a = t->s->arena;
    int number = 0;
    if (t->items.count > 1)
        qsort(t->items.items, t->items.count, sizeof *t->items.items, by_place);
    for (size_t i = 0; i < t->items.count; i++) {
        cv_retold_item *item = &t->items.items[i], *before = i ? item - 1 : NULL;
        number = before && before->round == item->round && before->kind == item->kind ? number + 1 : 1;
        cv_id id = {.form = CV_ID_DISPLAY, .kind = item->kind, .round = item->round, .number = number}, local = id;
        local.form = CV_ID_LOCAL;
        local.expert = item->by.count ? item->by.items[0] : cv_judge_slug;
        item->known = cv_id_print(a, &id);
        if (!item->local_id.n)
            item->local_id = cv_id_print(a, &local);
        *cv_map_put(&t->item_at, a, item->id, NULL) = i + 1;
        if (cv_str_eq(item->known, item->id))
            continue;
        *CV_PUSH(a, &played->meanings) = (cv_meant){item->id, item->known};
        cv_difference *d = cv_script_differ(t->s, t->sheet, item->line,
                                            cv_arena_printf(a, "id of %.*s", CV_FMT(cv_excerpt(a, item->label))));
        d->says = item->id;
        d->derives = item->known;
        d->why = CV_STR("ids have the round and a number without gaps");
    }
}

/* The id under which a target is known in the record; empty: it is not there, which is told. */
static cv_str known_as(playing *p, cv_str target, int round, size_t line)
{
    const cv_retold_item *item = cv_retold_find(p->t, target);
    bool expert = target.n > 1 && target.p[0] == '@' && cv_state_expert(&p->state, cv_str_from(target, 1));
    if (expert)
        return target;
    if (item && item->round <= round)
        return item->known;
    cv_script_misunderstand(p->t->s, p->t->sheet, line, target,
                            item ? "it is of a later round" : "it is not in the file");
    return (cv_str){NULL, 0};
}

/* ---- create ------------------------------------------------------------------------------------------------------ */

static bool is_from_pool(const cv_retold_expert *e)
{
    return cv_str_eq(e->source, cv_source_words.items[CV_SOURCE_POOL]);
}

/* Those of the pool as the file lists it, then the experts who came from it. */
static void write_pool(playing *p, cv_json_writer *w)
{
    cv_script *s = p->t->s;
    cv_map roles = {0};
    size_t count = s->pool.count;
    bool is_new, ok;
    for (size_t i = 0; i < s->pool.count; i++)
        cv_map_put(&roles, s->arena, cv_agent_key(s->arena, s->pool.items[i].role), NULL);
    for (size_t i = 0; i < p->t->experts.count; i++) {
        const cv_retold_expert *e = &p->t->experts.items[i];
        cv_map_put(&roles, s->arena, cv_agent_key(s->arena, e->role), &is_new);
        if (!is_from_pool(e) || !e->role.n || !is_new)
            continue;
        *CV_PUSH(s->arena, &s->pool) =
            (cv_member){e->role, cv_tier_or_usual(e->tier, &ok), cv_relevance_or_usual(e->relevance, &ok), e->focus};
    }
    if (s->pool.count == 0)
        return;
    cv_json_key(w, CV_STR("expert_pool"));
    cv_json_begin_object(w);
    cv_json_key_str(w, "domain", s->domain.n ? s->domain : s->title);
    cv_json_key(w, CV_STR("experts"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < s->pool.count; i++) {
        const cv_member *m = &s->pool.items[i];
        cv_json_begin_object(w);
        cv_json_key_str(w, "role", m->role);
        cv_json_key_str(w, "tier", m->tier);
        cv_json_key(w, CV_STR("relevance"));
        cv_json_raw(w, m->relevance);
        cv_json_key_str_if(w, "focus", m->focus);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
    cv_json_end_object(w);
    cv_json_key_int(w, "panel_size", 0);
    s->pool.count = count;
}

static bool create(playing *p)
{
    cv_buf text;
    cv_script *s = p->t->s;
    cv_json_writer w = cv_playing_begin(&p->p, &text, "create");
    cv_json_key_str(&w, "title", s->title);
    cv_json_key_str_if(&w, "question", s->question);
    write_pool(p, &w);
    if (p->t->background.n) {
        cv_json_key(&w, CV_STR("background"));
        cv_json_raw(&w, p->t->background);
    }
    return cv_playing_create(&p->p, &w);
}

/* ---- people ------------------------------------------------------------------------------------------------------ */

static void write_newcomer(playing *p, const cv_retold_expert *e, cv_json_writer *w)
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

/* Experts without a seat: made when all who stand before them in the panel are there. */
static void create_unseated(playing *p)
{
    for (size_t i = 0; i < p->t->experts.count && !p->p.failed; i++) {
        const cv_retold_expert *e = &p->t->experts.items[i];
        cv_buf text;
        if (cv_state_expert(&p->state, e->slug))
            continue;
        if (e->sits_somewhere)
            return;
        const char *step = cv_arena_printf(p->t->s->arena, "expert-%.*s", CV_FMT(e->slug)).p;
        cv_json_writer w = cv_playing_begin(&p->p, &text, step);
        cv_json_key_str(&w, "expert_slug", e->slug);
        write_newcomer(p, e, &w);
        cv_json_key_int(&w, "first_round", p->round);
        if (cv_playing_send(&p->p, &w, step, cv_dialogue_expert_create, NULL))
            cv_playing_load(&p->p, p->round, &p->state);
    }
}

/* The place of an expert in the panel's table, when this round is its first; else -1. */
static int newcomer(const playing *p, cv_str slug)
{
    for (size_t i = 0; i < p->t->experts.count; i++)
        if (cv_str_eq(p->t->experts.items[i].slug, slug))
            return cv_state_expert(&p->state, slug) ? -1 : (int)i;
    return -1;
}

static bool has_earlier_newcomer(const playing *p, const cv_str *rest, size_t count, int than)
{
    for (size_t i = 0; i < count; i++) {
        int place = newcomer(p, rest[i]);
        if (place >= 0 && place < than)
            return true;
    }
    return false;
}

/* The seats: those who spoke and those who did not, each in their order, newcomers as the panel lists them. */
static void seat(playing *p, cv_words *ret_seats)
{
    const cv_retold_round *round = &p->t->rounds[p->round];
    cv_arena *a = p->t->s->arena;
    CV_STATE_LIST(cv_str) lists[3] = {{0}}, seats = {0};
    cv_map listed = {0};
    size_t at[3] = {0}, total = 0;
    for (size_t i = 0; i < round->spoke.count + round->silent.count; i++) {
        bool spoke = i < round->spoke.count, is_new;
        cv_str slug = spoke ? round->spoke.items[i] : round->silent.items[i - round->spoke.count];
        const cv_retold_expert *e = cv_retold_expert_at(p->t, slug);
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

static bool sits_already(const playing *p, const cv_words *seats)
{
    const cv_rec_seat *sitting;
    if (cv_state_panel(&p->state, p->round, &sitting) != seats->count)
        return false;
    for (size_t i = 0; i < seats->count; i++)
        if (!cv_str_eq(sitting[i].expert_slug, seats->items[i]))
            return false;
    return true;
}

static void write_seat(playing *p, cv_str slug, cv_json_writer *w)
{
    const cv_rec_expert *known = cv_state_expert(&p->state, slug);
    const cv_retold_expert *e = cv_retold_expert_at(p->t, slug);
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

static void evolve(playing *p)
{
    cv_words seats;
    cv_buf text;
    const char *step = cv_arena_printf(p->t->s->arena, "panel-%d", p->round).p;
    seat(p, &seats);
    if (seats.count == 0 || p->round < cv_state_next_round(&p->state) || sits_already(p, &seats))
        return;
    cv_json_writer w = cv_playing_begin(&p->p, &text, step);
    cv_json_key_int(&w, "round", p->round);
    cv_json_key(&w, CV_STR("panel"));
    cv_json_begin_array(&w);
    for (size_t i = 0; i < seats.count; i++)
        write_seat(p, seats.items[i], &w);
    cv_json_end_array(&w);
    if (cv_playing_send(&p->p, &w, step, cv_dialogue_evolve_panel, NULL))
        cv_playing_load(&p->p, p->round, &p->state);
}

/* ---- statuses ---------------------------------------------------------------------------------------------------- */

static const cv_retold_turn *turn_in(const cv_retold_item *item, int round)
{
    for (size_t i = 0; i < item->turns.count; i++)
        if (item->turns.items[i].round == round)
            return &item->turns.items[i];
    return NULL;
}

/* Does a reference or a move of the round explain it, or a verdict? */
static bool is_explained(const playing *p, const cv_retold_item *item, const cv_retold_turn *turn)
{
    const cv_retold *t = p->t;
    const cv_retold_item *source = cv_retold_find(t, turn->via);
    if (turn->result.n || cv_str_starts(turn->via, CV_STR("verdict-")))
        return true;
    for (size_t i = 0; source && source->round == turn->round && i < source->refs.count; i++)
        if (cv_str_eq(source->refs.items[i].target, item->id))
            return true;
    for (size_t i = 0; i < t->links.count; i++)
        if (t->links.items[i].round == turn->round && turn->via.n > 1 &&
            cv_str_eq(t->links.items[i].expert, cv_str_from(turn->via, 1)) &&
            cv_str_eq(t->links.items[i].ref.target, item->id))
            return true;
    for (size_t i = 0; i < t->moves.count && !turn->via.n; i++) {
        const cv_retold_move *move = &t->moves.items[i];
        bool concedes = move->type == CV_MOVE_CONCEDE && move->round == turn->round &&
                        turn->status == CV_STATUS_PERSPECTIVE_CONCEDED;
        for (size_t k = 0; concedes && k < move->targets.count; k++)
            if (cv_str_eq(move->targets.items[k], item->id) && cv_people_json_has(turn->by.json, move->expert))
                return true;
    }
    return false;
}

/* The shortest way from one status to another, at least one step: what stands between them, then `to`. 0: there is
 * none. */
static size_t find_way(cv_kind kind, cv_status from, cv_status to, cv_status way[CV_STATUS_COUNT])
{
    int before[CV_STATUS_COUNT];
    cv_status queue[CV_STATUS_COUNT + 1];
    size_t head = 0, tail = 0, n = 0;
    for (int i = 0; i < CV_STATUS_COUNT; i++)
        before[i] = -1;
    queue[tail++] = from;
    while (head < tail && before[to] < 0) {
        cv_status at = queue[head++];
        for (int next = 0; next < CV_STATUS_COUNT; next++)
            if (cv_statuses[next].kind == kind && next != (int)at && before[next] < 0 &&
                (next != (int)from || from == to) && cv_status_may_become(at, (cv_status)next)) {
                before[next] = (int)at;
                if (next != (int)from)
                    queue[tail++] = (cv_status)next;
            }
    }
    if (before[to] < 0)
        return 0;
    cv_status back[CV_STATUS_COUNT];
    cv_status at = to;
    do {
        back[n++] = at;
        at = (cv_status)before[at];
    } while (at != from && n < CV_STATUS_COUNT);
    for (size_t i = 0; i < n; i++)
        way[i] = back[n - 1 - i];
    return n;
}

static void write_update(playing *p, cv_json_writer *w, const cv_retold_item *item, const cv_retold_turn *turn,
                         cv_status status)
{
    const cv_retold_item *via = cv_retold_find(p->t, turn->via);
    bool known = true;
    for (size_t i = 0; i < turn->by.count; i++)
        known &= cv_str_eq(turn->by.items[i], cv_judge_slug) || cv_state_expert(&p->state, turn->by.items[i]);
    cv_json_begin_object(w);
    cv_json_key_str(w, "id", item->round == p->round ? item->local_id : item->known);
    cv_json_key_str(w, "status", cv_statuses[status].word);
    cv_json_key(w, CV_STR("by"));
    cv_json_raw(w, known ? turn->by.json : cv_judge_alone.json);
    if (via)
        cv_json_key_str(w, "via", via->round == p->round ? via->local_id : via->known);
    else if (turn->via.n > 1 && turn->via.p[0] == '@' && cv_state_expert(&p->state, cv_str_from(turn->via, 1)))
        cv_json_key_str(w, "via", turn->via);
    cv_json_key_str_if(w, "reason", turn->reason);
    cv_json_end_object(w);
}

static bool write_way(playing *p, cv_json_writer *w, const cv_retold_item *item, const cv_retold_turn *turn,
                      cv_status from)
{
    cv_status way[CV_STATUS_COUNT];
    size_t steps = find_way(item->kind, from, turn->status, way);
    for (size_t i = 0; i < steps; i++)
        write_update(p, w, item, turn, way[i]);
    return steps > 0;
}

static cv_status status_before(const playing *p, const cv_retold_item *item)
{
    const cv_rec_entity *row = item->round < p->round ? cv_state_entity(&p->state, item->known) : NULL;
    int status = row ? cv_status_find(item->kind, row->status) : -1;
    return status >= 0 ? (cv_status)status : cv_status_first(item->kind);
}

/* What a reference or a move by these people would make of an item. */
static int effect_of(cv_cause cause, const cv_retold_item *item, cv_status from, const cv_people *by)
{
    unsigned who = 0;
    for (size_t i = 0; i < by->count; i++)
        who |= cv_people_json_has(item->by.json, by->items[i]) ? CV_BY_AUTHOR
               : cv_str_eq(by->items[i], cv_judge_slug)        ? CV_BY_JUDGE
                                                               : CV_BY_OTHER;
    cv_effect effect = cv_cascade(cause, item->kind, from, who);
    return effect.type == CV_EFFECT_STATUS && effect.status != from ? (int)effect.status : -1;
}

/* The status that the references and moves of the round would give to an item; -1: they change nothing. */
static int caused_status(playing *p, const cv_retold_item *item, cv_status from)
{
    const cv_retold *t = p->t;
    int found = -1;
    for (size_t i = 0; i < t->items.count && found < 0; i++) {
        const cv_retold_item *source = &t->items.items[i];
        for (size_t k = 0; source->round == p->round && k < source->refs.count && found < 0; k++)
            if (cv_str_eq(source->refs.items[k].target, item->id))
                found =
                    effect_of((cv_cause){CV_CAUSE_REFERENCE, (int)source->refs.items[k].type}, item, from, &source->by);
    }
    for (size_t i = 0; i < t->links.count && found < 0; i++) {
        cv_people by = cv_people_of(t->s->arena, &t->links.items[i].expert, 1);
        if (t->links.items[i].round == p->round && cv_str_eq(t->links.items[i].ref.target, item->id))
            found = effect_of((cv_cause){CV_CAUSE_REFERENCE, (int)t->links.items[i].ref.type}, item, from, &by);
    }
    for (size_t i = 0; i < t->moves.count && found < 0; i++) {
        const cv_retold_move *move = &t->moves.items[i];
        cv_people by = cv_people_of(t->s->arena, &move->expert, 1);
        for (size_t k = 0; move->round == p->round && k < move->targets.count && found < 0; k++)
            if (cv_str_eq(move->targets.items[k], item->id))
                found = effect_of((cv_cause){CV_CAUSE_MOVE, (int)move->type}, item, from, &by);
    }
    return found;
}

static bool is_closed(cv_status status)
{
    return status == CV_STATUS_TENSION_RESOLVED || status == CV_STATUS_TENSION_ACCEPTED;
}

/* Did the judge keep an item from what the round would have made of it? It became so never, or only later. That a
 * tension is closed or opened again is always told. */
static bool was_kept(playing *p, const cv_retold_item *item, cv_status from)
{
    int caused = p->t->exact ? caused_status(p, item, from) : -1;
    if (caused >= 0 && is_closed((cv_status)caused) != is_closed(from))
        return true;
    for (size_t i = 0; caused >= 0 && i < item->turns.count; i++)
        if (item->turns.items[i].round > p->round)
            return (int)item->turns.items[i].status == caused;
    return caused >= 0;
}

/* The judge's word, given with the round: what no reference, move or verdict explains. */
static void write_updates(playing *p, cv_json_writer *w)
{
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_json_key(w, cv_arena_printf(p->t->s->arena, "%.*s_updates", CV_FMT(cv_kinds[kind].word)));
        cv_json_begin_array(w);
        for (size_t i = 0; i < p->t->items.count; i++) {
            const cv_retold_item *item = &p->t->items.items[i];
            const cv_retold_turn *turn =
                (int)item->kind == kind && item->round <= p->round ? turn_in(item, p->round) : NULL;
            cv_status before = status_before(p, item);
            if (turn && !is_explained(p, item, turn))
                write_way(p, w, item, turn, before);
            else if (!turn && (int)item->kind == kind && item->round <= p->round && was_kept(p, item, before))
                write_update(p, w, item, &(cv_retold_turn){.by = cv_judge_alone}, before);
        }
        cv_json_end_array(w);
    }
}

static bool same_people(cv_str json, const cv_people *people, cv_arena *a)
{
    cv_words list = cv_json_list(a, json);
    if (list.count != people->count)
        return false;
    for (size_t i = 0; i < list.count; i++)
        if (!cv_str_eq(list.items[i], people->items[i]))
            return false;
    return true;
}

/* Does the record say the same of an item at the end of the round? */
static bool says_the_same(const playing *p, const cv_transcript *told, const cv_told *now, const cv_retold_turn *turn)
{
    cv_arena *a = p->t->s->arena;
    char id[3][6];
    if (!cv_str_eq(now->status, cv_statuses[turn->status].word))
        return false;
    if (!p->t->exact)
        return true;
    if (!now->became || told->happened[now->became - 1] != turn->round)
        return false;
    const cv_happening *h = &told->g.events.items[now->became - 1];
    return same_people(cv_name_text(&told->g, h->actors, id[0]), &turn->by, a) &&
           cv_str_eq(cv_name_text(&told->g, h->reference, id[0]), turn->via) &&
           cv_str_eq(cv_name_text(&told->g, h->result, id[1]), turn->result) &&
           cv_str_eq(cv_squeeze(a, cv_name_text(&told->g, h->reason, id[2])), turn->reason);
}

static bool load_told(playing *p, int64_t round, cv_transcript *ret)
{
    cv_call own = *p->p.call;
    cv_err err = {.arena = p->t->s->arena};
    own.arena = p->t->s->arena;
    own.record = p->p.record;
    if (cv_transcript_load(&own, p->p.played->dialogue_id, round, ret, &err))
        return true;
    *CV_PUSH(p->t->s->arena, &p->p.played->failures) = (cv_remark){CV_NO_SHEET, 0, CV_STR("read"), cv_err_text(&err)};
    p->p.failed = true;
    return false;
}

/* What the round has not brought about as the file says is given behind it. */
static void mend(playing *p)
{
    cv_transcript *told = CV_NEW(p->t->s->arena, cv_transcript);
    const char *step = cv_arena_printf(p->t->s->arena, "statuses-%d", p->round).p;
    cv_buf text;
    bool any = false;
    int round = p->round;
    if (!load_told(p, p->round, told) || (int64_t)p->round + 1 < cv_state_next_round(&told->s))
        return;
    cv_json_writer w = cv_playing_begin(&p->p, &text, step);
    cv_json_key(&w, CV_STR("updates"));
    cv_json_begin_array(&w);
    p->round = round + 1; /* ids of this round are known now */
    for (size_t i = 0; i < told->told.count; i++) {
        const cv_told *now = &told->told.items[i];
        const cv_retold_item *item = NULL;
        for (size_t k = 0; k < p->t->items.count && !item; k++)
            item = cv_str_eq(p->t->items.items[k].known, now->id) ? &p->t->items.items[k] : NULL;
        const cv_retold_turn *turn = item ? turn_in(item, round) : NULL;
        int from = turn ? cv_status_find(item->kind, now->status) : -1;
        bool by_verdict = turn && cv_str_starts(turn->via, CV_STR("verdict-"));
        if (turn && from >= 0 && !by_verdict && !turn->result.n && !says_the_same(p, told, now, turn))
            any |= write_way(p, &w, item, turn, (cv_status)from);
    }
    p->round = round;
    cv_json_end_array(&w);
    if (any)
        cv_playing_send(&p->p, &w, step, cv_dialogue_update, NULL);
    else
        cv_buf_release(&text);
}

/* ---- one round --------------------------------------------------------------------------------------------------- */

static void write_refs(playing *p, const cv_retold_item *item, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("references"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < item->refs.count; i++) {
        const cv_retold_ref *ref = &item->refs.items[i];
        const cv_retold_item *target = cv_retold_find(p->t, ref->target);
        cv_str known = known_as(p, ref->target, p->round, item->line);
        char letter = target ? cv_kinds[target->kind].letter : '@';
        if (known.n && !cv_ref_joins(ref->type, cv_kinds[item->kind].letter, letter)) {
            cv_script_misunderstand(p->t->s, p->t->sheet, item->line, ref->target, "'%.*s' cannot go from %.*s to it",
                                    CV_FMT(cv_ref_words.items[ref->type]), CV_FMT(item->id));
            continue;
        }
        if (!known.n)
            continue;
        cv_json_begin_object(w);
        cv_json_key_str(w, "type", cv_ref_words.items[ref->type]);
        cv_json_key_str(w, "target", target && target->round == p->round ? target->local_id : known);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_people(playing *p, const cv_retold_item *item, cv_json_writer *w)
{
    bool any = false;
    cv_json_key(w, CV_STR("contributors"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < item->by.count; i++) {
        cv_str slug = item->by.items[i];
        if (!cv_str_eq(slug, cv_judge_slug) && !cv_state_expert(&p->state, slug)) {
            cv_script_misunderstand(p->t->s, p->t->sheet, item->line, slug, "%.*s: not on the panel", CV_FMT(item->id));
            continue;
        }
        cv_json_str(w, slug);
        any = true;
    }
    if (!any)
        cv_json_str(w, cv_judge_slug);
    cv_json_end_array(w);
}

static void write_items(playing *p, cv_json_writer *w)
{
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        cv_json_key(w, cv_kinds[kind].plural);
        cv_json_begin_array(w);
        for (size_t i = 0; i < p->t->items.count; i++) {
            const cv_retold_item *item = &p->t->items.items[i];
            if (item->round != p->round || (int)item->kind != kind)
                continue;
            cv_json_begin_object(w);
            cv_json_key_str(w, "local_id", item->local_id);
            cv_json_key_str(w, "label", item->label);
            cv_json_key_str(w, kind == CV_KIND_TENSION ? "description" : "content",
                            item->content.n ? item->content : item->label);
            write_people(p, item, w);
            if (item->parameters.n && kind == CV_KIND_RECOMMENDATION) {
                cv_json_key(w, CV_STR("parameters"));
                cv_json_raw(w, item->parameters);
            }
            write_refs(p, item, w);
            cv_json_end_object(w);
        }
        cv_json_end_array(w);
    }
}

static void write_links(playing *p, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("references"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < p->t->links.count; i++) {
        const cv_retold_link *link = &p->t->links.items[i];
        const cv_retold_item *target = cv_retold_find(p->t, link->ref.target);
        cv_str known =
            link->round == p->round ? known_as(p, link->ref.target, p->round, link->line) : (cv_str){NULL, 0};
        if (!known.n || !cv_ref_joins(link->ref.type, '@', target ? cv_kinds[target->kind].letter : '@'))
            continue;
        cv_json_begin_object(w);
        cv_json_key_str(w, "source", cv_arena_join(p->t->s->arena, CV_STR("@"), link->expert));
        cv_json_key_str(w, "type", cv_ref_words.items[link->ref.type]);
        cv_json_key_str(w, "target", target && target->round == p->round ? target->local_id : known);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_moves(playing *p, cv_json_writer *w)
{
    cv_arena *a = p->t->s->arena;
    cv_json_key(w, CV_STR("moves"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < p->t->moves.count; i++) {
        const cv_retold_move *move = &p->t->moves.items[i];
        CV_STATE_LIST(cv_str) targets = {0};
        if (move->round != p->round)
            continue;
        for (size_t k = 0; k < move->targets.count; k++) {
            const cv_retold_item *target = cv_retold_find(p->t, move->targets.items[k]);
            cv_str known = known_as(p, move->targets.items[k], p->round, move->line);
            if (known.n)
                *CV_PUSH(a, &targets) = target && target->round == p->round ? target->local_id : known;
        }
        bool wants_id = cv_str_starts(cv_moves[move->type].argument, CV_STR("{id"));
        if (!cv_state_expert(&p->state, move->expert) || (wants_id && targets.count == 0)) {
            cv_script_misunderstand(p->t->s, p->t->sheet, move->line, move->context,
                                    "round %d: %.*s by %.*s is about nothing that is there", p->round,
                                    CV_FMT(cv_move_words.items[move->type]), CV_FMT(move->expert));
            continue;
        }
        cv_json_begin_object(w);
        cv_json_key_str(w, "expert", move->expert);
        cv_json_key_str(w, "type", cv_move_words.items[move->type]);
        cv_json_key(w, CV_STR("targets"));
        cv_json_raw(w, cv_json_texts(a, targets.items, targets.count));
        cv_json_key_str_if(w, "context", move->context);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

static void write_parts(cv_json_writer *w, const cv_points *points)
{
    bool any = false;
    for (size_t i = 0; i < CV_SCORE_PARTS; i++)
        any |= points->parts[i] != CV_ABSENT;
    if (!any)
        return;
    cv_json_key(w, CV_STR("score_components"));
    cv_json_begin_object(w);
    for (size_t i = 0; i < CV_SCORE_PARTS; i++)
        if (points->parts[i] != CV_ABSENT)
            cv_json_key_int(w, cv_score_letters[i], points->parts[i]);
    cv_json_end_object(w);
}

static void write_scores(playing *p, cv_json_writer *w)
{
    const cv_points *said = &p->t->rounds[p->round].points;
    int64_t sum = 0;
    bool any = false;
    cv_json_key(w, CV_STR("expert_scores"));
    cv_json_begin_object(w);
    for (size_t i = 0; i < p->t->scores.count; i++) {
        const cv_retold_score *score = &p->t->scores.items[i];
        if (score->round != p->round || score->points.total == CV_ABSENT || !cv_state_expert(&p->state, score->expert))
            continue;
        cv_json_key(w, score->expert);
        cv_json_begin_object(w);
        cv_json_key_int(w, "score", score->points.total);
        write_parts(w, &score->points);
        cv_json_end_object(w);
        sum += score->points.total;
        any = true;
    }
    cv_json_end_object(w);
    if (said->total == CV_ABSENT)
        cv_script_decide(p->t->s, p->t->sheet, 0, "round %d: score not given, recorded as %s", p->round,
                         any ? "the sum of the experts" : "0");
    cv_json_key_int(w, "score", said->total == CV_ABSENT ? sum : said->total);
    write_parts(w, said);
}

static void write_round(playing *p, cv_json_writer *w)
{
    const cv_retold_round *round = &p->t->rounds[p->round];
    cv_json_key_int(w, "round", p->round);
    cv_json_key_str_if(w, "title", round->title);
    cv_json_key_str_if(w, "summary", round->summary);
    write_scores(p, w);
    write_items(p, w);
    write_links(p, w);
    write_moves(p, w);
    write_updates(p, w);
    cv_json_key(w, CV_STR("responses"));
    cv_json_begin_object(w);
    for (size_t i = 0; i < round->responses.count; i++) {
        if (!cv_state_expert(&p->state, round->responses.items[i].expert))
            continue;
        cv_json_key(w, round->responses.items[i].expert);
        cv_json_str(w, round->responses.items[i].text);
    }
    cv_json_end_object(w);
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

/* The round behind which a verdict was registered: its own, or a later one that felt it. */
static int round_of_verdict(const playing *p, const cv_retold_verdict *v)
{
    cv_str name = cv_arena_join(p->t->s->arena, CV_STR("verdict-"), v->row.verdict_id);
    int64_t round = v->row.round == CV_ABSENT ? (int64_t)p->t->round_count - 1 : v->row.round;
    for (size_t i = 0; i < p->t->items.count; i++)
        for (size_t k = 0; k < p->t->items.items[i].turns.count; k++) {
            const cv_retold_turn *turn = &p->t->items.items[i].turns.items[k];
            if (turn->round > round && cv_str_eq(turn->via, name))
                round = turn->round;
        }
    return (int)round;
}

/* The ids of a list that are there. */
static cv_str known_list(playing *p, cv_str json, size_t line)
{
    cv_arena *a = p->t->s->arena;
    cv_words list = cv_json_list(a, json);
    CV_STATE_LIST(cv_str) ids = {0};
    for (size_t i = 0; i < list.count; i++) {
        cv_str id = known_as(p, list.items[i], CV_MAX_ROUND, line);
        if (id.n)
            *CV_PUSH(a, &ids) = id;
    }
    return cv_json_texts(a, ids.items, ids.count);
}

static cv_str known_people(playing *p, cv_str json)
{
    cv_arena *a = p->t->s->arena;
    cv_words list = cv_json_list(a, json);
    CV_STATE_LIST(cv_str) slugs = {0};
    for (size_t i = 0; i < list.count; i++)
        if (cv_state_expert(&p->state, list.items[i]))
            *CV_PUSH(a, &slugs) = list.items[i];
        else
            cv_script_misunderstand(p->t->s, p->t->sheet, 0, list.items[i], "not on the panel");
    return cv_json_texts(a, slugs.items, slugs.count);
}

static void write_json(cv_json_writer *w, const char *key, cv_str json)
{
    if (!json.n)
        return;
    cv_json_key(w, cv_str_of(key));
    cv_json_raw(w, json);
}

static void write_verdict(playing *p, const cv_retold_verdict *v, cv_json_writer *w)
{
    const cv_rec_verdict *row = &v->row;
    const struct {
        const char *key;
        cv_str ids;
    } lists[] = {{"tensions_resolved", row->tensions_resolved},
                 {"tensions_accepted", row->tensions_accepted},
                 {"recommendations_adopted", row->recommendations_adopted},
                 {"key_evidence", row->key_evidence},
                 {"key_claims", row->key_claims}};
    cv_json_key_str(w, "verdict_id", row->verdict_id);
    cv_json_key_str(w, "verdict_type", row->verdict_type);
    if (row->round != CV_ABSENT)
        cv_json_key_int(w, "round", row->round);
    if (row->author_expert.n && cv_state_expert(&p->state, row->author_expert))
        cv_json_key_str(w, "author_expert", row->author_expert);
    cv_json_key_str(w, "recommendation", row->recommendation);
    cv_json_key_str(w, "description", row->description.n ? row->description : row->recommendation);
    write_json(w, "conditions", row->conditions);
    cv_json_key_str_if(w, "vote", row->vote);
    cv_json_key_str_if(w, "confidence", row->confidence);
    for (size_t i = 0; i < CV_COUNT(lists); i++)
        if (lists[i].ids.n)
            write_json(w, lists[i].key, known_list(p, lists[i].ids, v->line));
    if (row->supporting_experts.n)
        write_json(w, "supporting_experts", known_people(p, row->supporting_experts));
    write_json(w, "ethos_compliance", row->ethos_compliance);
    cv_json_key_str_if(w, "warning", row->warning);
    if (row->warning.n) {
        cv_json_key(w, CV_STR("force"));
        cv_json_bool(w, true);
    }
}

/* What a verdict made of an item it can make of it again only from another status: it was changed before, in the same
 * round, and that is not told. */
static void prepare(playing *p, const cv_retold_verdict *v)
{
    cv_arena *a = p->t->s->arena;
    cv_transcript *told = CV_NEW(a, cv_transcript);
    cv_str name = cv_arena_join(a, CV_STR("verdict-"), v->row.verdict_id);
    const char *step = cv_arena_printf(a, "before-%.*s", CV_FMT(name)).p;
    cv_buf text;
    bool any = false;
    if (!p->t->exact || !load_told(p, CV_ABSENT, told) || cv_state_verdict(&told->s, v->row.verdict_id))
        return;
    cv_json_writer w = cv_playing_begin(&p->p, &text, step);
    cv_json_key(&w, CV_STR("updates"));
    cv_json_begin_array(&w);
    int round = p->round;
    p->round = CV_MAX_ROUND + 1; /* ids of all rounds are known */
    for (size_t i = 0; i < p->t->items.count; i++) {
        const cv_retold_item *item = &p->t->items.items[i];
        const cv_rec_entity *row = cv_state_entity(&told->s, item->known);
        int from = row ? cv_status_find(item->kind, row->status) : -1;
        cv_status way[CV_STATUS_COUNT];
        for (size_t k = 0; from >= 0 && k < item->turns.count; k++) {
            const cv_retold_turn *turn = &item->turns.items[k];
            bool caused = cv_str_eq(turn->via, name);
            size_t steps = caused ? find_way(item->kind, (cv_status)from, turn->status, way) : 0;
            for (size_t n = 0; n + 1 < steps; n++, any = true)
                write_update(p, &w, item, &(cv_retold_turn){.by = cv_judge_alone}, way[n]);
        }
    }
    p->round = round;
    cv_json_end_array(&w);
    if (any)
        cv_playing_send(&p->p, &w, step, cv_dialogue_update, NULL);
    else
        cv_buf_release(&text);
}

static void register_verdict(playing *p, cv_retold_verdict *v)
{
    cv_script *s = p->t->s;
    cv_buf text;
    int64_t now = s->date_ms;
    const char *step = cv_arena_printf(s->arena, "verdict-%.*s", CV_FMT(v->row.verdict_id)).p;
    if (v->done || !cv_playing_load(&p->p, CV_MAX_ROUND + 1, &p->state))
        return;
    v->done = true;
    prepare(p, v);
    cv_json_writer w = cv_playing_begin(&p->p, &text, step);
    write_verdict(p, v, &w);
    if (v->row.created_at.n && cv_time_parse(v->row.created_at, &s->date_ms)) {
        cv_playing_send(&p->p, &w, step, cv_dialogue_verdict_register, NULL);
        s->date_ms = now;
        return;
    }
    s->date_ms = now;
    cv_playing_send(&p->p, &w, step, cv_dialogue_verdict_register, NULL);
}

static void register_interim(playing *p)
{
    for (size_t i = 0; i < p->t->verdicts.count && !p->p.failed; i++) {
        cv_retold_verdict *v = &p->t->verdicts.items[i];
        if (cv_str_eq(v->row.verdict_type, cv_verdict_words.items[CV_VERDICT_INTERIM]) &&
            round_of_verdict(p, v) == p->round)
            register_verdict(p, v);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void play_round(playing *p, int round)
{
    cv_buf text;
    const char *step = cv_arena_printf(p->t->s->arena, "round-%d", round).p;
    p->round = round;
    if (!cv_playing_load(&p->p, round, &p->state))
        return;
    create_unseated(p);
    evolve(p);
    create_unseated(p);
    if (p->p.failed)
        return;
    if (!p->t->rounds[round].told)
        cv_script_decide(p->t->s, p->t->sheet, 0, "round %d is not in the file and is recorded empty", round);
    cv_json_writer w = cv_playing_begin(&p->p, &text, step);
    write_round(p, &w);
    if (!cv_playing_send(&p->p, &w, step, cv_dialogue_round_register, NULL))
        return;
    register_interim(p);
    mend(p);
}

static void abandon(playing *p)
{
    cv_buf text;
    cv_json_writer w = cv_playing_begin(&p->p, &text, "abandon");
    cv_json_key_str(&w, "reason", CV_STR("it was abandoned before it was imported"));
    cv_playing_send(&p->p, &w, "abandon", cv_dialogue_abandon, NULL);
}

/* ---- what the record tells now ------------------------------------------------------------------------------------
 */

static cv_words lines_of(cv_arena *a, cv_str text)
{
    CV_STATE_LIST(cv_str) lines = {0};
    for (cv_str line; cv_str_split(&text, '\n', &line);)
        *CV_PUSH(a, &lines) = cv_str_trim_right(line);
    return (cv_words){lines.items, lines.count};
}

/* How far to look for the place where two texts go on alike. */
static size_t find_again(const cv_words *in, size_t from, cv_str line)
{
    enum { FAR = 64 };
    for (size_t i = from; line.n && i < in->count && i < from + FAR; i++)
        if (cv_str_eq(in->items[i], line))
            return i - from;
    return SIZE_MAX;
}

static void differ(cv_retold *t, size_t line, cv_str says, cv_str derives)
{
    cv_arena *a = t->s->arena;
    cv_difference *d = cv_script_differ(t->s, t->sheet, line, CV_STR("the transcript"));
    d->says = says.n ? cv_excerpt(a, says) : CV_STR("nothing");
    d->derives = derives.n ? cv_excerpt(a, derives) : CV_STR("nothing");
}

/* Line by line; which state of the record they tell differs by its nature. */
static void compare_lines(cv_retold *t, const cv_words *said, const cv_words *told)
{
    cv_str record = cv_arena_printf(t->s->arena, "**%.*s**: ", CV_FMT(cv_transcript_record_key));
    for (size_t i = 0, k = 0; i < said->count || k < told->count;) {
        cv_str x = i < said->count ? said->items[i] : (cv_str){NULL, 0};
        cv_str y = k < told->count ? told->items[k] : (cv_str){NULL, 0};
        size_t ahead = cv_str_eq(x, y) ? 0 : find_again(told, k, x),
               behind = cv_str_eq(x, y) ? 0 : find_again(said, i, y);
        bool same = cv_str_eq(x, y) || (cv_str_starts(x, record) && cv_str_starts(y, record));
        if (!same && ahead != SIZE_MAX && ahead <= behind) {
            for (; ahead > 0; ahead--, k++)
                if (told->items[k].n)
                    differ(t, i + 1, (cv_str){NULL, 0}, told->items[k]);
        } else if (!same && behind != SIZE_MAX) {
            for (; behind > 0; behind--, i++)
                if (said->items[i].n)
                    differ(t, i + 1, said->items[i], (cv_str){NULL, 0});
        } else {
            if (!same && x.n + y.n > 0)
                differ(t, i + 1, x, y);
            i += i < said->count;
            k += k < told->count;
        }
    }
}

bool cv_retold_count(const cv_call *call, cv_record *record, cv_retold *t, cv_played *played)
{
    cv_state *state = CV_NEW(t->s->arena, cv_state);
    if (!cv_play_count(call, record, t->s, played, state))
        return false;
    t->s->sheets.items[t->sheet].tally = played->tally;
    return true;
}

bool cv_retold_compare_json(const cv_call *call, cv_record *record, cv_retold *t, cv_played *played)
{
    cv_state *state = CV_NEW(t->s->arena, cv_state);
    if (!cv_play_statements(call, record, t->s, played, state))
        return false;
    t->s->sheets.items[t->sheet].tally = played->tally;
    for (size_t i = 0; i < t->items.count; i++) {
        const cv_retold_item *item = &t->items.items[i];
        const cv_rec_entity *row = cv_state_entity(state, item->known);
        if (item->status < 0 || (row && cv_str_eq(row->status, cv_statuses[item->status].word)))
            continue;
        cv_difference *d = cv_script_differ(t->s, t->sheet, item->line,
                                            cv_arena_printf(t->s->arena, "status of %.*s", CV_FMT(item->id)));
        d->says = cv_statuses[item->status].word;
        d->derives = row ? row->status : CV_STR("nothing");
    }
    return true;
}

bool cv_retold_compare(const cv_call *call, cv_record *record, cv_retold *t, cv_str text, cv_played *played)
{
    playing p = {.p = {.call = call, .record = record, .s = t->s, .played = played}, .t = t};
    cv_transcript *now = CV_NEW(t->s->arena, cv_transcript);
    cv_doc *doc = CV_NEW(t->s->arena, cv_doc);
    cv_buf out = {0};
    if (!load_told(&p, CV_ABSENT, now))
        return false;
    cv_transcript_doc(now, doc);
    cv_doc_render(t->s->arena, doc, &out);
    played->rev = now->s.position.rev;
    cv_words said = lines_of(t->s->arena, cv_str_trim_right(text)),
             told = lines_of(t->s->arena, cv_str_trim_right(cv_buf_take(&out, t->s->arena)));
    compare_lines(t, &said, &told);
    return cv_retold_count(call, record, t, played);
}

/* What was there cannot be told from a transcript: so that nobody takes its absence for a loss. */
void cv_retold_tell_limits(cv_retold *t)
{
    static const char *const limits[] = {
        "responses as they were handed in: what stands under an expert's heading is kept as the response",
        "the experts' own ids (MUFFIN-P0101) and where an item stood in its response: ids are made anew",
        "what was corrected, and how a status changed within a round: the last word of each round counts",
        "members of the pool who never came in, descriptions and colours of experts, calibration, seed and target",
        "times: all but verdicts bear the dialogue's date",
    };
    for (size_t i = 0; i < CV_COUNT(limits); i++)
        cv_script_decide(t->s, t->sheet, 0, "a transcript does not hold %s", limits[i]);
}

bool cv_retold_play(const cv_call *call, cv_record *record, cv_retold *t, cv_played *ret_played)
{
    playing p = {.p = {.call = call, .record = record, .s = t->s, .played = ret_played}, .t = t};
    *ret_played = (cv_played){0};
    settle(t, ret_played);
    cv_playing_identify(&p.p);
    if (!create(&p))
        return false;
    if (t->round_count == 0 && cv_playing_load(&p.p, 0, &p.state)) {
        create_unseated(&p);
        evolve(&p);
        create_unseated(&p);
    }
    for (size_t round = 0; round < t->round_count && !p.p.failed; round++)
        play_round(&p, (int)round);
    for (size_t i = 0; i < t->verdicts.count && !p.p.failed; i++)
        register_verdict(&p, &t->verdicts.items[i]);
    if (!p.p.failed && cv_str_eq_nocase(t->s->status, cv_dialogue_words.items[CV_DIALOGUE_ABANDONED]))
        abandon(&p);
    return !p.p.failed;
}
