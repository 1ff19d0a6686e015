/* note.h - the dialogs of a file, found byte for byte; nothing is interpreted that need not be.
 *
 *     ---                                     bare, at the top: a WOLFIE header
 *     wolfie.headers.version: 4.0.1           its top-level keys
 *     dialog:                                 the header dialog: a map, or a list with the newest first
 *       speaker: CURSOR                       a field: key, value, style, and where each of its bytes is
 *       target: @everyone                     not YAML (81 % of real headers are not): read anyway
 *       message: "…"
 *     ---
 *
 *      * ---                                  the same in a comment: of C, "--", "#", "//", "<!-- -->", docstrings
 *      * DIALOG:                              an inline dialog: between two lines "---", anywhere
 *
 * cv_notes_read() never fails and never allocates more than the notes it finds. All spans are byte offsets into the
 * text. What merely looks like a dialog is kept with the reason why it does not count: in a code fence, in a string
 * literal or block scalar, a placeholder, or without speaker or message. Every step is linear in the text.
 */
#ifndef CV_NOTES_TEXT_NOTE_H
#define CV_NOTES_TEXT_NOTE_H

#include "notes/words/words.h"

typedef struct {
    size_t start, end;
} cv_span;

static inline cv_str cv_span_of(cv_str text, cv_span at)
{
    return cv_str_head(cv_str_from(text, at.start), at.end - at.start);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

typedef enum {
    CV_STYLE_PLAIN,
    CV_STYLE_DOUBLE,  /* "…" */
    CV_STYLE_SINGLE,  /* '…' */
    CV_STYLE_LITERAL, /* | */
    CV_STYLE_FOLDED,  /* > */
    CV_STYLE_BROKEN,  /* a quote that is not closed on its line: the value is the rest of the line as it is */
    CV_STYLE_COUNT
} cv_note_style;
extern const cv_str cv_note_styles[CV_STYLE_COUNT];

typedef struct {
    cv_str key, value; /* as written; decoded once */
    int field;         /* cv_note_field_id, or -1 */
    cv_note_style style;
    cv_span key_at, value_at; /* the value with its quotes, without a comment behind it */
    cv_span lines;            /* all of its lines, the last line break included */
    size_t line;
    bool has_comment; /* " #" followed on the line */
} cv_note_field;

/* ---- one dialog -------------------------------------------------------------------------------------------------- */

typedef enum { CV_FORM_MAP, CV_FORM_LIST, CV_FORM_FLAT, CV_FORM_COUNT } cv_note_form;
extern const cv_str cv_note_forms[CV_FORM_COUNT];

typedef enum {
    CV_COUNTS,
    CV_FENCED,      /* in a Markdown code fence or <pre> */
    CV_IN_STRING,   /* in a string literal or a YAML block scalar */
    CV_PLACEHOLDER, /* <…>, […] or {{…}} instead of a value */
    CV_INCOMPLETE,  /* speaker, target or message is missing or empty */
    CV_UNCLOSED,    /* the line "---" behind it is missing */
    CV_REASON_COUNT
} cv_note_reason;
extern const cv_str cv_note_reasons[CV_REASON_COUNT];

typedef struct {
    cv_note_kind kind;
    cv_notes_container container;
    cv_note_form form;
    cv_note_reason reason; /* why it does not count */
    size_t place;          /* in a list, 0 is the newest */
    cv_span at; /* inline: from the line "---" to behind the one at the end; header: the lines of its fields */
    size_t line, last_line;
    bool is_header_further_down; /* a whole WOLFIE header that was pasted into the body */
    cv_str lead;                 /* what its fields' lines begin with: prefix and indentation */
    cv_note_field *fields;
    size_t field_count;
    cv_note_field *of[CV_NOTE_FIELDS]; /* NULL: absent */
    cv_str heading_date;               /* Markdown: that of the heading above, as YYYYMMDDHHMMSS; absent: none */
} cv_note;

/* The value of a field; absent when the note has none. */
static inline cv_str cv_note_value(const cv_note *note, cv_note_field_id id)
{
    return note->of[id] ? note->of[id]->value : (cv_str){NULL, 0};
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

typedef enum {
    CV_HEADER_NONE,
    CV_HEADER_WHOLE,
    CV_HEADER_FOREIGN,  /* front matter without a word of WOLFIE or dialog */
    CV_HEADER_UNCLOSED, /* no second line "---" */
    CV_HEADER_UNOPENED, /* keys at the top, and the first "---" behind them */
    CV_HEADER_MISTYPED, /* "--" or "~~---" instead of "---" */
    CV_HEADER_UNFENCED, /* keys at the top, and no "---" at all */
    CV_HEADER_FENCED,   /* in a code fence */
    CV_HEADER_STATE_COUNT
} cv_header_state;
extern const cv_str cv_header_states[CV_HEADER_STATE_COUNT]; /* clauses for messages */

typedef struct {
    cv_header_state state;
    cv_notes_container container;
    cv_span whole;  /* with the comment that holds it */
    cv_span at;     /* with its lines "---" */
    cv_span inside; /* the lines of its keys */
    size_t line, last_line;
    cv_str lead;         /* what the lines of its keys begin with */
    cv_note_field *keys; /* the top-level ones, in order */
    size_t key_count;
    size_t dialogs; /* keys that are called dialog; more than one is a mistake */
    bool is_wolfie; /* it has a key wolfie.header… */
} cv_notes_header;

/* The first key of this name, without regard to case; NULL: none. */
const cv_note_field *cv_header_key(const cv_notes_header *header, cv_str key);

/* ---- the file ---------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str text;
    cv_notes_language language;
    bool has_bom;
    cv_str eol; /* of its first line; "\n" when it has one line only */
    cv_notes_header header;
    cv_note *items; /* header first, then in order; those that do not count, too */
    size_t count, capacity;
    size_t headers; /* whole WOLFIE headers in it */
} cv_notes_file;

enum { CV_NOTES_MARKDOWN = 1 }; /* also the entries "**Speaker:** …" of dialog files */

void cv_notes_read(cv_arena *a, cv_str text, cv_notes_language language, unsigned flags, cv_notes_file *ret_file);

/* The dialog that "the header dialog" means: the only one, or the first of a list. NULL: there is none. */
cv_note *cv_notes_header_dialog(const cv_notes_file *file);

/* Can there be a note in it at all? Decided at memory speed; most files have none. */
bool cv_notes_worth_reading(cv_str text);

/* NUL bytes, or UTF-16: not a text that notes are read from. */
bool cv_notes_is_binary(cv_str text);

/* A digest of all that is not a note: the same before and after notes are set or added. */
cv_str cv_notes_body_digest(cv_arena *a, const cv_notes_file *file);

/* The line that a byte is on, from 1. */
size_t cv_notes_line_of(cv_str text, size_t offset);

/* Code points; a byte that is not UTF-8 counts as one. */
size_t cv_notes_length(cv_str text);

#endif
