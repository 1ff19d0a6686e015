/* fuzz_mail_text.c - any bytes as a file that an agent dropped: refused with a place inside the text, or JSON that is
 * read again as it is; a message converts to both writings and back. */
#include <stdlib.h>

#include "mail/text/lines.h"
#include "mail/text/mailbox.h"
#include "mail/text/message.h"
#include "mail/text/spelling.h"
#include "mail/text/task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

static cv_str printed(cv_arena *a, const cv_mtext_message *message, cv_mtext_writing writing)
{
    cv_buf out = {0};
    cv_mtext_message_print(&out, message, writing, 0);
    return cv_buf_take(&out, a);
}

static cv_mtext_message reread(cv_arena *a, cv_str text)
{
    cv_err err = {.arena = a};
    cv_mtext_notes notes = {0};
    cv_mtext_message message;
    cv_json value;
    need(cv_json_parse(a, text, &value, &err));
    need(cv_mtext_message_read(a, text, &value, &notes, &message, &err));
    return message;
}

/* Once it is in one of the two writings, it goes to the other and comes back. Names that have both prefixes are the
 * writer's own riddle. */
static void check_message(cv_arena *a, cv_str text, const cv_json *value)
{
    cv_err err = {.arena = a};
    cv_mtext_notes notes = {0};
    cv_mtext_message message;
    if (!cv_mtext_message_read(a, text, value, &notes, &message, &err)) {
        need(err.message.n > 0);
        return;
    }
    if (message.writing == CV_MTEXT_LOOSE || cv_str_find(text, CV_STR("envelope:")) != SIZE_MAX ||
        cv_str_find(text, CV_STR("mailbox:")) != SIZE_MAX || cv_str_find(text, CV_STR("\\u")) != SIZE_MAX)
        return;
    cv_mtext_writing from = message.writing, to = from == CV_MTEXT_MAILBOX ? CV_MTEXT_ENVELOPE : CV_MTEXT_MAILBOX;
    cv_str own = printed(a, &message, from);
    cv_mtext_message other = reread(a, printed(a, &message, to));
    need(other.writing == to && cv_str_eq(printed(a, &other, from), own));
}

static void check_tasks(cv_arena *a, const cv_mtext *text)
{
    const cv_json *tasks =
        text->value.type == CV_JSON_ARRAY ? &text->value : cv_json_get(&text->value, CV_STR("tasks"));
    for (uint32_t i = 0; tasks && tasks->type == CV_JSON_ARRAY && i < tasks->count; i++) {
        cv_err err = {.arena = a};
        cv_mtext_notes notes = {0};
        cv_mtext_task task;
        cv_json again;
        cv_buf out = {0};
        if (!cv_mtext_task_read(a, text->text, &tasks->items[i], &notes, &task, &err))
            continue;
        cv_mtext_task_print(&out, &task);
        need(cv_json_parse(a, cv_buf_take(&out, a), &again, &err));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str bytes = {(const char *)data, size};
    cv_mtext text, again;
    cv_mtext_mailbox box;
    cv_mtext_lines lines;
    bool exact;
    int64_t ms;
    if (cv_mtext_read(&a, bytes, &text, &err)) {
        need(text.state <= CV_MTEXT_REPAIRED && (text.state == CV_MTEXT_VALID) == (text.notes.count == 0));
        for (size_t i = 1; i < text.notes.count; i++)
            need(text.notes.items[i - 1].offset <= text.notes.items[i].offset && text.notes.items[i].line > 0);
        need(cv_mtext_read(&a, text.text, &again, &err) && again.state == CV_MTEXT_VALID);
        check_message(&a, text.text, &text.value);
        check_tasks(&a, &text);
        cv_mtext_mailbox_read(&text.value, &box, &err);
    } else {
        need(text.state >= CV_MTEXT_EMPTY && err.message.n > 0 && err.line > 0);
    }
    cv_mtext_lines_read(&a, bytes, &lines);
    need(lines.sound <= size);
    cv_mtext_time_of(bytes, &ms, &exact);
    cv_mtext_status_of(bytes, &exact);
    cv_mtext_has_placeholder(bytes);
    cv_arena_release(&a);
    return 0;
}
