/* groups.c - a stable counting sort; see groups.h. */
#include "base/groups.h"

#include <assert.h>

cv_groups cv_groups_of(cv_arena *a, const uint32_t *keys, size_t count, size_t groups)
{
    cv_groups g = {CV_NEW_ARRAY(a, groups + 2, uint32_t), CV_NEW_ARRAY(a, count, uint32_t)};
    uint32_t *next = g.starts + 1; /* while sorting, next[k] is where group k goes on */
    for (size_t i = 0; i < count; i++)
        if (keys[i] + 1 < groups)
            next[keys[i] + 1]++;
    for (size_t k = 1; k < groups; k++)
        next[k] += next[k - 1];
    for (size_t i = 0; i < count; i++) {
        assert(keys[i] < groups);
        g.order[next[keys[i]]++] = (uint32_t)i;
    }
    assert(groups == 0 || g.starts[groups] == count); /* every one is in a group */
    return g;
}
