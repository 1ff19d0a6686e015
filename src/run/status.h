/* status.h - the state of a run, for people and programs: what `run`, `ask` and `run status` answer.
 *
 * Everything is derived from the attempts of the run and from what the dialogue's own operations tell. A run whose row
 * says that it runs, but that nobody holds any more, was interrupted.
 */
#ifndef CV_RUN_STATUS_H
#define CV_RUN_STATUS_H

#include "run/walk.h"

typedef struct {
    cv_str who, task, agent, model, state, message;
    int64_t attempts, markers, duration_ms;
} cv_status_seat;

typedef struct {
    int64_t round;
    bool registered;
    cv_status_seat *seats;
    size_t seat_count, answered;
} cv_status_round;

/* The answer of one agent alone, beside that of the panel: what each has used, and how opinions moved. */
typedef struct {
    cv_str agent, model, state, message, answer;
    cv_spent spent, panel;
    cv_str dynamics; /* JSON: what `dialogue dynamics` counts */
} cv_status_control;

/* A call that would be made. */
typedef struct {
    cv_str who, task, agent, call, prompt;
} cv_status_call;

typedef struct {
    cv_str dialogue_id, title, question;
    cv_str state, reason, meaning, message, advice, holder, judge, settings, started_at, changed_at;
    struct {
        cv_status_round *items;
        size_t count, capacity;
    } rounds;
    cv_spent spent;
    int64_t percentage, next_round;
    bool converged, decided;
    cv_str decision, reasons, vote, confidence, conditions, exported, next;
    const cv_fact_dissent *dissents;
    size_t dissent_count;
    cv_notices warnings;
    const cv_status_control *control; /* NULL: none was asked for */
    cv_attempts attempts;             /* when they were asked for */
    bool dry_run;
    cv_str step;                 /* of a dry run: what would be next, */
    const cv_status_call *calls; /* … and who would be called */
    size_t call_count;
    cv_str text;
} cv_run_status;

extern const cv_shape cv_status_shape[];

/* What only some answers have; all of it may be left out. */
typedef struct {
    cv_notices warnings;
    cv_str exported; /* where the export is, if it was made now */
    bool dry_run;
    cv_str step;
    const cv_status_call *calls;
    size_t call_count;
} cv_status_more;

/* Writes the answer of a call about this run. */
bool cv_status_answer(cv_call *call, cv_run_rows *run_rows, const cv_facts *facts, const cv_status_more *more);

#endif
