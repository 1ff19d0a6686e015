/* files.h - the files of a dialogue, for people and agents to read.
 *
 *     .conclave/dialogues/ID/             the dialogue's folder, unless its output_dir is another
 *         round-1/prompt-muffin.md        what an expert was given
 *         round-1/context-muffin.json     … as data
 *         round-1/response-muffin.md      what the expert said
 *         dialogue.json                   the export
 *         ID.dialogue.md, scoreboard.md, tensions.md, round-1.summary.md, verdict.md        the transcript
 *
 * The record is the truth: all of these can be made again from it. They are written whole and durably (base/file.h).
 */
#ifndef CV_DIALOGUE_FILES_H
#define CV_DIALOGUE_FILES_H

#include "dialogue/state.h"

typedef enum { CV_FILE_PROMPT, CV_FILE_CONTEXT, CV_FILE_RESPONSE } cv_round_file;

/* The dialogue's folder as an absolute path; it need not exist. An error when this caller may not write there. */
bool cv_dialogue_folder(const cv_call *call, const cv_state *s, const char **ret_path, cv_err *err);

/* Writes a file there, with the folders that are missing. One that holds these very bytes is left alone. */
bool cv_dialogue_file_write(cv_arena *a, const char *path, cv_str bytes, cv_err *err);

/* round-N/prompt-SLUG.md and the like, in `folder`. */
const char *cv_round_file_path(cv_arena *a, const char *folder, int64_t round, cv_round_file file, cv_str slug);

/* Writes it as above. */
bool cv_round_file_write(cv_call *call, const char *folder, int64_t round, cv_round_file file, cv_str slug,
                         cv_str bytes, const char **ret_path, cv_err *err);

#endif
