/* threads.h - conversations that messages are given to: by name, or by number. */
#ifndef CV_NOTES_THREADS_H
#define CV_NOTES_THREADS_H

#include "kit/call.h"
#include "kit/writing.h"
#include "notes/types.h"

/* Inside of a write: the thread with this name, which is made when there is none, or with this number. */
bool cv_notes_thread_find(cv_call *call, cv_writing *w, cv_str name, int64_t *ret_number, cv_err *err);

/* The number of a thread that is there, by name or number. */
bool cv_notes_thread_known(cv_call *call, cv_str name, int64_t *ret_number, cv_err *err);

#endif
