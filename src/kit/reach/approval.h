/* approval.h - what a project would run on this machine is shown to its user and approved, once.
 *
 * A cloned project may bring commands and endpoints in its record or in a file. Whatever did not come from this user's
 * own command line is run only after the user has seen it. What was approved is a line with a hash in the user's own
 * configuration, $XDG_CONFIG_HOME/conclave/approved (0600):
 *
 *     SHA-256 of: way, words, folder, names of variables, URL, protocol; and the content of every file of the project
 *     that is among the words
 *
 * so another command, another variable that it would get, or another content of ./agent.sh is asked about again.
 */
#ifndef CV_KIT_REACH_APPROVAL_H
#define CV_KIT_REACH_APPROVAL_H

#include "kit/reach/reach.h"

typedef struct {
    cv_str agent; /* its id, for people */
    const cv_reach *reach;
} cv_approval;

/* How the user is asked. */
typedef struct {
    const char *root; /* of the project */
    bool yes;         /* --yes: all of it is approved, for this time */
    bool at_terminal; /* somebody sits there and can be asked */
} cv_approval_way;

/* True: all of them are approved, before or now; mailboxes and people need no approval. Else an error, not_approved,
 * that shows each and says what to do. */
bool cv_approval_check(cv_arena *a, const cv_approval_way *way, const cv_approval *all, size_t count, cv_err *err);

/* Keeps what this user has typed as approved, durably: `agent add` at the command line. */
bool cv_approval_keep(cv_arena *a, const char *root, const cv_reach *reach, cv_err *err);

#endif
