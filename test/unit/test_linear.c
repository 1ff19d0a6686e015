/* test_linear.c - hostile input costs time in proportion to its size: counted in steps (steps.h), not in seconds.
 *
 * Each case is made in two sizes; the one that is four times as large may take at most five times the steps, and both
 * stay under a number of steps per byte. These are cases with a name; test_openers.c makes the others.
 */
#include "steps.h"
#include "testing.h"

#include "dialogue/lint/lint.h"
#include "kit/template/parts.h"
#include "project/phrases.h"

/* ---- the four walks ------------------------------------------------------------------------------ */

enum { PARSE, RENDER, PRINT, READ, WALKS };
static const char *const walk_words[] = {"parse", "render", "print", "read"};

typedef struct {
    uint64_t steps[WALKS];
    size_t bytes[WALKS];
} cost;

static void count_text(cv_str text, cost *ret_cost)
{
    cv_arena a = {0};
    cv_doc doc, back;
    cv_findings findings = {0};
    cv_err err = {.arena = &a};
    cv_errs errs = {0};
    cv_json tree;
    cv_buf markdown = {0}, json = {0};
    cv_json_writer w = {.out = &json};
    steps = 0;
    cv_lint_parse(&a, text, &doc, &findings);
    ret_cost->steps[PARSE] = steps;
    steps = 0;
    cv_doc_render(&a, &doc, &markdown);
    ret_cost->steps[RENDER] = steps;
    steps = 0;
    cv_json_begin_object(&w);
    cv_doc_print_json(&doc, true, &w);
    cv_json_end_object(&w);
    ret_cost->steps[PRINT] = steps;
    assert_true(cv_buf_ok(&json) && cv_buf_ok(&markdown));
    assert_ok(cv_json_parse(&a, cv_buf_str(&json), &tree, &err), &err);
    steps = 0;
    cv_doc_read_json(&a, cv_buf_str(&json), &tree, &back, &errs);
    ret_cost->steps[READ] = steps;
    ret_cost->bytes[PARSE] = text.n;
    ret_cost->bytes[RENDER] = markdown.n > text.n ? markdown.n : text.n;
    ret_cost->bytes[PRINT] = ret_cost->bytes[READ] = json.n;
    cv_buf_release(&markdown);
    cv_buf_release(&json);
    cv_arena_release(&a);
}

/* JSON that is read with faults. */
static void count_json(cv_str text, cost *ret_cost)
{
    cv_arena a = {0};
    cv_doc doc;
    cv_err err = {.arena = &a};
    cv_errs errs = {0};
    cv_json tree;
    *ret_cost = (cost){0};
    assert_ok(cv_json_parse(&a, text, &tree, &err), &err);
    steps = 0;
    assert_false(cv_doc_read_json(&a, text, &tree, &doc, &errs));
    ret_cost->steps[READ] = steps;
    ret_cost->bytes[READ] = text.n;
    cv_arena_release(&a);
}

/* ---- cases ------------------------------------------------------------------------------------- */

static void repeat(cv_buf *b, const char *piece, size_t n)
{
    cv_str s = cv_str_of(piece);
    while (n-- > 0)
        cv_buf_add(b, s);
}

typedef struct {
    const char *name, *before, *piece, *after;
    size_t n; /* pieces in the small size */
} plain_case;

static const plain_case plain_cases[] = {
    /* brackets on one line */
    {"openers", "", "[", "\n", 6000},
    {"openers of marks", "", "[PERSPECTIVE P01: ", "\n", 6000},
    {"openers of marks behind text", "x ", "[PERSPECTIVE P01: ", "\n", 6000},
    {"openers of marks and one closer", "x ", "[PERSPECTIVE P01: ", "]\n", 6000},
    {"quoted openers of marks", "x ", "\\[PERSPECTIVE P01: ", "]\n", 6000},
    {"openers of marks in code", "x ", "`[PERSPECTIVE P01: ` ", "]\n", 6000},
    {"marks", "", "[RE:SUPPORT P0001]", "\n", 6000},
    {"marks with text", "a ", "[P0001: x] (muffin) b ", "\n", 6000},
    {"closers", "", "]", "\n", 6000},
    {"nested labels", "", "[CLAIM C01: [[[[[[", "\n", 6000},
    {"half open marks", "x ", "[RESOLVED T01 ]]] [[", "\n", 6000},
    {"near misses", "", "[PERSPECTVE P01] ", "\n", 6000},
    {"escapes", "", "\\[", "[RESOLVED T01]\n", 6000},
    {"backslashes", "[CLAIM C01: ", "\\", "\n", 6000},
    {"leading backslashes", "", "\\", "[RESOLVED T01]\n", 6000},
    {"targets", "[RESOLVED ", "T1/", "]\n", 6000},
    {"targets with words", "[RESOLVED ", "and on T1 ", ": x]\n", 6000},
    {"suffixes", "[TENSION T1", ".1", ": x]\n", 6000},
    {"contributors", "", "[P0001: x] (", "\n", 6000},
    {"brace marks", "", "{DESCENT: {\n", "", 6000},
    {"open braces", "{DESCENT: ", "{", "\n", 6000},
    /* code spans */
    {"equal ticks", "", "`a", " [RESOLVED T01]\n", 6000},
    {"odd ticks with marks", "", "``a` [RESOLVED T01] ```", "\n", 6000},
    /* headings */
    {"sections", "", "## x\n", "", 6000},
    {"headings", "## Round 0\n", "### x\n", "", 6000},
    {"agents", "## Round 0\n", "### Muffin 🧁\n", "", 6000},
    {"rounds", "", "## Round 5: x\n", "", 6000},
    {"judges", "", "## 💙 Judge: Round 5 x\n", "", 6000},
    {"emoji heading", "## Round 0\n### ", "🧁 ", "\n", 6000},
    {"wide heading", "## Round 0\n### 🧁 a", "  ", "b\n", 6000},
    {"dashes in a heading", "## Round 0\n### 🧁 a", " b-", "\n", 6000},
    {"words in a heading", "## ", "Round ", "1\n", 6000},
    {"joints", "## Judge ", "- : — ", "\n", 6000},
    {"titles", "", "# x\n", "", 6000},
    /* tables */
    {"rows", "## Scoreboard\n| a | b |\n|---|---|\n", "| 1 | 2 |\n", "", 50000},
    {"cells", "## Scoreboard\n|", " x |", "\n", 50000},
    {"empty cells", "## Scoreboard\n|", "|", "\n", 50000},
    {"escaped cells", "## Scoreboard\n|", "\\|", "\n", 50000},
    {"marks in escaped cells", "## Scoreboard\n| \\\\ ", "[P0001: a \\|  b] ", "|\n", 6000},
    {"cells of marks", "## Scoreboard\n|", " [P0001: x] |", "\n", 6000},
    {"words in a cell", "## Expert Panel\n| Agent |\n| ", "a ", "|\n## Round 0\n### a 🧁\n", 50000},
    {"text rows", "## Round 0\n", "| [P0001: x] y | z |\n", "", 6000},
    {"metadata rows", "| | |\n|---|---|\n", "| **Key** | value |\n", "", 6000},
    /* lines */
    {"letters", "", "a", "\n", 200000},
    {"blanks", "", " ", "x\n", 200000},
    {"blanks at the end", "x", " ", "\n", 200000},
    {"brackets", "", "[", "\n", 200000},
    {"global marks", "", "[P0001: x] ", "\n", 50000},
    {"carriage returns", "a", "\r", "\nb\n", 50000},
    {"lines", "", "a\r\n", "", 50000},
    {"blank lines", "a\n", "\n", "b\n", 50000},
    {"escaped lines", "", "\\## x\n", "", 6000},
    {"breaks", "a\n", "---\n", "b\n", 6000},
    {"marks and breaks", "", "[CLAIM C01: x]\n---\ntext\n", "", 6000},
    {"fences", "", "```x\n", "", 6000},
    {"closed fences", "", "```\n[RESOLVED T01]\n```\n", "", 6000},
    {"long fence", "```", "`", "\n```\n", 6000},
    {"byte order marks", "", "\xEF\xBB\xBF", "x\n", 6000},
    /* metadata */
    {"metadata and text", "# x\n", "**Key**: value\ntext\n", "", 6000},
    {"list of metadata", "**Participants**:\n", "- 🧁 Muffin\n", "", 6000},
    {"participants", "**Participants**: ", "🧁 Muffin, ", "x\n## Round 0\n### Muffin\n", 6000},
    {"stars", "", "*", "\n", 6000},
    {"bold", "", "**a", "\n", 6000},
    /* findings, above and below their ceiling */
    {"unknown references", "", "[RE:FOO P01]\n", "", 6000},
    {"uneven rows", "## Scoreboard\n| a | b |\n", "| 1 |\n", "", 6000},
    {"narrow ids", "", "[TENSION T1: x]\n", "", 6000},
};

/* Backtick runs of growing lengths, a mark behind each. */
static void growing_ticks(cv_buf *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        repeat(b, "`", i % 48 + 1);
        cv_buf_add_z(b, " [RESOLVED T01] ");
    }
    cv_buf_add_char(b, '\n');
}

/* A panel of n names, and a heading for each. */
static void large_panel(cv_buf *b, size_t n)
{
    cv_buf_add_z(b, "## Expert Panel\n| Agent |\n|---|\n");
    for (size_t i = 0; i < n; i++)
        cv_buf_printf(b, "| 🧁 Name%zu |\n", i);
    cv_buf_add_z(b, "## Round 0\n");
    for (size_t i = 0; i < n; i++)
        cv_buf_printf(b, i % 2 ? "### Name%zu 🧁\n" : "### Name%zu with a few more words\n", i);
}

static void mixed_brackets(cv_buf *b, size_t n)
{
    static const char *const pieces[] = {
        "[",        "]", "[PERSPECTIVE P01: ", "[RE:SUPPORT P0001]", "\\", "`", "``", "[P0001: ", "(",
        "(muffin)", "{", "[TENSON T01] "};
    cv_test_random random = {7};
    while (n-- > 0)
        cv_buf_add_z(b, pieces[cv_test_below(&random, sizeof pieces / sizeof *pieces)]);
    cv_buf_add_char(b, '\n');
}

/* JSON with a fault in each block, on one line, and with n unknown keys. */
static void faulty_blocks(cv_buf *b, size_t n)
{
    cv_buf_add_z(b, "{\"intro\": [");
    for (size_t i = 0; i < n; i++)
        cv_buf_add_z(b, i ? ",{\"mark\": \"none\"}" : "{\"text\": 1}");
    cv_buf_add_z(b, "], \"title\": 1}");
}

static void unknown_keys(cv_buf *b, size_t n)
{
    cv_buf_add_z(b, "{");
    for (size_t i = 0; i < n; i++)
        cv_buf_printf(b, "%s\"key%zu\": 1\n", i ? "," : "", i);
    cv_buf_add_z(b, "}");
}

static const struct {
    const char *name;
    void (*make)(cv_buf *, size_t);
    void (*count)(cv_str, cost *);
    size_t n;
} made_cases[] = {
    {"growing ticks", growing_ticks, count_text, 6000},   {"large panel", large_panel, count_text, 6000},
    {"mixed brackets", mixed_brackets, count_text, 6000}, {"faulty blocks", faulty_blocks, count_json, 6000},
    {"unknown keys", unknown_keys, count_json, 6000},
};

/* ---- the test ---------------------------------------------------------------------------------- */

enum { PER_BYTE = 400, BASE = 100000 };

static bool is_linear(const char *name, const cost *small, const cost *large)
{
    bool ok = true;
    for (int i = 0; i < WALKS; i++) {
        double ratio = (double)large->steps[i] / (double)(small->steps[i] ? small->steps[i] : 1);
        bool grows = large->steps[i] > BASE && ratio > 5;
        bool dear = large->steps[i] > BASE + PER_BYTE * large->bytes[i];
        if (getenv("CV_VERBOSE"))
            print_message("%-24s %-6s %5.2f times, %6.1f per byte\n", name, walk_words[i], ratio,
                          large->bytes[i] ? (double)large->steps[i] / (double)large->bytes[i] : 0.0);
        if (grows || dear)
            print_error("%s: %s takes %llu steps for %zu bytes, %.1f times those of a quarter\n", name, walk_words[i],
                        (unsigned long long)large->steps[i], large->bytes[i], ratio);
        ok = ok && !grows && !dear;
    }
    return ok;
}

static void test_plain_cases(void **state)
{
    (void)state;
    bool ok = true;
    for (size_t i = 0; i < sizeof plain_cases / sizeof *plain_cases; i++) {
        const plain_case *c = &plain_cases[i];
        cost costs[2];
        for (size_t k = 0; k < 2; k++) {
            cv_buf b = {0};
            cv_buf_add_z(&b, c->before);
            repeat(&b, c->piece, k ? 4 * c->n : c->n);
            cv_buf_add_z(&b, c->after);
            count_text(cv_buf_str(&b), &costs[k]);
            cv_buf_release(&b);
        }
        ok = is_linear(c->name, &costs[0], &costs[1]) && ok;
    }
    assert_true(ok);
}

static void test_made_cases(void **state)
{
    (void)state;
    bool ok = true;
    for (size_t i = 0; i < sizeof made_cases / sizeof *made_cases; i++) {
        cost costs[2];
        for (size_t k = 0; k < 2; k++) {
            cv_buf b = {0};
            made_cases[i].make(&b, k ? 4 * made_cases[i].n : made_cases[i].n);
            made_cases[i].count(cv_buf_str(&b), &costs[k]);
            cv_buf_release(&b);
        }
        ok = is_linear(made_cases[i].name, &costs[0], &costs[1]) && ok;
    }
    assert_true(ok);
}

/* One line of 15 MB, in the soak 50 MB, parsed: of letters, of blanks, of openers, of marks. Letters or blanks,
 * whichever is drawn; of the others a tenth, except for the soak. */
static void test_one_line(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a", " ", "[", "[P0001: x] "};
    size_t drawn = cv_test_below(&(cv_test_random){cv_test_seed()}, 2);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        cv_buf b = {0};
        cv_arena a = {0};
        cv_doc doc;
        cv_findings findings = {0};
        size_t size = cv_test_soak() ? (size_t)50 << 20 : ((size_t)15 << 20) / (i == drawn ? 1 : 10);
        repeat(&b, pieces[i], size / strlen(pieces[i]));
        steps = 0;
        cv_lint_parse(&a, cv_buf_str(&b), &doc, &findings);
        assert_true(steps < PER_BYTE * b.n);
        cv_arena_release(&a);
        cv_buf_release(&b);
    }
}

/* ---- phrases of a text in a file ----------------------------------------------------------------- */

/* Lines of every length that a phrase may have, each length a pass of its own over the file. */
static void put_lines(cv_buf *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cv_buf_printf(b, "%0*zu owed\n", (int)(4 + i % 17), i);
}

static void put_letter(cv_buf *b, size_t n)
{
    repeat(b, "a", 20 * n);
}

static void put_backslashes(cv_buf *b, size_t n)
{
    repeat(b, "\\\\\\\\u0061 \\", 2 * n);
}

/* The phrases of `text`, looked for where there are none: in the same text with other letters and digits. */
static uint64_t count_phrases(cv_str text)
{
    cv_arena a = {0};
    cv_phrases strong = {0}, weak = {0};
    char *other = (char *)cv_arena_copy(&a, text).p;
    cv_str rest = text, line;
    for (size_t i = 0; i < text.n; i++)
        other[i] = (char)(cv_is_digit(other[i]) ? 'a' + (other[i] - '0') : other[i] == 'a' ? 'b' : other[i]);
    steps = 0;
    while (cv_str_split(&rest, '\n', &line))
        cv_phrases_add(&a, &strong, &weak, line, 0);
    assert_true(strong.count > 0);
    assert_false(cv_phrases_in(&a, &strong, (cv_str){other, text.n}));
    uint64_t taken = steps;
    cv_arena_release(&a);
    return taken;
}

static void test_phrases(void **state)
{
    (void)state;
    static void (*const cases[])(cv_buf * b, size_t n) = {put_lines, put_letter, put_backslashes};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t taken[2];
        for (size_t k = 0; k < 2; k++) {
            cv_buf b = {0};
            cases[i](&b, k ? 8000 : 2000);
            taken[k] = count_phrases(cv_buf_str(&b));
            if (getenv("CV_VERBOSE"))
                print_message("phrases %zu: %llu steps for %zu bytes\n", i, (unsigned long long)taken[k], b.n);
            cv_buf_release(&b);
        }
        assert_true(taken[1] <= 5 * taken[0]);
    }
}

/* ---- templates --------------------------------------------------------------------------------- */

static uint64_t count_template(cv_str text)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_tsymbols symbols = {0};
    cv_ttree tree;
    steps = 0;
    cv_tsource source = {.name = CV_STR("x"), .text = cv_t_normalise(&a, text)};
    (void)cv_t_parse(&a, &source, &symbols, &tree, &err);
    uint64_t taken = steps;
    cv_arena_release(&a);
    return taken;
}

/* Every opener, closed or not, and what is between: reading a template takes steps by its bytes. */
static void test_templates(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "{",
        "{{",
        "{%",
        "{#",
        "{{ x }}",
        "{% raw %}",
        "{% raw %}{% endraw %}",
        "{%-  ",
        "  -%}",
        "{# a #}",
        "{# a -#} ",
        "'",
        "{{ 'a' ",
        "{{ '\\",
        "{% if x %}",
        "{{ (",
        "{{ x|list }}",
        "\n  ",
        "\n {%- x",
        "}}",
        "{% raw %} {%   endraw x",
        "\r\n",
        "\xc2\xa0",
        "{% set a = 1 %}",
    };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        cv_buf small = {0}, large = {0};
        repeat(&small, pieces[i], 4000);
        repeat(&large, pieces[i], 16000);
        uint64_t few = count_template(cv_buf_str(&small)), many = count_template(cv_buf_str(&large));
        if (many > BASE && (many > few * 5 || many > BASE + PER_BYTE * large.n))
            fail_msg("'%s': %llu steps for %zu bytes, %llu for a quarter", pieces[i], (unsigned long long)many, large.n,
                     (unsigned long long)few);
        cv_buf_release(&small);
        cv_buf_release(&large);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_cases), cmocka_unit_test(test_made_cases), cmocka_unit_test(test_one_line),
        cmocka_unit_test(test_phrases),     cmocka_unit_test(test_templates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
