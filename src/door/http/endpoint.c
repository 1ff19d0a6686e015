/* endpoint.c - where a server listens; see endpoint.h. */
#include "door/http/endpoint.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>

/* ::ffff:1.2.3.4 -> 1.2.3.4 */
static void simplify(cv_endpoint *address)
{
    if (address->any.sa_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&address->six.sin6_addr))
        return;
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = address->six.sin6_port};
    memcpy(&four.sin_addr, address->six.sin6_addr.s6_addr + 12, sizeof four.sin_addr);
    address->four = four;
}

bool cv_endpoint_find(const char *text, uint16_t port, cv_endpoint *ret_address, cv_err *err)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL, *best;
    cv_str name = cv_str_of(text ? text : "127.0.0.1");
    if (cv_str_starts(name, CV_STR("[")) && cv_str_ends(name, CV_STR("]")))
        name = cv_str_range(name.p + 1, cv_str_end(name) - 1);
    int failed = getaddrinfo(cv_arena_copy_z(err->arena, name), NULL, &hints, &found);
    if (failed || !found) {
        cv_err_set(err, CV_ERR_USAGE, "'%s' is not an address to listen on: %s", text,
                   failed ? gai_strerror(failed) : "it has none");
        cv_err_suggest(err, CV_STR("give an address of this machine, like 127.0.0.1, ::1 or 0.0.0.0, or its name"));
        return false;
    }
    for (best = found; best && best->ai_family != AF_INET; best = best->ai_next)
        ; /* of a name that has both, the one that every client reaches */
    best = best ? best : found;
    *ret_address = (cv_endpoint){0};
    memcpy(ret_address, best->ai_addr, best->ai_addrlen < sizeof *ret_address ? best->ai_addrlen : sizeof *ret_address);
    freeaddrinfo(found);
    simplify(ret_address);
    if (ret_address->any.sa_family == AF_INET)
        ret_address->four.sin_port = htons(port);
    else
        ret_address->six.sin6_port = htons(port);
    return true;
}

bool cv_endpoint_read(cv_str text, cv_endpoint *ret_address)
{
    bool six = cv_str_starts(text, CV_STR("[")) && cv_str_ends(text, CV_STR("]"));
    cv_str inner = six ? cv_str_range(text.p + 1, cv_str_end(text) - 1) : text;
    char z[INET6_ADDRSTRLEN] = "";
    if (inner.n == 0 || inner.n >= sizeof z || memchr(inner.p, '\0', inner.n))
        return false;
    memcpy(z, inner.p, inner.n);
    *ret_address = (cv_endpoint){0};
    ret_address->any.sa_family = six ? AF_INET6 : AF_INET;
    bool read = six ? inet_pton(AF_INET6, z, &ret_address->six.sin6_addr) == 1
                    : inet_pton(AF_INET, z, &ret_address->four.sin_addr) == 1;
    if (read)
        simplify(ret_address);
    return read;
}

bool cv_endpoint_is_loopback(const cv_endpoint *address)
{
    if (address->any.sa_family == AF_INET)
        return ntohl(address->four.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&address->six.sin6_addr);
}

bool cv_endpoint_is_any(const cv_endpoint *address)
{
    if (address->any.sa_family == AF_INET)
        return address->four.sin_addr.s_addr == htonl(INADDR_ANY);
    return IN6_IS_ADDR_UNSPECIFIED(&address->six.sin6_addr);
}

bool cv_endpoint_eq(const cv_endpoint *one, const cv_endpoint *two)
{
    if (one->any.sa_family != two->any.sa_family)
        return false;
    if (one->any.sa_family == AF_INET)
        return one->four.sin_addr.s_addr == two->four.sin_addr.s_addr;
    return IN6_ARE_ADDR_EQUAL(&one->six.sin6_addr, &two->six.sin6_addr);
}

cv_str cv_endpoint_print(cv_arena *a, const cv_endpoint *address)
{
    char text[INET6_ADDRSTRLEN] = "";
    bool six = address->any.sa_family == AF_INET6;
    if (cv_endpoint_is_any(address))
        return six ? CV_STR("[::1]") : CV_STR("127.0.0.1");
    if (six)
        inet_ntop(AF_INET6, &address->six.sin6_addr, text, sizeof text);
    else
        inet_ntop(AF_INET, &address->four.sin_addr, text, sizeof text);
    return cv_arena_printf(a, six ? "[%s]" : "%s", text);
}
