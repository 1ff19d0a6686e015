/* test_help.c - the help of every command on narrow and wide terminals, and its examples.
 *
 * Lines fit 60, 80 and 120 columns, no word is broken or lost on the way, there is an example, and its options are
 * those of the command.
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

/* The options of a line, up to a pipe or another command; what stands in quotes is a value. */
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
        cv_arena_reset(&a);
    }
    assert_int_equal(faults, 0);
    cv_arena_release(&a);
    cv_arena_release(&table_arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help_of_every_command),
    };
    return cmocka_run_group_tests_name("help", tests, NULL, NULL);
}
