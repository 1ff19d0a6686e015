/* project.c - the project's folder and its record; see project.h. */
#include "project/project.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "kit/destination.h"
#include "kit/notice.h"
#include "kit/room.h"
#include "project/config.h"
#include "project/operations.h"
#include "record/place.h"
#include "record/watermark.h"

static bool exists(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

static bool is_empty(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
}

/* ---- finding ---------------------------------------------------------------------------------------------------- */

static bool no_project(const char *where, bool above, const char *in_the_way, cv_err *err)
{
    if (in_the_way) {
        cv_err_set(err, CV_ERR_NOT_FOUND, "'%s' is not in a project: '%s' is not a folder", where, in_the_way);
        cv_err_suggest(err, CV_STR("move it away; 'conclave init' begins a new project"));
        return false;
    }
    cv_err_set(err, CV_ERR_NOT_FOUND, "'%s' %s", where,
               above ? "is not in a project: neither it nor a folder above it has .conclave"
                     : "is not a project: it has no .conclave");
    cv_err_suggest(err,
                   CV_STR("go to the project's folder or name it with --root DIR; 'conclave init' begins a new one"));
    return false;
}

/* Cuts the last name off; false at the top. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash || path[1] == '\0')
        return false;
    slash[slash == path] = '\0';
    return true;
}

/* "bob (uid 1001)" */
static cv_str owner_name(cv_arena *a, uid_t uid)
{
    char text[4096];
    struct passwd entry, *found = NULL;
    if (getpwuid_r(uid, &entry, text, sizeof text, &found) != 0 || !found)
        return cv_arena_printf(a, "uid %lu", (unsigned long)uid);
    return cv_arena_printf(a, "%s (uid %lu)", found->pw_name, (unsigned long)uid);
}

/* A user who can write to a folder above ours can put a project there, and its record would say what we read and where
 * we write. So a project that was found, not named, must be our own. */
static bool check_owner(cv_arena *a, const char *root, const struct stat *st, cv_err *err)
{
    if (st->st_uid == geteuid())
        return true;
    cv_str theirs = owner_name(a, st->st_uid), ours = owner_name(a, geteuid());
    cv_err_set(err, CV_ERR_IO, "the project '%s' belongs to %.*s, not to you, %.*s", root, CV_FMT(theirs),
               CV_FMT(ours));
    cv_err_suggest(
        err, cv_arena_printf(err->arena, "if you trust it, name it: --root '%s', or CONCLAVE_ROOT='%s'", root, root));
    return false;
}

/* SQLite opens what lies beside the database, and would wait for ever at a named pipe. */
static bool is_plain(cv_where where, cv_err *err)
{
    struct stat st;
    if (!cv_where_look(where, &st) || S_ISREG(st.st_mode))
        return true;
    cv_err_set(err, CV_ERR_NOT_A_FILE, "there is a folder, pipe or device in the place of a file of the record");
    cv_err_file(err, cv_str_of(cv_where_path(err->arena, where)));
    cv_err_suggest(err, CV_STR("move it away"));
    return false;
}

/* The record is never read or written through a link. Neither are the folders of the rooms: operations that need one
 * find a link there themselves (base/where.h), and the others need not fail for it. */
static bool check_links(cv_arena *a, const char *root, cv_err *err)
{
    for (size_t i = 0; i < cv_record_files.count; i++) {
        cv_str end = cv_record_files.items[i];
        const char *path = cv_arena_printf(a, ".conclave/%s%.*s", cv_record_database, CV_FMT(end)).p;
        if (!cv_where_check((cv_where){root, path}, err) || !(end.n == 0 || is_plain((cv_where){root, path}, err)))
            return false;
    }
    return true;
}

bool cv_project_find(cv_arena *a, const char *given, const char **ret_root, cv_err *err)
{
    const char *start, *in_the_way = NULL;
    struct stat st;
    if (given && !*given)
        return no_project(given, false, NULL, err);
    if (!cv_folder_real(a, given ? given : ".", &start, err))
        return false;
    char *root = cv_arena_copy_z(a, cv_str_of(start));
    while (lstat(cv_record_path(a, root, ""), &st) != 0 || !(S_ISDIR(st.st_mode) || S_ISLNK(st.st_mode))) {
        if (!in_the_way && exists(cv_record_path(a, root, "")))
            in_the_way = cv_record_path(a, root, "");
        if (given || !go_up(root))
            return no_project(start, !given, in_the_way, err);
    }
    if ((!given && !check_owner(a, root, &st, err)) || !check_links(a, root, err))
        return false;
    *ret_root = root;
    return true;
}

bool cv_project_open(cv_arena *a, const char *root, cv_record **ret_record, cv_err *err)
{
    cv_store store;
    return cv_project_store(a, root, &store, err) && cv_project_check_address(a, root, &store, err) &&
           cv_store_open(a, &store, CV_RECORD_EXISTING, &cv_program_types, ret_record, err);
}

/* ---- init ------------------------------------------------------------------------------------------------------- */

static const char *const ignored = "# The record of this project. 'conclave export-scope' writes what can be shared.\n"
                                   "conclave.db\nconclave.db-*\nconclave.db.*\nseen\n*.seen\n.conclave-*\n";

/* A project whose database is gone is not a new one: what was acknowledged in it would be missed for ever. */
static bool check_lost(cv_arena *a, const char *root, cv_err *err)
{
    const char *database = cv_record_path(a, root, cv_record_database);
    const char *path = cv_watermark_path(a, database);
    cv_err why = {.arena = a}; /* what is wrong with it is reported when the record is opened */
    cv_commit commit;
    if (exists(database) || cv_watermark_read(path, &commit, &why) != CV_WATERMARK_THERE || commit.number == 0)
        return true;
    cv_err_set(err, CV_ERR_REGRESSED, "the database of this project is gone: commit %lld was acknowledged in it",
               (long long)commit.number);
    cv_err_file(err, cv_str_of(database));
    cv_err_suggest(
        err, cv_arena_printf(a, "restore it with 'conclave restore FILE'; to begin with an empty record, remove '%s'",
                             path));
    return false;
}

/* The record on a server: one that is there is joined, else it is made. What was seen of it is written down here: where
 * that is more than nothing, a record that is not there is gone. */
static bool open_server(cv_arena *a, const cv_store *store, bool *ret_created, cv_err *err)
{
    struct stat st;
    cv_record *record;
    cv_err why = {.arena = a};
    *ret_created = false;
    if (cv_store_open(a, store, CV_RECORD_EXISTING, &cv_program_types, &record, &why)) {
        cv_record_close(record);
        return true;
    }
    if (why.code != CV_ERR_NOT_FOUND) {
        cv_err_copy(err, &why);
        return false;
    }
    if (stat(store->seen, &st) == 0 && st.st_size > 0) {
        cv_err_set(err, CV_ERR_REGRESSED, "the record of this project is gone: its writes were seen here");
        cv_err_file(err, store->address);
        cv_err_suggest(
            err,
            cv_arena_printf(a, "restore it with 'conclave restore FILE'; to begin with an empty record, remove '%s'",
                            store->seen));
        return false;
    }
    *ret_created = cv_store_open(a, store, CV_RECORD_CREATE, &cv_program_types, &record, err);
    if (*ret_created)
        cv_record_close(record);
    return *ret_created;
}

/* The folder of the project, and those of the rooms in it. */
static bool make_folders(cv_arena *a, const char *root, cv_err *err)
{
    cv_where gitignore = {root, ".conclave/.gitignore"};
    struct stat st;
    if (!cv_folder_make_private((cv_where){root, ".conclave"}, err))
        return false;
    for (size_t i = 0; cv_rooms[i]; i++)
        if (cv_rooms[i]->folder && !cv_folder_make_private((cv_where){root, cv_room_folder(a, cv_rooms[i])}, err))
            return false;
    return cv_where_look(gitignore, &st) || cv_file_write_private(gitignore, cv_str_of(ignored), err);
}

/* A project keeps its record in one place. What it has chosen is not changed by making it once more. */
static bool choose_store(cv_arena *a, const char *root, cv_str wanted, cv_store *ret, bool *ret_is_new, cv_err *err)
{
    bool is_file = cv_str_eq(wanted, CV_STR("sqlite"));
    if (!cv_project_store(a, root, ret, err))
        return false;
    bool has_file = exists(ret->path) && !is_empty(ret->path);
    *ret_is_new = ret->address.n == 0 && !has_file;
    if (wanted.n == 0 || cv_str_eq(wanted, ret->address) || (is_file && ret->address.n == 0))
        return cv_project_check_address(a, root, ret, err);
    if (*ret_is_new) {
        ret->address = wanted;
        return true;
    }
    cv_err_set(err, CV_ERR_INVALID_VALUE, "this project has its record elsewhere: %.*s",
               CV_FMT(has_file ? cv_str_of(ret->path) : ret->address));
    cv_err_field(err, CV_STR("store"));
    cv_err_value(err, wanted);
    cv_err_suggest(err, CV_STR("'conclave copy --to ADDRESS --switch' moves the record, or changes its address"));
    return false;
}

/* If the address is lost, this file says that there was one. */
static bool begin_seen(const cv_store *store, cv_err *err)
{
    int fd = open(store->seen, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return cv_system_fail(err, store->seen, "make the file", errno);
    close(fd);
    return true;
}

typedef struct {
    cv_store store;
    bool created, joined; /* the record; by a folder that had none */
} made;

/* The record first: the choice is written down when it is there. An address that is wrong leaves no folder behind. */
static bool make(cv_arena *a, const char *root, cv_str wanted, made *ret, cv_err *err)
{
    cv_record *record;
    bool is_new;
    if (!check_links(a, root, err) || !choose_store(a, root, wanted, &ret->store, &is_new, err))
        return false;
    if (ret->store.address.n > 0) {
        bool done = open_server(a, &ret->store, &ret->created, err) && make_folders(a, root, err) &&
                    (!is_new || cv_config_write_store(a, root, ret->store.address, err)) &&
                    begin_seen(&ret->store, err);
        ret->joined = done && is_new && !ret->created;
        return done;
    }
    if (!check_lost(a, root, err) || !make_folders(a, root, err) ||
        !cv_store_open(a, &ret->store, CV_RECORD_CREATE, &cv_program_types, &record, err))
        return false;
    cv_record_close(record);
    ret->created = is_new;
    return true;
}

/* Removes what was made of `path` in vain: folders that are empty, up to the one that was there. */
static void remove_made(cv_arena *a, const char *path, size_t there)
{
    char *name = cv_arena_copy_z(a, cv_str_of(path));
    while (strlen(name) > there && (rmdir(name) == 0 || errno == ENOENT)) {
        char *slash = strrchr(name, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* How many bytes of the path name a folder that is there. */
static size_t part_there(cv_arena *a, const char *path)
{
    char *name = cv_arena_copy_z(a, cv_str_of(path));
    for (char *slash; !exists(name); *slash = '\0')
        if (!(slash = strrchr(name, '/')))
            return 0;
    return strlen(name);
}

/* The nearest project above the folder; NULL: none. */
static const char *project_above(cv_arena *a, const char *root)
{
    char *above = cv_arena_copy_z(a, cv_str_of(root));
    while (go_up(above))
        if (cv_file_is_folder(cv_record_path(a, above, "")))
            return above;
    return NULL;
}

typedef struct {
    cv_str root, record;
    bool created, joined;
    cv_notices warnings;
} init_answer;

#define CV_THIS_TYPE init_answer
const cv_shape cv_init_shape[] = {
    CV_SUCCESS,
    CV_FIELD(ALWAYS, root, "the project's folder"),
    CV_FIELD(ALWAYS, record, "the database, or the address of the server"),
    CV_FIELD(ALWAYS, created, "false: it was there already"),
    CV_FIELD(IF_ANY, joined, "true: the folder is new, and its record was there already"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings: the operation was done"),
    {0},
};
#undef CV_THIS_TYPE

static void answer(cv_call *call, const char *root, const made *m)
{
    const char *above = m->created || m->joined ? project_above(call->arena, root) : NULL;
    init_answer it = {.root = cv_str_of(root),
                      .record = m->store.address.n ? m->store.address : cv_str_of(m->store.path),
                      .created = m->created,
                      .joined = m->joined};
    if (above)
        cv_notice_add(&it.warnings, call->arena, CV_STR("project_in_project"),
                      "this folder is in the project '%s', whose record cannot be used from here any more", above);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_init_shape, &it);
}

bool cv_project_is_local(cv_call *call, const char *what)
{
    if (!call->confined)
        return true;
    cv_err *fault = cv_errs_add(call->errs, call->arena, CV_ERR_NOT_ALLOWED, "%s at the command line only", what);
    cv_err_suggest(fault, CV_STR("ask a person who may act on this machine"));
    return false;
}

bool cv_project_init(cv_call *call)
{
    cv_arena *a = call->arena;
    cv_err err = {.arena = a};
    const cv_json *dir = cv_json_get(call->input, CV_STR("dir"));
    const char *root = dir ? cv_arena_copy_z(a, dir->text) : call->root, *real;
    struct stat st;
    size_t there = part_there(a, root);
    if ((dir || cv_json_get_text(call->input, "store").p) && !cv_project_is_local(call, "folder and store are chosen"))
        return false;
    if (!cv_folder_make(root, &err) || !cv_folder_real(a, root, &real, &err))
        return cv_call_fail(call, &err);
    bool named = dir || strcmp(root, ".") != 0;
    made m = {0};
    cv_str wanted = cv_json_get_text(call->input, "store");
    bool ours = named || lstat(cv_record_path(a, real, ""), &st) != 0 || check_owner(a, real, &st, &err);
    if (!ours || !make(a, real, wanted, &m, &err)) {
        remove_made(a, root, there);
        return cv_call_fail(call, &err);
    }
    answer(call, real, &m);
    return true;
}
