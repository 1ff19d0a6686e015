/* testing.h - what the unit tests share; all of it in this header, nothing to link.
 *
 *     static void test_trim(void **state)
 *     {
 *         (void)state;
 *         assert_str_eq(cv_str_trim(CV_STR(" a ")), "a");
 *     }
 *
 * Random input comes from cv_test_random with a seed that is fixed, or that of the run (cv_test_seed), so a failure
 * repeats. Long loops ask cv_test_soak().
 */
#ifndef CV_TEST_TESTING_H
#define CV_TEST_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/* ---- text ------------------------------------------------------------------------------------ */

static inline void cv_test_str_eq(cv_str actual, cv_str expected, const char *file, int line)
{
    if (cv_str_eq(actual, expected))
        return;
    print_error("found:    \"%.*s\"\nexpected: \"%.*s\"\n", CV_FMT(actual), CV_FMT(expected));
    _fail(file, line);
}

/* A view against a string literal (or any terminated string), and against another view. */
#define assert_str_eq(actual, expected) cv_test_str_eq((actual), cv_str_of(expected), __FILE__, __LINE__)
#define assert_view_eq(actual, expected) cv_test_str_eq((actual), (expected), __FILE__, __LINE__)

/* The view has `part` somewhere in it. */
static inline void cv_test_str_has(cv_str actual, cv_str part, const char *file, int line)
{
    if (cv_str_find(actual, part) != SIZE_MAX)
        return;
    print_error("found:   \"%.*s\"\nwithout: \"%.*s\"\n", CV_FMT(actual), CV_FMT(part));
    _fail(file, line);
}
#define assert_str_has(actual, part) cv_test_str_has((actual), cv_str_of(part), __FILE__, __LINE__)

/* A call of the usual shape that must succeed: shows the error when it does not. */
#define assert_ok(call, err)                                                                                           \
    do {                                                                                                               \
        if (!(call)) {                                                                                                 \
            cv_str cv_test_text_ = cv_err_text(err);                                                                   \
            print_error("%s\n%.*s\n", #call, CV_FMT(cv_test_text_));                                                   \
            _fail(__FILE__, __LINE__);                                                                                 \
        }                                                                                                              \
    } while (0)

/* … and one that must fail with this code. */
#define assert_fails(call, err, expected)                                                                              \
    do {                                                                                                               \
        assert_false(call);                                                                                            \
        assert_view_eq(cv_err_word((err)->code), cv_err_word(expected));                                               \
    } while (0)

/* ---- randomness ------------------------------------------------------------------------------ */

/* A splitmix64 generator: the state is the seed. */
typedef struct {
    uint64_t state;
} cv_test_random;

static inline uint64_t cv_test_next(cv_test_random *r)
{
    r->state += 0x9e3779b97f4a7c15u;
    uint64_t z = r->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The seed of this run: campaigns that are too long for every run take their sample by it. tools/test makes another one
 * of each commit, CV_SEED=n repeats a run. */
static inline uint64_t cv_test_seed(void)
{
    const char *given = getenv("CV_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
    print_message("# CV_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/* A number below `limit`, which is not 0. */
static inline size_t cv_test_below(cv_test_random *r, size_t limit)
{
    return (size_t)(cv_test_next(r) % limit);
}

/* ---- surroundings ---------------------------------------------------------------------------- */

/* True when the long version of a test is wanted (make soak). */
static inline bool cv_test_soak(void)
{
    return getenv("CV_SOAK") != NULL;
}

/* Whether one case of many is part of the sample: one of `part`; in the soak every one. */
static inline bool cv_test_drawn(cv_test_random *random, size_t part)
{
    return cv_test_below(random, part) == 0 || cv_test_soak();
}

/* True when golden files are to be written instead of compared (make update). */
static inline bool cv_test_update(void)
{
    return getenv("CV_UPDATE") != NULL;
}

/* Skips the calling test. The reason is one of those that tools/test lets pass where CI is set, or fails it there. */
#define cv_test_skip(reason)                                                                                           \
    do {                                                                                                               \
        print_message("# skip: %s\n", (reason));                                                                       \
        skip();                                                                                                        \
    } while (0)

/* The folder with real dialogues. Skips the calling test when there is none. */
static inline const char *cv_test_corpus(void)
{
    const char *corpus = getenv("CONCLAVE_CORPUS");
    if (!corpus || !*corpus)
        cv_test_skip("no corpus");
    return corpus;
}

/* A whole file, or the test fails. Paths are relative to the root of the repository. */
static inline cv_str cv_test_read(cv_arena *a, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        print_error("cannot open %s\n", path);
        fail();
        return (cv_str){NULL, 0};
    }
    size_t n = 0, capacity = 4096;
    char *bytes = cv_arena_alloc(a, capacity);
    for (size_t got; (got = fread(bytes + n, 1, capacity - n, f)) > 0;) {
        n += got;
        if (n == capacity)
            bytes = cv_arena_grow(a, bytes, n, &capacity, 1);
    }
    fclose(f);
    return (cv_str){bytes, n};
}

/* A new, empty folder for one test; cv_test_remove() takes it away with everything in it. */
static inline const char *cv_test_folder(cv_arena *a)
{
    const char *tmp = getenv("TMPDIR");
    cv_str path = cv_arena_printf(a, "%s/conclave-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    char *folder = cv_arena_copy_z(a, path);
    assert_non_null(mkdtemp(folder));
    return folder;
}

static inline int cv_test_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static inline void cv_test_remove(const char *folder)
{
    nftw(folder, cv_test_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
