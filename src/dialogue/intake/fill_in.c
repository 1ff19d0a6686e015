/* fill_in.c - the draft of a round with what the judge fills in; see fill_in.h.
 *
 *     {"dialogue_id", "round", "title": "", "summary": "", "expert_scores": {"muffin": null, …}, and the responses}
 *
 * Every expert who said something gets a score: those who contributed items, moved, or have a position.
 */
#include "dialogue/intake/fill_in.h"

#include "base/map.h"

typedef struct {
    cv_arena *arena;
    cv_json_writer *w;
    cv_map seen;
} scoring;

static void add_expert(scoring *s, cv_str slug)
{
    bool is_new = false;
    if (slug.n > 0)
        cv_map_put(&s->seen, s->arena, slug, &is_new);
    if (!is_new)
        return;
    cv_json_key(s->w, slug);
    cv_json_null(s->w);
}

static void add_experts_of(scoring *s, const cv_json *item)
{
    const cv_json *by = item->type == CV_JSON_OBJECT ? cv_json_get(item, CV_STR("contributors")) : NULL;
    for (uint32_t i = 0; by && by->type == CV_JSON_ARRAY && i < by->count; i++)
        add_expert(s, by->items[i].text);
    if (item->type == CV_JSON_OBJECT)
        add_expert(s, cv_json_get_text(item, "expert"));
}

static void write_scores(cv_arena *a, const cv_json *request, cv_json_writer *w)
{
    scoring s = {.arena = a, .w = w};
    const cv_json *positions = cv_json_get(request, CV_STR("positions"));
    cv_json_key(w, CV_STR("expert_scores"));
    cv_json_begin_object(w);
    for (uint32_t i = 0; i < request->count; i++)
        for (uint32_t k = 0; request->members[i].value.type == CV_JSON_ARRAY && k < request->members[i].value.count;
             k++)
            add_experts_of(&s, &request->members[i].value.items[k]);
    for (uint32_t i = 0; positions && i < positions->count; i++)
        add_expert(&s, positions->members[i].key);
    cv_json_end_object(w);
}

static bool is_empty(const cv_json *value)
{
    return (value->type == CV_JSON_ARRAY || value->type == CV_JSON_OBJECT) && value->count == 0;
}

static void prepare(cv_arena *a, const cv_json *request, cv_json_writer *w)
{
    static const cv_str first[] = {CV_STR_INIT("dialogue_id"), CV_STR_INIT("round")};
    cv_json_begin_object(w);
    for (size_t i = 0; i < CV_COUNT(first); i++) {
        cv_json_key(w, first[i]);
        cv_json_value(w, cv_json_get(request, first[i]));
    }
    cv_json_key_str(w, "title", CV_STR(""));
    cv_json_key_str(w, "summary", CV_STR(""));
    write_scores(a, request, w);
    for (uint32_t i = 0; i < request->count; i++) {
        const cv_json_member *m = &request->members[i];
        if (cv_str_eq(m->key, first[0]) || cv_str_eq(m->key, first[1]) || is_empty(&m->value))
            continue;
        cv_json_key(w, m->key);
        cv_json_value(w, &m->value);
    }
    cv_json_end_object(w);
}

const cv_room_edit cv_dialogue_edits[] = {
    {.verb = "draft",
     .input = "\"payload_only\":true",
     .then = "round-register",
     .about = "expert_scores: what each contribution adds, a whole number; 0: nothing new. Their sum is the score.\n"
              "title, summary: what the round brought, in your words.\n"
              "Merge items with \"also\": [\"MUFFIN-P0101\"], and take away what does not belong here.\n",
     .prepare = prepare},
    {0},
};
