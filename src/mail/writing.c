/* writing.c - reading and changing the rows of the post office; see writing.h. */
#include "mail/writing.h"

#include <assert.h>

#include "base/os.h"
#include "mail/log.h"

/* ---- who is meant ------------------------------------------------------------------------------------------------ */

static const cv_str reserved_words[] = {CV_STR_INIT("System"), CV_STR_INIT("User")};

bool cv_mail_is_word(cv_str given, cv_mail_agent *ret)
{
    int at = cv_words_find((cv_words){reserved_words, CV_COUNT(reserved_words)}, given);
    if (at >= 0)
        *ret = (cv_mail_agent){.id = reserved_words[at], .is_word = true};
    return at >= 0;
}

/* System speaks for the program, User for a person: an agent that is named is neither. */
static bool may_be_word(cv_call *call, const char *field, const cv_mail_agent *word)
{
    if (!call->who.name.p || (call->who.is_human && cv_str_eq(word->id, CV_STR("User"))))
        return true;
    cv_err *fault = cv_refuse(call, CV_ERR_IDENTITY, CV_STR(""), field, word->id, "'%.*s' acts, but '%s' is '%.*s'",
                              CV_FMT(call->who.name), field, CV_FMT(word->id));
    cv_err_suggest(fault, cv_arena_printf(call->arena, "leave '%s' out: the message is from '%.*s'", field,
                                          CV_FMT(call->who.name)));
    return false;
}

static bool refuse_nobody(cv_call *call, const char *field)
{
    cv_err *fault =
        cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), field, CV_STR(""), "'%s' is missing, and nobody acts", field);
    const char *how =
        call->confined ? "with its token over HTTP, or with CONCLAVE_AGENT where the server starts" : "--as NAME";
    cv_err_suggest(fault, cv_arena_printf(call->arena, "give '%s', or act as an agent: %s", field, how));
    return false;
}

static cv_mail_agent of_row(const cv_agent_row *row)
{
    return (cv_mail_agent){.name = row->name, .id = row->id, .row = *row};
}

/* The registered agent of this name. Where there are no agents at all, that is what is wrong. */
static bool get_registered(cv_call *call, const char *field, cv_str name, cv_mail_agent *ret)
{
    cv_err err = {.arena = call->arena}, ignored = {.arena = call->arena};
    bool any = true;
    cv_agent_row row;
    *ret = (cv_mail_agent){0};
    if (cv_agent_get(call->record, call->arena, name, &row, &err)) {
        *ret = of_row(&row);
        return true;
    }
    if (err.code == CV_ERR_UNKNOWN_AGENT && cv_agents_any(call->record, &any, &ignored) && !any) {
        cv_err_operation(&err, CV_STR("agent add"));
        cv_err_suggest(&err, CV_STR("registers one; the project has no agents yet"));
    }
    cv_err_field(&err, cv_str_of(field));
    return cv_call_fail(call, &err);
}

bool cv_mail_actor(cv_call *call, const char *field, cv_mail_agent *ret)
{
    cv_str given = cv_json_get_text(call->input, field), id;
    if (cv_mail_is_word(given, ret)) {
        ret->name = cv_agent_name(call->arena, ret->id);
        return may_be_word(call, field, ret);
    }
    cv_agent_row row;
    if (!cv_call_as(call, field, &id, &row))
        return false;
    if (row.name.p) {
        *ret = of_row(&row);
        return true;
    }
    return id.p ? get_registered(call, field, id, ret) : refuse_nobody(call, field);
}

bool cv_mail_whose(cv_call *call, cv_mail_agent *ret)
{
    cv_str given = cv_json_get_text(call->input, "agent");
    cv_err err = {.arena = call->arena};
    cv_agent_row row;
    bool found;
    given = given.p ? given : call->who.name;
    if (cv_mail_is_word(given, ret)) {
        ret->name = cv_agent_name(call->arena, ret->id);
        return true;
    }
    if (!cv_agent_find(call->record, call->arena, given, &row, &found, &err))
        return cv_call_fail(call, &err);
    if (found) {
        *ret = of_row(&row);
        return true;
    }
    return given.p ? get_registered(call, "agent", given, ret) : refuse_nobody(call, "agent");
}

/* ---- one write --------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_mail_work work;
    void *ctx;
} job;

static void close_event(cv_mail_writing *o)
{
    if (!o->told.event)
        return;
    if (o->told.data.n > 0) {
        cv_json_end_array(&o->told.json);
        cv_json_end_object(&o->told.json);
        o->told.event->data = cv_buf_take(&o->told.data, o->arena);
    }
    o->told.event = NULL;
}

/* A sign of life goes with the write; one by itself would be an empty write. */
static void put_sign(cv_mail_writing *o)
{
    if (!o->alive || o->alive->is_word || cv_writing_is_empty(o->w))
        return;
    assert(o->act && "a sign says what is done");
    const cv_mail_presence sign = {.agent = o->alive->name,
                                   .last_seen = o->now_ms,
                                   .session = cv_json_get_text(o->call->input, "session"),
                                   .act = cv_str_of(o->act)};
    cv_writing_put(o->w, &cv_mail_presence_type, &sign);
}

/* A lease is a time after 1970: a row with another one is taken for a damaged one. */
static bool refuse_clock(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_err_set(&err, CV_ERR_IO, "the clock of this machine shows a time before 1970");
    cv_err_suggest(&err, CV_STR("set the clock and ask again; the record was not changed"));
    return cv_call_fail(call, &err);
}

static bool run_locked(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    const job *j = ctx;
    int64_t clock = w->at.clock_ms ? w->at.clock_ms : call->clock.now_ms(call->clock.ctx);
    if (clock < 0)
        return refuse_clock(call);
    cv_mail_writing o = {.call = call,
                         .w = w,
                         .record = call->record,
                         .arena = call->arena,
                         .err = {.arena = call->arena},
                         .now_ms = clock,
                         .now = cv_mail_time(call->arena, clock)};
    bool ok = j->work(&o, j->ctx, ret_result) && call->errs->count == 0 && cv_mail_log_significant(&o);
    close_event(&o);
    cv_buf_release(&o.told.data);
    if (ok)
        put_sign(&o);
    assert((ok || call->errs->count > 0) && "a refusal has its reasons");
    return ok;
}

bool cv_mail_write(cv_call *call, const char *operation, cv_mail_work work, void *ctx)
{
    return cv_request_locked(call, cv_str_of(operation), cv_mail_scope(), run_locked, &(job){work, ctx});
}

bool cv_mail_fail(cv_mail_writing *o)
{
    assert(o->err.code != CV_ERR_NONE && "what failed says why");
    return cv_call_fail(o->call, &o->err);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

bool cv_mail_message_get(cv_record *record, cv_arena *a, cv_str id, cv_mail_message *ret, bool *ret_found, cv_err *err)
{
    cv_row_clear(&cv_mail_message_type, ret);
    ret->message_id = id;
    return cv_record_get(record, a, cv_mail_scope(), &cv_mail_message_type, ret, ret_found, err);
}

bool cv_mail_delivery_get(cv_record *record, cv_arena *a, cv_str mailbox, int64_t seq, cv_mail_delivery *ret,
                          bool *ret_found, cv_err *err)
{
    cv_row_clear(&cv_mail_delivery_type, ret);
    ret->mailbox = mailbox;
    ret->seq = seq;
    return cv_record_get(record, a, cv_mail_scope(), &cv_mail_delivery_type, ret, ret_found, err);
}

bool cv_mail_mailbox_get(cv_record *record, cv_arena *a, cv_str agent, cv_mail_mailbox *ret, bool *ret_found,
                         cv_err *err)
{
    cv_row_clear(&cv_mail_mailbox_type, ret);
    ret->agent = agent;
    return cv_record_get(record, a, cv_mail_scope(), &cv_mail_mailbox_type, ret, ret_found, err);
}

bool cv_mail_task_get(cv_record *record, cv_arena *a, cv_str plan, cv_str task_id, cv_mail_task *ret, bool *ret_found,
                      cv_err *err)
{
    cv_row_clear(&cv_mail_task_type, ret);
    ret->plan = plan;
    ret->task_id = task_id;
    return cv_record_get(record, a, cv_mail_scope(), &cv_mail_task_type, ret, ret_found, err);
}

bool cv_mail_deliveries_of(cv_record *record, cv_arena *a, cv_str message_id, cv_row_list *ret, cv_err *err)
{
    cv_mail_delivery like;
    cv_row_clear(&cv_mail_delivery_type, &like);
    like.message_id = message_id;
    const cv_find find = {.type = &cv_mail_delivery_type,
                          .index = cv_deliveries_by_message,
                          .scope = cv_mail_scope(),
                          .like = &like,
                          .equal = 1};
    return cv_record_rows(record, a, &find, ret, err);
}

/* The index goes on with the key: what lies behind (message, mailbox, 0) begins with the one that is looked for. */
bool cv_mail_delivery_find(cv_record *record, cv_arena *a, cv_str mailbox, cv_str message_id, cv_mail_delivery *ret,
                           bool *ret_found, cv_err *err)
{
    cv_row_list found = {0};
    cv_mail_delivery from;
    cv_row_clear(&cv_mail_delivery_type, &from);
    from.message_id = message_id;
    from.mailbox = mailbox;
    from.seq = 0;
    const cv_find find = {.type = &cv_mail_delivery_type,
                          .index = cv_deliveries_by_message,
                          .scope = cv_mail_scope(),
                          .like = &from,
                          .equal = 1,
                          .after = &from,
                          .limit = 1};
    *ret_found = false;
    if (!cv_record_rows(record, a, &find, &found, err))
        return false;
    const cv_mail_delivery *first = found.count ? found.items[0] : NULL;
    *ret_found = first && cv_str_eq(first->mailbox, mailbox);
    if (*ret_found)
        *ret = *first;
    return true;
}

/* ---- what time has settled --------------------------------------------------------------------------------------- */

enum { LATE_AT_ONCE = 100 };

/* `stuck`: those whose lease is over, whatever they are. */
typedef struct {
    int64_t expired, superseded, dead, stuck;
} late_counts;

static void count_late(late_counts *late, const cv_mail_delivery *d, bool by_lease, int64_t now)
{
    cv_mail_state state = cv_mail_state_at(d, now);
    late->stuck += by_lease;
    if (by_lease && d->expires_ms != CV_ABSENT && d->expires_ms <= now)
        return; /* the other index has it, too */
    late->expired += state == CV_MAIL_EXPIRED;
    late->superseded += state == CV_MAIL_SUPERSEDED;
    late->dead += state == CV_MAIL_DEAD;
}

/* Those whose time was over after this one, up to the first whose time is not over. */
static bool walk_late(cv_record *record, cv_str mailbox, const cv_index *index, int64_t after, int64_t now,
                      late_counts *late, cv_err *err)
{
    bool by_lease = index == cv_deliveries_by_lease, more = true;
    cv_mail_delivery like, last;
    cv_row_clear(&cv_mail_delivery_type, &like);
    like.mailbox = mailbox;
    like.open = 1;
    last = like;
    last.lease_until = last.expires_ms = after;
    last.seq = INT64_MAX;
    for (bool first = true; more; first = false) {
        cv_arena a = {0};
        cv_row_list rows = {0};
        const cv_find find = {.type = &cv_mail_delivery_type,
                              .index = index,
                              .scope = cv_mail_scope(),
                              .like = &like,
                              .equal = by_lease ? 1 : 2,
                              .after = &last,
                              .limit = first ? 1 : LATE_AT_ONCE,
                              .outline = true};
        if (!cv_record_rows(record, &a, &find, &rows, err)) {
            cv_arena_release(&a);
            return false;
        }
        more = rows.count > 0;
        for (size_t i = 0; i < rows.count && more; i++) {
            const cv_mail_delivery *d = rows.items[i];
            more = (by_lease ? d->lease_until : d->expires_ms) <= now;
            if (more)
                count_late(late, d, by_lease, now);
            last.lease_until = d->lease_until;
            last.expires_ms = d->expires_ms;
            last.seq = d->seq;
        }
        cv_arena_release(&a);
    }
    return true;
}

bool cv_mail_has_expired(cv_record *record, cv_str mailbox, int64_t after_ms, int64_t now_ms, bool *ret_has,
                         cv_err *err)
{
    late_counts late = {0};
    if (!walk_late(record, mailbox, cv_deliveries_by_expiry, after_ms, now_ms, &late, err))
        return false;
    *ret_has = late.expired > 0;
    return true;
}

bool cv_mail_count_late(cv_record *record, cv_mail_mailbox *mailbox, int64_t now_ms, int64_t *ret_stuck, cv_err *err)
{
    late_counts late = {0};
    if (mailbox->waiting > 0 && !(walk_late(record, mailbox->agent, cv_deliveries_by_lease, 0, now_ms, &late, err) &&
                                  walk_late(record, mailbox->agent, cv_deliveries_by_expiry, 0, now_ms, &late, err)))
        return false;
    mailbox->waiting -= late.expired + late.superseded + late.dead;
    mailbox->expired += late.expired;
    mailbox->superseded += late.superseded;
    mailbox->dead += late.dead;
    *ret_stuck = late.stuck;
    return true;
}

bool cv_mail_waiting_of(cv_record *record, const cv_mail_mailbox *mailbox, int64_t now_ms, int64_t *ret_waiting,
                        cv_err *err)
{
    cv_mail_mailbox now = *mailbox;
    int64_t stuck;
    if (!cv_mail_count_late(record, &now, now_ms, &stuck, err))
        return false;
    *ret_waiting = now.waiting;
    return true;
}

bool cv_mail_claimable_of(cv_record *record, const cv_mail_mailbox *mailbox, int64_t now_ms, int64_t *ret_claimable,
                          cv_err *err)
{
    late_counts leases = {0}; /* .stuck: those that end after now */
    if (!cv_mail_waiting_of(record, mailbox, now_ms, ret_claimable, err) ||
        (*ret_claimable > 0 &&
         !walk_late(record, mailbox->agent, cv_deliveries_by_lease, now_ms, INT64_MAX, &leases, err)))
        return false;
    *ret_claimable -= leases.stuck;
    return true;
}

bool cv_mail_oldest_of(cv_record *record, cv_arena *a, cv_str mailbox, int64_t now, int64_t *ret_seconds, cv_err *err)
{
    cv_row_list open = {0};
    cv_mail_delivery like;
    cv_mail_message m;
    int64_t accepted;
    bool found, waits = false;
    cv_row_clear(&cv_mail_delivery_type, &like);
    like.mailbox = mailbox;
    like.open = 1;
    const cv_mail_delivery *oldest = NULL;
    *ret_seconds = CV_ABSENT;
    do { /* what time has settled does not wait any more */
        const cv_find find = {.type = &cv_mail_delivery_type,
                              .index = cv_deliveries_open,
                              .scope = cv_mail_scope(),
                              .like = &like,
                              .equal = 2,
                              .after = oldest,
                              .limit = oldest ? LATE_AT_ONCE : 1,
                              .outline = true};
        if (!cv_record_rows(record, a, &find, &open, err))
            return false;
        if (open.count == 0)
            return true;
        for (size_t i = 0; i < open.count && !waits; i++) {
            oldest = open.items[i];
            waits = cv_mail_states[cv_mail_state_at(oldest, now)].open;
        }
    } while (!waits);
    if (!cv_mail_message_get(record, a, oldest->message_id, &m, &found, err))
        return false;
    if (found && cv_time_parse(m.accepted_at, &accepted))
        *ret_seconds = now > accepted ? (now - accepted) / 1000 : 0;
    return true;
}

/* ---- mailboxes --------------------------------------------------------------------------------------------------- */

/* The free slots, and the last one there is. */
static bool read_slots(cv_mail_writing *o)
{
    cv_mail_slot like;
    cv_row_list last = {.arena = o->arena, .type = &cv_mail_slot_type};
    cv_row_clear(&cv_mail_slot_type, &like);
    like.free = 1;
    o->slots.free = last;
    const cv_lookup lookups[] = {
        {{.type = &cv_mail_slot_type, .index = cv_slots_free, .scope = cv_mail_scope(), .like = &like, .equal = 1},
         cv_row_list_add,
         &o->slots.free},
        {{.type = &cv_mail_slot_type, .scope = cv_mail_scope(), .descending = true, .limit = 1},
         cv_row_list_add,
         &last}};
    if (!o->record->calls->find_all(o->record, lookups, CV_COUNT(lookups), &o->err))
        return false;
    o->slots.last = 1 + (last.count ? ((const cv_mail_slot *)last.items[0])->slot : 0);
    return true;
}

bool cv_mail_free_slot(cv_mail_writing *o, int64_t *ret_slot)
{
    if (o->slots.last == 0 && !read_slots(o))
        return false;
    assert(o->slots.last > 0 && o->slots.used <= o->slots.free.count);
    bool reused = o->slots.used < o->slots.free.count;
    *ret_slot = reused ? ((const cv_mail_slot *)o->slots.free.items[o->slots.used++])->slot : o->slots.last++;
    return true;
}

static bool take_slot(cv_mail_writing *o, cv_mail_mailbox *mailbox)
{
    cv_mail_slot slot;
    cv_row_clear(&cv_mail_slot_type, &slot);
    if (!cv_mail_free_slot(o, &slot.slot))
        return false;
    slot.agent = mailbox->agent;
    slot.changed_at = o->now;
    mailbox->slot = slot.slot;
    cv_writing_put(o->w, &cv_mail_slot_type, &slot);
    return true;
}

static cv_mail_mailbox *mailbox_of(cv_mail_writing *o, const cv_mail_agent *agent, bool with_slot)
{
    assert(agent->name.p && "a mailbox belongs to somebody");
    bool is_new, found;
    cv_mail_mailbox row;
    uintptr_t *known = cv_map_put(&o->mailboxes, o->arena, agent->name, &is_new);
    if (!is_new)
        return (cv_mail_mailbox *)*known;
    if (!cv_mail_mailbox_get(o->record, o->arena, agent->name, &row, &found, &o->err))
        return NULL;
    if (!found) {
        row = (cv_mail_mailbox){.agent = agent->name,
                                .agent_id = agent->id,
                                .slot = CV_ABSENT,
                                .next_seq = 1,
                                .minute = CV_ABSENT,
                                .in_minute = CV_ABSENT,
                                .created_at = o->now};
        if (with_slot && !agent->is_word && !take_slot(o, &row))
            return NULL;
    }
    cv_mail_mailbox *put = cv_writing_put(o->w, &cv_mail_mailbox_type, &row);
    *known = (uintptr_t)put;
    assert(cv_str_eq(put->agent, agent->name));
    return put;
}

cv_mail_mailbox *cv_mail_mailbox_of(cv_mail_writing *o, const cv_mail_agent *agent)
{
    return mailbox_of(o, agent, true);
}

cv_mail_mailbox *cv_mail_mailbox_without_slot(cv_mail_writing *o, const cv_mail_agent *agent)
{
    return mailbox_of(o, agent, false);
}

static void count(cv_mail_mailbox *mailbox, cv_mail_state state, int64_t by)
{
    assert(state < CV_MAIL_STATE_COUNT && (by == 1 || by == -1));
    mailbox->waiting += cv_mail_states[state].open ? by : 0;
    mailbox->done += state == CV_MAIL_DONE ? by : 0;
    mailbox->dead += state == CV_MAIL_DEAD ? by : 0;
    mailbox->expired += state == CV_MAIL_EXPIRED ? by : 0;
    mailbox->superseded += state == CV_MAIL_SUPERSEDED ? by : 0;
}

/* What depends on the state alone. */
static void set_state(cv_mail_delivery *d, cv_mail_state state)
{
    assert(state < CV_MAIL_STATE_COUNT);
    const cv_mail_state_row *row = &cv_mail_states[state];
    d->state = row->word;
    d->open = row->open ? 1 : CV_ABSENT;
    d->turn = row->claimable ? d->priority : CV_ABSENT;
    d->dead = state == CV_MAIL_DEAD ? 1 : CV_ABSENT;
    if (state != CV_MAIL_CLAIMED)
        d->lease_until = CV_ABSENT;
    assert((d->turn == CV_ABSENT || d->open == 1) && "what can be claimed is open");
}

cv_mail_delivery *cv_mail_deliver(cv_mail_writing *o, cv_mail_mailbox *mailbox, const cv_mail_message *message,
                                  int64_t expires_ms, cv_mail_state state)
{
    assert(message->message_id.p && mailbox->next_seq > 0);
    assert(state != CV_MAIL_CLAIMED && "nobody can claim it before it is there");
    cv_mail_delivery d;
    cv_row_clear(&cv_mail_delivery_type, &d);
    d.mailbox = mailbox->agent;
    d.seq = mailbox->next_seq++;
    d.message_id = message->message_id;
    d.priority = message->priority;
    d.attempts = 0;
    d.expires_ms = expires_ms;
    set_state(&d, state);
    count(mailbox, state, 1);
    return cv_writing_put(o->w, &cv_mail_delivery_type, &d);
}

cv_mail_delivery *cv_mail_settle(cv_mail_writing *o, cv_mail_mailbox *mailbox, const cv_mail_delivery *delivery,
                                 cv_mail_state state)
{
    cv_mail_state before = cv_mail_state_of(delivery->state);
    cv_mail_delivery d = *delivery;
    assert(before < CV_MAIL_STATE_COUNT && cv_str_eq(mailbox->agent, d.mailbox));
    assert((state != CV_MAIL_CLAIMED || (d.token > 0 && d.lease_until > o->now_ms)) &&
           "a claim has a token and a lease");
    set_state(&d, state);
    count(mailbox, before, -1);
    count(mailbox, state, 1);
    if (state == CV_MAIL_DEAD && before != state)
        cv_mail_significant_add(o, "DEAD_LETTER", mailbox->agent_id,
                                (cv_mail_detail[]){{"message_id", d.message_id}, {"reason", d.reason}}, 2);
    if (state == CV_MAIL_CLAIMED)
        d.claimed_at = o->now;
    else if (state != CV_MAIL_NEW)
        d.settled_at = o->now;
    return cv_writing_put(o->w, &cv_mail_delivery_type, &d);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

cv_event_row *cv_mail_event(cv_mail_writing *o, cv_str subject_type, cv_str subject_id, const char *event_type)
{
    assert(subject_id.p && *event_type);
    close_event(o);
    o->told.event = cv_writing_event(o->w, subject_type, subject_id, cv_str_of(event_type));
    return o->told.event;
}

void cv_mail_change(cv_mail_writing *o, const cv_mail_delivery *delivery)
{
    cv_json_writer *w = &o->told.json;
    assert(o->told.event && "an event describes the change");
    if (o->told.data.n == 0) {
        *w = (cv_json_writer){.out = &o->told.data};
        cv_json_begin_object(w);
        cv_json_key(w, CV_STR("deliveries"));
        cv_json_begin_array(w);
    }
    cv_json_begin_object(w);
    cv_json_key_str(w, "agent", delivery->mailbox);
    cv_json_key_int(w, "seq", delivery->seq);
    cv_json_key_str(w, "state", delivery->state);
    cv_json_end_object(w);
}

/* ---- times and texts --------------------------------------------------------------------------------------------- */

cv_str cv_mail_time(cv_arena *a, int64_t ms)
{
    char *text = cv_arena_alloc(a, CV_TIME_LEN + 1);
    cv_time_print(ms, text);
    return (cv_str){text, CV_TIME_LEN};
}

int64_t cv_mail_now(const cv_call *call)
{
    return call->clock.now_ms(call->clock.ctx);
}

cv_mail_state cv_mail_state_at(const cv_mail_delivery *d, int64_t now_ms)
{
    cv_mail_state state = cv_mail_state_of(d->state);
    if (state == CV_MAIL_CLAIMED && d->lease_until <= now_ms)
        state = d->attempts >= CV_MAIL_MAX_ATTEMPTS ? CV_MAIL_DEAD : CV_MAIL_NEW;
    if ((state == CV_MAIL_NEW || state == CV_MAIL_FAILED) && d->superseded_by.p)
        return CV_MAIL_SUPERSEDED;
    bool expires = d->expires_ms != CV_ABSENT && d->expires_ms <= now_ms;
    return expires && (state == CV_MAIL_NEW || state == CV_MAIL_FAILED) ? CV_MAIL_EXPIRED : state;
}

cv_str cv_mail_receipt_of(const cv_mail_delivery *d, const cv_mail_mailbox *mailbox, int64_t now_ms)
{
    assert(cv_str_eq(d->mailbox, mailbox->agent));
    cv_mail_state state = cv_mail_state_at(d, now_ms);
    bool seen = state == CV_MAIL_NEW && d->seq <= mailbox->seen;
    return seen ? CV_STR("delivered") : cv_mail_states[state].receipt;
}

bool cv_mail_new_id(cv_arena *a, int64_t now_ms, cv_str *ret_id, cv_err *err)
{
    unsigned char b[16];
    if (!cv_os_random(b, sizeof b))
        return cv_err_set(err, CV_ERR_IO, "the system has no random numbers for an id");
    for (int i = 0; i < 6; i++)
        b[i] = (unsigned char)((uint64_t)now_ms >> (40 - 8 * i));
    b[6] = (unsigned char)(0x70 | (b[6] & 0x0f));
    b[8] = (unsigned char)(0x80 | (b[8] & 0x3f));
    *ret_id = cv_arena_printf(a, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
                              b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
    return true;
}

/* Where the object or list that begins at `at` ends; the text was read as JSON before. */
static size_t end_of(cv_str text, size_t at)
{
    assert(at < text.n && (text.p[at] == '{' || text.p[at] == '['));
    size_t depth = 0;
    bool in_text = false;
    for (; at < text.n; at++) {
        char c = text.p[at];
        if (in_text) {
            at += c == '\\';
            in_text = c != '"';
        } else if (c == '"') {
            in_text = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return at + 1;
        }
    }
    return 0;
}

static cv_str printed(cv_arena *a, const cv_json *value)
{
    cv_buf text = {0};
    cv_json_value(&(cv_json_writer){.out = &text}, value);
    return cv_buf_take(&text, a);
}

/* The input may have been put together from options, or be a part of a larger text: what is at the place is taken
 * only if it says the same. */
cv_str cv_mail_raw(cv_call *call, const cv_json *value)
{
    cv_str text = call->input_text, again = printed(call->arena, value);
    cv_json read;
    cv_err ignored = {.arena = call->arena};
    if (value->type != CV_JSON_OBJECT && value->type != CV_JSON_ARRAY)
        return again;
    char opens = value->type == CV_JSON_OBJECT ? '{' : '[';
    if (value->offset >= text.n || text.p[value->offset] != opens)
        return again;
    size_t end = end_of(text, value->offset);
    cv_str slice = end ? cv_str_range(text.p + value->offset, text.p + end) : CV_STR("");
    if (end == 0 || cv_str_eq(slice, again) || !cv_json_parse(call->arena, slice, &read, &ignored))
        return again;
    return cv_str_eq(printed(call->arena, &read), again) ? slice : again;
}

bool cv_mail_check_length(cv_call *call, const char *field, cv_str text, int64_t most)
{
    if ((int64_t)text.n <= most)
        return true;
    cv_err_suggest(cv_refuse(call, CV_ERR_TOO_LARGE, CV_STR(""), field, CV_STR(""),
                             "%s has %zu bytes, at most %lld are kept", field, text.n, (long long)most),
                   CV_STR("put what is large into a file and name it here"));
    return false;
}

/* Behind the quote that ends the text. */
static size_t end_of_text(cv_str json, size_t at)
{
    while (at < json.n && json.p[at] != '"')
        at += json.p[at] == '\\' ? 2 : 1;
    return at < json.n ? at + 1 : json.n;
}

cv_str cv_mail_compact(cv_arena *a, cv_str json)
{
    char *to = cv_arena_alloc(a, json.n + 1);
    size_t n = 0;
    for (size_t i = 0, end; i < json.n; i = end) {
        end = i + 1;
        if (cv_is_space(json.p[i]))
            continue;
        if (json.p[i] == '"')
            end = end_of_text(json, end);
        memcpy(to + n, json.p + i, end - i);
        n += end - i;
    }
    return (cv_str){to, n};
}
