/* output.h - what a program has printed -> the answer in it, and what it says about itself: model, tokens, cost.
 *
 * Pure: bytes in, views out. What is not of the form that the preset promises is `garbage`, with the reason; what the
 * program itself calls an error is one, with its words.
 */
#ifndef CV_RUN_OUTPUT_H
#define CV_RUN_OUTPUT_H

#include "kit/reach/presets.h"
#include "run/calls.h"

/* `raw` is standard output; `file` what the program wrote into {output_file}, absent when it has none. `ok`: it ended
 * with status 0. Sets outcome, answer, message, model, tokens_in, tokens_out and cost of *ret, as far as they are
 * reported; the rest stays. */
void cv_output_read(cv_arena *a, cv_preset_output form, cv_str raw, cv_str file, bool ok, cv_calls_result *ret);

/* What a sentence about an error says to those who would try again: rate_limited, overloaded, or `otherwise`. */
cv_calls_outcome cv_output_trouble(cv_str message, cv_calls_outcome otherwise);

#endif
