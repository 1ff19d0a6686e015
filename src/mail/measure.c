/* measure.c - figures about a post office for the operator of a server: kit/metric.h. */
#include "mail/room.h"
#include "mail/writing.h"

bool cv_mail_measure(cv_call *call, cv_metrics *ret, cv_err *err)
{
    int64_t now = cv_mail_now(call), waiting = 0, dead = 0, stuck = 0, oldest = 0;
    cv_row_list rows = {0};
    const cv_find find = {.type = &cv_mail_mailbox_type, .scope = cv_mail_scope()};
    if (!cv_record_rows(call->record, call->arena, &find, &rows, err))
        return false;
    for (size_t i = 0; i < rows.count; i++) {
        cv_mail_mailbox m = *(const cv_mail_mailbox *)rows.items[i];
        int64_t age = CV_ABSENT, here;
        if (!cv_mail_count_late(call->record, &m, now, &here, err) ||
            (m.waiting > 0 && !cv_mail_oldest_of(call->record, call->arena, m.agent, now, &age, err)))
            return false;
        waiting += m.waiting;
        dead += m.dead;
        stuck += here;
        oldest = age > oldest ? age : oldest;
    }
    const cv_metric all[] = {
        {"mail_waiting", "Messages that are not finished, in all mailboxes.", waiting},
        {"mail_oldest_unread_seconds", "Age of the oldest message that is not finished.", oldest},
        {"mail_stuck_leases", "Messages that were claimed, and whose lease is over.", stuck},
        {"mail_dead_letters", "Messages that were given up.", dead},
    };
    for (size_t i = 0; i < CV_COUNT(all); i++)
        *CV_PUSH(call->arena, ret) = all[i];
    return true;
}
