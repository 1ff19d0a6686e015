/* answer.c - rows and selections as JSON; see answer.h. */
#include "dialogue/answer.h"

#include <assert.h>

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

/* ---- selections -------------------------------------------------------------------------------------------------- */

/* Millionths as a decimal: 0.25, 0.333333, 1. */
static cv_str print_millionths(cv_arena *a, uint32_t millionths)
{
    assert(millionths <= CV_WEIGHT_ONE && "a chance is at most 1");
    cv_str text = cv_arena_printf(a, "%u.%06u", millionths / CV_WEIGHT_ONE, millionths % CV_WEIGHT_ONE);
    while (text.p[text.n - 1] == '0')
        text.n--;
    return text.p[text.n - 1] == '.' ? cv_str_head(text, text.n - 1) : text;
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

static cv_shown_candidate candidate_shown(cv_arena *a, const cv_candidates *list, const cv_candidate *c, bool by_tier)
{
    bool drawn = !c->kept && !c->barred;
    assert((unsigned)c->tier < CV_TIER_COUNT);
    return (cv_shown_candidate){.role = c->role,
                                .tier = cv_tier_words.items[c->tier],
                                .relevance = c->relevance,
                                .probability =
                                    drawn ? print_millionths(a, first_chance(list, c, by_tier)) : (cv_str){NULL, 0},
                                .kept = c->kept,
                                .excluded = c->barred && !c->kept,
                                .selected = c->seated};
}

cv_selection cv_selection_shown(cv_arena *a, int64_t seed, size_t size, cv_rotation rotation, const cv_candidates *list,
                                const cv_draws *draws)
{
    cv_selection shown = {.seed = seed,
                          .split = cv_panel_split(size),
                          .candidates = CV_NEW_ARRAY(a, list->count, cv_shown_candidate),
                          .candidate_count = list->count,
                          .draws = CV_NEW_ARRAY(a, draws->count, cv_shown_draw),
                          .draw_count = draws->count};
    for (size_t i = 0; i < list->count; i++)
        shown.candidates[i] = candidate_shown(a, list, &list->items[i], rotation != CV_ROTATION_FULL);
    for (size_t i = 0; i < draws->count; i++) {
        const cv_draw *draw = &draws->items[i];
        assert(draw->candidate < list->count);
        shown.draws[i] = (cv_shown_draw){.role = list->items[draw->candidate].role,
                                         .among = draw->among,
                                         .probability = print_millionths(a, draw->chance)};
    }
    return shown;
}

#define CV_THIS_TYPE cv_tier_split
static const cv_shape split_shape[] = {
#define TIER(id, word, purpose) CV_FIELD_AS(ALWAYS, word, of[CV_TIER_##id], ""),
#include "dialogue/words/words.def"
#undef TIER
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_shown_candidate
static const cv_shape candidate_shape[] = {
    CV_FIELD(ALWAYS, role, ""),
    CV_FIELD(ALWAYS, tier, ""),
    CV_JSON_AS(IF_ANY, NUMBER, "relevance", relevance, ""),
    CV_FIELD(IF_ANY, kept, ""),
    CV_FIELD(IF_ANY, excluded, ""),
    CV_JSON_AS(IF_ANY, NUMBER, "probability", probability, "of being drawn first in its tier (rotation full: of all)"),
    CV_FIELD(ALWAYS, selected, ""),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_shown_draw
static const cv_shape draw_shape[] = {
    CV_FIELD(ALWAYS, role, ""),
    CV_FIELD(ALWAYS, among, "how many could be drawn"),
    CV_JSON_AS(ALWAYS, NUMBER, "probability", probability, "of this one among them"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE cv_selection
const cv_shape cv_selection_shape[] = {
    CV_FIELD(ALWAYS, seed, ""),
    CV_FIXED("algorithm", CV_PANEL_ALGORITHM),
    CV_OBJECT(ALWAYS, "tier_split", split, split_shape, ""),
    CV_LIST("candidates", candidates, candidate_count, candidate_shape, ""),
    CV_LIST("draws", draws, draw_count, draw_shape, "in their order"),
    {0},
};
#undef CV_THIS_TYPE
