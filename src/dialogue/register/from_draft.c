/* from_draft.c - a request that takes the draft of its round; see from_draft.h. */
#include "dialogue/register/from_draft.h"

#include <assert.h>

#include "dialogue/intake/attendance.h"
#include "dialogue/people.h"
#include "dialogue/words/errors.h"
#include "kit/fault.h"

typedef struct {
    cv_call *call;
    const cv_json *given; /* the request */
    cv_json draft;        /* as `draft` prints it */
    cv_map drafted;       /* local id -> const cv_json *, its item */
    cv_map given_at;      /* local id -> const cv_json *, the request's item */
    cv_map gone;          /* local ids that are left out */
    cv_map merged;        /* local ids that another item stands for */
    cv_json_writer w;
} joining;

static bool is_list(const cv_json *value)
{
    return value && value->type == CV_JSON_ARRAY;
}

static cv_str id_of(const joining *j, cv_str text)
{
    cv_id id;
    return cv_id_parse(text, &id) ? cv_id_print(j->call->arena, &id) : text;
}

/* ---- the draft --------------------------------------------------------------------------------------------------- */

/* Responses that come with the request count before stored ones. */
static void extract_all(joining *j, const cv_state *s, int64_t round, cv_extract *ret)
{
    cv_arena *a = j->call->arena;
    const cv_json *responses = cv_json_get(j->given, CV_STR("responses"));
    CV_STATE_LIST(cv_response_text) texts = {0};
    cv_attendance attendance;
    cv_map given = {0};
    cv_attendance_of(a, s, round, &attendance);
    for (uint32_t i = 0; responses && responses->type == CV_JSON_OBJECT && i < responses->count; i++) {
        cv_str expert = cv_arena_lower(a, responses->members[i].key);
        cv_map_put(&given, a, expert, NULL);
        *CV_PUSH(a, &texts) = (cv_response_text){expert, responses->members[i].value.text};
    }
    for (size_t i = 0; i < attendance.count; i++) {
        const cv_attendee *who = &attendance.items[i];
        if (cv_response_speaks(who->response) && !cv_map_get(&given, who->expert))
            *CV_PUSH(a, &texts) = (cv_response_text){who->expert, who->response->content};
    }
    cv_extract_responses(a, s, round, texts.items, texts.count, ret);
}

static void index_items(joining *j, const cv_json *request, cv_map *ret)
{
    static const char *const lists[] = {
#define KIND(id, letter, word, plural, purpose) plural,
#include "dialogue/words/kinds.def"
#undef KIND
        "proposals"};
    for (size_t k = 0; k < CV_COUNT(lists); k++) {
        const cv_json *list = cv_json_get(request, cv_str_of(lists[k]));
        for (uint32_t i = 0; is_list(list) && i < list->count; i++) {
            cv_str id = id_of(j, cv_json_get_text(&list->items[i], "local_id"));
            const cv_json *also = cv_json_get(&list->items[i], CV_STR("also"));
            if (id.n)
                *cv_map_put(ret, j->call->arena, id, NULL) = (uintptr_t)&list->items[i];
            for (uint32_t n = 0; is_list(also) && n < also->count; n++)
                cv_map_put(&j->merged, j->call->arena, id_of(j, also->items[n].text), NULL);
        }
    }
}

static const cv_json *item_at(const cv_map *map, cv_str id)
{
    const uintptr_t *place = cv_map_get(map, id);
    return place ? (const cv_json *)*place : NULL;
}

/* ---- what is changed in it --------------------------------------------------------------------------------------- */

/* What is to be left out must be there. */
static bool read_removals(joining *j)
{
    const cv_json *list = cv_json_get(j->given, CV_STR("remove"));
    size_t before = j->call->errs->count;
    for (uint32_t i = 0; is_list(list) && i < list->count; i++) {
        cv_str id = id_of(j, list->items[i].text);
        cv_map_put(&j->gone, j->call->arena, id, NULL);
        if (cv_map_get(&j->drafted, id))
            continue;
        cv_spot root = {.call = j->call, .item_type = CV_STR("remove"), .field = CV_STR("remove")};
        cv_spot at = cv_spot_at(&root, i);
        cv_err_suggest(cv_fault(&at, CV_ERR_TARGET_NOT_FOUND, CV_STR("referential"), list->items[i].text,
                                "no response of the round has '%.*s'", CV_FMT(cv_excerpt(j->call->arena, id))),
                       CV_STR("Give local ids as draft prints them, like MUFFIN-P0101"));
    }
    return j->call->errs->count == before;
}

/* ---- items ------------------------------------------------------------------------------------------------------- */

static bool is_gone(const joining *j, cv_str target)
{
    return cv_map_get(&j->gone, id_of(j, target)) != NULL;
}

static void print_references_of(joining *j, const cv_json *item, cv_map *seen)
{
    const cv_json *list = cv_json_get(item, CV_STR("references"));
    for (uint32_t i = 0; is_list(list) && i < list->count; i++) {
        cv_str target = cv_json_get_text(&list->items[i], "target");
        bool is_new;
        cv_map_put(seen, j->call->arena,
                   cv_arena_printf(j->call->arena, "%.*s %.*s", CV_FMT(cv_json_get_text(&list->items[i], "type")),
                                   CV_FMT(id_of(j, target))),
                   &is_new);
        if (is_new && !is_gone(j, target))
            cv_json_value(&j->w, &list->items[i]);
    }
}

/* Calls `print` with the item and with those that were merged into it. */
static void each_of_merged(joining *j, const cv_json *drafted, const cv_json *given, cv_map *seen,
                           void (*print)(joining *j, const cv_json *item, cv_map *seen))
{
    const cv_json *also = given ? cv_json_get(given, CV_STR("also")) : NULL;
    cv_json_begin_array(&j->w);
    print(j, drafted, seen);
    for (uint32_t i = 0; is_list(also) && i < also->count; i++) {
        const cv_json *other = item_at(&j->drafted, id_of(j, also->items[i].text));
        if (other)
            print(j, other, seen);
    }
    cv_json_end_array(&j->w);
}

static void print_contributors_of(joining *j, const cv_json *item, cv_map *seen)
{
    const cv_json *list = cv_json_get(item, CV_STR("contributors"));
    for (uint32_t i = 0; is_list(list) && i < list->count; i++) {
        bool is_new;
        cv_map_put(seen, j->call->arena, list->items[i].text, &is_new);
        if (is_new)
            cv_json_str(&j->w, list->items[i].text);
    }
}

/* "content" and "description" are one. */
static bool has_member(const cv_json *given, cv_str key)
{
    bool text = cv_str_eq(key, CV_STR("content")) || cv_str_eq(key, CV_STR("description"));
    return cv_json_get(given, key) ||
           (text && (cv_json_get(given, CV_STR("content")) || cv_json_get(given, CV_STR("description"))));
}

static void print_item(joining *j, const cv_json *drafted, const cv_json *given)
{
    cv_json_begin_object(&j->w);
    for (uint32_t i = 0; i < drafted->count; i++) {
        cv_str key = drafted->members[i].key;
        cv_map seen = {0};
        if (given && has_member(given, key))
            continue;
        cv_json_key(&j->w, key);
        if (cv_str_eq(key, CV_STR("references")))
            each_of_merged(j, drafted, given, &seen, print_references_of);
        else if (cv_str_eq(key, CV_STR("contributors")))
            each_of_merged(j, drafted, given, &seen, print_contributors_of);
        else
            cv_json_value(&j->w, &drafted->members[i].value);
    }
    for (uint32_t i = 0; given && i < given->count; i++) {
        cv_json_key(&j->w, given->members[i].key);
        cv_json_value(&j->w, &given->members[i].value);
    }
    cv_json_end_object(&j->w);
}

/* Those of the draft in their order, then those that only the request has. */
static void print_items(joining *j, cv_str name, cv_str other_name)
{
    const cv_json *drafted = cv_json_get(&j->draft, name), *given = cv_json_get(j->given, name);
    given = given || !other_name.n ? given : cv_json_get(j->given, other_name);
    cv_json_key(&j->w, name);
    cv_json_begin_array(&j->w);
    for (uint32_t i = 0; is_list(drafted) && i < drafted->count; i++) {
        cv_str id = id_of(j, cv_json_get_text(&drafted->items[i], "local_id"));
        if (!cv_map_get(&j->gone, id) && !cv_map_get(&j->merged, id))
            print_item(j, &drafted->items[i], item_at(&j->given_at, id));
    }
    for (uint32_t i = 0; is_list(given) && i < given->count; i++)
        if (!cv_map_get(&j->drafted, id_of(j, cv_json_get_text(&given->items[i], "local_id"))))
            cv_json_value(&j->w, &given->items[i]);
    cv_json_end_array(&j->w);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

/* A move that was made for an item which is left out goes with it; others keep their other targets. */
static void print_move(joining *j, const cv_json *move)
{
    const cv_json *targets = cv_json_get(move, CV_STR("targets"));
    uint32_t left = 0, count = is_list(targets) ? targets->count : 0;
    for (uint32_t i = 0; i < count; i++)
        left += !is_gone(j, targets->items[i].text);
    if (count && !left)
        return;
    cv_json_begin_object(&j->w);
    for (uint32_t i = 0; i < move->count; i++) {
        cv_json_key(&j->w, move->members[i].key);
        if (&move->members[i].value != targets) {
            cv_json_value(&j->w, &move->members[i].value);
            continue;
        }
        cv_json_begin_array(&j->w);
        for (uint32_t k = 0; k < count; k++)
            if (!is_gone(j, targets->items[k].text))
                cv_json_str(&j->w, targets->items[k].text);
        cv_json_end_array(&j->w);
    }
    cv_json_end_object(&j->w);
}

static void print_lists(joining *j)
{
    const cv_json *moves = cv_json_get(&j->draft, CV_STR("moves"));
    const cv_json *links = cv_json_get(&j->draft, CV_STR("references"));
    if (!cv_json_get(j->given, CV_STR("moves"))) {
        cv_json_key(&j->w, CV_STR("moves"));
        cv_json_begin_array(&j->w);
        for (uint32_t i = 0; i < moves->count; i++)
            print_move(j, &moves->items[i]);
        cv_json_end_array(&j->w);
    }
    if (!cv_json_get(j->given, CV_STR("references"))) {
        cv_json_key(&j->w, CV_STR("references"));
        cv_json_begin_array(&j->w);
        for (uint32_t i = 0; i < links->count; i++)
            if (!is_gone(j, cv_json_get_text(&links->items[i], "target")))
                cv_json_value(&j->w, &links->items[i]);
        cv_json_end_array(&j->w);
    }
}

static void print_updates(joining *j)
{
    const cv_json *drafted = cv_json_get(&j->draft, CV_STR("tension_updates"));
    const cv_json *given = cv_json_get(j->given, CV_STR("tension_updates"));
    cv_map named = {0};
    for (uint32_t i = 0; is_list(given) && i < given->count; i++)
        cv_map_put(&named, j->call->arena, id_of(j, cv_json_get_text(&given->items[i], "id")), NULL);
    cv_json_key(&j->w, CV_STR("tension_updates"));
    cv_json_begin_array(&j->w);
    for (uint32_t i = 0; i < drafted->count; i++) {
        cv_str id = id_of(j, cv_json_get_text(&drafted->items[i], "id"));
        if (!cv_map_get(&named, id) && !cv_map_get(&j->gone, id))
            cv_json_value(&j->w, &drafted->items[i]);
    }
    for (uint32_t i = 0; is_list(given) && i < given->count; i++)
        cv_json_value(&j->w, &given->items[i]);
    cv_json_end_array(&j->w);
}

static void print_positions(joining *j)
{
    const cv_json *drafted = cv_json_get(&j->draft, CV_STR("positions"));
    const cv_json *given = cv_json_get(j->given, CV_STR("positions"));
    cv_map named = {0};
    cv_json_key(&j->w, CV_STR("positions"));
    cv_json_begin_object(&j->w);
    for (uint32_t i = 0; given && given->type == CV_JSON_OBJECT && i < given->count; i++) {
        cv_map_put(&named, j->call->arena, cv_arena_lower(j->call->arena, given->members[i].key), NULL);
        cv_json_key(&j->w, given->members[i].key);
        cv_json_value(&j->w, &given->members[i].value);
    }
    for (uint32_t i = 0; i < drafted->count; i++)
        if (!cv_map_get(&named, drafted->members[i].key)) {
            cv_json_key(&j->w, drafted->members[i].key);
            cv_json_value(&j->w, &drafted->members[i].value);
        }
    cv_json_end_object(&j->w);
}

/* What the request says and the draft does not speak of. */
static void print_others(joining *j)
{
    static const char *const made[] = {
#define KIND(id, letter, word, plural, purpose) plural,
#include "dialogue/words/kinds.def"
#undef KIND
        "proposals", "tension_updates", "positions"};
    for (uint32_t i = 0; i < j->given->count; i++) {
        bool other = true;
        for (size_t k = 0; k < CV_COUNT(made); k++)
            other = other && !cv_str_eq(j->given->members[i].key, cv_str_of(made[k]));
        if (!other)
            continue;
        cv_json_key(&j->w, j->given->members[i].key);
        cv_json_value(&j->w, &j->given->members[i].value);
    }
}

bool cv_request_with_draft(cv_call *call, const cv_state *s, int64_t round, const cv_json **ret_request)
{
    joining j = {.call = call, .given = call->input};
    cv_arena *a = call->arena;
    cv_err err = {.arena = a};
    cv_extract extract;
    cv_buf text = {0}, whole = {0};
    extract_all(&j, s, round, &extract);
    cv_extract_print_payload(&extract, &(cv_json_writer){.out = &text});
    bool ok = cv_json_parse(a, cv_buf_take(&text, a), &j.draft, &err);
    assert(ok); /* we have printed it */
    index_items(&j, &j.draft, &j.drafted);
    index_items(&j, j.given, &j.given_at);
    if (!read_removals(&j))
        return false;
    j.w.out = &whole;
    cv_json_begin_object(&j.w);
    print_others(&j);
    for (int kind = 0; kind < CV_KIND_COUNT; kind++)
        print_items(&j, cv_kinds[kind].plural,
                    kind == CV_KIND_RECOMMENDATION ? CV_STR("proposals") : (cv_str){NULL, 0});
    print_lists(&j);
    print_updates(&j);
    print_positions(&j);
    cv_json_end_object(&j.w);
    cv_json *request = CV_NEW(a, cv_json);
    ok = cv_json_parse(a, cv_buf_take(&whole, a), request, &err);
    assert(ok);
    (void)ok;
    *ret_request = request;
    return true;
}
