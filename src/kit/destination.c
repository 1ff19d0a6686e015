/* destination.c - where an operation may write a file; see destination.h. */
#include "kit/destination.h"

#include "base/path.h"

const char *const cv_record_database = "conclave.db";

const char *cv_record_path(cv_arena *a, const char *root, const char *name)
{
    bool slash = *root && root[strlen(root) - 1] != '/';
    return cv_arena_copy_z(a, cv_arena_printf(a, "%s%s.conclave%s%s", root, slash ? "/" : "", *name ? "/" : "", name));
}

static bool lies_in(cv_str path, const char *folder)
{
    cv_str f = cv_str_of(folder);
    return cv_str_eq(path, f) || (cv_str_starts(path, f) && path.p[f.n] == '/');
}

const char *cv_room_folder(cv_arena *a, const cv_room *room)
{
    return cv_record_path(a, "", room->folder);
}

/* Below the root there are no links, so the words of the path say where it leads. */
static bool is_in_own(const cv_call *call, cv_where where, const char *name)
{
    cv_arena *a = call->arena;
    if (where.root && *where.path)
        return lies_in(cv_str_of(where.path), cv_record_path(a, "", name));
    return cv_path_is_below(a, cv_where_path(a, where), cv_record_path(a, call->root, name));
}

/* In the record's folder, and in none that a room has there. */
static bool is_own(const cv_call *call, cv_where where)
{
    if (!is_in_own(call, where, ""))
        return false;
    for (size_t i = 0; cv_rooms[i]; i++)
        if (cv_rooms[i]->folder && is_in_own(call, where, cv_rooms[i]->folder))
            return false;
    return true;
}

/* ".conclave/dialogues or .conclave/boards" */
static cv_str room_folders(cv_arena *a)
{
    cv_buf text = {0};
    for (size_t i = 0; cv_rooms[i]; i++)
        if (cv_rooms[i]->folder)
            cv_buf_printf(&text, "%s%s", text.n ? " or " : "", cv_room_folder(a, cv_rooms[i]));
    return cv_buf_take(&text, a);
}

static bool refuse_own(const cv_call *call, cv_where where, cv_str path, cv_err *err)
{
    if (!is_own(call, where))
        return true;
    cv_err_set(err, CV_ERR_INVALID_VALUE, "the path is in the record's own folder");
    cv_err_value(err, path);
    cv_err_suggest(err, cv_arena_printf(call->arena, "name a path outside .conclave, or one below %.*s",
                                        CV_FMT(room_folders(call->arena))));
    return false;
}

bool cv_destination_where(const cv_call *call, cv_str path, cv_where *ret_where, cv_err *err)
{
    return cv_path_allowed(call->arena, call->root, call->confined, path, ret_where, err) &&
           refuse_own(call, *ret_where, path, err);
}

bool cv_destination_folder(const cv_call *call, cv_str path, cv_where *ret_where, cv_err *err)
{
    cv_arena *a = call->arena;
    cv_err outside = {.arena = a};
    if (cv_where_below(a, call->root, path, ret_where, &outside))
        return cv_where_check(*ret_where, err) && refuse_own(call, *ret_where, path, err);
    if (call->confined || path.n == 0) {
        cv_err_copy(err, &outside);
        return false;
    }
    cv_str whole = path.p[0] == '/' ? path : cv_arena_printf(a, "%s/%.*s", call->root, CV_FMT(path));
    *ret_where = (cv_where){cv_arena_copy_z(a, whole), ""};
    return refuse_own(call, *ret_where, path, err);
}

bool cv_destination_forced(const cv_call *call)
{
    return !call->confined && cv_json_get_true(call->input, "force");
}

cv_str cv_destination_advice(const cv_call *call)
{
    return call->confined
               ? CV_STR("choose another name; only the command line can replace files that conclave did not write")
               : CV_STR("choose another name, or replace it with 'force'");
}
