/* journal.c - one write; see journal.h. */
#include "dialogue/journal.h"

#include <assert.h>
#include <stdlib.h>

#include "record/chain.h"

typedef struct {
    void **items; /* each row stands for itself, so that pointers to it stay good */
    size_t count, capacity;
} row_list;

typedef struct {
    cv_rec_event *event;
    cv_rec_kind kind;
    cv_str key;
} cover;

struct cv_journal_rows {
    row_list lists[CV_REC_COUNT];
    cv_map by_key; /* rows that may change: key -> row */
    struct {
        cover *items;
        size_t count, capacity;
    } covers;
};

void cv_journal_begin(cv_journal *j, cv_call *call, const cv_state *state)
{
    char *now = cv_arena_alloc(call->arena, CV_TIME_LEN + 1);
    bool is_dated = cv_time_print(call->clock.now_ms(call->clock.ctx), now);
    *j = (cv_journal){call, state, {now, CV_TIME_LEN}, is_dated, CV_NEW(call->arena, struct cv_journal_rows)};
}

void *cv_journal_put(cv_journal *j, cv_rec_kind kind, const void *row)
{
    cv_arena *a = j->call->arena;
    size_t size = cv_rec_types[kind].size;
    uintptr_t *known = NULL;
    if (!cv_rec_is_fixed(kind)) {
        known = cv_map_put(&j->rows->by_key, a, cv_row_key(a, kind, row), NULL);
        if (*known)
            return memmove((void *)*known, row, size);
    }
    void *kept = cv_arena_dup(a, row, size);
    *CV_PUSH(a, &j->rows->lists[kind]) = kept;
    if (known)
        *known = (uintptr_t)kept;
    return kept;
}

cv_rec_event *cv_journal_event(cv_journal *j, char subject_type, cv_str subject_id, cv_str event_type, int64_t round,
                               cv_str actors)
{
    cv_arena *a = j->call->arena;
    cv_rec_event event = {.subject_type = cv_arena_copy(a, (cv_str){&subject_type, 1}),
                          .subject_id = subject_id,
                          .event_type = event_type,
                          .event_round = round,
                          .actors = actors,
                          .created_at = j->now};
    event.event_seq = j->state->position.event_count + (int64_t)j->rows->lists[CV_REC_EVENT].count + 1;
    return cv_journal_put(j, CV_REC_EVENT, &event);
}

void cv_journal_covers(cv_journal *j, cv_rec_event *event, cv_rec_kind kind, const void *row)
{
    assert(!cv_rec_is_fixed(kind));
    *CV_PUSH(j->call->arena, &j->rows->covers) = (cover){event, kind, cv_row_key(j->call->arena, kind, row)};
}

/* ---- op ids ------------------------------------------------------------------------------------------------------ */

/* The operation and its input, without what only says how to send it. The order of keys does not count. */
static cv_str request_digest(cv_call *call)
{
    static const cv_str aside[] = {CV_STR_INIT("op_id"), CV_STR_INIT("expect_rev"), CV_STR_INIT("dry_run")};
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    if (call->digest.p)
        return call->digest;
    cv_json content = {.type = CV_JSON_OBJECT};
    content.members = CV_NEW_ARRAY(call->arena, call->input->count, cv_json_member);
    for (uint32_t i = 0; i < call->input->count; i++)
        if (cv_words_find((cv_words){aside, CV_COUNT(aside)}, call->input->members[i].key) < 0)
            content.members[content.count++] = call->input->members[i];
    cv_json_begin_array(&w);
    cv_json_str(&w, call->operation);
    cv_json_canonical(&w, call->arena, &content);
    cv_json_end_array(&w);
    call->digest = cv_sha256(call->arena, cv_buf_str(&text));
    cv_buf_release(&text);
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
    return digits > 0 && rest.n == digits + 1 + CV_HASH_LEN && rest.p[digits] == '-';
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
    cv_str op_id = given_op_id(call), stored;
    bool found;
    *ret = (cv_outcome){0};
    if (!op_id.p)
        return true;
    if (!call->store->calls->op_result(call->store, call->arena, dialogue_id, op_id, &ret->rev, &stored, &ret->result,
                                       &found, err))
        return false;
    if (!found)
        return true;
    return cv_str_eq(stored, request_digest(call)) ? read_stored(call, op_id, ret, err) : op_conflict(op_id, err);
}

bool cv_journal_made(cv_call *call, cv_str dialogue_id, int64_t rev, cv_outcome *ret, cv_err *err)
{
    cv_str op_id, stored;
    bool found;
    *ret = (cv_outcome){.rev = rev};
    if (!call->store->calls->op_at(call->store, call->arena, dialogue_id, rev, &op_id, &stored, &ret->result, &found,
                                   err))
        return false;
    if (found && cv_str_eq(stored, request_digest(call)))
        return read_stored(call, op_id, ret, err);
    *ret = (cv_outcome){0};
    return true;
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

typedef struct {
    cv_rec_kind kind;
    const void *row;
} added_row;

static int by_snapshot_order(const void *x, const void *y)
{
    const added_row *a = x, *b = y;
    return a->kind != b->kind ? (int)a->kind - (int)b->kind : cv_row_compare(a->kind, a->row, b->row);
}

/* One digest over all rows that are only added, in the order in which a snapshot would return them. */
static cv_str digest_of_added(cv_journal *j, bool *ret_any)
{
    struct {
        added_row *items;
        size_t count, capacity;
    } rows = {0};
    for (int kind = 0; kind < CV_REC_EVENT; kind++)
        for (size_t i = 0; cv_rec_is_fixed((cv_rec_kind)kind) && i < j->rows->lists[kind].count; i++)
            *CV_PUSH(j->call->arena, &rows) = (added_row){(cv_rec_kind)kind, j->rows->lists[kind].items[i]};
    *ret_any = rows.count > 0;
    if (rows.count > 1)
        qsort(rows.items, rows.count, sizeof *rows.items, by_snapshot_order);
    cv_digest *digest = cv_digest_begin(j->call->arena);
    for (size_t i = 0; i < rows.count; i++)
        cv_digest_row(digest, rows.items[i].kind, rows.items[i].row);
    return cv_digest_end(digest);
}

static int by_event(const void *x, const void *y)
{
    const cover *a = x, *b = y;
    int order = CV_ORDER(a->event->event_seq, b->event->event_seq);
    return order ? order : cv_str_order(a->key, b->key);
}

static void write_cover(cv_journal *j, const cover *c, cv_json_writer *w)
{
    const uintptr_t *row = cv_map_get(&j->rows->by_key, c->key);
    assert(row); /* only rows of this write can be vouched for */
    cv_digest *digest = cv_digest_begin(j->call->arena);
    cv_digest_row(digest, c->kind, (const void *)*row);
    cv_json_key(w, c->key);
    cv_json_str(w, cv_digest_end(digest));
}

/* Fills in the `covers` of every event; the last one vouches for the write's own row, too. */
static void vouch(cv_journal *j, cv_str op)
{
    struct cv_journal_rows *rows = j->rows;
    row_list *events = &rows->lists[CV_REC_EVENT];
    cv_map vouched = {0};
    bool any_added;
    cv_str added = digest_of_added(j, &any_added);
    if (rows->covers.count > 1)
        qsort(rows->covers.items, rows->covers.count, sizeof *rows->covers.items, by_event);
    size_t next = 0;
    for (size_t i = 0; i < events->count; i++) {
        cv_rec_event *event = events->items[i];
        bool last = i + 1 == events->count;
        cv_buf text = {0};
        cv_json_writer w = {.out = &text};
        cv_json_begin_object(&w);
        for (; next < rows->covers.count && rows->covers.items[next].event == event; next++) {
            bool twice = next > 0 && rows->covers.items[next - 1].event == event &&
                         cv_str_eq(rows->covers.items[next - 1].key, rows->covers.items[next].key);
            if (!twice)
                write_cover(j, &rows->covers.items[next], &w);
            cv_map_put(&vouched, j->call->arena, rows->covers.items[next].key, NULL);
        }
        if (last && any_added)
            cv_json_key_str(&w, "added", added);
        if (last)
            cv_json_key_str(&w, "op", op);
        cv_json_end_object(&w);
        event->covers = cv_buf_take(&text, j->call->arena);
    }
    assert(vouched.count == rows->by_key.count); /* a row without an event could be changed unnoticed */
}

/* Hashes the events one after the other; returns the head. */
static cv_str chain(cv_journal *j)
{
    row_list *events = &j->rows->lists[CV_REC_EVENT];
    cv_str head = j->state->position.head;
    if (j->state->position.event_count == 0)
        head = cv_chain_root(j->call->arena, j->state->id);
    for (size_t i = 0; i < events->count; i++) {
        cv_rec_event *event = events->items[i];
        event->hash = head = cv_event_hash(j->call->arena, head, event);
    }
    return head;
}

/* The rows of a kind side by side, as the store wants them. */
static const void *side_by_side(cv_arena *a, cv_rec_kind kind, const row_list *list)
{
    size_t size = cv_rec_types[kind].size;
    char *rows = list->count ? cv_arena_array(a, list->count, size) : NULL;
    for (size_t i = 0; i < list->count; i++)
        memcpy(rows + i * size, list->items[i], size);
    return rows;
}

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
static bool settled(cv_call *call, cv_store_result result, cv_str op_id, cv_outcome *ret, cv_err *err)
{
    bool named = given_op_id(call).p, insisted = cv_json_get(call->input, CV_STR("expect_rev"));
    switch (result) {
    case CV_STORE_DONE:
        return true;
    case CV_STORE_REPLAYED:
        if (named)
            return read_stored(call, op_id, ret, err);
        ret->conflict = true;
        return true;
    case CV_STORE_CONFLICT:
        ret->conflict = !insisted;
        return !insisted;
    case CV_STORE_UNKNOWN:
        if (!named)
            cv_err_suggest(err, CV_STR("it may or may not be written: look at the dialogue before you send it again; a "
                                       "request with an op_id can be sent again at any time"));
        break;
    case CV_STORE_BUSY:
    case CV_STORE_FAILED:
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
    assert(j->rows->lists[CV_REC_EVENT].count > 0);
    cv_op op = {.dialogue_id = j->state->id,
                .op_id = op_id_of(call, j->state->position.rev + 1),
                .op_digest = request_digest(call),
                .expect_rev = j->state->position.rev,
                .expect_head = j->state->position.head,
                .now = j->now,
                .result = result};
    vouch(j, cv_op_row_digest(call->arena, &(cv_op_row){.op_id = op.op_id,
                                                        .rev = op.expect_rev + 1,
                                                        .digest = op.op_digest,
                                                        .created_at = op.now,
                                                        .result = op.result}));
    op.head = chain(j);
    op.event_count = j->state->position.event_count + (int64_t)j->rows->lists[CV_REC_EVENT].count;
    cv_changes changes = {0};
    for (int kind = 0; kind < CV_REC_COUNT; kind++) {
        changes.counts[kind] = j->rows->lists[kind].count;
        changes.items[kind] = side_by_side(call->arena, (cv_rec_kind)kind, &j->rows->lists[kind]);
    }
    cv_store_result done =
        call->store->calls->commit(call->store, call->arena, &op, &changes, &ret->rev, &ret->result, err);
    if (done == CV_STORE_DONE)
        ret->result = result;
    return settled(call, done, op.op_id, ret, err);
}

void cv_journal_answer(cv_call *call, const cv_outcome *outcome)
{
    assert(outcome->result.n >= 2 && outcome->result.p[outcome->result.n - 1] == '}');
    cv_str open = cv_str_head(outcome->result, outcome->result.n - 1);
    cv_buf_add(call->out, open);
    cv_buf_printf(call->out, "%s\"rev\":%lld%s}", open.n > 1 ? "," : "", (long long)outcome->rev,
                  outcome->replayed ? ",\"replayed\":true" : "");
}
