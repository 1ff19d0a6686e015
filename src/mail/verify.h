/* verify.h - what the events of a post office imply, for `conclave verify`. */
#ifndef CV_MAIL_VERIFY_H
#define CV_MAIL_VERIFY_H

#include "record/verify.h"

cv_room_verify cv_mail_verify(cv_arena *a, cv_arena *scratch);

#endif
