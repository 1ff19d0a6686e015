/* notify.h - waiting until something in a few folders may have changed.
 *
 *     cv_notify n = {0};                     nothing is watched yet
 *     cv_notify_add(&n, folder, &err);       from here on nothing is missed
 *     for (;;) {
 *         look at the folders;               what came before the wait is seen here, what comes after it ends the wait
 *         if (!cv_notify_wait(&n, until))    the time is over
 *             break;
 *     }
 *     cv_notify_close(&n);
 *
 * The kernel reports files that appear, go, are renamed, written or closed. It does not report what another machine
 * does in a shared folder, and it watches only so many: so a wait never takes longer than CV_NOTIFY_LOOK_MS, and not
 * longer than CV_NOTIFY_SCAN_MS when a folder could not be watched. A wait that ends means "look again", no more.
 */
#ifndef CV_BASE_NOTIFY_H
#define CV_BASE_NOTIFY_H

#include "base/where.h"

enum { CV_NOTIFY_LOOK_MS = 1000, CV_NOTIFY_SCAN_MS = 100 };

typedef struct {
    int fd;     /* of cv_os_watch(), plus one; 0: there is none */
    bool blind; /* a folder could not be watched */
} cv_notify;

/* Watches the folder itself, not those in it; one that is watched already stays so. False: it cannot be watched, err
 * says why, and waits become short. */
bool cv_notify_add(cv_notify *n, cv_where folder, cv_err *err);

/* Waits until something may have changed. False: cv_monotonic_ms() has come to `until` before that. */
bool cv_notify_wait(cv_notify *n, int64_t until);
bool cv_notify_wait_also(cv_notify *n, int64_t until, int fd); /* … or until this can be read */

void cv_notify_close(cv_notify *n);

#endif
