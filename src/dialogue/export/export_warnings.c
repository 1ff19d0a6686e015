/* export_warnings.c - what an export found odd in the record; see exporter.h.
 *
 *     missing_score           an expert sat on the panel of a registered round and has no score in it
 *     unresolved_tension      the dialogue converged, the tension was not resolved (accepted ones are reported, too)
 *     orphaned_contribution   a contributor does not take part in the dialogue
 *     verdict_incomplete      a field that a verdict of its type needs is missing
 *     dissent                 a dissent is on record
 *     dissent_not_registered  a position holds a dissent or minority verdict, and the record has none of that expert
 *     missing_verdict         the dialogue converged without a final verdict
 *     round_score_mismatch    a round's score is neither the sum of its experts' scores nor that of its components
 *     unsourced               entities that were not found in any expert's response
 *     unregistered_responses  responses wait for their round to be registered
 *
 * None of them stops an export: the record is exported as it is.
 */
#include "dialogue/components.h"
#include "dialogue/dynamics.h"
#include "dialogue/export/exporter.h"

/* ---- entities ---------------------------------------------------------------------------------------------------- */

static void warn_orphan(cv_export *x, cv_str id, cv_str slug)
{
    cv_notice *w = cv_notice_add(&x->warnings, x->call->arena, CV_STR("orphaned_contribution"),
                                 "Contributor does not take part in the dialogue");
    w->id = cv_arena_copy(x->call->arena, id);
    cv_notice_expert(w, cv_arena_copy(x->call->arena, slug));
}

/* Contributors are a compact list of plain slugs: ["muffin","cupcake"]. */
static void warn_orphans(cv_export *x, cv_str id, cv_str contributors)
{
    cv_str rest = contributors, piece;
    for (bool inside = false; cv_str_split(&rest, '"', &piece); inside = !inside)
        if (inside && !cv_str_eq_nocase(piece, cv_judge_name) && cv_expert_index(&x->g, piece) < 0)
            warn_orphan(x, id, piece);
}

static bool has_converged(const cv_export *x)
{
    return cv_str_eq(x->s.dialogue.status, cv_dialogue_words.items[CV_DIALOGUE_CONVERGED]);
}

void cv_export_warn_entity(cv_export *x, const cv_rec_entity *entity, cv_str id)
{
    warn_orphans(x, id, entity->contributors);
    if (entity->kind.p[0] != cv_kinds[CV_KIND_TENSION].letter || !has_converged(x) ||
        cv_str_eq(entity->status, cv_statuses[CV_STATUS_TENSION_RESOLVED].word))
        return;
    cv_notice_add(&x->warnings, x->call->arena, CV_STR("unresolved_tension"),
                  "Dialogue converged with open tension (%.*s)", CV_FMT(entity->status))
        ->id = cv_arena_copy(x->call->arena, id);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static void warn_scores(cv_export *x, const cv_rec_round *round)
{
    const cv_rec_seat *seats;
    size_t count = cv_state_panel(&x->s, round->round, &seats);
    for (size_t i = 0; i < count; i++) {
        if (cv_export_score(x, round->round, seats[i].expert_slug) != CV_ABSENT)
            continue;
        cv_notice *w = cv_notice_add(&x->warnings, x->call->arena, CV_STR("missing_score"),
                                     "Expert in panel but no score registered");
        cv_notice_expert(w, seats[i].expert_slug);
        cv_notice_round(w, round->round);
    }
}

static void warn_sum(cv_export *x, const cv_rec_round *round)
{
    int64_t sum = 0;
    bool any = false;
    for (size_t i = 0; i < x->s.scores.count; i++) {
        if (x->s.scores.items[i].round != round->round || x->s.scores.items[i].score == CV_ABSENT)
            continue;
        sum += x->s.scores.items[i].score;
        any = true;
    }
    if (!any || round->score == CV_ABSENT || round->score == sum ||
        round->score == cv_components_parse(x->call->arena, round->score_components).sum)
        return;
    cv_notice_round(cv_notice_add(&x->warnings, x->call->arena, CV_STR("round_score_mismatch"),
                                  "Round score is %lld, expert scores add up to %lld", (long long)round->score,
                                  (long long)sum),
                    round->round);
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

static void warn_missing(cv_export *x, const cv_rec_verdict *v, const char *field, const char *words, cv_str value)
{
    if (value.n > 0)
        return;
    cv_notice *w =
        cv_notice_add(&x->warnings, x->call->arena, CV_STR("verdict_incomplete"), "the verdict has no %s", words);
    w->id = v->verdict_id;
    w->field = cv_str_of(field);
}

static bool warn_verdict(cv_export *x, const cv_rec_verdict *v)
{
    int type = cv_words_find(cv_verdict_words, v->verdict_type);
    warn_missing(x, v, "recommendation", "recommendation", v->recommendation);
    warn_missing(x, v, "description", "description", v->description);
    if (type == CV_VERDICT_FINAL)
        warn_missing(x, v, "tensions_resolved", "resolved tensions", v->tensions_resolved);
    if (type == CV_VERDICT_MINORITY || type == CV_VERDICT_DISSENT)
        warn_missing(x, v, "author", "author", v->author_expert);
    if (type == CV_VERDICT_DISSENT) {
        cv_notice *w = cv_notice_add(&x->warnings, x->call->arena, CV_STR("dissent"), "Dissent on record");
        w->id = v->verdict_id;
        cv_notice_round(w, v->round);
        if (v->author_expert.p)
            cv_notice_expert(w, v->author_expert);
    }
    return type == CV_VERDICT_FINAL;
}

static void warn_of_dissent(cv_export *x)
{
    for (size_t i = 0; i < x->s.positions.count; i++) {
        const cv_rec_position *row = &x->s.positions.items[i];
        if (!cv_dissent_unregistered(&x->s, row))
            continue;
        cv_notice *w = cv_notice_add(&x->warnings, x->call->arena, CV_STR("dissent_not_registered"),
                                     "The position holds a dissent that is not registered as a verdict");
        cv_notice_expert(w, row->expert_slug);
        cv_notice_round(w, row->round);
    }
}

void cv_export_warn_rest(cv_export *x)
{
    size_t entities = 0;
    bool final = false;
    for (size_t i = 0; i < x->s.rounds.count; i++) {
        warn_scores(x, &x->s.rounds.items[i]);
        warn_sum(x, &x->s.rounds.items[i]);
    }
    for (size_t i = 0; i < x->s.verdicts.count; i++)
        final = warn_verdict(x, &x->s.verdicts.items[i]) || final;
    warn_of_dissent(x);
    if (has_converged(x) && !final)
        cv_notice_add(&x->warnings, x->call->arena, CV_STR("missing_verdict"),
                      "Dialogue converged without a final verdict");
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        entities += x->counts[kind];
    if (x->unsourced > 0)
        cv_notice_add(&x->warnings, x->call->arena, CV_STR("unsourced"),
                      "not found in any response: %zu of %zu entities", x->unsourced, entities);
    if (x->waiting > 0)
        cv_notice_add(&x->warnings, x->call->arena, CV_STR("unregistered_responses"),
                      "%zu response%s of rounds that are not registered", x->waiting, CV_PLURAL(x->waiting));
}
