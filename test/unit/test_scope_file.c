/* test_scope_file.c - a scope as a file and back: the same bytes again, and nothing else comes in.
 *
 * The generator changes a document in many ways, byte by byte and value by value. Whatever is accepted is the scope as
 * it was: hashes cover all of it.
 */
#include "world.h"

static bool call_project(cv_world *w, const char *verb, cv_str text)
{
    cv_call call = cv_world_begin(w);
    cv_err err = {.arena = &w->turn};
    cv_json *input = CV_NEW(&w->turn, cv_json);
    call.input_text = cv_arena_copy(&w->turn, text);
    assert_ok(cv_json_parse(&w->turn, call.input_text, input, &err), &err);
    call.input = input;
    return cv_op_call(cv_op_find(CV_STR(""), cv_str_of(verb)), &call);
}

/* The document of the dialogue 'x', in the arena of the world. */
static cv_str export_x(cv_world *w)
{
    assert_true(call_project(w, "export-scope", CV_STR("{\"room\":\"dialogue\",\"scope\":\"x\"}")));
    return cv_arena_copy(&w->a, cv_buf_str(&w->out));
}

static void make_x(cv_world *w)
{
    cv_world_dialogue(w, "x", (const char *[]){"muffin", NULL}, false);
    cv_world_do(
        w, "round-register",
        "{'dialogue_id': 'x', 'round': 0, 'score': 0, 'tensions': [{'local_id': 'MUFFIN-T0001', 'label': 'Heat',"
        " 'content': 'The oven is hot.', 'contributors': ['muffin']}]}");
}

static bool import_bytes(cv_world *w, cv_str bytes, bool dry)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    const char *path = cv_arena_printf(&a, "%s/in.json", w->folder).p;
    assert_ok(cv_file_write(path, bytes, &err), &err);
    bool done = call_project(w, "import-scope",
                             cv_arena_printf(&a, "{\"path\":\"%s\",\"dry_run\":%s}", path, dry ? "true" : "false"));
    cv_arena_release(&a);
    return done;
}

static void test_there_and_back(void **state)
{
    (void)state;
    cv_world from, to;
    cv_world_open(&from);
    cv_world_open(&to);
    make_x(&from);
    cv_str document = export_x(&from);
    assert_true(import_bytes(&to, document, true));
    assert_false(call_project(&to, "export-scope", CV_STR("{\"room\":\"dialogue\",\"scope\":\"x\"}")));
    assert_str_has(to.errs.items[0].message, "there is no dialogue 'x'");
    assert_true(import_bytes(&to, document, false));
    assert_str_has(cv_buf_str(&to.out), "\"status\":\"restored\"");
    assert_view_eq(export_x(&to), document);
    assert_true(import_bytes(&to, document, false));
    assert_str_has(cv_buf_str(&to.out), "\"status\":\"unchanged\"");
    cv_world_do(&to, "update", "{'dialogue_id': 'x', 'updates': [{'id': 'T0001', 'label': 'Cold', 'reason': 'r'}]}");
    assert_false(import_bytes(&to, document, false));
    assert_view_eq(cv_err_word(to.errs.items[0].code), CV_STR("rev_conflict"));
    cv_world_close(&from);
    cv_world_close(&to);
}

/* One change somewhere: another byte, a byte less, a digit or letter more, a piece twice or elsewhere. */
static cv_str changed(cv_arena *a, cv_test_random *random, cv_str document)
{
    static const char bytes[] = "0123456789abcxyz\"{}[],:-. \\n";
    size_t at = cv_test_below(random, document.n), length = 1 + cv_test_below(random, 40);
    cv_buf out = {0};
    cv_str head = cv_str_head(document, at), piece = cv_str_head(cv_str_from(document, at), length);
    cv_buf_add(&out, head);
    switch (cv_test_below(random, 4)) {
    case 0:
        cv_buf_add_char(&out, bytes[cv_test_below(random, sizeof bytes - 1)]);
        cv_buf_add(&out, cv_str_from(document, at + 1));
        break;
    case 1:
        cv_buf_add(&out, cv_str_from(document, at + length));
        break;
    case 2:
        cv_buf_add(&out, piece);
        cv_buf_add(&out, cv_str_from(document, at));
        break;
    default:
        cv_buf_add(&out, cv_str_head(cv_str_from(document, cv_test_below(random, document.n)), length));
        cv_buf_add(&out, cv_str_from(document, at + length));
    }
    return cv_buf_take(&out, a);
}

static void test_changed_documents(void **state)
{
    (void)state;
    cv_world from, to;
    cv_world_open(&from);
    cv_world_open(&to);
    make_x(&from);
    cv_str document = export_x(&from);
    cv_test_random random = {cv_test_seed()};
    size_t accepted = 0, verified = 0;
    for (int i = 0; i < (cv_test_soak() ? 20000 : 400); i++) {
        cv_arena a = {0};
        cv_str bytes = changed(&a, &random, document);
        if (import_bytes(&to, bytes, true)) {
            cv_world fresh;
            cv_world_open(&fresh);
            assert_true(import_bytes(&fresh, bytes, false));
            assert_view_eq(export_x(&fresh), document);
            cv_world_close(&fresh);
            accepted++;
        } else {
            verified += to.errs.items[0].code == CV_ERR_VERIFY;
            assert_true(to.errs.items[0].message.n > 0);
        }
        cv_arena_release(&a);
    }
    print_message("# accepted %zu, refused by verification %zu\n", accepted, verified);
    assert_true(verified > 0);
    cv_world_close(&from);
    cv_world_close(&to);
}

/* Another file is refused, and the error says what would be right. */
static void test_other_files(void **state)
{
    (void)state;
    static const char *const files[] = {"{}",
                                        "[]",
                                        "{\"format\":\"conclave-scope 1\"}",
                                        "{\"format\":\"other\",\"scope\":{}}",
                                        "{\"format\":\"conclave-scope 2\",\"scope\":{}}",
                                        "{\"format\":\"conclave-scope 1\",\"scope\":[]}",
                                        "{\"format\":\"conclave-scope 1\",\"scope\":{\"room\":\"kitchen\"}}",
                                        "",
                                        "x"};
    cv_world w;
    cv_world_open(&w);
    for (size_t i = 0; i < CV_COUNT(files); i++)
        assert_false(import_bytes(&w, cv_str_of(files[i]), false));
    assert_false(call_project(&w, "import-scope", CV_STR("{\"path\":\"/nowhere/at/all\"}")));
    cv_world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_changed_documents),
        cmocka_unit_test(test_other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
