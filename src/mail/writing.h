/* writing.h - what the operations of the mail room share: who is meant, reading and changing rows under the lock.
 *
 *     cv_mail_write(call, "mail claim", &act, work)     lock, work, commit: kit/request.h
 *       work:  cv_mail_mailbox_of, cv_mail_delivery_get …     the few rows that are needed
 *              cv_mail_settle(o, mailbox, &delivery, state)   the row, the counters of its mailbox
 *              cv_mail_event(o, …), cv_mail_change(o, row)    an event, and which deliveries it changes
 *
 * Every event of this room that changes deliveries says which, and to what state, in its data:
 *
 *     {"deliveries":[{"agent":"muffin","seq":7,"state":"claimed"}]}
 *
 * so that a reader of the feed need not look for them, and `verify` can fold them.
 */
#ifndef CV_MAIL_WRITING_H
#define CV_MAIL_WRITING_H

#include "base/map.h"
#include "kit/fault.h"
#include "kit/notice.h"
#include "kit/request.h"
#include "kit/who.h"
#include "mail/types.h"
#include "mail/words/errors.h"
#include "mail/words/limits.h"
#include "mail/words/words.h"

/* ---- who is meant ------------------------------------------------------------------------------------------------ */

typedef struct {
    cv_str name;      /* key: lower case */
    cv_str id;        /* as it was registered */
    cv_agent_row row; /* of a registered one */
    bool is_word;     /* System or User: it can send, and that is all */
} cv_mail_agent;

/* Is it System or User? Then *ret_agent is that. */
bool cv_mail_is_word(cv_str given, cv_mail_agent *ret_agent);

/* Who acts or sends: `field` of the input, or the caller. Nobody else may call itself System or User. Faults go to
 * call->errs: nobody is named, unknown, somebody else than the caller. */
bool cv_mail_actor(cv_call *call, const char *field, cv_mail_agent *ret_agent);

/* Whose mailbox is looked at: the same by the field "agent", but anybody may look, also into that of an agent that was
 * removed. */
bool cv_mail_whose(cv_call *call, cv_mail_agent *ret_agent);

/* ---- one write --------------------------------------------------------------------------------------------------- */

typedef struct {
    const char *event_type;
    cv_str source, details;
} cv_mail_significant;

typedef struct {
    cv_call *call;
    cv_writing *w;
    cv_record *record;
    cv_arena *arena;
    cv_err err;
    int64_t now_ms; /* the store's clock: expiry is judged by it */
    cv_str now;     /* the same as text */
    cv_notices warnings;
    cv_map mailboxes; /* of this write: name -> row */
    struct {          /* numbers for mailboxes that are made; read when the first one is */
        cv_row_list free;
        size_t used;
        int64_t last; /* 0: not read yet */
    } slots;
    struct { /* the event that is being told, and which deliveries it changes */
        cv_event_row *event;
        cv_buf data;
        cv_json_writer json;
    } told;
    struct { /* what the governance log gets with this write (log.h) */
        cv_mail_significant *items;
        size_t count, capacity;
    } significant;
    const void *last_entry;     /* cv_mail_entry of this write; NULL: it has none yet */
    const cv_mail_agent *alive; /* who gives a sign of life with this write; NULL: nobody */
    const char *act;
} cv_mail_writing;

typedef bool (*cv_mail_work)(cv_mail_writing *o, void *ctx, cv_str *ret_result);

/* cv_request_locked() on the post office. `work` may be given a context. */
bool cv_mail_write(cv_call *call, const char *operation, cv_mail_work work, void *ctx);

/* False, with the error of `o` in call->errs. */
bool cv_mail_fail(cv_mail_writing *o);

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Rows by their keys; *ret_found false: there is none. The texts are in the arena. */
bool cv_mail_message_get(cv_record *record, cv_arena *a, cv_str id, cv_mail_message *ret, bool *ret_found, cv_err *err);
bool cv_mail_delivery_get(cv_record *record, cv_arena *a, cv_str mailbox, int64_t seq, cv_mail_delivery *ret,
                          bool *ret_found, cv_err *err);
bool cv_mail_mailbox_get(cv_record *record, cv_arena *a, cv_str agent, cv_mail_mailbox *ret, bool *ret_found,
                         cv_err *err);
bool cv_mail_task_get(cv_record *record, cv_arena *a, cv_str plan, cv_str task_id, cv_mail_task *ret, bool *ret_found,
                      cv_err *err);

/* All deliveries of a message; of one mailbox, if it is there. */
bool cv_mail_deliveries_of(cv_record *record, cv_arena *a, cv_str message_id, cv_row_list *ret, cv_err *err);
bool cv_mail_delivery_find(cv_record *record, cv_arena *a, cv_str mailbox, cv_str message_id, cv_mail_delivery *ret,
                           bool *ret_found, cv_err *err);

/* Corrects the counts of a mailbox by its open deliveries that time has settled, though nothing was written. Costs a
 * step for each of them. *ret_stuck: those whose lease is over, whatever they are now. */
bool cv_mail_count_late(cv_record *record, cv_mail_mailbox *mailbox, int64_t now_ms, int64_t *ret_stuck, cv_err *err);

/* Has one of them expired after this time? */
bool cv_mail_has_expired(cv_record *record, cv_str mailbox, int64_t after_ms, int64_t now_ms, bool *ret_has,
                         cv_err *err);

/* How many really wait. */
bool cv_mail_waiting_of(cv_record *record, const cv_mail_mailbox *mailbox, int64_t now_ms, int64_t *ret_waiting,
                        cv_err *err);

/* How many of them nobody holds: they can be claimed. Costs a step more for each lease that is not over. */
bool cv_mail_claimable_of(cv_record *record, const cv_mail_mailbox *mailbox, int64_t now_ms, int64_t *ret_claimable,
                          cv_err *err);

/* How long the oldest open message of a mailbox has waited; CV_ABSENT: none is open. */
bool cv_mail_oldest_of(cv_record *record, cv_arena *a, cv_str mailbox, int64_t now_ms, int64_t *ret_seconds,
                       cv_err *err);

/* ---- changing ---------------------------------------------------------------------------------------------------- */

/* The mailbox of an agent as it is in this write; one that is not there yet is made, with the next free slot. The row
 * is that of the write: changing it changes what is committed. NULL: o->err. */
cv_mail_mailbox *cv_mail_mailbox_of(cv_mail_writing *o, const cv_mail_agent *agent);

/* The same, but one that is made has no slot; and the lowest number that no mailbox has. */
cv_mail_mailbox *cv_mail_mailbox_without_slot(cv_mail_writing *o, const cv_mail_agent *agent);
bool cv_mail_free_slot(cv_mail_writing *o, int64_t *ret_slot);

/* A new delivery of a message, with the next number. */
cv_mail_delivery *cv_mail_deliver(cv_mail_writing *o, cv_mail_mailbox *mailbox, const cv_mail_message *message,
                                  int64_t expires_ms, cv_mail_state state);

/* The delivery goes to another state: its row, its place in the indexes, the counters of its mailbox. */
cv_mail_delivery *cv_mail_settle(cv_mail_writing *o, cv_mail_mailbox *mailbox, const cv_mail_delivery *delivery,
                                 cv_mail_state state);

/* An event; the next calls of cv_mail_change add to its data which deliveries it changes. */
cv_event_row *cv_mail_event(cv_mail_writing *o, cv_str subject_type, cv_str subject_id, const char *event_type);
void cv_mail_change(cv_mail_writing *o, const cv_mail_delivery *delivery);

/* ---- times and texts --------------------------------------------------------------------------------------------- */

cv_str cv_mail_time(cv_arena *a, int64_t ms);
int64_t cv_mail_now(const cv_call *call); /* for those who only look: the caller's clock */

/* The state of a delivery at this moment: a lease that is over, an instruction that has expired. */
cv_mail_state cv_mail_state_at(const cv_mail_delivery *delivery, int64_t now_ms);

/* What its sender learns about a delivery: that the recipient has seen it, too. */
cv_str cv_mail_receipt_of(const cv_mail_delivery *delivery, const cv_mail_mailbox *mailbox, int64_t now_ms);

/* A UUID of version 7: ids in the order in which they were made. */
bool cv_mail_new_id(cv_arena *a, int64_t now_ms, cv_str *ret_id, cv_err *err);

/* The value of the input as the caller wrote it, byte for byte; printed again where that is not known. */
cv_str cv_mail_raw(cv_call *call, const cv_json *value);

/* JSON without the white space between its tokens; every token stays as it was written. */
cv_str cv_mail_compact(cv_arena *a, cv_str json);

/* Is the text of this field at most so long? Else a fault. */
bool cv_mail_check_length(cv_call *call, const char *field, cv_str text, int64_t most);

/* ---- signs of life (presence.c) ---------------------------------------------------------------------------------- */

/* Who acts by this write, as it claims, when the caller is nobody; absent: nobody does. cv_mail_sign() says so too. */
void cv_mail_acts(cv_mail_writing *o, cv_str id);

/* The agent is there: with the write, or by itself when one that only looks finds the last sign old. `session` may be
 * absent. Another live session of the same agent is a warning. */
void cv_mail_sign(cv_mail_writing *o, const cv_mail_agent *agent, const char *act);
void cv_mail_sign_alone(cv_call *call, const cv_mail_agent *agent, const char *act);

typedef struct {
    cv_str status;    /* online, offline, idle, busy */
    cv_str last_seen; /* absent: never */
} cv_mail_life;
bool cv_mail_life_of(cv_record *record, cv_arena *a, cv_str agent, int64_t now_ms, cv_mail_life *ret, cv_err *err);

#endif
