/* words.c - a command line as its words; see words.h. */
#include "kit/reach/words.h"

#include <assert.h>

#include "base/buf.h"
#include "base/utf8.h"

enum { MAX_LINE = 8000 }; /* bytes: with all its quotes it fits into the details of an agent */

typedef struct {
    cv_arena *a;
    cv_str line;
    size_t at;
    cv_err *err;
    cv_buf word;
    cv_texts words;
} splitter;

static bool bad(const splitter *s, size_t at, const char *what, const char *instead)
{
    assert(at <= s->line.n);
    size_t line = 1, column = 1;
    cv_utf8_advance(cv_str_head(s->line, at), &line, &column);
    cv_err_set(s->err, CV_ERR_INVALID_VALUE, "column %zu of the command: %s", column, what);
    cv_err_value(s->err, s->line);
    s->err->column = column;
    cv_err_suggest(s->err, cv_str_of(instead));
    return false;
}

static char peek(const splitter *s, size_t ahead)
{
    return s->at + ahead < s->line.n ? s->line.p[s->at + ahead] : '\0';
}

/* To a shell only these are; other white space is a part of a word. */
static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* How far it is to what follows, behind line ends that a backslash takes away. */
static size_t continued(const splitter *s, size_t ahead)
{
    while (peek(s, ahead) == '\\' && peek(s, ahead + 1) == '\n')
        ahead += 2;
    return ahead;
}

/* What means something else to a shell than to us. Nothing is run by one, so it would be passed on as it is. */
static const struct {
    char c;
    const char *what;
} shells[] = {
    {'|', "a pipe needs a shell"},          {'&', "'&' needs a shell"},
    {';', "several commands need a shell"}, {'\n', "several commands need a shell"},
    {'<', "a redirection needs a shell"},   {'>', "a redirection needs a shell"},
    {'(', "brackets need a shell"},         {')', "brackets need a shell"},
    {'*', "a pattern needs a shell"},       {'?', "a pattern needs a shell"},
    {'[', "a pattern needs a shell"},
};

static const char quote_it[] = "put it in single quotes to pass it on unchanged, or call a script";

/* A dollar sign stands for something only if something follows that a shell replaces. */
static bool is_variable(const splitter *s, bool quoted)
{
    char next = peek(s, continued(s, 1));
    return cv_is_alnum(next) || (next && strchr("_{(*@#?$!-", next)) || (!quoted && (next == '\'' || next == '"'));
}

static bool check_dollar(const splitter *s, bool quoted)
{
    if (peek(s, 0) == '`')
        return bad(s, s->at, "the output of a command needs a shell", quote_it);
    if (peek(s, 0) == '$' && is_variable(s, quoted))
        return bad(s, s->at, "a variable needs a shell", quote_it);
    return true;
}

static bool check_plain(const splitter *s, bool begins)
{
    char c = peek(s, 0);
    for (size_t i = 0; i < CV_COUNT(shells); i++)
        if (shells[i].c == c)
            return bad(s, s->at, shells[i].what, quote_it);
    if (begins && c == '~')
        return bad(s, s->at, "a home folder needs a shell", "write the whole path, or put it in single quotes");
    if (begins && c == '#')
        return bad(s, s->at, "a comment needs a shell", quote_it);
    return check_dollar(s, false);
}

static bool take_single(splitter *s)
{
    assert(peek(s, 0) == '\'');
    size_t start = s->at++;
    size_t end = cv_str_find_char(cv_str_from(s->line, s->at), '\'');
    if (end == SIZE_MAX)
        return bad(s, start, "this quote is not closed", "close it, or put a backslash before it");
    cv_buf_add(&s->word, cv_str_head(cv_str_from(s->line, s->at), end));
    s->at += end + 1;
    return true;
}

static bool take_double(splitter *s)
{
    size_t start = s->at++;
    for (; s->at < s->line.n; s->at++) {
        char c = peek(s, 0), next = peek(s, 1);
        if (c == '"') {
            s->at++;
            return true;
        }
        if (!check_dollar(s, true))
            return false;
        if (c == '\\' && next && strchr("$`\"\\\n", next)) {
            s->at++;
            if (next == '\n')
                continue; /* the line goes on */
            c = next;
        }
        cv_buf_add_char(&s->word, c);
    }
    return bad(s, start, "this quote is not closed", "close it, or put a backslash before it");
}

static bool take_escaped(splitter *s)
{
    if (s->at + 1 == s->line.n)
        return bad(s, s->at, "nothing follows this backslash", "leave it out, or write two of them");
    cv_buf_add_char(&s->word, peek(s, 1));
    s->at += 2;
    return true;
}

/* One word: everything up to a blank, with its quotes and backslashes taken off. */
static bool take_word(splitter *s)
{
    size_t start = s->at;
    bool ok = true;
    cv_buf_clear(&s->word);
    for (; ok && s->at < s->line.n && !is_blank(peek(s, 0)); s->at += continued(s, 0)) {
        switch (peek(s, 0)) {
        case '\'':
            ok = take_single(s);
            break;
        case '"':
            ok = take_double(s);
            break;
        case '\\':
            ok = take_escaped(s);
            break;
        default:
            ok = check_plain(s, s->at == start);
            cv_buf_add_char(&s->word, peek(s, 0));
            s->at++;
        }
    }
    *CV_PUSH(s->a, &s->words) = cv_arena_copy(s->a, cv_buf_str(&s->word));
    return ok;
}

/* NAME=value before a command sets a variable, if a shell reads it. */
static bool sets_variable(cv_str raw)
{
    size_t n = 0;
    while (n < raw.n && (cv_is_alpha(raw.p[n]) || raw.p[n] == '_' || (n > 0 && cv_is_digit(raw.p[n]))))
        n++;
    return n > 0 && n < raw.n && raw.p[n] == '=';
}

static bool take_all(splitter *s)
{
    for (;;) {
        s->at += continued(s, 0);
        while (is_blank(peek(s, 0)))
            s->at += continued(s, 1);
        if (s->at == s->line.n)
            break;
        if (s->words.count == 0 && sets_variable(cv_str_from(s->line, s->at)))
            return bad(s, s->at, "setting a variable needs a shell",
                       "set it before you call Conclave, and name it in env");
        if (!take_word(s))
            return false;
    }
    return (s->words.count > 0 && s->words.items[0].n > 0) ||
           bad(s, 0, "there is no command", "name a program, like: claude -p");
}

bool cv_command_split(cv_arena *a, cv_str line, cv_words *ret_words, cv_err *err)
{
    splitter s = {.a = a, .line = line, .err = err};
    while (s.line.n > 0 && (is_blank(s.line.p[s.line.n - 1]) || s.line.p[s.line.n - 1] == '\n'))
        s.line.n--;
    if (line.n > MAX_LINE)
        return cv_err_set(err, CV_ERR_TOO_LARGE, "the command has %zu bytes, at most %d are allowed", line.n, MAX_LINE);
    if (cv_str_find_char(line, '\0') != SIZE_MAX || cv_utf8_valid(line) < line.n)
        return bad(&s, 0, "a command is text without NUL bytes", "write it in UTF-8");
    if (line.n > s.line.n && s.line.n > 0 && s.line.p[s.line.n - 1] == '\\')
        s.line.n++; /* the blank behind a backslash belongs to it */
    bool ok = take_all(&s);
    cv_buf_release(&s.word);
    *ret_words = (cv_words){s.words.items, s.words.count};
    return ok;
}

/* ---- and back ---------------------------------------------------------------------------------------------------- */

static bool is_plain(cv_str word)
{
    for (size_t i = 0; i < word.n; i++)
        if (!cv_is_alnum(word.p[i]) && !strchr("-_./:=@%+,{}", word.p[i]) && (unsigned char)word.p[i] < 0x80)
            return false;
    return word.n > 0;
}

cv_str cv_command_join(cv_arena *a, cv_words words)
{
    cv_buf out = {0};
    for (size_t i = 0; i < words.count; i++) {
        cv_str word = words.items[i];
        if (i > 0)
            cv_buf_add_char(&out, ' ');
        if (is_plain(word) && !(i == 0 && sets_variable(word))) {
            cv_buf_add(&out, word);
            continue;
        }
        cv_buf_add_char(&out, '\'');
        for (size_t k = 0; k < word.n; k++)
            if (word.p[k] == '\'')
                cv_buf_add_z(&out, "'\\''");
            else
                cv_buf_add_char(&out, word.p[k]);
        cv_buf_add_char(&out, '\'');
    }
    return cv_buf_take(&out, a);
}

cv_str cv_command_fill(cv_arena *a, cv_str word, cv_str placeholder, cv_str by, bool *used)
{
    size_t at = cv_str_find(word, placeholder);
    cv_buf out = {0};
    if (at == SIZE_MAX)
        return word;
    *used = true;
    for (; at != SIZE_MAX; at = cv_str_find(word, placeholder)) {
        cv_buf_add(&out, cv_str_head(word, at));
        cv_buf_add(&out, by);
        word = cv_str_from(word, at + placeholder.n);
    }
    cv_buf_add(&out, word);
    return cv_buf_take(&out, a);
}
