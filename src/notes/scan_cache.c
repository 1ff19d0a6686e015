/* scan_cache.c - which files were read before; see scan_cache.h. */
#include "notes/scan_cache.h"

#include <assert.h>
#include <time.h>

#include "base/file.h"
#include "kit/destination.h"

#define TITLE "conclave notes seen 1\n"
#define MOST_BYTES ((size_t)256 << 20)
#define SETTLED INT64_C(2000000000)
enum { NUMBERS = 5 };

static cv_where place(cv_call *call)
{
    return (cv_where){call->root, cv_record_path(call->arena, "", "notes.seen")};
}

static bool take_number(cv_str *rest, int64_t *ret)
{
    size_t n = 0;
    uint64_t value = 0;
    while (n < rest->n && n < 19 && cv_is_digit(rest->p[n]))
        value = value * 10 + (uint64_t)(rest->p[n++] - '0');
    if (n == 0 || n >= rest->n || rest->p[n] != ' ')
        return false;
    *ret = (int64_t)value;
    *rest = cv_str_from(*rest, n + 1);
    return true;
}

static bool take_line(cv_scan_cache *seen, cv_str line)
{
    cv_scan_cache_file f = {0};
    int64_t counted;
    int64_t *const numbers[NUMBERS] = {&f.stamp.inode, &f.stamp.size, &f.stamp.modified, &f.stamp.changed, &counted};
    for (size_t i = 0; i < NUMBERS; i++)
        if (!take_number(&line, numbers[i]))
            return false;
    size_t blank = cv_str_find_char(line, ' ');
    if (blank == SIZE_MAX || blank + 1 >= line.n)
        return false;
    f.counted = (size_t)counted;
    f.sha256 = blank > 1 ? cv_str_head(line, blank) : (cv_str){NULL, 0};
    f.path = cv_str_from(line, blank + 1);
    *CV_PUSH(seen->arena, seen) = f;
    *cv_map_put(&seen->by_path, seen->arena, f.path, NULL) = seen->count;
    return true;
}

void cv_scan_cache_load(cv_call *call, cv_scan_cache *ret)
{
    cv_err none = {.arena = call->arena};
    cv_str text, line;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *ret = (cv_scan_cache){.arena = call->arena, .began = cv_timespec_ns(now)};
    if (!cv_file_read_at(call->arena, place(call), MOST_BYTES, &text, &none) || !cv_str_starts(text, CV_STR(TITLE)))
        return;
    text = cv_str_from(text, sizeof TITLE - 1);
    while (cv_str_split(&text, '\n', &line))
        if (line.n && !take_line(ret, line)) { /* not ours, or not whole */
            *ret = (cv_scan_cache){.arena = call->arena, .began = ret->began};
            return;
        }
}

static bool is_same(const cv_scan_cache_stamp *x, const cv_scan_cache_stamp *y)
{
    return x->inode == y->inode && x->size == y->size && x->modified == y->modified && x->changed == y->changed;
}

const cv_scan_cache_file *cv_scan_cache_find(const cv_scan_cache *seen, cv_str path, const cv_scan_cache_stamp *stamp)
{
    const uintptr_t *at = cv_map_get(&seen->by_path, path);
    assert(!at || *at - 1 < seen->count);
    const cv_scan_cache_file *f = at ? &seen->items[*at - 1] : NULL;
    return f && is_same(&f->stamp, stamp) ? f : NULL;
}

void cv_scan_cache_put(cv_scan_cache *seen, cv_str path, const cv_scan_cache_stamp *stamp, cv_str sha256,
                       size_t counted)
{
    bool is_new, settled = stamp->changed + SETTLED < seen->began && stamp->modified + SETTLED < seen->began;
    bool can_be_written = stamp->inode >= 0 && stamp->modified >= 0 && cv_str_find_char(path, '\n') == SIZE_MAX;
    if (!settled || !can_be_written)
        return;
    uintptr_t *at = cv_map_put(&seen->by_path, seen->arena, path, &is_new);
    if (is_new) {
        CV_PUSH(seen->arena, seen);
        *at = seen->count;
    }
    seen->items[*at - 1] = (cv_scan_cache_file){.stamp = *stamp,
                                                .path = path,
                                                .sha256 = sha256.p ? cv_arena_copy(seen->arena, sha256) : sha256,
                                                .counted = counted};
    seen->changed = true;
}

void cv_scan_cache_save(cv_call *call, cv_scan_cache *seen)
{
    cv_buf out = {0};
    cv_err none = {.arena = call->arena};
    if (!seen->changed)
        return;
    cv_buf_add_z(&out, TITLE);
    for (size_t i = 0; i < seen->count; i++) {
        const cv_scan_cache_file *f = &seen->items[i];
        cv_buf_printf(&out, "%lld %lld %lld %lld %zu %.*s %.*s\n", (long long)f->stamp.inode, (long long)f->stamp.size,
                      (long long)f->stamp.modified, (long long)f->stamp.changed, f->counted,
                      CV_FMT(f->sha256.p ? f->sha256 : CV_STR("-")), CV_FMT(f->path));
    }
    cv_file_write_private(place(call), cv_buf_take(&out, call->arena), &none);
}
