/* verify.c - what the events of a post office imply; see record/verify.h.
 *
 *     deliveries   the state of each is what the events say, folded in order; numbers without gaps
 *     mailboxes    their counters are what their deliveries add up to
 *     tasks        each waits for as many dependencies as are not completed
 *
 * States are kept as one byte for each delivery: a post office of a million takes a megabyte.
 */
#include "mail/verify.h"

#include "mail/writing.h"
#include "record/hash.h"

typedef struct {
    cv_str name;
    uint8_t *items; /* 1 + state, by number from 1 on */
    size_t count, capacity;
    int64_t last; /* number of the last row */
    int64_t counts[CV_MAIL_STATE_COUNT];
} box;

typedef struct {
    int64_t waits_for, open;
    bool is_completed, is_pending;
} task;

typedef struct {
    cv_arena *arena, *scratch;
    cv_map boxes; /* box * */
    cv_map tasks; /* task * */
    cv_err fact;  /* the first that does not agree */
    bool blind;   /* an event was redacted: what it changed is not known */
} verifier;

#define FACT(v, place, ...)                                                                                            \
    ((v)->fact.code == CV_ERR_NONE ? (void)cv_verify_disagree(scope, (place), &(v)->fact, __VA_ARGS__) : (void)0)

static box *box_of(verifier *v, cv_str name)
{
    uintptr_t *known = cv_map_get(&v->boxes, name);
    if (known)
        return (box *)*known;
    box *b = CV_NEW(v->arena, box);
    b->name = cv_arena_copy(v->arena, name);
    *cv_map_put(&v->boxes, v->arena, b->name, NULL) = (uintptr_t)b;
    return b;
}

static task *task_of(verifier *v, cv_str plan, cv_str id)
{
    cv_str key = cv_arena_printf(v->scratch, "%.*s\n%.*s", CV_FMT(plan), CV_FMT(id));
    uintptr_t *known = cv_map_get(&v->tasks, key);
    if (known)
        return (task *)*known;
    task *t = CV_NEW(v->arena, task);
    *cv_map_put(&v->tasks, v->arena, cv_arena_copy(v->arena, key), NULL) = (uintptr_t)t;
    return t;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* {"deliveries":[{"agent":"muffin","seq":7,"state":"claimed"}]} */
static bool see_event(void *ctx, const cv_scope_verifier *scope, const cv_event_row *event, cv_err *err)
{
    verifier *v = ctx;
    cv_json data;
    cv_err broken = {.arena = v->scratch};
    (void)scope, (void)err;
    if (!event->data.p)
        return true;
    if (cv_is_redacted(event->data, NULL)) {
        v->blind = true;
        return true;
    }
    const cv_json *all =
        cv_json_parse(v->scratch, event->data, &data, &broken) ? cv_json_get(&data, CV_STR("deliveries")) : NULL;
    for (uint32_t i = 0; all && all->type == CV_JSON_ARRAY && i < all->count; i++) {
        box *b = box_of(v, cv_json_get_text(&all->items[i], "agent"));
        int64_t seq = cv_json_get_int(&all->items[i], "seq", 0);
        while ((int64_t)b->count < seq)
            *CV_PUSH(v->arena, b) = 0;
        if (seq > 0)
            b->items[seq - 1] = (uint8_t)(1 + cv_mail_state_of(cv_json_get_text(&all->items[i], "state")));
    }
    cv_arena_reset(v->scratch);
    return true;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void see_delivery(verifier *v, const cv_scope_verifier *scope, const cv_mail_delivery *d)
{
    box *b = box_of(v, d->mailbox);
    cv_mail_state state = cv_mail_state_of(d->state);
    cv_str place = cv_row_name(v->scratch, &cv_mail_delivery_type, d);
    if (state == CV_MAIL_STATE_COUNT) {
        FACT(v, place, "state: expected a state, found '%.*s'", CV_FMT(d->state));
        return;
    }
    uint8_t folded = d->seq > 0 && d->seq <= (int64_t)b->count ? b->items[d->seq - 1] : 0;
    if (!v->blind && folded != state + 1)
        FACT(v, place, "state: expected '%.*s' as its events say, found '%.*s'",
             CV_FMT(folded > 0 && folded <= CV_MAIL_STATE_COUNT ? cv_mail_states[folded - 1].word : CV_STR("none")),
             CV_FMT(d->state));
    if (d->seq != b->last + 1)
        FACT(v, place, "expected numbers without gaps, found %lld after %lld", (long long)d->seq, (long long)b->last);
    if ((d->open == 1) != cv_mail_states[state].open || (d->turn != CV_ABSENT) != cv_mail_states[state].claimable ||
        (d->dead == 1) != (state == CV_MAIL_DEAD) || (d->lease_until != CV_ABSENT) != (state == CV_MAIL_CLAIMED))
        FACT(v, place, "expected the marks of the state '%.*s', found others", CV_FMT(d->state));
    b->last = d->seq;
    b->counts[state]++;
}

static void see_mailbox(verifier *v, const cv_scope_verifier *scope, const cv_mail_mailbox *m)
{
    const box *b = box_of(v, m->agent);
    int64_t waiting = 0;
    for (int i = 0; i < CV_MAIL_STATE_COUNT; i++)
        waiting += cv_mail_states[i].open ? b->counts[i] : 0;
    const struct {
        const char *name;
        int64_t found, expected;
    } facts[] = {{"next_seq", m->next_seq, b->last + 1},
                 {"waiting", m->waiting, waiting},
                 {"done", m->done, b->counts[CV_MAIL_DONE]},
                 {"dead", m->dead, b->counts[CV_MAIL_DEAD]},
                 {"expired", m->expired, b->counts[CV_MAIL_EXPIRED]},
                 {"superseded", m->superseded, b->counts[CV_MAIL_SUPERSEDED]}};
    for (size_t i = 0; i < CV_COUNT(facts); i++)
        if (facts[i].found != facts[i].expected)
            FACT(v, cv_row_name(v->scratch, &cv_mail_mailbox_type, m),
                 "%s: expected %lld as its deliveries say, found %lld", facts[i].name, (long long)facts[i].expected,
                 (long long)facts[i].found);
}

static void see_task(verifier *v, const cv_mail_task *row)
{
    task *t = task_of(v, row->plan, row->task_id);
    t->waits_for = row->waits_for == CV_ABSENT ? 0 : row->waits_for;
    t->is_completed = cv_str_eq(row->status, CV_STR("COMPLETED"));
    t->is_pending = cv_str_eq(row->status, CV_STR("PENDING"));
}

static bool see_row(void *ctx, const cv_scope_verifier *scope, const cv_type *type, const void *row, cv_err *err)
{
    verifier *v = ctx;
    (void)err;
    if (type == &cv_mail_delivery_type) {
        see_delivery(v, scope, row);
    } else if (type == &cv_mail_mailbox_type) {
        see_mailbox(v, scope, row);
    } else if (type == &cv_mail_task_type) {
        see_task(v, row);
    } else if (type == &cv_mail_need_type) {
        const cv_mail_need *need = row;
        if (!task_of(v, need->plan, need->needs)->is_completed)
            task_of(v, need->plan, need->task_id)->open++;
    }
    cv_arena_reset(v->scratch);
    return true;
}

/* ---- all rows ---------------------------------------------------------------------------------------------------- */

static bool check(void *ctx, const cv_scope_verifier *scope, cv_err *err)
{
    verifier *v = ctx;
    for (size_t i = 0; i < v->tasks.capacity; i++) {
        const cv_map_slot *slot = &v->tasks.slots[i];
        const task *t = slot->key.p ? (const task *)slot->value : NULL;
        if (t && t->is_pending && t->waits_for != t->open)
            FACT(v, cv_arena_printf(v->scratch, "task/%.*s", CV_FMT(slot->key)),
                 "waits_for: expected %lld as its dependencies say, found %lld", (long long)t->open,
                 (long long)t->waits_for);
    }
    if (v->fact.code == CV_ERR_NONE)
        return true;
    cv_err_copy(err, &v->fact);
    return false;
}

cv_room_verify cv_mail_verify(cv_arena *a, cv_arena *scratch)
{
    verifier *v = CV_NEW(a, verifier);
    v->arena = v->fact.arena = a;
    v->scratch = scratch;
    return (cv_room_verify){.event = see_event, .row = see_row, .end = check, .ctx = v};
}
