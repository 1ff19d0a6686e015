/* git.h - what git knows of a file, asked from the program `git`, which runs confined: no hooks, no pager, no
 * configuration of others, in the project's folder. Where there is no git, or no repository, nothing is known. */
#ifndef CV_NOTES_GIT_H
#define CV_NOTES_GIT_H

#include "kit/call.h"

/* Is the project in a work tree of git, and is there a git? Then *ret_top is how the root is called in it ("" or
 * "a/b/"). */
bool cv_git_is_there(cv_call *call);

/* Runs `git ARGUMENTS…` and returns what it prints. False: it could not be run or said no; err says what. */
bool cv_git_run(cv_call *call, const char *const *arguments, cv_str *ret_output, cv_err *err);

/* Does the file differ from the last commit? False: it is not known. */
bool cv_git_is_modified(cv_call *call, cv_str path, bool *ret_modified);

#endif
