/* map.h - a hash map from text to a pointer-sized value, in an arena.
 *
 * Keys are views that must outlive the map. Nothing is removed; the map goes with its arena. A zeroed cv_map
 * is empty and ready.
 */
#ifndef CV_BASE_MAP_H
#define CV_BASE_MAP_H

#include "base/arena.h"

typedef struct {
    cv_str key;
    uint64_t hash;
    uintptr_t value;
} cv_map_slot;

typedef struct {
    cv_map_slot *slots; /* power of two; key.p == NULL: free */
    size_t capacity;
    size_t count;
} cv_map;

/* The place of `key`'s value: made (as 0) when it is new; valid until the next put. ret_new may be NULL. */
uintptr_t *cv_map_put(cv_map *m, cv_arena *a, cv_str key, bool *ret_new);

/* The place of `key`'s value, or NULL. */
uintptr_t *cv_map_get(const cv_map *m, cv_str key);

#endif
