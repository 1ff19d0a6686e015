/* terminal.c - how large the terminal is; see terminal.h. */
#include "base/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_WIDTH = 80, LEAST_WIDTH = 20, MOST_WIDTH = 10000 };

/* COLUMNS as people set it; 0: it is not set, or no width. */
static size_t wanted_width(void)
{
    const char *text = getenv("COLUMNS");
    char *end;
    unsigned long columns = text ? strtoul(text, &end, 10) : 0;
    return text && *text && *end == '\0' && columns >= LEAST_WIDTH && columns <= MOST_WIDTH ? columns : 0;
}

size_t cv_terminal_width(int fd)
{
    struct winsize size;
    size_t wanted = wanted_width();
    if (wanted > 0)
        return wanted;
    if (!isatty(fd))
        return 0;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL_WIDTH;
}

size_t cv_terminal_height(int fd)
{
    struct winsize size;
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}
