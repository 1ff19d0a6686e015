/* answer.h - a message as answers tell it: to whom it was delivered, as it is now. */
#ifndef CV_MAIL_ANSWER_H
#define CV_MAIL_ANSWER_H

#include "mail/send.h"

enum { CV_MAIL_SHOWN_BYTES = 4000 }; /* of a content that a list shows; `mail read` shows all of it */

typedef struct {
    cv_mail_message row;
    cv_mail_delivery delivery; /* message_id absent: of no mailbox */
    cv_str from;               /* the sender's id */
    cv_str state, reason;
    cv_str params, data, extra; /* JSON; data only of an envelope */
    cv_str output, error;       /* JSON */
    cv_str to;                  /* JSON list, as it was addressed */
    cv_str lease_until, claimed_at, settled_at, superseded_by;
    cv_str sent_at; /* absent: when it was accepted */
    int64_t seq, age_seconds, attempts;
    bool is_cut; /* the content is too long for a list */
    cv_mail_receipts receipts;
} cv_mail_shown;

/* In a list; whole; and of no mailbox (an outbox, a thread). */
extern const cv_shape cv_mail_shown_shape[], cv_mail_whole_shape[], cv_mail_sent_shape[];

/* `delivery` may be NULL. `most`: bytes of the content that are shown, 0: all. */
cv_mail_shown cv_mail_tell(cv_arena *a, const cv_mail_message *message, const cv_mail_delivery *delivery,
                           int64_t now_ms, size_t most);

/* The messages of some deliveries, told; one question to the record for all of them. */
typedef struct {
    cv_mail_shown *items;
    size_t count, capacity;
} cv_mail_shown_list;
bool cv_mail_tell_all(cv_call *call, const cv_row_list *deliveries, int64_t now_ms, cv_mail_shown_list *ret,
                      cv_err *err);

/* Puts the ids of the senders in the place of their keys. */
bool cv_mail_name_senders(cv_call *call, cv_mail_shown_list *all, cv_err *err);

/* What became of a message in every mailbox. */
bool cv_mail_add_receipts(cv_call *call, const cv_row_list *deliveries, int64_t now_ms, cv_mail_shown *told,
                          cv_err *err);

/* On a command line the beginning of an id is enough: in its place comes the only one that begins so. Several are a
 * fault; when there is none, it stays as it is. */
bool cv_mail_whole_id(cv_call *call, const char *field, cv_str *id);

/* There is no such message. Always false. */
bool cv_mail_refuse_unknown(cv_call *call, cv_str id);

#endif
