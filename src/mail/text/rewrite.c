/* rewrite.c - one pass over a text that is nearly JSON; see repair.h.
 *
 *     value -> object -> key ':' value ',' …        each function is at the first byte of what it reads,
 *           -> array  -> value ',' …                writes it to `out` and steps behind it
 *           -> string, number, word, placeholder
 *
 * Right tokens and white space are copied as they are. A comma is copied at once; when a bracket follows it becomes a
 * blank. Braces that a template doubled are counted where they open; where they close, as many are skipped as the
 * levels above can spare.
 */
#include "mail/text/rewrite.h"

#include "base/limits.h"
#include "base/utf8.h"

enum { MOST_DOUBLED = 4 }; /* braces too many before a first key; more is not a template's work */

typedef struct {
    cv_arena *arena;
    cv_mtext *ret;
    cv_err *err;
    cv_buf out;
    const char *begin; /* of the whole text: places count from here */
    const char *p, *end;
    int depth;
    bool line_passed; /* a line ended since the last token */
} pass;

static bool value(pass *s);

/* ---- refusing and noting ----------------------------------------------------------------------------------------- */

static void note(pass *s, cv_mtext_repair kind, const char *at, cv_str what)
{
    cv_mtext_note_add(&s->ret->notes, s->arena, kind, (size_t)(at - s->begin), what);
}

static bool refuse(pass *s, cv_mtext_state state, const char *at, const char *suggestion, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static bool refuse(pass *s, cv_mtext_state state, const char *at, const char *suggestion, const char *format, ...)
{
    size_t line = 1, column = 1;
    va_list args;
    va_start(args, format);
    cv_str message = cv_arena_vprintf(s->arena, format, args);
    va_end(args);
    cv_utf8_advance(cv_str_range(s->begin, at), &line, &column);
    s->ret->state = state;
    cv_err_at(s->err, CV_ERR_JSON, line, column, "%.*s", CV_FMT(message));
    cv_err_suggest(s->err, cv_str_of(suggestion));
    return false;
}

static bool torn(pass *s, const char *open, const char *what)
{
    return refuse(s, CV_MTEXT_TORN, open, "write it to its end", "the text ends inside this %s", what);
}

/* A word or one character, for messages. */
static cv_str token(const pass *s)
{
    const char *p = s->p;
    while (p < s->end && p - s->p < 40 && (cv_is_alnum(*p) || *p == '_'))
        p++;
    if (p == s->p && p < s->end)
        p += cv_utf8_first(cv_str_range(p, s->end));
    return cv_str_range(s->p, p);
}

static bool unexpected(pass *s, const char *expected)
{
    if (s->p == s->end)
        return refuse(s, CV_MTEXT_TORN, s->p, "write it to its end", "expected %s, found the end of the text",
                      expected);
    return refuse(s, CV_MTEXT_DAMAGED, s->p, "correct the text at this place", "expected %s, found '%.*s'", expected,
                  CV_FMT(token(s)));
}

/* ---- between tokens ---------------------------------------------------------------------------------------------- */

static bool at_text(const pass *s, const char *z)
{
    return cv_str_starts(cv_str_range(s->p, s->end), cv_str_of(z));
}

/* An editor's "..." stands for text that is not here. */
static bool left_out(pass *s, const char *at)
{
    return refuse(s, CV_MTEXT_DAMAGED, at, "write the whole text", "an editor left out text here");
}

static bool comment(pass *s)
{
    const char *at = s->p;
    bool block = at_text(s, "/*");
    cv_str rest = cv_str_range(s->p, s->end);
    size_t n = block ? cv_str_find(cv_str_from(rest, 2), CV_STR("*/")) : 0;
    while (!block && n < rest.n && rest.p[n] != '\n' && rest.p[n] != '\r')
        n++;
    if (block && n == SIZE_MAX)
        return torn(s, at, "comment");
    n += block ? 4 : 0;
    cv_str inside = cv_str_head(rest, n);
    while (inside.n && (cv_is_space(*inside.p) || *inside.p == '/' || *inside.p == '*' || *inside.p == '#'))
        inside = cv_str_from(inside, 1);
    if (cv_str_starts(inside, CV_STR("...")) || cv_str_starts(inside, CV_STR("\u2026")))
        return left_out(s, at);
    note(s, CV_MTEXT_REPAIR_COMMENT, at, (cv_str){0});
    for (; s->p < at + n; s->p++)
        if (*s->p == '\n')
            cv_buf_add_char(&s->out, '\n');
    return true;
}

/* Spaces that look like one: no-break, thin, ideographic, zero width, line and paragraph separators. */
static size_t odd_space(const pass *s)
{
    static const cv_str spaces[] = {
        CV_STR_INIT("\u00a0"), CV_STR_INIT("\u2007"), CV_STR_INIT("\u2009"), CV_STR_INIT("\u200b"),
        CV_STR_INIT("\u2028"), CV_STR_INIT("\u2029"), CV_STR_INIT("\u202f"), CV_STR_INIT("\u3000"),
        CV_STR_INIT("\ufeff"), CV_STR_INIT("\v"),     CV_STR_INIT("\f"),
    };
    for (size_t i = 0; i < CV_COUNT(spaces); i++)
        if (cv_str_starts(cv_str_range(s->p, s->end), spaces[i]))
            return spaces[i].n;
    return 0;
}

/* To the next token: white space is copied, comments go. */
static bool skip(pass *s)
{
    size_t n;
    while (s->p < s->end) {
        if (*s->p == ' ' || *s->p == '\t' || *s->p == '\r' || *s->p == '\n') {
            s->line_passed |= *s->p == '\n';
            cv_buf_add_char(&s->out, *s->p++);
        } else if (at_text(s, "//") || at_text(s, "/*") || *s->p == '#') {
            if (!comment(s))
                return false;
        } else if ((n = odd_space(s)) > 0) {
            note(s, CV_MTEXT_REPAIR_SPACE, s->p, (cv_str){0});
            cv_buf_add_char(&s->out, ' ');
            s->p += n;
        } else {
            break;
        }
    }
    return true;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* Quotes that open a string and those that close it; the first is JSON's own. A later row goes before an earlier one.
 */
static const struct {
    cv_str open;
    cv_str close[3];
} quotes[] = {
    {CV_STR_INIT("\""), {CV_STR_INIT("\"")}},
    {CV_STR_INIT("'"), {CV_STR_INIT("'")}},
    {CV_STR_INIT("\u201c"), {CV_STR_INIT("\u201d"), CV_STR_INIT("\u201c"), CV_STR_INIT("\"")}},
    {CV_STR_INIT("\u201d"), {CV_STR_INIT("\u201d"), CV_STR_INIT("\u201c"), CV_STR_INIT("\"")}},
    {CV_STR_INIT("\u201e"), {CV_STR_INIT("\u201c"), CV_STR_INIT("\u201d"), CV_STR_INIT("\"")}},
    {CV_STR_INIT("\u2018"), {CV_STR_INIT("\u2019"), CV_STR_INIT("\u2018")}},
    {CV_STR_INIT("\u2019"), {CV_STR_INIT("\u2019"), CV_STR_INIT("\u2018")}},
    {CV_STR_INIT("\u00ab"), {CV_STR_INIT("\u00bb")}},
    {CV_STR_INIT("\uff02"), {CV_STR_INIT("\uff02")}},
    {CV_STR_INIT("`"), {CV_STR_INIT("`")}},
    {CV_STR_INIT("\"\"\""), {CV_STR_INIT("\"\"\"")}},
};

static int quote_at(const pass *s)
{
    int i = (int)CV_COUNT(quotes) - 1;
    while (i >= 0 && !cv_str_starts(cv_str_range(s->p, s->end), quotes[i].open))
        i--;
    return i;
}

static size_t closes(const pass *s, int quote)
{
    for (size_t i = 0; i < CV_COUNT(quotes[quote].close) && quotes[quote].close[i].n; i++)
        if (cv_str_starts(cv_str_range(s->p, s->end), quotes[quote].close[i]))
            return quotes[quote].close[i].n;
    return 0;
}

static bool is_hex4(cv_str s)
{
    for (size_t i = 0; i < 4; i++) {
        char c = i < s.n ? cv_lower(s.p[i]) : 'x';
        if (!cv_is_digit(c) && !(c >= 'a' && c <= 'f'))
            return false;
    }
    return true;
}

/* A backslash in a string, which is not the last byte of the text. */
static void escape(pass *s)
{
    char bytes[4];
    size_t used;
    cv_str at = cv_str_range(s->p, s->end);
    if (cv_json_escape(at, bytes, &used)) {
        cv_buf_add(&s->out, cv_str_head(at, used));
        s->p += used;
    } else if (s->p[1] == '\'') {
        note(s, CV_MTEXT_REPAIR_ESCAPE, s->p, (cv_str){0});
        cv_buf_add_char(&s->out, '\'');
        s->p += 2;
    } else if (s->p[1] == 'u' && is_hex4(cv_str_from(at, 2))) {
        note(s, CV_MTEXT_REPAIR_SURROGATE, s->p, (cv_str){0});
        cv_buf_add_z(&s->out, "\\ufffd");
        s->p += 6;
    } else {
        note(s, CV_MTEXT_REPAIR_ESCAPE, s->p, (cv_str){0});
        cv_buf_add_z(&s->out, "\\\\");
        s->p++;
    }
}

static void control(pass *s)
{
    static const char letters[0x20] = {['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    unsigned char c = (unsigned char)*s->p;
    note(s, CV_MTEXT_REPAIR_CONTROL, s->p, (cv_str){0});
    if (letters[c])
        cv_buf_printf(&s->out, "\\%c", letters[c]);
    else
        cv_buf_printf(&s->out, "\\u%04x", (unsigned)c);
    s->p++;
}

static bool string(pass *s, int quote)
{
    const char *open = s->p;
    if (quote)
        note(s, CV_MTEXT_REPAIR_QUOTES, s->p, (cv_str){0});
    s->p += quotes[quote].open.n;
    cv_buf_add_char(&s->out, '"');
    size_t n = 0;
    while (s->p < s->end && (n = closes(s, quote)) == 0) {
        if (*s->p == '\\' && s->p + 1 < s->end)
            escape(s);
        else if ((unsigned char)*s->p < 0x20)
            control(s);
        else if (*s->p == '\\')
            return torn(s, open, "string");
        else if (*s->p == '"')
            cv_buf_add_z(&s->out, "\\\""), s->p++;
        else
            cv_buf_add_char(&s->out, *s->p++);
    }
    if (s->p == s->end)
        return torn(s, open, "string");
    s->p += n;
    cv_buf_add_char(&s->out, '"');
    return true;
}

/* `text`, which has no quotes of its own, as a string. */
static void put_string(pass *s, cv_str text)
{
    cv_json_str(&(cv_json_writer){.out = &s->out}, text);
    s->p = cv_str_end(text);
}

/* ---- numbers and words ------------------------------------------------------------------------------------------- */

static bool is_token_byte(char c)
{
    return cv_is_alnum(c) || c == '_' || c == '.' || c == '-' || c == '+' || c == ':';
}

static cv_str whole_token(const pass *s)
{
    const char *p = s->p;
    while (p < s->end && is_token_byte(*p))
        p++;
    return cv_str_range(s->p, p);
}

static bool is_number(cv_str t)
{
    return t.n && (cv_is_digit(t.p[0]) || t.p[0] == '-') && cv_json_is_valid(t, 1);
}

static bool number(pass *s)
{
    cv_str t = whole_token(s), rest = cv_str_from(t, t.n && (t.p[0] == '+' || t.p[0] == '-'));
    if (is_number(t)) {
        cv_buf_add(&s->out, t);
        s->p += t.n;
        return true;
    }
    if (rest.n == 0 || (rest.n == 1 && rest.p[0] == '.') || cv_str_starts(rest, CV_STR("..")))
        return cv_str_starts(rest, CV_STR("..")) ? left_out(s, s->p) : unexpected(s, "a number");
    note(s, CV_MTEXT_REPAIR_NUMBER, s->p, t);
    cv_str spelled = cv_arena_printf(s->arena, "%s%s%.*s%s", t.p[0] == '-' ? "-" : "", rest.p[0] == '.' ? "0" : "",
                                     CV_FMT(rest), rest.p[rest.n - 1] == '.' ? "0" : "");
    if (is_number(spelled)) {
        cv_buf_add(&s->out, spelled);
        s->p += t.n;
    } else {
        put_string(s, t);
    }
    return true;
}

static const struct {
    cv_str found, json;
} words[] = {
    {CV_STR_INIT("True"), CV_STR_INIT("true")},      {CV_STR_INIT("False"), CV_STR_INIT("false")},
    {CV_STR_INIT("None"), CV_STR_INIT("null")},      {CV_STR_INIT("TRUE"), CV_STR_INIT("true")},
    {CV_STR_INIT("FALSE"), CV_STR_INIT("false")},    {CV_STR_INIT("NULL"), CV_STR_INIT("null")},
    {CV_STR_INIT("Null"), CV_STR_INIT("null")},      {CV_STR_INIT("nil"), CV_STR_INIT("null")},
    {CV_STR_INIT("undefined"), CV_STR_INIT("null")}, {CV_STR_INIT("NaN"), CV_STR_INIT("null")},
    {CV_STR_INIT("Infinity"), CV_STR_INIT("null")},  {CV_STR_INIT("-Infinity"), CV_STR_INIT("null")},
};

/* true, false or null in another language. */
static bool foreign_word(pass *s, cv_str t)
{
    for (size_t i = 0; i < CV_COUNT(words); i++)
        if (cv_str_eq(t, words[i].found)) {
            note(s, CV_MTEXT_REPAIR_WORD, s->p, t);
            cv_buf_add(&s->out, words[i].json);
            s->p += t.n;
            return true;
        }
    return false;
}

/* A value that begins with a letter: one of JSON's words, the same in another language, a call, or a text without
 * quotes, which is one word and ends where a value may end. */
static bool word(pass *s)
{
    size_t call = cv_mtext_call_at(cv_str_range(s->p, s->end));
    cv_str t = call ? (cv_str){s->p, call} : whole_token(s);
    if (cv_str_eq(t, CV_STR("true")) || cv_str_eq(t, CV_STR("false")) || cv_str_eq(t, CV_STR("null"))) {
        cv_buf_add(&s->out, t);
        s->p += t.n;
        return true;
    }
    if (foreign_word(s, t))
        return true;
    const char *behind = s->p + t.n;
    while (behind < s->end && (*behind == ' ' || *behind == '\t' || *behind == '\r'))
        behind++;
    if (behind == s->end)
        return torn(s, s->p, "word");
    if (*behind != ',' && *behind != '}' && *behind != ']' && *behind != '\n')
        return unexpected(s, "a value");
    note(s, call ? CV_MTEXT_REPAIR_PLACEHOLDER : CV_MTEXT_REPAIR_BARE_WORD, s->p, t);
    put_string(s, t);
    return true;
}

/* ---- arrays and objects ------------------------------------------------------------------------------------------ */

static bool enter(pass *s, char bracket)
{
    if (s->depth == CV_MAX_JSON_DEPTH)
        return refuse(s, CV_MTEXT_DAMAGED, s->p, "nest less deeply",
                      "arrays and objects are nested deeper than %d levels", (int)CV_MAX_JSON_DEPTH);
    s->depth++;
    s->p++;
    cv_buf_add_char(&s->out, bracket);
    return true;
}

static void leave(pass *s, char bracket)
{
    s->depth--;
    s->p++;
    cv_buf_add_char(&s->out, bracket);
}

/* Commas with nothing before them. */
static bool extra_commas(pass *s)
{
    while (s->p < s->end && *s->p == ',') {
        note(s, CV_MTEXT_REPAIR_EXTRA_COMMA, s->p, (cv_str){0});
        s->p++;
        if (!skip(s))
            return false;
    }
    return true;
}

/* Behind a value: the comma, or the bracket that is not stepped over. Then *ret_end. */
static bool comma(pass *s, char bracket, const char *open, bool *ret_end)
{
    s->line_passed = false;
    if (!skip(s))
        return false;
    if (s->p == s->end)
        return torn(s, open, bracket == ']' ? "array" : "object");
    *ret_end = *s->p == bracket;
    if (*ret_end)
        return true;
    if (*s->p != ',') {
        bool begins = quote_at(s) >= 0 || cv_is_alnum(*s->p) || *s->p == '{' || *s->p == '[' || *s->p == '-';
        if (!s->line_passed || !begins)
            return unexpected(s, bracket == ']' ? "',' or ']'" : "',' or '}'");
        note(s, CV_MTEXT_REPAIR_MISSING_COMMA, s->p, (cv_str){0});
        cv_buf_add_char(&s->out, ',');
        return true;
    }
    const char *at = s->p++;
    size_t written = s->out.n;
    cv_buf_add_char(&s->out, ',');
    if (!skip(s) || !extra_commas(s))
        return false;
    *ret_end = s->p < s->end && *s->p == bracket;
    if (*ret_end) {
        note(s, CV_MTEXT_REPAIR_TRAILING_COMMA, at, (cv_str){0});
        if (cv_buf_ok(&s->out))
            s->out.p[written] = ' ';
    }
    return true;
}

static bool array(pass *s)
{
    const char *open = s->p;
    bool end = false;
    if (!enter(s, '[') || !skip(s) || !extra_commas(s))
        return false;
    if (s->p < s->end && *s->p == ']')
        end = true;
    while (!end) {
        if (s->p == s->end)
            return torn(s, open, "array");
        if (!value(s) || !comma(s, ']', open, &end))
            return false;
    }
    leave(s, ']');
    return true;
}

static bool key(pass *s)
{
    int quote = quote_at(s);
    if (quote >= 0)
        return string(s, quote);
    const char *p = s->p;
    if (p < s->end && (cv_is_alpha(*p) || *p == '_' || *p == '$'))
        while (p < s->end && (cv_is_alnum(*p) || *p == '_' || *p == '$' || *p == '-'))
            p++;
    if (p == s->p && (at_text(s, "...") || at_text(s, "\u2026")))
        return left_out(s, p);
    if (p == s->p && *p == '%')
        return refuse(s, CV_MTEXT_FOREIGN, p, "render the template first", "a block of a template was never rendered");
    if (p == s->p)
        return unexpected(s, "a key");
    note(s, CV_MTEXT_REPAIR_UNQUOTED_KEY, s->p, cv_str_range(s->p, p));
    put_string(s, cv_str_range(s->p, p));
    return true;
}

static bool member(pass *s)
{
    if (!key(s) || !skip(s))
        return false;
    if (s->p == s->end || *s->p != ':')
        return unexpected(s, "':' after a key");
    s->p++;
    cv_buf_add_char(&s->out, ':');
    return skip(s) && value(s);
}

/* Behind the '}' of an object whose '{' was doubled: may the next '}' go with it? At the end of the text only if the
 * levels above have one each; elsewhere if it follows at once. */
static bool spare_brace(const pass *s)
{
    const char *p = s->p;
    int run = 0;
    for (; p < s->end && (*p == '}' || cv_is_space(*p)); p++)
        run += *p == '}';
    return p == s->end ? run > s->depth : run > 0 && s->p < s->end && *s->p == '}';
}

static void close_object(pass *s, int doubled)
{
    leave(s, '}');
    for (; doubled > 0 && spare_brace(s); doubled--) {
        while (*s->p != '}')
            cv_buf_add_char(&s->out, *s->p++);
        s->p++;
    }
}

static bool object(pass *s)
{
    const char *open = s->p;
    int doubled = 0;
    bool end = false;
    if (!enter(s, '{') || !skip(s))
        return false;
    for (; s->p < s->end && *s->p == '{' && doubled < MOST_DOUBLED; doubled++) {
        note(s, CV_MTEXT_REPAIR_DOUBLED_BRACE, s->p, (cv_str){0});
        s->p++;
        if (!skip(s))
            return false;
    }
    if (!extra_commas(s))
        return false;
    end = s->p < s->end && *s->p == '}';
    while (!end) {
        if (s->p == s->end)
            return torn(s, open, "object");
        if (!member(s) || !comma(s, '}', open, &end))
            return false;
    }
    close_object(s, doubled);
    return true;
}

static bool value(pass *s)
{
    if (s->p == s->end)
        return unexpected(s, "a value");
    size_t placeholder = cv_mtext_placeholder_at(cv_str_range(s->p, s->end));
    int quote = quote_at(s);
    if (placeholder) {
        note(s, CV_MTEXT_REPAIR_PLACEHOLDER, s->p, (cv_str){s->p, placeholder});
        put_string(s, (cv_str){s->p, placeholder});
        return true;
    }
    if (quote >= 0)
        return string(s, quote);
    if (*s->p == '{')
        return object(s);
    if (*s->p == '[')
        return array(s);
    if (at_text(s, "...") || at_text(s, "\u2026"))
        return left_out(s, s->p);
    if (cv_is_digit(*s->p) || *s->p == '-' || *s->p == '+' || *s->p == '.')
        return foreign_word(s, whole_token(s)) || number(s);
    return cv_is_alpha(*s->p) ? word(s) : unexpected(s, "a value");
}

/* ---- before and behind the value --------------------------------------------------------------------------------- */

/* What the first line looks like when it is not JSON. */
static const char *language(cv_str s)
{
    static const struct {
        cv_str begins;
        const char *language;
    } rows[] = {
        {CV_STR_INIT("---"), "YAML"},       {CV_STR_INIT("%YAML"), "YAML"},    {CV_STR_INIT("- "), "YAML"},
        {CV_STR_INIT("import "), "Python"}, {CV_STR_INIT("from "), "Python"},  {CV_STR_INIT("def "), "Python"},
        {CV_STR_INIT("class "), "Python"},  {CV_STR_INIT("print("), "Python"}, {CV_STR_INIT("<"), "HTML or XML"},
        {CV_STR_INIT("**"), "Markdown"},    {CV_STR_INIT("> "), "Markdown"},   {CV_STR_INIT("|"), "Markdown"},
    };
    for (size_t i = 0; i < CV_COUNT(rows); i++)
        if (cv_str_starts(s, rows[i].begins))
            return rows[i].language;
    size_t n = 0;
    while (n < s.n && (cv_is_alnum(s.p[n]) || s.p[n] == '_' || s.p[n] == '-' || s.p[n] == '.'))
        n++;
    cv_str behind = cv_str_trim_left(cv_str_head(cv_str_from(s, n), 80));
    if (n && n < s.n && s.p[n] == ':' && (n + 1 == s.n || cv_is_space(s.p[n + 1])))
        return "YAML";
    return n && cv_str_starts(behind, CV_STR("=")) ? "Python" : "text";
}

/* The line that an object begins on, behind prose; NULL: there is none, or what is before it is not prose. */
static const char *behind_prose(const pass *s)
{
    bool begins = false;
    if (!cv_str_eq(cv_str_of(language(cv_str_range(s->p, s->end))), CV_STR("text")))
        return NULL;
    for (const char *p = s->p; p < s->end; p++) {
        if (begins && *p == '{')
            return p;
        if (strchr("{}[]\"=`<>", *p))
            return NULL;
        begins = *p == '\n' || (begins && cv_is_space(*p));
    }
    return NULL;
}

static bool head(pass *s)
{
    const char *first = s->p;
    while (first < s->end && cv_is_space(*first))
        first++;
    if (!skip(s))
        return false;
    if (s->p == s->end)
        return refuse(s, CV_MTEXT_EMPTY, first, "write the message", "there are only comments");
    if (*s->p == '{' || *s->p == '[' || quote_at(s) >= 0)
        return true;
    const char *object = behind_prose(s);
    if (object) {
        cv_str rest = cv_str_range(s->p, object);
        note(s, CV_MTEXT_REPAIR_TEXT_BEFORE, s->p, cv_str_head(rest, cv_str_find_char(rest, '\n')));
        s->p = object;
        return true;
    }
    bool heading = *first == '#' && s->p > first;
    return refuse(s, CV_MTEXT_FOREIGN, first, "write one JSON object", "expected JSON, found %s",
                  heading && cv_str_eq(cv_str_of(language(cv_str_range(s->p, s->end))), CV_STR("text"))
                      ? "Markdown"
                      : language(cv_str_range(s->p, s->end)));
}

static bool is_all_closing(cv_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!cv_is_space(s.p[i]) && s.p[i] != '}' && s.p[i] != ']' && s.p[i] != ',' && s.p[i] != ';')
            return false;
    return true;
}

/* Behind the value: nothing, brackets that close nothing, or prose. What has marks of a language in it is not prose. */
static bool tail(pass *s)
{
    if (!skip(s))
        return false;
    cv_str rest = cv_str_range(s->p, s->end);
    if (rest.n == 0)
        return true;
    if (is_all_closing(rest)) {
        bool comma_only = rest.p[0] == ',' && cv_str_trim(rest).n == 1;
        note(s, comma_only ? CV_MTEXT_REPAIR_TRAILING_COMMA : CV_MTEXT_REPAIR_EXTRA_CLOSE, s->p, (cv_str){0});
        return true;
    }
    if (rest.p[0] == '{' || rest.p[0] == '[' || rest.p[0] == '"' || rest.p[0] == ',')
        return refuse(s, CV_MTEXT_DAMAGED, s->p, "write one message into one file", "a second value follows the first");
    for (size_t i = 0; i < rest.n; i++)
        if (strchr("{}[]\"=", rest.p[i]))
            return refuse(s, CV_MTEXT_FOREIGN, s->p, "write the JSON alone", "%s follows the value", language(rest));
    note(s, CV_MTEXT_REPAIR_TEXT_AFTER, s->p, cv_str_head(rest, cv_str_find_char(rest, '\n')));
    return true;
}

bool cv_mtext_rewrite(cv_arena *a, cv_str whole, cv_str text, cv_mtext *ret, cv_err *err)
{
    pass s = {.arena = a, .ret = ret, .err = err, .begin = whole.p, .p = text.p, .end = cv_str_end(text)};
    bool ok = head(&s) && value(&s) && tail(&s);
    if (ok && !cv_buf_ok(&s.out))
        ok = refuse(&s, CV_MTEXT_DAMAGED, s.p, "write less", "the text is too long to be repaired");
    if (ok)
        ret->text = cv_buf_take(&s.out, a);
    cv_buf_release(&s.out);
    return ok;
}
