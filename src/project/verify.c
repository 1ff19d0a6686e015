/* verify.c - does the record agree with its own history?
 *
 *     the engine     pages, schema; at the end the search index                    record.h, check, search_check
 *     a scope        chain of events, commits, rows; what its room adds            kit/scopes.h
 *     all commits    the seal                                                      record/seal.h
 *     the watermark  the record has the last commit that was acknowledged          record/watermark.h
 *
 * The answer names each scope with its rev and head, so that two copies can be compared; or the first thing that does
 * not agree: scope, place, what was expected and what was found. The watermark comes last: a record that has
 * lost its end gets that answer only when what is left is whole. `accept` sets the watermark to what is left.
 */
#include <unistd.h>

#include "base/file.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "kit/notice.h"
#include "kit/scopes.h"
#include "project/operations.h"
#include "record/seal.h"

typedef struct {
    cv_call *call;
    cv_json_writer *w;
    int64_t commits; /* of all that were verified */
} reporting;

static bool report_one(void *ctx, cv_scope_id scope, cv_err *err)
{
    reporting *r = ctx;
    cv_scope_position position;
    if (!cv_scopes_verify(r->call->record, r->call->arena, scope, &position, err))
        return false;
    r->commits += position.rev;
    cv_json_begin_object(r->w);
    cv_json_key_str(r->w, "room", scope.room);
    cv_json_key_str(r->w, "name", scope.name);
    cv_json_key_int(r->w, "rev", position.rev);
    cv_json_key_int(r->w, "events", position.event_count);
    cv_json_key_str(r->w, "head", position.head);
    cv_json_end_object(r->w);
    return true;
}

/* Every commit that the record had at the beginning is one of a scope that was verified. */
static bool report_all(cv_call *call, cv_json_writer *w, cv_err *err)
{
    reporting r = {call, w, 0};
    cv_commit last;
    if (!call->record->calls->last_commit(call->record, &last, err) ||
        !cv_scopes_each(call, CV_STR(""), report_one, &r, err))
        return false;
    if (r.commits >= last.number)
        return true;
    cv_err_set(err, CV_ERR_VERIFY, "scopes: expected %lld commits in all of them, found %lld", (long long)last.number,
               (long long)r.commits);
    cv_err_value(err, CV_STR("scopes"));
    cv_err_suggest(err, CV_STR("keep this copy, restore the last backup that verifies, and compare the two"));
    return false;
}

/* ---- those that are asked for ------------------------------------------------------------------------------------ */

typedef struct {
    cv_arena *arena;
    cv_str *items;
    size_t count, capacity;
} names;

static bool keep_name(void *ctx, cv_scope_id scope, const cv_scope_position *at, cv_err *err)
{
    names *all = ctx;
    (void)at, (void)err;
    *CV_PUSH(all->arena, all) = cv_arena_copy(all->arena, scope.name);
    return true;
}

static bool is_of(const names *all, cv_str name)
{
    for (size_t i = 0; i < all->count; i++)
        if (cv_str_eq(all->items[i], name))
            return true;
    return false;
}

/* The rooms that keep anything, as a scope is named by them. */
static bool check_room(cv_call *call, cv_str room, cv_err *err)
{
    const cv_types *types = call->record->types;
    names known = {.arena = call->arena};
    for (size_t i = 0; i < types->count; i++)
        if (types->rooms[i]->count > 0)
            *CV_PUSH(call->arena, &known) = types->rooms[i]->room;
    if (is_of(&known, room))
        return true;
    if (room.n == 0)
        cv_err_set(err, CV_ERR_MISSING_FIELD, "the room of the scope is not named");
    else
        cv_err_set(err, CV_ERR_INVALID_VALUE, "there is no room '%.*s' that keeps anything",
                   CV_FMT(cv_excerpt(call->arena, room)));
    cv_err_field(err, CV_STR("room"));
    cv_err_value(err, room);
    cv_err_options(err, known.items, known.count);
    cv_err_nearest(err, room, known.items, known.count);
    return false;
}

static bool not_found(cv_call *call, cv_str room, cv_str name, cv_err *err)
{
    names known = {.arena = call->arena};
    cv_err ignored = {.arena = call->arena}; /* the answer stands without a suggestion */
    call->record->calls->scopes(call->record, room, CV_STR(""), CV_MAX_PAGE, keep_name, &known, &ignored);
    cv_err_set(err, CV_ERR_NOT_FOUND, "there is no %.*s '%.*s'", CV_FMT(cv_scopes_noun(room, 1)),
               CV_FMT(cv_excerpt(call->arena, name)));
    cv_err_field(err, CV_STR("scope"));
    cv_err_value(err, name);
    if (!cv_err_nearest(err, name, known.items, known.count))
        cv_err_suggest(err, CV_STR("without 'scope' all of the room are verified, and listed"));
    return false;
}

static bool report_named(cv_call *call, cv_json_writer *w, cv_str room, cv_str name, cv_err *err)
{
    reporting r = {call, w, 0};
    cv_scope_id scope = {room, name};
    cv_scope_position at;
    if (!check_room(call, room, err))
        return false;
    if (name.n == 0)
        return cv_scopes_each(call, room, report_one, &r, err);
    bool read = call->record->calls->begin(call->record, call->arena, scope, CV_READ, &at, err);
    call->record->calls->end(call->record);
    return read && (at.rev > 0 ? report_one(&r, scope, err) : not_found(call, room, name, err));
}

/* The seal that is given: the line itself, or at the command line a file with it. */
static bool read_seal(cv_call *call, cv_str given, cv_seal *ret_seal, cv_err *err)
{
    const char *path = cv_arena_copy_z(call->arena, given);
    bool named = cv_str_find(given, CV_STR("conclave-seal-")) == SIZE_MAX && !call->confined;
    cv_str text = given;
    if (named && access(path, F_OK) != 0 && cv_str_find_char(given, ' ') == SIZE_MAX) {
        cv_err_set(err, CV_ERR_NOT_FOUND, "there is no file '%s', and it is not a seal", path);
        cv_err_field(err, CV_STR("seal"));
        cv_err_suggest(err, CV_STR("name the file with the line that 'conclave seal' printed, or give the line"));
        return false;
    }
    if (named && given.n <= CV_MAX_PATH && access(path, F_OK) == 0 && !cv_file_read_text(call->arena, path, &text, err))
        return false;
    return cv_seal_read(text, ret_seal, err);
}

static bool verify_all(cv_call *call, cv_json_writer *w, const cv_seal *seal, cv_seal *ret_last, cv_err *err)
{
    cv_str room = cv_json_get_text(call->input, "room"), scope = cv_json_get_text(call->input, "scope");
    return call->record->calls->check(call->record, call->arena, err) &&
           (room.n || scope.n ? report_named(call, w, room, scope, err) : report_all(call, w, err)) &&
           cv_seal_record(call->record, seal, ret_last, err) &&
           call->record->calls->search_check(call->record, call->arena, err);
}

static void answer_end(cv_call *call, cv_json_writer *w, const cv_seal *last, cv_watermark_state mark,
                       const cv_seal *seal)
{
    cv_notices warnings = {0};
    cv_json_key_int(w, "commits", last->number);
    cv_json_key_str(w, "watermark", mark == CV_WATERMARK_THERE ? CV_STR("agrees") : CV_STR("missing"));
    if (seal)
        cv_json_key_int(w, "sealed_until", seal->number);
    if (mark == CV_WATERMARK_MISSING && !seal) {
        cv_notice_add(&warnings, call->arena, CV_STR("no_watermark"),
                      "nothing beside this record says how far it was: only a seal can prove that its end was not cut "
                      "off");
        cv_notices_answer(&warnings, w);
    }
}

bool cv_record_verify(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    const cv_json *given = cv_json_get(call->input, CV_STR("seal"));
    cv_json_writer w = {.out = call->out};
    cv_seal seal, last;
    cv_watermark_state mark;
    if (given && !read_seal(call, given->text, &seal, &err))
        return cv_call_fail(call, &err);
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key(&w, CV_STR("scopes"));
    cv_json_begin_array(&w);
    if (!verify_all(call, &w, given ? &seal : NULL, &last, &err) ||
        !call->record->calls->acknowledged(call->record, call->arena, &mark, &err))
        return cv_call_fail(call, &err);
    cv_json_end_array(&w);
    answer_end(call, &w, &last, mark, given ? &seal : NULL);
    cv_json_end_object(&w);
    return true;
}

/* ---- to go on with less ------------------------------------------------------------------------------------------ */

/* Writes that are to be given up must be named by the last commit that is left: nobody does so without having read how
 * many they are. */
static bool may_accept(cv_call *call, const cv_commit *last, cv_err *err)
{
    const cv_json *given = cv_json_get(call->input, CV_STR("commit"));
    cv_watermark_state state;
    int64_t number = cv_json_get_int(call->input, "commit", -1);
    if (!given)
        return call->record->calls->acknowledged(call->record, call->arena, &state, err);
    if (number == last->number)
        return true;
    cv_err_set(err, CV_ERR_INVALID_VALUE, "the record ends at commit %lld, not at %lld", (long long)last->number,
               (long long)number);
    cv_err_field(err, CV_STR("commit"));
    cv_err_suggest(err, CV_STR("name the last commit that the record has"));
    return false;
}

bool cv_record_accept(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_commit last;
    if (!call->record->calls->last_commit(call->record, &last, &err) || !may_accept(call, &last, &err) ||
        !call->record->calls->accept(call->record, call->arena, &last, &err))
        return cv_call_fail(call, &err);
    cv_json_writer w = {.out = call->out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_int(&w, "commit", last.number);
    if (call->for_people)
        cv_json_key_str(&w, "text",
                        cv_arena_printf(call->arena, "The record is taken as it stands, up to commit %lld.\n",
                                        (long long)last.number));
    cv_json_end_object(&w);
    return true;
}
