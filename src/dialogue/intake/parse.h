/* parse.h - one response: which of its marks make something of the expert's own, and under which local id.
 *
 *     muffin, round 1               is
 *     [MUFFIN-P0101: Viable]        MUFFIN-P0101
 *     [PERSPECTIVE P02: Cheap]      MUFFIN-P0102
 *     [TENSION T-NEW: Timing]       MUFFIN-T0101: the next number that is free, with a remark
 *     [MUFFIN-P0101: Viable]        MUFFIN-P0101 again: spoken of
 *     [REFINEMENT P01: Cheaper]     MUFFIN-P0103: a position of its own
 *     [DONUT-R0101: Collar]         nothing: donut's
 *     [P0001: Mandate] (muffin)     nothing: it repeats what is registered
 *
 * Ids that are written in full have their numbers first, then short ones, then all others in the order of the text; so
 * no mark takes the number of another. The record's receipts and the judge's draft both ask here, and therefore agree.
 */
#ifndef CV_DIALOGUE_INTAKE_PARSE_H
#define CV_DIALOGUE_INTAKE_PARSE_H

#include "dialogue/intake/unmarked.h"
#include "dialogue/state.h"

/* A mark and what it makes. */
typedef struct {
    const cv_mark *mark;
    bool makes;                       /* an item of the expert's own: local_id; otherwise it says something else */
    bool first;                       /* … for the first time */
    cv_kind kind;                     /* … of this kind */
    cv_str local_id;                  /* empty: there is no number left for it */
    cv_str note, message, suggestion; /* what is odd about it; empty: nothing */
    cv_str quoted;                    /* the registered item that it repeats, or empty */
    bool in_passing;                  /* words are before it on its line */
    bool mentioned;                   /* its sentence only speaks about it (mention.h): it counts for nothing */
    cv_str text;                      /* the mark with what belongs to it, as it is read */
} cv_parsed_mark;

typedef struct {
    cv_str expert, text;
    int round;
    cv_speaker who;              /* the same, with the dialogue */
    cv_plain plain;              /* the text as it is read; its remarks are none when it was not read leniently */
    cv_unmarked_pieces unmarked; /* what is under no mark; lines of the source */
    cv_findings findings;        /* of the parser, in the order of the text */
    cv_parsed_mark *items;       /* every mark, in the order of the text */
    size_t count;
    size_t first_note, note_count; /* its notes in a extract */
    cv_map ids; /* an id as it is written, in its one spelling -> the cv_parsed_mark * that made it first */
} cv_parsed_response;

/* Lenient: as an expert sends it (plain.h). Otherwise marks are what the format says, as in files. All places are
 * those of `text`. */
void cv_response_parse(cv_arena *a, const cv_state *s, int64_t round, cv_str expert, cv_str text, bool lenient,
                       cv_parsed_response *ret_response);

/* A label for what the mark says: its own on one line, else the first line of its text that has something in it, cut to
 * a label's length. Empty: it says nothing. */
cv_str cv_mark_headline(cv_arena *a, const cv_mark *mark);

/* Is the expert among those in parentheses behind the mark? */
bool cv_parsed_mark_is_by(const cv_parsed_mark *item, cv_str expert);

#endif
