/* base64.h - bytes as base64 (RFC 4648) and back. */
#ifndef CV_BASE_BASE64_H
#define CV_BASE_BASE64_H

#include "base/arena.h"

cv_str cv_base64_url(cv_arena *a, cv_str bytes); /* with - and _, without padding */

/* False: it is none. */
bool cv_base64_decode(cv_arena *a, cv_str text, cv_str *ret_bytes);
bool cv_base64_url_decode(cv_arena *a, cv_str text, cv_str *ret_bytes);

#endif
