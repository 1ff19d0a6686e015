/* test_file.c - reading with suspicion, writing whole or not at all, walking in order. */
#include "testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/limits.h"

/* One folder, arena and error per test. */
typedef struct {
    cv_arena arena;
    cv_err err;
    const char *folder;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.err = {.arena = &f.arena}};
    f.folder = cv_test_folder(&f.arena);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    cv_test_remove(f->folder);
    cv_arena_release(&f->arena);
    return 0;
}

static const char *in_folder(fixture *f, const char *name)
{
    return cv_arena_printf(&f->arena, "%s/%s", f->folder, name).p;
}

/* Puts a file there by the shortest way, not by the code under test. */
static const char *make_file(fixture *f, const char *name, cv_str bytes)
{
    const char *path = in_folder(f, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.p, 1, bytes.n, file), bytes.n);
    assert_int_equal(fclose(file), 0);
    return path;
}

static size_t count_entries(const char *folder)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    size_t n = 0;
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2;
}

static size_t count_descriptors(void)
{
    return count_entries("/proc/self/fd");
}

/* ---- reading --------------------------------------------------------------------------------- */

static void files_are_read_whole(void **state)
{
    fixture *f = *state;
    cv_str bytes;
    assert_ok(cv_file_read(&f->arena, make_file(f, "a", CV_STR("a\0b\xff")), 100, &bytes, &f->err), &f->err);
    assert_view_eq(bytes, CV_STR("a\0b\xff"));
    assert_ok(cv_file_read(&f->arena, make_file(f, "empty", CV_STR("")), 0, &bytes, &f->err), &f->err);
    assert_int_equal(bytes.n, 0);
    char large[200000];
    memset(large, 'x', sizeof large);
    const char *path = make_file(f, "large", (cv_str){large, sizeof large});
    assert_ok(cv_file_read(&f->arena, path, sizeof large, &bytes, &f->err), &f->err);
    assert_view_eq(bytes, ((cv_str){large, sizeof large}));
    const char *link = in_folder(f, "link");
    assert_int_equal(symlink("large", link), 0);
    assert_ok(cv_file_read(&f->arena, link, sizeof large, &bytes, &f->err), &f->err);
    assert_int_equal(bytes.n, sizeof large);
}

/* The kernel says 0 bytes for these: what is there counts, not what was promised. The same holds for growing files. */
static void files_longer_than_they_say_are_read_whole(void **state)
{
    fixture *f = *state;
    cv_str bytes;
    assert_ok(cv_file_read(&f->arena, "/proc/self/status", 1 << 20, &bytes, &f->err), &f->err);
    assert_str_has(bytes, "Pid:");
    assert_true(bytes.n > 500);
    assert_fails(cv_file_read(&f->arena, "/proc/self/status", 100, &bytes, &f->err), &f->err, CV_ERR_TOO_LARGE);
    assert_str_has(f->err.message, "at least 101 bytes");
}

static void what_is_no_file_is_refused(void **state)
{
    fixture *f = *state;
    cv_str bytes = CV_STR("untouched");
    assert_fails(cv_file_read_text(&f->arena, f->folder, &bytes, &f->err), &f->err, CV_ERR_NOT_A_FILE);
    assert_str_eq(f->err.message, "this is a folder, not a file");
    assert_str_eq(f->err.file, f->folder);
    const char *missing = in_folder(f, "missing.md");
    assert_fails(cv_file_read_text(&f->arena, missing, &bytes, &f->err), &f->err, CV_ERR_NOT_FOUND);
    assert_str_eq(f->err.message, "cannot open the file: No such file or directory");
    assert_str_eq(f->err.file, missing);
    const char *below = cv_arena_printf(&f->arena, "%s/x", make_file(f, "plain", CV_STR("x"))).p;
    assert_fails(cv_file_read_text(&f->arena, below, &bytes, &f->err), &f->err, CV_ERR_NOT_FOUND);
    const char *fifo = in_folder(f, "fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_fails(cv_file_read_text(&f->arena, fifo, &bytes, &f->err), &f->err, CV_ERR_NOT_A_FILE);
    assert_str_has(cv_err_text(&f->err), "named pipe");
    assert_str_eq(f->err.file, fifo);
    assert_fails(cv_file_read_text(&f->arena, "/dev/zero", &bytes, &f->err), &f->err, CV_ERR_NOT_A_FILE);
    assert_str_has(f->err.message, "a device");
    const char *loop = in_folder(f, "loop");
    assert_int_equal(symlink("loop", loop), 0);
    assert_fails(cv_file_read_text(&f->arena, loop, &bytes, &f->err), &f->err, CV_ERR_NO_ACCESS);
    assert_str_eq(bytes, "untouched");
}

static void files_above_the_ceiling_are_refused(void **state)
{
    fixture *f = *state;
    cv_str bytes;
    const char *path = make_file(f, "sparse", CV_STR(""));
    assert_int_equal(truncate(path, 3 << 20), 0);
    assert_fails(cv_file_read(&f->arena, path, 2 << 20, &bytes, &f->err), &f->err, CV_ERR_TOO_LARGE);
    assert_str_eq(f->err.message, "3145728 bytes (3.0 MB), above the limit of 2.0 MB (2097152 bytes)");
    assert_str_eq(f->err.file, path);
    assert_int_equal(truncate(path, (off_t)CV_MAX_FILE_BYTES + 1), 0);
    size_t before = f->arena.bytes;
    assert_fails(cv_file_read_text(&f->arena, path, &bytes, &f->err), &f->err, CV_ERR_TOO_LARGE);
    assert_true(f->arena.bytes - before < 1 << 20); /* refused before memory is taken */
    assert_int_equal(truncate(path, 100), 0);
    assert_ok(cv_file_read(&f->arena, path, 100, &bytes, &f->err), &f->err);
    assert_fails(cv_file_read(&f->arena, path, 99, &bytes, &f->err), &f->err, CV_ERR_TOO_LARGE);
}

/* Runs `check` in a process that is nobody in particular, also when the tests run as root. */
static bool as_nobody(bool (*check)(fixture *f), fixture *f)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(2);
        _exit(check(f) ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        cv_test_skip("there is no user without rights");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool secret_is_refused(fixture *f)
{
    cv_str text;
    return !cv_file_read_text(&f->arena, in_folder(f, "secret"), &text, &f->err) && f->err.code == CV_ERR_NO_ACCESS &&
           cv_str_eq(f->err.file, cv_str_of(in_folder(f, "secret"))) &&
           cv_str_find(f->err.message, CV_STR("Permission denied")) != SIZE_MAX;
}

static void unreadable_files_are_refused(void **state)
{
    fixture *f = *state;
    chmod(f->folder, 0755);
    chmod(make_file(f, "secret", CV_STR("x")), 0);
    assert_true(as_nobody(secret_is_refused, f));
}

/* Standard input is `fd` while the text is read; -1: closed. */
static bool read_stdin(fixture *f, int fd, size_t ceiling, cv_str *ret_bytes)
{
    int saved = dup(STDIN_FILENO);
    if (fd >= 0)
        dup2(fd, STDIN_FILENO);
    else
        close(STDIN_FILENO);
    bool ok = cv_file_read(&f->arena, "-", ceiling, ret_bytes, &f->err);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    if (fd >= 0)
        close(fd);
    return ok;
}

/* A pipe into which a child writes `n` letters in pieces. */
static int pipe_of(size_t n, int flags)
{
    int ends[2];
    assert_int_equal(pipe2(ends, flags), 0);
    if (fork() == 0) {
        fcntl(ends[1], F_SETFL, 0);
        for (; n > 0; n--)
            if (write(ends[1], "x", 1) != 1 || (n % 5000 == 0 && usleep(1000) != 0))
                break;
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

static void standard_input_is_read_to_its_end(void **state)
{
    fixture *f = *state;
    cv_str bytes;
    assert_ok(read_stdin(f, pipe_of(150000, 0), 150000, &bytes), &f->err);
    assert_int_equal(bytes.n, 150000);
    assert_ok(read_stdin(f, pipe_of(20000, O_NONBLOCK), 150000, &bytes), &f->err);
    assert_int_equal(bytes.n, 20000);
    assert_ok(read_stdin(f, open("/dev/null", O_RDONLY), 10, &bytes), &f->err);
    assert_int_equal(bytes.n, 0);
    assert_fails(read_stdin(f, pipe_of(11, 0), 10, &bytes), &f->err, CV_ERR_TOO_LARGE);
    assert_str_eq(f->err.file, "-");
    assert_fails(read_stdin(f, open("/dev/zero", O_RDONLY), 1 << 20, &bytes), &f->err, CV_ERR_TOO_LARGE);
    assert_fails(read_stdin(f, open(f->folder, O_RDONLY), 10, &bytes), &f->err, CV_ERR_NOT_A_FILE);
    assert_fails(read_stdin(f, -1, 10, &bytes), &f->err, CV_ERR_IO);
    while (wait(NULL) > 0)
        continue;
}

static void bad_text_is_refused_with_its_place(void **state)
{
    fixture *f = *state;
    cv_str text;
    const char *path = make_file(f, "nul.md", CV_STR("one\n\xc3\xa4\xe2\x82\xac\0x"));
    assert_fails(cv_file_read_text(&f->arena, path, &text, &f->err), &f->err, CV_ERR_NOT_TEXT);
    assert_int_equal(f->err.line, 2);
    assert_int_equal(f->err.column, 3);
    assert_str_eq(f->err.file, path);
    path = make_file(f, "latin.md", CV_STR("one\r\n\n\xc3\xa4 gr\xfc\xdf\n"));
    assert_fails(cv_file_read_text(&f->arena, path, &text, &f->err), &f->err, CV_ERR_NOT_UTF8);
    assert_int_equal(f->err.line, 3);
    assert_int_equal(f->err.column, 5);
    assert_str_eq(f->err.message, "byte 0xfc is not valid UTF-8");
    assert_str_eq(f->err.file, path);
    assert_fails(cv_text_check(CV_STR("\xff\xfe#\0"), &f->err), &f->err, CV_ERR_NOT_UTF8);
    assert_str_has(f->err.suggestion, "UTF-16");
    assert_fails(cv_text_check(CV_STR("\0\xff"), &f->err), &f->err, CV_ERR_NOT_TEXT); /* the first one is told */
    assert_fails(cv_text_check(CV_STR("\xff\0"), &f->err), &f->err, CV_ERR_NOT_UTF8);
    assert_fails(cv_text_check(CV_STR("abc\n\xe2\x82"), &f->err), &f->err, CV_ERR_NOT_UTF8);
    assert_int_equal(f->err.line, 2);
    assert_int_equal(f->err.column, 1);
    assert_true(cv_text_check(CV_STR(""), &f->err));
    assert_true(cv_text_check((cv_str){NULL, 0}, &f->err));
    assert_true(cv_text_check(CV_STR("\xef\xbb\xbf# \xf0\x9f\xa7\x81\n"), &f->err));
}

/* ---- writing --------------------------------------------------------------------------------- */

static unsigned mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void writing_makes_and_replaces(void **state)
{
    fixture *f = *state;
    const char *path = in_folder(f, "new.md");
    mode_t mask = umask(027);
    assert_ok(cv_file_write(path, CV_STR("first\n"), &f->err), &f->err);
    umask(mask);
    assert_int_equal(mode_of(path), 0640);
    assert_str_eq(cv_test_read(&f->arena, path), "first\n");
    chmod(path, 0604);
    assert_ok(cv_file_write(path, CV_STR("a\0b"), &f->err), &f->err);
    assert_view_eq(cv_test_read(&f->arena, path), CV_STR("a\0b"));
    assert_int_equal(mode_of(path), 0604);
    assert_ok(cv_file_write(path, (cv_str){NULL, 0}, &f->err), &f->err);
    assert_str_eq(cv_test_read(&f->arena, path), "");
    assert_int_equal(count_entries(f->folder), 1);
}

static void writing_works_in_the_current_folder(void **state)
{
    fixture *f = *state;
    int here = open(".", O_RDONLY | O_DIRECTORY);
    assert_int_equal(chdir(f->folder), 0);
    bool ok = cv_file_write("plain.md", CV_STR("x"), &f->err);
    assert_int_equal(fchdir(here), 0);
    close(here);
    assert_ok(ok, &f->err);
    assert_str_eq(cv_test_read(&f->arena, in_folder(f, "plain.md")), "x");
}

static void names_of_any_allowed_length_work(void **state)
{
    fixture *f = *state;
    char name[256];
    memset(name, 'n', sizeof name);
    name[255] = '\0';
    assert_ok(cv_file_write(in_folder(f, name), CV_STR("x"), &f->err), &f->err);
}

static bool is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static void links_stay_links(void **state)
{
    fixture *f = *state;
    assert_int_equal(mkdir(in_folder(f, "deep"), 0700), 0);
    make_file(f, "deep/target", CV_STR("old"));
    const char *first = in_folder(f, "first"), *second = in_folder(f, "deep/second");
    assert_int_equal(symlink("deep/second", first), 0);
    assert_int_equal(symlink("target", second), 0);
    assert_ok(cv_file_write(first, CV_STR("new"), &f->err), &f->err);
    assert_true(is_link(first) && is_link(second));
    assert_str_eq(cv_test_read(&f->arena, in_folder(f, "deep/target")), "new");
    assert_int_equal(unlink(in_folder(f, "deep/target")), 0); /* a link to what is not there yet */
    assert_ok(cv_file_write(first, CV_STR("again"), &f->err), &f->err);
    assert_true(is_link(first) && is_link(second));
    assert_str_eq(cv_test_read(&f->arena, in_folder(f, "deep/target")), "again");
    assert_int_equal(unlink(second), 0);
    assert_int_equal(symlink(in_folder(f, "deep/target"), second), 0); /* absolute */
    assert_ok(cv_file_write(first, CV_STR("absolute"), &f->err), &f->err);
    assert_str_eq(cv_test_read(&f->arena, in_folder(f, "deep/target")), "absolute");
    const char *loop = in_folder(f, "loop");
    assert_int_equal(symlink("loop", loop), 0);
    assert_fails(cv_file_write(loop, CV_STR("x"), &f->err), &f->err, CV_ERR_NO_ACCESS);
    assert_str_has(f->err.suggestion, "symbolic link");
}

static void what_cannot_be_replaced_is_refused(void **state)
{
    fixture *f = *state;
    assert_fails(cv_file_write(f->folder, CV_STR("x"), &f->err), &f->err, CV_ERR_NOT_A_FILE);
    assert_fails(cv_file_write("/dev/null", CV_STR("x"), &f->err), &f->err, CV_ERR_NOT_A_FILE);
    const char *nowhere = in_folder(f, "no/such/folder.md");
    assert_fails(cv_file_write(nowhere, CV_STR("x"), &f->err), &f->err, CV_ERR_NOT_FOUND);
    assert_str_eq(f->err.file, nowhere);
    assert_true(f->err.suggestion.n > 0);
    const char *below = cv_arena_printf(&f->arena, "%s/x", make_file(f, "plain", CV_STR("x"))).p;
    assert_fails(cv_file_write(below, CV_STR("x"), &f->err), &f->err, CV_ERR_NOT_FOUND);
    assert_fails(cv_file_write("", CV_STR("x"), &f->err), &f->err, CV_ERR_NOT_FOUND);
    assert_int_equal(count_entries(f->folder), 1);
}

static bool closed_places_are_refused(fixture *f)
{
    bool file = cv_file_write(in_folder(f, "open/readonly"), CV_STR("new"), &f->err);
    bool folder = cv_file_write(in_folder(f, "closed/new"), CV_STR("new"), &f->err);
    return !file && !folder && cv_str_find(f->err.message, CV_STR("Permission denied")) != SIZE_MAX;
}

static void permissions_are_respected(void **state)
{
    fixture *f = *state;
    chmod(f->folder, 0755);
    mkdir(in_folder(f, "open"), 0777);
    chmod(in_folder(f, "open"), 0777);
    mkdir(in_folder(f, "closed"), 0555);
    chmod(make_file(f, "open/readonly", CV_STR("old")), 0444);
    assert_true(as_nobody(closed_places_are_refused, f));
    assert_str_eq(cv_test_read(&f->arena, in_folder(f, "open/readonly")), "old");
    assert_int_equal(count_entries(in_folder(f, "open")), 1);
    assert_int_equal(count_entries(in_folder(f, "closed")), 0);
}

/* The remains of a process that died with our number are stepped over. */
static void old_temporaries_are_left_alone(void **state)
{
    fixture *f = *state;
    const char *remains = cv_arena_printf(&f->arena, ".conclave-%ld-0.tmp", (long)getpid()).p;
    make_file(f, remains, CV_STR("of somebody else"));
    assert_ok(cv_file_write(in_folder(f, "a.md"), CV_STR("x"), &f->err), &f->err);
    assert_str_eq(cv_test_read(&f->arena, in_folder(f, remains)), "of somebody else");
    assert_int_equal(count_entries(f->folder), 2);
}

/* ---- a world that fails ---------------------------------------------------------------------- */

typedef enum { NONE, OPEN, WRITE, SYNC, CLOSE, RENAME } call_kind;

/* The n-th call fails; writes are short and interrupted on top. */
static struct {
    size_t calls, fail_at;
    int with;
    call_kind failed;
    bool on_folder, piecemeal;
    size_t syncs;
} world;

static bool fails_now(call_kind kind, int fd)
{
    struct stat st;
    if (++world.calls != world.fail_at)
        return false;
    world.failed = kind;
    world.on_folder = fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
    errno = world.with;
    return true;
}

static int failing_open(int folder, const char *path, int flags, unsigned mode)
{
    if (fails_now(OPEN, -1))
        return -1;
    return openat(folder, path, flags, (mode_t)mode);
}

static long failing_write(int fd, const void *bytes, size_t n)
{
    if (fails_now(WRITE, fd))
        return -1;
    if (world.piecemeal && world.calls % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    return write(fd, bytes, world.piecemeal && n > 3 ? 3 : n);
}

static int failing_sync(int fd)
{
    world.syncs++;
    return fails_now(SYNC, fd) ? -1 : fsync(fd);
}

static int failing_close(int fd)
{
    bool fails = fails_now(CLOSE, fd);
    int number = errno;
    close(fd);
    errno = number;
    return fails ? -1 : 0;
}

static int failing_rename(int folder, const char *from, const char *to, unsigned flags)
{
    return fails_now(RENAME, -1) ? -1 : renameat2(folder, from, folder, to, flags);
}

static const cv_file_calls failing_calls = {failing_open, failing_write, failing_sync, failing_close, failing_rename};

/* After the n-th call failed: what does the folder look like? `old` NULL: there was no file. */
static void check_after_failure(fixture *f, const char *path, const char *old, const char *new)
{
    bool new_stands = world.failed == SYNC && world.on_folder;
    const char *expected = new_stands ? new : old;
    if (expected)
        assert_str_eq(cv_test_read(&f->arena, path), expected);
    else
        assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(count_entries(f->folder), expected ? 1 : 0);
    assert_str_eq(f->err.file, path);
    assert_str_has(f->err.message, strerror(world.with));
    assert_true(f->err.suggestion.n > 0);
    if (new_stands)
        assert_str_has(f->err.suggestion, "in place");
}

/* Every call fails once; returns how many calls a whole write takes. */
static size_t fail_every_call(fixture *f, const char *old, int with, bool piecemeal)
{
    const char *new = "the new content";
    const char *path = in_folder(f, "file.md");
    for (size_t n = 1;; n++) {
        if (old)
            make_file(f, "file.md", cv_str_of(old));
        else
            unlink(path);
        memset(&world, 0, sizeof world);
        world.fail_at = n;
        world.with = with;
        world.piecemeal = piecemeal;
        size_t descriptors = count_descriptors();
        bool ok = cv_file_write_with(&failing_calls, cv_where_named(path), cv_str_of(new), NULL, &f->err);
        assert_int_equal(count_descriptors(), descriptors);
        if (!ok) {
            assert_true(world.failed != NONE);
            check_after_failure(f, path, old, new);
            continue;
        }
        assert_true(world.failed == NONE || (world.failed == CLOSE && world.on_folder));
        assert_str_eq(cv_test_read(&f->arena, path), new);
        assert_int_equal(world.syncs, 2); /* the file and its folder */
        if (world.failed == NONE)
            return n - 1;
    }
}

static void any_failing_call_leaves_the_old_file(void **state)
{
    fixture *f = *state;
    /* open folder, open, write, sync, close, rename, sync, close */
    assert_int_equal(fail_every_call(f, "the old content", ENOSPC, false), 8);
    assert_int_equal(fail_every_call(f, "the old content", EIO, false), 8);
}

static void any_failing_call_leaves_no_new_file(void **state)
{
    fixture *f = *state;
    assert_int_equal(fail_every_call(f, NULL, ENOSPC, false), 8);
}

static void short_and_interrupted_writes_are_continued(void **state)
{
    fixture *f = *state;
    assert_true(fail_every_call(f, "the old content", EDQUOT, true) > 11);
}

/* An interruption of any call except open is not a failure: the call is made again, or was done. */
static void interrupted_calls_are_no_failures(void **state)
{
    fixture *f = *state;
    const char *path = in_folder(f, "file.md");
    for (size_t n = 3; n <= 8; n++) {
        memset(&world, 0, sizeof world);
        world.fail_at = n;
        world.with = EINTR;
        bool ok = cv_file_write_with(&failing_calls, cv_where_named(path), CV_STR("x"), NULL, &f->err);
        assert_int_equal(ok, world.failed != RENAME);
    }
}

static void folders_that_cannot_sync_are_forgiven(void **state)
{
    fixture *f = *state;
    memset(&world, 0, sizeof world);
    world.fail_at = 7;
    world.with = EINVAL;
    cv_where where = cv_where_named(in_folder(f, "file.md"));
    assert_ok(cv_file_write_with(&failing_calls, where, CV_STR("x"), NULL, &f->err), &f->err);
    assert_true(world.failed == SYNC && world.on_folder);
}

/* ---- writing in pieces ----------------------------------------------------------------------- */

enum { PIECES = 3000, PIECE = 100 }; /* several pages of the buffer */

static void add_pieces(cv_buf *out)
{
    char piece[PIECE];
    memset(piece, 'p', sizeof piece);
    for (int i = 0; i < PIECES; i++)
        cv_buf_add(out, (cv_str){piece, sizeof piece});
}

static bool stream(fixture *f, const cv_file_calls *calls, const char *path)
{
    cv_file_writer w;
    if (!cv_file_begin(&w, calls, cv_where_named(path), NULL, &f->err))
        return false;
    add_pieces(&w.out);
    return cv_file_commit(&w, &f->err);
}

static void pieces_make_a_whole_file(void **state)
{
    fixture *f = *state;
    const char *path = make_file(f, "file.md", CV_STR("old"));
    chmod(path, 0604);
    cv_file_writer w;
    assert_ok(cv_file_begin(&w, NULL, cv_where_named(path), NULL, &f->err), &f->err);
    add_pieces(&w.out);
    assert_true(w.out.capacity <= 128 << 10); /* pages flow through */
    assert_str_eq(cv_test_read(&f->arena, path), "old");
    assert_ok(cv_file_commit(&w, &f->err), &f->err);
    assert_int_equal(cv_test_read(&f->arena, path).n, PIECES * PIECE);
    assert_int_equal(mode_of(path), 0604);
    assert_int_equal(count_entries(f->folder), 1);
}

static void what_is_rolled_back_was_never_there(void **state)
{
    fixture *f = *state;
    size_t descriptors = count_descriptors();
    const char *path = make_file(f, "file.md", CV_STR("old"));
    cv_file_writer w;
    assert_ok(cv_file_begin(&w, NULL, cv_where_named(path), NULL, &f->err), &f->err);
    add_pieces(&w.out);
    cv_file_rollback(&w);
    assert_str_eq(cv_test_read(&f->arena, path), "old");
    assert_int_equal(count_entries(f->folder), 1);
    assert_int_equal(count_descriptors(), descriptors);
    assert_fails(cv_file_begin(&w, NULL, cv_where_named(f->folder), NULL, &f->err), &f->err, CV_ERR_NOT_A_FILE);
    assert_int_equal(count_descriptors(), descriptors);
}

static void any_failing_call_of_a_stream_leaves_the_old_file(void **state)
{
    fixture *f = *state;
    const char *path = in_folder(f, "file.md");
    for (size_t n = 1;; n++) {
        make_file(f, "file.md", CV_STR("old"));
        memset(&world, 0, sizeof world);
        world.fail_at = n;
        world.with = ENOSPC;
        size_t descriptors = count_descriptors();
        bool ok = stream(f, &failing_calls, path), told = world.failed != CLOSE || !world.on_folder;
        assert_int_equal(count_descriptors(), descriptors);
        assert_int_equal(count_entries(f->folder), 1);
        if (world.failed == NONE) {
            assert_true(ok && n - 1 > 8 + 3); /* as many as for one piece, and more writes */
            return;
        }
        assert_int_equal(ok, !told);
        bool stands = ok || (world.failed == SYNC && world.on_folder);
        assert_int_equal(cv_test_read(&f->arena, path).n, stands ? PIECES * PIECE : 3);
        if (!ok)
            assert_str_has(f->err.message, strerror(ENOSPC));
    }
}

static void files_take_the_place_of_others(void **state)
{
    fixture *f = *state;
    const char *old = make_file(f, "old.md", CV_STR("old")), *new = make_file(f, "new.md", CV_STR("new"));
    assert_ok(cv_file_place(new, cv_where_named(old), true, &f->err), &f->err);
    assert_str_eq(cv_test_read(&f->arena, old), "new");
    assert_int_equal(count_entries(f->folder), 1);
    assert_fails(cv_file_place(new, cv_where_named(old), true, &f->err), &f->err, CV_ERR_NOT_FOUND);
    assert_str_eq(cv_test_read(&f->arena, old), "new");
}

/* ---- a process that dies --------------------------------------------------------------------- */

enum { LARGE = 60000, SMALL = 1000 };

/* `a` LARGE times or `b` SMALL times: anything else is a half file. */
static bool is_whole(cv_str s)
{
    if (s.n != LARGE && s.n != SMALL)
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != (s.n == LARGE ? 'a' : 'b'))
            return false;
    return true;
}

static _Noreturn void write_for_ever(const char *path)
{
    static char large[LARGE], small[SMALL];
    memset(large, 'a', LARGE);
    memset(small, 'b', SMALL);
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    for (;;) {
        if (!cv_file_write(path, (cv_str){large, LARGE}, &err) || !cv_file_write(path, (cv_str){small, SMALL}, &err))
            _exit(1);
        cv_arena_release(&a);
    }
}

static void killed_writers_leave_whole_files(void **state)
{
    fixture *f = *state;
    cv_test_random r = {41};
    const char *path = in_folder(f, "file.md");
    assert_ok(cv_file_write(path, (cv_str){memset(cv_arena_alloc(&f->arena, SMALL), 'b', SMALL), SMALL}, &f->err),
              &f->err);
    for (int round = 0; round < (cv_test_soak() ? 2000 : 60); round++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            write_for_ever(path);
        cv_arena a = {0};
        for (size_t reads = cv_test_below(&r, 4); reads > 0; reads--)
            assert_true(is_whole(cv_test_read(&a, path))); /* and readers never see half of it either */
        nanosleep(&(struct timespec){.tv_nsec = (long)cv_test_below(&r, 8000000)}, NULL);
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        assert_true(is_whole(cv_test_read(&a, path)));
        cv_arena_release(&a);
    }
}

/* ---- walking --------------------------------------------------------------------------------- */

typedef struct {
    cv_buf seen;
    size_t from; /* bytes of the folder's own path, which are left out */
    size_t stop_at, count;
} visitor;

static bool note(void *ctx, const char *file, cv_err *err)
{
    visitor *v = ctx;
    if (++v->count == v->stop_at)
        return cv_err_set(err, CV_ERR_INVALID_VALUE, "enough");
    cv_buf_add(&v->seen, cv_str_from(cv_str_of(file), v->from));
    cv_buf_add_char(&v->seen, '\n');
    return true;
}

static void make_tree(fixture *f)
{
    static const char *const folders[] = {"a", "a/b", ".hidden", "node_modules", "z", "z/empty"};
    static const char *const files[] = {
        "a.md",      "a-b.md",  "a0.md",  "a/x.md",  "a/b/y.md",   ".hidden/h.md", "A.md", "node_modules/n.md",
        "other.txt", ".dot.md", "z/z.md", "z/notes", "\xc3\xa4.md"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        assert_int_equal(mkdir(in_folder(f, folders[i]), 0700), 0);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        make_file(f, files[i], CV_STR("x"));
    assert_int_equal(symlink("../a", in_folder(f, "z/folder.md")), 0);
    assert_int_equal(symlink("../a.md", in_folder(f, "z/link.md")), 0);
    assert_int_equal(symlink("nothing", in_folder(f, "z/dangling.md")), 0);
    assert_int_equal(mkfifo(in_folder(f, "z/fifo.md"), 0600), 0);
}

static void walking_goes_in_byte_order(void **state)
{
    fixture *f = *state;
    make_tree(f);
    const char *tops[] = {f->folder, in_folder(f, "")}; /* without and with a slash */
    for (size_t i = 0; i < 2; i++) {
        visitor v = {.from = strlen(f->folder) + 1};
        assert_ok(cv_file_walk(&f->arena, tops[i], CV_STR(".md"), note, &v, &f->err), &f->err);
        assert_str_eq(cv_buf_str(&v.seen), ".dot.md\nA.md\na-b.md\na.md\na/b/y.md\na/x.md\na0.md\n"
                                           "z/link.md\nz/z.md\n\xc3\xa4.md\n");
        cv_buf_release(&v.seen);
    }
}

static void walking_takes_a_file_as_it_is(void **state)
{
    fixture *f = *state;
    visitor v = {.from = strlen(f->folder) + 1};
    const char *path = make_file(f, "any.txt", CV_STR("x"));
    assert_ok(cv_file_walk(&f->arena, path, CV_STR(".md"), note, &v, &f->err), &f->err);
    assert_str_eq(cv_buf_str(&v.seen), "any.txt\n");
    cv_buf_release(&v.seen);
    v = (visitor){0};
    assert_ok(cv_file_walk(&f->arena, "-", CV_STR(".md"), note, &v, &f->err), &f->err);
    assert_str_eq(cv_buf_str(&v.seen), "-\n");
    cv_buf_release(&v.seen);
    assert_fails(cv_file_walk(&f->arena, in_folder(f, "no"), CV_STR(""), note, &v, &f->err), &f->err, CV_ERR_NOT_FOUND);
    assert_str_eq(f->err.file, in_folder(f, "no"));
    assert_true(cv_file_is_folder(f->folder));
    assert_false(cv_file_is_folder(path));
    assert_false(cv_file_is_folder(in_folder(f, "no")));
}

static void walking_ends_when_the_visitor_says(void **state)
{
    fixture *f = *state;
    make_tree(f);
    for (size_t n = 1; n <= 10; n++) {
        visitor v = {.stop_at = n};
        size_t descriptors = count_descriptors();
        assert_fails(cv_file_walk(&f->arena, f->folder, CV_STR(".md"), note, &v, &f->err), &f->err,
                     CV_ERR_INVALID_VALUE);
        assert_str_eq(f->err.message, "enough");
        assert_int_equal(v.count, n);
        assert_int_equal(count_descriptors(), descriptors);
        cv_buf_release(&v.seen);
    }
}

static void walking_has_a_floor(void **state)
{
    fixture *f = *state;
    cv_buf path = {0};
    cv_buf_add_z(&path, f->folder);
    for (int depth = 0; depth <= CV_MAX_WALK_DEPTH; depth++) {
        visitor v = {0};
        assert_ok(cv_file_walk(&f->arena, f->folder, CV_STR(""), note, &v, &f->err), &f->err);
        cv_buf_add_z(&path, "/d");
        assert_int_equal(mkdir(cv_arena_copy_z(&f->arena, cv_buf_str(&path)), 0700), 0);
    }
    visitor v = {0};
    assert_fails(cv_file_walk(&f->arena, f->folder, CV_STR(""), note, &v, &f->err), &f->err, CV_ERR_TOO_LARGE);
    cv_buf_release(&path);
}

static bool closed_folder_is_told(fixture *f)
{
    visitor v = {0};
    bool ok = cv_file_walk(&f->arena, f->folder, CV_STR(""), note, &v, &f->err);
    return !ok && f->err.code == CV_ERR_NO_ACCESS && cv_str_ends(f->err.file, CV_STR("closed/"));
}

static void unreadable_folders_are_told(void **state)
{
    fixture *f = *state;
    chmod(f->folder, 0755);
    mkdir(in_folder(f, "closed"), 0);
    assert_true(as_nobody(closed_folder_is_told, f));
    chmod(in_folder(f, "closed"), 0700);
}

/* ---- giving way ------------------------------------------------------------------------------- */

/* A file system that cannot exchange two files. */
static int plain_rename(int folder, const char *from, const char *to, unsigned flags)
{
    if (flags) {
        errno = EINVAL;
        return -1;
    }
    return failing_rename(folder, from, to, 0);
}

static bool is_old(void *ctx, cv_str bytes, bool unmarked)
{
    (void)ctx, (void)unmarked;
    return cv_str_eq(bytes, CV_STR("old"));
}

/* Whatever fails, somebody else's text is in the folder, and under its name unless the way back failed. */
static void another_text_keeps_its_name(void **state)
{
    fixture *f = *state;
    cv_file_calls calls[] = {failing_calls, failing_calls};
    calls[1].rename = plain_rename;
    for (size_t i = 0; i < CV_COUNT(calls); i++) {
        bool failed = true;
        for (size_t n = 0; failed; n++) { /* n 0: none fails */
            cv_file_rules rules = {.arena = &f->arena, .is_ours = is_old, .gives_way = true};
            const char *path = make_file(f, "file.md", CV_STR("theirs"));
            memset(&world, 0, sizeof world);
            world.fail_at = n;
            world.with = EIO;
            assert_false(cv_file_write_with(&calls[i], cv_where_named(path), CV_STR("new"), &rules, &f->err));
            failed = n == 0 || world.failed != NONE;
            const char *found = rules.kept.count ? rules.kept.items[0] : path;
            assert_str_eq(cv_test_read(&f->arena, found), "theirs");
            if (n == 0 || world.failed == NONE) {
                assert_ptr_equal(f->err.code, CV_ERR_FILE_CHANGED);
                assert_int_equal(rules.kept.count, 0);
                assert_int_equal(count_entries(f->folder), 1);
            }
            unlink(found);
            unlink(path);
        }
        cv_file_rules rules = {.arena = &f->arena, .is_ours = is_old, .gives_way = true};
        const char *path = make_file(f, "file.md", CV_STR("old"));
        memset(&world, 0, sizeof world);
        assert_ok(cv_file_write_with(&calls[i], cv_where_named(path), CV_STR("new"), &rules, &f->err), &f->err);
        assert_str_eq(cv_test_read(&f->arena, path), "new");
        assert_int_equal(count_entries(f->folder), 1);
        unlink(path);
    }
}

/* A file that is written once, and needs no sync: of two processes that write it at the same time one has written it,
 * whole, and the other knows. Nothing else is left in the folder. */
static void one_of_two_writes_a_file_once(void **state)
{
    enum { FILES = 200, LONG = 5000 };
    fixture *f = *state;
    int status, written[2] = {0};
    int *theirs = mmap(NULL, sizeof *theirs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char text[LONG];
    assert_true(theirs != MAP_FAILED);
    pid_t pid = fork();
    memset(text, pid == 0 ? 'b' : 'a', sizeof text);
    for (int i = 0; i < FILES; i++) {
        cv_err err = {.arena = &f->arena};
        cv_file_rules rules = {.arena = &f->arena, .gives_way = true, .once = true};
        const char *path = cv_arena_printf(&f->arena, "%s/%d.json", f->folder, i).p;
        if (cv_file_write_with(&cv_file_unsynced, cv_where_named(path), (cv_str){text, LONG}, &rules, &err))
            written[0]++;
        else if (err.code != CV_ERR_FILE_CHANGED)
            written[0] = -FILES;
    }
    if (pid == 0) {
        *theirs = written[0];
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(written[0] + *theirs, FILES);
    assert_int_equal(count_entries(f->folder), FILES);
    for (int i = 0; i < FILES; i++) {
        cv_str found = cv_test_read(&f->arena, cv_arena_printf(&f->arena, "%s/%d.json", f->folder, i).p);
        assert_int_equal(found.n, LONG);
        assert_true(found.p[0] == found.p[LONG - 1] && memcmp(found.p, found.p + 1, LONG - 1) == 0);
    }
    munmap(theirs, sizeof *theirs);
}

/* … and one that cannot be written leaves nothing either. */
static void what_cannot_be_written_once_leaves_nothing(void **state)
{
    fixture *f = *state;
    struct rlimit before, small;
    cv_file_rules rules = {.arena = &f->arena, .gives_way = true, .once = true};
    const char *path = cv_arena_printf(&f->arena, "%s/large.json", f->folder).p;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){3, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool done = cv_file_write_with(&cv_file_unsynced, cv_where_named(path), CV_STR("longer"), &rules, &f->err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(done);
    assert_int_equal(count_entries(f->folder), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files_are_read_whole),
        TEST(files_longer_than_they_say_are_read_whole),
        TEST(what_is_no_file_is_refused),
        TEST(files_above_the_ceiling_are_refused),
        TEST(unreadable_files_are_refused),
        TEST(standard_input_is_read_to_its_end),
        TEST(bad_text_is_refused_with_its_place),
        TEST(writing_makes_and_replaces),
        TEST(writing_works_in_the_current_folder),
        TEST(names_of_any_allowed_length_work),
        TEST(links_stay_links),
        TEST(what_cannot_be_replaced_is_refused),
        TEST(permissions_are_respected),
        TEST(old_temporaries_are_left_alone),
        TEST(any_failing_call_leaves_the_old_file),
        TEST(any_failing_call_leaves_no_new_file),
        TEST(short_and_interrupted_writes_are_continued),
        TEST(interrupted_calls_are_no_failures),
        TEST(folders_that_cannot_sync_are_forgiven),
        TEST(pieces_make_a_whole_file),
        TEST(what_is_rolled_back_was_never_there),
        TEST(any_failing_call_of_a_stream_leaves_the_old_file),
        TEST(files_take_the_place_of_others),
        TEST(killed_writers_leave_whole_files),
        TEST(another_text_keeps_its_name),
        TEST(walking_goes_in_byte_order),
        TEST(walking_takes_a_file_as_it_is),
        TEST(walking_ends_when_the_visitor_says),
        TEST(walking_has_a_floor),
        TEST(unreadable_folders_are_told),
        TEST(one_of_two_writes_a_file_once),
        TEST(what_cannot_be_written_once_leaves_nothing),
    };
    return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
