/* test_ops.c - every row of the table of operations is whole, and calls keep their promises. */
#include "world.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/json.h"
#include "base/map.h"
#include "dialogue/words/errors.h"
#include "dialogue/words/limits.h"
#include "door/cli_parts.h"
#include "kit/invoke.h"
#include "kit/schema.h"
#include "ops/op.h"
#include "ops/watch.h"

static void test_rows(void **state)
{
    (void)state;
    cv_arena a = {0};
    for (size_t i = 0; i < cv_op_count(); i++) {
        const cv_operation *op = cv_op_at(i);
        assert_true(op->room && op->verb && *op->verb);
        assert_non_null(op->run);
        assert_true(op->summary && *op->summary && !strchr(op->summary, '\n') && strlen(op->summary) < 90);
        assert_true(op->details && cv_str_ends(cv_str_of(op->details), CV_STR("\n")));
        assert_ptr_equal(cv_op_find(cv_str_of(op->room), cv_str_of(op->verb)), op);
        if (op->tool)
            assert_true(cv_str_starts(cv_str_of(op->tool), CV_STR("blue_dialogue_")) ||
                        cv_str_starts(cv_str_of(op->tool),
                                      *op->room ? cv_arena_printf(&a, "conclave_%s_", op->room) : CV_STR("conclave_")));
        if (op->flags & CV_OP_WRITES)
            assert_true(op->flags & CV_OP_STORE);
    }
    assert_null(cv_op_find(CV_STR("dialogue"), CV_STR("no-such-verb")));
    cv_arena_release(&a);
}

/* Every command has an example, and the lines of an operation call it. No line that a room gives is left over: the
 * first is the program's, each of the others belongs to an operation. */
static void test_examples(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_cli_table table = cv_cli_commands(&a);
    size_t shown = 0, written = 0;
    cv_str line;
    for (size_t i = 0; i < table.count; i++) {
        const cv_cli_command *c = &table.items[i];
        cv_str call = cv_arena_printf(&a, "  %s", cv_cli_title(&a, c)), rest = cv_str_of(c->examples);
        assert_true(rest.n > 0);
        while (c->op && cv_str_split(&rest, '\n', &line) && line.n > 0) {
            assert_true(cv_str_starts(line, call));
            shown++;
        }
        rest = cv_str_of(c->op && c->op->examples ? c->op->examples : "");
        while (cv_str_split(&rest, '\n', &line) && line.n > 0)
            written++;
    }
    for (size_t i = 0; cv_rooms[i]; i++) {
        cv_str rest = cv_str_of(cv_rooms[i]->examples ? cv_rooms[i]->examples : "");
        for (bool first = true; cv_str_split(&rest, '\n', &line) && line.n > 0; first = false)
            written += !first;
    }
    assert_int_equal(shown, written);
    cv_arena_release(&a);
}

static void check_unique(cv_arena *a, cv_map *names, cv_str name)
{
    bool is_new;
    cv_map_put(names, a, name, &is_new);
    if (!is_new)
        print_error("twice: %.*s\n", CV_FMT(name));
    assert_true(is_new);
}

static void test_names_are_unique(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_map names = {0}, rooms = {0}, tools = {0}; /* a command may have the name of a room: 'run', 'run status' */
    cv_cli_table table = cv_cli_commands(&a);
    for (size_t i = 0; i < table.count; i++)
        check_unique(&a, &names, cv_arena_printf(&a, "%s %s", table.items[i].room, table.items[i].name));
    for (size_t i = 0; i < cv_room_count(); i++)
        check_unique(&a, &rooms, cv_str_of(cv_room_at(i)->name));
    for (size_t i = 0; i < cv_op_count(); i++)
        if (cv_op_at(i)->tool)
            check_unique(&a, &tools, cv_str_of(cv_op_at(i)->tool));
    cv_arena_release(&a);
}

/* Codes of rooms are refusals, and no two codes of the program have the same word. */
static void test_codes(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_map words = {0};
    for (size_t i = 0; cv_err_codes[i]; i++)
        check_unique(&a, &words, cv_err_word(cv_err_codes[i]));
    for (size_t i = 0; cv_rooms[i]; i++)
        for (const cv_err_code *code = cv_rooms[i]->codes; code && *code; code++) {
            check_unique(&a, &words, cv_err_word(*code));
            assert_true(cv_err_is_refusal(*code) && cv_err_meaning(*code).n > 0);
        }
    cv_arena_release(&a);
}

static bool has_file(const char *name)
{
    for (size_t i = 0; i < cv_schema_files_count; i++)
        if (strcmp(cv_schema_files[i].name, name) == 0)
            return true;
    return false;
}

static void lint(const cv_operation *op, const char *side, const cv_json *schema)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    if (!cv_schema_lint(schema, &err)) {
        cv_str text = cv_err_text(&err);
        print_error("schemas/%s.json, %s: %.*s\n", op->schema, side, CV_FMT(text));
        fail();
    }
    assert_true(cv_schema_allows(schema, CV_STR("object")) && cv_json_get(schema, CV_STR("type")));
    cv_arena_release(&a);
}

static void test_schemas(void **state)
{
    (void)state;
    for (size_t i = 0; i < cv_op_count(); i++) {
        const cv_operation *op = cv_op_at(i);
        cv_arena a = {0};
        if (!has_file(op->schema))
            print_error("schemas/%s.json is missing\n", op->schema);
        assert_true(has_file(op->schema));
        cv_op_schemas schemas = cv_op_schema(op);
        lint(op, "input", schemas.input);
        lint(op, "output", schemas.output);
        cv_arena_release(&a);
    }
}

/* No schema lies around that no row uses. */
static void test_schemas_are_used(void **state)
{
    (void)state;
    for (size_t i = 0; i < cv_schema_files_count; i++) {
        bool used = false;
        for (size_t k = 0; k < cv_op_count(); k++)
            used = used || strcmp(cv_op_at(k)->schema, cv_schema_files[i].name) == 0;
        if (!used)
            print_error("schemas/%s.json belongs to no operation\n", cv_schema_files[i].name);
        assert_true(used);
    }
}

/* A field that nobody reads must not look as if it were: inputs refuse what they do not know, or say that they keep it.
 */
static void test_inputs(void **state)
{
    (void)state;
    for (size_t i = 0; i < cv_op_count(); i++) {
        cv_arena a = {0};
        const cv_json *input = cv_op_schema(cv_op_at(i)).input;
        const cv_json *others = cv_json_get(input, CV_STR("additionalProperties"));
        bool refuses = others && others->type == CV_JSON_FALSE, keeps = cv_json_get_text(others, "description").n > 0;
        if (!refuses && !keeps)
            print_error("schemas/%s.json accepts unknown fields\n", cv_op_at(i)->schema);
        assert_true(refuses || keeps);
        cv_arena_release(&a);
    }
}

/* Texts that are in headings, lists and every prompt have a ceiling, and the schemas have the one that is applied. */
static const struct {
    const char *property;
    int64_t most;
} ceilings[] = {
    {"label", CV_MAX_LABEL}, {"title", CV_MAX_TITLE},   {"question", CV_MAX_PROSE},
    {"role", CV_MAX_PHRASE}, {"domain", CV_MAX_PHRASE},
};

static size_t check_ceilings(const char *file, const cv_json *schema)
{
    const cv_json *properties = cv_json_get(schema, CV_STR("properties")),
                  *items = cv_json_get(schema, CV_STR("items"));
    size_t found = items ? check_ceilings(file, items) : 0;
    for (uint32_t i = 0; properties && i < properties->count; i++) {
        const cv_json_member *p = &properties->members[i];
        found += check_ceilings(file, &p->value);
        for (size_t k = 0; k < CV_COUNT(ceilings); k++) {
            if (!cv_str_eq(p->key, cv_str_of(ceilings[k].property)) || !cv_schema_allows(&p->value, CV_STR("string")))
                continue;
            if (cv_json_get_int(&p->value, "maxLength", 0) != ceilings[k].most)
                print_error("schemas/%s.json: maxLength of '%s' is not that of limits.h\n", file, ceilings[k].property);
            assert_int_equal(cv_json_get_int(&p->value, "maxLength", 0), ceilings[k].most);
            found++;
        }
    }
    return found;
}

static void test_ceilings(void **state)
{
    (void)state;
    size_t found = 0;
    for (size_t i = 0; i < cv_op_count(); i++)
        found += check_ceilings(cv_op_at(i)->schema, cv_op_schema(cv_op_at(i)).input);
    assert_true(found > 15);
}

/* Every property has a flag of its own, none of them hides one that all commands have. */
static void test_flags(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_cli_table table = cv_cli_commands(&a);
    for (size_t i = 0; i < table.count; i++) {
        cv_cli_command c = cv_cli_complete(&a, &table.items[i]);
        cv_map names = {0};
        assert_true(cv_cli_option_find(&c, CV_STR("json")) < cv_cli_option_count(&c));
        assert_true(!c.op || cv_cli_option_find(&c, CV_STR("as")) < cv_cli_option_count(&c));
        for (size_t k = 0; k < cv_cli_option_count(&c); k++) {
            const char *name = cv_cli_option_at(&c, k)->name;
            check_unique(&a, &names, cv_str_of(name));
            for (const char *p = name; *p; p++)
                assert_true(cv_is_lower(*p) || cv_is_digit(*p) || *p == '-');
        }
    }
    cv_arena_release(&a);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

static bool answers(cv_call *call)
{
    cv_buf_add_z(call->out, "{\"status\":\"success\",\"root\":\"r\",\"record\":\"d\",\"created\":true}");
    return true;
}

static bool refuses(cv_call *call)
{
    cv_buf_add_z(call->out, "{\"half\":");
    cv_errs_add(call->errs, call->arena, CV_ERR_DIALOGUE_NOT_FOUND, "no such dialogue");
    return false;
}

static bool refuses_with_help(cv_call *call)
{
    cv_err *err = cv_errs_add(call->errs, call->arena, CV_ERR_DIALOGUE_NOT_FOUND, "no such dialogue");
    cv_err_operation(err, CV_STR("dialogue list"));
    cv_err_suggest(err, CV_STR("shows all"));
    return false;
}

/* Below the doors an operation has words, at each door a name. */
static void test_names(void **state)
{
    (void)state;
    static const cv_argument arguments[] = {
        {"round", CV_STR_INIT("1"), CV_ARGUMENT_JSON},
        {"expert", CV_STR_INIT("muffin"), CV_ARGUMENT_TEXT},
        {"content", CV_STR_INIT("it's.md"), CV_ARGUMENT_FILE},
        {"no_contribution", CV_STR_INIT("true"), CV_ARGUMENT_JSON},
        {"data", CV_STR_INIT("@a.json"), CV_ARGUMENT_COMMAND},
        {"ids", CV_STR_INIT("[\"…\"]"), CV_ARGUMENT_TOOL},
        {NULL, CV_STR_INIT("ID"), CV_ARGUMENT_COMMAND},
    };
    static const struct {
        const char *operation, *id;
        size_t from, count;
        const char *command, *tool, *usual;
    } rows[] = {
        {"dialogue list", "", 0, 0, "conclave dialogue list", "blue_dialogue_list", "blue_dialogue_list"},
        {"verify", "", 0, 0, "conclave verify", "conclave_verify", "conclave verify"},
        {"init", "", 4, 1, "conclave init --data @a.json", "conclave init --data @a.json",
         "conclave init --data @a.json"},
        {"dialogue respond", "x", 0, 4,
         "conclave dialogue respond x --round 1 --expert muffin --content '@it'\\''s.md' --no-contribution",
         "blue_dialogue_respond {\"dialogue_id\":\"x\",\"round\":1,\"expert\":\"muffin\",\"content_path\":\"it's.md\","
         "\"no_contribution\":true}",
         "blue_dialogue_respond {\"dialogue_id\":\"x\",\"round\":1,\"expert\":\"muffin\",\"content_path\":\"it's.md\","
         "\"no_contribution\":true}"},
        {"dialogue expand", "x y", 5, 2, "conclave dialogue expand 'x y' ID",
         "blue_dialogue_expand {\"dialogue_id\":\"x y\",\"ids\":[\"…\"]}",
         "blue_dialogue_expand {\"dialogue_id\":\"x y\",\"ids\":[\"…\"]}"},
    };
    cv_arena a = {0};
    for (size_t i = 0; i < CV_COUNT(rows); i++) {
        cv_str operation = cv_str_of(rows[i].operation), id = cv_str_of(rows[i].id);
        const cv_argument *more = arguments + rows[i].from;
        assert_str_eq(cv_op_command(&a, operation, id, more, rows[i].count), rows[i].command);
        assert_str_eq(cv_op_tool(&a, operation, id, more, rows[i].count), rows[i].tool);
        assert_str_eq(cv_op_usual_tool(&a, operation, id, more, rows[i].count), rows[i].usual);
    }
    static const struct {
        cv_naming name;
        const char *suggestion;
    } callers[] = {{cv_op_command, "'conclave dialogue list' shows all"},
                   {cv_op_tool, "'blue_dialogue_list' shows all"},
                   {NULL, "'dialogue list' shows all"}};
    for (size_t i = 0; i < CV_COUNT(callers); i++) {
        cv_errs errs = {0};
        cv_buf out = {0};
        cv_json input = {.type = CV_JSON_OBJECT};
        cv_operation op = *cv_op_find(CV_STR(""), CV_STR("init"));
        op.run = refuses_with_help;
        cv_call call = {.arena = &a, .input = &input, .out = &out, .errs = &errs, .name = callers[i].name};
        assert_false(cv_op_call(&op, &call));
        assert_str_eq(errs.items[0].suggestion, callers[i].suggestion);
        assert_int_equal(errs.items[0].operation.n, 0);
    }
    cv_arena_release(&a);
}

static bool call_with(cv_handler run, cv_arena *a, const char *text, cv_buf *out, cv_errs *errs)
{
    cv_operation op = *cv_op_find(CV_STR(""), CV_STR("init"));
    cv_json input;
    cv_err err = {.arena = a};
    op.run = run;
    assert_ok(cv_json_parse(a, cv_str_of(text), &input, &err), &err);
    cv_call call = {.arena = a, .input = &input, .input_text = cv_str_of(text), .out = out, .errs = errs};
    return cv_op_call(&op, &call);
}

static void test_calls(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_buf out = {0};
    cv_errs errs = {0};
    assert_true(call_with(answers, &a, "{\"dir\":\"x\"}", &out, &errs));
    assert_true(out.n > 0 && errs.count == 0);
    cv_buf_clear(&out);
    assert_false(call_with(refuses, &a, "{}", &out, &errs));
    assert_true(out.n == 0 && errs.count == 1);
    errs.count = 0;
    assert_false(call_with(answers, &a, "{\"dri\":\"x\"}", &out, &errs));
    assert_int_equal(errs.items[0].code, CV_ERR_UNKNOWN_FIELD);
    assert_int_equal(out.n, 0);
    cv_buf_release(&out);
    cv_arena_release(&a);
}

/* An operation of a room calls one of another room by its words. What is wrong with that request is in the reply alone.
 */
static bool calls_others(cv_call *call)
{
    static const struct {
        const char *input;
        cv_err_code code;
        const char *says;
    } refused[] = {
        {"{\"unheard_of\":1}", CV_ERR_UNKNOWN_FIELD, "unheard_of"},
        {"{\"limit\":\"many\"}", CV_ERR_INVALID_VALUE, "limit"},
        {"{", CV_ERR_JSON, "expected"},
    };
    cv_reply reply;
    const cv_json *input = call->input;
    cv_invoke(call, CV_STR("dialogue"), CV_STR("list"), CV_STR("{}"), &reply);
    assert_true(reply.done && reply.errs.count == 0);
    assert_str_eq(cv_json_get_text(&reply.json, "status"), "success");
    assert_str_has(reply.text, "\"bread\"");
    for (size_t i = 0; i < CV_COUNT(refused); i++) {
        cv_invoke(call, CV_STR("dialogue"), CV_STR("list"), cv_str_of(refused[i].input), &reply);
        assert_true(!reply.done && reply.text.n == 0 && reply.errs.count == 1);
        assert_ptr_equal(reply.errs.items[0].code, refused[i].code);
        assert_str_has(cv_err_text(&reply.errs.items[0]), refused[i].says);
    }
    assert_true(call->input == input && call->out->n == 0 && call->errs->count == 0);
    return answers(call);
}

static void test_invoke(void **state)
{
    cv_world *w = *state;
    cv_world_dialogue(w, "bread", (const char *[]){"muffin", NULL}, false);
    cv_operation op = *cv_op_find(CV_STR(""), CV_STR("init"));
    cv_json input = {.type = CV_JSON_OBJECT};
    cv_call call = cv_world_begin(w);
    op.run = calls_others;
    call.input = &input;
    call.input_text = CV_STR("{}");
    assert_true(cv_op_call(&op, &call));
    assert_true(w->out.n > 0);
}

/* How a process ends in which the operation has given this reply; 0: it goes on. */
static int ends_with(const cv_operation *op, const char *reply)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        cv_buf out = {0};
        setenv("CV_CHECK_REPLIES", "1", 1);
        signal(SIGABRT, SIG_DFL);
        close(STDERR_FILENO);
        cv_buf_add_z(&out, reply);
        cv_watch_reply(op, &(cv_call){.out = &out});
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* While the tests run, no operation with a shape can answer what the shape does not have. */
static void test_replies_are_held_against_shapes(void **state)
{
    (void)state;
    const cv_operation *seal = cv_op_find(CV_STR(""), CV_STR("seal"));
    for (size_t i = 0; i < cv_op_count(); i++)
        if (cv_op_at(i)->answer)
            assert_int_equal(ends_with(cv_op_at(i), "{\"unheard_of\":1}"), SIGABRT);
    assert_int_equal(ends_with(seal, "{\"status\":\"success\",\"seal\":\"x\",\"commit\":1}"), 0);
    assert_int_equal(ends_with(seal, "{\"status\":\"success\",\"seal\":\"x\",\"commit\":0}"), SIGABRT);
    assert_int_equal(ends_with(seal, "{\"status\":\"success\",\"seal\":\"x\"}"), SIGABRT);
    assert_int_equal(ends_with(seal, "{\"status\":\"success\",\"seal\":"), SIGABRT);
}

int main(void)
{
    unsetenv("CV_CALL_LOG"); /* what is called here proves nothing */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_schemas),
        cmocka_unit_test(test_schemas_are_used),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_ceilings),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_calls),
        cmocka_unit_test_setup_teardown(test_invoke, cv_world_set_up, cv_world_tear_down),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_replies_are_held_against_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
