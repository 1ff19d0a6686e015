/* bench_mail.c - a durable send against the least that a durable send can be: the same bytes written to a file, synced,
 * renamed into a folder, and the folder synced. By one process that sends many, by eight of them, and by a process for
 * each send; and the time from a send until another process that waits has the message in its hands.
 *
 * Both sides take turns of a few messages, so that what else runs on the machine slows down both. The processor time of
 * each side does not depend on the disk.
 */
#include "bench_mail.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/fs.h>

#include "base/monotonic.h"
#include "benching.h"
#include "record/sql.h"

/* The first sends make folders and let the log of the database grow to its size: FIRST of them are not counted. */
enum { BODY = 1000, FIRST = 120, SENDS = 400, TURN = 20, RIVALS = 8, ROUNDS = 3, COMMANDS = 40, WAKES = 40 };
_Static_assert(SENDS % TURN == 0 && FIRST % TURN == 0, "whole turns");

static char body[BODY + 1];

typedef struct {
    double took[RIVALS][SENDS]; /* sends */
    double floor[SENDS];        /* the same of the least */
    double cpu[2];              /* seconds of one process: sends, the least */
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

static double write_one(int dir, int i, cv_str text)
{
    char temporary[64], name[64];
    double begin = cv_bench_seconds();
    snprintf(temporary, sizeof temporary, ".tmp-%d-%d", (int)getpid(), i);
    snprintf(name, sizeof name, "msg-%d-%d.json", (int)getpid(), i);
    int fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0 || write(fd, text.p, text.n) != (ssize_t)text.n || fdatasync(fd) != 0 || close(fd) != 0 ||
        renameat(dir, temporary, dir, name) != 0 || fsync(dir) != 0)
        exit(1);
    return cv_bench_seconds() - begin;
}

static double processor_seconds(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

/* Both sides in turns, by one process. */
static void take_turns(const char *folder, int who, shared *s)
{
    cv_arena a = {0};
    cv_record *record = open_record(&a, folder);
    int dir = open(cv_arena_printf(&a, "%s/files", folder).p, O_RDONLY | O_DIRECTORY);
    for (int i = -FIRST; i < SENDS; i += TURN) {
        double floor[TURN], took[TURN], begin = processor_seconds();
        for (int k = 0; k < TURN; k++)
            floor[k] = write_one(dir, i + k, input_of(&a, who, i + k));
        double between = processor_seconds();
        for (int k = 0; k < TURN; k++)
            took[k] = call(record, folder, "mail send", input_of(&a, who, i + k));
        if (i < 0)
            continue;
        memcpy(&s->floor[i], floor, sizeof floor);
        memcpy(&s->took[who][i], took, sizeof took);
        s->cpu[0] += processor_seconds() - between;
        s->cpu[1] += between - begin;
    }
    close(dir);
    cv_record_close(record);
    cv_arena_release(&a);
}

/* A process for each send, which opens and closes the record. */
static double command_rate(const char *folder)
{
    double begin = cv_bench_seconds();
    for (int i = 0, status; i < COMMANDS; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            int nowhere = open("/dev/null", O_WRONLY);
            if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
                _exit(1);
            execl("build/conclave", "conclave", "mail", "send", "--from", "s0", "--to", "target", body, "--root",
                  folder, (char *)NULL);
            _exit(1);
        }
        if (waitpid(pid, &status, 0) != pid || status != 0)
            exit(fprintf(stderr, "bench: a command failed\n") > 0);
    }
    return COMMANDS / (cv_bench_seconds() - begin);
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

static double p99(double *all, size_t count)
{
    qsort(all, count, sizeof *all, by_size);
    return all[count * 99 / 100] * 1e3;
}

static double sum(const double *all, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += all[i];
    return total;
}

/* One and eight in turns as well. */
static void compare_processes(const char *folder, shared *s)
{
    double one = 0, eight = 0, all[ROUNDS], ratio[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double now_one = rate(folder, 1, s, send_some), now_eight = rate(folder, RIVALS, s, send_some);
        all[i] = p99(&s->took[0][0], (size_t)RIVALS * SENDS);
        ratio[i] = now_eight / now_one;
        one += now_one / ROUNDS;
        eight += now_eight / ROUNDS;
    }
    qsort(all, ROUNDS, sizeof *all, by_size);
    qsort(ratio, ROUNDS, sizeof *ratio, by_size);
    printf("  %d processes    %7.0f/s, one %.0f/s: %.2f times one, median of %d rounds (goal 1), p99 %.2f ms\n", RIVALS,
           eight, one, ratio[ROUNDS / 2], ROUNDS, all[ROUNDS / 2]);
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

/* For each new file, ext4 passes over the inodes that were freed in the last minutes, one after the other: a second run
 * would measure how many files the first one has removed. With this flag each folder in this one has a part of the disk
 * of its own, which follows from its name. Other file systems have no such flag, and need none. */
static void make_apart(const char *folder)
{
    int flags = 0;
    (void)mkdir(folder, 0700);
    int dir = open(folder, O_RDONLY | O_DIRECTORY);
    if (dir >= 0 && ioctl(dir, FS_IOC_GETFLAGS, &flags) == 0) {
        flags |= FS_TOPDIR_FL;
        (void)ioctl(dir, FS_IOC_SETFLAGS, &flags);
    }
    if (dir >= 0)
        close(dir);
}

void bench_mail(void)
{
    cv_arena a = {0};
    char folder[] = "build/bench-mail/XXXXXX";
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(body, 'a', BODY);
    make_apart("build/bench-mail");
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
    rate(folder, 1, s, take_turns);
    double floor = SENDS / sum(s->floor, SENDS), one = SENDS / sum(s->took[0], SENDS);
    printf("  one process    %7.0f/s, floor %7.0f/s: %.2f of it (goal 0.6), p99 %.2f ms\n", one, floor, one / floor,
           p99(s->took[0], SENDS));
    printf("  processor time %.2f ms for each send, %.2f ms for each file of the floor\n", s->cpu[0] / SENDS * 1e3,
           s->cpu[1] / SENDS * 1e3);
    compare_processes(folder, s);
    printf("  a process for each send %.0f/s\n", command_rate(folder));
    record = open_record(&a, folder);
    wake(record, folder, s);
    cv_record_close(record);
    if (system(cv_arena_printf(&a, "rm -r '%s'", folder).p) != 0)
        fprintf(stderr, "bench: %s stays\n", folder);
    munmap(s, sizeof *s);
    cv_arena_release(&a);
}
