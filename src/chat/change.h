/* change.h - one change of a chat, under its lock: new messages, flags, pointers, header; and what the record gets of
 * it.
 *
 *     cv_chat_change_begin       lock, header, what is new, what was done to history
 *       the operation            edits of bytes, messages, events
 *     cv_chat_change_commit      the new version on disk, published, and the record's commit, in this order
 *     cv_chat_change_end         the lock is given back
 *
 * Messages that wait in the queue go first, in their order. A process that dies before it publishes has changed
 * nothing; one that dies after it leaves a file that the record sees for itself at the next call. A `read` commits
 * before it publishes: a reader that dies in between gets the messages again, and misses none.
 *
 * With dry_run nothing is locked and nothing is written.
 */
#ifndef CV_CHAT_CHANGE_H
#define CV_CHAT_CHANGE_H

#include "chat/chat.h"
#include "kit/request.h"

typedef struct cv_chat_change cv_chat_change;
struct cv_chat_change {
    cv_call *call;
    const cv_chat_place *place;
    cv_chat_lock lock;
    cv_chat_view view;
    cv_chat_compared found;
    cv_chat_edits edits;
    cv_buf tail;
    int64_t next; /* number of the next message */
    cv_str chain;
    struct {
        cv_chat_message_row *items; /* messages of the tail */
        size_t count, capacity;
    } sent;
    cv_str reader;       /* whose pointer moves to the end; absent: nobody's */
    int64_t reader_line; /* … as it is written in the header */
    bool commit_first;
    bool rebuilt; /* all behind the header was written again: where pointers are must be found again */
    bool locked;  /* the lock is held, or with dry_run nothing is */
    bool dry;
    cv_notices warnings;
    /* The operation's part of the write, with at least one event, and its answer. */
    void (*put)(cv_chat_change *change, cv_writing *w);
    cv_str (*result)(cv_chat_change *change);
    void *ctx;
};

cv_lock_result cv_chat_change_begin(cv_call *call, const cv_chat_place *place, int64_t wait_ms, cv_chat_change *ret,
                                    cv_err *err);
void cv_chat_change_end(cv_chat_change *change);

/* From the lock to its end: `make` edits the change and commits it. False: call->errs says why. */
bool cv_chat_change_run(cv_call *call, const cv_chat_place *place, bool (*make)(cv_chat_change *change, void *ctx),
                        void *ctx);

/* Is this the chat that its header names? What is said in a copy of a sync tool would reach nobody. */
bool cv_chat_is_original(const cv_chat_view *view, cv_err *err);

/* What waits in the queue, at the end of the file; before anything else is sent. */
void cv_chat_change_queue(cv_chat_change *change);

/* One more message at the end of the file; its row. */
cv_chat_message_row *cv_chat_change_send(cv_chat_change *change, const cv_chat_draft *draft, cv_str standing);

/* The lines of the new version, once all edits and messages are in it. */
int64_t cv_chat_change_lines(cv_chat_change *change, const cv_chat_region *region);

/* Carries it out as this request and answers it. False: call->errs says why; `CV_ERR_CHAT_CONFLICT` among others. */
bool cv_chat_change_commit(cv_chat_change *change, cv_str operation);

/* A process that was killed after the file was changed and before the record was asks again, with the same op_id. The
 * file says that it was done: */
bool cv_chat_may_repeat(const cv_call *call);
bool cv_chat_change_repeated(cv_chat_change *change); /* answers so, with the change's result */

/* Begins a request. *ret_done: it was done before, under its op_id, and has been answered again. */
bool cv_chat_begin_request(cv_call *call, const cv_chat_place *place, cv_str operation, bool *ret_done);

/* ---- before every call ------------------------------------------------------------------------------------------- */

/* What a dead process left is undone, what waits is delivered if nobody has the lock, and what the record has not seen
 * is taken. It never waits, and never fails the call. */
void cv_chat_settle(cv_call *call, const cv_chat_place *place);

/* Delivers what waits, as soon as the lock is free. */
void cv_chat_deliver(cv_call *call, const cv_chat_place *place, int64_t wait_ms);

/* The chat after that, and warnings about its history. The caller closes the view. False: call->errs says why. */
bool cv_chat_look(cv_call *call, const cv_chat_place *place, cv_chat_view *ret, cv_notices *warnings);

/* Milliseconds that this request waits for the lock. */
int64_t cv_chat_wait_ms(const cv_call *call);

#endif
