/* report.h - the files of reports, logs and reflections. */
#ifndef CV_MAIL_REPORT_H
#define CV_MAIL_REPORT_H

#include "kit/call.h"

/* Writes the file at this path below the mail root as the record has it now. What somebody else wrote there is kept
 * beside it. */
bool cv_mail_report_show(cv_call *call, cv_str path, cv_err *err);

#endif
