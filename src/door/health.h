/* health.h - can the record be read? Answered within CV_HEALTH_MS, whatever the record does.
 *
 * A server that keeps the record may be away, or take a question and never answer it. So another thread asks, with a
 * handle of its own. Who wants to know waits a moment for the answer; as long as none comes, the record cannot be read.
 */
#ifndef CV_DOOR_HEALTH_H
#define CV_DOOR_HEALTH_H

#include <stdbool.h>

enum { CV_HEALTH_MS = 900 }; /* most programs that ask give up after a second */

typedef struct cv_health cv_health;

cv_health *cv_health_new(const char *root); /* as for cv_record_handle_open() */
void cv_health_end(cv_health *health);      /* does not wait for an answer */

/* From any thread. */
bool cv_health_is_good(cv_health *health);

#endif
