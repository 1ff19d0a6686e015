/* agents_file.h - a file of agents, in TOML: who there is, how each is reached, and who sits where.
 *
 *     [agents.opus]
 *     command = "claude -p --model opus"
 *
 *     [agents.local]
 *     endpoint = "http://127.0.0.1:11434"
 *     protocol = "ollama"
 *     model = "llama3.2"
 *
 *     [seats]
 *     muffin = "opus"          # somebody by name
 *     core = "opus"            # everybody of a tier
 *     "*" = "local"            # everybody else
 *     judge = "opus"
 *
 * An agent has the fields of `agent add`. Seats name agents of the file or of the registry; what the names on the left
 * mean is up to who asks. Every fault has file, line and column.
 */
#ifndef CV_KIT_REACH_AGENTS_FILE_H
#define CV_KIT_REACH_AGENTS_FILE_H

#include "kit/reach/reach.h"

typedef struct {
    cv_str id;
    cv_json fields; /* as `agent add` takes them, agent_id included */
    cv_reach reach;
} cv_file_agent;

typedef struct {
    cv_str name, agent;
    size_t line, column;
} cv_agents_place;

typedef struct {
    struct {
        cv_file_agent *items;
        size_t count, capacity;
    } agents;
    struct {
        cv_agents_place *items;
        size_t count, capacity;
    } seats;     /* in the order of the file */
    cv_str path; /* for the places of faults */
} cv_agents_file;

/* `path` is for the places of faults, which go to errs: all of them. False: there are some. */
bool cv_agents_file_parse(cv_arena *a, cv_str text, cv_str path, cv_agents_file *ret_file, cv_errs *errs);

const cv_file_agent *cv_agents_file_find(const cv_agents_file *file, cv_str id); /* NULL: not in the file */
cv_str cv_agents_file_place(const cv_agents_file *file, cv_str name);            /* empty: nobody */

#endif
