/* list.c - which chats there are, with what is new for a participant; and one chat to read. */
#include "base/plain.h"
#include "base/utf8.h"
#include "chat/all_chats.h"
#include "chat/answer.h"
#include "chat/change.h"
#include "chat/operations.h"
#include "chat/words/errors.h"
#include "kit/fault.h"

/* ---- list -------------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str chat_id, status, purpose, path, workflow, problem;
    cv_str *people;
    size_t people_count;
    int64_t messages, pending; /* absent: not known, not asked for */
    size_t queued;
    bool locked;
} line;

typedef struct {
    struct {
        line *items;
        size_t count, capacity;
    } chats;
    cv_texts foreign;
    cv_texts people; /* of all chats */
    bool found;      /* the participant that was asked about is one of them */
    cv_notices warnings;
} listing;

#define CV_THIS_TYPE line
static const cv_shape line_shape[] = {
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_FIELD(ALWAYS, status, ""),
    CV_FIELD(IF_ANY, messages, ""),
    CV_FIELD(IF_ANY, pending, "new messages for the participant that was asked about"),
    CV_FIELD_AS(IF_ANY, "queued", queued, "messages that wait for the lock"),
    CV_FIELD(IF_ANY, locked, "somebody is writing"),
    CV_FIELD(ALWAYS, purpose, ""),
    CV_TEXTS("participants", people, people_count, ""),
    CV_FIELD(IF_ANY, workflow, ""),
    CV_FIELD(ALWAYS, path, ""),
    CV_FIELD(IF_ANY, problem, "why it cannot be used"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE listing
const cv_shape cv_chat_list_shape[] = {
    CV_LIST("chats", chats.items, chats.count, line_shape, ""),
    CV_TEXTS("foreign", foreign.items, foreign.count, "files that only look like chats: copies of sync tools"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings"),
    {0},
};
#undef CV_THIS_TYPE

static cv_str shown(cv_arena *a, cv_str text)
{
    return cv_utf8_valid(text) == text.n ? text : cv_utf8_excerpt(a, cv_str_head(text, cv_utf8_valid(text)), 200);
}

static int64_t count_pending(cv_chat_view *v, cv_str as)
{
    cv_err err = {.arena = v->arena};
    int64_t count = 0;
    bool found = false;
    for (size_t i = 0; i < v->header.people.count; i++) {
        cv_str who = v->header.people.items[i];
        cv_chat_region r;
        if (!cv_chat_is_called(who, as) || !cv_chat_region_of(v, who, &r, &err))
            continue;
        found = true;
        for (size_t k = 0; k < r.messages.all.count; k++)
            count += cv_chat_is_for(r.messages.all.items[k].from, r.messages.all.items[k].tags, who);
    }
    return found ? count : CV_ABSENT;
}

static void fill(cv_call *call, cv_chat_view *v, line *l)
{
    cv_arena *a = call->arena;
    cv_str as = cv_json_get_text(call->input, "as");
    l->status = shown(a, v->header.status);
    l->purpose = shown(a, v->header.title);
    l->people = CV_NEW_ARRAY(a, v->header.people.count, cv_str);
    for (size_t i = 0; i < v->header.people.count; i++)
        l->people[l->people_count++] = shown(a, v->header.people.items[i]);
    l->messages = v->text.p ? (int64_t)v->messages.all.count : v->row.messages;
    l->pending = as.n ? count_pending(v, as) : CV_ABSENT;
    l->queued = v->queue.count;
    l->locked = v->locked;
    if (!cv_str_eq(v->header.id, v->place->id))
        l->problem =
            cv_arena_printf(a, "the header says it is the chat '%.*s': a copy?", CV_FMT(shown(a, v->header.id)));
}

/* False: it is a copy, not a chat. */
static bool list_one(cv_call *call, const cv_chat_place *place, listing *all)
{
    cv_chat_view view;
    size_t faults = call->errs->count;
    cv_str wanted = cv_json_get_text(call->input, "status");
    line l = {.chat_id = place->id,
              .path = place->scope.name,
              .workflow = place->folder.workflow,
              .messages = CV_ABSENT,
              .pending = CV_ABSENT};
    bool ok = cv_chat_look(call, place, &view, &all->warnings);
    if (ok) {
        fill(call, &view, &l);
        cv_chat_view_close(&view);
        all->found = all->found || l.pending != CV_ABSENT;
        for (size_t i = 0; i < l.people_count; i++)
            *CV_PUSH(call->arena, &all->people) = l.people[i];
    } else {
        l.problem = cv_arena_copy(call->arena, call->errs->items[faults].message);
        call->errs->count = faults;
    }
    if (ok && l.problem.n) {
        *CV_PUSH(call->arena, &all->foreign) = cv_str_of(place->name);
        return false;
    }
    if (!wanted.n || cv_str_eq_nocase(wanted, l.status))
        *CV_PUSH(call->arena, &all->chats) = l;
    return true;
}

/* A name that nobody has gets no figures: it may be misspelt. */
static void warn_unknown(cv_call *call, listing *all)
{
    cv_err err = {.arena = call->arena};
    cv_str as = cv_json_get_text(call->input, "as");
    if (!as.n || all->found || !all->people.count)
        return;
    cv_chat_unknown(&err, as, (cv_words){all->people.items, all->people.count});
    cv_err_field(&err, CV_STR("")); /* a warning names no field */
    cv_notice_add(&all->warnings, call->arena, CV_STR("unknown_participant"), "%.*s", CV_FMT(cv_err_text(&err)));
}

static bool list_all(cv_call *call, listing *all)
{
    cv_chat_entries entries;
    if (!cv_chat_each(call, &entries))
        return false;
    for (size_t i = 0; i < entries.count; i++) {
        if (entries.items[i].foreign.p)
            *CV_PUSH(call->arena, &all->foreign) = shown(call->arena, entries.items[i].foreign);
        else
            list_one(call, &entries.items[i].place, all);
    }
    return true;
}

bool cv_chat_only(cv_call *call, cv_str *ret_id)
{
    listing all = {0};
    cv_str id = {NULL, 0};
    size_t open = 0;
    if (!list_all(call, &all))
        return false;
    for (size_t i = 0; i < all.chats.count; i++)
        if (cv_str_eq(all.chats.items[i].status, CV_STR("OPEN"))) {
            id = all.chats.items[i].chat_id;
            open++;
        }
    *ret_id = open == 1 ? id : (cv_str){NULL, 0};
    return true;
}

bool cv_chat_list(cv_call *call)
{
    listing all = {0};
    if (!list_all(call, &all))
        return false;
    warn_unknown(call, &all);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_chat_list_shape, &all);
    return true;
}

/* ---- show -------------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_str chat_id, status, purpose, path;
    cv_str *people;
    size_t people_count;
    cv_chat_tellings messages;
    size_t left_out;
    bool locked, original;
    cv_notices warnings;
    cv_str text;
} page;

#define CV_THIS_TYPE page
const cv_shape cv_chat_show_shape[] = {
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_FIELD(ALWAYS, status, ""),
    CV_FIELD(ALWAYS, purpose, ""),
    CV_FIELD(ALWAYS, path, ""),
    CV_TEXTS("participants", people, people_count, ""),
    CV_LIST("messages", messages.items, messages.count, cv_chat_message_shape, ""),
    CV_FIELD_AS(IF_ANY, "left_out", left_out, "earlier messages: ask with limit 0"),
    CV_FIELD(IF_ANY, original, "as the record first saw them, not as the file has them now"),
    CV_FIELD(IF_ANY, locked, "somebody is writing"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings"),
    CV_PRINTED(text, "the chat as a page"),
    {0},
};
#undef CV_THIS_TYPE

static bool refuse_absent(cv_call *call, cv_str id)
{
    cv_err *fault = cv_refuse(call, CV_ERR_CHAT_MESSAGE, CV_STR(""), "message", id, "there is no message '%.*s'",
                              CV_FMT(cv_excerpt(call->arena, id)));
    cv_err_suggest(fault, CV_STR("name one of the chat, like M0001; original: true shows what the record has seen"));
    return false;
}

typedef struct {
    cv_arena *arena;
    cv_chat_tellings *list;
} telling;

static bool tell_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    telling *t = ctx;
    (void)scope, (void)err;
    cv_chat_tell_row(t->arena, t->list, cv_row_copy(t->arena, &cv_chat_message_row_type, row));
    return true;
}

/* From the record: as they were first seen. */
static bool tell_original(cv_call *call, cv_chat_view *v, int64_t number, page *p, cv_err *err)
{
    telling t = {call->arena, &p->messages};
    const cv_chat_message_row like = {.number = number};
    const cv_find find = {.type = &cv_chat_message_row_type,
                          .scope = v->place->scope,
                          .like = number ? &like : NULL,
                          .equal = number ? 1 : 0};
    p->original = true;
    return call->record->calls->find(call->record, &find, tell_row, &t, err);
}

static bool tell_file(cv_call *call, cv_chat_view *v, int64_t number, page *p, cv_err *err)
{
    if (!cv_chat_view_read_all(v, err))
        return false;
    size_t limit = (size_t)cv_json_get_int(call->input, "limit", 0), count = v->messages.all.count;
    size_t from = !number && limit && count > limit ? count - limit : 0;
    p->left_out = from;
    for (size_t i = from; i < count; i++)
        if (!number || v->messages.all.items[i].number == number)
            cv_chat_tell(call->arena, &p->messages, &v->messages.all.items[i]);
    return true;
}

static void print_page(cv_call *call, const cv_chat_view *v, page *p)
{
    cv_buf out = {0};
    cv_chat_page_head(&out, p->chat_id, &v->header);
    cv_buf_add_char(&out, '\n');
    if (p->left_out)
        cv_buf_printf(&out, "(%zu earlier message%s: --limit 0 shows all)\n\n", p->left_out, CV_PLURAL(p->left_out));
    cv_chat_page(&out, &p->messages, call->width);
    cv_chat_page_warnings(&out, &p->warnings, call->width);
    p->text = cv_buf_take(&out, call->arena);
}

bool cv_chat_show(cv_call *call)
{
    cv_chat_place place;
    cv_chat_view view;
    cv_err err = {.arena = call->arena};
    cv_str id = cv_json_get_text(call->input, "message");
    int64_t number = 0;
    page p = {0};
    if (!cv_chat_find(call, &place))
        return false;
    if (id.p && !cv_chat_number_parse(id, &number))
        return refuse_absent(call, id);
    if (!cv_chat_look(call, &place, &view, &p.warnings))
        return false;
    p.chat_id = place.id;
    p.path = place.scope.name;
    p.status = shown(call->arena, view.header.status);
    p.purpose = shown(call->arena, view.header.title);
    p.people = CV_NEW_ARRAY(call->arena, view.header.people.count, cv_str);
    for (size_t i = 0; i < view.header.people.count; i++)
        p.people[p.people_count++] = shown(call->arena, view.header.people.items[i]);
    p.locked = view.locked;
    bool ok = cv_json_get_true(call->input, "original") ? tell_original(call, &view, number, &p, &err)
                                                        : tell_file(call, &view, number, &p, &err);
    if (!ok)
        cv_call_fail(call, &err);
    else if (number && p.messages.count == 0)
        ok = refuse_absent(call, id);
    if (ok && call->for_people)
        print_page(call, &view, &p);
    if (ok)
        cv_shape_write(&(cv_json_writer){.out = call->out}, cv_chat_show_shape, &p);
    cv_chat_view_close(&view);
    return ok;
}
