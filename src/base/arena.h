/* arena.h - memory with a lifetime instead of owners.
 *
 * One arena serves one request (a file, a command, a call): everything made on the way lives in it and
 * goes with it. There is no freeing of parts. A zeroed cv_arena is ready to use; release is safe on it.
 *
 *     cv_arena a = {0};
 *     char *copy = cv_arena_alloc(&a, n);
 *     cv_arena_release(&a);
 *
 * Running out of memory ends the process with one line: sizes that come from outside are checked
 * against limits.h before they arrive here.
 */
#ifndef CV_BASE_ARENA_H
#define CV_BASE_ARENA_H

#include <stdarg.h>

#include "base/str.h"

typedef struct cv_arena_chunk cv_arena_chunk;

typedef struct {
    cv_arena_chunk *head; /* newest chunk; older ones hang behind it */
    char *free;           /* next free byte of the newest chunk */
    char *end;
    size_t chunks; /* calls to malloc so far: what benchmarks and tests count */
    size_t bytes;  /* bytes taken from malloc so far */
} cv_arena;

/* `size` zeroed bytes, aligned for any type; `size` may be 0. */
void *cv_arena_alloc(cv_arena *a, size_t size);

/* Room for `count` things of `size` bytes each, the product checked. */
void *cv_arena_array(cv_arena *a, size_t count, size_t size);

/* The same bytes again, in the arena. */
void *cv_arena_dup(cv_arena *a, const void *bytes, size_t size);

#define CV_NEW(a, type) ((type *)cv_arena_alloc((a), sizeof(type)))
#define CV_NEW_ARRAY(a, count, type) ((type *)cv_arena_array((a), (count), sizeof(type)))

/* In lower case as far as ASCII goes; the same view where there is nothing to change. */
cv_str cv_arena_lower(cv_arena *a, cv_str text);

cv_str cv_arena_copy(cv_arena *a, cv_str s);  /* the same bytes, in the arena */
char *cv_arena_copy_z(cv_arena *a, cv_str s); /* … with a terminator, for libc */
cv_str cv_arena_join(cv_arena *a, cv_str x, cv_str y);
cv_str cv_arena_list(cv_arena *a, const cv_str *items, size_t count); /* "a, b, c" */
cv_str cv_arena_printf(cv_arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
cv_str cv_arena_vprintf(cv_arena *a, const char *format, va_list args)
    __attribute__((format(printf, 2, 0), nonnull(2)));

void cv_arena_release(cv_arena *a);

/* Everything taken since `mark`, a copy of the arena's struct made then, is given back: for a try that is to be made
 * again. What was taken before stays. */
void cv_arena_rewind(cv_arena *a, cv_arena mark);

/* Empty again; the memory is kept for the next request, unless it was unusually much. */
void cv_arena_reset(cv_arena *a);

/* Growing arrays in an arena: `items`, `count` and `capacity` in the caller's struct. The block that was taken
 * last grows where it is; another one stays behind in the arena, so growth doubles and at most half of the memory is
 * waste.
 *
 *     typedef struct { cv_mark *items; size_t count, capacity; } cv_marks;
 *     *CV_PUSH(a, &marks) = mark;
 *
 * The new item's bytes are not set: assign all of it.
 */
void *cv_arena_grow(cv_arena *a, void *items, size_t count, size_t *capacity, size_t size);

#define CV_PUSH(a, list)                                                                                               \
    ((list)->items = (list)->count < (list)->capacity                                                                  \
                         ? (list)->items                                                                               \
                         : cv_arena_grow((a), (list)->items, (list)->count, &(list)->capacity, sizeof *(list)->items), \
     &(list)->items[(list)->count++])

typedef struct {
    cv_str *items;
    size_t count, capacity;
} cv_texts;

/* Ends the process with one line on stderr: for lack of memory only. */
_Noreturn void cv_out_of_memory(size_t wanted);

#endif
