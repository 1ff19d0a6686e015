/* components.c - what a score is made of; see components.h. */
#include "dialogue/components.h"

#include "dialogue/types.h"

const cv_str cv_component_letters[] = {CV_STR_INIT("W"), CV_STR_INIT("C"), CV_STR_INIT("T"), CV_STR_INIT("R")};
_Static_assert(CV_COUNT(cv_component_letters) == CV_COMPONENT_COUNT, "a letter per component");
static const char *const words[] = {"wisdom", "consistency", "truth", "relationships"};
_Static_assert(CV_COUNT(words) == CV_COMPONENT_COUNT, "a word per component");

const cv_components cv_no_components = {{CV_ABSENT, CV_ABSENT, CV_ABSENT, CV_ABSENT}, CV_ABSENT, {NULL, 0}};

static cv_components numbers_of(const cv_json *value)
{
    cv_components c = cv_no_components;
    if (!value || value->type != CV_JSON_OBJECT)
        return c;
    c.sum = 0;
    for (size_t i = 0; i < CV_COMPONENT_COUNT; i++) {
        c.of[i] = cv_json_get_int(value, cv_component_letters[i].p, cv_json_get_int(value, words[i], CV_ABSENT));
        c.sum += c.of[i] == CV_ABSENT ? 0 : c.of[i];
    }
    return c;
}

cv_components cv_components_read(cv_arena *a, const cv_json *value)
{
    cv_components c = numbers_of(value);
    if (c.sum == CV_ABSENT)
        return c;
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_components_print(&c, &w);
    c.json = cv_buf_take(&text, a);
    return c;
}

cv_components cv_components_parse(cv_arena *a, cv_str json)
{
    cv_json value;
    cv_err ignored = {.arena = a};
    if (json.n == 0 || !cv_json_parse(a, json, &value, &ignored))
        return cv_no_components;
    cv_components c = numbers_of(&value);
    c.json = json;
    return c;
}

void cv_components_add(cv_components *sum, const cv_components *more)
{
    if (more->sum == CV_ABSENT)
        return;
    sum->sum = more->sum + (sum->sum == CV_ABSENT ? 0 : sum->sum);
    for (size_t i = 0; i < CV_COMPONENT_COUNT; i++)
        if (more->of[i] != CV_ABSENT)
            sum->of[i] = more->of[i] + (sum->of[i] == CV_ABSENT ? 0 : sum->of[i]);
}

void cv_components_print(const cv_components *c, cv_json_writer *w)
{
    if (c->sum == CV_ABSENT) {
        cv_json_null(w);
        return;
    }
    cv_json_begin_object(w);
    for (size_t i = 0; i < CV_COMPONENT_COUNT; i++)
        if (c->of[i] != CV_ABSENT) {
            cv_json_key(w, cv_component_letters[i]);
            cv_json_int(w, c->of[i]);
        }
    cv_json_end_object(w);
}
