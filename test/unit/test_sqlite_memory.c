/* test_sqlite_memory.c - what is done wrong with the memory of SQLite is found (test/sqlite_memory.c).
 *
 * Each wrong is done by a child, whose end is looked at.
 */
#include "testing.h"

#include <sqlite3.h>
#include <string.h>
#include <sys/wait.h>

static sqlite3_stmt *ask(sqlite3 **ret_db)
{
    sqlite3_stmt *statement;
    if (sqlite3_open(":memory:", ret_db) != SQLITE_OK ||
        sqlite3_prepare_v2(*ret_db, "SELECT printf('%.300c', 'x')", -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        _exit(97);
    return statement;
}

/* All is well with it. */
static int nothing(void)
{
    sqlite3 *db;
    sqlite3_stmt *statement = ask(&db);
    size_t length = strlen((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return length == 300 ? 0 : 98;
}

static int reads_what_was_freed(void)
{
    sqlite3 *db;
    sqlite3_stmt *statement = ask(&db);
    const volatile unsigned char *text = sqlite3_column_text(statement, 0);
    sqlite3_finalize(statement);
    int first = text[0];
    sqlite3_close(db);
    return first == 'x' ? 0 : 98;
}

static int reads_behind_the_end(void)
{
    volatile char *bytes = sqlite3_malloc(40);
    int beyond = bytes[40];
    sqlite3_free((void *)bytes);
    return beyond == 0 ? 0 : 98;
}

static int reads_before_the_start(void)
{
    volatile char *bytes = sqlite3_malloc(40);
    int before = bytes[-1];
    sqlite3_free((void *)bytes);
    return before == 0 ? 0 : 98;
}

static int leaves_a_statement_open(void)
{
    sqlite3 *db;
    ask(&db);
    sqlite3_close(db);
    return 0;
}

/* How a child ends that does this. It says nothing: its report is expected. */
static int end_of(int (*does)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        assert_non_null(freopen("/dev/null", "w", stderr));
        exit(does());
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void what_is_right_passes(void **state)
{
    (void)state;
    assert_int_equal(end_of(nothing), 0);
}

/* The status with which AddressSanitizer ends a child: 1, or what tools/test says. */
static int found(void)
{
    const char *options = getenv("ASAN_OPTIONS"), *said = options ? strstr(options, "exitcode=") : NULL;
    return said ? atoi(said + strlen("exitcode=")) : 1;
}

static void a_wrong_access_is_found(void **state)
{
    (void)state;
    assert_int_equal(end_of(reads_what_was_freed), found());
    assert_int_equal(end_of(reads_behind_the_end), found());
    assert_int_equal(end_of(reads_before_the_start), found());
}

static void what_is_left_open_is_found(void **state)
{
    (void)state;
    assert_int_equal(end_of(leaves_a_statement_open), 23);
}

static void blocks_keep_their_bytes(void **state)
{
    (void)state;
    cv_test_random random = {cv_test_seed()};
    unsigned char *blocks[64] = {0};
    for (int turn = 0; turn < 20000; turn++) {
        size_t i = cv_test_below(&random, CV_COUNT(blocks));
        int size = 1 + (int)cv_test_below(&random, turn % 100 ? 3000 : 2000000), kept = 0;
        if (blocks[i]) {
            kept = (int)sqlite3_msize(blocks[i]);
            for (int k = 0; k < kept; k += 1 + kept / 50)
                assert_int_equal(blocks[i][k], i);
        }
        if (cv_test_below(&random, 3) == 0) {
            sqlite3_free(blocks[i]);
            blocks[i] = NULL;
            continue;
        }
        blocks[i] = sqlite3_realloc(blocks[i], size);
        assert_non_null(blocks[i]);
        for (int k = 0; k < kept && k < size; k += 1 + kept / 50)
            assert_int_equal(blocks[i][k], i);
        memset(blocks[i], (int)i, sqlite3_msize(blocks[i]));
    }
    for (size_t i = 0; i < CV_COUNT(blocks); i++)
        sqlite3_free(blocks[i]);
}

int main(int count, char **arguments)
{
    (void)count;
    if (getenv("CV_SQLITE_MALLOC")) { /* which leaves nothing to test */
        unsetenv("CV_SQLITE_MALLOC");
        execv("/proc/self/exe", arguments);
        return 99;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_right_passes),
        cmocka_unit_test(a_wrong_access_is_found),
        cmocka_unit_test(what_is_left_open_is_found),
        cmocka_unit_test(blocks_keep_their_bytes),
    };
    return cmocka_run_group_tests_name("sqlite_memory", tests, NULL, NULL);
}
