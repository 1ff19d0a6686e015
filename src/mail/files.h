/* files.h - every operation of the room goes through here: what happens around it.
 *
 * The folders and files of the room are a door to the record. What was put there is taken in before an operation, and
 * what the operation changed is written after it.
 */
#ifndef CV_MAIL_FILES_H
#define CV_MAIL_FILES_H

#include "kit/call.h"

bool cv_mail_run(cv_call *call, cv_handler handler);

#endif
