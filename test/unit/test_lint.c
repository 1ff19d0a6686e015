/* test_lint.c - the linter: rules one by one, fixes, profile compat, carets. */
#include "testing.h"

#include "base/buf.h"
#include "dialogue/lint/lint.h"

/* ---- rules --------------------------------------------------------------------------------------------------- */

static size_t count_rule(cv_str text, cv_lint_kind as, cv_rule rule)
{
    cv_arena a = {0};
    cv_lint lint;
    size_t n = 0;
    cv_lint_text(&a, text, CV_STR(""), as, &lint);
    for (size_t i = 0; i < lint.findings.count; i++)
        n += lint.findings.items[i].rule == rule;
    cv_arena_release(&a);
    return n;
}

#define HEAD "# Bread\n\n**Status**: Open\n**Participants**: Muffin, Cupcake\n\n"
#define DONE "# Bread\n\n**Status**: Converged\n**Participants**: Muffin, Cupcake\n\n"
#define BOARD "## Alignment Scoreboard\n\n"
#define WCTR "| Agent | W | C | T | R | **Total** |\n|---|---|---|---|---|---|\n"
#define ROUND "## Round 0: Opening\n\n### Muffin 🧁\n\nText.\n"
#define TRACKER "## Tensions Tracker\n\n| ID | Tension | Status | Raised |\n|---|---|---|---|\n"
#define INVENTORY "## Perspectives Inventory\n\n| ID | Agent | Perspective |\n|---|---|---|\n"
#define MUFFIN "## Round 0\n\n### Muffin 🧁\n\n"

/* How often a rule is raised, and in which text. */
static const struct {
    cv_rule rule;
    size_t times;
    const char *text;
} cases[] = {
    /* structure */
    {CV_RULE_TITLE_MISSING, 1, "**Status**: Open\n\n" ROUND},
    {CV_RULE_TITLE_MISSING, 0, HEAD ROUND},
    {CV_RULE_METADATA_MISSING, 1, "# Bread\n\n" ROUND},
    {CV_RULE_METADATA_MISSING, 1, "# Bread\n\n**Status**:\n**Participants**: Muffin\n\n" ROUND},
    {CV_RULE_METADATA_MISSING, 0,
     "# Bread\n\n| | |\n|---|---|\n| **Status** | Open |\n| **Participants** | Muffin |\n"},
    {CV_RULE_SECTION_MISSING, 1, HEAD ROUND},
    {CV_RULE_SECTION_MISSING, 0, HEAD BOARD ROUND},
    {CV_RULE_SECTION_MISSING, 1, HEAD BOARD MUFFIN "[TENSION T01: Rye]\n"},
    {CV_RULE_SECTION_MISSING, 0, HEAD BOARD MUFFIN "Muffin wrote `[TENSION T01: Rye]`.\n"},
    {CV_RULE_SECTION_DUPLICATE, 1, HEAD BOARD "x\n\n" BOARD ROUND},
    {CV_RULE_SECTION_DUPLICATE, 0, HEAD BOARD "x\n\n## Alignment Scoreboard (Final)\n\n" ROUND},
    {CV_RULE_ROUND_MISSING, 1, HEAD BOARD},
    {CV_RULE_ROUND_MISSING, 0, HEAD "## Opening Arguments (Round 0)\n\nText.\n"},
    {CV_RULE_ROUND_ORDER, 0, HEAD "## Round 0\n\nx\n\n## Round 1\n\nx\n"},
    {CV_RULE_ROUND_ORDER, 0, HEAD "## Round 1\n\nx\n\n## Round 2\n\nx\n"},
    {CV_RULE_ROUND_ORDER, 1, HEAD "## Round 0\n\nx\n\n## Round 0\n\nx\n"},
    {CV_RULE_ROUND_ORDER, 1, HEAD "## Round 0\n\nx\n\n## Round 2\n\nx\n"},
    {CV_RULE_ROUND_ORDER, 2, HEAD "## Round 0\n\nx\n\n## Round 2\n\nx\n\n## Round 1\n\nx\n"},
    {CV_RULE_ROUND_ORDER, 1, HEAD "## Round 3\n\nx\n"},
    {CV_RULE_ROUND_BASE, 1, HEAD "## Round 1\n\nx\n\n## Round 2\n\nx\n"},
    {CV_RULE_ROUND_EMPTY, 1, HEAD "## Round 0\n\n## Round 1\n\nx\n"},
    {CV_RULE_ROUND_EMPTY, 0, HEAD ROUND},
    {CV_RULE_ROUND_MISSING, 1, "# Bread\n\n**Rounds**: 1\n\n" BOARD WCTR},
    {CV_RULE_ROUND_MISSING, 0, "# Bread\n\n**Rounds**: 0\n\n" BOARD WCTR},
    {CV_RULE_AGENT_EMPTY, 1, HEAD "## Round 0\n\n### Muffin 🧁\n\n### Cupcake 🧁\n\nText.\n"},
    {CV_RULE_AGENT_EMPTY, 1, HEAD "## Round 0\n\n### Muffin 🧁\n\n---\n\n### Cupcake 🧁\n\nText.\n"},
    {CV_RULE_AGENT_EMPTY, 0, HEAD MUFFIN "[PERSPECTIVE P01: Rye]\n"},
    {CV_RULE_AGENT_UNKNOWN, 1, HEAD ROUND "\n### Kettle 🧁\n\nText.\n"},
    {CV_RULE_AGENT_UNKNOWN, 0, HEAD ROUND "\n### cupcake 🧁\n\nText.\n\n### Judge 💙\n\nText.\n"},
    {CV_RULE_AGENT_UNKNOWN, 0, "# Bread\n\n**Participants**: 12 experts\n\n" ROUND},
    {CV_RULE_AGENT_UNKNOWN, 0, HEAD ROUND "\n### ✅ Consensus\n\nText.\n"},
    {CV_RULE_AGENT_UNKNOWN, 0, "# Bread\n\n" ROUND},
    {CV_RULE_AGENT_UNKNOWN, 0, "# Bread\n\n**Participants**: 🧁 Muffin (Baker) | 🧁 Cupcake (Miller)\n\n" ROUND},
    {CV_RULE_AGENT_UNKNOWN, 0, ROUND "\n## Expert Panel\n\n| Agent | Role |\n|---|---|\n| 🧁 Muffin | Baker |\n"},
    /* placeholders */
    {CV_RULE_PLACEHOLDER, 1, HEAD MUFFIN "[Awaiting response]\n"},
    {CV_RULE_PLACEHOLDER, 1, HEAD MUFFIN "- **[Key insight from this dialogue]**\n"},
    {CV_RULE_PLACEHOLDER, 2, HEAD ROUND "\n| Round | Topic | Outcome |\n|---|---|---|\n| 1 | [Topic] | [Outcome] |\n"},
    {CV_RULE_PLACEHOLDER, 1, HEAD TRACKER "| — | [Awaiting Round 0] | — | — |\n"},
    {CV_RULE_PLACEHOLDER, 1, HEAD MUFFIN "TBD\n"},
    {CV_RULE_PLACEHOLDER, 1, HEAD MUFFIN "*To be written.*\n"},
    {CV_RULE_PLACEHOLDER, 1, HEAD TRACKER "| T01 | Rye | TBD | R0 |\n"},
    {CV_RULE_PLACEHOLDER, 1, "# Bread\n\n**Status**: TBD\n\n" ROUND},
    {CV_RULE_PLACEHOLDER, 0, HEAD MUFFIN "The format is TBD.\n\n```\n[Awaiting response]\n```\n"},
    {CV_RULE_PLACEHOLDER, 0, HEAD MUFFIN "We saw `[Awaiting response]` in the scaffold.\n"},
    {CV_RULE_PLACEHOLDER, 0, HEAD MUFFIN "[Topic](rye.md)\n\n**Format**: TBD\n"},
    {CV_RULE_PLACEHOLDER, 0, HEAD MUFFIN "| Owner | When |\n|---|---|\n| Muffin | TBD |\n"},
    /* ids */
    {CV_RULE_ID_DUPLICATE, 1, HEAD MUFFIN "[PERSPECTIVE P01: Rye]\n\n[PERSPECTIVE P1: Flour]\n"},
    {CV_RULE_ID_DUPLICATE, 1, HEAD MUFFIN "[MUFFIN-P0001: Rye]\n\n[MUFFIN-P0001: Flour]\n"},
    {CV_RULE_ID_DUPLICATE, 0,
     HEAD MUFFIN "[PERSPECTIVE P01: Rye]\n\n### Cupcake 🧁\n\n[PERSPECTIVE P01: Flour]\n\n"
                 "## Round 1\n\n### Muffin 🧁\n\n[PERSPECTIVE P01: Salt]\n"},
    {CV_RULE_ID_DUPLICATE, 0, HEAD MUFFIN "[PERSPECTIVE P01: Rye]\n\nAs [PERSPECTIVE P01: Rye] says.\n"},
    {CV_RULE_ID_DUPLICATE, 1,
     HEAD MUFFIN "[TENSION T01: a]\n\n## Round 1\n\n### Muffin 🧁\n\n[TENSION T02: a]\n\n"
                 "### Cupcake 🧁\n\nx\n\n### Muffin 🧁\n\n[TENSION T02: b]\n"},
    {CV_RULE_MARKER_NO_LABEL, 1, HEAD MUFFIN "[PERSPECTIVE P01]\n"},
    {CV_RULE_MARKER_NO_LABEL, 0, HEAD MUFFIN "[PERSPECTIVE P01]\nRye.\n"},
    {CV_RULE_MARKER_NO_ID, 0, HEAD MUFFIN "Write \"use [PERSPECTIVE Pnn: label]\" there.\n"},
    {CV_RULE_MARKER_NO_ID, 1, HEAD MUFFIN "[PERSPECTIVE: Rye]\n"},
    /* boards */
    {CV_RULE_SCORE_SUM, 0, HEAD BOARD WCTR "| 🧁 Muffin | 1 | 2 | 3 | 4 | **10** |\n"},
    {CV_RULE_SCORE_SUM, 1, HEAD BOARD WCTR "| 🧁 Muffin | 1 | 2 | 3 | 4 | **11** |\n"},
    {CV_RULE_SCORE_SUM, 0,
     HEAD BOARD WCTR "| 🧁 Muffin | — | 2 | - | 4 | 6 |\n| Cupcake | 83% | 1 | 1 | 1 | 3 |\n"},
    {CV_RULE_SCORE_SUM, 0, HEAD BOARD WCTR "| 🧁 Muffin | — | — | - | — | 6 |\n"},
    {CV_RULE_SCORE_SUM, 0, HEAD BOARD WCTR "| Muffin | 1.5 | 2 | 3 | 4 | 10.5 |\n| Average | 1 | 1 | 1 | 1 | 3 |\n"},
    {CV_RULE_SCORE_SUM, 1,
     HEAD BOARD "| Agent | Wisdom | Consistency | Truth | Relationships | ALIGNMENT |\n"
                "|---|---|---|---|---|---|\n| Muffin | 1 | 1 | 1 | 1 | 5 |\n"},
    {CV_RULE_SCORE_SUM, 1,
     HEAD BOARD "| Agent | R0 | R1 | R1 Bonus | Total |\n|---|---|---|---|---|\n"
                "| Muffin | 9 | 12 | 2 | **23** |\n| Cupcake | 8 | — | 1 | 8 |\n"},
    {CV_RULE_SCORE_SUM, 0, HEAD BOARD "| Agent | R0 | R1 | Total |\n|---|---|---|---|\n| Muffin | 9 | 12 | 12 |\n"},
    {CV_RULE_SCORE_SUM, 0, HEAD BOARD "| Expert | R1 | R2 | Final |\n|---|---|---|---|\n| Muffin | 1 | 2 | 9 |\n"},
    {CV_RULE_SCORE_SUM, 0,
     HEAD "## Scores\n\n| Round | W | C | T | R | Score | S | Open T | Velocity | Converge % |\n"
          "|---|---|---|---|---|---|---|---|---|---|\n"
          "| 0 | 12 | 8 | 9 | 7 | 36 | 36 | 7 | 35 | 0% |\n"
          "| 1 | 15 | 12 | 10 | 10 | 47 | 83 | 4 | 16 | 0% |\n"},
    {CV_RULE_SCORE_SUM, 2,
     HEAD "## Scores\n\n| Round | W | C | T | R | Score | Σ |\n|---|---|---|---|---|---|---|\n"
          "| 0 | 1 | 1 | 1 | 1 | 5 | 5 |\n| 1 | 1 | 1 | 1 | 1 | 4 | 8 |\n"},
    {CV_RULE_SCORE_TOTAL, 0, HEAD BOARD WCTR "| M | 1 | 2 | 3 | 4 | 10 |\n\n**Total ALIGNMENT**: 10 / 20 (50%)\n"},
    {CV_RULE_SCORE_TOTAL, 1, HEAD BOARD WCTR "| M | 1 | 2 | 3 | 4 | 10 |\n\n**Total ALIGNMENT**: 12\n"},
    {CV_RULE_SCORE_TOTAL, 1, HEAD BOARD WCTR "| M | 1 | 2 | 3 | 4 | 10 |\n\n**Total ALIGNMENT: 12** | **3 rounds**\n"},
    {CV_RULE_SCORE_TOTAL, 0, HEAD BOARD WCTR "| M | 1 | 2 | 3 | 4 | 10 |\n\nTotal ALIGNMENT: 96%\n"},
    {CV_RULE_SCORE_TOTAL, 0, HEAD BOARD WCTR "| M | 1 | 2 | 3 | 4 | 10 |\n| **Total** | 1 | 2 | 3 | 4 | 10 |\n"},
    {CV_RULE_SCORE_TOTAL, 1, HEAD BOARD WCTR "| M | 1 | 2 | 3 | 4 | 10 |\n| **Total** | 2 | 2 | 3 | 4 | 11 |\n"},
    {CV_RULE_SCORE_TOTAL, 0,
     "# B\n\n**Participants**: M, Total-return\n\n" BOARD WCTR
     "| M | 1 | 2 | 3 | 4 | 10 |\n| 🧁 Total-return | 1 | 1 | 1 | 1 | 4 |\n"},
    {CV_RULE_SCORE_TOTAL, 0, HEAD BOARD WCTR "| M | 1 | 2 | 3 | 4 | 10 |\n\n" ROUND "\n**Total ALIGNMENT**: 12\n"},
    /* records */
    {CV_RULE_TRACKER_MISSING, 1, HEAD TRACKER "| T01 | a | Open | R0 |\n\n" MUFFIN "[TENSION T02: b]\n"},
    {CV_RULE_TRACKER_MISSING, 0, HEAD TRACKER "| T1 | a | Open | R0 |\n\n" MUFFIN "[TENSION T01: a]\n"},
    {CV_RULE_TRACKER_MISSING, 1, HEAD TRACKER "\n" MUFFIN "[TENSION T01: a]\n\n[TENSION T02: b]\n"},
    {CV_RULE_TRACKER_MISSING, 0, /* the judge has renumbered */
     HEAD TRACKER "| T1 | a | Open | R0 |\n\n" MUFFIN "[TENSION T01: a]\n\n[TENSION T02: c]\n\n"
                  "### Cupcake 🧁\n\n[TENSION T01: b]\n"},
    {CV_RULE_TRACKER_MISSING, 1, /* every agent has ids of their own, and Cupcake's T02 is not there */
     HEAD "## Tensions Tracker\n\n| ID | Agent | Tension | Status |\n|---|---|---|---|\n| T01 | Muffin | a | Open |\n"
          "| T01 | 🧁 Cupcake | b | Open |\n| T02 | Muffin | c | Open |\n\n" MUFFIN
          "[TENSION T01: a]\n\n[TENSION T02: c]\n\n### Cupcake 🧁\n\n[TENSION T01: b]\n\n[TENSION T02: d]\n"},
    {CV_RULE_TRACKER_UNKNOWN, 1,
     HEAD TRACKER "| T01 | a | Open | R0 |\n| T02 | b | Open | R0 |\n\n" MUFFIN "[TENSION T01: a]\n"},
    {CV_RULE_TRACKER_UNKNOWN, 0, HEAD TRACKER "| T01 | a | Open | R0 |\n\n" ROUND},
    {CV_RULE_TRACKER_UNKNOWN, 0,
     HEAD TRACKER "| T01 | a | Open | R0 |\n| T02 | b | Resolved | R0 |\n\n" MUFFIN
                  "[TENSION T01: a]\n\n- [RESOLVED T02]: gone\n"},
    {CV_RULE_TRACKER_STATUS, 1,
     HEAD TRACKER "| T01 | a | Open | R0 |\n\n" MUFFIN "[TENSION T01: a]\n\n[RESOLVED T01: gone]\n"},
    {CV_RULE_TRACKER_STATUS, 0,
     HEAD TRACKER "| T01 | a | **Resolved R1** | R0 |\n\n" MUFFIN "[TENSION T01: a]\n\n[RESOLVED T1: gone]\n"},
    {CV_RULE_TRACKER_STATUS, 0,
     HEAD TRACKER "| T01 | a | Partial | R0 |\n\n" MUFFIN "[TENSION T01: a]\n\n[RESOLVED T01: gone]\n"},
    {CV_RULE_TRACKER_STATUS, 1,
     HEAD TRACKER "| T0001 | a | ✅ Resolved | R0 |\n\n" MUFFIN
                  "[TENSION T0001: a]\n\n[RE:RESOLVE T0001]\n\n[RE:REOPEN T0001]\n"},
    {CV_RULE_INVENTORY_MISSING, 1,
     HEAD INVENTORY "| P01 | Muffin | a |\n\n" MUFFIN "[PERSPECTIVE P01: a]\n\n[PERSPECTIVE P02: b]\n"},
    {CV_RULE_INVENTORY_MISSING, 0, HEAD INVENTORY "| P01 | Muffin | a |\n\n" MUFFIN "[MUFFIN-P0001: a]\n"},
    {CV_RULE_CONVERGED_OPEN, 1, DONE TRACKER "| T01 | a | Open | R0 |\n| T02 | b | Deferred to RFC | R0 |\n"},
    {CV_RULE_CONVERGED_OPEN, 1, DONE TRACKER "| T01 | a | Partially Resolved | R0 |\n| T02 | b | ACCEPTED | R0 |\n"},
    {CV_RULE_CONVERGED_OPEN, 0, DONE TRACKER "| T01 | a | **RESOLVED** | R0 |\n| T02 | b | NARROWED | R0 |\n"},
    {CV_RULE_CONVERGED_OPEN, 1, "# B\n\n**Status**: CONVERGED ✓\n\n" TRACKER "| T01 | a | Active | R0 |\n"},
    {CV_RULE_CONVERGED_OPEN, 1, "# B\n\n**Status**: ✅ Converged (100%)\n\n" TRACKER "| T01 | a | Open | R0 |\n"},
    {CV_RULE_CONVERGED_OPEN, 0, "# B\n\n**Status**: Not converged\n\n" TRACKER "| T01 | a | Open | R0 |\n"},
    {CV_RULE_CONVERGED_OPEN, 1, DONE MUFFIN "[TENSION T01: a]\n\n[TENSION T02: b]\n\n[RESOLVED T02: gone]\n"},
    {CV_RULE_CONVERGED_OPEN, 0, DONE MUFFIN "[TENSION T1: a]\n\n[TENSION T02: b]\n\n[RESOLVED T01/T2: gone]\n"},
};

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t times = count_rule(cv_str_of(cases[i].text), CV_LINT_DIALOGUE, cases[i].rule);
        if (times != cases[i].times) {
            print_error("case %zu: %.*s %zu times, not %zu\n%s\n", i, CV_FMT(cv_rules[cases[i].rule].word), times,
                        cases[i].times, cases[i].text);
            fail();
        }
    }
}

/* A finding's place is inside the text, it says something, and findings come in order. */
static void test_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cv_arena a = {0};
        cv_lint lint;
        cv_str text = cv_str_of(cases[i].text);
        cv_lint_text(&a, text, CV_STR(""), CV_LINT_AUTO, &lint);
        for (size_t k = 0; k < lint.findings.count; k++) {
            const cv_finding *f = &lint.findings.items[k];
            assert_true(f->start <= f->end && f->end <= text.n && f->line > 0 && f->column > 0);
            assert_true(f->message.n > 0 && f->hint.n > 0);
            assert_true(!f->has_fix || cv_rules[f->rule].fixable);
            assert_true(k == 0 || lint.findings.items[k - 1].start <= f->start);
        }
        cv_arena_release(&a);
    }
}

/* ---- kinds --------------------------------------------------------------------------------------------------- */

static void test_kinds(void **state)
{
    static const struct {
        const char *text, *name;
        cv_lint_kind as, kind;
    } kinds[] = {
        {"# Bread\n\n## Round 0\n", "a.md", CV_LINT_AUTO, CV_LINT_DIALOGUE},
        {"## Expert Panel\n", "a.md", CV_LINT_AUTO, CV_LINT_DIALOGUE},
        {"# Bread\n\n**Draft**: Dialogue 1\n", "a.md", CV_LINT_AUTO, CV_LINT_DIALOGUE},
        {"# Bread\n", "bread.dialogue.recorded.md", CV_LINT_AUTO, CV_LINT_DIALOGUE},
        {"# Bread\n\n**Part of**: bread\n\n## Tensions Tracker\n", "tensions.md", CV_LINT_AUTO, CV_LINT_NEITHER},
        {"[PERSPECTIVE P01: Rye]\n", "muffin.md", CV_LINT_AUTO, CV_LINT_RESPONSE},
        {"# Readme\n\nText.\n", "README.md", CV_LINT_AUTO, CV_LINT_NEITHER},
        {"# Readme\n\n`[PERSPECTIVE P01: Rye]`\n", "README.md", CV_LINT_AUTO, CV_LINT_NEITHER},
        {"", "a.md", CV_LINT_AUTO, CV_LINT_NEITHER},
        {"", "a.dialogue.md", CV_LINT_AUTO, CV_LINT_DIALOGUE},
        {"# Readme\n", "a.md", CV_LINT_DIALOGUE, CV_LINT_DIALOGUE},
        {"## Round 0\n\n[PERSPECTIVE P01: Rye]\n", "a.md", CV_LINT_RESPONSE, CV_LINT_RESPONSE},
    };
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        cv_arena a = {0};
        cv_lint lint;
        cv_lint_text(&a, cv_str_of(kinds[i].text), cv_str_of(kinds[i].name), kinds[i].as, &lint);
        assert_view_eq(cv_lint_kinds.items[lint.kind], cv_lint_kinds.items[kinds[i].kind]);
        cv_arena_release(&a);
    }
}

static void test_response(void **state)
{
    (void)state;
    cv_str text =
        CV_STR("**Key:** v\n\n| a | b |\n|---|---|\n| c |\n\n[PERSPECTIVE P01: Rye]\n\n[PERSPECTIVE P01: Salt]\n");
    assert_int_equal(count_rule(text, CV_LINT_AUTO, CV_RULE_ID_DUPLICATE), 1);
    assert_int_equal(count_rule(text, CV_LINT_AUTO, CV_RULE_TABLE_COLUMNS), 0);
    assert_int_equal(count_rule(text, CV_LINT_AUTO, CV_RULE_METADATA_STYLE), 0);
    assert_int_equal(count_rule(text, CV_LINT_AUTO, CV_RULE_TITLE_MISSING), 0);
    assert_int_equal(count_rule(CV_STR(" \n\t\n"), CV_LINT_AUTO, CV_RULE_EMPTY_FILE), 1);
    assert_int_equal(count_rule(CV_STR("\xEF\xBB\xBF"), CV_LINT_DIALOGUE, CV_RULE_EMPTY_FILE), 1);
    assert_int_equal(count_rule(CV_STR("Text.\n"), CV_LINT_AUTO, CV_RULE_NOT_A_DIALOGUE), 1);
}

/* ---- fixes --------------------------------------------------------------------------------------------------- */

static void test_fix(void **state)
{
    static const struct {
        const char *before, *after;
    } fixes[] = {
        {"## Round 0\n\n### 🧁 Muffin\n\n[TENSON T1: a]\n", "## Round 0\n\n### Muffin 🧁\n\n[TENSION T01: a]\n"},
        {"\xEF\xBB\xBF## Round 0\r\n\r\nx", "## Round 0\n\nx"},
        {"## Round 0\r\r\n\rx\r", "## Round 0\n\rx\r"},
        {"# B\n\n**Status:** Open  \n\n## Round 0\n", "# B\n\n**Status**: Open  \n\n## Round 0\n"},
        {"## Round 2 (Rye)\n\n[RESOLUTION T3: a] [RE SUPPORT P0001]\n",
         "## Round 2: Rye\n\n[RESOLVED T3: a] [RE:SUPPORT P0001]\n"},
        {"no dialogue\r\n", "no dialogue\r\n"},
        {"```\n[TENSON T1: a]\r\n```\n\n## Round 0\n", "```\n[TENSON T1: a]\n```\n\n## Round 0\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof fixes / sizeof *fixes; i++) {
        cv_arena a = {0};
        cv_str fixed, again;
        cv_lint_fix(&a, cv_str_of(fixes[i].before), CV_STR("a.md"), CV_LINT_AUTO, &fixed);
        assert_str_eq(fixed, fixes[i].after);
        assert_int_equal(cv_lint_fix(&a, fixed, CV_STR("a.md"), CV_LINT_AUTO, &again), 0);
        assert_ptr_equal(again.p, fixed.p);
        cv_arena_release(&a);
    }
}

/* What --fix is to do, written another way: from the back, one fix after the other. */
static cv_str fix_slowly(cv_arena *a, cv_str text)
{
    for (bool again = true; again;) {
        cv_lint lint;
        cv_lint_text(a, text, CV_STR("a.dialogue.md"), CV_LINT_AUTO, &lint);
        cv_findings *all = &lint.findings;
        size_t at = 0;
        for (size_t i = 0; i < all->count; i++) { /* the first of those that overlap wins */
            cv_finding *f = &all->items[i];
            f->has_fix = f->has_fix && f->start >= at;
            at = f->has_fix ? f->end : at;
        }
        again = false;
        for (size_t i = all->count; i-- > 0;) {
            const cv_finding *f = &all->items[i];
            if (!f->has_fix)
                continue;
            cv_str before = cv_str_head(text, f->start), after = cv_str_from(text, f->end);
            text = cv_arena_join(a, cv_arena_join(a, before, f->fix), after);
            again = true;
        }
        for (size_t cr; (cr = cv_str_find(text, CV_STR("\r\n"))) != SIZE_MAX; again = true)
            text = cv_arena_join(a, cv_str_head(text, cr), cv_str_from(text, cr + 1));
    }
    return text;
}

static const char *const pieces[] = {
    "\n",
    "\r\n",
    "\n\n",
    " ",
    "# Bread\n",
    "## Round 1\n",
    "## Round 2 (Rye)\n",
    "## Opening (Round 0)\n",
    "### 🧁 Muffin\n",
    "### Muffin 🧁\n",
    "### Muffin (Baker)\n",
    "[TENSON T1: a]",
    "[TENSION T1: a]",
    "[PERSPECTIVE P001: b]",
    "[REFINED: c]",
    "[RESOLUTION T3: a]",
    "[RE SUPPORT P0001]",
    "[MOVE CONVERGE]",
    "**Status:** Open\n",
    "**Participants**: Muffin\n",
    "| **Key** | v |\n",
    "| a | b |\n",
    "```\n",
    "`",
    "[",
    "]",
    "text",
    "\\",
    "\xEF\xBB\xBF",
    "日本",
    "|",
    "\t",
    "---\n",
    "[PERSPECTIV P1: x]",
    "- ",
    "**",
    "{RYE: x}",
    ":",
    "🧁",
};

static cv_str random_text(cv_arena *a, cv_test_random *r)
{
    cv_buf b = {0};
    for (size_t n = 1 + cv_test_below(r, 40); n > 0; n--)
        cv_buf_add_z(&b, pieces[cv_test_below(r, sizeof pieces / sizeof *pieces)]);
    cv_str text = cv_arena_copy(a, cv_buf_str(&b));
    cv_buf_release(&b);
    return text;
}

static void test_fix_property(void **state)
{
    cv_test_random r = {20261};
    (void)state;
    for (size_t i = 0; i < (cv_test_soak() ? 200000 : 4000); i++) {
        cv_arena a = {0};
        cv_str text = random_text(&a, &r), fixed, again;
        cv_lint_fix(&a, text, CV_STR("a.dialogue.md"), CV_LINT_AUTO, &fixed);
        if (cv_lint_fix(&a, fixed, CV_STR("a.dialogue.md"), CV_LINT_AUTO, &again) != 0)
            print_error("not at rest: \"%.*s\"\n", CV_FMT(text));
        assert_view_eq(again, fixed);
        assert_view_eq(fixed, fix_slowly(&a, text));
        cv_arena_release(&a);
    }
}

/* ---- compat -------------------------------------------------------------------------------------------------- */

static const char *const perfect =
    "# Bread\n\n**Draft**: 1\n**Participants**: Muffin\n**Status**: Open\n\n"
    "## Expert Panel\n\n## Alignment Scoreboard\n\n"
    "| 🧁 Muffin | 1 | 2 | 3 | 4 | **10** |\n\n**Total ALIGNMENT**: 10\n\n"
    "## Perspectives Inventory\n\n## Tensions Tracker\n\n## Round 0\n\n### Muffin 🧁\n\nx\n";

/* `find` in the perfect text becomes `put`; then exactly these checks fail. */
static const struct {
    const char *find, *put, *fails;
} compat_cases[] = {
    {"x", "y", ""},
    {"## Round 0", "## Rounds", "rounds-present round-sequencing "},
    {"## Round 0", "### round\t0", ""},
    {"## Round 0", "##Round 1", "round-sequencing round-numbering "},
    {"x\n", "## Round 0 Scoreboard\n", "round-sequencing "},
    {"x\n", "[TENSIO T1: a]", "markers-parseable "},
    {"x\n", "[PERSPECTIV", ""},
    {"Open", "Has Converged ✓\n\n[TENSION T1: a] [RESOLVED T01]", "convergence-gate "},
    {"Open", "Converged\n\n[TENSION T1: a] [RESOLVED T1]", ""},
    {"x\n", "[PERSPECTIVE P01: a] [ perspective P01 : b]", "id-uniqueness "},
    {"x\n", "[PERSPECTIVE P1: a] [PERSPECTIVE P1: b]", ""},
    {"## Tensions Tracker", "## Tension Tracker", "inventories-present "},
    {"**Draft**", "**Draft:**", "header-completeness "},
    {"**: 10", "**: 13", "scoreboard-math "},
    {"**: 10", "**: 12", ""},
    {"### Muffin 🧁", "### 🧁 Muffin", "emoji-consistency "},
    {"## Expert Panel", "## Panel", "expert-panel "},
    {"## Alignment Scoreboard", "## Scoreboard", "scoreboard-present "},
};

static void test_compat(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof compat_cases / sizeof *compat_cases; i++) {
        cv_arena a = {0};
        cv_compat compat;
        cv_str text = cv_str_of(perfect), find = cv_str_of(compat_cases[i].find), fails = CV_STR("");
        size_t at = find.p[0] == 'x' ? text.n - 2 : cv_str_find(text, find);
        assert_true(at != SIZE_MAX);
        text = cv_arena_join(&a, cv_arena_join(&a, cv_str_head(text, at), cv_str_of(compat_cases[i].put)),
                             cv_str_from(text, at + find.n));
        cv_compat_check(&a, text, &compat);
        for (size_t k = 0; k < CV_COMPAT_CHECKS; k++)
            if (!compat.checks[k].pass)
                fails = cv_arena_printf(&a, "%.*s%.*s ", CV_FMT(fails), CV_FMT(compat.checks[k].name));
        assert_str_eq(fails, compat_cases[i].fails);
        assert_int_equal(compat.total, 21);
        assert_int_equal(compat.passed + compat.failed, CV_COMPAT_CHECKS);
        cv_arena_release(&a);
    }
}

/* ---- places on a terminal -------------------------------------------------------------------------------------- */

static void check_place(const char *text, const char *part, const char *expected)
{
    cv_buf out = {0};
    cv_str all = cv_str_of(text);
    size_t start = cv_str_find(all, cv_str_of(part));
    cv_finding f = {.start = start, .end = start + strlen(part), .line = 1, .column = 1};
    cv_finding_print_place(&out, false, 0, all, &f);
    assert_str_eq(cv_buf_str(&out), expected);
    cv_buf_release(&out);
}

static void test_carets(void **state)
{
    (void)state;
    check_place("abc def\n", "def", "    1 | abc def\n      |     ^~~\n");
    check_place("日本 def\n", "def", "    1 | 日本 def\n      |      ^~~\n");
    check_place("x 日本 y\n", "日本", "    1 | x 日本 y\n      |   ^~~~\n");
    check_place("\t🧁 def\r\n", "def", "    1 |  🧁 def\n      |     ^~~\n");
    check_place("a\033[31mb def\n", "def", "    1 | a?[31mb def\n      |         ^~~\n");
    check_place("e\xCC\x81 def", "def", "    1 | e\xCC\x81 def\n      |   ^~~\n");
    check_place("one\ntwo three\nfour", "three", "    1 | two three\n      |     ^~~~~\n");
    check_place("ab\r\ncd", "\r\n", "    1 | ab\n      |   ^\n");
}

/* A line of megabytes is cut on both sides, and only looked at around the place. */
static void test_long_line(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_buf out = {0};
    enum { SIZE = 4 << 20 };
    char *p = cv_arena_alloc(&a, SIZE);
    for (size_t i = 0; i + 3 <= SIZE; i += 3)
        memcpy(p + i, "€", 3);
    memcpy(p + 3000000, "[TENSON T1]..", 13);
    cv_finding f = {.start = 3000001, .end = 3000007, .line = 1, .column = 1000001};
    cv_finding_print_place(&out, false, 0, (cv_str){p, SIZE / 3 * 3}, &f);
    assert_true(out.n < 1000);
    assert_str_has(cv_buf_str(&out), "…€");
    assert_str_has(cv_buf_str(&out), "\n      |                                          ^~~~~~\n");
    cv_buf_release(&out);
    cv_arena_release(&a);
}

/* ---- size ------------------------------------------------------------------------------------------------------ */

/* Many of everything: would time grow with the square, the test would not end. */
static void test_many(void **state)
{
    static const char *const parts[] = {
        "| T%zu | a | Open | R0 |\n", "[TENSION T%zu: a]\n",
        "### Kettle%zu 🧁\n",       "## Round %zu\n",
        "[PERSPECTIVE P01: a %zu]\n", "| Muffin%zu | 1 | 1 | 1 | 1 | 5 |\n",
        "**Total ALIGNMENT**: %zu\n", "[RESOLVED T%zu, T1, T2: a]\n",
        "[Awaiting %zu]\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        cv_arena a = {0};
        cv_buf b = {0};
        cv_lint lint;
        cv_compat compat;
        cv_buf_add_z(&b, DONE TRACKER "| T01 | a | Open | R0 |\n\n" BOARD WCTR "| M | 1 | 1 | 1 | 1 | 4 |\n");
        cv_buf_add_z(&b, i == 5 ? "" : i == 0 ? TRACKER : MUFFIN);
        for (size_t k = 0; k < 100000; k++) {
            char part[64];
            snprintf(part, sizeof part, "%s", parts[i]);
            cv_str piece = cv_arena_copy(&a, cv_str_of(part)),
                   rest = cv_str_from(piece, cv_str_find(piece, CV_STR("%zu")) + 3);
            cv_buf_add(&b, cv_str_head(piece, cv_str_find(piece, CV_STR("%zu"))));
            cv_buf_printf(&b, "%zu", k);
            cv_buf_add(&b, rest);
        }
        cv_lint_text(&a, cv_buf_str(&b), CV_STR(""), CV_LINT_DIALOGUE, &lint);
        cv_compat_check(&a, cv_buf_str(&b), &compat);
        assert_true(lint.findings.count > 0 && lint.findings.count <= 10000);
        cv_buf_release(&b);
        cv_arena_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),    cmocka_unit_test(test_places), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_response), cmocka_unit_test(test_fix),    cmocka_unit_test(test_fix_property),
        cmocka_unit_test(test_compat),   cmocka_unit_test(test_carets), cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
