/* watch.c - waiting for something new in chats: two lines, for those who start a watcher and read its end.
 *
 *     [SESSION_WATCH] changed=1 at=2026-11-16T17:23:45+00:00 workflow=rac
 *     {"event":"changed","timestamp":…,"workflow":"rac","changed":[{"path","kind","messages":[…]}],"cursor":…}
 *
 *     since     a cursor of an earlier answer: what was said after it counts, however long ago it was
 *     as        also what this participant has not read yet, from the beginning
 *
 * A change is a message or another status or participant: not a lock, not a touched file, not somebody who read. The
 * cursor is a position of the record's feed, which sees every change of a file before it is reported here. Exit status:
 * 0 changed, 2 the time is over, 3 the request cannot be watched.
 */
#include "base/clock.h"
#include "base/monotonic.h"
#include "chat/all_chats.h"
#include "chat/answer.h"
#include "chat/change.h"
#include "chat/operations.h"
#include "chat/words/errors.h"
#include "kit/kept_watch.h"
#include "record/feed.h"

typedef struct {
    cv_str path, kind, chat_id;
    cv_texts messages;
} changed;

typedef struct {
    cv_call *call;
    cv_str event, timestamp, workflow, cursor, note, as, text;
    cv_texts people; /* whose identity `as` is */
    bool is_role;    /* somebody has `as` as a role */
    struct {
        changed *items;
        size_t count, capacity;
    } changes;
    cv_chat_folders folders;
    cv_chat_entries all;
    cv_notify *notify;
} watching;

#define CV_THIS_TYPE changed
static const cv_shape changed_shape[] = {
    CV_FIELD(ALWAYS, path, ""),
    CV_FIELD(ALWAYS, kind, "created or modified"),
    CV_FIELD(ALWAYS, chat_id, ""),
    CV_TEXTS("messages", messages.items, messages.count, "new messages; empty: the header has changed"),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE watching
const cv_shape cv_chat_watch_shape[] = {
    CV_FIELD(ALWAYS, event, "changed, timeout or config_error"),
    CV_FIELD(ALWAYS, timestamp, ""),
    CV_FIELD(ALWAYS, workflow, ""),
    CV_LIST("changed", changes.items, changes.count, changed_shape, ""),
    CV_FIELD(IF_ANY, cursor, "give it back as since"),
    CV_FIELD(IF_ANY, note, ""),
    CV_DOCUMENT(text, "the two lines"),
    {0},
};
#undef CV_THIS_TYPE

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static const cv_chat_place *place_of(const watching *w, cv_str scope)
{
    for (size_t i = 0; i < w->all.count; i++)
        if (!w->all.items[i].foreign.p && cv_str_eq(w->all.items[i].place.scope.name, scope))
            return &w->all.items[i].place;
    return NULL;
}

/* Would the file of this scope be in one of the folders? */
static bool is_watched(const watching *w, cv_str scope, cv_chat_place *ret)
{
    cv_err ignored = {.arena = w->call->arena};
    if (!cv_chat_place_of(w->call, scope, ret, &ignored))
        return false;
    for (size_t i = 0; i < w->folders.count; i++)
        if (cv_str_eq(cv_chat_place_in(w->call, &w->folders.items[i], ret->id).scope.name, scope))
            return true;
    return false;
}

static changed *change_of(watching *w, const cv_chat_place *place, bool created)
{
    for (size_t i = 0; i < w->changes.count; i++)
        if (cv_str_eq(w->changes.items[i].path, place->scope.name))
            return &w->changes.items[i];
    changed *c = CV_PUSH(w->call->arena, &w->changes);
    *c = (changed){
        .path = place->scope.name, .kind = created ? CV_STR("created") : CV_STR("modified"), .chat_id = place->id};
    return c;
}

static bool is_of_room(void *ctx, const cv_feed_entry *entry)
{
    cv_chat_place place;
    return cv_str_eq(entry->scope.room, CV_STR("chat")) && !cv_str_eq(entry->operation, CV_STR("chat read")) &&
           (place_of(ctx, entry->scope.name) || is_watched(ctx, entry->scope.name, &place));
}

typedef struct {
    watching *w;
    const cv_chat_place *place;
    bool created;
    bool any;
} taking;

static bool is_for(const watching *w, const cv_chat_message_row *m)
{
    cv_str as = w->as;
    if (!as.n)
        return true;
    for (size_t i = 0; i < w->people.count; i++)
        if (cv_chat_is_for(m->sender, m->tags, w->people.items[i]))
            return true;
    if (w->people.count && !w->is_role)
        return false;
    return cv_str_find_char(as, '@') != SIZE_MAX ? cv_chat_is_for(m->sender, m->tags, as)
                                                 : cv_chat_is_tagged(m->tags, as) && !cv_chat_has_role(m->sender, as);
}

static bool take_message(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    taking *t = ctx;
    const cv_chat_message_row *m = row;
    (void)scope, (void)err;
    t->any = true;
    if (is_for(t->w, m)) {
        changed *c = change_of(t->w, t->place, t->created);
        *CV_PUSH(t->w->call->arena, &c->messages) = cv_chat_number_print(t->w->call->arena, m->number);
    }
    return true;
}

static bool take_chat(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    taking *t = ctx;
    (void)scope, (void)row, (void)err;
    if (!t->any && !t->w->as.n)
        change_of(t->w, t->place, t->created);
    return true;
}

/* All chats as they are now, each seen by the record. */
static bool scan(watching *w, cv_err *err)
{
    size_t faults = w->call->errs->count;
    if (!cv_chat_each(w->call, &w->all)) {
        cv_err_copy(err, &w->call->errs->items[faults]);
        w->call->errs->count = faults;
        return false;
    }
    for (size_t i = 0; i < w->all.count; i++)
        if (!w->all.items[i].foreign.p)
            cv_chat_settle(w->call, &w->all.items[i].place);
    return true;
}

/* The chats of these commits. One that was opened is in the record before its file is there; the file is made here if
 * the process that opened the chat has not made it yet. */
static bool know_opened(watching *w, const cv_feed_entries *entries, cv_err *err)
{
    bool all = true;
    for (size_t i = 0; i < entries->count; i++) {
        cv_chat_place p;
        if (place_of(w, entries->items[i].scope.name) || !is_watched(w, entries->items[i].scope.name, &p))
            continue;
        all = false;
        if (cv_chat_make_file(w->call, &p, err) == CV_INTENT_FAILED)
            return false;
    }
    return all || scan(w, err);
}

/* What the commits behind the cursor brought. */
static bool read_feed(watching *w, cv_err *err)
{
    cv_call *call = w->call;
    cv_feed_entries entries = {0};
    if (!cv_feed_read(call->record, call->arena, w->cursor, 0, is_of_room, w, &entries, err) ||
        !know_opened(w, &entries, err))
        return false;
    for (size_t i = 0; i < entries.count; i++) {
        const cv_feed_entry *e = &entries.items[i];
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first = first && !cv_str_eq(entries.items[k].scope.name, e->scope.name);
        taking t = {.w = w, .place = place_of(w, e->scope.name), .created = e->rev == 1};
        if (!first || !t.place) /* its file was taken away */
            continue;
        const cv_find messages = {.type = &cv_chat_message_row_type,
                                  .scope = t.place->scope,
                                  .since_rev = e->rev - 1,
                                  .outline = true,
                                  .index = cv_type_index(&cv_chat_message_row_type, "rev")};
        const cv_find chat = {.type = &cv_chat_row_type,
                              .scope = t.place->scope,
                              .since_rev = e->rev - 1,
                              .outline = true,
                              .index = cv_type_index(&cv_chat_row_type, "rev")};
        if (!call->record->calls->find(call->record, &messages, take_message, &t, err) ||
            !call->record->calls->find(call->record, &chat, take_chat, &t, err))
            return false;
    }
    w->cursor = entries.position;
    return true;
}

/* Who is meant, and what they have not read yet, unless the caller has seen it (`later`). A name that nobody has would
 * be waited for in vain. */
static bool read_people(watching *w, bool later, cv_err *err)
{
    cv_arena *a = w->call->arena;
    cv_texts known = {0};
    bool found = false;
    for (size_t i = 0; i < w->all.count; i++) {
        cv_chat_view view;
        cv_chat_region region;
        cv_err ignored = {.arena = a};
        if (w->all.items[i].foreign.p)
            continue;
        const cv_chat_place *place = &w->all.items[i].place;
        bool open = cv_chat_view_open(w->call, place, &view, &ignored);
        for (size_t p = 0; open && p < view.header.people.count; p++) {
            cv_str who = view.header.people.items[p];
            *CV_PUSH(a, &known) = cv_arena_copy(a, who);
            if (!cv_chat_is_called(who, w->as))
                continue;
            found = true;
            w->is_role = w->is_role || cv_chat_has_role(who, w->as);
            if (cv_str_eq_nocase(cv_chat_identity_of(who), w->as))
                *CV_PUSH(a, &w->people) = known.items[known.count - 1];
            if (later)
                continue;
            if (!cv_chat_region_of(&view, who, &region, err)) {
                cv_chat_view_close(&view);
                return false;
            }
            taking t = {.w = w, .place = place};
            for (size_t k = 0; k < region.messages.all.count; k++) {
                const cv_chat_message *m = &region.messages.all.items[k];
                const cv_chat_message_row row = {.number = m->number, .sender = m->from, .tags = m->tags};
                take_message(&t, place->scope, &row, err);
            }
        }
        cv_chat_view_close(&view);
    }
    if (!found && known.count && !later)
        cv_chat_unknown(err, w->as, (cv_words){known.items, known.count});
    return !err->code;
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static bool begin(watching *w, cv_err *err)
{
    size_t faults = w->call->errs->count;
    cv_err ignored = {.arena = w->call->arena};
    if (!cv_chat_folders_of(w->call, &w->folders)) {
        cv_err_copy(err, &w->call->errs->items[faults]);
        w->call->errs->count = faults;
        return false;
    }
    w->workflow = w->folders.items[0].workflow.p ? w->folders.items[0].workflow : CV_STR("none");
    for (size_t i = 0; i < w->folders.count; i++)
        cv_notify_add(w->notify, w->folders.items[i].where, &ignored);
    bool given = w->cursor.p;
    w->cursor.n = cv_str_eq(w->cursor, cv_feed_start) ? 0 : w->cursor.n;
    if (!scan(w, err))
        return false;
    if (!given && !w->call->record->calls->newest(w->call->record, w->call->arena, 0, &w->cursor, err))
        return false;
    return (!w->as.n || read_people(w, given, err)) && read_feed(w, err);
}

static bool wait(watching *w, cv_err *err)
{
    int64_t until = cv_monotonic_ms() + cv_json_get_int(w->call->input, "duration", 60) * 1000;
    if (!begin(w, err))
        return false;
    while (w->changes.count == 0) {
        int64_t left = until - cv_monotonic_ms();
        if (left <= 0 || !cv_call_tell(w->call, 0, 0, CV_STR("waiting for a message"), err))
            return !err->code;
        cv_notify_wait(w->notify, until);
        if (!scan(w, err) || !read_feed(w, err))
            return false;
    }
    return true;
}

static void tell(watching *w, const cv_err *err)
{
    cv_call *call = w->call;
    cv_str now = cv_call_now(call);
    bool failed = err->code != CV_ERR_NONE;
    w->event = failed ? CV_STR("config_error") : w->changes.count ? CV_STR("changed") : CV_STR("timeout");
    w->timestamp = cv_arena_printf(call->arena, "%.*s+00:00", (int)(now.n > 5 ? now.n - 5 : now.n), now.p ? now.p : "");
    w->workflow = w->workflow.p ? w->workflow : CV_STR("none");
    w->cursor = failed || w->cursor.n ? w->cursor : cv_feed_start;
    w->note = failed ? cv_err_text(err) : CV_STR("");
    call->exit = failed ? 3 : w->changes.count ? 0 : 2;
    if (!call->for_people)
        return;
    cv_str json = cv_shape_text(call->arena, cv_chat_watch_shape, w);
    cv_str what = failed             ? CV_STR("config_error")
                  : w->changes.count ? cv_arena_printf(call->arena, "changed=%zu", w->changes.count)
                                     : CV_STR("no_change duration_expired");
    cv_str line = cv_arena_printf(call->arena, "[SESSION_WATCH] %.*s at=%.*s workflow=%.*s\n", CV_FMT(what),
                                  CV_FMT(w->timestamp), CV_FMT(w->workflow));
    w->text = cv_arena_join(call->arena, line, json);
}

bool cv_chat_watch(cv_call *call)
{
    watching w = {.call = call,
                  .notify = cv_kept_watch(call->record),
                  .cursor = cv_json_get_text(call->input, "since"),
                  .as = cv_json_get_text(call->input, "as")};
    cv_err err = {.arena = call->arena};
    if (!wait(&w, &err) && (err.code == CV_ERR_CANCELLED || err.code == CV_ERR_STORE || err.code == CV_ERR_BUSY))
        return cv_call_fail(call, &err);
    tell(&w, &err);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_chat_watch_shape, &w);
    return true;
}
