/* lines.c - reading JSON Lines; see lines.h. */
#include "mail/text/lines.h"

#include "mail/text/message.h"

static bool is_blank_or_nul(cv_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != 0 && !cv_is_space(s.p[i]))
            return false;
    return true;
}

static cv_mtext_line *add_line(cv_arena *a, cv_mtext_lines *ret, size_t number, cv_str bytes)
{
    cv_mtext_line *line = CV_PUSH(a, &ret->lines);
    *line = (cv_mtext_line){.number = number, .bytes = bytes};
    cv_err err = {.arena = a};
    if (!cv_mtext_read(a, bytes, &line->text, &err))
        line->reason = cv_err_text(&err);
    return line;
}

/* One array instead of lines: its items as they were written. */
static bool read_array(cv_arena *a, cv_str bytes, cv_mtext_lines *ret)
{
    cv_mtext text;
    cv_err err = {.arena = a};
    cv_str head = cv_str_trim_left(bytes);
    if (cv_str_starts(head, CV_STR("\xEF\xBB\xBF")))
        head = cv_str_trim_left(cv_str_from(head, 3));
    if (head.n == 0 || head.p[0] != '[' || !cv_mtext_read(a, bytes, &text, &err) || text.value.type != CV_JSON_ARRAY)
        return false;
    ret->form = CV_MTEXT_LINES_ARRAY;
    for (uint32_t i = 0; i < text.value.count; i++)
        add_line(a, ret, i + 1, cv_mtext_one_line(a, cv_mtext_raw(text.text, &text.value.items[i])));
    return true;
}

void cv_mtext_lines_read(cv_arena *a, cv_str bytes, cv_mtext_lines *ret)
{
    *ret = (cv_mtext_lines){.form = CV_MTEXT_LINES_WHOLE};
    if (is_blank_or_nul(bytes)) {
        bool nuls = cv_str_find_char(bytes, '\0') != SIZE_MAX;
        ret->form = nuls ? CV_MTEXT_LINES_NULS : CV_MTEXT_LINES_EMPTY;
        return;
    }
    if (read_array(a, bytes, ret))
        return;
    for (size_t at = 0, number = 1; at < bytes.n; number++) {
        cv_str rest = cv_str_from(bytes, at);
        size_t end = cv_str_find_char(rest, '\n');
        cv_str line = cv_str_head(rest, end);
        at += line.n + (end != SIZE_MAX);
        if (end != SIZE_MAX)
            ret->sound = at;
        if (is_blank_or_nul(line))
            continue;
        const cv_mtext_line *read = add_line(a, ret, number, line);
        bool comment = read->text.state == CV_MTEXT_EMPTY;
        if (comment)
            ret->lines.count--;
        else if (end == SIZE_MAX)
            ret->form = read->text.state <= CV_MTEXT_REPAIRED ? CV_MTEXT_LINES_UNFINISHED : CV_MTEXT_LINES_TORN;
    }
}
