/* edit.c - one change of a file and of the log; see edit.h. */
#include "notes/edit.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/limits.h"
#include "kit/fault.h"
#include "notes/operations.h"
#include "notes/threads.h"
#include "notes/words/errors.h"
#include "record/hash.h"

#define CV_THIS_TYPE cv_notes_edit
const cv_shape cv_notes_edit_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, path, "the file, below the project's folder"),
    CV_FIELD(ALWAYS, changed, "false: it says this already"),
    CV_FIELD(ALWAYS, logged, "messages that were entered into dialog_messages"),
    CV_FIELD(ALWAYS, archived, "dialogs that were replaced"),
    CV_FIELD(IF_ANY, first_number, "dialog_message_id of the first new message"),
    CV_FIELD(IF_ANY, last_number, "… of the last one"),
    CV_FIELD_AS(IF_ANY, "thread", thread_number, "dialog_threads_id"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, ""),
    CV_WRITTEN_FROM(0, "log"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

/* ---- finishing --------------------------------------------------------------------------------------------------- */

/* The current text of the file is entered into the log; what was to be there is withdrawn. */
static bool withdraw(cv_call *call, cv_writing *w, const cv_intent *intent, cv_err *err)
{
    cv_notes_log log;
    cv_where where;
    cv_str text;
    cv_notes_file file;
    cv_notes_file_found found = {.path = intent->path};
    cv_err unread = {.arena = call->arena};
    if (!cv_notes_log_begin(&log, call, w, err) || !cv_where_below(call->arena, call->root, intent->path, &where, err))
        return false;
    log.withdrawn = intent->new_sha256;
    if (cv_notes_load(call->arena, where, &text, &unread)) {
        cv_notes_read(call->arena, text, cv_notes_language_of(intent->path), 0, &file);
        cv_notes_gather(call->arena, &file, &found);
    }
    cv_event_row *event = cv_writing_event(w, CV_STR("file"), intent->path, CV_STR("withdrawn"));
    event->reason = CV_STR("somebody else changed the file before the change reached it");
    return cv_notes_log_file(&log, &found, err) &&
           cv_intent_drop(call->record, cv_notes_scope(), &cv_note_intent_type, intent->path, err);
}

/* Are these bytes those that the change was to put there, or those that it took out? */
static bool is_of_change(cv_arena *a, const cv_intent *intent, cv_str bytes)
{
    cv_str sha256 = cv_hash_text(a, bytes);
    return cv_str_eq(sha256, intent->new_sha256) || cv_str_eq(sha256, intent->old_sha256);
}

/* What a killed writer left beside the file: temporary files, and NAME.before-N on its way there or back (base/file.c).
 */
static void sweep(cv_call *call, const cv_intent *intent)
{
    cv_arena *a = call->arena;
    cv_where file = {call->root, intent->path.p}, folder = cv_where_folder(a, file);
    cv_str beside = cv_arena_printf(a, "%s.before-", cv_where_name(file)), bytes;
    cv_folder_entries entries;
    cv_err unread = {.arena = a};
    cv_folder_sweep(a, cv_where_path(a, folder));
    if (!cv_folder_list(a, folder, &entries, &unread))
        return;
    for (size_t i = 0; i < entries.count; i++) {
        cv_where kept = cv_where_in(a, folder, entries.items[i].name);
        if (cv_str_starts(cv_str_of(entries.items[i].name), beside) &&
            cv_file_read_at(a, kept, CV_MAX_FILE_BYTES, &bytes, &unread) && is_of_change(a, intent, bytes))
            cv_where_unlink(kept);
    }
}

/* Under the lock. */
static bool finish_locked(cv_call *call, cv_writing *w, const cv_intent *intent, bool *ret_changed, cv_err *err)
{
    cv_intent_result result = cv_intent_publish(w, &cv_note_intent_type, call->root, intent->path, err);
    *ret_changed = result == CV_INTENT_CHANGED;
    if (result == CV_INTENT_CHANGED) {
        cv_err_clear(err);
        return withdraw(call, w, intent, err);
    }
    if (result == CV_INTENT_DONE)
        cv_writing_event(w, CV_STR("file"), intent->path, CV_STR("published"));
    return result == CV_INTENT_DONE;
}

static bool find_intent(cv_call *call, cv_str path, cv_intent *ret, bool *ret_found, cv_err *err)
{
    assert(path.n > 0 && path.p[0] != '/' && "paths of the log are below the project");
    *ret = (cv_intent){.path = path};
    return cv_record_get(call->record, call->arena, cv_notes_scope(), &cv_note_intent_type, ret, ret_found, err);
}

bool cv_edit_finish(cv_call *call, cv_str path, bool own, bool *ret_found, bool *ret_changed, cv_err *err)
{
    cv_writing w;
    cv_intent intent;
    cv_written written;
    *ret_found = *ret_changed = false;
    if (!find_intent(call, path, &intent, ret_found, err) || !*ret_found)
        return !*ret_found && !err->code;
    if (!cv_writing_begin(&w, call->record, call->arena, cv_notes_scope(), CV_STR(""), cv_call_now(call), err))
        return false;
    bool ok = find_intent(call, path, &intent, ret_found, err);
    if (ok && *ret_found) {
        ok = finish_locked(call, &w, &intent, ret_changed, err);
        const cv_request request = {.op_id = cv_arena_printf(call->arena, "publish-%lld-%.*s", (long long)w.at.rev + 1,
                                                             CV_FMT(intent.new_sha256)),
                                    .digest = intent.new_sha256,
                                    .operation = CV_STR("notes repair")};
        w.agent = call->who.name;
        w.standing = call->who.standing;
        ok = ok && cv_writing_commit(&w, &request, CV_STR("{}"), &written, err);
    }
    cv_writing_end(&w);
    if (ok && *ret_found && !own)
        sweep(call, &intent);
    return ok;
}

/* ---- the change -------------------------------------------------------------------------------------------------- */

static bool read_file(cv_notes_edit *e, cv_err *err)
{
    struct stat st;
    cv_arena *a = e->call->arena;
    e->exists = cv_where_look(e->where, &st);
    if (!e->exists && errno != ENOENT)
        return cv_where_check(e->where, err) &&
               cv_system_fail(err, cv_where_path(a, e->where), "look at the file", errno);
    e->before = CV_STR("");
    if (e->exists && !cv_notes_load(a, e->where, &e->before, err)) {
        cv_err_field(err, CV_STR("path"));
        return false;
    }
    cv_notes_read(a, e->before, cv_notes_language_of(e->path), 0, &e->file);
    e->after = e->before;
    return true;
}

static void add_warnings(cv_notes_edit *e, const cv_notices *more)
{
    for (size_t i = 0; i < more->count; i++)
        *cv_notice_add(&e->warnings, e->call->arena, more->items[i].type, "%s", "") = more->items[i];
}

/* Enters what the file says, and will say, into the log, and keeps the new bytes. */
static bool put_change(cv_notes_edit *e, cv_writing *w, cv_err *err)
{
    assert(e->changed == (!e->exists || !cv_str_eq(e->after, e->before)));
    cv_arena *a = e->call->arena;
    cv_notes_log log;
    cv_notes_file now;
    cv_note_file row;
    bool known;
    cv_notes_file_found before = {.path = e->path}, after = {.path = e->path};
    cv_notes_read(a, e->after, e->file.language, 0, &now);
    cv_notes_gather(a, &e->file, &before);
    cv_notes_gather(a, &now, &after);
    if (!cv_notes_log_begin(&log, e->call, w, err) ||
        !cv_notes_file_row(e->call->record, a, e->path, &row, &known, err))
        return false;
    log.body_moves =
        e->describes || (e->is_note && known && row.body_sha256.p && cv_str_eq(row.body_sha256, before.body_sha256));
    if (e->thread.p && !cv_notes_thread_find(e->call, w, e->thread, &log.thread, err))
        return false;
    int64_t first = log.last_number + 1;
    const cv_found_note *header = cv_notes_header_dialog(&e->file) ? &before.notes[0] : NULL;
    if (!cv_notes_log_edit(&log, header, &after, err))
        return false;
    e->logged = log.logged;
    e->archived =
        log.replaced + (header && log.logged > 0 && log.replaced == 0 && cv_str_eq(e->what, CV_STR("header")));
    e->thread_number = log.thread;
    e->first_number = log.logged ? first : CV_ABSENT;
    e->last_number = log.logged ? log.last_number : CV_ABSENT;
    e->warnings = log.warnings;
    add_warnings(e, &e->own_warnings);
    add_warnings(e, &e->name_warnings);
    if (e->changed) {
        cv_writing_event(w, CV_STR("file"), e->path, e->what);
        cv_intent_keep(w, &cv_note_intent_type, e->path, e->exists ? e->before : (cv_str){NULL, 0}, e->after);
    }
    return true;
}

/* A change that another process has just committed, and not published yet. */
static bool finish_first(cv_call *call, cv_writing *w, const cv_intent *intent, cv_err *err)
{
    if (cv_intent_publish(w, &cv_note_intent_type, call->root, intent->path, err) != CV_INTENT_DONE)
        return false;
    cv_writing_event(w, CV_STR("file"), intent->path, CV_STR("published"));
    return true;
}

static bool work(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    cv_notes_edit *e = ctx;
    cv_err err = {.arena = call->arena};
    cv_intent intent;
    bool pending;
    size_t faults = call->errs->count;
    e->own_warnings = (cv_notices){0};
    bool ok = find_intent(call, e->path, &intent, &pending, &err) &&
              (!pending || finish_first(call, w, &intent, &err)) && read_file(e, &err) && e->make(e, &err);
    if (ok) {
        e->changed = !e->exists || !cv_str_eq(e->after, e->before);
        ok = put_change(e, w, &err);
    }
    if (!ok) {
        if (err.code && !err.file.n)
            cv_err_file(&err, e->path);
        return call->errs->count > faults && !err.code ? false : cv_call_fail(call, &err);
    }
    *ret_result = cv_shape_text(call->arena, cv_notes_edit_shape, e);
    return true;
}

/* Somebody who may not write the file learns it before anything is said in the log. */
static bool may_write(const cv_notes_edit *e, cv_err *err)
{
    struct stat st;
    cv_str path = cv_str_of(e->where.path);
    if (cv_str_starts(path, CV_STR(".conclave/")) || cv_str_starts(path, CV_STR(".git/")) || path.n == 0) {
        cv_err_set(err, CV_ERR_INVALID_VALUE, "'%.*s' belongs to %s", CV_FMT(path),
                   path.n && path.p[1] == 'g' ? "git" : "the record");
        cv_err_suggest(err, CV_STR("name a file of the project"));
        return false;
    }
    if (!cv_where_check(e->where, err))
        return false;
    if (!cv_where_look(e->where, &st) || !S_ISREG(st.st_mode)) /* what is not a file is refused when it is read */
        return true;
    int fd = cv_where_open(e->where, O_WRONLY, "write the file", err);
    if (fd < 0)
        return false;
    close(fd);
    return true;
}

bool cv_edit_run(cv_call *call, cv_str operation, cv_notes_edit *edit)
{
    assert(edit->make && edit->what.n > 0);
    cv_err err = {.arena = call->arena};
    cv_str path = cv_json_get_text(call->input, "path");
    bool found, changed;
    edit->call = call;
    edit->thread_number = edit->first_number = edit->last_number = CV_ABSENT;
    edit->thread = cv_json_get_text(call->input, "thread");
    if (!cv_notes_where(call, path, &edit->where, &err) || !may_write(edit, &err)) {
        if (!err.field.n)
            cv_err_field(&err, CV_STR("path"));
        return cv_call_fail(call, &err);
    }
    edit->path = cv_str_of(edit->where.path);
    if (!cv_edit_finish(call, edit->path, false, &found, &changed, &err))
        return cv_call_fail(call, &err);
    if (!cv_request_locked(call, operation, cv_notes_scope(), work, edit))
        return false;
    if (!cv_edit_finish(call, edit->path, true, &found, &changed, &err)) {
        cv_intent_suggest(&err);
        return cv_call_fail(call, &err);
    }
    if (!changed)
        return true;
    cv_err_set(&err, CV_ERR_FILE_CHANGED,
               "somebody else changed the file meanwhile: it was left as it is, and your "
               "messages are in the log as withdrawn");
    cv_err_file(&err, edit->path);
    cv_err_suggest(&err, CV_STR("read the file again and send the request again"));
    return cv_call_fail(call, &err);
}
