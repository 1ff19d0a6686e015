/* change.c - one change of a chat, under its lock; see change.h. */
#include "chat/change.h"

#include <assert.h>

#include "base/file.h"
#include "base/move.h"
#include "chat/words/errors.h"
#include "chat/words/limits.h"
#include "kit/fault.h"
#include "record/hash.h"

int64_t cv_chat_wait_ms(const cv_call *call)
{
    return cv_json_get_int(call->input, "wait", CV_CHAT_WAIT) * 1000;
}

/* ---- beginning --------------------------------------------------------------------------------------------------- */

/* What is written begins on a line of its own. */
static bool end_line(cv_chat_change *ch, cv_err *err)
{
    char last = '\n';
    off_t size = ch->view.st.st_size;
    if (size > 0 && cv_read_bytes(ch->view.fd, size - 1, &last, 1) != 1)
        return cv_err_set(err, CV_ERR_IO, "cannot read the end of the chat '%.*s'", CV_FMT(ch->place->id));
    if (last != '\n')
        cv_buf_add_char(&ch->tail, '\n');
    return true;
}

static bool refuse_queued(const cv_chat_change *ch, const cv_chat_queued_row *q, cv_str *ret_reason)
{
    if (!cv_chat_is_open(&ch->view.header))
        *ret_reason = CV_STR("the chat was closed before it could be delivered");
    else if (!cv_chat_has_person(&ch->view.header, q->sender))
        *ret_reason = CV_STR("the sender has left the chat");
    else
        return false;
    return true;
}

/* One of those that the record will find in the file is not sent again. */
static bool is_there_already(const cv_chat_change *ch, const cv_chat_queued_row *q)
{
    for (size_t i = 0; i < ch->found.fresh.count; i++) {
        const cv_chat_message_row *m = &ch->found.fresh.items[i];
        if (cv_str_eq(m->sender, q->sender) && cv_str_eq(m->type, q->type) && cv_str_eq(m->sent_at, q->sent_at))
            return true;
    }
    return false;
}

void cv_chat_change_queue(cv_chat_change *ch)
{
    assert(ch->locked);
    for (size_t i = 0; i < ch->view.queue.count; i++) {
        cv_chat_queued_row *q = &ch->view.queue.items[i];
        if (is_there_already(ch, q))
            continue;
        if (refuse_queued(ch, q, &q->reason)) {
            q->state = CV_STR("refused");
            continue;
        }
        const cv_chat_draft draft = {.from = q->sender,
                                     .type = q->type,
                                     .tags = q->tags,
                                     .at = q->sent_at,
                                     .behalf = q->behalf,
                                     .re = q->reply_to > 0 ? q->reply_to : 0,
                                     .body = q->body};
        q->number = cv_chat_change_send(ch, &draft, q->standing)->number;
        q->state = CV_STR("delivered");
    }
}

bool cv_chat_is_original(const cv_chat_view *view, cv_err *err)
{
    const cv_chat_place *place = view->place;
    if (cv_str_eq(view->header.id, place->id))
        return true;
    cv_str named = cv_excerpt(err->arena, view->header.id);
    cv_err_set(err, CV_ERR_CHAT_HEADER,
               "the header says Chat ID '%.*s', the file is '%s': it may be a copy of that chat", CV_FMT(named),
               place->name);
    cv_err_file(err, place->scope.name);
    cv_err_suggest(err, cv_arena_printf(err->arena,
                                        "write to the chat '%.*s'; or, if this is a chat of its own, write '# Chat ID: "
                                        "%.*s' into it",
                                        CV_FMT(named), CV_FMT(place->id)));
    return false;
}

cv_lock_result cv_chat_change_begin(cv_call *call, const cv_chat_place *place, int64_t wait_ms, cv_chat_change *ch,
                                    cv_err *err)
{
    *ch = (cv_chat_change){.call = call, .place = place, .dry = cv_json_get_true(call->input, "dry_run")};
    ch->lock = (cv_chat_lock){.folder = -1, .wf = -1, .lock = -1, .file = -1, .fresh = -1};
    ch->view.fd = -1;
    cv_lock_result result = CV_LOCK_HELD;
    if (!ch->dry)
        result = cv_chat_lock_take(call, place, wait_ms, &ch->lock, err);
    if (result != CV_LOCK_HELD)
        return result;
    bool ok =
        ch->dry ? cv_chat_view_open(call, place, &ch->view, err) : cv_chat_view_locked(call, &ch->lock, &ch->view, err);
    if (!ok || !cv_chat_is_original(&ch->view, err) || !cv_chat_compare(&ch->view, false, &ch->found, err) ||
        !end_line(ch, err))
        return CV_LOCK_FAILED;
    ch->locked = true;
    ch->chain = ch->found.chain;
    ch->next = cv_chat_next_number(&ch->view);
    cv_chat_warn(&ch->view, &ch->found, &ch->warnings);
    return CV_LOCK_HELD;
}

void cv_chat_change_end(cv_chat_change *ch)
{
    cv_chat_view_close(&ch->view);
    cv_chat_lock_end(&ch->lock);
    cv_buf_release(&ch->tail);
}

bool cv_chat_change_run(cv_call *call, const cv_chat_place *place, bool (*make)(cv_chat_change *change, void *ctx),
                        void *ctx)
{
    cv_chat_change ch;
    cv_err err = {.arena = call->arena};
    bool held = cv_chat_change_begin(call, place, cv_chat_wait_ms(call), &ch, &err) == CV_LOCK_HELD;
    bool ok = held ? make(&ch, ctx) : cv_call_fail(call, &err);
    cv_chat_change_end(&ch);
    return ok;
}

cv_chat_message_row *cv_chat_change_send(cv_chat_change *ch, const cv_chat_draft *draft, cv_str standing)
{
    assert(ch->locked && ch->next > 0);
    cv_arena *a = ch->call->arena;
    size_t from = ch->tail.n;
    cv_chat_messages one;
    cv_chat_message_print(&ch->tail, ch->next, draft);
    cv_str text = cv_arena_copy(a, cv_str_from(cv_buf_str(&ch->tail), from));
    cv_chat_messages_parse(a, text, ch->next - 1, NULL, NULL, &one);
    assert(one.all.count == 1 && one.odd.count == 0 && "what is written is read as one message");
    assert(one.all.items[0].number == ch->next);
    cv_chat_message_row *row = CV_PUSH(a, &ch->sent);
    *row = cv_chat_message_row_of(&ch->view, &one.all.items[0], &ch->chain, cv_call_now(ch->call));
    row->origin = CV_STR("sent");
    row->standing = standing.n ? standing : (cv_str){NULL, 0};
    ch->next++;
    return row;
}

int64_t cv_chat_change_lines(cv_chat_change *ch, const cv_chat_region *region)
{
    return cv_chat_lines(region) + cv_chat_line_count(cv_buf_str(&ch->tail));
}

/* ---- the record's part ------------------------------------------------------------------------------------------- */

/* The header as it is in the new version. */
static cv_chat_header new_header(cv_chat_change *ch)
{
    cv_arena *a = ch->call->arena;
    cv_chat_edits edits = {0};
    cv_chat_header header;
    cv_err err = {.arena = a};
    for (size_t i = 0; i < ch->edits.count && ch->edits.items[i].at <= ch->view.header.text.n; i++) {
        const cv_chat_edit *e = &ch->edits.items[i];
        if (e->at < ch->view.header.text.n || e->n == 0)
            *CV_PUSH(a, &edits) = *e;
    }
    cv_str text = cv_chat_edit_apply(a, &edits, ch->view.header.text);
    bool ok = cv_chat_header_parse(a, text, &header, &err);
    assert(ok);
    (void)ok;
    return header;
}

/* The record says so already: most changes leave most pointers where they are. */
static bool is_kept(const cv_chat_view *v, const cv_chat_pointer_row *row)
{
    for (size_t i = 0; i < v->pointers.count; i++) {
        const cv_chat_pointer_row *kept = &v->pointers.items[i];
        if (cv_str_eq(kept->participant, row->participant))
            return kept->line == row->line && kept->place == row->place && kept->number == row->number;
    }
    return false;
}

/* Where pointers are in the new version, those that were elsewhere. */
static void new_pointers(cv_chat_change *ch, const cv_chat_header *header, cv_chat_pointer_rows *ret)
{
    size_t old = ch->view.header.text.n, kept = 0;
    cv_chat_pointers_of(&ch->view, ret);
    for (size_t i = 0; i < ret->count; i++) {
        cv_chat_pointer_row row = ret->items[i];
        const cv_chat_pointer *now = ch->rebuilt ? cv_chat_pointer_of(header, row.participant) : NULL;
        if (row.place >= 0)
            row.place = (int64_t)(cv_chat_edit_moved(&ch->edits, old + (size_t)row.place) - header->text.n);
        if (now) /* restored: the line that goes with the message; where that is, the next look finds */
            row.line = now->line - header->lines, row.place = -1;
        if (!cv_str_eq(row.participant, ch->reader) && !is_kept(&ch->view, &row))
            ret->items[kept++] = row;
    }
    ret->count = kept;
    if (ch->reader.p)
        *CV_PUSH(ch->call->arena, ret) = (cv_chat_pointer_row){.participant = ch->reader,
                                                               .line = ch->reader_line - header->lines,
                                                               .place = ch->lock.st.st_size - (int64_t)header->text.n,
                                                               .number = ch->next - 1};
}

/* Which file it is now, and where the pointers are in it. */
static void put_volatile(cv_chat_change *ch, cv_writing *w, const cv_chat_header *header)
{
    cv_chat_pointer_rows rows;
    new_pointers(ch, header, &rows);
    for (size_t i = 0; i < rows.count; i++)
        cv_writing_put(w, &cv_chat_pointer_row_type, &rows.items[i]);
    cv_writing_put(w, &cv_chat_seen_row_type,
                   &(cv_chat_seen_row){.chat_id = ch->place->id, .file = cv_chat_fingerprint(w->arena, &ch->lock.st)});
}

/* The same outside of a write. */
static bool keep_volatile(cv_call *call, const cv_chat_place *place, const cv_chat_pointer_rows *rows,
                          const struct stat *st)
{
    cv_err err = {.arena = call->arena};
    const cv_chat_seen_row seen = {.chat_id = place->id, .file = cv_chat_fingerprint(call->arena, st)};
    const cv_rows pointers = {&cv_chat_pointer_row_type, rows->items, rows->count};
    const cv_rows file = {&cv_chat_seen_row_type, &seen, 1};
    cv_record *record = call->record;
    return (rows->count == 0 || record->calls->keep(record, place->scope, &pointers, &err)) &&
           record->calls->keep(record, place->scope, &file, &err);
}

static void put_rows(cv_chat_change *ch, cv_writing *w)
{
    cv_chat_header header = new_header(ch);
    cv_chat_witness_put(w, &ch->view, &ch->found);
    for (size_t i = 0; i < ch->sent.count; i++) {
        const cv_chat_message_row *m = &ch->sent.items[i];
        cv_writing_put(w, &cv_chat_message_row_type, m);
        cv_event_row *e =
            cv_writing_event(w, CV_STR("message"), cv_chat_number_print(w->arena, m->number), CV_STR("sent"));
        e->actors = cv_arena_printf(w->arena, "[\"%.*s\"]", CV_FMT(m->sender));
    }
    for (size_t i = 0; i < ch->view.queue.count; i++)
        if (!cv_str_eq(ch->view.queue.items[i].state, CV_STR("queued"))) {
            cv_writing_put(w, &cv_chat_queued_row_type, &ch->view.queue.items[i]);
            if (cv_str_eq(ch->view.queue.items[i].state, CV_STR("refused")))
                cv_writing_event(w, CV_STR("chat"), ch->place->id, CV_STR("refused"))->reason =
                    ch->view.queue.items[i].reason;
        }
    assert(ch->sent.count == 0 || ch->sent.items[ch->sent.count - 1].number == ch->next - 1);
    int64_t messages = ch->sent.count ? ch->next - 1 : ch->found.messages;
    cv_chat_row_put(w, &ch->view, &header, messages, ch->chain);
    if (ch->put)
        ch->put(ch, w);
    if (ch->lock.published)
        put_volatile(ch, w, &header);
}

/* ---- committing -------------------------------------------------------------------------------------------------- */

static bool check_rev(cv_call *call, const cv_writing *w)
{
    const cv_json *given = cv_json_get(call->input, CV_STR("expect_rev"));
    int64_t expected;
    if (!given || !cv_json_to_int(given, &expected) || expected == w->at.rev)
        return true;
    cv_err *fault = cv_errs_add(call->errs, call->arena, CV_ERR_REV_CONFLICT, "the chat is at rev %lld, not at %lld",
                                (long long)w->at.rev, (long long)expected);
    cv_err_field(fault, CV_STR("expect_rev"));
    cv_err_suggest(fault, CV_STR("read the chat again and send the request with its present rev"));
    return false;
}

static bool is_changed(const cv_chat_change *ch)
{
    return ch->edits.count || ch->tail.n;
}

static void warn_late(cv_chat_change *ch)
{
    if (ch->lock.late)
        cv_notice_add(
            &ch->warnings, ch->call->arena, CV_STR("late_text"),
            "somebody wrote to the chat without its lock: their version is kept in %s; send what is missing in "
            "the chat again",
            ch->lock.late);
}

static bool work(cv_call *call, cv_writing *w, void *ctx, cv_str *ret_result)
{
    cv_chat_change *ch = ctx;
    cv_err err = {.arena = call->arena};
    if (!check_rev(call, w))
        return false;
    if (!ch->dry && !ch->commit_first && is_changed(ch) && cv_chat_lock_publish(&ch->lock, &err) != CV_LOCK_HELD)
        return cv_call_fail(call, &err);
    warn_late(ch);
    put_rows(ch, w);
    *ret_result = ch->result(ch);
    return true;
}

/* The message is in the file, and the file is the truth: the record sees it at the next call. */
static void answer_unwitnessed(cv_chat_change *ch, const cv_err *why)
{
    cv_notice_add(&ch->warnings, ch->call->arena, CV_STR("witness_behind"),
                  "the file was changed; the record could not be written (%.*s) and will see it at the next call",
                  CV_FMT(why->message));
    cv_buf_clear(ch->call->out);
    cv_request_answer(ch->call,
                      &(cv_outcome){.rev = ch->view.has_row ? ch->view.row.rev : 1, .result = ch->result(ch)});
}

/* After the commit: the new version becomes the chat. The request was done, whatever becomes of this. */
static void publish_late(cv_chat_change *ch)
{
    assert(ch->commit_first && !ch->lock.published && "it is published once");
    cv_err err = {.arena = ch->call->arena};
    cv_chat_pointer_rows rows;
    if (!is_changed(ch) || cv_chat_lock_publish(&ch->lock, &err) != CV_LOCK_HELD)
        return;
    cv_chat_header header = new_header(ch);
    new_pointers(ch, &header, &rows);
    keep_volatile(ch->call, ch->place, &rows, &ch->lock.st);
}

bool cv_chat_change_commit(cv_chat_change *ch, cv_str operation)
{
    assert(ch->locked && ch->result);
    cv_call *call = ch->call;
    cv_err err = {.arena = call->arena};
    size_t faults = call->errs->count;
    if (!ch->dry && is_changed(ch) && !cv_chat_lock_write(&ch->lock, &ch->edits, cv_buf_str(&ch->tail), &err))
        return cv_call_fail(call, &err);
    bool done = cv_request_locked(call, operation, ch->place->scope, work, ch);
    if (done && ch->commit_first && !ch->dry)
        publish_late(ch);
    if (!done && ch->lock.published) {
        cv_err_copy(&err, &call->errs->items[faults]);
        call->errs->count = faults;
        answer_unwitnessed(ch, &err);
        done = true;
    }
    if (done && !cv_chat_lock_sync(&ch->lock, &err))
        return cv_call_fail(call, &err);
    return done;
}

bool cv_chat_may_repeat(const cv_call *call)
{
    return cv_json_get(call->input, CV_STR("op_id")) != NULL;
}

bool cv_chat_change_repeated(cv_chat_change *ch)
{
    assert(ch->locked && ch->result);
    int64_t rev = ch->view.has_row ? ch->view.row.rev : 1;
    cv_request_answer(ch->call, &(cv_outcome){.rev = rev, .result = ch->result(ch), .replayed = true});
    return true;
}

bool cv_chat_begin_request(cv_call *call, const cv_chat_place *place, cv_str operation, bool *ret_done)
{
    cv_outcome before;
    cv_err err = {.arena = call->arena};
    cv_request_begin(call, operation);
    if (!cv_request_replayed(call, place->scope, &before, &err))
        return cv_call_fail(call, &err);
    *ret_done = before.replayed;
    if (before.replayed) {
        cv_chat_settle(call, place);
        cv_request_answer(call, &before);
    }
    return true;
}

/* ---- before every call ------------------------------------------------------------------------------------------- */

/* A write of nobody's request. */
static bool commit_own(cv_chat_change *ch, cv_err *err)
{
    cv_call *call = ch->call;
    cv_writing w;
    cv_written written;
    cv_str op_id = cv_arena_printf(call->arena, "chat-%s", cv_file_unique(call->arena));
    const cv_request request = {op_id, cv_hash_text(call->arena, op_id), CV_STR("chat settle")};
    if (!cv_writing_begin(&w, call->record, call->arena, ch->place->scope, op_id, cv_call_now(call), err))
        return false;
    bool ok = w.now.p && (!is_changed(ch) || cv_chat_lock_publish(&ch->lock, err) == CV_LOCK_HELD);
    if (ok) {
        put_rows(ch, &w);
        ok = cv_writing_is_empty(&w) || cv_writing_commit(&w, &request, CV_STR("{}"), &written, err);
    }
    cv_writing_end(&w);
    return cv_chat_lock_sync(&ch->lock, err) && ok;
}

void cv_chat_deliver(cv_call *call, const cv_chat_place *place, int64_t wait_ms)
{
    cv_chat_change ch;
    cv_err err = {.arena = call->arena};
    if (cv_json_get_true(call->input, "dry_run"))
        return;
    if (cv_chat_change_begin(call, place, wait_ms, &ch, &err) == CV_LOCK_HELD) {
        cv_chat_change_queue(&ch);
        if (!is_changed(&ch) || cv_chat_lock_write(&ch.lock, &ch.edits, cv_buf_str(&ch.tail), &err))
            commit_own(&ch, &err);
    }
    cv_chat_change_end(&ch);
}

/* What the record has not seen yet; the turn keeps our own writers from committing in between. */
static void take_in(cv_call *call, const cv_chat_place *place)
{
    cv_chat_lock turn;
    cv_chat_view view = {.fd = -1};
    cv_chat_compared found;
    cv_err err = {.arena = call->arena};
    cv_writing w;
    cv_written written;
    bool ok = cv_chat_lock_turn(call, place, 0, &turn, &err) == CV_LOCK_HELD &&
              cv_chat_view_open(call, place, &view, &err) && !view.locked && !view.known &&
              cv_chat_compare(&view, false, &found, &err);
    cv_str op_id = cv_arena_printf(call->arena, "chat-%s", cv_file_unique(call->arena));
    if (ok && cv_writing_begin(&w, call->record, call->arena, place->scope, op_id, cv_call_now(call), &err)) {
        const cv_request request = {op_id, cv_hash_text(call->arena, op_id), CV_STR("chat witness")};
        bool any = cv_chat_witness_put(&w, &view, &found);
        ok = !any || (w.now.p && cv_writing_commit(&w, &request, CV_STR("{}"), &written, &err));
        cv_writing_end(&w);
        cv_chat_pointer_rows rows;
        cv_chat_pointers_of(&view, &rows);
        if (ok)
            keep_volatile(call, place, &rows, &view.st);
    }
    cv_chat_view_close(&view);
    cv_chat_lock_end(&turn);
}

static void settle(cv_call *call, const cv_chat_view *view)
{
    if (view->queue.count > 0)
        cv_chat_deliver(call, view->place, 0);
    if (!view->known || view->locked)
        take_in(call, view->place);
}

void cv_chat_settle(cv_call *call, const cv_chat_place *place)
{
    cv_chat_view view;
    cv_err err = {.arena = call->arena};
    bool seen = cv_chat_view_open(call, place, &view, &err);
    cv_chat_view_close(&view);
    if (seen)
        settle(call, &view);
}

static bool open_view(cv_call *call, const cv_chat_place *place, cv_chat_view *ret)
{
    cv_err err = {.arena = call->arena};
    if (cv_chat_view_open(call, place, ret, &err))
        return true;
    cv_chat_view_close(ret);
    return cv_call_fail(call, &err);
}

bool cv_chat_look(cv_call *call, const cv_chat_place *place, cv_chat_view *ret, cv_notices *warnings)
{
    cv_err err = {.arena = call->arena};
    cv_chat_compared found;
    if (!open_view(call, place, ret))
        return false;
    if (!ret->known || ret->locked || ret->queue.count) {
        cv_chat_view_close(ret);
        settle(call, ret);
        if (!open_view(call, place, ret))
            return false;
    }
    if (!cv_chat_compare(ret, false, &found, &err)) {
        cv_chat_view_close(ret);
        return cv_call_fail(call, &err);
    }
    cv_chat_warn(ret, &found, warnings);
    if (ret->locked)
        cv_notice_add(warnings, call->arena, CV_STR("chat_locked"),
                      "somebody is writing to the chat: its last message may be incomplete");
    return true;
}
