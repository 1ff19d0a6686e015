/* verify.h - does a scope agree with its own history?
 *
 * One moment of the scope: events first, then the rows and commits that they cover. If a text was changed both in a row
 * and in the answer that its commit keeps, the row is named: people know it.
 *
 *     event                   number, hash of the one before, rev, time of its write
 *     position                the last event's number, hash and rev
 *     row that may change     its digest now        <->  the last event that covers its key
 *     rows that never change  one digest per write  <->  "added/TYPE" of that write; nothing is left of those for which
 *                                                        "replaced/TYPE/REV" of a later one has the same digest
 *     redacted text           its hash              <->  "redacted/…" of an event
 *     commit                  one for every rev; its digest, its head
 *
 * The first thing that does not agree is the answer. A room adds what its events imply: it sees every event, then every
 * row, and is asked at the end.
 */
#ifndef CV_RECORD_VERIFY_H
#define CV_RECORD_VERIFY_H

#include "record/record.h"

typedef struct cv_scope_verifier cv_scope_verifier;

/* What a room checks; functions may be NULL. They return false after cv_verify_disagree(). */
typedef struct {
    bool (*event)(void *ctx, const cv_scope_verifier *v, const cv_event_row *event, cv_err *err);
    bool (*row)(void *ctx, const cv_scope_verifier *v, const cv_type *type, const void *row, cv_err *err);
    bool (*end)(void *ctx, const cv_scope_verifier *v, cv_err *err);
    void *ctx;
} cv_room_verify;

/* ret_at is copied to the arena. `room` may be NULL. */
bool cv_scope_verify(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_room_verify *room,
                     cv_scope_position *ret_at, cv_err *err);

/* "board 'x': PLACE: message", with the place as value. Always false. */
bool cv_verify_disagree(const cv_scope_verifier *v, cv_str place, cv_err *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
