/* mailbox.h - mailbox_N.json as it is found: the five members of the specification, and the shapes of the wild.
 *
 *     {"status": "online", "assigned_agent_id": "A", "last_seen_utc": "…", "messages": […],
 *      "processed_message_ids": […]}
 *     […]                                                     messages only
 *     {"incoming": […], "outgoing": […], "processed_ids": […]}
 *     {"mailbox_id": …, "claimed": …, "messages": […]}
 *
 * Messages stay objects of the text: message.h reads them one by one, so that one that is wrong does not hide the
 * others.
 */
#ifndef CV_MAIL_TEXT_MAILBOX_H
#define CV_MAIL_TEXT_MAILBOX_H

#include "mail/text/repair.h"

typedef struct {
    cv_str status;            /* as it was written; absent: none */
    cv_str agent;             /* assigned_agent_id; absent: none, or null */
    cv_str last_seen;         /* as it was written */
    const cv_json *messages;  /* NULL: there are none */
    const cv_json *processed; /* NULL: there are none */
} cv_mtext_mailbox;

/* False: it is neither an object nor a list, or what should be a list in it is none. */
bool cv_mtext_mailbox_read(const cv_json *value, cv_mtext_mailbox *ret, cv_err *err);

#endif
