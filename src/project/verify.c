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
#include "base/plain.h"
#include "base/utf8.h"
#include "kit/notice.h"
#include "kit/scopes.h"
#include "project/operations.h"
#include "project/project.h"
#include "project/scope_input.h"
#include "record/seal.h"

/* A scope that was verified. */
typedef struct {
    cv_scope_id scope;
    cv_scope_position at;
} verified;

typedef struct {
    cv_call *call;
    struct {
        verified *items;
        size_t count, capacity;
    } scopes;
    int64_t commits, sealed_until;
    cv_str watermark;
    cv_notices warnings;
    cv_str text; /* for people, if they have asked */
} reporting;

static const cv_str watermark_words[] = {CV_STR_INIT("agrees"), CV_STR_INIT("missing")};
static const cv_words watermarks = {watermark_words, CV_COUNT(watermark_words)};

#define CV_THIS_TYPE verified
static const cv_shape verified_shape[] = {
    CV_FIELD_AS(ALWAYS, "room", scope.room, ""),
    CV_FIELD_AS(ALWAYS, "name", scope.name, "its id in the room"),
    CV_NUMBER(ALWAYS, "rev", at.rev, 1, CV_NO_LIMIT, ""),
    CV_NUMBER(ALWAYS, "events", at.event_count, 1, CV_NO_LIMIT, ""),
    CV_LONG_AS(ALWAYS, "head", at.head, CV_HASH_DIGITS, CV_HASH_DIGITS, "hash of the last event"),
    {0},
};
#undef CV_THIS_TYPE

#define CV_THIS_TYPE reporting
const cv_shape cv_verify_shape[] = {
    CV_SUCCESS,
    CV_LIST("scopes", scopes.items, scopes.count, verified_shape, "what was verified, of all rooms"),
    CV_NUMBER(ALWAYS, "commits", commits, 0, CV_NO_LIMIT, "how many writes they have"),
    CV_WORD(ALWAYS, "watermark", watermark, &watermarks,
            "whether the last commit that was acknowledged is known, and is there"),
    CV_NUMBER(IF_ANY, "sealed_until", sealed_until, 1, CV_NO_LIMIT, "the commit of the seal that was given"),
    CV_PLAIN_WARNINGS(IF_ANY, warnings, "what verify could not prove"),
    CV_PRINTED(text, "all of it as a page for people"),
    {0},
};
#undef CV_THIS_TYPE

static bool report_one(void *ctx, cv_scope_id scope, cv_err *err)
{
    reporting *r = ctx;
    cv_scope_position position;
    if (!cv_scopes_verify(r->call->record, r->call->arena, scope, &position, err))
        return false;
    r->commits += position.rev;
    scope.name = cv_arena_copy(r->call->arena, scope.name);
    *CV_PUSH(r->call->arena, &r->scopes) = (verified){scope, position};
    return true;
}

/* Every commit that the record had at the beginning is one of a scope that was verified. */
static bool report_all(reporting *r, cv_err *err)
{
    cv_record *record = r->call->record;
    cv_commit last;
    if (!record->calls->last_commit(record, &last, err) || !cv_scopes_each(r->call, CV_STR(""), report_one, r, err))
        return false;
    if (r->commits >= last.number)
        return true;
    cv_err_set(err, CV_ERR_VERIFY, "scopes: expected %lld commits in all of them, found %lld", (long long)last.number,
               (long long)r->commits);
    cv_err_value(err, CV_STR("scopes"));
    cv_err_suggest(err, CV_STR("keep this copy, restore the last backup that verifies, and compare the two"));
    return false;
}

/* ---- those that are asked for ------------------------------------------------------------------------------------ */

/* The scope that is named, or all of the room. */
static bool report_named(reporting *r, cv_scope_id named, cv_err *err)
{
    return named.name.n ? report_one(r, named, err) : cv_scopes_each(r->call, named.room, report_one, r, err);
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
    if (!call->record->calls->begin(call->record, call->arena, *ret_named, &at, &err))
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
        cv_err_operation(err, CV_STR("seal"));
        cv_err_suggest(err, CV_STR("prints a seal: give that line, or a file with it"));
        return false;
    }
    if (named && given.n <= CV_MAX_PATH && access(path, F_OK) == 0 && !cv_file_read_text(call->arena, path, &text, err))
        return false;
    return cv_seal_read(text, ret_seal, err);
}

/* The seal is made of the feed, which a transaction that is open on a server holds back (record/postgres/all_scopes.c).
 */
static void report_delay(reporting *r, const cv_seal *last)
{
    if (last->number < r->commits)
        cv_notice_add(
            &r->warnings, r->call->arena, CV_STR("feed_delayed"),
            "the scopes have %lld commits, the feed shows %lld: a transaction is open on the server; 'conclave "
            "doctor' names it",
            (long long)r->commits, (long long)last->number);
}

static bool verify_all(reporting *r, cv_scope_id named, const cv_seal *seal, cv_err *err)
{
    cv_record *record = r->call->record;
    cv_seal last;
    if (!record->calls->check(record, r->call->arena, err) ||
        !(named.room.n ? report_named(r, named, err) : report_all(r, err)) ||
        !cv_seal_record(record, seal, &last, err) || !record->calls->search_check(record, r->call->arena, err))
        return false;
    report_delay(r, &last);
    r->sealed_until = seal ? seal->number : CV_ABSENT;
    return true;
}

static bool check_watermark(reporting *r, const cv_seal *seal, cv_err *err)
{
    cv_watermark_state mark;
    if (!r->call->record->calls->acknowledged(r->call->record, r->call->arena, &mark, err))
        return false;
    r->watermark = watermark_words[mark != CV_WATERMARK_THERE];
    if (mark == CV_WATERMARK_MISSING && !seal)
        cv_notice_add(&r->warnings, r->call->arena, CV_STR("no_watermark"),
                      "the record has no watermark: only a seal can prove that its end was not cut "
                      "off");
    return true;
}

/*     the record is intact: 2 dialogues, 54 events, 11 commits
 *       dialogue nvidia-decision: rev 10, 53 events, 9055ab8f94c0
 */
static cv_str page_of(cv_call *call, const reporting *r, bool all)
{
    enum { DIGITS = 12, USUAL_WIDTH = 80, HANG = 4 };
    cv_arena *a = call->arena;
    size_t width = call->width ? call->width : USUAL_WIDTH;
    cv_scopes_tally tally = {0};
    cv_buf out = {0};
    long long events = 0;
    for (size_t i = 0; i < r->scopes.count; i++) {
        cv_scopes_count(&tally, a, r->scopes.items[i].scope.room);
        events += (long long)r->scopes.items[i].at.event_count;
    }
    cv_plain_wrap(&out,
                  cv_arena_printf(a, "%s intact: %.*s, %lld event%s, %lld commit%s",
                                  all ? "the record is" : "what was asked for is", CV_FMT(cv_scopes_counted(a, &tally)),
                                  events, CV_PLURAL(events), (long long)r->commits, CV_PLURAL(r->commits)),
                  width, 0, HANG);
    cv_buf_add_char(&out, '\n');
    for (size_t i = 0; i < r->scopes.count; i++) {
        const verified *v = &r->scopes.items[i];
        cv_str line =
            cv_arena_printf(a, "%.*s %.*s: rev %lld, %lld event%s, %.*s", CV_FMT(cv_scopes_noun(v->scope.room, 1)),
                            CV_FMT(v->scope.name), (long long)v->at.rev, (long long)v->at.event_count,
                            CV_PLURAL(v->at.event_count), CV_FMT(cv_str_head(v->at.head, DIGITS)));
        cv_buf_add_z(&out, "  ");
        cv_plain_wrap(&out, line, width, 2, HANG);
        cv_buf_add_char(&out, '\n');
    }
    if (r->sealed_until != CV_ABSENT)
        cv_buf_printf(&out, "it agrees with the seal, which was made at commit %lld\n", (long long)r->sealed_until);
    for (size_t i = 0; i < r->warnings.count; i++) {
        cv_plain_wrap(&out, cv_arena_printf(a, "! %.*s", CV_FMT(r->warnings.items[i].message)), width, 0, 2);
        cv_buf_add_char(&out, '\n');
    }
    return cv_buf_take(&out, a);
}

bool cv_record_verify(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    const cv_json *given = cv_json_get(call->input, CV_STR("seal"));
    reporting r = {.call = call};
    cv_seal line;
    const cv_seal *seal = given ? &line : NULL;
    cv_scope_id named;
    if (!check_named(call, &named))
        return false;
    if (given && !read_seal(call, given->text, &line, &err))
        return cv_call_fail(call, &err);
    if (!verify_all(&r, named, seal, &err) || !check_watermark(&r, seal, &err))
        return cv_call_fail(call, &err);
    if (call->for_people)
        r.text = page_of(call, &r, named.room.n == 0);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_verify_shape, &r);
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

/* A record that was moved to another store is taken as it is here, too, if its last commit is named. */
static bool come_back(cv_call *call, cv_err *err)
{
    cv_record *record = call->record;
    cv_str moved;
    if (!cv_json_get(call->input, CV_STR("commit")) || !cv_record_moved_to(record, call->arena, &moved, err))
        return err->code == CV_ERR_NONE;
    if (moved.n == 0)
        return true;
    if (!record->calls->hold(record, err))
        return false;
    bool ok = cv_record_note_moved(record, call->arena, CV_STR(""), err);
    return record->calls->release(record, ok, err) && ok;
}

typedef struct {
    int64_t commit;
    cv_str text;
} accepted;

#define CV_THIS_TYPE accepted
const cv_shape cv_accept_shape[] = {
    CV_SUCCESS,
    CV_NUMBER(ALWAYS, "commit", commit, 0, CV_NO_LIMIT, "the last commit from now on"),
    CV_PRINTED(text, "the same for people"),
    {0},
};
#undef CV_THIS_TYPE

bool cv_record_accept(cv_call *call)
{
    cv_err err = {.arena = call->arena};
    cv_commit last;
    if (!cv_project_is_local(call, "the loss of writes is accepted"))
        return false;
    if (!call->record->calls->last_commit(call->record, &last, &err) || !may_accept(call, &last, &err) ||
        !call->record->calls->accept(call->record, call->arena, &last, &err) || !come_back(call, &err))
        return cv_call_fail(call, &err);
    accepted done = {.commit = last.number};
    if (call->for_people)
        done.text = cv_arena_printf(call->arena, "The record is accepted as it is, up to commit %lld.\n",
                                    (long long)last.number);
    cv_shape_write(&(cv_json_writer){.out = call->out}, cv_accept_shape, &done);
    return true;
}
