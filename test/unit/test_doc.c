/* test_doc.c - whole documents: sections, agents, metadata, tables, escapes, findings, JSON and its faults, the spec.
 */
#include "testing.h"

#include "base/limits.h"
#include "dialogue/lint/lint.h"
#include "dialogue/text/spec.h"

/* The document in one phrase per part, with " / " between. */
static void add_blocks(cv_buf *b, const cv_blocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++) {
        const cv_block *block = &blocks->items[i];
        if (block->kind == CV_BLOCK_TEXT)
            cv_buf_printf(b, " '%.*s'", CV_FMT(block->text));
        else if (block->kind == CV_BLOCK_TABLE)
            cv_buf_printf(b, " table %zux%zu", block->table->count, block->table->items[0].count);
        else
            cv_buf_printf(b, " [%.*s%s%.*s]", CV_FMT(cv_mark_names.items[block->mark->type]),
                          block->mark->body.n ? " = " : "", CV_FMT(block->mark->body));
        for (size_t k = 0; k < block->inline_marks.count; k++)
            cv_buf_printf(b, " +%.*s", CV_FMT(cv_mark_names.items[block->inline_marks.items[k].type]));
    }
}

static cv_str outline(cv_arena *a, const cv_doc *doc)
{
    cv_buf b = {0};
    if (doc->title.n)
        cv_buf_printf(&b, "# %.*s / ", CV_FMT(doc->title));
    for (size_t i = 0; i < doc->metadata.count; i++)
        cv_buf_printf(&b, "%.*s=%.*s / ", CV_FMT(doc->metadata.items[i].key), CV_FMT(doc->metadata.items[i].value));
    if (doc->intro.count) {
        cv_buf_add_z(&b, "intro");
        add_blocks(&b, &doc->intro);
        cv_buf_add_z(&b, " / ");
    }
    for (size_t i = 0; i < doc->sections.count; i++) {
        const cv_section *s = &doc->sections.items[i];
        cv_buf_add(&b, cv_section_words.items[s->kind]);
        if ((s->kind == CV_SECTION_ROUND || s->kind == CV_SECTION_JUDGE) && s->round >= 0)
            cv_buf_printf(&b, " %d", s->round);
        if (s->label.n)
            cv_buf_printf(&b, " <%.*s>", CV_FMT(s->label));
        add_blocks(&b, &s->content);
        for (size_t k = 0; k < s->agents.count; k++) {
            const cv_agent *agent = &s->agents.items[k];
            cv_buf_printf(&b, " @%.*s %.*s%s%.*s%s", CV_FMT(agent->name), CV_FMT(agent->emoji),
                          agent->role.n ? " (" : "", CV_FMT(agent->role), agent->role.n ? ")" : "");
            add_blocks(&b, &agent->content);
        }
        cv_buf_add_z(&b, " / ");
    }
    cv_str s = cv_arena_copy(a, cv_str_head(cv_buf_str(&b), b.n >= 3 ? b.n - 3 : 0));
    cv_buf_release(&b);
    return s;
}

static const struct {
    const char *text, *outline;
} documents[] = {
    {"", ""},
    {"\n \n\t\n", ""},
    {"text", "intro 'text'"},
    {"# T\n\ntext\n\n\nmore\n", "# T / intro 'text\n\n\nmore'"},
    {"# T\n# U\n", "# T / intro '# U'"},
    /* judge sections */
    {"## 💙 Judge: Round 0 Assessment\nx\n", "judge 0 <Assessment> 'x'"},
    {"## 💙 Judge — Round 2 Summary", "judge 2 <Summary>"},
    {"## Judge Summary: Round 1", "judge 1 <Summary>"},
    {"## Judge Synthesis — Round 1", "judge 1 <Synthesis>"},
    {"## 💙 Judge", "judge"},
    {"## Judge: closing words", "judge <closing words>"},
    {"## Judges of fact", "other <Judges of fact>"},
    {"## Round 0\n### 💙 Judge Summary\nx", "round 0 @Judge 💙 (Summary) 'x'"},
    /* known sections and what their headings add */
    {"## Expert Panel", "panel"},
    {"## Alignment Scoreboard (Final)", "scoreboard <Final>"},
    {"## Alignment Scoreboard — FINAL", "scoreboard <FINAL>"},
    {"## ALIGNMENT Scoreboard", "scoreboard"},
    {"## Scoreboard", "scoreboard"},
    {"## Tensions Tracker (Final — All Resolved)", "tensions <Final — All Resolved>"},
    {"## Tension Tracker", "tensions"},
    {"## Perspectives Inventory: all", "perspectives <all>"},
    {"## Scoreboards", "other <Scoreboards>"},
    {"## Scoreboard of others", "other <Scoreboard of others>"},
    {"## \\Scoreboard", "other <Scoreboard>"},
    /* rounds */
    {"## Opening Arguments (Round 0)", "round 0 <Opening Arguments>"},
    {"## Round 1: a\n## Round 2 (b)\n## Judge: Round 2 x", "round 0 <a> / round 1 <b> / judge 1 <x>"},
    {"## Round 0\n## Round 1", "round 0 / round 1"},
    {"## Round 2\n## Round 3", "round 2 / round 3"},
    {"## Round 0 Scoreboard", "other <Round 0 Scoreboard>"},
    /* agents */
    {"## Round 0\n### Muffin 🧁\na\n### 🍩 Donut (Sweet)\nb", "round 0 @Muffin 🧁 'a' @Donut 🍩 (Sweet) 'b'"},
    {"**Participants**: 🧁 Muffin, 💙 Judge\n## Round 0\n### Muffin\na\n### Nobody\nb",
     "Participants=🧁 Muffin, 💙 Judge / round 0 @Muffin 🧁 'a\n### Nobody\nb'"},
    {"**Participants**: Muffin (Architect) | Donut\n## Round 0\n### Muffin (Architect)\n### Donut",
     "Participants=Muffin (Architect) | Donut / round 0 @Muffin 🧁 (Architect) @Donut 🧁"},
    {"## Expert Panel\n| Emoji | Agent |\n|---|---|\n| 🧁 | **Muffin** |\n## Round 0\n### Muffin\n### 🧁",
     "panel table 2x2 / round 0 @Muffin 🧁 '### 🧁'"},
    {"## Notes\n### Muffin 🧁\nx", "other <Notes> '### Muffin 🧁\nx'"},
    /* metadata */
    {"# T\n**A**: 1\n**B:** 2\n**C**:\n- x\n- y\n* z\n\n- no item", "# T / A=1 / B=2 / C=x, y, z / intro '- no item'"},
    {"| | |\n|---|---|\n| **A** | 1 |\n| **B:** | x \\| y |\n", "A=1 / B=x | y"},
    {"a\n**K**: v\nb", "K=v / intro 'a\n\nb'"},
    {"| **K** | v | w |", "intro '| **K** | v | w |'"},
    {"## S\n**K**: v", "other <S> '**K**: v'"},
    /* tables are kept apart only where a section is about one */
    {"## Scoreboard\n| a | b |\n|---|---|\n| 1 |\n\n| c |\n\n**Total ALIGNMENT**: 7",
     "scoreboard table 2x2 table 1x1 '**Total ALIGNMENT**: 7'"},
    {"## Scoreboard\n|---|\n|---|\n|---|", "scoreboard table 2x1"},
    {"## Round 0\n| a |\n|---|", "round 0 '| a |\n|---|'"},
    {"## Scoreboard\n[CLAIM C01: x]\nbody\n| a |\ntext", "scoreboard [claim = body] table 1x1 'text'"},
    /* escapes */
    {"\\# T\n\\## Round 2\n\\### x\n\\\\# y\n\\a\n", "intro '# T\n## Round 2\n\\### x\n\\# y\n\\a'"},
    {"# \\# T", "# # T"},
    {"x\n\\---\ny\n\\---", "intro 'x\n\\---\ny\n---'"},
    {"[CLAIM C01: x]\n\\### a\n\\---\n\\[RESOLVED T01]", "intro [claim = ### a\n---\n[RESOLVED T01]]"},
    /* CR LF, byte order mark, breaks */
    {"\xEF\xBB\xBF# T\r\n\r\na\r\nb\r\n", "# T / intro 'a\nb'"},
    {"---\na\n---\nb\n---\n", "intro 'a\n---\nb'"},
    {"[CLAIM C01: x]\na\n---\nb", "intro [claim = a] 'b'"},
    {"[CLAIM C01: x]\n# b", "# b / intro [claim]"},
    /* fences */
    {"```\n## Round 1\n```\n## Round 0", "intro '```\n## Round 1\n```' / round 0"},
    {"```\n## Round 1", "intro '```\n## Round 1\n```'"},
    {"see [RESOLVED T01] and [RESOLVED T02]", "intro 'see [RESOLVED T01] and [RESOLVED T02]' +resolved +resolved"},
};

static void test_documents(void **state)
{
    (void)state;
    bool ok = true;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        cv_arena a = {0};
        cv_doc doc;
        cv_doc_parse(&a, cv_str_of(documents[i].text), &doc, NULL);
        cv_str found = outline(&a, &doc);
        if (!cv_str_eq(found, cv_str_of(documents[i].outline))) {
            print_error("%s\n-- found\n%.*s\n-- expected\n%s\n\n", documents[i].text, CV_FMT(found),
                        documents[i].outline);
            ok = false;
        }
        cv_arena_release(&a);
    }
    assert_true(ok);
}

/* ---- findings ------------------------------------------------------------------------------------ */

static void test_findings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *findings; /* rule:line:column, with blanks between */
    } cases[] = {
        {"# T\n", ""},
        {"\xEF\xBB\xBF# T", "byte-order-mark:1:1"},
        {"a\r\nb", "carriage-return:1:2"},
        {"x\n```\na", "unclosed-fence:2:1"},
        {"é [TENSON T01: x]", "marker-spelling:1:4"},
        {"[TENSION T01: x", "marker-unclosed:1:1"},
        {"[TENSION: x]", "marker-no-id:1:1"},
        {"[TENSION P01: x]", "marker-wrong-kind:1:10"},
        {"[RESOLUTION T01]", "marker-alias:1:2"},
        {"[TENSION T1: x]", "id-width:1:10"},
        {"[RE: P0001]", "reference-untyped:1:1"},
        {"[RE:SUPORT P0001]", "reference-type:1:1"},
        {"[RE:SUPPORT]", "reference-no-target:1:1"},
        {"[RE:RESOLVE P0001]", "reference-target:1:1"},
        {"[CLAIM C01: x]\n[RE:REFINE P0001]", "reference-target:2:1"},
        {"[CLAIM C01: x]\n[RE:REFINE C0001]", ""},
        {"[MOVE:FOO]", "move-type:1:1"},
        {"[VERDICT: x]", "verdict-type:1:1"},
        {"## Tensions Tracker\n| a |\n|---|\n| b  c [MOVE:FOO] [CLAIM  C1: x] |", "move-type:4:8 id-width:4:27"},
        {"**A:** 1", "metadata-style:1:1"},
        {"| **A** | 1 |", "metadata-style:1:1"},
        {"## Round 0 (x)", "round-heading:1:1"},
        {"## Round 1", "round-base:1:1"},
        {"## Round 0\n### 🧁 Muffin", "agent-heading:2:1"},
        {"| a | b |\n|---|---|\n| 1 |", "table-columns:3:1"},
    };
    bool ok = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cv_arena a = {0};
        cv_doc doc;
        cv_findings findings = {0};
        cv_buf b = {0};
        cv_lint_parse(&a, cv_str_of(cases[i].text), &doc, &findings);
        for (size_t k = 0; k < findings.count; k++) {
            const cv_finding *f = &findings.items[k];
            cv_buf_printf(&b, "%s%.*s:%zu:%zu", k ? " " : "", CV_FMT(cv_rules[f->rule].word), f->line, f->column);
            assert_true(f->message.n > 0 && f->hint.n > 0);
            assert_true(!f->has_fix || cv_rules[f->rule].fixable);
        }
        if (!cv_str_eq(cv_buf_str(&b), cv_str_of(cases[i].findings))) {
            print_error("%s\n  found    %.*s\n  expected %s\n", cases[i].text, CV_FMT(cv_buf_str(&b)),
                        cases[i].findings);
            ok = false;
        }
        cv_buf_release(&b);
        cv_arena_release(&a);
    }
    assert_true(ok);
}

/* Above the ceiling findings are counted, not kept. */
static void test_findings_ceiling(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_buf b = {0};
    enum { MORE = 5 };
    for (size_t i = 0; i < CV_MAX_FINDINGS + MORE; i++)
        cv_buf_add_z(&b, "[TENSION T1: x]\n");
    cv_doc doc;
    cv_findings findings = {0};
    cv_lint_parse(&a, cv_buf_str(&b), &doc, &findings);
    assert_int_equal(findings.count, CV_MAX_FINDINGS);
    assert_int_equal(findings.dropped, MORE);
    assert_int_equal(doc.mark_count, CV_MAX_FINDINGS + MORE);
    cv_buf_release(&b);
    cv_arena_release(&a);
}

/* ---- rendering ------------------------------------------------------------------------------------ */

static cv_str rendered(cv_arena *a, const cv_doc *doc)
{
    cv_buf b = {0};
    cv_doc_render(a, doc, &b);
    cv_str s = cv_arena_copy(a, cv_buf_str(&b));
    cv_buf_release(&b);
    return s;
}

/* The canonical document is its own rendering. */
static void test_canonical(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_str text = cv_test_read(&a, "test/golden/doc/canonical.md");
    cv_doc doc;
    cv_findings findings = {0};
    cv_lint_parse(&a, text, &doc, &findings);
    assert_view_eq(rendered(&a, &doc), text);
    assert_int_equal(findings.count, 0);
    cv_arena_release(&a);
}

/* ---- questions ------------------------------------------------------------------------------------ */

static void test_questions(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_doc doc;
    cv_doc_parse(
        &a, CV_STR("# T\n**STATUS**: x\n## Expert Panel\ntext\n| **Agent** | Role |\n|---|---|\n| 🧁 Muffin | y |\n"),
        &doc, NULL);
    const cv_section *panel = cv_doc_section(&doc, CV_SECTION_PANEL);
    assert_non_null(panel);
    assert_null(cv_doc_section(&doc, CV_SECTION_JUDGE));
    const cv_table *table = cv_section_table(panel);
    assert_non_null(table);
    assert_null(cv_section_table(NULL));
    static const cv_str names[] = {CV_STR_INIT("expert"), CV_STR_INIT("agent")}, none[] = {CV_STR_INIT("x")};
    assert_int_equal(cv_table_column(table, names, 2), 0);
    assert_int_equal(cv_table_column(table, none, 1), -1);
    assert_int_equal(cv_table_column(NULL, names, 2), -1);
    assert_str_eq(cv_doc_meta(&doc, CV_STR("Status")), "x");
    assert_str_eq(cv_doc_meta(&doc, CV_STR("Date")), "");
    assert_non_null(cv_map_get(&doc.agents, CV_STR("muffin")));
    cv_arena_release(&a);
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

static void test_json_faults(void **state)
{
    (void)state;
    static const struct {
        const char *json, *faults; /* field:line:column, with blanks between */
    } cases[] = {
        {"{}", ""},
        {"{\"title\": \"x\"}", ""},
        {"[]", ":1:1"},
        {"{\"title\": 1}", "title:1:11"},
        {"{\"Title\": \"x\"}", "Title:1:11"},
        {"{\"titel\": \"x\"}", "titel:1:11"},
        {"{\"title\": \"a\\u0000b\"}", "title:1:11"},
        {"{\"metadata\": [{\"key\": \"a[b]\"}]}", "metadata[0]:1:15"},
        {"{\"metadata\": [{\"value\": \"a\"}]}", "metadata[0].key:1:15"},
        {"{\"metadata\": {}}", "metadata:1:14"},
        {"{\"intro\": [{\"text\": \"\"}]}", "intro[0].text:1:21"},
        {"{\"intro\": [{\"columns\": [\"a\"]}]}", "intro[0]:1:12"},
        {"{\"intro\": [{\"mark\": \"claim\", \"id\": \"x\"}]}", "intro[0]:1:12"},
        {"{\"intro\": [{\"mark\": \"claims\"}]}", "intro[0].mark:1:21"},
        {"{\"intro\": [{\"mark\": \"resolved\", \"targets\": [\"T01\", \"x\", 1]}]}",
         "intro[0].targets[1]:1:52 intro[0].targets[2]:1:57"},
        {"{\"intro\": [{\"mark\": \"perspective\", \"style\": \"global\", \"id\": \"P0001\", \"by\": [\"a b\"]}]}",
         "intro[0].by[0]:1:77"},
        {"{\"sections\": [{\"kind\": \"round\"}]}", "sections[0].round:1:15"},
        {"{\"sections\": [{\"kind\": \"round\", \"round\": -1}]}", "sections[0].round:1:42"},
        {"{\"sections\": [{\"kind\": \"round\", \"round\": 1.5}]}", "sections[0].round:1:42"},
        {"{\"sections\": [{\"kind\": \"other\"}]}", "sections[0].label:1:15"},
        {"{\"sections\": [{\"kind\": \"panel\", \"agents\": [{\"name\": \"x\"}]}]}", "sections[0].agents:1:43"},
        {"{\"sections\": [{\"kind\": \"round\", \"round\": 0, \"agents\": [{\"name\": \"🧁 x\"}]}]}",
         "sections[0].agents[0]:1:56"},
        {"{\"sections\": [{\"kind\": \"panel\", \"content\": [{\"columns\": [], \"rows\": [[\"\\u0000\"]]}]}]}",
         "sections[0].content[0].columns:1:57 sections[0].content[0].rows[0][0]:1:71"},
        /* in the order of reading, each with its own place */
        {"{\n \"title\": 1,\n \"x\": 2,\n \"sections\": [\n  {\"kind\": \"y\"},\n  3\n ]\n}",
         "x:3:7 title:2:11 sections[0].kind:5:12 sections[1]:6:3"},
    };
    bool ok = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_errs errs = {0};
        cv_json tree;
        cv_doc doc;
        cv_buf b = {0};
        cv_str json = cv_str_of(cases[i].json);
        assert_ok(cv_json_parse(&a, json, &tree, &err), &err);
        bool accepted = cv_doc_read_json(&a, json, &tree, &doc, &errs);
        assert_int_equal(accepted, errs.count == 0);
        for (size_t k = 0; k < errs.count; k++) {
            cv_buf_printf(&b, "%s%.*s:%zu:%zu", k ? " " : "", CV_FMT(errs.items[k].field), errs.items[k].line,
                          errs.items[k].column);
            assert_true(errs.items[k].message.n > 0 && errs.items[k].code != CV_ERR_NONE);
        }
        if (!cv_str_eq(cv_buf_str(&b), cv_str_of(cases[i].faults))) {
            print_error("%s\n  found    %.*s\n  expected %s\n", cases[i].json, CV_FMT(cv_buf_str(&b)), cases[i].faults);
            ok = false;
        }
        cv_buf_release(&b);
        cv_arena_release(&a);
    }
    assert_true(ok);
}

/* ---- the specification ------------------------------------------------------------------------------- */

static cv_str specification(cv_arena *a)
{
    cv_buf b = {0};
    cv_spec_print(&b);
    cv_str s = cv_arena_copy(a, cv_buf_str(&b));
    cv_buf_release(&b);
    return s;
}

static void has_words(cv_arena *a, cv_str spec, cv_words words, bool upper)
{
    for (size_t i = 0; i < words.count; i++) {
        char *word = cv_arena_copy_z(a, words.items[i]);
        for (char *c = word; upper && *c; c++)
            *c = cv_upper(*c);
        assert_str_has(spec, word);
    }
}

static void test_spec_words(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_str spec = specification(&a);
    for (size_t i = 0; i < CV_KIND_COUNT; i++) {
        assert_str_has(spec, cv_arena_copy_z(&a, cv_kinds[i].word));
        assert_str_has(spec, cv_arena_copy_z(&a, cv_kinds[i].purpose));
    }
    has_words(&a, spec, cv_ref_words, true);
    has_words(&a, spec, cv_move_words, true);
    has_words(&a, spec, cv_verdict_words, true);
    for (size_t i = 0; i < CV_MARK_COUNT; i++)
        if (cv_marks_table[i].purpose.n > 0)
            assert_str_has(spec, cv_arena_copy_z(&a, cv_arena_printf(&a, "[%.*s", CV_FMT(cv_marks_table[i].word))));
    for (size_t i = 0; i <= CV_SECTION_JUDGE; i++)
        assert_str_has(spec, cv_arena_copy_z(&a, cv_section_titles.items[i]));
    cv_arena_release(&a);
}

/* The example between the fences parses without a finding and is canonical. */
static void test_spec_example(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_str spec = specification(&a);
    size_t at = cv_str_find(spec, CV_STR("````markdown\n"));
    assert_true(at != SIZE_MAX);
    cv_str example = cv_str_from(spec, at + strlen("````markdown\n"));
    example = cv_str_head(example, cv_str_find(example, CV_STR("````")));
    cv_doc doc;
    cv_findings findings = {0};
    cv_lint_parse(&a, example, &doc, &findings);
    assert_int_equal(findings.count, 0);
    assert_view_eq(rendered(&a, &doc), example);
    assert_true(doc.sections.count >= 6 && doc.mark_count >= 4);
    cv_lint_parse(&a, spec, &doc, &findings); /* the whole of it quotes every marker: it has none itself */
    assert_int_equal(doc.mark_count, 0);
    assert_int_equal(findings.count, 0);
    cv_arena_release(&a);
}

/* Every `[…]` in backticks is read as a mark once its placeholders are filled. */
static void test_spec_marks(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } fill[] = {{"{id1}", "P0001"}, {"{id2}", "R0001"}, {"{id}", "T0001"}, {"{topic}", "figures"}};
    cv_arena a = {0};
    cv_str rest = specification(&a);
    size_t marks = 0;
    for (size_t at; (at = cv_str_find(rest, CV_STR("`["))) != SIZE_MAX;) {
        rest = cv_str_from(rest, at + 1);
        size_t end = cv_str_find_char(rest, '`');
        cv_str form = cv_str_head(rest, end);
        rest = cv_str_from(rest, end + 1);
        if (cv_str_eq(form, CV_STR("[MARKER id: label]")))
            continue; /* the pattern itself */
        for (size_t i = 0; i < sizeof fill / sizeof *fill; i++)
            for (size_t hit; (hit = cv_str_find(form, cv_str_of(fill[i].from))) != SIZE_MAX;)
                form = cv_arena_printf(&a, "%.*s%s%.*s", (int)hit, form.p, fill[i].to,
                                       CV_FMT(cv_str_from(form, hit + strlen(fill[i].from))));
        cv_doc doc;
        cv_findings findings = {0};
        cv_lint_parse(&a, form, &doc, &findings);
        cv_marks found = cv_doc_marks(&a, &doc);
        if (found.count != 1 || findings.count != 0 || found.items[0].end != form.n)
            fail_msg("'%.*s' is %zu marks, %zu findings", CV_FMT(form), found.count, findings.count);
        const cv_mark *m = &found.items[0];
        if (m->style == CV_STYLE_CLASSIC)
            assert_true(cv_str_starts(cv_str_from(form, 1), cv_marks_table[m->type].word));
        else
            assert_true(cv_str_starts(cv_str_from(form, 1), m->id));
        marks++;
    }
    assert_true(marks >= 3 * CV_KIND_COUNT + CV_REF_COUNT + CV_MOVE_COUNT);
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents),  cmocka_unit_test(test_findings),     cmocka_unit_test(test_findings_ceiling),
        cmocka_unit_test(test_canonical),  cmocka_unit_test(test_questions),    cmocka_unit_test(test_json_faults),
        cmocka_unit_test(test_spec_words), cmocka_unit_test(test_spec_example), cmocka_unit_test(test_spec_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
