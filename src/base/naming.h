/* naming.h - how a caller calls an operation, for texts that tell it to.
 *
 * Below the doors an operation is known by its words, "dialogue respond", and its arguments by the names of their
 * fields. At one door that is a line for a shell, at the other a tool and its input:
 *
 *     conclave dialogue respond bread --round 1 --expert muffin --content @response.md
 *     blue_dialogue_respond {"dialogue_id":"bread","round":1,"expert":"muffin","content_path":"response.md"}
 */
#ifndef CV_BASE_NAMING_H
#define CV_BASE_NAMING_H

#include "base/arena.h"

typedef enum {
    CV_ARGUMENT_TEXT,    /* --expert muffin         "expert":"muffin" */
    CV_ARGUMENT_JSON,    /* --round 1, --replace    "round":1,"replace":true */
    CV_ARGUMENT_FILE,    /* --content @a.md         "content_path":"a.md" */
    CV_ARGUMENT_COMMAND, /* --content @FILE         nothing: a text that only a command line has */
    CV_ARGUMENT_TOOL,    /* nothing                 "content":"…": JSON that only a tool is given */
} cv_argument_form;

typedef struct {
    const char *name; /* NULL: on a command line it has no name */
    cv_str value;
    cv_argument_form form;
} cv_argument;

/* `first` is the value of the argument that an operation takes first, without a name (x-argument in its schema): which
 * thing it is about. Without it, or without others: an empty text, a count of 0. */
typedef cv_str (*cv_naming)(cv_arena *a, cv_str operation, cv_str first, const cv_argument *arguments, size_t count);

/* What this caller calls; NULL: it is known by its words only. */
static inline cv_str cv_name_call(cv_naming name, cv_arena *a, cv_str operation, cv_str first,
                                  const cv_argument *arguments, size_t count)
{
    return name ? name(a, operation, first, arguments, count) : operation;
}

#endif
