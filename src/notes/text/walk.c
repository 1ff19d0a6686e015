/* walk.c - strings and comments of code; see walk.h.
 *
 * It knows quotes, comments and what else can hold other text, and nothing of grammar. A quote that is not closed on
 * its line ends there, except where strings may go on.
 */
#include "notes/text/walk.h"

enum { MOST_FAILED = 64 };

void cv_walk_on(cv_notes_walk *w, size_t to, cv_at state)
{
    while (w->next < w->count && w->offsets[w->next] <= to && w->offsets[w->next] >= w->at)
        w->ret[w->next++] = state;
    w->at = to;
}

bool cv_walk_starts(const cv_notes_walk *w, const char *z)
{
    return cv_str_starts(cv_str_from(w->text, w->at), cv_str_of(z));
}

size_t cv_walk_behind(cv_notes_walk *w, size_t from, const char *end, cv_at state)
{
    cv_str mark = cv_str_of(end);
    size_t found = cv_str_find(cv_str_from(w->text, from), mark);
    if (found == SIZE_MAX)
        w->last = state;
    return found == SIZE_MAX ? w->text.n : from + found + mark.n;
}

size_t cv_walk_line_end(const cv_notes_walk *w, size_t from)
{
    const char *eol = from < w->text.n ? memchr(w->text.p + from, '\n', w->text.n - from) : NULL;
    return eol ? (size_t)(eol - w->text.p) : w->text.n;
}

void cv_walk_pass(cv_notes_walk *w, size_t to, cv_at state)
{
    if (to > w->at)
        cv_walk_on(w, to - 1, state);
    w->at = to;
}

/* ---- quotes ------------------------------------------------------------------------------------------------------ */

/* What takes its meaning from the character behind it. */
static bool is_escape(char c, unsigned how)
{
    return (c == '\\' && (how & CV_ESCAPES)) || (c == '`' && (how & CV_BACKTICKS));
}

void cv_walk_quoted(cv_notes_walk *w, unsigned how)
{
    char quote = w->text.p[w->at];
    bool closed = false;
    size_t i = w->at + 1;
    for (; i < w->text.n && !closed; i++) {
        char c = w->text.p[i];
        if (c == '\n' && !(how & CV_GOES_ON))
            break;
        if (is_escape(c, how)) {
            i++;
        } else if (c == quote) {
            bool doubled = (how & CV_DOUBLES) && i + 1 < w->text.n && w->text.p[i + 1] == quote;
            i += doubled;
            closed = !doubled;
        }
    }
    if (!closed && i >= w->text.n && (how & CV_GOES_ON))
        w->last = CV_AT_STRING;
    cv_walk_pass(w, i < w->text.n ? i : w->text.n, CV_AT_STRING);
}

static void pass_triple(cv_notes_walk *w, unsigned how)
{
    cv_str quote = cv_str_head(cv_str_from(w->text, w->at), 3);
    size_t i = w->at + 3;
    while (i < w->text.n && !cv_str_starts(cv_str_from(w->text, i), quote))
        i += is_escape(w->text.p[i], how) ? 2 : 1;
    if (i >= w->text.n)
        w->last = CV_AT_STRING;
    cv_walk_pass(w, i + 3 < w->text.n ? i + 3 : w->text.n, CV_AT_STRING);
}

/* The line that is the word alone, or begins with it, from `at` on; SIZE_MAX: there is none. */
static size_t heredoc_end(const cv_notes_walk *w, size_t at, cv_str word)
{
    while (at < w->text.n) {
        cv_notes_line line = cv_line_at(w->text, at);
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

bool cv_walk_heredoc(cv_notes_walk *w, size_t angles)
{
    size_t line = cv_walk_line_end(w, w->at), end = SIZE_MAX, from = line + 1;
    for (size_t at = w->at; at + angles < line && w->failed <= MOST_FAILED;) {
        cv_str word = heredoc_word(cv_span_of(w->text, (cv_span){at + angles, line}));
        size_t found = word.n ? heredoc_end(w, from, word) : SIZE_MAX;
        w->failed += word.n && found == SIZE_MAX;
        if (found == SIZE_MAX)
            break;
        end = found;
        from = cv_walk_line_end(w, found) + 1;
        size_t next = cv_str_find(cv_span_of(w->text, (cv_span){at + angles, line}), CV_STR("<<"));
        at = next == SIZE_MAX ? line : at + angles + next;
        angles = 2;
    }
    if (end == SIZE_MAX)
        return false;
    cv_walk_pass(w, line, CV_AT_CODE);
    if (w->at < w->text.n)
        cv_walk_pass(w, w->at + 1, CV_AT_STRING);
    if (end > w->at)
        cv_walk_pass(w, end, CV_AT_STRING);
    if (w->at < w->text.n) /* the line with the word is none to put anything before */
        cv_walk_on(w, cv_walk_line_end(w, w->at), CV_AT_STRING);
    return true;
}

/* ---- quotes of some languages -------------------------------------------------------------------------------------
 */

/* To behind `end`, if it is there. */
static bool pass_to(cv_notes_walk *w, size_t from, cv_str end, cv_at state)
{
    size_t found = w->failed > MOST_FAILED ? SIZE_MAX : cv_str_find(cv_str_from(w->text, from), end);
    w->failed += found == SIZE_MAX;
    if (found == SIZE_MAX)
        return false;
    cv_walk_pass(w, from + found + end.n, state);
    return true;
}

/* `… ${ code } …` from its beginning, or from the brace that ends the code. */
static void pass_template(cv_notes_walk *w)
{
    size_t i = w->at + 1;
    for (; i < w->text.n && w->text.p[i] != '`'; i++) {
        if (w->text.p[i] == '\\') {
            i++;
        } else if (w->text.p[i] == '$' && i + 1 < w->text.n && w->text.p[i + 1] == '{' && w->depth < CV_MOST_NESTED) {
            cv_walk_pass(w, i + 2, CV_AT_STRING);
            w->braces[w->depth++] = 0;
            return;
        }
    }
    if (i >= w->text.n)
        w->last = CV_AT_STRING;
    cv_walk_pass(w, i < w->text.n ? i + 1 : w->text.n, CV_AT_STRING);
}

/* A brace of the code in a template. False: it is not one. */
static bool pass_brace(cv_notes_walk *w)
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
    cv_walk_on(w, w->at + 1, CV_AT_CODE);
    return true;
}

/* R"x(…)x" of C++, r#"…"# of Rust, @"…" of C#. */
static bool pass_raw(cv_notes_walk *w)
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
    cv_walk_quoted(w, CV_DOUBLES | CV_GOES_ON);
    return true;
}

/* [[…]], [==[…]==] of Lua; behind "--" a comment. */
static bool pass_brackets(cv_notes_walk *w)
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
static bool pass_percent(cv_notes_walk *w)
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
static bool pass_document(cv_notes_walk *w)
{
    static const cv_str ends[] = {CV_STR_INIT("__END__"), CV_STR_INIT("__DATA__")};
    cv_notes_line line = cv_line_at(w->text, w->at);
    cv_str s = cv_line_text(w->text, line);
    for (size_t i = 0; i < CV_COUNT(ends); i++)
        if (cv_str_eq(cv_str_trim_right(s), ends[i])) {
            cv_walk_on(w, w->at, CV_AT_CODE);
            w->last = CV_AT_STRING;
            cv_walk_pass(w, w->text.n, CV_AT_STRING);
            return true;
        }
    if (s.n < 2 || s.p[0] != '=' || !cv_is_alpha(s.p[1]))
        return false;
    while (line.start < w->text.n && !cv_str_starts(s, CV_STR("=cut")) && !cv_str_starts(s, CV_STR("=end"))) {
        line = cv_line_at(w->text, line.next);
        s = cv_line_text(w->text, line);
    }
    cv_walk_pass(w, line.next, CV_AT_STRING);
    return true;
}

/* The data of PostgreSQL's COPY … FROM stdin; up to the line "\.". */
static bool pass_copy(cv_notes_walk *w)
{
    cv_notes_line line = cv_line_at(w->text, w->at);
    cv_str s = cv_str_trim_right(cv_line_text(w->text, line));
    if (!cv_str_starts_nocase(s, CV_STR("copy ")) || cv_str_find_nocase(s, CV_STR("from stdin")) == SIZE_MAX ||
        !cv_str_ends(s, CV_STR(";")))
        return false;
    cv_walk_on(w, line.end, CV_AT_CODE);
    return pass_to(w, w->at, CV_STR("\n\\."), CV_AT_STRING) || w->at > line.start;
}

/* ---- code -------------------------------------------------------------------------------------------------------- */

/* Can a "/" here begin a regular expression? After a value it divides. */
static bool begins_pattern(const cv_notes_walk *w)
{
    size_t i = w->at;
    while (i > 0 && (w->text.p[i - 1] == ' ' || w->text.p[i - 1] == '\t'))
        i--;
    return i == 0 || strchr(w->loose ? "(,=:[!&|?{};\n+-*%<>~^)" : "(,=:[!&|?{};\n+-*%<>~^", w->text.p[i - 1]) ||
           (i >= 6 && memcmp(w->text.p + i - 6, "return", 6) == 0);
}

static void pass_pattern(cv_notes_walk *w)
{
    bool in_class = false;
    size_t i = w->at + 1, end = cv_walk_line_end(w, w->at);
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
    cv_walk_pass(w, i < end ? i : end, CV_AT_CODE);
}

void cv_walk_code(cv_notes_walk *w, size_t to)
{
    cv_walk_on(w, to, CV_AT_CODE);
}

static bool pass_comment(cv_notes_walk *w, const cv_lexis *l)
{
    if (l->open && cv_walk_starts(w, l->open)) {
        cv_walk_pass(w, cv_walk_behind(w, w->at + strlen(l->open), l->close, CV_AT_COMMENT), CV_AT_COMMENT);
        return true;
    }
    if (l->line && cv_walk_starts(w, l->line)) {
        cv_walk_code(w, cv_walk_line_end(w, w->at));
        return true;
    }
    return false;
}

/* $tag$ … $tag$ of PostgreSQL. */
static bool pass_dollar(cv_notes_walk *w)
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
    cv_walk_pass(w, w->at + tag.n + found + tag.n, CV_AT_STRING);
    return true;
}

static bool is_line_start(const cv_notes_walk *w)
{
    return w->at == 0 || w->text.p[w->at - 1] == '\n';
}

/* s/don't/do/, m|…|, qr!…! of Perl, on one line. */
static bool pass_replacement(cv_notes_walk *w)
{
    static const cv_str words[] = {CV_STR_INIT("s"), CV_STR_INIT("y"), CV_STR_INIT("tr"), CV_STR_INIT("m"),
                                   CV_STR_INIT("qr")};
    cv_str s = cv_span_of(w->text, (cv_span){w->at, cv_walk_line_end(w, w->at)});
    bool in_word = w->at > 0 && (cv_is_alnum(w->text.p[w->at - 1]) || strchr("_$@%&-{", w->text.p[w->at - 1]));
    for (size_t i = 0; !in_word && i < CV_COUNT(words); i++) {
        size_t at = words[i].n, left = i < 3 ? 2 : 1; /* parts to pass */
        if (!cv_str_starts(s, words[i]) || at >= s.n || !strchr("/|!", s.p[at]))
            continue;
        for (char end = s.p[at++]; at < s.n && left; at++) {
            left -= s.p[at] == end ? 1 : 0;
            at += s.p[at] == '\\' ? 1 : 0;
        }
        if (left)
            continue;
        cv_walk_code(w, w->at + (at < s.n ? at : s.n));
        return true;
    }
    return false;
}

/* Tcl: what is in braces may be data. */
static bool pass_data(cv_notes_walk *w)
{
    size_t depth = 0, i = w->at;
    if (w->text.p[i] != '{')
        return false;
    for (; i < w->text.n; i++) {
        char c = w->text.p[i];
        depth += c == '{';
        if (c == '\\')
            i++;
        else if (c == '}' && --depth == 0)
            break;
    }
    if (i >= w->text.n)
        w->last = CV_AT_STRING;
    cv_walk_pass(w, i < w->text.n ? i + 1 : w->text.n, CV_AT_STRING);
    return true;
}

/* @" … "@ of PowerShell: each mark is at the edge of a line. */
static bool pass_here_string(cv_notes_walk *w)
{
    cv_str s = cv_str_from(w->text, w->at);
    if (s.n < 3 || s.p[0] != '@' || (s.p[1] != '"' && s.p[1] != '\'') || !cv_is_space(s.p[2]))
        return false;
    return pass_to(w, w->at + 2, s.p[1] == '"' ? CV_STR("\n\"@") : CV_STR("\n'@"), CV_AT_STRING);
}

/* What only some languages have. */
static bool pass_special(cv_notes_walk *w, const cv_lexis *l)
{
    char c = w->text.p[w->at];
    if (l->template && c == '`') {
        pass_template(w);
        return true;
    }
    return (l->template && pass_brace(w)) || (l->raw && (c == 'R' || c == 'r' || c == '@') && pass_raw(w)) ||
           (c == '@' && l->here && pass_here_string(w)) ||
           (l->brackets && (c == '[' || c == '-') && pass_brackets(w)) ||
           (l->perl && (c == '%' || c == 'q') && pass_percent(w)) ||
           (l->perl && (c == '=' || c == '_') && is_line_start(w) && pass_document(w)) ||
           (l->pattern && l->perl && cv_is_alpha(c) && pass_replacement(w)) || (l->braces && pass_data(w)) ||
           (l->dollar && (c == 'C' || c == 'c') && is_line_start(w) && pass_copy(w));
}

static bool pass_string(cv_notes_walk *w, const cv_lexis *l)
{
    char c = w->text.p[w->at];
    if (l->triple && (cv_walk_starts(w, "\"\"\"") || cv_walk_starts(w, "'''")))
        pass_triple(w, l->escape);
    else if (l->text && cv_walk_starts(w, l->text))
        cv_walk_pass(w, cv_walk_behind(w, w->at + strlen(l->text), l->text, CV_AT_STRING), CV_AT_STRING);
    else if (l->plain_quotes && strchr(l->plain_quotes, c))
        cv_walk_quoted(w, CV_GOES_ON);
    else if (l->long_quotes && strchr(l->long_quotes, c))
        cv_walk_quoted(w, l->escape | CV_GOES_ON);
    else if (l->quotes && strchr(l->quotes, c))
        cv_walk_quoted(w, l->escape);
    else if (l->pattern && c == '/' && begins_pattern(w))
        pass_pattern(w);
    else if (l->heredoc && cv_walk_starts(w, "<<<"))
        cv_walk_code(w, w->at + 3);
    else
        return (l->dollar && c == '$' && pass_dollar(w)) ||
               (l->heredoc && cv_walk_starts(w, "<<") && cv_walk_heredoc(w, 2));
    return true;
}

/* A "#" begins a comment of a shell only where a word could begin. */
static bool is_inside_word(const cv_notes_walk *w)
{
    return w->text.p[w->at] == '#' && w->at > 0 && !cv_is_space(w->text.p[w->at - 1]);
}

void cv_walk_step(cv_notes_walk *w, const cv_lexis *l)
{
    char c = w->text.p[w->at];
    if (l->shell && (is_inside_word(w) || c == '\\'))
        cv_walk_code(w, w->at + (c == '\\' ? 2 : 1));
    else if (c == '\0' || /* strchr would find it everywhere */
             (!pass_special(w, l) && !pass_comment(w, l) && !pass_string(w, l)))
        cv_walk_code(w, w->at + 1);
}
