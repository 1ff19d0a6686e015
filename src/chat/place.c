/* place.c - where chats are; see place.h. */
#include "chat/place.h"

#include <errno.h>
#include <stdlib.h>

#include "base/folder.h"
#include "base/utf8.h"
#include "chat/types.h"
#include "chat/words/errors.h"
#include "chat/words/limits.h"
#include "kit/destination.h"
#include "kit/fault.h"

static const cv_str begin = CV_STR_INIT("temp_chat_"), end = CV_STR_INIT(".txt"), editing = CV_STR_INIT("_editing");

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_id(cv_str id)
{
    for (size_t i = 0; i < id.n; i++)
        if (!cv_is_alnum(id.p[i]) && id.p[i] != '_' && id.p[i] != '-')
            return false;
    return id.n > 0 && id.n <= CV_MAX_CHAT_ID;
}

bool cv_chat_id_valid(cv_str id)
{
    return is_id(id) && !cv_str_ends(id, editing);
}

cv_chat_name cv_chat_name_of(cv_str name, cv_str *ret_id)
{
    if (!cv_str_starts(name, begin) || !cv_str_ends(name, end) || name.n < begin.n + end.n)
        return CV_NAME_OTHER;
    *ret_id = cv_str_range(name.p + begin.n, cv_str_end(name) - end.n);
    bool locked = cv_str_ends(*ret_id, editing);
    if (locked)
        ret_id->n -= editing.n;
    return !cv_chat_id_valid(*ret_id) ? CV_NAME_FOREIGN : locked ? CV_NAME_EDITING : CV_NAME_CHAT;
}

cv_chat_place cv_chat_place_in(const cv_call *call, const cv_chat_folder *folder, cv_str id)
{
    cv_arena *a = call->arena;
    id = cv_arena_copy(a, id);
    cv_chat_place p = {.folder = *folder, .id = id};
    p.name = cv_arena_printf(a, "temp_chat_%.*s.txt", CV_FMT(id)).p;
    p.editing = cv_arena_printf(a, "temp_chat_%.*s_editing.txt", CV_FMT(id)).p;
    p.lock = cv_arena_printf(a, "%.*s.lock", CV_FMT(id)).p;
    p.private = cv_arena_printf(a, "%.*s.new", CV_FMT(id)).p;
    cv_where file = cv_where_in(a, folder->where, p.name);
    bool below = call->root && file.root && strcmp(file.root, call->root) == 0;
    p.scope = (cv_scope_id){CV_STR("chat"), cv_str_of(below ? file.path : cv_where_path(a, file))};
    return p;
}

bool cv_chat_place_of(const cv_call *call, cv_str scope, cv_chat_place *ret, cv_err *err)
{
    cv_arena *a = call->arena;
    cv_str id, path = cv_arena_copy(a, scope);
    cv_chat_folder folder = {.where = {call->root, cv_arena_copy_z(a, path)}};
    if (path.n && path.p[0] == '/')
        folder.where = cv_where_named(cv_arena_copy_z(a, path));
    if (cv_chat_name_of(cv_str_of(cv_where_name(folder.where)), &id) != CV_NAME_CHAT)
        return cv_err_set(err, CV_ERR_CHAT_NOT_FOUND, "'%.*s' is not the path of a chat", CV_FMT(path));
    folder.where = cv_where_folder(a, folder.where);
    if (!folder.where.root)
        folder.where = (cv_where){folder.where.path, ""};
    *ret = cv_chat_place_in(call, &folder, id);
    return true;
}

/* ---- folders ----------------------------------------------------------------------------------------------------- */

/* Was not found for the reason `number` (errno). What is behind a link is not absent. */
static bool is_absent(cv_arena *a, cv_where where, int number)
{
    cv_err link = {.arena = a};
    return number == ENOENT || (number == ENOTDIR && cv_where_check(where, &link));
}

bool cv_chat_nothing_at(cv_arena *a, cv_where where)
{
    struct stat st;
    return !cv_where_look(where, &st) && is_absent(a, where, errno);
}

/* The folders in .workflow/workflows; none: there is no such folder. One that cannot be read is not an empty one: the
 * chats would be looked for elsewhere. */
static bool list_workflows(cv_call *call, cv_texts *ret_found)
{
    const cv_where workflows = {call->root, CV_WORKFLOWS};
    cv_folder_entries entries;
    cv_err err = {.arena = call->arena};
    *ret_found = (cv_texts){0};
    if (cv_chat_nothing_at(call->arena, workflows))
        return true;
    if (!cv_folder_list(call->arena, workflows, &entries, &err))
        return cv_call_fail(call, &err);
    for (size_t i = 0; i < entries.count; i++)
        if (entries.items[i].is_folder && entries.items[i].name[0] != '.')
            *CV_PUSH(call->arena, ret_found) = cv_str_of(entries.items[i].name);
    return true;
}

static void add_workflow(const cv_call *call, cv_chat_folders *folders, cv_str slug)
{
    const char *path = cv_arena_printf(call->arena, CV_WORKFLOWS "/%.*s", CV_FMT(slug)).p;
    *CV_PUSH(call->arena, folders) = (cv_chat_folder){{call->root, path}, slug};
}

static void add_own(const cv_call *call, cv_chat_folders *folders)
{
    *CV_PUSH(call->arena, folders) =
        (cv_chat_folder){{call->root, cv_record_path(call->arena, "", CV_CHAT_FOLDER)}, {NULL, 0}};
}

/* A workflow that is named must be one of those that are there. */
static bool add_named(cv_call *call, cv_chat_folders *folders, cv_texts known, cv_str slug, const char *field)
{
    if (cv_words_find((cv_words){known.items, known.count}, slug) >= 0) {
        add_workflow(call, folders, slug);
        return true;
    }
    cv_err *fault = cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), field, slug,
                              "there is no workflow '%.*s' in " CV_WORKFLOWS, CV_FMT(cv_excerpt(call->arena, slug)));
    if (known.count)
        cv_refuse_words(fault, known.items, known.count);
    else
        cv_err_suggest(fault, CV_STR("there are no workflows: leave it out for .conclave/chat, or name a folder "
                                     "with 'dir'"));
    return false;
}

static bool refuse_several(cv_call *call, cv_texts known)
{
    cv_err *fault = cv_refuse(call, CV_ERR_CHAT_AMBIGUOUS, CV_STR(""), "workflow", CV_STR(""),
                              "%zu workflows could be meant", known.count);
    cv_err_options(fault, known.items, known.count);
    cv_err_suggest(fault,
                   CV_STR("name one with 'workflow', or in the variable CONCLAVE_WORKFLOW; or a folder with 'dir'"));
    return false;
}

static bool add_given(cv_call *call, cv_chat_folders *folders, cv_str dir)
{
    cv_err err = {.arena = call->arena};
    cv_where where, plain;
    bool ok = cv_destination_folder(call, dir, &where, &err);
    if (ok && !where.path[0] && !cv_where_below(call->arena, "/", cv_str_of(where.root), &plain, &err)) {
        cv_err_suggest(&err, CV_STR("name the folder without '..'"));
        ok = false;
    }
    if (!ok) {
        cv_err_field(&err, CV_STR("dir"));
        return cv_call_fail(call, &err);
    }
    *CV_PUSH(call->arena, folders) = (cv_chat_folder){where, {NULL, 0}};
    return true;
}

bool cv_chat_folders_of(cv_call *call, cv_chat_folders *ret)
{
    cv_str dir = cv_json_get_text(call->input, "dir"), slug = cv_json_get_text(call->input, "workflow");
    const char *variable = getenv("CONCLAVE_WORKFLOW");
    *ret = (cv_chat_folders){0};
    if (dir.p)
        return add_given(call, ret, dir);
    cv_texts known;
    if (!list_workflows(call, &known))
        return false;
    if (slug.p && !add_named(call, ret, known, slug, "workflow"))
        return false;
    if (!slug.p && variable && *variable && !add_named(call, ret, known, cv_str_of(variable), "CONCLAVE_WORKFLOW"))
        return false;
    if (ret->count == 0 && known.count > 1)
        return refuse_several(call, known);
    if (ret->count == 0 && known.count == 1)
        add_workflow(call, ret, known.items[0]);
    add_own(call, ret);
    return true;
}

/* ---- one chat ---------------------------------------------------------------------------------------------------- */

cv_intent_result cv_chat_make_file(const cv_call *call, const cv_chat_place *p, cv_err *err)
{
    cv_str name = p->scope.name;
    const char *root = name.n && name.p[0] == '/' ? "/" : call->root;
    return cv_intent_finish(call->record, call->arena, p->scope, &cv_chat_intent_type, root, name, err);
}

/* It may be renamed between two looks: then the third finds it. False: nobody can look there. */
static bool look_for(cv_call *call, const cv_chat_place *p, bool *ret_there)
{
    cv_err err = {.arena = call->arena};
    struct stat st;
    *ret_there = false;
    for (int tries = 0; tries < 4 && !*ret_there; tries++) {
        cv_where file = cv_where_in(call->arena, p->folder.where, tries % 2 ? p->editing : p->name);
        *ret_there = cv_where_look(file, &st);
        int number = errno;
        if (!*ret_there && !is_absent(call->arena, file, number))
            return (cv_where_check(file, &err) &&
                    cv_system_fail(&err, cv_where_path(call->arena, file), "look for the chat", number)) ||
                   cv_call_fail(call, &err);
    }
    return true;
}

static bool refuse_id(cv_call *call, cv_str id)
{
    cv_err *fault = cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "chat_id", id,
                              "'%.*s' is not a chat id: letters, digits, '_' and '-', at most %d of them, not ending "
                              "with _editing",
                              CV_FMT(cv_excerpt(call->arena, id)), CV_MAX_CHAT_ID);
    cv_err_operation(fault, CV_STR("chat list"));
    cv_err_suggest(fault, CV_STR("shows the chats that there are"));
    return false;
}

/* The ids of the chats in a folder, for a caller that has misspelt one. False: something else is in its place. */
static bool add_ids(const cv_call *call, const cv_chat_folder *folder, cv_texts *ids, cv_err *err)
{
    cv_folder_entries entries;
    cv_str id;
    if (!cv_folder_list(call->arena, folder->where, &entries, err))
        return cv_chat_nothing_at(call->arena, folder->where);
    for (size_t i = 0; i < entries.count; i++)
        if (cv_chat_name_of(cv_str_of(entries.items[i].name), &id) == CV_NAME_CHAT)
            *CV_PUSH(call->arena, ids) = id;
    return true;
}

static bool refuse_absent(cv_call *call, cv_str id, const cv_chat_folders *folders)
{
    cv_buf text = {0};
    cv_texts ids = {0};
    cv_err err = {.arena = call->arena};
    for (size_t i = 0; i < folders->count; i++) {
        cv_buf_printf(&text, "%s%s", i ? ", " : "", cv_where_path(call->arena, folders->items[i].where));
        if (!add_ids(call, &folders->items[i], &ids, &err)) {
            cv_buf_release(&text);
            return cv_call_fail(call, &err);
        }
    }
    cv_str where = cv_buf_take(&text, call->arena);
    cv_err *fault = cv_refuse(call, CV_ERR_CHAT_NOT_FOUND, CV_STR(""), "chat_id", id, "there is no chat '%.*s' in %.*s",
                              CV_FMT(id), CV_FMT(where));
    if (cv_err_nearest(fault, id, ids.items, ids.count))
        return false;
    cv_err_operation(fault, CV_STR("chat list"));
    cv_err_suggest(fault, CV_STR("shows the chats that there are"));
    return false;
}

static bool refuse_both(cv_call *call, cv_str id, const cv_texts *found)
{
    cv_err *fault = cv_refuse(call, CV_ERR_CHAT_AMBIGUOUS, CV_STR(""), "chat_id", id, "%zu folders have a chat '%.*s'",
                              found->count, CV_FMT(id));
    cv_err_options(fault, found->items, found->count);
    cv_err_suggest(fault, CV_STR("name the folder with 'dir'"));
    return false;
}

bool cv_chat_find(cv_call *call, cv_chat_place *ret)
{
    cv_str id = cv_json_get_text(call->input, "chat_id");
    cv_chat_folders folders;
    cv_texts found = {0};
    cv_err ignored = {.arena = call->arena};
    if (!cv_chat_id_valid(id))
        return refuse_id(call, id);
    size_t faults = call->errs->count;
    if (!cv_chat_folders_of(call, &folders)) {
        if (call->errs->items[faults].code != CV_ERR_CHAT_AMBIGUOUS)
            return false;
        call->errs->count = faults; /* any of them, if only one has the chat */
        cv_texts all;
        if (!list_workflows(call, &all))
            return false;
        for (size_t i = 0; i < all.count; i++)
            add_workflow(call, &folders, all.items[i]);
        add_own(call, &folders);
    }
    for (size_t i = 0; i < folders.count; i++) {
        cv_chat_place p = cv_chat_place_in(call, &folders.items[i], id);
        bool there;
        if (!look_for(call, &p, &there))
            return false;
        if (!there && call->record) {
            cv_chat_make_file(call, &p, &ignored);
            if (!look_for(call, &p, &there))
                return false;
        }
        if (!there)
            continue;
        *CV_PUSH(call->arena, &found) = cv_str_of(cv_where_path(call->arena, p.folder.where));
        *ret = p;
    }
    return found.count == 0   ? refuse_absent(call, id, &folders)
           : found.count == 1 ? true
                              : refuse_both(call, id, &found);
}
