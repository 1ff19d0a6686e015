/* library.c - loading libpq; see library.h. */
#include "record/postgres/library.h"

#include <dlfcn.h>
#include <pthread.h>

#define FILE_NAME "libpq.so.5" /* the interface whose header we were built with */

cv_postgres_functions cv_postgres_library;

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static bool refuse(cv_err *err)
{
    const char *why = dlerror();
    cv_err_set(err, CV_ERR_IO, "cannot load the PostgreSQL library: %s", why ? why : FILE_NAME);
    cv_err_suggest(err, CV_STR("install libpq, version 14 or later (Debian, Ubuntu: libpq5)"));
    return false;
}

static bool load(cv_err *err)
{
    cv_postgres_functions found;
    if (cv_postgres_library.status)
        return true;
    void *library = dlopen(FILE_NAME, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return refuse(err);
/* A pointer to a function is a pointer to an object only for POSIX. */
#define FIND(name)                                                                                                     \
    if (!(*(void **)&found.name = dlsym(library, "PQ" #name)))                                                         \
        return refuse(err);
    CV_POSTGRES_LIBRARY(FIND)
#undef FIND
    cv_postgres_library = found;
    return true;
}

bool cv_postgres_library_load(cv_err *err)
{
    pthread_mutex_lock(&loading);
    bool ok = load(err);
    pthread_mutex_unlock(&loading);
    return ok;
}
