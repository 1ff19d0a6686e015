/* browser.c - starts the browser of this machine; see browser.h. */
#include "door/browser.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/child.h"

extern char **environ;

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

/* What it says belongs to no terminal: standard output is the answer of the command. */
static bool run(char *const arguments[])
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool started = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
                   posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
                   posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
                   cv_child_spawn(&child, arguments[0], &actions, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

bool cv_browser_open(cv_str url)
{
    char address[256];
    if (url.n >= sizeof address)
        return false;
    snprintf(address, sizeof address, "%.*s", CV_FMT(url));
    if (is_set("BROWSER"))
        return run((char *[]){getenv("BROWSER"), address, NULL});
    if (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"))
        return run((char *[]){(char[]){"xdg-open"}, address, NULL});
    return false;
}
