/* header.c - the WOLFIE header at the top of a file; see note.h.
 *
 *     BOM?  shebang?  <?php?  <!DOCTYPE …>?  then
 *       ---              bare, up to the next ---
 *       C's  <!--  """   a comment; in it "---" … "---", or keys up to its end
 *       --  #  //        lines of one comment, up to the first that says nothing or is none
 *       key:             its opening line is missing
 *
 * A header has a key "wolfie.header…" or "dialog"; other front matter is foreign. What is not closed, not opened or
 * mistyped is read anyway and says so in its state: it must not be changed.
 */
#include "notes/text/reading.h"

const cv_str cv_header_states[CV_HEADER_STATE_COUNT] = {
    CV_STR_INIT("it has no WOLFIE header"),
    CV_STR_INIT(""),
    CV_STR_INIT("it begins with front matter that is not a WOLFIE header"),
    CV_STR_INIT("its header is not closed: the second line '---' is missing"),
    CV_STR_INIT("its header is not opened: the first line '---' is missing"),
    CV_STR_INIT("the line that opens its header is mistyped: it must be '---'"),
    CV_STR_INIT("its header has no lines '---' around it"),
    CV_STR_INIT("its header is in a code fence, like an example"),
};

static bool is_header_key(cv_str content, bool item)
{
    cv_str key, rest;
    return cv_notes_split_key(content, item, &key, &rest) &&
           (cv_str_starts_nocase(key, CV_STR("wolfie.header")) ||
            (cv_str_eq_nocase(key, CV_STR("dialog")) && cv_notes_is_blank(rest)) ||
            cv_str_starts_nocase(key, CV_STR("dialog.speaker")));
}

/* ---- what is before it ------------------------------------------------------------------------------------------- */

static bool is_before_header(cv_str line, bool first)
{
    return cv_notes_is_blank(line) || (first && cv_str_starts(line, CV_STR("#!"))) ||
           cv_str_eq(cv_str_trim(line), CV_STR("<?php")) || cv_str_starts_nocase(line, CV_STR("<!doctype")) ||
           cv_str_starts(line, CV_STR("<?xml")) || cv_str_starts(line, CV_STR("@charset"));
}

size_t cv_notes_behind_doctype(cv_str text, size_t start)
{
    size_t end = cv_str_find_char(cv_str_from(text, start), '>');
    return cv_line_at(text, end == SIZE_MAX ? start : start + end).next;
}

/* ---- delimited by lines "---" ------------------------------------------------------------------------------------ */

/* The keys between the rule that the cursor is behind and the next one. False: there is no next one. */
static bool read_delimited(cv_cursor *c, cv_notes_header *h)
{
    h->inside.start = c->line.start;
    h->line = c->number;
    for (; !cv_cursor_ended(c); cv_cursor_next(c))
        if (cv_notes_is_rule(c->content)) {
            h->inside.end = c->line.start;
            h->at.end = c->line.next;
            h->last_line = c->number;
            return true;
        }
    h->inside.end = h->at.end = c->limit;
    h->last_line = c->number ? c->number - 1 : 0;
    return false;
}

/* "DIALOG:" in capitals and nothing of WOLFIE: an inline dialog that happens to come first. */
static bool is_inline(const cv_notes_header *h)
{
    return !h->is_wolfie && h->dialogs && cv_str_eq(h->keys[0].key, CV_STR("DIALOG"));
}

static bool take(cv_arena *a, cv_notes_file *file, cv_notes_header *h)
{
    cv_note_list notes = {0};
    cv_notes_read_keys(a, file->text, h, &notes);
    if ((!h->is_wolfie && !h->dialogs && !notes.count) || is_inline(h))
        return false;
    bool encloses = h->container == CV_IN_BLOCK || h->container == CV_IN_HTML || h->container == CV_IN_DOCSTRING;
    if (!encloses) /* lines behind it belong to others */
        h->whole.end = h->at.end;
    if (h->container == CV_IN_BARE)
        h->whole.start = h->at.start;
    file->header = *h;
    file->headers++;
    for (size_t i = 0; i < notes.count; i++)
        *CV_PUSH(a, file) = notes.items[i];
    return true;
}

static void read_bare(cv_arena *a, cv_notes_file *file, cv_notes_line opening, size_t number, cv_header_state state)
{
    cv_notes_header h = {.state = state, .container = CV_IN_BARE, .at = {opening.start, 0}};
    cv_cursor c = cv_cursor_at(a, file->text, CV_IN_BARE, (cv_span){opening.next, file->text.n}, number + 1);
    if (!read_delimited(&c, &h) && state == CV_HEADER_WHOLE)
        h.state = CV_HEADER_UNCLOSED;
    if (!take(a, file, &h) && h.state == CV_HEADER_WHOLE && !is_inline(&h)) {
        h.state = CV_HEADER_FOREIGN;
        file->header = h;
    }
}

/* Keys at the top without an opening line: up to the next rule, or as far as they look like keys. */
static void read_unopened(cv_arena *a, cv_notes_file *file, cv_notes_line first, size_t number)
{
    cv_notes_header h = {.state = CV_HEADER_UNOPENED, .container = CV_IN_BARE, .at = {first.start, 0}};
    cv_cursor c = cv_cursor_at(a, file->text, CV_IN_BARE, (cv_span){first.start, file->text.n}, number);
    h.inside.start = c.line.start;
    h.line = c.number;
    cv_str key, rest;
    while (!cv_cursor_ended(&c) && !cv_notes_is_rule(c.content) &&
           (cv_notes_is_blank(c.content) || cv_notes_indent(c.content) > 0 || c.content.p[0] == '-' ||
            cv_notes_split_key(c.content, false, &key, &rest)))
        cv_cursor_next(&c);
    if (cv_cursor_ended(&c) || !cv_notes_is_rule(c.content))
        h.state = CV_HEADER_UNFENCED;
    h.inside.end = c.line.start;
    h.at.end = h.state == CV_HEADER_UNOPENED ? c.line.next : c.line.start;
    h.last_line = h.state == CV_HEADER_UNOPENED ? c.number : c.number - 1;
    take(a, file, &h);
}

/* ---- in comments ------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_notes_container container;
    cv_span lines; /* those that can hold keys */
    size_t number; /* of the first */
    size_t behind; /* where the file goes on */
    size_t behind_number;
    size_t start; /* of the comment */
} comment;

static size_t lines_in(cv_str text, size_t from, size_t to)
{
    return cv_notes_line_of(cv_str_from(text, from), to - from) - 1;
}

/* A comment with an end of its own; what is on its first line behind the opener is not looked at. */
static comment enclosed(cv_str text, cv_notes_line line, size_t number, cv_notes_container container, cv_str close)
{
    size_t body = line.next, found = cv_str_find(cv_str_from(text, body), close);
    size_t end = found == SIZE_MAX ? text.n : body + found;
    size_t last = found == SIZE_MAX ? text.n : cv_line_start(text, end);
    size_t behind = found == SIZE_MAX ? text.n : cv_line_at(text, end).next;
    return (comment){container, {body, last < body ? body : last},           number + 1,
                     behind,    number + lines_in(text, line.start, behind), line.start};
}

static comment run_of_lines(cv_arena *a, cv_str text, cv_notes_line line, size_t number, cv_notes_container container)
{
    cv_cursor c = cv_cursor_at(a, text, container, (cv_span){line.start, text.n}, number);
    while (!cv_cursor_ended(&c))
        cv_cursor_next(&c);
    return (comment){container, {line.start, c.line.start}, number, c.line.start, c.number, line.start};
}

/* "//" and "--" in every language but Markdown, the others where the language has them. */
static bool is_line_comment(const cv_notes_file *file, cv_str s, cv_notes_container *ret)
{
    static const cv_notes_container marks[] = {CV_IN_SLASHES, CV_IN_DASHES, CV_IN_HASH, CV_IN_SEMICOLON, CV_IN_PERCENT};
    const cv_notes_language_row *language = &cv_notes_languages[file->language];
    for (size_t i = 0; i < CV_COUNT(marks); i++) {
        bool is_own = marks[i] == language->note ||
                      (marks[i] == CV_IN_HASH && (language->reader == CV_READ_LINES || file->language == CV_LANG_PHP));
        bool is_usual = marks[i] == CV_IN_SLASHES || (marks[i] == CV_IN_DASHES && language->reader != CV_READ_MARKDOWN);
        *ret = marks[i];
        if ((is_own || is_usual) && cv_str_starts(s, cv_str_trim(cv_notes_containers[marks[i]].prefix)))
            return true;
    }
    return false;
}

/* It begins with the quotes and does not end with the same on this line. */
static bool opens(cv_str s, cv_str quotes)
{
    return cv_str_starts(s, quotes) && cv_str_find(cv_str_from(s, quotes.n), quotes) == SIZE_MAX;
}

/* The comment that begins on this line; false: none does. */
static bool comment_at(cv_arena *a, const cv_notes_file *file, cv_notes_line line, size_t number, comment *ret)
{
    cv_str s = cv_str_trim(cv_line_text(file->text, line));
    cv_notes_container container;
    bool is_closed = cv_str_find(cv_str_from(s, 2), CV_STR("*/")) != SIZE_MAX;
    if (cv_str_starts(s, CV_STR("/*")) && !is_closed)
        *ret = enclosed(file->text, line, number, CV_IN_BLOCK, CV_STR("*/"));
    else if (cv_str_starts(s, CV_STR("<!--")) && cv_str_find(s, CV_STR("-->")) == SIZE_MAX)
        *ret = enclosed(file->text, line, number, CV_IN_HTML, CV_STR("-->"));
    else if (file->language == CV_LANG_PYTHON && opens(s, CV_STR("\"\"\"")))
        *ret = enclosed(file->text, line, number, CV_IN_DOCSTRING, CV_STR("\"\"\""));
    else if (file->language == CV_LANG_PYTHON && opens(s, CV_STR("'''")))
        *ret = enclosed(file->text, line, number, CV_IN_DOCSTRING, CV_STR("'''"));
    else if (is_line_comment(file, s, &container))
        *ret = run_of_lines(a, file->text, line, number, container);
    else
        return false;
    return true;
}

/* Where keys without lines "---" end: at a banner, in comments of lines also at one that says nothing. */
static void read_undelimited(cv_cursor *c, cv_notes_header *h)
{
    bool is_block = h->container == CV_IN_BLOCK || h->container == CV_IN_HTML || h->container == CV_IN_DOCSTRING;
    h->inside.start = c->line.start;
    h->line = c->number;
    while (!cv_cursor_ended(c) && !cv_notes_is_banner(c->content) && !cv_notes_is_rule(c->content) &&
           (is_block || !cv_notes_is_blank(c->content)))
        cv_cursor_next(c);
    h->inside.end = c->line.start;
    h->last_line = c->number - 1;
    h->at.end = c->line.start;
}

/* Is there a header in this comment? */
static bool read_comment(cv_arena *a, cv_notes_file *file, const comment *in)
{
    cv_notes_header h = {.state = CV_HEADER_WHOLE, .container = in->container, .whole = {in->start, in->behind}};
    cv_cursor c = cv_cursor_at(a, file->text, in->container, in->lines, in->number);
    bool items = in->container == CV_IN_DOCSTRING;
    while (!cv_cursor_ended(&c) && !cv_notes_is_rule(c.content) && !is_header_key(c.content, items))
        cv_cursor_next(&c);
    if (cv_cursor_ended(&c))
        return false;
    h.at.start = c.line.start;
    if (cv_notes_is_rule(c.content)) {
        cv_cursor_next(&c);
        if (!read_delimited(&c, &h))
            h.state = CV_HEADER_UNCLOSED;
    } else {
        read_undelimited(&c, &h);
    }
    return take(a, file, &h);
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

static bool is_mistyped(cv_str line)
{
    cv_str s = cv_str_trim(line);
    return cv_str_eq(s, CV_STR("--")) || cv_str_eq(s, CV_STR("~~---"));
}

static bool key_follows(cv_str text, cv_notes_line line)
{
    cv_str key, rest;
    return line.next < text.n &&
           cv_notes_split_key(cv_line_text(text, cv_line_at(text, line.next)), false, &key, &rest);
}

void cv_notes_read_header(cv_arena *a, cv_notes_file *file)
{
    cv_str text = file->text;
    cv_notes_line line = cv_line_at(text, file->has_bom ? 3 : 0);
    size_t number = 1;
    bool first = true;
    for (int comments = 0; line.start < text.n && comments < CV_NOTES_MAX_HEADER_COMMENTS; first = false) {
        cv_str content = cv_line_text(text, line);
        comment in;
        if (is_before_header(content, first)) {
            bool is_doctype = cv_str_starts_nocase(content, CV_STR("<!doctype"));
            size_t next = is_doctype ? cv_notes_behind_doctype(text, line.start) : line.next;
            number += lines_in(text, line.start, next);
            line = cv_line_at(text, next);
        } else if (cv_str_eq(cv_str_trim_right(content), CV_STR("---"))) {
            read_bare(a, file, line, number, CV_HEADER_WHOLE);
            return;
        } else if (is_mistyped(content) && key_follows(text, line)) {
            read_bare(a, file, line, number, CV_HEADER_MISTYPED);
            return;
        } else if (comment_at(a, file, line, number, &in)) {
            if (read_comment(a, file, &in) || in.behind <= line.start)
                return;
            line = cv_line_at(text, in.behind);
            number = in.behind_number;
            comments++;
        } else {
            cv_str key, rest;
            if (cv_notes_languages[file->language].reader == CV_READ_MARKDOWN &&
                cv_notes_split_key(content, false, &key, &rest))
                read_unopened(a, file, line, number);
            return;
        }
    }
}
