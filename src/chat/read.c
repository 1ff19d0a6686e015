/* read.c - what is new for one participant: looked at (peek), or taken and marked (read).
 *
 *     # - Validator@ada: 12        ->  # - Validator@ada: 17       the line count of the file, what wc -l says
 *     … | FLAG:UNREAD | …          ->  … | FLAG:READ | …           when everybody it goes to has read it
 *
 * Both changes happen in one locked step. Who has nothing new changes nothing. The record keeps the answer: a reader
 * that was killed before using it asks for it again.
 */
#include "chat/answer.h"
#include "chat/change.h"
#include "chat/operations.h"
#include "chat/words/errors.h"
#include "kit/fault.h"
#include "record/hash.h"

typedef struct {
    cv_str chat_id, as;
    cv_chat_tellings messages;
    int64_t line;        /* Last read, afterwards */
    int64_t first, last; /* numbers of the messages; absent: none */
    size_t more;
    bool locked;
    cv_notices warnings;
    cv_str text;
} answer;

#define CV_THIS_TYPE answer
static const cv_shape common_shape[] = {
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_FIELD(ALWAYS, as, "for whom"),
    CV_LIST("messages", messages.items, messages.count, cv_chat_message_shape, "new ones for this participant"),
    CV_FIELD_AS(ALWAYS, "last_read", line, "the participant's pointer: lines of the file"),
    CV_FIELD_AS(IF_ANY, "more", more, "that are new, too: ask again"),
    CV_FIELD(IF_ANY, locked, "somebody is writing: the last message may be incomplete"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "warnings"),
    CV_PRINTED(text, "the messages as a page"),
    {0},
};
const cv_shape cv_chat_peek_shape[] = {CV_SPREAD_SAME(common_shape), {0}};
const cv_shape cv_chat_read_shape[] = {CV_SPREAD_SAME(common_shape), CV_WRITTEN_FROM(0, "chat"), CV_TRIED, {0}};
#undef CV_THIS_TYPE

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static void print_page(const cv_call *call, answer *a)
{
    cv_buf out = {0};
    if (!call->for_people)
        return;
    if (a->messages.count == 0)
        cv_buf_printf(&out, "nothing new for %.*s in chat %.*s\n", CV_FMT(a->as), CV_FMT(a->chat_id));
    cv_chat_page(&out, &a->messages, call->width);
    if (a->more)
        cv_buf_printf(&out, "\n%zu more are new: ask again\n", a->more);
    cv_chat_page_warnings(&out, &a->warnings, call->width);
    a->text = cv_buf_take(&out, call->arena);
}

/* Those that go to the participant, at most `limit` of them. *ret_cut: how many messages of the region are taken. */
static void choose(cv_call *call, const cv_chat_region *r, cv_str who, answer *a, size_t *ret_cut)
{
    size_t limit = (size_t)cv_json_get_int(call->input, "limit", 0);
    *ret_cut = r->messages.all.count;
    for (size_t i = 0; i < r->messages.all.count; i++) {
        const cv_chat_message *m = &r->messages.all.items[i];
        if (!cv_chat_is_for(m->from, m->tags, who))
            continue;
        if (limit && a->messages.count == limit) {
            *ret_cut = a->more++ ? *ret_cut : i;
            continue;
        }
        cv_chat_tell(call->arena, &a->messages, m);
        a->first = a->first == CV_ABSENT ? m->number : a->first;
        a->last = m->number;
    }
}

static answer begin(const cv_chat_place *place, cv_str who)
{
    return (answer){.chat_id = place->id, .as = who, .first = CV_ABSENT, .last = CV_ABSENT};
}

bool cv_chat_peek(cv_call *call)
{
    cv_chat_place place;
    cv_chat_view view;
    cv_chat_region region;
    cv_err err = {.arena = call->arena};
    cv_notices warnings = {0};
    cv_str who;
    size_t cut;
    if (!cv_chat_find(call, &place) || !cv_chat_look(call, &place, &view, &warnings))
        return false;
    bool ok = cv_chat_person(call, &view.header, "as", &who);
    if (ok && !cv_chat_region_of(&view, who, &region, &err))
        ok = cv_call_fail(call, &err);
    if (ok) {
        answer a = begin(&place, who);
        choose(call, &region, who, &a, &cut);
        a.line = region.read && region.read->line > 0 ? region.read->line : 0;
        a.locked = view.locked;
        a.warnings = warnings;
        print_page(call, &a);
        cv_shape_write(&(cv_json_writer){.out = call->out}, cv_chat_peek_shape, &a);
    }
    cv_chat_view_close(&view);
    return ok;
}

/* ---- taking ------------------------------------------------------------------------------------------------------ */

typedef struct {
    cv_str who;
    cv_chat_region region;
    answer told;
} reading;

/* What all have read now is marked so. */
static void mark(cv_chat_change *ch, const reading *r, size_t cut)
{
    for (size_t i = 0; i < cut; i++) {
        const cv_chat_message *m = &r->region.messages.all.items[i];
        if (cv_str_eq(m->flag, CV_STR("UNREAD")) &&
            cv_chat_all_read(&ch->view.header, m, r->region.line + m->line, r->who))
            cv_chat_edit_add(&ch->edits, ch->call->arena, r->region.at + (size_t)(m->flag.p - r->region.text.p),
                             m->flag.n, CV_STR("READ"));
    }
}

/* The pointer moves to the end, or in front of the first message that was left. */
static void move_pointer(cv_chat_change *ch, reading *r, size_t cut)
{
    cv_arena *a = ch->call->arena;
    const cv_chat_header *h = &ch->view.header;
    bool whole = cut == r->region.messages.all.count;
    int64_t line =
        whole ? cv_chat_change_lines(ch, &r->region) : r->region.line + r->region.messages.all.items[cut].line - 1;
    line += r->region.read ? 0 : 1;
    cv_str digits = cv_arena_printf(a, "%lld", (long long)line);
    if (r->region.read)
        cv_chat_edit_view(&ch->edits, a, h->text, r->region.read->number, digits);
    else
        cv_chat_edit_add(&ch->edits, a, h->pointers_end, 0,
                         cv_arena_printf(a, "# - %.*s: %.*s\n", CV_FMT(r->who), CV_FMT(digits)));
    for (size_t i = 0; !r->region.read && i < h->pointers.count; i++) /* one more line above what they have read */
        if (h->pointers.items[i].line >= h->lines)
            cv_chat_edit_view(&ch->edits, a, h->text, h->pointers.items[i].number,
                              cv_arena_printf(a, "%lld", (long long)h->pointers.items[i].line + 1));
    r->told.line = line;
    if (whole) {
        ch->reader = r->who;
        ch->reader_line = line;
    }
}

static void put(cv_chat_change *ch, cv_writing *w)
{
    const reading *r = ch->ctx;
    cv_event_row *e = cv_writing_event(w, CV_STR("participant"), r->who, CV_STR("read"));
    e->actors = cv_arena_printf(w->arena, "[\"%.*s\"]", CV_FMT(r->who));
    e->data = cv_arena_printf(w->arena, "{\"last_read\":%lld,\"messages\":%zu}", (long long)r->told.line,
                              r->told.messages.count);
}

static cv_str result(cv_chat_change *ch)
{
    reading *r = ch->ctx;
    r->told.warnings = ch->warnings;
    print_page(ch->call, &r->told);
    return cv_shape_text(ch->call->arena, cv_chat_read_shape, &r->told);
}

static bool take(cv_chat_change *ch, void *ctx)
{
    cv_call *call = ch->call;
    cv_err err = {.arena = call->arena};
    reading *r = CV_NEW(call->arena, reading);
    size_t cut;
    (void)ctx;
    if (!cv_chat_person(call, &ch->view.header, "as", &r->who))
        return false;
    r->who = cv_arena_copy(call->arena, r->who);
    if (!cv_chat_region_of(&ch->view, r->who, &r->region, &err))
        return cv_call_fail(call, &err);
    r->told = begin(ch->place, r->who);
    choose(call, &r->region, r->who, &r->told, &cut);
    mark(ch, r, cut);
    move_pointer(ch, r, cut);
    ch->ctx = r;
    ch->put = put;
    ch->result = result;
    ch->commit_first = true;
    return cv_chat_change_commit(ch, CV_STR("chat read"));
}

/* Nothing is new: then nothing is written. */
static bool is_read_already(cv_call *call, const cv_chat_place *place, bool *ret_done)
{
    cv_chat_view view;
    cv_chat_region region;
    cv_err err = {.arena = call->arena};
    answer a = begin(place, CV_STR(""));
    *ret_done = false;
    if (!cv_chat_look(call, place, &view, &a.warnings))
        return false;
    bool ok = cv_chat_person(call, &view.header, "as", &a.as);
    if (ok && !cv_chat_region_of(&view, a.as, &region, &err))
        ok = cv_call_fail(call, &err);
    if (ok && !view.locked && region.text.n == 0 && region.read && region.read->line == cv_chat_lines(&region)) {
        a.line = region.read->line;
        print_page(call, &a);
        cv_request_answer(call, &(cv_outcome){.rev = view.has_row ? view.row.rev : 0,
                                              .result = cv_shape_text(call->arena, cv_chat_read_shape, &a)});
        *ret_done = true;
    }
    cv_chat_view_close(&view);
    return ok;
}

/* ---- once more --------------------------------------------------------------------------------------------------- */

enum { READS_LOOKED_AT = 100 }; /* back to one that gave messages; others only move the pointer past own ones */

/* The newest first. */
static bool see_read(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    const cv_event_row *e = row;
    int64_t *ret_rev = ctx;
    bool empty = cv_str_ends(e->data, CV_STR("\"messages\":0}"));
    (void)scope, (void)err;
    if (!*ret_rev && cv_str_eq(e->event_type, CV_STR("read")) && !empty)
        *ret_rev = e->rev;
    return true;
}

/* The answer of the last read that had messages; without one the answer has none. */
static bool last_answer(cv_call *call, const cv_chat_place *place, const answer *a, cv_outcome *ret, cv_err *err)
{
    const cv_event_row like = {.subject_id = a->as};
    const cv_find find = {.type = &cv_event_row_type,
                          .scope = place->scope,
                          .index = cv_events_by_subject,
                          .like = &like,
                          .equal = 1,
                          .descending = true,
                          .limit = READS_LOOKED_AT};
    cv_commit_row commit;
    int64_t rev = 0;
    bool found = false;
    *ret = (cv_outcome){.result = cv_shape_text(call->arena, cv_chat_read_shape, a)};
    if (!call->record->calls->find(call->record, &find, see_read, &rev, err))
        return false;
    if (rev && !cv_record_commit_at(call->record, call->arena, place->scope, rev, &commit, &found, err))
        return false;
    if (found)
        *ret = (cv_outcome){.rev = rev, .result = commit.result, .replayed = true};
    return true;
}

static bool read_again(cv_call *call, const cv_chat_place *place)
{
    cv_chat_view view;
    cv_outcome outcome;
    cv_err err = {.arena = call->arena};
    answer a = begin(place, CV_STR(""));
    if (!cv_chat_look(call, place, &view, &a.warnings))
        return false;
    bool ok = cv_chat_person(call, &view.header, "as", &a.as);
    const cv_chat_pointer *pointer = ok ? cv_chat_pointer_of(&view.header, a.as) : NULL;
    a.line = pointer && pointer->line > 0 ? pointer->line : 0;
    if (ok)
        print_page(call, &a);
    if (ok && !last_answer(call, place, &a, &outcome, &err))
        ok = cv_call_fail(call, &err);
    cv_chat_view_close(&view);
    if (ok && cv_is_redacted(outcome.result, NULL)) {
        cv_refuse(call, CV_ERR_REDACTED, CV_STR(""), "reread", CV_STR(""), "the last answer was redacted");
        return false;
    }
    if (ok)
        cv_request_answer(call, &outcome);
    return ok;
}

bool cv_chat_read(cv_call *call)
{
    cv_chat_place place;
    bool done;
    if (!cv_chat_find(call, &place))
        return false;
    if (cv_json_get_true(call->input, "reread"))
        return read_again(call, &place);
    if (!cv_chat_begin_request(call, &place, CV_STR("chat read"), &done))
        return false;
    if (done)
        return true;
    if (!is_read_already(call, &place, &done))
        return false;
    return done || cv_chat_change_run(call, &place, take, NULL);
}
