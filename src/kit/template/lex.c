/* lex.c - a template's source as tokens.
 *
 *     text {%- if x %}            DATA "text", TAG_BEGIN, NAME if, NAME x, TAG_END
 *     ^^^^ the sign decides what of the text beside a tag goes
 *
 *     {%- {{- {#-     all white space before it goes
 *     -%} -}} -#}     all white space behind it goes
 *     {%  {#          blanks before it on its line go, if the line has nothing else (lstrip_blocks);
 *                     {%+ {#+ keep them
 *     %}  #}          one line end behind it goes (trim_blocks); +%} +#} keep it
 *
 * One pass: every byte is looked at a fixed number of times. Inside of ( [ { the ends of a tag are plain operators.
 */
#include "base/utf8.h"

#include "kit/template/parts.h"
#include <assert.h>

typedef struct {
    cv_arena *arena;
    const cv_tsource *source;
    cv_str text;
    size_t at;
    bool line_starts; /* what was read last ended with a line end, or nothing was read */
    cv_toks *toks;
    struct {
        char *items;
        size_t count, capacity;
    } open; /* brackets, as those that close them */
    cv_err *err;
} lexer;

bool cv_t_fail_at(cv_err *err, const cv_tsource *source, size_t at, cv_err_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cv_str message = cv_arena_vprintf(err->arena, format, args);
    va_end(args);
    size_t line = 1, column = 1;
    cv_utf8_advance(cv_str_head(source->text, at), &line, &column);
    cv_err_at(err, code, line, column, "%.*s", CV_FMT(message));
    cv_err_file(err, source->name);
    return false;
}

/* ---- white space ------------------------------------------------------------------------------------- */

static bool is_space(uint32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

size_t cv_t_space_first(cv_str s)
{
    if (s.n == 0)
        return 0;
    if ((unsigned char)s.p[0] < 0x80)
        return is_space((unsigned char)s.p[0]);
    uint32_t code;
    cv_str rest = s;
    return cv_utf8_next(&rest, &code) && is_space(code) ? s.n - rest.n : 0;
}

size_t cv_t_space_last(cv_str s)
{
    size_t back = 1;
    while (back < s.n && back < 4 && cv_utf8_continues(s.p[s.n - back]))
        back++;
    return s.n == 0 ? 0 : cv_t_space_first(cv_str_from(s, s.n - back));
}

/* "\r\n" and "\r" are "\n"; one line end at the end of the file goes. */
cv_str cv_t_normalise(cv_arena *a, cv_str text)
{
    if (cv_str_find_char(text, '\r') != SIZE_MAX) {
        char *to = cv_arena_alloc(a, text.n);
        size_t n = 0;
        for (size_t i = 0; i < text.n; i++) {
            to[n++] = text.p[i] == '\r' ? '\n' : text.p[i];
            if (text.p[i] == '\r' && i + 1 < text.n && text.p[i + 1] == '\n')
                i++;
        }
        text = (cv_str){to, n};
    }
    if (text.n > 0 && text.p[text.n - 1] == '\n')
        text.n--;
    return text;
}

/* ---- what is in tags --------------------------------------------------------------------------------- */

static char peek(const lexer *lx, size_t ahead)
{
    return lx->at + ahead < lx->text.n ? lx->text.p[lx->at + ahead] : '\0';
}

static bool next_is(const lexer *lx, size_t ahead, const char *word)
{
    return cv_str_starts(cv_str_from(lx->text, lx->at + ahead), cv_str_of(word));
}

/* Takes `n` bytes as one token. */
static void take(lexer *lx, cv_tok_kind kind, size_t n)
{
    assert(n <= lx->text.n - lx->at && "a token ends within the text");
    *CV_PUSH(lx->arena, lx->toks) = (cv_tok){.kind = kind, .text = {lx->text.p + lx->at, n}, .at = lx->at};
    lx->at += n;
    lx->line_starts = n > 0 && lx->text.p[lx->at - 1] == '\n';
}

static void skip_space(lexer *lx)
{
    for (size_t n; (n = cv_t_space_first(cv_str_from(lx->text, lx->at))) > 0;) {
        lx->line_starts = lx->text.p[lx->at] == '\n';
        lx->at += n;
    }
}

static bool is_digit_of(char c, int base)
{
    int value = cv_is_digit(c) ? c - '0' : cv_is_alpha(c) ? cv_lower(c) - 'a' + 10 : 99;
    return value < base;
}

/* Digits from `n` bytes ahead on, with single "_" between them; returns where they end. */
static size_t digits(const lexer *lx, size_t n, int base)
{
    while (is_digit_of(peek(lx, n), base)) {
        n++;
        if (peek(lx, n) == '_' && is_digit_of(peek(lx, n + 1), base))
            n++;
    }
    return n;
}

static bool take_number(lexer *lx)
{
    static const struct {
        char letter;
        int base;
    } prefixes[] = {{'b', 2}, {'o', 8}, {'x', 16}};
    if (!cv_is_digit(peek(lx, 0)))
        return false;
    bool after_dot = lx->at > 0 && lx->text.p[lx->at - 1] == '.';
    size_t whole = digits(lx, 0, 10), end = whole;
    if (peek(lx, end) == '.' && cv_is_digit(peek(lx, end + 1)))
        end = digits(lx, end + 1, 10);
    if (cv_lower(peek(lx, end)) == 'e') {
        size_t sign = peek(lx, end + 1) == '+' || peek(lx, end + 1) == '-';
        if (cv_is_digit(peek(lx, end + 1 + sign)))
            end = digits(lx, end + 1 + sign, 10);
    }
    if (end > whole && !after_dot) {
        take(lx, CV_TOK_FLOAT, end);
        return true;
    }
    for (size_t i = 0; i < CV_COUNT(prefixes) && peek(lx, 0) == '0'; i++) {
        size_t from = 2 + (peek(lx, 2) == '_');
        if (cv_lower(peek(lx, 1)) == prefixes[i].letter && is_digit_of(peek(lx, from), prefixes[i].base)) {
            take(lx, CV_TOK_INT, digits(lx, from, prefixes[i].base));
            return true;
        }
    }
    take(lx, CV_TOK_INT, peek(lx, 0) == '0' ? digits(lx, 0, 1) : whole); /* 007 is 00 and 7: no number */
    return true;
}

/* A name of letters and digits of any script. False: there is none. */
static bool take_name(lexer *lx)
{
    cv_str rest = cv_str_from(lx->text, lx->at);
    size_t n = 0;
    while (rest.n > 0) {
        uint32_t code;
        if (!cv_utf8_next(&rest, &code) || !cv_t_is_word(code))
            break;
        n = lx->text.n - lx->at - rest.n;
    }
    if (n > 0)
        take(lx, CV_TOK_NAME, n);
    return n > 0;
}

static bool take_string(lexer *lx)
{
    char quote = peek(lx, 0);
    for (size_t n = 1; lx->at + n < lx->text.n; n++) {
        if (peek(lx, n) == quote) {
            take(lx, CV_TOK_STRING, n + 1);
            cv_str *text = &lx->toks->items[lx->toks->count - 1].text;
            *text = (cv_str){text->p + 1, text->n - 2};
            return true;
        }
        n += peek(lx, n) == '\\';
    }
    return cv_t_fail_at(lx->err, lx->source, lx->at, CV_ERR_TEMPLATE, "the text that begins with %c does not end",
                        quote);
}

/* A bracket that closes must be the one that is due. */
static bool balance(lexer *lx, char c)
{
    if (c == '(' || c == '[' || c == '{')
        *CV_PUSH(lx->arena, &lx->open) = c == '(' ? ')' : c == '[' ? ']' : '}';
    if (c != ')' && c != ']' && c != '}')
        return true;
    if (lx->open.count == 0)
        return cv_t_fail_at(lx->err, lx->source, lx->at, CV_ERR_TEMPLATE, "unexpected '%c'", c);
    char due = lx->open.items[--lx->open.count];
    return c == due ||
           cv_t_fail_at(lx->err, lx->source, lx->at, CV_ERR_TEMPLATE, "unexpected '%c', expected '%c'", c, due);
}

static bool take_operator(lexer *lx)
{
    static const char *const two[] = {"//", "**", "==", "!=", ">=", "<="};
    size_t n = 1;
    for (size_t i = 0; i < CV_COUNT(two); i++)
        if (next_is(lx, 0, two[i]))
            n = 2;
    char c = peek(lx, 0);
    if (n == 1 && (c == '\0' || !strchr("+-/*%~[](){}<>=.:|,;", c))) {
        cv_str one = cv_str_head(cv_str_from(lx->text, lx->at), cv_utf8_first(cv_str_from(lx->text, lx->at)));
        return cv_t_fail_at(lx->err, lx->source, lx->at, CV_ERR_TEMPLATE, "unexpected character '%.*s' in a tag",
                            CV_FMT(one));
    }
    if (n == 1 && !balance(lx, c))
        return false;
    take(lx, CV_TOK_OP, n);
    cv_tok *tok = &lx->toks->items[lx->toks->count - 1];
    tok->op = CV_OP2(tok->text.p[0], n == 2 ? tok->text.p[1] : 0);
    return true;
}

/* The end of a tag at this place, with the white space that goes with it. */
static bool take_end(lexer *lx, bool prints)
{
    const char *mark = prints ? "}}" : "%}";
    bool sign = (peek(lx, 0) == '-' || (peek(lx, 0) == '+' && !prints)) && next_is(lx, 1, mark);
    if (lx->open.count > 0 || (!sign && !next_is(lx, 0, mark)))
        return false;
    bool all = peek(lx, 0) == '-', trim = !sign && !prints;
    take(lx, prints ? CV_TOK_PRINT_END : CV_TOK_TAG_END, sign ? 3 : 2);
    if (all)
        skip_space(lx);
    else if (trim && peek(lx, 0) == '\n') {
        lx->at++;
        lx->line_starts = true;
    }
    return true;
}

/* From the begin of a tag to its end. */
static bool lex_tag(lexer *lx, bool prints)
{
    size_t begin = lx->at;
    take(lx, prints ? CV_TOK_PRINT_BEGIN : CV_TOK_TAG_BEGIN, 2);
    if (peek(lx, 0) == '-' || peek(lx, 0) == '+')
        lx->at++;
    while (!take_end(lx, prints)) {
        skip_space(lx);
        if (lx->at >= lx->text.n)
            return cv_t_fail_at(lx->err, lx->source, begin, CV_ERR_TEMPLATE, "the tag is not closed: %s is missing",
                                prints ? "}}" : "%}");
        if (take_end(lx, prints))
            break;
        char c = peek(lx, 0);
        if (take_number(lx) || take_name(lx))
            continue;
        if (c == '"' || c == '\'' ? !take_string(lx) : !take_operator(lx))
            return false;
    }
    return true;
}

/* ---- what is between tags ---------------------------------------------------------------------------- */

/* The text up to `end`, where a tag with this sign begins. */
static void take_data(lexer *lx, size_t end, char sign, bool prints)
{
    cv_str data = {lx->text.p + lx->at, end - lx->at};
    assert(lx->at <= end && end <= lx->text.n);
    if (sign == '-')
        for (size_t n; (n = cv_t_space_last(data)) > 0;)
            data.n -= n;
    else if (sign != '+' && !prints) {
        cv_str line = data;
        for (size_t n; (n = cv_t_space_last(line)) > 0 && line.p[line.n - 1] != '\n';)
            line.n -= n;
        if (line.n == 0 ? lx->line_starts : line.p[line.n - 1] == '\n')
            data = line;
    }
    if (data.n > 0)
        take(lx, CV_TOK_DATA, data.n);
    lx->at = end;
}

/* "{% word %}" at `at`: where it ends, or 0. The signs that it may have behind it depend on the word. */
static size_t bare_tag(const lexer *lx, size_t at, const char *word, bool plus)
{
    cv_str s = cv_str_from(lx->text, at + 2);
    if (s.n > 0 && (s.p[0] == '-' || s.p[0] == '+'))
        s = cv_str_from(s, 1);
    for (size_t n; (n = cv_t_space_first(s)) > 0;)
        s = cv_str_from(s, n);
    if (!cv_str_starts(s, cv_str_of(word)))
        return 0;
    s = cv_str_from(s, strlen(word));
    for (size_t n; (n = cv_t_space_first(s)) > 0;)
        s = cv_str_from(s, n);
    size_t sign = s.n > 0 && (s.p[0] == '-' || (s.p[0] == '+' && plus));
    return cv_str_starts(cv_str_from(s, sign), CV_STR("%}")) ? (size_t)(s.p - lx->text.p) + sign + 2 : 0;
}

static char sign_at(const lexer *lx, size_t at)
{
    return at < lx->text.n && (lx->text.p[at] == '-' || lx->text.p[at] == '+') ? lx->text.p[at] : '\0';
}

/* Behind the end of a comment or of raw: what its sign takes away. */
static void end_plain(lexer *lx, size_t end, bool trim)
{
    assert(end >= 3 && lx->at <= end && end <= lx->text.n);
    char sign = lx->text.p[end - 3];
    lx->at = end;
    lx->line_starts = false;
    if (sign == '-')
        skip_space(lx);
    else if (trim && sign != '+' && peek(lx, 0) == '\n') {
        lx->at++;
        lx->line_starts = true;
    }
}

/* As in Jinja, a raw or a comment with nothing behind its beginning, not even a space, needs no end. */
static bool lex_raw(lexer *lx, size_t body)
{
    size_t begin = lx->at;
    end_plain(lx, body, false);
    if (lx->at == lx->text.n)
        return true;
    for (size_t from = lx->at;;) {
        size_t found = cv_str_find(cv_str_from(lx->text, from), CV_STR("{%"));
        if (found == SIZE_MAX)
            return cv_t_fail_at(lx->err, lx->source, begin, CV_ERR_TEMPLATE,
                                "{%% raw %%} is not closed: {%% endraw %%} is missing");
        size_t end = bare_tag(lx, from + found, "endraw", true);
        if (end > 0) {
            take_data(lx, from + found, sign_at(lx, from + found + 2), false);
            end_plain(lx, end, true);
            return true;
        }
        from += found + 2;
    }
}

static bool lex_comment(lexer *lx)
{
    size_t from = lx->at + 2 + (sign_at(lx, lx->at + 2) != '\0');
    if (from == lx->text.n) {
        lx->at = from;
        return true;
    }
    size_t found = cv_str_find(cv_str_from(lx->text, from), CV_STR("#}"));
    if (found == SIZE_MAX)
        return cv_t_fail_at(lx->err, lx->source, lx->at, CV_ERR_TEMPLATE, "the comment is not closed: #} is missing");
    /* The sign of the beginning is not one of the end: {#-#} */
    size_t end = from + found + 2;
    if (found == 0) {
        lx->at = end;
        lx->line_starts = false;
        if (peek(lx, 0) == '\n') {
            lx->at++;
            lx->line_starts = true;
        }
    } else
        end_plain(lx, end, true);
    return true;
}

static size_t next_tag(const lexer *lx)
{
    for (size_t at = lx->at; at + 1 < lx->text.n; at++) {
        const char *brace = memchr(lx->text.p + at, '{', lx->text.n - 1 - at);
        if (!brace)
            break;
        at = (size_t)(brace - lx->text.p);
        if (brace[1] == '{' || brace[1] == '%' || brace[1] == '#')
            return at;
    }
    return SIZE_MAX;
}

bool cv_t_lex(cv_arena *a, const cv_tsource *source, cv_toks *ret_toks, cv_err *err)
{
    lexer lx = {.arena = a, .source = source, .text = source->text, .line_starts = true, .toks = ret_toks, .err = err};
    *ret_toks = (cv_toks){0};
    for (size_t tag; (tag = next_tag(&lx)) != SIZE_MAX;) {
        char kind = lx.text.p[tag + 1];
        take_data(&lx, tag, sign_at(&lx, tag + 2), kind == '{');
        size_t raw = kind == '%' ? bare_tag(&lx, tag, "raw", false) : 0;
        if (raw > 0 ? !lex_raw(&lx, raw) : kind == '#' ? !lex_comment(&lx) : !lex_tag(&lx, kind == '{'))
            return false;
    }
    if (lx.at < lx.text.n)
        take(&lx, CV_TOK_DATA, lx.text.n - lx.at);
    assert(lx.at == lx.text.n && lx.open.count == 0 && "all of it was read, and every bracket is closed");
    take(&lx, CV_TOK_END, 0);
    return true;
}
