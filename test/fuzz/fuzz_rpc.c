/* fuzz_rpc.c - any bytes as messages of a client: every request gets one answer, everything that is said is JSON-RPC.
 *
 *     one message per line               as on standard input, in one session; an empty line: the queue is worked off
 *     HTTP version|method|name|region    … as a POST with these headers (absent: -) for the messages that follow
 *
 * There are no threads: what would wait for a worker is served by the target itself.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "mcp/ask.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is known of one message until it is finished. */
typedef struct {
    cv_arena *arena;
    cv_rpc_message message; /* read beside the library */
    cv_str headers[4];
    size_t finished;
} record;

static void need(bool holds)
{
    if (!holds)
        abort();
}

/* ---- a small server --------------------------------------------------------------------------------------------- */

static bool say(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    (void)tool;
    cv_mcp_progress(r, 1, 2, cv_json_get_text(arguments, "a"));
    mcp_log(r, CV_MCP_WARNING, CV_STR("log"), CV_STR("{}"));
    cv_mcp_changed(r->host, CV_MCP_RESOURCE_UPDATED, CV_STR("t:r"));
    cv_mcp_changed(r->host, CV_MCP_TOOLS_CHANGED, (cv_str){NULL, 0});
    cv_mcp_text(r, cv_json_get_text(arguments, "a"));
    return true;
}

/* In the legacy era the answer would be waited for. */
static bool ask(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    const cv_json *answer;
    (void)tool;
    (void)arguments;
    if (r->era == CV_MCP_LEGACY)
        return cv_mcp_fail(r, CV_RPC_INVALID, "not here");
    r->state = CV_STR("kept");
    if (!mcp_ask(r, CV_STR("k"), CV_STR("elicitation/create"), CV_STR("{}"), &answer))
        return false;
    cv_mcp_text(r, CV_STR("answered"));
    return true;
}

static bool list(cv_mcp_request *r)
{
    r->next = r->cursor.n ? (cv_str){NULL, 0} : CV_STR("more");
    cv_json_raw(&r->w, CV_STR("{\"uri\":\"t:r\",\"name\":\"r\"}"));
    return true;
}

static bool read_resource(cv_mcp_request *r, cv_str uri)
{
    if (!cv_str_eq(uri, CV_STR("t:r")))
        return cv_mcp_fail(r, CV_RPC_NO_RESOURCE, "Resource not found: %.*s", CV_FMT(cv_utf8_head(uri, 100)));
    cv_json_raw(&r->w, CV_STR("{\"uri\":\"t:r\",\"text\":\"\"}"));
    return true;
}

static bool get(cv_mcp_request *r, const cv_mcp_prompt *prompt, const cv_json *arguments)
{
    (void)prompt;
    (void)arguments;
    r->description = CV_STR("d");
    cv_mcp_text(r, CV_STR("p"));
    return true;
}

static bool complete(cv_mcp_request *r, const cv_json *params, cv_str argument, cv_str value)
{
    (void)params;
    cv_json_str(&r->w, argument.n ? argument : value);
    return true;
}

static bool data_version(void *ctx, uint64_t *ret_version)
{
    (void)ctx;
    *ret_version = 1;
    return true;
}

static const cv_mcp_tool tools[] = {
    {.name = CV_STR_INIT("say"),
     .definition =
         CV_STR_INIT("{\"name\":\"say\",\"inputSchema\":{\"properties\":{\"a\":{\"x-mcp-header\":\"Region\"}}}}"),
     .call = say},
    {.name = CV_STR_INIT("ask"), .definition = CV_STR_INIT("{\"name\":\"ask\",\"inputSchema\":{}}"), .call = ask},
    {.name = CV_STR_INIT("again"), .definition = CV_STR_INIT("{\"name\":\"again\"}"), .call = say, .cacheable = true},
};
static const cv_mcp_prompt prompts[] = {{CV_STR_INIT("get"), CV_STR_INIT("{\"name\":\"get\"}"), get, NULL}};
static const cv_mcp_server server = {.name = CV_STR_INIT("fuzz"),
                                     .asking = &mcp_asking,
                                     .version = CV_STR_INIT("1"),
                                     .tools = tools,
                                     .tool_count = CV_COUNT(tools),
                                     .prompts = prompts,
                                     .prompt_count = CV_COUNT(prompts),
                                     .list_resources = list,
                                     .read_resource = read_resource,
                                     .complete = complete,
                                     .data_version = data_version,
                                     .lists_change = true,
                                     .logs = true};

/* ---- a transport in memory -------------------------------------------------------------------------------------- */

static void check_notification(cv_str text)
{
    cv_arena a = {0};
    cv_rpc_message m;
    cv_rpc_read(&a, text, &m);
    need(m.kind == CV_RPC_NOTIFICATION);
    cv_arena_release(&a);
}

static bool send(cv_mcp_job *job, cv_str message)
{
    const record *r = job->transport_data;
    need(r->finished == 0 && r->message.kind == CV_RPC_REQUEST);
    check_notification(message);
    return true;
}

static void notify(cv_mcp_session *session, cv_str message)
{
    (void)session;
    check_notification(message);
}

/* Exactly one of result and error, for the id that asked; or an error without one. */
static void check_answer(const record *r, cv_str text)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json tree;
    cv_rpc_message m;
    need(cv_json_parse(&a, text, &tree, &err));
    cv_rpc_read(&a, text, &m);
    if (r->message.id.n) {
        need(m.kind == CV_RPC_ANSWER && cv_str_eq(m.id, r->message.id));
        need(r->message.kind == CV_RPC_REQUEST || m.error);
    } else {
        need(cv_json_get(&tree, CV_STR("id"))->type == CV_JSON_NULL && cv_json_get(&tree, CV_STR("error")));
    }
    cv_arena_release(&a);
}

static void finish(cv_mcp_job *job)
{
    record *r = job->transport_data;
    bool answers = r->message.kind == CV_RPC_FAULTY || r->message.kind == CV_RPC_REQUEST || job->failed;
    need(r->finished++ == 0 && job->message.kind == r->message.kind && (job->out.n == 0 || answers));
    if (job->out.n)
        check_answer(r, cv_buf_str(&job->out));
    else
        need(!answers || atomic_load(&job->cancelled));
    cv_mcp_job_free(job);
}

static cv_str other_header(void *data, const char *name)
{
    return strcmp(name, "Mcp-Param-Region") == 0 ? ((record *)data)->headers[3] : (cv_str){NULL, 0};
}

static const cv_mcp_transport transport = {.send = send, .finish = finish};

/* ---- the messages ----------------------------------------------------------------------------------------------- */

static void work_off(cv_mcp_host *host)
{
    cv_arena arena = {0};
    cv_workers *workers = host->workers;
    while (workers->quick.first) {
        cv_work *work = workers->quick.first;
        workers->quick.first = work->next;
        workers->quick.last = workers->quick.first ? workers->quick.last : NULL;
        workers->queued--;
        work->serve(work, &arena, NULL);
        cv_arena_reset(&arena);
    }
    cv_arena_release(&arena);
}

static void read_headers(cv_str line, cv_str *headers)
{
    for (size_t i = 0; i < 4; i++)
        if (!cv_str_split(&line, '|', &headers[i]) || cv_str_eq(headers[i], CV_STR("-")))
            headers[i] = (cv_str){NULL, 0};
}

static void take_message(cv_mcp_host *host, cv_mcp_session *session, record *r, cv_str line, bool http)
{
    cv_mcp_job *job = cv_mcp_job_new(host);
    cv_rpc_read(r->arena, line, &r->message);
    cv_str found = cv_rpc_find_id(r->arena, line);
    need(!found.n || r->message.kind != CV_RPC_REQUEST || cv_str_eq(found, r->message.id));
    cv_buf_add(&job->text, line);
    job->transport = &transport;
    job->transport_data = r;
    if (http)
        job->headers = (cv_mcp_headers){r->headers[0], r->headers[1], r->headers[2], other_header};
    else
        job->session = session;
    if (!cv_mcp_read(job))
        return;
    if (http && job->era == CV_MCP_LEGACY)
        job->session = session;
    cv_mcp_dispatch(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAX_MESSAGES = 64 };
    cv_arena a = {0};
    cv_workers workers;
    cv_mcp_host host;
    cv_mcp_session session;
    record *records = CV_NEW_ARRAY(&a, MAX_MESSAGES, record);
    cv_str rest = {(const char *)data, size}, line, headers[4] = {{NULL, 0}};
    size_t count = 0;
    bool http = false;
    cv_workers_init(&workers, &server.own);
    cv_mcp_host_init(&host, &server, &workers);
    cv_mcp_session_init(&session, &host);
    session.notify = notify;
    workers.count = CV_WORKERS_ALL; /* none is called */
    while (count < MAX_MESSAGES && cv_str_split(&rest, '\n', &line)) {
        if (line.n == 0) {
            work_off(&host);
        } else if (cv_str_starts(line, CV_STR("HTTP "))) {
            http = true;
            read_headers(cv_str_from(line, 5), headers);
        } else {
            records[count].arena = &a;
            memcpy(records[count].headers, headers, sizeof headers);
            take_message(&host, &session, &records[count++], line, http);
        }
    }
    work_off(&host);
    workers.count = 0;
    cv_mcp_session_end(&session, &host);
    cv_mcp_host_end(&host); /* subscriptions end */
    for (size_t i = 0; i < count; i++)
        need(records[i].finished == 1);
    cv_mcp_host_release(&host);
    cv_workers_release(&workers);
    cv_mcp_session_release(&session);
    cv_arena_release(&a);
    return 0;
}
