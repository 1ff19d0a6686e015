/* turns.c - who waits to write, in the order in which they asked.
 *
 * SQLite lets those who wait try again and again; who is lucky writes, and among many one may be unlucky for long. So
 * a process that finds the store taken draws a ticket: a lock on one byte of a file beside the database, whose
 * place is the time at which it asked. It tries only when no lower byte is locked:
 *
 *     conclave.db-turn    ····t1······t2··t3····        t1 asks SQLite, t2 and t3 look whether t1 is still there
 *
 * A lock goes with the process that holds it, so nobody waits for the dead. One that was stopped is skipped: who
 * finds that the lock is free, and that nobody has got through for a while, takes it, and no longer counts the first
 * ticket. Who comes while nobody waits asks SQLite at once. Waiting ends when nobody, not even another, has got through
 * for the longest wait. Where there are no such locks (they belong to open files, not to processes: Linux), everybody
 * tries as before.
 *
 * The first bytes of the file are numbers that all of them share; the place of a ticket says which of them is its own.
 * A process that ends a write, or gives up, changes the number of the first ticket, which wakes t1 and nobody else.
 * Nobody depends on that: a process that was killed changes nothing, and the others find out when they look. The
 * numbers are read and written as parts of the file. In memory they have only the address at which the system lets
 * processes wait: a process that touched it after somebody truncated the file would be killed.
 */
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "record/sqlite/engine.h"

#ifdef F_OFD_SETLK
enum { NO_FILE = -1, COUNT = 61, NUMBERS = COUNT * sizeof(uint32_t) }; /* a prime: clocks that count in steps use all */

static bool lock_byte(int fd, short type, int64_t at)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

void cv_sqlite_turns_open(cv_sqlite_record *r)
{
    const char *path = cv_arena_printf(&r->arena, "%s-turn", r->s->path).p;
    r->turns = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void cv_sqlite_turns_close(cv_sqlite_record *r)
{
    if (r->told)
        munmap((void *)r->told, NUMBERS);
    if (r->turns != NO_FILE)
        close(r->turns);
}

/* Only a process that meets others needs the numbers. Nobody can wait for one that the file does not have yet. */
static bool is_told(cv_sqlite_record *r)
{
    static const char zeros[NUMBERS] = {0};
    struct stat st;
    if (!r->told && r->turns != NO_FILE && fstat(r->turns, &st) == 0 &&
        (st.st_size >= NUMBERS || pwrite(r->turns, zeros, NUMBERS, 0) == NUMBERS)) {
        void *memory = mmap(NULL, NUMBERS, PROT_READ | PROT_WRITE, MAP_SHARED, r->turns, 0);
        r->told = memory == MAP_FAILED ? NULL : memory;
    }
    return r->told;
}

static off_t number_of(int64_t ticket)
{
    return ticket % COUNT;
}

/* The number of its ticket; one that was never written is 0. */
static uint32_t look(const cv_sqlite_record *r)
{
    uint32_t now = 0;
    ssize_t n = r->told ? pread(r->turns, &now, sizeof now, number_of(r->ticket) * (off_t)sizeof now) : 0;
    return n == (ssize_t)sizeof now ? now : 0;
}

bool cv_sqlite_turns_wait(cv_sqlite_record *r, int64_t us)
{
    if (r->ticket == 0 || !r->told)
        return false;
    (void)cv_os_number_wait(&r->told[number_of(r->ticket)], r->seen, us);
    r->seen = look(r);
    return true;
}

/* A ticket that counts and is before this place; 0: there is none. Others than one's own are found. */
static int64_t ticket_before(const cv_sqlite_record *r, int64_t before)
{
    int64_t from = r->skipped + 1;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = from, .l_len = before - from};
    bool found =
        r->turns != NO_FILE && before > from && fcntl(r->turns, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    return found && lock.l_start >= from ? lock.l_start : 0;
}

static int64_t first_before(const cv_sqlite_record *r, int64_t before)
{
    int64_t first = 0;
    while ((before = ticket_before(r, before)) > 0)
        first = before;
    return first;
}

bool cv_sqlite_turns_waiting(const cv_sqlite_record *r, int64_t before)
{
    return ticket_before(r, before) > 0;
}

void cv_sqlite_turns_skip(cv_sqlite_record *r)
{
    int64_t first = first_before(r, r->ticket);
    r->skipped = first ? first : r->skipped;
}

/* The time is another number than any that somebody has seen. */
void cv_sqlite_turns_freed(cv_sqlite_record *r)
{
    struct timespec time;
    int64_t first = first_before(r, INT64_MAX);
    if (first == 0 || !is_told(r))
        return;
    clock_gettime(CLOCK_MONOTONIC, &time);
    uint32_t now = (uint32_t)time.tv_nsec;
    if (pwrite(r->turns, &now, sizeof now, number_of(first) * (off_t)sizeof now) == (ssize_t)sizeof now)
        cv_os_number_wake(&r->told[number_of(first)]);
}

void cv_sqlite_turns_draw(cv_sqlite_record *r)
{
    struct timespec now;
    (void)is_told(r);
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t at = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    for (int tries = 0; r->turns != NO_FILE && !r->ticket && tries < 100; tries++, at++) /* the same nanosecond */
        r->ticket = lock_byte(r->turns, F_WRLCK, at) ? at : 0;
    r->seen = look(r);
}

void cv_sqlite_turns_give(cv_sqlite_record *r)
{
    assert(r->ticket == 0 || r->turns != NO_FILE);
    if (r->ticket > 0)
        lock_byte(r->turns, F_UNLCK, r->ticket);
    r->ticket = 0;
}
#else
void cv_sqlite_turns_open(cv_sqlite_record *r)
{
    (void)r;
}

void cv_sqlite_turns_close(cv_sqlite_record *r)
{
    (void)r;
}

bool cv_sqlite_turns_waiting(const cv_sqlite_record *r, int64_t before)
{
    (void)r, (void)before;
    return false;
}

bool cv_sqlite_turns_wait(cv_sqlite_record *r, int64_t us)
{
    (void)r, (void)us;
    return false;
}

void cv_sqlite_turns_skip(cv_sqlite_record *r)
{
    (void)r;
}

void cv_sqlite_turns_freed(cv_sqlite_record *r)
{
    (void)r;
}

void cv_sqlite_turns_draw(cv_sqlite_record *r)
{
    (void)r;
}

void cv_sqlite_turns_give(cv_sqlite_record *r)
{
    (void)r;
}
#endif
