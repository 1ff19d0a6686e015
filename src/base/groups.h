/* groups.h - numbers sorted into groups, each group in its old order.
 *
 *     keys     2 0 2 1        number i belongs to group keys[i]
 *     group 0  1
 *     group 1  3
 *     group 2  0 2
 *
 * One pass to count and one to place them: linear, whatever the keys are.
 */
#ifndef CV_BASE_GROUPS_H
#define CV_BASE_GROUPS_H

#include "base/arena.h"

/* Group g is order[starts[g]] … order[starts[g + 1] - 1]. */
typedef struct {
    uint32_t *starts, *order;
} cv_groups;

/* keys[i] < groups is the group of number i, for i < count. */
cv_groups cv_groups_of(cv_arena *a, const uint32_t *keys, size_t count, size_t groups);

/* The numbers of one group: for (const uint32_t *i = cv_group_begin(&g, k); i < cv_group_end(&g, k); i++) */
static inline const uint32_t *cv_group_begin(const cv_groups *g, size_t group)
{
    return g->order + g->starts[group];
}
static inline const uint32_t *cv_group_end(const cv_groups *g, size_t group)
{
    return g->order + g->starts[group + 1];
}
static inline bool cv_group_is_empty(const cv_groups *g, size_t group)
{
    return g->starts[group] == g->starts[group + 1];
}

#endif
