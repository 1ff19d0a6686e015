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
#include "project/scope_input.h"
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

/* The scope that is named, or all of the room. */
static bool report_named(cv_call *call, cv_json_writer *w, cv_scope_id named, cv_err *err)
{
    reporting r = {call, w, 0};
    return named.name.n ? report_one(&r, named, err) : cv_scopes_each(call, named.room, report_one, &r, err);
}

/* Is there what is named? False: call->errs says what would be. */
static bool check_named(cv_call *call, cv_scope_id *ret_named)
{
    cv_err err = {.arena = call->arena};
    cv_scope_position at;
    if (!cv_scopes_given(call, ret_named))
        return false;
    if (ret_named->name.n == 0)
        return true;
    if (!call->record->calls->begin(call->record, call->arena, *ret_named, CV_READ, &at, &err))
        return cv_call_fail(call, &err);
    call->record->calls->end(call->record);
    return at.rev > 0 || cv_scopes_missing(call, *ret_named);
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

static bool verify_all(cv_call *call, cv_json_writer *w, cv_scope_id named, const cv_seal *seal, cv_seal *ret_last,
                       cv_err *err)
{
    return call->record->calls->check(call->record, call->arena, err) &&
           (named.room.n ? report_named(call, w, named, err) : report_all(call, w, err)) &&
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
    cv_scope_id named;
    if (!check_named(call, &named))
        return false;
    if (given && !read_seal(call, given->text, &seal, &err))
        return cv_call_fail(call, &err);
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key(&w, CV_STR("scopes"));
    cv_json_begin_array(&w);
    if (!verify_all(call, &w, named, given ? &seal : NULL, &last, &err) ||
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
