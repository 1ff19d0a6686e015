/* files.h - every operation of the room goes through here: what happens around it.
 *
 * The folders and files of the room are a door to the record. What was put there is taken in before an operation, and
 * what the operation changed is written after it.
 */
#ifndef CV_MAIL_FILES_H
#define CV_MAIL_FILES_H

#include "base/notify.h"
#include "kit/call.h"

bool cv_mail_run(cv_call *call, cv_handler handler);

/* Whoever waits also waits for files: watches their folders; takes in what has come. */
void cv_mail_files_watch(cv_call *call, cv_notify *n);
void cv_mail_files_take(cv_call *call);

#endif
