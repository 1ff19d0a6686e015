/* test_notify.c - waiting for a change in a folder: none is missed, and a wait always ends. */
#include "testing.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "base/notify.h"

enum { LONG_MS = 60000 }; /* nobody waits so long */

typedef struct {
    cv_arena a;
    cv_err err;
    cv_where folder;
    const char *file, *other;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.a}};
    f.folder = cv_where_named(cv_test_folder(&f.a));
    f.file = cv_arena_printf(&f.a, "%s/file", f.folder.path).p;
    f.other = cv_arena_printf(&f.a, "%s/other", f.folder.path).p;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_test_remove(f->folder.path);
    cv_arena_release(&f->a);
    return 0;
}

static void append(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_true(fd >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0);
}

static void make_file(fixture *f)
{
    append(f->file);
}
static void write_more(fixture *f)
{
    append(f->file);
}
static void move_file(fixture *f)
{
    assert_int_equal(rename(f->file, f->other), 0);
}
static void remove_file(fixture *f)
{
    assert_int_equal(unlink(f->other), 0);
}
static void make_folder(fixture *f)
{
    assert_int_equal(mkdir(f->file, 0700), 0);
}

static bool is_told(const cv_notify *n)
{
    struct pollfd one = {.fd = n->fd - 1, .events = POLLIN};
    return poll(&one, 1, 0) == 1;
}

/* What happens between the look and the wait is there to be read when the wait begins, and gone when it has ended. */
static void test_every_change_ends_a_wait(void **state)
{
    static void (*const changes[])(fixture *) = {make_file, write_more, move_file, remove_file, make_folder};
    fixture *f = *state;
    cv_notify n = {0};
    assert_true(cv_notify_add(&n, f->folder, &f->err));
    assert_true(cv_notify_add(&n, f->folder, &f->err));
    for (size_t i = 0; i < CV_COUNT(changes); i++) {
        changes[i](f);
        assert_true(is_told(&n));
        assert_true(cv_notify_wait(&n, cv_monotonic_ms() + LONG_MS));
        assert_false(is_told(&n));
    }
    cv_notify_close(&n);
}

static void test_another_process_ends_a_wait(void **state)
{
    fixture *f = *state;
    cv_notify n = {0};
    struct stat st;
    assert_true(cv_notify_add(&n, f->folder, &f->err));
    pid_t child = fork();
    if (child == 0) {
        usleep(20000);
        append(f->file);
        _exit(0);
    }
    while (stat(f->file, &st) != 0)
        assert_true(cv_notify_wait(&n, cv_monotonic_ms() + LONG_MS));
    assert_int_equal(waitpid(child, NULL, 0), child);
    cv_notify_close(&n);
}

/* Nothing happens: it ends to look again, and with the time. */
static void test_a_wait_ends(void **state)
{
    fixture *f = *state;
    cv_notify n = {0};
    assert_true(cv_notify_add(&n, f->folder, &f->err));
    assert_false(cv_notify_wait(&n, cv_monotonic_ms() - 1));
    assert_false(cv_notify_wait(&n, cv_monotonic_ms() + 20));
    assert_true(cv_notify_wait(&n, cv_monotonic_ms() + LONG_MS));
    cv_notify_close(&n);
}

/* A folder that is not there, or is a link below a root, is not watched: who waits looks more often. */
static void test_what_cannot_be_watched(void **state)
{
    fixture *f = *state;
    assert_int_equal(symlink(f->folder.path, f->other), 0);
    cv_where wrong[] = {cv_where_named(f->file), {f->folder.path, "other"}, {f->folder.path, "file/deep"}};
    for (size_t i = 0; i < CV_COUNT(wrong); i++) {
        cv_notify n = {0};
        cv_err err = {.arena = &f->a};
        assert_false(cv_notify_add(&n, wrong[i], &err));
        assert_true(err.message.n > 0);
        assert_true(cv_notify_add(&n, f->folder, &f->err));
        assert_true(n.blind);
        assert_true(cv_notify_wait(&n, cv_monotonic_ms() + LONG_MS));
        cv_notify_close(&n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_change_ends_a_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_another_process_ends_a_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_wait_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_watched, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
