/* overview.c - the overview of a dialogue; see overview.h. */
#include "dialogue/view/overview.h"

#include "dialogue/answer.h"

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Rounds come before responses, entities before events: each row finds what it is held against. */
static bool keep(void *ctx, cv_rec_kind kind, const void *row)
{
    cv_overview *c = ctx;
    if (kind == CV_REC_EVENT) {
        const cv_rec_event *event = row;
        cv_pace_tell(&c->pace, cv_place_of(event->subject_id), event->event_type, event->step);
        return c->keeps_events && event->subject_type.p[0] == cv_kinds[CV_KIND_TENSION].letter;
    }
    if (kind == CV_REC_ENTITY) {
        int of = cv_kind_of_letter(((const cv_rec_entity *)row)->kind.p[0]);
        c->entities[of]++;
        return of == CV_KIND_TENSION;
    }
    if (kind == CV_REC_POSITION)
        return cv_holds_dissent(((const cv_rec_position *)row)->content);
    if (kind == CV_REC_RESPONSE) {
        c->responses += ((const cv_rec_response *)row)->round == cv_state_next_round(&c->s);
        return false;
    }
    return true;
}

/* ---- round by round ---------------------------------------------------------------------------------------------- */

/* Walks through the rounds: seats and moves lie in their order, so each is looked at once. */
typedef struct {
    const cv_rec_seat *seats;
    size_t seat_count, seat, move;
    size_t *signalled; /* per expert: the last round in which it signalled, plus one */
} walk;

static size_t expert_index(const cv_state *s, cv_str slug)
{
    const cv_rec_expert *expert = cv_state_expert(s, slug);
    return expert ? (size_t)(expert - s->experts.items) : s->experts.count;
}

static void take_seats(const cv_state *s, walk *at, int64_t round)
{
    for (; at->seat < s->seats.count && s->seats.items[at->seat].round <= round; at->seat++) {
        const cv_rec_seat *seat = &s->seats.items[at->seat];
        if (at->seat_count == 0 || at->seats->round != seat->round) {
            at->seats = seat;
            at->seat_count = 0;
        }
        at->seat_count++;
    }
}

static void take_moves(const cv_state *s, walk *at, int64_t round)
{
    for (; at->move < s->moves.count && s->moves.items[at->move].round <= round; at->move++) {
        const cv_rec_move *move = &s->moves.items[at->move];
        if (move->round == round && cv_move_signals(move))
            at->signalled[expert_index(s, move->expert_slug)] = (size_t)round + 1;
    }
}

/* Without any panel everybody has to agree. */
static void count_signals(const cv_state *s, const walk *at, cv_overview_round *r)
{
    r->seats = at->seats;
    r->seat_count = at->seat_count;
    r->panel = at->seat_count ? at->seat_count : s->experts.count;
    int64_t next = cv_state_next_round(s);
    for (size_t i = 0; i < r->panel; i++) {
        size_t expert = at->seat_count ? expert_index(s, at->seats[i].expert_slug) : i;
        r->signals += at->signalled[expert] == (size_t)r->row->round + 1 &&
                      !(expert < s->experts.count && cv_expert_dissents(s, s->experts.items[expert].expert_slug,
                                                                        r->row->round, r->row->round + 1 == next));
    }
}

static void measure(const cv_overview *c, cv_overview_round *r)
{
    const cv_pace_round *pace = cv_pace_at(&c->pace, r->row->round);
    size_t tensions = cv_pace_tensions(pace);
    r->tensions = pace->tensions;
    r->open_tensions = pace->open_tensions;
    r->new_perspectives = pace->new_perspectives;
    r->velocity = cv_pace_velocity(pace);
    double reached = cv_convergence_reached(tensions - (size_t)r->open_tensions, tensions, r->signals, r->panel);
    r->percentage = cv_convergence_percentage(reached);
    r->converged = cv_convergence_enough(reached, cv_convergence_target(&c->s));
}

static void follow(cv_arena *a, cv_overview *c)
{
    const cv_state *s = &c->s;
    walk at = {.signalled = CV_NEW_ARRAY(a, s->experts.count + 1, size_t)};
    c->count = s->rounds.count;
    c->rounds = CV_NEW_ARRAY(a, c->count, cv_overview_round);
    for (size_t i = 0; i < c->count; i++) {
        cv_overview_round *r = &c->rounds[i];
        r->row = &s->rounds.items[i];
        r->score_delta = i ? r->row->score - s->rounds.items[i - 1].score : CV_ABSENT;
        take_seats(s, &at, r->row->round);
        take_moves(s, &at, r->row->round);
        count_signals(s, &at, r);
        measure(c, r);
    }
}

bool cv_overview_load(cv_call *call, cv_str dialogue_id, bool all_kinds, uint32_t whole, cv_overview *ret, cv_err *err)
{
    const uint32_t kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) | CV_REC_BIT(ROUND) |
                           CV_REC_BIT(SCORE) | CV_REC_BIT(RESPONSE) | CV_REC_BIT(ENTITY) | CV_REC_BIT(MOVE) |
                           CV_REC_BIT(VERDICT) | CV_REC_BIT(EVENT);
    const char tensions[] = {cv_kinds[CV_KIND_TENSION].letter, '\0'};
    const cv_wanted wanted = {
        .kinds = kinds | CV_REC_BIT(POSITION), .outline = kinds & ~whole, .letters = all_kinds ? NULL : tensions};
    *ret = (cv_overview){.keeps_events = whole & CV_REC_BIT(EVENT)};
    cv_pace_begin(&ret->pace, call->arena);
    if (!cv_state_load_some(call, dialogue_id, &wanted, keep, ret, &ret->s, err))
        return false;
    cv_pace_end(&ret->pace);
    follow(call->arena, ret);
    return true;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

const cv_rec_verdict *cv_overview_final(const cv_overview *c)
{
    for (size_t i = 0; i < c->s.verdicts.count; i++)
        if (cv_str_eq(c->s.verdicts.items[i].verdict_type, cv_verdict_words.items[CV_VERDICT_FINAL]))
            return &c->s.verdicts.items[i];
    return NULL;
}

int64_t *cv_overview_series(cv_arena *a, const cv_overview *c, cv_overview_number number)
{
    int64_t *series = CV_NEW_ARRAY(a, c->count, int64_t);
    for (size_t i = 0; i < c->count; i++)
        series[i] = number(&c->rounds[i]);
    return series;
}

int64_t cv_overview_score(const cv_overview_round *round)
{
    return round->row->score;
}

int64_t cv_overview_velocity(const cv_overview_round *round)
{
    return round->velocity;
}

int64_t cv_overview_open(const cv_overview_round *round)
{
    return round->open_tensions;
}

/* ---- in answers -------------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE cv_overview
const cv_shape cv_overview_head[] = {
    CV_FIELD_AS(ALWAYS, "dialogue_id", s.id, ""),
    CV_NUMBER(ALWAYS, "rev", s.position.rev, 1, CV_NO_LIMIT, ""),
    CV_FIELD_AS(ALWAYS, "title", s.dialogue.title, ""),
    CV_FIELD_AS(ALWAYS, "dialogue_status", s.dialogue.status, ""),
    {0},
};
#undef CV_THIS_TYPE

static void write_tensions(cv_json_writer *w, const void *whole)
{
    const cv_overview_round *r = whole;
    cv_json_begin_object(w);
    for (int status = 0; status < CV_STATUS_COUNT; status++)
        if (cv_statuses[status].kind == CV_KIND_TENSION) {
            cv_json_key(w, cv_statuses[status].word);
            cv_json_int(w, r->tensions[status]);
        }
    cv_json_end_object(w);
}

static const char tensions_schema[] = "{\"type\":\"object\",\"description\":\"by status, likewise\","
                                      "\"additionalProperties\":{\"type\":\"integer\",\"minimum\":0}}";

#define CV_THIS_TYPE cv_overview_round
const cv_shape cv_overview_measures[] = {
    CV_FIELD(ALWAYS, velocity, "open tensions + new perspectives"),
    CV_NUMBER(ALWAYS, "open_tensions", open_tensions, 0, CV_NO_LIMIT, "once the round was registered"),
    CV_BY_HAND("tensions", write_tensions, tensions_schema),
    CV_NUMBER(ALWAYS, "new_perspectives", new_perspectives, 0, CV_NO_LIMIT, ""),
    CV_FIELD_AS(ALWAYS, "converge_signals", signals, "experts of its panel who signalled"),
    CV_FIELD_AS(ALWAYS, "panel_size", panel, ""),
    CV_NUMBER(ALWAYS, "converge_percentage", percentage, 0, 100, ""),
    {0},
};
#undef CV_THIS_TYPE
