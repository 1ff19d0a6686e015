/* scope_input.c - a room, a scope of it, and who wrote; see scope_input.h. */
#include "project/scope_input.h"

#include "kit/fault.h"
#include "kit/scopes.h"

enum {
    MOST_NAMES = 20,  /* of an error that lists what there is */
    MOST_EVENTS = 32, /* of one commit that are asked who acted: a large write names everybody in its first ones */
    MOST_PEOPLE = 8
};

/* ---- which room, which scope ------------------------------------------------------------------------------------- */

/* The names of all rooms that keep something. */
static size_t keeping_rooms(const cv_call *call, cv_str **ret_names)
{
    const cv_types *types = call->record->types;
    size_t count = 0;
    *ret_names = CV_NEW_ARRAY(call->arena, types->count, cv_str);
    for (size_t i = 0; i < types->count; i++)
        if (types->rooms[i]->count)
            (*ret_names)[count++] = types->rooms[i]->room;
    return count;
}

bool cv_scopes_given(cv_call *call, cv_scope_id *ret_scope)
{
    cv_str *rooms;
    size_t count = keeping_rooms(call, &rooms);
    *ret_scope = (cv_scope_id){cv_json_get_text(call->input, "room"), cv_json_get_text(call->input, "scope")};
    if (ret_scope->name.p && !ret_scope->room.p) {
        cv_err *fault = cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "room", (cv_str){NULL, 0},
                                  "a scope belongs to a room: name it, too");
        cv_refuse_words(fault, rooms, count);
        return false;
    }
    if (!ret_scope->room.p || cv_words_find((cv_words){rooms, count}, ret_scope->room) >= 0)
        return true;
    cv_err *fault = cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "room", ret_scope->room,
                              "there is no room '%.*s'", CV_FMT(cv_excerpt(call->arena, ret_scope->room)));
    cv_refuse_words(fault, rooms, count);
    return false;
}

typedef struct {
    cv_arena *arena;
    cv_str *items;
    size_t count, capacity;
} names;

static bool keep_name(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    names *list = ctx;
    (void)at, (void)err;
    *CV_PUSH(list->arena, list) = cv_arena_copy(list->arena, scope.name);
    return true;
}

bool cv_scopes_missing(cv_call *call, cv_scope_id scope)
{
    names list = {.arena = call->arena};
    cv_err unread = {.arena = call->arena}; /* then the error cannot list what there is */
    call->record->calls->scopes(call->record, scope.room, (cv_str){NULL, 0}, MOST_NAMES, keep_name, &list, &unread);
    cv_err *fault = cv_refuse(call, CV_ERR_SCOPE_NOT_FOUND, CV_STR(""), "scope", scope.name, "there is no %.*s '%.*s'",
                              CV_FMT(cv_scopes_noun(scope.room, 1)), CV_FMT(cv_excerpt(call->arena, scope.name)));
    if (list.count)
        cv_refuse_words(fault, list.items, list.count);
    return false;
}

/* ---- who --------------------------------------------------------------------------------------------------------- */

static void add_person(names *people, cv_str name)
{
    if (name.n && people->count < MOST_PEOPLE && cv_words_find((cv_words){people->items, people->count}, name) < 0)
        *CV_PUSH(people->arena, people) = cv_arena_copy(people->arena, name);
}

static bool see_event(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    names *people = ctx;
    const cv_event_row *event = row;
    cv_json actors;
    cv_err unread = {.arena = people->arena}; /* verify reports what is not JSON */
    (void)scope, (void)err;
    if (event->agent.n) {
        add_person(people, event->agent);
    } else if (event->actors.n && cv_json_parse(people->arena, event->actors, &actors, &unread)) {
        for (uint32_t i = 0; actors.type == CV_JSON_ARRAY && i < actors.count; i++)
            if (actors.items[i].type == CV_JSON_STRING)
                add_person(people, actors.items[i].text);
    }
    return true;
}

bool cv_scopes_who(cv_call *call, cv_scope_id scope, int64_t rev, cv_str *ret_list, cv_err *err)
{
    names people = {.arena = call->arena};
    cv_event_row like;
    cv_buf text = {0};
    cv_row_clear(&cv_event_row_type, &like);
    like.rev = rev;
    const cv_find find = {.type = &cv_event_row_type,
                          .index = cv_events_by_rev,
                          .scope = scope,
                          .like = &like,
                          .equal = 1,
                          .limit = MOST_EVENTS};
    if (!call->record->calls->find(call->record, &find, see_event, &people, err))
        return false;
    cv_json_strs(&(cv_json_writer){.out = &text}, people.items, people.count);
    *ret_list = cv_buf_take(&text, call->arena);
    return true;
}
