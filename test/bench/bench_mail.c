/* bench_mail.c - a durable send against the least that a durable send can be: the same bytes written to a file, synced,
 * renamed into a folder, and the folder synced. By one process and by eight; and the time from a send until another
 * process that waits has the message in its hands.
 */
#include "bench_mail.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "benching.h"
#include "record/sql.h"

enum { BODY = 1000, SENDS = 400, RIVALS = 8, WAKES = 40 };

static char body[BODY + 1];

typedef struct {
    double took[RIVALS][SENDS];
    volatile double sent_at, woken_at;
    volatile int round, woken;
} shared;

static cv_str input_of(cv_arena *a, int who, int i)
{
    return cv_arena_printf(a, "{\"from\":\"s%d\",\"to\":\"target\",\"message_id\":\"s%d-%d-%d\",\"body\":\"%s\"}", who,
                           who, (int)getpid(), i, body);
}

static cv_record *open_record(cv_arena *a, const char *folder)
{
    cv_record *record;
    cv_err err = {.arena = a};
    if (!cv_record_open(a, cv_arena_printf(a, "%s/.conclave/conclave.db", folder).p, CV_RECORD_CREATE,
                        &cv_program_types, &cv_sql_sqlite_schema, &record, &err))
        exit(fprintf(stderr, "bench: %.*s\n", CV_FMT(err.message)) > 0);
    return record;
}

static double call(cv_record *record, const char *folder, const char *operation, cv_str text)
{
    cv_arena a = {0};
    cv_buf out = {0};
    cv_errs errs = {0};
    cv_json *input = CV_NEW(&a, cv_json);
    cv_err err = {.arena = &a};
    double begin = cv_bench_seconds();
    cv_call c = {.arena = &a,
                 .record = record,
                 .clock = cv_clock_system(),
                 .root = folder,
                 .input = input,
                 .input_text = text,
                 .out = &out,
                 .errs = &errs};
    if (!cv_json_parse(&a, text, input, &err) || !cv_op_call(cv_op_called(cv_str_of(operation)), &c))
        exit(fprintf(stderr, "bench: %s: %.*s\n", operation, CV_FMT(errs.count ? errs.items[0].message : err.message)) >
             0);
    double took = cv_bench_seconds() - begin;
    cv_buf_release(&out);
    cv_arena_release(&a);
    return took;
}

/* ---- both sides of the comparison -------------------------------------------------------------------------------- */

static void send_some(const char *folder, int who, shared *s)
{
    cv_arena a = {0};
    cv_record *record = open_record(&a, folder);
    for (int i = 0; i < SENDS; i++)
        s->took[who][i] = call(record, folder, "mail send", input_of(&a, who, i));
    cv_record_close(record);
    cv_arena_release(&a);
}

static void write_some(const char *folder, int who, shared *s)
{
    cv_arena a = {0};
    int dir = open(folder, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < SENDS; i++) {
        cv_str text = input_of(&a, who, i);
        char temporary[64], name[64];
        double begin = cv_bench_seconds();
        snprintf(temporary, sizeof temporary, ".tmp-%d-%d", who, i);
        snprintf(name, sizeof name, "msg-%d-%d.json", who, i);
        int fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n || fdatasync(fd) != 0 || close(fd) != 0 ||
            renameat(dir, temporary, dir, name) != 0 || fsync(dir) != 0)
            exit(1);
        s->took[who][i] = cv_bench_seconds() - begin;
    }
    close(dir);
    cv_arena_release(&a);
}

/* So many processes at once: messages per second. */
static double rate(const char *folder, int processes, shared *s, void (*run)(const char *, int, shared *))
{
    double begin = cv_bench_seconds();
    for (int i = 0; i < processes; i++)
        if (fork() == 0) {
            run(folder, i, s);
            _exit(0);
        }
    for (int i = 0, status; i < processes; i++)
        if (wait(&status) < 0 || status != 0)
            exit(fprintf(stderr, "bench: a process failed\n") > 0);
    return processes * SENDS / (cv_bench_seconds() - begin);
}

static int by_size(const void *x, const void *y)
{
    return CV_ORDER(*(const double *)x, *(const double *)y);
}

static double p99(shared *s, int processes)
{
    double *all = &s->took[0][0];
    qsort(all, (size_t)processes * SENDS, sizeof *all, by_size);
    return all[processes * SENDS * 99 / 100] * 1e3;
}

/* ---- waking ------------------------------------------------------------------------------------------------------ */

static void wait_some(const char *folder, shared *s)
{
    cv_arena a = {0};
    cv_record *record = open_record(&a, folder);
    for (;;) {
        call(record, folder, "mail wait", CV_STR("{\"agent\":\"sleeper\",\"timeout_seconds\":60}"));
        s->woken_at = cv_bench_seconds();
        s->woken++;
    }
}

static void wake(cv_record *record, const char *folder, shared *s)
{
    double all[WAKES];
    cv_arena a = {0};
    pid_t sleeper = fork();
    if (sleeper == 0)
        wait_some(folder, s);
    for (int i = 0; i < WAKES; i++) {
        usleep(60000);
        int before = s->woken;
        cv_str text = cv_arena_printf(&a, "{\"from\":\"s0\",\"to\":\"sleeper\",\"body\":\"wake up %d\"}", i);
        call(record, folder, "mail send", text);
        double acknowledged = cv_bench_seconds();
        while (s->woken == before)
            usleep(50);
        all[i] = (s->woken_at - acknowledged) * 1e3;
    }
    kill(sleeper, SIGKILL);
    waitpid(sleeper, NULL, 0);
    qsort(all, WAKES, sizeof *all, by_size);
    printf("  acknowledged until another process has it  median %.2f ms, slowest of %d: %.2f ms\n", all[WAKES / 2],
           WAKES, all[WAKES - 1]);
    cv_arena_release(&a);
}

void bench_mail(void)
{
    cv_arena a = {0};
    char folder[] = "build/bench-mail-XXXXXX";
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(body, 'a', BODY);
    if (!mkdtemp(folder) || s == MAP_FAILED)
        exit(1);
    const char *files = cv_arena_printf(&a, "%s/files", folder).p,
               *inside = cv_arena_printf(&a, "%s/.conclave", folder).p;
    if (mkdir(files, 0700) != 0 || mkdir(inside, 0700) != 0)
        exit(1);
    cv_record *record = open_record(&a, folder);
    for (int i = 0; i < RIVALS; i++)
        call(record, folder, "agent add", cv_arena_printf(&a, "{\"agent_id\":\"s%d\"}", i));
    call(record, folder, "agent add", CV_STR("{\"agent_id\":\"target\"}"));
    call(record, folder, "agent add", CV_STR("{\"agent_id\":\"sleeper\"}"));
    cv_record_close(record);
    printf("mail: %d sends of %d bytes by each process\n", SENDS, BODY);
    double floor_one = rate(files, 1, s, write_some), one = rate(folder, 1, s, send_some), one_p99 = p99(s, 1);
    printf("  one process    %7.0f/s, floor %7.0f/s: %.2f of it (goal 0.6), p99 %.2f ms\n", one, floor_one,
           one / floor_one, one_p99);
    double eight = rate(folder, RIVALS, s, send_some), eight_p99 = p99(s, RIVALS);
    printf("  %d processes    %7.0f/s: %.2f times one (goal 1), p99 %.2f ms\n", RIVALS, eight, eight / one, eight_p99);
    record = open_record(&a, folder);
    wake(record, folder, s);
    cv_record_close(record);
    if (system(cv_arena_printf(&a, "rm -r '%s'", folder).p) != 0)
        fprintf(stderr, "bench: %s stays\n", folder);
    munmap(s, sizeof *s);
    cv_arena_release(&a);
}
