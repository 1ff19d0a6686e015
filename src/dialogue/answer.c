/* answer.c - rows and selections as JSON; see answer.h. */
#include "dialogue/answer.h"

static void write_text(cv_json_writer *w, const cv_type_field *field, cv_str text)
{
    if (!text.p)
        cv_json_null(w);
    else if (field->type == CV_TEXT)
        cv_json_str(w, text);
    else
        cv_json_raw(w, text);
}

static void write_int(cv_json_writer *w, const cv_type_field *field, int64_t value)
{
    if (value == CV_ABSENT)
        cv_json_null(w);
    else if (field->type == CV_FLAG)
        cv_json_bool(w, value != 0);
    else
        cv_json_int(w, value);
}

void cv_answer_row(cv_json_writer *w, cv_rec_kind kind, const void *row, bool whole)
{
    const cv_type *type = cv_kind_types[kind];
    for (size_t i = 0; i < type->field_count; i++) {
        const cv_type_field *field = &type->fields[i];
        if ((field->type == CV_JSON && !whole) || (kind == CV_REC_DIALOGUE && field->role == CV_KEY))
            continue; /* its id has been told as dialogue_id */
        cv_json_key(w, field->name);
        if (cv_field_is_int(field))
            write_int(w, field, cv_row_int(row, field->offset));
        else
            write_text(w, field, cv_row_text(row, field->offset));
    }
}

void cv_answer_int(cv_json_writer *w, const char *key, int64_t value)
{
    cv_json_key(w, cv_str_of(key));
    if (value == CV_ABSENT)
        cv_json_null(w);
    else
        cv_json_int(w, value);
}

void cv_answer_text(cv_json_writer *w, const char *key, cv_str text)
{
    cv_json_key(w, cv_str_of(key));
    if (text.p)
        cv_json_str(w, text);
    else
        cv_json_null(w);
}

void cv_answer_dialogue(cv_json_writer *w, cv_str id, const cv_rec_dialogue *row, bool whole)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "dialogue_id", id);
    cv_answer_row(w, CV_REC_DIALOGUE, row, whole);
    cv_json_end_object(w);
}

void cv_answer_seat(cv_json_writer *w, cv_arena *a, const cv_rec_expert *expert, const cv_rec_seat *seat)
{
    cv_str focus = seat->focus.p ? seat->focus : expert->focus;
    cv_json_begin_object(w);
    cv_json_key_str(w, "slug", expert->expert_slug);
    cv_json_key_str(w, "name", cv_panel_display_name(a, expert->expert_slug));
    cv_json_key_str(w, "role", expert->role);
    cv_json_key_str(w, "tier", expert->tier);
    cv_json_key_raw_if(w, "relevance", expert->relevance);
    cv_json_key_str(w, "emoji", cv_expert_emoji);
    cv_json_key_str(w, "source", seat->source);
    cv_json_key_str_if(w, "focus", focus);
    cv_json_end_object(w);
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
