/* calls.c - calling agents, many at the same time; see calls.h and parts.h. */
#include "run/calls.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/heap.h"
#include "base/monotonic.h"
#include "base/plain.h"
#include "base/signals.h"
#include "base/utf8.h"
#include "record/hash.h"
#include "run/parts.h"

static const cv_str outcome_words[] = {
#define OUTCOME(id, word, again, meaning) [CV_CALL_##id] = CV_STR_INIT(word),
#include "run/outcomes.def"
#undef OUTCOME
};
_Static_assert(CV_COUNT(outcome_words) == CV_CALL_COUNT, "a word for each");
const cv_words cv_outcome_words = {outcome_words, CV_COUNT(outcome_words)};

/* ---- what came --------------------------------------------------------------------------------------------------- */

void cv_tail_add(cv_tail *tail, cv_str bytes)
{
    tail->n += bytes.n;
    cv_str last = bytes.n > CV_CALLS_TAIL ? cv_str_from(bytes, bytes.n - CV_CALLS_TAIL) : bytes;
    size_t kept = tail->n - bytes.n, room = CV_CALLS_TAIL - last.n;
    kept = kept > CV_CALLS_TAIL ? CV_CALLS_TAIL : kept;
    size_t drop = kept > room ? kept - room : 0;
    memmove(tail->bytes, tail->bytes + drop, kept - drop);
    if (last.n)
        memcpy(tail->bytes + kept - drop, last.p, last.n);
}

cv_str cv_tail_text(cv_arena *a, const cv_tail *tail, const cv_secrets *secrets)
{
    bool whole = tail->n <= CV_CALLS_TAIL;
    cv_str bytes = {tail->bytes, whole ? tail->n : CV_CALLS_TAIL}, line;
    cv_buf out = {0};
    bytes = whole ? cv_secrets_hide(a, secrets, bytes) : cv_secrets_hide_end(a, secrets, bytes);
    while (!whole && bytes.n > 0 && cv_utf8_continues(bytes.p[0]))
        bytes = cv_str_from(bytes, 1);
    bytes = cv_str_trim(bytes);
    for (bool first = true; bytes.n > 0 && cv_str_split(&bytes, '\n', &line); first = false) {
        cv_buf_add_z(&out, first ? "" : "\n");
        cv_plain_add(&out, cv_str_trim_right(line));
    }
    return cv_buf_take(&out, a);
}

void cv_one_decide(cv_one *one, cv_calls_outcome outcome, const char *format, ...)
{
    assert(outcome < CV_CALL_COUNT);
    va_list args;
    if (one->decided)
        return;
    va_start(args, format);
    one->decided = true;
    one->result.outcome = outcome;
    one->result.message = cv_arena_vprintf(&one->arena, format, args);
    va_end(args);
}

cv_str cv_one_seconds(cv_one *one, int64_t ms)
{
    return cv_arena_printf(&one->arena, "%.10g second%s", (double)ms / 1000, ms == 1000 ? "" : "s");
}

void cv_one_add(cv_one *one, cv_str bytes, int64_t most)
{
    if (one->decided)
        return;
    if (one->spool.bytes + (int64_t)bytes.n > most)
        cv_one_decide(one, CV_CALL_TOO_LARGE, "the answer has more than the %lld bytes that are allowed",
                      (long long)most);
    else if (!cv_spool_add(&one->spool, bytes))
        cv_one_decide(one, CV_CALL_FAILED, "the answer cannot be kept: %s; %s", cv_system_reason(errno),
                      cv_system_advice(errno));
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static const char *from_environment(void *ctx, const char *name)
{
    (void)ctx;
    return getenv(name);
}

cv_calls *cv_calls_open(const cv_calls_world *world)
{
    cv_calls *calls = CV_HEAP_NEW(cv_calls);
    calls->world = world ? *world : (cv_calls_world){0};
    if (!calls->world.variable)
        calls->world.variable = from_environment;
    if (!calls->world.kill_after_ms)
        calls->world.kill_after_ms = CV_CALLS_KILL_AFTER_MS;
    if (!calls->world.stall_ms)
        calls->world.stall_ms = CV_CALLS_STALL_MS;
    calls->guard.fd = -1;
    calls->page = cv_heap_alloc(CV_CALLS_PAGE);
    cv_signals_begin(); /* a command that does not read its prompt is an error of the write to it */
    return calls;
}

static void release(cv_calls *calls, cv_one *one)
{
    cv_process_release(calls, one);
    cv_endpoint_release(calls, one);
    cv_spool_close(&one->spool);
    cv_arena_release(&one->arena);
    cv_heap_free(one);
}

void cv_calls_close(cv_calls *calls)
{
    if (!calls)
        return;
    for (cv_one *one = calls->first, *next; one; one = next) {
        next = one->next;
        release(calls, one);
    }
    cv_endpoints_end(calls);
    cv_guard_end(&calls->guard);
    cv_arena_release(&calls->scratch);
    cv_arena_release(&calls->poll_arena);
    cv_heap_free(calls->page);
    cv_heap_free(calls);
}

size_t cv_calls_running(const cv_calls *calls)
{
    return calls->count;
}

/* ---- starting ---------------------------------------------------------------------------------------------------- */

static cv_calls_result nothing_yet(cv_one *one)
{
    return (cv_calls_result){.tag = one->request.tag,
                             .model = one->request.reach->model,
                             .prompt_hash = cv_hash_text(&one->arena, one->request.prompt),
                             .exit_status = CV_ABSENT,
                             .http_status = CV_ABSENT,
                             .tokens_in = CV_ABSENT,
                             .tokens_out = CV_ABSENT,
                             .cost = CV_ABSENT,
                             .retry_after_ms = CV_ABSENT};
}

/* The request, in the call's own memory; a command runs in another folder, so the path of its answer is whole. */
static bool copy_request(cv_one *one, const cv_calls_request *request, cv_err *err)
{
    cv_arena *a = &one->arena;
    cv_variable *variables = CV_NEW_ARRAY(a, request->variable_count, cv_variable);
    const char *folder = cv_folder_of(a, request->output);
    one->request = *request;
    one->request.system = cv_arena_copy(a, request->system);
    one->request.root = request->root ? cv_arena_copy_z(a, cv_str_of(request->root)) : NULL;
    for (size_t i = 0; i < request->variable_count; i++)
        variables[i] =
            (cv_variable){cv_arena_copy(a, request->variables[i].name), cv_arena_copy(a, request->variables[i].value)};
    one->request.variables = variables;
    if (!cv_folder_real(a, folder, &folder, err))
        return false;
    const char *name = cv_where_name(cv_where_named(request->output));
    one->request.output = cv_arena_printf(a, "%s/%s", folder, name).p;
    return cv_spool_open(&one->spool, folder, err);
}

void cv_calls_start(cv_calls *calls, const cv_calls_request *request)
{
    cv_one *one = CV_HEAP_NEW(cv_one), **last = &calls->first;
    cv_err err = {.arena = &one->arena};
    assert(calls->count < CV_CALLS_MOST && request->reach->way <= CV_REACH_ENDPOINT);
    one->spool.fd = -1;
    one->began = cv_monotonic_ms();
    one->deadline = one->began + (request->timeout_ms ? request->timeout_ms : request->reach->timeout_ms);
    while (*last)
        last = &(*last)->next;
    *last = one;
    calls->count++;
    bool ok = copy_request(one, request, &err);
    one->result = nothing_yet(one);
    if (!ok) {
        cv_one_decide(one, CV_CALL_NOT_STARTED, "%.*s", CV_FMT(cv_err_text(&err)));
        one->ended = true;
    } else if (request->reach->way == CV_REACH_COMMAND) {
        cv_process_start(calls, one);
    } else {
        cv_endpoint_start(calls, one);
    }
    one->request.prompt = (cv_str){NULL, 0}; /* the caller's: what is left of it was copied */
}

void cv_calls_cancel(cv_calls *calls, const void *tag)
{
    for (cv_one *one = calls->first; one; one = one->next)
        if ((!tag || one->request.tag == tag) && !one->ended) {
            cv_one_decide(one, CV_CALL_CANCELLED, "it was stopped");
            if (one->process)
                cv_process_stop(calls, one);
        }
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* From the prices of the agent, if nobody has told what it cost. */
static int64_t cost_of(const cv_reach *reach, const cv_calls_result *r)
{
    if (r->cost != CV_ABSENT || reach->price_in < 0 || reach->price_out < 0 || r->tokens_in == CV_ABSENT ||
        r->tokens_out == CV_ABSENT)
        return r->cost;
    return (int64_t)llround((double)r->tokens_in * reach->price_in + (double)r->tokens_out * reach->price_out);
}

/* An answer that cannot be taken is none, though the call succeeded. */
static void check_answer(cv_one *one)
{
    cv_str answer = one->result.answer;
    if (one->result.outcome != CV_CALL_ANSWERED)
        return;
    one->decided = false;
    if (answer.n > (size_t)one->request.reach->max_output)
        cv_one_decide(one, CV_CALL_TOO_LARGE, "the answer has %zu bytes, at most %lld are allowed", answer.n,
                      (long long)one->request.reach->max_output);
    else if (cv_utf8_valid(answer) < answer.n || cv_str_find_char(answer, '\0') != SIZE_MAX)
        cv_one_decide(one, CV_CALL_NOT_TEXT, "the answer is not valid UTF-8, or has NUL bytes");
    else if (cv_str_trim(answer).n == 0)
        cv_one_decide(one, CV_CALL_EMPTY, "the answer is empty");
}

/* Everything that leaves this module goes through here, or through cv_tail_text(): no secret is in it. */
static void hide_secrets(cv_one *one)
{
    cv_calls_result *r = &one->result;
    cv_str *texts[] = {&r->answer, &r->model, &r->message};
    for (size_t i = 0; i < CV_COUNT(texts); i++)
        *texts[i] = cv_secrets_hide(&one->arena, &one->secrets, *texts[i]);
}

static void make_result(cv_one *one)
{
    cv_calls_result *r = &one->result;
    cv_err err = {.arena = &one->arena};
    r->duration_ms = cv_monotonic_ms() - one->began;
    r->tail = cv_tail_text(&one->arena, &one->tail, &one->secrets);
    if (one->endpoint)
        cv_endpoint_answer(one);
    check_answer(one);
    hide_secrets(one);
    r->bytes = r->outcome == CV_CALL_ANSWERED ? (int64_t)r->answer.n : one->spool.bytes;
    r->cost = cost_of(one->request.reach, r);
    if (r->outcome == CV_CALL_ANSWERED) {
        r->answer_hash = cv_hash_text(&one->arena, r->answer);
        if (!cv_keep_answer(&one->arena, one->request.output, r, &err)) {
            one->decided = false;
            cv_one_decide(one, CV_CALL_FAILED, "%.*s", CV_FMT(cv_err_text(&err)));
        }
    }
    if (r->outcome != CV_CALL_ANSWERED)
        r->answer = r->answer_hash = (cv_str){NULL, 0};
}

/* The first one that has ended, if any. */
static bool take_ended(cv_calls *calls, cv_arena *a, cv_calls_result *ret)
{
    cv_one **at = &calls->first;
    while (*at && !(*at)->ended)
        at = &(*at)->next;
    cv_one *one = *at;
    if (!one)
        return false;
    assert(calls->count > 0);
    *at = one->next;
    calls->count--;
    make_result(one);
    *ret = one->result;
    cv_str *texts[] = {&ret->answer, &ret->answer_hash, &ret->prompt_hash, &ret->model, &ret->message, &ret->tail};
    for (size_t i = 0; i < CV_COUNT(texts); i++)
        if (texts[i]->p)
            *texts[i] = cv_arena_copy(a, *texts[i]);
    release(calls, one);
    return true;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* Waits until something can be done, at the latest until `until`. True: a signal came. */
static bool wait_for_work(cv_calls *calls, int64_t until)
{
    int64_t now = cv_monotonic_ms();
    assert(calls->count <= CV_CALLS_MOST);
    calls->polled.count = 0;
    for (cv_one *one = calls->first; one; one = one->next) {
        if (one->process)
            cv_process_poll(calls, one);
        int64_t due = one->process ? cv_process_due(one) : cv_endpoint_due(calls, one);
        until = due < until ? due : until;
    }
    int ms = until > now ? (int)(until - now < 60000 ? until - now : 60000) : 0;
    size_t count = calls->polled.count;
    bool interrupted = false;
    if (calls->multi)
        cv_endpoint_wait(calls, calls->polled.items, count, ms);
    else
        interrupted = poll(calls->polled.items, count, ms) < 0 && errno == EINTR;
    if (interrupted)
        for (size_t i = 0; i < count; i++)
            calls->polled.items[i].revents = 0;
    return interrupted;
}

static void serve(cv_calls *calls)
{
    int64_t now = cv_monotonic_ms();
    if (calls->multi)
        cv_endpoint_serve(calls);
    for (cv_one *one = calls->first; one; one = one->next)
        if (one->process && !one->ended)
            cv_process_serve(calls, one, now);
        else if (one->endpoint && !one->ended)
            cv_endpoint_check(calls, one, now);
}

bool cv_calls_step(cv_calls *calls, cv_arena *a, int wait_ms, cv_calls_result *ret_result)
{
    int64_t until = cv_monotonic_ms() + wait_ms;
    for (bool woken = false;;) {
        if (take_ended(calls, a, ret_result))
            return true;
        if (woken)
            return false;
        woken = wait_for_work(calls, until);
        serve(calls);
        woken = woken || cv_monotonic_ms() >= until;
    }
}
