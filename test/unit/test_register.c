/* test_register.c - rounds, verdicts and corrections: what is accepted, what is answered, and every way to be wrong. */
#include "interpose.h"
#include "slow.h"
#include "world.h"

#include <sqlite3.h>

#include "base/utf8.h"

#include "dialogue/dynamics.h"
#include "dialogue/text/mark.h"
#include "dialogue/words/errors.h"

static const char *const bakers[] = {"muffin", "cupcake", "scone", "donut", "croissant", NULL};

/* Round 0 of all dialogues here: P0001-P0003, R0001, T0001 (muffin, cupcake), T0002 (cupcake), E0001, C0001. */
#define ROUND_0                                                                                                        \
    "'round': 0, 'score': 30, 'expert_scores': {'muffin': 12, 'cupcake': 8, 'donut': 10},"                             \
    "'perspectives': ["                                                                                                \
    " {'local_id': 'MUFFIN-P0001', 'label': 'Income mandate mismatch', 'content': 'No dividend.',"                     \
    "  'contributors': ['muffin', 'cupcake'], 'also': ['CUPCAKE-P0001']},"                                             \
    " {'local_id': 'SCONE-P0001', 'label': 'Valuation', 'content': 'High.', 'contributors': ['scone']},"               \
    " {'local_id': 'DONUT-P0001', 'label': 'Volatility', 'content': 'Sells well.', 'contributors': ['donut']}],"       \
    "'recommendations': [{'local_id': 'DONUT-R0001', 'label': 'Collar', 'content': 'Sell calls.',"                     \
    "  'contributors': ['donut'], 'parameters': {'delta': '0.30'}}],"                                                  \
    "'tensions': ["                                                                                                    \
    " {'local_id': 'MUFFIN-T0001', 'label': 'Growth vs income', 'description': 'Both.',"                               \
    "  'contributors': ['muffin', 'cupcake']},"                                                                        \
    " {'local_id': 'CUPCAKE-T0001', 'label': 'Concentration', 'description': 'One name.', 'contributors': "            \
    "['cupcake']}],"                                                                                                   \
    "'evidence': [{'local_id': 'SCONE-E0001', 'label': 'IV', 'content': '45 percent.', 'contributors': ['scone']}],"   \
    "'claims': [{'local_id': 'MUFFIN-C0001', 'label': 'Bridgeable', 'content': 'Yes.', 'contributors': ['muffin']}]"

static void begin(cv_world *w, const char *id, bool strict)
{
    cv_world_dialogue(w, id, bakers, strict);
    cv_world_do(w, "round-register", cv_arena_printf(&w->a, "{'dialogue_id': '%s', " ROUND_0 "}", id).p);
}

static cv_str status_of(const cv_state *s, const char *id)
{
    const cv_rec_entity *entity = cv_state_entity(s, cv_str_of(id));
    assert_non_null(entity);
    return entity->status;
}

static const cv_rec_event *last_event(const cv_state *s, const char *id)
{
    for (size_t i = s->events.count; i-- > 0;)
        if (cv_str_eq(s->events.items[i].subject_id, cv_str_of(id)))
            return &s->events.items[i];
    fail();
    return NULL;
}

static void verify(cv_world *w, const char *id)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json input;
    call.input_text = cv_world_request(&w->turn, cv_arena_printf(&w->turn, "{'room': 'dialogue', 'scope': '%s'}", id));
    assert_ok(cv_json_parse(&w->turn, call.input_text, &input, &err), &err);
    call.input = &input;
    const cv_operation *op = cv_op_find(CV_STR(""), CV_STR("verify"));
    assert_non_null(op);
    bool ok = cv_op_call(op, &call);
    if (!ok)
        print_error("%.*s\n", CV_FMT(cv_err_text(&w->errs.items[0])));
    assert_true(ok);
}

/* ---- the specification's example ------------------------------------------------------------- */

#define SPEC_ROUND                                                                                                     \
    "{'dialogue_id': 'nvidia-decision', 'round': 1, 'score': 45,"                                                      \
    "'summary': 'Panel converging on conditional approval with options overlay...',"                                   \
    "'expert_scores': {'muffin': 8, 'donut': 10, 'cupcake': 7},"                                                       \
    "'perspectives': ["                                                                                                \
    " {'local_id': 'MUFFIN-P0101', 'label': 'Options viability confirmed',"                                            \
    "  'content': 'The 30-delta covered call strategy...', 'contributors': ['muffin'], 'references': ["                \
    "   {'type': 'refine', 'target': 'P0001'}, {'type': 'support', 'target': 'R0001'},"                                \
    "   {'type': 'address', 'target': 'T0001'}]},"                                                                     \
    " {'local_id': 'CUPCAKE-P0101', 'label': 'Concentration risk mitigated',"                                          \
    "  'content': 'Phased entry over 6 months...', 'contributors': ['cupcake', 'scone'],"                              \
    "  'references': [{'type': 'address', 'target': 'T0002'}]}],"                                                      \
    "'recommendations': [{'local_id': 'DONUT-R0101', 'label': 'Amended collar structure',"                             \
    "  'content': 'Updated strike selection...', 'contributors': ['donut', 'muffin'],"                                 \
    "  'parameters': {'delta': '0.25', 'dte': '45'}, 'references': [{'type': 'refine', 'target': 'R0001'},"            \
    "   {'type': 'address', 'target': 'T0001'}, {'type': 'depend', 'target': 'MUFFIN-P0101'}]}],"                      \
    "'tensions': [{'local_id': 'CROISSANT-T0101', 'label': 'Execution timing',"                                        \
    "  'description': 'Post-refinancing window constraint', 'contributors': ['croissant'],"                            \
    "  'references': [{'type': 'depend', 'target': 'R0001'}]}],"                                                       \
    "'evidence': [{'local_id': 'MUFFIN-E0101', 'label': 'Historical options premium data',"                            \
    "  'content': 'NVDA 30-day ATM IV averaged 45% over past 24 months.', 'contributors': ['muffin'],"                 \
    "  'references': [{'type': 'support', 'target': 'MUFFIN-P0101'}]}],"                                               \
    "'claims': [{'local_id': 'MUFFIN-C0101', 'label': 'Income mandate resolved',"                                      \
    "  'content': 'The income mandate objection is resolved via options overlay.', 'contributors': ['muffin'],"        \
    "  'references': [{'type': 'depend', 'target': 'MUFFIN-P0101'}, {'type': 'depend', 'target': 'MUFFIN-E0101'}]}],"  \
    "'moves': ["                                                                                                       \
    " {'expert': 'muffin', 'type': 'bridge', 'targets': ['P0003', 'R0001'], 'context': 'Reconciling'},"                \
    " {'expert': 'donut', 'type': 'defend', 'target': 'R0001', 'context': 'Liquidity supports execution'}],"           \
    "'tension_updates': ["                                                                                             \
    " {'id': 'T0001', 'status': 'addressed', 'by': ['donut'], 'via': 'DONUT-R0101'},"                                  \
    " {'id': 'T0002', 'status': 'resolved', 'by': ['cupcake'], 'via': 'CUPCAKE-P0101'}]}"

static void print_history(cv_world *w, cv_buf *out, const char *id)
{
    cv_state s = cv_world_state(w, id);
    for (size_t i = 0; i < s.events.count; i++) {
        const cv_rec_event *e = &s.events.items[i];
        cv_buf_printf(out, "%.*s %.*s %.*s by %.*s", CV_FMT(e->subject_type), CV_FMT(e->subject_id),
                      CV_FMT(e->event_type), CV_FMT(e->actors));
        if (e->result_id.p)
            cv_buf_printf(out, " result %.*s", CV_FMT(e->result_id));
        if (e->reference.p)
            cv_buf_printf(out, " reference %.*s", CV_FMT(e->reference));
        if (e->data.p)
            cv_buf_printf(out, " data %.*s", CV_FMT(e->data));
        cv_buf_add_char(out, '\n');
    }
    for (size_t i = 0; i < s.references.count; i++)
        cv_buf_printf(out, "%.*s %.*s %.*s\n", CV_FMT(s.references.items[i].source_id),
                      CV_FMT(s.references.items[i].ref_type), CV_FMT(s.references.items[i].target_id));
    for (size_t i = 0; i < s.moves.count; i++)
        cv_buf_printf(out, "%.*s %.*s %.*s\n", CV_FMT(s.moves.items[i].expert_slug), CV_FMT(s.moves.items[i].move_type),
                      CV_FMT(s.moves.items[i].targets));
}

static void the_example_of_the_specification(void **state)
{
    cv_world *w = *state;
    begin(w, "nvidia-decision", false);
    cv_str answer = cv_world_do(w, "round-register", SPEC_ROUND);
    cv_err err = {.arena = &w->a};
    cv_json tree;
    cv_buf out = {0};
    cv_json_writer pretty = {.out = &out, .indent = 2};
    assert_ok(cv_json_parse(&w->a, cv_arena_copy(&w->a, answer), &tree, &err), &err);
    cv_json_value(&pretty, &tree);
    cv_buf_add_char(&out, '\n');
    cv_world_golden(&w->a, "test/golden/dialogue/round.json", cv_buf_str(&out));
    cv_buf_clear(&out);
    print_history(w, &out, "nvidia-decision");
    cv_world_golden(&w->a, "test/golden/dialogue/history.txt", cv_buf_str(&out));
    cv_buf_release(&out);
    cv_state s = cv_world_state(w, "nvidia-decision");
    assert_str_eq(status_of(&s, "P0001"), "refined");
    assert_str_eq(status_of(&s, "R0001"), "amended");
    assert_str_eq(status_of(&s, "T0001"), "addressed");
    assert_str_eq(status_of(&s, "T0002"), "resolved");
    assert_int_equal(s.dialogue.total_rounds, 2);
    assert_int_equal(s.dialogue.total_alignment, 75);
    assert_int_equal(cv_state_expert(&s, CV_STR("muffin"))->total_score, 20);
    verify(w, "nvidia-decision");
}

/* ---- every way to be wrong ------------------------------------------------------------------- */

#define ROUND "{'dialogue_id': 'bread', 'round': 1, 'score': 0, "
#define P(id) "'local_id': '" id "', 'label': 'l', 'content': 'c', 'contributors': ['muffin']"
#define ONE_REF(ref) ROUND "'perspectives': [{" P("MUFFIN-P0101") ", 'references': [" ref "]}]}"
#define VERDICT "{'dialogue_id': 'bread', 'verdict_type': 'interim', 'recommendation': 'r', 'description': 'd', "

static const struct {
    const char *name, *verb, *request;
} faults[] = {
    {"dialogue_not_found", "round-register", "{'dialogue_id': 'braed', 'round': 1, 'score': 0}"},
    {"dialogue_closed", "round-register", "{'dialogue_id': 'closed', 'round': 1, 'score': 0}"},
    {"dialogue_abandoned", "round-register", "{'dialogue_id': 'gone', 'round': 1, 'score': 0}"},
    {"round_out_of_order", "round-register", "{'dialogue_id': 'bread', 'round': 2, 'score': 0}"},
    {"round_already_registered", "round-register", "{'dialogue_id': 'bread', 'round': 0, 'score': 0}"},
    {"round_limit", "round-register", "{'dialogue_id': 'bread', 'round': 100, 'score': 0}"},
    {"missing_field", "round-register",
     ROUND
     "'perspectives': [{'label': ' ', 'contributors': []}], 'tensions': [{'local_id': 'MUFFIN-T0101', 'label': 'l'}],"
     "'moves': [{'type': 'defend'}], 'tension_updates': [{}]}"},
    {"invalid_entity_type", "round-register", ONE_REF("{'type': 'support', 'target': 'X0001'}")},
    {"invalid_entity_type_local", "round-register", ROUND "'perspectives': [{" P("MUFFIN-p0101") "}]}"},
    {"invalid_ref_type", "round-register", ONE_REF("{'type': 'suport', 'target': 'P0001'}")},
    {"type_id_mismatch", "round-register", ROUND "'perspectives': [{" P("MUFFIN-T0101") "}]}"},
    {"type_id_mismatch_update", "round-register", ROUND "'tension_updates': [{'id': 'P0001', 'status': 'resolved'}]}"},
    {"target_not_found", "round-register", ONE_REF("{'type': 'support', 'target': 'P0077'}")},
    {"target_not_found_local", "round-register", ONE_REF("{'type': 'support', 'target': 'DONUT-P0101'}")},
    {"invalid_ref_target", "round-register", ONE_REF("{'type': 'resolve', 'target': 'P0001'}")},
    {"invalid_ref_target_expert", "round-register", ONE_REF("{'type': 'address', 'target': '@donut'}")},
    {"refine_type_mismatch", "round-register", ONE_REF("{'type': 'refine', 'target': 'R0001'}")},
    {"refine_an_expert", "round-register", ONE_REF("{'type': 'refine', 'target': '@donut'}")},
    {"unknown_expert", "round-register",
     ROUND "'expert_scores': {'mufin': 3}, 'perspectives': [{'local_id': 'BAGEL-P0101', 'label': 'l', 'content': 'c',"
           "'contributors': ['bagel', 'judge'], 'references': [{'type': 'support', 'target': '@donot'}]}],"
           "'moves': [{'expert': 'scon', 'type': 'converge'}], 'responses': {'bagel': 'x'}}"},
    {"invalid_status_transition", "round-register",
     ROUND "'tension_updates': [{'id': 'T0001', 'status': 'reopened'}]}"},
    {"final_status", "update", "{'dialogue_id': 'closed', 'updates': [{'id': 'R0001', 'status': 'rejected'}]}"},
    {"invalid_status", "round-register", ROUND "'tension_updates': [{'id': 'T0001', 'status': 'solved'}]}"},
    {"invalid_move", "round-register", ROUND "'moves': [{'expert': 'muffin', 'type': 'concede!', 'target': 'P0001'}]}"},
    {"duplicate_local_id", "round-register",
     ROUND "'perspectives': [{" P("MUFFIN-P0101") "}, {" P("muffin-P0101") "}, {" P(
         "MUFFIN-P0102") ", 'also': ['CUPCAKE-P0101', 'CUPCAKE-P0101', 'MUFFIN-P0101']}]}"},
    {"invalid_local_id", "round-register",
     ROUND "'perspectives': [{" P("MUFFIN-P0001") "}, {" P("P0101") "}, {" P("MUFFIN-P0100") "}]}"},
    {"loose_reference", "round-register",
     ROUND
     "'references': [{'source': 'P0001', 'type': 'support', 'target': 'P0002'}, {'type': 'support', 'target': 'P0002'},"
     "{'source': '@bagel', 'type': 'support', 'target': 'P0002'}]}"},
    {"empty_contributor", "round-register",
     ROUND "'claims': [{'local_id': 'MUFFIN-C0101', 'label': 'l', 'content': 'c', 'contributors': ['']}]}"},
    {"several_lines", "round-register",
     ROUND "'title': 'Opening\\narguments', 'perspectives': [{'local_id': 'MUFFIN-P0101', 'label': 'l\\n\\n# Round 9',"
           "'content': 'c\\nd'}, {'local_id': 'MUFFIN-P0102', 'label': 'tab\\tbed', 'content': 'c'}, {'local_id':"
           "'MUFFIN-P0103', 'label': 'over\\u007f', 'content': 'c', 'references': [{'type': 'support', 'target': "
           "'P0077'}]}]}"},
    {"several_lines_update", "update", "{'dialogue_id': 'bread', 'updates': [{'id': 'P0001', 'label': 'a\\r\\nb'}]}"},
    {"duplicate_expert", "round-register", ROUND "'expert_scores': {'muffin': 3, 'Muffin': 4}}"},
    {"rev_conflict", "round-register", ROUND "'expect_rev': 1}"},
    {"op_id_conflict", "round-register", ROUND "'op_id': 'taken'}"},
    {"verdict_exists", "verdict-register", VERDICT "'verdict_id': 'first', 'vote': '3-2'}"},
    {"second_final", "verdict-register",
     "{'dialogue_id': 'closed', 'verdict_id': 'again', 'verdict_type': 'final', 'recommendation': 'r', 'description': "
     "'d'}"},
    {"interim_after_final", "verdict-register",
     "{'dialogue_id': 'closed', 'verdict_id': 'late', 'verdict_type': 'interim', 'recommendation': 'r', 'description': "
     "'d'}"},
    {"convergence_blocked", "verdict-register",
     "{'dialogue_id': 'strict', 'verdict_id': 'end', 'verdict_type': 'final', 'recommendation': 'r', 'description': "
     "'d',"
     "'tensions_resolved': ['T0001'], 'force': true}"},
    {"invalid_verdict", "verdict-register",
     "{'dialogue_id': 'bread', 'verdict_id': 'the end', 'verdict_type': 'finale', 'recommendation': ' ',"
     "'description': 'd', 'round': 7, 'confidence': 'sure', 'author_expert': 'bagel', 'supporting_experts': ['scon'],"
     "'tensions_resolved': ['T0099', 'P0001', 'X0001'], 'key_claims': ['@muffin']}"},
    {"invalid_update", "update",
     "{'dialogue_id': 'bread', 'updates': [{'id': 'P0099', 'status': 'open'}, {'id': 'P0001'}, {'id': 'P0001',"
     "'status': 'resolved', 'label': '', 'by': 'bagel', 'via': 'Q0001'}, {'id': '@muffin', 'label': 'x'}],"
     "'scores': [{'round': 9, 'expert': 'bagel', 'score': 1}], 'summaries': [{'round': 0, 'summary': ''}]}"},
    {"empty_update", "update", "{'dialogue_id': 'bread'}"},
    {"update_abandoned", "update", "{'dialogue_id': 'gone', 'updates': [{'id': 'P0001', 'label': 'x'}]}"},
    {"a_dozen", "round-register",
     ROUND "'perspectives': [{'local_id': 'MUFFIN-T0101', 'label': '', 'content': 'c', 'contributors': ['bagel'],"
           "'references': [{'type': 'suport', 'target': 'P0099'}, {'type': 'resolve', 'target': 'P0001'},"
           "{'type': 'refine', 'target': 'T0001'}]}, {" P("MUFFIN-P0101") "}, {" P(
               "MUFFIN-P0101") "}],"
                               "'moves': [{'expert': 'donut', 'type': 'dance'}, {'expert': 'donut', 'type': 'concede', "
                               "'targets': ['P0042']}],"
                               "'tension_updates': [{'id': 'T0001', 'status': 'reopened'}, {'id': 'T0042', 'status': "
                               "'resolved'}],"
                               "'claim_updates': [{'id': 'C0001', 'status': 'open', 'by': ['scon']}]}"},
};

static void abandon(cv_world *w, const char *id)
{
    cv_world_do(w, "abandon", cv_arena_printf(&w->a, "{'dialogue_id': '%s', 'reason': 'sold'}", id).p);
}

static void every_fault_is_told_and_nothing_is_written(void **state)
{
    cv_world *w = *state;
    static const char *const ids[] = {"bread", "closed", "gone", "strict"};
    int64_t revs[4];
    for (size_t i = 0; i < 4; i++)
        begin(w, ids[i], i == 3);
    cv_world_do(w, "verdict-register", VERDICT "'verdict_id': 'first', 'op_id': 'taken'}");
    cv_world_do(w, "verdict-register",
                "{'dialogue_id': 'closed', 'verdict_id': 'final', 'verdict_type': 'final', 'recommendation': 'r',"
                "'description': 'd', 'recommendations_adopted': ['R0001']}");
    abandon(w, "gone");
    for (size_t i = 0; i < 4; i++)
        revs[i] = cv_world_position(w, ids[i]).rev;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (cv_world_call(w, faults[i].verb, faults[i].request)) {
            print_error("%s was accepted: %.*s\n", faults[i].name, CV_FMT(cv_buf_str(&w->out)));
            fail();
        }
        cv_str path = cv_arena_printf(&w->a, "test/golden/dialogue/errors/%s.json", faults[i].name);
        cv_world_golden(&w->a, path.p, cv_world_errors(w, strcmp(faults[i].verb, "round-register") == 0));
    }
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(cv_world_position(w, ids[i]).rev, revs[i]);
        verify(w, ids[i]);
    }
}

/* A verdict of the judge needs something to judge; a judge that ends a dialogue before that says so and why. */
static void a_silent_dialogue_has_no_final_verdict(void **state)
{
#define END_OF(id, more)                                                                                               \
    "{'dialogue_id': '" id                                                                                             \
    "', 'verdict_type': 'final', 'recommendation': 'r', 'description': 'd', 'verdict_id': 'e'" more
    cv_world *w = *state;
    cv_world_dialogue(w, "mute", (const char *[]){"muffin", NULL}, false);
    cv_world_dialogue(w, "void", (const char *[]){NULL}, false);
    static const char *const refused[] = {END_OF("mute", "}"), END_OF("mute", ", 'force': true}"),
                                          END_OF("mute", ", 'warning': 'sold'}"), END_OF("void", "}")};
    for (size_t i = 0; i < CV_COUNT(refused); i++) {
        assert_false(cv_world_call(w, "verdict-register", refused[i]));
        assert_int_equal(w->errs.count, 1);
        assert_int_equal(w->errs.items[0].code, CV_ERR_NOT_CONVERGED);
        assert_str_eq(w->errs.items[0].message, "no round has been registered");
    }
    cv_world_do(w, "verdict-register",
                "{'dialogue_id': 'mute', 'verdict_type': 'interim', 'recommendation': 'r', 'description': 'd',"
                "'verdict_id': 'first'}");
    cv_str answer = cv_world_do(w, "verdict-register", END_OF("mute", ", 'force': true, 'warning': 'sold'}"));
    assert_str_has(answer, "\"forced\":true");
    verify(w, "mute");
#undef END_OF
}

/* Times have four digits for the year: a clock beyond them refuses what it cannot date, and reading goes on. */
static void the_year_10000_refuses_writes(void **state)
{
    static const int64_t beyond[] = {INT64_C(253402300800000), INT64_MAX - 1000, -62167219200000 - 1000, INT64_MIN};
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", (const char *[]){"muffin", NULL}, false);
    int64_t rev = cv_world_position(w, "bread").rev;
    for (size_t i = 0; i < CV_COUNT(beyond); i++) {
        w->now = beyond[i];
        assert_false(cv_world_call(w, "round-register", "{'dialogue_id': 'bread', 'round': 0, 'score': 1}"));
        assert_int_equal(w->errs.items[0].code, CV_ERR_IO);
        assert_str_has(w->errs.items[0].message, "the clock of this machine");
        w->now = beyond[i];
        assert_false(cv_world_call(w, "create", "{'title': 'Late'}"));
        cv_world_do(w, "get", "{'dialogue_id': 'bread'}");
    }
    assert_int_equal(cv_world_position(w, "bread").rev, rev);
}

/* A dialogue that was not made by create has neither folder nor seed nor rotation: null, as its schema says. */
static void what_is_absent_is_null(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bare", (const char *[]){"muffin", NULL}, false);
    cv_str answer = cv_world_do(w, "get", "{'dialogue_id': 'bare'}");
    assert_str_has(answer, "\"output_dir\":null");
    assert_str_has(answer, "\"rotation\":null,\"seed\":null");
}

/* A label may hold what markup is made of: its writer escapes it. */
static void labels_may_hold_brackets(void **state)
{
    static const char *const labels[] = {"a ] b", "[x", "}{", "x]]: [RE:SUPPORT P0001]", "a | b `c` \\\\ #"};
    cv_world *w = *state;
    begin(w, "bread", false);
    cv_buf text = {0};
    for (size_t i = 0; i < CV_COUNT(labels); i++)
        cv_buf_printf(&text, "%s{'local_id': 'MUFFIN-P01%02zu', 'label': '%s', 'content': 'c'}", i ? "," : "", i + 1,
                      labels[i]);
    cv_world_do(w, "round-register",
                cv_arena_printf(&w->a, ROUND "'perspectives': [%.*s]}", CV_FMT(cv_buf_str(&text))).p);
    cv_state s = cv_world_state(w, "bread");
    for (size_t i = 0; i < CV_COUNT(labels); i++) {
        cv_str id = cv_arena_printf(&w->a, "P01%02zu", i + 1);
        cv_mark mark = {.type = CV_MARK_PERSPECTIVE, .id = id, .label = cv_state_entity(&s, id)->label}, back;
        cv_buf_clear(&text);
        cv_mark_print(&text, &mark);
        assert_true(cv_mark_at(cv_buf_str(&text), true, &back));
        assert_int_equal(back.end, text.n);
        cv_mark_settle(&w->a, &back);
        assert_view_eq(back.label, mark.label);
    }
    cv_buf_release(&text);
}

/* "LONG" stands for a name of 400 KB that would be cut inside a character if cut anywhere. */
static const struct {
    const char *verb, *request;
} long_ones[] = {
    {"round-register", ROUND
     "'perspectives': [{'local_id': 'LONG', 'label': 'l', 'content': 'c', 'contributors': ['LONG'], 'also': ['LONG'],"
     "'references': [{'type': 'LONG', 'target': 'LONG'}]}, {'local_id': 'LONG', 'label': 'l', 'content': 'c'}],"
     "'moves': [{'expert': 'LONG', 'type': 'LONG', 'targets': ['LONG', '@LONG']}],"
     "'references': [{'source': 'LONG', 'type': 'LONG', 'target': 'LONG'}],"
     "'tension_updates': [{'id': 'LONG', 'status': 'LONG', 'via': 'LONG', 'by': ['LONG']}],"
     "'expert_scores': {'LONG': 1, 'LONGx': 1, 'LONGX': 2}, 'responses': {'LONG': 'x'}}"},
    {"update", "{'dialogue_id': 'bread', 'updates': [{'id': 'LONG', 'status': 'LONG', 'by': ['LONG'], 'via': 'LONG'},"
               "{'id': 'T0001', 'status': 'LONG'}], 'scores': [{'round': 0, 'expert': 'LONG', 'score': 1}]}"},
    {"verdict-register",
     "{'dialogue_id': 'bread', 'verdict_id': 'LONG', 'verdict_type': 'LONG', 'recommendation': 'r', 'description': 'd',"
     "'confidence': 'LONG', 'author_expert': 'LONG', 'supporting_experts': ['LONG'], 'tensions_resolved': ['LONG']}"},
    {"expert-create", "{'dialogue_id': 'bread', 'expert_slug': 'LONG', 'role': 'LONG', 'tier': 'LONG', 'focus': 'LONG',"
                      "'reason': 'LONG', 'color': 'LONG'}"},
    {"evolve-panel",
     "{'dialogue_id': 'bread', 'round': 1, 'panel': [{'source': 'retained', 'slug': 'LONG', 'name': 'x'},"
     "{'source': 'pool', 'role': 'LONG'}]}"},
    {"panel-sample", "{'dialogue_id': 'bread', 'retain': ['LONG'], 'exclude': ['@LONG']}"},
    {"abandon", "{'dialogue_id': 'bread', 'reason': 'LONG'}"},
};

static cv_str with_long_names(cv_arena *a, cv_str request)
{
    enum { COUNT = 200000 };
    cv_buf text = {0};
    for (size_t at; (at = cv_str_find(request, CV_STR("LONG"))) != SIZE_MAX; request = cv_str_from(request, at + 4)) {
        cv_buf_add(&text, cv_str_head(request, at));
        cv_buf_add_char(&text, 'x');
        for (int i = 0; i < COUNT; i++)
            cv_buf_add_z(&text, "ä");
    }
    cv_buf_add(&text, request);
    return cv_buf_take(&text, a);
}

static void faults_repeat_only_the_beginning_of_long_values(void **state)
{
    enum { MOST = 3000 }; /* of one fault as JSON */
    cv_world *w = *state;
    cv_arena a = {0};
    begin(w, "bread", false);
    for (size_t i = 0; i < CV_COUNT(long_ones); i++) {
        assert_false(cv_world_call_text(w, long_ones[i].verb, with_long_names(&a, cv_str_of(long_ones[i].request))));
        cv_str told = cv_world_errors(w, false);
        assert_int_equal(cv_utf8_valid(told), told.n);
        assert_str_has(told, "…");
        if (told.n > w->errs.count * MOST)
            fail_msg("%s: %zu faults in %zu bytes: %.*s", long_ones[i].verb, w->errs.count, told.n, 5000, told.p);
    }
    cv_arena_release(&a);
}

static void more_than_99_of_a_kind(void **state)
{
    cv_world *w = *state;
    cv_buf text = {0};
    begin(w, "bread", false);
    for (int count = 100; count >= 99; count--) {
        cv_buf_clear(&text);
        cv_buf_add_z(&text, ROUND "'evidence': [");
        for (int i = 0; i < count; i++)
            cv_buf_printf(&text,
                          "%s{'local_id': '%s-E01%02d', 'label': 'l', 'content': 'c', 'contributors': ['muffin'],"
                          "'references': [{'type': 'depend', 'target': 'MUFFIN-E0101'}]}",
                          i ? "," : "", i < 50 ? "MUFFIN" : "DONUT", i % 50 + 1);
        cv_buf_add_z(&text, "]}");
        assert_int_equal(cv_world_call_text(w, "round-register", cv_buf_str(&text)), count == 99);
        if (count == 100)
            cv_world_golden(&w->a, "test/golden/dialogue/errors/limit_exceeded.json", cv_world_errors(w, true));
    }
    cv_state s = cv_world_state(w, "bread");
    assert_non_null(cv_state_entity(&s, CV_STR("E0199")));
    verify(w, "bread");
    cv_buf_release(&text);
}

/* ---- once, twice, and only to look ----------------------------------------------------------- */

static void the_same_round_again(void **state)
{
    cv_world *w = *state;
    begin(w, "bread", false);
    const char *round = ROUND "'perspectives': [{" P("MUFFIN-P0101") "}]%s}";
    cv_str first = cv_arena_copy(&w->a, cv_world_do(w, "round-register", cv_arena_printf(&w->a, round, "").p));
    cv_position position = cv_world_position(w, "bread");
    static const char *const again[] = {"", ", 'op_id': 'other'", ", 'expect_rev': 1", ", 'dry_run': true"};
    for (size_t i = 0; i < 4; i++) {
        cv_str second = cv_world_do(w, "round-register", cv_arena_printf(&w->a, round, again[i]).p);
        assert_view_eq(second, cv_arena_printf(&w->a, "%.*s,\"replayed\":true}", (int)first.n - 1, first.p));
    }
    assert_int_equal(cv_world_position(w, "bread").rev, position.rev);
    cv_world_do(w, "round-register", "{'dialogue_id': 'bread', 'round': 2, 'score': 0, 'op_id': 'mine'}");
    assert_str_has(cv_world_do(w, "round-register", "{'dialogue_id': 'bread', 'round': 2, 'score': 0}"),
                   "\"replayed\":true");
    assert_false(cv_world_call(w, "round-register", "{'dialogue_id': 'bread', 'round': 2, 'score': 1}"));
    assert_int_equal(w->errs.items[0].code, CV_ERR_ROUND_REGISTERED);
    cv_world_do(w, "verdict-register", VERDICT "'verdict_id': 'V01'}");
    assert_str_has(cv_world_do(w, "verdict-register", VERDICT "'verdict_id': 'V01'}"), "\"replayed\":true");
    assert_str_has(cv_world_do(w, "verdict-register", VERDICT "'verdict_id': 'V01', 'op_id': 'x'}"),
                   "\"replayed\":true");
    cv_world_do(w, "verdict-register",
                "{'dialogue_id': 'bread', 'verdict_id': 'end', 'verdict_type': 'final', 'recommendation': 'r',"
                "'description': 'd'}");
    assert_str_has(cv_world_do(w, "round-register", "{'dialogue_id': 'bread', 'round': 2, 'score': 0}"),
                   "\"replayed\":true");
    verify(w, "bread");
}

static void a_dry_run_writes_nothing(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", bakers, false);
    static const char *const requests[][2] = {
        {"round-register", "{'dialogue_id': 'bread', %s" ROUND_0 "}"},
        {"verdict-register",
         "{'dialogue_id': 'bread', %s'verdict_type': 'interim', 'recommendation': 'r', 'description':"
         "'d', 'verdict_id': 'V01', 'key_claims': ['C0001'], 'tensions_accepted': ['MUFFIN-T0001']}"},
        {"update", "{'dialogue_id': 'bread', %s'updates': [{'id': 'P0002', 'label': 'Price'}]}"},
    };
    for (size_t i = 0; i < 3; i++) {
        cv_position before = cv_world_position(w, "bread");
        cv_str request = cv_arena_printf(&w->a, requests[i][1], "'dry_run': true, ");
        cv_str dry = cv_arena_copy(&w->a, cv_world_do(w, requests[i][0], request.p));
        assert_int_equal(cv_world_position(w, "bread").rev, before.rev);
        cv_str done = cv_world_do(w, requests[i][0], cv_arena_printf(&w->a, requests[i][1], "").p);
        size_t same = cv_str_find(dry, CV_STR(",\"dry_run\":true"));
        assert_view_eq(cv_str_head(dry, same), cv_str_head(done, same));
        assert_int_equal(cv_world_position(w, "bread").rev, before.rev + 1);
    }
}

/* ---- statuses -------------------------------------------------------------------------------- */

static void references_moves_and_updates_change_statuses(void **state)
{
    cv_world *w = *state;
    begin(w, "bread", false);
    cv_str answer = cv_world_do(
        w, "round-register",
        ROUND "'perspectives': [{'local_id': 'DONUT-P0101', 'label': 'l', 'content': 'c', 'references': ["
              "{'type': 'resolve', 'target': 'T0001'}, {'type': 'resolve', 'target': 'CUPCAKE-T0001'},"
              "{'type': 'support', 'target': 'C0001'}, {'type': 'support', 'target': 'E0001'},"
              "{'type': 'reopen', 'target': 'DONUT-T0101'}, {'type': 'support', 'target': '@muffin'},"
              "{'type': 'refine', 'target': 'CUPCAKE-P0001'}, {'type': 'refine', 'target': 'DONUT-P0101'},"
              "{'type': 'support', 'target': 'C0001'}]}],"
              "'tensions': [{'local_id': 'DONUT-T0101', 'label': 'l', 'description': 'c'}],"
              "'references': [{'source': '@muffin', 'type': 'resolve', 'target': 'T0001'}],"
              "'moves': [{'expert': 'scone', 'type': 'concede', 'target': 'P0002'},"
              " {'expert': 'scone', 'type': 'concede', 'target': 'P0003'}, {'expert': 'SCONE', 'type': 'converge'}]}");
    assert_str_has(answer, "resolution_needs_author");
    assert_str_has(answer, "can resolve it, not donut\"");
    assert_str_has(answer, "self_reference");
    assert_str_has(answer, "\"status_unchanged\",\"id\":\"T0101\"");
    cv_state s = cv_world_state(w, "bread");
    assert_str_eq(status_of(&s, "P0001"), "refined");
    assert_str_eq(last_event(&s, "P0001")->result_id, "P0101");
    assert_str_eq(status_of(&s, "T0001"), "resolved");
    assert_str_eq(last_event(&s, "T0001")->reference, "@muffin");
    assert_str_eq(status_of(&s, "T0002"), "addressed");
    assert_str_eq(status_of(&s, "T0101"), "open");
    assert_str_eq(last_event(&s, "T0101")->event_type, "commented");
    assert_str_eq(status_of(&s, "C0001"), "supported");
    assert_str_eq(status_of(&s, "E0001"), "confirmed");
    assert_str_eq(status_of(&s, "P0002"), "conceded");
    assert_str_eq(status_of(&s, "P0003"), "open");
    assert_str_eq(last_event(&s, "P0003")->event_type, "commented");
    assert_str_eq(s.dialogue.status, "converging");
    assert_int_equal(s.references.count, 8);
    verify(w, "bread");
}

static void the_judge_wins(void **state)
{
    cv_world *w = *state;
    begin(w, "bread", false);
    cv_world_do(w, "round-register",
                ROUND "'claims': [{'local_id': 'MUFFIN-C0101', 'label': 'l', 'content': 'c', 'references': ["
                      "{'type': 'resolve', 'target': 'T0001'}, {'type': 'oppose', 'target': 'E0001'}]}],"
                      "'tension_updates': [{'id': 'T0001', 'status': 'accepted', 'reason': 'known'}],"
                      "'evidence_updates': [{'id': 'E0001', 'status': 'refuted'}],"
                      "'claim_updates': [{'id': 'MUFFIN-C0101', 'status': 'asserted'}],"
                      "'recommendation_updates': [{'id': 'R0001', 'status': 'proposed'}, {'id': 'R0001', 'status':"
                      "'amended'}, {'id': 'R0001', 'status': 'rejected'}],"
                      "'perspective_updates': [{'id': 'P0001', 'status': 'merged', 'via': 'P0002', 'by': 'Scone'}]}");
    cv_state s = cv_world_state(w, "bread");
    assert_str_eq(status_of(&s, "T0001"), "accepted");
    assert_str_eq(status_of(&s, "E0001"), "refuted");
    assert_str_eq(status_of(&s, "C0101"), "asserted");
    assert_str_eq(status_of(&s, "R0001"), "rejected");
    assert_str_eq(last_event(&s, "P0001")->actors, "[\"scone\"]");
    assert_str_eq(last_event(&s, "P0001")->reference, "P0002");
    cv_str answer = cv_world_do(w, "verdict-register",
                                VERDICT "'verdict_id': 'V01', 'recommendations_adopted': ['R0001'], 'key_claims':"
                                        "['C0001', 'MUFFIN-C0001'], 'tensions_resolved': ['T0001', 'T0002']}");
    assert_str_has(answer, "'recommendations_adopted' does not make R0001 adopted");
    s = cv_world_state(w, "bread");
    assert_str_eq(status_of(&s, "C0001"), "adopted");
    assert_str_eq(last_event(&s, "C0001")->reference, "verdict-V01");
    assert_str_eq(s.verdicts.items[0].key_claims, "[\"C0001\"]");
    assert_str_eq(status_of(&s, "T0001"), "accepted");
    assert_str_eq(status_of(&s, "T0002"), "resolved");
    assert_str_eq(status_of(&s, "R0001"), "rejected");
    verify(w, "bread");
}

/* ---- verdicts and convergence ---------------------------------------------------------------- */

static void a_dialogue_converges(void **state)
{
    cv_world *w = *state;
    begin(w, "bread", true);
    const char *final =
        "{'dialogue_id': 'bread', 'verdict_id': 'final', 'verdict_type': 'FINAL', 'recommendation': 'r',"
        "'description': 'd', 'tensions_accepted': ['T0002']%s}";
    cv_str answer = cv_world_do(
        w, "round-register",
        ROUND "'moves': [{'expert': 'muffin', 'type': 'converge'}, {'expert': 'donut', 'type': 'CONVERGE'}],"
              "'tension_updates': [{'id': 'T0001', 'status': 'resolved'}]}");
    assert_str_has(answer, "\"velocity\":1,\"score_delta\":-30,\"convergence\":{\"percentage\":40,\"converged\":false,"
                           "\"missing_experts\":[\"cupcake\",\"scone\",\"croissant\"],\"open_tensions\":[\"T0002\"]}");
    assert_false(cv_world_call(w, "verdict-register", cv_arena_printf(&w->a, final, "").p));
    assert_str_eq(w->errs.items[0].message,
                  "the dialogue is not converged (40%): no MOVE:CONVERGE from cupcake, scone, "
                  "croissant");
    cv_world_do(w, "round-register",
                "{'dialogue_id': 'bread', 'round': 2, 'score': 5, 'moves': [{'expert': 'muffin', 'type': 'converge'},"
                "{'expert': 'donut', 'type': 'converge'}, {'expert': 'cupcake', 'type': 'converge'},"
                "{'expert': 'scone', 'type': 'converge'}, {'expert': 'croissant', 'type': 'converge'}]}");
    answer = cv_world_do(w, "verdict-register", cv_arena_printf(&w->a, final, "").p);
    assert_str_has(answer, "\"percentage\":100,\"converged\":true");
    assert_str_has(answer, "\"warnings\":[]");
    cv_state s = cv_world_state(w, "bread");
    assert_str_eq(s.dialogue.status, "converged");
    assert_true(s.dialogue.converged_at.n > 0);
    assert_int_equal(cv_slow_velocity(&w->turn, &s, 0), 2 + 3);
    assert_int_equal(cv_slow_velocity(&w->turn, &s, 1), 1);
    assert_int_equal(cv_slow_velocity(&w->turn, &s, 2), cv_state_velocity(&s));
    assert_int_equal(cv_round_score_delta(&s, 2), 5);
    cv_world_do(
        w, "verdict-register",
        "{'dialogue_id': 'bread', 'verdict_id': 'minority-esg', 'verdict_type': 'minority', 'recommendation': 'r',"
        "'description': 'd', 'author_expert': 'Scone', 'supporting_experts': ['scone', 'donut']}");
    verify(w, "bread");
}

/* The smaller of two shares: 3 of 4 tensions are closed, 2 of 5 experts agree. */
static void a_dialogue_may_have_another_target(void **state)
{
    cv_world *w = *state;
    cv_rec_expert people[] = {{.expert_slug = CV_STR("muffin")},
                              {.expert_slug = CV_STR("cupcake")},
                              {.expert_slug = CV_STR("scone")},
                              {.expert_slug = CV_STR("donut")},
                              {.expert_slug = CV_STR("eclair")}};
    cv_rec_entity tensions[] = {{.kind = CV_STR("T"), .seq = 1, .status = CV_STR("resolved")},
                                {.kind = CV_STR("T"), .seq = 2, .status = CV_STR("accepted")},
                                {.kind = CV_STR("T"), .seq = 3, .status = CV_STR("reopened")},
                                {.kind = CV_STR("T"), .seq = 4, .status = CV_STR("resolved")}};
    cv_rec_move moves[] = {{.expert_slug = CV_STR("scone"), .move_type = CV_STR("converge")},
                           {.expert_slug = CV_STR("scone"), .move_type = CV_STR("converge")},
                           {.expert_slug = CV_STR("eclair"), .move_type = CV_STR("converge")},
                           {.round = 1, .expert_slug = CV_STR("donut"), .move_type = CV_STR("converge")}};
    cv_rec_round round = {.round = 0};
    cv_state s = {
        .experts = {people, 5, 5}, .entities = {tensions, 4, 4}, .moves = {moves, 4, 4}, .rounds = {&round, 1, 1}};
    cv_convergence c;
    static const struct {
        const char *target;
        bool converged;
    } targets[] = {{"", false}, {"1", false}, {"0.41", false}, {"0.4", true}, {"0", true}};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        s.dialogue.convergence_target = cv_str_of(targets[i].target);
        cv_convergence_of(&w->a, &s, &c);
        assert_int_equal(c.percentage, 40);
        assert_int_equal(c.converged, targets[i].converged);
    }
    assert_int_equal(c.missing_count, 3);
    assert_int_equal(c.open_count, 1);
    assert_str_eq(c.open[0], "T0003");
    s.rounds.count = 0;
    cv_convergence_of(&w->a, &s, &c);
    assert_int_equal(c.percentage, 0);
}

/* A signal stands until its expert speaks against it: generated dialogues, against a walk from round to round. */
enum { PEOPLE = 4, ROUNDS = 5, MANY = 64 };

static size_t below(uint64_t *seed, size_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(*seed >> 33) % n;
}

typedef struct {
    cv_rec_expert people[PEOPLE];
    cv_rec_round rounds[ROUNDS];
    cv_rec_move moves[MANY];
    cv_rec_entity entities[MANY];
    cv_rec_reference references[MANY];
    cv_rec_verdict verdicts[MANY];
    size_t moved, raised, referred, judged;
    bool signal[PEOPLE][ROUNDS], against[PEOPLE][ROUNDS], dissent[PEOPLE][ROUNDS];
} spoken;

/* What an expert says in a round, as the record would have it. */
static void say(spoken *g, cv_arena *a, size_t who, size_t round, size_t what)
{
    cv_str slug = g->people[who].expert_slug;
    int64_t r = (int64_t)round, seq = (int64_t)g->raised + 1;
    cv_str by = cv_arena_printf(a, "[\"other\",\"%.*s\"]", CV_FMT(slug));
    if (what <= 3) { /* converge, challenge, and two that mean nothing here */
        static const char *const moves[] = {"converge", "challenge", "defend", "concede"};
        g->moves[g->moved++] = (cv_rec_move){.round = r, .expert_slug = slug, .move_type = cv_str_of(moves[what])};
    } else if (what == 4) {
        g->entities[g->raised++] = (cv_rec_entity){
            .kind = CV_STR("T"), .round = r, .seq = seq, .contributors = by, .status = CV_STR("resolved")};
    } else if (what <= 6) { /* a perspective that opposes, or supports */
        g->entities[g->raised++] =
            (cv_rec_entity){.kind = CV_STR("P"), .round = r, .seq = seq, .contributors = by, .status = CV_STR("open")};
        g->references[g->referred++] = (cv_rec_reference){.source_id = cv_entity_id(a, &g->entities[g->raised - 1]),
                                                          .ref_type = what == 5 ? CV_STR("oppose") : CV_STR("support"),
                                                          .round = r};
    } else if (what == 7) {
        g->references[g->referred++] = (cv_rec_reference){
            .source_id = cv_arena_join(a, CV_STR("@"), slug), .ref_type = CV_STR("oppose"), .round = r};
    } else {
        g->verdicts[g->judged++] = (cv_rec_verdict){
            .verdict_type = what == 8 ? CV_STR("dissent") : CV_STR("minority"), .round = r, .author_expert = slug};
    }
    g->signal[who][round] = g->signal[who][round] || what == 0;
    g->against[who][round] = g->against[who][round] || what == 1 || what == 4 || what == 5 || what == 7;
    g->dissent[who][round] = g->dissent[who][round] || what == 8;
}

static void a_signal_stands_until_its_expert_speaks_against_it(void **state)
{
    cv_world *w = *state;
    static const char *const names[PEOPLE] = {"muffin", "cupcake", "scone", "donut"};
    uint64_t seed = 7;
    for (int run = 0; run < 300; run++) {
        spoken *g = CV_NEW(&w->a, spoken);
        for (size_t i = 0; i < PEOPLE; i++)
            g->people[i].expert_slug = cv_str_of(names[i]);
        for (size_t i = 0; i < ROUNDS; i++)
            g->rounds[i].round = (int64_t)i;
        for (size_t i = 0; i < 18; i++)
            say(g, &w->a, below(&seed, PEOPLE), below(&seed, ROUNDS), below(&seed, 3) ? below(&seed, 10) : 0);
        cv_state s = {.experts = {g->people, PEOPLE, PEOPLE},
                      .rounds = {g->rounds, ROUNDS, ROUNDS},
                      .moves = {g->moves, g->moved, MANY},
                      .entities = {g->entities, g->raised, MANY},
                      .verdicts = {g->verdicts, g->judged, MANY},
                      .references = {g->references, g->referred, MANY}};
        cv_stances st = cv_stances_of(&w->a, &s);
        bool stands[PEOPLE] = {false};
        size_t agreed = 0;
        for (size_t r = 0; r < ROUNDS; r++, agreed = r < ROUNDS ? 0 : agreed) {
            for (size_t i = 0; i < PEOPLE; i++) {
                stands[i] = !g->dissent[i][r] && (g->signal[i][r] || (stands[i] && !g->against[i][r]));
                assert_int_equal(cv_stands_by_signal(&st, g->people[i].expert_slug, (int64_t)r), stands[i]);
                agreed += stands[i];
            }
            assert_int_equal(cv_agreement_in(&st, (int64_t)r).signals, agreed);
        }
        cv_convergence c;
        cv_convergence_of(&w->a, &s, &c);
        assert_int_equal(c.percentage, agreed * 100 / PEOPLE);
        assert_int_equal(c.converged, agreed == PEOPLE);
        g->verdicts[s.verdicts.count++] = (cv_rec_verdict){.verdict_type = CV_STR("final"), .round = ROUNDS - 1};
        cv_convergence_of(&w->a, &s, &c); /* as the status, which is converged now */
        assert_true(c.converged && c.percentage == 100 && c.reached == (int)agreed * 100 / PEOPLE);
        assert_int_equal(c.before, agreed == PEOPLE ? CV_ABSENT : (int64_t)agreed * 100 / PEOPLE);
    }
}

static void force_needs_a_warning(void **state)
{
    cv_world *w = *state;
    begin(w, "bread", true);
    cv_str answer = cv_world_do(w, "verdict-register",
                                "{'dialogue_id': 'bread', 'verdict_id': 'final', 'verdict_type': 'final',"
                                "'recommendation': 'r', 'description': 'd', 'force': true, 'warning': 'no time',"
                                "'recommendations_adopted': ['R0001']}");
    assert_str_has(answer, "\"forced\":true");
    assert_str_has(answer, "unresolved_tension");
    assert_str_has(answer, "missing_signal");
    cv_state s = cv_world_state(w, "bread");
    assert_str_eq(cv_state_entity(&s, CV_STR("R0001"))->adopted_in_verdict, "final");
    verify(w, "bread");
}

static void decide(cv_world *w, const char *id, const char *type, const char *lists)
{
    cv_world_do(w, "verdict-register",
                cv_arena_printf(&w->a,
                                "{'dialogue_id': 'bread', 'verdict_id': '%s', 'verdict_type': '%s', 'recommendation':"
                                "'r', 'description': 'd', %s}",
                                id, type, lists)
                    .p);
}

/* They keep their lists, and nothing becomes of what those name: before the final verdict and after it. */
static void a_minority_cannot_adopt_for_the_panel(void **state)
{
    static const char lists[] = "'author_expert': 'scone', 'recommendations_adopted': ['R0001'], 'key_claims': "
                                "['C0001'], 'tensions_resolved': ['T0001'], 'tensions_accepted': ['T0002']";
    cv_world *w = *state;
    begin(w, "bread", false);
    decide(w, "early", "minority", lists);
    decide(w, "final", "final", "'vote': '4-1'");
    decide(w, "late", "dissent", lists);
    cv_state s = cv_world_state(w, "bread");
    assert_str_eq(status_of(&s, "R0001"), "proposed");
    assert_null(cv_state_entity(&s, CV_STR("R0001"))->adopted_in_verdict.p);
    assert_str_eq(status_of(&s, "C0001"), "asserted");
    assert_str_eq(status_of(&s, "T0001"), "open");
    assert_str_eq(status_of(&s, "T0002"), "open");
    assert_str_eq(cv_state_verdict(&s, CV_STR("early"))->recommendations_adopted, "[\"R0001\"]");
    assert_str_eq(cv_state_verdict(&s, CV_STR("late"))->tensions_accepted, "[\"T0002\"]");
    assert_str_eq(last_event(&s, "R0001")->event_type, "created");
    verify(w, "bread");
}

static void the_final_verdict_takes_over_what_it_adopts(void **state)
{
    cv_world *w = *state;
    begin(w, "bread", false);
    cv_world_do(w, "round-register",
                ROUND "'recommendations': [{'local_id': 'DONUT-R0101', 'label': 'l', 'content': 'c'}]}");
    decide(w, "v01", "interim", "'recommendations_adopted': ['R0001', 'R0101']");
    decide(w, "v02", "interim", "'recommendations_adopted': ['R0001']");
    cv_state s = cv_world_state(w, "bread");
    assert_str_eq(cv_state_entity(&s, CV_STR("R0001"))->adopted_in_verdict, "v01");
    verify(w, "bread");
    decide(w, "final", "final", "'recommendations_adopted': ['R0001']");
    s = cv_world_state(w, "bread");
    assert_str_eq(cv_state_entity(&s, CV_STR("R0001"))->adopted_in_verdict, "final");
    assert_str_eq(cv_state_entity(&s, CV_STR("R0101"))->adopted_in_verdict, "v01");
    assert_str_eq(status_of(&s, "R0001"), "adopted");
    verify(w, "bread");
}

/* ---- receipts -------------------------------------------------------------------------------- */

static void what_was_said_is_found(void **state)
{
    cv_world *w = *state;
    begin(w, "bread", false);
    cv_str answer = cv_world_do(
        w, "round-register",
        ROUND
        "'responses': {'Muffin': '# Muffin\\n\\n[MUFFIN-P0101: Rye]\\nIt keeps.\\n\\n[TENSION T01: Price]\\nHigh.\\n'},"
        "'perspectives': [{" P("MUFFIN-P0101") "}, {" P(
            "MUFFIN-P0102") "}],"
                            "'tensions': [{'local_id': 'MUFFIN-T0101', 'label': 'l', 'description': 'd'}],"
                            "'claims': [{'local_id': 'DONUT-C0101', 'label': 'l', 'content': 'c'},"
                            "{'local_id': 'JUDGE-C0101', 'label': 'l', 'content': 'c', 'contributors': 'judge'}]}");
    assert_str_has(answer, "{\"type\":\"unsourced\",\"expert\":\"muffin\",\"ids\":[\"MUFFIN-P0102\"]");
    assert_str_has(answer, "{\"type\":\"unsourced\",\"expert\":\"donut\",\"ids\":[\"DONUT-C0101\"]");
    assert_int_equal(cv_str_find(answer, CV_STR("JUDGE-C0101\"]")), SIZE_MAX);
    cv_state s = cv_world_state(w, "bread");
    const cv_rec_origin *rye = cv_state_origin(&s, CV_STR("muffin-p0101"));
    cv_str text = s.responses.items[0].content;
    assert_view_eq(rye->response_sha256, s.responses.items[0].sha256);
    assert_str_eq(cv_str_range(text.p + rye->range_start, text.p + rye->range_end), "[MUFFIN-P0101: Rye]\nIt keeps.");
    assert_true(cv_state_origin(&s, CV_STR("MUFFIN-T0101"))->range_start > 0);
    assert_true(cv_state_origin(&s, CV_STR("MUFFIN-P0102"))->range_start == CV_ABSENT);
    verify(w, "bread");
}

/* ---- corrections ----------------------------------------------------------------------------- */

static void corrections_keep_the_old_value(void **state)
{
    cv_world *w = *state;
    begin(w, "bread", false);
    cv_world_do(
        w, "update",
        "{'dialogue_id': 'bread', 'updates': [{'id': 'T0001', 'status': 'addressed', 'description': 'New.', 'via':"
        "'R0001', 'by': ['donut'], 'reason': 'typo'}, {'id': 'MUFFIN-P0001', 'label': ' Mandate '}],"
        "'scores': [{'round': 0, 'score': 33, 'score_components': {'W': 30, 'truth': 3}},"
        "{'round': 0, 'expert': 'Muffin', 'score': 15}, {'round': 0, 'expert': 'muffin', 'score': 14},"
        "{'round': 0, 'expert': 'scone', 'score': 1}], 'summaries': [{'round': 0, 'summary': 'Short.'}]}");
    cv_state s = cv_world_state(w, "bread");
    assert_str_eq(status_of(&s, "T0001"), "addressed");
    assert_str_eq(cv_state_entity(&s, CV_STR("T0001"))->content, "New.");
    assert_str_eq(last_event(&s, "T0001")->data, "{\"old\":{\"content\":\"Both.\"}}");
    assert_str_eq(last_event(&s, "T0001")->reason, "typo");
    assert_str_eq(cv_state_entity(&s, CV_STR("P0001"))->label, "Mandate");
    assert_str_eq(last_event(&s, "P0001")->data, "{\"old\":{\"label\":\"Income mandate mismatch\"}}");
    assert_int_equal(s.dialogue.total_alignment, 33);
    assert_int_equal(cv_state_expert(&s, CV_STR("muffin"))->total_score, 14);
    assert_int_equal(cv_state_expert(&s, CV_STR("scone"))->total_score, 1);
    assert_str_eq(s.rounds.items[0].summary, "Short.");
    assert_str_eq(s.rounds.items[0].score_components, "{\"W\":30,\"T\":3}");
    assert_str_eq(last_event(&s, "0")->data, "{\"old\":{\"summary\":null}}");
    verify(w, "bread");
}

/* ---- other names, scores --------------------------------------------------------------------- */

static void other_names_and_scores_that_do_not_fit(void **state)
{
    cv_world *w = *state;
    begin(w, "bread", false);
    cv_str answer = cv_world_do(
        w, "round-register",
        "{'dialogue_id': 'bread', 'round': 1, 'score': 10, 'title': 'Refinement', 'score_components': {'wisdom': 4,"
        "'consistency': 3, 'truth': 2, 'relationships': 2}, 'expert_scores': {'Muffin': {'score': 4, "
        "'score_components':"
        "{'W': 3}}, 'donut': 5}, 'proposals': [{'local_id': 'donut-R0101', 'label': 'l', 'description': 'c'}]}");
    assert_str_has(answer, "the components of muffin add up to 3, the score is 4");
    assert_str_has(answer, "the round's score 10 is neither the sum of the expert scores nor of its components");
    assert_str_has(answer, "\"DONUT-R0101\":\"R0101\"");
    cv_state s = cv_world_state(w, "bread");
    assert_str_eq(s.rounds.items[1].title, "Refinement");
    assert_str_eq(s.rounds.items[1].score_components, "{\"W\":4,\"C\":3,\"T\":2,\"R\":2}");
    assert_str_eq(cv_state_entity(&s, CV_STR("R0101"))->contributors, "[\"donut\"]");
    assert_int_equal(cv_state_expert(&s, CV_STR("muffin"))->total_score, 16);
    verify(w, "bread");
}

/* ---- several writers at once ----------------------------------------------------------------- */

typedef struct {
    cv_world *world;
    int rivals;
} rivalry;

static void update_before_a_write(void *ctx, bool to_write)
{
    rivalry *r = ctx;
    if (!to_write || r->rivals == 0)
        return;
    r->rivals--;
    cv_world other = *r->world;
    other.turn = (cv_arena){0};
    other.out = (cv_buf){0};
    cv_world_do(
        &other, "update",
        cv_arena_printf(&other.a, "{'dialogue_id': 'bread', 'updates': [{'id': 'P0001', 'label': 'l%d'}]}", r->rivals)
            .p);
    r->world->a = other.a;
    r->world->now = other.now;
    cv_arena_release(&other.turn);
    cv_buf_release(&other.out);
}

static void others_may_come_in_between(void **state)
{
    cv_world *w = *state;
    begin(w, "bread", false);
    rivalry rival = {w, 3};
    cv_interposed x;
    int64_t rev = cv_world_position(w, "bread").rev;
    cv_interpose(&x, w->record, update_before_a_write, &rival);
    bool ok = cv_world_call(w, "round-register", ONE_REF("{'type': 'refine', 'target': 'P0001'}"));
    cv_interpose_end(&x);
    assert_true(ok);
    assert_string_equal(x.begun, "RWRWRWW"); /* the turn is taken after three lost tries */
    assert_int_equal(cv_world_position(w, "bread").rev, rev + 4);
    cv_state s = cv_world_state(w, "bread");
    assert_str_eq(cv_state_entity(&s, CV_STR("P0001"))->label, "l0");
    assert_str_eq(status_of(&s, "P0001"), "refined");
    verify(w, "bread");
}

/* The n-th call of the store fails, for n = 1, 2, 3 …: each time nothing is written, and the next try succeeds. */
static void a_failing_store_changes_nothing(void **state)
{
    cv_world *w = *state;
    begin(w, "bread", false);
    cv_record *record = w->record;
    int64_t rev = cv_world_position(w, "bread").rev;
    for (size_t n = 1;; n++) {
        cv_record_tracing tracing = {.fail_at = n};
        w->record = cv_record_traced(&w->a, record, &tracing);
        bool ok = cv_world_call(w, "round-register", ONE_REF("{'type': 'refine', 'target': 'P0001'}"));
        w->record = record;
        assert_int_equal(cv_world_position(w, "bread").rev, rev + ok);
        assert_int_equal(ok, w->errs.count == 0);
        if (ok) {
            assert_int_equal(tracing.calls, n - 1); /* no failure was swallowed */
            assert_int_equal(
                n, 21); /* the watermark; a reading with its finds; the turn, whether it was done, the commit */
            break;
        }
    }
    verify(w, "bread");
}

#define RENAME(label, more) "{'dialogue_id': 'bread', 'updates': [{'id': 'P0001', 'label': '" label "'}]" more "}"

/* What the record answered cannot be read: that is reported with the op_id to every caller; nothing ends the program,
 * and nobody takes the round for another one. */
static void a_damaged_answer_is_told(void **state)
{
    cv_world *w = *state;
    static const char *const damages[] = {"'{\"status\":'", "''", "NULL", "'[1]'", "'null'", "'{'", "'}'"};
    sqlite3 *db;
    begin(w, "bread", false);
    cv_world_do(w, "round-register", ROUND "'op_id': 'mine'}");
    cv_world_do(w, "update", RENAME("renamed", ", 'op_id': 'label'"));
    assert_int_equal(sqlite3_open(cv_arena_printf(&w->a, "%s/conclave.db", w->folder).p, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DROP TRIGGER commits_redacted", NULL, NULL, NULL), SQLITE_OK);
    for (size_t i = 0; i < CV_COUNT(damages); i++) {
        cv_str sql =
            cv_arena_printf(&w->a, "UPDATE commits SET result = %s WHERE op_id IN ('mine', 'label')", damages[i]);
        assert_int_equal(sqlite3_exec(db, sql.p, NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_changes(db), 2);
        static const struct {
            const char *verb, *request, *op_id;
        } again[] = {{"round-register", ROUND "'op_id': 'mine'}", "'mine'"},
                     {"round-register", ROUND "'op_id': 'other'}", "'mine'"},
                     {"update", RENAME("renamed", ", 'op_id': 'label'"), "'label'"},
                     {"update", RENAME("renamed", ", 'op_id': 'label', 'dry_run': true"), "'label'"}};
        for (size_t k = 0; k < CV_COUNT(again); k++) {
            assert_false(cv_world_call(w, again[k].verb, again[k].request));
            assert_int_equal(w->errs.count, 1);
            assert_int_equal(w->errs.items[0].code, CV_ERR_CORRUPT);
            assert_str_has(w->errs.items[0].message, again[k].op_id);
        }
    }
    assert_int_equal(sqlite3_exec(db, "UPDATE commits SET result = ' { } ' WHERE op_id = 'mine'", NULL, NULL, NULL), 0);
    sqlite3_close(db);
    unsetenv("CV_CHECK_REPLIES"); /* it is JSON, but not the answer that it was */
    cv_str answer = cv_world_do(w, "round-register", ROUND "'op_id': 'mine'}");
    setenv("CV_CHECK_REPLIES", "1", 1);
    assert_str_has(answer, "\"replayed\":true}");
}

/* ---- the draft of the round
 * -------------------------------------------------------------------------------------- */

static void respond(cv_world *w, const char *expert, const char *text)
{
    cv_world_do(
        w, "respond",
        cv_arena_printf(&w->a, "{'dialogue_id': 'bread', 'round': 0, 'expert': '%s', 'content': '%s'}", expert, text)
            .p);
}

static void respond_all(cv_world *w)
{
    static const char *const two[] = {"muffin", "cupcake", NULL};
    cv_world_dialogue(w, "bread", two, false);
    respond(w, "muffin",
            "Before all.\\n\\n[MUFFIN-P0001: Rye]\\nIt keeps.\\n[RE:SUPPORT CUPCAKE-P0001]\\nso\\n\\n"
            "[MUFFIN-P0002: Oven]\\nHot.\\n\\n[MUFFIN-T0001: Cost]\\nDear.\\n\\n[MOVE:CHALLENGE CUPCAKE-P0001]\\nWhy?");
    respond(w, "cupcake",
            "[CUPCAKE-P0001: Rye bread]\\nIt keeps long.\\n[RE:OPPOSE MUFFIN-P0002]\\n\\n[MOVE:DEFEND "
            "MUFFIN-P0002]\\n\\n"
            "[RE:RESOLVE MUFFIN-T0001]\\nCheap.\\n\\n[MOVE:CONVERGE]");
}

/* What the responses say, registered by its name, is what the judge would have typed. */
static void the_draft_is_the_request(void **state)
{
    cv_world typed, taken;
    cv_err err = {.arena = NULL};
    (void)state;
    cv_world_open(&typed);
    cv_world_open(&taken);
    respond_all(&typed);
    respond_all(&taken);
    cv_json answer;
    err.arena = &typed.a;
    cv_str text = cv_arena_copy(&typed.a, cv_world_do(&typed, "draft", "{'dialogue_id': 'bread'}"));
    assert_ok(cv_json_parse(&typed.a, text, &answer, &err), &err);
    cv_str payload = cv_json_get_json(&typed.a, &answer, "payload");
    payload = cv_arena_printf(&typed.a, "{\"expert_scores\":{\"muffin\":3,\"cupcake\":4},\"score\":7,%.*s",
                              CV_FMT(cv_str_from(payload, 1)));
    assert_true(cv_world_call_json(&typed, "round-register", payload));
    cv_str one = cv_arena_copy(&typed.a, cv_buf_str(&typed.out));
    cv_str other = cv_world_do(
        &taken, "round-register",
        "{'dialogue_id': 'bread', 'round': 0, 'use_draft': true, 'expert_scores': {'muffin': 3, 'cupcake': 4}}");
    assert_view_eq(one, other);
    cv_str told = cv_arena_copy(&typed.a, cv_world_do(&typed, "transcript", "{'dialogue_id': 'bread'}"));
    cv_str again = cv_world_do(&taken, "transcript", "{'dialogue_id': 'bread'}");
    size_t panel = cv_str_find(told, CV_STR("## Expert Panel")); /* before it stands the hash, with times in it */
    assert_view_eq(cv_str_from(told, panel), cv_str_from(again, panel));
    other = cv_world_do(
        &taken, "round-register",
        "{'dialogue_id': 'bread', 'round': 0, 'use_draft': true, 'expert_scores': {'muffin': 3, 'cupcake': 4}}");
    assert_str_has(other, "\"replayed\":true");
    cv_world_close(&typed);
    cv_world_close(&taken);
}

/* Merged, left out, corrected and added; what refers to what is left out goes, and the rest stays as it was said.
 */
static void the_draft_is_edited(void **state)
{
    cv_world *w = *state;
    respond_all(w);
    assert_false(cv_world_call(w, "round-register", "{'dialogue_id': 'bread', 'round': 0, 'use_draft': true}"));
    assert_str_has(cv_err_text(&w->errs.items[0]), "score");
    assert_false(cv_world_call(w, "round-register",
                               "{'dialogue_id': 'bread', 'round': 0, 'use_draft': true, 'score': 1, 'remove': "
                               "['MUFFIN-P0009', 'MUFFIN-P0002']}"));
    assert_int_equal(w->errs.count, 1);
    assert_str_has(cv_err_text(&w->errs.items[0]), "MUFFIN-P0009");
    assert_false(cv_world_call(w, "round-register",
                               "{'dialogue_id': 'bread', 'round': 0, 'score': 1, 'remove': ['MUFFIN-P0002']}"));
    cv_world_do(
        w, "round-register",
        "{'dialogue_id': 'bread', 'round': 0, 'use_draft': true, 'expert_scores': {'muffin': 3, 'cupcake': 4},"
        "'remove': ['muffin-P0002'], 'perspectives': [{'local_id': 'CUPCAKE-P0001', 'label': 'Rye it is', 'also':"
        "['MUFFIN-P0001'], 'references': []}, {'local_id': 'JUDGE-P0001', 'label': 'Mine', 'content': 'x'}],"
        "'tension_updates': [{'id': 'MUFFIN-T0001', 'status': 'accepted'}], 'positions': {'muffin': 'After "
        "all.'}}");
    cv_state s = cv_world_state(w, "bread");
    assert_int_equal(s.rounds.items[0].score, 7);
    assert_int_equal(s.entities.count, 3);
    assert_str_eq(s.entities.items[0].label, "Rye it is");
    assert_str_eq(s.entities.items[0].content, "It keeps long.");
    assert_str_eq(s.entities.items[0].contributors, "[\"cupcake\",\"muffin\"]");
    assert_str_eq(s.entities.items[1].label, "Mine");
    assert_str_eq(s.entities.items[2].status, "accepted");
    assert_int_equal(s.moves.count, 2); /* challenge and converge: the defence had one target */
    assert_str_eq(s.positions.items[0].content, "After all.");
    assert_non_null(cv_state_origin(&s, CV_STR("MUFFIN-P0001")));
}

int main(void)
{
#define WORLD_TEST(name) cmocka_unit_test_setup_teardown(name, cv_world_set_up, cv_world_tear_down)
    const struct CMUnitTest tests[] = {
        WORLD_TEST(the_example_of_the_specification),
        WORLD_TEST(every_fault_is_told_and_nothing_is_written),
        WORLD_TEST(a_silent_dialogue_has_no_final_verdict),
        WORLD_TEST(the_year_10000_refuses_writes),
        WORLD_TEST(what_is_absent_is_null),
        WORLD_TEST(labels_may_hold_brackets),
        WORLD_TEST(faults_repeat_only_the_beginning_of_long_values),
        WORLD_TEST(more_than_99_of_a_kind),
        WORLD_TEST(the_same_round_again),
        WORLD_TEST(a_dry_run_writes_nothing),
        cmocka_unit_test(the_draft_is_the_request),
        WORLD_TEST(the_draft_is_edited),
        WORLD_TEST(references_moves_and_updates_change_statuses),
        WORLD_TEST(the_judge_wins),
        WORLD_TEST(a_dialogue_converges),
        WORLD_TEST(a_dialogue_may_have_another_target),
        WORLD_TEST(a_signal_stands_until_its_expert_speaks_against_it),
        WORLD_TEST(force_needs_a_warning),
        WORLD_TEST(a_minority_cannot_adopt_for_the_panel),
        WORLD_TEST(the_final_verdict_takes_over_what_it_adopts),
        WORLD_TEST(what_was_said_is_found),
        WORLD_TEST(corrections_keep_the_old_value),
        WORLD_TEST(other_names_and_scores_that_do_not_fit),
        WORLD_TEST(others_may_come_in_between),
        WORLD_TEST(a_failing_store_changes_nothing),
        WORLD_TEST(a_damaged_answer_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
