/* test_os.c - what only some systems have: as Linux does it, and with POSIX alone (test/checks/portable.sh). */
#include "testing.h"

#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/os.h"

static bool is_readable(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, 0) == 1 && (one.revents & POLLIN);
}

static void being_woken_twice_counts_once(void **state)
{
    (void)state;
    cv_os_wake wake;
    assert_true(cv_os_wake_open(&wake));
    assert_false(is_readable(wake.in));
    for (int i = 0; i < 100000; i++) /* more than a pipe holds: nobody waits here */
        cv_os_wake_up(&wake);
    assert_true(is_readable(wake.in));
    cv_os_wake_clear(&wake);
    assert_false(is_readable(wake.in));
    cv_os_wake_clear(&wake); /* nor here */
    cv_os_wake_up(&wake);
    assert_true(is_readable(wake.in));
    cv_os_wake_close(&wake);
    assert_int_equal(wake.in, -1);
}

#ifndef CV_OS_PORTABLE
static void raise_number(_Atomic uint32_t *number)
{
    atomic_fetch_add(number, 1);
    cv_os_number_wake(number);
}

/* A file that somebody has cut off behind the number ends nobody. */
static void a_number_without_its_file_is_waited_for(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), sizeof(uint32_t)), 0);
    _Atomic uint32_t *number = mmap(NULL, sizeof *number, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    assert_true(number != MAP_FAILED);
    assert_int_equal(ftruncate(fileno(file), 0), 0);
    cv_os_number_wake(number);
    assert_false(cv_os_number_wait(number, 0, 1));
    assert_int_equal(munmap((void *)number, sizeof *number), 0);
    fclose(file);
}

/* Each of two processes waits for the other, again and again. One that is not woken waits until its time is over. */
static void processes_wake_each_other(void **state)
{
    (void)state;
    enum { ROUNDS = 200, MINUTE_US = 60000000 };
    int status;
    _Atomic uint32_t *numbers =
        mmap(NULL, 2 * sizeof *numbers, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(numbers != MAP_FAILED);
    assert_true(cv_os_number_wait(&numbers[0], 1, MINUTE_US)); /* it is another one already */
    assert_false(cv_os_number_wait(&numbers[0], 0, 1));
    pid_t pid = fork();
    bool woken = true;
    for (uint32_t i = 0; i < ROUNDS && woken; i++) {
        if (pid == 0)
            raise_number(&numbers[0]);
        while (woken && atomic_load(&numbers[pid == 0]) == i)
            woken = cv_os_number_wait(&numbers[pid == 0], i, MINUTE_US);
        if (pid != 0)
            raise_number(&numbers[1]);
    }
    if (pid == 0)
        _exit(!woken);
    assert_true(woken);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(munmap((void *)numbers, 2 * sizeof *numbers), 0);
}
#endif

static void a_file_without_a_name_leaves_nothing(void **state)
{
    (void)state;
    char folder[] = "/tmp/conclave-test-os-XXXXXX", text[4] = "";
    assert_non_null(mkdtemp(folder));
    int fd = cv_os_open_unnamed(folder);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "rye", 4), 4);
    assert_int_equal(pread(fd, text, 4, 0), 4);
    assert_string_equal(text, "rye");
    assert_int_equal(rmdir(folder), 0); /* it is empty while the file is open */
    close(fd);
}

#ifndef CV_OS_PORTABLE
typedef struct {
    size_t changes, whole;
} counted;

static void count_change(void *ctx, const cv_os_change *c)
{
    counted *k = ctx;
    assert_string_equal(c->name, "rye");
    assert_true(c->came && !c->moved);
    k->changes++;
    k->whole += c->whole;
}

/* Who watches the folder hears of it once, and that it came whole; of one that is made and then written it hears
 * more often. */
static void a_file_gets_its_name_when_it_is_whole(void **state)
{
    (void)state;
    char folder[] = "/tmp/conclave-test-os-XXXXXX";
    counted k = {0};
    assert_non_null(mkdtemp(folder));
    int dir = open(folder, O_RDONLY | O_DIRECTORY), watch = cv_os_watch();
    assert_true(cv_os_watch_names(watch, dir) >= 0);
    for (int i = 0; i < 2; i++) {
        int fd = cv_os_open_unnamed_in(dir, 0644);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, "bread", 5), 5);
        assert_int_equal(cv_os_give_name(fd, dir, "rye"), i ? -1 : 0);
        assert_true(i == 0 || errno == EEXIST);
        close(fd);
    }
    cv_os_watch_read(watch, count_change, &k);
    assert_int_equal(k.changes, 1);
    assert_int_equal(k.whole, 1);
    assert_int_equal(unlinkat(dir, "rye", 0), 0);
    close(watch);

    watch = cv_os_watch();
    assert_true(cv_os_watch_names(watch, dir) >= 0);
    close(openat(dir, "rye", O_WRONLY | O_CREAT, 0644));
    cv_os_watch_read(watch, count_change, &k);
    assert_int_equal(k.changes, 3);
    assert_int_equal(k.whole, 1);
    assert_int_equal(unlinkat(dir, "rye", 0), 0);
    assert_int_equal(rmdir(folder), 0);
    close(watch), close(dir);
}
#endif

static void a_child_closes_what_it_does_not_need(void **state)
{
    (void)state;
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        cv_child_close_from(3, false);
        _exit(fcntl(ends[1], F_GETFD) < 0 && fcntl(2, F_GETFD) >= 0 ? 0 : 1);
    }
    int ended = cv_os_child(pid); /* -1: this system has none */
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (ended >= 0) {
        assert_true(is_readable(ended));
        close(ended);
    }
    close(ends[0]), close(ends[1]);
}

static void network_file_systems_are_known(void **state)
{
    (void)state;
#ifndef CV_OS_PORTABLE
    assert_string_equal(cv_os_network_of(0x6969), "NFS");
    assert_string_equal(cv_os_network_of(0xff534d42), "CIFS");
    assert_string_equal(cv_os_network_of(0x65735546), "FUSE");
#endif
    assert_null(cv_os_network_of(0xef53));     /* ext4 */
    assert_null(cv_os_network_of(0x01021994)); /* tmpfs */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(being_woken_twice_counts_once),
#ifndef CV_OS_PORTABLE
        cmocka_unit_test(processes_wake_each_other),
        cmocka_unit_test(a_number_without_its_file_is_waited_for),
#endif
        cmocka_unit_test(a_file_without_a_name_leaves_nothing),
#ifndef CV_OS_PORTABLE
        cmocka_unit_test(a_file_gets_its_name_when_it_is_whole),
#endif
        cmocka_unit_test(a_child_closes_what_it_does_not_need),
        cmocka_unit_test(network_file_systems_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
