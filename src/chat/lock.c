/* lock.c - the write lock of a chat file; see lock.h. */
#include "chat/lock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "base/move.h"
#include "base/notify.h"
#include "base/os.h"
#include "chat/words/errors.h"
#include "kit/destination.h"

const char cv_chat_late_mark[] = ".late-";

enum { PAUSE_MS = 2, MOST_PAUSE_MS = 20, OWN_MS = 1000, TICK_MS = 10, MAX_OWNER = 512, MAX_KEPT = 1000 };

/* ---- the file system --------------------------------------------------------------------------------------------- */

static bool check_filesystem(const cv_chat_lock *l, cv_err *err)
{
    const char *name = cv_os_network(l->folder);
    if (!name)
        return true;
    cv_err_set(err, CV_ERR_CHAT_FILESYSTEM,
               "the folder is on %s, where machines do not see each other's renames in time", name);
    cv_err_file(err, cv_str_of(cv_where_path(err->arena, l->place->folder.where)));
    cv_err_suggest(err, CV_STR("keep chats on a local disk; here you can only read them"));
    return false;
}

cv_str cv_chat_fingerprint(cv_arena *a, const struct stat *st)
{
    return cv_arena_printf(a, "%llx:%llx:%llx:%llx.%lx:%llx.%lx", (unsigned long long)st->st_dev,
                           (unsigned long long)st->st_ino, (unsigned long long)st->st_size,
                           (unsigned long long)st->st_mtim.tv_sec, (unsigned long)st->st_mtim.tv_nsec,
                           (unsigned long long)st->st_ctim.tv_sec, (unsigned long)st->st_ctim.tv_nsec);
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static bool fail(const cv_chat_lock *l, const char *name, const char *what, int number, cv_err *err)
{
    cv_system_fail(err, cv_where_path(err->arena, cv_where_in(err->arena, l->place->folder.where, name)), what, number);
    return false;
}

/* A file of one line that the kernel or the system has about this machine. */
static cv_str machine_line(cv_arena *a, const char *path)
{
    char line[128];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, line, sizeof line) : 0;
    if (fd >= 0)
        close(fd);
    return cv_arena_copy(a, cv_str_trim((cv_str){line, n > 0 ? (size_t)n : 0}));
}

static cv_str host_name(cv_arena *a)
{
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    cv_str machine = machine_line(a, "/etc/machine-id");
    return cv_arena_printf(a, "%s/%.*s", name, CV_FMT(machine));
}

static void begin(cv_call *call, const cv_chat_place *place, cv_chat_lock *l)
{
    *l = (cv_chat_lock){
        .place = place, .arena = call->arena, .folder = -1, .wf = -1, .lock = -1, .file = -1, .fresh = -1};
    l->boot = cv_os_boot(l->arena);
    l->host = host_name(l->arena);
}

/* Something else is where the locks are: a link, a pipe. `name`: ".wf", or a file in it. */
static bool refuse_planted(const cv_chat_lock *l, const char *name, const char *wanted, cv_err *err)
{
    cv_where there = cv_where_in(err->arena, l->place->folder.where, name);
    cv_err_set(err, CV_ERR_NOT_A_FILE, "'%s' is not a %s, but a link or a device", name, wanted);
    cv_err_file(err, cv_str_of(cv_where_path(err->arena, there)));
    cv_err_suggest(err, CV_STR("remove it: it is made again; nothing was changed"));
    return false;
}

static bool open_folders(cv_chat_lock *l, bool make, cv_err *err)
{
    struct stat st;
    l->folder = cv_where_open_folder(l->place->folder.where, O_RDONLY, false, "open the folder of the chat", err);
    if (l->folder < 0 || !check_filesystem(l, err))
        return false;
    if (make && mkdirat(l->folder, ".wf", 0777) != 0 && errno != EEXIST)
        return fail(l, ".wf", "make the folder of the locks", errno, err);
    l->wf = openat(l->folder, ".wf", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (l->wf < 0 && (errno == ENOTDIR || errno == ELOOP))
        return refuse_planted(l, ".wf", "folder", err);
    if (l->wf < 0)
        return fail(l, ".wf", "open the folder of the locks", errno, err);
    const char *name = cv_arena_printf(l->arena, ".wf/%s", l->place->lock).p;
    l->lock = openat(l->wf, l->place->lock, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (make ? O_CREAT : 0), 0666);
    if ((l->lock < 0 && (errno == ELOOP || errno == ENXIO || errno == EISDIR)) ||
        (l->lock >= 0 && fstat(l->lock, &st) == 0 && !S_ISREG(st.st_mode)))
        return refuse_planted(l, name, "file", err);
    return l->lock >= 0 || fail(l, name, "open the lock of the chat", errno, err);
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- the owner --------------------------------------------------------------------------------------------------- */

/* Files are stamped by this clock, or by one that is a few milliseconds behind it: what was renamed before is never
 * later than this. */
static int64_t stamp_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t renamed_ms(const struct stat *st)
{
    return cv_timespec_ns(st->st_ctim) / 1000000;
}

/* What an owner wrote; `state` empty: nobody owns the lock. */
typedef struct {
    cv_str state, boot, host;
    int64_t pid, at_ms;
} owner;

/* One write: it is there as a whole, or not at all. */
static bool say(const cv_chat_lock *l, const char *state)
{
    assert(l->lock >= 0 && *state);
    cv_str text = cv_arena_printf(l->arena, "%s %lld %lld %.*s %.*s\n", state, (long long)getpid(),
                                  (long long)stamp_ms(), CV_FMT(l->boot), CV_FMT(l->host));
    return pwrite(l->lock, text.p, text.n, 0) == (ssize_t)text.n && ftruncate(l->lock, (off_t)text.n) == 0;
}

static void forget(const cv_chat_lock *l)
{
    assert(l->lock >= 0);
    int ignored = ftruncate(l->lock, 0);
    (void)ignored;
}

static int64_t to_number(cv_str s)
{
    int64_t value = 0;
    for (size_t i = 0; i < s.n && cv_is_digit(s.p[i]) && value < INT64_MAX / 100; i++)
        value = value * 10 + (s.p[i] - '0');
    return value;
}

/* Something that cannot be read was being written by one who died. */
static owner read_owner(const cv_chat_lock *l)
{
    assert(l->lock >= 0);
    char text[MAX_OWNER];
    ssize_t n = pread(l->lock, text, sizeof text, 0);
    cv_str rest = cv_arena_copy(l->arena, cv_str_trim((cv_str){text, n > 0 ? (size_t)n : 0})), word;
    owner o = {0};
    cv_str *const texts[] = {&o.state, NULL, NULL, &o.boot, &o.host};
    for (size_t i = 0; i < CV_COUNT(texts) && cv_str_split(&rest, ' ', &word); i++) {
        if (texts[i])
            *texts[i] = word;
        else
            *(i == 1 ? &o.pid : &o.at_ms) = to_number(word);
    }
    return o;
}

/* We have the flock, and this is in the file: is its owner certainly dead? On this machine the kernel has said so. */
static bool is_of_this_machine(const cv_chat_lock *l, const owner *o)
{
    return cv_str_eq(o->boot, l->boot) || !o->host.n || cv_str_eq(o->host, l->host);
}

/* ---- recovery ---------------------------------------------------------------------------------------------------- */

static bool look(const cv_chat_lock *l, const char *name, struct stat *ret)
{
    assert(l->folder >= 0);
    return fstatat(l->folder, name, ret, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Did the dead owner rename the file, and nobody after it? */
static bool is_its_own(const owner *o, const struct stat *st)
{
    if (cv_str_eq(o->state, CV_STR("taken")))
        return true;
    if (cv_str_eq(o->state, CV_STR("taking")))
        return renamed_ms(st) >= o->at_ms - TICK_MS && renamed_ms(st) <= o->at_ms + OWN_MS;
    return cv_str_eq(o->state, CV_STR("releasing")) && renamed_ms(st) <= o->at_ms;
}

/* The turn is ours: what a dead owner left is undone. False: its machine is another one. */
static bool recover(const cv_chat_lock *l, const owner *o)
{
    struct stat st;
    if (!o->state.n)
        return true;
    if (!is_of_this_machine(l, o))
        return false;
    if (look(l, l->place->editing, &st) && is_its_own(o, &st))
        cv_move_new(l->folder, l->place->editing, l->folder, l->place->name);
    unlinkat(l->wf, l->place->private, 0);
    forget(l);
    return true;
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */

static cv_str print_ms(cv_arena *a, int64_t ms)
{
    char text[CV_TIME_LEN + 1];
    cv_time_print(ms, text);
    return cv_time_short(a, cv_arena_copy(a, (cv_str){text, CV_TIME_LEN}));
}

static cv_lock_result busy(const cv_chat_lock *l, cv_err *err)
{
    owner o = read_owner(l);
    struct stat st;
    bool renamed = look(l, l->place->editing, &st);
    cv_str who = !o.state.n ? (renamed ? CV_STR("by hand") : CV_STR("by another process"))
                            : cv_arena_printf(l->arena, "by process %lld of %.*s", (long long)o.pid,
                                              CV_FMT(cv_str_head(o.host, cv_str_find_char(o.host, '/'))));
    cv_str since =
        renamed ? cv_arena_printf(l->arena, " since %.*s", CV_FMT(print_ms(l->arena, renamed_ms(&st)))) : CV_STR("");
    cv_err_set(err, CV_ERR_CHAT_LOCKED, "the chat '%.*s' is locked %.*s%.*s", CV_FMT(l->place->id), CV_FMT(who),
               CV_FMT(since));
    cv_err_operation(err, CV_STR("chat unlock"));
    cv_err_suggest(err, CV_STR("says who holds it, and releases it with force; or wait, and try again"));
    return CV_LOCK_BUSY;
}

static cv_lock_result conflict(const cv_chat_lock *l, cv_err *err)
{
    cv_err_set(err, CV_ERR_CHAT_CONFLICT, "'%s' and '%s' are both there: a file was made while the chat was locked",
               l->place->name, l->place->editing);
    cv_err_file(err, cv_str_of(cv_where_path(err->arena, l->place->folder.where)));
    cv_err_operation(err, CV_STR("chat unlock"));
    cv_err_suggest(err, CV_STR("with force and keep (file or editing) chooses one; the other is kept in .wf"));
    return CV_LOCK_CONFLICT;
}

/* Waits a moment, a different one for each process; false: the time is over. */
static bool pause_until(int64_t until, unsigned *tries)
{
    int64_t left = until - cv_monotonic_ms();
    if (left <= 0)
        return false;
    unsigned most = PAUSE_MS + *tries < MOST_PAUSE_MS ? PAUSE_MS + (*tries)++ : MOST_PAUSE_MS;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t us = 200 + ((now.tv_nsec / 1000) ^ (getpid() * 7919)) % (most * 1000);
    us = us > left * 1000 ? left * 1000 : us;
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
    return true;
}

/* The turn among our own processes. */
static cv_lock_result take_turn(cv_chat_lock *l, int64_t until, unsigned *tries, cv_err *err)
{
    while (flock(l->lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            fail(l, ".wf", "lock the chat", errno, err);
            return CV_LOCK_FAILED;
        }
        if (!pause_until(until, tries))
            return busy(l, err);
    }
    owner o = read_owner(l);
    return recover(l, &o) ? CV_LOCK_HELD : busy(l, err);
}

/* One try to rename the file; BUSY without an error: try again. */
static cv_lock_result rename_away(cv_chat_lock *l, cv_err *err)
{
    assert(l->lock >= 0 && !l->held);
    struct stat st;
    if (look(l, l->place->editing, &st)) /* nothing is written for nothing, and no word is left beside a hand's lock */
        return look(l, l->place->name, &st) ? CV_LOCK_CONFLICT : CV_LOCK_BUSY;
    l->before = (struct stat){0};
    if (look(l, l->place->name, &l->before) && !S_ISREG(l->before.st_mode)) {
        fail(l, l->place->name, S_ISLNK(l->before.st_mode) ? "use a link as a chat" : "use this as a chat", EINVAL,
             err);
        return CV_LOCK_FAILED;
    }
    if (!say(l, "taking")) {
        fail(l, ".wf", "write the lock of the chat", errno, err);
        return CV_LOCK_FAILED;
    }
    if (cv_move_new(l->folder, l->place->name, l->folder, l->place->editing)) {
        l->held = true;
        say(l, "taken");
        return CV_LOCK_HELD;
    }
    int number = errno;
    forget(l);
    if (number == ENOENT || number == EEXIST)
        return CV_LOCK_BUSY;
    fail(l, l->place->name, "lock the chat", number, err);
    return CV_LOCK_FAILED;
}

static cv_lock_result open_file(cv_chat_lock *l, cv_err *err)
{
    assert(l->held && l->file < 0);
    l->file = openat(l->folder, l->place->editing, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (l->file >= 0 && fstat(l->file, &l->st) == 0) {
        bool same = l->st.st_ino == l->before.st_ino && l->st.st_size == l->before.st_size &&
                    l->st.st_mtim.tv_sec == l->before.st_mtim.tv_sec &&
                    l->st.st_mtim.tv_nsec == l->before.st_mtim.tv_nsec;
        if (!same) /* somebody wrote to it between our look and our rename */
            l->before = l->st;
        return CV_LOCK_HELD;
    }
    fail(l, l->place->editing, "open the chat", errno, err);
    return CV_LOCK_FAILED;
}

static cv_lock_result fail_absent(const cv_chat_lock *l, cv_err *err)
{
    cv_err_set(err, CV_ERR_CHAT_NOT_FOUND, "the chat '%.*s' is not there any more", CV_FMT(l->place->id));
    cv_err_file(err, cv_str_of(cv_where_path(err->arena, l->place->folder.where)));
    return CV_LOCK_FAILED;
}

cv_lock_result cv_chat_lock_take(cv_call *call, const cv_chat_place *place, int64_t wait_ms, cv_chat_lock *l,
                                 cv_err *err)
{
    int64_t until = cv_monotonic_ms() + wait_ms;
    unsigned tries = 0, conflicts = 0, absent = 0;
    assert(wait_ms >= 0);
    begin(call, place, l);
    if (!open_folders(l, true, err))
        return CV_LOCK_FAILED;
    cv_lock_result result = take_turn(l, until, &tries, err);
    if (result != CV_LOCK_HELD)
        return result;
    for (;;) {
        struct stat st;
        result = rename_away(l, err);
        if (result == CV_LOCK_HELD)
            return open_file(l, err);
        if (result == CV_LOCK_FAILED)
            return result;
        if (result == CV_LOCK_CONFLICT && ++conflicts > 8) /* not only in the middle of somebody's two steps */
            return conflict(l, err);
        if (result == CV_LOCK_BUSY && !look(l, place->name, &st) && !look(l, place->editing, &st) && ++absent > 8)
            return fail_absent(l, err);
        if (!pause_until(until, &tries))
            return result == CV_LOCK_CONFLICT ? conflict(l, err) : busy(l, err);
    }
}

cv_lock_result cv_chat_lock_turn(cv_call *call, const cv_chat_place *place, int64_t wait_ms, cv_chat_lock *l,
                                 cv_err *err)
{
    int64_t until = cv_monotonic_ms() + wait_ms;
    unsigned tries = 0;
    begin(call, place, l);
    if (!open_folders(l, true, err))
        return CV_LOCK_FAILED;
    return take_turn(l, until, &tries, err);
}

/* ---- the new version --------------------------------------------------------------------------------------------- */

static bool copy_changed(const cv_chat_lock *l, const cv_chat_edits *edits)
{
    off_t from = 0;
    for (size_t i = 0; i < edits->count; i++) {
        const cv_chat_edit *e = &edits->items[i];
        assert(e->at >= (size_t)from && "edits are in their order");
        if (!cv_copy_bytes(l->file, from, e->at - (size_t)from, l->fresh) || !cv_write_bytes(l->fresh, e->with))
            return false;
        from = (off_t)(e->at + e->n);
    }
    return cv_copy_bytes(l->file, from, (size_t)(l->st.st_size - from), l->fresh);
}

bool cv_chat_lock_write(cv_chat_lock *l, const cv_chat_edits *edits, cv_str tail, cv_err *err)
{
    const char *name = l->place->private;
    assert(l->held && l->fresh < 0);
    unlinkat(l->wf, name, 0);
    l->fresh = openat(l->wf, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (l->fresh < 0)
        return fail(l, ".wf", "make the new version", errno, err);
    bool owned = fchown(l->fresh, l->st.st_uid, l->st.st_gid) == 0;
    (void)owned; /* the content matters more than the owner */
    if (fchmod(l->fresh, l->st.st_mode & 0777) != 0 || !copy_changed(l, edits) || !cv_write_bytes(l->fresh, tail))
        return fail(l, ".wf", "write the new version", errno, err);
    return fdatasync(l->fresh) == 0 || fail(l, ".wf", "bring the new version to disk", errno, err);
}

/* What was exchanged is the version that was read, and nobody wrote to it. An editor writes by a rename: then it is
 * another file. */
static bool is_as_read(const cv_chat_lock *l, const struct stat *st)
{
    return st->st_dev == l->st.st_dev && st->st_ino == l->st.st_ino && st->st_size == l->st.st_size &&
           st->st_mtim.tv_sec == l->st.st_mtim.tv_sec && st->st_mtim.tv_nsec == l->st.st_mtim.tv_nsec;
}

/* Somebody wrote to the old version while it was ours: nothing of it is lost. */
static void keep_late(cv_chat_lock *l)
{
    assert(l->exchanged);
    struct stat st;
    if (fstatat(l->wf, l->place->private, &st, AT_SYMLINK_NOFOLLOW) != 0) /* a file system that cannot exchange */
        return;
    if (is_as_read(l, &st)) {
        unlinkat(l->wf, l->place->private, 0);
        return;
    }
    for (int i = 1; i <= MAX_KEPT; i++) {
        const char *name = cv_arena_printf(l->arena, "%.*s%s%d.txt", CV_FMT(l->place->id), cv_chat_late_mark, i).p;
        if (cv_move_new(l->wf, l->place->private, l->wf, name)) {
            l->late = cv_arena_printf(l->arena, ".wf/%s", name).p;
            return;
        }
    }
}

/* The new version under the locked name. */
static bool exchange(cv_chat_lock *l, cv_err *err)
{
    assert(l->held && !l->exchanged);
    if (cv_move_exchange(l->wf, l->place->private, l->folder, l->place->editing))
        return true;
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
        return fail(l, l->place->editing, "put the new version in place", errno, err);
    return renameat(l->wf, l->place->private, l->folder, l->place->editing) == 0 ||
           fail(l, l->place->editing, "put the new version in place", errno, err);
}

/* The new version gets the name of the chat. A process that gave it that name without the lock did the same. */
static bool give_name(cv_chat_lock *l)
{
    struct stat ours, st;
    if (cv_move_new(l->folder, l->place->editing, l->folder, l->place->name))
        return true;
    int number = errno;
    bool there = look(l, l->place->name, &st) && fstat(l->fresh, &ours) == 0 && st.st_dev == ours.st_dev &&
                 st.st_ino == ours.st_ino;
    errno = number;
    return there;
}

static void *sync_names(void *ctx)
{
    cv_chat_lock *l = ctx;
    l->sync_errno = fsync(l->folder) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
    return NULL;
}

/* The record's commit waits for the disk, too: both wait at the same time. */
static void begin_sync(cv_chat_lock *l)
{
    assert(!l->syncing && l->published);
    l->syncing = pthread_create(&l->syncer, NULL, sync_names, l) == 0;
    if (!l->syncing)
        sync_names(l);
}

static void end_sync(cv_chat_lock *l)
{
    if (l->syncing)
        pthread_join(l->syncer, NULL);
    l->syncing = false;
}

cv_lock_result cv_chat_lock_publish(cv_chat_lock *l, cv_err *err)
{
    struct stat st;
    assert(l->held && l->fresh >= 0 && !l->published);
    if (look(l, l->place->name, &st))
        return conflict(l, err);
    if (!exchange(l, err))
        return CV_LOCK_FAILED;
    l->exchanged = true;
    say(l, "releasing");
    bool named = give_name(l);
    int number = errno;
    keep_late(l);
    if (!named) {
        l->held = number != EEXIST;
        if (number == EEXIST)
            return conflict(l, err);
        fail(l, l->place->name, "rename the chat back", number, err);
        return CV_LOCK_FAILED;
    }
    forget(l);
    l->held = false;
    l->published = true;
    begin_sync(l);
    if (fstat(l->fresh, &l->st) == 0)
        return CV_LOCK_HELD;
    fail(l, l->place->name, "look at the new version", errno, err);
    return CV_LOCK_FAILED;
}

bool cv_chat_lock_sync(cv_chat_lock *l, cv_err *err)
{
    end_sync(l);
    if (l->sync_errno == 0)
        return true;
    fail(l, l->place->name, "bring the folder to disk", l->sync_errno, err);
    cv_err_suggest(err,
                   CV_STR("the chat has the change, but it may not survive a power cut: look before you do it again"));
    return false;
}

void cv_chat_lock_end(cv_chat_lock *l)
{
    end_sync(l);
    if (l->fresh >= 0 && !l->exchanged)
        unlinkat(l->wf, l->place->private, 0);
    if (l->held) {
        say(l, "releasing");
        cv_move_new(l->folder, l->place->editing, l->folder, l->place->name);
        forget(l);
        l->held = false;
    }
    close_fd(&l->fresh);
    close_fd(&l->file);
    close_fd(&l->lock); /* gives the flock back, too */
    close_fd(&l->wf);
    close_fd(&l->folder);
}

/* ---- about a lock ------------------------------------------------------------------------------------------------ */

static cv_holder holder_of(const cv_chat_lock *l, bool free, const owner *o, bool file, bool editing,
                           const struct stat *st)
{
    if (!editing)
        return CV_HOLDER_NONE;
    if (file)
        return CV_HOLDER_BOTH;
    if (!free && o->state.n) /* one that only waits for its turn has said nothing, and holds nothing */
        return CV_HOLDER_OURS;
    if (!o->state.n || !is_its_own(o, st))
        return CV_HOLDER_HAND;
    return is_of_this_machine(l, o) ? CV_HOLDER_DEAD : CV_HOLDER_OTHER_HOST;
}

bool cv_chat_lock_holder(cv_call *call, const cv_chat_place *place, cv_chat_holder *ret, cv_err *err)
{
    cv_chat_lock l;
    struct stat st = {0}, file;
    cv_err none = {.arena = call->arena};
    begin(call, place, &l);
    *ret = (cv_chat_holder){0};
    bool known = open_folders(&l, false, &none);
    if (l.folder < 0) {
        cv_err_copy(err, &none);
        return false;
    }
    bool free = !known || flock(l.lock, LOCK_EX | LOCK_NB) == 0;
    owner o = known ? read_owner(&l) : (owner){0};
    bool editing = look(&l, place->editing, &st);
    ret->kind = holder_of(&l, free, &o, look(&l, place->name, &file), editing, &st);
    ret->st = st;
    if (editing)
        ret->since = print_ms(call->arena, renamed_ms(&st));
    cv_str process = cv_arena_printf(call->arena, "process %lld of %.*s", (long long)o.pid, CV_FMT(o.host));
    ret->text = ret->kind == CV_HOLDER_NONE                                  ? CV_STR("nobody")
                : ret->kind == CV_HOLDER_HAND || ret->kind == CV_HOLDER_BOTH ? CV_STR("somebody, by hand")
                                                                             : process;
    cv_chat_lock_end(&l);
    return true;
}

/* The file that does not become the chat. */
static bool put_aside(cv_chat_lock *l, const char *name, const char **ret_kept, cv_err *err)
{
    assert(l->wf >= 0);
    for (int i = 1; i <= MAX_KEPT; i++) {
        const char *kept = cv_arena_printf(l->arena, "%.*s.kept-%d.txt", CV_FMT(l->place->id), i).p;
        if (cv_move_new(l->folder, name, l->wf, kept)) {
            *ret_kept = cv_arena_printf(l->arena, ".wf/%s", kept).p;
            return true;
        }
        if (errno != EEXIST)
            return fail(l, name, "keep the file in .wf", errno, err);
    }
    return fail(l, name, "keep the file in .wf: there are too many", EEXIST, err);
}

/* Between the look and the force somebody else may have taken the lock, or its holder has written: it is in use. */
static bool is_as_seen(const cv_chat_holder *seen, const struct stat *st)
{
    return seen->st.st_ino == st->st_ino && seen->st.st_ctim.tv_sec == st->st_ctim.tv_sec &&
           seen->st.st_ctim.tv_nsec == st->st_ctim.tv_nsec;
}

bool cv_chat_lock_break(cv_call *call, const cv_chat_place *place, const cv_chat_holder *seen, bool keep_editing,
                        const char **ret_kept, cv_err *err)
{
    cv_chat_lock l;
    struct stat st, other;
    begin(call, place, &l);
    *ret_kept = NULL;
    bool ok = open_folders(&l, true, err);
    bool editing = ok && look(&l, place->editing, &st), both = editing && look(&l, place->name, &other);
    /* who only waits for its turn holds nothing */
    bool ours = ok && flock(l.lock, LOCK_EX | LOCK_NB) != 0 && read_owner(&l).state.n;
    if (ours || (editing && !is_as_seen(seen, &st))) {
        busy(&l, err);
        ok = false;
    }
    if (both)
        ok = put_aside(&l, keep_editing ? place->name : place->editing, ret_kept, err);
    if (ok && editing && (!both || keep_editing))
        ok = cv_move_new(l.folder, place->editing, l.folder, place->name) ||
             fail(&l, place->editing, "rename the chat back", errno, err);
    if (ok) {
        forget(&l);
        fsync(l.folder);
    }
    cv_chat_lock_end(&l);
    return ok;
}
