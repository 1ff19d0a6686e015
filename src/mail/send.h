/* send.h - a message on its way into mailboxes.
 *
 *     input of `mail send`  ->  cv_mail_draft       what is to be sent: content, links, limits; every fault
 *                           ->  recipients          agents, aliases, a capability, everybody; every fault
 *     under the lock        ->  cv_mail_post        message, deliveries, counters, one event
 *
 * Other operations that send (tasks) make a draft of their own and post it in their write.
 */
#ifndef CV_MAIL_SEND_H
#define CV_MAIL_SEND_H

#include "mail/writing.h"

typedef struct {
    cv_mail_agent *items;
    size_t count, capacity;
} cv_mail_recipients;

typedef struct {
    cv_mail_agent sender;
    cv_mail_recipients to;
    cv_mail_message message; /* message_id absent: one is made */
    int64_t expires_ms;      /* CV_ABSENT: never */
    int64_t expires_in;      /* … as seconds, if its sender wrote that; else CV_ABSENT */
    cv_str dead_reason;      /* it is not delivered, but kept as a dead letter; absent: it is */
    bool is_owed;            /* it was promised before: a full mailbox does not refuse it */
} cv_mail_draft;

/* What one recipient gets. */
typedef struct {
    cv_str to, state;
    int64_t seq;
    cv_str reason, error; /* of one that failed or was given up: why, and its error_details as JSON */
} cv_mail_receipt;

typedef struct {
    cv_mail_receipt *items;
    size_t count, capacity;
} cv_mail_receipts;

extern const cv_shape cv_mail_receipt_shape[];

/* Who is meant by `to`: a name, several, "capability:WORD" (of those who have it, the one that has the least to do),
 * "all:WORD" (all of them), "broadcast" (everybody but the sender). Faults go to call->errs, with `field`. */
bool cv_mail_address(cv_call *call, const char *field, const cv_json *to, const cv_mail_agent *sender,
                     cv_mail_recipients *ret);

/* What is equal when the same message is sent again. */
cv_str cv_mail_digest(cv_arena *a, const cv_mail_draft *draft);

/* Was it sent before under its id? Then what it was, with its receipts of now; with other content it is refused. A
 * message without an id gets one. */
bool cv_mail_sent_before(cv_mail_writing *o, cv_mail_draft *draft, cv_mail_message *ret_old,
                         cv_mail_receipts *ret_receipts, bool *ret_before);

/* The older message that it supersedes, if it names one: nobody begins with that one any more. */
bool cv_mail_supersede(cv_mail_writing *o, const cv_mail_draft *draft);

/* May it be sent: thread and hops (a chain that is too long is kept as a dead letter), the sender's rate, the quotas of
 * the recipients. Nothing is written before that is known. */
bool cv_mail_admit(cv_mail_writing *o, cv_mail_draft *draft);

/* Message, deliveries and an event, in this write. False: o->err or call->errs. */
bool cv_mail_post(cv_mail_writing *o, cv_mail_draft *draft, cv_mail_receipts *ret_receipts);

/* Is it as large as its sender may send? A fault of `field` otherwise. */
bool cv_mail_check_size(cv_call *call, const cv_mail_draft *draft, const char *field);

/* The words for a priority that an error offers; there are more (mail/text/spellings.def). */
extern const cv_words cv_mail_priority_words;

#endif
