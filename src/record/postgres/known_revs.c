/* known_revs.c - what was seen of a record on a server; see known_revs.h. */
#include "record/postgres/known_revs.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"

enum {
    REV_DIGITS = 16,
    REV_AT = CV_KNOWN_REV_KEY_DIGITS + 1,
    HEAD_AT = REV_AT + REV_DIGITS + 1,
    CHECK_AT = HEAD_AT + CV_HASH_DIGITS + 1,
    CHECK_DIGITS = 8,
    BYTES = CHECK_AT + CHECK_DIGITS + 1,
    SPARE_LINES = 1024, /* old ones, before the file is rewritten */
};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void print_line(const cv_known_rev *mark, char line[BYTES + 1])
{
    cv_arena a = {0};
    snprintf(line, BYTES + 1, "%.*s %016lld %.*s ", CV_KNOWN_REV_KEY_DIGITS, mark->key, (long long)mark->rev,
             CV_HASH_DIGITS, mark->head);
    cv_str check = cv_hash_text(&a, (cv_str){line, CHECK_AT});
    memcpy(line + CHECK_AT, check.p, CHECK_DIGITS);
    line[BYTES - 1] = '\n';
    line[BYTES] = '\0';
    cv_arena_release(&a);
}

/* What reads as a mark and prints as the same bytes is one. */
static bool read_line(const char *line, cv_known_rev *ret_mark)
{
    char again[BYTES + 1];
    int64_t rev = 0;
    for (int i = 0; i < REV_DIGITS; i++) {
        if (!cv_is_digit(line[REV_AT + i]))
            return false;
        rev = rev * 10 + (line[REV_AT + i] - '0');
    }
    memcpy(ret_mark->key, line, CV_KNOWN_REV_KEY_DIGITS);
    memcpy(ret_mark->head, line + HEAD_AT, CV_HASH_DIGITS);
    ret_mark->rev = rev;
    print_line(ret_mark, again);
    return memcmp(line, again, BYTES) == 0;
}

static void keep(cv_known_revs *s, const cv_known_rev *mark)
{
    const uintptr_t *known = cv_map_get(&s->marks, (cv_str){mark->key, CV_KNOWN_REV_KEY_DIGITS});
    cv_known_rev *kept = known ? (cv_known_rev *)*known : NULL;
    if (!kept) {
        kept = cv_arena_dup(&s->arena, mark, sizeof *mark);
        *cv_map_put(&s->marks, &s->arena, (cv_str){kept->key, CV_KNOWN_REV_KEY_DIGITS}, NULL) = (uintptr_t)kept;
    } else if (kept->rev < mark->rev) /* the lines of two who wrote at once may be in any order */
        *kept = *mark;
    kept->noted = ++s->noted;
    s->newest = kept;
}

static int latest_first(const void *x, const void *y)
{
    const cv_known_rev *a = *(const cv_known_rev *const *)x, *b = *(const cv_known_rev *const *)y;
    return (a->noted < b->noted) - (a->noted > b->noted);
}

const cv_known_rev **cv_known_revs_list(const cv_known_revs *s, cv_arena *a)
{
    const cv_known_rev **list = CV_NEW_ARRAY(a, s->marks.count, const cv_known_rev *);
    size_t count = 0;
    for (size_t i = 0; i < s->marks.capacity; i++)
        if (s->marks.slots[i].key.p)
            list[count++] = (const cv_known_rev *)s->marks.slots[i].value;
    assert(count == s->marks.count);
    if (count > 1)
        qsort(list, count, sizeof *list, latest_first);
    return list;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

void cv_known_revs_open(cv_known_revs *s, const char *path)
{
    *s = (cv_known_revs){.path = path, .fd = -1};
}

static void forget_read(cv_known_revs *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    s->read = s->lines = 0;
    s->marks = (cv_map){0};
    s->newest = NULL;
    s->unreadable = false;
    cv_arena_reset(&s->arena);
}

void cv_known_revs_close(cv_known_revs *s)
{
    forget_read(s);
    cv_arena_release(&s->arena);
}

static bool fail(const cv_known_revs *s, const char *what, cv_err *err)
{
    return cv_system_fail(err, s->path, what, errno);
}

static bool not_lines(const cv_known_revs *s, cv_err *err)
{
    cv_err_set(err, CV_ERR_REGRESSED, "the list of seen commits cannot be read: line %zu is invalid", s->lines + 1);
    cv_err_file(err, cv_str_of(s->path));
    cv_err_suggest(err, CV_STR("check that the record is whole: 'conclave verify' counts its commits; then continue "
                               "with 'conclave accept --commit N'"));
    return false;
}

/* Is the file another one than what is open? */
static bool is_replaced(const cv_known_revs *s)
{
    struct stat open, there;
    return s->fd >= 0 && (stat(s->path, &there) != 0 || fstat(s->fd, &open) != 0 || open.st_dev != there.st_dev ||
                          open.st_ino != there.st_ino);
}

/* Where there are no such locks, whoever writes at the same moment may take a line from the other. */
static void hold(const cv_known_revs *s, int how)
{
    while (flock(s->fd, how) != 0 && errno == EINTR)
        ;
}

/* Could it be what a write that was cut off has left? */
static bool begins_line(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool is_gap = i == REV_AT - 1 || i == HEAD_AT - 1 || i == CHECK_AT - 1;
        bool is_rev = i >= REV_AT && i < HEAD_AT - 1;
        char c = bytes[i];
        if (is_gap ? c != ' ' : !(cv_is_digit(c) || (!is_rev && c >= 'a' && c <= 'f')))
            return false;
    }
    return true;
}

static bool read_whole_lines(cv_known_revs *s, size_t *ret_rest, cv_err *err)
{
    char bytes[BYTES * 64];
    for (;;) {
        ssize_t got = pread(s->fd, bytes, sizeof bytes, (off_t)s->read);
        if (got < 0)
            return fail(s, "read the list of seen commits", err);
        size_t whole = (size_t)got / BYTES;
        *ret_rest = (size_t)got % BYTES;
        for (size_t i = 0; i < whole; i++) {
            cv_known_rev mark = {0};
            if (!read_line(bytes + i * BYTES, &mark)) {
                s->unreadable = true;
                return not_lines(s, err);
            }
            keep(s, &mark);
            s->read += BYTES;
            s->lines++;
        }
        if (whole == sizeof bytes / BYTES)
            continue;
        s->unreadable = !begins_line(bytes + whole * BYTES, *ret_rest);
        return !s->unreadable || not_lines(s, err);
    }
}

/* A line that is not whole is one that somebody is writing, or the rest of one that nobody writes any more. */
static bool read_lines(cv_known_revs *s, cv_err *err)
{
    size_t rest = 0;
    if (!read_whole_lines(s, &rest, err))
        return false;
    if (rest == 0)
        return true;
    hold(s, LOCK_EX);
    bool ok = read_whole_lines(s, &rest, err);
    if (ok && rest > 0 && !is_replaced(s))
        ok = ftruncate(s->fd, (off_t)s->read) == 0 || errno == EBADF || errno == EINVAL || errno == EROFS ||
             fail(s, "repair the list of seen commits", err);
    hold(s, LOCK_UN);
    return ok;
}

bool cv_known_revs_refresh(cv_known_revs *s, cv_err *err)
{
    if (!s->path)
        return true;
    if (is_replaced(s) || s->unreadable)
        forget_read(s);
    if (s->fd < 0)
        s->fd = open(s->path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (s->fd < 0 && (errno == EACCES || errno == EROFS))
        s->fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (s->fd < 0 && errno != ENOENT)
        return fail(s, "open the list of seen commits", err);
    return s->fd < 0 || read_lines(s, err);
}

const cv_known_rev *cv_known_revs_get(const cv_known_revs *s, const char key[CV_KNOWN_REV_KEY_DIGITS])
{
    const uintptr_t *place = cv_map_get(&s->marks, (cv_str){key, CV_KNOWN_REV_KEY_DIGITS});
    return place ? (const cv_known_rev *)*place : NULL;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* With the lines of others that have come meanwhile, in their order; from now on it is the new file that is read and
 * written. Who waits to append finds that the file was replaced. */
static bool write_anew(cv_known_revs *s, cv_err *err)
{
    cv_arena scratch = {0};
    cv_buf text = {0};
    size_t rest;
    hold(s, LOCK_EX);
    bool replaced = is_replaced(s), ok = replaced || read_whole_lines(s, &rest, err);
    const cv_known_rev **list = cv_known_revs_list(s, &scratch);
    for (size_t i = s->marks.count; ok && i > 0; i--) {
        char line[BYTES + 1];
        print_line(list[i - 1], line);
        cv_buf_add(&text, (cv_str){line, BYTES});
    }
    ok = ok && (replaced || cv_file_write(s->path, cv_buf_str(&text), err));
    hold(s, LOCK_UN);
    cv_buf_release(&text);
    cv_arena_release(&scratch);
    return ok && cv_known_revs_refresh(s, err);
}

/* The file as it is now, held with others who append. False: there is none, and none can be made. */
static bool hold_file(cv_known_revs *s, cv_err *err)
{
    for (int tries = 0; tries < 100; tries++) {
        if (s->fd < 0)
            s->fd = open(s->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (s->fd < 0)
            return fail(s, "write the list of seen commits", err);
        hold(s, LOCK_SH);
        if (!is_replaced(s))
            return true;
        hold(s, LOCK_UN);
        if (!cv_known_revs_refresh(s, err))
            return false;
    }
    return cv_err_set(err, CV_ERR_BUSY, "cannot write the list of seen commits: '%s' is replaced all the time",
                      s->path);
}

/* On a full disk a part of the line may have been written, which everything behind it would be read wrong by: it is
 * taken back, if it is still the end. */
static bool append(cv_known_revs *s, const cv_known_rev *mark, cv_err *err)
{
    char line[BYTES + 1];
    struct stat there;
    if (!hold_file(s, err))
        return false;
    print_line(mark, line);
    ssize_t written = write(s->fd, line, BYTES);
    if (written > 0 && written < BYTES) {
        off_t end = lseek(s->fd, 0, SEEK_CUR);
        if (fstat(s->fd, &there) == 0 && there.st_size == end && ftruncate(s->fd, end - written) == 0)
            errno = ENOSPC;
    }
    hold(s, LOCK_UN);
    return written == BYTES || fail(s, "write the list of seen commits", err);
}

void cv_known_revs_raise(cv_known_revs *s, const char key[CV_KNOWN_REV_KEY_DIGITS], int64_t rev, cv_str head)
{
    const cv_known_rev *known = cv_known_revs_get(s, key);
    cv_known_rev mark = {.rev = rev};
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    if (!s->path || (known && known->rev >= rev) || head.n != CV_HASH_DIGITS)
        return;
    memcpy(mark.key, key, CV_KNOWN_REV_KEY_DIGITS);
    memcpy(mark.head, head.p, CV_HASH_DIGITS);
    bool ok = append(s, &mark, &err);
    keep(s, &mark);
    if (ok && s->lines > 2 * s->marks.count + SPARE_LINES)
        ok = write_anew(s, &err);
    if (!ok && !s->complained)
        cv_log_line("%.*s", CV_FMT(cv_err_text(&err)));
    s->complained = !ok;
    cv_arena_release(&a);
}

bool cv_known_revs_forget(cv_known_revs *s, cv_err *err)
{
    if (s->path && unlink(s->path) != 0 && errno != ENOENT)
        return fail(s, "remove the list of seen commits", err);
    forget_read(s);
    return true;
}
