/* library.h - libmicrohttpd, which is loaded when a server starts.
 *
 * It brings eight libraries of its own, and they take longer to load than all else that comes before the first answer:
 * who serves no HTTP does not wait for them. Its functions are called by their names, which stand for the ones that
 * were found in it.
 */
#ifndef CV_DOOR_HTTP_LIBRARY_H
#define CV_DOOR_HTTP_LIBRARY_H

#include <microhttpd.h>

#include "base/err.h"

#define CV_HTTP_LIBRARY(X)                                                                                             \
    X(add_response_header)                                                                                             \
    X(create_response_from_buffer)                                                                                     \
    X(create_response_from_callback)                                                                                   \
    X(destroy_response)                                                                                                \
    X(get_connection_info)                                                                                             \
    X(get_connection_values_n)                                                                                         \
    X(get_daemon_info)                                                                                                 \
    X(get_reason_phrase_for)                                                                                           \
    X(get_timeout)                                                                                                     \
    X(get_version)                                                                                                     \
    X(lookup_connection_value)                                                                                         \
    X(queue_response)                                                                                                  \
    X(resume_connection)                                                                                               \
    X(run_wait)                                                                                                        \
    X(start_daemon)                                                                                                    \
    X(stop_daemon)                                                                                                     \
    X(suspend_connection)

typedef struct {
#define CV_FUNCTION(name) __typeof__(MHD_##name) *name;
    CV_HTTP_LIBRARY(CV_FUNCTION)
#undef CV_FUNCTION
} cv_http_functions;

/* All NULL before it is loaded. */
extern cv_http_functions cv_http_library;

/* Once is enough; one thread at a time. */
bool cv_http_library_load(cv_err *err);

#define MHD_add_response_header cv_http_library.add_response_header
#define MHD_create_response_from_buffer cv_http_library.create_response_from_buffer
#define MHD_create_response_from_callback cv_http_library.create_response_from_callback
#define MHD_destroy_response cv_http_library.destroy_response
#define MHD_get_connection_info cv_http_library.get_connection_info
#define MHD_get_connection_values_n cv_http_library.get_connection_values_n
#define MHD_get_daemon_info cv_http_library.get_daemon_info
#define MHD_get_reason_phrase_for cv_http_library.get_reason_phrase_for
#define MHD_get_timeout cv_http_library.get_timeout
#define MHD_get_version cv_http_library.get_version
#define MHD_lookup_connection_value cv_http_library.lookup_connection_value
#define MHD_queue_response cv_http_library.queue_response
#define MHD_resume_connection cv_http_library.resume_connection
#define MHD_run_wait cv_http_library.run_wait
#define MHD_start_daemon cv_http_library.start_daemon
#define MHD_stop_daemon cv_http_library.stop_daemon
#define MHD_suspend_connection cv_http_library.suspend_connection

#endif
