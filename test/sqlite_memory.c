/* sqlite_memory.c - memory for SQLite in the sanitized programs of the tests.
 *
 * Half the time of a test with a record goes into AddressSanitizer's malloc, called by SQLite, whose code it does not
 * watch. SQLite has plain blocks of its own here, and what the watched code can do wrong with them is still found:
 * bytes beside a block and those of a block that was freed are poisoned, and a freed block rests for a while before it
 * is used again. A program that ends with blocks in use has left a handle or a statement open, and fails.
 *
 * CV_SQLITE_MALLOC=1 leaves SQLite with malloc; tools/test says when.
 */
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Four classes of sizes for each doubling, up to LARGEST; what is larger has pages of its own. */
enum { LARGEST_BIT = 20, LARGEST = 1 << LARGEST_BIT, CLASSES = 4 * (LARGEST_BIT + 1), PART = 1 << 20, RESTING = 16 };

/* What is before the bytes of a block. */
typedef struct block {
    struct block *next; /* while it is free */
    size_t size;        /* of its bytes */
} block;

/* Free blocks of one class: the last that were freed, in a ring, and those that have rested. */
typedef struct {
    block *resting[RESTING], *rested;
    unsigned freed;
} rest;

static struct {
    pthread_mutex_t lock;
    rest rests[CLASSES];
    char *next, *end; /* of the part from which new blocks are cut */
    long in_use;
} m = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define UNWATCHED __attribute__((no_sanitize("address")))

/* The room that a block of so many bytes takes, with what is before and a poisoned end, and its class. */
static size_t room_of(size_t bytes, size_t *ret_class)
{
    size_t room = bytes + sizeof(block) + 16;
    unsigned bit = 63 - (unsigned)__builtin_clzll(room);
    size_t step = (size_t)1 << (bit - 2);
    room = (room + step - 1) & ~(step - 1);
    bit = 63 - (unsigned)__builtin_clzll(room);
    *ret_class = 4 * bit + ((room >> (bit - 2)) & 3);
    return room;
}

static void *pages(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    __lsan_register_root_region(p, bytes);
    return p;
}

static block *cut(size_t room)
{
    if ((size_t)(m.end - m.next) < room) {
        char *part = pages(PART);
        if (!part)
            return NULL;
        __asan_poison_memory_region(part, PART);
        m.next = part;
        m.end = part + PART;
    }
    block *b = (block *)(void *)m.next;
    m.next += room;
    return b;
}

UNWATCHED static block *take(size_t bytes)
{
    size_t class, room = room_of(bytes, &class);
    if (room > LARGEST / 2)
        return pages(room);
    block *b = m.rests[class].rested;
    if (!b)
        return cut(room);
    m.rests[class].rested = b->next;
    return b;
}

UNWATCHED static void *allocate(int bytes)
{
    pthread_mutex_lock(&m.lock);
    block *b = take((size_t)bytes);
    if (b) {
        b->size = (size_t)bytes;
        m.in_use++;
    }
    pthread_mutex_unlock(&m.lock);
    if (!b)
        return NULL;
    __asan_unpoison_memory_region(b + 1, (size_t)bytes);
    return b + 1;
}

UNWATCHED static void release(void *bytes)
{
    block *b = (block *)bytes - 1;
    size_t class, room = room_of(b->size, &class);
    pthread_mutex_lock(&m.lock);
    m.in_use--;
    if (room > LARGEST / 2) {
        __lsan_unregister_root_region(b, room);
        munmap(b, room);
    } else {
        rest *r = &m.rests[class];
        block **place = &r->resting[r->freed++ % RESTING];
        __asan_poison_memory_region(bytes, b->size);
        if (*place) {
            (*place)->next = r->rested;
            r->rested = *place;
        }
        *place = b;
    }
    pthread_mutex_unlock(&m.lock);
}

UNWATCHED static int size_of(void *bytes)
{
    return bytes ? (int)((block *)bytes - 1)->size : 0;
}

static void *resize(void *bytes, int wanted)
{
    int size = size_of(bytes);
    void *moved = allocate(wanted);
    if (!moved)
        return NULL;
    memcpy(moved, bytes, (size_t)(size < wanted ? size : wanted));
    release(bytes);
    return moved;
}

static int round_up(int bytes)
{
    return (bytes + 7) & ~7;
}

static int begin(void *context)
{
    (void)context;
    return SQLITE_OK;
}

static void end(void *context)
{
    (void)context;
}

static void nothing_is_left(void)
{
    if (m.in_use == 0)
        return;
    fprintf(stderr, "%ld blocks of SQLite are in use at the end: a handle or a statement was left open\n", m.in_use);
    fflush(NULL);
    _exit(23);
}

__attribute__((constructor)) static void give(void)
{
    static const sqlite3_mem_methods methods = {.xMalloc = allocate,
                                                .xFree = release,
                                                .xRealloc = resize,
                                                .xSize = size_of,
                                                .xRoundup = round_up,
                                                .xInit = begin,
                                                .xShutdown = end};
    const char *left = getenv("CV_SQLITE_MALLOC");
    if ((!left || strcmp(left, "1") != 0) && sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK)
        atexit(nothing_is_left);
}
