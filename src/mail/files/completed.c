/* completed.c - completed_tasks.json: one line for each outcome, only ever added to; see show.h.
 *
 *     {"message_id": …, "task_id": …, "agent_id": …, "status": "COMPLETED", "timestamp": …, "output": {…},
 *      "error_details": null}
 *
 * The position names the length up to which the lines are known. Those behind it are of a process that was killed
 * before it could write the position, which are not written again, or of hands, which reported.c takes in. A last line
 * that is torn is cut off, and kept beside the file. Lines are on disk before the position moves on: what a crash of
 * the machine takes away is behind it.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/os.h"
#include "mail/files/show.h"
#include "mail/text/lines.h"

enum { MOST_TAIL = 64 << 20 }; /* bytes that one batch adds at most, and far more */
static const char file_name[] = "completed_tasks.json";

/* ---- what is there ----------------------------------------------------------------------------------------------- */

static bool cut_at(cv_where where, int64_t size, cv_err *err)
{
    int folder = cv_where_open_folder(cv_where_folder(err->arena, where), CV_OS_HANDLE, false, "open its folder", err);
    if (folder < 0)
        return false;
    int fd = openat(folder, cv_where_name(where), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool ok = fd >= 0 && ftruncate(fd, (off_t)size) == 0;
    int number = errno;
    if (fd >= 0)
        close(fd);
    close(folder);
    return ok || cv_system_fail(err, cv_where_path(err->arena, where), "cut off its torn last line", number);
}

/* Is the position at the beginning of a line? Otherwise somebody has rewritten the file. */
static bool is_at_line(int fd, int64_t at)
{
    char before;
    return at == 0 || (pread(fd, &before, 1, (off_t)at - 1) == 1 && before == '\n');
}

bool cv_door_read_tail(cv_mail_door *door, cv_where where, int64_t *from, cv_str *ret_tail, cv_err *err)
{
    struct stat st;
    *ret_tail = CV_STR("");
    if (!cv_where_look(where, &st)) {
        *from = 0;
        return true;
    }
    if (st.st_size < *from)
        *from = 0;
    if (st.st_size == *from)
        return true;
    int fd = cv_where_open(where, O_RDONLY, "read its end", err);
    if (fd < 0)
        return false;
    if (!is_at_line(fd, *from))
        *from = 0;
    size_t n = (size_t)(st.st_size - *from);
    n = n > MOST_TAIL ? MOST_TAIL : n;
    *from = st.st_size - (int64_t)n;
    char *bytes = cv_arena_alloc(door->arena, n + 1);
    ssize_t got = pread(fd, bytes, n, (off_t)*from);
    close(fd);
    *ret_tail = (cv_str){bytes, got > 0 ? (size_t)got : 0};
    return true;
}

/* A last line without its end: whole, it gets one; torn, it goes to a file beside this one. */
static bool mend_end(cv_mail_door *door, cv_where where, int64_t from, cv_str tail, const cv_mtext_lines *lines,
                     cv_err *err)
{
    if (tail.n == 0 || tail.p[tail.n - 1] == '\n')
        return true;
    if (lines->form == CV_MTEXT_LINES_UNFINISHED || lines->form == CV_MTEXT_LINES_ARRAY)
        return cv_door_append(where, CV_STR("\n"), err);
    cv_where beside = {where.root,
                       cv_arena_printf(door->arena, "%s.torn-%s", where.path, cv_file_unique(door->arena)).p};
    return cv_door_write(beside, cv_str_from(tail, lines->sound), err) &&
           cut_at(where, from + (int64_t)lines->sound, err);
}

static bool keep_on_disk(cv_where where, cv_err *err)
{
    int fd = cv_where_open(where, O_RDONLY, "bring it to the disk", err);
    if (fd < 0)
        return false;
    bool ok = fdatasync(fd) == 0;
    int number = errno;
    close(fd);
    return ok || cv_system_fail(err, cv_where_path(err->arena, where), "bring it to the disk", number);
}

/* ---- what is added ----------------------------------------------------------------------------------------------- */

static cv_str key_of(cv_arena *a, cv_str message_id, cv_str agent_id, cv_str status, cv_str at)
{
    return cv_arena_printf(a, "%.*s\n%.*s\n%.*s\n%.*s", CV_FMT(message_id), CV_FMT(agent_id), CV_FMT(status),
                           CV_FMT(at));
}

static cv_map keys_of(cv_arena *a, const cv_mtext_lines *lines)
{
    cv_map keys = {0};
    for (size_t i = 0; i < lines->lines.count; i++) {
        const cv_json *v = &lines->lines.items[i].text.value;
        if (lines->lines.items[i].text.state > CV_MTEXT_REPAIRED || v->type != CV_JSON_OBJECT)
            continue;
        cv_map_put(&keys, a,
                   key_of(a, cv_json_get_text(v, "message_id"), cv_json_get_text(v, "agent_id"),
                          cv_json_get_text(v, "status"), cv_json_get_text(v, "timestamp")),
                   NULL);
    }
    return keys;
}

static void put_json(cv_arena *a, cv_json_writer *w, const char *key, cv_str json)
{
    cv_json_key(w, cv_str_of(key));
    if (json.p)
        cv_json_raw(w, cv_mtext_one_line(a, json));
    else
        cv_json_null(w);
}

/* A line of a hand, or one that was read with those, tells one outcome. */
static bool is_reported(cv_mail_door *door, cv_str message_id, cv_str agent_id, cv_str status)
{
    for (size_t i = 0; i < door->reported.count; i++) {
        cv_door_report *r = &door->reported.items[i];
        if (!r->used && cv_str_eq(r->message_id, message_id) && cv_str_eq(r->agent_id, agent_id) &&
            cv_str_eq(r->status, status))
            return r->used = true;
    }
    return false;
}

static bool add_line(cv_mail_door *door, const cv_door_outcome *o, const cv_map *keys, cv_buf *out, cv_err *err)
{
    cv_arena *a = door->arena;
    bool failed = !cv_str_eq(o->state, CV_STR("done")), found;
    cv_str status = failed ? CV_STR("FAILED") : CV_STR("COMPLETED");
    cv_mail_delivery d;
    cv_mail_message m;
    cv_mail_mailbox box;
    if (!cv_mail_delivery_get(door->record, a, o->mailbox, o->seq, &d, &found, err) || !found ||
        !cv_mail_message_get(door->record, a, d.message_id, &m, &found, err) || !found ||
        !cv_mail_mailbox_get(door->record, a, o->mailbox, &box, &found, err) || !found)
        return !err->code;
    if (cv_map_get(keys, key_of(a, d.message_id, box.agent_id, status, o->at)) ||
        is_reported(door, d.message_id, box.agent_id, status))
        return true;
    cv_json_writer w = {.out = out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "message_id", d.message_id);
    if (m.task_id.p)
        cv_json_key_str(&w, "task_id", m.task_id);
    cv_json_key_str(&w, "agent_id", box.agent_id);
    cv_json_key_str(&w, "status", status);
    cv_json_key_str(&w, "timestamp", o->at);
    put_json(a, &w, "output", failed ? (cv_str){0} : d.output);
    put_json(a, &w, "error_details", !failed ? (cv_str){0} : d.error.p ? d.error : CV_STR("{}"));
    cv_json_end_object(&w);
    cv_buf_add_char(out, '\n');
    return true;
}

static bool is_outcome(const cv_door_outcome *o)
{
    return cv_str_eq(o->state, CV_STR("done")) || cv_str_eq(o->state, CV_STR("failed")) ||
           cv_str_eq(o->state, CV_STR("dead"));
}

void cv_door_complete_to(cv_mail_door *door, size_t added, int64_t *completed)
{
    struct stat st;
    cv_where where = cv_where_in(door->arena, cv_door_root(door), file_name);
    if (!cv_where_look(where, &st) || st.st_size != *completed + (int64_t)added)
        return;
    *completed = st.st_size;
    cv_door_mark(door, file_name);
    if (cv_where_look(where, &st) && st.st_size != *completed)
        cv_door_unmark(door, file_name);
}

bool cv_door_complete(cv_mail_door *door, const cv_door_outcomes *outcomes, int64_t *completed, cv_err *err)
{
    cv_where where = cv_where_in(door->arena, cv_door_root(door), file_name);
    cv_buf out = {0};
    cv_str tail;
    cv_mtext_lines lines;
    size_t any = 0;
    for (size_t i = 0; i < outcomes->count; i++)
        any += is_outcome(&outcomes->items[i]);
    if (any == 0)
        return true;
    if (!cv_door_read_tail(door, where, completed, &tail, err))
        return false;
    cv_mtext_lines_read(door->arena, tail, &lines);
    cv_map keys = keys_of(door->arena, &lines);
    bool ok = mend_end(door, where, *completed, tail, &lines, err);
    for (size_t i = 0; ok && i < outcomes->count; i++)
        if (is_outcome(&outcomes->items[i]))
            ok = add_line(door, &outcomes->items[i], &keys, &out, err);
    ok = ok && (out.n == 0 || (cv_door_append(where, cv_buf_str(&out), err) && keep_on_disk(where, err)));
    if (ok)
        cv_door_complete_to(door, out.n, completed);
    cv_buf_release(&out);
    return ok;
}
