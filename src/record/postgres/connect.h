/* connect.h - making a connection, and waiting for one: what the files of the connection share. */
#ifndef CV_RECORD_POSTGRES_CONNECT_H
#define CV_RECORD_POSTGRES_CONNECT_H

#include <poll.h>

#include "record/postgres/connection.h"
#include "record/postgres/library.h"

typedef enum { CV_POSTGRES_READY, CV_POSTGRES_LATE, CV_POSTGRES_CANCELLED } cv_postgres_wait;

/* Waits for the socket until the deadline (monotonic.h; below 0: none). *ret_events: POLLIN, POLLOUT; NULL is fine. */
cv_postgres_wait cv_postgres_await(const cv_postgres *c, PGconn *conn, short events, int64_t deadline_ms,
                                   short *ret_events);

/* Nobody waits any more. Always CV_POSTGRES_LOST. */
cv_postgres_result cv_postgres_cancelled(const char *doing, cv_err *err);

/* One connection to the first of the hosts that will do, each of them tried once. ret_state: the last SQLSTATE, or
 * empty. */
cv_postgres_result cv_postgres_connect(cv_postgres *c, char ret_state[6], cv_err *err);

#endif
