/* scalar.c - lines, keys and values; see reading.h.
 *
 *     message: "a \"b\""  # comment     the value is decoded once, its bytes are known
 *     message: |                        the lines that are indented more than the key
 *     message: plain: with a colon      to the end of the line, or to " #"
 */
#include "base/buf.h"
#include "base/utf8.h"
#include "notes/text/reading.h"

const cv_str cv_note_styles[CV_STYLE_COUNT] = {CV_STR_INIT("plain"),   CV_STR_INIT("double"), CV_STR_INIT("single"),
                                               CV_STR_INIT("literal"), CV_STR_INIT("folded"), CV_STR_INIT("broken")};

/* ---- lines ------------------------------------------------------------------------------------------------------- */

size_t cv_line_start(cv_str text, size_t offset)
{
    while (offset > 0 && text.p[offset - 1] != '\n')
        offset--;
    return offset;
}

size_t cv_line_before(cv_str text, size_t start)
{
    return start == 0 ? SIZE_MAX : cv_line_start(text, start - 1);
}

size_t cv_notes_line_of(cv_str text, size_t offset)
{
    size_t line = 1;
    const char *p = text.p, *end = text.p + (offset < text.n ? offset : text.n);
    while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        line++;
        p++;
    }
    return line;
}

size_t cv_notes_length(cv_str text)
{
    size_t count = 0;
    while (text.n) {
        size_t n = cv_utf8_first(text);
        text = cv_str_from(text, n ? n : 1);
        count++;
    }
    return count;
}

size_t cv_notes_indent(cv_str content)
{
    size_t n = 0;
    while (n < content.n && (content.p[n] == ' ' || content.p[n] == '\t'))
        n++;
    return n;
}

bool cv_notes_is_blank(cv_str content)
{
    return cv_str_trim(content).n == 0;
}

bool cv_notes_is_rule(cv_str content)
{
    return cv_str_eq(cv_str_trim(content), CV_STR("---"));
}

bool cv_notes_is_banner(cv_str content)
{
    cv_str s = cv_str_trim(content);
    if (s.n < 4 || !strchr("=-*#_", s.p[0]))
        return false;
    for (size_t i = 1; i < s.n; i++)
        if (s.p[i] != s.p[0])
            return false;
    return true;
}

/* "# x", "; x" and, as Lisp has it, ";; x": without the mark and one blank. */
static bool strip_line_comment(cv_notes_container container, cv_str line, cv_str *ret)
{
    cv_str s = cv_str_from(line, cv_notes_indent(line)), mark = cv_str_trim(cv_notes_containers[container].prefix);
    if (!cv_str_starts(s, mark))
        return false;
    s = cv_str_from(s, mark.n);
    while (container == CV_IN_SEMICOLON && cv_str_starts(s, mark))
        s = cv_str_from(s, mark.n);
    *ret = s.n && s.p[0] == ' ' ? cv_str_from(s, 1) : s;
    return true;
}

static bool strip_block(cv_str line, cv_str *ret)
{
    cv_str s = cv_str_from(line, cv_notes_indent(line));
    *ret = line;
    if (cv_str_find(s, CV_STR("*/")) != SIZE_MAX)
        return false;
    if (s.n && s.p[0] == '*') {
        s = cv_str_from(s, 1);
        *ret = s.n && s.p[0] == ' ' ? cv_str_from(s, 1) : s;
    }
    return true;
}

bool cv_notes_strip(cv_notes_container container, cv_str line, cv_str *ret_content)
{
    *ret_content = line;
    switch (container) {
    case CV_IN_BLOCK:
    case CV_IN_JSX:
        return strip_block(line, ret_content);
    case CV_IN_HTML:
        return cv_str_find(line, CV_STR("-->")) == SIZE_MAX;
    case CV_IN_DOCSTRING:
        return cv_str_find(line, CV_STR("\"\"\"")) == SIZE_MAX && cv_str_find(line, CV_STR("'''")) == SIZE_MAX;
    case CV_IN_DASHES:
    case CV_IN_HASH:
    case CV_IN_SLASHES:
    case CV_IN_SEMICOLON:
    case CV_IN_PERCENT:
        return strip_line_comment(container, line, ret_content);
    case CV_IN_BARE:
    case CV_IN_NONE:
    case CV_IN_COUNT:
        break;
    }
    return true;
}

static void look(cv_cursor *c)
{
    c->line = cv_line_at(c->text, c->line.start);
    if (!cv_cursor_ended(c) && !cv_notes_strip(c->container, cv_line_text(c->text, c->line), &c->content))
        c->limit = c->line.start;
}

cv_cursor cv_cursor_at(cv_arena *a, cv_str text, cv_notes_container container, cv_span range, size_t number)
{
    cv_cursor c = {.arena = a, .text = text, .container = container, .limit = range.end, .number = number};
    c.line.start = range.start;
    look(&c);
    return c;
}

bool cv_cursor_ended(const cv_cursor *c)
{
    return c->line.start >= c->limit;
}

void cv_cursor_next(cv_cursor *c)
{
    c->line.start = c->line.next;
    c->number++;
    look(c);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static bool is_key_char(char c)
{
    return cv_is_alnum(c) || c == '_' || c == '.' || c == '-';
}

bool cv_notes_split_key(cv_str content, bool item, cv_str *ret_key, cv_str *ret_rest)
{
    cv_str s = cv_str_from(content, cv_notes_indent(content));
    size_t n = 0;
    if (item && s.n >= 2 && s.p[0] == '-' && s.p[1] == ' ') {
        s = cv_str_from(s, 2);
        s = cv_str_from(s, cv_notes_indent(s));
    }
    if (!s.n || !(cv_is_alpha(s.p[0]) || s.p[0] == '_'))
        return false;
    while (n < s.n && is_key_char(s.p[n]))
        n++;
    if (n >= s.n || s.p[n] != ':' || (n + 1 < s.n && s.p[n + 1] != ' ' && s.p[n + 1] != '\t'))
        return false;
    *ret_key = cv_str_head(s, n);
    *ret_rest = cv_str_from(s, n + 1);
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void add_code(cv_buf *out, cv_str hex)
{
    uint32_t code = 0;
    char bytes[4];
    for (size_t i = 0; i < hex.n; i++) {
        char c = cv_lower(hex.p[i]);
        code = code * 16 + (uint32_t)(cv_is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        code = 0xFFFD;
    cv_buf_add(out, (cv_str){bytes, cv_utf8_put(code, bytes)});
}

static bool is_hex(cv_str s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (i >= s.n || !(cv_is_digit(s.p[i]) || (cv_lower(s.p[i]) >= 'a' && cv_lower(s.p[i]) <= 'f')))
            return false;
    return true;
}

/* One escape of a double-quoted text; what YAML does not know stays as it is. Returns how long it is. */
static size_t decode_escape(cv_buf *out, cv_str at)
{
    static const char from[] = "nrt\"\\/ 0abefv", to[] = "\n\r\t\"\\/ \0\a\b\x1b\f\v";
    size_t digits = at.n < 2 ? 0 : at.p[1] == 'x' ? 2 : at.p[1] == 'u' ? 4 : at.p[1] == 'U' ? 8 : 0;
    const char *known = at.n < 2 ? NULL : memchr(from, at.p[1], sizeof from - 1);
    if (digits && is_hex(cv_str_from(at, 2), digits)) {
        add_code(out, cv_str_head(cv_str_from(at, 2), digits));
        return 2 + digits;
    }
    if (known && to[known - from] != '\0') {
        cv_buf_add_char(out, to[known - from]);
        return 2;
    }
    cv_buf_add_char(out, '\\');
    return 1;
}

static cv_str decode_double(cv_arena *a, cv_str inside)
{
    cv_buf out = {0};
    if (!memchr(inside.p, '\\', inside.n))
        return inside;
    for (size_t i = 0; i < inside.n;) {
        if (inside.p[i] == '\\') {
            i += decode_escape(&out, cv_str_from(inside, i));
        } else {
            cv_buf_add_char(&out, inside.p[i++]);
        }
    }
    return cv_buf_take(&out, a);
}

static cv_str decode_single(cv_arena *a, cv_str inside)
{
    cv_buf out = {0};
    if (!memchr(inside.p, '\'', inside.n))
        return inside;
    for (size_t i = 0; i < inside.n; i++) {
        cv_buf_add_char(&out, inside.p[i]);
        i += inside.p[i] == '\'';
    }
    return cv_buf_take(&out, a);
}

/* The length of a quoted text with its quotes; 0: it is not closed. */
static size_t quoted_length(cv_str s)
{
    for (size_t i = 1; i < s.n; i++) {
        if (s.p[0] == '"' && s.p[i] == '\\') {
            i++;
        } else if (s.p[i] == s.p[0]) {
            if (s.p[0] == '"' || i + 1 >= s.n || s.p[i + 1] != '\'')
                return i + 1;
            i++;
        }
    }
    return 0;
}

/* Only a comment or nothing may be behind a closing quote; else the quotes are a part of a plain text. */
static bool ends_there(cv_str behind)
{
    cv_str rest = cv_str_trim(behind);
    return rest.n == 0 || (rest.p[0] == '#' && cv_notes_indent(behind) > 0);
}

static void read_plain(cv_note_field *f, cv_str text, cv_str s)
{
    size_t end = s.n;
    for (size_t i = 0; i + 1 < s.n && end == s.n; i++)
        if ((s.p[i] == ' ' || s.p[i] == '\t') && s.p[i + 1] == '#')
            end = i;
    f->has_comment = end < s.n;
    f->style = CV_STYLE_PLAIN;
    f->value = cv_str_trim_right(cv_str_head(s, end));
    f->value_at = (cv_span){(size_t)(s.p - text.p), (size_t)(s.p - text.p) + f->value.n};
}

static void read_quoted(cv_arena *a, cv_note_field *f, cv_str text, cv_str s)
{
    size_t n = quoted_length(s), at = (size_t)(s.p - text.p);
    cv_str rest = cv_str_trim_right(s);
    if (n == 0) {
        f->style = CV_STYLE_BROKEN;
        f->value = rest;
        f->value_at = (cv_span){at, at + rest.n};
    } else if (!ends_there(cv_str_from(s, n))) {
        read_plain(f, text, s);
    } else {
        cv_str inside = {s.p + 1, n - 2};
        f->style = s.p[0] == '"' ? CV_STYLE_DOUBLE : CV_STYLE_SINGLE;
        f->value = s.p[0] == '"' ? decode_double(a, inside) : decode_single(a, inside);
        f->value_at = (cv_span){at, at + n};
        f->has_comment = !cv_notes_is_blank(cv_str_from(s, n));
    }
}

/* "|", ">" with "+", "-" or a digit, and nothing else. */
static bool is_block_sign(cv_str s)
{
    size_t n = 1;
    if (!s.n || (s.p[0] != '|' && s.p[0] != '>'))
        return false;
    while (n < s.n && strchr("+-123456789", s.p[n]))
        n++;
    return ends_there(cv_str_from(s, n));
}

static void add_block_line(cv_buf *out, cv_str content, size_t indent, bool folded)
{
    bool at_break = out->n && out->p[out->n - 1] == '\n';
    if (out->n && !(folded && content.n && at_break))
        cv_buf_add_char(out, folded && content.n ? ' ' : '\n');
    cv_buf_add(out, cv_str_from(content, indent));
}

static void read_block(cv_cursor *c, cv_note_field *f, cv_str s, size_t indent)
{
    cv_buf out = {0};
    size_t inner = 0, end = c->line.end, next = c->line.next, blanks = 0;
    bool folded = s.p[0] == '>';
    f->style = folded ? CV_STYLE_FOLDED : CV_STYLE_LITERAL;
    for (cv_cursor_next(c); !cv_cursor_ended(c); cv_cursor_next(c)) {
        size_t own = cv_notes_indent(c->content);
        if (cv_notes_is_blank(c->content)) {
            blanks++;
            continue;
        }
        if (own <= indent || cv_notes_is_rule(c->content))
            break;
        inner = inner ? inner : own;
        for (; blanks; blanks--)
            add_block_line(&out, CV_STR(""), 0, folded);
        add_block_line(&out, cv_str_trim_right(c->content), own < inner ? own : inner, folded);
        end = c->line.end;
        next = c->line.next;
    }
    f->value = cv_buf_take(&out, c->arena);
    f->value_at = (cv_span){(size_t)(s.p - c->text.p), end};
    f->lines.end = next;
}

cv_note_field cv_notes_read_field(cv_cursor *c, cv_str key, cv_str rest, size_t indent)
{
    cv_note_field f = {.key = key, .field = cv_note_field_of(key), .line = c->number};
    cv_str s = cv_str_trim_right(cv_str_from(rest, cv_notes_indent(rest)));
    size_t key_at = (size_t)(key.p - c->text.p);
    f.key_at = (cv_span){key_at, key_at + key.n};
    f.lines = (cv_span){c->line.start, c->line.next};
    if (s.n && s.p[0] == '#') { /* a comment in the place of a value */
        f.has_comment = true;
        s = cv_str_head(s, 0);
    }
    if (is_block_sign(s)) {
        read_block(c, &f, s, indent);
        return f;
    }
    if (s.n && (s.p[0] == '"' || s.p[0] == '\''))
        read_quoted(c->arena, &f, c->text, s);
    else
        read_plain(&f, c->text, s.p ? s : rest);
    cv_cursor_next(c);
    return f;
}
