/* test_kept.c - what is kept of what was said, from the response to everything that shows it: positions, reasons,
 * corrections, dissent; and who may say what in a verdict. */
#include "world.h"

#include "dialogue/words/errors.h"

static const char document[] = "{'dialogue_id': 'bread', 'output_path': '-'}";
static const char *const experts[] = {"muffin", "cupcake", "donut", NULL};

static void open_world(cv_world *w)
{
    cv_world_open(w);
    cv_world_dialogue(w, "bread", experts, false);
}

static void respond(cv_world *w, const char *expert, const char *text)
{
    cv_buf request = {0};
    cv_json_writer out = {.out = &request};
    cv_json_begin_object(&out);
    cv_json_key_str(&out, "dialogue_id", CV_STR("bread"));
    cv_json_key_str(&out, "expert", cv_str_of(expert));
    cv_json_key_str(&out, "content", cv_str_of(text));
    cv_json_end_object(&out);
    cv_buf_add_char(&request, '\0');
    assert_true(cv_world_call_json(w, "respond", cv_str_head(cv_buf_str(&request), request.n - 1)));
    cv_buf_release(&request);
}

/* The draft of the round, registered as it is with a score. */
static void register_draft(cv_world *w)
{
    cv_world_do(w, "draft", "{'dialogue_id': 'bread', 'payload_only': true}");
    cv_str payload = cv_str_trim(cv_arena_copy(&w->a, cv_buf_str(&w->out)));
    cv_str request = cv_arena_printf(&w->a, "{\"score\": 1, %.*s", CV_FMT(cv_str_from(payload, 1)));
    assert_true(cv_world_call_json(w, "round-register", request));
}

static void assert_shows(cv_world *w, const char *verb, const char *request, const char *text)
{
    cv_world_do(w, verb, request);
    assert_str_has(cv_buf_str(&w->out), text);
}

static void positions_and_reasons_are_shown(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    respond(&w, "muffin",
            "I like rye.\n\n[MUFFIN-T0001: Price]\nHigh.\n\n## What would change my mind\nA cheaper loaf.\n");
    assert_str_has(cv_buf_str(&w.out), "\"unmarked\":{\"paragraphs\":2");
    respond(&w, "cupcake", "[MOVE:CONVERGE]");
    respond(&w, "donut", "Only prose.");
    assert_str_has(cv_buf_str(&w.out), "nothing_understood");
    register_draft(&w);
    respond(&w, "muffin", "[RESOLVED T0001: it fell]\nBy half since May.\n");
    register_draft(&w);
    static const char whole[] = "{'dialogue_id': 'bread'}";
    assert_shows(&w, "transcript", whole, "I like rye.");
    assert_shows(&w, "transcript", whole, "A cheaper loaf.");
    assert_shows(&w, "transcript", whole, "By half since May.");
    assert_shows(&w, "export", document, "\"position\":\"Only prose.\"");
    assert_shows(&w, "export", document, "\"reason\":\"it fell\\n\\nBy half since May.\"");
    assert_shows(&w, "expand", "{'dialogue_id': 'bread', 'ids': ['@donut']}", "Only prose.");
    assert_shows(&w, "expand", "{'dialogue_id': 'bread', 'ids': ['round-0']}", "A cheaper loaf.");
    assert_shows(&w, "expand", "{'dialogue_id': 'bread', 'ids': ['T0001']}", "By half since May.");
    assert_shows(&w, "round-prompts", "{'dialogue_id': 'bread', 'include_prompts': true, 'write': false}",
                 "By half since May.");
    assert_shows(&w, "round-context", whole, "By half since May.");
    cv_world_close(&w);
}

static void corrections_are_shown(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    respond(&w, "muffin", "[MUFFIN-P0001: Rye]\nIt is dark.\n");
    register_draft(&w);
    cv_world_do(
        &w, "update",
        "{'dialogue_id': 'bread', 'updates': [{'id': 'P0001', 'content': 'It is light.', 'reason': 'a typo'}]}");
    assert_shows(&w, "transcript", "{'dialogue_id': 'bread'}", "P0001: corrected by judge: a typo");
    assert_shows(&w, "expand", "{'dialogue_id': 'bread', 'ids': ['P0001']}",
                 "\"correction\":{\"by\":[\"judge\"],\"reason\":\"a typo\"}");
    assert_shows(&w, "round-prompts", "{'dialogue_id': 'bread', 'include_prompts': true, 'write': false}",
                 "corrected by judge: a typo");
    assert_shows(&w, "export", document, "\"correction\":{\"by\":[\"judge\"],\"reason\":\"a typo\"}");
    assert_shows(&w, "round-context", "{'dialogue_id': 'bread'}", "\"reason\":\"a typo\"");
    cv_world_close(&w);
}

/* A reference that the judge writes for an expert is not a response. */
static void a_reference_is_no_response(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    respond(&w, "muffin", "[MUFFIN-P0001: Rye]\nDark.\n");
    respond(&w, "cupcake", "[CUPCAKE-P0001: Oats]\nLight.\n");
    cv_world_do(&w, "round-register",
                "{'dialogue_id': 'bread', 'round': 0, 'score': 1, 'dry_run': true,"
                " 'references': [{'source': '@donut', 'type': 'support', 'target': '@muffin'}]}");
    assert_str_has(cv_buf_str(&w.out), "never responded in round 0: 1");
    cv_world_close(&w);
}

static void dissent_without_a_verdict_is_kept(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    respond(&w, "muffin", "[MUFFIN-P0001: Rye]\nDark.\n\n[DISSENT: not so]\nIt is wrong in law.\n");
    register_draft(&w);
    assert_str_has(cv_buf_str(&w.out), "dissent_not_registered");
    assert_shows(&w, "transcript", "{'dialogue_id': 'bread'}", "It is wrong in law.");
    assert_shows(&w, "export", document, "dissent_not_registered");
    cv_world_close(&w);
}

/* What is named of somebody who has responded is there, or does not exist. */
static void targets_of_others_are_looked_up(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    respond(&w, "cupcake", "[CUPCAKE-P0001: Oats]\nThey are.\n");
    respond(&w, "muffin", "[RE:SUPPORT CUPCAKE-P0001]\nYes.\n\n[MOVE:CHALLENGE CUPCAKE-P0099]\nWhy?\n");
    assert_true(cv_str_find(cv_buf_str(&w.out), CV_STR("pending_target")) == SIZE_MAX);
    assert_str_has(cv_buf_str(&w.out), "there is no CUPCAKE-P0099");
    respond(&w, "donut", "[RE:SUPPORT MUFFIN-P0001]\nYes.\n");
    assert_str_has(cv_buf_str(&w.out), "unknown_target");
    cv_world_close(&w);
    open_world(&w);
    respond(&w, "muffin", "[RE:SUPPORT CUPCAKE-P0001]\nYes.\n");
    assert_str_has(cv_buf_str(&w.out), "pending_target");
    cv_world_close(&w);
}

/* The draft with one text in the place of another. */
static bool register_changed(cv_world *w, const char *from, const char *to, bool dry_run)
{
    cv_world_do(w, "draft", "{'dialogue_id': 'bread', 'payload_only': true}");
    cv_str payload = cv_str_trim(cv_arena_copy(&w->a, cv_buf_str(&w->out)));
    size_t at = cv_str_find(payload, cv_str_of(from));
    if (at == SIZE_MAX)
        fail_msg("no %s in %.*s", from, CV_FMT(payload));
    cv_str rest = cv_str_from(payload, at + strlen(from));
    return cv_world_call_json(w, "round-register",
                              cv_arena_printf(&w->a, "{\"score\": 1, \"dry_run\": %s, %.*s%s%.*s",
                                              dry_run ? "true" : "false",
                                              CV_FMT(cv_str_range(payload.p + 1, payload.p + at)), to, CV_FMT(rest)));
}

static void words_of_the_judge_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *field; /* NULL: nothing to tell */
    } tries[] = {
        {"Never sell.", "Sell.", "positions"},
        {"\"muffin\": \"Never sell.\"", "\"cupcake\": \"Mine.\"", "positions"},
        {"Never sell.", "**never**  sell", NULL},
        {"Unlawful.", "I was mistaken.", "reason"},
        {"\"Unlawful.\"", "null", "reason"},
        {"\"oppose\"", "\"support\"", "references"},
        {"Why so?", "I give in.", "context"},
        {"\"challenge\"", "\"concede\"", "moves"},
        {"It is dark.", "It is light.", "content"},
        {"It is dark.", "dark", "content"},
        {"\"Rye\"", "\"Wheat\"", "label"},
        {"\"contributors\": [", "\"contributors\": [\"donut\", ", "contributors"},
    };
    cv_world w;
    open_world(&w);
    respond(&w, "cupcake", "[CUPCAKE-P0001: Oats]\nThey are.\n");
    respond(&w, "muffin",
            "Never sell.\n\n[MUFFIN-P0001: Rye]\nIt is dark.\n\n[RE:OPPOSE CUPCAKE-P0001]\nUnlawful.\n\n"
            "[MOVE:CHALLENGE CUPCAKE-P0001]\nWhy so?\n");
    for (size_t i = 0; i < CV_COUNT(tries); i++) {
        assert_true(register_changed(&w, tries[i].from, tries[i].to, true));
        cv_str answer = cv_buf_str(&w.out);
        bool told = cv_str_find(answer, CV_STR("changed_by_judge")) != SIZE_MAX;
        if (told != (tries[i].field != NULL))
            fail_msg("%s -> %s: %.*s", tries[i].from, tries[i].to, CV_FMT(answer));
        if (told)
            assert_str_has(answer, cv_arena_printf(&w.a, "\"field\":\"%s\"", tries[i].field).p);
    }
    assert_true(register_changed(&w, "It is dark.", "It is light.", false));
    assert_shows(&w, "transcript", "{'dialogue_id': 'bread'}", "corrected by judge: registered with other words");
    assert_shows(&w, "expand", "{'dialogue_id': 'bread', 'ids': ['P0001', 'P0002']}",
                 "\"correction\":{\"by\":[\"judge\"]");
    cv_world_close(&w);
}

static void verdicts_have_their_authors(void **state)
{
    (void)state;
    static const struct {
        const char *type, *author, *code;
    } tries[] = {
        {"final", "'muffin'", "invalid_value"},  {"interim", "'muffin'", "invalid_value"},
        {"minority", "null", "missing_field"},   {"dissent", "null", "missing_field"},
        {"dissent", "'judge'", "missing_field"}, {"interim", "'judge'", NULL},
        {"minority", "'muffin'", NULL},
    };
    cv_world w;
    open_world(&w);
    cv_world_do(&w, "round-register", "{'dialogue_id': 'bread', 'round': 0, 'score': 1}");
    for (size_t i = 0; i < CV_COUNT(tries); i++) {
        const char *request =
            cv_arena_printf(&w.a,
                            "{'dialogue_id': 'bread', 'verdict_id': 'v%zu', 'verdict_type': '%s', 'author_expert': %s, "
                            "'recommendation': 'r', 'description': 'd'}",
                            i, tries[i].type, tries[i].author)
                .p;
        assert_int_equal(cv_world_call(&w, "verdict-register", request), tries[i].code == NULL);
        if (tries[i].code)
            assert_str_eq(cv_err_word(w.errs.items[0].code), tries[i].code);
        if (tries[i].code)
            assert_str_eq(w.errs.items[0].field, "author_expert");
    }
    cv_world_close(&w);
}

static void dissent_stands_against_convergence(void **state)
{
    (void)state;
    static const char final[] = "{'dialogue_id': 'bread', 'verdict_id': 'final', 'verdict_type': 'final', "
                                "'recommendation': 'r', 'description': 'd', 'dry_run': true}";
    static const char signals[] =
        "{'dialogue_id': 'bread', 'round': %d, 'score': 1, 'moves': ["
        "{'expert': 'muffin', 'type': 'converge'}, {'expert': 'cupcake', 'type': 'converge'}, "
        "{'expert': 'donut', 'type': 'converge'}]}";
    cv_world w;
    open_world(&w);
    cv_world_do(&w, "round-register", cv_arena_printf(&w.a, signals, 0).p);
    assert_shows(&w, "progress", "{'dialogue_id': 'bread'}", "\"percentage\":100");
    cv_world_do(&w, "verdict-register",
                "{'dialogue_id': 'bread', 'verdict_id': 'no', 'verdict_type': 'dissent', 'author_expert': 'donut', "
                "'recommendation': 'Wait', 'description': 'It is early.'}");
    assert_str_has(cv_buf_str(&w.out), "\"percentage\":66");
    assert_shows(&w, "progress", "{'dialogue_id': 'bread'}", "\"dissenting\":[\"donut\"]");
    assert_shows(&w, "verdict-register", final, "\"type\":\"dissent\",\"expert\":\"donut\"");
    assert_shows(&w, "export", "{'dialogue_id': 'bread'}", "Dissent on record");
    cv_world_do(&w, "round-register", cv_arena_printf(&w.a, signals, 1).p);
    assert_str_has(cv_buf_str(&w.out), "\"percentage\":100"); /* donut has come round */
    cv_world_close(&w);
}

static void compliance_is_checked(void **state)
{
    (void)state;
    static const char request[] =
        "{'dialogue_id': 'rules', 'verdict_id': 'final', 'verdict_type': 'final', 'force': true, "
        "'warning': 'w', 'recommendation': 'r', 'description': 'd', 'dry_run': true%s}";
    cv_world w;
    cv_world_open(&w);
    cv_world_do(&w, "create", "{'title': 'Rules', 'calibrated': true, 'calibration': {'rules': []}}");
    assert_shows(&w, "verdict-register", cv_arena_printf(&w.a, request, "").p, "no_ethos_compliance");
    assert_false(
        cv_world_call(&w, "verdict-register", cv_arena_printf(&w.a, request, ", 'ethos_compliance': {'fine': 1}").p));
    assert_int_equal(w.errs.count, 3);
    cv_world_do(&w, "verdict-register",
                cv_arena_printf(&w.a, request,
                                ", 'ethos_compliance': {'fully_compliant': true, 'exceptions': [], 'violations': []}")
                    .p);
    cv_world_close(&w);
}

static void verdicts_in_responses_are_proposed(void **state)
{
    (void)state;
    cv_world w;
    open_world(&w);
    respond(&w, "muffin", "[VERDICT:INTERIM: Go on]\nWe are close.\n");
    cv_world_do(&w, "draft", "{'dialogue_id': 'bread'}");
    assert_str_has(cv_buf_str(&w.out), "\"verdict_id\":\"interim-0\",\"verdict_type\":\"interim\",\"round\":0,"
                                       "\"recommendation\":\"Go on\",\"description\":\"We are close.\"");
    cv_world_do(&w, "round-register",
                "{'dialogue_id': 'bread', 'round': 0, 'score': 1, 'summary': '[VERDICT:FINAL: Rye]\\nIt is so.'}");
    assert_str_has(cv_buf_str(&w.out), "verdict_in_summary");
    assert_shows(&w, "draft", "{'dialogue_id': 'bread', 'round': 0}",
                 "\"recommendation\":\"Rye\",\"description\":\"It is so.\"");
    cv_world_close(&w);
}

/* What is wrong in its form hides nothing that is wrong in its meaning. */
static void all_faults_are_told_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *verb, *request, *fields;
    } tries[] = {
        {"round-register",
         "{'dialogue_id': 'bread', 'round': 0, 'score': 'ten', 'perspectives': [{'local_id': 'MUFFIN-P0001', 'label': "
         "'a', "
         "'content': 'x', 'references': [{'type': 'support', 'target': 'P0909'}]}, 5], 'moves': [{'expert': 'nobody', "
         "'type': 7}]}",
         "score perspectives[1] moves[0].type perspectives[0].references[0].target moves[0].expert "},
        {"round-register", "{'dialogue_id': 'bread', 'round': 'first', 'score': 1, 'expert_scores': {'nobody': 1}}",
         "round "},
        {"round-register", "{'dialogue_id': 5, 'round': 0, 'score': 1, 'expert_scores': {'nobody': 1}}",
         "dialogue_id "},
        {"verdict-register",
         "{'dialogue_id': 'bread', 'verdict_id': 'v', 'verdict_type': 'final', 'recommendation': 5, 'description': "
         "'d', "
         "'tensions_resolved': ['T0909']}",
         "recommendation tensions_resolved[0] "},
        {"update", "{'dialogue_id': 'bread', 'updates': [{'id': 'P0909', 'label': 5}, {'id': 'P0808', 'label': 'x'}]}",
         "updates[0].label updates[0].id updates[1].id "},
    };
    cv_world w;
    open_world(&w);
    cv_str before = cv_world_position(&w, "bread").head;
    for (size_t i = 0; i < CV_COUNT(tries); i++) {
        cv_buf fields = {0};
        assert_false(cv_world_call(&w, tries[i].verb, tries[i].request));
        for (size_t k = 0; k < w.errs.count; k++)
            cv_buf_printf(&fields, "%.*s ", CV_FMT(w.errs.items[k].field));
        assert_str_eq(cv_buf_str(&fields), tries[i].fields);
        cv_buf_release(&fields);
    }
    assert_view_eq(cv_world_position(&w, "bread").head, before);
    cv_world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_and_reasons_are_shown),
        cmocka_unit_test(corrections_are_shown),
        cmocka_unit_test(words_of_the_judge_are_told),
        cmocka_unit_test(a_reference_is_no_response),
        cmocka_unit_test(dissent_without_a_verdict_is_kept),
        cmocka_unit_test(targets_of_others_are_looked_up),
        cmocka_unit_test(verdicts_have_their_authors),
        cmocka_unit_test(dissent_stands_against_convergence),
        cmocka_unit_test(compliance_is_checked),
        cmocka_unit_test(verdicts_in_responses_are_proposed),
        cmocka_unit_test(all_faults_are_told_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
