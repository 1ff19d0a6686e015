/* ask.c - asking the client in the middle of a request; see mcp.h.
 *
 *     modern   the answer is "input_required" with the questions; the client sends the request again with answers,
 *              and with the handler's state, sealed. The handler runs from its beginning and finds the answers.
 *     legacy   a request of ours goes to the client; the worker waits for its answer.
 */
#include <errno.h>
#include <time.h>

#include "base/steady.h"
#include "door/mcp/host.h"

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

bool cv_mcp_open_state(cv_mcp_request *r, const cv_json *params)
{
    const cv_json *state = r->era == CV_MCP_MODERN ? cv_json_get(params, CV_STR("requestState")) : NULL;
    if (!state)
        return true;
    if (state->type == CV_JSON_STRING &&
        cv_mcp_unseal(r->host, r->arena, cv_steady_ms(), state->text, binding_of(r, params), &r->state))
        return true;
    cv_mcp_refuse(r->job, 200, CV_RPC_PARAMS,
                  CV_STR("requestState is not the one that this server gave out for this request"), (cv_str){0});
    return false;
}

void cv_mcp_print_asked(cv_mcp_request *r, const cv_json *params)
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
                        cv_mcp_seal(r->host, r->arena, cv_steady_ms(), r->state, binding_of(r, params)));
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
    bool answered = heard && wait_for(session, r, question);
    forget(session, question);
    pthread_mutex_unlock(&session->lock);
    if (!answered)
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

void cv_mcp_answered(cv_mcp_job *job)
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

bool cv_mcp_ask(cv_mcp_request *r, cv_str key, cv_str method, cv_str params, const cv_json **ret_answer)
{
    if (r->job->failed || !may_ask(r, method))
        return false;
    if (r->era == CV_MCP_MODERN)
        return ask_modern(r, key, method, params, ret_answer);
    if (!r->job->session)
        return cv_mcp_fail(r, CV_RPC_INVALID, "'%.*s' needs a session", CV_FMT(method));
    return ask_legacy(r, method, params, ret_answer);
}
