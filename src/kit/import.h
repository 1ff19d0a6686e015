/* import.h - files that are taken into the record: what the import of a room is given, and what it tells.
 *
 *     conclave import PATH…
 *       every room that imports       does a path look like its own files?     fit
 *       the room that it fits best    finds, reads and writes                  run
 *       the project                   makes one answer of what they tell
 *
 *     {"dry_run": false, "dialogues": [{"name", "outcome": "imported", …}], "counts": {"imported": 1, …}, "status", …}
 *
 * Where a path fits several rooms equally well, all of them get it: a folder may hold files of several. Each adds one
 * list to the answer, under the name that its scopes have, and its own words to the counts.
 */
#ifndef CV_KIT_IMPORT_H
#define CV_KIT_IMPORT_H

#include "base/where.h"
#include "kit/call.h"

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
    cv_json_writer *w;                 /* its list is open: one object for each thing that was found */
    cv_buf *text;                      /* the same for people; NULL: they do not read it */
    size_t outcomes[CV_OUTCOME_COUNT]; /* of these things */
    size_t ignored;                    /* files that are not of a kind that it reads */
    cv_json_writer counts;             /* an object is open: what else was counted, in the room's words */
} cv_import;

typedef struct {
    /* Looks at names, and at little else. */
    cv_import_fit (*fit)(cv_arena *a, cv_where path);
    /* NULL: the room imports nothing. False: call->errs says why nothing was done, or was not done to the end. */
    bool (*run)(cv_import *import);
} cv_room_import;

#endif
