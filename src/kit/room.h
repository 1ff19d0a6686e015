/* room.h - a room is one descriptor, and every door is made from descriptors.
 *
 *     const cv_room cv_room_dialogue = {
 *         .name = "dialogue", .summary = "…", .ops = rows, .codes = …, .resources = …, .prompts = …,
 *     };
 *
 * A row of `ops` says what an operation is called in each door, what it takes and gives, and which function does it.
 * The command line, help, manual, completion, MCP tools, resources and prompts all come from the descriptor; nothing
 * else of a room is callable from outside. The program's list of descriptors is src/rooms.c.
 *
 * What needs answers of the record (resources, prompts) asks operations for them, through the process that serves: a
 * cv_asker.
 */
#ifndef CV_KIT_ROOM_H
#define CV_KIT_ROOM_H

#include "base/where.h"
#include "kit/call.h"
#include "kit/cli.h"
#include "kit/doctor.h"
#include "kit/import.h"
#include "kit/metric.h"
#include "kit/shape.h"
#include "record/verify.h"

/* ---- operations -------------------------------------------------------------------------------------------------- */

enum {
    CV_OP_STORE = 1,       /* needs the project's record */
    CV_OP_WRITES = 2,      /* changes it */
    CV_OP_IDEMPOTENT = 4,  /* the same call twice is one */
    CV_OP_BATCH = 8,       /* its faults are always answered as those of a batch (err_json.h) */
    CV_OP_PROJECT = 16,    /* needs the project's folder; opens the record itself, if it can */
    CV_OP_FILES = 32,      /* writes files */
    CV_OP_LARGE = 64,      /* its answer may be long, and that is the point of it */
    CV_OP_UNASKED = 128,   /* what an agent usually needs: MCP clients are offered it unasked */
    CV_OP_CACHEABLE = 256, /* its answer follows from the record, the input and the folders in call->seen: no other
                            * files, no time, no chance */
    CV_OP_REGRESSED = 512, /* looks at a record, or mends it, also when it has less than was acknowledged */
    CV_OP_FOR_ALL = 1024,  /* agents that are limited to rooms may ask for it, too */
    CV_OP_TAKES_IN = 2048, /* takes in the files of its room itself, and reports them: there is no intake before it */
    CV_OP_STARTS = 4096,   /* starts programs and may take days: servers refuse it unless they were started with
                            * --allow-run; at the command line a signal ends it in good order */
    CV_OP_AGENTS = 8192,   /* registers agents: behind it each room makes its places for them */
    CV_OP_OF_ROOM = 16384, /* of the whole project; with a `room` in its input it counts as an operation of that room */
};

struct cv_room;
typedef struct cv_operation {
    const char *room; /* the name of its room; "": is at the top level */
    const char *verb; /* "round-register" */
    const char *tool; /* its name for MCP clients, NULL: not offered; it ends with the verb */
    const char *summary;
    const char *details;  /* paragraphs for the help */
    const char *examples; /* lines; those that begin with "  conclave" run in the tests */
    const char *schema;   /* schemas/NAME.json, or the text itself: {"input": {...}, "output": {...}} */
    unsigned flags;
    cv_handler run;
    const cv_shape *answer; /* the form of its answer; then the schemas have no "output" */
    /* What a room adds to the details: a paragraph, or NULL. NULL: none does. */
    const char *(*room_details)(const struct cv_room *room);
} cv_operation;

/* ---- asking ------------------------------------------------------------------------------------------------------ */

/* Runs operations for a resource, a prompt or a completion, in the project that is served. */
typedef struct {
    cv_arena *arena;
    bool (*run)(void *ctx, cv_str operation, cv_str input, cv_str *ret_reply, cv_err *err);
    void *ctx;
} cv_asker;

/* `operation` is its words, "dialogue list"; `input` and the reply are JSON. */
static inline bool cv_ask(const cv_asker *asker, const char *operation, cv_str input, cv_str *ret_reply, cv_err *err)
{
    return asker->run(asker->ctx, cv_str_of(operation), input, ret_reply, err);
}

/* ---- what can be read under a URI -------------------------------------------------------------------------------- */

enum { CV_MAX_URI_VALUES = 4 };

/* One of many that a resource stands for. */
typedef struct {
    cv_str values[CV_MAX_URI_VALUES];
    cv_str name, about;
} cv_resource_entry;

typedef struct {
    cv_resource_entry *items;
    size_t count, capacity;
    cv_str next; /* where the next page begins; empty: there is none */
} cv_resource_page;

/* With what it changes: with anything of its room, or with the scope that its first segment names. */
typedef enum { CV_CHANGES_NEVER, CV_CHANGES_WITH_ROOM, CV_CHANGES_WITH_SCOPE } cv_resource_changes;

typedef struct {
    const char *uri; /* "conclave://dialogue/{id}/round/{n}": {names} stand for one segment each */
    const char *name, *about;
    const char *type; /* "text/markdown" */
    /* The text is the answer of an operation; the first segment is this field of its input, NULL: it takes nothing. */
    const char *operation, *field;
    /* … or a function makes it; `values` are the segments in the order of their names. */
    bool (*read)(const cv_asker *asker, const cv_str *values, cv_str *ret_text, cv_err *err);
    cv_resource_changes changes;
    /* … or a number that differs after every change of what is read; below zero: it is not known. */
    int64_t (*rev)(cv_record *record, cv_arena *a, const char *root, const cv_str *values);
    /* Those that there are, in pages: as the room completes the name in braces; or by a function. Else only the
     * template is reported. */
    bool listed;
    bool (*list)(const cv_asker *asker, cv_str after, cv_resource_page *ret_page, cv_err *err);
} cv_resource;

/* ---- how to begin ------------------------------------------------------------------------------------------------ */

typedef struct {
    const char *name, *about;
    bool required;
} cv_prompt_argument;

typedef cv_texts cv_prompt_texts;

typedef struct {
    const char *name, *title, *about;
    const cv_prompt_argument *arguments;
    /* The messages; required arguments are there. */
    bool (*begin)(const cv_asker *asker, const cv_json *arguments, cv_prompt_texts *ret_texts, cv_err *err);
} cv_room_prompt;

/* ---- what people want to hear of --------------------------------------------------------------------------------- */

/* Something that holds in a scope. As long as it is found under the same key it is the same thing, which is reported
 * once.
 */
typedef struct {
    cv_str key;
    cv_str who;  /* whom it concerns; absent: everybody */
    cv_str text; /* a sentence for people */
} cv_held;

typedef struct {
    cv_held *items;
    size_t count, capacity;
} cv_held_list;

/* A name for what may hold. Rooms may share one: who asks for "blocked" hears of all of them. */
typedef struct {
    const char *name, *about;
    /* Looks at one scope as it is now, and adds what holds. */
    bool (*look)(const cv_asker *asker, cv_str scope, cv_held_list *ret, cv_err *err);
    bool in_silence; /* worth a word only when nothing was committed in the scope for a while */
} cv_condition;

/* ---- words for those who type, teach and read -------------------------------------------------------------------- */

/* Values of options and arguments that the record knows: the answer of an operation has a list of them. */
typedef struct {
    const char *value;     /* what schemas call it (x-value): "EXPERT" */
    const char *arguments; /* what prompts and URIs call it, with blanks between; NULL: never asked for there */
    const char *operation; /* "dialogue get" */
    const char *input;     /* of it, without the scope: members of a JSON object */
    bool in_scope;         /* it is asked about the scope that the line names */
    const char *list, *word, *about; /* members of the answer: the list, and in each row the value and what it means */
} cv_completion;

/* What agents are taught: skills/NAME/SKILL.md. */
typedef struct {
    const char *name;
    void (*print)(cv_buf *out);
} cv_skill;

/* An answer that a person edits and sends on: ROOM VERB --edit (door/cli_edit.c). */
typedef struct {
    const char *verb;  /* of the answer, which is a document: a request to `then` */
    const char *input; /* what it is asked for with: members of a JSON object */
    const char *then;  /* the verb that takes what was saved */
    const char *about; /* what is to be filled in, for the one who edits: lines */
    /* The request with what is to be filled in; what stays null or empty there is left out when it is sent. */
    void (*prepare)(cv_arena *a, const cv_json *request, cv_json_writer *w);
} cv_room_edit;

/* A command that a client which has hooks can run before one of its tools writes a file: what it prints decides. It
 * fails with status 2, which a client takes for a refusal. */
typedef struct {
    const char *words; /* behind the program: the operation and its options */
    const char *about; /* what it does there, for people */
} cv_room_hook;

/* conclave help NAME */
typedef struct {
    const char *name;
    void (*print)(cv_buf *out);
} cv_topic;

/* A file in which something was said. One that people write, too, and that has more than what was said, is only named
 * when a text is redacted. */
typedef struct {
    cv_where where;
    bool only_named;
} cv_room_file;

typedef struct {
    cv_room_file *items;
    size_t count, capacity;
    void (*release)(void *hold); /* gives back what keeps other writers away meanwhile; NULL: nothing does */
    void *hold;
} cv_room_files;

/* ---- the descriptor ---------------------------------------------------------------------------------------------- */

/* What a search has found. */
typedef struct {
    cv_str scope, kind, id;
    cv_str changed; /* JSON, or absent */
} cv_room_hit;

/* Tables may be NULL; after the last row of one there is a row of zeroes. */
typedef struct cv_room {
    const char *name; /* "dialogue"; "": its operations are at the top level */
    const char *summary;
    bool of_project;          /* like the top level it belongs to all rooms: servers do not offer it by name */
    const char *details;      /* paragraphs for the help */
    const char *instructions; /* what MCP clients read before they begin: sentences */
    /* Lines: the first for the help of the program, others for the operations of the project that they begin with. */
    const char *examples;
    const cv_operation *ops;
    const cv_room_types *records; /* what it keeps: record/type.h; its tables are made by a migration in sql/ */
    const cv_err_code *codes;     /* its own; base/err.def has those of all */
    const cv_resource *resources;
    const cv_room_prompt *prompts;
    const cv_completion *completions;
    const cv_skill *skills;
    const cv_topic *topics;
    const cv_cli_command *const *commands; /* on files, at the top level of the command line; ended by NULL */
    const cv_room_hook *hooks;
    const cv_condition *conditions;
    struct {
        const char *field;      /* of inputs and replies, which names one of its scopes: "dialogue_id" */
        const char *value;      /* what the command line calls its value: "DIALOGUE" */
        const char *show;       /* the operation that shows one: "dialogue get" */
        const char *one, *many; /* what people call it: "dialogue", "dialogues" */
        /* On the command line the beginning of a name will do, and the name of the only one may be left out. Not for a
         * room in which naming a scope makes one. */
        bool abbreviated;
        /* In such a room: the one that is meant when its option or argument is left out; empty: none, or any of several
         * may be. `call` has the rest of the input. False: call->errs says why. NULL: it is always named. */
        bool (*only)(cv_call *call, cv_str *ret_name);
    } scope;
    struct {
        const char *good, *pending, *bad; /* with blanks around each: the command line colours them */
    } statuses;
    /* Its folder in .conclave, for files that people and agents read and write: "dialogues"; NULL: it has none. */
    const char *folder;
    bool folder_moves; /* a project may put it elsewhere: the setting ROOM.root (kit/settings.h) */
    /* What its events imply, for one scope: record/verify.h has checked bytes, chain and covers. The context is in `a`;
     * `scratch` is for one row, and the room's to reset. NULL: they imply nothing more. */
    cv_room_verify (*verify)(cv_arena *a, cv_arena *scratch);
    /* Do its files agree with the record, which is open? NULL: it has none. */
    void (*doctor)(cv_doctor *d);
    cv_room_import import;
    /* Brings the room's files and the record together: takes in what others have put where the room looks for it, and
     * writes what has come into the record since. It runs before every operation of the room that has the record, and
     * in a server while somebody has subscribed; nobody acts in `call`, and its input is empty. Where nothing waits it
     * must cost little. False: an operation that writes is refused with err; one that reads answers what the record
     * has, and the log says why that may be less. NULL: there are no such files. */
    bool (*intake)(cv_call *call, cv_err *err);
    /* Somebody was registered: makes the folders that the room has for agents, and writes nothing into the record. The
     * input is that of the operation: `agent_id` when it was one. NULL: there are no such folders. */
    bool (*make_places)(cv_call *call, cv_err *err);
    const cv_room_edit *edits; /* ended by a zero */
    /* Numbers by which an agent can be limited in it (cv_agent_limit), ended by NULL. */
    const char *const *limits;
    /* The folder where the room keeps files of a scope, besides those below .conclave; NULL: there is none. */
    bool (*scope_folder)(cv_call *call, cv_str scope, cv_where *ret_where, cv_err *err);
    /* Adds the files that alone hold what was said in a scope, whether or not they are there; and keeps other writers
     * away from all files of the scope, except for a dry run. NULL: there is nothing of that. */
    bool (*scope_files)(cv_call *call, cv_str scope, cv_room_files *files, cv_err *err);
    /* Its files are the truth, and not made from the record: what is in its folder and not added by `scope_files` is
     * another scope's. */
    bool files_are_truth;
    /* What this agent (its name) would leave undone in the room if it could not act there any more: a sentence without
     * its end, "3 messages wait for it". Empty: nothing. NULL: there never is anything. */
    bool (*undone)(const cv_call *call, cv_str agent, cv_str *ret_what, cv_err *err);
    /* Writes the scopes that were put away, each as "ROOM/NAME": a search in everything leaves them out. NULL: there
     * are none. */
    bool (*archived)(const cv_call *call, cv_json_writer *w, cv_err *err);
    /* Sets `changed` of each of these, which a search has found in the room: who changed its text since it was
     * written, {"by": […], "reason": …}; absent: nobody did. NULL: texts stay as they are written. */
    bool (*changed)(cv_call *call, cv_room_hit *hits, size_t count, cv_err *err);
    /* The room of which its scopes have their names: one is put away with the scope that it is about. NULL: none. */
    const char *about_room;
    /* Figures for the operator of a server; nobody acts in `call`, and its input is empty. NULL: there are none. */
    bool (*measure)(cv_call *call, cv_metrics *ret, cv_err *err);
} cv_room;

/* The program's: every room, NULL behind the last, and what all of them keep. */
extern const cv_room *const cv_rooms[];
extern const cv_types cv_program_types;

#endif
