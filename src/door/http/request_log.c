/* request_log.c - requests in the log: one line of JSON each; see http.h.
 *
 *     {"at":"2026-03-01T12:00:00.000Z","request":7,"method":"POST","path":"/api/mail/send","actor":"ada","status":200,
 *      "microseconds":812}
 *
 * What comes from outside is cut, so that a line stays whole. The part behind the question mark, and tokens, are never
 * written.
 */
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/monotonic.h"
#include "door/http/parts.h"

enum {
    SLOW_US = 1000000, /* what takes longer is told in any case */
    MAX_METHOD = 20,
    MAX_PATH = 400,
    MAX_ACTOR = 100 /* bytes, each of which JSON may write as six */
};

void cv_http_log(const cv_http_exchange *x, int status)
{
    int64_t us = cv_monotonic_us() - x->since_us;
    bool slow = us >= SLOW_US;
    char at[CV_TIME_LEN + 1];
    cv_buf line = {0};
    cv_json_writer w = {.out = &line};
    if (!x->server->options.log && !(x->handed && x->route->prompt && (slow || status >= 500)))
        return;
    cv_json_begin_object(&w);
    if (cv_time_print(cv_clock_system().now_ms(NULL), at))
        cv_json_key_str(&w, "at", cv_str_of(at));
    cv_json_key_int(&w, "request", (int64_t)x->id);
    if (x->method) /* else it was refused for what it asks before that was known */
        cv_json_key_str(&w, "method", cv_str_head(cv_str_of(x->method), MAX_METHOD));
    cv_json_key_str(&w, "path", cv_str_head(cv_str_of(x->path), MAX_PATH));
    if (x->actor)
        cv_json_key_str(&w, "actor", cv_str_head(cv_str_of(x->actor), MAX_ACTOR));
    cv_json_key_int(&w, "status", status);
    cv_json_key_int(&w, "microseconds", us);
    if (slow)
        cv_json_key_bool(&w, "slow", true);
    cv_json_end_object(&w);
    cv_log_json(cv_buf_str(&line));
    cv_buf_release(&line);
}
