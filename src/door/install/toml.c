/* toml.c - one table in somebody else's TOML file; see toml.h. */
#include "door/install/toml.h"

#include "base/buf.h"

/* ---- scanning --------------------------------------------------------------------------------------------------- */

static size_t line_end(cv_str text, size_t at)
{
    size_t end = cv_str_find_char(cv_str_from(text, at), '\n');
    return end == SIZE_MAX ? text.n : at + end + 1;
}

/* "[a.b]" with blanks and a comment around -> "a.b"; absent: the line is no header of a table. */
static cv_str header_of(cv_str line)
{
    line = cv_str_trim(line);
    size_t close = cv_str_find_char(line, ']');
    if (line.n < 2 || line.p[0] != '[' || line.p[1] == '[' || close == SIZE_MAX)
        return (cv_str){NULL, 0};
    return cv_str_trim(cv_str_range(line.p + 1, line.p + close));
}

static bool is_header(cv_str line)
{
    return cv_str_starts(cv_str_trim(line), CV_STR("["));
}

/* Behind the value that begins at `at`: it may be an array over several lines, or a text in three quotes. */
static size_t value_end(cv_str text, size_t at)
{
    static const char *const quotes[] = {"\"\"\"", "'''", "\"", "'"};
    size_t depth = 0;
    while (at < text.n) {
        cv_str rest = cv_str_from(text, at);
        size_t q = 0;
        while (q < CV_COUNT(quotes) && !cv_str_starts(rest, cv_str_of(quotes[q])))
            q++;
        if (q < CV_COUNT(quotes)) {
            at += strlen(quotes[q]);
            while (at < text.n && !cv_str_starts(cv_str_from(text, at), cv_str_of(quotes[q])))
                at += text.p[at] == '\\' && quotes[q][0] == '"' ? 2 : 1;
            at += strlen(quotes[q]);
            continue;
        }
        char c = text.p[at];
        depth += c == '[' || c == '{';
        depth -= (c == ']' || c == '}') && depth > 0;
        if (c == '#')
            at = line_end(text, at) - 1;
        if (depth == 0 && at < text.n && text.p[at] == '\n')
            return at + 1;
        at++;
    }
    return text.n;
}

/* Where the table begins and ends; false: there is none. Ends before what belongs to the next one. */
static bool find_table(cv_str text, cv_str table, size_t *ret_start, size_t *ret_body, size_t *ret_end)
{
    bool inside = false;
    for (size_t at = 0; at < text.n;) {
        size_t end = line_end(text, at);
        cv_str line = cv_str_range(text.p + at, text.p + end);
        if (is_header(line)) {
            if (inside)
                return *ret_end = at, true;
            inside = cv_str_eq(header_of(line), table);
            if (inside) {
                *ret_start = at;
                *ret_body = end;
            }
            at = end;
        } else {
            size_t equals = cv_str_find_char(line, '=');
            bool comment = cv_str_starts(cv_str_trim(line), CV_STR("#"));
            at = equals == SIZE_MAX || comment ? end : value_end(text, at + equals + 1);
        }
    }
    *ret_end = text.n;
    return inside;
}

/* The entry `key` between body and end; false: there is none. */
static bool find_entry(cv_str text, size_t body, size_t end, cv_str key, size_t *ret_start, size_t *ret_end)
{
    for (size_t at = body; at < end;) {
        size_t stop = line_end(text, at);
        cv_str line = cv_str_range(text.p + at, text.p + stop);
        size_t equals = cv_str_find_char(line, '=');
        bool comment = cv_str_starts(cv_str_trim(line), CV_STR("#"));
        if (equals != SIZE_MAX && !comment)
            stop = value_end(text, at + equals + 1);
        if (equals != SIZE_MAX && !comment && cv_str_eq(cv_str_trim(cv_str_head(line, equals)), key)) {
            *ret_start = at;
            *ret_end = stop;
            return true;
        }
        at = stop;
    }
    return false;
}

/* ---- changing --------------------------------------------------------------------------------------------------- */

static cv_str replace(cv_arena *a, cv_str text, size_t from, size_t to, cv_str with)
{
    return cv_arena_join(a, cv_arena_join(a, cv_str_head(text, from), with), cv_str_from(text, to));
}

static cv_str entry_line(cv_arena *a, const cv_toml_entry *e)
{
    return cv_arena_printf(a, "%.*s = %.*s\n", CV_FMT(e->key), CV_FMT(e->value));
}

static cv_str append(cv_arena *a, cv_str text, cv_str table, const cv_toml_entry *entries, size_t count)
{
    cv_buf out = {0};
    cv_buf_add(&out, text);
    if (text.n > 0 && text.p[text.n - 1] != '\n')
        cv_buf_add_char(&out, '\n');
    if (text.n > 0)
        cv_buf_add_char(&out, '\n');
    cv_buf_printf(&out, "[%.*s]\n", CV_FMT(table));
    for (size_t i = 0; i < count; i++)
        cv_buf_add(&out, entry_line(a, &entries[i]));
    return cv_buf_take(&out, a);
}

cv_str cv_toml_set(cv_arena *a, cv_str text, cv_str table, const cv_toml_entry *entries, size_t count)
{
    size_t start, body, end, from, to;
    if (!find_table(text, table, &start, &body, &end))
        return append(a, text, table, entries, count);
    if (text.p[body - 1] != '\n') { /* the header is all there is */
        text = cv_arena_join(a, text, CV_STR("\n"));
        body++;
    }
    for (size_t i = count; i-- > 0;) {
        find_table(text, table, &start, &body, &end);
        bool there = find_entry(text, body, end, entries[i].key, &from, &to);
        text = replace(a, text, there ? from : body, there ? to : body, entry_line(a, &entries[i]));
    }
    return text;
}

cv_str cv_toml_remove(cv_arena *a, cv_str text, cv_str table)
{
    cv_str below = cv_arena_printf(a, "%.*s.", CV_FMT(table));
    size_t start, body, end;
    while (find_table(text, table, &start, &body, &end)) {
        for (size_t at = end; at < text.n; at = end) { /* tables below it */
            cv_str header = header_of(cv_str_range(text.p + at, text.p + line_end(text, at)));
            if (!cv_str_starts(header, below) || !find_table(text, header, &at, &body, &end))
                break;
        }
        while (start > 1 && text.p[start - 1] == '\n' && text.p[start - 2] == '\n' && end == text.n)
            start--;
        text = replace(a, text, start, end, (cv_str){NULL, 0});
    }
    return text;
}
