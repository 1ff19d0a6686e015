/* live.h - what a command reports while it is under way: for people on the terminal, for programs line by line.
 *
 *     tell     how far it is             one line that is taken back (progress_line.h)
 *     draw     the present state         a few lines, drawn over the ones before
 *     event    what has happened         a line that stays; with --json a line of JSON on standard output
 *
 * Lines for people go to standard error: the answer has standard output for itself. An operation that a signal ends in
 * good order (CV_OP_STARTS) hears of the first Ctrl-C; a second one ends the process.
 */
#ifndef CV_DOOR_LIVE_H
#define CV_DOOR_LIVE_H

#include "door/cli.h"
#include "door/progress_line.h"
#include "kit/call.h"

typedef struct {
    cv_cli *cli;
    cv_progress_line line;
    cv_buf drawn; /* lines that are there, to be drawn over */
    int64_t drawn_ms;
    bool catches; /* signals */
} cv_live;

/* The follower of one operation; `flags` are the operation's. */
cv_follower cv_live_begin(cv_live *live, cv_cli *cli, unsigned flags);
void cv_live_end(cv_live *live);

#endif
