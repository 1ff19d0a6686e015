/* evolve.c - the panel of the next round, as the judge wants it, recorded seat by seat.
 *
 *     panel        every place, in the order of seats
 *     add, drop    names: the last panel without some, with others; the places are made of them
 *
 * Each place is read and checked by wanted_seat.c; names stay with their experts, newcomers get the next free ones. All
 * faults are reported at once. Until somebody has answered in a round, another panel can replace its panel: it puts all
 * seats of the round again, also those that are lost (types.h).
 */
#include <stdlib.h>

#include "dialogue/journal.h"
#include "dialogue/operations.h"
#include "dialogue/panel/wanted_seat.h"
#include "dialogue/people.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"

/* ---- the whole panel --------------------------------------------------------------------------------------------- */

/* Gives a name to everybody who has none, after the names that were asked for; nobody sits twice. */
static void deal_names(cv_evolution *e)
{
    cv_map taken, seated = {0};
    cv_pool_taken(e->call->arena, &e->s, &e->pool, &taken);
    for (size_t i = 0; i < e->count; i++)
        if (e->seats_wanted[i].row.expert_slug.n)
            cv_map_put(&taken, e->call->arena, e->seats_wanted[i].row.expert_slug, NULL);
    for (size_t i = 0; i < e->count; i++) {
        cv_wanted_seat *c = &e->seats_wanted[i];
        bool first;
        if (c->fresh && !c->row.expert_slug.n)
            c->row.expert_slug = cv_panel_deal(e->call->arena, &taken);
        if (!c->row.expert_slug.n)
            continue; /* refused already */
        cv_map_put(&seated, e->call->arena, c->row.expert_slug, &first);
        if (!first)
            cv_err_suggest(cv_wanted_seat_refuse(e, c, CV_ERR_INVALID_VALUE, "slug", c->row.expert_slug,
                                                 "'%.*s' sits twice", CV_FMT(c->row.expert_slug)),
                           CV_STR("give everybody one seat"));
    }
}

/* Two seats for one new member of the pool would get two names: told by role. */
static void check_roles(cv_evolution *e)
{
    for (size_t i = 0; i < e->count; i++)
        for (size_t k = 0; k < i; k++)
            if (e->seats_wanted[i].fresh && e->seats_wanted[k].fresh && e->seats_wanted[i].row.role.n &&
                e->seats_wanted[i].source == CV_SOURCE_POOL && e->seats_wanted[k].source == CV_SOURCE_POOL &&
                !cv_str_eq(e->seats_wanted[i].row.expert_slug, e->seats_wanted[k].row.expert_slug) &&
                cv_str_eq(e->seats_wanted[i].row.role, e->seats_wanted[k].row.role))
                cv_err_suggest(cv_wanted_seat_refuse(e, &e->seats_wanted[i], CV_ERR_INVALID_VALUE, "role",
                                                     e->seats_wanted[i].row.role, "the %.*s has two seats",
                                                     CV_FMT(e->seats_wanted[i].row.role)),
                               CV_STR("give everybody one seat"));
}

static void check_room(cv_evolution *e)
{
    size_t fresh = 0;
    for (size_t i = 0; i < e->count; i++)
        fresh += e->seats_wanted[i].fresh;
    if (fresh && e->s.experts.count + fresh > CV_MAX_EXPERTS)
        cv_refuse(e->call, CV_ERR_TOO_LARGE, CV_STR(""), "panel", (cv_str){NULL, 0},
                  "a dialogue has at most %d experts", CV_MAX_EXPERTS);
}

/* The seats of this round itself; 0: the last panel stands. */
static size_t seated_now(const cv_evolution *e, const cv_rec_seat **ret_seats)
{
    size_t count = cv_state_panel(&e->s, e->round, ret_seats);
    return count && (*ret_seats)[0].round == e->round ? count : 0;
}

static bool panel_is_open(cv_evolution *e)
{
    const cv_rec_seat *seats;
    size_t count = seated_now(e, &seats);
    const cv_rec_response *first = NULL;
    for (size_t i = 0; count && !first && i < e->s.responses.count; i++)
        if (e->s.responses.items[i].round == e->round)
            first = &e->s.responses.items[i];
    if (!first)
        return true;
    cv_err *err =
        cv_refuse(e->call, CV_ERR_PANEL_EXISTS, CV_STR(""), "round", cv_json_get(e->call->input, CV_STR("round"))->text,
                  "round %lld has its panel of %zu", (long long)e->round, count);
    cv_err_suggest(err, cv_arena_printf(e->call->arena,
                                        "'%.*s' has answered in it; register the round, then evolve the panel of the "
                                        "next one",
                                        CV_FMT(first->expert_slug)));
    return false;
}

/* Did this request make the panel that stands? */
static bool find_same(cv_evolution *e, cv_outcome *outcome, cv_err *err)
{
    const cv_rec_seat *seats;
    *outcome = (cv_outcome){0};
    return seated_now(e, &seats) == 0 ||
           cv_request_made(e->call, cv_dialogue_scope(e->s.id), seats[0].rev, outcome, err);
}

/* ---- by names ---------------------------------------------------------------------------------------------------- */

static bool is_seated(const cv_rec_seat *seats, size_t count, cv_str slug)
{
    for (size_t i = 0; i < count; i++)
        if (cv_str_eq(seats[i].expert_slug, slug))
            return true;
    return false;
}

static void write_place(cv_json_writer *w, const char *member, cv_str who, cv_str source, cv_str focus)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, member, who);
    cv_json_key_str(w, "source", source);
    if (focus.n)
        cv_json_key_str(w, "focus", focus);
    cv_json_end_object(w);
}

static const cv_str no_focus = {NULL, 0};

/* Those of the last panel who are not dropped stay: as they sit in this round, or retained from the one before. */
static void write_kept(cv_evolution *e, const cv_json *drop, const cv_rec_seat *seats, size_t count, cv_json_writer *w)
{
    cv_map gone = {0};
    for (uint32_t i = 0; drop && i < drop->count; i++) {
        const cv_rec_expert *expert = cv_state_expert(&e->s, drop->items[i].text);
        const char *field = cv_arena_printf(e->call->arena, "drop[%u]", i).p;
        if (expert && is_seated(seats, count, expert->expert_slug)) {
            cv_map_put(&gone, e->call->arena, expert->expert_slug, NULL);
            continue;
        }
        cv_str *names = CV_NEW_ARRAY(e->call->arena, count, cv_str);
        for (size_t k = 0; k < count; k++)
            names[k] = seats[k].expert_slug;
        cv_err *err = cv_refuse(e->call, expert ? CV_ERR_INVALID_VALUE : CV_ERR_UNKNOWN_EXPERT, CV_STR(""), field,
                                drop->items[i].text, "'%.*s' is not on the panel",
                                CV_FMT(cv_excerpt(e->call->arena, drop->items[i].text)));
        cv_refuse_words(err, names, count);
        if (!expert)
            cv_suggest_expert(err, &e->s, drop->items[i].text, "");
    }
    for (size_t i = 0; i < count; i++)
        if (cv_map_get(&gone, seats[i].expert_slug))
            continue;
        else if (seats[i].round == e->round)
            write_place(w, "slug", seats[i].expert_slug, seats[i].source, seats[i].focus);
        else
            write_place(w, "slug", seats[i].expert_slug, cv_source_words.items[CV_SOURCE_RETAINED], no_focus);
}

static void refuse_added(cv_evolution *e, const char *field, cv_str name)
{
    size_t count;
    cv_str *known;
    size_t slugs = cv_state_slugs(e->call->arena, &e->s, &known);
    cv_str *all = CV_NEW_ARRAY(e->call->arena, slugs + e->pool.count, cv_str);
    for (count = 0; count < slugs; count++)
        all[count] = known[count];
    for (size_t i = 0; i < e->pool.count; i++)
        if (!cv_pool_expert(&e->s, &e->pool.items[i]))
            all[count++] = e->pool.items[i].role;
    cv_err *err = cv_refuse(e->call, CV_ERR_UNKNOWN_EXPERT, CV_STR(""), field, name,
                            "'%.*s' is neither an expert of the dialogue nor a role of its pool",
                            CV_FMT(cv_excerpt(e->call->arena, name)));
    cv_refuse_words(err, all, count);
    if (!err->suggestion.n)
        cv_err_suggest(err, CV_STR("expert-create adds a new expert"));
}

/* By name, or by role of the pool; an expert who took part before is retained. */
static void write_added(cv_evolution *e, const cv_json *add, const cv_rec_seat *seats, size_t count, cv_json_writer *w)
{
    for (uint32_t i = 0; add && i < add->count; i++) {
        cv_str name = cv_str_trim(add->items[i].text);
        const char *field = cv_arena_printf(e->call->arena, "add[%u]", i).p;
        const cv_person *member = cv_pool_by_role(&e->pool, name);
        if (!member)
            member = cv_pool_by_slug(&e->pool, name);
        const cv_rec_expert *expert = cv_state_expert(&e->s, name);
        if (!expert && member)
            expert = cv_pool_expert(&e->s, member);
        if (expert && is_seated(seats, count, expert->expert_slug))
            cv_refuse(e->call, CV_ERR_INVALID_VALUE, CV_STR(""), field, name, "'%.*s' is on the panel already",
                      CV_FMT(expert->expert_slug));
        else if (expert && cv_person_sat_before(&e->s, expert->expert_slug, e->round))
            write_place(w, "slug", expert->expert_slug, cv_source_words.items[CV_SOURCE_RETAINED], no_focus);
        else if (expert)
            write_place(w, "slug", expert->expert_slug, expert->source, no_focus);
        else if (member)
            write_place(w, "role", member->role, cv_source_words.items[CV_SOURCE_POOL], no_focus);
        else
            refuse_added(e, field, name);
    }
}

/* The places as the request has them, or made of names. NULL: a fault was added. */
static const cv_json *places(cv_evolution *e)
{
    const cv_json *panel = cv_json_get(e->call->input, CV_STR("panel"));
    const cv_json *add = cv_json_get(e->call->input, CV_STR("add")),
                  *drop = cv_json_get(e->call->input, CV_STR("drop"));
    if (!panel == !(add || drop)) {
        cv_err_suggest(cv_refuse(e->call, panel ? CV_ERR_INVALID_VALUE : CV_ERR_MISSING_FIELD, CV_STR(""), "panel",
                                 (cv_str){NULL, 0},
                                 panel ? "'panel' is the whole panel: it excludes 'add' and 'drop'"
                                       : "neither 'panel' nor 'add' nor 'drop' is given"),
                       CV_STR("give 'panel' alone, or 'add' and 'drop' with names"));
        return NULL;
    }
    if (panel)
        return panel;
    const cv_rec_seat *seats;
    size_t count = cv_state_panel(&e->s, e->round, &seats);
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json *made = CV_NEW(e->call->arena, cv_json);
    cv_err err = {.arena = e->call->arena};
    cv_json_begin_array(&w);
    write_kept(e, drop, seats, count, &w);
    write_added(e, add, seats, count, &w);
    cv_json_end_array(&w);
    bool sound = cv_json_parse(e->call->arena, cv_buf_take(&text, e->call->arena), made, &err);
    assert(sound);
    (void)sound;
    if (made->count == 0 && e->call->errs->count == 0)
        cv_refuse(e->call, CV_ERR_INVALID_VALUE, CV_STR(""), "drop", (cv_str){NULL, 0}, "nobody would be left");
    return e->call->errs->count ? NULL : made;
}

static bool read_panel(cv_evolution *e)
{
    const cv_json *panel = places(e);
    if (!panel)
        return false;
    if (panel->count > CV_MAX_EXPERTS) {
        cv_refuse(e->call, CV_ERR_TOO_LARGE, CV_STR(""), "panel", (cv_str){NULL, 0}, "a panel has at most %d experts",
                  CV_MAX_EXPERTS);
        return false;
    }
    e->count = panel->count;
    e->seats_wanted = CV_NEW_ARRAY(e->call->arena, e->count, cv_wanted_seat);
    for (uint32_t i = 0; i < panel->count; i++)
        cv_wanted_seat_read(e, &panel->items[i], i);
    deal_names(e);
    check_roles(e);
    check_room(e);
    return e->call->errs->count == 0;
}

/* ---- the record -------------------------------------------------------------------------------------------------- */

static cv_rec_seat seat_of(const cv_evolution *e, size_t i)
{
    const cv_wanted_seat *c = &e->seats_wanted[i];
    return (cv_rec_seat){.round = e->round,
                         .expert_slug = c->row.expert_slug,
                         .position = (int64_t)i + 1,
                         .source = cv_source_words.items[c->source],
                         .focus = c->person.focus};
}

typedef struct {
    size_t panel_size, from[CV_SOURCE_COUNT];
} counts;

static counts count_seats(const cv_evolution *e)
{
    counts c = {.panel_size = e->count};
    for (size_t i = 0; i < e->count; i++)
        c.from[e->seats_wanted[i].source]++;
    return c;
}

#define CV_THIS_TYPE counts
static const cv_shape counts_shape[] = {
    CV_FIELD(ALWAYS, panel_size, ""),
    CV_FIELD_AS(ALWAYS, "retained", from[CV_SOURCE_RETAINED], ""),
    CV_FIELD_AS(ALWAYS, "from_pool", from[CV_SOURCE_POOL], ""),
    CV_FIELD_AS(ALWAYS, "created", from[CV_SOURCE_CREATED], ""),
    {0},
};
#undef CV_THIS_TYPE

typedef struct {
    cv_str dialogue_id;
    int64_t round;
    counts counts;
    CV_STATE_LIST(cv_shown_seat) panel;
    CV_STATE_LIST(cv_str) unseated;
    cv_notices warnings;
} told;

#define CV_THIS_TYPE told
const cv_shape cv_evolve_panel_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, dialogue_id, ""),
    CV_FIELD(ALWAYS, round, ""),
    CV_SPREAD(counts, counts_shape),
    CV_LIST("panel", panel.items, panel.count, cv_seat_shape, ""),
    CV_LIST_(TEXTS, CV_IF_ANY, false, "unseated", unseated.items, unseated.count, NULL,
             "experts of the last panel who lose their seat"),
    CV_WARNINGS(warnings, CV_TO_BE_KNOWN),
    CV_WRITTEN("dialogue"),
    {0},
};
#undef CV_THIS_TYPE

static cv_str print_result(const cv_evolution *e)
{
    cv_arena *a = e->call->arena;
    told t = {.dialogue_id = e->s.id, .round = e->round, .counts = count_seats(e), .warnings = e->warnings};
    const cv_rec_seat *seats;
    size_t before = cv_state_panel(&e->s, e->round, &seats);
    cv_map now = {0};
    for (size_t i = 0; i < e->count; i++) {
        cv_rec_seat seat = seat_of(e, i);
        *CV_PUSH(a, &t.panel) = cv_seat_shown(a, &e->seats_wanted[i].row, &seat);
        cv_map_put(&now, a, seat.expert_slug, NULL);
    }
    for (size_t i = 0; i < before; i++)
        if (!cv_map_get(&now, seats[i].expert_slug))
            *CV_PUSH(a, &t.unseated) = seats[i].expert_slug;
    return cv_shape_text(a, cv_evolve_panel_shape, &t);
}

static void enter_new(const cv_evolution *e, cv_journal *j, cv_wanted_seat *c, int64_t position)
{
    c->row.position = position;
    c->row.created_at = j->now;
    cv_journal_put(j, CV_REC_EXPERT, &c->row);
    cv_rec_event *event = cv_journal_event(j, 'X', c->row.expert_slug, cv_event_words.items[CV_EVENT_CREATED], e->round,
                                           cv_judge_alone.json);
    event->reason = c->row.creation_reason;
    cv_journal_covers(j, event, CV_REC_EXPERT, &c->row);
}

/* An expert who was made for a round may sit in another one first: the panel's event covers that. */
static void enter_late(const cv_evolution *e, cv_journal *j, cv_wanted_seat *c, cv_rec_event *event)
{
    if (c->fresh || c->source == CV_SOURCE_RETAINED || c->row.first_round == e->round)
        return;
    c->row.first_round = e->round;
    cv_journal_put(j, CV_REC_EXPERT, &c->row);
    cv_journal_covers(j, event, CV_REC_EXPERT, &c->row);
}

static cv_str print_counts(const cv_evolution *e)
{
    const counts c = count_seats(e);
    return cv_shape_text(e->call->arena, counts_shape, &c);
}

static int by_slug(const void *x, const void *y)
{
    const cv_rec_seat *a = x, *b = y;
    return cv_str_order(a->expert_slug, b->expert_slug);
}

/* The panel that this one replaces: an expert who loses a seat keeps it without a position. */
static void enter_replaced(cv_evolution *e, cv_journal *j, cv_rec_event *event)
{
    const cv_rec_seat *standing;
    CV_STATE_LIST(cv_rec_seat) stored = {0};
    cv_map now = {0};
    size_t seated = seated_now(e, &standing);
    for (size_t i = 0; i < seated; i++)
        *CV_PUSH(e->call->arena, &stored) = standing[i];
    for (size_t i = 0; i < e->s.lost.count; i++)
        if (e->s.lost.items[i].round == e->round)
            *CV_PUSH(e->call->arena, &stored) = e->s.lost.items[i];
    if (stored.count == 0)
        return;
    qsort(stored.items, stored.count, sizeof *stored.items, by_slug);
    cv_journal_replaces(j, event, CV_REC_SEAT, stored.items, stored.count);
    for (size_t i = 0; i < e->count; i++)
        cv_map_put(&now, e->call->arena, e->seats_wanted[i].row.expert_slug, NULL);
    for (size_t i = 0; i < stored.count; i++) {
        cv_rec_seat lost = stored.items[i];
        lost.position = CV_ABSENT;
        if (!cv_map_get(&now, lost.expert_slug))
            cv_journal_put(j, CV_REC_SEAT, &lost);
    }
}

static bool enter(cv_evolution *e, cv_outcome *outcome)
{
    cv_journal j;
    int64_t position = (int64_t)e->s.experts.count;
    cv_journal_begin(&j, e->call, &e->s);
    for (size_t i = 0; i < e->count; i++)
        if (e->seats_wanted[i].fresh)
            enter_new(e, &j, &e->seats_wanted[i], ++position);
    cv_rec_event *event = cv_journal_event(&j, 'N', cv_arena_printf(e->call->arena, "%lld", (long long)e->round),
                                           cv_event_words.items[CV_EVENT_EVOLVED], e->round, cv_judge_alone.json);
    event->data = print_counts(e);
    for (size_t i = 0; i < e->count; i++) {
        cv_rec_seat seat = seat_of(e, i);
        enter_late(e, &j, &e->seats_wanted[i], event);
        cv_journal_put(&j, CV_REC_SEAT, &seat);
    }
    enter_replaced(e, &j, event);
    return cv_journal_commit(&j, print_result(e), outcome);
}

static bool evolve(cv_call *call, cv_outcome *outcome)
{
    const uint32_t kinds =
        CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) | CV_REC_BIT(ROUND) | CV_REC_BIT(RESPONSE);
    cv_wanted wanted = {.kinds = kinds, .no_content = true, .outline = CV_REC_BIT(RESPONSE)};
    cv_evolution e = {.call = call};
    cv_str id = cv_json_get_text(call->input, "dialogue_id");
    cv_err err = {.arena = call->arena};
    e.round = cv_json_get_int(call->input, "round", 0);
    if (!cv_state_load(call, id, &wanted, &e.s, &err) || !find_same(&e, outcome, &err))
        return cv_call_fail(call, &err);
    if (outcome->replayed)
        return true;
    return cv_journal_open(call, &e.s, false)                       /* somebody still listens   */
           && cv_require_next_round(call, &e.s, e.round)            /* the round is to come     */
           && panel_is_open(&e)                                     /* nobody has answered yet  */
           && cv_pool_load(call, e.s.dialogue.expert_pool, &e.pool) /* who could be asked       */
           && read_panel(&e)                                        /* every seat is sound     */
           && enter(&e, outcome);
}

bool cv_dialogue_evolve_panel(cv_call *call)
{
    return cv_journal_run(call, CV_STR("dialogue evolve-panel"), evolve);
}
