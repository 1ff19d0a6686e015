/* testing_postgres.h - a PostgreSQL server for unit tests; all of it in this header, nothing to link.
 *
 *     const char *address = cv_test_postgres(&a);     "postgresql://conclave@/conclave?host=/dev/shm/cvpg-x&schema=t_…"
 *
 * Every address names a schema of its own that is not there yet, in one server for the whole run: tests run side by
 * side. Who wants to kill a server starts one: cv_test_postgres_run(&a, "start %s/primary --memory", folder) and the
 * other commands of test/postgres/server. All of them end with this process. Without PostgreSQL the calling test is
 * skipped; where CI is set, that is a failure.
 */
#ifndef CV_TEST_TESTING_POSTGRES_H
#define CV_TEST_TESTING_POSTGRES_H

#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "testing.h"

/* Runs test/postgres/server with these arguments; returns the first line that it prints. Skips the calling test without
 * PostgreSQL, and fails it when the command fails. */
static inline const char *cv_test_postgres_run(cv_arena *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline const char *cv_test_postgres_run(cv_arena *a, const char *format, ...)
{
    static const char program[] = "exec test/postgres/server ";
    enum { HEAD = sizeof program - 1 };
    char command[1024], first[1024] = "";
    va_list list;
    va_start(list, format);
    memcpy(command, program, HEAD);
    int n = vsnprintf(command + HEAD, sizeof command - HEAD, format, list);
    va_end(list);
    assert_in_range(n, 1, sizeof command - HEAD - 1);

    FILE *out = popen(command, "r");
    assert_non_null(out);
    if (fgets(first, sizeof first, out))
        first[strcspn(first, "\n")] = 0;
    int status = pclose(out);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
        cv_test_skip("no PostgreSQL");
    if (status != 0) {
        print_error("%s: status %d\n", command, status);
        fail();
    }
    return cv_arena_copy_z(a, cv_str_of(first));
}

/* The name of a schema that no other test has. */
static inline const char *cv_test_postgres_schema(cv_arena *a)
{
    static unsigned made;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return cv_arena_copy_z(
        a, cv_arena_printf(a, "t_%d_%u_%llx", (int)getpid(), made++,
                           (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec));
}

/* The address of the run's server, with a schema that is not there yet. */
static inline const char *cv_test_postgres(cv_arena *a)
{
    const char *server = cv_test_postgres_run(a, "shared --owner %d", (int)getpid());
    return cv_arena_copy_z(a, cv_arena_printf(a, "%s&schema=%s", server, cv_test_postgres_schema(a)));
}

#endif
