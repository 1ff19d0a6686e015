/* curl.h - libcurl, which is loaded when the first endpoint is asked.
 *
 * It brings two dozen libraries of its own, and they take longer to load than all else that comes before the first
 * answer: a run that asks no endpoint does not wait for them. Its functions are called by their names, which stand for
 * the ones that were found in it.
 */
#ifndef CV_RUN_CURL_H
#define CV_RUN_CURL_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "base/err.h"

#define CV_CURL_LIBRARY(X)                                                                                             \
    X(easy_cleanup)                                                                                                    \
    X(easy_getinfo)                                                                                                    \
    X(easy_init)                                                                                                       \
    X(easy_setopt)                                                                                                     \
    X(easy_strerror)                                                                                                   \
    X(global_init)                                                                                                     \
    X(multi_add_handle)                                                                                                \
    X(multi_cleanup)                                                                                                   \
    X(multi_info_read)                                                                                                 \
    X(multi_init)                                                                                                      \
    X(multi_perform)                                                                                                   \
    X(multi_poll)                                                                                                      \
    X(multi_remove_handle)                                                                                             \
    X(multi_setopt)                                                                                                    \
    X(slist_append)                                                                                                    \
    X(slist_free_all)

typedef struct {
#define CV_FUNCTION(name) __typeof__(curl_##name) *(name);
    CV_CURL_LIBRARY(CV_FUNCTION)
#undef CV_FUNCTION
} cv_curl_functions;

/* All NULL before it is loaded. */
extern cv_curl_functions cv_curl_library;

/* Any thread, any number of times. */
bool cv_curl_load(cv_err *err);

#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt
#define curl_easy_cleanup cv_curl_library.easy_cleanup
#define curl_easy_getinfo cv_curl_library.easy_getinfo
#define curl_easy_init cv_curl_library.easy_init
#define curl_easy_setopt cv_curl_library.easy_setopt
#define curl_easy_strerror cv_curl_library.easy_strerror
#define curl_global_init cv_curl_library.global_init
#define curl_multi_add_handle cv_curl_library.multi_add_handle
#define curl_multi_cleanup cv_curl_library.multi_cleanup
#define curl_multi_info_read cv_curl_library.multi_info_read
#define curl_multi_init cv_curl_library.multi_init
#define curl_multi_perform cv_curl_library.multi_perform
#define curl_multi_poll cv_curl_library.multi_poll
#define curl_multi_remove_handle cv_curl_library.multi_remove_handle
#define curl_multi_setopt cv_curl_library.multi_setopt
#define curl_slist_append cv_curl_library.slist_append
#define curl_slist_free_all cv_curl_library.slist_free_all

#endif
