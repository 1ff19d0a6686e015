/* stamp.h - what something was at one moment: as long as its stamp is the same, nothing of it has changed. */
#ifndef CV_BASE_STAMP_H
#define CV_BASE_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint64_t words[6];
    uint64_t opened; /* how often the thing was opened before the words were read; 0: nobody counts */
} cv_stamp;

static inline bool cv_stamp_eq(const cv_stamp *a, const cv_stamp *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

#endif
