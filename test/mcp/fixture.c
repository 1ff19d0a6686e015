/* fixture.c - the server that the conformance suite of the protocol asks for: tools, resources and prompts by given
 * names, on the library alone.
 *
 *     mcp_fixture [PORT]      HTTP on 127.0.0.1, the port is printed; without one: standard input
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/signals.h"
#include "door/mcp/http.h"
#include "mcp/ask.h"

#define TEXT(name) CV_STR(name)
#define NO_INPUT "\"inputSchema\":{\"type\":\"object\",\"properties\":{}}"
#define PNG "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
#define WAV "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

static void pause_ms(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000L};
    nanosleep(&time, NULL);
}

/* ---- content ---------------------------------------------------------------------------------------------------- */

static void raw(cv_mcp_request *r, const char *json)
{
    cv_json_raw(&r->w, cv_str_of(json));
}

static bool simple_text(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)tool;
    (void)arguments;
    cv_mcp_text(r, TEXT("This is a simple text response for testing."));
    return true;
}

/* What `data` says, as it is. */
static bool canned(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)arguments;
    raw(r, tool->data);
    return true;
}

static const char image[] = "{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"}";
static const char audio[] = "{\"type\":\"audio\",\"data\":\"" WAV "\",\"mimeType\":\"audio/wav\"}";
static const char embedded[] =
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"test://embedded-resource\",\"mimeType\":\"text/plain\","
    "\"text\":\"This is an embedded resource content.\"}}";

static bool mixed(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)tool;
    (void)arguments;
    cv_mcp_text(r, TEXT("Multiple content types test:"));
    raw(r, image);
    raw(r, "{\"type\":\"resource\",\"resource\":{\"uri\":\"test://mixed-content-resource\",\"mimeType\":"
           "\"application/json\",\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}}");
    return true;
}

static bool logs(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    static const char *const lines[] = {"\"Tool execution started\"", "\"Tool processing data\"",
                                        "\"Tool execution completed\""};
    (void)tool;
    (void)arguments;
    for (size_t i = 0; i < CV_COUNT(lines); i++) {
        if (i > 0)
            pause_ms(50);
        mcp_log(r, CV_MCP_INFO, TEXT("fixture"), cv_str_of(lines[i]));
    }
    cv_mcp_text(r, TEXT("Tool with logging executed successfully"));
    return true;
}

static bool progresses(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)tool;
    (void)arguments;
    for (int done = 0; done <= 100; done += 50) {
        if (done > 0)
            pause_ms(50);
        cv_mcp_progress(r, done, 100, TEXT("working"));
    }
    cv_mcp_text(r, TEXT("done"));
    return true;
}

/* As progress does, for so long that a client can do something meanwhile. */
static bool slow(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)tool;
    (void)arguments;
    for (int done = 0; done < 40 && !cv_mcp_cancelled(r); done++) {
        cv_mcp_progress(r, done, 40, TEXT("slowly"));
        pause_ms(50);
    }
    cv_mcp_text(r, TEXT("done"));
    return true;
}

/* Takes as long as it takes until somebody calls `release`: for what happens beside calls that do not end. */
static atomic_bool released;
static atomic_int blocked;

static bool blocks(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)tool;
    (void)arguments;
    atomic_fetch_add(&blocked, 1);
    while (!atomic_load(&released))
        pause_ms(5);
    atomic_fetch_sub(&blocked, 1);
    cv_mcp_text(r, TEXT("released"));
    return true;
}

static bool counts_blocked(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)tool;
    (void)arguments;
    cv_mcp_text(r, cv_arena_printf(r->arena, "%d", atomic_load(&blocked)));
    return true;
}

static bool releases(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)tool;
    (void)arguments;
    atomic_store(&released, true);
    cv_mcp_text(r, TEXT("released"));
    return true;
}

/* More than a stream keeps for those who come back. */
static bool large(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    enum { SIZE = 9 << 20 };
    char *text = cv_arena_alloc(r->arena, SIZE);
    (void)tool;
    (void)arguments;
    memset(text, 'x', SIZE);
    cv_mcp_progress(r, 0, 1, TEXT("working"));
    cv_mcp_text(r, (cv_str){text, SIZE});
    return true;
}

static bool fails(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)tool;
    (void)arguments;
    r->is_error = true;
    cv_mcp_text(r, TEXT("This tool intentionally returns an error for testing"));
    return true;
}

static bool reconnects(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)tool;
    (void)arguments;
    mcp_hang_up(r);
    pause_ms(100);
    cv_mcp_text(r, TEXT("Reconnection test completed successfully"));
    return true;
}

static bool changes(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)arguments;
    cv_mcp_changed(r->host, *(const cv_mcp_change *)tool->data, (cv_str){0});
    cv_mcp_text(r, TEXT("changed"));
    return true;
}
/* A resource that changes behind the server's back; the watcher finds it. */
static atomic_size_t touched;

static bool touches(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)tool;
    (void)arguments;
    atomic_fetch_add(&touched, 1);
    cv_mcp_text(r, TEXT("touched"));
    return true;
}

static void watch(void *ctx, cv_mcp_host *host, const cv_str *uris, size_t count)
{
    static size_t seen;
    size_t now = atomic_load(&touched);
    (void)ctx;
    for (size_t i = 0; i < count && now != seen; i++)
        cv_mcp_changed(host, CV_MCP_RESOURCE_UPDATED, uris[i]);
    seen = now;
}

static const cv_mcp_change tools_changed = CV_MCP_TOOLS_CHANGED, prompts_changed = CV_MCP_PROMPTS_CHANGED;

/* ---- asking ----------------------------------------------------------------------------------------------------- */

#define ELICIT "elicitation/create"
#define SAMPLE "sampling/createMessage"
#define NAME_FORM                                                                                                      \
    "{\"message\":\"What is your name?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":" \
    "\"string\"}},\"required\":[\"name\"]}}"
#define CONFIRM_FORM                                                                                                   \
    "{\"message\":\"Please confirm\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"ok\":{\"type\":"       \
    "\"boolean\"}},\"required\":[\"ok\"]}}"
#define CAPITAL                                                                                                        \
    "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"What is the capital of France?\"}}]," \
    "\"maxTokens\":100}"

static cv_str print(cv_mcp_request *r, const cv_json *value)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_value(&w, value);
    return cv_buf_take(&out, r->arena);
}

static void tell(cv_mcp_request *r, const char *what, const cv_json *answer)
{
    cv_mcp_text(r, cv_arena_printf(r->arena, "%s: %.*s", what, CV_FMT(print(r, answer))));
}

static cv_str quoted(cv_mcp_request *r, cv_str text)
{
    const cv_json value = {.type = CV_JSON_STRING, .text = text.p ? text : TEXT("?")};
    return print(r, &value);
}

static bool samples(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    const cv_json *answer;
    cv_str prompt = quoted(r, cv_json_get_text(arguments, "prompt"));
    (void)tool;
    if (!mcp_ask(r, TEXT("sample"), TEXT(SAMPLE),
                 cv_arena_printf(r->arena,
                                 "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":%.*s}}],"
                                 "\"maxTokens\":100}",
                                 CV_FMT(prompt)),
                 &answer))
        return false;
    tell(r, "LLM response", answer);
    return true;
}

static bool elicits(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    const cv_json *answer;
    cv_str message = quoted(r, cv_json_get_text(arguments, "message"));
    if (!mcp_ask(r, TEXT("form"), TEXT(ELICIT),
                 cv_arena_printf(r->arena, "{\"message\":%.*s,\"requestedSchema\":%s}", CV_FMT(message),
                                 (const char *)tool->data),
                 &answer))
        return false;
    tell(r, "User response", answer);
    return true;
}

static const char user_form[] =
    "{\"type\":\"object\",\"properties\":{\"username\":{\"type\":\"string\",\"description\":\"User's response\"},"
    "\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}},\"required\":[\"username\",\"email\"]}";
static const char defaults_form[] =
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},"
    "\"age\":{\"type\":\"integer\",\"default\":30},\"score\":{\"type\":\"number\",\"default\":95.5},"
    "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],\"default\":\"active\"},"
    "\"verified\":{\"type\":\"boolean\",\"default\":true}},\"required\":[]}";
static const char enums_form[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]},"
    "\"titledSingle\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"value1\",\"title\":\"First Option\"},"
    "{\"const\":\"value2\",\"title\":\"Second Option\"},{\"const\":\"value3\",\"title\":\"Third Option\"}]},"
    "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
    "\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},"
    "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\","
    "\"option3\"]}},"
    "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"value1\",\"title\":\"First Choice\"},"
    "{\"const\":\"value2\",\"title\":\"Second Choice\"},{\"const\":\"value3\",\"title\":\"Third Choice\"}]}}},"
    "\"required\":[]}";

/* One question, named and worded by `data`. */
typedef struct {
    const char *key, *method, *params;
} question;

static const question ask_name = {"user_name", ELICIT, NAME_FORM}, ask_capital = {"capital_question", SAMPLE, CAPITAL},
                      ask_roots = {"client_roots", "roots/list", ""}, ask_confirm = {"confirm", ELICIT, CONFIRM_FORM},
                      ask_greeting = {"greeting", SAMPLE, CAPITAL}, ask_needed = {"sample", SAMPLE, CAPITAL},
                      ask_step1 = {"step1", ELICIT, NAME_FORM}, ask_step2 = {"step2", ELICIT, CONFIRM_FORM},
                      ask_context = {"user_context", ELICIT, NAME_FORM};

static bool ask(cv_mcp_request *r, const question *q, const cv_json **ret_answer)
{
    return mcp_ask(r, cv_str_of(q->key), cv_str_of(q->method), cv_str_of(q->params), ret_answer);
}

static bool asks(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    const cv_json *answer;
    (void)arguments;
    if (!ask(r, tool->data, &answer))
        return false;
    tell(r, "Answer", answer);
    return true;
}

static bool asks_with_state(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    const cv_json *answer;
    (void)arguments;
    bool kept = cv_str_eq(r->state, TEXT("kept"));
    r->state = TEXT("kept");
    if (!ask(r, tool->data, &answer))
        return false;
    cv_mcp_text(r, kept ? TEXT("state-ok") : TEXT("state-missing"));
    return true;
}

static bool asks_three(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    const cv_json *name, *greeting, *roots;
    (void)tool;
    (void)arguments;
    bool all = ask(r, &ask_name, &name);
    all = ask(r, &ask_greeting, &greeting) && all;
    all = ask(r, &ask_roots, &roots) && all;
    r->state = TEXT("three");
    if (!all)
        return false;
    tell(r, "Name", name);
    return true;
}

static bool asks_twice(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    const cv_json *answer;
    (void)tool;
    (void)arguments;
    if (!cv_str_eq(r->state, TEXT("second"))) {
        bool first = ask(r, &ask_step1, &answer);
        r->state = first ? TEXT("second") : TEXT("first");
        if (!first)
            return false;
    }
    if (!ask(r, &ask_step2, &answer))
        return false;
    tell(r, "Both steps", answer);
    return true;
}

/* Only what the client has declared. */
static bool asks_what_it_can(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    const cv_json *answer;
    (void)tool;
    (void)arguments;
    if (!ask(r, &ask_capital, &answer))
        return false;
    tell(r, "Answer", answer);
    return true;
}

/* ---- the tables ------------------------------------------------------------------------------------------------- */

#define DEFINED(tool, what, input) CV_STR_INIT("{\"name\":\"" tool "\",\"description\":\"" what "\"," input "}")
#define TOOL(tool, what, function, with)                                                                               \
    {                                                                                                                  \
        .name = CV_STR_INIT(tool), .definition = DEFINED(tool, what, NO_INPUT), .call = function, .data = with         \
    }
#define TOOL_WITH(tool, what, properties, function, with)                                                              \
    {                                                                                                                  \
        .name = CV_STR_INIT(tool),                                                                                     \
        .definition = DEFINED(tool, what, "\"inputSchema\":{\"type\":\"object\",\"properties\":{" properties "}}"),    \
        .call = function, .data = with                                                                                 \
    }

static const cv_mcp_tool tools[] = {
    TOOL("test_simple_text", "a text", simple_text, NULL),
    TOOL("test_image_content", "an image", canned, image),
    TOOL("test_audio_content", "a sound", canned, audio),
    TOOL("test_embedded_resource", "a resource", canned, embedded),
    TOOL("test_multiple_content_types", "all of them", mixed, NULL),
    TOOL("test_tool_with_logging", "logs", logs, NULL),
    TOOL("test_logging_tool", "logs", logs, NULL),
    TOOL("test_tool_with_progress", "tells progress", progresses, NULL),
    TOOL("test_error_handling", "fails", fails, NULL),
    TOOL("test_reconnection", "ends its stream early", reconnects, NULL),
    TOOL("test_trigger_tool_change", "changes the tools", changes, &tools_changed),
    TOOL("test_trigger_prompt_change", "changes the prompts", changes, &prompts_changed),
    TOOL("touch", "changes the resources", touches, NULL),
    TOOL("slow", "tells progress for two seconds", slow, NULL),
    TOOL("block", "answers after release", blocks, NULL),
    TOOL("block_too", "answers after release", blocks, NULL),
    TOOL("blocked", "how many calls are blocked", counts_blocked, NULL),
    TOOL("release", "ends what is blocked", releases, NULL),
    TOOL("large", "tells progress, then nine megabytes", large, NULL),
    TOOL("test_streaming_elicitation", "a plain result", simple_text, NULL),
    TOOL("test_missing_capability", "needs sampling", asks, &ask_needed),
    TOOL_WITH("test_sampling", "asks the model", "\"prompt\":{\"type\":\"string\"}", samples, NULL),
    TOOL_WITH("test_elicitation", "asks the user", "\"message\":{\"type\":\"string\"}", elicits, user_form),
    TOOL("test_elicitation_sep1034_defaults", "asks with defaults", elicits, defaults_form),
    TOOL("test_elicitation_sep1330_enums", "asks with choices", elicits, enums_form),
    TOOL("test_input_required_result_elicitation", "asks the user", asks, &ask_name),
    TOOL("test_input_required_result_sampling", "asks the model", asks, &ask_capital),
    TOOL("test_input_required_result_list_roots", "asks for roots", asks, &ask_roots),
    TOOL("test_input_required_result_request_state", "keeps a state", asks_with_state, &ask_confirm),
    TOOL("test_input_required_result_tampered_state", "keeps a state", asks_with_state, &ask_confirm),
    TOOL("test_input_required_result_multiple_inputs", "asks three things", asks_three, NULL),
    TOOL("test_input_required_result_multi_round", "asks twice", asks_twice, NULL),
    TOOL("test_input_required_result_capabilities", "asks what it can", asks_what_it_can, NULL),
    TOOL_WITH("test_header_parameter", "mirrors an argument in a header",
              "\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}", simple_text, NULL),
    {.name = CV_STR_INIT("json_schema_2020_12_tool"),
     .definition = CV_STR_INIT(
         "{\"name\":\"json_schema_2020_12_tool\",\"description\":\"Tool with JSON Schema 2020-12 features\","
         "\"inputSchema\":{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\"$defs\":{"
         "\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{\"street\":{\"type\":\"string\"},"
         "\"city\":{\"type\":\"string\"}}}},\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":"
         "\"#/$defs/address\"},\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},\"phone\":{"
         "\"type\":\"string\"},\"email\":{\"type\":\"string\"}},\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{"
         "\"required\":[\"email\"]}]}],\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},\"required\":["
         "\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":[\"email\"]},"
         "\"additionalProperties\":false}}"),
     .call = simple_text},
};

#define RESOURCE(uri, name, type)                                                                                      \
    "{\"uri\":\"" uri "\",\"name\":\"" name "\",\"description\":\"" name "\",\"mimeType\":\"" type "\"}"

static bool list_resources(cv_mcp_request *r)
{
    raw(r, RESOURCE("test://static-text", "static text", "text/plain"));
    raw(r, RESOURCE("test://static-binary", "static binary", "image/png"));
    raw(r, RESOURCE("test://watched-resource", "watched", "text/plain"));
    return true;
}

static const cv_str templates[] = {
    CV_STR_INIT("{\"uriTemplate\":\"test://template/{id}/data\",\"name\":\"template\",\"description\":\"by id\","
                "\"mimeType\":\"application/json\"}")};

static void text_resource(cv_mcp_request *r, cv_str uri, const char *type, cv_str text)
{
    cv_json_begin_object(&r->w);
    cv_json_key_str(&r->w, "uri", uri);
    cv_json_key_str(&r->w, "mimeType", cv_str_of(type));
    cv_json_key_str(&r->w, "text", text);
    cv_json_end_object(&r->w);
}

static bool read_resource(cv_mcp_request *r, cv_str uri)
{
    static const cv_str prefix = CV_STR_INIT("test://template/"), suffix = CV_STR_INIT("/data");
    if (cv_str_eq(uri, TEXT("test://static-text")) || cv_str_eq(uri, TEXT("test://watched-resource"))) {
        text_resource(r, uri, "text/plain", TEXT("This is the content of the static text resource."));
    } else if (cv_str_eq(uri, TEXT("test://static-binary"))) {
        raw(r, "{\"uri\":\"test://static-binary\",\"mimeType\":\"image/png\",\"blob\":\"" PNG "\"}");
    } else if (cv_str_starts(uri, prefix) && cv_str_ends(uri, suffix) && uri.n > prefix.n + suffix.n) {
        cv_str id = cv_str_range(uri.p + prefix.n, cv_str_end(uri) - suffix.n);
        text_resource(r, uri, "application/json",
                      cv_arena_printf(r->arena,
                                      "{\"id\":\"%.*s\",\"templateTest\":true,\"data\":\"Data for ID: %.*s\"}",
                                      CV_FMT(id), CV_FMT(id)));
    } else {
        return cv_mcp_fail(r, r->era == CV_MCP_MODERN ? CV_RPC_PARAMS : CV_RPC_NO_RESOURCE, "Resource not found: %.*s",
                           CV_FMT(uri));
    }
    return true;
}

static void message(cv_mcp_request *r, cv_str content)
{
    cv_json_begin_object(&r->w);
    cv_json_key_str(&r->w, "role", TEXT("user"));
    cv_json_key(&r->w, TEXT("content"));
    cv_json_raw(&r->w, content);
    cv_json_end_object(&r->w);
}

static void text_message(cv_mcp_request *r, cv_str text)
{
    message(r, cv_arena_printf(r->arena, "{\"type\":\"text\",\"text\":%.*s}", CV_FMT(quoted(r, text))));
}

static bool simple_prompt(cv_mcp_request *r, const cv_mcp_prompt *prompt, const cv_json *arguments)
{
    (void)prompt;
    (void)arguments;
    text_message(r, TEXT("This is a simple prompt for testing."));
    return true;
}

static bool prompt_with_arguments(cv_mcp_request *r, const cv_mcp_prompt *prompt, const cv_json *arguments)
{
    cv_str arg1 = cv_json_get_text(arguments, "arg1"), arg2 = cv_json_get_text(arguments, "arg2");
    (void)prompt;
    text_message(
        r, cv_arena_printf(r->arena, "Prompt with arguments: arg1='%.*s', arg2='%.*s'", CV_FMT(arg1), CV_FMT(arg2)));
    return true;
}

static bool prompt_with_resource(cv_mcp_request *r, const cv_mcp_prompt *prompt, const cv_json *arguments)
{
    cv_str uri = quoted(r, cv_json_get_text(arguments, "resourceUri"));
    (void)prompt;
    message(r, cv_arena_printf(r->arena,
                               "{\"type\":\"resource\",\"resource\":{\"uri\":%.*s,\"mimeType\":\"text/plain\","
                               "\"text\":\"Embedded resource content for testing.\"}}",
                               CV_FMT(uri)));
    text_message(r, TEXT("Please process the embedded resource above."));
    return true;
}

static bool prompt_with_image(cv_mcp_request *r, const cv_mcp_prompt *prompt, const cv_json *arguments)
{
    (void)prompt;
    (void)arguments;
    message(r, cv_str_of(image));
    text_message(r, TEXT("Please analyze the image above."));
    return true;
}

static bool asking_prompt(cv_mcp_request *r, const cv_mcp_prompt *prompt, const cv_json *arguments)
{
    const cv_json *answer;
    (void)prompt;
    (void)arguments;
    if (!ask(r, &ask_context, &answer))
        return false;
    text_message(r, print(r, answer));
    return true;
}

#define PROMPT(prompt, arguments, function)                                                                            \
    {                                                                                                                  \
        CV_STR_INIT(prompt),                                                                                           \
            CV_STR_INIT("{\"name\":\"" prompt "\",\"description\":\"" prompt "\",\"arguments\":[" arguments "]}"),     \
            function, NULL                                                                                             \
    }
#define ARGUMENT(argument) "{\"name\":\"" argument "\",\"description\":\"" argument "\",\"required\":true}"

static const cv_mcp_prompt prompts[] = {
    PROMPT("test_simple_prompt", "", simple_prompt),
    PROMPT("test_prompt_with_arguments", ARGUMENT("arg1") "," ARGUMENT("arg2"), prompt_with_arguments),
    PROMPT("test_prompt_with_embedded_resource", ARGUMENT("resourceUri"), prompt_with_resource),
    PROMPT("test_prompt_with_image", "", prompt_with_image),
    PROMPT("test_input_required_result_prompt", "", asking_prompt),
};

static bool complete(cv_mcp_request *r, const cv_json *params, cv_str argument, cv_str value)
{
    (void)params;
    (void)argument;
    (void)value;
    cv_json_str(&r->w, TEXT("paris"));
    return true;
}

static const cv_mcp_server server = {
    .name = CV_STR_INIT("fixture"),
    .version = CV_STR_INIT("1"),
    .tools = tools,
    .tool_count = CV_COUNT(tools),
    .prompts = prompts,
    .prompt_count = CV_COUNT(prompts),
    .templates = templates,
    .template_count = CV_COUNT(templates),
    .list_resources = list_resources,
    .read_resource = read_resource,
    .complete = complete,
    .lists_change = true,
    .logs = true,
    .asking = &mcp_asking,
    .watch = watch,
};

int main(int argc, char **argv)
{
    if (argc < 2)
        return cv_mcp_serve_stdio(&server);
    cv_arena arena = {0};
    cv_err err = {.arena = &arena};
    cv_workers workers;
    cv_workers_init(&workers, &server.own);
    cv_mcp_http *mcp = cv_mcp_http_new(&server, &workers);
    const cv_http_route route = cv_mcp_http_route(mcp, "/mcp");
    const cv_http_options options = {.port = (uint16_t)atoi(argv[1]),
                                     .routes = &route,
                                     .route_count = 1,
                                     .max_body = 1 << 20,
                                     .max_bodies = 4 << 20,
                                     .max_connections = 1200,
                                     .request_seconds = 5,
                                     .idle_seconds = 10,
                                     .beat_seconds = 1,
                                     .workers = &workers};
    cv_http_server *http;
    cv_signals_begin();
    cv_signals_hold();
    if (!cv_http_start(&arena, &options, &http, &err)) {
        fprintf(stderr, "%.*s\n", CV_FMT(cv_err_text(&err)));
        return 2;
    }
    printf("%u\n", cv_http_port(http));
    fflush(stdout);
    cv_signals_wait();
    cv_http_close(http);
    if (!cv_mcp_http_end(mcp)) {
        cv_http_drain(http);
        _exit(0);
    }
    cv_http_stop(http);
    cv_mcp_http_free(mcp);
    cv_workers_release(&workers);
    cv_arena_release(&arena);
    return 0;
}
