/* verify_ops.c - the row of every write against the event that vouches for it; see verifier.h.
 *
 * Each rev has one row in ops, and the last event of the rev has its digest. A dialogue that was restored from an
 * export came in one write: the rows of its revs up to then stand in the store that it came from, and here one row
 * stands for all of them (cv_op_row_is_restore).
 */
#include "dialogue/verify/verifier.h"

static cv_str place_of(cv_verify *v, int64_t rev)
{
    return cv_arena_printf(&v->scratch, "op/%lld", (long long)rev);
}

bool cv_verify_cover_op(cv_verify *v, const cv_rec_event *event, cv_str digest, cv_err *err)
{
    if ((int64_t)v->ops.count != event->rev - 1)
        return cv_verify_fail(v, place_of(v, event->rev), err,
                              "expected one event of each rev that vouches for its operation; event %lld is the %s",
                              (long long)event->event_seq, (int64_t)v->ops.count < event->rev ? "first" : "second");
    memcpy(CV_PUSH(&v->arena, &v->ops)->expected, digest.p, CV_HASH_LEN);
    return true;
}

typedef struct {
    cv_verify *v;
    int64_t next;   /* the rev that comes now */
    int64_t number; /* of the commit before */
} walking;

static bool see_op(void *ctx, const cv_op_row *op, cv_err *err)
{
    walking *w = ctx;
    cv_verify *v = w->v;
    cv_str found = cv_op_row_digest(&v->scratch, op);
    if (op->rev > v->last_rev) /* written since, or cut off: then the numbers of commits tell */
        return true;
    bool as_said = op->rev >= 1 && memcmp(found.p, v->ops.items[op->rev - 1].expected, CV_HASH_LEN) == 0;
    bool first = w->next == 1, whole = first && !as_said && cv_op_row_is_restore(op);
    if (!whole && op->rev != w->next)
        return cv_verify_fail(v, place_of(v, op->rev), err, "expected the operation of rev %lld, found rev %lld",
                              (long long)w->next, (long long)op->rev);
    if (!whole && !as_said)
        return cv_verify_fail(v, place_of(v, op->rev), err,
                              "the operation '%.*s' or its answer was changed: expected digest %.*s, found %.*s",
                              CV_FMT(op->op_id), CV_HASH_LEN, v->ops.items[op->rev - 1].expected, CV_FMT(found));
    if (op->number <= w->number)
        return cv_verify_fail(v, place_of(v, op->rev), err, "number: expected more than %lld, found %lld",
                              (long long)w->number, (long long)op->number);
    w->number = op->number;
    w->next = op->rev + 1;
    cv_arena_reset(&v->scratch);
    return true;
}

bool cv_verify_ops(cv_call *call, cv_verify *v, cv_err *err)
{
    walking w = {v, 1, 0};
    if ((int64_t)v->ops.count != v->last_rev)
        return cv_verify_fail(v, place_of(v, (int64_t)v->ops.count + 1), err,
                              "expected an event that vouches for the operation, found none");
    if (!call->store->calls->ops(call->store, &v->arena, v->id, see_op, &w, err))
        return false;
    if (w.next != v->last_rev + 1)
        return cv_verify_fail(v, place_of(v, w.next), err, "expected a row of the operation, found none");
    return true;
}
