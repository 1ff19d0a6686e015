/* interpose.h - something happens right before a record's transactions begin, as if another process did it.
 *
 *     cv_interpose(&x, w->record, before, ctx);        … calls of operations …        cv_interpose_end(&x);
 *
 * While `before` runs, the record is the real one, so it may use the same handle.
 */
#ifndef CV_TEST_INTERPOSE_H
#define CV_TEST_INTERPOSE_H

#include "testing.h"

#include "record/record.h"

typedef struct {
    cv_record *record;
    const cv_record_calls *real;
    cv_record_calls calls;
    void (*before)(void *ctx, bool to_write);
    void *ctx;
    char begun[64]; /* "RWW": how transactions began, in their order */
} cv_interposed;

static cv_interposed *cv_interposing;

static void cv_interpose_before(cv_record *record, bool to_write)
{
    cv_interposed *x = cv_interposing;
    size_t n = strlen(x->begun);
    if (n + 1 < sizeof x->begun)
        x->begun[n] = to_write ? 'W' : 'R';
    record->calls = x->real;
    x->before(x->ctx, to_write);
    record->calls = &x->calls;
}

static bool cv_interposed_begin(cv_record *record, cv_arena *a, cv_scope_id scope, cv_scope_position *ret_at,
                                cv_err *err)
{
    cv_interpose_before(record, false);
    return cv_interposing->real->begin(record, a, scope, ret_at, err);
}

static bool cv_interposed_lock(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id,
                               cv_scope_position *ret_at, cv_err *err)
{
    cv_interpose_before(record, true);
    return cv_interposing->real->lock(record, a, scope, op_id, ret_at, err);
}

static inline void cv_interpose(cv_interposed *x, cv_record *record, void (*before)(void *ctx, bool to_write),
                                void *ctx)
{
    *x =
        (cv_interposed){.record = record, .real = record->calls, .calls = *record->calls, .before = before, .ctx = ctx};
    x->calls.begin = cv_interposed_begin;
    x->calls.lock = cv_interposed_lock;
    cv_interposing = x;
    record->calls = &x->calls;
}

static inline void cv_interpose_end(cv_interposed *x)
{
    x->record->calls = x->real;
}

#endif
