/* people.c - joining and leaving: two lines of the header, and every pointer below them moves along.
 *
 *     # Participants:                       # Last read:
 *     # - Implementer@claude                # - Implementer@claude: 12   -> 14
 *     # - Validator@ada      <- new         # - Validator@ada: 0         <- new
 */
#include "chat/answer.h"
#include "chat/change.h"
#include "chat/operations.h"
#include "chat/policy.h"
#include "chat/words/errors.h"
#include "chat/words/limits.h"
#include "kit/fault.h"

typedef struct {
    cv_str chat_id, participant;
    const cv_chat_header *header;
    cv_str *people;
    size_t count;
    cv_notices warnings;
} answer;

#define CV_THIS_TYPE answer
const cv_shape cv_chat_person_shape[] = {
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_FIELD(ALWAYS, participant, ""),
    CV_TEXTS("participants", people, count, "after this"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings: the operation was done"),
    CV_WRITTEN_FROM(0, "chat"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

typedef struct {
    cv_str who;
    bool joins;
} change;

static cv_str result(cv_chat_change *ch)
{
    const change *c = ch->ctx;
    const cv_chat_header *h = &ch->view.header;
    answer a = {.chat_id = ch->place->id, .participant = c->who, .warnings = ch->warnings};
    a.people = CV_NEW_ARRAY(ch->call->arena, h->people.count + 1, cv_str);
    for (size_t i = 0; i < h->people.count; i++)
        if (c->joins || !cv_str_eq(h->people.items[i], c->who))
            a.people[a.count++] = h->people.items[i];
    if (c->joins && !cv_chat_has_person(h, c->who))
        a.people[a.count++] = c->who;
    return cv_shape_text(ch->call->arena, cv_chat_person_shape, &a);
}

static void put(cv_chat_change *ch, cv_writing *w)
{
    const change *c = ch->ctx;
    cv_writing_event(w, CV_STR("participant"), c->who, c->joins ? CV_STR("joined") : CV_STR("left"));
}

/* Lines above what they have read came or went. */
static void shift_pointers(cv_chat_change *ch, cv_str but, int64_t by)
{
    const cv_chat_header *h = &ch->view.header;
    for (size_t i = 0; i < h->pointers.count; i++) {
        const cv_chat_pointer *p = &h->pointers.items[i];
        if (!cv_str_eq(p->who, but) && p->line >= h->lines)
            cv_chat_edit_view(&ch->edits, ch->call->arena, h->text, p->number,
                              cv_arena_printf(ch->call->arena, "%lld", (long long)p->line + by));
    }
}

/* The line that a view is on, its break included. */
static cv_str line_of(cv_str text, cv_str part)
{
    const char *begin = part.p, *end = cv_str_end(part);
    while (begin > text.p && begin[-1] != '\n')
        begin--;
    while (end < cv_str_end(text) && *end != '\n')
        end++;
    return cv_str_range(begin, end < cv_str_end(text) ? end + 1 : end);
}

/* ---- join -------------------------------------------------------------------------------------------------------- */

static void add_lines(cv_chat_change *ch, cv_str who)
{
    cv_arena *a = ch->call->arena;
    const cv_chat_header *h = &ch->view.header;
    const cv_chat_pointer *pointer = cv_chat_pointer_of(h, who);
    cv_chat_edit_add(&ch->edits, a, h->people_end, 0, cv_arena_printf(a, "# - %.*s\n", CV_FMT(who)));
    if (!pointer)
        cv_chat_edit_add(&ch->edits, a, h->pointers_end, 0, cv_arena_printf(a, "# - %.*s: 0\n", CV_FMT(who)));
    shift_pointers(ch, CV_STR(""), pointer ? 1 : 2);
}

static bool check_new(cv_call *call, const cv_chat_header *h, cv_str who)
{
    if (cv_chat_has_person(h, who))
        cv_refuse(call, CV_ERR_PERSON_EXISTS, CV_STR(""), "participant", who, "'%.*s' takes part already", CV_FMT(who));
    if (h->people.count >= CV_MAX_PEOPLE)
        cv_refuse(call, CV_ERR_TOO_LARGE, CV_STR(""), "participant", who, "a chat has at most %d participants",
                  CV_MAX_PEOPLE);
    if (!cv_chat_is_open(h))
        cv_errs_add(call->errs, call->arena, CV_ERR_CHAT_CLOSED, "the chat is closed");
    return call->errs->count == 0;
}

/* ---- leave ------------------------------------------------------------------------------------------------------- */

/* What only the one who leaves had not read is read by all the others now. */
static bool mark_left(cv_call *call, cv_chat_change *ch, cv_str who)
{
    cv_chat_region r;
    cv_err err = {.arena = call->arena};
    if (!cv_chat_region_of(&ch->view, who, &r, &err))
        return cv_call_fail(call, &err);
    for (size_t i = 0; i < r.messages.all.count; i++) {
        const cv_chat_message *m = &r.messages.all.items[i];
        if (cv_str_eq(m->flag, CV_STR("UNREAD")) && cv_chat_is_for(m->from, m->tags, who) &&
            cv_chat_all_read(&ch->view.header, m, r.line + m->line, who))
            cv_chat_edit_add(&ch->edits, call->arena, r.at + (size_t)(m->flag.p - r.text.p), m->flag.n, CV_STR("READ"));
    }
    return true;
}

static void remove_lines(cv_chat_change *ch, cv_str who)
{
    cv_arena *a = ch->call->arena;
    const cv_chat_header *h = &ch->view.header;
    int64_t gone = 0;
    for (size_t i = 0; i < h->people.count; i++)
        if (cv_str_eq(h->people.items[i], who)) {
            cv_chat_edit_view(&ch->edits, a, h->text, line_of(h->text, h->people.items[i]), CV_STR(""));
            gone++;
        }
    for (size_t i = 0; i < h->pointers.count; i++)
        if (cv_str_eq(h->pointers.items[i].who, who)) {
            cv_chat_edit_view(&ch->edits, a, h->text, line_of(h->text, h->pointers.items[i].who), CV_STR(""));
            gone++;
        }
    shift_pointers(ch, who, -gone);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static bool edit(cv_chat_change *ch, void *ctx)
{
    change *c = ctx;
    cv_call *call = ch->call;
    ch->ctx = c;
    ch->put = put;
    ch->result = result;
    if (cv_chat_may_repeat(call) && c->who.p && cv_chat_has_person(&ch->view.header, c->who) == c->joins)
        return cv_chat_change_repeated(ch);
    if (c->joins ? !check_new(call, &ch->view.header, c->who)
                 : !cv_chat_person(call, &ch->view.header, "participant", &c->who) || !mark_left(call, ch, c->who))
        return false;
    c->who = cv_arena_copy(call->arena, c->who);
    if (c->joins)
        add_lines(ch, c->who);
    else
        remove_lines(ch, c->who);
    return cv_chat_change_commit(ch, c->joins ? CV_STR("chat join") : CV_STR("chat leave"));
}

static bool run(cv_call *call, bool joins)
{
    change c = {.who = cv_json_get_text(call->input, "participant"), .joins = joins};
    cv_chat_place place;
    cv_chat_policy policy;
    bool done;
    if (!cv_chat_find(call, &place))
        return false;
    if (joins &&
        (!cv_chat_policy_load(call, &place.folder, &policy) || !cv_chat_person_form(call, "participant", c.who)))
        return false;
    if (joins)
        cv_chat_policy_role(call, &policy, "participant", c.who);
    if (call->errs->count)
        return false;
    if (!cv_chat_begin_request(call, &place, joins ? CV_STR("chat join") : CV_STR("chat leave"), &done))
        return false;
    if (done)
        return true;
    cv_chat_settle(call, &place);
    return cv_chat_change_run(call, &place, edit, &c);
}

bool cv_chat_join(cv_call *call)
{
    return run(call, true);
}

bool cv_chat_leave(cv_call *call)
{
    return run(call, false);
}
