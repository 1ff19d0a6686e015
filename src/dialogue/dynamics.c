/* dynamics.c - the state of a dialogue; see dynamics.h. */
#include "dialogue/dynamics.h"

#include "dialogue/people.h"

static bool is_kind(const cv_rec_entity *entity, cv_kind kind)
{
    return entity->kind.p[0] == cv_kinds[kind].letter;
}

int64_t cv_state_velocity(const cv_state *s)
{
    int64_t open = 0, fresh = 0, last = cv_state_next_round(s) - 1;
    for (size_t i = 0; i < s->entities.count; i++) {
        const cv_rec_entity *entity = &s->entities.items[i];
        open += is_kind(entity, CV_KIND_TENSION) && cv_tension_is_open(entity);
        fresh += is_kind(entity, CV_KIND_PERSPECTIVE) && entity->round == last;
    }
    return open + fresh;
}

int64_t cv_round_score_delta(const cv_state *s, int64_t round)
{
    const cv_rec_round *now = cv_state_round(s, round), *before = cv_state_round(s, round - 1);
    return now && before ? now->score - before->score : CV_ABSENT;
}

/* ---- convergence ----------------------------------------------------------------------------- */

bool cv_move_signals(const cv_rec_move *move)
{
    return cv_str_eq(move->move_type, cv_move_words.items[CV_MOVE_CONVERGE]);
}

bool cv_holds_dissent(cv_str position)
{
    for (cv_str line; cv_str_split(&position, '\n', &line);)
        if (cv_str_starts(line, CV_STR("[DISSENT")) || cv_str_starts(line, CV_STR("[MINORITY VERDICT")))
            return true;
    return false;
}

bool cv_dissent_unregistered(const cv_state *s, const cv_rec_position *position)
{
    for (size_t i = 0; i < s->verdicts.count; i++)
        if (cv_str_eq(s->verdicts.items[i].author_expert, position->expert_slug))
            return false;
    return cv_holds_dissent(position->content);
}

/* ---- who stands by a signal ------------------------------------------------------------------ */

enum { SIGNALLED = 1, AGAINST = 2, DISSENTED = 4 };

static void note(cv_stances *st, cv_str expert, int64_t round, int what)
{
    const uintptr_t *at = cv_map_get(&st->at, expert);
    if (at && round >= 0 && (size_t)round < st->rounds)
        st->said[(*at - 1) * st->rounds + (size_t)round] |= (unsigned char)what;
}

static void note_moves(cv_stances *st)
{
    for (size_t i = 0; i < st->s->moves.count; i++) {
        const cv_rec_move *move = &st->s->moves.items[i];
        bool against = cv_str_eq(move->move_type, cv_move_words.items[CV_MOVE_CHALLENGE]);
        note(st, move->expert_slug, move->round, cv_move_signals(move) ? SIGNALLED : against ? AGAINST : 0);
    }
}

/* A verdict may be of a round that is not registered yet. */
static void note_dissent(cv_stances *st)
{
    int64_t last = (int64_t)st->rounds - 1;
    for (size_t i = 0; i < st->s->verdicts.count; i++) {
        const cv_rec_verdict *v = &st->s->verdicts.items[i];
        if (cv_str_eq(v->verdict_type, cv_verdict_words.items[CV_VERDICT_DISSENT]))
            note(st, v->author_expert, v->round < last ? v->round : last, DISSENTED);
    }
}

/* Tensions, and whatever opposes something. References belong to the round of their source. */
static void note_entities(cv_arena *a, cv_stances *st)
{
    cv_map opposing = {0};
    for (size_t i = 0; i < st->s->references.count; i++) {
        const cv_rec_reference *r = &st->s->references.items[i];
        if (!cv_str_eq(r->ref_type, cv_ref_words.items[CV_REF_OPPOSE]))
            continue;
        if (cv_str_starts(r->source_id, CV_STR("@")))
            note(st, cv_str_from(r->source_id, 1), r->round, AGAINST);
        else
            cv_map_put(&opposing, a, r->source_id, NULL);
    }
    for (size_t i = 0; i < st->s->entities.count; i++) {
        const cv_rec_entity *entity = &st->s->entities.items[i];
        if (!is_kind(entity, CV_KIND_TENSION) && !(opposing.count && cv_map_get(&opposing, cv_entity_id(a, entity))))
            continue;
        cv_words by = cv_json_list(a, entity->contributors);
        for (size_t k = 0; k < by.count; k++)
            note(st, by.items[k], entity->round, AGAINST);
    }
}

cv_stances cv_stances_of(cv_arena *a, const cv_state *s)
{
    cv_stances st = {.s = s, .rounds = (size_t)cv_state_next_round(s)};
    st.said = CV_NEW_ARRAY(a, s->experts.count * st.rounds, unsigned char);
    for (size_t i = 0; i < s->experts.count; i++)
        *cv_map_put(&st.at, a, s->experts.items[i].expert_slug, NULL) = i + 1;
    note_moves(&st);
    note_dissent(&st);
    note_entities(a, &st);
    return st;
}

/* Back from the round to the last time that the expert said one of these things: everything that it said then, and
 * when. 0: it never did. */
static int find_said(const cv_stances *st, cv_str expert, int64_t round, int what, int64_t *ret_round)
{
    const uintptr_t *at = cv_map_get(&st->at, expert);
    for (*ret_round = round; at && *ret_round >= 0; --*ret_round) {
        size_t r = (size_t)*ret_round;
        int said = r < st->rounds ? st->said[(*at - 1) * st->rounds + r] : 0;
        if (said & what)
            return said;
    }
    *ret_round = 0;
    return 0;
}

static bool last_said(const cv_stances *st, cv_str expert, int64_t round, int what, int these)
{
    int64_t when;
    return find_said(st, expert, round, what, &when) & these;
}

/* Does the expert not stand by the signal, dissent apart? */
static bool signal_missing(const cv_stances *st, cv_str expert, int64_t round)
{
    return !last_said(st, expert, round, SIGNALLED | AGAINST | DISSENTED, SIGNALLED);
}

bool cv_dissent_stands(const cv_stances *st, cv_str expert, int64_t round)
{
    return last_said(st, expert, round, SIGNALLED | DISSENTED, DISSENTED);
}

bool cv_stands_by_signal(const cv_stances *st, cv_str expert, int64_t round)
{
    return !signal_missing(st, expert, round) && !cv_dissent_stands(st, expert, round);
}

cv_stance cv_stance_in(const cv_stances *st, cv_str expert, int64_t round, int64_t *ret_since)
{
    int said = find_said(st, expert, round, SIGNALLED | AGAINST | DISSENTED, ret_since);
    if (cv_dissent_stands(st, expert, round))
        return CV_STANCE_DISSENTS;
    return said & SIGNALLED ? CV_STANCE_AGREES : said ? CV_STANCE_OBJECTS : CV_STANCE_UNDECIDED;
}

cv_str cv_panel_member(const cv_stances *st, const cv_agreement *g, size_t i)
{
    return g->seated ? g->seats[i].expert_slug : st->s->experts.items[i].expert_slug;
}

/* The panel of one round, and what its experts had said by another one. */
static cv_agreement agreement_of(const cv_stances *st, int64_t panel, int64_t round)
{
    cv_agreement g = {0};
    g.seated = cv_state_panel(st->s, panel, &g.seats);
    g.panel = g.seated ? g.seated : st->s->experts.count;
    for (size_t i = 0; i < g.panel; i++)
        g.signals += cv_stands_by_signal(st, cv_panel_member(st, &g, i), round);
    for (size_t i = 0; st->s->verdicts.count && i < st->s->experts.count; i++)
        g.outside += cv_dissent_stands(st, st->s->experts.items[i].expert_slug, round);
    for (size_t i = 0; g.outside && i < g.panel; i++)
        g.outside -= cv_dissent_stands(st, cv_panel_member(st, &g, i), round);
    return g;
}

cv_agreement cv_agreement_in(const cv_stances *st, int64_t round)
{
    return agreement_of(st, round, round);
}

/* ---- how far it is --------------------------------------------------------------------------- */

static void find_people(const cv_stances *st, cv_agreement *g, int64_t round, cv_convergence *c)
{
    const cv_state *s = st->s;
    for (size_t i = 0; i < g->panel; i++)
        if (signal_missing(st, cv_panel_member(st, g, i), round))
            c->missing[c->missing_count++] = cv_panel_member(st, g, i);
    for (size_t i = 0; i < s->experts.count; i++)
        if (cv_dissent_stands(st, s->experts.items[i].expert_slug, round))
            c->dissenting[c->dissenting_count++] = s->experts.items[i].expert_slug;
}

static void find_open(cv_arena *a, const cv_state *s, cv_convergence *c)
{
    for (size_t i = 0; i < s->entities.count; i++) {
        if (!is_kind(&s->entities.items[i], CV_KIND_TENSION))
            continue;
        c->tensions++;
        if (cv_tension_is_open(&s->entities.items[i]))
            c->open[c->open_count++] = cv_entity_id(a, &s->entities.items[i]);
    }
}

double cv_convergence_target(const cv_state *s)
{
    double target = 1;
    cv_json number = {.type = CV_JSON_NUMBER, .text = s->dialogue.convergence_target};
    if (s->dialogue.convergence_target.n)
        cv_json_to_double(&number, &target);
    return target;
}

static double share(size_t part, size_t whole, double of_nothing)
{
    return whole ? (double)part / (double)whole : of_nothing;
}

double cv_convergence_reached(size_t closed, size_t tensions, size_t signals, size_t panel)
{
    double settled = share(closed, tensions, 1), agreed = share(signals, panel, 0);
    return settled < agreed ? settled : agreed;
}

int cv_convergence_percentage(double reached)
{
    return (int)(reached * 100 + 1e-9);
}

bool cv_convergence_enough(double reached, double target)
{
    return reached > 0 && reached + 1e-12 >= target;
}

static void close_by_verdict(cv_convergence *c)
{
    if (!c->enough)
        c->before = c->reached;
    c->percentage = 100;
    c->converged = true;
}

/* The final verdict converges the dialogue, whatever it leaves open, and one that was given up never does: the status
 * says so, and so does this. */
static void agree_with_status(const cv_state *s, cv_convergence *c)
{
    c->before = CV_ABSENT;
    if (cv_state_is_abandoned(s))
        c->converged = false;
    else if (cv_state_is_closed(s))
        close_by_verdict(c);
}

void cv_convergence_by(cv_arena *a, const cv_state *s, const cv_stances *st, cv_convergence *ret)
{
    int64_t round = cv_state_next_round(s) - 1;
    cv_agreement g = agreement_of(st, round + 1, round); /* who sits now has to agree */
    *ret = (cv_convergence){.open = CV_NEW_ARRAY(a, s->entities.count, cv_str),
                            .missing = CV_NEW_ARRAY(a, g.panel, cv_str),
                            .dissenting = CV_NEW_ARRAY(a, s->experts.count, cv_str),
                            .panel = g.panel,
                            .signals = g.signals};
    find_open(a, s, ret);
    find_people(st, &g, round, ret);
    double reached =
        cv_convergence_reached(ret->tensions - ret->open_count, ret->tensions, g.signals, g.panel + g.outside);
    ret->percentage = ret->reached = cv_convergence_percentage(reached);
    ret->converged = ret->enough = cv_convergence_enough(reached, cv_convergence_target(s));
    agree_with_status(s, ret);
}

void cv_convergence_of(cv_arena *a, const cv_state *s, cv_convergence *ret)
{
    cv_stances st = cv_stances_of(a, s);
    cv_convergence_by(a, s, &st, ret);
}

#define CV_THIS_TYPE cv_convergence
const cv_shape cv_convergence_shape[] = {
    CV_NUMBER(ALWAYS, "percentage", percentage, 0, 100, ""),
    CV_FIELD(ALWAYS, converged, ""),
    CV_FIELD_AS(IF_ANY, "percentage_before_verdict", before, "when the final verdict came before the target"),
    CV_TEXTS("missing_experts", missing, missing_count, ""),
    CV_TEXTS("open_tensions", open, open_count, ""),
    CV_LIST_(TEXTS, CV_IF_ANY, false, "dissenting_experts", dissenting, dissenting_count, NULL, ""),
    {0},
};
#undef CV_THIS_TYPE

bool cv_state_is_closed(const cv_state *s)
{
    for (size_t i = 0; i < s->verdicts.count; i++)
        if (cv_str_eq(s->verdicts.items[i].verdict_type, cv_verdict_words.items[CV_VERDICT_FINAL]))
            return true;
    return cv_str_eq(s->dialogue.status, cv_dialogue_words.items[CV_DIALOGUE_CONVERGED]);
}

bool cv_state_is_abandoned(const cv_state *s)
{
    return cv_str_eq(s->dialogue.status, cv_dialogue_words.items[CV_DIALOGUE_ABANDONED]);
}
