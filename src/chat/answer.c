/* answer.c - messages in answers, and a chat as people read it; see answer.h. */
#include "chat/answer.h"

#include "base/clock.h"
#include "base/plain.h"
#include "base/utf8.h"
#include "chat/operations.h"
#include "chat/words/errors.h"
#include "kit/agents.h"
#include "kit/fault.h"

#define CV_THIS_TYPE cv_chat_shown
const cv_shape cv_chat_message_shape[] = {
    CV_FIELD(ALWAYS, id, "M0001"),
    CV_FIELD(ALWAYS, from, "Role@Identity"),
    CV_FIELD(ALWAYS, type, ""),
    CV_TEXTS("tag", tags, tag_count, "to whom it is addressed; none: everybody"),
    CV_FIELD(IF_ANY, at, "when it was sent, as its sender says"),
    CV_FIELD(IF_ANY, reply_to, "the message that it answers"),
    CV_FIELD(ALWAYS, flag, "UNREAD, or READ when all have read it"),
    CV_FIELD(IF_ANY, on_behalf_of, "the agent or person it was sent for"),
    CV_FIELD(IF_ANY, verified, "it is certain that a person sent it"),
    CV_FIELD(ALWAYS, body, ""),
    {0},
};
#undef CV_THIS_TYPE

/* Answers are JSON, and JSON is UTF-8. */
static cv_str valid(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    if (cv_utf8_valid(text) == text.n)
        return text.p ? text : CV_STR("");
    for (size_t n; text.n; text = cv_str_from(text, n + 1)) {
        n = cv_utf8_valid(text);
        cv_buf_add(&out, cv_str_head(text, n));
        if (n < text.n)
            cv_buf_add_z(&out, "\xEF\xBF\xBD");
    }
    return cv_buf_take(&out, a);
}

static void tell_tags(cv_arena *a, cv_chat_shown *t, cv_str tags)
{
    cv_texts list = {0};
    cv_str tag;
    while (cv_chat_next_tag(&tags, &tag))
        *CV_PUSH(a, &list) = cv_arena_printf(a, "@%.*s", CV_FMT(valid(a, tag)));
    t->tags = list.items;
    t->tag_count = list.count;
}

void cv_chat_tell(cv_arena *a, cv_chat_tellings *list, const cv_chat_message *m)
{
    cv_chat_shown *t = CV_PUSH(a, list);
    *t = (cv_chat_shown){.id = cv_chat_number_print(a, m->number),
                         .from = valid(a, m->from),
                         .type = valid(a, m->type),
                         .at = valid(a, m->at),
                         .reply_to = valid(a, m->re),
                         .flag = m->flag,
                         .on_behalf_of = valid(a, m->behalf),
                         .body = valid(a, m->body)};
    tell_tags(a, t, m->tags);
}

void cv_chat_tell_row(cv_arena *a, cv_chat_tellings *list, const cv_chat_message_row *m)
{
    cv_chat_shown *t = CV_PUSH(a, list);
    cv_chat_message head = {.flag = CV_STR("")};
    cv_chat_head_parse(m->head, &head);
    *t = (cv_chat_shown){.id = cv_chat_number_print(a, m->number),
                         .from = m->sender,
                         .type = m->type,
                         .at = m->sent_at,
                         .reply_to = m->reply_to > 0 ? cv_chat_number_print(a, m->reply_to) : CV_STR(""),
                         .flag = head.flag,
                         .on_behalf_of = m->behalf,
                         .verified = cv_str_eq(m->standing, CV_STR("verified")),
                         .body = m->body.p ? m->body : CV_STR("")};
    tell_tags(a, t, m->tags);
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static void indented(cv_buf *out, cv_str text, size_t width)
{
    cv_str line;
    while (cv_str_split(&text, '\n', &line)) {
        cv_buf plain = {0};
        cv_plain_add(&plain, cv_str_trim_right(line));
        cv_buf_add_z(out, plain.n ? "  " : "");
        if (width)
            cv_plain_wrap(out, cv_buf_str(&plain), width, 2, 2);
        else
            cv_buf_add(out, cv_buf_str(&plain));
        cv_buf_add_char(out, '\n');
        cv_buf_release(&plain);
    }
}

static void add_part(cv_buf *out, const char *before, cv_str text)
{
    if (!text.n)
        return;
    cv_buf_add_z(out, before);
    cv_plain_add(out, text);
}

void cv_chat_page(cv_buf *out, const cv_chat_tellings *list, size_t width)
{
    for (size_t i = 0; i < list->count; i++) {
        const cv_chat_shown *t = &list->items[i];
        cv_arena a = {0};
        cv_buf_add_z(out, i ? "\n" : "");
        add_part(out, "", t->id);
        add_part(out, "  ", t->from);
        cv_str whom = t->tag_count ? cv_arena_list(&a, t->tags, t->tag_count) : CV_STR("@All");
        add_part(out, " -> ", whom);
        add_part(out, "  ", t->type);
        if (width && cv_plain_width(whom) + cv_plain_width(t->from) + cv_plain_width(t->type) > width - 20)
            cv_buf_add_z(out, "\n     ");
        add_part(out, "  ", cv_time_short(&a, t->at));
        add_part(out, "  re ", t->reply_to);
        add_part(out, "  for ", t->on_behalf_of);
        cv_buf_add_z(out, t->verified ? "  (verified)" : "");
        cv_buf_add_z(out, cv_str_eq(t->flag, CV_STR("UNREAD")) ? "  unread\n" : "\n");
        indented(out, t->body, width);
        cv_arena_release(&a);
    }
}

void cv_chat_page_head(cv_buf *out, cv_str id, const cv_chat_header *h)
{
    cv_buf_printf(out, "chat %.*s (", CV_FMT(id));
    cv_plain_add(out, h->status);
    cv_buf_add_z(out, "): ");
    cv_plain_add(out, h->title);
    cv_buf_add_z(out, "\nwith");
    for (size_t i = 0; i < h->people.count; i++)
        add_part(out, i ? ", " : " ", h->people.items[i]);
    cv_buf_add_char(out, '\n');
}

void cv_chat_page_warnings(cv_buf *out, const cv_notices *warnings, size_t width)
{
    for (size_t i = 0; i < warnings->count; i++) {
        cv_buf plain = {0};
        cv_plain_add(&plain, warnings->items[i].message);
        cv_buf_add_z(out, "\nwarning: ");
        if (width)
            cv_plain_wrap(out, cv_buf_str(&plain), width, 9, 2);
        else
            cv_buf_add(out, cv_buf_str(&plain));
        cv_buf_release(&plain);
    }
    cv_buf_add_z(out, warnings->count ? "\n" : "");
}

/* ---- who speaks -------------------------------------------------------------------------------------------------- */

bool cv_chat_person_form(cv_call *call, const char *field, cv_str who)
{
    if (cv_chat_person_valid(who) && cv_str_find_char(who, '/') == SIZE_MAX)
        return true;
    cv_err *fault =
        cv_refuse(call, CV_ERR_INVALID_VALUE, CV_STR(""), field, who,
                  "'%.*s' is not a participant: Role@Identity, without spaces and without / | , : \" \\; the role "
                  "is not All",
                  CV_FMT(cv_excerpt(call->arena, who)));
    cv_err_suggest(fault,
                   CV_STR("write it like Implementer@claude; several roles are joined: Specifier+Validator@ada"));
    return false;
}

/* Whose role or identity `name` could be, with a slip of the pen; empty: nobody's. */
static cv_str person_called(cv_arena *a, cv_str name, cv_words people)
{
    cv_texts parts = {0};
    for (size_t i = 0; i < people.count; i++) {
        cv_str roles = cv_chat_role_of(people.items[i]), role;
        while (cv_str_split(&roles, '+', &role))
            *CV_PUSH(a, &parts) = role;
        *CV_PUSH(a, &parts) = cv_chat_identity_of(people.items[i]);
    }
    const char *near = cv_str_nearest(name, parts.items, parts.count).p;
    for (size_t i = 0; near && i < people.count; i++)
        if (near >= people.items[i].p && near < people.items[i].p + people.items[i].n)
            return people.items[i];
    return CV_STR("");
}

/* Offers the participants, and the one that the fault's value may mean: by its name, its role or its identity. False:
 * it is like none of them. */
static bool offer_people(cv_err *fault, cv_words people)
{
    cv_str given = fault->value, identity = cv_chat_identity_of(given);
    cv_err_options(fault, people.items, people.count);
    if (cv_err_nearest(fault, given, people.items, people.count))
        return true;
    cv_str near = person_called(fault->arena, identity.n ? identity : given, people);
    return near.n && cv_err_nearest(fault, near, &near, 1);
}

void cv_chat_unknown(cv_err *err, cv_str who, cv_words people)
{
    cv_err_set(err, CV_ERR_UNKNOWN_PERSON, "no open chat has a participant '%.*s'",
               CV_FMT(cv_excerpt(err->arena, who)));
    cv_err_field(err, CV_STR("as"));
    cv_err_value(err, who);
    offer_people(err, people);
}

bool cv_chat_may_speak(cv_call *call, const char *field, cv_str who)
{
    cv_str name = call->who.name, identity = cv_chat_identity_of(who);
    cv_agent_row agent;
    cv_err err = {.arena = call->arena};
    bool found = false;
    if (!name.p || cv_str_eq_nocase(name, identity))
        return true;
    if (cv_agent_id_valid(identity) && cv_agent_find(call->record, call->arena, identity, &agent, &found, &err) &&
        found && cv_str_eq_nocase(agent.id, name))
        return true;
    cv_err *fault = cv_refuse(call, CV_ERR_IDENTITY, CV_STR(""), field, who, "'%.*s' acts, but %s is '%.*s'",
                              CV_FMT(name), field, CV_FMT(who));
    cv_err_suggest(fault, cv_arena_printf(call->arena, "leave %s out, or act as '%.*s'", field, CV_FMT(identity)));
    return false;
}

static bool refuse_stranger(cv_call *call, const cv_chat_header *h, const char *field, cv_str who)
{
    cv_err *fault = cv_refuse(call, CV_ERR_UNKNOWN_PERSON, CV_STR(""), field, who,
                              "'%.*s' does not take part in this chat", CV_FMT(cv_excerpt(call->arena, who)));
    if (!offer_people(fault, (cv_words){h->people.items, h->people.count})) {
        cv_err_operation(fault, CV_STR("chat join"));
        cv_err_suggest(fault, CV_STR("makes somebody a participant"));
    }
    return false;
}

/* The participants with this identity, or with `roles` this role. */
static cv_words people_of(cv_arena *a, const cv_chat_header *h, cv_str name, bool roles)
{
    cv_str *found = CV_NEW_ARRAY(a, h->people.count, cv_str);
    size_t count = 0;
    for (size_t i = 0; name.p && i < h->people.count; i++) {
        cv_str one = h->people.items[i];
        if (roles ? cv_chat_is_called(one, name) : cv_str_eq_nocase(cv_chat_identity_of(one), name))
            found[count++] = one;
    }
    return (cv_words){found, count};
}

static bool refuse_ambiguous(cv_call *call, const char *field, cv_str given, cv_words may_be)
{
    cv_err *fault = cv_refuse(call, CV_ERR_UNKNOWN_PERSON, CV_STR(""), field, given,
                              "'%.*s' may be any of %zu participants", CV_FMT(given), may_be.count);
    cv_err_options(fault, may_be.items, may_be.count);
    return false;
}

/* The caller, if one participant has that identity. */
static bool person_of_actor(cv_call *call, const cv_chat_header *h, const char *field, cv_str *ret_who)
{
    cv_words mine = people_of(call->arena, h, call->who.name, false);
    *ret_who = mine.count == 1 ? mine.items[0] : (cv_str){NULL, 0};
    if (mine.count == 1)
        return true;
    cv_err *fault = cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), field, CV_STR(""), "'%s' is missing%s", field,
                              mine.count > 1 ? ": several participants have the identity of the caller" : "");
    cv_err_options(fault, h->people.items, h->people.count);
    return false;
}

bool cv_chat_person(cv_call *call, const cv_chat_header *h, const char *field, cv_str *ret_who)
{
    cv_str given = cv_json_get_text(call->input, field);
    if (!given.p)
        return person_of_actor(call, h, field, ret_who);
    *ret_who = given;
    if (cv_chat_has_person(h, given)) /* also under a name that only a hand could write */
        return cv_chat_may_speak(call, field, given);
    cv_words may_be =
        people_of(call->arena, h, cv_str_find_char(given, '@') == SIZE_MAX ? given : (cv_str){NULL, 0}, true);
    if (may_be.count > 1)
        return refuse_ambiguous(call, field, given, may_be);
    if (may_be.count == 0)
        return refuse_stranger(call, h, field, given);
    *ret_who = may_be.items[0];
    return cv_chat_may_speak(call, field, *ret_who);
}

/* ---- tags -------------------------------------------------------------------------------------------------------- */

static bool names_somebody(const cv_chat_header *h, cv_str tag)
{
    if (cv_str_eq(tag, CV_STR("All")))
        return true;
    for (size_t i = 0; i < h->people.count; i++)
        if (cv_str_eq(h->people.items[i], tag) || cv_chat_has_role(h->people.items[i], tag))
            return true;
    return false;
}

static void refuse_tag(cv_call *call, const cv_chat_header *h, size_t index, cv_str given)
{
    size_t count = 0;
    cv_str *known = CV_NEW_ARRAY(call->arena, h->people.count + 1, cv_str);
    for (size_t i = 0; i < h->people.count; i++)
        known[count++] = cv_arena_printf(call->arena, "@%.*s", CV_FMT(cv_chat_role_of(h->people.items[i])));
    known[count++] = CV_STR("@All");
    cv_err *fault =
        cv_refuse(call, CV_ERR_UNKNOWN_PERSON, CV_STR(""), cv_arena_printf(call->arena, "tag[%zu]", index).p, given,
                  "'%.*s' is not a participant of this chat", CV_FMT(cv_excerpt(call->arena, given)));
    cv_refuse_words(fault, known, count);
}

bool cv_chat_tags(cv_call *call, const cv_chat_header *h, cv_str *ret_tags)
{
    const cv_json *list = cv_json_get(call->input, CV_STR("tag"));
    cv_buf out = {0};
    bool ok = true;
    for (uint32_t i = 0; list && i < list->count; i++) {
        cv_str given = cv_str_trim(list->items[i].text), rest = given, tag;
        bool one = cv_chat_next_tag(&rest, &tag) && rest.n == 0;
        if (!one || !names_somebody(h, tag)) {
            refuse_tag(call, h, i, given);
            ok = false;
            continue;
        }
        cv_buf_printf(&out, "%s@%.*s", out.n ? ", " : "", CV_FMT(tag));
    }
    *ret_tags = cv_buf_take(&out, call->arena);
    return ok;
}
