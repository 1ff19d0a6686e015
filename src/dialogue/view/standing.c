/* standing.c - who scored what; see standing.h. */
#include "dialogue/view/standing.h"

#include <stdlib.h>

#include "dialogue/answer.h"

static int by_total_and_name(const void *x, const void *y)
{
    const cv_standing *a = x, *b = y;
    int order = CV_ORDER(b->total, a->total); /* CV_ABSENT is the lowest of all */
    return order ? order : cv_str_order(a->expert->expert_slug, b->expert->expert_slug);
}

static void take_score(cv_arena *a, cv_standing *one, size_t round, const cv_rec_score *score)
{
    one->scores[round] = score->score;
    one->total = score->score + (one->total == CV_ABSENT ? 0 : one->total);
    one->components[round] = cv_components_parse(a, score->score_components);
    cv_components_add(&one->total_components, &one->components[round]);
}

/* Scores lie in the order of the rounds. */
static void take_scores(cv_arena *a, const cv_overview *c, size_t upto, cv_standing *items)
{
    size_t round = 0;
    for (size_t i = 0; i < c->s.scores.count; i++) {
        const cv_rec_score *score = &c->s.scores.items[i];
        const cv_rec_expert *expert = cv_state_expert(&c->s, score->expert_slug);
        while (round < upto && c->rounds[round].row->round < score->round)
            round++;
        if (round == upto)
            return;
        if (expert && c->rounds[round].row->round == score->round)
            take_score(a, &items[expert - c->s.experts.items], round, score);
    }
}

void cv_standings_of(cv_arena *a, const cv_overview *c, size_t upto, cv_standings *ret)
{
    size_t experts = c->s.experts.count;
    int64_t *scores = CV_NEW_ARRAY(a, experts * upto, int64_t);
    cv_components *components = CV_NEW_ARRAY(a, experts * upto, cv_components);
    for (size_t i = 0; i < experts * upto; i++) {
        scores[i] = CV_ABSENT;
        components[i] = cv_no_components;
    }
    *ret = (cv_standings){CV_NEW_ARRAY(a, experts, cv_standing), experts};
    for (size_t i = 0; i < experts; i++)
        ret->items[i] = (cv_standing){.expert = &c->s.experts.items[i],
                                      .rank = CV_ABSENT,
                                      .total = CV_ABSENT,
                                      .scores = scores + i * upto,
                                      .components = components + i * upto,
                                      .total_components = cv_no_components};
    take_scores(a, c, upto, ret->items);
    if (experts > 1)
        qsort(ret->items, experts, sizeof *ret->items, by_total_and_name);
    for (size_t i = 0; i < experts && ret->items[i].total != CV_ABSENT; i++)
        ret->items[i].rank = (int64_t)i + 1;
    for (size_t i = 0; i < experts; i++)
        ret->items[i].last_score = upto ? ret->items[i].scores[upto - 1] : CV_ABSENT;
}

#define CV_THIS_TYPE cv_standing
const cv_shape cv_standing_shape[] = {
    CV_FIELD(OR_NULL, rank, "null: never scored"),
    CV_FIELD_OF(ALWAYS, expert, expert_slug, ""),
    CV_FIELD_OF(ALWAYS, expert, role, ""),
    CV_FIELD_AS(OR_NULL, "total_score", total, ""),
    {0},
};
#undef CV_THIS_TYPE
