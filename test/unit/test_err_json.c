/* test_err_json.c - the shape of errors that every door answers with. */
#include "testing.h"

#include "base/err_json.h"
#include "dialogue/words/errors.h"

static cv_str printed(cv_arena *a, const cv_errs *errs, bool batch)
{
    cv_buf out = {0};
    cv_json_writer w = {.out = &out};
    cv_errs_print_json(errs->items, errs->count, batch, &w);
    cv_str text = cv_arena_copy(a, cv_buf_str(&out));
    cv_buf_release(&out);
    return text;
}

static void test_single(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_errs errs = {0};
    static const cv_str options[] = {CV_STR_INIT("T")};
    cv_err *err = cv_errs_add(&errs, &a, CV_ERR_REF_TARGET, "only tensions");
    cv_err_field(err, CV_STR("ref_type"));
    cv_err_value(err, CV_STR("resolve"));
    cv_err_constraint(err, CV_STR("semantic"));
    cv_err_context(err, CV_STR("{\"target_id\":\"P0001\"}"));
    cv_err_options(err, options, 1);
    cv_err_suggest(err, CV_STR("use 'support'"));
    assert_str_eq(printed(&a, &errs, false),
                  "{\"status\":\"error\",\"error_code\":\"invalid_ref_target\",\"message\":\"only tensions\","
                  "\"field\":\"ref_type\",\"value\":\"resolve\",\"constraint\":\"semantic\","
                  "\"context\":{\"target_id\":\"P0001\"},\"valid_options\":[\"T\"],\"suggestion\":\"use 'support'\"}");
    assert_int_equal(cv_errs_code(errs.items, 1, false), CV_ERR_REF_TARGET);
    cv_arena_release(&a);
}

static void test_batch(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_errs errs = {0};
    cv_err_field(cv_errs_add(&errs, &a, CV_ERR_MISSING_FIELD, "m"), CV_STR("perspectives[0].references[1].target"));
    assert_str_eq(printed(&a, &errs, true),
                  "{\"status\":\"error\",\"error_code\":\"batch_validation_failed\",\"message\":\"1 item failed "
                  "validation\",\"errors\":[{\"error_code\":\"missing_field\",\"message\":\"m\",\"item_type\":"
                  "\"reference\",\"field\":\"perspectives[0].references[1].target\"}],\"suggestion\":\"Fix all errors "
                  "and resubmit the entire batch\"}");
    cv_err_field(cv_errs_add(&errs, &a, CV_ERR_UNKNOWN_FIELD, "n"), CV_STR("evidence[2]"));
    cv_str text = printed(&a, &errs, false);
    assert_str_has(text, "\"the request has 2 faults\"");
    assert_str_has(text, "\"correct them all and send the request again\"");
    assert_str_has(text, "\"item_type\":\"evidence\"");
    assert_int_equal(cv_errs_code(errs.items, 2, false), CV_ERR_BATCH);
    cv_arena_release(&a);
}

/* A store that cannot be read is nobody's fault in the batch. */
/* Whatever an error was told may be gone when it is printed, and so may the arena of an error that was handed on. */
static void test_errors_own_their_texts(void **state)
{
    (void)state;
    cv_arena a = {0}, brief = {0};
    cv_errs errs = {0};
    cv_err err = {.arena = &brief};
    char text[] = "text";
    cv_str view = {text, 4}, *words = CV_NEW_ARRAY(&brief, 1, cv_str);
    words[0] = view;
    cv_err_set(&err, CV_ERR_INVALID_VALUE, "%s", text);
    cv_err_field(&err, view);
    cv_err_value(&err, view);
    cv_err_options(&err, words, 1);
    cv_err_suggest(&err, view);
    cv_err_file(&err, view);
    cv_err_item_type(&err, view);
    cv_err_item(&err, view, view);
    cv_err_constraint(&err, view);
    cv_err_context(&err, CV_STR("{}"));
    cv_err_operation(&err, view);
    memset(text, 'x', 4);
    const cv_err *kept = cv_errs_keep(&errs, &a, &err);
    cv_arena_release(&brief);
    const cv_str all[] = {kept->message,    kept->field,     kept->value,     kept->options[0],
                          kept->suggestion, kept->file,      kept->item_type, kept->item_id,
                          kept->constraint, kept->operation, kept->item_key};
    for (size_t i = 0; i < CV_COUNT(all); i++)
        assert_str_eq(all[i], "text");
    assert_str_eq(kept->context, "{}");
    assert_int_equal(kept->option_count, 1);
    cv_arena_release(&a);
}

static void test_could_not_run(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_errs errs = {0};
    cv_errs_add(&errs, &a, CV_ERR_IO, "disk")->line = 0;
    assert_int_equal(cv_errs_code(errs.items, 1, true), CV_ERR_IO);
    assert_str_eq(printed(&a, &errs, true), "{\"status\":\"error\",\"error_code\":\"io_error\",\"message\":\"disk\"}");
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_could_not_run),
        cmocka_unit_test(test_errors_own_their_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
