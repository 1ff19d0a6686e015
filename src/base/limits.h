/* limits.h - every ceiling of the program, with its reason.
 *
 * Whatever grows with input stops at one of these and says so by name; nothing is cut silently.
 */
#ifndef CV_BASE_LIMITS_H
#define CV_BASE_LIMITS_H

#include <stddef.h>

enum {
    /* Brackets inside a marker's label. More is not a label, and the bound keeps the scan linear. */
    CV_MAX_LABEL_DEPTH = 8,
    /* Backticks that open a code span; longer runs are text, so that each length is searched for once per line. */
    CV_MAX_TICKS = 32,
    /* Nested arrays and objects in JSON; real requests reach 6. Keeps the reader's stack small. */
    CV_MAX_JSON_DEPTH = 128,
    /* An expert's slug, as the record stores it. */
    CV_MAX_SLUG = 32,
    /* A dialogue id: fits a file name with suffixes on every file system. */
    CV_MAX_DIALOGUE_ID = 80,
    /* Rounds and entities per round and kind: display ids have two digits for each. */
    CV_MAX_ROUND = 99,
    CV_MAX_SEQ = 99,
    /* Faults that are reported for one request; whoever has more of them has misread the schema. And what is repeated
     * of a value or a key in a fault, in bytes. */
    CV_MAX_FAULTS = 1000,
    CV_MAX_EXCERPT = 160,
    /* The title of a dialogue or a round in characters: it becomes a heading, a line of a list and the id. */
    CV_MAX_TITLE = 500,
    /* A label in characters: a cell of tables and a line of lists, in every later prompt. The longest that is known has
     * 192; above the second number its writer is told. */
    CV_MAX_LABEL = 500,
    CV_LONG_LABEL = 200,
    /* A role, a focus, a domain: one line of a prompt or a cell of a table. */
    CV_MAX_PHRASE = 1000,
    /* A question, a description, a reason: pages, but not books; every expert reads them. */
    CV_MAX_PROSE = 100000,
    /* Experts in one pool and in one dialogue; real pools have 8 to 30. */
    CV_MAX_EXPERTS = 500,
    /* Background and calibration as JSON, in bytes: they go into every expert's prompt. */
    CV_MAX_BACKGROUND = 1 << 20,
    /* … and how deeply they nest: answers that contain them stay below CV_MAX_JSON_DEPTH. */
    CV_MAX_BACKGROUND_DEPTH = 32,
    /* A path as it is stored; PATH_MAX of most systems is 4096. */
    CV_MAX_PATH = 1024,
    /* Dialogues with the same title: the id's suffix has two digits. */
    CV_MAX_SAME_TITLE = 99,
    /* Dialogues on one page of a list. */
    CV_MAX_PAGE = 1000,
    /* Times that a reader begins anew because the dialogue has changed between two of its readings. */
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
    /* Hits on one page of a search. */
    CV_MAX_HITS = 200,
    /* Hits that the likeness of dialogues is made from: the best of the whole record. */
    CV_MAX_SIMILAR_HITS = 500,
    /* Words of a label and of a text by which items are compared; what says the same begins alike. */
    CV_MAX_TWIN_WORDS = 500,
    /* A token for HTTP clients: it fits into a request's headers beside all others. */
    CV_MAX_TOKEN = 4096,
    /* A URI that a client subscribes to: it is kept for as long as the client is there. */
    CV_MAX_URI = 2048,
    /* Warnings that one answer lists; the rest is counted. */
    CV_MAX_WARNINGS = 1000,
};

/* A text file that is read whole: far above any dialogue (the largest known is 55 KB), far below memory. */
#define CV_MAX_FILE_BYTES ((size_t)256 << 20)

/* An expert's response, in bytes: ten times the longest that an agent is known to have written. */
#define CV_MAX_RESPONSE ((size_t)4 << 20)

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
