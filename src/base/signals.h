/* signals.h - the signals that end a server or a long command: the first asks it to, a second one ends it at once. */
#ifndef CV_BASE_SIGNALS_H
#define CV_BASE_SIGNALS_H

#include <stdbool.h>

/* SIGINT, SIGTERM and SIGHUP wait until somebody waits for them; before there are threads, which inherit it. A client
 * that has left is an error of the write to it, not a signal. */
void cv_signals_hold(void);

void cv_signals_let_go(void); /* they end the process, as usual */

/* Waits for one of them. From then on the next one ends the process, whatever its threads do. */
void cv_signals_wait(void);

/* From now on the first of them is only noted, and ends a wait for descriptors; a second one ends the process. */
void cv_signals_note(void);
bool cv_signals_came(void);

#endif
