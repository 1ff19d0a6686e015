/* hook.h - a command that a client runs before its tools write, entered into its settings without touching others.
 *
 *     {
 *       "hooks": {
 *         "PreToolUse": [
 *           {"matcher": "Bash", "hooks": [{"type": "command", "command": "theirs"}]},
 *           {"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "conclave …"}]}     <- this one
 *         ]
 *       }
 *     }
 *
 * Ours is known by how its command ends. A list of hooks with comments in it is not edited: an error says what to enter
 * by hand.
 */
#ifndef CV_DOOR_INSTALL_HOOK_H
#define CV_DOOR_INSTALL_HOOK_H

#include "door/install/edit.h"

typedef struct {
    cv_str event;   /* "PreToolUse" */
    cv_str matcher; /* the tools before which it runs */
    cv_str program; /* as a shell finds it */
    cv_str words;   /* how its command goes on, and ends: by these it is known again */
} cv_client_hook;

/* The settings with our hook, once; an empty text is an empty object. */
bool cv_client_hook_set(cv_arena *a, const cv_client_hook *hook, cv_str text, cv_str *ret_text, cv_err *err);

/* Without it. */
bool cv_client_hook_remove(cv_arena *a, const cv_client_hook *hook, cv_str text, cv_str *ret_text, cv_err *err);

#endif
