/* view_json.c - a view as JSON: what the judge is given; see view.h.
 *
 * Names and order are those of the specification. An item that has several contributors is under the first; with
 * the others only its id does ("shared"). Ids are those of the dialogue, never local ones.
 */
#include "dialogue/brief/view.h"

static void key_text(cv_json_writer *w, const char *key, cv_str text)
{
    cv_json_key(w, cv_str_of(key));
    if (text.p)
        cv_json_str(w, text);
    else
        cv_json_null(w);
}

/* ---- what one speaker said --------------------------------------------------------------------------------------- */

static void print_item(const cv_view_item *item, cv_json_writer *w)
{
    bool tension = item->kind == CV_KIND_TENSION;
    cv_json_begin_object(w);
    cv_json_key_str(w, "id", item->id);
    cv_json_key_str(w, "label", item->row->label);
    if (tension)
        cv_json_key_str(w, "expert", item->by->items[0]);
    cv_json_key_str(w, "status", item->status);
    cv_json_key_raw_if(w, "contributors", item->by->json);
    key_text(w, tension ? "description" : "content", item->row->content);
    cv_json_key_raw_if(w, "parameters", item->row->parameters);
    cv_json_key_raw_if(w, "correction", item->row->correction);
    cv_json_end_object(w);
}

/* A list that is begun with its first item: without one it is left out, unless the specification always shows it. */
typedef struct {
    cv_json_writer *w;
    cv_str key;
    bool begun;
} list;

static void begin_list(list *l)
{
    if (!l->begun) {
        cv_json_key(l->w, l->key);
        cv_json_begin_array(l->w);
    }
    l->begun = true;
}

static void end_list(list *l)
{
    if (l->begun)
        cv_json_end_array(l->w);
}

static void print_items(const cv_view *v, size_t key, cv_kind kind, int64_t since, cv_json_writer *w)
{
    bool tension = kind == CV_KIND_TENSION;
    list l = {w, tension ? CV_STR("tensions_raised") : cv_kinds[kind].plural, false};
    if (tension || kind == CV_KIND_PERSPECTIVE || kind == CV_KIND_RECOMMENDATION)
        begin_list(&l);
    for (const uint32_t *i = cv_group_begin(&v->items_of, key); i < cv_group_end(&v->items_of, key); i++) {
        const cv_view_item *item = &v->items.items[*i];
        if (item->kind != kind || item->row->rev <= since)
            continue;
        begin_list(&l);
        if (tension)
            cv_json_str(w, item->id);
        else
            print_item(item, w);
    }
    end_list(&l);
}

static void print_shared_ids(const cv_view *v, size_t key, int64_t since, cv_json_writer *w)
{
    list l = {w, CV_STR("shared"), false};
    for (const uint32_t *i = cv_group_begin(&v->shared_of, key); i < cv_group_end(&v->shared_of, key); i++) {
        const cv_view_item *item = &v->items.items[v->shares.items[*i].a];
        if (item->row->rev <= since)
            continue;
        begin_list(&l);
        cv_json_str(w, item->id);
    }
    end_list(&l);
}

static void print_tie(const cv_view_tie *tie, int64_t since, list *l)
{
    if (tie->row->rev <= since)
        return;
    begin_list(l);
    cv_json_begin_object(l->w);
    cv_json_key_str(l->w, "source", tie->source);
    cv_json_key_str(l->w, "type", cv_ref_words.items[tie->type]);
    cv_json_key_str(l->w, "target", tie->target);
    cv_json_key_str_if(l->w, "reason", tie->row->reason);
    cv_json_end_object(l->w);
}

static void print_ties(const cv_view *v, size_t key, int64_t since, cv_json_writer *w)
{
    list l = {w, CV_STR("references"), false};
    for (const uint32_t *i = cv_group_begin(&v->loose_of, key); i < cv_group_end(&v->loose_of, key); i++)
        print_tie(&v->ties.items[v->loose.items[*i].a], since, &l);
    for (const uint32_t *i = cv_group_begin(&v->items_of, key); i < cv_group_end(&v->items_of, key); i++)
        for (const uint32_t *t = cv_group_begin(&v->ties_from, *i); t < cv_group_end(&v->ties_from, *i); t++)
            print_tie(&v->ties.items[*t], since, &l);
    end_list(&l);
}

static void print_moves(const cv_view *v, size_t key, int64_t since, cv_json_writer *w)
{
    list l = {w, CV_STR("moves"), false};
    for (const uint32_t *i = cv_group_begin(&v->moves_of, key); i < cv_group_end(&v->moves_of, key); i++) {
        const cv_view_move *move = &v->moves.items[*i];
        if (move->row->rev <= since)
            continue;
        begin_list(&l);
        cv_json_begin_object(w);
        cv_json_key_str(w, "type", cv_move_words.items[move->type]);
        cv_json_key_strs(w, "targets", move->targets, move->target_count);
        cv_json_key_str_if(w, "context", move->row->context);
        cv_json_end_object(w);
    }
    end_list(&l);
}

/* Is anything that the speaker said in the round newer? References and moves come with their round, as rows of it. */
static bool has_news(const cv_view *v, size_t key, int64_t since)
{
    for (const uint32_t *i = cv_group_begin(&v->items_of, key); i < cv_group_end(&v->items_of, key); i++)
        if (v->items.items[*i].row->rev > since)
            return true;
    for (const uint32_t *i = cv_group_begin(&v->shared_of, key); i < cv_group_end(&v->shared_of, key); i++)
        if (v->items.items[v->shares.items[*i].a].row->rev > since)
            return true;
    for (const uint32_t *i = cv_group_begin(&v->loose_of, key); i < cv_group_end(&v->loose_of, key); i++)
        if (v->ties.items[v->loose.items[*i].a].row->rev > since)
            return true;
    for (const uint32_t *i = cv_group_begin(&v->moves_of, key); i < cv_group_end(&v->moves_of, key); i++)
        if (v->moves.items[*i].row->rev > since)
            return true;
    return false;
}

static void print_contribution(const cv_view *v, int64_t round, size_t speaker, int64_t since, cv_json_writer *w)
{
    static const cv_kind kinds[] = {CV_KIND_PERSPECTIVE, CV_KIND_RECOMMENDATION, CV_KIND_TENSION, CV_KIND_EVIDENCE,
                                    CV_KIND_CLAIM};
    size_t key = cv_view_key(v, round, speaker);
    if (!has_news(v, key, since))
        return;
    cv_json_begin_object(w);
    cv_json_key_str(w, "expert", v->speakers.items[speaker].slug);
    key_text(w, "role", v->speakers.items[speaker].role);
    for (size_t i = 0; i < CV_COUNT(kinds); i++)
        print_items(v, key, kinds[i], since, w);
    print_shared_ids(v, key, since, w);
    print_ties(v, key, since, w);
    print_moves(v, key, since, w);
    cv_json_end_object(w);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static void print_contributions(const cv_view *v, const cv_view_round *round, int64_t since, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("expert_contributions"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < round->voice_count; i++)
        print_contribution(v, round->row->round, round->voices[i], since, w);
    cv_json_end_array(w);
    list l = {w, CV_STR("silent"), false};
    for (size_t i = 0; i < round->silent_count; i++) {
        begin_list(&l);
        cv_json_str(w, v->speakers.items[round->silent[i]].slug);
    }
    end_list(&l);
}

/* The tensions of a round and the rounds with news, in one walk over all items. */
typedef struct {
    cv_groups tensions; /* items by round; only tensions are looked at */
    bool *news;
} round_index;

static round_index index_rounds(const cv_view *v, int64_t since)
{
    uint32_t *rounds = CV_NEW_ARRAY(v->a, v->items.count, uint32_t);
    round_index x = {.news = CV_NEW_ARRAY(v->a, (size_t)v->round + 1, bool)};
    for (size_t i = 0; i < v->items.count; i++) {
        rounds[i] = (uint32_t)v->items.items[i].row->round;
        x.news[rounds[i]] |= v->items.items[i].row->rev > since;
    }
    for (size_t i = 0; i < v->rounds.count; i++) {
        const cv_view_round *round = &v->rounds.items[i];
        bool *news = &x.news[round->row->round];
        *news = *news || round->row->rev > since;
        for (size_t k = 0; k < round->verdict_count; k++)
            *news = *news || round->verdicts[k]->rev > since;
    }
    x.tensions = cv_groups_of(v->a, rounds, v->items.count, (size_t)v->round + 1);
    return x;
}

static void print_verdicts(const cv_view_round *round, int64_t since, cv_json_writer *w)
{
    list l = {w, CV_STR("verdicts"), false};
    for (size_t i = 0; i < round->verdict_count; i++) {
        const cv_rec_verdict *verdict = round->verdicts[i];
        if (verdict->rev <= since)
            continue;
        begin_list(&l);
        cv_json_begin_object(w);
        cv_json_key_str(w, "id", verdict->verdict_id);
        cv_json_key_str(w, "type", verdict->verdict_type);
        cv_json_key_str_if(w, "author", verdict->author_expert);
        key_text(w, "recommendation", verdict->recommendation);
        key_text(w, "description", verdict->description);
        cv_json_end_object(w);
    }
    end_list(&l);
}

static void print_round(const cv_view *v, const cv_view_round *one, const round_index *x, int64_t since,
                        cv_json_writer *w)
{
    const cv_rec_round *row = one->row;
    size_t round = (size_t)row->round;
    cv_json_begin_object(w);
    cv_json_key_int(w, "round", row->round);
    key_text(w, "title", row->title);
    cv_json_key_int(w, "score", row->score == CV_ABSENT ? 0 : row->score);
    print_contributions(v, one, since, w);
    cv_json_key(w, CV_STR("tensions"));
    cv_json_begin_array(w);
    for (const uint32_t *i = cv_group_begin(&x->tensions, round); i < cv_group_end(&x->tensions, round); i++)
        if (v->items.items[*i].kind == CV_KIND_TENSION && v->items.items[*i].row->rev > since)
            print_item(&v->items.items[*i], w);
    cv_json_end_array(w);
    key_text(w, "judge_synthesis", row->summary);
    print_verdicts(one, since, w);
    cv_json_end_object(w);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void print_dialogue(const cv_view *v, int64_t since, cv_json_writer *w)
{
    const cv_rec_dialogue *row = &v->s.dialogue;
    cv_json_key(w, CV_STR("dialogue"));
    cv_json_begin_object(w);
    cv_json_key_str(w, "id", v->s.id);
    key_text(w, "title", row->title);
    key_text(w, "question", row->question);
    cv_json_key_str(w, "status", v->status);
    cv_json_key_int(w, "current_round", v->round);
    cv_json_key_int(w, "total_alignment", v->total);
    if (since == 0) {
        cv_json_key(w, CV_STR("background"));
        cv_json_raw(w, row->background.n ? row->background : CV_STR("null"));
    }
    cv_json_end_object(w);
    if (since == 0 && row->calibrated == 1)
        cv_json_key_raw_if(w, "calibration", row->calibration);
}

static void print_active(const cv_view *v, cv_json_writer *w)
{
    cv_json_key(w, CV_STR("active_tensions"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < v->items.count; i++) {
        const cv_view_item *item = &v->items.items[i];
        if (item->kind != CV_KIND_TENSION || !cv_view_is_open(item))
            continue;
        cv_json_begin_object(w);
        cv_json_key_str(w, "id", item->id);
        cv_json_key_str(w, "label", item->row->label);
        cv_json_key_str(w, "status", item->status);
        cv_json_key_str(w, "expert", item->by->items[0]);
        cv_json_key_int(w, "round", item->row->round);
        cv_json_end_object(w);
    }
    cv_json_end_array(w);
}

void cv_view_print_shared(const cv_view *v, int64_t since_rev, cv_json_writer *w)
{
    round_index x = index_rounds(v, since_rev);
    print_dialogue(v, since_rev, w);
    cv_json_key(w, CV_STR("prior_rounds"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < v->rounds.count; i++)
        if (x.news[v->rounds.items[i].row->round])
            print_round(v, &v->rounds.items[i], &x, since_rev, w);
    cv_json_end_array(w);
    print_active(v, w);
}

void cv_view_print_member(const cv_view_member *member, cv_str round_context, cv_json_writer *w)
{
    const cv_rec_expert *expert = member->expert;
    cv_json_key_str(w, "slug", member->slug);
    cv_json_key_str(w, "role", expert->role);
    cv_json_key_str(w, "tier", expert->tier);
    cv_json_key_str(w, "source", cv_source_words.items[member->source]);
    key_text(w, "focus", member->focus);
    key_text(w, "description", expert->description);
    cv_json_key_int(w, "your_score", member->score);
    key_text(w, "round_context", round_context.n ? round_context : (cv_str){NULL, 0});
    cv_json_key_str_if(w, "creation_reason", expert->creation_reason);
}
