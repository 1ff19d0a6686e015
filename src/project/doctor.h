/* doctor.h - what is wrong with a project: the checks that know no room; findings are in kit/doctor.h.
 *
 *     before anything is opened     the folder, the database, who else may, the disk     doctor_place.c
 *     the record                    opens, is whole, agrees with its history             doctor_store.c
 *     the server that keeps it      what its engine finds (`examine` in record.h)
 *     every room                    its own files (`doctor` of its descriptor)
 *     what lies around              leftovers of writes                                  doctor_place.c
 *
 * Looks and says. What cannot be looked at, because the record does not open, is left out, and the finding about the
 * record says why. With `repair` it does what can do no harm: files that an interrupted write left behind go, files of
 * the rooms that are missing are written again from the record, the search index is made again. It never touches a row,
 * and no file that somebody else could have written.
 */
#ifndef CV_PROJECT_DOCTOR_H
#define CV_PROJECT_DOCTOR_H

#include "kit/doctor.h"

/* ---- doctor_place.c ---- */
bool cv_doctor_project(cv_doctor *d); /* the folder: permissions, .gitignore; false: nothing in it can be looked at */
bool cv_doctor_record(cv_doctor *d);  /* where it is kept; the database and its log: ours, writable; false: nowhere */
void cv_doctor_rights(cv_doctor *d);  /* of others, to the folder and to the files in it */
void cv_doctor_disk(cv_doctor *d);
void cv_doctor_room(cv_doctor *d, uint64_t room, uint64_t record); /* bytes that are free, bytes of the record */
void cv_doctor_leftovers(cv_doctor *d);                            /* of writes, in the project's folder and ours */

/* ---- doctor_store.c ---- */
bool cv_doctor_open(cv_doctor *d);   /* false: it does not open, and a finding says why */
void cv_doctor_server(cv_doctor *d); /* what the engine finds about the place where the record is kept */
void cv_doctor_integrity(cv_doctor *d);
void cv_doctor_watermark(cv_doctor *d);
void cv_doctor_history(cv_doctor *d);
void cv_doctor_search(cv_doctor *d);

#endif
