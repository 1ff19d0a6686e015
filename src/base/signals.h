/* signals.h - what the program does with signals.
 *
 * SIGPIPE and SIGXFSZ never end it: a pipe without a reader and a file above the limit are errors of the write.
 * The first SIGINT, SIGTERM or SIGHUP asks a server or a long command to end, a second one ends it at once. One that
 * was ignored when the program was started (nohup, a job in the background) stays ignored.
 */
#ifndef CV_BASE_SIGNALS_H
#define CV_BASE_SIGNALS_H

#include <stdbool.h>

/* Once, before anything is written or anybody is started. */
void cv_signals_begin(void);

bool cv_signals_ignored(int number); /* a system call only */

/* SIGINT, SIGTERM and SIGHUP wait until somebody waits for them; before there are threads, which inherit it. */
void cv_signals_hold(void);

void cv_signals_let_go(void); /* they end the process, as usual */

/* Waits for one of them. From then on the next one ends the process, whatever its threads do. */
void cv_signals_wait(void);

/* From now on the first of them is only noted, and ends a wait for descriptors; a second one ends the process. */
void cv_signals_note(void);
bool cv_signals_came(void);

#endif
