/* swap.c - putting a backup in the place of a record: what is the same for every engine; see swap.h. */
#include "record/swap.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "record/place.h"
#include "record/sqlite/connection.h"

enum { COPY_BYTES = 1 << 16 };

/* ---- the copy ---------------------------------------------------------------------------------------------------- */

static bool copy_bytes(int from, int to)
{
    char bytes[COPY_BYTES];
    for (;;) {
        ssize_t got = read(from, bytes, sizeof bytes);
        if (got == 0)
            return fsync(to) == 0;
        for (ssize_t done = 0, n; done < got; done += n)
            if ((n = write(to, bytes + done, (size_t)(got - done))) <= 0)
                return false;
        if (got < 0 && errno != EINTR)
            return false;
    }
}

static bool copy_file(const char *from, const char *to, cv_err *err)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    bool ok = in >= 0 && out >= 0 && copy_bytes(in, out);
    int number = errno;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return ok || cv_system_fail_unchanged(err, from, "copy the backup", number);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* A backup that somebody works on is not one: its bytes are looked at before and after. */
bool cv_swap_copy(cv_swap *s, const char *backup, cv_err *err)
{
    cv_arena *a = s->arena;
    const char *log = cv_sqlite_log_of(a, backup);
    struct stat before[2] = {0}, after[2] = {0};
    if (stat(backup, &before[0]) != 0)
        return cv_system_fail_unchanged(err, backup, "read the backup", errno);
    bool logged = stat(log, &before[1]) == 0 && before[1].st_size > 0;
    cv_folder_sweep(a, cv_folder_of(a, s->store.path));
    if (!cv_file_temporary(a, s->store.path, &s->copy, err) || !copy_file(backup, s->copy, err) ||
        (logged && !copy_file(log, cv_sqlite_log_of(a, s->copy), err)))
        return false;
    stat(backup, &after[0]);
    stat(log, &after[1]);
    if (same_file(&before[0], &after[0]) && (!logged || same_file(&before[1], &after[1])))
        return true;
    cv_err_set(err, CV_ERR_BUSY, "cannot read the backup: it was changed meanwhile");
    cv_err_file(err, cv_str_of(backup));
    cv_err_suggest(err, CV_STR("make a copy of it with 'conclave backup' and restore that"));
    return false;
}

/* ---- what the present record has beyond the backup --------------------------------------------------------------- */

typedef struct {
    cv_str head;
    bool same;
} comparing;

static bool compare_head(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    comparing *c = ctx;
    (void)scope, (void)err;
    c->same = cv_str_eq(((const cv_commit_row *)row)->head, c->head);
    return true;
}

/* Is this moment of the scope a part of the backup's history? */
static bool is_in_backup(cv_record *backup, cv_arena *a, cv_scope_id scope, const cv_scope_position *now,
                         int64_t *ret_rev, bool *ret_is, cv_err *err)
{
    cv_scope_position at;
    comparing c = {.head = now->head};
    const cv_commit_row like = {.rev = now->rev};
    const cv_find commit = {
        .type = &cv_commit_row_type, .index = cv_commits_by_rev, .scope = scope, .like = &like, .equal = 1, .limit = 1};
    bool ok =
        backup->calls->begin(backup, a, scope, &at, err) && backup->calls->find(backup, &commit, compare_head, &c, err);
    backup->calls->end(backup);
    *ret_rev = ok ? at.rev : 0;
    *ret_is = c.same;
    return ok;
}

/* Did the scope begin with the same commit in both? */
static bool count_common(cv_swap *s, cv_scope_id scope, cv_err *err)
{
    cv_commit_row here, there;
    bool is_here, is_there;
    if (!cv_record_commit_at(s->present, s->arena, scope, 1, &here, &is_here, err) ||
        !cv_record_commit_at(s->backup, s->arena, scope, 1, &there, &is_there, err))
        return false;
    s->common += is_here && is_there && cv_str_eq(here.head, there.head);
    return true;
}

bool cv_swap_lost(cv_swap *s, cv_swap_visit visit, void *ctx, cv_err *err)
{
    cv_scope_list list = {0};
    bool ok = s->present && s->backup;
    if (!ok)
        cv_err_copy(err, &s->trouble);
    ok = ok && cv_record_scopes(s->present, s->arena, CV_STR(""), &list, err);
    for (size_t i = 0; ok && i < list.count; i++) {
        cv_swap_loss loss = {.scope = list.items[i].scope, .rev = list.items[i].at.rev};
        bool is_there = false;
        ok = is_in_backup(s->backup, s->arena, loss.scope, &list.items[i].at, &loss.restored_rev, &is_there, err) &&
             count_common(s, loss.scope, err) && (is_there || visit(ctx, &loss, err));
    }
    return ok;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

bool cv_swap_begin(cv_swap *s, cv_err *err)
{
    s->calls = s->store.address.n ? &cv_postgres_swap : &cv_sqlite_swap;
    s->trouble.arena = s->no_watermark.arena = s->arena;
    return s->calls->begin(s, err);
}

bool cv_swap_commit(cv_swap *s, const char *stamp, cv_err *err)
{
    return s->calls->commit(s, stamp, err);
}

void cv_swap_end(cv_swap *s)
{
    if (s->calls)
        s->calls->end(s);
    for (size_t i = 0; s->copy && i < cv_record_files.count; i++)
        unlink(cv_arena_printf(s->arena, "%s%.*s", s->copy, CV_FMT(cv_record_files.items[i])).p);
}
