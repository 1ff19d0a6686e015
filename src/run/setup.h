/* setup.h - what a run was asked for, and who answers for whom.
 *
 *     input                      -> numbers, judge, how far
 *     --agent, --agents, project -> agents; for each expert the first that is there of:
 *                                     the seat with its slug, its role, its tier, "*" in the file
 *                                     the agent given with --agent
 *                                     an agent of the project that has the expert's name
 *
 * What the caller has typed needs no approval; whatever comes from a file or from the record does
 * (kit/reach/approval.h).
 */
#ifndef CV_RUN_SETUP_H
#define CV_RUN_SETUP_H

#include "kit/call.h"
#include "kit/notice.h"
#include "kit/reach/agents_file.h"
#include "run/secrets.h"
#include "run/spent.h"

typedef struct {
    cv_str name; /* its id; of a command that was typed: its words without folders */
    cv_str key;  /* by which it was asked for: the id, or the whole command */
    cv_str text; /* what is called, without secrets */
    cv_reach reach;
    bool typed;
} cv_run_agent;

typedef struct {
    cv_str dialogue_id;
    int64_t rounds;
    size_t parallel, quorum;
    cv_until until;
    bool step, blind, control;
    int64_t timeout_ms; /* 0: the agent's own */
    cv_budget budget;
    cv_str spec;
    int64_t since_rev; /* of the run: what failed up to then does not count as a try; 0: everything counts */
    cv_judge judge;
    bool judge_named;                /* by the caller or the file */
    const cv_run_agent *judge_agent; /* of a judge that is an agent */
    const cv_run_agent *agent;       /* of --agent; NULL: none */
    cv_agents_file file;             /* empty: there is none */
    struct {
        cv_run_agent **items;
        size_t count, capacity;
    } agents;           /* that were asked for so far, each once */
    cv_secrets secrets; /* in the environment: they may be in a command that was typed */
    cv_call *call;
} cv_setup;

/* Everything but who sits where. False: call->errs says why. Lives in call->arena. */
bool cv_setup_read(cv_call *call, cv_str dialogue_id, cv_setup *ret);

/* Who answers for an expert; NULL: nobody does, or call->errs has more. */
const cv_run_agent *cv_setup_agent(cv_setup *s, cv_str slug, cv_str role, cv_str tier);

/* May a round wait for so many answers (0: all) of a panel with so many experts? */
bool cv_setup_check_quorum(cv_call *call, size_t quorum, size_t experts);

/* Seats of the file that fit none of these experts (slugs and roles): each is a warning. */
void cv_setup_warn(const cv_setup *s, cv_words experts, cv_notices *warnings);

/* Who judges, when nobody was named: the one agent that answers for all. */
void cv_setup_choose_judge(cv_setup *s);

/* Are the programs of --agent, --judge and the seats here? One missing seat of several is an expert that fails; if all
 * are missing, or the judge's, nothing is begun. False: call->errs says why. */
bool cv_setup_find_programs(cv_setup *s);

/* May all of them be called on this machine? False: call->errs says why. */
bool cv_setup_approve(cv_setup *s);

/* For the record: without anything secret, and without what was given to this command alone. */
cv_str cv_setup_json(cv_arena *a, const cv_setup *s);

#endif
