/* projection.c - files that are made of the record; see projection.h. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/folder.h"
#include "kit/projection.h"

enum { BATCH = 256 }; /* commits that are written again when a process is killed */

typedef struct {
    const cv_projection *projection;
    cv_arena *arena;
    int lock; /* the folder, open; -1: it is not ours */
} catching_up;

static bool begin(void *ctx, cv_err *err)
{
    catching_up *c = ctx;
    assert(c->lock < 0 && "every begin has its end");
    c->lock = cv_where_open_folder(c->projection->folder, O_RDONLY, false, "open the folder", err);
    while (c->lock >= 0 && flock(c->lock, LOCK_EX) != 0)
        if (errno != EINTR) {
            cv_where_fail(err, cv_where_path(c->arena, c->projection->folder), "lock the folder", errno);
            close(c->lock);
            c->lock = -1;
        }
    return c->lock >= 0;
}

static bool take(void *ctx, const cv_feed_entry *entries, size_t count, cv_err *err)
{
    const catching_up *c = ctx;
    return c->projection->write(c->projection->ctx, entries, count, err);
}

static bool end(void *ctx, bool ok, cv_err *err)
{
    catching_up *c = ctx;
    (void)err;
    close(c->lock); /* gives it back */
    c->lock = -1;
    return ok;
}

/* "jar labels in HOST:FOLDER" */
static bool name_reader(cv_arena *a, const cv_projection *p, cv_str *ret_name, cv_err *err)
{
    char host[256] = "";
    const char *path;
    if (!cv_folder_real(a, cv_where_path(a, p->folder), &path, err))
        return false;
    gethostname(host, sizeof host - 1);
    *ret_name = cv_arena_printf(a, "%s in %s:%s", p->name, host, path);
    return true;
}

bool cv_projection_catch_up(cv_record *record, cv_arena *a, const cv_projection *projection, cv_err *err)
{
    catching_up c = {.projection = projection, .arena = a, .lock = -1};
    cv_feed_reader reader = {.batch = BATCH, .begin = begin, .take = take, .end = end, .ctx = &c};
    return name_reader(a, projection, &reader.name, err) && cv_feed_catch_up(record, a, &reader, err);
}
