/* seen.c - folders that an answer was made from; see seen.h. */
#include "base/seen.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "base/folder.h"

static const int64_t tick_ns = INT64_C(2000000000); /* no file system has a longer one */

enum { UNKNOWN, MISSING };

/* FNV-1a. */
static void mix(uint64_t *sign, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        *sign = (*sign ^ p[i]) * UINT64_C(0x100000001b3);
}

static void mix_numbers(uint64_t *sign, uint64_t inode, int64_t size, int64_t modified_ns, int64_t changed_ns)
{
    const uint64_t numbers[] = {inode, (uint64_t)size, (uint64_t)modified_ns, (uint64_t)changed_ns};
    mix(sign, numbers, sizeof numbers);
}

static uint64_t sign_entries(cv_arena *a, cv_where where, const struct stat *st)
{
    cv_folder_entries entries = {0};
    cv_err ignored = {.arena = a};
    struct timespec now;
    uint64_t sign = UINT64_C(0xcbf29ce484222325);
    int64_t latest = cv_timespec_ns(st->st_ctim);
    clock_gettime(CLOCK_REALTIME, &now);
    if (S_ISDIR(st->st_mode) && !cv_folder_list(a, where, &entries, &ignored))
        return UNKNOWN;
    mix(&sign, &st->st_dev, sizeof st->st_dev);
    mix_numbers(&sign, st->st_ino, st->st_size, cv_timespec_ns(st->st_mtim), latest);
    for (size_t i = 0; i < entries.count; i++) {
        const cv_folder_entry *one = &entries.items[i];
        mix(&sign, one->name, strlen(one->name) + 1);
        mix_numbers(&sign, one->inode, one->size, one->modified_ns, one->changed_ns);
        if (one->changed_ns > latest)
            latest = one->changed_ns;
    }
    return latest < cv_timespec_ns(now) - tick_ns ? sign : UNKNOWN;
}

static uint64_t sign_of(cv_where where)
{
    cv_arena a = {0};
    struct stat st;
    if (!where.root)
        return UNKNOWN;
    if (!cv_where_look(where, &st))
        return errno == ENOENT ? MISSING : UNKNOWN;
    uint64_t sign = sign_entries(&a, where, &st);
    cv_arena_release(&a);
    return sign;
}

void cv_seen_add(cv_seen *seen, cv_arena *a, cv_where folder)
{
    uint64_t sign = sign_of(folder);
    *CV_PUSH(a, seen) = (cv_seen_folder){folder, sign};
    seen->unknown = seen->unknown || sign == UNKNOWN;
}

bool cv_seen_is_current(const cv_seen *seen)
{
    for (size_t i = 0; !seen->unknown && i < seen->count; i++)
        if (sign_of(seen->items[i].where) != seen->items[i].sign)
            return false;
    return !seen->unknown;
}

cv_seen cv_seen_copy(cv_arena *a, const cv_seen *seen)
{
    cv_seen copy = {.unknown = seen->unknown};
    for (size_t i = 0; i < seen->count; i++) {
        cv_where where = seen->items[i].where;
        where.root = where.root ? cv_arena_copy_z(a, cv_str_of(where.root)) : NULL;
        where.path = cv_arena_copy_z(a, cv_str_of(where.path));
        *CV_PUSH(a, &copy) = (cv_seen_folder){where, seen->items[i].sign};
    }
    return copy;
}
