/* splice.h - pieces of a text that take the place of others; what writers of notes share. Not for others. */
#ifndef CV_NOTES_TEXT_SPLICE_H
#define CV_NOTES_TEXT_SPLICE_H

#include "notes/text/write.h"

typedef struct {
    cv_span at;   /* these bytes go … */
    cv_str bytes; /* … for these */
    size_t order;
} cv_splice;

typedef struct {
    cv_splice *items;
    size_t count, capacity;
} cv_splices;

void cv_splice_add(cv_arena *a, cv_splices *all, cv_span at, cv_str bytes);
cv_str cv_splice_text(cv_arena *a, cv_str text, cv_splices *all);

/* A value as it is written in this style, or in double quotes where the style cannot hold it. */
cv_str cv_note_encode(cv_arena *a, cv_note_style style, cv_str value);
cv_note_style cv_note_usual_style(cv_note_field_id id, cv_str value);

/* Would YAML read this value, without quotes, as another one or as none? */
bool cv_note_is_misread(cv_note_field_id id, cv_str value);

/* A dialog in a header that has none; a header in a file that has none. */
void cv_splice_dialog(cv_arena *a, const cv_notes_file *file, const cv_note_values *values, cv_splices *all);
bool cv_splice_header(cv_arena *a, const cv_notes_file *file, const cv_note_values *values, cv_splices *all,
                      cv_err *err);

#endif
