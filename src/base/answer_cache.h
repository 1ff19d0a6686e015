/* answer_cache.h - answers that can be given again as long as nothing has changed.
 *
 *     question ->  asked before, and the version is the same: the answer as it was, at once
 *
 * A process that serves prints a question as bytes: what was asked, of whom, by whom. A secret that decides what may be
 * seen is a part of it, by its digest. An answer is kept under the version that was read before it was made, with the
 * folders that it was made from as they were then: what has changed meanwhile shows, so that no answer is older than
 * its question. Another version, or too much: everything is forgotten. From any thread.
 */
#ifndef CV_BASE_ANSWER_CACHE_H
#define CV_BASE_ANSWER_CACHE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/seen.h"

typedef struct cv_answer_cache cv_answer_cache;

enum { CV_ANSWER_CACHE_MAX_QUESTION = 1 << 10 }; /* bytes: longer ones are hardly asked twice, and never kept */

cv_answer_cache *cv_answer_cache_new(void);
void cv_answer_cache_free(cv_answer_cache *cache);

/* An absent secret adds nothing. */
void cv_answer_cache_add_secret(cv_buf *question, cv_str secret);

/* False: it is not known, or a folder that it was made from has changed. `give` gets the answer while nobody can throw
 * it away: it copies what it needs. Questions of one `moment` had all come before the first of them was answered: the
 * folders are looked at once for them. 0: a question of its own. */
bool cv_answer_cache_find(cv_answer_cache *cache, uint64_t version, uint64_t moment, cv_str question,
                          void (*give)(void *ctx, cv_str answer), void *ctx);

/* `version` is above 0. What is too large is not kept, nor what was made from folders whose changes would not show. */
void cv_answer_cache_add(cv_answer_cache *cache, uint64_t version, cv_str question, cv_str answer, const cv_seen *seen);

#endif
