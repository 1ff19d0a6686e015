/* dynamics.c - where a dialogue stands; see dynamics.h. */
#include "dialogue/dynamics.h"

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

bool cv_expert_dissents(const cv_state *s, cv_str expert, int64_t round, bool last)
{
    for (size_t i = 0; i < s->verdicts.count; i++) {
        const cv_rec_verdict *v = &s->verdicts.items[i];
        if (cv_str_eq(v->verdict_type, cv_verdict_words.items[CV_VERDICT_DISSENT]) &&
            cv_str_eq(v->author_expert, expert) && (v->round == round || (last && v->round > round)))
            return true;
    }
    return false;
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

/* Whose dissent stands: of the last round, or of an earlier one without a signal since. How many of them signalled, and
 * how many do not sit on the panel. */
static void find_dissent(const cv_state *s, int64_t round, cv_convergence *c, size_t *ret_signalled,
                         size_t *ret_outside)
{
    const cv_rec_seat *seats;
    size_t seated = cv_state_panel(s, round, &seats);
    *ret_signalled = *ret_outside = 0;
    for (size_t i = 0; i < s->experts.count; i++) {
        cv_str expert = s->experts.items[i].expert_slug;
        bool on_panel = seated == 0, missing = false, ever = false;
        for (size_t k = 0; k < seated; k++)
            on_panel = on_panel || cv_str_eq(seats[k].expert_slug, expert);
        for (size_t k = 0; k < c->missing_count; k++)
            missing = missing || cv_str_eq(c->missing[k], expert);
        bool now = cv_expert_dissents(s, expert, round, true);
        for (int64_t r = 0; !now && (missing || !on_panel) && r < round; r++)
            ever = ever || cv_expert_dissents(s, expert, r, false);
        if (!now && !ever)
            continue;
        c->dissenting[c->dissenting_count++] = expert;
        *ret_signalled += on_panel && !missing;
        *ret_outside += !on_panel;
    }
}

/* Those who must signal: the last panel, or everybody when no panel was ever seated. */
static void find_missing(cv_arena *a, const cv_state *s, int64_t round, cv_convergence *c)
{
    const cv_rec_seat *seats;
    cv_map signalled = {0};
    for (size_t i = 0; i < s->moves.count; i++)
        if (s->moves.items[i].round == round && cv_move_signals(&s->moves.items[i]))
            cv_map_put(&signalled, a, s->moves.items[i].expert_slug, NULL);
    size_t seated = cv_state_panel(s, round, &seats);
    c->panel = seated ? seated : s->experts.count;
    for (size_t i = 0; i < c->panel; i++) {
        cv_str expert = seated ? seats[i].expert_slug : s->experts.items[i].expert_slug;
        if (!cv_map_get(&signalled, expert))
            c->missing[c->missing_count++] = expert;
    }
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
    return reached + 1e-12 >= target;
}

void cv_convergence_of(cv_arena *a, const cv_state *s, cv_convergence *ret)
{
    *ret = (cv_convergence){.open = CV_NEW_ARRAY(a, s->entities.count, cv_str),
                            .missing = CV_NEW_ARRAY(a, s->seats.count + s->experts.count, cv_str),
                            .dissenting = CV_NEW_ARRAY(a, s->experts.count, cv_str)};
    size_t dissent = 0, outside = 0;
    find_open(a, s, ret);
    find_missing(a, s, cv_state_next_round(s) - 1, ret);
    if (s->verdicts.count)
        find_dissent(s, cv_state_next_round(s) - 1, ret, &dissent, &outside);
    size_t signals = s->rounds.count ? ret->panel - ret->missing_count - dissent : 0;
    double reached =
        cv_convergence_reached(ret->tensions - ret->open_count, ret->tensions, signals, ret->panel + outside);
    ret->percentage = cv_convergence_percentage(reached);
    ret->converged = cv_convergence_enough(reached, cv_convergence_target(s));
}

#define CV_THIS_TYPE cv_convergence
const cv_shape cv_convergence_shape[] = {
    CV_NUMBER(ALWAYS, "percentage", percentage, 0, 100, ""),
    CV_FIELD(ALWAYS, converged, ""),
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
