/* ask.h - what the conformance suite wants of handlers and no tool of the program does: asking the client in the middle
 * of a request, logging to it, hanging up. A server whose handlers ask has `.asking = &mcp_asking`.
 *
 *     modern   the answer is "input_required" with the questions; the client sends the request again with answers,
 *              and with the handler's state, sealed. The handler runs from its beginning and finds the answers.
 *     legacy   a request of ours goes to the client; the worker waits for its answer.
 */
#ifndef CV_TEST_MCP_ASK_H
#define CV_TEST_MCP_ASK_H

#include <errno.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/base64.h"
#include "base/monotonic.h"
#include "door/mcp/host.h"

/* ---- what a handler keeps with the client between two rounds ----------------------------------------------------- */

/*     base64url(time, text) "." base64url(HMAC-SHA256(key, time, text, binding))
 *
 * The client carries it and could change it: the seal tells. It holds for the request it was made for (binding) and for
 * a while, and only in the process that made it. */
enum { LIFE_MS = 60 * 60 * 1000, TIME = 8, SEAL_KEY = 32 };

static void sign(const uint8_t key[SEAL_KEY], cv_str stamped, cv_str binding, uint8_t to[SHA256_DIGEST_SIZE])
{
    struct hmac_sha256_ctx ctx;
    uint8_t length[8];
    for (size_t i = 0; i < sizeof length; i++)
        length[i] = (uint8_t)((uint64_t)stamped.n >> (8 * i));
    hmac_sha256_set_key(&ctx, SEAL_KEY, key);
    hmac_sha256_update(&ctx, sizeof length, length);
    hmac_sha256_update(&ctx, stamped.n, (const uint8_t *)stamped.p);
    hmac_sha256_update(&ctx, binding.n, (const uint8_t *)binding.p);
    hmac_sha256_digest(&ctx, SHA256_DIGEST_SIZE, to);
}

static __attribute__((unused)) cv_str seal_state(const uint8_t key[SEAL_KEY], cv_arena *a, int64_t now_ms, cv_str text,
                                                 cv_str binding)
{
    uint8_t signature[SHA256_DIGEST_SIZE];
    char *stamped = cv_arena_alloc(a, TIME + text.n);
    for (int i = 0; i < TIME; i++)
        stamped[i] = (char)((uint64_t)now_ms >> (8 * i));
    if (text.n)
        memcpy(stamped + TIME, text.p, text.n);
    sign(key, (cv_str){stamped, TIME + text.n}, binding, signature);
    cv_str body = cv_base64_url(a, (cv_str){stamped, TIME + text.n});
    cv_str seal = cv_base64_url(a, (cv_str){(const char *)signature, sizeof signature});
    return cv_arena_printf(a, "%.*s.%.*s", CV_FMT(body), CV_FMT(seal));
}

static __attribute__((unused)) bool unseal_state(const uint8_t key[SEAL_KEY], cv_arena *a, int64_t now_ms,
                                                 cv_str sealed, cv_str binding, cv_str *ret_text)
{
    uint8_t signature[SHA256_DIGEST_SIZE];
    cv_str stamped, seal;
    size_t dot = cv_str_find_char(sealed, '.');
    if (dot == SIZE_MAX || !cv_base64_url_decode(a, cv_str_head(sealed, dot), &stamped) ||
        !cv_base64_url_decode(a, cv_str_from(sealed, dot + 1), &seal) || stamped.n < TIME || seal.n != sizeof signature)
        return false;
    sign(key, stamped, binding, signature);
    if (!memeql_sec(signature, seal.p, sizeof signature))
        return false;
    uint64_t made = 0;
    for (int i = 0; i < TIME; i++)
        made |= (uint64_t)(uint8_t)stamped.p[i] << (8 * i);
    *ret_text = cv_str_from(stamped, TIME);
    return now_ms - (int64_t)made < LIFE_MS;
}

static uint8_t process_key[SEAL_KEY];

static void make_key(void)
{
    if (getrandom(process_key, sizeof process_key, 0) != (ssize_t)sizeof process_key)
        abort(); /* 32 bytes are given whole once the system has booted */
}

static const uint8_t *seal_key(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    return process_key;
}

enum { PATIENCE_S = 300 }; /* for an answer: people are asked too */

/* ---- what the client can be asked ------------------------------------------------------------------------------- */

static const struct {
    const char *method, *capability;
} askable[] = {
    {"elicitation/create", "elicitation"},
    {"sampling/createMessage", "sampling"},
    {"roots/list", "roots"},
};

static const char *capability_for(cv_str method)
{
    for (size_t i = 0; i < CV_COUNT(askable); i++)
        if (cv_str_eq(method, cv_str_of(askable[i].method)))
            return askable[i].capability;
    return NULL;
}

static bool may_ask(cv_mcp_request *r, cv_str method)
{
    const char *wanted = capability_for(method);
    const cv_json *declared = r->job->capabilities;
    if (wanted && declared && cv_json_get(declared, cv_str_of(wanted)))
        return true;
    cv_str why = cv_arena_printf(r->arena, "the client has not declared the capability '%s'", wanted ? wanted : "");
    cv_str data = cv_arena_printf(r->arena, "{\"requiredCapabilities\":{\"%s\":{}}}", wanted ? wanted : "");
    bool modern = r->era == CV_MCP_MODERN;
    cv_mcp_refuse(r->job, modern ? 400 : 200, modern ? CV_RPC_CAPABILITY : CV_RPC_INVALID, why, data);
    return false;
}

/* ---- modern ----------------------------------------------------------------------------------------------------- */

/* What a state belongs to: the method and everything that was asked, answers left out. */
static cv_str binding_of(cv_mcp_request *r, const cv_json *params)
{
    static const char *const parts[] = {"name", "uri", "arguments"};
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_array(&w);
    cv_json_str(&w, r->job->message.method);
    for (size_t i = 0; i < CV_COUNT(parts); i++) {
        const cv_json *part = cv_json_get(params, cv_str_of(parts[i]));
        if (part)
            cv_json_value(&w, part);
    }
    cv_json_end_array(&w);
    return cv_buf_take(&out, r->arena);
}

static bool open_state(cv_mcp_request *r, const cv_json *params, cv_str sealed)
{
    return unseal_state(seal_key(), r->arena, cv_monotonic_ms(), sealed, binding_of(r, params), &r->state);
}

static void print_asked(cv_mcp_request *r, const cv_json *params)
{
    cv_buf_clear(&r->job->out);
    r->w = (cv_json_writer){.out = &r->job->out};
    cv_json_writer *w = &r->w;
    cv_rpc_begin_result(w, r->job->message.id);
    cv_json_begin_object(w);
    cv_json_key_str(w, "resultType", CV_STR("input_required"));
    cv_json_key(w, CV_STR("inputRequests"));
    cv_json_begin_object(w);
    for (size_t i = 0; i < r->job->asked.count; i++) {
        const cv_mcp_asked *asked = &r->job->asked.items[i];
        cv_json_key(w, asked->key);
        cv_json_begin_object(w);
        cv_json_key_str(w, "method", asked->method);
        if (asked->params.n) {
            cv_json_key(w, CV_STR("params"));
            cv_json_raw(w, asked->params);
        }
        cv_json_end_object(w);
    }
    cv_json_end_object(w);
    if (r->state.n)
        cv_json_key_str(w, "requestState",
                        seal_state(seal_key(), r->arena, cv_monotonic_ms(), r->state, binding_of(r, params)));
    cv_json_key(w, CV_STR("_meta"));
    cv_json_raw(w, r->host->identity);
    cv_json_end_object(w);
    cv_rpc_end(w);
}

static bool ask_modern(cv_mcp_request *r, cv_str key, cv_str method, cv_str params, const cv_json **ret_answer)
{
    const cv_json *answers = cv_json_get(r->job->message.params, CV_STR("inputResponses"));
    const cv_json *answer = answers ? cv_json_get(answers, key) : NULL;
    if (answer && answer->type == CV_JSON_OBJECT) {
        *ret_answer = answer;
        return true;
    }
    *CV_PUSH(r->arena, &r->job->asked) = (cv_mcp_asked){key, method, params};
    return false;
}

/* ---- legacy ----------------------------------------------------------------------------------------------------- */

static bool send_question(cv_mcp_request *r, int64_t id, cv_str method, cv_str params)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_rpc_begin_call(&w, cv_arena_printf(r->arena, "%lld", (long long)id), method);
    cv_json_raw(&w, params.n ? params : CV_STR("{}"));
    cv_rpc_end(&w);
    bool heard = r->job->transport->send(r->job, cv_buf_str(&out));
    cv_buf_release(&out);
    return heard;
}

/* True: there is an answer. */
static bool wait_for(cv_mcp_session *session, cv_mcp_request *r, const cv_mcp_question *question)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_S;
    int timed = 0;
    while (!question->answered && !session->over && timed != ETIMEDOUT && !atomic_load(&r->job->cancelled))
        timed = pthread_cond_timedwait(&session->answered, &session->lock, &until);
    return question->answered;
}

static void forget(cv_mcp_session *session, const cv_mcp_question *question)
{
    for (cv_mcp_question **at = &session->questions; *at; at = &(*at)->next)
        if (*at == question) {
            *at = question->next;
            return;
        }
}

static bool ask_legacy(cv_mcp_request *r, cv_str method, cv_str params, const cv_json **ret_answer)
{
    cv_mcp_session *session = r->job->session;
    cv_mcp_question *question = CV_NEW(r->arena, cv_mcp_question);
    pthread_mutex_lock(&session->lock);
    *question = (cv_mcp_question){.id = ++session->last_question, .arena = r->arena, .next = session->questions};
    session->questions = question;
    pthread_mutex_unlock(&session->lock);
    bool heard = send_question(r, question->id, method, params);
    pthread_mutex_lock(&session->lock);
    bool has_answer = heard && wait_for(session, r, question);
    forget(session, question);
    pthread_mutex_unlock(&session->lock);
    if (!has_answer)
        return cv_mcp_fail(r, CV_RPC_INTERNAL, "the client has not answered '%.*s'", CV_FMT(method));
    if (question->refused)
        return cv_mcp_fail(r, CV_RPC_INTERNAL, "the client refused '%.*s'", CV_FMT(method));
    *ret_answer = &question->result;
    return true;
}

/* The answer is copied into the arena of the request that waits: the message goes. */
static void settle(cv_mcp_question *question, const cv_rpc_message *m)
{
    cv_buf text = {0};
    cv_json_writer w = {.out = &text};
    cv_err err = {.arena = question->arena};
    question->refused = true;
    if (m->result) {
        cv_json_value(&w, m->result);
        question->refused =
            !cv_json_parse(question->arena, cv_buf_take(&text, question->arena), &question->result, &err);
    }
    question->answered = true;
}

static void answered(cv_mcp_job *job)
{
    cv_mcp_session *session = job->session;
    if (!session)
        return;
    pthread_mutex_lock(&session->lock);
    for (cv_mcp_question *q = session->questions; q; q = q->next) {
        cv_str id = cv_arena_printf(&job->arena, "%lld", (long long)q->id);
        if (!q->answered && cv_str_eq(id, job->message.id))
            settle(q, &job->message);
    }
    pthread_cond_broadcast(&session->answered);
    pthread_mutex_unlock(&session->lock);
}

/* `method` is elicitation/create, sampling/createMessage or roots/list, `params` JSON; `key` names the question within
 * the request. True: here is the answer. False: there is none yet, or the request has failed; ask what else there is to
 * ask, then return false: the handler will be called again with all answers so far and with the `state` that it leaves
 * behind. */
static __attribute__((unused)) bool mcp_ask(cv_mcp_request *r, cv_str key, cv_str method, cv_str params,
                                            const cv_json **ret_answer)
{
    if (r->job->failed || !may_ask(r, method))
        return false;
    if (r->era == CV_MCP_MODERN)
        return ask_modern(r, key, method, params, ret_answer);
    if (!r->job->session)
        return cv_mcp_fail(r, CV_RPC_INVALID, "'%.*s' needs a session", CV_FMT(method));
    return ask_legacy(r, method, params, ret_answer);
}

static __attribute__((unused))
const cv_mcp_asking mcp_asking = {.open = open_state, .print = print_asked, .answered = answered};

/* ---- log, and the end of a stream -------------------------------------------------------------------------------- */

/* A line of log for the client, if it wants this level. `data` is JSON. */
static __attribute__((unused)) void mcp_log(cv_mcp_request *r, cv_mcp_level level, cv_str logger, cv_str data)
{
    if (r->job->level < 0 || (int)level < r->job->level)
        return;
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_rpc_begin_call(&w, (cv_str){0}, CV_STR("notifications/message"));
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "level", cv_mcp_level_words[level]);
    if (logger.n)
        cv_json_key_str(&w, "logger", logger);
    cv_json_key(&w, CV_STR("data"));
    cv_json_raw(&w, data);
    cv_json_end_object(&w);
    cv_rpc_end(&w);
    if (!atomic_load(&r->job->cancelled))
        r->job->transport->send(r->job, cv_buf_str(&out));
    cv_buf_release(&out);
}

/* Ends the stream of the answer before the answer is there; the client comes back for it (legacy HTTP only). */
static __attribute__((unused)) void mcp_hang_up(cv_mcp_request *r)
{
    if (r->job->transport->hang_up)
        r->job->transport->hang_up(r->job);
}

#endif
