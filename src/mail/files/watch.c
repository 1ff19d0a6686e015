/* watch.c - mail watch: takes files in and writes them as soon as something changes, until the time is over. */
#include "base/monotonic.h"
#include "base/notify.h"
#include "mail/files.h"
#include "mail/operations.h"

enum { SOON_MS = 250 }; /* a file that may still grow is looked at again */

typedef struct {
    int64_t taken, refused, written, waiting;
    cv_mail_handled_list files; /* those of all looks; those that wait are of the last one */
} watched;

#define CV_THIS_TYPE cv_mail_handled
static const cv_shape file_shape[] = {
    CV_FIELD(ALWAYS, agent, "in whose folder"),
    CV_FIELD(ALWAYS, file, ""),
    CV_FIELD(ALWAYS, outcome, "taken; refused: it is in quarantine/; returned to the folder it came from; waiting"),
    CV_FIELD(IF_ANY, reason, "why it was not taken, or was without its output"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE watched
const cv_shape cv_mail_watch_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, taken, "files that were read in"),
    CV_FIELD(ALWAYS, refused, "… that went to a quarantine"),
    CV_FIELD(ALWAYS, written, "… that were written"),
    CV_FIELD(ALWAYS, waiting, "files that may still be written to: look again"),
    CV_LIST("files", files.items, files.count, file_shape, "the first 100 of these, without the written ones"),
    CV_FIELD_AS(IF_ANY, "files_left_out", files.left_out, "further ones"),
    {0},
};
#undef CV_THIS_TYPE

/* What waits is told as it is at the last look; what is settled stays. */
static void remember(cv_arena *a, watched *w, const cv_mail_handled_list *now)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->files.count; i++)
        if (!cv_str_eq(w->files.items[i].outcome, CV_STR("waiting")))
            w->files.items[kept++] = w->files.items[i];
    w->files.count = kept;
    for (size_t i = 0; i < now->count; i++)
        cv_mail_handled_add(a, &w->files, &now->items[i]);
    w->files.left_out += now->left_out;
}

static bool look(cv_call *call, watched *w, cv_err *err)
{
    cv_mail_traffic now;
    cv_arena a = {0};
    cv_call own = *call;
    own.arena = &a;
    own.taking_in = true;
    bool ok = cv_mail_pass(&own, &now, err);
    if (ok)
        remember(call->arena, w, &now.files);
    cv_arena_release(&a);
    if (!ok)
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
    int64_t seconds = cv_json_get_int(call->input, "seconds", -1), begin = cv_monotonic_ms();
    int64_t until = seconds < 0 ? INT64_MAX : begin + seconds * 1000;
    cv_notify n = {0};
    watched w = {0};
    bool ok = look(call, &w, &err);
    while (ok && cv_monotonic_ms() < until) {
        int64_t soon = cv_monotonic_ms() + SOON_MS;
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
