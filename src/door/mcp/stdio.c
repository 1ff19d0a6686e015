/* stdio.c - MCP on standard input and output: one message per line; see mcp.h.
 *
 *     this thread   reads lines, answers what is quick, queues the rest
 *     workers       serve calls; their answers are collected and written together while more calls wait
 *     one more      waits for signals, so that the program ends at once whatever the others do
 *
 * Standard output carries messages and nothing else; what is wrong with a line is reported on standard error. At the
 * end of input everything that was asked is answered first. Ending at any moment is safe: a write is whole or absent.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/system.h"
#include "door/mcp/host.h"

enum {
    CHUNK = 1 << 16,              /* bytes read at once */
    FULL = 1 << 15,               /* bytes of answers that are written without waiting for more */
    BEAT_MS = CV_WORKERS_BEAT_MS, /* how long an answer may be kept back, and a queue stand still */
    GRACE_MS = 20,                /* for what is under way when a signal comes */
    LAST_RESORT_S = 1,
};

typedef struct {
    cv_workers workers;
    cv_mcp_host host;
    cv_mcp_session session;
    pthread_t reader;
    pthread_mutex_t out_lock;
    cv_buf out;
    atomic_bool gone; /* nobody reads any more */
    cv_buf line;
    bool skipping; /* the rest of a line that is too long */
    size_t lines;
    uint64_t moment; /* the number of the last bytes that were read at once */
} stdio;

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* An answer that nobody got: a client that was told nothing would not know what has been written. The first one may
 * have been begun already; its beginning is still in front of `rest`. */
static void tell_lost(stdio *s, cv_str rest)
{
    cv_str line;
    while (rest.n > 0 && rest.p > s->out.p && rest.p[-1] != '\n')
        rest = cv_str_range(rest.p - 1, cv_str_end(rest));
    while (cv_str_split(&rest, '\n', &line))
        if (line.n > 0)
            cv_log_line("lost: %.*s", CV_FMT(line));
}

/* With out_lock held. */
static void flush(stdio *s)
{
    cv_str rest = cv_buf_str(&s->out);
    while (rest.n > 0 && !s->gone) {
        ssize_t n = write(STDOUT_FILENO, rest.p, rest.n);
        if (n < 0 && errno != EINTR) {
            cv_log_line("cannot write to standard output: %s; exit status 2 follows. What the lost answers report "
                        "was done:",
                        cv_system_reason(errno));
            s->gone = true;
        } else if (n > 0)
            rest = cv_str_from(rest, (size_t)n);
    }
    if (s->gone)
        tell_lost(s, rest);
    if (s->out.capacity > 4 * FULL)
        cv_buf_release(&s->out);
    else
        cv_buf_clear(&s->out);
}

/* With out_lock held. */
static void add(stdio *s, cv_str message)
{
    cv_buf_add(&s->out, message);
    cv_buf_add_char(&s->out, '\n');
}

static void put(stdio *s, cv_str message)
{
    pthread_mutex_lock(&s->out_lock);
    add(s, message);
    flush(s);
    pthread_mutex_unlock(&s->out_lock);
}

static void flush_now(stdio *s)
{
    pthread_mutex_lock(&s->out_lock);
    flush(s);
    pthread_mutex_unlock(&s->out_lock);
}

static bool send_message(cv_mcp_job *job, cv_str message)
{
    put(job->transport_data, message);
    return true;
}

/* While calls wait, answers are collected; the reader sees to it that none is kept for long, and flushes its own. The
 * worker that finds the queue empty flushes what all have collected, with an answer of its own or without: it is looked
 * at with the lock held and the answer added, so that somebody who comes later sees both. */
static void collect(stdio *s, cv_str answer)
{
    bool is_reader = pthread_equal(pthread_self(), s->reader);
    pthread_mutex_lock(&s->out_lock);
    if (answer.n > 0)
        add(s, answer);
    if (s->out.n >= FULL || (!is_reader && atomic_load(&s->workers.queued) == 0))
        flush(s);
    pthread_mutex_unlock(&s->out_lock);
}

/* A line that is not a message is skipped, but a client that waits for an answer to it gets one: it has an id, and is
 * no answer itself. */
static void finish(cv_mcp_job *job)
{
    stdio *s = job->transport_data;
    cv_rpc_message *m = &job->message;
    if (m->kind == CV_RPC_FAULTY && m->code == CV_RPC_PARSE) {
        m->id = cv_rpc_find_id(&job->arena, cv_buf_str(&job->text));
        cv_mcp_refuse(job, 0, m->code, m->why, (cv_str){0});
    }
    bool ignored = m->kind == CV_RPC_FAULTY && (m->id.n == 0 || (m->method.n == 0 && (m->result || m->error)));
    if (ignored)
        cv_log_line("message %zu on standard input was ignored: %.*s", s->lines, CV_FMT(m->why));
    collect(s, ignored ? (cv_str){NULL, 0} : cv_buf_str(&job->out));
    cv_mcp_job_free(job);
}

static void notify(cv_mcp_session *session, cv_str message)
{
    put(session->transport_data, message);
}

static const cv_mcp_transport transport = {.send = send_message, .finish = finish};

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static void take_line(stdio *s, cv_str line)
{
    if (s->lines++ == 0 && cv_str_starts(line, CV_STR("\xEF\xBB\xBF"))) /* as some editors and shells begin */
        line = cv_str_from(line, 3);
    line = cv_str_trim(line);
    if (line.n == 0)
        return;
    cv_mcp_job *job = cv_mcp_job_new(&s->host);
    cv_buf_add(&job->text, line);
    job->transport = &transport;
    job->transport_data = s;
    job->session = &s->session;
    job->moment = s->moment;
    if (cv_mcp_read(job))
        cv_mcp_dispatch(job);
}

/* What has come of a line that is too long is enough to see who waits. */
static void refuse_long_line(stdio *s, cv_str beginning)
{
    cv_arena a = {0};
    cv_str id = cv_rpc_find_id(&a, beginning);
    cv_str why = cv_arena_printf(&a, "the message is longer than %zu bytes", CV_MAX_MESSAGE_BYTES);
    if (id.n) {
        cv_buf out = {0};
        cv_rpc_error(&out, id, CV_RPC_INVALID, why, (cv_str){0});
        put(s, cv_buf_str(&out));
        cv_buf_release(&out);
    } else {
        cv_log_line("message %zu on standard input was ignored: %.*s", s->lines + 1, CV_FMT(why));
    }
    cv_arena_release(&a);
}

static void take_bytes(stdio *s, cv_str bytes)
{
    while (bytes.n > 0) {
        size_t end = cv_str_find_char(bytes, '\n');
        cv_str piece = cv_str_head(bytes, end == SIZE_MAX ? bytes.n : end);
        bool whole = end != SIZE_MAX;
        bytes = cv_str_from(bytes, piece.n + whole);
        if (!s->skipping && s->line.n + piece.n > CV_MAX_MESSAGE_BYTES) {
            refuse_long_line(s, cv_buf_str(&s->line));
            cv_buf_release(&s->line);
            s->skipping = true;
        }
        if (!s->skipping && whole && s->line.n == 0) {
            take_line(s, piece);
        } else if (!s->skipping) {
            cv_buf_add(&s->line, piece);
            if (whole) {
                take_line(s, cv_buf_str(&s->line));
                cv_buf_clear(&s->line);
            }
        } else if (whole) {
            s->skipping = false;
            s->lines++;
        }
    }
}

/* The queue is full: the client waits. */
static void wait_for_room(stdio *s)
{
    const struct timespec beat = {.tv_nsec = BEAT_MS * 1000000L};
    while (atomic_load(&s->workers.queued) >= CV_MCP_MAX_QUEUED && !s->gone) {
        nanosleep(&beat, NULL);
        cv_workers_hurry(&s->workers);
    }
}

static void read_all(stdio *s)
{
    static char chunk[CHUNK];
    size_t lines = 0;
    while (!s->gone) {
        struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
        bool waiting = cv_mcp_open(&s->host) > 0;
        int ready = poll(&in, 1, waiting ? BEAT_MS : -1);
        if (ready == 0) {
            flush_now(s);
            cv_workers_hurry(&s->workers);
            continue;
        }
        ssize_t n = read(STDIN_FILENO, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        s->moment++;
        lines = s->lines;
        take_bytes(s, (cv_str){chunk, (size_t)n});
        if (s->lines != lines)
            flush_now(s);
        wait_for_room(s);
    }
    if (!s->skipping && s->line.n > 0)
        take_line(s, cv_buf_str(&s->line));
    cv_mcp_session_hush(&s->session);
}

static void answer_all(stdio *s)
{
    const struct timespec beat = {.tv_nsec = BEAT_MS * 100000L};
    while (cv_mcp_open(&s->host) > 0 && !s->gone) {
        nanosleep(&beat, NULL);
        cv_workers_hurry(&s->workers);
    }
    flush_now(s);
}

/* ---- signals ---------------------------------------------------------------------------------------------------- */

static void leave(int number)
{
    (void)number;
    _exit(0);
}

/* What follows the signal may wait in vain: for a lock whose holder writes to somebody who does not read. */
static void *wait_for_signal(void *argument)
{
    stdio *s = argument;
    const struct timespec beat = {.tv_nsec = 1000000L};
    cv_signals_wait();
    signal(SIGALRM, leave);
    alarm(LAST_RESORT_S);
    for (int i = 0; i < GRACE_MS && cv_mcp_open(&s->host) > 0; i++)
        nanosleep(&beat, NULL);
    if (pthread_mutex_trylock(&s->out_lock) == 0)
        flush(s);
    _exit(0);
}

static void mind_signals(stdio *s)
{
    pthread_t thread;
    cv_signals_hold();
    if (pthread_create(&thread, NULL, wait_for_signal, s) != 0 || pthread_detach(thread) != 0)
        cv_signals_let_go(); /* without the thread: the system's way, which is as safe */
}

int cv_mcp_serve_stdio(const cv_mcp_server *server)
{
    static stdio the_only; /* there is one standard input, and who waits for signals may look at it to the very end */
    stdio *s = &the_only;
    cv_workers_init(&s->workers, &server->own);
    cv_mcp_host_init(&s->host, server, &s->workers);
    cv_mcp_session_init(&s->session, &s->host);
    s->session.notify = notify;
    s->session.transport_data = s;
    s->reader = pthread_self();
    pthread_mutex_init(&s->out_lock, NULL);
    mind_signals(s);
    read_all(s);
    answer_all(s);
    cv_mcp_session_end(&s->session, &s->host);
    bool over = cv_mcp_host_end(&s->host);
    flush_now(s); /* what the last worker has added meanwhile */
    if (!over)
        _exit(atomic_load(&s->gone) ? 2 : 0); /* a thread is still at work on what would be released */
    cv_mcp_host_release(&s->host);
    cv_workers_release(&s->workers);
    cv_mcp_session_release(&s->session);
    cv_buf_release(&s->line);
    cv_buf_release(&s->out);
    return atomic_load(&s->gone) ? 2 : 0;
}
