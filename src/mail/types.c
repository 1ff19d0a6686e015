/* types.c - the tables of the mail room; see types.h. */
#include "mail/types.h"

#include "base/json.h"
#include "mail/prompt_types.h"
#include "mail/words/words.h"

/* ---- what a search sees ------------------------------------------------------------------------------------------ */

static cv_str people_of(cv_arena *a, cv_str one, cv_str more)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_json_begin_array(&w);
    cv_json_str(&w, one);
    if (more.n > 0)
        cv_json_str(&w, more);
    cv_json_end_array(&w);
    return cv_buf_take(&text, a);
}

static bool search_message(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_mail_message *m = row;
    *ret = (cv_search_text){.kind = CV_STR("message"),
                            .id = m->message_id,
                            .ids = m->task_id.p
                                       ? cv_arena_printf(a, "%.*s %.*s", CV_FMT(m->message_id), CV_FMT(m->task_id))
                                       : m->message_id,
                            .title = m->command,
                            .body = m->content.p ? m->content : CV_STR(""),
                            .people = people_of(a, m->sender, CV_STR(""))};
    return true;
}

static bool search_task(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_mail_task *t = row;
    *ret = (cv_search_text){.kind = CV_STR("task"),
                            .id = cv_arena_printf(a, "%.*s/%.*s", CV_FMT(t->plan), CV_FMT(t->task_id)),
                            .ids = cv_arena_printf(a, "%.*s %.*s", CV_FMT(t->plan), CV_FMT(t->task_id)),
                            .title = t->action,
                            .body = t->params.p ? t->params : CV_STR(""),
                            .status = t->status,
                            .people = people_of(a, t->target_agent, t->created_by)};
    return true;
}

/* ---- the tables -------------------------------------------------------------------------------------------------- */

#define M cv_mail_message
#define D cv_mail_delivery
#define T cv_mail_task
enum { MESSAGES_BY_REV, MESSAGES_BY_SENDER, MESSAGES_BY_THREAD, MESSAGES_BY_TASK };
static const cv_index message_indexes[] = {
    [MESSAGES_BY_REV] = CV_INDEX("rev", SCOPE, CV_AT(M, rev)),
    [MESSAGES_BY_SENDER] = CV_INDEX("sender", SCOPE, CV_AT(M, sender), CV_AT(M, rev)),
    [MESSAGES_BY_THREAD] = CV_INDEX("thread", SCOPE, CV_AT(M, thread_id), CV_AT(M, rev)),
    [MESSAGES_BY_TASK] = CV_INDEX("task", SCOPE, CV_AT(M, task_id), CV_AT(M, rev)),
};
enum {
    DELIVERIES_BY_TURN,
    DELIVERIES_OPEN,
    DELIVERIES_BY_LEASE,
    DELIVERIES_BY_EXPIRY,
    DELIVERIES_BY_MESSAGE,
    DELIVERIES_DEAD
};
static const cv_index delivery_indexes[] = {
    [DELIVERIES_BY_TURN] = CV_INDEX("turn", SCOPE, CV_AT(D, mailbox), CV_AT(D, turn)),
    [DELIVERIES_OPEN] = CV_INDEX("open", SCOPE, CV_AT(D, mailbox), CV_AT(D, open)),
    [DELIVERIES_BY_LEASE] = CV_INDEX("lease", SCOPE, CV_AT(D, mailbox), CV_AT(D, lease_until)),
    [DELIVERIES_BY_EXPIRY] = CV_INDEX("expiry", SCOPE, CV_AT(D, mailbox), CV_AT(D, open), CV_AT(D, expires_ms)),
    [DELIVERIES_BY_MESSAGE] = CV_INDEX("message", SCOPE, CV_AT(D, message_id)),
    [DELIVERIES_DEAD] = CV_INDEX("dead", SCOPE, CV_AT(D, dead)),
};
static const cv_index slot_indexes[] = {CV_INDEX("free", SCOPE, CV_AT(cv_mail_slot, free))};
enum { TASKS_BY_REV, TASKS_READY, TASKS_READY_FOR, TASKS_BY_ID, TASKS_BY_NUMBER, TASKS_BY_PARENT };
static const cv_index task_indexes[] = {
    [TASKS_BY_REV] = CV_INDEX("rev", SCOPE, CV_AT(T, rev)),
    [TASKS_READY] = CV_INDEX("ready", SCOPE, CV_AT(T, ready), CV_AT(T, number)),
    [TASKS_READY_FOR] = CV_INDEX("ready_for", SCOPE, CV_AT(T, mailbox), CV_AT(T, ready), CV_AT(T, number)),
    [TASKS_BY_ID] = CV_INDEX("id", SCOPE, CV_AT(T, task_id)),
    [TASKS_BY_NUMBER] = CV_INDEX("number", SCOPE, CV_AT(T, plan), CV_AT(T, number)),
    [TASKS_BY_PARENT] = CV_INDEX("parent", SCOPE, CV_AT(T, parent_plan), CV_AT(T, parent), CV_AT(T, number)),
};
#undef M
#undef D
#undef T

const cv_index *const cv_messages_by_sender = &message_indexes[MESSAGES_BY_SENDER];
const cv_index *const cv_messages_by_thread = &message_indexes[MESSAGES_BY_THREAD];
const cv_index *const cv_messages_by_task = &message_indexes[MESSAGES_BY_TASK];
const cv_index *const cv_deliveries_by_turn = &delivery_indexes[DELIVERIES_BY_TURN];
const cv_index *const cv_deliveries_open = &delivery_indexes[DELIVERIES_OPEN];
const cv_index *const cv_deliveries_by_lease = &delivery_indexes[DELIVERIES_BY_LEASE];
const cv_index *const cv_deliveries_by_expiry = &delivery_indexes[DELIVERIES_BY_EXPIRY];
const cv_index *const cv_deliveries_by_message = &delivery_indexes[DELIVERIES_BY_MESSAGE];
const cv_index *const cv_deliveries_dead = &delivery_indexes[DELIVERIES_DEAD];
const cv_index *const cv_slots_free = &slot_indexes[0];
const cv_index *const cv_tasks_ready = &task_indexes[TASKS_READY];
const cv_index *const cv_tasks_ready_for = &task_indexes[TASKS_READY_FOR];
const cv_index *const cv_tasks_by_id = &task_indexes[TASKS_BY_ID];
const cv_index *const cv_tasks_by_number = &task_indexes[TASKS_BY_NUMBER];

static const char *delivery_fault(const void *row)
{
    const cv_mail_delivery *d = row;
    return cv_mail_state_of(d->state) >= CV_MAIL_STATE_COUNT                      ? "in a state that does not exist"
           : d->seq <= 0                                                          ? "without a number"
           : d->attempts < 0 || (d->token != CV_ABSENT && d->token < 0)           ? "with a claim that cannot be"
           : d->lease_until != CV_ABSENT && (d->lease_until < 0 || d->token <= 0) ? "with a lease that cannot be"
                                                                                  : NULL;
}

static const char *mailbox_fault(const void *row)
{
    const cv_mail_mailbox *m = row;
    return m->next_seq <= 0 || m->waiting < 0 || m->done < 0 || m->dead < 0 || m->expired < 0 || m->superseded < 0 ||
                   m->sent < 0
               ? "with a count that cannot be"
               : NULL;
}

#define CV_THIS_TYPE cv_mail_message
CV_TYPE_TABLE(cv_mail_message, "message", "mail_messages", CV_MAIL_MESSAGE_FIELDS, ADDED, search_message,
              CV_INDEXES(message_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_mail_delivery
CV_TYPE_TABLE(cv_mail_delivery, "delivery", "mail_deliveries", CV_MAIL_DELIVERY_FIELDS, REPLACED, NULL,
              CV_INDEXES(delivery_indexes), .fault = delivery_fault);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_mail_mailbox
CV_TYPE_TABLE(cv_mail_mailbox, "mailbox", "mail_mailboxes", CV_MAIL_MAILBOX_FIELDS, REPLACED, NULL,
              .fault = mailbox_fault);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_mail_slot
CV_TYPE_TABLE(cv_mail_slot, "slot", "mail_slots", CV_MAIL_SLOT_FIELDS, REPLACED, NULL, CV_INDEXES(slot_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_mail_presence
CV_TYPE_TABLE(cv_mail_presence, "presence", "mail_presence", CV_MAIL_PRESENCE_FIELDS, VOLATILE, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_mail_plan
CV_TYPE_TABLE(cv_mail_plan, "plan", "mail_plans", CV_MAIL_PLAN_FIELDS, REPLACED, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_mail_task
CV_TYPE_TABLE(cv_mail_task, "task", "mail_tasks", CV_MAIL_TASK_FIELDS, REPLACED, search_task, CV_INDEXES(task_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_mail_need
CV_TYPE_TABLE(cv_mail_need, "need", "mail_needs", CV_MAIL_NEED_FIELDS, ADDED, NULL, .indexes = NULL);
#undef CV_THIS_TYPE

static const cv_type *const types[] = {&cv_mail_message_type, &cv_mail_delivery_type, &cv_mail_mailbox_type,
                                       &cv_mail_slot_type,    &cv_mail_presence_type, &cv_mail_plan_type,
                                       &cv_mail_task_type,    &cv_mail_need_type,     &cv_mail_prompt_type,
                                       &cv_mail_entry_type,   &cv_mail_paper_type,    &cv_mail_value_type};
const cv_room_types cv_mail_records = {CV_STR_INIT("mail"), types, CV_COUNT(types)};

cv_scope_id cv_mail_scope(void)
{
    return (cv_scope_id){CV_STR("mail"), CV_STR("mail")};
}
