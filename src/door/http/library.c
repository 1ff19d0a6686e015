/* library.c - loading libmicrohttpd; see library.h. */
#include "door/http/library.h"

#include <dlfcn.h>

#define FILE_NAME "libmicrohttpd.so.12" /* the interface whose header we were built with */

cv_http_functions cv_http_library;

static bool refuse(cv_err *err)
{
    const char *why = dlerror();
    cv_err_set(err, CV_ERR_IO, "cannot load the HTTP library: %s", why ? why : FILE_NAME);
    cv_err_suggest(err, CV_STR("install libmicrohttpd (Debian, Ubuntu: libmicrohttpd12)"));
    return false;
}

bool cv_http_library_load(cv_err *err)
{
    cv_http_functions found;
    if (cv_http_library.start_daemon)
        return true;
    void *library = dlopen(FILE_NAME, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return refuse(err);
/* A pointer to a function is a pointer to an object only for POSIX. */
#define FIND(name)                                                                                                     \
    if (!(*(void **)&found.name = dlsym(library, "MHD_" #name)))                                                       \
        return refuse(err);
    CV_HTTP_LIBRARY(FIND)
#undef FIND
    cv_http_library = found;
    return true;
}
