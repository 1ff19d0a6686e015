/* gate.c - the Chat Gate: may a role act now, or has it something to process first?
 *
 *     pending    messages for it that it has not read, in any open chat
 *     blockers   a CONSULT_BLOCKER to it, or a CONSULT_REQUEST of its own, without OK_TO_PROCEED: yes of its domain
 *     unreadable an open chat of its that cannot be read now: spoiling a file does not open the gate
 *
 * Clear: exit status 0; else 1. With format "hook" the answer is what Claude Code expects of a hook that runs before a
 * tool: an empty object when it is clear, else a refusal with its reason, which the agent reads.
 */
#include "base/plain.h"
#include "base/utf8.h"
#include "chat/all_chats.h"
#include "chat/answer.h"
#include "chat/change.h"
#include "chat/consult.h"
#include "chat/operations.h"
#include "chat/words/errors.h"
#include "kit/fault.h"

typedef struct {
    cv_str chat_id, message, as, from, type, begins;
} pending;

typedef struct {
    cv_str chat_id, message, as, from, type, domain, cleared_by;
} blocker;

typedef struct {
    cv_str chat_id, path, problem;
} unreadable;

typedef struct {
    cv_call *call;
    cv_str as;
    bool clear;
    size_t chats; /* open ones */
    size_t found; /* participants that are meant */
    struct {
        pending *items;
        size_t count, capacity;
    } pending;
    struct {
        blocker *items;
        size_t count, capacity;
    } blockers;
    struct {
        unreadable *items;
        size_t count, capacity;
    } unreadable;
    cv_notices warnings;
    cv_str text, hook;
    cv_texts known; /* everybody in the open chats */
} answer;

#define CV_THIS_TYPE pending
static const cv_shape pending_shape[] = {
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_FIELD(ALWAYS, message, "M0001"),
    CV_FIELD(ALWAYS, as, "for whom"),
    CV_FIELD(ALWAYS, from, ""),
    CV_FIELD(ALWAYS, type, ""),
    CV_FIELD(ALWAYS, begins, "its first words"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE blocker
static const cv_shape blocker_shape[] = {
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_FIELD(ALWAYS, message, "M0001"),
    CV_FIELD(ALWAYS, as, "whom it blocks"),
    CV_FIELD(ALWAYS, from, ""),
    CV_FIELD(ALWAYS, type, ""),
    CV_FIELD(IF_ANY, domain, "CONSULT_DOMAIN"),
    CV_FIELD(ALWAYS, cleared_by, "what clears it"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE unreadable
static const cv_shape unreadable_shape[] = {
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_FIELD(ALWAYS, path, ""),
    CV_FIELD(ALWAYS, problem, "why it cannot be read"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE answer
const cv_shape cv_chat_gate_shape[] = {
    CV_FIELD(ALWAYS, clear, "there is nothing to process first"),
    CV_FIELD(ALWAYS, as, ""),
    CV_FIELD(ALWAYS, chats, "open chats that were checked"),
    CV_LIST("pending", pending.items, pending.count, pending_shape, "messages to read"),
    CV_LIST("blockers", blockers.items, blockers.count, blocker_shape, "consults without OK_TO_PROCEED: yes"),
    CV_LIST_WHEN(CV_IF_ANY, "unreadable", unreadable.items, unreadable.count, unreadable_shape,
                 "open chats with a broken file"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings"),
    CV_PRINTED(text, "the same as a page"),
    CV_DOCUMENT(hook, "the same in the form that a client's hook expects"),
    {0},
};
#undef CV_THIS_TYPE

/* ---- whom is it about? ------------------------------------------------------------------------------------------- */

/* Role@Identity, a role, or an identity; of the caller, the identity. */
static bool is_meant(const answer *a, cv_str who)
{
    if (!a->as.n)
        return false;
    if (cv_json_get(a->call->input, CV_STR("as")))
        return cv_chat_is_called(who, a->as);
    return cv_str_eq_nocase(cv_chat_identity_of(who), a->as);
}

/* ---- one chat ---------------------------------------------------------------------------------------------------- */

static bool add_pending(answer *a, cv_chat_view *view, cv_str who, cv_err *err)
{
    cv_arena *arena = a->call->arena;
    cv_chat_region region;
    if (!cv_chat_region_of(view, who, &region, err))
        return false;
    for (size_t i = 0; i < region.messages.all.count; i++) {
        const cv_chat_message *m = &region.messages.all.items[i];
        if (!cv_chat_is_for(m->from, m->tags, who))
            continue;
        cv_chat_tellings one = {0};
        cv_chat_tell(arena, &one, m);
        cv_str first = one.items[0].body;
        first = cv_str_head(first, cv_str_find_char(first, '\n') == SIZE_MAX ? first.n : cv_str_find_char(first, '\n'));
        *CV_PUSH(arena, &a->pending) =
            (pending){view->place->id,   one.items[0].id,   who,
                      one.items[0].from, one.items[0].type, cv_utf8_excerpt(arena, first, 80)};
    }
    return true;
}

static void add_blockers(answer *a, cv_chat_view *view, const cv_consult_state *state, cv_str who)
{
    static const cv_consult_kind kinds[] = {CV_CONSULT_BLOCKER, CV_CONSULT_REQUEST};
    for (size_t k = 0; k < CV_COUNT(kinds); k++)
        for (size_t i = 0; i < state->kinds[kinds[k]].count; i++) {
            const cv_chat_message_row *m = &state->kinds[kinds[k]].items[i];
            if (!cv_consult_concerns(kinds[k], m, who) || cv_consult_is_cleared(state, kinds[k], m))
                continue;
            cv_arena *arena = a->call->arena;
            *CV_PUSH(arena, &a->blockers) =
                (blocker){view->place->id,
                          cv_chat_number_print(arena, m->number),
                          who,
                          m->sender,
                          m->type,
                          cv_utf8_excerpt(arena, cv_consult_get(kinds[k], m->body, "CONSULT_DOMAIN"), 80),
                          cv_consult_remedy(arena, kinds[k], m)};
        }
}

typedef struct {
    answer *all;
    bool concerns;
} recalling;

/* The chat as the record has it: it was open, and somebody who is meant took part. */
static bool recall(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    recalling *r = ctx;
    const cv_chat_row *chat = row;
    cv_json people;
    (void)scope;
    if (!cv_str_eq(chat->status, CV_STR("OPEN")) ||
        !cv_json_parse(r->all->call->arena, cv_arena_copy(r->all->call->arena, chat->participants), &people, err))
        return !err->code;
    for (uint32_t i = 0; i < people.count; i++)
        r->concerns |= is_meant(r->all, people.items[i].text);
    return true;
}

/* One broken file does not stop the work of those whom it does not concern, but it is reported. */
static bool add_unreadable(answer *a, const cv_chat_place *place, cv_str problem, cv_err *err)
{
    const cv_find find = {.type = &cv_chat_row_type, .scope = place->scope};
    recalling r = {.all = a};
    if (!a->call->record->calls->find(a->call->record, &find, recall, &r, err))
        return false;
    if (r.concerns)
        *CV_PUSH(a->call->arena, &a->unreadable) = (unreadable){place->id, place->scope.name, problem};
    else
        cv_notice_add(&a->warnings, a->call->arena, CV_STR("chat_unreadable"), "%.*s: %.*s", CV_FMT(place->scope.name),
                      CV_FMT(problem));
    a->found += r.concerns;
    return true;
}

static bool look(answer *a, const cv_chat_place *place)
{
    cv_chat_view view;
    cv_consult_state state;
    cv_err err = {.arena = a->call->arena};
    size_t faults = a->call->errs->count;
    if (!cv_chat_look(a->call, place, &view, &a->warnings)) {
        cv_str problem = a->call->errs->items[faults].message;
        a->call->errs->count = faults;
        return add_unreadable(a, place, problem, &err) || cv_call_fail(a->call, &err);
    }
    bool ok = true;
    if (cv_chat_is_open(&view.header) && cv_str_eq(view.header.id, place->id)) {
        a->chats++;
        ok = cv_consult_load(a->call, place, &state, &err);
        for (size_t i = 0; ok && i < view.header.people.count; i++) {
            cv_str who = cv_arena_copy(a->call->arena, view.header.people.items[i]);
            if (cv_words_find((cv_words){a->known.items, a->known.count}, who) < 0)
                *CV_PUSH(a->call->arena, &a->known) = who;
            if (!is_meant(a, who))
                continue;
            a->found++;
            ok = add_pending(a, &view, who, &err);
            add_blockers(a, &view, &state, who);
        }
    }
    cv_chat_view_close(&view);
    return ok || cv_call_fail(a->call, &err);
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static void print_page(answer *a, cv_buf *out)
{
    if (a->clear)
        cv_buf_printf(out, "clear: nothing to process for %.*s in %zu open chat%s\n", CV_FMT(a->as), a->chats,
                      CV_PLURAL(a->chats));
    else
        cv_buf_printf(out, "not clear for %.*s: process this first\n", CV_FMT(a->as));
    for (size_t i = 0; i < a->blockers.count; i++) {
        const blocker *b = &a->blockers.items[i];
        cv_buf_printf(out, "  blocked  %.*s %.*s  %.*s of %.*s\n           cleared by ", CV_FMT(b->chat_id),
                      CV_FMT(b->message), CV_FMT(b->type), CV_FMT(b->from));
        cv_plain_add(out, b->cleared_by);
        cv_buf_add_char(out, '\n');
    }
    for (size_t i = 0; i < a->unreadable.count; i++) {
        cv_buf_printf(out, "  broken   %.*s: ", CV_FMT(a->unreadable.items[i].path));
        cv_plain_add(out, a->unreadable.items[i].problem);
        cv_buf_add_char(out, '\n');
    }
    for (size_t i = 0; i < a->pending.count; i++) {
        const pending *p = &a->pending.items[i];
        cv_buf_printf(out, "  unread   %.*s %.*s  %.*s of %.*s: ", CV_FMT(p->chat_id), CV_FMT(p->message),
                      CV_FMT(p->type), CV_FMT(p->from));
        cv_plain_add(out, p->begins);
        cv_buf_add_char(out, '\n');
    }
    cv_chat_page_warnings(out, &a->warnings, 0);
}

/* The first message of its chat and reader in the list? */
static bool is_first(const answer *a, size_t i)
{
    const pending *p = &a->pending.items[i];
    return i == 0 || !cv_str_eq(p->chat_id, p[-1].chat_id) || !cv_str_eq(p->as, p[-1].as);
}

static cv_str reading_of(const answer *a, const pending *p)
{
    const cv_argument as = {"as", p->as, CV_ARGUMENT_TEXT};
    return cv_call_name(a->call, CV_STR("chat read"), p->chat_id, &as, 1);
}

/* How a person reads each chat. */
static void print_steps(const answer *a, cv_buf *out)
{
    for (size_t i = 0; i < a->pending.count; i++)
        if (is_first(a, i))
            cv_buf_printf(out, "Next: %.*s\n", CV_FMT(reading_of(a, &a->pending.items[i])));
}

/* How each chat is read: an agent has the tool, or a shell, and may not know its role there. */
static void print_ways(const answer *a, cv_buf *out)
{
    for (size_t i = 0; i < a->pending.count; i++) {
        const pending *p = &a->pending.items[i];
        if (is_first(a, i))
            cv_buf_printf(out,
                          "Read it with conclave_chat_read {\"chat_id\": \"%.*s\", \"as\": \"%.*s\"}, or in a shell: "
                          "%.*s\n",
                          CV_FMT(p->chat_id), CV_FMT(p->as), CV_FMT(reading_of(a, p)));
    }
    if (a->unreadable.count)
        cv_buf_add_z(out, "Correct a broken file by hand; 'conclave chat check' shows what is wrong with it.\n");
    cv_buf_add_z(out, "Then try again.\n");
}

/* What the client shows to the agent; an empty object lets the tool run. */
static cv_str print_hook(answer *a)
{
    cv_buf reason = {0}, out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    if (!a->clear) {
        print_page(a, &reason);
        print_ways(a, &reason);
        cv_json_key(&w, CV_STR("hookSpecificOutput"));
        cv_json_begin_object(&w);
        cv_json_key_str(&w, "hookEventName", CV_STR("PreToolUse"));
        cv_json_key_str(&w, "permissionDecision", CV_STR("deny"));
        cv_json_key_str(&w, "permissionDecisionReason", cv_buf_str(&reason));
        cv_json_end_object(&w);
    }
    cv_json_end_object(&w);
    cv_buf_release(&reason);
    return cv_buf_take(&out, a->call->arena);
}

static bool refuse_stranger(answer *a)
{
    cv_err err = {.arena = a->call->arena};
    cv_chat_unknown(&err, a->as, (cv_words){a->known.items, a->known.count});
    a->call->exit = 2; /* 1 is "not clear" */
    return cv_call_fail(a->call, &err);
}

bool cv_chat_gate(cv_call *call)
{
    cv_chat_entries all;
    answer a = {.call = call, .as = cv_json_get_text(call->input, "as")};
    bool given = a.as.p, hook = cv_str_eq(cv_json_get_text(call->input, "format"), CV_STR("hook"));
    a.as = given ? a.as : call->who.name;
    if (!a.as.n && !hook) {
        cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "as", CV_STR(""),
                  "'as' is missing: give Role@Identity, a role or an identity");
        call->exit = 2;
        return false;
    }
    /* An agent asks for itself; a person may look at everybody's. */
    if (given && !call->who.is_human && cv_str_find_char(a.as, '@') != SIZE_MAX && !cv_chat_may_speak(call, "as", a.as))
        return false;
    if (!cv_chat_each(call, &all))
        return false;
    for (size_t i = 0; i < all.count; i++)
        if (!all.items[i].foreign.p && !look(&a, &all.items[i].place))
            return false;
    if (given && a.found == 0 && a.chats > 0 && !hook)
        return refuse_stranger(&a);
    a.clear = a.pending.count == 0 && a.blockers.count == 0 && a.unreadable.count == 0;
    call->unwell = !a.clear && !hook; /* a hook tells it in its answer */
    if (hook) {
        a.hook = print_hook(&a);
    } else if (call->for_people) {
        cv_buf out = {0};
        print_page(&a, &out);
        print_steps(&a, &out);
        a.text = cv_buf_take(&out, call->arena);
    }
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_chat_gate_shape, &a);
    return true;
}
