/* files.c - what happens around an operation; see files.h. */
#include "mail/files.h"

bool cv_mail_run(cv_call *call, cv_handler handler)
{
    return handler(call);
}

void cv_mail_files_watch(cv_call *call, cv_notify *n)
{
    (void)call, (void)n;
}

void cv_mail_files_take(cv_call *call)
{
    (void)call;
}
