/* actors.h - a world in which somebody acts: calls of any operation under a name, with a token, at a terminal. */
#ifndef CV_TEST_ACTORS_H
#define CV_TEST_ACTORS_H

#include "world.h"

#include "kit/who.h"
#include "project/registry.h"
#include "record/verify.h"

#define NOBODY ((cv_who){.at_terminal = false})
#define AS(word) ((cv_who){.name = CV_STR(word)})
#define AT_TERMINAL(word) ((cv_who){.name = CV_STR(word), .at_terminal = true})
#define WITH(secret) ((cv_who){.token = (secret)})

/* One call; ' stands for ". `confined`: through a server. */
static inline bool actor_call(cv_world *w, cv_who who, bool confined, const char *operation, const char *text)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json *input = CV_NEW(&w->turn, cv_json);
    call.who = who;
    call.confined = confined;
    call.input_text = cv_world_request(&w->turn, cv_str_of(text));
    assert_ok(cv_json_parse(&w->turn, call.input_text, input, &err), &err);
    call.input = input;
    return cv_op_call(cv_op_called(cv_str_of(operation)), &call);
}

static inline void actor_complain(const cv_world *w, const char *operation)
{
    print_error("%s: %.*s\n", operation, CV_FMT(cv_buf_str(&w->out)));
    for (size_t i = 0; i < w->errs.count; i++)
        print_error("  %.*s [%.*s]\n", CV_FMT(cv_err_text(&w->errs.items[i])),
                    CV_FMT(cv_err_word(w->errs.items[i].code)));
}

/* A call that must succeed; its answer. */
static inline cv_json actor_do(cv_world *w, cv_who who, const char *operation, const char *text)
{
    cv_json reply;
    cv_err err = {.arena = &w->turn};
    if (!actor_call(w, who, false, operation, text)) {
        actor_complain(w, operation);
        fail();
    }
    assert_ok(cv_json_parse(&w->turn, cv_arena_copy(&w->turn, cv_buf_str(&w->out)), &reply, &err), &err);
    return reply;
}

/* … that must be refused, with this code first. */
static inline void actor_refused(cv_world *w, cv_who who, const char *operation, const char *text, cv_err_code code)
{
    bool done = actor_call(w, who, false, operation, text);
    if (done || w->errs.items[0].code != code)
        actor_complain(w, operation);
    assert_false(done);
    assert_view_eq(cv_err_word(w->errs.items[0].code), cv_err_word(code));
    assert_int_equal(w->out.n, 0);
}

/* A new token of an agent; its secret outlives the turn. */
static inline cv_str actor_token(cv_world *w, const char *input)
{
    cv_json reply = actor_do(w, NOBODY, "token add", input);
    cv_str secret = cv_json_get_text(&reply, "secret");
    assert_int_equal(secret.n, 4 + 43);
    return cv_arena_copy(&w->a, secret);
}

static inline int64_t actor_rev(cv_world *w)
{
    cv_err err = {.arena = &w->a};
    cv_scope_position at;
    assert_ok(w->record->calls->begin(w->record, &w->a, cv_agents_scope(), &at, &err), &err);
    w->record->calls->end(w->record);
    return at.rev;
}

/* The registry agrees with its history. */
static inline void actor_verify(cv_world *w)
{
    cv_err err = {.arena = &w->a};
    cv_scope_position at;
    assert_ok(cv_scope_verify(w->record, &w->a, cv_agents_scope(), NULL, &at, &err), &err);
    assert_ok(w->record->calls->check(w->record, &w->a, &err), &err);
}

#endif
