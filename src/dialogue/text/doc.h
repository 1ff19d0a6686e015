/* doc.h - a dialogue as a document: what is written where.
 *
 *     # Title
 *     **Key**: value            metadata
 *     text                      intro
 *     ## Section                a section of a known kind, a round, the judge's, or any other
 *       text, marks, tables     its content: blocks in order
 *       ### Muffin 🧁           rounds: an agent, with blocks of its own
 *
 * Content is a list of blocks. A marker line opens a mark's block; the text that follows belongs to the mark until the
 * next marker line, a heading of level 1 to 3, a thematic break or the end of its agent or section. Marks
 * inside other text are inline: they are listed with their block, whose text keeps them.
 *
 * Parsing reads leniently, loses nothing and raises findings; the result is canonical: parse(render(d)) == d, and
 * rendering is byte-stable. What would be read as structure is written with a backslash in front.
 */
#ifndef CV_DIALOGUE_TEXT_DOC_H
#define CV_DIALOGUE_TEXT_DOC_H

#include "base/err.h"
#include "base/json.h"
#include "dialogue/text/line.h"

typedef struct {
    cv_mark *items;
    size_t count, capacity;
} cv_marks;

typedef struct {
    cv_str *cells;
    size_t count;
    size_t start, end; /* the row's bytes in the text */
} cv_row;

typedef struct {
    cv_row *items; /* the first row is the header */
    size_t count, capacity;
} cv_table;

typedef enum { CV_BLOCK_TEXT, CV_BLOCK_MARK, CV_BLOCK_TABLE } cv_block_kind;

typedef struct {
    cv_block_kind kind;
    cv_str text;     /* TEXT */
    cv_mark *mark;   /* MARK, with its body */
    cv_table *table; /* TABLE: only in the sections that are about a table */
    cv_marks inline_marks;
    size_t line;
} cv_block;

typedef struct {
    cv_block *items;
    size_t count, capacity;
} cv_blocks;

typedef struct {
    cv_str name, emoji, role;
    cv_blocks content;
    cv_str heading; /* as it is in the text */
    size_t line;
    bool known; /* on the panel, among the participants, or the judge */
} cv_agent;

typedef struct {
    cv_agent *items;
    size_t count, capacity;
} cv_agents;

/* The known kinds of sections, each with the heading it is written with. */
typedef enum {
    CV_SECTION_PANEL,
    CV_SECTION_SCOREBOARD,
    CV_SECTION_PERSPECTIVES,
    CV_SECTION_TENSIONS,
    CV_SECTION_ROUND,
    CV_SECTION_JUDGE,
    CV_SECTION_OTHER,
    CV_SECTION_KIND_COUNT
} cv_section_kind;

extern const cv_words cv_section_words;  /* "panel", "scoreboard", … in JSON */
extern const cv_words cv_section_titles; /* "Expert Panel", … in headings */

typedef struct {
    cv_section_kind kind;
    int round;    /* ROUND; JUDGE: -1 when the heading names none */
    cv_str label; /* OTHER: the heading; else what it adds to the known one */
    cv_blocks content;
    cv_agents agents; /* ROUND */
    cv_str heading;   /* as it is in the text */
    size_t line;
} cv_section;

typedef struct {
    cv_section *items;
    size_t count, capacity;
} cv_sections;

typedef struct {
    cv_str key, value;
    size_t line;
    cv_str written; /* as it is in the text */
} cv_meta;

typedef struct {
    cv_meta *items;
    size_t count, capacity;
} cv_metas;

typedef struct {
    cv_str text; /* what was parsed: every view and offset is about it */
    cv_str title;
    cv_metas metadata;
    cv_blocks intro;
    cv_sections sections;
    cv_map agents; /* who is known: panel, participants, judge; keys in lower case */
    size_t mark_count;
    size_t lines;
} cv_doc;

/* Parses any text: it cannot fail, only find. `text` must outlive the document. `findings` may be NULL. */
void cv_doc_parse(cv_arena *a, cv_str text, cv_doc *ret_doc, cv_findings *findings);

/* The same, but texts of the intro with the title or metadata between them stay apart, each with its line. */
void cv_doc_parse_apart(cv_arena *a, cv_str text, cv_doc *ret_doc, cv_findings *findings);

/* The canonical markdown. */
void cv_doc_render(cv_arena *a, const cv_doc *doc, cv_buf *out);

/* One table, as the renderer writes it: for texts that have one. */
void cv_table_render(const cv_table *table, cv_buf *out);

/* The document as members of the open JSON object; `places` adds lines and byte ranges. */
void cv_doc_print_json(const cv_doc *doc, bool places, cv_json_writer *w);

/* The document from such JSON; places are ignored. Every fault is added to `errs`. */
bool cv_doc_read_json(cv_arena *a, cv_str text, const cv_json *json, cv_doc *ret_doc, cv_errs *errs);

/* All marks in the order of the text, bodies and inline ones included. */
cv_marks cv_doc_marks(cv_arena *a, const cv_doc *doc);
void cv_mark_print_json(const cv_mark *m, bool places, cv_json_writer *w);

/* The first section of a kind, or NULL; its first table, or NULL; a metadata value without regard to case, or empty. */
const cv_section *cv_doc_section(const cv_doc *doc, cv_section_kind kind);
const cv_table *cv_section_table(const cv_section *section);
cv_str cv_doc_meta(const cv_doc *doc, cv_str key);

/* The column whose header is one of `names` (bold and case aside), or -1. */
int cv_table_column(const cv_table *table, const cv_str *names, size_t count);

/* Which section a heading (without its ##) opens: kind, label and round. */
cv_section_kind cv_section_read(cv_arena *a, cv_str heading, int *ret_round, cv_str *ret_label);

/* Text as the document keeps it: CR before LF dropped, no blank lines at the ends. */
cv_str cv_text_tidy(cv_arena *a, cv_str s);

/* … and with its last code fence closed, so that a text never reaches into what follows it. */
cv_str cv_fence_closed(cv_arena *a, cv_str text);

/* Would `**key**: value` be read as this key and this value? */
bool cv_meta_reads_back(cv_arena *a, cv_str key, cv_str value);

/* Who a finished part of the document makes known: `section` a panel, or NULL for the participants in the metadata. */
void cv_agents_learn(cv_arena *a, const cv_doc *doc, const cv_section *section, cv_map *agents);

/* Rounds that are numbered from 1 are counted from 0, here and in the judge's headings; the first of them, else NULL.
 */
const cv_section *cv_rounds_rebase(cv_doc *doc);

/* Neighbouring texts become one, with a blank line between. */
void cv_blocks_merge(cv_arena *a, cv_blocks *blocks);

/* ---- escapes: shared by parsing and rendering --------------------------------------------------- */

enum {
    CV_IN_BODY = 1,   /* a mark's body: headings and thematic breaks end it */
    CV_IN_TABLES = 2, /* a section about tables: rows are structure */
    CV_IN_ROUND = 4,  /* a round: agent headings are structure */
    CV_IN_INTRO = 8,  /* before the first section: metadata is structure */
    CV_UNTITLED = 16, /* no title yet: a heading 1 is structure */
    CV_QUOTED = 32,   /* inside a text of ours with headings of its own: those of every level, and all thematic breaks,
                       * are structure. The parser never asks so: to it, those that end nothing stay escaped */
};

/* Would this line be read as structure there? Backslashes in front of it are looked through. `edge`: it is the first or
 * last line of its text. */
bool cv_line_is_structure(cv_str line, unsigned where, bool edge, const cv_map *agents);

/* What somebody wrote, as it may be among our marks: no bracket of it begins a mark where it is printed, in the
 * middle of a line, in a list, a footnote or a cell. A mark at the very beginning of a line, and everything inside
 * code, is left to the renderer, which asks cv_line_is_structure. Unquoting gives back every byte. The second
 * pair is for what is within a line that is not its own: a cell, a sentence. */
cv_str cv_text_quote(cv_arena *a, cv_str text);
cv_str cv_text_unquote(cv_arena *a, cv_str text);
cv_str cv_line_quote(cv_arena *a, cv_str line);
cv_str cv_line_unquote(cv_arena *a, cv_str line);

/* The end of the code span that begins with the backticks at `at`; of the backticks alone when it does not close.
 * `missing` (0 at first) remembers for a line which lengths of backticks were looked for in vain. */
size_t cv_span_end(cv_str line, size_t at, uint32_t *missing);

/* Writes a text there: its lines, those that would be structure with a backslash in front, and its last fence closed.
 */
void cv_text_print(cv_buf *out, cv_str text, unsigned where, const cv_map *agents);

/* Writes what is in one cell of a table: '|' gets a backslash. The text is one line. */
void cv_cell_print(cv_buf *out, cv_str text);

/* … and reads it back, on one line. */
cv_str cv_cell_text(cv_arena *a, cv_str cell);

#endif
