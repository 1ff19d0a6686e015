/* slots.c - mail slot: which mailbox has which number, the N of mailbox_N.json.
 *
 * A mailbox gets the lowest free number when it is made. A slot is one agent's at a time: it is claimed, and released.
 */
#include "mail/answer.h"
#include "mail/operations.h"

typedef struct {
    cv_mail_slot row;
    cv_str agent;
    cv_mail_life life;
} slot_told;

typedef struct {
    cv_mail_agent agent;
    struct {
        slot_told *items;
        size_t count, capacity;
    } slots;
} slotting;

#define CV_THIS_TYPE slot_told
static const cv_shape slot_shape[] = {
    CV_FIELD_AS(ALWAYS, "slot", row.slot, ""),
    CV_FIELD(OR_NULL, agent, "null: it is free"),
    CV_WORD(ALWAYS, "status", life.status, &cv_mail_status_words, "of the agent"),
    CV_FIELD_AS(OR_NULL, "last_seen", life.last_seen, ""),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE slotting
const cv_shape cv_mail_slot_shape[] = {
    CV_SUCCESS,
    CV_LIST("slots", slots.items, slots.count, slot_shape,
            "by number; of a claim or release: the one that it is about"),
    CV_LATER(IF_ANY, "rev", INT, 0, "of the post office after this write"),
    CV_LATER(IF_ANY, "replayed", BOOL, CV_NO_LIMIT, "it was like this before"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

static bool tell(cv_record *record, cv_arena *a, const cv_mail_slot *row, int64_t now_ms, slotting *s, cv_err *err)
{
    cv_mail_mailbox mailbox;
    bool found;
    slot_told told = {.row = *row, .life = {.status = CV_STR("offline")}};
    if (row->agent.p) {
        if (!cv_mail_mailbox_get(record, a, row->agent, &mailbox, &found, err) ||
            !cv_mail_life_of(record, a, row->agent, now_ms, &told.life, err))
            return false;
        told.agent = found ? mailbox.agent_id : row->agent;
    }
    *CV_PUSH(a, &s->slots) = told;
    return true;
}

static bool list(cv_call *call, slotting *s)
{
    cv_err err = {.arena = call->arena};
    cv_row_list rows = {0};
    const cv_find find = {.type = &cv_mail_slot_type, .scope = cv_mail_scope()};
    if (!cv_record_rows(call->record, call->arena, &find, &rows, &err))
        return cv_call_fail(call, &err);
    for (size_t i = 0; i < rows.count; i++)
        if (!tell(call->record, call->arena, rows.items[i], cv_mail_now(call), s, &err))
            return cv_call_fail(call, &err);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_mail_slot_shape, s);
    return true;
}

static bool get(cv_mail_writing *o, int64_t number, cv_mail_slot *ret, bool *ret_found)
{
    cv_row_clear(&cv_mail_slot_type, ret);
    ret->slot = number;
    return cv_record_get(o->record, o->arena, cv_mail_scope(), &cv_mail_slot_type, ret, ret_found, &o->err) ||
           cv_mail_fail(o);
}

/* As it was registered. */
static cv_str id_of(cv_mail_writing *o, cv_str name)
{
    cv_mail_mailbox mailbox;
    bool found;
    return cv_mail_mailbox_get(o->record, o->arena, name, &mailbox, &found, &o->err) && found ? mailbox.agent_id : name;
}

static bool refuse_taken(cv_mail_writing *o, int64_t number, cv_str by, const char *what_to_do)
{
    cv_err_suggest(cv_refuse(o->call, CV_ERR_SLOT_TAKEN, CV_STR(""), "slot", CV_STR(""), "slot %lld belongs to '%.*s'",
                             (long long)number, CV_FMT(by)),
                   cv_str_of(what_to_do));
    return false;
}

static void put(cv_mail_writing *o, slotting *s, cv_mail_mailbox *mailbox, cv_mail_slot *slot, bool taken)
{
    slot->agent = taken ? mailbox->agent : (cv_str){NULL, 0};
    slot->free = taken ? CV_ABSENT : 1;
    slot->changed_at = o->now;
    mailbox->slot = taken ? slot->slot : CV_ABSENT;
    cv_event_row *event = cv_mail_event(o, CV_STR("mailbox"), s->agent.id, taken ? "slot_claimed" : "slot_released");
    event->step = slot->slot;
    cv_writing_put(o->w, &cv_mail_slot_type, slot);
}

/* The slot that is meant: the one that is named, else the agent's own, else the lowest free one. A mailbox that is not
 * there yet is made without one. */
static bool find_slot(cv_mail_writing *o, slotting *s, cv_mail_mailbox **ret_mailbox, cv_mail_slot *ret_slot)
{
    int64_t number = cv_json_get_int(o->call->input, "slot", CV_ABSENT);
    bool found;
    if (!(*ret_mailbox = cv_mail_mailbox_without_slot(o, &s->agent)))
        return cv_mail_fail(o);
    number = number == CV_ABSENT ? (*ret_mailbox)->slot : number;
    if (number == CV_ABSENT && !cv_mail_free_slot(o, &number))
        return cv_mail_fail(o);
    return get(o, number, ret_slot, &found);
}

static bool change(cv_mail_writing *o, void *ctx, cv_str *ret_result)
{
    slotting *s = ctx;
    bool claims = cv_str_eq(cv_json_get_text(o->call->input, "action"), CV_STR("claim"));
    cv_mail_mailbox *mailbox;
    cv_mail_slot slot = {0};
    if (!find_slot(o, s, &mailbox, &slot))
        return false;
    bool own = slot.agent.p && cv_str_eq(slot.agent, s->agent.name);
    if (slot.agent.p && !own)
        return refuse_taken(o, slot.slot, id_of(o, slot.agent),
                            "take another one, or leave 'slot' out: the lowest free one is taken");
    if (claims && mailbox->slot != CV_ABSENT && mailbox->slot != slot.slot)
        return refuse_taken(o, mailbox->slot, s->agent.id, "release it first: an agent has one slot");
    if (claims != own)
        put(o, s, mailbox, &slot, claims);
    else
        cv_mail_event(o, CV_STR("mailbox"), s->agent.id, claims ? "slot_claimed" : "slot_released")->step = slot.slot;
    if (!tell(o->record, o->arena, &slot, o->now_ms, s, &o->err))
        return cv_mail_fail(o);
    s->slots.items[0].agent = slot.agent.p ? s->agent.id : slot.agent;
    cv_mail_sign(o, &s->agent, "slot");
    *ret_result = cv_shape_text(o->arena, cv_mail_slot_shape, s);
    return true;
}

bool cv_mail_op_slot(cv_call *call)
{
    slotting s = {0};
    if (cv_str_eq(cv_json_get_text(call->input, "action"), CV_STR("list")))
        return list(call, &s);
    return cv_mail_actor(call, "agent", &s.agent) && cv_mail_write(call, "mail slot", change, &s);
}
