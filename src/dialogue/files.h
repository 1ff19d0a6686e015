/* files.h - the files of a dialogue, for people and agents to read.
 *
 *     .conclave/dialogues/ID/             the dialogue's folder, unless its output_dir is another
 *         round-1/prompt-muffin.md        what an expert was given
 *         round-1/context-muffin.json     … as data
 *         round-1/response-muffin.md      what the expert said
 *         dialogue.json                   the export
 *         ID.dialogue.md, scoreboard.md, tensions.md, round-1.summary.md, verdict.md        the transcript
 *
 * The record is the truth: all of these can be made again from it. They are written whole and durably (base/file.h),
 * never through a link below the folder, and never over what somebody else wrote or edited: that is kept beside the new
 * file as NAME.before-1.
 */
#ifndef CV_DIALOGUE_FILES_H
#define CV_DIALOGUE_FILES_H

#include "base/file.h"
#include "dialogue/notices.h"
#include "dialogue/state.h"

#define CV_DIALOGUES "dialogues" /* the room's folder in .conclave (kit/room.h) */
#define CV_DIALOGUES_FOLDER ".conclave/" CV_DIALOGUES

typedef enum { CV_FILE_PROMPT, CV_FILE_CONTEXT, CV_FILE_RESPONSE } cv_round_file;

/* The dialogue's folder; it need not exist. An error when this caller may not write there. The output_dir of a dialogue
 * that was imported is not used: the author of the export does not decide where this project writes. */
bool cv_dialogue_folder(const cv_call *call, const cv_state *s, cv_where *ret_where, cv_err *err);

/* Writes a file there, with the folders that are missing. One that holds these bytes already is left alone. */
bool cv_dialogue_file_write(cv_where where, cv_str bytes, cv_file_rules *rules, cv_err *err);

/* Warns of each file that was kept. */
void cv_dialogue_file_warn(cv_call *call, const cv_file_rules *rules, cv_str expert, cv_notices *warnings);

/* round-N/prompt-SLUG.md and the like, in `folder`. */
cv_where cv_round_file_where(cv_arena *a, cv_where folder, int64_t round, cv_round_file file, cv_str slug);

#endif
