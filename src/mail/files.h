/* files.h - every operation of the room goes through here: what happens around it.
 *
 * The folders and files of the room are a door to the record (files/door.h). What was put there is taken in before an
 * operation, and what the operation changed is written after it. The record does not depend on them: a folder that
 * cannot be written is reported in the log, and the operation is done.
 */
#ifndef CV_MAIL_FILES_H
#define CV_MAIL_FILES_H

#include "base/notify.h"
#include "kit/call.h"
#include "kit/doctor.h"

bool cv_mail_run(cv_call *call, cv_handler handler);

/* `intake` of the room: takes in what others have put into the folders, then writes what the record has. */
bool cv_mail_take_in(cv_call *call, cv_err *err);

/* `make_places` of the room: an agent that was registered and has files gets its folders. */
bool cv_mail_make_places(cv_call *call, cv_err *err);

/* The record has it, a file does not show it yet: that is reported in the log. Always true. */
bool cv_mail_files_behind(const cv_err *err);

/* A command that waits for mail also waits for files: watches their folders; takes in what has come. */
void cv_mail_files_watch(cv_call *call, cv_notify *n);
void cv_mail_files_take(cv_call *call);

/* What became of a file. */
typedef struct {
    cv_str agent, file;
    cv_str outcome; /* "taken", "refused": it is in quarantine; "returned" to the folder it came from; "waiting" */
    cv_str reason;  /* empty when it was taken */
} cv_mail_handled;
typedef struct {
    cv_mail_handled *items;
    size_t count, capacity;
    size_t left_out; /* above CV_MAIL_FILES_TOLD */
} cv_mail_handled_list;
enum { CV_MAIL_FILES_TOLD = 100 };

/* Adds a copy of it, below the ceiling. */
void cv_mail_handled_add(cv_arena *a, cv_mail_handled_list *list, const cv_mail_handled *file);

/* The same, and how many files were taken in, refused and written, and how many are not ready yet; which ones. */
typedef struct {
    size_t taken, refused, written, waiting;
    cv_mail_handled_list files;
} cv_mail_traffic;
bool cv_mail_pass(cv_call *call, cv_mail_traffic *ret, cv_err *err);

/* What is wrong in the folders: files that nobody takes in, and those in quarantine. */
void cv_mail_doctor_files(cv_doctor *d);

#endif
