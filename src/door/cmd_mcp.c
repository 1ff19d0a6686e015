/* cmd_mcp.c - conclave mcp, serve, open: the operations for MCP clients on standard input, and for everybody on HTTP.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/signals.h"
#include "door/api/api.h"
#include "door/browser.h"
#include "door/cli_parts.h"
#include "door/http/guard.h"
#include "door/mcp/http.h"
#include "door/tools.h"
#include "door/web/web.h"
#include "kit/agents.h"
#include "project/project.h"

enum {
    USUAL_PORT = 8417,
    MAX_CONNECTIONS = 2048,
    REQUEST_SECONDS = 30,
    IDLE_SECONDS = 120,
    BEAT_SECONDS = 15,
    PATIENCE_SECONDS = 30,
    MOST_PATIENCE_SECONDS = 3600,
};

static cv_tools_options tools_options(const cv_cli *cli, const char *as)
{
    const char *tools = cv_cli_get(cli, "tools");
    return (cv_tools_options){.root = cv_cli_wanted_root(cv_cli_get(cli, "root")),
                              .rooms = cv_cli_get(cli, "rooms"),
                              .as = as,
                              .starts = cv_cli_get(cli, "allow-run"),
                              .all = tools && strcmp(tools, "all") == 0};
}

/* The allocator gives every thread memory of its own, and keeps it: what one has given back shall serve the others. */
static void share_memory(void)
{
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 2);
#endif
}

/* A server may be started before there is a project, but not in what can never be one. */
static bool check_root(cv_cli *cli, const char *root, cv_err *err)
{
    cv_err none = {.arena = cli->arena};
    const char *found;
    if (root && !cv_file_is_folder(root)) {
        cv_err_set(err, CV_ERR_NOT_FOUND, "'%s' is not a folder", root);
        cv_err_suggest(err, CV_STR("give the folder of a project with --root or CONCLAVE_ROOT"));
        return cv_cli_wrong_root(cv_cli_get(cli, "root"), err);
    }
    if (!cv_project_find(cli->arena, root, &found, &none))
        cv_log_line("%.*s; %.*s: until then every call fails", CV_FMT(none.message), CV_FMT(none.suggestion));
    return true;
}

static bool no_arguments(cv_cli *cli, cv_err *err)
{
    return cli->argument_count == 0 ||
           cv_err_set(err, CV_ERR_USAGE, "%s takes no arguments, found '%s'", cli->command->name, cli->arguments[0]);
}

static bool check_name(const char *as, cv_err *err)
{
    if (!as || cv_agent_id_valid(cv_str_of(as)))
        return true;
    cv_agent_id_refuse(cv_str_of(as), err);
    cv_err_field(err, CV_STR("--as"));
    return false;
}

/* ---- standard input --------------------------------------------------------------------------------------------- */

static int run_mcp(cv_cli *cli)
{
    cv_err err = {.arena = cli->arena};
    cv_tools_options options = tools_options(cli, cv_cli_wanted_agent(cv_cli_get(cli, "as")));
    cv_mcp_server server;
    if (!no_arguments(cli, &err) || !check_name(options.as, &err) || !check_root(cli, options.root, &err) ||
        !cv_tools_server(cli->arena, &options, &server, &err))
        return cv_cli_fail(cli, &err);
    if (isatty(STDIN_FILENO))
        cv_log_line("waiting for messages of an MCP client on standard input, one per line; 'conclave install' sets a "
                    "client up");
    share_memory();
    int status = cv_mcp_serve_stdio(&server);
    cv_tools_end(&server);
    return status;
}

/* ---- HTTP ------------------------------------------------------------------------------------------------------- */

static bool read_port(const cv_cli *cli, uint16_t *ret_port, cv_err *err)
{
    const char *given = cv_cli_get(cli, "port");
    int port = USUAL_PORT;
    if (given && (!cv_str_to_int(cv_str_of(given), &port) || port > UINT16_MAX)) {
        cv_err_set(err, CV_ERR_USAGE, "'%s' is not a port: 0 to 65535, 0 for one that is free", given);
        return false;
    }
    *ret_port = (uint16_t)port;
    return true;
}

static bool read_patience(const cv_cli *cli, unsigned *ret_seconds, cv_err *err)
{
    const char *given = cv_cli_get(cli, "patience");
    int seconds = PATIENCE_SECONDS;
    if (given && (!cv_str_to_int(cv_str_of(given), &seconds) || seconds < 1 || seconds > MOST_PATIENCE_SECONDS)) {
        cv_err_set(err, CV_ERR_USAGE, "'%s' is not a patience: 1 to %d seconds", given, MOST_PATIENCE_SECONDS);
        return false;
    }
    *ret_seconds = (unsigned)seconds;
    return true;
}

/* The tokens of agents are the record's business. */
static bool check_prefix(const char *token, cv_err *err)
{
    if (!cv_str_starts(cv_str_of(token), CV_STR(CV_TOKEN_PREFIX)))
        return true;
    cv_err_set(err, CV_ERR_USAGE, "a token that begins with " CV_TOKEN_PREFIX " is one of an agent, not of a server");
    cv_err_suggest(err, CV_STR("clients send it as it is; for the server take another: 'openssl rand -hex 32'"));
    return false;
}

/* A token that is not one would open what was meant to be closed. An empty variable is one that is not set. */
static bool find_token(const cv_cli *cli, const char **ret_token, cv_err *err)
{
    const char *given = cv_cli_get(cli, "token"), *variable = getenv("CONCLAVE_TOKEN");
    *ret_token = given ? given : variable && *variable ? variable : NULL;
    if (!*ret_token || (cv_guard_check_token(*ret_token, err) && check_prefix(*ret_token, err)))
        return true;
    cv_err_field(err, given ? CV_STR("--token") : CV_STR("CONCLAVE_TOKEN"));
    return false;
}

static void announce(const cv_cli *cli, const cv_http_server *http)
{
    cv_str url = cv_http_url(http, cli->arena);
    if (cli->json)
        printf("{\"status\":\"success\",\"url\":\"%.*s\",\"mcp\":\"%.*s/mcp\"}\n", CV_FMT(url), CV_FMT(url));
    else
        printf("Conclave listens on %s%.*s\nOpen it in a browser (API: /api, MCP: /mcp). Ctrl-C ends it.\n",
               cv_http_is_everywhere(http) ? "all addresses; from here: " : "", CV_FMT(url));
    fflush(stdout);
}

/* A user who did not ask for a certain port gets a free one when the usual one is taken. */
static bool start(cv_cli *cli, bool show, cv_http_options *options, cv_http_server **ret, cv_err *err)
{
    cv_err taken = {.arena = cli->arena};
    if (!show || cv_cli_get(cli, "port"))
        return cv_http_start(cli->arena, options, ret, err);
    if (cv_http_start(cli->arena, options, ret, &taken))
        return true;
    cv_log_line("%.*s; so a port that is free is taken", CV_FMT(taken.message));
    options->port = 0;
    return cv_http_start(cli->arena, options, ret, err);
}

static int serve(cv_cli *cli, const cv_mcp_server *server, cv_http_options options, unsigned patience, bool show)
{
    cv_err err = {.arena = cli->arena};
    cv_workers workers;
    cv_workers_init(&workers, &server->own);
    cv_mcp_http *mcp = cv_mcp_http_new(server, &workers);
    cv_tools *tools = server->ctx;
    cv_api *api = cv_api_new(&tools->service, &workers, patience);
    cv_http_route routes[CV_API_ROUTES + 2] = {cv_mcp_http_route(mcp, "/mcp")};
    cv_http_server *http;
    cv_api_routes(api, routes + 1);
    routes[CV_API_ROUTES + 1] = cv_web_route();
    options.routes = routes;
    options.route_count = CV_COUNT(routes);
    options.workers = &workers;
    cv_signals_hold();
    bool started = start(cli, show, &options, &http, &err);
    if (started) {
        announce(cli, http);
        if (show && !cv_browser_open(cv_http_url(http, cli->arena)))
            cv_log_line("there is no desktop here, and BROWSER is not set: open the address by hand");
        cv_signals_wait();
        cv_http_close(http);
    }
    cv_workers_close(&workers);
    cv_api_end(api);
    if (!cv_mcp_http_end(mcp)) { /* a call takes long: what it writes is whole or absent whenever it ends */
        cv_http_drain(http);
        _exit(0);
    }
    if (started)
        cv_http_stop(http);
    cv_mcp_http_free(mcp);
    cv_api_free(api);
    cv_workers_release(&workers);
    return started ? 0 : cv_cli_fail(cli, &err);
}

static int run_http(cv_cli *cli, bool show)
{
    cv_err err = {.arena = cli->arena};
    cv_tools_options tools = tools_options(cli, NULL); /* there tokens say who acts */
    cv_mcp_server server;
    cv_http_options options = {.address = cv_cli_get(cli, "address"),
                               .max_body = CV_MAX_MESSAGE_BYTES,
                               .max_connections = MAX_CONNECTIONS,
                               .request_seconds = REQUEST_SECONDS,
                               .idle_seconds = IDLE_SECONDS,
                               .beat_seconds = BEAT_SECONDS,
                               .log = cv_cli_get(cli, "log"),
                               .admits = cv_service_admits};
    unsigned patience;
    if (!no_arguments(cli, &err) || !read_port(cli, &options.port, &err) || !read_patience(cli, &patience, &err) ||
        !find_token(cli, &options.token, &err) || !check_root(cli, tools.root, &err) ||
        !cv_tools_server(cli->arena, &tools, &server, &err))
        return cv_cli_fail(cli, &err);
    options.admits_ctx = &((cv_tools *)server.ctx)->service;
    share_memory();
    int status = serve(cli, &server, options, patience, show);
    cv_tools_end(&server);
    return status;
}

static int run_serve(cv_cli *cli)
{
    return run_http(cli, false);
}

static int run_open(cv_cli *cli)
{
    return run_http(cli, true);
}

/* ---- the rows --------------------------------------------------------------------------------------------------- */

#define TOOL_OPTIONS                                                                                                   \
    CV_CLI_ROOT,                                                                                                       \
        {"rooms", "ROOMS",                                                                                             \
         "rooms whose tools are offered, with commas between, or all (default: those in use; all if none is)", NULL},  \
        {"tools", "WHICH", "usual: the tools for daily work (default); all: every operation", "usual all"},            \
    {                                                                                                                  \
        "allow-run", NULL, "clients may start agents on this machine: the tools of 'run' and 'ask'", NULL              \
    }

static const cv_cli_option mcp_options[] = {CV_CLI_AS, TOOL_OPTIONS};

const cv_cli_command cv_cmd_mcp = {
    .name = "mcp",
    .summary = "serve the operations to an MCP client on standard input and output",
    .arguments = "",
    .details =
        "A client starts this command and speaks to it, one JSON message per line. 'conclave install' writes the\n"
        "entry into the client's configuration. The project is found from the current folder upwards, or with\n"
        "--root; files are read and written below it only. --as says which agent the client is: every event that it\n"
        "causes names it, as claimed (docs/agents.md).\n",
    .examples = "  conclave mcp </dev/null\n"
                "  conclave mcp --tools all </dev/null\n",
    .options = mcp_options,
    .option_count = CV_COUNT(mcp_options),
    .run = run_mcp,
};

static const cv_cli_option serve_options[] = {
    {"address", "ADDRESS", "where to listen (default: 127.0.0.1; any other than the loopback needs a token)", NULL},
    {"port", "N", "which port (default: 8417; 0: one that is free)", NULL},
    {"log", NULL, "write a line of JSON to standard error for every request", NULL},
    {"patience", "SECONDS",
     "close the connection of a client that listens to events and reads nothing for this many seconds (default: 30)",
     NULL},
    {"token", "TOKEN", "what clients must send as 'Authorization: Bearer TOKEN' (default: $CONCLAVE_TOKEN)", NULL},
    TOOL_OPTIONS,
};

const cv_cli_command cv_cmd_serve = {
    .name = "serve",
    .summary = "serve the project over HTTP: dashboard, API at /api, MCP at /mcp",
    .arguments = "",
    .details =
        "Prints its address, and listens until it is interrupted. Pages of other origins are refused.\n"
        "A token on the command line can be seen by other users of the machine: prefer CONCLAVE_TOKEN. A client may\n"
        "send the token of an agent instead ('conclave token add'): then it acts as that agent.\n",
    .examples = "  CONCLAVE_TOKEN=$(openssl rand -hex 32) conclave serve --address 0.0.0.0 --port 9000\n",
    .options = serve_options,
    .option_count = CV_COUNT(serve_options),
    .run = run_serve,
};

const cv_cli_command cv_cmd_open = {
    .name = "open",
    .summary = "serve the project, and show its dashboard in a browser",
    .arguments = "",
    .details =
        "The same as 'serve'; then $BROWSER is started, or the browser of the desktop. Without --port a free port is\n"
        "taken when the usual one is not free. Ctrl-C ends it.\n",
    .examples = "  conclave open --root ~/projects/bakery\n",
    .options = serve_options,
    .option_count = CV_COUNT(serve_options),
    .run = run_open,
};
