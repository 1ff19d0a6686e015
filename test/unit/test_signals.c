/* test_signals.c - the signals that end a server: the first one is waited for, the second ends the process. */
#include "testing.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/signals.h"

/* In a child: says when it has been asked to end, and then does not. */
static void never_end(int to)
{
    cv_signals_hold();
    assert_int_equal(write(to, "h", 1), 1);
    cv_signals_wait();
    assert_int_equal(write(to, "w", 1), 1);
    for (;;)
        pause();
}

static int end_twice(int first, int second)
{
    int ends[2], status;
    char said;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        never_end(ends[1]);
    assert_true(read(ends[0], &said, 1) == 1 && said == 'h');
    kill(child, first);
    assert_true(read(ends[0], &said, 1) == 1 && said == 'w');
    kill(child, second);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(ends[0]);
    close(ends[1]);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_second_signal_ends_the_process(void **state)
{
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    (void)state;
    for (size_t i = 0; i < CV_COUNT(all); i++)
        for (size_t j = 0; j < CV_COUNT(all); j++)
            assert_int_equal(end_twice(all[i], all[j]), 128 + all[j]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_second_signal_ends_the_process)};
    return cmocka_run_group_tests_name("signals", tests, NULL, NULL);
}
