/* watch.c - mail watch: takes files in and writes them as soon as something changes, until the time is over. */
#include "base/notify.h"
#include "base/steady.h"
#include "mail/files.h"
#include "mail/operations.h"

enum { SOON_MS = 250 }; /* a file that may still grow is looked at again */

typedef struct {
    int64_t taken, refused, written, waiting;
} watched;

#define CV_THIS_TYPE watched
const cv_shape cv_mail_watch_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, taken, "files that were taken in while it watched"),
    CV_FIELD(ALWAYS, refused, "… that went to a quarantine"),
    CV_FIELD(ALWAYS, written, "… that were written"),
    CV_FIELD(ALWAYS, waiting, "files that may still grow"),
    {0},
};
#undef CV_THIS_TYPE

static bool look(cv_call *call, watched *w, cv_err *err)
{
    cv_mail_traffic now;
    if (!cv_mail_pass(call, &now, err))
        return cv_call_fail(call, err);
    w->taken += (int64_t)now.taken;
    w->refused += (int64_t)now.refused;
    w->written += (int64_t)now.written;
    w->waiting = (int64_t)now.waiting;
    return true;
}

/* Folders that appear meanwhile are watched from the next look on: one that is watched already stays so. */
bool cv_mail_op_watch(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    int64_t seconds = cv_json_get_int(call->input, "seconds", -1), begin = cv_steady_ms();
    int64_t until = seconds < 0 ? INT64_MAX : begin + seconds * 1000;
    cv_notify n = {0};
    watched w = {0};
    bool ok = look(call, &w, &err);
    while (ok && cv_steady_ms() < until) {
        int64_t soon = cv_steady_ms() + SOON_MS;
        cv_mail_files_watch(call, &n);
        ok = cv_call_tell(call, (size_t)w.taken, 0, CV_STR("watching"), &err) || cv_call_fail(call, &err);
        if (ok)
            cv_notify_wait(&n, w.waiting && soon < until ? soon : until);
        ok = ok && look(call, &w, &err);
    }
    cv_notify_close(&n);
    if (ok)
        cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_watch_shape, &w);
    return ok;
}
