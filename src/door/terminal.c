/* terminal.c - how wide the terminal is; see terminal.h. */
#include "door/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_WIDTH = 80 };

size_t cv_terminal_width(int fd)
{
    struct winsize size;
    if (!isatty(fd))
        return 0;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL_WIDTH;
}
