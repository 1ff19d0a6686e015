/* intent.c - changing a file that is the truth; see intent.h. */
#include "kit/intent.h"

#include <assert.h>
#include <errno.h>
#include <sys/stat.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "record/hash.h"

/* A row holds UTF-8 without NUL; other bytes are kept as base64 behind a word that text which begins with it gets,
 * too. */
static const cv_str base64 = CV_STR_INIT("base64:");

static cv_str as_text(cv_arena *a, cv_str bytes)
{
    bool is_text = cv_utf8_valid(bytes) == bytes.n && !(bytes.n && memchr(bytes.p, '\0', bytes.n));
    return is_text && !cv_str_starts(bytes, base64) ? bytes : cv_arena_join(a, base64, cv_base64_url(a, bytes));
}

/* False: it is damaged. */
static bool as_bytes(cv_arena *a, cv_str text, cv_str *ret_bytes)
{
    *ret_bytes = text;
    return !cv_str_starts(text, base64) || cv_base64_url_decode(a, cv_str_from(text, base64.n), ret_bytes);
}

void cv_intent_keep(cv_writing *w, const cv_type *type, cv_str path, cv_str old, cv_str bytes)
{
    const cv_intent row = {.path = path,
                           .old_sha256 = old.p ? cv_hash_text(w->arena, old) : (cv_str){NULL, 0},
                           .new_sha256 = cv_hash_text(w->arena, bytes),
                           .bytes = as_text(w->arena, bytes),
                           .created_at = w->now};
    assert(type->life == CV_VOLATILE && type->size == sizeof row);
    cv_writing_put(w, type, &row);
}

bool cv_intent_drop(cv_record *record, cv_scope_id scope, const cv_type *type, cv_str path, cv_err *err)
{
    const cv_intent row = {.path = path};
    const cv_rows rows = {type, &row, 1};
    return record->calls->drop(record, scope, &rows, err);
}

/* ---- publishing -------------------------------------------------------------------------------------------------- */

/* Only what was read when the intent was made may go. */
static bool is_what_was_read(void *ctx, cv_str bytes, bool unmarked)
{
    const cv_intent *intent = ctx;
    cv_arena a = {0};
    (void)unmarked;
    bool same = cv_str_eq(cv_hash_text(&a, bytes), intent->old_sha256);
    cv_arena_release(&a);
    return same;
}

static cv_intent_result changed(cv_where where, cv_err *err)
{
    cv_err_set(err, CV_ERR_FILE_CHANGED, "somebody else has changed the file: it was left as it is");
    cv_err_file(err, cv_str_of(cv_where_path(err->arena, where)));
    return CV_INTENT_CHANGED;
}

/* The file as it is now; *ret_sha256 absent: there is none. */
static bool look(cv_arena *a, cv_where where, cv_str *ret_sha256, cv_err *err)
{
    struct stat st;
    cv_str bytes;
    *ret_sha256 = (cv_str){NULL, 0};
    if (!cv_where_look(where, &st))
        return errno == ENOENT || errno == ENOTDIR || cv_where_check(where, err);
    if (!cv_file_read_at(a, where, CV_MAX_FILE_BYTES, &bytes, err))
        return false;
    *ret_sha256 = cv_hash_text(a, bytes);
    return true;
}

static cv_intent_result publish(cv_arena *a, cv_intent *intent, cv_where where, cv_err *err)
{
    cv_file_rules rules = {.arena = a, .is_ours = is_what_was_read, .ctx = intent, .gives_way = true};
    cv_str found, bytes;
    if (!look(a, where, &found, err))
        return CV_INTENT_FAILED;
    if (!as_bytes(a, intent->bytes, &bytes) || !cv_str_eq(cv_hash_text(a, bytes), intent->new_sha256)) {
        cv_err_set(err, CV_ERR_CORRUPT, "the record has damaged bytes for a change of '%s'", where.path);
        return CV_INTENT_FAILED;
    }
    if (found.p && cv_str_eq(found, intent->new_sha256))
        return CV_INTENT_DONE;
    if (!found.p != !intent->old_sha256.p || (found.p && !cv_str_eq(found, intent->old_sha256)))
        return changed(where, err);
    if (cv_folder_make_at(cv_where_folder(a, where), err) && cv_file_write_at(where, bytes, &rules, err))
        return CV_INTENT_DONE;
    return err->code == CV_ERR_FILE_CHANGED ? CV_INTENT_CHANGED : CV_INTENT_FAILED;
}

/* Under the lock. */
static cv_intent_result publish_kept(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_type *type,
                                     const char *root, cv_str path, cv_err *err)
{
    cv_intent intent = {.path = path};
    cv_where where;
    bool found;
    if (!cv_record_get(record, a, scope, type, &intent, &found, err) || !cv_where_below(a, root, path, &where, err))
        return CV_INTENT_FAILED;
    if (!found)
        return CV_INTENT_DONE;
    cv_intent_result result = publish(a, &intent, where, err);
    if (result == CV_INTENT_DONE && !cv_intent_drop(record, scope, type, path, err))
        return CV_INTENT_FAILED;
    return result;
}

cv_intent_result cv_intent_publish(cv_writing *w, const cv_type *type, const char *root, cv_str path, cv_err *err)
{
    assert(w->locked);
    return publish_kept(w->record, w->arena, w->scope, type, root, path, err);
}

cv_intent_result cv_intent_finish(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_type *type,
                                  const char *root, cv_str path, cv_err *err)
{
    cv_intent intent = {.path = path};
    cv_scope_position at;
    bool found;
    if (!cv_record_get(record, a, scope, type, &intent, &found, err))
        return CV_INTENT_FAILED;
    if (!found)
        return CV_INTENT_DONE;
    if (!record->calls->lock(record, a, scope, CV_STR(""), &at, err))
        return CV_INTENT_FAILED;
    cv_intent_result result = publish_kept(record, a, scope, type, root, path, err);
    if (result == CV_INTENT_DONE && record->calls->commit(record, a, NULL, err) != CV_WRITE_DONE)
        result = CV_INTENT_FAILED;
    record->calls->end(record);
    return result;
}

void cv_intent_suggest(cv_err *err)
{
    cv_err_suggest(err, CV_STR("the change is in the record, and the next command about this file finishes it: do not "
                               "send it again"));
}

/* ---- what is left ------------------------------------------------------------------------------------------------ */

/* The visitor may call the record, so all are read before it is asked. */
bool cv_intent_each(cv_record *record, cv_arena *a, cv_scope_id scope, const cv_type *type, cv_intent_visit visit,
                    void *ctx, cv_err *err)
{
    cv_row_list left;
    assert(type->size == sizeof(cv_intent));
    const cv_find find = {.type = type, .scope = scope};
    bool ok = cv_record_rows(record, a, &find, &left, err);
    for (size_t i = 0; ok && i < left.count; i++)
        ok = visit(ctx, left.items[i], err);
    return ok;
}
