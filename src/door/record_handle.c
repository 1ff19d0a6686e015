/* record_handle.c - one thread's place at the project's record; see record_handle.h. */
#include "door/record_handle.h"

#include <sys/stat.h>

#include "kit/outlet.h"
#include "project/project.h"
#include "record/place.h"

/* Could the record only be read, and can it be written now? */
static bool may_write_now(const cv_record_handle *d)
{
    cv_arena a = {0};
    bool may = d->is_frozen && !cv_record_is_frozen(&a, d->path);
    cv_arena_release(&a);
    return may;
}

static bool is_current(const cv_record_handle *d)
{
    struct stat st;
    return stat(d->path, &st) == 0 && st.st_dev == d->device && st.st_ino == d->inode && !may_write_now(d);
}

static void close_store(cv_record_handle *d)
{
    cv_record_close(d->record);
    d->record = NULL;
    cv_arena_reset(&d->store_arena);
}

/* Which file it is is asked first: one that comes in between is noticed the next time. */
static bool open_store(cv_record_handle *d, cv_err *err)
{
    struct stat st = {0};
    d->path = cv_record_path(&d->store_arena, d->root, cv_record_database);
    if (stat(d->path, &st) != 0)
        st = (struct stat){0};
    d->device = st.st_dev;
    d->inode = st.st_ino;
    d->is_frozen = cv_record_is_frozen(&d->store_arena, d->path);
    d->opened++;
    if (cv_project_open(&d->store_arena, d->root, &d->record, err))
        return true;
    close_store(d); /* a server tries again and again: nothing of what was tried stays */
    return false;
}

bool cv_record_handle_open(cv_record_handle *d, const char *root, cv_err *err)
{
    if (!d->root && !cv_project_find(&d->root_arena, root, &d->root, err)) {
        cv_arena_reset(&d->root_arena);
        return false;
    }
    if (d->record && !is_current(d))
        close_store(d);
    return d->record || open_store(d, err);
}

void cv_record_handle_close(cv_record_handle *d)
{
    close_store(d);
    cv_arena_release(&d->store_arena);
    cv_arena_release(&d->root_arena);
}
