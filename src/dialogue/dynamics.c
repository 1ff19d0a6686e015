/* dynamics.c - where a dialogue stands; see dynamics.h. */
#include "dialogue/dynamics.h"

static bool is_kind(const cv_rec_entity *entity, cv_kind kind)
{
    return entity->kind.p[0] == cv_kinds[kind].letter;
}

/* The last event of each tension up to the round that names a status decides. */
static int64_t open_by_events(cv_arena *a, const cv_state *s, int64_t round)
{
    cv_map status = {0}; /* display id -> is it open? */
    int64_t open = 0;
    for (size_t i = 0; i < s->events.count; i++) {
        const cv_rec_event *event = &s->events.items[i];
        if (event->event_round > round || event->subject_type.p[0] != cv_kinds[CV_KIND_TENSION].letter)
            continue;
        bool created = cv_str_eq(event->event_type, cv_event_words.items[CV_EVENT_CREATED]);
        cv_rec_entity after = {.status = created ? cv_statuses[CV_STATUS_TENSION_OPEN].word : event->event_type};
        if (!created && cv_status_find(CV_KIND_TENSION, after.status) < 0)
            continue;
        uintptr_t *was_open = cv_map_put(&status, a, event->subject_id, NULL);
        bool is_open = cv_tension_is_open(&after);
        open += (int64_t)is_open - (int64_t)*was_open;
        *was_open = is_open;
    }
    return open;
}

int64_t cv_round_open_tensions(cv_arena *a, const cv_state *s, int64_t round)
{
    if (s->events.count)
        return open_by_events(a, s, round);
    int64_t open = 0;
    for (size_t i = 0; i < s->entities.count; i++) {
        const cv_rec_entity *entity = &s->entities.items[i];
        open += is_kind(entity, CV_KIND_TENSION) && entity->round <= round && cv_tension_is_open(entity);
    }
    return open;
}

int64_t cv_round_new_perspectives(const cv_state *s, int64_t round)
{
    int64_t count = 0;
    for (size_t i = 0; i < s->entities.count; i++)
        count += is_kind(&s->entities.items[i], CV_KIND_PERSPECTIVE) && s->entities.items[i].round == round;
    return count;
}

int64_t cv_round_velocity(cv_arena *a, const cv_state *s, int64_t round)
{
    return cv_round_open_tensions(a, s, round) + cv_round_new_perspectives(s, round);
}

int64_t cv_round_score_delta(const cv_state *s, int64_t round)
{
    const cv_rec_round *now = cv_state_round(s, round), *before = cv_state_round(s, round - 1);
    return now && before ? now->score - before->score : CV_ABSENT;
}

/* ---- convergence ----------------------------------------------------------------------------- */

static bool has_signalled(const cv_state *s, int64_t round, cv_str expert)
{
    cv_str converge = cv_move_words.items[CV_MOVE_CONVERGE];
    for (size_t i = 0; i < s->moves.count; i++) {
        const cv_rec_move *move = &s->moves.items[i];
        if (move->round == round && cv_str_eq(move->move_type, converge) && cv_str_eq(move->expert_slug, expert))
            return true;
    }
    return false;
}

/* Those who must signal: the last panel, or everybody when no panel was ever seated. */
static void find_missing(const cv_state *s, int64_t round, cv_convergence *c)
{
    const cv_rec_seat *seats;
    size_t seated = cv_state_panel(s, round, &seats);
    c->panel = seated ? seated : s->experts.count;
    for (size_t i = 0; i < c->panel; i++) {
        cv_str expert = seated ? seats[i].expert_slug : s->experts.items[i].expert_slug;
        if (!has_signalled(s, round, expert))
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

static double target_of(const cv_state *s)
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

void cv_convergence_of(cv_arena *a, const cv_state *s, cv_convergence *ret)
{
    *ret = (cv_convergence){.open = CV_NEW_ARRAY(a, s->entities.count, cv_str),
                            .missing = CV_NEW_ARRAY(a, s->seats.count + s->experts.count, cv_str)};
    find_open(a, s, ret);
    find_missing(s, cv_state_next_round(s) - 1, ret);
    double closed = share(ret->tensions - ret->open_count, ret->tensions, 1);
    double agreed = s->rounds.count ? share(ret->panel - ret->missing_count, ret->panel, 0) : 0;
    double reached = closed < agreed ? closed : agreed;
    ret->percentage = (int)(reached * 100 + 1e-9);
    ret->converged = reached + 1e-12 >= target_of(s);
}

static void print_list(cv_json_writer *w, const char *key, const cv_str *items, size_t count)
{
    cv_json_key(w, cv_str_of(key));
    cv_json_begin_array(w);
    for (size_t i = 0; i < count; i++)
        cv_json_str(w, items[i]);
    cv_json_end_array(w);
}

void cv_convergence_print(const cv_convergence *c, cv_json_writer *w)
{
    cv_json_begin_object(w);
    cv_json_key_int(w, "percentage", c->percentage);
    cv_json_key_bool(w, "converged", c->converged);
    print_list(w, "missing_experts", c->missing, c->missing_count);
    print_list(w, "open_tensions", c->open, c->open_count);
    cv_json_end_object(w);
}

bool cv_state_is_closed(const cv_state *s)
{
    for (size_t i = 0; i < s->verdicts.count; i++)
        if (cv_str_eq(s->verdicts.items[i].verdict_type, cv_verdict_words.items[CV_VERDICT_FINAL]))
            return true;
    return cv_str_eq(s->dialogue.status, CV_STR("converged"));
}
