/* wire.c - what is said to a model's server and what it answers; see wire.h. */
#include "run/wire.h"

#include "base/plain.h"
#include "base/utf8.h"
#include "run/output.h"

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static void write_message(cv_json_writer *w, const char *role, cv_str content)
{
    cv_json_begin_object(w);
    cv_json_key_str(w, "role", cv_str_of(role));
    cv_json_key_str(w, "content", content);
    cv_json_end_object(w);
}

/* A local model forgets the beginning of what does not fit into its context, and says nothing: it gets one that the
 * prompt and the answer fit into. */
static int64_t context_size(const cv_reach *reach, size_t bytes)
{
    enum { LEAST = 4096, MOST = 131072, BYTES_PER_TOKEN = 3 };
    int64_t wanted = (int64_t)(bytes / BYTES_PER_TOKEN) + (reach->max_tokens ? reach->max_tokens : LEAST), size = LEAST;
    while (size < wanted && size < MOST)
        size *= 2;
    return size;
}

static void write_limits(cv_json_writer *w, const cv_reach *reach, size_t bytes)
{
    bool newer = cv_str_find(reach->url, CV_STR("//api.openai.com/")) != SIZE_MAX;
    if (reach->protocol == CV_PROTOCOL_OLLAMA) {
        cv_json_key_word(w, CV_STR("options"));
        cv_json_begin_object(w);
        cv_json_key_int(w, "num_ctx", context_size(reach, bytes));
        if (reach->max_tokens)
            cv_json_key_int(w, "num_predict", reach->max_tokens);
        cv_json_end_object(w);
    } else if (reach->max_tokens) {
        cv_json_key_int(w, newer ? "max_completion_tokens" : "max_tokens", reach->max_tokens);
    }
    if (reach->protocol == CV_PROTOCOL_OPENAI) {
        cv_json_key_word(w, CV_STR("stream_options"));
        cv_json_begin_object(w);
        cv_json_key_bool(w, "include_usage", true);
        cv_json_end_object(w);
    }
}

cv_str cv_wire_request(cv_arena *a, const cv_reach *reach, cv_str system, cv_str prompt)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    bool apart = reach->protocol == CV_PROTOCOL_ANTHROPIC;
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "model", reach->model);
    if (apart)
        cv_json_key_str_if(&w, "system", system);
    cv_json_key_word(&w, CV_STR("messages"));
    cv_json_begin_array(&w);
    if (!apart && system.n)
        write_message(&w, "system", system);
    write_message(&w, "user", prompt);
    cv_json_end_array(&w);
    cv_json_key_bool(&w, "stream", true);
    write_limits(&w, reach, system.n + prompt.n);
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}

/* ---- what every protocol tells ----------------------------------------------------------------------------------- */

static void take_text(cv_wire *w, cv_str piece)
{
    w->bytes += piece.n;
    if (piece.n)
        w->text(w->ctx, piece);
}

static void take_model(cv_wire *w, const cv_json *from)
{
    cv_str model = cv_json_get_text(from, "model");
    if (model.n && !cv_str_eq(model, w->result->model))
        w->result->model = cv_arena_copy(w->arena, cv_utf8_head(model, 200));
}

static void take_tokens(int64_t *to, const cv_json *usage, const char *field)
{
    int64_t n = cv_json_get_int(usage, field, CV_ABSENT);
    if (n != CV_ABSENT && n >= 0 && n <= CV_CALLS_MOST_TOKENS)
        *to = n;
}

/* The first trouble counts. */
static void take_trouble(cv_wire *w, cv_calls_outcome outcome, cv_str message)
{
    if (w->trouble != CV_CALL_ANSWERED)
        return;
    w->trouble = outcome;
    w->message = cv_arena_copy(w->arena, message);
}

static void take_stop(cv_wire *w, cv_str reason)
{
    if (!reason.n)
        return;
    w->ended = true;
    w->at_limit = cv_str_eq(reason, CV_STR("length")) || cv_str_eq(reason, CV_STR("max_tokens")) ||
                  cv_str_eq(reason, CV_STR("model_context_window_exceeded"));
    w->refused = w->refused || cv_str_eq(reason, CV_STR("refusal")) || cv_str_eq(reason, CV_STR("content_filter")) ||
                 cv_str_eq(reason, CV_STR("safety"));
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* {"error": {"message": …}}, {"error": "…"}, {"message": …}, {"detail": …}; else the beginning of the text. */
static cv_str error_text(cv_arena *a, const cv_json *json, cv_str body)
{
    static const char *const names[] = {"message", "error", "detail", "error_description"};
    const cv_json *error = cv_json_get(json, CV_STR("error"));
    for (int deep = 1; deep >= 0; deep--)
        for (size_t i = 0; i < CV_COUNT(names); i++) {
            cv_str text = cv_json_get_text(deep ? error : json, names[i]);
            if (text.n)
                return cv_utf8_excerpt(a, text, 300);
        }
    cv_buf plain = {0};
    cv_plain_add(&plain, cv_str_head(cv_str_trim(body), 300));
    return cv_buf_take(&plain, a);
}

static cv_calls_outcome by_status(int64_t status)
{
    return status == 429                                                      ? CV_CALL_RATE_LIMITED
           : status >= 500 || status == 408 || status == 409 || status == 425 ? CV_CALL_OVERLOADED
                                                                              : CV_CALL_DENIED;
}

/* An error's own words say more than its number: an empty account is reported with 429, too. */
static cv_calls_outcome error_means(const cv_json *json, cv_calls_outcome otherwise)
{
    const cv_json *error = cv_json_get(json, CV_STR("error"));
    cv_str type = cv_json_get_text(error, "type"), code = cv_json_get_text(error, "code");
    int64_t number = cv_json_get_int(error, "code", CV_ABSENT);
    if (cv_str_eq(type, CV_STR("insufficient_quota")) || cv_str_eq(code, CV_STR("insufficient_quota")) ||
        cv_str_eq(type, CV_STR("billing_error")))
        return CV_CALL_DENIED;
    if (cv_str_eq(code, CV_STR("content_filter")) || cv_str_eq(code, CV_STR("content_policy_violation")))
        return CV_CALL_REFUSED;
    if (number >= 400 && number < 600)
        return by_status(number);
    return cv_output_trouble(type.n ? type : code, otherwise);
}

cv_calls_outcome cv_wire_refusal(cv_arena *a, int64_t status, cv_str body, cv_str *ret_message)
{
    cv_json json = {.type = CV_JSON_NULL};
    cv_err err = {.arena = a};
    if (!cv_json_parse(a, body, &json, &err))
        json = (cv_json){.type = CV_JSON_NULL};
    cv_str said = error_text(a, &json, body);
    if (status >= 300 && status < 400)
        said = CV_STR("it redirects to another address, and keys are not sent there");
    *ret_message = cv_arena_printf(a, "the server answered with status %lld%s%.*s", (long long)status,
                                   said.n ? ": " : "", CV_FMT(said));
    cv_calls_outcome means = error_means(&json, by_status(status));
    return means;
}

/* An error in the middle of a stream. True: there is one. */
static bool take_error(cv_wire *w, const cv_json *json)
{
    const cv_json *error = cv_json_get(json, CV_STR("error"));
    if (!error || error->type == CV_JSON_NULL)
        return false;
    cv_str said = error_text(w->scratch, json, CV_STR(""));
    take_trouble(w, error_means(json, CV_CALL_OVERLOADED),
                 cv_arena_printf(w->scratch, "the server reported an error: %.*s", CV_FMT(said)));
    return true;
}

/* A text, or a list of parts: {"type": "text", "text": …}, and thoughts, which are not the answer. */
static void take_content(cv_wire *w, const cv_json *content)
{
    bool parts = content && content->type == CV_JSON_ARRAY;
    if (content && content->type == CV_JSON_STRING)
        take_text(w, content->text);
    for (uint32_t i = 0; parts && i < content->count; i++)
        if (cv_str_eq(cv_json_get_text(&content->items[i], "type"), CV_STR("text")))
            take_text(w, cv_json_get_text(&content->items[i], "text"));
}

/* ---- protocols --------------------------------------------------------------------------------------------------- */

static void take_openai(cv_wire *w, const cv_json *json, bool whole)
{
    const cv_json *choices = cv_json_get(json, CV_STR("choices")), *usage = cv_json_get(json, CV_STR("usage"));
    take_model(w, json);
    take_tokens(&w->result->tokens_in, usage, "prompt_tokens");
    take_tokens(&w->result->tokens_out, usage, "completion_tokens");
    for (uint32_t i = 0; choices && choices->type == CV_JSON_ARRAY && i < choices->count; i++) {
        const cv_json *choice = &choices->items[i];
        const cv_json *delta = cv_json_get(choice, whole ? CV_STR("message") : CV_STR("delta"));
        if (cv_json_get_int(choice, "index", 0) != 0)
            continue;
        take_content(w, cv_json_get(delta, CV_STR("content")));
        w->refused = w->refused || cv_json_get_text(delta, "refusal").n > 0;
        take_stop(w, cv_json_get_text(choice, "finish_reason"));
    }
}

static void take_anthropic_usage(cv_wire *w, const cv_json *usage)
{
    static const char *const fields[] = {"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"};
    int64_t total = 0;
    bool any = false;
    for (size_t i = 0; i < CV_COUNT(fields); i++) {
        int64_t n = CV_ABSENT;
        take_tokens(&n, usage, fields[i]);
        any = any || n != CV_ABSENT;
        total += n == CV_ABSENT ? 0 : n;
    }
    if (any && total > 0)
        w->result->tokens_in = total;
    take_tokens(&w->result->tokens_out, usage, "output_tokens");
}

static void take_anthropic(cv_wire *w, const cv_json *json, bool whole)
{
    const cv_json *message = whole ? json : cv_json_get(json, CV_STR("message"));
    const cv_json *delta = cv_json_get(json, CV_STR("delta"));
    cv_str type = cv_json_get_text(json, "type");
    take_model(w, message);
    take_anthropic_usage(w, cv_json_get(message, CV_STR("usage")));
    take_anthropic_usage(w, cv_json_get(json, CV_STR("usage")));
    if (cv_str_eq(cv_json_get_text(delta, "type"), CV_STR("text_delta")))
        take_text(w, cv_json_get_text(delta, "text"));
    take_content(w, cv_json_get(message, CV_STR("content")));
    take_stop(w, cv_json_get_text(whole ? json : delta, "stop_reason"));
    w->over = cv_str_eq(type, CV_STR("message_stop"));
    w->ended = w->ended || w->over;
}

static void take_ollama(cv_wire *w, const cv_json *json, bool whole)
{
    (void)whole; /* a stream of documents of one form, or one of them */
    take_model(w, json);
    take_text(w, cv_json_get_text(cv_json_get(json, CV_STR("message")), "content"));
    take_tokens(&w->result->tokens_in, json, "prompt_eval_count");
    take_tokens(&w->result->tokens_out, json, "eval_count");
    if (cv_json_get_true(json, "done")) {
        w->ended = w->over = true;
        take_stop(w, cv_json_get_text(json, "done_reason"));
    }
}

static void (*const protocols[])(cv_wire *w, const cv_json *json, bool whole) = {
    [CV_PROTOCOL_OPENAI] = take_openai,
    [CV_PROTOCOL_ANTHROPIC] = take_anthropic,
    [CV_PROTOCOL_OLLAMA] = take_ollama,
};

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void take(cv_wire *w, cv_str text, bool whole)
{
    cv_json json;
    cv_err err = {.arena = w->scratch};
    if (!cv_json_parse(w->scratch, text, &json, &err) || json.type != CV_JSON_OBJECT) {
        take_trouble(w, CV_CALL_GARBAGE,
                     cv_arena_printf(w->scratch, "what the server sent is not a JSON object: %.*s",
                                     CV_FMT(error_text(w->scratch, NULL, text))));
    } else {
        w->events++;
        if (!take_error(w, &json))
            protocols[w->protocol](w, &json, whole);
    }
    cv_arena_reset(w->scratch);
}

void cv_wire_event(void *ctx, cv_str event, cv_str data)
{
    cv_wire *w = ctx;
    (void)event; /* its data says what it is as well */
    if (w->protocol == CV_PROTOCOL_OPENAI && cv_str_eq(cv_str_trim(data), CV_STR("[DONE]")))
        w->over = w->ended = w->ended || w->events > 0;
    else
        take(w, data, false);
}

void cv_wire_document(cv_wire *w, cv_str body)
{
    take(w, body, true);
    w->ended = w->ended || w->bytes > 0; /* it came as a whole */
}

cv_calls_outcome cv_wire_conclude(cv_wire *w, cv_str *ret_message)
{
    *ret_message = w->message;
    if (w->trouble != CV_CALL_ANSWERED)
        return w->trouble;
    if (w->refused)
        *ret_message = CV_STR("the model declined to answer, or a filter withheld its answer");
    else if (w->at_limit)
        *ret_message = CV_STR("the model stopped at its limit of tokens: raise max_tokens, or ask for less");
    else if (!w->ended && w->events == 0)
        *ret_message = CV_STR("the server sent no answer");
    else if (!w->ended)
        *ret_message = CV_STR("the stream ended before the answer did");
    return w->refused    ? CV_CALL_REFUSED
           : w->at_limit ? CV_CALL_LENGTH
           : w->ended    ? CV_CALL_ANSWERED
           : w->events   ? CV_CALL_CUT
                         : CV_CALL_GARBAGE;
}
