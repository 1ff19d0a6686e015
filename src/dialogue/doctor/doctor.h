/* doctor.h - what is wrong with a project, and what to do about it.
 *
 *     check      level     message                                    what to do
 *     record     ok        212 KB, yours, can be written
 *     history    error     dialogue 'x': event/3: hash …              restore the last backup that verifies …
 *     files      note      2 responses have no file                   conclave doctor --repair
 *
 * Looks and says; nothing here fails because something is broken. What cannot be looked at, because the record does not
 * open, is left out, and the finding about the record says why. With `repair` it does what can do no harm: files that
 * an interrupted write left behind go, response files that are missing are written again from the record, the search
 * index is made anew. It never touches a row, and no file that somebody else could have written.
 */
#ifndef CV_DIALOGUE_DOCTOR_DOCTOR_H
#define CV_DIALOGUE_DOCTOR_DOCTOR_H

#include "dialogue/state.h"
#include "dialogue/words/words.h"

typedef enum {
    CV_DOCTOR_OK,
    CV_DOCTOR_NOTE,    /* good to know */
    CV_DOCTOR_WARNING, /* something will go wrong, or is odd */
    CV_DOCTOR_ERROR,   /* something is wrong */
    CV_DOCTOR_LEVELS
} cv_doctor_level;
extern const cv_words cv_doctor_levels; /* "ok", "note", … */

typedef struct {
    const char *check; /* "history" */
    cv_doctor_level level;
    cv_str message;
    cv_str what;   /* the path or dialogue that it is about; may be empty */
    cv_str remedy; /* a command or a sentence; empty when there is nothing to do */
    bool repaired; /* it was so, and was mended now */
} cv_doctor_finding;

typedef struct {
    cv_call call; /* with the store, once it is open */
    bool repair;
    const char *folder;   /* .conclave */
    const char *database; /* .conclave/conclave.db */
    CV_STATE_LIST(cv_doctor_finding) findings;
} cv_doctor;

/* A finding, to be filled in further. */
cv_doctor_finding *cv_doctor_say(cv_doctor *d, const char *check, cv_doctor_level level, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same from an error that a function below reported. */
cv_doctor_finding *cv_doctor_fail(cv_doctor *d, const char *check, cv_doctor_level level, const cv_err *err);

/* ---- doctor_place.c: before anything is opened ---- */
bool cv_doctor_project(cv_doctor *d);
/* false: nothing in it can be looked at */ /* the folder: permissions, .gitignore */
bool cv_doctor_record(cv_doctor *d);        /* the database and its log: ours, writable; false: there is none */
void cv_doctor_rights(cv_doctor *d);        /* of others, to the folder and to the files in it */
void cv_doctor_disk(cv_doctor *d);
void cv_doctor_room(cv_doctor *d, uint64_t room, uint64_t record); /* bytes that are free, bytes of the record */

/* ---- doctor_store.c: what the store says ---- */
bool cv_doctor_open(cv_doctor *d); /* false: it does not open, and a finding says why */
void cv_doctor_integrity(cv_doctor *d);
void cv_doctor_watermark(cv_doctor *d);
void cv_doctor_history(cv_doctor *d);
void cv_doctor_search(cv_doctor *d);

/* ---- doctor_files.c: what lies around ---- */
void cv_doctor_files(cv_doctor *d);   /* of every dialogue */
void cv_doctor_orphans(cv_doctor *d); /* folders without a dialogue, leftovers of writes */

#endif
