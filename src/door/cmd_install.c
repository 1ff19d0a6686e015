/* cmd_install.c - conclave install: the MCP server and the skills, entered into a client's configuration. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folder.h"
#include "base/limits.h"
#include "base/os.h"
#include "base/plain.h"
#include "base/terminal.h"
#include "door/cli_parts.h"
#include "door/install/client.h"
#include "door/install/hook.h"
#include "project/project.h"

enum { NOTE_COLUMN = 12 }; /* behind the action */

/* One file, and what becomes of it. */
typedef struct {
    const char *path;
    cv_str before, after; /* absent: there is no file */
    const char *action;   /* "added", "changed", "removed", "unchanged", "left alone" */
    const char *note;     /* why, or NULL */
    bool is_shown;        /* in a dry run: what it would become */
} change;

typedef struct {
    cv_cli *cli;
    const cv_client *client;
    cv_scope scope;
    const char *base; /* the folder that paths begin in */
    bool above;       /* … is the project's, and the current folder is below it */
    bool by_variable; /* … because CONCLAVE_ROOT names it */
    bool no_project;  /* … is meant to be a project's, and is none */
    bool undo, force, dry_run;
    bool hooks; /* those of the rooms, too */
    struct {
        change *items;
        size_t count, capacity;
    } changes;
} installation;

/* ---- what is to be done ----------------------------------------------------------------------------------------- */

static bool read_if_there(cv_arena *a, const char *path, cv_str *ret_text, cv_err *err)
{
    *ret_text = (cv_str){NULL, 0};
    return access(path, F_OK) != 0 || cv_file_read_text(a, path, ret_text, err);
}

static change *plan(installation *in, const char *path, cv_str before, cv_str after)
{
    assert((before.p || before.n == 0) && "a file that is not there has no bytes");
    bool same = cv_str_eq(before, after) && !before.p == !after.p;
    const char *action = same ? "unchanged" : !before.p ? "added" : !after.p ? "removed" : "changed";
    change *c = CV_PUSH(in->cli->arena, &in->changes);
    *c = (change){path, before, after, action, same && in->undo ? "nothing to undo" : NULL, false};
    return c;
}

static bool is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* Is there nothing in it but the empty object that held what was ours? NULL: a TOML file, which has none. */
static bool is_bare(cv_arena *a, cv_str text, const char *key)
{
    cv_err err = {.arena = a};
    cv_json all;
    if (!key || cv_str_trim(text).n == 0)
        return cv_str_trim(text).n == 0;
    if (!cv_json_parse(a, text, &all, &err) || all.type != CV_JSON_OBJECT || all.count > 1)
        return false;
    const cv_json *held = cv_json_get(&all, cv_str_of(key));
    return all.count == 0 || (held && held->type == CV_JSON_OBJECT && held->count == 0);
}

/* A file that others write into, too. It goes with what was ours if nothing of theirs is left in it. */
static change *plan_shared(installation *in, const char *path, cv_str before, cv_str after, const char *key,
                           const char *undone)
{
    bool goes = in->undo && !cv_str_eq(before, after) && !is_link(path) && is_bare(in->cli->arena, after, key);
    change *c = plan(in, path, before, goes ? (cv_str){NULL, 0} : after);
    c->is_shown = true;
    if (in->undo && !c->note)
        c->note = goes ? "nothing else was in it" : undone;
    return c;
}

static bool plan_config(installation *in, cv_str command, cv_err *err)
{
    cv_arena *a = in->cli->arena;
    const char *path = cv_arena_printf(a, "%s/%s", in->base, in->client->config[in->scope]).p;
    cv_client_job job = {in->scope, command, in->undo, in->force};
    cv_client_edited edited = {.customised = false};
    cv_str before;
    if (!read_if_there(a, path, &before, err))
        return false;
    if ((before.p || !in->undo) && !cv_client_edit(a, in->client, &job, before, &edited, err)) {
        cv_err_file(err, cv_str_of(path));
        if (!err->suggestion.n)
            cv_err_suggest(err, CV_STR("correct the file, or enter 'conclave mcp' by hand; nothing was changed"));
        return false;
    }
    change *c =
        plan_shared(in, path, before, edited.config, in->client->servers, "our entry is removed, the file stays");
    if (edited.customised)
        c->note = in->undo ? "customised; --force removes it" : "customised; --force replaces it by ours";
    return true;
}

/* A skill that somebody has changed is theirs. */
static bool plan_skill(installation *in, const char *name, cv_str text, cv_err *err)
{
    cv_arena *a = in->cli->arena;
    const char *path = cv_arena_printf(a, "%s/%s/%s/SKILL.md", in->base, in->client->skills[in->scope], name).p;
    cv_str before, nothing = {NULL, 0};
    if (!read_if_there(a, path, &before, err))
        return false;
    bool other = before.p && !cv_str_eq(before, text) && !in->force, link = in->undo && is_link(path);
    change *c = plan(in, path, before, other || link ? before : in->undo ? nothing : text);
    if (other || link) {
        c->action = "left alone";
        c->note =
            link ? "it is a link that somebody else made" : "it differs from ours; --force replaces or removes it";
    }
    return true;
}

static bool plan_skills(installation *in, cv_err *err)
{
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_skill *skill = cv_rooms[i]->skills; skill && skill->name; skill++) {
            cv_buf text = {0};
            skill->print(&text);
            if (!plan_skill(in, skill->name, cv_buf_take(&text, in->cli->arena), err))
                return false;
        }
    return true;
}

/* Is there anything for the hooks of this client? Those of a project only: elsewhere there may be none. */
static bool has_hooks(const installation *in)
{
    bool any = false;
    for (size_t i = 0; cv_rooms[i]; i++)
        any = any || (cv_rooms[i]->hooks && cv_rooms[i]->hooks->words);
    return any && in->client->hooks.settings && in->scope == CV_SCOPE_PROJECT;
}

/* Entered when they are asked for, and always taken out again. */
static bool plan_hooks(installation *in, cv_str command, cv_err *err)
{
    cv_arena *a = in->cli->arena;
    cv_str before;
    if (!has_hooks(in) || (!in->hooks && !in->undo))
        return true;
    const char *path = cv_arena_printf(a, "%s/%s", in->base, in->client->hooks.settings).p;
    if (!read_if_there(a, path, &before, err))
        return false;
    if (in->undo && !before.p)
        return true;
    cv_str after = before;
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_room_hook *h = cv_rooms[i]->hooks; h && h->words; h++) {
            const cv_client_hook hook = {cv_str_of(in->client->hooks.event), cv_str_of(in->client->hooks.matcher),
                                         command, cv_str_of(h->words)};
            bool ok = in->undo ? cv_client_hook_remove(a, &hook, after, &after, err)
                               : cv_client_hook_set(a, &hook, after, &after, err);
            if (!ok) {
                cv_err_file(err, cv_str_of(path));
                return false;
            }
        }
    plan_shared(in, path, before, after, "hooks", "our hooks are removed, the file stays");
    return true;
}

/* ---- doing it --------------------------------------------------------------------------------------------------- */

static bool is_same(const change *c)
{
    return cv_str_eq(c->before, c->after) && !c->before.p == !c->after.p;
}

static cv_str folder_of(cv_str path)
{
    while (path.n > 0 && path.p[path.n - 1] != '/')
        path.n--;
    return cv_str_head(path, path.n > 0 ? path.n - 1 : 0);
}

static bool cannot(cv_err *err, const char *path, const char *why)
{
    cv_err_set(err, CV_ERR_IO, "%s", why);
    cv_err_file(err, cv_str_of(path));
    cv_err_suggest(err, CV_STR("nothing was changed"));
    return false;
}

/* Can the file be written, or removed? The nearest folder above it that is there must be one, and let us. */
static bool check_place(cv_arena *a, const char *path, cv_err *err)
{
    cv_err absent = {.arena = a};
    const char *place = path;
    if (cv_folder_real(a, path, &place, &absent) && access(place, W_OK) != 0)
        return cannot(err, path, "you may not write this file");
    do
        place = cv_arena_copy_z(a, folder_of(cv_str_of(place)));
    while (*place && access(place, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR));
    place = *place ? place : "/";
    if (!cv_file_is_folder(place))
        return cannot(err, path, cv_arena_printf(a, "'%s' is in the way: it is not a folder", place).p);
    return access(place, W_OK | X_OK) == 0 ||
           cannot(err, path, cv_arena_printf(a, "you may not write to the folder '%s'", place).p);
}

/* All or nothing, as far as that can be known before. */
static bool check_places(const installation *in, cv_err *err)
{
    for (size_t i = 0; i < in->changes.count; i++)
        if (!is_same(&in->changes.items[i]) && !check_place(in->cli->arena, in->changes.items[i].path, err))
            return false;
    return true;
}

/* Folders that are empty without the file go with it, up to the base. */
static bool remove_file(installation *in, const char *path, cv_err *err)
{
    cv_arena *a = in->cli->arena;
    if (unlink(path) != 0)
        return cv_err_set(err, CV_ERR_IO, "cannot remove %s", path);
    cv_str folder = folder_of(cv_str_of(path));
    while (folder.n > strlen(in->base) && rmdir(cv_arena_copy_z(a, folder)) == 0)
        folder = folder_of(folder);
    return true;
}

static bool carry_out(installation *in, cv_err *err)
{
    for (size_t i = 0; i < in->changes.count; i++) {
        const change *c = &in->changes.items[i];
        if (is_same(c))
            continue;
        const char *folder = cv_arena_copy_z(in->cli->arena, folder_of(cv_str_of(c->path)));
        bool ok = c->after.p ? cv_folder_make(folder, err) && cv_file_write(c->path, c->after, err)
                             : remove_file(in, c->path, err);
        if (!ok)
            return false;
    }
    return true;
}

/* ---- telling it ------------------------------------------------------------------------------------------------- */

static void tell_json(const installation *in, cv_buf *out)
{
    cv_json_writer w = {.out = out, .indent = 2};
    cv_json_begin_object(&w);
    cv_json_key_str(&w, "status", CV_STR("success"));
    cv_json_key_str(&w, "client", cv_str_of(in->client->name));
    cv_json_key_str(&w, "folder", cv_str_of(in->base));
    if (in->scope == CV_SCOPE_PROJECT)
        cv_json_key_bool(&w, "is_project", !in->no_project);
    cv_json_key_bool(&w, "dry_run", in->dry_run);
    if (!in->undo && in->scope == CV_SCOPE_PROJECT && in->client->trust)
        cv_json_key_str(&w, "trust", cv_str_of(in->client->trust));
    cv_json_key(&w, CV_STR("files"));
    cv_json_begin_array(&w);
    for (size_t i = 0; i < in->changes.count; i++) {
        const change *c = &in->changes.items[i];
        cv_json_begin_object(&w);
        cv_json_key_str(&w, "path", cv_str_of(c->path));
        cv_json_key_str(&w, "action", cv_str_of(c->action));
        if (c->note)
            cv_json_key_str(&w, "note", cv_str_of(c->note));
        cv_json_end_object(&w);
    }
    cv_json_end_array(&w);
    cv_json_end_object(&w);
    cv_buf_add_char(out, '\n');
}

/* One line, broken at the width of the terminal; what follows begins in column `hang`. */
static void say(cv_buf *out, size_t hang, cv_str text)
{
    size_t width = cv_terminal_width(STDOUT_FILENO);
    cv_plain_wrap(out, text, width ? width : SIZE_MAX, 0, hang);
    cv_buf_add_char(out, '\n');
}

/* "the tools are called PREFIX…": how people find them in the client's list. */
static void tell_tools(const installation *in, cv_buf *out)
{
    cv_op_prefixes prefixes = cv_op_tool_prefixes(in->cli->arena, CV_OP_UNASKED);
    cv_buf text = {0};
    cv_buf_printf(&text, "Restart %s, and approve the server if it asks; its tools are called", in->client->name);
    for (size_t i = 0; i < prefixes.count; i++)
        cv_buf_printf(&text, "%s %.*s…", i ? "," : "", CV_FMT(prefixes.items[i]));
    cv_buf_add_z(&text, ".");
    say(out, 0, cv_buf_str(&text));
    cv_buf_release(&text);
}

/* What hooks do, or would do; and what they need to know whose they are. */
static void tell_hooks(const installation *in, cv_buf *out)
{
    cv_arena *a = in->cli->arena;
    if (in->undo || !has_hooks(in))
        return;
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_room_hook *h = cv_rooms[i]->hooks; h && h->words; h++)
            say(out, 0,
                cv_arena_printf(a, "%s %s runs 'conclave %s' before it writes: %s.",
                                in->hooks && !in->dry_run ? "Now" : "With --hooks", in->client->name, h->words,
                                h->about));
    if (in->hooks)
        say(out, 0,
            cv_arena_printf(a,
                            "Set CONCLAVE_AGENT to the name of the agent where you start %s. Without it the "
                            "hooks do not know who acts, and allow every write.",
                            in->client->name));
}

static void tell(const installation *in, cv_buf *out)
{
    cv_arena *a = in->cli->arena;
    if (in->dry_run)
        cv_buf_add_z(out, "Nothing is written (--dry-run). This would be done:\n");
    if (in->above)
        cv_buf_printf(out, "The project is %s.\n", in->base);
    if (in->by_variable)
        say(out, 0, cv_arena_printf(a, "The project is %s, because CONCLAVE_ROOT says so.", in->base));
    for (size_t i = 0; i < in->changes.count; i++) {
        const change *c = &in->changes.items[i];
        say(out, NOTE_COLUMN,
            cv_arena_printf(a, "%-10s  %s%s%s%s", c->action, c->path, c->note ? " (" : "", c->note ? c->note : "",
                            c->note ? ")" : ""));
    }
    for (size_t i = 0; in->dry_run && i < in->changes.count; i++) {
        const change *c = &in->changes.items[i];
        if (!c->is_shown || !c->after.p || is_same(c))
            continue;
        cv_buf_printf(out, "\n%s:\n", c->path);
        cv_buf_add(out, c->after);
    }
    if (!in->dry_run && !in->undo)
        tell_tools(in, out);
    if (!in->undo && in->scope == CV_SCOPE_PROJECT && in->client->trust)
        say(out, 0, cv_str_of(in->client->trust));
    tell_hooks(in, out);
    if (in->no_project && !in->undo)
        cv_buf_printf(out, "There is no project in %s yet: 'conclave init' makes one.\n",
                      strcmp(in->base, ".") == 0 ? "this folder" : in->base);
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

/* On the path of whatever starts clients, not only of this shell. */
static bool is_standard(cv_arena *a, cv_str folder)
{
    const char *home = getenv("HOME");
    return cv_str_eq(folder, CV_STR("/usr/bin")) || cv_str_eq(folder, CV_STR("/usr/local/bin")) ||
           (home && cv_str_eq(folder, cv_arena_printf(a, "%s/.local/bin", home)));
}

/* How the client finds us: by name when that leads here from everywhere, else by our path. */
static cv_str own_command(cv_arena *a)
{
    static const cv_str name = CV_STR_INIT("conclave");
    cv_str program = cv_os_program(a);
    if (!program.n)
        return name;
    const char *path = getenv("PATH");
    cv_str rest = cv_str_of(path), folder;
    struct stat ours, theirs;
    bool found = false, leads_here = false;
    while (!found && cv_str_split(&rest, ':', &folder)) {
        found = stat(cv_arena_printf(a, "%.*s/%.*s", CV_FMT(folder), CV_FMT(name)).p, &theirs) == 0;
        leads_here = found && is_standard(a, folder) && stat(program.p, &ours) == 0 && ours.st_ino == theirs.st_ino &&
                     ours.st_dev == theirs.st_dev;
    }
    return leads_here ? name : program;
}

static bool choose_client(installation *in, cv_err *err)
{
    cv_cli *cli = in->cli;
    cv_str *names = CV_NEW_ARRAY(cli->arena, cv_client_count, cv_str);
    for (size_t i = 0; i < cv_client_count; i++)
        names[i] = cv_str_of(cv_clients[i].name);
    in->client = cli->argument_count == 1 ? cv_client_find(cv_str_of(cli->arguments[0])) : NULL;
    if (in->client)
        return true;
    if (cli->argument_count == 1)
        cv_err_set(err, CV_ERR_USAGE, "'%s' is not a known client", cli->arguments[0]);
    else
        cv_err_set(err, CV_ERR_USAGE, "name one client");
    cv_err_options(err, names, cv_client_count);
    if (cli->argument_count == 1)
        cv_err_nearest(err, cv_str_of(cli->arguments[0]), names, cv_client_count);
    return false;
}

/* The project's folder: the one that is named, else the nearest one upwards, else this one. */
static bool choose_project(installation *in, const char *wanted, cv_err *err)
{
    cv_arena *a = in->cli->arena;
    cv_err none = {.arena = a};
    const char *root, *here;
    in->base = wanted ? wanted : ".";
    if (!cv_file_is_folder(in->base)) {
        cv_err_set(err, CV_ERR_NOT_FOUND, "there is no folder %s", in->base);
        return cv_cli_wrong_root(cv_cli_get(in->cli, "root"), err);
    }
    in->no_project = !cv_project_find(a, wanted, &root, &none);
    in->above = !wanted && !in->no_project && cv_folder_real(a, ".", &here, &none) && strcmp(root, here) != 0;
    if (in->above)
        in->base = root;
    return true;
}

static bool choose_base(installation *in, cv_err *err)
{
    const char *scope = cv_cli_get(in->cli, "scope"), *home = getenv("HOME"), *root = cv_cli_get(in->cli, "root");
    in->scope = scope && strcmp(scope, "user") == 0 ? CV_SCOPE_USER : CV_SCOPE_PROJECT;
    in->by_variable = in->scope == CV_SCOPE_PROJECT && !root && cv_cli_wanted_root(NULL);
    if (in->scope == CV_SCOPE_PROJECT)
        return choose_project(in, cv_cli_wanted_root(root), err);
    if (root)
        return cv_err_set(err, CV_ERR_USAGE, "--root goes with --scope project: an entry for all projects names none");
    if (!home || !*home)
        return cv_err_set(err, CV_ERR_USAGE, "HOME is not set: there is no home folder to install into");
    in->base = home;
    return cv_file_is_folder(home) || cv_err_set(err, CV_ERR_NOT_FOUND, "there is no folder %s", home);
}

static int run_install(cv_cli *cli)
{
    cv_err err = {.arena = cli->arena};
    installation in = {.cli = cli,
                       .undo = cv_cli_get(cli, "undo") != NULL,
                       .force = cv_cli_get(cli, "force") != NULL,
                       .dry_run = cv_cli_get(cli, "dry-run") != NULL,
                       .hooks = cv_cli_get(cli, "hooks") != NULL};
    if (!choose_client(&in, &err) || !choose_base(&in, &err) || !plan_config(&in, own_command(cli->arena), &err) ||
        !plan_skills(&in, &err) || !plan_hooks(&in, own_command(cli->arena), &err) || !check_places(&in, &err) ||
        (!in.dry_run && !carry_out(&in, &err)))
        return cv_cli_fail(cli, &err);
    cv_buf out = cli->json ? cv_cli_stdout_json(cli) : cv_cli_stdout_text(cli);
    if (!in.dry_run)
        cli->done = in.undo ? CV_STR("the entry and the skills were removed") : CV_STR("the client was set up");
    if (cli->json)
        tell_json(&in, &out);
    else
        tell(&in, &out);
    return cv_cli_finish(cli, &out, 0);
}

static const cv_cli_option options[] = {
    {"scope", "WHERE", "project: for everybody who works in this folder (default); user: for you, everywhere",
     "project user"},
    {"root", CV_VALUE_FOLDER,
     "with --scope project: the project's folder; by default CONCLAVE_ROOT, else the nearest one upwards", NULL},
    {"hooks", NULL, "also enter hooks: the client asks the rooms before its tools write (claude, --scope project)",
     NULL},
    {"undo", NULL, "remove our entry and our skills", NULL},
    {"force", NULL, "also replace an entry that was customised; replace or remove skills that differ from ours", NULL},
    {"dry-run", NULL, "say what would be done, write nothing", NULL},
};

const cv_cli_command cv_cmd_install = {
    .name = "install",
    .summary = "set a client up: claude, cursor, vscode or codex",
    .arguments = "CLIENT",
    .details =
        "Enters 'conclave mcp' into the client's configuration and adds the skills of the rooms. Nothing "
        "else\n"
        "in the configuration changes, comments included; an entry that you have customised stays; running it again\n"
        "changes nothing.\n",
    .examples = "  conclave install claude --dry-run\n"
                "  conclave install codex --scope user --dry-run\n",
    .options = options,
    .option_count = CV_COUNT(options),
    .run = run_install,
};
