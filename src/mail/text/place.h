/* place.h - paths of old data: the specification's absolute base stands for the root of the mail.
 *
 *     /d:/Dream.os/runtime/Agent-3/inbox    ->    runtime/Agent-3/inbox
 *     D:\Dream.os\templates\plan.j2         ->    templates/plan.j2
 */
#ifndef CV_MAIL_TEXT_PLACE_H
#define CV_MAIL_TEXT_PLACE_H

#include "base/arena.h"

/* The path below the mail root, with slashes. False: it does not begin with that base, or leads out of it; such a path
 * is never used as it is. */
bool cv_mtext_place_of(cv_arena *a, cv_str path, cv_str *ret_below);

#endif
