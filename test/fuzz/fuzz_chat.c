/* fuzz_chat.c - any bytes as a chat file: every byte is in the header, in front of the first message or in one message;
 * what is read can be read again; a message that is written into it is one message, whatever stands around it.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "chat/text/chat_write.h"
#include "chat/text/fields.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
    if (!holds)
        abort();
}

/* Messages follow each other without a gap, and their parts lie in them. */
static void check_messages(cv_str body, const cv_chat_messages *all)
{
    for (size_t i = 0; i < all->all.count; i++) {
        const cv_chat_message *m = &all->all.items[i];
        need(m->start < m->end && m->end <= body.n);
        need(i + 1 == all->all.count ? m->end == body.n : m->end == all->all.items[i + 1].start);
        need(m->number == (i ? all->all.items[i - 1].number + 1 : 1));
        need(m->head.p == body.p + m->start && cv_str_end(m->body) <= body.p + m->end);
        need(cv_chat_line_count(cv_str_head(body, m->start)) == m->line - 1);
        need(cv_chat_person_valid(m->from));
    }
}

/* The body of the input as a message of its own: nothing in it becomes structure. */
static void check_written(cv_arena *a, cv_str file, cv_str text, int64_t last)
{
    cv_buf out = {0};
    cv_chat_messages before, after;
    cv_chat_header header, again;
    cv_err err = {.arena = a};
    const cv_chat_draft draft = {.from = CV_STR("A@x"), .type = CV_STR("T"), .body = text};
    need(cv_chat_header_parse(a, file, &header, &err));
    cv_chat_messages_parse(a, cv_str_from(file, header.text.n), 0, NULL, NULL, &before);
    cv_buf_add(&out, file);
    cv_buf_add_z(&out, file.n && file.p[file.n - 1] == '\n' ? "" : "\n");
    cv_chat_message_print(&out, last + 1, &draft);
    cv_str whole = cv_buf_str(&out);
    need(cv_chat_header_parse(a, whole, &again, &err) && cv_str_eq(again.status, header.status));
    need(again.people.count == header.people.count);
    cv_chat_messages_parse(a, cv_str_from(whole, again.text.n), 0, NULL, NULL, &after);
    need(after.all.count == before.all.count + 1);
    need(after.all.items[before.all.count].number == last + 1);
    for (size_t i = 0; i < before.all.count; i++)
        need(cv_str_eq(cv_chat_lasting(a, &before.all.items[i]), cv_chat_lasting(a, &after.all.items[i])));
    cv_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_str text = {(const char *)data, size};
    cv_chat_header header;
    cv_chat_messages all;
    unsigned of;
    cv_chat_messages_parse(&a, text, 0, NULL, NULL, &all);
    check_messages(text, &all);
    for (size_t i = 0; i < cv_consult_field_count; i++)
        cv_field_find(text, cv_consult_fields[i].spellings);
    cv_consult_batch(text, &of);
    if (cv_chat_header_parse(&a, text, &header, &err)) {
        cv_str body = cv_str_from(text, header.text.n);
        need(header.text.p == text.p && header.lines == cv_chat_line_count(header.text));
        cv_chat_messages_parse(&a, body, 0, NULL, NULL, &all);
        check_messages(body, &all);
        cv_chat_header_check(&header, &err);
        check_written(&a, text, text, all.all.count ? all.all.items[all.all.count - 1].number : 0);
    } else {
        need(err.message.n > 0);
    }
    static const char start[] = "# CHAT v3\n# Chat ID: a\n# Status: OPEN\n# Purpose: p\n";
    check_written(&a, CV_STR(start), text, 0);
    cv_arena_release(&a);
    return 0;
}
