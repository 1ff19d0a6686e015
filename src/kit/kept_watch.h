/* kept_watch.h - the watch on folders of an operation that waits. It stays with the handle of the record: the kernel
 * takes milliseconds to end one, and who waits once waits again.
 *
 * What it was told to watch before it still watches, so a wait may end early, which means no more than "look again". */
#ifndef CV_KIT_KEPT_WATCH_H
#define CV_KIT_KEPT_WATCH_H

#include "base/notify.h"
#include "record/record.h"

/* Add the folders to it before each wait. */
cv_notify *cv_kept_watch(cv_record *record);

#endif
