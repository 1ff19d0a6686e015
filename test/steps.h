/* steps.h - counts what code does, in steps and not in seconds.
 *
 * The sources are compiled with -fsanitize-coverage=trace-pc, so every basic block reports here, and their calls of the
 * memory functions are wrapped to add the bytes they touch (COUNTED in the Makefile). Included once per program.
 */
#ifndef CV_TEST_STEPS_H
#define CV_TEST_STEPS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

static uint64_t steps;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    steps++;
}

void *__real_memchr(const void *s, int c, size_t n);
void *__wrap_memchr(const void *s, int c, size_t n);
void *__wrap_memchr(const void *s, int c, size_t n)
{
    const char *hit = __real_memchr(s, c, n);
    steps += hit ? (uint64_t)(hit - (const char *)s) : n;
    return (void *)(uintptr_t)hit;
}

int __real_memcmp(const void *x, const void *y, size_t n);
int __wrap_memcmp(const void *x, const void *y, size_t n);
int __wrap_memcmp(const void *x, const void *y, size_t n)
{
    steps += n;
    return __real_memcmp(x, y, n);
}

void *__real_memcpy(void *to, const void *from, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n);
void *__wrap_memcpy(void *to, const void *from, size_t n)
{
    steps += n;
    return __real_memcpy(to, from, n);
}

void *__real_memset(void *to, int c, size_t n);
void *__wrap_memset(void *to, int c, size_t n);
void *__wrap_memset(void *to, int c, size_t n)
{
    steps += n;
    return __real_memset(to, c, n);
}

int __real_vsnprintf(char *to, size_t n, const char *format, va_list args) __attribute__((format(printf, 3, 0)));
int __wrap_vsnprintf(char *to, size_t n, const char *format, va_list args) __attribute__((format(printf, 3, 0)));
int __wrap_vsnprintf(char *to, size_t n, const char *format, va_list args)
{
    int length = __real_vsnprintf(to, n, format, args);
    steps += (uint64_t)(length > 0 ? length : 0);
    return length;
}

#endif
