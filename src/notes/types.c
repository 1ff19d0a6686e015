/* types.c - the tables behind types.h, and what a search sees of a note. */
#include "notes/types.h"

#include "base/json.h"

static cv_str or_empty(cv_str text)
{
    return text.p ? text : CV_STR("");
}

static bool search_note(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_note_row *n = row;
    cv_buf people = {0};
    cv_json_writer w = {.out = &people};
    cv_json_begin_array(&w);
    cv_json_str(&w, or_empty(n->agent_name));
    cv_json_end_array(&w);
    *ret = (cv_search_text){
        .kind = CV_STR("note"),
        .id = cv_arena_printf(a, "%lld", (long long)n->dialog_message_id),
        .title = cv_arena_printf(a, "%.*s to %.*s in %.*s", CV_FMT(n->agent_name), CV_FMT(n->target), CV_FMT(n->path)),
        .body = n->message_text,
        .status = n->status,
        .people = cv_buf_take(&people, a)};
    return true;
}

static const cv_index note_indexes[] = {
    CV_INDEX("rev", SCOPE, CV_AT(cv_note_row, rev)),
    CV_INDEX("status", SCOPE, CV_AT(cv_note_row, path), CV_AT(cv_note_row, status)),
    CV_INDEX("number", SCOPE, CV_AT(cv_note_row, dialog_message_id)),
    CV_INDEX("speaker", SCOPE, CV_AT(cv_note_row, speaker), CV_AT(cv_note_row, dialog_message_id)),
    CV_INDEX("thread", SCOPE, CV_AT(cv_note_row, dialog_threads_id), CV_AT(cv_note_row, dialog_message_id)),
};
static const cv_index thread_indexes[] = {CV_INDEX("name", SCOPE, CV_AT(cv_note_thread, name))};

const cv_index *const cv_notes_by_status = &note_indexes[1];
const cv_index *const cv_notes_by_number = &note_indexes[2];
const cv_index *const cv_notes_by_speaker = &note_indexes[3];
const cv_index *const cv_notes_by_thread = &note_indexes[4];
const cv_index *const cv_note_threads_by_name = &thread_indexes[0];

static const cv_str statuses[] = {CV_STR_INIT("current"), CV_STR_INIT("replaced"), CV_STR_INIT("gone"),
                                  CV_STR_INIT("withdrawn")};
const cv_words cv_note_statuses = {statuses, CV_COUNT(statuses)};
const cv_str cv_note_current = CV_STR_INIT("current"), cv_note_replaced = CV_STR_INIT("replaced"),
             cv_note_gone = CV_STR_INIT("gone"), cv_note_withdrawn = CV_STR_INIT("withdrawn");

#define CV_THIS_TYPE cv_note_row
CV_TYPE_TABLE(cv_note_row, "message", "dialog_messages", CV_NOTE_ROW_FIELDS, REPLACED, search_note,
              CV_INDEXES(note_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_note_addressee
CV_TYPE_TABLE(cv_note_addressee, "addressee", "dialog_addressees", CV_NOTE_ADDRESSEE_FIELDS, ADDED, NULL,
              .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_note_thread
CV_TYPE_TABLE(cv_note_thread, "thread", "dialog_threads", CV_NOTE_THREAD_FIELDS, REPLACED, NULL,
              CV_INDEXES(thread_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_note_file
CV_TYPE_TABLE(cv_note_file, "file", "dialog_files", CV_NOTE_FILE_FIELDS, VOLATILE, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_note_intent
CV_TYPE_TABLE(cv_note_intent, "intent", "dialog_intents", CV_INTENT_FIELDS, VOLATILE, NULL, .indexes = NULL);
#undef CV_THIS_TYPE

static const cv_type *const types[] = {&cv_note_row_type, &cv_note_addressee_type, &cv_note_thread_type,
                                       &cv_note_file_type, &cv_note_intent_type};
const cv_room_types cv_notes_records = {CV_STR_INIT("notes"), types, CV_COUNT(types)};
