/* webhook.c - one POST over a plain connection; see webhook.h. */
#include "door/webhook.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/monotonic.h"

enum {
    TRIES = 4,
    FIRST_PAUSE_MS = 250, /* doubled after each try */
    SECONDS = 5,          /* for connecting and sending, each, and for the answer */
};

static bool is_local(cv_str host)
{
    return cv_str_eq(host, CV_STR("localhost")) || cv_str_eq(host, CV_STR("127.0.0.1")) ||
           cv_str_eq(host, CV_STR("::1"));
}

static bool keep(char *to, size_t size, cv_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] <= ' ' || text.p[i] == 0x7f)
            return false;
    return text.n < size && snprintf(to, size, "%.*s", CV_FMT(text)) >= 0;
}

bool cv_webhook_parse(cv_str url, bool local, cv_webhook *ret, cv_err *err)
{
    static const char scheme[] = "http://";
    if (!cv_str_starts(url, CV_STR(scheme)))
        return cv_err_set(err, CV_ERR_USAGE, "a webhook is an address like http://127.0.0.1:9000/path, not '%.*s'",
                          CV_FMT(cv_str_head(url, 200)));
    cv_str rest = cv_str_from(url, sizeof scheme - 1);
    size_t slash = cv_str_find_char(rest, '/');
    cv_str host = slash == SIZE_MAX ? rest : cv_str_head(rest, slash);
    cv_str path = slash == SIZE_MAX ? CV_STR("/") : cv_str_from(rest, slash), port = CV_STR("80");
    int number;
    if (host.n && host.p[0] == '[' && cv_str_find_char(host, ']') != SIZE_MAX) { /* [::1]:9000 */
        size_t end = cv_str_find_char(host, ']');
        if (end + 1 < host.n && host.p[end + 1] == ':')
            port = cv_str_from(host, end + 2);
        host = (cv_str){host.p + 1, end - 1};
    } else if (cv_str_find_char(host, ':') != SIZE_MAX) {
        port = cv_str_from(host, cv_str_find_char(host, ':') + 1);
        host = cv_str_head(host, cv_str_find_char(host, ':'));
    }
    if (!host.n || !cv_str_to_int(port, &number) || number < 1 || number > UINT16_MAX ||
        !keep(ret->host, sizeof ret->host, host) || !keep(ret->port, sizeof ret->port, port) ||
        !keep(ret->path, sizeof ret->path, path))
        return cv_err_set(err, CV_ERR_USAGE, "'%.*s' has no host, or a port that is not one of 1 to 65535",
                          CV_FMT(cv_str_head(url, 200)));
    if (!local || is_local(host))
        return true;
    cv_err_set(err, CV_ERR_USAGE, "'%s' is another machine, and the connection is not encrypted", ret->host);
    cv_err_suggest(err, CV_STR("use an address of this machine, or add --remote"));
    return false;
}

/* ---- one try ----------------------------------------------------------------------------------------------------- */

static int open_connection(const cv_webhook *hook)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const struct timeval most = {.tv_sec = SECONDS};
    struct addrinfo *all;
    int fd = -1;
    if (getaddrinfo(hook->host, hook->port, &hints, &all) != 0)
        return -1;
    for (const struct addrinfo *at = all; at && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
        if (connect(fd, at->ai_addr, at->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(all);
    return fd;
}

static bool send_all(int fd, cv_str bytes)
{
    while (bytes.n) {
        ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        bytes = cv_str_from(bytes, (size_t)n);
    }
    return true;
}

/* "HTTP/1.1 204 …": only the first line counts. */
static bool is_taken(int fd)
{
    char line[16];
    size_t n = 0;
    int64_t until = cv_monotonic_ms() + SECONDS * 1000;
    while (n < 12 && cv_monotonic_ms() < until) {
        ssize_t more = recv(fd, line + n, 12 - n, 0);
        if (more <= 0)
            return false;
        n += (size_t)more;
    }
    return n == 12 && cv_str_starts((cv_str){line, n}, CV_STR("HTTP/1.")) && line[9] == '2';
}

static bool post_once(const cv_webhook *hook, cv_str json, const char **ret_why)
{
    cv_buf request = {0};
    int fd = open_connection(hook);
    if (fd < 0) {
        *ret_why = "nothing listens there";
        return false;
    }
    cv_buf_printf(&request,
                  "POST %s HTTP/1.1\r\nHost: %s:%s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
                  "Connection: close\r\n\r\n%.*s",
                  hook->path, hook->host, hook->port, json.n, CV_FMT(json));
    bool taken = send_all(fd, cv_buf_str(&request)) && is_taken(fd);
    *ret_why = "the answer is not a success (2xx), or there is none";
    cv_buf_release(&request);
    close(fd);
    return taken;
}

bool cv_webhook_post(const cv_webhook *hook, cv_str json, const char **ret_why)
{
    long ms = FIRST_PAUSE_MS;
    for (int i = 0; i < TRIES; i++, ms *= 2) {
        if (post_once(hook, json, ret_why))
            return true;
        const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
        if (i + 1 < TRIES)
            nanosleep(&pause, NULL);
    }
    return false;
}
