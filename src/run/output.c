/* output.c - what a program has printed; see output.h. */
#include "run/output.h"

#include <math.h>

#include "base/utf8.h"

/* ---- trouble ----------------------------------------------------------------------------------------------------- */

/* Programs hand on what a server told them, in sentences of their own. */
static const struct {
    cv_str words;
    cv_calls_outcome means;
} troubles[] = {
    {CV_STR_INIT("rate limit"), CV_CALL_RATE_LIMITED},  {CV_STR_INIT("rate_limit"), CV_CALL_RATE_LIMITED},
    {CV_STR_INIT("ratelimit"), CV_CALL_RATE_LIMITED},   {CV_STR_INIT("too many requests"), CV_CALL_RATE_LIMITED},
    {CV_STR_INIT("usage limit"), CV_CALL_RATE_LIMITED}, {CV_STR_INIT("RESOURCE_EXHAUSTED"), CV_CALL_RATE_LIMITED},
    {CV_STR_INIT("overloaded"), CV_CALL_OVERLOADED},    {CV_STR_INIT("service unavailable"), CV_CALL_OVERLOADED},
};

cv_calls_outcome cv_output_trouble(cv_str message, cv_calls_outcome otherwise)
{
    for (size_t i = 0; i < CV_COUNT(troubles); i++)
        if (cv_str_find_nocase(message, troubles[i].words) != SIZE_MAX)
            return troubles[i].means;
    return otherwise;
}

static void say(cv_calls_result *ret, cv_calls_outcome outcome, cv_str message)
{
    ret->outcome = outcome;
    ret->message = message;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Adds a number of tokens, if it is one. */
static void count(int64_t *total, const cv_json *usage, const char *field)
{
    int64_t n = cv_json_get_int(usage, field, CV_ABSENT);
    if (n != CV_ABSENT && n >= 0 && n <= CV_CALLS_MOST_TOKENS)
        *total = (*total == CV_ABSENT ? 0 : *total) + n;
}

static int64_t millionths(const cv_json *dollars)
{
    double value;
    if (!dollars || !cv_json_to_double(dollars, &value) || !(value >= 0) || value > 1e9)
        return CV_ABSENT;
    return (int64_t)llround(value * 1e6);
}

/* ---- claude ------------------------------------------------------------------------------------------------------ */

/* One document: the result, or a list whose last item is one; or a document per line, the last of which is one. */
static bool find_result(cv_arena *a, cv_str raw, cv_json *ret)
{
    cv_err err = {.arena = a};
    raw = cv_str_trim(raw);
    if (!cv_json_parse(a, raw, ret, &err)) {
        size_t line = raw.n;
        while (line > 0 && raw.p[line - 1] != '\n')
            line--;
        if (!cv_json_parse(a, cv_str_from(raw, line), ret, &err))
            return false;
    }
    if (ret->type == CV_JSON_ARRAY && ret->count > 0)
        *ret = ret->items[ret->count - 1];
    return ret->type == CV_JSON_OBJECT;
}

/* The model that wrote most of it: {"claude-x": {"outputTokens": 12}, …}. */
static cv_str busiest_model(const cv_json *models, const char *within, const char *field)
{
    cv_str best = {NULL, 0};
    int64_t most = -1;
    for (uint32_t i = 0; models && models->type == CV_JSON_OBJECT && i < models->count; i++) {
        const cv_json *usage = &models->members[i].value;
        usage = within ? cv_json_get(usage, cv_str_of(within)) : usage;
        int64_t n = cv_json_get_int(usage, field, 0);
        if (n > most) {
            most = n;
            best = models->members[i].key;
        }
    }
    return best;
}

static void read_claude(cv_arena *a, cv_str raw, cv_calls_result *ret)
{
    cv_json json;
    if (!find_result(a, raw, &json)) {
        say(ret, CV_CALL_GARBAGE, CV_STR("standard output is not the JSON that --output-format json promises"));
        return;
    }
    const cv_json *usage = cv_json_get(&json, CV_STR("usage"));
    cv_str text = cv_json_get_text(&json, "result"), model, subtype = cv_json_get_text(&json, "subtype");
    count(&ret->tokens_in, usage, "input_tokens");
    count(&ret->tokens_in, usage, "cache_creation_input_tokens");
    count(&ret->tokens_in, usage, "cache_read_input_tokens");
    count(&ret->tokens_out, usage, "output_tokens");
    ret->cost = millionths(cv_json_get(&json, CV_STR("total_cost_usd")));
    model = busiest_model(cv_json_get(&json, CV_STR("modelUsage")), NULL, "outputTokens");
    if (model.n)
        ret->model = model;
    if (cv_json_get_true(&json, "is_error") || (!text.p && subtype.n && !cv_str_eq(subtype, CV_STR("success")))) {
        cv_str why = text.n ? text : subtype;
        say(ret, cv_output_trouble(why, CV_CALL_FAILED), cv_utf8_excerpt(a, why, 300));
    } else if (cv_str_eq(cv_json_get_text(&json, "stop_reason"), CV_STR("refusal"))) {
        say(ret, CV_CALL_REFUSED, CV_STR("the model declined to answer"));
    } else if (!text.p) {
        say(ret, CV_CALL_GARBAGE, CV_STR("the JSON on standard output has no result"));
    } else {
        ret->outcome = CV_CALL_ANSWERED;
        ret->answer = text;
    }
}

/* ---- codex ------------------------------------------------------------------------------------------------------- */

/* Events, one per line; others between them are skipped. The answer is in the file, or the last message. */
static void read_codex(cv_arena *a, cv_str raw, cv_str file, cv_calls_result *ret)
{
    cv_str line, said = {NULL, 0}, trouble = {NULL, 0};
    while (cv_str_split(&raw, '\n', &line)) {
        cv_err err = {.arena = a};
        cv_json json;
        if (!cv_str_starts(cv_str_trim(line), CV_STR("{")) || !cv_json_parse(a, line, &json, &err))
            continue;
        cv_str type = cv_json_get_text(&json, "type");
        const cv_json *item = cv_json_get(&json, CV_STR("item")), *usage = cv_json_get(&json, CV_STR("usage"));
        if (cv_str_eq(cv_json_get_text(item, "type"), CV_STR("agent_message")))
            said = cv_json_get_text(item, "text");
        count(&ret->tokens_in, usage, "input_tokens");
        count(&ret->tokens_out, usage, "output_tokens");
        if (cv_str_eq(type, CV_STR("error")))
            trouble = cv_json_get_text(&json, "message");
        else if (cv_str_eq(type, CV_STR("turn.failed")))
            trouble = cv_json_get_text(cv_json_get(&json, CV_STR("error")), "message");
        else if (cv_str_eq(type, CV_STR("turn.completed")))
            trouble = (cv_str){NULL, 0}; /* it was tried again, and came to an end */
    }
    ret->answer = file.p ? file : said;
    if (trouble.n)
        say(ret, cv_output_trouble(trouble, CV_CALL_FAILED), cv_utf8_excerpt(a, trouble, 300));
    else if (!ret->answer.p)
        say(ret, CV_CALL_GARBAGE, CV_STR("there is neither a file with the last message nor an event that has it"));
    else
        ret->outcome = CV_CALL_ANSWERED;
}

/* ---- gemini ------------------------------------------------------------------------------------------------------ */

/* Lines that the program prints before its JSON are skipped. */
static void read_gemini(cv_arena *a, cv_str raw, cv_calls_result *ret)
{
    cv_err err = {.arena = a};
    cv_json json;
    size_t brace = cv_str_starts(raw, CV_STR("{")) ? 0 : cv_str_find(raw, CV_STR("\n{"));
    cv_str document = cv_str_trim(brace == SIZE_MAX ? raw : cv_str_from(raw, brace));
    if (!cv_json_parse(a, document, &json, &err) || json.type != CV_JSON_OBJECT) {
        say(ret, CV_CALL_GARBAGE, CV_STR("standard output is not the JSON that --output-format json promises"));
        return;
    }
    const cv_json *models = cv_json_get(cv_json_get(&json, CV_STR("stats")), CV_STR("models"));
    const cv_json *error = cv_json_get(&json, CV_STR("error"));
    cv_str model = busiest_model(models, "tokens", "candidates");
    for (uint32_t i = 0; models && models->type == CV_JSON_OBJECT && i < models->count; i++) {
        const cv_json *tokens = cv_json_get(&models->members[i].value, CV_STR("tokens"));
        count(&ret->tokens_in, tokens, "prompt");
        count(&ret->tokens_out, tokens, "candidates");
        count(&ret->tokens_out, tokens, "thoughts");
    }
    if (model.n)
        ret->model = model;
    ret->answer = cv_json_get_text(&json, "response");
    if (error && error->type == CV_JSON_OBJECT) {
        cv_str why = cv_json_get_text(error, "message");
        say(ret, cv_output_trouble(why, CV_CALL_FAILED), cv_utf8_excerpt(a, why, 300));
    } else if (!ret->answer.p) {
        say(ret, CV_CALL_GARBAGE, CV_STR("the JSON on standard output has no response"));
    } else {
        ret->outcome = CV_CALL_ANSWERED;
    }
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

void cv_output_read(cv_arena *a, cv_preset_output form, cv_str raw, cv_str file, bool ok, cv_calls_result *ret)
{
    ret->outcome = CV_CALL_ANSWERED;
    if (form == CV_OUTPUT_CLAUDE)
        read_claude(a, raw, ret);
    else if (form == CV_OUTPUT_CODEX)
        read_codex(a, raw, file, ret);
    else if (form == CV_OUTPUT_GEMINI)
        read_gemini(a, raw, ret);
    else
        ret->answer = file.p ? file : raw;
    if (!ok && (ret->outcome == CV_CALL_ANSWERED || ret->outcome == CV_CALL_GARBAGE))
        say(ret, CV_CALL_FAILED, (cv_str){NULL, 0}); /* its status says more */
}
