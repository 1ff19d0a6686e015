/* record_handle.c - one thread's place at the project's record; see record_handle.h. */
#include "door/record_handle.h"

#include "project/config.h"
#include "project/project.h"

static struct stat look(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 ? st : (struct stat){0};
}

/* Has the project chosen the same as when the record was opened, and is that the record? */
static bool is_current(const cv_record_handle *d)
{
    const struct stat now = look(d->config), *then = &d->chosen;
    return now.st_ino == then->st_ino && now.st_dev == then->st_dev && now.st_size == then->st_size &&
           now.st_mtim.tv_sec == then->st_mtim.tv_sec && now.st_mtim.tv_nsec == then->st_mtim.tv_nsec &&
           d->record->calls->is_current(d->record);
}

static void close_store(cv_record_handle *d)
{
    cv_record_close(d->record);
    d->record = NULL;
    cv_arena_reset(&d->store_arena);
}

/* What was chosen is looked at first: what comes in between is noticed the next time. */
static bool open_store(cv_record_handle *d, cv_err *err)
{
    d->config = cv_config_path(&d->store_arena, d->root);
    d->chosen = look(d->config);
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
