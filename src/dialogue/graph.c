/* graph.c - what connects the entities of a dialogue, packed; see graph.h.
 *
 * 49,005 entities with their references and events are kept as numbers: an id is a place (kind, round, number), words
 * and lists that come again and again are one text each. Reading fills three lists in the order of the snapshot;
 * grouping gives each entity its references, those that lead to it, and its events, in order.
 */
#include <stdlib.h>

#include "dialogue/graph.h"
#include "dialogue/words/limits.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

cv_str cv_name_text(const cv_graph *g, cv_name name, char id[6])
{
    if (name >= CV_PLACES)
        return name == CV_NO_NAME ? (cv_str){NULL, 0} : g->texts.items[name - CV_PLACES].text;
    return cv_place_print(name, id);
}

static cv_name text_name(cv_graph *g, cv_str text)
{
    cv_arena *a = g->arena;
    if (!text.p)
        return CV_NO_NAME;
    const uintptr_t *known = cv_map_get(&g->text_at, text);
    if (known)
        return (cv_name)*known;
    cv_name name = (cv_name)(CV_PLACES + g->texts.count);
    text = text.n ? cv_arena_copy(a, text) : CV_STR("");
    *CV_PUSH(a, &g->texts) = (cv_graph_text){.text = text};
    *cv_map_put(&g->text_at, a, text, NULL) = name;
    return name;
}

static cv_name any_name(cv_graph *g, cv_str text)
{
    uint32_t place = text.p ? cv_place_of(text) : CV_NO_PLACE;
    return place != CV_NO_PLACE ? place : text_name(g, text);
}

static int by_slug(const void *x, const void *y)
{
    const cv_rec_expert *a = *(const cv_rec_expert *const *)x, *b = *(const cv_rec_expert *const *)y;
    return cv_str_order(a->expert_slug, b->expert_slug);
}

static void sort_experts(cv_graph *g, const cv_state *s)
{
    g->expert_count = s->experts.count;
    g->experts = CV_NEW_ARRAY(g->arena, g->expert_count, const cv_rec_expert *);
    for (size_t i = 0; i < g->expert_count; i++)
        g->experts[i] = &s->experts.items[i];
    if (g->expert_count > 1)
        qsort(g->experts, g->expert_count, sizeof *g->experts, by_slug);
}

int cv_expert_index(const cv_graph *g, cv_str slug)
{
    const cv_rec_expert key = {.expert_slug = slug}, *wanted = &key, **found = NULL;
    if (slug.n > 0 && g->expert_count > 0)
        found = bsearch(&wanted, g->experts, g->expert_count, sizeof *g->experts, by_slug);
    return found ? (int)(found - g->experts) : -1;
}

/* A list of actors is read once, when it is seen for the first time. */
static cv_name actors_name(cv_graph *g, cv_str actors)
{
    size_t known = g->texts.count;
    cv_name name = text_name(g, actors);
    cv_json list;
    cv_err ignored = {.arena = g->arena};
    if (g->texts.count == known)
        return name;
    cv_graph_text *text = &g->texts.items[known];
    if (!cv_json_parse(g->arena, text->text, &list, &ignored) || list.type != CV_JSON_ARRAY)
        return name;
    text->experts = CV_NEW_ARRAY(g->arena, list.count, uint16_t);
    for (uint32_t i = 0; i < list.count; i++) {
        int at = list.items[i].type == CV_JSON_STRING ? cv_expert_index(g, list.items[i].text) : -1;
        if (at >= 0)
            text->experts[text->expert_count++] = (uint16_t)at;
    }
    return name;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static uint8_t small_round(int64_t round)
{
    return round >= 0 && round <= CV_MAX_ROUND ? (uint8_t)round : UINT8_MAX;
}

static void keep_origin(cv_graph *g, const cv_rec_origin *row)
{
    uint32_t place = cv_place_of(row->display_id);
    int expert = cv_expert_index(g, row->expert_slug);
    if (place == CV_NO_PLACE)
        return;
    if (row->response_sha256.p)
        g->marks[place] |= CV_MARK_SOURCED;
    if (expert >= 0)
        *CV_PUSH(g->arena, &g->locals) = (cv_local){cv_arena_copy(g->arena, row->local_id), (uint16_t)place,
                                                    (uint16_t)expert, small_round(row->round)};
}

static void keep_reference(cv_graph *g, const cv_rec_reference *row)
{
    int type = cv_words_find(cv_ref_words, row->ref_type);
    if (type >= 0)
        *CV_PUSH(g->arena, &g->links) = (cv_link){any_name(g, row->source_id),
                                                  any_name(g, row->target_id),
                                                  text_name(g, row->reason),
                                                  row->position == CV_ABSENT ? 0 : (int32_t)row->position,
                                                  (uint8_t)type,
                                                  small_round(row->round)};
}

static void keep_event(cv_graph *g, const cv_rec_event *row)
{
    uint32_t subject = cv_place_of(row->subject_id);
    if (subject == CV_NO_PLACE || cv_kind_of_letter(row->subject_type.p[0]) < 0)
        return; /* about the dialogue, a round, an expert: their present state is in the rows */
    cv_name result = any_name(g, row->result_id);
    int type = cv_words_find(cv_event_words, row->event_type);
    if (result < CV_PLACES && (type == CV_EVENT_REFINED || type == CV_EVENT_AMENDED))
        g->marks[result] |= CV_MARK_REFINES;
    *CV_PUSH(g->arena, &g->events) =
        (cv_happening){subject,
                       text_name(g, row->event_type),
                       actors_name(g, row->actors),
                       result,
                       any_name(g, row->reference),
                       text_name(g, row->reason),
                       text_name(g, type == CV_EVENT_COMMENTED ? row->data : (cv_str){NULL, 0}),
                       small_round(row->step)};
}

static bool keep_row(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    if (!cv_row_check(kind, row, err))
        return false;
    if (kind == CV_REC_ORIGIN)
        keep_origin(ctx, row);
    else if (kind == CV_REC_REFERENCE)
        keep_reference(ctx, row);
    else if (kind == CV_REC_EVENT)
        keep_event(ctx, row);
    return true;
}

/* ---- grouping ---------------------------------------------------------------------------------------------------- */

static uint32_t place_or_rest(cv_name name)
{
    return name < CV_PLACES ? name : CV_PLACES;
}

static int by_round_and_position(const void *x, const void *y)
{
    const cv_link *a = x, *b = y;
    int order = CV_ORDER(a->round, b->round);
    order = order ? order : CV_ORDER(a->position, b->position);
    order = order ? order : CV_ORDER(a->source, b->source);
    order = order ? order : CV_ORDER(a->target, b->target);
    return order ? order : CV_ORDER(a->type, b->type);
}

static void group_all(cv_graph *g)
{
    cv_arena *a = g->arena;
    size_t most = g->links.count > g->events.count ? g->links.count : g->events.count;
    uint32_t *keys = CV_NEW_ARRAY(a, most > g->locals.count ? most : g->locals.count, uint32_t);
    if (g->links.count > 1)
        qsort(g->links.items, g->links.count, sizeof *g->links.items, by_round_and_position);
    for (size_t i = 0; i < g->links.count; i++)
        keys[i] = place_or_rest(g->links.items[i].source);
    g->links_from = cv_groups_of(a, keys, g->links.count, CV_PLACES + 1);
    for (size_t i = 0; i < g->links.count; i++)
        keys[i] = place_or_rest(g->links.items[i].target);
    g->links_to = cv_groups_of(a, keys, g->links.count, CV_PLACES + 1);
    for (size_t i = 0; i < g->events.count; i++)
        keys[i] = g->events.items[i].subject;
    g->events_of = cv_groups_of(a, keys, g->events.count, CV_PLACES + 1);
    for (size_t i = 0; i < g->events.count; i++)
        keys[i] = g->events.items[i].round;
    g->events_in = cv_groups_of(a, keys, g->events.count, UINT8_MAX + 1);
    for (size_t i = 0; i < g->locals.count; i++)
        keys[i] = g->locals.items[i].round * (uint32_t)g->expert_count + g->locals.items[i].expert;
    g->locals_of = cv_groups_of(a, keys, g->locals.count, (UINT8_MAX + 1) * g->expert_count);
}

/* Each entity has an event, and most have a local id and a reference: room for as many of each at once, so that no list
 * leaves halves of itself behind. Room that is not used costs no memory. */
static void make_room(cv_graph *g, const cv_state *s)
{
    int64_t events = s->position.event_count;
    size_t half = events < 0 ? 0 : events > 2 * CV_PLACES ? CV_PLACES : (size_t)events / 2 + 1;
    g->locals.capacity = g->links.capacity = g->events.capacity = half;
    g->locals.items = cv_arena_grow(g->arena, NULL, 0, &g->locals.capacity, sizeof *g->locals.items);
    g->links.items = cv_arena_grow(g->arena, NULL, 0, &g->links.capacity, sizeof *g->links.items);
    g->events.items = cv_arena_grow(g->arena, NULL, 0, &g->events.capacity, sizeof *g->events.items);
}

bool cv_graph_load(cv_call *call, const cv_state *s, cv_graph *ret_graph, cv_position *ret_position, cv_err *err)
{
    const cv_wanted wanted = {.kinds = CV_REC_BIT(ORIGIN) | CV_REC_BIT(REFERENCE) | CV_REC_BIT(EVENT),
                              .no_proofs = true};
    bool found;
    ret_graph->arena = call->arena;
    sort_experts(ret_graph, s);
    make_room(ret_graph, s);
    if (!cv_snapshot(call, s->id, &wanted, keep_row, ret_graph, ret_position, &found, err))
        return false;
    group_all(ret_graph);
    return true;
}

void cv_graph_pace(const cv_graph *g, cv_pace *ret_pace)
{
    char unused[6];
    cv_pace_begin(ret_pace, g->arena);
    for (size_t i = 0; i < g->events.count; i++) {
        const cv_happening *event = &g->events.items[i];
        cv_pace_tell(ret_pace, event->subject, cv_name_text(g, event->type, unused), event->round);
    }
    cv_pace_end(ret_pace);
}
