/* door.c - the lock, places, files that are written and moved; see door.h. */
#include "mail/files/door.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/move.h"
#include "base/os.h"
#include "kit/settings.h"

enum { MARK_NS = 141421356, OWN_NS = 141421357 }; /* no clock shows them but by chance */

const char *const cv_door_names[CV_DOOR_FOLDERS] = {
    [CV_DOOR_INBOX] = "inbox",     [CV_DOOR_CLAIMED] = "claimed",       [CV_DOOR_DONE] = "done",
    [CV_DOOR_FAILED] = "failed",   [CV_DOOR_OUTBOX] = "outbox",         [CV_DOOR_TAKING] = ".taking",
    [CV_DOOR_ARCHIVE] = "archive", [CV_DOOR_QUARANTINE] = "quarantine",
};

/* ---- open and close ---------------------------------------------------------------------------------------------- */

cv_where cv_door_root(const cv_mail_door *door)
{
    return door->root;
}

cv_mail_door cv_door_begin(cv_call *call)
{
    return (cv_mail_door){.call = call,
                          .record = call->record,
                          .arena = call->arena,
                          .root = cv_room_place(call->arena, call->root, CV_STR("mail")),
                          .lock = -1,
                          .expired_to = -1,
                          .reported_to = -1,
                          .now_ms = cv_mail_now(call)};
}

bool cv_door_open(cv_mail_door *door, bool make, bool *ret_open, cv_err *err)
{
    *ret_open = false;
    if (!door->call->root) /* a record without a folder */
        return true;
    door->lock = cv_where_open_folder(cv_door_root(door), O_RDONLY, make, "open the folder", err);
    if (door->lock < 0) {
        if (make || err->code != CV_ERR_NOT_FOUND)
            return false;
        cv_err_clear(err);
    }
    *ret_open = door->lock >= 0;
    return true;
}

bool cv_door_lock(cv_mail_door *door, bool wait, bool *ret_locked, cv_err *err)
{
    return cv_folder_lock_open(door->lock, cv_where_path(err->arena, cv_door_root(door)), wait, ret_locked, err);
}

void cv_door_close(cv_mail_door *door)
{
    if (door->lock >= 0)
        close(door->lock);
    door->lock = -1;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

cv_where cv_door_in(const cv_mail_door *door, const cv_door_agent *agent, cv_door_folder folder, const char *name)
{
    assert(folder < CV_DOOR_FOLDERS && agent->folder);
    return cv_where_printf(door->arena, cv_door_root(door), "runtime/%s/%s%s%s", agent->folder, cv_door_names[folder],
                           *name ? "/" : "", name);
}

/* A look without opening anything. */
static bool has_folder(const cv_mail_door *door, const cv_door_agent *agent, cv_door_folder folder)
{
    struct stat st;
    const char *path = cv_arena_printf(door->arena, "runtime/%s/%s", agent->folder, cv_door_names[folder]).p;
    return fstatat(door->lock, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* The last one is made last: where it stands all were made. One that was removed since is missed, and made again, when
 * files are taken in: then `all` are looked at. */
static bool make_folders(cv_mail_door *door, cv_door_agent *agent, bool all, cv_err *err)
{
    if (agent->made || (!all && has_folder(door, agent, CV_DOOR_FOLDERS - 1)))
        return true;
    for (int f = 0; f < CV_DOOR_FOLDERS; f++)
        if (!has_folder(door, agent, (cv_door_folder)f) &&
            !cv_folder_make_at(cv_door_in(door, agent, (cv_door_folder)f, ""), err))
            return false;
    agent->made = true;
    return true;
}

bool cv_door_find_agent(cv_mail_door *door, cv_str name, cv_door_agent **ret_agent, cv_err *err)
{
    bool is_new, found;
    cv_agent_row row;
    cv_str key = cv_agent_name(door->arena, name);
    const uintptr_t *known = cv_map_get(&door->agents, key);
    if (known) {
        *ret_agent = (cv_door_agent *)*known;
        return true;
    }
    if (!cv_agent_find(door->record, door->arena, key, &row, &found, err))
        return false;
    cv_door_agent *agent = CV_NEW(door->arena, cv_door_agent);
    if (found)
        *agent = (cv_door_agent){.name = row.name,
                                 .id = row.id,
                                 .folder = cv_arena_copy_z(door->arena, row.id),
                                 .files = row.files == 1 && !cv_agent_is_removed(&row)};
    *cv_map_put(&door->agents, door->arena, key, &is_new) = (uintptr_t)agent;
    *ret_agent = agent;
    return true;
}

bool cv_door_reader_of(cv_mail_door *door, cv_str name, cv_door_agent **ret_agent, cv_err *err)
{
    cv_door_agent *agent;
    *ret_agent = NULL;
    if (!cv_door_find_agent(door, name, &agent, err))
        return false;
    *ret_agent = agent->files ? agent : NULL;
    return true;
}

bool cv_door_agent_of(cv_mail_door *door, cv_str name, cv_door_agent **ret_agent, cv_err *err)
{
    return cv_door_reader_of(door, name, ret_agent, err) && (!*ret_agent || make_folders(door, *ret_agent, false, err));
}

bool cv_door_agent_at(cv_mail_door *door, const char *folder, cv_door_agent **ret_agent, cv_err *err)
{
    cv_door_agent *agent;
    *ret_agent = NULL;
    if (!cv_door_agent_of(door, cv_str_of(folder), &agent, err) || !agent)
        return !err->code;
    if (strcmp(agent->folder, folder) != 0) {
        cv_door_agent *own = CV_NEW(door->arena, cv_door_agent);
        *own = *agent;
        own->folder = folder;
        own->alias = true;
        own->made = false;
        agent = own;
    }
    *ret_agent = agent;
    return make_folders(door, agent, true, err);
}

const char *cv_door_name_of(cv_arena *a, int64_t seq)
{
    assert(seq > 0);
    return cv_arena_printf(a, "task_%010lld.json", (long long)seq).p;
}

bool cv_door_seq_of(const char *name, int64_t *ret_seq)
{
    cv_str s = cv_str_of(name);
    if (s.n < 20 || s.n > 24 || !cv_str_starts(s, CV_STR("task_")) || !cv_str_ends(s, CV_STR(".json")))
        return false;
    s = cv_str_head(cv_str_from(s, 5), s.n - 10);
    *ret_seq = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (!cv_is_digit(s.p[i]) || s.n > 18)
            return false;
        *ret_seq = *ret_seq * 10 + (s.p[i] - '0');
    }
    return *ret_seq > 0;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

bool cv_door_write(cv_where where, cv_str bytes, cv_err *err)
{
    cv_file_rules rules = {.arena = err->arena, .gives_way = true};
    return cv_file_write_with(&cv_file_unsynced, where, bytes, &rules, err);
}

struct timespec cv_door_mark_time(int64_t now_ms)
{
    return (struct timespec){(time_t)(now_ms / 1000), MARK_NS};
}

bool cv_door_write_message(cv_mail_door *door, cv_door_agent *agent, cv_door_folder folder, const char *name,
                           cv_str bytes, bool marked, cv_err *err)
{
    const struct timespec mark = cv_door_mark_time(door->now_ms);
    cv_where where = cv_door_in(door, agent, folder, name);
    cv_file_rules rules = {.arena = err->arena, .gives_way = true, .once = true, .time = marked ? &mark : NULL};
    if (cv_file_write_with(&cv_file_unsynced, where, bytes, &rules, err))
        return true;
    if (err->code != CV_ERR_NOT_FOUND)
        return false;
    cv_err_clear(err);
    return make_folders(door, agent, true, err) && cv_file_write_with(&cv_file_unsynced, where, bytes, &rules, err);
}

bool cv_door_replace(const cv_mail_door *door, cv_where where, cv_str bytes, cv_file_rules *rules, cv_err *err)
{
    const struct timespec mark = cv_door_mark_time(door->now_ms);
    rules->time = &mark;
    bool ok = cv_file_write_with(&cv_file_unsynced, where, bytes, rules, err);
    rules->time = NULL;
    return ok;
}

bool cv_door_append(cv_where where, cv_str lines, cv_err *err)
{
    static const char doing[] = "add to the file";
    int folder = cv_where_open_folder(cv_where_folder(err->arena, where), CV_OS_HANDLE, true, doing, err);
    if (folder < 0)
        return false;
    int fd =
        openat(folder, cv_where_name(where), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    int number = errno;
    close(folder);
    if (fd < 0)
        return cv_system_fail(err, cv_where_path(err->arena, where), doing, number);
    struct stat st;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    number = ok ? 0 : ENXIO;
    if (ok && !cv_write_bytes(fd, lines)) {
        ok = false;
        number = errno;
        if (ftruncate(fd, st.st_size) != 0) /* a line is there whole or not at all */
            number = errno;
    }
    close(fd);
    return ok || cv_system_fail(err, cv_where_path(err->arena, where), doing, number);
}

void cv_door_log(cv_mail_door *door, const cv_door_agent *agent, const char *format, ...)
{
    cv_err err = {.arena = door->arena};
    va_list args;
    va_start(args, format);
    cv_str text = cv_arena_vprintf(door->arena, format, args);
    va_end(args);
    char *line = cv_arena_copy_z(door->arena, text);
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
            line[i] = ' ';
    cv_where where = cv_where_printf(door->arena, cv_door_root(door), "runtime/%s/files.log", agent->folder);
    cv_str dated = cv_arena_printf(door->arena, "%.*s %s\n", CV_FMT(cv_mail_time(door->arena, door->now_ms)), line);
    if (!cv_door_append(where, dated, &err))
        cv_log_line("%s (%.*s)", line, CV_FMT(err.message));
}

void cv_door_tell(cv_mail_door *door, const cv_door_agent *agent, const char *name, cv_door_result outcome,
                  cv_str reason)
{
    assert(outcome <= CV_DOOR_WAITING);
    static const cv_str words[] = {
        [CV_DOOR_TAKEN] = CV_STR_INIT("taken"),
        [CV_DOOR_REFUSED] = CV_STR_INIT("refused"),
        [CV_DOOR_RETURNED] = CV_STR_INIT("returned"),
        [CV_DOOR_WAITING] = CV_STR_INIT("waiting"),
    };
    _Static_assert(CV_COUNT(words) == CV_DOOR_WAITING + 1, "a word for every outcome");
    door->taken += outcome == CV_DOOR_TAKEN;
    door->refused += outcome == CV_DOOR_REFUSED;
    door->waiting += outcome == CV_DOOR_WAITING;
    cv_mail_handled_add(
        door->arena, &door->files,
        &(cv_mail_handled){cv_str_of(agent ? agent->folder : ""), cv_str_of(name), words[outcome], reason});
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static bool rename_between(cv_where from, cv_where to, cv_err *err)
{
    int left = cv_where_open_folder(cv_where_folder(err->arena, from), CV_OS_HANDLE, false, "open its folder", err);
    int right = left < 0
                    ? -1
                    : cv_where_open_folder(cv_where_folder(err->arena, to), CV_OS_HANDLE, true, "open the folder", err);
    bool ok = right >= 0 && cv_move_new(left, cv_where_name(from), right, cv_where_name(to));
    int number = errno;
    if (left >= 0)
        close(left);
    if (right >= 0)
        close(right);
    errno = number;
    return ok || (right >= 0 && cv_system_fail(err, cv_where_path(err->arena, from), "move it", number));
}

bool cv_door_move(cv_where from, cv_where to, bool durable, bool *ret_gone, cv_err *err)
{
    struct stat st;
    *ret_gone = false;
    if (durable ? cv_file_move(from, to, err) : rename_between(from, to, err))
        return true;
    if (cv_where_look(from, &st) || errno != ENOENT)
        return false;
    cv_err_clear(err);
    *ret_gone = true;
    return true;
}

/* The name, or one with a number before its end, that is free in the folder. */
static bool move_numbered(cv_mail_door *door, cv_where from, const cv_door_agent *agent, cv_door_folder folder,
                          const char *name, cv_where *ret_to, bool *ret_gone, cv_err *err)
{
    enum { MOST = 150 }; /* bytes of a name: there is room for what is put before and behind it */
    name = strlen(name) <= MOST ? name : cv_arena_copy_z(door->arena, cv_utf8_head(cv_str_of(name), MOST));
    for (int i = 0; i < 10; i++) {
        const char *own = i == 0 ? name : cv_arena_printf(door->arena, "%s~%s", cv_file_unique(door->arena), name).p;
        struct stat st;
        *ret_to = cv_door_in(door, agent, folder, own);
        if (cv_where_look(*ret_to, &st))
            continue;
        cv_err_clear(err);
        if (cv_door_move(from, *ret_to, false, ret_gone, err))
            return true;
        if (!cv_where_look(*ret_to, &st))
            return false;
    }
    return false;
}

bool cv_door_archive(cv_mail_door *door, const cv_door_agent *agent, cv_where file, const char *name, cv_err *err)
{
    cv_where to;
    bool gone;
    return move_numbered(door, file, agent, CV_DOOR_ARCHIVE, name, &to, &gone, err);
}

bool cv_door_quarantine(cv_mail_door *door, const cv_door_agent *agent, cv_where file, const char *name, cv_str reason,
                        cv_err *err)
{
    assert(reason.n > 0 && "a refusal has its reason");
    cv_where to;
    bool gone;
    if (!move_numbered(door, file, agent, CV_DOOR_QUARANTINE, name, &to, &gone, err) || gone)
        return gone;
    cv_door_tell(door, agent, name, CV_DOOR_REFUSED, reason);
    cv_door_log(door, agent, "%s was put into quarantine: %.*s", name, CV_FMT(reason));
    cv_where beside = {to.root, cv_arena_printf(door->arena, "%s.reason.txt", to.path).p};
    return cv_door_write(beside, cv_arena_printf(door->arena, "%.*s\n", CV_FMT(reason)), err) ||
           cv_door_pass_over(err); /* files.log has the reason */
}

bool cv_door_pass_over(cv_err *err)
{
    assert(err->code && "there is something to report");
    cv_mail_files_behind(err);
    cv_err_clear(err);
    return true;
}

/* ---- looking for changes ----------------------------------------------------------------------------------------- */

bool cv_door_is_marked(const struct stat *st)
{
    return st->st_mtim.tv_nsec == MARK_NS || st->st_mtim.tv_nsec == OWN_NS;
}

/* Has it a mark that is still good, and since which second? */
static bool has_mark(const cv_mail_door *door, const char *path, int64_t *ret_second)
{
    struct stat st;
    if (fstatat(door->lock, path, &st, AT_SYMLINK_NOFOLLOW) != 0 || !cv_door_is_marked(&st))
        return false;
    int64_t now = door->now_ms / 1000, second = st.st_mtim.tv_nsec == OWN_NS ? (int64_t)st.st_mtim.tv_sec : now;
    *ret_second = second;
    return second > now - CV_DOOR_BRIEF_MS / 1000 && second < now + CV_DOOR_BRIEF_MS / 1000;
}

bool cv_door_is_as_written(const cv_mail_door *door, const char *path)
{
    int64_t second;
    return has_mark(door, path, &second);
}

bool cv_door_is_quiet(const cv_mail_door *door, const char *path)
{
    return (door->looking || door->marks_hold) && cv_door_is_as_written(door, path);
}

static bool set_time(const cv_mail_door *door, const char *path, int64_t second, long ns)
{
    assert(door->lock >= 0 && path[0] != '/');
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {(time_t)second, ns}};
    return utimensat(door->lock, path, times, AT_SYMLINK_NOFOLLOW) == 0;
}

/* ---- do the marks hold? ---- */

static const char marks_file[] = ".marks";

/* This start of the machine, as a time. */
static int64_t boot_second(const cv_mail_door *door)
{
    cv_str boot = cv_os_boot(door->arena);
    uint32_t n = 1;
    for (size_t i = 0; i < boot.n; i++)
        n = n * 31 + (unsigned char)boot.p[i];
    return n >> 2;
}

bool cv_door_marks_hold(const cv_mail_door *door)
{
    struct stat st;
    return fstatat(door->lock, marks_file, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_mtim.tv_nsec == MARK_NS &&
           (int64_t)st.st_mtim.tv_sec == boot_second(door);
}

/* False: others cannot be informed, so no mark may be set. */
static bool begin_marking(cv_mail_door *door)
{
    int64_t second = boot_second(door);
    if (door->marking)
        return true;
    if (!set_time(door, marks_file, second, 0)) {
        int fd = openat(door->lock, marks_file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (fd < 0)
            return false;
        close(fd);
    }
    return door->marking = true;
}

void cv_door_end_marking(cv_mail_door *door)
{
    if (door->own.count > 0)
        cv_door_unmark_told(door);
    if (door->marking && door->marks_hold)
        (void)set_time(door, marks_file, boot_second(door), MARK_NS);
    door->marking = false;
}

/* ---- setting them ---- */

static void set_mark(cv_mail_door *door, const char *path, int64_t second, long ns)
{
    if (begin_marking(door))
        (void)set_time(door, path, second, ns);
}

void cv_door_mark(cv_mail_door *door, const char *path)
{
    set_mark(door, path, door->now_ms / 1000, MARK_NS);
}

void cv_door_mark_briefly(cv_mail_door *door, const char *path)
{
    set_mark(door, path, door->now_ms / 1000, OWN_NS);
}

void cv_door_unmark(const cv_mail_door *door, const char *path)
{
    (void)set_time(door, path, door->now_ms / 1000, 0);
}

static bool names_in(const cv_mail_door *door, const char *path, cv_door_list *ret)
{
    cv_err ignored = {.arena = door->arena};
    return cv_door_read(door, cv_where_in(door->arena, cv_door_root(door), path), false, ret, &ignored);
}

/* The names first, then the mark: if it is there, these are the names that were known. */
cv_door_change cv_door_change_begin(cv_mail_door *door, const cv_door_agent *agent, cv_door_folder folder)
{
    assert(door->lock >= 0 && "only who holds the folder changes it");
    cv_door_change c = {.path = cv_arena_printf(door->arena, "runtime/%s/%s", agent->folder, cv_door_names[folder]).p};
    c.quiet = door->marks_hold && (cv_door_is_told(door) || names_in(door, c.path, &c.names)) &&
              has_mark(door, c.path, &c.second) && begin_marking(door);
    return c;
}

/* Are they the same, except for one? */
static bool differ_by(const cv_door_list *before, const cv_door_list *after, const char *own)
{
    size_t b = 0, a = 0;
    for (;;) {
        while (b < before->count && strcmp(before->items[b], own) == 0)
            b++;
        while (a < after->count && strcmp(after->items[a], own) == 0)
            a++;
        if (b == before->count || a == after->count)
            return b == before->count && a == after->count;
        if (strcmp(before->items[b++], after->items[a++]) != 0)
            return false;
    }
}

void cv_door_change_end(cv_mail_door *door, const cv_door_change *change, const char *own)
{
    cv_door_list names;
    if (!change->quiet)
        return;
    (void)set_time(door, change->path, change->second, OWN_NS);
    if (cv_door_is_told(door))
        *CV_PUSH(door->arena, &door->own) = (cv_door_own){change->path, own};
    else if (!names_in(door, change->path, &names) || !differ_by(&change->names, &names, own))
        cv_door_unmark(door, change->path);
}

static int by_bytes(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static bool read_names(const cv_mail_door *door, cv_where folder, bool hidden, bool folders, cv_door_list *ret,
                       cv_err *err)
{
    struct stat st;
    *ret = (cv_door_list){0};
    if (!cv_where_look(folder, &st) && errno == ENOENT)
        return true;
    DIR *dir = cv_folder_open(folder, "look into the folder", err);
    if (!dir)
        return false;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        bool dots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (!dots && (hidden || entry->d_name[0] != '.') && (entry->d_type == DT_DIR) == folders)
            *CV_PUSH(door->arena, ret) = cv_arena_copy_z(door->arena, cv_str_of(entry->d_name));
    }
    closedir(dir);
    if (ret->count > 1)
        qsort(ret->items, ret->count, sizeof *ret->items, by_bytes);
    return true;
}

bool cv_door_read(const cv_mail_door *door, cv_where folder, bool hidden, cv_door_list *ret, cv_err *err)
{
    return read_names(door, folder, hidden, false, ret, err);
}

bool cv_door_folders(const cv_mail_door *door, cv_where folder, cv_door_list *ret, cv_err *err)
{
    return read_names(door, folder, false, true, ret, err);
}

void cv_door_watch(const cv_mail_door *door, cv_notify *n, cv_err *err)
{
    cv_door_list names;
    cv_where runtime = cv_where_in(door->arena, cv_door_root(door), "runtime");
    if (!cv_door_folders(door, runtime, &names, err) || names.count == 0)
        return;
    cv_notify_add(n, cv_door_root(door), err);
    cv_notify_add(n, runtime, err);
    cv_notify_add(n, cv_where_in(door->arena, cv_door_root(door), "temp"), err);
    for (size_t i = 0; i < names.count; i++) {
        cv_notify_add(n, cv_where_in(door->arena, runtime, names.items[i]), err);
        for (int f = CV_DOOR_INBOX; f <= CV_DOOR_OUTBOX; f++)
            cv_notify_add(n, cv_where_printf(door->arena, runtime, "%s/%s", names.items[i], cv_door_names[f]), err);
    }
}
