/* map.c - a hash map from text to a pointer-sized value; see map.h.
 *
 * Open addressing with linear steps, at most three quarters full. The hash is kept in the slot, so growing does not
 * touch the keys and most misses are decided without comparing text.
 */
#include "base/map.h"

#include <assert.h>

enum { FIRST_CAPACITY = 16 };

/* The slot that holds `key`, or the free one where it belongs. The map is never full. */
static cv_map_slot *find(const cv_map *m, cv_str key, uint64_t hash)
{
    assert(m->count < m->capacity && (m->capacity & (m->capacity - 1)) == 0);
    size_t mask = m->capacity - 1;
    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        cv_map_slot *slot = &m->slots[i];
        if (!slot->key.p || (slot->hash == hash && cv_str_eq(slot->key, key)))
            return slot;
    }
}

static void grow(cv_map *m, cv_arena *a)
{
    cv_map old = *m;
    assert(old.capacity <= SIZE_MAX / 2 / sizeof(cv_map_slot));
    m->capacity = old.capacity ? old.capacity * 2 : FIRST_CAPACITY;
    m->slots = CV_NEW_ARRAY(a, m->capacity, cv_map_slot);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].key.p)
            *find(m, old.slots[i].key, old.slots[i].hash) = old.slots[i];
}

uintptr_t *cv_map_put(cv_map *m, cv_arena *a, cv_str key, bool *ret_new)
{
    if (m->count >= m->capacity / 4 * 3)
        grow(m, a);
    uint64_t hash = cv_str_hash(key);
    cv_map_slot *slot = find(m, key, hash);
    bool is_new = !slot->key.p;
    if (is_new) {
        *slot = (cv_map_slot){.key = {key.p ? key.p : "", key.n}, .hash = hash};
        m->count++;
    }
    assert(m->count <= m->capacity / 4 * 3 && "a quarter is free: every search ends");
    if (ret_new)
        *ret_new = is_new;
    return &slot->value;
}

uintptr_t *cv_map_get(const cv_map *m, cv_str key)
{
    if (m->count == 0)
        return NULL;
    cv_map_slot *slot = find(m, key, cv_str_hash(key));
    return slot->key.p ? &slot->value : NULL;
}
