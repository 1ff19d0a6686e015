/* test_quote.c - what somebody wrote stands among our marks and remains text: every form of mark at every place.
 *
 *     unquote(quote(t)) == t                          for lines and texts
 *     [P0001: label] and below it quote(t)            is read as one mark, whose unquoted text is t
 *     quote(t) and [RE:OPPOSE P0001] with quote(t)    is read as a text and one mark, which both say t
 *     a cell, a sentence, a quotation with quote(t)   has no mark at all
 */
#include "document.h"
#include "hostile.h"

static void check_body(cv_arena *a, cv_str text)
{
    cv_str kept = cv_fence_closed(a, cv_text_tidy(a, text)), quoted = cv_text_quote(a, kept);
    cv_mark mark = {.type = CV_MARK_PERSPECTIVE, .style = CV_STYLE_GLOBAL, .sub = -1, .id = CV_STR("P0001")};
    cv_block block = {.kind = CV_BLOCK_MARK, .mark = &mark}, after = block;
    cv_mark next = {.type = CV_MARK_MOVE, .sub = CV_MOVE_CONVERGE, .word = cv_move_words.items[CV_MOVE_CONVERGE]};
    cv_agent muffin = {.name = CV_STR("Muffin"), .emoji = cv_expert_emoji};
    cv_section section = {.kind = CV_SECTION_ROUND, .round = 0};
    cv_doc doc = {.title = CV_STR("T")}, back;
    assert_view_eq(cv_text_unquote(a, quoted), kept);
    mark.label = CV_STR("Label");
    mark.by = CV_STR("muffin");
    mark.body = quoted;
    after.mark = &next;
    *CV_PUSH(a, &muffin.content) = block;
    *CV_PUSH(a, &muffin.content) = after;
    *CV_PUSH(a, &section.agents) = muffin;
    *CV_PUSH(a, &doc.sections) = section;
    cv_str written = cv_document_rendered(a, &doc);
    cv_doc_parse(a, written, &back, NULL);
    cv_marks marks = cv_doc_marks(a, &back);
    if (marks.count != 2)
        print_error("%.*s\n", CV_FMT(written));
    assert_int_equal(marks.count, 2);
    assert_view_eq(cv_text_unquote(a, marks.items[0].body), kept);
    assert_view_eq(cv_document_rendered(a, &back), written);
}

/* A position is before any mark, a reason below the mark of a reference. */
static void check_position(cv_arena *a, cv_str text)
{
    cv_str kept = cv_fence_closed(a, cv_text_tidy(a, text)), quoted = cv_text_quote(a, kept);
    cv_mark mark = {.type = CV_MARK_REFERENCE, .sub = CV_REF_OPPOSE, .word = cv_ref_words.items[CV_REF_OPPOSE]};
    cv_agent muffin = {.name = CV_STR("Muffin"), .emoji = cv_expert_emoji}, scone = muffin;
    cv_section section = {.kind = CV_SECTION_ROUND, .round = 0};
    cv_doc doc = {.title = CV_STR("T")}, back;
    if (kept.n == 0)
        return;
    mark.targets = CV_STR("P0001");
    mark.body = quoted;
    scone.name = CV_STR("Scone");
    *CV_PUSH(a, &muffin.content) = (cv_block){.kind = CV_BLOCK_TEXT, .text = quoted};
    *CV_PUSH(a, &muffin.content) = (cv_block){.kind = CV_BLOCK_MARK, .mark = &mark};
    *CV_PUSH(a, &scone.content) = (cv_block){.kind = CV_BLOCK_TEXT, .text = quoted};
    *CV_PUSH(a, &section.agents) = muffin;
    *CV_PUSH(a, &section.agents) = scone;
    *CV_PUSH(a, &doc.sections) = section;
    cv_str written = cv_document_rendered(a, &doc);
    cv_doc_parse(a, written, &back, NULL);
    if (back.mark_count != 1 || back.sections.count != 1 || back.sections.items[0].agents.count != 2)
        print_error("%.*s\n", CV_FMT(written));
    assert_int_equal(back.mark_count, 1);
    assert_int_equal(back.sections.count, 1);
    assert_int_equal(back.sections.items[0].agents.count, 2);
    const cv_blocks *first = &back.sections.items[0].agents.items[0].content,
                    *second = &back.sections.items[0].agents.items[1].content;
    assert_int_equal(first->count, 2);
    assert_int_equal(second->count, 1);
    assert_view_eq(cv_text_unquote(a, first->items[0].text), kept);
    assert_view_eq(cv_text_unquote(a, first->items[1].mark->body), kept);
    assert_view_eq(cv_text_unquote(a, second->items[0].text), kept);
    assert_view_eq(cv_document_rendered(a, &back), written);
}

static void check_line(cv_arena *a, cv_str text)
{
    cv_str line = cv_squeeze(a, text), quoted = cv_line_quote(a, line);
    cv_buf out = {0};
    cv_doc doc;
    assert_view_eq(cv_line_unquote(a, quoted), line);
    cv_buf_add_z(&out, "# T\n\n## Expert Panel\n\n| A | B |\n|---|---|\n| ");
    cv_cell_print(&out, quoted);
    cv_buf_add_z(&out, " | x |\n\n## Other\n\n| A | B |\n|---|---|\n| ");
    cv_cell_print(&out, quoted);
    cv_buf_printf(&out, " | x |\n\nBefore ` it (%.*s) and %.*s.\n\n> %.*s\n", CV_FMT(quoted), CV_FMT(quoted),
                  CV_FMT(quoted));
    cv_doc_parse(a, cv_buf_str(&out), &doc, NULL);
    if (doc.mark_count)
        print_error("%.*s\n", CV_FMT(cv_buf_str(&out)));
    assert_int_equal(doc.mark_count, 0);
    const cv_table *table = cv_section_table(&doc.sections.items[0]);
    assert_view_eq(cv_line_unquote(a, table->items[1].cells[0]), line.n ? line : CV_STR(""));
    cv_buf_release(&out);
}

static void every_form_at_every_place(void **state)
{
    (void)state;
    for (size_t form = 0; form < CV_HOSTILE_FORMS; form++)
        for (size_t place = 0; place < CV_HOSTILE_PLACES; place++) {
            cv_arena a = {0};
            cv_str text = cv_hostile_text(&a, form, place);
            check_body(&a, text);
            check_body(&a, cv_text_quote(&a, text)); /* what was quoted before is quoted again */
            check_position(&a, text);
            check_position(&a, cv_text_quote(&a, text));
            check_line(&a, text);
            check_line(&a, cv_line_quote(&a, text));
            cv_arena_release(&a);
        }
}

static void texts_at_random(void **state)
{
    cv_test_random r = {cv_test_seed()};
    size_t count = cv_test_soak() ? 200000 : 3000;
    (void)state;
    for (size_t i = 0; i < count; i++) {
        cv_arena a = {0};
        cv_str text = cv_hostile_random(&r, &a);
        check_body(&a, text);
        check_position(&a, text);
        check_line(&a, cv_hostile_label(&r, &a));
        cv_arena_release(&a);
    }
}

/* Any bytes: what a quotation takes it gives back. */
static void pieces_at_random(void **state)
{
    static const char *const pieces[] = {"[",           "]",
                                         "\\",          "`",
                                         "``",          "P0001",
                                         ":",           " ",
                                         "RE:SUPPORT ", "MOVE:CONVERGE",
                                         "\n",          "|",
                                         "- ",          "*",
                                         "TENSION",     "MUFFIN-P0001",
                                         "muffin-p01",  "RE ",
                                         "x",           "```\n",
                                         "{",           "}",
                                         "DEFER ",      "to ",
                                         "T01",         "é",
                                         "> ",          "#"};
    cv_test_random r = {cv_test_seed()};
    size_t count = cv_test_soak() ? 400000 : 6000;
    (void)state;
    for (size_t i = 0; i < count; i++) {
        cv_arena a = {0};
        cv_buf text = {0};
        cv_buf_add_z(&text, "x");
        for (size_t k = 0, n = cv_test_below(&r, 14); k < n; k++)
            cv_buf_add_z(&text, pieces[cv_test_below(&r, CV_COUNT(pieces))]);
        cv_str made = cv_buf_take(&text, &a);
        check_body(&a, made);
        check_position(&a, made);
        check_position(&a, cv_str_from(made, 1));
        check_body(&a, cv_str_from(made, 1));
        check_line(&a, cv_str_from(made, 1));
        cv_arena_release(&a);
    }
}

static void a_citation_stays_as_it_is(void **state)
{
    cv_arena a = {0};
    (void)state;
    assert_str_eq(cv_text_quote(&a, CV_STR("as [P0001] says, [see](x) and [ ] todo")),
                  "as [P0001] says, [see](x) and [ ] todo");
    assert_str_eq(cv_text_quote(&a, CV_STR("so [RE:OPPOSE P0001] it is, `[MOVE:CONVERGE]`")),
                  "so \\[RE:OPPOSE P0001] it is, `[MOVE:CONVERGE]`");
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_at_every_place),
        cmocka_unit_test(texts_at_random),
        cmocka_unit_test(pieces_at_random),
        cmocka_unit_test(a_citation_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
