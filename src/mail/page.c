/* page.c - mail for people: a few lines for each message, at most as wide as the terminal; see told.h.
 *
 *     7  new  muffin: run_test  3 min, urgent
 *        {"path":"test/"}
 *        01a1e56c-8902-7f9d-9051-2b0132a4d908
 */
#include "base/plain.h"
#include "mail/told.h"

enum { WIDTH = 80, BODY_LINES = 3 };

/* 90 -> "1 min"; the largest unit that fits. */
static cv_str age_of(cv_arena *a, int64_t seconds)
{
    static const struct {
        int64_t seconds;
        const char *word;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    for (size_t i = 0; i < CV_COUNT(units); i++)
        if (seconds >= units[i].seconds)
            return cv_arena_printf(a, "%lld %s", (long long)(seconds / units[i].seconds), units[i].word);
    return CV_STR("now");
}

/* The text of a message that is one, else its params. */
static cv_str body_of(cv_arena *a, const cv_mail_told *t)
{
    cv_json params;
    cv_err ignored = {.arena = a};
    if (t->is_cut)
        return cv_arena_printf(a, "(%lld bytes)", (long long)t->row.size);
    if (!t->params.p || cv_str_eq(t->params, CV_STR("{}")))
        return CV_STR("");
    if (cv_json_parse(a, t->params, &params, &ignored) && params.count == 1) {
        cv_str body = cv_json_get_text(&params, "body");
        return body.p ? body : t->params;
    }
    return t->params;
}

/* The first lines, broken at the width. */
static void add_body(cv_buf *out, cv_str body, size_t width, size_t indent)
{
    cv_str line;
    size_t lines = 0;
    while (lines < BODY_LINES && cv_str_split(&body, '\n', &line)) {
        cv_str fit = cv_plain_fit(line, width - indent - 1);
        if (line.n == 0)
            continue;
        cv_buf_printf(out, "%*s", (int)indent, "");
        cv_plain_add(out, fit);
        cv_buf_add_z(out, fit.n < line.n ? "…\n" : "\n");
        lines++;
    }
    if (body.n > 0 && lines == BODY_LINES)
        cv_buf_printf(out, "%*s…\n", (int)indent, "");
}

static void add_message(cv_buf *out, cv_arena *a, const cv_mail_told *t, size_t width)
{
    cv_buf head = {0};
    if (t->seq != CV_ABSENT)
        cv_buf_printf(&head, "%lld  ", (long long)t->seq);
    size_t indent = head.n;
    if (t->state.p)
        cv_buf_printf(&head, "%.*s  ", CV_FMT(t->state));
    cv_plain_add(&head, t->from);
    cv_buf_add_z(&head, ": ");
    cv_plain_add(&head, t->row.command);
    if (t->row.task_id.p) {
        cv_buf_add_z(&head, " (");
        cv_plain_add(&head, t->row.task_id);
        cv_buf_add_z(&head, ")");
    }
    cv_str tail =
        cv_arena_printf(a, "%.*s%s", CV_FMT(age_of(a, t->age_seconds)), t->row.priority == 1 ? ", urgent" : "");
    cv_str fit = cv_plain_fit(cv_buf_str(&head), width - tail.n - 2);
    cv_buf_add(out, fit);
    cv_buf_printf(out, "  %.*s\n", CV_FMT(tail));
    cv_buf_release(&head);
    add_body(out, body_of(a, t), width, indent ? indent : 2);
    cv_buf_printf(out, "%*s%.*s\n", (int)(indent ? indent : 2), "", CV_FMT(t->row.message_id));
    if (t->reason.p)
        cv_buf_printf(out, "%*s%.*s\n", (int)(indent ? indent : 2), "", CV_FMT(t->reason));
    for (size_t i = 0; i < t->receipts.count; i++)
        cv_buf_printf(out, "  %.*s: %.*s\n", CV_FMT(t->receipts.items[i].to), CV_FMT(t->receipts.items[i].state));
}

cv_str cv_mail_page(cv_call *call, const cv_mail_told_list *messages, const char *last)
{
    cv_buf out = {0};
    size_t width = call->width >= 40 ? call->width : WIDTH;
    for (size_t i = 0; i < messages->count; i++)
        add_message(&out, call->arena, &messages->items[i], width);
    cv_buf_add_z(&out, last);
    return cv_buf_take(&out, call->arena);
}
