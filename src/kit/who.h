/* who.h - who acts: from what a door knows to what a room may rely on.
 *
 *     --as NAME, CONCLAVE_AGENT, mcp --as    a name         claimed; verified for a person at the terminal
 *     Authorization: Bearer cvt_…            a token        verified, whatever else the call says
 *     nothing                                               nobody is named
 *
 * cv_admit() turns that into an agent of the registry, or refuses: unknown names (once the project has agents; before,
 * a name is taken as it is given), removed agents, revoked tokens, rooms that the agent or its token is not for, writes
 * with a token that may only read. It is asked before every operation (ops/call.c), so a room finds call->who settled:
 * every event of its writes says who acted and how sure that is (request.h).
 */
#ifndef CV_KIT_WHO_H
#define CV_KIT_WHO_H

#include "kit/agents.h"
#include "kit/call.h"

/* What is asked for. */
typedef struct {
    cv_str room;  /* "": the top level */
    bool changes; /* the record or files */
    bool for_all; /* every caller that may act at all may ask for it, whichever rooms it is limited to */
} cv_act;

/* Settles call->who. False: call->errs says why. */
bool cv_admit(cv_call *call, const cv_act *act);

/* Does this secret open anything? For a door that refuses others before it has read what they want. */
bool cv_token_admits(cv_record *record, cv_arena *a, cv_str secret, cv_err *err);

/* ---- for rooms --------------------------------------------------------------------------------------------------- */

/* In whose name a request speaks: `field` of the input ("from", "as"). It must name the caller if there is one; if it
 * is left out, the caller speaks. *ret_name is the agent's id; absent: nobody is named at all. *ret_agent is the row
 * that was read on the way; without a name: none was. False: unknown, removed, or somebody else than the caller
 * (identity_mismatch). */
bool cv_call_as(cv_call *call, const char *field, cv_str *ret_name, cv_agent_row *ret_agent);

/* What only a person may do, like overriding a rule: it must be certain that one does. `what` is a clause: "overriding
 * a blocker". False: not_verified. */
bool cv_call_needs_verified(cv_call *call, const char *what);

/* How sure it is who acted: "verified", "claimed". */
extern const cv_words cv_standing_words;

#endif
