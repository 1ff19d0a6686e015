/* types.c - the tables behind types.h, and what a search sees of a chat. */
#include "chat/types.h"

#include "chat/text/chat_file.h"

static bool search_chat(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_chat_row *c = row;
    (void)a;
    *ret = (cv_search_text){.kind = CV_STR("chat"),
                            .id = c->chat_id,
                            .ids = c->chat_id,
                            .title = c->purpose.p ? c->purpose : CV_STR(""),
                            .body = CV_STR(""),
                            .status = c->status,
                            .people = c->participants};
    return true;
}

static bool search_message(cv_arena *a, const void *row, cv_search_text *ret)
{
    const cv_chat_message_row *m = row;
    cv_str id = cv_chat_number_print(a, m->number);
    *ret = (cv_search_text){.kind = CV_STR("message"),
                            .id = id,
                            .ids = id,
                            .title = m->type,
                            .body = m->body.p ? m->body : CV_STR(""),
                            .people = cv_arena_printf(a, "[\"%.*s\"]", CV_FMT(m->sender))};
    return true;
}

static const cv_index chat_indexes[] = {CV_INDEX("rev", SCOPE, CV_AT(cv_chat_row, rev))};
static const cv_index message_indexes[] = {
    CV_INDEX("rev", SCOPE, CV_AT(cv_chat_message_row, rev)),
    CV_INDEX("type", SCOPE, CV_AT(cv_chat_message_row, type)),
};
static const cv_index queued_indexes[] = {CV_INDEX("state", SCOPE, CV_AT(cv_chat_queued_row, state))};
const cv_index *const cv_chat_messages_by_type = &message_indexes[1];
const cv_index *const cv_chat_queued_by_state = &queued_indexes[0];

#define CV_THIS_TYPE cv_chat_row
CV_TYPE_TABLE(cv_chat_row, "chat", "chats", CV_CHAT_FIELDS, REPLACED, search_chat, CV_INDEXES(chat_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_chat_message_row
CV_TYPE_TABLE(cv_chat_message_row, "message", "chat_messages", CV_CHAT_MESSAGE_FIELDS, ADDED, search_message,
              CV_INDEXES(message_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_chat_queued_row
CV_TYPE_TABLE(cv_chat_queued_row, "queued", "chat_queued", CV_CHAT_QUEUED_FIELDS, REPLACED, NULL,
              CV_INDEXES(queued_indexes));
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_chat_alteration_row
CV_TYPE_TABLE(cv_chat_alteration_row, "alteration", "chat_alterations", CV_CHAT_ALTERATION_FIELDS, REPLACED, NULL,
              .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_chat_seen_row
CV_TYPE_TABLE(cv_chat_seen_row, "seen", "chat_seen", CV_CHAT_SEEN_FIELDS, VOLATILE, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_chat_pointer_row
CV_TYPE_TABLE(cv_chat_pointer_row, "pointer", "chat_pointers", CV_CHAT_POINTER_FIELDS, VOLATILE, NULL, .indexes = NULL);
#undef CV_THIS_TYPE
#define CV_THIS_TYPE cv_chat_intent
CV_TYPE_TABLE(cv_chat_intent, "intent", "chat_intents", CV_INTENT_FIELDS, VOLATILE, NULL, .indexes = NULL);
#undef CV_THIS_TYPE

static const cv_type *const types[] = {
    &cv_chat_row_type,      &cv_chat_message_row_type, &cv_chat_queued_row_type, &cv_chat_alteration_row_type,
    &cv_chat_seen_row_type, &cv_chat_pointer_row_type, &cv_chat_intent_type};
const cv_room_types cv_chat_records = {CV_STR_INIT("chat"), types, CV_COUNT(types)};
