/* test_cascade.c - what references, moves and verdicts do to statuses: the whole table, printed from the code. */
#include "testing.h"

#include "base/buf.h"
#include "base/file.h"
#include "dialogue/register/cascade.h"

static const struct {
    unsigned by;
    const char *word;
} actors[] = {{CV_BY_AUTHOR, "author"}, {CV_BY_JUDGE, "judge"}, {CV_BY_OTHER, "another"}};

static void print_effect(cv_buf *out, cv_status from, cv_effect effect)
{
    cv_str before = cv_statuses[from].word, after = cv_statuses[effect.status].word;
    if (effect.type == CV_EFFECT_STATUS)
        cv_buf_printf(out, "  %.*s -> %.*s", CV_FMT(before), CV_FMT(after));
    else if (effect.type == CV_EFFECT_REFUSED)
        cv_buf_printf(out, "  %.*s stays (not %.*s)", CV_FMT(before), CV_FMT(after));
    else
        cv_buf_printf(out, "  %.*s stays", CV_FMT(before));
}

/* One line: a cause, its target and who acts; what becomes of each status. Nothing for what has no effect. */
static void print_row(cv_buf *out, cv_cause cause, cv_kind target, size_t actor)
{
    static const char *const causes[CV_CAUSE_COUNT] = {"reference", "move", "verdict"};
    cv_effect first = cv_cascade(cause, target, cv_status_first(target), actors[actor].by);
    if (first.type == CV_EFFECT_NONE)
        return;
    cv_buf_printf(out, "%-9s %-23.*s %c  by %-8s", causes[cause.type],
                  CV_FMT(cv_cause_words(cause.type).items[cause.word]), cv_kinds[target].letter, actors[actor].word);
    for (int status = 0; status < CV_STATUS_COUNT; status++)
        if (cv_statuses[status].kind == target)
            print_effect(out, (cv_status)status, cv_cascade(cause, target, (cv_status)status, actors[actor].by));
    cv_buf_add_z(out, first.is_result ? "  [result]" : "");
    cv_buf_add_z(out, first.needs_author ? "  [needs author]" : "");
    cv_buf_add_char(out, '\n');
}

static void the_table_is_the_golden_one(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_buf out = {0};
    const char *path = "test/golden/dialogue/cascades.txt";
    cv_buf_add_z(&out, "What a cause does to its target, by who acts; for every status that the target may have.\n"
                       "\"stays (not x)\": the lifecycle forbids it; it is told as a comment, with a warning.\n\n");
    for (int type = 0; type < CV_CAUSE_COUNT; type++)
        for (int word = 0; word < (int)cv_cause_words((cv_cause_type)type).count; word++)
            for (int kind = 0; kind < CV_KIND_COUNT; kind++)
                for (size_t actor = 0; actor < sizeof actors / sizeof *actors; actor++)
                    print_row(&out, (cv_cause){(cv_cause_type)type, word}, (cv_kind)kind, actor);
    cv_err err = {.arena = &a};
    if (cv_test_update())
        assert_ok(cv_file_write(path, cv_buf_str(&out), &err), &err);
    else
        assert_view_eq(cv_buf_str(&out), cv_test_read(&a, path));
    cv_buf_release(&out);
    cv_arena_release(&a);
}

/* No cause leads to a status that the lifecycle forbids, or to one of another kind. */
static void effects_keep_to_the_lifecycle(void **state)
{
    (void)state;
    for (int type = 0; type < CV_CAUSE_COUNT; type++)
        for (int word = 0; word < (int)cv_cause_words((cv_cause_type)type).count; word++)
            for (int status = 0; status < CV_STATUS_COUNT; status++)
                for (unsigned by = 0; by <= CV_BY_ANYONE; by++) {
                    cv_kind kind = cv_statuses[status].kind;
                    cv_effect effect = cv_cascade((cv_cause){(cv_cause_type)type, word}, kind, (cv_status)status, by);
                    assert_int_equal(cv_statuses[effect.status].kind, kind);
                    if (effect.type == CV_EFFECT_STATUS)
                        assert_true(cv_status_may_become((cv_status)status, effect.status));
                    else if (effect.type == CV_EFFECT_REFUSED)
                        assert_false(cv_status_may_become((cv_status)status, effect.status));
                    else
                        assert_int_equal(effect.status, status);
                }
}

/* One author among several actors suffices; one outsider confirms evidence. */
static void several_actors_count_together(void **state)
{
    (void)state;
    cv_cause resolve = {CV_CAUSE_REFERENCE, CV_REF_RESOLVE}, support = {CV_CAUSE_REFERENCE, CV_REF_SUPPORT};
    cv_effect effect = cv_cascade(resolve, CV_KIND_TENSION, CV_STATUS_TENSION_OPEN, CV_BY_AUTHOR | CV_BY_OTHER);
    assert_int_equal(effect.status, CV_STATUS_TENSION_RESOLVED);
    assert_false(effect.needs_author);
    effect = cv_cascade(support, CV_KIND_EVIDENCE, CV_STATUS_EVIDENCE_CITED, CV_BY_AUTHOR | CV_BY_OTHER);
    assert_int_equal(effect.status, CV_STATUS_EVIDENCE_CONFIRMED);
    effect = cv_cascade(support, CV_KIND_EVIDENCE, CV_STATUS_EVIDENCE_CITED, CV_BY_AUTHOR);
    assert_int_equal(effect.type, CV_EFFECT_NONE);
}

/* What a verdict adopted is not lowered. */
static void adopted_stays(void **state)
{
    (void)state;
    const cv_status adopted[] = {CV_STATUS_CLAIM_ADOPTED, CV_STATUS_RECOMMENDATION_ADOPTED};
    for (size_t i = 0; i < 2; i++)
        for (int ref = 0; ref < CV_REF_COUNT; ref++) {
            cv_effect effect =
                cv_cascade((cv_cause){CV_CAUSE_REFERENCE, ref}, cv_statuses[adopted[i]].kind, adopted[i], CV_BY_ANYONE);
            assert_int_not_equal(effect.type, CV_EFFECT_STATUS);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_the_golden_one),
        cmocka_unit_test(effects_keep_to_the_lifecycle),
        cmocka_unit_test(several_actors_count_together),
        cmocka_unit_test(adopted_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
