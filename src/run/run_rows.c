/* run_rows.c - the rows of one run; see run_rows.h. */
#include "run/run_rows.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/monotonic.h"
#include "base/os.h"
#include "kit/destination.h"
#include "kit/request.h"
#include "record/hash.h"

#define CV_ERR_ROWS "run/err.def"
#define CV_ERR_LIST cv_run_codes
#include "base/err_table.def"

#define CV_THIS_TYPE cv_attempt_row
const cv_shape cv_attempt_shape[] = {
    CV_FIELD(ALWAYS, round, ""),
    CV_FIELD(ALWAYS, who, "an expert, judge or control"),
    CV_FIELD(ALWAYS, attempt, "from 1"),
    CV_WORD(ALWAYS, "task", task, &cv_task_words, ""),
    CV_FIELD(ALWAYS, agent, ""),
    CV_FIELD(ALWAYS, reach, ""),
    CV_FIELD(IF_ANY, model, "that answered, or was asked for"),
    CV_WORD(ALWAYS, "state", state, &cv_attempt_words, ""),
    CV_FIELD(IF_ANY, message, "why there is no answer"),
    CV_FIELD(ALWAYS, started_at, ""),
    CV_FIELD(IF_ANY, ended_at, ""),
    CV_FIELD(IF_ANY, duration_ms, ""),
    CV_FIELD(IF_ANY, markers, "items, references and moves that were found"),
    CV_FIELD(IF_ANY, exit_status, ""),
    CV_FIELD(IF_ANY, http_status, ""),
    CV_FIELD(IF_ANY, retry_after_ms, "that the server asked for"),
    CV_FIELD(IF_ANY, tokens_in, ""),
    CV_FIELD(IF_ANY, tokens_out, ""),
    CV_FIELD(IF_ANY, cost, "millionths of a US dollar"),
    CV_FIELD(IF_ANY, prompt_bytes, ""),
    CV_FIELD(IF_ANY, answer_bytes, ""),
    CV_FIELD(IF_ANY, prompt_sha256, ""),
    CV_FIELD(IF_ANY, answer_sha256, ""),
    CV_FIELD(IF_ANY, output, "the file with the answer, below the project"),
    CV_FIELD(IF_ANY, message_id, "of the mail"),
    CV_FIELD(IF_ANY, tail, "the end of standard error"),
    CV_FIELD(IF_ANY, faults, "why the answer was refused"),
    {0},
};
#undef CV_THIS_TYPE

cv_where cv_run_rows_where(cv_arena *a, const char *root, cv_str dialogue_id, const char *name)
{
    cv_where folder = {root, cv_record_path(a, "", "runs")};
    return cv_where_printf(a, folder, "%.*s%s%s", CV_FMT(dialogue_id), *name ? "/" : "", name);
}

/* ---- reading -------------------------------------------------------------------------------------------------------
 */

static bool keep_attempt(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    cv_run_rows *l = ctx;
    (void)scope, (void)err;
    *CV_PUSH(l->arena, &l->attempts) = *(cv_attempt_row *)cv_row_copy(l->arena, &cv_attempt_row_type, row);
    return true;
}

static bool read_rows(cv_run_rows *l, cv_err *err)
{
    cv_record *record = l->call->record;
    cv_scope_position at;
    cv_scope_id scope = cv_run_scope(l->dialogue_id);
    const cv_find find = {.type = &cv_attempt_row_type, .scope = scope};
    cv_row_clear(&cv_run_row_type, &l->run);
    l->run.dialogue_id = l->dialogue_id;
    l->attempts.count = 0;
    bool ok = record->calls->begin(record, l->arena, scope, &at, err) &&
              cv_record_get(record, l->arena, scope, &cv_run_row_type, &l->run, &l->exists, err) &&
              record->calls->find(record, &find, keep_attempt, l, err);
    record->calls->end(record);
    return ok;
}

bool cv_run_rows_open(cv_run_rows *l, const cv_call *call, cv_arena *a, cv_str dialogue_id, cv_err *err)
{
    *l = (cv_run_rows){.call = call, .arena = a, .dialogue_id = dialogue_id, .lock = -1};
    return read_rows(l, err);
}

cv_attempts cv_run_rows_of(const cv_run_rows *l, int64_t round, cv_str who, cv_run_task task)
{
    assert(task < CV_TASK_COUNT);
    cv_attempts found = {0};
    for (size_t i = 0; i < l->attempts.count; i++) {
        const cv_attempt_row *row = &l->attempts.items[i];
        if (row->round == round && cv_str_eq(row->who, who) && cv_str_eq(row->task, cv_task_words.items[task])) {
            found.items = found.items ? found.items : &l->attempts.items[i];
            found.count++;
        }
    }
    return found;
}

size_t cv_run_rows_tried(const cv_run_rows *l, const cv_attempt_row *row)
{
    size_t n = 0;
    for (size_t i = 0; i < l->attempts.count; i++) {
        const cv_attempt_row *other = &l->attempts.items[i];
        n += other->round == row->round && other->attempt <= row->attempt && cv_str_eq(other->who, row->who) &&
             cv_str_eq(other->task, row->task);
    }
    return n;
}

bool cv_run_rows_look(cv_run_rows *l, cv_err *err)
{
    bool found;
    return cv_record_get(l->call->record, l->arena, cv_run_scope(l->dialogue_id), &cv_run_row_type, &l->run, &found,
                         err);
}

/* ---- writing -------------------------------------------------------------------------------------------------------
 */

static bool begin_write(const cv_run_rows *l, cv_writing *w, cv_str op_id, cv_err *err)
{
    if (!cv_writing_begin(w, l->call->record, l->arena, cv_run_scope(l->dialogue_id), op_id, cv_call_now(l->call), err))
        return false;
    w->agent = l->call->who.name;
    w->standing = l->call->who.standing;
    return true;
}

/* *ret_rev: that the written rows have; NULL: the caller has none. */
static bool commit_write(const cv_run_rows *l, cv_writing *w, cv_str op_id, const char *operation, int64_t *ret_rev,
                         cv_err *err)
{
    cv_written written;
    const cv_request request = {
        .op_id = op_id, .digest = cv_hash_text(l->arena, op_id), .operation = cv_str_of(operation)};
    bool ok = cv_writing_commit(w, &request, CV_STR("{}"), &written, err);
    cv_writing_end(w);
    if (ok && ret_rev)
        *ret_rev = written.rev;
    return ok;
}

static cv_str op_of(const cv_run_rows *l, const cv_attempt_row *row)
{
    return cv_arena_printf(l->arena, "run/%.*s/%lld/%.*s/%lld/%.*s", CV_FMT(l->dialogue_id), (long long)row->round,
                           CV_FMT(row->who), (long long)row->attempt, CV_FMT(row->state));
}

/* An attempt with the event that tells all of it. */
static void put_attempt(const cv_run_rows *l, cv_writing *w, const cv_attempt_row *row)
{
    assert(cv_words_find(cv_attempt_words, row->state) >= 0);
    cv_attempt_row *kept = cv_writing_put(w, &cv_attempt_row_type, row);
    cv_event_row *event = cv_writing_event(
        w, CV_STR("attempt"),
        cv_arena_printf(l->arena, "%lld/%.*s/%lld", (long long)row->round, CV_FMT(row->who), (long long)row->attempt),
        row->state);
    event->step = row->round;
    event->actors = cv_arena_printf(l->arena, "[\"%.*s\"]", CV_FMT(row->who));
    event->reason = row->message;
    event->data = cv_shape_text(l->arena, cv_attempt_shape, row);
    cv_writing_covers(w, event, &cv_attempt_row_type, kept);
}

bool cv_run_rows_begin(cv_run_rows *l, const cv_attempt_row *rows, size_t count, cv_err *err)
{
    assert(l->exists && l->lock >= 0 && count > 0 && "a run that was taken asks somebody");
    cv_writing w;
    int64_t rev;
    cv_str op_id = op_of(l, &rows[0]);
    if (!begin_write(l, &w, op_id, err))
        return false;
    for (size_t i = 0; i < count; i++)
        put_attempt(l, &w, &rows[i]);
    if (!commit_write(l, &w, op_id, "run attempt", &rev, err))
        return false;
    for (size_t i = 0; i < count; i++) { /* in their places: attempts of one stand together, in their order */
        size_t at = l->attempts.count;
        *CV_PUSH(l->arena, &l->attempts) = rows[i];
        for (; at > 0 && cv_row_order(&cv_attempt_row_type, &l->attempts.items[at - 1], &rows[i]) > 0; at--)
            l->attempts.items[at] = l->attempts.items[at - 1];
        l->attempts.items[at] = rows[i];
        l->attempts.items[at].rev = rev;
    }
    return true;
}

bool cv_run_rows_end(cv_run_rows *l, cv_attempt_row *const *rows, size_t count, cv_err *err)
{
    cv_writing w;
    int64_t rev;
    assert(count > 0);
    cv_str op_id = op_of(l, rows[0]);
    if (!begin_write(l, &w, op_id, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        assert(!cv_str_eq(rows[i]->state, cv_attempt_words.items[CV_ATTEMPT_STARTED]));
        rows[i]->ended_at = rows[i]->ended_at.p ? rows[i]->ended_at : w.now;
        put_attempt(l, &w, rows[i]);
    }
    if (!commit_write(l, &w, op_id, "run attempt", &rev, err))
        return false;
    for (size_t i = 0; i < count; i++)
        rows[i]->rev = rev;
    return true;
}

static void put_run(cv_run_rows *l, cv_writing *w, const char *what)
{
    l->run.changed_at = w->now;
    l->run.started_at = l->run.started_at.p ? l->run.started_at : w->now;
    cv_run_row *kept = cv_writing_put(w, &cv_run_row_type, &l->run);
    cv_event_row *event = cv_writing_event(w, CV_STR("run"), l->dialogue_id, cv_str_of(what));
    event->reason = l->run.message;
    cv_writing_covers(w, event, &cv_run_row_type, kept);
}

static cv_str fresh_op(const cv_run_rows *l)
{
    return cv_arena_printf(l->arena, "run/%.*s/%s", CV_FMT(l->dialogue_id), cv_file_unique(l->arena));
}

bool cv_run_rows_change(cv_run_rows *l, const char *event, cv_err *err)
{
    cv_writing w;
    cv_str op_id = fresh_op(l);
    if (!begin_write(l, &w, op_id, err))
        return false;
    put_run(l, &w, event);
    return commit_write(l, &w, op_id, "run", NULL, err);
}

/* ---- the lease -----------------------------------------------------------------------------------------------------
 */

static cv_str host_name(cv_arena *a)
{
    char name[256] = "";
    cv_str boot = cv_os_boot(a);
    gethostname(name, sizeof name - 1);
    return cv_arena_printf(a, "%s %.*s", name, CV_FMT(boot));
}

static bool refuse_busy(const cv_run_rows *l, cv_str holder, cv_err *err)
{
    cv_err_set(err, CV_ERR_RUN_BUSY, "'%.*s' is being run already%s%.*s", CV_FMT(l->dialogue_id), holder.n ? ": " : "",
               CV_FMT(holder));
    cv_err_operation(err, CV_STR("run status"));
    cv_str stop = cv_name_call(l->call->name, l->arena, CV_STR("run stop"), l->dialogue_id, NULL, 0);
    cv_err_suggest(err, cv_arena_printf(l->arena, "shows its progress; '%.*s' ends it", CV_FMT(stop)));
    return false;
}

static cv_str holder_text(cv_arena *a, const cv_lease_row *lease)
{
    return cv_arena_printf(a, "process %lld on %.*s, since %.*s", (long long)lease->pid,
                           CV_FMT(cv_str_head(lease->host, cv_str_find_char(lease->host, ' '))), CV_FMT(lease->since));
}

static bool read_lease(const cv_run_rows *l, cv_lease_row *ret, bool *ret_found, cv_err *err)
{
    cv_row_clear(&cv_lease_row_type, ret);
    ret->dialogue_id = l->dialogue_id;
    return cv_record_get(l->call->record, l->arena, cv_run_scope(l->dialogue_id), &cv_lease_row_type, ret, ret_found,
                         err);
}

static bool is_here(const cv_run_rows *l, const cv_lease_row *lease)
{
    return cv_str_eq(lease->host, host_name(l->arena));
}

static bool is_alive(const cv_lease_row *lease)
{
    return (kill((pid_t)lease->pid, 0) == 0 || errno != ESRCH) && !cv_os_is_ending((pid_t)lease->pid);
}

/* The file that a runner of this machine keeps locked; -1: err says why there is none. */
static int open_lock(cv_run_rows *l, cv_err *err)
{
    cv_where folder = cv_run_rows_where(l->arena, l->call->root, l->dialogue_id, "");
    cv_where runs = cv_where_folder(l->arena, folder);
    if (!cv_folder_make_private(runs, err) || !cv_folder_make_private(folder, err))
        return -1;
    int fd = cv_where_open_folder(folder, O_RDONLY, false, "open the folder of the run", err);
    if (fd < 0)
        return -1;
    int lock = openat(fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600), number = errno;
    close(fd);
    if (lock < 0)
        cv_system_fail(err, folder.path, "make the lock of the run", number);
    return lock;
}

/* A file system that has no such locks leaves it to the row. */
static bool try_lock(int fd, int how)
{
    return flock(fd, how | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR);
}

static cv_lease_row lease_now(const cv_run_rows *l, const cv_writing *w)
{
    return (cv_lease_row){.dialogue_id = l->dialogue_id,
                          .host = host_name(l->arena),
                          .pid = getpid(),
                          .since = w->now,
                          .until_ms = w->at.clock_ms + CV_LEASE_MS};
}

static bool write_lease(cv_run_rows *l, cv_err *err)
{
    assert(l->lock >= 0 && "the lock of this machine comes first");
    cv_writing w;
    cv_lease_row old, lease;
    bool found;
    cv_str op_id = fresh_op(l);
    if (!begin_write(l, &w, op_id, err))
        return false;
    lease = lease_now(l, &w);
    bool ok = read_lease(l, &old, &found, err);
    if (ok && found && !cv_str_eq(old.host, lease.host) && old.until_ms > w.at.clock_ms)
        ok = refuse_busy(l, holder_text(l->arena, &old), err);
    if (!ok) {
        cv_writing_end(&w);
        return false;
    }
    put_run(l, &w, l->exists ? "resumed" : "started");
    cv_writing_put(&w, &cv_lease_row_type, &lease);
    return commit_write(l, &w, op_id, "run", NULL, err);
}

/* A process that only looks has the lock for a moment, and so has a child of a killed runner: then nobody who lives
 * has the lease, or one that is on its way out. */
static bool wait_for_lock(cv_run_rows *l, int fd, int how, cv_err *err)
{
    cv_lease_row lease;
    bool found;
    int64_t began = cv_monotonic_ms();
    while (!try_lock(fd, how)) {
        if (!read_lease(l, &lease, &found, err))
            return false;
        bool alive = found && is_here(l, &lease) && is_alive(&lease);
        if (cv_monotonic_ms() - began >= (alive ? CV_LOCK_HELD_MS : CV_LOCK_MS))
            return refuse_busy(l, found ? holder_text(l->arena, &lease) : CV_STR(""), err);
        poll(NULL, 0, CV_LOCK_LOOK_MS);
    }
    return true;
}

bool cv_run_rows_lock(cv_run_rows *l, cv_err *err)
{
    assert(l->lock < 0 && "a run is locked once");
    l->lock = open_lock(l, err);
    if (l->lock >= 0 && wait_for_lock(l, l->lock, LOCK_EX, err) && read_rows(l, err))
        return true;
    cv_run_rows_release(l);
    return false;
}

bool cv_run_rows_take(cv_run_rows *l, cv_err *err)
{
    assert(l->lock >= 0 && !l->renewed_ms && "a run that is locked is taken once");
    if (!write_lease(l, err))
        return false;
    l->exists = true;
    l->renewed_ms = cv_monotonic_ms();
    return true;
}

bool cv_run_rows_renew(cv_run_rows *l, cv_err *err)
{
    cv_record *record = l->call->record;
    cv_scope_id scope = cv_run_scope(l->dialogue_id);
    cv_lease_row lease;
    bool found;
    cv_writing w;
    assert(l->exists && l->renewed_ms > 0 && "what is renewed was taken");
    if (cv_monotonic_ms() - l->renewed_ms < CV_LEASE_RENEWED_MS)
        return true;
    l->renewed_ms = cv_monotonic_ms();
    if (!begin_write(l, &w, CV_STR(""), err))
        return false;
    bool ok = read_lease(l, &lease, &found, err);
    lease.until_ms = w.at.clock_ms + CV_LEASE_MS;
    ok = ok && record->calls->keep(record, scope, &(cv_rows){&cv_lease_row_type, &lease, 1}, err) &&
         record->calls->commit(record, l->arena, NULL, err) == CV_WRITE_DONE;
    cv_writing_end(&w);
    return ok;
}

void cv_run_rows_release(cv_run_rows *l)
{
    cv_err ignored = {.arena = l->arena};
    const cv_lease_row lease = {.dialogue_id = l->dialogue_id};
    if (l->renewed_ms)
        l->call->record->calls->drop(l->call->record, cv_run_scope(l->dialogue_id),
                                     &(cv_rows){&cv_lease_row_type, &lease, 1}, &ignored); /* else it ends by itself */
    if (l->lock >= 0)
        close(l->lock);
    l->lock = -1;
    l->renewed_ms = 0;
}

bool cv_run_rows_is_of(cv_run_rows *l, int64_t pid, bool *ret_is, cv_err *err)
{
    cv_lease_row lease;
    bool found;
    if (!read_lease(l, &lease, &found, err))
        return false;
    *ret_is = found && is_here(l, &lease) && lease.pid == pid;
    return true;
}

bool cv_run_rows_holder(cv_run_rows *l, cv_str *ret_holder, cv_err *err)
{
    cv_lease_row lease;
    bool found;
    *ret_holder = CV_STR("");
    if (!read_lease(l, &lease, &found, err) || !found)
        return err->code == CV_ERR_NONE;
    bool held = lease.until_ms > l->call->clock.now_ms(l->call->clock.ctx);
    if (is_here(l, &lease)) {
        int fd = open_lock(l, err);
        if (fd < 0)
            return false;
        held = !try_lock(fd, LOCK_SH) && is_alive(&lease);
        close(fd);
    }
    if (held)
        *ret_holder = holder_text(l->arena, &lease);
    return true;
}

bool cv_run_rows_check_free(cv_run_rows *l, cv_err *err)
{
    cv_str holder;
    int fd = open_lock(l, err);
    bool ok = fd >= 0 && wait_for_lock(l, fd, LOCK_SH, err);
    if (fd >= 0)
        close(fd);
    return ok && cv_run_rows_holder(l, &holder, err) && (!holder.n || refuse_busy(l, holder, err));
}
