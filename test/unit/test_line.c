/* test_line.c - one line, one kind: what each line is read as, and what is read from it. */
#include "testing.h"

#include "base/buf.h"
#include "dialogue/text/line.h"

/* ---- one line -------------------------------------------------------------------------------- */

/* The line in one phrase: its kind and the fields that its kind has; "deviant" when it is not written this way. */
static cv_str phrase(cv_arena *a, const cv_line *l)
{
    cv_buf b = {0};
    cv_buf_add(&b, cv_line_words.items[l->kind]);
    if (l->kind == CV_LINE_ROUND)
        cv_buf_printf(&b, " %d", l->round);
    if (l->kind >= CV_LINE_HEADING1 && l->kind <= CV_LINE_AGENT && l->name.n)
        cv_buf_printf(&b, " <%.*s>", CV_FMT(l->name));
    if ((l->kind == CV_LINE_METADATA || l->kind == CV_LINE_AGENT) && l->value.n)
        cv_buf_printf(&b, " = %.*s", CV_FMT(l->value));
    if (l->kind == CV_LINE_AGENT && l->role.n)
        cv_buf_printf(&b, " (%.*s)", CV_FMT(l->role));
    if (l->kind == CV_LINE_MARKER)
        cv_buf_printf(&b, " at %zu", l->mark_at);
    if (l->kind == CV_LINE_CONTENT && l->level)
        cv_buf_printf(&b, " level %d", l->level);
    if (l->rule)
        cv_buf_add_z(&b, " rule");
    if (l->deviant && l->kind != CV_LINE_CONTENT)
        cv_buf_add_z(&b, " deviant");
    cv_str s = cv_arena_copy(a, cv_buf_str(&b));
    cv_buf_release(&b);
    return s;
}

typedef struct {
    const char *line, *phrase;
} line_case;

/* On the panel: Muffin, Pain au Chocolat, Éclair. */
static const line_case cases[] = {
    /* the eight kinds as they are written */
    {"# Title", "heading1 <Title>"},
    {"**Status**: Converged", "metadata <Status> = Converged"},
    {"## Expert Panel", "section <Expert Panel>"},
    {"## Round 1: Refinement", "round 1 <Refinement>"},
    {"### Muffin 🧁", "agent <Muffin> = 🧁"},
    {"| a | b |", "table"},
    {"[PERSPECTIVE P01: Income mandate]", "marker at 0"},
    {"Everything else.", "content"},
    {"", "content"},
    {"   ", "content"},
    /* white space does not matter */
    {"   #   Title  ", "heading1 <Title>"},
    {"\t##\tRound\t3 :\tLate", "round 3 <Late>"},
    {"##  Round   12", "round 12"},
    {"  ###   Muffin    🧁  ", "agent <Muffin> = 🧁"},
    {"   **Status**:Converged  ", "metadata <Status> = Converged"},
    {"\t[PERSPECTIVE P01: x]", "marker at 1"},
    {"  | a |", "table"},
    {"# Title\r", "heading1 <Title>"},
    /* not quite headings */
    {"#Title", "content"},
    {"#", "content"},
    {"##", "content"},
    {"####### seven", "content"},
    {"#### four", "content level 4"},
    {"### Plain heading", "content level 3"},
    {"###### six", "content level 6"},
    {"\\# Title", "content"},
    /* rounds, as real files write them */
    {"## Round 0", "round 0"},
    {"## Round 2 (Convergence)", "round 2 <Convergence> deviant"},
    {"## Round 2 - Convergence", "round 2 <Convergence> deviant"},
    {"## Round 2 — Convergence", "round 2 <Convergence> deviant"},
    {"## Round 2 – Convergence", "round 2 <Convergence> deviant"},
    {"## Round 2 -- Convergence", "round 2 <Convergence> deviant"},
    {"## Round 2:", "round 2"},
    {"## Round 2: a: b", "round 2 <a: b>"},
    {"## Round 0 Scoreboard", "section <Round 0 Scoreboard>"},
    {"## Round", "section <Round>"},
    {"## Round two", "section <Round two>"},
    {"## Rounds 1", "section <Rounds 1>"},
    {"## round 1", "section <round 1>"},
    {"## Round 1a", "section <Round 1a>"},
    {"## Round 1234567890", "section <Round 1234567890>"},
    {"## Opening Arguments (Round 0)", "section <Opening Arguments (Round 0)>"},
    {"### Round 1 (8 experts — all)", "content level 3"},
    {"# Round 1 -- Croissant (Operator)", "heading1 <Round 1 -- Croissant (Operator)>"},
    {"# Eclair - Round 3 Final Position", "heading1 <Eclair - Round 3 Final Position>"},
    /* agents: both orders, roles, notes, names of the panel */
    {"### 🧁 Muffin", "agent <Muffin> = 🧁 deviant"},
    {"### 🧁 Muffin (Platform Architect)", "agent <Muffin> = 🧁 (Platform Architect) deviant"},
    {"### Muffin 🧁 (Platform Architect)", "agent <Muffin> = 🧁 (Platform Architect)"},
    {"### Muffin (Platform Architect)", "agent <Muffin> (Platform Architect) deviant"},
    {"### 🧁 Muffin → 1200Z (switched)", "agent <Muffin> = 🧁 (→ 1200Z (switched)) deviant"},
    {"### 🧁 Macaron → 1200Z (switched)", "agent <Macaron> = 🧁 (→ 1200Z (switched)) deviant"},
    {"### 🧁 Macaron (Chemist)", "agent <Macaron> = 🧁 (Chemist) deviant"},
    {"### 🧁 Macaron — Chemist", "agent <Macaron> = 🧁 (— Chemist) deviant"},
    {"### Muffin Speaks", "agent <Muffin> (Speaks) deviant"},
    {"### MUFFIN", "agent <MUFFIN> deviant"},
    {"### Pain au chocolat", "agent <Pain au chocolat> deviant"},
    {"### Pain au chocolat 🥐", "agent <Pain au chocolat> = 🥐"},
    {"### Éclair", "agent <Éclair> deviant"},
    {"### Persephone Speaks", "content level 3"},
    {"### 💙 Judge Summary", "agent <Judge> = 💙 (Summary) deviant"},
    {"### Judge", "agent <Judge> deviant"},
    {"### Muffins", "content level 3"},
    {"### 🧁", "content level 3"},
    {"### 🧁 🍩 Muffin", "content level 3"},
    {"### 🧁 Muffin 🍩", "agent <Muffin> = 🧁 (🍩) deviant"},
    {"### Muffin 👩\u200D🍳", "agent <Muffin> = 👩\u200D🍳"},
    {"### Muffin ♥\uFE0F", "agent <Muffin> = ♥\uFE0F"},
    {"### [RESOLVED T01] 🧁", "marker at 4"},
    {"### 🧁 [RESOLVED T01]", "content level 3"},
    /* metadata */
    {"**Date:** 2026-01-26", "metadata <Date> = 2026-01-26 deviant"},
    {"**Status**:", "metadata <Status>"},
    {"**Key with words**: a **bold** value", "metadata <Key with words> = a **bold** value"},
    {"**Participants**: 💙 Judge | 🧁 Muffin", "metadata <Participants> = 💙 Judge | 🧁 Muffin"},
    {"**DS (Distributed Systems):**", "metadata <DS (Distributed Systems)> deviant"},
    {"**Iris (Simplicity)**:", "metadata <Iris (Simplicity)>"},
    {"**bold** text", "content"},
    {"**bold**", "content"},
    {"****: x", "content"},
    {"** x**: y", "content"},
    {"**a [b]**: c", "content"},
    {"*a*: b", "content"},
    {"**x", "content"},
    {"**A key that is far longer than any field of a dialogue that somebody would ever have to write**: x", "content"},
    /* tables */
    {"|---|---|", "table"},
    {"|a|b|", "table"},
    {"|14 |", "table"},
    {"| **Status** | Draft |", "table"},
    {"|", "table"},
    {"a | b", "content"},
    /* thematic breaks */
    {"---", "content rule"},
    {"***", "content rule"},
    {"_ _ _", "content rule"},
    {"----------", "content rule"},
    {"--", "content"},
    {"--- x", "content"},
    {"- - -", "content rule"},
    {"**", "content"},
    /* marker lines: bold, listed, numbered, in headings, behind Move */
    {"**[PERSPECTIVE P01: x]**", "marker at 2"},
    {"**[PERSPECTIVE P01: x]** text", "marker at 2"},
    {"*[REFINEMENT]*", "marker at 1"},
    {"__[REFINEMENT]__", "marker at 2"},
    {"- [RESOLVED T06]: why", "marker at 2"},
    {"* [RESOLVED T06]", "marker at 2"},
    {"+ [RESOLVED T06]", "marker at 2"},
    {"1. [RESOLVED T06]", "marker at 3"},
    {"12) [RESOLVED T06]", "marker at 4"},
    {"- **[RESOLVED T06]**", "marker at 4"},
    {"## [MOVE:CONVERGE]", "marker at 3"},
    {"#### **[TENSION T01: x]**", "marker at 7"},
    {"**Move**: [ACCEPT] T03 closed", "marker at 10"},
    {"**Moves:** [MOVE:CONVERGE] -- x", "marker at 11"},
    {"**Moves**: nothing", "metadata <Moves> = nothing"},
    {"[PERSPECTIVE P01: cut of", "marker at 0"},
    {"[MUFFIN-P0101]", "marker at 0"},
    {"[MUFFIN-P0101] says", "content"},
    {"[P0001]", "content"},
    {"[P0001: x] (muffin)", "marker at 0"},
    {"{DESCENT: into the dark}", "marker at 0"},
    {"{json: 1}", "content"},
    {"- {DESCENT: x}", "content"},
    {"text [RESOLVED T01]", "content"},
    {"> [RESOLVED T01]", "content"},
    {"`[RESOLVED T01]`", "content"},
    {"-[RESOLVED T01]", "content"},
    {"1.[RESOLVED T01]", "content"},
    {"1234. [RESOLVED T01]", "content"},
    {"[link](https://example.org)", "content"},
    {"[x] done", "content"},
    {"\\[RESOLVED T01]", "content"},
    {"[perspective P01: x]", "content"},
};

static void test_lines(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_map panel = {0};
    static const char *const names[] = {"muffin", "pain au chocolat", "Éclair"};
    for (size_t i = 0; i < 3; i++)
        cv_map_put(&panel, &a, cv_agent_key(&a, cv_str_of(names[i])), NULL);
    bool ok = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cv_line line, walked;
        cv_line_classify(cv_str_of(cases[i].line), &panel, &line);
        cv_str found = phrase(&a, &line);
        if (!cv_str_eq(found, cv_str_of(cases[i].phrase))) {
            print_error("'%s'\n  found    %.*s\n  expected %s\n", cases[i].line, CV_FMT(found), cases[i].phrase);
            ok = false;
        }
        /* The same in a walk over a text, between two others. */
        cv_lines lines = {.text = cv_arena_printf(&a, "x\n%s\ny", cases[i].line), .agents = &panel};
        assert_true(cv_lines_next(&lines, &walked) && cv_lines_next(&lines, &walked));
        assert_view_eq(phrase(&a, &walked), found);
        assert_int_equal(walked.number, 2);
        assert_true(cv_lines_next(&lines, &walked) && walked.kind == CV_LINE_CONTENT &&
                    !cv_lines_next(&lines, &walked));
    }
    assert_true(ok);
    cv_arena_release(&a);
}

/* ---- fences ---------------------------------------------------------------------------------- */

/* One letter per line: f fenced, h heading, m marker, c content. */
static const struct {
    const char *text, *kinds;
} fences[] = {
    {"```\n# a\n```\n# b\n", "fffh"},
    {"~~~\n[RESOLVED T01]\n~~~\n[RESOLVED T01]\n", "fffm"},
    {"```c\n# a\n```\n", "fff"},
    {"``` info string [x]\n# a\n```\n# b", "fffh"},
    {"````\n```\n# a\n````\n# b\n", "ffffh"}, /* a longer fence holds shorter ones */
    {"```\n# a\n`````\n# b\n", "fffh"},       /* a longer one closes */
    {"```\n~~~\n# a\n```\n# b\n", "ffffh"},   /* the other character does not */
    {"~~~\n```\n# a\n~~~\n# b\n", "ffffh"},
    {"```\n``` x\n# a\n```\n# b\n", "ffffh"}, /* nothing follows a closing fence */
    {"  ```\n# a\n\t```  \n# b\n", "fffh"},   /* indentation does not matter */
    {"``` a ` b\n# b\n", "ch"},               /* a code span on one line */
    {"~~~ a ` b ~ c\n# b\n~~~\n", "fff"},
    {"``\n# b\n", "ch"},
    {"```\n# a\n", "ff"}, /* never closed */
    {"\\```\n# a\n", "ch"},
    {"```\n```\n# a\n", "ffh"},
    {"x ```\n# a\n", "ch"},
};

static void test_fences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++) {
        cv_lines lines = {.text = cv_str_of(fences[i].text)};
        cv_line line;
        char kinds[16] = {0};
        for (size_t n = 0; cv_lines_next(&lines, &line); n++)
            kinds[n] = line.fenced                     ? 'f'
                       : line.kind == CV_LINE_HEADING1 ? 'h'
                       : line.kind == CV_LINE_MARKER   ? 'm'
                                                       : 'c';
        if (strcmp(kinds, fences[i].kinds) != 0)
            fail_msg("%s\nfound %s, expected %s", fences[i].text, kinds, fences[i].kinds);
    }
}

static void test_walk(void **state)
{
    (void)state;
    cv_lines lines = {.text = CV_STR("a\r\n\n[RESOLVED T01]\n\n  b")};
    cv_line line;
    static const char *const texts[] = {"a", "", "[RESOLVED T01]", "", "  b"};
    for (size_t i = 0; i < 5; i++) {
        assert_true(cv_lines_next(&lines, &line));
        assert_str_eq(line.text, texts[i]);
        assert_int_equal(line.number, i + 1);
        assert_int_equal(line.brackets, i == 2);
    }
    assert_false(cv_lines_next(&lines, &line));
    assert_false(cv_lines_next(&(cv_lines){.text = CV_STR("")}, &line));
}

/* ---- cells and names -------------------------------------------------------------------------- */

static void test_cells(void **state)
{
    (void)state;
    static const struct {
        const char *row, *cells; /* joined by semicolons */
    } rows[] = {
        {"| a | b |", "a;b"},
        {"|a|b|", "a;b"},
        {"| a | b", "a;b"},
        {"|  a b  |14 |", "a b;14"},
        {"|", ""},
        {"||", ""},
        {"| |", ""},
        {"| | |", ";"},
        {"| a \\| b | c |", "a \\| b;c"},
        {"| a \\\\| b |", "a \\\\;b"},
        {"|a|b|  ", "a;b"},
        {"a | b", "a;b"},
        {"| `a | b` |", "`a;b`"},
        {"| a |b", "a;b"},
        {"|\\||", "\\|"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cv_str rest = cv_row_inside(cv_str_of(rows[i].row)), cell;
        cv_buf b = {0};
        for (size_t n = 0; cv_cell_next(&rest, &cell); n++) {
            cv_buf_add_z(&b, n ? ";" : "");
            cv_buf_add(&b, cell);
        }
        assert_str_eq(cv_buf_str(&b), rows[i].cells);
        cv_buf_release(&b);
    }
    static const char *const separators[] = {"|---|", "|:--|--:|:-:|", "| - |", "|---", "| --- | --- |"};
    static const char *const others[] = {"| a |", "|", "| |", "|---|x|", "||"};
    for (size_t i = 0; i < 5; i++) {
        assert_true(cv_row_is_separator(cv_str_of(separators[i])));
        assert_false(cv_row_is_separator(cv_str_of(others[i])));
    }
}

static void test_names(void **state)
{
    (void)state;
    cv_arena a = {0};
    assert_str_eq(cv_plain_name(&a, CV_STR("🧁 **Muffin**")), "Muffin");
    assert_str_eq(cv_plain_name(&a, CV_STR("  Pain  au\tchocolat 🥐 ")), "Pain au chocolat");
    assert_str_eq(cv_plain_name(&a, CV_STR("**🧁**")), "🧁");
    assert_str_eq(cv_plain_name(&a, CV_STR("🧁 💙")), "");
    assert_str_eq(cv_plain_name(&a, CV_STR("")), "");
    assert_str_eq(cv_agent_key(&a, CV_STR("MufFin É")), "muffin É");
    cv_arena_release(&a);
}

static void test_notes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *note;
    } notes[] = {
        {" (Final)", "Final"}, {"— FINAL", "FINAL"},   {": all", "all"}, {"-- x", "x"}, {" - x", "x"},
        {"→ x", "x"},          {"( a ) b )", "a ) b"}, {":", ""},        {"x", NULL},   {"", NULL},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        cv_str note = {NULL, 0};
        assert_int_equal(cv_heading_note(cv_str_of(notes[i].text), &note), notes[i].note != NULL);
        if (notes[i].note)
            assert_str_eq(note, notes[i].note);
    }
    int round;
    cv_str before, after;
    assert_true(cv_find_round(CV_STR("Arguments (Round 12)"), &round, &before, &after));
    assert_int_equal(round, 12);
    assert_str_eq(before, "Arguments (");
    assert_str_eq(after, ")");
    assert_true(cv_find_round(CV_STR("Rounds Round x Round 3"), &round, &before, &after) && round == 3);
    assert_false(cv_find_round(CV_STR("Round1 xRound 2 Round 3x"), &round, &before, &after));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines), cmocka_unit_test(test_fences), cmocka_unit_test(test_walk),
        cmocka_unit_test(test_cells), cmocka_unit_test(test_names),  cmocka_unit_test(test_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
