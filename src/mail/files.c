/* files.c - what happens around an operation; see files.h. */
#include "mail/files.h"

#include <time.h>

#include "base/log.h"
#include "mail/files/door.h"

void cv_mail_handled_add(cv_arena *a, cv_mail_handled_list *list, const cv_mail_handled *file)
{
    if (list->count == CV_MAIL_FILES_TOLD) {
        list->left_out++;
        return;
    }
    *CV_PUSH(a, list) = (cv_mail_handled){cv_arena_copy(a, file->agent), cv_arena_copy(a, file->file),
                                          cv_arena_copy(a, file->outcome), cv_arena_copy(a, file->reason)};
}

/* What a pass over the folders does. */
typedef enum {
    TAKE = 1,   /* takes in what others have put there */
    ALWAYS = 2, /* … and looks at everything, even if nothing seems to have changed */
} passing;

/* Which commit the files have to show: the last one. */
static bool rev_now(const cv_mail_door *door, int64_t *ret_rev, cv_err *err)
{
    cv_scope_position at;
    if (!door->record->calls->begin(door->record, door->arena, cv_mail_scope(), &at, err))
        return false;
    door->record->calls->end(door->record);
    *ret_rev = at.rev;
    return true;
}

/* Of many who wait to show what is new, the next to get the lock does the work of all. The others find that it is done:
 * *ret_locked is false, as if another process had the lock, which goes with the handle of the folder. */
static bool lock_or_leave(cv_mail_door *door, unsigned how, bool *ret_locked, cv_err *err)
{
    int64_t rev;
    if (how & TAKE)
        return cv_door_lock(door, true, ret_locked, err);
    if (!cv_door_lock(door, false, ret_locked, err) || *ret_locked)
        return !err->code;
    if (!rev_now(door, &rev, err) || !cv_door_lock(door, true, ret_locked, err))
        return false;
    *ret_locked = !cv_door_has_shown(door, rev);
    return true;
}

/* The lock is taken if there is something to do. Where nothing is to be taken in, and another process has the lock,
 * that one writes what is new. */
static bool pass_open(cv_mail_door *door, unsigned how, cv_err *err)
{
    bool settled = false, shown = false, locked;
    if (how == TAKE && (!cv_door_is_settled(door, &settled, err) || (settled && !cv_door_is_shown(door, &shown, err))))
        return false;
    if (settled && shown) {
        cv_door_was_looked_at(door);
        return true;
    }
    bool ok = settled ? cv_door_lock(door, false, &locked, err) : lock_or_leave(door, how, &locked, err);
    if (!ok || !locked)
        return ok;
    door->marks_hold = cv_door_marks_hold(door);
    if (how & TAKE && !settled) {
        ok = cv_door_begin_taking(door, err) && cv_door_take_in(door, err);
        door->marks_hold |= ok; /* everything was looked at */
    }
    ok = ok && cv_door_catch_up(door, err);
    if (ok)
        cv_door_end_marking(door);
    if (ok && how & TAKE)
        cv_door_was_looked_at(door);
    return ok;
}

static bool pass(cv_call *call, unsigned how, cv_mail_traffic *ret, cv_err *err)
{
    cv_mail_door door = cv_door_begin(call);
    bool wanted, open;
    if ((how & TAKE) && cv_door_is_untouched(&door) && !(how & ALWAYS))
        return true;
    if (!cv_door_open(&door, false, &open, err))
        return false;
    if (!open && /* without the folder there are no files; it is made once there are agents */
        (!cv_agents_any(call->record, &wanted, err) || (wanted && !cv_door_open(&door, true, &open, err))))
        return false;
    if (!open)
        return true;
    bool ok = pass_open(&door, how, err);
    cv_door_close(&door);
    *ret = (cv_mail_traffic){door.taken, door.refused, door.written, door.waiting, door.files};
    return ok;
}

/* With memory of its own: a pass over many files is not the caller's to keep. */
static bool pass_apart(cv_call *call, unsigned how, cv_mail_traffic *ret, cv_err *err)
{
    cv_arena a = {0};
    cv_errs errs = {0};
    cv_err own_err = {.arena = &a};
    cv_call own = *call;
    own.arena = &a;
    own.errs = &errs;
    *ret = (cv_mail_traffic){0};
    cv_where_hold(call->root);
    bool ok = pass(&own, how, ret, &own_err);
    cv_where_release();
    if (!ok)
        cv_err_copy(err, &own_err);
    cv_mail_handled_list files = ret->files;
    ret->files = (cv_mail_handled_list){.left_out = files.left_out};
    for (size_t i = 0; i < files.count; i++)
        cv_mail_handled_add(call->arena, &ret->files, &files.items[i]);
    cv_arena_release(&a);
    return ok;
}

bool cv_mail_pass(cv_call *call, cv_mail_traffic *ret, cv_err *err)
{
    return !call->root || !call->record || pass_apart(call, TAKE | ALWAYS, ret, err);
}

bool cv_mail_files_behind(const cv_err *err)
{
    cv_str why = cv_err_text(err);
    cv_log_line("the files of the mail are not up to date: %.*s", CV_FMT(why));
    return true;
}

bool cv_mail_take_in(cv_call *call, cv_err *err)
{
    cv_mail_traffic traffic;
    if (call->root && call->record && !pass_apart(call, TAKE, &traffic, err)) {
        cv_mail_files_behind(err);
        cv_err_clear(err);
    }
    return true;
}

bool cv_mail_make_places(cv_call *call, cv_err *err)
{
    cv_mail_door door = cv_door_begin(call);
    bool open, locked;
    if (!cv_door_open(&door, true, &open, err) || !open)
        return !err->code;
    bool ok = cv_door_lock(&door, true, &locked, err) &&
              cv_door_make_folders(&door, cv_json_get_text(call->input, "agent_id"), err);
    cv_door_close(&door);
    return ok;
}

void cv_mail_files_take(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_mail_take_in(call, &err);
}

/* What cannot be watched is looked at from time to time. */
void cv_mail_files_watch(cv_call *call, cv_notify *n)
{
    cv_arena a = {0};
    cv_call own = *call;
    cv_err err = {.arena = &a};
    own.arena = &a;
    cv_mail_door door = cv_door_begin(&own);
    if (call->root)
        cv_door_watch(&door, n, &err);
    cv_arena_release(&a);
}

bool cv_mail_run(cv_call *call, cv_handler handler)
{
    cv_err err = {.arena = call->arena};
    cv_mail_traffic traffic;
    bool done = handler(call);
    bool wrote = done && call->operation.p && !call->taking_in && !call->holds && call->root;
    if (wrote && !pass_apart(call, 0, &traffic, &err))
        cv_mail_files_behind(&err);
    return done;
}
