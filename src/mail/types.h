/* types.h - what the mail room keeps. One post office is one scope: all mailboxes, messages and tasks of a project.
 *
 *     message    what was sent, once, however many get it; it never changes
 *     delivery   one message in one mailbox: (mailbox, seq) -> state, lease, outcome
 *     mailbox    one agent's: numbers that are given out next, counters, how far it was read
 *     slot       a number for a mailbox: the N of mailbox_N.json
 *     presence   the last sign of life of an agent; volatile
 *     plan       a list of tasks that was sent
 *     task       (plan, task_id) -> who does it, its state, what it waits for
 *     need       a dependency, by the task that is waited for
 *
 * Agents are named by the keys of the registry (kit/agents.h): ids in lower case. `System` and `User` can send, and
 * have no mailbox to read.
 *
 * The state of a delivery:
 *
 *     new ──claim──> claimed ──done──> done
 *      ^               │ │
 *      │    lease over │ └──fail──> failed ──(claimed again, or after the last attempt)──> dead
 *      └───────────────┘                                                                     │
 *     new, failed ── expired, superseded            requeue: dead, failed, expired ──> new <─┘
 *
 * A lease that is over is seen when somebody reads or claims: nothing is written when time passes.
 */
#ifndef CV_MAIL_TYPES_H
#define CV_MAIL_TYPES_H

#include "record/record.h"

/* clang-format off */

/* `writing`: how it was written, "mailbox" (command, params) or "envelope" (type, data). `content` is the object
 * `params` or `data`, byte for byte as it was sent; `extra` the members that the room does not know, as an object.
 * `thread_id`: the first message of the thread; absent in that one. `expires_ms` is `expires_at`. */
#define CV_MAIL_MESSAGE_FIELDS(F)                                                                                      \
    F(TEXT, KEY, message_id) F(TEXT, OUTLINE, sender) F(JSON, OUTLINE, addressed) F(TEXT, OUTLINE, command)            \
    F(TEXT, OUTLINE, writing) F(TEXT, OUTLINE, thread_id) F(TEXT, OUTLINE, correlation_id) F(TEXT, OUTLINE, reply_to)  \
    F(TEXT, OUTLINE, plan) F(TEXT, OUTLINE, task_id) F(INT, OUTLINE, priority) F(TEXT, OUTLINE, expires_at)            \
    F(TEXT, OUTLINE, supersedes) F(INT, OUTLINE, hops) F(TEXT, OUTLINE, sent_at) F(TEXT, OUTLINE, accepted_at)         \
    F(INT, OUTLINE, size) F(TEXT, OUTLINE, standing) F(TEXT, PLAIN, digest) F(TEXT, LONG, content) F(TEXT, LONG, extra)

/* `turn`: its priority while it can be claimed (new, failed). `open`: 1 while something is still to be done with it
 * (new, claimed, failed). `dead`: 1 in that state. `lease_until`: milliseconds, while it is claimed. `token`: of the
 * last claim. */
#define CV_MAIL_DELIVERY_FIELDS(F)                                                                                     \
    F(TEXT, KEY, mailbox) F(INT, KEY, seq) F(TEXT, OUTLINE, message_id) F(TEXT, OUTLINE, state) F(INT, OUTLINE, open)  \
    F(INT, OUTLINE, dead) F(INT, OUTLINE, turn) F(INT, OUTLINE, priority) F(INT, OUTLINE, attempts)                    \
    F(INT, OUTLINE, token) F(INT, OUTLINE, lease_until) F(INT, OUTLINE, expires_ms) F(TEXT, OUTLINE, session)          \
    F(TEXT, OUTLINE, claimed_at) F(TEXT, OUTLINE, settled_at) F(TEXT, OUTLINE, superseded_by)                          \
    F(TEXT, OUTLINE, reason) F(TEXT, LONG, output) F(TEXT, LONG, error)

/* `waiting`: deliveries that are open. `seen`: the number up to which `wait` has returned messages. `minute` and
 * `in_minute`: the minute in which it sent last (since 1970), and how many. */
#define CV_MAIL_MAILBOX_FIELDS(F)                                                                                      \
    F(TEXT, KEY, agent) F(TEXT, OUTLINE, agent_id) F(INT, OUTLINE, slot) F(INT, OUTLINE, next_seq)                     \
    F(INT, OUTLINE, seen) F(INT, OUTLINE, waiting) F(INT, OUTLINE, done) F(INT, OUTLINE, dead)                         \
    F(INT, OUTLINE, expired) F(INT, OUTLINE, superseded) F(INT, OUTLINE, sent) F(TEXT, OUTLINE, last_digest)           \
    F(INT, OUTLINE, minute) F(INT, OUTLINE, in_minute) F(TEXT, OUTLINE, created_at)

#define CV_MAIL_SLOT_FIELDS(F)                                                                                         \
    F(INT, KEY, slot) F(TEXT, OUTLINE, agent) F(INT, OUTLINE, free) F(TEXT, OUTLINE, changed_at)

#define CV_MAIL_PRESENCE_FIELDS(F)                                                                                     \
    F(TEXT, KEY, agent) F(INT, OUTLINE, last_seen) F(TEXT, OUTLINE, session) F(TEXT, OUTLINE, act)

#define CV_MAIL_PLAN_FIELDS(F)                                                                                         \
    F(TEXT, KEY, plan) F(TEXT, OUTLINE, created_by) F(TEXT, OUTLINE, request_id) F(TEXT, OUTLINE, parent_plan)         \
    F(TEXT, OUTLINE, parent) F(INT, OUTLINE, depth) F(INT, OUTLINE, tasks) F(INT, OUTLINE, completed)                  \
    F(INT, OUTLINE, failed) F(TEXT, OUTLINE, created_at) F(TEXT, LONG, goal)

/* `number`: in the order in which tasks came. `waits_for`: how many of its dependencies are not completed. `ready`: its
 * priority while it can be begun. message_id, mailbox, seq: of its delivery, once it has one. */
#define CV_MAIL_TASK_FIELDS(F)                                                                                         \
    F(TEXT, KEY, plan) F(TEXT, KEY, task_id) F(INT, OUTLINE, number) F(TEXT, OUTLINE, action)                          \
    F(TEXT, OUTLINE, target_agent) F(TEXT, OUTLINE, status) F(INT, OUTLINE, priority) F(JSON, OUTLINE, depends_on)     \
    F(INT, OUTLINE, waits_for) F(INT, OUTLINE, ready) F(TEXT, OUTLINE, parent_plan) F(TEXT, OUTLINE, parent)           \
    F(INT, OUTLINE, depth) F(TEXT, OUTLINE, message_id) F(TEXT, OUTLINE, mailbox) F(INT, OUTLINE, seq)                 \
    F(TEXT, OUTLINE, created_by) F(TEXT, OUTLINE, created_at) F(TEXT, OUTLINE, updated_at) F(TEXT, LONG, params)       \
    F(TEXT, LONG, extra)

#define CV_MAIL_NEED_FIELDS(F) F(TEXT, KEY, plan) F(TEXT, KEY, needs) F(TEXT, KEY, task_id)

/* clang-format on */

CV_TYPE_STRUCT(cv_mail_message, CV_MAIL_MESSAGE_FIELDS)
CV_TYPE_STRUCT(cv_mail_delivery, CV_MAIL_DELIVERY_FIELDS)
CV_TYPE_STRUCT(cv_mail_mailbox, CV_MAIL_MAILBOX_FIELDS)
CV_TYPE_STRUCT(cv_mail_slot, CV_MAIL_SLOT_FIELDS)
CV_TYPE_STRUCT(cv_mail_presence, CV_MAIL_PRESENCE_FIELDS)
CV_TYPE_STRUCT(cv_mail_plan, CV_MAIL_PLAN_FIELDS)
CV_TYPE_STRUCT(cv_mail_task, CV_MAIL_TASK_FIELDS)
CV_TYPE_STRUCT(cv_mail_need, CV_MAIL_NEED_FIELDS)

extern const cv_index *const cv_messages_by_sender; /* sender, rev */
extern const cv_index *const cv_messages_by_thread; /* thread_id, rev */
extern const cv_index *const cv_messages_by_task;   /* task_id, rev */

extern const cv_index *const cv_deliveries_by_turn;    /* mailbox, turn: what can be claimed, the most urgent first */
extern const cv_index *const cv_deliveries_open;       /* mailbox, open */
extern const cv_index *const cv_deliveries_by_lease;   /* mailbox, lease_until */
extern const cv_index *const cv_deliveries_by_expiry;  /* mailbox, open, expires_ms: those that are open */
extern const cv_index *const cv_deliveries_by_message; /* message_id */
extern const cv_index *const cv_deliveries_dead;       /* dead */

extern const cv_index *const cv_slots_free;

extern const cv_index *const cv_tasks_ready;     /* ready, number */
extern const cv_index *const cv_tasks_ready_for; /* mailbox, ready, number */
extern const cv_index *const cv_tasks_by_id;     /* task_id */
extern const cv_index *const cv_tasks_by_number; /* plan, number */

extern const cv_room_types cv_mail_records;

/* The scope of the post office whose files lie in .conclave/mail. */
cv_scope_id cv_mail_scope(void);

#endif
