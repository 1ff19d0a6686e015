/* chat_write.c - what is written into a chat file; see chat_write.h. */
#include "chat/text/chat_write.h"

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/* Would a reader, or a person with grep, take the line for structure? */
static bool is_structure(cv_str line)
{
    static const cv_str header[] = {
        CV_STR_INIT("CHAT"),      CV_STR_INIT("Chat ID"), CV_STR_INIT("Status"), CV_STR_INIT("Participants"),
        CV_STR_INIT("Last read"), CV_STR_INIT("Purpose"), CV_STR_INIT("-")};
    if (line.n > 2 && line.p[0] == '[' && line.p[1] == 'M' && cv_is_digit(line.p[2]))
        return true;
    if (line.n == 0 || line.p[0] != '#')
        return false;
    cv_str s = cv_str_trim_left(cv_str_from(line, 1));
    for (size_t i = 0; i < CV_COUNT(header); i++)
        if (cv_str_starts_nocase(s, header[i]))
            return true;
    return false;
}

/* The body as it will be in the file: CRLF becomes LF, lines that look like structure are moved in, the end is
 * trimmed. */
static cv_str body_of(cv_arena *a, cv_str body)
{
    cv_buf out = {0};
    cv_str rest = cv_str_trim_right(body), line;
    for (bool first = true; cv_str_split(&rest, '\n', &line); first = false) {
        if (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        cv_buf_add_z(&out, first ? "" : "\n");
        cv_buf_add_z(&out, is_structure(line) ? " " : "");
        cv_buf_add(&out, line);
    }
    return cv_buf_take(&out, a);
}

static void add_field(cv_buf *out, const char *key, cv_str value)
{
    if (value.n)
        cv_buf_printf(out, " | %s:%.*s", key, CV_FMT(value));
}

void cv_chat_message_print(cv_buf *out, int64_t number, const cv_chat_draft *d)
{
    cv_arena a = {0};
    cv_str body = body_of(&a, d->body);
    cv_buf_printf(out, "[M%04lld] FROM:%.*s | TYPE:%.*s | FLAG:UNREAD", (long long)number, CV_FMT(d->from),
                  CV_FMT(d->type));
    add_field(out, "TAG", d->tags);
    add_field(out, "AT", d->at);
    if (d->re > 0)
        add_field(out, "RE", cv_chat_number_print(&a, d->re));
    add_field(out, "ON_BEHALF_OF", d->behalf);
    cv_buf_add_char(out, '\n');
    cv_buf_add(out, body);
    if (body.n)
        cv_buf_add_char(out, '\n');
    cv_arena_release(&a);
}

void cv_chat_header_print(cv_buf *out, cv_str id, cv_str purpose, const cv_str *people, size_t count)
{
    cv_buf_printf(out, "# CHAT v3\n# Chat ID: %.*s\n# Status: OPEN\n# Participants:\n", CV_FMT(id));
    for (size_t i = 0; i < count; i++)
        cv_buf_printf(out, "# - %.*s\n", CV_FMT(people[i]));
    cv_buf_add_z(out, "# Last read:\n");
    for (size_t i = 0; i < count; i++)
        cv_buf_printf(out, "# - %.*s: 0\n", CV_FMT(people[i]));
    cv_buf_printf(out, "# Purpose: %.*s\n", CV_FMT(purpose));
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

void cv_chat_edit_add(cv_chat_edits *edits, cv_arena *a, size_t at, size_t n, cv_str with)
{
    CV_PUSH(a, edits);
    size_t i = edits->count - 1;
    for (; i > 0 && edits->items[i - 1].at > at; i--)
        edits->items[i] = edits->items[i - 1];
    edits->items[i] = (cv_chat_edit){at, n, with};
}

void cv_chat_edit_view(cv_chat_edits *edits, cv_arena *a, cv_str text, cv_str part, cv_str with)
{
    assert(part.p >= text.p && cv_str_end(part) <= cv_str_end(text));
    cv_chat_edit_add(edits, a, (size_t)(part.p - text.p), part.n, with);
}

size_t cv_chat_edit_moved(const cv_chat_edits *edits, size_t at)
{
    size_t moved = at;
    for (size_t i = 0; i < edits->count; i++)
        if (edits->items[i].at < at || (edits->items[i].at == at && edits->items[i].n == 0))
            moved = moved + edits->items[i].with.n - edits->items[i].n;
    return moved;
}

cv_str cv_chat_edit_apply(cv_arena *a, const cv_chat_edits *edits, cv_str text)
{
    cv_buf out = {0};
    size_t from = 0;
    for (size_t i = 0; i < edits->count; i++) {
        const cv_chat_edit *e = &edits->items[i];
        assert(e->at >= from && e->at + e->n <= text.n);
        cv_buf_add(&out, cv_str_range(text.p + from, text.p + e->at));
        cv_buf_add(&out, e->with);
        from = e->at + e->n;
    }
    cv_buf_add(&out, cv_str_from(text, from));
    return cv_buf_take(&out, a);
}
