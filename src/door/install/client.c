/* client.c - the programs that Conclave can be entered into; see client.h. */
#include "door/install/client.h"

#include "base/json.h"
#include "door/install/jsonc.h"
#include "door/install/toml.h"

const cv_client cv_clients[] = {
    {"claude", {".mcp.json", ".claude.json"}, {".claude/skills", ".claude/skills"}, "mcpServers", false, NULL},
    {"cursor",
     {".cursor/mcp.json", ".cursor/mcp.json"},
     {".cursor/skills", ".cursor/skills"},
     "mcpServers",
     false,
     "${workspaceFolder}"},
    {"vscode",
     {".vscode/mcp.json", ".config/Code/User/mcp.json"},
     {".github/skills", ".copilot/skills"},
     "servers",
     true,
     "${workspaceFolder}"},
    {"codex", {".codex/config.toml", ".codex/config.toml"}, {".codex/skills", ".codex/skills"}, NULL, false, NULL},
};
const size_t cv_client_count = CV_COUNT(cv_clients);

const cv_client *cv_client_find(cv_str name)
{
    for (size_t i = 0; i < cv_client_count; i++)
        if (cv_str_eq(name, cv_str_of(cv_clients[i].name)))
            return &cv_clients[i];
    return NULL;
}

static void print_arguments(cv_json_writer *w, const char *root)
{
    cv_json_begin_array(w);
    cv_json_str(w, CV_STR("mcp"));
    if (root) {
        cv_json_str(w, CV_STR("--root"));
        cv_json_str(w, cv_str_of(root));
    }
    cv_json_end_array(w);
}

static cv_str print_entry(cv_arena *a, const cv_client *client, const char *root, cv_str command)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_json_begin_object(&w);
    if (client->typed)
        cv_json_key_str(&w, "type", CV_STR("stdio"));
    cv_json_key_str(&w, "command", command);
    cv_json_key(&w, CV_STR("args"));
    print_arguments(&w, root);
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}

/* Strings and lists of strings are written alike in JSON and in TOML. */
static bool edit_toml(cv_arena *a, cv_str config, cv_str command, bool undo, cv_str *ret_config, cv_err *err)
{
    static const cv_str table = CV_STR_INIT("mcp_servers.conclave");
    cv_buf text = {0}, list = {0};
    cv_json_writer w = {.out = &text}, v = {.out = &list};
    cv_json_str(&w, command);
    print_arguments(&v, NULL);
    cv_toml_entry entries[] = {{CV_STR("command"), cv_buf_take(&text, a)}, {CV_STR("args"), cv_buf_take(&list, a)}};
    return undo ? cv_toml_remove(a, config, table, ret_config, err)
                : cv_toml_set(a, config, table, entries, CV_COUNT(entries), ret_config, err);
}

bool cv_client_edit(cv_arena *a, const cv_client *client, cv_scope scope, cv_str config, cv_str command, bool undo,
                    cv_str *ret_config, cv_err *err)
{
    cv_str servers = cv_str_of(client->servers), name = CV_STR("conclave");
    if (!client->servers)
        return edit_toml(a, config, command, undo, ret_config, err);
    if (undo)
        return cv_jsonc_remove(a, config, servers, name, ret_config, err);
    cv_str entry = print_entry(a, client, scope == CV_SCOPE_PROJECT ? client->root : NULL, command);
    return cv_jsonc_set(a, config, servers, name, entry, ret_config, err);
}
