/* terminal.h - how wide the terminal is that somebody reads on. */
#ifndef CV_DOOR_TERMINAL_H
#define CV_DOOR_TERMINAL_H

#include <stddef.h>

/* Columns of the terminal behind a descriptor, 80 when it does not say; 0: it is none. */
size_t cv_terminal_width(int fd);

#endif
