/* threads.c - threads, and `notes threads`: what each is about, its messages in order, its mood. */
#include "notes/threads.h"

#include <assert.h>

#include "base/limits.h"
#include "notes/operations.h"
#include "notes/words/errors.h"
#include "notes/words/words.h"

/* ---- moods ------------------------------------------------------------------------------------------------------- */

static int hex(char c)
{
    return cv_is_digit(c) ? c - '0' : cv_lower(c) - 'a' + 10;
}

/* The mean of moods per channel, "00CC88"; those that say nothing (000000) do not count. "666666" for none. */
typedef struct {
    int64_t sum[3], count;
} mood_mean;

static void add_mood(mood_mean *mean, cv_str mood)
{
    if (!cv_mood_valid(mood) || cv_str_eq(mood, CV_STR("000000")))
        return;
    for (size_t i = 0; i < 3; i++)
        mean->sum[i] += hex(mood.p[2 * i]) * 16 + hex(mood.p[2 * i + 1]);
    mean->count++;
}

/* Halves go to the even neighbour. */
static int rounded(int64_t sum, int64_t count)
{
    assert(sum >= 0 && count > 0);
    int64_t whole = sum / count, rest = 2 * (sum % count);
    return (int)(rest > count || (rest == count && whole % 2) ? whole + 1 : whole);
}

static cv_str mood_of(cv_arena *a, const mood_mean *m)
{
    if (!m->count)
        return cv_mood_default;
    return cv_arena_printf(a, "%02X%02X%02X", (unsigned)rounded(m->sum[0], m->count),
                           (unsigned)rounded(m->sum[1], m->count), (unsigned)rounded(m->sum[2], m->count));
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_note_thread row;
    bool found;
} one_thread;

static bool find_named(cv_record *record, cv_arena *a, cv_str name, one_thread *ret, cv_err *err)
{
    const cv_note_thread like = {.name = name};
    const cv_find find = {.type = &cv_note_thread_type,
                          .index = cv_note_threads_by_name,
                          .scope = cv_notes_scope(),
                          .like = &like,
                          .equal = 1,
                          .limit = 1};
    *ret = (one_thread){0};
    return cv_record_first(record, a, &find, &ret->row, &ret->found, err);
}

static bool find_last(cv_record *record, cv_arena *a, one_thread *ret, cv_err *err)
{
    const cv_find find = {.type = &cv_note_thread_type, .scope = cv_notes_scope(), .limit = 1, .descending = true};
    *ret = (one_thread){0};
    return cv_record_first(record, a, &find, &ret->row, &ret->found, err);
}

static bool find_numbered(cv_record *record, cv_arena *a, cv_str name, one_thread *ret, cv_err *err)
{
    int number;
    *ret = (one_thread){0};
    if (!cv_str_to_int(name, &number))
        return true;
    ret->row.number = number;
    return cv_record_get(record, a, cv_notes_scope(), &cv_note_thread_type, &ret->row, &ret->found, err);
}

static bool not_found(cv_str name, cv_err *err)
{
    cv_err_set(err, CV_ERR_NOTES_THREAD, "there is no thread '%.*s'", CV_FMT(cv_str_head(name, CV_MAX_EXCERPT)));
    cv_err_field(err, CV_STR("thread"));
    cv_err_operation(err, CV_STR("notes threads"));
    cv_err_suggest(err, CV_STR("lists them; a name makes a new one when a note is given to it"));
    return false;
}

bool cv_notes_thread_find(cv_call *call, cv_writing *w, cv_str name, int64_t *ret_number, cv_err *err)
{
    one_thread one;
    int number;
    if (!find_numbered(call->record, call->arena, name, &one, err))
        return false;
    if (!one.found && cv_str_to_int(name, &number))
        return not_found(name, err);
    if (!one.found && !find_named(call->record, call->arena, name, &one, err))
        return false;
    if (!one.found) {
        if (!find_last(call->record, call->arena, &one, err))
            return false;
        const cv_note_thread row = {.number = one.row.number + 1,
                                    .name = name,
                                    .status = CV_STR("Open"),
                                    .created_by = call->who.name,
                                    .created_at = w->now};
        cv_writing_put(w, &cv_note_thread_type, &row);
        cv_writing_event(w, CV_STR("thread"), cv_arena_printf(call->arena, "%lld", (long long)row.number),
                         CV_STR("opened"));
        one.row = row;
    }
    *ret_number = one.row.number;
    return true;
}

bool cv_notes_thread_known(cv_call *call, cv_str name, int64_t *ret_number, cv_err *err)
{
    one_thread one;
    if (!find_numbered(call->record, call->arena, name, &one, err) ||
        (!one.found && !find_named(call->record, call->arena, name, &one, err)))
        return false;
    *ret_number = one.row.number;
    return one.found || not_found(name, err);
}

/* ---- the operation ----------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t number, messages;
    cv_str name, status, mood_rgb, mood, created_at;
    mood_mean mean;
} told;

typedef struct {
    int64_t number, created_ymdhis;
    cv_str path, kind, status, speaker, target, mood_rgb, message;
} message;

typedef struct {
    cv_call *call;
    struct {
        told *items;
        size_t count, capacity;
    } threads;
    struct {
        message *items;
        size_t count, capacity;
    } messages;
    int64_t next;
    size_t limit;
} answer;

#define CV_THIS_TYPE told
static const cv_shape told_shape[] = {
    CV_NUMBER(ALWAYS, "thread", number, 1, CV_NO_LIMIT, "dialog_threads_id"),
    CV_FIELD(ALWAYS, name, ""),
    CV_FIELD(ALWAYS, status, ""),
    CV_NUMBER(ALWAYS, "messages", messages, 0, CV_NO_LIMIT, ""),
    CV_FIELD(ALWAYS, mood_rgb, "the mean of its messages' moods, channel by channel"),
    CV_FIELD(IF_ANY, mood, "the name of that mood, if it has one"),
    CV_FIELD(ALWAYS, created_at, ""),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE message
static const cv_shape message_shape[] = {
    CV_NUMBER(ALWAYS, "number", number, 1, CV_NO_LIMIT, "dialog_message_id"),
    CV_FIELD(ALWAYS, kind, ""),
    CV_FIELD(ALWAYS, speaker, ""),
    CV_FIELD(ALWAYS, target, ""),
    CV_FIELD(ALWAYS, mood_rgb, ""),
    CV_FIELD(ALWAYS, status, ""),
    CV_FIELD(ALWAYS, path, ""),
    CV_FIELD(ALWAYS, created_ymdhis, ""),
    CV_BELOW(ALWAYS, message, ""),
    {0},
};
#undef CV_THIS_TYPE
#define CV_THIS_TYPE answer
const cv_shape cv_notes_threads_shape[] = {
    CV_LIST("threads", threads.items, threads.count, told_shape, "all, or the one that was asked for"),
    CV_LIST_WHEN(CV_IF_ANY, "messages", messages.items, messages.count, message_shape,
                 "of one thread, the oldest first"),
    CV_MORE("next", next, "after", "there are more: give it as `after`"),
    {0},
};
#undef CV_THIS_TYPE

static bool add_thread(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    answer *ans = ctx;
    const cv_note_thread *t = cv_row_copy(ans->call->arena, &cv_note_thread_type, row);
    (void)scope, (void)err;
    *CV_PUSH(ans->call->arena, &ans->threads) =
        (told){.number = t->number, .name = t->name, .status = t->status, .created_at = t->created_at};
    return true;
}

typedef struct {
    answer *ans;
    told *thread;
    int64_t after;
    bool listed;
} counting;

static bool count_message(void *ctx, cv_scope_id scope, const void *row, cv_err *err)
{
    counting *c = ctx;
    const cv_note_row *r = row;
    cv_arena *a = c->ans->call->arena;
    (void)scope, (void)err;
    c->thread->messages++;
    add_mood(&c->thread->mean, r->mood_rgb);
    if (!c->listed || r->dialog_message_id <= c->after || c->ans->next != CV_ABSENT)
        return true;
    if (c->ans->messages.count == c->ans->limit) {
        c->ans->next = c->ans->messages.items[c->ans->limit - 1].number;
        return true;
    }
    r = cv_row_copy(a, &cv_note_row_type, row);
    *CV_PUSH(a, &c->ans->messages) = (message){.number = r->dialog_message_id,
                                               .created_ymdhis = r->created_ymdhis,
                                               .path = r->path,
                                               .kind = r->source_kind,
                                               .status = r->status,
                                               .speaker = r->agent_name,
                                               .target = r->target,
                                               .mood_rgb = r->mood_rgb,
                                               .message = r->message_text};
    return true;
}

static bool count_messages(answer *ans, told *thread, bool listed, cv_err *err)
{
    const cv_note_row like = {.dialog_threads_id = thread->number};
    const cv_find find = {.type = &cv_note_row_type,
                          .index = cv_notes_by_thread,
                          .scope = cv_notes_scope(),
                          .like = &like,
                          .equal = 1,
                          .outline = !listed};
    counting c = {ans, thread, cv_json_get_int(ans->call->input, "after", 0), listed};
    if (!ans->call->record->calls->find(ans->call->record, &find, count_message, &c, err))
        return false;
    thread->mood_rgb = mood_of(ans->call->arena, &thread->mean);
    thread->mood = cv_mood_name(thread->mood_rgb);
    return true;
}

static bool find_one(answer *ans, cv_str name, cv_err *err)
{
    cv_call *call = ans->call;
    one_thread one;
    if (!find_numbered(call->record, call->arena, name, &one, err) ||
        (!one.found && !find_named(call->record, call->arena, name, &one, err)))
        return false;
    return one.found ? add_thread(ans, cv_notes_scope(), &one.row, err) : not_found(name, err);
}

bool cv_notes_op_threads(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    answer ans = {.call = call, .next = CV_ABSENT, .limit = (size_t)cv_json_get_int(call->input, "limit", 100)};
    cv_str name = cv_json_get_text(call->input, "thread");
    const cv_find all = {.type = &cv_note_thread_type, .scope = cv_notes_scope()};
    bool ok =
        name.p ? find_one(&ans, name, &err) : call->record->calls->find(call->record, &all, add_thread, &ans, &err);
    for (size_t i = 0; ok && i < ans.threads.count; i++)
        ok = count_messages(&ans, &ans.threads.items[i], name.p != NULL, &err);
    if (!ok)
        return cv_call_fail(call, &err);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_notes_threads_shape, &ans);
    return true;
}
