/* mark.h - one mark: what is in its brackets, read and written.
 *
 *     [PERSPECTIVE P01: Income mandate mismatch]       classic: word, short id, label
 *     [MUFFIN-P0101: Income mandate mismatch]          local: expert, kind, round, number
 *     [P0101: Income mandate mismatch] (muffin)        global: as prompts print what is registered
 *     [RE:SUPPORT P0001]  [MOVE:BRIDGE P0003 R0001]    reference, move
 *     [RESOLVED T01, T02: settled by the collar]       word, targets, label
 *
 * cv_mark_at() reads the mark that begins at a bracket. It allocates nothing: all views point into the line, ids,
 * targets and labels as they are written. cv_mark_settle() makes them canonical in an arena. Where a
 * mark may be and which text belongs to it is the document's business (doc.h).
 */
#ifndef CV_DIALOGUE_TEXT_MARK_H
#define CV_DIALOGUE_TEXT_MARK_H

#include "base/buf.h"
#include "dialogue/text/rules.h"
#include "dialogue/words/id.h"

typedef enum { CV_STYLE_CLASSIC, CV_STYLE_LOCAL, CV_STYLE_GLOBAL, CV_STYLE_BRACE, CV_STYLE_COUNT } cv_mark_style;
extern const cv_words cv_style_words;

typedef struct {
    cv_mark_type type;
    cv_mark_style style;
    int sub;        /* the cv_ref, cv_move or cv_verdict; -1: none, or an unknown one in `word` */
    bool alias;     /* written with another word: [RESOLUTION T03] */
    bool unclosed;  /* cut off: no closing bracket on the line */
    bool inlined;   /* it is inside a text, which keeps it, too; set by the document */
    bool colon;     /* there was a colon between id and label */
    cv_str word;    /* the type of a reference, move or verdict as written; the word of an unknown mark */
    cv_str id;      /* entities: as written, empty when missing */
    cv_str targets; /* as written; walk it with cv_target_next */
    cv_str label;
    cv_str by;                   /* global style: the contributors in parentheses */
    cv_str body;                 /* the text that belongs to the mark, set by the document */
    size_t start, end;           /* the mark's bytes in the text, brackets and contributors included */
    size_t line;                 /* 1-based */
    size_t body_start, body_end; /* bytes of the body as it is in the text */
} cv_mark;

/* The mark that begins with s.p[0] ('[', or '{' at the beginning of a line); `s` ends with the line. On success m->end
 * is its length, relative to s. */
bool cv_mark_at(cv_str s, bool line_start, cv_mark *m);

/* Could s.p[0] == '[' begin a mark? Looks at its first word only, never for its end. */
bool cv_mark_begins(cv_str s);

/* What is not a mark but nearly one: which of its bytes are wrong and what would be right (empty: only a person knows).
 * `s` as above; `first`: nothing is before it on the line. */
typedef struct {
    cv_str where, fix;
} cv_near;
bool cv_mark_near(cv_arena *a, cv_str s, bool first, cv_near *ret_near);

/* The words that a reference, a move or a verdict may have as its type. */
cv_words cv_mark_sub_words(cv_mark_type type);

/* The next target of a list like "T4/T5" or "to Strudel on T01", as an id. */
bool cv_target_next(cv_str *rest, cv_id *ret_id);

/* The type of the verdict that a mark gives; false: it gives none, or does not say which. */
bool cv_mark_verdict(const cv_mark *m, cv_verdict *ret_type);

/* Canonical ids, targets ("T04, T05") and label (escapes undone) in the arena. */
void cv_mark_settle(cv_arena *a, cv_mark *m);

/* The mark as it is written, on one line; `m` must be settled. */
void cv_mark_print(cv_buf *out, const cv_mark *m);

/* Text on one line: white space at the ends dropped, runs of it made one space. */
cv_str cv_squeeze(cv_arena *a, cv_str s);

/* The same for what must be one line whatever it holds: control characters are white space too. */
cv_str cv_one_line(cv_arena *a, cv_str s);

#endif
