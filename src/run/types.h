/* types.h - what is kept of a run: the walk of one dialogue with real agents, and every attempt to get an answer.
 *
 *     ("run", "job-queue")      one run is one scope, named by its dialogue
 *       run      state, why it stopped, settings, how far the judge's decisions are carried out    one row, changes
 *       attempt  (round, who, number): which agent, how it ended, what it cost, hashes             changes once, at end
 *       lease    who walks it now, and until when                                                  volatile
 *
 * Attempts belong to the run, not to the dialogue: what an expert said is a response there, and an attempt that failed
 * leaves nothing in it. An attempt is written before its call. `who` is an expert, "judge" or "control"; `task` says
 * what was asked for.
 */
#ifndef CV_RUN_TYPES_H
#define CV_RUN_TYPES_H

#include "record/record.h"

/* clang-format off */

#define CV_RUN_FIELDS(F)                                                                                               \
    F(TEXT, KEY, dialogue_id) F(TEXT, OUTLINE, state) F(TEXT, OUTLINE, reason) F(TEXT, OUTLINE, message)               \
    F(TEXT, OUTLINE, judge) F(JSON, PLAIN, settings) F(INT, OUTLINE, settled) F(FLAG, OUTLINE, stopping)               \
    F(TEXT, OUTLINE, started_at) F(TEXT, OUTLINE, changed_at)

#define CV_RUN_ATTEMPT_FIELDS(F)                                                                                       \
    F(INT, KEY, round) F(TEXT, KEY, who) F(INT, KEY, attempt) F(TEXT, OUTLINE, task) F(TEXT, OUTLINE, agent)           \
    F(TEXT, OUTLINE, reach) F(TEXT, OUTLINE, model) F(TEXT, OUTLINE, state) F(TEXT, OUTLINE, message)                  \
    F(TEXT, OUTLINE, started_at) F(TEXT, OUTLINE, ended_at) F(INT, OUTLINE, duration_ms) F(INT, OUTLINE, markers)      \
    F(INT, OUTLINE, exit_status) F(INT, OUTLINE, http_status) F(INT, OUTLINE, retry_after_ms)                          \
    F(INT, OUTLINE, tokens_in) F(INT, OUTLINE, tokens_out) F(INT, OUTLINE, cost) F(INT, OUTLINE, prompt_bytes)         \
    F(INT, OUTLINE, answer_bytes) F(TEXT, PLAIN, prompt_sha256) F(TEXT, PLAIN, answer_sha256)                          \
    F(TEXT, PLAIN, output) F(TEXT, PLAIN, message_id) F(TEXT, LONG, tail) F(TEXT, LONG, faults) F(TEXT, LONG, answer)

#define CV_RUN_LEASE_FIELDS(F)                                                                                         \
    F(TEXT, KEY, dialogue_id) F(TEXT, PLAIN, host) F(INT, PLAIN, pid) F(TEXT, PLAIN, since) F(INT, PLAIN, until_ms)

/* clang-format on */

CV_TYPE_STRUCT(cv_run_row, CV_RUN_FIELDS)
CV_TYPE_STRUCT(cv_attempt_row, CV_RUN_ATTEMPT_FIELDS)
CV_TYPE_STRUCT(cv_lease_row, CV_RUN_LEASE_FIELDS)

extern const cv_room_types cv_run_records;

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* The state of an attempt: one of its own states, or how its call ended. */
typedef enum {
#define STATE(id, word, meaning) CV_ATTEMPT_##id,
#include "run/attempts.def"
#undef STATE
#define OUTCOME(id, word, again, meaning) CV_ATTEMPT_##id,
#include "run/outcomes.def"
#undef OUTCOME
    CV_ATTEMPT_STATE_COUNT
} cv_attempt_state;

extern const cv_words cv_attempt_words;

/* What is asked for: what an expert says in a round, how the judge registers it, the verdicts, and the one answer that
 * the panel is compared with. */
typedef enum { CV_TASK_RESPONSE, CV_TASK_ROUND, CV_TASK_VERDICT, CV_TASK_CONTROL, CV_TASK_COUNT } cv_run_task;
extern const cv_words cv_task_words;

/* The state of a run. */
typedef enum { CV_RUN_RUNNING, CV_RUN_WAITING, CV_RUN_STOPPED, CV_RUN_ENDED, CV_RUN_STATE_COUNT } cv_run_state;
extern const cv_words cv_run_words;

cv_scope_id cv_run_scope(cv_str dialogue_id);

#endif
