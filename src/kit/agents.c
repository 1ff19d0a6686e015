/* agents.c - the agents of a project, for every room to read; see agents.h. */
#include "kit/agents.h"

#include "base/json.h"
#include "record/hash.h"

/* ---- the tables -------------------------------------------------------------------------------------------------- */

static const cv_index alias_indexes[] = {CV_INDEX("agent", SCOPE, CV_AT(cv_alias_row, agent))};
static const cv_index token_indexes[] = {
    CV_INDEX("agent", SCOPE, CV_AT(cv_token_row, agent)),
    CV_INDEX("digest", SCOPE, CV_AT(cv_token_row, digest)),
};
static const cv_index *const aliases_by_agent = &alias_indexes[0];
const cv_index *const cv_tokens_by_agent = &token_indexes[0];
static const cv_index *const tokens_by_digest = &token_indexes[1];

#define CV_THIS_TYPE cv_agent_row
CV_TYPE_TABLE(cv_agent_row, "agent", "agents", CV_AGENT_FIELDS, REPLACED, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_alias_row
CV_TYPE_TABLE(cv_alias_row, "alias", "aliases", CV_ALIAS_FIELDS, REPLACED, NULL, CV_INDEXES(alias_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_token_row
CV_TYPE_TABLE(cv_token_row, "token", "tokens", CV_TOKEN_FIELDS, REPLACED, NULL, CV_INDEXES(token_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_command_row
CV_TYPE_TABLE(cv_command_row, "command", "agent_commands", CV_COMMAND_FIELDS, REPLACED, NULL, .indexes = NULL);
#undef CV_THIS_TYPE

cv_scope_id cv_agents_scope(void)
{
    return (cv_scope_id){CV_STR("project"), CV_STR("agents")};
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static bool is_id_char(char c, size_t at)
{
    return cv_is_alnum(c) || (at > 0 && (c == '.' || c == '_' || c == '-'));
}

/* The secret of a token, where a name is asked for: neither kept nor repeated. */
static bool is_secret(cv_str id)
{
    return cv_str_starts_nocase(id, CV_STR(CV_TOKEN_PREFIX));
}

bool cv_agent_id_valid(cv_str id)
{
    size_t at = 0;
    while (at < id.n && at < CV_MAX_AGENT_ID && is_id_char(id.p[at], at))
        at++;
    return id.n > 0 && at == id.n && id.p[at - 1] != '.' && !is_secret(id);
}

bool cv_agent_id_refuse(cv_str id, cv_err *err)
{
    size_t at = 0;
    while (at < id.n && is_id_char(id.p[at], at))
        at++;
    if (id.n == 0)
        cv_err_set(err, CV_ERR_INVALID_VALUE, "the name of an agent must not be empty");
    else if (is_secret(id))
        cv_err_set(err, CV_ERR_INVALID_VALUE, "what begins with " CV_TOKEN_PREFIX " is a token, not a name");
    else if (at < id.n)
        cv_err_set(err, CV_ERR_INVALID_VALUE, "byte %zu of the name is not %s", at + 1,
                   at == 0 ? "a letter or digit of ASCII" : "a letter or digit of ASCII, a dot, '_' or '-'");
    else if (id.n > CV_MAX_AGENT_ID)
        cv_err_set(err, CV_ERR_INVALID_VALUE, "the name has %zu characters, at most %d are allowed", id.n,
                   CV_MAX_AGENT_ID);
    else
        cv_err_set(err, CV_ERR_INVALID_VALUE, "the name of an agent must not end with a dot");
    cv_err_suggest(err, CV_STR("a name begins with a letter or digit, followed by letters, digits, '.', '_' and "
                               "'-', like Agent-1"));
    return false;
}

cv_str cv_agent_name(cv_arena *a, cv_str id)
{
    char *name = cv_arena_copy_z(a, id);
    for (size_t i = 0; i < id.n; i++)
        name[i] = cv_lower(name[i]);
    return (cv_str){name, id.n};
}

bool cv_agent_is_removed(const cv_agent_row *agent)
{
    return agent->removed_at.p;
}

bool cv_agent_is_human(const cv_agent_row *agent)
{
    return cv_str_eq(agent->kind, CV_STR("human"));
}

bool cv_agent_list_has(cv_arena *a, cv_str list, cv_str word, bool otherwise)
{
    cv_json tree;
    cv_err ignored = {.arena = a}; /* a list that cannot be read has nothing in it */
    if (!list.p)
        return otherwise;
    if (cv_json_parse(a, list, &tree, &ignored) && tree.type == CV_JSON_ARRAY)
        for (uint32_t i = 0; i < tree.count; i++)
            if (tree.items[i].type == CV_JSON_STRING && cv_str_eq_nocase(tree.items[i].text, word))
                return true;
    return false;
}

bool cv_agent_may_enter(cv_arena *a, const cv_agent_row *agent, cv_str room)
{
    return cv_agent_list_has(a, agent->rooms, room, true);
}

bool cv_agent_can(cv_arena *a, const cv_agent_row *agent, cv_str capability)
{
    return cv_agent_list_has(a, agent->capabilities, capability, false);
}

int64_t cv_agent_limit(cv_arena *a, const cv_agent_row *agent, cv_str limit, int64_t otherwise)
{
    cv_json tree;
    cv_err ignored = {.arena = a};
    int64_t value;
    if (!agent->limits.p || !cv_json_parse(a, agent->limits, &tree, &ignored))
        return otherwise;
    const cv_json *found = cv_json_get(&tree, limit);
    return found && cv_json_to_int(found, &value) ? value : otherwise;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static bool get_agent(cv_record *record, cv_arena *a, cv_str name, cv_agent_row *ret, bool *ret_found, cv_err *err)
{
    cv_row_clear(&cv_agent_row_type, ret);
    ret->name = name;
    return cv_record_get(record, a, cv_agents_scope(), &cv_agent_row_type, ret, ret_found, err);
}

bool cv_agent_find(cv_record *record, cv_arena *a, cv_str given, cv_agent_row *ret_agent, bool *ret_found, cv_err *err)
{
    bool is_alias = false;
    cv_alias_row alias;
    *ret_found = false;
    if (!cv_agent_id_valid(given))
        return true;
    cv_row_clear(&cv_alias_row_type, &alias);
    alias.name = cv_agent_name(a, given);
    if (!get_agent(record, a, alias.name, ret_agent, ret_found, err))
        return false;
    if (!*ret_found && !cv_record_get(record, a, cv_agents_scope(), &cv_alias_row_type, &alias, &is_alias, err))
        return false;
    return !is_alias || !alias.agent.p || get_agent(record, a, alias.agent, ret_agent, ret_found, err);
}

bool cv_agent_get(cv_record *record, cv_arena *a, cv_str name, cv_agent_row *ret_agent, cv_err *err)
{
    bool found;
    if (!cv_agent_find(record, a, name, ret_agent, &found, err))
        return false;
    if (!found && is_secret(name))
        return cv_agent_id_refuse(name, err);
    if (!found) {
        cv_err_set(err, CV_ERR_UNKNOWN_AGENT, "no agent is called '%.*s'", CV_FMT(cv_str_head(name, CV_MAX_AGENT_ID)));
        cv_agents_advise(record, a, name, err);
        return false;
    }
    if (!cv_agent_is_removed(ret_agent))
        return true;
    cv_err_set(err, CV_ERR_AGENT_REMOVED, "the agent '%.*s' was removed at %.*s", CV_FMT(ret_agent->id),
               CV_FMT(ret_agent->removed_at));
    cv_err_operation(err, CV_STR("agent list"));
    cv_err_suggest(err, CV_STR("lists the agents that can act"));
    return false;
}

static bool stop_at_one(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    (void)scope, (void)row, (void)err;
    *(bool *)ctx = true;
    return true;
}

bool cv_agents_any(cv_record *record, bool *ret_any, cv_err *err)
{
    *ret_any = false;
    return cv_agents_each(record, CV_STR(""), 1, stop_at_one, ret_any, err);
}

bool cv_agents_each(cv_record *record, cv_str after, size_t limit, cv_row_visit visit, void *ctx, cv_err *err)
{
    cv_agent_row last;
    cv_row_clear(&cv_agent_row_type, &last);
    last.name = after;
    const cv_find find = {
        .type = &cv_agent_row_type, .scope = cv_agents_scope(), .after = after.n ? &last : NULL, .limit = limit};
    return record->calls->find(record, &find, visit, ctx, err);
}

typedef struct {
    cv_arena *arena;
    cv_str *items;
    size_t count, capacity;
} names;

static bool add_alias(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    names *all = ctx;
    (void)scope, (void)err;
    if (((const cv_alias_row *)row)->agent.p)
        *CV_PUSH(all->arena, all) = cv_arena_copy(all->arena, ((const cv_alias_row *)row)->alias);
    return true;
}

static bool add_id(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    names *all = ctx;
    (void)scope, (void)err;
    if (!cv_agent_is_removed(row))
        *CV_PUSH(all->arena, all) = cv_arena_copy(all->arena, ((const cv_agent_row *)row)->id);
    return true;
}

bool cv_agent_aliases(cv_record *record, cv_arena *a, cv_str name, cv_words *ret_aliases, cv_err *err)
{
    names all = {.arena = a};
    cv_alias_row like;
    cv_row_clear(&cv_alias_row_type, &like);
    like.agent = name;
    const cv_find find = {
        .type = &cv_alias_row_type, .index = aliases_by_agent, .scope = cv_agents_scope(), .like = &like, .equal = 1};
    bool ok = record->calls->find(record, &find, add_alias, &all, err);
    *ret_aliases = (cv_words){all.items, all.count};
    return ok;
}

typedef struct {
    cv_arena *arena;
    cv_commands *all;
} gathering;

static bool add_command(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    gathering *g = ctx;
    (void)scope, (void)err;
    if (((const cv_command_row *)row)->removed != 1)
        *CV_PUSH(g->arena, g->all) = *(cv_command_row *)cv_row_copy(g->arena, &cv_command_row_type, row);
    return true;
}

bool cv_agent_commands(cv_record *record, cv_arena *a, cv_str name, cv_commands *ret, cv_err *err)
{
    gathering g = {a, ret};
    cv_command_row like;
    cv_row_clear(&cv_command_row_type, &like);
    like.agent = name;
    const cv_find find = {.type = &cv_command_row_type, .scope = cv_agents_scope(), .like = &like, .equal = 1};
    *ret = (cv_commands){0};
    return record->calls->find(record, &find, add_command, &g, err);
}

/* Ids and aliases. What cannot be read does not help anybody: then there are none. */
static names all_names(cv_record *record, cv_arena *a)
{
    names all = {.arena = a};
    cv_err ignored = {.arena = a};
    const cv_find aliases = {.type = &cv_alias_row_type, .scope = cv_agents_scope(), .limit = CV_MAX_AGENT_NAMES};
    if (!cv_agents_each(record, CV_STR(""), CV_MAX_AGENT_NAMES, add_id, &all, &ignored) ||
        !record->calls->find(record, &aliases, add_alias, &all, &ignored))
        all.count = 0;
    return all;
}

void cv_agents_warn_like(cv_record *record, cv_arena *a, cv_str name, cv_str field, cv_notices *warnings)
{
    names all = all_names(record, a);
    cv_str near = cv_str_nearest(name, all.items, all.count);
    if (!near.n || cv_str_eq_nocase(near, name))
        return;
    cv_notice_add(warnings, a, CV_STR("like_agent"), "no agent is called '%.*s': did you mean '%.*s'?",
                  CV_FMT(cv_str_head(name, CV_MAX_AGENT_ID)), CV_FMT(near))
        ->field = field;
}

void cv_agents_advise(cv_record *record, cv_arena *a, cv_str name, cv_err *err)
{
    names all = all_names(record, a);
    cv_err_value(err, cv_str_head(name, CV_MAX_AGENT_ID));
    if (!cv_err_nearest(err, cv_str_head(name, CV_MAX_AGENT_ID), all.items, all.count)) {
        cv_err_operation(err, all.count ? CV_STR("agent list") : CV_STR("agent add"));
        cv_err_suggest(err, all.count ? CV_STR("lists the agents of this project") : CV_STR("registers the first one"));
    }
}

/* Secrets are random: an attacker that tries others learns nothing from how long the index looks for a digest. */
bool cv_token_find(cv_record *record, cv_arena *a, cv_str secret, cv_token_row *ret_token, bool *ret_found, cv_err *err)
{
    cv_token_row like;
    cv_row_clear(&cv_token_row_type, &like);
    like.digest = cv_hash_text(a, secret);
    const cv_find find = {.type = &cv_token_row_type,
                          .index = tokens_by_digest,
                          .scope = cv_agents_scope(),
                          .like = &like,
                          .equal = 1,
                          .limit = 1};
    return cv_record_first(record, a, &find, ret_token, ret_found, err);
}
