/* cite.c - what ids stand for; see cite.h. */
#include "dialogue/view/cite.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/limits.h"
#include "dialogue/people.h"

/* One id of the request on its way. */
typedef struct {
    cv_str text;
    cv_address what;
    bool found;
    cv_err err;
} ask;

typedef CV_STATE_LIST(cv_str) id_list;

/* ---- which ------------------------------------------------------------------------------------------------------- */

static ask *read_asks(cv_arena *a, const cv_str *ids, size_t count)
{
    ask *asks = CV_NEW_ARRAY(a, count, ask);
    for (size_t i = 0; i < count; i++) {
        asks[i].text = ids[i];
        asks[i].err.arena = a;
        asks[i].found = cv_address_parse(a, ids[i], &asks[i].what);
    }
    return asks;
}

static bool load_names(cv_citations *c, cv_str dialogue_id, const ask *asks, size_t count, cv_err *err)
{
    id_list locals = {0};
    for (size_t i = 0; i < count; i++)
        if (asks[i].found && asks[i].what.is_local)
            *CV_PUSH(c->call->arena, &locals) = asks[i].what.id;
    cv_wanted wanted = {.kinds = CV_ADDRESS_NAMES | (locals.count ? CV_REC_BIT(ORIGIN) : 0),
                        .about = locals.items,
                        .about_count = locals.count};
    return cv_state_load(c->call, dialogue_id, &wanted, &c->names, err);
}

/* What has a history, but nothing that could be shown as one thing. */
static bool refuse_thing(ask *one)
{
    cv_str kind = cv_address_kind(&one->what);
    cv_err_set(&one->err, CV_ERR_INVALID_VALUE, "a %.*s cannot be expanded", CV_FMT(kind));
    cv_err_operation(&one->err, CV_STR("dialogue history"));
    cv_err_suggest(&one->err, CV_STR("shows what happened to it"));
    return false;
}

static void find_asks(cv_citations *c, ask *asks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ask *one = &asks[i];
        if (!one->found)
            cv_address_invalid(&c->names, one->text, &one->err);
        else if (one->what.thing > CV_THING_ROUND)
            one->found = refuse_thing(one);
        else
            one->found = cv_address_find(c->call->arena, &c->names, &one->what, &one->err);
    }
}

/* ---- the readings ------------------------------------------------------------------------------------------------ */

static bool is_wide(const cv_address *what)
{
    return what->thing == CV_THING_EXPERT || what->thing == CV_THING_ROUND;
}

static bool load_about(cv_citations *c, const ask *asks, size_t count, cv_err *err)
{
    cv_arena *a = c->call->arena;
    id_list ids = {0};
    cv_wanted wanted = {.kinds = CV_REC_BIT(ENTITY) | CV_REC_BIT(ORIGIN) | CV_REC_BIT(REFERENCE) | CV_REC_BIT(EVENT) |
                                 CV_REC_BIT(MOVE)};
    for (size_t i = 0; i < count; i++) {
        if (!asks[i].found)
            continue;
        *CV_PUSH(a, &ids) = asks[i].what.subject_id;
        *CV_PUSH(a, &ids) = asks[i].what.id; /* @muffin in references, muffin in events */
        wanted.kinds |= is_wide(&asks[i].what) ? CV_REC_BIT(SCORE) | CV_REC_BIT(POSITION) : 0;
    }
    wanted.about = ids.items;
    wanted.about_count = ids.count;
    c->about.position = c->names.position;
    return ids.count == 0 || cv_state_load(c->call, c->names.id, &wanted, &c->about, err);
}

static bool wants_all(const cv_citations *c, const ask *asks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const cv_address *what = &asks[i].what;
        if (asks[i].found &&
            (is_wide(what) || (what->thing == CV_THING_ENTITY && !cv_state_entity(&c->about, what->id))))
            return true;
    }
    return false;
}

static void add_named(cv_arena *a, const cv_rec_verdict *verdict, id_list *ids);

static bool load_near(cv_citations *c, const ask *asks, size_t count, cv_err *err)
{
    cv_arena *a = c->call->arena;
    id_list ids = {0};
    cv_wanted wanted = {.kinds = CV_REC_BIT(ENTITY), .no_content = true};
    for (size_t i = 0; i < c->about.references.count; i++) {
        *CV_PUSH(a, &ids) = c->about.references.items[i].source_id;
        *CV_PUSH(a, &ids) = c->about.references.items[i].target_id;
    }
    for (size_t i = 0; i < count; i++)
        if (asks[i].found && asks[i].what.thing == CV_THING_VERDICT)
            add_named(a, cv_state_verdict(&c->names, asks[i].what.subject_id), &ids);
    bool all = wants_all(c, asks, count);
    wanted.about = ids.items;
    wanted.about_count = all ? 0 : ids.count;
    c->near.position = c->about.position;
    return (!all && ids.count == 0) || cv_state_load(c->call, c->names.id, &wanted, &c->near, err);
}

/* ---- the other end ------------------------------------------------------------------------------------------------
 */

static const cv_rec_entity *entity_of(const cv_citations *c, cv_str id)
{
    const cv_rec_entity *entity = cv_state_entity(&c->near, id);
    return entity ? entity : cv_state_entity(&c->about, id);
}

/* The label of an entity, of an expert ("@muffin": the role); empty when it is neither. */
static cv_str label_of(const cv_citations *c, cv_str id)
{
    const cv_rec_entity *entity = entity_of(c, id);
    const cv_rec_expert *expert = entity || id.n == 0 ? NULL : cv_state_expert(&c->names, cv_str_from(id, 1));
    return entity ? entity->label : expert ? expert->role : CV_STR("");
}

/* Who is behind the source of a reference, as a JSON list. */
static cv_str people_of(const cv_citations *c, cv_str id)
{
    const cv_rec_entity *entity = entity_of(c, id);
    cv_str slug = cv_str_from(id, 1);
    return entity ? entity->contributors : cv_json_texts(c->call->arena, &slug, 1);
}

/* ---- verdicts' lists --------------------------------------------------------------------------------------------- */

static void add_named(cv_arena *a, const cv_rec_verdict *verdict, id_list *ids)
{
    for (int list = 0; list < CV_LIST_COUNT; list++) {
        cv_words names = cv_json_list(a, cv_verdict_list_json(verdict, (cv_verdict_list)list));
        for (size_t i = 0; i < names.count; i++)
            *CV_PUSH(a, ids) = names.items[i];
    }
}

static cv_citation *citation_of(const cv_citations *c, cv_str id)
{
    const uintptr_t *at = cv_map_get(&c->at, id);
    return at ? (cv_citation *)*at : NULL;
}

static void gather_verdict(cv_citations *c, const cv_rec_verdict *verdict)
{
    cv_arena *a = c->call->arena;
    cv_citation *own = citation_of(c, cv_arena_printf(a, "verdict-%.*s", CV_FMT(verdict->verdict_id)));
    for (int list = 0; list < CV_LIST_COUNT; list++) {
        cv_words names = cv_json_list(a, cv_verdict_list_json(verdict, (cv_verdict_list)list));
        for (size_t i = 0; i < names.count; i++) {
            cv_citation *named = citation_of(c, names.items[i]);
            if (named)
                *CV_PUSH(a, &named->mentions) = (cv_mention){verdict, cv_verdict_lists[list].word};
            if (own)
                *CV_PUSH(a, &own->names) =
                    (cv_named){cv_verdict_lists[list].word, names.items[i], label_of(c, names.items[i])};
        }
    }
}

/* ---- what is known about each ------------------------------------------------------------------------------------ */

static int by_round_and_position(const void *x, const void *y)
{
    const cv_rec_reference *a = x, *b = y;
    int order = CV_ORDER(a->round, b->round);
    return order ? order : CV_ORDER(a->position, b->position);
}

static cv_cite_link link_to(const cv_citations *c, const cv_rec_reference *row, cv_str other)
{
    return (cv_cite_link){row->ref_type, other, label_of(c, other), people_of(c, other), row->round, row->reason};
}

static void gather_references(cv_citations *c)
{
    cv_arena *a = c->call->arena;
    cv_rec_reference *rows = c->about.references.items;
    size_t count = c->about.references.count;
    if (count > 1)
        qsort(rows, count, sizeof *rows, by_round_and_position);
    for (size_t i = 0; i < count; i++) {
        cv_citation *source = citation_of(c, rows[i].source_id), *target = citation_of(c, rows[i].target_id);
        if (source)
            *CV_PUSH(a, &source->from) = link_to(c, &rows[i], rows[i].target_id);
        if (target)
            *CV_PUSH(a, &target->to) = link_to(c, &rows[i], rows[i].source_id);
    }
}

/* To a citation at most once, even when a move names it twice. */
static void add_move(cv_arena *a, cv_citation *to, const cv_rec_move *move)
{
    if (to && (to->moves.count == 0 || to->moves.items[to->moves.count - 1] != move))
        *CV_PUSH(a, &to->moves) = move;
}

static void gather_moves(cv_citations *c)
{
    cv_arena *a = c->call->arena;
    for (size_t i = 0; i < c->about.moves.count; i++) {
        const cv_rec_move *move = &c->about.moves.items[i];
        cv_words targets = cv_json_list(a, move->targets);
        for (size_t k = 0; k < targets.count; k++)
            add_move(a, citation_of(c, targets.items[k]), move);
        add_move(a, citation_of(c, cv_arena_printf(a, "@%.*s", CV_FMT(move->expert_slug))), move);
        add_move(a, citation_of(c, cv_arena_printf(a, "round-%lld", (long long)move->round)), move);
    }
}

static void gather_origins(cv_citations *c)
{
    for (size_t i = 0; i < c->about.origins.count; i++) {
        cv_citation *one = citation_of(c, c->about.origins.items[i].display_id);
        if (one)
            *CV_PUSH(c->call->arena, &one->origins) = &c->about.origins.items[i];
    }
}

static void gather_scores(cv_citations *c)
{
    cv_arena *a = c->call->arena;
    for (size_t i = 0; i < c->about.scores.count; i++) {
        const cv_rec_score *score = &c->about.scores.items[i];
        cv_citation *expert = citation_of(c, cv_arena_printf(a, "@%.*s", CV_FMT(score->expert_slug)));
        cv_citation *round = citation_of(c, cv_arena_printf(a, "round-%lld", (long long)score->round));
        if (expert)
            *CV_PUSH(a, &expert->scores) = score;
        if (round)
            *CV_PUSH(a, &round->scores) = score;
    }
}

static void gather_positions(cv_citations *c)
{
    cv_arena *a = c->call->arena;
    for (size_t i = 0; i < c->about.positions.count; i++) {
        const cv_rec_position *row = &c->about.positions.items[i];
        cv_citation *expert = citation_of(c, cv_arena_printf(a, "@%.*s", CV_FMT(row->expert_slug)));
        cv_citation *round = citation_of(c, cv_arena_printf(a, "round-%lld", (long long)row->round));
        if (expert)
            *CV_PUSH(a, &expert->positions) = row;
        if (round)
            *CV_PUSH(a, &round->positions) = row;
    }
}

static void gather_events(cv_citations *c)
{
    cv_timeline *line = CV_NEW(c->call->arena, cv_timeline);
    for (size_t i = 0; i < c->about.events.count; i++) {
        const cv_rec_event *event = &c->about.events.items[i];
        cv_citation *one = citation_of(c, cv_address_of_subject(c->call->arena, event));
        if (!one)
            continue;
        one->last = one->last ? one->last : CV_NEW(c->call->arena, cv_moment);
        *one->last = cv_timeline_next(line, event);
        one->event_count++;
    }
    for (size_t i = 0; i < c->list.count; i++)
        if (c->list.items[i]->last)
            cv_moment_complete(c->call->arena, c->list.items[i]->last);
}

static void gather_raised(cv_citations *c, cv_citation *one)
{
    for (size_t i = 0; i < c->near.entities.count; i++) {
        const cv_rec_entity *entity = &c->near.entities.items[i];
        bool mine = one->round ? entity->round == one->round->round
                               : cv_people_json_has(entity->contributors, one->what.subject_id);
        if (mine)
            *CV_PUSH(c->call->arena, &one->raised) = (cv_raised){cv_entity_id(c->call->arena, entity), entity};
    }
}

static void gather_all(cv_citations *c)
{
    gather_references(c);
    gather_moves(c);
    gather_origins(c);
    gather_scores(c);
    gather_positions(c);
    gather_events(c);
    for (size_t i = 0; i < c->names.verdicts.count; i++)
        gather_verdict(c, &c->names.verdicts.items[i]);
    for (size_t i = 0; i < c->list.count; i++)
        if (is_wide(&c->list.items[i]->what))
            gather_raised(c, c->list.items[i]);
}

/* ---- all together ------------------------------------------------------------------------------------------------ */

static void set_panel(const cv_citations *c, cv_citation *one)
{
    const cv_rec_seat *seats;
    size_t count = cv_state_panel(&c->names, one->round->round, &seats);
    for (size_t i = 0; i < count; i++)
        *CV_PUSH(c->call->arena, &one->panel) = seats[i].expert_slug;
}

static void set_row(const cv_citations *c, cv_citation *one)
{
    switch (one->what.thing) {
    case CV_THING_ENTITY:
        one->entity = cv_state_entity(&c->about, one->what.id);
        break;
    case CV_THING_EXPERT:
        one->expert = cv_state_expert(&c->names, one->what.subject_id);
        break;
    case CV_THING_VERDICT:
        one->verdict = cv_state_verdict(&c->names, one->what.subject_id);
        one->author = cv_json_texts(c->call->arena,
                                    one->verdict->author_expert.p ? &one->verdict->author_expert : &cv_judge_slug, 1);
        break;
    default:
        one->round = cv_state_round(&c->names, one->what.round);
        set_panel(c, one);
    }
}

static void add_ask(cv_citations *c, ask *one)
{
    cv_arena *a = c->call->arena;
    bool is_new;
    if (one->found && one->what.thing == CV_THING_ENTITY && !cv_state_entity(&c->about, one->what.id))
        one->found = cv_address_missing(&c->near, &one->what, &one->err);
    if (!one->found) {
        cv_err_value(&one->err, one->text);
        cv_err_advise(&one->err, c->call->name);
        cv_errs_keep(&c->errs, a, &one->err);
        return;
    }
    uintptr_t *place = cv_map_put(&c->at, a, one->what.id, &is_new);
    if (is_new) {
        cv_citation *citation = CV_NEW(a, cv_citation);
        *place = (uintptr_t)citation;
        citation->what = one->what;
        citation->kind = cv_address_kind(&one->what);
        set_row(c, citation);
        *CV_PUSH(a, &c->list) = citation;
    }
    *CV_PUSH(a, &((cv_citation *)*place)->asked) = one->text;
}

static bool attempt(cv_citations *c, cv_str dialogue_id, const cv_str *ids, size_t count, bool *ret_moved, cv_err *err)
{
    ask *asks = read_asks(c->call->arena, ids, count);
    if (!load_names(c, dialogue_id, asks, count, err))
        return false;
    find_asks(c, asks, count);
    if (!load_about(c, asks, count, err) || !load_near(c, asks, count, err))
        return false;
    *ret_moved = c->about.position.rev != c->names.position.rev || c->near.position.rev != c->names.position.rev;
    if (*ret_moved)
        return true;
    for (size_t i = 0; i < count; i++)
        add_ask(c, &asks[i]);
    gather_all(c);
    return true;
}

bool cv_citations_load(cv_call *call, cv_str dialogue_id, const cv_str *ids, size_t count, cv_citations *ret)
{
    cv_err err = {.arena = call->arena};
    for (int tries = 0; tries < CV_MAX_READINGS; tries++) {
        bool moved;
        *ret = (cv_citations){.call = call};
        if (!attempt(ret, dialogue_id, ids, count, &moved, &err))
            return cv_call_fail(call, &err);
        if (!moved)
            return true;
    }
    return cv_state_kept_moving(call);
}
