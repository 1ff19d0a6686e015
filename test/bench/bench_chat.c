/* bench_chat.c - a send (lock, copy, sync, publish, witness, commit) into a chat of 8 MB, where a successor is advised,
 * against the copy alone: cp, fsync, rename. The two take turns on the same disk. And a peek for one new message among
 * 100, and among 100,000.
 */
#include "bench_chat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/move.h"
#include "benching.h"
#include "kit/room.h"
#include "record/sql.h"

enum { TURNS = 60, BODY = 200 };

typedef struct {
    cv_arena a;
    const char *root;
    cv_record *record;
} world;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "bench: chat: %s\n", what);
    exit(1);
}

static void call(world *w, const char *verb, cv_str text)
{
    cv_arena a = {0};
    cv_buf out = {0};
    cv_errs errs = {0};
    cv_err err = {.arena = &a};
    cv_json input;
    cv_call c = {.arena = &a,
                 .record = w->record,
                 .clock = cv_clock_system(),
                 .root = w->root,
                 .input = &input,
                 .input_text = text,
                 .out = &out,
                 .errs = &errs};
    if (!cv_json_parse(&a, text, &input, &err) || !cv_op_call(cv_op_find(CV_STR("chat"), cv_str_of(verb)), &c)) {
        fprintf(stderr, "%s\n", cv_arena_copy_z(&a, cv_err_text(errs.count ? &errs.items[0] : &err)));
        give_up(verb);
    }
    cv_buf_release(&out);
    cv_arena_release(&a);
}

/* A chat of so many messages, as a hand would have written it. */
static const char *make_file(world *w, const char *id, int messages)
{
    cv_buf text = {0};
    cv_err err = {.arena = &w->a};
    char body[BODY + 1];
    memset(body, 'x', BODY);
    body[BODY] = '\0';
    cv_buf_printf(
        &text,
        "# CHAT v3\n# Chat ID: %s\n# Status: OPEN\n# Participants:\n# - A@x\n# - B@y\n# Last read:\n# - A@x: 0\n"
        "# - B@y: 0\n# Purpose: p\n",
        id);
    for (int i = 1; i <= messages; i++)
        cv_buf_printf(&text, "[M%04d] FROM:A@x | TYPE:T | FLAG:READ\n%s\n", i, body);
    const char *path = cv_arena_printf(&w->a, "%s/.conclave/chat/temp_chat_%s.txt", w->root, id).p;
    if (!cv_file_write(path, cv_buf_str(&text), &err))
        give_up("cannot write");
    cv_buf_release(&text);
    return path;
}

static double copy(const char *from, const char *to)
{
    char other[512];
    struct stat st;
    double begin = cv_bench_seconds();
    snprintf(other, sizeof other, "%s.new", to);
    int in = open(from, O_RDONLY), out = open(other, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (in < 0 || out < 0 || fstat(in, &st) != 0 || !cv_copy_bytes(in, 0, (size_t)st.st_size, out) || fsync(out) != 0)
        give_up("cannot copy");
    close(in);
    close(out);
    if (rename(other, to) != 0)
        give_up("cannot rename");
    return cv_bench_seconds() - begin;
}

static int compare(const void *x, const void *y)
{
    return CV_ORDER(*(const double *)x, *(const double *)y);
}

static double middle(double *times, size_t count)
{
    qsort(times, count, sizeof *times, compare);
    return times[count / 2] * 1e3;
}

static void bench_send(world *w, int megabytes)
{
    double sends[TURNS], copies[TURNS];
    const char *id = cv_arena_printf(&w->a, "send%d", megabytes).p;
    cv_str text = cv_arena_printf(&w->a, "{\"chat_id\":\"%s\",\"from\":\"A@x\",\"type\":\"T\",\"body\":\"hello\"}", id);
    const char *path = make_file(w, id, megabytes * 4300), *to = cv_arena_printf(&w->a, "%s/copy", w->root).p;
    call(w, "send", text);
    for (int i = 0; i < TURNS; i++) {
        copies[i] = copy(path, to);
        double begin = cv_bench_seconds();
        call(w, "send", text);
        sends[i] = cv_bench_seconds() - begin;
    }
    double send = middle(sends, TURNS), floor = middle(copies, TURNS);
    printf("chat send, locked, %d MB:   %7.2f ms   cp + fsync + rename: %7.2f ms   ratio %.2f (goal: at most 2)\n",
           megabytes, send, floor, send / floor);
}

static double bench_peek(world *w, const char *id, int messages)
{
    double times[TURNS];
    make_file(w, id, messages);
    cv_str read = cv_arena_printf(&w->a, "{\"chat_id\":\"%s\",\"as\":\"B@y\"}", id);
    call(w, "read", read);
    call(w, "send",
         cv_arena_printf(&w->a, "{\"chat_id\":\"%s\",\"from\":\"A@x\",\"type\":\"T\",\"body\":\"new\"}", id));
    for (int i = 0; i < TURNS; i++) {
        double begin = cv_bench_seconds();
        call(w, "peek", read);
        times[i] = cv_bench_seconds() - begin;
    }
    return middle(times, TURNS);
}

void bench_chat(void)
{
    world w = {0};
    cv_err err = {.arena = &w.a};
    char template[] = "/tmp/bench_chat.XXXXXX";
    w.root = mkdtemp(template);
    if (!w.root || !cv_folder_make(cv_arena_printf(&w.a, "%s/.conclave/chat", w.root).p, &err) ||
        !cv_record_open(&w.a, cv_arena_printf(&w.a, "%s/.conclave/conclave.db", w.root).p, CV_RECORD_CREATE,
                        &cv_program_types, &cv_sql_sqlite_schema, &w.record, &err))
        give_up("cannot make a record");
    bench_send(&w, 1);
    bench_send(&w, 8);
    double few = bench_peek(&w, "few", 100), many = bench_peek(&w, "many", 100000);
    printf("chat peek, 1 new message:  %7.2f ms of 100   %7.2f ms of 100,000   ratio %.2f (goal: at most 1.5)\n", few,
           many, many / few);
    cv_record_close(w.record);
    cv_arena_release(&w.a);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", template);
    if (system(command) != 0)
        give_up("cannot tidy up");
}
