/* curl.c - loading libcurl; see curl.h. */
#include "run/curl.h"

#include <dlfcn.h>
#include <pthread.h>

#define FILE_NAME "libcurl.so.4" /* the interface whose header we were built with */

cv_curl_functions cv_curl_library;

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static bool refuse(cv_err *err)
{
    const char *why = dlerror();
    cv_err_set(err, CV_ERR_IO, "cannot load the library for endpoints: %s", why ? why : FILE_NAME);
    cv_err_suggest(err, CV_STR("install libcurl, version 7.85 or later (Debian, Ubuntu: libcurl4)"));
    return false;
}

static bool load(cv_err *err)
{
    cv_curl_functions found;
    if (cv_curl_library.easy_init)
        return true;
    void *library = dlopen(FILE_NAME, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return refuse(err);
/* A pointer to a function is a pointer to an object only for POSIX. */
#define FIND(name)                                                                                                     \
    if (!(*(void **)&found.name = dlsym(library, "curl_" #name)))                                                      \
        return refuse(err);
    CV_CURL_LIBRARY(FIND)
#undef FIND
    if (found.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return cv_err_set(err, CV_ERR_IO, "the library for endpoints does not start");
    cv_curl_library = found;
    return true;
}

bool cv_curl_load(cv_err *err)
{
    pthread_mutex_lock(&loading);
    bool ok = load(err);
    pthread_mutex_unlock(&loading);
    return ok;
}
