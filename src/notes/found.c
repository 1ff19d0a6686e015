/* found.c - files and their notes; see found.h. */
#include "notes/found.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/heap.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/path.h"
#include "base/utf8.h"
#include "notes/ignore.h"
#include "notes/scan_cache.h"
#include "notes/words/errors.h"
#include "record/hash.h"

/* ---- where ------------------------------------------------------------------------------------------------------- */

/* An absolute path for what the command line names from its own folder; what does not exist stays as it is. */
static cv_str absolute(cv_arena *a, cv_str path)
{
    char real[PATH_MAX];
    const char *whole = cv_arena_copy_z(a, path), *folder = cv_folder_of(a, whole);
    cv_str name = cv_str_of(cv_where_name(cv_where_named(whole)));
    bool is_dots = cv_str_eq(name, CV_STR(".")) || cv_str_eq(name, CV_STR("..")) || name.n == 0;
    if (is_dots && realpath(whole, real))
        return cv_arena_copy(a, cv_str_of(real));
    if (realpath(*folder ? folder : ".", real))
        return cv_arena_printf(a, "%s/%.*s", strcmp(real, "/") == 0 ? "" : real, CV_FMT(name));
    if (path.p[0] != '/' && getcwd(real, sizeof real))
        return cv_arena_printf(a, "%s/%.*s", real, CV_FMT(path));
    return path;
}

bool cv_notes_where(cv_call *call, cv_str path, cv_where *ret_where, cv_err *err)
{
    char root[PATH_MAX];
    if (path.n == 0 || memchr(path.p, '\0', path.n) || call->confined)
        return cv_where_below(call->arena, call->root, path, ret_where, err);
    const char *real = realpath(call->root, root) ? cv_arena_copy_z(call->arena, cv_str_of(root)) : call->root;
    if (cv_where_below(call->arena, real, absolute(call->arena, path), ret_where, err)) {
        ret_where->root = call->root;
        return true;
    }
    cv_err_set(err, CV_ERR_NOTES_OUTSIDE, "'%.*s' is not in the project's folder, %s",
               CV_FMT(cv_excerpt(call->arena, path)), call->root);
    cv_err_value(err, path);
    cv_err_suggest(
        err, CV_STR("name a file of the project, or run it in the project of that file ('conclave init' makes one)"));
    return false;
}

bool cv_notes_load(cv_arena *a, cv_where where, cv_str *ret_text, cv_err *err)
{
    if (!cv_file_read_at(a, where, CV_NOTES_MAX_FILE, ret_text, err))
        return false;
    if (!cv_notes_is_binary(*ret_text))
        return true;
    cv_err_set(err, CV_ERR_NOT_TEXT,
               "the file is binary or UTF-16: notes need text in UTF-8 or another encoding that contains ASCII");
    cv_err_file(err, cv_str_of(cv_where_path(err->arena, where)));
    cv_err_suggest(err, CV_STR("convert it to UTF-8, or put the note into a file beside it"));
    return false;
}

/* ---- the notes of one file --------------------------------------------------------------------------------------- */

/* UTF-8 whatever it was: other bytes as \xNN. */
static cv_str as_utf8(cv_arena *a, cv_str s)
{
    cv_buf out = {0};
    if (!s.p || cv_utf8_valid(s) == s.n)
        return s.p ? cv_arena_copy(a, s) : s;
    while (s.n) {
        size_t n = cv_utf8_valid(s);
        cv_buf_add(&out, cv_str_head(s, n));
        s = cv_str_from(s, n);
        if (s.n) {
            cv_buf_printf(&out, "\\x%02X", (unsigned char)s.p[0]);
            s = cv_str_from(s, 1);
        }
    }
    return cv_buf_take(&out, a);
}

static cv_str further_of(cv_arena *a, const cv_note *n)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    size_t count = 0;
    cv_map seen = {0};
    cv_json_begin_object(&w);
    for (size_t i = 0; i < n->field_count; i++) {
        const cv_note_field *f = &n->fields[i];
        bool is_first = true;
        if (f->field < 0)
            cv_map_put(&seen, a, f->key, &is_first);
        if (f->field >= 0 || !is_first)
            continue;
        cv_json_key(&w, f->key);
        cv_json_str(&w, as_utf8(a, f->value));
        count++;
    }
    cv_json_end_object(&w);
    cv_str json = cv_buf_take(&text, a);
    return count ? json : (cv_str){NULL, 0};
}

static void gather_note(cv_arena *a, const cv_notes_file *file, const cv_note *n, cv_found_note *ret)
{
    const cv_note_field *modified = cv_header_key(&file->header, CV_STR("file.last_modified_utc"));
    *ret = (cv_found_note){.kind = n->kind,
                           .container = n->container,
                           .form = n->form,
                           .reason = n->reason,
                           .place = n->place,
                           .line = n->line,
                           .last_line = n->last_line,
                           .further = further_of(a, n)};
    for (int i = 0; i < CV_NOTE_FIELDS; i++)
        ret->of[i] = as_utf8(a, cv_note_value(n, (cv_note_field_id)i));
    if (n->kind == CV_NOTE_KIND_HEADER && n->place == 0 && modified && cv_notes_date_valid(modified->value)) {
        ret->date = cv_arena_copy(a, modified->value);
        ret->date_source = CV_STR("header");
    } else if (n->heading_date.p) {
        ret->date = cv_arena_copy(a, n->heading_date);
        ret->date_source = CV_STR("heading");
    }
}

static void gather(cv_arena *a, const cv_notes_file *file, bool digests, cv_notes_file_found *ret)
{
    ret->notes = CV_NEW_ARRAY(a, file->count, cv_found_note);
    ret->count = file->count;
    ret->counted = 0;
    for (size_t i = 0; i < file->count; i++) {
        gather_note(a, file, &file->items[i], &ret->notes[i]);
        ret->counted += file->items[i].reason == CV_COUNTS;
    }
    ret->header = file->header.state;
    ret->header_line = file->header.line;
    ret->headers = file->headers;
    ret->dialogs = file->header.dialogs;
    if (digests) {
        ret->sha256 = cv_hash_text(a, file->text);
        ret->body_sha256 = cv_notes_body_digest(a, file);
    }
}

void cv_notes_gather(cv_arena *a, const cv_notes_file *file, cv_notes_file_found *ret)
{
    gather(a, file, true, ret);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_where where;
    cv_str path;
    bool named; /* by the caller, not found in a folder */
    cv_scan_cache_stamp stamp;
} target;

typedef struct {
    cv_call *call;
    cv_notes_found *found;
    target *items;
    size_t count, capacity;
} walk;

static const char *joined(cv_arena *a, const char *folder, const char *name)
{
    return *folder ? cv_arena_printf(a, "%s/%s", folder, name).p : cv_arena_copy_z(a, cv_str_of(name));
}

static const cv_ignores *ignores_of(walk *w, cv_where folder, const cv_folder_entries *entries, const cv_ignores *above)
{
    cv_arena *a = w->call->arena;
    cv_err unread = {.arena = a};
    cv_str text;
    for (size_t i = 0; i < entries->count; i++) {
        if (strcmp(entries->items[i].name, ".gitignore") != 0)
            continue;
        if (!cv_file_read_at(a, (cv_where){folder.root, joined(a, folder.path, ".gitignore")}, CV_NOTES_MAX_FILE, &text,
                             &unread))
            return above;
        cv_ignores *own = CV_NEW(a, cv_ignores);
        bool is_here = strcmp(folder.path, ".") == 0;
        cv_ignores_parse(a, text, is_here ? CV_STR("") : cv_str_of(folder.path), above, own);
        return own;
    }
    return above;
}

static void add_trouble(walk *w, cv_str path, cv_where where, const cv_err *err)
{
    cv_arena *a = w->call->arena;
    *CV_PUSH(a, w->found) =
        (cv_notes_file_found){.path = path, .where = where, .trouble = cv_arena_copy(a, err->message)};
}

static void add_file(walk *w, cv_where where, const cv_folder_entry *e)
{
    if (!e->is_regular)
        w->found->links++;
    else
        *CV_PUSH(w->call->arena, w) = (target){
            .where = where,
            .path = cv_str_of(where.path),
            .stamp = {
                .size = e->size, .modified = e->modified_ns, .changed = e->changed_ns, .inode = (int64_t)e->inode}};
}

static bool walk_folder(walk *w, cv_where folder, const cv_ignores *above, int depth)
{
    cv_arena *a = w->call->arena;
    cv_folder_entries entries;
    cv_err err = {.arena = a};
    assert(folder.path);
    if (depth > CV_MAX_WALK_DEPTH) {
        cv_err_set(&err, CV_ERR_TOO_LARGE, "folders are nested deeper than %d", CV_MAX_WALK_DEPTH);
        add_trouble(w, cv_str_of(folder.path), folder, &err);
        return true;
    }
    if (!cv_folder_list(a, folder, &entries, &err)) {
        add_trouble(w, cv_str_of(folder.path), folder, &err);
        return true;
    }
    const cv_ignores *ignores = ignores_of(w, folder, &entries, above);
    for (size_t i = 0; i < entries.count; i++) {
        const cv_folder_entry *e = &entries.items[i];
        const char *path = strcmp(folder.path, ".") == 0 ? e->name : joined(a, folder.path, e->name);
        if (cv_ignores_vendored(cv_str_of(e->name), e->is_folder) ||
            cv_ignores_has(ignores, cv_str_of(path), e->is_folder))
            w->found->ignored++;
        else if (e->is_folder)
            walk_folder(w, (cv_where){folder.root, path}, ignores, depth + 1);
        else
            add_file(w, (cv_where){folder.root, path}, e);
    }
    return true;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

enum { MOST_WORKERS = 8 };

typedef struct {
    const walk *walk;
    unsigned flags;
    cv_notes_file_found *files; /* one for each target */
    const cv_scan_cache *seen;  /* NULL: everything is read */
    _Atomic size_t next, looked, bytes, binary, too_large, links;
    atomic_bool cancelled;
} job;

typedef struct {
    job *job;
    cv_arena kept, scratch;
} worker;

/* What 'notes extract' and 'notes export' wrote repeats dialogs of other files. */
static bool is_extract(cv_str text)
{
    return cv_str_find(cv_str_head(text, 200), CV_STR("<!-- conclave notes -->")) != SIZE_MAX;
}

static bool take_seen(worker *w, const target *t, cv_notes_file_found *ret)
{
    const cv_scan_cache_file *known =
        w->job->seen && !t->named ? cv_scan_cache_find(w->job->seen, t->path, &t->stamp) : NULL;
    if (!known)
        return false;
    w->job->looked++;
    ret->is_seen = ret->is_text = true;
    ret->sha256 = known->sha256;
    ret->counted = known->counted;
    return true;
}

static void read_one(worker *w, const target *t, cv_notes_file_found *ret)
{
    cv_err err = {.arena = &w->scratch};
    cv_str text;
    cv_notes_file file;
    if (take_seen(w, t, ret))
        return;
    if (!cv_file_read_at(&w->scratch, t->where, CV_NOTES_MAX_FILE, &text, &err)) {
        if (err.code == CV_ERR_TOO_LARGE && !t->named) {
            w->job->too_large++;
        } else if (err.code != CV_ERR_NOT_FOUND || t->named) { /* gone since: no file of ours */
            ret->trouble = cv_arena_copy(&w->kept, err.message);
        }
        return;
    }
    w->job->looked++;
    w->job->bytes += text.n;
    if (cv_notes_is_binary(text)) {
        w->job->binary++;
        if (t->named)
            ret->trouble = CV_STR("it is binary or UTF-16");
        return;
    }
    ret->is_text = true;
    if (!cv_notes_worth_reading(text) || is_extract(text))
        return;
    cv_notes_read(&w->scratch, text, cv_notes_language_of(t->path),
                  w->job->flags & CV_FIND_MARKDOWN ? CV_NOTES_MARKDOWN : 0, &file);
    if (file.count || file.header.state != CV_HEADER_NONE)
        gather(&w->kept, &file, (w->job->flags & CV_FIND_DIGESTS) != 0, ret);
}

static void take_target(worker *w, size_t i)
{
    assert(i < w->job->walk->count);
    const target *t = &w->job->walk->items[i];
    w->job->files[i] = (cv_notes_file_found){.path = t->path, .where = t->where};
    read_one(w, t, &w->job->files[i]);
    cv_arena_reset(&w->scratch);
}

static void *work(void *ctx)
{
    worker *w = ctx;
    size_t i;
    while ((i = atomic_fetch_add(&w->job->next, 1)) < w->job->walk->count && !w->job->cancelled)
        take_target(w, i);
    return NULL;
}

/* The caller's own thread works, too, and reports the progress. */
static bool work_and_tell(worker *w, cv_err *err)
{
    size_t i, count = w->job->walk->count;
    while ((i = atomic_fetch_add(&w->job->next, 1)) < count) {
        if (i % 256 == 0 && !cv_call_tell(w->job->walk->call, i, count, w->job->walk->items[i].path, err)) {
            w->job->cancelled = true;
            return false;
        }
        take_target(w, i);
    }
    return true;
}

/* What a worker kept is copied to the call's arena when all are done. */
static cv_notes_file_found copied(cv_arena *a, const cv_notes_file_found *from)
{
    cv_notes_file_found to = *from;
    to.notes = cv_arena_dup(a, from->notes, from->count * sizeof *from->notes);
    for (size_t i = 0; i < from->count; i++) {
        cv_found_note *n = &to.notes[i];
        for (int k = 0; k < CV_NOTE_FIELDS; k++)
            n->of[k] = n->of[k].p ? cv_arena_copy(a, n->of[k]) : n->of[k];
        n->further = n->further.p ? cv_arena_copy(a, n->further) : n->further;
        n->date = n->date.p ? cv_arena_copy(a, n->date) : n->date;
    }
    to.sha256 = from->sha256.p ? cv_arena_copy(a, from->sha256) : from->sha256;
    to.body_sha256 = from->body_sha256.p ? cv_arena_copy(a, from->body_sha256) : from->body_sha256;
    to.trouble = from->trouble.p ? cv_arena_copy(a, from->trouble) : from->trouble;
    return to;
}

static void take_counts(const job *j, cv_notes_found *ret)
{
    ret->looked = j->looked;
    ret->bytes = j->bytes;
    ret->binary = j->binary;
    ret->too_large = j->too_large;
    ret->links += j->links;
}

/* What was read, for the next time; what was not asked for now stays remembered. */
static void remember(const job *j, cv_scan_cache *seen)
{
    for (size_t i = 0; i < j->walk->count; i++) {
        const cv_notes_file_found *f = &j->files[i];
        const target *t = &j->walk->items[i];
        if (!t->named && !f->is_seen && f->is_text)
            cv_scan_cache_put(seen, t->path, &t->stamp, f->sha256, f->counted);
    }
    cv_scan_cache_save(j->walk->call, seen);
}

static bool read_all(walk *w, unsigned flags, cv_notes_found *ret, cv_err *err)
{
    cv_arena *a = w->call->arena;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = online > 1 ? (size_t)online : 1, started = 0;
    size_t most = w->count / 64 + 1 < wanted ? w->count / 64 + 1 : wanted;
    pthread_t threads[MOST_WORKERS];
    worker workers[MOST_WORKERS] = {{0}};
    cv_scan_cache seen = {0};
    job j = {.walk = w, .flags = flags, .files = CV_NEW_ARRAY(a, w->count, cv_notes_file_found)};
    if (flags & CV_FIND_NEW) {
        cv_scan_cache_load(w->call, &seen);
        j.seen = &seen;
    }
    most = most < MOST_WORKERS ? most : MOST_WORKERS;
    assert(most > 0 && "the caller's own thread works");
    for (size_t i = 0; i < most; i++)
        workers[i].job = &j;
    while (started + 1 < most && pthread_create(&threads[started], NULL, work, &workers[started + 1]) == 0)
        started++;
    bool ok = work_and_tell(&workers[0], err);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; ok && i < w->count; i++)
        if (j.files[i].count || j.files[i].header != CV_HEADER_NONE || j.files[i].trouble.p ||
            (flags & CV_FIND_ALL && j.files[i].is_text) || (j.files[i].is_seen && j.files[i].sha256.p))
            *CV_PUSH(a, ret) = copied(a, &j.files[i]);
    if (ok && j.seen)
        remember(&j, &seen);
    take_counts(&j, ret);
    for (size_t i = 0; i < most; i++) {
        cv_arena_release(&workers[i].kept);
        cv_arena_release(&workers[i].scratch);
    }
    return ok;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* What the folders above say, from the root down. */
static const cv_ignores *ignores_above(walk *w, cv_where top)
{
    const cv_ignores *all = NULL;
    cv_str path = cv_str_of(top.path);
    static cv_folder_entry gitignore[] = {{.name = ".gitignore"}};
    const cv_folder_entries entries = {gitignore, 1, 1};
    for (size_t i = 0; top.root && i < path.n; i++)
        if (i == 0 || path.p[i] == '/')
            all = ignores_of(w, (cv_where){top.root, cv_arena_copy_z(w->call->arena, cv_str_head(path, i))}, &entries,
                             all);
    return all;
}

/* What a path that the caller named stands for. */
static bool add_top(walk *w, cv_str path, unsigned flags, cv_err *err)
{
    cv_where where;
    struct stat st;
    bool ok = flags & CV_FIND_IN_PROJECT
                  ? cv_notes_where(w->call, path, &where, err)
                  : cv_path_allowed(w->call->arena, w->call->root, w->call->confined, path, &where, err);
    if (!ok || !cv_where_check(where, err) || !cv_file_is_there(where, err))
        return false;
    w->found->tops[w->found->top_count++] = where;
    if (!cv_where_look(where, &st))
        return cv_system_fail(err, cv_where_path(w->call->arena, where), "look at it", errno);
    if (S_ISDIR(st.st_mode))
        return walk_folder(w, where, ignores_above(w, where), 0);
    *CV_PUSH(w->call->arena, w) = (target){.where = where, .path = cv_str_of(where.path), .named = true};
    return true;
}

bool cv_notes_find(cv_call *call, unsigned flags, cv_notes_found *ret, cv_err *err)
{
    const cv_json *paths = cv_json_get(call->input, CV_STR("paths"));
    walk w = {.call = call, .found = ret};
    uint32_t count = paths ? paths->count : 0;
    *ret = (cv_notes_found){.tops = CV_NEW_ARRAY(call->arena, count + 1, cv_where)};
    for (uint32_t i = 0; i < count; i++)
        if (!add_top(&w, paths->items[i].text, flags, err)) {
            cv_err_field(err, cv_arena_printf(call->arena, "paths[%u]", i));
            return false;
        }
    if (!count &&
        !add_top(&w, flags & CV_FIND_IN_PROJECT && !call->confined ? cv_str_of(call->root) : CV_STR("."), flags, err))
        return false;
    return read_all(&w, flags, ret, err);
}
