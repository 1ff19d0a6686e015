/* reach.h - how an agent is reached: what its row in the registry says, ready to be used.
 *
 *     command   a program that gets the prompt on standard input and answers on standard output
 *     endpoint  a model behind HTTP: OpenAI-compatible chat completions, Anthropic messages, Ollama
 *     mailbox   the prompt is mailed, the reply awaited
 *     human     somebody answers at a terminal or in the dashboard
 *
 * The same fields are in `agent add`, in the registry (reach, reach_details) and in a file of agents; one table
 * (fields.def) has them all:
 *
 *     {"command": "claude -p --model opus", "timeout": 600, "env": ["CLAUDE_CONFIG_DIR"]}
 *     {"endpoint": "https://api.example.com/v1", "protocol": "openai", "model": "m", "key_env": "EXAMPLE_KEY"}
 *
 * A command that begins like a preset (presets.h) is called as that preset says. No field ever holds a secret: a key
 * is named by the variable that has it.
 */
#ifndef CV_KIT_REACH_REACH_H
#define CV_KIT_REACH_REACH_H

#include "base/json.h"
#include "kit/agents.h"

typedef enum { CV_REACH_COMMAND, CV_REACH_ENDPOINT, CV_REACH_MAILBOX, CV_REACH_HUMAN } cv_reach_way;
extern const cv_words cv_reach_words; /* "command", "endpoint", "mailbox", "human" */

typedef enum { CV_PROTOCOL_OPENAI, CV_PROTOCOL_ANTHROPIC, CV_PROTOCOL_OLLAMA } cv_reach_protocol;
extern const cv_words cv_protocol_words;

typedef struct cv_preset cv_preset;

typedef struct {
    cv_reach_way way;
    /* a command */
    const cv_preset *preset; /* NULL: none */
    cv_words argv;           /* whole, with what the preset adds; {prompt_file}, {output_file} may be in it */
    cv_words env;            /* names of variables that it gets besides the usual ones */
    cv_str folder;           /* where it runs; empty: the project's root */
    /* an endpoint */
    cv_str url;
    cv_reach_protocol protocol;
    cv_str key_env; /* the name of the variable with its key; empty: it needs none */
    int64_t max_tokens;
    /* both */
    cv_str model; /* that is asked for; empty: whichever answers */
    int64_t timeout_ms;
    int64_t max_output;         /* bytes of an answer */
    double price_in, price_out; /* US dollars per million tokens; below 0: not known */
} cv_reach;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Where faults go, and what they are about. */
typedef struct {
    cv_arena *arena;
    cv_errs *errs;
    cv_str at;   /* before the names of fields: "agents[2]"; empty: nothing */
    cv_str text; /* that the input was read from, for lines and columns; empty: no places */
    cv_str file;
} cv_reach_faults;

/* Faults of a schema from `from` on are about this file and this place. */
void cv_reach_place(const cv_reach_faults *faults, size_t from);

/* What an input with the fields of `agent add` says, in its own members and in `reach_details`: the way and, as one
 * object, the rest. A field that is given twice is a fault. */
const cv_json *cv_reach_gather(const cv_reach_faults *faults, const cv_json *input, bool human, cv_str *ret_way);

/* Every fault is reported; false: there are some. */
bool cv_reach_read(const cv_reach_faults *faults, cv_str way, const cv_json *details, cv_reach *ret_reach);

/* What the row of an agent says. The error has the field. */
bool cv_reach_of_agent(cv_arena *a, const cv_agent_row *agent, cv_reach *ret_reach, cv_err *err);

/* A command as somebody types it: --agent 'claude -p'. */
bool cv_reach_of_command(cv_arena *a, cv_str command, cv_reach *ret_reach, cv_err *err);

/* What will be called, on one line for people: "claude -p", "https://… (openai, model m)", "mailbox". */
cv_str cv_reach_text(cv_arena *a, const cv_reach *reach);

#endif
