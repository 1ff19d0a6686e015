/* client.c - the programs that Conclave can be entered into; see client.h. */
#include "door/install/client.h"

#include "base/json.h"
#include "door/install/jsonc.h"
#include "door/install/toml_block.h"

const cv_client cv_clients[] = {
    {"claude",
     {".mcp.json", ".claude.json"},
     {".claude/skills", ".claude/skills"},
     "mcpServers",
     false,
     NULL,
     {".claude/settings.json", "PreToolUse", "Write|Edit|MultiEdit|NotebookEdit"},
     NULL},
    {"cursor",
     {".cursor/mcp.json", ".cursor/mcp.json"},
     {".cursor/skills", ".cursor/skills"},
     "mcpServers",
     false,
     "${workspaceFolder}",
     {NULL, NULL, NULL},
     NULL},
    {"vscode",
     {".vscode/mcp.json", ".config/Code/User/mcp.json"},
     {".github/skills", ".copilot/skills"},
     "servers",
     true,
     "${workspaceFolder}",
     {NULL, NULL, NULL},
     NULL},
    {"codex",
     {".codex/config.toml", ".codex/config.toml"},
     {".agents/skills", ".agents/skills"},
     NULL,
     false,
     NULL,
     {NULL, NULL, NULL},
     "Codex reads this file only in a project that it trusts: start codex there once and trust the folder."},
};
const size_t cv_client_count = CV_COUNT(cv_clients);

const cv_client *cv_client_find(cv_str name)
{
    for (size_t i = 0; i < cv_client_count; i++)
        if (cv_str_eq(name, cv_str_of(cv_clients[i].name)))
            return &cv_clients[i];
    return NULL;
}

/* ---- our entry -------------------------------------------------------------------------------------------------- */

static const cv_str our_name = CV_STR_INIT("conclave"), command_key = CV_STR_INIT("command"),
                    args_key = CV_STR_INIT("args");
static const cv_toml_block our_block = {.name = CV_STR_INIT("conclave"), .table = CV_STR_INIT("mcp_servers.conclave")};

/* Strings and lists of strings are written alike in JSON and in TOML. */
static cv_str print_string(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_str(&w, text);
    return cv_buf_take(&out, a);
}

static cv_str print_arguments(cv_arena *a, const cv_client *client, const cv_client_job *job)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_array(&w);
    cv_json_str(&w, CV_STR("mcp"));
    if (client->root && job->scope == CV_SCOPE_PROJECT) {
        cv_json_str(&w, CV_STR("--root"));
        cv_json_str(&w, cv_str_of(client->root));
    }
    cv_json_end_array(&w);
    return cv_buf_take(&out, a);
}

static cv_str print_lines(cv_arena *a, cv_str command, cv_str arguments)
{
    return cv_arena_printf(a, "[%.*s]\ncommand = %.*s\nargs = %.*s\n", CV_FMT(our_block.table), CV_FMT(command),
                           CV_FMT(arguments));
}

static cv_str print_entry(cv_arena *a, const cv_client *client, const cv_client_job *job)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    if (client->typed)
        cv_json_key_str(&w, "type", CV_STR("stdio"));
    cv_json_key_str(&w, "command", job->command);
    cv_json_key(&w, args_key);
    cv_json_raw(&w, print_arguments(a, client, job));
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}

/* ---- what is there ---------------------------------------------------------------------------------------------- */

/* The value as JSON; false: it is missing, or written as JSON has it not. */
static bool parse(cv_arena *a, cv_str config, const cv_edit_found *found, cv_json *ret)
{
    cv_err err = {.arena = a};
    cv_str written = cv_str_range(config.p + found->value.start, config.p + found->value.end);
    return found->has_member && cv_json_parse(a, written, ret, &err);
}

static bool is_program(const cv_json *command)
{
    cv_str path = command->type == CV_JSON_STRING ? command->text : (cv_str){NULL, 0};
    return cv_str_eq(path, our_name) || (cv_str_ends(path, our_name) && path.p[path.n - our_name.n - 1] == '/');
}

static bool is_written(cv_arena *a, const cv_json *value, cv_str text)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_value(&w, value);
    return cv_str_eq(cv_buf_take(&out, a), text);
}

/* An entry that is there: where the program stands is brought up to date, all else in it stays. One whose arguments or
 * program are not ours is somebody's own. */
static bool freshen(cv_arena *a, const cv_client *client, const cv_client_job *job, cv_str config,
                    const cv_edit_found *command, cv_client_edited *ret, cv_err *err)
{
    cv_edit_found args;
    cv_json program, list;
    if (!cv_jsonc_find(config, cv_str_of(client->servers), our_name, args_key, &args, err))
        return false;
    ret->config = config;
    ret->customised = !parse(a, config, command, &program) || !is_program(&program) ||
                      !parse(a, config, &args, &list) || !is_written(a, &list, print_arguments(a, client, job));
    if (!ret->customised && !cv_str_eq(program.text, job->command))
        ret->config =
            cv_edit_replace(a, config, command->value.start, command->value.end, print_string(a, job->command));
    return true;
}

/* ---- the edit --------------------------------------------------------------------------------------------------- */

static bool edit_json(cv_arena *a, const cv_client *client, const cv_client_job *job, cv_str config,
                      cv_client_edited *ret, cv_err *err)
{
    cv_str servers = cv_str_of(client->servers);
    cv_edit_found command;
    if (!cv_jsonc_find(config, servers, our_name, command_key, &command, err))
        return false;
    if (command.has_entry && !job->force) {
        if (!freshen(a, client, job, config, &command, ret, err))
            return false;
        if (ret->customised || !job->undo)
            return true;
    }
    if (job->undo)
        return cv_jsonc_remove(a, config, servers, our_name, &ret->config, err);
    return cv_jsonc_set(a, config, servers, our_name, print_entry(a, client, job), &ret->config, err);
}

/* Are these the lines that we would write, wherever the program stands? */
static bool are_ours(cv_arena *a, cv_str config, cv_str lines, cv_str arguments)
{
    static const cv_str key = CV_STR_INIT("command = ");
    cv_str rest = cv_str_from(lines, cv_str_find(lines, key)), line;
    cv_err err = {.arena = a};
    cv_json program;
    if (!cv_str_split(&rest, '\n', &line) || !cv_json_parse(a, cv_str_from(cv_str_trim(line), key.n), &program, &err) ||
        !is_program(&program))
        return false;
    return cv_str_eq(lines, cv_toml_block_lines(a, config, print_lines(a, print_string(a, program.text), arguments)));
}

static bool edit_block(cv_arena *a, const cv_client *client, const cv_client_job *job, cv_str config,
                       cv_client_edited *ret, cv_err *err)
{
    cv_str lines, arguments = print_arguments(a, client, job), command = print_string(a, job->command);
    cv_toml_block block = our_block;
    bool found;
    block.todo = cv_arena_printf(a,
                                 "write command = %.*s and args = %.*s there, or remove it and install again; nothing "
                                 "was changed",
                                 CV_FMT(command), CV_FMT(arguments));
    if (!cv_toml_block_find(a, &block, config, &found, &lines, err))
        return false;
    ret->config = config;
    ret->customised = found && !job->force && !are_ours(a, config, lines, arguments);
    if (job->undo && !ret->customised)
        return cv_toml_block_remove(a, &block, config, &ret->config, err);
    return ret->customised ||
           cv_toml_block_set(a, &block, config, print_lines(a, command, arguments), &ret->config, err);
}

bool cv_client_edit(cv_arena *a, const cv_client *client, const cv_client_job *job, cv_str config,
                    cv_client_edited *ret, cv_err *err)
{
    *ret = (cv_client_edited){.customised = false};
    return client->servers ? edit_json(a, client, job, config, ret, err) : edit_block(a, client, job, config, ret, err);
}
