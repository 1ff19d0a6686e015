/* agents.c - the operations on one agent, and which agents there are; see registry.h. */
#include "kit/reach/approval.h"
#include "kit/room.h"
#include "project/registry.h"
#include "record/hash.h"

/* ---- add --------------------------------------------------------------------------------------------------------- */

static bool add(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    cv_registration *r = ctx;
    cv_err err = {.arena = call->arena};
    cv_map taken = {0};
    cv_registration_read(call, call->input, CV_STR(""), w->now, r);
    if (!cv_registration_check(call, r, CV_STR(""), cv_json_get_true(call->input, "replace"), &taken, 0, &err))
        return cv_call_fail(call, &err);
    if (call->errs->count > 0)
        return false;
    if (!cv_registration_enter(call, w, r, &err))
        return cv_call_fail(call, &err);
    *ret_result = cv_agent_answer(call->arena, &r->row, r->aliases, (cv_notices){0});
    return true;
}

/* What somebody types here needs no other approval. If that cannot be kept, the first run asks for it. */
static void approve(const cv_call *call, const cv_reach *reach)
{
    cv_err ignored = {.arena = call->arena};
    if (!call->confined && !cv_json_get_true(call->input, "dry_run"))
        cv_approval_keep(call->arena, call->root, reach, &ignored);
}

bool cv_agent_op_add(cv_call *call)
{
    cv_registration r = {.reach.way = CV_REACH_MAILBOX};
    if (!cv_registry_may_change(call) || !cv_request_locked(call, CV_STR("agent add"), cv_agents_scope(), add, &r))
        return false;
    approve(call, &r.reach);
    return true;
}

/* ---- alias ------------------------------------------------------------------------------------------------------- */

/* The aliases that the agent has afterwards. */
static cv_words after_change(cv_call *call, cv_words known, cv_words changed, bool remove)
{
    cv_texts all = {0};
    for (size_t i = 0; i < known.count; i++)
        if (!remove || cv_words_find(changed, known.items[i]) < 0)
            *CV_PUSH(call->arena, &all) = known.items[i];
    for (size_t i = 0; i < changed.count && !remove; i++)
        if (cv_words_find((cv_words){all.items, all.count}, changed.items[i]) < 0)
            *CV_PUSH(call->arena, &all) = changed.items[i];
    return (cv_words){all.items, all.count};
}

/* Faults of one alias that is to be added or taken away. */
static bool check_alias(cv_call *call, const cv_agent_row *agent, cv_words known, cv_str given, size_t index,
                        bool remove, cv_err *err)
{
    const char *field = cv_arena_printf(call->arena, "aliases[%zu]", index).p;
    cv_err *fault = NULL;
    if (remove && cv_words_find(known, given) < 0) {
        fault = cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), field, given, "'%.*s' is not an alias of '%.*s'",
                          CV_FMT(cv_excerpt(call->arena, given)), CV_FMT(agent->id));
        cv_refuse_words(fault, known.items, known.count);
    } else if (!remove && cv_str_eq_nocase(given, agent->id)) {
        fault = cv_refuse(call, CV_ERR_AGENT_EXISTS, CV_STR(""), field, given, "'%.*s' is the agent's own id",
                          CV_FMT(agent->id));
        cv_err_suggest(fault, CV_STR("leave it out, or choose another name"));
    }
    if (fault)
        cv_err_item_type(fault, CV_STR("agent"));
    return fault || remove || cv_registry_check_name(call, CV_STR(""), field, given, agent->name, err);
}

static bool check_aliases(cv_call *call, const cv_agent_row *agent, cv_words known, cv_words given, bool remove)
{
    cv_err err = {.arena = call->arena};
    for (size_t i = 0; i < given.count; i++)
        if (!check_alias(call, agent, known, given.items[i], i, remove, &err))
            return cv_call_fail(call, &err);
    size_t count = after_change(call, known, given, remove).count;
    if (count > CV_MAX_ALIASES)
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "aliases", CV_STR(""),
                  "an agent has at most %d aliases, not %zu", CV_MAX_ALIASES, count);
    return call->errs->count == 0;
}

static bool alias(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    (void)ctx;
    cv_err err = {.arena = call->arena};
    const cv_json *input = cv_json_get(call->input, CV_STR("aliases"));
    bool remove = cv_json_get_true(call->input, "remove");
    cv_agent_row agent;
    cv_words known;
    cv_texts given = {0};
    for (uint32_t i = 0; i < input->count; i++)
        *CV_PUSH(call->arena, &given) = cv_str_trim(input->items[i].text);
    cv_words changed = {given.items, given.count};
    if (!cv_registry_agent(call, &agent))
        return false;
    if (!cv_agent_aliases(call->record, call->arena, agent.name, &known, &err))
        return cv_call_fail(call, &err);
    if (!check_aliases(call, &agent, known, changed, remove))
        return false;
    cv_event_row *event = NULL;
    for (size_t i = 0; i < changed.count; i++) {
        if ((cv_words_find(known, changed.items[i]) >= 0) != remove)
            continue; /* it stands as it is wanted */
        if (!event)
            event = cv_writing_event(w, CV_STR("agent"), agent.id,
                                     remove ? CV_STR("alias_removed") : CV_STR("alias_added"));
        cv_registry_put_alias(w, event, changed.items[i], remove ? (cv_str){NULL, 0} : agent.name);
    }
    if (event)
        event->data = cv_json_get_json(call->arena, call->input, "aliases");
    *ret_result = cv_agent_answer(call->arena, &agent, after_change(call, known, changed, remove), (cv_notices){0});
    return true;
}

bool cv_agent_op_alias(cv_call *call)
{
    return cv_registry_may_change(call) &&
           cv_request_locked(call, CV_STR("agent alias"), cv_agents_scope(), alias, NULL);
}

/* ---- limit, remove ----------------------------------------------------------------------------------------------- */

/* What the rooms that it cannot enter any more have for it: "3 messages wait for it". Empty: nothing. */
static bool find_undone(cv_call *call, const cv_agent_row *old, const cv_agent_row *row, cv_str *ret, cv_err *err)
{
    cv_buf all = {0};
    bool ok = true;
    for (size_t i = 0; ok && cv_rooms[i]; i++) {
        cv_str name = cv_str_of(cv_rooms[i]->name), what = {0};
        bool stays = !cv_agent_is_removed(row) && cv_agent_may_enter(call->arena, row, name);
        if (!cv_rooms[i]->undone || stays || cv_agent_is_removed(old) || !cv_agent_may_enter(call->arena, old, name))
            continue;
        ok = cv_rooms[i]->undone(call, old->name, &what, err);
        if (ok && what.n)
            cv_buf_printf(&all, "%s%.*s", all.n ? "; " : "", CV_FMT(what));
    }
    *ret = cv_buf_take(&all, call->arena);
    return ok;
}

static bool refuse_needed(cv_call *call, const cv_agent_row *agent, cv_str undone)
{
    cv_err *fault = cv_refuse(call, CV_ERR_AGENT_NEEDED, CV_STR(""), "agent_id", agent->id,
                              "'%.*s' still has something to do: %.*s", CV_FMT(agent->id), CV_FMT(undone));
    cv_err_suggest(fault, CV_STR("wait until it has finished; with 'force' it is removed, and what waits stays for the "
                                 "agent that takes its id over"));
    return false;
}

/* The row as it is from now on, with its event, if that is another one. */
static bool change(cv_call *call, cv_writing *w, const cv_agent_row *old, const cv_agent_row *row, cv_str event_type,
                   cv_str *ret_result)
{
    cv_notices warnings = {0};
    cv_str undone;
    cv_err err = {.arena = call->arena};
    cv_words aliases;
    bool same =
        cv_str_eq(cv_hash_one(call->arena, &cv_agent_row_type, old), cv_hash_one(call->arena, &cv_agent_row_type, row));
    if (!cv_agent_aliases(call->record, call->arena, row->name, &aliases, &err) ||
        !find_undone(call, old, row, &undone, &err))
        return cv_call_fail(call, &err);
    if (undone.n && cv_agent_is_removed(row) && !cv_json_get_true(call->input, "force"))
        return refuse_needed(call, old, undone);
    if (undone.n)
        cv_notice_add(&warnings, call->arena, CV_STR("left_undone"), "'%.*s' leaves something undone: %.*s",
                      CV_FMT(row->id), CV_FMT(undone));
    if (!same) {
        cv_event_row *event = cv_writing_event(w, CV_STR("agent"), row->id, event_type);
        event->reason = cv_json_get_text(call->input, "reason");
        event->data = cv_agent_replaced(call->arena, old, false);
        cv_writing_covers(w, event, &cv_agent_row_type, cv_writing_put(w, &cv_agent_row_type, row));
    }
    *ret_result = cv_agent_answer(call->arena, row, aliases, warnings);
    return true;
}

/* One of the numbers that limit it: as it is given, or as it was; CV_ABSENT: it has none, or that is lifted. */
static int64_t limit_after(cv_call *call, const cv_agent_row *agent, const char *name)
{
    const cv_json *lift = cv_json_get(call->input, CV_STR("lift"));
    for (uint32_t i = 0; lift && i < lift->count; i++)
        if (cv_str_eq(lift->items[i].text, cv_str_of(name)))
            return CV_ABSENT;
    return cv_json_get_int(call->input, name, cv_agent_limit(call->arena, agent, cv_str_of(name), CV_ABSENT));
}

/* All of them; absent: nothing limits it. */
static cv_str limits_after(cv_call *call, const cv_agent_row *agent)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    size_t count = 0;
    cv_json_begin_object(&w);
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const char *const *name = cv_rooms[i]->limits; name && *name; name++) {
            int64_t value = limit_after(call, agent, *name);
            if (value == CV_ABSENT)
                continue;
            cv_json_key_int(&w, *name, value);
            count++;
        }
    cv_json_end_object(&w);
    cv_str all = cv_buf_take(&text, call->arena);
    return count ? all : (cv_str){NULL, 0};
}

static bool limit(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    (void)ctx;
    bool all_rooms = cv_json_get_true(call->input, "all_rooms");
    cv_agent_row old, row;
    cv_str rooms = cv_registry_rooms(call, call->input, CV_STR(""));
    if (rooms.p && all_rooms)
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), "all_rooms", CV_STR("true"),
                  "'rooms' and 'all_rooms' exclude each other");
    if (!cv_registry_agent(call, &old) || call->errs->count > 0)
        return false;
    row = old;
    row.limits = limits_after(call, &old);
    if (all_rooms || rooms.p)
        row.rooms = all_rooms ? (cv_str){NULL, 0} : rooms;
    return change(call, w, &old, &row, CV_STR("limited"), ret_result);
}

bool cv_agent_op_limit(cv_call *call)
{
    return cv_registry_may_change(call) &&
           cv_request_locked(call, CV_STR("agent limit"), cv_agents_scope(), limit, NULL);
}

/* Its names stay its own; its tokens open nothing any more, also when the id is taken over. One that was removed stays
 * so: the same twice is one. */
static bool remove_agent(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    (void)ctx;
    cv_err err = {.arena = call->arena};
    cv_agent_row old, row;
    bool found;
    if (!cv_agent_find(call->record, call->arena, cv_json_get_text(call->input, "agent_id"), &old, &found, &err))
        return cv_call_fail(call, &err);
    if (!found)
        return cv_registry_agent(call, &old); /* says why not */
    row = old;
    row.status = CV_STR("removed");
    if (!cv_agent_is_removed(&old))
        row.removed_at = w->now;
    if (!cv_tokens_revoke_all(call, w, row.name, CV_STR("its agent was removed"), &err))
        return cv_call_fail(call, &err);
    return change(call, w, &old, &row, CV_STR("removed"), ret_result);
}

bool cv_agent_op_remove(cv_call *call)
{
    return cv_registry_may_change(call) &&
           cv_request_locked(call, CV_STR("agent remove"), cv_agents_scope(), remove_agent, NULL);
}

/* ---- list, show -------------------------------------------------------------------------------------------------- */

enum { USUAL_PAGE = 100, ROWS_AT_ONCE = 200 };

typedef struct {
    cv_call *call;
    cv_agent_row *items;
    size_t count, capacity;
} rows;

static bool take_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    rows *r = ctx;
    (void)scope, (void)err;
    *CV_PUSH(r->call->arena, r) = *(cv_agent_row *)cv_row_copy(r->call->arena, &cv_agent_row_type, row);
    return true;
}

static bool is_wanted(const cv_call *call, const cv_agent_row *agent)
{
    cv_str kind = cv_json_get_text(call->input, "kind"), capability = cv_json_get_text(call->input, "capability");
    return (!cv_agent_is_removed(agent) || cv_json_get_true(call->input, "removed")) &&
           (!kind.p || cv_str_eq(kind, agent->kind)) && (!capability.p || cv_agent_can(call->arena, agent, capability));
}

typedef struct {
    cv_call *call;
    size_t limit;
    struct {
        cv_shown_agent *items;
        size_t count, capacity;
    } agents;
    cv_str next; /* empty: there is no next page */
} page;

#define CV_THIS_TYPE page
const cv_shape cv_agent_list_shape[] = {
    CV_SUCCESS,
    CV_LIST("agents", agents.items, agents.count, cv_shown_agent_shape, "by name"),
    CV_FIELD_AS(ALWAYS, "count", agents.count, ""),
    CV_MORE("next", next, "after", "only when there are more: give it as `after` to get the next page"),
    {0},
};
#undef CV_THIS_TYPE

/* The wanted ones of some rows; false: an error. */
static bool list_rows(page *p, const rows *found, cv_err *err)
{
    for (size_t i = 0; i < found->count && !p->next.n; i++) {
        const cv_agent_row *agent = &found->items[i];
        cv_words aliases;
        if (!is_wanted(p->call, agent))
            continue;
        assert(p->limit > 0 && "the schema says so");
        if (p->agents.count == p->limit) {
            p->next = p->agents.items[p->limit - 1].row.id;
            break;
        }
        if (!cv_agent_aliases(p->call->record, p->call->arena, agent->name, &aliases, err))
            return false;
        *CV_PUSH(p->call->arena, &p->agents) = cv_agent_shown(agent, aliases, false);
    }
    return true;
}

bool cv_agent_op_list(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    page p = {.call = call, .limit = (size_t)cv_json_get_int(call->input, "limit", USUAL_PAGE)};
    cv_str after = cv_json_get_text(call->input, "after");
    rows found = {.call = call};
    after = after.p ? cv_agent_name(call->arena, after) : after;
    do {
        found.count = 0;
        if (!cv_agents_each(call->record, after, ROWS_AT_ONCE, take_row, &found, &err) || !list_rows(&p, &found, &err))
            return cv_call_fail(call, &err);
        if (found.count > 0)
            after = found.items[found.count - 1].name;
    } while (found.count == ROWS_AT_ONCE && !p.next.n);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_agent_list_shape, &p);
    return true;
}

bool cv_agent_op_show(cv_call *call)
{
    cv_str name = cv_json_get_text(call->input, "agent_id");
    cv_err err = {.arena = call->arena};
    cv_agent_row agent;
    cv_words aliases;
    bool found;
    if (!cv_agent_find(call->record, call->arena, name, &agent, &found, &err))
        return cv_call_fail(call, &err);
    if (!found)
        return cv_registry_agent(call, &agent); /* says why not */
    if (!cv_agent_aliases(call->record, call->arena, agent.name, &aliases, &err))
        return cv_call_fail(call, &err);
    cv_buf_add(call->out, cv_agent_answer(call->arena, &agent, aliases, (cv_notices){0}));
    return true;
}
