/* walk.h - a run under way: one step after the other, as the plan says (plan.h), until it ends.
 *
 *     walk.c          the loop: facts and attempts -> plan -> step; what ends it
 *     walk_ask.c      attempts: rows, prompts, calls, what came of them; answers are sent
 *     walk_judge.c    the judge: asked, checked, registered, carried out; verdicts, dissent
 *     walk_await.c    people and mailboxes; what was under way when an earlier runner ended
 *     walk_tell.c     what has happened, for those who watch
 *
 * Everything of the dialogue and of mail is asked for by its words (kit/invoke.h), with an op_id that follows from run,
 * round, who and attempt: what is done twice is done once.
 */
#ifndef CV_RUN_WALK_H
#define CV_RUN_WALK_H

#include "run/facts.h"
#include "run/judge.h"
#include "run/run_rows.h"
#include "run/setup.h"

/* A seat of the panel, as this walk sees it. */
typedef struct {
    const cv_fact_seat *fact;
    const cv_run_agent *agent;
} cv_walk_seat;

/* A cause of a failure that those who watch know already, and who failed because of it. */
typedef struct {
    cv_str who, message;
} cv_walk_told;

typedef struct {
    cv_call *call;
    cv_setup *settings;
    cv_arena *arena;      /* as long as the walk */
    cv_arena step;        /* one step */
    cv_arena facts_arena; /* one reading of the facts */
    cv_arena prompts_arena;
    cv_run_rows run_rows;
    cv_facts facts;
    bool stale;          /* the facts are to be read again */
    cv_walk_seat *seats; /* like facts.seats */
    cv_seat *folded;     /* … for the plan */
    cv_plan plan;
    cv_calls *calls;
    uint64_t seen;        /* of the record, for `changed` */
    int64_t began_ms;     /* monotonic */
    int64_t prompt_round; /* whose prompts these are; -1: none */
    cv_json prompts;      /* what round-prompts answered */
    bool interrupted;
    bool said_waiting;
    bool said_unpriced; /* that a call has no known cost, though cost is limited */
    struct {
        cv_walk_told *items;
        size_t count, capacity;
    } told; /* each cause once for each who has it */
    cv_str exported;
    cv_notices warnings;
} cv_walk;

/* Walks until it ends, and leaves the reason in the run's row. False: call->errs says why; what was done stays, and
 * the same command goes on. `settings` and the walk's texts live in call->arena. */
bool cv_walk_run(cv_walk *w, cv_call *call, cv_setup *settings, cv_reason *ret_reason);

/* The plan of a walk that has just begun, for --dry-run: nothing is written. */
bool cv_walk_look(cv_walk *w, cv_call *call, cv_setup *settings, cv_step *ret_step);
void cv_walk_close(cv_walk *w);

/* ---- walk_ask.c ----------------------------------------------------------------------------------------------------
 */

/* Starts the attempts of everybody whom the plan wants to ask now. */
bool cv_walk_ask(cv_walk *w, cv_step step);

/* One attempt of the judge or of the control. */
bool cv_walk_ask_one(cv_walk *w, cv_run_task task);

/* What one attempt would send: agent, prompt. */
typedef struct {
    cv_str who, role;
    cv_run_task task;
    int64_t round;
    const cv_run_agent *agent;
    cv_str prompt;
} cv_walk_call;
bool cv_walk_prepare(cv_walk *w, cv_run_task task, size_t seat, cv_walk_call *ret);

/* What becomes of an attempt whose call has ended: checked, kept, told. */
bool cv_walk_finish(cv_walk *w, cv_attempt_row *row, const cv_calls_result *result);

/* The same for all calls that have ended, in one write, after waiting for one of them. Their answers are on disk, so
 * what is lost with a kill before it is only the time of that write. */
bool cv_walk_take_results(cv_walk *w, int wait_ms);

/* Rows as they are now, kept and told. */
bool cv_walk_end_attempts(cv_walk *w, cv_attempt_row *const *rows, size_t count);

bool cv_walk_hand_in(cv_walk *w, size_t seat);

/* Where the answer of an attempt is, and that answer; absent: there is none. */
const char *cv_walk_path(cv_walk *w, const cv_attempt_row *row);
cv_str cv_walk_output(cv_walk *w, const cv_attempt_row *row);

/* ---- walk_judge.c --------------------------------------------------------------------------------------------------
 */

cv_str cv_walk_judge_prompt(cv_walk *w, cv_run_task task, const cv_attempt_row *last);
cv_str cv_walk_control_prompt(cv_walk *w);

/* Is the answer one that can be carried out? *ret_json is the object in it, *ret_faults what is wrong, for the judge.
 */
bool cv_walk_judge_check(cv_walk *w, cv_run_task task, cv_str answer, cv_str *ret_json, cv_str *ret_faults);

bool cv_walk_register(cv_walk *w);
bool cv_walk_settle(cv_walk *w);
bool cv_walk_decide(cv_walk *w);

/* ---- walk_await.c --------------------------------------------------------------------------------------------------
 */

/* Asks a mailbox; a person needs no message. False: call->errs says why. */
bool cv_walk_mail(cv_walk *w, cv_attempt_row *row, const cv_walk_call *asked);

/* Looks whether those who are awaited have answered, and ends what an earlier runner has left. */
bool cv_walk_look_around(cv_walk *w, bool first);

/* Waits for whatever comes next, until `until_ms` by the caller's clock. */
bool cv_walk_wait(cv_walk *w, const cv_step *step);

/* ---- walk_tell.c ---------------------------------------------------------------------------------------------------
 */

/* `members`: of the JSON object, without braces. */
void cv_walk_tell(cv_walk *w, const char *event, cv_str members, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cv_walk_tell_json(cv_walk *w, const char *event, cv_str members); /* for programs alone: no line for people */
cv_str cv_walk_json_text(cv_walk *w, cv_str text);                     /* as a string of JSON */
void cv_walk_tell_attempt(cv_walk *w, const cv_attempt_row *row);
void cv_walk_tell_response(cv_walk *w, const cv_attempt_row *row);
void cv_walk_tell_warning(cv_walk *w, const cv_notice *one);
void cv_walk_draw(cv_walk *w, bool stays);

/* ---- shared --------------------------------------------------------------------------------------------------------
 */

/* Hands errors of another operation on to the caller's. Always false. */
bool cv_walk_fail(cv_walk *w, const cv_errs *errs);

/* "run/job-queue/0/muffin/1" */
cv_str cv_walk_op(cv_walk *w, int64_t round, cv_str who, int64_t attempt, const char *what);

/* The row with this key; NULL: none. */
cv_attempt_row *cv_walk_row(cv_walk *w, int64_t round, cv_str who, int64_t attempt);

/* Faults in lines for a model: "- field: message; suggestion". */
cv_str cv_walk_faults(cv_arena *a, const cv_errs *errs);

#endif
