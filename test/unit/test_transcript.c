/* test_transcript.c - a dialogue as markdown: what it says, that it is read back as the same document, that our own
 * linter has nothing to say about it, and what becomes of texts that look like structure. */
#include "rounds.h"

#include "dialogue/lint/lint.h"
#include "dialogue/transcript/transcript.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/id.h"
#include "dialogue/words/limits.h"

/* The document, as the operation answers it; it lives as long as the world. */
static cv_str markdown(cv_world *w, const char *request)
{
    cv_str answer = cv_world_do(w, "transcript", request);
    cv_json reply;
    cv_err err = {.arena = &w->a};
    assert_ok(cv_json_parse(&w->a, cv_arena_copy(&w->a, answer), &reply, &err), &err);
    return cv_json_get_text(&reply, "markdown");
}

static cv_str render(cv_arena *a, const cv_doc *doc)
{
    cv_buf out = {0};
    cv_doc_render(a, doc, &out);
    return cv_buf_take(&out, a);
}

static cv_str as_json(cv_arena *a, const cv_doc *doc)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out, .indent = 1};
    cv_json_begin_object(&w);
    cv_doc_print_json(doc, false, &w);
    cv_json_end_object(&w);
    return cv_buf_take(&out, a);
}

static void assert_clean(cv_arena *a, cv_str text)
{
    cv_lint lint;
    cv_lint_text(a, text, CV_STR("x.dialogue.md"), CV_LINT_AUTO, &lint);
    for (size_t i = 0; i < lint.findings.count; i++) {
        const cv_finding *f = &lint.findings.items[i];
        print_error("%zu:%zu: %.*s\n", f->line, f->column, CV_FMT(f->message));
    }
    if (lint.findings.count > 0)
        print_error("%.*s\n", CV_FMT(text));
    assert_int_equal(lint.findings.count, 0);
}

/* Read back it is the same document, written again the same bytes. */
static void assert_stable(cv_arena *a, cv_str text)
{
    cv_doc once, twice;
    cv_doc_parse(a, text, &once, NULL);
    cv_str again = render(a, &once);
    assert_view_eq(again, text);
    cv_doc_parse(a, again, &twice, NULL);
    assert_view_eq(as_json(a, &twice), as_json(a, &once));
}

/* ---- what it says ----------------------------------------------------------------------------------------------- */

static void a_dialogue_without_rounds_is_told(void **state)
{
    cv_world *w = *state;
    cv_world_do(w, "create",
                "{'title': 'Bread', 'question': 'Rye or wheat?', 'expert_pool': {'domain': 'Baking', "
                "'experts': [{'role': 'Baker', 'tier': 'Core', 'relevance': 0.9}, {'role': 'Miller', 'tier': 'Core', "
                "'relevance': 0.8}]}}");
    cv_str text = markdown(w, "{'dialogue_id': 'bread'}");
    assert_str_has(text, "**Rounds**: 0\n");
    assert_str_has(text, "| 🧁 Cupcake | ");
    assert_clean(&w->a, text);
    assert_stable(&w->a, text);
}

static void a_dialogue_without_experts_is_told(void **state)
{
    cv_world *w = *state;
    cv_world_do(w, "create", "{'title': 'Bread'}");
    cv_world_do(w, "round-register", "{'dialogue_id': 'bread', 'round': 0, 'score': 3}");
    cv_str text = markdown(w, "{'dialogue_id': 'bread'}");
    assert_str_has(text, "**Participants**: 💙 Judge\n");
    assert_str_has(text, "Nothing was said in this round.");
    assert_clean(&w->a, text);
    assert_stable(&w->a, text);
}

static void silent_experts_are_named_and_late_ones_speak(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", cv_rounds_bakers, false);
    cv_world_do(w, "round-register",
                "{'dialogue_id': 'bread', 'round': 0, 'score': 3, 'moves': [{'expert': 'scone', 'type': 'request', "
                "'context': 'figures'}]}");
    cv_str text = markdown(w, "{'dialogue_id': 'bread'}");
    assert_str_has(text, "## Round 0\n\nSilent in this round: 🧁 Muffin, 🧁 Cupcake\n\n### Scone 🧁\n\n"
                         "[MOVE:REQUEST figures]\n");
    assert_clean(&w->a, text);
    assert_stable(&w->a, text);
}

static void scores_are_told_with_their_parts(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", cv_rounds_bakers, false);
    cv_world_do(
        w, "round-register",
        "{'dialogue_id': 'bread', 'round': 0, 'score': 20, 'score_components': {'W': 5, 'C': 4, 'T': 3, 'R': 2},"
        "'expert_scores': {'muffin': {'score': 7, 'score_components': {'W': 4}}, 'scone': -2}}");
    cv_world_do(w, "round-register", "{'dialogue_id': 'bread', 'round': 1, 'score': 10}");
    cv_str text = markdown(w, "{'dialogue_id': 'bread'}");
    assert_str_has(text, "| Round | W | C | T | R | Bonus | Score | Σ |");
    assert_str_has(text, "| 0 | 5 | 4 | 3 | 2 | 6 | 20 | 20 | 0 |");
    assert_str_has(text, "| 1 | — | — | — | — | — | 10 | 30 | 0 |");
    assert_str_has(text, "| 🧁 Muffin | 7 | — | 7 |");
    assert_str_has(text, "| 🧁 Cupcake | — | — | — |");
    assert_str_has(text, "| 🧁 Scone | -2 | — | -2 |");
    assert_str_has(text, "| 🧁 Muffin | 0 | 4 | — | — | — | 3 | 7 |");
    assert_str_has(text, "**Total ALIGNMENT**: 30\n");
    assert_clean(&w->a, text);
    assert_stable(&w->a, text);
}

/* A judge may decide while tensions are open; that is not convergence. */
static void decided_is_not_converged(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", cv_rounds_bakers, false);
    cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "bread", 0, "me", ""));
    cv_world_do(w, "verdict-register",
                "{'dialogue_id': 'bread', 'verdict_id': 'final', 'verdict_type': 'final', 'round': 0, "
                "'recommendation': 'Rye', 'description': 'It keeps.'}");
    cv_str text = markdown(w, "{'dialogue_id': 'bread'}");
    assert_str_has(text, "**Status**: Decided with 2 open tensions\n");
    assert_clean(&w->a, text);
}

/* ---- as things stood -------------------------------------------------------------------------------------------- */

static void an_earlier_round_is_told_as_things_stood(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", cv_rounds_bakers, false);
    for (int round = 0; round < 3; round++)
        assert_true(cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "bread", round, "me", "")));
    cv_str text = markdown(w, "{'dialogue_id': 'bread', 'round': 1}");
    assert_str_has(text, "**Status**: Open, as of round 1\n");
    assert_str_has(text, "**Total ALIGNMENT**: 21\n");
    assert_str_has(text, "| T0001 | me: T1 of round 0 | Resolved |");
    assert_str_has(text, "| T0101 | me: T1 of round 1 | Open |");
    assert_true(cv_str_find(text, CV_STR("Round 2")) == SIZE_MAX);
    assert_true(cv_str_find(text, CV_STR("P0201")) == SIZE_MAX);
    assert_clean(&w->a, text);
    assert_stable(&w->a, text);
}

/* What is said about an earlier round afterwards took effect afterwards: the judge's marks follow the events. */
static void late_words_about_early_rounds_keep_their_order(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", cv_rounds_bakers, false);
    for (int round = 0; round < 2; round++)
        assert_true(cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "bread", round, "me", "")));
    cv_world_do(w, "update",
                "{'dialogue_id': 'bread', 'updates': [{'id': 'T0001', 'status': 'reopened', 'reason': "
                "'second thoughts'}]}");
    cv_world_do(w, "verdict-register",
                "{'dialogue_id': 'bread', 'verdict_id': 'v1', 'verdict_type': 'interim', 'round': 0, "
                "'recommendation': 'Rye', 'description': 'So far.', 'tensions_accepted': ['T0001']}");
    cv_str text = markdown(w, "{'dialogue_id': 'bread'}");
    assert_str_has(text, "| T0001 | me: T1 of round 0 | Accepted |");
    assert_clean(&w->a, text);
    cv_world_do(w, "update",
                "{'dialogue_id': 'bread', 'updates': [{'id': 'T0001', 'status': 'reopened', 'reason': "
                "'third thoughts'}]}");
    text = markdown(w, "{'dialogue_id': 'bread'}");
    assert_str_has(text, "[RE:REOPEN T0001: by judge: third thoughts]");
    assert_clean(&w->a, text);
    assert_stable(&w->a, text);
}

/* ---- texts that look like structure ----------------------------------------------------------------------------- */

static const char *const nasty[] = {
    "plain",
    "two\\nlines and  two blanks",
    "## Round 7: not a round",
    "# a title",
    "### Muffin 🧁",
    "### a heading",
    "| a | b |",
    "a | b \\\\| c \\\\",
    "[brackets] and [[more] of them",
    "] unbalanced [",
    "**Status**: Converged",
    "---",
    "***",
    "```\\ncode that never ends",
    "~~~\\n## Round 1\\n~~~\\nbehind",
    "\\\\## Round 3",
    "\\\\",
    "- [a list item",
    "[PERSPECTIVE P01: quoted]\\nbehind",
    "`[TENSION T01: quoted]` in ticks",
    "{DESCENT: braces}",
    "tab\\tand\\rreturn\\r\\nend",
    "\\u0001\\u001b[31mred\\u007f",
    "שלום 日本語 🧁🧁",
    "👩‍👩‍👧‍👦 é\\u0301",
    "  indented\\n    more",
    "\\n\\nblank lines around\\n\\n",
    ": begins with a colon",
    "— begins with a dash",
    "P0001 begins with an id",
    "(muffin)",
    "Total",
    "Round 2",
    "1. [RE:SUPPORT P0001] as text",
    "> quoted\\n> ## Round 2",
    "a <!-- comment --> & &amp; <b>",
    "💙 Judge: Round 1 Assessment",
    "\\ufeffmark",
    "\\u2028separator\\u0085",
};

static const char *pick(cv_test_random *r)
{
    return nasty[cv_test_below(r, sizeof nasty / sizeof *nasty)];
}

/* One that is on one line, as labels and titles must. */
static const char *pick_line(cv_test_random *r)
{
    static const char *const breaks[] = {"\\n", "\\t", "\\u0001"};
    const char *text = pick(r);
    for (size_t i = 0; i < CV_COUNT(breaks); i++)
        if (strstr(text, breaks[i]))
            return pick_line(r);
    return text;
}

static void add_texts(cv_buf *b, cv_test_random *r)
{
    cv_buf_printf(b, "'label': '%s %s', 'content': '%s\\n%s'", pick_line(r), pick_line(r), pick(r), pick(r));
}

static void add_entities(cv_buf *b, cv_test_random *r, int round)
{
    static const char *const bakers[] = {"muffin", "cupcake", "scone"};
    static const char *const types[] = {"support", "oppose", "question", "depend"};
    for (int kind = 0; kind < CV_KIND_COUNT; kind++) {
        size_t count = cv_test_below(r, 4);
        cv_buf_printf(b, ",'%.*s': [", CV_FMT(cv_kinds[kind].plural));
        for (size_t i = 0; i < count; i++) {
            const char *who = bakers[cv_test_below(r, 3)], *other = bakers[cv_test_below(r, 3)];
            cv_buf_printf(b, "%s{'local_id': '%s-%c%02d%02zu', ", i ? "," : "", who, cv_kinds[kind].letter, round,
                          i + 1);
            add_texts(b, r);
            cv_buf_printf(b, ", 'contributors': ['%s'%s%s%s], 'references': [{'type': '%s', 'target': '@%s'}]}", who,
                          who == other ? "" : ",'", who == other ? "" : other, who == other ? "" : "'",
                          types[cv_test_below(r, 4)], other);
        }
        cv_buf_add_char(b, ']');
    }
}

/* Tensions of the round before are settled, opened again, or let be. */
static void add_updates(cv_buf *b, cv_test_random *r, size_t tensions, int round)
{
    static const char *const statuses[] = {"addressed", "resolved", "accepted"};
    cv_buf_add_z(b, ",'tension_updates': [");
    for (size_t i = 0; i < tensions; i++)
        cv_buf_printf(b, "%s{'id': 'T%02d%02zu', 'status': '%s', 'reason': '%s'}", i ? "," : "", round, i + 1,
                      statuses[cv_test_below(r, 3)], pick(r));
    cv_buf_add_char(b, ']');
}

static size_t count_tensions(cv_world *w, const char *id, int round)
{
    cv_state s = cv_world_state(w, id);
    size_t count = 0;
    for (size_t i = 0; i < s.entities.count; i++)
        count += s.entities.items[i].kind.p[0] == 'T' && s.entities.items[i].round == round;
    return count;
}

static void add_round(cv_world *w, cv_test_random *r, const char *id, int round)
{
    cv_buf b = {0};
    size_t tensions = round > 0 ? count_tensions(w, id, round - 1) : 0;
    cv_buf_printf(&b, "{'dialogue_id': '%s', 'round': %d, 'score': %zu, 'title': '%s', 'summary': '%s\\n%s'", id, round,
                  cv_test_below(r, 50), pick_line(r), pick(r), pick(r));
    if (cv_test_below(r, 2))
        cv_buf_printf(&b, ",'score_components': {'W': %zu, 'T': 3}", cv_test_below(r, 9));
    if (cv_test_below(r, 2))
        cv_buf_printf(&b, ",'expert_scores': {'muffin': {'score': 5, 'score_components': {'R': %zu}}, 'scone': 4}",
                      cv_test_below(r, 9));
    cv_buf_printf(&b,
                  ",'moves': [{'expert': 'muffin', 'type': 'request', 'context': '%s'}, {'expert': 'scone', 'type': "
                  "'defend', 'targets': ['@muffin'], 'context': '%s'}, {'expert': 'cupcake', 'type': 'converge'}]",
                  pick(r), pick(r));
    add_entities(&b, r, round);
    add_updates(&b, r, tensions, round - 1);
    cv_buf_add_char(&b, '}');
    cv_world_do(w, "round-register", cv_arena_copy_z(&w->a, cv_buf_str(&b)));
    cv_buf_release(&b);
}

static void add_verdicts(cv_world *w, cv_test_random *r, const char *id)
{
    static const char *const types[] = {"interim", "minority", "dissent", "final"};
    for (size_t i = 0; i < 4; i++) {
        cv_str request = cv_arena_printf(
            &w->a,
            "{'dialogue_id': '%s', 'verdict_id': 'v%zu', 'verdict_type': '%s', 'round': 0, 'recommendation': '%s', "
            "'description': '%s\\n%s', 'conditions': ['%s', '%s'], 'vote': '2-1', 'author_expert': %s}",
            id, i, types[i], pick(r), pick(r), pick(r), pick(r), pick(r), i == 1 || i == 2 ? "'scone'" : "null");
        cv_world_do(w, "verdict-register", request.p);
    }
}

/* The same ids, labels and texts in the same order: nothing was lost on the way. */
static void assert_told(cv_world *w, const char *id, cv_str text)
{
    cv_state s = cv_world_state(w, id);
    cv_doc doc;
    cv_doc_parse(&w->turn, text, &doc, NULL);
    cv_marks marks = cv_doc_marks(&w->turn, &doc);
    cv_map bodies = {0};
    for (size_t i = 0; i < marks.count; i++)
        if (marks.items[i].style == CV_STYLE_GLOBAL)
            *cv_map_put(&bodies, &w->turn, marks.items[i].id, NULL) = i + 1;
    for (size_t i = 0; i < s.entities.count; i++) {
        const cv_rec_entity *e = &s.entities.items[i];
        const uintptr_t *at = cv_map_get(&bodies, cv_entity_id(&w->turn, e));
        assert_non_null(at);
        const cv_mark *mark = &marks.items[*at - 1];
        assert_view_eq(mark->label, cv_squeeze(&w->turn, e->label));
        assert_view_eq(cv_text_unquote(&w->turn, mark->body),
                       cv_fence_closed(&w->turn, cv_text_tidy(&w->turn, e->content)));
    }
}

static void any_dialogue_is_read_back_and_has_no_findings(void **state)
{
    cv_world *w = *state;
    size_t count = cv_test_soak() ? 400 : 25;
    for (size_t i = 0; i < count; i++) {
        cv_test_random r = {i};
        const char *id = cv_arena_printf(&w->a, "d%zu", i).p;
        int rounds = (int)cv_test_below(&r, 4);
        cv_world_dialogue(w, id, cv_rounds_bakers, false);
        for (int round = 0; round < rounds; round++)
            add_round(w, &r, id, round);
        if (rounds > 0 && cv_test_below(&r, 2))
            add_verdicts(w, &r, id);
        cv_str text = markdown(w, cv_arena_printf(&w->a, "{'dialogue_id': '%s'}", id).p);
        assert_clean(&w->a, text);
        assert_stable(&w->a, text);
        assert_told(w, id, text);
        for (int round = 0; round < rounds; round++)
            assert_clean(&w->a, markdown(w, cv_arena_printf(&w->a, "{'dialogue_id': '%s', 'round': %d}", id, round).p));
    }
}

/* ---- size ------------------------------------------------------------------------------------------------------- */

static void a_hundred_rounds_are_told(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", cv_rounds_bakers, false);
    for (int round = 0; round <= CV_MAX_ROUND; round++)
        assert_true(cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "bread", round, "me", "")));
    cv_str text = markdown(w, "{'dialogue_id': 'bread'}");
    assert_str_has(text, "## Round 99\n");
    assert_str_has(text, "| R99 | Total |");
    assert_str_has(text, "[P9904: me: P4 of round 99] (muffin)");
    assert_clean(&w->a, text);
    cv_compat compat;
    cv_compat_check(&w->a, text, &compat);
    assert_true(cv_compat_passes(&compat));
    assert_stable(&w->a, text);
}

static void contributors_may_be_many(void **state)
{
    cv_world *w = *state;
    enum { MANY = 60 };
    const char *slugs[MANY + 1] = {NULL};
    cv_buf list = {0};
    for (int i = 0; i < MANY; i++) {
        slugs[i] = cv_arena_printf(&w->a, "baker-number-%02d", i).p;
        cv_buf_printf(&list, "%s'%s'", i ? "," : "", slugs[i]);
    }
    cv_world_dialogue(w, "bread", slugs, false);
    cv_world_do(w, "round-register",
                cv_arena_printf(&w->a,
                                "{'dialogue_id': 'bread', 'round': 0, 'score': 1, 'perspectives': [{'local_id': "
                                "'BAKER-NUMBER-00-P0001', 'label': 'All', 'content': 'Yes.', 'contributors': [%.*s]}]}",
                                CV_FMT(cv_buf_str(&list)))
                    .p);
    cv_buf_release(&list);
    cv_str text = markdown(w, "{'dialogue_id': 'bread'}");
    assert_str_has(text, ", baker-number-59)\nYes.\n");
    assert_clean(&w->a, text);
    assert_stable(&w->a, text);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static const char *in_folder(cv_world *w, const char *name)
{
    return cv_arena_printf(&w->a, "%s/.conclave/dialogues/bread/%s", w->folder, name).p;
}

static void make_bread(cv_world *w)
{
    cv_world_dialogue(w, "bread", cv_rounds_bakers, false);
    assert_true(cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "bread", 0, "me", "")));
}

static void files_are_written_and_are_parts(void **state)
{
    cv_world *w = *state;
    static const char *const names[] = {"bread.dialogue.md", "scoreboard.md", "tensions.md", "round-0.summary.md"};
    make_bread(w);
    cv_str answer = cv_world_do(w, "transcript", "{'dialogue_id': 'bread', 'write': true}");
    assert_str_has(answer,
                   "\"files\":[\"bread.dialogue.md\",\"scoreboard.md\",\"tensions.md\",\"round-0.summary.md\"]");
    assert_view_eq(cv_test_read(&w->a, in_folder(w, names[0])), markdown(w, "{'dialogue_id': 'bread'}"));
    for (size_t i = 1; i < sizeof names / sizeof *names; i++) {
        cv_lint lint;
        cv_str text = cv_test_read(&w->a, in_folder(w, names[i]));
        cv_lint_text(&w->a, text, cv_str_of(names[i]), CV_LINT_AUTO, &lint);
        assert_true(lint.kind != CV_LINT_DIALOGUE);
        assert_str_has(text, "**Part of**: bread\n");
        assert_stable(&w->a, text);
    }
}

static void files_of_others_are_left_alone(void **state)
{
    cv_world *w = *state;
    cv_err err = {.arena = &w->a};
    make_bread(w);
    cv_world_do(w, "transcript", "{'dialogue_id': 'bread', 'write': true}");
    cv_world_do(w, "transcript", "{'dialogue_id': 'bread', 'write': true}"); /* ours are replaced */
    assert_ok(cv_file_write(in_folder(w, "tensions.md"), CV_STR("# My own notes\n"), &err), &err);
    assert_true(cv_world_call_text(w, "round-register", cv_rounds_request(&w->a, "bread", 1, "me", "")));
    assert_false(cv_world_call(w, "transcript", "{'dialogue_id': 'bread', 'write': true}"));
    assert_str_has(w->errs.items[0].message, "tensions.md' was written by somebody else");
    assert_str_eq(cv_test_read(&w->a, in_folder(w, "tensions.md")), "# My own notes\n");
    assert_str_has(cv_test_read(&w->a, in_folder(w, "bread.dialogue.md")), "**Rounds**: 1\n");
    cv_world_do(w, "transcript", "{'dialogue_id': 'bread', 'write': true, 'force': true}");
    assert_str_has(cv_test_read(&w->a, in_folder(w, "tensions.md")), "| T0101 |");
}

/* ---- refusals --------------------------------------------------------------------------------------------------- */

static void what_is_not_there_is_refused(void **state)
{
    cv_world *w = *state;
    make_bread(w);
    assert_false(cv_world_call(w, "transcript", "{'dialogue_id': 'bred'}"));
    assert_int_equal(w->errs.items[0].code, CV_ERR_DIALOGUE_NOT_FOUND);
    assert_false(cv_world_call(w, "transcript", "{'dialogue_id': 'bread', 'round': 1}"));
    assert_int_equal(w->errs.items[0].code, CV_ERR_INVALID_VALUE);
    assert_str_eq(w->errs.items[0].field, "round");
    assert_false(cv_world_call(w, "transcript", "{'dialogue_id': 'bread', 'round': 0, 'write': true}"));
    assert_str_has(w->errs.items[0].message, "whole dialogue only");
    cv_str own = cv_arena_printf(&w->a, "{'dialogue_id': 'bread', 'output_dir': '%s/.conclave'}", w->folder);
    assert_false(cv_world_call(w, "transcript", own.p));
    assert_str_eq(w->errs.items[0].field, "output_dir");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_dialogue_without_rounds_is_told, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(a_dialogue_without_experts_is_told, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(silent_experts_are_named_and_late_ones_speak, cv_world_set_up,
                                        cv_world_tear_down),
        cmocka_unit_test_setup_teardown(scores_are_told_with_their_parts, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(decided_is_not_converged, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(an_earlier_round_is_told_as_things_stood, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(late_words_about_early_rounds_keep_their_order, cv_world_set_up,
                                        cv_world_tear_down),
        cmocka_unit_test_setup_teardown(any_dialogue_is_read_back_and_has_no_findings, cv_world_set_up,
                                        cv_world_tear_down),
        cmocka_unit_test_setup_teardown(a_hundred_rounds_are_told, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(contributors_may_be_many, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(files_are_written_and_are_parts, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(files_of_others_are_left_alone, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_there_is_refused, cv_world_set_up, cv_world_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
