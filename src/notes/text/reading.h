/* reading.h - what the readers of a file share: lines, the prefix of a comment, keys, values. Not for others. */
#ifndef CV_NOTES_TEXT_READING_H
#define CV_NOTES_TEXT_READING_H

#include "notes/text/note.h"

/* One line: its bytes without the line break, and where the next one begins. */
typedef struct {
    size_t start, end, next;
} cv_notes_line;

static inline cv_notes_line cv_line_at(cv_str text, size_t start)
{
    const char *eol = start < text.n ? memchr(text.p + start, '\n', text.n - start) : NULL;
    size_t end = eol ? (size_t)(eol - text.p) : text.n, next = eol ? end + 1 : end;
    if (end > start && text.p[end - 1] == '\r')
        end--;
    return (cv_notes_line){start, end, next};
}

static inline cv_str cv_line_text(cv_str text, cv_notes_line line)
{
    return cv_str_head(cv_str_from(text, line.start), line.end - line.start);
}

/* The beginning of the line that holds a byte, and of the one before it (SIZE_MAX: there is none). */
size_t cv_line_start(cv_str text, size_t offset);
size_t cv_line_before(cv_str text, size_t start);

/* What a line says behind the comment's prefix. False: the line is not of this comment (any more). */
bool cv_notes_strip(cv_notes_container container, cv_str line, cv_str *ret_content);

size_t cv_notes_indent(cv_str content); /* blanks at its beginning */
bool cv_notes_is_blank(cv_str content);
bool cv_notes_is_rule(cv_str content);   /* "---" alone */
bool cv_notes_is_banner(cv_str content); /* at least four of = - * # _ alone */

/* "key:", "key: value", with `item` also "- key: value". *ret_key, and what is behind the colon. */
bool cv_notes_split_key(cv_str content, bool item, cv_str *ret_key, cv_str *ret_rest);

/* Lines one after the other, each stripped. */
typedef struct {
    cv_arena *arena;
    cv_str text;
    cv_notes_container container;
    size_t limit;  /* no line begins here or behind it */
    size_t number; /* of `line` */
    cv_notes_line line;
    cv_str content;
} cv_cursor;

cv_cursor cv_cursor_at(cv_arena *a, cv_str text, cv_notes_container container, cv_span range, size_t number);
bool cv_cursor_ended(const cv_cursor *c);
void cv_cursor_next(cv_cursor *c);

/* The field on the cursor's line, with the lines of its value; the cursor is after them afterwards. `rest` is a
 * view into the line, as cv_notes_split_key gave it. */
cv_note_field cv_notes_read_field(cv_cursor *c, cv_str key, cv_str rest, size_t indent);

typedef struct {
    cv_note *items;
    size_t count, capacity;
} cv_note_list;

/* Sets `of`, span and lines from the fields, and what can be said about them alone. */
void cv_note_settle(cv_note *note);

/* Behind the lines of a doctype that begins at `start`; it may have several. */
size_t cv_notes_behind_doctype(cv_str text, size_t start);

/* The header at the top; its dialogs are added to the file. */
void cv_notes_read_header(cv_arena *a, cv_notes_file *file);

/* The keys of a header between two lines, and its dialogs. */
void cv_notes_read_keys(cv_arena *a, cv_str text, cv_notes_header *header, cv_note_list *ret_notes);

/* How things are where a line begins: in code or text, in a comment, in a string, in a fence. */
typedef enum {
    CV_AT_CODE,
    CV_AT_COMMENT,
    CV_AT_HTML_COMMENT,
    CV_AT_STRING,
    CV_AT_FENCE,
    CV_AT_OUTSIDE,
    CV_AT_MARKUP, /* between two tags of JSX */
    CV_AT_UNSURE  /* the markup cannot be followed */
} cv_at;

/* For each of `count` offsets, which ascend and are beginnings of lines, *ret_at says it; reading begins at `from`.
 * `other`: where dialects differ, as the other one has it: in SQL a backslash escapes a quote, and strings of C go on
 * over lines. */
void cv_notes_states(cv_str text, cv_notes_reader reader, bool other, size_t from, const size_t *offsets, size_t count,
                     cv_at *ret_at);

/* The same for one offset in JavaScript with markup in it. */
cv_at cv_notes_markup_at(cv_str text, size_t offset);

/* The entries of a dialog file in Markdown. */
void cv_notes_read_markdown(cv_arena *a, cv_notes_file *file);

#endif
