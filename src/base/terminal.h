/* terminal.h - how large the terminal is that somebody reads on. */
#ifndef CV_BASE_TERMINAL_H
#define CV_BASE_TERMINAL_H

#include <stddef.h>

/* Columns of what is read behind a descriptor: what COLUMNS says, or the terminal, 80 when that does not say; 0: it is
 * not a terminal, and nobody has said. */
size_t cv_terminal_width(int fd);
size_t cv_terminal_height(int fd); /* lines; 0: unknown */

#endif
