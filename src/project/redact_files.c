/* redact_files.c - the files beside the record that hold a text which is redacted; see redact_files.h. */
#include "project/redact_files.h"

#include "base/file.h"
#include "base/limits.h"
#include "kit/destination.h"
#include "record/place.h"

static void name_file(cv_redact_files *f, cv_redact_names *list, const char *file)
{
    *CV_PUSH(f->call->arena, list) = cv_arena_copy(f->call->arena, cv_str_of(file));
}

/* conclave.db and what is beside it. A kept record has a longer name. */
static bool is_record(cv_str file)
{
    size_t slash = cv_str_find(file, CV_STR(".conclave/"));
    cv_str name = slash == SIZE_MAX ? file : cv_str_from(file, slash + sizeof ".conclave/" - 1);
    cv_str database = cv_str_of(cv_record_database);
    for (size_t i = 0; i < cv_record_files.count && cv_str_starts(name, database); i++)
        if (cv_str_eq(cv_str_from(name, database.n), cv_record_files.items[i]))
            return true;
    return false;
}

/* Something of the text is in `rest`, which is what replacing left of `bytes`. Where lines of it stood, those that are
 * not looked for may stand, too. */
static bool is_rest_there(cv_redact_files *f, cv_arena *a, cv_str bytes, cv_str rest)
{
    return cv_phrases_in(a, &f->strong, rest) ||
           (f->weak.count && cv_trace_lines_in(a, f->trace, bytes) && cv_phrases_in(a, &f->weak, rest));
}

static bool look_into(cv_redact_files *f, cv_arena *a, const cv_room_file *it, const char *file, cv_err *err)
{
    cv_err unread = {.arena = a};
    cv_str bytes, rest;
    if (!cv_file_read_at(a, it->where, CV_MAX_FILE_BYTES, &bytes, &unread)) {
        name_file(f, &f->left, file); /* a user who can read it decides */
        return true;
    }
    if (cv_str_starts(bytes, CV_STR("SQLite format 3"))) {
        name_file(f, &f->backups, file);
        return true;
    }
    rest = cv_trace_replaced(a, f->trace, bytes, f->mark);
    bool found = rest.p != bytes.p;
    if (found && !it->only_named) {
        name_file(f, &f->replaced, file);
        if (f->change && !cv_file_write_at(it->where, rest, NULL, err))
            return false;
    }
    if ((found && it->only_named) || is_rest_there(f, a, bytes, rest))
        name_file(f, &f->left, file);
    return true;
}

typedef struct {
    cv_redact_files *files;
    const char *root; /* of the walk; NULL: paths are whole */
} walking;

static bool is_single(const cv_redact_files *f, cv_where where)
{
    for (size_t i = 0; i < f->single->count; i++) {
        cv_where one = f->single->items[i].where;
        if (where.root && one.root && strcmp(where.root, one.root) == 0 && strcmp(where.path, one.path) == 0)
            return true;
    }
    return false;
}

/* In the folder of a room whose files are the truth: what is not of this scope is of another one, which the record
 * would find changed. */
static bool is_of_others(cv_arena *a, cv_where where)
{
    for (size_t i = 0; where.root && cv_rooms[i]; i++) {
        const cv_room *room = cv_rooms[i];
        cv_str folder = cv_arena_printf(a, ".conclave/%s/", room->folder ? room->folder : "");
        if (room->folder && room->files_are_truth && cv_str_starts(cv_str_of(where.path), folder))
            return true;
    }
    return false;
}

static bool visit(void *ctx, const char *file, cv_err *err)
{
    walking *w = ctx;
    cv_arena scratch = {0};
    const cv_where where = {w->root, file};
    const cv_room_file it = {where, is_of_others(&scratch, where)};
    bool ok = is_record(cv_str_of(file)) || is_single(w->files, where) || look_into(w->files, &scratch, &it, file, err);
    cv_arena_release(&scratch);
    return ok;
}

/* A folder or file that cannot be read is named, like a file that cannot be changed. */
static void note_trouble(void *ctx, const cv_err *err)
{
    walking *w = ctx;
    if (err->code != CV_ERR_NOT_FOUND)
        *CV_PUSH(w->files->call->arena, &w->files->left) =
            cv_arena_copy(w->files->call->arena, err->file.n ? err->file : err->message);
}

bool cv_redact_files_walk(cv_redact_files *f, cv_where folder, cv_err *err)
{
    cv_arena *a = f->call->arena;
    const cv_where own = {f->call->root, ".conclave"};
    walking w = {f, own.root};
    for (size_t i = 0; i < f->trace->all_count; i++)
        cv_phrases_add(a, &f->strong, &f->weak, f->trace->all[i], CV_TRACE_SHORT);
    if (!cv_file_walk_on(a, own, visit, note_trouble, &w, err))
        return false;
    if (!folder.path || (folder.root && cv_str_starts(cv_str_of(folder.path), CV_STR(".conclave/"))))
        return true;
    w.root = folder.root;
    return cv_file_walk_on(a, folder, visit, note_trouble, &w, err);
}

bool cv_redact_files_look(cv_redact_files *f, const cv_room_file *file, cv_err *err)
{
    struct stat st;
    cv_arena scratch = {0};
    bool ok = !cv_where_look(file->where, &st) || look_into(f, &scratch, file, file->where.path, err);
    cv_arena_release(&scratch);
    return ok;
}
