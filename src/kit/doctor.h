/* doctor.h - what is wrong with a project, and what to do about it: the findings of every room.
 *
 *     check      level     message                                    what to do
 *     record     ok        212 KB, yours, can be written
 *     history    error     dialogue 'x': event/3: hash …              restore the last backup that verifies …
 *     files      note      2 responses have no file                   conclave doctor --repair
 *
 * The project looks at what all rooms share (project/doctor.h); a room looks at its own files (`doctor` in its
 * descriptor). Nothing here fails because something is broken: it becomes a finding.
 */
#ifndef CV_KIT_DOCTOR_H
#define CV_KIT_DOCTOR_H

#include "base/where.h"
#include "kit/call.h"
#include "record/store.h"

typedef enum {
    CV_DOCTOR_OK,
    CV_DOCTOR_NOTE,    /* good to know */
    CV_DOCTOR_WARNING, /* something will go wrong, or is odd */
    CV_DOCTOR_ERROR,   /* something is wrong */
    CV_DOCTOR_LEVELS
} cv_doctor_level;

typedef struct {
    const char *check; /* "history" */
    cv_doctor_level level;
    cv_str message;
    cv_str what;   /* the path or scope that it is about; may be empty */
    cv_str remedy; /* a command or a sentence; empty when there is nothing to do */
    bool repaired; /* it was so, and was mended now */
} cv_doctor_finding;

typedef struct {
    cv_call call; /* with the store, once it is open */
    bool repair;
    const char *folder; /* .conclave */
    cv_store store;     /* where the record is kept */
    struct {
        cv_doctor_finding *items;
        size_t count, capacity;
    } findings;
} cv_doctor;

/* A finding, to be filled in further. */
cv_doctor_finding *cv_doctor_say(cv_doctor *d, const char *check, cv_doctor_level level, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same from an error that a function below reported. */
cv_doctor_finding *cv_doctor_fail(cv_doctor *d, const char *check, cv_doctor_level level, const cv_err *err);

/* The finding is about this path. */
cv_doctor_finding *cv_doctor_about(cv_doctor *d, cv_where where, cv_doctor_finding *f);

/* A file that an interrupted write left behind is reported, and with `repair` removed. True: the name was such a file.
 */
bool cv_doctor_leftover(cv_doctor *d, cv_where folder, const char *name);

#endif
