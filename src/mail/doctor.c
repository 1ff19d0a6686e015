/* doctor.c - what `conclave doctor` finds about a post office: dead letters, and mail that nobody reads. */
#include "mail/files.h"
#include "mail/room.h"
#include "mail/writing.h"

enum { STALE_SECONDS = 86400 }; /* mail that waits longer, for somebody who is not there, is told */

/* Mail for somebody who is not there. */
static bool examine_mailbox(cv_doctor *d, const cv_mail_mailbox *mailbox, int64_t waiting, int64_t now, cv_err *err)
{
    cv_mail_life life;
    int64_t oldest;
    if (waiting == 0)
        return true;
    if (!cv_mail_life_of(d->call.record, d->call.arena, mailbox->agent, now, &life, err) ||
        !cv_mail_oldest_of(d->call.record, d->call.arena, mailbox->agent, now, &oldest, err))
        return false;
    if (oldest <= STALE_SECONDS || !cv_str_eq(life.status, CV_STR("offline")))
        return true;
    cv_doctor_finding *f =
        cv_doctor_say(d, "mail", CV_DOCTOR_WARNING, "%lld message%s wait%s for '%.*s', the oldest for more than a day",
                      (long long)waiting, CV_PLURAL(waiting), waiting == 1 ? "s" : "", CV_FMT(mailbox->agent_id));
    f->remedy = cv_call_name(&d->call, CV_STR("mail inbox"), mailbox->agent_id, NULL, 0);
    return true;
}

void cv_mail_doctor(cv_doctor *d)
{
    cv_err err = {.arena = d->call.arena};
    int64_t now = cv_mail_now(&d->call), waiting = 0, dead = 0;
    cv_row_list rows = {0};
    const cv_find find = {.type = &cv_mail_mailbox_type, .scope = cv_mail_scope()};
    bool ok = cv_record_rows(d->call.record, d->call.arena, &find, &rows, &err);
    for (size_t i = 0; ok && i < rows.count; i++) {
        const cv_mail_mailbox *mailbox = rows.items[i];
        int64_t here = 0;
        ok = cv_mail_waiting_of(d->call.record, mailbox, now, &here, &err) &&
             examine_mailbox(d, mailbox, here, now, &err);
        waiting += here;
        dead += mailbox->dead;
    }
    if (!ok) {
        cv_doctor_fail(d, "mail", CV_DOCTOR_ERROR, &err);
    } else if (dead > 0) {
        cv_doctor_finding *f =
            cv_doctor_say(d, "mail", CV_DOCTOR_NOTE, "%lld dead letter%s", (long long)dead, CV_PLURAL(dead));
        f->remedy = cv_call_name(&d->call, CV_STR("mail dead"), CV_STR(""), NULL, 0);
    } else if (rows.count > 0) {
        cv_doctor_say(d, "mail", CV_DOCTOR_OK, "%zu mailbox%s, %lld message%s waiting", rows.count,
                      rows.count == 1 ? "" : "es", (long long)waiting, CV_PLURAL(waiting));
    }
    cv_mail_doctor_files(d);
}
