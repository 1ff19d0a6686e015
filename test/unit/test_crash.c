/* test_crash.c - operations in a bad world: writers that are killed, stores that fail.
 *
 *     writer  registers round after round and tells every answer through a pipe, until SIGKILL
 *     reader  exports and takes snapshots all the while: it must never see a part of a round
 *     test    looks whether everything that was answered is there, verifies, and starts the next writer
 */
#include "rounds.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "kit/scopes.h"
#include "record/hash.h"

/* ---- writers that are killed ------------------------------------------------------------------------- */

enum { ROUNDS_EACH = 24, KILLS = 40, KILLS_SOAK = 1000, MOST_ANSWER = 4000 };

/* What the processes share. */
typedef struct {
    atomic_int dialogue; /* the one that is written: d0, d1 … */
    atomic_int over;
    atomic_int exports, snapshots;
} shared;

/* One answer; smaller than PIPE_BUF, so it arrives whole or not at all. */
typedef struct {
    int n;
    char text[MOST_ANSWER];
} message;

typedef struct {
    cv_world *w;
    shared *shared;
    cv_test_random random;
    char id[16];
    cv_str answers[100]; /* those of the present dialogue */
    size_t count, in_all;
    size_t untold, untold_before; /* rounds whose writer could not tell any more; in the dialogues before */
    cv_arena arena;
} story;

static _Noreturn void write_until_killed(const char *folder, const char *id, int pipe_end)
{
    cv_world w;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* whatever becomes of the test */
    cv_rounds_open(&w, folder);
    cv_state s = cv_rounds_state(&w, id);
    for (int round = (int)s.rounds.count;; round++) {
        if (!cv_world_call_text(&w, "round-register", cv_rounds_request(&w.a, id, round, "w", "")))
            cv_rounds_die("a round was refused", &w.errs);
        message m = {.n = (int)w.out.n};
        if (w.out.n > sizeof m.text)
            cv_rounds_die("the answer is too long for the pipe", NULL);
        memcpy(m.text, w.out.p, w.out.n);
        if (write(pipe_end, &m, sizeof m) != sizeof m)
            cv_rounds_die("the pipe is broken", NULL);
    }
}

/* An exported document has as many items as its rounds give. */
static void check_export(cv_world *w, const char *id)
{
    cv_str request = cv_arena_printf(&w->a, "{'dialogue_id': '%s', 'output_path': '%s/reader.json'}", id, w->folder);
    if (!cv_world_call_text(w, "export", request)) {
        bool moved = w->errs.count == 1 && w->errs.items[0].code == CV_ERR_REV_CONFLICT;
        if (!moved)
            cv_rounds_die("the export failed", &w->errs);
        return;
    }
    cv_json answer;
    cv_err err = {.arena = &w->turn};
    if (!cv_json_parse(&w->turn, cv_buf_str(&w->out), &answer, &err))
        cv_rounds_die("the answer of the export is no JSON", NULL);
    const cv_json *stats = cv_json_get(&answer, CV_STR("stats"));
    int64_t rounds, perspectives, tensions;
    cv_json_to_int(cv_json_get(stats, CV_STR("rounds")), &rounds);
    cv_json_to_int(cv_json_get(stats, CV_STR("perspectives")), &perspectives);
    cv_json_to_int(cv_json_get(stats, CV_STR("tensions")), &tensions);
    if (perspectives != rounds * CV_ROUND_P || tensions != rounds * CV_ROUND_T)
        cv_rounds_die("the export has a part of a round", NULL);
    FILE *file = fopen(cv_arena_printf(&w->turn, "%s/reader.json", w->folder).p, "rb");
    if (!file || fseek(file, -2, SEEK_END) != 0 || fgetc(file) != '}')
        cv_rounds_die("the exported file is not whole", NULL);
    fclose(file);
}

static _Noreturn void read_until_over(const char *folder, shared *sh)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (!atomic_load(&sh->over)) {
        cv_world w;
        char id[16];
        snprintf(id, sizeof id, "d%d", atomic_load(&sh->dialogue));
        cv_rounds_open(&w, folder);
        for (int i = 0; i < 4; i++) {
            check_export(&w, id);
            atomic_fetch_add(&sh->exports, 1);
            cv_state s = cv_rounds_state(&w, id);
            const char *broken = cv_rounds_broken(&s);
            if (broken)
                cv_rounds_die(broken, NULL);
            atomic_fetch_add(&sh->snapshots, 1);
        }
        cv_rounds_close(&w);
        usleep(20000); /* others want to write */
    }
    _exit(0);
}

static void keep_answer(story *t, const message *m)
{
    assert_true(t->count < sizeof t->answers / sizeof t->answers[0]);
    t->answers[t->count++] = cv_arena_copy(&t->arena, (cv_str){m->text, (size_t)m->n});
    t->in_all++;
}

/* Lets a writer answer a few times, and ends it at some moment of what it does next. */
static void kill_one_writer(story *t)
{
    int ends[2];
    message m;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        write_until_killed(t->w->folder, t->id, ends[1]);
    close(ends[1]);
    for (size_t answers = cv_test_below(&t->random, 3); answers > 0; answers--) {
        assert_int_equal(read(ends[0], &m, sizeof m), sizeof m);
        keep_answer(t, &m);
    }
    nanosleep(&(struct timespec){.tv_nsec = (long)cv_test_below(&t->random, 20000000)}, NULL);
    kill(child, SIGKILL);
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    while (read(ends[0], &m, sizeof m) == sizeof m)
        keep_answer(t, &m);
    close(ends[0]);
}

/* ---- is everything there that was answered? ---------------------------------------------------------- */

static bool has_event(const cv_state *s, cv_str subject, cv_str type, int64_t rev)
{
    for (size_t i = 0; i < s->events.count; i++)
        if (s->events.items[i].rev == rev && cv_str_eq(s->events.items[i].subject_id, subject) &&
            (!type.p || cv_str_eq(s->events.items[i].event_type, type)))
            return true;
    return false;
}

static void check_ids(const cv_state *s, const cv_json *mapping, int64_t rev)
{
    assert_int_equal(mapping->count, CV_ROUND_ITEMS);
    for (uint32_t i = 0; i < mapping->count; i++) {
        const cv_json_member *m = &mapping->members[i];
        const cv_rec_origin *origin = cv_state_origin(s, m->key);
        assert_non_null(origin);
        assert_view_eq(origin->display_id, m->value.text);
        assert_non_null(cv_state_entity(s, m->value.text));
        assert_true(has_event(s, m->value.text, (cv_str){NULL, 0}, rev));
    }
}

static void check_statuses(const cv_state *s, const cv_json *changes, int64_t rev)
{
    for (uint32_t i = 0; i < changes->count; i++) {
        cv_str id = cv_json_get(&changes->items[i], CV_STR("id"))->text;
        cv_str to = cv_json_get(&changes->items[i], CV_STR("to"))->text;
        assert_view_eq(cv_state_entity(s, id)->status, to);
        assert_true(has_event(s, id, to, rev));
    }
}

/* Returns the round it is about. */
static int64_t check_answer(cv_world *w, const cv_state *s, cv_str text)
{
    cv_json answer;
    cv_err err = {.arena = &w->turn};
    int64_t round, rev;
    assert_ok(cv_json_parse(&w->turn, text, &answer, &err), &err);
    assert_true(cv_json_to_int(cv_json_get(&answer, CV_STR("round")), &round));
    assert_true(cv_json_to_int(cv_json_get(&answer, CV_STR("rev")), &rev));
    assert_null(cv_json_get(&answer, CV_STR("replayed")));
    assert_true(rev <= s->position.rev);
    assert_non_null(cv_state_round(s, round));
    assert_int_equal(cv_state_round(s, round)->rev, rev);
    assert_true(has_event(s, cv_arena_printf(&w->turn, "%lld", (long long)round), CV_STR("created"), rev));
    check_ids(s, cv_json_get(&answer, CV_STR("id_mapping")), rev);
    const cv_json *changes = cv_json_get(&answer, CV_STR("status_changes"));
    assert_int_equal(changes->count, round > 0 ? 2 : 0);
    check_statuses(s, changes, rev);
    return round;
}

/* Returns the number of rounds. */
static int check_all(story *t)
{
    cv_world_return(t->w);
    cv_state s = cv_world_state(t->w, t->id);
    const char *broken = cv_rounds_broken(&s);
    if (broken)
        print_error("%s: %s\n", t->id, broken);
    assert_null(broken);
    assert_int_equal(s.position.rev, 1 + (int64_t)s.rounds.count);
    int64_t last = -1;
    for (size_t i = 0; i < t->count; i++) {
        int64_t round = check_answer(t->w, &s, t->answers[i]);
        assert_true(round > last);
        last = round;
    }
    int rounds = (int)s.rounds.count;
    t->untold = t->untold_before + (size_t)rounds - t->count;
    cv_rounds_verify(t->w, t->id);
    cv_world_leave(t->w);
    return rounds;
}

static void begin_dialogue(story *t, int number)
{
    snprintf(t->id, sizeof t->id, "d%d", number);
    cv_world_return(t->w);
    cv_world_dialogue(t->w, t->id, cv_rounds_bakers, false);
    cv_world_leave(t->w);
    atomic_store(&t->shared->dialogue, number);
    cv_arena_reset(&t->arena);
    t->count = 0;
    t->untold_before = t->untold;
}

static void killed_writers_lose_nothing_they_answered(void **state)
{
    static story t;
    t = (story){.w = *state, .random = {20260203}};
    cv_world_leave(t.w);
    t.shared = mmap(NULL, sizeof *t.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(t.shared != MAP_FAILED);
    int dialogues = 0;
    begin_dialogue(&t, dialogues++);
    pid_t reader = fork();
    if (reader == 0)
        read_until_over(t.w->folder, t.shared);
    for (int i = 0, kills = cv_test_soak() ? KILLS_SOAK : KILLS; i < kills; i++) {
        kill_one_writer(&t);
        if (check_all(&t) >= ROUNDS_EACH - 4)
            begin_dialogue(&t, dialogues++);
    }
    atomic_store(&t.shared->over, 1);
    int status;
    waitpid(reader, &status, 0);
    assert_int_equal(status, 0);
    assert_true(t.in_all > 0 && atomic_load(&t.shared->exports) > 0);
    print_message("# %zu rounds answered, %zu written by a writer that could not tell any more; %d exports and %d "
                  "snapshots meanwhile\n",
                  t.in_all, t.untold, atomic_load(&t.shared->exports), atomic_load(&t.shared->snapshots));
    cv_world_return(t.w);
    cv_rounds_verify(t.w, NULL);
    munmap(t.shared, sizeof *t.shared);
    cv_arena_release(&t.arena);
}

/* ---- stores that fail ---------------------------------------------------------------------------------- */

/* Every row of a dialogue and where it stands, as one hash. */
static bool sum_row(void *ctx, cv_rec_kind kind, const void *row, cv_err *err)
{
    (void)err;
    cv_hash_row(ctx, cv_kind_types[kind], row);
    return true;
}

static cv_str fingerprint(cv_world *w, const char *id)
{
    cv_hash sum;
    cv_call call = cv_world_begin(w);
    cv_wanted all = {0};
    cv_position at;
    bool found;
    cv_err err = {.arena = &w->a};
    cv_hash_begin(&sum);
    assert_ok(cv_snapshot(&call, cv_str_of(id), &all, sum_row, &sum, &at, &found, &err), &err);
    assert_true(found);
    return cv_arena_printf(&w->a, "rev %lld, %lld events, head %.*s, rows %.*s", (long long)at.rev,
                           (long long)at.event_count, CV_FMT(at.head), CV_FMT(cv_hash_end(&sum, &w->a)));
}

static size_t files_in(const char *folder)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* Requests about dialogue %1$s, which has two rounds and three experts. */
static const struct {
    const char *name, *verb, *request;
    bool again; /* the request has been done before, under another op_id */
} cases[] = {
    {"round", "round-register", "{'dialogue_id': '%s', 'round': 2, 'score': 1, 'op_id': 'r2'}", false},
    {"link", "round-register",
     "{'dialogue_id': '%s', 'round': 2, 'score': 1, 'references': [{'source': '@muffin', 'type': 'oppose', 'target': "
     "'P0101'}]}",
     false},
    {"again", "round-register", "{'dialogue_id': '%s', 'round': 2, 'score': 7, 'op_id': 'second'}", true},
    {"interim", "verdict-register",
     "{'dialogue_id': '%s', 'verdict_id': 'V01', 'verdict_type': 'interim', 'recommendation': 'Wait', 'description': "
     "'A week.'}",
     false},
    {"final", "verdict-register",
     "{'dialogue_id': '%s', 'verdict_id': 'final', 'verdict_type': 'final', 'recommendation': 'Do', 'description': "
     "'Now.', 'tensions_accepted': ['T0101', 'T0002', 'T0102'], 'recommendations_adopted': ['R0101']}",
     false},
    {"update", "update",
     "{'dialogue_id': '%s', 'updates': [{'id': 'T0101', 'status': 'addressed', 'reason': 'seen'}, {'id': 'P0101', "
     "'label': 'Better'}], 'scores': [{'round': 1, 'expert': 'muffin', 'score': 5}]}",
     false},
    {"expert", "expert-create",
     "{'dialogue_id': '%s', 'expert_slug': 'palmier', 'role': 'Geologist', 'tier': 'Adjacent', 'reason': 'T0101'}",
     false},
    {"panel", "evolve-panel",
     "{'dialogue_id': '%s', 'round': 2, 'panel': [{'slug': 'muffin', 'source': 'retained'}, {'role': 'Miller', 'tier': "
     "'Core', 'source': 'created', 'reason': 'flour'}]}",
     false},
    {"abandon", "abandon", "{'dialogue_id': '%s', 'reason': 'nobody asks any more'}", false},
    {"export", "export", "{'dialogue_id': '%1$s', 'output_path': '%2$s/%1$s.json'}", false},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static const char *prepare(cv_world *w, size_t c, size_t n)
{
    const char *id = cv_arena_printf(&w->a, "%s-%zu", cases[c].name, n).p;
    cv_world_dialogue(w, id, cv_rounds_bakers, false);
    for (int round = 0; round < 2; round++)
        if (!cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, id, round, "w", "")))
            fail_msg("round %d was refused", round);
    if (cases[c].again)
        cv_world_do(w, "round-register",
                    cv_arena_printf(&w->a, "{'dialogue_id': '%s', 'round': 2, 'score': 7, 'op_id': 'first'}", id).p);
    return id;
}

/* The call as a door makes it, over a store whose n-th call fails. */
static bool call_failing(cv_world *w, size_t c, cv_str request, size_t n, size_t *ret_calls)
{
    cv_record_tracing tracing = {.fail_at = n};
    cv_record *inner = w->record;
    w->record = cv_record_traced(&w->a, inner, &tracing);
    bool done = cv_world_call_text(w, cases[c].verb, request);
    w->record = inner;
    *ret_calls = tracing.calls;
    return done;
}

/* The history of this dialogue alone; that of all of them, and the store itself, are looked at when all is done. */
static void verify_one(cv_world *w, const char *id)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_scope_position at;
    assert_ok(cv_scopes_verify(w->record, &a, (cv_scope_id){CV_STR("dialogue"), cv_str_of(id)}, &at, &err), &err);
    assert_true(at.rev > 0);
    cv_arena_release(&a);
}

/* False when the request makes fewer than n calls. */
static bool fail_at(cv_world *w, size_t c, size_t n)
{
    const char *id = prepare(w, c, n);
    char *text = cv_arena_alloc(&w->a, 1000);
    int length = snprintf(text, 1000, cases[c].request, id, w->folder);
    cv_str request = {text, (size_t)length}, before = fingerprint(w, id);
    size_t calls, files = files_in(w->folder);
    bool writes = strcmp(cases[c].verb, "export") != 0;
    if (call_failing(w, c, request, n, &calls)) {
        assert_true(calls < n); /* no failure is swallowed */
        return false;
    }
    assert_int_equal(calls, n); /* … and nothing is asked after it */
    assert_int_equal(w->errs.count, 1);
    assert_view_eq(cv_err_word(w->errs.items[0].code), CV_STR("store_error"));
    assert_str_has(w->errs.items[0].message, "on purpose");
    assert_int_equal(w->out.n, 0);
    assert_view_eq(fingerprint(w, id), before);
    assert_int_equal(files_in(w->folder), files);
    verify_one(w, id);

    assert_true(call_failing(w, c, request, 0, &calls));
    assert_int_equal(cv_str_find(cv_buf_str(&w->out), CV_STR("\"replayed\"")) == SIZE_MAX, !cases[c].again);
    assert_int_equal(cv_str_eq(fingerprint(w, id), before), !writes || cases[c].again);
    assert_int_equal(files_in(w->folder), files + !writes);
    verify_one(w, id);
    return true;
}

static void every_store_call_of_every_operation_may_fail(void **state)
{
    cv_world *w = *state;
    for (size_t c = 0; c < CASES; c++) {
        size_t n = 1;
        while (fail_at(w, c, n))
            n++;
        assert_true(n > 2); /* reads, and writes or writes the file */
    }
    cv_rounds_verify(w, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, cv_world_set_up, cv_world_tear_down)

int main(void)
{
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0); /* killed processes, not lost power: the disk is not what is tested here */
    const struct CMUnitTest tests[] = {
        TEST(killed_writers_lose_nothing_they_answered),
        TEST(every_store_call_of_every_operation_may_fail),
    };
    return cmocka_run_group_tests_name("crash", tests, NULL, NULL);
}
