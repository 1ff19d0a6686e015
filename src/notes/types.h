/* types.h - what is kept about notes: the log, as record types (record/type.h). The annotated files are the truth.
 *
 *     ("notes", "log")    one scope for all files of a project
 *       message    path, digest, occurrence -> one dialog that was found, the specification's dialog_messages
 *       addressee  name, number             -> to whom a message is addressed, in lower case and without '@'
 *       thread     number                   -> a conversation that messages were given to
 *       file       path                     -> what the file was when it was logged (volatile: it can be found again)
 *       intent     path                     -> a change of a file that is under way (kit/intent.h)
 *
 * The digest is that of kind, speaker, target, message, date and mood. A message that returns after another, and one
 * that is twice in a file, is another occurrence; a file that did not change adds none.
 */
#ifndef CV_NOTES_TYPES_H
#define CV_NOTES_TYPES_H

#include "kit/intent.h"
#include "record/record.h"

/* clang-format off */

#define CV_NOTE_ROW_FIELDS(F)                                                                                          \
    F(TEXT, KEY, path) F(TEXT, KEY, digest) F(INT, KEY, occurrence) F(INT, OUTLINE, dialog_message_id)                 \
    F(TEXT, OUTLINE, agent_name) F(TEXT, OUTLINE, target) F(INT, OUTLINE, created_ymdhis)                              \
    F(TEXT, OUTLINE, mood_rgb) F(INT, OUTLINE, node_id) F(INT, OUTLINE, dialog_threads_id)                             \
    F(TEXT, OUTLINE, message_type) F(FLAG, OUTLINE, is_broadcast) F(TEXT, OUTLINE, source_kind)                        \
    F(INT, OUTLINE, line_start) F(INT, OUTLINE, line_end) F(TEXT, OUTLINE, container)                                  \
    F(TEXT, OUTLINE, content_sha256) F(TEXT, OUTLINE, ts_source) F(TEXT, OUTLINE, status)                              \
    F(TEXT, OUTLINE, gone_at) F(TEXT, OUTLINE, speaker) F(TEXT, PLAIN, encoding)                                       \
    F(TEXT, OUTLINE, logged_at) F(JSON, LONG, metadata_json) F(TEXT, LONG, message_text)

#define CV_NOTE_ADDRESSEE_FIELDS(F) F(TEXT, KEY, name) F(INT, KEY, number)

#define CV_NOTE_THREAD_FIELDS(F)                                                                                       \
    F(INT, KEY, number) F(TEXT, OUTLINE, name) F(TEXT, OUTLINE, status) F(TEXT, OUTLINE, created_by)                   \
    F(TEXT, OUTLINE, created_at)

#define CV_NOTE_FILE_FIELDS(F)                                                                                         \
    F(TEXT, KEY, path) F(TEXT, PLAIN, sha256) F(TEXT, PLAIN, body_sha256) F(TEXT, PLAIN, logged_at)

/* clang-format on */

CV_TYPE_STRUCT(cv_note_row, CV_NOTE_ROW_FIELDS)
CV_TYPE_STRUCT(cv_note_addressee, CV_NOTE_ADDRESSEE_FIELDS)
CV_TYPE_STRUCT(cv_note_thread, CV_NOTE_THREAD_FIELDS)
CV_TYPE_STRUCT(cv_note_file, CV_NOTE_FILE_FIELDS)
typedef cv_intent cv_note_intent;
extern const cv_type cv_note_intent_type;

extern const cv_index *const cv_notes_by_status;  /* path, status */
extern const cv_index *const cv_notes_by_number;  /* dialog_message_id */
extern const cv_index *const cv_notes_by_speaker; /* speaker (in lower case), dialog_message_id */
extern const cv_index *const cv_notes_by_thread;  /* dialog_threads_id, dialog_message_id */
extern const cv_index *const cv_note_threads_by_name;

/* What has become of a message: it is in its file; another took its place; it vanished, or was altered; the file
 * was changed by somebody else before it got there. */
extern const cv_words cv_note_statuses;
extern const cv_str cv_note_current, cv_note_replaced, cv_note_gone, cv_note_withdrawn;

extern const cv_room_types cv_notes_records;

static inline cv_scope_id cv_notes_scope(void)
{
    return (cv_scope_id){CV_STR("notes"), CV_STR("log")};
}

#endif
