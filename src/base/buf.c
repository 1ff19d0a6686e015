/* buf.c - a buffer that grows up to a ceiling; see buf.h. */
#include "base/buf.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/limits.h"

enum { PAGE = 64 << 10, FIRST = 256 };
_Static_assert(FIRST <= PAGE && PAGE <= CV_MAX_BUF_BYTES, "every buffer has room for its first bytes");

/* Room for `n` more bytes, or `failed`. */
static bool reserve(cv_buf *b, size_t n)
{
    assert(b->n <= b->capacity);
    if (b->failed)
        return false;
    size_t ceiling = b->ceiling ? b->ceiling : CV_MAX_BUF_BYTES;
    if (b->n > ceiling || n > ceiling - b->n) {
        b->failed = true;
        return false;
    }
    if (n <= b->capacity - b->n)
        return true;
    size_t wanted = b->capacity ? b->capacity : (b->sink ? PAGE : FIRST);
    while (wanted < b->n + n)
        wanted *= 2;
    if (wanted > ceiling)
        wanted = ceiling;
    char *grown = realloc(b->p, wanted);
    if (!grown)
        cv_out_of_memory(wanted);
    b->p = grown;
    b->capacity = wanted;
    return true;
}

/* The caller that finishes asks much later: the reason is kept here. */
static void pour(cv_buf *b, cv_str s)
{
    assert(b->sink);
    if (b->failed || b->sink(b->sink_to, s))
        return;
    b->failed = true;
    b->error = errno;
}

void cv_buf_add(cv_buf *b, cv_str s)
{
    assert(s.p || s.n == 0);
    if (s.n == 0)
        return;
    if (b->sink && b->n + s.n > PAGE) {
        cv_buf_flush(b);
        if (s.n >= PAGE) {
            pour(b, s);
            return;
        }
    }
    if (!reserve(b, s.n))
        return;
    memcpy(b->p + b->n, s.p, s.n);
    b->n += s.n;
}

char *cv_buf_extend_further(cv_buf *b, size_t n)
{
    if (b->sink && b->n + n > PAGE)
        cv_buf_flush(b);
    if (!reserve(b, n))
        return NULL;
    b->n += n;
    return b->p + b->n - n;
}

void cv_buf_add_z(cv_buf *b, const char *z)
{
    cv_buf_add(b, cv_str_of(z));
}

void cv_buf_printf(cv_buf *b, const char *format, ...)
{
    char small[256] = "";
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    size_t size = n < 0 ? 0 : (size_t)n;
    char *text = size < sizeof small ? small : malloc(size + 1);
    if (!text)
        cv_out_of_memory(size);
    if (text != small)
        vsnprintf(text, size + 1, format, again);
    cv_buf_add(b, (cv_str){text, size});
    if (text != small)
        free(text);
    va_end(again);
}

bool cv_buf_flush(cv_buf *b)
{
    if (b->sink && b->n > 0)
        pour(b, cv_buf_str(b));
    if (b->sink)
        b->n = 0;
    assert(!b->sink || b->n == 0);
    return !b->failed;
}

void cv_buf_clear(cv_buf *b)
{
    b->n = 0;
    b->failed = false;
}

void cv_buf_release(cv_buf *b)
{
    free(b->p);
    b->p = NULL;
    b->n = b->capacity = 0;
}

cv_str cv_buf_take(cv_buf *b, cv_arena *a)
{
    assert(!b->sink && "what went to a sink cannot be taken");
    cv_str taken = cv_arena_copy(a, cv_buf_str(b));
    cv_buf_release(b);
    return taken;
}

bool cv_buf_to_stream(void *stream, cv_str bytes)
{
    return fwrite(bytes.p, 1, bytes.n, stream) == bytes.n;
}
