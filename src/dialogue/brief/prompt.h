/* prompt.h - what one expert is given to read before a round, as markdown.
 *
 *     # Dialogue: …             question, round, status, total
 *     ## Background             what everybody must know             (in the brief of those who are new)
 *     ## Your Role              who the expert is, and the task
 *     ## Context Brief          those who are new: six parts         (prompt_brief.c)
 *     ## Prior Rounds           everything that was said, in full    (prompt_rounds.c)
 *     ## Active Tensions        what is open, and the expert's part in it
 *     ## Instructions           how and where to answer
 *
 * The headings and marks are ours and can be trusted: what looks like one in a quoted text, at the beginning of a line
 * or within it, gets a backslash (dialogue/text/doc.h), and the whole reads back with our own parser: its marks are
 * those of the record. Texts of the judge (words) are put in as they are.
 *
 * Nothing is left out unless a cut says so; then the prompt names what is missing.
 */
#ifndef CV_DIALOGUE_BRIEF_PROMPT_H
#define CV_DIALOGUE_BRIEF_PROMPT_H

#include "dialogue/brief/relevance.h"
#include "dialogue/brief/view.h"

/* What the judge wants to say in the place of what would be composed; absent: nothing. */
typedef struct {
    cv_str round_context; /* instead of the task */
    cv_str brief;         /* instead of the whole brief */
    cv_str framing;       /* in front of the composed brief */
    cv_str mandate;       /* instead of the composed mandate */
} cv_prompt_words;

/* How much is left out of rounds before the last: bodies, then evidence and claims, then syntheses, of rounds below a
 * number. Never left out are open tensions, and what the expert itself said and still holds. */
typedef struct {
    int64_t bodies, items, syntheses;
} cv_prompt_cut;

typedef struct {
    CV_STATE_LIST(uint32_t) bodies; /* items whose label is all that is in the prompt */
    CV_STATE_LIST(uint32_t) items;  /* items that are not in it at all */
    int64_t syntheses;              /* those of the rounds below */
} cv_prompt_left;

/* An item as it is quoted, the same for every expert: its mark, its text, its references. */
typedef struct {
    cv_str whole;
    cv_str body; /* the part of it that a cut takes away: content and parameters */
} cv_prompt_block;

/* How much of the markers is in the prompt itself, for models that have no skill. */
typedef enum { CV_SPEC_NONE, CV_SPEC_SHORT, CV_SPEC_FULL } cv_prompt_spec;

typedef struct {
    const cv_view *v;
    const cv_view_member *member;
    cv_prompt_spec spec;
    cv_prompt_words words;
    cv_prompt_cut cut;
    cv_prompt_left left;       /* cv_prompt_write: the result */
    int64_t token_budget;      /* 0: none */
    const char *response_path; /* NULL: responses are only sent by command */
    bool answer_only;          /* the answer itself is the response */
    cv_prompt_block *blocks;   /* by item, shared by all prompts of the view; each made when first used */
    cv_str context;            /* what became of the expert's contributions (story.h), empty for those who are new */
    cv_buf *out;
} cv_prompt;

void cv_prompt_write(cv_prompt *p);

/* Tokens of a text: a fourth of its bytes, rounded up. */
int64_t cv_prompt_tokens(size_t bytes);

/* ---- the parts --------------------------------------------------------------------------------------------------- */
void cv_prompt_background(const cv_prompt *p, const char *heading);
void cv_prompt_brief(const cv_prompt *p);
void cv_prompt_rounds(cv_prompt *p);
void cv_prompt_find_left(cv_prompt *p);
cv_str cv_prompt_how_to_read(const cv_prompt *p); /* what was left out: a command */

/* Text as it is quoted: tidy, its last fence closed, what looks like structure escaped; ends with a line feed. */
void cv_prompt_text(cv_arena *a, cv_buf *out, cv_str text);

/* … on one line, which has something else on it: a label in a sentence, a cell. */
cv_str cv_prompt_line(cv_arena *a, cv_str text);
const cv_prompt_block *cv_prompt_item(const cv_prompt *p, uint32_t item);

/* A table of an object's members; `spoken` keys: "income_mandate" is written "Income mandate". */
void cv_prompt_table(cv_arena *a, cv_buf *out, const char *first, const char *second, bool spoken,
                     const cv_json *object);

/* ---- a budget of tokens ------------------------------------------------------------------------------------------
 *
 * What is left out, in this order, until the prompt fits; each step from the oldest round on, and never from the last:
 *
 *     1 the texts of items     their labels stay
 *     2 evidence and claims    altogether
 *     3 the judge's syntheses
 *
 * Open tensions, and what the expert itself said and still holds, are never shortened. Steps are halved, not tried one
 * by one: a prompt is written about ten times at most.
 */

/* Writes the prompt into its buffer, cut so that it fits p->token_budget (0: whole), and leaves the cut in p->cut.
 * False: even the shortest is too long; *ret_least is how many tokens that has. */
bool cv_budget_fit(cv_prompt *p, int64_t *ret_least);

#endif
