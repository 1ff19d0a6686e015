/* find.h - which dialogues lie below the paths that are named, and which files each of them has.
 *
 *     X/expert-pool.json, X/round-0/muffin.md, X/round-0.summary.md, X/tensions.md …    the folder X
 *     X.dialogue.md, X.dialogue.recorded.md                                             a document
 *     X/dialogue.json                                                                   an export
 *
 * A folder and a document of the same name are one dialogue. Roles come from names only; whether a file holds what its
 * name promises is found when it is read. Nothing is opened here.
 */
#ifndef CV_DIALOGUE_IMPORT_FIND_H
#define CV_DIALOGUE_IMPORT_FIND_H

#include "base/where.h"
#include "dialogue/state.h"

/* X(id, word): in the order in which the files of a dialogue are read. */
#define CV_FILE_ROLES(X)                                                                                               \
    X(EXPORT, "export")                                                                                                \
    X(POOL, "pool")                                                                                                    \
    X(PANEL, "panel")                                                                                                  \
    X(RESPONSE, "response")                                                                                            \
    X(SUMMARY, "summary")                                                                                              \
    X(BOARD, "scoreboard")                                                                                             \
    X(TENSIONS, "tensions")                                                                                            \
    X(VERDICT, "verdict")                                                                                              \
    X(BACKGROUND, "background")                                                                                        \
    X(DOCUMENT, "document")                                                                                            \
    X(DATA, "data")                                                                                                    \
    X(PROMPT, "prompt")                                                                                                \
    X(CONTEXT, "context")

typedef enum {
#define X(id, word) CV_ROLE_##id,
    CV_FILE_ROLES(X)
#undef X
        CV_ROLE_COUNT
} cv_file_role;
extern const cv_words cv_file_roles;

typedef struct {
    const char *path; /* for the report */
    cv_where where;
    cv_file_role role;
    int round;      /* -1: of no round */
    cv_str speaker; /* RESPONSE: whose */
} cv_import_source;

typedef struct {
    cv_str key; /* "2026-03-11T1341Z-jira-cloud-integration" */
    bool is_folder;
    CV_STATE_LIST(cv_import_source) files; /* by role, round and path */
} cv_import_found;

typedef struct {
    CV_STATE_LIST(cv_import_found) dialogues; /* in the order in which they were found */
    cv_errs troubles;                         /* what could not be looked into */
    size_t ignored;                           /* files that are neither markdown nor JSON */
} cv_finds;

/* "x.dialogue.md", "x.recorded.md", "dialogue.md" */
bool cv_is_document_name(cv_str name);

void cv_find_dialogues(cv_arena *a, const cv_where *paths, size_t count, cv_finds *ret_finds);

#endif
