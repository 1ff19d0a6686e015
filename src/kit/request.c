/* request.c - what all writing operations do alike; see request.h. */
#include "kit/request.h"

#include <assert.h>

#include "record/hash.h"
#include "record/stored.h"

enum { FREE_TRIES = 3 }; /* then the turn is taken */

cv_str cv_call_now(const cv_call *call)
{
    char *now = cv_arena_alloc(call->arena, CV_TIME_LEN + 1);
    bool is_dated = cv_time_print(call->clock.now_ms(call->clock.ctx), now);
    return is_dated ? (cv_str){now, CV_TIME_LEN} : (cv_str){NULL, 0};
}

/* ---- op ids ------------------------------------------------------------------------------------------------------ */

cv_str cv_request_digest(cv_call *call)
{
    static const cv_str aside[] = {CV_STR_INIT("op_id"), CV_STR_INIT("expect_rev"), CV_STR_INIT("dry_run")};
    cv_hash hash;
    cv_buf text = {.sink = cv_hash_add, .sink_to = &hash};
    cv_json_writer w = {.out = &text};
    if (call->digest.p)
        return call->digest;
    cv_hash_begin(&hash);
    cv_json content = {.type = CV_JSON_OBJECT};
    content.members = CV_NEW_ARRAY(call->arena, call->input->count, cv_json_member);
    for (uint32_t i = 0; i < call->input->count; i++)
        if (cv_words_find((cv_words){aside, CV_COUNT(aside)}, call->input->members[i].key) < 0)
            content.members[content.count++] = call->input->members[i];
    cv_json_begin_array(&w);
    cv_json_str(&w, call->operation);
    cv_json_canonical(&w, call->arena, &content);
    if (call->who.name.p)
        cv_json_str(&w, call->who.name);
    cv_json_end_array(&w);
    cv_buf_flush(&text);
    cv_buf_release(&text);
    call->digest = cv_hash_end(&hash, call->arena);
    return call->digest;
}

/* What a try has kept may be in memory that is given back. */
static void forget_try(cv_call *call)
{
    call->digest = (cv_str){NULL, 0};
    call->left = NULL;
}

void cv_request_begin(cv_call *call, cv_str operation)
{
    assert(operation.n > 0);
    call->operation = operation;
    forget_try(call);
}

/* Absent: the caller gave none. */
static cv_str given_op_id(const cv_call *call)
{
    return cv_json_get_text(call->input, "op_id");
}

/* A write without an op_id gets one that no other has: a scope has one write of each rev. */
static cv_str op_id_of(cv_call *call, int64_t rev)
{
    cv_str given = given_op_id(call);
    return given.p ? given
                   : cv_arena_printf(call->arena, "rev-%lld-%.*s", (long long)rev, CV_FMT(cv_request_digest(call)));
}

/* What only the commit itself needs. */
static void complete(void *ctx, cv_request *request, int64_t rev)
{
    request->digest = cv_request_digest(ctx);
    request->op_id = op_id_of(ctx, rev);
}

static bool op_conflict(cv_str op_id, cv_err *err)
{
    cv_err_set(err, CV_ERR_OP_CONFLICT, "the op_id '%.*s' was used for another request", CV_FMT(op_id));
    cv_err_field(err, CV_STR("op_id"));
    cv_err_value(err, op_id);
    cv_err_suggest(err, CV_STR("use a new 'op_id' for a new request, or leave it out"));
    return false;
}

/* The names that writes without an op_id get are nobody else's: a request that had one could collide with them. */
static bool is_own_name(cv_str op_id)
{
    size_t digits = 0;
    if (!cv_str_starts(op_id, CV_STR("rev-")))
        return false;
    cv_str rest = cv_str_from(op_id, 4);
    while (digits < rest.n && rest.p[digits] >= '0' && rest.p[digits] <= '9')
        digits++;
    return digits > 0 && rest.n == digits + 1 + CV_HASH_DIGITS && rest.p[digits] == '-';
}

static bool refuse_own_name(cv_str op_id, cv_err *err)
{
    cv_err_set(err, CV_ERR_INVALID_VALUE, "an op_id of the form rev-N-HASH belongs to a write without an op_id");
    cv_err_field(err, CV_STR("op_id"));
    cv_err_value(err, op_id);
    cv_err_suggest(err, CV_STR("choose another 'op_id', or leave it out"));
    return false;
}

/* What a replay answers is data, which may have been damaged: it is printed again from what could be read. */
static bool read_stored(cv_call *call, cv_str op_id, cv_outcome *ret, cv_err *err)
{
    cv_json answer;
    cv_buf text = {0};
    const char *what = cv_arena_printf(call->arena, "an answer, to the op_id '%.*s',", CV_FMT(op_id)).p;
    if (cv_is_redacted(ret->result, NULL)) {
        cv_err_set(err, CV_ERR_REDACTED,
                   "the request with the op_id '%.*s' was done, at rev %lld; its answer was redacted", CV_FMT(op_id),
                   (long long)ret->rev);
        cv_err_field(err, CV_STR("op_id"));
        cv_err_suggest(err, CV_STR("read what it wrote; do not send it again"));
        return false;
    }
    if (!cv_stored_json(call->arena, ret->result, what, &answer, err))
        return false;
    if (answer.type != CV_JSON_OBJECT)
        return cv_stored_corrupt(err, "%s that is not a JSON object", what);
    cv_json_value(&(cv_json_writer){.out = &text}, &answer);
    ret->result = cv_buf_take(&text, call->arena);
    ret->replayed = true;
    return true;
}

bool cv_request_replayed(cv_call *call, cv_scope_id scope, cv_outcome *ret, cv_err *err)
{
    cv_str op_id = given_op_id(call);
    cv_commit_row row;
    bool found;
    *ret = (cv_outcome){0};
    if (!op_id.p)
        return true;
    if (!cv_record_op(call->record, call->arena, scope, op_id, &row, &found, err))
        return false;
    if (!found)
        return true;
    ret->rev = row.rev;
    ret->result = row.result;
    return cv_str_eq(row.digest, cv_request_digest(call)) ? read_stored(call, op_id, ret, err)
                                                          : op_conflict(op_id, err);
}

bool cv_request_made(cv_call *call, cv_scope_id scope, int64_t rev, cv_outcome *ret, cv_err *err)
{
    cv_commit_row row;
    bool found;
    *ret = (cv_outcome){0};
    if (!cv_record_commit_at(call->record, call->arena, scope, rev, &row, &found, err))
        return false;
    if (!found || !cv_str_eq(row.digest, cv_request_digest(call)))
        return true;
    ret->rev = rev;
    ret->result = row.result;
    return read_stored(call, row.op_id, ret, err);
}

/* ---- commit ------------------------------------------------------------------------------------------------------ */

/* Is the scope at the rev that the caller expects, if any? */
static bool is_expected(const cv_call *call, const cv_writing *w, cv_err *err)
{
    const cv_json *given = cv_json_get(call->input, CV_STR("expect_rev"));
    int64_t expected;
    if (!given || !cv_json_to_int(given, &expected) || expected == w->at.rev)
        return true;
    cv_err_set(err, CV_ERR_REV_CONFLICT, "the %.*s '%.*s' is at rev %lld, not at %lld", CV_FMT(w->scope.room),
               CV_FMT(w->scope.name), (long long)w->at.rev, (long long)expected);
    cv_err_field(err, CV_STR("expect_rev"));
    cv_err_suggest(err, cv_arena_printf(err->arena, "read the %.*s again and send the request with its present rev",
                                        CV_FMT(w->scope.room)));
    return false;
}

/* What became of the write. Without an op_id nothing is a replay: an equal request of somebody else has taken this rev,
 * and this one comes after it. For a caller who insisted on a rev the engine's error names the present one. */
static bool settled(cv_call *call, cv_write_result result, cv_outcome *ret, cv_err *err)
{
    cv_str op_id = given_op_id(call);
    bool named = op_id.p, insisted = cv_json_get(call->input, CV_STR("expect_rev"));
    bool is_taken = result == CV_WRITE_FAILED && err->code == CV_ERR_OP_CONFLICT; /* refused in the words of above */
    ret->tried = result != CV_WRITE_CONFLICT && !is_taken && (named || result != CV_WRITE_REPLAYED);
    switch (result) {
    case CV_WRITE_DONE:
        return true;
    case CV_WRITE_REPLAYED:
        if (named)
            return read_stored(call, op_id, ret, err);
        ret->conflict = true;
        return true;
    case CV_WRITE_CONFLICT:
        ret->conflict = !insisted;
        return !insisted;
    case CV_WRITE_UNKNOWN:
        if (!named)
            cv_err_suggest(err, CV_STR("it may or may not be written: look before you send it again; a "
                                       "request with an op_id can be sent again at any time"));
        break;
    case CV_WRITE_BUSY:
    case CV_WRITE_FAILED:
        break;
    }
    return false;
}

static bool commit(cv_call *call, cv_writing *w, cv_str result, cv_outcome *ret, cv_err *err)
{
    if (is_own_name(given_op_id(call)))
        return refuse_own_name(given_op_id(call), err);
    if (!w->now.p)
        return cv_clock_fail(err);
    const cv_request request = {.op_id = given_op_id(call), .operation = call->operation};
    cv_written written;
    w->complete = complete;
    w->complete_ctx = call;
    if (call->who.name.p) {
        w->agent = call->who.name;
        w->standing = call->who.standing;
    }
    cv_writing_commit(w, &request, result, &written, err);
    ret->rev = written.rev;
    ret->result = written.result;
    return settled(call, written.how, ret, err);
}

bool cv_request_commit(cv_call *call, cv_writing *w, cv_str result, cv_outcome *ret)
{
    cv_err err = {.arena = call->arena};
    assert(result.n >= 2 && result.p[result.n - 1] == '}');
    *ret = (cv_outcome){.rev = w->at.rev, .result = result};
    if (!is_expected(call, w, &err))
        return cv_call_fail(call, &err);
    ret->replayed = cv_writing_is_empty(w) && !w->idle;
    if (cv_writing_is_empty(w))
        return true;
    if (call->record->to_write && call->record->to_write->is_mixed) {
        ret->conflict = true;
        return true;
    }
    if (!cv_json_get_true(call->input, "dry_run"))
        return commit(call, w, result, ret, &err) || cv_call_fail(call, &err);
    ret->result = cv_arena_join(call->arena, cv_str_head(result, result.n - 1), CV_STR(",\"dry_run\":true}"));
    return true;
}

void cv_request_answer(cv_call *call, const cv_outcome *outcome)
{
    assert(outcome->result.n >= 2 && outcome->result.p[outcome->result.n - 1] == '}');
    cv_str open = cv_str_head(outcome->result, outcome->result.n - 1);
    cv_buf_add(call->out, open);
    cv_buf_printf(call->out, "%s\"rev\":%lld%s}", open.n > 1 ? "," : "", (long long)outcome->rev,
                  outcome->replayed ? ",\"replayed\":true" : "");
}

/* ---- tries ------------------------------------------------------------------------------------------------------- */

/* Was the request refused only because it had been done by then? Then the fault is forgotten. */
static bool done_by_a_rival(cv_call *call, cv_scope_id scope, size_t faults_before, cv_outcome *outcome)
{
    assert(call->errs->count > faults_before && "a refusal has its reasons");
    cv_err err = {.arena = call->arena}; /* the refusal stands when this cannot be answered */
    if (!cv_err_is_refusal(call->errs->items[faults_before].code) || !cv_request_replayed(call, scope, outcome, &err) ||
        !outcome->replayed)
        return false;
    call->errs->count = faults_before;
    return true;
}

/* One try: answered as before, done, refused, or overtaken (outcome->conflict). */
static bool try_once(cv_call *call, cv_scope_id scope, cv_work work, cv_outcome *outcome)
{
    cv_err err = {.arena = call->arena};
    size_t faults = call->errs->count;
    if (!cv_request_replayed(call, scope, outcome, &err))
        return cv_call_fail(call, &err);
    return outcome->replayed || work(call, outcome) || done_by_a_rival(call, scope, faults, outcome);
}

/* The last try, while nobody else can write: it is overtaken only by what cannot be. */
static bool try_alone(cv_call *call, cv_scope_id scope, cv_work work, cv_outcome *outcome)
{
    cv_err err = {.arena = call->arena};
    cv_scope_position at;
    assert(!call->holds);
    if (!call->record->calls->lock(call->record, call->arena, scope, given_op_id(call), &at, &err))
        return cv_call_fail(call, &err);
    call->holds = &at;
    bool ok = try_once(call, scope, work, outcome);
    call->holds = NULL;
    call->record->calls->end(call->record);
    if (!ok || !outcome->conflict)
        return ok;
    cv_stored_corrupt(&err, "a write of '%.*s' with a rev in the future", CV_FMT(scope.name));
    return cv_call_fail(call, &err);
}

/* The first try on a store that is far away. What it did not write, or was refused, may be so because of rows that are
 * not the present ones, or because it was done before: then it counts as overtaken. */
static bool try_at_once(cv_call *call, cv_work work, cv_outcome *outcome, const cv_reading_to_write *to_write)
{
    size_t faults = call->errs->count;
    *outcome = (cv_outcome){0};
    bool ok = work(call, outcome);
    if (outcome->tried || outcome->conflict)
        return ok;
    bool is_refused = !ok && cv_err_is_refusal(call->errs->items[faults].code);
    if (!to_write->was_kept && !(given_op_id(call).p && (ok || is_refused)))
        return ok;
    outcome->conflict = true;
    return true;
}

/* One of the tries without the lock. A work may make other requests. */
static bool try_freely(cv_call *call, cv_scope_id scope, cv_work work, bool at_once, cv_outcome *outcome)
{
    cv_reading_to_write to_write = {.may_be_kept = at_once};
    cv_reading_to_write *outer = call->record->to_write;
    call->record->to_write = &to_write;
    bool ok = at_once ? try_at_once(call, work, outcome, &to_write) : try_once(call, scope, work, outcome);
    call->record->to_write = outer;
    return ok;
}

bool cv_request_run(cv_call *call, cv_str operation, cv_scope_id scope, cv_work work)
{
    cv_outcome outcome = {0};
    bool is_far = call->record->calls->look && !cv_json_get_true(call->input, "dry_run");
    cv_request_begin(call, operation);
    const cv_arena mark = *call->arena;
    const cv_errs before = *call->errs;
    for (int tries = is_far ? -1 : 0; tries < FREE_TRIES; tries++) {
        if (!try_freely(call, scope, work, tries < 0, &outcome))
            return false;
        if (!outcome.conflict)
            break;
        *call->errs = before; /* nothing of a try that was overtaken is kept */
        forget_try(call);
        cv_arena_rewind(call->arena, mark);
    }
    if (outcome.conflict && !try_alone(call, scope, work, &outcome))
        return false;
    cv_request_answer(call, &outcome);
    return true;
}

/* Was it done before, here, or as another request that made another scope? */
static bool ask_locked(cv_call *call, cv_writing *w, cv_outcome *ret, cv_err *err)
{
    const cv_request request = {
        .op_id = given_op_id(call), .digest = cv_request_digest(call), .operation = call->operation};
    cv_written before;
    *ret = (cv_outcome){0};
    if (!request.op_id.p)
        return true;
    if (!cv_writing_done_before(w, &request, &before, err))
        return false;
    ret->rev = before.rev;
    ret->result = before.result;
    return before.how != CV_WRITE_REPLAYED || read_stored(call, request.op_id, ret, err);
}

/* The write while its lock is held: answered as before, or done. */
static bool write_locked(cv_call *call, cv_writing *w, cv_locked_work work, void *ctx, cv_outcome *outcome)
{
    cv_err err = {.arena = call->arena};
    cv_str result;
    if (!ask_locked(call, w, outcome, &err))
        return cv_call_fail(call, &err);
    return outcome->replayed || (work(call, w, ctx, &result) && cv_request_commit(call, w, result, outcome));
}

bool cv_request_locked(cv_call *call, cv_str operation, cv_scope_id scope, cv_locked_work work, void *ctx)
{
    cv_err err = {.arena = call->arena};
    cv_outcome outcome = {0};
    cv_writing w;
    assert(!call->holds);
    cv_request_begin(call, operation);
    if (!cv_writing_begin(&w, call->record, call->arena, scope, given_op_id(call), cv_call_now(call), &err))
        return cv_call_fail(call, &err);
    bool ok = write_locked(call, &w, work, ctx, &outcome);
    cv_writing_end(&w);
    if (ok)
        cv_request_answer(call, &outcome);
    return ok;
}
