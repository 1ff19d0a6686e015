/* agents.h - who can act in a project: its agents, their other names and their tokens, for every room to read.
 *
 *     ("project", "agents")   one scope
 *       agent   name -> id, kind, capabilities, rooms, how it is reached, limits     "muffin" -> Muffin, agent, …
 *       alias   name -> the agent that it stands for                                 "bot-7"  -> muffin
 *       token   id   -> SHA-256 of a secret, the agent that it stands for            "t4"     -> muffin
 *       command (agent, command) -> what it does and takes                           (muffin, run_test) -> …
 *
 * Ids and aliases are one set of names, unique without regard to case: the key of a row is the name in lower case, `id`
 * and `alias` are as they were written. A removed agent keeps its row and its names. The operations that write these
 * rows are in project/.
 */
#ifndef CV_KIT_AGENTS_H
#define CV_KIT_AGENTS_H

#include "kit/notice.h"
#include "record/record.h"

/* clang-format off */

#define CV_AGENT_FIELDS(F)                                                                                             \
    F(TEXT, KEY, name) F(TEXT, OUTLINE, id) F(TEXT, OUTLINE, kind) F(TEXT, OUTLINE, summary)                           \
    F(TEXT, LONG, description) F(JSON, OUTLINE, capabilities) F(JSON, OUTLINE, rooms) F(TEXT, OUTLINE, reach)          \
    F(JSON, PLAIN, reach_details) F(JSON, OUTLINE, limits) F(INT, OUTLINE, files) F(TEXT, OUTLINE, status)             \
    F(TEXT, OUTLINE, created_at) F(TEXT, OUTLINE, removed_at)

/* An alias that was taken away has no agent; another may get it. */
#define CV_ALIAS_FIELDS(F)                                                                                             \
    F(TEXT, KEY, name) F(TEXT, OUTLINE, alias) F(TEXT, OUTLINE, agent) F(TEXT, OUTLINE, created_at)

#define CV_TOKEN_FIELDS(F)                                                                                             \
    F(TEXT, KEY, id) F(TEXT, OUTLINE, agent) F(TEXT, OUTLINE, digest) F(JSON, OUTLINE, rooms)                          \
    F(INT, OUTLINE, read_only) F(TEXT, OUTLINE, created_at) F(TEXT, OUTLINE, revoked_at)

/* What an agent understands; one that was taken away is removed. */
#define CV_COMMAND_FIELDS(F)                                                                                           \
    F(TEXT, KEY, agent) F(TEXT, KEY, command) F(TEXT, OUTLINE, summary) F(JSON, OUTLINE, params)                       \
    F(INT, OUTLINE, removed) F(TEXT, OUTLINE, changed_at)

/* clang-format on */

CV_TYPE_STRUCT(cv_agent_row, CV_AGENT_FIELDS)
CV_TYPE_STRUCT(cv_alias_row, CV_ALIAS_FIELDS)
CV_TYPE_STRUCT(cv_token_row, CV_TOKEN_FIELDS)
CV_TYPE_STRUCT(cv_command_row, CV_COMMAND_FIELDS)

extern const cv_index *const cv_tokens_by_agent;

enum {
    CV_MAX_AGENT_ID = 64,      /* bytes: it is a folder's name, too */
    CV_MAX_AGENT_NAMES = 1000, /* that are looked at to find the nearest one to a wrong name */
};

/* What secrets begin with, so that people and scanners know one when they see it. */
#define CV_TOKEN_PREFIX "cvt_"

cv_scope_id cv_agents_scope(void);

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* [A-Za-z0-9][A-Za-z0-9._-]{0,63} */
bool cv_agent_id_valid(cv_str id);
cv_str cv_agent_name(cv_arena *a, cv_str id); /* in lower case: the key */

/* The error for what is not an id, with the reason. Always false. */
bool cv_agent_id_refuse(cv_str id, cv_err *err);

bool cv_agent_is_removed(const cv_agent_row *agent);
bool cv_agent_is_human(const cv_agent_row *agent);

/* Is `word` in a JSON list of words, without regard to case? An absent list stands for `otherwise`. */
bool cv_agent_list_has(cv_arena *a, cv_str list, cv_str word, bool otherwise);

/* May it act in this room? Who is limited to no rooms may act in all. */
bool cv_agent_may_enter(cv_arena *a, const cv_agent_row *agent, cv_str room);

/* Has it this capability? */
bool cv_agent_can(cv_arena *a, const cv_agent_row *agent, cv_str capability);

/* One of its limits, "send_rate"; `otherwise` when it has none of this name. */
int64_t cv_agent_limit(cv_arena *a, const cv_agent_row *agent, cv_str limit, int64_t otherwise);

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The agent with this id or alias, a removed one too. *ret_agent is in the arena. */
bool cv_agent_find(cv_record *record, cv_arena *a, cv_str name, cv_agent_row *ret_agent, bool *ret_found, cv_err *err);

/* The same; unknown (with the nearest names) and removed ones are errors. */
bool cv_agent_get(cv_record *record, cv_arena *a, cv_str name, cv_agent_row *ret_agent, cv_err *err);

/* Has the project any agents, removed ones included? */
bool cv_agents_any(cv_record *record, bool *ret_any, cv_err *err);

/* In the order of their names, behind the one called `after` (empty: from the first); limit 0: all. Removed ones too.
 */
bool cv_agents_each(cv_record *record, cv_str after, size_t limit, cv_row_visit visit, void *ctx, cv_err *err);

/* Its aliases as they were written, by name. */
bool cv_agent_aliases(cv_record *record, cv_arena *a, cv_str name, cv_words *ret_aliases, cv_err *err);

/* The commands that it understands, by name; ret_commands are rows in the arena. */
typedef struct {
    cv_command_row *items;
    size_t count, capacity;
} cv_commands;
bool cv_agent_commands(cv_record *record, cv_arena *a, cv_str name, cv_commands *ret_commands, cv_err *err);

/* Adds to an error what names are near: all ids and aliases are asked. */
void cv_agents_advise(cv_record *record, cv_arena *a, cv_str name, cv_err *err);

/* Warns of a name that is not an agent's, but like one: rooms that accept any name take it, and it may be misspelt. */
void cv_agents_warn_like(cv_record *record, cv_arena *a, cv_str name, cv_str field, cv_notices *warnings);

/* The token with this secret, whatever became of it. */
bool cv_token_find(cv_record *record, cv_arena *a, cv_str secret, cv_token_row *ret_token, bool *ret_found,
                   cv_err *err);

#endif
