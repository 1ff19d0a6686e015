/* found.h - what was found in files: each file with its notes, kept without its text.
 *
 *     paths -> walk (ignore.h) -> files, in byte order -> read by a few threads at once -> found files
 *
 * Files that are binary, too large or links are counted and skipped; one that is named by itself and cannot be read
 * is an error. The walk is below the project's root, or wherever the command line points to.
 */
#ifndef CV_NOTES_FOUND_H
#define CV_NOTES_FOUND_H

#include "base/where.h"
#include "kit/call.h"
#include "notes/text/note.h"

typedef struct {
    cv_note_kind kind;
    cv_notes_container container;
    cv_note_form form;
    cv_note_reason reason;
    size_t place, line, last_line;
    cv_str of[CV_NOTE_FIELDS]; /* absent: it has none */
    cv_str further;            /* JSON object of its other fields; absent: none */
    cv_str date;               /* from around it, when it has none of its own: YYYYMMDDHHMMSS; absent: none */
    cv_str date_source;        /* "header", "heading" */
} cv_found_note;

typedef struct {
    cv_str path; /* as it is named in answers */
    cv_where where;
    cv_found_note *notes;
    size_t count;
    cv_header_state header;
    size_t header_line, headers, dialogs;
    cv_str sha256, body_sha256; /* of files with a header or notes */
    cv_str trouble;             /* why it could not be read; absent: it could */
    bool is_text;               /* it was read */
    bool is_seen;               /* it was not, for it is as it was: `counted` and sha256 are known, not the notes */
    size_t counted;             /* notes that count */
} cv_notes_file_found;

typedef struct {
    cv_notes_file_found *items; /* those with a header, a note or trouble; with CV_FIND_ALL every text */
    size_t count, capacity;
    size_t looked, bytes;                     /* files that were read, and how much of them */
    size_t ignored, binary, too_large, links; /* skipped */
    cv_where *tops;                           /* what was asked for */
    size_t top_count;
} cv_notes_found;

enum {
    CV_FIND_MARKDOWN = 1,   /* entries of dialog files, too */
    CV_FIND_IN_PROJECT = 2, /* paths are those of the project; others are refused */
    CV_FIND_ALL = 4,        /* also texts without a header and notes */
    CV_FIND_DIGESTS = 8,    /* sha256, body_sha256 */
    CV_FIND_NEW = 16 /* files that are as they were seen before (scan_cache.h) are not read: digests and counts only */
};

/* `paths` of the input, or the whole project (the current folder) when it has none. */
bool cv_notes_find(cv_call *call, unsigned flags, cv_notes_found *ret, cv_err *err);

/* The notes of one text, copied. */
void cv_notes_gather(cv_arena *a, const cv_notes_file *file, cv_notes_file_found *ret);

/* `path` as this caller means it, in the project; the error names the field. */
bool cv_notes_where(cv_call *call, cv_str path, cv_where *ret_where, cv_err *err);

/* The text of a file that holds notes: below the ceiling, not binary. */
bool cv_notes_load(cv_arena *a, cv_where where, cv_str *ret_text, cv_err *err);

#endif
