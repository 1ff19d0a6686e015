/* projection.c - files that are made of the record; see projection.h. */
#include "kit/projection.h"

#include <assert.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/move.h"
#include "base/os.h"

enum { BATCH = 256 };         /* commits that are written again when a process is killed */
enum { MOST_KEPT = 1 << 20 }; /* bytes of the position and of what is remembered with it */
static const char position_file[] = ".position";

static cv_str boot_id(cv_arena *a)
{
    cv_str id = cv_os_boot(a);
    return id.n ? id : CV_STR("unknown");
}

/* It is read and written again by every write of the room. */
static bool read_kept(const cv_projection *p, cv_str *ret_text, cv_err *err)
{
    struct stat st;
    int fd = cv_where_open(cv_where_in(p->arena, p->folder, position_file), O_RDONLY, "read it", err);
    bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST_KEPT;
    if (ok) {
        char *text = cv_arena_alloc(p->arena, (size_t)st.st_size + 1);
        cv_os_read_quietly(fd);
        ok = cv_read_bytes(fd, 0, text, (size_t)st.st_size) == st.st_size;
        *ret_text = (cv_str){text, (size_t)st.st_size};
    }
    if (fd >= 0)
        close(fd);
    return ok;
}

void cv_projection_open(cv_projection *p, const cv_json **ret_kept)
{
    cv_err ignored = {.arena = p->arena}; /* what cannot be read is not known */
    cv_json *kept = CV_NEW(p->arena, cv_json);
    cv_str text;
    bool known = read_kept(p, &text, &ignored) && cv_json_parse(p->arena, text, kept, &ignored);
    p->position = known ? cv_json_get_text(kept, "position") : CV_STR("");
    p->boot = known ? cv_json_get_text(kept, "boot") : CV_STR("");
    *ret_kept = known ? kept : NULL;
}

/* The file is as long as before: it is written over in one call, and costs no entry in a folder. What a crash tears is
 * not read as a position. */
static bool write_over(cv_where where, cv_buf *text)
{
    enum { STEP = 256 };
    struct stat st;
    cv_arena a = {0};
    cv_err ignored = {.arena = &a}; /* then it is written as a new file */
    bool done = false;
    int fd = cv_where_open(where, O_WRONLY, "write over it", &ignored);
    while (text->n % STEP != 0)
        cv_buf_add_char(text, ' ');
    if (fd >= 0) {
        done = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == (off_t)text->n && cv_buf_ok(text) &&
               pwrite(fd, text->p, text->n, 0) == (ssize_t)text->n;
        close(fd);
    }
    cv_arena_release(&a);
    return done;
}

bool cv_projection_keep(cv_projection *p, cv_err *err)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    assert(p->boot.n && "a position is kept after catching up, in this boot");
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "position", p->position);
    cv_json_key_str(&w, "boot", p->boot);
    if (p->keep)
        p->keep(p, &w);
    cv_json_end_object(&w);
    cv_where where = cv_where_in(p->arena, p->folder, position_file);
    bool over = write_over(where, &out);
    cv_str text = cv_buf_take(&out, p->arena);
    return over || cv_file_write_with(&cv_file_unsynced, where, text, NULL, err);
}

/* The newest position first, then everything: what comes meanwhile is seen again. */
static bool begin_anew(cv_projection *p, cv_err *err)
{
    cv_err_clear(err);
    p->position = p->since;
    return (p->since.n || p->record->calls->newest(p->record, p->arena, 0, &p->position, err)) &&
           p->write_all(p, true, err) && cv_projection_keep(p, err);
}

static bool write_commits(cv_projection *p, cv_err *err)
{
    for (bool more = true; more;) {
        cv_feed_entries list;
        if (!cv_feed_read(p->record, p->arena, p->position, BATCH, NULL, NULL, &list, err))
            return begin_anew(p, err); /* a position of another store */
        p->position = list.position;
        p->again = false;
        if (list.count > 0 && (!p->write(p, &list, err) || !cv_projection_keep(p, err)))
            return false;
        more = list.more || p->again;
        assert((!more || list.count > 0) && "every turn writes something");
    }
    return true;
}

bool cv_projection_catch_up(cv_projection *p, cv_err *err)
{
    cv_str boot = boot_id(p->arena);
    bool known = p->position.n > 0, rebooted = !cv_str_eq(p->boot, boot);
    p->boot = boot;
    if (!known && !begin_anew(p, err))
        return false;
    if (known && rebooted && (!p->write_all(p, false, err) || !cv_projection_keep(p, err)))
        return false;
    return write_commits(p, err);
}

bool cv_projection_is_new(const cv_projection *p, bool *ret_new, cv_err *err)
{
    cv_str newest;
    if (!p->record->calls->newest(p->record, p->arena, 0, &newest, err))
        return false;
    *ret_new = cv_str_eq(p->position, newest) && cv_str_eq(p->boot, boot_id(p->arena));
    return true;
}
