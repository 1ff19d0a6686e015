/* relay.h - passes on what happened, one thing after the other, while its caller goes on.
 *
 *     cv_relay *relay = cv_relay_new(call_hook, &hook, &err);
 *     cv_relay_add(relay, json, line);      returns at once; call_hook gets it on a thread of its own
 *     cv_relay_end(relay);                  everything that was added is passed on first
 *
 * Nothing is left out: with CV_RELAY_MAX waiting, adding waits.
 */
#ifndef CV_DOOR_RELAY_H
#define CV_DOOR_RELAY_H

#include "base/err.h"

enum { CV_RELAY_MAX = 4096 };

typedef struct cv_relay cv_relay;

/* NULL with an error: there is no thread for it. What `pass` returns is for other callers: a failure is said there, and
 * the next one has its turn. */
cv_relay *cv_relay_new(bool (*pass)(const void *ctx, cv_str json, cv_str line), const void *ctx, cv_err *err);
void cv_relay_add(cv_relay *relay, cv_str json, cv_str line);
void cv_relay_end(cv_relay *relay); /* NULL: nothing */

#endif
