/* client.h - the programs that Conclave can be entered into: where their configuration and skills are.
 *
 *              project (this folder)                   user (the home folder)
 *     claude   .mcp.json            .claude/skills     .claude.json                .claude/skills
 *     cursor   .cursor/mcp.json     .cursor/skills     .cursor/mcp.json            .cursor/skills
 *     vscode   .vscode/mcp.json     .github/skills     .config/Code/User/mcp.json  .copilot/skills
 *     codex    .codex/config.toml   .agents/skills     .codex/config.toml          .agents/skills
 */
#ifndef CV_DOOR_INSTALL_CLIENT_H
#define CV_DOOR_INSTALL_CLIENT_H

#include "base/err.h"

typedef enum { CV_SCOPE_PROJECT, CV_SCOPE_USER, CV_SCOPE_COUNT } cv_scope;

typedef struct {
    const char *name;
    const char *config[CV_SCOPE_COUNT], *skills[CV_SCOPE_COUNT];
    const char *servers; /* the object that servers are members of; NULL: a TOML file */
    bool typed;          /* an entry says that it is of type stdio */
    const char
        *root; /* what stands for the project's folder in the entry of a project; NULL: the client starts us there */
    struct {
        const char *settings, *event,
            *matcher; /* of a project: the file, and before which tools; NULL: it has no hooks */
    } hooks;
    const char *trust; /* what a person must do before the client reads the entry of a project; NULL: nothing */
} cv_client;

extern const cv_client cv_clients[];
extern const size_t cv_client_count;
const cv_client *cv_client_find(cv_str name); /* NULL: none */

typedef struct {
    cv_scope scope;
    cv_str command; /* the program */
    bool undo;      /* the entry goes, instead of coming */
    bool force;     /* also in the place of one that somebody has made their own */
} cv_client_job;

typedef struct {
    cv_str config;
    bool customised; /* there is an entry with other arguments or another program: it was left as it is */
} cv_client_edited;

/* The configuration with our entry set or removed. Of one that is there, only the program's path is changed; in a TOML
 * file it is in a block of its own (toml_block.h). */
bool cv_client_edit(cv_arena *a, const cv_client *client, const cv_client_job *job, cv_str config,
                    cv_client_edited *ret, cv_err *err);

#endif
