/* check.c - what is wrong with chats: all findings at once.
 *
 *     file      header, names, locks             history   what the record saw, compared with the file
 *     messages  heads that are none, senders     consult   fields, domains, batches, answers
 *
 * With `restore` history is put back as the record saw it: altered and vanished messages get their original text, what
 * was inserted is sent again at the end under a new number, and pointers stay behind the same messages. What stood
 * there instead is kept in the record.
 */
#include "base/folder.h"
#include "base/utf8.h"
#include "chat/all_chats.h"
#include "chat/answer.h"
#include "chat/change.h"
#include "chat/consult.h"
#include "chat/operations.h"
#include "chat/words/errors.h"
#include "kit/fault.h"
#include "record/hash.h"

typedef struct {
    cv_str chat_id, code, severity, message_id, text, hint;
    int64_t line;
} finding;

typedef struct {
    cv_call *call;
    struct {
        finding *items;
        size_t count, capacity;
    } findings;
    size_t chats, errors;
    int64_t restored;
    cv_str text;
    /* where the next finding belongs */
    cv_str chat_id;
    int64_t number;
} answer;

#define CV_THIS_TYPE finding
static const cv_shape finding_shape[] = {
    CV_FIELD(ALWAYS, code, ""),
    CV_FIELD(ALWAYS, severity, "error or warning"),
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_FIELD(IF_ANY, message_id, "M0001"),
    CV_FIELD(IF_ANY, line, "of the file"),
    CV_FIELD_AS(ALWAYS, "message", text, ""),
    CV_FIELD(IF_ANY, hint, "what to do"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE answer
const cv_shape cv_chat_check_shape[] = {
    CV_FIELD(ALWAYS, chats, "that were looked at"),
    CV_FIELD(ALWAYS, errors, ""),
    CV_LIST("findings", findings.items, findings.count, finding_shape, ""),
    CV_FIELD(IF_ANY, restored, "messages that have their original text again"),
    CV_PRINTED(text, "the findings as a page"),
    {0},
};
#undef CV_THIS_TYPE

static finding *add(answer *a, const char *code, bool error, int64_t number, cv_str text, const char *hint)
{
    finding *f = CV_PUSH(a->call->arena, &a->findings);
    *f = (finding){.chat_id = a->chat_id,
                   .code = cv_str_of(code),
                   .severity = error ? CV_STR("error") : CV_STR("warning"),
                   .message_id = number > 0 ? cv_chat_number_print(a->call->arena, number) : CV_STR(""),
                   .text = text,
                   .hint = cv_str_of(hint),
                   .line = CV_ABSENT};
    a->errors += error;
    return f;
}

static cv_str quoted(cv_arena *a, cv_str text)
{
    return cv_excerpt(a, cv_str_head(text, cv_utf8_valid(text)));
}

/* ---- the header -------------------------------------------------------------------------------------------------- */

static void check_pointers(answer *a, const cv_chat_view *v, int64_t lines)
{
    cv_arena *arena = a->call->arena;
    const cv_chat_header *h = &v->header;
    for (size_t i = 0; i < h->pointers.count; i++) {
        const cv_chat_pointer *p = &h->pointers.items[i];
        cv_str who = quoted(arena, p->who);
        if (p->line < 0)
            add(a, "pointer_invalid", true, 0, cv_arena_printf(arena, "Last read of '%.*s' has no number", CV_FMT(who)),
                "write '# - Role@Identity: 0'");
        else if (p->line > lines)
            add(a, "pointer_beyond", true, 0,
                cv_arena_printf(arena, "Last read of '%.*s' is %lld, the file has %lld lines", CV_FMT(who),
                                (long long)p->line, (long long)lines),
                "set it to the line count, or to 0");
        if (!cv_chat_has_person(h, p->who))
            add(a, "pointer_stranger", false, 0,
                cv_arena_printf(arena, "'%.*s' has a pointer, but does not take part", CV_FMT(who)),
                "remove the line, or add the participant");
    }
}

static void check_header(answer *a, const cv_chat_view *v)
{
    cv_arena *arena = a->call->arena;
    const cv_chat_header *h = &v->header;
    if (!cv_str_eq(h->id, v->place->id))
        add(a, "id_mismatch", true, 0,
            cv_arena_printf(arena, "the header says Chat ID '%.*s', the file is '%s'", CV_FMT(quoted(arena, h->id)),
                            v->place->name),
            "rename the file, or correct the header; a copy of a sync tool can be removed");
    if (h->statuses > 1 || h->ids > 1 || h->titles > 1)
        add(a, "header_double", false, 0, CV_STR("a line of the header is there twice: the first one counts"),
            "remove the other");
    for (size_t i = 0; i < h->people.count; i++) {
        cv_str who = h->people.items[i];
        if (!cv_chat_person_valid(who))
            add(a, "participant_invalid", true, 0,
                cv_arena_printf(arena, "'%.*s' is not Role@Identity", CV_FMT(quoted(arena, who))), "correct the line");
        if (!cv_chat_pointer_of(h, who))
            add(a, "pointer_missing", false, 0,
                cv_arena_printf(arena, "'%.*s' has no line below Last read", CV_FMT(quoted(arena, who))),
                "its next read adds one");
        for (size_t k = 0; k < i; k++)
            if (cv_str_eq(h->people.items[k], who))
                add(a, "participant_double", true, 0,
                    cv_arena_printf(arena, "'%.*s' takes part twice", CV_FMT(quoted(arena, who))), "remove one line");
    }
    if (v->has_row && v->row.purpose.p && !cv_str_eq(v->row.purpose, quoted(arena, h->title)) && h->title.n < 100)
        add(a, "purpose_changed", false, 0,
            cv_arena_printf(arena, "the purpose was '%.*s'", CV_FMT(quoted(arena, v->row.purpose))), "");
    check_pointers(a, v, h->lines + v->messages.lines);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void check_odd(answer *a, const cv_chat_view *v)
{
    cv_arena *arena = a->call->arena;
    for (size_t i = 0; i < v->messages.odd.count; i++) {
        const cv_chat_odd *odd = &v->messages.odd.items[i];
        cv_str text = quoted(arena, odd->line);
        finding *f;
        if (!odd->grammar)
            f = add(
                a, "malformed_head", false, odd->number,
                cv_arena_printf(arena, "this looks like the head of a message but is not one: '%.*s'", CV_FMT(text)),
                "write [M0001] FROM:Role@Identity | TYPE:… | FLAG:UNREAD | TAG:@Role");
        else
            f = add(a, odd->number < odd->expected ? "number_repeated" : "number_gap", odd->number >= odd->expected,
                    odd->number,
                    cv_arena_printf(arena, "a head with this number is here, but M%04lld is next: it is read as text",
                                    (long long)odd->expected),
                    odd->number < odd->expected ? "indent a quotation; give a message the next number"
                                                : "give the message the next number");
        f->line = v->header.lines + cv_chat_line_count(cv_str_range(v->text.p + v->header.text.n, odd->line.p)) + 1;
    }
}

static bool check_history(answer *a, cv_chat_view *v)
{
    static const cv_argument restore = {"restore", CV_STR_INIT("true"), CV_ARGUMENT_JSON};
    cv_arena *arena = a->call->arena;
    cv_chat_compared found;
    cv_err err = {.arena = arena};
    if (!cv_chat_compare(v, true, &found, &err))
        return cv_call_fail(a->call, &err);
    for (size_t i = 0; i < found.wrong.count; i++) {
        const cv_chat_alteration_row *wrong = &found.wrong.items[i];
        cv_argument shown[] = {{"message", cv_chat_number_print(arena, wrong->number), CV_ARGUMENT_TEXT},
                               {"original", CV_STR("true"), CV_ARGUMENT_JSON}};
        cv_str show = cv_call_name(a->call, CV_STR("chat show"), a->chat_id, shown, CV_COUNT(shown));
        cv_str check = cv_call_name(a->call, CV_STR("chat check"), a->chat_id, &restore, 1);
        add(a, cv_arena_printf(arena, "message_%.*s", CV_FMT(wrong->kind)).p, true, wrong->number,
            cv_chat_alteration_text(v, wrong),
            cv_arena_printf(arena, "'%.*s' shows the original, '%.*s' puts it back", CV_FMT(show), CV_FMT(check)).p);
    }
    return true;
}

static void tell_consult(void *ctx, const char *code, bool required, cv_str text)
{
    answer *a = ctx;
    add(a, code, required, a->number, text, "");
}

static bool check_consults(answer *a, cv_chat_view *v)
{
    cv_consult_state state;
    cv_err err = {.arena = a->call->arena};
    if (!cv_consult_load(a->call, v->place, &state, &err))
        return cv_call_fail(a->call, &err);
    for (int kind = 0; kind < CV_CONSULT_COUNT; kind++)
        for (size_t i = 0; i < state.kinds[kind].count; i++) {
            a->number = state.kinds[kind].items[i].number;
            cv_consult_lint(a->call, &state, (cv_consult_kind)kind, &state.kinds[kind].items[i], tell_consult, a);
        }
    return true;
}

/* ---- one chat ---------------------------------------------------------------------------------------------------- */

static void check_lock(answer *a, const cv_chat_place *place)
{
    cv_chat_holder holder;
    cv_err err = {.arena = a->call->arena};
    if (!cv_chat_lock_holder(a->call, place, &holder, &err) || holder.kind == CV_HOLDER_NONE)
        return;
    if (holder.kind == CV_HOLDER_BOTH)
        add(a, "chat_conflict", true, 0,
            cv_arena_printf(a->call->arena, "'%s' and '%s' are both there", place->name, place->editing),
            "chat unlock --force --keep file or editing");
    else
        add(a, "locked", false, 0,
            cv_arena_printf(a->call->arena, "locked by %.*s since %.*s", CV_FMT(holder.text), CV_FMT(holder.since)),
            holder.kind == CV_HOLDER_OURS ? "wait" : "chat unlock releases it; a lock taken by hand needs --force");
}

/* Versions to which somebody wrote without the lock. */
static bool check_late(answer *a, const cv_chat_place *place)
{
    cv_arena *arena = a->call->arena;
    cv_where wf = cv_where_in(arena, place->folder.where, ".wf");
    cv_folder_entries names = {0};
    cv_err err = {.arena = arena};
    struct stat st;
    cv_str begin = cv_arena_printf(arena, "%.*s%s", CV_FMT(place->id), cv_chat_late_mark);
    if (cv_where_look(wf, &st) && !cv_folder_list(arena, wf, &names, &err))
        return cv_call_fail(a->call, &err);
    for (size_t i = 0; i < names.count; i++)
        if (cv_str_starts(cv_str_of(names.items[i].name), begin))
            add(a, "late_text", false, 0,
                cv_arena_printf(arena, "somebody wrote to the chat without its lock: '.wf/%s' is their version",
                                names.items[i].name),
                "send what is missing in the chat, then remove the file");
    return true;
}

static bool check_one(answer *a, const cv_chat_place *place)
{
    cv_chat_view view;
    cv_err err = {.arena = a->call->arena};
    a->chat_id = place->id;
    a->chats++;
    cv_chat_settle(a->call, place);
    check_lock(a, place);
    if (!cv_chat_view_open(a->call, place, &view, &err) || !cv_chat_view_read_all(&view, &err)) {
        add(a, "unreadable", true, 0, err.message, cv_arena_copy_z(a->call->arena, err.suggestion));
        cv_chat_view_close(&view);
        return true;
    }
    check_header(a, &view);
    check_odd(a, &view);
    bool ok = check_late(a, place) && check_history(a, &view) && check_consults(a, &view);
    if (view.queue.count)
        add(a, "queued", false, 0,
            cv_arena_printf(a->call->arena, "waiting for the lock: %zu message%s", view.queue.count,
                            CV_PLURAL(view.queue.count)),
            "the next call delivers them, when the lock is free");
    cv_chat_view_close(&view);
    return ok;
}

/* ---- restoring --------------------------------------------------------------------------------------------------- */

/* The head as it was, with the flag that the file has now. */
static void print_original(cv_buf *out, const cv_chat_message_row *row, cv_str flag)
{
    cv_chat_message m;
    if (flag.n && cv_chat_head_parse(row->head, &m)) {
        cv_buf_add(out, cv_str_range(m.head.p, m.flag.p));
        cv_buf_add(out, flag);
        cv_buf_add(out, cv_str_range(m.flag.p + m.flag.n, cv_str_end(m.head)));
    } else {
        cv_buf_add(out, row->head);
    }
    cv_buf_add_char(out, '\n');
    cv_buf_add(out, row->body);
    cv_buf_add_z(out, row->body.n ? "\n" : "");
}

static const cv_chat_message *in_file(const cv_chat_view *v, int64_t number)
{
    for (size_t i = 0; i < v->messages.all.count; i++)
        if (v->messages.all.items[i].number == number)
            return &v->messages.all.items[i];
    return NULL;
}

static bool is_wrong(const cv_chat_compared *c, int64_t number, const char *kind)
{
    for (size_t i = 0; i < c->wrong.count; i++)
        if (c->wrong.items[i].number == number && cv_str_eq(c->wrong.items[i].kind, cv_str_of(kind)))
            return true;
    return false;
}

static bool is_fresh(const cv_chat_compared *c, int64_t number)
{
    for (size_t i = 0; i < c->fresh.count; i++)
        if (c->fresh.items[i].number == number)
            return true;
    return false;
}

/* Everything behind the header again: what the record saw, then what it had not seen. Where each message ends is noted,
 * for the pointers: ends[number] in lines of the body. */
static cv_str rebuild(cv_chat_change *ch, const cv_row_list *rows, int64_t *ends)
{
    cv_buf out = {0};
    cv_chat_view *v = &ch->view;
    size_t preamble = v->messages.all.count ? v->messages.all.items[0].start : v->text.n - v->header.text.n;
    int64_t last = 0;
    cv_str body = cv_str_from(v->text, v->header.text.n);
    cv_buf_add(&out, cv_str_head(body, preamble));
    for (size_t i = 0; i < rows->count; i++) {
        const cv_chat_message_row *row = rows->items[i];
        const cv_chat_message *now = in_file(v, row->number);
        if (now && cv_is_redacted(row->body, NULL)) /* the record does not have the text any more */
            cv_buf_add(&out, cv_str_range(body.p + now->start, body.p + now->end));
        else
            print_original(&out, row, now ? now->flag : CV_STR(""));
        last = row->number;
        ends[last] = cv_chat_line_count(cv_buf_str(&out));
    }
    for (size_t i = 0; i < v->messages.all.count; i++) {
        const cv_chat_message *m = &v->messages.all.items[i];
        if (is_fresh(&ch->found, m->number))
            cv_buf_add(&out, cv_str_range(body.p + m->start, body.p + m->end));
    }
    if (out.n && out.p[out.n - 1] != '\n')
        cv_buf_add_char(&out, '\n');
    return cv_buf_take(&out, ch->call->arena);
}

/* Each pointer stays behind the message that it was behind. */
static void keep_pointers(cv_chat_change *ch, const int64_t *ends, int64_t known)
{
    const cv_chat_header *h = &ch->view.header;
    for (size_t i = 0; i < h->pointers.count; i++) {
        const cv_chat_pointer *p = &h->pointers.items[i];
        int64_t read = 0, before = cv_chat_read_before(&ch->view, p);
        for (size_t k = 0; before < 0 && k < ch->view.messages.all.count; k++)
            if (h->lines + ch->view.messages.all.items[k].line <= p->line)
                read = ch->view.messages.all.items[k].number;
        read = before < 0 ? read : before;
        if (p->line < h->lines || read == 0)
            continue;
        int64_t line = h->lines + ends[read < known ? read : known];
        cv_chat_edit_view(&ch->edits, ch->call->arena, h->text, p->number,
                          cv_arena_printf(ch->call->arena, "%lld", (long long)line));
    }
}

static void put_restored(cv_chat_change *ch, cv_writing *w)
{
    for (size_t i = 0; i < ch->found.wrong.count; i++) {
        cv_chat_alteration_row x = ch->found.wrong.items[i];
        x.state = CV_STR("restored");
        cv_writing_put(w, &cv_chat_alteration_row_type, &x);
    }
    cv_writing_event(w, CV_STR("chat"), ch->place->id, CV_STR("restored"));
}

static cv_str nothing(cv_chat_change *ch)
{
    (void)ch;
    return CV_STR("{}");
}

/* Sent again in the name of the participant that inserted it, as the file has it. */
static void send_inserted(cv_chat_change *ch)
{
    for (size_t i = 0; i < ch->view.messages.all.count; i++) {
        const cv_chat_message *m = &ch->view.messages.all.items[i];
        if (!is_wrong(&ch->found, m->number, "inserted"))
            continue;
        const cv_chat_draft draft = {
            .from = m->from, .type = m->type, .tags = m->tags, .at = m->at, .behalf = m->behalf, .body = m->body};
        cv_chat_change_send(ch, &draft, CV_STR(""));
    }
}

static bool restore_locked(answer *a, cv_chat_change *ch)
{
    cv_call *call = a->call;
    cv_row_list rows;
    cv_err err = {.arena = call->arena};
    const cv_find find = {.type = &cv_chat_message_row_type, .scope = ch->place->scope};
    if (!cv_chat_compare(&ch->view, true, &ch->found, &err) ||
        !cv_record_rows(call->record, call->arena, &find, &rows, &err))
        return cv_call_fail(call, &err);
    if (ch->found.wrong.count == 0)
        return true;
    int64_t known = rows.count ? ((const cv_chat_message_row *)rows.items[rows.count - 1])->number : 0;
    int64_t *ends = CV_NEW_ARRAY(call->arena, (size_t)known + 1, int64_t);
    cv_str body = rebuild(ch, &rows, ends);
    size_t header = ch->view.header.text.n;
    cv_buf_clear(&ch->tail);
    ch->chain = ch->found.chain;
    ch->next = ch->found.messages + 1;
    send_inserted(ch);
    keep_pointers(ch, ends, known);
    cv_chat_edit_add(&ch->edits, call->arena, header, ch->view.text.n - header, body);
    ch->put = put_restored;
    ch->result = nothing;
    ch->rebuilt = true;
    a->restored = (int64_t)ch->found.wrong.count;
    cv_buf kept = {0}, *out = call->out;
    call->out = &kept;
    bool ok = cv_chat_change_commit(ch, CV_STR("chat check"));
    call->out = out;
    cv_buf_release(&kept);
    return ok;
}

static bool restore(answer *a, const cv_chat_place *place)
{
    cv_chat_change ch;
    cv_err err = {.arena = a->call->arena};
    cv_chat_settle(a->call, place); /* what is there instead is in the record before it goes */
    bool ok = cv_chat_change_begin(a->call, place, cv_chat_wait_ms(a->call), &ch, &err) == CV_LOCK_HELD
                  ? restore_locked(a, &ch)
                  : cv_call_fail(a->call, &err);
    cv_chat_change_end(&ch);
    return ok;
}

/* ---- the operation ----------------------------------------------------------------------------------------------- */

static void print_page(answer *a)
{
    cv_buf out = {0};
    if (a->restored > 0)
        cv_buf_printf(&out,
                      a->restored == 1 ? "1 message has its original text again\n"
                                       : "%lld messages have their original text again\n",
                      (long long)a->restored);
    for (size_t i = 0; i < a->findings.count; i++) {
        const finding *f = &a->findings.items[i];
        cv_buf_printf(&out, "%.*s%s%.*s%s%.*s: ", CV_FMT(f->chat_id), f->message_id.n ? " " : "", CV_FMT(f->message_id),
                      f->chat_id.n ? ": " : "", CV_FMT(f->severity));
        cv_buf_add(&out, f->text);
        cv_buf_printf(&out, " [%.*s]\n", CV_FMT(f->code));
        if (f->hint.n)
            cv_buf_printf(&out, "  hint: %.*s\n", CV_FMT(f->hint));
    }
    size_t warnings = a->findings.count - a->errors;
    cv_buf_printf(&out, "%zu chat%s, %zu error%s, %zu warning%s\n", a->chats, CV_PLURAL(a->chats), a->errors,
                  CV_PLURAL(a->errors), warnings, CV_PLURAL(warnings));
    a->text = cv_buf_take(&out, a->call->arena);
}

static bool check_named(answer *a)
{
    cv_chat_place place;
    if (!cv_chat_find(a->call, &place))
        return false;
    if (cv_json_get_true(a->call->input, "restore") && !restore(a, &place))
        return false;
    return check_one(a, &place);
}

static bool check_all(answer *a)
{
    cv_chat_entries all;
    if (!cv_chat_each(a->call, &all))
        return false;
    for (size_t i = 0; i < all.count; i++) {
        if (all.items[i].foreign.p) {
            a->chat_id = CV_STR("");
            add(a, "foreign_name", false, 0,
                cv_arena_printf(a->call->arena, "'%.*s' only looks like a chat: a copy of a sync tool?",
                                CV_FMT(quoted(a->call->arena, all.items[i].foreign))),
                "compare it with the chat, and move it away");
        } else if (!check_one(a, &all.items[i].place)) {
            return false;
        }
    }
    return true;
}

bool cv_chat_check(cv_call *call)
{
    answer a = {.call = call, .restored = CV_ABSENT};
    bool named = cv_json_get(call->input, CV_STR("chat_id"));
    if (!named && cv_json_get_true(call->input, "restore")) {
        cv_refuse(call, CV_ERR_MISSING_FIELD, CV_STR(""), "chat_id", CV_STR(""), "'restore' needs the chat: 'chat_id'");
        return false;
    }
    if (!(named ? check_named(&a) : check_all(&a)))
        return false;
    call->unwell = a.errors > 0;
    if (call->for_people)
        print_page(&a);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_chat_check_shape, &a);
    return true;
}
