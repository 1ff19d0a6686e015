/* reader.c - all dialogs of a file; see note.h.
 *
 *     the header at the top
 *     candidates   each line "dialog:" behind a line "---", each "wolfie.header…:" that opens a header further down
 *     states       for all of them in one walk: in a fence, in a string, in a comment, in text
 *     blocks       from each candidate to the next line "---" of the same comment
 *
 * Rules are never paired two by two: a candidate is a line "---" with the key right behind it, and the line that ends
 * one block may begin the next.
 */
#include <assert.h>

#include "notes/text/reading.h"

#include <stdlib.h>

#include "record/hash.h"

bool cv_notes_is_binary(cv_str text)
{
    cv_str head = cv_str_head(text, 8000);
    return cv_str_starts(text, CV_STR("\xff\xfe")) || cv_str_starts(text, CV_STR("\xfe\xff")) ||
           memchr(head.n ? head.p : "", 0, head.n) != NULL;
}

/* ---- keys, at memory speed ----------------------------------------------------------------------------------------
 */

enum { MOST_KEY = 64 };

static bool is_key_char(char c)
{
    return cv_is_alnum(c) || c == '_' || c == '.' || c == '-';
}

/* Is the word that ends before this colon a key of ours? */
static bool is_sign(cv_str text, size_t colon)
{
    size_t at = colon, least = colon > MOST_KEY ? colon - MOST_KEY : 0;
    while (at > least && is_key_char(text.p[at - 1]))
        at--;
    cv_str word = cv_span_of(text, (cv_span){at, colon});
    return word.n >= 6 &&
           (cv_str_starts_nocase(word, CV_STR("dialog")) || cv_str_starts_nocase(word, CV_STR("wolfie.header")) ||
            cv_str_eq_nocase(word, CV_STR("speaker")));
}

/* The next colon behind such a word; SIZE_MAX: there is none. Every key ends in one, and most texts have few. */
static size_t find_sign(cv_str text, size_t from)
{
    while (from < text.n) {
        const char *p = memchr(text.p + from, ':', text.n - from);
        if (!p)
            break;
        size_t at = (size_t)(p - text.p);
        if (at > 0 && is_key_char(p[-1]) && is_sign(text, at))
            return at;
        from = at + 1;
    }
    return SIZE_MAX;
}

bool cv_notes_worth_reading(cv_str text)
{
    return find_sign(text, 0) != SIZE_MAX;
}

/* ---- candidates ---------------------------------------------------------------------------------------------------
 */

typedef struct {
    size_t start;                 /* of the line with the key */
    size_t opening;               /* of the line before it */
    bool is_header;               /* "wolfie.header…": a whole header */
    cv_notes_container container; /* by its prefix; BARE: by its state */
} candidate;

typedef struct {
    candidate *items;
    size_t count, capacity;
} candidates;

static bool is_dialog_line(cv_str content)
{
    cv_str key, rest;
    return cv_notes_split_key(content, false, &key, &rest) && cv_str_eq_nocase(key, CV_STR("dialog")) &&
           (cv_notes_is_blank(rest) || cv_str_starts(cv_str_trim_left(rest), CV_STR("#")));
}

static bool is_wolfie_line(cv_str content)
{
    cv_str key, rest;
    return cv_notes_split_key(content, false, &key, &rest) && cv_str_starts_nocase(key, CV_STR("wolfie.header"));
}

/* Is this line a key, and the one before it a line that opens a block, in the same comment? */
static bool is_candidate(cv_str text, size_t start, cv_notes_container container, candidate *ret)
{
    cv_str line = cv_line_text(text, cv_line_at(text, start)), content, before;
    size_t opening = cv_line_before(text, start);
    if (opening == SIZE_MAX || !cv_notes_strip(container, line, &content))
        return false;
    bool is_header = is_wolfie_line(content);
    if (!is_header && !is_dialog_line(content))
        return false;
    if (!cv_notes_strip(container, cv_line_text(text, cv_line_at(text, opening)), &before))
        return false;
    bool opens = cv_notes_is_rule(before) && cv_notes_indent(before) == cv_notes_indent(content);
    if (!opens && !(is_header && container != CV_IN_BARE && cv_notes_is_banner(before)))
        return false;
    *ret = (candidate){start, opening, is_header, container};
    return true;
}

static void add_candidate(cv_arena *a, cv_str text, size_t start, candidates *found)
{
    static const cv_notes_container by_prefix[] = {CV_IN_BARE,   CV_IN_BLOCK,     CV_IN_HASH,   CV_IN_SLASHES,
                                                   CV_IN_DASHES, CV_IN_SEMICOLON, CV_IN_PERCENT};
    candidate one;
    for (size_t i = 0; i < CV_COUNT(by_prefix); i++)
        if (is_candidate(text, start, by_prefix[i], &one)) {
            *CV_PUSH(a, found) = one;
            return;
        }
}

/* In the order of the text, each line once. */
static void find_candidates(cv_arena *a, cv_str text, size_t from, candidates *found)
{
    for (size_t at; (at = find_sign(text, from)) != SIZE_MAX; from = cv_line_at(text, at).next)
        add_candidate(a, text, cv_line_start(text, at), found);
}

/* ---- blocks -------------------------------------------------------------------------------------------------------
 */

/* The rest of a block does not belong to it once a line is neither a key nor below one. */
static bool is_of_block(const cv_cursor *c, size_t base)
{
    cv_str key, rest;
    return cv_notes_is_blank(c->content) || cv_notes_indent(c->content) > base ||
           cv_notes_split_key(c->content, false, &key, &rest) || cv_str_starts(c->content, CV_STR("- ")) ||
           (c->container != CV_IN_BARE && cv_str_starts(c->content, CV_STR("#")));
}

/* From the key to the rule behind it. False: it is not closed; then the block is what looks like one. */
static bool find_end(cv_cursor c, size_t base, cv_span *ret_inside, size_t *ret_behind, size_t *ret_last)
{
    ret_inside->start = c.line.start;
    size_t last = c.number;
    for (; !cv_cursor_ended(&c) && !cv_notes_is_rule(c.content); cv_cursor_next(&c)) {
        if (!is_of_block(&c, base))
            break;
        last = c.number;
    }
    bool closed = !cv_cursor_ended(&c) && cv_notes_is_rule(c.content);
    ret_inside->end = c.line.start;
    *ret_behind = closed ? c.line.next : c.line.start;
    *ret_last = closed ? c.number : last;
    return closed;
}

static cv_note_reason reason_of(cv_at state)
{
    return state == CV_AT_FENCE ? CV_FENCED : state == CV_AT_STRING ? CV_IN_STRING : CV_COUNTS;
}

typedef struct {
    cv_arena *arena;
    cv_notes_file *file;
    size_t line_at, line; /* the number of a line that was counted, to count on from there */
} reader;

static size_t number_of(reader *r, size_t offset)
{
    assert(offset >= r->line_at && offset <= r->file->text.n && "blocks are read in their order");
    r->line += cv_notes_line_of(cv_str_from(r->file->text, r->line_at), offset - r->line_at) - 1;
    r->line_at = offset;
    return r->line;
}

static void keep(reader *r, const candidate *at, cv_note note, cv_at state, bool closed, cv_span block, size_t last)
{
    bool is_example = state == CV_AT_FENCE || state == CV_AT_STRING;
    note.kind = at->is_header && is_example ? CV_NOTE_KIND_HEADER : CV_NOTE_KIND_INLINE;
    note.is_header_further_down = at->is_header;
    if (is_example)
        note.reason = reason_of(state);
    else if (!closed && note.reason != CV_PLACEHOLDER)
        note.reason = CV_UNCLOSED;
    if (!at->is_header) {
        note.at = block;
        note.line = r->line;
        note.last_line = last;
    }
    assert(note.at.start <= note.at.end && note.at.end <= r->file->text.n);
    *CV_PUSH(r->arena, r->file) = note;
}

/* Returns where the block ends. */
static size_t read_block(reader *r, const candidate *at, cv_at state)
{
    cv_str text = r->file->text;
    cv_notes_container container = at->container != CV_IN_BARE   ? at->container
                                   : state == CV_AT_COMMENT      ? CV_IN_BLOCK
                                   : state == CV_AT_HTML_COMMENT ? CV_IN_HTML
                                                                 : CV_IN_BARE;
    size_t number = number_of(r, at->opening), behind, last;
    cv_cursor c = cv_cursor_at(r->arena, text, container, (cv_span){at->start, text.n}, number + 1);
    cv_notes_header h = {.container = container, .line = number + 1};
    cv_note_list notes = {0};
    bool closed = find_end(c, cv_notes_indent(c.content), &h.inside, &behind, &last);
    assert(h.inside.start <= h.inside.end && h.inside.end <= text.n);
    bool banner = at->is_header && !closed && container != CV_IN_BARE;
    cv_notes_read_keys(r->arena, text, &h, &notes);
    r->file->headers += at->is_header && state != CV_AT_FENCE && state != CV_AT_STRING;
    for (size_t i = 0; i < notes.count; i++)
        keep(r, at, notes.items[i], state, closed || banner, (cv_span){at->opening, behind}, last);
    return h.inside.end;
}

/* Four blanks make a block of code in Markdown. */
static bool is_indented_code(const reader *r, const candidate *at, cv_at state)
{
    return at->container == CV_IN_BARE && state != CV_AT_COMMENT && state != CV_AT_HTML_COMMENT &&
           cv_notes_indent(cv_str_from(r->file->text, at->start)) > 3 && state != CV_AT_FENCE && state != CV_AT_STRING;
}

static void read_blocks(reader *r, const candidates *found, const cv_at *states)
{
    size_t done = 0;
    for (size_t i = 0; i < found->count; i++)
        if (found->items[i].start >= done && !is_indented_code(r, &found->items[i], states[i]))
            done = read_block(r, &found->items[i], states[i]);
}

/* ---- the file -----------------------------------------------------------------------------------------------------
 */

/* The first header is in a fence: it is an example, or somebody pasted an answer with its frame. */
static void note_fenced_header(cv_notes_file *file)
{
    for (size_t i = 0; i < file->count && file->header.state == CV_HEADER_NONE; i++)
        if (file->items[i].is_header_further_down && file->items[i].reason == CV_FENCED) {
            file->header.state = CV_HEADER_FENCED;
            file->header.line = file->items[i].line;
        }
}

void cv_notes_read(cv_arena *a, cv_str text, cv_notes_language language, unsigned flags, cv_notes_file *ret_file)
{
    cv_notes_line first = cv_line_at(text, 0);
    candidates found = {0};
    language = language == CV_LANG_OTHER ? cv_notes_language_by(text) : language;
    *ret_file =
        (cv_notes_file){.text = text, .language = language, .has_bom = cv_str_starts(text, CV_STR("\xEF\xBB\xBF"))};
    ret_file->eol = first.next - first.end == 2 ? CV_STR("\r\n") : CV_STR("\n");
    cv_notes_read_header(a, ret_file);
    size_t from = ret_file->header.state == CV_HEADER_NONE ? 0 : ret_file->header.inside.end;
    bool bare = ret_file->header.container == CV_IN_BARE && ret_file->header.state != CV_HEADER_NONE;
    find_candidates(a, text, from, &found);
    if (found.count) {
        size_t *offsets = CV_NEW_ARRAY(a, found.count, size_t);
        cv_at *states = CV_NEW_ARRAY(a, found.count, cv_at);
        for (size_t i = 0; i < found.count; i++)
            offsets[i] = found.items[i].opening;
        cv_notes_states(text, cv_notes_languages[language].reader, false, bare ? ret_file->header.at.end : 0, offsets,
                        found.count, states);
        reader r = {.arena = a, .file = ret_file, .line = 1};
        read_blocks(&r, &found, states);
    }
    note_fenced_header(ret_file);
    if (flags & CV_NOTES_MARKDOWN)
        cv_notes_read_markdown(a, ret_file);
}

cv_note *cv_notes_header_dialog(const cv_notes_file *file)
{
    bool has = file->count && file->items[0].kind == CV_NOTE_KIND_HEADER && !file->items[0].is_header_further_down;
    return has ? &file->items[0] : NULL;
}

static int by_start(const void *x, const void *y)
{
    const cv_span *a = x, *b = y;
    return CV_ORDER(a->start, b->start);
}

/* A header dialog is left out with the lines of its fields, also of those beside it; an inline one as a whole. */
cv_str cv_notes_body_digest(cv_arena *a, const cv_notes_file *file)
{
    struct {
        cv_span *items;
        size_t count, capacity;
    } out = {0};
    cv_hash hash;
    size_t at = 0;
    for (size_t i = 0; i < file->count; i++) {
        const cv_note *n = &file->items[i];
        if (n->reason == CV_FENCED || n->reason == CV_IN_STRING || n->kind == CV_NOTE_KIND_MARKDOWN)
            continue;
        *CV_PUSH(a, &out) = n->at;
        for (int k = 0; k < CV_NOTE_FIELDS; k++)
            if (n->of[k] && (n->of[k]->lines.start < n->at.start || n->of[k]->lines.end > n->at.end))
                *CV_PUSH(a, &out) = n->of[k]->lines;
    }
    if (out.count)
        qsort(out.items, out.count, sizeof *out.items, by_start);
    cv_hash_begin(&hash);
    for (size_t i = 0; i < out.count; i++) {
        if (out.items[i].start > at)
            cv_hash_add(&hash, cv_span_of(file->text, (cv_span){at, out.items[i].start}));
        at = out.items[i].end > at ? out.items[i].end : at;
    }
    cv_hash_add(&hash, cv_str_from(file->text, at));
    return cv_hash_end(&hash, a);
}
