/* answer_cache.c - answers that can be given again; see answer_cache.h. */
#include "base/answer_cache.h"

#include <assert.h>
#include <nettle/sha2.h>
#include <pthread.h>

#include "base/heap.h"
#include "base/map.h"

enum {
    MAX_ANSWER = 1 << 19,
    MAX_KEPT = 1 << 21, /* bytes of all of them */
};

_Static_assert(MAX_ANSWER + CV_ANSWER_CACHE_MAX_QUESTION <= MAX_KEPT, "one answer fits");

typedef struct {
    cv_str text;
    cv_seen seen;
    uint64_t moment; /* the last one at which it was current */
} kept_answer;

struct cv_answer_cache {
    pthread_mutex_t lock;
    uint64_t version; /* 0: nothing is kept yet */
    cv_arena arena;
    size_t bytes;
    cv_map answers; /* question -> kept_answer * */
};

cv_answer_cache *cv_answer_cache_new(void)
{
    cv_answer_cache *cache = CV_HEAP_NEW(cv_answer_cache);
    pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void cv_answer_cache_free(cv_answer_cache *cache)
{
    pthread_mutex_destroy(&cache->lock);
    cv_arena_release(&cache->arena);
    cv_heap_free(cache);
}

void cv_answer_cache_add_secret(cv_buf *question, cv_str secret)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx ctx;
    if (!secret.p)
        return;
    sha256_init(&ctx);
    sha256_update(&ctx, secret.n, (const uint8_t *)secret.p);
    sha256_digest(&ctx, sizeof digest, digest);
    cv_buf_add(question, (cv_str){(const char *)digest, sizeof digest});
}

static bool is_current(kept_answer *kept, uint64_t moment)
{
    if (moment != 0 && kept->moment == moment)
        return true;
    bool current = cv_seen_is_current(&kept->seen);
    kept->moment = current ? moment : 0;
    return current;
}

bool cv_answer_cache_find(cv_answer_cache *cache, uint64_t version, uint64_t moment, cv_str question,
                          void (*give)(void *ctx, cv_str answer), void *ctx)
{
    pthread_mutex_lock(&cache->lock);
    const uintptr_t *place = cache->version == version ? cv_map_get(&cache->answers, question) : NULL;
    kept_answer *kept = place ? (kept_answer *)*place : NULL;
    bool known = kept && is_current(kept, moment);
    if (known)
        give(ctx, kept->text);
    pthread_mutex_unlock(&cache->lock);
    return known;
}

void cv_answer_cache_add(cv_answer_cache *cache, uint64_t version, cv_str question, cv_str answer, const cv_seen *seen)
{
    assert(version > 0);
    if (question.n > CV_ANSWER_CACHE_MAX_QUESTION || answer.n > MAX_ANSWER || seen->unknown)
        return;
    pthread_mutex_lock(&cache->lock);
    if (cache->version != version || cache->bytes > MAX_KEPT - MAX_ANSWER - CV_ANSWER_CACHE_MAX_QUESTION) {
        cv_arena_reset(&cache->arena);
        cache->answers = (cv_map){0};
        cache->version = version;
        cache->bytes = 0;
    }
    cache->bytes += question.n + answer.n;
    kept_answer *copy = CV_NEW(&cache->arena, kept_answer);
    *copy = (kept_answer){cv_arena_copy(&cache->arena, answer), cv_seen_copy(&cache->arena, seen), 0};
    *cv_map_put(&cache->answers, &cache->arena, cv_arena_copy(&cache->arena, question), NULL) = (uintptr_t)copy;
    pthread_mutex_unlock(&cache->lock);
}
