/* test_help.c - the help of every command on narrow and wide terminals, and its examples.
 *
 * Lines fit 60, 80 and 120 columns, no word is broken or lost on the way, there is an example, and its options are
 * those of the command. Every option has a description, which names options and no fields of the request; the
 * description of a required one completes "--token is required: …".
 */
#include "testing.h"

#include "base/plain.h"
#include "door/cli_parts.h"

static size_t faults;

static void complain(const cv_cli_command *c, size_t width, const char *what, cv_str text)
{
    print_error("%s %s, %zu columns: %s: %.*s\n", c->room, c->name, width, what, CV_FMT(text));
    faults++;
}

static cv_str help_of(cv_arena *a, const cv_cli_command *c, size_t width)
{
    cv_buf out = {0};
    cv_help_command(&out, a, width, c);
    return cv_buf_take(&out, a);
}

/* What has no blank stays whole, and so do an option and its value. */
static void check_width(const cv_cli_command *c, size_t width, cv_str help)
{
    cv_str line;
    while (help.n > 0 && cv_str_split(&help, '\n', &line)) {
        cv_str trimmed = cv_str_trim(line);
        bool whole = cv_str_find_char(trimmed, ' ') == SIZE_MAX ||
                     (width < 80 &&
                      (cv_str_starts(trimmed, CV_STR("--")) || cv_str_find(line, CV_STR("conclave ")) != SIZE_MAX));
        if (cv_plain_width(line) > width && !whole)
            complain(c, width, "a line is too long", line);
    }
}

/* All words in their order, with one blank between. */
static cv_str words_of(cv_arena *a, cv_str text)
{
    cv_buf out = {0};
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] != ' ' && text.p[i] != '\n')
            cv_buf_add_char(&out, text.p[i]);
        else if (out.n > 1 && cv_str_ends(cv_buf_str(&out), CV_STR(" \\")))
            out.n -= 1; /* a command that goes on */
        else if (out.n > 0 && out.p[out.n - 1] != ' ')
            cv_buf_add_char(&out, ' ');
    return cv_buf_take(&out, a);
}

static bool has_option(const cv_cli_command *c, cv_str name)
{
    for (size_t i = 0; i < cv_cli_option_count(c); i++) {
        cv_str option = cv_str_of(cv_cli_option_at(c, i)->name);
        if (cv_str_eq(name, option) || (cv_str_starts(name, CV_STR("no-")) && cv_str_eq(cv_str_from(name, 3), option)))
            return true;
    }
    return false;
}

/* The options of a line, up to a pipe or another command; what is in quotes is a value. */
static void check_options(const cv_cli_command *c, cv_str line)
{
    char quote = '\0';
    for (size_t i = 0; i < line.n; i++) {
        char now = line.p[i];
        if (quote || now == '\'' || now == '"') {
            quote = quote == now ? '\0' : quote ? quote : now;
            continue;
        }
        if (strchr("|;&", now))
            return;
        if (!cv_str_starts(cv_str_from(line, i), CV_STR(" --")) || i + 3 >= line.n || line.p[i + 3] == ' ')
            continue;
        size_t n = 0;
        while (i + 3 + n < line.n && (cv_is_alnum(line.p[i + 3 + n]) || line.p[i + 3 + n] == '-'))
            n++;
        if (!has_option(c, (cv_str){line.p + i + 3, n}))
            complain(c, 0, "an example has an unknown option", line);
    }
}

static void check_examples(cv_arena *a, const cv_cli_command *c)
{
    cv_str rest = cv_str_of(c->examples), line, title = cv_str_of(cv_cli_title(a, c));
    size_t count = 0;
    while (rest.n > 0 && cv_str_split(&rest, '\n', &line)) {
        size_t at = cv_str_find(line, title);
        if (at == SIZE_MAX)
            continue;
        count++;
        check_options(c, cv_str_from(line, at));
    }
    if (count == 0)
        complain(c, 0, "there is no example", CV_STR(""));
}

/* Is there a field of the request as programs know it: with an underscore, or as a condition ("with dir:")? */
static bool has_field(cv_arena *a, const cv_json *properties, cv_str text)
{
    for (uint32_t i = 0; i < properties->count; i++) {
        cv_str name = properties->members[i].key;
        bool plain = cv_str_find_char(name, '_') == SIZE_MAX;
        cv_str sought = plain ? cv_arena_printf(a, "with %.*s:", CV_FMT(name)) : name;
        if (cv_str_find(text, sought) != SIZE_MAX)
            return true;
    }
    return false;
}

static void check_descriptions(cv_arena *a, const cv_cli_command *c)
{
    const cv_json *properties = c->input ? cv_json_get(c->input, CV_STR("properties")) : NULL;
    for (size_t i = 0; i < cv_cli_option_count(c); i++) {
        cv_str name = cv_str_of(cv_cli_option_at(c, i)->name), text = cv_str_of(cv_cli_option_at(c, i)->summary);
        if (!text.n || strchr(";(", text.p[0]))
            complain(c, 0, "an option has no description", name);
        if (properties && has_field(a, properties, text))
            complain(c, 0, "an option tells of a field", text);
    }
    if (properties && has_field(a, properties, cv_str_of(c->details)))
        complain(c, 0, "the help tells of a field", cv_str_of(c->details));
}

/* "--token is required: of the claim": half a sentence or a single word does not say what it is. */
static void check_required(const cv_cli_command *c)
{
    static const char *const halves[] = {"of ", "its ", "from ", "by ", "in ", "to ", "with ", "as "};
    const cv_json *properties = c->input ? cv_json_get(c->input, CV_STR("properties")) : NULL;
    for (uint32_t i = 0; properties && i < properties->count; i++) {
        const cv_json_member *p = &properties->members[i];
        cv_str text = cv_json_get_text(&p->value, "description");
        if (!cv_schema_requires(c->input, p->key))
            continue;
        bool half = cv_str_find_char(text, ' ') == SIZE_MAX;
        for (size_t k = 0; k < CV_COUNT(halves); k++)
            half = half || cv_str_starts(text, cv_str_of(halves[k]));
        if (half)
            complain(c, 0, "a required option is described by half a sentence", text);
    }
}

/* The help of the program, of each room and of each topic: no line above 80 columns. */
static void test_help_of_the_rest(void **state)
{
    (void)state;
    cv_arena a = {0};
    cv_cli_table table = cv_cli_commands(&a);
    cv_buf out = {0};
    cv_help_all(&out, 80, &table);
    cv_help_first(&out, 80);
    for (size_t i = 0; cv_rooms[i]; i++)
        if (*cv_rooms[i]->name)
            cv_help_room(&out, &a, 80, &table, cv_rooms[i]);
    for (size_t i = 0; cv_help_topic_at(i); i++)
        assert_true(cv_help_topic(&out, &a, 80, cv_str_of(cv_help_topic_at(i)->name)));
    check_width(&(cv_cli_command){.room = "program, rooms", .name = "topics"}, 80, cv_buf_str(&out));
    assert_int_equal(faults, 0);
    cv_buf_release(&out);
    cv_arena_release(&a);
}

static void test_help_of_every_command(void **state)
{
    (void)state;
    static const size_t widths[] = {60, 80, 120};
    cv_arena table_arena = {0}, a = {0};
    cv_cli_table table = cv_cli_commands(&table_arena);
    assert_true(table.count > 100);
    for (size_t i = 0; i < table.count; i++) {
        cv_cli_command command = cv_cli_complete(&a, &table.items[i]);
        cv_str words = words_of(&a, help_of(&a, &table.items[i], 200));
        for (size_t k = 0; k < CV_COUNT(widths); k++) {
            cv_str help = help_of(&a, &table.items[i], widths[k]);
            check_width(&command, widths[k], help);
            if (!cv_str_eq(words_of(&a, help), words))
                complain(&command, widths[k], "words are broken or lost", help);
        }
        check_examples(&a, &command);
        check_descriptions(&a, &command);
        check_required(&command);
        cv_arena_reset(&a);
    }
    assert_int_equal(faults, 0);
    cv_arena_release(&a);
    cv_arena_release(&table_arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help_of_the_rest),
        cmocka_unit_test(test_help_of_every_command),
    };
    return cmocka_run_group_tests_name("help", tests, NULL, NULL);
}
