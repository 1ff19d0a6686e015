/* close.c - the end of a chat: one side asks, all others agree, then the header says CLOSED.
 *
 *     CLOSE_REQUEST   body ARCHIVE_SUGGEST:YES|NO
 *     CLOSE_ACK       body ARCHIVE_DECISION:YES|NO      by everybody but the requester
 *     the last ACK    # Status: CLOSED in the same step; with YES on all sides, and a policy that allows it, a digest
 *
 * What hands have written counts like what this program has.
 */
#include "base/file.h"
#include "base/utf8.h"
#include "chat/answer.h"
#include "chat/change.h"
#include "chat/operations.h"
#include "chat/policy.h"
#include "chat/text/fields.h"
#include "chat/words/errors.h"
#include "kit/fault.h"

typedef struct {
    cv_str chat_id, message, status, digest_path;
    cv_str *waiting_for;
    size_t waiting_count;
    cv_notices warnings;
} answer;

#define CV_THIS_TYPE answer
const cv_shape cv_chat_close_shape[] = {
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_FIELD(ALWAYS, message, "the request or the acknowledgement"),
    CV_FIELD(ALWAYS, status, "OPEN, or CLOSED when all others have acknowledged"),
    CV_TEXTS("waiting_for", waiting_for, waiting_count, "who has not acknowledged yet"),
    CV_FIELD(IF_ANY, digest_path, "the digest, when all sides asked for one"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings: the operation was done"),
    CV_WRITTEN_FROM(0, "chat"),
    CV_TRIED,
    {0},
};
#undef CV_THIS_TYPE

static const cv_str request_type = CV_STR_INIT("CLOSE_REQUEST"), ack_type = CV_STR_INIT("CLOSE_ACK");

typedef struct {
    cv_call *call;
    cv_chat_policy policy;
    bool acks; /* this is an acknowledgement */
    cv_str from;
    cv_chat_message_row request; /* the last one; number 0: there is none */
    struct {
        cv_chat_message_row *items; /* that follow it */
        size_t count, capacity;
    } agreed;
    answer told;
    bool digest;
} closing;

/* ---- what was said ----------------------------------------------------------------------------------------------- */

static void see(closing *c, const cv_chat_message_row *m)
{
    if (cv_str_eq(m->type, request_type) && m->number > c->request.number) {
        c->request = *m;
        c->agreed.count = 0;
    } else if (cv_str_eq(m->type, ack_type) && m->number > c->request.number && c->request.number) {
        *CV_PUSH(c->call->arena, &c->agreed) = *m;
    }
}

static bool see_row(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    closing *c = ctx;
    (void)scope, (void)err;
    see(c, cv_row_copy(c->call->arena, &cv_chat_message_row_type, row));
    return true;
}

/* Requests first: acknowledgements count from the last of them on. */
static bool load(closing *c, const cv_chat_change *ch, cv_err *err)
{
    cv_record *record = c->call->record;
    const cv_chat_message_row requests = {.type = request_type}, acks = {.type = ack_type};
    const cv_find find = {
        .type = &cv_chat_message_row_type, .scope = ch->place->scope, .index = cv_chat_messages_by_type, .equal = 1};
    cv_find first = find, second = find;
    first.like = &requests;
    second.like = &acks;
    if (!record->calls->find(record, &first, see_row, c, err) || !record->calls->find(record, &second, see_row, c, err))
        return false;
    for (size_t i = 0; i < ch->found.fresh.count; i++)
        see(c, &ch->found.fresh.items[i]);
    return true;
}

static bool has_agreed(const closing *c, cv_str who)
{
    for (size_t i = 0; i < c->agreed.count; i++)
        if (cv_str_eq(c->agreed.items[i].sender, who))
            return true;
    return false;
}

/* ---- may it be said now? ----------------------------------------------------------------------------------------- */

static bool refuse(cv_call *call, cv_str value, const char *why, const char *advice)
{
    cv_err *fault = cv_refuse(call, CV_ERR_CLOSE_ORDER, CV_STR(""), "step", value, "%s", why);
    cv_err_suggest(fault, cv_str_of(advice));
    return false;
}

static bool check(closing *c, const cv_chat_header *h)
{
    cv_call *call = c->call;
    bool pending = c->request.number && cv_chat_has_person(h, c->request.sender);
    if (!cv_chat_is_open(h)) {
        cv_errs_add(call->errs, call->arena, CV_ERR_CHAT_CLOSED, "the chat '%.*s' is closed already",
                    CV_FMT(c->told.chat_id));
        return false;
    }
    if (!c->acks && pending && cv_str_eq(c->request.sender, c->from))
        return refuse(call, CV_STR("request"), "this participant has requested the close already",
                      "wait for the acknowledgement of the others");
    if (!c->acks && pending)
        return refuse(call, CV_STR("request"), "another participant has requested the close already",
                      "acknowledge it: step ack");
    if (c->acks && !pending)
        return refuse(call, CV_STR("ack"), "nobody has requested the close", "request it: step request");
    if (c->acks && cv_str_eq(c->request.sender, c->from))
        return refuse(call, CV_STR("ack"), "you requested the close: the other participants acknowledge it",
                      "another participant does it");
    if (c->acks && has_agreed(c, c->from))
        return refuse(call, CV_STR("ack"), "this participant has acknowledged already", "wait for the others");
    return true;
}

/* ---- the digest -------------------------------------------------------------------------------------------------- */

/* YES in a line "ARCHIVE_…:YES". */
static bool wants_digest(cv_str body)
{
    cv_str value = cv_field_find(body, CV_STR("archive_suggest archive_decision"));
    return cv_str_starts_nocase(value, CV_STR("yes"));
}

static bool all_want_digest(const closing *c, bool own)
{
    bool all = own && (c->acks ? wants_digest(c->request.body) : true);
    for (size_t i = 0; i < c->agreed.count; i++)
        all = all && wants_digest(c->agreed.items[i].body);
    return all;
}

static void add_digest_line(cv_chat_change *ch, cv_buf *out, int64_t number, cv_str from, cv_str tags, cv_str type,
                            cv_str body)
{
    cv_arena *a = ch->call->arena;
    cv_str first = cv_field_line(body);
    cv_buf_printf(out, "- [%.*s] %.*s -> %.*s: %.*s: ", CV_FMT(cv_chat_number_print(a, number)), CV_FMT(from),
                  CV_FMT(tags.n ? tags : CV_STR("@All")), CV_FMT(type));
    cv_buf_add(out, cv_utf8_excerpt(a, cv_str_head(first, cv_utf8_valid(first)), 120));
    cv_buf_add_char(out, '\n');
}

static cv_str print_digest(cv_chat_change *ch)
{
    cv_buf out = {0};
    const cv_chat_header *h = &ch->view.header;
    cv_buf_printf(&out, "## Appendix - Chat Digest\n\n- Chat ID: %.*s\n- Purpose: %.*s\n- Participants:",
                  CV_FMT(ch->place->id), CV_FMT(h->title));
    for (size_t i = 0; i < h->people.count; i++)
        cv_buf_printf(&out, "%s %.*s", i ? "," : "", CV_FMT(h->people.items[i]));
    cv_buf_printf(&out, "\n- Messages: %lld\n- Outcome: CLOSED\n\n", (long long)(ch->next - 1));
    for (size_t i = 0; i < ch->view.messages.all.count; i++) {
        const cv_chat_message *m = &ch->view.messages.all.items[i];
        add_digest_line(ch, &out, m->number, m->from, m->tags, m->type, m->body);
    }
    for (size_t i = 0; i < ch->sent.count; i++) {
        const cv_chat_message_row *m = &ch->sent.items[i];
        add_digest_line(ch, &out, m->number, m->sender, m->tags, m->type, m->body);
    }
    return cv_buf_take(&out, ch->call->arena);
}

static void write_digest(cv_chat_change *ch, closing *c)
{
    cv_arena *a = ch->call->arena;
    cv_err err = {.arena = a};
    cv_file_rules rules = {.arena = a};
    cv_str beside = cv_str_head(ch->place->scope.name, ch->place->scope.name.n - strlen(ch->place->name));
    cv_where file = cv_where_printf(a, ch->place->folder.where, "chat_digest_%.*s.md", CV_FMT(ch->place->id));
    if (cv_file_write_at(file, print_digest(ch), &rules, &err))
        c->told.digest_path = cv_arena_printf(a, "%.*s%s", CV_FMT(beside), cv_where_name(file));
    else
        cv_notice_add(&ch->warnings, a, CV_STR("digest_failed"), "the digest was not written: %.*s",
                      CV_FMT(err.message));
}

/* ---- saying it --------------------------------------------------------------------------------------------------- */

static void put(cv_chat_change *ch, cv_writing *w)
{
    const closing *c = ch->ctx;
    if (cv_str_eq(c->told.status, CV_STR("CLOSED")))
        cv_writing_event(w, CV_STR("chat"), ch->place->id, CV_STR("closed"));
}

static cv_str result(cv_chat_change *ch)
{
    closing *c = ch->ctx;
    if (c->digest && !ch->dry)
        write_digest(ch, c);
    c->told.warnings = ch->warnings;
    return cv_shape_text(ch->call->arena, cv_chat_close_shape, &c->told);
}

/* Who has still to agree, if this is said. */
static void count_waiting(closing *c, const cv_chat_header *h)
{
    cv_str requester = c->acks ? c->request.sender : c->from;
    c->told.waiting_for = CV_NEW_ARRAY(c->call->arena, h->people.count, cv_str);
    for (size_t i = 0; i < h->people.count; i++) {
        cv_str who = h->people.items[i];
        if (!cv_str_eq(who, requester) && !cv_str_eq(who, c->from) && !(c->acks && has_agreed(c, who)))
            c->told.waiting_for[c->told.waiting_count++] = who;
    }
}

/* The number of the same message, if it was said before; 0: it was not. */
static int64_t said_before(const closing *c)
{
    if (!c->acks)
        return cv_str_eq(c->request.sender, c->from) ? c->request.number : 0;
    for (size_t i = 0; i < c->agreed.count; i++)
        if (cv_str_eq(c->agreed.items[i].sender, c->from))
            return c->agreed.items[i].number;
    return 0;
}

static bool repeat(cv_chat_change *ch, closing *c)
{
    c->told.message = cv_chat_number_print(ch->call->arena, said_before(c));
    c->told.status = cv_arena_copy(ch->call->arena, ch->view.header.status);
    count_waiting(c, &ch->view.header);
    return cv_chat_change_repeated(ch);
}

static bool say(cv_chat_change *ch, void *ctx)
{
    closing *c = ctx;
    cv_call *call = ch->call;
    cv_err err = {.arena = call->arena};
    const cv_chat_header *h = &ch->view.header;
    bool archive = cv_json_get_true(call->input, "archive");
    cv_chat_draft draft = {.type = c->acks ? ack_type : request_type, .at = cv_call_now(call)};
    if (!cv_chat_person(call, h, "from", &c->from))
        return false;
    c->from = draft.from = cv_arena_copy(call->arena, c->from);
    ch->ctx = c;
    ch->put = put;
    ch->result = result;
    if (!load(c, ch, &err))
        return cv_call_fail(call, &err);
    if (cv_chat_may_repeat(call) && said_before(c))
        return repeat(ch, c);
    if (!check(c, h))
        return false;
    cv_chat_change_queue(ch);
    draft.re = c->acks ? c->request.number : 0;
    cv_str note = cv_json_get_text(call->input, "note");
    draft.body =
        cv_arena_printf(call->arena, "%s:%s", c->acks ? "ARCHIVE_DECISION" : "ARCHIVE_SUGGEST", archive ? "YES" : "NO");
    if (note.n)
        draft.body = cv_arena_join(call->arena, cv_arena_join(call->arena, draft.body, CV_STR("\n")), note);
    c->told.message = cv_chat_number_print(call->arena, cv_chat_change_send(ch, &draft, call->who.standing)->number);
    count_waiting(c, h);
    bool closed = c->told.waiting_count == 0;
    c->told.status = closed ? CV_STR("CLOSED") : CV_STR("OPEN");
    c->digest = closed && c->policy.archive && all_want_digest(c, archive);
    if (c->digest && !cv_chat_view_read_all(&ch->view, &err))
        return cv_call_fail(call, &err);
    if (closed)
        cv_chat_edit_view(&ch->edits, call->arena, ch->view.header.text, ch->view.header.status, CV_STR("CLOSED"));
    return cv_chat_change_commit(ch, CV_STR("chat close"));
}

bool cv_chat_close(cv_call *call)
{
    closing c = {.call = call, .acks = cv_str_eq(cv_json_get_text(call->input, "step"), CV_STR("ack"))};
    cv_chat_place place;
    bool done;
    if (!cv_chat_find(call, &place) || !cv_chat_policy_load(call, &place.folder, &c.policy))
        return false;
    c.told.chat_id = place.id;
    if (!cv_chat_begin_request(call, &place, CV_STR("chat close"), &done))
        return false;
    if (done)
        return true;
    cv_chat_settle(call, &place);
    return cv_chat_change_run(call, &place, say, &c);
}
