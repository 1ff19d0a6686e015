/* handover.h - a response on its way from an expert's file into the record, and from there into its own file.
 *
 *     "content_path": "notes/muffin.md"      read, and from then on the same as that text in "content"
 *     "content": "@notes/muffin.md"          refused: an agent means the file, and the record would keep its name
 *     round-1/response-muffin.md             where the response's file goes: prompts tell experts to write there, so a
 *                                            text that only this file holds is never overwritten
 */
#ifndef CV_DIALOGUE_INTAKE_HANDOVER_H
#define CV_DIALOGUE_INTAKE_HANDOVER_H

#include "base/where.h"
#include "dialogue/state.h"

/* The input with the text itself in `content`, wherever it came from. Every fault is reported. */
bool cv_handover_input(cv_call *call, cv_json *ret_input);

/* Where the response's file goes; `ret_foreign`: a text is there that would be lost. */
bool cv_handover_look(cv_call *call, const cv_state *s, int64_t round, cv_str expert, cv_str sha256,
                      cv_where *ret_where, bool *ret_foreign, cv_err *err);

/* Is this text the one sent (`sha256`), or what the record holds of this expert and round, or held before it was
 * replaced? False with an error: the record could not be asked. */
bool cv_handover_is_ours(cv_call *call, const cv_state *s, int64_t round, cv_str expert, cv_str sha256, cv_str text,
                         cv_err *err);

#endif
