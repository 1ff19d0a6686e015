/* witness.c - what the record has seen of a chat, compared with the file; see chat.h.
 *
 *     file      M0001 M0002 M0003' M0005 M0006         hashes in the order of the file
 *     record    M0001 M0002 M0003  M0004 M0005         hashes by number
 *               same  same  changed  M0004 vanished    M0006 is fresh
 *
 * When the chain over the first messages of the file is the record's, history is whole: that costs no row. Else all
 * rows are read, and each message is looked for by what it says without its number: so a message that was moved, or
 * pushed on by an inserted one, is distinguished from one that was changed.
 */
#include <assert.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/utf8.h"
#include "chat/chat.h"
#include "kit/request.h"
#include "record/hash.h"

/* ---- rows of messages -------------------------------------------------------------------------------------------- */

/* As the record can keep it: bytes that are not UTF-8 become U+FFFD, and nothing has the form of a redaction. */
static cv_str storable(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    if (cv_utf8_valid(text) == text.n && !cv_is_redacted(text, NULL))
        return text;
    cv_buf_add_z(&out, cv_is_redacted(text, NULL) ? " " : "");
    while (text.n) {
        size_t valid = cv_utf8_valid(text);
        cv_buf_add(&out, cv_str_head(text, valid));
        text = cv_str_from(text, valid);
        if (text.n) {
            cv_buf_add_z(&out, "\xEF\xBF\xBD");
            text = cv_str_from(text, 1);
        }
    }
    return cv_buf_take(&out, a);
}

static cv_str or_absent(cv_str text)
{
    return text.n ? text : (cv_str){NULL, 0};
}

static cv_str go_on(cv_arena *a, cv_str chain, cv_str sha256)
{
    return cv_hash_text(a, cv_arena_join(a, chain, sha256));
}

/* The hash of a message; what it takes on the way is given back. */
static cv_str hash_of(cv_arena *a, const cv_chat_message *m)
{
    char digits[CV_HASH_DIGITS];
    cv_arena scratch = {0};
    memcpy(digits, cv_hash_text(&scratch, cv_chat_lasting(&scratch, m)).p, CV_HASH_DIGITS);
    cv_arena_release(&scratch);
    return cv_arena_copy(a, (cv_str){digits, CV_HASH_DIGITS});
}

cv_chat_message_row cv_chat_message_row_of(cv_chat_view *v, const cv_chat_message *m, cv_str *chain, cv_str now)
{
    cv_chat_message_row row;
    int64_t re;
    cv_row_clear(&cv_chat_message_row_type, &row);
    row.number = m->number;
    row.sender = m->from;
    row.type = storable(v->arena, m->type);
    row.tags = or_absent(storable(v->arena, m->tags));
    row.sent_at = or_absent(storable(v->arena, m->at));
    row.reply_to = cv_chat_number_parse(m->re, &re) ? re : CV_ABSENT;
    row.behalf = or_absent(storable(v->arena, m->behalf));
    row.sha256 = hash_of(v->arena, m);
    *chain = go_on(v->arena, *chain, row.sha256);
    row.chain = *chain;
    row.origin = CV_STR("file");
    row.seen_at = now;
    row.head = storable(v->arena, m->head);
    row.body = storable(v->arena, m->body);
    return row;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* Is the history that the record knows the beginning of the file's? */
static bool is_whole(const cv_chat_view *v)
{
    assert(v->has_row);
    cv_str chain = CV_STR("");
    char last[CV_HASH_DIGITS] = "";
    if ((int64_t)v->messages.all.count < v->row.messages)
        return false;
    for (int64_t i = 0; i < v->row.messages; i++) {
        cv_arena a = {0};
        const cv_chat_message *m = &v->messages.all.items[i];
        bool dense = m->number == i + 1;
        chain = go_on(&a, chain, hash_of(&a, m));
        memcpy(last, chain.p, CV_HASH_DIGITS);
        chain = (cv_str){last, CV_HASH_DIGITS};
        cv_arena_release(&a);
        if (!dense)
            return false;
    }
    return cv_str_eq(chain, v->row.chain.p ? v->row.chain : CV_STR(""));
}

/* What a message says, without its number. */
static cv_str saying_of(cv_arena *a, const cv_chat_message *m)
{
    cv_str lasting = cv_chat_lasting(a, m);
    size_t close = cv_str_find_char(lasting, ']');
    return cv_hash_text(a, cv_str_from(lasting, close == SIZE_MAX ? 0 : close));
}

/* Is it what a redaction has left of this message: the same head, and nothing but words that stand for the text? */
static bool is_left_of(cv_arena *a, const cv_chat_message_row *row, const cv_chat_message *m)
{
    cv_chat_message was, is = *m;
    cv_str hash, rest = cv_str_trim(m->body);
    if (!cv_is_redacted(row->body, &hash) || !cv_chat_head_parse(row->head, &was) || rest.n == 0)
        return false;
    cv_str word = cv_arena_printf(a, CV_REDACTED_WORD "%.*s", CV_FMT(hash));
    while (cv_str_starts(rest, word))
        rest = cv_str_trim(cv_str_from(rest, word.n));
    was.body = is.body = CV_STR("");
    return rest.n == 0 && cv_str_eq(saying_of(a, &was), saying_of(a, &is));
}

typedef struct {
    cv_chat_view *view;
    cv_map numbers; /* saying -> number, of the record's messages */
    struct {
        cv_chat_message_row *items;
        size_t count, capacity;
    } rows;
} memory;

static bool remember(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    memory *all = ctx;
    cv_arena *a = all->view->arena;
    const cv_chat_message_row *copy = cv_row_copy(a, &cv_chat_message_row_type, row);
    cv_chat_message m;
    (void)scope, (void)err;
    *CV_PUSH(a, &all->rows) = *copy;
    if (cv_chat_head_parse(copy->head, &m)) {
        m.body = copy->body;
        *cv_map_put(&all->numbers, a, saying_of(a, &m), NULL) = (uintptr_t)copy->number;
    }
    return true;
}

static void add_wrong(cv_chat_view *v, cv_chat_compared *c, int64_t number, const char *kind, const cv_chat_message *is,
                      cv_str now)
{
    assert(number >= 0);
    cv_chat_alteration_row *x = CV_PUSH(v->arena, &c->wrong);
    cv_row_clear(&cv_chat_alteration_row_type, x);
    x->number = number;
    x->kind = cv_str_of(kind);
    x->state = CV_STR("open");
    x->found_at = now;
    x->head = is ? storable(v->arena, is->head) : (cv_str){NULL, 0};
    x->body = is ? storable(v->arena, is->body) : (cv_str){NULL, 0};
}

static bool tell_apart(cv_chat_view *v, cv_chat_compared *c, cv_str now, cv_err *err)
{
    assert(v->has_row);
    memory all = {.view = v};
    const cv_find find = {.type = &cv_chat_message_row_type, .scope = v->place->scope};
    cv_arena *a = v->arena;
    if (!v->call->record->calls->find(v->call->record, &find, remember, &all, err))
        return false;
    size_t known = (size_t)v->row.messages + 1;
    bool *there = CV_NEW_ARRAY(a, known, bool), *taken = CV_NEW_ARRAY(a, known, bool);
    int64_t *was = CV_NEW_ARRAY(a, v->messages.all.count + 1, int64_t);
    for (size_t i = 0; i < v->messages.all.count; i++) {
        uintptr_t *number = cv_map_get(&all.numbers, saying_of(a, &v->messages.all.items[i]));
        was[i] = number && *number < known ? (int64_t)*number : 0;
        /* Two messages may say the same: each counts where it is. */
        const cv_chat_message *m = &v->messages.all.items[i];
        const cv_chat_message_row *row =
            m->number > 0 && m->number <= (int64_t)all.rows.count ? &all.rows.items[m->number - 1] : NULL;
        if (row && row->number == m->number && m->number < (int64_t)known &&
            (cv_str_eq(hash_of(a, m), row->sha256) || is_left_of(a, row, m)))
            was[i] = m->number;
        if (was[i] > 0)
            there[was[i]] = true;
    }
    for (size_t i = 0; i < v->messages.all.count; i++) {
        const cv_chat_message *m = &v->messages.all.items[i];
        bool old = m->number < (int64_t)known;
        if (was[i] && was[i] != m->number) {
            add_wrong(v, c, m->number, "moved", m, now);
        } else if (!was[i] && old) {
            add_wrong(v, c, m->number, there[m->number] ? "inserted" : "changed", m, now);
            taken[m->number] = taken[m->number] || !there[m->number];
        } else if (!was[i]) {
            *CV_PUSH(a, &c->fresh) = cv_chat_message_row_of(v, m, &c->chain, now);
            c->messages = m->number;
        }
    }
    for (size_t n = 1; n < known; n++)
        if (!there[n] && !taken[n])
            add_wrong(v, c, (int64_t)n, "vanished", NULL, now);
    return true;
}

bool cv_chat_compare(cv_chat_view *v, bool even_if_known, cv_chat_compared *c, cv_err *err)
{
    *c = (cv_chat_compared){.messages = v->has_row ? v->row.messages : 0,
                            .chain = v->has_row && v->row.chain.p ? v->row.chain : CV_STR("")};
    if ((v->known && !even_if_known) || v->locked)
        return true;
    cv_str now = cv_call_now(v->call);
    if (!cv_chat_view_read_all(v, err))
        return false;
    c->whole = true;
    if (v->has_row && !is_whole(v)) {
        bool ok = tell_apart(v, c, now, err);
        v->altered = c->wrong.count > 0;
        return ok;
    }
    for (size_t i = (size_t)c->messages; i < v->messages.all.count; i++) {
        *CV_PUSH(v->arena, &c->fresh) = cv_chat_message_row_of(v, &v->messages.all.items[i], &c->chain, now);
        c->messages = v->messages.all.items[i].number;
    }
    return true;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static cv_str print_people(cv_arena *a, const cv_chat_header *h)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_array(&w);
    for (size_t i = 0; i < h->people.count; i++)
        cv_json_str(&w, storable(a, h->people.items[i]));
    cv_json_end_array(&w);
    return cv_buf_take(&out, a);
}

bool cv_chat_row_put(cv_writing *w, cv_chat_view *v, const cv_chat_header *h, int64_t messages, cv_str chain)
{
    assert(messages >= 0);
    cv_chat_row row;
    cv_row_clear(&cv_chat_row_type, &row);
    row.chat_id = v->place->id;
    row.status = storable(v->arena, h->status);
    row.purpose = storable(v->arena, h->title);
    row.participants = print_people(v->arena, h);
    row.messages = messages;
    row.chain = or_absent(chain);
    row.created_at = v->has_row ? v->row.created_at : w->now;
    row.closed_at = cv_chat_is_open(h)                 ? (cv_str){NULL, 0}
                    : v->has_row && v->row.closed_at.p ? v->row.closed_at
                                                       : w->now;
    bool same = v->has_row && cv_str_eq(cv_hash_one(v->arena, &cv_chat_row_type, &row),
                                        cv_hash_one(v->arena, &cv_chat_row_type, &v->row));
    if (!same)
        cv_writing_put(w, &cv_chat_row_type, &row);
    return !same;
}

/* A message of the queue that is in the file was delivered by one who died before it could say so. */
static void deliver_found(cv_writing *w, cv_chat_view *v, cv_chat_message_row *m)
{
    for (size_t i = 0; i < v->queue.count; i++) {
        cv_chat_queued_row *q = &v->queue.items[i];
        if (!cv_str_eq(q->state, CV_STR("queued")) || !cv_str_eq(q->sender, m->sender) ||
            !cv_str_eq(q->type, m->type) || !cv_str_eq(q->sent_at, m->sent_at))
            continue;
        q->state = CV_STR("delivered");
        q->number = m->number;
        m->origin = CV_STR("sent");
        m->standing = q->standing;
        cv_writing_put(w, &cv_chat_queued_row_type, q);
        return;
    }
}

/* Where the pointers of all participants are. In an altered history lines mean something else than before: then what
 * counts is the message that each had read, and no place is known. */
void cv_chat_pointers_of(cv_chat_view *v, cv_chat_pointer_rows *ret)
{
    *ret = (cv_chat_pointer_rows){0};
    for (size_t i = 0; !v->text.p && i < v->pointers.count; i++)
        *CV_PUSH(v->arena, ret) = v->pointers.items[i];
    for (size_t i = 0; v->text.p && i < v->header.pointers.count; i++) {
        const cv_chat_pointer *p = &v->header.pointers.items[i];
        cv_chat_region r = {0};
        cv_err err = {.arena = v->arena};
        if (p->line < 0 || cv_utf8_valid(p->who) < p->who.n || !cv_chat_region_of(v, p->who, &r, &err))
            continue;
        int64_t before = v->altered ? cv_chat_read_before(v, p) : -1;
        const cv_chat_pointer_row row = {.participant = p->who,
                                         .line = before < 0 ? r.line - v->header.lines : p->line - v->header.lines,
                                         .place = v->altered ? -1 : (int64_t)(r.at - v->header.text.n),
                                         .number = before < 0 ? r.last : before};
        if (p->line - v->header.lines == row.line)
            *CV_PUSH(v->arena, ret) = row;
    }
}

/* True: history is told of. */
static bool put_alterations(cv_writing *w, cv_chat_view *v, const cv_chat_compared *c)
{
    assert(c->whole && "what was not read cannot have changed");
    bool any = false;
    for (size_t i = 0; i < v->alterations.count; i++) {
        cv_chat_alteration_row x = v->alterations.items[i];
        bool still = false;
        for (size_t k = 0; k < c->wrong.count; k++)
            still = still || c->wrong.items[k].number == x.number;
        if (still)
            continue;
        x.state = CV_STR("gone");
        cv_writing_put(w, &cv_chat_alteration_row_type, &x);
        cv_writing_event(w, CV_STR("message"), cv_chat_number_print(v->arena, x.number), CV_STR("history_mended"));
        any = true;
    }
    for (size_t i = 0; i < c->wrong.count; i++) {
        const cv_chat_alteration_row *x = &c->wrong.items[i];
        bool told = false;
        for (size_t k = 0; k < v->alterations.count; k++)
            told = told ||
                   (v->alterations.items[k].number == x->number && cv_str_eq(v->alterations.items[k].kind, x->kind) &&
                    cv_str_eq(v->alterations.items[k].body, x->body));
        if (told)
            continue;
        cv_writing_put(w, &cv_chat_alteration_row_type, x);
        cv_event_row *e = cv_writing_event(w, CV_STR("message"), cv_chat_number_print(v->arena, x->number),
                                           CV_STR("history_changed"));
        e->reason = x->kind;
        any = true;
    }
    return any;
}

bool cv_chat_witness_put(cv_writing *w, cv_chat_view *v, cv_chat_compared *c)
{
    if (!c->whole)
        return false;
    for (size_t i = 0; i < c->fresh.count; i++) {
        deliver_found(w, v, &c->fresh.items[i]);
        cv_writing_put(w, &cv_chat_message_row_type, &c->fresh.items[i]);
    }
    bool any = put_alterations(w, v, c), row = cv_chat_row_put(w, v, &v->header, c->messages, c->chain);
    if (c->fresh.count) {
        cv_event_row *e = cv_writing_event(w, CV_STR("chat"), v->place->id, CV_STR("seen"));
        e->data = cv_arena_printf(v->arena, "{\"from\":%lld,\"to\":%lld}", (long long)c->fresh.items[0].number,
                                  (long long)c->messages);
    } else if (row) {
        cv_writing_event(w, CV_STR("chat"), v->place->id, v->has_row ? CV_STR("header_seen") : CV_STR("seen"));
    }
    return any || row || c->fresh.count;
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

static cv_str first_line(cv_str text)
{
    size_t end = cv_str_find_char(text, '\n');
    return cv_str_head(text, end == SIZE_MAX ? text.n : end);
}

/* Of two texts the lines from the first on that differs. */
static void skip_same_lines(cv_str *one, cv_str *other)
{
    while (one->n && other->n &&
           cv_str_eq(cv_str_trim_right(first_line(*one)), cv_str_trim_right(first_line(*other)))) {
        *one = cv_str_from(*one, first_line(*one).n + (first_line(*one).n < one->n));
        *other = cv_str_from(*other, first_line(*other).n + (first_line(*other).n < other->n));
    }
}

static cv_str beginning(cv_arena *a, cv_str text)
{
    return cv_utf8_excerpt(a, first_line(text), 60);
}

/* What was and what is: the first line that differs; where the bodies are equal, the heads do. */
static void tell_change(cv_arena *a, const cv_chat_message_row *row, const cv_chat_alteration_row *x, cv_str *ret_was,
                        cv_str *ret_is)
{
    cv_str was = row->body, is = x->body;
    skip_same_lines(&was, &is);
    bool heads = !was.n && !is.n;
    *ret_was = beginning(a, heads ? row->head : was);
    *ret_is = beginning(a, heads ? x->head : is);
}

cv_str cv_chat_alteration_text(cv_chat_view *v, const cv_chat_alteration_row *x)
{
    cv_arena *a = v->arena;
    cv_str id = cv_chat_number_print(a, x->number), was = CV_STR("");
    cv_chat_message_row row = {.number = x->number};
    cv_err err = {.arena = a};
    bool found = false;
    cv_str is = beginning(a, x->body);
    if (cv_record_get(v->call->record, a, v->place->scope, &cv_chat_message_row_type, &row, &found, &err) && found) {
        was = beginning(a, row.body);
        if (cv_str_eq(x->kind, CV_STR("changed")))
            tell_change(a, &row, x, &was, &is);
    }
    if (cv_str_eq(x->kind, CV_STR("vanished")))
        return cv_arena_printf(a, "history changed at %.*s: the message is gone; it was '%.*s'", CV_FMT(id),
                               CV_FMT(was));
    if (cv_str_eq(x->kind, CV_STR("changed")))
        return cv_arena_printf(a, "history changed at %.*s: was '%.*s', is '%.*s'", CV_FMT(id), CV_FMT(was),
                               CV_FMT(is));
    return cv_arena_printf(a, "history changed at %.*s: a message was %.*s there: '%.*s'", CV_FMT(id), CV_FMT(x->kind),
                           CV_FMT(is));
}

void cv_chat_warn(cv_chat_view *v, const cv_chat_compared *c, cv_notices *warnings)
{
    const cv_chat_alteration_row *items = c->whole ? c->wrong.items : v->alterations.items;
    size_t count = c->whole ? c->wrong.count : v->alterations.count;
    for (size_t i = 0; i < count; i++) {
        cv_notice *n = cv_notice_add(warnings, v->arena, CV_STR("history_changed"), "%.*s",
                                     CV_FMT(cv_chat_alteration_text(v, &items[i])));
        n->id = cv_chat_number_print(v->arena, items[i].number);
    }
}
