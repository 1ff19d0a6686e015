/* unmarked.c - what is under no mark; see unmarked.h. */
#include "dialogue/intake/unmarked.h"

#include <stdlib.h>

#include "base/utf8.h"

typedef struct {
    const cv_speaker *who;
    const cv_doc *doc;
    bool in_round;
    cv_map agents; /* in a round: who has headings */
    cv_unmarked_pieces *pieces;
} finder;

static size_t count_lines(cv_str text)
{
    size_t n = 0;
    for (cv_str line; cv_str_split(&text, '\n', &line);)
        n++;
    return n ? n : 1;
}

static bool has_word(cv_str s)
{
    cv_str word;
    bool alone;
    return cv_utf8_next_word(&s, &word, &alone);
}

/* A word, or a picture that stands for one. */
static bool says_something(cv_str s)
{
    if (has_word(s))
        return true;
    for (uint32_t code; s.n && cv_utf8_next(&s, &code);)
        if (code >= 0x2600 && cv_utf8_is_emoji(code))
            return true;
    return false;
}

static size_t count_paragraphs(cv_str text)
{
    size_t n = 0;
    bool inside = false;
    for (cv_str line; cv_str_split(&text, '\n', &line);) {
        line = cv_str_trim(line);
        bool heading = line.n && line.p[0] == '#';
        if (line.n && !heading && !inside && says_something(line)) {
            inside = true;
            n++;
        }
        inside = inside && line.n && !heading;
    }
    return n;
}

static void add(finder *f, cv_str text, size_t line)
{
    text = cv_str_trim_right(text);
    if (!says_something(text))
        return;
    *CV_PUSH(f->who->a, f->pieces) =
        (cv_unmarked_piece){text, line, line + count_lines(text) - 1, count_paragraphs(text)};
}

/* ---- headings ---------------------------------------------------------------------------------------------------- */

static bool is_among(cv_str word, cv_str text)
{
    bool alone;
    for (cv_str one; cv_utf8_next_word(&text, &one, &alone);)
        if (cv_str_eq_nocase(one, word))
            return true;
    return false;
}

/* A heading that only names who speaks, this round, or what the marks below it are. */
static bool says_nothing(const finder *f, cv_str heading)
{
    static const cv_str words = CV_STR_INIT(
        "round response responses perspective perspectives recommendation recommendations proposal proposals "
        "tension tensions evidence claim claims reference references move moves marker markers mark marks "
        "expert agent position positions contribution contributions the and my new by of for s");
    const cv_rec_expert *row = cv_state_expert(f->who->s, f->who->expert);
    bool alone, round = false; /* "Round" is before the word */
    for (cv_str word; cv_utf8_next_word(&heading, &word, &alone); round = cv_str_eq_nocase(word, CV_STR("round"))) {
        int number;
        if (round && cv_str_to_int(word, &number) && number != f->who->round)
            return false;
        if (!cv_str_to_int(word, &number) && !is_among(word, words) && !is_among(word, f->who->expert) &&
            !(row && is_among(word, row->role)))
            return false;
    }
    return true;
}

/* "# Muffin - Baker (Round 1)" is how a response begins; below that, a heading of the round is the expert's own. */
static bool is_of_round(const finder *f, cv_str heading)
{
    bool alone, round = false;
    for (cv_str word; cv_utf8_next_word(&heading, &word, &alone); round = cv_str_eq_nocase(word, CV_STR("round"))) {
        int number;
        if (round && cv_str_to_int(word, &number) && number == f->who->round)
            return true;
    }
    return false;
}

static bool is_kept(const finder *f, cv_str heading, size_t line)
{
    return !says_nothing(f, heading) || (line > 1 && is_of_round(f, heading));
}

static void add_heading(finder *f, cv_str text, size_t line)
{
    if (is_kept(f, text, line))
        add(f, text, line);
}

/* The title's own line: the first heading of level 1. */
static void add_title(finder *f)
{
    cv_lines lines = {.text = f->doc->text};
    cv_line line;
    while (cv_lines_next(&lines, &line))
        if (line.kind == CV_LINE_HEADING1) {
            add_heading(f, line.trimmed, line.number);
            return;
        }
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* The parser takes a backslash from what would be structure where it reads; headings of agents are in rounds only. */
static cv_str without_escapes(const finder *f, cv_str text)
{
    cv_buf out = {0};
    cv_str rest = text, line;
    if (!f->in_round || cv_str_find_char(text, '\\') == SIZE_MAX)
        return text;
    for (const char *joint = ""; cv_str_split(&rest, '\n', &line); joint = "\n") {
        cv_str trimmed = cv_str_trim_left(line);
        bool escaped = trimmed.n && trimmed.p[0] == '\\' &&
                       cv_line_is_structure(trimmed, CV_IN_ROUND, false, &f->agents) &&
                       !cv_line_is_structure(trimmed, CV_IN_INTRO, false, &f->agents);
        cv_buf_add_z(&out, joint);
        cv_buf_add(&out, escaped ? cv_str_from(trimmed, 1) : line);
    }
    return cv_buf_take(&out, f->who->a);
}

/* Headings of a text whose names say nothing are left out as well, when nothing else is in it. */
static void add_text(finder *f, cv_str text, size_t line)
{
    text = without_escapes(f, text);
    cv_str rest = text, one;
    bool only_headings = true;
    for (size_t at = line; only_headings && cv_str_split(&rest, '\n', &one); at++) {
        one = cv_str_trim(one);
        only_headings = one.n == 0 || (one.p[0] == '#' && !is_kept(f, one, at));
    }
    if (!only_headings)
        add(f, text, line);
}

static void add_blocks(finder *f, const cv_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++) {
        const cv_block *b = &blocks->items[i];
        if (b->kind == CV_BLOCK_TEXT)
            add_text(f, b->text, b->line);
        if (b->kind == CV_BLOCK_TABLE && b->table->count)
            add(f,
                cv_str_range(f->doc->text.p + b->table->items[0].start,
                             f->doc->text.p + b->table->items[b->table->count - 1].end),
                b->line);
    }
}

static int by_line(const void *x, const void *y)
{
    const cv_unmarked_piece *a = x, *b = y;
    return CV_ORDER(a->line, b->line);
}

void cv_unmarked_find(const cv_speaker *who, const cv_doc *doc, bool in_round, cv_unmarked_pieces *ret_pieces)
{
    finder f = {.who = who, .doc = doc, .in_round = in_round, .pieces = ret_pieces};
    for (size_t i = 0; in_round && i < who->s->experts.count; i++)
        cv_map_put(&f.agents, who->a, cv_agent_key(who->a, who->s->experts.items[i].expert_slug), NULL);
    *ret_pieces = (cv_unmarked_pieces){0};
    if (doc->title.n)
        add_title(&f);
    for (size_t i = 0; i < doc->metadata.count; i++) {
        const cv_meta *meta = &doc->metadata.items[i];
        add(&f, meta->written, meta->line);
    }
    add_blocks(&f, &doc->intro);
    for (size_t i = 0; i < doc->sections.count; i++) {
        const cv_section *s = &doc->sections.items[i];
        add_heading(&f, s->heading, s->line);
        add_blocks(&f, &s->content);
        for (size_t k = 0; k < s->agents.count; k++) {
            add_heading(&f, s->agents.items[k].heading, s->agents.items[k].line);
            add_blocks(&f, &s->agents.items[k].content);
        }
    }
    if (ret_pieces->count > 1)
        qsort(ret_pieces->items, ret_pieces->count, sizeof *ret_pieces->items, by_line);
}

cv_str cv_unmarked_join(cv_arena *a, cv_unmarked_pieces *pieces)
{
    cv_buf text = {0};
    if (pieces->count > 1)
        qsort(pieces->items, pieces->count, sizeof *pieces->items, by_line);
    for (size_t i = 0; i < pieces->count; i++) {
        cv_buf_add_z(&text, i ? "\n\n" : "");
        cv_buf_add(&text, pieces->items[i].text);
    }
    return text.n ? cv_buf_take(&text, a) : (cv_str){NULL, 0};
}
