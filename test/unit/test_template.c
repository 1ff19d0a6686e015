/* test_template.c - templates: the same bytes as Jinja2 makes, and the same refusals; limits; places of errors; missing
 * names; includes that stay in their folder.
 *
 * test/jinja/cases.py makes the cases and asks Debian's python3-jinja2 for all of them in one process.
 */
#include "testing.h"

#include <sys/stat.h>

#include "base/clock.h"
#include "base/json.h"
#include "kit/template.h"

/* ---- against Jinja2 ------------------------------------------------------------------------------------ */

typedef struct {
    cv_arena arena;
    cv_json head;
    cv_template_rules rules;
    size_t cases, failing, unsupported, wrong;
} campaign;

static bool load_from(void *ctx, cv_arena *a, cv_str name, cv_str *ret_source, cv_err *err)
{
    (void)a;
    const cv_json *source = cv_json_get(ctx, name);
    if (!source)
        return cv_err_set(err, CV_ERR_NOT_FOUND, "there is no template %.*s", CV_FMT(name));
    *ret_source = source->text;
    return true;
}

/* Shows the first few that differ; all of them are counted. */
static void differ(campaign *c, const cv_json *one, bool good, const cv_template_made *made, const cv_err *err)
{
    if (++c->wrong > 10)
        return;
    cv_str template = cv_json_get_text(one, "template"), text = cv_json_get_text(one, "text");
    cv_str message = good ? CV_STR("") : cv_err_text(err);
    print_error("template: %.*s\nJinja2 %s: \"%.*s\"\nours %s: \"%.*s\"%.*s\n\n", CV_FMT(template),
                cv_json_get_true(one, "ok") ? "prints" : "fails", CV_FMT(text), good ? "prints" : "fails",
                CV_FMT(made->text), CV_FMT(message));
}

static void compare(campaign *c, cv_str line)
{
    cv_arena a = {0};
    cv_err err = {.arena = &a};
    cv_json one;
    cv_template_made made;
    assert_ok(cv_json_parse(&a, line, &one, &err), &err);
    bool expected = cv_json_get_true(&one, "ok");
    bool good = cv_template_render(&a, CV_STR("main.j2"), cv_json_get_text(&one, "template"),
                                   cv_json_get(&c->head, CV_STR("context")), &c->rules, &made, &err);
    c->cases++;
    c->failing += !expected;
    /* Jinja2 looks for filters of a branch when it is taken, and prints addresses of functions. */
    bool told = !good && (cv_str_ends(err.message, CV_STR("is not supported")) ||
                          cv_str_starts(err.message, CV_STR("there is no filter")) ||
                          cv_str_starts(err.message, CV_STR("there is no test")) ||
                          cv_str_starts(err.message, CV_STR("a function cannot be printed")) ||
                          cv_str_ends(err.message, CV_STR("above 64 bits")));
    if (expected && told)
        c->unsupported++;
    else if (good != expected || (good && !cv_str_eq(made.text, cv_json_get_text(&one, "text"))))
        differ(c, &one, good, &made, &err);
    else if (!good) {
        assert_true(err.message.n > 0 && err.code != CV_ERR_NONE);
        assert_true(err.line > 0 && err.column > 0 && err.file.n > 0);
    }
    cv_arena_release(&a);
}

/* checklist 3: the same bytes as Jinja2 for the supported subset; checklist 15: rendering is one step. */
static void test_jinja(void **state)
{
    (void)state;
    if (system("/usr/bin/python3 -c 'import jinja2' 2>/dev/null") != 0)
        cv_test_skip("no Jinja2");
    const char *given = getenv("CV_TEMPLATES");
    campaign c = {0};
    cv_err err = {.arena = &c.arena};
    cv_str command =
        cv_arena_printf(&c.arena, "/usr/bin/python3 test/jinja/cases.py %llu %s%s", (unsigned long long)cv_test_seed(),
                        given            ? given
                        : cv_test_soak() ? "60000"
                                         : "700",
                        given || cv_test_soak() ? " all" : "");
    FILE *in = popen(cv_arena_copy_z(&c.arena, command), "r");
    assert_non_null(in);
    char *line = NULL;
    size_t room = 0;
    ssize_t n = getline(&line, &room, in);
    assert_true(n > 0);
    cv_str head = cv_arena_copy(&c.arena, (cv_str){line, (size_t)n});
    assert_ok(cv_json_parse(&c.arena, head, &c.head, &err), &err);
    c.rules = (cv_template_rules){.load = load_from,
                                  .load_ctx = (void *)(uintptr_t)cv_json_get(&c.head, CV_STR("includes")),
                                  .now_ms = cv_json_get_int(&c.head, "now", 0)};
    while ((n = getline(&line, &room, in)) > 0)
        compare(&c, (cv_str){line, (size_t)n});
    free(line);
    assert_int_equal(pclose(in), 0);
    print_message("# %zu templates, of which Jinja2 refuses %zu; %zu use what is not supported; %zu differ\n", c.cases,
                  c.failing, c.unsupported, c.wrong);
    assert_true(c.cases > 1000 && c.failing > 100 && c.unsupported < c.cases / 50);
    assert_int_equal(c.wrong, 0);
    cv_arena_release(&c.arena);
}

/* ---- by hand ------------------------------------------------------------------------------------------- */

static bool render(cv_arena *a, const char *template, const char *context, const cv_template_rules *rules,
                   cv_template_made *ret, cv_err *err)
{
    cv_json json;
    *err = (cv_err){.arena = a};
    assert_ok(cv_json_parse(a, cv_str_of(context), &json, err), err);
    return cv_template_render(a, CV_STR("prompt.j2"), cv_str_of(template), &json, rules, ret, err);
}

static void test_limits(void **state)
{
    (void)state;
    static const char *const endless[] = {
        "{% for i in range(10**9) %}{% endfor %}",
        "{% for i in range(10**9) %}x{% endfor %}",
        "{{ range(10**9)|list }}",
        "{{ range(10**9)|sum }}",
        "{{ range(10**9)|map('string')|join }}",
        "{{ 'x' * 10**10 }}",
        "{{ [0] * 10**10 }}",
        "{{ 'x'|center(10**12) }}",
        "{{ 'x'|indent(10**12) }}",
        "{{ 10**10**10 }}",
        "{{ 'a' * 10**7 ~ 'b' * 10**7 ~ 'c' * 10**7 }}",
        "{% set x = 'abcdefgh' %}{% for i in range(99) %}{% set ns = namespace(v=x) %}{% for j in range(60) %}"
        "{% set ns.v = ns.v ~ ns.v %}{% endfor %}{% endfor %}",
        "{% set ns = namespace(v=[]) %}{% for i in range(9999) %}{% set ns.v = [ns.v] %}{% endfor %}{{ ns.v }}",
        "{% set ns = namespace(v=[]) %}{% for i in range(9999) %}{% set ns.v = ns.v|map('string') %}{% endfor %}"
        "{{ ns.v|list }}",
        "{% set ns = namespace(v='ab') %}{% for i in range(40) %}{% set ns.v = ns.v|replace('', ns.v) %}{% endfor %}",
        "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
        "{{ range(10**9)|batch(10**9)|first }}",
        "{{ ['x']|batch(10**9, 'y')|list|length }}",
    };
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        cv_arena a = {0};
        cv_err err;
        cv_template_made made;
        assert_fails(render(&a, endless[i], "{}", NULL, &made, &err), &err, CV_ERR_TOO_LARGE);
        assert_true(err.line == 1 && err.column > 1);
        cv_arena_release(&a);
    }
}

/* What a text costs grows with its length, not with the square of it, however many pieces it has. */
static void test_pieces(void **state)
{
    (void)state;
    static const char *const many[] = {
        "{% for i in range(N) %}{{ 'a line of a report' }}{% endfor %}",
        "{{ (['a line of a report'] * N)|string }}",
        "{{ (['a line of a report'] * N)|tojson }}",
        "{{ (['a line of a report'] * N)|join(', ') }}",
        "{{ ', '.join(['a line of a report'] * N) }}",
        "{{ ('a line of a report' * N)|replace('a', 'the') }}",
        "{{ ('a line of a report' * N)|replace('', '.') }}",
        "{{ ('a line of a report\n' * N)|indent }}",
        "{% filter upper %}{% for i in range(N) %}{{ 'a line of a report' }}{% endfor %}{% endfilter %}",
    };
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        uint64_t steps[2];
        for (size_t k = 0; k < 2; k++) {
            cv_arena a = {0};
            cv_err err;
            cv_template_made made;
            char template[200];
            snprintf(template, sizeof template, "{%% set N = %d %%}%s", k == 0 ? 2000 : 20000, many[i]);
            assert_ok(render(&a, template, "{}", NULL, &made, &err), &err);
            steps[k] = made.steps;
            cv_arena_release(&a);
        }
        if (steps[1] > 11 * steps[0])
            print_error("%s: %llu steps, then %llu\n", many[i], (unsigned long long)steps[0],
                        (unsigned long long)steps[1]);
        assert_true(steps[1] <= 11 * steps[0]);
    }
}

/* Nesting of every kind ends at a limit, not at the end of the stack. */
static void test_depth(void **state)
{
    (void)state;
    static const struct {
        const char *begin, *open, *middle, *close, *end;
    } rows[] = {
        {"{{ ", "(", "1", ")", " }}"},
        {"{{ ", "[", "", "]", " }}"},
        {"{{ ", "{1:", "1", "}", " }}"},
        {"{{ ", "-", "1", "", " }}"},
        {"{{ ", "not ", "1", "", " }}"},
        {"{{ ", "1 if 1 else ", "1", "", " }}"},
        {"{{ ", "f(", "1", ")", " }}"},
        {"{{ ", "a[", "1", "]", " }}"},
        {"{{ a", "|default(a", "", ")", " }}"},
        {"", "{% if 1 %}", "", "{% endif %}", ""},
        {"", "{% for i in x %}", "", "{% endfor %}", ""},
        {"", "{% filter upper %}", "", "{% endfilter %}", ""},
        {"{{ 1", "+1", "", "", " }}"},
        {"{{ x", "|list", "", "", " }}"},
        {"{{ x", ".a", "", "", " }}"},
        {"{{ x", "[0]", "", "", " }}"},
        {"{{ 1", " and 1", "", "", " }}"},
        {"{{ x", "()", "", "", " }}"},
        {"{% set ", "(", "a", ",)", " = 1 %}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cv_arena a = {0};
        cv_err err = {.arena = &a};
        cv_buf text = {0};
        cv_buf_add_z(&text, rows[i].begin);
        for (int k = 0; k < 30000; k++)
            cv_buf_add_z(&text, rows[i].open);
        cv_buf_add_z(&text, rows[i].middle);
        for (int k = 0; k < 30000; k++)
            cv_buf_add_z(&text, rows[i].close);
        cv_buf_add_z(&text, rows[i].end);
        cv_template_made made;
        assert_fails(cv_template_render(&a, CV_STR("deep"), cv_buf_str(&text), NULL, NULL, &made, &err), &err,
                     CV_ERR_TOO_LARGE);
        cv_buf_release(&text);
        cv_arena_release(&a);
    }
}

/* checklist 7: a missing name is an error; here all of them at once, each with its place. */
static void test_strict(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err;
    cv_template_made made;
    cv_template_rules strict = {.strict = true};
    const char *template =
        "{{ a }}{{ user.name }}\n{{ user.email.host }}{% for x in items %}{{ x }}{% endfor %}\n"
        "{% if flag and n > limit %}{% endif %}{{ b|default('x') }}{{ c is defined }}{{ a }}{{ d + 1 }}";
    const char *context = "{\"user\": {\"name\": \"Ada\"}, \"n\": 1, \"flag\": true}";
    assert_fails(render(&a, template, context, &strict, &made, &err), &err, CV_ERR_TEMPLATE_NAMES);
    static const struct {
        const char *name;
        size_t line, column;
    } expected[] = {{"a", 1, 4}, {"user.email", 2, 4}, {"items", 2, 34}, {"limit", 3, 20}, {"d", 3, 87}};
    assert_int_equal(made.missing_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_str_eq(made.missing[i].name, expected[i].name);
        assert_str_eq(made.missing[i].file, "prompt.j2");
        assert_int_equal(made.missing[i].line, expected[i].line);
        assert_int_equal(made.missing[i].column, expected[i].column);
    }
    assert_str_has(err.message, "a, user.email, items, limit, d");
    assert_ok(render(&a, "{{ b|default('x') }}", "{}", &strict, &made, &err), &err);
    assert_str_eq(made.text, "x");
    cv_arena_release(&a);
}

static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *template;
        size_t line, column;
        const char *message;
    } rows[] = {
        {"a\nb {{ é.x }}", 2, 6, "'é' is undefined"},
        {"{% if x %}\n", 1, 1, "{% endif %} is missing"},
        {"x\n  {% nope %}", 2, 6, "unexpected tag 'nope'"},
        {"{{ 1 +\n  }}", 2, 3, "an expression expected, found '}}'"},
        {"{{ x|slice(3) }}", 1, 6, "the filter 'slice' of Jinja is not supported"},
        {"{{ x|nope }}", 1, 6, "there is no filter 'nope'"},
        {"{% macro f() %}{% endmacro %}", 1, 4, "{% macro %} is not supported"},
        {"{% for x in y recursive %}{% endfor %}", 1, 15, "a recursive loop is not supported"},
        {"{{ d.update }}", 1, 4, "'update' of a value of type dict is not supported"},
        {"{{ [1].append(2) }}", 1, 4, "'append' of a value of type list is not supported"},
        {"{{ ''.__class__ }}", 1, 4, "'__class__' of a value of type str is not supported"},
        {"{{ '%d' % 1 }}", 1, 4, "formatting a text with % is not supported"},
        {"{{ 99999999999999999999 }}", 1, 4, "a whole number above 64 bits is not supported"},
        {"{{ x.real }}", 1, 4, "'real' of a value of type int is not supported"},
        {"{{ f(*a) }}", 1, 6, "a list of arguments (* or **) is not supported"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cv_arena a = {0};
        cv_err err;
        cv_template_made made;
        assert_fails(render(&a, rows[i].template, "{\"d\": {}, \"x\": 1}", NULL, &made, &err), &err, CV_ERR_TEMPLATE);
        assert_str_has(err.message, rows[i].message);
        assert_str_eq(err.file, "prompt.j2");
        assert_int_equal(err.line, rows[i].line);
        assert_int_equal(err.column, rows[i].column);
        cv_arena_release(&a);
    }
}

/* ---- includes from a folder ---------------------------------------------------------------------------- */

static void write_file(cv_arena *a, const char *folder, const char *name, const char *text)
{
    FILE *f = fopen(cv_arena_printf(a, "%s/%s", folder, name).p, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_includes(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_err err;
    cv_template_made made;
    const char *folder = cv_test_folder(&a);
    const char *templates = cv_arena_printf(&a, "%s/templates", folder).p;
    assert_int_equal(mkdir(templates, 0700), 0);
    assert_int_equal(mkdir(cv_arena_printf(&a, "%s/sub", templates).p, 0700), 0);
    write_file(&a, folder, "secret.j2", "secret");
    write_file(&a, templates, "a.j2", "A{% include 'sub/b.j2' %}");
    write_file(&a, templates, "sub/b.j2", "B");
    write_file(&a, templates, "self.j2", "x{% include 'self.j2' %}");
    write_file(&a, templates, "ping.j2", "{% include 'pong.j2' %}");
    write_file(&a, templates, "pong.j2", "{% for i in range(2) %}{% include 'ping.j2' %}{% endfor %}");
    assert_int_equal(symlink("../secret.j2", cv_arena_printf(&a, "%s/link.j2", templates).p), 0);
    assert_int_equal(symlink("..", cv_arena_printf(&a, "%s/up", templates).p), 0);
    cv_where where = {templates, ""};
    cv_template_rules rules = {.load = cv_template_load, .load_ctx = &where};
    assert_ok(render(&a, "{% include 'a.j2' %}", "{}", &rules, &made, &err), &err);
    assert_str_eq(made.text, "AB");
    assert_fails(render(&a, "{% include 'self.j2' %}", "{}", &rules, &made, &err), &err, CV_ERR_TOO_LARGE);
    assert_fails(render(&a, "{% include 'ping.j2' %}", "{}", &rules, &made, &err), &err, CV_ERR_TOO_LARGE);
    static const char *const outside[] = {
        "../secret.j2", "sub/../../secret.j2", "/etc/passwd", "link.j2", "up/secret.j2", "sub", "", "a\\u0000.j2"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        const char *template = cv_arena_printf(&a, "{%% include '%s' %%}", outside[i]).p;
        assert_false(render(&a, template, "{}", &rules, &made, &err));
        assert_true(err.line == 1 && err.column > 1);
        assert_str_eq(err.file, "prompt.j2");
    }
    assert_fails(render(&a, "{% include 'nope.j2' %}", "{}", &rules, &made, &err), &err, CV_ERR_NOT_FOUND);
    assert_str_has(err.message, "templates/nope.j2");
    cv_test_remove(folder);
    cv_arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jinja),    cmocka_unit_test(test_limits), cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_depth),    cmocka_unit_test(test_strict), cmocka_unit_test(test_places),
        cmocka_unit_test(test_includes),
    };
    return cmocka_run_group_tests_name("template", tests, NULL, NULL);
}
