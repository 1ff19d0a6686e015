/* states.c - is a line in code, in a comment, in a string, in a fence? See reading.h.
 *
 * One walk over the text for each family of languages; it knows quotes, comments and what else can hold other text,
 * and nothing of grammar. A quote that is not closed on its line ends there, except where strings may go on.
 */
#include "notes/text/reading.h"

typedef struct {
    cv_str text;
    size_t at;
    const size_t *offsets;
    size_t count, next;
    cv_at *ret;
    cv_at last;               /* how the text ends */
    size_t failed;            /* searches for an end that is not there: after a few of them no more are made */
    bool loose;               /* "/" behind ")" begins a pattern */
    size_t braces[32], depth; /* "${" of templates that are open, each with the braces that are open in it */
} walk;

enum { MOST_FAILED = 64, MOST_NESTED = 32 };

/* Everything up to `to` is of this state: what begins there or before is told. */
static void go_on(walk *w, size_t to, cv_at state)
{
    while (w->next < w->count && w->offsets[w->next] <= to && w->offsets[w->next] >= w->at)
        w->ret[w->next++] = state;
    w->at = to;
}

static bool starts(const walk *w, const char *z)
{
    return cv_str_starts(cv_str_from(w->text, w->at), cv_str_of(z));
}

/* Behind the next occurrence of `end`, or at the end of the text. */
static size_t behind(walk *w, size_t from, const char *end, cv_at state)
{
    cv_str mark = cv_str_of(end);
    size_t found = cv_str_find(cv_str_from(w->text, from), mark);
    if (found == SIZE_MAX)
        w->last = state;
    return found == SIZE_MAX ? w->text.n : from + found + mark.n;
}

static size_t line_end(const walk *w, size_t from)
{
    const char *eol = from < w->text.n ? memchr(w->text.p + from, '\n', w->text.n - from) : NULL;
    return eol ? (size_t)(eol - w->text.p) : w->text.n;
}

/* A state that lasts from here to `to`: a line that begins at `to` exactly is not in it any more. */
static void pass(walk *w, size_t to, cv_at state)
{
    if (to > w->at)
        go_on(w, to - 1, state);
    w->at = to;
}

/* ---- quotes ------------------------------------------------------------------------------------------------------ */

enum { ESCAPES = 1, DOUBLES = 2, GOES_ON = 4 };

static void pass_quoted(walk *w, unsigned how)
{
    char quote = w->text.p[w->at];
    bool closed = false;
    size_t i = w->at + 1;
    for (; i < w->text.n && !closed; i++) {
        char c = w->text.p[i];
        if (c == '\n' && !(how & GOES_ON))
            break;
        if (c == '\\' && (how & ESCAPES)) {
            i++;
        } else if (c == quote) {
            bool doubled = (how & DOUBLES) && i + 1 < w->text.n && w->text.p[i + 1] == quote;
            i += doubled;
            closed = !doubled;
        }
    }
    if (!closed && i >= w->text.n && (how & GOES_ON))
        w->last = CV_AT_STRING;
    pass(w, i < w->text.n ? i : w->text.n, CV_AT_STRING);
}

static void pass_triple(walk *w)
{
    cv_str quote = cv_str_head(cv_str_from(w->text, w->at), 3);
    size_t i = w->at + 3;
    while (i < w->text.n && !cv_str_starts(cv_str_from(w->text, i), quote))
        i += w->text.p[i] == '\\' ? 2 : 1;
    if (i >= w->text.n)
        w->last = CV_AT_STRING;
    pass(w, i + 3 < w->text.n ? i + 3 : w->text.n, CV_AT_STRING);
}

/* The line that is the word alone, or begins with it, from `at` on; SIZE_MAX: there is none. */
static size_t heredoc_end(const walk *w, size_t at, cv_str word)
{
    while (at < w->text.n) {
        cv_line line = cv_line_at(w->text, at);
        cv_str content = cv_line_text(w->text, line);
        content = cv_str_from(content, cv_notes_indent(content));
        if (cv_str_starts(content, word) && (content.n == word.n || !cv_is_alnum(content.p[word.n])))
            return at;
        at = line.next;
    }
    return SIZE_MAX;
}

/* The word of <<EOT, <<-'EOT', <<~EOT, <<<EOT; empty: it is not one. */
static cv_str heredoc_word(cv_str behind_angles)
{
    size_t i = 0, n = 0;
    cv_str s = behind_angles;
    while (i < s.n && (s.p[i] == '-' || s.p[i] == '~' || s.p[i] == ' ' || s.p[i] == '"' || s.p[i] == '\''))
        i++;
    while (i + n < s.n && (cv_is_alnum(s.p[i + n]) || s.p[i + n] == '_'))
        n++;
    return n == 0 || cv_is_digit(s.p[i]) ? CV_STR("") : cv_str_head(cv_str_from(s, i), n);
}

/* Up to the line that is the word, and of several on one line the last. False: it is not one. */
static bool pass_heredoc(walk *w, size_t angles)
{
    size_t line = line_end(w, w->at), end = SIZE_MAX, from = line + 1;
    for (size_t at = w->at; at + angles < line && w->failed <= MOST_FAILED;) {
        cv_str word = heredoc_word(cv_span_of(w->text, (cv_span){at + angles, line}));
        size_t found = word.n ? heredoc_end(w, from, word) : SIZE_MAX;
        w->failed += word.n && found == SIZE_MAX;
        if (found == SIZE_MAX)
            break;
        end = found;
        from = line_end(w, found) + 1;
        size_t next = cv_str_find(cv_span_of(w->text, (cv_span){at + angles, line}), CV_STR("<<"));
        at = next == SIZE_MAX ? line : at + angles + next;
        angles = 2;
    }
    if (end == SIZE_MAX)
        return false;
    pass(w, line, CV_AT_CODE);
    if (w->at < w->text.n)
        pass(w, w->at + 1, CV_AT_STRING);
    if (end > w->at)
        pass(w, end, CV_AT_STRING);
    if (w->at < w->text.n) /* the line with the word is none to put anything before */
        go_on(w, line_end(w, w->at), CV_AT_STRING);
    return true;
}

/* ---- quotes of some languages -------------------------------------------------------------------------------------
 */

/* To behind `end`, if it is there. */
static bool pass_to(walk *w, size_t from, cv_str end, cv_at state)
{
    size_t found = w->failed > MOST_FAILED ? SIZE_MAX : cv_str_find(cv_str_from(w->text, from), end);
    w->failed += found == SIZE_MAX;
    if (found == SIZE_MAX)
        return false;
    pass(w, from + found + end.n, state);
    return true;
}

/* `… ${ code } …` from its beginning, or from the brace that ends the code. */
static void pass_template(walk *w)
{
    size_t i = w->at + 1;
    for (; i < w->text.n && w->text.p[i] != '`'; i++) {
        if (w->text.p[i] == '\\') {
            i++;
        } else if (w->text.p[i] == '$' && i + 1 < w->text.n && w->text.p[i + 1] == '{' && w->depth < MOST_NESTED) {
            pass(w, i + 2, CV_AT_STRING);
            w->braces[w->depth++] = 0;
            return;
        }
    }
    if (i >= w->text.n)
        w->last = CV_AT_STRING;
    pass(w, i < w->text.n ? i + 1 : w->text.n, CV_AT_STRING);
}

/* A brace of the code in a template. False: it is not one. */
static bool pass_brace(walk *w)
{
    char c = w->text.p[w->at];
    if (!w->depth || (c != '{' && c != '}'))
        return false;
    size_t *open = &w->braces[w->depth - 1];
    if (c == '}' && *open == 0) {
        w->depth--;
        pass_template(w);
        return true;
    }
    *open = c == '{' ? *open + 1 : *open - 1;
    go_on(w, w->at + 1, CV_AT_CODE);
    return true;
}

/* R"x(…)x" of C++, r#"…"# of Rust, @"…" of C#. */
static bool pass_raw(walk *w)
{
    cv_str s = cv_str_from(w->text, w->at), delimiter;
    size_t n = 1;
    bool in_word = w->at > 0 && (cv_is_alnum(w->text.p[w->at - 1]) || w->text.p[w->at - 1] == '_');
    char end[24];
    if (s.n < 3 || (in_word && s.p[0] != 'R')) /* LR"(…)" */
        return false;
    if (s.p[0] == 'R' && s.p[1] == '"') {
        size_t paren = cv_str_find_char(cv_str_head(s, 20), '(');
        if (paren == SIZE_MAX)
            return false;
        delimiter = cv_span_of(s, (cv_span){2, paren});
        end[0] = ')';
        memcpy(end + 1, delimiter.p, delimiter.n);
        end[delimiter.n + 1] = '"';
        return pass_to(w, w->at + paren + 1, (cv_str){end, delimiter.n + 2}, CV_AT_STRING);
    }
    if (s.p[0] == 'r') {
        while (n < s.n && n < 20 && s.p[n] == '#')
            n++;
        if (n >= s.n || s.p[n] != '"')
            return false;
        end[0] = '"';
        memset(end + 1, '#', n - 1);
        return pass_to(w, w->at + n + 1, (cv_str){end, n}, CV_AT_STRING);
    }
    if (s.p[0] != '@' || s.p[1] != '"')
        return false;
    w->at++;
    pass_quoted(w, DOUBLES | GOES_ON);
    return true;
}

/* [[…]], [==[…]==] of Lua; behind "--" a comment. */
static bool pass_brackets(walk *w)
{
    cv_str s = cv_str_from(w->text, w->at);
    bool is_comment = cv_str_starts(s, CV_STR("--["));
    size_t from = is_comment ? 2 : 0, n = from + 1;
    char end[24] = "]";
    while (n < s.n && n < from + 20 && s.p[n] == '=')
        n++;
    if (from >= s.n || s.p[from] != '[' || n >= s.n || s.p[n] != '[')
        return false;
    memset(end + 1, '=', n - from - 1);
    end[n - from] = ']';
    return pass_to(w, w->at + n + 1, (cv_str){end, n - from + 1}, is_comment ? CV_AT_COMMENT : CV_AT_STRING);
}

/* %q(…), %w[…] of Ruby, q{…}, qw(…) of Perl, up to the first closing bracket: where these nest, the rest is judged as
 * code of one line each. */
static bool pass_percent(walk *w)
{
    cv_str s = cv_str_from(w->text, w->at);
    bool in_word = w->at > 0 && (cv_is_alnum(w->text.p[w->at - 1]) || strchr("_$@&-", w->text.p[w->at - 1]));
    size_t n = s.p[0] == '%';
    if (n == 0 && (in_word || s.p[0] != 'q'))
        return false;
    if (n == 0)
        n = s.n > 1 && strchr("qwx", s.p[1]) ? 2 : 1;
    else if (s.n > 1 && strchr("qQwWiI", s.p[1]))
        n = 2;
    else
        return false;
    const char *open = n < s.n && s.p[n] ? strchr("([{<", s.p[n]) : NULL;
    return open && pass_to(w, w->at + n + 1, (cv_str){&")]}>"[open - "([{<"], 1}, CV_AT_STRING);
}

/* A line that makes what follows no code: __END__ and __DATA__ to the end, "=pod" and "=begin" to "=cut" or "=end". */
static bool pass_document(walk *w)
{
    static const cv_str ends[] = {CV_STR_INIT("__END__"), CV_STR_INIT("__DATA__")};
    cv_line line = cv_line_at(w->text, w->at);
    cv_str s = cv_line_text(w->text, line);
    for (size_t i = 0; i < CV_COUNT(ends); i++)
        if (cv_str_eq(cv_str_trim_right(s), ends[i])) {
            go_on(w, w->at, CV_AT_CODE);
            w->last = CV_AT_STRING;
            pass(w, w->text.n, CV_AT_STRING);
            return true;
        }
    if (s.n < 2 || s.p[0] != '=' || !cv_is_alpha(s.p[1]))
        return false;
    while (line.start < w->text.n && !cv_str_starts(s, CV_STR("=cut")) && !cv_str_starts(s, CV_STR("=end"))) {
        line = cv_line_at(w->text, line.next);
        s = cv_line_text(w->text, line);
    }
    pass(w, line.next, CV_AT_STRING);
    return true;
}

/* The data of PostgreSQL's COPY … FROM stdin; up to the line "\.". */
static bool pass_copy(walk *w)
{
    cv_line line = cv_line_at(w->text, w->at);
    cv_str s = cv_str_trim_right(cv_line_text(w->text, line));
    if (!cv_str_starts_nocase(s, CV_STR("copy ")) || cv_str_find_nocase(s, CV_STR("from stdin")) == SIZE_MAX ||
        !cv_str_ends(s, CV_STR(";")))
        return false;
    go_on(w, line.end, CV_AT_CODE);
    return pass_to(w, w->at, CV_STR("\n\\."), CV_AT_STRING) || w->at > line.start;
}

/* ---- code -------------------------------------------------------------------------------------------------------- */

/* Can a "/" here begin a regular expression? After a value it divides. */
static bool begins_pattern(const walk *w)
{
    size_t i = w->at;
    while (i > 0 && (w->text.p[i - 1] == ' ' || w->text.p[i - 1] == '\t'))
        i--;
    return i == 0 || strchr(w->loose ? "(,=:[!&|?{};\n+-*%<>~^)" : "(,=:[!&|?{};\n+-*%<>~^", w->text.p[i - 1]) ||
           (i >= 6 && memcmp(w->text.p + i - 6, "return", 6) == 0);
}

static void pass_pattern(walk *w)
{
    bool in_class = false;
    size_t i = w->at + 1, end = line_end(w, w->at);
    for (; i < end; i++) {
        char c = w->text.p[i];
        if (c == '\\') {
            i++;
        } else if (c == '[') {
            in_class = true;
        } else if (c == ']') {
            in_class = false;
        } else if (c == '/' && !in_class) {
            i++;
            break;
        }
    }
    pass(w, i < end ? i : end, CV_AT_CODE);
}

typedef struct {
    const char *line, *line2; /* line comments */
    const char *open, *close; /* block comments */
    const char *quotes;       /* one line each */
    const char *long_quotes;  /* these go on over lines */
    unsigned escape;          /* of both */
    bool triple, heredoc, pattern, dollar, template, raw, brackets;
} lexis;

static void pass_code(walk *w, size_t to)
{
    go_on(w, to, CV_AT_CODE);
}

static bool pass_comment(walk *w, const lexis *l)
{
    if (l->open && starts(w, l->open)) {
        pass(w, behind(w, w->at + strlen(l->open), l->close, CV_AT_COMMENT), CV_AT_COMMENT);
        return true;
    }
    if ((l->line && starts(w, l->line)) || (l->line2 && starts(w, l->line2))) {
        pass_code(w, line_end(w, w->at));
        return true;
    }
    return false;
}

/* $tag$ … $tag$ of PostgreSQL. */
static bool pass_dollar(walk *w)
{
    cv_str s = cv_str_from(w->text, w->at);
    size_t n = 1;
    while (n < s.n && (cv_is_alnum(s.p[n]) || s.p[n] == '_'))
        n++;
    if (n >= s.n || s.p[n] != '$' || (n > 1 && cv_is_digit(s.p[1])))
        return false;
    cv_str tag = cv_str_head(s, n + 1);
    size_t found = w->failed > MOST_FAILED ? SIZE_MAX : cv_str_find(cv_str_from(s, tag.n), tag);
    w->failed += found == SIZE_MAX;
    if (found == SIZE_MAX)
        return false;
    pass(w, w->at + tag.n + found + tag.n, CV_AT_STRING);
    return true;
}

static bool is_line_start(const walk *w)
{
    return w->at == 0 || w->text.p[w->at - 1] == '\n';
}

/* What only some languages have. */
static bool pass_special(walk *w, const lexis *l)
{
    char c = w->text.p[w->at];
    if (l->template && c == '`') {
        pass_template(w);
        return true;
    }
    return (l->template && pass_brace(w)) || (l->raw && (c == 'R' || c == 'r' || c == '@') && pass_raw(w)) ||
           (l->brackets && (c == '[' || c == '-') && pass_brackets(w)) ||
           (l->heredoc && (c == '%' || c == 'q') && pass_percent(w)) ||
           (l->heredoc && (c == '=' || c == '_') && is_line_start(w) && pass_document(w)) ||
           (l->dollar && (c == 'C' || c == 'c') && is_line_start(w) && pass_copy(w));
}

static bool pass_string(walk *w, const lexis *l)
{
    char c = w->text.p[w->at];
    if (l->triple && (starts(w, "\"\"\"") || starts(w, "'''")))
        pass_triple(w);
    else if (l->long_quotes && strchr(l->long_quotes, c))
        pass_quoted(w, l->escape | GOES_ON);
    else if (l->quotes && strchr(l->quotes, c))
        pass_quoted(w, l->escape);
    else if (l->pattern && c == '/' && begins_pattern(w))
        pass_pattern(w);
    else if (l->heredoc && starts(w, "<<<"))
        pass_code(w, w->at + 3);
    else
        return (l->dollar && c == '$' && pass_dollar(w)) || (l->heredoc && starts(w, "<<") && pass_heredoc(w, 2));
    return true;
}

/* A "#" begins a comment of a shell only where a word could begin. */
static bool is_inside_word(const walk *w)
{
    return w->text.p[w->at] == '#' && w->at > 0 && !cv_is_space(w->text.p[w->at - 1]);
}

static void step(walk *w, const lexis *l)
{
    char c = w->text.p[w->at];
    if (c == '\0') /* strchr would find it everywhere */
        pass_code(w, w->at + 1);
    else if (l->heredoc && (is_inside_word(w) || c == '\\'))
        pass_code(w, w->at + (c == '\\' ? 2 : 1));
    else if (!pass_special(w, l) && !pass_comment(w, l) && !pass_string(w, l))
        pass_code(w, w->at + 1);
}

static void walk_code(walk *w, const lexis *l)
{
    while (w->next < w->count && w->at < w->text.n)
        step(w, l);
}

/* ---- PHP: code between <?php and ?>, the rest is text --------------------------------------------------------------
 */

static void walk_php(walk *w)
{
    bool inside = false;
    static const lexis php = {.open = "/*", .close = "*/", .long_quotes = "\"'`", .escape = ESCAPES};
    while (w->next < w->count && w->at < w->text.n) {
        if (!inside) {
            size_t open = cv_str_find(cv_str_from(w->text, w->at), CV_STR("<?"));
            size_t to = open == SIZE_MAX ? w->text.n : w->at + open + 2;
            pass(w, to, CV_AT_OUTSIDE);
            inside = open != SIZE_MAX;
        } else if (starts(w, "?>")) {
            pass_code(w, w->at + 2);
            inside = false;
        } else if (starts(w, "//") || (starts(w, "#") && !starts(w, "#["))) {
            size_t end = line_end(w, w->at);
            size_t close = cv_str_find(cv_span_of(w->text, (cv_span){w->at, end}), CV_STR("?>"));
            pass_code(w, close == SIZE_MAX ? end : w->at + close); /* "?>" ends PHP in a line comment, too */
        } else if (!(starts(w, "<<<") && pass_heredoc(w, 3))) {
            step(w, &php);
        }
    }
    if (!inside)
        w->last = CV_AT_OUTSIDE;
}

/* ---- HTML: text between tags; nothing is put into tags, scripts, styles
 * ------------------------------------------------ */

/* A tag may have ">" in the quotes of its attributes. */
static void pass_tag(walk *w)
{
    char quote = 0;
    size_t i = w->at + 1;
    for (; i < w->text.n && (quote || w->text.p[i] != '>'); i++) {
        char c = w->text.p[i];
        bool opens = !quote && (c == '"' || c == '\'') && w->text.p[i - 1] == '=';
        quote = opens ? c : c == quote ? 0 : quote;
    }
    if (i >= w->text.n)
        w->last = CV_AT_STRING;
    pass(w, i < w->text.n ? i + 1 : w->text.n, CV_AT_STRING);
}

static void walk_html(walk *w)
{
    static const char *const raw[] = {"script", "style",  "pre",     "textarea", "title",
                                      "xmp",    "iframe", "noembed", "noframes", "plaintext"};
    while (w->next < w->count && w->at < w->text.n) {
        if (starts(w, "<!--")) {
            pass(w, behind(w, w->at + 4, "-->", CV_AT_HTML_COMMENT), CV_AT_HTML_COMMENT);
            continue;
        }
        if (w->text.p[w->at] != '<') {
            const char *tag = memchr(w->text.p + w->at, '<', w->text.n - w->at);
            size_t to = tag ? (size_t)(tag - w->text.p) : w->text.n;
            pass_code(w, to);
            continue;
        }
        const char *until = NULL;
        char close[16];
        for (size_t i = 0; i < CV_COUNT(raw); i++) {
            cv_str name = cv_str_head(cv_str_from(w->text, w->at + 1), strlen(raw[i]));
            if (cv_str_eq_nocase(name, cv_str_of(raw[i]))) {
                memcpy(close, "</", 2);
                memcpy(close + 2, raw[i], strlen(raw[i]) + 1);
                until = close;
            }
        }
        if (!until) {
            pass_tag(w);
            continue;
        }
        size_t found = cv_str_find_nocase(cv_str_from(w->text, w->at), cv_str_of(until));
        w->last = found == SIZE_MAX ? CV_AT_STRING : w->last;
        pass(w, found == SIZE_MAX ? w->text.n : w->at + found + strlen(until), CV_AT_STRING);
    }
}

/* ---- Markdown: fences, <pre>, HTML comments -------------------------------------------------------------------------
 */

/* The fence that a line opens: its character and length; 0: none. */
static size_t fence_of(cv_str content, char *ret_char)
{
    cv_str s = cv_str_from(content, cv_notes_indent(content));
    size_t n = 0;
    if (!s.n || (s.p[0] != '`' && s.p[0] != '~'))
        return 0;
    while (n < s.n && s.p[n] == s.p[0])
        n++;
    *ret_char = s.p[0];
    return n >= 3 && !(s.p[0] == '`' && memchr(s.p + n, '`', s.n - n)) ? n : 0;
}

static bool closes(cv_str content, char c, size_t length)
{
    char found;
    cv_str s = cv_str_trim(content);
    size_t n = fence_of(content, &found);
    return n >= length && found == c && s.n == n;
}

/* Where <pre> and its like end, when they begin on this line and do not end on it; NULL: none does. */
static const char *raw_end(cv_str s)
{
    static const struct {
        cv_str open;
        const char *close;
    } rows[] = {{CV_STR_INIT("<pre"), "</pre"},
                {CV_STR_INIT("<script"), "</script"},
                {CV_STR_INIT("<style"), "</style"},
                {CV_STR_INIT("<textarea"), "</textarea"}};
    for (size_t i = 0; i < CV_COUNT(rows); i++)
        if (cv_str_starts_nocase(s, rows[i].open) && cv_str_find_nocase(s, cv_str_of(rows[i].close)) == SIZE_MAX)
            return rows[i].close;
    return NULL;
}

static void walk_markdown(walk *w)
{
    char fence = 0;
    size_t length = 0;
    const char *until = NULL; /* of <pre> and comments */
    cv_at state = CV_AT_CODE;
    while (w->next < w->count && w->at < w->text.n) {
        cv_line line = cv_line_at(w->text, w->at);
        cv_str content = cv_line_text(w->text, line), s = cv_str_trim(content);
        bool was = state != CV_AT_CODE;
        if (length ? closes(content, fence, length) : until && cv_str_find_nocase(s, cv_str_of(until)) != SIZE_MAX) {
            go_on(w, line.start, state);
            length = 0;
            until = NULL;
            state = CV_AT_CODE;
        } else if (!was && (length = fence_of(content, &fence)) > 0) {
            go_on(w, line.start, CV_AT_CODE);
            state = CV_AT_FENCE;
        } else if (!was && (until = raw_end(s)) != NULL) {
            go_on(w, line.start, CV_AT_CODE);
            state = CV_AT_FENCE;
        } else if (!was && cv_str_starts(s, CV_STR("<!--")) && cv_str_find(s, CV_STR("-->")) == SIZE_MAX) {
            go_on(w, line.start, CV_AT_CODE);
            until = "-->";
            state = CV_AT_HTML_COMMENT;
        } else {
            go_on(w, line.start, state);
        }
        w->at = line.next;
    }
    w->last = state;
}

/* ---- YAML: block scalars
 * --------------------------------------------------------------------------------------------- */

/* Does the line end in "|" or ">" (with "+", "-" or a digit) behind a key or a dash? */
static bool opens_scalar(cv_str content)
{
    cv_str s = cv_str_trim(content);
    if (s.n && s.p[0] == '#')
        return false;
    while (s.n && strchr("+-123456789", s.p[s.n - 1]))
        s.n--;
    if (!s.n || (s.p[s.n - 1] != '|' && s.p[s.n - 1] != '>'))
        return false;
    s = cv_str_trim_right(cv_str_head(s, s.n - 1));
    return s.n && (s.p[s.n - 1] == ':' || s.p[s.n - 1] == '-');
}

/* Does a quote that opens a value on this line stay open? Then where it closes, or at the end of the text. */
static size_t quoted_beyond(walk *w, cv_line line)
{
    for (size_t i = line.start; i < line.end; i++) {
        char c = w->text.p[i], before = i > line.start ? w->text.p[i - 1] : ' ';
        if (c == '#' && cv_is_blank(before))
            return 0;
        if ((c != '"' && c != '\'') || !(cv_is_blank(before) || strchr("[{,:", before)))
            continue;
        for (i++; i < w->text.n && w->text.p[i] != c; i++)
            i += w->text.p[i] == '\\' && c == '"';
        if (i >= line.end)
            return i < w->text.n ? i : w->text.n;
    }
    return 0;
}

static void walk_yaml(walk *w)
{
    size_t scalar = SIZE_MAX; /* the indentation of its key */
    while (w->next < w->count && w->at < w->text.n) {
        cv_line line = cv_line_at(w->text, w->at);
        cv_str content = cv_line_text(w->text, line);
        size_t indent = cv_notes_indent(content);
        if (scalar != SIZE_MAX && indent <= scalar && !cv_notes_is_blank(content))
            scalar = SIZE_MAX;
        go_on(w, line.start, scalar == SIZE_MAX ? CV_AT_CODE : CV_AT_STRING);
        if (scalar == SIZE_MAX && opens_scalar(content))
            scalar = indent;
        size_t quoted = scalar == SIZE_MAX ? quoted_beyond(w, line) : 0;
        w->at = line.next;
        if (quoted > w->at) {
            if (quoted == w->text.n)
                w->last = CV_AT_STRING;
            go_on(w, quoted, CV_AT_STRING);
            w->at = cv_line_at(w->text, quoted).next;
        }
    }
    w->last = scalar == SIZE_MAX ? w->last : CV_AT_STRING;
}

/* ---- all
 * ------------------------------------------------------------------------------------------------------------- */

static const lexis sql = {
    .line = "--", .open = "/*", .close = "*/", .long_quotes = "'\"`", .escape = DOUBLES, .dollar = true};
static const lexis sql_backslash = {
    .line = "--", .open = "/*", .close = "*/", .long_quotes = "'\"`", .escape = DOUBLES | ESCAPES, .dollar = true};
static const lexis lua = {.line = "--", .quotes = "\"'", .escape = ESCAPES, .brackets = true};
static const lexis script = {
    .line = "//", .open = "/*", .close = "*/", .quotes = "\"'", .escape = ESCAPES, .pattern = true, .template = true};
static const lexis c_like = {
    .line = "//", .open = "/*", .close = "*/", .quotes = "\"'", .escape = ESCAPES, .triple = true, .raw = true};
static const lexis c_long = {.line = "//",
                             .open = "/*",
                             .close = "*/",
                             .quotes = "'",
                             .long_quotes = "\"",
                             .escape = ESCAPES,
                             .triple = true,
                             .raw = true};
static const lexis css = {.open = "/*", .close = "*/", .quotes = "\"'", .escape = ESCAPES};
static const lexis python = {.line = "#", .quotes = "\"'", .escape = ESCAPES, .triple = true};
static const lexis shell = {.line = "#", .long_quotes = "\"'`", .escape = ESCAPES, .heredoc = true};

void cv_notes_states(cv_str text, cv_notes_reader reader, bool other, size_t from, const size_t *offsets, size_t count,
                     cv_at *ret_at)
{
    if (from == 0 && cv_str_starts(text, CV_STR("\xEF\xBB\xBF")))
        from = 3; /* the first line begins behind a byte order mark */
    walk w = {.text = text, .at = from, .offsets = offsets, .count = count, .ret = ret_at, .loose = other};
    for (size_t i = 0; i < count; i++)
        ret_at[i] = CV_AT_CODE;
    while (w.next < count && offsets[w.next] <= from)
        ret_at[w.next++] = reader == CV_READ_PHP ? CV_AT_OUTSIDE : CV_AT_CODE;
    switch (reader) {
    case CV_READ_MARKDOWN:
        walk_markdown(&w);
        break;
    case CV_READ_PHP:
        walk_php(&w);
        break;
    case CV_READ_SQL:
        walk_code(&w, other ? &sql_backslash : &sql);
        break;
    case CV_READ_LUA:
        walk_code(&w, &lua);
        break;
    case CV_READ_SCRIPT:
        walk_code(&w, &script);
        break;
    case CV_READ_C:
        walk_code(&w, other ? &c_long : &c_like);
        break;
    case CV_READ_CSS:
        walk_code(&w, &css);
        break;
    case CV_READ_HTML:
        walk_html(&w);
        break;
    case CV_READ_PYTHON:
        walk_code(&w, &python);
        break;
    case CV_READ_SHELL:
        walk_code(&w, &shell);
        break;
    case CV_READ_YAML:
        walk_yaml(&w);
        break;
    case CV_READ_LINES:
        break;
    }
    while (w.next < count)
        ret_at[w.next++] = w.last;
}
