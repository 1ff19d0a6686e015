/* secrets.h - the values of variables that hold keys, so that they appear nowhere.
 *
 * A variable holds a secret when it is the key of an endpoint, a key of a preset, when its name says so (KEY, TOKEN,
 * SECRET, PASSWORD, CREDENTIAL), or when its value looks like one. Values of fewer than seven bytes are not looked for:
 * they are not keys, and would be found in ordinary words. Of a value with several lines each long one is looked for.
 */
#ifndef CV_RUN_SECRETS_H
#define CV_RUN_SECRETS_H

#include "kit/reach/reach.h"

typedef struct {
    struct {
        cv_str name, value;
    } * items;
    size_t count, capacity;
} cv_secrets;

/* Is the value of a variable with this name a secret? */
bool cv_secret_name(cv_str name);

/* Is it one whatever its variable is called? */
bool cv_secret_value(cv_str value);

void cv_secrets_add(cv_arena *a, cv_secrets *secrets, cv_str name, cv_str value);

/* All variables of the environment whose names say so. */
void cv_secrets_of_environment(cv_arena *a, cv_secrets *secrets);

/* The text with [NAME] in the place of every value; the same view where there is none. */
cv_str cv_secrets_hide(cv_arena *a, const cv_secrets *secrets, cv_str text);

/* The same for the end of a longer text: it may begin within a value. */
cv_str cv_secrets_hide_end(cv_arena *a, const cv_secrets *secrets, cv_str text);

#endif
