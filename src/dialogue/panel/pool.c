/* pool.c - the expert pool of a dialogue; see pool.h. */
#include "dialogue/panel/pool.h"
#include "dialogue/words/limits.h"

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Roles and slugs tell members apart: each may be there once. */
static void check_twice(cv_call *call, cv_map *seen, cv_str at, const char *field, cv_str value)
{
    bool fresh;
    if (value.n == 0)
        return;
    char *key = cv_arena_copy_z(call->arena, value);
    for (size_t i = 0; i < value.n; i++)
        key[i] = cv_lower(key[i]);
    cv_map_put(seen, call->arena, (cv_str){key, value.n}, &fresh);
    if (!fresh)
        cv_err_suggest(cv_refuse(call, CV_ERR_INVALID_VALUE, at, field, value, "the pool has this %s twice", field),
                       CV_STR("two members of a pool cannot have the same one: change it"));
}

bool cv_pool_read(cv_call *call, const cv_json *from, size_t own, cv_pool *ret)
{
    const cv_str at = CV_STR("expert_pool");
    size_t before = call->errs->count;
    *ret = (cv_pool){
        .domain = cv_text_read(call, from, at, "domain", CV_MAX_PHRASE, CV_TEXT_LINE),
        .question = cv_text_read(call, from, at, "question", CV_MAX_PROSE, CV_TEXT_PROSE),
    };
    const cv_json *experts = cv_json_get(from, CV_STR("experts"));
    cv_map roles = {0}, slugs = {0};
    if (experts->count > CV_MAX_EXPERTS) {
        cv_refuse(call, CV_ERR_TOO_LARGE, at, "experts", (cv_str){NULL, 0},
                  "the pool has %u experts, at most %d are allowed", (unsigned)experts->count, CV_MAX_EXPERTS);
        return false;
    }
    for (uint32_t i = 0; i < experts->count; i++) {
        cv_str here = i < own ? cv_arena_printf(call->arena, "%.*s.experts[%u]", CV_FMT(at), (unsigned)i)
                              : cv_arena_printf(call->arena, "expert[%zu]", i - own);
        cv_person *person = CV_PUSH(call->arena, ret);
        cv_person_read(call, &experts->items[i], here, person);
        check_twice(call, &roles, here, "role", person->role);
        check_twice(call, &slugs, here, "slug", person->slug);
    }
    return call->errs->count == before;
}

bool cv_pool_load(cv_call *call, cv_str stored, cv_pool *ret)
{
    cv_json value;
    cv_err err = {.arena = call->arena};
    *ret = (cv_pool){0};
    if (stored.n == 0)
        return true;
    if (!cv_stored_json(call->arena, stored, "a pool of experts", &value, &err))
        return cv_call_fail(call, &err);
    return cv_pool_read(call, &value, SIZE_MAX, ret);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void print_member(cv_json_writer *w, const cv_person *p)
{
    cv_json_begin_object(w);
    cv_json_key_str_if(w, "slug", p->slug);
    cv_json_key_str(w, "role", p->role);
    cv_json_key_str(w, "tier", cv_tier_words.items[p->tier]);
    cv_json_key(w, CV_STR("relevance"));
    cv_json_raw(w, p->relevance);
    cv_json_key_str_if(w, "focus", p->focus);
    cv_json_key_str_if(w, "description", p->description);
    cv_json_key_str_if(w, "color", p->color);
    cv_json_end_object(w);
}

cv_str cv_pool_print(cv_arena *a, const cv_pool *pool)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_object(&w);
    cv_json_key_str_if(&w, "domain", pool->domain);
    cv_json_key_str_if(&w, "question", pool->question);
    cv_json_key(&w, CV_STR("experts"));
    cv_json_begin_array(&w);
    for (size_t i = 0; i < pool->count; i++)
        print_member(&w, &pool->items[i]);
    cv_json_end_array(&w);
    cv_json_end_object(&w);
    return cv_buf_take(&text, a);
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

cv_str cv_pool_roles(cv_arena *a, const cv_json *people)
{
    cv_buf out = {0};
    size_t count = 0;
    for (uint32_t i = 0; people && i < people->count && count < CV_USUAL_PANEL; i++) {
        cv_str role = cv_json_get_text(&people->items[i], "role");
        if (cv_str_find_char(role, ',') == SIZE_MAX)
            cv_buf_printf(&out, "%s%.*s", count++ ? "," : "", CV_FMT(role));
    }
    return cv_buf_take(&out, a);
}

const cv_person *cv_pool_by_role(const cv_pool *pool, cv_str role)
{
    for (size_t i = 0; role.n && i < pool->count; i++)
        if (cv_str_eq_nocase(pool->items[i].role, role))
            return &pool->items[i];
    return NULL;
}

const cv_person *cv_pool_by_slug(const cv_pool *pool, cv_str slug)
{
    for (size_t i = 0; slug.n && i < pool->count; i++)
        if (cv_str_eq_nocase(pool->items[i].slug, slug))
            return &pool->items[i];
    return NULL;
}

const cv_rec_expert *cv_pool_expert(const cv_state *s, const cv_person *member)
{
    for (size_t i = 0; i < s->experts.count; i++)
        if (cv_str_eq(s->experts.items[i].source, cv_source_words.items[CV_SOURCE_POOL]) &&
            cv_str_eq_nocase(s->experts.items[i].role, member->role))
            return &s->experts.items[i];
    return NULL;
}

void cv_pool_taken(cv_arena *a, const cv_state *s, const cv_pool *pool, cv_map *ret)
{
    *ret = (cv_map){0};
    for (size_t i = 0; i < s->experts.count; i++)
        cv_map_put(ret, a, s->experts.items[i].expert_slug, NULL);
    for (size_t i = 0; i < pool->count; i++)
        if (pool->items[i].slug.n)
            cv_map_put(ret, a, pool->items[i].slug, NULL);
}

cv_rec_expert cv_person_row(const cv_person *p, cv_str slug, cv_source source, int64_t position, int64_t round,
                            cv_str now)
{
    return (cv_rec_expert){
        .expert_slug = slug,
        .position = position,
        .role = p->role,
        .description = p->description,
        .focus = p->focus,
        .tier = cv_tier_words.items[p->tier],
        .source = cv_source_words.items[source],
        .relevance = p->relevance,
        .creation_reason = p->reason,
        .color = p->color,
        .total_score = 0,
        .first_round = round,
        .created_at = now,
    };
}
