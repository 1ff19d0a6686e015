/* mailbox.c - reading mailbox_N.json; see mailbox.h. */
#include "mail/text/mailbox.h"

static const cv_json *first_of(const cv_json *object, const char *const names[], cv_json_type type)
{
    for (; *names; names++) {
        const cv_json *value = cv_json_get(object, cv_str_of(*names));
        if (value && value->type == type)
            return value;
    }
    return NULL;
}

static cv_str text_of(const cv_json *object, const char *const names[])
{
    const cv_json *value = first_of(object, names, CV_JSON_STRING);
    value = value ? value : first_of(object, names, CV_JSON_NUMBER);
    return value ? value->text : (cv_str){0};
}

/* A list under one of these names, or nothing; *ret NULL: nothing. */
static bool list_of(const cv_json *object, const char *const names[], const cv_json **ret, cv_err *err)
{
    *ret = first_of(object, names, CV_JSON_ARRAY);
    const cv_json *other = *ret ? NULL : cv_json_get(object, cv_str_of(names[0]));
    return !other || other->type == CV_JSON_NULL ||
           cv_err_set(err, CV_ERR_INVALID_VALUE, "\"%s\" is a list, this is '%.*s'", names[0],
                      CV_FMT(cv_json_type_word(other->type)));
}

bool cv_mtext_mailbox_read(const cv_json *value, cv_mtext_mailbox *ret, cv_err *err)
{
    static const char *const status[] = {"status", NULL},
                             *const agent[] = {"assigned_agent_id", "owner", "claimed_by", NULL},
                             *const seen[] = {"last_seen_utc", "last_seen", NULL},
                             *const messages[] = {"messages", "incoming", NULL},
                             *const processed[] = {"processed_message_ids", "processed_ids", NULL};
    *ret = (cv_mtext_mailbox){0};
    if (value->type == CV_JSON_ARRAY) {
        ret->messages = value;
        return true;
    }
    if (value->type != CV_JSON_OBJECT) {
        cv_err_set(err, CV_ERR_INVALID_VALUE, "a mailbox is an object with \"messages\"");
        return false;
    }
    ret->status = text_of(value, status);
    ret->agent = text_of(value, agent);
    ret->last_seen = text_of(value, seen);
    return list_of(value, messages, &ret->messages, err) && list_of(value, processed, &ret->processed, err);
}
