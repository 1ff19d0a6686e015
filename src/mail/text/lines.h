/* lines.h - JSON Lines as they are found: one value per line, and what killed writers and other programs left.
 *
 *     {"message_id": "m1", …}\n        a line
 *     {"message_id": "m2", "ta         the last line without its end: torn, or whole and only the line break is missing
 *
 * Files that should be JSON Lines are often one JSON array; then its items come one by one. Empty lines, comments
 * before a line and NULs behind the last one are skipped. A line that cannot be read is reported with its reason; the
 * others come anyway.
 */
#ifndef CV_MAIL_TEXT_LINES_H
#define CV_MAIL_TEXT_LINES_H

#include "mail/text/repair.h"

typedef enum {
    CV_MTEXT_LINES_WHOLE,      /* every line has its end */
    CV_MTEXT_LINES_UNFINISHED, /* the last line is a whole value, but has no line break */
    CV_MTEXT_LINES_TORN,       /* the last line ends in the middle */
    CV_MTEXT_LINES_ARRAY,      /* one JSON array */
    CV_MTEXT_LINES_EMPTY,      /* nothing */
    CV_MTEXT_LINES_NULS        /* NUL bytes only */
} cv_mtext_lines_form;

typedef struct {
    size_t number; /* 1-based line (of an array: item) */
    cv_str bytes;  /* as they are there */
    cv_mtext text; /* how they were read; state from EMPTY on: not */
    cv_str reason; /* … and why */
} cv_mtext_line;

typedef struct {
    cv_mtext_lines_form form;
    size_t sound; /* bytes up to the end of the last whole line: a file is cut there, or goes on there */
    struct {
        cv_mtext_line *items;
        size_t count, capacity;
    } lines;
} cv_mtext_lines;

void cv_mtext_lines_read(cv_arena *a, cv_str bytes, cv_mtext_lines *ret);

#endif
