/* line.h - every line of a dialogue is exactly one of eight kinds.
 *
 *     # Title                                   heading 1
 *     **Status**: Converged                     metadata
 *     ## Expert Panel                           section heading
 *     ## Round 1: Refinement                    round heading
 *     ### Muffin 🧁                             agent heading
 *     | P01 | Muffin | … |                      table row
 *     [PERSPECTIVE P01: Income mandate]         marker line
 *     everything else, and all inside fences    content
 *
 * Classification looks at the beginning of the line only: there is no regular expression anywhere. White space
 * around and inside headings does not matter. A marker line may be bold, a list item or a heading.
 */
#ifndef CV_DIALOGUE_TEXT_LINE_H
#define CV_DIALOGUE_TEXT_LINE_H

#include "base/map.h"
#include "dialogue/text/mark.h"

typedef enum {
    CV_LINE_CONTENT,
    CV_LINE_HEADING1,
    CV_LINE_METADATA,
    CV_LINE_SECTION,
    CV_LINE_ROUND,
    CV_LINE_AGENT,
    CV_LINE_TABLE_ROW,
    CV_LINE_MARKER,
    CV_LINE_KIND_COUNT
} cv_line_kind;
extern const cv_words cv_line_words; /* "content", "heading1", … */

typedef struct {
    cv_line_kind kind;
    int level;      /* headings: how many #; else 0 */
    bool fenced;    /* inside a code fence, or one of its two ends */
    bool rule;      /* a thematic break: --- */
    bool deviant;   /* read, but not written this way */
    bool brackets;  /* has a '[': marks are possible */
    size_t number;  /* 1-based */
    cv_str text;    /* the line without its end and white space there */
    cv_str trimmed; /* … and without its indentation */
    /* Set for the kinds that have them: */
    int round;      /* round heading */
    cv_str name;    /* heading text, metadata key, round label, agent name */
    cv_str value;   /* metadata value, agent emoji */
    cv_str role;    /* agent: what is behind the name */
    size_t mark_at; /* marker line: offset of the bracket in `text` */
    cv_mark mark;   /* marker line: the first mark, its end relative to the bracket */
} cv_line;

/* A walk over the lines of a text. Set `text`; `agents` may name the panel (lower-case name -> anything), so that
 * headings without an emoji are known for what they are. */
typedef struct {
    cv_str text;
    const cv_map *agents;
    size_t at, number;
    size_t bracket; /* next '[' at or behind `at`; SIZE_MAX: none */
    bool bracket_known;
    bool carriage_returns; /* a line before `at` ended in CR LF */
    char fence;            /* the open fence's character, or 0 */
    size_t fence_length;
    size_t fence_at; /* offset of the line that opened it */
} cv_lines;

bool cv_lines_next(cv_lines *lines, cv_line *ret_line);

/* Passes over lines that can only be content without marks, which is most of any dialogue, and blank ones between them.
 * True when there was content: from the beginning of its first line to the end of its last. */
bool cv_lines_pass(cv_lines *lines, size_t *ret_start, size_t *ret_end);

/* Opens a fence when `rest`, the end of the line just read, looks like one: behind a mark it begins the mark's text. */
void cv_lines_open_fence(cv_lines *lines, cv_str rest);

/* Classifies one line on its own. */
void cv_line_classify(cv_str text, const cv_map *agents, cv_line *ret_line);

/* ``` or ~~~ at the beginning of the line: its character and length, else 0. `closing`: nothing may follow. */
char cv_line_fence(cv_str trimmed, bool closing, size_t *ret_length);

/* A table row without its first '|', and the next cell cut off it; cells are trimmed, escapes stay. */
cv_str cv_row_inside(cv_str row);
bool cv_cell_next(cv_str *rest, cv_str *ret_cell);
/* All cells of a row. */
cv_str *cv_row_cells(cv_arena *a, cv_str row, size_t *ret_count);
bool cv_row_is_separator(cv_str row); /* |---|:--:| */

/* Drops the emoji tokens and the bold marks around a name: "🧁 **Muffin**" -> "Muffin". */
cv_str cv_plain_name(cv_arena *a, cv_str cell);

/* The same in lower case: the key of the panel map. */
cv_str cv_agent_key(cv_arena *a, cv_str name);

/* The first round number in `s` written as "Round N": its value, and the text around it. */
bool cv_find_round(cv_str s, int *ret_round, cv_str *ret_before, cv_str *ret_after);

/* Text between `s`'s outer parentheses, or behind a dash or colon; false when it begins with neither. */
bool cv_heading_note(cv_str s, cv_str *ret_note);

#endif
