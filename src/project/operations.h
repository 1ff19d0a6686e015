/* operations.h - the handlers of what stands at the top level; ops.c has their rows. */
#ifndef CV_PROJECT_OPERATIONS_H
#define CV_PROJECT_OPERATIONS_H

#include "kit/call.h"

bool cv_project_feed(cv_call *call);
bool cv_project_search(cv_call *call);
bool cv_project_redact(cv_call *call);
bool cv_project_export_scope(cv_call *call);
bool cv_project_import_scope(cv_call *call);

#endif
