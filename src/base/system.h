/* system.h - what an errno means: the code of the error, the reason in words, and what a person can do about it.
 *
 *     cv_system_fail(err, path, "look at the file", EMFILE)
 *       ->  PATH: cannot look at the file: Too many open files; close other files or raise the limit (ulimit -n)
 *
 * There is no other table of this: whoever gets an errno asks here.
 */
#ifndef CV_BASE_SYSTEM_H
#define CV_BASE_SYSTEM_H

#include "base/err.h"

/* Is the name at fault, or the system below it? */
cv_err_code cv_system_code(int number);

const char *cv_system_reason(int number);
const char *cv_system_advice(int number);

/* "cannot <what>: <reason>" about a path, which may be NULL, with the advice. Always false. */
bool cv_system_fail(cv_err *err, const char *path, const char *what, int number);

/* The same, and the advice says that nothing was changed. */
bool cv_system_fail_unchanged(cv_err *err, const char *path, const char *what, int number);

#endif
