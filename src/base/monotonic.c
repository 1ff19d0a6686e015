/* monotonic.c - time that only goes forward; see monotonic.h. */
#include "base/monotonic.h"

#include <errno.h>
#include <time.h>

static const long NS_PER_US = 1000L, NS_PER_MS = 1000000L, NS_PER_S = 1000000000L;

int64_t cv_monotonic_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / NS_PER_US;
}

int64_t cv_monotonic_ms(void)
{
    return cv_monotonic_us() / 1000;
}

void cv_monotonic_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

bool cv_monotonic_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * NS_PER_MS;
    until.tv_sec += until.tv_nsec / NS_PER_S;
    until.tv_nsec %= NS_PER_S;
    return pthread_cond_timedwait(cond, lock, &until) != ETIMEDOUT;
}
