/* changes.c - has anybody touched the folders since they were looked at? See door.h.
 *
 *     a busy handle  ->  watches all folders  ->  looks  ->  what the kernel tells  ->  nothing that matters: no look
 *
 * A look asks for the time of every folder, so it costs more the more agents there are. A handle that is used again and
 * again lets the kernel tell it what changes instead. What the program itself does there does not matter: files that it
 * writes come whole, or from names of their own, and what it moves leaves the mark on the folder. A change that it
 * cannot tell apart is looked at. So is everything once in a second: the kernel does not report what another machine
 * does in a shared folder. A command that is called once never comes here.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/monotonic.h"
#include "base/os.h"
#include "mail/files/door.h"

enum {
    BUSY = 8,         /* looks in one second, before the folders are watched */
    TRUST_MS = 1000,  /* then they are looked at in any case */
    OTHER_FOLDER = -1 /* not one of those of an agent that have names in cv_door_names */
};

typedef struct {
    const char *path; /* below the mail folder */
    int kind;         /* cv_door_folder, or OTHER_FOLDER */
} watched;

typedef struct {
    cv_record_companion companion;
    cv_arena arena;
    const char *root; /* the mail folder */
    int64_t second;   /* … in which it was asked so often */
    size_t asked;
    int watch;          /* of cv_os_watch(); below 0: there is none */
    bool blind;         /* a folder could not be watched */
    int64_t looked_ms;  /* when everything was looked at; 0: not yet, or not everything is settled */
    int64_t watched_ms; /* when the folders were listed; 0: there are others by now */
    watched *folders;   /* by their numbers */
    size_t count;
    bool told;          /* something has changed that has to be looked at */
    bool again;         /* … while the folders were looked at */
    uint32_t own;       /* the last move of the program itself */
    cv_mail_door *door; /* while changes are read */
} watching;

static void stop(watching *w)
{
    if (w->watch >= 0)
        close(w->watch);
    w->watch = -1;
    w->looked_ms = w->watched_ms = 0;
    w->folders = NULL;
    w->count = 0;
    w->root = NULL;
    cv_arena_release(&w->arena);
}

static void close_watching(cv_record_companion *c)
{
    watching *w = (watching *)c;
    stop(w);
    cv_heap_free(w);
}

static watching *watching_of(cv_mail_door *door)
{
    watching *w = (watching *)cv_record_companion_of(door->record, close_watching);
    if (!w) {
        w = CV_HEAP_NEW(watching);
        w->companion.close = close_watching;
        w->watch = -1;
        cv_record_join(door->record, &w->companion);
    }
    return w;
}

/* ---- watching ---------------------------------------------------------------------------------------------------- */

static void watch_folder(watching *w, const cv_mail_door *door, const char *path, int kind)
{
    cv_err ignored = {.arena = door->arena};
    cv_where folder = *path ? cv_where_in(door->arena, cv_door_root(door), path) : cv_door_root(door);
    int handle = cv_where_open(folder, CV_OS_HANDLE | O_DIRECTORY, "watch the folder", &ignored);
    int number = handle >= 0 ? cv_os_watch_names(w->watch, handle) : -1;
    if (handle >= 0)
        close(handle);
    w->blind |= handle >= 0 && number < 0;
    if (number < 0)
        return; /* one that is not there yet makes a change when it comes */
    if ((size_t)number >= w->count) {
        size_t count = (size_t)number * 2 + 16;
        watched *grown = CV_NEW_ARRAY(&w->arena, count, watched);
        for (size_t i = 0; i < w->count; i++)
            grown[i] = w->folders[i];
        w->folders = grown;
        w->count = count;
    }
    const watched *known = &w->folders[number];
    if (!known->path || strcmp(known->path, path) != 0)
        w->folders[number] = (watched){cv_arena_copy_z(&w->arena, cv_str_of(path)), kind};
}

static void watch_all(watching *w, const cv_mail_door *door)
{
    cv_door_list names;
    cv_err ignored = {.arena = door->arena};
    if (w->watch < 0)
        w->watch = cv_os_watch();
    if (w->watch < 0)
        return;
    w->watched_ms = cv_monotonic_ms();
    w->blind = false;
    watch_folder(w, door, "", OTHER_FOLDER);
    watch_folder(w, door, "temp", OTHER_FOLDER);
    watch_folder(w, door, "runtime", OTHER_FOLDER);
    w->blind |= !cv_door_folders(door, cv_where_in(door->arena, cv_door_root(door), "runtime"), &names, &ignored);
    for (size_t i = 0; i < names.count; i++) {
        watch_folder(w, door, cv_arena_printf(door->arena, "runtime/%s", names.items[i]).p, OTHER_FOLDER);
        for (int f = CV_DOOR_INBOX; f <= CV_DOOR_OUTBOX; f++)
            watch_folder(w, door, cv_arena_printf(door->arena, "runtime/%s/%s", names.items[i], cv_door_names[f]).p, f);
    }
}

/* ---- what has changed -------------------------------------------------------------------------------------------- */

/* A file was put into a folder: its mark may be one that the program has set since. */
static void tell_dropped(watching *w, const watched *folder)
{
    *CV_PUSH(w->door->arena, &w->door->touched) = cv_arena_copy_z(w->door->arena, cv_str_of(folder->path));
    w->told = true;
}

static void tell_unless_marked(watching *w, const char *path)
{
    struct stat st;
    cv_where where = cv_where_in(w->door->arena, cv_door_root(w->door), path);
    w->told = w->told || !cv_where_look(where, &st) || !cv_door_is_marked(&st);
}

/* A file that a process of the program has shown: it came whole, under a name of the program's. */
static bool is_shown(const watched *folder, const cv_os_change *c)
{
    int64_t seq;
    return c->whole && ((folder->kind == CV_DOOR_INBOX && cv_door_seq_of(c->name, &seq)) ||
                        (folder->kind == CV_DOOR_OUTBOX && cv_str_starts(cv_str_of(c->name), CV_STR("msg_"))));
}

static void tell(void *ctx, const cv_os_change *c)
{
    watching *w = ctx;
    int64_t seq;
    const watched *folder = c->folder >= 0 && (size_t)c->folder < w->count ? &w->folders[c->folder] : NULL;
    if (!folder || !folder->path || c->is_folder) {
        w->watched_ms = 0;
        w->told = true;
        return;
    }
    bool is_own = c->moved && c->moved == w->own;
    if (cv_file_is_temporary(c->name))
        w->own = c->moved;
    if (c->name[0] == '.' || is_own || is_shown(folder, c))
        return;
    if (folder->kind == OTHER_FOLDER) {
        if (cv_str_ends(cv_str_of(c->name), CV_STR(".json")))
            tell_unless_marked(w, *folder->path ? cv_arena_printf(w->door->arena, "%s/%s", folder->path, c->name).p
                                                : c->name);
    } else if (c->came &&
               (folder->kind == CV_DOOR_OUTBOX || (folder->kind == CV_DOOR_INBOX && !cv_door_seq_of(c->name, &seq)))) {
        tell_dropped(w, folder);
    } else {
        tell_unless_marked(w, folder->path);
    }
}

/* Asked often enough in this second for the watch to pay? */
static bool is_busy(watching *w, int64_t now)
{
    if (now / 1000 != w->second)
        w->asked = 0;
    w->second = now / 1000;
    return ++w->asked > BUSY;
}

bool cv_door_is_untouched(cv_mail_door *door)
{
    int64_t now = cv_monotonic_ms();
    watching *w = watching_of(door);
    const char *root = cv_where_path(door->arena, cv_door_root(door));
    if (w->root && strcmp(w->root, root) != 0)
        stop(w);
    bool is_used = is_busy(w, now);
    if (w->watch < 0 && !is_used)
        return false;
    w->door = door;
    w->told = w->again = false;
    if (w->watch >= 0)
        cv_os_watch_read(w->watch, tell, w);
    bool is_trusted = w->looked_ms && now - w->looked_ms < TRUST_MS && w->watched_ms;
    if (is_trusted && !w->told)
        return true;
    w->looked_ms = 0;
    if (now - w->watched_ms >= TRUST_MS)
        watch_all(w, door);
    if (!w->root)
        w->root = cv_arena_copy_z(&w->arena, cv_str_of(root));
    return false;
}

/* In a folder that the program has changed, a file that is not its own: the mark must not hide it. */
static void unmark_changed(void *ctx, const cv_os_change *c)
{
    watching *w = ctx;
    const char *path = c->folder >= 0 && (size_t)c->folder < w->count ? w->folders[c->folder].path : NULL;
    bool is_changed = false, is_own = path && c->name[0] == '.';
    for (size_t i = 0; i < w->door->own.count; i++) {
        const cv_door_own *own = &w->door->own.items[i];
        if (!path)
            cv_door_unmark(w->door, own->path);
        else if (strcmp(own->path, path) == 0)
            is_changed = true, is_own |= strcmp(own->name, c->name) == 0;
    }
    if (is_changed && !is_own)
        cv_door_unmark(w->door, path);
    tell(ctx, c);
}

void cv_door_unmark_told(cv_mail_door *door)
{
    watching *w = watching_of(door);
    w->door = door;
    w->told = false;
    cv_os_watch_read(w->watch, unmark_changed, w);
    for (size_t i = 0; i < door->touched.count; i++)
        cv_door_unmark(door, door->touched.items[i]);
    w->again |= w->told;
    w->looked_ms = w->told ? 0 : w->looked_ms;
}

bool cv_door_is_told(const cv_mail_door *door)
{
    const watching *w = (const watching *)cv_record_companion_of(door->record, close_watching);
    return w && w->watch >= 0 && !w->blind;
}

void cv_door_was_looked_at(const cv_mail_door *door)
{
    watching *w = (watching *)cv_record_companion_of(door->record, close_watching);
    if (w && w->watch >= 0 && w->watched_ms && !w->blind && !w->again && door->waiting == 0)
        w->looked_ms = cv_monotonic_ms();
}
