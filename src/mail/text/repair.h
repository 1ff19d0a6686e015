/* repair.h - JSON as models, editors and scripts write it: read if it can be, and told what was wrong.
 *
 *     {{                                          {
 *       "type": "NOTE", // who it is for            "type": "NOTE",
 *       'done': True,                        ->     "done": true
 *     }}                                          }
 *
 * What is valid is handed back as it is, the caller's own bytes. Otherwise one pass writes the text again: tokens that
 * are right are copied byte by byte, and each repair is noted with its place. The result is read once more by the
 * strict reader, so it is JSON or it is refused.
 *
 * A repair never guesses what is missing. A text that ends in the middle is torn (its writer may not be done), two
 * values in one file are damage (a short write over a longer one leaves that), a comment that stands for text which an
 * editor left out ("// ... existing tasks ...") is damage, and YAML, Python or prose is another language. Each is
 * refused with its reason and place.
 *
 * Pure: no I/O, no rules of the room. Linear time.
 */
#ifndef CV_MAIL_TEXT_REPAIR_H
#define CV_MAIL_TEXT_REPAIR_H

#include "base/json.h"

typedef enum {
#define REPAIR(id, word, about) CV_MTEXT_REPAIR_##id,
#include "mail/text/repairs.def"
#undef REPAIR
    CV_MTEXT_REPAIR_COUNT
} cv_mtext_repair;

typedef struct {
    cv_str word;  /* "trailing_comma" */
    cv_str about; /* one clause for people */
} cv_mtext_repair_row;
extern const cv_mtext_repair_row cv_mtext_repairs[CV_MTEXT_REPAIR_COUNT];

/* One repair and its place: 1-based, columns in code points. */
typedef struct {
    cv_mtext_repair kind;
    size_t offset, line, column;
    cv_str what; /* a few words of the text, or the field that it is about; may be empty */
} cv_mtext_note;

enum { CV_MTEXT_MAX_NOTES = 1000 }; /* of one text; the rest is counted */

typedef struct {
    cv_mtext_note *items;
    size_t count, capacity;
    size_t left_out;
} cv_mtext_notes;

/* The state of a text. From EMPTY on there is no value. */
typedef enum {
    CV_MTEXT_VALID,
    CV_MTEXT_REPAIRED,
    CV_MTEXT_EMPTY,   /* nothing, or white space only */
    CV_MTEXT_NULS,    /* NUL bytes only: written but never synced before a crash */
    CV_MTEXT_TORN,    /* it ends in the middle */
    CV_MTEXT_DAMAGED, /* it is JSON in part */
    CV_MTEXT_FOREIGN, /* another language */
    CV_MTEXT_STATE_COUNT
} cv_mtext_state;
extern const cv_words cv_mtext_states;

typedef struct {
    cv_mtext_state state;
    cv_str text; /* strict JSON: the caller's bytes when it is VALID, else in the arena */
    cv_json value;
    cv_mtext_notes notes; /* in the order of their places */
} cv_mtext;

/* Reads a whole text. False: it has no value; ret->state says in which state it is, err says why and where. */
bool cv_mtext_read(cv_arena *a, cv_str bytes, cv_mtext *ret, cv_err *err);

/* Adds a note about the byte `offset` of a text whose lines are counted by the caller, or about none of them (0, 0). */
cv_mtext_note *cv_mtext_note_add(cv_mtext_notes *notes, cv_arena *a, cv_mtext_repair kind, size_t offset, cv_str what);

/* Puts them into the order of their places in this text, and counts lines and columns in one walk over it. */
void cv_mtext_place_notes(cv_str text, cv_mtext_notes *notes);

/* "trailing_comma at 3:14, synonym 'from' at 4:3 …", for receipts and archives. */
cv_str cv_mtext_notes_text(cv_arena *a, const cv_mtext_notes *notes);

/* Is it a placeholder that nobody filled in: {{uuid}}, ${NOW}, $(date), <unique_uuid>, [AUTO_TIMESTAMP], uuid4()? */
bool cv_mtext_is_placeholder(cv_str text);

/* Does it have such a placeholder somewhere ("alert_{{uuid}}.json")? */
bool cv_mtext_has_placeholder(cv_str text);

/* The bytes of a value that was read from this strict text, as they were written. */
cv_str cv_mtext_raw(cv_str text, const cv_json *value);

#endif
