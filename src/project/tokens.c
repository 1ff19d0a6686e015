/* tokens.c - secrets that say who acts: made, listed, revoked; see kit/agents.h.
 *
 *     cvt_ + 32 random bytes in base64url     shown once, in the answer to `token add`
 *     its SHA-256                             all that is kept: in the row, by which it is found
 *
 * The secret is put into the answer after the commit: it is neither in the stored result nor in an event. A replay of
 * the request says that it cannot be shown again.
 */
#include <assert.h>

#include "base/base64.h"
#include "base/os.h"
#include "project/registry.h"
#include "record/hash.h"

enum { SECRET_BYTES = 32 };

/* ---- who may ----------------------------------------------------------------------------------------------------- */

/* A token can make its holder a person: agents do not make any, and a server makes them for people only. */
static bool may_make(cv_call *call)
{
    if (call->confined)
        return cv_call_needs_verified(call, "making and revoking tokens through a server");
    if (!call->who.name.p || call->who.is_human)
        return true;
    cv_err *fault = cv_errs_add(call->errs, call->arena, CV_ERR_NOT_ALLOWED,
                                "'%.*s' is an agent, and agents do not make or revoke tokens", CV_FMT(call->who.name));
    cv_err_suggest(fault, CV_STR("ask a person to do it, who acts under no name, or under their own"));
    return false;
}

/* ---- add --------------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str secret;
    bool made; /* by this call, not by an earlier one */
} making;

static bool make_secret(cv_arena *a, cv_str *ret_secret, cv_err *err)
{
    char bytes[SECRET_BYTES];
    if (!cv_os_random(bytes, sizeof bytes)) {
        cv_err_set(err, CV_ERR_IO, "the system has no random numbers for a token");
        return false;
    }
    *ret_secret = cv_arena_join(a, CV_STR(CV_TOKEN_PREFIX), cv_base64_url(a, (cv_str){bytes, sizeof bytes}));
    return true;
}

/* What is told of a token. */
typedef struct {
    cv_token_row row;
    cv_str agent_id, status;
    bool read_only;
} told;

static const cv_str status_words[] = {CV_STR_INIT("active"), CV_STR_INIT("revoked")};
static const cv_words statuses = {status_words, CV_COUNT(status_words)};

#define CV_THIS_TYPE told
static const cv_shape told_shape[] = {
    CV_FIELD_AS(ALWAYS, "token_id", row.id, ""),
    CV_FIELD(ALWAYS, agent_id, ""),
    CV_JSON_AS(IF_ANY, NAMES, "rooms", row.rooms, "absent: those of its agent"),
    CV_FIELD(ALWAYS, read_only, ""),
    CV_WORD(ALWAYS, "status", status, &statuses, ""),
    CV_FIELD_AS(ALWAYS, "created_at", row.created_at, ""),
    CV_FIELD_AS(IF_ANY, "revoked_at", row.revoked_at, ""),
    {0},
};
const cv_shape cv_token_revoke_shape[] = {CV_SUCCESS, CV_GROUP("token", told_shape, ""), CV_REGISTERED, {0}};
const cv_shape cv_token_add_shape[] = {
    CV_SPREAD_SAME(cv_token_revoke_shape),
    CV_LATER_SECRET("secret", "shown once"),
    CV_LATER(IF_ANY, "note", TEXT, CV_NO_LIMIT, "why there is no secret"),
    {0},
};
#undef CV_THIS_TYPE

static told tell(const cv_token_row *token, cv_str agent_id)
{
    return (told){*token, agent_id, status_words[token->revoked_at.p != NULL], token->read_only == 1};
}

static cv_str answer(cv_arena *a, const cv_token_row *token, cv_str agent_id)
{
    const told t = tell(token, agent_id);
    return cv_shape_text(a, cv_token_revoke_shape, &t);
}

/* A scope has one write of each rev, so its number names the token. */
static bool add(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    making *m = ctx;
    cv_agent_row agent;
    cv_token_row row;
    cv_row_clear(&cv_token_row_type, &row);
    row.rooms = cv_registry_rooms(call, call->input, CV_STR(""));
    if (!cv_registry_agent(call, &agent) || call->errs->count > 0)
        return false;
    row.id = cv_arena_printf(call->arena, "t%lld", (long long)w->at.rev + 1);
    row.agent = agent.name;
    row.digest = cv_hash_text(call->arena, m->secret);
    row.read_only = cv_json_get_true(call->input, "read_only");
    row.created_at = w->now;
    cv_event_row *event = cv_writing_event(w, CV_STR("token"), row.id, CV_STR("created"));
    event->result_id = agent.id;
    cv_writing_covers(w, event, &cv_token_row_type, cv_writing_put(w, &cv_token_row_type, &row));
    m->made = true;
    *ret_result = answer(call->arena, &row, agent.id);
    return true;
}

/* Behind what was committed. */
static void show_secret(cv_call *call, const making *m)
{
    bool dry = cv_json_get_true(call->input, "dry_run");
    if (dry && m->made)
        return;
    assert(call->out->n > 0 && call->out->p[call->out->n - 1] == '}');
    call->out->n--;
    cv_buf_printf(call->out, ",\"%s\":\"%.*s\"}", m->made ? "secret" : "note",
                  CV_FMT(m->made ? m->secret
                                 : CV_STR("the secret was shown when the token was made, and cannot be shown again: "
                                          "revoke it and make another one if it is lost")));
}

bool cv_token_op_add(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    making m = {0};
    if (!may_make(call))
        return false;
    if (!make_secret(call->arena, &m.secret, &err))
        return cv_call_fail(call, &err);
    bool done = cv_request_locked(call, CV_STR("token add"), cv_agents_scope(), add, &m);
    if (done)
        show_secret(call, &m);
    return done;
}

/* ---- revoke ------------------------------------------------------------------------------------------------------ */

static void revoke_row(cv_call *call, cv_writing *w, cv_token_row *row, cv_str reason)
{
    cv_event_row *event = cv_writing_event(w, CV_STR("token"), cv_arena_copy(call->arena, row->id), CV_STR("revoked"));
    assert(!row->revoked_at.p && "a token is revoked once");
    row->revoked_at = w->now;
    event->reason = reason;
    cv_writing_covers(w, event, &cv_token_row_type, cv_writing_put(w, &cv_token_row_type, row));
}

static bool agent_id_of(cv_call *call, const cv_token_row *token, cv_str *ret_id, cv_err *err)
{
    cv_agent_row agent;
    bool found;
    if (!cv_agent_find(call->record, call->arena, token->agent, &agent, &found, err))
        return false;
    *ret_id = found ? agent.id : token->agent;
    return true;
}

/* A token that is revoked stays so: the same twice is one. */
static bool revoke(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    (void)ctx;
    cv_err err = {.arena = call->arena};
    cv_str agent_id;
    cv_token_row row;
    bool found;
    cv_row_clear(&cv_token_row_type, &row);
    row.id = cv_json_get_text(call->input, "token_id");
    if (!cv_record_get(call->record, call->arena, w->scope, &cv_token_row_type, &row, &found, &err))
        return cv_call_fail(call, &err);
    if (!found) {
        cv_err *fault = cv_refuse(call, CV_ERR_TOKEN_NOT_FOUND, CV_STR(""), "token_id",
                                  cv_str_starts(row.id, CV_STR(CV_TOKEN_PREFIX)) ? CV_STR("") : row.id,
                                  "there is no token with this id");
        cv_err_operation(fault, CV_STR("token list"));
        cv_err_suggest(fault, CV_STR("lists the ids; the secret itself is not one"));
        return false;
    }
    if (!agent_id_of(call, &row, &agent_id, &err))
        return cv_call_fail(call, &err);
    if (!row.revoked_at.p)
        revoke_row(call, w, &row, cv_json_get_text(call->input, "reason"));
    *ret_result = answer(call->arena, &row, agent_id);
    return true;
}

bool cv_token_op_revoke(cv_call *call)
{
    return may_make(call) && cv_request_locked(call, CV_STR("token revoke"), cv_agents_scope(), revoke, NULL);
}

/* ---- list -------------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_arena *arena;
    cv_token_row *items;
    size_t count, capacity;
} tokens;

static bool take_token(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    tokens *all = ctx;
    (void)scope, (void)err;
    *CV_PUSH(all->arena, all) = *(cv_token_row *)cv_row_copy(all->arena, &cv_token_row_type, row);
    return true;
}

/* Those of one agent (a key), or all when it is absent. */
static bool find_tokens(cv_record *record, cv_str agent, tokens *ret, cv_err *err)
{
    cv_token_row like;
    cv_row_clear(&cv_token_row_type, &like);
    like.agent = agent;
    const cv_find find = {.type = &cv_token_row_type,
                          .scope = cv_agents_scope(),
                          .index = cv_tokens_by_agent,
                          .like = &like,
                          .equal = agent.p ? 1 : 0};
    return record->calls->find(record, &find, take_token, ret, err);
}

bool cv_tokens_revoke_all(cv_call *call, cv_writing *w, cv_str agent, cv_str reason, cv_err *err)
{
    tokens all = {.arena = call->arena};
    if (!find_tokens(call->record, agent, &all, err))
        return false;
    for (size_t i = 0; i < all.count; i++)
        if (!all.items[i].revoked_at.p)
            revoke_row(call, w, &all.items[i], reason);
    return true;
}

typedef struct {
    told *items;
    size_t count, capacity;
} told_list;

#define CV_THIS_TYPE told_list
const cv_shape cv_token_list_shape[] = {
    CV_SUCCESS,
    CV_LIST("tokens", items, count, told_shape, ""),
    CV_FIELD(ALWAYS, count, ""),
    {0},
};
#undef CV_THIS_TYPE

bool cv_token_op_list(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    tokens all = {.arena = call->arena};
    told_list list = {0};
    cv_agent_row agent = {0};
    if (cv_json_get(call->input, CV_STR("agent_id")) && !cv_registry_agent(call, &agent))
        return false;
    if (!find_tokens(call->record, agent.name, &all, &err))
        return cv_call_fail(call, &err);
    for (size_t i = 0; i < all.count; i++) {
        cv_str id;
        if (all.items[i].revoked_at.p && !cv_json_get_true(call->input, "revoked"))
            continue;
        if (!agent_id_of(call, &all.items[i], &id, &err))
            return cv_call_fail(call, &err);
        *CV_PUSH(call->arena, &list) = tell(&all.items[i], id);
    }
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_token_list_shape, &list);
    return true;
}
