/* states.c - is a line in code, in a comment, in a string, in a fence? See reading.h.
 *
 * Each language has strings and comments (cv_lexis), or a walk of its own.
 */
#include <assert.h>

#include "notes/text/walk.h"

/* ---- PHP: code between <?php and ?>, the rest is text --------------------------------------------------------------
 */

static void walk_php(cv_notes_walk *w)
{
    bool inside = false;
    static const cv_lexis php = {.open = "/*", .close = "*/", .long_quotes = "\"'`", .escape = CV_ESCAPES};
    while (w->next < w->count && w->at < w->text.n) {
        if (!inside) {
            size_t open = cv_str_find(cv_str_from(w->text, w->at), CV_STR("<?"));
            size_t to = open == SIZE_MAX ? w->text.n : w->at + open + 2;
            cv_walk_pass(w, to, CV_AT_OUTSIDE);
            inside = open != SIZE_MAX;
        } else if (cv_walk_starts(w, "?>")) {
            cv_walk_code(w, w->at + 2);
            inside = false;
        } else if (cv_walk_starts(w, "//") || (cv_walk_starts(w, "#") && !cv_walk_starts(w, "#["))) {
            size_t end = cv_walk_line_end(w, w->at);
            size_t close = cv_str_find(cv_span_of(w->text, (cv_span){w->at, end}), CV_STR("?>"));
            cv_walk_code(w, close == SIZE_MAX ? end : w->at + close); /* "?>" ends PHP in a line comment, too */
        } else if (!(cv_walk_starts(w, "<<<") && cv_walk_heredoc(w, 3))) {
            cv_walk_step(w, &php);
        }
    }
    if (!inside)
        w->last = CV_AT_OUTSIDE;
}

/* ---- HTML: text between tags; nothing is put into tags, scripts, styles
 * ------------------------------------------------ */

/* A tag may have ">" in the quotes of its attributes. */
static void pass_tag(cv_notes_walk *w)
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
    cv_walk_pass(w, i < w->text.n ? i + 1 : w->text.n, CV_AT_STRING);
}

static void walk_html(cv_notes_walk *w)
{
    static const char *const raw[] = {"script", "style",  "pre",     "textarea", "title",
                                      "xmp",    "iframe", "noembed", "noframes", "plaintext"};
    while (w->next < w->count && w->at < w->text.n) {
        if (cv_walk_starts(w, "<!--")) {
            cv_walk_pass(w, cv_walk_behind(w, w->at + 4, "-->", CV_AT_HTML_COMMENT), CV_AT_HTML_COMMENT);
            continue;
        }
        if (w->text.p[w->at] != '<') {
            const char *tag = memchr(w->text.p + w->at, '<', w->text.n - w->at);
            size_t to = tag ? (size_t)(tag - w->text.p) : w->text.n;
            cv_walk_code(w, to);
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
        cv_walk_pass(w, found == SIZE_MAX ? w->text.n : w->at + found + strlen(until), CV_AT_STRING);
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

static void walk_markdown(cv_notes_walk *w)
{
    char fence = 0;
    size_t length = 0;
    const char *until = NULL; /* of <pre> and comments */
    cv_at state = CV_AT_CODE;
    while (w->next < w->count && w->at < w->text.n) {
        cv_notes_line line = cv_line_at(w->text, w->at);
        cv_str content = cv_line_text(w->text, line), s = cv_str_trim(content);
        bool was = state != CV_AT_CODE;
        if (length ? closes(content, fence, length) : until && cv_str_find_nocase(s, cv_str_of(until)) != SIZE_MAX) {
            cv_walk_on(w, line.start, state);
            length = 0;
            until = NULL;
            state = CV_AT_CODE;
        } else if (!was && ((length = fence_of(content, &fence)) > 0 || (until = raw_end(s)) != NULL)) {
            cv_walk_on(w, line.start, CV_AT_CODE);
            state = CV_AT_FENCE;
        } else if (!was && cv_str_starts(s, CV_STR("<!--")) && cv_str_find(s, CV_STR("-->")) == SIZE_MAX) {
            cv_walk_on(w, line.start, CV_AT_CODE);
            until = "-->";
            state = CV_AT_HTML_COMMENT;
        } else {
            cv_walk_on(w, line.start, state);
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
static size_t quoted_beyond(cv_notes_walk *w, cv_notes_line line)
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

static void walk_yaml(cv_notes_walk *w)
{
    size_t scalar = SIZE_MAX; /* the indentation of its key */
    while (w->next < w->count && w->at < w->text.n) {
        cv_notes_line line = cv_line_at(w->text, w->at);
        cv_str content = cv_line_text(w->text, line);
        size_t indent = cv_notes_indent(content);
        if (scalar != SIZE_MAX && indent <= scalar && !cv_notes_is_blank(content))
            scalar = SIZE_MAX;
        cv_walk_on(w, line.start, scalar == SIZE_MAX ? CV_AT_CODE : CV_AT_STRING);
        if (scalar == SIZE_MAX && opens_scalar(content))
            scalar = indent;
        size_t quoted = scalar == SIZE_MAX ? quoted_beyond(w, line) : 0;
        w->at = line.next;
        if (quoted > w->at) {
            if (quoted == w->text.n)
                w->last = CV_AT_STRING;
            cv_walk_on(w, quoted, CV_AT_STRING);
            w->at = cv_line_at(w->text, quoted).next;
        }
    }
    w->last = scalar == SIZE_MAX ? w->last : CV_AT_STRING;
}

/* ---- TeX: what is printed as it is --------------------------------------------------------------------------------
 */

static void walk_tex(cv_notes_walk *w)
{
    static const char *const words[] = {"verbatim", "Verbatim",     "lstlisting", "minted",
                                        "comment",  "filecontents", "alltt"};
    while (w->next < w->count && w->at < w->text.n) {
        cv_str s = cv_str_from(w->text, w->at), end = {0};
        for (size_t i = 0; i < CV_COUNT(words) && cv_str_starts(s, CV_STR("\\begin{")) && !end.n; i++)
            if (cv_str_starts(cv_str_from(s, 7), cv_str_of(words[i])))
                end = cv_str_of(words[i]);
        size_t found = SIZE_MAX, from = 7;
        while (end.n && (found = cv_str_find(cv_str_from(s, from), CV_STR("\\end{"))) != SIZE_MAX &&
               !cv_str_starts(cv_str_from(s, from + found + 5), end))
            from += found + 5;
        if (end.n) {
            w->last = found == SIZE_MAX ? CV_AT_STRING : w->last;
            cv_walk_pass(w, found == SIZE_MAX ? w->text.n : w->at + from + found, CV_AT_STRING);
        } else {
            cv_walk_code(w, s.p[0] == '%' ? cv_walk_line_end(w, w->at) + 1 : w->at + 1);
        }
    }
}

/* ---- make: the lines of a variable that is defined over several ----------------------------------------------------
 */

static cv_str first_word(cv_str s)
{
    size_t n = 0;
    while (n < s.n && !cv_is_blank(s.p[n]))
        n++;
    return cv_str_head(s, n);
}

static void walk_make(cv_notes_walk *w)
{
    size_t depth = 0;
    while (w->next < w->count && w->at < w->text.n) {
        cv_notes_line line = cv_line_at(w->text, w->at);
        cv_str s = cv_str_trim(cv_line_text(w->text, line));
        cv_walk_on(w, line.start, depth ? CV_AT_STRING : CV_AT_CODE);
        cv_str first = first_word(s);
        while (cv_str_eq(first, CV_STR("override")) || cv_str_eq(first, CV_STR("export"))) {
            s = cv_str_trim_left(cv_str_from(s, first.n));
            first = first_word(s);
        }
        depth += cv_str_eq(first, CV_STR("define"));
        depth -= depth && cv_str_eq(first, CV_STR("endef"));
        w->at = line.next;
    }
    w->last = depth ? CV_AT_STRING : w->last;
}

/* ---- all
 * ------------------------------------------------------------------------------------------------------------- */

/* The second row of a pair is how another dialect has it, or how it is when a quote is not what it seems to be. A note
 * goes only where both say that it may. */
static const cv_lexis sql[] = {
    {.line = "--", .open = "/*", .close = "*/", .long_quotes = "'\"`", .escape = CV_DOUBLES, .dollar = true},
    {.line = "--",
     .open = "/*",
     .close = "*/",
     .long_quotes = "'\"`",
     .escape = CV_DOUBLES | CV_ESCAPES,
     .dollar = true}};
static const cv_lexis lua[] = {{.line = "--", .quotes = "\"'", .escape = CV_ESCAPES, .brackets = true}};
static const cv_lexis haskell[] = {
    {.line = "--", .open = "{-", .close = "-}", .quotes = "\"", .escape = CV_ESCAPES, .triple = true},
    {.line = "--", .open = "{-", .close = "-}", .quotes = "\"'", .escape = CV_ESCAPES, .triple = true}};
static const cv_lexis script[] = {{.line = "//",
                                   .open = "/*",
                                   .close = "*/",
                                   .quotes = "\"'",
                                   .escape = CV_ESCAPES,
                                   .pattern = true,
                                   .template = true}};
static const cv_lexis go[] = {
    {.line = "//", .open = "/*", .close = "*/", .quotes = "\"'", .plain_quotes = "`", .escape = CV_ESCAPES}};
static const cv_lexis c_like[] = {
    {.line = "//", .open = "/*", .close = "*/", .quotes = "\"'", .escape = CV_ESCAPES, .triple = true, .raw = true},
    {.line = "//",
     .open = "/*",
     .close = "*/",
     .quotes = "'",
     .long_quotes = "\"",
     .escape = CV_ESCAPES,
     .triple = true,
     .raw = true}};
static const cv_lexis css[] = {{.open = "/*", .close = "*/", .quotes = "\"'", .escape = CV_ESCAPES}};
static const cv_lexis python[] = {{.line = "#", .quotes = "\"'", .escape = CV_ESCAPES, .triple = true}};
static const cv_lexis toml[] = {{.line = "#", .quotes = "\"'", .escape = CV_ESCAPES, .triple = true},
                                {.line = "#", .quotes = "\"'", .triple = true}};
static const cv_lexis shell[] = {
    {.line = "#", .long_quotes = "\"'`", .escape = CV_ESCAPES, .heredoc = true, .shell = true, .perl = true}};
static const cv_lexis ruby[] = {
    {.line = "#", .long_quotes = "\"'`", .escape = CV_ESCAPES, .heredoc = true, .shell = true, .perl = true},
    {.line = "#",
     .long_quotes = "\"'`",
     .escape = CV_ESCAPES,
     .heredoc = true,
     .shell = true,
     .perl = true,
     .pattern = true}};
static const cv_lexis triple[] = {
    {.line = "#", .open = "#=", .close = "=#", .long_quotes = "\"", .escape = CV_ESCAPES, .triple = true},
    {.line = "#", .long_quotes = "\"'`", .escape = CV_ESCAPES, .shell = true}};
static const cv_lexis tcl[] = {{.line = "#", .long_quotes = "\"", .escape = CV_ESCAPES, .shell = true, .braces = true}};
static const cv_lexis powershell[] = {
    {.line = "#", .open = "<#", .close = "#>", .long_quotes = "\"'", .escape = CV_DOUBLES | CV_BACKTICKS, .here = true},
    {.line = "#", .open = "<#", .close = "#>", .long_quotes = "\"'", .escape = CV_DOUBLES, .here = true}};
static const cv_lexis cmake[] = {{.line = "#", .long_quotes = "\"", .escape = CV_ESCAPES, .brackets = true}};
static const cv_lexis heredoc[] = {{.line = "#", .heredoc = true}};
static const cv_lexis nix[] = {
    {.line = "#", .open = "/*", .close = "*/", .long_quotes = "\"", .text = "''", .escape = CV_ESCAPES}};
static const cv_lexis env[] = {{.line = "#", .long_quotes = "\"'`", .escape = CV_ESCAPES}};
static const cv_lexis lisp[] = {{.line = ";", .open = "#|", .close = "|#", .long_quotes = "\"", .escape = CV_ESCAPES}};

static void walk_code(cv_notes_walk *w, const cv_lexis *l)
{
    while (w->next < w->count && w->at < w->text.n)
        cv_walk_step(w, l);
}

typedef struct {
    void (*walk)(cv_notes_walk *w); /* of languages that are not code; NULL: by these */
    const cv_lexis *one, *other;
} reading;

#define ONE(lexis) NULL, &(lexis)[0], &(lexis)[0]
#define BOTH(lexis) NULL, &(lexis)[0], &(lexis)[1]
static const reading readings[CV_READ_COUNT] = {
    [CV_READ_MARKDOWN] = {walk_markdown, NULL, NULL},
    [CV_READ_PHP] = {walk_php, NULL, NULL},
    [CV_READ_SQL] = {BOTH(sql)},
    [CV_READ_LUA] = {ONE(lua)},
    [CV_READ_HASKELL] = {BOTH(haskell)},
    [CV_READ_SCRIPT] = {ONE(script)},
    [CV_READ_GO] = {ONE(go)},
    [CV_READ_C] = {BOTH(c_like)},
    [CV_READ_CSS] = {ONE(css)},
    [CV_READ_HTML] = {walk_html, NULL, NULL},
    [CV_READ_PYTHON] = {ONE(python)},
    [CV_READ_TOML] = {BOTH(toml)},
    [CV_READ_SHELL] = {ONE(shell)},
    [CV_READ_RUBY] = {BOTH(ruby)},
    [CV_READ_TRIPLE] = {BOTH(triple)},
    [CV_READ_TCL] = {ONE(tcl)},
    [CV_READ_POWERSHELL] = {BOTH(powershell)},
    [CV_READ_YAML] = {walk_yaml, NULL, NULL},
    [CV_READ_MAKE] = {walk_make, NULL, NULL},
    [CV_READ_CMAKE] = {ONE(cmake)},
    [CV_READ_HEREDOC] = {ONE(heredoc)},
    [CV_READ_NIX] = {ONE(nix)},
    [CV_READ_ENV] = {ONE(env)},
    [CV_READ_LISP] = {ONE(lisp)},
    [CV_READ_TEX] = {walk_tex, NULL, NULL},
    [CV_READ_LINES] = {NULL, NULL, NULL},
};

void cv_notes_states(cv_str text, cv_notes_reader reader, bool other, size_t from, const size_t *offsets, size_t count,
                     cv_at *ret_at)
{
    assert(reader < CV_READ_COUNT && from <= text.n);
    if (from == 0 && cv_str_starts(text, CV_STR("\xEF\xBB\xBF")))
        from = 3; /* the first line begins behind a byte order mark */
    cv_notes_walk w = {.text = text, .at = from, .offsets = offsets, .count = count, .ret = ret_at, .loose = other};
    for (size_t i = 0; i < count; i++)
        ret_at[i] = CV_AT_CODE;
    while (w.next < count && offsets[w.next] <= from)
        ret_at[w.next++] = reader == CV_READ_PHP ? CV_AT_OUTSIDE : CV_AT_CODE;
    const reading *how = &readings[reader];
    if (how->walk)
        how->walk(&w);
    else if (how->one)
        walk_code(&w, other ? how->other : how->one);
    assert(w.next <= count && w.depth <= CV_MOST_NESTED);
    while (w.next < count)
        ret_at[w.next++] = w.last;
}
