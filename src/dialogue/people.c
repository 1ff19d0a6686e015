/* people.c - who did something; see people.h. */
#include "dialogue/people.h"

#include "base/map.h"

static cv_str judge[] = {CV_STR_INIT("judge")};
const cv_str cv_judge_slug = CV_STR_INIT("judge");
const cv_people cv_judge_alone = {judge, 1, CV_STR_INIT("[\"judge\"]")};

cv_str cv_json_texts(cv_arena *a, const cv_str *items, size_t count)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_strs(&w, items, count);
    return cv_buf_take(&text, a);
}

cv_words cv_json_list(cv_arena *a, cv_str json)
{
    cv_json list;
    cv_err ignored = {.arena = a};
    if (!json.p || !cv_json_parse(a, json, &list, &ignored) || list.type != CV_JSON_ARRAY)
        return (cv_words){NULL, 0};
    cv_str *texts = CV_NEW_ARRAY(a, list.count, cv_str);
    size_t count = 0;
    for (uint32_t i = 0; i < list.count; i++)
        if (list.items[i].type == CV_JSON_STRING)
            texts[count++] = list.items[i].text;
    return (cv_words){texts, count};
}

cv_people cv_people_of(cv_arena *a, const cv_str *slugs, size_t count)
{
    cv_people people = {CV_NEW_ARRAY(a, count, cv_str), 0, {NULL, 0}};
    cv_map seen = {0};
    for (size_t i = 0; i < count; i++) {
        cv_str slug = cv_arena_lower(a, slugs[i]);
        bool is_new = true;
        if (count > 1)
            cv_map_put(&seen, a, slug, &is_new);
        if (is_new)
            people.items[people.count++] = slug;
    }
    people.json = cv_json_texts(a, people.items, people.count);
    return people;
}

cv_people cv_people_read(cv_arena *a, const cv_json *value)
{
    if (value && value->type == CV_JSON_STRING)
        return cv_people_of(a, &value->text, 1);
    size_t count = value && value->type == CV_JSON_ARRAY ? value->count : 0;
    cv_str *slugs = CV_NEW_ARRAY(a, count, cv_str);
    for (size_t i = 0; i < count; i++)
        slugs[i] = value->items[i].text;
    return cv_people_of(a, slugs, count);
}

cv_str cv_people_list(cv_arena *a, cv_str json)
{
    cv_buf text = {0};
    cv_str rest = json, piece;
    for (bool inside = false; cv_str_split(&rest, '"', &piece); inside = !inside)
        if (inside) {
            cv_buf_add_z(&text, text.n ? ", " : "");
            cv_buf_add(&text, piece);
        }
    return cv_buf_take(&text, a);
}

bool cv_people_json_has(cv_str json, cv_str slug)
{
    for (;;) {
        size_t at = cv_str_find(json, slug);
        if (at == SIZE_MAX || at == 0)
            return false;
        if (json.p[at - 1] == '"' && at + slug.n < json.n && json.p[at + slug.n] == '"')
            return true;
        json = cv_str_from(json, at + 1);
    }
}
