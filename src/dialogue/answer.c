/* answer.c - rows and selections as JSON; see answer.h. */
#include "dialogue/answer.h"

/* An expert of the pool was never retained: that is said of seats. */
static const cv_str source_words[] = {CV_STR_INIT("pool"), CV_STR_INIT("created")};
static const cv_words sources = {source_words, CV_COUNT(source_words)};

#define CV_THIS_TYPE cv_rec_expert
const cv_shape cv_expert_shape[] = {
    CV_ROW_SAYS(ALWAYS, INT, "position", NULL, ""),
    CV_ROW_SAYS(ALWAYS, TEXT, "role", NULL, ""),
    CV_ROW_SAYS(ALWAYS, TEXT, "tier", NULL, ""),
    CV_ROW_SAYS(ALWAYS, TEXT, "source", &sources, ""),
    CV_ROW_SAYS(ALWAYS, TEXT, "created_at", NULL, ""),
    CV_ROW(rev, &cv_rec_expert_type, NONE),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_state
static const cv_shape known[] = {
    CV_ROW_SAYS(ALWAYS, TEXT, "title", NULL, ""),
    CV_ROW_SAYS(ALWAYS, TEXT, "status", &cv_dialogue_words, ""),
    CV_ROW_SAYS(ALWAYS, TEXT, "created_at", NULL, ""),
    CV_ROW_SAYS(OR_NULL, TEXT, "output_dir", NULL, "relative to the project's root, unless absolute"),
    {0},
};
const cv_shape cv_dialogue_shape[] = {
    CV_FIELD_AS(ALWAYS, "dialogue_id", id, ""),
    CV_SPREAD_SAME(known),
    CV_ROW_SAYS(OR_NULL, MAP, "calibration", NULL, ""),
    CV_ROW_SAYS(OR_NULL, MAP, "background", NULL, ""),
    CV_ROW_SAYS(OR_NULL, MAP, "expert_pool", NULL, ""),
    CV_ROW(dialogue, &cv_rec_dialogue_type, KEY),
    {0},
};
const cv_shape cv_dialogue_brief[] = {
    CV_FIELD_AS(ALWAYS, "dialogue_id", id, ""),
    CV_SPREAD_SAME(known),
    CV_ROW(dialogue, &cv_rec_dialogue_type, BOTH),
    {0},
};
#undef CV_THIS_TYPE

cv_shown_seat cv_seat_shown(cv_arena *a, const cv_rec_expert *expert, const cv_rec_seat *seat)
{
    return (cv_shown_seat){.expert = expert,
                           .name = cv_panel_display_name(a, expert->expert_slug),
                           .emoji = cv_expert_emoji,
                           .source = seat->source,
                           .focus = seat->focus.p ? seat->focus : expert->focus};
}

#define CV_THIS_TYPE cv_shown_seat
const cv_shape cv_seat_shape[] = {
    CV_FIELD_OF_AS(ALWAYS, "slug", expert, expert_slug, ""),
    CV_FIELD(ALWAYS, name, ""),
    CV_FIELD_OF(ALWAYS, expert, role, ""),
    CV_FIELD_OF(ALWAYS, expert, tier, ""),
    CV_JSON_OF_AS(IF_ANY, NUMBER, "relevance", expert, relevance, ""),
    CV_FIELD(ALWAYS, emoji, ""),
    CV_WORD(ALWAYS, "source", source, &cv_source_words, ""),
    CV_FIELD(IF_ANY, focus, ""),
    {0},
};
#undef CV_THIS_TYPE

void cv_answer_seat(cv_json_writer *w, cv_arena *a, const cv_rec_expert *expert, const cv_rec_seat *seat)
{
    const cv_shown_seat told = cv_seat_shown(a, expert, seat);
    cv_shape_write(w, cv_seat_shape, &told);
}

/* ---- selections -------------------------------------------------------------------------------------------------- */

/* Millionths as a decimal: 0.25, 0.333333, 1. */
static void write_millionths(cv_json_writer *w, uint32_t millionths)
{
    static const char digits[] = "0123456789";
    char text[8] = {'0', '.'};
    size_t n = 8;
    text[0] = digits[millionths / CV_WEIGHT_ONE % 10];
    for (size_t i = 7; i >= 2; i--, millionths /= 10)
        text[i] = digits[millionths % 10];
    while (n > 2 && text[n - 1] == '0')
        n--;
    cv_json_raw(w, (cv_str){text, n == 2 ? 1 : n});
}

/* The chance of being drawn first, in the tier or of all. */
static uint32_t first_chance(const cv_candidates *list, const cv_candidate *one, bool by_tier)
{
    uint64_t total = 0, count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const cv_candidate *c = &list->items[i];
        if (!c->barred && !c->kept && (c->tier == one->tier || !by_tier)) {
            total += c->weight;
            count++;
        }
    }
    uint64_t weight = total ? one->weight : 1, whole = total ? total : count;
    return (uint32_t)((weight * CV_WEIGHT_ONE + whole / 2) / whole);
}

static void write_candidate(cv_json_writer *w, const cv_candidates *list, const cv_candidate *c, bool by_tier)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "role", c->role);
    cv_json_key_str(w, "tier", cv_tier_words.items[c->tier]);
    cv_json_key_raw_if(w, "relevance", c->relevance);
    if (c->kept || c->barred) {
        cv_json_key_bool(w, c->kept ? "kept" : "excluded", true);
    } else {
        cv_json_key(w, CV_STR("probability"));
        write_millionths(w, first_chance(list, c, by_tier));
    }
    cv_json_key_bool(w, "selected", c->seated);
    cv_json_end_object(w);
}

static void write_draw(cv_json_writer *w, const cv_candidates *list, const cv_draw *draw)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "role", list->items[draw->candidate].role);
    cv_json_key_int(w, "among", (int64_t)draw->among);
    cv_json_key(w, CV_STR("probability"));
    write_millionths(w, draw->chance);
    cv_json_end_object(w);
}

void cv_answer_selection(cv_json_writer *w, int64_t seed, size_t size, cv_rotation rotation, const cv_candidates *list,
                         const cv_draws *draws)
{
    cv_tier_split split = cv_panel_split(size);
    cv_json_begin_object(w);
    cv_json_key_int(w, "seed", seed);
    cv_json_key_str(w, "algorithm", CV_STR(CV_PANEL_ALGORITHM));
    cv_json_key(w, CV_STR("tier_split"));
    cv_json_begin_object(w);
    for (size_t tier = 0; tier < CV_TIER_COUNT; tier++) {
        cv_json_key(w, cv_tier_words.items[tier]);
        cv_json_int(w, (int64_t)split.of[tier]);
    }
    cv_json_end_object(w);
    cv_json_key(w, CV_STR("candidates"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < list->count; i++)
        write_candidate(w, list, &list->items[i], rotation != CV_ROTATION_FULL);
    cv_json_end_array(w);
    cv_json_key(w, CV_STR("draws"));
    cv_json_begin_array(w);
    for (size_t i = 0; i < draws->count; i++)
        write_draw(w, list, &draws->items[i]);
    cv_json_end_array(w);
    cv_json_end_object(w);
}
