/* write.h - setting and adding dialogs: what a file becomes, byte for byte.
 *
 *     set        only the bytes of the values change, each in the style that it has; a missing field gets a line
 *     insert     a note, whole, at the beginning of a line, in the comment syntax of the file's language
 *     create     a header at the top of a file that has none
 *
 * Whatever is asked for is checked before and read again after: a value that would leave its comment, a header that is
 * not closed, doubled or fenced, a place inside of a string, a fence or a comment is refused with its reason. Nothing
 * is written here: the answer is the new text.
 */
#ifndef CV_NOTES_TEXT_WRITE_H
#define CV_NOTES_TEXT_WRITE_H

#include "base/err.h"
#include "notes/text/note.h"

/* The values of a dialog; absent ones are left as they are (set) or left out (insert). */
typedef struct {
    cv_str of[CV_NOTE_FIELDS];
    bool adds_date; /* set: the date gets a line where there is none */
} cv_note_values;

/* Is it what the specification allows? The error names the field. All faults, one per call of `tell`. */
typedef void (*cv_note_fault)(void *ctx, cv_note_field_id field, cv_err_code code, const char *message,
                              const char *advice);
bool cv_note_values_check(const cv_note_values *values, cv_note_fault tell, void *ctx);

/* A value that would end the comment it is in, or would not be read back: refused, with the field. */
bool cv_note_values_fit(const cv_note_values *values, cv_notes_language language, cv_notes_container container,
                        cv_note_field_id *ret_field, cv_err *err);

/* May the header dialog of this file be changed? Files without a header: yes, it will be made. */
bool cv_notes_may_set(const cv_notes_file *file, cv_err *err);

/* The file with another header dialog. */
bool cv_notes_set_header(cv_arena *a, const cv_notes_file *file, const cv_note_values *values, cv_str *ret_text,
                         cv_err *err);

/* `content` with the header of `file`, where it has none of its own. */
bool cv_notes_with_header(cv_arena *a, const cv_notes_file *file, cv_str content, cv_str *ret_text, cv_err *err);

/* Where a note goes. */
typedef struct {
    size_t line;   /* before this line, from 1; one behind the last: at the end; 0: see `before` */
    cv_str before; /* a heading, or any whole line, without regard to blanks around it */
    cv_note_values values;
} cv_note_insertion;

/* The file with these notes; lines count before any of them is put in. *ret_bad: which of them was refused. */
bool cv_notes_insert(cv_arena *a, const cv_notes_file *file, const cv_note_insertion *notes, size_t count,
                     cv_str *ret_text, size_t *ret_bad, cv_err *err);

#endif
