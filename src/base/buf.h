/* buf.h - a buffer that grows, up to a ceiling, or flows into a file.
 *
 * A zeroed cv_buf grows in memory up to CV_MAX_BUF_BYTES; `ceiling` lowers that. With `sink` set, full
 * pages are handed to it, so output of any size needs one page of memory. Appending never fails visibly: the
 * first trouble (ceiling, sink) sets `failed`, later appends do nothing, and the one who finishes asks
 * cv_buf_ok() once.
 */
#ifndef CV_BASE_BUF_H
#define CV_BASE_BUF_H

#include "base/arena.h"

typedef struct {
    char *p;
    size_t n;
    size_t capacity;
    size_t ceiling; /* 0: CV_MAX_BUF_BYTES */
    bool failed;
    int error;                            /* errno of the sink that failed */
    bool (*sink)(void *to, cv_str bytes); /* NULL: keep everything */
    void *sink_to;
} cv_buf;

/* `n` more bytes, which the caller fills at once: for those who write many short pieces. NULL: `failed`. Answers are
 * made of short pieces, and most of them fit into what is there: that much is decided where they are written. */
char *cv_buf_extend_further(cv_buf *b, size_t n);
static inline char *cv_buf_extend(cv_buf *b, size_t n)
{
    if (n > b->capacity - b->n || b->failed)
        return cv_buf_extend_further(b, n);
    b->n += n;
    return b->p + b->n - n;
}

static inline void cv_buf_add_char(cv_buf *b, char c)
{
    char *to = cv_buf_extend(b, 1);
    if (to)
        *to = c;
}

void cv_buf_add(cv_buf *b, cv_str s);
void cv_buf_add_z(cv_buf *b, const char *z);
void cv_buf_printf(cv_buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The bytes so far (those not yet given to the sink). Valid until the next append. */
static inline cv_str cv_buf_str(const cv_buf *b)
{
    return (cv_str){b->p, b->n};
}

static inline bool cv_buf_ok(const cv_buf *b)
{
    return !b->failed;
}

bool cv_buf_flush(cv_buf *b); /* hands the rest to the sink; true when all of it went through */
void cv_buf_clear(cv_buf *b); /* empty again, the memory kept */
void cv_buf_release(cv_buf *b);

/* The bytes so far, moved into the arena; the buffer is released. */
cv_str cv_buf_take(cv_buf *b, cv_arena *a);

/* A sink that writes to a stdio stream: sink_to is a FILE *. */
bool cv_buf_to_stream(void *stream, cv_str bytes);

#endif
