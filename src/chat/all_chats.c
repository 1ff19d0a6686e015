/* all_chats.c - all chats of the folders that a request means; see all_chats.h. */
#include "chat/all_chats.h"

#include "base/folder.h"
#include "chat/words/errors.h"
#include "chat/words/limits.h"
#include "kit/fault.h"

static bool has(const cv_chat_entries *all, size_t from, cv_str id)
{
    for (size_t i = from; i < all->count; i++)
        if (!all->items[i].foreign.p && cv_str_eq(all->items[i].place.id, id))
            return true;
    return false;
}

bool cv_chat_entries_in(cv_call *call, const cv_chat_folder *folder, cv_chat_entries *ret, cv_err *err)
{
    cv_folder_entries names;
    size_t from = ret->count;
    if (cv_chat_nothing_at(call->arena, folder->where))
        return true;
    if (!cv_folder_list(call->arena, folder->where, &names, err))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        cv_str name = cv_str_of(names.items[i].name), id;
        cv_chat_name kind = cv_chat_name_of(name, &id);
        if (kind == CV_NAME_OTHER || names.items[i].is_folder)
            continue;
        if (ret->count - from >= CV_MAX_CHATS)
            return cv_err_set(err, CV_ERR_TOO_LARGE, "the folder has more than %d chats: move closed ones away",
                              CV_MAX_CHATS);
        cv_chat_entry entry = {.foreign = {NULL, 0}};
        if (kind == CV_NAME_FOREIGN)
            entry.foreign = cv_arena_copy(call->arena, name);
        else if (has(ret, from, id))
            continue; /* the chat and its locked name, while somebody renames it */
        else
            entry.place = cv_chat_place_in(call, folder, id);
        *CV_PUSH(call->arena, ret) = entry;
    }
    return true;
}

/* A folder that was named must be there: a typo is not a folder without chats. */
static bool is_there(cv_call *call, const cv_chat_folder *folder)
{
    cv_str dir = cv_json_get_text(call->input, "dir");
    if (!dir.n || !cv_chat_nothing_at(call->arena, folder->where))
        return true;
    cv_err *fault = cv_refuse(call, CV_ERR_NOT_FOUND, CV_STR(""), "dir", dir, "there is no folder '%.*s'", CV_FMT(dir));
    cv_err_suggest(fault, CV_STR("name the folder that holds the chats, or leave 'dir' out"));
    return false;
}

bool cv_chat_each(cv_call *call, cv_chat_entries *ret)
{
    cv_chat_folders folders;
    cv_err err = {.arena = call->arena};
    *ret = (cv_chat_entries){0};
    if (!cv_chat_folders_of(call, &folders) || !is_there(call, &folders.items[0]))
        return false;
    for (size_t i = 0; i < folders.count; i++)
        if (!cv_chat_entries_in(call, &folders.items[i], ret, &err))
            return cv_call_fail(call, &err);
    return true;
}
