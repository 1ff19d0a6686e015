/* view_rounds.c - who spoke in each round and who did not, and what was decided then; see view.h. */
#include <stdlib.h>

#include "dialogue/brief/view.h"

bool cv_view_spoke(const cv_view *v, int64_t round, size_t speaker)
{
    size_t key = cv_view_key(v, round, speaker);
    return !cv_group_is_empty(&v->items_of, key) || !cv_group_is_empty(&v->shared_of, key) ||
           !cv_group_is_empty(&v->loose_of, key) || !cv_group_is_empty(&v->moves_of, key);
}

static void find_voices(cv_view *v, cv_view_round *round)
{
    const cv_rec_seat *seats;
    size_t seated = cv_state_panel(&v->s, round->row->round, &seats);
    bool *listed = CV_NEW_ARRAY(v->a, v->speakers.count, bool);
    round->voices = CV_NEW_ARRAY(v->a, v->speakers.count, size_t);
    round->silent = CV_NEW_ARRAY(v->a, seated, size_t);
    for (size_t i = 0; i < seated; i++) {
        size_t speaker = (size_t)*cv_map_get(&v->speaker_at, seats[i].expert_slug) - 1;
        listed[speaker] = true;
        if (cv_view_spoke(v, round->row->round, speaker))
            round->voices[round->voice_count++] = speaker;
        else
            round->silent[round->silent_count++] = speaker;
    }
    for (size_t i = 0; i < v->speakers.count; i++)
        if (!listed[i] && cv_view_spoke(v, round->row->round, i))
            round->voices[round->voice_count++] = i;
}

static int verdict_order(const void *x, const void *y)
{
    const cv_rec_verdict *a = *(const cv_rec_verdict *const *)x, *b = *(const cv_rec_verdict *const *)y;
    return CV_ORDER(a->position, b->position);
}

/* All verdicts in their order; each round gets its stretch of a copy. */
static void deal_verdicts(cv_view *v)
{
    size_t count = v->s.verdicts.count;
    const cv_rec_verdict **all = CV_NEW_ARRAY(v->a, count, const cv_rec_verdict *);
    uint32_t *rounds = CV_NEW_ARRAY(v->a, count, uint32_t);
    for (size_t i = 0; i < count; i++)
        all[i] = &v->s.verdicts.items[i];
    if (count > 1)
        qsort(all, count, sizeof *all, verdict_order);
    for (size_t i = 0; i < count; i++)
        rounds[i] = (uint32_t)(all[i]->round >= 0 && all[i]->round < v->round ? all[i]->round : v->round);
    cv_groups by_round = cv_groups_of(v->a, rounds, count, (size_t)v->round + 1);
    for (size_t i = 0; i < v->rounds.count; i++) {
        cv_view_round *round = &v->rounds.items[i];
        size_t group = (size_t)round->row->round;
        const uint32_t *begin = cv_group_begin(&by_round, group), *end = cv_group_end(&by_round, group);
        round->verdicts = CV_NEW_ARRAY(v->a, (size_t)(end - begin), const cv_rec_verdict *);
        while (begin < end)
            round->verdicts[round->verdict_count++] = all[*begin++];
    }
}

void cv_view_fill_rounds(cv_view *v)
{
    for (size_t i = 0; i < v->rounds.count; i++)
        find_voices(v, &v->rounds.items[i]);
    deal_verdicts(v);
}
