/* export_rounds.c - the rounds of an export, in both shapes of the specification; see exporter.h.
 *
 *     rounds        what was said: title, score, velocity, summary, and each expert's score, raw response and local ids
 *     rounds_data   what was done: each expert's score and actions, made from the events
 *
 * Responses are streamed: they come by round and slug, and so are the experts of a round written, those without a
 * response in between. Responses of a round that is not registered yet are counted and left out.
 */
#include "dialogue/dynamics.h"
#include "dialogue/export/exporter.h"

/* The row with this key, of rows in the order of their keys; NULL: there is none. */
static const void *row_at(const cv_type *type, const void *rows, size_t count, const void *like)
{
    for (size_t low = 0, high = count; low < high;) {
        size_t middle = (low + high) / 2;
        const char *row = (const char *)rows + middle * type->size;
        int order = cv_row_order(type, row, like);
        if (order == 0)
            return row;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

int64_t cv_export_score(const cv_export *x, int64_t round, cv_str slug)
{
    const cv_rec_score *score = row_at(&cv_rec_score_type, x->s.scores.items, x->s.scores.count,
                                       &(cv_rec_score){.round = round, .expert_slug = slug});
    return score ? score->score : CV_ABSENT;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static const uint32_t *locals_of(const cv_export *x, size_t expert, int64_t round, uint32_t *ret_count)
{
    const uint32_t *starts = x->g.locals_of.starts + (size_t)round * x->g.expert_count + expert;
    *ret_count = starts[1] - starts[0];
    return x->g.locals_of.order + starts[0];
}

static void write_mapping(cv_export *x, const uint32_t *locals, uint32_t count)
{
    cv_json_key(&x->w, CV_STR("mapping"));
    cv_json_begin_object(&x->w);
    for (uint32_t i = 0; i < count; i++) {
        const cv_local *local = &x->g.locals.items[locals[i]];
        char id[6];
        cv_json_key(&x->w, local->local_id);
        cv_json_str(&x->w, cv_name_text(&x->g, local->place, id));
    }
    cv_json_end_object(&x->w);
}

static cv_str position_of(const cv_export *x, int64_t round, cv_str slug)
{
    const cv_rec_position *row = row_at(&cv_rec_position_type, x->s.positions.items, x->s.positions.count,
                                        &(cv_rec_position){.round = round, .expert_slug = slug});
    return row ? row->content : (cv_str){NULL, 0};
}

/* One expert's part in the round that is open, if there is one. */
static void write_part(cv_export *x, size_t expert, const cv_rec_response *response)
{
    int64_t round = x->s.rounds.items[x->round_at].round;
    cv_str slug = x->g.experts[expert]->expert_slug;
    int64_t score = cv_export_score(x, round, slug);
    uint32_t count;
    const uint32_t *locals = locals_of(x, expert, round, &count);
    cv_str position = position_of(x, round, slug);
    if (score == CV_ABSENT && count == 0 && !response && !position.p)
        return;
    cv_json_key(&x->w, slug);
    cv_json_begin_object(&x->w);
    cv_export_line(x, true);
    cv_export_key_int(x, "score", score);
    if (response)
        cv_export_key_text(x, "raw", response->content);
    if (position.p)
        cv_export_key_text(x, "position", position);
    write_mapping(x, locals, count);
    cv_json_end_object(&x->w);
    cv_export_line(x, false);
}

static void write_tempo(cv_export *x, int64_t round)
{
    const cv_pace_round *pace = cv_pace_at(&x->pace, round);
    int64_t open = pace->open_tensions, fresh = pace->new_perspectives;
    cv_json_key_int(&x->w, "velocity", open + fresh);
    cv_json_key_int(&x->w, "openTensions", open);
    cv_json_key_int(&x->w, "newPerspectives", fresh);
    cv_export_key_int(x, "scoreDelta", cv_round_score_delta(&x->s, round));
}

static void open_round(cv_export *x)
{
    const cv_rec_round *round = &x->s.rounds.items[x->round_at];
    cv_json_begin_object(&x->w);
    cv_json_key_int(&x->w, "round", round->round);
    cv_export_key_text(x, "title", round->title);
    cv_export_key_int(x, "score", round->score);
    cv_json_key_raw_if(&x->w, "scoreComponents", round->score_components);
    write_tempo(x, round->round);
    cv_export_key_text(x, "summary", round->summary);
    cv_json_key(&x->w, CV_STR("experts"));
    cv_json_begin_object(&x->w);
    x->round_open = true;
    x->expert_at = 0;
}

static void close_round(cv_export *x)
{
    if (!x->round_open)
        open_round(x);
    for (; x->expert_at < x->g.expert_count; x->expert_at++)
        write_part(x, x->expert_at, NULL);
    cv_json_end_object(&x->w);
    cv_json_end_object(&x->w);
    x->round_open = false;
    x->round_at++;
}

void cv_export_rounds_begin(cv_export *x)
{
    cv_graph_pace(&x->g, &x->pace);
    cv_json_key(&x->w, CV_STR("rounds"));
    cv_json_begin_array(&x->w);
}

void cv_export_response(cv_export *x, const cv_rec_response *response)
{
    const cv_state *s = &x->s;
    int expert = cv_expert_index(&x->g, response->expert_slug);
    while (x->round_at < s->rounds.count && s->rounds.items[x->round_at].round < response->round)
        close_round(x);
    if (x->round_at == s->rounds.count || s->rounds.items[x->round_at].round != response->round) {
        x->waiting++;
        return;
    }
    if (expert < 0)
        return;
    if (!x->round_open)
        open_round(x);
    for (; x->expert_at < (size_t)expert; x->expert_at++)
        write_part(x, x->expert_at, NULL);
    write_part(x, x->expert_at++, response);
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */

/* An entity that came to be by refining another is told once, as "refined" with its new id. */
static bool is_told_elsewhere(const cv_export *x, uint32_t at)
{
    uint32_t subject = x->g.events.items[at].subject;
    return (x->g.marks[subject] & CV_MARK_REFINES) && x->g.events_of.order[x->g.events_of.starts[subject]] == at;
}

static void write_action(cv_export *x, const cv_happening *event)
{
    char subject[6], other[6];
    cv_str type = cv_name_text(&x->g, event->type, other), id = cv_name_text(&x->g, event->subject, subject);
    bool amended = cv_str_eq(type, cv_event_words.items[CV_EVENT_AMENDED]);
    bool refines = event->result < CV_PLACES && (amended || cv_str_eq(type, cv_event_words.items[CV_EVENT_REFINED]));
    cv_json_begin_object(&x->w);
    cv_json_key_str(&x->w, "type", cv_kinds[cv_place_kind(event->subject)].word);
    cv_json_key_str(&x->w, "action", type);
    if (refines) {
        cv_json_key_str(&x->w, "id", cv_name_text(&x->g, event->result, other));
        cv_json_key_str(&x->w, amended ? "amends" : "refines", id);
    } else {
        cv_json_key_str(&x->w, "id", id);
        if (event->reference != CV_NO_NAME)
            cv_json_key_str(&x->w, "via", cv_name_text(&x->g, event->reference, other));
    }
    cv_json_end_object(&x->w);
}

/* The actions of one round, by expert: who did what, in the order of the events. */
typedef struct {
    uint32_t *starts; /* per expert, into events */
    uint32_t *events;
    size_t room;
} action_list;

static void gather_actions(cv_export *x, int64_t round, action_list *list)
{
    const cv_graph *g = &x->g;
    const uint32_t *begin = g->events_in.order + g->events_in.starts[round];
    const uint32_t *end = g->events_in.order + g->events_in.starts[round + 1];
    uint32_t *next = list->starts + 1;
    memset(list->starts, 0, (g->expert_count + 2) * sizeof *list->starts);
    for (int pass = 0; pass < 2; pass++) {
        for (const uint32_t *e = begin; e < end; e++) {
            cv_name actors = g->events.items[*e].actors;
            if (actors == CV_NO_NAME || is_told_elsewhere(x, *e))
                continue;
            const cv_graph_text *text = &g->texts.items[actors - CV_PLACES];
            for (size_t i = 0; i < text->expert_count; i++)
                if (pass == 0)
                    next[text->experts[i] + 1]++;
                else
                    list->events[next[text->experts[i]]++] = *e;
        }
        for (size_t i = 1; pass == 0 && i <= g->expert_count; i++)
            next[i] += next[i - 1];
        if (pass == 0 && next[g->expert_count] > list->room) {
            list->room = next[g->expert_count] * (size_t)2;
            list->events = CV_NEW_ARRAY(x->call->arena, list->room, uint32_t);
        }
    }
}

static void write_deeds(cv_export *x, int64_t round, size_t expert, const action_list *list)
{
    cv_str slug = x->g.experts[expert]->expert_slug;
    int64_t score = cv_export_score(x, round, slug);
    uint32_t begin = list->starts[expert], end = list->starts[expert + 1];
    if (score == CV_ABSENT && begin == end)
        return;
    cv_json_key(&x->w, slug);
    cv_json_begin_object(&x->w);
    cv_export_line(x, true);
    cv_export_key_int(x, "score", score);
    cv_json_key(&x->w, CV_STR("actions"));
    cv_json_begin_array(&x->w);
    for (uint32_t i = begin; i < end; i++)
        write_action(x, &x->g.events.items[list->events[i]]);
    cv_json_end_array(&x->w);
    cv_json_end_object(&x->w);
    cv_export_line(x, false);
}

static void write_rounds_data(cv_export *x)
{
    action_list list = {.starts = CV_NEW_ARRAY(x->call->arena, x->g.expert_count + 2, uint32_t)};
    cv_json_key(&x->w, CV_STR("rounds_data"));
    cv_json_begin_array(&x->w);
    for (size_t i = 0; i < x->s.rounds.count; i++) {
        const cv_rec_round *round = &x->s.rounds.items[i];
        gather_actions(x, round->round, &list);
        cv_json_begin_object(&x->w);
        cv_json_key_int(&x->w, "round", round->round);
        cv_export_key_int(x, "score", round->score);
        cv_json_key(&x->w, CV_STR("experts"));
        cv_json_begin_object(&x->w);
        for (size_t e = 0; e < x->g.expert_count; e++)
            write_deeds(x, round->round, e, &list);
        cv_json_end_object(&x->w);
        cv_json_end_object(&x->w);
    }
    cv_json_end_array(&x->w);
}

void cv_export_rounds_end(cv_export *x)
{
    while (x->round_at < x->s.rounds.count)
        close_round(x);
    cv_json_end_array(&x->w);
    write_rounds_data(x);
}
