/* test_intent.c - files that others edit by hand: nothing of theirs is lost, and what was acknowledged is done. */
#include "testing.h"

#include <glob.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "kit/intent.h"
#include "record/sql.h"

typedef cv_intent wall_intent;
#define CV_THIS_TYPE wall_intent
CV_TYPE_TABLE(wall_intent, "intent", "wall_intents", CV_INTENT_FIELDS, VOLATILE, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
static const cv_type *const wall_types[] = {&wall_intent_type};
static const cv_room_types wall_records = {CV_STR_INIT("wall"), wall_types, CV_COUNT(wall_types)};
static const cv_room_types *const rooms[] = {&wall_records};
static const cv_types types = {.rooms = rooms, .count = 1};
static const cv_scope_id wall = {CV_STR_INIT("wall"), CV_STR_INIT("one")};

static const char schema_sql[] =
    "CREATE TABLE wall_intents (scope INT NOT NULL REFERENCES scopes (number), path TEXT NOT NULL, old_sha256 TEXT,"
    " new_sha256 TEXT, bytes TEXT, created_at TEXT, PRIMARY KEY (scope, path)) STRICT, WITHOUT ROWID;";

typedef struct {
    cv_arena a;
    const char *folder, *file;
    cv_record *record;
} world;

static void open_record(world *w)
{
    cv_err err = {.arena = &w->a};
    static cv_sql_migration items[2];
    static const cv_sql_migrations schema = {items, 2};
    items[0] = cv_sql_sqlite_schema.items[0];
    items[1] = (cv_sql_migration){2, "002_wall", schema_sql, "of the test"};
    assert_ok(cv_record_open(&w->a, cv_arena_printf(&w->a, "%s/conclave.db", w->folder).p, CV_RECORD_CREATE, &types,
                             &schema, &w->record, &err),
              &err);
}

static int set_up(void **state)
{
    static world w;
    w = (world){0};
    w.folder = cv_test_folder(&w.a);
    w.file = cv_arena_printf(&w.a, "%s/wall.md", w.folder).p;
    open_record(&w);
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    cv_record_close(w->record);
    cv_test_remove(w->folder);
    cv_arena_release(&w->a);
    return 0;
}

/* Absent: there is none. */
static cv_str content(world *w)
{
    cv_err err = {.arena = &w->a};
    cv_str text = {NULL, 0};
    if (access(w->file, F_OK) == 0)
        assert_ok(cv_file_read(&w->a, w->file, 1 << 20, &text, &err), &err);
    return text;
}

static void put(world *w, cv_str text)
{
    FILE *f = fopen(w->file, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
    fclose(f);
}

/* Commits the intent to replace what the file had. */
static void intend(world *w, cv_str old, cv_str bytes)
{
    cv_err err = {.arena = &w->a};
    cv_writing writing;
    cv_written done;
    static int number;
    const cv_request request = {cv_arena_printf(&w->a, "op-%d-%d", (int)getpid(), ++number), CV_STR("digest"),
                                CV_STR("wall write")};
    assert_ok(cv_writing_begin(&writing, w->record, &w->a, wall, CV_STR(""), CV_STR("2026-01-02T03:04:05.678Z"), &err),
              &err);
    cv_intent_keep(&writing, &wall_intent_type, CV_STR("wall.md"), old, bytes);
    cv_writing_event(&writing, CV_STR("wall"), CV_STR("wall.md"), CV_STR("written"));
    assert_ok(cv_writing_commit(&writing, &request, CV_STR("{}"), &done, &err), &err);
    assert_int_equal(done.how, CV_WRITE_DONE);
}

static cv_intent_result publish(world *w, cv_err *err)
{
    *err = (cv_err){.arena = &w->a};
    return cv_intent_finish(w->record, &w->a, wall, &wall_intent_type, w->folder, CV_STR("wall.md"), err);
}

static bool count_one(void *ctx, const cv_intent *intent, cv_err *err)
{
    (void)err;
    assert_str_eq(intent->path, "wall.md");
    ++*(size_t *)ctx;
    return true;
}

static size_t left(world *w)
{
    size_t count = 0;
    cv_err err = {.arena = &w->a};
    assert_ok(cv_intent_each(w->record, &w->a, wall, &wall_intent_type, count_one, &count, &err), &err);
    return count;
}

static void a_change_is_published_and_forgotten(void **state)
{
    world *w = *state;
    cv_err err;
    intend(w, (cv_str){NULL, 0}, CV_STR("one\n")); /* a file that is not there yet, a scope that is not there yet */
    assert_int_equal(left(w), 1);
    assert_int_equal(publish(w, &err), CV_INTENT_DONE);
    assert_str_eq(content(w), "one\n");
    intend(w, content(w), CV_STR("one\ntwo\n"));
    assert_int_equal(publish(w, &err), CV_INTENT_DONE);
    assert_str_eq(content(w), "one\ntwo\n");
    assert_int_equal(left(w), 0);
    assert_int_equal(publish(w, &err), CV_INTENT_DONE); /* nothing to do */
}

/* A row holds UTF-8 without NUL; a file may hold anything, also what looks like our own writing of it. */
static void any_bytes_are_published(void **state)
{
    static const cv_str bytes[] = {CV_STR_INIT("a dash \x97 of Windows\n"), CV_STR_INIT("nul \0 here"),
                                   CV_STR_INIT("base64:YQ"), CV_STR_INIT("\xff\xfe"), CV_STR_INIT("")};
    world *w = *state;
    cv_err err;
    for (size_t i = 0; i < CV_COUNT(bytes); i++) {
        intend(w, i ? content(w) : (cv_str){NULL, 0}, bytes[i]);
        assert_int_equal(publish(w, &err), CV_INTENT_DONE);
        assert_view_eq(content(w), bytes[i]);
        assert_int_equal(left(w), 0);
    }
}

static void what_others_wrote_stands(void **state)
{
    world *w = *state;
    cv_err err;
    put(w, CV_STR("one\n"));
    intend(w, CV_STR("one\n"), CV_STR("one\ntwo\n"));
    put(w, CV_STR("one\nmine\n"));
    assert_int_equal(publish(w, &err), CV_INTENT_CHANGED);
    assert_ptr_equal(err.code, CV_ERR_FILE_CHANGED);
    assert_str_eq(content(w), "one\nmine\n");
    assert_int_equal(left(w), 1);
    intend(w, content(w), CV_STR("one\nmine\ntwo\n")); /* read again, and meant again */
    assert_int_equal(publish(w, &err), CV_INTENT_DONE);
    assert_str_eq(content(w), "one\nmine\ntwo\n");
    intend(w, content(w), CV_STR("x"));
    assert_int_equal(unlink(w->file), 0); /* gone is changed, too */
    assert_int_equal(publish(w, &err), CV_INTENT_CHANGED);
    assert_null(content(w).p);
    assert_ok(cv_intent_drop(w->record, wall, &wall_intent_type, CV_STR("wall.md"), &err), &err);
    intend(w, (cv_str){NULL, 0}, CV_STR("first"));
    put(w, CV_STR("theirs"));
    assert_int_equal(publish(w, &err), CV_INTENT_CHANGED);
    assert_str_eq(content(w), "theirs");
}

static void links_are_refused(void **state)
{
    world *w = *state;
    cv_err err;
    const char *other = cv_arena_printf(&w->a, "%s/other", w->folder).p;
    intend(w, (cv_str){NULL, 0}, CV_STR("x"));
    assert_int_equal(symlink(other, w->file), 0);
    assert_int_equal(publish(w, &err), CV_INTENT_FAILED);
    assert_int_not_equal(access(other, F_OK), 0);
    assert_int_equal(left(w), 1);
}

/* What another process means to write while ours forgets what it has written. */
static struct {
    const cv_record_calls *calls;
    pid_t other;
    int wake[2];
} rival;

/* A process has its own handle: it begins before ours is opened, and waits to be woken. */
static void start_rival(const world *w)
{
    char byte;
    assert_int_equal(pipe(rival.wake), 0);
    rival.other = fork();
    if (rival.other > 0)
        return;
    world mine = {.folder = w->folder, .file = w->file};
    if (read(rival.wake[0], &byte, 1) != 1)
        _exit(1);
    open_record(&mine);
    intend(&mine, CV_STR("one\n"), CV_STR("one\ntwo\n"));
    cv_record_close(mine.record);
    _exit(0);
}

/* The other one is given half a second: it has committed by then, or it waits for our lock. */
static bool drop_late(cv_record *record, cv_scope_id scope, const cv_rows *rows, cv_err *err)
{
    siginfo_t ended = {0};
    assert_int_equal(write(rival.wake[1], "x", 1), 1);
    for (int i = 0; i < 50 && ended.si_pid == 0; i++) {
        usleep(10000);
        assert_int_equal(waitid(P_PID, (id_t)rival.other, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
    }
    return rival.calls->drop(record, scope, rows, err);
}

static void a_newer_intent_is_not_forgotten(void **state)
{
    world *w = *state;
    cv_err err;
    intend(w, (cv_str){NULL, 0}, CV_STR("one\n"));
    cv_record_close(w->record);
    start_rival(w);
    open_record(w);
    cv_record_calls late = *w->record->calls;
    rival.calls = w->record->calls;
    late.drop = drop_late;
    w->record->calls = &late;
    assert_int_equal(publish(w, &err), CV_INTENT_DONE);
    w->record->calls = rival.calls;
    int status;
    assert_int_equal(waitpid(rival.other, &status, 0), rival.other);
    assert_int_equal(status, 0);
    assert_int_equal(left(w), 1);
    assert_int_equal(publish(w, &err), CV_INTENT_DONE);
    assert_str_eq(content(w), "one\ntwo\n");
}

/* A writer is killed at any moment; the next process finishes what was acknowledged. */
static void a_killed_writer_is_finished(void **state)
{
    world *w = *state;
    cv_err err;
    put(w, CV_STR("0\n"));
    cv_str expected = CV_STR("0\n");
    int rounds = cv_test_soak() ? 400 : 40;
    for (int round = 1; round <= rounds; round++) {
        cv_record_close(w->record);
        w->record = NULL;
        pid_t child = fork();
        if (child == 0) {
            world mine = {.folder = w->folder, .file = w->file};
            open_record(&mine);
            for (int i = 0;; i++) {
                cv_str old = content(&mine);
                intend(&mine, old, cv_arena_printf(&mine.a, "%.*s%d-%d\n", CV_FMT(old), round, i));
                if (publish(&mine, &err) != CV_INTENT_DONE)
                    _exit(1);
            }
        }
        usleep((useconds_t)(1000 + 700 * (round % 23)));
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        open_record(w);
        assert_int_equal(publish(w, &err), CV_INTENT_DONE);
        cv_str now = content(w);
        assert_true(cv_str_starts(now, expected)); /* only whole lines were added */
        assert_true(cv_str_ends(now, CV_STR("\n")));
        assert_int_equal(left(w), 0);
        expected = now;
    }
}

/* The file and what was kept beside it, as one text. */
static cv_str everything(world *w)
{
    cv_buf all = {0};
    glob_t found;
    assert_int_equal(glob(cv_arena_printf(&w->a, "%s*", w->file).p, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        cv_buf_add(&all, cv_test_read(&w->a, found.gl_pathv[i]));
    globfree(&found);
    return cv_buf_take(&all, &w->a);
}

/* Another process adds lines to the file all the time. No line of either is lost, and the file has every line that was
 * published. */
static void two_writers_lose_nothing(void **state)
{
    enum { LINES = 150 };
    world *w = *state;
    cv_err err;
    put(w, CV_STR("begin\n"));
    pid_t other = fork();
    if (other == 0) {
        for (int i = 0; i < LINES; i++) {
            FILE *f = fopen(w->file, "a");
            if (!f || fprintf(f, "theirs-%d\n", i) < 0 || fclose(f) != 0)
                _exit(1);
            usleep(300);
        }
        _exit(0);
    }
    for (int written = 0; written < LINES;) {
        cv_str old = content(w);
        intend(w, old, cv_arena_printf(&w->a, "%.*sours-%d\n", CV_FMT(old), written));
        cv_intent_result result = publish(w, &err);
        if (result == CV_INTENT_FAILED)
            fail_msg("%.*s", CV_FMT(err.message));
        written += result == CV_INTENT_DONE;
    }
    int status;
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
    cv_str file = content(w), all = everything(w);
    for (int i = 0; i < LINES; i++) {
        assert_str_has(file, cv_arena_printf(&w->a, "ours-%d\n", i).p);
        assert_str_has(all, cv_arena_printf(&w->a, "theirs-%d\n", i).p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_change_is_published_and_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_bytes_are_published, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_others_wrote_stands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_newer_intent_is_not_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_killed_writer_is_finished, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_writers_lose_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
