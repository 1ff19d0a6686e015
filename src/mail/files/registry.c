/* registry.c - what changes who can act goes into the governance log: registrations, limits, tokens; see log.h. An
 * agent that was registered gets a mailbox, and the next number of mailboxes.
 *
 *     commits of the registry  ->  mail log, with an op_id of the commit  ->  the position of this reader moves on
 *                              ->  mailboxes in the order of registration
 *
 * The registry is the project's, and its writes know nothing of this room: the room catches up with the feed. Its
 * position is kept by the store. The op_id makes each line once, even if a process is killed or several folders show
 * one record.
 */
#include "mail/files/show.h"
#include "mail/files/take.h"
#include "record/feed.h"

enum { BATCH = 256 }; /* commits after which the position is kept */

/* Which events are significant, and as what. */
static const struct {
    cv_str subject, event;
    const char *logged;
} kinds[] = {
    {CV_STR_INIT("agent"), CV_STR_INIT("created"), "AGENT_REGISTERED"},
    {CV_STR_INIT("agent"), CV_STR_INIT("changed"), "AGENT_CHANGED"},
    {CV_STR_INIT("agent"), CV_STR_INIT("alias_added"), "AGENT_CHANGED"},
    {CV_STR_INIT("agent"), CV_STR_INIT("alias_removed"), "AGENT_CHANGED"},
    {CV_STR_INIT("agent"), CV_STR_INIT("removed"), "AGENT_REMOVED"},
    {CV_STR_INIT("agent"), CV_STR_INIT("limited"), "POLICY_CHANGED"},
    {CV_STR_INIT("token"), CV_STR_INIT("created"), "POLICY_CHANGED"},
    {CV_STR_INIT("token"), CV_STR_INIT("revoked"), "POLICY_CHANGED"},
};

typedef struct {
    cv_mail_door *door;
    int64_t rev;
    size_t count; /* events of this commit so far */
} logging;

static cv_str request_of(const logging *l, const cv_event_row *e, const char *logged)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "event_type", cv_str_of(logged));
    cv_json_key_str(&w, "agent_source", CV_STR("System"));
    cv_json_key(&w, CV_STR("details"));
    cv_json_begin_object(&w);
    cv_json_key_str(&w, cv_arena_copy_z(l->door->arena, e->subject_type), e->subject_id);
    cv_json_key_str(&w, "change", e->event_type);
    cv_json_key_str_if(&w, "of", e->result_id);
    cv_json_key_str_if(&w, "by", e->agent);
    cv_json_key_str_if(&w, "reason", e->reason);
    cv_json_key_str(&w, "at", e->created_at);
    cv_json_end_object(&w);
    cv_json_key_str(&w, "op_id", cv_arena_printf(l->door->arena, "registry-%lld-%zu", (long long)l->rev, l->count));
    cv_json_end_object(&w);
    return cv_buf_take(&out, l->door->arena);
}

static bool log_event(logging *l, const cv_event_row *e, cv_err *err)
{
    cv_json answer;
    cv_str why;
    bool again;
    l->count++;
    for (size_t i = 0; i < CV_COUNT(kinds); i++)
        if (cv_str_eq(e->subject_type, kinds[i].subject) && cv_str_eq(e->event_type, kinds[i].event) &&
            !cv_door_call(l->door, "log", request_of(l, e, kinds[i].logged), &answer, &again, &why))
            return cv_err_set(err, again ? CV_ERR_BUSY : CV_ERR_STORE,
                              "the governance log does not have what was registered: %.*s", CV_FMT(why));
    return true;
}

/* ---- mailboxes --------------------------------------------------------------------------------------------------- */

/* One that is there already stays as it is: a killed process may have made it. */
static bool open_mailbox(cv_mail_writing *o, cv_str id)
{
    cv_mail_mailbox row, *made = NULL;
    cv_mail_agent agent = {0};
    bool registered, there = false;
    if (!cv_agent_find(o->record, o->arena, cv_agent_name(o->arena, id), &agent.row, &registered, &o->err))
        return false;
    if (!registered || cv_agent_is_removed(&agent.row) || !cv_agent_may_enter(o->arena, &agent.row, CV_STR("mail")))
        return true;
    agent.name = agent.row.name;
    agent.id = agent.row.id;
    if (!cv_mail_mailbox_get(o->record, o->arena, agent.name, &row, &there, &o->err) ||
        (!there && !(made = cv_mail_mailbox_of(o, &agent))))
        return false;
    if (made)
        cv_mail_event(o, CV_STR("mailbox"), agent.id, "slot_claimed")->step = made->slot;
    return true;
}

static bool open_mailboxes(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    const cv_row_list *created = ctx;
    for (size_t i = 0; i < created->count; i++)
        if (!open_mailbox(o, ((const cv_event_row *)created->items[i])->subject_id))
            return cv_mail_fail(o);
    *ret_result = CV_STR("{}");
    return true;
}

static bool open_created(cv_mail_door *door, cv_row_list *created, cv_err *err)
{
    cv_call own = *door->call;
    cv_json none = {.type = CV_JSON_OBJECT};
    cv_buf out = {0};
    cv_errs errs = {0};
    if (created->count == 0)
        return true;
    own.who = (cv_who){0};
    own.taking_in = true;
    own.input = &none;
    own.input_text = CV_STR("{}");
    own.digest = (cv_str){NULL, 0};
    own.out = &out;
    own.errs = &errs;
    bool ok = cv_mail_write(&own, "mail slot", open_mailboxes, created);
    if (!ok)
        cv_err_copy(err, &errs.items[0]);
    cv_buf_release(&out);
    return ok;
}

/* ---- commits ----------------------------------------------------------------------------------------------------- */

static bool log_commits(void *ctx, const cv_feed_entry *entries, size_t count, cv_err *err)
{
    cv_mail_door *door = ctx;
    cv_scope_id registry = cv_agents_scope();
    cv_row_list created = {.arena = door->arena, .type = &cv_event_row_type};
    for (size_t i = 0; i < count; i++) {
        cv_event_row like;
        cv_row_list events = {0};
        logging l = {.door = door, .rev = entries[i].rev};
        if (!cv_str_eq(entries[i].scope.room, registry.room) || !cv_str_eq(entries[i].scope.name, registry.name))
            continue;
        cv_row_clear(&cv_event_row_type, &like);
        like.rev = entries[i].rev;
        const cv_find find = {
            .type = &cv_event_row_type, .index = cv_events_by_rev, .scope = registry, .like = &like, .equal = 1};
        if (!cv_record_rows(door->record, door->arena, &find, &events, err))
            return false;
        for (size_t k = 0; k < events.count; k++) {
            const cv_event_row *e = events.items[k];
            if (!log_event(&l, e, err))
                return false;
            if (cv_str_eq(e->subject_type, CV_STR("agent")) && cv_str_eq(e->event_type, CV_STR("created")))
                *CV_PUSH(door->arena, &created) = events.items[k];
        }
    }
    return open_created(door, &created, err);
}

bool cv_door_registry_log(cv_mail_door *door, cv_err *err)
{
    const cv_feed_reader reader = {.name = CV_STR("mail governance"), .batch = BATCH, .take = log_commits, .ctx = door};
    return cv_feed_catch_up(door->record, door->arena, &reader, err);
}
