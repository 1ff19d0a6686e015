/* conditions.c - what people want to hear of a chat; see kit/room.h. */
#include "chat/room.h"

static bool ask(const cv_asker *asker, const char *operation, const char *name, cv_str value, cv_json *ret, cv_err *err)
{
    cv_buf input = {0};
    cv_json_writer w = {.out = &input};
    cv_str reply;
    cv_json_begin_object(&w);
    cv_json_key_str(&w, name, value);
    cv_json_end_object(&w);
    return cv_ask(asker, operation, cv_buf_take(&input, asker->arena), &reply, err) &&
           cv_json_parse(asker->arena, reply, ret, err);
}

static cv_str identity_of(cv_str participant)
{
    size_t at = cv_str_find_char(participant, '@');
    return at == SIZE_MAX ? participant : cv_str_from(participant, at + 1);
}

/* What the gate of a participant has of one chat: messages to read, or blockers. */
static bool look_for(const cv_asker *asker, cv_str participant, cv_str chat, const char *list, cv_held_list *ret,
                     cv_err *err)
{
    cv_arena *a = asker->arena;
    cv_json gate;
    if (!ask(asker, "chat gate", "as", participant, &gate, err))
        return false;
    const cv_json *all = cv_json_get(&gate, cv_str_of(list));
    for (uint32_t i = 0; all && i < all->count; i++) {
        cv_str message = cv_json_get_text(&all->items[i], "message"), from = cv_json_get_text(&all->items[i], "from"),
               cleared = cv_json_get_text(&all->items[i], "cleared_by");
        if (!cv_str_eq(cv_json_get_text(&all->items[i], "chat_id"), chat))
            continue;
        *CV_PUSH(a, ret) = (cv_held){
            .key = cv_arena_printf(a, "%.*s %.*s", CV_FMT(participant), CV_FMT(message)),
            .who = identity_of(participant),
            .text = cleared.n ? cv_arena_printf(a, "%.*s is blocked by %.*s of %.*s; cleared by %.*s",
                                                CV_FMT(participant), CV_FMT(message), CV_FMT(from), CV_FMT(cleared))
                              : cv_arena_printf(a, "%.*s has not read %.*s of %.*s: %.*s", CV_FMT(participant),
                                                CV_FMT(message), CV_FMT(from),
                                                CV_FMT(cv_json_get_text(&all->items[i], "begins")))};
    }
    return true;
}

/* A scope is the file of a chat; one that is closed waits for nobody. */
static bool look(const cv_asker *asker, cv_str scope, const char *list, cv_held_list *ret, cv_err *err)
{
    cv_json reply;
    bool fine = ask(asker, "chat list", "status", CV_STR("OPEN"), &reply, err);
    const cv_json *chats = fine ? cv_json_get(&reply, CV_STR("chats")) : NULL;
    for (uint32_t i = 0; fine && chats && i < chats->count; i++) {
        const cv_json *chat = &chats->items[i], *all = cv_json_get(chat, CV_STR("participants"));
        for (uint32_t k = 0; fine && all && k < all->count && cv_str_eq(cv_json_get_text(chat, "path"), scope); k++)
            fine = look_for(asker, all->items[k].text, cv_json_get_text(chat, "chat_id"), list, ret, err);
    }
    return fine;
}

static bool look_unread(const cv_asker *asker, cv_str scope, cv_held_list *ret, cv_err *err)
{
    return look(asker, scope, "pending", ret, err);
}

static bool look_blocked(const cv_asker *asker, cv_str scope, cv_held_list *ret, cv_err *err)
{
    return look(asker, scope, "blockers", ret, err);
}

const cv_condition cv_chat_conditions[] = {
    {"unread", "a participant has something to read", look_unread, false},
    {"blocked", "a participant is blocked by a consult that nobody has cleared", look_blocked, false},
    {0},
};
