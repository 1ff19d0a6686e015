/* arena.c - memory with a lifetime; see arena.h. */
#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

/* What nobody has taken, and what was given back, is not to be touched: AddressSanitizer reports who does. */
#if defined(__SANITIZE_ADDRESS__)
#define GUARDED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARDED
#endif
#endif
#ifdef GUARDED
#include <sanitizer/asan_interface.h>
#define FORBID(from, to) ASAN_POISON_MEMORY_REGION(from, (size_t)((to) - (from)))
#define ALLOW(p, size) ASAN_UNPOISON_MEMORY_REGION(p, size)
#else
#define FORBID(from, to) ((void)0)
#define ALLOW(p, size) ((void)0)
#endif

struct cv_arena_chunk {
    cv_arena_chunk *next;
    alignas(max_align_t) char bytes[];
};

enum { FIRST_CHUNK = 16 << 10, LARGEST_CHUNK = 4 << 20, LARGEST_KEPT = 16 << 20, ALIGN = alignof(max_align_t) };

_Static_assert((ALIGN & (ALIGN - 1)) == 0 && FIRST_CHUNK % ALIGN == 0, "chunks are whole units");
_Static_assert(FIRST_CHUNK <= LARGEST_CHUNK && LARGEST_CHUNK <= LARGEST_KEPT, "chunks grow, and most are kept");

_Noreturn void cv_out_of_memory(size_t wanted)
{
    cv_log_line("out of memory (wanted %zu bytes)", wanted);
    exit(2);
}

static void add_chunk(cv_arena *a, size_t least)
{
    size_t size = FIRST_CHUNK;
    while (size < LARGEST_CHUNK && size < a->bytes)
        size *= 2;
    if (size < least)
        size = least;
    cv_arena_chunk *chunk = size < SIZE_MAX / 2 ? malloc(sizeof *chunk + size) : NULL;
    if (!chunk)
        cv_out_of_memory(size);
    chunk->next = a->head;
    a->head = chunk;
    a->free = chunk->bytes;
    a->end = chunk->bytes + size;
    a->chunks++;
    a->bytes += size;
    FORBID(a->free, a->end);
}

static size_t aligned(size_t size)
{
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

/* Bytes that the caller fills at once. */
static void *take(cv_arena *a, size_t size)
{
    if (size > SIZE_MAX / 2)
        cv_out_of_memory(size);
    size_t whole = aligned(size);
    if (!a->head || whole > (size_t)(a->end - a->free))
        add_chunk(a, whole);
    void *p = a->free;
    a->free += whole;
    assert(a->free <= a->end);
    ALLOW(p, size);
    return p;
}

void *cv_arena_alloc(cv_arena *a, size_t size)
{
    return memset(take(a, size), 0, size);
}

void *cv_arena_dup(cv_arena *a, const void *bytes, size_t size)
{
    void *copy = take(a, size);
    return size ? memcpy(copy, bytes, size) : copy;
}

void *cv_arena_array(cv_arena *a, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 2 / size)
        cv_out_of_memory(SIZE_MAX);
    return cv_arena_alloc(a, count * size);
}

void *cv_arena_grow(cv_arena *a, void *items, size_t count, size_t *capacity, size_t size)
{
    assert(count <= *capacity && (items || count == 0) && size > 0);
    size_t wanted = *capacity ? *capacity * 2 : 8;
    if (wanted > SIZE_MAX / 2 / size)
        cv_out_of_memory(SIZE_MAX);
    size_t had = aligned(*capacity * size), more = aligned(wanted * size) - had;
    if (items && (char *)items + had == a->free && more <= (size_t)(a->end - a->free)) { /* it came last */
        a->free += more;
        ALLOW(items, wanted * size);
        *capacity = wanted;
        return items;
    }
    void *grown = take(a, wanted * size);
    if (count)
        memcpy(grown, items, count * size);
    *capacity = wanted;
    return grown;
}

cv_str cv_arena_copy(cv_arena *a, cv_str s)
{
    return (cv_str){cv_arena_copy_z(a, s), s.n};
}

char *cv_arena_copy_z(cv_arena *a, cv_str s)
{
    char *p = take(a, s.n + 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return p;
}

cv_str cv_arena_lower(cv_arena *a, cv_str text)
{
    size_t i = 0;
    while (i < text.n && !cv_is_upper(text.p[i]))
        i++;
    if (i == text.n)
        return text;
    char *lower = cv_arena_dup(a, text.p, text.n);
    for (; i < text.n; i++)
        lower[i] = cv_lower(lower[i]);
    return (cv_str){lower, text.n};
}

cv_str cv_arena_join(cv_arena *a, cv_str x, cv_str y)
{
    char *p = take(a, x.n + y.n + 1);
    if (x.n)
        memcpy(p, x.p, x.n);
    if (y.n)
        memcpy(p + x.n, y.p, y.n);
    p[x.n + y.n] = '\0';
    return (cv_str){p, x.n + y.n};
}

cv_str cv_arena_list(cv_arena *a, const cv_str *items, size_t count)
{
    size_t size = count ? 2 * (count - 1) : 0, n = 0;
    for (size_t i = 0; i < count; i++)
        size += items[i].n;
    char *p = take(a, size + 1);
    for (size_t i = 0; i < count; i++) {
        memcpy(p + n, ", ", i ? 2 : 0);
        n += i ? 2 : 0;
        if (items[i].n)
            memcpy(p + n, items[i].p, items[i].n);
        n += items[i].n;
    }
    assert(n == size);
    p[n] = '\0';
    return (cv_str){p, n};
}

cv_str cv_arena_vprintf(cv_arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t room = a->head ? (size_t)(a->end - a->free) : 0;
    ALLOW(a->free, room);
    int n = vsnprintf(a->free, room, format, args);
    FORBID(a->free, a->end);
    size_t size = n < 0 ? 0 : (size_t)n;
    char *p = take(a, size + 1);
    if (n < 0 || size >= room) /* else it was printed where it lies */
        vsnprintf(p, size + 1, format, again);
    va_end(again);
    return (cv_str){p, size};
}

cv_str cv_arena_printf(cv_arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_str s = cv_arena_vprintf(a, format, args);
    va_end(args);
    return s;
}

static void free_chunks(cv_arena_chunk *chunk)
{
    while (chunk) {
        cv_arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

void cv_arena_release(cv_arena *a)
{
    free_chunks(a->head);
    *a = (cv_arena){0};
}

void cv_arena_rewind(cv_arena *a, cv_arena mark)
{
    while (a->head != mark.head) {
        assert(a->head && "a mark is of the same arena, and older");
        cv_arena_chunk *next = a->head->next;
        free(a->head);
        a->head = next;
    }
    mark.chunks = a->chunks; /* counts calls, and those were made */
    *a = mark;
    FORBID(a->free, a->end);
}

void cv_arena_reset(cv_arena *a)
{
    size_t used = a->bytes;
    if (!a->head)
        return;
    if (a->head->next || used > LARGEST_KEPT) {
        cv_arena_release(a);
        if (used <= LARGEST_KEPT)
            add_chunk(a, used); /* one chunk where there were several: the next request of this size takes none */
    }
    if (a->head)
        a->free = a->head->bytes;
    FORBID(a->free, a->end);
    a->chunks = 0;
}
