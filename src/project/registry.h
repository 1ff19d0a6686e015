/* registry.h - writing who can act: what the operations on agents and tokens share; see kit/agents.h.
 *
 *     input of `agent add`, an item of `agent import`
 *       -> cv_registration_read     a row and its aliases; every fault of form
 *       -> cv_registration_check    are its names free, in the record and in this request?
 *       -> cv_registration_enter    rows and an event, or nothing: it is as it was asked for
 */
#ifndef CV_PROJECT_REGISTRY_H
#define CV_PROJECT_REGISTRY_H

#include "base/map.h"
#include "kit/fault.h"
#include "kit/reach/reach.h"
#include "kit/request.h"
#include "kit/shape.h"
#include "kit/who.h"

enum {
    CV_MAX_ALIASES = 32,             /* of one agent: more are a mistake */
    CV_MAX_REACH_DETAILS = 10 * 1000 /* bytes of JSON: a command line or a URL, not a program */
};

#define ERR(id, word, exit, meaning) extern const cv_err_kind CV_ERR_##id[1];
#include "project/err.def"
#undef ERR
extern const cv_err_code cv_registry_codes[];

typedef enum { CV_ENTRY_ADDED, CV_ENTRY_CHANGED, CV_ENTRY_UNCHANGED, CV_ENTRY_COUNT } cv_entry_outcome;
extern const cv_words cv_entry_words;

typedef struct {
    cv_agent_row row;
    cv_words aliases;      /* that it is to have besides those it has */
    cv_words new_aliases;  /* those among them that it does not have yet */
    cv_agent_row standing; /* of the same name; name absent: none */
    cv_reach reach;        /* how it is reached, if that is sound */
    cv_entry_outcome outcome;
} cv_registration;

/* Faults go to call->errs, with `at` before their fields. */
void cv_registration_read(cv_call *call, const cv_json *input, cv_str at, cv_str now, cv_registration *ret);

/* `taken`: the names of this request so far -> 1 + index of the registration. `replace`: an agent with this id may
 * stand, also a removed one. */
bool cv_registration_check(cv_call *call, cv_registration *r, cv_str at, bool replace, cv_map *taken, size_t index,
                           cv_err *err);
/* An agent that becomes a person, or a person that becomes an agent, needs new tokens: a token is only good for what it
 * was made for. */
bool cv_registration_enter(cv_call *call, cv_writing *w, cv_registration *r, cv_err *err);

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* The list of words in `field`, as JSON; absent when it is not there. Rooms must be rooms. */
cv_str cv_registry_rooms(cv_call *call, const cv_json *input, cv_str at);

/* Faults unless this is a name that nobody has but perhaps `owner` (a key). */
bool cv_registry_check_name(cv_call *call, cv_str at, const char *field, cv_str given, cv_str owner, cv_err *err);

/* Adds aliases to the write. */
void cv_registry_put_alias(cv_writing *w, cv_event_row *event, cv_str given, cv_str agent);

/* The agent that `agent_id` names, neither unknown nor removed. False: call->errs says why. */
bool cv_registry_agent(cv_call *call, cv_agent_row *ret_agent);

/* May the caller change who can act? An agent that is known by its token may not. */
bool cv_registry_may_change(cv_call *call);

/* What answers and events say about an agent; in short: without its description and the details of its reach. */
typedef struct {
    cv_agent_row row;
    cv_words aliases;
    cv_str description, reach_details;
    bool files;
    cv_notices warnings; /* about what was done with it */
} cv_shown_agent;

cv_shown_agent cv_agent_shown(const cv_agent_row *agent, cv_words aliases, bool whole);

/* {"status":"success","agent":{…}} */
cv_str cv_agent_answer(cv_arena *a, const cv_agent_row *agent, cv_words aliases, cv_notices warnings);

/* {"old":{…}}: what an event replaces. */
cv_str cv_agent_replaced(cv_arena *a, const cv_agent_row *old, bool whole);

/* ---- the forms of answers (kit/shape.h) -------------------------------------------------------------------------- */

extern const cv_shape cv_shown_agent_shape[];
extern const cv_shape cv_agent_shape[], cv_agent_written_shape[], cv_agent_list_shape[], cv_agent_import_shape[],
    cv_agent_commands_shape[];
extern const cv_shape cv_token_add_shape[], cv_token_list_shape[], cv_token_revoke_shape[];

/* What the answers of writes to the registry have besides; it may be empty still. */
#define CV_REGISTERED CV_WRITTEN_FROM(0, "registry"), CV_TRIED

/* ---- operations -------------------------------------------------------------------------------------------------- */

bool cv_agent_op_add(cv_call *call);
bool cv_agent_op_list(cv_call *call);
bool cv_agent_op_show(cv_call *call);
bool cv_agent_op_alias(cv_call *call);
bool cv_agent_op_limit(cv_call *call);
bool cv_agent_op_remove(cv_call *call);
bool cv_agent_op_import(cv_call *call);
bool cv_agent_op_commands(cv_call *call);
bool cv_token_op_add(cv_call *call);
bool cv_token_op_list(cv_call *call);
bool cv_token_op_revoke(cv_call *call);

/* Revokes all tokens of an agent that are open, in this write. */
bool cv_tokens_revoke_all(cv_call *call, cv_writing *w, cv_str agent, cv_str reason, cv_err *err);

#endif
