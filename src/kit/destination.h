/* destination.h - where an operation may write a file.
 *
 * Callers other than the command line stay below the project's root (base/path.h). Nobody writes into the record's own
 * folder, except the folders that rooms have there:
 *
 *     .conclave/conclave.db, -wal, -shm …     never
 *     .conclave/dialogues/ID/…                yes
 */
#ifndef CV_KIT_DESTINATION_H
#define CV_KIT_DESTINATION_H

#include "base/where.h"
#include "kit/room.h"

/* The record's folder in a project, or `name` in it; "" is the folder itself. With "" as root: relative to it. */
const char *cv_record_path(cv_arena *a, const char *root, const char *name);
extern const char *const cv_record_database; /* its name there */

/* ".conclave/dialogues": the folder of a room that has one, in the project. */
const char *cv_room_folder(cv_arena *a, const cv_room *room);

/* `path` as this caller means it, or an error without its field. */
bool cv_destination_where(const cv_call *call, cv_str path, cv_where *ret_where, cv_err *err);

/* A folder that the record names, relative to the project's root. Below the root no component may be a link; one that
 * lies elsewhere was named by a user, and is a root of its own for what the program puts into it. */
bool cv_destination_folder(const cv_call *call, cv_str path, cv_where *ret_where, cv_err *err);

/* Is a file to be replaced that conclave did not write? `force` says so, at the command line only: a client of a server
 * never destroys anything. The advice is for callers that may not. */
bool cv_destination_forced(const cv_call *call);
cv_str cv_destination_advice(const cv_call *call);

#endif
