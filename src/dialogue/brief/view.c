/* view.c - a dialogue as the experts of one round are to see it; see view.h.
 *
 * Three steps: the rows of the rounds before are kept; everybody who is named becomes a speaker; then, as the number
 * of speakers is known, everything is sorted into groups by round and speaker or by item.
 */
#include "dialogue/brief/view.h"

#include <stdlib.h>

#include "dialogue/faults.h"
#include "dialogue/panel/panel.h"

/* ---- people ------------------------------------------------------------------------------------------------------ */

static size_t speaker_of(cv_view *v, cv_str slug)
{
    bool is_new;
    uintptr_t *at = cv_map_put(&v->speaker_at, v->a, slug, &is_new);
    if (!is_new)
        return (size_t)*at - 1;
    const cv_rec_expert *expert = cv_state_expert(&v->s, slug);
    bool judge = cv_str_eq(slug, cv_judge_slug);
    *CV_PUSH(v->a, &v->speakers) = (cv_view_speaker){
        .slug = slug,
        .name = judge ? cv_judge_name : cv_panel_display_name(v->a, slug),
        .role = expert  ? expert->role
                : judge ? cv_judge_name
                        : (cv_str){NULL, 0},
        .expert = expert,
    };
    *at = v->speakers.count;
    return v->speakers.count - 1;
}

/* A stored list of slugs; each list is read once. What names nobody is the judge's. */
static const cv_people *people_of(cv_view *v, cv_str json)
{
    if (json.n == 0)
        return &cv_judge_alone;
    bool is_new;
    uintptr_t *at = cv_map_put(&v->people_at, v->a, json, &is_new);
    if (!is_new)
        return (const cv_people *)*at;
    cv_json list = {.type = CV_JSON_NULL};
    cv_err ignored = {.arena = v->a};
    cv_people *people = CV_NEW(v->a, cv_people);
    if (cv_json_parse(v->a, json, &list, &ignored))
        *people = cv_people_read(v->a, &list);
    if (people->count == 0)
        *people = cv_judge_alone;
    *at = (uintptr_t)people;
    for (size_t i = 0; i < people->count; i++)
        speaker_of(v, people->items[i]);
    return people;
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

/* The last event before the round that names a status decides. Statuses of the rows are those of today. */
static void turn_back(cv_view *v)
{
    for (size_t i = 0; i < v->items.count; i++)
        v->items.items[i].status = cv_statuses[cv_status_first(v->items.items[i].kind)].word;
    for (size_t i = 0; i < v->s.events.count; i++) {
        const cv_rec_event *event = &v->s.events.items[i];
        uint32_t at = event->step < v->round ? cv_view_find(v, event->subject_id) : CV_NO_ITEM;
        if (at == CV_NO_ITEM)
            continue;
        cv_view_item *item = &v->items.items[at];
        int status = cv_status_find(item->kind, event->event_type);
        if (status >= 0)
            item->status = cv_statuses[status].word;
        item->touched = item->touched || event->step == v->round - 1;
    }
}

/* The rev at which the last round came in: its row may have been corrected since, but not all of its rows. */
static int64_t last_rev(const cv_view *v)
{
    int64_t rev = v->rounds.count ? v->rounds.items[v->rounds.count - 1].row->rev : 0, last = v->round - 1;
    for (size_t i = 0; i < v->s.entities.count; i++)
        if (v->s.entities.items[i].round == last && v->s.entities.items[i].rev < rev)
            rev = v->s.entities.items[i].rev;
    for (size_t i = 0; i < v->s.references.count; i++)
        if (v->s.references.items[i].round == last && v->s.references.items[i].rev < rev)
            rev = v->s.references.items[i].rev;
    for (size_t i = 0; i < v->s.moves.count; i++)
        if (v->s.moves.items[i].round == last && v->s.moves.items[i].rev < rev)
            rev = v->s.moves.items[i].rev;
    return rev;
}

static void stay_today(cv_view *v)
{
    int64_t rev = last_rev(v);
    for (size_t i = 0; i < v->items.count; i++)
        v->items.items[i].touched = v->items.items[i].row->rev >= rev;
}

static void keep_items(cv_view *v)
{
    v->item_of = CV_NEW_ARRAY(v->a, v->s.entities.count, uint32_t);
    for (size_t i = 0; i < v->s.entities.count; i++) {
        const cv_rec_entity *row = &v->s.entities.items[i];
        v->item_of[i] = row->round < v->round ? (uint32_t)v->items.count : CV_NO_ITEM;
        if (row->round < v->round)
            *CV_PUSH(v->a, &v->items) = (cv_view_item){.row = row,
                                                       .id = cv_entity_id(v->a, row),
                                                       .kind = (cv_kind)cv_kind_of_letter(row->kind.p[0]),
                                                       .status = row->status,
                                                       .by = people_of(v, row->contributors)};
    }
    if (v->round < cv_state_next_round(&v->s))
        turn_back(v);
    else
        stay_today(v);
    for (size_t i = 0; i < v->items.count; i++)
        v->open_tensions += v->items.items[i].kind == CV_KIND_TENSION && cv_view_is_open(&v->items.items[i]);
}

static const cv_people *authors_of(cv_view *v, const cv_rec_reference *row, uint32_t from)
{
    if (from != CV_NO_ITEM)
        return v->items.items[from].by;
    cv_str slug = cv_str_starts(row->source_id, CV_STR("@")) ? cv_str_from(row->source_id, 1) : cv_judge_slug;
    cv_people *people = CV_NEW(v->a, cv_people);
    *people = cv_people_of(v->a, &slug, 1);
    return people;
}

static int tie_order(const void *x, const void *y)
{
    const cv_rec_reference *a = ((const cv_view_tie *)x)->row, *b = ((const cv_view_tie *)y)->row;
    int order = CV_ORDER(a->round, b->round);
    order = order ? order : CV_ORDER(a->position, b->position);
    return order ? order : CV_ORDER(a, b);
}

static void keep_ties(cv_view *v)
{
    for (size_t i = 0; i < v->s.references.count; i++) {
        const cv_rec_reference *row = &v->s.references.items[i];
        int type = cv_words_find(cv_ref_words, row->ref_type);
        if (row->round >= v->round || type < 0)
            continue;
        uint32_t from = cv_view_find(v, row->source_id);
        *CV_PUSH(v->a, &v->ties) = (cv_view_tie){.type = (cv_ref)type,
                                                 .source = row->source_id,
                                                 .target = row->target_id,
                                                 .from = from,
                                                 .to = cv_view_find(v, row->target_id),
                                                 .by = authors_of(v, row, from),
                                                 .row = row};
    }
    if (v->ties.count > 1)
        qsort(v->ties.items, v->ties.count, sizeof *v->ties.items, tie_order);
}

static int move_order(const void *x, const void *y)
{
    const cv_rec_move *a = ((const cv_view_move *)x)->row, *b = ((const cv_view_move *)y)->row;
    int order = CV_ORDER(a->round, b->round);
    order = order ? order : CV_ORDER(a->position, b->position);
    return order ? order : CV_ORDER(a, b);
}

static void keep_moves(cv_view *v)
{
    for (size_t i = 0; i < v->s.moves.count; i++) {
        const cv_rec_move *row = &v->s.moves.items[i];
        int type = cv_words_find(cv_move_words, row->move_type);
        if (row->round >= v->round || type < 0)
            continue;
        cv_json list = {.type = CV_JSON_NULL};
        cv_err ignored = {.arena = v->a};
        if (row->targets.n == 0 || !cv_json_parse(v->a, row->targets, &list, &ignored) || list.type != CV_JSON_ARRAY)
            list.count = 0;
        cv_view_move *move = CV_PUSH(v->a, &v->moves);
        *move = (cv_view_move){(cv_move)type, CV_NEW_ARRAY(v->a, list.count, cv_str), list.count, row};
        for (size_t k = 0; k < list.count; k++)
            move->targets[k] = list.items[k].text;
        speaker_of(v, row->expert_slug);
    }
    if (v->moves.count > 1)
        qsort(v->moves.items, v->moves.count, sizeof *v->moves.items, move_order);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static cv_groups group_pairs(cv_view *v, const cv_view_pair *pairs, size_t count, size_t groups)
{
    uint32_t *keys = CV_NEW_ARRAY(v->a, count, uint32_t);
    for (size_t i = 0; i < count; i++)
        keys[i] = pairs[i].b;
    return cv_groups_of(v->a, keys, count, groups);
}

static void group_items(cv_view *v, size_t keys)
{
    uint32_t *key_of = CV_NEW_ARRAY(v->a, v->items.count, uint32_t);
    for (uint32_t i = 0; i < v->items.count; i++) {
        const cv_view_item *item = &v->items.items[i];
        for (size_t k = 0; k < item->by->count; k++) {
            uint32_t key = (uint32_t)cv_view_key(v, item->row->round, speaker_of(v, item->by->items[k]));
            if (k == 0)
                key_of[i] = key;
            else
                *CV_PUSH(v->a, &v->shares) = (cv_view_pair){i, key};
        }
    }
    v->items_of = cv_groups_of(v->a, key_of, v->items.count, keys);
    v->shared_of = group_pairs(v, v->shares.items, v->shares.count, keys);
}

static uint32_t item_or_rest(const cv_view *v, uint32_t item)
{
    return item == CV_NO_ITEM ? (uint32_t)v->items.count : item;
}

static void group_ties(cv_view *v, size_t keys)
{
    uint32_t *from = CV_NEW_ARRAY(v->a, v->ties.count, uint32_t), *to = CV_NEW_ARRAY(v->a, v->ties.count, uint32_t);
    for (uint32_t i = 0; i < v->ties.count; i++) {
        const cv_view_tie *tie = &v->ties.items[i];
        from[i] = item_or_rest(v, tie->from);
        to[i] = item_or_rest(v, tie->to);
        if (tie->from == CV_NO_ITEM)
            *CV_PUSH(v->a, &v->loose) =
                (cv_view_pair){i, (uint32_t)cv_view_key(v, tie->row->round, speaker_of(v, tie->by->items[0]))};
    }
    v->ties_from = cv_groups_of(v->a, from, v->ties.count, v->items.count + 1);
    v->ties_to = cv_groups_of(v->a, to, v->ties.count, v->items.count + 1);
    v->loose_of = group_pairs(v, v->loose.items, v->loose.count, keys);
}

static void group_moves(cv_view *v, size_t keys)
{
    uint32_t *key_of = CV_NEW_ARRAY(v->a, v->moves.count, uint32_t);
    for (uint32_t i = 0; i < v->moves.count; i++) {
        const cv_view_move *move = &v->moves.items[i];
        key_of[i] = (uint32_t)cv_view_key(v, move->row->round, speaker_of(v, move->row->expert_slug));
        for (size_t k = 0; k < move->target_count; k++)
            *CV_PUSH(v->a, &v->aims) = (cv_view_pair){i, item_or_rest(v, cv_view_find(v, move->targets[k]))};
    }
    v->moves_of = cv_groups_of(v->a, key_of, v->moves.count, keys);
    v->moves_to = group_pairs(v, v->aims.items, v->aims.count, v->items.count + 1);
}

/* ---- the panel --------------------------------------------------------------------------------------------------- */

/* A panel that was seated for an earlier round and stands has been retained. */
static void add_seated(cv_view *v, const cv_rec_seat *seat, const int64_t *scores)
{
    const cv_rec_expert *expert = cv_state_expert(&v->s, seat->expert_slug);
    int source = seat->round == v->round ? cv_words_find(cv_source_words, seat->source) : CV_SOURCE_RETAINED;
    if (expert)
        *CV_PUSH(v->a, &v->members) = (cv_view_member){.expert = expert,
                                                       .slug = expert->expert_slug,
                                                       .name = cv_panel_display_name(v->a, expert->expert_slug),
                                                       .focus = seat->focus.p ? seat->focus : expert->focus,
                                                       .speaker = speaker_of(v, expert->expert_slug),
                                                       .source = source < 0 ? CV_SOURCE_RETAINED : (cv_source)source,
                                                       .score = scores[expert - v->s.experts.items]};
}

/* Where no panel was ever seated, everybody who has joined sits. */
static void seat_everybody(cv_view *v, const int64_t *scores)
{
    for (size_t i = 0; i < v->s.experts.count; i++) {
        const cv_rec_expert *expert = &v->s.experts.items[i];
        int64_t first = expert->first_round == CV_ABSENT ? 0 : expert->first_round;
        cv_rec_seat seat = {.round = first, .expert_slug = expert->expert_slug, .source = expert->source};
        if (first <= v->round)
            add_seated(v, &seat, scores);
    }
}

static void seat_panel(cv_view *v)
{
    int64_t *scores = CV_NEW_ARRAY(v->a, v->s.experts.count, int64_t);
    for (size_t i = 0; i < v->s.scores.count; i++) {
        const cv_rec_score *row = &v->s.scores.items[i];
        const cv_rec_expert *expert = row->round < v->round ? cv_state_expert(&v->s, row->expert_slug) : NULL;
        if (expert && row->score != CV_ABSENT)
            scores[expert - v->s.experts.items] += row->score;
    }
    const cv_rec_seat *seats;
    size_t count = cv_state_panel(&v->s, v->round, &seats);
    for (size_t i = 0; i < count; i++)
        add_seated(v, &seats[i], scores);
    if (count == 0)
        seat_everybody(v, scores);
}

/* ---- rounds: who spoke and who did not, and what was decided ----------------------------------------------------- */

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

static void fill_rounds(cv_view *v)
{
    for (size_t i = 0; i < v->rounds.count; i++)
        find_voices(v, &v->rounds.items[i]);
    deal_verdicts(v);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* A dialogue that went on was open; it was converging from the first signal on. */
static cv_str status_before(const cv_view *v)
{
    if (v->round >= cv_state_next_round(&v->s))
        return v->s.dialogue.status;
    for (size_t i = 0; i < v->moves.count; i++)
        if (v->moves.items[i].type == CV_MOVE_CONVERGE)
            return cv_dialogue_words.items[CV_DIALOGUE_CONVERGING];
    return cv_dialogue_words.items[CV_DIALOGUE_OPEN];
}

void cv_view_make(cv_arena *a, const cv_state *s, int64_t round, cv_view *v)
{
    *v = (cv_view){.a = a, .s = *s, .round = round};
    for (size_t i = 0; i < s->rounds.count && s->rounds.items[i].round < round; i++) {
        *CV_PUSH(a, &v->rounds) = (cv_view_round){.row = &s->rounds.items[i]};
        v->total += s->rounds.items[i].score == CV_ABSENT ? 0 : s->rounds.items[i].score;
    }
    for (size_t i = 0; i < s->experts.count; i++)
        speaker_of(v, s->experts.items[i].expert_slug);
    keep_items(v);
    keep_ties(v);
    keep_moves(v);
    for (size_t i = 0; i < v->ties.count; i++)
        speaker_of(v, v->ties.items[i].by->items[0]);
    for (size_t i = 0; i < s->seats.count; i++)
        speaker_of(v, s->seats.items[i].expert_slug);
    speaker_of(v, cv_judge_slug);
    seat_panel(v);
    size_t keys = (size_t)round * v->speakers.count + 1;
    group_items(v, keys);
    group_ties(v, keys);
    group_moves(v, keys);
    fill_rounds(v);
    v->status = status_before(v);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Events are only added: those that came after the state was read are left out. */
static bool load_events(cv_call *call, cv_state *s, cv_err *err)
{
    cv_wanted wanted = {.kinds = CV_REC_BIT(EVENT)};
    cv_state past;
    if (!cv_state_load(call, s->id, &wanted, &past, err))
        return false;
    while (past.events.count > 0 && past.events.items[past.events.count - 1].seq > s->position.event_count)
        past.events.count--;
    s->events.items = past.events.items;
    s->events.count = past.events.count;
    return true;
}

bool cv_view_load(cv_call *call, cv_view *ret_view)
{
    const uint32_t kinds = CV_REC_BIT(DIALOGUE) | CV_REC_BIT(EXPERT) | CV_REC_BIT(SEAT) | CV_REC_BIT(ROUND) |
                           CV_REC_BIT(SCORE) | CV_REC_BIT(ENTITY) | CV_REC_BIT(REFERENCE) | CV_REC_BIT(MOVE) |
                           CV_REC_BIT(VERDICT);
    cv_err err = {.arena = call->arena};
    cv_state s;
    if (!cv_state_load(call, cv_json_get_text(call->input, "dialogue_id"), &(cv_wanted){.kinds = kinds}, &s, &err))
        return cv_call_fail(call, &err);
    int64_t next = cv_state_next_round(&s), round = cv_json_get_int(call->input, "round", next);
    if (round > next) {
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "round",
                                 cv_arena_printf(call->arena, "%lld", (long long)round),
                                 "round %lld cannot be prepared yet", (long long)round),
                       cv_arena_printf(call->arena, "the next round is %lld", (long long)next));
        return false;
    }
    if (round < next && !load_events(call, &s, &err))
        return cv_call_fail(call, &err);
    cv_view_make(call->arena, &s, round, ret_view);
    ret_view->name = call->name;
    return true;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

uint32_t cv_view_find(const cv_view *v, cv_str display_id)
{
    const cv_rec_entity *row = cv_state_entity(&v->s, display_id);
    return row ? v->item_of[row - v->s.entities.items] : CV_NO_ITEM;
}

bool cv_view_is_open(const cv_view_item *item)
{
    cv_rec_entity then = {.status = item->status};
    return item->kind == CV_KIND_TENSION ? cv_tension_is_open(&then)
                                         : cv_str_eq(item->status, cv_statuses[cv_status_first(item->kind)].word);
}

bool cv_view_has_by(const cv_people *people, cv_str slug)
{
    for (size_t i = 0; i < people->count; i++)
        if (cv_str_eq(people->items[i], slug))
            return true;
    return false;
}

void cv_view_anonymise(cv_view *v)
{
    v->anonymous = true;
    for (size_t i = 0; i < v->speakers.count; i++)
        if (v->speakers.items[i].expert)
            v->speakers.items[i].name =
                cv_arena_printf(v->a, "Expert %lld", (long long)v->speakers.items[i].expert->position);
}

cv_str cv_view_slug(const cv_view *v, cv_str slug)
{
    bool position = cv_str_starts(slug, CV_STR("@"));
    const uintptr_t *at = v->anonymous ? cv_map_get(&v->speaker_at, cv_str_from(slug, position)) : NULL;
    const cv_rec_expert *expert = at ? v->speakers.items[*at - 1].expert : NULL;
    return expert ? cv_arena_printf(v->a, "%sexpert-%lld", position ? "@" : "", (long long)expert->position) : slug;
}

cv_str cv_view_name(const cv_view *v, cv_str slug)
{
    const uintptr_t *at = cv_map_get(&v->speaker_at, slug);
    return at ? v->speakers.items[*at - 1].name : slug;
}

const cv_view_member *cv_view_member_of(const cv_view *v, cv_str slug)
{
    for (size_t i = 0; i < v->members.count; i++)
        if (cv_str_eq_nocase(v->members.items[i].slug, slug))
            return &v->members.items[i];
    return NULL;
}
