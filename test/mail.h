/* mail.h - a world with agents and a clock for the store that tests set: what a lease is judged by. */
#ifndef CV_TEST_MAIL_H
#define CV_TEST_MAIL_H

#include "actors.h"

#include "mail/verify.h"
#include "mail/writing.h"

/* The store's clock, in milliseconds; the record's own lock with it in its place. */
static int64_t mail_clock = 1767323045678;
static const cv_record_calls *mail_inner;
static cv_record_calls mail_calls;

static inline bool mail_lock(cv_record *record, cv_arena *a, cv_scope_id scope, cv_str op_id, cv_scope_position *ret_at,
                             cv_err *err)
{
    bool ok = mail_inner->lock(record, a, scope, op_id, ret_at, err);
    ret_at->clock_ms = mail_clock;
    return ok;
}

static inline void mail_set_clock(cv_world *w)
{
    mail_inner = w->record->calls;
    mail_calls = *mail_inner;
    mail_calls.lock = mail_lock;
    w->record->calls = &mail_calls;
}

static inline void mail_agents(cv_world *w, const char *const *ids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        actor_do(w, NOBODY, "agent add", cv_arena_printf(&w->a, "{'agent_id': '%s'}", ids[i]).p);
}

/* The post office agrees with its history, and with what its events imply. */
static inline void mail_verify(cv_world *w)
{
    cv_arena a = {0}, scratch = {0};
    cv_err err = {.arena = &w->a};
    cv_scope_position at;
    cv_room_verify room = cv_mail_verify(&a, &scratch);
    assert_ok(cv_scope_verify(w->record, &w->a, cv_mail_scope(), &room, &at, &err), &err);
    cv_arena_release(&scratch);
    cv_arena_release(&a);
}

#endif
