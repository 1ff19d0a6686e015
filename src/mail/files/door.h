/* door.h - the folders of the mail room: who may be in them at a time, and how files get there.
 *
 *     .conclave/mail/                           or the folder that the setting mail.root names
 *       runtime/AGENT/
 *         inbox/       task_0000000007.json     what waits, by its number; also where others may drop a message
 *         claimed/     task_0000000007.json     what somebody works on; move a file here to claim it
 *         done/ failed/                         move a file here to finish it; it goes to the archive
 *         outbox/      anything.json            dropped here, it is sent
 *                      msg_ID.json              what was sent, until all recipients are finished with it
 *         archive/                              what was sent or is settled
 *         quarantine/  FILE, FILE.reason.txt    what could not be read, and why
 *         files.log                             what was done with files, and why: one line each
 *         .taking/                              files that are being taken in, each under a name of its own
 *       mailbox_N.json completed_tasks.json     views (mailbox.c, completed.c)
 *       task_list.json                          the same of all plans (task_list.c)
 *       .position                               how far the feed was written here
 *       .marks                                  whether the marks on folders and files hold
 *
 * The record is the truth. Files are written without a sync: whatever a crash of the machine takes away is written
 * again, because the position names the boot that it belongs to. Of the processes that use the folder, one at a time
 * takes in and writes, under a lock on it.
 */
#ifndef CV_MAIL_FILES_DOOR_H
#define CV_MAIL_FILES_DOOR_H

#include "base/file.h"
#include "base/folder.h"
#include "base/notify.h"
#include "mail/files.h"
#include "mail/writing.h"

typedef enum {
    CV_DOOR_INBOX,
    CV_DOOR_CLAIMED,
    CV_DOOR_DONE,
    CV_DOOR_FAILED,
    CV_DOOR_OUTBOX,
    CV_DOOR_TAKING,
    CV_DOOR_ARCHIVE,
    CV_DOOR_QUARANTINE,
    CV_DOOR_FOLDERS
} cv_door_folder;
extern const char *const cv_door_names[CV_DOOR_FOLDERS];

/* The folder of an agent. */
typedef struct {
    cv_str name;        /* key of the registry */
    cv_str id;          /* as it was registered */
    const char *folder; /* its name in runtime/: the id */
    bool alias;         /* it is the folder of another name: files are taken from it, and none written */
    bool files;         /* its mail is written as files */
    bool made;          /* its folders are there */
} cv_door_agent;

typedef struct {
    const char **items;
    size_t count, capacity;
} cv_door_list;

/* A file in a folder. */
typedef struct {
    const char *path, *name;
} cv_door_own;

/* An outcome that a line of completed_tasks.json tells already. */
typedef struct {
    cv_str message_id, agent_id, status;
    bool used; /* for one outcome of the record */
} cv_door_report;

typedef struct {
    cv_call *call;
    cv_record *record;
    cv_arena *arena;
    cv_where root;  /* .conclave/mail, or where the project wants it */
    int lock;       /* the folder, open; locked, except for a look */
    int64_t now_ms; /* the clock of this machine: ages of files are judged by it */
    cv_map agents;  /* name -> cv_door_agent */
    size_t taken, refused, written;
    size_t claims;            /* whose time is not over: their folders are looked at again */
    int64_t lease_until;      /* … the first of them */
    size_t waiting;           /* files that may still grow, or that the record has no time for: look again soon */
    bool marks_hold;          /* with the lock: what has a mark was not changed since */
    bool marking;             /* … and marks are being set: until that is over they do not hold for others */
    bool looking;             /* without the lock: is there something to be taken in? */
    bool found;               /* … there is */
    cv_str since;             /* the feed before anything was taken in, if the files are new; empty: they are not */
    cv_mail_message *message; /* that was read last; NULL: none. A message never changes */
    cv_mail_mailbox *mailbox; /* … as it was with the last commits that were shown; a later one is shown again */
    bool one_moment;          /* the record is read as it was at one moment, until that is over */
    int64_t expired_to;       /* time up to which expired messages were taken from the inboxes; below 0: as it was */
    int64_t reported_to;      /* bytes of completed_tasks.json whose lines were taken in; below 0: it was not read */
    struct {
        cv_door_report *items;
        size_t count, capacity;
    } reported;
    struct {
        cv_door_own *items;
        size_t count, capacity;
    } own;                      /* what this process itself has put into quiet folders, or taken from them */
    cv_door_list touched;       /* folders that somebody has put files into, whatever their marks say */
    cv_mail_handled_list files; /* what became of each file; of those that are as they were nothing is said */
} cv_mail_door;

enum {
    CV_DOOR_QUIET_MS = 2000, /* a file that cannot be read, and was not changed for so long, is whole */
    CV_DOOR_BRIEF_MS = 2000, /* what the program has changed itself is looked at again after this */
    CV_DOOR_WINDOW = 1000,   /* files in an inbox; more messages wait in the record until some of these are settled */
};

/* A look at the folder, without its lock. */
cv_mail_door cv_door_begin(cv_call *call);

/* Opens the folder. *ret_open false: there is none, and `make` is not wanted. Then takes the lock; *ret_locked false:
 * another process has it, and is not waited for. */
bool cv_door_open(cv_mail_door *door, bool make, bool *ret_open, cv_err *err);
bool cv_door_lock(cv_mail_door *door, bool wait, bool *ret_locked, cv_err *err);
void cv_door_close(cv_mail_door *door);

/* Is nothing to be taken in, as far as this handle of the record was told? Then the lock is not needed (changes.c). And
 * everything was looked at. */
bool cv_door_is_untouched(cv_mail_door *door);
void cv_door_was_looked_at(const cv_mail_door *door);

/* Places below the mail root. */
cv_where cv_door_root(const cv_mail_door *door);
cv_where cv_door_in(const cv_mail_door *door, const cv_door_agent *agent, cv_door_folder folder, const char *name);

/* The agent of this name, once for a pass; its id is absent if there is none. */
bool cv_door_find_agent(cv_mail_door *door, cv_str name, cv_door_agent **ret_agent, cv_err *err);

/* The agent of this name; NULL in *ret_agent: there is none, or it has no files. */
bool cv_door_reader_of(cv_mail_door *door, cv_str name, cv_door_agent **ret_agent, cv_err *err);

/* The same, and its folders are made. */
bool cv_door_agent_of(cv_mail_door *door, cv_str name, cv_door_agent **ret_agent, cv_err *err);

/* The agent whose folder in runtime/ has this name: its id, or another name of it. */
bool cv_door_agent_at(cv_mail_door *door, const char *folder, cv_door_agent **ret_agent, cv_err *err);

/* Replaces or makes a file, whole, without a sync. What somebody else wrote there stays (file_changed). */
bool cv_door_write(cv_where where, cv_str bytes, cv_err *err);

/* A message in a folder of an agent, whose file is never written again; the folder is made if it is not there. What
 * somebody else wrote there stays (file_changed). `marked`: the file has the mark: it is as it was written. */
bool cv_door_write_message(cv_mail_door *door, cv_door_agent *agent, cv_door_folder folder, const char *name,
                           cv_str bytes, bool marked, cv_err *err);

/* Replaces or makes a file with the mark. What is there goes by the rules (base/file.h): what is not known is kept
 * beside it. */
bool cv_door_replace(const cv_mail_door *door, cv_where where, cv_str bytes, cv_file_rules *rules, cv_err *err);

/* Gives a file another place, never over another one. `durable`: it is there after a crash, too. *ret_gone: it was not
 * there any more, which is not an error. */
bool cv_door_move(cv_where from, cv_where to, bool durable, bool *ret_gone, cv_err *err);

/* Adds whole lines to a file that is only ever added to; made if it is not there. */
bool cv_door_append(cv_where where, cv_str lines, cv_err *err);

/* Counts a file and remembers what became of it. NULL: it belongs to no agent. */
typedef enum { CV_DOOR_TAKEN, CV_DOOR_REFUSED, CV_DOOR_RETURNED, CV_DOOR_WAITING } cv_door_result;
void cv_door_tell(cv_mail_door *door, const cv_door_agent *agent, const char *name, cv_door_result outcome,
                  cv_str reason);

/* A line in the agent's files.log. */
void cv_door_log(cv_mail_door *door, const cv_door_agent *agent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What is wrong with one file or folder is reported, and does not hold up the others. True: the error is gone. */
bool cv_door_pass_over(cv_err *err);

/* ---- looking for changes -----------------------------------------------------------------------------------------
 *
 *     .marks: not now   the mark   a second look   …   .marks: hold
 *
 * A folder whose time of change has the mark was not changed since it was set. It is set before the folder is read, so
 * nothing is missed; where a file system keeps coarser times it never has it, and the folder is read each time.
 *
 * Between the mark and the end of that reading it says too much: what was put there just before the mark is not known
 * yet. So marks count only while .marks says that they hold, which is asked after them. A process that sets one says
 * first that they do not, and afterwards that they do; others meanwhile wait for the lock. After a process that was
 * killed in between, or another start of the machine, everything is looked at again.
 *
 * What the program itself changes in a quiet folder must not make it look at every file again: it sets another mark,
 * which is good for a moment after the last reading. If others than its own came or went meanwhile, the mark goes: the
 * names before and after tell it, or the kernel, if it watches the folders for this handle (changes.c). */
bool cv_door_is_quiet(const cv_mail_door *door, const char *path);
bool cv_door_is_as_written(const cv_mail_door *door, const char *path); /* a file that got the mark as it was written */
bool cv_door_is_marked(const struct stat *st);
struct timespec cv_door_mark_time(int64_t now_ms); /* of a file that has the mark from the first moment on */
void cv_door_mark(cv_mail_door *door, const char *path);
void cv_door_mark_briefly(cv_mail_door *door, const char *path); /* for CV_DOOR_BRIEF_MS at most */
void cv_door_unmark(const cv_mail_door *door, const char *path);

/* Do the marks hold? Asked after they were read, or with the lock. */
bool cv_door_marks_hold(const cv_mail_door *door);

/* All that was to be done with the lock is done: marks that were set hold from now on. */
void cv_door_end_marking(cv_mail_door *door);

typedef struct {
    const char *path;
    bool quiet;
    int64_t second;     /* of the last reading */
    cv_door_list names; /* what was there before; not read if the kernel reports changes */
} cv_door_change;
cv_door_change cv_door_change_begin(cv_mail_door *door, const cv_door_agent *agent, cv_door_folder folder);
void cv_door_change_end(cv_mail_door *door, const cv_door_change *change, const char *own);

/* Is this handle of the record told of all changes in the folders (changes.c)? Then the marks of those go in which
 * somebody else has changed something since the last time. */
bool cv_door_is_told(const cv_mail_door *door);
void cv_door_unmark_told(cv_mail_door *door);

/* Names in a folder, in byte order; those that begin with a dot are left out unless `hidden`. One that is missing has
 * none. */
bool cv_door_read(const cv_mail_door *door, cv_where folder, bool hidden, cv_door_list *ret, cv_err *err);
bool cv_door_folders(const cv_mail_door *door, cv_where folder, cv_door_list *ret, cv_err *err); /* those in it */

/* "task_0000000007.json" <-> 7. False: it has another form. */
const char *cv_door_name_of(cv_arena *a, int64_t seq);
bool cv_door_seq_of(const char *name, int64_t *ret_seq);

/* Moves what cannot be taken in to the quarantine, under the name that it had, with its reason beside it. */
bool cv_door_quarantine(cv_mail_door *door, const cv_door_agent *agent, cv_where file, const char *name, cv_str reason,
                        cv_err *err);

/* A name in the archive that nobody has: its own, or with a number. */
bool cv_door_archive(cv_mail_door *door, const cv_door_agent *agent, cv_where file, const char *name, cv_err *err);

/* Watches all folders that others put files into. */
void cv_door_watch(const cv_mail_door *door, cv_notify *n, cv_err *err);

/* ---- what is done through the door ------------------------------------------------------------------------------ */

/* Is nothing to be taken in, and has everything that was committed been written? Without the lock: take.c, show.c. */
bool cv_door_is_settled(cv_mail_door *door, bool *ret_settled, cv_err *err);
bool cv_door_is_shown(cv_mail_door *door, bool *ret_shown, cv_err *err);
bool cv_door_has_shown(cv_mail_door *door, int64_t rev); /* what was committed up to this rev of the post office */

/* Before anything is taken in: in new folders, too, all of that is shown as every later commit is: show.c. */
bool cv_door_begin_taking(cv_mail_door *door, cv_err *err);

/* Takes in what others have put, moved or edited: take.c, moved.c, mailbox.c, states.c, reported.c. */
bool cv_door_take_in(cv_mail_door *door, cv_err *err);

/* The folders of one agent, or of all who have files: show.c. */
bool cv_door_make_folders(cv_mail_door *door, cv_str id, cv_err *err);

/* Writes what the record has and the files do not yet show: show.c. */
bool cv_door_catch_up(cv_mail_door *door, cv_err *err);

#endif
