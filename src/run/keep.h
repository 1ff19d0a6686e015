/* keep.h - an answer on its way to disk: without a name while it comes, whole under its name or not there at all.
 *
 *     # The answer as the agent wrote it
 *     …
 *     <!-- conclave: {"outcome":"answered","model":"m","tokens_in":12,"answer_hash":"9f…"} -->
 *
 * The last line is ours: what is known about the call, with the hash of everything before it. It is a comment, so the
 * file can be read as it is.
 */
#ifndef CV_RUN_KEEP_H
#define CV_RUN_KEEP_H

#include "run/calls.h"

/* Bytes that come in pieces, in a file without a name. */
typedef struct {
    int fd; /* -1: not open */
    int64_t bytes;
} cv_spool;
bool cv_spool_open(cv_spool *spool, const char *folder, cv_err *err);
bool cv_spool_add(cv_spool *spool, cv_str bytes); /* false with errno */
bool cv_spool_read(cv_arena *a, const cv_spool *spool, cv_str *ret_bytes, cv_err *err);
void cv_spool_close(cv_spool *spool);

/* Writes the answer of an answered call to `output`, durably. */
bool cv_keep_answer(cv_arena *a, const char *output, const cv_calls_result *result, cv_err *err);

/* The answer at `output`, if there is a whole one. */
bool cv_keep_read(cv_arena *a, const char *output, cv_calls_result *ret_result, bool *ret_found, cv_err *err);

/* A file beside the answer, for as long as the call runs: {prompt_file}, {output_file}. */
const char *cv_keep_beside(cv_arena *a, const char *output, const char *what);

#endif
