/* person.c - experts as requests describe them; see person.h. */
#include "dialogue/person.h"

#include "base/utf8.h"
#include "dialogue/panel/panel.h"
#include "dialogue/people.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"

/* ---- texts ------------------------------------------------------------------------------------------------------- */

cv_str cv_text_read(cv_call *call, const cv_json *from, cv_str at, const char *key, size_t most, cv_text_shape shape)
{
    const cv_json *given = cv_json_get(from, cv_str_of(key));
    if (!given || given->type != CV_JSON_STRING)
        return (cv_str){NULL, 0};
    cv_str text = shape == CV_TEXT_LINE ? cv_str_trim(given->text) : given->text;
    size_t length = cv_utf8_count(text);
    if (cv_str_trim(text).n == 0)
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, at, key, text, "'%s' is empty", key),
                       CV_STR("write something"));
    else if (length > most)
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, at, key, text,
                                 "expected at most %zu characters, found %zu", most, length),
                       CV_STR("shorten it"));
    else if (shape == CV_TEXT_LINE && cv_str_has_control(text))
        cv_err_suggest(
            cv_refuse(call, CV_ERR_INVALID_VALUE, at, key, text, "%s has control characters or line breaks", key),
            CV_STR("write it on one line"));
    return text;
}

/* ---- a person ---------------------------------------------------------------------------------------------------- */

static cv_str read_slug(cv_call *call, const cv_json *from, cv_str at)
{
    static const char *const keys[] = {"expert_slug", "slug", "name"};
    cv_str slug = {NULL, 0};
    for (size_t i = 0; i < CV_COUNT(keys); i++) {
        const cv_json *given = cv_json_get(from, cv_str_of(keys[i]));
        if (!given || given->type != CV_JSON_STRING)
            continue;
        cv_str next = cv_arena_lower(call->arena, given->text);
        if (slug.p && !cv_str_eq(slug, next))
            cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, at, keys[i], given->text,
                                     "the name does not fit the slug '%.*s'", CV_FMT(cv_excerpt(call->arena, slug))),
                           CV_STR("give one of them"));
        else if (!cv_slug_ok(next))
            cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, at, keys[i], given->text, "this is not a valid slug"),
                           CV_STR("use letters, digits and dashes, at most 32, a letter or digit first"));
        else if (cv_str_eq(next, cv_judge_slug))
            cv_err_suggest(
                cv_refuse(call, CV_ERR_INVALID_VALUE, at, keys[i], given->text, "'judge' is reserved for the judge"),
                CV_STR("choose another name"));
        slug = next;
    }
    return slug;
}

static int read_tier(cv_call *call, const cv_json *from, cv_str at)
{
    const cv_json *given = cv_json_get(from, CV_STR("tier"));
    if (!given || given->type != CV_JSON_STRING)
        return -1;
    int tier = cv_words_find(cv_tier_words, cv_str_trim(given->text));
    if (tier < 0)
        cv_refuse_words(cv_refuse(call, CV_ERR_INVALID_VALUE, at, "tier", given->text, "'%.*s' is not a tier",
                                  CV_FMT(cv_excerpt(call->arena, given->text))),
                        cv_tier_words.items, cv_tier_words.count);
    return tier;
}

static cv_str read_relevance(cv_call *call, const cv_json *from, cv_str at)
{
    const cv_json *given = cv_json_get(from, CV_STR("relevance"));
    double value;
    if (!given || given->type != CV_JSON_NUMBER)
        return (cv_str){NULL, 0};
    if (!cv_json_to_double(given, &value) || value < 0 || value > 1)
        cv_refuse(call, CV_ERR_INVALID_VALUE, at, "relevance", given->text, "relevance is between 0 and 1");
    return given->text;
}

static bool is_hex(char c)
{
    return cv_is_digit(c) || (cv_lower(c) >= 'a' && cv_lower(c) <= 'f');
}

static cv_str read_color(cv_call *call, const cv_json *from, cv_str at)
{
    const cv_json *given = cv_json_get(from, CV_STR("color"));
    if (!given || given->type != CV_JSON_STRING)
        return (cv_str){NULL, 0};
    cv_str color = given->text;
    bool fits = color.n == 7 && color.p[0] == '#';
    for (size_t i = 1; fits && i < color.n; i++)
        fits = is_hex(color.p[i]);
    if (!fits)
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, at, "color", color, "this is not a color"),
                       CV_STR("write six hex digits: #3B82F6"));
    return color;
}

bool cv_person_read(cv_call *call, const cv_json *from, cv_str at, cv_person *ret)
{
    size_t before = call->errs->count;
    *ret = (cv_person){
        .slug = read_slug(call, from, at),
        .role = cv_text_read(call, from, at, "role", CV_MAX_PHRASE, CV_TEXT_LINE),
        .description = cv_text_read(call, from, at, "description", CV_MAX_PROSE, CV_TEXT_PROSE),
        .focus = cv_text_read(call, from, at, "focus", CV_MAX_PHRASE, CV_TEXT_LINE),
        .color = read_color(call, from, at),
        .reason = cv_text_read(call, from, at, "reason", CV_MAX_PROSE, CV_TEXT_PROSE),
        .relevance = read_relevance(call, from, at),
        .tier = read_tier(call, from, at),
    };
    return call->errs->count == before;
}

uint32_t cv_person_weight(cv_str relevance)
{
    double value;
    const cv_json number = {.type = CV_JSON_NUMBER, .text = relevance};
    if (!relevance.n || !cv_json_to_double(&number, &value) || value < 0 || value > 1)
        value = 0.75;
    return (uint32_t)(value * CV_WEIGHT_ONE + 0.5);
}

bool cv_person_sat_before(const cv_state *s, cv_str slug, int64_t round)
{
    for (size_t i = 0; i < s->seats.count; i++)
        if (s->seats.items[i].round < round && cv_str_eq(s->seats.items[i].expert_slug, slug))
            return true;
    return false;
}

/* ---- when -------------------------------------------------------------------------------------------------------- */

bool cv_require_next_round(cv_call *call, const cv_state *s, int64_t round)
{
    int64_t next = cv_state_next_round(s);
    if (round == next)
        return true;
    cv_str value = cv_arena_printf(call->arena, "%lld", (long long)round);
    cv_err *err = round < next ? cv_refuse(call, CV_ERR_ROUND_REGISTERED, CV_STR(""), "round", value,
                                           "round %lld is registered", (long long)round)
                               : cv_refuse(call, CV_ERR_ROUND_ORDER, CV_STR(""), "round", value,
                                           "round %lld is not the next one", (long long)round);
    cv_err_suggest(err, next > CV_MAX_ROUND ? CV_STR("a dialogue has at most 100 rounds")
                                            : cv_arena_printf(call->arena, "the next round is %lld", (long long)next));
    return false;
}
