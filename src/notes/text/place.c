/* place.c - where new notes and headers go, and how they are written there; see write.h.
 *
 *     Markdown      C, PHP, JS, CSS       SQL              Python, shell, YAML     HTML
 *     ---           /+                    -- ---           # ---                   <!--
 *     DIALOG:        * ---                -- DIALOG:       # DIALOG:               ---
 *       speaker: …   * DIALOG:            --   speaker: …  #   speaker: …          DIALOG:
 *     ---            * ---                -- ---           # ---                     speaker: …
 *                    +/                                                           --- and -->
 *
 * A note never goes where it would change what the file means: into a string, a fence, a comment, a tag, text outside
 * of PHP, behind a line that goes on, into a table or a heading of Markdown.
 */
#include "notes/text/reading.h"
#include "notes/text/splice.h"
#include "notes/words/errors.h"

#include "base/buf.h"

#define SIGNATURE "explicit architecture with structured clarity for every file."

/* ---- lines of a note
 * ------------------------------------------------------------------------------------------------- */

typedef struct {
    cv_arena *arena;
    cv_buf out;
    cv_notes_container container;
    cv_str indent, eol;
} lines;

static void add_line(lines *l, cv_str text)
{
    cv_buf_add(&l->out, l->indent);
    cv_buf_add(&l->out, cv_notes_containers[l->container].prefix);
    cv_buf_add(&l->out, text);
    cv_buf_add(&l->out, l->eol);
}

static void add_mark(lines *l, cv_str text)
{
    if (!text.n)
        return;
    cv_buf_add(&l->out, l->indent);
    cv_buf_add(&l->out, text);
    cv_buf_add(&l->out, l->eol);
}

static void add_dialog(lines *l, const char *key, const cv_note_values *values)
{
    add_line(l, cv_str_of(key));
    for (int i = 0; i < CV_NOTE_FIELDS; i++)
        if (values->of[i].p)
            add_line(l, cv_arena_printf(
                            l->arena, "  %.*s: %.*s", CV_FMT(cv_note_fields[i].key),
                            CV_FMT(cv_note_encode(l->arena, cv_note_usual_style((cv_note_field_id)i, values->of[i]),
                                                  values->of[i]))));
}

/* ---- headers
 * --------------------------------------------------------------------------------------------------------- */

static cv_str header_text(cv_arena *a, cv_notes_container container, cv_str eol, const cv_note_values *values)
{
    lines l = {.arena = a, .container = container, .eol = eol};
    add_mark(&l, cv_notes_containers[container].open);
    add_line(&l, CV_STR("---"));
    add_line(&l, CV_STR("wolfie.headers: " SIGNATURE));
    add_line(&l, CV_STR("wolfie.headers.version: 4.0.1"));
    add_dialog(&l, "dialog:", values);
    add_line(&l, CV_STR("---"));
    add_mark(&l, cv_notes_containers[container].close);
    return cv_buf_take(&l.out, a);
}

void cv_splice_dialog(cv_arena *a, const cv_notes_file *file, const cv_note_values *values, cv_splices *all)
{
    const cv_notes_header *h = &file->header;
    size_t at = h->inside.end;
    bool is_delimited = h->at.start < h->inside.start;
    for (size_t i = 0; !is_delimited && i < h->key_count && at == h->inside.end; i++)
        if (h->keys[i].value.n && cv_str_starts_nocase(h->keys[i].key, CV_STR("wolfie.header")))
            at = h->keys[i].lines.end;
    lines l = {.arena = a, .container = CV_IN_BARE, .indent = h->lead, .eol = file->eol};
    add_dialog(&l, "dialog:", values);
    cv_splice_add(a, all, (cv_span){at, at}, cv_buf_take(&l.out, a));
}

/* Lines that count only where they come first. */
static const struct {
    cv_notes_language language;
    cv_str begins;
} firsts[] = {
    {CV_LANG_HTML, CV_STR_INIT("<?xml")},
    {CV_LANG_HTML, CV_STR_INIT("<!doctype")},
    {CV_LANG_CSS, CV_STR_INIT("@charset")},
    {CV_LANG_SHELL, CV_STR_INIT("#compdef")},
    {CV_LANG_SHELL, CV_STR_INIT("#autoload")},
    {CV_LANG_YAML, CV_STR_INIT("#cloud-config")},
    {CV_LANG_TEX, CV_STR_INIT("%&")},
    {CV_LANG_HEREDOC, CV_STR_INIT("# syntax=")},
    {CV_LANG_HEREDOC, CV_STR_INIT("# escape=")},
    {CV_LANG_HEREDOC, CV_STR_INIT("# check=")},
    {CV_LANG_HEREDOC, CV_STR_INIT("#syntax=")},
    {CV_LANG_HEREDOC, CV_STR_INIT("#escape=")},
    {CV_LANG_HEREDOC, CV_STR_INIT("# syntax =")},
    {CV_LANG_HEREDOC, CV_STR_INIT("# escape =")},
};

/* The encoding of Python and Ruby, and the line by which an editor, and Emacs Lisp, know how a file is meant. */
static bool says_how_to_read(const cv_notes_file *file, cv_str s)
{
    bool coded = file->language == CV_LANG_PYTHON || file->language == CV_LANG_RUBY;
    cv_str mark = cv_str_trim(cv_notes_containers[cv_notes_languages[file->language].note].prefix);
    return mark.n && cv_str_starts(s, mark) &&
           (cv_str_find(s, CV_STR("-*-")) != SIZE_MAX || (coded && (cv_str_find(s, CV_STR("coding:")) != SIZE_MAX ||
                                                                    cv_str_find(s, CV_STR("coding=")) != SIZE_MAX)));
}

static bool stays_first(const cv_notes_file *file, cv_str s, bool is_first)
{
    for (size_t i = 0; i < CV_COUNT(firsts); i++)
        if (firsts[i].language == file->language && cv_str_starts_nocase(s, firsts[i].begins))
            return true;
    return (is_first && cv_str_starts(s, CV_STR("#!"))) || says_how_to_read(file, s);
}

/* Behind the lines that must stay the first ones; between them there may be comments and blank lines. */
static size_t behind_firsts(const cv_notes_file *file, size_t from)
{
    enum { LOOKED_AT = 4 };
    size_t behind = from, at = from;
    for (int i = 0; i < LOOKED_AT && at < file->text.n; i++) {
        cv_notes_line line = cv_line_at(file->text, at);
        cv_str s = cv_str_trim_left(cv_line_text(file->text, line));
        at = line.next;
        if (stays_first(file, s, i == 0)) {
            behind = at;
            if (cv_str_starts_nocase(s, CV_STR("<!doctype")))
                at = behind = cv_notes_behind_doctype(file->text, line.start);
        } else if (s.n && s.p[0] != '#') {
            break;
        }
    }
    return behind;
}

/* Where a header begins: behind the byte order mark, the shebang, <?php and what else must come first. */
static size_t place_of_header(const cv_notes_file *file, bool *ret_in_line)
{
    cv_str text = file->text;
    size_t at = behind_firsts(file, file->has_bom ? 3 : 0);
    cv_notes_line line = cv_line_at(text, at);
    cv_str s = cv_line_text(text, line);
    *ret_in_line = false;
    if (file->language == CV_LANG_PHP && cv_str_starts(s, CV_STR("<?php"))) {
        *ret_in_line = cv_str_trim(s).n > 5;
        return *ret_in_line ? line.start + 5 : line.next;
    }
    return at;
}

/* The header as it is put there: an empty line follows it, and PHP code is begun where none is. */
static cv_str fitted(cv_arena *a, const cv_notes_file *file, cv_str header, size_t at, bool in_line)
{
    cv_str rest = cv_str_from(file->text, at);
    bool is_php = file->language == CV_LANG_PHP;
    bool outside =
        is_php && !in_line && (at == 0 || (at == 3 && file->has_bom)) && !cv_str_starts(header, CV_STR("---"));
    bool unended = at > 0 && !in_line && file->text.p[at - 1] != '\n' && !(at == 3 && file->has_bom);
    cv_str open = in_line || unended ? file->eol : CV_STR("");
    cv_str php = outside ? cv_arena_printf(a, "<?php%.*s", CV_FMT(file->eol)) : CV_STR("");
    cv_str close = outside && rest.n ? cv_arena_printf(a, "?>%.*s", CV_FMT(file->eol)) : CV_STR("");
    bool blank = rest.n && !in_line && !close.n && !cv_notes_is_blank(cv_line_text(rest, cv_line_at(rest, 0)));
    return cv_arena_printf(a, "%.*s%.*s%.*s%.*s%.*s", CV_FMT(open), CV_FMT(php), CV_FMT(header), CV_FMT(close),
                           CV_FMT(blank ? file->eol : CV_STR("")));
}

static bool no_comments(const cv_notes_file *file, cv_err *err)
{
    bool is_other = file->language == CV_LANG_OTHER;
    cv_err_set(err, CV_ERR_NOTES_NO_COMMENT, "%s",
               is_other ? "the name of the file does not show its language, so the form of its comments is not known"
               : file->language == CV_LANG_XML
                   ? "comments of XML cannot hold the line '---', so a file of this kind cannot have a note"
                   : "files of this kind have no comments that could hold a note");
    cv_err_suggest(err, is_other ? CV_STR("give the file an ending like .sh or .md; or put the note into a file "
                                          "beside it, like its README.md")
                                 : CV_STR("put the note into a file beside it, like its README.md"));
    return false;
}

bool cv_splice_header(cv_arena *a, const cv_notes_file *file, const cv_note_values *values, cv_splices *all,
                      cv_err *err)
{
    cv_notes_container container = cv_notes_languages[file->language].header;
    bool in_line;
    if (container == CV_IN_NONE)
        return no_comments(file, err);
    size_t at = place_of_header(file, &in_line);
    cv_str header = header_text(a, container, file->eol, values);
    cv_splice_add(a, all, (cv_span){at, at}, fitted(a, file, header, at, in_line));
    return true;
}

bool cv_notes_with_header(cv_arena *a, const cv_notes_file *file, cv_str content, cv_str *ret_text, cv_err *err)
{
    cv_notes_file own;
    cv_splices all = {0};
    bool in_line;
    *ret_text = content;
    cv_notes_read(a, content, file->language, 0, &own);
    if (own.header.state != CV_HEADER_NONE || file->header.state == CV_HEADER_NONE)
        return cv_notes_may_set(&own, err);
    if (!cv_notes_may_set(file, err))
        return false;
    size_t at = place_of_header(&own, &in_line);
    cv_str header = cv_span_of(file->text, file->header.whole);
    if (file->header.container == CV_IN_BARE && !in_line)
        at = own.has_bom ? 3 : 0;
    cv_splice_add(a, &all, (cv_span){at, at}, fitted(a, &own, header, at, in_line));
    *ret_text = cv_splice_text(a, content, &all);
    return true;
}

/* ---- where a note may go
 * --------------------------------------------------------------------------------------------- */

static bool no_place(cv_err *err, size_t line, const char *why, const char *advice)
{
    cv_err_at(err, CV_ERR_NOTES_PLACE, line, 1, "a note cannot go before line %zu: %s", line, why);
    cv_err_suggest(err, cv_str_of(advice));
    return false;
}

static size_t count_lines(cv_str text)
{
    size_t breaks = cv_notes_line_of(text, text.n) - 1;
    return text.n && text.p[text.n - 1] != '\n' ? breaks + 1 : breaks;
}

static bool find_line(cv_str text, size_t number, size_t *ret_offset, cv_err *err)
{
    size_t count = count_lines(text), at = 0;
    if (number < 1 || number > count + 1) {
        cv_err_set(err, CV_ERR_NOTES_PLACE, "there is no line %zu: the file has %zu", number, count);
        cv_err_field(err, CV_STR("line"));
        cv_err_suggest(err, cv_arena_printf(err->arena, "name a line from 1 to %zu; %zu puts the note at the end",
                                            count + 1, count + 1));
        return false;
    }
    for (size_t i = 1; i < number; i++)
        at = cv_line_at(text, at).next;
    *ret_offset = at;
    return true;
}

/* "## Section 2" is found as itself and as "Section 2". */
static bool is_named(cv_str line, cv_str name)
{
    cv_str s = cv_str_trim(line);
    if (cv_str_eq(s, name))
        return true;
    size_t hashes = 0;
    while (hashes < s.n && s.p[hashes] == '#')
        hashes++;
    return hashes > 0 && hashes <= 6 && cv_str_eq(cv_str_trim(cv_str_from(s, hashes)), name);
}

static bool find_heading(const cv_notes_file *file, cv_str before, size_t *ret_line, size_t *ret_offset, cv_err *err)
{
    cv_str name = cv_str_trim(before);
    size_t found = 0, number = 1;
    for (size_t at = 0; at < file->text.n; number++) {
        cv_notes_line line = cv_line_at(file->text, at);
        if (at >= file->header.whole.end && is_named(cv_line_text(file->text, line), name) && ++found == 1) {
            *ret_line = number;
            *ret_offset = at;
        }
        at = line.next;
    }
    if (found == 1)
        return true;
    if (found == 0)
        cv_err_set(err, CV_ERR_NOTES_PLACE, "no line of the file is '%.*s'", CV_FMT(before));
    else
        cv_err_set(err, CV_ERR_NOTES_PLACE, "%zu lines of the file are '%.*s', the first is line %zu", found,
                   CV_FMT(before), *ret_line);
    cv_err_field(err, CV_STR("before"));
    cv_err_suggest(err, CV_STR("name the line by its number"));
    return false;
}

static const char *const state_reasons[] = {
    [CV_AT_CODE] = NULL,
    [CV_AT_COMMENT] = "it is in a comment",
    [CV_AT_HTML_COMMENT] = "it is in a comment",
    [CV_AT_STRING] = "it is in a string, a tag or a block of text, and the note would become a part of that",
    [CV_AT_FENCE] = "it is in a code fence, where nothing counts as a note",
    [CV_AT_OUTSIDE] = "it is outside of PHP code, where the note would be printed",
    [CV_AT_MARKUP] = NULL,
    [CV_AT_UNSURE] = NULL,
};
_Static_assert(CV_COUNT(state_reasons) == CV_AT_UNSURE + 1, "a reason for every place");

/* YAML: only before what begins something; the lines of a text that goes on must stay together. */
static bool begins_something(cv_str line)
{
    cv_str s = cv_str_trim(line), key, rest;
    return !s.n || strchr("-#}]", s.p[0]) || cv_notes_split_key(s, false, &key, &rest);
}

/* The first line from here on that is not blank. */
static cv_str next_text(cv_str text, size_t at)
{
    cv_notes_line line = cv_line_at(text, at);
    while (line.next < text.n && cv_notes_is_blank(cv_line_text(text, line)))
        line = cv_line_at(text, line.next);
    return cv_line_text(text, line);
}

/* A line that begins with a tag. */
static bool is_markup(cv_str line)
{
    cv_str s = cv_str_trim(line);
    return s.n >= 2 && s.p[0] == '<' && (cv_is_alpha(s.p[1]) || s.p[1] == '/' || s.p[1] == '>');
}

/* Where the markup of a file cannot be followed: it may begin here, and there a comment would be text. */
static bool may_be_markup(const cv_notes_file *file, cv_str prev, cv_str next)
{
    bool below = cv_notes_indent(next) > 0 && !cv_notes_is_blank(next);
    return is_markup(prev) || is_markup(next) || (file->language == CV_LANG_JSX && below);
}

static const char *trouble_with_lines(const cv_notes_file *file, size_t at, cv_at markup)
{
    cv_notes_reader reader = cv_notes_languages[file->language].reader;
    size_t prev_at = cv_line_before(file->text, at);
    cv_str next = cv_line_text(file->text, cv_line_at(file->text, at));
    cv_str prev = prev_at == SIZE_MAX ? CV_STR("") : cv_line_text(file->text, cv_line_at(file->text, prev_at));
    cv_str trimmed = cv_str_trim(next);
    if (cv_str_ends(prev, CV_STR("\\")) || (reader == CV_READ_POWERSHELL && cv_str_ends(prev, CV_STR("`"))))
        return "the line before it continues here";
    if (markup == CV_AT_UNSURE && may_be_markup(file, prev, next))
        return "it may be in markup, which would show the note";
    if (reader == CV_READ_YAML && !begins_something(next_text(file->text, at)))
        return "it continues the text of the line before it";
    if (reader != CV_READ_MARKDOWN || cv_notes_is_blank(prev))
        return NULL;
    if (trimmed.n && trimmed.p[0] == '|' && cv_str_starts(cv_str_trim(prev), CV_STR("|")))
        return "it is in a table";
    bool is_underline = trimmed.n && (trimmed.p[0] == '=' || trimmed.p[0] == '-');
    for (size_t i = 1; is_underline && i < trimmed.n; i++)
        is_underline = trimmed.p[i] == trimmed.p[0];
    return is_underline ? "it underlines the heading before it" : NULL;
}

/* May a note go there? In which container? */
static bool is_free(const cv_notes_file *file, size_t at, size_t line, cv_notes_container *ret_container, cv_err *err)
{
    const cv_notes_header *h = &file->header;
    cv_notes_reader reader = cv_notes_languages[file->language].reader;
    bool has_header = h->state != CV_HEADER_NONE;
    size_t from = has_header && h->container == CV_IN_BARE ? h->at.end : 0;
    cv_at state, other, markup;
    bool in_line;
    if (!has_header && at < place_of_header(file, &in_line))
        return no_place(err, line, "the first line of the file must stay first", "name a line below it");
    if (has_header && at < h->whole.end)
        return no_place(err, line, "the header must come first and stay whole", "name a line below the header");
    for (size_t i = 0; i < file->count; i++)
        if (at > file->items[i].at.start && at < file->items[i].at.end && file->items[i].kind == CV_NOTE_KIND_INLINE)
            return no_place(err, line, "it is in another note", "name a line before or after that note");
    cv_notes_states(file->text, reader, false, from, &at, 1, &state);
    cv_notes_states(file->text, reader, true, from, &at, 1, &other);
    markup = reader == CV_READ_SCRIPT ? cv_notes_markup_at(file->text, at) : CV_AT_CODE;
    *ret_container = markup == CV_AT_MARKUP ? CV_IN_JSX : cv_notes_languages[file->language].note;
    const char *why = state_reasons[state]   ? state_reasons[state]
                      : state_reasons[other] ? state_reasons[other]
                                             : state_reasons[markup];
    why = why ? why : trouble_with_lines(file, at, markup);
    return !why || no_place(err, line, why, "name another line, before or after that part of the file");
}

/* ---- the note there
 * -------------------------------------------------------------------------------------------------- */

static cv_str note_text(cv_arena *a, const cv_notes_file *file, size_t at, cv_notes_container container,
                        const cv_note_values *values)
{
    cv_str next = cv_line_text(file->text, cv_line_at(file->text, at));
    size_t prev_at = cv_line_before(file->text, at);
    bool indents = container == CV_IN_BLOCK || container == CV_IN_JSX || container == CV_IN_HTML;
    bool unended = at > 0 && file->text.p[at - 1] != '\n';
    cv_str prev = prev_at == SIZE_MAX ? CV_STR("") : cv_line_text(file->text, cv_line_at(file->text, prev_at));
    lines l = {.arena = a, .container = container, .eol = file->eol};
    if (unended)
        cv_buf_add(&l.out, l.eol);
    if (container == CV_IN_BARE && !cv_notes_is_blank(prev))
        cv_buf_add(&l.out, l.eol);
    l.indent = indents ? cv_str_head(next, cv_notes_indent(next)) : CV_STR("");
    add_mark(&l, cv_notes_containers[container].open);
    add_line(&l, CV_STR("---"));
    add_dialog(&l, "DIALOG:", values);
    add_line(&l, CV_STR("---"));
    add_mark(&l, cv_notes_containers[container].close);
    if (container == CV_IN_BARE && at < file->text.n && !cv_notes_is_blank(next))
        cv_buf_add(&l.out, l.eol);
    return cv_buf_take(&l.out, a);
}

static size_t counted(const cv_notes_file *file)
{
    size_t n = 0;
    for (size_t i = 0; i < file->count; i++)
        n += file->items[i].reason == CV_COUNTS;
    return n;
}

bool cv_notes_insert(cv_arena *a, const cv_notes_file *file, const cv_note_insertion *notes, size_t count,
                     cv_str *ret_text, size_t *ret_bad, cv_err *err)
{
    cv_notes_container container = cv_notes_languages[file->language].note, there = container;
    cv_splices all = {0};
    cv_notes_file again;
    for (size_t i = 0; i < count; i++) {
        const cv_note_insertion *one = &notes[i];
        size_t at = 0, line = one->line;
        cv_note_field_id field;
        *ret_bad = i;
        if (container == CV_IN_NONE)
            return no_comments(file, err);
        if (!cv_note_values_fit(&one->values, file->language, container, &field, err) ||
            !(line ? find_line(file->text, line, &at, err) : find_heading(file, one->before, &line, &at, err)))
            return false;
        if (at == 0 && file->has_bom)
            at = 3;
        if (!is_free(file, at, line, &there, err))
            return false;
        cv_splice_add(a, &all, (cv_span){at, at}, note_text(a, file, at, there, &one->values));
    }
    *ret_text = cv_splice_text(a, file->text, &all);
    cv_notes_read(a, *ret_text, file->language, 0, &again);
    bool same_header =
        again.header.state == file->header.state &&
        cv_str_eq(cv_span_of(again.text, again.header.whole), cv_span_of(file->text, file->header.whole));
    if (counted(&again) == counted(file) + count && same_header)
        return true;
    *ret_bad = 0;
    cv_err_set(err, CV_ERR_NOTES_PLACE, "a note at this place would not be read back as one");
    cv_err_suggest(err, CV_STR("name another line"));
    return false;
}
