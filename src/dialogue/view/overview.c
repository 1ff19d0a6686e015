/* overview.c - the overview of a dialogue; see overview.h. */
#include "dialogue/view/overview.h"

#include "dialogue/answer.h"
#include "dialogue/people.h"

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void hear(cv_overview *c, int64_t round, cv_str expert)
{
    cv_map_put(&c->heard, c->arena,
               cv_arena_printf(c->arena, "%lld%s%.*s", (long long)round, expert.n ? "/" : "", CV_FMT(expert)), NULL);
}

static void hear_contributors(cv_overview *c, const cv_rec_entity *row)
{
    cv_words people = cv_json_list(c->arena, row->contributors);
    for (size_t i = 0; i < people.count; i++)
        hear(c, row->round, people.items[i]);
}

/* An expert whom the judge has scored looks present: who said nothing, in a round that has responses, was absent. Where
 * a round has none, as in an import, nobody can tell. */
static void note_absent(cv_overview *c)
{
    cv_arena *a = c->arena;
    for (size_t i = 0; i < c->s.scores.count; i++) {
        const cv_rec_score *score = &c->s.scores.items[i];
        cv_str round = cv_arena_printf(a, "%lld", (long long)score->round);
        if (!cv_map_get(&c->heard, round) ||
            cv_map_get(&c->heard, cv_arena_printf(a, "%.*s/%.*s", CV_FMT(round), CV_FMT(score->expert_slug))))
            continue;
        cv_notice *note = cv_notice_add(&c->notes, a, CV_STR("score_without_response"),
                                        "%.*s was absent in round %lld, and has a score of %lld",
                                        CV_FMT(score->expert_slug), (long long)score->round, (long long)score->score);
        cv_notice_expert(note, score->expert_slug);
        cv_notice_round(note, score->round);
    }
}

/* Rounds come before responses, entities before events: each row finds what it refers to. */
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
        hear_contributors(c, row);
        return true;
    }
    if (kind == CV_REC_REFERENCE)
        return cv_str_eq(((const cv_rec_reference *)row)->ref_type, cv_ref_words.items[CV_REF_OPPOSE]);
    if (kind == CV_REC_POSITION)
        return cv_holds_dissent(((const cv_rec_position *)row)->content);
    if (kind == CV_REC_RESPONSE) {
        const cv_rec_response *response = row;
        bool waits = response->round == cv_state_next_round(&c->s);
        hear(c, response->round, CV_STR(""));
        hear(c, response->round, response->expert_slug);
        c->responses += waits;
        return waits;
    }
    return true;
}

/* ---- round by round ---------------------------------------------------------------------------------------------- */

static void count_signals(const cv_stances *st, cv_overview_round *r)
{
    cv_agreement g = cv_agreement_in(st, r->row->round);
    r->seats = g.seats;
    r->seat_count = g.seated;
    r->panel = g.panel;
    r->signals = g.signals;
    r->outside = g.outside;
}

static void measure(const cv_overview *c, cv_overview_round *r)
{
    const cv_pace_round *pace = cv_pace_at(&c->pace, r->row->round);
    size_t tensions = cv_pace_tensions(pace);
    r->tensions = pace->tensions;
    r->open_tensions = pace->open_tensions;
    r->new_perspectives = pace->new_perspectives;
    r->velocity = cv_pace_velocity(pace);
    double reached =
        cv_convergence_reached(tensions - (size_t)r->open_tensions, tensions, r->signals, r->panel + r->outside);
    r->percentage = r->reached = cv_convergence_percentage(reached);
    r->enough = cv_convergence_enough(reached, cv_convergence_target(&c->s));
}

/* The final verdict ends the last round, whatever it leaves open. */
static void end_by_verdict(cv_overview *c)
{
    cv_overview_round *last = c->count ? &c->rounds[c->count - 1] : NULL;
    if (!last || !cv_state_is_closed(&c->s))
        return;
    last->decided = !last->enough;
    last->percentage = 100;
}

static void follow(cv_arena *a, cv_overview *c)
{
    const cv_state *s = &c->s;
    c->count = s->rounds.count;
    c->rounds = CV_NEW_ARRAY(a, c->count, cv_overview_round);
    for (size_t i = 0; i < c->count; i++) {
        cv_overview_round *r = &c->rounds[i];
        r->row = &s->rounds.items[i];
        r->score_delta = i ? r->row->score - s->rounds.items[i - 1].score : CV_ABSENT;
        count_signals(&c->stances, r);
        measure(c, r);
    }
    end_by_verdict(c);
}

/* Of the entities only the tensions are needed further. */
static void keep_tensions(cv_arena *a, cv_state *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->entities.count; i++)
        if (s->entities.items[i].kind.p[0] == cv_kinds[CV_KIND_TENSION].letter)
            s->entities.items[kept++] = s->entities.items[i];
    s->entities.count = kept;
    cv_state_index(a, s);
}

bool cv_overview_load(cv_call *call, cv_str dialogue_id, uint32_t whole, cv_overview *ret, cv_err *err)
{
    const uint32_t kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) | CV_REC_BIT(ROUND) |
                           CV_REC_BIT(SCORE) | CV_REC_BIT(RESPONSE) | CV_REC_BIT(ENTITY) | CV_REC_BIT(MOVE) |
                           CV_REC_BIT(REFERENCE) | CV_REC_BIT(VERDICT) | CV_REC_BIT(EVENT);
    const cv_wanted wanted = {.kinds = kinds | CV_REC_BIT(POSITION), .outline = kinds & ~whole};
    *ret = (cv_overview){.keeps_events = whole & CV_REC_BIT(EVENT), .arena = call->arena};
    cv_pace_begin(&ret->pace, call->arena);
    if (!cv_state_load_some(call, dialogue_id, &wanted, keep, ret, &ret->s, err))
        return false;
    cv_pace_end(&ret->pace);
    ret->stances = cv_stances_of(call->arena, &ret->s);
    keep_tensions(call->arena, &ret->s);
    follow(call->arena, ret);
    note_absent(ret);
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

const cv_str cv_status_decided = CV_STR_INIT("decided");

int cv_overview_percentage(const cv_overview *c)
{
    return c->count ? c->rounds[c->count - 1].percentage : cv_state_is_closed(&c->s) ? 100 : 0;
}

cv_str cv_overview_converged(cv_arena *a, const cv_overview_round *round)
{
    return round->decided ? cv_status_decided : cv_arena_printf(a, "%d%%", round->percentage);
}

cv_str cv_overview_status(const cv_overview *c)
{
    bool waited = c->count && c->rounds[c->count - 1].enough;
    return cv_state_is_closed(&c->s) && !waited ? cv_status_decided : c->s.dialogue.status;
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
    CV_FIELD_AS(ALWAYS, "converge_signals", signals, "experts of its panel whose signal held"),
    CV_FIELD_AS(ALWAYS, "panel_size", panel, ""),
    CV_NUMBER(ALWAYS, "converge_percentage", percentage, 0, 100, "of the round that the final verdict ended: 100"),
    {0},
};
#undef CV_THIS_TYPE
