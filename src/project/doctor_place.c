/* doctor_place.c - the folder, the database and the disk: what needs no open record; see doctor.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/limits.h"
#include "kit/destination.h"
#include "project/config.h"
#include "project/doctor.h"
#include "record/place.h"

/* ---- permissions ------------------------------------------------------------------------------------------------ */

static bool may(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0;
}

/* Whether we may read and write `path`; what is wrong becomes a finding. */
static bool check_access(cv_doctor *d, const char *check, const char *path, const struct stat *st)
{
    cv_arena *a = d->call.arena;
    bool folder = S_ISDIR(st->st_mode);
    if (may(path, R_OK | W_OK | (folder ? X_OK : 0))) {
        if (st->st_uid == geteuid() || geteuid() == 0)
            return true;
        cv_doctor_finding *f =
            cv_doctor_say(d, check, CV_DOCTOR_NOTE, "belongs to another user (%ld), not to you (%ld)", (long)st->st_uid,
                          (long)geteuid());
        f->what = cv_str_of(path);
        f->remedy =
            CV_STR("files that you make may not be writable for the other one: use one user, or a common group");
        return true;
    }
    cv_doctor_finding *f = cv_doctor_say(d, check, CV_DOCTOR_ERROR, "cannot be %s by you (user %ld; it belongs to %ld)",
                                         may(path, R_OK) ? "written" : "read", (long)geteuid(), (long)st->st_uid);
    f->what = cv_str_of(path);
    f->remedy = st->st_uid == geteuid() ? cv_arena_printf(a, "chmod u+rw%s '%s'", folder ? "x" : "", path)
                                        : CV_STR("run it as the owner, or ask the owner for the right");
    return false;
}

/* Where a room's folder should be, something else makes its operations fail; the others never look. */
static void check_folders(cv_doctor *d)
{
    cv_arena *a = d->call.arena;
    struct stat st;
    for (size_t i = 0; cv_rooms[i]; i++) {
        if (!cv_rooms[i]->folder || lstat(cv_record_path(a, d->call.root, cv_rooms[i]->folder), &st) != 0 ||
            S_ISDIR(st.st_mode))
            continue;
        cv_doctor_finding *f = cv_doctor_say(d, "project", CV_DOCTOR_ERROR, "is %s, not the folder of '%s'",
                                             S_ISLNK(st.st_mode) ? "a symbolic link" : "a file", cv_rooms[i]->name);
        f->what = cv_str_of(cv_room_folder(a, cv_rooms[i]));
        f->remedy = cv_arena_printf(a, "move '%s' away, then: conclave init",
                                    cv_record_path(a, d->call.root, cv_rooms[i]->folder));
    }
}

bool cv_doctor_project(cv_doctor *d)
{
    struct stat st;
    if (stat(d->folder, &st) != 0 || !S_ISDIR(st.st_mode)) {
        cv_doctor_finding *f = cv_doctor_say(d, "project", CV_DOCTOR_ERROR, "there is no folder .conclave");
        f->what = cv_str_of(d->call.root);
        f->remedy = CV_STR("conclave init");
        return true;
    }
    if (check_access(d, "project", d->folder, &st))
        cv_doctor_say(d, "project", CV_DOCTOR_OK, "%s", d->folder);
    else if (!may(d->folder, R_OK | X_OK))
        return false;
    check_folders(d);
    if (may(cv_record_path(d->call.arena, d->call.root, ".gitignore"), F_OK))
        return true;
    cv_doctor_finding *f =
        cv_doctor_say(d, "project", CV_DOCTOR_NOTE,
                      "is missing: git would commit the files of the record, and damage them in a merge");
    f->what = CV_STR(".conclave/.gitignore");
    f->remedy = CV_STR("conclave init");
    return true;
}

/* ---- the database ----------------------------------------------------------------------------------------------- */

static cv_str bytes_text(cv_arena *a, uint64_t n)
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
    size_t unit = 0;
    double size = (double)n;
    for (; size >= 1000 && unit + 1 < CV_COUNT(units); unit++)
        size /= 1000;
    return cv_arena_printf(a, unit && size < 10 ? "%.1f %s" : "%.0f %s", size, units[unit]);
}

static void say_missing(cv_doctor *d)
{
    cv_err err = {.arena = d->call.arena};
    if (!cv_project_check_address(d->call.arena, d->call.root, &d->store, &err)) {
        cv_doctor_fail(d, "record", CV_DOCTOR_ERROR, &err);
        return;
    }
    cv_doctor_finding *f = cv_doctor_say(d, "record", CV_DOCTOR_ERROR, "there is no database");
    f->what = cv_str_of(d->store.path);
    f->remedy = cv_record_missing_advice(d->call.arena, d->store.path);
}

/* A log is there while somebody works on the record, or when somebody ended without closing it. */
static void check_log(cv_doctor *d, const char *name, bool database)
{
    const char *path = cv_arena_printf(d->call.arena, "%s%s", d->store.path, name).p;
    struct stat st;
    if (stat(path, &st) != 0 || !check_access(d, "record", path, &st) || st.st_size == 0 || !database)
        return;
    cv_doctor_finding *f =
        cv_doctor_say(d, "record", CV_DOCTOR_NOTE, "a log of %.*s: the record is in use, or its last user was cut off",
                      CV_FMT(bytes_text(d->call.arena, (uint64_t)st.st_size)));
    f->what = cv_str_of(path);
    f->remedy = CV_STR("nothing: it is read when the record is opened. Do not remove it");
}

static bool check_file(cv_doctor *d)
{
    struct stat st;
    bool there = stat(d->store.path, &st) == 0, regular = there && S_ISREG(st.st_mode);
    if (!there) {
        say_missing(d);
    } else if (!regular) {
        cv_doctor_say(d, "record", CV_DOCTOR_ERROR, "the database is not a regular file")->what =
            cv_str_of(d->store.path);
    } else if (check_access(d, "record", d->store.path, &st)) {
        cv_doctor_say(d, "record", CV_DOCTOR_OK, "%.*s", CV_FMT(bytes_text(d->call.arena, (uint64_t)st.st_size)))
            ->what = cv_str_of(cv_record_database);
    }
    check_log(d, "-wal", regular && !d->call.record); /* do not report our own log */
    check_log(d, "-shm", false);
    return regular;
}

bool cv_doctor_record(cv_doctor *d)
{
    cv_err err = {.arena = d->call.arena};
    if (!cv_project_store(d->call.arena, d->call.root, &d->store, &err)) {
        cv_doctor_fail(d, "project", CV_DOCTOR_ERROR, &err);
        return false;
    }
    if (d->store.address.n == 0)
        return check_file(d);
    cv_doctor_say(d, "record", CV_DOCTOR_OK, "%.*s", CV_FMT(d->store.address));
    return true;
}

/* ---- who else may ----------------------------------------------------------------------------------------------- */

/* Something that may be said of several files: one finding for all, which names some. */
typedef struct {
    cv_buf names; /* "conclave.db (644), conclave.db-wal (644)" */
    size_t count;
} some_files;

enum { MOST_NAMED = 6 };

static void add_file(some_files *files, const char *name, const struct stat *st, bool owner)
{
    const char *gap = files->count ? ", " : "";
    if (files->count < MOST_NAMED && owner)
        cv_buf_printf(&files->names, "%s%s (user %ld)", gap, name, (long)st->st_uid);
    else if (files->count < MOST_NAMED)
        cv_buf_printf(&files->names, "%s%s (%03o)", gap, name, (unsigned)st->st_mode & 0777);
    else if (files->count == MOST_NAMED)
        cv_buf_add_z(&files->names, ", …");
    files->count++;
}

static void say_files(cv_doctor *d, some_files *files, cv_doctor_level level, const char *what, cv_str remedy)
{
    cv_str names = cv_buf_take(&files->names, d->call.arena);
    if (files->count > 0)
        cv_doctor_say(d, "rights", level, "%s: %.*s", what, CV_FMT(names))->remedy = remedy;
}

/* Rights that an owner gave on purpose are fine: they are reported, and nothing fails because of them. */
void cv_doctor_rights(cv_doctor *d)
{
    cv_arena *a = d->call.arena;
    cv_folder_entries entries;
    cv_err err = {.arena = a};
    struct stat folder, st;
    some_files written = {0}, read = {0}, foreign = {0};
    if (stat(d->folder, &folder) != 0 || !cv_folder_list(a, (cv_where){d->call.root, ".conclave"}, &entries, &err))
        return; /* told before */
    if (folder.st_mode & 077)
        add_file(folder.st_mode & 022 ? &written : &read, ".conclave", &folder, false);
    for (size_t i = 0; i < entries.count; i++) {
        const char *name = entries.items[i].name;
        if (cv_file_is_leftover(name) || lstat(cv_record_path(a, d->call.root, name), &st) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (st.st_mode & 077)
            add_file(st.st_mode & 022 ? &written : &read, name, &st, false);
        if (st.st_uid != folder.st_uid)
            add_file(&foreign, name, &st, true);
    }
    cv_str chmod = cv_arena_printf(a, "chmod -R go-rwx '%s'; nothing, if others should use it", d->folder);
    say_files(d, &written, CV_DOCTOR_WARNING, "can be written by others", chmod);
    say_files(d, &read, CV_DOCTOR_NOTE, "can be read by others", chmod);
    say_files(d, &foreign, CV_DOCTOR_NOTE, "do not belong to the owner of .conclave",
              cv_arena_printf(a, "chown -R %ld '%s'", (long)folder.st_uid, d->folder));
}

/* ---- the disk --------------------------------------------------------------------------------------------------- */

/* A write needs room for its log, a backup for the whole. */
void cv_doctor_room(cv_doctor *d, uint64_t room, uint64_t record)
{
    cv_arena *a = d->call.arena;
    uint64_t least = record > CV_LEAST_DISK ? record : CV_LEAST_DISK;
    cv_doctor_finding *f = cv_doctor_say(d, "disk", room < least ? CV_DOCTOR_WARNING : CV_DOCTOR_OK, "%.*s free",
                                         CV_FMT(bytes_text(a, room)));
    if (room < least)
        f->remedy = cv_arena_printf(a, "make room: a backup and the log of a large write need up to %.*s",
                                    CV_FMT(bytes_text(a, least)));
}

void cv_doctor_disk(cv_doctor *d)
{
    struct statvfs fs;
    struct stat st;
    uint64_t record = stat(d->store.path, &st) == 0 ? (uint64_t)st.st_size : 0;
    if (statvfs(d->folder, &fs) == 0)
        cv_doctor_room(d, (uint64_t)fs.f_bavail * fs.f_frsize, record);
}

/* ---- what lies around ------------------------------------------------------------------------------------------- */

void cv_doctor_leftovers(cv_doctor *d)
{
    const cv_where folders[] = {{d->call.root, ".conclave"}, {d->call.root, ""}};
    for (size_t k = 0; k < CV_COUNT(folders); k++) {
        cv_folder_entries entries;
        cv_err err = {.arena = d->call.arena};
        if (!cv_folder_list(d->call.arena, folders[k], &entries, &err))
            continue; /* one that cannot be read has been told */
        for (size_t i = 0; i < entries.count; i++)
            cv_doctor_leftover(d, folders[k], entries.items[i].name);
    }
}
