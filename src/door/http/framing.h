/* framing.h - is it certain what a request says and where it ends?
 *
 * Two readers of one connection, a proxy and this server, must cut it into the same requests. So a request that two
 * readers could understand differently is refused: a header twice that has one value, a length beside chunks, a header
 * that goes on in the next line, bytes that the library skips.
 */
#ifndef CV_DOOR_HTTP_FRAMING_H
#define CV_DOOR_HTTP_FRAMING_H

#include <stdbool.h>

#include "door/http/library.h"

/* What the library shall refuse by itself: the value of MHD_OPTION_STRICT_FOR_CLIENT. */
int cv_framing_strictness(void);

/* Where the library has a request. */
typedef struct {
    const char *method, *version;
    const char *target; /* what is asked for, … */
    size_t target_size; /* … up to its first NUL */
} cv_framed;

/* When all headers are there. False: why, in the caller's terms. */
bool cv_framing_check(struct MHD_Connection *connection, const cv_framed *request, const char **ret_why);

#endif
