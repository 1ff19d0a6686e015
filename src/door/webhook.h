/* webhook.h - tells a program that listens on HTTP: one POST of JSON, tried again when it is not taken.
 *
 *     http://HOST[:PORT][/PATH]      without encryption, so hosts other than this machine must be wanted by the caller
 */
#ifndef CV_DOOR_WEBHOOK_H
#define CV_DOOR_WEBHOOK_H

#include "base/err.h"

typedef struct {
    char host[256], port[6], path[1024];
} cv_webhook;

/* False: it is not such an address, or not on this machine though `local` is wanted. */
bool cv_webhook_parse(cv_str url, bool local, cv_webhook *ret, cv_err *err);

/* False: nobody took it after several tries; *ret_why says what happened last. */
bool cv_webhook_post(const cv_webhook *hook, cv_str json, const char **ret_why);

#endif
