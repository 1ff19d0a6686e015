/* opening.h - what a line of a response begins with: a mark in some spelling, or nothing.
 *
 *     [MUFFIN-P0101: Cheap]               native      the text's own reader takes it as it is
 *     - [ ] [muffin-p0101: Cheap]         bracketed   behind a lead of bullets, quotation marks, emoji; any brackets
 *     **MOVE: CHALLENGE P0001**           bare        without brackets, when it can mean nothing else
 *     ## T0001: Growth - RESOLVED         bare        a heading that says what becomes of a tension
 *     `[MUFFIN-P0101: Cheap]`             ticked      in backticks, alone on its line
 *     \[MUFFIN-P0101: Cheap\]             escaped     with backslashes before both brackets, alone on its line
 *     My point: [MUFFIN-P0101: Cheap]     native      behind words, with nothing behind it
 *
 * What an id of the expert's own is worth depends on the rest of the response: one that some line makes may be spoken
 * of in any way (`made`). Pure, and linear in the line.
 */
#ifndef CV_DIALOGUE_INTAKE_OPENING_H
#define CV_DIALOGUE_INTAKE_OPENING_H

#include "dialogue/intake/spelling.h"

typedef enum {
    CV_OPENING_NOTHING,
    CV_OPENING_NATIVE,
    CV_OPENING_BRACKETED,
    CV_OPENING_BARE,
    CV_OPENING_TICKED,
    CV_OPENING_ESCAPED
} cv_opening_form;

/* A mark at the beginning of a row, or of a cell. */
typedef struct {
    cv_opening_form form;
    size_t lead;  /* what is before it */
    size_t end;   /* the end of the mark in the row */
    cv_head head; /* all but CV_OPENING_NATIVE */
    cv_str label; /* … */
    bool escape;  /* the label is not the inside of brackets: those in it need a backslash */
    cv_mark mark; /* CV_OPENING_NATIVE */
    bool own;     /* it gives an id of this expert and round */
    bool foreign; /* it is about what somebody else said, or about what is registered */
    cv_str id;    /* its local id, or empty */
    cv_str words; /* a lead of words, which is text */
    bool unclosed;
    bool beyond;  /* the bracket closes before its end */
    bool led;     /* words are before it */
    bool heading; /* a heading or bold */
} cv_opening;

typedef struct {
    const cv_speaker *who;
    const cv_map *made; /* ids that some line makes */
} cv_opening_reader;

bool cv_opening_read(const cv_opening_reader *r, cv_str s, cv_opening *st);
bool cv_is_made(const cv_opening_reader *r, cv_str id);

/* Words that only say that a mark follows: "Perspective 1:", "My marker:". */
bool cv_says_nothing(const cv_opening_reader *r, cv_str s);

/* What may be before a mark: its length; *ret_heading when it is a heading or bold. */
size_t cv_lead_of(cv_str s, bool *ret_heading);

/* A character that is neither a letter, a digit nor a bracket; nothing else in `s`; is there a word in it? */
bool cv_sign_at(cv_str s, size_t *ret_length);
bool cv_only_signs(cv_str s);
bool cv_has_word(cv_str s);

/* The end of a label without brackets: where a mark begins in it, or the end of the line; the label between two places.
 */
size_t cv_bare_end(cv_str s, size_t from);
cv_str cv_take_label(cv_str s, size_t from, size_t to);

/* "> text", and the text of it. */
bool cv_is_quotation(cv_str s);
cv_str cv_unquoted(cv_str s);

#endif
