/* tools.c - the operations as tools of an MCP server; see tools.h. */
#include "door/tools.h"

#include "base/monotonic.h"
#include "door/tool_schema.h"
#include "kit/scopes.h"

/* Results that may be long on purpose; above a client's usual measure they would be cut. */
enum { LARGE_ANSWER_CHARS = 400000 };

static bool data_version(void *ctx, uint64_t *ret_version)
{
    return cv_service_data_version(&((cv_tools *)ctx)->service, ret_version);
}

void cv_tools_end(cv_mcp_server *server)
{
    cv_tools *tools = server->ctx;
    cv_service_end(&tools->service);
    cv_record_handle_close(&tools->watcher);
    cv_arena_release(&tools->seen_arena);
    cv_buf_release(&tools->complaint);
}

/* ---- one call --------------------------------------------------------------------------------------------------- */

enum { BEAT_MS = 200 }; /* between two notifications of progress */

typedef struct {
    cv_mcp_request *request;
    int64_t next_ms; /* not before */
} following;

static bool hear(void *ctx, size_t done, size_t total, cv_str what)
{
    following *f = ctx;
    int64_t now = cv_monotonic_ms();
    if (now >= f->next_ms) {
        cv_mcp_progress(f->request, (int64_t)done, (int64_t)total, what);
        f->next_ms = now + BEAT_MS;
    }
    return !cv_mcp_cancelled(f->request);
}

/* `most`: see cv_call. False: `errs` says why. */
static bool run(cv_mcp_request *r, const cv_operation *op, const cv_json *input, cv_str input_text, size_t most,
                cv_errs *errs, cv_str *ret_reply)
{
    cv_tools *tools = r->server->ctx;
    following ear = {.request = r};
    const cv_service_call asked = {.op = op,
                                   .arena = r->arena,
                                   .input = input,
                                   .input_text = input_text,
                                   .bearer = r->bearer,
                                   .most = most,
                                   .follower = {.tell = hear, .ctx = &ear},
                                   .ret_seen = cv_op_is_cacheable(op) ? &r->seen : NULL,
                                   .name = tools->options.all ? cv_op_tool : cv_op_usual_tool};
    return cv_service_run(&tools->service, r->worker, &asked, errs, ret_reply);
}

static bool ask(void *ctx, cv_str operation, cv_str input_text, cv_str *ret_reply, cv_err *err)
{
    cv_mcp_request *r = ctx;
    cv_json *input = CV_NEW(r->arena, cv_json);
    cv_errs errs = {0};
    if (!cv_json_parse(r->arena, input_text, input, err))
        return false;
    if (run(r, cv_op_called(operation), input, input_text, 0, &errs, ret_reply))
        return true;
    cv_err_copy(err, &errs.items[0]);
    return false;
}

cv_asker cv_tools_asker(cv_mcp_request *r)
{
    return (cv_asker){r->arena, ask, r};
}

static bool call_tool(cv_mcp_request *r, const cv_mcp_tool *tool, const cv_json *arguments)
{
    const cv_operation *op = tool->data;
    size_t most = op->flags & CV_OP_LARGE ? LARGE_ANSWER_CHARS : 0;
    cv_errs errs = {0};
    cv_str reply;
    r->is_error = !run(r, op, arguments, r->text, most, &errs, &reply);
    cv_mcp_text(r, r->is_error ? cv_service_faults(r->arena, op, &errs) : reply);
    return true;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

static void print_annotations(const cv_operation *op, cv_json_writer *w)
{
    bool writes = op->flags & (CV_OP_WRITES | CV_OP_FILES);
    cv_json_key(w, CV_STR("annotations"));
    cv_json_begin_object(w);
    cv_json_key_bool(w, "readOnlyHint", !writes);
    if (writes) {
        cv_json_key_bool(w, "destructiveHint", false);
        if (op->flags & CV_OP_IDEMPOTENT)
            cv_json_key_bool(w, "idempotentHint", true);
    }
    cv_json_key_bool(w, "openWorldHint", op->flags & CV_OP_STARTS); /* what others reach is the project */
    cv_json_end_object(w);
}

/* "round-register" -> "Round register". */
static cv_str title_of(cv_arena *a, const cv_operation *op)
{
    char *title = cv_arena_copy_z(a, cv_str_of(op->verb));
    for (char *p = title; *p; p++)
        *p = *p == '-' ? ' ' : *p;
    title[0] = cv_upper(title[0]);
    return cv_str_of(title);
}

static cv_str define(cv_arena *a, const cv_operation *op, bool whole)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "name", cv_str_of(op->tool));
    cv_json_key_str(&w, "title", title_of(a, op));
    cv_json_key_str(&w, "description", cv_str_of(op->summary));
    cv_json_key(&w, CV_STR("inputSchema"));
    cv_tool_schema_print(a, cv_op_schema(op).input, whole, &w);
    print_annotations(op, &w);
    if (op->flags & CV_OP_LARGE) {
        cv_json_key(&w, CV_STR("_meta"));
        cv_json_begin_object(&w);
        cv_json_key_int(&w, "anthropic/maxResultSizeChars", LARGE_ANSWER_CHARS);
        cv_json_end_object(&w);
    }
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}

static const cv_str all_rooms = CV_STR_INIT("all");

/* What belongs to the project is in every room. */
static bool is_in(const char *rooms, const char *room)
{
    cv_str rest = cv_str_of(rooms), name;
    if (!rooms || *room == '\0' || cv_room_find(cv_str_of(room))->of_project)
        return true;
    while (cv_str_split(&rest, ',', &name))
        if (cv_str_eq(cv_str_trim(name), cv_str_of(room)) || cv_str_eq(cv_str_trim(name), all_rooms))
            return true;
    return false;
}

bool cv_tools_offers(const cv_tools *tools, const char *room)
{
    return is_in(tools->rooms, room);
}

static bool is_offered(const cv_tools *tools, const cv_operation *op)
{
    if (op->flags & CV_OP_STARTS)
        return op->tool && tools->options.starts;
    return op->tool && cv_tools_offers(tools, op->room) && (tools->options.all || (op->flags & CV_OP_UNASKED));
}

/* Words that the names of many tools have, and that clients put before them. */
static bool is_common(cv_arena *a, cv_str word)
{
    static const cv_str ours[] = {CV_STR_INIT("mcp"), CV_STR_INIT("conclave")};
    if (word.n == 0 || cv_str_nearest(word, ours, CV_COUNT(ours)).n)
        return true;
    cv_op_prefixes prefixes = cv_op_tool_prefixes(a, 0);
    for (size_t i = 0; i < prefixes.count; i++) {
        cv_str rest = prefixes.items[i], part;
        while (cv_str_split(&rest, '_', &part))
            if (part.n && cv_str_nearest(word, &part, 1).n)
                return true;
    }
    return false;
}

/* The words of a tool's name that tell it from others, as they are in the table: of "mcp__conclave__PREFIX_list" and
 * of "prefx_list" that is "list". */
static cv_str stem_of(cv_arena *a, cv_str name)
{
    char *words = cv_arena_copy_z(a, name);
    for (char *p = words; *p; p++)
        *p = *p == '_' ? '-' : *p;
    cv_str stem = cv_str_of(words), rest = stem, word;
    while (cv_str_split(&rest, '-', &word) && is_common(a, word))
        stem = rest;
    return stem;
}

static bool is_tool(const cv_tools *tools, const cv_operation *op)
{
    (void)tools;
    return op->tool;
}

/* The tool among the `eligible` of this name, or whose own words are nearest; NULL: none is near. */
static const cv_operation *nearest_tool(cv_arena *a, const cv_tools *tools, cv_str name,
                                        bool (*eligible)(const cv_tools *, const cv_operation *))
{
    for (size_t i = 0; i < cv_op_count(); i++)
        if (eligible(tools, cv_op_at(i)) && cv_str_ends(name, cv_str_of(cv_op_at(i)->tool)))
            return cv_op_at(i);
    const cv_operation **ops = CV_NEW_ARRAY(a, cv_op_count(), const cv_operation *);
    cv_str *verbs = CV_NEW_ARRAY(a, cv_op_count(), cv_str);
    size_t count = 0;
    for (size_t i = 0; i < cv_op_count(); i++)
        if (eligible(tools, cv_op_at(i))) {
            if (cv_str_eq(name, cv_str_of(cv_op_at(i)->tool)))
                return cv_op_at(i);
            ops[count] = cv_op_at(i);
            verbs[count++] = cv_str_of(cv_op_at(i)->verb);
        }
    cv_str near = cv_str_nearest(stem_of(a, name), verbs, count);
    for (size_t i = 0; i < count; i++)
        if (near.p == verbs[i].p)
            return ops[i];
    return NULL;
}

static cv_str how_to_get(cv_arena *a, const cv_tools *tools, const cv_operation *op, const char *it)
{
    if (cv_tools_offers(tools, op->room))
        return cv_arena_printf(a, "this server offers %s only when it is started with %s", it,
                               op->flags & CV_OP_STARTS ? "--allow-run" : "--tools all");
    if (tools->options.rooms)
        return cv_arena_printf(a, "this server was started with --rooms %s, %s is in %s", tools->rooms, it, op->room);
    return cv_arena_printf(a,
                           "this server offers the rooms that were in use when it was started (%s), %s is in %s: "
                           "start it with --rooms %s,%s",
                           tools->rooms, it, op->room, tools->rooms, op->room);
}

/* There are more tools than a server may offer: who knows one from elsewhere is told how to get it. */
static cv_str tool_missing(void *ctx, cv_arena *a, cv_str name)
{
    const cv_tools *tools = ctx;
    const cv_operation *any = nearest_tool(a, tools, name, is_tool);
    const cv_operation *offered = nearest_tool(a, tools, name, is_offered);
    if (any && (!offered || cv_str_eq(stem_of(a, name), cv_str_of(any->verb))) && any != offered)
        return how_to_get(a, tools, any, cv_str_eq(name, cv_str_of(any->tool)) ? "it" : any->tool);
    return offered ? cv_arena_printf(a, "did you mean '%s'?", offered->tool)
                   : CV_STR("tools/list has all that are offered");
}

static bool check_rooms(cv_arena *a, const char *rooms, cv_err *err)
{
    cv_str rest = cv_str_of(rooms), name;
    cv_str *options = CV_NEW_ARRAY(a, cv_room_count() + 1, cv_str);
    size_t count = 0;
    for (size_t i = 0; i < cv_room_count(); i++)
        if (!cv_room_at(i)->of_project)
            options[count++] = cv_str_of(cv_room_at(i)->name);
    options[count++] = all_rooms;
    while (rooms && cv_str_split(&rest, ',', &name)) {
        bool known = false;
        for (size_t i = 0; i < count; i++)
            known = known || cv_str_eq(cv_str_trim(name), options[i]);
        if (known)
            continue;
        cv_err_set(err, CV_ERR_USAGE, "there is no room '%.*s'", CV_FMT(cv_str_trim(name)));
        cv_err_options(err, options, count);
        return false;
    }
    return true;
}

/* The rooms of which the record has anything, with commas between; NULL: all, or none. */
static const char *rooms_in_use(cv_arena *a, cv_tools *tools)
{
    cv_err err = {.arena = a};
    cv_record_handle *window = &tools->service.window;
    cv_str used = {NULL, 0};
    size_t count = 0, all = 0;
    if (!cv_record_handle_open(window, tools->service.root, &err))
        return NULL;
    for (size_t i = 0; i < cv_room_count(); i++) {
        const cv_room *room = cv_room_at(i);
        all += !room->of_project;
        if (room->of_project)
            continue;
        if (!room->records || cv_scopes_rev(window->record, a, room->records->room) == 0)
            continue;
        used = cv_arena_printf(a, "%.*s%s%s", CV_FMT(used), count++ ? "," : "", room->name);
    }
    return count > 0 && count < all ? cv_arena_copy_z(a, used) : NULL;
}

/* Rooms that were left out unasked: an agent that is told to use one learns why its tools are missing. */
static void print_unused(const cv_tools *tools, cv_buf *text)
{
    size_t count = 0;
    for (size_t i = 0; cv_rooms[i]; i++)
        if (!cv_tools_offers(tools, cv_rooms[i]->name))
            cv_buf_printf(text, "%s%s",
                          count++ ? ", " : "Not offered, because nothing is in them yet: ", cv_rooms[i]->name);
    if (count)
        cv_buf_add_z(text,
                     ". Their operations are commands ('conclave ROOM VERB --help'), and tools when the server is "
                     "started with --rooms. ");
}

/* What the rooms tell, and what holds for all of them. */
static cv_str instructions(cv_arena *a, const cv_tools *tools)
{
    cv_buf text = {0};
    for (size_t i = 0; cv_rooms[i]; i++)
        if (cv_rooms[i]->instructions && cv_tools_offers(tools, cv_rooms[i]->name))
            cv_buf_printf(&text, "%s ", cv_rooms[i]->instructions);
    if (!tools->options.rooms)
        print_unused(tools, &text);
    cv_buf_add_z(&text, "A refused request lists every fault of form, and once its form is right every fault of "
                        "meaning: correct all of them and send the whole request again; nothing was written.");
    return cv_buf_take(&text, a);
}

static void offer_tools(cv_arena *a, const cv_tools *tools, cv_mcp_server *server)
{
    cv_mcp_tool *offered = CV_NEW_ARRAY(a, cv_op_count(), cv_mcp_tool);
    for (size_t i = 0; i < cv_op_count(); i++) {
        const cv_operation *op = cv_op_at(i);
        if (is_offered(tools, op))
            offered[server->tool_count++] = (cv_mcp_tool){.name = cv_str_of(op->tool),
                                                          .definition = define(a, op, tools->options.all),
                                                          .call = call_tool,
                                                          .data = op,
                                                          .cacheable = cv_op_is_cacheable(op)};
    }
    server->tools = offered;
}

bool cv_tools_server(cv_arena *a, const cv_tools_options *options, cv_mcp_server *ret_server, cv_err *err)
{
    if (!check_rooms(a, options->rooms, err))
        return false;
    cv_tools *tools = CV_NEW(a, cv_tools);
    tools->options = *options;
    cv_service_init(&tools->service, options->root, options->as);
    tools->service.starts = options->starts;
    tools->rooms = options->rooms ? options->rooms : rooms_in_use(a, tools);
    *ret_server = (cv_mcp_server){
        .name = CV_STR("conclave"),
        .title = CV_STR("Conclave"),
        .version = CV_STR(CV_VERSION),
        .instructions = instructions(a, tools),
        .tool_missing = tool_missing,
        .watch = cv_resources_watch,
        .data_version = data_version,
        .own = cv_service_own,
        .ctx = tools,
    };
    offer_tools(a, tools, ret_server);
    cv_resources_offer(a, tools, ret_server);
    cv_prompts_offer(a, tools, ret_server);
    return true;
}
