/* fuzz_tools.c - any requests to the program's own MCP server, over a record: each gets one answer, what succeeds fits
 * its schema, and the record stays sound.
 *
 *     blue_dialogue_get {"dialogue_id": "bread"}        one request per line: a tool with its arguments,
 *     resources/read {"uri": "conclave://dialogues"}    or a method with its parameters
 *
 * There is one dialogue, bread, with a round. What an input has changed is undone before the next one. Nothing is ever
 * written beside the project's folder.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/limits.h"
#include "dialogue/types.h"
#include "door/mcp/host.h"
#include "door/tools.h"
#include "kit/destination.h"
#include "kit/room.h"
#include "project/project.h"
#include "record/sql.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define need(holds)                                                                                                    \
    do {                                                                                                               \
        if (!(holds)) {                                                                                                \
            fprintf(stderr, "line %d: %s\n", __LINE__, #holds);                                                        \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static const char beginning[] =
    "blue_dialogue_create {\"title\":\"Bread\",\"expert_pool\":{\"domain\":\"Baking\",\"experts\":["
    "{\"slug\":\"muffin\",\"role\":\"Baker\",\"tier\":\"Core\",\"relevance\":0.9},"
    "{\"slug\":\"scone\",\"role\":\"Miller\",\"tier\":\"Adjacent\",\"relevance\":0.5}]}}\n"
    "blue_dialogue_respond {\"dialogue_id\":\"bread\",\"expert\":\"muffin\",\"content\":\"[PERSPECTIVE P01: Sour]\"}\n"
    "blue_dialogue_round_register {\"dialogue_id\":\"bread\",\"round\":0,\"score\":3,\"expert_scores\":{\"muffin\":3},"
    "\"perspectives\":[{\"local_id\":\"MUFFIN-P0001\",\"label\":\"Sour\",\"content\":\"It keeps.\","
    "\"contributors\":[\"muffin\"]}],\"tensions\":[{\"local_id\":\"SCONE-T0001\",\"label\":\"Time\",\"content\":"
    "\"It takes two days.\",\"contributors\":[\"scone\"],\"references\":[{\"type\":\"oppose\",\"target\":"
    "\"MUFFIN-P0001\"}]}]}\n";

/* ---- the project ------------------------------------------------------------------------------------------------ */

static struct {
    cv_arena arena;
    const char *around, *root; /* a folder with nothing but the project's in it */
    cv_str record;             /* the file, as every input finds it */
    cv_mcp_server server;
    void *worker;
    bool done;    /* the last request was not refused */
    bool touched; /* by what was done since the record was as it is in every beginning */
} world;

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static void remove_folder(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void clear(void)
{
    remove_folder(world.around);
}

static const char *database(cv_arena *a)
{
    return cv_record_path(a, world.root, cv_record_database);
}

static void close_record(void)
{
    cv_tools *tools = world.server.ctx;
    cv_record_handle_close(&tools->service.window);
    tools->service.window = (cv_record_handle){0};
    world.server.own.leave(NULL, world.worker);
    world.worker = world.server.own.enter(NULL);
}

static void undo(void)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    close_record();
    remove_folder(world.root);
    need(cv_folder_make(cv_record_path(&a, world.root, ""), &err) && cv_file_write(database(&a), world.record, &err));
    world.touched = false;
    cv_arena_release(&a);
}

/* ---- one request ------------------------------------------------------------------------------------------------ */

static bool is_refused(const cv_json *answer)
{
    const cv_json *result = cv_json_get(answer, CV_STR("result"));
    return !result || cv_json_get_true(result, "isError");
}

static void check_answer(cv_mcp_job *job)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json tree;
    cv_rpc_message m;
    need(cv_json_parse(&a, cv_buf_str(&job->out), &tree, &err));
    cv_rpc_read(&a, cv_buf_str(&job->out), &m);
    need(m.kind == CV_RPC_ANSWER || cv_json_get(&tree, CV_STR("error")));
    world.done = !is_refused(&tree);
    cv_arena_release(&a);
}

static bool send(cv_mcp_job *job, cv_str message)
{
    (void)job;
    (void)message;
    return true;
}

static void finish(cv_mcp_job *job)
{
    check_answer(job);
    cv_mcp_job_free(job);
}

static const cv_mcp_transport transport = {.send = send, .finish = finish};

static void write_message(cv_buf *out, cv_str line)
{
    size_t space = cv_str_find_char(line, ' ');
    cv_str name = cv_str_head(line, space), rest = cv_str_from(line, space == SIZE_MAX ? line.n : space + 1);
    bool method = cv_str_find_char(name, '/') != SIZE_MAX;
    rest = rest.n ? rest : CV_STR("{}");
    cv_json_writer w = {.out = out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "jsonrpc", CV_STR("2.0"));
    cv_json_key_int(&w, "id", 1);
    cv_json_key_str(&w, "method", method ? name : CV_STR("tools/call"));
    cv_json_key(&w, CV_STR("params"));
    if (method) {
        cv_json_raw(&w, rest);
    } else {
        cv_json_begin_object(&w);
        cv_json_key_str(&w, "name", name);
        cv_json_key(&w, CV_STR("arguments"));
        cv_json_raw(&w, rest);
        cv_json_end_object(&w);
    }
    cv_json_end_object(&w);
}

static bool may_change(cv_str line)
{
    for (size_t i = 0; i < cv_op_count(); i++) {
        const cv_operation *op = cv_op_at(i);
        if (op->tool && cv_str_starts(line, cv_str_of(op->tool)) &&
            op->flags & (CV_OP_WRITES | CV_OP_FILES | CV_OP_PROJECT))
            return true;
    }
    return false;
}

/* True: it was done. There are no threads: what would wait for a worker is served here. */
static bool request(cv_mcp_host *host, cv_mcp_session *session, cv_str line)
{
    cv_arena arena = {0};
    cv_mcp_job *job = cv_mcp_job_new(host);
    write_message(&job->text, line);
    job->transport = &transport;
    job->session = session;
    world.done = false;
    if (cv_mcp_read(job))
        cv_mcp_dispatch(job);
    cv_workers *workers = host->workers;
    cv_work *work = workers->quick.first;
    if (work) {
        workers->quick = (cv_work_line){0};
        workers->queued = 0;
        work->serve(work, &arena, world.worker);
    }
    cv_arena_release(&arena);
    return world.done;
}

/* ---- what must hold --------------------------------------------------------------------------------------------- */

static void check_record(cv_mcp_host *host, cv_mcp_session *session)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_folder_entries beside;
    need(request(host, session, CV_STR("conclave_verify {}")));
    need(cv_folder_list(&a, cv_where_named(world.around), &beside, &err) && beside.count == 1);
    cv_arena_release(&a);
}

/* How many were done. */
static size_t request_all(cv_str text)
{
    enum { MAX_REQUESTS = 32 };
    size_t done = 0;
    cv_mcp_host host;
    cv_mcp_session session;
    cv_str line;
    cv_workers workers;
    cv_workers_init(&workers, &world.server.own);
    cv_mcp_host_init(&host, &world.server, &workers);
    cv_mcp_session_init(&session, &host);
    workers.count = CV_WORKERS_ALL; /* none is called */
    for (size_t count = 0; count < MAX_REQUESTS && cv_str_split(&text, '\n', &line); count++) {
        if (line.n == 0 || !request(&host, &session, line))
            continue;
        world.touched = world.touched || may_change(line);
        done++;
    }
    if (world.touched)
        check_record(&host, &session);
    workers.count = 0;
    cv_mcp_session_end(&session, &host);
    cv_mcp_host_end(&host);
    cv_mcp_host_release(&host);
    cv_workers_release(&workers);
    cv_mcp_session_release(&session);
    return done;
}

/* ---- from nothing ----------------------------------------------------------------------------------------------- */

static void begin(void)
{
    cv_arena *a = &world.arena;
    cv_err err = {.arena = a};
    cv_tools_options options = {.all = true};
    cv_record *record;
    const char *tmp = getenv("TMPDIR");
    char *around = cv_arena_copy_z(a, cv_arena_printf(a, "%s/conclave-fuzz-XXXXXX", tmp && *tmp ? tmp : "/tmp"));
    setenv("CV_CHECK_REPLIES", "1", 1);
    unsetenv("CV_CALL_LOG"); /* what is called here is not tested otherwise */
    need(mkdtemp(around));
    world.around = around;
    world.root = options.root = cv_arena_printf(a, "%s/project", around).p;
    atexit(clear);
    need(cv_tools_server(a, &options, &world.server, &err));
    world.worker = world.server.own.enter(NULL);
    need(cv_folder_make(cv_record_path(a, world.root, ""), &err) &&
         cv_record_open(a, database(a), CV_RECORD_CREATE, &cv_program_types, &cv_sql_sqlite_schema, &record, &err));
    cv_record_close(record);
    need(request_all(CV_STR(beginning)) == 3);
    close_record();
    need(cv_file_read(a, database(a), CV_MAX_JSON_BYTES, &world.record, &err));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!world.root)
        begin();
    if (world.touched)
        undo();
    request_all((cv_str){(const char *)data, size});
    return 0;
}
