/* project.h - the project's folder and its record.
 *
 *     project/
 *       .conclave/
 *         conclave.db       the record; SQLite keeps conclave.db-wal and -shm beside it
 *         config            … or the address of the server that has it (config.h); then `seen` says how far it was
 *         .gitignore        leaves the record out of git: a binary file that two branches cannot merge
 *         dialogues/ …      the folder of each room: what people and agents read and write
 *
 * The folder and the record are their owner's alone (0700, 0600) when they are made, whatever the umask; an owner who
 * wants others to read them says so with chmod.
 *
 * A command that runs anywhere below the project's folder works in that project.
 */
#ifndef CV_PROJECT_PROJECT_H
#define CV_PROJECT_PROJECT_H

#include "kit/call.h"

/* The project's folder, absolute: `given` (may be NULL), or the nearest one from the current folder upwards, which must
 * belong to the user who asks. It holds .conclave; where there is none, the error names `conclave init`. */
bool cv_project_find(cv_arena *a, const char *given, const char **ret_root, cv_err *err);

/* The record of the project in `root`. */
bool cv_project_open(cv_arena *a, const char *root, cv_record **ret_record, cv_err *err);

/* The operation `init`: makes what is missing of the project in call->root, or in input.dir. */
bool cv_project_init(cv_call *call);

/* Where the record is kept, and which folders are projects, is decided at the command line. False, with a fault: the
 * call came through a server. `what` is a clause: "a project is made". */
bool cv_project_is_local(cv_call *call, const char *what);

#endif
