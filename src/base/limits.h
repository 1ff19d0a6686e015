/* limits.h - every ceiling that is not a room's own, with its reason.
 *
 * Whatever grows with input stops at one of these and says so by name; nothing is cut silently.
 */
#ifndef CV_BASE_LIMITS_H
#define CV_BASE_LIMITS_H

#include <stddef.h>

enum {
    /* Nested arrays and objects in JSON; real requests reach 6. Keeps the reader's stack small. */
    CV_MAX_JSON_DEPTH = 128,
    /* Faults that are reported for one request; a caller that has more has misread the schema. And what is repeated of
     * a value or a key in a fault, in bytes. */
    CV_MAX_FAULTS = 1000,
    CV_MAX_EXCERPT = 160,
    /* A path as it is stored; PATH_MAX of most systems is 4096. */
    CV_MAX_PATH = 1024,
    /* Rows on one page of a list. */
    CV_MAX_PAGE = 1000,
    /* Times that a reader begins again because the scope has changed between two of its readings. */
    CV_MAX_READINGS = 8,
    /* Folders below a named one when files are looked for; deeper is a loop or a mistake. */
    CV_MAX_WALK_DEPTH = 64,
    /* Findings that one run of the linter reports for one file; the rest is counted. */
    CV_MAX_FINDINGS = 10000,
    /* Fixes in one pass of --fix, and passes: a fix uncovers another one at most a few times, and a file at its ceiling
     * has no more of them than both allow together. */
    CV_MAX_FIXES = 1000000,
    CV_MAX_FIX_PASSES = 64,
    /* Words of a query that are looked for; more make a search slower, not better. The rest is left out, and said so.
     */
    CV_MAX_QUERY_WORDS = 64,
    /* Places in one text where a search marks its words: enough to find the best lines for an excerpt. */
    CV_MAX_MARKS = 256,
    /* A token for HTTP clients: it fits into a request's headers beside all others. */
    CV_MAX_TOKEN = 4096,
    /* A URI that a client subscribes to: it is kept for as long as the client is there. */
    CV_MAX_URI = 2048,
    /* Warnings that one answer lists; the rest is counted. */
    CV_MAX_WARNINGS = 1000,
};

/* A text file that is read whole: far above any dialogue (the largest known is 55 KB), far below memory. */
#define CV_MAX_FILE_BYTES ((size_t)256 << 20)

/* A JSON document that is read whole, and one string in it. */
#define CV_MAX_JSON_BYTES ((size_t)256 << 20)

/* One message of a client to a server: a whole round with all its responses takes a fifth of it. */
#define CV_MAX_MESSAGE_BYTES ((size_t)32 << 20)

/* Bodies of requests that an HTTP server holds at once, unfinished or not yet answered: four of the largest. Small ones
 * are not counted, so that they pass while large ones are refused: there are no more of them than connections. */
#define CV_MAX_BODIES_BYTES ((size_t)128 << 20)
#define CV_SMALL_BODY_BYTES ((size_t)32 << 10)

/* A growing buffer without a ceiling of its own. */
#define CV_MAX_BUF_BYTES ((size_t)1 << 30)

/* Room on a disk below which the doctor warns: the log of one large write, and something over. */
#define CV_LEAST_DISK ((size_t)100 << 20)

#endif
