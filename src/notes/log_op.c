/* log_op.c - `notes log` and `notes repair`: files into the log, once; changes that somebody was killed in, finished.
 *
 *     log      what was begun is finished -> files are read by several threads -> under the lock: those that the log
 *              does not have as they are now are read again and entered; notes of files that are gone are marked
 *     repair   each intent that is left: published, or withdrawn where somebody else has changed the file
 */
#include "base/map.h"
#include "kit/request.h"
#include "notes/edit.h"
#include "notes/operations.h"

/* ---- repair ------------------------------------------------------------------------------------------------------ */

typedef struct {
    cv_str path, outcome;
} mended;

typedef struct {
    cv_call *call;
    struct {
        mended *items;
        size_t count, capacity;
    } files;
    size_t published, withdrawn;
} repairs;

#define CV_THIS_TYPE mended
static const cv_shape mended_shape[] = {
    CV_FIELD(ALWAYS, path, ""),
    CV_FIELD(ALWAYS, outcome,
             "published: file and log have the change; withdrawn: neither has, for somebody else changed the file"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE repairs
const cv_shape cv_notes_repair_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, published, "changes that were finished"),
    CV_FIELD(ALWAYS, withdrawn, "changes that were given up"),
    CV_LIST("files", files.items, files.count, mended_shape, ""),
    {0},
};
#undef CV_THIS_TYPE

static bool mend(void *ctx, const cv_intent *intent, cv_err *err)
{
    repairs *r = ctx;
    bool found, changed;
    if (!cv_edit_finish(r->call, intent->path, false, &found, &changed, err))
        return false;
    if (!found) /* somebody else was faster */
        return true;
    r->published += !changed;
    r->withdrawn += changed;
    *CV_PUSH(r->call->arena, &r->files) = (mended){intent->path, changed ? cv_note_withdrawn : CV_STR("published")};
    return true;
}

static bool mend_all(repairs *r, cv_err *err)
{
    return cv_intent_each(r->call->record, r->call->arena, cv_notes_scope(), &cv_note_intent_type, mend, r, err);
}

bool cv_notes_op_repair(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    repairs r = {.call = call};
    if (!mend_all(&r, &err))
        return cv_call_fail(call, &err);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_notes_repair_shape, &r);
    return true;
}

/* ---- log --------------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_call *call;
    cv_notes_found found;
    bool markdown;
    cv_map known;     /* path -> cv_note_file */
    cv_map seen;      /* paths of found files */
    cv_row_list rows; /* cv_note_file */
    size_t files, dialogs, logged, replaced, gone, unreadable;
    cv_notices warnings;
} logging;

#define CV_THIS_TYPE logging
const cv_shape cv_notes_log_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, files, "that were read"),
    CV_FIELD_AS(ALWAYS, "found", dialogs, "dialogs in them"),
    CV_FIELD(ALWAYS, logged, "of these, new in dialog_messages"),
    CV_FIELD(ALWAYS, replaced, "header dialogs that were replaced"),
    CV_FIELD(ALWAYS, gone, "notes that are not in their files any more"),
    CV_FIELD(IF_ANY, unreadable, "files"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, ""),
    CV_WRITTEN_FROM(0, "log"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

static bool read_known(logging *l, cv_err *err)
{
    const cv_find find = {.type = &cv_note_file_type, .scope = cv_notes_scope()};
    l->known = (cv_map){0};
    if (!cv_record_rows(l->call->record, l->call->arena, &find, &l->rows, err))
        return false;
    for (size_t i = 0; i < l->rows.count; i++) {
        const cv_note_file *row = l->rows.items[i];
        *cv_map_put(&l->known, l->call->arena, row->path, NULL) = (uintptr_t)row;
    }
    return true;
}

static bool is_known(const logging *l, const cv_notes_file_found *f)
{
    const uintptr_t *at = cv_map_get(&l->known, f->path);
    return at && cv_str_eq(((const cv_note_file *)*at)->sha256, f->sha256);
}

/* The file as it is now that nobody else can write to the log. */
static bool read_again(logging *l, cv_notes_file_found *f, cv_err *unread)
{
    cv_str text;
    cv_notes_file file;
    cv_where where = {l->call->root, f->path.p};
    cv_err_clear(unread);
    if (!cv_notes_load(l->call->arena, where, &text, unread))
        return false;
    cv_notes_read(l->call->arena, text, cv_notes_language_of(f->path), l->markdown ? CV_NOTES_MARKDOWN : 0, &file);
    cv_notes_gather(l->call->arena, &file, f);
    return true;
}

static bool is_below(cv_str path, cv_str top)
{
    return top.n == 0 || cv_str_eq(path, top) || (cv_str_starts(path, top) && path.p[top.n] == '/');
}

static bool was_asked(const logging *l, cv_str path)
{
    for (size_t i = 0; i < l->found.top_count; i++)
        if (is_below(path, cv_str_of(l->found.tops[i].path)))
            return true;
    return false;
}

static void add_unreadable(logging *l, cv_notes_log *log, cv_str path, cv_str why)
{
    l->unreadable++;
    cv_notice_add(&log->warnings, l->call->arena, CV_STR("unreadable"), "%.*s: skipped: %.*s", CV_FMT(path),
                  CV_FMT(why));
}

static bool log_found(logging *l, cv_notes_log *log, cv_err *err)
{
    cv_err unread = {.arena = l->call->arena};
    for (size_t i = 0; i < l->found.count; i++) {
        cv_notes_file_found *f = &l->found.items[i];
        *cv_map_put(&l->seen, l->call->arena, f->path, NULL) = 1;
        if (f->trouble.p) {
            add_unreadable(l, log, f->path, f->trouble);
            continue;
        }
        if (!is_known(l, f)) {
            if (!read_again(l, f, &unread))
                continue;
            if (!is_known(l, f) && (f->count || cv_map_get(&l->known, f->path)) && !cv_notes_log_file(log, f, err))
                return false;
        }
        l->dialogs += f->counted;
    }
    return true;
}

/* Files that the log knows and the walk did not meet: they are gone, have no notes any more, or lie where nobody
 * looks. Those in a folder that nobody may look into are not gone. */
static bool log_missing(logging *l, cv_notes_log *log, cv_err *err)
{
    cv_err unread = {.arena = l->call->arena};
    for (size_t i = 0; i < l->rows.count; i++) {
        const cv_note_file *row = l->rows.items[i];
        cv_notes_file_found f = {.path = row->path};
        if (!row->sha256.p || cv_map_get(&l->seen, f.path) || !was_asked(l, f.path))
            continue;
        bool readable = read_again(l, &f, &unread);
        bool refused = !readable && (unread.code == CV_ERR_IO || unread.code == CV_ERR_NO_ACCESS);
        if (refused)
            add_unreadable(l, log, f.path, unread.message);
        if (refused || (readable && is_known(l, &f)))
            continue;
        if (!(readable ? cv_notes_log_file(log, &f, err) : cv_notes_log_gone(log, f.path, err)))
            return false;
    }
    return true;
}

static bool work(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    logging *l = ctx;
    cv_err err = {.arena = call->arena};
    cv_notes_log log;
    if (!read_known(l, &err) || !cv_notes_log_begin(&log, call, w, &err) || !log_found(l, &log, &err) ||
        !log_missing(l, &log, &err))
        return cv_call_fail(call, &err);
    l->logged = log.logged;
    l->replaced = log.replaced;
    l->gone = log.gone;
    l->warnings = log.warnings;
    w->idle = l->dialogs == 0;
    *ret_result = cv_shape_text(call->arena, cv_notes_log_shape, l);
    return true;
}

bool cv_notes_op_log(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    logging *l = CV_NEW(call->arena, logging);
    repairs r = {.call = call};
    l->call = call;
    l->markdown = cv_json_get_true(call->input, "markdown");
    if (!mend_all(&r, &err) ||
        !cv_notes_find(call, CV_FIND_IN_PROJECT | CV_FIND_DIGESTS | (l->markdown ? CV_FIND_MARKDOWN : CV_FIND_NEW),
                       &l->found, &err))
        return cv_call_fail(call, &err);
    l->files = l->found.looked;
    return cv_request_locked(call, CV_STR("notes log"), cv_notes_scope(), work, l);
}
