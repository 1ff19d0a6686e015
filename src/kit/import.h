/* import.h - files that are taken into the record: what the import of a room is given, and what it tells.
 *
 *     conclave import PATH…
 *       every room that imports       does a path look like its own files?     fit
 *       the room that it fits best    finds, reads and writes                  run
 *       the project                   makes one answer of what they report
 *
 *     {"dry_run": false, "dialogues": [{"name", "outcome": "imported", …}], "counts": {"imported": 1, …}, "status", …}
 *
 * Where a path fits several rooms equally well, all of them get it: a folder may hold files of several. Each adds one
 * list to the answer, under the name that its scopes have, and its own words to the counts.
 */
#ifndef CV_KIT_IMPORT_H
#define CV_KIT_IMPORT_H

#include "base/where.h"
#include "kit/invoke.h"
#include "kit/shape.h"

typedef enum {
    CV_FIT_NONE,    /* not its own */
    CV_FIT_PERHAPS, /* it can read it, if nobody else knows it: plain markdown */
    CV_FIT_OWN      /* it looks like what the room writes, or its folders do */
} cv_import_fit;

/* X(id, word): what became of one thing that was found. */
#define CV_OUTCOMES(X)                                                                                                 \
    X(IMPORTED, "imported")                                                                                            \
    X(CONTINUED, "continued")                                                                                          \
    X(UNCHANGED, "unchanged")                                                                                          \
    X(CONFLICT, "conflict")                                                                                            \
    X(SKIPPED, "skipped")                                                                                              \
    X(FAILED, "failed")

typedef enum {
#define X(id, word) CV_OUTCOME_##id,
    CV_OUTCOMES(X)
#undef X
        CV_OUTCOME_COUNT
} cv_import_outcome;
extern const cv_words cv_import_outcomes;

typedef struct {
    cv_call *call;
    cv_record *record;     /* to write to: the project's, or with dry_run a copy of it in memory */
    const cv_where *paths; /* what the room takes */
    size_t count;
    const cv_shape *found;             /* the room's, below */
    cv_json_writer *w;                 /* its list is open: cv_import_add writes into it */
    cv_buf *text;                      /* the same for people; NULL: they do not read it */
    size_t outcomes[CV_OUTCOME_COUNT]; /* of these things */
    size_t ignored;                    /* files that are not of a kind that it reads */
    const void *counted;               /* what else was counted, of the room's shape `counts`; NULL: nothing */
} cv_import;

typedef struct {
    /* Looks at names, and at little else. */
    cv_import_fit (*fit)(cv_arena *a, cv_where path);
    /* NULL: the room imports nothing. False: call->errs says why nothing was done, or was not done to the end. */
    bool (*run)(cv_import *import);
    const char *about;      /* a paragraph for the help: which files it takes, and what becomes of them */
    const cv_shape *found;  /* one thing: it has "name" and "outcome" */
    const cv_shape *counts; /* what it counts besides outcomes, in its own words; NULL: nothing */
} cv_room_import;

/* Tells of one thing, a struct of the room's shape `found`. */
void cv_import_add(cv_import *im, cv_import_outcome outcome, const void *found);

/* For a room in which a file is one call of an operation: calls it, and says what became of the file. `found` of the
 * room is cv_import_file_shape; the outcome is what the reply has as "outcome", else "imported". */
extern const cv_shape cv_import_file_shape[];
void cv_import_file(cv_import *im, cv_where path, cv_handler run, cv_str input, cv_reply *ret_reply);

#endif
