/* record_handle.h - one thread's place at the project's record, for servers that run long.
 *
 * A server may be started before there is a project, and the record may be replaced while it runs (`rm -r .conclave`,
 * `conclave init`; a backup put back; a copy on a server): what was opened then is a record that nobody else can find
 * any more, and what was written into it would be lost. So it is looked at before every use, and opened again; also
 * when it could only be read and can be written now. What could not be opened leaves nothing behind, however often it
 * is tried.
 */
#ifndef CV_DOOR_RECORD_HANDLE_H
#define CV_DOOR_RECORD_HANDLE_H

#include <sys/stat.h>

#include "record/record.h"

/* A zeroed one is ready. */
typedef struct {
    cv_arena root_arena, store_arena;
    const char *root;   /* the project's folder; NULL: none was found yet */
    cv_record *record;  /* NULL: not open */
    size_t opened;      /* how often */
    const char *config; /* the file that says where the record is, and which one that was */
    struct stat chosen; /* all zeros: there was none */
} cv_record_handle;

/* The record of the project at or above `root` (NULL: the current folder), as it is there now. */
bool cv_record_handle_open(cv_record_handle *handle, const char *root, cv_err *err);
void cv_record_handle_close(cv_record_handle *handle);

#endif
