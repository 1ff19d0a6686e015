/* files.c - what happens around an operation; see files.h. */
#include "mail/files.h"

bool cv_mail_run(cv_call *call, cv_handler handler)
{
    return handler(call);
}
