/* url.h - the address of an endpoint, checked before a key is ever sent there.
 *
 *     https://api.example.com/v1              ->  https://api.example.com/v1/chat/completions
 *     http://127.0.0.1:11434                  ->  http://127.0.0.1:11434/api/chat
 *
 * What a protocol's path lacks is added. Refused are: other schemes than http and https; http to another machine,
 * unless that is allowed; user names, passwords and keys in the address, which would be stored with it.
 */
#ifndef CV_KIT_REACH_URL_H
#define CV_KIT_REACH_URL_H

#include "kit/reach/reach.h"

/* An error does not repeat the address: it may have a secret in it. */
bool cv_url_complete(cv_arena *a, cv_str url, cv_reach_protocol protocol, bool plain_http, cv_str *ret_url,
                     cv_err *err);

/* Does the address name this machine: localhost, 127.x.x.x, [::1]? */
bool cv_url_is_local(cv_str url);

#endif
