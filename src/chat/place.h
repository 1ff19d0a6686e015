/* place.h - where chats are: folders, file names, ids.
 *
 *     .workflow/workflows/SLUG/temp_chat_ID.txt            the active workflow's folder …
 *     .conclave/chat/temp_chat_ID.txt                      … and the room's own
 *     …/temp_chat_ID_editing.txt                           the same chat while somebody writes
 *     …/.wf/ID.lock                                        who of ours does (lock.h)
 *
 * The active workflow is the one that the request names, else that of CONCLAVE_WORKFLOW, else the only one there is. A
 * scope of the record is named by the path of its chat file, because two folders may have a chat of the same id.
 */
#ifndef CV_CHAT_PLACE_H
#define CV_CHAT_PLACE_H

#include "base/where.h"
#include "kit/call.h"
#include "kit/intent.h"

#define CV_CHAT_FOLDER "chat"
#define CV_WORKFLOWS ".workflow/workflows"
#define CV_CONSULTANTS ".workflow/roles/consultants"

typedef struct {
    cv_where where;
    cv_str workflow; /* absent: not a workflow's */
} cv_chat_folder;

typedef struct {
    cv_chat_folder *items; /* where a new chat goes comes first */
    size_t count, capacity;
} cv_chat_folders;

typedef struct {
    cv_chat_folder folder;
    cv_str id;
    const char *name, *editing, *lock, *private; /* names in the folder; lock and private: in .wf */
    cv_scope_id scope;                           /* its name is the path, from the project's folder on */
} cv_chat_place;

typedef enum {
    CV_NAME_OTHER,   /* nothing to do with chats */
    CV_NAME_CHAT,    /* temp_chat_ID.txt */
    CV_NAME_EDITING, /* temp_chat_ID_editing.txt */
    CV_NAME_FOREIGN  /* begins and ends like a chat, but has no valid id: what a sync tool makes */
} cv_chat_name;

cv_chat_name cv_chat_name_of(cv_str name, cv_str *ret_id);

/* [A-Za-z0-9_-]{1,64}, not ending with _editing. */
bool cv_chat_id_valid(cv_str id);

/* The folders that this request means, whether or not they exist: `dir`, `workflow`, or the default. False: several
 * workflows could be meant, or a path is not allowed; call->errs says so. */
bool cv_chat_folders_of(cv_call *call, cv_chat_folders *ret);

/* The chat with this id in a folder, whether or not it is there. */
cv_chat_place cv_chat_place_in(const cv_call *call, const cv_chat_folder *folder, cv_str id);

/* There is no such file or folder. What cannot be looked at is not absent: whoever opens it learns why. */
bool cv_chat_nothing_at(cv_arena *a, cv_where where);

/* The chat that the request names by `chat_id`, which is there. False: call->errs says what is wrong. */
bool cv_chat_find(cv_call *call, cv_chat_place *ret);

/* Makes the file of a chat that was opened, if the process that opened it has not done so: it may have died before. */
cv_intent_result cv_chat_make_file(const cv_call *call, const cv_chat_place *p, cv_err *err);

/* The place of a scope of the record. */
bool cv_chat_place_of(const cv_call *call, cv_str scope, cv_chat_place *ret, cv_err *err);

#endif
