/* writing.h - one write of any room: the rows it makes and the events that describe them, committed together.
 *
 *     locked                                            optimistic
 *     cv_writing_begin(&w, record, a, scope, op, now)   cv_writing_from(&w, record, a, scope, &position, now)
 *     find …                                            (rows were read before, at that position)
 *     cv_writing_done_before(&w, &request, …)
 *
 *     card *c = cv_writing_put(&w, &card_type, &row);
 *     cv_event_row *e = cv_writing_event(&w, "card", id, "moved");
 *     cv_writing_covers(&w, e, &card_type, c);
 *     cv_writing_commit(&w, &request, result, &outcome, err);
 *
 * Numbers of events, row digests, hashes and the head of the chain are made in commit. A row put again under the same
 * key takes the place of the one put before. Rows that may change and that no event covers are covered by the last
 * event; so are all added rows and the commit itself. Every write has an event.
 *
 * A row that is put again may carry the redacted text that is stored in it, and nothing else of that form.
 */
#ifndef CV_KIT_WRITING_H
#define CV_KIT_WRITING_H

#include "base/map.h"
#include "record/record.h"

/* What is asked for: the same op_id with the same digest is done once. */
typedef struct {
    cv_str op_id, digest; /* SHA-256 of the request */
    cv_str operation;     /* "board move" */
} cv_request;

/* What became of it. */
typedef struct {
    cv_write_result how;
    int64_t rev;
    cv_str result; /* the caller's own, or that of the first time */
} cv_written;

typedef struct {
    cv_record *record;
    cv_arena *arena;
    cv_scope_id scope;
    cv_scope_position at;   /* before the write; rev 0: the scope is made by it */
    cv_str now;             /* one time for the whole write */
    cv_str agent, standing; /* for every event, when they are set before commit; absent: nobody is named. A room sets
                             * them when the caller is nobody, and the request speaks in the name of somebody */
    bool locked;
    bool idle;          /* the request has nothing to write: that nothing was written is not a replay */
    cv_request request; /* that is committed */
    /* Fills in its digest and its op_id for this rev, which may be absent until then: a store that is far away works
     * meanwhile. NULL: they are there. */
    void (*complete)(void *ctx, cv_request *request, int64_t rev);
    void *complete_ctx;
    struct cv_writing_rows *rows;
} cv_writing;

/* Takes the lock of the scope; until commit or end nobody else writes. */
bool cv_writing_begin(cv_writing *w, cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_str now,
                      cv_err *err);

/* Writes from what was read at this position; commit finds out whether it is still the present one. */
void cv_writing_from(cv_writing *w, cv_record *record, cv_arena *a, cv_scope_id scope, const cv_scope_position *at,
                     cv_str now);

/* Was this request committed before? Then ret->how is REPLAYED, and the answer is in ret. False: it cannot be known, or
 * the op_id was used for another request. A locked write asks before it does anything; of an optimistic one commit
 * asks. */
bool cv_writing_done_before(cv_writing *w, const cv_request *request, cv_written *ret, cv_err *err);

/* The row in the write, to be changed further until commit. Of a type that is only added, a row put again is another
 * one, and the last of them counts; so it is of a volatile type, which no event covers. */
void *cv_writing_put(cv_writing *w, const cv_type *type, const void *row);

/* The same, of a row that may change and that the reading before the write did not find: it is not stored yet. */
void *cv_writing_add(cv_writing *w, const cv_type *type, const void *row);

/* An event about a thing. The caller may fill in step, actors, reason, result_id, reference and data. */
cv_event_row *cv_writing_event(cv_writing *w, cv_str subject_type, cv_str subject_id, cv_str event_type);

/* The event covers this row as it will be at commit. */
void cv_writing_covers(cv_writing *w, cv_event_row *event, const cv_type *type, const void *row);

/* This write puts again all rows of a grouped type that an earlier one put: `rows` has them as they are stored, in the
 * order of their keys. The event says so. */
void cv_writing_replaces(cv_writing *w, cv_event_row *event, const cv_type *type, const void *rows, size_t count);

/* The text of a stored row is replaced by its hash, and the event covers that. `row` is the stored row; a text
 * that is redacted already stays as it is. */
void cv_writing_redact(cv_writing *w, cv_event_row *event, const cv_type *type, const void *row, cv_str field);

/* Commits. True: ret->how is DONE, REPLAYED or CONFLICT (optimistic: the scope moved on; read again and try again).
 * False: BUSY, FAILED or UNKNOWN, with the error. `result` is the JSON that a replay returns. */
bool cv_writing_commit(cv_writing *w, const cv_request *request, cv_str result, cv_written *ret, cv_err *err);

/* Nothing was put, said or redacted: there is nothing to commit. */
bool cv_writing_is_empty(const cv_writing *w);

/* Gives up a write that was begun; after commit there is nothing to give up. */
void cv_writing_end(cv_writing *w);

#endif
