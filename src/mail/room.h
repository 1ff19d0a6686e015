/* room.h - the mail room: agents send each other messages and tasks; see kit/room.h. */
#ifndef CV_MAIL_ROOM_H
#define CV_MAIL_ROOM_H

#include "kit/room.h"

extern const cv_room cv_room_mail;
extern const cv_room_types cv_mail_records;
extern const cv_operation cv_mail_ops[];
extern const cv_resource cv_mail_resources[];
extern const cv_condition cv_mail_conditions[];
void cv_mail_doctor(cv_doctor *d);
bool cv_mail_undone(const cv_call *call, cv_str agent, cv_str *ret_what, cv_err *err);
bool cv_mail_measure(cv_call *call, cv_metrics *ret, cv_err *err);

#endif
