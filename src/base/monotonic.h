/* monotonic.h - time that only goes forward, and waiting by it: for what takes how long. What is written into a record
 * gets its time from clock.h.
 */
#ifndef CV_BASE_MONOTONIC_H
#define CV_BASE_MONOTONIC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

int64_t cv_monotonic_ms(void); /* since some moment before the program began */
int64_t cv_monotonic_us(void);

/* A condition that is waited for by this clock: pthread_cond_wait, or the one below. */
void cv_monotonic_cond_init(pthread_cond_t *cond);
bool cv_monotonic_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int ms); /* false: so many have passed */

#endif
