/* endpoint.h - where a server listens: from what the user writes to a socket address, and from there to a URL.
 *
 *     "127.0.0.2", "127.1", "::1", "[::1]", "localhost", a host's name  ->  a socket address  ->  "127.0.0.2", "[::1]"
 *
 * An IPv4 address that is written as an IPv6 one (::ffff:127.0.0.1) is the IPv4 address. So two spellings of an address
 * compare equal.
 */
#ifndef CV_DOOR_HTTP_ENDPOINT_H
#define CV_DOOR_HTTP_ENDPOINT_H

#include <netinet/in.h>

#include "base/err.h"

typedef union {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} cv_endpoint;

/* What the user writes; NULL: 127.0.0.1. Names are looked up. */
bool cv_endpoint_find(const char *text, uint16_t port, cv_endpoint *ret_address, cv_err *err);

/* Only addresses, as they are in a URL: IPv6 in brackets. False: it is something else. */
bool cv_endpoint_read(cv_str text, cv_endpoint *ret_address);

bool cv_endpoint_is_loopback(const cv_endpoint *address);
bool cv_endpoint_is_any(const cv_endpoint *address);                 /* it stands for all addresses of this machine */
bool cv_endpoint_eq(const cv_endpoint *one, const cv_endpoint *two); /* whatever their ports */

/* As it is in a URL. One that stands for all addresses leads nowhere: then the loopback's. */
cv_str cv_endpoint_print(cv_arena *a, const cv_endpoint *address);

#endif
