/* prompt_types.h - what the mail room keeps besides messages and tasks: prompts, the governance log, reports, states.
 *
 *     prompt   a text for a model, and its answer. One at a time is staged; others may wait behind it
 *
 *              queued ──> staged ──take──> taken ──answer──> answered ──fetch──> fetched
 *                            │                │                                     ^
 *                            └────────────────┴───── an answer in a file ───────────┘
 *                                             └── replaced: dropped
 *
 *     entry    a line of the governance log: only ever added, each with the hash of the line before it
 *     paper    a report, a log or a reflection: markdown under a path
 *     value    a state under a name, general ("-") or of one agent, with a version
 */
#ifndef CV_MAIL_PROMPT_TYPES_H
#define CV_MAIL_PROMPT_TYPES_H

#include "record/record.h"

/* clang-format off */

/* `number`: in the order in which they came. `current`: 1 while it has the slot (staged, taken, answered). `turn`: its
 * number while it is queued. `source`: the private name of the file that its answer came in. `message_id`: what its
 * answer was routed as. */
#define CV_MAIL_PROMPT_FIELDS(F)                                                                                       \
    F(TEXT, KEY, request_id) F(INT, OUTLINE, number) F(TEXT, OUTLINE, state) F(INT, OUTLINE, current)                  \
    F(INT, OUTLINE, turn) F(TEXT, OUTLINE, template) F(TEXT, OUTLINE, staged_by) F(TEXT, OUTLINE, staged_at)           \
    F(TEXT, OUTLINE, taken_by) F(TEXT, OUTLINE, taken_at) F(TEXT, OUTLINE, answered_at) F(TEXT, OUTLINE, fetched_at)   \
    F(TEXT, OUTLINE, source) F(TEXT, OUTLINE, message_id) F(TEXT, LONG, text) F(TEXT, LONG, answer)

/* `hash`: SHA-256 of its line, without the line end; `prev`: that of the line before. `details`: JSON as given. */
#define CV_MAIL_ENTRY_FIELDS(F)                                                                                        \
    F(INT, KEY, number) F(TEXT, OUTLINE, event_id) F(TEXT, OUTLINE, timestamp) F(TEXT, OUTLINE, event_type)            \
    F(TEXT, OUTLINE, agent_source) F(TEXT, OUTLINE, prev) F(TEXT, OUTLINE, hash) F(TEXT, LONG, details)

/* `kind`: analysis, log, reflection. */
#define CV_MAIL_PAPER_FIELDS(F)                                                                                        \
    F(TEXT, KEY, path) F(TEXT, OUTLINE, kind) F(TEXT, OUTLINE, agent) F(TEXT, OUTLINE, title)                          \
    F(TEXT, OUTLINE, created_at) F(TEXT, OUTLINE, updated_at) F(TEXT, LONG, text)

/* `owner`: the key of an agent, or "-". */
#define CV_MAIL_VALUE_FIELDS(F)                                                                                        \
    F(TEXT, KEY, owner) F(TEXT, KEY, name) F(INT, OUTLINE, version) F(TEXT, OUTLINE, set_by)                           \
    F(TEXT, OUTLINE, set_at) F(TEXT, LONG, value)

/* clang-format on */

CV_TYPE_STRUCT(cv_mail_prompt, CV_MAIL_PROMPT_FIELDS)
CV_TYPE_STRUCT(cv_mail_entry, CV_MAIL_ENTRY_FIELDS)
CV_TYPE_STRUCT(cv_mail_paper, CV_MAIL_PAPER_FIELDS)
CV_TYPE_STRUCT(cv_mail_value, CV_MAIL_VALUE_FIELDS)

extern const cv_index *const cv_prompts_current; /* current */
extern const cv_index *const cv_prompts_by_turn; /* turn */
extern const cv_index *const cv_prompts_by_number;
extern const cv_index *const cv_prompts_by_source; /* source */
extern const cv_index *const cv_papers_by_kind;    /* kind */

#endif
