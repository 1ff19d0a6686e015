/* frame.h - the words of others in a text for a model: between two lines that nobody who speaks in it can forge.
 *
 *     === BEGIN WORDS OF OTHERS 5f3a9c2e71b0d481 ===
 *     …
 *     === END WORDS OF OTHERS 5f3a9c2e71b0d481 ===
 *
 * The number is the beginning of the SHA-256 of all that is between the lines. A text that closes the frame by
 * itself would have to hold the number of a text that it is in; and a line in it that looks like one of the two,
 * with whatever number, gets a backslash.
 */
#ifndef CV_KIT_FRAME_H
#define CV_KIT_FRAME_H

#include "base/buf.h"

/* The sentence that tells a model what a frame is. */
extern const char cv_frame_rule[];

/* Opens a frame in a buffer that is kept in memory; returns where it begins, for the end. */
size_t cv_frame_begin(cv_buf *out);

/* Closes it: lines within that look like its own are quoted, and both of its lines get their number. */
void cv_frame_end(cv_buf *out, size_t at);

/* A text alone in a frame. */
void cv_frame_add(cv_buf *out, cv_str text);

#endif
