/* opinions.c - how opinions moved in a dialogue; see opinions.h. */
#include "dialogue/view/opinions.h"

#include "dialogue/operations.h"
#include "dialogue/people.h"
#include "dialogue/words/limits.h"

static const cv_str stance_words[] = {CV_STR_INIT("undecided"), CV_STR_INIT("objects"), CV_STR_INIT("agrees"),
                                      CV_STR_INIT("dissents")};
static const cv_words stances = {stance_words, CV_COUNT(stance_words)};
_Static_assert(CV_COUNT(stance_words) == CV_STANCE_COUNT, "a word for each");

enum { CITED, AVAILABLE, NONE };
static const cv_str basis_words[] = {CV_STR_INIT("cited"), CV_STR_INIT("available"), CV_STR_INIT("none")};
static const cv_words bases = {basis_words, CV_COUNT(basis_words)};
_Static_assert(CV_COUNT(basis_words) == NONE + 1, "a word for each");

enum { VERDICT, RESPONSE, OBJECTION };
static const cv_str form_words[] = {CV_STR_INIT("verdict"), CV_STR_INIT("response"), CV_STR_INIT("objection")};
static const cv_words forms = {form_words, CV_COUNT(form_words)};
_Static_assert(CV_COUNT(form_words) == OBJECTION + 1, "a word for each");

enum { KEPT, WITHDRAWN, LOST, PENDING, OUTCOMES };
static const cv_str outcome_words[] = {CV_STR_INIT("kept"), CV_STR_INIT("withdrawn"), CV_STR_INIT("lost"),
                                       CV_STR_INIT("pending")};
static const cv_words outcomes = {outcome_words, OUTCOMES};
_Static_assert(CV_COUNT(outcome_words) == OUTCOMES, "a word for each");

/* ---- evidence ---------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_arena *a;
    cv_opinions *o;
    cv_stances st;
    cv_map cites; /* "ROUND/EXPERT/E0001": the expert refers to it in that round */
} following;

static bool is_evidence(cv_str id)
{
    return id.n && id.p[0] == cv_kinds[CV_KIND_EVIDENCE].letter;
}

static cv_str cite_key(cv_arena *a, int64_t round, cv_str expert, cv_str id)
{
    return cv_arena_printf(a, "%lld/%.*s/%.*s", (long long)round, CV_FMT(expert), CV_FMT(id));
}

/* References belong to the experts of the item that has them, or to the expert itself: "@muffin". */
static void find_cites(following *f)
{
    const cv_state *s = &f->o->s;
    for (size_t i = 0; i < s->references.count; i++) {
        const cv_rec_reference *r = &s->references.items[i];
        if (!is_evidence(r->target_id))
            continue;
        if (cv_str_starts(r->source_id, CV_STR("@"))) {
            cv_map_put(&f->cites, f->a, cite_key(f->a, r->round, cv_str_from(r->source_id, 1), r->target_id), NULL);
            continue;
        }
        const cv_rec_entity *source = cv_state_entity(s, r->source_id);
        cv_words by = source ? cv_json_list(f->a, source->contributors) : (cv_words){0};
        for (size_t k = 0; k < by.count; k++)
            cv_map_put(&f->cites, f->a, cite_key(f->a, r->round, by.items[k], r->target_id), NULL);
    }
}

/* What the expert did not know when it last spoke, in round `since`, and knows in `round`. */
static void find_evidence(const following *f, int64_t since, cv_opinion_change *ret)
{
    const cv_state *s = &f->o->s;
    for (size_t i = 0; i < s->entities.count; i++) {
        const cv_rec_entity *entity = &s->entities.items[i];
        if (entity->kind.p[0] != cv_kinds[CV_KIND_EVIDENCE].letter)
            continue;
        bool own = cv_people_json_has(entity->contributors, ret->expert);
        if (own ? entity->round != ret->round : entity->round < since || entity->round >= ret->round)
            continue;
        cv_str id = cv_entity_id(f->a, entity);
        *CV_PUSH(f->a, &ret->evidence) = id;
        if (own || cv_map_get(&f->cites, cite_key(f->a, ret->round, ret->expert, id)))
            *CV_PUSH(f->a, &ret->cited) = id;
    }
    ret->basis = basis_words[ret->cited.count ? CITED : ret->evidence.count ? AVAILABLE : NONE];
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* Items in favour of which the expert has withdrawn its own. */
static void find_concessions(const following *f, cv_opinion_change *ret)
{
    for (size_t i = 0; i < f->o->s.moves.count; i++) {
        const cv_rec_move *move = &f->o->s.moves.items[i];
        if (move->round != ret->round || !cv_str_eq(move->expert_slug, ret->expert) ||
            !cv_str_eq(move->move_type, cv_move_words.items[CV_MOVE_CONCEDE]))
            continue;
        cv_words targets = cv_json_list(f->a, move->targets);
        for (size_t k = 0; k < targets.count; k++)
            *CV_PUSH(f->a, &ret->conceded) = targets.items[k];
    }
}

/* An expert who is new in the panel had no opinion that could change. */
static bool sat_before(const following *f, int64_t round, cv_str expert)
{
    cv_agreement panel = cv_agreement_in(&f->st, round - 1);
    for (size_t i = 0; round > 0 && i < panel.panel; i++)
        if (cv_str_eq(cv_panel_member(&f->st, &panel, i), expert))
            return true;
    return false;
}

/* A round of one expert: is its opinion another one? */
static void follow_expert(following *f, cv_opinion_round *r, cv_str expert)
{
    int64_t since = 0, now;
    cv_stance before = r->round ? cv_stance_in(&f->st, expert, r->round - 1, &since) : CV_STANCE_UNDECIDED;
    cv_stance after = cv_stance_in(&f->st, expert, r->round, &now);
    cv_opinion_change change = {
        .round = r->round, .expert = expert, .from = stance_words[before], .to = stance_words[after]};
    bool came = after == CV_STANCE_AGREES && before != CV_STANCE_AGREES && sat_before(f, r->round, expert);
    find_concessions(f, &change);
    bool changed = change.conceded.count || (before != CV_STANCE_UNDECIDED && after != before);
    if (!came && !changed)
        return;
    find_evidence(f, before == CV_STANCE_UNDECIDED && r->round ? r->round - 1 : since, &change);
    r->came += came;
    r->without += came && !change.evidence.count;
    if (!changed)
        return;
    f->o->with += change.evidence.count > 0;
    f->o->citing += change.cited.count > 0;
    f->o->without += change.evidence.count == 0;
    *CV_PUSH(f->a, &f->o->changes) = change;
}

static void follow_round(following *f, cv_opinion_round *r)
{
    const cv_state *s = &f->o->s;
    cv_agreement panel = cv_agreement_in(&f->st, r->round);
    int64_t ignored;
    r->panel = panel.panel;
    for (size_t i = 0; i < s->entities.count; i++)
        r->evidence += is_evidence(s->entities.items[i].kind) && s->entities.items[i].round == r->round;
    for (size_t i = 0; i < panel.panel; i++) {
        cv_str expert = cv_panel_member(&f->st, &panel, i);
        cv_stance stance = cv_stance_in(&f->st, expert, r->round, &ignored);
        r->agree += stance == CV_STANCE_AGREES;
        r->dissent += stance == CV_STANCE_DISSENTS;
        follow_expert(f, r, expert);
    }
    r->collapse = r->came >= 2 && r->came * 2 >= r->panel && r->without * 2 > r->came;
    if (r->collapse)
        *CV_PUSH(f->a, &f->o->collapses) = r->round;
}

/* ---- dissent ----------------------------------------------------------------------------------------------------- */

static void add_dissent(following *f, cv_str expert, int64_t round, int form, int outcome, cv_str verdict_id)
{
    size_t *const counts[OUTCOMES] = {&f->o->kept, &f->o->withdrawn, &f->o->lost, &f->o->pending};
    *CV_PUSH(f->a, &f->o->dissents) =
        (cv_opinion_dissent){expert, round, form_words[form], outcome_words[outcome], verdict_id};
    ++*counts[outcome];
}

static bool is_verdict(const cv_rec_verdict *v, cv_verdict type)
{
    return cv_str_eq(v->verdict_type, cv_verdict_words.items[type]);
}

/* Verdicts of experts of their own. A dissent ends when its expert agrees; a minority verdict does not replace the
 * other. */
static bool follow_verdicts(following *f, cv_str expert)
{
    const cv_state *s = &f->o->s;
    int64_t last = cv_state_next_round(s) - 1;
    bool any = false;
    for (size_t i = 0; i < s->verdicts.count; i++) {
        const cv_rec_verdict *v = &s->verdicts.items[i];
        bool dissent = is_verdict(v, CV_VERDICT_DISSENT);
        if (!cv_str_eq(v->author_expert, expert) || (!dissent && !is_verdict(v, CV_VERDICT_MINORITY)))
            continue;
        bool withdrawn = dissent && !cv_dissent_stands(&f->st, expert, last);
        add_dissent(f, expert, v->round, VERDICT, withdrawn ? WITHDRAWN : KEPT, v->verdict_id);
        any = true;
    }
    return any;
}

/* A dissent that only a response has: the last one of the expert. */
static bool follow_response(following *f, cv_str expert, bool decided)
{
    const cv_state *s = &f->o->s;
    const cv_rec_position *written = NULL;
    int64_t since;
    for (size_t i = 0; i < s->positions.count; i++)
        if (cv_str_eq(s->positions.items[i].expert_slug, expert) && cv_holds_dissent(s->positions.items[i].content))
            written = &s->positions.items[i];
    if (!written)
        return false;
    bool agreed =
        cv_stance_in(&f->st, expert, cv_state_next_round(s) - 1, &since) == CV_STANCE_AGREES && since > written->round;
    add_dissent(f, expert, written->round, RESPONSE, agreed ? WITHDRAWN : decided ? LOST : PENDING, CV_STR(""));
    return true;
}

static void follow_dissent(following *f)
{
    const cv_state *s = &f->o->s;
    bool decided = cv_state_is_closed(s);
    for (size_t i = 0; i < s->experts.count; i++) {
        cv_str expert = s->experts.items[i].expert_slug;
        int64_t since;
        if (follow_verdicts(f, expert) || follow_response(f, expert, decided) || !decided)
            continue;
        if (cv_stance_in(&f->st, expert, cv_state_next_round(s) - 1, &since) == CV_STANCE_OBJECTS)
            add_dissent(f, expert, since, OBJECTION, LOST, CV_STR(""));
    }
}

/* From s, which is loaded with all its items, to the rest. */
static void follow_items(cv_arena *a, cv_opinions *o)
{
    following f = {.a = a, .o = o, .st = cv_stances_of(a, &o->s)};
    find_cites(&f);
    for (size_t i = 0; i < o->s.rounds.count; i++) {
        cv_opinion_round round = {.round = o->s.rounds.items[i].round};
        follow_round(&f, &round);
        *CV_PUSH(a, &o->rounds) = round;
    }
    follow_dissent(&f);
    cv_opinions_overlap(a, o);
}

/* ---- as JSON ----------------------------------------------------------------------------------------------------- */

#define CV_THIS_TYPE cv_opinion_round
static const cv_shape round_shape[] = {
    CV_FIELD(ALWAYS, round, ""),
    CV_FIELD_AS(ALWAYS, "panel_size", panel, ""),
    CV_FIELD(ALWAYS, agree, "experts of the panel, after it"),
    CV_FIELD(ALWAYS, dissent, "likewise"),
    CV_FIELD_AS(ALWAYS, "new_evidence", evidence, "items"),
    CV_FIELD_AS(ALWAYS, "came_to_agree", came, "experts who agree after it and did not before"),
    CV_FIELD_AS(ALWAYS, "came_without_evidence", without, "those of them to whom no evidence was new"),
    CV_FIELD(ALWAYS, collapse,
             "two or more, and at least half of the panel, came to agree, most of them without new evidence"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_opinion_change
static const cv_shape change_shape[] = {
    CV_FIELD(ALWAYS, round, ""),
    CV_FIELD(ALWAYS, expert, ""),
    CV_WORD(ALWAYS, "from", from, &stances, ""),
    CV_WORD(ALWAYS, "to", to, &stances, ""),
    CV_TEXTS("conceded_to", conceded.items, conceded.count, "items in favour of which the expert withdrew its own"),
    CV_WORD(ALWAYS, "basis", basis, &bases, "the new evidence: cited by the expert, available to it, or none"),
    CV_TEXTS("new_evidence", evidence.items, evidence.count, "new to the expert"),
    CV_TEXTS("cited", cited.items, cited.count, "of that, what the expert refers to or brought itself"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_opinion_dissent
static const cv_shape dissent_shape[] = {
    CV_FIELD(ALWAYS, expert, ""),
    CV_FIELD(ALWAYS, round, ""),
    CV_WORD(ALWAYS, "form", form, &forms, "its state"),
    CV_WORD(ALWAYS, "outcome", outcome, &outcomes, ""),
    CV_FIELD(IF_ANY, verdict_id, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_opinion_pair
static const cv_shape pair_shape[] = {
    CV_FIELD_AS(ALWAYS, "expert", one, ""),
    CV_FIELD_AS(ALWAYS, "other", other, ""),
    CV_NUMBER(ALWAYS, "overlap", overlap, 0, 100, "words that both use, of those that either uses"),
    CV_FIELD(ALWAYS, shared_items, "that both contributed to"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_opinions
static const cv_shape changes_shape[] = {
    CV_FIELD_AS(ALWAYS, "total", changes.count, ""),
    CV_FIELD_AS(ALWAYS, "with_new_evidence", with, ""),
    CV_FIELD_AS(ALWAYS, "citing_it", citing, "of those"),
    CV_FIELD_AS(ALWAYS, "without_new_evidence", without, ""),
    CV_LIST("changes", changes.items, changes.count, change_shape, ""),
    {0},
};
static const cv_shape dissents_shape[] = {
    CV_FIELD(ALWAYS, kept, "in a verdict"),
    CV_FIELD(ALWAYS, withdrawn, "its expert agreed later"),
    CV_FIELD(ALWAYS, lost, "the final verdict came without it"),
    CV_FIELD(ALWAYS, pending, "in no verdict, and nothing is decided"),
    CV_LIST("dissents", dissents.items, dissents.count, dissent_shape, ""),
    {0},
};
static const cv_shape overlap_shape[] = {
    CV_FIELD_AS(OR_NULL, "mean", mean_overlap, "of all pairs, in a hundred; null: there is none"),
    CV_FIELD_AS(ALWAYS, "pair_count", pair_count, ""),
    CV_LIST("pairs", pairs.items, pairs.count, pair_shape, "the highest overlap first, at most 20"),
    {0},
};
const cv_shape cv_dynamics_shape[] = {
    CV_SUCCESS,
    CV_FIELD_AS(ALWAYS, "dialogue_id", s.id, ""),
    CV_NUMBER(ALWAYS, "rev", s.position.rev, 1, CV_NO_LIMIT, ""),
    CV_FIELD_AS(ALWAYS, "title", s.dialogue.title, ""),
    CV_FIELD_AS(ALWAYS, "dialogue_status", s.dialogue.status, ""),
    CV_LIST("rounds", rounds.items, rounds.count, round_shape, ""),
    CV_GROUP("opinion_changes", changes_shape, "another stance than before, or a concession"),
    CV_GROUP("dissent", dissents_shape, "what became of it"),
    CV_INTS("collapses", collapses.items, collapses.count, "rounds in which the panel collapsed into agreement"),
    CV_GROUP("overlap", overlap_shape, "of what experts contribute"),
    CV_PRINTED(text, "all of it as a page for people"),
    {0},
};
#undef CV_THIS_TYPE

/* ---- the operation ----------------------------------------------------------------------------------------------- */

bool cv_dialogue_dynamics(cv_call *call)
{
    const cv_wanted wanted = {.kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) |
                                       CV_REC_BIT(ROUND) | CV_REC_BIT(ENTITY) | CV_REC_BIT(REFERENCE) |
                                       CV_REC_BIT(MOVE) | CV_REC_BIT(VERDICT) | CV_REC_BIT(POSITION)};
    cv_err err = {.arena = call->arena};
    cv_opinions *o = CV_NEW(call->arena, cv_opinions);
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &wanted, &o->s, &err))
        return cv_call_fail(call, &err);
    follow_items(call->arena, o);
    if (call->for_people)
        o->text = cv_opinions_text(cv_chart_for(call), o);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_dynamics_shape, o);
    return true;
}
