/* test_mark.c - every form of mark: in the specifications, in real files, in every place a mark may stand. */
#include "base/utf8.h"
#include "testing.h"

#include "dialogue/lint/lint.h"

/* ---- one mark in one phrase ---------------------------------------------------------------------- */

/* name[/style][:type] [#id] [>targets] ["label"] [@by] [= body] [!alias] [!unclosed] */
static void add_phrase(cv_buf *b, const cv_mark *m)
{
    cv_buf_add(b, cv_mark_names.items[m->type]);
    if (m->style != CV_STYLE_CLASSIC)
        cv_buf_printf(b, "/%.*s", CV_FMT(cv_style_words.items[m->style]));
    if (m->word.n)
        cv_buf_printf(b, ":%.*s%s", CV_FMT(m->word), m->sub < 0 && m->style != CV_STYLE_BRACE ? "?" : "");
    if (m->id.n)
        cv_buf_printf(b, " #%.*s", CV_FMT(m->id));
    if (m->targets.n)
        cv_buf_printf(b, " >%.*s", CV_FMT(m->targets));
    if (m->label.n)
        cv_buf_printf(b, " \"%.*s\"", CV_FMT(m->label));
    if (m->by.n)
        cv_buf_printf(b, " @%.*s", CV_FMT(m->by));
    if (m->body.n)
        cv_buf_printf(b, " = %.*s", CV_FMT(m->body));
    cv_buf_add_z(b, m->alias ? " !alias" : "");
    cv_buf_add_z(b, m->unclosed ? " !unclosed" : "");
}

/* Ranges: the mark begins with its bracket on the line it names, the body lies behind it. */
static void check_ranges(cv_str text, const cv_mark *m)
{
    assert_true(m->start < m->end && m->end <= m->body_start && m->body_start <= m->body_end && m->body_end <= text.n);
    assert_int_equal(text.p[m->start], m->style == CV_STYLE_BRACE ? '{' : '[');
    size_t line = 1;
    for (size_t i = 0; i < m->start; i++)
        line += text.p[i] == '\n';
    assert_int_equal(m->line, line);
    if (!m->unclosed)
        assert_non_null(strchr("]})", text.p[m->end - 1]));
    if (m->body.p >= text.p && m->body.p <= text.p + text.n && m->body.n) {
        assert_true(m->body.p >= text.p + m->body_start);
        assert_true(m->body.p + m->body.n <= text.p + m->body_end);
    }
}

/* All marks of a text, joined by " ; ". */
static cv_str phrases(cv_arena *a, cv_str text)
{
    cv_doc doc;
    cv_buf b = {0};
    cv_doc_parse(a, text, &doc, NULL);
    cv_marks marks = cv_doc_marks(a, &doc);
    for (size_t i = 0; i < marks.count; i++) {
        cv_buf_add_z(&b, i ? " ; " : "");
        add_phrase(&b, &marks.items[i]);
        check_ranges(text, &marks.items[i]);
    }
    cv_str s = cv_arena_copy(a, cv_buf_str(&b));
    cv_buf_release(&b);
    return s;
}

typedef struct {
    const char *text, *marks;
} mark_case;

static void check_cases(const mark_case *cases, size_t count)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        cv_arena a = {0};
        cv_str found = phrases(&a, cv_str_of(cases[i].text));
        if (!cv_str_eq(found, cv_str_of(cases[i].marks))) {
            print_error("%s\n  found    %.*s\n  expected %s\n", cases[i].text, CV_FMT(found), cases[i].marks);
            ok = false;
        }
        cv_arena_release(&a);
    }
    assert_true(ok);
}

#define CHECK(cases) check_cases((cases), sizeof(cases) / sizeof *(cases))

/* ---- the forms of the specifications --------------------------------------------------------------- */

static const mark_case specified[] = {
    {"[PERSPECTIVE P01: Income mandate]", "perspective #P01 \"Income mandate\""},
    {"[PERSPECTIVE P1: x]", "perspective #P01 \"x\""},
    {"[PERSPECTIVE P01:x]", "perspective #P01 \"x\""},
    {"[TENSION T01: x]", "tension #T01 \"x\""},
    {"[RECOMMENDATION R01: x]", "recommendation #R01 \"x\""},
    {"[EVIDENCE E01: x]", "evidence #E01 \"x\""},
    {"[CLAIM C01: x]", "claim #C01 \"x\""},
    {"[REFINEMENT: x]", "refinement \"x\""},
    {"[CONCESSION: x]", "concession \"x\""},
    {"[RESOLVED T01]", "resolved >T01"},
    {"[MUFFIN-P0101: Income mandate mismatch]", "perspective/local #MUFFIN-P0101 \"Income mandate mismatch\""},
    {"[DONUT-R0101: x]", "recommendation/local #DONUT-R0101 \"x\""},
    {"[MUFFIN-T0101: x]", "tension/local #MUFFIN-T0101 \"x\""},
    {"[MUFFIN-E0101: x]", "evidence/local #MUFFIN-E0101 \"x\""},
    {"[muffin-C0101: x]", "claim/local #MUFFIN-C0101 \"x\""},
    {"[MUFFIN-P0101]", "perspective/local #MUFFIN-P0101"},
    {"[RE:SUPPORT R0001]", "reference:support >R0001"},
    {"[RE:OPPOSE P0003]", "reference:oppose >P0003"},
    {"[RE:REFINE P0001]", "reference:refine >P0001"},
    {"[RE:ADDRESS T0001]", "reference:address >T0001"},
    {"[RE:RESOLVE T0001]", "reference:resolve >T0001"},
    {"[RE:REOPEN T0002]", "reference:reopen >T0002"},
    {"[RE:QUESTION R0001]", "reference:question >R0001"},
    {"[RE:DEPEND MUFFIN-P0101]", "reference:depend >MUFFIN-P0101"},
    {"[RE:SUPPORT @muffin]", "reference:support >@muffin"},
    {"[RE: DONUT-R0001]", "reference >DONUT-R0001"},
    {"[RE: support P0001]", "reference:support >P0001"},
    {"[MOVE:DEFEND P0001]", "move:defend >P0001"},
    {"[MOVE:CHALLENGE P0001]", "move:challenge >P0001"},
    {"[MOVE:BRIDGE P0003 R0001]", "move:bridge >P0003, R0001"},
    {"[MOVE:REQUEST figures on T01, please]", "move:request \"figures on T01, please\""},
    {"[MOVE:CONCEDE P0001]", "move:concede >P0001"},
    {"[MOVE:CONVERGE]", "move:converge"},
    {"[VERDICT:INTERIM]", "verdict:interim"},
    {"[VERDICT:FINAL]", "verdict:final"},
    {"[VERDICT: FINAL: go]", "verdict:final \"go\""},
    {"[VERDICT: go]", "verdict \"go\""},
    {"[DISSENT]", "dissent"},
    {"[DISSENT: too early]", "dissent \"too early\""},
    {"[MINORITY VERDICT: wait]", "minority_verdict \"wait\""},
    {"[P0001: label] (muffin)", "perspective/global #P0001 \"label\" @muffin"},
    {"[P0001: label] (muffin, cupcake)", "perspective/global #P0001 \"label\" @muffin, cupcake"},
    {"[T0001: label]", "tension/global #T0001 \"label\""},
    {"[TENSION T0001: label]", "tension #T0001 \"label\""},
    {"[P0001: label] (not a list of slugs!)", "perspective/global #P0001 \"label\" = (not a list of slugs!)"},
};

static void test_specified(void **state)
{
    (void)state;
    CHECK(specified);
}

/* ---- the forms of real files ------------------------------------------------------------------------ */

static const mark_case deviant[] = {
    {"[TENSION T1: x]", "tension #T01 \"x\""},
    {"[TENSION T001: x]", "tension #T01 \"x\""},
    {"[TENSION T1.1: x]", "tension #T01.1 \"x\""},
    {"[TENSION T1-S: x]", "tension #T01-S \"x\""},
    {"[TENSION T04-R1: x]", "tension #T04-R1 \"x\""},
    {"[TENSION T01-RESPONSE: x]", "tension #T01-RESPONSE \"x\""},
    {"[TENSION T-NEW: x]", "tension #T-NEW \"x\""},
    {"[PERSPECTIVE P01-M: x]", "perspective #P01-M \"x\""},
    {"[PERSPECTIVE P14] text", "perspective #P14 = text"},
    {"[PERSPECTIVE: no id]", "perspective \"no id\""},
    {"[PERSPECTIVE P01 - x]", "perspective #P01 \"x\""},
    {"[PERSPECTIVE P01 — x]", "perspective #P01 \"x\""},
    {"[PERSPECTIVE P01—x]", "perspective #P01 \"x\""},
    {"[TENSION P01: wrong letter]", "tension #P01 \"wrong letter\""},
    {"[RESOLVED T01: x]", "resolved >T01 \"x\""},
    {"[RESOLVED T1]", "resolved >T01"},
    {"[RESOLVED T4/T5: x]", "resolved >T04, T05 \"x\""},
    {"[RESOLVED T3/T6/T8]", "resolved >T03, T06, T08"},
    {"[RESOLVED T06, T01]", "resolved >T06, T01"},
    {"[RESOLVED T06 and T01: x]", "resolved >T06, T01 \"x\""},
    {"[RESOLVED on T01]", "resolved >T01"},
    {"[RESOLVED on T01 -- contingent on cost]", "resolved >T01 \"contingent on cost\""},
    {"[RESOLVED -- accepting the rest]", "resolved \"accepting the rest\""},
    {"[RESOLVED: STRUDEL R1-T01 (cost)]", "resolved >STRUDEL-T0101 \"(cost)\""},
    {"[RESOLVED MUFFIN R1-T01, MACARON R1-T01, ECLAIR R1-T01]", "resolved >MUFFIN-T0101, MACARON-T0101, ECLAIR-T0101"},
    {"[RESOLVED]", "resolved"},
    {"[RESOLVED: T03]", "resolved >T03"},
    {"[RESOLVED: T03 is settled]", "resolved \"T03 is settled\""},
    {"[REFINEMENT on T05 / former Macaron T01]", "refinement >T05 \"former Macaron T01\""},
    {"[REFINEMENT T07]: text", "refinement >T07 = text"},
    {"[REFINEMENT: T03 - why]", "refinement >T03 \"why\""},
    {"[REFINEMENT]", "refinement"},
    {"[CONCESSION]", "concession"},
    {"[CONCESSION to Strudel on T01]: given", "concession >@strudel, T01 = given"},
    {"[RESOLUTION T03: x]", "resolved >T03 \"x\" !alias"},
    {"[REFINED RESOLUTION T01: x]", "resolved >T01 \"x\" !alias"},
    {"[REFINED: x]", "refinement \"x\" !alias"},
    {"[CHALLENGE: x]", "challenge \"x\""},
    {"[CHALLENGE P01: x]", "challenge >P01 \"x\""},
    {"**Move**: [ACCEPT] T03 closed", "accept = T03 closed"},
    {"[CONCEDE-WITH-SCOPE]", "concede_with_scope"},
    {"[CONCEDE-WITH-SCOPE T01: x]", "concede_with_scope >T01 \"x\""},
    {"[DEFER]", "defer"},
    {"**Moves**: [MOVE:CONVERGE] -- all settled", "move:converge = all settled"},
    {"[MOVE:CONDITIONAL-CONVERGE]", "move:conditional-converge?"},
    {"[MOVE: CONVERGE]", "move:converge"},
    {"[RE:foo P01]", "reference:foo? >P01"},
    {"{DESCENT: into the underworld}", "other/brace:DESCENT \"into the underworld\""},
    {"[CONVERGENCE CONFIRMED]", "convergence_confirmed"},
    {"[DESIGN CONVERGENCE CONFIRMED]", "convergence_confirmed !alias"},
    {"[CONVERGENCE PROPOSAL: x]", "convergence_proposal \"x\""},
    {"[CONFIRM P01: x]", "confirm >P01 \"x\""},
    {"[CONFIRM]", "confirm"},
    {"[ACKNOWLEDGED T09: x]", "acknowledged >T09 \"x\""},
    {"[FINAL POSITION]", "final_position"},
    {"[FINAL POSITION: hold]", "final_position \"hold\""},
    {"[PROPOSAL R01: x]", "recommendation #R01 \"x\" !alias"},
};

static void test_deviant(void **state)
{
    (void)state;
    CHECK(deviant);
}

/* ---- places --------------------------------------------------------------------------------------- */

static const mark_case placed[] = {
    {"[CLAIM C01: x]\ntext\nmore", "claim #C01 \"x\" = text\nmore"},
    {"[CLAIM C01: x] text", "claim #C01 \"x\" = text"},
    {"[CLAIM C01: x] — text", "claim #C01 \"x\" = text"},
    {"[CLAIM C01: x] -- text", "claim #C01 \"x\" = text"},
    {"[CLAIM C01: x]: text\nmore", "claim #C01 \"x\" = text\nmore"},
    {"**[CLAIM C01: x]**", "claim #C01 \"x\""},
    {"**[CLAIM C01: x]** text", "claim #C01 \"x\" = text"},
    {"- [RESOLVED T06]: text", "resolved >T06 = text"},
    {"- [RESOLVED T06]\n- [RESOLVED T07]", "resolved >T06 ; resolved >T07"},
    {"## [MOVE:CONVERGE]\ntext", "move:converge = text"},
    {"see [RESOLVED T01] here", "resolved >T01 = here"},
    {"a [RESOLVED T01] b [RESOLVED T02] c", "resolved >T01 = b ; resolved >T02 = c"},
    {"[RESOLVED T01] [CONCESSION: two] and three [REFINEMENT]",
     "resolved >T01 ; concession \"two\" = and three ; refinement"},
    {"[RESOLVED T01], [RESOLVED T02]: both", "resolved >T01 ; resolved >T02 = both"},
    {"| a | [P0001: x] y | z |", "perspective/global #P0001 \"x\" = y | z |"},
    {"## Scoreboard\n| a | [P0001: x] y | z |", "perspective/global #P0001 \"x\" = y"},
    {"## Scoreboard\n| [P0001: a \\| b] (muffin) | \\\\ [T0001: c  d]  e |",
     "perspective/global #P0001 \"a | b\" @muffin ; tension/global #T0001 \"c d\" = e"},
    /* text ends at a marker line, a heading, a break */
    {"[CLAIM C01: x]\ntext\n[CLAIM C02: y]\nmore", "claim #C01 \"x\" = text ; claim #C02 \"y\" = more"},
    {"[CLAIM C01: x]\ntext\n### Heading\nother", "claim #C01 \"x\" = text"},
    {"[CLAIM C01: x]\ntext\n---\nother", "claim #C01 \"x\" = text"},
    {"[CLAIM C01: x]\ntext\n## Section\nother", "claim #C01 \"x\" = text"},
    {"[CLAIM C01: x]\ntext\n#### Four\nmore", "claim #C01 \"x\" = text\n#### Four\nmore"},
    {"[CLAIM C01: x]\n\ntext\n\n- a\n\n- b\n\n", "claim #C01 \"x\" = text\n\n- a\n\n- b"},
    {"[CLAIM C01: x]\n> [RESOLVED T01] quoted", "claim #C01 \"x\" = > [RESOLVED T01] quoted ; resolved >T01 = quoted"},
    /* quoted: no marks */
    {"`[RESOLVED T01]`", ""},
    {"`` `[RESOLVED T01]` ``", ""},
    {"a `b` [RESOLVED T01]", "resolved >T01"},
    {"a ` b [RESOLVED T01]", "resolved >T01"},
    {"a `` b ` [RESOLVED T01] `` c", ""},
    {"```\n[RESOLVED T01]\n```", ""},
    {"~~~\n[RESOLVED T01]\n~~~\n[RESOLVED T02]", "resolved >T02"},
    {"```\n[RESOLVED T01]", ""},
    {"[CLAIM C01: x] ```json\n[RESOLVED T01]\n```\nend", "claim #C01 \"x\" = ```json\n[RESOLVED T01]\n```\nend"},
    {"\\[RESOLVED T01]", ""},
    {"a \\[RESOLVED T01]", ""},
    /* cut off */
    {"[PERSPECTIVE P01: cut of", "perspective #P01 \"cut of\" !unclosed"},
    {"[PERSPECTIVE P01", "perspective #P01 !unclosed"},
    {"[PERSPECTIVE", "perspective !unclosed"},
    {"see [RESOLVED T01", ""},
    {"[MUFFIN-P0101: cut", "perspective/local #MUFFIN-P0101 \"cut\" !unclosed"},
    {"[RE:SUPP", "reference:supp? !unclosed"},
    /* labels */
    {"[CLAIM C01: a [b] c]", "claim #C01 \"a [b] c\""},
    {"[CLAIM C01: a [b](c) d] e", "claim #C01 \"a [b](c) d\" = e"},
    {"[CLAIM C01: a \\] b]", "claim #C01 \"a ] b\""},
    {"[CLAIM C01: a \\[ b]", "claim #C01 \"a [ b\""},
    {"[CLAIM C01: a \\\\]", "claim #C01 \"a \\\""},
    {"[CLAIM C01: \\: a]", "claim #C01 \": a\""},
    {"[CLAIM C01:   a   b\tc  ]", "claim #C01 \"a b c\""},
    {"[CLAIM C01: `a]` b]", "claim #C01 \"`a\" = ` b]"},
    {"[CLAIM C01: é 日本 🧁]", "claim #C01 \"é 日本 🧁\""},
    {"[CLAIM C01: a: b — c | d]", "claim #C01 \"a: b — c | d\""},
    {"[CLAIM C01:]", "claim #C01"},
    {"[CLAIM C01: [[[[[[[a]]]]]]]]", "claim #C01 \"[[[[[[[a]]]]]]]\""},
    /* no marks */
    {"[link](https://example.org) and [x] and [1]", ""},
    {"[P0001] cites, [MUFFIN-P0101] too", ""},
    {"[perspective P01: x]", ""},
    {"[PERSPECTIVES P01: x]", ""},
    {"[RESOLVEDT01]", ""},
    {"[RE SUPPORT P0001]", ""},
    {"[MOVE CONVERGE]", ""},
    {"[ACCEPT the offer]", ""},
    {"[CONFIRM that it works]", ""},
    {"[O0001: rogue kind]", ""},
    {"[]", ""},
    {"[", ""},
    {"{}", ""},
    {"text {DESCENT: x}", ""},
};

static void test_placed(void **state)
{
    (void)state;
    CHECK(placed);
}

/* ---- what is nearly a mark ------------------------------------------------------------------------- */

static void test_near(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *fix; /* NULL: nothing is found */
    } cases[] = {
        {"[PERSPECTVE P01: x]", "PERSPECTVE", "PERSPECTIVE"},
        {"[Perspective P01: x]", "Perspective", "PERSPECTIVE"},
        {"[tension T1]", "tension", "TENSION"},
        {"[TENSON T01: x]", "TENSON", "TENSION"},
        {"[RESOLVE T01]", "RESOLVE", "RESOLVED"},
        {"[CONCESION: x]", "CONCESION", "CONCESSION"},
        {"[RE SUPPORT P0001]", "RE SUPPORT", "RE:SUPPORT"},
        {"[MOVE converge]", "MOVE converge", "MOVE:converge"},
        {"[muffin-p0103: x]", "muffin-p0103", "MUFFIN-P0103"},
        {"  [MUFFIN-P0104 x]", "MUFFIN-P0104", "MUFFIN-P0104:"},
        {"[MUFFIN-P104: x]", "MUFFIN-P104", ""},
        {"see [MUFFIN-P0104 and others]", NULL, NULL},
        {"[MUFFIN-P0104]", NULL, NULL},
        {"[utf-8: x]", NULL, NULL},
        {"[Tension between two]", NULL, NULL},
        {"[PERSON P01]", NULL, NULL},
        {"[RE your mail]", NULL, NULL},
        {"`[TENSON T01: x]`", NULL, NULL},
        {"\\[TENSON T01: x]", NULL, NULL},
        {"```\n[TENSON T01: x]\n```", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cv_arena a = {0};
        cv_str text = cv_str_of(cases[i].text);
        cv_doc doc;
        cv_findings findings = {0};
        cv_lint_parse(&a, text, &doc, &findings);
        const cv_finding *found = NULL;
        for (size_t k = 0; k < findings.count; k++)
            if (findings.items[k].rule == CV_RULE_MARKER_SPELLING)
                found = &findings.items[k];
        if ((found != NULL) != (cases[i].where != NULL))
            fail_msg("%s: %s", cases[i].text, found ? "found" : "not found");
        if (found) {
            assert_str_eq(cv_str_range(text.p + found->start, text.p + found->end), cases[i].where);
            assert_str_eq(found->fix, cases[i].fix);
            assert_true(found->has_fix == (*cases[i].fix != '\0') && found->hint.n > 0);
        }
        cv_arena_release(&a);
    }
}

/* ---- the complete response of the specification ------------------------------------------------------ */

#define RESPONSE "test/golden/text/spec-response.md"

/* Entities, the references that follow each (source > type > target), and the moves. */
static void test_response(void **state)
{
    (void)state;
    static const char *const entities[] = {"MUFFIN-P0101", "MUFFIN-E0101", "MUFFIN-T0101", "MUFFIN-C0101"};
    static const char *const labels[] = {"Options viability confirmed", "Historical options premium data",
                                         "Execution timing constraint", "Income mandate resolved"};
    static const char *const references[] = {"MUFFIN-P0101 refine P0001",        "MUFFIN-P0101 support R0001",
                                             "MUFFIN-P0101 address T0001",       "MUFFIN-E0101 support MUFFIN-P0101",
                                             "MUFFIN-C0101 depend MUFFIN-P0101", "MUFFIN-C0101 depend MUFFIN-E0101"};
    cv_arena a = {0};
    cv_str text = cv_test_read(&a, RESPONSE);
    cv_doc doc;
    cv_findings findings = {0};
    cv_lint_parse(&a, text, &doc, &findings);
    cv_marks marks = cv_doc_marks(&a, &doc);
    cv_str source = {NULL, 0};
    size_t entity = 0, reference = 0, moves = 0;
    assert_int_equal(findings.count, 0);
    assert_str_eq(doc.title, "Muffin - Value Analyst (Round 1)");
    for (size_t i = 0; i < marks.count; i++) {
        const cv_mark *m = &marks.items[i];
        check_ranges(text, m);
        if (m->type < (cv_mark_type)CV_KIND_COUNT) {
            assert_true(entity < 4);
            assert_str_eq(m->label, labels[entity]);
            assert_str_eq(m->id, entities[entity++]);
            assert_true(m->body.n > 40);
            source = m->id;
        } else if (m->type == CV_MARK_REFERENCE) {
            assert_true(reference < 6);
            assert_str_eq(cv_arena_printf(&a, "%.*s %.*s %.*s", CV_FMT(source), CV_FMT(m->word), CV_FMT(m->targets)),
                          references[reference++]);
        } else {
            assert_true(m->type == CV_MARK_MOVE && m->sub == CV_MOVE_BRIDGE);
            assert_str_eq(m->targets, "P0003, R0001");
            assert_true(cv_str_starts(m->body, CV_STR("Cupcake's concentration concern")));
            moves++;
        }
    }
    assert_int_equal(entity, 4);
    assert_int_equal(reference, 6);
    assert_int_equal(moves, 1);
    cv_arena_release(&a);
}

/* Cut off at every byte: no crash, and the marks that ended before the last line are the same as in the whole. */
static void test_cut_off(void **state)
{
    (void)state;
    cv_arena whole_arena = {0};
    cv_str text = cv_test_read(&whole_arena, RESPONSE);
    cv_doc doc;
    cv_doc_parse(&whole_arena, text, &doc, NULL);
    cv_marks whole = cv_doc_marks(&whole_arena, &doc);
    for (size_t n = 0; n <= text.n; n++) {
        cv_arena a = {0};
        char *copy = malloc(n ? n : 1);
        assert_non_null(copy);
        memcpy(copy, text.p, n);
        cv_findings findings = {0};
        cv_lint_parse(&a, (cv_str){copy, n}, &doc, &findings);
        cv_marks marks = cv_doc_marks(&a, &doc);
        size_t line = n;
        while (line > 0 && text.p[line - 1] != '\n')
            line--;
        for (size_t i = 0; i < whole.count && whole.items[i].end <= line; i++) {
            cv_buf x = {0}, y = {0};
            assert_true(i < marks.count);
            cv_mark found = marks.items[i], expected = whole.items[i];
            assert_true(found.start == expected.start && found.end == expected.end && found.line == expected.line);
            bool last = i + 1 >= whole.count || whole.items[i + 1].end > line;
            assert_true(last || cv_str_eq(expected.body, found.body));
            found.body = expected.body = (cv_str){NULL, 0}; /* to the last one belongs whatever is left of the line */
            add_phrase(&x, &found);
            add_phrase(&y, &expected);
            assert_view_eq(cv_buf_str(&x), cv_buf_str(&y));
            cv_buf_release(&x);
            cv_buf_release(&y);
        }
        free(copy);
        cv_arena_release(&a);
    }
    cv_arena_release(&whole_arena);
}

/* ---- writing --------------------------------------------------------------------------------------- */

static void test_written(void **state)
{
    (void)state;
    static const struct {
        const char *read, *written;
    } cases[] = {
        {"[PERSPECTIVE P1:x]", "[PERSPECTIVE P01: x]"},
        {"**[TENSION T1 — x]**", "[TENSION T01: x]"},
        {"[RESOLVED T4/T5 -- x]", "[RESOLVED T04, T05: x]"},
        {"[RESOLUTION T3]", "[RESOLVED T03]"},
        {"[MOVE:bridge P0003, R0001]", "[MOVE:BRIDGE P0003 R0001]"},
        {"[MOVE:REQUEST: figures]", "[MOVE:REQUEST figures]"},
        {"[RE:support p0001]", "[RE:SUPPORT: p0001]"},
        {"[RE: DONUT-R0001]", "[RE: DONUT-R0001]"},
        {"[VERDICT: FINAL]", "[VERDICT:FINAL]"},
        {"[muffin-P0101]", "[MUFFIN-P0101:]"},
        {"[P0001: x](muffin,cupcake)", "[P0001: x] (muffin, cupcake)"},
        {"[CLAIM C01: a [b]]", "[CLAIM C01: a [b]]"},
        {"[CLAIM C01: a [b", "[CLAIM C01: a \\[b]"},
        {"[CONCESSION to Strudel on T1: x]", "[CONCESSION @strudel, T01: x]"},
        {"{DESCENT : x}", "{DESCENT: x}"},
        {"[RESOLVED: T03 is settled]", "[RESOLVED: \\T03 is settled]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cv_arena a = {0};
        cv_doc doc;
        cv_buf out = {0};
        cv_doc_parse(&a, cv_str_of(cases[i].read), &doc, NULL);
        cv_marks marks = cv_doc_marks(&a, &doc);
        assert_int_equal(marks.count, 1);
        cv_mark_print(&out, &marks.items[0]);
        assert_str_eq(cv_buf_str(&out), cases[i].written);
        cv_buf_release(&out);
        cv_arena_release(&a);
    }
}

static void test_excerpts(void **state)
{
    (void)state;
    cv_arena a = {0};
    assert_str_eq(cv_excerpt(&a, CV_STR("short")), "short");
    cv_buf b = {0};
    for (size_t i = 0; i < 40; i++)
        cv_buf_add_z(&b, "日");
    cv_str s = cv_excerpt(&a, cv_buf_str(&b));
    assert_int_equal(s.n, 60 + strlen("…"));
    cv_buf_release(&b);
    assert_str_eq(cv_squeeze(&a, CV_STR(" \n a \t\f b\v ")), "a b");
    assert_str_eq(cv_squeeze(&a, CV_STR("a b c d e f g h i  j")), "a b c d e f g h i j");
    assert_str_eq(cv_squeeze(&a, CV_STR("")), "");
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_specified), cmocka_unit_test(test_deviant),  cmocka_unit_test(test_placed),
        cmocka_unit_test(test_near),      cmocka_unit_test(test_response), cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_written),   cmocka_unit_test(test_excerpts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
