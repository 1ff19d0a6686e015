/* operations.h - what is done to a project and its record as a whole: one function per operation, over all rooms.
 *
 * The rows of ops.c name these functions. Each finds its input checked against its schema, writes one JSON object to
 * call->out and returns true; or it adds every fault to call->errs and returns false (kit/call.h).
 */
#ifndef CV_PROJECT_OPERATIONS_H
#define CV_PROJECT_OPERATIONS_H

#include "kit/call.h"
#include "kit/shape.h"

bool cv_project_import(cv_call *call);
struct cv_room;
const char *cv_import_about(const struct cv_room *room); /* which files the room takes; NULL: none */

bool cv_record_verify(cv_call *call);
bool cv_record_seal(cv_call *call);
bool cv_record_accept(cv_call *call);
bool cv_record_backup(cv_call *call);
bool cv_record_copy_to(cv_call *call);
bool cv_record_doctor(cv_call *call);
bool cv_record_restore(cv_call *call);

/* The same; `step` is called before each change of a file, so that a test can end the process there. */
bool cv_record_restore_with(cv_call *call, void (*step)(void *ctx), void *ctx);
bool cv_project_feed(cv_call *call);
bool cv_project_search(cv_call *call);
bool cv_project_redact(cv_call *call);
bool cv_project_export_scope(cv_call *call);
bool cv_project_import_scope(cv_call *call);

/* ---- the forms of their answers (kit/shape.h) -------------------------------------------------------------------- */

extern const cv_shape cv_accept_shape[];
extern const cv_shape cv_backup_shape[];
extern const cv_shape cv_copy_shape[];
extern const cv_shape cv_doctor_shape[];
extern const cv_shape cv_init_shape[];
extern const cv_shape cv_export_scope_shape[];
extern const cv_shape cv_feed_shape[];
extern const cv_shape cv_import_shape[];
extern const cv_shape cv_import_scope_shape[];
extern const cv_shape cv_redact_shape[];
extern const cv_shape cv_restore_shape[];
extern const cv_shape cv_seal_shape[];
extern const cv_shape cv_search_shape[];
extern const cv_shape cv_verify_shape[];

#endif
