/* address.c - who is meant by an address; see send.h. */
#include "mail/send.h"

typedef struct {
    cv_call *call;
    const char *field; /* "to", or "to[2]" */
    cv_str value;
    const cv_mail_agent *sender;
    cv_mail_recipients *to;
    cv_map *taken; /* names that are among the recipients */
} addressing;

static void add(addressing *x, const cv_agent_row *row)
{
    bool is_new;
    cv_map_put(x->taken, x->call->arena, row->name, &is_new);
    if (is_new)
        *CV_PUSH(x->call->arena, x->to) = (cv_mail_agent){.name = row->name, .id = row->id, .row = *row};
}

typedef struct {
    cv_arena *arena;
    cv_str capability; /* absent: any */
    cv_agent_row *items;
    size_t count, capacity;
} matching;

/* Who can read mail at all, and can do what is asked for. */
static bool match(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    matching *m = ctx;
    const cv_agent_row *agent = row;
    (void)scope, (void)err;
    if (!cv_agent_is_removed(agent) && cv_agent_may_enter(m->arena, agent, CV_STR("mail")) &&
        (!m->capability.p || cv_agent_can(m->arena, agent, m->capability)))
        *CV_PUSH(m->arena, m) = *(cv_agent_row *)cv_row_copy(m->arena, &cv_agent_row_type, agent);
    return true;
}

static bool find_matching(addressing *x, cv_str capability, matching *ret, cv_err *err)
{
    *ret = (matching){.arena = x->call->arena, .capability = capability};
    return cv_agents_each(x->call->record, CV_STR(""), 0, match, ret, err);
}

static bool refuse_nobody(addressing *x, const char *why)
{
    cv_err *fault = cv_refuse(x->call, CV_ERR_NO_RECIPIENT, CV_STR(""), x->field, x->value, "%s", why);
    cv_err_operation(fault, CV_STR("agent list"));
    cv_err_suggest(fault, CV_STR("lists the agents and what they can do"));
    return false;
}

static bool to_everybody(addressing *x)
{
    cv_err err = {.arena = x->call->arena};
    matching all;
    if (!find_matching(x, (cv_str){NULL, 0}, &all, &err))
        return cv_call_fail(x->call, &err);
    size_t before = x->to->count;
    for (size_t i = 0; i < all.count; i++)
        if (!cv_str_eq(all.items[i].name, x->sender->name))
            add(x, &all.items[i]);
    return x->to->count > before || refuse_nobody(x, "there is nobody except the sender");
}

/* Of those who can do it, the agent with the fewest messages waiting; equals by name. */
static bool to_capable(addressing *x, cv_str capability, bool all)
{
    cv_err err = {.arena = x->call->arena};
    matching able;
    size_t best = 0;
    int64_t least = INT64_MAX;
    if (!find_matching(x, capability, &able, &err))
        return cv_call_fail(x->call, &err);
    if (able.count == 0)
        return refuse_nobody(x, cv_arena_printf(x->call->arena, "no agent has the capability '%.*s'",
                                                CV_FMT(cv_excerpt(x->call->arena, capability)))
                                    .p);
    for (size_t i = 0; i < able.count && !all; i++) {
        cv_mail_mailbox mailbox;
        bool found;
        if (!cv_mail_mailbox_get(x->call->record, x->call->arena, able.items[i].name, &mailbox, &found, &err))
            return cv_call_fail(x->call, &err);
        int64_t waiting = 0;
        if (found && !cv_mail_waiting_of(x->call->record, &mailbox, cv_mail_now(x->call), &waiting, &err))
            return cv_call_fail(x->call, &err);
        best = waiting < least ? i : best;
        least = waiting < least ? waiting : least;
    }
    for (size_t i = 0; i < able.count; i++)
        if (all || i == best)
            add(x, &able.items[i]);
    return true;
}

static bool to_one(addressing *x)
{
    cv_err err = {.arena = x->call->arena};
    cv_agent_row row;
    if (cv_words_find((cv_words){(const cv_str[]){CV_STR("System"), CV_STR("User")}, 2}, x->value) >= 0)
        return refuse_nobody(x, "System and User can send, but have no mailbox");
    if (!cv_agent_get(x->call->record, x->call->arena, x->value, &row, &err)) {
        cv_err_field(&err, cv_str_of(x->field));
        return cv_call_fail(x->call, &err);
    }
    if (!cv_agent_may_enter(x->call->arena, &row, CV_STR("mail"))) {
        cv_err *fault = cv_refuse(x->call, CV_ERR_NOT_ALLOWED, CV_STR(""), x->field, x->value,
                                  "'%.*s' is limited to other rooms and cannot read mail", CV_FMT(row.id));
        cv_err_operation(fault, CV_STR("agent limit"));
        cv_err_suggest(fault, CV_STR("changes where an agent may act"));
        return false;
    }
    add(x, &row);
    return true;
}

static bool to_address(addressing *x)
{
    static const cv_str everybody[] = {CV_STR_INIT("broadcast"), CV_STR_INIT("*"), CV_STR_INIT("all")};
    static const cv_str one = CV_STR_INIT("capability:"), all = CV_STR_INIT("all:");
    if (cv_words_find((cv_words){everybody, CV_COUNT(everybody)}, x->value) >= 0)
        return to_everybody(x);
    if (cv_str_starts_nocase(x->value, one))
        return to_capable(x, cv_str_trim(cv_str_from(x->value, one.n)), false);
    if (cv_str_starts_nocase(x->value, all))
        return to_capable(x, cv_str_trim(cv_str_from(x->value, all.n)), true);
    return to_one(x);
}

bool cv_mail_address(cv_call *call, const char *field, const cv_json *to, const cv_mail_agent *sender,
                     cv_mail_recipients *ret)
{
    cv_map taken = {0};
    bool ok = true, listed = to && to->type == CV_JSON_ARRAY;
    *ret = (cv_mail_recipients){0};
    if (!to)
        return false; /* the form of the request tells that it is missing */
    for (uint32_t i = 0; i < (listed ? to->count : 1); i++) {
        const cv_json *one = listed ? &to->items[i] : to;
        addressing x = {.call = call,
                        .field = listed ? cv_arena_printf(call->arena, "%s[%u]", field, i).p : field,
                        .value = cv_str_trim(one->text),
                        .sender = sender,
                        .to = ret,
                        .taken = &taken};
        ok = to_address(&x) && ok;
    }
    if (ok && ret->count > CV_MAIL_MAX_RECIPIENTS) {
        cv_refuse(call, CV_ERR_TOO_LARGE, CV_STR(""), field, CV_STR(""), "%zu agents are addressed, at most %d can be",
                  ret->count, CV_MAIL_MAX_RECIPIENTS);
        return false;
    }
    return ok;
}
