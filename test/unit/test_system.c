/* test_system.c - every errno has a code, a reason and an advice; what users meet has its own. */
#include "testing.h"

#include <errno.h>

#include "base/system.h"

static void every_number_is_explained(void **state)
{
    (void)state;
    for (int number = 1; number < 200; number++) {
        assert_non_null(cv_system_code(number));
        assert_true(*cv_system_reason(number) && *cv_system_advice(number));
    }
}

static void what_users_meet_has_its_own_advice(void **state)
{
    static const struct {
        int number;
        const char *code, *advice;
    } cases[] = {
        {EMFILE, "io_error", "ulimit -n"}, {ENFILE, "io_error", "fs.file-max"},    {ENOSPC, "io_error", "make room"},
        {EDQUOT, "io_error", "quota"},     {EROFS, "no_access", "writable"},       {EACCES, "no_access", "permissions"},
        {ELOOP, "no_access", "link"},      {ENAMETOOLONG, "no_access", "shorter"}, {ESTALE, "io_error", "mount"},
        {EIO, "io_error", "disk"},         {EFBIG, "io_error", "ulimit -f"},       {EAGAIN, "io_error", "ulimit -u"},
        {ENOMEM, "io_error", "memory"},    {ENOENT, "not_found", "path"},          {ENOTDIR, "not_found", "a file is"},
        {EISDIR, "not_a_file", "folder"},  {ENXIO, "not_a_file", "pipe"},          {EEXIST, "no_access", "name"},
    };
    (void)state;
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(cases); i++) {
        cv_err err = {.arena = &a};
        assert_false(cv_system_fail(&err, "/x/y", "look", cases[i].number));
        assert_str_eq(cv_err_word(err.code), cases[i].code);
        assert_true(cv_str_find(err.suggestion, cv_str_of(cases[i].advice)) != SIZE_MAX);
        assert_str_eq(err.file, "/x/y");
        assert_true(cv_str_starts(err.message, CV_STR("cannot look: ")));
        assert_true(cv_str_ends(err.message, cv_str_of(cv_system_reason(cases[i].number))));
    }
    cv_err err = {.arena = &a};
    cv_system_fail_unchanged(&err, NULL, "look", EMFILE);
    assert_int_equal(err.file.n, 0);
    assert_true(cv_str_ends(err.suggestion, CV_STR("(ulimit -n); nothing was changed")));
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_is_explained),
        cmocka_unit_test(what_users_meet_has_its_own_advice),
    };
    return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
