/* stream.h - an answer that comes in pieces: server-sent events, or one JSON document per line.
 *
 *     event: delta                      {"message": {"content": "Hel"}, "done": false}
 *     data: {"text": "Hel"}             {"message": {"content": "lo"}, "done": true}
 *
 * Pieces may be cut anywhere, between the bytes of a character and between CR and LF too. An event is given out when
 * it is whole, and never before. One that the stream ends in the middle of is not an event.
 */
#ifndef CV_RUN_STREAM_H
#define CV_RUN_STREAM_H

#include "base/buf.h"

enum { CV_STREAM_EVENT = 4 << 20 }; /* bytes of one event: far above what any server sends at once */

/* `event` is its name; empty: it has none. Both views end with the call. */
typedef void (*cv_stream_visit)(void *ctx, cv_str event, cv_str data);

/* A zeroed one is ready. */
typedef struct {
    bool lines;    /* one document per line; else server-sent events */
    bool after_cr; /* a LF that comes next belongs to it */
    bool begun;    /* the first bytes have been looked at: a byte order mark is skipped */
    bool has_data;
    cv_buf line, data, name;
} cv_stream;

/* False: an event is longer than CV_STREAM_EVENT, and the rest cannot be understood. */
bool cv_stream_add(cv_stream *stream, cv_str bytes, cv_stream_visit visit, void *ctx);

/* The stream has ended. What is whole except its last line break is given out. */
void cv_stream_end(cv_stream *stream, cv_stream_visit visit, void *ctx);

void cv_stream_release(cv_stream *stream);

#endif
