/* journal.c - one write; see journal.h. */
#include "dialogue/journal.h"

#include <assert.h>

#include "kit/writing.h"
#include "record/hash.h"

struct cv_journal_write {
    cv_writing writing;
};

void cv_journal_begin(cv_journal *j, cv_call *call, const cv_state *state)
{
    char *now = cv_arena_alloc(call->arena, CV_TIME_LEN + 1);
    bool is_dated = cv_time_print(call->clock.now_ms(call->clock.ctx), now);
    *j = (cv_journal){call, state, {now, CV_TIME_LEN}, is_dated, CV_NEW(call->arena, struct cv_journal_write)};
    cv_writing *w = &j->write->writing;
    cv_writing_from(w, call->record, call->arena, cv_dialogue_scope(state->id), &state->position, j->now);
    w->locked = call->holds != NULL;
}

/* The row as it is written: that of the dialogue has its id. */
static const void *keyed(const cv_journal *j, cv_rec_kind kind, const void *row)
{
    if (kind != CV_REC_DIALOGUE)
        return row;
    cv_rec_dialogue *dialogue = cv_arena_dup(j->call->arena, row, sizeof *dialogue);
    dialogue->id = j->state->id;
    return dialogue;
}

void *cv_journal_put(cv_journal *j, cv_rec_kind kind, const void *row)
{
    return cv_writing_put(&j->write->writing, cv_kind_types[kind], keyed(j, kind, row));
}

cv_rec_event *cv_journal_event(cv_journal *j, char subject_type, cv_str subject_id, cv_str event_type, int64_t round,
                               cv_str actors)
{
    cv_str letter = cv_arena_copy(j->call->arena, (cv_str){&subject_type, 1});
    cv_rec_event *event = cv_writing_event(&j->write->writing, letter, subject_id, event_type);
    event->step = round;
    event->actors = actors;
    return event;
}

void cv_journal_covers(cv_journal *j, cv_rec_event *event, cv_rec_kind kind, const void *row)
{
    cv_writing_covers(&j->write->writing, event, cv_kind_types[kind], keyed(j, kind, row));
}

/* ---- op ids ------------------------------------------------------------------------------------------------------ */

/* The operation and its input, without what only says how to send it. The order of keys does not count. */
static cv_str request_digest(cv_call *call)
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
    cv_json_end_array(&w);
    cv_buf_flush(&text);
    cv_buf_release(&text);
    call->digest = cv_hash_end(&hash, call->arena);
    return call->digest;
}

void cv_journal_request(cv_call *call, cv_str operation)
{
    call->operation = operation;
    call->digest = (cv_str){NULL, 0};
    request_digest(call);
}

/* Absent: the caller gave none. */
static cv_str given_op_id(const cv_call *call)
{
    return cv_json_get_text(call->input, "op_id");
}

/* A write without an op_id gets one that no other has: a dialogue has one write of each rev. */
static cv_str op_id_of(cv_call *call, int64_t rev)
{
    cv_str given = given_op_id(call);
    return given.p ? given
                   : cv_arena_printf(call->arena, "rev-%lld-%.*s", (long long)rev, CV_FMT(request_digest(call)));
}

static bool op_conflict(cv_str op_id, cv_err *err)
{
    cv_err_set(err, CV_ERR_OP_CONFLICT, "the op_id '%.*s' was used for another request", CV_FMT(op_id));
    cv_err_field(err, CV_STR("op_id"));
    cv_err_value(err, op_id);
    cv_err_suggest(err, CV_STR("use a new op_id for a new request, or leave it out"));
    return false;
}

/* The names that writes without an op_id get are nobody else's: a request that had one could stand in their way. */
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
    cv_err_suggest(err, CV_STR("choose another op_id, or leave it out"));
    return false;
}

/* What a replay answers is data, which may have been damaged: it is printed anew from what could be read. */
static bool read_stored(cv_call *call, cv_str op_id, cv_outcome *ret, cv_err *err)
{
    cv_json answer;
    cv_buf text = {0};
    const char *what = cv_arena_printf(call->arena, "an answer, to the op_id '%.*s',", CV_FMT(op_id)).p;
    if (!cv_stored_json(call->arena, ret->result, what, &answer, err))
        return false;
    if (answer.type != CV_JSON_OBJECT)
        return cv_stored_corrupt(err, "%s that is not a JSON object", what);
    cv_json_value(&(cv_json_writer){.out = &text}, &answer);
    ret->result = cv_buf_take(&text, call->arena);
    ret->replayed = true;
    return true;
}

bool cv_journal_replayed(cv_call *call, cv_str dialogue_id, cv_outcome *ret, cv_err *err)
{
    cv_str op_id = given_op_id(call);
    cv_commit_row row;
    bool found;
    *ret = (cv_outcome){0};
    if (!op_id.p)
        return true;
    if (!cv_record_op(call->record, call->arena, cv_dialogue_scope(dialogue_id), op_id, &row, &found, err))
        return false;
    if (!found)
        return true;
    ret->rev = row.rev;
    ret->result = row.result;
    return cv_str_eq(row.digest, request_digest(call)) ? read_stored(call, op_id, ret, err) : op_conflict(op_id, err);
}

bool cv_journal_made(cv_call *call, cv_str dialogue_id, int64_t rev, cv_outcome *ret, cv_err *err)
{
    cv_commit_row row;
    bool found;
    *ret = (cv_outcome){0};
    if (!cv_commit_at(call->record, call->arena, dialogue_id, rev, &row, &found, err))
        return false;
    if (!found || !cv_str_eq(row.digest, request_digest(call)))
        return true;
    ret->rev = rev;
    ret->result = row.result;
    return read_stored(call, row.op_id, ret, err);
}

bool cv_journal_creation(cv_call *call, cv_str dialogue_id, char subject_type, cv_str subject_id, cv_rec_event *ret,
                         cv_err *err)
{
    cv_state history;
    cv_wanted wanted = {.kinds = CV_REC_BIT(EVENT), .about = &subject_id, .about_count = 1};
    *ret = (cv_rec_event){0};
    if (!cv_state_load(call, dialogue_id, &wanted, &history, err))
        return false;
    for (size_t i = 0; i < history.events.count && !ret->rev; i++) {
        const cv_rec_event *event = &history.events.items[i];
        if (cv_str_eq(event->subject_type, (cv_str){&subject_type, 1}) &&
            cv_str_eq(event->event_type, cv_event_words.items[CV_EVENT_CREATED]))
            *ret = *event;
    }
    return true;
}

/* ---- commit ------------------------------------------------------------------------------------------------------ */

static bool rev_conflict(const cv_state *state, int64_t expected, cv_err *err)
{
    cv_err_set(err, CV_ERR_REV_CONFLICT, "the dialogue '%.*s' is at rev %lld, not at %lld", CV_FMT(state->id),
               (long long)state->position.rev, (long long)expected);
    cv_err_field(err, CV_STR("expect_rev"));
    cv_err_suggest(err, CV_STR("read the dialogue again and send the request with its present rev"));
    return false;
}

/* What became of the write. Without an op_id nothing is a replay: an equal request of somebody else has taken this rev,
 * and this one comes after it. For a caller who insisted on a rev the engine's error names the present one. */
static bool settled(cv_call *call, cv_write_result result, cv_str op_id, cv_outcome *ret, cv_err *err)
{
    bool named = given_op_id(call).p, insisted = cv_json_get(call->input, CV_STR("expect_rev"));
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
            cv_err_suggest(err, CV_STR("it may or may not be written: look at the dialogue before you send it again; a "
                                       "request with an op_id can be sent again at any time"));
        break;
    case CV_WRITE_BUSY:
    case CV_WRITE_FAILED:
        break;
    }
    return false;
}

bool cv_journal_expected(const cv_journal *j, cv_err *err)
{
    const cv_json *given = cv_json_get(j->call->input, CV_STR("expect_rev"));
    int64_t expected;
    return !given || !cv_json_to_int(given, &expected) || expected == j->state->position.rev ||
           rev_conflict(j->state, expected, err);
}

bool cv_journal_commit(cv_journal *j, cv_str result, cv_outcome *ret, cv_err *err)
{
    cv_call *call = j->call;
    *ret = (cv_outcome){.result = result};
    if (!cv_journal_expected(j, err))
        return false;
    if (is_own_name(given_op_id(call)))
        return refuse_own_name(given_op_id(call), err);
    if (!j->is_dated)
        return cv_clock_fail(err);
    const cv_request request = {.op_id = op_id_of(call, j->state->position.rev + 1),
                                .digest = request_digest(call),
                                .operation = call->operation};
    cv_written written;
    cv_writing_commit(&j->write->writing, &request, result, &written, err);
    ret->rev = written.rev;
    ret->result = written.result;
    return settled(call, written.how, request.op_id, ret, err);
}

void cv_journal_answer(cv_call *call, const cv_outcome *outcome)
{
    assert(outcome->result.n >= 2 && outcome->result.p[outcome->result.n - 1] == '}');
    cv_str open = cv_str_head(outcome->result, outcome->result.n - 1);
    cv_buf_add(call->out, open);
    cv_buf_printf(call->out, "%s\"rev\":%lld%s}", open.n > 1 ? "," : "", (long long)outcome->rev,
                  outcome->replayed ? ",\"replayed\":true" : "");
}
