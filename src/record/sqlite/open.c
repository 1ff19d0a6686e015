/* open.c - opening a record in SQLite: a project's file, a copy that nobody uses, a database in memory. */
#include <unistd.h>

#include "record/place.h"
#include "record/sqlite/engine.h"

static cv_sqlite *connect_record(cv_arena *a, const char *path, cv_sqlite_mode mode, const cv_sql_migrations *schema,
                                 cv_err *err)
{
    cv_sqlite_statements statements = {cv_sql_sqlite_statements, cv_sql_sqlite_statement_count};
    return cv_sqlite_connect(a, path, mode, statements, schema, err);
}

/* Which file it is is asked first: one that comes in between is noticed the next time. */
cv_sqlite_record *cv_sqlite_record_open(cv_arena *a, const char *path, cv_sqlite_mode mode, const cv_types *types,
                                        const cv_sql_migrations *schema, cv_err *err)
{
    cv_sqlite_watch watch = {0};
    bool shared = mode == CV_SQLITE_EXISTING || mode == CV_SQLITE_CREATE;
    if (shared)
        cv_sqlite_watch_file(&watch, path);
    cv_sqlite *s = connect_record(a, path, mode, schema, err);
    if (!s)
        return NULL;
    cv_sqlite_record *r = cv_sqlite_record_on(a, types, s);
    if (shared) {
        cv_sqlite_watch_file(&watch, path);
        r->watch.device = watch.device;
        r->watch.inode = watch.inode;
    }
    if (shared && sqlite3_db_readonly(s->db, "main") == 0)
        cv_sqlite_turns_open(r);
    return r;
}

/* Where nothing can be written, SQLite's own files would be in the way of a user who may write later. A log leaves
 * no choice. */
static bool open_project(cv_arena *a, const char *path, bool create, const cv_types *types,
                         const cv_sql_migrations *schema, cv_record **ret_record, cv_err *err)
{
    bool frozen = !create && cv_record_is_frozen(a, path);
    if (!cv_sqlite_check_place(path, create, err))
        return false;
    if (!frozen || cv_sqlite_is_log(cv_sqlite_log_of(a, path))) {
        cv_sqlite_mode mode = create ? CV_SQLITE_CREATE : CV_SQLITE_EXISTING;
        cv_sqlite_record *r = cv_sqlite_record_open(a, path, mode, types, schema, err);
        if (r) {
            r->s->watermark = cv_watermark_path(a, path);
            r->was_frozen = frozen;
            *ret_record = &r->base;
            return true;
        }
    }
    return frozen && cv_sqlite_open_frozen_record(a, path, types, schema, ret_record, err);
}

bool cv_record_open(cv_arena *a, const char *path, cv_record_mode mode, const cv_types *types,
                    const cv_sql_migrations *schema, cv_record **ret_record, cv_err *err)
{
    cv_commit last;
    bool create = mode == CV_RECORD_CREATE;
    if (mode == CV_RECORD_COPY) {
        cv_sqlite_record *r = cv_sqlite_record_open(a, path, CV_SQLITE_IMMUTABLE, types, schema, err);
        *ret_record = r ? &r->base : NULL;
        return r != NULL;
    }
    if (!open_project(a, path, create, types, schema, ret_record, err))
        return false;
    if (!create || access(cv_watermark_path(a, path), F_OK) == 0 ||
        (*ret_record)->calls->accept(*ret_record, a, &last, err))
        return true;
    cv_record_close(*ret_record);
    return false;
}

bool cv_record_open_memory(cv_arena *a, const cv_types *types, const cv_sql_migrations *schema, cv_record **ret_record,
                           cv_err *err)
{
    cv_sqlite_record *r = cv_sqlite_record_open(a, NULL, CV_SQLITE_MEMORY, types, schema, err);
    *ret_record = r ? &r->base : NULL;
    return r != NULL;
}

bool cv_sqlite_scratch(cv_record *record, cv_arena *a, bool empty, cv_record **ret_record, cv_err *err)
{
    cv_sqlite_record *from = (cv_sqlite_record *)record;
    if (empty)
        return cv_record_open_memory(a, record->types, from->s->schema, ret_record, err);
    cv_sqlite_record *r = cv_sqlite_record_open(a, NULL, CV_SQLITE_EMPTY, record->types, from->s->schema, err);
    if (r && !cv_sqlite_copy(from->s, r->s, err)) {
        cv_record_close(&r->base);
        return false;
    }
    *ret_record = r ? &r->base : NULL;
    return r != NULL;
}
