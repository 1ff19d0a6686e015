/* backup.c - a whole copy of the record under another name.
 *
 *     a temporary name                           the engine's copy, consistent and on disk
 *                                                … opened and checked
 *     the wanted name                            a free one; with `force`, also that of an older backup
 *
 * What has the wanted name is whole at every moment. What a killed backup has left in the folder goes when the next one
 * is made there.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "kit/destination.h"
#include "kit/notice.h"
#include "project/operations.h"
#include "record/sql.h"

/* Whether the copy opens, with our schema, and is whole. */
static bool is_whole(cv_call *call, const char *path, cv_err *err)
{
    cv_record *copy;
    if (!cv_record_open(call->arena, path, CV_RECORD_COPY, call->record->types, &cv_sql_sqlite_schema, &copy, err))
        return false;
    bool ok = copy->calls->check(copy, call->arena, err);
    cv_record_close(copy);
    return ok;
}

/* SQLite opens files by their paths. So a copy for a path below a root is made in the record's own folder, and nothing
 * but its last step goes where the caller said, by a handle of the folder. */
static bool make_copy(cv_call *call, cv_where where, bool force, cv_err *err)
{
    cv_arena *a = call->arena;
    const char *path = cv_where_path(a, where), *part;
    const char *beside = where.root ? cv_record_path(a, call->root, cv_record_database) : path;
    cv_folder_sweep(a, cv_folder_of(a, beside));
    if (!cv_file_temporary(a, beside, &part, err))
        return false;
    bool ok = call->record->calls->backup(call->record, part, err) && is_whole(call, part, err);
    if (!ok)
        cv_err_file(err, cv_str_of(path));
    ok = ok && cv_file_place(part, where, force, err);
    if (!ok)
        unlink(part);
    return ok;
}

static bool back_up(cv_call *call, cv_str given, bool force, const char **ret_path, cv_err *err)
{
    struct stat st;
    cv_where where;
    if (cv_str_eq(given, CV_STR("-"))) {
        cv_err_set(err, CV_ERR_INVALID_VALUE, "a backup cannot be written to standard output");
        cv_err_field(err, CV_STR("path"));
        cv_err_suggest(err, CV_STR("name a file, like backup.db"));
        return false;
    }
    if (!cv_destination_where(call, given, &where, err)) {
        cv_err_field(err, CV_STR("path"));
        return false;
    }
    *ret_path = cv_where_path(call->arena, where);
    bool there = where.root ? cv_where_look(where, &st) : lstat(*ret_path, &st) == 0;
    if (there && (!force || !S_ISREG(st.st_mode))) {
        cv_err_set(err, CV_ERR_INVALID_VALUE, "there is %s of this name already",
                   S_ISREG(st.st_mode)   ? "a file"
                   : S_ISDIR(st.st_mode) ? "a folder"
                   : S_ISLNK(st.st_mode) ? "a symbolic link"
                                         : "a device");
        cv_err_field(err, CV_STR("path"));
        cv_err_value(err, given);
        cv_err_suggest(err, S_ISREG(st.st_mode) ? cv_destination_advice(call) : CV_STR("choose another name"));
        return false;
    }
    return make_copy(call, where, force, err);
}

typedef struct {
    cv_str path;
    int64_t bytes;
    cv_notices warnings;
} made;

#define CV_THIS_TYPE made
const cv_shape cv_backup_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, path, ""),
    CV_NUMBER(ALWAYS, "bytes", bytes, 0, CV_NO_LIMIT, ""),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings: the operation was done"),
    {0},
};
#undef CV_THIS_TYPE

bool cv_record_backup(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    bool force = cv_destination_forced(call);
    const char *written;
    struct stat st;
    if (!back_up(call, cv_json_get_text(call->input, "path"), force, &written, &err))
        return cv_call_fail(call, &err);
    made m = {.path = cv_str_of(written), .bytes = stat(written, &st) == 0 ? (int64_t)st.st_size : 0};
    cv_watermark_state state;
    if (!call->record->calls->acknowledged(call->record, call->arena, &state, &err))
        cv_notice_add(&m.warnings, call->arena, CV_STR("store_regressed"),
                      "the copy is as incomplete as the record: %.*s", CV_FMT(err.message));
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_backup_shape, &m);
    return true;
}
