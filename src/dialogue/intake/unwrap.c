/* unwrap.c - the text in an answer that is JSON; see unwrap.h. */
#include "dialogue/intake/unwrap.h"

#include "base/json.h"
#include "dialogue/intake/opening.h"
#include "dialogue/text/line.h"

typedef struct {
    const cv_speaker *who;
    cv_unwrapped *u;
    cv_str json;         /* the value that is read: a part of the source */
    const char *counted; /* up to here its lines are counted … */
    size_t line;         /* … and this is the line there */
    cv_buf text;
    cv_map taken; /* strings: clients tell the last one again as the result */
    bool marks;
} reader;

/* ---- which strings ----------------------------------------------------------------------------------------------- */

static bool has_marks(const cv_speaker *who, cv_str text)
{
    const cv_map made = {0};
    const cv_opening_reader r = {who, &made};
    cv_opening st;
    for (cv_str line; cv_str_split(&text, '\n', &line);)
        if (cv_opening_read(&r, line, &st) && !st.words.n)
            return true;
    return false;
}

/* A message of somebody else, or something that is not said. */
static bool is_foreign(const cv_json *object)
{
    static const char *const keys[] = {"role", "type", "author"};
    static const cv_str others[] = {CV_STR_INIT("user"),      CV_STR_INIT("system"),      CV_STR_INIT("developer"),
                                    CV_STR_INIT("tool"),      CV_STR_INIT("tool_use"),    CV_STR_INIT("tool_result"),
                                    CV_STR_INIT("thinking"),  CV_STR_INIT("reasoning"),   CV_STR_INIT("human"),
                                    CV_STR_INIT("tool_call"), CV_STR_INIT("tool-result"), CV_STR_INIT("function_call")};
    for (size_t i = 0; i < CV_COUNT(keys); i++) {
        cv_str word = cv_json_get_text(object, keys[i]);
        if (word.n && cv_words_find((cv_words){others, CV_COUNT(others)}, word) >= 0)
            return true;
    }
    return false;
}

static bool is_text(cv_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (strchr(" \n[", s.p[i]))
            return true;
    return false;
}

static size_t count_lines(const char *from, const char *to)
{
    size_t n = 0;
    for (; from < to; from++)
        n += *from == '\n';
    return n;
}

/* ---- one string -------------------------------------------------------------------------------------------------- */

static void put(reader *r, const char *at, cv_str bytes)
{
    *CV_PUSH(r->who->a, &r->u->runs) = (cv_unwrapped_run){r->text.n, (size_t)(at - r->u->source.p)};
    cv_buf_add(&r->text, bytes);
    for (size_t i = 0; i < bytes.n; i++)
        if (bytes.p[i] == '\n')
            *CV_PUSH(r->who->a, &r->u->lines) = r->line;
}

/* Walks over a string as it is written: what is between escapes is in the text as it is. */
static void put_escaped(reader *r, cv_str s)
{
    const char *from = s.p, *at = from, *end = cv_str_end(s);
    for (; at < end; from = at) {
        char bytes[4];
        size_t used;
        while (at < end && *at != '\\')
            at++;
        if (at > from)
            put(r, from, cv_str_range(from, at));
        if (at == end)
            break;
        size_t n = cv_json_escape(cv_str_range(at, end), bytes, &used);
        put(r, at, n ? (cv_str){bytes, n} : (cv_str){at, 1});
        at += n ? used : 1;
    }
}

static void put_string(reader *r, const cv_json *value)
{
    const char *from = r->json.p + value->offset + 1, *end = from;
    while (*end != '"')
        end += *end == '\\' ? 2 : 1;
    put_escaped(r, cv_str_range(from, end));
}

static void take_string(reader *r, const cv_json *value)
{
    bool is_new;
    if (!is_text(value->text))
        return;
    cv_map_put(&r->taken, r->who->a, value->text, &is_new);
    if (!is_new)
        return;
    r->marks = r->marks || has_marks(r->who, value->text);
    r->line += count_lines(r->counted, r->json.p + value->offset);
    r->counted = r->json.p + value->offset;
    for (size_t seen = r->text.n ? 0 : 2; seen < 2; seen++)
        put(r, r->json.p + value->offset, CV_STR("\n"));
    put_string(r, value);
}

static void take(reader *r, const cv_json *value)
{
    if (value->type == CV_JSON_STRING)
        take_string(r, value);
    if (value->type == CV_JSON_ARRAY)
        for (uint32_t i = 0; i < value->count; i++)
            take(r, &value->items[i]);
    if (value->type == CV_JSON_OBJECT && !is_foreign(value))
        for (uint32_t i = 0; i < value->count; i++)
            take(r, &value->members[i].value);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* ```json … ``` around everything goes. */
static cv_str without_fence(cv_str s)
{
    size_t open, close, first = cv_str_find_char(s, '\n'), last = s.n;
    while (last > 0 && s.p[last - 1] != '\n')
        last--;
    if (first == SIZE_MAX || last <= first + 1 || !cv_line_fence(cv_str_head(s, first), false, &open) ||
        !cv_line_fence(cv_str_from(s, last), true, &close))
        return s;
    return cv_str_trim(cv_str_range(s.p + first + 1, s.p + last));
}

static bool read_value(reader *r, cv_str json, size_t line)
{
    cv_err err = {.arena = r->who->a};
    cv_json value;
    if (!json.n || !strchr("{[\"", json.p[0]) || !cv_json_parse(r->who->a, json, &value, &err))
        return false;
    r->json = json;
    r->counted = json.p;
    r->line = line;
    take(r, &value);
    return true;
}

/* One value on each line. */
static bool read_lines(reader *r, cv_str json, size_t line)
{
    size_t count = 0;
    for (cv_str one; cv_str_split(&json, '\n', &one); line++) {
        one = cv_str_trim(one);
        if (one.n && (one.p[0] != '{' || !read_value(r, one, line)))
            return false;
        count += one.n > 0;
    }
    return count > 1;
}

static bool begins_like_json(cv_str s)
{
    cv_str next = cv_str_trim_left(cv_str_from(s, 1));
    return s.n > 2 && next.n && ((s.p[0] == '{' && next.p[0] == '"') || (s.p[0] == '[' && next.p[0] == '{'));
}

static void forget(reader *r)
{
    cv_buf_clear(&r->text);
    r->u->runs.count = r->u->lines.count = 0;
    r->taken = (cv_map){0};
    r->marks = false;
}

/* One line with "\n" where its lines should end: the inside of a string without its quotation marks. */
static bool read_inside(reader *r, cv_str s)
{
    if (cv_str_find_char(s, '\n') != SIZE_MAX || cv_str_find(s, CV_STR("]\\n")) == SIZE_MAX)
        return false;
    r->line = 1;
    put_escaped(r, s);
    r->marks = has_marks(r->who, cv_buf_str(&r->text));
    return r->marks;
}

cv_unwrap_result cv_unwrap(const cv_speaker *who, cv_str source, cv_unwrapped *ret)
{
    cv_str json = without_fence(cv_str_trim(source));
    reader r = {.who = who, .u = ret};
    *ret = (cv_unwrapped){.source = source};
    if (json.n < 2 || (!strchr("{[\"", json.p[0]) && cv_str_find(json, CV_STR("\\n")) == SIZE_MAX))
        return CV_UNWRAP_NOTHING;
    size_t line = 1 + count_lines(source.p, json.p);
    bool read = read_value(&r, json, line);
    if (!read) {
        forget(&r);
        read = read_lines(&r, json, line);
    }
    if (!read) {
        forget(&r);
        read = read_inside(&r, json);
    }
    *CV_PUSH(who->a, &ret->lines) = r.line;
    ret->text = cv_buf_take(&r.text, who->a);
    if (read)
        return r.marks ? CV_UNWRAP_TEXT : CV_UNWRAP_NOTHING;
    return begins_like_json(json) ? CV_UNWRAP_BROKEN : CV_UNWRAP_NOTHING;
}

size_t cv_unwrapped_place(const cv_unwrapped *u, size_t at)
{
    size_t low = 0, high = u->runs.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (u->runs.items[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return at;
    const cv_unwrapped_run *run = &u->runs.items[low - 1];
    size_t place = run->source + (at - run->at);
    return place < u->source.n ? place : u->source.n;
}

size_t cv_unwrapped_line(const cv_unwrapped *u, size_t line)
{
    return line && line <= u->lines.count ? u->lines.items[line - 1] : line;
}
