/* edit.c - texts that are cut and mended; see edit.h. */
#include "door/install/edit.h"

#include "base/utf8.h"

size_t cv_edit_begin(cv_str text)
{
    static const cv_str mark = CV_STR_INIT("\xEF\xBB\xBF");
    return cv_str_starts(text, mark) ? mark.n : 0;
}

size_t cv_edit_break(cv_str text, size_t at)
{
    cv_str rest = cv_str_from(text, at);
    return cv_str_starts(rest, CV_STR("\n")) ? 1 : cv_str_starts(rest, CV_STR("\r\n")) ? 2 : 0;
}

cv_str cv_edit_line_break(cv_str text)
{
    size_t first = cv_str_find_char(text, '\n');
    bool two = first != SIZE_MAX && first > 0 && text.p[first - 1] == '\r';
    return two ? CV_STR("\r\n") : CV_STR("\n");
}

cv_str cv_edit_replace(cv_arena *a, cv_str text, size_t from, size_t to, cv_str with)
{
    return cv_arena_join(a, cv_arena_join(a, cv_str_head(text, from), with), cv_str_from(text, to));
}

bool cv_edit_fail(cv_err *err, cv_str text, size_t at, const char *what)
{
    size_t line = 1, column = 1;
    cv_utf8_advance(cv_str_from(cv_str_head(text, at), cv_edit_begin(text)), &line, &column);
    return cv_err_at(err, CV_ERR_JSON, line, column, "%s", what);
}
