/* test_where.c - files below a root: no link leads out, nobody's bytes are lost.
 *
 * Every case runs twice: as the kernel is, and in a process to which openat2() and renameat2() are not known.
 */
#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/limits.h"
#include "base/map.h"

typedef struct {
    cv_arena a;
    cv_err err;
    const char *root, *outside;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.a}};
    const char *top = cv_test_folder(&f.a);
    f.root = cv_arena_printf(&f.a, "%s/root", top).p;
    f.outside = cv_arena_printf(&f.a, "%s/outside", top).p;
    assert_int_equal(mkdir(f.root, 0700), 0);
    assert_int_equal(mkdir(f.outside, 0700), 0);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_test_remove(cv_arena_printf(&f->a, "%s/..", f->root).p);
    cv_arena_release(&f->a);
    return 0;
}

static const char *in(fixture *f, const char *folder, const char *name)
{
    return cv_arena_printf(&f->a, "%s/%s", folder, name).p;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* ---- a kernel that knows less ------------------------------------------------------------------------------------ */

/* From here on in this process openat2() is not there, and renameat2() has no flags. */
static bool forget_new_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Runs the case here, and in a child on the lesser kernel. */
static void on_both_kernels(void (*run)(fixture *f), fixture *f)
{
    run(f);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!forget_new_calls())
            _exit(77);
        run(f); /* a failed assertion leaves by abort or longjmp to a test that then ends this process */
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        return; /* this machine cannot pretend */
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- every layout of links --------------------------------------------------------------------------------------- */

enum { DEPTH = 4 };
static const char *const names[DEPTH] = {"a", "b", "c", "file.md"};
typedef enum { TO_OUTSIDE, TO_OUTSIDE_UPWARDS, TO_INSIDE, TO_NOTHING, TO_ITSELF, LINK_KINDS } link_kind;

static bool visit_any(void *ctx, const char *file, cv_err *err)
{
    cv_arena a = {0};
    cv_str text;
    cv_err own = {.arena = &a};
    (void)err;
    bool read = cv_file_read_at(&a, (cv_where){ctx, file}, 1000, &text, &own);
    bool secret = read && cv_str_find(text, CV_STR("secret")) != SIZE_MAX;
    cv_arena_release(&a);
    return !secret;
}

/* What is done with a path; true: it was done. */
static bool do_read(fixture *f, cv_where w)
{
    cv_str text;
    return cv_file_read_at(&f->a, w, 1000, &text, &f->err);
}
static bool do_write(fixture *f, cv_where w)
{
    return cv_file_write_at(w, CV_STR("new"), NULL, &f->err);
}
static bool do_keep(fixture *f, cv_where w)
{
    cv_file_rules rules = {.arena = &f->a};
    return cv_file_write_at(w, CV_STR("newer"), &rules, &f->err);
}
static bool do_stream(fixture *f, cv_where w)
{
    cv_file_writer writer;
    if (!cv_file_begin(&writer, NULL, w, NULL, &f->err))
        return false;
    cv_buf_add_z(&writer.out, "stream");
    return cv_file_commit(&writer, &f->err);
}
static bool do_make(fixture *f, cv_where w)
{
    return cv_folder_make_at(cv_where_in(&f->a, w, "made/deep"), &f->err);
}
static bool do_list(fixture *f, cv_where w)
{
    cv_folder_entries entries;
    return cv_folder_list(&f->a, w, &entries, &f->err);
}
static bool do_walk(fixture *f, cv_where w)
{
    return cv_file_walk_at(&f->a, w, CV_STR(""), visit_any, (void *)(uintptr_t)w.root, &f->err);
}
static bool do_check(fixture *f, cv_where w)
{
    return cv_where_check(w, &f->err);
}
static bool do_unlink(fixture *f, cv_where w)
{
    (void)f;
    return cv_where_unlink(w);
}

static bool do_move(fixture *f, cv_where w)
{
    return cv_file_move(w, cv_where_printf(&f->a, cv_where_folder(&f->a, w), "moved"), &f->err);
}
static bool do_move_to(fixture *f, cv_where w)
{
    put(in(f, f->root, "mine"), "mine");
    return cv_file_move((cv_where){f->root, "mine"}, w, &f->err);
}

static const struct {
    const char *name;
    bool (*run)(fixture *f, cv_where w);
    bool tells; /* the error names the link, wherever it is on the path */
} deeds[] = {{"read", do_read, true},  {"write", do_write, true},     {"keep", do_keep, true},
             {"make", do_make, true},  {"stream", do_stream, true},   {"list", do_list, true},
             {"walk", do_walk, false}, {"check", do_check, true},     {"unlink", do_unlink, false},
             {"move", do_move, false}, {"move to", do_move_to, false}};

/* Folders a/b/c and the file in them, the same outside with secrets, and at `at` a link instead. */
static void lay_out(fixture *f, size_t depth, size_t at, link_kind kind)
{
    cv_test_remove(f->root);
    cv_test_remove(f->outside);
    mkdir(f->root, 0700);
    mkdir(f->outside, 0700);
    cv_str below = CV_STR("");
    for (size_t i = 0; i < depth; i++) {
        const char *name = i + 1 == depth ? names[DEPTH - 1] : names[i];
        const char *here = cv_arena_printf(&f->a, "%s/%.*s%s", f->root, CV_FMT(below), name).p;
        const char *there = cv_arena_printf(&f->a, "%s/%.*s%s", f->outside, CV_FMT(below), name).p;
        const char *up =
            cv_arena_printf(&f->a, "%.*soutside/%.*s%s", (int)(3 * (i + 1)), "../../../../../", CV_FMT(below), name).p;
        if (i + 1 == depth)
            put(there, "secret");
        else
            assert_int_equal(mkdir(there, 0700), 0);
        if (i == at) {
            const char *targets[] = {there, up, "real", "nowhere", name};
            const char *real = cv_arena_printf(&f->a, "%s/%.*sreal", f->root, CV_FMT(below)).p;
            if (i + 1 == depth)
                put(real, "real");
            else
                mkdir(real, 0700);
            assert_int_equal(symlink(targets[kind], here), 0);
        } else if (i < at) {
            if (i + 1 == depth)
                put(here, "inside");
            else
                assert_int_equal(mkdir(here, 0700), 0);
        }
        below = cv_arena_printf(&f->a, "%.*s%s/", CV_FMT(below), name);
    }
}

/* The outside as a text: every path, its size and its content. */
static cv_str outside_now(fixture *f)
{
    cv_buf text = {0};
    cv_str path = cv_str_of(f->outside);
    for (size_t i = 0; i < DEPTH; i++) {
        cv_folder_entries entries;
        if (!cv_folder_list(&f->a, cv_where_named(path.p), &entries, &f->err))
            break;
        for (size_t k = 0; k < entries.count; k++) {
            const char *whole = in(f, path.p, entries.items[k].name);
            cv_buf_printf(&text, "%s\n", whole);
            if (!entries.items[k].is_folder)
                cv_buf_add(&text, cv_test_read(&f->a, whole));
        }
        path = cv_arena_printf(&f->a, "%.*s/%s", CV_FMT(path), names[i]);
    }
    return cv_buf_take(&text, &f->a);
}

static cv_where target(fixture *f, size_t depth)
{
    cv_where w = {f->root, ""};
    for (size_t i = 0; i < depth; i++)
        w = cv_where_in(&f->a, w, i + 1 == depth ? names[DEPTH - 1] : names[i]);
    return w;
}

static void try_layouts(fixture *f)
{
    for (size_t depth = 1; depth <= DEPTH; depth++)
        for (size_t at = 0; at < depth; at++)
            for (link_kind kind = 0; kind < LINK_KINDS; kind++)
                for (size_t d = 0; d < sizeof deeds / sizeof deeds[0]; d++) {
                    lay_out(f, depth, at, kind);
                    cv_str before = outside_now(f);
                    cv_where w = target(f, depth);
                    f->err = (cv_err){.arena = &f->a};
                    bool done = deeds[d].run(f, w), last = at + 1 == depth;
                    /* A link itself may be removed; a walk visits it, and the visitor cannot open it. */
                    bool may = last && !deeds[d].tells;
                    if (done && !may)
                        print_error("%s of %s: component %zu, kind %d\n", deeds[d].name, w.path, at, (int)kind);
                    assert_true(!done || may);
                    if (deeds[d].tells) {
                        assert_str_has(f->err.message, "is a symbolic link");
                        assert_str_has(f->err.message, last ? names[DEPTH - 1] : names[at]);
                        assert_true(f->err.suggestion.n > 0);
                    }
                    assert_view_eq(outside_now(f), before);
                }
}

static void no_layout_of_links_leads_out(void **state)
{
    on_both_kernels(try_layouts, *state);
}

/* ---- links that come while a path is used ------------------------------------------------------------------------ */

/* Swaps the folder "a" and the link "l" until it is killed. */
static pid_t swap_for_ever(fixture *f)
{
    pid_t child = fork();
    assert_true(child >= 0);
    const char *a = in(f, f->root, "a"), *l = in(f, f->root, "l");
    if (child == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when an assertion ends the test early */
    while (child == 0)
        renameat2(AT_FDCWD, a, AT_FDCWD, l, RENAME_EXCHANGE);
    return child;
}

static void race(fixture *f)
{
    lay_out(f, 2, 9, 0);
    assert_int_equal(symlink(in(f, f->outside, "a"), in(f, f->root, "l")), 0);
    pid_t child = swap_for_ever(f);
    size_t reads = 0, writes = 0, rounds = cv_test_soak() ? 2000000 : 10000;
    for (size_t i = 0; i < rounds; i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_str text;
        cv_where w = {f->root, "a/file.md"};
        if (cv_file_read_at(&a, w, 100, &text, &err)) {
            assert_str_eq(text, "inside");
            reads++;
        }
        if (i % 100 == 0) {
            cv_file_rules rules = {.arena = &a};
            writes += cv_file_write_at((cv_where){f->root, "a/other.md"}, CV_STR("ours"), &rules, &err);
        }
        cv_arena_release(&a);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_true(reads > 0 && writes > 0);
    assert_str_eq(cv_test_read(&f->a, in(f, f->outside, "a/file.md")), "secret");
    assert_int_equal(access(in(f, f->outside, "a/other.md"), F_OK), -1);
}

static void swapped_folders_lead_nowhere(void **state)
{
    on_both_kernels(race, *state);
}

/* ---- nobody's bytes are lost ------------------------------------------------------------------------------------- */

enum { OTHERS = 15 };

static bool wait_until_displaced(const char *path, ino_t own)
{
    struct stat st;
    for (int i = 0; i < 60000; i++, usleep(1000))
        if (stat(path, &st) != 0 || st.st_ino != own)
            return true;
    return false;
}

/* Another writer of the same file: by a new file and rename, or into the file that is there, in two pieces. Each text
 * stays until somebody has displaced it. */
static _Noreturn void other_writer(fixture *f, const char *path, bool in_place, int texts)
{
    const char *own = in(f, f->root, "own");
    for (int i = 0; i < texts; i++) {
        struct stat st;
        int fd = in_place ? open(path, O_WRONLY | O_TRUNC) : open(own, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (fd < 0) {
            i--;
            continue;
        }
        if (in_place)
            usleep(200);
        if (dprintf(fd, "expert %d", i) < 0 || dprintf(fd, " end\n") < 0 || fstat(fd, &st) != 0 || close(fd) != 0 ||
            (!in_place && rename(own, path) != 0) || !wait_until_displaced(path, st.st_ino))
            _exit(1);
    }
    _exit(0);
}

static bool starts_with_ours(void *ctx, cv_str bytes, bool unmarked)
{
    (void)ctx, (void)unmarked;
    return cv_str_starts(bytes, CV_STR("ours"));
}

static void publish_against(fixture *f, bool in_place)
{
    const char *folder = in(f, f->root, "round");
    int texts = cv_test_soak() ? 900 : OTHERS, status = 0;
    cv_test_remove(folder);
    mkdir(folder, 0700);
    const char *path = in(f, folder, "response.md");
    put(path, "ours 0");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        other_writer(f, path, in_place, texts);
    for (int i = 0; waitpid(child, &status, WNOHANG) == 0; i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_file_rules rules = {.arena = &a, .is_ours = starts_with_ours};
        assert_ok(
            cv_file_write_at((cv_where){f->root, "round/response.md"}, cv_arena_printf(&a, "ours %d", i), &rules, &err),
            &err);
        cv_arena_release(&a);
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    cv_folder_entries entries;
    cv_map found = {0};
    assert_ok(cv_folder_list(&f->a, cv_where_named(folder), &entries, &f->err), &f->err);
    for (size_t i = 0; i < entries.count; i++)
        cv_map_put(&found, &f->a, cv_test_read(&f->a, in(f, folder, entries.items[i].name)), NULL);
    for (int i = 0; i < texts; i++)
        assert_non_null(cv_map_get(&found, cv_arena_printf(&f->a, "expert %d end\n", i)));
}

static void publish_both(fixture *f)
{
    publish_against(f, false);
    publish_against(f, true);
}

static void another_writers_bytes_are_kept(void **state)
{
    on_both_kernels(publish_both, *state);
}

/* What a person has edited is kept; what stands as it was written goes. */
static void edited(fixture *f)
{
    cv_where w = {f->root, "prompt.md"};
    const char *path = in(f, f->root, "prompt.md");
    cv_file_rules rules = {.arena = &f->a};
    cv_test_remove(f->root);
    mkdir(f->root, 0700);
    assert_ok(cv_file_write_at(w, CV_STR("one"), &rules, &f->err), &f->err);
    if (getxattr(path, "user.conclave.digest", NULL, 0) < 0)
        return; /* this file system has no attributes: everything is kept */
    assert_ok(cv_file_write_at(w, CV_STR("two"), &rules, &f->err), &f->err);
    assert_int_equal(rules.kept.count, 0);
    put(path, "edited in place");
    assert_ok(cv_file_write_at(w, CV_STR("three"), &rules, &f->err), &f->err);
    assert_int_equal(rules.kept.count, 1);
    assert_str_eq(cv_test_read(&f->a, rules.kept.items[0]), "edited in place");
    put(in(f, f->root, "new"), "edited by rename");
    assert_int_equal(rename(in(f, f->root, "new"), path), 0);
    assert_ok(cv_file_write_at(w, CV_STR("four"), &rules, &f->err), &f->err);
    assert_int_equal(rules.kept.count, 2);
    assert_str_eq(cv_test_read(&f->a, rules.kept.items[1]), "edited by rename");
    assert_str_eq(cv_test_read(&f->a, path), "four");
}

static void edited_files_are_kept(void **state)
{
    on_both_kernels(edited, *state);
}

/* ---- folders ----------------------------------------------------------------------------------------------------- */

static size_t syncs;

/* The program's fsync, counted. */
int fsync(int fd)
{
    syncs++;
    return (int)syscall(SYS_fsync, fd);
}

static void parents_of_new_folders_are_synced(void **state)
{
    fixture *f = *state;
    syncs = 0;
    assert_ok(cv_folder_make_at((cv_where){f->root, "one/two/three"}, &f->err), &f->err);
    assert_int_equal(syncs, 3);
    assert_ok(cv_folder_make_at((cv_where){f->root, "one/two/four"}, &f->err), &f->err);
    assert_int_equal(syncs, 4);
    assert_ok(cv_folder_make_at((cv_where){f->root, "one/two/four"}, &f->err), &f->err);
    assert_int_equal(syncs, 4);
    assert_ok(cv_folder_make(in(f, f->root, "five/./six//seven/"), &f->err), &f->err);
    assert_int_equal(syncs, 7);
    put(in(f, f->root, "plain"), "x");
    assert_fails(cv_folder_make_at((cv_where){f->root, "plain/below"}, &f->err), &f->err, CV_ERR_NOT_FOUND);
    assert_fails(cv_folder_make_at((cv_where){f->root, "plain"}, &f->err), &f->err, CV_ERR_NOT_FOUND);
}

/* ---- words of paths ---------------------------------------------------------------------------------------------- */

static void paths_stay_below_by_their_words(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *given, *path; /* NULL: refused */
    } cases[] = {
        {"a.md", "a.md"}, {"./a//b/./c.md", "a/b/c.md"}, {"a/", "a"},    {".", ""},      {"", NULL},    {"..", NULL},
        {"a/../b", NULL}, {"/etc/passwd", NULL},         {"a/..", NULL}, {"...", "..."}, {"..a", "..a"}};
    cv_where w;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool ok = cv_where_below(&f->a, f->root, cv_str_of(cases[i].given), &w, &f->err);
        assert_int_equal(ok, cases[i].path != NULL);
        if (ok)
            assert_string_equal(w.path, cases[i].path);
    }
    assert_false(cv_where_below(&f->a, f->root, CV_STR("a\0b"), &w, &f->err));
    assert_ok(cv_where_below(&f->a, f->root, cv_str_of(in(f, f->root, "x/y")), &w, &f->err), &f->err);
    assert_string_equal(w.path, "x/y");
    assert_string_equal(cv_where_path(&f->a, w), in(f, f->root, "x/y"));
    assert_false(cv_where_below(&f->a, f->root, cv_arena_printf(&f->a, "%sx/y", f->root), &w, &f->err));
    assert_int_equal(symlink(f->root, in(f, f->outside, "name")), 0); /* another name of the root */
    assert_ok(cv_where_below(&f->a, f->root, cv_str_of(in(f, f->outside, "name/x/y")), &w, &f->err), &f->err);
    assert_string_equal(w.path, "x/y");
}

/* ---- temporary names --------------------------------------------------------------------------------------------- */

enum { THREADS = 4, EACH = 2000 };

static void *make_names(void *ctx)
{
    cv_arena *a = ctx;
    const char **made = CV_NEW_ARRAY(a, EACH, const char *);
    for (size_t i = 0; i < EACH; i++)
        made[i] = cv_file_unique(a);
    return made;
}

static void temporary_names_are_given_once(void **state)
{
    fixture *f = *state;
    pthread_t threads[THREADS];
    cv_arena arenas[THREADS] = {{0}};
    cv_map seen = {0};
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_names, &arenas[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *made;
        pthread_join(threads[i], &made);
        for (size_t k = 0; k < EACH; k++) {
            bool is_new;
            cv_map_put(&seen, &f->a, cv_str_of(((const char **)made)[k]), &is_new);
            assert_true(is_new);
        }
    }
    for (size_t i = 0; i < THREADS; i++)
        cv_arena_release(&arenas[i]);
}

static void leftovers_of_the_dead_are_known(void **state)
{
    fixture *f = *state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    cv_str dead = cv_arena_printf(&f->a, ".conclave-%ld%s.tmp", (long)child, strchr(cv_file_unique(&f->a), '-'));
    cv_str live = cv_arena_printf(&f->a, ".conclave-%s.tmp", cv_file_unique(&f->a));
    assert_true(cv_file_is_leftover(dead.p));
    assert_false(cv_file_is_leftover(live.p));
    assert_false(cv_file_is_leftover("response-muffin.md.before-1"));
}

/* Of several who move a file one has it, and no file is moved over. */
static void a_file_is_moved_once_and_over_nothing(void **state)
{
    fixture *f = *state;
    enum { MOVERS = 8 };
    pid_t children[MOVERS];
    size_t succeeded = 0;
    mkdir(in(f, f->root, "in"), 0700);
    put(in(f, f->root, "in/letter"), "dear");
    put(in(f, f->root, "taken"), "mine");
    for (size_t i = 0; i < MOVERS; i++) {
        children[i] = fork();
        if (children[i] == 0)
            _exit(!cv_file_move((cv_where){f->root, "in/letter"},
                                cv_where_printf(&f->a, (cv_where){f->root, ""}, "to-%zu", i), &f->err));
    }
    for (size_t i = 0; i < MOVERS; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) != 0)
            continue;
        succeeded++;
        cv_where moved = cv_where_printf(&f->a, (cv_where){f->root, ""}, "to-%zu", i);
        assert_view_eq(cv_test_read(&f->a, cv_where_path(&f->a, moved)), CV_STR("dear"));
        assert_false(cv_file_move(moved, (cv_where){f->root, "taken"}, &f->err));
        assert_str_has(f->err.message, "move it");
        assert_str_has(f->err.file, moved.path);
        assert_view_eq(cv_test_read(&f->a, in(f, f->root, "taken")), CV_STR("mine"));
    }
    assert_int_equal(succeeded, 1);
    assert_false(cv_where_is_regular((cv_where){f->root, "in/letter"}));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_layout_of_links_leads_out),          TEST(swapped_folders_lead_nowhere),
        TEST(another_writers_bytes_are_kept),        TEST(edited_files_are_kept),
        TEST(parents_of_new_folders_are_synced),     TEST(paths_stay_below_by_their_words),
        TEST(temporary_names_are_given_once),        TEST(leftovers_of_the_dead_are_known),
        TEST(a_file_is_moved_once_and_over_nothing),
    };
    return cmocka_run_group_tests_name("where", tests, NULL, NULL);
}
