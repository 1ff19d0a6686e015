/* who.c - who acts; see who.h. */
#include "kit/who.h"

#include <assert.h>

#include "kit/fault.h"

static const cv_str verified = CV_STR_INIT("verified"), claimed = CV_STR_INIT("claimed");
static const cv_str standings[] = {CV_STR_INIT("verified"), CV_STR_INIT("claimed")};
const cv_words cv_standing_words = {standings, CV_COUNT(standings)};

static cv_str shown(cv_str name)
{
    return cv_str_head(name, CV_MAX_AGENT_ID);
}

/* ---- tokens ------------------------------------------------------------------------------------------------------ */

/* The token with this secret, and whose it is: neither revoked nor a removed agent's. */
static bool open_token(cv_record *record, cv_arena *a, cv_str secret, cv_token_row *ret_token, cv_agent_row *ret_agent,
                       cv_err *err)
{
    bool found;
    if (!cv_token_find(record, a, secret, ret_token, &found, err))
        return false;
    if (!found || ret_token->revoked_at.p) {
        cv_err_set(err, CV_ERR_TOKEN, found ? "the token was revoked" : "this project does not have this token");
        cv_err_operation(err, CV_STR("token add"));
        cv_err_suggest(err, CV_STR("makes another one"));
        return false;
    }
    return cv_agent_get(record, a, ret_token->agent, ret_agent, err);
}

bool cv_token_admits(cv_record *record, cv_arena *a, cv_str secret, cv_err *err)
{
    cv_token_row token;
    cv_agent_row agent;
    return open_token(record, a, secret, &token, &agent, err);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* The agent of this name. *ret_known false: the project has no agents at all, and any name will do. */
static bool find_named(cv_call *call, cv_str name, cv_agent_row *ret_agent, bool *ret_known, cv_err *err)
{
    *ret_known = false;
    if (!cv_agent_id_valid(name))
        return cv_agent_id_refuse(shown(name), err);
    if (!call->record)
        return true;
    return cv_agents_any(call->record, ret_known, err) &&
           (!*ret_known || cv_agent_get(call->record, call->arena, name, ret_agent, err));
}

/* ---- admission --------------------------------------------------------------------------------------------------- */

/* ["dialogue","mail"] -> "dialogue, mail"; "no room" of an empty list. */
static cv_str listed(cv_arena *a, cv_str rooms)
{
    cv_json tree;
    cv_err ignored = {.arena = a};
    cv_str *words = NULL;
    size_t count = 0;
    if (cv_json_parse(a, rooms, &tree, &ignored) && tree.type == CV_JSON_ARRAY) {
        words = CV_NEW_ARRAY(a, tree.count, cv_str);
        for (uint32_t i = 0; i < tree.count; i++)
            if (tree.items[i].type == CV_JSON_STRING)
                words[count++] = tree.items[i].text;
    }
    return count ? cv_arena_list(a, words, count) : CV_STR("no room");
}

static bool refuse_room(cv_call *call, const cv_act *act, cv_str rooms, const char *what, cv_err *err)
{
    cv_str room = act->room.n ? act->room : CV_STR("the project as a whole");
    cv_err_set(err, CV_ERR_NOT_ALLOWED, "%s '%.*s' is limited to %.*s: this is of %.*s", what, CV_FMT(call->who.name),
               CV_FMT(listed(call->arena, rooms)), CV_FMT(room));
    cv_err_operation(err, CV_STR("agent show"));
    cv_err_suggest(err, CV_STR("shows where an agent may act"));
    return false;
}

static bool refuse_write(const cv_call *call, cv_err *err)
{
    cv_err_set(err, CV_ERR_NOT_ALLOWED, "the token of '%.*s' is for reading only", CV_FMT(call->who.name));
    cv_err_operation(err, CV_STR("token add"));
    cv_err_suggest(err, CV_STR("makes a token that may write"));
    return false;
}

/* May this agent do that, with this token if there is one? */
static bool may(cv_call *call, const cv_act *act, const cv_agent_row *agent, const cv_token_row *token, cv_err *err)
{
    if (!act->for_all && !cv_agent_may_enter(call->arena, agent, act->room))
        return refuse_room(call, act, agent->rooms, "the agent", err);
    if (token && !act->for_all && !cv_agent_list_has(call->arena, token->rooms, act->room, true))
        return refuse_room(call, act, token->rooms, "the token of", err);
    return !token || token->read_only != 1 || !act->changes || refuse_write(call, err);
}

static void settle(cv_call *call, const cv_agent_row *agent, cv_str standing)
{
    assert(cv_words_find(cv_standing_words, standing) >= 0);
    call->who.name = agent->id;
    call->who.standing = standing;
    call->who.is_human = cv_agent_is_human(agent);
}

static bool admit_token(cv_call *call, const cv_act *act, cv_err *err)
{
    cv_token_row token;
    cv_agent_row agent;
    if (!call->record) {
        cv_err_set(err, CV_ERR_TOKEN, "the record is not open, so the token cannot be checked");
        return false;
    }
    if (!open_token(call->record, call->arena, call->who.token, &token, &agent, err))
        return false;
    settle(call, &agent, verified);
    return may(call, act, &agent, &token, err);
}

static bool admit_name(cv_call *call, const cv_act *act, cv_err *err)
{
    cv_agent_row agent;
    bool known;
    if (!find_named(call, call->who.name, &agent, &known, err)) {
        cv_err_field(err, CV_STR("as"));
        return false;
    }
    call->who.standing = claimed;
    if (!known)
        return true;
    settle(call, &agent, call->who.at_terminal && cv_agent_is_human(&agent) ? verified : claimed);
    return may(call, act, &agent, NULL, err);
}

bool cv_admit(cv_call *call, const cv_act *act)
{
    cv_err err = {.arena = call->arena};
    call->who.standing = (cv_str){NULL, 0};
    call->who.is_human = false;
    if (call->who.token.p)
        return admit_token(call, act, &err) || cv_call_fail(call, &err);
    return !call->who.name.p || admit_name(call, act, &err) || cv_call_fail(call, &err);
}

/* ---- for rooms --------------------------------------------------------------------------------------------------- */

bool cv_call_as(cv_call *call, const char *field, cv_str *ret_name, cv_agent_row *ret_agent)
{
    cv_str given = cv_json_get_text(call->input, field);
    cv_err err = {.arena = call->arena};
    bool known;
    *ret_name = call->who.name;
    *ret_agent = (cv_agent_row){0};
    if (!given.p)
        return true;
    if (!find_named(call, given, ret_agent, &known, &err)) {
        cv_err_field(&err, cv_str_of(field));
        return cv_call_fail(call, &err);
    }
    *ret_name = known ? ret_agent->id : given;
    if (!call->who.name.p || cv_str_eq_nocase(call->who.name, *ret_name))
        return true;
    cv_err *fault = cv_refuse(call, CV_ERR_IDENTITY, CV_STR(""), field, given, "'%.*s' acts, but '%s' is '%.*s'",
                              CV_FMT(call->who.name), field, CV_FMT(shown(given)));
    cv_err_suggest(fault,
                   cv_arena_printf(call->arena, "leave '%s' out, or act as '%.*s'", field, CV_FMT(shown(given))));
    return false;
}

bool cv_call_needs_verified(cv_call *call, const char *what)
{
    if (call->who.is_human && cv_str_eq(call->who.standing, verified))
        return true;
    cv_err *fault = cv_errs_add(call->errs, call->arena, CV_ERR_NOT_VERIFIED, "%s is for people, and %s", what,
                                !call->who.name.p     ? "nobody is named"
                                : !call->who.is_human ? "the caller is not registered as one"
                                                      : "the name is only claimed, not proved");
    cv_err_suggest(fault,
                   call->confined
                       ? CV_STR("send the token of a person, or ask a person to do it at a terminal")
                       : CV_STR("do it at a terminal with --as NAME, or through a server with the token of a person"));
    return false;
}
