/* plain.h - a response as it came, and as it is read: what is around and inside it is taken off, each time with a
 * remark.
 *
 *     [Subagent hand-back]                       dropped: what a client puts around an answer
 *         ```markdown                            dropped: marks inside a fence around everything, or one never closed
 *         > [muffin-p0101: Cheap]                [MUFFIN-P0101: Cheap]      indent, quotation, spelling (spelling.h)
 *         > It halves the price.                 It halves the price.
 *         | [MUFFIN-T0101: Timing] | Too late |  [MUFFIN-T0101: Timing]
 *                                                Too late
 *     agentId: 4711                              dropped
 *
 * What a client passed as JSON is unwrapped first (unwrap.h).
 *
 * Every byte of the source is in the text, or stands for something in it, or lies in the lines of a remark: words are
 * never dropped. Places in the text lead back to places in the source. Linear: each line is looked at a few times.
 */
#ifndef CV_DIALOGUE_INTAKE_PLAIN_H
#define CV_DIALOGUE_INTAKE_PLAIN_H

#include "dialogue/intake/unwrap.h"

/* What becomes of something that was not written as it should be: `severity` of a diagnostic. */
typedef enum {
    CV_DIAGNOSIS_LOST,     /* it is not kept as what it was meant to be */
    CV_DIAGNOSIS_REPAIRED, /* read as what it was meant to be */
    CV_DIAGNOSIS_NOTE,     /* nothing to mend, but it should be known */
    CV_DIAGNOSIS_COUNT
} cv_diagnosis_severity;
extern const cv_words cv_diagnosis_words; /* "lost", "repaired", "note" */

typedef struct {
    cv_diagnosis_severity severity;
    cv_str type, message, suggestion;
    size_t line, last; /* in the source, 1-based */
} cv_plain_remark;

/* From here on the text comes from there. */
typedef struct {
    size_t at, source, source_end;
    bool exact; /* byte for byte; else all of it stands for [source, source_end) */
} cv_plain_run;

typedef struct {
    cv_str source, text;
    cv_str inner;                           /* what is read: the source, or the text in it when that is JSON */
    cv_unwrapped outer;                     /* … and then, how it leads back */
    CV_STATE_LIST(cv_plain_run) runs;       /* in `inner`; none: the text is all of it */
    CV_STATE_LIST(size_t) lines;            /* of the source, for each line of the text; none likewise */
    CV_STATE_LIST(size_t) begins;           /* for each line of `inner`, where its text begins; none likewise */
    CV_STATE_LIST(cv_plain_run) quoted;     /* quotations of others: nothing in them counts */
    CV_STATE_LIST(cv_plain_remark) remarks; /* by line */
} cv_plain;

void cv_plain_read(const cv_speaker *who, cv_str source, cv_plain *ret_plain);

/* Where in `inner` is what begins, or ends, at this byte of the text? Where in the source is this byte of
 * `inner`? On which line of the source is this line of the text? */
size_t cv_plain_start(const cv_plain *plain, size_t at);
size_t cv_plain_end(const cv_plain *plain, size_t at);
size_t cv_plain_source(const cv_plain *plain, size_t inner);
size_t cv_plain_line(const cv_plain *plain, size_t line);

/* Where the text of a line begins, behind what a program put before it; 0: at its first byte. */
size_t cv_plain_begin(const cv_plain *plain, size_t line);

/* Does this byte of `inner` lie in a quotation that somebody else has signed? */
bool cv_plain_is_quoted(const cv_plain *plain, size_t inner);

#endif
